/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the C backend: its part of the state of an emission, and the functions its files share. */
#ifndef BACKENDS_C_EMITTER_H
#define BACKENDS_C_EMITTER_H

#include "analysis/entries.h"
#include "backends/c/emit.h"
#include "backends/lower/body.h"
#include "backends/lower/chains.h"
#include "backends/lower/lane_chains.h"
#include "backends/text/emitter.h"

/* A function of the module and its C names. */
typedef struct Func {
    const LowerFunc *low;
    FuncData *data;
    const char *body;     /* the static function, or the extern one of a function without a body */
    const Launch *launch; /* the launch named after it; NULL: none */
    const char *name;     /* public name of the launch for one block */
    const char *grid;
    bool judged; /* for the sanitizer: the order of its pipes is judged */
} Func;

/* The line of a statement. */
typedef struct LaneLine {
    const LowerStmt *stmt;
    uint32_t line;
} LaneLine;

typedef struct CEmitter {
    Emitter text_state; /* first, so that c_of() finds the rest */
    Func *funcs;        /* one for each of low->funcs */
    unsigned nfuncs;
    StrBuf types;              /* definitions of static tile types and pipe descriptions */
    Interner type_texts;       /* initialisers of the tile types; the atom is the number plus one */
    Interner pipe_texts;       /* the same for pipe descriptions */
    Interner bodies;           /* texts that fetch bodies of micro-instructions */
    Interner spans;            /* numbers of registers that have a type */
    bool micro;                /* the module has micro-instructions */
    bool logical;              /* it has instructions on logical vectors */
    unsigned vregs;            /* registers of the functions so far; each has its own */
    PtrMap registers;          /* numbers of those of the current function */
    unsigned nregisters;       /* how many it has, with those that hold its chains */
    StrBuf register_names;     /* their enumerators */
    size_t register_line;      /* where the last line of these begins */
    StrBuf *text;              /* the C file: bodies of functions; put_top() adds the rest */
    StrBuf head;               /* argument structs, entries and launchers */
    int64_t ring[SPACE_COUNT]; /* per space, the end of the slots of pipes in it */
    int64_t storage;           /* bytes of arrays and records declared so far */
    unsigned sections_seen;    /* of pto.section.simt */
    PtrMap runners;            /* of functions of work items: the name of what runs one */
    bool copies_tiles;         /* the function for tile results is needed */
    uint32_t chain_lines[CHAIN_STEPS]; /* of the steps of the current chain */
    unsigned chain_steps;
    LaneLine lane_lines[LANE_CHAIN_MEMBERS]; /* the same of a chain of micro-instructions */
    unsigned nlane_lines;
    uint32_t pointed; /* spaces accessed through pointers, one bit per Space */
    /* The current function. */
    Func *fn;
    StrBuf top; /* declarations before its statements */
    bool uses_err, uses_core;
    int blocks;                     /* of coverage: the point of blocks without work */
    bool stores, guarded, sections; /* it stores; some core may not; it has sections */
    unsigned section;   /* the pto.section.simt that is written, counted from 1; 0: none */
    FreedEntries freed; /* what frees of entries release, for the sanitizer */
} CEmitter;

/* Returns the state of the C backend. */
static inline CEmitter *c_of(Emitter *e) {
    return (CEmitter *)e;
}

/* dispatch.c */
void emit_stmt(Emitter *e, const LowerStmt *s);
#define EMIT(form, fn) void fn(Emitter *e, const LowerStmt *s);
#include "backends/c/emitters.def"
#undef EMIT

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
/* Bits of the C integer that a vector of one work item is; 0: it is none. */
unsigned vector_bits(const Type *t);
const char *space_const(int space);
/* Returns a reference to the static description of a tile type, e.g. `&pto_tile_3`; NULL after a
 * diagnostic. */
