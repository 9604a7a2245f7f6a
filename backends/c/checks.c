/* Run-time conditions of the instruction pages: what the rule table demands of valid regions that
 * are not known before, and of tiles that may overlap. */
#include "backends/c/emitter.h"
#include "verifier/rules.h"

#include <string.h>

/* ---- valid regions that must be equal ---- */

static bool row_counts(const RuleRow *row, bool compat) {
    switch ((RuleWhen)row->when) {
    case BOTH:
        return true;
    case PAGE:
        return !compat;
    case VENDOR:
    case COMPAT:
    case DEPRECATED:
        return compat;
    case WARN:
    case LIBRARY: /* of the vendor's library: what runs is ours */
    case LIBRARY_WARN:
    case SHOWN:
        return false;
    }
    return false;
}

static bool covers(const RuleRow *row, Profile p) {
    if (!profile_infos[p].chip) /* it accepts what one of the hardware targets accepts */
        return (row->where & ALL) == ALL;
    return (row->where & PROFILE_BIT(p)) != 0;
}

/* True when the list of spaces names that of the tile. */
static bool lists_space(const char *s, size_t n, const Type *t) {
    while (n > 0) {
        size_t len = 0;
        while (len < n && s[len] >= 'a' && s[len] <= 'z')
            len++;
        const char *name = space_names[t->tile.space];
        if (len == strlen(name) && memcmp(s, name, len) == 0) return true;
        len += len < n;
        s += len;
        n -= len;
    }
    return false;
}

/* One word of a guard (RuleRow.guard). */
static bool word_holds(Emitter *e, const Op *op, const char *s, size_t n) {
    bool no = s[0] == '!';
    s += no;
    n -= no;
    size_t len = 0;
    while (len < n && s[len] != '@' && s[len] != '=')
        len++;
    const char *name = strf(e, "%.*s", (int)len, s);
    int slot = inst_slot(op->inst, name), attr = inst_attr(op->inst, s, len);
    const Value *v = slot >= 0 ? slot_value(op, slot) : NULL;
    if (len == n) return (v != NULL || (attr >= 0 && op_attr(e->ctx, op, attr) != NULL)) != no;
    if (s[len] == '=')
        return attr >= 0 && op_attr(e->ctx, op, attr) != NULL &&
               op_attr_int(e->ctx, op, attr) == s[len + 1] - '0';
    const Type *t = v != NULL && type_is_tile(v->type) ? tile_value_type(v) : NULL;
    bool outside = len + 1 < n && s[len + 1] == '!';
    len += 1u + outside;
    return t != NULL && lists_space(s + len, n - len, t) != outside;
}

static bool guard_holds(Emitter *e, const Op *op, const char *guard) {
    while (guard != NULL && *guard != '\0') {
        size_t n = strcspn(guard, " ");
        if (!word_holds(e, op, guard, n)) return false;
        guard += n;
        guard += strspn(guard, " ");
    }
    return true;
}

/* What must be equal, gathered over the rows: one call per pair of operands. */
typedef struct ValidPair {
    int a, b; /* slots */
    unsigned dims;
} ValidPair;

enum { MAX_PAIRS = 16 };

/* The dimensions of `dims` that are not known before for one of the two tiles. */
static unsigned dynamic_dims(const Op *op, int a, int b, unsigned dims) {
    const Value *va = a >= 0 ? slot_value(op, a) : NULL, *vb = b >= 0 ? slot_value(op, b) : NULL;
    if (va == NULL || vb == NULL || va == vb || !type_is_tile(va->type) || !type_is_tile(vb->type))
        return 0;
    const Type *ta = tile_value_type(va), *tb = tile_value_type(vb);
    if (ta == NULL || tb == NULL) return 0;
    bool rows = ta->tile.vrow == DYNAMIC || tb->tile.vrow == DYNAMIC;
    bool cols = ta->tile.vcol == DYNAMIC || tb->tile.vcol == DYNAMIC;
    return dims & ((rows ? (unsigned)VALID_ROWS : 0) | (cols ? (unsigned)VALID_COLS : 0));
}

