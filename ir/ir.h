/* The in-memory program: module, function, region, block, operation, value. Everything of one
 * module lives in the arena of its Context. Lists keep the order of the text. */
#ifndef IR_IR_H
#define IR_IR_H

#include "ir/inst.h"
#include "support/diag.h"

typedef struct Op Op;
typedef struct Block Block;
typedef struct Region Region;
typedef struct Value Value;

/* `loc(..)` of an argument of a function or block, by the place of its name. */
typedef struct ArgLocation {
    uint32_t name_off;
    Span text;
} ArgLocation;

/* Functions that were checked one by one while the text was read, and of which the body was
 * forgotten (api/parts.c). */
typedef struct Forgotten {
    uint32_t n;
    bool placed; /* some of their tiles got an address from the planner */
    bool calls;  /* some of them call functions that have a body */
    bool missed; /* something of them is needed after all: the text must be checked as a whole */
} Forgotten;

/* One input text and everything that lives as long as it. */
typedef struct Context {
    Arena arena;
    Arena keep; /* what functions share: names, types, tables; never rewound */
    Arena step; /* data about one function while it is verified; then rewound */
    jmp_buf oom;
    const Source *source;
    Interner names;
    TypeTable *types;
    DiagList diags;
    const Inst *const *inst_by_atom; /* for the atoms below ninst_atoms: their row, or NULL */
    uint32_t ninst_atoms;
    const Type **type_by_atom; /* types already read, by the atom of their text; grows */
    uint32_t ntype_by_atom;
    bool has_structs;              /* some type of the text is a struct */
    uint16_t verifier_runs;        /* runs so far, for Value.tag */
    const struct Format **formats; /* compiled Inst.format by InstId, filled on demand */
    struct AliasDef *aliases;      /* defined so far, in order; also Module.aliases */
    struct AliasDef **last_alias;
    struct AliasDef **alias_by_atom; /* by name; types and attributes share a chain */
    uint32_t nalias_by_atom;
    ArgLocation *locations; /* in the order of the text */
    uint32_t nlocations, cap_locations;
    Span *allows; /* comments that hold `ptoasm: allow`, in the order of the text */
    uint32_t nallows, cap_allows;
    Forgotten forgotten;
    struct RuleSets *rule_sets; /* of the verifier, while functions are checked one by one */
} Context;

/* Prepares a context over a source; the caller has set ctx->oom with setjmp. */
void context_init(Context *ctx, const Source *src, uint32_t max_errors);
void context_free(Context *ctx);
/* Where to go when memory runs out, for what allocates from now on; returns the former place. */
jmp_buf *context_guard(Context *ctx, jmp_buf *oom);

/* The form a statement is written in, and printed in by `--form=keep`. */
typedef enum OpForm { OPF_DPS, OPF_SSA, OPF_AS, OPF_GENERIC } OpForm;

struct Value {
    const Type *type;  /* never NULL after binding (an error value has type `none`) */
    Atom name;         /* without %; several results of `%r:2` share it */
    uint32_t name_off; /* position of the defining name */
    Op *def;           /* defining operation, or NULL for a block argument */
    Block *block;      /* the block of an argument, else NULL */
    uint16_t index;    /* result or argument number */
    uint16_t pack;     /* k of `%r#k`: number inside its result group */
    uint16_t npack;    /* size of that group; 1 for an ordinary name */
    uint16_t tag;      /* verifier: equals the current run id while the value is in scope */
};

typedef struct Operand {
    Value *value;
    Span span; /* where it is used */
} Operand;

/* A comment or a run of blank lines, kept with the statement that it is beside. */
typedef struct Trivia {
    struct Trivia *next;
    Span text;    /* the comment with its marker, without the line end; blank lines: empty */
    uint8_t kind; /* TriviaKind */
} Trivia;
/* TRAILING is on the statement's line: after it, or, for a statement with regions, after
 * its first opening brace (in Region.tail: after the closing brace; in Block.trivia: after the
 * label). OPENING, in Region.tail, comes after the opening brace of another region. */
