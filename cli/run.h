/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of `ptoasm run`: arguments, .npy files, the compiler. */
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include "cli/cli.h"
#include "cli/scratch.h"
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
    unsigned char *data; /* aligned for vector code; NULL = not allocated */
    void *map;           /* mapping that contains data */
    size_t mapped;
} Array;

/* ---- array.c ---- */

/* Computes `bytes`; false on overflow. */
bool array_measure(Array *a);
/* Allocates `bytes` of zeroed memory between guard pages that fault when touched; false when there
 * is none. */
bool array_allocate(Array *a);
void array_free(Array *a);
/* Fills with first, first + step, ...; false when the type cannot represent such numbers. */
bool array_count(Array *a, int64_t first, int64_t step);
/* Fills with numbers that depend on the seed alone: floats in [-1, 1), integers over their whole
 * range. */
void array_randomize(Array *a, uint64_t seed);
/* Parses a number as the bits of an element. False when it is none or out of range. */
bool scalar_from_text(Elem e, const char *text, uint64_t *bits);

/* ---- npy.c ---- */

enum { NPY_TYPE = 16 };

/* Returns the .npy type code of an element without byte order: "f4", "i2". bf16 and the narrow
 * floats have none; their bits are stored as unsigned integers. */
const char *npy_code(Elem e);
/* Reads a .npy file as an array of `elem`. Returns FINE, TROUBLE after a message, or REJECTED
 * without a message when it holds other elements, whose code goes to `type`. */
int npy_read(const char *path, Elem elem, Array *out, char type[NPY_TYPE]);
/* The same for an array to compare with: of f16 and a narrow float (numbers.h) it may hold f32,
 * which is then the type of the array. */
int npy_read_gold(const char *path, Elem elem, Array *out, char type[NPY_TYPE]);
/* Sets rank and shape from a .npy file. Returns FINE, or TROUBLE after a message. */
int npy_shape(const char *path, Array *out);
/* Writes the array as .npy to an open output. */
bool npy_write(Output *out, const Array *a);

/* ---- runtime.c ---- */

/* A static program cannot load libraries, so it has no --link and no --cc. */
#ifdef PTOASM_STANDALONE
enum { LOADS_LIBRARIES = 0 };
#else
enum { LOADS_LIBRARIES = 1 };
#endif

/* Libraries given by --link. */
enum { MAX_LINKS = 8 };
typedef struct Links {
    void *library[MAX_LINKS];
    unsigned n;
} Links;

/* Loads the libraries. Returns FINE, or TROUBLE after a message; must be closed either way. */
int links_open(const char *const *files, unsigned n, Links *links);
/* Returns the address of a function in one of them, or NULL. */
void *links_symbol(const Links *links, const char *name);
void links_close(Links *links);

/* The function to run. */
typedef struct Target {
    const char *file; /* program, as messages name it */
    ptoasm_result *res;
    size_t index; /* of the kernel */
    ptoasm_kernel kernel;
    int64_t blocks;
    unsigned ranks;    /* 0: no --ranks */
    const char *cc;    /* --cc; NULL = none given */
    Links links;       /* --link */
    bool author_first; /* --locations=source */
} Target;

/* ---- author.c ---- */

/* Returns the offset of the first statement on a line of the program. */
uint32_t statement_on_line(const ptoasm_result *res, uint32_t line);
/* Prints a message about a line of the program, and the lines that the author wrote for it. */
void put_run_message(FILE *to, const Target *target, uint32_t line, const char *message);

/* ---- args.c ---- */

