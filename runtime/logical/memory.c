/* SPDX-License-Identifier: Apache-2.0 */
/* memory.c - loads and stores of logical vectors in the vector memory. */
#include "core/place.h"
#include "logical/logical.h"

enum { BLOCK = 32 };

static int64_t moved(int64_t base, int64_t by) {
    return (int64_t)((uint64_t)base + (uint64_t)by);
}

static int failed(ptrt_core *core, uint32_t line, const char *op, int64_t at, int64_t bytes,
                  int size) {
    return place_fail(core, line, op, PTRT_VEC, at, (uint64_t)bytes, (uint64_t)size);
}

static const unsigned char *read_at(ptrt_core *core, int64_t at, int64_t bytes, int size) {
    return place_read(core, PTRT_VEC, at, (uint64_t)bytes, (uint64_t)size);
}

static unsigned char *write_at(ptrt_core *core, int64_t at, int64_t bytes, int size) {
    return place_write(core, PTRT_VEC, at, (uint64_t)bytes, (uint64_t)size);
}

/* Copies n elements of `from` bytes to elements of `to`, with zeros or cut off. */
static void copy_lanes(void *out, int to, const void *x, int from, int64_t n) {
    if (to == from) {
        memcpy(out, x, (size_t)(n * to));
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        uint32_t v = 0;
        memcpy(&v, (const char *)x + i * from, (size_t)from);
        memcpy((char *)out + i * to, &v, (size_t)to);
    }
}

/* ---- in order ---- */

int ptrt_logical_load(ptrt_core *core, uint32_t line, ptrt_vreg *out, int64_t lanes, int width,
                      int64_t base, int64_t offset, int size) {
    const int64_t at = moved(base, offset);
    const unsigned char *p = read_at(core, at, lanes * size, size);
    if (p == NULL) return failed(core, line, "pto.vmi.vload", at, lanes * size, size);
    copy_lanes(out, width, p, size, lanes);
    return PTRT_OK;
}

/* Stores the active lanes, run by run. */
static int store_runs(ptrt_core *core, uint32_t line, const ptrt_vreg *value, int64_t lanes,
                      int width, int64_t at, int size, const ptrt_vreg *mask) {
    for (int64_t i = 0; i < lanes; i++) {
        const int64_t first = i;
        while (i < lanes && lg_active(mask, i))
            i++;
        if (i == first) continue;
        const int64_t to = at + first * size, bytes = (i - first) * size;
        unsigned char *p = write_at(core, to, bytes, size);
        if (p == NULL) return failed(core, line, "pto.vmi.vstore", to, bytes, size);
        copy_lanes(p, size, (const char *)value + first * width, width, i - first);
    }
    return PTRT_OK;
}

int ptrt_logical_store(ptrt_core *core, uint32_t line, const ptrt_vreg *value, int64_t lanes,
                       int width, int64_t base, int64_t offset, int size, const ptrt_vreg *mask) {
    const int64_t at = moved(base, offset);
    if (mask != NULL) return store_runs(core, line, value, lanes, width, at, size, mask);
    unsigned char *p = write_at(core, at, lanes * size, size);
    if (p == NULL) return failed(core, line, "pto.vmi.vstore", at, lanes * size, size);
    copy_lanes(p, size, value, width, lanes);
    return PTRT_OK;
}

/* ---- rows of a stride ---- */

int ptrt_logical_load_rows(ptrt_core *core, uint32_t line, ptrt_vreg *out, int64_t lanes, int width,
                           int64_t base, int64_t offset, int size, int64_t stride, int64_t groups,
                           int one) {
    const int64_t n = groups > 0 ? lanes / groups : lanes, read = one ? 1 : n;
    for (int64_t g = 0; g * n < lanes; g++) {
        const int64_t at = moved(moved(base, offset), (int64_t)((uint64_t)g * (uint64_t)stride));
        const unsigned char *p = read_at(core, at, read * size, size);
        if (p == NULL) return failed(core, line, "pto.vmi.vload", at, read * size, size);
        char *d = (char *)out + g * n * width;
        copy_lanes(d, width, p, size, read);
        for (int64_t i = 1; one && i < n; i++)
            memcpy(d + i * width, d, (size_t)width);
    }
    return PTRT_OK;
}

