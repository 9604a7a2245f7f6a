/* SPDX-License-Identifier: Apache-2.0 */
/* Times programs with all turns of loops and with those skipped that repeat: nothing may differ,
 * and sums must fit. test_cuts reads lines `FILE TAB PROFILE TAB ARGS` from standard input; for
 * each it prints one. */
#include "api/timing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ARGS = 16, BLOCKS = 7 };

static bool prepare(TimingRequest *q, Profile profile, void *arg) {
    (void)arg;
    params_init(&q->params, profile, LAW_DEVICE);
    q->params.flag = 3;
    q->params.issue = 1.25;
    q->params.number[TIME_CROSS] = 40;
    return true;
}

/* What differs between two numbers, or NULL. */
#define DIFFERS(a, b, name)                                                                        \
    do {                                                                                           \
        if ((a) != (b)) {                                                                          \
            printf("%s: %.17g, all turns %.17g; ", name, (double)(a), (double)(b));                \
            return false;                                                                          \
        }                                                                                          \
    } while (false)

static bool same_statement(const TimedStatement *a, const TimedStatement *b) {
    DIFFERS(a->line, b->line, "line");
    DIFFERS(a->count, b->count, a->text);
    DIFFERS(a->cycles, b->cycles, "cycles of a statement");
    DIFFERS(a->stalled, b->stalled, a->text);
    DIFFERS(a->critical, b->critical, "critical");
    DIFFERS(a->origin, b->origin, "origin");
    DIFFERS(a->set_line, b->set_line, "line of a set");
    return true;
}

/* The statements of each pipe add up to the time that it is busy, by origin too, and no pipe does
 * more than there is time; all exactly. */
static bool adds_up(const TimedCore *c) {
    double cycles[TIMING_PIPES] = {0}, origins = 0, all = 0, chain = 0;
    for (size_t i = 0; i < c->n; i++) {
        const TimedStatement *s = &c->list[i];
        chain += s->critical;
        if ((int)s->pipe >= TIMING_PIPES) continue;
        cycles[s->pipe] += s->cycles;
    }
    for (int p = 0; p < TIMING_PIPES; p++) {
        double stall = 0;
        for (int k = 0; k < TIMING_PIPES; k++)
            stall += c->stall[p][k];
        DIFFERS(cycles[p], c->busy[p], "sum of the statements of a pipe");
        if (c->busy[p] + stall > c->cycles)
            DIFFERS(c->busy[p] + stall, c->cycles, "busy and waits");
        all += c->busy[p];
    }
    for (int i = 0; i < ORIGIN_COUNT; i++)
        origins += c->by_origin[i];
    DIFFERS(origins, all, "sum of origins");
    if (c->path_known && chain > c->cycles) DIFFERS(chain, c->cycles, "the longest chain");
    return true;
}

static bool same_core(const TimedCore *a, const TimedCore *b) {
    DIFFERS(a->cycles, b->cycles, "cycles");
    for (int p = 0; p < TIMING_PIPES; p++) {
        DIFFERS(a->busy[p], b->busy[p], "busy");
        for (int k = 0; k < TIMING_PIPES; k++)
            DIFFERS(a->stall[p][k], b->stall[p][k], "stall");
    }
    for (int i = 0; i < ORIGIN_COUNT; i++)
        DIFFERS(a->by_origin[i], b->by_origin[i], "origin");
    DIFFERS(a->bytes, b->bytes, "bytes");
    DIFFERS(a->flops, b->flops, "operations");
    DIFFERS(a->events, b->events, "events");
    DIFFERS(a->path_known, b->path_known, "chain");
    DIFFERS(a->n, b->n, "statements");
    for (size_t i = 0; i < a->n; i++)
        if (!same_statement(&a->list[i], &b->list[i])) return false;
    DIFFERS(a->nslices, b->nslices, "runs");
    for (size_t i = 0; i < a->nslices; i++) {
        DIFFERS(a->slices[i].start, b->slices[i].start, "start of a run");
        DIFFERS(a->slices[i].end, b->slices[i].end, "end of a run");
        DIFFERS(a->slices[i].statement, b->slices[i].statement, "statement of a run");
    }
    return true;
}

/* The cycles of each block. */
static void expand(const TimedGrid *g, double cycles[BLOCKS]) {
    for (int i = 0; i < BLOCKS; i++)
        cycles[i] = -1;
    for (uint32_t i = 0; i < g->nkinds; i++)
        for (int64_t k = 0; k < g->kinds[i].count; k++)
            cycles[g->kinds[i].first + k * g->kinds[i].step] = g->kinds[i].cycles;
}

