/* SPDX-License-Identifier: Apache-2.0 */
/* memory.c - the memories of a run: noise everywhere, three copies of each. */
#include "context.h"

#include <stdlib.h>

void make_noise(unsigned char *p, int64_t n, Random *r) {
    for (int64_t i = 0; i < n; i += 8) {
        uint64_t bits = random_bits(r);
        memcpy(p + i, &bits, n - i < 8 ? (size_t)(n - i) : 8);
    }
}

bool memory_alloc(Context *ctx, const int64_t *bytes) {
    for (int s = PTRT_GM; s < PTRT_SPACES; s++) {
        Memory *m = &ctx->memory[s];
        m->size = bytes[s];
        m->old = malloc((size_t)m->size);
        m->want = malloc((size_t)m->size);
        if (s == PTRT_GM) m->mem = malloc((size_t)m->size);
        if (m->old == NULL || m->want == NULL || (s == PTRT_GM && m->mem == NULL)) return false;
    }
    return true;
}

bool memory_open(Context *ctx) {
    Random r = {1};
    for (int s = PTRT_GM; s < PTRT_SPACES; s++) {
        Memory *m = &ctx->memory[s];
        void *p = m->mem;
        if (s != PTRT_GM && ptrt_space_at(ctx->core, 0, s, 0, 0, 1, &p) != PTRT_OK) return false;
        m->mem = p;
        make_noise(m->mem, m->size, &r);
        memcpy(m->want, m->mem, (size_t)m->size);
    }
    return true;
}

void memory_free(Context *ctx) {
    for (int s = PTRT_GM; s < PTRT_SPACES; s++) {
        free(ctx->memory[s].old);
        free(ctx->memory[s].want);
    }
    free(ctx->memory[PTRT_GM].mem);
}
