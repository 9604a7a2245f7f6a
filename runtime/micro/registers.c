/* SPDX-License-Identifier: Apache-2.0 */
/* registers.c - registers of a core that micro-instructions set for later ones. */
#include "core/core.h"
#include "ptort_micro.h"

/* ---- of raw copies ---- */

int ptrt_set_copy_strides(ptrt_core *core, uint32_t line, int out, int loop, int64_t src,
                          int64_t dst) {
    ptrt_copy_loops *l = &core->registers.loops[out];
    (void)line;
    l->src[loop] = src;
    l->dst[loop] = dst;
    return PTRT_OK;
}

int ptrt_set_copy_counts(ptrt_core *core, uint32_t line, int out, int64_t inner, int64_t outer) {
    ptrt_copy_loops *l = &core->registers.loops[out];
    (void)line;
    l->count[0] = inner;
    l->count[1] = outer;
    return PTRT_OK;
}

int ptrt_set_copy_pad(ptrt_core *core, uint32_t line, uint64_t bits) {
    (void)line;
    core->registers.pad = bits;
    return PTRT_OK;
}

/* ---- the control register ---- */

int ptrt_get_ctrl(ptrt_core *core, uint32_t line, int64_t *out) {
    (void)line;
    *out = (int64_t)core->registers.ctrl;
    return PTRT_OK;
}

int ptrt_set_ctrl(ptrt_core *core, uint32_t line, int64_t ctrl) {
    (void)line;
    core->registers.ctrl = (uint64_t)ctrl;
    return PTRT_OK;
}

int ptrt_set_ctrl_field(ptrt_core *core, uint32_t line, int first, int bits, int value) {
    const uint64_t field = ((UINT64_C(1) << bits) - 1) << first;
    (void)line;
    core->registers.ctrl = (core->registers.ctrl & ~field) | (uint64_t)value << first;
    return PTRT_OK;
}

void ptrt_set_bit(int64_t *out, int64_t value, int64_t bit, int on) {
    const uint64_t one = UINT64_C(1) << (bit & 63);
    *out = (int64_t)(on ? (uint64_t)value | one : (uint64_t)value & ~one);
}
