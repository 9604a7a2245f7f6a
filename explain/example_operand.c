/* SPDX-License-Identifier: Apache-2.0 */
/* One operand of an example: what it may be, and the single changes that the search tries. */
#include "explain/example_impl.h"
#include "verifier/rules/vocabulary.h"

#include <string.h>

static const uint8_t elem_order[] = {
    ELEM_F32,    ELEM_F16,    ELEM_I32,      ELEM_I16,      ELEM_I8,     ELEM_BF16,     ELEM_UI32,
    ELEM_UI16,   ELEM_UI8,    ELEM_I64,      ELEM_UI64,     ELEM_F64,    ELEM_SI32,     ELEM_SI16,
    ELEM_SI8,    ELEM_SI64,   ELEM_I1,       ELEM_TF32,     ELEM_HIF8,   ELEM_F8E4M3FN, ELEM_F8E5M2,
    ELEM_F8E4M3, ELEM_F8E8M0, ELEM_F4E2M1X2, ELEM_F4E1M2X2, ELEM_HIF8X2, ELEM_BF16X2,   ELEM_INDEX};
enum { ELEM_CHOICES = sizeof elem_order };
static const uint8_t space_order[] = {SPACE_VEC,   SPACE_MAT,  SPACE_ACC,    SPACE_LEFT,
                                      SPACE_RIGHT, SPACE_BIAS, SPACE_SCALING};
enum { SPACE_CHOICES = sizeof space_order };
static const uint32_t kind_order[] = {K_TILE,        K_PART,      K_VIEW,  K_PTR,    K_MULTI,
                                      K_PIPE,        K_EVENTS,    K_ARRAY, K_STRUCT, K_SESSION,
                                      K_ASYNC_EVENT, K_PREFETCH,  K_VREG,  K_MASK,   K_ALIGN,
                                      K_LANES,       K_LANE_MASK, K_MEMREF};

enum { KIND_CHOICES = sizeof kind_order / sizeof kind_order[0] };

#define TILE_ELEMS                                                                                 \
    (E_W8 | E_W16 | E_W32 | E_W64 | E(F16) | E(BF16) | E(F32) | E(F64) | E(TF32) | E_LOW)

bool kind_is_scalar(uint32_t kind) {
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
    o->kind = o->kinds == K_VECTOR ? K_VECTOR : K_SCALAR;
}

static void set_kind(ExampleOperand *o, uint32_t kind) {
    o->kind = kind;
    o->elems = kind_is_scalar(kind) ? scalar_elems(o->kinds) : TILE_ELEMS;
    if (kind == K_ARRAY) o->elems = E(I32) | E(I16) | E(I8) | E(F32);
    if (kind == K_LANES) o->elems &= E_W8_32 | E_FLOATS_32 | E_LOW;
    if (kind == K_MASK) o->elems = E(I32) | E(I16) | E(I8); /* of the lanes that it governs */
    o->space = kind == K_PTR ? SPACE_GM : SPACE_VEC;
    o->spaces = kind == K_PTR ? 0x1FC | 1u << SPACE_GM : 0x1FC;
    pick_elem(o);
}

void operand_init(ExampleOperand *o, SlotKind kind) {
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

int64_t example_round_up(int64_t n, int64_t unit) {
    return (n + unit - 1) / unit * unit;
}

void operand_settle(ExampleOperand *o) {
    int64_t bytes = elem_infos[o->elem].bytes == 0 ? 1 : elem_infos[o->elem].bytes;
    int64_t unit = 32 / bytes;
    if (o->vrow > o->rows) o->rows = o->vrow;
    if (o->vcol > o->cols) o->cols = o->vcol;
    if (o->space == SPACE_SCALING) return; /* rules of the instructions decide the shape */
    if (o->layout == 0 || o->layout == LAY_ND) {
        o->cols = example_round_up(o->cols, unit);
    } else if (o->layout == LAY_DN) {
        o->rows = example_round_up(o->rows, unit);
    } else if (o->fractal != 32) {
        int64_t box = o->fractal == 1024 ? 16 : unit;
        bool row = (o->layout & (LAY_NZ | LAY_ZZ)) != 0;
        o->rows = example_round_up(o->rows, row ? 16 : box);
        o->cols = example_round_up(o->cols, row ? box : 16);
    }
}

/* ---- fewer choices ---- */

bool operand_narrow_elems(ExampleOperand *o, ElemSet set) {
    ElemSet left = o->elems & set;
    uint8_t before = o->elem;
    if (left == 0) return false;
    o->elems = left;
    pick_elem(o);
    return o->elem != before;
}

bool operand_narrow_space(ExampleOperand *o, uint64_t set) {
    uint16_t left = o->spaces & (uint16_t)set;
    uint8_t before = o->space;
    if (left == 0) return false;
    o->spaces = left;
    for (unsigned i = 0; (1u << o->space & left) == 0 && i < SPACE_CHOICES; i++)
        if ((1u << space_order[i] & left) != 0) o->space = space_order[i];
    return o->space != before;
}

bool operand_narrow_layout(ExampleOperand *o, uint64_t set) {
    uint8_t left = o->layouts & (uint8_t)set;
    if (left == 0) return false;
    uint8_t before = o->layout;
    o->layouts = left;
    if (o->layout == 0 || (o->layout & left) == 0) o->layout = (uint8_t)(left & -left);
    return o->layout != before;
}

bool operand_narrow_kind(ExampleOperand *o, uint64_t set) {
    uint64_t left = o->kinds & set;
    if (left == 0 || left == o->kinds) return false;
    o->kinds = left;
    if (kind_is_scalar(o->kind) && scalar_elems(left) != 0)
        return operand_narrow_elems(o, scalar_elems(left));
    pick_kind(o);
    set_kind(o, o->kind);
    return true;
}

void operand_pick(ExampleOperand *o) {
    pick_elem(o);
    operand_narrow_space(o, o->spaces);
    if (o->layouts != (LAY_ROW_MAJOR | LAY_COL_MAJOR)) operand_narrow_layout(o, o->layouts);
}

bool operand_set_count(ExampleOperand *o, uint8_t count) {
    if (o->fixed_count || o->count == count) return false;
    o->count = count;
    return true;
}

/* ---- single changes ---- */

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
    AT_ELEM = EXAMPLE_AT_ELEM,
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
_Static_assert((int)ELEM_CHOICES == (int)EXAMPLE_ELEMS, "changes of the element type");

static bool change_count(const SlotInfo *s, ExampleOperand *o, int k) {
    if (s == NULL || s->arity == ARITY_ONE || (s->arity == ARITY_OPT && k > 1)) return false;
    return operand_set_count(o, (uint8_t)k);
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
            kind_is_scalar(o->kind) && s != NULL && change_constant(o, constants[k - AT_CONSTANT]);
    else if (k < AT_KIND)
        can = (o->kind & (K_VIEW | K_PART | K_MEMREF)) != 0 && change_view(o, k - AT_RANK + 1);
    else
        can = change_kind(o, kind_order[k - AT_KIND]);
    return can && memcmp(&old, o, sizeof old) != 0;
}
