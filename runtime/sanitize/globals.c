/* SPDX-License-Identifier: Apache-2.0 */
/* globals.c - the log of a core's accesses to global memory. They are compared when the launch has
 * ended, so that what is found does not depend on the order in which threads ran the cores. */
#include "sanitize/sanitize.h"

#include <stdlib.h>

static bool grow(void **list, size_t n, size_t *cap, size_t each) {
    if (n < *cap) return true;
    const size_t more = *cap == 0 ? 16 : *cap * 2;
    void *p = realloc(*list, more * each);
    if (!p) return false;
    *list = p;
    *cap = more;
    return true;
}

/* Returns a copy of what the pipe has seen. */
static const san_clock *copy_of(san_copies *c, const san_pipes *p, int pipe) {
    if (c->version[pipe] == p->version[pipe] + 1) return c->last[pipe];
    void *list = c->list;
    if (!grow(&list, c->n, &c->cap, sizeof *c->list)) return NULL;
    c->list = list;
    san_clock *copy = calloc(1, sizeof *copy);
    if (!copy) return NULL;
    san_clock_copy(copy, &p->seen[pipe]);
    c->list[c->n++] = copy;
    c->version[pipe] = p->version[pipe] + 1;
    c->last[pipe] = copy;
    return copy;
}

/* Whether the record goes on where the last one ends, and nobody has learnt of either between. */
static bool goes_on(const san_record *last, const san_record *r) {
    return last->site == r->site && last->role == r->role && last->pipe == r->pipe &&
           last->seen[0] == r->seen[0] && last->seen[1] == r->seen[1] &&
           last->released == r->released && last->rows == 1 && r->rows == 1 &&
           last->at + last->bytes == r->at;
}

bool san_log_add(san_log *log, const san_pipes *pipes, const san_record *from) {
    san_record r = *from;
    r.released = pipes->released[r.pipe];
    for (int m = 0; m < log->models; m++) {
        r.seen[m] = copy_of(&log->copies[m], &pipes[m], r.pipe);
        if (!r.seen[m]) return false;
    }
    if (log->n > 0 && goes_on(&log->list[log->n - 1], &r)) {
        log->list[log->n - 1].bytes += r.bytes;
        log->list[log->n - 1].number = r.number;
        return true;
    }
    void *list = log->list;
    if (!grow(&list, log->n, &log->cap, sizeof *log->list)) return false;
    log->list = list;
    log->list[log->n++] = r;
    return true;
}

void san_log_free(san_log *log) {
    for (int m = 0; m < SAN_MODELS; m++) {
        for (size_t i = 0; i < log->copies[m].n; i++) {
            san_clock_drop(log->copies[m].list[i]);
            free(log->copies[m].list[i]);
        }
        free(log->copies[m].list);
    }
    free(log->list);
    free(log);
}
