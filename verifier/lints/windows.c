/* SPDX-License-Identifier: Apache-2.0 */
/* Finds loads and stores of windows that the vendor's library copies otherwise than the text says:
 * it reads one row stride from a window, copies runs of consecutive elements without looking at
 * their stride, and keeps strides in fields of 16 bits. `run` follows the text. Only what constants
 * of the program tell is reported. */
#include "verifier/lints/windows.h"
#include "verifier/rules/case.h"

#include "ir/number.h"
#include "verifier/rules/words.h"

enum { FIELD = 65535, BLOCK = 32, NZ = 2 };

typedef struct Window {
    int64_t n[5], stride[5]; /* DYNAMIC: not constant */
    int layout;              /* the attribute of the view; -1: none */
} Window;

typedef struct Copy {
    Judge *judge;
    const Op *op;
    int mem, tile; /* slots */
    Window w;
    Profile profile;
} Copy;

int window_row_dim(const int64_t n[5], const int64_t stride[5], int64_t *rows) {
    int at = -1;
    int64_t whole = DYNAMIC; /* the elements from the first row to the end of the last */
    *rows = 1;
    for (int d = 3; d >= 0; d--) {
        if (n[d] == 1) continue;
        if (at >= 0 && (n[d] == DYNAMIC || whole == DYNAMIC || stride[d] != whole)) return -1;
        if (at < 0) at = d;
        if (n[d] == DYNAMIC || *rows == DYNAMIC || __builtin_mul_overflow(*rows, n[d], rows))
            *rows = DYNAMIC;
        if (n[d] == DYNAMIC || stride[d] == DYNAMIC ||
            __builtin_mul_overflow(n[d], stride[d], &whole))
            whole = DYNAMIC;
    }
    return at >= 0 ? at : 3;
}

/* ---- the window ---- */

static int64_t constant_or(const Value *v, int64_t known) {
    int64_t n;
    if (known != DYNAMIC) return known;
    return number_known(v, &n) ? n : DYNAMIC;
}

/* Reads a window of a view that pto.make_tensor_view makes in the function. */
static bool read_window(Copy *c) {
    const Value *v = slot_value(c->op, c->mem), *base = v;
    if (v == NULL || v->type->kind != TY_PART_VIEW || v->def == NULL) return false;
    if (!op_is(v->def, INST_PARTITION_VIEW) || v->type->rank < 1 || v->type->rank > 5) return false;
    while (base != NULL && base->def != NULL && op_is(base->def, INST_PARTITION_VIEW))
        base = slot_value(base->def, 0);
    if (base == NULL || base->def == NULL || !op_is(base->def, INST_MAKE_TENSOR_VIEW)) return false;
    const uint32_t rank = v->type->rank, first = 5 - rank;
    if (slot_count(v->def, 2) != rank || slot_count(base->def, 2) != rank) return false;
    const Operand *sizes = slot_operands(v->def, 2), *strides = slot_operands(base->def, 2);
    for (uint32_t d = 0; d < 5; d++) {
        c->w.n[d] = d < first ? 1 : constant_or(sizes[d - first].value, v->type->dims[d - first]);
        c->w.stride[d] = d < first ? DYNAMIC : constant_or(strides[d - first].value, DYNAMIC);
    }
    const NamedAttr *a = op_attr_named(base->def, ATTR_layout);
    c->w.layout = a != NULL && a->value->kind == ATTR_ENUM ? enum_number(a->value) : -1;
    return true;
}

static bool has_blocks(const Copy *c, const Type *t) {
    const int64_t width = elem_infos[t->elem].bytes != 0 ? BLOCK / elem_infos[t->elem].bytes : 0;
    return c->w.n[3] == 16 && c->w.n[4] == width && slot_value(c->op, c->mem)->type->rank == 5;
}

/* ---- reports ---- */

static void report(const Copy *c, int slot, const char *text) {
    DiagList *diags = &c->judge->ctx->diags;
    const Span span = slot_operands(c->op, slot)->span;
    for (Diag *d = diags->first; d != NULL; d = d->next)
        if (d->id == DIAG_LIBRARY && d->span.off == span.off && d->profiles != 0) {
            d->profiles |= PROFILE_BIT(c->profile);
            return;
        }
    Diag *d = diag_add(diags, DIAG_LIBRARY, span, "%s: %s", c->op->inst->name, text);
    d->profiles = PROFILE_BIT(c->profile);
}

static const char *name_of(const Copy *c, int slot) {
    return c->op->inst->slots[slot].name;
}

static void report_run(const Copy *c, bool by_columns, int64_t stride) {
    report(c, c->mem,
           arena_printf(&c->judge->ctx->arena,
                        "the vendor's library copies each %s of %s as one run of consecutive "
                        "elements; those of %s are %lld apart",
                        by_columns ? "column" : "row", name_of(c, c->tile), name_of(c, c->mem),
                        (long long)stride));
}

