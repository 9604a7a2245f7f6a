/* shadow.c - what is known of the bytes of on-chip memory: whether they are defined, the last
 * write, and the last reads of each pipe since. Bytes with the same history are one piece, so that
 * the access of a whole tile is one step. */
#include "sanitize/sanitize.h"

#include <stdlib.h>

bool san_shadow_start(san_shadow *s, uint64_t bytes) {
    *s = (san_shadow){.bytes = bytes};
    s->pages = calloc((size_t)((bytes + SAN_PAGE - 1) / SAN_PAGE + 1), sizeof *s->pages);
    return s->pages != NULL;
}

void san_shadow_end(san_shadow *s) {
    for (uint64_t i = 0; s->pages && i < (s->bytes + SAN_PAGE - 1) / SAN_PAGE; i++)
        free(s->pages[i].pieces);
    free(s->pages);
    *s = (san_shadow){0};
}

static uint32_t end_of(const san_page *g, uint32_t i) {
    return i + 1 < g->n ? g->pieces[i + 1].start : SAN_PAGE;
}

uint64_t san_shadow_touched(const san_shadow *s) {
    uint64_t bytes = 0;
    for (uint64_t k = 0; k < (s->bytes + SAN_PAGE - 1) / SAN_PAGE; k++)
        for (uint32_t i = 0; i < s->pages[k].n; i++) {
            const san_piece *p = &s->pages[k].pieces[i];
            if (p->writer.site || p->readers > 0) bytes += end_of(&s->pages[k], i) - p->start;
        }
    return bytes;
}

/* ---- pieces of a page ---- */

/* Makes room for `more` pieces. */
static bool reserve(san_shadow *s, san_page *g, uint32_t more) {
    if (g->n + more <= g->cap) return true;
    const uint32_t cap = g->cap == 0 ? 4 : g->cap * 2;
    san_piece *list = realloc(g->pieces, cap * sizeof *list);
    if (!list) return false;
    if (g->cap == 0) {
        list[0] = (san_piece){.state = SAN_UNWRITTEN};
        g->n = 1;
    }
    s->held += (cap - g->cap) * sizeof *list;
    g->pieces = list;
    g->cap = cap;
    return true;
}

static bool holds(const san_page *g, uint32_t i, uint32_t at) {
    return i < g->n && g->pieces[i].start <= at && at < end_of(g, i);
}

/* Returns the piece that holds a byte. Runs of a tile follow each other, often with one between. */
static uint32_t find(san_page *g, uint32_t at) {
    uint32_t low = 0, high = g->n;
    for (uint32_t i = g->last; i < g->last + 3; i++)
        if (holds(g, i, at)) return g->last = i;
    while (high - low > 1) {
        const uint32_t mid = (low + high) / 2;
        if (g->pieces[mid].start <= at)
            low = mid;
        else
            high = mid;
    }
    return g->last = low;
}

/* Lets a piece begin at a byte; returns it. */
static uint32_t split(san_page *g, uint32_t at) {
    if (at == SAN_PAGE) return g->n;
    const uint32_t i = find(g, at);
    if (g->pieces[i].start == at) return i;
    memmove(&g->pieces[i + 1], &g->pieces[i], (g->n - i) * sizeof g->pieces[0]);
    g->n++;
    g->pieces[i + 1].start = (uint16_t)at;
    return i + 1;
}

static bool same_entry(const san_entry *a, const san_entry *b) {
    return a->site == b->site && a->at == b->at && a->lane == b->lane;
}

static bool same_history(const san_piece *a, const san_piece *b) {
    if (a->state != b->state || a->readers != b->readers || !same_entry(&a->writer, &b->writer))
        return false;
    for (int i = 0; i < a->readers; i++)
        if (!same_entry(&a->reader[i], &b->reader[i])) return false;
    return true;
}

/* Joins equal neighbours among the pieces from `first` to `end`, and the one before. */
static void tidy(san_page *g, uint32_t first, uint32_t end) {
    uint32_t kept = first > 0 ? first - 1 : 0;
    const uint32_t last = end < g->n ? end + 1 : g->n;
    for (uint32_t i = kept + 1; i < last; i++)
        if (!same_history(&g->pieces[kept], &g->pieces[i])) g->pieces[++kept] = g->pieces[i];
    kept++;
    if (kept == last) return;
    memmove(&g->pieces[kept], &g->pieces[last], (g->n - last) * sizeof g->pieces[0]);
    g->n -= last - kept;
}

