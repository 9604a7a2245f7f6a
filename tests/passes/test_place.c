/* SPDX-License-Identifier: Apache-2.0 */
/* Placement of intervals, without a program: what is placed never shares bytes while alive. */
#include "passes/place.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

typedef struct Fixture {
    Arena arena;
    jmp_buf oom;
} Fixture;

static int set_up(void **state) {
    Fixture *f = calloc(1, sizeof *f);
    arena_init(&f->arena, &f->oom);
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    Fixture *f = *state;
    arena_free(&f->arena);
    free(f);
    return 0;
}

static PlaceItem **pointers(Arena *a, PlaceItem *items, uint32_t n) {
    PlaceItem **p = ARENA_ARRAY(a, PlaceItem *, n);
    for (uint32_t i = 0; i < n; i++)
        p[i] = &items[i];
    return p;
}

static void check_disjoint(const PlaceItem *items, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = i + 1; k < n; k++) {
            bool together = items[i].start <= items[k].end && items[k].start <= items[i].end;
            bool overlap = items[i].addr < items[k].addr + items[k].size &&
                           items[k].addr < items[i].addr + items[i].size;
            assert_false(together && overlap);
        }
}

static void small_programs_lie_in_sequence(void **state) {
    Fixture *f = *state;
    PlaceItem items[] = {{.start = 1, .end = 2, .size = 512}, {.start = 3, .end = 4, .size = 256}};
    PlaceSpace space = {.alignment = 256, .limit = 1024, .sequential = 1024};
    int64_t needed;
    assert_true(place_items(&f->arena, &space, pointers(&f->arena, items, 2), 2, &needed));
    assert_int_equal(items[0].addr, 0);
    assert_int_equal(items[1].addr, 512);
}

static void a_full_space_reuses(void **state) {
    Fixture *f = *state;
    /* Together exactly the capacity: not below it, so the second takes the bytes of the first. */
    PlaceItem items[] = {{.start = 1, .end = 2, .size = 512}, {.start = 3, .end = 4, .size = 512}};
    PlaceSpace space = {.alignment = 256, .limit = 1024, .sequential = 1024};
    int64_t needed;
    assert_true(place_items(&f->arena, &space, pointers(&f->arena, items, 2), 2, &needed));
    assert_int_equal(items[0].addr, 0);
    assert_int_equal(items[1].addr, 0);
    items[1].start = 2; /* now alive where the first still is */
    assert_true(place_items(&f->arena, &space, pointers(&f->arena, items, 2), 2, &needed));
    assert_int_equal(items[1].addr, 512);
}

/* What is reserved is beside every tile, also the dead ones. Tiles share bytes when it would have
 * no place behind them. */
static void reserved_items_come_after_tiles(void **state) {
    Fixture *f = *state;
    PlaceItem items[] = {{.end = 9, .size = 500, .turn = PLACE_RESERVED},
                         {.start = 1, .end = 1, .size = 256},
                         {.start = 2, .end = 2, .size = 256},
                         {.start = 3, .end = 3, .size = 256},
                         {.start = 1, .end = 2, .size = 256, .turn = PLACE_IDLE}};
    PlaceSpace space = {.alignment = 256, .limit = 1280, .sequential = 1280};
    int64_t needed;
    assert_true(place_items(&f->arena, &space, pointers(&f->arena, items, 5), 5, &needed));
    assert_int_equal(items[3].addr, 512);
    assert_int_equal(items[0].addr, 768);
    items[0].size = 513; /* one byte too many behind the tiles */
    assert_true(place_items(&f->arena, &space, pointers(&f->arena, items, 5), 5, &needed));
    assert_int_equal(items[3].addr, 0);
    assert_int_equal(items[0].addr, 256);
    assert_int_equal(items[4].addr, 1024);
    items[0].size = 1025;
    assert_false(place_items(&f->arena, &space, pointers(&f->arena, items, 5), 5, &needed));
    assert_int_equal(needed, 1281);
}

static void blocked_ranges_and_minimum_are_kept(void **state) {
    Fixture *f = *state;
    PlaceRange blocked[] = {{600, 700}, {256, 512}, {300, 620}};
    PlaceItem items[] = {{.start = 1, .end = 9, .size = 256},
                         {.start = 1, .end = 9, .size = 256},
                         {.start = 1, .end = 9, .size = 256, .min = 1500}};
    PlaceSpace space = {.alignment = 256, .limit = 4096, .blocked = blocked, .nblocked = 3};
    int64_t needed;
    assert_true(place_items(&f->arena, &space, pointers(&f->arena, items, 3), 3, &needed));
    assert_int_equal(items[0].addr, 0);
    assert_int_equal(items[1].addr, 768);
    assert_int_equal(items[2].addr, 1536);
    assert_int_equal(needed, 1792);
}

