/* The rule table: rows of data that say when a statement is legal (docs/rules.md has the
 * vocabulary), and the evaluator's view of them. The rows stand in rules/ and name operands as the
 * instruction table does; they are resolved once per run and instruction. */
#ifndef VERIFIER_RULES_H
#define VERIFIER_RULES_H

#include "verifier/verify.h"

/* When a row counts. */
typedef enum RuleWhen {
    BOTH,       /* an error always */
    PAGE,       /* demanded by the ISA page only: not looked at under --compat=ptoas */
    VENDOR,     /* refused by the vendor only: a warning, an error under --compat=ptoas */
    COMPAT,     /* looked at under --compat=ptoas only */
    DEPRECATED, /* an older spelling: a warning, an error under --compat=ptoas */
    WARN        /* a warning of its own; not looked at under --compat=ptoas */
} RuleWhen;

/* Rows are written for the two hardware profiles; cpu accepts what one of them accepts, and what
 * the rows for CPU accept, of an instruction that has some (decision 10). */
typedef enum Target { TARGET_A2A3, TARGET_A5, TARGET_CPU, TARGET_COUNT } Target;
enum { A2A3 = 1, A5 = 2, ALL = 3, CPU = 4, ANY = 7 }; /* sets of targets */

/* Layouts of a tile as a set. */
enum {
    LAY_ND = 1,
    LAY_DN = 2,
    LAY_NZ = 4,
    LAY_ZN = 8,
    LAY_ZZ = 16,
    LAY_NN = 32,
    LAY_ROW_MAJOR = LAY_ND | LAY_ZN | LAY_ZZ,
    LAY_COL_MAJOR = LAY_DN | LAY_NZ | LAY_NN,
    LAY_PLAIN = LAY_ND | LAY_DN
};

/* Kinds of operands as a set. */
enum {
    K_TILE = 1,
    K_VIEW = 2,
    K_PART = 4,
    K_PTR = 8,
    K_INT = 16,        /* signless integer */
    K_SIGNED_INT = 32, /* si.. and ui.. */
    K_INDEX = 64,
    K_FLOAT = 128,
    K_I64 = 256,
    K_I1 = 512,
    K_MULTI = 1024, /* multi tile buffer */
    K_PIPE = 2048,
    K_EVENTS = 4096, /* array of event ids */
    K_ARRAY = 8192,  /* local array */
    K_STRUCT = 16384,
    K_SESSION = 32768, /* session of asynchronous transfers */
    K_ASYNC_EVENT = 65536,
    K_PREFETCH = 131072, /* context of asynchronous prefetches */
    K_MEMREF = 262144,   /* memref, tensor and other types kept as text */
    K_ANY_INT = K_INT | K_SIGNED_INT,
    K_SCALAR = K_INT | K_SIGNED_INT | K_INDEX | K_FLOAT
};

/* Fractal sizes of a tile type as a set. */
enum { F32 = 1, F512 = 2, F1024 = 4 };

/* No upper bound of a range. */
#define NO_LIMIT INT32_MAX

/* Dimensions of a tile, for relations and ranges. */
typedef enum Dim { DIM_ROWS, DIM_COLS, DIM_VROW, DIM_VCOL } Dim;
enum { VALID_ROWS = 1, VALID_COLS = 2, VALID_BOTH = 3 };
typedef enum Relation { REL_EQ, REL_GE, REL_LE } Relation;

#define COND(name) C_##name,
typedef enum CondId {
#include "verifier/rules/conditions.def"
    C_COUNT
} CondId;
#undef COND

typedef struct Case Case;
typedef struct Rule Rule;