typedef enum TriviaKind {
    TRIVIA_COMMENT,
    TRIVIA_BLANK,
    TRIVIA_TRAILING,
    TRIVIA_OPENING,
    TRIVIA_LOCATION /* `loc(..)` after the statement or its last brace */
} TriviaKind;

struct Op {
    const Inst *inst; /* never NULL */
    Op *next, *prev;
    Block *block;   /* the block it is in */
    Span span;      /* the statement, regions not included */
    Span name_span; /* the mnemonic */
    uint8_t form;   /* OpForm */
    uint8_t nresults;
    uint8_t nregions;
    uint8_t nsuccs;
    uint16_t noperands;
    uint16_t nattrs;
    Operand *operands; /* slot after slot */
    uint16_t
        *segs; /* operands per slot; NULL: every slot but the WRITE ones of an SSA form has one */
    Value *results; /* an array; WRITE slots first when the form is SSA or AS, then Inst.results */
    NamedAttr *attrs; /* as written, order kept */
    Region *regions;  /* an array */
    struct Successor *succs;
    Trivia *trivia;
    void *extra; /* FORM_CUSTOM rows keep their own data here (func: FuncData ...); passes/show.h
                    too */
};

typedef struct Successor {
    Block *block;
    Operand *args;
    uint32_t nargs;
    Span span;
} Successor;

struct Block {
    Block *next;
    Region *region;
    Op *first, *last;
    Value *args;
    uint32_t nargs;
    Atom label;     /* without ^, 0 = the unlabelled entry block */
    Span span;      /* of the label */
    Trivia *trivia; /* before the label */
};

struct Region {
    Block *first, *last;
    Op *owner;
    Span open, close; /* the braces; empty when implicit */
    Trivia *tail;     /* comments before the closing brace */
};

/* extra of a func.func */
typedef struct FuncData {
    Atom name;
    Span name_span;
    const Type *type;              /* TY_FUNCTION; parameters are the entry block's arguments */
    Atom visibility;               /* public, private, nested as written; 0 = not written */
    const NamedAttr **param_attrs; /* per parameter, NULL-able; counts in nparam_attrs */
    uint32_t *nparam_attrs;
    const NamedAttr **result_attrs;
    uint32_t *nresult_attrs;
    Trivia **arg_trivia;     /* of an implicit function: comments of its .arg lines */
    const Atom *param_names; /* of a declaration without body; 0 = unnamed */
    bool has_body;
    bool forgotten; /* checked already; it has no regions any more */
    /* Of a forgotten one: it leaves synchronisation to somebody else; the planner placed tiles. */
    bool unsynced, placed;
    bool implicit; /* PTO-AS statements outside any function: printed as .arg lines */
} FuncData;

/* extra of a module */
typedef struct ModuleData {
    Atom name;     /* 0 = none */
    bool implicit; /* no `module` in the text */
} ModuleData;

/* An alias definition, kept for printing. */
typedef struct AliasDef {
    struct AliasDef *next;
    struct AliasDef *same_name;
    Atom name;
    bool is_type;
    const Type *type;
    const Attr *attr;
    Trivia *trivia;
    Span span;
} AliasDef;

/* The alias with this name (without its marker); NULL when there is none. */
AliasDef *alias_find(const Context *ctx, Atom name, bool is_type);
void alias_add(Context *ctx, AliasDef *def);

/* What the text contains, noted while it is bound; the level of a program follows from it. */
typedef struct ModuleSigns {
    bool address; /* a tile is placed: `addr` of alloc_tile, or tassign */
    bool assign;  /* tassign without a result */
    bool ssa;     /* a tile instruction with a result */
} ModuleSigns;
/* Adds the signs of one operation. */
void op_note_signs(ModuleSigns *s, const Op *op);

