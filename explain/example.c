/* Searches for legal operands. A broken row of the rule table tells which change satisfies it; for
 * named functions every single change is tried, and the one that satisfies most rules in order is
 * kept. */
#include "explain/example_impl.h"

#include "verifier/rules/vocabulary.h"
#include <string.h>

/* ---- the first guess ---- */

static const uint8_t elem_order[] = {
    ELEM_F32,    ELEM_F16,    ELEM_I32,      ELEM_I16,      ELEM_I8,     ELEM_BF16,     ELEM_UI32,
    ELEM_UI16,   ELEM_UI8,    ELEM_I64,      ELEM_UI64,     ELEM_F64,    ELEM_SI32,     ELEM_SI16,
    ELEM_SI8,    ELEM_SI64,   ELEM_I1,       ELEM_TF32,     ELEM_HIF8,   ELEM_F8E4M3FN, ELEM_F8E5M2,
    ELEM_F8E4M3, ELEM_F8E8M0, ELEM_F4E2M1X2, ELEM_F4E1M2X2, ELEM_HIF8X2, ELEM_BF16X2,   ELEM_INDEX};
enum { ELEM_CHOICES = sizeof elem_order };
static const uint8_t space_order[] = {SPACE_VEC,   SPACE_MAT,  SPACE_ACC,    SPACE_LEFT,
                                      SPACE_RIGHT, SPACE_BIAS, SPACE_SCALING};
enum { SPACE_CHOICES = sizeof space_order };
static const uint32_t kind_order[] = {K_TILE,        K_PART,     K_VIEW,  K_PTR,    K_MULTI,
                                      K_PIPE,        K_EVENTS,   K_ARRAY, K_STRUCT, K_SESSION,
                                      K_ASYNC_EVENT, K_PREFETCH, K_MEMREF};

enum { KIND_CHOICES = sizeof kind_order / sizeof kind_order[0] };

#define TILE_ELEMS                                                                                 \
    (E_W8 | E_W16 | E_W32 | E_W64 | E(F16) | E(BF16) | E(F32) | E(F64) | E(TF32) | E_LOW)

static bool is_scalar_kind(uint32_t kind) {
    return (kind & (K_SCALAR | K_I64 | K_I1)) != 0;
}

/* Returns the scalar types of these kinds. */
static ElemSet scalar_elems(uint64_t kinds) {
    ElemSet set = 0;
    for (unsigned i = 0; i < ELEM_CHOICES; i++) {
        Elem e = (Elem)elem_order[i];
        if (elem_infos[e].cls != 'L' && (elem_kinds(e) & kinds) != 0) set |= ELEM_BIT(e);
    }
    return set;
}

static void pick_elem(ExampleOperand *o) {
    if ((ELEM_BIT(o->elem) & o->elems) != 0) return;
    for (unsigned i = 0; i < ELEM_CHOICES; i++)
        if ((ELEM_BIT(elem_order[i]) & o->elems) != 0) {
            o->elem = elem_order[i];
            return;
        }
}

static void pick_kind(ExampleOperand *o) {
    for (unsigned i = 0; i < KIND_CHOICES; i++)
        if ((kind_order[i] & o->kinds) != 0) {
            o->kind = kind_order[i];
            return;
        }
    o->kind = K_SCALAR;
}

static void set_kind(ExampleOperand *o, uint32_t kind) {
    o->kind = kind;
    o->elems = is_scalar_kind(kind) ? scalar_elems(o->kinds) : TILE_ELEMS;
    if (kind == K_ARRAY) o->elems = E(I32) | E(I16) | E(I8) | E(F32);
    o->space = kind == K_PTR ? SPACE_GM : SPACE_VEC;
    o->spaces = kind == K_PTR ? 1u << SPACE_GM | 1u << SPACE_VEC | 1u << SPACE_MAT : 0x1FC;
    pick_elem(o);
}

static void init_operand(ExampleOperand *o, SlotKind kind) {
    memset(o, 0, sizeof *o);
    o->kinds = slot_types[kind].kinds;
    if (o->kinds != 0) {
        pick_kind(o);
    } else { /* any operand: try a scalar first */
        o->kinds = ((uint64_t)K_MEMREF << 1) - 1;
        o->kind = K_SCALAR;
    }
    o->elem = ELEM_F32;
    set_kind(o, o->kind);
    o->rows = o->vrow = o->cols = o->vcol = 32;
    o->rank = 2;
    for (int i = 0; i < 5; i++)
        o->dims[i] = 32;
    o->layouts = LAY_ROW_MAJOR | LAY_COL_MAJOR;
    o->count = 1;
}