/* False when the list is full. */
static bool add_pair(ValidPair *pairs, unsigned *n, ValidPair pair) {
    for (unsigned i = 0; i < *n; i++)
        if (pairs[i].a == pair.a && pairs[i].b == pair.b) {
            pairs[i].dims |= pair.dims;
            return true;
        }
    if (*n == MAX_PAIRS) return false;
    pairs[(*n)++] = pair;
    return true;
}

static void put_pair(Emitter *e, const Op *op, ValidPair pair) {
    static const char *const dims[] = {"0", "PTRT_ROWS", "PTRT_COLS", "PTRT_ROWS | PTRT_COLS"};
    try_call(e, "ptrt_check_same_valid(core, %u, \"%s\", &%s, \"%s\", &%s, \"%s\", %s)",
             (unsigned)e->line, op->inst->name, val(e, slot_value(op, pair.a)),
             op->inst->slots[pair.a].name, val(e, slot_value(op, pair.b)),
             op->inst->slots[pair.b].name, dims[pair.dims]);
}

static void add_row(Emitter *e, const Op *op, const RuleRow *row, ValidPair *pairs, unsigned *n) {
    int b = inst_slot(op->inst, row->b);
    for (const char *s = row->a; *s != '\0'; s += *s == ' ') {
        size_t len = strcspn(s, " ");
        int a = inst_slot(op->inst, strf(e, "%.*s", (int)len, s));
        unsigned dims = dynamic_dims(op, a, b, row->dims);
        if (dims != 0 && !add_pair(pairs, n, (ValidPair){a, b, dims}))
            put_pair(e, op, (ValidPair){a, b, dims});
        s += len;
    }
}

static void check_valid_rows(Emitter *e, const Op *op) {
    unsigned n, npairs = 0;
    ValidPair pairs[MAX_PAIRS];
    const RuleRow *rows = rule_rows(inst_id(op->inst), &n);
    for (unsigned i = 0; i < n; i++)
        if (rows[i].cond == C_VALID_MISMATCH && row_counts(&rows[i], e->opt->compat) &&
            covers(&rows[i], e->opt->profile) && guard_holds(e, op, rows[i].guard))
            add_row(e, op, &rows[i], pairs, &npairs);
    for (unsigned i = 0; i < npairs; i++)
        put_pair(e, op, pairs[i]);
}

/* ---- operands that may not overlap ---- */

static bool may_overlap(Emitter *e, const Op *op, const Value *a, const Value *b) {
    if (e->alias == NULL) e->alias = alias_function(e->arena, e->ctx, op_function(op));
    return alias_overlap(e->alias, op, a, b) != OVERLAP_NO;
}

/* The vendor's assembler demands nothing of storage that it does not see. */
static void check_overlaps(Emitter *e, const Op *op) {
    const NoOverlap *pair = e->opt->compat ? NULL : op->inst->no_overlap;
    for (; pair != NULL && pair->a != NULL; pair++) {
        const Value *a = slot_value(op, inst_slot(op->inst, pair->a));
        const Value *b = slot_value(op, inst_slot(op->inst, pair->b));
        if (a == NULL || b == NULL || (pair->profiles & PROFILE_BIT(e->opt->profile)) == 0 ||
            !may_overlap(e, op, a, b))
            continue;
        try_call(e,
                 "ptrt_check_no_overlap(core, %u, \"%s\", 2, (const ptrt_tile *const[]){&%s, &%s}, "
                 "(const char *const[]){\"%s\", \"%s\"})",
                 (unsigned)e->line, op->inst->name, val(e, a), val(e, b), pair->a, pair->b);
    }
}

void emit_checks(Emitter *e, const Op *op) {
    check_valid_rows(e, op);
    check_overlaps(e, op);
}
