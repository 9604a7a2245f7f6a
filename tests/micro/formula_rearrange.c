/* SPDX-License-Identifier: Apache-2.0 */
/* formula_rearrange.c - lanes in another order. */
#include "lanes.h"

/* ---- two registers ---- */

/* Lane i of the two registers, one after the other. */
static uint64_t lane_of_two(const Trial *t, unsigned i) {
    const unsigned n = lanes_of(t->e1);
    return lane_get(&t->in[i / n], t->e1, i % n);
}

static void interleaved(const Trial *t, ptrt_vreg want[2]) {
    const unsigned n = lanes_of(t->e1);
    for (unsigned i = 0; i < 2 * n; i++)
        lane_set(&want[i / n], t->e1, i % n, lane_get(&t->in[i % 2], t->e1, i / 2));
}

static void separated(const Trial *t, ptrt_vreg want[2]) {
    for (unsigned i = 0; i < 2 * lanes_of(t->e1); i++)
        lane_set(&want[i % 2], t->e1, i / 2, lane_of_two(t, i));
}

static void judge_two(Trial *t, void (*make)(const Trial *, ptrt_vreg[2])) {
    _Alignas(64) ptrt_vreg out[2];
    ptrt_vreg want[2];
    make(t, want);
    CALL_BODY(t, zip)(&out[0], &out[1], &t->in[0], &t->in[1]);
    same_bytes(t, "low", &out[0], &want[0], BYTES);
    same_bytes(t, "high", &out[1], &want[1], BYTES);
}

static void judge_half(Trial *t, void (*make)(const Trial *, ptrt_vreg[2])) {
    _Alignas(64) ptrt_vreg out;
    ptrt_vreg want[2];
    const int part = (int)random_below(&t->random, 2);
    make(t, want);
    CALL_BODY(t, half_zip)(&out, &t->in[0], &t->in[1], part);
    same_bytes(t, "result", &out, &want[part], BYTES);
}

static void vintlv(Trial *t) {
    judge_two(t, interleaved);
}
static void vdintlv(Trial *t) {
    judge_two(t, separated);
}
static void vintlvv2(Trial *t) {
    judge_half(t, interleaved);
}
static void vdintlvv2(Trial *t) {
    judge_half(t, separated);
}

/* ---- active lanes ---- */

static void squeeze(Trial *t) {
    _Alignas(64) ptrt_vreg out;
    ptrt_vreg want = {{0}};
    const unsigned width = elem_bytes(t->e1);
    unsigned n = 0;
    for (unsigned i = 0; i < lanes_of(t->e1); i++)
        if (lane_active(t, i, width)) lane_set(&want, t->e1, n++, lane_get(&t->in[0], t->e1, i));
    same_int(t, "code", CALL_BODY(t, squeeze)(t->core, 1, &out, &t->in[0], &t->mask), 0);
    same_bytes(t, "result", &out, &want, BYTES);
    same_int(t, "bytes kept", t->core->squeezed, n * width);
}

static void count_before(Trial *t) {
    _Alignas(64) ptrt_vreg out;
    ptrt_vreg want;
    unsigned n = 0;
    for (unsigned i = 0; i < lanes_of(t->e1); i++) {
        lane_set(&want, t->e1, i, n);
        if (lane_active(t, i, elem_bytes(t->e1))) n++;
    }
    CALL_BODY(t, count_before)(&out, &t->mask);
    same_bytes(t, "result", &out, &want, BYTES);
}

/* ---- lanes of half and twice the width ---- */

static void pack(Trial *t) {
    _Alignas(64) ptrt_vreg out;
    unsigned char want[BYTES] = {0};
    const unsigned width = elem_bytes(t->e1), half = width / 2;
    const int part = (int)random_below(&t->random, 2);
    for (unsigned i = 0; i < BYTES / 2; i++)
        want[i + (unsigned)part * BYTES / 2] =
            ((const unsigned char *)&t->in[0])[i / half * width + i % half];
    CALL_BODY(t, narrow_lanes)(&out, &t->in[0], part);
    same_bytes(t, "result", &out, want, BYTES);
}

static void unpack(Trial *t, bool is_signed) {
    _Alignas(64) ptrt_vreg out;
    unsigned char want[BYTES] = {0};
    const unsigned width = elem_bytes(t->e1), part = (unsigned)random_below(&t->random, 2);
    const unsigned char *s = (const unsigned char *)&t->in[0] + part * BYTES / 2;
    for (unsigned i = 0; i < BYTES; i++) {
        const unsigned lane = i / (2 * width), byte = i % (2 * width);
        const bool negative = s[lane * width + width - 1] >= 0x80;
        want[i] = byte < width ? s[lane * width + byte] : is_signed && negative ? 0xFF : 0;
    }
    CALL_BODY(t, widen_lanes)(&out, &t->in[0], part);
    same_bytes(t, "result", &out, want, BYTES);
}

static void vsunpack(Trial *t) {
    unpack(t, true);
}
static void vzunpack(Trial *t) {
    unpack(t, false);
}

FORMULA(VINTLV, .run = vintlv);
FORMULA(VDINTLV, .run = vdintlv);
FORMULA(VINTLVV2, .run = vintlvv2);
FORMULA(VDINTLVV2, .run = vdintlvv2);
FORMULA(VSQZ, .run = squeeze);
FORMULA(VUSQZ, .run = count_before);
FORMULA(VPACK, .run = pack);
FORMULA(VSUNPACK, .run = vsunpack);
FORMULA(VZUNPACK, .run = vzunpack);