/* Starts with two indices, as most views have two dimensions; tile forms start without. */
static uint8_t first_count(const Inst *inst, const SlotInfo *s) {
    if (s->arity == ARITY_ONE) return 1;
    return s->arity == ARITY_VAR && s->kind == SLOT_INDEX && inst->form != FORM_TILE ? 2 : 0;
}

static const char *given_text(InstId id, Profile profile) {
    switch (id) {
#define EXAMPLE(name, text)                                                                        \
    case INST_##name:                                                                              \
        return text;
#define EXAMPLE_BY(name, field, with, without)                                                     \
    EXAMPLE(name, profile_infos[profile].field ? with : without)
#include "explain/examples.def"
#undef EXAMPLE
#undef EXAMPLE_BY
    default:
        return NULL;
    }
}

bool example_has_form(const Inst *inst, OpForm form) {
    bool result = false;
    if (inst->alias_of != NULL) return false;
    for (int i = 0; i < inst->nslots; i++)
        result |= slot_is_result(&inst->slots[i]);
    if (inst->form == FORM_CUSTOM || given_text(inst_id(inst), PROFILE_CPU) != NULL)
        return form == OPF_SSA;
    if (inst->form == FORM_FORMAT) return form == OPF_SSA || form == OPF_GENERIC;
    return form != OPF_SSA || result;
}

void example_init(Example *e, const Inst *inst, Profile profile, OpForm form) {
    memset(e, 0, sizeof *e);
    e->inst = inst;
    e->profile = profile;
    e->form = form;
    e->text = given_text(inst_id(inst), profile);
    e->id = DIAG_COUNT;
    for (int i = 0; i < inst->nslots && i < RULE_MAX_SLOTS; i++) {
        init_operand(&e->operands[i], (SlotKind)inst->slots[i].kind);
        e->operands[i].text = inst->slots[i].sample;
        e->operands[i].count = first_count(inst, &inst->slots[i]);
    }
    for (int i = 0; i < inst->nresults && inst->nslots + i < RULE_MAX_SLOTS; i++) {
        init_operand(&e->operands[inst->nslots + i], (SlotKind)inst->results[i].kind);
        if (inst->form == FORM_TILE && (inst->flags & IF_OPT_RESULT) != 0)
            e->operands[inst->nslots + i].count = 0;
    }
    for (int i = 0; i < inst->nattrs && i < EXAMPLE_MAX_ATTRS; i++)
        e->attrs[i].present = inst->attrs[i].required;
}

/* ---- keeping a choice consistent ---- */

static int64_t round_up(int64_t n, int64_t unit) {
    return (n + unit - 1) / unit * unit;
}

/* Puts the valid region inside the shape, which becomes whole blocks of 32 bytes or whole inner
 * boxes. */
static void settle_tile(ExampleOperand *o) {
    int64_t bytes = elem_infos[o->elem].bytes == 0 ? 1 : elem_infos[o->elem].bytes;
    int64_t unit = 32 / bytes;
    if (o->vrow > o->rows) o->rows = o->vrow;
    if (o->vcol > o->cols) o->cols = o->vcol;
    if (o->space == SPACE_SCALING) return; /* rules of the instructions decide the shape */
    if (o->layout == 0 || o->layout == LAY_ND) {
        o->cols = round_up(o->cols, unit);
    } else if (o->layout == LAY_DN) {
        o->rows = round_up(o->rows, unit);
    } else if (o->fractal != 32) {
        int64_t box = o->fractal == 1024 ? 16 : unit;
        bool row = (o->layout & (LAY_NZ | LAY_ZZ)) != 0;
        o->rows = round_up(o->rows, row ? 16 : box);
        o->cols = round_up(o->cols, row ? box : 16);
    }
}

static int operand_total(const Example *e) {
    int n = e->inst->nslots + e->inst->nresults;
    return n < RULE_MAX_SLOTS ? n : RULE_MAX_SLOTS;
}

void example_settle(Example *e) {
    for (int i = 0; i < operand_total(e); i++)
        if (e->operands[i].kind == K_TILE || e->operands[i].kind == K_MULTI)
            settle_tile(&e->operands[i]);
}

/* ---- changes that satisfy a row ---- */

/* These functions return false when nothing changed. */

static bool narrow_elems(ExampleOperand *o, ElemSet set) {
    ElemSet left = o->elems & set;
    uint8_t before = o->elem;
    if (left == 0) return false;
    o->elems = left;
    pick_elem(o);
    return o->elem != before;
}

static bool narrow_space(ExampleOperand *o, uint64_t set) {
    uint16_t left = o->spaces & (uint16_t)set;
    uint8_t before = o->space;
    if (left == 0) return false;
    o->spaces = left;
    for (unsigned i = 0; (1u << o->space & left) == 0 && i < SPACE_CHOICES; i++)
        if ((1u << space_order[i] & left) != 0) o->space = space_order[i];
    return o->space != before;
}

