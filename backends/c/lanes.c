/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of one work item: unsigned integers of their size, with the first element in the low
 * bits. Arithmetic is that of scalars, element by element. */
#include "backends/c/emitter.h"

#include "ir/dense.h"

#include <string.h>

static unsigned width_of(const Type *t) {
    return vector_bits(t) / (unsigned)t->count;
}

/* Returns element `i` of a vector as a scalar. */
static const char *lane(Emitter *e, const Value *v, unsigned i) {
    const unsigned width = width_of(v->type);
    const char *bits = strf(e, "(uint%u_t)(%s >> %u)", width, val(e, v), i * width);
    if (v->type->elem == ELEM_F32) return strf(e, "ptrt_f32_of_bits(%s)", bits);
    return strf(e, "(%s)%s", elem_infos[v->type->elem].c, bits);
}

/* Returns a scalar as element `i` of a vector of this type. */
static const char *placed(Emitter *e, const Type *t, unsigned i, const char *x) {
    const unsigned width = width_of(t);
    const char *bits = t->elem == ELEM_F32 ? strf(e, "ptrt_bits_of_f32(%s)", x)
                                           : strf(e, "(uint%u_t)%s", width, x);
    const char *wide = strf(e, "(uint%u_t)%s", vector_bits(t), bits);
    return i == 0 ? wide : strf(e, "%s << %u", wide, i * width);
}

void emit_by_lanes(Emitter *e, const LowerStmt *s) {
    const Value *r = &s->results[0];
    const char *suffix = elem_suffix(r->type->elem);
    StrBuf all;
    sb_init(&all, e->arena);
    for (unsigned i = 0; suffix != NULL && i < r->type->count; i++) {
        StrBuf args;
        sb_init(&args, e->arena);
        for (unsigned k = 0; k < s->nargs; k++)
            sb_printf(&args, "%s%s", k > 0 ? ", " : "", lane(e, s->args[k].value, i));
        const char *x =
            strf(e, "ptrt_%s_%s(%s)", strchr(s->inst->name, '.') + 1, suffix, sb_text(&args));
        sb_printf(&all, "%s%s", i > 0 ? " | " : "", placed(e, r->type, i, x));
    }
    if (suffix != NULL)
        define(e, r, "(uint%u_t)(%s)", vector_bits(r->type), sb_text(&all));
    else
        cannot(e, s->name_span, "%s on '" TYPE_FMT "' has no form in C", s->inst->name,
               TYPE_ARG(&e->ctx->names, r->type));
}

/* ---- constants ---- */

bool dense_elements(Emitter *e, const NamedAttr *attr, int elem, unsigned n, uint64_t *out) {
    Dense d;
    Attr one;
    if (attr == NULL || !dense_open(&d, &e->ctx->names, attr->value) ||
        !dense_has(&d, (Elem)elem, n))
        return false;
    for (unsigned i = 0; i < n; i++) {
        if (!dense_next(&d, (Elem)elem, &one)) return false;
        if (one.kind == ATTR_INT)
            out[i] = (uint64_t)one.i;
        else if (!constant_bits(&one, elem, &out[i]))
            return false;
    }
    return true;
}

bool emit_dense(Emitter *e, const Value *r, const NamedAttr *attr) {
    const unsigned width = vector_bits(r->type) != 0 ? width_of(r->type) : 0;
    uint64_t all = 0, bits[64];
    if (width == 0 || !dense_elements(e, attr, r->type->elem, r->type->count, bits)) return false;
    for (unsigned i = 0; i < r->type->count; i++) {
        if (width < 64) bits[i] &= (UINT64_C(1) << width) - 1;
        all |= bits[i] << i * width;
    }
    define(e, r, vector_bits(r->type) == 64 ? "UINT64_C(0x%llx)" : "0x%llxu",
           (unsigned long long)all);
    return true;
}

/* ---- casts ---- */

/* Returns the bits of a scalar or vector as an unsigned integer; NULL when C has none. */
static const char *bits_of(Emitter *e, const Value *v, unsigned *width) {
    const Type *t = v->type;
    *width = vector_bits(t);
    if (*width != 0) return val(e, v);
    if (t->kind != TY_SCALAR || c_scalar(t) == NULL || t->elem == ELEM_I1) return NULL;
    *width = pointee_bytes(t) * 8;
    if (t->elem == ELEM_F32 || t->elem == ELEM_F64)
        return strf(e, "ptrt_bits_of_f%u(%s)", *width, val(e, v));
    return strf(e, "(uint%u_t)%s", *width, val(e, v));
}

/* llvm.bitcast, and arith.bitcast of vectors. */
void emit_cast_bits(Emitter *e, const LowerStmt *s) {
    const Value *r = &s->results[0];
    unsigned width, to = vector_bits(r->type);
    const char *bits = bits_of(e, s->args[0].value, &width);
    if (to == 0)
        to = r->type->kind == TY_SCALAR && c_scalar(r->type) ? pointee_bytes(r->type) * 8 : 0;
    if (bits == NULL || to != width)
        cannot(e, s->name_span, "%s to '" TYPE_FMT "' has no form in C", s->inst->name,
               TYPE_ARG(&e->ctx->names, r->type));
    else if (r->type->elem == ELEM_F32 && r->type->kind == TY_SCALAR)
        define(e, r, "ptrt_f32_of_bits(%s)", bits);
    else if (r->type->elem == ELEM_F64 && r->type->kind == TY_SCALAR)
        define(e, r, "ptrt_f64_of_bits(%s)", bits);
    else
        define(e, r, "(%s)%s", c_type(e->arena, r->type), bits);
}
