/* SPDX-License-Identifier: Apache-2.0 */
/* judge.c - compares the accesses of all cores to global memory: what two of them do to the same
 * bytes in no order, and what is read that nothing has written. */
#include "sanitize/sanitize.h"

#include <stdio.h>
#include <stdlib.h>

/* A run of bytes of a record. */
typedef struct Run {
    uintptr_t from, end;
    const san_record *r;
    const san_log *log;
} Run;

/* Runs by address; those that one statement made of the same bytes on one core are a series, in the
 * order of the core's text. The later one of a series knows what an earlier one knew, and who knows
 * of the later one knows of the earlier one: one or two of a series answer for all. */
typedef struct Series {
    const Run *list;
    size_t n;
} Series;

typedef struct Runs {
    Run *list;
    size_t n, cap;
    Series *series;
    size_t nseries;
} Runs;

static bool add(Runs *runs, const Run *run) {
    if (runs->n == runs->cap) {
        const size_t cap = runs->cap == 0 ? 256 : runs->cap * 2;
        Run *more = realloc(runs->list, cap * sizeof *more);
        if (!more) return false;
        runs->list = more;
        runs->cap = cap;
    }
    runs->list[runs->n++] = *run;
    return true;
}

static bool add_record(Runs *runs, const san_log *log, const san_record *r) {
    for (uint32_t i = 0; i < r->rows; i++) {
        const uintptr_t at = r->at + (uintptr_t)i * (uintptr_t)r->pitch;
        if (!add(runs, &(Run){at, at + r->bytes, r, log})) return false;
    }
    return true;
}

static bool collect(const san_session *s, Runs *runs) {
    for (const san_log *log = s->logs; log; log = log->next)
        for (size_t i = 0; i < log->n; i++)
            if (!add_record(runs, log, &log->list[i])) return false;
    return true;
}

static int order_of(uintptr_t a, uintptr_t b) {
    return (a > b) - (a < b);
}

/* Compares what the runs of a series have in common. */
static int by_series(const Run *a, const Run *b) {
    int order = order_of(a->from, b->from);
    if (order == 0) order = order_of(a->log->core, b->log->core);
    if (order == 0) order = order_of(a->end, b->end);
    if (order == 0) order = order_of(a->r->site->line, b->r->site->line);
    return order != 0 ? order : order_of((uintptr_t)a->r->site, (uintptr_t)b->r->site);
}

static int by_address(const void *x, const void *y) {
    const Run *a = x, *b = y;
    const int order = by_series(a, b);
    return order != 0 ? order : order_of((uintptr_t)a->r, (uintptr_t)b->r);
}

/* Sorts the runs, drops what a statement does twice in one execution, and finds the series. */
static bool sort(Runs *runs) {
    size_t n = 0;
    if (runs->n == 0) return true;
    qsort(runs->list, runs->n, sizeof *runs->list, by_address);
    runs->series = calloc(runs->n, sizeof *runs->series);
    if (!runs->series) return false;
    for (size_t i = 0; i < runs->n; i++) {
        const Run *r = &runs->list[i], *last = n > 0 ? &runs->list[n - 1] : NULL;
        const bool goes_on = last && by_series(last, r) == 0;
        if (goes_on && last->r->number == r->r->number) continue;
        if (!goes_on) runs->series[runs->nseries++] = (Series){&runs->list[n], 0};
        runs->series[runs->nseries - 1].n++;
        runs->list[n++] = *r;
    }
    runs->n = n;
    return true;
}

/* ---- order ---- */

static bool writes(const san_record *r) {
    return (r->role & PTRT_WRITE) != 0;
}

/* Whether `b` knows that `a` has ended, in a model. */
static bool knows(const Run *b, const Run *a, int model) {
    const int lane = a->log->place.place * SAN_PIPES + a->r->pipe;
    const san_clock *seen = b->r->seen[model];
    if (a->log->group == b->log->group) return seen->at[lane] >= a->r->number;
    return san_base_at(seen->base, a->log->core * SAN_PIPES + a->r->pipe) >= a->r->number;
}

/* Whether the order of an earlier and a later access of one core is known. */
static bool keeps_order(const Run *a, const Run *b, int model) {
    const int pipe = b->r->pipe;
    if (a->r->site == b->r->site && a->r->number == b->r->number) return true;
    if (a->r->pipe == PTRT_PIPE_NONE || pipe == PTRT_PIPE_NONE) return true;
    if (a->r->pipe == pipe && (b->log->ordered[model] >> pipe & 1) != 0) return true;
    return knows(b, a, model);
}

static bool both_atomic(const san_record *a, const san_record *b) {
    return (a->site->flags & b->site->flags & PTRT_SITE_ATOMIC) != 0;
}

