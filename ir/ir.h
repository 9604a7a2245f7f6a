/* SPDX-License-Identifier: Apache-2.0 */
/* The program in memory: module, function, region, block, operation, value. All data of a module
 * is in the arena of its Context. Lists have the order of the text. */
#ifndef IR_IR_H
#define IR_IR_H

#include "ir/insts.h"
#include "support/diag.h"

typedef struct Op Op;
typedef struct Block Block;
typedef struct Region Region;
typedef struct Value Value;

/* `loc(..)` of an argument, identified by the position of its name. */
typedef struct ArgLocation {
    uint32_t name_off;
    Span text;
} ArgLocation;

/* Functions that were checked while the text was read, and whose bodies were forgotten
 * (api/by_function.c). */
typedef struct Forgotten {
    uint32_t n;
    bool placed; /* the planner placed some of their tiles */
    bool calls;  /* some of them call functions that have a body */
    bool missed; /* one of them is needed after all: the text must be checked as a whole */
} Forgotten;

/* An input text, and everything with the same lifetime. */
typedef struct Context {
    Arena arena;
    Arena keep; /* for data of several functions: names, types, tables; never rewound */
    Arena step; /* for data about one function while it is verified */
    jmp_buf oom;
    const Source *source;
    Interner names;
    TypeTable *types;
    DiagList diags;
    const Inst *const *inst_by_atom; /* row of each atom below ninst_atoms, or NULL */
    uint32_t ninst_atoms;
    const Type **type_by_atom; /* types that were read, by the atom of their text */
    uint32_t ntype_by_atom;
    bool has_structs;         /* some type in the text is a struct */
    bool has_literals;        /* some operand is a literal */
    uint16_t verifier_runs;   /* number of runs, for Value.tag */
    struct HeldValue *held;   /* latest first */
    uint32_t lowered_modules; /* calls of lower_module and lower_function, for tests */
    uint32_t lowered_functions;
    const struct Format **formats; /* compiled Inst.format by InstId, filled on demand */
    struct AliasDef *aliases;      /* in order of definition; also Module.aliases */
    struct AliasDef **last_alias;
    struct AliasDef **alias_by_atom; /* by name; types and attributes share a chain */
    uint32_t nalias_by_atom;
    ArgLocation *locations; /* in the order of the text */
    uint32_t nlocations, cap_locations;
    const Locations *statement_locations; /* made on demand (lexer/locations.h) */
    Span *allows; /* comments that hold `ptoasm: allow`, in the order of the text */
    uint32_t nallows, cap_allows;
    Forgotten forgotten;
    struct RuleSets *rule_sets; /* of the verifier, while functions are checked separately */
} Context;

/* Prepares a context over a source; the caller has set ctx->oom with setjmp. */
void context_init(Context *ctx, const Source *src, uint32_t max_errors);
void context_free(Context *ctx);
/* A value of the text that shares the tile of another: passes_to_dps() put it there, or a loop
 * carries it. */
typedef struct HeldValue {
    struct HeldValue *next;
    const Value *tile;
    Atom name;
    uint32_t off; /* of the name in the text */
} HeldValue;

/* Sets the handler for running out of memory; returns the previous one. */
jmp_buf *context_guard(Context *ctx, jmp_buf *oom);

/* The form of a statement, which `--form=keep` prints. LITERAL: a constant that the text has in
 * place of an operand. */
typedef enum OpForm { OPF_DPS, OPF_SSA, OPF_AS, OPF_GENERIC, OPF_LITERAL } OpForm;

struct Value {
    const Type *type;  /* never NULL after binding (an error value has type `none`) */
    Atom name;         /* without %; the results of `%r:2` share it */
    uint32_t name_off; /* position of the name at the definition */
    Op *def;           /* defining operation, or NULL for an argument of a block */
    uint16_t index;    /* result or argument number */
    uint8_t pack;      /* k of `%r#k`: number within its result group */
    bool argument : 1; /* of a block: see value_block() */
    bool written : 1;  /* lints: a statement before may have written the tile */
    uint16_t npack;    /* size of that group; 1 for an ordinary name */
    uint16_t tag;      /* verifier: equals the current run id while the value is in scope */
};

