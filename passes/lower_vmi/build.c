/* SPDX-License-Identifier: Apache-2.0 */
/* Makes statements on registers, their constants and their names. */
#include "passes/lower_vmi/lower.h"

#include <stdarg.h>
#include <string.h>

bool vmi_refuse(Lowering *l, const char *fmt, ...) {
    if (l->refused == l->op) return false;
    l->refused = l->op;
    va_list ap;
    va_start(ap, fmt);
    const char *why = arena_vprintf(l->arena, fmt, ap);
    va_end(ap);
    diag_add(&l->ctx->diags, DIAG_CONVERSION, l->op->name_span,
             "%s cannot be lowered to micro-instructions: %s", l->op->inst->name, why);
    l->failed = true;
    return false;
}

/* ---- types ---- */

const Type *vmi_vreg(Lowering *l, Elem e) {
    const Type proto = {.kind = TY_VREG,
                        .elem = (uint8_t)e,
                        .elem_type = type_scalar(l->ctx->types, e),
                        .count = REGISTER_BITS / elem_storage_bits(e)};
    return type_intern(l->ctx->types, &proto);
}

const Type *vmi_mask_type(Lowering *l, unsigned bits) {
    const Type proto = {.kind = TY_MASK, .count = bits};
    return type_intern(l->ctx->types, &proto);
}

Elem vmi_int(unsigned bits, char sign) {
    static const Elem elems[3][3] = {{ELEM_I8, ELEM_SI8, ELEM_UI8},
                                     {ELEM_I16, ELEM_SI16, ELEM_UI16},
                                     {ELEM_I32, ELEM_SI32, ELEM_UI32}};
    return elems[bits / 16][sign == 'U' ? 2 : sign == 'S' ? 1 : 0];
}

/* ---- statements ---- */

static void note_made(Lowering *l, Value *v) {
    if (l->nmade == l->cap_made) {
        l->cap_made = l->cap_made * 2 + 16;
        Made *more = ARENA_ARRAY(l->arena, Made, l->cap_made);
        if (l->nmade > 0) memcpy(more, l->made, l->nmade * sizeof *more);
        l->made = more;
    }
    l->made[l->nmade++] = (Made){.value = v, .like = l->like};
}

Op *vmi_op(Lowering *l, InstId id, Value *const *operands, unsigned n, const Type *const *results) {
    Op *op = op_new(l->ctx, &inst_table[id], l->op->span);
    op->name_span = l->op->name_span;
    op->operands = ARENA_ARRAY(l->arena, Operand, n + 1);
    for (unsigned i = 0; i < n; i++)
        op->operands[i] = (Operand){.value = operands[i], .span = l->op->span};
    op->noperands = (uint16_t)n;
    while (results[op->nresults] != NULL)
        op->nresults++;
    op->results = ARENA_ARRAY(l->arena, Value, op->nresults + 1u);
    for (unsigned i = 0; i < op->nresults; i++) {
        op->results[i] = (Value){.type = results[i],
                                 .name_off = l->op->name_span.off,
                                 .def = op,
                                 .index = (uint16_t)i,
                                 .npack = 1};
        note_made(l, &op->results[i]);
    }
    op_insert_before(l->pos, op);
    return op;
}

Value *vmi_value(Lowering *l, InstId id, const Type *type, Value *const *operands, unsigned n) {
    const Op *op = vmi_op(l, id, operands, n, (const Type *[]){type, NULL});
    return op->nresults > 0 ? op->results : NULL;
}

void vmi_attr(Lowering *l, Op *op, AttrName name, const Attr *value) {
    NamedAttr *attrs = ARENA_ARRAY(l->arena, NamedAttr, op->nattrs + 1u);
    if (op->nattrs > 0) memcpy(attrs, op->attrs, op->nattrs * sizeof *attrs);
    attrs[op->nattrs++] = attr_made(l->ctx, name, value);
    op->attrs = attrs;
}

