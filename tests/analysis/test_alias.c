/* SPDX-License-Identifier: Apache-2.0 */
/* The alias analysis: each case is the body of a function in which one pto.tadd reads two tiles;
 * the answer is whether they may share a byte. */
#include "analysis/alias.h"
#include "parser/parse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define T "!pto.tile_buf<vec, 16x16xi16>"
#define U "!pto.tile_buf<vec, 16x16xf16>"
#define H "!pto.tile_buf<vec, 8x16xi16>"
#define W "!pto.tile_buf<vec, 16x32xi16>"
#define ADD(a, b, t) "pto.tadd ins(%" a ", %" b " : " t ", " t ") outs(%" a " : " t ")\n"
#define ADD2(a, t, b, u) "pto.tadd ins(%" a ", %" b " : " t ", " u ") outs(%" a " : " t ")\n"
#define PARAMETERS                                                                                 \
    "%p: " T ", %q: " T ", %c: i1, %n: index, %at: i64, %w: " W ", %k: i16, %m: "                  \
    "!pto.tile_buf<mat, 16x16xi16>"
#define CONSTANTS                                                                                  \
    "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n"                             \
    "%c8 = arith.constant 8 : index\n%c16 = arith.constant 16 : index\n"                           \
    "%a0 = arith.constant 0 : i64\n%a256 = arith.constant 256 : i64\n"                             \
    "%a512 = arith.constant 512 : i64\n"
#define TWO "%a = pto.alloc_tile : " T "\n%b = pto.alloc_tile : " T "\n"

static bool find_op(Op *op, void *arg) {
    Op **found = arg;
    if (op_is(op, INST_TADD)) *found = op;
    return *found == NULL;
}

static bool find_func(Op *op, void *arg) {
    Op **found = arg;
    if (op_is(op, INST_FUNC)) *found = op;
    return *found == NULL;
}

static Overlap answer(const char *body) {
    static Context ctx;
    static char text[65536];
    Op *func = NULL, *op = NULL;
    snprintf(text, sizeof text, "func.func @f(%s) {\n%s%s}\n", PARAMETERS, CONSTANTS, body);
    memset(&ctx, 0, sizeof ctx);
    Source source = {.name = "test.pto", .data = text, .size = (uint32_t)strlen(text)};
    if (setjmp(ctx.oom) != 0) fail_msg("out of memory");
    context_init(&ctx, &source, 0);
    Module *m = parse_module(&ctx);
    if (!m->bound_ok) fail_msg("cannot be read:\n%s", text);
    op_walk(m->root, find_func, &func);
    op_walk(m->root, find_op, &op);
    Alias *a = alias_function(&ctx.arena, &ctx, func);
    Overlap one = alias_overlap(a, op, slot_value(op, 0), slot_value(op, 1));
    Overlap other = alias_overlap(a, op, slot_value(op, 1), slot_value(op, 0));
    assert_int_equal(one, other);
    context_free(&ctx);
    return one;
}

typedef struct Question {
    Overlap expected;
    const char *body;
} Question;

static void ask(const Question *list, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (answer(list[i].body) != list[i].expected)
            fail_msg("%d, expected %d:\n%s", answer(list[i].body), list[i].expected, list[i].body);
}
#define ASK(list) ask(list, sizeof(list) / sizeof(*(list)))

static void allocations_and_parameters(void **state) {
    (void)state;
    static const Question list[] = {
        {OVERLAP_NO, TWO ADD("a", "b", T) "return\n"},
        {OVERLAP_YES, TWO ADD("a", "a", T) "return\n"},
        {OVERLAP_NO, TWO ADD("a", "p", T) "return\n"},
        {OVERLAP_MAYBE, ADD("p", "q", T) "return\n"},
        {OVERLAP_NO,
         "pto.tadd ins(%p, %m : " T ", !pto.tile_buf<mat, 16x16xi16>) outs(%p : " T ")\nreturn\n"},
        /* An SSA result is new; two results are two tiles. */
        {OVERLAP_NO, "%x = pto.tadds %p, %k : (" T ", i16) -> " T "\n"
                     "%y = pto.tadds %p, %k : (" T ", i16) -> " T "\n" ADD("x", "y", T) "return\n"},
    };
    ASK(list);
}

