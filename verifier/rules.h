/* The rule table: rows of data that say when a statement is legal (docs/rules.md has the
 * vocabulary), and the evaluator's view of them. The rows are in rules/ and name operands as the
 * instruction table does; they are resolved once per run and instruction. */
#ifndef VERIFIER_RULES_H
#define VERIFIER_RULES_H

#include "ir/alias.h"
#include "support/ptrmap.h"
#include "verifier/rules/row.h"
#include "verifier/verify.h"

typedef struct Case Case;
typedef struct Rule Rule;
typedef struct Condition Condition;

/* Whether a rule holds for a statement. UNKNOWN: only run time can decide. */
typedef enum Answer { FAILS, HOLDS, UNKNOWN } Answer;

/* Numbers of a row: many rows have the same. */
typedef struct RowArgs {
    uint64_t set;
    int32_t lo, hi;   /* hi: NO_LIMIT for none */
    int32_t multiple; /* of a range; of a relation the factor of b's dimension */
    int16_t div, add; /* of a relation: a rel ceil(multiple * b / div) + add */
} RowArgs;

/* A row as verifier/rules/pack.c packs it: texts, pairs and numbers are in tables that all rows
 * share, so that a row takes 16 bytes and holds no pointer. rules/written.h says what each part
 * means. */
typedef struct RuleRow {
    uint8_t cond;         /* CondId */
    uint8_t when;         /* RuleWhen */
    ProfileSet where;     /* whose rules it belongs to */
    uint8_t dims;         /* VALID_*, Dim, or kind of attribute, as the condition says */
    uint8_t rel : 2;      /* Relation */
    uint8_t dim_b : 2;    /* Dim of b */
    bool types_only : 1;  /* of a CHECK: the function looks at types only */
    bool late : 1;        /* reported only when the program has no other error */
    uint8_t id;           /* DiagId */
    uint16_t a, b, guard; /* places in row_texts; 0: none */
    uint16_t more; /* of a CHECK the number of its function, of a condition about pairs their place
                      in row_pairs, else the place of a hint in row_texts; 0: none */
    uint16_t args; /* index in row_args_table */
} RuleRow;

/* The rows of an instruction. */
typedef struct RowList {
    uint16_t first, n;
    ProfileSet profiles; /* those for which it exists */
} RowList;

/* The tables that verifier/rules/pack.c writes. */
extern const RuleRow rule_row_table[];
extern const RowList row_lists[ROW_LISTS]; /* by InstId or SchemaRows */
extern const char row_texts[];
extern const uint8_t row_pairs[];
extern const RowArgs row_args_table[];

static inline const char *row_text(uint16_t at) {
    return at != 0 ? row_texts + at : NULL;
}
/* Slot, result or attribute names separated by blanks. */
static inline const char *row_a(const RuleRow *row) {
    return row_text(row->a);
}
/* A second slot, or NULL. */
static inline const char *row_b(const RuleRow *row) {
    return row_text(row->b);
}
/* Conditions for the row to count, or NULL. */
static inline const char *row_guard(const RuleRow *row) {
    return row_text(row->guard);
}
static inline const RowArgs *row_args(const RuleRow *row) {
    return &row_args_table[row->args];
}
/* The pairs of a condition about pairs, ended by 0, 0. */
static inline const uint8_t *row_list(const RuleRow *row) {
    return row_pairs + row->more;
}
/* The function of a CHECK. */
typedef Answer CheckFn(const Case *c, const Rule *r);
extern CheckFn *const check_fns[];
static inline CheckFn *row_fn(const RuleRow *row) {
    return row->cond == C_CHECK ? check_fns[row->more] : NULL;
}

enum { MAX_GUARDS = 3 };
/* The note of a row, or NULL. */
const char *row_hint(const RuleRow *row);
/* What a user can do about a broken row. */
const char *row_mend(const RuleRow *row);

typedef struct Guard {
    uint8_t kind; /* GuardKind */
    int8_t index; /* slot or attribute */
    uint64_t set; /* spaces, element types, layouts, emptiness, or values of the attribute */
} Guard;
typedef enum GuardKind {
    G_NONE,
    G_PRESENT,
    G_ABSENT,
    G_SPACE,
    G_ELEM,
    G_LAYOUT,
    G_EMPTY,
    G_NEVER, /* the row does not count in this run */
    G_ATTR,
    G_NO_ATTR,
    G_ATTR_IS
} GuardKind;
enum { GUARD_EMPTY = 1, GUARD_NOT_EMPTY = 2 }; /* the set of G_EMPTY */

/* A row resolved for one instruction, target and mode. */
struct Rule {
    Answer (*judge)(const Case *c, const Rule *r);
    const RuleRow *row;
    int8_t a, b; /* index of a slot or (after the slots) a result; an attribute; -1 */
    bool error;  /* an error in this mode, else a warning */
    bool each;   /* a is a list: the rule is about each of its operands */
    Guard guard[MAX_GUARDS];
};