/* Prints `FILE:LINE: ...` about a line of the program on standard error. Returns REJECTED. */
int rejected_at(const char *file, uint32_t line, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* A parameter of the function to run. */
typedef struct Slot {
    const Target *target;
    size_t index;
    ptoasm_param param;
    const ptoasm_launch *launch; /* integer arguments known so far */
    const char *const *texts;    /* the arguments of all parameters; NULL: not known */
} Slot;

/* Layout of ptrt_run_array in the generated entry (entry.c). */
typedef struct Handle {
    void *data;
    uint64_t bytes;
    int64_t shape[PTOASM_VIEW_RANK];
} Handle;

typedef struct Argument {
    Array array;         /* of a pointer, tile or view */
    uint64_t bits;       /* of a scalar */
    char *out;           /* output file for the array, or NULL */
    bool unwritten;      /* only an output file is given: nobody wrote the array */
    ptoasm_buffer views; /* what the program's views access */
    bool handle;         /* the parameter is a tile or a view */
    Handle memory;       /* passed for a tile or view */
    uint64_t window;     /* bytes on every rank; 0: not a window */
    int64_t *context;    /* of a window, while the ranks run */
    bool shares;         /* the array is that of parameter `owner`, whose type the file has */
    size_t owner;
} Argument;

#define ARGUMENT_FORMS "it takes FILE.npy, zeros, ones, iota, random:SEED or '>FILE.npy'"

/* Reads an argument for a parameter into *arg, which must be zero. Returns FINE or, after a
 * message, TROUBLE, REJECTED when the parameter does not accept it, or NO_CODE when it accepts
 * nothing. */
int argument_read(const Slot *slot, const char *text, Argument *arg);
void argument_free(Argument *arg);
/* Returns what the entry receives for it. */
void *argument_address(Argument *arg);
/* True when the text asks for a generated array or a result instead of a file to read. */
bool argument_is_source(const char *text);

/* ---- match.c ---- */

/* Lists the functions and their parameters on standard error. */
void print_kernels(const ptoasm_result *res);
/* Reports the arguments that are smaller than what the views access. */
void print_short_arguments(const Target *target, const Argument *args);
/* Reads the arguments of a call. `args` has one zeroed entry per parameter, to be freed in any
 * case. Returns the codes of argument_read(). */
int arguments_read(const Target *target, const char *const *texts, size_t n, Argument *args);

/* Splits `NAME=REST` or `%NAME=REST`. Returns FINE, or REJECTED after a message when there is no
 * name or no such parameter. */
int param_named(const Target *target, const char *text, size_t *index, const char **rest);

/* ---- expect.c ---- */

/* Permitted deviation of a result. */
typedef struct Tolerance {
    double rtol, atol;
    uint64_t ulp;
} Tolerance;

typedef struct Expectation {
    size_t param;
    const char *file;
    Array gold;
} Expectation;

/* Reads `NAME=FILE.npy` for array arguments; `list` has `n` zeroed entries, to be freed in any
 * case. Returns the codes of argument_read(). */
int expectations_read(const Target *target, const char *const *texts, size_t n,
                      const Argument *args, Expectation *list);
/* Returns FINE, or REJECTED after printing the differences on standard error. */
int expectations_judge(const Target *target, const Argument *args, const Expectation *list,
                       size_t n, const Tolerance *t);
void expectations_free(Expectation *list, size_t n);

/* ---- reference.c ---- */

/* The folder of --reference: in/NAME.npy and bits/NAME.npy have the arrays before the run,
 * args.json has the numbers; the command writes out/NAME.npy. */
typedef struct Reference {
    char folder[SCRATCH_PATH]; /* "" = none */
} Reference;

/* Writes the arguments and runs the command. Returns FINE, or TROUBLE after a message; must be
 * closed either way, which removes the folder. */
int reference_run(const Target *target, const Argument *args, const char *command, Reference *r);
/* Replaces {} in the texts by the folder. */
int reference_fill(const Reference *r, char **texts, size_t n);
void reference_close(Reference *r);

/* Makes an array of the first rows and columns of a matrix, which is number `at` of `from`. False
 * when memory runs out. */
bool matrix_corner(const Array *from, int64_t at, int64_t rows, int64_t cols, Array *out);

/* ---- run.c: setters that other commands share ---- */

bool set_rtol(Options *opt, const char *value);
bool set_atol(Options *opt, const char *value);
bool set_ulp(Options *opt, const char *value);

/* ---- progress.c ---- */

/* Between these calls, a terminal shows the text and, after the first second, the time. */
void progress_begin(const char *what);
void progress_end(void);

/* ---- list.c ---- */

enum { SHAPE_TEXT = 22 * MAX_RANK };
/* Write and print `32x64`, with `?` for PTOASM_EXTENT_ANY. */
void shape_text(const int64_t *shape, unsigned rank, char out[SHAPE_TEXT]);
void shape_print(FILE *to, const int64_t *shape, unsigned rank);
/* Prints the functions, or only `entry`, with their parameters on standard output. Returns FINE,
 * or TROUBLE after a message. */
int kernels_list(ptoasm_result *res, const char *entry, int64_t blocks);

/* ---- runtime.c, the runtime ---- */

typedef struct Runtime {
    char include[PATH_MAX]; /* folder of ptort_emitted.h */
    void *library;          /* libptort.so */
} Runtime;

/* The runtime within a standalone program, sorted by name. */
typedef struct RuntimeFunction {
    const char *name;
    void (*function)(void);
} RuntimeFunction;
extern const RuntimeFunction runtime_functions[];
extern const size_t runtime_function_count;

/* Finds and loads the runtime. Returns FINE, or TROUBLE after a message. */
int runtime_open(Runtime *rt);
/* Returns the address of one of its functions, or NULL. */
void *runtime_symbol(const Runtime *rt, const char *name);
void runtime_close(Runtime *rt);

/* ---- tcc.c ---- */

/* True when a compiler is linked in. */
bool builtin_cc_linked(void);
/* Compiles a text that includes ptort_emitted.h, in memory. Returns FINE, or TROUBLE after a
 * message; *tcc must be closed either way. */
int builtin_cc_build(const Runtime *rt, const Links *links, const char *text, void **tcc);
void *builtin_cc_find(void *tcc, const char *name);
void builtin_cc_close(void *tcc);

/* ---- compile.c ---- */

/* Runs a compiler (NULL: tcc, else cc) and loads its output. The scratch folder is removed.
 * Returns FINE, or TROUBLE after a message. */
int compile_with(const Runtime *rt, const char *cc, const char *text, size_t size, void **library);

/* ---- build.c ---- */

struct ptrt_dump;

typedef struct Code {
    Runtime runtime;
    void *library, *tcc; /* the code is in one of them */
    int (*entry)(int64_t kernel, int64_t blocks, void **args);
    /* Functions of the runtime: see ptort.h and ptort_observe.h. */
    const char *(*error)(void);
    int (*region_add)(const void *base, uint64_t bytes);
    void (*region_clear)(void);
    int (*run_ranks)(int ranks, int (*fn)(int rank, void *arg), void *arg);
    int (*window_make)(uint64_t bytes, int64_t **context);
    void (*dump_to)(int (*receive)(void *user, const struct ptrt_dump *t), void *user);
    void (*dump_copy)(const struct ptrt_dump *t, void *out);
    void (*show_only)(int64_t block, int place);
    const unsigned char *cover; /* of C with coverage (ptoasm_emit_options); else NULL */
    const char *cover_points;
} Code;

/* Compiles NUL-terminated C text with the compiler `cc`; NULL means the one that CC names, else
 * the one that is linked in, else one of the system. `links` supply its undefined functions.
 * Returns FINE, or TROUBLE after a message; must be closed either way. */
int code_build(const char *text, size_t size, const char *cc, const Links *links, Code *code);
void code_close(Code *code);

/* ---- coverage.c ---- */

/* Writes what a run has taken as JSON. Returns FINE, or TROUBLE after a message. */
int coverage_write(const Target *target, const Code *code, const char *path);

/* ---- entry.c ---- */

/* Writes the C of ptrt_run_entry(kernel, blocks, args) for kernels first .. end - 1. */
void entry_write(FILE *to, const ptoasm_result *res, size_t first, size_t end);

/* ---- call.c ---- */

/* Compiles the emitted C and loads it. Returns FINE, or TROUBLE after a message. */
int kernel_build(const Target *target, Code *code);
/* Calls the kernel with one argument for each parameter. If it was emitted with checks, it may
 * access only their arrays. Returns FINE or, after a message, TROUBLE, or REJECTED when it ended
 * with an error. */
int kernel_call(const Target *target, const Code *code, Argument *args);
/* Writes the arrays that have an output file: all of them, or none when one cannot be written. */
int results_write(const Argument *args, size_t n);

/* ---- run_kernel.c ---- */

struct TileWish;
/* Runs the function of the program that the options select, or lists its functions. */
int run_emitted(const char *file, ptoasm_result *res, const Options *opt, struct TileWish *wishes,
                unsigned nwishes);

/* ---- sanitize.c ---- */

/* Switches the sanitizer on for the arguments of all ranks. Returns FINE, or TROUBLE after a
 * message. */
int sanitize_start(const Target *target, const Code *code, const Argument *args, bool strict);
/* Switches it off. */
void sanitize_drop(const Code *code);
/* Prints what it found and switches it off. Returns FINE, REJECTED if there is a finding, or
 * TROUBLE after a message. */
int sanitize_report(const Target *target, const Code *code, const Options *opt);

/* ---- shadow.c ---- */

struct ptrt_shadow_line;
struct ptrt_shadow_gap;

/* The functions of the runtime. */
typedef struct Shadow {
    void (*start)(void);
    const struct ptrt_shadow_line *(*lines)(size_t *count);
    const struct ptrt_shadow_gap *(*gaps)(size_t *count);
    void (*end)(void);
} Shadow;

/* Finds them. Returns FINE, or TROUBLE after a message. */
int shadow_find(const Runtime *rt, Shadow *s);
/* Reports by line how the error against f64 has grown. */
void shadow_report(const Target *target, const Shadow *s);

/* ---- ranks.c ---- */

/* PTRT_E_NOMEM of the runtime. */
enum { NO_MEMORY = 6 };
/* Returns the texts for rank 0, then those for rank 1 ..., with each `@` replaced by the rank's
 * number. NULL: out of memory. */
char **rank_texts(const char *const *texts, size_t n, unsigned ranks);
void rank_texts_free(char **texts, size_t n);
/* Checks that no two ranks write the same file; TROUBLE after a message. */
int rank_results_differ(const Argument *args, size_t params, unsigned ranks);
/* Runs the kernel on all ranks; `args` has the arguments of rank 0, then of rank 1 ... Returns the
 * runtime's code. */
int ranks_call(const Target *target, const Code *code, Argument *args);

/* ---- timing.c ---- */

double seconds_now(void);
/* Calls the kernel n times on the same data and prints the times; `build` is the compile time.
 * Returns the codes of kernel_call(). */
int kernel_time(const Target *target, const Code *code, Argument *args, uint32_t n, double build);

#endif
