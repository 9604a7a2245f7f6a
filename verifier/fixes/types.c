/* SPDX-License-Identifier: Apache-2.0 */
/* Offers another type for a value, or for all values of a type alias: the first candidate that
 * keeps all statements legal that use them. */
#include "parser/type_places.h"
#include "verifier/fixes/corrections.h"

#include <string.h>

/* ---- candidates ---- */

enum { MOST_CANDIDATES = 128 };

typedef struct Candidates {
    Context *ctx;
    const Type *was;
    bool elements_only; /* the place and layout stay */
    const Type *list[MOST_CANDIDATES];
    unsigned n;
} Candidates;

static void add_type(Candidates *l, const Type *t) {
    if (t == NULL || type_same(t, l->was) || l->n == MOST_CANDIDATES) return;
    if (l->elements_only && t->kind == TY_TILE && t->tile.space != l->was->tile.space) return;
    for (unsigned i = 0; i < l->n; i++)
        if (type_same(l->list[i], t)) return;
    l->list[l->n++] = t;
}

static void add_tile(Candidates *l, TileInfo tile, const Type *elem) {
    Type t = *l->was;
    t.tile = tile;
    t.elem_type = elem;
    t.elem = elem->elem;
    t.alias = 0;
    t.canon = NULL;
    if (tile.vrow > tile.rows || tile.vcol > tile.cols) return;
    add_type(l, type_intern(l->ctx->types, &t));
}

/* Adds the type with the element type of another. */
static void add_element_of(Candidates *l, const Type *other) {
    const Type *elem = element_type(other);
    Type t = *l->was;
    if (elem == NULL || elem->kind != TY_SCALAR) return;
    if (t.kind == TY_TILE) {
        add_tile(l, t.tile, elem);
    } else if (t.kind == TY_TENSOR_VIEW || t.kind == TY_PART_VIEW || t.kind == TY_PTR) {
        t.elem_type = elem;
        t.elem = elem->elem;
        t.alias = 0;
        t.canon = NULL;
        add_type(l, type_intern(l->ctx->types, &t));
    }
}

/* Adds types with parts of another tile type, the smallest change first. */
static void add_parts_of(Candidates *l, const Type *other) {
    const TileInfo *from = &other->tile;
    TileInfo t = l->was->tile;
    t.vrow = from->vrow;
    t.vcol = from->vcol;
    add_tile(l, t, l->was->elem_type);
    t.rows = from->rows;
    t.cols = from->cols;
    add_tile(l, t, l->was->elem_type);
    t = l->was->tile;
    t.blayout = from->blayout;
    t.blayout_written = true;
    t.slayout = from->slayout;
    t.fractal = from->fractal;
    add_tile(l, t, l->was->elem_type);
    t = l->was->tile;
    t.pad = from->pad;
    t.compact = from->compact;
    add_tile(l, t, l->was->elem_type);
    add_type(l, other);
}

/* Adds a single row or column in the other layout, else a tile with whole blocks of 32 bytes and
 * the same valid region. */
static void add_aligned(Candidates *l) {
    TileInfo t = l->was->tile;
    int64_t size = elem_infos[l->was->elem].bytes;
    if (t.slayout != SL_NONE_BOX || size == 0 || 32 % size != 0 || t.rows > INT32_MAX ||
        t.cols > INT32_MAX)
        return;
    bool col = t.blayout == BL_COL_MAJOR;
    int64_t step = 32 / size, *along = col ? &t.rows : &t.cols;
    if (*along == 1) {
        t.blayout = col ? BL_ROW_MAJOR : BL_COL_MAJOR;
        t.blayout_written = true;
        add_tile(l, t, l->was->elem_type);
        t = l->was->tile;
    }
    *along = (*along + step - 1) / step * step;
    add_tile(l, t, l->was->elem_type);
}

/* Adds a tile whose valid extents are dynamic where its allocation gives them. */
static void add_given_extents(Candidates *l, const Case *c, TileInfo t) {
    const int row = inst_slot(c->op->inst, OPERAND_valid_row),
              col = inst_slot(c->op->inst, OPERAND_valid_col);
    if (row < 0 || col < 0) return;
    t.vrow = c->types[row] != NULL ? DYNAMIC : t.rows;
    t.vcol = c->types[col] != NULL ? DYNAMIC : t.cols;
    add_tile(l, t, l->was->elem_type);
}

