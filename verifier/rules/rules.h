/* The rule table: rows of data that say when a statement is legal (docs/rules.md has the
 * vocabulary), and the evaluator's view of them. The rows are in rules/ and name operands as the
 * instruction table does; they are resolved once per run and instruction. */
#ifndef VERIFIER_RULES_RULES_H
#define VERIFIER_RULES_RULES_H

#include "analysis/alias.h"
#include "ir/number.h"
#include "support/ptrmap.h"
#include "verifier/rules/row.h"
#include "verifier/verify.h"

typedef struct Case Case;
typedef struct Rule Rule;
typedef struct Condition Condition;

/* Whether a rule holds for a statement. UNKNOWN: only run time can decide. */
typedef enum Answer { FAILS, HOLDS, UNKNOWN } Answer;

/* Numeric arguments of a row; rows with equal numbers share them. */
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
    bool newer : 1;       /* PTOAS 0.57 does not have it */
    uint8_t id;           /* DiagId */
    uint16_t a, b, guard; /* offsets in row_texts; 0: none */
    uint16_t more; /* a function's number (CHECK), an offset in row_pairs (conditions about pairs),
                      else the offset of a hint in row_texts; 0: none */
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
/* Returns the slot, result or attribute names, separated by blanks. */
static inline const char *row_a(const RuleRow *row) {
    return row_text(row->a);
}
/* Returns the second slot, or NULL. */
static inline const char *row_b(const RuleRow *row) {
    return row_text(row->b);
}
/* Returns the guard, or NULL. */
static inline const char *row_guard(const RuleRow *row) {
    return row_text(row->guard);
}
static inline const RowArgs *row_args(const RuleRow *row) {
    return &row_args_table[row->args];
}
/* Returns true for a row that demands a valid region that is not empty. Such a row judges what the
 * text says only: at run time an instruction with an empty region computes nothing. */
static inline bool row_is_not_empty(const RuleRow *row) {
    return row->cond == C_VALID_RANGE && row_args(row)->lo == 1 && row_args(row)->hi == NO_LIMIT;
}
/* Returns the pairs of a condition about pairs, ended by 0, 0. */
static inline const uint8_t *row_list(const RuleRow *row) {
    return row_pairs + row->more;
}
/* A named function of CHECK. */
typedef Answer CheckFn(const Case *c, const Rule *r);
extern CheckFn *const check_fns[];
static inline CheckFn *row_fn(const RuleRow *row) {
    return row->cond == C_CHECK ? check_fns[row->more] : NULL;
}

enum { MAX_GUARDS = 3 };
/* Returns the hint that becomes a note, or NULL. */
const char *row_hint(const RuleRow *row);
/* Says how to correct a statement that breaks the row. */
const char *row_fix(const RuleRow *row);

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
    G_NEVER, /* never holds in this run */
    G_ATTR,
    G_NO_ATTR,
    G_ATTR_IS
} GuardKind;
enum { GUARD_EMPTY = 1, GUARD_NOT_EMPTY = 2 }; /* the set of G_EMPTY */

/* A row resolved for one instruction, target and mode. */
struct Rule {
    Answer (*judge)(const Case *c, const Rule *r);
    const RuleRow *row;
    int8_t a, b; /* index of a slot, of a result (counted on from the slots) or of an attribute; -1:
                    none */
    bool error;  /* an error in this mode, else a warning */
    bool each;   /* a is a list, and the rule is judged for each of its operands */
    Guard guard[MAX_GUARDS];
};

enum { MEMO_WAYS = 8, MEMO_TYPES = 8 };

/* A combination of operand types that passed all rules about types. */
typedef const Type *Memo[MEMO_TYPES];

/* The rules of one instruction for one profile. */
typedef struct RuleSet {
    const Rule *rules;
    uint16_t n;
    uint16_t nvalue;
    uint16_t nown;            /* how many of by_value precede the rules about tile results */
    const uint16_t *by_value; /* indices of the nvalue rules that look at more than types */
    Memo memo[MEMO_WAYS];
    bool none; /* the instruction does not exist under the profile: its only rule always fails */
} RuleSet;

struct Judge;

/* A pair of operands of which only the callers of a function decide whether they overlap. */
typedef struct TileNeed {
    struct TileNeed *next;
    const Op *op;       /* the statement that forbids the overlap, in this function or a callee */
    int a, b;           /* indices of the operands, as in Rule */
    AliasSet places[2]; /* in terms of this function's parameters */
} TileNeed;

/* One statement as the conditions see it. */
struct Case {
    struct Judge *judge;
    const Op *op;
    Profile profile; /* decides layouts: under cpu, the one that the text gives */
    uint8_t ntypes;
    const Type *types[INST_MOST_OPERANDS]; /* by slot, then results; NULL = absent */
    StrBuf *why;              /* gets what a check function found wrong; NULL: not wanted */
    Span *at;                 /* a check function may set a better position; NULL: not wanted */
    Arena *terms;             /* where terms are made (terms.h); NULL: not wanted */
    const struct Term **left; /* gets the part of a condition that only run time can decide */
    unsigned nth;             /* judges operand `nth` of the slot `list` instead of the first */
    int list;
    /* Computes a number from constants of the program (constants.c); NULL: judges the text. */
    bool (*fold)(void *fold_arg, const Value *v, int64_t *out);
    void *fold_arg;
};