static void report_field(const Copy *c, const char *what, int64_t n, const char *unit) {
    report(c, c->mem,
           arena_printf(&c->judge->ctx->arena,
                        "the vendor's library keeps what is between two %s of %s in 16 bits: %lld "
                        "%s are more than %d",
                        what, name_of(c, c->mem), (long long)n, unit, FIELD));
}

/* ---- what is looked at ---- */

/* The library reads no stride of the dimension that is consecutive in the tile. */
static bool check_run(const Copy *c, bool by_columns) {
    const int inner = by_columns ? 3 : 4;
    const int64_t n = c->w.n[inner], stride = c->w.stride[inner];
    if (n == 1 || n == 0 || stride == 1 || stride == DYNAMIC) return true;
    report_run(c, by_columns, stride);
    return false;
}

/* The gap after a run of `length` elements, in blocks of 32 bytes. */
static void check_gap(const Copy *c, const Type *t, const char *what, int64_t n, int64_t stride,
                      int64_t length) {
    const int64_t bytes = elem_infos[t->elem].bytes;
    if (n == 1 || stride == DYNAMIC || length == DYNAMIC || stride < length) return;
    const int64_t blocks =
        (stride - length) / BLOCK * bytes + (stride - length) % BLOCK * bytes / BLOCK;
    if (blocks > FIELD) report_field(c, what, blocks, "blocks of 32 bytes");
}

static void check_nz_blocks(const Copy *c, const Type *t) {
    int64_t column = c->w.n[2];
    if (column != DYNAMIC && __builtin_mul_overflow(column, c->w.n[3] * c->w.n[4], &column)) return;
    check_gap(c, t, "columns of blocks", c->w.n[1], c->w.stride[1], column);
}

/* Rows of a window become rows of a boxed tile of the cube: the window has two dimensions. */
static void check_boxed(const Copy *c, bool by_columns) {
    int64_t rows = 1;
    int at = by_columns ? 4 : window_row_dim(c->w.n, c->w.stride, &rows);
    for (int d = 0; d < 3 && by_columns; d++)
        if (c->w.n[d] != 1) at = -1;
    if (at < 0) {
        report(c, c->mem,
               arena_printf(&c->judge->ctx->arena,
                            "the vendor's library loads windows of two dimensions only into such a "
                            "tile; the rows of %s have no single stride",
                            name_of(c, c->mem)));
        return;
    }
    const int64_t stride = c->w.stride[at];
    if (!check_run(c, by_columns) || !profile_infos[c->profile].short_gaps) return;
    if (c->w.n[at] != 1 && stride != DYNAMIC && stride > FIELD)
        report_field(c, by_columns ? "columns" : "rows", stride, "elements");
}

static void check_mat(const Copy *c, const Type *t, uint8_t layout) {
    const bool wide = !profile_infos[c->profile].short_gaps; /* no field of 16 bits */
    if (!op_is(c->op, INST_TLOAD)) return;
    if (layout == LAY_NZ && (c->w.layout == NZ || has_blocks(c, t))) {
        if (!wide) check_nz_blocks(c, t);
    } else if (layout == LAY_NZ || layout == LAY_ZN) {
        check_boxed(c, layout == LAY_ZN || c->w.layout == 1);
    } else if ((layout & LAY_PLAIN) != 0 && check_run(c, layout == LAY_DN) && !wide) {
        const int run = layout == LAY_DN ? 3 : 4, other = 7 - run;
        check_gap(c, t, layout == LAY_DN ? "columns" : "rows", c->w.n[other], c->w.stride[other],
                  c->w.n[run]);
    }
}

void check_library_window(Judge *j, const Op *op) {
    Copy c = {.judge = j, .op = op, .mem = inst_slot(op->inst, OPERAND_mem)};
    c.tile = inst_slot(op->inst, op_is(op, INST_TLOAD) ? OPERAND_dst : OPERAND_src);
    const Value *v = c.tile >= 0 ? slot_value(op, c.tile) : NULL;
    if (v == NULL && op->nresults > 0) v = &op->results[0];
    const Type *t = v != NULL ? tile_value_type(v) : NULL;
    if (t == NULL || c.mem < 0 || elem_infos[t->elem].bytes == 0 || j->opt->compat ||
        j->opt->no_library || !read_window(&c))
        return;
    for (int k = 0; k < PROFILE_COUNT; k++) {
        c.profile = (Profile)k;
        if ((j->profiles & PROFILE_BIT(k)) == 0 || !profile_infos[k].chip) continue;
        const uint8_t layout = tile_layout(t, c.profile);
        if (t->tile.space == SPACE_MAT)
            check_mat(&c, t, layout);
        else if (t->tile.space == SPACE_VEC && (layout & LAY_PLAIN) != 0)
            (void)check_run(&c, layout == LAY_DN);
    }
}
