/* SPDX-License-Identifier: Apache-2.0 */
/* Corrections beyond types and attributes: a conversion before the statement, strides for each
 * dimension of a view, and aligned addresses. */
#include "ir/number.h"
#include "parser/type_places.h"
#include "verifier/fixes/corrections.h"

#include <string.h>

#define NAME(ctx, atom) (int)atom_len(&(ctx)->names, atom), atom_text(&(ctx)->names, atom)

/* ---- a missing pto.tcvt ---- */

/* The same tile with other elements; NULL for types without elements. */
static const Type *with_elements(Context *ctx, const Type *t, const Type *elem) {
    if (elem == NULL || elem->kind != TY_SCALAR || elem->elem == t->elem) return NULL;
    Type made = *t;
    made.elem_type = elem;
    made.elem = elem->elem;
    made.alias = 0;
    made.canon = NULL;
    return type_intern(ctx->types, &made);
}

/* Is `pto.tcvt ins(.. : from) outs(.. : to)` legal in the place of the statement? */
static bool is_conversion(const Case *c, const Type *from, const Type *to) {
    uint16_t segs[INST_MOST_OPERANDS] = {0};
    Value values[2] = {{.type = from, .npack = 1}, {.type = to, .npack = 1}};
    Operand operands[2] = {{&values[0], c->op->span}, {&values[1], c->op->span}};
    Op op = *c->op;
    op.inst = &inst_table[INST_TCVT];
    op.form = OPF_DPS;
    op.nresults = 0;
    op.nattrs = 0;
    op.noperands = 2;
    op.operands = operands;
    op.segs = segs;
    segs[inst_slot(op.inst, OPERAND_src)] = segs[inst_slot(op.inst, OPERAND_dst)] = 1;
    Case conversion;
    case_init(&conversion, c->judge, &op);
    return case_is_legal(&conversion);
}

/* Returns the name of a dynamic valid extent of a tile, as its allocation has it; 0 when it is not
 * known. */
static Atom valid_name(const Value *v, OperandName extent) {
    const Op *def = v->def;
    const Value *n = def != NULL && op_is(def, INST_ALLOC_TILE) ? named_value(def, extent) : NULL;
    return n != NULL ? n->name : 0;
}

/* Writes ` valid_row = %n valid_col = %m` for a tile with the valid region of `v`, and before the
 * statement, if need be, one that asks for it. */
static void put_valid(const Case *c, const Value *v, StrBuf *before, StrBuf *out) {
    Context *ctx = c->judge->ctx;
    static const char *const slots[] = {"valid_row", "valid_col"};
    const bool dynamic[] = {v->type->tile.vrow == DYNAMIC, v->type->tile.vcol == DYNAMIC};
    Atom names[] = {valid_name(v, OPERAND_valid_row), valid_name(v, OPERAND_valid_col)};
    const Span indent = indentation(ctx, c->op);
    if ((dynamic[0] && names[0] == 0) || (dynamic[1] && names[1] == 0)) {
        names[0] = fresh_name(ctx, name_stem(ctx, v->name, "rows"));
        names[1] = fresh_name(ctx, name_stem(ctx, v->name, "cols"));
        sb_printf(before, "%%%.*s, %%%.*s = pto.get_validshape %%%.*s : " TYPE_FMT "\n%.*s",
                  NAME(ctx, names[0]), NAME(ctx, names[1]), NAME(ctx, v->name),
                  TYPE_ARG(&ctx->names, v->type), (int)indent.len, ctx->source->data + indent.off);
    }
    for (unsigned i = 0; i < 2; i++)
        if (dynamic[i]) sb_printf(out, " %s = %%%.*s", slots[i], NAME(ctx, names[i]));
}