const char *tile_type_ref(Emitter *e, const Type *t, Span at);
/* Returns the scalar expression `x` of element type `from`, converted to `to`. NULL when there is
 * no conversion. */
const char *convert_scalar(Arena *a, int from, int to, const char *x);

/* scalar.c */
/* Stores the bits of a constant of an arithmetic type. Returns false for another type. */
bool constant_bits(const Attr *a, int elem, uint64_t *bits);

/* items.c: work items */
/* Whether the current statement is code of work items. */
bool in_items(Emitter *e);
/* Emits the launch of the called function for as many work items as were set last. */
void launch_function(Emitter *e, const LowerStmt *s, const Operand *args, unsigned n);

/* lanes.c: vectors of one work item */
/* Emits arithmetic on the elements of vectors. */
void emit_by_lanes(Emitter *e, const LowerStmt *s);
/* Reads the `n` elements of a dense attribute, as their bits; false: it has others. */
bool dense_elements(Emitter *e, const NamedAttr *attr, int elem, unsigned n, uint64_t *out);
/* Emits a constant. Returns false when the result is no such vector or the text is not read. */
bool emit_dense(Emitter *e, const Value *r, const NamedAttr *attr);

/* errors.c */
/* Writes `if ((err = CALL) != 0) return err;` on two lines. */
void try_call(Emitter *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void no_kernel(Emitter *e, const LowerStmt *s);

/* funcs.c */
void name_functions(Emitter *e);
void emit_function(Emitter *e, Func *f);
const Func *func_of(Emitter *e, const LowerFunc *low);
void put_signature(Emitter *e, StrBuf *out, const Func *f, bool with_names);
/* Returns the C type of a parameter, so that a name may follow; "int " after a diagnostic. */
const char *param_text(Emitter *e, const Type *type, Span at);

/* launch.c */
void emit_launcher(Emitter *e, const Func *f);
void emit_prototypes(Emitter *e, StrBuf *out, const Func *f);

/* runtime_calls.c: tile instructions */
/* Returns the arguments of a call, each after a comma. */
const char *call_args(Emitter *e, const LowerStmt *s, const LowerCall *call);
/* Returns the address of a register, of the first one of a logical vector, of a mask or result. */
const char *place_address(Emitter *e, const Value *v);
/* Returns one argument. */
const char *arg_text(Emitter *e, const LowerStmt *s, const LowerArg *arg);

/* chains.c */
/* Whether the emission has chains: nothing looks at single statements. */
bool emits_chains(const Emitter *e);
/* Emits the call for a chain, with its last statement. */
void emit_chain(Emitter *e, const LowerStmt *s);

/* lane_chains.c */
/* Emits the call for a chain of micro-instructions, with its last statement. */
void emit_lane_chain(Emitter *e, const LowerStmt *s);

/* checks.c: rules checked at run time */
void emit_checks(Emitter *e, const LowerStmt *s); /* those of the current statement */

/* flow.c */
void c_check_step(Emitter *e, const Value *step); /* for TextLanguage */

/* tiles.c */
/* Returns the C expression of a launch query. */
const char *query_text(Emitter *e, const Inst *query);
/* Binds the declared variable `name` to the memory of a tile of a statement. `unknown` is printed
 * for an extent of its valid region that is not known; without it the call fails then. */
bool emit_bind(Emitter *e, const LowerStmt *s, const LowerBind *b, const char *name,
               const char *unknown);
/* Returns a static extent as text, or `dynamic`. */
const char *extent_text(Emitter *e, int64_t extent, const char *dynamic);

/* pipes.c */
/* Declares the variables of the pipes that a function opens, at the start of its body. */
void declare_pipes(Emitter *e, const Func *f);
/* Returns the operand `entry` of a push, pop or the like, else the result. */
const Value *entry_of(const LowerStmt *s);
/* Returns the variable of the pipe of such a statement; NULL: not known. */
const char *entry_pipe_name(Emitter *e, const LowerStmt *s);

#endif
