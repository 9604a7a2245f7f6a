/* Inside the C backend: the state of an emission, and the functions its files share. */
#ifndef BACKENDS_C_EMITTER_H
#define BACKENDS_C_EMITTER_H

#include "backends/c/emit.h"
#include "backends/c/names.h"
#include "backends/lower/lower.h"
#include "support/ptrmap.h"
#include "verifier/verify.h"

struct Judge;

/* The C name of a value, a jump target, an end of a pipe, a prepared call or a stem of names. */
typedef struct Local {
    uint32_t count; /* for a stem of names: the last number given */
    const char *name;
    bool used;    /* the emitted C reads it or jumps to it */
    bool hoisted; /* declared at the start of its region */
} Local;

/* A definition of a value. If the function never reads the value, put_body() adds a line after it
 * that avoids a warning. */
typedef struct Definition {
    struct Definition *next;
    const Value *value;
    size_t at; /* offset in the body, after the definition */
    unsigned indent;
} Definition;

/* A function of the module and its C names. */
typedef struct Func {
    const LowerFunc *low;
    const Op *op;
    FuncData *data;
    const char *body;     /* the static function, or the extern one of a function without a body */
    const Launch *launch; /* the launch named after it; NULL: none */
    const char *name;     /* public name of the launch for one block */
    const char *grid;
} Func;

/* The destination of the values of an scf.yield. */
typedef struct Sink {
    const char **names;
    const Value *values; /* values of the same types, as many as the yield has */
    const char *label;   /* where to go afterwards; NULL: fall through */
} Sink;

/* A change by pto.tassign, or another statement that rebinds a tile, to be undone at the end of the
 * region. */
typedef struct Restore {
    struct Restore *next;
    const char *tile, *saved;
    bool whole; /* restores the handle except its valid region, not only the address */
    uint32_t line;
} Restore;

typedef struct Emitter {
    const Module *m;
    const Context *ctx;
    const EmitOptions *opt;
    const char *file;
    Arena *arena;
    DiagList *diags;
    NameSet reported; /* offsets of reported diagnostics, to report each once */
    bool ok;
    const Lower *low;
    Func *funcs; /* one for each of low->funcs */
    unsigned nfuncs;
    NameSet globals;
    StrBuf types;              /* definitions of static tile types and pipe descriptions */
    Interner type_texts;       /* initialisers of the tile types; the atom is the number plus one */
    Interner pipe_texts;       /* the same for pipe descriptions */
    StrBuf text;               /* bodies of functions */
    StrBuf head;               /* argument structs, entries and launchers */
    int64_t ring[SPACE_COUNT]; /* per space, the end of the slots of pipes in it */
    int64_t storage;           /* bytes of arrays and records declared so far */
    bool copies_tiles;         /* the function for tile results is needed */
    uint32_t pointed;          /* spaces accessed through pointers, one bit per Space */
    /* The current function. */
    Func *fn;
    StrBuf *out; /* receives its statements */
    StrBuf top;  /* declarations before them */
    NameSet names;
    PtrMap locals; /* Local of each value, block, end of a pipe, prepared call and stem */
    bool uses_err, uses_core;
    unsigned indent;
    unsigned nesting;
    uint32_t line;      /* line of the current statement */
    uint32_t line_off;  /* an offset on that line */
    uint32_t shown_off; /* offset of the last source line shown, plus one */
    Sink sink;          /* of the innermost region that yields */
    Sink leave;         /* destination of the values of scf.condition */
    Restore *restores;
    struct Judge *judge; /* for the rules checked at run time; NULL until needed */
    VerifyOptions rules;
    Definition *definitions, **last_definition; /* in the order of the text */
} Emitter;

typedef void (*EmitFn)(Emitter *e, const Op *op);

/* dispatch.c: the emitters of all instructions that are not kernel calls. */
extern const EmitFn emit_table[INST_COUNT];
void emit_op(Emitter *e, const Op *op);
/* Emits the operations of a region. If it has several blocks, declares their values first. */
void emit_region(Emitter *e, const Region *r);

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

/* writer.c */
void ln(Emitter *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Writes `if ((err = CALL) != 0) return err;` on two lines. */
void try_call(Emitter *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void open_brace(Emitter *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void open_block(Emitter *e); /* a brace alone */
void close_brace(Emitter *e);
char *strf(Emitter *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Reports that the code at `at` has no lowering. */
void cannot(Emitter *e, Span at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void no_kernel(Emitter *e, const Op *op);
/* Returns the number of an enumeration or integer attribute, or 0 when it is absent. Returns -1
 * after a diagnostic when it is not below `limit`. */
int64_t attr_choice(Emitter *e, const Op *op, const char *name, int64_t limit);
/* Makes the line of a statement the current one. Returns false for statements that a pass made. */
bool set_line(Emitter *e, const Op *op);
/* Starts a statement: sets the line and emits the source line as a comment. */
void start_statement(Emitter *e, const Op *op);

/* locals.c */
void locals_reset(Emitter *e);
void locals_scan(Emitter *e, const Region *r); /* marks the blocks that are jumped to */
/* Returns the entry of a value or block; a new one has no name. */
Local *local_entry(Emitter *e, const void *key);
Local *local_of(Emitter *e, const Value *v);     /* as local_entry, with a name */
const char *val(Emitter *e, const Value *v);     /* the C name of a value, which is read */
const char *name_of(Emitter *e, const Value *v); /* the C name of a value, which is written */
/* Returns a name that no value has. */
const char *fresh(Emitter *e, const char *stem);
/* Declares a variable for `v`, unless hoist_region() did. */
void declare(Emitter *e, const Value *v);
/* Emits `T v = EXPR;`, or an assignment if `v` is declared already. */
void define(Emitter *e, const Value *v, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Records that `v` has been defined here, in case nothing reads it. */
void defined(Emitter *e, const Value *v);
/* Assigns names[i] = srcs[i] as if all at once. */
void assign_all(Emitter *e, const char *const *names, const Value *types, const Operand *srcs,
                unsigned n);
/* Writes the body of the function, with a line after each definition that nothing reads. */
void put_body(Emitter *e, StrBuf *out, const StrBuf *body);
const char **value_names(Emitter *e, const Value *values, unsigned n);

/* funcs.c */
void name_functions(Emitter *e);
void emit_function(Emitter *e, Func *f);
const Func *func_of(const Emitter *e, const LowerFunc *low);
void put_signature(Emitter *e, StrBuf *out, const Func *f, bool with_names);
/* Returns the C type of a parameter, so that a name may follow; "int " after a diagnostic. */
const char *param_text(Emitter *e, const Type *type, Span at);
void emit_call(Emitter *e, const Op *op);
void emit_return(Emitter *e, const Op *op);

/* launch.c */
void emit_launcher(Emitter *e, const Func *f);
void emit_prototypes(Emitter *e, StrBuf *out, const Func *f);

/* kernels.c: tile instructions */
void emit_kernel(Emitter *e, const Op *op);
/* Binds the tile results that no pass has replaced by destinations. */
void bind_results(Emitter *e, const Op *op);

/* checks.c: rules checked at run time */
void emit_checks(Emitter *e, const Op *op); /* emits all checks; the results must be bound */
/* Emits only the checks that tiles with equal shape and valid region always pass (`equal`), or only
 * the others. */
void emit_checks_of(Emitter *e, const Op *op, bool equal);
/* As emit_checks for statements whose results are not bound yet: leaves out the checks about
 * them. */
void emit_operand_checks(Emitter *e, const Op *op);

#endif
