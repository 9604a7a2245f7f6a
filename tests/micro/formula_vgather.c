/* SPDX-License-Identifier: Apache-2.0 */
/* formula_vgather.c - loads and stores of registers at several addresses. */
#include "lanes.h"

enum { BLOCK = 32 };

static void refuses(Trial *t, int code) {
    if (code != PTRT_E_BOUNDS && code != PTRT_E_ALIGN) same_int(t, "refusal", code, PTRT_E_BOUNDS);
}

static bool any_active(const Trial *t, unsigned lanes, unsigned width) {
    for (unsigned i = 0; i < lanes; i++)
        if (lane_active(t, i, width)) return true;
    return false;
}

/* ---- blocks with a stride ---- */

typedef struct Blocks {
    int64_t base, stride, first;
    int64_t at[8];
} Blocks;

static Blocks draw_blocks(Trial *t) {
    Blocks b = {.stride = random_below(&t->random, 13), .first = random_below(&t->random, 20)};
    const int64_t room = MEMORY / BLOCK - 7 * b.stride - 1 - b.first;
    b.base = random_below(&t->random, room + 1) * BLOCK;
    for (int i = 0; i < 8; i++)
        b.at[i] = b.base + BLOCK * (b.first + i * b.stride);
    return b;
}

static void load_blocks(Trial *t) {
    _Alignas(64) ptrt_vreg out;
    unsigned char want[BYTES] = {0};
    const unsigned size = elem_bytes(t->e1);
    const Blocks b = draw_blocks(t);
    int64_t next = 0;
    for (unsigned k = 0; k < BYTES; k++)
        if (lane_active(t, k / size, size)) want[k] = t->memory[b.at[k / BLOCK] + k % BLOCK];
    same_int(
        t, "code",
        CALL_BODY(t, vload_blocks)(t->core, 1, &out, NULL, b.base, b.stride, b.first, &t->mask), 0);
    same_bytes(t, "register", &out, want, BYTES);
    same_int(t, "code",
             CALL_BODY(t, vload_blocks)(t->core, 1, &out, &next, b.at[0], b.stride, 3, &t->mask),
             0);
    same_bytes(t, "register", &out, want, BYTES);
    same_int(t, "next", next, b.at[0] + 3 * BLOCK);
    const int code =
        CALL_BODY(t, vload_blocks)(t->core, 1, &out, NULL, b.base, -1, b.first, &t->mask);
    bool leaves = false; /* a stride of -1 is 65535 */
    for (unsigned i = BLOCK / size; i < BYTES / size; i++)
        leaves |= lane_active(t, i, size);
    same_int(t, "far", code, leaves ? PTRT_E_BOUNDS : 0);
}

static void store_blocks(Trial *t) {
    unsigned char want[MEMORY];
    const unsigned size = elem_bytes(t->e1);
    const Blocks b = draw_blocks(t);
    int64_t next = 0;
    memcpy(want, t->memory, MEMORY);
    for (unsigned k = 0; k < BYTES; k++)
        if (lane_active(t, k / size, size))
            want[b.at[k / BLOCK] + k % BLOCK] = ((const unsigned char *)&t->in[0])[k];
    same_int(t, "code",
             CALL_BODY(t, vstore_blocks)(t->core, 1, &t->in[0], NULL, b.base, b.stride, b.first,
                                         &t->mask),
             0);
    same_bytes(t, "memory", t->memory, want, MEMORY);
    same_int(
        t, "code",
        CALL_BODY(t, vstore_blocks)(t->core, 1, &t->in[0], &next, b.at[0], b.stride, 3, &t->mask),
        0);
    same_int(t, "next", next, b.at[0] + 3 * BLOCK);
    same_bytes(t, "memory", t->memory, want, MEMORY);
    if (any_active(t, BYTES / size, size))
        refuses(t, CALL_BODY(t, vstore_blocks)(t->core, 1, &t->in[0], NULL, b.base + 1, b.stride,
                                               b.first, &t->mask));
}

static void gather_blocks(Trial *t) {
    _Alignas(64) ptrt_vreg out, offsets;
    unsigned char want[BYTES] = {0};
    const int64_t base = random_below(&t->random, 20) * BLOCK;
    draw_bytes(t, &offsets, sizeof offsets);
    draw_mask(t, &t->mask, 4);
    for (unsigned b = 0; b < 8; b++) {
        const int64_t at = random_below(&t->random, MEMORY / BLOCK) * BLOCK;
        if (!lane_active(t, b, 4)) continue;
        lane_set(&offsets, PTRT_U32, b, (uint64_t)(at < base ? 0 : at - base));
        memcpy(want + b * BLOCK, t->memory + (at < base ? base : at), BLOCK);
    }
    same_int(t, "code", CALL_BODY(t, vgather)(t->core, 1, &out, base, &offsets, &t->mask), 0);
    same_bytes(t, "register", &out, want, BYTES);
    for (unsigned b = 0; b < 8; b++)
        lane_set(&offsets, PTRT_U32, b, t->number % 2 ? MEMORY : 16);
    if (any_active(t, 8, 4))
        refuses(t, CALL_BODY(t, vgather)(t->core, 1, &out, base, &offsets, &t->mask));
}

