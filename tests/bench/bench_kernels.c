/* SPDX-License-Identifier: Apache-2.0 */
/* Tile instructions through emitted C against hand-written loops over arrays that lie as the tiles
 * do: same sizes, same distances, same instruction set. Best of 15. Fails below 90 % of the loop.
 */
#include "bench.h"
#include "emitted_kernels.h"
#include "plain.h"
#include <ptort.h>
#include <stdlib.h>
#include <string.h>

enum { BEST_OF = 15 };

typedef struct Arrays {
    unsigned char *memory;
    size_t tile; /* bytes of one tile */
    Region region;
} Arrays;

typedef enum What { TADDS_F32, TADD_F32, TANDS_I16, TANDS_I32, TXORS_I16, TXORS_I32, WHATS } What;

static const char *const names[WHATS] = {"tadds f32", "tadd f32",  "tands i16",
                                         "tands i32", "txors i16", "txors i32"};

/* One pass of the plain loop of one level. */
#define PLAIN(L)                                                                                   \
    static void plain_##L(What what, const Arrays *m) {                                            \
        unsigned char *a = m->memory, *b = a + m->tile, *d = b;                                    \
        if (what == TADD_F32) d = b + m->tile;                                                     \
        switch (what) {                                                                            \
        case TADDS_F32:                                                                            \
            plain_tadds_f32_##L((void *)d, (void *)a, 1.5f, m->region);                            \
            break;                                                                                 \
        case TADD_F32:                                                                             \
            plain_tadd_f32_##L((void *)d, (void *)a, (void *)b, m->region);                        \
            break;                                                                                 \
        case TANDS_I16:                                                                            \
            plain_tands_i16_##L((void *)d, (void *)a, 0x55, m->region);                            \
            break;                                                                                 \
        case TANDS_I32:                                                                            \
            plain_tands_i32_##L((void *)d, (void *)a, 0x55, m->region);                            \
            break;                                                                                 \
        case TXORS_I16:                                                                            \
            plain_txors_i16_##L((void *)d, (void *)a, 0x55, m->region);                            \
            break;                                                                                 \
        default:                                                                                   \
            plain_txors_i32_##L((void *)d, (void *)a, 0x55, m->region);                            \
            break;                                                                                 \
        }                                                                                          \
    }
#ifdef BENCH_X86
PLAIN(v2)
PLAIN(v3)
PLAIN(v4)
#else
PLAIN(base)
#endif

static void plain(What what, const Arrays *m) {
#ifdef BENCH_X86
    const char *level = ptrt_isa();
    (strcmp(level, "v4") == 0 ? plain_v4 : strcmp(level, "v3") == 0 ? plain_v3 : plain_v2)(what, m);
#else
    plain_base(what, m);
#endif
}

static int emitted(What what, bool wide, int64_t times, Region r) {
    int64_t n = times, y = r.rows, x = r.cols;
    switch (what) {
    case TADDS_F32:
        return wide ? tadds_f32_wide(n, y, x, 1.5f) : tadds_f32_slim(n, y, x, 1.5f);
    case TADD_F32:
        return wide ? tadd_f32_wide(n, y, x, 1.5f) : tadd_f32_slim(n, y, x, 1.5f);
    case TANDS_I16:
        return wide ? tands_i16_wide(n, y, x, 0x55) : tands_i16_slim(n, y, x, 0x55);
    case TANDS_I32:
        return wide ? tands_i32_wide(n, y, x, 0x55) : tands_i32_slim(n, y, x, 0x55);
    case TXORS_I16:
        return wide ? txors_i16_wide(n, y, x, 0x55) : txors_i16_slim(n, y, x, 0x55);
    default:
        return wide ? txors_i32_wide(n, y, x, 0x55) : txors_i32_slim(n, y, x, 0x55);
    }
}

static double time_plain(What what, const Arrays *m, int64_t times) {
    double start = seconds_now();
    for (int64_t i = 0; i < times; i++)
        plain(what, m);
    return seconds_now() - start;
}

static double time_emitted(What what, bool wide, int64_t times, Region r) {
    double start = seconds_now();
    if (emitted(what, wide, times, r) != 0) {
        fprintf(stderr, "%s\n", ptrt_error());
        exit(1);
    }
    return seconds_now() - start;
}

static int bench(What what, bool wide, int64_t vrow, int64_t vcol) {
    int64_t cols = wide ? 512 : 64;
    size_t elem = what == TANDS_I16 || what == TXORS_I16 ? 2 : 4;
    Arrays m = {.tile = (size_t)(32 * cols) * elem, .region = {vrow, vcol, cols}};
    m.memory = aligned_alloc(4096, (3 * m.tile + 4095) / 4096 * 4096);
    if (m.memory == NULL) exit(2);
    memset(m.memory, 1, 3 * m.tile);
    int64_t times = (int64_t)(400000000 / (vrow * vcol * (int64_t)elem * 8));
    double best[2] = {1e9, 1e9};
    for (int i = 0; i < BEST_OF; i++) {
        double p = time_plain(what, &m, times), e = time_emitted(what, wide, times, m.region);
        if (p < best[0]) best[0] = p;
        if (e < best[1]) best[1] = e;
    }
    free(m.memory);
    char label[80];
    snprintf(label, sizeof label, "%s 32x%d, valid %dx%d: %.0f ns, loop %.0f", names[what],
             (int)cols, (int)vrow, (int)vcol, best[1] / (double)times * 1e9,
             best[0] / (double)times * 1e9);
    return figure(label, best[0] / best[1], "", true, 0.9);
}

int main(void) {
    printf("runtime level %s\n", ptrt_isa());
    int missed = 0;
    for (int w = 0; w < WHATS; w++)
        for (int wide = 1; wide >= 0; wide--) {
            missed += bench((What)w, wide != 0, 32, wide ? 512 : 64);
            missed += bench((What)w, wide != 0, 31, wide ? 500 : 60);
        }
    return missed == 0 ? 0 : 1;
}