enum { RULE_MAX_SLOTS = 16, MEMO_WAYS = 8, MEMO_TYPES = 8 };

/* Operand types that passed all rules about types. */
typedef const Type *Memo[MEMO_TYPES];

/* The rules of one instruction for one profile. */
typedef struct RuleSet {
    const Rule *rules;
    uint16_t n;
    uint16_t nvalue;
    uint16_t nown;            /* those of them in front of the rules about tile results */
    const uint16_t *by_value; /* indices of the nvalue rules that look at more than types */
    Memo memo[MEMO_WAYS];
    bool none; /* the instruction does not exist there: its only rule is broken always */
} RuleSet;

struct Judge;

/* Two operands that overlap or not depending on the caller of the function. */
typedef struct TileNeed {
    struct TileNeed *next;
    const Op *op; /* the statement that forbids it, of this function or of one that it calls */
    int a, b;     /* indices of the operands, as in Rule */
    AliasSet places[2]; /* as this function sees them */
} TileNeed;

/* One statement as the conditions see it. */
struct Case {
    struct Judge *judge;
    const Op *op;
    Profile profile; /* decides layouts: cpu takes the text's */
    uint8_t ntypes;
    const Type *types[RULE_MAX_SLOTS]; /* by slot, then results; NULL = absent */
    StrBuf *why;              /* gets what a check function found wrong; NULL: not wanted */
    Span *at;                 /* a check function may set a better position; NULL: not wanted */
    Arena *terms;             /* where terms are made (terms.h); NULL: not wanted */
    const struct Term **left; /* gets the part of a condition that only run time can decide */
    unsigned nth; /* which operand of the slot `list` is judged, where it is not the first */
    int list;
};

typedef struct OpList {
    struct OpList *next;
    const Op *op;
} OpList;

/* Rules resolved so far, and what they were resolved for. */
typedef struct RuleSets {
    Arena *arena;
    int level;
    bool compat, no_library, shown;
    RuleSet
        *sets[PROFILE_COUNT][PROFILE_COUNT][INST_COUNT]; /* by profile and whose rows judge it */
} RuleSets;

/* One run of the verifier. */
typedef struct Judge {
    Context *ctx;
    const VerifyOptions *opt;
    Op *root;
    Arena *arena; /* what is made once in a run */
    ProfileSet profiles;
    int level;
    bool manual;        /* some tile is bound to an address in the text */
    bool has_tassign;   /* some tassign without a result binds tiles */
    bool partial;       /* statements are missing: the text had errors */
    bool carries;       /* a loop of the function hands tiles to its next iteration */
    bool residual;      /* of a module that was verified: nothing is reported (residual.h) */
    RuleSets *rules;    /* NULL: none yet */
    OpVerdict *verdict; /* of the statement being judged; NULL: not wanted */
    /* The first statement of the function that is of another level, and how many follow. */
    Diag *level_diag;
    uint32_t level_more;
    OpList *late; /* statements that break a late row, newest first */
    bool judging_late;
    uint32_t offers; /* how often a correction was looked for (offers.h) */
    Alias *alias;    /* of the function `alias_of`; NULL: not made yet */
    const Op *alias_of;
    PtrMap needs;            /* const Op * of a function -> TileNeed * */
    const TileNeed *assumed; /* its operands overlap, whatever the analysis says */
    ArenaMark step_start;    /* of Context.step, in which it lies */
} Judge;

/* Rows of an instruction (or of what SchemaRows names), in the order in which they are tried: its
 * own, or those of another. */
static inline const RuleRow *rule_rows(unsigned id, unsigned *n) {
    *n = row_lists[id].n;
    return &rule_row_table[row_lists[id].first];
}
/* The profiles that its rows name. */
static inline ProfileSet inst_profiles(InstId id) {
    return row_lists[id].profiles;
}
/* The set that the words between commas of a guard mean, after the mark `@`, `#`, `~` or `=`;
 * `info` is the attribute of `=`. */
uint64_t guard_word_set(const AttrInfo *info, char mark, const char *s, size_t n);
/* The rules of an instruction in this run, by the rows for `of`, when the profile is `p`: of its
 * rows, and of its schema. */
RuleSet *resolve_rules(Judge *j, Arena *a, const Inst *inst, Profile p, Profile of);
/* The rules of profile `of` as they count under `p`, which it judges; resolved once. */
RuleSet *rule_set(Judge *j, const Inst *inst, Profile p, Profile of);
bool rule_about_attribute(const RuleRow *row);
void case_init(Case *c, Judge *j, const Op *op);
/* Whether the guard of a row holds. UNKNOWN: a valid region may be 0x0. */
Answer guard_answer(const Case *c, const Guard *g);
/* True when a statement breaks no rule that is an error, under all profiles asked for. */
bool case_is_legal(Case *c);
/* Judges one statement by its rows, for every profile asked for. */
void judge_op(Judge *j, const Op *op);
/* The first row that a statement breaks under a profile: of the errors, else of the warnings; NULL
 * when it breaks none. Nothing is reported. */
