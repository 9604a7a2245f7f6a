/* SPDX-License-Identifier: Apache-2.0 */
/* Computation of integers: each statement in its width, what chooses, and what is not known. The
 * name of a value tells what it must be: %x_12, %x_m12 (negative), %x_not (unknown). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/number.h"
#include "parser/parse.h"

static const char text[] = "func.func @k(%a: index, %b: i1) {\n"
                           "  %c_0 = arith.constant 0 : i8\n"
                           "  %c_1 = arith.constant 1 : i8\n"
                           "  %c_3 = arith.constant 3 : i8\n"
                           "  %c_100 = arith.constant 100 : i8\n"
                           "  %c_m1 = arith.constant -1 : i8\n"
                           "  %c_m7 = arith.constant -7 : i8\n"
                           "  %c_m128 = arith.constant -128 : i8\n"
                           "  %add_m56 = arith.addi %c_100, %c_100 : i8\n"
                           "  %sub_127 = arith.subi %c_m128, %c_1 : i8\n"
                           "  %mul_44 = arith.muli %c_100, %c_3 : i8\n"
                           "  %div_m2 = arith.divsi %c_m7, %c_3 : i8\n"
                           "  %floor_m3 = arith.floordivsi %c_m7, %c_3 : i8\n"
                           "  %ceil_m2 = arith.ceildivsi %c_m7, %c_3 : i8\n"
                           "  %divu_83 = arith.divui %c_m7, %c_3 : i8\n"
                           "  %ceilu_83 = arith.ceildivui %c_m7, %c_3 : i8\n"
                           "  %least_m128 = arith.divsi %c_m128, %c_m1 : i8\n"
                           "  %div_not = arith.divsi %c_3, %c_0 : i8\n"
                           "  %uses_not = arith.addi %div_not, %c_3 : i8\n"
                           "  %rem_m1 = arith.remsi %c_m7, %c_3 : i8\n"
                           "  %remu_0 = arith.remui %c_m7, %c_3 : i8\n"
                           "  %max_3 = arith.maxsi %c_m7, %c_3 : i8\n"
                           "  %maxu_m7 = arith.maxui %c_m7, %c_3 : i8\n"
                           "  %min_m7 = arith.minsi %c_m7, %c_3 : i8\n"
                           "  %minu_3 = arith.minui %c_m7, %c_3 : i8\n"
                           "  %shl_32 = arith.shli %c_100, %c_3 : i8\n"
                           "  %shl_0 = arith.shli %c_1, %c_100 : i8\n"
                           "  %shr_m1 = arith.shrsi %c_m7, %c_3 : i8\n"
                           "  %shru_31 = arith.shrui %c_m7, %c_3 : i8\n"
                           "  %and_1 = arith.andi %c_m7, %c_3 : i8\n"
                           "  %or_m5 = arith.ori %c_m7, %c_3 : i8\n"
                           "  %xor_m6 = arith.xori %c_m7, %c_3 : i8\n"
                           "  %less_m1 = arith.cmpi slt, %c_m7, %c_3 : i8\n"
                           "  %lessu_0 = arith.cmpi ult, %c_m7, %c_3 : i8\n"
                           "  %ext_m7 = arith.extsi %c_m7 : i8 to i32\n"
                           "  %extu_249 = arith.extui %c_m7 : i8 to i32\n"
                           "  %trunc_m7 = arith.trunci %extu_249 : i32 to i8\n"
                           "  %wide_65637 = arith.constant 65637 : i32\n"
                           "  %trunc_101 = arith.trunci %wide_65637 : i32 to i8\n"
                           "  %index_m7 = arith.index_cast %c_m7 : i8 to index\n"
                           "  %indexu_249 = arith.index_castui %c_m7 : i8 to index\n"
                           "  %true_m1 = arith.constant true\n"
                           "  %same_m1 = arith.cmpi eq, %less_m1, %true_m1 : i1\n"
                           "  %sel_100 = arith.select %less_m1, %c_100, %div_not : i8\n"
                           "  %sel_m7 = arith.select %lessu_0, %div_not, %c_m7 : i8\n"
                           "  %sel_not = arith.select %b, %c_3, %c_3 : i8\n"
                           "  %sel2_not = arith.select %true_m1, %div_not, %c_3 : i8\n"
                           "  %arg_not = arith.addi %a, %index_m7 : index\n"
                           "  return\n"
                           "}\n";

static unsigned checked;

/* Returns whether a name tells a number. */
static bool expected(const char *name, size_t n, int64_t *number) {
    const char *digits = memchr(name, '_', n);
    if (digits == NULL) fail_msg("%s tells nothing", name);
    if (memcmp(digits, "_not", 4) == 0) return false;
    *number = digits[1] == 'm' ? -atoll(digits + 2) : atoll(digits + 1);
    return true;
}

