/* Inside the C backend: the state of one emission, and what its files offer each other. */
#ifndef BACKENDS_C_EMITTER_H
#define BACKENDS_C_EMITTER_H

#include "backends/c/emit.h"
#include "backends/c/names.h"
#include "backends/lower/lower.h"
#include "support/ptrmap.h"
#include "verifier/verify.h"

struct Judge;

/* What C knows a value, a block that is jumped to, or a stem of names by. */
typedef struct Local {
    uint32_t count; /* of a stem of names: numbers given */
    const char *name;
    bool used;    /* the C text reads it or jumps to it */
    bool hoisted; /* declared at the start of its region */
} Local;

/* A definition: when nothing has read the value by the end of the function, a line that quiets the
 * compiler about that is put after it. */
typedef struct Definition {
    struct Definition *next;
    const Value *value;
    size_t at; /* offset in the body */
    unsigned indent;
} Definition;

/* A function of the module and its C names. */
typedef struct Func {
    const LowerFunc *low;
    const Op *op;
    FuncData *data;
    const char *body;     /* the static function, or the extern one of a declaration */
    const Launch *launch; /* the one that is named after it; NULL: none */
    const char *name;     /* public names of the launch */
    const char *grid;
} Func;

/* Where scf.yield puts its values. */
typedef struct Sink {
    const char **names;
    const Value *values; /* of those types, as many as the yield has */
    const char *label;   /* go there afterwards; NULL: fall through */
} Sink;

/* Addresses that pto.tassign changed inside a region, to be put back after it. */
typedef struct Restore {
    struct Restore *next;
    const char *tile, *saved;
    bool whole; /* all of the handle but its valid region, not the address alone */
    uint32_t line;
} Restore;

typedef struct Emitter {
    const Module *m;
    const Context *ctx;
    const EmitOptions *opt;
    const char *file;
    Arena *arena;
    DiagList *diags;
    NameSet reported; /* offsets of diagnostics: one each */
    bool ok;
    const Lower *low;
    Func *funcs; /* one for each of low->funcs */
    unsigned nfuncs;
    NameSet globals;
    StrBuf types;              /* static tile types */
    Interner type_texts;       /* their initialisers: atom - 1 is the number */
    Interner pipe_texts;       /* the same of ends of pipes */
    StrBuf text;               /* bodies */
    StrBuf head;               /* prototypes, launchers */
    int64_t ring[SPACE_COUNT]; /* end of the slots of pipes that lie in a space */
    int64_t storage;           /* bytes of arrays and records so far */
    bool copies_tiles;         /* the helper for tile results is needed */
    uint32_t pointed;          /* spaces that are accessed through pointers: bit per Space */
    /* the current function */
    Func *fn;
    StrBuf *out; /* its statements */
    StrBuf top;  /* declarations in front of them */
    NameSet names;
    PtrMap locals; /* of values, blocks, ends of pipes and stems of names: Local */
    bool uses_err, uses_core;
    unsigned indent;
    unsigned nesting;
    uint32_t line;      /* of the current statement */
    uint32_t line_off;  /* a position on that line */
    uint32_t shown_off; /* 1 + the place of the last source line shown */
    Sink sink;          /* of the innermost region that yields */
    Sink leave;         /* of scf.condition */
    Restore *restores;
    struct Judge *judge; /* of the rules that are checked at run time; NULL: not made yet */
    VerifyOptions rules;
    Definition *definitions, **last_definition; /* in the order of the text */
} Emitter;

typedef void (*EmitFn)(Emitter *e, const Op *op);

/* dispatch.c: one entry per instruction that is not a kernel call. */
extern const EmitFn emit_table[INST_COUNT];
void emit_op(Emitter *e, const Op *op);
/* The operations of a region; declares what its blocks share when there are several. */
void emit_region(Emitter *e, const Region *r);