typedef struct Operand {
    Value *value;
    Span span; /* of the use */
} Operand;

/* A comment or a run of blank lines, attached to a statement. */
typedef struct Trivia {
    struct Trivia *next;
    Span text;    /* comment with its marker, without the line end; empty for blank lines */
    uint8_t kind; /* TriviaKind */
} Trivia;
/* TRAILING and LOCATION are on the line of what precedes them: of the statement with its regions;
 * in Region.head of the opening brace, in Region.tail of the closing brace before another region,
 * in Block.trivia of the label. */
typedef enum TriviaKind {
    TRIVIA_COMMENT,
    TRIVIA_BLANK,
    TRIVIA_TRAILING,
    TRIVIA_LOCATION /* `loc(..)` */
} TriviaKind;

struct Op {
    const Inst *inst; /* never NULL */
    Op *next, *prev;
    Block *block;   /* the block it is in */
    Span span;      /* the statement without its regions */
    Span name_span; /* the mnemonic */
    uint8_t form;   /* OpForm */
    uint8_t nresults;
    uint8_t nregions;
    uint8_t nsuccs;
    uint16_t noperands;
    uint16_t nattrs;
    Operand *operands; /* by slot */
    uint16_t *segs;    /* operands per slot; NULL: one, but none in WRITE slots of an SSA form */
    Value *results;    /* an array; in the SSA and AS forms WRITE slots first, then Inst.results */
    NamedAttr *attrs;  /* as written, in order */
    struct OpMore *more; /* what few operations have; NULL: none of it */
};

typedef struct OpMore {
    Region *regions; /* an array */
    struct Successor *succs;
    Trivia *trivia;
    void *extra; /* data of FORM_CUSTOM rows (func: FuncData ...) and of passes/show.h */
} OpMore;

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
    Atom label;     /* without ^; 0 = entry block without label */
    Span span;      /* of the label */
    Trivia *trivia; /* before the label */
};

struct Region {
    Block *first, *last;
    Op *owner;
    Span open, close; /* the braces; empty when implicit */
    Trivia *head; /* comments before the opening brace of another than the first, and after it */
    Trivia *tail; /* comments before the closing brace and after it */
};

/* Op.extra of func.func. */
typedef struct FuncData {
    Atom name;
    Span name_span;
    const Type *type;              /* TY_FUNCTION; parameters are the entry block's arguments */
    Atom visibility;               /* public, private, nested as written; 0 = absent */
    const NamedAttr **param_attrs; /* per parameter, may be NULL; sizes in nparam_attrs */
    uint32_t *nparam_attrs;
    const NamedAttr **result_attrs;
    uint32_t *nresult_attrs;
    Trivia **arg_trivia;     /* comments of the .arg lines of an implicit function */
    const Atom *param_names; /* of a declaration; 0 = unnamed */
    bool has_body;
    bool forgotten; /* it was checked and its regions were freed */
    /* Of a forgotten function: it relies on inserted synchronisation; the planner placed tiles; it
     * has flags or buffers. */
    bool unsynced, placed, orders;
    /* Of one that was verified: it has micro-instructions; something in it tells its core. */
    bool micro, tells_core;
    bool ends_in_order; /* flags were inserted: on the device a barrier of all pipes ends it */
    bool implicit; /* made of PTO-AS statements outside of functions; parameters are printed as .arg
                      lines */
} FuncData;

