/* SPDX-License-Identifier: Apache-2.0 */
/* shadow.c - what is known of the bytes of on-chip memory: whether they are defined, the last
 * write, and the last reads of each pipe since. Bytes with the same history are one piece, and so
 * are rows with the same history and gaps of another between them: the access of a whole tile, or
 * of the valid region of a wider one, is one step for each page. */
#include "sanitize/sanitize.h"

#include <stdlib.h>

bool san_shadow_start(san_shadow *s, uint64_t bytes) {
    *s = (san_shadow){.bytes = bytes};
    s->pages = calloc((size_t)((bytes + SAN_PAGE - 1) / SAN_PAGE + 1), sizeof *s->pages);
    return s->pages != NULL;
}

static void end_page(san_page *g) {
    for (uint32_t i = 0; i < g->n; i++)
        free(g->pieces[i].gaps);
    free(g->pieces);
}

void san_shadow_end(san_shadow *s) {
    for (uint64_t i = 0; s->pages && i < (s->bytes + SAN_PAGE - 1) / SAN_PAGE; i++)
        end_page(&s->pages[i]);
    free(s->pages);
    *s = (san_shadow){0};
}

static uint32_t end_of(const san_page *g, uint32_t i) {
    return i + 1 < g->n ? g->pieces[i + 1].start : SAN_PAGE;
}

/* Returns how many rows a piece with gaps has that ends at `end`. The last one has no gap. */
static uint32_t rows_of(const san_piece *p, uint32_t end) {
    return (end - p->start - p->run) / p->pitch + 1;
}

static uint32_t gap_bytes(const san_piece *p, uint32_t end) {
    return p->gaps ? (rows_of(p, end) - 1) * (uint32_t)(p->pitch - p->run) : 0;
}

/* ---- pieces of a page ---- */

