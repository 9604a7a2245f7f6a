/* SPDX-License-Identifier: Apache-2.0 */
/* The pipe of a statement whose tiles determine it: each case is one statement of a function. */
#include "ir/core.h"
#include "parser/parse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define VEC "!pto.tile_buf<vec, 32x32xf32>"
#define MAT "!pto.tile_buf<mat, 32x32xf32>"
#define ACC "!pto.tile_buf<acc, 32x32xf32>"
#define VIEW "!pto.partition_tensor_view<32x32xf32>"

typedef struct Case {
    const char *op, *from, *to; /* `op` with two types */
    Pipe cpu, a2a3, a5;
} Case;

#define ALL(p) p, p, p
#define TILES(name) name " ins(%%p : %s) outs(%%q : %s)"
#define WINDOW(name) name " ins(%%p, %%n, %%n : %s, index, index) outs(%%q : %s)"

static const Case cases[] = {
    {TILES("pto.tabs"), VEC, VEC, ALL(PIPE_V)}, /* by its row */
    {TILES("pto.tstore"), VEC, VIEW, ALL(PIPE_MTE3)},
    {TILES("pto.tstore"), MAT, VIEW, ALL(PIPE_MTE3)},
    {TILES("pto.tstore"), ACC, VIEW, ALL(PIPE_FIX)},
    {TILES("pto.tmov"), VEC, VEC, ALL(PIPE_V)},
    {TILES("pto.tmov"), MAT, "!pto.tile_buf<left, 32x32xf32>", ALL(PIPE_MTE1)},
    {TILES("pto.tmov"), MAT, "!pto.tile_buf<right, 32x32xf32>", ALL(PIPE_MTE1)},
    {TILES("pto.tmov"), MAT, "!pto.tile_buf<bias, 1x32xf32>", ALL(PIPE_MTE1)},
    {TILES("pto.tmov"), MAT, "!pto.tile_buf<scaling, 1x32xf32>", ALL(PIPE_FIX)},
    {TILES("pto.tmov"), "!pto.tile_buf<mat, 32x32x!pto.f8E8M0>",
     "!pto.tile_buf<scaling, 32x32x!pto.f8E8M0>", ALL(PIPE_MTE1)},
    {TILES("pto.tmov"), ACC, VEC, ALL(PIPE_FIX)},
    {TILES("pto.tmov"), ACC, MAT, ALL(PIPE_FIX)},
    {WINDOW("pto.textract"), MAT, "!pto.tile_buf<left, 16x32xf32>", ALL(PIPE_MTE1)},
    {WINDOW("pto.textract"), VEC, MAT, ALL(PIPE_FIX)},
    {WINDOW("pto.textract"), VEC, VEC, ALL(PIPE_V)},
    {WINDOW("pto.tinsert"), VEC, VEC, ALL(PIPE_V)},
    {WINDOW("pto.tinsert"), VEC, MAT, PIPE_FIX, PIPE_FIX, PIPE_MTE3},
    {WINDOW("pto.tinsert"), ACC, MAT, ALL(PIPE_FIX)},
    {TILES("pto.tfillpad"), VEC, VEC, ALL(PIPE_V)},
    {TILES("pto.tfillpad"), MAT, MAT, ALL(PIPE_MTE1)},
    {"pto.mgather ins(%%q, %%x : %2$s, !pto.tile_buf<vec, 32x32xi32>) outs(%%p : %1$s)", VEC, VIEW,
     PIPE_MTE2, PIPE_MTE2, PIPE_V},
    {"%%c = arith.constant 0 : i32 pto.tci ins(%%c, %%p : i32, %1$s) outs(%%x : "
     "!pto.tile_buf<vec, 32x32xi32>)",
     VEC, VEC, PIPE_S, PIPE_V, PIPE_S},
    {"%%c = arith.constant 0 : i32 pto.tci ins(%%c : i32) outs(%%x : "
     "!pto.tile_buf<vec, 32x32xi32>)",
     VEC, VEC, ALL(PIPE_S)},
};

static bool find_last(Op *op, void *arg) {
    Op **last = arg;
    if (inst_pipe(op->inst, PROFILE_A5) != PIPE_NONE) *last = op;
    return true;
}

static void check_case(const Case *c) {
    static Context ctx;
    static char text[4096];
    const Pipe want[PROFILE_COUNT] = {
        [PROFILE_CPU] = c->cpu, [PROFILE_A2A3] = c->a2a3, [PROFILE_A5] = c->a5};
    Op *op = NULL;
    int n = snprintf(text, sizeof text,
                     "func.func @f(%%p: %s, %%q: %s, %%n: index, "
                     "%%x: !pto.tile_buf<vec, 32x32xi32>) {\n",
                     c->from, c->to);
    n += snprintf(text + n, sizeof text - (size_t)n, c->op, c->from, c->to);
    snprintf(text + n, sizeof text - (size_t)n, "\nreturn\n}\n");
    memset(&ctx, 0, sizeof ctx);
    Source source = {.name = "test.pto", .data = text, .size = (uint32_t)strlen(text)};
    if (setjmp(ctx.oom) != 0) fail_msg("out of memory");
    context_init(&ctx, &source, 0);
    Module *m = parse_module(&ctx);
    if (!m->bound_ok) fail_msg("cannot be read:\n%s", text);
    op_walk(m->root, find_last, &op);
    for (int p = 0; p < PROFILE_COUNT; p++) {
        Pipe other, pipe = op_pipe_by_tiles(op, (Profile)p, &other);
        if (pipe != want[p])
            fail_msg("%s: pipe %d, not %d, of:\n%s", profile_names[p], pipe, want[p], text);
    }
    context_free(&ctx);
}

static void tiles_determine_the_pipe(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_case(&cases[i]);
}

/* Every list of ways ends with one that holds always. */
static void rows_have_ways(void **state) {
    (void)state;
    unsigned found = 0;
    for (unsigned i = 0; i < INST_COUNT; i++) {
        const Inst *inst = &inst_table[i];
        bool by_operand = false;
        for (int p = 0; p < PROFILE_COUNT; p++)
            by_operand |= inst_pipe(inst, (Profile)p) == PIPE_BY_OPERAND;
        if (!by_operand) continue;
        const PipeWay *w = inst->rare->pipe_ways;
        if (w == NULL || inst->rare->pipe_of == NULL) fail_msg("%s: no ways", inst->name);
        while (w->from != SPACE_COUNT || w->to != SPACE_COUNT || w->with != 0)
            w++;
        assert_int_equal(w->elem, ELEM_NONE);
        found++;
    }
    assert_true(found >= 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(tiles_determine_the_pipe),
                                       cmocka_unit_test(rows_have_ways)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