/* Writes the statements that make a tile of type `to` from the operand, named `name`. */
static bool put_conversion(const Case *c, const Value *v, const Type *to, Atom name, StrBuf *out) {
    Context *ctx = c->judge->ctx;
    const Span indent = indentation(ctx, c->op);
    const char *blanks = ctx->source->data + indent.off;
    const int n = (int)indent.len;
    if (c->op->form != OPF_DPS) {
        sb_printf(out, "%%%.*s = pto.tcvt %%%.*s : " TYPE_FMT " -> " TYPE_FMT "\n%.*s",
                  NAME(ctx, name), NAME(ctx, v->name), TYPE_ARG(&ctx->names, v->type),
                  TYPE_ARG(&ctx->names, to), n, blanks);
        return true;
    }
    StrBuf valid;
    sb_init(&valid, &ctx->arena);
    put_valid(c, v, out, &valid);
    const char *addr = "";
    if (c->judge->level == 3) {
        const int64_t at = free_address(c, to);
        if (at < 0) return false;
        const Atom number = fresh_name(ctx, name_stem(ctx, name, "addr"));
        sb_printf(out, "%%%.*s = arith.constant %lld : i64\n%.*s", NAME(ctx, number), (long long)at,
                  n, blanks);
        addr = arena_printf(&ctx->arena, " addr = %%%.*s", NAME(ctx, number));
    }
    sb_printf(out, "%%%.*s = pto.alloc_tile%s%s : " TYPE_FMT "\n%.*s", NAME(ctx, name), addr,
              sb_text(&valid), TYPE_ARG(&ctx->names, to), n, blanks);
    sb_printf(out, "pto.tcvt ins(%%%.*s : " TYPE_FMT ") outs(%%%.*s : " TYPE_FMT ")\n%.*s",
              NAME(ctx, v->name), TYPE_ARG(&ctx->names, v->type), NAME(ctx, name),
              TYPE_ARG(&ctx->names, to), n, blanks);
    return true;
}

static bool convert_operand(const Case *c, int slot, const Type *to, Diag *d) {
    Context *ctx = c->judge->ctx;
    const Operand *o = slot_operands(c->op, slot);
    const Type *written;
    Span place;
    StrBuf before;
    if (o->value->name == 0 || !operand_type_place(ctx, c->op, o, &place, &written)) return false;
    const Atom name = fresh_name(ctx, name_stem(ctx, o->value->name, elem_infos[to->elem].text));
    sb_init(&before, &ctx->arena);
    if (!put_conversion(c, o->value, to, name, &before)) return false;
    diag_edit(&ctx->diags, d, (Span){c->op->span.off, 0}, "%s", sb_text(&before));
    diag_edit(&ctx->diags, d, o->span, "%%%.*s", NAME(ctx, name));
    diag_edit(&ctx->diags, d, place, TYPE_FMT, TYPE_ARG(&ctx->names, to));
    d->operand = case_name(c, slot);
    d->span = o->span;
    return true;
}

/* Tries a conversion of one tile that the statement reads to the elements of another operand. */
bool offer_conversion(const Case *c, Diag *d) {
    Judge *j = c->judge;
    if (c->op->form != OPF_DPS && c->op->form != OPF_SSA) return false;
    for (int s = 0; s < c->op->inst->nslots; s++) {
        const SlotInfo *info = &c->op->inst->slots[s];
        const Type *from = case_type(c, s);
        if (from == NULL || from->kind != TY_TILE || info->role != ROLE_READ ||
            slot_count(c->op, s) != 1 || op_is(c->op, INST_TCVT))
            continue;
        for (unsigned i = 0; i < c->ntypes; i++) {
            const Type *other = case_type(c, (int)i);
            const Type *to =
                other != NULL ? with_elements(j->ctx, from, element_type(other)) : NULL;
            Case with = *c;
            if (to == NULL || !is_conversion(c, from, to)) continue;
            with.types[s] = to;
            if (case_is_legal(&with) && convert_operand(c, s, to, d)) return true;
        }
    }
    return false;
}

/* ---- strides ---- */

enum { MOST_DIMS = 8 };

static bool is_one(const Operand *o) {
    int64_t n;
    return o->value != NULL && number_written(o->value, &n) && n == 1;
}

/* Is the statement in the first block of a function, so that its results are visible after it? */
static bool is_at_start(const Op *op) {
    return op->block != NULL && op_is(region_owner(op->block), INST_FUNC) &&
           op->block == op->block->region->first;
}

typedef struct Constant {
    int64_t wanted;
    const Value *found;
    uint32_t before; /* it must be defined before this */
} Constant;

