/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the fences that only places demand which the text does not tell: what they order would
 * overlap if the slots or tiles were known to differ. */
#include "passes/fences.h"

enum { MOST_TRIED = 64 }; /* fences of one part: each costs a proof */

/* ---- what is not told ---- */

/* True for a tile of which the place is not known, be it one of several or at a number. */
static bool is_open(const Use *u) {
    return u != NULL && u->value != NULL && !u->scratch && !place_is_memory(u->places[0]) &&
           (u->maybe || u->places[0]->start.n > 0);
}

/* Returns the end of a race whose place is why it may be one; NULL if it is none of that kind. */
static const Use *open_end(const Finding *r) {
    if (r->kind != FINDING_RACE || !r->maybe) return NULL;
    return is_open(r->later_use) ? r->later_use : is_open(r->earlier_use) ? r->earlier_use : NULL;
}

static bool is_within_pipe(const Finding *r) {
    return r->kind == FINDING_RACE && r->earlier->pipe == r->later->pipe;
}

void note_open_races(Fences *f, const Proof *proof) {
    for (const Finding *r = proof->first; r != NULL; r = r->next)
        if (open_end(r) != NULL && !is_within_pipe(r))
            f->open[r->earlier->pipe] |= 1u << r->later->pipe;
}

/* ---- fences ---- */

static void unlink_fence(Fences *f, const Fence *x) {
    if (x->set != NULL) unlink_step(f, x->set);
    unlink_step(f, x->wait);
    for (uint32_t i = 0; x->heads[0] != NULL && i < x->turns; i++) {
        unlink_step(f, x->heads[i]);
        unlink_step(f, x->tails[i]);
    }
}

/* In the reverse order. */
static void link_fence(Fences *f, const Fence *x) {
    for (uint32_t i = x->turns; x->heads[0] != NULL && i-- > 0;) {
        link_again(f, x->tails[i]);
        link_again(f, x->heads[i]);
    }
    link_again(f, x->wait);
    if (x->set != NULL) link_again(f, x->set);
}

/* True for a fence that may order two tiles of which one is not told. */
static bool may_be_lost(const Fences *f, const Fence *x) {
    if (x->old || x->for_set != NULL) return false;
    if (x->set != NULL) return (f->open[x->set->pipe] >> x->set->to & 1) != 0;
    for (int from = 0; from < PIPES && x->wait->kind == STEP_BARRIER_ALL; from++)
        if (f->open[from] != 0) return true;
    return false;
}

/* Returns the race that a fence prevents, if all that it prevents are such; NULL otherwise. */
static const Finding *race_without(Fences *f, const Fence *x) {
    Proof proof;
    const Finding *race = NULL;
    unlink_fence(f, x);
    prove_fences(f, &proof);
    link_fence(f, x);
    if (proof.gave_up != NULL) return NULL;
    for (const Finding *r = proof.first; r != NULL; r = r->next) {
        if (r->kind != FINDING_RACE && r->kind != FINDING_SIGNAL) continue;
        if (is_within_pipe(r)) continue; /* a barrier would do */
        if (open_end(r) == NULL) return NULL;
        /* What reads a tile may need what the other one wrote. */
        if (race == NULL && r->later_use->write) race = r;
    }
    return race;
}

static bool is_noted(const Fences *f, const Finding *r) {
    for (const LostOverlap *l = f->lost; l != NULL; l = l->next)
        if (l->later == r->later->at && l->use->value == open_end(r)->value) return true;
    return false;
}

void find_lost_overlap(Fences *f) {
    uint32_t tried = 0;
    for (uint32_t i = 0; i < f->n && tried < MOST_TRIED; i++) {
        if (!may_be_lost(f, &f->list[i])) continue;
        const Finding *r = race_without(f, &f->list[i]);
        tried++;
        if (r == NULL || is_noted(f, r)) continue;
        LostOverlap *l = ARENA_NEW(f->arena, LostOverlap);
        *l = (LostOverlap){.next = f->lost,
                           .earlier = r->earlier->op,
                           .later = r->later->at,
                           .statement = r->later->op,
                           .use = open_end(r),
                           .next_iteration = r->level > 0};
        f->lost = l;
    }
}

/* ---- messages ---- */

/* Returns the innermost variable of a form that is not the count of a loop; NULL: there is none. */
static const Variable *open_variable(const Affine *form) {
    for (uint32_t i = 0; i < form->n; i++) {
        const Variable *v = form->terms[i].variable, *in = NULL;
        if (v->kind == VAR_VALUE || v->kind == VAR_COMPUTED) return v;
        if (v->kind != VAR_LOOP) in = open_variable(&v->of);
        if (in != NULL) return in;
    }
    return NULL;
}

static const char *name_of_value(const Context *ctx, Arena *arena, const Value *v) {
    if (v->name == 0) return "it";
    return arena_printf(arena, "%%%.*s", (int)atom_len(&ctx->names, v->name),
                        atom_text(&ctx->names, v->name));
}

/* Returns why nothing is known of a number. */
static const char *origin(Arena *arena, const Value *v) {
    const Op *owner = v->argument ? region_owner(value_block(v)) : NULL;
    if (v->def != NULL) return arena_printf(arena, "the result of %s", v->def->inst->name);
    if (owner != NULL && op_is(owner, INST_FUNC)) return "an argument of the function";
    return "carried into the block in no way that is understood";
}

static const char *reason(Context *ctx, const LostOverlap *l) {
    Arena *arena = &ctx->arena;
    const char *tile = name_of_value(ctx, arena, l->use->value);
    const Variable *open = open_variable(&l->use->places[0]->start);
    if (l->use->maybe)
        return arena_printf(arena, "%s is one of several tiles, which do not take turns", tile);
    if (open == NULL)
        return arena_printf(
            arena, "the slots that %s is in different iterations are not told apart", tile);
    return arena_printf(arena, "the place of %s depends on %s, %s", tile,
                        name_of_value(ctx, arena, open->value), origin(arena, open->value));
}

void tell_lost_overlap(Context *ctx, const Fences *f) {
    for (const LostOverlap *l = f->lost; l != NULL; l = l->next) {
        Diag *d = diag_add(&ctx->diags, DIAG_SYNC_OVERLAP, l->later->name_span,
                           "overlap is lost: %s waits for %s%s, whose tile may be the same",
                           l->statement->inst->name, l->earlier->inst->name,
                           l->next_iteration ? " of an iteration before" : "");
        diag_note(&ctx->diags, d, "%s", reason(ctx, l));
    }
}