void vmi_word(Lowering *l, Op *op, AttrName name, EnumFamily family, const char *word) {
    Attr *a = ARENA_NEW(l->arena, Attr);
    *a = (Attr){.kind = ATTR_ENUM,
                .family = (uint8_t)family,
                .i = enum_value_find(family, word, strlen(word))};
    vmi_attr(l, op, name, a);
}

/* ---- what is made once ---- */

/* Constants at the start of a block that values of others cannot reach, or masks at the start of a
 * vector scope. */
typedef struct Home {
    Op *anchor; /* they are inserted before it */
    struct Kept {
        struct Kept *next;
        int64_t number;
        unsigned kind; /* Elem, or bits of a mask */
        Value *value;
    } * kept;
} Home;

static bool is_constant(const Op *op) {
    return op_is(op, INST_CONSTANT) && op->nattrs == 1 && op->attrs[0].value->kind == ATTR_INT;
}

static void keep(Lowering *l, Home *h, unsigned kind, int64_t number, Value *v) {
    struct Kept *k = ARENA_NEW(l->arena, struct Kept);
    *k = (struct Kept){.next = h->kept, .number = number, .kind = kind, .value = v};
    h->kept = k;
}

/* Returns the home at the start of a block, which takes the constants that are there. */
static Home *home_of(Lowering *l, const Block *b) {
    Home **found = (Home **)ptrmap_at(&l->homes, b);
    if (*found != NULL) return *found;
    Home *h = *found = ARENA_NEW(l->arena, Home);
    for (h->anchor = b->first; op_is(h->anchor, INST_CONSTANT); h->anchor = h->anchor->next)
        if (is_constant(h->anchor))
            keep(l, h, 256u + h->anchor->results[0].type->elem, h->anchor->attrs[0].value->i,
                 h->anchor->results);
    return h;
}

static Value *kept(const Home *h, unsigned kind, int64_t number) {
    for (const struct Kept *k = h->kept; k != NULL; k = k->next)
        if (k->kind == kind && k->number == number) return k->value;
    return NULL;
}

/* The first block of the innermost region around l->pos whose values come from inside. */
static const Block *isolated_start(const Lowering *l) {
    const Block *b = l->pos->block;
    while ((region_owner(b)->inst->flags & IF_ISOLATED) == 0)
        b = region_owner(b)->block;
    return b->region->first;
}

/* The first block of the vector scope around l->pos; NULL: there is none. */
static const Block *scope_start(const Lowering *l) {
    for (const Block *b = l->pos->block;; b = region_owner(b)->block) {
        if (op_is_vector_scope(region_owner(b))) return b->region->first;
        if ((region_owner(b)->inst->flags & IF_ISOLATED) != 0) return NULL;
    }
}

Value *vmi_constant(Lowering *l, Elem e, int64_t number) {
    if (e == ELEM_I8) number = (int8_t)number;
    if (e == ELEM_I16) number = (int16_t)number;
    if (e == ELEM_I32) number = (int32_t)number;
    Home *h = home_of(l, isolated_start(l));
    Value *v = kept(h, 256u + e, number);
    if (v != NULL) return v;
    Op *pos = l->pos;
    l->pos = h->anchor;
    v = LOWER(l, INST_CONSTANT, type_scalar(l->ctx->types, e), NULL);
    l->pos = pos;
    v->def->noperands = 0;
    Attr *a = ARENA_NEW(l->arena, Attr);
    *a = (Attr){.kind = ATTR_INT, .i = number, .type = v->type};
    vmi_attr(l, v->def, ATTR_value, a);
    const unsigned long long size =
        number < 0 ? 0 - (unsigned long long)number : (unsigned long long)number;
    v->name = fresh_name(l->ctx, arena_printf(l->arena, e == ELEM_INDEX ? "c%s%llu" : "c%s%llu_%s",
                                              number < 0 ? "m" : "", size, elem_infos[e].text));
    keep(l, h, 256u + e, number, v);
    return v;
}

