/* SPDX-License-Identifier: Apache-2.0 */
/* memory.c - the accesses of a statement: on-chip memory is compared with its shadow at once,
 * global memory is logged. */
#include "core/place.h"
#include "mem/tile.h"
#include "mem/window.h"
#include "sanitize/sanitize.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- names of on-chip memory ---- */

/* Writes "vec 1024..1279" for bytes of the block's memory. */
static void put_bytes(const ptrt_core *core, uint64_t from, uint64_t bytes, char *text,
                      size_t size) {
    const san_block *b = core->watch->block;
    const ptrt_core *owner = &core->block->cores[from / b->core_bytes];
    const unsigned char *at = b->base + from;
    for (int s = 0; s < PTRT_SPACES; s++) {
        if (!owner->space[s] || at < owner->space[s] ||
            at >= owner->space[s] + owner->space_size[s])
            continue;
        const uint64_t first = (uint64_t)(at - owner->space[s]);
        snprintf(text, size, "%s %llu..%llu%s", ptrt_space_name(s), (unsigned long long)first,
                 (unsigned long long)(first + bytes - 1), owner == core ? "" : " of another core");
        return;
    }
    snprintf(text, size, "on-chip memory");
}

/* ---- races on chip ---- */

/* What one access of a statement meets. */
typedef struct Meeting {
    ptrt_core *core;
    const ptrt_site *site;
    bool write;
    san_entry mine[2];
    san_span all; /* the bytes of the access, if contiguous */
    /* bytes that are read and not defined */
    uint64_t first, missing, total;
    int state;
    const ptrt_site *by;
} Meeting;

static bool same_span(const san_span *a, const san_span *b) {
    return a->from == b->from && a->bytes == b->bytes;
}

/* The vendor leaves out the barrier between two vector instructions when the first writes what the
 * second reads, the same bytes, in 16 repeats or more. */
static bool is_chain(const Meeting *m, const san_entry *earlier) {
    const ptrt_watch *w = m->core->watch;
    const san_span *wrote = &w->written[earlier->at % SAN_SPANS];
    if (m->mine[0].lane != earlier->lane || m->site->pipe != PTRT_PIPE_V || !m->all.longs ||
        earlier->site->line >= m->site->line || wrote->number != earlier->at || !wrote->longs ||
        !same_span(wrote, &m->all) || ((m->site->role | earlier->site->role) & PTRT_SCRATCH) != 0)
        return false;
    if (!m->write) return true;
    for (unsigned i = 0; i < w->reads; i++)
        if (same_span(&w->read[i], wrote)) return true;
    return false;
}

static bool is_exempt(const Meeting *m, const san_entry *earlier) {
    const bool loads = (m->site->flags & earlier->site->flags & PTRT_SITE_LOAD) != 0;
    return (loads && m->mine[0].lane == earlier->lane) || is_chain(m, earlier);
}

static void report_race(const Meeting *m, const char *id, uint64_t from, uint64_t bytes,
                        const san_entry *earlier, int pipe) {
    char text[300], note[300], where[80], what[80];
    const ptrt_watch *w = m->core->watch;
    const ptrt_site *other = earlier->site;
    if (!san_wanted(w->session, id, m->site, other, &w->where, from)) return;
    put_bytes(m->core, from, bytes, what, sizeof what);
    san_put_place(&w->where, where, sizeof where);
    snprintf(text, sizeof text, "%s %s %s%s%s%s on %s while %s may still %s it on %s (%s)",
             m->site->op, san_verb(m->site, m->write), what, m->site->operand ? " (" : "",
             m->site->operand ? m->site->operand : "", m->site->operand ? ")" : "",
             san_pipe_name(pipe), other->op, earlier->writes ? "write" : "read",
             san_pipe_name(earlier->lane % SAN_PIPES), where);
    snprintf(note, sizeof note, "%s %s %s", other->op, san_verb(other, earlier->writes), what);
    san_report(w->session, id, m->site, other, &w->where, from, bytes, text, note);
}

