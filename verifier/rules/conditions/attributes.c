/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions about attributes. */
#include "verifier/rules/conditions/condition.h"

#include <string.h>

static const char *attr_name(const Case *c, const Rule *r) {
    if (r->a >= 0) return c->op->inst->attrs[r->a].name;
    const NamedAttr *a = rule_attr(c, r);
    Context *ctx = c->judge->ctx;
    return a != NULL ? arena_strndup(&ctx->arena, atom_text(&ctx->names, a->name),
                                     atom_len(&ctx->names, a->name))
                     : row_a_text(&(InstRow){c->op->inst, r->row});
}

static Answer judge_ATTR_REQUIRED(const Case *c, const Rule *r) {
    return answer(rule_attr(c, r) != NULL);
}

static void explain_ATTR_REQUIRED(const Case *c, const Rule *r, StrBuf *out) {
    sb_printf(out, "the attribute %s is missing", attr_name(c, r));
}

static void describe_ATTR_REQUIRED(const InstRow *r, StrBuf *out) {
    sb_puts(out, "attribute ");
    put_about(out, r);
    sb_printf(out, " %s given", row_names_several(r->row) ? "are" : "is");
}

CONDITION(ATTR_REQUIRED, .id = DIAG_ATTR_REQUIRED, .kind = BY_VALUE, .before_reason = ", needed",
          .topic = TOPIC_OTHER);

static Answer judge_ATTR_CONFLICT(const Case *c, const Rule *r) {
    return answer(rule_attr(c, r) == NULL);
}

static void explain_ATTR_CONFLICT(const Case *c, const Rule *r, StrBuf *out) {
    sb_printf(out, "the attribute %s is not allowed", attr_name(c, r));
}

static void describe_ATTR_CONFLICT(const InstRow *r, StrBuf *out) {
    sb_puts(out, "attribute ");
    put_about(out, r);
    sb_printf(out, " %s not given", row_names_several(r->row) ? "are" : "is");
}

CONDITION(ATTR_CONFLICT, .id = DIAG_ATTR_CONFLICT, .kind = BY_VALUE, .topic = TOPIC_OTHER);

static Answer judge_ATTR_VALUE(const Case *c, const Rule *r) {
    const NamedAttr *a = rule_attr(c, r);
    if (a == NULL || (a->value->kind != ATTR_INT && a->value->kind != ATTR_ENUM)) return HOLDS;
    return answer(a->value->i >= row_args(r->row)->lo && a->value->i <= row_args(r->row)->hi);
}

static void explain_ATTR_VALUE(const Case *c, const Rule *r, StrBuf *out) {
    const Attr *v = rule_attr(c, r)->value;
    sb_printf(out, "the attribute %s is ", attr_name(c, r));
    if (v->kind == ATTR_ENUM) {
        const EnumInfo *e = &enum_infos[v->family];
        sb_printf(out, "%s, expected ", e->values[v->i].text);
        for (int64_t i = row_args(r->row)->lo; i <= row_args(r->row)->hi && i < e->nvalues; i++)
            sb_printf(out, "%s%s", i == row_args(r->row)->lo ? "" : " or ", e->values[i].text);
        return;
    }
    sb_printf(out, "%lld, expected ", (long long)v->i);
    put_range(out, r->row);
}

static void describe_ATTR_VALUE(const InstRow *r, StrBuf *out) {
    const AttrInfo *info = row_attr(r);
    sb_puts(out, "attribute ");
    put_subject(out, r);
    if (info != NULL && info->type == AT_ENUM && row_args(r->row)->lo >= 0 &&
        row_args(r->row)->hi < 63)
        put_attr_values(out, info,
                        ((uint64_t)2 << row_args(r->row)->hi) -
                            ((uint64_t)1 << row_args(r->row)->lo));
    else
        put_range(out, r->row);
}

CONDITION(ATTR_VALUE, .id = DIAG_ATTR_VALUE, .kind = BY_VALUE, .topic = TOPIC_OTHER);

static Answer judge_ATTR_SET(const Case *c, const Rule *r) {
    int64_t v;
    if (!attr_value_of(c->op, r->a, &v)) return HOLDS;
    return answer(v >= 0 && v < 64 && ((uint64_t)1 << v & row_args(r->row)->set) != 0);
}

static void explain_ATTR_SET(const Case *c, const Rule *r, StrBuf *out) {
    const AttrInfo *info = &c->op->inst->attrs[r->a];
    int64_t v = 0;
    attr_value_of(c->op, r->a, &v);
    sb_printf(out, "the attribute %s is ", info->name);
    if (v >= 0 && v < 64)
        put_attr_values(out, info, (uint64_t)1 << v);
    else
        sb_printf(out, "%lld", (long long)v);
    sb_puts(out, ", expected ");
    put_attr_values(out, info, row_args(r->row)->set);
}

static void describe_ATTR_SET(const InstRow *r, StrBuf *out) {
    sb_puts(out, "attribute ");
    put_subject(out, r);
    put_attr_values(out, row_attr(r), row_args(r->row)->set);
}

CONDITION(ATTR_SET, .id = DIAG_ATTR_VALUE, .kind = BY_VALUE, .topic = TOPIC_OTHER);

/* `dims` is the AttrType: an integer of any type, or exactly an i32. A bare number counts as i32;
 * the vendor's assembler takes it as i64. */
static Answer judge_ATTR_KIND(const Case *c, const Rule *r) {
    const NamedAttr *a = rule_attr(c, r);
    if (a == NULL) return HOLDS;
    if (a->value->kind != ATTR_INT) return FAILS;
    const Type *t = a->value->type;
    if (t == NULL && r->row->when == BOTH && !c->judge->opt->compat) return HOLDS;
    return answer(r->row->dims != AT_I32 ||
                  (t != NULL && t->kind == TY_SCALAR && t->elem == ELEM_I32));
}

static void explain_ATTR_KIND(const Case *c, const Rule *r, StrBuf *out) {
    sb_printf(out, "the attribute %s is not %s", attr_name(c, r),
              r->row->dims == AT_I32 ? "a 32-bit integer (write `: i32`)" : "an integer");
}

static void describe_ATTR_KIND(const InstRow *r, StrBuf *out) {
    sb_puts(out, "attribute ");
    put_subject(out, r);
    sb_puts(out, r->row->dims == AT_I32 ? "an i32" : "an integer");
}

CONDITION(ATTR_KIND, .id = DIAG_ATTR_KIND, .kind = BY_VALUE, .topic = TOPIC_OTHER);