static bool narrow_layout(ExampleOperand *o, uint64_t set) {
    uint8_t left = o->layouts & (uint8_t)set;
    if (left == 0) return false;
    uint8_t before = o->layout;
    o->layouts = left;
    if (o->layout == 0 || (o->layout & left) == 0) o->layout = (uint8_t)(left & -left);
    return o->layout != before;
}

static bool narrow_kind(ExampleOperand *o, uint64_t set) {
    uint64_t left = o->kinds & set;
    if (left == 0 || left == o->kinds) return false;
    o->kinds = left;
    if (is_scalar_kind(o->kind) && scalar_elems(left) != 0)
        return narrow_elems(o, scalar_elems(left));
    pick_kind(o);
    set_kind(o, o->kind);
    return true;
}

static ElemSet elems_of_sizes(uint64_t sizes) {
    ElemSet set = 0;
    for (int e = 0; e < ELEM_COUNT; e++)
        if (((uint64_t)1 << elem_infos[e].bytes & sizes) != 0) set |= ELEM_BIT(e);
    return set;
}

/* Returns the scalar type for an element type: the signless integer for its signed and unsigned
 * twins. */
static Elem scalar_of(const ExampleOperand *o, Elem e) {
    static const Elem signless[] = {ELEM_I8, ELEM_I16, ELEM_I32, ELEM_I64};
    if ((ELEM_BIT(e) & o->elems) != 0) return e;
    for (unsigned i = 0; i < 4; i++)
        if (elem_is_int(e) && elem_int_width(e) == elem_int_width(signless[i])) return signless[i];
    return e;
}

/* Gives both one element type: that of b if a can have it, else that of a, else any. */
static bool equal_elems(ExampleOperand *a, ExampleOperand *b) {
    Elem from_b = is_scalar_kind(a->kind) ? scalar_of(a, (Elem)b->elem) : (Elem)b->elem;
    if ((ELEM_BIT(from_b) & a->elems) != 0 && a->elem != from_b) {
        a->elem = (uint8_t)from_b;
        return true;
    }
    if ((ELEM_BIT(a->elem) & b->elems) != 0 && b->elem != a->elem) {
        b->elem = a->elem;
        return true;
    }
    ElemSet both = a->elems & b->elems;
    if (both == 0) return false;
    bool changed = narrow_elems(a, both);
    return narrow_elems(b, both) || changed;
}

static bool set_dim(ExampleOperand *o, Dim d, int64_t v) {
    int64_t *const dims[] = {&o->rows, &o->cols, &o->vrow, &o->vcol};
    if (o->frozen || v < 0 || v > 1 << 20 || *dims[d] == v) return false;
    *dims[d] = v;
    if (d == DIM_ROWS && o->vrow != DYNAMIC) o->vrow = v;
    if (d == DIM_COLS && o->vcol != DYNAMIC) o->vcol = v;
    return true;
}

static int64_t get_dim(const ExampleOperand *o, Dim d) {
    const int64_t dims[] = {o->rows, o->cols, o->vrow, o->vcol};
    return dims[d];
}

static int64_t into_range(const RuleRow *row, int64_t v) {
    int64_t lo = row_args(row)->lo,
            unit = row_args(row)->multiple == 0 ? 1 : row_args(row)->multiple;
    if (v > row_args(row)->hi) v = row_args(row)->hi / unit * unit;
    if (v < lo) v = lo;
    v = round_up(v, unit);
    return v <= row_args(row)->hi ? v : row_args(row)->hi / unit * unit;
}

static bool relate(ExampleOperand *a, ExampleOperand *b, const RuleRow *row) {
    int64_t factor = row_args(row)->multiple == 0 ? 1 : row_args(row)->multiple,
            div = row_args(row)->div == 0 ? 1 : row_args(row)->div;
    if (a->frozen)
        return set_dim(b, (Dim)row->dim_b,
                       (get_dim(a, (Dim)row->dims) - row_args(row)->add) * div / factor);
    int64_t v = (get_dim(b, (Dim)row->dim_b) * factor + div - 1) / div + row_args(row)->add;
    return set_dim(a, (Dim)row->dims, v);
}

static bool fit_row(ExampleOperand *a, const RuleRow *row) {
    int64_t bytes = elem_infos[a->elem].bytes;
    if (bytes == 0) return false;
    int64_t want = round_up(a->cols * bytes, row_args(row)->lo);
    if (row_args(row)->hi != NO_LIMIT && want > row_args(row)->hi)
        want = row_args(row)->hi / row_args(row)->lo * row_args(row)->lo;
    return set_dim(a, DIM_COLS, want / bytes);
}