/* ---- races ---- */

typedef struct Judge {
    san_session *s;
    Runs runs;
} Judge;

static void put_access(const Judge *j, const Run *r, uintptr_t from, uintptr_t end, char *text,
                       size_t size) {
    char what[120];
    (void)san_put_memory(j->s, from, end - from, what, sizeof what);
    snprintf(text, size, "%s %s %s%s%s", r->r->site->op, san_verb(r->r->site, writes(r->r)), what,
             r->r->pipe != PTRT_PIPE_NONE ? " on " : "",
             r->r->pipe != PTRT_PIPE_NONE ? san_pipe_name(r->r->pipe) : "");
}

static void report_race(const Judge *j, const Run *a, const Run *b, const char *id, bool same) {
    char text[400], note[400], first[200], second[200], where[80], other[80];
    /* `b` is reported: the later one of a core, else the one further down in the text */
    if (!same && (a->r->site->line > b->r->site->line)) {
        const Run *c = a;
        a = b;
        b = c;
    }
    const uintptr_t from = a->from > b->from ? a->from : b->from;
    const uintptr_t end = a->end < b->end ? a->end : b->end;
    const uint64_t at = san_put_memory(j->s, from, end - from, first, sizeof first);
    if (!san_wanted(j->s, id, b->r->site, a->r->site, &b->log->place, at)) return;
    put_access(j, b, from, end, second, sizeof second);
    put_access(j, a, from, end, first, sizeof first);
    san_put_place(&b->log->place, where, sizeof where);
    san_put_place(&a->log->place, other, sizeof other);
    if (same)
        snprintf(text, sizeof text, "%s while %s may still %s them (%s)", second, a->r->site->op,
                 writes(a->r) ? "write" : "read", where);
    else
        snprintf(text, sizeof text,
                 "%s, and nothing orders it before or after %s of another core (%s)", second,
                 a->r->site->op, where);
    snprintf(note, sizeof note, "%s (%s)", first, other);
    san_report(j->s, id, b->r->site, a->r->site, &b->log->place, at, end - from, text, note);
}

/* Returns how many runs of a series `b` knows to have ended. */
static size_t known(const Series *s, const Run *b, int model) {
    size_t low = 0, high = s->n;
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        if (knows(b, &s->list[mid], model))
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* Compares a run with a series of another core. */
static void compare_cores(const Judge *j, const Series *s, const Run *r) {
    const size_t first = known(s, r, 0);
    if (first < s->n && !knows(&s->list[first], r, 0))
        report_race(j, &s->list[first], r, "memory-race", false);
}

/* Compares a run with the runs of a series that come before it on its core. */
static void compare_earlier(const Judge *j, const Series *s, const Run *r) {
    size_t low = 0, high = s->n;
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        if (s->list[mid].r < r->r)
            low = mid + 1;
        else
            high = mid;
    }
    /* one execution may access the same bytes in runs of two lengths */
    while (low > 0 && s->list[low - 1].r->site == r->r->site &&
           s->list[low - 1].r->number == r->r->number)
        low--;
    if (low == 0) return;
    if (!keeps_order(&s->list[low - 1], r, 0)) {
        report_race(j, &s->list[low - 1], r, "sync-race", true);
        low = known(s, r, 0); /* an earlier one may be ordered in one model alone */
    }
    if (low > 0 && r->log->models > 1 && !keeps_order(&s->list[low - 1], r, 1))
        report_race(j, &s->list[low - 1], r, "sync-weak", true);
}

static void compare(const Judge *j, const Series *x, const Series *y) {
    const san_record *a = x->list[0].r, *b = y->list[0].r;
    if ((!writes(a) && !writes(b)) || both_atomic(a, b)) return;
    const bool same = x->list[0].log == y->list[0].log;
    for (size_t i = 0; i < y->n; i++)
        (same ? compare_earlier : compare_cores)(j, x, &y->list[i]);
    for (size_t i = 0; same && x != y && i < x->n; i++)
        compare_earlier(j, y, &x->list[i]);
}

typedef struct Open {
    const Series **list;
    size_t n;
} Open;

/* Drops the series that end before `s` begins, and compares the others. */
static void meet(const Judge *j, Open *open, const Series *s, bool want) {
    size_t kept = 0;
    for (size_t i = 0; i < open->n; i++) {
        const Series *o = open->list[i];
        if (o->list->end <= s->list->from) continue;
        open->list[kept++] = o;
        if (want) compare(j, o, s);
    }
    open->n = kept;
}

