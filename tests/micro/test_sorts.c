/* SPDX-License-Identifier: Apache-2.0 */
/* test_sorts.c - sorts of records in the vector memory against insertion, one record at a time. */
#include "../runtime/on_core.h"
#include "codec.h"
#include "random.h"

#include "core/core.h"
#include "ptort_micro.h"

enum { DST = 0x8000, SRC = 0x100, IDX = 0x4000, RECORD = 8, LINE = 7 };

static int elem_of(int size) {
    return size == 4 ? PTRT_F32 : PTRT_F16;
}

static double score_of(const unsigned char *p, int size) {
    return num_of(elem_of(size), bits_load(p, (uint32_t)size)).f;
}

/* Few values, so that many are equal. */
static void put_score(Random *r, unsigned char *p, int size) {
    static const double some[] = {-0.0, 0, 1, -1, 2.5, -1e30, 1e30};
    double v = (double)random_below(r, 5);
    if (random_below(r, 3) == 0) v = some[random_below(r, sizeof some / sizeof *some)];
    bits_store(p, (uint32_t)size, code_of_real(elem_of(size), v, TO_EVEN, false));
}

/* ---- blocks ---- */

static void check_blocks(ptrt_core *core, Random *r, int64_t repeat, int size) {
    unsigned char *ub = core->space[PTRT_VEC], want[3 * 32 * RECORD + RECORD];
    for (int64_t i = 0; i < 32 * repeat; i++) {
        put_score(r, ub + SRC + i * size, size);
        bits_store(ub + IDX + 4 * i, 4, random_bits(r) & UINT32_MAX);
    }
    memset(ub + DST, 0xAB, sizeof want);
    memset(want, 0xAB, sizeof want);
    for (int64_t i = 0; i < 32 * repeat; i++) {
        int64_t at = i;
        const double score = score_of(ub + SRC + i * size, size);
        for (; at % 32 != 0 && score_of(want + RECORD * (at - 1), size) < score; at--)
            memcpy(want + RECORD * at, want + RECORD * (at - 1), RECORD);
        memset(want + RECORD * at, 0, RECORD);
        memcpy(want + RECORD * at, ub + SRC + i * size, (size_t)size);
        memcpy(want + RECORD * at + 4, ub + IDX + 4 * i, 4);
    }
    assert_int_equal(ptrt_sort_scores(core, LINE, DST, SRC, IDX, repeat, size), PTRT_OK);
    assert_memory_equal(ub + DST, want, sizeof want);
}

static int sort_blocks(ptrt_core *core, void *arg) {
    Random r = {1};
    (void)arg;
    for (int n = 0; n < 200; n++)
        check_blocks(core, &r, n % 4, n % 8 < 4 ? 4 : 2);
    return 0;
}

static int sort_nothing(ptrt_core *core, void *arg) {
    const int64_t *a = arg;
    return ptrt_sort_scores(core, LINE, a[0], a[1], a[2], a[3], 4);
}

static void test_blocks(void **state) {
    (void)state;
    assert_int_equal(on_core(sort_blocks, NULL), 0);
}

static void test_wrong_blocks(void **state) {
    static const struct {
        int64_t args[4];
        int code;
        const char *text;
    } wrong[] = {
        {{DST, SRC, IDX, 256}, PTRT_E_ARG, "repeat is 256"},
        {{DST, SRC, IDX, -1}, PTRT_E_ARG, "repeat is -1"},
        {{DST + 4, SRC, IDX, 1}, PTRT_E_ALIGN, "multiple of 8"},
        {{DST, SRC + 2, IDX, 1}, PTRT_E_ALIGN, "multiple of 4"},
        {{SPACE_BYTES - 248, SRC, IDX, 1}, PTRT_E_BOUNDS, "256 bytes"},
        {{DST, SRC, SPACE_BYTES - 64, 1}, PTRT_E_BOUNDS, "128 bytes"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(on_core(sort_nothing, (void *)wrong[i].args), wrong[i].code);
        assert_non_null(strstr(ptrt_error(), wrong[i].text));
    }
}

/* ---- lists ---- */

static void fill_lists(Random *r, unsigned char *ub, const int64_t *src, const int *n, int size) {
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < n[k]; i++) {
            unsigned char record[RECORD] = {0};
            int at = i;
            put_score(r, record, size);
            bits_store(record + 4, 4, random_bits(r) & UINT32_MAX);
            for (;
                 at > 0 && score_of(ub + src[k] + RECORD * (at - 1), size) < score_of(record, size);
                 at--)
                memcpy(ub + src[k] + RECORD * at, ub + src[k] + RECORD * (at - 1), RECORD);
            memcpy(ub + src[k] + RECORD * at, record, RECORD);
        }
}

/* Merges lists that take part one record at a time. */
static void expect_merge(unsigned char *want, const unsigned char *ub, const int64_t *src,
                         const int *n, int lists, bool stops, int *taken, int size) {
    for (int k = 0; k < 4; k++)
        taken[k] = 0;
    for (int k = 0; k < 4 && stops; k++)
        if ((lists >> k & 1) != 0 && n[k] == 0) return;
    for (;;) {
        int best = -1;
        for (int k = 0; k < 4; k++)
            if ((lists >> k & 1) != 0 && taken[k] < n[k] &&
                (best < 0 || score_of(ub + src[k] + RECORD * taken[k], size) >
                                 score_of(ub + src[best] + RECORD * taken[best], size)))
                best = k;
        if (best < 0) return;
        memcpy(want, ub + src[best] + RECORD * taken[best]++, RECORD);
        want += RECORD;
        if (stops && taken[best] == n[best]) return;
    }
}

