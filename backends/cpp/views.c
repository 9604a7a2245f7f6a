/* SPDX-License-Identifier: Apache-2.0 */
/* Views of global memory: GlobalTensor objects of five dimensions. The view of
 * pto.make_tensor_view is printed only where something besides windows uses it. */
#include "analysis/number.h"
#include "backends/cpp/emitter.h"
#include "verifier/lints/windows.h"

#include <string.h>

static const char *number(Emitter *e, int64_t n) {
    return strf(e, "%lld", (long long)n);
}

static void set_extent(Emitter *e, const Value *v, int64_t known, int64_t *n, const char **text) {
    *n = known;
    if (known == DYNAMIC && !number_known(v, n)) *n = DYNAMIC;
    *text = *n == DYNAMIC ? val(e, v) : number(e, *n);
}

/* Fills the dimensions before the `rank` last ones: extent 1, and the stride of the next one. */
static void pad(Emitter *e, CppView *view, uint32_t rank) {
    for (int i = 4 - (int)rank; i >= 0; i--) {
        int64_t n = DYNAMIC;
        view->shape_n[i] = 1;
        view->shape[i] = "1";
        if (i == 4) {
            n = 1;
        } else if (view->shape_n[i + 1] != DYNAMIC && view->stride_n[i + 1] != DYNAMIC &&
                   __builtin_mul_overflow(view->shape_n[i + 1], view->stride_n[i + 1], &n)) {
            n = DYNAMIC;
        }
        view->stride_n[i] = n;
        if (n != DYNAMIC)
            view->stride[i] = number(e, n);
        else if (view->shape_n[i + 1] == 1)
            view->stride[i] = view->stride[i + 1];
        else
            view->stride[i] = strf(e, "%s * %s", view->shape[i + 1], view->stride[i + 1]);
    }
}

/* ---- layouts ---- */

typedef struct Users {
    const LowerBody *body;
    const Value *view;
    int columns; /* bit 0: a row-major vec tile is loaded or stored, bit 1: a column-major one */
    bool scale_a, scale_b, other;
    Profile profile;
} Users;

static const Value *window_source(const LowerBody *body, const Value *v, const Value *view) {
    const LowerStmt *maker;
    while (v != view && (maker = lower_maker(body, v)) != NULL && maker->form == STMT_PARTITION)
        v = stmt_value(maker, 0);
    return v;
}

static void look_at_user(const LowerStmt *s, void *arg) {
    Users *u = arg;
    const bool loads = stmt_is(s, INST_TLOAD);
    if (!loads && !stmt_is(s, INST_TSTORE)) return;
    const Value *mem = stmt_named(s, OPERAND_mem),
                *tile = stmt_named(s, loads ? OPERAND_dst : OPERAND_src);
    if (mem == NULL || tile == NULL || window_source(u->body, mem, u->view) != u->view) return;
    const Type *t = type_is_tile(tile->type) ? tile_value_type(tile) : NULL;
    if (t == NULL) return;
    BLayout bl = tile_blayout(t, u->profile);
    if (t->tile.space == SPACE_VEC) u->columns |= bl == BL_COL_MAJOR ? 2 : 1;
    bool mat = loads && t->tile.space == SPACE_MAT && t->tile.rows != 1;
    if (mat && bl == BL_ROW_MAJOR && t->tile.slayout == SL_ROW_MAJOR)
        u->scale_a = true;
    else if (mat && bl == BL_COL_MAJOR && t->tile.slayout == SL_COL_MAJOR)
        u->scale_b = true;
    else
        u->other = true;
}

/* A column, and everything of one column, is contiguous in both layouts: what loads and stores it
 * decides. */
static int64_t layout_of(Emitter *e, const LowerStmt *s, const CppView *view) {
    const NamedAttr *written = stmt_attr_named(s, ATTR_layout);
    if (written != NULL) return attr_choice(e, s, ATTR_layout, 5);
    int64_t layout = s->layout;
    const Type *t = s->results[0].type;
    Users u = {.body = e->body, .view = &s->results[0], .profile = e->opt->profile};
    if (t->elem != ELEM_F8E8M0 && (layout != 0 || !cpp_is_static(view) || view->shape_n[4] != 1))
        return layout;
    lower_walk(&e->body->region, look_at_user, &u);
    if (t->elem == ELEM_F8E8M0 && cpp_is_static(view) && u.scale_a != u.scale_b && !u.other)
        return u.scale_a ? 3 : 4;
    if (layout != 0 || view->shape_n[4] != 1) return layout;
    if (u.columns == 1 || u.columns == 2) return u.columns == 2;
    return view->shape_n[3] != 1 && view->stride_n[3] == 1;
}

