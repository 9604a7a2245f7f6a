/* SPDX-License-Identifier: Apache-2.0 */
/* Words for the elements of an operand that a statement reads or writes. */
#include "explain/facts.h"

/* Writes an extent: `valid rows of src0 and src1 together`. */
static void put_extent(StrBuf *out, const Inst *inst, const SlotSum *of, const char *name,
                       const char *other) {
    if (of->slot[0] == 0) {
        sb_printf(out, "its valid %s", name);
        return;
    }
    sb_printf(out, "valid %s of %s", of->across[0] ? other : name,
              inst->slots[of->slot[0] - 1].name);
    if (of->slot[1] != 0) sb_printf(out, " and %s together", inst->slots[of->slot[1] - 1].name);
}

static bool is_one_operand(const SlotSum *of) {
    return of->slot[1] == 0 && !of->across[0];
}

/* Writes a region of `rows` x `cols`, as a valid region where it is that of one operand. */
static void put_region(StrBuf *out, const Inst *inst, const Touched *t) {
    const SlotRef first = t->rows.slot[0];
    if (first == 0 && t->cols.slot[0] == 0) {
        sb_puts(out, "its valid region");
    } else if (first != 0 && first == t->cols.slot[0] && is_one_operand(&t->rows) &&
               is_one_operand(&t->cols)) {
        sb_printf(out, "valid region of %s", inst->slots[first - 1].name);
    } else {
        put_extent(out, inst, &t->rows, "rows", "columns");
        sb_puts(out, " x ");
        put_extent(out, inst, &t->cols, "columns", "rows");
    }
}

static void put_touched(StrBuf *out, const Inst *inst, const Touched *t) {
    if (t->bits != 0)
        sb_printf(out, "%u bit%s an element: ", (unsigned)t->bits, t->bits == 1 ? "" : "s");
    if (t->partly) sb_puts(out, "some of ");
    switch ((TouchedKind)t->kind) {
    case TOUCH_VALID:
        put_region(out, inst, t);
        break;
    case TOUCH_NONE:
        sb_puts(out, "none");
        break;
    case TOUCH_SHAPE:
        sb_puts(out, t->partly ? "its shape" : "its whole shape");
        break;
    case TOUCH_ROW:
        sb_puts(out, "row 0, ");
        put_extent(out, inst, &t->cols, "columns", "rows");
        break;
    case TOUCH_COLUMN:
        sb_puts(out, "column 0, ");
        put_extent(out, inst, &t->rows, "rows", "columns");
        break;
    case TOUCH_WINDOW:
        put_region(out, inst, t);
        sb_puts(out, ", from (indexRow, indexCol) on");
        break;
    case TOUCH_ELEMENT:
        sb_puts(out, "the element at offset");
        break;
    case TOUCH_LANES:
    case TOUCH_BURSTS:
    case TOUCH_BLOCKS:
    case TOUCH_COLUMNS:
    case TOUCH_FILLED:
    case TOUCH_LOGICAL:
    case TOUCH_ROW_STARTS:
    case TOUCH_LANE_BLOCKS:
        break; /* the formula says it */
    }
}

static void put_way(StrBuf *out, const Inst *inst, const TouchedWay *w) {
    const char *given = inst->slots[w->given - 1].name;
    if (w->padded)
        sb_printf(out, "if %s has a pad value", given);
    else if (w->space != SPACE_COUNT)
        sb_printf(out, "if %s is in %s", given, space_names[w->space]);
    else
        sb_printf(out, "with %s", given);
    sb_puts(out, ": ");
    put_touched(out, inst, &w->touched);
}

const char *touched_text(const InstFacts *f, const SlotInfo *s) {
    const uint32_t kinds = slot_types[s->kind].kinds, tiles = K_TILE | K_MULTI;
    const TouchedWay *w = s->rare->touched_ways;
    const bool ways = w != NULL && w->given != 0;
    Touched first = s->touched;
    StrBuf out;
    if ((kinds & (tiles | K_VIEW | K_PART)) == 0 || s->role == ROLE_SCRATCH ||
        (first.kind == TOUCH_NONE && !ways) || !inst_accesses(f->inst) ||
        f->inst->entry == ENTRY_FREE)
        return NULL;
    /* a view has no valid region */
    if ((kinds & tiles) == 0 && first.kind == TOUCH_VALID && first.rows.slot[0] == 0 &&
        first.cols.slot[0] == 0)
        first.kind = TOUCH_SHAPE;
    sb_init(&out, f->arena);
    put_touched(&out, f->inst, &first);
    for (; w != NULL && w->given != 0; w++) {
        sb_puts(&out, "; ");
        put_way(&out, f->inst, w);
    }
    return sb_text(&out);
}