static const char *pattern_word(unsigned bits, uint32_t lanes) {
    static const struct {
        uint32_t lanes;
        const char *word;
    } patterns[] = {{0, "PAT_ALLF"},  {1, "PAT_VL1"},    {2, "PAT_VL2"},   {3, "PAT_VL3"},
                    {4, "PAT_VL4"},   {8, "PAT_VL8"},    {16, "PAT_VL16"}, {32, "PAT_VL32"},
                    {64, "PAT_VL64"}, {128, "PAT_VL128"}};
    if (lanes >= REGISTER_BITS / bits) return "PAT_ALL";
    for (unsigned i = 0; i < sizeof patterns / sizeof *patterns; i++)
        if (patterns[i].lanes == lanes) return patterns[i].word;
    return NULL;
}

static const InstId pset_of[] = {INST_PSET_B8, INST_PSET_B16, INST_PSET_B32};
static const InstId pge_of[] = {INST_PGE_B8, INST_PGE_B16, INST_PGE_B32};

InstId vmi_plt(unsigned bits) {
    return bits == 8 ? INST_PLT_B8 : bits == 16 ? INST_PLT_B16 : INST_PLT_B32;
}

static Value *make_prefix(Lowering *l, unsigned bits, uint32_t lanes) {
    const Type *type = vmi_mask_type(l, bits);
    const char *word = pattern_word(bits, lanes);
    if (word == NULL) {
        Value *n = vmi_constant(l, ELEM_I32, lanes);
        return vmi_op(l, vmi_plt(bits), &n, 1, (const Type *[]){type, n->type, NULL})->results;
    }
    const bool all = lanes == 0 || lanes >= REGISTER_BITS / bits;
    Op *op = vmi_op(l, (all ? pset_of : pge_of)[bits / 16], NULL, 0, (const Type *[]){type, NULL});
    vmi_word(l, op, ATTR_pattern, EF_PATTERN, word);
    return op->results;
}

static Value *make_range(Lowering *l, unsigned bits, uint32_t from, uint32_t to) {
    if (from == 0) return make_prefix(l, bits, to);
    return LOWER(l, INST_PNOT, vmi_mask_type(l, bits), vmi_prefix(l, bits, from),
                 vmi_prefix(l, bits, to));
}

static const char *range_name(Lowering *l, unsigned bits, uint32_t from, uint32_t to) {
    if (from > 0)
        return arena_printf(l->arena, "lanes%u_to_%u_b%u", (unsigned)from, (unsigned)to, bits);
    if (to == 0) return arena_printf(l->arena, "none_b%u", bits);
    if (to >= REGISTER_BITS / bits) return arena_printf(l->arena, "all_b%u", bits);
    return arena_printf(l->arena, "first%u_b%u", (unsigned)to, bits);
}

Value *vmi_range(Lowering *l, unsigned bits, uint32_t from, uint32_t to) {
    const Block *scope = scope_start(l);
    if (scope == NULL) return make_range(l, bits, from, to);
    Home *h = home_of(l, scope);
    const int64_t key = (int64_t)from << 32 | to;
    Value *v = kept(h, bits, key);
    if (v != NULL) return v;
    Op *pos = l->pos;
    l->pos = h->anchor;
    v = make_range(l, bits, from, to);
    l->pos = pos;
    v->name = fresh_name(l->ctx, range_name(l, bits, from, to));
    keep(l, h, bits, key, v);
    return v;
}

Value *vmi_prefix(Lowering *l, unsigned bits, uint32_t lanes) {
    const uint32_t held = REGISTER_BITS / bits;
    return vmi_range(l, bits, 0, lanes < held ? lanes : held);
}

Value *vmi_both(Lowering *l, Value *mask, Value *range, unsigned bits) {
    Value *all = vmi_full(l, bits);
    if (mask == all || mask == range) return range;
    if (range == all) return mask;
    return LOWER(l, INST_PAND, mask->type, mask, range, all);
}

/* ---- computed once in a block ---- */

typedef struct Computed {
    struct Computed *before;
    Value *value;
} Computed;

