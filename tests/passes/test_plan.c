/* SPDX-License-Identifier: Apache-2.0 */
/* Memory planning: addresses of programs, and what a program that does not fit is told. */
#include "program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define T "!pto.tile<vec, 16x16xi16>"
#define B "!pto.tile_buf<vec, 16x16xi16>"     /* 512 bytes */
#define S "!pto.tile_buf<vec, 1x16xi16>"      /* 32 bytes */
#define BIG "!pto.tile_buf<vec, 128x256xi16>" /* 65,536 bytes */
#define K(body) "func.func @k(%a: " B ", %k: i16) {\n" body "  return\n}\n"
#define LOOP                                                                                       \
    "  %c0 = arith.constant 0 : index\n"                                                           \
    "  %c1 = arith.constant 1 : index\n"                                                           \
    "  %c4 = arith.constant 4 : index\n"

static const PlanSlot *slot_of(Program *p, const Plan *plan, const char *name) {
    return plan_value(plan, program_value(p, name));
}

static void allocations_lie_in_order_of_use(void **state) {
    (void)state;
    const char *text = K("  %x = pto.alloc_tile : " S "\n"
                         "  %y = pto.alloc_tile : " B "\n"
                         "  %unused = pto.alloc_tile : " B "\n"
                         "  pto.texpands ins(%k : i16) outs(%y : " B ")\n"
                         "  pto.texpands ins(%k : i16) outs(%x : " S ")\n"
                         "  pto.tadds ins(%y, %k : " B ", i16) outs(%y : " B ")\n");
    for (int i = 0; i < PROFILE_COUNT; i++) {
        Program *p = program_new(text, (Profile)i);
        Plan plan = program_plan(p, (Profile)i);
        assert_int_equal(program_address(p, &plan, "y"), 0);
        assert_int_equal(program_address(p, &plan, "x"), 512);
        assert_int_equal(program_address(p, &plan, "unused"), 0);
        assert_null(slot_of(p, &plan, "a"));
        assert_int_equal(plan.functions[0].bytes[SPACE_VEC], 512 + 32);
        assert_int_equal(plan.functions[0].bytes[SPACE_MAT], 0);
        program_free(p);
    }
}

static void alignment_is_that_of_the_space(void **state) {
    (void)state;
    Program *p = program_new(K("  %x = pto.alloc_tile : " S "\n"
                               "  %y = pto.alloc_tile : " S "\n"
                               "  pto.texpands ins(%k : i16) outs(%x : " S ")\n"
                               "  pto.texpands ins(%k : i16) outs(%y : " S ")\n"),
                             PROFILE_A2A3);
    Plan plan = program_plan(p, PROFILE_A2A3);
    assert_int_equal(program_address(p, &plan, "x"), 0);
    assert_int_equal(program_address(p, &plan, "y"), 256);
    program_free(p);
}

/* Three tiles of 64 KiB would fill the 192 KiB of a2a3: the third takes the bytes of a dead one. */
static void a_full_space_is_reused(void **state) {
    (void)state;
    const char *text = K("  %x = pto.alloc_tile : " BIG "\n"
                         "  %y = pto.alloc_tile : " BIG "\n"
                         "  %z = pto.alloc_tile : " BIG "\n"
                         "  pto.texpands ins(%k : i16) outs(%x : " BIG ")\n"
                         "  pto.texpands ins(%k : i16) outs(%y : " BIG ")\n"
                         "  pto.tadd ins(%x, %y : " BIG ", " BIG ") outs(%y : " BIG ")\n"
                         "  pto.tadds ins(%y, %k : " BIG ", i16) outs(%z : " BIG ")\n");
    Program *p = program_new(text, PROFILE_A2A3);
    Plan plan = program_plan(p, PROFILE_A2A3);
    assert_int_equal(program_address(p, &plan, "x"), 0);
    assert_int_equal(program_address(p, &plan, "y"), 65536);
    assert_int_equal(program_address(p, &plan, "z"), 0);
    plan = program_plan(p, PROFILE_A5); /* 248 KiB: no reuse */
    assert_int_equal(program_address(p, &plan, "z"), 131072);
    program_free(p);
}

#define FILL(x) "  pto.texpands ins(%k : i16) outs(%" x " : " BIG ")\n"
#define ALLOC(x) "  %" x " = pto.alloc_tile : " BIG "\n"