static bool equal_extents(ExampleOperand *a, ExampleOperand *b, unsigned dims, bool valid) {
    bool changed = false;
    if (a->frozen) {
        ExampleOperand *other = a;
        a = b;
        b = other;
    }
    if ((dims & VALID_ROWS) != 0)
        changed |= set_dim(a, valid ? DIM_VROW : DIM_ROWS, valid ? b->vrow : b->rows);
    if ((dims & VALID_COLS) != 0)
        changed |= set_dim(a, valid ? DIM_VCOL : DIM_COLS, valid ? b->vcol : b->cols);
    return changed;
}

static bool copy_type(ExampleOperand *a, const ExampleOperand *b) {
    ExampleOperand old = *a;
    if (is_scalar_kind(a->kind) && is_scalar_kind(b->kind))
        return (ELEM_BIT(b->elem) & a->elems) != 0 && a->elem != b->elem &&
               (a->elem = b->elem) != ELEM_NONE;
    *a = *b;
    a->count = old.count;
    a->fixed_count = old.fixed_count;
    return memcmp(&old, a, sizeof old) != 0;
}

/* Changes a view as little as possible: its last dimensions become the valid region. */
static bool fit_view(ExampleOperand *view, const ExampleOperand *tile) {
    if (view->frozen) return false;
    int64_t want[2] = {tile->vrow, tile->vcol};
    bool changed = false;
    for (unsigned i = 0; i < view->rank && i < 5; i++) {
        int64_t v = view->rank >= 2 && i + 2 >= view->rank ? want[i + 2 - view->rank]
                    : view->rank == 1                      ? want[0] * want[1]
                                                           : 1;
        changed |= view->dims[i] != v;
        view->dims[i] = v;
    }
    return changed;
}

static bool set_count(ExampleOperand *o, uint8_t count) {
    if (o->fixed_count || o->count == count) return false;
    o->count = count;
    return true;
}

/* Chooses the first pair of the list that both operands can have. */
static bool choose_pair(ExampleOperand *a, ExampleOperand *b, const RuleRow *row) {
    for (const uint8_t *p = row_list(row); p[0] != 0; p += 2) {
        if (row->cond == C_ELEM_PAIR && (ELEM_BIT(p[0]) & a->elems) &&
            (ELEM_BIT(p[1]) & b->elems)) {
            a->elem = p[0];
            b->elem = p[1];
            return true;
        }
        if (row->cond == C_LOCATION_PAIR && (1u << p[0] & a->spaces) && (1u << p[1] & b->spaces)) {
            a->space = p[0];
            b->space = p[1];
            return true;
        }
        if (row->cond == C_LAYOUT_PAIR && (p[0] & a->layouts) && (p[1] & b->layouts)) {
            a->layout = p[0] & a->layouts;
            b->layout = p[1] & b->layouts;
            return true;
        }
    }
    return false;
}

static bool fit_tmp(ExampleOperand *tmp, const ExampleOperand *b, const RuleRow *row) {
    int64_t factor = row_args(row)->multiple == 0 ? 1 : row_args(row)->multiple;
    int64_t want = b->rows * b->cols * elem_infos[b->elem].bytes * factor;
    if (row_b(row) == NULL) want = row_args(row)->lo;
    int64_t have = tmp->rows * tmp->cols * elem_infos[tmp->elem].bytes;
    if (have <= 0 || have >= want) return false;
    return set_dim(tmp, DIM_ROWS, tmp->rows * ((want + have - 1) / have));
}

static bool set_view_extents(ExampleOperand *o, int64_t least) {
    bool changed = false;
    for (int i = 0; i < 5; i++)
        if (o->dims[i] < least) {
            o->dims[i] = least;
            changed = true;
        }
    return changed;
}

static bool set_small(uint8_t *field, uint64_t set) {
    unsigned v = (unsigned)__builtin_ctzll(set);
    if (set == 0 || *field == v) return false;
    *field = (uint8_t)v;
    return true;
}

static bool set_fractal(ExampleOperand *o, uint64_t set) {
    uint16_t want = (set & F512) != 0 ? 512 : (set & F1024) != 0 ? 1024 : 32;
    bool changed = o->fractal != want;
    o->fractal = want;
    return changed;
}

static bool repair_attr(Example *e, int i, const RuleRow *row) {
    if (i < 0 || i >= EXAMPLE_MAX_ATTRS || e->attrs[i].fixed) return false;
    ExampleAttr *a = &e->attrs[i], old = *a;
    switch ((CondId)row->cond) {
    case C_ATTR_CONFLICT:
        a->present = false;
        break;
    case C_ATTR_SET:
        *a = (ExampleAttr){.present = true,
                           .value = __builtin_ctzll(row_args(row)->set | 1ull << 63)};
        break;
    case C_ATTR_VALUE:
        *a = (ExampleAttr){.present = true, .value = row_args(row)->lo};
        break;
    default:
        a->present = true;
    }
    return a->present != old.present || a->value != old.value;
}

