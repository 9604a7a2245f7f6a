/* SPDX-License-Identifier: Apache-2.0 */
/* streams.c - streams of unaligned accesses, and the register AR that some of them count with. A
 * stream of stores writes whole blocks of 32 bytes as they fill and keeps the rest; it writes
 * nothing below its first address. */
#include "core/bits.h"
#include "core/place.h"

enum { BLOCK = 32, REGISTER = sizeof(ptrt_vreg) };

static int64_t plus(int64_t at, int64_t bytes) {
    return (int64_t)((uint64_t)at + (uint64_t)bytes);
}

int ptrt_stream_load(ptrt_core *core, uint32_t line, ptrt_align *out, int64_t at, int64_t align) {
    const char *op = "pto.vldas";
    const uint64_t before = (uint64_t)at & (BLOCK - 1);
    const unsigned char *p = place_read(core, PTRT_VEC, at, BLOCK - before, (uint64_t)align);
    if (p == NULL) return place_fail(core, line, op, PTRT_VEC, at, BLOCK - before, (uint64_t)align);
    out->at = at - (int64_t)before;
    out->n = BLOCK;
    memcpy(out->bytes, p - before, BLOCK);
    return PTRT_OK;
}

/* ---- stores ---- */

void ptrt_stream_store(ptrt_align *out) {
    *out = (ptrt_align){.n = 0};
}

/* Writes pending bytes. */
static int flush(ptrt_core *core, uint32_t line, const char *op, const ptrt_align *a) {
    if (a->n == 0) return PTRT_OK;
    unsigned char *p = place_write(core, PTRT_VEC, a->at, a->n, 1);
    if (p == NULL) return place_fail(core, line, op, PTRT_VEC, a->at, a->n, 1);
    memcpy(p, a->bytes, a->n);
    return PTRT_OK;
}

/* Writes the blocks that n bytes at the end of the stream complete, and keeps the others. */
static int write_blocks(ptrt_core *core, uint32_t line, const char *op, ptrt_align *out,
                        const void *bytes, uint32_t n) {
    unsigned char all[BLOCK + REGISTER];
    const uint32_t have = out->n + n;
    const int64_t end = plus(out->at, have), last = end - (end & (BLOCK - 1));
    memcpy(all, out->bytes, out->n);
    memcpy(all + out->n, bytes, n);
    const uint32_t whole = last > out->at ? (uint32_t)(last - out->at) : 0;
    if (whole > 0) {
        unsigned char *p = place_write(core, PTRT_VEC, out->at, whole, 1);
        if (p == NULL) return place_fail(core, line, op, PTRT_VEC, out->at, whole, 1);
        memcpy(p, all, whole);
    }
    out->at = plus(out->at, whole);
    out->n = have - whole;
    memcpy(out->bytes, all + whole, out->n);
    return PTRT_OK;
}

/* Adds n bytes at an address. If the stream does not end there, what is pending is written first:
 * no source says what happens then, and nothing is lost this way. */
static int append(ptrt_core *core, uint32_t line, const char *op, ptrt_align *out,
                  const ptrt_align *a, int64_t at, const void *bytes, uint32_t n, int64_t align) {
    *out = *a;
    if (n == 0) return PTRT_OK;
    if (place_at(core, PTRT_VEC, at, n, (uint64_t)align) == NULL)
        return place_fail(core, line, op, PTRT_VEC, at, n, (uint64_t)align);
    if (out->n > 0 && plus(out->at, out->n) != at) {
        const int err = flush(core, line, op, out);
        if (err != 0) return err;
        out->n = 0;
    }
    if (out->n == 0) out->at = at;
    return write_blocks(core, line, op, out, bytes, n);
}

int ptrt_stream_add(ptrt_core *core, uint32_t line, ptrt_align *out, int64_t *next,
                    const ptrt_align *a, int64_t bytes, const ptrt_vreg *v, int64_t base,
                    int64_t align) {
    const char *op = "pto.vstus";
    if (bytes < 0 || bytes > REGISTER)
        return ptrt_fail(core, PTRT_E_ARG, line, "%s: %lld bytes of a register that has %d", op,
                         (long long)bytes, (int)REGISTER);
    const int err = append(core, line, op, out, a, base, v, (uint32_t)bytes, align);
    if (next != NULL) *next = plus(base, bytes);
    return err;
}

static uint32_t active_bytes(const ptrt_mask *m, int64_t width) {
    uint32_t n = 0;
    for (int64_t i = 0; i < REGISTER; i += width)
        n += (m->bits[i / 64] >> (i % 64) & 1) != 0 ? (uint32_t)width : 0;
    return n;
}

int ptrt_stream_squeezed(ptrt_core *core, uint32_t line, ptrt_align *out, const ptrt_align *a,
                         const ptrt_vreg *v, const ptrt_mask *kept, int64_t width, int64_t base,
                         int64_t align, int grows) {
    const uint32_t n = kept != NULL ? active_bytes(kept, width) : core->squeezed;
    const int err = append(core, line, "pto.vstur", out, a, plus(base, core->ar), v, n, align);
    if (grows != 0) core->ar += n;
    return err;
}

int ptrt_stream_mask(ptrt_core *core, uint32_t line, ptrt_align *out, int64_t *next,
                     const ptrt_align *a, const ptrt_mask *m, int64_t base, int64_t width) {
    unsigned char lanes[16];
    const uint32_t n = REGISTER / 8 / (uint32_t)width;
    for (int i = 0; i < 4; i++) {
        uint64_t bits = even_bits(m->bits[i]);
        if (width == 4) bits = even_bits(bits);
        memcpy(lanes + (uint32_t)i * n / 4, &bits, n / 4);
    }
    *next = plus(base, n);
    return append(core, line, "pto.pstu", out, a, base, lanes, n, width);
}

/* The bytes go where they belong: an address that is not the end of the stream is not defined. */
int ptrt_stream_end(ptrt_core *core, uint32_t line, int64_t *next, const ptrt_align *a,
                    int64_t base, int64_t offset, int by_ar) {
    if (next != NULL) *next = plus(base, offset);
    return flush(core, line, by_ar != 0 ? "pto.vstar" : "pto.vstas", a);
}

/* ---- the register AR ---- */

int ptrt_clear_ar(ptrt_core *core, uint32_t line) {
    (void)line;
    core->ar = 0;
    return PTRT_OK;
}

int ptrt_store_ar(ptrt_core *core, uint32_t line, int64_t *next, int64_t base, int64_t offset,
                  int in_bytes) {
    const char *op = in_bytes != 0 ? "pto.sprsts" : "pto.sprsti";
    const int64_t at = place_step(base, offset, next);
    unsigned char *p = place_write(core, PTRT_VEC, at, sizeof core->ar, sizeof core->ar);
    if (p == NULL)
        return place_fail(core, line, op, PTRT_VEC, at, sizeof core->ar, sizeof core->ar);
    memcpy(p, &core->ar, sizeof core->ar);
    return PTRT_OK;
}
