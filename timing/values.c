/* SPDX-License-Identifier: Apache-2.0 */
/* The values of a program while it is timed: integers are computed, tiles and views are their
 * extents, arrays of event ids have elements. */
#include "timing/values.h"
#include "ir/number.h"
#include "timing/probe.h"

/* ---- integers ---- */

int64_t need_any(TimeRun *r, const TimeNode *n, unsigned i, const char *what) {
    const Cell *c = in(r, n, i);
    if (!c->known) time_unknown(r, n->stmt, what, c->cause);
    return c->n;
}

int64_t need(TimeRun *r, const TimeNode *n, unsigned i, const char *what) {
    const int64_t v = need_any(r, n, i, what);
    probe_fixed(r, in(r, n, i));
    return v;
}

/* Results that data decides, unless the caller gave them. */
void forget(TimeRun *r, const TimeNode *n) {
    for (unsigned i = 0; i < n->stmt->nresults; i++) {
        const Value *v = &n->stmt->results[i];
        *out(r, n, i) = (Cell){.cause = v};
        for (size_t k = 0; k < r->ngiven; k++)
            if (r->given[k].name == v->name)
                *out(r, n, i) = (Cell){.known = true, .n = r->given[k].n};
    }
}

/* Results of arithmetic on what is not known. */
static void pass_on(TimeRun *r, const TimeNode *n) {
    const Value *cause = NULL;
    for (unsigned i = 0; i < n->stmt->nargs && cause == NULL; i++)
        if (!in(r, n, i)->known) cause = in(r, n, i)->cause;
    forget(r, n);
    for (unsigned i = 0; i < n->stmt->nresults; i++)
        if (!out(r, n, i)->known && cause != NULL) out(r, n, i)->cause = cause;
}

void compute(TimeRun *r, TimeNode *n) {
    int64_t x[3], v;
    const unsigned count = n->stmt->nargs;
    bool known = count <= 3;
    for (unsigned i = 0; i < count && known; i++) {
        known = in(r, n, i)->known;
        x[i] = in(r, n, i)->n;
    }
    if (n->form == STMT_SELECT && in(r, n, 0)->known) {
        Cell chosen = *in(r, n, in(r, n, 0)->n != 0 ? 1 : 2);
        probe_choice(r, in(r, n, 0), &chosen);
        *out(r, n, 0) = chosen;
    } else if (known && number_apply(&n->stmt->work->number, x, &v)) {
        Cell result = {.known = true, .n = v};
        if (r->nprobes > 0) probe_compute(r, n, x, &result);
        *out(r, n, 0) = result;
    } else {
        pass_on(r, n);
        if (n->stmt->nresults > 0)
            out(r, n, 0)->by_zero = known && number_divides(&n->stmt->work->number);
    }
}

void query(TimeRun *r, TimeNode *n) {
    const InstId id = inst_id(n->stmt->inst);
    const int64_t v = id == INST_GET_BLOCK_IDX      ? r->block
                      : id == INST_GET_BLOCK_NUM    ? r->grid
                      : id == INST_GET_SUBBLOCK_NUM ? 2
                                                    : 0;
    *out(r, n, 0) = (Cell){.known = true, .n = v};
    if (id == INST_GET_BLOCK_IDX) probe_block(r, out(r, n, 0));
}

/* ---- tiles ---- */

/* An extent of a type, or else of an operand. */
static int64_t extent(TimeRun *r, const TimeNode *n, int64_t given, OperandName name,
                      const Value **open) {
    const int slot = inst_slot(n->stmt->inst, name);
    if (given != DYNAMIC) return given;
    const Operand *o = slot >= 0 ? stmt_items(n->stmt, slot) : NULL;
    if (o == NULL) return EXTENT_OPEN;
    const Cell *c = in(r, n, (unsigned)(o - n->stmt->args));
    probe_fixed(r, c);
    if (!c->known) *open = c->cause;
    return c->known ? c->n : EXTENT_OPEN;
}

void make_tile(TimeRun *r, TimeNode *n) {
    TileNow *t = n->tile;
    if (t == NULL || t->type == NULL) return;
    const TileInfo *info = &t->type->tile;
    t->open = NULL;
    t->vrows = extent(r, n, info->vrow, OPERAND_valid_row, &t->open);
    t->vcols = extent(r, n, info->vcol, OPERAND_valid_col, &t->open);
    for (uint32_t i = 0; t->slots != NULL && i < t->type->count; i++)
        t->slots[i] = (TileNow){t->type, t->vrows, t->vcols, NULL, t->open};
    *out(r, n, 0) = (Cell){.tile = t};
}

void get_slot(TimeRun *r, TimeNode *n) {
    const TileNow *of = in(r, n, 0)->tile;
    if (of == NULL || of->slots == NULL) {
        make_tile(r, n);
        return;
    }
    const Cell *c = in(r, n, 1);
    probe_fixed(r, c);
    const int64_t i = c->known && c->n >= 0 && c->n < (int64_t)of->type->count ? c->n : 0;
    of->slots[i].type = n->tile->type;
    *out(r, n, 0) = (Cell){.tile = &of->slots[i]};
}

/* A tile over the bytes of another: its extents are those of its type, else of the other. */
void view_tile(TimeRun *r, TimeNode *n) {
    const TileNow *of = n->stmt->nargs > 0 ? in(r, n, 0)->tile : NULL;
    if (n->tile == NULL) return; /* it changes an operand, whose extents stay */
    make_tile(r, n);
    if (of == NULL) return;
    if (n->tile->vrows < 0 && n->tile->open == NULL) n->tile->vrows = of->vrows;
    if (n->tile->vcols < 0 && n->tile->open == NULL) n->tile->vcols = of->vcols;
    if (n->tile->vrows < 0 || n->tile->vcols < 0) n->tile->open = of->open;
    if (n->form == STMT_ASSIGN) *out(r, n, 0) = *in(r, n, 0);
}