#define AT(name, addr) "%" name " = pto.alloc_tile addr = %" addr " : " T "\n"
static void addresses(void **state) {
    (void)state;
    static const Question list[] = {
        {OVERLAP_YES, AT("a", "a0") AT("b", "a256") ADD("a", "b", T) "return\n"},
        {OVERLAP_NO, AT("a", "a0") AT("b", "a512") ADD("a", "b", T) "return\n"},
        {OVERLAP_YES, AT("a", "a512") AT("b", "a512") ADD("a", "b", T) "return\n"},
        {OVERLAP_MAYBE, AT("a", "at") AT("b", "a512") ADD("a", "b", T) "return\n"},
        {OVERLAP_YES, AT("a", "at") AT("b", "at") ADD("a", "b", T) "return\n"},
        {OVERLAP_NO, "%s = arith.addi %at, %a512 : i64\n" AT("a", "at") AT("b", "s")
                         ADD("a", "b", T) "return\n"},
        {OVERLAP_YES, "%s = arith.addi %a256, %at : i64\n" AT("a", "at") AT("b", "s")
                          ADD("a", "b", T) "return\n"},
        {OVERLAP_MAYBE, AT("a", "a0") ADD("a", "p", T) "return\n"},
    };
    ASK(list);
}

static void tassign_moves_what_it_dominates(void **state) {
    (void)state;
    static const Question list[] = {
        {OVERLAP_YES, "pto.tassign %p, @tile(0x1000)\npto.tassign %q, @tile(0x1100)\n" ADD(
                          "p", "q", T) "return\n"},
        {OVERLAP_NO, "pto.tassign %p, @tile(0x1000)\npto.tassign %q, @tile(0x1200)\n" ADD(
                         "p", "q", T) "return\n"},
        {OVERLAP_NO, "pto.tassign %p, @tile(0x1000)\npto.tassign %q, @tile(0x1000)\n"
                     "pto.tassign %q, @tile(0x2000)\n" ADD("p", "q", T) "return\n"},
        {OVERLAP_YES, "pto.tassign %p, @tile(0x1000)\npto.tassign %q, @tile(0x1000)\n"
                      "scf.if %c {\n" ADD("p", "q", T) "}\nreturn\n"},
        /* Behind its region the tile is where it was. */
        {OVERLAP_MAYBE,
         "pto.tassign %p, @tile(0x1000)\nscf.if %c {\npto.tassign %q, @tile(0x1000)\n}\n" ADD(
             "p", "q", T) "return\n"},
        {OVERLAP_MAYBE, "pto.tassign %p, @tile(0x1000)\nscf.while : () -> () {\n"
                        "pto.tassign %q, @tile(0x1000)\nscf.condition(%c)\n} do {\n" ADD(
                            "p", "q", T) "scf.yield\n}\nreturn\n"},
        /* A view stays where its tile was. */
        {OVERLAP_YES, "pto.tassign %p, @tile(0x1000)\npto.tassign %q, @tile(0x1000)\n"
                      "%v = pto.treshape %q : " T " -> " T
                      "\npto.tassign %q, @tile(0x2000)\n" ADD("p", "v", T) "return\n"},
        {OVERLAP_NO, "%u = pto.tassign %p, %a0 : " T " -> " T "\n%v = pto.tassign %p, %a512 : " T
                     " -> " T "\n" ADD("u", "v", T) "return\n"},
        /* Blocks: only the first is known to come before the others. */
        {OVERLAP_YES,
         "pto.tassign %p, @tile(0x1000)\npto.tassign %q, @tile(0x1000)\ncf.br ^b\n^b:\n" ADD(
             "p", "q", T) "return\n"},
        {OVERLAP_MAYBE,
         "pto.tassign %p, @tile(0x1000)\ncf.cond_br %c, ^b, ^d\n^b:\n"
         "pto.tassign %q, @tile(0x2000)\ncf.br ^d\n^d:\n" ADD("p", "q", T) "return\n"},
    };
    ASK(list);
}

#define WINDOW(name, of, r, c, t)                                                                  \
    "%" name " = pto.subview %" of "[%" r ", %" c "] sizes [8, 16] : " t " -> " H "\n"
