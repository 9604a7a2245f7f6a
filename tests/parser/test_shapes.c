/* SPDX-License-Identifier: Apache-2.0 */
/* A statement whose shape has been parsed before is not parsed again, which must not show: texts
 * with one to three wrong tokens give the same program and the same messages after a function that
 * has all statements in right shapes as after one that has none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "lexer/lexer.h"
#include "tests/parser/reading.h"

static const char parameters[] = "(%a: i32, %b: i32, %n: index, %c: i1, %p: !pto.ptr<f32>, "
                                 "%v: !pto.tensor_view<?x?xf32>) {\n";
static const char statements[] =
    "%k = arith.constant 4 : i32\n"
    "%l = arith.constant 1.5 : f32\n"
    "%m = arith.addi %a, %b : i32\n"
    "%o = arith.cmpi slt, %a, %b : i32\n"
    "%w = pto.partition_view %v, offsets = [%n, %n], sizes = [%n, %n] : "
    "!pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<?x?xf32>\n"
    "%t = pto.alloc_tile valid_row = %n valid_col = %n : !pto.tile_buf<loc=vec, dtype=f32, "
    "rows=8, cols=8, v_row=?, v_col=?, blayout=row_major, slayout=none_box, fractal=512, pad=0>\n"
    "pto.tload ins(%w : !pto.partition_tensor_view<?x?xf32>) outs(%t : !pto.tile_buf<loc=vec, "
    "dtype=f32, rows=8, cols=8, v_row=?, v_col=?, blayout=row_major, slayout=none_box, "
    "fractal=512, pad=0>)\n"
    "pto.barrier #pto.pipe<PIPE_ALL>\n"
    "%x = pto.load_scalar %p[%n] : !pto.ptr<f32> -> f32\n"
    "%q:2 = func.call @g(%a, %b) {key = 1, other} : (i32, i32) -> (i32, i32)\n"
    "%y, %z = func.call @g(%a, %q#1) : (i32, i32) -> (i32, i32)\n"
    "\"pto.store_scalar\"(%x, %p, %n) : (f32, !pto.ptr<f32>, index) -> ()\n"
    "cf.cond_br %c, ^one(%a : i32), ^two\n"
    "^one(%i: i32):\n"
    "cf.br ^two\n"
    "^two:\n"
    "scf.if %c {\n"
    "}\n"
    "return\n";

enum { MOST_TOKENS = 400, ROUNDS = 6000 };

/* The tokens of `statements`. */
static Span pieces[MOST_TOKENS];
static unsigned npieces;

static void cut(void) {
    Context *ctx = calloc(1, sizeof *ctx);
    Source src = {"test", statements, (uint32_t)strlen(statements)};
    Arena work;
    Lexer lexer;
    TokenBuf buf;
    if (setjmp(ctx->oom) != 0) fail_msg("out of memory");
    context_init(ctx, &src, 0);
    arena_init(&work, &ctx->oom);
    lexer_init(&lexer, ctx, &work, &buf);
    while (!lexer.done)
        lexer_fill(&lexer);
    for (uint32_t i = 0; i + 1 < buf.count && npieces < MOST_TOKENS; i++)
        pieces[npieces++] = (Span){buf.tokens[i].off, buf.tokens[i].len};
    arena_free(&work);
    context_free(ctx);
    free(ctx);
}

static uint32_t seed;
static unsigned pick(unsigned n) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

static void put_piece(StrBuf *out, unsigned i) {
    sb_printf(out, "%.*s", (int)pieces[i].len, statements + pieces[i].off);
}

/* Writes the statements with tokens left out, put in, or replaced by others. */
static void put_changed(StrBuf *out) {
    unsigned at[3], n = 1 + pick(3);
    for (unsigned k = 0; k < n; k++)
        at[k] = pick(npieces);
    for (unsigned i = 0; i < npieces; i++) {
        const uint32_t end = i > 0 ? pieces[i - 1].off + pieces[i - 1].len : 0;
        bool changed = false;
        sb_printf(out, "%.*s", (int)(pieces[i].off - end), statements + end);
        for (unsigned k = 0; k < n; k++)
            changed |= at[k] == i;
        const unsigned how = changed ? pick(3) : 3;
        if (how == 1 || how == 2) put_piece(out, pick(npieces));
        if (how == 1) sb_puts(out, " ");
        if (how == 1 || how == 3) put_piece(out, i);
    }
    sb_puts(out, "\n}\n");
}

static const char *read_after(Arena *arena, const char *before, const StrBuf *changed) {
    StrBuf all, program, out;
    sb_init(&all, arena);
    sb_init(&out, arena);
    sb_printf(&all,
              "func.func private @g(i32, i32) -> (i32, i32)\n"
              "func.func @before%s%s\n}\n",
              parameters, before);
    const uint32_t start = (uint32_t)all.len;
    sb_printf(&all, "func.func @changed%s%s", parameters, sb_text((StrBuf *)(uintptr_t)changed));
    read_text(&all, start, &program, &out);
    const char *after = strstr(sb_text(&program), "func.func @changed");
    sb_puts(&out, after != NULL ? after : "");
    return sb_text(&out);
}

static void same_with_known_shapes(void **state) {
    (void)state;
    jmp_buf oom;
    if (setjmp(oom) != 0) fail_msg("out of memory");
    Arena arena;
    arena_init(&arena, &oom);
    cut();
    assert_in_range(npieces, 150, MOST_TOKENS - 1);
    for (seed = 1; seed <= ROUNDS;) {
        const uint32_t first = seed;
        const ArenaMark mark = arena_mark(&arena);
        StrBuf changed;
        sb_init(&changed, &arena);
        put_changed(&changed);
        const char *alone = read_after(&arena, "return", &changed);
        const char *after = read_after(&arena, statements, &changed);
        if (strcmp(alone, after) != 0)
            fail_msg("seed %u:\n%s\n%s\ninstead of\n%s", first, sb_text(&changed), after, alone);
        arena_rewind(&arena, mark);
        seed = first + 1;
    }
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_with_known_shapes)};
    return cmocka_run_group_tests_name("shapes", tests, NULL, NULL);
}
