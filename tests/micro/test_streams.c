/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that access the vector memory: masks, streams of unaligned accesses, the register AR. */
#include "random.h"

#include "core/core.h"
#include "core/rank.h"
#include "ptort_micro.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { MEMORY = 4096, TRIALS = 400 };

static Random noise = {11};
static _Alignas(64) unsigned char memory[MEMORY];
static ptrt_core core;

static int set_up(void **state) {
    static ptrt_rank rank = {.count = 1};
    static const ptrt_kernel kernel = {.name = "test"};
    static ptrt_run run = {.kernel = &kernel, .rank = &rank, .lock = PTHREAD_MUTEX_INITIALIZER};
    (void)state;
    core.run = &run;
    core.space[PTRT_VEC] = memory;
    core.space_size[PTRT_VEC] = MEMORY;
    return 0;
}

static void fill(void *p, size_t n) {
    for (size_t i = 0; i < n; i++)
        ((unsigned char *)p)[i] = (unsigned char)random_bits(&noise);
}

static bool bit_at(const void *p, int i) {
    return (((const unsigned char *)p)[i / 8] >> (i % 8) & 1) != 0;
}

/* The run keeps its first message: the next call gives another one. */
static void fails_as(int code, int want, const char *text) {
    assert_int_equal(code, want);
    assert_non_null(strstr(core.run->error, text));
    core.run->failed = 0;
}

static void fails(int code, int want) {
    fails_as(code, want, "pto.");
}

/* ---- masks in memory ---- */

static void test_load_mask(void **state) {
    static const int bytes[] = {32, 16, 64}, aligns[] = {32, 16, 32};
    (void)state;
    for (int n = 0; n < TRIALS; n++) {
        ptrt_mask m;
        int64_t next = 0;
        const int dist = n % 3, align = aligns[dist];
        const int64_t at = random_below(&noise, (MEMORY - bytes[dist]) / align + 1) * align;
        const int64_t offset = random_below(&noise, 9) * 64 - 256;
        fill(memory, MEMORY);
        assert_int_equal(ptrt_load_mask(&core, 1, &m, NULL, at - offset, offset, dist, 0), 0);
        for (int k = 0; k < 256; k++)
            assert_int_equal(bit_at(&m, k), bit_at(memory + at, dist == 1   ? k / 2
                                                                : dist == 2 ? 2 * k
                                                                            : k));
        const ptrt_mask first = m;
        assert_int_equal(ptrt_load_mask(&core, 1, &m, &next, at, offset, dist, 1), 0);
        assert_memory_equal(&m, &first, sizeof m);
        assert_int_equal(next, at + offset);
        fails(ptrt_load_mask(&core, 1, &m, NULL, at, 8, dist, 0), PTRT_E_ALIGN);
        fails(ptrt_load_mask(&core, 1, &m, NULL, MEMORY, 0, dist, 0), PTRT_E_BOUNDS);
    }
}

static void test_store_mask(void **state) {
    (void)state;
    for (int n = 0; n < TRIALS; n++) {
        unsigned char want[MEMORY];
        ptrt_mask m;
        int64_t next = 0;
        const int dist = n % 2, bytes = dist == 1 ? 16 : 32;
        const int64_t at = random_below(&noise, MEMORY / bytes) * bytes;
        const int64_t offset = random_below(&noise, 9) * 64 - 256;
        fill(memory, MEMORY);
        fill(&m, sizeof m);
        memcpy(want, memory, MEMORY);
        memset(want + at, 0, (size_t)bytes);
        for (int k = 0; k < 8 * bytes; k++)
            if (bit_at(&m, dist == 1 ? 2 * k : k)) want[at + k / 8] |= (unsigned char)(1 << k % 8);
        assert_int_equal(ptrt_store_mask(&core, 1, &m, NULL, at - offset, offset, dist, 1), 0);
        assert_memory_equal(memory, want, MEMORY);
        assert_int_equal(ptrt_store_mask(&core, 1, &m, &next, at, offset, dist, 0), 0);
        assert_memory_equal(memory, want, MEMORY);
        assert_int_equal(next, at + offset);
        fails(ptrt_store_mask(&core, 1, &m, NULL, at, 8, dist, 0), PTRT_E_ALIGN);
        fails(ptrt_store_mask(&core, 1, &m, NULL, -32, 0, dist, 0), PTRT_E_BOUNDS);
    }
}

/* ---- streams ---- */

