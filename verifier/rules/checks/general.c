/* SPDX-License-Identifier: Apache-2.0 */
/* Named functions of the rule table, for demands of fewer than three instructions. Each reports
 * through fails(), which does nothing unless a reason is wanted (Case.why). */
#include "verifier/rules/checks/checks.h"
#include "verifier/rules/vocabulary.h"

/* ---- tile types ---- */

Answer check_tile_element(const Case *c, const Rule *r) {
    const Type *t = case_tile(c, r->a);
    if (t == NULL || elem_infos[t->elem].bytes != 0) return HOLDS;
    return fails(c, "a tile cannot have elements of type %s, which have no byte size",
                 t->elem == ELEM_ODD_INT ? "odd-width integer" : elem_infos[t->elem].text);
}

/* Suggests a legal tile: the other layout for a single column or row, else a wider tile with the
 * same valid region. */
static const char *align_advice(const Judge *j, const Type *t, bool col, int64_t unit) {
    int64_t size = elem_infos[t->elem].bytes, rows = t->tile.rows, cols = t->tile.cols;
    int64_t across = col ? cols : rows, along = col ? rows : cols, step;
    if (along == 1 && across <= INT32_MAX && across * size % unit == 0)
        return col ? "; with blayout=row_major it is legal"
                   : "; with blayout=col_major it is legal";
    if (size == 0 || unit % size != 0 || along > INT32_MAX) return "";
    step = unit / size;
    along = (along + step - 1) / step * step;
    return arena_printf(&j->ctx->arena, "; %lldx%lld with valid=%lldx%lld is legal",
                        (long long)(col ? along : rows), (long long)(col ? cols : along),
                        (long long)rows, (long long)cols);
}

/* The bytes that a row or column of a plain tile must be a multiple of. */
static int64_t align_unit(const Type *t) {
    return elem_is_fp4((Elem)t->elem) ? 16 : 32;
}

/* Stores the bytes of a row or column; false when they are too many. */
static bool line_bytes(const Type *t, bool col, int64_t *bytes) {
    int64_t n = col ? t->tile.rows : t->tile.cols;
    return !__builtin_mul_overflow(n, (int64_t)elem_infos[t->elem].bytes, bytes);
}

bool tile_is_aligned(const Type *t, Profile p) {
    int64_t bytes;
    if (t->tile.slayout != SL_NONE_BOX) return true;
    return line_bytes(t, tile_blayout(t, p) == BL_COL_MAJOR, &bytes) && bytes % align_unit(t) == 0;
}

const char *misalignment_text(const Judge *j, const Type *t, Profile p) {
    bool col = tile_blayout(t, p) == BL_COL_MAJOR;
    int64_t bytes;
    if (!line_bytes(t, col, &bytes)) return "the tile is too large";
    return arena_printf(
        &j->ctx->arena,
        "a %s of the tile has %lld bytes (%lld x %s), expected a multiple of %lld%s",
        col ? "column" : "row", (long long)bytes, (long long)(col ? t->tile.rows : t->tile.cols),
        elem_infos[t->elem].text, (long long)align_unit(t), align_advice(j, t, col, align_unit(t)));
}

Answer check_tile_align(const Case *c, const Rule *r) {
    const Type *t = case_tile(c, r->a);
    if (t == NULL || tile_is_aligned(t, c->profile)) return HOLDS;
    return fails(c, "%s", c->why != NULL ? misalignment_text(c->judge, t, c->profile) : "");
}

/* Both inner layouts of fractal 32 are judged as 16 x 2 (types-and-syntax section 6). */
bool judged_box(const Type *t, int64_t *rows, int64_t *cols) {
    if (t->tile.fractal == 32) {
        *rows = 16;
        *cols = 2;
        return true;
    }
    return tile_inner_box(t, rows, cols);
}

/* Returns the extent of the tile that is not a multiple of its box, 0 when there is none, and
 * stores that of the box; -1 when no box fits the elements. */
static int64_t odd_extent(const Type *t, int64_t *box, bool *cols) {
    int64_t rows, columns;
    if (t->tile.slayout == SL_NONE_BOX) return 0;
    if (!judged_box(t, &rows, &columns)) return -1;
    *cols = t->tile.cols % columns != 0;
    *box = *cols ? columns : rows;
    if (*cols) return t->tile.cols;
    bool free = t->tile.space == SPACE_VEC || t->tile.fractal == 32 || t->tile.rows == 1;
    return t->tile.rows % rows == 0 || free ? 0 : t->tile.rows;
}

