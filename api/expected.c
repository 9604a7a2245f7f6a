/* SPDX-License-Identifier: Apache-2.0 */
/* `// expected-error@+1 {{text}} [id]`: comments that say which diagnostics a text must get, as
 * mlir-opt reads them. A diagnostic that a comment expects is dropped; what remains, and what is
 * missing, are the diagnostics of the result. */
#include "api/internal.h"
#include "lexer/lexer.h"
#include "support/near.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

/* Where a comment expects its diagnostic. */
typedef enum Where { WHERE_LINE, WHERE_ABOVE, WHERE_BELOW, WHERE_UNKNOWN } Where;

typedef struct Expected {
    Span span; /* from `expected-` to the last bracket */
    Severity severity;
    Where where;
    uint32_t comment, line; /* the lines of the comment and of the diagnostic, from 1; 0: none */
    Span text;              /* between {{ and }} */
    Span id;                /* between [ and ]; length 0: any */
    bool alone;             /* nothing but the comment is on its line */
    bool pattern;           /* {{ }} in the text are extended regular expressions */
    bool met;
} Expected;

typedef struct Verifier {
    Context *ctx;
    ptoasm_result *res;
    Expected *list;
    uint32_t n, cap;
    Diag *first, **last; /* the diagnostics of the result */
} Verifier;

static const char *const severities[] = {"note", "warning", "error"};

/* ---- reading a comment ---- */

typedef struct Reader {
    Verifier *v;
    const char *data, *s, *end;
} Reader;

static Span span_between(const Reader *r, const char *from, const char *to) {
    return (Span){(uint32_t)(from - r->data), (uint32_t)(to - from)};
}

static bool take(Reader *r, const char *text) {
    const size_t n = strlen(text);
    if ((size_t)(r->end - r->s) < n || memcmp(r->s, text, n) != 0) return false;
    r->s += n;
    return true;
}

static void skip_blanks(Reader *r) {
    while (r->s < r->end && (*r->s == ' ' || *r->s == '\t'))
        r->s++;
}

static bool is_word_char(char c) {
    return (c >= 'a' && c <= 'z') || c == '-';
}

/* Reads what follows `expected-`; false when it names no severity. Reports a misspelt one. */
static bool read_severity(Reader *r, const char *from, Expected *e) {
    static const char *const words[] = {"note",    "warning",    "error",
                                        "note-re", "warning-re", "error-re"};
    const char *word = r->s;
    while (r->s < r->end && is_word_char(*r->s))
        r->s++;
    const size_t n = (size_t)(r->s - word);
    for (unsigned i = 0; i < 6; i++)
        if (strlen(words[i]) == n && memcmp(words[i], word, n) == 0) {
            e->severity = (Severity)(i % 3);
            e->pattern = i >= 3;
            return true;
        }
    const char *near = near_word(word, n, words, 6);
    if (near == NULL) return false; /* prose */
    DiagList *diags = &r->v->ctx->diags;
    Diag *d = diag_add(diags, DIAG_EXPECTED_COMMENT, span_between(r, from, r->s),
                       "no diagnostic has this severity: 'expected-%.*s'", (int)n, word);
    diag_did_you_mean(diags, d, span_between(r, word, r->s), near, false);
    return false;
}

/* Reads `@+1`, `@-1`, `@above`, `@below` or `@unknown`, if there is one; false when it is wrong. */
static bool read_where(Reader *r, Expected *e) {
    e->line = e->comment;
    if (!take(r, "@")) return true;
    if (take(r, "unknown")) return e->where = WHERE_UNKNOWN, true;
    if (take(r, "above")) return e->where = WHERE_ABOVE, true;
    if (take(r, "below")) return e->where = WHERE_BELOW, true;
    const bool down = take(r, "+");
    if (!down && !take(r, "-")) return false;
    const char *digits = r->s;
    uint32_t by = 0;
    for (; r->s < r->end && *r->s >= '0' && *r->s <= '9'; r->s++)
        by = by < 100000000 ? by * 10 + (uint32_t)(*r->s - '0') : by;
    /* Line 0 is that of diagnostics without a position: nothing may match by accident. */
    e->line = down ? e->comment + by : by < e->comment ? e->comment - by : UINT32_MAX;
    return r->s > digits;
}