static void overflow_names_the_tiles(void **state) {
    (void)state;
    Program *p = program_new(
        K(ALLOC("p") ALLOC("q") ALLOC("r") ALLOC("s") FILL("p") FILL("q") FILL("r")
              FILL("s") "  pto.tadd ins(%p, %q : " BIG ", " BIG ") outs(%p : " BIG ")\n"
                        "  pto.tadd ins(%r, %s : " BIG ", " BIG ") outs(%p : " BIG ")\n"),
        PROFILE_A2A3);
    Plan plan;
    PlanOptions opt = {.profile = PROFILE_A2A3};
    assert_false(passes_plan(p->module, &opt, NULL));
    diag_init(&p->ctx.diags, &p->ctx.arena, 0);
    assert_false(passes_plan(p->module, &opt, &plan));
    const char *said = program_diagnostics(p);
    const char *wanted[] = {"[capacity]",
                            "@k needs 262144 bytes of vec, profile a2a3 has 196608",
                            "test.pto:2:3: note: %p takes 65536 bytes",
                            "test.pto:3:3: note: %q takes 65536 bytes",
                            "test.pto:4:3: note: %r takes 65536 bytes",
                            "test.pto:5:3: note: %s takes 65536 bytes"};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        if (strstr(said, wanted[i]) == NULL) fail_msg("expected '%s' in:\n%s", wanted[i], said);
    assert_int_equal(p->ctx.diags.errors, 1);
    program_free(p);
}

/* The memory of an analysis is given back; a verdict without a plan leaves next to nothing. */
static void a_verdict_takes_no_memory(void **state) {
    (void)state;
    static char text[128 * 1024];
    size_t len = 0;
    for (int i = 0; i < 300; i++)
        len += (size_t)snprintf(
            text + len, sizeof text - len, "func.func @k%d(%%k: i16) {\n%s%s%s  return\n}\n", i,
            ALLOC("p") FILL("p"), i > 0 ? "  func.call @k0(%k) : (i16) -> ()\n" : "", FILL("p"));
    Program *p = program_new(text, PROFILE_A2A3);
    PlanOptions opt = {.profile = PROFILE_A2A3};
    size_t before = p->ctx.arena.total;
    for (int i = 0; i < 50; i++)
        assert_true(passes_plan(p->module, &opt, NULL));
    assert_true(p->ctx.arena.total - before <= (size_t)64 * 1024);
    Plan plan = program_plan(p, PROFILE_A2A3);
    assert_int_equal(plan.functions[299].bytes[SPACE_VEC], 131072);
    program_free(p);
}

static void the_cpu_has_no_capacity(void **state) {
    (void)state;
    Program *p = program_new(
        K(ALLOC("p") ALLOC("q") ALLOC("r") ALLOC("s") FILL("p") FILL("q") FILL("r")
              FILL("s") "  pto.tadd ins(%p, %q : " BIG ", " BIG ") outs(%p : " BIG ")\n"
                        "  pto.tadd ins(%r, %s : " BIG ", " BIG ") outs(%p : " BIG ")\n"),
        PROFILE_CPU);
    Plan plan = program_plan(p, PROFILE_CPU);
    assert_int_equal(plan.functions[0].bytes[SPACE_VEC], 262144);
    program_free(p);
}

/* SSA results with the source dying at the instruction, before and after the conversion. The space
 * is filled so that planning must reuse. */
#define FORBIDDEN(inst)                                                                            \
    K(ALLOC("w") FILL("w") "  %s = pto.tadds %w, %k : (" BIG ", i16) -> " BIG "\n"                 \
                           "  %d = pto." inst " %s, %k : (" BIG ", i16) -> " BIG "\n"              \
                           "  %e = pto.tadds %d, %k : (" BIG ", i16) -> " BIG "\n")

static void forbidden_overlaps(const char *text, const char *inst, Profile profile) {
    Program *p = program_new(text, profile);
    for (int converted = 0; converted < 2; converted++) {
        Plan plan = program_plan(p, profile);
        const Op *op = program_op(p, inst);
        const PlanSlot *src = plan_value(&plan, named_value(op, OPERAND_src));
        const PlanSlot *dst = plan_value(&plan, named_value(op, OPERAND_dst));
        check_apart(src, dst);
        const PlanTmp *tmp = plan_tmp(&plan, op);
        assert_int_equal(tmp != NULL, inst_tmp(op->inst, (Profile)profile) != TMP_NONE);
        if (tmp != NULL) {
            assert_int_equal(tmp->slot.bytes, 65536);
            check_apart(src, &tmp->slot);
            check_apart(dst, &tmp->slot);
        }
        if (converted == 0) program_dps(p, profile);
    }
    program_free(p);
}

