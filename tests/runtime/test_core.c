/* SPDX-License-Identifier: Apache-2.0 */
/* test_core.c - launch over threads, errors and their texts, settings, memory of the cores. */
#include "core/core.h"
#include "on_core.h"

#include <pthread.h>
#include <stdio.h>

typedef struct grid {
    int64_t blocks;
    int32_t seen[64][2];
    int64_t wrong;
    int64_t fail_at; /* block that fails; -1: none */
} grid;

static int mark(ptrt_core *core, void *args) {
    grid *g = args;
    int64_t b = ptrt_block_idx(core), s = ptrt_subblock_idx(core);
    if (ptrt_block_num(core) != g->blocks || b < 0 || b >= g->blocks || s < 0 || s > 1) g->wrong++;
    if (b == g->fail_at) return ptrt_fail(core, PTRT_E_ASSERT, 42, "block %d gives up", (int)b);
    g->seen[b][s]++;
    return 0;
}

static const ptrt_kernel vector_kernel = {.name = "k", .file = "k.pto", .vector = mark};

static void expect_seen(const grid *g, int subblocks) {
    for (int64_t b = 0; b < g->blocks; b++)
        for (int s = 0; s < 2; s++)
            assert_int_equal(g->seen[b][s], s < subblocks);
    assert_int_equal(g->wrong, 0);
}

static void test_blocks(void **state) {
    (void)state;
    for (int64_t blocks = 0; blocks <= 64; blocks += 8) {
        grid g = {.blocks = blocks, .fail_at = -1};
        assert_int_equal(ptrt_launch(&vector_kernel, blocks, &g), 0);
        expect_seen(&g, 1);
    }
    grid g = {.blocks = 1, .fail_at = -1};
    assert_int_equal(ptrt_launch(&vector_kernel, 1, &g), 0);
    expect_seen(&g, 1);
}

static void test_threads(void **state) {
    (void)state;
    assert_int_equal(setenv("PTORT_THREADS", "7", 1), 0);
    grid g = {.blocks = 64, .fail_at = -1};
    assert_int_equal(ptrt_launch(&vector_kernel, 64, &g), 0);
    expect_seen(&g, 1);
    unsetenv("PTORT_THREADS");
}

static void test_subblocks(void **state) {
    (void)state;
    assert_int_equal(ptrt_set_subblocks(2), 0);
    grid g = {.blocks = 9, .fail_at = -1};
    assert_int_equal(ptrt_launch(&vector_kernel, 9, &g), 0);
    expect_seen(&g, 2);
    assert_int_equal(ptrt_set_subblocks(3), PTRT_E_ARG);
    assert_int_equal(ptrt_set_subblocks(0), 0);
    grid h = {.blocks = 9, .fail_at = -1};
    assert_int_equal(ptrt_launch(&vector_kernel, 9, &h), 0);
    expect_seen(&h, 1);
}

static void test_failing_block(void **state) {
    (void)state;
    grid g = {.blocks = 64, .fail_at = 33};
    assert_int_equal(ptrt_launch(&vector_kernel, 64, &g), PTRT_E_ASSERT);
    assert_string_equal(ptrt_error(), "k.pto:42: block 33 gives up");
    assert_int_equal(ptrt_launch(&vector_kernel, -1, &g), PTRT_E_ARG);
}

/* Code that was compiled with another kernel table would call other kernels. */
static void test_table(void **state) {
    (void)state;
    grid g = {.blocks = 1, .fail_at = -1};
    ptrt_kernel kernel = vector_kernel;
    kernel.table = PTRT_TABLE;
    assert_int_equal(ptrt_launch(&kernel, 1, &g), 0);
    kernel.table = PTRT_TABLE ^ 1;
    assert_int_equal(ptrt_launch(&kernel, 1, &g), PTRT_E_ARG);
    assert_non_null(strstr(ptrt_error(), "compiled with the header of another libptort"));
    expect_seen(&g, 1);
}

static int silent(ptrt_core *core, void *args) {
    (void)core;
    (void)args;
    return 77;
}

static void test_silent_code(void **state) {
    (void)state;
    const ptrt_kernel kernel = {.name = "quiet", .file = "q.pto", .vector = silent};
    assert_int_equal(ptrt_launch(&kernel, 1, NULL), 77);
    assert_string_equal(ptrt_error(), "q.pto: kernel 'quiet' returned code 77");
    const ptrt_kernel none = {.name = "none", .file = "n.pto"};
    assert_int_equal(ptrt_launch(&none, 4, NULL), 0);
}

/* Errors belong to the thread that launched. */
static void *other_thread(void *arg) {
    (void)arg;
    if (strcmp(ptrt_error(), "") != 0) return "the error of another thread";
    grid g = {.blocks = 2, .fail_at = 1};
    if (ptrt_launch(&vector_kernel, 2, &g) != PTRT_E_ASSERT) return "no failure";
    return strcmp(ptrt_error(), "k.pto:42: block 1 gives up") == 0 ? NULL : "another text";
}