/* ---- what is known of a view ---- */

static void read_make_view(Emitter *e, const LowerStmt *s, CppView *view) {
    const Type *t = s->results[0].type;
    const Operand *shape = stmt_items(s, 1), *strides = stmt_items(s, 2);
    view->base = val(e, stmt_value(s, 0));
    for (uint32_t i = 0; i < t->rank; i++) {
        uint32_t d = 5 - t->rank + i;
        set_extent(e, shape[i].value, t->dims[i], &view->shape_n[d], &view->shape[d]);
        set_extent(e, strides[i].value, DYNAMIC, &view->stride_n[d], &view->stride[d]);
    }
    pad(e, view, t->rank);
    view->layout = layout_of(e, s, view);
}

/* Returns `base + offset` of a window; offsets that are numbers are added here. */
static const char *window_base(Emitter *e, const CppView *from, const Operand *offsets,
                               unsigned n) {
    int64_t sum = 0;
    StrBuf sb;
    sb_init(&sb, e->arena);
    for (unsigned i = 0; i < n; i++) {
        unsigned d = 5 - n + i;
        int64_t at, part;
        bool known = number_known(offsets[i].value, &at);
        if (known && at == 0) continue;
        if (known && from->stride_n[d] != DYNAMIC &&
            !__builtin_mul_overflow(at, from->stride_n[d], &part) &&
            !__builtin_add_overflow(sum, part, &part)) {
            sum = part;
            continue;
        }
        if (sb.len > 0) sb_puts(&sb, " + ");
        sb_puts(&sb, val(e, offsets[i].value));
        if (from->stride_n[d] != 1) sb_printf(&sb, " * %s", from->stride[d]);
    }
    if (sum != 0) sb_printf(&sb, "%s%lld", sb.len > 0 ? " + " : "", (long long)sum);
    return sb.len > 0 ? strf(e, "%s + (%s)", from->base, sb_text(&sb)) : from->base;
}

typedef struct BoxedUse {
    const Value *window;
    bool boxed, other; /* an nz tile is loaded from it; it is more than loaded and stored */
    Profile profile;
} BoxedUse;

static bool is_nz(const Value *tile, Profile profile) {
    const Type *t = tile != NULL ? tile_value_type(tile) : NULL;
    return t != NULL && t->tile.space == SPACE_MAT && t->tile.slayout == SL_ROW_MAJOR &&
           tile_blayout(t, profile) == BL_COL_MAJOR;
}

static void look_at_boxed(const LowerStmt *s, void *arg) {
    BoxedUse *u = arg;
    const bool loads = stmt_is(s, INST_TLOAD);
    for (unsigned i = 0; i < s->nargs; i++) {
        if (s->args[i].value != u->window) continue;
        u->boxed |= loads && is_nz(stmt_named(s, OPERAND_dst), u->profile);
        u->other |= !loads && !stmt_is(s, INST_TSTORE);
    }
}

/* The library loads only windows of two dimensions into nz tiles: makes the rows the fourth. */
static void fold_rows(Emitter *e, const LowerStmt *s, CppView *view) {
    int64_t rows;
    BoxedUse u = {.window = &s->results[0], .profile = e->opt->profile};
    const int64_t bytes = elem_infos[s->results[0].type->elem].bytes;
    const bool blocks = view->shape_n[3] == 16 && view->shape_n[4] * bytes == 32; /* as in nz */
    if (view->layout != 0 || blocks ||
        (view->shape_n[0] == 1 && view->shape_n[1] == 1 && view->shape_n[2] == 1))
        return;
    const int at = window_row_dim(view->shape_n, view->stride_n, &rows);
    if (at < 0 || (rows == DYNAMIC && view->shape_n[at] != DYNAMIC)) return;
    lower_walk(&e->body->region, look_at_boxed, &u);
    if (!u.boxed || u.other) return;
    view->shape[3] = rows != DYNAMIC ? number(e, rows) : view->shape[at];
    view->shape_n[3] = rows;
    view->stride[3] = view->stride[at];
    view->stride_n[3] = view->stride_n[at];
    pad(e, view, 2);
}

static void read_window(Emitter *e, const LowerStmt *s, CppView *view) {
    const Type *t = s->results[0].type;
    const CppView *from = cpp_view(e, stmt_value(s, 0));
    const Operand *offsets = stmt_items(s, 1), *sizes = stmt_items(s, 2);
    unsigned n = stmt_count(s, 1);
    *view = *from;
    view->base = window_base(e, from, offsets, n);
    for (unsigned i = 0; i < n && i < t->rank; i++)
        set_extent(e, sizes[i].value, t->dims[i], &view->shape_n[5 - n + i],
                   &view->shape[5 - n + i]);
    pad(e, view, n);
    fold_rows(e, s, view);
}

