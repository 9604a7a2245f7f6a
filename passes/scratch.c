/* SPDX-License-Identifier: Apache-2.0 */
/* The arenas of a running pass, and the guard that frees them when memory runs out. */
#include "passes/scratch.h"

static void release(Scratch *s) {
    context_guard(s->ctx, s->outer);
    arena_free(&s->step);
    arena_free(&s->whole);
}

void scratch_run(Context *ctx, void (*run)(Scratch *s, void *arg), void *arg) {
    /* In the arena, not on the stack: local variables that change after setjmp are lost by
     * longjmp. */
    Scratch *s = ARENA_NEW(&ctx->arena, Scratch);
    s->ctx = ctx;
    arena_init(&s->whole, &s->oom);
    arena_init(&s->step, &s->oom);
    if (setjmp(s->oom) != 0) {
        release(s);
        longjmp(*s->outer, 1);
    }
    s->outer = context_guard(ctx, &s->oom);
    arena_alloc(
        &s->step, 1,
        1); /* keeps the first chunk when rewinding, so that a small function needs no malloc */
    s->start = arena_mark(&s->step);
    run(s, arg);
    release(s);
}

void scratch_rewind(Scratch *s) {
    arena_rewind(&s->step, s->start);
}
