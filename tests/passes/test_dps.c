/* SPDX-License-Identifier: Apache-2.0 */
/* SSA -> DPS: what is printed, and that buffers are reused exactly where they may be. */
#include "program.h"
#include "verifier/verify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define T "!pto.tile<vec, 16x16xi16>"
#define B "!pto.tile_buf<vec, 16x16xi16>"
#define HEAD(params) "func.func @k(" params ") {\n"
#define PARAMS "%a: " B ", %k: i16"

/* Converts `body` as a function and compares with `expected`, the printed body. */
static void expect(const char *body, const char *expected, Profile profile) {
    char text[8192], wanted[8192];
    snprintf(text, sizeof text, "%s%s}\n", HEAD(PARAMS), body);
    snprintf(wanted, sizeof wanted, "%s%s}\n", HEAD(PARAMS), expected);
    Program *p = program_new(text, profile);
    const char *printed = program_dps(p, profile);
    assert_string_equal(printed, wanted);
    Program *again = program_new(printed, profile); /* the result is a legal program */
    program_free(again);
    program_free(p);
}

static void expect_everywhere(const char *body, const char *expected) {
    for (int profile = 0; profile < PROFILE_COUNT; profile++)
        expect(body, expected, (Profile)profile);
}

static void each_result_gets_a_buffer(void **state) {
    (void)state;
    expect_everywhere("  %b = pto.tadds %a, %k : (" B ", i16) -> " T "\n"
                      "  %c = pto.tadd %a, %b : (" B ", " T ") -> " T "\n"
                      "  %d = pto.tadd %b, %c : (" T ", " T ") -> " T "\n"
                      "  %e = pto.tadd %b, %d : (" T ", " T ") -> " T "\n"
                      "  return\n",
                      "  %b = pto.alloc_tile : " B "\n"
                      "  pto.tadds ins(%a, %k : " B ", i16) outs(%b : " B ")\n"
                      "  %c = pto.alloc_tile : " B "\n"
                      "  pto.tadd ins(%a, %b : " B ", " B ") outs(%c : " B ")\n"
                      "  pto.tadd ins(%b, %c : " B ", " B ") outs(%c : " B ")\n"
                      "  pto.tadd ins(%b, %c : " B ", " B ") outs(%b : " B ")\n"
                      "  return\n");
}

static void tands_never_writes_its_dying_source(void **state) {
    (void)state;
    expect_everywhere("  %s = pto.tadds %a, %k : (" B ", i16) -> " T "\n"
                      "  %d = pto.tands %s, %k : (" T ", i16) -> " T "\n"
                      "  %e = pto.tands %d, %k : (" T ", i16) -> " T "\n"
                      "  return\n",
                      "  %s = pto.alloc_tile : " B "\n"
                      "  pto.tadds ins(%a, %k : " B ", i16) outs(%s : " B ")\n"
                      "  %d = pto.alloc_tile : " B "\n"
                      "  pto.tands ins(%s, %k : " B ", i16) outs(%d : " B ")\n"
                      "  pto.tands ins(%d, %k : " B ", i16) outs(%s : " B ")\n"
                      "  return\n");
}

static void txors_never_writes_its_dying_source(void **state) {
    (void)state;
    expect_everywhere("  %s = pto.tadds %a, %k : (" B ", i16) -> " T "\n"
                      "  %d = pto.txors %s, %k : (" T ", i16) -> " T "\n"
                      "  return\n",
                      "  %s = pto.alloc_tile : " B "\n"
                      "  pto.tadds ins(%a, %k : " B ", i16) outs(%s : " B ")\n"
                      "  %d = pto.alloc_tile : " B "\n"
                      "  pto.txors ins(%s, %k : " B ", i16) outs(%d : " B ")\n"
                      "  return\n");
}

static void tadds_may_write_its_dying_source(void **state) {
    (void)state;
    expect_everywhere("  %s = pto.tands %a, %k : (" B ", i16) -> " T "\n"
                      "  %d = pto.tadds %s, %k : (" T ", i16) -> " T "\n"
                      "  %e = pto.tadds %d, %k : (" T ", i16) -> " T "\n"
                      "  return\n",
                      "  %s = pto.alloc_tile : " B "\n"
                      "  pto.tands ins(%a, %k : " B ", i16) outs(%s : " B ")\n"
                      "  pto.tadds ins(%s, %k : " B ", i16) outs(%s : " B ")\n"
                      "  pto.tadds ins(%s, %k : " B ", i16) outs(%s : " B ")\n"
                      "  return\n");
}

