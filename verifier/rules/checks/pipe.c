/* SPDX-License-Identifier: Apache-2.0 */
/* Named functions of the rules about pipes that need only one statement and the definitions of its
 * operands. */
#include "verifier/rules/checks/checks.h"

#include "ir/epilogue.h"

/* ---- attributes ---- */

/* Returns an integer attribute by name; false when it is absent. */
static bool written_int(const Case *c, AttrName name, int64_t *out) {
    const NamedAttr *a = op_attr_named(c->op, name);
    if (a == NULL || (a->value->kind != ATTR_INT && a->value->kind != ATTR_BOOL)) return false;
    *out = a->value->i;
    return true;
}

static void point_at(const Case *c, AttrName name) {
    const NamedAttr *a = op_attr_named(c->op, name);
    if (c->at != NULL && a != NULL && a->span.len != 0) *c->at = a->span;
}

/* ---- reserved buffers ---- */

Answer check_reserve_level(const Case *c, const Rule *r) {
    int64_t automatic = 0, base;
    bool has_base = written_int(c, ATTR_base, &base);
    int level = c->judge->level;
    (void)r;
    if (!written_int(c, ATTR_auto, &automatic)) return HOLDS;
    if (level < 3 && (automatic == 0 || has_base)) {
        point_at(c, has_base ? ATTR_base : ATTR_auto);
        return fails(c, "a chosen base belongs to level 3, this is level %d", level);
    }
    if (level == 3 && (automatic != 0 || !has_base)) {
        point_at(c, ATTR_auto);
        return fails(c, "at level 3 a buffer has auto = false and a base");
    }
    return HOLDS;
}

Answer check_reserve_alignment(const Case *c, const Rule *r) {
    int64_t base, space = SPACE_VEC;
    (void)r;
    if (!written_int(c, ATTR_base, &base)) return HOLDS;
    const NamedAttr *location = op_attr_named(c->op, ATTR_location);
    if (location != NULL && location->value->kind == ATTR_ENUM) space = location->value->i;
    int64_t unit = space_plan_alignment((int)space);
    if (base >= 0 && base % unit == 0) return HOLDS;
    point_at(c, ATTR_base);
    if (base < 0) return fails(c, "the base is %lld, which is negative", (long long)base);
    return fails(c, "the base is %lld, expected a multiple of %lld", (long long)base,
                 (long long)unit);
}

Answer check_reserve_range(const Case *c, const Rule *r) {
    int64_t base, size, end;
    (void)r;
    const NamedAttr *location = op_attr_named(c->op, ATTR_location);
    if (location == NULL || location->value->kind != ATTR_ENUM || !written_int(c, ATTR_size, &size))
        return HOLDS;
    if (!written_int(c, ATTR_base, &base)) base = 0;
    int64_t room = profile_plan_capacity(c->profile, (int)location->value->i);
    if (room <= 0 || (!__builtin_add_overflow(base, size, &end) && end <= room)) return HOLDS;
    point_at(c, ATTR_size);
    return fails(c, "%lld bytes from address %lld are reserved, %s has %lld", (long long)size,
                 (long long)base, space_names[location->value->i], (long long)room);
}

/* ---- set-up ---- */

Answer check_local_slots(const Case *c, const Rule *r) {
    int64_t local, slots = 8, dir = 0;
    (void)r;
    if (!written_int(c, ATTR_local_slot_num, &local)) return HOLDS;
    if (written_int(c, ATTR_dir_mask, &dir) && dir == 3) slots = 4;
    written_int(c, ATTR_slot_num, &slots);
    if (local <= slots) return HOLDS;
    point_at(c, ATTR_local_slot_num);
    return fails(c, "local_slot_num is %lld, but the pipe has %lld slots", (long long)local,
                 (long long)slots);
}

/* Returns the bytes of a view with static extents, else -1. */
static int64_t view_bytes(const Type *t) {
    if (t == NULL || t->kind != TY_TENSOR_VIEW || elem_infos[t->elem].bytes == 0) return -1;
    int64_t n = elem_infos[t->elem].bytes;
    for (uint32_t i = 0; i < t->rank; i++)
        if (t->dims[i] < 0 || __builtin_mul_overflow(n, t->dims[i], &n)) return -1;
    return n;
}

Answer check_slot_bytes(const Case *c, const Rule *r) {
    int64_t size, bytes = view_bytes(case_type(c, r->a));
    if (bytes < 0 || !written_int(c, ATTR_slot_size, &size)) return HOLDS;
    if (size == bytes || (size % 2 == 0 && size / 2 == bytes)) return HOLDS;
    point_at(c, ATTR_slot_size);
    return fails(c, "slot_size is %lld, but an entry has %lld bytes, a split one twice as many",
                 (long long)size, (long long)bytes);
}