/* Adds a column for a row, and a row for a column. */
static void add_turned(Candidates *l, const Case *c) {
    TileInfo t = l->was->tile;
    if (t.slayout != SL_NONE_BOX || (t.rows != 1 && t.cols != 1)) return;
    t.rows = l->was->tile.cols;
    t.cols = l->was->tile.rows;
    t.vrow = l->was->tile.vcol;
    t.vcol = l->was->tile.vrow;
    t.blayout = t.cols == 1 ? BL_COL_MAJOR : BL_ROW_MAJOR;
    t.blayout_written = t.cols == 1;
    add_tile(l, t, l->was->elem_type);
    add_given_extents(l, c, t);
}

enum { MOST_EXTENTS = 12 };

typedef struct Extents {
    int64_t list[MOST_EXTENTS];
    unsigned n;
} Extents;

static void add_extent(Extents *e, int64_t extent) {
    if (extent <= 0 || e->n == MOST_EXTENTS) return;
    for (unsigned i = 0; i < e->n; i++)
        if (e->list[i] == extent) return;
    e->list[e->n++] = extent;
}

/* Adds tiles with rows of one operand and columns of another, as the result of a product has; the
 * valid region is all of it, unless it is dynamic. */
static void add_shapes(Candidates *l, const Case *c, unsigned at) {
    const TileInfo *was = &l->was->tile;
    Extents extents[2] = {{{was->rows}, 1}, {{was->cols}, 1}};
    for (unsigned i = 0; i < c->ntypes; i++) {
        const Type *other = case_type(c, (int)i);
        if (i == at || other == NULL) continue;
        const bool tile = other->kind == TY_TILE;
        const bool view = other->kind == TY_PART_VIEW && other->rank >= 2;
        for (unsigned k = 0; k < 2; k++) {
            if (tile) add_extent(&extents[k], k == 0 ? other->tile.rows : other->tile.cols);
            if (view) add_extent(&extents[k], other->dims[other->rank - 2 + k]);
        }
    }
    for (unsigned i = 0; i < extents[0].n; i++)
        for (unsigned k = 0; k < extents[1].n; k++) {
            TileInfo t = *was;
            t.rows = extents[0].list[i];
            t.cols = extents[1].list[k];
            if (t.vrow != DYNAMIC) t.vrow = t.rows;
            if (t.vcol != DYNAMIC) t.vcol = t.cols;
            add_tile(l, t, l->was->elem_type);
        }
}

static void add_layouts(Candidates *l) {
    for (int s = SL_NONE_BOX; s <= SL_COL_MAJOR; s++)
        for (int b = BL_ROW_MAJOR; b <= BL_COL_MAJOR; b++) {
            TileInfo t = l->was->tile;
            t.slayout = (uint8_t)s;
            t.blayout = (uint8_t)b;
            t.blayout_written = true;
            add_tile(l, t, l->was->elem_type);
        }
}

static void add_spaces(Candidates *l) {
    for (int s = SPACE_MAT; s < SPACE_COUNT; s++) {
        TileInfo t = l->was->tile;
        t.space = (uint8_t)s;
        add_tile(l, t, l->was->elem_type);
    }
}

/* Adds the element types that the rule names, those of the same size first. */
static void add_elements(Candidates *l, ElemSet set) {
    unsigned bytes = elem_infos[l->was->elem].bytes;
    for (int same = 1; same >= 0; same--)
        for (int e = 1; e < ELEM_COUNT; e++)
            if ((set & ELEM_BIT(e)) != 0 && (elem_infos[e].bytes == bytes) == (same == 1) &&
                elem_infos[e].cls != 'S')
                add_element_of(l, type_scalar(l->ctx->types, (Elem)e));
}

/* Collects types for operand or result `at` of the statement, which breaks `r`. */
static void gather_candidates(Candidates *l, const Case *c, const Rule *r, unsigned at) {
    bool tile = l->was->kind == TY_TILE;
    l->n = 0;
    if (tile) add_aligned(l);
    for (unsigned i = 0; i < c->ntypes; i++) {
        const Type *other = case_type(c, (int)i);
        if (i == at || other == NULL) continue;
        add_element_of(l, other);
        if (tile && other->kind == TY_TILE) add_parts_of(l, other);
        if (!tile && other->kind == l->was->kind) add_type(l, other);
    }
    if (r->row->cond == C_ELEM_TYPE && r->a == (int)at) add_elements(l, row_args(r->row)->set);
    if (!tile || l->elements_only) return;
    add_given_extents(l, c, l->was->tile);
    add_turned(l, c);
    add_shapes(l, c, at);
    add_spaces(l);
    add_layouts(l);
}