/* Eight valid rows of 16; from row 8 on, the others leave the tile. */
#define L "!pto.tile_buf<vec, 16x16xi16, valid=8x16>"
#define LEAVING(name, of, r)                                                                       \
    "%" name " = pto.subview %" of "[%" r ", %c0] sizes [16, 16] : " T " -> " L "\n"
static void windows(void **state) {
    (void)state;
    static const Question list[] = {
        {OVERLAP_YES, WINDOW("a", "p", "c0", "c0", T) WINDOW("b", "p", "c0", "c0", T)
                          ADD("a", "b", H) "return\n"},
        {OVERLAP_NO, WINDOW("a", "p", "c0", "c0", T) WINDOW("b", "p", "c8", "c0", T)
                         ADD("a", "b", H) "return\n"},
        {OVERLAP_YES, WINDOW("a", "p", "c0", "c0", T) WINDOW("b", "p", "c1", "c0", T)
                          ADD("a", "b", H) "return\n"},
        {OVERLAP_MAYBE, WINDOW("a", "p", "c0", "c0", T) WINDOW("b", "p", "n", "c0", T)
                            ADD("a", "b", H) "return\n"},
        {OVERLAP_YES, WINDOW("a", "p", "n", "c0", T) ADD2("a", H, "p", T) "return\n"},
        {OVERLAP_MAYBE, WINDOW("a", "p", "n", "c0", T) ADD2("a", H, "q", T) "return\n"},
        /* Left and right half of the rows of a wider tile: their ranges meet, their bytes do not.
         */
        {OVERLAP_NO, WINDOW("a", "w", "c0", "c0", W) WINDOW("b", "w", "c0", "c16", W)
                         ADD("a", "b", H) "return\n"},
        {OVERLAP_YES, WINDOW("a", "w", "c0", "c0", W) WINDOW("b", "w", "c0", "c8", W)
                          ADD("a", "b", H) "return\n"},
        {OVERLAP_NO, WINDOW("a", "w", "c0", "c0", W) WINDOW("b", "w", "c8", "c0", W)
                         ADD("a", "b", H) "return\n"},
        {OVERLAP_YES, WINDOW("a", "w", "c0", "c16", W) ADD2("a", H, "w", W) "return\n"},
        /* A window of a window keeps the distance of the rows. */
        {OVERLAP_NO,
         WINDOW("a", "w", "c0", "c16", W) "%b = pto.subview %a[%c1, %c0] sizes [1, 16] : " H
                                          " -> !pto.tile_buf<vec, 1x16xi16>\n"
                                          "%d = pto.subview %w[%c1, %c0] sizes [1, 16] : " W
                                          " -> !pto.tile_buf<vec, 1x16xi16>\n" ADD(
                                              "b", "d", "!pto.tile_buf<vec, 1x16xi16>") "return\n"},
        {OVERLAP_YES,
         WINDOW("a", "w", "c0", "c16", W) "%b = pto.subview %a[%c1, %c0] sizes [1, 16] : " H
                                          " -> !pto.tile_buf<vec, 1x16xi16>\n"
                                          "%d = pto.subview %w[%c1, %c8] sizes [1, 16] : " W
                                          " -> !pto.tile_buf<vec, 1x16xi16>\n" ADD(
                                              "b", "d", "!pto.tile_buf<vec, 1x16xi16>") "return\n"},
        /* A window ends where its tile ends, also one whose shape is larger. */
        {OVERLAP_NO,
         AT("b", "a0") AT("d", "a512") LEAVING("a", "b", "c8") ADD2("a", L, "d", T) "return\n"},
        {OVERLAP_YES, AT("b", "a0") LEAVING("a", "b", "c8") ADD2("a", L, "b", T) "return\n"},
        {OVERLAP_NO,
         WINDOW("a", "p", "c0", "c0", T) LEAVING("b", "p", "c8") ADD2("b", L, "a", H) "return\n"},
        {OVERLAP_YES, "%a = pto.bitcast %p : " T " -> " U "\n" ADD2("a", U, "p", T) "return\n"},
        {OVERLAP_YES, "%a = pto.treshape %p : " T " -> " U "\n%b = pto.bitcast %a : " U " -> " T
                      "\n" ADD("b", "p", T) "return\n"},
        /* The DPS form moves its destination. */
        {OVERLAP_YES,
         TWO "pto.treshape ins(%a : " T ") outs(%b : " T ")\n" ADD("a", "b", T) "return\n"},
        {OVERLAP_NO,
         "%a = pto.alloc_tile : " T "\n" AT("b", "a0") "pto.treshape ins(%a : " T ") outs(%b : " T
                                                       ")\n" ADD("a", "b", T) "return\n"},
    };
    ASK(list);
}

