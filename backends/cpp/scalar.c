/* SPDX-License-Identifier: Apache-2.0 */
/* Scalars: arithmetic that wraps goes through unsigned types, so that no overflow is undefined. */
#include "backends/cpp/emitter.h"

#include <math.h>
#include <string.h>

static const Value *operand(const LowerStmt *s, unsigned i) {
    return s->args[i].value;
}

static bool is_bit(const Value *v) {
    return v->type->kind == TY_SCALAR && v->type->elem == ELEM_I1;
}

/* Reports types that C++ cannot compute with. */
static bool computable(Emitter *e, const LowerStmt *s) {
    for (unsigned i = 0; i < s->nargs + s->nresults; i++) {
        const Value *v = i < s->nargs ? operand(s, i) : &s->results[i - s->nargs];
        if (cpp_scalar(v->type) != NULL) continue;
        cannot(e, s->name_span, "%s on '" TYPE_FMT "' has no form in C++", s->inst->name,
               TYPE_ARG(&e->ctx->names, v->type));
        return false;
    }
    return true;
}

/* Returns an integer as an unsigned number of its width. */
static const char *bits_of(Emitter *e, const Value *v) {
    return is_bit(v) ? strf(e, "(uint8_t)%s", val(e, v))
                     : strf(e, "(%s)%s", cpp_unsigned(v->type), val(e, v));
}

/* ---- arithmetic ---- */

/* How an instruction is spelt: $a, $b are the operands, $u, $v the same as unsigned numbers, $T the
 * type of the result, $U the unsigned one, $F the built-in function of the remainder. */
typedef struct Spelling {
    InstId inst;
    const char *text, *bit; /* for i1 */
} Spelling;

static const Spelling spellings[] = {
    {INST_ADDI, "($T)($u + $v)", "$a != $b"},
    {INST_SUBI, "($T)($u - $v)", "$a != $b"},
    {INST_MULI, "($T)($u * $v)", "$a && $b"},
    {INST_ANDI, "($T)($u & $v)", "$a && $b"},
    {INST_ORI, "($T)($u | $v)", "$a || $b"},
    {INST_XORI, "($T)($u ^ $v)", "$a != $b"},
    {INST_SHLI, "($T)($u << $v)", "$a && !$b"},
    {INST_SHRUI, "($T)($u >> $v)", "$a && !$b"},
    {INST_SHRSI, "($T)($a >> $v)", "$a"},
    {INST_DIVSI, "($T)($a / $b)", "$a"},
    {INST_REMSI, "($T)($a % $b)", "false"},
    {INST_DIVUI, "($T)($u / $v)", "$a"},
    {INST_REMUI, "($T)($u % $v)", "false"},
    {INST_CEILDIVUI, "($T)($u / $v + ($u % $v != 0 ? 1 : 0))", "$a"},
    {INST_CEILDIVSI, "($T)($a / $b + ($a % $b != 0 && ($a < 0) == ($b < 0) ? 1 : 0))", "$a"},
    {INST_FLOORDIVSI, "($T)($a / $b - ($a % $b != 0 && ($a < 0) != ($b < 0) ? 1 : 0))", "$a"},
    {INST_MAXSI, "$a < $b ? $b : $a", "$a && $b"},
    {INST_MINSI, "$a < $b ? $a : $b", "$a || $b"},
    {INST_MAXUI, "$u < $v ? $b : $a", "$a || $b"},
    {INST_MINUI, "$u < $v ? $a : $b", "$a && $b"},
    {INST_ADDF, "$a + $b", NULL},
    {INST_SUBF, "$a - $b", NULL},
    {INST_MULF, "$a * $b", NULL},
    {INST_DIVF, "$a / $b", NULL},
    {INST_REMF, "($T)$F($a, $b)", NULL},
    {INST_MAXNUMF, "$a != $a ? $b : ($b != $b ? $a : ($a < $b ? $b : $a))", NULL},
    {INST_MINNUMF, "$a != $a ? $b : ($b != $b ? $a : ($b < $a ? $b : $a))", NULL},
    {INST_MAXIMUMF,
     "$a != $a ? $a : ($b != $b ? $b : ($a == $b ? (ptoas_bitcast<$U>($a) == 0 ? $a : $b) : ($a < "
     "$b ? $b : $a)))",
     NULL},
    {INST_MINIMUMF,
     "$a != $a ? $a : ($b != $b ? $b : ($a == $b ? (ptoas_bitcast<$U>($a) == 0 ? $b : $a) : ($b < "
     "$a ? $b : $a)))",
     NULL},
};

