/* SPDX-License-Identifier: Apache-2.0 */
/* C++ types for the types of the language: scalars, pointers, tiles, views, records. */
#include "backends/cpp/emitter.h"

#include <string.h>

bool cpp_is_view(const Type *t) {
    return t->kind == TY_TENSOR_VIEW || t->kind == TY_PART_VIEW;
}

const char *cpp_elem(int elem) {
    return elem_infos[elem].cpp;
}

const char *cpp_scalar(const Type *t) {
    return t->kind == TY_SCALAR ? elem_infos[t->elem].cpp : NULL;
}

const char *cpp_unsigned(const Type *t) {
    switch (elem_int_width((Elem)t->elem)) {
    case 8:
        return "uint8_t";
    case 16:
        return "uint16_t";
    case 32:
        return "uint32_t";
    case 64:
        return "uint64_t";
    default:
        return NULL;
    }
}

/* ---- tiles ---- */

static bool is_fp8(int elem) {
    return elem_infos[elem].cls == 'L' && elem != ELEM_F8E8M0 && !elem_is_fp4((Elem)elem);
}

static const char *location(const Type *t, BLayout bl) {
    static const char *const names[SPACE_COUNT] = {
        [SPACE_MAT] = "Mat", [SPACE_LEFT] = "Left", [SPACE_RIGHT] = "Right",    [SPACE_ACC] = "Acc",
        [SPACE_VEC] = "Vec", [SPACE_BIAS] = "Bias", [SPACE_SCALING] = "Scaling"};
    const TileInfo *ti = &t->tile;
    if (ti->space == SPACE_SCALING && t->elem == ELEM_F8E8M0 && ti->slayout != SL_NONE_BOX)
        return bl == BL_ROW_MAJOR ? "ScaleLeft" : "ScaleRight";
    return names[ti->space];
}

/* Returns a valid extent as a template argument. A tile without valid elements has no constructor,
 * so that its extent is one of run time. */
static long long valid_arg(int64_t valid) {
    return valid == DYNAMIC || valid == 0 ? -1 : (long long)valid;
}

static const char *tile_text(Emitter *e, const Type *t) {
    static const char *const slayouts[] = {"NoneBox", "RowMajor", "ColMajor"};
    static const char *const pads[] = {"Null", "Zero", "Max", "Min"};
    static const char *const compacts[] = {"Null", "Normal", "RowPlusOne"};
    if (t == NULL || (t->kind != TY_TILE && t->kind != TY_MULTI_TILE) ||
        elem_infos[t->elem].cpp == NULL)
        return NULL;
    const TileInfo *ti = &t->tile;
    BLayout bl = tile_blayout(t, e->opt->profile);
    const char *loc = location(t, bl);
    if (loc == NULL) return NULL;
    int64_t rows = ti->rows, cols = ti->cols, vrow = ti->vrow, vcol = ti->vcol;
    bool low = is_fp8(t->elem) || elem_is_fp4((Elem)t->elem);
    if (low && ti->space == SPACE_LEFT && rows != 1) vcol = cols;
    if (low && ti->space == SPACE_RIGHT && vrow != DYNAMIC) vrow = rows;
    if (elem_is_fp4((Elem)t->elem)) {
        int64_t *whole = bl == BL_COL_MAJOR ? &rows : &cols;
        int64_t *valid = bl == BL_COL_MAJOR ? &vrow : &vcol;
        *whole *= 2;
        if (*valid != DYNAMIC) *valid *= 2;
    }
    return strf(e,
                "Tile<TileType::%s, %s, %lld, %lld, BLayout::%s, %lld, %lld, SLayout::%s, %u, "
                "PadValue::%s, CompactMode::%s>",
                loc, elem_infos[t->elem].cpp, (long long)rows, (long long)cols,
                bl == BL_ROW_MAJOR ? "RowMajor" : "ColMajor", valid_arg(vrow), valid_arg(vcol),
                slayouts[ti->slayout], (unsigned)ti->fractal, pads[ti->pad], compacts[ti->compact]);
}

const char *cpp_tile(Emitter *e, const Type *t) {
    void **known = t != NULL ? ptrmap_at(&cpp_of(e)->tiles, t) : NULL;
    if (known != NULL && *known != NULL) return *known;
    const char *text = tile_text(e, t);
    if (known != NULL) *known = (void *)(uintptr_t)text;
    return text;
}

/* ---- views ---- */

bool cpp_is_static(const CppView *view) {
    for (int i = 0; i < 5; i++)
        if (view->shape_n[i] == DYNAMIC || view->stride_n[i] == DYNAMIC) return false;
    return true;
}

static const char *extents(Emitter *e, const char *name, const int64_t n[5], bool known) {
    StrBuf sb;
    sb_init(&sb, e->arena);
    sb_printf(&sb, "pto::%s<", name);
    for (int i = 0; i < 5; i++)
        sb_printf(&sb, "%s%lld", i > 0 ? ", " : "",
                  !known || n[i] == DYNAMIC ? -1 : (long long)n[i]);
    sb_putc(&sb, '>');
    return sb_text(&sb);
}

static const char *const layouts[] = {"ND", "DN", "NZ", "MX_A_ZZ", "MX_B_NN"};

/* Sets the types of the shape and the stride of a view of scales, whose blocks are whole. */
static void set_scale_types(Emitter *e, const CppView *view, CppViewTypes *t) {
    const bool left = view->layout == 3;
    const long long r = left ? 16 : 2, c = left ? 2 : 16;
    const long long rows = ((long long)view->shape_n[3] + r - 1) / r * r;
    const long long cols = ((long long)view->shape_n[4] + c - 1) / c * c;
    const char *args = strf(e, "<%s, %lld, %lld, pto::Layout::%s>", cpp_scalar(view->elem), rows,
                            cols, layouts[view->layout]);
    t->shape = strf(e, "TileShape2D%s", args);
    t->stride = strf(e, "BaseShape2D%s", args);
}