static int merge_lists(ptrt_core *core, void *arg) {
    static unsigned char want[0x2000];
    unsigned char *ub = core->space[PTRT_VEC];
    const int64_t src[] = {0x1000, 0x2000, 0x3000, 0x4000};
    Random r = {2};
    int16_t got[4];
    (void)arg;
    for (int trial = 0; trial < 300; trial++) {
        const int size = trial % 2 != 0 ? 4 : 2, lists = (int)random_below(&r, 16);
        const bool stops = random_below(&r, 2) != 0;
        int n[4], taken[4];
        int64_t count = 0;
        for (int k = 0; k < 4; k++) {
            n[k] = (int)random_below(&r, 20);
            count |= (int64_t)n[k] << (16 * k);
        }
        fill_lists(&r, ub, src, n, size);
        memset(ub + DST, 0xCD, sizeof want);
        memset(want, 0xCD, sizeof want);
        expect_merge(want, ub, src, n, lists, stops, taken, size);
        assert_int_equal(ptrt_merge_scores(core, LINE, DST, src[0], src[1], src[2], src[3], count,
                                           1 | lists << 8 | (int)stops << 12, size),
                         PTRT_OK);
        assert_memory_equal(ub + DST, want, sizeof want);
        assert_int_equal(ptrt_merged_counts(core, LINE, &got[0], &got[1], NULL, &got[3]), PTRT_OK);
        assert_int_equal(ptrt_merged_counts(core, LINE, NULL, NULL, &got[2], NULL), PTRT_OK);
        for (int k = 0; k < 4; k++)
            assert_int_equal(got[k], taken[k]);
    }
    return 0;
}

/* Groups of four blocks of 3 records, one behind the other. */
static int merge_repeated(ptrt_core *core, void *arg) {
    enum { N = 3, GROUPS = 2, BYTES = 4 * N * RECORD };
    unsigned char want[GROUPS * BYTES], *ub = core->space[PTRT_VEC];
    const int n[] = {N, N, N, N};
    Random r = {3};
    int taken[4];
    (void)arg;
    for (int g = 0; g < GROUPS; g++) {
        int64_t src[4];
        for (int k = 0; k < 4; k++)
            src[k] = SRC + g * BYTES + k * N * RECORD;
        fill_lists(&r, ub, src, n, 4);
        expect_merge(want + g * BYTES, ub, src, n, 15, false, taken, 4);
    }
    const int64_t step = N * RECORD;
    assert_int_equal(ptrt_merge_scores(core, LINE, DST, SRC, SRC + step, SRC + 2 * step,
                                       SRC + 3 * step, 0x0003000300030003, 0xF00 | GROUPS, 4),
                     PTRT_OK);
    assert_memory_equal(ub + DST, want, sizeof want);
    return 0;
}

static int merged_before(ptrt_core *core, void *arg) {
    int16_t n[4] = {1, 2, 3, 4};
    (void)arg;
    ptrt_merged_counts(core, LINE, &n[0], &n[1], &n[2], &n[3]);
    return n[0] | n[1] | n[2] | n[3];
}

static void test_lists(void **state) {
    (void)state;
    assert_int_equal(on_core(merge_lists, NULL), 0);
    assert_int_equal(on_core(merge_repeated, NULL), 0);
    assert_int_equal(on_core(merged_before, NULL), 0);
}

static int merge_some(ptrt_core *core, void *arg) {
    const int64_t *a = arg;
    return ptrt_merge_scores(core, LINE, a[0], a[1], SRC, SRC, SRC, a[2], a[3], 4);
}

static void test_wrong_lists(void **state) {
    static const char repetition[] =
        "pto.vmrgsort4: a repetition needs four lists of one length, and no stop";
    static const struct {
        int64_t args[4];
        int code;
        const char *text;
    } wrong[] = {
        {{DST, SRC, 0x0001000100010002, 0xF02}, PTRT_E_ARG, repetition},
        {{DST, SRC, 0x0001000100010001, 0x1F02}, PTRT_E_ARG, repetition},
        {{DST, SRC, 0x0001000100010001, 0x702}, PTRT_E_ARG, repetition},
        {{DST + 4, SRC, 1, 0x101}, PTRT_E_ALIGN, "multiple of 8"},
        {{DST, SRC + 4, 1, 0x101}, PTRT_E_ALIGN, "multiple of 8"},
        {{DST, SPACE_BYTES - 8, 2, 0x101}, PTRT_E_BOUNDS, "16 bytes"},
        {{SPACE_BYTES - 8, SRC, 2, 0x101}, PTRT_E_BOUNDS, "16 bytes"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(on_core(merge_some, (void *)wrong[i].args), wrong[i].code);
        assert_non_null(strstr(ptrt_error(), wrong[i].text));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_wrong_blocks),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_wrong_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