bool tile_is_boxed(const Type *t) {
    int64_t box;
    bool cols;
    return odd_extent(t, &box, &cols) == 0;
}

const char *misboxed_text(const Judge *j, const Type *t) {
    int64_t box = 0;
    bool cols = false;
    int64_t n = odd_extent(t, &box, &cols);
    if (n < 0)
        return arena_printf(&j->ctx->arena,
                            "elements of type %s do not fit the inner box of fractal %u",
                            elem_infos[t->elem].text, t->tile.fractal);
    return arena_printf(&j->ctx->arena, "the boxed tile has %lld %s, expected a multiple of %lld",
                        (long long)n, cols ? "columns" : "rows", (long long)box);
}

Answer check_tile_box(const Case *c, const Rule *r) {
    const Type *t = case_tile(c, r->a);
    if (t == NULL || tile_is_boxed(t)) return HOLDS;
    return fails(c, "%s", c->why != NULL ? misboxed_text(c->judge, t) : "");
}

/* The result of an SSA statement is its own allocation, and is judged as one. */
static bool is_allocated(const Case *c) {
    return op_tile_results(c->op) > 0;
}

Answer check_result_element(const Case *c, const Rule *r) {
    return !is_allocated(c) ? HOLDS : check_tile_element(c, r);
}

Answer check_result_align(const Case *c, const Rule *r) {
    return !is_allocated(c) ? HOLDS : check_tile_align(c, r);
}

Answer check_result_box(const Case *c, const Rule *r) {
    return !is_allocated(c) ? HOLDS : check_tile_box(c, r);
}

Answer check_left_layout(const Case *c, const Rule *r) {
    const Type *t = case_tile(c, r->a);
    if (t == NULL || !t->tile.blayout_written || tile_blayout(t, c->profile) == t->tile.blayout)
        return HOLDS;
    return fails(c, "tiles in left are %s on %s, whatever the text says",
                 tile_blayout(t, c->profile) == BL_ROW_MAJOR ? "row_major" : "col_major",
                 profile_names[c->profile]);
}

/* ---- valid extents ---- */

Answer check_valid_operand(const Case *c, const Rule *r) {
    const Type *t = case_tile(c, c->op->inst->nslots);
    if (t == NULL) return HOLDS;
    bool dynamic = tile_dim(t, (Dim)r->row->dims) == DYNAMIC, given = c->types[r->a] != NULL;
    if (dynamic == given) return HOLDS;
    return dynamic ? fails(c, "%s is missing: the type says `?`", case_name(c, r->a))
                   : fails(c, "%s is given, but the type says %lld", case_name(c, r->a),
                           (long long)tile_dim(t, (Dim)r->row->dims));
}

Answer check_valid_bound(const Case *c, const Rule *r) {
    const Type *t = case_tile(c, r->b);
    Value *v = case_value(c, r->a);
    int64_t n;
    if (t == NULL || v == NULL || !number_written(v, &n)) return HOLDS;
    int64_t most = tile_dim(t, (Dim)r->row->dims);
    if (n >= 0 && n <= most) return HOLDS;
    return fails(c, "%s is %lld, expected 0 to %lld", case_name(c, r->a), (long long)n,
                 (long long)most);
}

Answer check_valid_dynamic(const Case *c, const Rule *r) {
    const Type *t = case_tile(c, r->a);
    if (t == NULL || (t->tile.vrow == DYNAMIC && t->tile.vcol == DYNAMIC)) return HOLDS;
    return fails(c, "both valid extents of %s must be `?` in its type", case_name(c, r->a));
}

/* True for a view of the whole tile; a window has its own valid region. */
static bool is_whole_view(const Op *op) {
    return op_is(op, INST_TASSIGN) || op_is(op, INST_BITCAST) || op_is(op, INST_TRESHAPE) ||
           op_is(op, INST_TALIAS);
}