/* ---- the values that change ---- */

enum { MOST_USERS = 256, MOST_VALUES = 64 };

/* What gets another type: a value, or the values whose type was written as an alias. */
typedef struct Group {
    Judge *judge;
    const Type *was;
    const Value *only; /* NULL: all values of the type */
    Value *values[MOST_VALUES];
    const Op *ops[MOST_USERS]; /* that define or use one of them */
    unsigned nvalues, nops;
    bool stuck; /* there are too many, or one that ties the type to other statements */
} Group;

static bool is_instruction(const Op *op) {
    return strncmp(op->inst->name, "pto.", 4) == 0 && op->nregions == 0 && op->nsuccs == 0;
}

static bool is_call(Op *op, void *arg) {
    (void)arg;
    return !op_is(op, INST_CALL);
}

/* True when the type of a value can change: a parameter's type is fixed once there are calls. */
static bool is_free(const Judge *j, const Value *v) {
    if (v->npack != 1) return false;
    if (v->def != NULL) return is_instruction(v->def);
    const Region *r = value_block(v)->region;
    return op_is(r->owner, INST_FUNC) && r->first == value_block(v) && !j->ctx->forgotten.calls &&
           op_walk(j->root, is_call, NULL);
}

static bool is_member(const Group *g, const Value *v) {
    return g->only != NULL ? v == g->only : v->type == g->was;
}

static void add_value(Group *g, Value *v) {
    if (!is_member(g, v)) return;
    if (g->nvalues == MOST_VALUES || !is_free(g->judge, v))
        g->stuck = true;
    else
        g->values[g->nvalues++] = v;
}

static bool uses_member(const Group *g, const Op *op) {
    for (unsigned i = 0; i < op->noperands; i++)
        if (is_member(g, op->operands[i].value)) return true;
    for (unsigned i = 0; i < op->nresults; i++)
        if (is_member(g, &op->results[i])) return true;
    for (unsigned s = 0; s < op->nsuccs; s++)
        for (unsigned i = 0; i < op_succs(op)[s].nargs; i++)
            if (is_member(g, op_succs(op)[s].args[i].value)) return true;
    return false;
}

static bool note_op(Op *op, void *arg) {
    Group *g = arg;
    for (unsigned i = 0; i < op->nresults; i++)
        add_value(g, &op->results[i]);
    for (unsigned r = 0; r < op->nregions; r++)
        for (const Block *block = op_regions(op)[r].first; block != NULL; block = block->next)
            for (unsigned i = 0; i < block->nargs; i++)
                add_value(g, &block->args[i]);
    if (!uses_member(g, op)) return !g->stuck;
    if (!is_instruction(op) || g->nops == MOST_USERS)
        g->stuck = true;
    else
        g->ops[g->nops++] = op;
    return !g->stuck;
}

/* Finds the values in the function of the statement or, for an alias, in the module. */
static void find_members(Group *g, const Op *at) {
    Op *func = g->only != NULL ? op_function(at) : NULL;
    op_walk(func != NULL ? func : g->judge->root, note_op, g);
}

static void set_type(const Group *g, const Type *type) {
    for (unsigned i = 0; i < g->nvalues; i++)
        g->values[i]->type = type;
}

static bool ops_are_legal(Judge *j, const Group *g) {
    for (unsigned i = 0; i < g->nops; i++) {
        Case c;
        case_init(&c, j, g->ops[i]);
        if (!case_is_legal(&c)) return false;
    }
    return true;
}

/* ---- the edits ---- */

/* Writes `type` where `was` is written. Where the text has `type` already, the edit changes
 * nothing but keeps other corrections out. False when the place has a third type. */
static bool retype_place(Context *ctx, Diag *d, Span place, const Type *written, const Type *was,
                         const Type *type) {
    if (!type_same(written, was) && !type_same(written, type)) return false;
    if (d != NULL)
        diag_edit(&ctx->diags, d, place, "%.*s", (int)atom_len(&ctx->names, type->text),
                  atom_text(&ctx->names, type->text));
    return true;
}

