/* SPDX-License-Identifier: Apache-2.0 */
/* findings.c - a session of the sanitizer: what it found, and the names of memory. */
#include "core/watch.h"
#include "sanitize/sanitize.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- sessions ---- */

/* The session of the thread; NULL: none. */
static san_session *session_get(void) {
    const ptrt_thread *thread = ptrt_thread_get();
    return thread ? thread->session : NULL;
}

int ptrt_sanitize(uint32_t flags) {
    ptrt_thread *thread = ptrt_thread_get();
    if (!thread) return PTRT_E_NOMEM;
    if (thread->session || thread->run || thread->rank) return PTRT_E_ARG;
    san_session *s = calloc(1, sizeof *s);
    if (!s) return PTRT_E_NOMEM;
    s->flags = flags;
    if (pthread_mutex_init(&s->lock, NULL) != 0) {
        free(s);
        return PTRT_E_NOMEM;
    }
    thread->session = s;
    return PTRT_OK;
}

void ptrt_sanitize_end(void) {
    ptrt_thread *thread = ptrt_thread_get();
    san_session *s = thread ? thread->session : NULL;
    if (!s || thread->run || thread->rank) return;
    thread->session = NULL;
    for (size_t i = 0; i < s->n; i++) {
        free(s->list[i].text);
        free(s->list[i].note);
    }
    for (size_t i = 0; i < s->nmemory; i++)
        free(s->memory[i].name);
    free(s->memory);
    free(s->list);
    free(s->sorted);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

int ptrt_sanitize_memory(const char *name, void *base, uint64_t bytes, bool defined) {
    san_session *s = session_get();
    if (!s) return PTRT_E_ARG;
    pthread_mutex_lock(&s->lock);
    san_memory *more = realloc(s->memory, (s->nmemory + 1) * sizeof *more);
    char *copy = strdup(name);
    if (more) s->memory = more;
    if (more && copy)
        more[s->nmemory++] = (san_memory){copy, (uintptr_t)base, bytes, defined};
    else
        free(copy);
    pthread_mutex_unlock(&s->lock);
    if (!more || !copy) return PTRT_E_NOMEM;
    if (!defined) memset(base, 0xFF, (size_t)bytes);
    return PTRT_OK;
}

void san_incomplete(san_session *s) {
    pthread_mutex_lock(&s->lock);
    s->incomplete = true;
    pthread_mutex_unlock(&s->lock);
}

/* ---- findings ---- */

static uint32_t line_of(const ptrt_site *site) {
    return site ? site->line : 0;
}

static san_finding *find(const san_session *s, const char *id, uint32_t line, uint32_t other) {
    for (size_t i = 0; i < s->n; i++)
        if (s->list[i].f.line == line && s->list[i].f.other == other &&
            strcmp(s->list[i].f.id, id) == 0)
            return &s->list[i];
    return NULL;
}

static int compare(int64_t a, int64_t b) {
    return (a > b) - (a < b);
}

static bool is_earlier(const san_finding *f, const san_place *p, uint64_t at) {
    int order = compare(p->rank, f->f.rank);
    if (order == 0) order = compare(p->block, f->f.block);
    if (order == 0) order = compare(p->place, f->f.core);
    return order != 0 ? order < 0 : at < f->at;
}

bool san_wanted(san_session *s, const char *id, const ptrt_site *site, const ptrt_site *other,
                const san_place *place, uint64_t at) {
    pthread_mutex_lock(&s->lock);
    const san_finding *f = find(s, id, line_of(site), line_of(other));
    const bool wanted = !f || is_earlier(f, place, at);
    pthread_mutex_unlock(&s->lock);
    return wanted;
}

static san_finding *add(san_session *s) {
    if (s->n == s->cap) {
        const size_t cap = s->cap == 0 ? 16 : s->cap * 2;
        san_finding *more = realloc(s->list, cap * sizeof *more);
        if (!more) return NULL;
        s->list = more;
        s->cap = cap;
    }
    s->list[s->n] = (san_finding){.at = UINT64_MAX, .f = {.block = INT64_MAX, .rank = INT32_MAX}};
    return &s->list[s->n++];
}

void san_report(san_session *s, const char *id, const ptrt_site *site, const ptrt_site *other,
                const san_place *p, uint64_t at, uint64_t bytes, const char *text,
                const char *note) {
    char *text_copy = strdup(text), *note_copy = note ? strdup(note) : NULL;
    pthread_mutex_lock(&s->lock);
    san_finding *f = find(s, id, line_of(site), line_of(other));
    if (!f) f = add(s);
    if (f && text_copy && (!note || note_copy) && is_earlier(f, p, at)) {
        free(f->text);
        free(f->note);
        *f = (san_finding){.text = text_copy, .note = note_copy, .at = at};
        f->f = (ptrt_finding){id,      text_copy, note_copy, line_of(site), line_of(other),
                              p->rank, p->block,  p->place,  bytes};
        text_copy = note_copy = NULL;
    } else if (!f || !text_copy || (note && !note_copy)) {
        s->incomplete = true;
    }
    pthread_mutex_unlock(&s->lock);
    free(text_copy);
    free(note_copy);
}

static int by_line(const void *x, const void *y) {
    const ptrt_finding *a = x, *b = y;
    int order = compare(a->line, b->line);
    if (order == 0) order = compare(a->other, b->other);
    return order != 0 ? order : strcmp(a->id, b->id);
}

const ptrt_finding *ptrt_findings(size_t *count, bool *incomplete) {
    san_session *s = session_get();
    *count = 0;
    *incomplete = false;
    if (!s) return NULL;
    *incomplete = s->incomplete;
    free(s->sorted);
    s->sorted = calloc(s->n + 1, sizeof *s->sorted);
    for (size_t i = 0; s->sorted && i < s->n; i++)
        if (s->list[i].text) s->sorted[(*count)++] = s->list[i].f;
    if (!s->sorted || *count < s->n) *incomplete = true;
    if (s->sorted) qsort(s->sorted, *count, sizeof *s->sorted, by_line);
    return s->sorted;
}

/* ---- words ---- */

const char *san_pipe_name(int pipe) {
    static const char *const names[SAN_PIPES] = {
        [PTRT_PIPE_NONE] = "no pipe",   [PTRT_PIPE_S] = "PIPE_S",
        [PTRT_PIPE_V] = "PIPE_V",       [PTRT_PIPE_M] = "PIPE_M",
        [PTRT_PIPE_MTE1] = "PIPE_MTE1", [PTRT_PIPE_MTE2] = "PIPE_MTE2",
        [PTRT_PIPE_MTE3] = "PIPE_MTE3", [PTRT_PIPE_FIX] = "PIPE_FIX"};
    return names[pipe & (SAN_PIPES - 1)];
}

const char *san_verb(const ptrt_site *site, bool writes) {
    if ((site->role & PTRT_SCRATCH) != 0) return "uses";
    return writes ? "writes" : "reads";
}

void san_put_place(const san_place *p, char *text, size_t size) {
    char core[24] = "the cube core";
    if (p->place > 0) snprintf(core, sizeof core, "vector core %d", (int)p->place - 1);
    int n = snprintf(text, size, "block %lld, %s", (long long)p->block, core);
    if (p->rank >= 0 && n > 0 && (size_t)n < size)
        snprintf(text + n, size - (size_t)n, ", rank %d", (int)p->rank);
}

void ptrt_watch_window(int rank, void *base, uint64_t bytes) {
    san_session *s = session_get();
    char name[64];
    if (!s) return;
    snprintf(name, sizeof name, "the window of rank %d", rank);
    if (ptrt_sanitize_memory(name, base, bytes, true) != PTRT_OK) san_incomplete(s);
}

uint64_t san_put_memory(const san_session *s, uintptr_t at, uint64_t bytes, char *text,
                        size_t size) {
    for (size_t i = 0; i < s->nmemory; i++) {
        const san_memory *m = &s->memory[i];
        if (at < m->base || at - m->base >= m->bytes) continue;
        const unsigned long long first = at - m->base;
        snprintf(text, size, "bytes %llu..%llu of %s", first, first + bytes - 1, m->name);
        return first;
    }
    snprintf(text, size, "%llu bytes of global memory", (unsigned long long)bytes);
    return 0;
}
