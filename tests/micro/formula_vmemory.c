/* SPDX-License-Identifier: Apache-2.0 */
/* formula_vmemory.c - loads and stores of registers at one address. */
#include "lanes.h"

static int64_t place(Trial *t, int64_t bytes, int64_t align) {
    return random_below(&t->random, (MEMORY - bytes) / align + 1) * align;
}

/* An address outside the memory, or one that is not aligned. */
static int64_t bad_place(Trial *t, int64_t bytes, int64_t align) {
    const int64_t kind = random_below(&t->random, align > 1 ? 3 : 2);
    if (kind == 0) return -align;
    if (kind == 1) return MEMORY - bytes + align;
    return place(t, bytes + align, align) + 1 + random_below(&t->random, align - 1);
}

static int64_t some_offset(Trial *t) {
    return (random_below(&t->random, 64) - 32) * 8;
}

static void refuses(Trial *t, int code) {
    if (code != PTRT_E_BOUNDS && code != PTRT_E_ALIGN) same_int(t, "refusal", code, PTRT_E_BOUNDS);
}

static void copy(Trial *t) {
    _Alignas(64) ptrt_vreg out;
    CALL_BODY(t, vcopy)(&out, &t->in[0]);
    same_bytes(t, "register", &out, &t->in[0], BYTES);
}

static void load(Trial *t) {
    _Alignas(64) ptrt_vreg out;
    const int64_t at = place(t, BYTES, 32), offset = some_offset(t);
    int64_t next = 0;
    same_int(t, "code", CALL_BODY(t, vload)(t->core, 1, &out, NULL, at - offset, offset), 0);
    same_bytes(t, "register", &out, t->memory + at, BYTES);
    same_int(t, "code", CALL_BODY(t, vload)(t->core, 1, &out, &next, at, offset), 0);
    same_bytes(t, "register", &out, t->memory + at, BYTES);
    same_int(t, "next", next, at + offset);
    refuses(t, CALL_BODY(t, vload)(t->core, 1, &out, NULL, bad_place(t, BYTES, 32), 0));
}

static void load_unaligned(Trial *t) {
    _Alignas(64) ptrt_vreg out;
    const int64_t align = INT64_C(1) << random_below(&t->random, 4);
    const int64_t at = place(t, BYTES, align), offset = some_offset(t);
    same_int(t, "code", CALL_BODY(t, vload_any)(t->core, 1, &out, at - offset, offset, align), 0);
    same_bytes(t, "register", &out, t->memory + at, BYTES);
    refuses(t, CALL_BODY(t, vload_any)(t->core, 1, &out, bad_place(t, BYTES, align), 0, align));
}

/* ---- arrangements of pto.vlds ---- */

/* Byte k of the register is byte `from` of memory, or 0 if `from` is negative. */
typedef struct Way {
    int dist, bytes, align;
    int (*from)(int k);
} Way;

static int brc_b8(int k) {
    (void)k;
    return 0;
}
static int brc_b16(int k) {
    return k % 2;
}
static int brc_b32(int k) {
    return k % 4;
}
static int brc_blk(int k) {
    return k % 32;
}
static int us_b8(int k) {
    return k / 2;
}
static int us_b16(int k) {
    return k / 4 * 2 + k % 2;
}
static int ds_b8(int k) {
    return 2 * k;
}
static int ds_b16(int k) {
    return k / 2 * 4 + k % 2;
}
static int unpk_b8(int k) {
    return k % 2 < 1 ? k / 2 : -1;
}
static int unpk_b16(int k) {
    return k % 4 < 2 ? k / 4 * 2 + k % 4 : -1;
}
static int unpk_b32(int k) {
    return k % 8 < 4 ? k / 8 * 4 + k % 8 : -1;
}
static int unpk4(int k) {
    return k % 4 < 1 ? k / 4 : -1;
}
static int e2b_b16(int k) {
    return k / 32 * 2 + k % 2;
}
static int e2b_b32(int k) {
    return k / 32 * 4 + k % 4;
}

static const Way loads[] = {
    {1, 1, 1, brc_b8},       {2, 2, 2, brc_b16},      {3, 4, 4, brc_b32},    {6, 128, 32, us_b8},
    {7, 128, 32, us_b16},    {8, 512, 32, ds_b8},     {9, 512, 32, ds_b16},  {13, 128, 32, unpk_b8},
    {14, 128, 32, unpk_b16}, {18, 128, 32, unpk_b32}, {15, 32, 32, brc_blk}, {16, 16, 16, e2b_b16},
    {17, 32, 32, e2b_b32},   {20, 64, 32, unpk4}};