/* Says where a tile comes from whose valid region cannot be set, and what to do. */
static const char *unset_source(const Case *c, const Value *v, const char *name) {
    Arena *arena = &c->judge->ctx->arena;
    const char *demand =
        "the tile of a pto.alloc_tile or pto.declare_tile, or a view of all of it (pto.tassign, "
        "pto.bitcast, pto.treshape, pto.talias)";
    if (v->def == NULL)
        return arena_printf(arena, "%s is a parameter or carried by a loop, expected %s", name,
                            demand);
    const char *way = op_is(v->def, INST_MULTI_TILE_GET)
                          ? "give valid_row and valid_col to the pto.alloc_multi_tile, or take a "
                            "window with pto.subview"
                      : op_is(v->def, INST_SUBVIEW) ? "give valid[..] to the pto.subview"
                                                    : "copy it with pto.tmov into such a tile";
    return arena_printf(arena, "%s comes from %s, expected %s; %s", name, v->def->inst->name,
                        demand, way);
}

Answer check_valid_source(const Case *c, const Rule *r) {
    const Value *v = case_value(c, r->a);
    if (v == NULL || v->type->kind != TY_TILE) return HOLDS;
    while (v->def != NULL && is_whole_view(v->def) && slot_value(v->def, 0) != NULL)
        v = slot_value(v->def, 0);
    if (v->def != NULL &&
        ((v->def->inst->flags & IF_ALLOC) != 0 || op_is(v->def, INST_DECLARE_TILE)))
        return HOLDS;
    return fails(c, "%s", unset_source(c, v, case_name(c, r->a)));
}

/* ---- levels and addresses ---- */

Answer check_address_level(const Case *c, const Rule *r) {
    const Judge *j = c->judge;
    bool given = c->types[r->a] != NULL;
    if (given && j->level < 3)
        return fails(c, "addr belongs to level 3, this is level %d", j->level);
    if (!given && j->level == 3 && !j->partial && (!j->has_tassign || j->opt->compat))
        return fails(c, "addr is missing: at level 3 every tile has an address");
    return HOLDS;
}

Answer check_tassign_level(const Case *c, const Rule *r) {
    (void)r;
    return c->judge->level == 3
               ? HOLDS
               : fails(c, "an address belongs to level 3, this is level %d", c->judge->level);
}

Answer check_tassign_form(const Case *c, const Rule *r) {
    (void)r;
    return (c->op->nresults != 0 && c->op->form != OPF_AS)
               ? HOLDS
               : fails(c, "PTOAS 0.60 has it with a result and types only: "
                          "%%u = pto.tassign %%tile, %%addr : T -> T");
}

Answer check_address_alignment(const Case *c, const Rule *r) {
    const Type *t = case_tile(c, r->b);
    int64_t at, unit;
    if (t == NULL || !given_address(c->op, &at)) return HOLDS;
    if (at < 0) return fails(c, "the address is %lld, which is negative", (long long)at);
    unit = space_alignment(t->tile.space);
    if (at % unit == 0) return HOLDS;
    return fails(c, "the address is %lld, expected a multiple of %lld in %s", (long long)at,
                 (long long)unit, space_names[t->tile.space]);
}

/* The documented sizes of bias and scaling are smaller than what real programs use, so exceeding
 * them is only a warning. */
static Answer address_fits(const Case *c, const Rule *r, bool small) {
    const Type *t = case_tile(c, r->b);
    int64_t at, end;
    if (t == NULL || (t->tile.space == SPACE_BIAS || t->tile.space == SPACE_SCALING) != small ||
        !given_address(c->op, &at))
        return HOLDS;
    int64_t room = profile_capacity(c->profile, t->tile.space), bytes = tile_bytes(t, c->profile);
    if (room < 0 || bytes < 0) return HOLDS;
    if (!__builtin_add_overflow(at, bytes, &end) && end <= room) return HOLDS;
    return fails(c, "the tile has %lld bytes from address %lld, %s has %lld", (long long)bytes,
                 (long long)at, space_names[t->tile.space], (long long)room);
}

Answer check_address_range(const Case *c, const Rule *r) {
    return address_fits(c, r, false);
}

Answer check_address_small(const Case *c, const Rule *r) {
    return address_fits(c, r, true);
}

/* ---- fill ---- */

