/* SPDX-License-Identifier: Apache-2.0 */
/* The log: which runs of statements each run waited for. Turns that were skipped are in it as a
 * part that comes again: numbers of runs count them, entries do not. */
#include "timing/schedule.h"

#include <string.h>

typedef struct Logged {
    TimeNode *node;
    double start, end;
    Who before; /* the run that it waited for; -1: none */
} Logged;

/* A part of the log that comes several times. */
typedef struct LogRepeat {
    int64_t first, length; /* runs of one time */
    uint64_t times;
    uint32_t entry, end; /* entries of one time */
    double delta[TIMED_PIPES];
    LogShift shift;
    struct LogRepeat *inside; /* parts of it that come several times */
    uint32_t ninside;
} LogRepeat;

struct TimeLog {
    Logged *entries;
    uint32_t n, cap;
    int64_t runs;
    LogRepeat *repeats;
    uint32_t nrepeats, caprepeats;
};
typedef struct TimeLog TimeLog;

void log_reset(TimeRun *r) {
    if (r->log == NULL) r->log = ARENA_NEW(r->arena, TimeLog);
    r->log->n = r->log->nrepeats = 0;
    r->log->runs = 0;
}

bool log_is_full(const TimeRun *r) {
    return r->log->n == MOST_LOGGED;
}

Who log_add(TimeRun *r, TimeNode *n, double start, double end, Who before) {
    TimeLog *l = r->log;
    if (!r->shared->logs) return -1;
    if (l->n == l->cap) l->entries = ARENA_WIDEN(r->arena, Logged, l->entries, &l->cap, l->n, 256);
    l->entries[l->n++] = (Logged){n, start, end, before};
    return l->runs++ * TIMED_CORES + r->number;
}

LogMark log_mark(const TimeRun *r) {
    return (LogMark){r->log->runs, r->log->n, r->log->nrepeats};
}

uint64_t log_runs(const TimeRun *r) {
    return (uint64_t)r->log->runs;
}

int64_t log_length(const TimeRun *r, const LogMark *from) {
    return r->log->runs - from->first;
}

void log_repeat(TimeRun *r, const LogMark *from, uint64_t times, const LogShift *shift,
                const double delta[TIMED_PIPES]) {
    TimeLog *l = r->log;
    const int64_t length = log_length(r, from);
    LogRepeat part = {.first = from->first,
                      .length = length,
                      .times = times,
                      .entry = from->entry,
                      .end = l->n,
                      .shift = *shift,
                      .ninside = l->nrepeats - from->repeat};
    if (length == 0) return;
    memcpy(part.delta, delta, sizeof part.delta);
    part.inside = ARENA_ARRAY(r->arena, LogRepeat, part.ninside + 1u);
    if (part.ninside > 0)
        memcpy(part.inside, l->repeats + from->repeat, part.ninside * sizeof *part.inside);
    l->nrepeats = from->repeat;
    if (l->nrepeats == l->caprepeats)
        l->repeats = ARENA_WIDEN(r->arena, LogRepeat, l->repeats, &l->caprepeats, l->nrepeats, 8);
    l->repeats[l->nrepeats++] = part;
    l->runs += (int64_t)(times - 1) * length;
}

/* ---- a run by its number ---- */

enum { MOST_AROUND = 16 };

/* Where a run is: its entry, and which time of each part around it. */
typedef struct LogPlace {
    const Logged *entry;
    LogRepeat *around[MOST_AROUND]; /* the outermost first */
    uint64_t time[MOST_AROUND];
    unsigned n;
} LogPlace;

/* The last part that begins at or before a run; NULL: none. */
static LogRepeat *part_before(LogRepeat *list, uint32_t n, int64_t run) {
    uint32_t low = 0;
    while (n > 0) {
        const uint32_t half = n / 2;
        if (list[low + half].first <= run)
            low += half + 1, n -= half + 1;
        else
            n = half;
    }
    return low > 0 ? &list[low - 1] : NULL;
}