static void what_is_needed_later_keeps_its_buffer(void **state) {
    (void)state;
    expect_everywhere("  %s = pto.tadds %a, %k : (" B ", i16) -> " T "\n"
                      "  %d = pto.tadds %s, %k : (" T ", i16) -> " T "\n"
                      "  %e = pto.tadd %s, %d : (" T ", " T ") -> " T "\n"
                      "  return\n",
                      "  %s = pto.alloc_tile : " B "\n"
                      "  pto.tadds ins(%a, %k : " B ", i16) outs(%s : " B ")\n"
                      "  %d = pto.alloc_tile : " B "\n"
                      "  pto.tadds ins(%s, %k : " B ", i16) outs(%d : " B ")\n"
                      "  pto.tadd ins(%s, %d : " B ", " B ") outs(%s : " B ")\n"
                      "  return\n");
}

static void other_types_do_not_share(void **state) {
    (void)state;
    expect_everywhere("  %s = pto.tadds %a, %k : (" B ", i16) -> " T "\n"
                      "  %d = pto.texpands %k : (i16) -> !pto.tile<vec, 16x32xi16>\n"
                      "  return\n",
                      "  %s = pto.alloc_tile : " B "\n"
                      "  pto.tadds ins(%a, %k : " B ", i16) outs(%s : " B ")\n"
                      "  %d = pto.alloc_tile : !pto.tile_buf<vec, 16x32xi16>\n"
                      "  pto.texpands ins(%k : i16) outs(%d : !pto.tile_buf<vec, 16x32xi16>)\n"
                      "  return\n");
}

#define LOOP                                                                                       \
    "  %c0 = arith.constant 0 : index\n"                                                           \
    "  %c1 = arith.constant 1 : index\n"                                                           \
    "  %c4 = arith.constant 4 : index\n"

static void a_loop_keeps_what_comes_from_outside(void **state) {
    (void)state;
    expect_everywhere(LOOP "  %s = pto.tadds %a, %k : (" B ", i16) -> " T "\n"
                           "  scf.for %i = %c0 to %c4 step %c1 {\n"
                           "    %d = pto.tadds %s, %k : (" T ", i16) -> " T "\n"
                           "    %e = pto.tadds %d, %k : (" T ", i16) -> " T "\n"
                           "  }\n"
                           "  return\n",
                      LOOP "  %s = pto.alloc_tile : " B "\n"
                           "  pto.tadds ins(%a, %k : " B ", i16) outs(%s : " B ")\n"
                           "  scf.for %i = %c0 to %c4 step %c1 {\n"
                           "    %d = pto.alloc_tile : " B "\n"
                           "    pto.tadds ins(%s, %k : " B ", i16) outs(%d : " B ")\n"
                           "    pto.tadds ins(%d, %k : " B ", i16) outs(%d : " B ")\n"
                           "  }\n"
                           "  return\n");
}

static void an_accumulator_needs_one_buffer(void **state) {
    (void)state;
    expect_everywhere(
        LOOP "  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %a) -> (" B ") {\n"
             "    %n = pto.tadds %x, %k : (" B ", i16) -> " T "\n"
             "    scf.yield %n : " T "\n"
             "  }\n"
             "  %z = pto.tadds %r, %k : (" B ", i16) -> " T "\n"
             "  return\n",
        LOOP "  %n_buf = pto.alloc_tile : " B "\n"
             "  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %a) -> (" B ") {\n"
             "    pto.tadds ins(%x, %k : " B ", i16) outs(%n_buf : " B ")\n"
             "    scf.yield %n_buf : " B "\n"
             "  }\n"
             "  %z = pto.alloc_tile : " B "\n"
             "  pto.tadds ins(%r, %k : " B ", i16) outs(%z : " B ")\n"
             "  return\n");
}

/* The value of the last iteration is the source: one buffer would be source and destination. */
static void a_carried_source_takes_turns(void **state) {
    (void)state;
    expect_everywhere(
        LOOP "  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %a) -> (" B ") {\n"
             "    %n = pto.tands %x, %k : (" B ", i16) -> " T "\n"
             "    scf.yield %n : " T "\n"
             "  }\n"
             "  %z = pto.tadds %r, %k : (" B ", i16) -> " T "\n"
             "  return\n",
        "  %slot2 = arith.constant 2 : index\n"
        "  %slot0 = arith.constant 0 : index\n"
        "  %slot1 = arith.constant 1 : index\n" LOOP
        "  %r, %n_slot1 = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %a, %n_slot = %slot2) -> "
        "(" B ", index) {\n"
        "    %n_buf = pto.alloc_tile : " B "\n"
        "    %n_buf1 = pto.alloc_tile : " B "\n"
        "    %n_taken = arith.cmpi eq, %n_slot, %slot0 : index\n"
        "    %n_slot2 = arith.select %n_taken, %slot1, %slot0 : index\n"
        "    %n = arith.select %n_taken, %n_buf1, %n_buf : " B "\n"
        "    pto.tands ins(%x, %k : " B ", i16) outs(%n : " B ")\n"
        "    scf.yield %n, %n_slot2 : " B ", index\n"
        "  }\n"
        "  %z = pto.alloc_tile : " B "\n"
        "  pto.tadds ins(%r, %k : " B ", i16) outs(%z : " B ")\n"
        "  return\n");
}

