/* SPDX-License-Identifier: Apache-2.0 */
/* Answers for the conditions whether tiles may share bytes. The alias analysis of a function is
 * made when its first statement needs it. */
#include "verifier/rules/sharing.h"

#include <string.h>

const Alias *alias_at(Judge *j, const Op *op) {
    Op *func = op_function(op);
    if (func == NULL) return NULL;
    if (func != j->alias_of) {
        Arena *a = j->residual ? j->arena : &j->ctx->step;
        if (!j->residual && j->alias_of == NULL) {
            arena_alloc(a, 1, 1); /* keeps the first chunk when rewinding */
            j->step_start = arena_mark(a);
        }
        if (!j->residual) arena_rewind(a, j->step_start);
        /* what is kept of a function refers to its numbers */
        j->numbers = numbers_in(j->residual ? a : &j->ctx->arena);
        j->alias = alias_numbered(a, &j->numbers, j->ctx, func);
        j->alias_of = func;
    }
    return j->alias;
}

/* ---- demands on callers ---- */

static AliasSet copy_places(Judge *j, AliasSet s) {
    Place *places = ARENA_ARRAY(&j->ctx->arena, Place, s.n);
    if (s.n > 0) memcpy(places, s.places, s.n * sizeof *places);
    return (AliasSet){places, s.n};
}

AliasSet kept_places(Judge *j, const Op *op, const Value *v) {
    const Alias *alias = v != NULL && type_is_tile(v->type) ? alias_at(j, op) : NULL;
    return alias != NULL ? copy_places(j, alias_places(alias, op, v)) : (AliasSet){NULL, 0};
}

const TileNeed *needs_of(const Judge *j, const Op *func) {
    return ptrmap_get(&j->needs, func);
}

static bool same_places(AliasSet s, AliasSet t) {
    bool same = s.n == t.n;
    for (unsigned i = 0; same && i < s.n; i++)
        same = place_same(&s.places[i], &t.places[i]);
    return same;
}

static bool has_parameter(AliasSet s) {
    for (unsigned i = 0; i < s.n; i++)
        if (s.places[i].base == BASE_PARAMETER) return true;
    return false;
}

/* Beyond MOST_NEEDS, the rest is left to run time. */
void add_need(Judge *j, const Op *func, const Op *op, int a, int b, AliasSet s, AliasSet t) {
    enum { MOST_NEEDS = 256 };
    if (!has_parameter(s) && !has_parameter(t)) return;
    j->needs.arena = &j->ctx->arena;
    TileNeed **first = (TileNeed **)ptrmap_at(&j->needs, func);
    unsigned n = 0;
    for (const TileNeed *need = *first; need != NULL; need = need->next) {
        bool known = need->op == op && need->a == a && need->b == b;
        if (known && same_places(need->places[0], s) && same_places(need->places[1], t)) return;
        if (++n == MOST_NEEDS) return;
    }
    TileNeed *need = ARENA_NEW(&j->ctx->arena, TileNeed);
    *need = (TileNeed){.next = *first, .op = op, .a = a, .b = b};
    need->places[0] = copy_places(j, s);
    need->places[1] = copy_places(j, t);
    *first = need;
}

/* ---- conditions ---- */

static bool is_assumed(const Case *c, int a, int b) {
    const TileNeed *n = c->judge->assumed;
    return n != NULL && n->op == c->op && n->a == a && n->b == b;
}

Overlap operands_overlap(const Case *c, int a, int b) {
    Judge *j = c->judge;
    const Value *v = case_value(c, a), *w = case_value(c, b);
    if (v == NULL || w == NULL || case_tile(c, a) == NULL || case_tile(c, b) == NULL)
        return OVERLAP_NO;
    if (v == w || is_assumed(c, a, b)) return OVERLAP_YES;
    if (v->type->tile.space != w->type->tile.space) return OVERLAP_NO;
    const Alias *alias = alias_at(j, c->op);
    Overlap answer = alias != NULL ? alias_overlap(alias, c->op, v, w) : OVERLAP_MAYBE;
    if (answer == OVERLAP_MAYBE && alias != NULL && j->assumed == NULL && !j->residual)
        add_need(j, j->alias_of, c->op, a, b, alias_places(alias, c->op, v),
                 alias_places(alias, c->op, w));
    return answer;
}

/* ---- messages ---- */

/* True when the text gives a tile one range of bytes. */
static bool has_range(AliasSet s) {
    const Place *p = s.places;
    return s.n == 1 && place_is_fixed(p) && p->end != INT64_MAX;
}

static void put_range(const Case *c, int index, const Place *p, StrBuf *out) {
    sb_printf(out, "%s (bytes %lld to %lld)", case_name(c, index), (long long)p->start.c,
              (long long)(p->end - 1));
}

/* Returns the tile whose storage contains all places, or NULL. */
static const Value *owner_of(AliasSet s) {
    const Place *p = s.places;
    bool named =
        s.n > 0 && (p->base == BASE_BUFFER || p->base == BASE_VALUE || p->base == BASE_PARAMETER);
    for (unsigned i = 1; i < s.n && named; i++)
        named = p[i].base == p->base && p[i].of == p->of;
    return named ? p->of : NULL;
}

void put_shared_storage(const Case *c, int a, int b, StrBuf *out) {
    const Value *v = case_value(c, a), *w = case_value(c, b);
    if (v == w) {
        sb_printf(out, "%s and %s are the same tile, but may not share storage", case_name(c, a),
                  case_name(c, b));
        return;
    }
    const Alias *alias = alias_at(c->judge, c->op);
    AliasSet s = alias_places(alias, c->op, v), t = alias_places(alias, c->op, w);
    if (has_range(s) && has_range(t)) {
        put_range(c, a, s.places, out);
        sb_puts(out, " and ");
        put_range(c, b, t.places, out);
        sb_puts(out, " overlap in memory");
        return;
    }
    const Value *owner = owner_of(s);
    const Interner *names = &c->judge->ctx->names;
    sb_printf(out, "%s and %s ", case_name(c, a), case_name(c, b));
    if (owner != NULL && owner->name != 0)
        sb_printf(out, "both lie in the storage of %%%.*s, but may not overlap",
                  (int)atom_len(names, owner->name), atom_text(names, owner->name));
    else
        sb_puts(out, "overlap in memory, wherever they lie");
}