static void boxed_windows(void **state) {
    (void)state;
#define NZ "!pto.tile_buf<mat, 32x32xf16, blayout=col_major, slayout=row_major>"
#define BOX "!pto.tile_buf<mat, 16x16xf16, blayout=col_major, slayout=row_major>"
#define BOX_AT(name, r, c)                                                                         \
    "%" name " = pto.subview %z[%" r ", %" c "] sizes [16, 16] : " NZ " -> " BOX "\n"
    static const Question list[] = {
        {OVERLAP_NO, "%z = pto.alloc_tile : " NZ "\n" BOX_AT("a", "c0", "c0")
                         BOX_AT("b", "c16", "c0") ADD("a", "b", BOX) "return\n"},
        {OVERLAP_NO, "%z = pto.alloc_tile : " NZ "\n" BOX_AT("a", "c0", "c0")
                         BOX_AT("b", "c0", "c16") ADD("a", "b", BOX) "return\n"},
        {OVERLAP_YES, "%z = pto.alloc_tile : " NZ "\n" BOX_AT("a", "c16", "c16")
                          BOX_AT("b", "c16", "c16") ADD("a", "b", BOX) "return\n"},
    };
    ASK(list);
}

static void multi_tiles(void **state) {
    (void)state;
#define MULTI "!pto.multi_tile_buf<vec, 16x16xi16, count=2>"
#define GET(name, slot) "%" name " = pto.multi_tile_get %t[%" slot "] : " MULTI " -> " T "\n"
#define MANY "%t = pto.alloc_multi_tile : " MULTI "\n"
    static const Question list[] = {
        {OVERLAP_NO, MANY GET("a", "c0") GET("b", "c1") ADD("a", "b", T) "return\n"},
        {OVERLAP_YES, MANY GET("a", "c1") GET("b", "c1") ADD("a", "b", T) "return\n"},
        {OVERLAP_MAYBE, MANY GET("a", "c0") GET("b", "n") ADD("a", "b", T) "return\n"},
        {OVERLAP_YES, MANY GET("a", "n") GET("b", "n") ADD("a", "b", T) "return\n"},
        {OVERLAP_NO, MANY GET("a", "n") ADD("a", "p", T) "return\n"},
        {OVERLAP_YES, "%t = pto.alloc_multi_tile addr = %a512 : " MULTI
                      "\n" GET("a", "c1") "%o = arith.constant 1024 : i64\n" AT("b", "o")
                          ADD("a", "b", T) "return\n"},
    };
    ASK(list);
}

#define LOOP(init, arg, body, yielded)                                                             \
    "%r = scf.for %i = %c0 to %n step %c1 iter_args(%" arg " = %" init ") -> (" T ") {\n" body     \
    "scf.yield %" yielded " : " T "\n}\n"