/* Satisfies rows about shapes, views, presence and constants. */
static bool repair_extent(ExampleOperand *a, ExampleOperand *b, const RuleRow *row) {
    const ExampleOperand old = *a;
    switch ((CondId)row->cond) {
    case C_VALID_MISMATCH:
        return equal_extents(a, b, row->dims, true);
    case C_SHAPE_MISMATCH:
        return equal_extents(a, b, row->dims, false);
    case C_VALID_RANGE:
    case C_SHAPE_RANGE:
        return set_dim(a, (Dim)row->dims, into_range(row, get_dim(a, (Dim)row->dims)));
    case C_ROW_BYTES:
        return fit_row(a, row);
    case C_VALID_RELATION:
    case C_SHAPE_RELATION:
        return relate(a, b, row);
    case C_ELEMENT_COUNT:
        return fit_view(b, a);
    case C_VIEW_EXTENT:
        return set_view_extents(a, row_args(row)->lo);
    case C_VIEW_RANK_RANGE:
        a->rank = (uint8_t)(row_args(row)->lo < 5 ? row_args(row)->lo : 5);
        return a->rank != old.rank;
    case C_TMP_CAPACITY:
        return fit_tmp(a, b, row);
    case C_OPERAND_REQUIRED:
        return set_count(a, 1);
    case C_OPERAND_CONFLICT:
        return set_count(a, 0);
    case C_COUNT_RANGE:
        return set_count(a, (uint8_t)(row_args(row)->lo < 8 ? row_args(row)->lo : 8));
    case C_CONST_RANGE:
        a->value = into_range(row, a->value);
        return a->value != old.value;
    default:
        return false;
    }
}

/* Satisfies a row for one operand: what it says about types, then the rest. */
static bool repair_operand(Example *e, int i, const RuleRow *row) {
    ExampleOperand *a = &e->operands[i], none = *a;
    int j = row_b(row) != NULL ? inst_operand_named(e->inst, row_b(row), strlen(row_b(row))) : -1;
    ExampleOperand *b = j >= 0 ? &e->operands[j] : &none;
    switch ((CondId)row->cond) {
    case C_OPERAND_KIND:
        return narrow_kind(a, row_args(row)->set);
    case C_LOW_PRECISION:
        return narrow_elems(a, ~E_LOW);
    case C_ELEM_TYPE:
        return narrow_elems(a, row_args(row)->set);
    case C_ELEM_SIZE:
        return narrow_elems(a, elems_of_sizes(row_args(row)->set));
    case C_ELEM_MISMATCH:
    case C_ELEM_SIZE_MISMATCH:
    case C_SCALAR_MISMATCH:
    case C_SCALAR_EXACT:
        return equal_elems(a, b);
    case C_ELEM_PAIR:
    case C_LOCATION_PAIR:
    case C_LAYOUT_PAIR:
        return choose_pair(a, b, row);
    case C_TYPE_MISMATCH:
        return copy_type(a, b);
    case C_LOCATION:
    case C_POINTER_SPACE:
        return narrow_space(a, row_args(row)->set);
    case C_LAYOUT:
        return narrow_layout(a, row_args(row)->set);
    case C_FRACTAL:
        return set_fractal(a, row_args(row)->set);
    case C_COMPACT_MODE:
        return set_small(&a->compact, row_args(row)->set);
    case C_PAD_VALUE:
        return set_small(&a->pad, row_args(row)->set);
    default:
        return repair_extent(a, b, row);
    }
}

/* Satisfies a relation of valid extents, or of physical ones where those are not static. */
static bool repair_logical(Example *e, const RuleRow *row) {
    RuleRow relation = *row;
    int a = inst_operand_named(e->inst, row_a(row), strlen(row_a(row)));
    int b = inst_operand_named(e->inst, row_b(row), strlen(row_b(row)));
    relation.cond = C_VALID_RELATION;
    if (a < 0 || b < 0) return false;
    if (get_dim(&e->operands[a], (Dim)row->dims) == DYNAMIC)
        relation.dims = row->dims == DIM_VROW ? DIM_ROWS : DIM_COLS;
    if (get_dim(&e->operands[b], (Dim)row->dim_b) == DYNAMIC)
        relation.dim_b = row->dim_b == DIM_VROW ? DIM_ROWS : DIM_COLS;
    return example_repair(e, &relation);
}

