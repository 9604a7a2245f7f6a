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
    bool bad; /* it reads bytes that nothing has written */
} Run;

typedef struct Runs {
    Run *list;
    size_t n, cap;
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
        if (!add(runs, &(Run){at, at + r->bytes, r, log, false})) return false;
    }
    return true;
}

static bool collect(const san_session *s, Runs *runs) {
    for (const san_log *log = s->logs; log; log = log->next)
        for (size_t i = 0; i < log->n; i++)
            if (!add_record(runs, log, &log->list[i])) return false;
    return true;
}

static int by_address(const void *x, const void *y) {
    const Run *a = x, *b = y;
    if (a->from != b->from) return a->from < b->from ? -1 : 1;
    if (a->log != b->log) return a->log->core < b->log->core ? -1 : 1;
    return (a->r > b->r) - (a->r < b->r);
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

/* Whether the order of two accesses of different cores is known. */
static bool is_ordered(const Run *a, const Run *b) {
    return knows(b, a, 0) || knows(a, b, 0);
}

/* The same for an earlier and a later access of one core. */
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
        snprintf(text, sizeof text, "%s, and nothing orders it and %s of another core (%s)", second,
                 a->r->site->op, where);
    snprintf(note, sizeof note, "%s (%s)", first, other);
    san_report(j->s, id, b->r->site, a->r->site, &b->log->place, at, end - from, text, note);
}

static void compare(const Judge *j, const Run *x, const Run *y) {
    if ((!writes(x->r) && !writes(y->r)) || both_atomic(x->r, y->r)) return;
    if (x->log != y->log) {
        if (!is_ordered(x, y)) report_race(j, x, y, "memory-race", false);
        return;
    }
    const Run *a = x->r < y->r ? x : y, *b = a == x ? y : x;
    if (!keeps_order(a, b, 0))
        report_race(j, a, b, "sync-race", true);
    else if (x->log->models > 1 && !keeps_order(a, b, 1))
        report_race(j, a, b, "sync-weak", true);
}

typedef struct Open {
    const Run **list;
    size_t n;
} Open;

/* Drops the runs that end before `from`, and compares the others. */
static void meet(const Judge *j, Open *open, const Run *r, bool want) {
    size_t kept = 0;
    for (size_t i = 0; i < open->n; i++) {
        const Run *o = open->list[i];
        if (o->end <= r->from) continue;
        open->list[kept++] = o;
        if (want) compare(j, o, r);
    }
    open->n = kept;
}

static bool find_races(const Judge *j) {
    Open readers = {calloc(j->runs.n + 1, sizeof *readers.list), 0};
    Open writers = {calloc(j->runs.n + 1, sizeof *writers.list), 0};
    const bool fine = readers.list && writers.list;
    for (size_t i = 0; fine && i < j->runs.n; i++) {
        const Run *r = &j->runs.list[i];
        meet(j, &writers, r, true);
        if (writes(r->r)) meet(j, &readers, r, true);
        Open *own = writes(r->r) ? &writers : &readers;
        /* what no write visits must be dropped, too */
        if (!writes(r->r) && (readers.n & 63) == 63) meet(j, &readers, r, false);
        own->list[own->n++] = r;
    }
    free(readers.list);
    free(writers.list);
    return fine;
}

/* ---- what nothing has written ---- */

/* Whether the write may have come before the read. */
static bool may_precede(const Run *w, const Run *r) {
    if (w->log == r->log) return w->r < r->r;
    return !knows(w, r, 0);
}

static size_t first_from(const Runs *runs, uintptr_t at) {
    size_t low = 0, high = runs->n;
    while (low < high) {
        const size_t mid = (low + high) / 2;
        if (runs->list[mid].from < at)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* Marks the bytes of a run that some write may have defined. `longest` is the longest run. */
static void mark(const Runs *runs, const Run *r, uint64_t longest, unsigned char *map) {
    const uintptr_t low = r->from > longest ? r->from - longest : 0;
    for (size_t i = first_from(runs, low); i < runs->n && runs->list[i].from < r->end; i++) {
        const Run *w = &runs->list[i];
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
    snprintf(text, sizeof text, "%s reads %s, of which nothing has written %llu (%s)",
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
    for (size_t i = 0; i < j->runs.n; i++)
        if (j->runs.list[i].end - j->runs.list[i].from > longest)
            longest = j->runs.list[i].end - j->runs.list[i].from;
    for (size_t i = 0; i < j->runs.n; i++) {
        const Run *r = &j->runs.list[i];
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

/* Counts the bytes that some run covers. */
static uint64_t covered(const Runs *runs) {
    uint64_t bytes = 0;
    uintptr_t end = 0;
    for (size_t i = 0; i < runs->n; i++) {
        const Run *r = &runs->list[i];
        if (r->end > end) bytes += r->end - (r->from > end ? r->from : end);
        if (r->end > end) end = r->end;
    }
    return bytes;
}

void san_judge(san_session *s) {
    Judge j = {.s = s};
    bool fine = collect(s, &j.runs);
    if (fine && j.runs.n > 0) {
        qsort(j.runs.list, j.runs.n, sizeof *j.runs.list, by_address);
        s->touched += covered(&j.runs);
        fine = find_races(&j) && (s->foreign || find_unwritten(&j));
    }
    if (!fine) san_incomplete(s);
    free(j.runs.list);
    while (s->logs) {
        san_log *log = s->logs;
        s->logs = log->next;
        s->held -= san_log_bytes(log);
        san_log_free(log);
    }
}
