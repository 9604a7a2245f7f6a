/* SPDX-License-Identifier: Apache-2.0 */
/* ptoasm time: the report as text. */
#include "cli/timed.h"
#include "ir/profile.h"

#include <stdlib.h>
#include <string.h>

/* Writes a number of cycles with commas: 13,875; a very large one as 1.234e+20. */
static const char *cycles_text(double cycles, char out[32]) {
    char digits[24];
    const bool large = !(cycles < 1e15 && cycles > -1e15);
    const int n = snprintf(digits, sizeof digits, large ? "%.3e" : "%.0f", cycles);
    char *to = out;
    if (large) return strcpy(out, digits);
    for (int i = 0; i < n; i++) {
        if (i > 0 && (n - i) % 3 == 0 && digits[i - 1] != '-') *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
    return out;
}

static double percent(double part, double of) {
    return of > 0 ? 100 * part / of : 0;
}

const char *timed_pipe(const TimedStatement *s) {
    return pipe_short_name(s->pipe, "all");
}

double timing_total(const Timing *t) {
    double total = 0;
    for (unsigned i = 0; i < t->ncores; i++)
        if (t->cores[i].cycles > total) total = t->cores[i].cycles;
    return total;
}

/* ---- what holds the program back ---- */

static const char *pipe_meaning(Pipe p) {
    static const char *const meanings[TIMING_PIPES] = {[PIPE_V] = "vector unit",
                                                       [PIPE_M] = "cube unit",
                                                       [PIPE_MTE1] = "moves inside the chip",
                                                       [PIPE_MTE2] = "loads from global memory",
                                                       [PIPE_MTE3] = "stores",
                                                       [PIPE_FIX] = "fix pipe",
                                                       [PIPE_S] = "scalar unit"};
    return meanings[p];
}

static Pipe busiest(const TimedCore *c) {
    int most = PIPE_S;
    for (int p = PIPE_S; p < TIMING_PIPES; p++)
        if (c->busy[p] > c->busy[most]) most = p;
    return (Pipe)most;
}

static void put_bound(const Timing *t, const TimedCore *c, FILE *to) {
    const Pipe p = busiest(c);
    const double part = percent(c->busy[p], c->cycles);
    if (c->cycles <= 0) return;
    fprintf(to, "%s by %s, %s: busy %.0f %% of the time\n", part >= 90 ? "bound" : "held back",
            timing_pipe_name((Pipe)p), pipe_meaning(p), part);
    if (part < 90)
        fprintf(to, "  no pipe is busy nine tenths of the time: what waits for what decides\n");
    if (c->bytes == 0 && c->flops == 0) return;
    fprintf(to, "global memory: %lld bytes, %.1f a cycle, %.1f GB/s", (long long)c->bytes,
            (double)c->bytes / c->cycles, (double)c->bytes / c->cycles * t->clock / 1e9);
    if (c->flops > 0)
        fprintf(to, "; cube: %lld operations, %.0f a cycle, %.1f a byte", (long long)c->flops,
                (double)c->flops / c->cycles,
                c->bytes > 0 ? (double)c->flops / (double)c->bytes : 0);
    fputc('\n', to);
}

/* ---- pipes ---- */

static void put_pipe(const TimedCore *c, Pipe p, FILE *to) {
    char busy[32], other[32];
    double stalled = 0;
    char waits[256] = "";
    for (int by = PIPE_NONE; by < TIMING_PIPES; by++) {
        stalled += c->stall[p][by];
        const size_t n = strlen(waits);
        if (c->stall[p][by] >= 0.5)
            snprintf(waits + n, sizeof waits - n, "%s%s %s", n > 0 ? ", " : "",
                     timing_pipe_name((Pipe)by), cycles_text(c->stall[p][by], other));
    }
    double idle = c->cycles - c->busy[p] - stalled;
    if (idle < 0) idle = 0;
    fprintf(to, "  %-5s %12s %4.0f %%  %12s  %s\n", timing_pipe_name((Pipe)p),
            cycles_text(c->busy[p], busy), percent(c->busy[p], c->cycles), cycles_text(idle, other),
            waits);
}

static void put_pipes(const TimedCore *c, FILE *to) {
    fprintf(to, "  pipe          busy              idle  waits for\n");
    for (int p = PIPE_V; p < TIMING_PIPES; p++)
        if (c->busy[p] > 0) put_pipe(c, (Pipe)p, to);
}

/* ---- statements ---- */

static int by_critical(const void *a, const void *b) {
    const TimedStatement *x = *(const TimedStatement *const *)a,
                         *y = *(const TimedStatement *const *)b;
    if (x->critical != y->critical) return x->critical < y->critical ? 1 : -1;
    return x < y ? -1 : x > y;
}

static int by_stall(const void *a, const void *b) {
    const TimedStatement *x = *(const TimedStatement *const *)a,
                         *y = *(const TimedStatement *const *)b;
    if (x->stalled != y->stalled) return x->stalled < y->stalled ? 1 : -1;
    return x < y ? -1 : x > y;
}

/* The statements in an order, those for which `of` gives nothing last. */
static const TimedStatement **sorted(const TimedCore *c, int (*order)(const void *, const void *)) {
    const TimedStatement **list = calloc(c->n + 1, sizeof *list);
    if (list == NULL) return NULL;
    for (size_t i = 0; i < c->n; i++)
        list[i] = &c->list[i];
    qsort(list, c->n, sizeof *list, order);
    return list;
}

static void put_line(uint32_t line, FILE *to) {
    if (line == 0)
        fprintf(to, "     +");
    else
        fprintf(to, "%6u", line);
}

static void put_source(const TimedStatement *s, FILE *to) {
    if (s->source_line == 0) return;
    fputs("  (", to);
    put_plain(to, s->source_file);
    fprintf(to, ":%u)", s->source_line);
}

static bool put_path(const TimedCore *c, unsigned top, FILE *to) {
    char text[32];
    const TimedStatement **list = sorted(c, by_critical);
    if (list == NULL) return false;
    if (c->path_known && c->n > 0 && list[0]->critical > 0)
        fprintf(to, "longest chain: line, pipe, cycles\n");
    for (size_t i = 0; i < c->n && i < top && c->path_known && list[i]->critical > 0; i++) {
        const TimedStatement *s = list[i];
        put_line(s->line, to);
        fprintf(to, "  %-5s %12s %4.0f %%  %llux %.1f  ", timed_pipe(s),
                cycles_text(s->critical, text), percent(s->critical, c->cycles),
                (unsigned long long)s->count, s->cycles / (double)s->count);
        put_plain(to, s->text);
        put_source(s, to);
        fputc('\n', to);
    }
    free(list);
    return true;
}

static bool put_waits(const TimedCore *c, unsigned top, FILE *to) {
    char text[32];
    const TimedStatement **list = sorted(c, by_stall);
    if (list == NULL) return false;
    if (c->n > 0 && list[0]->stalled >= 0.5) fprintf(to, "waits: line, pipe, cycles\n");
    for (size_t i = 0; i < c->n && i < top && list[i]->stalled >= 0.5; i++) {
        const TimedStatement *s = list[i];
        put_line(s->line, to);
        fprintf(to, "  %-5s %12s %4.0f %%  ", timed_pipe(s), cycles_text(s->stalled, text),
                percent(s->stalled, c->cycles));
        put_plain(to, s->text);
        if (s->set_line != 0) fprintf(to, ", set in line %u", s->set_line);
        fputc('\n', to);
    }
    free(list);
    return true;
}

/* ---- the rest ---- */

static void put_what_ifs(const Timing *t, FILE *to) {
    char text[32];
    const double total = timing_total(t);
    if (t->nwhat_if > 0) fprintf(to, "what if\n");
    for (unsigned i = 0; i < t->nwhat_if; i++)
        fprintf(to, "  %-26s %12s  %+.0f %%\n", t->what_if[i].what,
                cycles_text(t->what_if[i].cycles, text),
                percent(t->what_if[i].cycles - total, total));
}

static void put_advice(const Timing *t, FILE *to) {
    char text[32];
    const double total = timing_total(t);
    if (t->nadvice > 0) fprintf(to, "advice: line, cycles that it saves\n");
    for (unsigned i = 0; i < t->nadvice; i++) {
        put_line(t->advice[i].line, to);
        fprintf(to, "  %12s %4.0f %%  %s\n", cycles_text(t->advice[i].gain, text),
                percent(t->advice[i].gain, total), t->advice[i].text);
    }
}

static void put_origins(const TimedCore *c, FILE *to) {
    double all = 0;
    bool first = true;
    for (int o = 0; o < ORIGIN_COUNT; o++)
        all += c->by_origin[o];
    if (all <= 0) return;
    fprintf(to, "prices:");
    for (int o = 0; o < ORIGIN_COUNT; o++) {
        if (c->by_origin[o] <= 0) continue;
        fprintf(to, "%s %s %.0f %%", first ? "" : ",", origin_names[o],
                percent(c->by_origin[o], all));
        first = false;
    }
    fputc('\n', to);
}

/* The blocks of one kind: 0 to 6, or 0, 2 to 6. */
static void put_kind(const TimedKind *k, FILE *to) {
    char text[32];
    const int64_t last = k->first + (k->count - 1) * k->step;
    fprintf(to, "  block%s %lld", k->count > 1 ? "s" : "", (long long)k->first);
    if (k->count > 2 && k->step > 1) fprintf(to, ", %lld", (long long)(k->first + k->step));
    if (k->count > 1)
        fprintf(to, k->count > 2 || k->step == 1 ? " to %lld" : " and %lld", (long long)last);
    fprintf(to, ": %s cycles\n", cycles_text(k->cycles, text));
}

static void put_grid(const Timing *t, unsigned top, FILE *to) {
    const TimedGrid *g = &t->whole;
    char text[32];
    if (g->why != NULL) fprintf(to, "grid: not known: %s\n", g->why);
    if (!g->known) return;
    fprintf(
        to,
        "grid: %lld blocks, %u at a time: %s cycles, %.2f us; with the launch %.2f us (each begins "
        "on the first core that is free%s)\n",
        (long long)g->blocks, g->at_once, cycles_text(g->cycles, text), g->cycles / t->clock * 1e6,
        (g->cycles + t->launch) / t->clock * 1e6, t->shared ? "" : ", no memory is shared");
    for (uint32_t i = 0; i < g->nkinds && i < top; i++)
        put_kind(&g->kinds[i], to);
    if (g->nkinds > top) fprintf(to, "  and %u more\n", g->nkinds - top);
}

static bool put_core(const Timing *t, const TimedCore *c, unsigned top, FILE *to) {
    char text[32];
    if (*c->kind != '\0')
        fprintf(to, "%s core: %s cycles, %.2f us\n", c->kind, cycles_text(c->cycles, text),
                c->cycles / t->clock * 1e6);
    put_bound(t, c, to);
    put_pipes(c, to);
    const bool fine = put_path(c, top, to) && put_waits(c, top, to);
    put_origins(c, to);
    return fine;
}

static void put_assumed(const Timing *t, FILE *to) {
    if (t->nassumed == 0) return;
    fprintf(to, "uncertain: conditions that data decides are taken to hold, in line%s",
            t->nassumed > 1 ? "s" : "");
    for (unsigned i = 0; i < t->nassumed && i < MOST_ASSUMED; i++)
        fprintf(to, "%s %u", i > 0 ? "," : "", t->assumed[i]);
    fprintf(to, "%s\n", t->nassumed > MOST_ASSUMED ? " ..." : "");
}

bool time_put_text(const Timing *t, const char *file, const Options *opt, FILE *to) {
    char text[32];
    const double total = timing_total(t);
    fprintf(to, "@%s (%s:%u), %s, law %s: %s cycles, %.2f us at %.2f GHz\n", t->function, file,
            t->line, profile_names[t->profile], t->law == LAW_VENDOR ? "vendor" : "device",
            cycles_text(total, text), total / t->clock * 1e6, t->clock / 1e9);
    fprintf(to, "one block, number %lld of %lld; with the launch %.2f us%s\n", (long long)t->block,
            (long long)t->grid, (total + t->launch) / t->clock * 1e6,
            t->inserted ? "; flags inserted as by fmt --insert-sync" : "");
    const unsigned top = opt->time.top != 0 ? opt->time.top : 8;
    put_grid(t, top, to);
    for (unsigned i = 0; i < t->ncores; i++)
        if (!put_core(t, &t->cores[i], top, to)) return false;
    put_what_ifs(t, to);
    put_advice(t, to);
    put_assumed(t, to);
    if (t->crosses)
        fprintf(to, "uncertain: cube and vector cores wait for each other, and what that costs is "
                    "not published\n");
    return true;
}

/* ---- --annotate ---- */

static void put_margin(const Timing *t, uint32_t line, FILE *to) {
    const TimedLine *l = line < t->nlines ? &t->lines[line] : NULL;
    char text[32], waited[40] = "";
    if (l == NULL || l->count == 0) {
        fprintf(to, "%39s", "");
        return;
    }
    fprintf(to, "%-5s%7llux%12s", pipe_short_name(l->pipe, "all"), (unsigned long long)l->count,
            l->cycles > 0 ? cycles_text(l->cycles, text) : "");
    if (l->stalled >= 0.5) snprintf(waited, sizeof waited, "+%s", cycles_text(l->stalled, text));
    fprintf(to, "%14s", waited);
}

void time_put_annotated(const Timing *t, const char *source, FILE *to) {
    uint32_t line = 1;
    fprintf(to, "pipe    times      cycles       waited | %s\n", t->function);
    for (const char *at = source; *at != '\0'; line++) {
        const size_t n = strcspn(at, "\n");
        put_margin(t, line, to);
        fprintf(to, " | %.*s\n", (int)n, at);
        at += n + (at[n] != '\0');
    }
}