static const char *bits_type(const Type *t) {
    return elem_infos[t->elem].bytes == 2   ? "uint16_t"
           : elem_infos[t->elem].bytes == 8 ? "uint64_t"
                                            : "uint32_t";
}

static const char *remainder_of(const Type *t) {
    return elem_infos[t->elem].bytes == 8 ? "__builtin_fmod" : "__builtin_fmodf";
}

/* Notes a built-in function or type in the text that has no replacement if the compiler lacks it.
 */
static void note_builtin(Emitter *e, const LowerStmt *s, const char *what) {
    const char *key = strf(e, "%u", (unsigned)s->name_span.off);
    if (nameset_has(&e->reported, key)) return;
    nameset_add(&e->reported, key);
    diag_add(e->diags, DIAG_DEVICE_BUILTIN, s->name_span,
             "the C++ uses %s, which the compiler for the device may not have", what);
}

static const char *spelt(Emitter *e, const LowerStmt *s, const char *text) {
    StrBuf sb;
    const Value *x = operand(s, 0), *y = operand(s, 1);
    sb_init(&sb, e->arena);
    for (; *text != '\0'; text++) {
        if (*text != '$') {
            sb_putc(&sb, *text);
            continue;
        }
        char c = *++text;
        const Value *v = c == 'a' || c == 'u' ? x : y;
        if (c == 'T')
            sb_puts(&sb, cpp_scalar(s->results[0].type));
        else if (c == 'U')
            sb_puts(&sb, bits_type(s->results[0].type));
        else if (c == 'F')
            sb_puts(&sb, remainder_of(s->results[0].type));
        else
            sb_puts(&sb, c == 'a' || c == 'b' ? val(e, v) : bits_of(e, v));
    }
    return sb_text(&sb);
}

void cpp_binary(Emitter *e, const LowerStmt *s) {
    if (!computable(e, s)) return;
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++) {
        const Spelling *p = &spellings[i];
        if (!stmt_is(s, p->inst)) continue;
        bool bit = is_bit(&s->results[0]);
        if (strstr(p->text, "ptoas_bitcast") != NULL) cpp_of(e)->uses_bits = true;
        if (p->inst == INST_REMF) note_builtin(e, s, remainder_of(s->results[0].type));
        define(e, &s->results[0], "%s", spelt(e, s, bit && p->bit != NULL ? p->bit : p->text));
    }
}

/* The two halves of a product of 64 bits. */
static void wide_product(Emitter *e, const LowerStmt *s, bool is_signed) {
    const Value *x = operand(s, 0), *y = operand(s, 1);
    const Value *low = &s->results[0], *high = &s->results[1];
    const char *a = bits_of(e, x), *b = bits_of(e, y);
    cpp_of(e)->uses_product = true;
    define(e, low, "(%s)(%s * %s)", cpp_scalar(low->type), a, b);
    if (is_signed)
        define(e, high, "(%s)(ptoas_mulhi(%s, %s) - (%s < 0 ? %s : 0) - (%s < 0 ? %s : 0))",
               cpp_scalar(high->type), a, b, val(e, x), b, val(e, y), a);
    else
        define(e, high, "(%s)ptoas_mulhi(%s, %s)", cpp_scalar(high->type), a, b);
}

/* Instructions with two results, in the next wider type. The vendor's text has one for 64 bits. */
void cpp_extended(Emitter *e, const LowerStmt *s) {
    if (!computable(e, s)) return;
    const Value *x = operand(s, 0), *y = operand(s, 1);
    const Value *low = &s->results[0], *high = &s->results[1];
    unsigned width = elem_int_width((Elem)x->type->elem);
    if (width < 8) {
        cannot(e, s->name_span, "%s on '" TYPE_FMT "' has no form in C++", s->inst->name,
               TYPE_ARG(&e->ctx->names, x->type));
        return;
    }
    if (stmt_is(s, INST_ADDUI_EXTENDED)) {
        define(e, low, "(%s)(%s + %s)", cpp_scalar(low->type), bits_of(e, x), bits_of(e, y));
        define(e, high, "%s < %s", bits_of(e, low), bits_of(e, x));
        return;
    }
    bool is_signed = stmt_is(s, INST_MULSI_EXTENDED);
    if (width == 64 && !cpp_as_vendor(e)) {
        wide_product(e, s, is_signed);
        return;
    }
    if (width == 64) note_builtin(e, s, "__int128");
    const char *wide = width == 64 ? (is_signed ? "__int128" : "unsigned __int128")
                                   : strf(e, "%sint%u_t", is_signed ? "" : "u", width * 2);
    const char *a = is_signed ? val(e, x) : bits_of(e, x);
    const char *b = is_signed ? val(e, y) : bits_of(e, y);
    const char *product = cpp_fresh(e, "product");
    ln(e, "%s %s = (%s)%s * (%s)%s;", wide, product, wide, a, wide, b);
    define(e, low, "(%s)%s", cpp_scalar(low->type), product);
    define(e, high, "(%s)(%s >> %u)", cpp_scalar(high->type), product, width);
}

