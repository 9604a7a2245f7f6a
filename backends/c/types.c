/* SPDX-License-Identifier: Apache-2.0 */
/* C types and constants for the types of the language: scalars, pointers, tiles, views. */
#include "backends/c/emitter.h"

#include <string.h>

static const char *const elem_consts[ELEM_COUNT] = {
#define ELEM(name, text, bytes, cls, c, suffix, runtime, cpp, ...) [ELEM_##name] = "PTRT_" #runtime,
#include "ir/elem.def"
#undef ELEM
};

const char *elem_const(int elem) {
    return kernel_elem(elem) >= 0 ? elem_consts[elem] : NULL;
}

const char *elem_suffix(int elem) {
    return elem_infos[elem].suffix;
}

const char *storage_suffix(int elem) {
    if (elem_suffix(elem) != NULL) return elem_suffix(elem);
    if (elem_infos[elem].cls != 'L') return NULL;
    unsigned bytes = elem_infos[elem].bytes;
    return bytes == 1 ? "u8" : bytes == 2 ? "u16" : "u32";
}

const char *c_scalar(const Type *t) {
    return t->kind == TY_SCALAR ? elem_infos[t->elem].c : NULL;
}

bool is_gm_pointer(const Type *t) {
    return t->kind == TY_PTR && (t->space == SPACE_GM || t->space == SPACE_ZERO);
}

bool is_gm_memref(const Type *t) {
    return t->kind == TY_OPAQUE && t->elem_type != NULL && t->space == SPACE_GM;
}

bool is_i16x4(const Type *t) {
    return t->kind == TY_VECTOR && t->elem == ELEM_I16 && t->count == 4;
}

/* A vector of one work item is an unsigned integer of its size, the first element in the low bits.
 */
unsigned vector_bits(const Type *t) {
    const unsigned bytes = t->kind == TY_VECTOR && !is_i16x4(t) ? pointee_bytes(t) : 0;
    return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 ? bytes * 8 : 0;
}

static const char *vector_type(const Type *t) {
    static const char *const types[] = {
        [8] = "uint8_t", [16] = "uint16_t", [32] = "uint32_t", [64] = "uint64_t"};
    return types[vector_bits(t)];
}

bool type_is_view(const Type *t) {
    return t->kind == TY_TENSOR_VIEW || t->kind == TY_PART_VIEW;
}

unsigned pointee_bytes(const Type *elem_type) {
    if (elem_type->kind != TY_SCALAR && elem_type->kind != TY_VECTOR) return 0;
    const unsigned n = elem_type->kind == TY_VECTOR ? (unsigned)elem_type->count : 1;
    return n * (elem_type->elem == ELEM_INDEX ? 8 : elem_infos[elem_type->elem].bytes);
}

const char *c_type(Arena *a, const Type *t) {
    if (t->kind == TY_SCALAR) return c_scalar(t);
    if (t->kind == TY_PTR || is_gm_memref(t)) {
        const char *elem = c_scalar(t->elem_type);
        if (elem == NULL) elem = vector_type(t->elem_type);
        if (elem == NULL) return NULL;
        return t->kind != TY_PTR || is_gm_pointer(t) ? arena_printf(a, "%s *", elem) : "int64_t";
    }
    if (type_is_tile(t) || t->kind == TY_MULTI_TILE) return "ptrt_tile";
    if (is_i16x4(t)) return "ptrt_i16x4";
    if (t->kind == TY_VECTOR) return vector_type(t);
    const unsigned span = lower_register_span(t);
    if (span > 0) return span == 1 ? "ptrt_vreg" : arena_printf(a, "pto_vregs%u", span);
    if (t->kind == TY_MASK) return "ptrt_mask";
    if (t->kind == TY_ALIGN) return "ptrt_align";
    if (t->kind == TY_EVENT_ARRAY || t->kind == TY_LOCAL_ARRAY || t->kind == TY_STRUCT)
        return "void *";
    if (t->kind == TY_ASYNC_SESSION || t->kind == TY_ASYNC_EVENT || t->kind == TY_PREFETCH_CONTEXT)
        return "int64_t";
    return type_is_view(t) ? "ptrt_view" : NULL;
}

const char *c_param(Arena *a, const Type *t) {
    if (type_is_tile(t)) return "const ptrt_tile *";
    if (type_is_view(t)) return "const ptrt_view *";
    if (lower_register_span(t) > 0) return arena_printf(a, "const %s *", c_type(a, t));
    return c_type(a, t);
}