const RuleRow *first_broken_row(Judge *j, const Op *op, Profile p, bool *error);
/* At the end: reports what breaks late rows, when there is no other error. */
void judge_late(Judge *j);
/* At the end of a function: completes the diagnostic about its level with the number of statements.
 */
void end_level_report(Judge *j);

/* ---- for conditions and check functions ---- */

bool cond_is_by_type(const RuleRow *row);
/* Writes what was found and what was expected. */
void cond_explain(const Case *c, const Rule *r, StrBuf *out);
/* The name of the operand or result with a rule's index. */
const char *case_name(const Case *c, int index);
Value *case_value(const Case *c, int index);
Span case_span(const Case *c, int index);
/* The type, or NULL when absent, a template, or of an earlier error. */
static inline const Type *case_type(const Case *c, int index) {
    if (index < 0) return NULL;
    const Type *t = c->types[index];
    if (t == NULL || t->kind == TY_TILE_ANY || t->kind == TY_DTYPE || t->kind == TY_NONE)
        return NULL;
    return t;
}
/* The type of a tile, or of the type of the slots of a multi tile buffer. */
static inline const Type *case_tile(const Case *c, int index) {
    const Type *t = case_type(c, index);
    return t != NULL && (t->kind == TY_TILE || t->kind == TY_MULTI_TILE) ? t : NULL;
}
/* The canonical text of a type for %.*s, whatever alias it was written as. */
#define TYPE_TEXT(j, t)                                                                            \
    (int)atom_len(&(j)->ctx->names, (t)->text), atom_text(&(j)->ctx->names, (t)->text)
/* The same of the element type of a tile, view, pointer or scalar; `none` where there is none. */
#define ELEM_TEXT(j, t)                                                                            \
    element_type(t) != NULL ? (int)atom_len(&(j)->ctx->names, element_type(t)->text) : 4,          \
        element_type(t) != NULL ? atom_text(&(j)->ctx->names, element_type(t)->text) : "none"
/* The scalar type of an element: of a tile, view, pointer, or the scalar itself. */
const Type *element_type(const Type *t);
bool same_element(const Type *a, const Type *b);
uint8_t tile_layout(const Type *tile, Profile profile); /* one LAY_ bit */
int64_t tile_dim(const Type *tile, Dim d);
/* Does a number lie in the range of a row? DYNAMIC does. */
bool in_range(const RuleRow *row, int64_t v);
/* Is (a, b) one of the pairs of a row? */
bool in_pairs(const uint8_t *list, unsigned a, unsigned b);
/* Equal, as far as is known. */
static inline bool extents_fit(int64_t a, int64_t b) {
    return a == DYNAMIC || b == DYNAMIC || a == b;
}
/* The inner box that the rules ask for, which fractal 32 has in one shape only; false: none. */
bool judged_box(const Type *t, int64_t *rows, int64_t *cols);
/* The attribute that a rule about attributes is about; NULL when the statement has none. */
const NamedAttr *rule_attr(const Case *c, const Rule *r);
/* The number of an attribute, its default when absent; false when it has none. */
bool attr_value_of(const Context *ctx, const Op *op, int index, int64_t *out);
/* The constant that defines a value; false when it is none. */
bool constant_operand(const Case *c, int slot, int64_t *out);
/* Says why a check function fails: only when somebody asks. Always false. */
bool fails(const Case *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* ---- loop_storage.c ---- */

/* Warns of buffers that a loop overwrites before what the last iteration left there is read.
 */
void check_loop_storage(Judge *j, Op *func);

/* ---- storage.c ---- */

/* Where the tiles of the function around a statement lie; NULL outside of functions. */
const Alias *alias_at(Judge *j, const Op *op);

/* May two operands or results share a byte? */
Overlap operands_overlap(const Case *c, int a, int b);
/* Says where two that do lie. */
void put_shared_storage(const Case *c, int a, int b, StrBuf *out);
/* The places of a tile that a statement uses, for as long as the module lives. */
AliasSet kept_places(Judge *j, const Op *op, const Value *v);
/* What a function demands of its callers, newest first. */
const TileNeed *needs_of(const Judge *j, const Op *func);
void add_need(Judge *j, const Op *func, const Op *op, int a, int b, AliasSet s, AliasSet t);

/* Named functions (checks.c). */
#define CHECK_FN(name, demand) CheckFn name;
#include "verifier/rules/checks.def"
#undef CHECK_FN

#endif