/* Changes every operand that the row names; false when nothing changed. */
bool example_repair(Example *e, const RuleRow *row) {
    if (row->cond == C_CHECK && row_fn(row) == check_logical_extent) return repair_logical(e, row);
    bool changed = false, attr = rule_about_attribute(row);
    for (const char *s = row_a(row); *s != '\0';) {
        size_t n = strcspn(s, " ");
        int i = inst_operand_named(e->inst, s, n);
        if (attr)
            changed |= repair_attr(e, inst_attr(e->inst, s, n), row);
        else if (i >= 0)
            changed |= repair_operand(e, i, row);
        s += n + strspn(s + n, " ");
    }
    example_settle(e);
    return changed;
}

/* ---- the search ---- */

/* A candidate and its score. */
typedef struct Try {
    Example e;
    Verdict v;
    int progress;
} Try;

enum {
    PROGRESS_WARNED = 1 << 20,
    PROGRESS_FINE = 1 << 21,
    MOST_REPAIRS = 24,
    DEFAULT_TRIES = 4000
};

/* True when the instruction does not exist under the profile, whatever its operands. */
static bool is_absent(const Verdict *v) {
    return v->row != NULL && v->row->cond == C_NOT_IN_PROFILE && row_guard(v->row) == NULL;
}

/* Returns a score: how far down the list of rules the statement gets. */
static int progress_of(const Verdict *v) {
    unsigned n;
    const RuleRow *rows = rule_rows(v->inst, &n);
    /* older spellings cause a warning with any operands */
    bool former = (inst_table[v->inst].flags & IF_DEPRECATED) != 0;
    if (v->accepted) return v->warned && !former ? PROGRESS_WARNED : PROGRESS_FINE;
    if (!v->read) return 0;
    if (v->around) return 1;
    if (v->row == NULL) return 2;
    if (v->row >= rows && v->row < rows + n) return 4 + (int)(v->row - rows);
    return 3;
}

static unsigned tries_left(const Try *t) {
    unsigned most = t->e.max_tries == 0 ? DEFAULT_TRIES : t->e.max_tries;
    return t->e.tries < most ? most - t->e.tries : 0;
}

/* Judges and changes a candidate repeatedly, while rows tell how; keeps the best state. */
static void settle_try(Try *t) {
    Try best;
    best.progress = -1;
    for (int i = 0; i < MOST_REPAIRS; i++) {
        example_judge(&t->e, &t->v);
        t->progress = progress_of(&t->v);
        if (t->progress > best.progress) best = *t;
        if (t->progress == PROGRESS_FINE || t->v.row == NULL || tries_left(t) == 0 ||
            !example_repair(&t->e, t->v.row))
            break;
    }
    unsigned tries = t->e.tries;
    *t = best;
    t->e.tries = tries;
}

static const int64_t shapes[][4] = {
    {16, 16, 16, 16}, {32, 32, 32, 1},    {32, 32, 1, 32},  {1, 32, 1, 32},
    {32, 1, 32, 1},   {16, 32, 16, 32},   {32, 16, 32, 16}, {32, 64, 32, 64},
    {64, 32, 64, 32}, {64, 64, 64, 64},   {8, 32, 8, 32},   {1, 256, 1, 256},
    {1, 8, 1, 8},     {1, 64, 1, 64},     {32, 32, 16, 16}, {32, 32, DYNAMIC, DYNAMIC},
    {1, 16, 1, 16},   {16, 128, 16, 128}, {32, 8, 32, 8},   {16, 64, 16, 64},
    {2, 32, 2, 32}};
static const int64_t constants[] = {0, 1, 2, 4, 8, 16, 32};
enum {
    SHAPES = sizeof shapes / sizeof shapes[0],
    CONSTANTS = sizeof constants / sizeof constants[0],
    AT_COUNT = 0,
    AT_ELEM = AT_COUNT + 6,
    AT_SPACE = AT_ELEM + ELEM_CHOICES,
    AT_LAYOUT = AT_SPACE + SPACE_CHOICES,
    AT_SHAPE = AT_LAYOUT + 6,
    AT_FRACTAL = AT_SHAPE + SHAPES,
    AT_PAD = AT_FRACTAL + 3,
    AT_COMPACT = AT_PAD + 4,
    AT_CONSTANT = AT_COMPACT + 3,
    AT_RANK = AT_CONSTANT + CONSTANTS,
    AT_KIND = AT_RANK + 5,
    CHANGES = AT_KIND + KIND_CHOICES
};
_Static_assert((int)CHANGES <= (int)EXAMPLE_CHANGES, "room for every change");