/* The buffer of a carried value is taken for the whole loop: nothing else in the body gets it. */
static void carried_buffers_are_not_reused_in_the_body(void **state) {
    (void)state;
    expect_everywhere(
        LOOP "  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %a) -> (" B ") {\n"
             "    %t = pto.tadds %a, %k : (" B ", i16) -> " T "\n"
             "    %n = pto.tadd %x, %t : (" B ", " T ") -> " T "\n"
             "    scf.yield %n : " T "\n"
             "  }\n"
             "  return\n",
        LOOP "  %n_buf = pto.alloc_tile : " B "\n"
             "  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %a) -> (" B ") {\n"
             "    %t = pto.alloc_tile : " B "\n"
             "    pto.tadds ins(%a, %k : " B ", i16) outs(%t : " B ")\n"
             "    pto.tadd ins(%x, %t : " B ", " B ") outs(%n_buf : " B ")\n"
             "    scf.yield %n_buf : " B "\n"
             "  }\n"
             "  return\n");
}

/* Nor does it take one that is dead at that point: the next iteration writes that before it reads.
 */
static void carried_values_take_no_buffer_of_the_body(void **state) {
    (void)state;
    expect_everywhere(
        LOOP "  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %a) -> (" B ") {\n"
             "    %t = pto.texpands %k : (i16) -> " T "\n"
             "    %u = pto.tands %t, %k : (" T ", i16) -> " T "\n"
             "    %w = pto.tadds %u, %k : (" T ", i16) -> " T "\n"
             "    %n = pto.tadd %x, %w : (" B ", " T ") -> " T "\n"
             "    scf.yield %n : " T "\n"
             "  }\n"
             "  return\n",
        LOOP "  %n_buf = pto.alloc_tile : " B "\n"
             "  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %a) -> (" B ") {\n"
             "    %t = pto.alloc_tile : " B "\n"
             "    pto.texpands ins(%k : i16) outs(%t : " B ")\n"
             "    %u = pto.alloc_tile : " B "\n"
             "    pto.tands ins(%t, %k : " B ", i16) outs(%u : " B ")\n"
             "    pto.tadds ins(%u, %k : " B ", i16) outs(%u : " B ")\n"
             "    pto.tadd ins(%x, %u : " B ", " B ") outs(%n_buf : " B ")\n"
             "    scf.yield %n_buf : " B "\n"
             "  }\n"
             "  return\n");
}

static void branches_hand_on_handles(void **state) {
    (void)state;
    expect_everywhere("  %c = arith.constant true\n"
                      "  %r = scf.if %c -> (" T ") {\n"
                      "    %x = pto.tadds %a, %k : (" B ", i16) -> " T "\n"
                      "    scf.yield %x : " T "\n"
                      "  } else {\n"
                      "    %y = pto.tands %a, %k : (" B ", i16) -> " T "\n"
                      "    scf.yield %y : " T "\n"
                      "  }\n"
                      "  %z = pto.tadds %r, %k : (" T ", i16) -> " T "\n"
                      "  return\n",
                      "  %c = arith.constant true\n"
                      "  %r = scf.if %c -> " B " {\n"
                      "    %x = pto.alloc_tile : " B "\n"
                      "    pto.tadds ins(%a, %k : " B ", i16) outs(%x : " B ")\n"
                      "    scf.yield %x : " B "\n"
                      "  } else {\n"
                      "    %y = pto.alloc_tile : " B "\n"
                      "    pto.tands ins(%a, %k : " B ", i16) outs(%y : " B ")\n"
                      "    scf.yield %y : " B "\n"
                      "  }\n"
                      "  %z = pto.alloc_tile : " B "\n"
                      "  pto.tadds ins(%r, %k : " B ", i16) outs(%z : " B ")\n"
                      "  return\n");
}