typedef struct Module {
    Context *ctx;
    ModuleSigns signs;
    Op *root;           /* the top module operation */
    AliasDef *aliases;  /* in order */
    Trivia *tail;       /* comments after the last statement */
    bool bound_ok;      /* no error while parsing and binding */
    uint32_t unread;    /* places where no production of the grammar fits */
    bool lost_function; /* one could not be read; its symbol is unknown */
} Module;

/* ---- looking at an operation ---- */

/* Number of operands of a slot, and its first operand (NULL when it has none). A WRITE slot of an
 * SSA form has no operands. */
unsigned slot_count(const Op *op, int slot);
Operand *slot_operands(const Op *op, int slot);
/* The value of slot: its operand, or, in the SSA and PTO-AS forms of a WRITE slot, the result.
 * NULL when an optional slot is empty. */
Value *slot_value(const Op *op, int slot);
static inline const Type *slot_type(const Op *op, int slot) {
    Value *v = slot_value(op, slot);
    return v != NULL ? v->type : NULL;
}
/* Where to point when a slot is at fault: its operand, else the result name or the mnemonic. */
Span slot_span(const Op *op, int slot);
/* Number of results in the place of WRITE slots (0 in the DPS form). */
unsigned op_tile_results(const Op *op);
/* The same without those of a view, which are another name for the storage of its operand. */
unsigned op_new_tiles(const Op *op);
/* The result that Inst.results[i] describes. */
Value *op_result(const Op *op, int i);
/* Attribute by row index / by text; NULL when absent. */
const NamedAttr *op_attr(const Context *ctx, const Op *op, int attr);
const NamedAttr *op_attr_named(const Context *ctx, const Op *op, const char *name);
/* Integer value of attribute `attr` of the row (enum: value index), its default when absent. */
int64_t op_attr_int(const Context *ctx, const Op *op, int attr);
/* The function an operation is in; NULL outside of one. */
Op *op_function(const Op *op);
static inline bool op_is(const Op *op, InstId id) {
    return op->inst == &inst_table[id];
}
static inline Op *region_owner(const Block *b) {
    return b->region->owner;
}
static inline FuncData *func_data(const Op *op) {
    return (FuncData *)op->extra;
}
/* An integer constant seen through index_cast, extsi, extui, trunci; false when it is none. */
bool value_constant(const Value *v, int64_t *out);
/* Symbol lookup: the func.func with this name in the module operation `module`; NULL when none. */
Op *module_find_function(const Op *module, Atom name);
/* Pre-order walk over `op` and everything inside; stops when fn returns false. */
bool op_walk(Op *op, bool (*fn)(Op *op, void *arg), void *arg);

/* ---- building, for the binder and the passes ---- */
/* A value name that the text uses nowhere: `stem`, else `stem_0`, `stem_1` ... */
Atom fresh_name(Context *ctx, const char *stem);
/* One that is `stem` and a number, at least `from`; the number alone. */
Atom fresh_numbered(Context *ctx, const char *stem, uint32_t from);
uint32_t fresh_number(Context *ctx, const char *stem, uint32_t from);
Op *op_new(Context *ctx, const Inst *inst, Span span);
Region *region_init(Context *ctx, Op *owner, unsigned nregions);
Block *block_new(Context *ctx, Region *region);
void op_append(Block *b, Op *op);
void op_insert_before(Op *pos, Op *op);
void op_remove(Op *op);

/* ---- printing ---- */
typedef enum PrintForm { PRINT_KEEP, PRINT_DPS, PRINT_SSA, PRINT_AS, PRINT_GENERIC } PrintForm;
/* The whole module. PRINT_DPS and PRINT_SSA convert nothing: they only choose the spelling where a
 * statement has results (see passes/ for conversion). */
void module_print(StrBuf *out, const Module *m, PrintForm form);
/* One operation without trivia and regions, for diagnostics and emitted comments. */
void op_print(StrBuf *out, const Context *ctx, const Op *op, PrintForm form);

#endif
