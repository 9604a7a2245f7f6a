/* SPDX-License-Identifier: Apache-2.0 */
/* The states of a run between cores: for each pipe of each core the accesses that may not have
 * ended from its point of view, and the tokens that are under way with what they make known. */
#ifndef ANALYSIS_LAUNCH_FLIGHT_H
#define ANALYSIS_LAUNCH_FLIGHT_H

#include "analysis/launch/attempt.h"

/* Returns the number of the channel, which is made if it is new. */
int channel_of(Attempt *a, ChannelKind kind, unsigned core, unsigned from, uint32_t id,
               const Queue *queue);

/* Returns the state before all statements. */
Flight *flight_begin(Attempt *a);
Flight *flight_copy(Attempt *a, const Flight *f);
void flight_free(Attempt *a, Flight *f);
/* Adds what another state of the same configuration has in flight; true if that is new. */
bool flight_join(Attempt *a, Flight *to, const Flight *from);
/* Tells whether two states have the same configuration: counts, bindings, tokens, rests, decisions.
 */
bool flight_same(const Attempt *a, const Flight *x, const Flight *y);
uint64_t flight_hash(const Attempt *a, const Flight *f);
/* Moves what the body of a loop did in this iteration to the level of the loop. */
void flight_age(Attempt *a, Flight *f, const Item *loop);

static inline size_t flight_words(const Attempt *a) {
    return (size_t)a->words * a->levels;
}
static inline uint64_t *flight_row(const Attempt *a, const Flight *f, uint32_t row) {
    return f->seen + (size_t)row * flight_words(a);
}
/* What a pipe of a core that is used may find in flight. */
static inline uint64_t *flight_seen(const Attempt *a, const Flight *f, uint32_t observer) {
    return flight_row(a, f, a->row[observer]);
}
static inline bool pipe_is_used(const Attempt *a, uint32_t observer) {
    return (a->used[observer / PIPES] >> observer % PIPES & 1) != 0;
}

void fifo_push(Arena *arena, Fifo *q, const void *x);
static inline const void *fifo_first(const Fifo *q) {
    return q->items[q->first];
}
static inline void fifo_pop(Fifo *q) {
    q->first++;
    q->n--;
    if (q->n == 0) q->first = 0;
}

/* Gives and takes tokens; a channel that is full takes no more. take_token() returns NULL when
 * there is none. */
Token *give_token(Attempt *a, Flight *f, int channel);
Token *take_token(Flight *f, int channel);
void free_token(Attempt *a, Token *t);

/* Adds a finding, once. */
Found *find_launch(Attempt *a, FoundKind kind, const Statement *of, const Statement *other);
/* Finds a statement about an entry that is freed, or was never popped. */
void find_freed(Attempt *a, const Flight *f, const Statement *s);

/* Runs all cores as far as they go. */
void flight_settle(Attempt *a, Flight *f);
/* True when some of the cores, 1 << core, have statements left. */
bool flight_is_busy(const Flight *f, unsigned cores);
/* Runs the items, and finds what is left over at the end. */
void attempt_run(Attempt *a);

#endif
