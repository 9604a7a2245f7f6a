/* SPDX-License-Identifier: Apache-2.0 */
/* ptoasm time --baseline and --compare: this report beside one of before. */
#include "cli/report_values.h"
#include "cli/timed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A statement in both reports: what it takes, and how long its pipe waits there. */
typedef struct Change {
    const char *text;
    uint32_t line; /* now; 0: it is gone */
    double before, now, waited, waits;
} Change;

typedef struct Changes {
    Change *list;
    size_t n, cap;
    json_t *index; /* text -> its place in the list */
} Changes;

static Change *change_of(Changes *c, const char *text) {
    const json_t *at = json_object_get(c->index, text);
    if (at != NULL) return &c->list[json_integer_value(at)];
    if (c->n == c->cap) {
        c->cap = c->cap * 2 + 64;
        Change *wider = realloc(c->list, c->cap * sizeof *wider);
        if (wider == NULL) out_of_memory();
        c->list = wider;
    }
    if (json_object_set_new_nocheck(c->index, text, json_integer((json_int_t)c->n)) != 0)
        out_of_memory();
    c->list[c->n] = (Change){.text = text};
    return &c->list[c->n++];
}

static void changes_free(Changes *c) {
    json_decref(c->index);
    free(c->list);
}

static void add_before(Changes *c, json_t *report) {
    json_t *core, *s;
    size_t i, k;
    json_array_foreach(json_object_get(report, "cores"), i, core) {
        json_array_foreach(json_object_get(core, "statements"), k, s) {
            const char *text = json_string_value(json_object_get(s, "text"));
            if (text == NULL) continue;
            Change *change = change_of(c, text);
            change->before += json_number_value(json_object_get(s, "cycles"));
            change->waited += json_number_value(json_object_get(s, "stalled"));
        }
    }
}

static void add_now(Changes *c, const Timing *t) {
    for (unsigned k = 0; k < t->ncores; k++)
        for (size_t i = 0; i < t->cores[k].n; i++) {
            const TimedStatement *s = &t->cores[k].list[i];
            Change *change = change_of(c, s->text);
            change->now += s->cycles;
            change->waits += s->stalled;
            change->line = s->line;
        }
}

/* What takes longer comes before what waits longer, which is the effect of others. */
static int by_difference(const void *a, const void *b) {
    const Change *x = a, *y = b;
    const double dx = fabs(x->now - x->before), dy = fabs(y->now - y->before);
    const double wx = fabs(x->waits - x->waited), wy = fabs(y->waits - y->waited);
    if (dx != dy) return dx < dy ? 1 : -1;
    if (wx != wy) return wx < wy ? 1 : -1;
    return strcmp(x->text, y->text);
}

static Changes find_changes(const Timing *t, json_t *before) {
    Changes c = {.index = json_object()};
    add_before(&c, before);
    add_now(&c, t);
    if (c.n > 0) qsort(c.list, c.n, sizeof *c.list, by_difference);
    return c;
}

static void put_changes(const Changes *c, unsigned top, FILE *to) {
    for (size_t i = 0; i < c->n && i < top; i++) {
        const Change *x = &c->list[i];
        if (fabs(x->now - x->before) + fabs(x->waits - x->waited) < 0.5) break;
        if (x->line != 0)
            fprintf(to, "%6u", x->line);
        else
            fprintf(to, "%6s", "-");
        fprintf(to, "%11.0f%11.0f%11.0f%11.0f  ", x->before, x->now, x->waited, x->waits);
        put_plain(to, x->text);
        fputc('\n', to);
    }
}

static const char heading[] = "  line     before        now   waiting        now\n";

static unsigned top_of(const Options *opt) {
    return opt->time.top != 0 ? opt->time.top : 8;
}

void time_put_compared(const Timing *t, json_t *before, const char *name, const Options *opt,
                       FILE *to) {
    const double was = json_number_value(json_object_get(before, "cycles")), is = timing_total(t);
    Changes c = find_changes(t, before);
    fprintf(to, "%s: %.0f cycles; @%s: %.0f cycles, %+.1f %%\n", name, was, t->function, is,
            was > 0 ? 100 * (is - was) / was : 0);
    fputs(heading, to);
    put_changes(&c, top_of(opt), to);
    changes_free(&c);
}

static bool is_report(const json_t *o) {
    const json_t *cycles = json_object_get(o, "cycles");
    return json_is_number(cycles) && json_number_value(cycles) >= 0 &&
           json_integer_value(json_object_get(o, "version")) == TIME_VERSION &&
           json_is_array(json_object_get(o, "cores"));
}

json_t *time_read_baseline(const Options *opt) {
    const char *path = opt->time.baseline;
    Input in;
    json_error_t error;
    json_prepare();
    if (input_read(path, &in) != FINE) return NULL;
    json_t *o = json_loadb(in.data, in.size, 0, &error);
    input_free(&in);
    if (is_report(o)) return o;
    trouble("'%s' is no report of ptoasm time --format=json", path);
    json_decref(o);
    return NULL;
}

/* Whether the baseline has the same words in a member. */
static bool has_word(const json_t *before, const char *member, const char *word) {
    const char *was = json_string_value(json_object_get(before, member));
    return was != NULL && strcmp(was, word) == 0;
}

int time_check_baseline(const Timing *t, const json_t *before, const Options *opt) {
    const char *profile = profile_names[t->profile], *law = time_law(t);
    if (has_word(before, "profile", profile) && has_word(before, "law", law)) return FINE;
    return trouble("'%s' is not about profile %s and law %s", opt->time.baseline, profile, law);
}

int time_judge_baseline(const Timing *t, json_t *before, const Options *opt) {
    const double was = json_number_value(json_object_get(before, "cycles")), is = timing_total(t);
    if (!(is > was * (1 + opt->time.slower / 100) + 0.5)) return FINE;
    Changes c = find_changes(t, before);
    fprintf(stderr, "ptoasm: error: %.0f cycles are ", is);
    if (was > 0) fprintf(stderr, "%.1f %% ", 100 * (is - was) / was);
    fprintf(stderr, "more than the %.0f of '%s'\n", was, opt->time.baseline);
    fputs(heading, stderr);
    put_changes(&c, 3, stderr);
    changes_free(&c);
    return REJECTED;
}