typedef struct OpList {
    struct OpList *next;
    const Op *op;
} OpList;

/* Rules resolved so far, and the options that they depend on. */
typedef struct RuleSets {
    Arena *arena;
    int level;
    Vendor compat;
    bool no_library, shown;
    RuleSet *sets[PROFILE_COUNT][PROFILE_COUNT]
                 [INST_COUNT]; /* by the profile and the one whose rows judge it */
    void *constants;           /* of constants.c */
} RuleSets;

/* What the fix of a diagnostic changes: the type of a value, or of all values of a type alias. */
typedef struct Repair {
    struct Repair *next;
    const Value *value; /* NULL: all values of the type */
    const Type *was, *type;
    ProfileSet profiles; /* of the diagnostic */
    Diag *d;
} Repair;

/* One run of the verifier. */
typedef struct Judge {
    Context *ctx;
    const VerifyOptions *opt;
    Op *root;
    Arena *arena; /* for what is allocated once in a run */
    ProfileSet profiles;
    int level;
    bool manual;        /* some tile is bound to an address in the text */
    bool has_tassign;   /* some tassign without a result binds tiles */
    bool partial;       /* statements are missing: the text had errors */
    bool carries;       /* some loop of the function passes tiles to its next iteration */
    bool multiplies;    /* the function has matrix products */
    bool residual;      /* the module is already verified: nothing is reported (residual.h) */
    RuleSets *rules;    /* NULL: none yet */
    OpVerdict *verdict; /* of the statement being judged; NULL: not wanted */
    /* The first diagnostic of the function about the level, and how many statements follow. */
    Diag *level_diag;
    uint32_t level_more;
    OpList *late; /* statements that break a late row, newest first */
    bool judging_late;
    uint32_t offers; /* attempts to find a correction (offers.h) */
    Repair *repairs; /* found ones that change types, newest first */
    Alias *alias;    /* of the function `alias_of`; NULL: not made yet */
    const Op *alias_of;
    Numbers numbers;         /* of the same function */
    PtrMap needs;            /* const Op * of a function -> TileNeed * */
    const TileNeed *assumed; /* a pair of operands to treat as overlapping */
    ArenaMark step_start;    /* start of the analysis in Context.step */
    const Op *signals_of;    /* function that was searched for a pto.set_ffts; NULL: none yet */
    bool has_base;           /* ... and has one */
} Judge;

/* Returns the rows of an instruction or of a schema list, in the order in which they are tried; an
 * instruction may share those of another. */
static inline const RuleRow *rule_rows(unsigned id, unsigned *n) {
    *n = row_lists[id].n;
    return &rule_row_table[row_lists[id].first];
}
/* Returns the profiles that its rows name. */
static inline ProfileSet inst_profiles(InstId id) {
    return row_lists[id].profiles;
}
/* Parses the comma-separated words of a guard into a set; `mark` is `@`, `#`, `~` or `=`, `info`
 * the attribute of `=`. */
uint64_t guard_word_set(const AttrInfo *info, char mark, const char *s, size_t n);
/* Resolves the rows for profile `of` and the schema of an instruction, as they count in this run
 * under profile `p`. */
RuleSet *resolve_rules(Judge *j, Arena *a, const Inst *inst, Profile p, Profile of);
/* Returns the rules of the run. */
RuleSets *judge_rules(Judge *j);
/* Returns set number `i` of those that judge an instruction under a profile, which accepts what all
 * rules of one of them accept (decision 10): cpu those of a2a3, of a5, or its own. NULL after the
 * last. */
RuleSet *judging_set(Judge *j, const Inst *inst, Profile p, unsigned i);
bool rule_about_attribute(const RuleRow *row);
void case_init(Case *c, Judge *j, const Op *op);
/* Tells whether a guard holds. UNKNOWN: a valid region may be 0x0. */
Answer guard_answer(const Case *c, const Guard *g);
/* True when a statement breaks no rule, under one of the sets of rules of a profile. */
bool case_holds(Case *c, Profile p);
/* True when a statement breaks no rule of a set that is an error. */
bool case_accepted_by(Case *c, const RuleSet *set);
/* True when a statement breaks no rule that is an error, under all profiles asked for. */
bool case_is_legal(Case *c);
/* Judges one statement by its rows, for every profile asked for. */
void judge_op(Judge *j, const Op *op);
/* Returns the first row that a statement breaks under a profile: an error if there is one, else a
 * warning, else NULL. Reports nothing. */
const RuleRow *first_broken_row(Judge *j, const Op *op, Profile p, bool *error);
/* Reports the statements that break late rows, at the end and only if there was no other error. */
void judge_late(Judge *j);
/* Adds the number of further statements to the function's diagnostic about the level. */
void end_level_report(Judge *j);

/* ---- for conditions and check functions ---- */

