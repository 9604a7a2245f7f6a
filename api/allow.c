/* SPDX-License-Identifier: Apache-2.0 */
/* `// ptoasm: allow(ID, ..)`: comments that suppress warnings, and errors of the proof of
 * synchronisation, on their own line, on the line below or, above a function, in the whole
 * function. A comment that cannot be read suppresses
 * nothing and causes a warning, as does an unknown id. */
#include "api/internal.h"
#include "support/near.h"
#include "verifier/rules/warnings.h"

#include <string.h>

/* ---- reading a comment ---- */

typedef struct Directive {
    const char *mark, *mark_end; /* `ptoasm: allow` */
    const char *ids, *end;       /* between the parentheses; ids == NULL: there is no `(` */
    bool closed;
} Directive;

static bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

static bool is_id_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
}

static const char *skip_blanks(const char *s, const char *end) {
    while (s < end && is_blank(*s))
        s++;
    return s;
}

/* Finds the next directive of a comment and moves *s after it. A word that only begins with `allow`
 * does not count. */
static bool next_directive(const char **s, const char *end, Directive *d) {
    static const char mark[] = "ptoasm: allow";
    const size_t n = sizeof mark - 1;
    for (; (size_t)(end - *s) >= n; ++*s) {
        const char *after = *s + n;
        if (memcmp(*s, mark, n) != 0 || (after < end && is_id_char(*after))) continue;
        *d = (Directive){.mark = *s, .mark_end = after, .end = after};
        after = skip_blanks(after, end);
        if (after < end && *after == '(') {
            const char *close = memchr(after, ')', (size_t)(end - after));
            d->ids = after + 1;
            d->closed = close != NULL;
            d->end = close != NULL ? close : end;
        }
        *s = d->end;
        return true;
    }
    return false;
}

/* Finds the next id of a list and moves *s after it. Commas and blanks separate ids. */
static bool next_id(const char **s, const char *end, const char **id, size_t *n) {
    while (*s < end && (is_blank(**s) || **s == ','))
        ++*s;
    *id = *s;
    while (*s < end && !is_blank(**s) && **s != ',')
        ++*s;
    *n = (size_t)(*s - *id);
    return *n > 0;
}

static bool list_has(const Directive *d, const char *wanted) {
    const char *s = d->ids, *id;
    size_t n, length = strlen(wanted);
    while (d->closed && next_id(&s, d->end, &id, &n))
        if (n == length && memcmp(id, wanted, n) == 0) return true;
    return false;
}

/* ---- warnings about the comments ---- */

typedef struct Reader {
    Context *ctx;
    WarningIds known;
} Reader;

static Span span_of(const Reader *r, const char *from, const char *to) {
    return (Span){(uint32_t)(from - r->ctx->source->data), (uint32_t)(to - from)};
}

static void report_unknown(Reader *r, const char *id, size_t n) {
    enum { MOST_SHOWN = 100 };
    DiagList *diags = &r->ctx->diags;
    Span span = span_of(r, id, id + n);
    const char *text = arena_strndup(&r->ctx->arena, id, n < MOST_SHOWN ? n : MOST_SHOWN);
    if (diag_find(text) != DIAG_COUNT) {
        diag_add(diags, DIAG_ALLOW_COMMENT, span, "'%s' is always an error: it cannot be allowed",
                 text);
        return;
    }
    Diag *d = diag_add(diags, DIAG_ALLOW_COMMENT, span, "unknown warning '%s'", text);
    diag_near_word(diags, d, span, text, strlen(text), r->known.ids, r->known.n);
}

/* Reports a missing parenthesis. Prose may follow the ids, so the fix puts it after the last known
 * one. */
static bool is_allowable(const Reader *r, const char *id, size_t n) {
    char text[32];
    if (warning_known(&r->known, id, n)) return true;
    if (n >= sizeof text) return false;
    memcpy(text, id, n);
    text[n] = '\0';
    return error_may_be_allowed(diag_find(text));
}

static void report_open(Reader *r, const Directive *list) {
    DiagList *diags = &r->ctx->diags;
    const char *s = list->ids, *id, *last = NULL;
    size_t n;
    Diag *d = diag_add(diags, DIAG_ALLOW_COMMENT, span_of(r, list->mark, list->ids),
                       "expected ')' after the ids: nothing is allowed");
    while (next_id(&s, list->end, &id, &n) && is_allowable(r, id, n))
        last = s;
    if (last != NULL) diag_edit(diags, d, span_of(r, last, last), ")");
}

static void check_list(Reader *r, const Directive *list) {
    const char *s = list->ids, *id;
    size_t n, ids = 0;
    for (; next_id(&s, list->end, &id, &n); ids++)
        if (!is_allowable(r, id, n)) report_unknown(r, id, n);
    if (ids == 0)
        diag_add(&r->ctx->diags, DIAG_ALLOW_COMMENT, span_of(r, list->mark, list->end + 1),
                 "allow() names no warning");
}