static void comments_and_blank_lines_stay(void **state) {
    (void)state;
    expect_everywhere("  // first\n"
                      "  %s = pto.tadds %a, %k : (" B ", i16) -> " T "\n"
                      "\n"
                      "  %d = pto.tands %s, %k : (" T ", i16) -> " T " // last\n"
                      "  return\n",
                      "  %s = pto.alloc_tile : " B "\n"
                      "  // first\n"
                      "  pto.tadds ins(%a, %k : " B ", i16) outs(%s : " B ")\n"
                      "\n"
                      "  %d = pto.alloc_tile : " B "\n"
                      "  pto.tands ins(%s, %k : " B ", i16) outs(%d : " B ")  // last\n"
                      "  return\n");
}

#define V "!pto.tile_buf<vec, 16x16xi16, valid=?x16>"

static void valid_extents_come_from_the_operand(void **state) {
    (void)state;
    expect_everywhere("  %n = arith.constant 5 : index\n"
                      "  %s = pto.alloc_tile valid_row = %n : " V "\n"
                      "  %d = pto.tands %s, %k : (" V ", i16) -> " V "\n"
                      "  %e = pto.tadds %d, %k : (" V ", i16) -> " V "\n"
                      "  return\n",
                      "  %n = arith.constant 5 : index\n"
                      "  %s = pto.alloc_tile valid_row = %n : " V "\n"
                      "  %d = pto.alloc_tile valid_row = %n : " V "\n"
                      "  pto.tands ins(%s, %k : " V ", i16) outs(%d : " V ")\n"
                      "  pto.tadds ins(%d, %k : " V ", i16) outs(%d : " V ")\n"
                      "  return\n");
}

static void refuse(const char *body, const char *message) {
    char text[8192];
    snprintf(text, sizeof text, "%s%s}\n", HEAD("%a: " B ", %v: " V ", %k: i16"), body);
    Program *p = program_new(text, PROFILE_A2A3);
    assert_false(passes_to_dps(p->module, PROFILE_A2A3));
    const char *said = program_diagnostics(p);
    if (strstr(said, message) == NULL) fail_msg("expected '%s' in:\n%s", message, said);
    assert_non_null(strstr(said, "[conversion]"));
    program_free(p);
}

static void unknown_valid_extents_are_refused(void **state) {
    (void)state;
    refuse("  %d = pto.texpands %k : (i16) -> " V "\n  return\n",
           "the valid region of %d is known only at run time");
}

/* Converts; the text must have these lines, one after the other. */
static void expect_lines(const char *body, const char *const lines[], size_t n) {
    char text[8192];
    snprintf(text, sizeof text, "%s%s}\n",
             HEAD("%a: " B ", %p: " V ", %q: " V ", %yes: i1, %k: i16"), body);
    Program *p = program_new(text, PROFILE_A2A3);
    const char *converted = program_dps(p, PROFILE_A2A3), *at = converted;
    VerifyOptions verify = {.profiles = PROFILE_BIT(PROFILE_A2A3)};
    for (size_t i = 0; i < n; i++) {
        at = strstr(at, lines[i]);
        if (at == NULL) fail_msg("no '%s' in:\n%s", lines[i], converted);
    }
    if (!verify_module(p->module, &verify)) fail_msg("%s", program_diagnostics(p));
    program_free(p);
}

/* Two earlier values are needed: three buffers. */
static void longer_memory_takes_three_buffers(void **state) {
    (void)state;
    static const char *const lines[] = {
        "iter_args(%x = %a, %y = %a, %n_slot = %slot3, %n_slot2 = %slot3)",
        "%n_buf = pto.alloc_tile",
        "%n_buf1 = pto.alloc_tile",
        "%n_buf2 = pto.alloc_tile",
        "arith.cmpi eq, %n_slot, %slot1",
        "arith.cmpi eq, %n_slot2, %slot1",
        "arith.ori",
        "outs(%n : ",
        "scf.yield %n, %x, ",
    };
    expect_lines(LOOP "  %r:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %a, %y = %a) -> (" B
                      ", " B ") {\n"
                      "    %n = pto.tands %x, %k : (" B ", i16) -> " B "\n"
                      "    %m = pto.tadd %x, %y : (" B ", " B ") -> " B "\n"
                      "    scf.yield %n, %x : " B ", " B "\n"
                      "  }\n"
                      "  return\n",
                 lines, sizeof lines / sizeof *lines);
}