static bool same_grid(const TimedGrid *a, const TimedGrid *b) {
    double x[BLOCKS], y[BLOCKS];
    /* with all turns there may be too many for all blocks */
    if (b->why != NULL && strcmp(b->why, "too many blocks differ") == 0) return true;
    DIFFERS(a->known, b->known, "grid");
    DIFFERS(a->why == NULL, b->why == NULL, a->why != NULL ? a->why : "grid");
    DIFFERS(a->cycles, b->cycles, "cycles of the grid");
    if (!a->known) return true;
    expand(a, x);
    expand(b, y);
    for (int i = 0; i < BLOCKS; i++)
        DIFFERS(x[i], y[i], "cycles of a block");
    return true;
}

static bool same(const Timing *a, const Timing *b) {
    /* with all turns there may be too many statements */
    if (a->why == NULL && b->why != NULL && strstr(b->why, "too many statements") != NULL)
        return true;
    if (a->why != NULL || b->why != NULL) {
        if (a->why != NULL && b->why != NULL && strcmp(a->why, b->why) == 0) return true;
        printf("%s, all turns %s; ", a->why != NULL ? a->why : "fine",
               b->why != NULL ? b->why : "fine");
        return false;
    }
    DIFFERS(a->ncores, b->ncores, "cores");
    for (unsigned i = 0; i < a->ncores; i++)
        if (!same_core(&a->cores[i], &b->cores[i]) || !adds_up(&a->cores[i])) return false;
    /* with all turns, the model of a long program runs less often */
    for (unsigned i = 0; i < a->nwhat_if && i < b->nwhat_if; i++)
        if (strcmp(a->what_if[i].what, b->what_if[i].what) == 0)
            DIFFERS(a->what_if[i].cycles, b->what_if[i].cycles, a->what_if[i].what);
    for (unsigned i = 0; i < a->nadvice && a->ntried == b->ntried; i++)
        DIFFERS(a->advice[i].gain, b->advice[i].gain, a->advice[i].text);
    return same_grid(&a->whole, &b->whole);
}

/* Times the program; its diagnostics go to standard output if it has errors. */
static ptoasm_result *run(ptoasm_program *program, ptoasm_options *options, TimingCall *call) {
    ptoasm_result *res = NULL;
    const int status = program_time(program, options, call, &res);
    if (status != PTOASM_OK && call->timing.why == NULL) {
        size_t n;
        call->timing.why = ptoasm_result_text(res, &n);
        if (call->timing.why == NULL) call->timing.why = "no report";
    }
    return res;
}

static void judge(const char *path, uint32_t profiles, const char **args, size_t nargs) {
    ptoasm_options options = PTOASM_OPTIONS_INIT;
    ptoasm_source *src = NULL;
    ptoasm_program *program = NULL;
    static char text[1 << 20];
    FILE *file = fopen(path, "rb");
    if (file == NULL) return;
    const size_t n = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    options.profiles = profiles;
    text[n] = '\0';
    ptoasm_source_open(path, text, n, 0, &src);
    ptoasm_program_open(src, &options, &program);
    TimingCall calls[2];
    ptoasm_result *res[2];
    for (int i = 0; i < 2; i++) {
        calls[i] = (TimingCall){.request = {.args = args,
                                            .nargs = nargs,
                                            .grid = BLOCKS,
                                            .block = 1,
                                            .whole = true,
                                            .what_if = true,
                                            .slices = true,
                                            .uncut = i == 1},
                                .prepare = prepare};
        res[i] = run(program, &options, &calls[i]);
    }
    const bool fine = same(&calls[0].timing, &calls[1].timing);
    printf("%s %llu %llu %s\n", fine ? "same" : "differs",
           (unsigned long long)calls[0].timing.steps, (unsigned long long)calls[1].timing.steps,
           calls[0].timing.why != NULL ? calls[0].timing.why : "");
    fflush(stdout);
    for (int i = 0; i < 2; i++)
        ptoasm_result_free(res[i]);
    ptoasm_program_close(program);
    ptoasm_source_close(src);
}

int main(void) {
    char line[4096];
    while (fgets(line, sizeof line, stdin) != NULL) {
        const char *args[MOST_ARGS];
        size_t nargs = 0;
        line[strcspn(line, "\n")] = '\0';
        const char *path = strtok(line, "\t"), *profile = strtok(NULL, "\t");
        if (path == NULL || profile == NULL) return 2;
        for (char *a = strtok(NULL, " "); a != NULL && nargs < MOST_ARGS; a = strtok(NULL, " "))
            args[nargs++] = a;
        judge(path, ptoasm_profiles_from_text(profile), args, nargs);
    }
    return 0;
}