static void forbidden_operands_never_overlap(void **state) {
    (void)state;
    for (int profile = 0; profile < PROFILE_COUNT; profile++) {
        forbidden_overlaps(FORBIDDEN("tands"), "pto.tands", (Profile)profile);
        forbidden_overlaps(FORBIDDEN("txors"), "pto.txors", (Profile)profile);
    }
}

static void a_loop_keeps_tiles_from_outside_alive(void **state) {
    (void)state;
    /* In the order of the text %x is dead after its use, but the next iteration needs it again. */
    const char *text =
        K(LOOP ALLOC("w") ALLOC("x") ALLOC("y") FILL("w")
              FILL("x") "  scf.for %i = %c0 to %c4 step %c1 {\n"
                        "    pto.tadds ins(%x, %k : " BIG ", i16) outs(%w : " BIG ")\n"
                        "    pto.tadds ins(%w, %k : " BIG ", i16) outs(%w : " BIG ")\n"
                        "    %z = pto.alloc_tile : " B "\n"
                        "    pto.texpands ins(%k : i16) outs(%z : " B ")\n"
                        "  }\n" FILL("y"));
    Program *p = program_new(text, PROFILE_A2A3);
    Plan plan = program_plan(p, PROFILE_A2A3);
    check_apart(slot_of(p, &plan, "x"), slot_of(p, &plan, "z"));
    check_apart(slot_of(p, &plan, "x"), slot_of(p, &plan, "w"));
    check_apart(slot_of(p, &plan, "w"), slot_of(p, &plan, "z"));
    assert_int_equal(program_address(p, &plan, "y"), 0); /* after the loop all is free again */
    program_free(p);
}

static void carried_tiles_live_through_the_loop(void **state) {
    (void)state;
    const char *text = K(
        LOOP "  %n0 = pto.get_block_num\n  %many = arith.index_cast %n0 : i64 to index\n" ALLOC("w")
            FILL("w") "  %r = scf.for %i = %c0 to %many step %c1 iter_args(%x = %w) -> (" BIG
                      ") {\n"
                      "    %t = pto.texpands %k : (i16) -> " B "\n"
                      "    %n = pto.tadds %x, %k : (" BIG ", i16) -> " BIG "\n"
                      "    scf.yield %n : " BIG "\n"
                      "  }\n"
                      "  %u = pto.texpands %k : (i16) -> " B "\n"
                      "  %v = pto.tadds %w, %k : (" BIG ", i16) -> " BIG "\n"
                      "  %z = pto.tadd %r, %v : (" BIG ", " BIG ") -> " BIG "\n");
    Program *p = program_new(text, PROFILE_A5);
    Plan plan;
    PlanOptions opt = {.profile = PROFILE_A2A3};
    assert_false(passes_plan(p->module, &opt, &plan)); /* %w, %n, %v and %z at once */
    plan = program_plan(p, PROFILE_CPU);
    check_apart(slot_of(p, &plan, "w"), slot_of(p, &plan, "n"));
    check_apart(slot_of(p, &plan, "t"), slot_of(p, &plan, "n"));
    check_apart(slot_of(p, &plan, "u"), slot_of(p, &plan, "n")); /* %r may be %n */
    check_apart(slot_of(p, &plan, "v"), slot_of(p, &plan, "n"));
    check_apart(slot_of(p, &plan, "v"),
                slot_of(p, &plan, "w")); /* or %w, after no iteration, which %v needs too */
    check_apart(slot_of(p, &plan, "z"), slot_of(p, &plan, "n"));
    assert_null(slot_of(p, &plan, "r"));
    program_free(p);
}