/* The attribute must repeat the pad key of a mat tile; null counts as zero. */
Answer check_pad_attribute(const Case *c, const Rule *r) {
    const Type *t = case_tile(c, r->a);
    const NamedAttr *a = op_attr_named(c->op, ATTR_padValue);
    if (t == NULL || a == NULL || a->value->kind != ATTR_ENUM || t->tile.space != SPACE_MAT)
        return HOLDS;
    int want = t->tile.pad == PAD_NULL ? PAD_ZERO : t->tile.pad;
    if (enum_number(a->value) == want) return HOLDS;
    if (c->at != NULL && a->span.len != 0) *c->at = a->span;
    return fails(c, "padValue is %s, but the pad key of %s means %s",
                 enum_infos[EF_PAD_VALUE].values[a->value->i].text, case_name(c, r->a),
                 enum_infos[EF_PAD_VALUE].values[want].text);
}

Answer check_tile_bytes(const Case *c, const Rule *r) {
    const Type *t = case_tile(c, r->a);
    int64_t bytes = t != NULL ? tile_bytes(t, c->profile) : 32;
    if (bytes >= 32 && bytes / 32 <= 32767) return HOLDS;
    return fails(c, "%s has %lld bytes; a fill in mat takes 1 to 32767 blocks of 32 bytes",
                 case_name(c, r->a), (long long)bytes);
}

Answer check_tload_wide_pad(const Case *c, const Rule *r) {
    const Type *t = case_tile(c, r->a);
    if (t == NULL || elem_infos[t->elem].bytes != 8 || t->tile.pad <= PAD_ZERO) return HOLDS;
    return fails(c, "%s has 64-bit elements, which can be padded with null or zero only",
                 case_name(c, r->a));
}

/* A tile of one row or one column can be stored in any layout. */
Answer check_store_layout(const Case *c, const Rule *r) {
    const Type *t = case_tile(c, r->a);
    if (t == NULL || t->tile.rows == 1 || t->tile.cols == 1 ||
        (tile_layout(t, c->profile) & (LAY_ND | LAY_DN | LAY_NZ)) != 0)
        return HOLDS;
    return fails(c,
                 "%s has a layout other than row_major/none_box, col_major/none_box and "
                 "col_major/row_major, and more than one row and column",
                 case_name(c, r->a));
}

/* ---- views ---- */

static bool constant_of(const Operand *o, int64_t *out) {
    return o->value != NULL && number_written(o->value, out);
}

Answer check_view_rank(const Case *c, const Rule *r) {
    const Type *t = case_type(c, r->a);
    unsigned shape = slot_count(c->op, 1), strides = slot_count(c->op, 2);
    if (t == NULL || t->kind != TY_TENSOR_VIEW || (shape == t->rank && strides == t->rank))
        return HOLDS;
    return fails(c, "%u extents and %u strides for a view of rank %u", shape, strides, t->rank);
}

/* Pads shape and strides to five dimensions; false when something is dynamic. */
static bool static_view(const Case *c, const Type *t, int64_t shape[5], int64_t strides[5]) {
    const Operand *n = slot_operands(c->op, 1), *s = slot_operands(c->op, 2);
    unsigned rank = t->rank, pad = 5 - rank;
    for (unsigned i = 0; i < rank; i++) {
        shape[pad + i] = t->dims[i];
        if (shape[pad + i] == DYNAMIC && !constant_of(&n[i], &shape[pad + i])) return false;
        if (!constant_of(&s[i], &strides[pad + i])) return false;
    }
    for (unsigned i = pad; i > 0; i--) {
        shape[i - 1] = 1;
        if (__builtin_mul_overflow(shape[i], strides[i], &strides[i - 1])) return false;
    }
    return true;
}

/* Returns the layouts that the two minor dimensions allow: bit 0 nd, bit 1 dn. */
static unsigned minor_layouts(const int64_t shape[5], const int64_t strides[5]) {
    int64_t rows = shape[3], cols = shape[4], rs = strides[3], cs = strides[4];
    bool nd = (cols == 1 || cs == 1) && (rows == 1 || rs == (cols == 1 ? 1 : cols));
    bool dn = (rows == 1 || rs == 1) && (cols == 1 || cs == (rows == 1 ? 1 : rows));
    return (nd ? 1u : 0u) | (dn ? 2u : 0u);
}