static LogPlace log_place(const TimeLog *l, int64_t run) {
    LogPlace p = {.n = 0};
    LogRepeat *list = l->repeats;
    uint32_t n = l->nrepeats, entry = 0;
    int64_t first = 0; /* the run of that entry */
    for (;;) {
        LogRepeat *part = part_before(list, n, run);
        if (part == NULL) break;
        const int64_t all = part->length * (int64_t)part->times;
        if (run >= part->first + all) { /* after it */
            first = part->first + all;
            entry = part->end;
            break;
        }
        p.around[p.n] = part;
        p.time[p.n++] = (uint64_t)((run - part->first) / part->length);
        run = part->first + (run - part->first) % part->length;
        first = part->first;
        entry = part->entry;
        list = part->inside;
        n = part->ninside;
    }
    p.entry = &l->entries[entry + (run - first)];
    return p;
}

/* The run that a run waited for: as many times earlier as the first time's. What a run in a period
 * waits for moves on with the periods, or is in the period: see only_moves() in timing/turns.c. */
static Who before(const LogPlace *p) {
    Who who = p->entry->before;
    for (unsigned i = p->n; i-- > 0 && who >= 0;)
        who += (Who)p->time[i] * p->around[i]->shift.length[who % TIMED_CORES] * TIMED_CORES;
    return who;
}

/* ---- the longest chain ---- */

/* The latest end of a list of entries and parts, and its run; of equal ones the first. */
typedef struct Latest {
    double end;
    int64_t run;
} Latest;

static void find_latest(const TimeLog *l, const LogRepeat *list, uint32_t n, uint32_t entry,
                        uint32_t stop, int64_t run, double late[TIMED_PIPES], int64_t shift,
                        Latest *found) {
    for (uint32_t k = 0; entry < stop || k < n;) {
        if (k < n && list[k].entry == entry) {
            const LogRepeat *part = &list[k++];
            double last[TIMED_PIPES];
            for (int p = 0; p < TIMED_PIPES; p++)
                last[p] = late[p] + part->delta[p] * (double)(part->times - 1);
            find_latest(l, part->inside, part->ninside, part->entry, part->end, part->first, late,
                        shift, found);
            find_latest(l, part->inside, part->ninside, part->entry, part->end, part->first, last,
                        shift + (int64_t)(part->times - 1) * part->length, found);
            run = part->first + part->length * (int64_t)part->times;
            entry = part->end;
            continue;
        }
        const double end = l->entries[entry].end + late[l->entries[entry].node->pipe];
        if (found->run < 0 || end > found->end) *found = (Latest){end, run + shift};
        entry++;
        run++;
    }
}

/* A cycle of the chain through the times of a part: it is followed once, for several. */
typedef struct PathJump {
    LogAnchor *anchor;
    Who at;      /* where it ends */
    Who skipped; /* what is left out then */
    double times;
} PathJump;

typedef struct Path {
    TimeRun *cores;
    PathJump jumps[MOST_AROUND];
    unsigned njumps;
    double weight;
    LogPlace last[TIMED_CORES]; /* where it was on each core */
} Path;

/* Which times of the parts outside of part i of a place. */
static uint64_t times_around(const LogPlace *p, unsigned i) {
    uint64_t hash = 1;
    for (unsigned k = 0; k < i; k++)
        hash = hash * 0x9E3779B97F4A7C15u + p->time[k] + 1;
    return hash;
}

static bool is_jumping(const Path *path, const LogAnchor *anchor) {
    for (unsigned i = 0; i < path->njumps; i++)
        if (path->jumps[i].anchor == anchor) return true;
    return false;
}

/* The chain came to an earlier time of part i. If it is at the same run as in a later time, it goes
 * on in the same way, as long as all that it visits is in a time of the part. */