/* A slot of a pipe is contiguous. */
static bool is_slot(const Emitter *e, const Value *v) {
    const LowerStmt *maker = lower_maker(e->body, v);
    if (maker == NULL || !maker->inst->fifo) return false;
    for (uint32_t i = 0; i < v->type->rank; i++)
        if (v->type->dims[i] == DYNAMIC) return false;
    return true;
}

bool cpp_view_is_made(const Emitter *e, const Value *v) {
    const LowerStmt *maker = lower_maker(e->body, v);
    return maker != NULL &&
           (maker->form == STMT_MAKE_VIEW || maker->form == STMT_PARTITION || is_slot(e, v));
}

/* A view of which only the variable is known. */
static void read_variable(Emitter *e, const Value *v, CppView *view) {
    const char *name = val(e, v);
    uint32_t rank = v->type->rank;
    view->base = strf(e, "%s.data()", name);
    for (uint32_t d = 0; d < 5; d++) {
        int64_t n = d + rank < 5 ? 1 : v->type->dims[d + rank - 5];
        view->shape_n[d] = n;
        view->shape[d] =
            n != DYNAMIC ? number(e, n) : strf(e, "%s.GetShape(%u)", name, (unsigned)d);
        view->stride_n[d] = DYNAMIC;
        view->stride[d] = strf(e, "%s.GetStride(%u)", name, (unsigned)d);
    }
    if (!is_slot(e, v)) return;
    view->stride_n[4] = 1;
    view->stride[4] = "1";
    for (int d = 3; d >= 0; d--)
        if (__builtin_mul_overflow(view->stride_n[d + 1], view->shape_n[d + 1], &view->stride_n[d]))
            view->stride_n[d] = INT64_MAX;
    for (int d = 0; d < 4; d++)
        view->stride[d] = number(e, view->stride_n[d]);
}

const CppView *cpp_view(Emitter *e, const Value *v) {
    CppView *view = ptrmap_get(&cpp_of(e)->views, v);
    if (view != NULL) return view;
    view = ARENA_NEW(e->arena, CppView);
    view->elem = v->type->elem_type;
    view->base = "nullptr";
    for (int i = 0; i < 5; i++) {
        view->shape_n[i] = view->stride_n[i] = 1;
        view->shape[i] = view->stride[i] = "1";
    }
    *ptrmap_at(&cpp_of(e)->views, v) = view;
    if (v->type->rank > 5 || v->type->elem_type->kind != TY_SCALAR) {
        cannot(e, (Span){v->name_off, 1}, "a view of type '" TYPE_FMT "' has no form in C++",
               TYPE_ARG(&e->ctx->names, v->type));
        return view;
    }
    const LowerStmt *maker = lower_maker(e->body, v);
    if (maker != NULL && maker->form == STMT_MAKE_VIEW)
        read_make_view(e, maker, view);
    else if (maker != NULL && maker->form == STMT_PARTITION)
        read_window(e, maker, view);
    else
        read_variable(e, v, view);
    return view;
}

/* ---- text ---- */

/* Declares the shape or the stride of a view and returns its name. */
static const char *put_extents(Emitter *e, const char *name, const char *type, const int64_t n[5],
                               const char *const text[5], bool known) {
    bool open = !known;
    StrBuf args;
    sb_init(&args, e->arena);
    for (int i = 0; i < 5; i++)
        open |= n[i] == DYNAMIC;
    for (int i = 0; open && i < 5; i++)
        sb_printf(&args, "%s%s", i > 0 ? ", " : "", text[i]);
    const char *variable = cpp_fresh(e, name);
    ln(e, "%s %s = %s(%s);", type, variable, type, sb_text(&args));
    return variable;
}

/* Returns the expression that makes a view. Its shape and its stride are variables, as in the
 * vendor's text, in which scripts look for `Shape<..> name =` and `GlobalTensor<..>(`. */
static const char *made(Emitter *e, const CppView *view, const char *name, bool open) {
    const CppViewTypes t = cpp_view_types(e, view, open);
    const bool fixed = !open && cpp_is_static(view);
    const char *shape =
        put_extents(e, strf(e, "%s_shape", name), t.shape, view->shape_n, view->shape, !open);
    const char *stride =
        put_extents(e, strf(e, "%s_stride", name), t.stride, view->stride_n, view->stride, fixed);
    return strf(e, "%s(%s, %s, %s)", t.view, view->base, shape, stride);
}