int ptrt_logical_store_rows(ptrt_core *core, uint32_t line, const ptrt_vreg *value, int64_t lanes,
                            int width, int64_t base, int64_t offset, int size, int64_t stride,
                            int64_t groups) {
    const int64_t n = groups > 0 ? lanes / groups : lanes;
    for (int64_t g = 0; g * n < lanes; g++) {
        const int64_t at = moved(moved(base, offset), (int64_t)((uint64_t)g * (uint64_t)stride));
        unsigned char *p = write_at(core, at, n * size, size);
        if (p == NULL) return failed(core, line, "pto.vmi.vstore", at, n * size, size);
        copy_lanes(p, size, (const char *)value + g * n * width, width, n);
    }
    return PTRT_OK;
}

/* ---- two vectors in turn ---- */

int ptrt_logical_load_two(ptrt_core *core, uint32_t line, ptrt_vreg *low, ptrt_vreg *high,
                          int64_t lanes, int width, int64_t base, int64_t offset) {
    const int64_t at = moved(base, offset), bytes = 2 * lanes * width;
    const unsigned char *p = read_at(core, at, bytes, width);
    if (p == NULL) return failed(core, line, "pto.vmi.vload", at, bytes, width);
    for (int64_t i = 0; i < lanes; i++) {
        memcpy((char *)low + i * width, p + 2 * i * width, (size_t)width);
        memcpy((char *)high + i * width, p + (2 * i + 1) * width, (size_t)width);
    }
    return PTRT_OK;
}

int ptrt_logical_store_two(ptrt_core *core, uint32_t line, const ptrt_vreg *low,
                           const ptrt_vreg *high, int64_t lanes, int width, int64_t base,
                           int64_t offset) {
    const int64_t at = moved(base, offset), bytes = 2 * lanes * width;
    unsigned char *p = write_at(core, at, bytes, width);
    if (p == NULL) return failed(core, line, "pto.vmi.vstore", at, bytes, width);
    for (int64_t i = 0; i < lanes; i++) {
        memcpy(p + 2 * i * width, (const char *)low + i * width, (size_t)width);
        memcpy(p + (2 * i + 1) * width, (const char *)high + i * width, (size_t)width);
    }
    return PTRT_OK;
}

/* ---- blocks ---- */

/* Returns the address of block b. Strides count blocks and have no sign. */
static int64_t block_at(int64_t at, int64_t first, int64_t stride, int64_t b) {
    return moved(at, ((uint16_t)first + b * (uint16_t)stride) * BLOCK);
}

static bool any_active(const ptrt_vreg *mask, int64_t from, int64_t to) {
    while (from < to && !lg_active(mask, from))
        from++;
    return from < to;
}

/* Blocks without an active lane are not read. */
int ptrt_logical_load_blocks(ptrt_core *core, uint32_t line, ptrt_vreg *out, int64_t lanes,
                             int width, int64_t base, int64_t offset, int64_t stride, int64_t first,
                             const ptrt_vreg *mask) {
    const int64_t n = BLOCK / width;
    for (int64_t b = 0; b * n < lanes; b++) {
        const int64_t at = block_at(moved(base, offset), first, stride, b),
                      end = lg_min(lanes, (b + 1) * n);
        char *d = (char *)out + b * BLOCK;
        memset(d, 0, BLOCK);
        if (!any_active(mask, b * n, end)) continue;
        const unsigned char *p = read_at(core, at, (end - b * n) * width, BLOCK);
        if (p == NULL) return failed(core, line, "pto.vmi.vload", at, BLOCK, BLOCK);
        memcpy(d, p, (size_t)((end - b * n) * width));
    }
    lg_zero(out, lanes, width, mask);
    return PTRT_OK;
}

/* Blocks that overlap are stored one after the other. */
int ptrt_logical_store_blocks(ptrt_core *core, uint32_t line, const ptrt_vreg *value, int64_t lanes,
                              int width, int64_t base, int64_t offset, int64_t stride,
                              int64_t first, const ptrt_vreg *mask) {
    const int64_t n = BLOCK / width, from = moved(base, offset);
    for (int64_t i = 0; i < lanes; i++) {
        if (!lg_active(mask, i)) continue;
        const int64_t at = block_at(from, first, stride, i / n) + i % n * width;
        unsigned char *p = write_at(core, at, width, width);
        if (p == NULL) return failed(core, line, "pto.vmi.vsstb", at, width, width);
        memcpy(p, (const char *)value + i * width, (size_t)width);
    }
    return PTRT_OK;
}