void cpp_negf(Emitter *e, const LowerStmt *s) {
    if (computable(e, s)) define(e, &s->results[0], "-%s", val(e, operand(s, 0)));
}

void cpp_cmpi(Emitter *e, const LowerStmt *s) {
    static const char *const signs[] = {"==", "!=", "<", "<=", ">", ">=", "<", "<=", ">", ">="};
    int64_t pred = attr_choice(e, s, ATTR_predicate, 10);
    if (pred < 0 || !computable(e, s)) return;
    const Value *x = operand(s, 0), *y = operand(s, 1);
    bool swap = is_bit(x) && pred >= 2 && pred < 6; /* a signed i1 is 0 or -1 */
    if (swap)
        define(e, &s->results[0], "%s %s %s", val(e, y), signs[pred], val(e, x));
    else if (pred >= 6)
        define(e, &s->results[0], "%s %s %s", bits_of(e, x), signs[pred], bits_of(e, y));
    else
        define(e, &s->results[0], "%s %s %s", val(e, x), signs[pred], val(e, y));
}

void cpp_cmpf(Emitter *e, const LowerStmt *s) {
    static const char *const signs[] = {"", "==", ">", ">=", "<", "<=", "!="};
    int64_t pred = attr_choice(e, s, ATTR_predicate, 16);
    if (pred < 0 || !computable(e, s)) return;
    const char *a = val(e, operand(s, 0)), *b = val(e, operand(s, 1));
    const Value *r = &s->results[0];
    if (pred == 0 || pred == 15)
        define(e, r, pred == 0 ? "false" : "true");
    else if (pred == 7)
        define(e, r, "%s == %s && %s == %s", a, a, b, b);
    else if (pred == 14)
        define(e, r, "%s != %s || %s != %s", a, a, b, b);
    else if (pred < 7)
        define(e, r, "%s == %s && %s == %s && %s %s %s", a, a, b, b, a, signs[pred], b);
    else
        define(e, r, "%s != %s || %s != %s || %s %s %s", a, a, b, b, a, signs[pred - 7], b);
}

void cpp_select(Emitter *e, const LowerStmt *s) {
    const Value *r = &s->results[0];
    define(e, r, "%s ? %s : %s", val(e, operand(s, 0)), passed(e, operand(s, 1), r),
           passed(e, operand(s, 2), r));
}

/* ---- casts ---- */

static bool extends_zero(const LowerStmt *s) {
    return stmt_is(s, INST_EXTUI) || stmt_is(s, INST_INDEX_CASTUI) || stmt_is(s, INST_UITOFP);
}

void cpp_cast(Emitter *e, const LowerStmt *s) {
    if (!computable(e, s)) return;
    const Value *x = operand(s, 0), *r = &s->results[0];
    const char *to = cpp_scalar(r->type);
    if (is_bit(r) && is_bit(x))
        define(e, r, "%s", val(e, x));
    else if (is_bit(r) && elem_is_float((Elem)x->type->elem))
        define(e, r, "%s != 0", val(e, x));
    else if (is_bit(r))
        define(e, r, "(bool)(%s & 1)", bits_of(e, x));
    else if (is_bit(x) && !extends_zero(s))
        define(e, r, "(%s)-(int)%s", to, val(e, x));
    else if (extends_zero(s) && !is_bit(x))
        define(e, r, "(%s)%s", to, bits_of(e, x));
    else if (stmt_is(s, INST_FPTOUI))
        define(e, r, "(%s)(%s)%s", to, cpp_unsigned(r->type), val(e, x));
    else if (strcmp(to, cpp_scalar(x->type)) == 0)
        define(e, r, "%s", val(e, x));
    else
        define(e, r, "(%s)%s", to, val(e, x));
}

void cpp_bitcast(Emitter *e, const LowerStmt *s) {
    if (!computable(e, s)) return;
    cpp_of(e)->uses_bits = true;
    define(e, &s->results[0], "ptoas_bitcast<%s>(%s)", cpp_scalar(s->results[0].type),
           val(e, operand(s, 0)));
}

