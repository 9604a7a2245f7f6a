/* SPDX-License-Identifier: Apache-2.0 */
/* Scalar arithmetic (arith.*, signedness casts). Instructions become calls ptrt_<op>_<elem>, whose
 * results are defined in all cases and never contracted. i1 is computed as the i8 that sign-extends
 * it, of which the low bit is the result: arithmetic modulo 2. */
#include "backends/c/emitter.h"
#include "support/number.h"

#include <math.h>
#include <string.h>

/* Returns `muli` for `arith.muli`. */
static const char *short_name(const LowerStmt *s) {
    return strchr(s->inst->name, '.') + 1;
}

static int elem_of(const Value *v) {
    return v->type->kind == TY_SCALAR ? v->type->elem : ELEM_NONE;
}

static const Value *operand(const LowerStmt *s, unsigned i) {
    return s->args[i].value;
}

/* Reports operands and results that C cannot compute with (i7, tf32, ...). */
static bool computable(Emitter *e, const LowerStmt *s) {
    for (unsigned i = 0; i < s->nargs; i++) {
        int el = elem_of(operand(s, i));
        if (el == ELEM_I1 || elem_suffix(el) != NULL) continue;
        cannot(e, s->args[i].span, "%s on '" TYPE_FMT "' has no form in C", s->inst->name,
               TYPE_ARG(&e->ctx->names, operand(s, i)->type));
        return false;
    }
    for (unsigned i = 0; i < s->nresults; i++)
        if (c_scalar(s->results[i].type) == NULL || elem_of(&s->results[i]) == ELEM_TF32) {
            cannot(e, s->name_span, "%s to '" TYPE_FMT "' has no form in C", s->inst->name,
                   TYPE_ARG(&e->ctx->names, s->results[i].type));
            return false;
        }
    return true;
}

/* Returns the value as a signed number: an i1 is 0 or -1. */
static const char *signed_val(Emitter *e, const Value *v) {
    return elem_of(v) == ELEM_I1 ? strf(e, "(int8_t)-%s", val(e, v)) : val(e, v);
}

static const char *arith_suffix(const Value *v) {
    return elem_of(v) == ELEM_I1 ? "i8" : elem_suffix(elem_of(v));
}

void emit_binary(Emitter *e, const LowerStmt *s) {
    if (vector_bits(s->results[0].type) != 0) {
        emit_by_lanes(e, s);
        return;
    }
    if (!computable(e, s)) return;
    const Value *x = operand(s, 0), *y = operand(s, 1);
    const char *call = strf(e, "ptrt_%s_%s(%s, %s)", short_name(s), arith_suffix(x),
                            signed_val(e, x), signed_val(e, y));
    if (elem_of(x) == ELEM_I1)
        define(e, &s->results[0], "(%s & 1) != 0", call);
    else
        define(e, &s->results[0], "%s", call);
}

void emit_bitwise(Emitter *e, const LowerStmt *s) {
    if (vector_bits(s->results[0].type) == 0 && !computable(e, s)) return;
    const char *name = short_name(s);
    const char *sign = name[0] == 'a' ? "&" : name[0] == 'o' ? "|" : "^";
    define(e, &s->results[0], "(%s)(%s %s %s)", c_type(e->arena, s->results[0].type),
           val(e, operand(s, 0)), sign, val(e, operand(s, 1)));
}

/* Instructions with two results: the call stores the second through a pointer. */
void emit_extended(Emitter *e, const LowerStmt *s) {
    if (!computable(e, s)) return;
    const Value *x = operand(s, 0), *y = operand(s, 1);
    const Value *low = &s->results[0], *high = &s->results[1];
    bool bits = elem_of(x) == ELEM_I1;
    declare(e, low);
    declare(e, high);
    open_block(e);
    bool carry = stmt_is(s, INST_ADDUI_EXTENDED);
    ln(e, "%s pto_high;", carry ? "bool" : bits ? "int8_t" : c_scalar(high->type));
    ln(e,
       bits ? "%s = (ptrt_%s_%s(%s, %s, &pto_high) & 1) != 0;"
            : "%s = ptrt_%s_%s(%s, %s, &pto_high);",
       name_of(e, low), short_name(s), arith_suffix(x), signed_val(e, x), signed_val(e, y));
    ln(e, bits && !carry ? "%s = (pto_high & 1) != 0;" : "%s = pto_high;", name_of(e, high));
    close_brace(e);
    defined(e, low);
    defined(e, high);
}