static bool find_constant(Op *op, void *arg) {
    Constant *c = arg;
    int64_t n;
    if (op_is(op, INST_CONSTANT) && op->nresults == 1 && type_is_index(op->results[0].type) &&
        op->results[0].name != 0 && op->span.off < c->before && is_at_start(op) &&
        number_written(&op->results[0], &n) && n == c->wanted)
        c->found = &op->results[0];
    return c->found == NULL;
}

/* Returns the name of a value with this number; writes a constant before the statement if the
 * function has none. */
static Atom named_number(const Case *c, int64_t n, StrBuf *before) {
    Context *ctx = c->judge->ctx;
    Constant known = {n, NULL, c->op->span.off};
    Op *func = op_function(c->op);
    if (func != NULL) op_walk(func, find_constant, &known);
    if (known.found != NULL) return known.found->name;
    const Span indent = indentation(ctx, c->op);
    const Atom name = fresh_name(ctx, arena_printf(&ctx->arena, "c%lld", (long long)n));
    sb_printf(before, "%%%.*s = arith.constant %lld : index\n%.*s", NAME(ctx, name), (long long)n,
              (int)indent.len, ctx->source->data + indent.off);
    return name;
}

/* Returns the name of the distance from one element of dimension `k` to the next, in a view whose
 * rows follow each other; 0 when it is a product that has no name. */
static Atom stride_name(const Case *c, const Operand *shape, unsigned rank, unsigned k,
                        StrBuf *before) {
    int64_t product = 1, n;
    if (k + 2 == rank && shape[k + 1].value->name != 0) return shape[k + 1].value->name;
    for (unsigned i = k + 1; i < rank; i++)
        if (!number_written(shape[i].value, &n) || __builtin_mul_overflow(product, n, &product))
            return 0;
    return named_number(c, product, before);
}

static Span operands_span(const Operand *o, unsigned n) {
    return span_join(o[0].span, o[n - 1].span);
}

/* Strides beyond the rank: those on the side of the slowest dimension go. */
static void drop_strides(const Case *c, const Operand *o, unsigned n, unsigned rank, Diag *d) {
    DiagList *list = &c->judge->ctx->diags;
    const uint32_t end = o[rank - 1].span.off + o[rank - 1].span.len;
    if (is_one(&o[n - 1]))
        diag_edit(list, d, (Span){o[0].span.off, o[n - rank].span.off - o[0].span.off}, "%s", "");
    else
        diag_edit(list, d, (Span){end, o[n - 1].span.off + o[n - 1].span.len - end}, "%s", "");
}

static bool add_strides(const Case *c, const Operand *o, unsigned n, unsigned rank, Diag *d) {
    Context *ctx = c->judge->ctx;
    const Operand *shape = slot_operands(c->op, inst_slot(c->op->inst, OPERAND_shape));
    const bool front = is_one(&o[n - 1]);
    StrBuf before, text;
    sb_init(&before, &ctx->arena);
    sb_init(&text, &ctx->arena);
    for (unsigned k = front ? 0 : n; k < (front ? rank - n : rank); k++) {
        const Atom name = stride_name(c, shape, rank, k, &before);
        if (name == 0) return false;
        sb_printf(&text, front ? "%%%.*s, " : ", %%%.*s", NAME(ctx, name));
    }
    const uint32_t at = front ? o[0].span.off : o[n - 1].span.off + o[n - 1].span.len;
    diag_edit(&ctx->diags, d, (Span){at, 0}, "%s", sb_text(&text));
    if (before.len > 0)
        diag_edit(&ctx->diags, d, (Span){c->op->span.off, 0}, "%s", sb_text(&before));
    return true;
}

bool offer_strides(const Case *c, Diag *d) {
    const int shape = inst_slot(c->op->inst, OPERAND_shape),
              strides = inst_slot(c->op->inst, OPERAND_strides);
    const Type *view = c->op->nresults > 0 ? c->op->results[0].type : NULL;
    if (shape < 0 || strides < 0 || view == NULL || c->op->form == OPF_GENERIC) return false;
    const unsigned n = slot_count(c->op, strides), extents = slot_count(c->op, shape);
    const bool wrong = n != view->rank;
    const Operand *o = slot_operands(c->op, wrong ? strides : shape);
    if (o == NULL) return false;
    d->operand = wrong ? "strides" : "shape";
    d->span = operands_span(o, wrong ? n : extents);
    if (!wrong || extents != view->rank || view->rank > MOST_DIMS) return false;
    if (n < view->rank) return add_strides(c, o, n, view->rank, d);
    drop_strides(c, o, n, view->rank, d);
    return true;
}