/* Op.extra of a module. */
typedef struct ModuleData {
    Atom name;     /* 0 = none */
    bool implicit; /* the text has no `module` */
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

/* Returns the alias with this name (without marker); NULL when there is none. */
AliasDef *alias_find(const Context *ctx, Atom name, bool is_type);
void alias_add(Context *ctx, AliasDef *def);
/* The alias of which the name is nearest to a text that is none; NULL when none is near. */
const AliasDef *alias_near(const Context *ctx, const char *s, size_t n, bool is_type);

/* Properties of the text, noted while it is bound, that determine the level of the program. */
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
    uint32_t unread;    /* number of syntax errors */
    bool lost_function; /* a function could not be read, so its symbol is unknown */
} Module;

/* Gives the tile types that aliases name another spelling. */
void alias_respell(Module *m, TileSpelling spelling);

/* ---- queries ---- */

/* Return the number of operands of a slot, and the first one (NULL: none). A WRITE slot of an SSA
 * form has none. */
unsigned slot_count(const Op *op, int slot);
Operand *slot_operands(const Op *op, int slot);
/* Returns the value of a slot: its operand or, for a WRITE slot in the SSA and PTO-AS forms, the
 * result. NULL when an optional slot is empty. */
Value *slot_value(const Op *op, int slot);
/* The same for the slot of this name; NULL when the instruction has none, too. */
Value *named_value(const Op *op, OperandName name);
static inline const Type *slot_type(const Op *op, int slot) {
    Value *v = slot_value(op, slot);
    return v != NULL ? v->type : NULL;
}
/* Returns the name of the slot of operand `i`; NULL when it has none. */
const char *op_operand_name(const Op *op, unsigned i);
/* Returns the position for messages about a slot: its operand, else the result name or the
 * mnemonic. */
Span slot_span(const Op *op, int slot);
/* Returns the number of results for WRITE slots (0 in the DPS form). */
unsigned op_tile_results(const Op *op);
/* The same without results of views, which share the storage of their operand. */
unsigned op_new_tiles(const Op *op);
/* Returns the result that Inst.results[i] describes. */
Value *op_result(const Op *op, int i);
/* Find an attribute by its index in the row, or by name; NULL when absent. */
const NamedAttr *op_attr(const Op *op, int attr);
const NamedAttr *op_attr_named(const Op *op, AttrName name);
/* Returns an attribute without a place in the text. */
NamedAttr attr_made(Context *ctx, AttrName name, const Attr *value);
/* Returns the integer value of an attribute (enum: value index), or its default. */
int64_t op_attr_int(const Op *op, int attr);
/* Returns the function around an operation; NULL: none. */
Op *op_function(const Op *op);
static inline bool op_is(const Op *op, InstId id) {
    return op->inst == &inst_table[id];
}
static inline Region *op_regions(const Op *op) {
    return op->more != NULL ? op->more->regions : NULL;
}
static inline Successor *op_succs(const Op *op) {
    return op->more != NULL ? op->more->succs : NULL;
}
static inline Trivia *op_trivia(const Op *op) {
    return op->more != NULL ? op->more->trivia : NULL;
}
static inline void *op_extra(const Op *op) {
    return op->more != NULL ? op->more->extra : NULL;
}
/* The same to be changed; made if there is none yet. */
OpMore *op_more(Arena *arena, Op *op);
/* The block that a value is an argument of, or NULL. */
static inline Block *value_block(const Value *v) {
    return v->argument ? ((Block *const *)(const void *)(v - v->index))[-1] : NULL;
}
/* The block that defines a value, as a result or an argument. */
static inline Block *value_home(const Value *v) {
    return v->def != NULL ? v->def->block : value_block(v);
}
static inline Op *region_owner(const Block *b) {
    return b->region->owner;
}

/* True for a block in a region of a statement, or in one inside it. */
bool block_is_inside(const Block *b, const Op *op);