/* Makes room for `more` pieces. */
static bool reserve(san_page *g, uint32_t more) {
    if (g->n + more <= g->cap) return true;
    uint32_t cap = g->cap == 0 ? 4 : g->cap * 2;
    while (cap < g->n + more)
        cap *= 2;
    san_piece *list = realloc(g->pieces, cap * sizeof *list);
    if (!list) return false;
    if (g->cap == 0) {
        list[0] = (san_piece){.h = {.state = SAN_UNWRITTEN}};
        g->n = 1;
    }
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

/* Lets a piece begin at a byte; returns it. The byte is not inside a piece with gaps. */
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

static bool same_history(const san_history *a, const san_history *b) {
    if (a->state != b->state || a->readers != b->readers || !same_entry(&a->writer, &b->writer))
        return false;
    for (int i = 0; i < a->readers; i++)
        if (!same_entry(&a->reader[i], &b->reader[i])) return false;
    return true;
}

static bool same_piece(const san_piece *a, const san_piece *b) {
    return !a->gaps && !b->gaps && same_history(&a->h, &b->h);
}

/* Joins equal neighbours among the pieces from `first` to `end`, and the one before. */
static void tidy(san_page *g, uint32_t first, uint32_t end) {
    uint32_t kept = first > 0 ? first - 1 : 0;
    const uint32_t last = end < g->n ? end + 1 : g->n;
    for (uint32_t i = kept + 1; i < last; i++)
        if (!same_piece(&g->pieces[kept], &g->pieces[i])) g->pieces[++kept] = g->pieces[i];
    kept++;
    if (kept == last) return;
    memmove(&g->pieces[kept], &g->pieces[last], (g->n - last) * sizeof g->pieces[0]);
    g->n -= last - kept;
}

/* ---- gaps ---- */

static bool add_gaps(san_page *g, san_piece *p, uint32_t run, uint32_t pitch,
                     const san_history *h) {
    p->gaps = malloc(sizeof *p->gaps);
    if (!p->gaps) return false;
    *p->gaps = *h;
    p->run = (uint16_t)run;
    p->pitch = (uint16_t)pitch;
    g->gapped++;
    return true;
}

static void drop_gaps(san_page *g, san_piece *p) {
    g->gapped--;
    free(p->gaps);
    p->gaps = NULL;
}

/* Makes a piece of each row and each gap. */
static bool unravel(san_page *g, uint32_t i) {
    const uint32_t n = 2 * rows_of(&g->pieces[i], end_of(g, i)) - 1;
    if (!reserve(g, n)) return false;
    const san_piece p = g->pieces[i];
    const san_history gap = *p.gaps;
    drop_gaps(g, &g->pieces[i]);
    memmove(&g->pieces[i + n], &g->pieces[i + 1], (g->n - i - 1) * sizeof p);
    for (uint32_t k = 0; k < n; k++)
        g->pieces[i + k] =
            (san_piece){.start = (uint16_t)(p.start + k / 2 * p.pitch + k % 2 * p.run),
                        .h = k % 2 == 0 ? p.h : gap};
    g->n += n - 1;
    return true;
}

/* Unravels the pieces of which the bytes hold only a part. */
static bool unravel_cut(san_page *g, uint32_t from, uint32_t end) {
    if (g->gapped == 0) return true;
    uint32_t i = find(g, from);
    if (g->pieces[i].gaps && (g->pieces[i].start < from || end < end_of(g, i)) && !unravel(g, i))
        return false;
    i = find(g, end - 1);
    return !g->pieces[i].gaps || end_of(g, i) <= end || unravel(g, i);
}

/* Makes one piece of rows that have the same history, as their gaps have. */
static bool ravel(san_page *g, uint32_t from, uint32_t run, uint32_t rows, uint32_t pitch) {
    const uint32_t first = find(g, from), n = 2 * rows - 1;
    if (first + n > g->n || end_of(g, first + n - 1) != from + (rows - 1) * pitch + run)
        return true;
    san_piece *p = &g->pieces[first];
    for (uint32_t k = 0; k < n; k++)
        if (p[k].gaps || p[k].start != from + k / 2 * pitch + k % 2 * run ||
            !same_history(&p[k].h, &p[k % 2].h))
            return true;
    if (!add_gaps(g, p, run, pitch, &p[1].h)) return false;
    memmove(p + 1, p + n, (g->n - first - n) * sizeof *p);
    g->n -= n - 1;
    return true;
}

/* ---- one access ---- */

static void add_reader(san_history *p, const san_entry *e) {
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

/* Tells of what the access meets in `bytes` bytes with the same history, the first `run` of which
 * follow each other. */
static void compare(const san_access *a, const san_history *h, uint64_t from, uint64_t run,
                    uint64_t bytes) {
    if (a->read && h->state != SAN_DEFINED)
        a->undefined(a->user, from, bytes, h->state, &h->writer);
    if (h->writer.site && h->writer.lane != SAN_NO_LANE) a->meets(a->user, from, run, &h->writer);
    for (int i = 0; i < h->readers; i++)
        if (a->write || h->reader[i].writes) a->meets(a->user, from, run, &h->reader[i]);
}

static void update(san_history *h, const san_access *a) {
    if (a->write) {
        h->state = a->state;
        h->readers = 0;
        h->writer = a->mine[0];
        /* a write on either of two pipes */
        if (a->mine[1].site) add_reader(h, &a->mine[1]);
        return;
    }
    /* what the same statement has written since */
    if (h->writer.at == a->mine[0].at && h->writer.lane == a->mine[0].lane) return;
    add_reader(h, &a->mine[0]);
    if (a->mine[1].site) add_reader(h, &a->mine[1]);
}

static const san_history untouched = {.state = SAN_UNWRITTEN};

/* Compares an access with the pieces of a page, and leaves them as they are. Bytes of a piece with
 * gaps are all inside. */
static void compare_page(san_page *g, uint64_t base, uint32_t from, uint32_t end,
                         const san_access *a) {
    if (g->n == 0) {
        compare(a, &untouched, base + from, end - from, end - from);
        return;
    }
    for (uint32_t i = find(g, from); i < g->n && g->pieces[i].start < end; i++) {
        const san_piece *p = &g->pieces[i];
        const uint32_t first = p->start > from ? p->start : from;
        const uint32_t last = end_of(g, i) < end ? end_of(g, i) : end, gaps = gap_bytes(p, last);
        compare(a, &p->h, base + first, p->gaps ? p->run : last - first, last - first - gaps);
        if (p->gaps) compare(a, p->gaps, base + first + p->run, (uint64_t)p->pitch - p->run, gaps);
    }
}

/* Updates the piece that has just these bytes, if its history stays its own. */
static bool update_one(san_page *g, uint32_t from, uint32_t end, const san_access *a) {
    const uint32_t i = find(g, from);
    san_piece *p = &g->pieces[i];
    if (p->gaps || p->start != from || end_of(g, i) != end) return false;
    update(&p->h, a);
    return (i == 0 || !same_piece(p - 1, p)) && (i + 1 == g->n || !same_piece(p, p + 1));
}

static bool update_page(san_page *g, uint32_t from, uint32_t end, const san_access *a) {
    if (!reserve(g, 2)) return false;
    if (update_one(g, from, end, a)) return true;
    const uint32_t first = split(g, from), last = split(g, end);
    for (uint32_t i = first; i < last; i++) {
        san_piece *p = &g->pieces[i];
        update(&p->h, a);
        if (!p->gaps) continue;
        update(p->gaps, a);
        if (same_history(&p->h, p->gaps)) drop_gaps(g, p);
    }
    tidy(g, first, last);
    return true;
}

bool san_shadow_access(san_shadow *s, uint64_t from, uint64_t bytes, const san_access *a) {
    while (bytes > 0) {
        const uint64_t page = from / SAN_PAGE;
        san_page *g = &s->pages[page];
        const uint32_t at = (uint32_t)(from % SAN_PAGE);
        const uint32_t n = bytes < SAN_PAGE - at ? (uint32_t)bytes : SAN_PAGE - at;
        if (!unravel_cut(g, at, at + n)) return false;
        if (a->compares) compare_page(g, page * SAN_PAGE, at, at + n, a);
        if (a->updates && !update_page(g, at, at + n, a)) return false;
        from += n;
        bytes -= n;
    }
    return true;
}

/* ---- rows ---- */

enum { FEW_ROWS = 3 }; /* with fewer, a piece with gaps saves nothing */

/* Rows of a page. */
typedef struct Rows {
    uint32_t from, run, rows, pitch;
} Rows;

static uint32_t end_of_rows(const Rows *r) {
    return r->from + (r->rows - 1) * r->pitch + r->run;
}

static bool is_just(const san_page *g, uint32_t i, const Rows *r) {
    const san_piece *p = &g->pieces[i];
    return p->gaps && p->start == r->from && p->run == r->run && p->pitch == r->pitch &&
           end_of(g, i) == end_of_rows(r);
}

/* Updates the rows of the piece, which has just these, or holds them and has no gaps. */
static bool update_rows(san_page *g, const Rows *r, const san_access *a) {
    if (!reserve(g, 2)) return false;
    const uint32_t i = split(g, r->from);
    if (!g->pieces[i].gaps) {
        (void)split(g, end_of_rows(r));
        if (!add_gaps(g, &g->pieces[i], r->run, r->pitch, &g->pieces[i].h)) return false;
    }
    san_piece *p = &g->pieces[i];
    update(&p->h, a);
    if (!same_history(&p->h, p->gaps)) return true;
    drop_gaps(g, p);
    tidy(g, i, i + 1);
    return true;
}

static bool access_rows(san_shadow *s, uint64_t page, const Rows *r, const san_access *a) {
    san_page *g = &s->pages[page];
    const uint64_t base = page * SAN_PAGE;
    const uint32_t i = g->n > 0 ? find(g, r->from) : 0;
    if (g->n == 0 || is_just(g, i, r) || (!g->pieces[i].gaps && end_of_rows(r) <= end_of(g, i))) {
        if (a->compares)
            compare(a, g->n > 0 ? &g->pieces[i].h : &untouched, base + r->from, r->run,
                    (uint64_t)r->run * r->rows);
        return !a->updates || update_rows(g, r, a);
    }
    for (uint32_t k = 0; k < r->rows; k++)
        if (!san_shadow_access(s, base + r->from + (uint64_t)k * r->pitch, r->run, a)) return false;
    return !a->updates || ravel(g, r->from, r->run, r->rows, r->pitch);
}

bool san_shadow_rows(san_shadow *s, uint64_t from, uint64_t bytes, uint32_t rows, uint64_t pitch,
                     const san_access *a) {
    while (rows > 0) {
        const uint64_t at = from % SAN_PAGE;
        uint64_t n = 1;
        if (rows > 1 && at + bytes <= SAN_PAGE && pitch < SAN_PAGE)
            n = (SAN_PAGE - at - bytes) / pitch + 1;
        if (n > rows) n = rows;
        const Rows r = {(uint32_t)at, (uint32_t)bytes, (uint32_t)n, (uint32_t)pitch};
        if (n >= FEW_ROWS && pitch > bytes) {
            if (!access_rows(s, from / SAN_PAGE, &r, a)) return false;
        } else {
            for (uint64_t k = 0; k < n; k++)
                if (!san_shadow_access(s, from + k * pitch, bytes, a)) return false;
        }
        from += n * pitch;
        rows -= (uint32_t)n;
    }
    return true;
}
