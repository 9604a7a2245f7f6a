/* given.c - cases whose operands come from a program. */
#include "given.h"
#include "context.h"

#include <stdlib.h>

enum { GIVEN_BYTES = 1 << 17 };

/* ---- operands ---- */

/* One valid region for all tiles whose types leave it open: it must fit every one of them. */
static void choose_open_region(Case *c, const Given *g) {
    int64_t rows = 1 << 20, cols = 1 << 20;
    for (int k = 0; k < c->nargs; k++) {
        const GivenArg *from = &g->arg[k];
        if (!is_tile(&c->arg[k])) continue;
        if (from->type.rows < rows) rows = from->type.rows;
        if (from->type.cols < cols) cols = from->type.cols;
    }
    c->vrow = 1 + random_below(&c->random, rows);
    c->vcol = 1 + random_below(&c->random, cols);
}

static void set_tile(Case *c, Arg *a, const GivenArg *from) {
    a->elem = from->type.elem;
    a->space = from->type.space;
    a->pad = from->type.pad;
    a->type = from->type;
    a->row0 = a->col0 = 0;
    a->rows = a->type.rows;
    a->cols = a->type.cols;
    a->vrow = from->vrow >= 0 ? from->vrow : c->vrow;
    a->vcol = from->vcol >= 0 ? from->vcol : c->vcol;
}

static void set_view(Case *c, int k, const GivenArg *from) {
    int64_t stride[5], step = 1;
    for (int i = from->rank - 1; i >= 0; i--) {
        stride[i] = step;
        step *= from->dims[i];
    }
    c->arg[k].elem = from->elem;
    use_view(c, k, PTRT_VIEW_ND, from->rank, from->dims, stride);
}

static void set_operands(Case *c, const Given *g) {
    for (int k = 0; k < c->nargs; k++)
        c->arg[k].absent = c->arg[k].absent || g->arg[k].absent;
    choose_open_region(c, g);
    for (int k = 0; k < c->nargs; k++) {
        Arg *a = &c->arg[k];
        const GivenArg *from = &g->arg[k];
        if (is_tile(a)) set_tile(c, a, from);
        if (is_view(a)) set_view(c, k, from);
        if (a->letter == 'e' && !from->absent) {
            a->elem = from->elem;
            fill_scalar(c, k);
            /* The caller passes an element, not a number with more digits. */
            a->i = a->value.i;
            a->f = a->value.f;
        }
        if ((a->letter == 'i' || a->letter == 'a') && from->has_number) use_int(c, k, from->number);
        a->size = elem_bytes(a->elem);
    }
}

/* ---- places ---- */

static bool place_given(Case *c) {
    for (int s = 0; s < PTRT_SPACES; s++)
        c->ctx->memory[s].used = 0;
    for (int k = 0; k < c->nargs; k++) {
        Arg *a = &c->arg[k];
        Memory *m = arg_memory(c, a);
        if (is_view(a) && !place_view(c, a)) return false;
        if (is_tile(a)) {
            if (!place_apart(c, a)) return false;
            if (ptrt_tile_init(&a->tile, &a->type, m->mem + a->addr, (uint64_t)a->bytes, a->vrow,
                               a->vcol) != PTRT_OK)
                return false;
        }
        if ((is_tile(a) || is_view(a)) && !tabulate(c, k)) return false;
    }
    return true;
}

static bool build_given(Case *c, const Given *g, int number) {
    c->number = (unsigned)number;
    start_case(c, 77);
    if (!line_args(c)) return false;
    set_operands(c, g);
    if (!place_given(c)) return false;
    fill_operands(c, number % 4);
    if (c->line->formula->fill != NULL) c->line->formula->fill(c);
    return true;
}

/* ---- the run ---- */

static bool open_memories(Context *ctx) {
    static const int64_t bytes[PTRT_SPACES] = {0,           GIVEN_BYTES, GIVEN_BYTES,
                                               GIVEN_BYTES, GIVEN_BYTES, GIVEN_BYTES,
                                               GIVEN_BYTES, GIVEN_BYTES, GIVEN_BYTES};
    Random r = {3};
    if (!memory_alloc(ctx, bytes)) return false;
    for (int s = PTRT_GM; s < PTRT_SPACES; s++) {
        Memory *m = &ctx->memory[s];
        if (s != PTRT_GM) m->mem = aligned_alloc(64, (size_t)m->size);
        if (m->mem == NULL) return false;
        fill_noise(m->mem, m->size, &r);
        memcpy(m->want, m->mem, (size_t)m->size);
    }
    samples_make(ctx);
    return true;
}

bool run_given(Run *run, const Given *given, int cases) {
    Context *ctx = calloc(1, sizeof *ctx);
    bool ok = ctx != NULL && open_memories(ctx);
    for (int i = 0; i < cases && ok; i++) {
        Case c = {.line = given->line,
                  .kernel = given->line->kernel,
                  .e1 = given->e1,
                  .e2 = given->e2,
                  .ctx = ctx,
                  .user = given->user,
                  .loose = given->result};
        ctx->run = run;
        if (!build_given(&c, given, i)) {
            fprintf(stderr, "%s: no case can be made\n", given->name);
            run->bad++;
            break;
        }
        c.call = given->call;
        if (!judge_case(&c)) fprintf(stderr, "  in %s: %s\n", given->name, ptrt_error());
    }
    for (int s = PTRT_GM + 1; ctx != NULL && s < PTRT_SPACES; s++)
        free(ctx->memory[s].mem);
    if (ctx != NULL) memory_free(ctx);
    free(ctx);
    return ok;
}