static bool change_count(const SlotInfo *s, ExampleOperand *o, int k) {
    if (s == NULL || s->arity == ARITY_ONE || (s->arity == ARITY_OPT && k > 1)) return false;
    return set_count(o, (uint8_t)k);
}

static bool change_tile(ExampleOperand *o, int k) {
    if (k >= AT_COMPACT) {
        o->compact = (uint8_t)(k - AT_COMPACT);
    } else if (k >= AT_PAD) {
        o->pad = (uint8_t)(k - AT_PAD);
    } else if (k >= AT_FRACTAL) {
        o->fractal = (uint16_t)(k == AT_FRACTAL ? 32 : k == AT_FRACTAL + 1 ? 512 : 1024);
    } else if (k >= AT_SHAPE) {
        const int64_t *s = shapes[k - AT_SHAPE];
        o->rows = s[0];
        o->cols = s[1];
        o->vrow = s[2];
        o->vcol = s[3];
    } else {
        uint8_t bit = (uint8_t)(1u << (k - AT_LAYOUT));
        if ((o->layouts & bit) == 0) return false;
        o->layout = bit;
    }
    return true;
}

/* Sets the rank; the last two dimensions are 32, the others 1. */
static bool change_view(ExampleOperand *o, int rank) {
    o->rank = (uint8_t)rank;
    for (int i = 0; i < 5; i++)
        o->dims[i] = i + 2 >= rank ? 32 : 1;
    return true;
}

static bool change_constant(ExampleOperand *o, int64_t value) {
    if (o->elem == ELEM_I1 || (!elem_is_int((Elem)o->elem) && !elem_is_float((Elem)o->elem)))
        return false;
    o->constant = true;
    o->value = value;
    return true;
}

static bool change_kind(ExampleOperand *o, uint32_t kind) {
    if ((o->kinds & kind) == 0 || o->kind == kind || o->constant) return false;
    set_kind(o, kind);
    return true;
}

bool example_change(const SlotInfo *s, ExampleOperand *o, int k) {
    ExampleOperand old = *o;
    bool tile = o->kind == K_TILE || o->kind == K_MULTI, can = true;
    if (k >= CHANGES) return false;
    if (k < AT_ELEM)
        can = change_count(s, o, k);
    else if (o->count == 0)
        return false;
    else if (k < AT_SPACE)
        can = (ELEM_BIT(elem_order[k - AT_ELEM]) & o->elems) != 0 &&
              (o->elem = elem_order[k - AT_ELEM]) != 0;
    else if (k < AT_LAYOUT)
        can = (tile || o->kind == K_PTR) && (1u << space_order[k - AT_SPACE] & o->spaces) != 0 &&
              (o->space = space_order[k - AT_SPACE]) != 0;
    else if (k < AT_CONSTANT)
        can = tile && change_tile(o, k);
    else if (k < AT_RANK)
        can =
            is_scalar_kind(o->kind) && s != NULL && change_constant(o, constants[k - AT_CONSTANT]);
    else if (k < AT_KIND)
        can = (o->kind & (K_VIEW | K_PART | K_MEMREF)) != 0 && change_view(o, k - AT_RANK + 1);
    else
        can = change_kind(o, kind_order[k - AT_KIND]);
    return can && memcmp(&old, o, sizeof old) != 0;
}

/* Keeps the better candidate; true when the search can stop. */
static bool keep_better(Try *best, const Try *t) {
    unsigned tries = t->e.tries;
    if (t->progress > best->progress) *best = *t;
    best->e.tries = tries;
    return best->progress == PROGRESS_FINE || tries_left(best) == 0;
}

static bool is_named(const Inst *inst, const RuleRow *row, int operand) {
    for (const char *s = row != NULL ? row_a(row) : ""; *s != '\0';) {
        size_t n = strcspn(s, " ");
        if (inst_operand_named(inst, s, n) == operand) return true;
        s += n + strspn(s + n, " ");
    }
    return false;
}

static bool try_this(Try *t, Try *best) {
    t->e.tries = best->e.tries;
    example_settle(&t->e);
    settle_try(t);
    return keep_better(best, t);
}

/* Tries change `k` of each operand, of those that the broken rule names, and of all. */
static bool try_change(const Try *from, Try *best, int k) {
    Try all = *from, named = *from;
    unsigned nall = 0, nnamed = 0;
    const Inst *inst = from->e.inst;
    for (int i = 0; i < operand_total(&from->e); i++) {
        const SlotInfo *s = i < inst->nslots ? &inst->slots[i] : NULL;
        Try one = *from;
        if (!example_change(s, &one.e.operands[i], k)) continue;
        if (try_this(&one, best)) return true;
        nall += example_change(s, &all.e.operands[i], k);
        if (is_named(inst, from->v.row, i)) nnamed += example_change(s, &named.e.operands[i], k);
    }
    return (nnamed > 1 && nnamed < nall && try_this(&named, best)) ||
           (nall > 1 && k >= AT_ELEM && try_this(&all, best));
}

