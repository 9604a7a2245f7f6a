/* SPDX-License-Identifier: Apache-2.0 */
/* signals.c - flags and tokens inside a core, signals between the cores of a block, signals and
 * barriers between blocks. */
#include "core/core.h"

/* ---- inside a core ---- */

/* Returns the name of the pipe with this number in the language. */
static const char *pipe_name(int pipe) {
    static const char *const names[] = {
        "PIPE_S",   "PIPE_V",    "PIPE_M",    "PIPE_MTE1", "PIPE_MTE2", "PIPE_MTE3",
        "PIPE_ALL", "PIPE_MTE4", "PIPE_MTE5", "PIPE_V2",   "PIPE_FIX",
    };
    bool known = pipe >= 0 && pipe < (int)(sizeof names / sizeof names[0]);
    return known ? names[pipe] : "a virtual pipe";
}

/* A core runs its pipes in program order, so flags and tokens have no effect on values; checked
 * mode tracks them to find mistakes. */
static int flag_args(ptrt_core *core, uint32_t line, const char *op, int src, int dst,
                     int64_t event) {
    if (src < 0 || src >= PTRT_PIPES || dst < 0 || dst >= PTRT_PIPES || event < 0 ||
        event >= PTRT_EVENTS)
        return ptrt_fail(core, PTRT_E_ARG, line, "%s: pipe %d, pipe %d, event %lld is out of range",
                         op, src, dst, (long long)event);
    return PTRT_OK;
}

int ptrt_set_flag(ptrt_core *core, uint32_t line, int src_pipe, int dst_pipe, int64_t event) {
    if (!core->checked) return PTRT_OK;
    int code = flag_args(core, line, "pto.set_flag", src_pipe, dst_pipe, event);
    if (code != PTRT_OK) return code;
    uint8_t bit = (uint8_t)(1u << event);
    if (core->pipes.flags[src_pipe][dst_pipe] & bit)
        return ptrt_fail(core, PTRT_E_SYNC, line,
                         "pto.set_flag: event %d from %s to %s is already set", (int)event,
                         pipe_name(src_pipe), pipe_name(dst_pipe));
    core->pipes.flags[src_pipe][dst_pipe] |= bit;
    return PTRT_OK;
}

int ptrt_wait_flag(ptrt_core *core, uint32_t line, int src_pipe, int dst_pipe, int64_t event) {
    if (!core->checked) return PTRT_OK;
    int code = flag_args(core, line, "pto.wait_flag", src_pipe, dst_pipe, event);
    if (code != PTRT_OK) return code;
    uint8_t bit = (uint8_t)(1u << event);
    if (!(core->pipes.flags[src_pipe][dst_pipe] & bit))
        return ptrt_fail(core, PTRT_E_SYNC, line,
                         "pto.wait_flag: event %d from %s to %s was never set", (int)event,
                         pipe_name(src_pipe), pipe_name(dst_pipe));
    core->pipes.flags[src_pipe][dst_pipe] &= (uint8_t)~bit;
    return PTRT_OK;
}

static int token_args(ptrt_core *core, uint32_t line, const char *op, int pipe, int64_t token) {
    if (pipe >= 0 && pipe < PTRT_PIPES && token >= 0 && token < PTRT_TOKENS) return PTRT_OK;
    return ptrt_fail(core, PTRT_E_ARG, line, "%s: pipe %d, token %lld is out of range", op, pipe,
                     (long long)token);
}

int ptrt_get_buf(ptrt_core *core, uint32_t line, int pipe, int64_t token) {
    if (!core->checked) return PTRT_OK;
    int code = token_args(core, line, "pto.get_buf", pipe, token);
    if (code != PTRT_OK) return code;
    uint32_t bit = UINT32_C(1) << token;
    if (core->pipes.tokens[pipe] & bit)
        return ptrt_fail(core, PTRT_E_SYNC, line, "pto.get_buf: %s has token %d already",
                         pipe_name(pipe), (int)token);
    core->pipes.tokens[pipe] |= bit;
    return PTRT_OK;
}

int ptrt_rls_buf(ptrt_core *core, uint32_t line, int pipe, int64_t token) {
    if (!core->checked) return PTRT_OK;
    int code = token_args(core, line, "pto.rls_buf", pipe, token);
    if (code != PTRT_OK) return code;
    uint32_t bit = UINT32_C(1) << token;
    if (!(core->pipes.tokens[pipe] & bit))
        return ptrt_fail(core, PTRT_E_SYNC, line, "pto.rls_buf: %s does not have token %d",
                         pipe_name(pipe), (int)token);
    core->pipes.tokens[pipe] &= ~bit;
    return PTRT_OK;
}

void ptrt_fence(ptrt_core *core) {
    (void)core;
    atomic_thread_fence(memory_order_seq_cst);
}

/* ---- signals inside a block ---- */

