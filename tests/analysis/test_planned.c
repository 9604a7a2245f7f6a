/* SPDX-License-Identifier: Apache-2.0 */
/* With the planner's addresses every access to a tile has a place in on-chip memory, those of
 * scratch tiles that the text leaves out included. */
#include "../passes/program.h"
#include "analysis/effects.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define T "!pto.tile_buf<vec, 32x32xf32>"
#define C "!pto.tile_buf<vec, 32x8xf32, valid=32x1>"
#define M "!pto.multi_tile_buf<vec, 32x32xf32, count=2>"

enum { MOST = 8 };

static const char sums[] = "func.func @k(%n: index) {\n"
                           "  %one = arith.constant 1 : index\n"
                           "  %f = arith.constant 2.0 : f32\n"
                           "  %a = pto.alloc_tile : " T "\n"
                           "  %s = pto.alloc_tile : " C "\n"
                           "  %b = pto.alloc_tile : " T "\n"
                           "  pto.texpands ins(%f : f32) outs(%a : " T ")\n"
                           "  scf.for %i = %one to %n step %one {\n"
                           "    pto.trowsum ins(%a : " T ") outs(%s : " C ")\n"
                           "    pto.tabs ins(%a : " T ") outs(%b : " T ")\n"
                           "    pto.tneg ins(%b : " T ") outs(%a : " T ")\n"
                           "  }\n"
                           "  return\n}\n";

typedef struct Check {
    Effects effects;
    const Alias *planned, *plain;
    unsigned accesses, scratch;
} Check;

/* Those that a statement writes share a byte with the others only if they are the same tile. */
static void check_apart_places(const Access *list, const AliasSet *places, size_t n) {
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            if (i != k && list[i].write &&
                (list[i].value == NULL || list[i].value != list[k].value))
                assert_int_equal(alias_sets_overlap(places[i], places[k]), OVERLAP_NO);
}

static bool check_op(Op *op, void *arg) {
    Check *c = arg;
    Access list[MOST];
    AliasSet places[MOST];
    Place rooms[MOST], room;
    const size_t n = op_accesses(&c->effects, op, list, MOST);
    assert_true(n <= MOST);
    for (size_t i = 0; i < n; i++) {
        places[i] = access_places(c->planned, op, &list[i], &rooms[i]);
        assert_int_equal(places[i].n, 1);
        assert_int_equal(places[i].places[0].base, BASE_ADDRESS);
        if (list[i].value != NULL)
            assert_int_not_equal(access_places(c->plain, op, &list[i], &room).places[0].base,
                                 BASE_ADDRESS);
        assert_true(list[i].value != NULL || (list[i].scratch && list[i].tmp != NULL));
        c->scratch += list[i].value == NULL;
        c->accesses++;
    }
    check_apart_places(list, places, n);
    return true;
}

static Check check_program(const char *text, Profile profile) {
    Program *p = program_new(text, profile);
    Plan plan = program_plan(p, profile);
    Op *func = plan.functions[0].func != NULL ? (Op *)(uintptr_t)plan.functions[0].func : NULL;
    Check c = {.effects = {.ctx = &p->ctx, .profile = profile, .plan = &plan}};
    c.planned = alias_planned(&p->ctx.arena, &p->ctx, func, &plan);
    c.plain = alias_function(&p->ctx.arena, &p->ctx, func);
    op_walk(func, check_op, &c);
    program_free(p);
    return c;
}

static void tiles_have_addresses(void **state) {
    (void)state;
    const Check a2a3 = check_program(sums, PROFILE_A2A3), a5 = check_program(sums, PROFILE_A5);
    assert_int_equal(a5.accesses, 7);
    assert_int_equal(a5.scratch, 0);
    assert_int_equal(a2a3.accesses, 8); /* the scratch tile of the sum */
    assert_int_equal(a2a3.scratch, 1);
}

static void results_have_addresses(void **state) {
    (void)state;
    static const char text[] = "func.func @k(%f: f32) {\n"
                               "  %a = pto.texpands %f : f32 -> !pto.tile<vec, 32x32xf32>\n"
                               "  %b = pto.trowmax %a : !pto.tile<vec, 32x32xf32> -> "
                               "!pto.tile<vec, 32x8xf32, valid=32x1>\n"
                               "  return\n}\n";
    const Check c = check_program(text, PROFILE_A2A3);
    assert_int_equal(c.accesses, 4);
    assert_int_equal(c.scratch, 1);
}

static void slots_are_apart(void **state) {
    (void)state;
    static const char text[] = "func.func @k() {\n"
                               "  %zero = arith.constant 0 : index\n"
                               "  %one = arith.constant 1 : index\n"
                               "  %m = pto.alloc_multi_tile : " M "\n"
                               "  %a = pto.multi_tile_get %m[%zero] : " M " -> " T "\n"
                               "  %b = pto.multi_tile_get %m[%one] : " M " -> " T "\n"
                               "  pto.tabs ins(%a : " T ") outs(%b : " T ")\n"
                               "  return\n}\n";
    assert_int_equal(check_program(text, PROFILE_A5).accesses, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(tiles_have_addresses),
                                       cmocka_unit_test(results_have_addresses),
                                       cmocka_unit_test(slots_are_apart)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