static void load_as(Trial *t) {
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
        _Alignas(64) ptrt_vreg out;
        unsigned char want[BYTES];
        const Way *w = &loads[i];
        const int64_t at = place(t, w->bytes, w->align), offset = some_offset(t);
        int64_t next = 0;
        for (int k = 0; k < BYTES; k++)
            want[k] = w->from(k) < 0 ? 0 : t->memory[at + w->from(k)];
        same_int(t, "code",
                 CALL_BODY(t, vload_as)(t->core, 1, &out, NULL, at - offset, offset, w->dist), 0);
        same_bytes(t, "register", &out, want, BYTES);
        memset(&out, 1, sizeof out);
        same_int(t, "code", CALL_BODY(t, vload_as)(t->core, 1, &out, &next, at, offset, w->dist),
                 0);
        same_bytes(t, "register", &out, want, BYTES);
        same_int(t, "next", next, at + offset);
        refuses(t, CALL_BODY(t, vload_as)(t->core, 1, &out, NULL, bad_place(t, w->bytes, w->align),
                                          0, w->dist));
    }
}

/* ---- pto.vsts ---- */

static void store_width(Trial *t, unsigned size) {
    unsigned char want[MEMORY];
    const int64_t at = place(t, BYTES, 32), offset = some_offset(t);
    int64_t next = 0;
    memcpy(want, t->memory, sizeof want);
    for (unsigned i = 0; i < BYTES; i++)
        if (lane_active(t, i / size, size)) want[at + i] = ((unsigned char *)&t->in[0])[i];
    same_int(t, "code",
             CALL_BODY(t, vstore)(t->core, 1, &t->in[0], NULL, at - offset, offset, &t->mask), 0);
    same_bytes(t, "memory", t->memory, want, MEMORY);
    same_int(t, "code", CALL_BODY(t, vstore)(t->core, 1, &t->in[0], &next, at, offset, &t->mask),
             0);
    same_int(t, "next", next, at + offset);
    refuses(
        t, CALL_BODY(t, vstore)(t->core, 1, &t->in[0], NULL, bad_place(t, BYTES, 32), 0, &t->mask));
    same_bytes(t, "memory", t->memory, want, MEMORY);
}

static void store(Trial *t) {
    store_width(t, elem_bytes(t->e1));
}
static void store_b8(Trial *t) {
    store_width(t, 1);
}
static void store_b16(Trial *t) {
    draw_mask(t, &t->mask, 2);
    store_width(t, 2);
}
static void store_b32(Trial *t) {
    draw_mask(t, &t->mask, 4);
    store_width(t, 4);
}

/* Element i of `to` bytes is the beginning of lane i of `from` bytes. */
static void store_as(Trial *t) {
    static const struct {
        int dist, from, to;
    } ways[] = {{6, 2, 1}, {7, 4, 2}, {10, 8, 4}, {12, 4, 1}};
    unsigned char want[MEMORY];
    const unsigned char *v = (const unsigned char *)&t->in[0];
    memcpy(want, t->memory, sizeof want);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        const int from = ways[i].from, to = ways[i].to, bytes = BYTES / from * to;
        const int64_t at = place(t, bytes, 32), offset = some_offset(t);
        draw_mask(t, &t->mask, (unsigned)from);
        for (int lane = 0; lane < BYTES / from; lane++)
            if (lane_active(t, (unsigned)lane, (unsigned)from))
                memcpy(want + at + lane * to, v + lane * from, (size_t)to);
        same_int(t, "code",
                 CALL_BODY(t, vstore_as)(t->core, 1, &t->in[0], NULL, at - offset, offset, &t->mask,
                                         ways[i].dist),
                 0);
        same_bytes(t, "memory", t->memory, want, MEMORY);
        refuses(t, CALL_BODY(t, vstore_as)(t->core, 1, &t->in[0], NULL, bad_place(t, bytes, 32), 0,
                                           &t->mask, ways[i].dist));
    }
    for (int dist = 3; dist <= 5; dist++) {
        const int bytes = 1 << (dist - 3);
        const int64_t at = place(t, bytes, bytes), step = some_offset(t);
        int64_t next = 0;
        memcpy(want + at, v, (size_t)bytes);
        same_int(t, "code",
                 CALL_BODY(t, vstore_as)(t->core, 1, &t->in[0], &next, at, step, &t->mask, dist),
                 0);
        same_int(t, "next", next, at + step);
        same_bytes(t, "memory", t->memory, want, MEMORY);
        refuses(t, CALL_BODY(t, vstore_as)(t->core, 1, &t->in[0], NULL, bad_place(t, bytes, bytes),
                                           0, &t->mask, dist));
    }
}

/* ---- two registers, in units that alternate in memory ---- */