static void test_begin(void **state) {
    (void)state;
    for (int n = 0; n < TRIALS; n++) {
        ptrt_align a;
        const int64_t size = INT64_C(1) << random_below(&noise, 4);
        const int64_t at = random_below(&noise, MEMORY / size) * size;
        fill(memory, MEMORY);
        assert_int_equal(ptrt_stream_load(&core, 1, &a, at, size), 0);
        assert_int_equal(a.at, at / 32 * 32);
        assert_int_equal(a.n, 32);
        assert_memory_equal(a.bytes, memory + at / 32 * 32, 32);
        fails(ptrt_stream_load(&core, 1, &a, MEMORY, size), PTRT_E_BOUNDS);
        fails(ptrt_stream_load(&core, 1, &a, 7, 2), PTRT_E_ALIGN);
    }
}

/* What a stream has been given: bytes [first, end) of `want` differ from what memory was. */
typedef struct Model {
    unsigned char was[MEMORY], want[MEMORY];
    int64_t first, end;
} Model;

static void give(Model *s, const void *bytes, int64_t n) {
    memcpy(s->want + s->end, bytes, (size_t)n);
    s->end += n;
}

/* Whole blocks are in memory, the rest is not, and nothing else has changed. */
static void check_blocks(const Model *s, bool ended) {
    unsigned char now[MEMORY];
    const int64_t end = ended ? s->end : s->end / 32 * 32;
    memcpy(now, s->was, MEMORY);
    if (end > s->first) memcpy(now + s->first, s->want + s->first, (size_t)(end - s->first));
    assert_memory_equal(memory, now, MEMORY);
}

static Model begin(int64_t first) {
    Model s = {.first = first, .end = first};
    fill(memory, MEMORY);
    memcpy(s.was, memory, MEMORY);
    memcpy(s.want, memory, MEMORY);
    return s;
}

static void test_registers(void **state) {
    (void)state;
    for (int n = 0; n < TRIALS; n++) {
        const int64_t size = INT64_C(1) << random_below(&noise, 3);
        int64_t at = random_below(&noise, 256) * size, next = 0;
        Model s = begin(at);
        ptrt_align a, b;
        ptrt_stream_store(&a);
        for (int i = 0; i < 8; i++) {
            ptrt_vreg v;
            const int64_t bytes = random_below(&noise, i % 2 ? 256 / size + 1 : 4) * size;
            fill(&v, sizeof v);
            assert_int_equal(ptrt_stream_add(&core, 1, &b, &next, &a, bytes, &v, at, size), 0);
            assert_int_equal(next, at + bytes);
            give(&s, &v, bytes);
            at = next;
            a = b;
            check_blocks(&s, false);
        }
        assert_int_equal(ptrt_stream_end(&core, 1, &next, &a, at, 24, 0), 0);
        assert_int_equal(next, at + 24);
        check_blocks(&s, true);
    }
}

static void test_squeezed(void **state) {
    (void)state;
    for (int n = 0; n < TRIALS; n++) {
        const int64_t base = random_below(&noise, 64) * 4;
        Model s = begin(base);
        ptrt_align a, b;
        uint32_t ar = 0;
        ptrt_stream_store(&a);
        assert_int_equal(ptrt_clear_ar(&core, 1), 0);
        for (int i = 0; i < 6; i++) {
            ptrt_vreg v;
            int64_t next;
            fill(&v, sizeof v);
            const int64_t width = INT64_C(1) << random_below(&noise, 3);
            uint32_t kept = (uint32_t)random_below(&noise, 65) * 4;
            ptrt_mask m;
            fill(&m, sizeof m);
            core.squeezed = kept;
            for (int k = 0; i % 2 && k < 256; k += (int)width)
                kept = (k > 0 ? kept : 0) + (bit_at(&m, k) ? (uint32_t)width : 0);
            assert_int_equal(
                ptrt_stream_squeezed(&core, 1, &b, &a, &v, i % 2 ? &m : NULL, width, base, 1, 1),
                0);
            give(&s, &v, kept);
            ar += kept;
            a = b;
            check_blocks(&s, false);
            assert_int_equal(core.ar, ar);
            assert_int_equal(ptrt_store_ar(&core, 1, &next, 3584, -4, 1), 0);
            assert_int_equal(next, 3580);
            assert_memory_equal(memory + 3584, &ar, 4);
            memcpy(s.was + 3584, &ar, 4);
        }
        core.squeezed = 64; /* without an update */
        ptrt_vreg v;
        fill(&v, sizeof v);
        assert_int_equal(ptrt_stream_squeezed(&core, 1, &b, &a, &v, NULL, 4, base, 1, 0), 0);
        give(&s, &v, 64);
        assert_int_equal(core.ar, ar);
        assert_int_equal(ptrt_stream_end(&core, 1, NULL, &b, base, 0, 1), 0);
        check_blocks(&s, true);
        assert_int_equal(ptrt_clear_ar(&core, 1), 0);
        assert_int_equal(core.ar, 0);
    }
    fails(ptrt_store_ar(&core, 1, NULL, 0, 2, 1), PTRT_E_ALIGN);
    fails(ptrt_store_ar(&core, 1, NULL, 0, MEMORY, 0), PTRT_E_BOUNDS);
}