/* ---- one access ---- */

static void add_reader(san_piece *p, const san_entry *e) {
    for (int i = 0; i < p->readers; i++)
        if (p->reader[i].lane == e->lane) {
            p->reader[i] = *e;
            return;
        }
    if (p->readers < SAN_READERS) {
        p->reader[p->readers++] = *e;
        return;
    }
    /* Forgets one: a race with it may be missed. */
    memmove(&p->reader[0], &p->reader[1], (SAN_READERS - 1) * sizeof p->reader[0]);
    p->reader[SAN_READERS - 1] = *e;
}

/* Tells of what the access meets in a piece. */
static void compare(const san_access *a, const san_piece *p, uint64_t from, uint64_t bytes) {
    if (a->read && p->state != SAN_DEFINED)
        a->undefined(a->user, from, bytes, p->state, &p->writer);
    if (p->writer.site && p->writer.lane != SAN_NO_LANE) a->meets(a->user, from, bytes, &p->writer);
    for (int i = 0; i < p->readers; i++)
        if (a->write || p->reader[i].writes) a->meets(a->user, from, bytes, &p->reader[i]);
}

static void update(san_piece *p, const san_access *a) {
    if (a->write) {
        p->state = a->state;
        p->readers = 0;
        p->writer = a->mine[0];
        /* a write on either of two pipes */
        if (a->mine[1].site) add_reader(p, &a->mine[1]);
        return;
    }
    /* what the same statement has written since */
    if (p->writer.at == a->mine[0].at && p->writer.lane == a->mine[0].lane) return;
    add_reader(p, &a->mine[0]);
    if (a->mine[1].site) add_reader(p, &a->mine[1]);
}

/* Compares an access with the pieces of a page, and leaves them as they are. */
static void compare_page(san_page *g, uint64_t base, uint32_t from, uint32_t end,
                         const san_access *a) {
    static const san_piece untouched = {.state = SAN_UNWRITTEN};
    if (g->n == 0) {
        compare(a, &untouched, base + from, end - from);
        return;
    }
    for (uint32_t i = find(g, from); i < g->n && g->pieces[i].start < end; i++) {
        const uint32_t first = g->pieces[i].start > from ? g->pieces[i].start : from;
        const uint32_t last = end_of(g, i) < end ? end_of(g, i) : end;
        compare(a, &g->pieces[i], base + first, last - first);
    }
}

/* Updates the piece that has just these bytes, if its history stays its own. */
static bool update_one(san_page *g, uint32_t from, uint32_t end, const san_access *a) {
    const uint32_t i = find(g, from);
    san_piece *p = &g->pieces[i];
    if (p->start != from || end_of(g, i) != end) return false;
    update(p, a);
    return (i == 0 || !same_history(p - 1, p)) && (i + 1 == g->n || !same_history(p, p + 1));
}

static bool update_page(san_shadow *s, san_page *g, uint32_t from, uint32_t end,
                        const san_access *a) {
    if (!reserve(s, g, 2)) return false;
    if (update_one(g, from, end, a)) return true;
    const uint32_t first = split(g, from), last = split(g, end);
    for (uint32_t i = first; i < last; i++)
        update(&g->pieces[i], a);
    tidy(g, first, last);
    return true;
}

bool san_shadow_access(san_shadow *s, uint64_t from, uint64_t bytes, const san_access *a) {
    while (bytes > 0) {
        const uint64_t page = from / SAN_PAGE;
        const uint32_t at = (uint32_t)(from % SAN_PAGE);
        const uint32_t n = bytes < SAN_PAGE - at ? (uint32_t)bytes : SAN_PAGE - at;
        if (a->compares) compare_page(&s->pages[page], page * SAN_PAGE, at, at + n, a);
        if (a->updates && !update_page(s, &s->pages[page], at, at + n, a)) return false;
        from += n;
        bytes -= n;
    }
    return true;
}