static void load_two(Trial *t) {
    static const int dists[] = {10, 11, 12, 19}, units[] = {32, 1, 2, 4};
    for (int i = 0; i < 4; i++) {
        _Alignas(64) ptrt_vreg out[2];
        unsigned char want[2][BYTES];
        const int unit = units[i];
        const int64_t at = place(t, 2 * BYTES, 32), offset = some_offset(t);
        int64_t next = 0;
        for (int k = 0; k < 2 * BYTES; k++)
            want[k / unit % 2][k / unit / 2 * unit + k % unit] = t->memory[at + k];
        same_int(
            t, "code",
            CALL_BODY(t, vload2)(t->core, 1, &out[0], &out[1], NULL, at - offset, offset, dists[i]),
            0);
        same_bytes(t, "low", &out[0], want[0], BYTES);
        same_bytes(t, "high", &out[1], want[1], BYTES);
        same_int(t, "code",
                 CALL_BODY(t, vload2)(t->core, 1, &out[0], &out[1], &next, at, offset, dists[i]),
                 0);
        same_bytes(t, "low", &out[0], want[0], BYTES);
        same_int(t, "next", next, at + offset);
        refuses(t, CALL_BODY(t, vload2)(t->core, 1, &out[0], &out[1], NULL,
                                        bad_place(t, 2 * BYTES, 32), 0, dists[i]));
    }
}

static void store_two(Trial *t) {
    static const int dists[] = {8, 9, 11}, units[] = {1, 2, 4};
    unsigned char want[MEMORY];
    memcpy(want, t->memory, sizeof want);
    for (int i = 0; i < 3; i++) {
        const int unit = units[i];
        const int64_t at = place(t, 2 * BYTES, 32), offset = some_offset(t);
        for (int k = 0; k < 2 * BYTES; k++)
            want[at + k] =
                ((const unsigned char *)&t->in[k / unit % 2])[k / unit / 2 * unit + k % unit];
        same_int(
            t, "code",
            CALL_BODY(t, vstore2)(t->core, 1, &t->in[0], &t->in[1], at - offset, offset, dists[i]),
            0);
        same_bytes(t, "memory", t->memory, want, MEMORY);
        refuses(t, CALL_BODY(t, vstore2)(t->core, 1, &t->in[0], &t->in[1],
                                         bad_place(t, 2 * BYTES, 32), 0, dists[i]));
    }
}

/* ---- streams ---- */

/* Bytes of the block that the state has are those of when it was made. */
static void load_stream(Trial *t) {
    _Alignas(64) ptrt_vreg out;
    unsigned char was[MEMORY], want[BYTES];
    ptrt_align a = {.n = 0}, b;
    const int64_t align = INT64_C(1) << random_below(&t->random, 4), step = some_offset(t);
    int64_t at = place(t, 3 * BYTES, align), next = 0;
    same_int(t, "code", CALL_BODY(t, vload_stream)(t->core, 1, &out, &b, NULL, at, &a, 0, align),
             0);
    same_bytes(t, "register", &out, t->memory + at, BYTES);
    memcpy(was, t->memory, MEMORY);
    draw_bytes(t, t->memory, MEMORY);
    at += BYTES;
    memcpy(want, t->memory + at, BYTES);
    for (int k = 0; k < BYTES && (at + k) / 32 == at / 32; k++)
        want[k] = was[at + k];
    same_int(t, "code",
             CALL_BODY(t, vload_stream)(t->core, 1, &out, &a, &next, at, &b, step, align), 0);
    same_bytes(t, "register", &out, want, BYTES);
    same_int(t, "next", next, at + step);
    const int64_t block = next / 32 * 32;
    if (next >= 0 && block + 32 <= MEMORY) {
        same_int(t, "block", a.at, block);
        same_bytes(t, "block", a.bytes, t->memory + block, 32);
    } else {
        same_int(t, "block", a.n, 0);
    }
    refuses(t, CALL_BODY(t, vload_stream)(t->core, 1, &out, &a, NULL, bad_place(t, BYTES, align),
                                          &b, 0, align));
}

FORMULA(VBITCAST, .run = copy);
FORMULA(VLDS, .run = load);
FORMULA(VLDS_AS, .run = load_as);
FORMULA(VLDSX2, .run = load_two);
FORMULA(UVLD, .run = load_unaligned);
FORMULA(VLDUS, .run = load_stream);
FORMULA(VSTS, .run = store);
FORMULA(VSTS_B8, .run = store_b8);
FORMULA(VSTS_B16, .run = store_b16);
FORMULA(VSTS_B32, .run = store_b32);
FORMULA(VSTS_AS, .run = store_as);
FORMULA(VSTSX2, .run = store_two);
