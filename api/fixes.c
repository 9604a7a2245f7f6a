/* SPDX-License-Identifier: Apache-2.0 */
/* Applies the fixes of a result's diagnostics to its text. */
#include "api/internal.h"

#include <stdlib.h>
#include <string.h>

/* Orders edits by position; at the same position in the order of the list. */
static int by_offset(const void *a, const void *b) {
    const DiagEdit *x = *(const DiagEdit *const *)a, *y = *(const DiagEdit *const *)b;
    if (x->span.off != y->span.off) return x->span.off < y->span.off ? -1 : 1;
    return (x->span.len > y->span.len) - (x->span.len < y->span.len);
}

static bool edits_meet(const DiagEdit *a, const DiagEdit *b) {
    uint32_t a_end = a->span.off + a->span.len, b_end = b->span.off + b->span.len;
    if (a->span.off == b->span.off) return true;
    return a->span.off < b->span.off ? a_end > b->span.off : b_end > a->span.off;
}

/* The edits that are applied. */
typedef struct Taken {
    const DiagEdit **list;
    size_t n;
    uint32_t end; /* end of the last one in the text */
} Taken;

/* False when an edit overlaps one that is applied. Diagnostics may share edits, such as one for
 * each profile; most edits are in the order of the text. */
static bool fits(const Taken *taken, const DiagEdit *edits) {
    for (const DiagEdit *e = edits; e != NULL; e = e->next)
        for (size_t i = 0; i < taken->n && e->span.off <= taken->end; i++)
            if (edits_meet(taken->list[i], e)) return false;
    return true;
}

static void take(Taken *taken, const DiagEdit *e) {
    uint32_t end = e->span.off + e->span.len;
    taken->list[taken->n++] = e;
    if (end > taken->end) taken->end = end;
}

static bool is_asked(const Diag *d, uint32_t flags) {
    const uint32_t flag = d->guess ? PTOASM_FIX_GUESSES : d->safe_fix ? 0 : PTOASM_FIX_ALL;
    return (flags & flag) == flag;
}

/* Collects the edits of all fixes that do not conflict, sorted. */
static size_t choose(ptoasm_result *res, uint32_t flags, const DiagEdit **list, size_t *fixes) {
    Taken taken = {.list = list};
    for (size_t i = 0; i < res->ndiags; i++) {
        const Diag *d = res->diags[i];
        if (d->edits == NULL || !is_asked(d, flags) || !fits(&taken, d->edits)) continue;
        for (const DiagEdit *e = d->edits; e != NULL; e = e->next)
            take(&taken, e);
        ++*fixes;
    }
    if (taken.n > 1) qsort(list, taken.n, sizeof *list, by_offset);
    return taken.n;
}

static size_t edit_count(const ptoasm_result *res) {
    size_t n = 0;
    for (size_t i = 0; i < res->ndiags; i++)
        for (const DiagEdit *e = res->diags[i]->edits; e != NULL; e = e->next)
            n++;
    return n;
}

static void make_fixes(ptoasm_result *res, uint32_t flags, StrBuf *out, size_t *fixes) {
    const DiagEdit **taken = ARENA_ARRAY(&res->ctx->arena, const DiagEdit *, edit_count(res) + 1);
    size_t n = choose(res, flags, taken, fixes);
    const Source *src = res->ctx->source;
    uint32_t at = 0;
    sb_init(out, &res->ctx->arena);
    for (size_t i = 0; i < n; i++) {
        sb_add(out, src->data + at, taken[i]->span.off - at);
        sb_puts(out, taken[i]->text);
        at = taken[i]->span.off + taken[i]->span.len;
    }
    sb_add(out, src->data + at, src->size - at);
}

const char *ptoasm_fixed_text(ptoasm_result *res, uint32_t flags, size_t *size, size_t *fixes) {
    if (size != NULL) *size = 0;
    if (fixes != NULL) *fixes = 0;
    if (setjmp(res->ctx->oom) != 0) return NULL;
    StrBuf out;
    size_t made = 0;
    make_fixes(res, flags, &out, &made);
    if (size != NULL) *size = out.len;
    if (fixes != NULL) *fixes = made;
    return sb_text(&out);
}

bool ptoasm_diagnostic_edit(const ptoasm_result *res, size_t i, size_t n, const char **text,
                            ptoasm_place *place) {
    if (i >= res->ndiags) return false;
    const DiagEdit *e = res->diags[i]->edits;
    while (e != NULL && n-- > 0)
        e = e->next;
    if (e == NULL) return false;
    *text = e->text;
    *place = source_place(&res->index, e->span);
    return true;
}