static bool looks_nz(const Type *t, const int64_t shape[5], const int64_t strides[5]) {
    int64_t bytes = elem_infos[t->elem].bytes;
    return shape[2] == 16 && shape[3] > 0 && shape[3] <= 512 &&
           shape[2] * shape[3] * bytes == 512 && strides[4] == 1 && strides[3] == shape[4];
}

Answer check_view_layout(const Case *c, const Rule *r) {
    const Type *t = case_type(c, r->a);
    const NamedAttr *a = op_attr_named(c->op, ATTR_layout);
    int64_t shape[5], strides[5];
    if (t == NULL || t->kind != TY_TENSOR_VIEW || a == NULL || a->value->kind != ATTR_ENUM ||
        t->rank == 0 || t->rank > 5 || slot_count(c->op, 1) != t->rank ||
        slot_count(c->op, 2) != t->rank || !static_view(c, t, shape, strides))
        return HOLDS;
    int written = enum_number(a->value);
    unsigned can = minor_layouts(shape, strides);
    if (written > 1 || can == 0 || looks_nz(t, shape, strides) || (can >> written & 1) != 0)
        return HOLDS;
    if (c->at != NULL && a->span.len != 0) *c->at = a->span;
    return fails(c, "the layout is %s, but shape and strides are those of %s",
                 written == 0 ? "nd" : "dn", written == 0 ? "dn" : "nd");
}

Answer check_view_dims(const Case *c, const Rule *r) {
    const Type *t = case_type(c, r->a);
    if (t == NULL || t->kind != TY_TENSOR_VIEW || t->rank <= 5) return HOLDS;
    return fails(c, "the view has rank %u, expected at most 5", t->rank);
}

/* The type wins over a constant operand that differs. */
Answer check_view_extents(const Case *c, const Rule *r) {
    const Type *t = case_type(c, r->a);
    if (t == NULL || t->kind != TY_TENSOR_VIEW || slot_count(c->op, 1) != t->rank) return HOLDS;
    const Operand *shape = slot_operands(c->op, 1);
    for (unsigned i = 0; i < t->rank; i++) {
        int64_t n;
        if (t->dims[i] == DYNAMIC || !constant_of(&shape[i], &n) || n == t->dims[i]) continue;
        if (c->at != NULL) *c->at = shape[i].span;
        return fails(c, "extent %u is %lld, but the type of the view says %lld, which wins", i,
                     (long long)n, (long long)t->dims[i]);
    }
    return HOLDS;
}

/* ---- scalars ---- */

static unsigned scalar_width(const Type *t) {
    if (t->elem == ELEM_ODD_INT) return t->width;
    if (elem_is_int((Elem)t->elem)) return elem_int_width((Elem)t->elem);
    return elem_infos[t->elem].bytes * 8u;
}

static bool both_scalars(const Case *c, const Rule *r, const Type **a, const Type **b) {
    *a = case_type(c, r->a);
    *b = case_type(c, r->b);
    return *a != NULL && *b != NULL && (*a)->kind == TY_SCALAR && (*b)->kind == TY_SCALAR;
}

Answer check_wider(const Case *c, const Rule *r) {
    const Type *a, *b;
    if (!both_scalars(c, r, &a, &b) || scalar_width(b) > scalar_width(a)) return HOLDS;
    return fails(c, "the result has %u bits, expected more than %u", scalar_width(b),
                 scalar_width(a));
}

Answer check_narrower(const Case *c, const Rule *r) {
    const Type *a, *b;
    if (!both_scalars(c, r, &a, &b) || scalar_width(b) < scalar_width(a)) return HOLDS;
    return fails(c, "the result has %u bits, expected fewer than %u", scalar_width(b),
                 scalar_width(a));
}

Answer check_same_width(const Case *c, const Rule *r) {
    const Type *a, *b;
    if (!both_scalars(c, r, &a, &b) || scalar_width(b) == scalar_width(a)) return HOLDS;
    return fails(c, "the result has %u bits, expected %u", scalar_width(b), scalar_width(a));
}

static bool signless(const Type *t) {
    return t->elem == ELEM_ODD_INT ? t->sign == 'I'
                                   : t->elem != ELEM_INDEX && elem_infos[t->elem].cls == 'I';
}

