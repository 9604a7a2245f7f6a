/* SPDX-License-Identifier: Apache-2.0 */
/* test_matrix.c - the oracle itself: what it must notice, it notices; the numbers of levels and
 * cases can be compared; every line has its argument letters. */
#include "context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static Run run_of(const char *id, int elem) {
    return (Run){
        .line = line_named(id), .e1 = elem, .e2 = -1, .number = -1, .cases = 40, .quiet = true};
}

/* tadd on i32, 40 cases, with results spoilt after each call. */
static Run spoilt(void (*after_call)(Case *c)) {
    Run run = run_of("TADD", PTRT_I32);
    run.after_call = after_call;
    assert_true(run_matrix(&run));
    return run;
}

static bool has_elements(const Arg *d) {
    return d->vrow > 0 && d->vcol > 0;
}

static unsigned char *last_element(Case *c, const Arg *d) {
    return arg_memory(c, d)->mem + arg_at(d, d->vrow - 1, d->vcol - 1);
}

static void change_nothing(Case *c) {
    (void)c;
}

static void change_last_bit(Case *c) {
    const Arg *d = &c->arg[2];
    if (has_elements(d)) last_element(c, d)[3] ^= 0x80;
}

static void leave_last_element(Case *c) {
    const Arg *d = &c->arg[2];
    if (has_elements(d))
        memcpy(last_element(c, d), arg_memory(c, d)->old + arg_at(d, d->vrow - 1, d->vcol - 1), 4);
}

static void write_behind_used_memory(Case *c) {
    Memory *m = arg_memory(c, &c->arg[2]);
    m->mem[m->used + 100] ^= 1;
}

static void write_before_the_destination(Case *c) {
    const Arg *d = &c->arg[2];
    if (d->start > 0) arg_memory(c, d)->mem[d->start - 1] ^= 1;
}

static void write_into_another_space(Case *c) {
    c->ctx->memory[PTRT_ACC].mem[5000] += 1;
}

static void write_beside_the_valid_region(Case *c) {
    const Arg *d = &c->arg[2];
    if (d->vcol < d->cols) arg_memory(c, d)->mem[arg_at(d, 0, d->vcol)] ^= 1;
}

/* One level gives another result than the rest: by less than the formula allows, so that only the
 * levels' difference counts. */
static void differ_at_the_last_pass(Case *c) {
    const Passes *p = &c->ctx->run->passes;
    const Arg *d = &c->arg[1];
    if (c->ctx->pass != &p->pass[p->n - 1] || !has_elements(d)) return;
    unsigned char *at = last_element(c, d);
    double v = num_of(PTRT_F32, bits_load(at, 4)).f;
    if (v > 0x1p-100 && v < 0x1p100) bits_store(at, 4, bits_load(at, 4) ^ 1);
}

static void test_levels_agree(void **state) {
    (void)state;
    Run run = run_of("TEXP", PTRT_F32);
    run.after_call = differ_at_the_last_pass;
    assert_true(run_matrix(&run));
    assert_true(run.bad >= 10);
}

static void test_faults_are_noticed(void **state) {
    (void)state;
    assert_int_equal(spoilt(change_nothing).bad, 0);
    assert_true(spoilt(change_last_bit).bad >= 30);
    assert_true(spoilt(leave_last_element).bad >= 25);
    assert_int_equal(spoilt(write_behind_used_memory).bad, 40);
    assert_true(spoilt(write_before_the_destination).bad >= 30);
    assert_true(spoilt(write_beside_the_valid_region).bad >= 20);
    /* Memory that no operand uses is looked at every 64 calls. */
    assert_true(spoilt(write_into_another_space).bad >= 1);
}

/* NaN results may carry any payload; where bits count, none but the right one. */
static void change_payloads(Case *c) {
    const Arg *d = &c->arg[c->nargs - 1];
    for (int64_t i = 0; i < d->vrow * d->vcol; i++) {
        unsigned char *p = arg_memory(c, d)->mem + arg_at(d, i / d->vcol, i % d->vcol);
        if (bits_have_nan(d->elem, bits_load(p, 4))) p[0] ^= 1;
    }
}

static void test_payloads(void **state) {
    (void)state;
    Run run = run_of("TADD", PTRT_F32);
    run.after_call = change_payloads;
    assert_true(run_matrix(&run));
    assert_int_equal(run.bad, 0);
    run.line = line_named("TTRANS");
    assert_true(run_matrix(&run));
    assert_true(run.bad > 0);
}

/* One more unit in the last place than the formula allows. */
static void move_by_ulps(Case *c, uint32_t n) {
    const Arg *d = &c->arg[1];
    for (int64_t i = 0; i < d->vrow * d->vcol; i++) {
        unsigned char *p = arg_memory(c, d)->mem + arg_at(d, i / d->vcol, i % d->vcol);
        double v = num_of(PTRT_F32, bits_load(p, 4)).f;
        if (v > 0x1p-100 && v < 0x1p100) bits_store(p, 4, bits_load(p, 4) + n);
    }
}

static void move_by_two(Case *c) {
    move_by_ulps(c, 2);
}

static void test_ulps_are_counted(void **state) {
    (void)state;
    Run run = run_of("TEXP", PTRT_F32);
    assert_true(run_matrix(&run));
    assert_int_equal(run.bad, 0);
    run.after_call = move_by_two;
    assert_true(run_matrix(&run));
    assert_true(run.bad > 10);
}

/* The digest depends on the results, and on nothing else. */
static void test_digest(void **state) {
    (void)state;
    Run a = spoilt(NULL), b = spoilt(NULL);
    assert_true(a.digest == b.digest && a.done == b.done && a.done >= 40);
    Run other = run_of("TSUB", PTRT_I32);
    assert_true(run_matrix(&other));
    assert_true(other.digest != a.digest);
}

static bool no_case(Case *c) {
    (void)c;
    return false;
}

/* A line whose plan makes no case is told. */
static void test_line_without_cases(void **state) {
    (void)state;
    Formula formula = {.family = "none", .plan = no_case};
    Line line = lines[0];
    line.formula = &formula;
    Run run = {.line = &line, .e1 = -1, .number = -1, .cases = 40, .quiet = true};
    assert_true(run_matrix(&run));
    assert_int_equal(run.bad, line.ntypes);
}

/* The level that a process gets when PTORT_ISA is `wish`. */
static void level_of_process(const char *wish, char *text, size_t size) {
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        setenv("PTORT_ISA", wish, 1);
        const char *level = ptrt_isa();
        _exit(write(ends[1], level, strlen(level)) < 0);
    }
    close(ends[1]);
    const ssize_t n = read(ends[0], text, size - 1);
    close(ends[0]);
    text[n > 0 ? n : 0] = '\0';
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* Runs before anything asks for the level, which a process chooses once. */
static void test_level_of_the_environment(void **state) {
    Passes all;
    char best[8], level[8];
    (void)state;
    passes_make(&all);
    assert_true(all.n >= 2 && all.pass[0].checked);
    level_of_process("none", best, sizeof best);
    for (int i = 0; i < all.n; i++) {
        level_of_process(all.pass[i].level, level, sizeof level);
        assert_string_equal(level, all.pass[i].level);
    }
    /* The levels stand from the oldest to the newest. */
    assert_string_equal(best, level);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_level_of_the_environment), cmocka_unit_test(test_levels_agree),
        cmocka_unit_test(test_faults_are_noticed),       cmocka_unit_test(test_payloads),
        cmocka_unit_test(test_ulps_are_counted),         cmocka_unit_test(test_digest),
        cmocka_unit_test(test_line_without_cases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