static void meets(void *user, uint64_t from, uint64_t bytes, const san_entry *earlier) {
    const Meeting *m = user;
    const ptrt_watch *w = m->core->watch;
    const bool own = earlier->lane / SAN_PIPES == w->where.place;
    if (!m->write && !earlier->writes) return;
    if (own && earlier->at > w->before[earlier->lane % SAN_PIPES]) return;
    for (int i = 0; i < 2 && m->mine[i].site; i++) {
        const int pipe = m->mine[i].lane % SAN_PIPES;
        for (int k = 0; k < w->models; k++) {
            if (san_pipes_knows(&w->pipes[k], pipe, earlier->lane, earlier->at)) continue;
            if (is_exempt(m, earlier)) return;
            report_race(m,
                        !own     ? "memory-race"
                        : k == 0 ? "sync-race"
                                 : "sync-weak",
                        from, bytes, earlier, pipe);
            return;
        }
    }
}

/* ---- what is not defined ---- */

static void undefined(void *user, uint64_t from, uint64_t bytes, int state, const san_entry *by) {
    Meeting *m = user;
    if (m->missing == 0) {
        m->first = from;
        m->state = state;
        m->by = by->site;
    }
    m->missing += bytes;
}

/* Finds the element of a tile at an address. */
static bool element_at(const ptrt_tile *t, const unsigned char *at, int64_t *row, int64_t *col) {
    const uint32_t size = ptrt_elem_size(t->elem);
    for (*row = 0; *row < t->rows; ++*row)
        for (*col = 0; *col < t->cols; ++*col) {
            const unsigned char *e = t->at + (uint64_t)(ptrt_axis_offset(&t->row, *row) +
                                                        ptrt_axis_offset(&t->col, *col)) *
                                                 size;
            if (at >= e && at < e + size) return true;
        }
    return false;
}

static void report_undefined(const Meeting *m, const ptrt_tile *t) {
    char text[300], where[80], what[80], element[64] = "";
    int64_t row, col;
    const ptrt_watch *w = m->core->watch;
    const bool some = (m->site->flags & PTRT_SITE_SOME) != 0, freed = m->state == SAN_FREED;
    if (m->missing == 0 || (some && m->missing < m->total)) return;
    const char *id = freed ? "sync-freed" : "uninit-tile";
    const ptrt_site *by = m->by;
    if (!san_wanted(w->session, id, m->site, by, &w->where, m->first)) return;
    put_bytes(m->core, m->first, 1, what, sizeof what);
    what[strcspn(what, ".")] = '\0'; /* the first byte of the range */
    if (t && element_at(t, w->block->base + m->first, &row, &col))
        snprintf(element, sizeof element, ", element (%lld, %lld)", (long long)row, (long long)col);
    san_put_place(&w->where, where, sizeof where);
    snprintf(text, sizeof text, "%s reads %llu byte%s%s%s that %s, from %s on%s (%s)", m->site->op,
             (unsigned long long)m->missing, m->missing == 1 ? "" : "s",
             m->site->operand ? " of " : "", m->site->operand ? m->site->operand : "",
             freed ? "belong to an entry whose slot was freed" : "nothing has written", what,
             element, where);
    san_report(w->session, id, m->site, by, &w->where, m->first, m->missing, text,
               freed ? "it was freed here"
               : by  ? "this leaves them without contents"
                     : NULL);
}

/* ---- one access ---- */

/* Runs of bytes of the block's memory. */
typedef struct Runs {
    uint64_t from, bytes, pitch;
    uint32_t rows;
} Runs;

static void note_span(Meeting *m, const ptrt_tile *t) {
    ptrt_watch *w = m->core->watch;
    if (m->site->pipe != PTRT_PIPE_V) return;
    m->all.longs &= (m->site->flags & PTRT_SITE_STATIC) != 0 && t->slayout == PTRT_NONE_BOX &&
                    (m->all.bytes + 255) / 256 >= 16;
    if (m->write) {
        m->all.number = m->mine[0].at;
        w->written[m->all.number % SAN_SPANS] = m->all;
    } else if (m->all.longs && w->reads < sizeof w->read / sizeof w->read[0]) {
        w->read[w->reads++] = m->all;
    }
}

static Meeting start(ptrt_core *core, const ptrt_site *site, bool write) {
    const ptrt_watch *w = core->watch;
    Meeting m = {.core = core, .site = site, .write = write};
    m.mine[0] = (san_entry){site, w->number, (uint8_t)(w->pipes[0].first + site->pipe), write};
    if (site->other != PTRT_PIPE_NONE)
        m.mine[1] =
            (san_entry){site, w->number2, (uint8_t)(w->pipes[0].first + site->other), write};
    return m;
}