void emit_negf(Emitter *e, const LowerStmt *s) {
    if (vector_bits(s->results[0].type) != 0)
        emit_by_lanes(e, s);
    else if (computable(e, s))
        define(e, &s->results[0], "ptrt_negf_%s(%s)", elem_suffix(elem_of(operand(s, 0))),
               val(e, operand(s, 0)));
}

void emit_cmpi(Emitter *e, const LowerStmt *s) {
    static const struct {
        const char *sign;
        bool is_unsigned;
    } preds[] = {{"==", 0}, {"!=", 0}, {"<", 0},  {"<=", 0}, {">", 0},
                 {">=", 0}, {"<", 1},  {"<=", 1}, {">", 1},  {">=", 1}};
    if (!computable(e, s)) return;
    const Value *x = operand(s, 0), *y = operand(s, 1);
    int64_t pred = attr_choice(e, s, ATTR_predicate, 10);
    if (pred < 0) return;
    if (x == y) { /* avoids a compiler warning */
        bool holds = strchr(preds[pred].sign, '=') != NULL && pred != 1;
        define(e, &s->results[0], "((void)%s, %s)", val(e, x), holds ? "true" : "false");
    } else if (preds[pred].is_unsigned) {
        const char *cast =
            strf(e, "(uint%u_t)", elem_of(x) == ELEM_I1 ? 8 : elem_int_width((Elem)elem_of(x)));
        define(e, &s->results[0], "%s%s %s %s%s", cast, val(e, x), preds[pred].sign, cast,
               val(e, y));
    } else {
        define(e, &s->results[0], "%s %s %s", signed_val(e, x), preds[pred].sign, signed_val(e, y));
    }
}

void emit_cmpf(Emitter *e, const LowerStmt *s) {
    static const char *const preds[] = {"FALSE", "OEQ", "OGT", "OGE", "OLT", "OLE", "ONE", "ORD",
                                        "UEQ",   "UGT", "UGE", "ULT", "ULE", "UNE", "UNO", "TRUE"};
    if (!computable(e, s)) return;
    int64_t pred = attr_choice(e, s, ATTR_predicate, 16);
    if (pred < 0) return;
    define(e, &s->results[0], "ptrt_cmpf_%s(PTRT_CMPF_%s, %s, %s)",
           elem_suffix(elem_of(operand(s, 0))), preds[pred], val(e, operand(s, 0)),
           val(e, operand(s, 1)));
}

void emit_select(Emitter *e, const LowerStmt *s) {
    define(e, &s->results[0], "%s ? %s : %s", val(e, operand(s, 0)), val(e, operand(s, 1)),
           val(e, operand(s, 2)));
}

/* index_cast, extsi, trunci: keep the low bits, or extend the sign. */
void emit_cast_signed(Emitter *e, const LowerStmt *s) {
    if (!computable(e, s)) return;
    const Value *x = operand(s, 0);
    if (elem_of(&s->results[0]) == ELEM_I1)
        define(e, &s->results[0], "(%s & 1) != 0", val(e, x));
    else
        define(e, &s->results[0], "(%s)%s", c_scalar(s->results[0].type),
               elem_of(x) == ELEM_I1 ? strf(e, "-(int)%s", val(e, x)) : val(e, x));
}

/* index_castui, extui: extend with zeros. */
void emit_cast_unsigned(Emitter *e, const LowerStmt *s) {
    if (!computable(e, s)) return;
    const Value *x = operand(s, 0);
    if (elem_of(&s->results[0]) == ELEM_I1)
        define(e, &s->results[0], "(%s & 1) != 0", val(e, x));
    else if (elem_of(x) == ELEM_I1)
        define(e, &s->results[0], "(%s)%s", c_scalar(s->results[0].type), val(e, x));
    else
        define(e, &s->results[0], "(%s)(uint%u_t)%s", c_scalar(s->results[0].type),
               elem_int_width((Elem)elem_of(x)), val(e, x));
}

void emit_extf(Emitter *e, const LowerStmt *s) {
    if (computable(e, s))
        define(e, &s->results[0], "ptrt_extf_%s_%s(%s)", elem_suffix(elem_of(operand(s, 0))),
               elem_suffix(elem_of(&s->results[0])), val(e, operand(s, 0)));
}

