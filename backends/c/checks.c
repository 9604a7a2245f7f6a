/* Run-time conditions of the instruction pages: what the rule table demands of valid regions that
 * are not known before, and, in checked mode, of overlaps. */
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
        return false;
    }
    return false;
}

static bool covers(const RuleRow *row, Profile p) {
    if (p == PROFILE_CPU)
        return row->where == ALL; /* cpu accepts what one of the targets accepts */
    return (row->where & (p == PROFILE_A5 ? A5 : A2A3)) != 0;
}

static bool extent_is_dynamic(const Type *t, bool rows) {
    return (rows ? t->tile.vrow : t->tile.vcol) == DYNAMIC;
}

static void check_same_valid(Emitter *e, const Op *op, const RuleRow *row, const char *a_name) {
    int a = inst_slot(op->inst, a_name), b = inst_slot(op->inst, row->b);
    const Value *va = a >= 0 ? slot_value(op, a) : NULL, *vb = b >= 0 ? slot_value(op, b) : NULL;
    if (va == NULL || vb == NULL || !type_is_tile(va->type) || !type_is_tile(vb->type))
        return;
    const Type *ta = tile_value_type(va), *tb = tile_value_type(vb);
    if (ta == NULL || tb == NULL)
        return;
    bool rows = (row->dims & VALID_ROWS) != 0 &&
                (extent_is_dynamic(ta, true) || extent_is_dynamic(tb, true));
    bool cols = (row->dims & VALID_COLS) != 0 &&
                (extent_is_dynamic(ta, false) || extent_is_dynamic(tb, false));
    if (!rows && !cols)
        return;
    try_call(e, "ptrt_check_same_valid(core, %u, \"%s\", &%s, \"%s\", &%s, \"%s\", %s)",
             (unsigned)e->line, op->inst->name, val(e, va), a_name, val(e, vb), row->b,
             rows && cols ? "PTRT_ROWS | PTRT_COLS" : rows ? "PTRT_ROWS" : "PTRT_COLS");
}

static void check_valid_rows(Emitter *e, const Op *op) {
    unsigned n;
    const RuleRow *rows = rule_rows(inst_id(op->inst), &n);
    for (unsigned i = 0; i < n; i++) {
        const RuleRow *row = &rows[i];
        if (row->cond != C_VALID_MISMATCH || !row_counts(row, e->opt->compat) ||
            !covers(row, e->opt->profile))
            continue;
        for (const char *a = row->a; *a != '\0'; a += *a == ' ') {
            size_t len = strcspn(a, " ");
            check_same_valid(e, op, row, strf(e, "%.*s", (int)len, a));
            a += len;
        }
    }
}

/* ---- operands that may not overlap ---- */

static void check_overlaps(Emitter *e, const Op *op) {
    const NoOverlap *pair = op->inst->no_overlap;
    for (; pair != NULL && pair->a != NULL; pair++) {
        const Value *a = slot_value(op, inst_slot(op->inst, pair->a));
        const Value *b = slot_value(op, inst_slot(op->inst, pair->b));
        if (a == NULL || b == NULL || (pair->profiles & PROFILE_BIT(e->opt->profile)) == 0)
            continue;
        try_call(e, "ptrt_check_no_overlap(core, %u, \"%s\", 2, (const ptrt_tile *const[]){&%s, &%s}, "
                    "(const char *const[]){\"%s\", \"%s\"})",
                 (unsigned)e->line, op->inst->name, val(e, a), val(e, b), pair->a, pair->b);
    }
}

void emit_checks(Emitter *e, const Op *op) {
    check_valid_rows(e, op);
    if (e->opt->checked)
        check_overlaps(e, op);
}