/* ---- elements ---- */

/* Draws indices into n elements for lanes of `width` bytes; those of inactive lanes are any. */
static void draw_indices(Trial *t, ptrt_vreg *r, unsigned width, int64_t n) {
    const int64_t few = t->number % 3 == 0 ? 8 : n;
    draw_mask(t, &t->mask, width);
    draw_bytes(t, r, sizeof *r);
    for (unsigned i = 0; i < BYTES / width; i++)
        if (lane_active(t, i, width))
            lane_set(r, width == 2 ? PTRT_U16 : PTRT_U32, i,
                     (uint64_t)random_below(&t->random, few));
}

static void gather(Trial *t) {
    _Alignas(64) ptrt_vreg out, indices;
    ptrt_vreg want = {{0}};
    const unsigned size = elem_bytes(t->e1), width = size < 2 ? 2 : size;
    const int as = width == 2 ? PTRT_U16 : PTRT_U32;
    const int64_t base = random_below(&t->random, 64) * size;
    draw_indices(t, &indices, width, (MEMORY - base) / size);
    for (unsigned i = 0; i < BYTES / width; i++) {
        uint64_t bits = 0;
        if (!lane_active(t, i, width)) continue;
        const unsigned char *from = t->memory + base + (int64_t)lane_get(&indices, as, i) * size;
        for (unsigned k = 0; k < size; k++)
            bits |= (uint64_t)from[k] << 8 * k;
        lane_set(&want, as, i, bits);
    }
    same_int(t, "code", CALL_BODY(t, vgather)(t->core, 1, &out, base, &indices, &t->mask), 0);
    same_bytes(t, "register", &out, &want, BYTES);
    for (unsigned i = 0; i < BYTES / width; i++)
        if (lane_active(t, i, width)) {
            lane_set(&indices, as, i, (uint64_t)(MEMORY - base) / size);
            same_int(t, "far", CALL_BODY(t, vgather)(t->core, 1, &out, base, &indices, &t->mask),
                     PTRT_E_BOUNDS);
            if (size > 1)
                same_int(t, "odd", CALL_BODY(t, vgather)(t->core, 1, &out, 1, &indices, &t->mask),
                         PTRT_E_ALIGN);
            break;
        }
}

static void scatter(Trial *t) {
    unsigned char want[MEMORY];
    ptrt_vreg indices;
    bool stored[MEMORY] = {false};
    const unsigned size = elem_bytes(t->e1), width = size < 2 ? 2 : size;
    const int as = width == 2 ? PTRT_U16 : PTRT_U32;
    const int64_t base = random_below(&t->random, 64) * size;
    draw_indices(t, &indices, width, (MEMORY - base) / size);
    memcpy(want, t->memory, MEMORY);
    for (unsigned i = 0; i < BYTES / width; i++) {
        const uint64_t index = lane_get(&indices, as, i);
        if (!lane_active(t, i, width) || stored[index]) continue;
        stored[index] = true; /* by the lowest lane */
        memcpy(want + base + (int64_t)index * size, (const unsigned char *)&t->in[0] + i * width,
               size);
    }
    same_int(t, "code", CALL_BODY(t, vscatter)(t->core, 1, &t->in[0], base, &indices, &t->mask), 0);
    same_bytes(t, "memory", t->memory, want, MEMORY);
    for (unsigned i = 0; i < BYTES / width; i++)
        lane_set(&indices, as, i, (uint64_t)(MEMORY - base) / size);
    if (any_active(t, BYTES / width, width))
        same_int(t, "far", CALL_BODY(t, vscatter)(t->core, 1, &t->in[0], base, &indices, &t->mask),
                 PTRT_E_BOUNDS);
    same_bytes(t, "memory", t->memory, want, MEMORY);
}

FORMULA(VSLDB, .run = load_blocks);
FORMULA(VSSTB, .run = store_blocks);
FORMULA(VGATHER2, .run = gather);
FORMULA(VGATHER2_BC, .run = gather);
FORMULA(VGATHERB, .run = gather_blocks);
FORMULA(VSCATTER, .run = scatter);