void emit_truncf(Emitter *e, const LowerStmt *s) {
    static const char *const modes[] = {"PTRT_NEAREST_EVEN", "PTRT_DOWNWARD", "PTRT_UPWARD",
                                        "PTRT_TOWARD_ZERO", "PTRT_NEAREST_AWAY"};
    if (!computable(e, s)) return;
    int64_t mode = attr_choice(e, s, ATTR_roundingmode, 5);
    if (mode < 0) return;
    define(e, &s->results[0], "ptrt_truncf_%s_%s(%s, %s)", elem_suffix(elem_of(operand(s, 0))),
           elem_suffix(elem_of(&s->results[0])), val(e, operand(s, 0)), modes[mode]);
}

void emit_int_to_float(Emitter *e, const LowerStmt *s) {
    if (!computable(e, s)) return;
    const Value *x = operand(s, 0);
    const char *to = elem_suffix(elem_of(&s->results[0]));
    if (short_name(s)[0] == 's')
        define(e, &s->results[0], "ptrt_sitofp_%s(%s)", to, signed_val(e, x));
    else if (elem_of(x) == ELEM_I1)
        define(e, &s->results[0], "ptrt_uitofp_%s(%s)", to, val(e, x));
    else
        define(e, &s->results[0], "ptrt_uitofp_%s((uint%u_t)%s)", to,
               elem_int_width((Elem)elem_of(x)), val(e, x));
}

/* An i1 saturates too: signed values below 0 become -1, unsigned ones above 0 become 1. */
void emit_float_to_int(Emitter *e, const LowerStmt *s) {
    if (!computable(e, s)) return;
    const Value *x = operand(s, 0), *r = &s->results[0];
    const char *from = elem_suffix(elem_of(x));
    if (elem_of(r) == ELEM_I1)
        define(e, r, "ptrt_fptosi_%s_i8(%s) %s 0", from, val(e, x),
               stmt_is(s, INST_FPTOSI) ? "<" : ">");
    else
        define(e, r, "ptrt_%s_%s_%s(%s)", short_name(s), from, elem_suffix(elem_of(r)), val(e, x));
}

void emit_bitcast(Emitter *e, const LowerStmt *s) {
    if (vector_bits(operand(s, 0)->type) != 0) {
        emit_cast_bits(e, s);
        return;
    }
    if (!computable(e, s)) return;
    const Value *x = operand(s, 0), *r = &s->results[0];
    bool wide_from = elem_of(x) == ELEM_F32 || elem_of(x) == ELEM_F64;
    bool wide_to = elem_of(r) == ELEM_F32 || elem_of(r) == ELEM_F64;
    unsigned bits = elem_infos[elem_of(r)].bytes * 8u;
    if (wide_from == wide_to)
        define(e, r, "(%s)%s", c_scalar(r->type), val(e, x));
    else if (wide_from)
        define(e, r, "(%s)ptrt_bits_of_f%u(%s)", c_scalar(r->type), bits, val(e, x));
    else
        define(e, r, "ptrt_f%u_of_bits((uint%u_t)%s)", bits, bits, val(e, x));
}

/* builtin.unrealized_conversion_cast: same bits, other signedness. */
void emit_resign(Emitter *e, const LowerStmt *s) {
    if (c_scalar(operand(s, 0)->type) == NULL || c_scalar(s->results[0].type) == NULL)
        cannot(e, s->name_span, "a cast to '" TYPE_FMT "' has no form in C",
               TYPE_ARG(&e->ctx->names, s->results[0].type));
    else
        define(e, &s->results[0], "(%s)%s", c_scalar(s->results[0].type), val(e, operand(s, 0)));
}

/* ---- constants ---- */

/* Returns the 16 bits of a double in a format with `exp_bits` exponent and `man_bits` mantissa
 * bits, rounded to nearest even. */