static void while_carries_tiles(void **state) {
    (void)state;
    static const char *const lines[] = {
        "scf.while (%x = %a, %n_slot = %slot2)",
        "%n = arith.select %n_taken",
        "pto.tands ins(%x, %k : " B ", i16) outs(%n : " B ")",
        "scf.condition(%yes) %n, %n_slot3 : " B ", index",
        "^bb0(%z: " B ", %n_slot1: index):",
        "scf.yield %z, %n_slot1 : " B ", index",
    };
    expect_lines("  %r = scf.while (%x = %a) : (" B ") -> (" B ") {\n"
                 "    %n = pto.tands %x, %k : (" B ", i16) -> " T "\n"
                 "    scf.condition(%yes) %n : " T "\n"
                 "  } do {\n"
                 "  ^bb0(%z: " B "):\n"
                 "    scf.yield %z : " B "\n"
                 "  }\n"
                 "  return\n",
                 lines, sizeof lines / sizeof *lines);
}

static void blocks_carry_tiles(void **state) {
    (void)state;
    static const char *const lines[] = {
        "cf.br ^next(%a, %slot2 : " B ", index)",
        "^next(%x: " B ", %n_slot: index):",
        "%n = arith.select %n_taken",
        "pto.tands ins(%x, %k : " B ", i16) outs(%n : " B ")",
        "cf.cond_br %yes, ^next(%n, %n_slot1 : " B ", index), ^end",
    };
    expect_lines("  cf.br ^next(%a : " B ")\n"
                 "^next(%x: " B "):\n"
                 "  %n = pto.tands %x, %k : (" B ", i16) -> " T "\n"
                 "  cf.cond_br %yes, ^next(%n : " T "), ^end\n"
                 "^end:\n"
                 "  return\n",
                 lines, sizeof lines / sizeof *lines);
}

/* The number of a selection is selected with it. */
static void selections_and_views_carry_numbers(void **state) {
    (void)state;
    static const char *const lines[] = {
        "%n = arith.select %n_taken",
        "arith.select %yes, %n_slot2, %slot2 : index",
        "%s = arith.select %yes, %n, %a : " B,
        "%v = pto.treshape %s",
        "scf.yield %v, %n_slot3 : " B ", index",
    };
    expect_lines(LOOP "  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %a) -> (" B ") {\n"
                      "    %n = pto.tands %x, %k : (" B ", i16) -> " B "\n"
                      "    %s = arith.select %yes, %n, %a : " B "\n"
                      "    %v = pto.treshape %s : " B " -> " B "\n"
                      "    scf.yield %v : " B "\n"
                      "  }\n"
                      "  return\n",
                 lines, sizeof lines / sizeof *lines);
}

/* The buffers of a result at an address of the text cannot take turns; those that are planned can.
 */
static void manual_mode_takes_turns(void **state) {
    (void)state;
    static const char *const lines[] = {
        "%n_buf_addr = arith.constant",
        "%n_buf = pto.alloc_tile addr = %n_buf_addr",
        "%n_buf1 = pto.alloc_tile addr = %n_buf1_addr",
        "%n = arith.select %n_taken",
    };
    expect_lines(LOOP "  pto.tassign %a, @tile(0x1000)\n"
                      "  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %a) -> (" B ") {\n"
                      "    %n = pto.tands %x, %k : (" B ", i16) -> " B "\n"
                      "    scf.yield %n : " B "\n"
                      "  }\n"
                      "  return\n",
                 lines, sizeof lines / sizeof *lines);
    refuse(LOOP "  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %a) -> (" B ") {\n"
                "    %n = pto.tadds %x, %k : (" B ", i16) -> " B "\n"
                "    pto.tassign %n, @tile(0x1000)\n"
                "    %m = pto.tadd %x, %n : (" B ", " B ") -> " B "\n"
                "    scf.yield %n : " B "\n"
                "  }\n"
                "  return\n",
           "its address is given");
}

/* A call has one place for its result. */
static void results_of_calls_take_no_turns(void **state) {
    (void)state;
    static const char text[] =
        "func.func private @g(" B ") -> " B "\n"
        "func.func @k(%%a: " B ", %%yes: i1) {\n"
        "  %%r = scf.while (%%x = %%a) : (" B ") -> (" B ") {\n"
        "    %%n = func.call @g(%%a) : (" B ") -> " B "\n"
        "%s"
        "    scf.condition(%%yes) %%n : " B "\n"
        "  } do {\n  ^bb0(%%z: " B "):\n    scf.yield %%z : " B "\n  }\n  return\n}\n";
    char copy[2048];
    for (int needed = 0; needed < 2; needed++) {
        snprintf(copy, sizeof copy, text,
                 needed ? "    %m = pto.tadd %x, %n : (" B ", " B ") -> " B "\n" : "");
        Program *p = program_new(copy, PROFILE_A2A3);
        bool converted = passes_to_dps(p->module, PROFILE_A2A3);
        const char *said = program_diagnostics(p);
        assert_int_equal(converted, !needed);
        assert_int_equal(strstr(said, "a call puts its result in one place") != NULL, needed);
        program_free(p);
    }
}