void san_note_reads(san_block *b, san_session *s) {
    for (size_t i = 0; i < b->npending; i++) {
        const san_pending *p = &b->pending[i];
        const san_access a = {.updates = true, .mine = {p->mine[0], p->mine[1]}};
        if (!san_shadow_rows(&b->shadow, p->from, p->bytes, p->rows, p->pitch, &a))
            san_incomplete(s);
    }
    b->npending = 0;
}

static bool remember_read(san_block *b, const Meeting *m, const Runs *r) {
    if (b->npending == b->pending_cap) {
        const size_t cap = b->pending_cap == 0 ? 16 : b->pending_cap * 2;
        san_pending *more = realloc(b->pending, cap * sizeof *more);
        if (!more) return false;
        b->pending = more;
        b->pending_cap = cap;
    }
    b->pending[b->npending++] =
        (san_pending){r->from, r->bytes, r->pitch, r->rows, {m->mine[0], m->mine[1]}};
    return true;
}

static void access_shadow(Meeting *m, const Runs *r, bool read, int state) {
    ptrt_watch *w = m->core->watch;
    const san_access a = {.site = m->site,
                          .read = read,
                          .write = m->write,
                          .compares = true,
                          .updates = m->write,
                          .state = (uint8_t)state,
                          .mine = {m->mine[0], m->mine[1]},
                          .undefined = undefined,
                          .meets = meets,
                          .user = m};
    if (!san_shadow_rows(&w->block->shadow, r->from, r->bytes, r->rows, r->pitch, &a) ||
        (!m->write && !remember_read(w->block, m, r)))
        san_incomplete(w->session);
}

static bool is_on_chip(const ptrt_watch *w, const void *at, uint64_t bytes) {
    const uintptr_t first = (uintptr_t)at, base = (uintptr_t)w->block->base;
    return first >= base && first + bytes <= base + w->block->shadow.bytes;
}

static void check_freed(ptrt_core *core, const ptrt_site *site, uintptr_t at, uint64_t bytes) {
    const ptrt_watch *w = core->watch;
    char text[200], where[80];
    for (size_t i = 0; i < w->nfreed; i++) {
        const san_freed *f = &w->freed[i];
        if (at >= f->at + f->bytes || at + bytes <= f->at) continue;
        san_put_place(&w->where, where, sizeof where);
        snprintf(text, sizeof text, "%s uses an entry whose slot was freed (%s)", site->op, where);
        san_report(w->session, "sync-freed", site, f->site, &w->where, 0, bytes, text,
                   "it was freed here");
    }
}

/* Logs rows of global memory. */
static void log_rows(ptrt_core *core, const ptrt_site *site, const void *at, uint64_t bytes,
                     uint32_t rows, int64_t pitch) {
    ptrt_watch *w = core->watch;
    const san_record r = {.site = site,
                          .at = (uintptr_t)at,
                          .bytes = bytes,
                          .rows = rows,
                          .pitch = pitch,
                          .number = w->number,
                          .pipe = site->pipe,
                          .role = site->role};
    if (w->nfreed > 0) {
        const int64_t span = (int64_t)(rows - 1) * pitch;
        check_freed(core, site, r.at - (uintptr_t)(span < 0 ? -span : 0),
                    bytes + (uint64_t)(span < 0 ? -span : span));
    }
    if (!san_log_add(w->log, w->pipes, &r)) san_incomplete(w->session);
}

/* `reads`: the bytes must be defined. */
static void see_bytes(ptrt_core *core, const ptrt_site *site, const void *at, uint64_t bytes,
                      bool reads) {
    ptrt_watch *w = core->watch;
    if (!is_on_chip(w, at, bytes)) {
        log_rows(core, site, at, bytes, 1, 0);
        return;
    }
    const bool write = (site->role & PTRT_WRITE) != 0;
    Meeting m = start(core, site, write || (site->role & PTRT_SCRATCH) != 0);
    m.total = bytes;
    const Runs r = {(uint64_t)((const unsigned char *)at - w->block->base), bytes, 0, 1};
    access_shadow(&m, &r, reads, SAN_DEFINED);
    report_undefined(&m, NULL);
}

void san_see_run(ptrt_core *core, const ptrt_site *site, const void *at, uint64_t bytes) {
    see_bytes(core, site, at, bytes, (site->role & PTRT_READ) != 0);
}