/* True when the directive begins its comment. Elsewhere `allow` without a list is prose. */
static bool begins_comment(const char *s, const char *mark) {
    while (s < mark && (*s == '/' || *s == '#' || *s == ';' || is_blank(*s)))
        s++;
    return s == mark;
}

void check_allow_comments(Context *ctx) {
    Reader r = {.ctx = ctx};
    if (ctx->nallows > 0) warning_ids(&r.known);
    for (uint32_t i = 0; i < ctx->nallows; i++) {
        const char *from = ctx->source->data + ctx->allows[i].off, *s = from;
        Directive d;
        while (next_directive(&s, from + ctx->allows[i].len, &d)) {
            if (d.closed)
                check_list(&r, &d);
            else if (d.ids != NULL)
                report_open(&r, &d);
            else if (begins_comment(from, d.mark))
                diag_add(&ctx->diags, DIAG_ALLOW_COMMENT, span_of(&r, d.mark, d.mark_end),
                         "expected '(' and ids after 'allow': nothing is allowed");
        }
    }
}

/* ---- lines ---- */

typedef struct FuncRange {
    uint32_t from, to;
} FuncRange;

typedef struct Allow {
    const Context *ctx;
    FuncRange *funcs;
    size_t n, cap;
} Allow;

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
    const char *s = skip_blanks(src->data + start, src->data + end);
    size_t n = (size_t)(src->data + end - s);
    if (n == 0) return false;
    return *s == ';' || (*s == '#' && (n == 1 || is_blank(s[1]))) ||
           (n >= 2 && s[0] == '/' && s[1] == '/');
}

/* Returns the comment with a directive on the line; NULL when there is none. A line has one
 * comment. */
static const Span *comment_of(const Context *ctx, uint32_t start, uint32_t end) {
    uint32_t lo = 0, hi = ctx->nallows;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (ctx->allows[mid].off < start)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < ctx->nallows && ctx->allows[lo].off < end ? &ctx->allows[lo] : NULL;
}

/* True when the comment on the line allows the id. */
static bool line_allows(const Context *ctx, uint32_t start, uint32_t end, const char *id) {
    const Span *comment = comment_of(ctx, start, end);
    if (comment == NULL) return false;
    const char *s = ctx->source->data + comment->off, *stop = s + comment->len;
    Directive d;
    while (next_directive(&s, stop, &d))
        if (list_has(&d, id)) return true;
    return false;
}

/* True when a comment line directly above a line allows the id. */
static bool above_allows(const Context *ctx, uint32_t start, const char *id) {
    while (start > 0) {
        uint32_t end = start - 1;
        start = line_start(ctx->source, end);
        if (!is_comment_line(ctx->source, start, end)) return false;
        if (line_allows(ctx, start, end, id)) return true;
    }
    return false;
}

/* ---- functions ---- */

static bool add_function(Op *op, void *arg) {
    Allow *a = arg;
    if (!op_is(op, INST_FUNC) || op->nregions == 0) return true;
    if (a->n == a->cap) {
        size_t cap = a->cap == 0 ? 16 : 2 * a->cap;
        FuncRange *grown = ARENA_ARRAY(a->ctx->diags.arena, FuncRange, cap);
        if (a->n > 0) memcpy(grown, a->funcs, a->n * sizeof *grown);
        a->funcs = grown;
        a->cap = cap;
    }
    uint32_t close = op_regions(op)[0].close.off;
    a->funcs[a->n++] = (FuncRange){op->span.off, close != 0 ? close : UINT32_MAX};
    return true;
}

static bool is_allowed(const Allow *a, const Diag *d) {
    const char *id = diag_infos[d->id].text;
    const Source *src = a->ctx->source;
    uint32_t start = line_start(src, d->span.off);
    if (line_allows(a->ctx, start, line_end(src, d->span.off), id)) return true;
    if (above_allows(a->ctx, start, id)) return true;
    for (size_t i = 0; i < a->n; i++)
        if (a->funcs[i].from <= d->span.off && d->span.off <= a->funcs[i].to &&
            above_allows(a->ctx, line_start(src, a->funcs[i].from), id))
            return true;
    return false;
}

void drop_allowed(Context *ctx, const Module *m) {
    DiagList *list = &ctx->diags;
    if (list->first == NULL || ctx->nallows == 0) return;
    Allow a = {.ctx = ctx};
    if (m != NULL && m->root != NULL) op_walk(m->root, add_function, &a);
    list->last = &list->first;
    for (Diag *d = list->first; d != NULL; d = d->next) {
        /* of insertion, the latter is an error */
        bool may =
            d->severity != SEV_ERROR || error_may_be_allowed(d->id) || d->id == DIAG_SYNC_MAYBE;
        if (may && is_allowed(&a, d)) {
            list->warnings -= d->severity == SEV_WARNING;
            list->errors -= d->severity == SEV_ERROR;
            continue;
        }
        *list->last = d;
        list->last = &d->next;
    }
    *list->last = NULL;
}