static void look_for_cycle(Path *path, const LogPlace *p, unsigned i, Who who) {
    const LogShift *shift = &p->around[i]->shift;
    LogAnchor *a = shift->anchor;
    const Who one = shift->length[who % TIMED_CORES] * TIMED_CORES;
    const uint64_t around = times_around(p, i), time = p->time[i];
    const Who at = who - (Who)time * one; /* in the first time */
    const bool same = a->set && a->around == around && a->time > time;
    if (same && a->at == at && path->njumps < MOST_AROUND) {
        const uint64_t length = a->time - time, times = a->lowest / length;
        a->set = false;
        if (times < 2) return;
        path->jumps[path->njumps++] = (PathJump){a, who - (Who)length * one,
                                                 (Who)((times - 1) * length) * one, (double)times};
        path->weight *= (double)times;
    } else if (!same || a->time - time >= a->power) {
        *a = (LogAnchor){true, at, time, around, time, same ? 2 * a->power : 1};
    }
}

static void visit(Path *path, const LogPlace *p, Who who) {
    const LogPlace *last = &path->last[who % TIMED_CORES];
    for (unsigned i = 0; i < p->n; i++) {
        LogAnchor *a = p->around[i]->shift.anchor;
        if (a->lowest > p->time[i]) a->lowest = p->time[i];
    }
    for (unsigned i = 0; i < p->n && i < last->n && last->around[i] == p->around[i]; i++) {
        if (last->time[i] == p->time[i]) continue;
        if (!is_jumping(path, p->around[i]->shift.anchor)) look_for_cycle(path, p, i, who);
        break;
    }
}

static void follow(Path *path, Who who) {
    while (who >= 0) {
        while (path->njumps > 0 && path->jumps[path->njumps - 1].at == who) {
            const PathJump *j = &path->jumps[--path->njumps];
            path->weight /= j->times;
            who -= j->skipped;
            for (unsigned i = 0; i < TIMED_CORES; i++)
                path->last[i].n = 0; /* this was no step */
        }
        const LogPlace p = log_place(path->cores[who % TIMED_CORES].log, who / TIMED_CORES);
        visit(path, &p, who);
        p.entry->node->critical += path->weight * (p.entry->end - p.entry->start);
        path->last[who % TIMED_CORES] = p;
        who = before(&p);
    }
}

void log_path(TimeRun *cores, unsigned n) {
    Latest latest = {0, -1};
    unsigned core = 0;
    for (unsigned i = 0; i < n; i++) {
        const TimeLog *l = cores[i].log;
        Latest own = {0, -1};
        double late[TIMED_PIPES] = {0};
        find_latest(l, l->repeats, l->nrepeats, 0, l->n, 0, late, 0, &own);
        if (own.run >= 0 && (latest.run < 0 || own.end > latest.end)) latest = own, core = i;
    }
    Path path = {.cores = cores, .weight = 1, .last = {{.n = 0}}};
    if (latest.run >= 0) follow(&path, latest.run * TIMED_CORES + cores[core].number);
}

/* ---- all runs ---- */

typedef struct Walk {
    const TimeLog *log;
    uint64_t left;
    void (*each)(void *arg, const TimeNode *n, double start, double end);
    void *arg;
} Walk;

static void walk(Walk *w, const LogRepeat *list, uint32_t n, uint32_t entry, uint32_t stop,
                 const double late[TIMED_PIPES]) {
    for (uint32_t k = 0; (entry < stop || k < n) && w->left > 0;) {
        if (k < n && list[k].entry == entry) {
            const LogRepeat *part = &list[k++];
            double at[TIMED_PIPES];
            memcpy(at, late, sizeof at);
            for (uint64_t i = 0; i < part->times && w->left > 0; i++) {
                walk(w, part->inside, part->ninside, part->entry, part->end, at);
                for (int p = 0; p < TIMED_PIPES; p++)
                    at[p] += part->delta[p];
            }
            entry = part->end;
            continue;
        }
        const Logged *l = &w->log->entries[entry++];
        w->each(w->arg, l->node, l->start + late[l->node->pipe], l->end + late[l->node->pipe]);
        w->left--;
    }
}

void log_each(const TimeRun *r, uint64_t most,
              void (*each)(void *arg, const TimeNode *n, double start, double end), void *arg) {
    const double late[TIMED_PIPES] = {0};
    Walk w = {r->log, most, each, arg};
    walk(&w, r->log->repeats, r->log->nrepeats, 0, r->log->n, late);
}