/* Of a tile that comes from elsewhere, the program asks. */
static void unknown_valid_extents_are_asked_for(void **state) {
    (void)state;
    static const char *const lines[] = {
        "%v_rows = pto.tile_valid_rows %v",
        "%w = pto.alloc_tile valid_row = %v_rows : " V,
        "iter_args(%x = %w)",
        "%x_rows = pto.tile_valid_rows %x",
        "%n = pto.alloc_tile valid_row = %x_rows : " V,
    };
    expect_lines(LOOP "  %v = arith.select %yes, %p, %q : " V "\n"
                      "  %w = pto.tadds %v, %k : (" V ", i16) -> " V "\n"
                      "  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %w) -> (" V ") {\n"
                      "    %n = pto.tadds %x, %k : (" V ", i16) -> " V "\n"
                      "    scf.yield %n : " V "\n"
                      "  }\n"
                      "  return\n",
                 lines, sizeof lines / sizeof *lines);
}

/* One function that cannot be converted hides no other. */
static void every_function_is_told(void **state) {
    (void)state;
    static const char text[] = "func.func @f(%k: i16) {\n"
                               "  %first = pto.texpands %k : (i16) -> " V "\n  return\n}\n"
                               "func.func @g(%k: i16) {\n"
                               "  %second = pto.texpands %k : (i16) -> " V "\n"
                               "  %third = pto.texpands %k : (i16) -> " V "\n  return\n}\n";
    Program *p = program_new(text, PROFILE_A2A3);
    assert_false(passes_to_dps(p->module, PROFILE_A2A3));
    const char *said = program_diagnostics(p);
    assert_non_null(strstr(said, "%first"));
    assert_non_null(strstr(said, "%second"));
    assert_non_null(strstr(said, "%third"));
    program_free(p);
}

/* Templates take the type of the operand; the parameters keep their spelling. */
static void ptoas_and_templates_are_converted(void **state) {
    (void)state;
    static const char as[] = ".arg %a : " T "\n.arg %k : i16\n"
                             "%s = tadds %a, %k : !pto.tile<...>, i16\n"
                             "%d = tands %s, %k\n";
    static const char ssa[] = ".arg %a : " T "\n.arg %k : i16\n"
                              "%s = pto.tadds %a, %k : (!pto.tile<...>, dtype) -> !pto.tile<...>\n"
                              "%d = pto.tands %s, %k : (!pto.tile<...>, dtype) -> !pto.tile<...>\n";
    static const char wanted[] = ".arg %a : !pto.tile<vec, 16x16xi16>\n.arg %k : i16\n"
                                 "%s = pto.alloc_tile : " B "\n"
                                 "pto.tadds ins(%a, %k : " T ", i16) outs(%s : " B ")\n"
                                 "%d = pto.alloc_tile : " B "\n"
                                 "pto.tands ins(%s, %k : " B ", i16) outs(%d : " B ")\n";
    const char *texts[] = {as, ssa};
    for (int i = 0; i < 2; i++) {
        Program *p = program_new(texts[i], PROFILE_A2A3);
        assert_string_equal(program_dps(p, PROFILE_A2A3), wanted);
        program_free(p);
    }
}

static void manual_mode_gets_addresses(void **state) {
    (void)state;
    expect("  %s = pto.tadds %a, %k : (" B ", i16) -> " T "\n"
           "  pto.tassign %s, @tile(0x1000)\n"
           "  %d = pto.tands %s, %k : (" T ", i16) -> " T "\n"
           "  return\n",
           "  %s_addr = arith.constant 4096 : i64\n"
           "  %s = pto.alloc_tile addr = %s_addr : " B "\n"
           "  pto.tadds ins(%a, %k : " B ", i16) outs(%s : " B ")\n"
           "  pto.tassign %s, @tile(0x1000) : " B "\n"
           "  %d_addr = arith.constant 0 : i64\n"
           "  %d = pto.alloc_tile addr = %d_addr : " B "\n"
           "  pto.tands ins(%s, %k : " B ", i16) outs(%d : " B ")\n"
           "  return\n",
           PROFILE_A2A3);
}

/* ---- accumulators ---- */