static int signal_id(ptrt_core *core, uint32_t line, int64_t id, int limit) {
    if (id >= 0 && id < limit) return PTRT_OK;
    return ptrt_fail(core, PTRT_E_ARG, line, "signal %lld is out of range 0..%d", (long long)id,
                     limit - 1);
}

static void signal_one(ptrt_core *to, int64_t id) {
    if (to) to->sync.signals[id]++;
}

static bool try_signal(ptrt_core *core, void *arg, void *out) {
    uint32_t *count = arg;
    (void)core;
    (void)out;
    if (*count == 0) return false;
    --*count;
    return true;
}

/* The cube core numbers the signals of both vector cores: those of vector core 1 begin at 16. That
 * core may use these numbers too. */
int ptrt_set_intra_block(ptrt_core *core, uint32_t line, int64_t id) {
    id = ptrt_own_signal(core, id);
    int code = signal_id(core, line, id, core->cube ? PTRT_SIGNALS : PTRT_SIGNALS / 2);
    if (code != PTRT_OK) return code;
    if (core->cube)
        signal_one(ptrt_peer(core, false, (int)(id / 16)), id % 16);
    else
        signal_one(ptrt_peer(core, true, 0), id + 16 * core->sub);
    return PTRT_OK;
}

int ptrt_wait_intra_block(ptrt_core *core, uint32_t line, int64_t id) {
    id = ptrt_own_signal(core, id);
    int code = signal_id(core, line, id, core->cube ? PTRT_SIGNALS : PTRT_SIGNALS / 2);
    if (code != PTRT_OK) return code;
    uint32_t *count = &core->sync.signals[id];
    if (try_signal(core, count, NULL)) return PTRT_OK;
    return ptrt_wait(core, line, "pto.wait_intra_block", try_signal, count, NULL);
}

/* ---- pto.sync.set and pto.sync.wait ---- */

/* ffts_mode, which says whom a signal reaches once all senders have sent it: the caller's kind of
 * core in all blocks, that kind in the caller's block, or the other kind in the block. */
enum { OF_LAUNCH, OF_BLOCK, TO_OTHERS };

static unsigned kind_members(const ptrt_run *run, bool cube) {
    return (unsigned)run->blocks * (cube ? 1u : (unsigned)run->subblocks);
}

/* Returns how many signals all cores of the caller's kind in its block have sent. */
static uint32_t sent_by_kind(const ptrt_core *core, int mode, int64_t id) {
    uint32_t least = UINT32_MAX;
    for (size_t i = 0; i < core->block->count; i++) {
        const ptrt_core *c = &core->block->cores[i];
        if (c->cube == core->cube && c->sync.sent[mode][id] < least) least = c->sync.sent[mode][id];
    }
    return least;
}

/* Returns how many signals the cores of the other kind have sent: the cube core to the vector
 * cores, or every vector core to the cube core. Vector cores that have ended do not count. */
static uint32_t sent_by_others(const ptrt_core *core, int64_t id) {
    uint32_t least = UINT32_MAX, most = 0;
    for (size_t i = 0; i < core->block->count; i++) {
        const ptrt_core *c = &core->block->cores[i];
        if (c->cube == core->cube) continue;
        uint32_t n = c->sync.sent[TO_OTHERS][id];
        if (n > most) most = n;
        if (n < least && c->state != PTRT_CORE_DONE) least = n;
    }
    return least < most ? least : most;
}

static uint32_t sent_in_launch(const ptrt_core *core, int64_t id) {
    if (!core->run->rounds) return sent_by_kind(core, OF_LAUNCH, id);
    return atomic_load(&core->run->rounds[core->cube][id].complete);
}

static bool try_sync(ptrt_core *core, void *arg, void *out) {
    uint32_t *taken = arg;
    int64_t id = taken - core->sync.taken;
    (void)out;
    uint32_t come =
        sent_in_launch(core, id) + sent_by_kind(core, OF_BLOCK, id) + sent_by_others(core, id);
    if (come == *taken) return false;
    ++*taken;
    return true;
}

static int not_live(ptrt_core *core, uint32_t line, const char *op) {
    if (core->run->blocks == 1 || core->run->live) return PTRT_OK;
    return ptrt_fail(core, PTRT_E_ARG, line, "%s: the kernel was not launched with all blocks live",
                     op);
}

static int send_in_launch(ptrt_core *core, uint32_t line, int64_t id) {
    ptrt_run *run = core->run;
    uint32_t n = core->sync.sent[OF_LAUNCH][id]++;
    if (!run->rounds) return PTRT_OK;
    ptrt_round *round = &run->rounds[core->cube][id];
    if (n - atomic_load(&round->complete) >= PTRT_ROUNDS - 1)
        return ptrt_fail(core, PTRT_E_SYNC, line,
                         "pto.sync.set: %d signals of event %d that other blocks have not sent yet",
                         PTRT_ROUNDS, (int)id);
    atomic_uint *arrived = &round->arrived[n % PTRT_ROUNDS];
    if (atomic_fetch_add(arrived, 1) + 1 < kind_members(run, core->cube)) return PTRT_OK;
    atomic_store(arrived, 0);
    atomic_fetch_add(&round->complete, 1);
    ptrt_grid_event(run);
    return PTRT_OK;
}

