/* sync.c - flags inside a core, signals between the cores of a block, barriers of a launch. */
#include "core.h"

static int flag_args(ptrt_core *core, uint32_t line, const char *op, int src, int dst, int event) {
    if (src < 0 || src >= PTRT_PIPES || dst < 0 || dst >= PTRT_PIPES || event < 0 ||
        event >= PTRT_EVENTS)
        return ptrt_fail(core, PTRT_E_ARG, line, "%s: pipe %d, pipe %d, event %d is out of range",
                         op, src, dst, event);
    return PTRT_OK;
}

/* The pipes of one core run in text order, so flags carry no values; checked mode keeps the books.
 */
int ptrt_set_flag(ptrt_core *core, uint32_t line, int src_pipe, int dst_pipe, int event) {
    if (!core->checked) return PTRT_OK;
    int code = flag_args(core, line, "pto.set_flag", src_pipe, dst_pipe, event);
    if (code != PTRT_OK) return code;
    uint8_t bit = (uint8_t)(1u << event);
    if (core->flags[src_pipe][dst_pipe] & bit)
        return ptrt_fail(core, PTRT_E_SYNC, line,
                         "pto.set_flag: event %d from pipe %d to pipe %d is already set", event,
                         src_pipe, dst_pipe);
    core->flags[src_pipe][dst_pipe] |= bit;
    return PTRT_OK;
}

int ptrt_wait_flag(ptrt_core *core, uint32_t line, int src_pipe, int dst_pipe, int event) {
    if (!core->checked) return PTRT_OK;
    int code = flag_args(core, line, "pto.wait_flag", src_pipe, dst_pipe, event);
    if (code != PTRT_OK) return code;
    uint8_t bit = (uint8_t)(1u << event);
    if (!(core->flags[src_pipe][dst_pipe] & bit))
        return ptrt_fail(core, PTRT_E_SYNC, line,
                         "pto.wait_flag: event %d from pipe %d to pipe %d was never set", event,
                         src_pipe, dst_pipe);
    core->flags[src_pipe][dst_pipe] &= (uint8_t)~bit;
    return PTRT_OK;
}

static int signal_id(ptrt_core *core, uint32_t line, int id) {
    if (id >= 0 && id < PTRT_SIGNALS) return PTRT_OK;
    return ptrt_fail(core, PTRT_E_ARG, line, "signal %d is out of range 0..%d", id,
                     PTRT_SIGNALS - 1);
}

int ptrt_signal(ptrt_core *core, uint32_t line, int id, int targets) {
    int code = signal_id(core, line, id);
    if (code != PTRT_OK) return code;
    ptrt_core *to[] = {targets & PTRT_TO_CUBE ? ptrt_peer(core, true, 0) : NULL,
                       targets & PTRT_TO_VEC0 ? ptrt_peer(core, false, 0) : NULL,
                       targets & PTRT_TO_VEC1 ? ptrt_peer(core, false, 1) : NULL};
    for (size_t i = 0; i < sizeof to / sizeof *to; i++)
        if (to[i]) to[i]->signals[id]++;
    return PTRT_OK;
}

static bool has_signal(const ptrt_core *core, const void *arg) {
    return core->signals[*(const int *)arg] > 0;
}

int ptrt_wait_signal(ptrt_core *core, uint32_t line, int id) {
    int code = signal_id(core, line, id);
    if (code == PTRT_OK) code = ptrt_wait(core, line, "a signal", has_signal, &id);
    if (code == PTRT_OK) core->signals[id]--;
    return code;
}

static bool takes_part(const ptrt_core *core, int type) {
    return type == PTRT_SYNC_MIX || core->cube == (type == PTRT_SYNC_CUBES);
}

/* All cores of the kind have arrived as often as this one. */
static bool all_arrived(const ptrt_core *core, const void *arg) {
    int type = *(const int *)arg;
    const ptrt_group *group = core->group;
    for (size_t i = 0; i < group->count; i++) {
        const ptrt_core *other = &group->cores[i];
        if (takes_part(other, type) && other->syncs[type] < core->syncs[type]) return false;
    }
    return true;
}

int ptrt_syncall(ptrt_core *core, uint32_t line, int type) {
    if (type < 0 || type >= PTRT_CORE_KINDS || !takes_part(core, type))
        return ptrt_fail(core, PTRT_E_ARG, line, "pto.syncall: core type %d does not fit this core",
                         type);
    if (core->run->blocks > 1 && !(core->run->kernel->flags & PTRT_K_GRID_SYNC))
        return ptrt_fail(core, PTRT_E_ARG, line,
                         "pto.syncall: the kernel was not launched with all blocks live");
    core->syncs[type]++;
    return ptrt_wait(core, line, "pto.syncall", all_arrived, &type);
}
