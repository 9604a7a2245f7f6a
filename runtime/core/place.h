/* SPDX-License-Identifier: Apache-2.0 */
/* place.h - byte addresses in the memories of a core, as micro-instructions have them. Every access
 * of a micro-instruction gets its memory here, which checks it and tells the sanitizer of it. */
#ifndef PTORT_PLACE_H
#define PTORT_PLACE_H

#include "core/core.h"
#include "ptort_micro.h"

/* Returns the address that an access has, base + offset, or base if it also stores that sum at
 * `next`, which is not NULL then. */
static inline int64_t place_step(int64_t base, int64_t offset, int64_t *next) {
    const int64_t at = (int64_t)((uint64_t)base + (uint64_t)offset);
    if (next == NULL) return at;
    *next = at;
    return base;
}

/* Tell the sanitizer that the statement reads or writes bytes, or the active lanes of `width` bytes
 * of a register in memory; called while it watches the core. */
void ptrt_touch(ptrt_core *core, const void *at, uint64_t bytes, bool writes);
void ptrt_touch_lanes(ptrt_core *core, const void *at, const ptrt_mask *m, unsigned width,
                      bool writes);

/* Returns the memory of `bytes` bytes from address `at` on, a multiple of `align`; NULL when they
 * leave the space or `at` is not aligned. Says nothing of an access. */
static inline unsigned char *place_at(const ptrt_core *core, int space, int64_t at, uint64_t bytes,
                                      uint64_t align) {
    const uint64_t size = core->space_size[space];
    if (bytes > size || (uint64_t)at > size - bytes || ((uint64_t)at & (align - 1)) != 0)
        return NULL;
    return core->space[space] + at;
}

/* The same for bytes that are read, written, or written in the active lanes of a mask. */
static inline const unsigned char *place_read(ptrt_core *core, int space, int64_t at,
                                              uint64_t bytes, uint64_t align) {
    const unsigned char *p = place_at(core, space, at, bytes, align);
    if (core->watch && p) ptrt_touch(core, p, bytes, false);
    return p;
}
static inline unsigned char *place_write(ptrt_core *core, int space, int64_t at, uint64_t bytes,
                                         uint64_t align) {
    unsigned char *p = place_at(core, space, at, bytes, align);
    if (core->watch && p) ptrt_touch(core, p, bytes, true);
    return p;
}
static inline unsigned char *place_first_lanes(ptrt_core *core, int space, int64_t at,
                                               uint64_t bytes, uint64_t align, const ptrt_mask *m,
                                               unsigned width) {
    unsigned char *p = place_at(core, space, at, bytes, align);
    if (core->watch && p) ptrt_touch_lanes(core, p, m, width, true);
    return p;
}
static inline unsigned char *place_lanes(ptrt_core *core, int space, int64_t at, uint64_t align,
                                         const ptrt_mask *m, unsigned width) {
    return place_first_lanes(core, space, at, sizeof(ptrt_vreg), align, m, width);
}

/* Bytes that are copied as they are, so that some of them may be undefined. */
void ptrt_touch_copied(ptrt_core *core, const void *at, uint64_t bytes);
static inline const unsigned char *place_copied(ptrt_core *core, int space, int64_t at,
                                                uint64_t bytes, uint64_t align) {
    const unsigned char *p = place_at(core, space, at, bytes, align);
    if (core->watch && p) ptrt_touch_copied(core, p, bytes);
    return p;
}

/* Bytes that the core writes in the memory of another core of its block. */
static inline unsigned char *place_write_of(ptrt_core *core, const ptrt_core *owner, int space,
                                            int64_t at, uint64_t bytes, uint64_t align) {
    unsigned char *p = place_at(owner, space, at, bytes, align);
    if (core->watch && p) ptrt_touch(core, p, bytes, true);
    return p;
}

/* An access to global memory: checks it in checked mode, and tells the sanitizer. */
static inline int place_global(ptrt_core *core, uint32_t line, const char *op, const void *p,
                               uint64_t bytes, bool writes) {
    if (core->watch) ptrt_touch(core, p, bytes, writes);
    if (!core->checked || bytes == 0) return PTRT_OK;
    const int err = ptrt_check_gm(core, line, op, p, 0, 1);
    return err != 0 ? err : ptrt_check_gm(core, line, op, p, (int64_t)bytes - 1, 1);
}

/* Returns the name of a space, such as "vec". */
const char *ptrt_space_name(int space);

/* Records why place_at() returned NULL, and returns the code. */
int place_fail(ptrt_core *core, uint32_t line, const char *op, int space, int64_t at,
               uint64_t bytes, uint64_t align);

#endif