#define NEW(name, of) "%" name " = pto.tadds %" of ", %k : (" T ", i16) -> " T "\n"
static void control_flow(void **state) {
    (void)state;
    static const Question list[] = {
        {OVERLAP_MAYBE, TWO "%s = arith.select %c, %a, %b : " T "\n" ADD("s", "a", T) "return\n"},
        {OVERLAP_YES, TWO "%s = arith.select %c, %a, %a : " T "\n" ADD("s", "a", T) "return\n"},
        {OVERLAP_NO, TWO "%s = arith.select %c, %a, %b : " T "\n" ADD("s", "p", T) "return\n"},
        {OVERLAP_YES, TWO LOOP("a", "x", ADD("x", "a", T), "x") "return\n"},
        {OVERLAP_MAYBE, TWO LOOP("a", "x", ADD("x", "b", T), "b") "return\n"},
        {OVERLAP_NO, TWO LOOP("a", "x", ADD("x", "b", T), "x") "return\n"},
        {OVERLAP_YES, TWO LOOP("a", "x", "", "x") ADD("r", "a", T) "return\n"},
        /* A buffer is the same storage in every iteration, a result is not. */
        {OVERLAP_MAYBE,
         TWO LOOP("a", "x", "%y = pto.alloc_tile : " T "\n" ADD("x", "y", T), "y") "return\n"},
        {OVERLAP_MAYBE, TWO LOOP("a", "x", NEW("y", "a") ADD("x", "y", T), "y") "return\n"},
        {OVERLAP_YES, NEW("y", "p") LOOP("y", "x", ADD("x", "y", T), "x") "return\n"},
        {OVERLAP_YES, TWO "%r = scf.if %c -> (" T ") {\nscf.yield %a : " T
                          "\n} else {\nscf.yield %a : " T "\n}\n" ADD("r", "a", T) "return\n"},
        {OVERLAP_MAYBE, TWO "%r = scf.if %c -> (" T ") {\nscf.yield %a : " T
                            "\n} else {\nscf.yield %b : " T "\n}\n" ADD("r", "a", T) "return\n"},
        {OVERLAP_YES,
         TWO "%r = scf.while (%x = %a) : (" T ") -> (" T ") {\nscf.condition(%c) %x : " T
             "\n} do {\n^bb0(%z: " T "):\nscf.yield %z : " T "\n}\n" ADD("r", "a", T) "return\n"},
        {OVERLAP_MAYBE,
         TWO "%r = scf.while (%x = %a) : (" T ") -> (" T ") {\nscf.condition(%c) %x : " T
             "\n} do {\n^bb0(%z: " T "):\nscf.yield %b : " T "\n}\n" ADD("r", "a", T) "return\n"},
        {OVERLAP_YES, TWO "cf.br ^d(%a : " T ")\n^d(%x: " T "):\n" ADD(
                          "x", "a", T) "cf.cond_br %c, ^d(%x : " T "), ^e\n^e:\nreturn\n"},
        {OVERLAP_MAYBE, TWO "cf.br ^d(%a : " T ")\n^d(%x: " T "):\n" ADD(
                            "x", "a", T) "cf.cond_br %c, ^d(%b : " T "), ^e\n^e:\nreturn\n"},
        {OVERLAP_NO, TWO "cf.br ^d(%a : " T ")\n^d(%x: " T "):\n" ADD(
                         "x", "b", T) "cf.cond_br %c, ^d(%x : " T "), ^e\n^e:\nreturn\n"},
    };
    ASK(list);
}

/* More places than are kept: no longer known. */
static void many_places_are_any_place(void **state) {
    (void)state;
    char body[8192];
    size_t n = 0;
    for (int count = ALIAS_PLACES - 1; count <= ALIAS_PLACES; count++) {
        n = (size_t)snprintf(body, sizeof body, "%s%%s0 = arith.select %%c, %%a, %%a : %s\n", TWO,
                             T);
        for (int i = 1; i <= count; i++)
            n += (size_t)snprintf(body + n, sizeof body - n,
                                  "%%t%d = pto.alloc_tile : %s\n"
                                  "%%s%d = arith.select %%c, %%s%d, %%t%d : %s\n",
                                  i, T, i, i - 1, i, T);
        snprintf(body + n, sizeof body - n,
                 "pto.tadd ins(%%s%d, %%b : %s, %s) outs(%%b : %s)\nreturn\n", count, T, T, T);
        assert_int_equal(answer(body), count < ALIAS_PLACES ? OVERLAP_NO : OVERLAP_MAYBE);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocations_and_parameters),
        cmocka_unit_test(addresses),
        cmocka_unit_test(tassign_moves_what_it_dominates),
        cmocka_unit_test(windows),
        cmocka_unit_test(boxed_windows),
        cmocka_unit_test(multi_tiles),
        cmocka_unit_test(control_flow),
        cmocka_unit_test(many_places_are_any_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