static void planning_goes_around_bound_tiles(void **state) {
    (void)state;
    Program *p = program_new(K("  %at = arith.constant 512 : i64\n"
                               "  pto.tassign %a, @tile(0)\n"
                               "  %m = pto.alloc_tile addr = %at : " B "\n"
                               "  %x = pto.tadds %a, %k : (" B ", i16) -> " T "\n"
                               "  pto.tassign %x, @tile(0x600)\n"
                               "  %y = pto.tands %x, %k : (" T ", i16) -> " T "\n"
                               "  %z = pto.txors %y, %k : (" T ", i16) -> " T "\n"
                               "  pto.tadd ins(%y, %z : " T ", " T ") outs(%m : " B ")\n"),
                             PROFILE_A2A3);
    Plan plan = program_plan(p, PROFILE_A2A3);
    assert_int_equal(program_address(p, &plan, "a"), 0);
    assert_int_equal(program_address(p, &plan, "m"), 512);
    assert_int_equal(program_address(p, &plan, "x"), 0x600);
    assert_true(slot_of(p, &plan, "a")->bound && slot_of(p, &plan, "m")->bound &&
                slot_of(p, &plan, "x")->bound);
    assert_int_equal(program_address(p, &plan, "y"), 1024); /* the hole in between */
    assert_int_equal(program_address(p, &plan, "z"), 2560);
    assert_int_equal(plan_tmp(&plan, program_op(p, "pto.txors"))->slot.addr, 2048);
    assert_int_equal(plan.functions[0].bytes[SPACE_VEC], 3072);
    program_free(p);
}

static void computed_addresses_push_planned_tiles_away(void **state) {
    (void)state;
    Program *p = program_new("func.func @k(%at: i64, %k: i16) {\n"
                             "  %x = pto.alloc_tile addr = %at : " B "\n"
                             "  pto.texpands ins(%k : i16) outs(%x : " B ")\n"
                             "  %y = pto.tands %x, %k : (" B ", i16) -> " T "\n"
                             "  return\n}\n",
                             PROFILE_CPU);
    Plan plan = program_plan(p, PROFILE_CPU);
    assert_null(slot_of(p, &plan, "x"));
    assert_true(plan.functions[0].dynamic[SPACE_VEC]);
    int64_t reach = profile_dynamic_reach(PROFILE_CPU, SPACE_VEC);
    assert_int_equal(program_address(p, &plan, "y"), reach);
    assert_int_equal(plan.functions[0].bytes[SPACE_VEC], reach + 512);
    program_free(p);
}

static void callees_lie_below_what_lives_across_the_call(void **state) {
    (void)state;
    Program *p = program_new("func.func @k(%k: i16) {\n"
                             "  %x = pto.alloc_tile : " B "\n"
                             "  %y = pto.alloc_tile : " B "\n"
                             "  pto.texpands ins(%k : i16) outs(%x : " B ")\n"
                             "  pto.texpands ins(%k : i16) outs(%y : " B ")\n"
                             "  func.call @f(%x, %k) : (" B ", i16) -> ()\n"
                             "  %z = pto.alloc_tile : " B "\n"
                             "  pto.texpands ins(%k : i16) outs(%z : " B ")\n"
                             "  return\n}\n"
                             "func.func private @f(%t: " B ", %k: i16) {\n"
                             "  %u = pto.alloc_tile : " B "\n"
                             "  pto.tands ins(%t, %k : " B ", i16) outs(%u : " B ")\n"
                             "  pto.tadds ins(%u, %k : " B ", i16) outs(%t : " B ")\n"
                             "  return\n}\n",
                             PROFILE_A2A3);
    Plan plan = program_plan(p, PROFILE_A2A3);
    assert_int_equal(program_address(p, &plan, "u"), 0);
    assert_int_equal(program_address(p, &plan, "x"), 512); /* alive across the call */
    assert_int_equal(program_address(p, &plan, "y"), 0);   /* dead before it */
    assert_int_equal(program_address(p, &plan, "z"), 0);   /* born after it */
    const PlanFunction *f = plan_function(&plan, program_op(p, "func.func"));
    assert_non_null(f);
    assert_int_equal(f->bytes[SPACE_VEC], 1024);
    program_free(p);
}

