/* The parts of `ptoasm run`: arguments, .npy files, the compiler. */
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include "cli/cli.h"
#include "ir/type.h"
#include <limits.h>
#include <stdio.h>

enum { MAX_RANK = 32 };

/* A dense array in row-major order. */
typedef struct Array {
    Elem elem;
    unsigned rank;
    int64_t shape[MAX_RANK];
    size_t bytes;
    unsigned char *data; /* aligned for vector code; NULL = none yet */
    void *map;           /* what data is a part of */
    size_t mapped;
} Array;

/* ---- array.c ---- */

/* The element type of a text such as `f32` or `ui8`; ELEM_NONE when it is none with a byte size. */
Elem elem_from_text(const char *s, size_t n);
/* Works out `bytes`; false when the size overflows. */
bool array_measure(Array *a);
/* Takes zeroed memory for `bytes`, with memory on both sides that faults when it is touched; false
 * when there is none. */
bool array_allocate(Array *a);
void array_free(Array *a);
/* Fills with first, first + step, ...; false when numbers cannot be written as its elements. */
bool array_count(Array *a, int64_t first, int64_t step);
/* Numbers that depend on the seed alone: floats in [-1, 1), integers over their whole range. */
void array_randomize(Array *a, uint64_t seed);
/* Reads a number as an element, the bits going to *bits. False when it is none or out of range. */
bool scalar_from_text(Elem e, const char *text, uint64_t *bits);

/* ---- npy.c ---- */

enum { NPY_TYPE = 16 };

/* The .npy type code of an element, without the byte order: "f4", "i2". bf16 and the narrow floats
 * have none of their own: their bits go as unsigned integers. */
const char *npy_code(Elem e);
/* Reads a .npy file as an array of `elem`. Returns FINE, TROUBLE after a message, or REJECTED in
 * silence when its elements are others: `type` is what the file calls them. */
int npy_read(const char *path, Elem elem, Array *out, char type[NPY_TYPE]);
/* Writes the array as .npy into an output that is open. */
bool npy_write(Output *out, const Array *a);

/* ---- runtime.c ---- */

/* A static program cannot load libraries: it has neither --link nor --cc. */
#ifdef PTOASM_STANDALONE
enum { LOADS_LIBRARIES = 0 };
#else
enum { LOADS_LIBRARIES = 1 };
#endif

/* Libraries that --link names. */
enum { MAX_LINKS = 8 };
typedef struct Links {
    void *library[MAX_LINKS];
    unsigned n;
} Links;

/* Loads the libraries. Returns FINE, or TROUBLE after a message; to be closed whatever it is. */
int links_open(const char *const *files, unsigned n, Links *links);
/* The address of a function in one of them, or NULL. */
void *links_symbol(const Links *links, const char *name);
void links_close(Links *links);

/* The function that is run. */
typedef struct Target {
    const char *file; /* of the program, as messages call it */
    ptoasm_result *res;
    size_t index; /* of the kernel */
    ptoasm_kernel kernel;
    int64_t blocks;
    unsigned ranks; /* 0: one, without any other */
    const char *cc; /* --cc; NULL = none given */
    Links links;    /* --link */
} Target;

/* ---- args.c ---- */

/* Says on standard error what is wrong at a line of the program: `FILE:LINE: ...`. Returns
 * REJECTED. */