/* Returns the start of the names of what belongs to a view. */
static const char *stem_of(Emitter *e, const Value *v) {
    return cpp_as_vendor(e) ? "" : name_of(e, v);
}

const char *cpp_any_view(Emitter *e, const Value *v) {
    if (!cpp_view_is_made(e, v)) return val(e, v);
    const char *type = cpp_type(e, v->type);
    const CppView *view = cpp_view(e, v);
    if (type == NULL) return val(e, v);
    if (view->layout != 0)
        cannot(e, (Span){v->name_off, 1},
               "a view of another layout than nd has no form in C++ where it is passed on");
    const char *text = made(e, view, stem_of(e, v), true);
    const char *name = cpp_fresh(e, strf(e, "%s_passed", stem_of(e, v)));
    ln(e, "%s %s = %s;", type, name, text);
    return name;
}

const char *cpp_pointer(Emitter *e, const Value *v) {
    if (cpp_is_view(v->type)) return strf(e, "%s.data()", val(e, v));
    return cpp_type(e, v->type) != NULL ? val(e, v) : NULL;
}

/* ---- statements ---- */

static bool is_used(Emitter *e, const Value *v) {
    CppEmitter *c = cpp_of(e);
    const Local *l = c->again ? ptrmap_get(&c->before, v) : NULL;
    return !c->again || (l != NULL && l->used);
}

void cpp_make_view(Emitter *e, const LowerStmt *s) {
    const Value *v = &s->results[0];
    if (is_used(e, v)) define(e, v, "%s", made(e, cpp_view(e, v), stem_of(e, v), false));
}

/* pto.get_tensor_view_dim, pto.get_tensor_view_stride */
void cpp_view_extent(Emitter *e, const LowerStmt *s) {
    const Value *v = stmt_value(s, 0), *dim = stmt_value(s, 1);
    const CppView *view = cpp_view(e, v);
    bool shape = stmt_is(s, INST_GET_TENSOR_VIEW_DIM);
    int64_t d;
    uint32_t before = 5 - v->type->rank;
    if (number_known(dim, &d) && d >= 0 && d < v->type->rank)
        define(e, &s->results[0], "%s",
               shape ? view->shape[before + (uint32_t)d] : view->stride[before + (uint32_t)d]);
    else
        define(e, &s->results[0], "(%s).%s(static_cast<int>(%s + %u))", val(e, v),
               shape ? "GetShape" : "GetStride", val(e, dim), (unsigned)before);
}

void cpp_declare_global(Emitter *e, const LowerStmt *s) {
    const Value *v = &s->results[0];
    const char *type = cpp_type_of(e, v);
    if (type == NULL) {
        declare(e, v); /* reports it */
        return;
    }
    if (local_of(e, v)->hoisted) {
        define(e, v, "%s(nullptr)", type);
        return;
    }
    cpp_put_name(e, v);
    ln(e, "%s %s(nullptr);", type, name_of(e, v));
}

/* The window of a view from the indices to its end, as the PTO-AS form has it. */
static const char *window_from(Emitter *e, const LowerStmt *s, const Value *v, int slot) {
    unsigned n = stmt_count(s, slot);
    const Operand *o = stmt_items(s, slot);
    const CppView *from = cpp_view(e, v);
    CppView view = *from;
    if (n != v->type->rank) {
        cannot(e, s->span, "%u indices into a view of rank %u have no form in C++", n,
               (unsigned)v->type->rank);
        return val(e, v);
    }
    view.base = window_base(e, from, o, n);
    for (unsigned i = 0; i < n; i++) {
        unsigned d = 5 - n + i;
        int64_t at;
        bool known = number_known(o[i].value, &at);
        if (known && at == 0) continue;
        view.shape[d] = strf(e, "%s - %s", from->shape[d], val(e, o[i].value));
        view.shape_n[d] = known && from->shape_n[d] != DYNAMIC ? from->shape_n[d] - at : DYNAMIC;
    }
    pad(e, &view, n);
    const char *text = made(e, &view, "window", false), *name = cpp_fresh(e, "window");
    ln(e, "%s %s = %s;", cpp_view_types(e, &view, false).view, name, text);
    return name;
}

const char *cpp_view_arg(Emitter *e, const LowerStmt *s, int slot) {
    const Value *v = stmt_value(s, slot);
    int offsets = inst_slot(s->inst, OPERAND_offsets);
    if (offsets >= 0 && stmt_count(s, offsets) > 0) return window_from(e, s, v, offsets);
    return val(e, v);
}