#define L "!pto.tile_buf<left, 16x16xf16>"
#define R "!pto.tile_buf<right, 16x16xf16>"
#define C "!pto.tile_buf<acc, 16x16xf32>"
#define CT "!pto.tile<acc, 16x16xf32>"
#define ACC_HEAD "func.func @k(%l: " L ", %r: " R ", %n: index, %p: " C ") {\n"
#define BOUNDS "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n"
#define MUL(c) c " = pto.tmatmul %l, %r : (" L ", " R ") -> " CT "\n"
#define ADD(c, a) c " = pto.tmatmul.acc " a ", %l, %r : (" CT ", " L ", " R ") -> " CT "\n"
#define MUL_TO(c) "pto.tmatmul ins(%l, %r : " L ", " R ") outs(" c " : " C ")\n"
#define ADD_TO(a, c)                                                                               \
    "pto.tmatmul.acc ins(" a ", %l, %r : " C ", " L ", " R ") outs(" c " : " C ")\n"

/* Converts; `warned`: an accumulator could not stay one tile. */
static void expect_sums(const char *body, const char *expected, bool warned) {
    char text[4096], wanted[4096];
    snprintf(text, sizeof text, "%s%s  return\n}\n", ACC_HEAD, body);
    snprintf(wanted, sizeof wanted, "%s%s  return\n}\n", ACC_HEAD, expected);
    Program *p = program_new(text, PROFILE_A2A3);
    assert_string_equal(program_dps(p, PROFILE_A2A3), wanted);
    bool said = strstr(program_diagnostics(p), "[acc-storage]") != NULL;
    assert_int_equal(said, warned);
    program_free(p);
}

static void a_sum_takes_the_tile_of_its_operand(void **state) {
    (void)state;
    expect_sums("  " MUL("%a") "  " ADD("%b", "%a") "  " ADD("%c", "%b"),
                "  %a = pto.alloc_tile : " C "\n"
                "  " MUL_TO("%a") "  " ADD_TO("%a", "%a") "  " ADD_TO("%a", "%a"),
                false);
}

static void a_sum_leaves_what_is_needed_later(void **state) {
    (void)state;
    expect_sums("  " MUL("%a") "  " ADD("%b", "%a") "  " ADD("%c", "%a"),
                "  %a = pto.alloc_tile : " C "\n"
                "  " MUL_TO("%a") "  %b = pto.alloc_tile : " C "\n"
                                  "  " ADD_TO("%a", "%b") "  " ADD_TO("%a", "%a"),
                true);
}

static void the_tile_of_a_caller_is_not_written(void **state) {
    (void)state;
    expect_sums("  " ADD("%b", "%p"), "  %b = pto.alloc_tile : " C "\n  " ADD_TO("%p", "%b"), true);
}

#define ROUND(first)                                                                               \
    "  %s = scf.for %i = %c0 to %n step %c1 iter_args(%x = " first ") -> (" CT ") {\n"             \
    "    " ADD("%y", "%x") "    scf.yield %y : " CT "\n  }\n"
#define ROUND_TO(first)                                                                            \
    "  %s = scf.for %i = %c0 to %n step %c1 iter_args(%x = " first ") -> (" C ") {\n"              \
    "    " ADD_TO("%x", "%x") "    scf.yield %x : " C "\n  }\n"

static void a_sum_goes_round_in_one_tile(void **state) {
    (void)state;
    expect_sums(BOUNDS "  " MUL("%a") ROUND("%a") "  " ADD("%b", "%s"),
                BOUNDS "  %a = pto.alloc_tile : " C "\n  " MUL_TO("%a")
                    ROUND_TO("%a") "  " ADD_TO("%s", "%s"),
                false);
}

/* What the loop begins with is needed after it. */
static void a_sum_does_not_overwrite_what_the_loop_began_with(void **state) {
    (void)state;
    expect_sums(BOUNDS "  " MUL("%a") ROUND("%a") "  " ADD("%b", "%a"),
                BOUNDS "  %a = pto.alloc_tile : " C "\n  " MUL_TO(
                    "%a") "  %y_buf = pto.alloc_tile : " C "\n"
                          "  %s = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a) -> (" C
                          ") {\n    " ADD_TO("%x", "%y_buf") "    scf.yield %y_buf : " C "\n  }\n"
                                                             "  " ADD_TO("%a", "%y_buf"),
                true);
}

/* DPS -> SSA -> DPS: one allocation remains one. */
static void one_accumulator(const char *body) {
    char text[4096];
    snprintf(text, sizeof text, "%s%s  return\n}\n", ACC_HEAD, body);
    Program *p = program_new(text, PROFILE_A2A3);
    passes_to_ssa(p->module, PROFILE_A2A3);
    assert_null(strstr(program_diagnostics(p), "[kept-buffer]"));
    assert_true(passes_has_ssa_tiles(p->module));
    const char *printed = program_dps(p, PROFILE_A2A3), *alloc = strstr(printed, "alloc_tile");
    assert_non_null(alloc);
    assert_null(strstr(alloc + 1, "alloc_tile"));
    assert_null(strstr(program_diagnostics(p), "[acc-storage]"));
    program_free(p);
}