void san_see_copied(ptrt_core *core, const ptrt_site *site, const void *at, uint64_t bytes) {
    see_bytes(core, site, at, bytes, false);
}

void ptrt_see_bytes(ptrt_core *core, const ptrt_site *site, const void *at, uint64_t bytes) {
    if (core->watch && bytes > 0) san_see_run(core, site, at, bytes);
}

static void meets_nothing(void *user, uint64_t from, uint64_t bytes, const san_entry *earlier) {
    (void)user;
    (void)from;
    (void)bytes;
    (void)earlier;
}

void san_free(ptrt_core *core, const ptrt_site *site, int pipe, uint64_t from, uint64_t bytes) {
    ptrt_watch *w = core->watch;
    const bool waits = w->waits_all || pipe == PTRT_PIPE_NONE;
    Meeting m = {.core = core, .site = site, .write = true};
    m.mine[0] = (san_entry){site, w->pipes[0].at[pipe],
                            waits ? SAN_NO_LANE : (uint8_t)(w->pipes[0].first + pipe), true};
    const san_access a = {.site = site,
                          .write = true,
                          .compares = true,
                          .updates = true,
                          .state = SAN_FREED,
                          .mine = {m.mine[0]},
                          .undefined = undefined,
                          .meets = waits ? meets_nothing : meets,
                          .user = &m};
    if (!san_shadow_access(&w->block->shadow, from, bytes, &a)) san_incomplete(w->session);
}

/* ---- tiles ---- */

/* A run that grows as long as the next bytes follow it. */
typedef struct Run {
    san_run_fn fn;
    void *user;
    const unsigned char *at;
    uint64_t bytes;
} Run;

static void flush_run(Run *run) {
    if (run->bytes > 0) run->fn(run->user, run->at, run->bytes, 1, 0);
    run->bytes = 0;
}

static void put_run(Run *run, const unsigned char *at, uint64_t bytes) {
    if (run->bytes > 0 && run->at + run->bytes == at) {
        run->bytes += bytes;
        return;
    }
    flush_run(run);
    run->at = at;
    run->bytes = bytes;
}

/* Puts lines of a box: one run if they follow each other. */
static void put_lines(Run *run, const unsigned char *at, uint64_t bytes, uint32_t lines,
                      uint64_t pitch) {
    if (pitch == bytes || lines == 1) {
        put_run(run, at, bytes * lines);
        return;
    }
    flush_run(run);
    run->fn(run->user, at, bytes, lines, pitch);
}

void san_tile_runs(const ptrt_tile *t, int64_t row, int64_t col, int64_t rows, int64_t cols,
                   san_run_fn fn, void *user) {
    const uint32_t size = ptrt_elem_size(t->elem);
    const bool by_row = t->col.inner == 1;
    const ptrt_axis *along = by_row ? &t->col : &t->row, *across = by_row ? &t->row : &t->col;
    const int64_t a0 = by_row ? col : row, a1 = a0 + (by_row ? cols : rows);
    const int64_t b0 = by_row ? row : col, b1 = b0 + (by_row ? rows : cols);
    Run run = {fn, user, NULL, 0};
    for (int64_t a = a0, k; a < a1; a += k) {
        k = along->inner == 1 ? ptrt_min64(ptrt_axis_run(along, a), a1 - a) : 1;
        const int64_t first = ptrt_axis_offset(along, a);
        for (int64_t b = b0, m; b < b1; b += m) {
            m = ptrt_min64(ptrt_axis_run(across, b), b1 - b);
            put_lines(&run, t->at + (uint64_t)(first + ptrt_axis_offset(across, b)) * size,
                      (uint64_t)k * size, (uint32_t)m, (uint64_t)across->inner * size);
        }
    }
    flush_run(&run);
}

typedef struct TileAccess {
    Meeting m;
    bool read;
    int state;
    uint32_t runs;
} TileAccess;

static void see_run(void *user, const unsigned char *at, uint64_t bytes, uint32_t rows,
                    uint64_t pitch) {
    TileAccess *a = user;
    const ptrt_watch *w = a->m.core->watch;
    if (!is_on_chip(w, at, bytes + (rows - 1) * pitch)) {
        log_rows(a->m.core, a->m.site, at, bytes, rows, (int64_t)pitch);
        return;
    }
    const Runs r = {(uint64_t)(at - w->block->base), bytes, pitch, rows};
    a->m.total += bytes * rows;
    access_shadow(&a->m, &r, a->read, a->state);
}