/* The text of an alias's type; false when it is not that of a single tile or view, or when another
 * type has the alias inside. */
static bool alias_place(const Context *ctx, Atom alias, Span *place) {
    const char *name = atom_text(&ctx->names, alias), *text = ctx->source->data;
    size_t n = atom_len(&ctx->names, alias);
    for (const char *s = text; (s = strchr(s, '<')) != NULL; s++)
        if (strncmp(s + 1, name, n) == 0 && (s[n + 1] == '>' || s[n + 1] == ',')) return false;
    if (*name != '!') return false;
    for (const AliasDef *a = ctx->aliases; a != NULL; a = a->next) {
        if (!a->is_type || atom_len(&ctx->names, a->name) != n - 1 ||
            memcmp(atom_text(&ctx->names, a->name), name + 1, n - 1) != 0)
            continue;
        const char *from = strchr(text + a->span.off, '=');
        if (from == NULL) return false;
        from += 1 + strspn(from + 1, " \t");
        const char *end = from + strcspn(from, "\n");
        while (end > from && end[-1] != '>')
            end--;
        *place = (Span){(uint32_t)(from - text), (uint32_t)(end - from)};
        return strncmp(from, "!pto.", 5) == 0 && memchr(from, '/', (size_t)(end - from)) == NULL;
    }
    return false;
}

/* Adds the edits that give the group another type, or only counts them if d == NULL. 0: not
 * possible. */
static unsigned retype(Context *ctx, const Group *g, const Type *type, Diag *d) {
    Span place;
    const Type *written;
    unsigned n = 1;
    if (g->only == NULL) {
        if (!alias_place(ctx, g->was->alias, &place)) return 0;
        if (d != NULL)
            diag_edit(&ctx->diags, d, place, "%.*s", (int)atom_len(&ctx->names, type->text),
                      atom_text(&ctx->names, type->text));
        return 1;
    }
    if (!value_type_place(ctx, g->only, &place, &written) ||
        !retype_place(ctx, d, place, written, g->was, type))
        return 0;
    for (unsigned i = 0; i < g->nops; i++)
        for (unsigned k = 0; k < g->ops[i]->noperands; k++) {
            const Operand *o = &g->ops[i]->operands[k];
            if (o->value != g->only) continue;
            if (!operand_type_place(ctx, g->ops[i], o, &place, &written) ||
                !retype_place(ctx, d, place, written, g->was, type))
                return 0;
            n++;
        }
    return n;
}

/* Is every value of the group in some statement that is illegal as it is? */
static bool all_are_wrong(Judge *j, const Group *g) {
    bool wrong[MOST_VALUES] = {false};
    for (unsigned i = 0; i < g->nops; i++) {
        Case c;
        case_init(&c, j, g->ops[i]);
        if (case_is_legal(&c)) continue;
        for (unsigned k = 0; k < g->nvalues; k++) {
            const Value *v = g->values[k];
            wrong[k] |= v->def == g->ops[i];
            for (unsigned o = 0; o < g->ops[i]->noperands; o++)
                wrong[k] |= g->ops[i]->operands[o].value == v;
        }
    }
    for (unsigned k = 0; k < g->nvalues; k++)
        if (!wrong[k]) return false;
    return true;
}

/* ---- finding a type ---- */

typedef struct Retyping {
    Group group;
    const Type *type;
    unsigned at;   /* the operand */
    unsigned cost; /* edits; for an alias 1 if all its values are wrong, else their number; 0: no
                      type was found */
} Retyping;

static bool params_may_have(Judge *j, const Group *g, const Type *type) {
    for (unsigned i = 0; i < g->nvalues; i++)
        if (g->values[i]->def == NULL && profiles_refusing_param(j, type) != 0) return false;
    return true;
}