static uint16_t narrow_float(double d, int exp_bits, int man_bits) {
    uint16_t sign = signbit(d) ? 0x8000 : 0;
    uint16_t inf = (uint16_t)(((1 << exp_bits) - 1) << man_bits);
    int bias = (1 << (exp_bits - 1)) - 1, exponent;
    if (isnan(d)) return (uint16_t)(sign | inf | (1 << (man_bits - 1)));
    d = fabs(d);
    if (isinf(d)) return sign | inf;
    if (d == 0) return sign;
    frexp(d, &exponent);
    int e = exponent - 1 < 1 - bias ? 1 - bias : exponent - 1;
    if (e > bias) return sign | inf;
    double units = ldexp(d, man_bits - e); /* in units of the last place; below 4096 */
    uint32_t bits = (uint32_t)units;
    double rest = units - (double)bits;
    if (rest > 0.5 || (rest == 0.5 && (bits & 1) != 0)) bits++;
    bits += (uint32_t)(e + bias - 1) << man_bits;
    return (uint16_t)(sign | (bits >= inf ? inf : bits));
}

/* Returns the bits of an f16 or bf16 constant. */
static uint16_t half_bits(const Attr *a, int elem) {
    if (a->hex) return (uint16_t)a->i;
    return elem == ELEM_F16 ? narrow_float(a->d, 5, 10) : narrow_float(a->d, 8, 7);
}

/* Returns the bits of an f32 or f64 constant. */
static uint64_t float_bits(const Attr *a, int elem) {
    uint64_t bits = (uint64_t)a->i;
    if (a->hex) return bits;
    if (elem == ELEM_F32) {
        float f = (float)a->d;
        uint32_t b;
        memcpy(&b, &f, sizeof b);
        return b;
    }
    memcpy(&bits, &a->d, sizeof bits);
    return bits;
}

bool constant_bits(const Attr *a, int elem, uint64_t *bits) {
    if (elem == ELEM_F16 || elem == ELEM_BF16)
        *bits = half_bits(a, elem);
    else if (elem == ELEM_F32 || elem == ELEM_F64)
        *bits = float_bits(a, elem);
    else
        *bits = (uint64_t)a->i;
    return elem_suffix(elem) != NULL;
}

static const char *float_literal(Emitter *e, const Attr *a, int elem) {
    if (elem == ELEM_F16 || elem == ELEM_BF16)
        return strf(e, "0x%04x", (unsigned)half_bits(a, elem));
    const uint64_t bits = float_bits(a, elem);
    double d;
    if (elem == ELEM_F32) {
        uint32_t b = (uint32_t)bits;
        float f;
        memcpy(&f, &b, sizeof f);
        d = (double)f;
    } else {
        memcpy(&d, &bits, sizeof d);
    }
    if (!isfinite(d))
        return elem == ELEM_F32
                   ? strf(e, "ptrt_f32_of_bits(0x%08xu)", (unsigned)bits)
                   : strf(e, "ptrt_f64_of_bits(UINT64_C(0x%016llx))", (unsigned long long)bits);
    StrBuf text;
    sb_init(&text, e->arena);
    number_put_hex(&text, d);
    if (elem == ELEM_F32) sb_putc(&text, 'f');
    return sb_text(&text);
}

static bool emit_lanes(Emitter *e, const Value *r, const NamedAttr *attr) {
    int64_t lane[4];
    if (!is_i16x4(r->type) || attr == NULL || !dense_lanes(e, attr->value, lane)) return false;
    define(e, r, "(ptrt_i16x4){{%s, %s, %s, %s}}", int_literal(e, lane[0], 16),
           int_literal(e, lane[1], 16), int_literal(e, lane[2], 16), int_literal(e, lane[3], 16));
    return true;
}

void emit_constant(Emitter *e, const LowerStmt *s) {
    const Value *r = &s->results[0];
    const NamedAttr *attr = stmt_attr_named(s, ATTR_value);
    if (emit_lanes(e, r, attr) || emit_dense(e, r, attr)) return;
    bool number =
        attr != NULL && (attr->value->kind == ATTR_INT || attr->value->kind == ATTR_BOOL ||
                         attr->value->kind == ATTR_FLOAT);
    int elem = elem_of(r);
    if (!number || c_scalar(r->type) == NULL || (elem != ELEM_I1 && elem_suffix(elem) == NULL)) {
        cannot(e, s->span, "a constant of type '" TYPE_FMT "' has no form in C",
               TYPE_ARG(&e->ctx->names, r->type));
        return;
    }
    const Attr *a = attr->value;
    if (elem == ELEM_I1)
        define(e, r, "%s", a->i & 1 ? "true" : "false");
    else if (elem_is_float((Elem)elem))
        define(e, r, "%s", float_literal(e, a, elem));
    else
        define(e, r, "%s", int_literal(e, a->i, elem_int_width((Elem)elem)));
}