static bool find_races(const Judge *j) {
    Open readers = {calloc(j->runs.nseries + 1, sizeof *readers.list), 0};
    Open writers = {calloc(j->runs.nseries + 1, sizeof *writers.list), 0};
    const bool fine = readers.list && writers.list;
    for (size_t i = 0; fine && i < j->runs.nseries; i++) {
        const Series *s = &j->runs.series[i];
        const bool write = writes(s->list->r);
        meet(j, &writers, s, true);
        if (write) meet(j, &readers, s, true);
        if (write) compare(j, s, s);
        Open *own = write ? &writers : &readers;
        /* what no write visits must be dropped, too */
        if (!write && (readers.n & 63) == 63) meet(j, &readers, s, false);
        own->list[own->n++] = s;
    }
    free(readers.list);
    free(writers.list);
    return fine;
}

/* ---- what nothing has written ---- */

/* Whether the write may have come before the read: of series, their first runs. */
static bool may_precede(const Run *w, const Run *r) {
    if (w->log == r->log) return w->r < r->r;
    return !knows(w, r, 0);
}

static size_t first_from(const Runs *runs, uintptr_t at) {
    size_t low = 0, high = runs->nseries;
    while (low < high) {
        const size_t mid = (low + high) / 2;
        if (runs->series[mid].list->from < at)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* Marks the bytes of a run that some write may have defined. `longest` is the longest run. */
static void mark(const Runs *runs, const Run *r, uint64_t longest, unsigned char *map) {
    const uintptr_t low = r->from > longest ? r->from - longest : 0;
    for (size_t i = first_from(runs, low); i < runs->nseries; i++) {
        const Run *w = runs->series[i].list;
        if (w->from >= r->end) break;
        if (!writes(w->r) || w->end <= r->from || !may_precede(w, r)) continue;
        const uintptr_t from = w->from > r->from ? w->from : r->from;
        const uintptr_t end = w->end < r->end ? w->end : r->end;
        memset(map + (from - r->from), 1, end - from);
    }
}

static void report_unwritten(const Judge *j, const Run *r, uintptr_t at, uint64_t bytes,
                             uint64_t missing) {
    char text[400], what[120], where[80];
    const uint64_t offset = san_put_memory(j->s, at, bytes, what, sizeof what);
    if (!san_wanted(j->s, "uninit-memory", r->r->site, NULL, &r->log->place, offset)) return;
    san_put_place(&r->log->place, where, sizeof where);
    snprintf(text, sizeof text, "%s reads %s; nothing has written %llu of them (%s)",
             r->r->site->op, what, (unsigned long long)missing, where);
    san_report(j->s, "uninit-memory", r->r->site, NULL, &r->log->place, offset, missing, text,
               NULL);
}

static bool is_undefined(const san_session *s, const Run *r) {
    for (size_t i = 0; i < s->nmemory; i++)
        if (!s->memory[i].defined && r->from >= s->memory[i].base &&
            r->end <= s->memory[i].base + s->memory[i].bytes)
            return true;
    return false;
}

static bool find_unwritten(const Judge *j) {
    uint64_t longest = 0, size = 0;
    unsigned char *map = NULL;
    for (size_t i = 0; i < j->runs.nseries; i++)
        if (j->runs.series[i].list->end - j->runs.series[i].list->from > longest)
            longest = j->runs.series[i].list->end - j->runs.series[i].list->from;
    for (size_t i = 0; i < j->runs.nseries; i++) {
        const Run *r = j->runs.series[i].list;
        const uint64_t bytes = r->end - r->from;
        if ((r->r->role & PTRT_READ) == 0 || !is_undefined(j->s, r)) continue;
        if (bytes > size) {
            free(map);
            map = malloc((size_t)(size = bytes));
            if (!map) return false;
        }
        memset(map, 0, (size_t)bytes);
        mark(&j->runs, r, longest, map);
        uint64_t first = 0, last = 0, missing = 0;
        for (uint64_t k = bytes; k-- > 0;)
            if (!map[k]) {
                if (missing++ == 0) last = k;
                first = k;
            }
        const bool some = (r->r->site->flags & PTRT_SITE_SOME) != 0;
        if (missing > 0 && (!some || missing == bytes))
            report_unwritten(j, r, r->from + first, last + 1 - first, missing);
    }
    free(map);
    return true;
}

/* ---- all ---- */

void san_judge(san_session *s) {
    Judge j = {.s = s};
    bool fine = collect(s, &j.runs) && sort(&j.runs);
    if (fine && j.runs.n > 0) fine = find_races(&j) && (s->foreign || find_unwritten(&j));
    if (!fine) san_incomplete(s);
    free(j.runs.series);
    free(j.runs.list);
    while (s->logs) {
        san_log *log = s->logs;
        s->logs = log->next;
        san_log_free(log);
    }
}