/* Finds the first legal type for one operand or result, or for all values of its alias. */
static void find_type(const Case *c, const Rule *r, unsigned at, bool alias, bool elements_only,
                      Retyping *out) {
    Judge *j = c->judge;
    Value *v = case_value(c, (int)at);
    const Type *was = case_type(c, (int)at);
    Candidates l = {.ctx = j->ctx, .was = was, .elements_only = elements_only};
    Group *g = &out->group;
    *g = (Group){.judge = j, .was = was, .only = alias ? NULL : v};
    out->at = at;
    out->cost = 0;
    if (v == NULL || was == NULL || v->type != was || (alias && was->alias == 0)) return;
    find_members(g, c->op);
    if (g->stuck || g->nvalues == 0) return;
    gather_candidates(&l, c, r, at);
    for (unsigned i = 0; i < l.n && out->cost == 0; i++) {
        out->type = l.list[i];
        if (!params_may_have(j, g, out->type)) continue;
        set_type(g, out->type);
        if (ops_are_legal(j, g)) out->cost = retype(j->ctx, g, l.list[i], NULL);
        set_type(g, was);
        if (out->cost > 0 && alias && !all_are_wrong(j, g)) out->cost = g->nvalues;
    }
}

bool offer_tile(Judge *j, const Op *op, const Value *v, TileInfo tile, Diag *d) {
    Candidates l = {.ctx = j->ctx, .was = v->type};
    Group g = {.judge = j, .was = v->type, .only = v->type->alias != 0 ? NULL : v};
    if (v->type->kind != TY_TILE) return false;
    add_tile(&l, tile, v->type->elem_type);
    find_members(&g, op);
    if (l.n == 0 || g.stuck || g.nvalues == 0) return false;
    set_type(&g, l.list[0]);
    const bool legal = ops_are_legal(j, &g);
    set_type(&g, l.was);
    return legal && retype(j->ctx, &g, l.list[0], NULL) > 0 && retype(j->ctx, &g, l.list[0], d) > 0;
}

/* ---- one cause ---- */

/* Remembers what a diagnostic's fix changes. */
static void note_repair(Judge *j, const Retyping *r, Diag *d) {
    Repair *made = ARENA_NEW(&j->ctx->arena, Repair);
    *made = (Repair){.next = j->repairs,
                     .value = r->group.only,
                     .was = r->group.was,
                     .type = r->type,
                     .profiles = d->profiles,
                     .d = d};
    j->repairs = made;
}

static bool is_legal_after(const Case *c, const Repair *r) {
    Case other = *c;
    bool changed = false;
    for (unsigned i = 0; i < c->ntypes; i++) {
        if (c->types[i] != r->was || (r->value != NULL && case_value(c, (int)i) != r->value))
            continue;
        other.types[i] = r->type;
        changed = true;
    }
    return changed && case_is_legal(&other);
}

bool same_cause(Case *c, Diag *d) {
    enum { MOST_LOOKED_AT = 32 };
    const Repair *r = c->judge->repairs;
    for (unsigned i = 0; r != NULL && i < MOST_LOOKED_AT; i++, r = r->next) {
        const bool same = r->type == NULL ? same_address(c, r, d) : is_legal_after(c, r);
        if (r->profiles != d->profiles || !same) continue;
        diag_merge(&c->judge->ctx->diags, r->d, d, "%s", d->message);
        return true;
    }
    return false;
}

/* Makes the diagnostic point at the second of the two operands that it is about, which the fix
 * changes. */
static void blame_other(const Case *c, const Retyping *r, Diag *d) {
    Context *ctx = c->judge->ctx;
    d->operand = case_name(c, (int)r->at);
    d->span = case_span(c, (int)r->at);
    d->expected = arena_printf(&ctx->arena, TYPE_FMT, TYPE_ARG(&ctx->names, r->type));
    d->found = arena_printf(&ctx->arena, TYPE_FMT, TYPE_ARG(&ctx->names, r->group.was));
}

bool offer_type(Case *c, const Rule *r, bool elements_only, Diag *d) {
    Retyping best = {.cost = 0}, found;
    for (int alias = 0; alias <= 1; alias++)
        for (unsigned i = 0; i < c->ntypes; i++) {
            if (c->types[i] == NULL) continue;
            find_type(c, r, i, alias == 1, elements_only, &found);
            const bool better = best.cost == 0 || found.cost < best.cost ||
                                (found.cost == best.cost && (int)i == r->a &&
                                 (alias == 0 || (int)best.at != r->a || found.group.nvalues > 1));
            if (found.cost != 0 && better) best = found;
        }
    if (best.cost == 0 || retype(c->judge->ctx, &best.group, best.type, d) == 0) return false;
    const bool other = (int)best.at == r->b || r->row->id == DIAG_VALID_OPERAND;
    if (other && (int)best.at != r->a) blame_other(c, &best, d);
    note_repair(c->judge, &best, d);
    return true;
}
