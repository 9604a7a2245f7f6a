/* SPDX-License-Identifier: Apache-2.0 */
/* formula_vmemory.c - loads and stores of registers. */
#include "lanes.h"

static int64_t place(Trial *t, int64_t bytes, int64_t align) {
    return random_below(&t->random, (MEMORY - bytes) / align + 1) * align;
}

static void load(Trial *t) {
    _Alignas(64) ptrt_vreg out;
    const int64_t at = place(t, BYTES, 32), offset = random_below(&t->random, 64) - 32;
    const int64_t size = elem_bytes(t->e1);
    int64_t next = 0;
    same_int(t, "code", CALL_BODY(t, vload)(t->core, 1, &out, NULL, at - offset * size, offset), 0);
    same_bytes(t, "register", &out, t->memory + at, BYTES);
    same_int(t, "code", CALL_BODY(t, vload)(t->core, 1, &out, &next, at, offset), 0);
    same_bytes(t, "register", &out, t->memory + at, BYTES);
    same_int(t, "next", next, at + offset * size);
}

static void store(Trial *t) {
    unsigned char want[MEMORY];
    const int64_t at = place(t, BYTES, 32), offset = random_below(&t->random, 64) - 32;
    const unsigned size = elem_bytes(t->e1);
    memcpy(want, t->memory, sizeof want);
    for (unsigned i = 0; i < BYTES; i++)
        if (lane_active(t, i / size, size)) want[at + i] = ((unsigned char *)&t->in[0])[i];
    same_int(t, "code",
             CALL_BODY(t, vstore)(t->core, 1, &t->in[0], NULL, at - offset * (int64_t)size, offset,
                                  &t->mask),
             0);
    same_bytes(t, "memory", t->memory, want, MEMORY);
}

FORMULA(VLDS, .run = load);
FORMULA(VSTS, .run = store);