/* ---- active lanes ---- */

int ptrt_logical_load_active(ptrt_core *core, uint32_t line, ptrt_vreg *out, int64_t lanes,
                             int width, int64_t base, int64_t offset, const ptrt_vreg *mask,
                             const ptrt_vreg *rest, int packed) {
    int64_t n = 0;
    for (int64_t i = 0; i < lanes; i++) {
        const bool on = lg_active(mask, i);
        const int64_t at = moved(moved(base, offset), (packed ? n : i) * width);
        const void *from = (const char *)rest + i * width;
        if (on && (from = read_at(core, at, width, width)) == NULL)
            return failed(core, line, "pto.vmi.masked_load", at, width, width);
        memmove((char *)out + i * width, from, (size_t)width);
        n += on;
    }
    return PTRT_OK;
}

int ptrt_logical_store_packed(ptrt_core *core, uint32_t line, const ptrt_vreg *value, int64_t lanes,
                              int width, int64_t base, int64_t offset, const ptrt_vreg *mask) {
    int64_t at = moved(base, offset);
    for (int64_t i = 0; i < lanes; i++) {
        if (!lg_active(mask, i)) continue;
        unsigned char *p = write_at(core, at, width, width);
        if (p == NULL) return failed(core, line, "pto.vmi.compress_store", at, width, width);
        memcpy(p, (const char *)value + i * width, (size_t)width);
        at += width;
    }
    return PTRT_OK;
}

/* ---- elements that indices name ---- */

static int64_t index_at(const ptrt_vreg *index, int64_t i, int width) {
    uint32_t at = 0;
    memcpy(&at, (const char *)index + i * width, (size_t)width);
    return at;
}

int ptrt_logical_gather(ptrt_core *core, uint32_t line, ptrt_vreg *out, int64_t lanes, int width,
                        int64_t base, int size, const ptrt_vreg *index, int index_width,
                        const ptrt_vreg *mask, const ptrt_vreg *rest) {
    for (int64_t i = 0; i < lanes; i++) {
        char *d = (char *)out + i * width;
        if (!lg_active(mask, i)) {
            if (rest != NULL)
                memmove(d, (const char *)rest + i * width, (size_t)width);
            else
                memset(d, 0, (size_t)width);
            continue;
        }
        const int64_t at = moved(base, index_at(index, i, index_width) * size);
        const unsigned char *p = read_at(core, at, size, size);
        if (p == NULL) return failed(core, line, "pto.vmi.vgather", at, size, size);
        copy_lanes(d, width, p, size, 1);
    }
    return PTRT_OK;
}

int ptrt_logical_gather_blocks(ptrt_core *core, uint32_t line, ptrt_vreg *out, int64_t lanes,
                               int width, int64_t base, const ptrt_vreg *index, int index_width,
                               const ptrt_vreg *mask) {
    for (int64_t b = 0; b * BLOCK < lanes * width; b++) {
        const int64_t bytes = lg_min(BLOCK, lanes * width - b * BLOCK);
        char *d = (char *)out + b * BLOCK;
        const int64_t at = moved(base, index_at(index, b, index_width));
        const unsigned char *p = lg_active(mask, b) ? read_at(core, at, bytes, BLOCK) : NULL;
        if (p == NULL && lg_active(mask, b))
            return failed(core, line, "pto.vmi.vgatherb", at, bytes, BLOCK);
        if (p == NULL)
            memset(d, 0, (size_t)bytes);
        else
            memcpy(d, p, (size_t)bytes);
    }
    return PTRT_OK;
}

/* The lanes of a register are stored from the last one on. */
int ptrt_logical_scatter(ptrt_core *core, uint32_t line, const ptrt_vreg *value, int64_t lanes,
                         int width, int64_t base, int size, const ptrt_vreg *index, int index_width,
                         const ptrt_vreg *mask) {
    const int64_t held = LG_REGISTER / width;
    for (int64_t k = 0; k < lanes; k += held)
        for (int64_t i = lg_min(lanes, k + held) - 1; i >= k; i--) {
            if (!lg_active(mask, i)) continue;
            const int64_t at = moved(base, index_at(index, i, index_width) * size);
            unsigned char *p = write_at(core, at, size, size);
            if (p == NULL) return failed(core, line, "pto.vmi.vscatter", at, size, size);
            copy_lanes(p, size, (const char *)value + i * width, width, 1);
        }
    return PTRT_OK;
}