int ptrt_sync_set(ptrt_core *core, uint32_t line, int64_t id, int mode) {
    int code = signal_id(core, line, id, PTRT_FFTS);
    if (code != PTRT_OK) return code;
    if (mode < 0 || mode >= PTRT_FFTS_MODES)
        return ptrt_fail(core, PTRT_E_ARG, line, "pto.sync.set: there is no mode %d", mode);
    if (mode != OF_LAUNCH) {
        core->sync.sent[mode][id]++;
        return PTRT_OK;
    }
    code = not_live(core, line, "pto.sync.set");
    return code != PTRT_OK ? code : send_in_launch(core, line, id);
}

int ptrt_sync_wait(ptrt_core *core, uint32_t line, int64_t id) {
    int code = signal_id(core, line, id, PTRT_FFTS);
    if (code != PTRT_OK) return code;
    uint32_t *taken = &core->sync.taken[id];
    if (try_sync(core, taken, NULL)) return PTRT_OK;
    return ptrt_wait(core, line, "pto.sync.wait", try_sync, taken, NULL);
}

/* ---- barriers ---- */

static bool takes_part(const ptrt_core *core, int type) {
    return type == PTRT_SYNC_MIX || core->cube == (type == PTRT_SYNC_CUBES);
}

static uint64_t barrier_members(const ptrt_run *run, int type) {
    uint64_t cubes = run->kernel->cube ? 1 : 0;
    uint64_t vectors = run->kernel->vector ? (uint64_t)run->subblocks : 0;
    return (uint64_t)run->blocks *
           ((type == PTRT_SYNC_VECTORS ? 0 : cubes) + (type == PTRT_SYNC_CUBES ? 0 : vectors));
}

/* Whether all members have arrived as often as this core. */
static bool try_barrier(ptrt_core *core, void *arg, void *out) {
    uint64_t *mine = arg;
    int type = (int)(mine - core->sync.arrived);
    (void)out;
    return atomic_load(&core->run->arrivals[type]) >= *mine * barrier_members(core->run, type);
}

static int barrier_args(ptrt_core *core, uint32_t line, int type) {
    if (type < 0 || type >= PTRT_KINDS || !takes_part(core, type))
        return ptrt_fail(core, PTRT_E_ARG, line, "pto.syncall: core type %d does not fit this core",
                         type);
    return not_live(core, line, "pto.syncall");
}

int ptrt_syncall(ptrt_core *core, uint32_t line, int type) {
    int code = barrier_args(core, line, type);
    if (code != PTRT_OK) return code;
    uint64_t *mine = &core->sync.arrived[type], members = barrier_members(core->run, type);
    ++*mine;
    if (atomic_fetch_add(&core->run->arrivals[type], 1) + 1 == *mine * members) {
        ptrt_grid_event(core->run);
        return PTRT_OK;
    }
    return ptrt_wait(core, line, "pto.syncall", try_barrier, mine, NULL);
}

/* A wait at a soft barrier, whose counter is in global memory. */
typedef struct Meeting {
    _Atomic int32_t *counter;
    int32_t until;
} Meeting;

static bool try_meeting(ptrt_core *core, void *arg, void *out) {
    const Meeting *m = arg;
    (void)core;
    (void)out;
    return (int32_t)((uint32_t)atomic_load(m->counter) - (uint32_t)m->until) >= 0;
}

int ptrt_syncall_soft(ptrt_core *core, uint32_t line, int type, void *counter, int64_t used) {
    int code = barrier_args(core, line, type);
    if (code == PTRT_OK) code = ptrt_check_gm(core, line, "pto.syncall", counter, 0, 4);
    if (code != PTRT_OK) return code;
    uint64_t members = used == 0 ? barrier_members(core->run, type) : (uint64_t)used;
    if (used < 0 || members > INT32_MAX || (uintptr_t)counter % 4 != 0)
        return ptrt_fail(core, PTRT_E_ARG, line, "pto.syncall: %lld cores cannot meet at %p",
                         (long long)members, counter);
    Meeting m = {counter, 0};
    uint32_t n = (uint32_t)atomic_fetch_add(m.counter, 1), size = (uint32_t)members;
    m.until = (int32_t)((n / size + 1) * size);
    if ((n + 1) % size == 0) {
        ptrt_grid_event(core->run);
        return PTRT_OK;
    }
    return ptrt_wait(core, line, "pto.syncall", try_meeting, &m, NULL);
}