/* Reads `{{text}}`, in which pairs of braces may nest; false when there is none or it is open. */
static bool read_text(Reader *r, Span *text) {
    if (!take(r, "{{")) return false;
    const char *from = r->s;
    for (unsigned open = 1; r->s < r->end;) {
        if (take(r, "{{")) {
            open++;
        } else if (take(r, "}}")) {
            *text = span_between(r, from, r->s - 2);
            if (--open == 0) return true;
        } else {
            r->s++;
        }
    }
    return false;
}

static bool read_id(Reader *r, Span *id) {
    if (!take(r, "[")) return false;
    const char *from = r->s;
    while (r->s < r->end && is_word_char(*r->s))
        r->s++;
    *id = span_between(r, from, r->s);
    return r->s > from && take(r, "]");
}

static void report_wrong(Reader *r, const char *from, const char *what) {
    diag_add(&r->v->ctx->diags, DIAG_EXPECTED_COMMENT, span_between(r, from, r->s), "%s", what);
}

static bool is_known_id(const Reader *r, Span id) {
    const char *text = arena_strndup(&r->v->ctx->arena, r->data + id.off, id.len);
    return diag_find(text) != DIAG_COUNT;
}

/* Reads an expectation after `expected-`; false after a message, or when it is prose. */
static bool read_one(Reader *r, Expected *e) {
    const char *from = r->s - strlen("expected-");
    if (!read_severity(r, from, e)) return false;
    skip_blanks(r);
    if (!read_where(r, e)) {
        report_wrong(r, from, "expected @+N, @-N, @above, @below or @unknown");
        return false;
    }
    skip_blanks(r);
    const bool text = r->s < r->end && *r->s == '{';
    if (text && !read_text(r, &e->text)) {
        report_wrong(r, from, "expected '{{', a part of the message and '}}'");
        return false;
    }
    e->span = span_between(r, from, r->s);
    skip_blanks(r);
    const bool id = r->s < r->end && *r->s == '[';
    if ((id && !read_id(r, &e->id)) || (!id && !text)) {
        report_wrong(r, from, "expected {{a part of the message}}, [an-id], or both");
        return false;
    }
    if (!id) return true;
    e->span = span_between(r, from, r->s);
    if (is_known_id(r, e->id)) return true;
    report_wrong(r, r->data + e->id.off, "no diagnostic has this id");
    return false;
}

static void add(Verifier *v, const Expected *e) {
    if (v->n == v->cap) {
        const uint32_t cap = v->cap != 0 ? v->cap * 2 : 64;
        Expected *grown = ARENA_ARRAY(&v->ctx->arena, Expected, cap);
        if (v->n > 0) memcpy(grown, v->list, v->n * sizeof *grown);
        v->list = grown;
        v->cap = cap;
    }
    v->list[v->n++] = *e;
}

static void read_comment(Verifier *v, Span comment, bool alone) {
    const char *data = v->ctx->source->data;
    Reader r = {v, data, data + comment.off, data + comment.off + comment.len};
    while (r.s < r.end) {
        if (!take(&r, "expected-")) {
            r.s++;
            continue;
        }
        Expected e = {.comment = source_find(&v->res->index, comment.off).line, .alone = alone};
        if (read_one(&r, &e)) add(v, &e);
    }
}

