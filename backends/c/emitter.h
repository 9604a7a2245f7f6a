/* Inside the C backend: its part of the state of an emission, and the functions its files share. */
#ifndef BACKENDS_C_EMITTER_H
#define BACKENDS_C_EMITTER_H

#include "analysis/entries.h"
#include "backends/c/emit.h"
#include "backends/text/emitter.h"

/* A function of the module and its C names. */
typedef struct Func {
    const LowerFunc *low;
    const Op *op;
    FuncData *data;
    const char *body;     /* the static function, or the extern one of a function without a body */
    const Launch *launch; /* the launch named after it; NULL: none */
    const char *name;     /* public name of the launch for one block */
    const char *grid;
    bool judged; /* for the sanitizer: the order of its pipes is judged */
} Func;

typedef struct CEmitter {
    Emitter text_state; /* first, so that c_of() finds the rest */
    Func *funcs;        /* one for each of low->funcs */
    unsigned nfuncs;
    StrBuf types;              /* definitions of static tile types and pipe descriptions */
    Interner type_texts;       /* initialisers of the tile types; the atom is the number plus one */
    Interner pipe_texts;       /* the same for pipe descriptions */
    StrBuf *text;              /* the C file: bodies of functions; put_top() adds the rest */
    StrBuf head;               /* argument structs, entries and launchers */
    int64_t ring[SPACE_COUNT]; /* per space, the end of the slots of pipes in it */
    int64_t storage;           /* bytes of arrays and records declared so far */
    bool copies_tiles;         /* the function for tile results is needed */
    uint32_t pointed;          /* spaces accessed through pointers, one bit per Space */
    /* The current function. */
    Func *fn;
    StrBuf top; /* declarations before its statements */
    bool uses_err, uses_core;
    /* For the sanitizer: what the current statement touches, as far as the operands do not tell. */
    const char *seen_element, *seen_window;
    unsigned seen_bytes;
    const Value *seen_view;
    FreedEntries freed; /* what frees of entries release */
} CEmitter;

/* Returns the state of the C backend. */
static inline CEmitter *c_of(Emitter *e) {
    return (CEmitter *)e;
}

/* dispatch.c: the emitters of all instructions that are not kernel calls. */
void emit_op(Emitter *e, const Op *op);

/* types.c */
const char *c_scalar(const Type *t);           /* NULL when there is none */
const char *c_type(Arena *a, const Type *t);   /* type of a local variable, or NULL */
const char *c_param(Arena *a, const Type *t);  /* type of a parameter, or NULL */
const char *elem_suffix(int elem);             /* f32, u8, ... as in names of loads; NULL */
const char *elem_const(int elem);              /* PTRT_F32; NULL */
const char *storage_suffix(int elem);          /* suffix of loads and stores: u8 for an fp8; NULL */
unsigned pointee_bytes(const Type *elem_type); /* 0 when the size is unknown */
bool is_gm_pointer(const Type *t);
/* Whether the type is contiguous elements in global memory, which C accesses through a pointer. */
bool is_gm_memref(const Type *t);
bool type_is_view(const Type *t);
bool is_i16x4(const Type *t); /* vector<4xi16> */
const char *space_const(int space);
/* Returns a reference to the static description of a tile type, e.g. `&pto_tile_3`; NULL after a
 * diagnostic. */
const char *tile_type_ref(Emitter *e, const Type *t, Span at);
/* Returns the scalar expression `x` of element type `from`, converted to `to`. NULL when there is
 * no conversion. */
const char *convert_scalar(Arena *a, int from, int to, const char *x);

/* errors.c */
/* Writes `if ((err = CALL) != 0) return err;` on two lines. */
void try_call(Emitter *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void no_kernel(Emitter *e, const Op *op);

/* funcs.c */
void name_functions(Emitter *e);
void emit_function(Emitter *e, Func *f);
const Func *func_of(Emitter *e, const LowerFunc *low);
void put_signature(Emitter *e, StrBuf *out, const Func *f, bool with_names);
/* Returns the C type of a parameter, so that a name may follow; "int " after a diagnostic. */
const char *param_text(Emitter *e, const Type *type, Span at);
void emit_call(Emitter *e, const Op *op);
void emit_return(Emitter *e, const Op *op);

/* launch.c */
void emit_launcher(Emitter *e, const Func *f);
void emit_prototypes(Emitter *e, StrBuf *out, const Func *f);

/* runtime_calls.c: tile instructions */
void emit_kernel(Emitter *e, const Op *op);
/* Returns the arguments of a call, each after a comma. */
const char *call_args(Emitter *e, const Op *op, const LowerCall *call);
/* Binds the tile results of the current statement that no pass has replaced by destinations. */
void bind_results(Emitter *e);

/* checks.c: rules checked at run time */
void emit_checks(Emitter *e); /* those of the current statement */

#endif