bool cond_is_by_type(const RuleRow *row);
/* Writes what was found and what was expected. */
void cond_explain(const Case *c, const Rule *r, StrBuf *out);
/* Returns the name of an operand or result by a rule's index. */
const char *case_name(const Case *c, int index);
Value *case_value(const Case *c, int index);
Span case_span(const Case *c, int index);
/* Returns the type, or NULL when it is absent, a template, or the result of an earlier error. */
static inline const Type *case_type(const Case *c, int index) {
    if (index < 0) return NULL;
    const Type *t = c->types[index];
    if (t == NULL || t->kind == TY_TILE_ANY || t->kind == TY_DTYPE || t->kind == TY_NONE)
        return NULL;
    return t;
}
/* Returns the type if it is a tile or multi tile buffer, else NULL. */
static inline const Type *case_tile(const Case *c, int index) {
    const Type *t = case_type(c, index);
    return t != NULL && (t->kind == TY_TILE || t->kind == TY_MULTI_TILE) ? t : NULL;
}
/* The canonical text of a type for %.*s, whatever alias it was written as. */
#define TYPE_TEXT(j, t)                                                                            \
    (int)atom_len(&(j)->ctx->names, (t)->text), atom_text(&(j)->ctx->names, (t)->text)
/* The same for the element type of a tile, view, pointer or scalar; `none` if there is none. */
#define ELEM_TEXT(j, t)                                                                            \
    element_type(t) != NULL ? (int)atom_len(&(j)->ctx->names, element_type(t)->text) : 4,          \
        element_type(t) != NULL ? atom_text(&(j)->ctx->names, element_type(t)->text) : "none"
/* Returns the scalar type itself, or the element type of a tile, view or pointer. */
const Type *element_type(const Type *t);
bool same_element(const Type *a, const Type *b);
uint8_t tile_layout(const Type *tile, Profile profile); /* one LAY_ bit */
int64_t tile_dim(const Type *tile, Dim d);
/* True when a number is in the range of a row; DYNAMIC always is. */
bool in_range(const RuleRow *row, int64_t v);
/* True when (a, b) is one of the pairs of a row. */
bool in_pairs(const uint8_t *list, unsigned a, unsigned b);
/* False only when both are known and differ. */
static inline bool extents_fit(int64_t a, int64_t b) {
    return a == DYNAMIC || b == DYNAMIC || a == b;
}
/* Returns the size of the inner box; false when the elements do not fit it. */
bool judged_box(const Type *t, int64_t *rows, int64_t *cols);
/* Whether rows (or columns, if they are contiguous) of a tile without boxes are whole blocks of 32
 * bytes; the words of the message when they are not. */
bool tile_is_aligned(const Type *t, Profile p);
const char *misalignment_text(const Judge *j, const Type *t, Profile p);
/* The same of the extents of a tile with boxes, which are multiples of those of a box. */
bool tile_is_boxed(const Type *t);
const char *misboxed_text(const Judge *j, const Type *t);
/* Returns the attribute that a rule is about; NULL when the statement does not have it. */
const NamedAttr *rule_attr(const Case *c, const Rule *r);
/* Returns the value of an attribute or its default; false when there is neither. */
bool attr_value_of(const Context *ctx, const Op *op, int index, int64_t *out);
/* Returns what is known of a number: a constant or, at run time, what constants determine. */
static inline bool case_number(const Case *c, const Value *v, int64_t *out) {
    return v != NULL &&
           (number_written(v, out) || (c->fold != NULL && c->fold(c->fold_arg, v, out)));
}
/* True if the case is judged by what happens at run time, not by its text alone. */
static inline bool case_at_run_time(const Case *c) {
    return c->fold != NULL;
}
/* Returns the constant that defines an operand; false when it is not a constant. */
bool constant_operand(const Case *c, int slot, int64_t *out);
/* Writes why a check function fails to Case.why, if that is wanted. Always returns false. */
bool fails(const Case *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* ---- lints/loop_storage.c ---- */

/* Warns of buffers that a loop overwrites although it still reads what the previous iteration left
 * there. */
void check_loop_storage(Judge *j, Op *func);

/* ---- sharing.c ---- */

/* Returns where the tiles of the surrounding function are; NULL outside of functions. */
const Alias *alias_at(Judge *j, const Op *op);

/* Tells whether two operands or results share a byte. */
Overlap operands_overlap(const Case *c, int a, int b);
/* Writes where two that overlap are. */
void put_shared_storage(const Case *c, int a, int b, StrBuf *out);
/* Copies the places of a tile that a statement uses into memory that lives as long as the module.
 */
AliasSet kept_places(Judge *j, const Op *op, const Value *v);
/* Returns the pairs that the callers of a function must keep apart, newest first. */
const TileNeed *needs_of(const Judge *j, const Op *func);
void add_need(Judge *j, const Op *func, const Op *op, int a, int b, AliasSet s, AliasSet t);

/* Named functions (checks.c). */
#define CHECK_FN(name, demand) CheckFn name;
#include "verifier/rules/checks.def"
#undef CHECK_FN

#endif
