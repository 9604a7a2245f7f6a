/* Words for the elements of an operand that a statement reads or writes. */
#include "explain/facts.h"

#include <string.h>

/* Writes an extent: `valid rows of src0 and src1 together`. `words` is Touched.rows or .cols. */
static void put_extent(StrBuf *out, const char *words, const char *name, const char *other) {
    if (words == NULL) {
        sb_printf(out, "its valid %s", name);
        return;
    }
    const bool exchanged = *words == '^', sum = strchr(words, ' ') != NULL;
    sb_printf(out, "valid %s of ", exchanged ? other : name);
    for (const char *w = words + exchanged; *w != '\0'; w++)
        if (*w == ' ')
            sb_puts(out, " and ");
        else
            sb_putc(out, *w);
    if (sum) sb_puts(out, " together");
}

static bool is_one_operand(const char *words) {
    return words == NULL || (strchr(words, ' ') == NULL && *words != '^');
}

/* Writes a region of `rows` x `cols`, as a valid region where it is that of one operand. */
static void put_region(StrBuf *out, const Touched *t) {
    if (t->rows == NULL && t->cols == NULL) {
        sb_puts(out, "its valid region");
    } else if (t->rows != NULL && t->cols != NULL && strcmp(t->rows, t->cols) == 0 &&
               is_one_operand(t->rows)) {
        sb_printf(out, "valid region of %s", t->rows);
    } else {
        put_extent(out, t->rows, "rows", "columns");
        sb_puts(out, " x ");
        put_extent(out, t->cols, "columns", "rows");
    }
}

static void put_touched(StrBuf *out, const Touched *t) {
    if (t->bits != 0)
        sb_printf(out, "%u bit%s an element: ", (unsigned)t->bits, t->bits == 1 ? "" : "s");
    if (t->partly) sb_puts(out, "some of ");
    switch ((TouchedKind)t->kind) {
    case TOUCH_VALID:
        put_region(out, t);
        break;
    case TOUCH_NONE:
        sb_puts(out, "none");
        break;
    case TOUCH_SHAPE:
        sb_puts(out, t->partly ? "its shape" : "its whole shape");
        break;
    case TOUCH_ROW:
        sb_puts(out, "row 0, ");
        put_extent(out, t->cols, "columns", "rows");
        break;
    case TOUCH_COLUMN:
        sb_puts(out, "column 0, ");
        put_extent(out, t->rows, "rows", "columns");
        break;
    case TOUCH_WINDOW:
        put_region(out, t);
        sb_puts(out, ", from (indexRow, indexCol) on");
        break;
    case TOUCH_ELEMENT:
        sb_puts(out, "the element at offset");
        break;
    }
}

static void put_way(StrBuf *out, const TouchedWay *w) {
    if (w->padded)
        sb_printf(out, "if %s has a pad value", w->given);
    else if (w->space != SPACE_COUNT)
        sb_printf(out, "if %s is in %s", w->given, space_names[w->space]);
    else
        sb_printf(out, "with %s", w->given);
    sb_puts(out, ": ");
    put_touched(out, &w->touched);
}

const char *touched_text(const InstFacts *f, const SlotInfo *s) {
    const uint32_t kinds = slot_types[s->kind].kinds, tiles = K_TILE | K_MULTI;
    const TouchedWay *w = s->touched_ways;
    const bool ways = w != NULL && w->given != NULL;
    Touched first = s->touched;
    StrBuf out;
    if ((kinds & (tiles | K_VIEW | K_PART)) == 0 || s->role == ROLE_SCRATCH ||
        (first.kind == TOUCH_NONE && !ways) || (f->inst->flags & IF_NO_ACCESS) != 0 ||
        f->inst->entry == ENTRY_FREE)
        return NULL;
    /* a view has no valid region */
    if ((kinds & tiles) == 0 && first.kind == TOUCH_VALID && first.rows == NULL &&
        first.cols == NULL)
        first.kind = TOUCH_SHAPE;
    sb_init(&out, f->arena);
    put_touched(&out, &first);
    for (; w != NULL && w->given != NULL; w++) {
        sb_puts(&out, "; ");
        put_way(&out, w);
    }
    return sb_text(&out);
}
