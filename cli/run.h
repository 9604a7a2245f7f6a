/* The parts of `ptoasm run`: arguments, .npy files, the compiler. */
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include "cli/cli.h"
#include "ir/type.h"

enum { MAX_RANK = 32 };

/* A dense array in row-major order. */
typedef struct Array {
    Elem elem;
    unsigned rank;
    int64_t shape[MAX_RANK];
    size_t bytes;
    unsigned char *data; /* aligned for vector code; NULL = none yet */
} Array;

/* ---- array.c ---- */

/* The element type of a text such as `f32` or `ui8`; ELEM_NONE when it is none with a byte size. */
Elem elem_from_text(const char *s, size_t n);
/* Works out `bytes`; false when the size overflows. */
bool array_measure(Array *a);
/* Takes zeroed memory for `bytes`; false when there is none. */
bool array_allocate(Array *a);
/* Numbers that depend on the seed alone: floats in [-1, 1), integers over their whole range. */
void array_randomize(Array *a, uint64_t seed);
/* Reads a number as an element, the bits going to *bits. False when it is none or out of range. */
bool scalar_from_text(Elem e, const char *text, uint64_t *bits);

/* ---- npy.c ---- */

/* The .npy type code of an element, without the byte order: "f4", "i2". bf16 and the narrow floats
 * have none of their own: their bits go as unsigned integers. */
const char *npy_code(Elem e);
/* Reads a .npy file; its elements must be those of `elem`. Returns FINE, or TROUBLE after a
 * message. */
int npy_read(const char *path, Elem elem, Array *out);
/* Writes the array as .npy into an output that is open. */
bool npy_write(Output *out, const Array *a);

/* ---- args.c ---- */

typedef struct Argument {
    Array array;     /* of a buffer */
    uint64_t bits;   /* of a number */
    const char *out; /* file that the buffer is written to, or NULL */
} Argument;

/* Reads argument `text` for a parameter. Returns FINE, or TROUBLE after a message. */
int argument_read(const char *text, const ptoasm_param *param, Argument *arg);
void argument_free(Argument *arg);

/* ---- build.c ---- */

typedef struct Code {
    void *library;
    int (*entry)(int64_t blocks, void **args);
    const char *(*error)(void);
} Code;

/* Compiles C text with the system's compiler and loads it. The scratch folder is gone when this
 * returns. Returns FINE, or TROUBLE after a message. */
int code_build(const char *text, size_t size, Code *code);
void code_close(Code *code);

#endif