static bool check(Op *op, void *arg) {
    const Context *ctx = arg;
    for (unsigned i = 0; i < op->nresults; i++) {
        const Value *v = &op->results[i];
        const char *name = atom_text(&ctx->names, v->name);
        int64_t is = 77, must = 0;
        const bool known = expected(name, atom_len(&ctx->names, v->name), &must);
        if (number_known(v, &is) != known) fail_msg("%s: %s", name, known ? "unknown" : "known");
        if (!known) must = 77; /* as it was */
        if (is != must) fail_msg("%s is %lld", name, (long long)is);
        checked++;
    }
    return true;
}

static void read_and_walk(const char *program, bool (*each)(Op *, void *), void (*then)(void)) {
    const Source src = {"none", program, (uint32_t)strlen(program)};
    Context ctx;
    if (setjmp(ctx.oom) != 0) fail_msg("out of memory");
    context_init(&ctx, &src, 0);
    Module *m = parse_module(&ctx);
    assert_true(m->bound_ok);
    op_walk(m->root, each, &ctx);
    then();
    context_free(&ctx);
}

static void nothing(void) {}

static void each_statement(void **state) {
    (void)state;
    checked = 0;
    read_and_walk(text, check, nothing);
    assert_int_equal(checked, 47);
}

enum { LONG = 100000 };

static const Value *last;

static bool note_last(Op *op, void *arg) {
    (void)arg;
    if (op->nresults == 1) last = &op->results[0];
    return true;
}

static bool knows_argument(void *arg, const Value *v, int64_t *out) {
    *out = *(const int64_t *)arg;
    return v->argument;
}

static void compute_last(void) {
    NumberFrame *frames = malloc((LONG + 1) * sizeof *frames);
    int64_t seven = 7, n = 0;
    Evaluation e = {.known = knows_argument,
                    .arg = &seven,
                    .left = 2 * LONG,
                    .size = LONG + 1,
                    .frames = frames};
    assert_non_null(frames);
    assert_true(number_evaluate(&e, last, &n));
    assert_int_equal(n, 7 + LONG);
    assert_int_equal(e.used, 0);
    e.left = LONG / 2;
    assert_false(number_evaluate(&e, last, &n));
    assert_int_equal(e.used, 0);
    assert_non_null(e.unknown);
    free(frames);
    assert_false(number_known(last, &n));
}

/* A chain of additions needs no stack of C. */
static void long_chain(void **state) {
    char *program = malloc(LONG * 50 + 200), *end = program;
    (void)state;
    assert_non_null(program);
    end += sprintf(end, "func.func @k(%%x0: index) {\n  %%one = arith.constant 1 : index\n");
    for (int i = 0; i < LONG; i++)
        end += sprintf(end, "  %%x%d = arith.addi %%x%d, %%one : index\n", i + 1, i);
    sprintf(end, "  return\n}\n");
    read_and_walk(program, note_last, compute_last);
    free(program);
}

static unsigned nwritten;
static int64_t last_written;

static bool note_written(Op *op, void *arg) {
    (void)arg;
    if (op->nresults == 1) nwritten += number_written(&op->results[0], &last_written);
    return true;
}

/* Only what the text gives: constants, and casts of them. */
static void written(void **state) {
    (void)state;
    assert_false(number_written(NULL, &(int64_t){0}));
    read_and_walk("func.func @k() {\n"
                  "  %c = arith.constant 300 : i32\n"
                  "  %s = arith.addi %c, %c : i32\n"
                  "  %t = arith.trunci %c : i32 to i8\n"
                  "  %i = arith.index_cast %t : i8 to index\n"
                  "  return\n"
                  "}\n",
                  note_written, nothing);
    assert_int_equal(nwritten, 3);
    assert_int_equal(last_written, 44);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_statement),
        cmocka_unit_test(long_chain),
        cmocka_unit_test(written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
