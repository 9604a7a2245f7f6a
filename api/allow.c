/* `// ptoasm: allow(ID, ..)`: warnings that the text takes for granted, on the line of the comment,
 * on the line below it, or, above a function, in all of it. */
#include "api/internal.h"

#include <string.h>

#define MARK "ptoasm: allow("

typedef struct FuncRange {
    uint32_t from, to;
} FuncRange;

typedef struct Allow {
    const Source *src;
    Arena *arena;
    FuncRange *funcs;
    size_t n, cap;
} Allow;

/* ---- lines ---- */

static uint32_t line_start(const Source *src, uint32_t off) {
    while (off > 0 && src->data[off - 1] != '\n')
        off--;
    return off;
}

static uint32_t line_end(const Source *src, uint32_t off) {
    while (off < src->size && src->data[off] != '\n')
        off++;
    return off;
}

static bool is_comment_line(const Source *src, uint32_t start, uint32_t end) {
    while (start < end && (src->data[start] == ' ' || src->data[start] == '\t'))
        start++;
    return end - start >= 2 && src->data[start] == '/' && src->data[start + 1] == '/';
}

static bool is_id_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
}

/* Is the id in the list that begins at `s`? */
static bool list_has(const char *s, const char *end, const char *id) {
    size_t n = strlen(id);
    while (s < end && *s != ')') {
        const char *from = s;
        while (s < end && is_id_char(*s))
            s++;
        if ((size_t)(s - from) == n && memcmp(from, id, n) == 0) return true;
        if (s == from) s++;
    }
    return false;
}

/* Does a comment of the line allow the id? */
static bool line_allows(const Source *src, uint32_t start, uint32_t end, const char *id) {
    const char *s = src->data + start, *stop = src->data + end;
    bool comment = false;
    for (; s < stop; s++) {
        comment |= s + 1 < stop && s[0] == '/' && s[1] == '/';
        if (comment && (size_t)(stop - s) > sizeof MARK - 1 &&
            memcmp(s, MARK, sizeof MARK - 1) == 0)
            return list_has(s + sizeof MARK - 1, stop, id);
    }
    return false;
}

/* The comment lines right above a line. */
static bool above_allows(const Source *src, uint32_t start, const char *id) {
    while (start > 0) {
        uint32_t end = start - 1;
        start = line_start(src, end);
        if (!is_comment_line(src, start, end)) return false;
        if (line_allows(src, start, end, id)) return true;
    }
    return false;
}

/* ---- functions ---- */

static bool add_function(Op *op, void *arg) {
    Allow *a = arg;
    if (!op_is(op, INST_FUNC) || op->nregions == 0) return true;
    if (a->n == a->cap) {
        size_t cap = a->cap == 0 ? 16 : 2 * a->cap;
        FuncRange *grown = ARENA_ARRAY(a->arena, FuncRange, cap);
        if (a->n > 0) memcpy(grown, a->funcs, a->n * sizeof *grown);
        a->funcs = grown;
        a->cap = cap;
    }
    uint32_t close = op->regions[0].close.off;
    a->funcs[a->n++] = (FuncRange){op->span.off, close != 0 ? close : UINT32_MAX};
    return true;
}

static bool is_allowed(const Allow *a, const Diag *d) {
    const char *id = diag_infos[d->id].text;
    uint32_t start = line_start(a->src, d->span.off);
    if (line_allows(a->src, start, line_end(a->src, d->span.off), id)) return true;
    if (above_allows(a->src, start, id)) return true;
    for (size_t i = 0; i < a->n; i++)
        if (a->funcs[i].from <= d->span.off && d->span.off <= a->funcs[i].to &&
            above_allows(a->src, line_start(a->src, a->funcs[i].from), id))
            return true;
    return false;
}

static bool has_mark(const Source *src) {
    const char *s = src->data, *end = s + src->size;
    for (; s != NULL && s < end; s++) {
        s = memchr(s, 'p', (size_t)(end - s));
        if (s == NULL || (size_t)(end - s) < sizeof MARK) return false;
        if (memcmp(s, MARK, sizeof MARK - 1) == 0) return true;
    }
    return false;
}

void drop_allowed(DiagList *list, const Source *src, const Module *m) {
    if (list->first == NULL || !has_mark(src)) return;
    Allow a = {.src = src, .arena = list->arena};
    if (m != NULL && m->root != NULL) op_walk(m->root, add_function, &a);
    list->last = &list->first;
    for (Diag *d = list->first; d != NULL; d = d->next) {
        if (d->severity != SEV_ERROR && is_allowed(&a, d)) {
            list->warnings -= d->severity == SEV_WARNING;
            continue;
        }
        *list->last = d;
        list->last = &d->next;
    }
    *list->last = NULL;
}
