/* SPDX-License-Identifier: Apache-2.0 */
/* The lexer delivers tokens in batches: where one ends must not show, in programs or in messages. A
 * text is read after 0 to 600 other tokens, so that a batch ends at each of its tokens, and must
 * give the same each time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "tests/parser/reading.h"

enum { MOST_BEFORE = 600 }; /* more than the tokens of a batch */

/* Reads the text after an alias of `n` tokens more than the shortest. Returns the messages, and the
 * lines of the program after the first. */
static const char *read_after(Arena *arena, unsigned n, const char *text) {
    StrBuf all, program, out;
    sb_init(&all, arena);
    sb_init(&out, arena);
    sb_printf(&all, "#before = [%s0", n % 2 != 0 ? "-" : "");
    for (unsigned i = 0; i < n / 2; i++)
        sb_puts(&all, ", 0");
    sb_puts(&all, "]\n");
    const uint32_t start = (uint32_t)all.len;
    sb_puts(&all, text);
    read_text(&all, start, &program, &out);
    const char *second = strchr(sb_text(&program), '\n');
    sb_puts(&out, second != NULL ? second + 1 : "");
    return sb_text(&out);
}

static void same_after_all(const char *text, const char *contains) {
    jmp_buf oom;
    if (setjmp(oom) != 0) fail_msg("out of memory");
    Arena arena;
    arena_init(&arena, &oom);
    const char *first = read_after(&arena, 0, text);
    if (strstr(first, contains) == NULL) fail_msg("expected '%s' in:\n%s", contains, first);
    for (unsigned n = 1; n <= MOST_BEFORE; n++) {
        const char *next = read_after(&arena, n, text);
        if (strcmp(first, next) != 0)
            fail_msg("after %u tokens more:\n%s\ninstead of\n%s", n, next, first);
    }
    arena_free(&arena);
}

static void comments(void **state) {
    (void)state;
    same_after_all(".arg %x : i32  // 1\n"
                   "func.func @f(%c: i1, %n: index) {  // 2\n"
                   "  scf.if %c {  // 3\n"
                   "    %a = arith.constant 1 : i32  // 4\n"
                   "  } else {  // 5\n"
                   "    %b = arith.constant 1.0 : f32  # 6\n"
                   "  }  // 7\n"
                   "  scf.index_switch %n\n"
                   "  case 1 {  ; 8\n"
                   "  }  // 9\n"
                   "  default {  // 10\n"
                   "  }  // 11\n"
                   "  \"scf.if\"(%c) ({  // 12\n"
                   "    scf.yield  // 13\n"
                   "  }, {  // 14\n"
                   "  }) : (i1) -> () loc(\"a\":1:2)  // 15\n"
                   "  cf.br ^next  // 16\n"
                   "^next:  // 17\n"
                   "  return  // 18\n"
                   "} loc(\"f\")  // 19\n",
                   "} loc(\"f\")  // 19");
}

/* The shapes of lists: joined to one symbol when they are within a batch. */
static void lists(void **state) {
    (void)state;
    same_after_all(
        "func.func @g(%a: i32, %b: index, %v: !pto.tensor_view<?x?xf32>) -> (i32, i32) {\n"
        "  %w = pto.partition_view %v, offsets = [%b, %b], sizes = [%b, %b]"
        " : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<?x?xf32>\n"
        "  %p:2 = func.call @h(%a, %b) : (i32, index) -> (i32, i32)\n"
        "  cf.br ^next(%a, %b : i32, index)\n"
        "^next(%x: i32, %y: index):\n"
        "  return %p#0, %p#1 : i32, i32\n"
        "}\n"
        "func.func private @h(i32, index) -> (i32, i32)\n",
        "^next(%x: i32, %y: index):");
}

/* Messages look at the token after the wrong one, and reading goes on after it. */
static void errors(void **state) {
    (void)state;
    same_after_all("func.func @k(%a: i32, %n: index) {\n"
                   "  %b = arith.constant .5 : f32\n"
                   "  %d = arith.addi %a %a : i32\n"
                   "  %e = arith.addi %a) : i32\n"
                   "  nothing.known 1.5x\n"
                   "  other.thing (%a, [%n\n"
                   "  %f = arith.addi %a, %n : i32\n"
                   "  return\n"
                   "}\n"
                   "}\n"
                   "func.func @l(%a: i32) {\n"
                   "  %b = arith.addi %a, %n : i32\n"
                   "  return\n"
                   "}\n",
                   "use of undefined value %n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comments),
        cmocka_unit_test(lists),
        cmocka_unit_test(errors),
    };
    return cmocka_run_group_tests_name("batches", tests, NULL, NULL);
}