Answer check_flag_base(const Case *c, const Rule *r) {
    enum { FLAGS = 16 };
    int64_t base, dir = 1;
    (void)r;
    if (!written_int(c, ATTR_flag_base, &base) || !written_int(c, ATTR_dir_mask, &dir)) return HOLDS;
    int64_t width = dir == 3 ? 4 : 2;
    if (base <= FLAGS - width) return HOLDS;
    point_at(c, ATTR_flag_base);
    return fails(c,
                 "the %lld flags of the pipe from %lld on do not fit within %d hardware flag ids",
                 (long long)width, (long long)base, FLAGS);
}

static bool epilogue_of(const Case *c, Epilogue *out) {
    const NamedAttr *a = op_attr_named(c->op, ATTR_acc_push_epilogue);
    return a != NULL && epilogue_read(&c->judge->ctx->names, a->value, out);
}

Answer check_epilogue_profile(const Case *c, const Rule *r) {
    Epilogue e;
    (void)r;
    if (!epilogue_of(c, &e)) return HOLDS;
    const ProfileSet where = epilogue_quants[e.quant].where;
    if (where == 0 || (where & PROFILE_BIT(profile_model(c->profile))) != 0) return HOLDS;
    StrBuf names;
    sb_init(&names, &c->judge->ctx->arena);
    put_profiles(&names, profiles_like(where));
    point_at(c, ATTR_acc_push_epilogue);
    return fails(c, "the quantisation %s exists on %s only", epilogue_quants[e.quant].text,
                 sb_text(&names));
}

static bool made_by(const Value *v, InstId id) {
    return v != NULL && v->def != NULL && op_is(v->def, id);
}

Answer check_epilogue_producer(const Case *c, const Rule *r) {
    Epilogue e;
    const Value *v = case_value(c, r->a);
    if (!epilogue_of(c, &e) || v == NULL || made_by(v, INST_RESERVE_BUFFER) ||
        made_by(v, INST_IMPORT_RESERVED_BUFFER))
        return HOLDS;
    return fails(c,
                 "with acc_push_epilogue, %s must come from pto.reserve_buffer or "
                 "pto.import_reserved_buffer",
                 case_name(c, r->a));
}

Answer check_epilogue_consumer(const Case *c, const Rule *r) {
    Epilogue e;
    const Value *v = case_value(c, r->a);
    if (!epilogue_of(c, &e) || made_by(v, INST_RESERVE_BUFFER)) return HOLDS;
    return fails(c, "with acc_push_epilogue, the consumer has its %s from pto.reserve_buffer",
                 case_name(c, r->a));
}

/* ---- entries ---- */

/* Returns the extent that a split divides; false when the entry has none. */
static bool split_extent(const Case *c, int slot, int64_t split, Num *out) {
    const Type *t = case_type(c, slot);
    bool rows = split % 2 == 1;
    if (t == NULL || split < 1 || split > 4) return false;
    if (t->kind == TY_TILE)
        *out = tile_num(c, slot, rows ? DIM_VROW : DIM_VCOL);
    else if (t->kind == TY_TENSOR_VIEW && t->rank == 2)
        *out = view_num(c, slot, rows ? 0 : 1);
    else
        return false;
    return true;
}

Answer check_split_parity(const Case *c, const Rule *r) {
    int64_t split;
    Num n;
    if (!written_int(c, ATTR_split, &split) || !split_extent(c, r->a, split, &n)) return HOLDS;
    bool odd = split > 2;
    Test fit = is_equal(c, num_rem(c, n, 2), number(odd ? 1 : 0));
    if (fit.answer != FAILS) return settle(c, fit);
    point_at(c, ATTR_split);
    return fails(c, "%s has %lld valid %s; split = %lld needs an %s number", case_name(c, r->a),
                 (long long)n.n, split % 2 == 1 ? "rows" : "columns", (long long)split,
                 odd ? "odd" : "even");
}

Answer check_subblock_tile(const Case *c, const Rule *r) {
    const Type *t = case_type(c, r->b);
    if (case_type(c, r->a) == NULL || t == NULL || t->kind == TY_TILE) return HOLDS;
    return fails(c, "%s needs an entry that is a tile", case_name(c, r->a));
}