/* Goes through the tokens once more, with names of its own. */
static void read_comments(Verifier *v, Context *scratch) {
    TokenBuf *buf = ARENA_NEW(&scratch->arena, TokenBuf);
    Lexer *lx = ARENA_NEW(&scratch->arena, Lexer);
    lexer_init(lx, scratch, &scratch->arena, buf);
    while (!lx->done) {
        lexer_fill(lx);
        for (; buf->ntaken < buf->ntrivia; buf->ntaken++) {
            const RawTrivia *t = &buf->trivia[buf->ntaken];
            if (t->kind != TRIVIA_BLANK && t->kind != TRIVIA_LOCATION)
                read_comment(v, t->text, t->kind == TRIVIA_COMMENT);
        }
        lexer_drop(lx,
                   buf->count > 64 && buf->count - 64 > buf->base ? buf->count - 64 : buf->base);
    }
}

static void read_all(Verifier *v) {
    Context *scratch = ARENA_NEW(&v->ctx->keep, Context);
    if (setjmp(scratch->oom) != 0) {
        context_free(scratch);
        longjmp(v->ctx->oom, 1);
    }
    context_init(scratch, v->ctx->source, 1);
    read_comments(v, scratch);
    context_free(scratch);
}

/* ---- lines ---- */

/* Resolves @above and @below: the nearest line that is not just a comment with an expectation. */
static void place(const Verifier *v, uint32_t i) {
    Expected *e = &v->list[i];
    if (e->where == WHERE_UNKNOWN) e->line = 0;
    if (e->where == WHERE_ABOVE) {
        e->line--;
        for (uint32_t at = i; at > 0 && v->list[at - 1].comment >= e->line; at--)
            e->line -= v->list[at - 1].comment == e->line && v->list[at - 1].alone;
        if (e->line == 0) e->line = UINT32_MAX;
    }
    if (e->where == WHERE_BELOW) {
        e->line++;
        for (uint32_t at = i + 1; at < v->n && v->list[at].comment <= e->line; at++)
            e->line += v->list[at].comment == e->line && v->list[at].alone;
    }
}

static int by_line(const void *a, const void *b) {
    const Expected *x = a, *y = b;
    if (x->line != y->line) return x->line < y->line ? -1 : 1;
    return x->span.off < y->span.off ? -1 : x->span.off > y->span.off;
}

/* ---- matching ---- */

/* Makes an extended regular expression: what is outside of {{ and }} is literal. */
static char *pattern_of(const Verifier *v, const Expected *e) {
    StrBuf out;
    sb_init(&out, &v->ctx->arena);
    const char *s = v->ctx->source->data + e->text.off, *end = s + e->text.len;
    for (bool inside = false; s < end; s++) {
        if (end - s >= 2 && memcmp(s, inside ? "}}" : "{{", 2) == 0) {
            sb_putc(&out, inside ? ')' : '(');
            inside = !inside;
            s++;
            continue;
        }
        if (!inside && strchr("\\^$.[]|()*+?{}", *s) != NULL) sb_putc(&out, '\\');
        sb_putc(&out, *s);
    }
    return (char *)sb_text(&out);
}

static bool text_matches(const Verifier *v, const Expected *e, const char *message) {
    if (!e->pattern) {
        const char *text =
            arena_strndup(&v->ctx->arena, v->ctx->source->data + e->text.off, e->text.len);
        return strstr(message, text) != NULL;
    }
    regex_t re;
    if (regcomp(&re, pattern_of(v, e), REG_EXTENDED | REG_NOSUB) != 0) return false;
    const bool found = regexec(&re, message, 0, NULL, 0) == 0;
    regfree(&re);
    return found;
}

static bool id_matches(const Verifier *v, const Expected *e, const char *id) {
    const char *text = v->ctx->source->data + e->id.off;
    return e->id.len == 0 || (strlen(id) == e->id.len && memcmp(id, text, e->id.len) == 0);
}