/* Finds out whether an access is one run of bytes. */
static void measure(void *user, const unsigned char *at, uint64_t bytes, uint32_t rows,
                    uint64_t pitch) {
    TileAccess *a = user;
    const ptrt_watch *w = a->m.core->watch;
    (void)pitch;
    if (a->runs == 0 && is_on_chip(w, at, bytes))
        a->m.all = (san_span){(uint64_t)(at - w->block->base), bytes, 0, true};
    a->runs += rows;
}

void ptrt_see_tile(ptrt_core *core, const ptrt_site *site, const ptrt_tile *t, int64_t row,
                   int64_t col, int64_t rows, int64_t cols) {
    if (!core->watch || row < 0 || col < 0) return;
    /* an empty region makes an instruction one that does nothing */
    if ((site->flags & PTRT_SITE_SOME) != 0 && (t->vrow == 0 || t->vcol == 0)) return;
    rows = ptrt_min64(rows, t->rows - row);
    cols = ptrt_min64(cols, t->cols - col);
    if (rows <= 0 || cols <= 0 || !ptrt_operand_ok(t)) return;
    const bool scratch = (site->role & PTRT_SCRATCH) != 0;
    TileAccess a = {.m = start(core, site, scratch || (site->role & PTRT_WRITE) != 0),
                    .read = (site->role & PTRT_READ) != 0,
                    .state = scratch || (site->flags & PTRT_SITE_UNDEFINED) != 0 ? SAN_UNWRITTEN
                                                                                 : SAN_DEFINED};
    if (site->pipe == PTRT_PIPE_V) {
        san_tile_runs(t, row, col, rows, cols, measure, &a);
        a.m.all.longs = a.runs == 1 && a.m.all.bytes > 0;
        note_span(&a.m, t);
    }
    san_tile_runs(t, row, col, rows, cols, see_run, &a);
    report_undefined(&a.m, t);
}

/* ---- views ---- */

typedef struct ViewAccess {
    ptrt_core *core;
    const ptrt_site *site;
    uint32_t size;
} ViewAccess;

/* Logs a piece of a view: its rows, or its columns if these are contiguous. */
static int see_piece(void *user, const ptrt_grid *g, ptrt_corner corner, int64_t rows,
                     int64_t cols) {
    const ViewAccess *v = user;
    const bool by_row = g->col.inner == 1 || g->row.inner != 1;
    const ptrt_axis *along = by_row ? &g->col : &g->row, *across = by_row ? &g->row : &g->col;
    const int64_t n = by_row ? cols : rows, lines = by_row ? rows : cols;
    (void)corner;
    for (int64_t a = 0, k; a < n; a += k) {
        k = along->inner == 1 ? ptrt_min64(ptrt_axis_run(along, a), n - a) : 1;
        for (int64_t b = 0, m; b < lines; b += m) {
            m = ptrt_min64(ptrt_axis_run(across, b), lines - b);
            const int64_t at = ptrt_axis_offset(along, a) + ptrt_axis_offset(across, b);
            const int64_t pitch = across->inner * (int64_t)v->size;
            const uint64_t bytes = (uint64_t)k * v->size;
            const void *p = g->p + at * (int64_t)v->size;
            if (pitch == (int64_t)bytes)
                log_rows(v->core, v->site, p, bytes * (uint64_t)m, 1, 0);
            else
                log_rows(v->core, v->site, p, bytes, (uint32_t)m, pitch);
        }
    }
    return PTRT_OK;
}

void ptrt_see_view(ptrt_core *core, const ptrt_site *site, const ptrt_view *view, int64_t rows,
                   int64_t cols) {
    if (!core->watch || !view->base) return;
    ptrt_window w;
    ptrt_window_of_view(view, &w);
    rows = rows == PTRT_ABSENT ? w.rows : ptrt_min64(rows, w.rows);
    cols = cols == PTRT_ABSENT ? w.cols : ptrt_min64(cols, w.cols);
    if (rows <= 0 || cols <= 0) return;
    ViewAccess v = {core, site, w.size};
    (void)ptrt_window_pieces(&w, rows, cols, see_piece, &v);
}