Answer check_popped_valid(const Case *c, const Rule *r) {
    const Type *t = case_type(c, r->b);
    if (case_type(c, r->a) == NULL || t == NULL) return HOLDS;
    if (t->kind != TY_TILE) return fails(c, "a view has no valid region to set");
    if (t->tile.vrow == DYNAMIC && t->tile.vcol == DYNAMIC) return HOLDS;
    return fails(c, "valid extents are given for a tile whose type has valid=%s, expected ?x?",
                 t->tile.vrow == DYNAMIC || t->tile.vcol == DYNAMIC ? "one ? only"
                                                                    : "static extents");
}

/* ---- lowered forms ---- */

/* Returns the statement that defines a pipe value, or NULL. */
static const Op *pipe_maker(const Value *v) {
    return made_by(v, INST_INITIALIZE_L2G2L_PIPE) || made_by(v, INST_INITIALIZE_L2L_PIPE) ? v->def
                                                                                          : NULL;
}

Answer check_pipe_source(const Case *c, const Rule *r) {
    const Value *v = case_value(c, r->a);
    if (v == NULL || pipe_maker(v) != NULL) return HOLDS;
    return fails(c, "the pipe must come directly from pto.initialize_l2g2l_pipe or "
                    "pto.initialize_l2l_pipe");
}

/* Returns the view of the slots in global memory that entries are taken from, or NULL. */
static const Type *slot_view(const Op *maker) {
    if (maker == NULL || !op_is(maker, INST_INITIALIZE_L2G2L_PIPE) || slot_count(maker, 1) != 0)
        return NULL;
    const Type *t = slot_type(maker, 0);
    return t != NULL && t->kind == TY_TENSOR_VIEW ? t : NULL;
}

static const Type *view_entry(const Case *c, const Rule *r, const Op **maker) {
    const Type *t = case_type(c, r->a);
    *maker = pipe_maker(case_value(c, r->b));
    return *maker != NULL && t != NULL && t->kind == TY_TENSOR_VIEW ? t : NULL;
}

Answer check_entry_pipe(const Case *c, const Rule *r) {
    const Op *maker;
    if (view_entry(c, r, &maker) == NULL || slot_view(maker) != NULL) return HOLDS;
    return fails(c, "an entry that is a view needs a pipe over a tensor_view in global memory, "
                    "without local buffers");
}

Answer check_entry_type(const Case *c, const Rule *r) {
    const Op *maker;
    const Type *t = view_entry(c, r, &maker), *slots = slot_view(maker);
    if (t == NULL || slots == NULL || type_same(t, slots)) return HOLDS;
    return fails(c, "the entry has type %.*s, the slots of the pipe %.*s", TYPE_TEXT(c->judge, t),
                 TYPE_TEXT(c->judge, slots));
}

static bool int_attr_of(const Op *op, AttrName name, int64_t *out) {
    const NamedAttr *a = op_attr_named(op, name);
    if (a == NULL || a->value->kind != ATTR_INT) return false;
    *out = a->value->i;
    return true;
}

Answer check_entry_bytes(const Case *c, const Rule *r) {
    const Op *maker;
    const Type *t = view_entry(c, r, &maker);
    int64_t size, split = 0, bytes = view_bytes(t);
    if (t == NULL || bytes < 0 || !int_attr_of(maker, ATTR_slot_size, &size)) return HOLDS;
    if (size == bytes) return HOLDS;
    if (written_int(c, ATTR_split, &split) && split != 0 && size % 2 == 0 && size / 2 == bytes)
        return HOLDS;
    return fails(c, "the entry has %lld bytes, a slot of the pipe %lld", (long long)bytes,
                 (long long)size);
}

Answer check_view_split(const Case *c, const Rule *r) {
    const Type *t = case_type(c, r->a);
    int64_t split;
    if (t == NULL || t->kind != TY_TENSOR_VIEW || !written_int(c, ATTR_split, &split) || split < 3)
        return HOLDS;
    point_at(c, ATTR_split);
    return fails(c, "split = %lld is for entries that are tiles; %s is a view", (long long)split,
                 case_name(c, r->a));
}

Answer check_odd_split(const Case *c, const Rule *r) {
    const Op *maker = pipe_maker(case_value(c, r->a));
    int64_t split, dir = 0;
    if (maker == NULL || !written_int(c, ATTR_split, &split) || split < 3) return HOLDS;
    if (op_is(maker, INST_INITIALIZE_L2G2L_PIPE) && slot_count(maker, 1) != 0 &&
        int_attr_of(maker, ATTR_dir_mask, &dir) && dir == 1)
        return HOLDS;
    point_at(c, ATTR_split);
    return fails(c,
                 "split = %lld is for tiles that go from cube to vector only, through global "
                 "memory and a local buffer",
                 (long long)split);
}