static void tile_results_of_calls_have_a_place(void **state) {
    (void)state;
    Program *p = program_new("func.func private @f(%t: " B ", %k: i16) -> " B " {\n"
                             "  %u = pto.tands %t, %k : (" B ", i16) -> " B "\n"
                             "  return %u : " B "\n}\n"
                             "func.func private @k(%k: i16) {\n"
                             "  %x = pto.texpands %k : (i16) -> " B "\n"
                             "  %y = func.call @f(%x, %k) : (" B ", i16) -> " B "\n"
                             "  %z = pto.tadd %x, %y : (" B ", " B ") -> " B "\n"
                             "  return\n}\n",
                             PROFILE_A2A3);
    Plan plan = program_plan(p, PROFILE_A2A3);
    check_apart(slot_of(p, &plan, "x"), slot_of(p, &plan, "y"));
    check_apart(slot_of(p, &plan, "u"), slot_of(p, &plan, "x")); /* alive across the call */
    check_apart(slot_of(p, &plan, "u"), slot_of(p, &plan, "y")); /* written when @f returns */
    program_free(p);
}

/* 20,000 loops, each carrying the tile of the one before: time and memory stay linear. As they run
 * at least once, the tile of the one before is dead after each. */
static void chained_loops_are_no_burden(void **state) {
    (void)state;
    enum { LOOPS = 20000, ROOM = 512 };
    char *text = malloc((size_t)LOOPS * ROOM);
    assert_non_null(text);
    size_t n = (size_t)sprintf(text, "func.func @k(%%r0: " B ", %%k: i16) {\n"
                                     "%%c0 = arith.constant 0 : index\n"
                                     "%%c1 = arith.constant 1 : index\n");
    for (int i = 1; i < LOOPS; i++)
        n += (size_t)sprintf(text + n,
                             "%%r%d = scf.for %%i%d = %%c0 to %%c1 step %%c1 iter_args(%%a%d = "
                             "%%r%d) -> (" B ") {\n"
                             "%%n%d = pto.tadds %%a%d, %%k : (" B ", i16) -> " B "\n"
                             "scf.yield %%n%d : " B "\n}\n",
                             i, i, i, i - 1, i, i, i);
    strcpy(text + n, "return\n}\n");
    Program *p = program_new(text, PROFILE_A2A3);
    assert_true(passes_to_dps(p->module, PROFILE_A2A3));
    Plan plan = program_plan(p, PROFILE_A2A3);
    assert_true(plan.functions[0].bytes[SPACE_VEC] <= 196608);
    program_free(p);
    free(text);
}

/* Reuse in the printed DPS never makes a program too large. */
static void conversion_does_not_cost_memory(void **state) {
    (void)state;
#define OTHER "!pto.tile_buf<vec, 256x128xi16>"
#define PHASE(t, ty)                                                                               \
    "  %" t "0 = pto.texpands %k : (i16) -> " ty "\n"                                              \
    "  %" t "1 = pto.texpands %k : (i16) -> " ty "\n"                                              \
    "  %" t "2 = pto.tadd %" t "0, %" t "1 : (" ty ", " ty ") -> " ty "\n"
    Program *p = program_new(K(PHASE("a", BIG) PHASE("b", OTHER) PHASE("c", BIG)), PROFILE_A2A3);
    program_plan(p, PROFILE_A2A3);
    program_dps(p, PROFILE_A2A3);
    Plan plan = program_plan(p, PROFILE_A2A3);
    assert_true(plan.functions[0].bytes[SPACE_VEC] <= 196608);
    program_free(p);
}

/* ---- reserved buffers ---- */

#define VEC_KIND "attributes {pto.kernel_kind = #pto.kernel_kind<vector>} "
#define RESERVE(name, size, more)                                                                  \
    "  %" name " = pto.reserve_buffer {name = \"" name "\", size = " size                          \
    ", location = #pto.address_space<vec>, " more "} -> i32\n"

static int64_t reserved_at(Program *p, const Plan *plan, const char *name) {
    return plan_reserved(plan, program_value(p, name)->def);
}