typedef struct RuleRow {
    uint8_t cond;        /* CondId */
    uint8_t when;        /* RuleWhen */
    uint8_t where;       /* set of targets */
    uint8_t dims;        /* VALID_*, Dim, or kind of attribute, as the condition says */
    uint8_t rel : 2;     /* Relation */
    uint8_t dim_b : 2;   /* Dim of b */
    bool types_only : 1; /* of a CHECK: fn looks at types only */
    uint16_t id;         /* DiagId */
    const char *a;       /* slot, result or attribute names separated by blanks: one rule each */
    const char *b;       /* second slot, or NULL */
    /* Conditions for the row to count, at most MAX_GUARDS words separated by blanks: `tmp` a slot
     * or attribute is present, `!tmp` absent, `dst@mat,vec` the tile is in one of these spaces
     * (`dst@!acc` not there), `src#int` its elements are integers (float, low, or the name of an
     * element type; `#!` for not), `dst.empty` its valid region is 0x0 (`dst.!empty`: it is not, or
     * not known to be), `dst~row` its layout (row, col, nd, dn, nz, zn, zz, nn), `mode=2` or
     * `rmode=rint,floor` the value of an attribute, its default counting when it is absent,
     * `level3`, `level!3`. */
    const char *guard;
    union {
        const uint8_t *list; /* of a condition about pairs: the pairs, ended by 0, 0 */
        bool (*fn)(const Case *c, const Rule *r); /* of a CHECK */
        const char *hint; /* of another row: note added to the diagnostic, or NULL */
    };
    uint64_t set;
    int32_t lo, hi;   /* hi: NO_LIMIT for none */
    int32_t multiple; /* of a range; of a relation the factor of b's dimension */
    int16_t div, add; /* of a relation: a rel ceil(multiple * b / div) + add */
} RuleRow;

enum { MAX_GUARDS = 3 };
/* The note of a row, or NULL. */
static inline const char *row_hint(const RuleRow *row) {
    bool other = row->cond == C_CHECK || row->cond == C_ELEM_PAIR || row->cond == C_LOCATION_PAIR ||
                 row->cond == C_LAYOUT_PAIR;
    return other ? NULL : row->hint;
}

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

/* A row resolved for one instruction, target and mode. */
struct Rule {
    bool (*holds)(const Case *c, const Rule *r);
    const RuleRow *row;
    int8_t a, b; /* index of a slot or (behind the slots) a result; an attribute; -1 */
    bool error;  /* an error in this mode, else a warning */
    bool each;   /* a is a list: the rule is about each of its operands */
    Guard guard[MAX_GUARDS];
};

enum { RULE_MAX_SLOTS = 16, MEMO_WAYS = 8, MEMO_TYPES = 8 };

/* Operand types that passed all rules about types. */
typedef const Type *Memo[MEMO_TYPES];

/* The rules of one instruction for one target. */
typedef struct RuleSet {
    const Rule *rules;
    uint16_t n;
    uint16_t nvalue;
    const uint16_t *by_value; /* indices of the nvalue rules that look at more than types */
    Memo memo[MEMO_WAYS];
    bool none; /* the instruction has no rows for TARGET_CPU */
} RuleSet;

/* Tiles bound by a tassign without a result, newest last; a region's bindings end with it. */
typedef struct Bindings {
    struct Binding *list;
    uint32_t n, cap;
    uint32_t *buckets; /* by value: newest binding, index + 1 */
    uint32_t mask;     /* number of buckets - 1 */
} Bindings;

struct Judge;

/* One statement as the conditions see it. */
struct Case {
    struct Judge *judge;
    const Op *op;
    Profile profile; /* decides layouts: cpu takes the text's */
    uint8_t ntypes;
    const Type *types[RULE_MAX_SLOTS]; /* by slot, then results; NULL = absent */
    StrBuf *why; /* where a broken check function says what is wrong; NULL = nobody asks */
    Span *at;    /* where a check function may set a better position; NULL likewise */
};

