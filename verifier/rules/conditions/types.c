/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions about kinds of operands, element types and whole types. */
#include "verifier/rules/conditions/condition.h"

static void put_one_elem(StrBuf *out, uint64_t e) {
    sb_puts(out, elem_infos[e].text);
}

/* The PTO-AS form may admit other kinds. A constant may have a type of another dialect, as no
 * instruction accepts such a value. */
static bool kind_fits(const Case *c, const Rule *r, const Type *t) {
    const Inst *inst = c->op->inst;
    if ((type_kinds(t) & row_args(r->row)->set) != 0 || type_is_template(t) || t->kind == TY_NONE)
        return true;
    if (r->a >= inst->nslots) return t->kind == TY_OPAQUE || t->kind == TY_VECTOR;
    const SlotTypes *slot = &slot_types[inst->slots[r->a].kind];
    return c->op->form == OPF_AS && (type_kinds(t) & slot->as_kinds & ~slot->kinds) != 0;
}

/* Returns the first operand of a slot with the wrong kind, or NULL. */
static const Operand *wrong_kind(const Case *c, const Rule *r) {
    const Inst *inst = c->op->inst;
    if (r->a >= inst->nslots || inst->slots[r->a].arity != ARITY_VAR) return NULL;
    unsigned n = slot_count(c->op, r->a);
    const Operand *o = slot_operands(c->op, r->a);
    for (unsigned i = 0; i < n; i++)
        if (!kind_fits(c, r, o[i].value->type)) return &o[i];
    return NULL;
}

static Answer judge_OPERAND_KIND(const Case *c, const Rule *r) {
    const Type *t = case_type(c, r->a);
    return answer((t == NULL || kind_fits(c, r, t)) && wrong_kind(c, r) == NULL);
}

/* How to get a partition view, which many forget to make, from what there is. */
static const char *window_advice(uint64_t is, uint64_t set) {
    if ((set & K_PART) == 0 || (set & is) != 0) return "";
    if ((is & K_VIEW) != 0) return "; pto.partition_view makes one of this view";
    if ((is & K_PTR) != 0)
        return "; pto.make_tensor_view and pto.partition_view make one of this pointer";
    return "";
}

static void explain_OPERAND_KIND(const Case *c, const Rule *r, StrBuf *out) {
    const Operand *o = wrong_kind(c, r);
    const Type *t = o != NULL ? o->value->type : c->types[r->a];
    const uint64_t set = row_args(r->row)->set;
    if (o != NULL && c->at != NULL) *c->at = o->span;
    sb_printf(out, "%s has type %.*s, expected ", case_name(c, r->a), TYPE_TEXT(c->judge, t));
    put_names(out, set, kind_names, KIND_COUNT);
    sb_puts(out, window_advice(type_kinds(t), set));
}

static void describe_OPERAND_KIND(const InstRow *r, StrBuf *out) {
    put_subject(out, r);
    put_names(out, row_args(r->row)->set, kind_names, KIND_COUNT);
}

CONDITION(OPERAND_KIND, .id = DIAG_OPERAND_KIND, .says_type = true, .topic = TOPIC_OTHER);

static Answer judge_LOW_PRECISION(const Case *c, const Rule *r) {
    const Type *t = case_type(c, r->a);
    return answer(t == NULL || elem_infos[t->elem].cls != 'L');
}

static void explain_LOW_PRECISION(const Case *c, const Rule *r, StrBuf *out) {
    sb_printf(out, "%s has the low-precision element type %s, which the instruction does not take",
              case_name(c, r->a), elem_infos[c->types[r->a]->elem].text);
}

static void describe_LOW_PRECISION(const InstRow *r, StrBuf *out) {
    put_subject(out, r);
    sb_puts(out, "no fp8, hif8, fp4 or packed elements");
}

CONDITION(LOW_PRECISION, .id = DIAG_LOW_PRECISION, .each = true, .topic = TOPIC_ELEMENTS);

/* Returns the set of one element type; odd integer widths are in no set. */
static ElemSet elem_bit(const Type *t) {
    return ELEM_BIT(t->elem);
}

static Answer judge_ELEM_TYPE(const Case *c, const Rule *r) {
    const Type *t = case_type(c, r->a);
    return answer(t == NULL || (elem_bit(t) & row_args(r->row)->set) != 0);
}