static void an_accumulator_comes_back_as_one(void **state) {
    (void)state;
    one_accumulator(BOUNDS "  %a = pto.alloc_tile : " C
                           "\n  " MUL_TO("%a") "  scf.for %i = %c0 to %n step %c1 {\n    " ADD_TO(
                               "%a", "%a") "  }\n  " ADD_TO("%a", "%a"));
}

/* What begins anew takes the tile of the iteration before, when that is no longer needed. */
static void an_accumulator_that_begins_in_the_loop_comes_back_too(void **state) {
    (void)state;
    one_accumulator(BOUNDS "  %yes = arith.constant true\n  %a = pto.alloc_tile : " C
                           "\n  scf.for %i = %c0 to %n step %c1 {\n  scf.if %yes {\n    " MUL_TO(
                               "%a") "  } else {\n    " ADD_TO("%a", "%a") "  }\n  }\n");
}

static void the_round_before_may_be_written(void **state) {
    (void)state;
    const char *const body =
        LOOP "  %w = pto.tadds %a, %k : (" B ", i16) -> " T "\n"
             "  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %w) -> (" T ") {\n"
             "    %u = pto.tadds %x, %k : (" T ", i16) -> " T "\n"
             "    %n = pto.tands %u, %k : (" T ", i16) -> " T "\n"
             "    scf.yield %n : " T "\n"
             "  }\n"
             "  %z = pto.tadds %r, %k : (" T ", i16) -> " T "\n"
             "  return\n";
    expect_everywhere(body, LOOP "  %w = pto.alloc_tile : " B "\n"
                                 "  pto.tadds ins(%a, %k : " B ", i16) outs(%w : " B ")\n"
                                 "  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %w) -> (" B
                                 ") {\n"
                                 "    %u = pto.alloc_tile : " B "\n"
                                 "    pto.tadds ins(%x, %k : " B ", i16) outs(%u : " B ")\n"
                                 "    pto.tands ins(%u, %k : " B ", i16) outs(%x : " B ")\n"
                                 "    scf.yield %x : " B "\n"
                                 "  }\n"
                                 "  %z = pto.alloc_tile : " B "\n"
                                 "  pto.tadds ins(%r, %k : " B ", i16) outs(%z : " B ")\n"
                                 "  return\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_result_gets_a_buffer),
        cmocka_unit_test(tands_never_writes_its_dying_source),
        cmocka_unit_test(txors_never_writes_its_dying_source),
        cmocka_unit_test(tadds_may_write_its_dying_source),
        cmocka_unit_test(what_is_needed_later_keeps_its_buffer),
        cmocka_unit_test(other_types_do_not_share),
        cmocka_unit_test(a_loop_keeps_what_comes_from_outside),
        cmocka_unit_test(an_accumulator_needs_one_buffer),
        cmocka_unit_test(a_carried_source_takes_turns),
        cmocka_unit_test(carried_buffers_are_not_reused_in_the_body),
        cmocka_unit_test(carried_values_take_no_buffer_of_the_body),
        cmocka_unit_test(branches_hand_on_handles),
        cmocka_unit_test(comments_and_blank_lines_stay),
        cmocka_unit_test(valid_extents_come_from_the_operand),
        cmocka_unit_test(unknown_valid_extents_are_refused),
        cmocka_unit_test(longer_memory_takes_three_buffers),
        cmocka_unit_test(while_carries_tiles),
        cmocka_unit_test(blocks_carry_tiles),
        cmocka_unit_test(selections_and_views_carry_numbers),
        cmocka_unit_test(manual_mode_takes_turns),
        cmocka_unit_test(unknown_valid_extents_are_asked_for),
        cmocka_unit_test(results_of_calls_take_no_turns),
        cmocka_unit_test(every_function_is_told),
        cmocka_unit_test(ptoas_and_templates_are_converted),
        cmocka_unit_test(manual_mode_gets_addresses),
        cmocka_unit_test(a_sum_takes_the_tile_of_its_operand),
        cmocka_unit_test(a_sum_leaves_what_is_needed_later),
        cmocka_unit_test(the_tile_of_a_caller_is_not_written),
        cmocka_unit_test(a_sum_goes_round_in_one_tile),
        cmocka_unit_test(a_sum_does_not_overwrite_what_the_loop_began_with),
        cmocka_unit_test(an_accumulator_comes_back_as_one),
        cmocka_unit_test(an_accumulator_that_begins_in_the_loop_comes_back_too),
        cmocka_unit_test(the_round_before_may_be_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