/* In the lowest hole beside all tiles, also those that are dead by then. */
static void buffers_get_the_holes(void **state) {
    (void)state;
    Program *p = program_new(
        "func.func @k(%k: i16) " VEC_KIND "{\n" RESERVE("r", "1000", "auto = true")
            RESERVE("q", "64", "auto = true") "  %x = pto.alloc_tile : " B "\n"
                                              "  %y = pto.alloc_tile : " B "\n"
                                              "  pto.texpands ins(%k : i16) outs(%x : " B ")\n"
                                              "  pto.texpands ins(%k : i16) outs(%y : " B ")\n"
                                              "  return\n}\n",
        PROFILE_A2A3);
    Plan plan = program_plan(p, PROFILE_A2A3);
    assert_int_equal(program_address(p, &plan, "x"), 0);
    assert_int_equal(program_address(p, &plan, "y"), 512);
    assert_int_equal(reserved_at(p, &plan, "r"), 1024);
    assert_int_equal(reserved_at(p, &plan, "q"), 2048);
    assert_int_equal(plan.functions[0].bytes[SPACE_VEC], 2048 + 64);
    program_free(p);
}

/* A buffer at an address of the text is bound: what is planned lies beside it. */
static void bound_buffers_are_blocked(void **state) {
    (void)state;
    Program *p = program_new(
        "func.func @k(%k: i16) " VEC_KIND "{\n"
        "  %c8 = arith.constant 8192 : i64\n" RESERVE(
            "r", "4096", "auto = false, base = 0") "  %x = pto.alloc_tile addr = %c8 : " B "\n"
                                                   "  %y = pto.txors %x, %k : (" B ", i16) -> " T
                                                   "\n"
                                                   "  return\n}\n",
        PROFILE_A2A3);
    Plan plan = program_plan(p, PROFILE_A2A3);
    assert_int_equal(reserved_at(p, &plan, "r"), -1);
    assert_true(slot_of(p, &plan, "y")->addr >= 4096);
    assert_true(plan.functions[0].bytes[SPACE_VEC] >= 8192 + 512);
    program_free(p);
}

/* A peer may write to a buffer before and after the call that uses it. */
static void buffers_of_callees_are_kept(void **state) {
    (void)state;
    Program *p = program_new(
        "func.func private @callee() " VEC_KIND
        "{\n" RESERVE("r", "1024", "auto = true") "  return\n}\n"
                                                  "func.func @k(%k: i16) " VEC_KIND "{\n"
                                                  "  %x = pto.alloc_tile : " B "\n"
                                                  "  pto.texpands ins(%k : i16) outs(%x : " B ")\n"
                                                  "  func.call @callee() : () -> ()\n"
                                                  "  return\n}\n",
        PROFILE_A2A3);
    Plan plan = program_plan(p, PROFILE_A2A3);
    assert_int_equal(reserved_at(p, &plan, "r"), 0);
    assert_true(program_address(p, &plan, "x") >= 1024);
    program_free(p);
}

static void buffer_without_a_hole(void **state) {
    (void)state;
    Program *p = program_new("func.func @k() " VEC_KIND "{\n" RESERVE("r", "196352", "auto = true")
                                 RESERVE("q", "257", "auto = true") "  return\n}\n",
                             PROFILE_A2A3);
    assert_false(passes_plan(p->module, &(PlanOptions){.profile = PROFILE_A2A3}, NULL));
    assert_non_null(
        strstr(program_diagnostics(p),
               "no free range of 257 bytes is left in vec, of which profile a2a3 has 196608"));
    program_free(p);
}

#define TILE_32K "!pto.tile_buf<vec, 64x128xf32>"
#define USED_AT_ONCE(name)                                                                         \
    "  %" name " = pto.alloc_tile : " TILE_32K "\n  pto.tabs ins(%" name " : " TILE_32K            \
    ") outs(%" name " : " TILE_32K ")\n"
#define THREE_TILES USED_AT_ONCE("a") USED_AT_ONCE("b") USED_AT_ONCE("c")

/* Three tiles one after the other end at 96 KiB, where 128 KiB have no place: they share bytes. */
static void tiles_make_room_for_a_buffer(void **state) {
    (void)state;
    const Profile profiles[] = {PROFILE_A2A3, PROFILE_CPU};
    for (int i = 0; i < 2; i++) {
        Program *p =
            program_new("func.func @k() " VEC_KIND "{\n" RESERVE("r", "131072", "auto = true")
                            THREE_TILES "  return\n}\n",
                        profiles[i]);
        Plan plan = program_plan(p, profiles[i]);
        assert_int_equal(program_address(p, &plan, "c"), 0);
        assert_int_equal(reserved_at(p, &plan, "r"), 32768);
        assert_int_equal(plan.functions[0].bytes[SPACE_VEC], 163840);
        program_free(p);
    }
}

