/* SPDX-License-Identifier: Apache-2.0 */
/* The condition about the attributes of pto.vcvt, which its pair of element types decides. */
#include "verifier/rules/conversions.h"
#include "verifier/rules/conditions/condition.h"

static const Conversion table[] = {
#define ENTRY(from, to, modes, saturates, part) {ELEM_##from, ELEM_##to, modes, saturates, part},
    CONVERSIONS(ENTRY)
#undef ENTRY
};
enum { ENTRIES = sizeof table / sizeof *table };

/* Signless integers are treated as signed. */
static bool is_elem(unsigned e, unsigned of_table) {
    const ElemInfo *is = &elem_infos[e], *want = &elem_infos[of_table];
    return e == of_table || (is->cls == 'S' && want->cls == 'I' && is->bytes == want->bytes);
}

const Conversion *conversion_of(unsigned from, unsigned to) {
    for (unsigned i = 0; i < ENTRIES; i++)
        if (is_elem(from, table[i].from) && is_elem(to, table[i].to)) return &table[i];
    return NULL;
}

static const Conversion *conversion_between(const Type *from, const Type *to) {
    return from != NULL && to != NULL ? conversion_of(from->elem, to->elem) : NULL;
}

/* Returns the values that an attribute may have, as bits; 0: it is not given. */
static uint64_t allowed(const Conversion *v, AttrName name) {
    static const uint8_t parts[] = {
        [NO_PART] = 0,
        [PAIR] = 1 << LANES_EVEN | 1 << LANES_ODD,
        [QUARTER] = 15 << LANES_P0,
    };
    return name == ATTR_rnd ? v->modes : name == ATTR_sat ? 3u * v->saturates : parts[v->part];
}

/* Returns the first attribute that is not as the conversion wants it; NULL: there is none. */
static const AttrInfo *wrong_attr(const Case *c, const Conversion *v, const NamedAttr **found) {
    const Inst *inst = c->op->inst;
    for (int i = 0; i < inst->nattrs; i++) {
        const NamedAttr *a = op_attr(c->op, i);
        const uint64_t set = allowed(v, inst_attr_name(inst, i));
        *found = a;
        if (a == NULL ? set != 0 : a->value->kind != ATTR_ENUM || (set >> a->value->i & 1) == 0)
            return &inst->attrs[i];
    }
    return NULL;
}

static Answer judge_CONVERSION_ATTRS(const Case *c, const Rule *r) {
    const Conversion *v = conversion_between(case_type(c, r->b), case_type(c, r->a));
    const NamedAttr *a;
    return answer(v == NULL || wrong_attr(c, v, &a) == NULL);
}

static void explain_CONVERSION_ATTRS(const Case *c, const Rule *r, StrBuf *out) {
    const Type *from = case_type(c, r->b), *to = case_type(c, r->a);
    const Conversion *v = conversion_between(from, to);
    const NamedAttr *a;
    const AttrInfo *info = wrong_attr(c, v, &a);
    const uint64_t set = allowed(v, inst_attr_name(c->op->inst, (int)(info - c->op->inst->attrs)));
    if (a != NULL && a->span.len != 0 && c->at != NULL) *c->at = a->span;
    sb_printf(out, "a conversion of %s to %s ", elem_infos[from->elem].text,
              elem_infos[to->elem].text);
    if (set == 0) {
        sb_printf(out, "has no %s", info->name);
        return;
    }
    sb_printf(out, a == NULL ? "needs %s: " : "has the %s ", info->name);
    put_attr_values(out, info, set);
    if (a != NULL)
        sb_printf(out, ", found %s",
                  a->value->kind == ATTR_ENUM ? enum_infos[info->family].values[a->value->i].text
                                              : "another value");
}

static bool same_attrs(const Conversion *a, const Conversion *b) {
    return a->from == b->from && a->modes == b->modes && a->saturates == b->saturates &&
           a->part == b->part;
}

static void put_attrs(StrBuf *out, const Inst *inst, const Conversion *v) {
    const char *comma = ": ";
    for (int i = 0; i < inst->nattrs; i++) {
        const uint64_t set = allowed(v, inst_attr_name(inst, i));
        if (set == 0) continue;
        sb_printf(out, "%s%s", comma, inst->attrs[i].name);
        comma = ", ";
        if (set == ANY_MODE || inst_attr_name(inst, i) == ATTR_sat) continue;
        sb_putc(out, ' ');
        put_attr_values(out, &inst->attrs[i], set);
    }
}

/* Each type, and the types that it becomes with the same attributes. */
static void describe_CONVERSION_ATTRS(const InstRow *r, StrBuf *out) {
    sb_puts(out, "each pair of types decides which attributes are given (a signless integer "
                 "is treated as signed): ");
    for (unsigned i = 0, n; i < ENTRIES; i += n) {
        ElemSet to = 0;
        for (n = 0; i + n < ENTRIES && same_attrs(&table[i], &table[i + n]); n++)
            to |= ELEM_BIT(table[i + n].to);
        sb_printf(out, "%s%s to ", i > 0 ? "; " : "", elem_infos[table[i].from].text);
        put_elem_set(out, to);
        put_attrs(out, r->inst, &table[i]);
    }
}

const Condition cond_CONVERSION_ATTRS = {
    .id = DIAG_ATTR_MISMATCH,
    .kind = BY_VALUE,
    .says_type = true,
    .topic = TOPIC_OTHER,
    .judge = judge_CONVERSION_ATTRS,
    .explain = explain_CONVERSION_ATTRS,
    .describe = describe_CONVERSION_ATTRS,
};