const char *space_const(int space) {
    static const char *const names[SPACE_COUNT] = {
        [SPACE_ZERO] = "PTRT_GM",   [SPACE_GM] = "PTRT_GM",       [SPACE_MAT] = "PTRT_MAT",
        [SPACE_LEFT] = "PTRT_LEFT", [SPACE_RIGHT] = "PTRT_RIGHT", [SPACE_ACC] = "PTRT_ACC",
        [SPACE_VEC] = "PTRT_VEC",   [SPACE_BIAS] = "PTRT_BIAS",   [SPACE_SCALING] = "PTRT_SCALING"};
    return names[space];
}

const char *emit_elem_const(int elem) {
    return elem_const(elem);
}

const char *emit_tile_init(const Type *t, Profile profile, Arena *arena) {
    static const char *const slayouts[] = {"PTRT_NONE_BOX", "PTRT_BOX_ROW_MAJOR",
                                           "PTRT_BOX_COL_MAJOR"};
    static const char *const pads[] = {"PTRT_PAD_NULL", "PTRT_PAD_ZERO", "PTRT_PAD_MAX",
                                       "PTRT_PAD_MIN"};
    static const char *const compacts[] = {"PTRT_COMPACT_NULL", "PTRT_COMPACT_NORMAL",
                                           "PTRT_ROW_PLUS_ONE"};
    bool tile = t != NULL && (t->kind == TY_TILE || t->kind == TY_MULTI_TILE);
    if (!tile || elem_const(t->elem) == NULL) return NULL;
    const TileInfo *ti = &t->tile;
    BLayout bl = tile_blayout(t, profile);
    return arena_printf(arena, "{%s, %s, %s, %s, %u, %s, %s, %lld, %lld}", elem_const(t->elem),
                        space_const(ti->space),
                        bl == BL_ROW_MAJOR ? "PTRT_ROW_MAJOR" : "PTRT_COL_MAJOR",
                        slayouts[ti->slayout], (unsigned)ti->fractal, pads[ti->pad],
                        compacts[ti->compact], (long long)ti->rows, (long long)ti->cols);
}

const char *tile_type_ref(Emitter *e, const Type *t, Span at) {
    const char *init = emit_tile_init(t, e->opt->profile, e->arena);
    if (init == NULL) {
        cannot(e, at, "the type of this tile is not known or has no form in C");
        return NULL;
    }
    uint32_t known = c_of(e)->type_texts.count;
    Atom atom = intern_copy(&c_of(e)->type_texts, init, strlen(init));
    if (c_of(e)->type_texts.count != known)
        sb_printf(&c_of(e)->types, "static const ptrt_tile_type pto_tile_%u = %s;\n",
                  (unsigned)atom - 1, init);
    return strf(e, "&pto_tile_%u", (unsigned)atom - 1);
}

static bool is_half(int elem) {
    return elem == ELEM_F16 || elem == ELEM_BF16;
}

static const char *convert_float(Arena *a, int from, int to, const char *x) {
    const char *f = elem_suffix(from), *t = elem_suffix(to);
    if (is_half(from) && is_half(to))
        return arena_printf(a, "ptrt_truncf_f32_%s(ptrt_extf_%s_f32(%s), PTRT_NEAREST_EVEN)", t, f,
                            x);
    if (elem_infos[from].bytes < elem_infos[to].bytes)
        return arena_printf(a, "ptrt_extf_%s_%s(%s)", f, t, x);
    return arena_printf(a, "ptrt_truncf_%s_%s(%s, PTRT_NEAREST_EVEN)", f, t, x);
}

const char *convert_scalar(Arena *a, int from, int to, const char *x) {
    const char *f = elem_suffix(from), *t = elem_suffix(to);
    if (from == to) return x;
    if (t == NULL || (f == NULL && from != ELEM_I1)) return NULL;
    bool from_float = elem_is_float((Elem)from), to_float = elem_is_float((Elem)to);
    bool from_unsigned = elem_infos[from].cls == 'U' || from == ELEM_I1;
    if (from_float && to_float) return convert_float(a, from, to, x);
    if (to_float)
        return from_unsigned ? arena_printf(a, "ptrt_uitofp_%s((uint64_t)%s)", t, x)
                             : arena_printf(a, "ptrt_sitofp_%s((int64_t)%s)", t, x);
    const char *c = elem_infos[to].c;
    if (from_float)
        return arena_printf(a, "(%s)ptrt_fpto%s_%s_i%u(%s)", c,
                            elem_infos[to].cls == 'U' ? "ui" : "si", f, elem_int_width((Elem)to),
                            x);
    return arena_printf(a, "(%s)%s", c, x);
}