/* ---- addresses ---- */

/* What the tiles at a constant address need. */
typedef struct Placing {
    const Value *at;
    int64_t unit; /* of all of them */
    int64_t address;
    bool overlaps; /* at `address` */
    const Op *op;  /* one of them, whose tile is `type` */
    const Type *type;
} Placing;

/* The tile that a statement places, and the operand with its address. */
static const Type *placed_tile(const Op *op, const Value **address) {
    const int slot = inst_slot(op->inst, OPERAND_addr);
    *address = slot >= 0 ? slot_value(op, slot) : NULL;
    if (*address == NULL) return NULL;
    if (op->nresults > 0 && type_is_tile(op->results[0].type)) return op->results[0].type;
    for (unsigned i = 0; i < op->noperands; i++)
        if (type_is_tile(op->operands[i].value->type)) return op->operands[i].value->type;
    return NULL;
}

static bool note_unit(Op *op, void *arg) {
    Placing *p = arg;
    const Value *address;
    const Type *t = placed_tile(op, &address);
    if (t == NULL || address != p->at) return true;
    const int64_t unit = space_alignment(t->tile.space);
    if (unit > p->unit) p->unit = unit;
    return true;
}

/* True for an address in a tile at another one; both may be any number. */
static bool begins_in(int64_t address, int64_t at, const Type *t) {
    return address >= at &&
           (uint64_t)address - (uint64_t)at < (uint64_t)tile_bytes(t, PROFILE_DEFAULT);
}

static bool note_overlap(Op *op, void *arg) {
    Placing *p = arg;
    const Value *address;
    int64_t at;
    const Type *t = placed_tile(op, &address);
    if (t == NULL || op == p->op || address == p->at || t->tile.space != p->type->tile.space ||
        !number_written(address, &at))
        return true;
    p->overlaps |= begins_in(at, p->address, p->type) || begins_in(p->address, at, t);
    return true;
}

static bool is_taken(Op *func, Placing *p, int64_t address) {
    p->address = address;
    p->overlaps = false;
    op_walk(func, note_overlap, p);
    return p->overlaps;
}

/* Offers the nearest address for all tiles at the constant: below it, unless only the one above is
 * free. */
bool offer_address(const Case *c, Diag *d) {
    Judge *j = c->judge;
    Placing p = {.unit = 1, .op = c->op};
    int64_t n;
    p.type = placed_tile(c->op, &p.at);
    Op *func = op_function(c->op);
    if (p.type == NULL || func == NULL || p.at->def == NULL || !op_is(p.at->def, INST_CONSTANT) ||
        p.at->def->nattrs != 1 || !number_written(p.at, &n) || n < 0)
        return false;
    const Attr *number = p.at->def->attrs[0].value;
    const char *text = j->ctx->source->data + number->span.off;
    const size_t length = strspn(text, "0123456789");
    if (number->kind != ATTR_INT || number->hex || number->alias != 0 || length == 0) return false;
    op_walk(func, note_unit, &p);
    const int64_t below = n / p.unit * p.unit;
    int64_t above = below;
    const bool up = is_taken(func, &p, below) && !__builtin_add_overflow(below, p.unit, &above) &&
                    !is_taken(func, &p, above);
    diag_edit(&j->ctx->diags, d, (Span){number->span.off, (uint32_t)length}, "%lld",
              (long long)(up ? above : below));
    Repair *made = ARENA_NEW(&j->ctx->arena, Repair);
    *made = (Repair){.next = j->repairs, .value = p.at, .profiles = d->profiles, .d = d};
    j->repairs = made;
    return true;
}

bool same_address(const Case *c, const Repair *r, const Diag *d) {
    const Value *address;
    return d->id == DIAG_ADDRESS_ALIGNMENT && placed_tile(c->op, &address) != NULL &&
           address == r->value;
}