static bool is_same(const Op *op, InstId id, const Type *type, Value *const *operands, unsigned n) {
    if (!op_is(op, id) || op->results[0].type != type || op->noperands != n) return false;
    for (unsigned i = 0; i < n; i++)
        if (op->operands[i].value != operands[i]) return false;
    return true;
}

Value *vmi_same(Lowering *l, InstId id, const Type *type, Value *const *operands, unsigned n) {
    if (l->pos != l->op) return vmi_value(l, id, type, operands, n); /* not after all before */
    Computed **last = (Computed **)ptrmap_at(&l->computed, l->pos->block), *c = *last;
    for (; c != NULL; c = c->before)
        if (is_same(c->value->def, id, type, operands, n)) return c->value;
    c = ARENA_NEW(l->arena, Computed);
    *c = (Computed){.before = *last, .value = vmi_value(l, id, type, operands, n)};
    *(Computed **)ptrmap_at(&l->computed, l->pos->block) = c;
    return c->value;
}

/* ---- numbers ---- */

bool vmi_known(const Value *v, int64_t *number) {
    if (v == NULL || v->def == NULL || !is_constant(v->def)) return false;
    *number = v->def->attrs[0].value->i;
    return true;
}

Value *vmi_as(Lowering *l, Value *v, Elem e) {
    int64_t n;
    if (v->type->elem == e) return v;
    if (vmi_known(v, &n)) return vmi_constant(l, e, n);
    const Type *type = type_scalar(l->ctx->types, e);
    if (v->type->elem == ELEM_INDEX || e == ELEM_INDEX) return LOWER(l, INST_INDEX_CAST, type, v);
    return vmi_as(l, LOWER(l, INST_INDEX_CAST, type_scalar(l->ctx->types, ELEM_INDEX), v), e);
}

Value *vmi_plus(Lowering *l, Value *offset, int64_t delta) {
    int64_t n;
    if (delta == 0) return offset;
    if (vmi_known(offset, &n)) {
        if (!__builtin_add_overflow(n, delta, &n)) return vmi_constant(l, ELEM_INDEX, n);
        vmi_refuse(l, "its offsets leave 64 bits");
        return offset;
    }
    return LOWER(l, INST_ADDI, offset->type, offset, vmi_constant(l, ELEM_INDEX, delta));
}

Value *vmi_cast(Lowering *l, Value *v, Elem e) {
    return v->type->elem == e ? v : LOWER(l, INST_VBITCAST, vmi_vreg(l, e), v);
}

/* ---- names ---- */

static Atom numbered(Lowering *l, const Value *like, const char *suffix) {
    return fresh_name(l->ctx, name_stem(l->ctx, like->name, suffix));
}

/* Names the registers of one value: as the value if there is one, else with numbers. */
static void name_registers(Lowering *l, const Value *like, Value **at, uint32_t n, bool alone) {
    for (uint32_t k = 0; k < n; k++) {
        if (at[k]->name != 0) continue;
        at[k]->name_off = like->name_off;
        if (n == 1 && alone && like->npack == 1)
            at[k]->name = like->name;
        else
            at[k]->name = numbered(l, like, arena_printf(l->arena, "%u", (unsigned)k));
    }
}

void vmi_name_masks(Lowering *l, LaneMask *m, Value **at, uint32_t n) {
    name_registers(l, m->value, at, n, !m->named);
    m->named = true;
}

void vmi_name_made(Lowering *l) {
    for (unsigned r = 0; r < l->op->nresults; r++) {
        const Registers *regs = ptrmap_get(&l->registers, &l->op->results[r]);
        if (regs != NULL) name_registers(l, &l->op->results[r], regs->at, regs->n, true);
    }
    for (uint32_t i = 0; i < l->nmade; i++) {
        Value *v = l->made[i].value;
        const Value *like = l->made[i].like;
        if (v->name != 0) continue;
        const char *stem = like != NULL ? name_stem(l->ctx, like->name, "t") : "t";
        v->name = fresh_numbered(l->ctx, stem, 0);
        if (like != NULL) v->name_off = like->name_off;
    }
    l->nmade = 0;
}
