/* SPDX-License-Identifier: Apache-2.0 */
/* The states of the proof: for each observer a set of instances, by levels. */
#include "analysis/prover.h"

/* ---- sets and states ---- */

void keep_common(const Prover *p, uint64_t *set, const uint64_t *with) {
    for (size_t i = 0; i < set_words(p); i++)
        set[i] &= with[i];
}

/* Removes the instances of `mask`, at every level. */
void drop_mask(const Prover *p, uint64_t *set, const uint64_t *mask) {
    for (uint32_t l = 0; l < p->levels; l++)
        for (uint32_t i = 0; i < p->words; i++)
            set[(size_t)l * p->words + i] &= ~mask[i];
}

bool meets_mask(const Prover *p, const uint64_t *set, const uint64_t *mask) {
    for (uint32_t l = 0; l < p->levels; l++)
        for (uint32_t i = 0; i < p->words; i++)
            if ((set[(size_t)l * p->words + i] & mask[i]) != 0) return true;
    return false;
}

State new_state(Prover *p) {
    if (p->nspare > 0) return p->spare[--p->nspare];
    p->state_words += state_words(p);
    if (p->state_words > MOST_STATE_WORDS) p->out->gave_up = "it needs too much memory";
    return (State){ARENA_ARRAY(p->arena, uint64_t, state_words(p)),
                   ARENA_ARRAY(p->arena, uint8_t, p->ncounts + 1)};
}

/* True for an observer whose set is empty: a pipe that the program does not use, or a flag that is
 * not set. */
static bool is_blank(const Prover *p, State s, uint32_t observer) {
    if (is_pipe(observer)) return (p->used >> observer & 1) == 0;
    return observer - PIPES < p->nflags && (s.counts[observer - PIPES] & ONE) == 0;
}

void copy_state(const Prover *p, State to, State from) {
    for (uint32_t o = 0; o < p->observers; o++) {
        if (!is_blank(p, from, o))
            memcpy(seen_by(p, &to, o), seen_by(p, &from, o), set_words(p) * sizeof *to.bits);
        else if (!is_blank(p, to, o))
            memset(seen_by(p, &to, o), 0, set_words(p) * sizeof *to.bits);
    }
    memcpy(to.counts, from.counts, p->ncounts);
}

void free_state(Prover *p, State s) {
    if (p->nspare < MOST_SPARE) p->spare[p->nspare++] = s;
}

/* Adds what `from` may hold; true if that is new. */
bool join_state(const Prover *p, State to, State from) {
    uint64_t news = 0;
    for (uint32_t o = 0; o < p->observers; o++) {
        if (is_blank(p, from, o)) continue;
        const uint64_t *add = seen_by(p, &from, o);
        uint64_t *set = seen_by(p, &to, o);
        for (size_t i = 0; i < set_words(p); i++) {
            news |= add[i] & ~set[i];
            set[i] |= add[i];
        }
    }
    for (uint32_t i = 0; i < p->ncounts; i++) {
        news |= from.counts[i] & ~to.counts[i];
        to.counts[i] |= from.counts[i];
    }
    return news != 0;
}

/* ---- levels ---- */

/* Moves what the body did in this iteration, and in earlier ones of loops inside, to the level of
 * the loop. */
void age_loop(const Prover *p, State *st, const Step *loop) {
    uint32_t from = loop->first, to = loop->first + loop->copies;
    for (uint32_t o = 0; from < to && o < p->observers; o++) {
        uint64_t *set = seen_by(p, st, o);
        if (is_blank(p, *st, o)) continue;
        for (uint32_t w = from / 64; w <= (to - 1) / 64; w++) {
            uint64_t in = ~(uint64_t)0, moved = 0;
            if (w == from / 64) in &= ~(uint64_t)0 << from % 64;
            if (w == (to - 1) / 64) in &= ~(uint64_t)0 >> (63 - (to - 1) % 64);
            for (uint32_t l = 0; l < p->levels; l++) {
                if (l != 0 && l < loop->depth) continue;
                moved |= set[(size_t)l * p->words + w] & in;
                set[(size_t)l * p->words + w] &= ~in;
            }
            set[(size_t)loop->depth * p->words + w] |= moved;
        }
    }
}

/* Moves what a function did when it was called before, in the same iteration of the loops around
 * the call, to the level of such accesses. */
void age_calls(const Prover *p, State *st, const Step *call) {
    for (uint32_t i = call->first; i < call->first + call->copies; i++)
        for (uint32_t o = 0; o < p->observers; o++) {
            uint64_t *set = seen_by(p, st, o), bit = (uint64_t)1 << i % 64, moved = 0;
            for (uint32_t l = 0; l < p->levels; l++) {
                if (l != 0 && l <= call->depth) continue;
                uint64_t *at = &set[(size_t)l * p->words + i / 64];
                moved |= *at & bit;
                *at &= ~bit;
            }
            set[(size_t)p->other_call * p->words + i / 64] |= moved;
        }
}

bool same_state(const Prover *p, State a, State b) {
    return memcmp(a.bits, b.bits, state_words(p) * sizeof *a.bits) == 0 &&
           memcmp(a.counts, b.counts, p->ncounts) == 0;
}

/* ---- what is carried on ---- */

/* Returns the pipes that may see an instance unfinished, at a level. */
static unsigned pipes_that_see(const Prover *p, uint32_t instance, uint32_t level, unsigned pipes) {
    unsigned out = 0;
    for (uint32_t o = 0; o < PIPES; o++) {
        const uint64_t *set = seen_by(p, &p->now, o) + (size_t)level * p->words;
        if ((pipes >> o & set[instance / 64] >> instance % 64 & 1) != 0) out |= 1u << o;
    }
    return out;
}

CarryIn prover_carry(const Prover *p, Arena *arena, unsigned pipes) {
    CarryIn out = {ARENA_ARRAY(arena, CarriedIn, (size_t)p->n * p->levels + 1), 0};
    for (uint32_t l = 0; l < p->levels; l++)
        for (uint32_t i = 0; i < p->n; i++) {
            const unsigned seen = pipes_that_see(p, i, l, pipes);
            if (seen == 0) continue;
            const uint32_t level = p->shared && l == p->other_call ? ANOTHER_CALL : l;
            out.list[out.n++] = (CarriedIn){p->of[i], p->copy_of[i], level, seen};
        }
    return out;
}

bool prover_is_idle(const Prover *p) {
    bool set = p->ncounts > p->nflags;
    for (uint32_t i = 0; i < p->nflags; i++)
        set |= (p->now.counts[i] & ONE) != 0;
    return !set;
}
