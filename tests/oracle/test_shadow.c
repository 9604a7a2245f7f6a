/* SPDX-License-Identifier: Apache-2.0 */
/* test_shadow.c - what runtime/shadow/ops.def says that kernels compute in f64 is near to what they
 * compute: the cases of the oracle with numbers that are multiples of one half and not above four.
 * A formula, an operand or an element that is not the right one is far away. */
#include "context.h"
#include "ptort_observe.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

typedef struct Row {
    const char *id;
    int judged, wrong;
} Row;

static Row rows[] = {
#define SHADOW(id, shape, formula) {#id, 0, 0},
#include "shadow/ops.def"
};
enum { NROWS = sizeof rows / sizeof rows[0] };

static Row *row; /* of the cases that run */
static bool shadowed;

/* Scalars come from all pools. */
static bool is_moderate(const Arg *a) {
    const double x = elem_is_real(a->elem) ? a->f : (double)a->i;
    return strchr("ei", a->letter) == NULL || (fabs(x) <= 100 && (x == 0 || fabs(x) >= 0.01));
}

static const Arg *destination_of(const Case *c) {
    for (int k = 0; k < c->nargs; k++)
        if (c->arg[k].out && !c->arg[k].absent) return &c->arg[k];
    return NULL;
}

static void before(Case *c) {
    ptrt_shadow_arg args[MAX_ARGS];
    const Arg *d = destination_of(c);
    shadowed = c->ctx->digits.mode == 3 && c->want_code == PTRT_OK && c->want_checked == PTRT_OK &&
               elem_is_real(d->elem) && elem_lanes(d->elem) == 1;
    for (int k = 0; k < c->nargs; k++) {
        const Arg *a = &c->arg[k];
        shadowed &= is_moderate(a) && elem_lanes(a->elem) == 1;
        args[k] = is_tile(a)   ? (ptrt_shadow_arg){&a->tile, 0, 0}
                  : is_view(a) ? (ptrt_shadow_arg){&a->view, 0, 0}
                  : a->letter == 'e' && elem_is_real(a->elem)
                      ? (ptrt_shadow_arg){NULL, a->value.f, 0}
                      : (ptrt_shadow_arg){NULL, (double)a->i, a->i};
        if (a->absent) args[k] = (ptrt_shadow_arg){NULL, 0, 0};
    }
    if (!shadowed) return;
    ptrt_shadow_start();
    assert_int_equal(ptrt_shadow_before(c->ctx->core, ORACLE_LINE, c->kernel, args), PTRT_OK);
}

/* Sums of many elements have an error for each of them. */
static double permitted(int elem) {
    return elem == PTRT_F64    ? 1e-11
           : elem == PTRT_F32  ? 1e-4
           : elem == PTRT_F16  ? 0.02
           : elem == PTRT_BF16 ? 0.15
                               : 0.5;
}

static void after(Case *c) {
    size_t n, gaps;
    if (!shadowed) return;
    const Arg *d = destination_of(c);
    assert_int_equal(
        ptrt_shadow_after(c->ctx->core, ORACLE_LINE, "op", "%d", is_tile(d) ? &d->tile : NULL),
        PTRT_OK);
    const ptrt_shadow_line *l = ptrt_shadow_lines(&n);
    (void)ptrt_shadow_gaps(&gaps);
    bool good = gaps == 0 && (n == 0 || l->worst <= permitted(d->elem));
    /* Numbers above the largest one of the type are infinite or clamped, and products of them no
     * numbers. */
    const bool beyond = n == 1 && fabs(l->reference) > real_limit(d->elem);
    const bool product = n == 1 && !isfinite(l->stored) && strstr(row->id, "PROD") != NULL;
    /* Where terms cancel, roundings of the type are left. */
    const bool near = n == 1 && fabs(l->stored - l->reference) <= permitted(d->elem);
    if (beyond || product || near) good = gaps == 0;
    row->judged += n == 1 || gaps > 0;
    row->wrong += !good;
    if (!good && row->wrong == 1)
        fprintf(stderr,
                "%s (--case=%s,%d,%d,%u): %zu lines, %zu not followed, worst %g; %g is %g at %lld, "
                "%lld\n",
                row->id, row->id, c->e1, c->e2, c->number, n, gaps, n > 0 ? l->worst : 0,
                n > 0 ? l->stored : 0, n > 0 ? l->reference : 0, n > 0 ? (long long)l->row : 0,
                n > 0 ? (long long)l->col : 0);
    ptrt_shadow_end();
}

/* Kernels whose results are exact as they are stored have no line to judge. */
static bool is_exact(const char *id) {
    return strcmp(id, "TEXPANDS") == 0 || strcmp(id, "TTRI") == 0 || strcmp(id, "TCI") == 0;
}

/* Kernels that only pushes call are those of moves. */
static void test_rows(void **state) {
    int wrong = 0;
    (void)state;
    for (int i = 0; i < NROWS; i++) {
        row = &rows[i];
        Run run = {.line = line_named(row->id),
                   .e1 = -1,
                   .e2 = -1,
                   .number = -1,
                   .cases = 160,
                   .quiet = true,
                   .before_call = before,
                   .after_call = after};
        assert_non_null(run.line);
        assert_true(run_matrix(&run));
        if (row->wrong > 0 || (row->judged < 4 && !is_exact(row->id))) {
            fprintf(stderr, "%s: %d of %d cases are wrong\n", row->id, row->wrong, row->judged);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