/* As long as there is place, tiles do not share bytes. */
static void a_small_buffer_moves_no_tile(void **state) {
    (void)state;
    Program *p = program_new("func.func @k() " VEC_KIND "{\n" RESERVE("r", "98304", "auto = true")
                                 THREE_TILES "  return\n}\n",
                             PROFILE_A2A3);
    Plan plan = program_plan(p, PROFILE_A2A3);
    assert_int_equal(program_address(p, &plan, "c"), 65536);
    assert_int_equal(reserved_at(p, &plan, "r"), 98304);
    program_free(p);
}

/* 64 KiB, half of what an instruction needs for its f32 result. */
#define WIDE "!pto.tile_buf<vec, 128x256xf16>"

static void rejects(const char *text, const char *const *words) {
    Program *p = program_new(text, PROFILE_A2A3);
    assert_false(passes_plan(p->module, &(PlanOptions){.profile = PROFILE_A2A3}, NULL));
    for (; *words != NULL; words++)
        if (strstr(program_diagnostics(p), *words) == NULL)
            fail_msg("no '%s' in: %s", *words, program_diagnostics(p));
    program_free(p);
}

static void a_message_says_what_is_in_the_way(void **state) {
    (void)state;
    rejects("func.func @k() " VEC_KIND "{\n" RESERVE("r", "165888", "auto = true") THREE_TILES
            "  return\n}\n",
            (const char *const[]){"no free range of 165888 bytes is left in vec",
                                  "%a takes 32768 bytes", "tiles use the bytes below 32768", NULL});
    rejects("func.func @k(%k: i16) " VEC_KIND "{\n  %at = arith.constant 98304 : i64\n"
            "  %x = pto.alloc_tile addr = %at : " WIDE "\n"
            "  %y = pto.tcvt %x : (" WIDE ") -> !pto.tile_buf<vec, 128x256xf32>\n  return\n}\n",
            (const char *const[]){"needs 294912 bytes of vec, profile a2a3 has 196608",
                                  "the tiles that are alive at one time would fit",
                                  "bytes 98304 to 163839 are at an address that the program gives",
                                  NULL});
    rejects("func.func @k() " VEC_KIND "{\n" RESERVE("r", "180224", "auto = true")
                USED_AT_ONCE("a") "  return\n}\n",
            (const char *const[]){"no free range of 180224 bytes", "%a takes 32768 bytes", NULL});
    rejects("func.func private @callee() " VEC_KIND "{\n" RESERVE(
                "r", "131072",
                "auto = true") "  return\n}\nfunc.func @k() " VEC_KIND
                               "{\n" RESERVE(
                                   "q", "66048",
                                   "auto = true") "  func.call @callee() : () -> ()\n  return\n}\n",
            (const char *const[]){"no free range of 66048 bytes",
                                  "the first 131072 bytes are used by functions that are called",
                                  NULL});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_make_room_for_a_buffer),
        cmocka_unit_test(a_small_buffer_moves_no_tile),
        cmocka_unit_test(a_message_says_what_is_in_the_way),
        cmocka_unit_test(buffers_get_the_holes),
        cmocka_unit_test(bound_buffers_are_blocked),
        cmocka_unit_test(buffers_of_callees_are_kept),
        cmocka_unit_test(buffer_without_a_hole),
        cmocka_unit_test(allocations_lie_in_order_of_use),
        cmocka_unit_test(alignment_is_that_of_the_space),
        cmocka_unit_test(a_full_space_is_reused),
        cmocka_unit_test(overflow_names_the_tiles),
        cmocka_unit_test(a_verdict_takes_no_memory),
        cmocka_unit_test(the_cpu_has_no_capacity),
        cmocka_unit_test(forbidden_operands_never_overlap),
        cmocka_unit_test(a_loop_keeps_tiles_from_outside_alive),
        cmocka_unit_test(carried_tiles_live_through_the_loop),
        cmocka_unit_test(planning_goes_around_bound_tiles),
        cmocka_unit_test(computed_addresses_push_planned_tiles_away),
        cmocka_unit_test(callees_lie_below_what_lives_across_the_call),
        cmocka_unit_test(tile_results_of_calls_have_a_place),
        cmocka_unit_test(chained_loops_are_no_burden),
        cmocka_unit_test(conversion_does_not_cost_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