/* ---- statements with regions, by the column `regions` ---- */
/* True when the regions run as the column says. */
static inline bool op_runs(const Op *op, RegionRuns how) {
    return op->inst->regions != NULL && op->inst->regions->runs == how;
}
/* True for a loop that counts: it has a variable, bounds and a step. */
static inline bool op_counts(const Op *op) {
    return op_runs(op, RUNS_COUNTED);
}
/* True for a loop: its regions may run several times. */
static inline bool op_loops(const Op *op) {
    const RegionsInfo *r = op->inst->regions;
    return r != NULL && (r->runs >= RUNS_COUNTED || (r->runs == RUNS_TIMES && r->times > 1));
}
/* True when one of the regions runs, or none. */
static inline bool op_chooses(const Op *op) {
    return op_runs(op, RUNS_IF) || op_runs(op, RUNS_CASES);
}
/* True for a section: cores of the other kind skip its region. */
static inline bool op_is_section(const Op *op) {
    return op->inst->regions != NULL && op->inst->core != CORE_ANY && !inst_is_micro(op->inst);
}
/* The number of arguments of the first region that the statement itself gives: what it counts. */
static inline unsigned op_own_args(const Op *op) {
    return op_counts(op);
}
/* What ends a region; NULL: of a module. */
static inline const RegionEnd *region_end(const Region *r) {
    const RegionsInfo *info = r->owner->inst->regions;
    return info != NULL ? &info->ends[r != op_regions(r->owner)] : NULL;
}
/* What a terminator ends: the column of the region that it is in; NULL when that has another. */
static inline const RegionEnd *op_end_of(const Op *op) {
    const RegionEnd *end = op->block != NULL ? region_end(op->block->region) : NULL;
    return end != NULL && op_is(op, (InstId)end->by) ? end : NULL;
}
static inline FuncData *func_data(const Op *op) {
    return (FuncData *)op_extra(op);
}
/* Returns the type of a tile value: its own or, if that is a
 * template (`!pto.tile<...>`), that of the first tile operand of the defining instruction. NULL
 * when that is a template too. */
const Type *tile_value_type(const Value *v);
/* True for a function that an attribute marks as an entry: a host starts it. */
bool op_is_entry(const Op *func);
/* Walks over `op` and everything inside in pre-order; stops when fn returns false. */
bool op_walk(Op *op, bool (*fn)(Op *op, void *arg), void *arg);

/* ---- construction, for the binder and the passes ---- */
/* Returns a value name that the text does not use: `stem`, else `stem_0`, `stem_1` ... */
Atom fresh_name(Context *ctx, const char *stem);
/* The same with a number of at least `from` after `stem`; or only the number. */
Atom fresh_numbered(Context *ctx, const char *stem, uint32_t from);
uint32_t fresh_number(Context *ctx, const char *stem, uint32_t from);
/* Returns `name_suffix` as the stem of a fresh name; v7_suffix for the name 7, as 7_suffix is not
 * legal. */
const char *name_stem(Context *ctx, Atom name, const char *suffix);
Op *op_new(Context *ctx, const Inst *inst, Span span);
Region *region_init(Context *ctx, Op *owner, unsigned nregions);
Block *block_new(Context *ctx, Region *region);
/* Returns room for `n` arguments of a block, zeroed; the block is stored in front of them. */
Value *block_args_new(Arena *arena, Block *block, size_t n);
void op_append(Block *b, Op *op);
void op_insert_before(Op *pos, Op *op);
void op_insert_after(Op *pos, Op *op);
void op_remove(Op *op);

/* ---- printing ---- */
typedef enum PrintForm { PRINT_KEEP, PRINT_DPS, PRINT_SSA, PRINT_AS, PRINT_GENERIC } PrintForm;
/* Prints the module. PRINT_DPS and PRINT_SSA do not convert: they only choose the spelling where a
 * statement has results (see passes/ for conversion). */
void module_print(StrBuf *out, const Module *m, PrintForm form);
/* Prints an operation without trivia and regions, for diagnostics and emitted comments. */
void op_print(StrBuf *out, const Context *ctx, const Op *op, PrintForm form);

#endif