/* pto.castptr, pto.ptrtoint, pto.inttoptr, pto.tile_buf_addr, pto.tensor_view_addr */
void cpp_pointer_cast(Emitter *e, const LowerStmt *s) {
    const Value *x = operand(s, 0), *r = &s->results[0];
    const char *to = cpp_type(e, r->type);
    if (to == NULL) {
        cannot(e, s->name_span, "%s to '" TYPE_FMT "' has no form in C++", s->inst->name,
               TYPE_ARG(&e->ctx->names, r->type));
        return;
    }
    const char *from = type_is_tile(x->type)  ? strf(e, "%s.data()", val(e, x))
                       : cpp_is_view(x->type) ? cpp_view(e, x)->base
                                              : val(e, x);
    if (stmt_is(s, INST_INTTOPTR))
        define(e, r, "reinterpret_cast<%s>(%s)", to, from);
    else
        define(e, r, "(%s)(%s)", to, from);
}

void cpp_store_scalar(Emitter *e, const LowerStmt *s) {
    const Value *value = stmt_value(s, 0), *ptr = stmt_value(s, 1);
    if (ptr->type->space == SPACE_GM || ptr->type->space == SPACE_ZERO) cpp_of(e)->stores = true;
    ln(e, "(%s)[%s] = %s;", val(e, ptr), val(e, stmt_value(s, 2)), val(e, value));
}

/* ---- constants ---- */

static double value_of(const Attr *a, int elem) {
    if (a->kind == ATTR_INT || a->kind == ATTR_BOOL) return (double)a->i;
    if (!a->hex) return a->d;
    uint64_t bits = (uint64_t)a->i;
    if (elem == ELEM_F64) {
        double d;
        memcpy(&d, &bits, sizeof d);
        return d;
    }
    if (elem == ELEM_F16) {
        int exponent = (int)(bits >> 10 & 31);
        double m = (double)(bits & 1023);
        double d = exponent == 31  ? (m != 0 ? NAN : INFINITY)
                   : exponent == 0 ? ldexp(m, -24)
                                   : ldexp(m + 1024, exponent - 25);
        return (bits >> 15 & 1) != 0 ? -d : d;
    }
    uint32_t word = elem == ELEM_BF16 ? (uint32_t)bits << 16 : (uint32_t)bits;
    float f;
    memcpy(&f, &word, sizeof f);
    return (double)f;
}

static const char *float_text(Emitter *e, double d, int elem) {
    bool wide = elem == ELEM_F64;
    if (isnan(d)) return wide ? "__builtin_nan(\"\")" : "__builtin_nanf(\"\")";
    if (isinf(d)) return strf(e, "%s__builtin_inf%s()", d < 0 ? "-" : "", wide ? "" : "f");
    const char *text = strf(e, wide ? "%.17g" : "%.9g", d);
    bool whole = strpbrk(text, ".e") == NULL;
    return strf(e, "%s%s%s", text, whole ? ".0" : "", wide ? "" : "f");
}

static void define_const(Emitter *e, const Value *r, const char *type, const char *text) {
    if (local_of(e, r)->hoisted)
        define(e, r, "%s", text);
    else
        ln(e, "const %s %s = %s;", type, name_of(e, r), text);
}

void cpp_constant(Emitter *e, const LowerStmt *s) {
    const Value *r = &s->results[0];
    const NamedAttr *attr = stmt_attr_named(s, ATTR_value);
    const char *type = cpp_type(e, r->type);
    const Interner *in = &e->ctx->names;
    int64_t lane[4];
    if (type == NULL || attr == NULL) {
        cannot(e, s->span, "a constant of type '" TYPE_FMT "' has no form in C++",
               TYPE_ARG(in, r->type));
        return;
    }
    const Attr *a = attr->value;
    if (r->type->kind == TY_VECTOR && dense_lanes(e, a, lane)) {
        define(e, r, "%s{%lld, %lld, %lld, %lld}", type, (long long)lane[0], (long long)lane[1],
               (long long)lane[2], (long long)lane[3]);
        return;
    }
    int elem = r->type->kind == TY_SCALAR ? r->type->elem : ELEM_NONE;
    bool number = a->kind == ATTR_INT || a->kind == ATTR_BOOL || a->kind == ATTR_FLOAT;
    if (!number || elem == ELEM_NONE)
        cannot(e, s->span, "a constant of type '" TYPE_FMT "' has no form in C++",
               TYPE_ARG(in, r->type));
    else if (elem == ELEM_I1)
        define_const(e, r, type, (a->i & 1) != 0 ? "true" : "false");
    else if (elem_is_int((Elem)elem))
        define_const(e, r, type, int_literal(e, a->i, elem_int_width((Elem)elem)));
    else
        define_const(e, r, type, float_text(e, value_of(a, elem), elem));
}