static void test_mask_stream(void **state) {
    (void)state;
    for (int n = 0; n < TRIALS; n++) {
        const int width = n % 2 ? 2 : 4, lanes = 256 / width;
        int64_t at = random_below(&noise, 256) * width, next = 0;
        Model s = begin(at);
        ptrt_align a, b;
        ptrt_stream_store(&a);
        for (int i = 0; i < 5; i++) {
            unsigned char packed[16] = {0};
            ptrt_mask m;
            fill(&m, sizeof m);
            for (int k = 0; k < lanes; k++)
                if (bit_at(&m, k * width)) packed[k / 8] |= (unsigned char)(1 << k % 8);
            assert_int_equal(ptrt_stream_mask(&core, 1, &b, &next, &a, &m, at, width), 0);
            assert_int_equal(next, at + lanes / 8);
            give(&s, packed, lanes / 8);
            at = next;
            a = b;
            check_blocks(&s, false);
        }
        assert_int_equal(ptrt_stream_end(&core, 1, NULL, &a, at, 0, 0), 0);
        check_blocks(&s, true);
    }
}

/* A stream that jumps loses nothing; one that leaves the memory fails and writes nothing. */
static void test_odd_streams(void **state) {
    Model s = begin(100);
    ptrt_align a, b;
    ptrt_vreg v;
    (void)state;
    fill(&v, sizeof v);
    ptrt_stream_store(&a);
    assert_int_equal(ptrt_stream_end(&core, 1, NULL, &a, -999, 0, 0), 0);
    assert_int_equal(ptrt_stream_add(&core, 1, &b, NULL, &a, 0, &v, -999, 4), 0);
    check_blocks(&s, false);
    assert_int_equal(ptrt_stream_add(&core, 1, &b, NULL, &a, 8, &v, 100, 4), 0);
    check_blocks(&s, false);
    assert_int_equal(ptrt_stream_add(&core, 1, &a, NULL, &b, 4, &v, 1000, 4), 0);
    give(&s, &v, 8);
    check_blocks(&s, true);
    assert_int_equal(a.at, 1000);
    fails_as(ptrt_stream_add(&core, 1, &b, NULL, &a, 260, &v, 1004, 4), PTRT_E_ARG,
             "pto.vstus: 260 bytes of a register that has 256");
    fails_as(ptrt_stream_add(&core, 1, &b, NULL, &a, -4, &v, 1004, 4), PTRT_E_ARG,
             "pto.vstus: -4 bytes of a register that has 256");
    ptrt_stream_store(&a);
    fails(ptrt_stream_add(&core, 1, &b, NULL, &a, 8, &v, MEMORY - 4, 4), PTRT_E_BOUNDS);
    fails(ptrt_stream_add(&core, 1, &b, NULL, &a, 8, &v, INT64_MAX - 3, 4), PTRT_E_BOUNDS);
    fails(ptrt_stream_add(&core, 1, &b, NULL, &a, 8, &v, 102, 4), PTRT_E_ALIGN);
    check_blocks(&s, true);
}

/* Registers and masks as tiles. A register that has no memory is none. */
static void test_show(void **state) {
    ptrt_vreg v;
    ptrt_mask m;
    ptrt_tile t;
    unsigned char lanes[256];
    (void)state;
    fill(&v, sizeof v);
    fill(&m, sizeof m);
    assert_int_equal(ptrt_show_register(&core, 1, PTRT_F16, &v, &t), 0);
    assert_int_equal(t.cols, 128);
    assert_ptr_equal(t.base, &v);
    assert_int_equal(ptrt_show_mask(&core, 1, 4, &m, lanes, &t), 0);
    assert_int_equal(t.cols, 64);
    for (int i = 0; i < 64; i++)
        assert_int_equal(lanes[i], bit_at(&m, 4 * i));
    fails_as(ptrt_show_register(&core, 1, PTRT_F16, NULL, &t), PTRT_E_BOUNDS,
             "a register that cannot be shown");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_load_mask),   cmocka_unit_test(test_store_mask),
        cmocka_unit_test(test_begin),       cmocka_unit_test(test_registers),
        cmocka_unit_test(test_squeezed),    cmocka_unit_test(test_mask_stream),
        cmocka_unit_test(test_odd_streams), cmocka_unit_test(test_show)};
    return cmocka_run_group_tests(tests, set_up, NULL);
}