static void ignored_tiles_come_last(void **state) {
    Fixture *f = *state;
    PlaceItem items[] = {{.start = 1, .end = 2, .size = 256, .turn = PLACE_IDLE},
                         {.start = 2, .end = 3, .size = 256}};
    PlaceSpace space = {.alignment = 256, .limit = 1024, .sequential = 1024};
    int64_t needed;
    assert_true(place_items(&f->arena, &space, pointers(&f->arena, items, 2), 2, &needed));
    assert_int_equal(items[1].addr, 0);
    assert_int_equal(items[0].addr, 256);
    space.limit = 256; /* there is room for one */
    assert_true(place_items(&f->arena, &space, pointers(&f->arena, items, 2), 2, &needed));
    assert_int_equal(items[1].addr, 0);
    assert_true(needed <= 256);
}

static void decreasing_size_rescues_a_fragmented_space(void **state) {
    Fixture *f = *state;
    /* In the order of birth the small long-lived tile comes after the first one and cuts the space.
     */
    PlaceItem items[] = {{.start = 1, .end = 2, .size = 512},
                         {.start = 2, .end = 9, .size = 256},
                         {.start = 3, .end = 4, .size = 768}};
    PlaceSpace space = {.alignment = 256, .limit = 1024};
    int64_t needed;
    assert_true(place_items(&f->arena, &space, pointers(&f->arena, items, 3), 3, &needed));
    check_disjoint(items, 3);
    assert_true(needed <= 1024);
}

static void overflow_says_what_it_needs(void **state) {
    Fixture *f = *state;
    PlaceItem items[] = {{.start = 1, .end = 3, .size = 512}, {.start = 2, .end = 4, .size = 768}};
    PlaceItem **p = pointers(&f->arena, items, 2);
    PlaceSpace space = {.alignment = 256, .limit = 1024, .sequential = 1024};
    int64_t needed;
    uint32_t position;
    assert_false(place_items(&f->arena, &space, p, 2, &needed));
    assert_int_equal(needed, 1280);
    assert_int_equal(place_peak(&f->arena, p, 2, &position), 1280);
    assert_int_equal(position, 2);
}

static uint32_t next_random(uint32_t *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static void random_programs_stay_disjoint(void **state) {
    Fixture *f = *state;
    enum { N = 400, ROUNDS = 40 };
    uint32_t seed = 7;
    PlaceItem *items = ARENA_ARRAY(&f->arena, PlaceItem, N);
    for (int round = 0; round < ROUNDS; round++) {
        PlaceRange blocked[] = {{1024, 1500}, {9000, 9001}};
        PlaceSpace space = {.alignment = 256,
                            .limit = round % 2 == 0 ? INT64_MAX : 16384,
                            .blocked = blocked,
                            .nblocked = 2};
        uint32_t at = 0, position;
        for (int i = 0; i < N; i++) {
            at += next_random(&seed) % 3;
            items[i] = (PlaceItem){.start = at,
                                   .end = at + next_random(&seed) % 20,
                                   .size = 256 * (1 + next_random(&seed) % 6),
                                   .min = next_random(&seed) % 8 == 0 ? 3000 : 0,
                                   .turn = next_random(&seed) % 16 == 0 ? PLACE_IDLE : PLACE_TILE};
        }
        PlaceItem **p = pointers(&f->arena, items, N);
        int64_t needed;
        place_items(&f->arena, &space, p, N, &needed);
        check_disjoint(items, N);
        if (space.limit == INT64_MAX) /* else ignored tiles lie past the limit */
            assert_true(needed >= place_peak(&f->arena, p, N, &position));
        for (int i = 0; i < N; i++) {
            assert_int_equal(items[i].addr % 256, 0);
            assert_true(items[i].addr >= items[i].min);
            for (int k = 0; k < 2; k++)
                assert_false(items[i].addr < blocked[k].hi &&
                             blocked[k].lo < items[i].addr + items[i].size);
        }
    }
}

/* 100,000 tiles, of which many are alive at a time: done in well under a second. */
static void many_tiles_are_no_burden(void **state) {
    Fixture *f = *state;
    enum { N = 100000 };
    uint32_t seed = 3;
    PlaceItem *items = ARENA_ARRAY(&f->arena, PlaceItem, N);
    for (uint32_t i = 0; i < N; i++)
        items[i] = (PlaceItem){.start = i,
                               .end = i + next_random(&seed) % 2000,
                               .size = 256 * (1 + next_random(&seed) % 64)};
    PlaceSpace space = {.alignment = 256, .limit = (int64_t)1 << 40};
    int64_t needed;
    uint32_t position;
    PlaceItem **p = pointers(&f->arena, items, N);
    assert_true(place_items(&f->arena, &space, p, N, &needed));
    int64_t peak = place_peak(&f->arena, p, N, &position);
    assert_true(needed >= peak);
    assert_true(needed < peak * 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(small_programs_lie_in_sequence, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_full_space_reuses, set_up, tear_down),
        cmocka_unit_test_setup_teardown(reserved_items_come_after_tiles, set_up, tear_down),
        cmocka_unit_test_setup_teardown(blocked_ranges_and_minimum_are_kept, set_up, tear_down),
        cmocka_unit_test_setup_teardown(ignored_tiles_come_last, set_up, tear_down),
        cmocka_unit_test_setup_teardown(decreasing_size_rescues_a_fragmented_space, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(overflow_says_what_it_needs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(random_programs_stay_disjoint, set_up, tear_down),
        cmocka_unit_test_setup_teardown(many_tiles_are_no_burden, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