/* One run of the verifier. */
typedef struct Judge {
    Context *ctx;
    const VerifyOptions *opt;
    Op *root;
    ProfileSet profiles;
    int level;
    bool manual;      /* some tile is bound to an address in the text */
    bool has_tassign; /* some tassign without a result binds tiles */
    bool partial;     /* statements are missing: the text had errors */
    RuleSet *sets[PROFILE_COUNT][TARGET_COUNT][INST_COUNT];
    OpVerdict *verdict; /* of the statement being judged; NULL: nobody asks */
    /* The first statement of the function that is of another level, and how many follow. */
    Diag *level_diag;
    uint32_t level_more;
    Bindings bindings; /* addresses given by tassign, for the statement being judged */
} Judge;

/* Rows of an instruction. */
const RuleRow *rule_rows(InstId id, unsigned *n);
/* Has the cpu profile rows of its own for it? */
bool inst_has_cpu_rows(InstId id);
/* Rows of every instruction whose `dst` is a result in the SSA forms. */
const RuleRow *result_rule_rows(unsigned *n);
/* The kinds of operands that a slot takes (K_..); 0 = anything. */
uint64_t slot_kinds(SlotKind kind);
/* The set that the words between commas of a guard stand for, behind the mark `@`, `#`, `~` or `=`;
 * `info` is the attribute of `=`. */
uint64_t guard_word_set(const AttrInfo *info, char mark, const char *s, size_t n);
/* The rules of an instruction in this run: of its rows, and of its schema. */
RuleSet *resolve_rules(Judge *j, const Inst *inst, Target t);
bool rule_about_attribute(const RuleRow *row);
/* Judges one statement by its rows, for every profile asked for. */
void judge_op(Judge *j, const Op *op);
/* The first row that a statement breaks under a profile: of the errors, else of the warnings; NULL
 * when it breaks none. Nothing is reported. */
const RuleRow *first_broken_row(Judge *j, const Op *op, Profile p, bool *error);
/* At the end of a function: says of how many statements the diagnostic about its level holds. */
void end_level_report(Judge *j);

/* ---- for conditions and check functions ---- */

bool cond_is_by_type(const RuleRow *row);
bool (*cond_holds(CondId c))(const Case *, const Rule *);
/* Writes what was found and what was expected. */
void cond_explain(const Case *c, const Rule *r, StrBuf *out);
/* The name of what a rule's index stands for. */
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
/* The type of a tile, or of a multi tile buffer, which says the same of every slot. */
static inline const Type *case_tile(const Case *c, int index) {
    const Type *t = case_type(c, index);
    return t != NULL && (t->kind == TY_TILE || t->kind == TY_MULTI_TILE) ? t : NULL;
}
/* The canonical text of a type for %.*s, whatever alias it was written as. */
#define TYPE_TEXT(j, t)                                                                            \
    (int)atom_len(&(j)->ctx->names, (t)->text), atom_text(&(j)->ctx->names, (t)->text)
/* The scalar type of an element: of a tile, view, pointer, or the scalar itself. */
const Type *element_type(const Type *t);
bool same_element(const Type *a, const Type *b);
uint8_t tile_layout(const Type *tile, Profile profile); /* one LAY_ bit */
int64_t tile_dim(const Type *tile, Dim d);
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

/* ---- addresses.c ---- */

/* Byte address of a tile bound in the text; false when unknown. */
bool tile_address(const Judge *j, const Value *v, int64_t *address);
/* The tile whose storage `v` shows from its first byte on, through views; `v` itself when it is
 * none. */
const Value *storage_of(const Value *v);
/* The constant address that a tassign or alloc_tile gives; false when there is none. */
bool given_address(const Context *ctx, const Op *op, int64_t *address);
/* A tassign without result: its tile is bound from here to the end of the region. */
void bind_tassign(Judge *j, const Op *op);
uint32_t bindings_mark(const Judge *j);
void bindings_rewind(Judge *j, uint32_t mark);

/* Named functions (checks.c). */
#define CHECK_FN(name, demand) bool name(const Case *c, const Rule *r);
#include "verifier/rules/checks.def"
#undef CHECK_FN

#endif