static void explain_ELEM_TYPE(const Case *c, const Rule *r, StrBuf *out) {
    sb_printf(out, "%s has element type %.*s, expected ", case_name(c, r->a),
              ELEM_TEXT(c->judge, c->types[r->a]));
    put_elem_set(out, row_args(r->row)->set);
}

static void describe_ELEM_TYPE(const InstRow *r, StrBuf *out) {
    put_subject(out, r);
    put_elem_set_short(out, row_args(r->row)->set);
}

CONDITION(ELEM_TYPE, .id = DIAG_ELEM_TYPE, .each = true, .topic = TOPIC_ELEMENTS);

static Answer judge_ELEM_SIZE(const Case *c, const Rule *r) {
    const Type *t = case_type(c, r->a);
    return answer(t == NULL ||
                  ((uint64_t)1 << elem_infos[t->elem].bytes & row_args(r->row)->set) != 0);
}

static void explain_ELEM_SIZE(const Case *c, const Rule *r, StrBuf *out) {
    static const char *const sizes[] = {"0", "1", "2", "3", "4", "5", "6", "7", "8"};
    const ElemInfo *e = &elem_infos[c->types[r->a]->elem];
    sb_printf(out, "%s has elements of %u bytes (%s), expected ", case_name(c, r->a), e->bytes,
              e->text);
    put_names(out, row_args(r->row)->set, sizes, 9);
    sb_puts(out, " bytes");
}

static void describe_ELEM_SIZE(const InstRow *r, StrBuf *out) {
    static const char *const sizes[] = {"0", "1", "2", "3", "4", "5", "6", "7", "8"};
    put_subject(out, r);
    put_names(out, row_args(r->row)->set, sizes, 9);
    sb_puts(out, " bytes an element");
}

CONDITION(ELEM_SIZE, .id = DIAG_ELEM_SIZE, .each = true, .topic = TOPIC_ELEMENTS);

static Answer judge_ELEM_MISMATCH(const Case *c, const Rule *r) {
    const Type *a = case_type(c, r->a), *b = case_type(c, r->b);
    return answer(a == NULL || b == NULL || same_element(a, b));
}

static void explain_ELEM_MISMATCH(const Case *c, const Rule *r, StrBuf *out) {
    sb_printf(out, "%s has element type %.*s but %s has %.*s", case_name(c, r->a),
              ELEM_TEXT(c->judge, c->types[r->a]), case_name(c, r->b),
              ELEM_TEXT(c->judge, c->types[r->b]));
}

static void describe_ELEM_MISMATCH(const InstRow *r, StrBuf *out) {
    put_both_operands(out, r);
    sb_puts(out, " have one element type");
}

CONDITION(ELEM_MISMATCH, .id = DIAG_ELEM_MISMATCH, .each = true,
          .before_reason = "; they must be equal", .topic = TOPIC_ELEMENTS);

static Answer judge_ELEM_SIZE_MISMATCH(const Case *c, const Rule *r) {
    const Type *a = case_type(c, r->a), *b = case_type(c, r->b);
    if (a == NULL || b == NULL || a->elem == ELEM_NONE || b->elem == ELEM_NONE) return HOLDS;
    return answer(elem_infos[a->elem].bytes == elem_infos[b->elem].bytes);
}

static void explain_ELEM_SIZE_MISMATCH(const Case *c, const Rule *r, StrBuf *out) {
    const ElemInfo *a = &elem_infos[c->types[r->a]->elem], *b = &elem_infos[c->types[r->b]->elem];
    sb_printf(out, "%s has elements of %u bytes (%s) but %s has %u (%s)", case_name(c, r->a),
              a->bytes, a->text, case_name(c, r->b), b->bytes, b->text);
}

static void describe_ELEM_SIZE_MISMATCH(const InstRow *r, StrBuf *out) {
    put_both_operands(out, r);
    sb_puts(out, " have elements of one size");
}

CONDITION(ELEM_SIZE_MISMATCH, .id = DIAG_ELEM_SIZE_MISMATCH, .each = true,
          .before_reason = "; they must be equal", .topic = TOPIC_ELEMENTS);

/* Maps `si` types to their signless twin, which admits them in a list (decision 12). */
static unsigned signless(unsigned elem) {
    switch (elem) {
    case ELEM_SI8:
        return ELEM_I8;
    case ELEM_SI16:
        return ELEM_I16;
    case ELEM_SI32:
        return ELEM_I32;
    case ELEM_SI64:
        return ELEM_I64;
    default:
        return elem;
    }
}