Answer check_index_cast(const Case *c, const Rule *r) {
    const Type *a, *b;
    if (!both_scalars(c, r, &a, &b) || (type_is_index(a) && signless(b)) ||
        (type_is_index(b) && signless(a)))
        return HOLDS;
    return fails(c, "one side must be index, the other a signless integer");
}

/* Only the signedness may change, not the width. The vendor's assembler emits other casts
 * unchecked. */
Answer check_sign_cast(const Case *c, const Rule *r) {
    const Type *a = case_type(c, r->a), *b = case_type(c, r->b);
    if (a == NULL || b == NULL || type_same(a, b) ||
        (type_is_int(a) && type_is_int(b) && scalar_width(a) == scalar_width(b)))
        return HOLDS;
    return fails(c, "only the signedness of an integer can change");
}

/* ---- constants ---- */

static Answer int_constant_fits(const Case *c, const Type *t, const Attr *v) {
    unsigned w = scalar_width(t);
    if (w >= 64 || t->elem == ELEM_INDEX) return HOLDS;
    int64_t lo = -((int64_t)1 << (w - 1)), hi = (int64_t)(((uint64_t)1 << w) - 1); /* w may be 63 */
    if (v->i >= lo && v->i <= hi) return HOLDS;
    return fails(c, "%lld does not fit i%u (%lld to %lld)", (long long)v->i, w, (long long)lo,
                 (long long)hi);
}

static Answer float_bits_fit(const Case *c, const Type *t, const Attr *v) {
    unsigned w = elem_infos[t->elem].bytes * 8u;
    if (w == 0 || w >= 64 || (v->i >= 0 && (uint64_t)v->i >> w == 0)) return HOLDS;
    return fails(c, "the bit pattern does not fit %s", elem_infos[t->elem].text);
}

Answer check_constant(const Case *c, const Rule *r) {
    const Type *t = case_type(c, r->a);
    if (t == NULL || c->op->nattrs == 0) return HOLDS;
    if ((t->kind == TY_SCALAR || t->kind == TY_VECTOR) &&
        (ELEM_BIT(t->elem) & (E_F8 | E(F8E8M0))) != 0)
        return fails(c, "there are no constants of type %s; pto.convert makes such values",
                     elem_infos[t->elem].text);
    if (t->kind != TY_SCALAR) return HOLDS;
    const Attr *v = c->op->attrs[c->op->nattrs - 1].value; /* the value is the last attribute */
    if (c->at != NULL && v->span.len != 0) *c->at = v->span;
    if (elem_is_int((Elem)t->elem) || t->elem == ELEM_ODD_INT) {
        if (v->kind == ATTR_BOOL)
            return scalar_width(t) == 1 ? HOLDS : fails(c, "true and false are of type i1");
        if (v->kind != ATTR_INT) return fails(c, "an integer constant needs an integer literal");
        return t->elem == ELEM_INDEX || signless(t)
                   ? int_constant_fits(c, t, v)
                   : fails(c, "there are no constants of signed or unsigned types");
    }
    if (v->kind == ATTR_INT)
        return v->hex ? float_bits_fit(c, t, v)
                      : fails(c, "a float constant needs a float literal (with a point)");
    return v->kind == ATTR_FLOAT ? HOLDS : fails(c, "a float constant needs a float literal");
}

/* ---- forms ---- */

/* The vendor's assembler reads only the DPS form, and the generic form without results. */
Answer check_vendor_form(const Case *c, const Rule *r) {
    (void)r;
    if ((c->op->inst->flags & IF_BARE_FORM) != 0)
        return c->op->form != OPF_AS ? HOLDS
                                     : fails(c, "PTOAS 0.60 reads it with parentheses only");
    /* It has instructions that change a tile's type only with a result. */
    if ((c->op->inst->flags & IF_VIEW) != 0)
        return op_tile_results(c->op) != 0
                   ? HOLDS
                   : fails(c, "PTOAS 0.60 has it with a result only: %%u = %s %%t : T -> T",
                           c->op->inst->name);
    if (c->op->form == OPF_DPS || (c->op->form == OPF_GENERIC && op_tile_results(c->op) == 0))
        return HOLDS;
    return fails(c, "PTOAS 0.60 reads ins(...) outs(...) only, not the %s",
                 op_tile_results(c->op) != 0 ? "form with a result" : "short form");
}