void set_valid(TimeRun *r, TimeNode *n) {
    TileNow *t = in(r, n, 0)->tile;
    if (t == NULL) return;
    const Cell *rows = in(r, n, 1), *cols = in(r, n, 2);
    probe_fixed(r, rows);
    probe_fixed(r, cols);
    probe_tile(r, t);
    t->vrows = rows->known ? rows->n : EXTENT_OPEN;
    t->vcols = cols->known ? cols->n : EXTENT_OPEN;
    t->open = !rows->known ? rows->cause : cols->cause;
}

void get_valid(TimeRun *r, TimeNode *n) {
    const TileNow *t = in(r, n, 0)->tile;
    const bool cols_only = stmt_is(n->stmt, INST_TILE_VALID_COLS);
    for (unsigned i = 0; i < n->stmt->nresults; i++) {
        const int64_t v = t == NULL ? EXTENT_OPEN : i == 1 || cols_only ? t->vcols : t->vrows;
        *out(r, n, i) = (Cell){.known = v >= 0, .n = v, .cause = t != NULL ? t->open : NULL};
    }
}

/* Results that are tiles, of calls and pops: with the extents of their types. */
void make_results(TimeRun *r, TimeNode *n) {
    if (n->tile != NULL && n->stmt->nresults == 1)
        make_tile(r, n);
    else
        forget(r, n);
}

/* ---- views ---- */

void make_view(TimeRun *r, TimeNode *n) {
    ViewNow *v = n->view;
    if (v == NULL) return;
    const Type *t = n->stmt->results[0].type;
    const bool part = n->form == STMT_PARTITION;
    const int slot = part                        ? inst_slot(n->stmt->inst, OPERAND_sizes)
                     : n->form == STMT_MAKE_VIEW ? inst_slot(n->stmt->inst, OPERAND_shape)
                                                 : -1;
    const Operand *sizes = slot >= 0 ? stmt_items(n->stmt, slot) : NULL;
    const unsigned count = slot >= 0 ? stmt_count(n->stmt, slot) : 0;
    *v = (ViewNow){.elem = t->elem_type != NULL ? (Elem)t->elem_type->elem : ELEM_F32,
                   .rank = t->rank < 8 ? t->rank : 8};
    for (unsigned i = 0; i < v->rank; i++) {
        const Cell *c = i < count ? in(r, n, (unsigned)(sizes - n->stmt->args) + i) : NULL;
        if (c != NULL) probe_fixed(r, c);
        v->dims[i] = t->dims[i] != DYNAMIC   ? t->dims[i]
                     : c != NULL && c->known ? c->n
                                             : EXTENT_OPEN;
        if (v->dims[i] < 0 && c != NULL) v->open = c->cause;
    }
    *out(r, n, 0) = (Cell){.view = v};
}

void view_extent(TimeRun *r, TimeNode *n) {
    const ViewNow *v = in(r, n, 0)->view;
    const Cell *dim = in(r, n, 1);
    probe_fixed(r, dim);
    if (v == NULL || !dim->known || dim->n < 0 || dim->n >= v->rank ||
        stmt_is(n->stmt, INST_GET_TENSOR_VIEW_STRIDE)) {
        forget(r, n);
        return;
    }
    *out(r, n, 0) = (Cell){.known = v->dims[dim->n] >= 0, .n = v->dims[dim->n], .cause = v->open};
}

/* ---- arrays of event ids and integers ---- */

void make_array(TimeRun *r, TimeNode *n) {
    enum { MOST = 4096 };
    const Type *t = n->stmt->results[0].type;
    const bool events = t->kind == TY_EVENT_ARRAY;
    const int64_t count = events                                      ? t->count
                          : t->kind == TY_LOCAL_ARRAY && t->rank == 1 ? t->dims[0]
                                                                      : 0;
    Cell *c = out(r, n, 0);
    *c = (Cell){.cause = &n->stmt->results[0]};
    if (count <= 0 || count > MOST) return;
    if (n->store == NULL) n->store = ARENA_ARRAY(r->arena, Cell, (size_t)count);
    c->array = n->store;
    c->count = count;
    for (int64_t i = 0; i < count; i++) {
        probe_element(r, &c->array[i]);
        c->array[i] = (Cell){.known = true};
    }
}

/* An element of the array in operand 0, at the index in the next one; NULL: not known. */
static Cell *element(TimeRun *r, const TimeNode *n) {
    const Cell *array = in(r, n, 0);
    const Cell *index = n->stmt->nargs > 1 ? in(r, n, 1) : NULL;
    if (index != NULL) probe_fixed(r, index);
    if (array->array == NULL || index == NULL || !index->known) return NULL;
    return index->n >= 0 && index->n < array->count ? &array->array[index->n] : NULL;
}

void use_array(TimeRun *r, TimeNode *n) {
    Cell *at = element(r, n);
    if (n->form == STMT_ARRAY_SET) {
        if (at == NULL) return;
        probe_element(r, at);
        *at = probe_flat(r, in(r, n, n->stmt->nargs - 1));
    } else if (at != NULL && n->stmt->nresults == 1) {
        *out(r, n, 0) = *at;
    } else {
        forget(r, n);
    }
}