CppViewTypes cpp_view_types(Emitter *e, const CppView *view, bool open) {
    const bool fixed = !open && cpp_is_static(view);
    CppViewTypes t;
    if (view->layout >= 3 && fixed) {
        set_scale_types(e, view, &t);
    } else {
        t.shape = extents(e, "Shape", view->shape_n, !open);
        t.stride = extents(e, "Stride", view->stride_n, fixed);
    }
    t.view = strf(e, "GlobalTensor<%s, %s, %s, pto::Layout::%s>", cpp_scalar(view->elem), t.shape,
                  t.stride, layouts[open ? 0 : view->layout]);
    return t;
}

/* ---- all types ---- */

static const char *const spaces[SPACE_COUNT] = {
    [SPACE_ZERO] = "__gm__",  [SPACE_GM] = "__gm__",    [SPACE_MAT] = "__cbuf__",
    [SPACE_LEFT] = "__ca__",  [SPACE_RIGHT] = "__cb__", [SPACE_ACC] = "__cc__",
    [SPACE_VEC] = "__ubuf__", [SPACE_BIAS] = "__gm__",  [SPACE_SCALING] = "__fbuf__"};

static void put_field(StrBuf *out, const Type *t, const Interner *in) {
    if (t->kind == TY_STRUCT) {
        sb_puts(out, "S_");
        for (uint32_t i = 0; i < t->ntypes; i++) {
            put_field(out, t->types[i], in);
            sb_putc(out, '_');
        }
        sb_putc(out, 'E');
        return;
    }
    const char *text = atom_text(in, t->text);
    size_t n = atom_len(in, t->text);
    for (size_t i = 0; i < n; i++) {
        bool word = (text[i] >= 'a' && text[i] <= 'z') || (text[i] >= 'A' && text[i] <= 'Z') ||
                    (text[i] >= '0' && text[i] <= '9');
        sb_putc(out, word ? text[i] : '_');
    }
}

const char *cpp_struct(Emitter *e, const Type *t) {
    CppEmitter *c = cpp_of(e);
    StrBuf name, fields;
    sb_init(&name, e->arena);
    sb_init(&fields, e->arena);
    sb_puts(&name, "PtoStruct");
    for (uint32_t i = 0; i < t->ntypes; i++) {
        const Type *field = t->types[i];
        const char *type = field->kind == TY_STRUCT ? cpp_struct(e, field) : cpp_scalar(field);
        if (type == NULL) return NULL;
        sb_putc(&name, '_');
        put_field(&name, field, &e->ctx->names);
        sb_printf(&fields, "  %s f%u;\n", type, (unsigned)i);
    }
    const char *text = sb_text(&name);
    if (intern_find(&c->struct_names, text, strlen(text)) == 0) {
        intern_copy(&c->struct_names, text, strlen(text));
        if (e->opt->embed) cpp_begin_helper(e, &c->structs, text);
        sb_printf(&c->structs, "struct %s {\n%s};\n", text, sb_text(&fields));
        cpp_end_helper(e, &c->structs);
        if (!e->opt->embed) sb_putc(&c->structs, '\n');
    }
    return text;
}

static const char *pointer_type(Emitter *e, const Type *t) {
    const char *elem = cpp_scalar(t->elem_type);
    return elem != NULL && spaces[t->space] != NULL ? strf(e, "%s %s*", spaces[t->space], elem)
                                                    : NULL;
}

const char *cpp_type(Emitter *e, const Type *t) {
    switch (t->kind) {
    case TY_SCALAR:
        return cpp_scalar(t);
    case TY_TILE:
        return cpp_tile(e, t);
    case TY_PTR:
        return pointer_type(e, t);
    case TY_TENSOR_VIEW:
    case TY_PART_VIEW:
        return cpp_elem(t->elem) == NULL
                   ? NULL
                   : strf(e,
                          "GlobalTensor<%s, pto::Shape<-1, -1, -1, -1, -1>, pto::Stride<-1, -1, "
                          "-1, -1, -1>, pto::Layout::ND>",
                          cpp_elem(t->elem));
    case TY_VECTOR:
        return t->elem == ELEM_I16 && t->count == 4 ? "pto::MrgSortExecutedNumList" : NULL;
    case TY_OPAQUE:
        return t->elem_type != NULL && t->space == SPACE_GM ? pointer_type(e, t) : NULL;
    case TY_ASYNC_SESSION:
        return "pto::comm::AsyncSession";
    case TY_ASYNC_EVENT:
        return "pto::comm::AsyncEvent";
    case TY_PREFETCH_CONTEXT:
        return "pto::PrefetchAsyncContext";
    case TY_EVENT_ARRAY:
        return strf(e, "PTOAS_EventIdArray<%u>", (unsigned)t->count);
    case TY_STRUCT: {
        const char *name = cpp_struct(e, t);
        return name != NULL ? strf(e, "%s&", name) : NULL;
    }
    default:
        return NULL;
    }
}

/* The result of a statement that makes a view has the type of that view. */
const char *cpp_type_of(Emitter *e, const Value *v) {
    if (type_is_tile(v->type)) return cpp_tile(e, cpp_tile_type(e, v));
    if (cpp_is_view(v->type) && cpp_view_is_made(e, v))
        return cpp_view_types(e, cpp_view(e, v), false).view;
    return cpp_type(e, v->type);
}