/* Marks the first expectation that a diagnostic or note meets; false when there is none. */
static bool meet(Verifier *v, uint32_t line, Severity severity, const char *id,
                 const char *message) {
    uint32_t from = 0, to = v->n;
    while (from < to) {
        const uint32_t mid = from + (to - from) / 2;
        if (v->list[mid].line < line)
            from = mid + 1;
        else
            to = mid;
    }
    for (; from < v->n && v->list[from].line == line; from++) {
        Expected *e = &v->list[from];
        if (!e->met && e->severity == severity && id_matches(v, e, id) &&
            text_matches(v, e, message))
            return e->met = true;
    }
    return false;
}

/* Notes of a diagnostic may be expected, but need not be. */
static void meet_notes(Verifier *v, size_t i, const ptoasm_diagnostic *d) {
    const char *message;
    ptoasm_place place;
    for (size_t k = 0; ptoasm_diagnostic_note(v->res, i, k, &message, &place); k++)
        (void)meet(v, place.line != 0 ? place.line : d->place.line, SEV_NOTE, d->id, message);
}

/* ---- what remains ---- */

static void report_unexpected(Verifier *v, Diag *d) {
    DiagList *diags = &v->ctx->diags;
    Diag *now = diag_add(diags, DIAG_UNEXPECTED_DIAGNOSTIC, d->span, "unexpected %s: %s [%s]",
                         severities[d->severity], d->message, diag_infos[d->id].text);
    now->profiles = d->profiles;
    now->notes = d->notes;
    now->inst = d->inst;
    now->form = d->form;
}

static void report_missing(Verifier *v, const Expected *e) {
    const char *data = v->ctx->source->data;
    StrBuf what;
    sb_init(&what, &v->ctx->arena);
    if (e->text.len > 0) sb_putc(&what, ' ');
    sb_put_plain(&what, data + e->text.off, e->text.len);
    if (e->id.len > 0) sb_printf(&what, " [%.*s]", (int)e->id.len, data + e->id.off);
    if (e->line == 0)
        sb_puts(&what, " (without a position)");
    else if (e->line != e->comment && e->line != UINT32_MAX)
        sb_printf(&what, " (line %u)", e->line);
    diag_add(&v->ctx->diags, DIAG_MISSING_DIAGNOSTIC, e->span, "expected %s was not produced:%s",
             severities[e->severity], sb_text(&what));
}

static void report_patterns(Verifier *v) {
    for (uint32_t i = 0; i < v->n; i++) {
        const Expected *e = &v->list[i];
        regex_t re;
        if (!e->pattern) continue;
        if (regcomp(&re, pattern_of(v, e), REG_EXTENDED | REG_NOSUB) == 0)
            regfree(&re);
        else
            diag_add(&v->ctx->diags, DIAG_EXPECTED_COMMENT, e->text,
                     "not an extended regular expression");
    }
}

int ptoasm_verify_diagnostics(ptoasm_result *res) {
    Context *ctx = res->ctx;
    if (setjmp(ctx->oom) != 0) return PTOASM_NOMEM;
    Verifier v = {.ctx = ctx, .res = res};
    if (res->index.src == NULL) res->index = source_index(&ctx->arena, ctx->source);
    Diag *found = res->list.first;
    diag_init(&ctx->diags, &ctx->arena, 0);
    read_all(&v);
    for (uint32_t i = 0; i < v.n; i++)
        place(&v, i);
    if (v.n > 0) qsort(v.list, v.n, sizeof *v.list, by_line);
    report_patterns(&v);
    size_t i = 0;
    for (Diag *d = found; d != NULL; d = d->next, i++) {
        const ptoasm_diagnostic *p = &res->diagnostics[i];
        if (!meet(&v, p->place.line, d->severity, p->id, d->message)) report_unexpected(&v, d);
        meet_notes(&v, i, p);
    }
    for (uint32_t k = 0; k < v.n; k++)
        if (!v.list[k].met) report_missing(&v, &v.list[k]);
    diagnostics_collect(res);
    return res->ndiags == 0 ? PTOASM_OK : PTOASM_REJECTED;
}