static bool try_operands(const Try *from, Try *best) {
    for (int k = 0; k < CHANGES; k++)
        if (try_change(from, best, k)) return true;
    return false;
}

/* Tries two element types at once, which casts need. */
static bool try_pairs(const Try *from, Try *best) {
    int n = operand_total(&from->e);
    for (int pair = 0; pair < n * n; pair++) {
        int i = pair / n, j = pair % n;
        for (int k = 0; i < j && k < ELEM_CHOICES * ELEM_CHOICES; k++) {
            Try two = *from;
            two.e.tries = best->e.tries;
            if (!example_change(NULL, &two.e.operands[i], AT_ELEM + k / ELEM_CHOICES) ||
                !example_change(NULL, &two.e.operands[j], AT_ELEM + k % ELEM_CHOICES))
                continue;
            example_settle(&two.e);
            settle_try(&two);
            if (keep_better(best, &two)) return true;
        }
    }
    return false;
}

int example_attr_values(const AttrInfo *a) {
    switch ((AttrType)a->type) {
    case AT_ENUM:
    case AT_WORD:
        return (int)enum_infos[a->family].nvalues;
    case AT_BOOL:
        return 2;
    case AT_INT:
    case AT_I32:
        return 4;
    default:
        return 1;
    }
}

static bool try_attrs(const Try *from, Try *best) {
    const Inst *inst = from->e.inst;
    for (int i = 0; i < inst->nattrs && i < EXAMPLE_MAX_ATTRS; i++) {
        if (from->e.attrs[i].fixed || inst->attrs[i].type == AT_ANY ||
            inst->attrs[i].type == AT_ANGLE)
            continue;
        for (int v = inst->attrs[i].required ? 0 : -1; v < example_attr_values(&inst->attrs[i]);
             v++) {
            Try one = *from;
            one.e.tries = best->e.tries;
            one.e.attrs[i] = (ExampleAttr){.present = v >= 0, .value = v < 0 ? 0 : v};
            settle_try(&one);
            if (keep_better(best, &one)) return true;
        }
    }
    return false;
}

/* Starts from the sets that the caller has narrowed. */
static void pick_all(Example *e) {
    for (int i = 0; i < operand_total(e); i++) {
        ExampleOperand *o = &e->operands[i];
        pick_elem(o);
        narrow_space(o, o->spaces);
        if (o->layouts != (LAY_ROW_MAJOR | LAY_COL_MAJOR)) narrow_layout(o, o->layouts);
    }
}

/* Searches for operands; sets *whole when the statement is legal but not the program around it. */
static bool search_from(Example *e, bool *whole) {
    Try best = {.e = *e};
    pick_all(&best.e);
    example_settle(&best.e);
    settle_try(&best);
    for (bool done = best.progress == PROGRESS_FINE || is_absent(&best.v); !done;) {
        const Try from = best;
        done = try_operands(&from, &best) || try_attrs(&from, &best) ||
               (best.progress == from.progress && try_pairs(&from, &best)) ||
               best.progress == from.progress;
    }
    *e = best.e;
    e->broken = best.v.row;
    e->id = best.v.id;
    if (!best.v.accepted) return false;
    *whole = !example_accepted(e);
    return !*whole;
}

/* Searches on a bench, and without it when the bench accepts an illegal program. */
static bool search(Example *e) {
    const Example first = *e;
    bool unseen = false;
    ExampleBench *own = e->bench == NULL ? example_bench_new() : NULL;
    if (own != NULL) e->bench = own;
    bool found = search_from(e, &unseen);
    e->bench = first.bench;
    example_bench_free(own);
    if (!unseen) return found;
    *e = first;
    e->bench = NULL;
    found = search_from(e, &unseen);
    e->bench = first.bench;
    return found;
}

bool example_find(Example *e) {
    const ProfileInfo *info = &profile_infos[e->profile];
    if (e->text != NULL) return example_accepted(e);
    if (info->njudged_by == 1) return search(e);
    /* cpu accepts what the rules of one of the others accept; operands that the vendor's library
     * accepts too are preferred */
    for (unsigned i = 0; i < 2 * info->njudged_by; i++) {
        Example other = *e;
        other.profile = (Profile)info->judged_by[i % info->njudged_by];
        other.no_library |= i >= info->njudged_by;
        bool found = search(&other);
        other.profile = e->profile;
        found = found && example_accepted(&other);
        if (found || i + 1 == 2 * info->njudged_by) *e = other;
        if (found) return true;
    }
    return false;
}