int rejected_at(const char *file, uint32_t line, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* A parameter of the function that is run. */
typedef struct Slot {
    const Target *target;
    size_t index;
    ptoasm_param param;
    const ptoasm_launch *launch; /* the numbers that are known */
} Slot;

/* As ptrt_run_array of the entry has it (entry.c). */
typedef struct Handle {
    void *data;
    uint64_t bytes;
    int64_t shape[PTOASM_VIEW_RANK];
} Handle;

typedef struct Argument {
    Array array;         /* of a buffer */
    uint64_t bits;       /* of a number */
    char *out;           /* file that the buffer is written to, or NULL */
    ptoasm_buffer views; /* what they take of a buffer */
    bool handle;         /* the parameter is a tile or a view */
    Handle memory;       /* what it is made of */
    uint64_t window;     /* bytes on every rank; 0: not a window */
    int64_t *context;    /* of a window, while the ranks run */
} Argument;

#define ARGUMENT_FORMS "it takes FILE.npy, zeros, ones, iota, random:SEED or '>FILE.npy'"

/* Reads an argument for a parameter; *arg is all zero before. Returns FINE, or after a message
 * TROUBLE, REJECTED when it is not what the parameter takes, or NO_CODE when nothing can be. */
int argument_read(const Slot *slot, const char *text, Argument *arg);
void argument_free(Argument *arg);
/* What the entry gets for it. */
void *argument_address(Argument *arg);
/* Whether the text asks for a generated array or for a result, not for a file to read. */
bool argument_is_source(const char *text);

/* ---- match.c ---- */

/* Lists the functions and their parameters on standard error. */
void print_kernels(const ptoasm_result *res);
/* Says on standard error of which arguments the views take more than there is. */
void print_short_arguments(const Target *target, const Argument *args);
/* Reads the arguments of a call; `args` has one entry for each parameter, all zero, to be freed
 * whatever is returned: that of argument_read(). */
int arguments_read(const Target *target, const char *const *texts, size_t n, Argument *args);

/* Splits `NAME=REST` or `%NAME=REST`. Returns FINE, or REJECTED after a message when there is no
 * such parameter or no name. */
int param_named(const Target *target, const char *text, size_t *index, const char **rest);

/* ---- expect.c ---- */

/* How far a result may be from what is expected. */
typedef struct Tolerance {
    double rtol, atol;
    uint64_t ulp;
} Tolerance;

typedef struct Expectation {
    size_t param;
    const char *file;
    Array gold;
} Expectation;

/* Reads `NAME=FILE.npy` for arrays that are arguments; `list` has `n` entries, all zero, to be
 * freed whatever is returned: that of argument_read(). */
int expectations_read(const Target *target, const char *const *texts, size_t n,
                      const Argument *args, Expectation *list);
/* Returns FINE, or REJECTED after saying on standard error what differs. */
int expectations_judge(const Target *target, const Argument *args, const Expectation *list,
                       size_t n, const Tolerance *t);
void expectations_free(Expectation *list, size_t n);

/* ---- progress.c ---- */

/* Between these, a terminal shows the text and the seconds after the first one. */
void progress_begin(const char *what);
void progress_end(void);

/* ---- list.c ---- */

/* `32x64`, with `?` for PTOASM_EXTENT_ANY. */
void shape_print(FILE *to, const int64_t *shape, unsigned rank);
/* Prints the functions, or the one called `entry`, with their parameters on standard output.
 * Returns FINE, or TROUBLE after a message. */
int kernels_list(ptoasm_result *res, const char *entry, int64_t blocks);

/* ---- runtime.c, again ---- */

typedef struct Runtime {
    char include[PATH_MAX]; /* folder of ptort.h */
    void *library;          /* libptort.so */
} Runtime;

/* Of a standalone program: its runtime, sorted by name. */
typedef struct RuntimeFunction {
    const char *name;
    void (*function)(void);
} RuntimeFunction;
extern const RuntimeFunction runtime_functions[];
extern const size_t runtime_function_count;

/* Finds and loads the runtime. Returns FINE, or TROUBLE after a message. */
int runtime_open(Runtime *rt);
/* The address of one of its functions, or NULL. */
void *runtime_symbol(const Runtime *rt, const char *name);
void runtime_close(Runtime *rt);

/* ---- tcc.c ---- */

/* Whether a compiler is linked in. */
bool builtin_cc_linked(void);
/* Compiles a text that includes ptort.h, in memory. *tcc is to be closed whatever is returned:
 * FINE, or TROUBLE after a message. */
int builtin_cc_build(const Runtime *rt, const Links *links, const char *text, void **tcc);
void *builtin_cc_find(void *tcc, const char *name);
void builtin_cc_close(void *tcc);

/* ---- compile.c ---- */

/* Starts a compiler (NULL: tcc, else cc) and loads what it made. The scratch folder is gone when
 * this returns. Returns FINE, or TROUBLE after a message. */
int compile_with(const Runtime *rt, const char *cc, const char *text, size_t size, void **library);

/* ---- build.c ---- */

typedef struct Code {
    Runtime runtime;
    void *library, *tcc; /* one of them holds the code */
    int (*entry)(int64_t kernel, int64_t blocks, void **args);
    /* of the runtime: ptort.h */
    const char *(*error)(void);
    int (*region_add)(const void *base, uint64_t bytes);
    void (*region_clear)(void);
    int (*run_ranks)(int ranks, int (*fn)(int rank, void *arg), void *arg);
    int (*window_make)(uint64_t bytes, int64_t **context);
} Code;

/* Compiles C text, which ends with a NUL, with the compiler `cc`; NULL is the one that CC names,
 * else the one that is linked in, else one of the system; `links` have what it leaves open. To be
 * closed whatever is returned: FINE, or TROUBLE after a message. */
int code_build(const char *text, size_t size, const char *cc, const Links *links, Code *code);
void code_close(Code *code);

/* ---- entry.c ---- */

/* Writes the C of ptrt_run_entry(kernel, blocks, args) for the kernels first .. end - 1. */
void entry_write(FILE *to, const ptoasm_result *res, size_t first, size_t end);

/* ---- call.c ---- */

/* Compiles the emission and loads it. Returns FINE, or TROUBLE after a message. */
int kernel_build(const Target *target, Code *code);
/* Calls the kernel with one argument for each parameter. What it may touch are their arrays, when
 * it was emitted with checks. Returns FINE, or after a message TROUBLE, or REJECTED when it ended
 * with an error. */
int kernel_call(const Target *target, const Code *code, Argument *args);
/* Writes the arrays that have a file to go to: all of them, or none when one cannot be written. */
int results_write(const Argument *args, size_t n);

/* ---- ranks.c ---- */

/* A code of the runtime: PTRT_E_NOMEM. */
enum { NO_MEMORY = 6 };
/* The texts for rank 0, then those for rank 1 ...: the rank's number for each `@`. NULL when memory
 * is exhausted. */
char **rank_texts(const char *const *texts, size_t n, unsigned ranks);
void rank_texts_free(char **texts, size_t n);
/* FINE, or TROUBLE after a message when two ranks write one file. */
int rank_results_differ(const Argument *args, size_t params, unsigned ranks);
/* Runs the kernel on all ranks; `args` has the arguments of rank 0, then of rank 1 ... Returns the
 * runtime's code. */
int ranks_call(const Target *target, const Code *code, Argument *args);

/* ---- timing.c ---- */

double seconds_now(void);
/* Calls the kernel n times on the same data and prints the times; `build` is that of the compiler.
 * Returns what kernel_call() does. */
int kernel_time(const Target *target, const Code *code, Argument *args, uint32_t n, double build);

#endif