/* types.c */
const char *c_scalar(const Type *t);           /* NULL when there is none */
const char *c_type(Arena *a, const Type *t);   /* of a local variable; NULL when there is none */
const char *c_param(Arena *a, const Type *t);  /* of a parameter */
const char *elem_suffix(int elem);             /* f32, u8, ...: kernels and loads; NULL */
const char *elem_const(int elem);              /* PTRT_F32; NULL */
const char *storage_suffix(int elem);          /* how memory holds it: an fp8 is a u8; NULL */
unsigned pointee_bytes(const Type *elem_type); /* 0 when it has no size */
bool is_gm_pointer(const Type *t);
/* Contiguous elements in global memory: a pointer to them. */
bool is_gm_memref(const Type *t);
bool type_is_view(const Type *t);
bool is_i16x4(const Type *t); /* vector<4xi16> */
const char *space_const(int space);
/* `&pto_tile_3`: the static description of a tile type; NULL after a diagnostic. */
const char *tile_type_ref(Emitter *e, const Type *t, Span at);
/* A scalar expression of element `from` as one of element `to`. NULL when there is no conversion.
 */
const char *convert_scalar(Arena *a, int from, int to, const char *x);

/* writer.c */
void ln(Emitter *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* `if ((err = CALL) != 0) return err;`, on two lines */
void try_call(Emitter *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void open_brace(Emitter *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void open_block(Emitter *e); /* a brace alone */
void close_brace(Emitter *e);
char *strf(Emitter *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Reports that `at` has no lowering. */
void cannot(Emitter *e, Span at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void no_kernel(Emitter *e, const Op *op);
/* The number of an enumeration or integer attribute (0 when it is absent); -1 after a diagnostic
 * when it is not below `limit`. */
int64_t attr_choice(Emitter *e, const Op *op, const char *name, int64_t limit);
/* The line of a statement becomes the current one; false for statements that a pass made. */
bool set_line(Emitter *e, const Op *op);
/* Starts a statement: line number, source line as a comment. */
void start_statement(Emitter *e, const Op *op);

/* locals.c */
void locals_reset(Emitter *e);
void locals_scan(Emitter *e, const Region *r); /* finds the blocks that are jumped to */
/* The entry of a value or block, without a name when it is new. */
Local *local_entry(Emitter *e, const void *key);
Local *local_of(Emitter *e, const Value *v);     /* makes the name when it is new */
const char *val(Emitter *e, const Value *v);     /* the C name of a value that is read */
const char *name_of(Emitter *e, const Value *v); /* the C name of one that is written */
/* A name that no value has. */
const char *fresh(Emitter *e, const char *stem);
/* Declares a variable for `v`, unless its region did. */
void declare(Emitter *e, const Value *v);
/* `T v = EXPR;` */
void define(Emitter *e, const Value *v, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* After the definition of a value that may have no reader. */
void defined(Emitter *e, const Value *v);
/* names[i] = srcs[i] for all at once. */
void assign_all(Emitter *e, const char *const *names, const Value *types, const Operand *srcs,
                unsigned n);
/* The body of the function, completed. */
void put_body(Emitter *e, StrBuf *out, const StrBuf *body);
const char **value_names(Emitter *e, const Value *values, unsigned n);

/* funcs.c */
void name_functions(Emitter *e);
void emit_function(Emitter *e, Func *f);
const Func *func_of(const Emitter *e, const LowerFunc *low);
void put_signature(Emitter *e, StrBuf *out, const Func *f, bool with_names);
/* The C type of a parameter, so that a name may follow; "int " after a diagnostic. */
const char *param_text(Emitter *e, const Type *type, Span at);
void emit_call(Emitter *e, const Op *op);
void emit_return(Emitter *e, const Op *op);

/* launch.c */
void emit_launcher(Emitter *e, const Func *f);
void emit_prototypes(Emitter *e, StrBuf *out, const Func *f);

/* kernels.c: tile instructions */
void emit_kernel(Emitter *e, const Op *op);
/* Binds tile results that a pass left as values. */
void bind_results(Emitter *e, const Op *op);

/* checks.c: what the rules leave to run time */
void emit_checks(Emitter *e, const Op *op); /* its results are bound */
/* Those that tiles of equal shape and valid region pass in any case (`equal`), or the others. */
void emit_checks_of(Emitter *e, const Op *op, bool equal);
/* The same of a statement whose results are not known yet: what is about them is its own to check.
 */
void emit_operand_checks(Emitter *e, const Op *op);

#endif
