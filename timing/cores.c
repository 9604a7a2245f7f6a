/* SPDX-License-Identifier: Apache-2.0 */
/* The cores of a block while they are timed: signals and entries of pipes that one sends and the
 * other waits for. The two vector cores of a block are taken to do the same at the same time; other
 * blocks are taken to be in time. */
#include "ir/core.h"
#include "timing/schedule.h"

/* Kinds of channels. */
enum { OF_SIGNAL, OF_ENTRY, OF_PLACE };
/* Where signals are of one core, the cube core adds this to the numbers of vector core 1. */
enum { OWN_SIGNALS = TIMED_SIGNALS / 2 };

static unsigned find_channel(TimeRun *r, int kind, int64_t number, Core from) {
    TimeShared *s = r->shared;
    const int64_t key = (number * 4 + (int64_t)from) * 4 + kind;
    for (uint32_t i = 0; i < s->nchannels; i++)
        if (s->channels[i].key == key) return i;
    if (s->nchannels == UINT16_MAX) time_stop(r, NULL, "the program has too many signals");
    if (s->nchannels == s->capchannels)
        s->channels =
            ARENA_WIDEN(r->arena, Channel, s->channels, &s->capchannels, s->nchannels, 16);
    s->channels[s->nchannels] = (Channel){.key = key};
    return s->nchannels++;
}

static Core other_core(Core c) {
    return c == CORE_CUBE ? CORE_VECTOR : CORE_CUBE;
}

/* ---- signals ---- */

static const struct {
    InstId id;
    TimeWhat what;
} signals[] = {{INST_SYNC_SET, TIME_SEND},        {INST_SYNC_WAIT, TIME_RECEIVE},
               {INST_SET_INTRA_BLOCK, TIME_SEND}, {INST_WAIT_INTRA_BLOCK, TIME_RECEIVE},
               {INST_SET_CROSS_CORE, TIME_SEND},  {INST_WAIT_FLAG_DEV, TIME_RECEIVE}};

static void receive(TimeRun *r, TimeNode *n, Pipe pipe, unsigned channel) {
    r->shared->channels[channel].awaited = true;
    time_emit(r, n, TIME_RECEIVE, pipe, channel);
}

void time_cores(TimeRun *r, TimeNode *n) {
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        if (!stmt_is(n->stmt, signals[i].id)) continue;
        if (!r->named)
            time_stop(r, n->stmt,
                      "the core of the other kind, which this signal is for or from, has no code");
        const bool sends = signals[i].what == TIME_SEND;
        const Core from = sends ? r->core : other_core(r->core);
        const unsigned number = time_event_number(r, n, TIMED_SIGNALS);
        const unsigned channel = find_channel(r, OF_SIGNAL, number, from);
        if (!sends)
            receive(r, n, (Pipe)n->pipe, channel);
        else
            time_emit(r, n, TIME_SEND, (Pipe)n->pipe, channel);
        if (sends && r->core == CORE_VECTOR && number < OWN_SIGNALS &&
            profile_infos[r->params->profile].block_semaphores)
            time_emit(r, n, TIME_SEND_TOO, (Pipe)n->pipe,
                      find_channel(r, OF_SIGNAL, number + OWN_SIGNALS, from));
    }
}

/* ---- entries of pipes ---- */

/* The places of a pipe are there at the beginning. */
static unsigned find_places(TimeRun *r, const LowerPipe *p, Core from) {
    const unsigned at = find_channel(r, OF_PLACE, p->id, from);
    r->shared->channels[at].places = p->slot_num > 0 ? p->slot_num : 1;
    return at;
}

void time_entry(TimeRun *r, TimeNode *n) {
    const LowerPipe *p = n->stmt->pipe;
    const EntryUse use = (EntryUse)n->stmt->inst->entry;
    const bool gives = use == ENTRY_ALLOC || use == ENTRY_PUSH;
    if (p == NULL || !r->named)
        time_stop(r, n->stmt, "'%s': the other end of this pipe is not known", n->stmt->inst->name);
    const Core from = gives ? r->core : other_core(r->core);
    const unsigned entries = find_channel(r, OF_ENTRY, p->id, from),
                   places = find_places(r, p, from);
    const Pipe pipe = (Pipe)n->pipe;
    const bool moves = pipe > PIPE_S && (int)pipe < TIMED_PIPES;
    /* A tile takes its place when it is pushed and leaves it when it is popped, if the profile says
     * so; a view has it from pto.talloc to pto.tfree. */
    const bool tile = n->stmt->ntiles > 0 || r->cells[n->in[0]].tile != NULL || n->tile != NULL;
    const bool frees = tile && profile_infos[r->params->profile].pop_frees;
    if (use == ENTRY_ALLOC || (use == ENTRY_PUSH && tile)) receive(r, n, pipe, places);
    if (use == ENTRY_POP) receive(r, n, pipe, entries);
    if ((use == ENTRY_PUSH || use == ENTRY_POP) && moves) time_emit(r, n, TIME_DO, pipe, 0);
    if (use == ENTRY_PUSH) time_emit(r, n, TIME_SEND, pipe, entries);
    if (use == ENTRY_FREE ? !profile_infos[r->params->profile].pop_frees || !tile
                          : use == ENTRY_POP && frees)
        time_emit(r, n, TIME_SEND, pipe, places);
}