static void test_error_per_thread(void **state) {
    (void)state;
    grid g = {.blocks = 1, .fail_at = 0};
    assert_int_equal(ptrt_launch(&vector_kernel, 1, &g), PTRT_E_ASSERT);
    pthread_t thread;
    void *result = NULL;
    assert_int_equal(pthread_create(&thread, NULL, other_thread, NULL), 0);
    assert_int_equal(pthread_join(thread, &result), 0);
    assert_null(result);
    assert_string_equal(ptrt_error(), "k.pto:42: block 0 gives up");
}

/* A kernel that launches a kernel, as an external function of the user may. */
static int nested(ptrt_core *core, void *args) {
    void *p, *q;
    int code = ptrt_space_at(core, 1, PTRT_VEC, 0, 0, 1, &p);
    if (code != 0) return code;
    memset(p, 0x5A, 64);
    if (args) code = ptrt_launch(&vector_kernel, 2, args);
    if (code == 0) code = ptrt_space_at(core, 1, PTRT_VEC, 0, 0, 1, &q);
    return code == 0 && (q != p || *(unsigned char *)q != 0x5A) ? PTRT_E_ASSERT : code;
}

static void test_nested_launch(void **state) {
    (void)state;
    ptrt_kernel kernel = {.name = "outer", .file = "o.pto", .vector = nested};
    kernel.bytes[PTRT_VEC] = 64;
    grid g = {.blocks = 2, .fail_at = -1};
    assert_int_equal(ptrt_launch(&kernel, 1, &g), 0);
    expect_seen(&g, 1);
}

/* Spaces have the kernel's own sizes, whatever ran before. */
static int touch_end(ptrt_core *core, void *args) {
    void *p;
    return ptrt_space_at(core, 9, PTRT_VEC, *(int64_t *)args, 0, 4, &p);
}

static void test_space_sizes(void **state) {
    (void)state;
    ptrt_kernel kernel = {.name = "s", .file = "s.pto", .vector = touch_end};
    int64_t at = 1020;
    kernel.bytes[PTRT_VEC] = 1024;
    assert_int_equal(ptrt_launch(&kernel, 1, &at), 0);
    kernel.bytes[PTRT_VEC] = 1023;
    assert_int_equal(ptrt_launch(&kernel, 1, &at), PTRT_E_BOUNDS);
    at = -4;
    assert_int_equal(ptrt_launch(&kernel, 1, &at), PTRT_E_BOUNDS);
    kernel.bytes[PTRT_VEC] = UINT64_C(1) << 62;
    assert_int_equal(ptrt_launch(&kernel, 1, &at), PTRT_E_NOMEM);
    kernel.bytes[PTRT_VEC] = 16;
    at = 12;
    assert_int_equal(ptrt_launch(&kernel, 1, &at), 0);
}

static int core_kinds(ptrt_core *core, void *args) {
    int *count = args;
    count[ptrt_core_is_cube(core) ? 0 : 1 + ptrt_subblock_idx(core)]++;
    return ptrt_subblock_num(core) == 2 && !core->checked ? 0 : PTRT_E_ASSERT;
}

static void test_mixed_block(void **state) {
    (void)state;
    const ptrt_kernel kernel = {
        .name = "m", .file = "m.pto", .cube = core_kinds, .vector = core_kinds};
    int count[3] = {0};
    assert_int_equal(ptrt_launch(&kernel, 1, count), 0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(count[i], 1);
}

static int use_tile(ptrt_core *core, void *args) {
    (void)args;
    static const ptrt_tile_type type = {
        .elem = PTRT_F32, .space = PTRT_VEC, .fractal = 512, .rows = 8, .cols = 8};
    ptrt_tile t;
    int code = ptrt_tile_bind(core, &type, 0, 8, 8, 1, &t);
    return code ? code : ptrt_maps_f(core, 17, PTRT_TADDS, &t, 1.0, &t);
}

static void see(void *user, const ptrt_core *core, uint32_t line, const char *op, const char *name,
                int role, const ptrt_tile *tile) {
    (void)core;
    size_t n = strlen(user);
    snprintf((char *)user + n, 128 - n, "%s %s %d @%u %llu;", op, name, role, line,
             (unsigned long long)tile->bytes);
}

static void test_access_hook(void **state) {
    (void)state;
    char text[128] = "";
    ptrt_kernel kernel = {.name = "h", .file = "h.pto", .vector = use_tile};
    kernel.bytes[PTRT_VEC] = 256;
    assert_true(ptrt_set_access_hook(see, text));
    assert_int_equal(ptrt_launch(&kernel, 1, NULL), 0);
    assert_string_equal(text, "pto.tadds src 1 @17 256;pto.tadds dst 2 @17 256;");
    ptrt_set_access_hook(NULL, NULL);
    text[0] = '\0';
    assert_int_equal(ptrt_launch(&kernel, 1, NULL), 0);
    assert_string_equal(text, "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_subblocks),
        cmocka_unit_test(test_failing_block),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_silent_code),
        cmocka_unit_test(test_error_per_thread),
        cmocka_unit_test(test_nested_launch),
        cmocka_unit_test(test_space_sizes),
        cmocka_unit_test(test_mixed_block),
        cmocka_unit_test(test_access_hook),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