static Answer judge_ELEM_PAIR(const Case *c, const Rule *r) {
    const Type *a = case_type(c, r->a), *b = case_type(c, r->b);
    return answer(a == NULL || b == NULL || in_pairs(row_list(r->row), a->elem, b->elem) ||
                  in_pairs(row_list(r->row), signless(a->elem), signless(b->elem)));
}

static void explain_ELEM_PAIR(const Case *c, const Rule *r, StrBuf *out) {
    unsigned from = c->types[r->a]->elem, to = c->types[r->b]->elem;
    ElemSet set = 0;
    for (const uint8_t *p = row_list(r->row); p[0] != 0; p += 2)
        if (p[0] == from) set |= ELEM_BIT(p[1]);
    sb_printf(out, "%s has element type %s and %s has %s", case_name(c, r->a),
              elem_infos[from].text, case_name(c, r->b), elem_infos[to].text);
    if (set == 0) return;
    sb_printf(out, "; from %s it can be ", elem_infos[from].text);
    put_elem_set(out, set);
}

static void describe_ELEM_PAIR(const InstRow *r, StrBuf *out) {
    sb_printf(out, "%s to %s: ", row_a_text(r), row_b_text(r));
    put_pairs(out, row_list(r->row), put_one_elem);
}

CONDITION(ELEM_PAIR, .id = DIAG_ELEM_PAIR, .each = true, .has_pairs = true,
          .topic = TOPIC_ELEMENTS);

/* Writes the components in which two tile types differ: `pad (zero and max)`. */
static void put_differences(StrBuf *out, const Type *a, const Type *b) {
    const TileInfo *x = &a->tile, *y = &b->tile;
    const char *comma = "";
#define DIFFER(name, differ, ...)                                                                  \
    if (differ) {                                                                                  \
        sb_printf(out, "%s" name " (", comma);                                                     \
        sb_printf(out, __VA_ARGS__);                                                               \
        sb_putc(out, ')');                                                                         \
        comma = ", ";                                                                              \
    }
    DIFFER("space", x->space != y->space, "%s and %s", space_names[x->space], space_names[y->space])
    DIFFER("element type", a->elem != b->elem, "%s and %s", elem_infos[a->elem].text,
           elem_infos[b->elem].text)
    DIFFER("shape", x->rows != y->rows || x->cols != y->cols, "%lldx%lld and %lldx%lld",
           (long long)x->rows, (long long)x->cols, (long long)y->rows, (long long)y->cols)
    DIFFER("valid region", x->vrow != y->vrow || x->vcol != y->vcol, "%sx%s and %sx%s",
           extent_word(x->vrow).text, extent_word(x->vcol).text, extent_word(y->vrow).text,
           extent_word(y->vcol).text)
    DIFFER("pad", x->pad != y->pad && x->pad < PAD_NAMES && y->pad < PAD_NAMES, "%s and %s",
           pad_names[x->pad], pad_names[y->pad])
#undef DIFFER
    if (*comma == '\0') sb_puts(out, "layout, fractal or compact mode");
}

static Answer judge_TYPE_MISMATCH(const Case *c, const Rule *r) {
    const Type *a = case_type(c, r->a), *b = case_type(c, r->b);
    return answer(a == NULL || b == NULL || type_same(a, b));
}

static void explain_TYPE_MISMATCH(const Case *c, const Rule *r, StrBuf *out) {
    const Type *a = c->types[r->a], *b = c->types[r->b];
    if (a->kind == TY_TILE && b->kind == TY_TILE) {
        sb_printf(out, "%s and %s differ in ", case_name(c, r->a), case_name(c, r->b));
        put_differences(out, a, b);
        sb_puts(out, "; they must have one type");
        return;
    }
    sb_printf(out, "%s has type %.*s but %s has %.*s", case_name(c, r->a), TYPE_TEXT(c->judge, a),
              case_name(c, r->b), TYPE_TEXT(c->judge, b));
}

static void describe_TYPE_MISMATCH(const InstRow *r, StrBuf *out) {
    put_both_operands(out, r);
    sb_puts(out, " have one type");
}

CONDITION(TYPE_MISMATCH, .id = DIAG_TYPE_MISMATCH, .each = true, .says_type = true,
          .topic = TOPIC_OTHER);
