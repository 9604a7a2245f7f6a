/* SPDX-License-Identifier: Apache-2.0 */
/* The list of diagnostics, and its text printer. */
#include "support/diag.h"
#include "support/near.h"

#include <stdarg.h>
#include <string.h>

const DiagInfo diag_infos[DIAG_COUNT] = {
#define DIAG(name, text, severity, summary) {text, severity},
#include "support/diag_ids.def"
#undef DIAG
};

DiagId diag_find(const char *text) {
    for (int i = 0; i < DIAG_COUNT; i++)
        if (strcmp(diag_infos[i].text, text) == 0) return (DiagId)i;
    return DIAG_COUNT;
}

void diag_init(DiagList *list, Arena *arena, uint32_t max_errors) {
    *list = (DiagList){.arena = arena, .max_errors = max_errors};
    list->last = &list->first;
}

static char *format(Arena *a, const char *fmt, va_list ap) {
    StrBuf sb;
    sb_init(&sb, a);
    sb_vprintf(&sb, fmt, ap);
    return arena_strndup(a, sb_text(&sb), sb.len);
}

/* As format(), without control characters: names and strings of a program may hold any. */
static const char *message(Arena *a, const char *fmt, va_list ap) {
    StrBuf plain;
    const char *text = format(a, fmt, ap);
    sb_init(&plain, a);
    sb_put_plain(&plain, text, strlen(text));
    return sb_text(&plain);
}

static void append(DiagList *list, Diag *d) {
    d->next = NULL;
    *list->last = d;
    list->last = &d->next;
}

static Diag *add(DiagList *list, Severity severity, DiagId id, Span span, const char *fmt,
                 va_list ap) {
    Diag *d = ARENA_NEW(list->arena, Diag);
    d->id = id;
    d->severity = severity;
    d->span = span;
    d->last_note = &d->notes;
    if (list->stopped) {
        d->message = "";
        return d;
    }
    d->message = message(list->arena, fmt, ap);
    append(list, d);
    if (severity == SEV_WARNING) list->warnings++;
    if (severity == SEV_ERROR && ++list->errors - list->merged == list->max_errors) {
        list->stopped = true;
        Diag *stop = ARENA_NEW(list->arena, Diag);
        stop->id = DIAG_TOO_MANY_ERRORS;
        stop->severity = SEV_ERROR;
        stop->span = span;
        stop->last_note = &stop->notes;
        stop->message = arena_printf(list->arena, "too many errors (limit %u)", list->max_errors);
        append(list, stop);
    }
    return d;
}

Diag *diag_add(DiagList *list, DiagId id, Span span, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    Diag *d = add(list, diag_infos[id].severity, id, span, fmt, ap);
    va_end(ap);
    return d;
}

Diag *diag_add_as(DiagList *list, Severity severity, DiagId id, Span span, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    Diag *d = add(list, severity, id, span, fmt, ap);
    va_end(ap);
    return d;
}

static DiagNote *add_note(DiagList *list, Diag *d, const char *fmt, va_list ap) {
    DiagNote *n = ARENA_NEW(list->arena, DiagNote);
    n->message = message(list->arena, fmt, ap);
    *d->last_note = n;
    d->last_note = &n->next;
    return n;
}

void diag_note(DiagList *list, Diag *d, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    add_note(list, d, fmt, ap);
    va_end(ap);
}

void diag_note_at(DiagList *list, Diag *d, Span span, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    DiagNote *n = add_note(list, d, fmt, ap);
    va_end(ap);
    n->span = span;
    n->has_span = true;
}

void diag_merge(DiagList *list, Diag *into, Diag *d, const char *fmt, ...) {
    if (list->stopped || d->into != NULL) return;
    va_list ap;
    va_start(ap, fmt);
    d->related = message(list->arena, fmt, ap);
    va_end(ap);
    d->into = into;
    list->merged++;
}

void diag_edit(DiagList *list, Diag *d, Span span, const char *fmt, ...) {
    va_list ap;
    DiagEdit *e = ARENA_NEW(list->arena, DiagEdit);
    va_start(ap, fmt);
    e->text = format(list->arena, fmt, ap);
    va_end(ap);
    e->span = span;
    e->next = d->edits;
    d->edits = e;
}

void diag_did_you_mean(DiagList *list, Diag *d, Span span, const char *near, bool same) {
    if (near == NULL) return;
    diag_note(list, d, "did you mean '%s'?", near);
    diag_edit(list, d, span, "%s", near);
    d->guess |= !same;
}

void diag_near_word(DiagList *list, Diag *d, Span span, const char *s, size_t n,
                    const char *const *words, unsigned count) {
    const char *near = near_word(s, n, words, count);
    if (near != NULL) diag_did_you_mean(list, d, span, near, same_word(s, n, near));
}

static const char *piece(DiagList *list, const char *s, const char *end) {
    while (end > s && (end[-1] == ' ' || end[-1] == ','))
        end--;
    return end > s ? arena_strndup(list->arena, s, (size_t)(end - s)) : NULL;
}

/* Finds the last of these words in [s, end); *after is its end. */
static const char *last_of(const char *s, const char *end, const char *const words[2],
                           const char **after) {
    const char *found = NULL;
    for (int i = 0; i < 2; i++)
        for (const char *at = s; (at = strstr(at, words[i])) != NULL && at < end; at++)
            if (found == NULL || at > found) {
                found = at;
                *after = at + strlen(words[i]);
            }
    return found;
}

/* Parses `A has FOUND but B has EXPECTED` or `A is FOUND but B is EXPECTED`; nothing of the kind
 * is in `but nothing has written it`. */
static void split_pair(DiagList *list, Diag *d, const char *but) {
    static const char *const verbs[2] = {" has ", " is "};
    const char *after = NULL, *s = d->message, *to = strpbrk(but, "(;");
    if (to == NULL) to = but + strlen(but);
    if (strncmp(but, " but nothing ", 13) == 0 || last_of(s, but, verbs, &after) == NULL) return;
    d->found = piece(list, after, but);
    if (last_of(but, to, verbs, &after) != NULL) d->expected = piece(list, after, to);
}

/* Parses `.. has type 'EXPECTED', written as 'FOUND'`. */
static void split_written(DiagList *list, Diag *d, const char *written) {
    const char *type = strstr(d->message, " has type '"), *found = strchr(written, '\'') + 1;
    const size_t len = strlen(found);
    if (type == NULL || type > written || written[-1] != '\'' || len == 0) return;
    type += strlen(" has type '");
    d->expected = piece(list, type, written - 1);
    d->found = piece(list, found, found + len - (found[len - 1] == '\''));
}

/* Parses `.. has FOUND, expected EXPECTED (..)`, `expected EXPECTED, found FOUND`, `.. must be
 * EXPECTED, found FOUND`, types written wrongly, and pairs. */
void diag_split(DiagList *list, Diag *d) {
    static const char *const verbs[2] = {" has ", " is "};
    const char *s = d->message, *end = s + strlen(s), *found, *after = NULL;
    const char *expected = strstr(s, ", expected "), *must = strstr(s, " must be ");
    const char *but, *written;
    if (d->expected != NULL || d->found != NULL) return;
    if (expected != NULL) {
        const char *from = expected + strlen(", expected "), *to = strpbrk(from, "(;");
        d->expected = piece(list, from, to != NULL ? to : end);
        if (last_of(s, expected, verbs, &after) != NULL) d->found = piece(list, after, expected);
    } else if (strncmp(s, "expected ", 9) == 0 && (found = strstr(s, ", found ")) != NULL) {
        d->expected = piece(list, s + 9, found);
        d->found = piece(list, found + strlen(", found "), end);
    } else if (must != NULL && (found = strstr(must, ", found ")) != NULL) {
        d->expected = piece(list, must + strlen(" must be "), found);
        d->found = piece(list, found + strlen(", found "), end);
    } else if ((written = strstr(s, ", written as '")) != NULL) {
        split_written(list, d, written);
    } else if ((but = strstr(s, " but ")) != NULL) {
        split_pair(list, d, but);
    }
}

/* Order of the merge sort; `too many errors` stays last, as its text requires. */
static bool before(const Diag *a, const Diag *b) {
    if ((a->id == DIAG_TOO_MANY_ERRORS) != (b->id == DIAG_TOO_MANY_ERRORS))
        return b->id == DIAG_TOO_MANY_ERRORS;
    return a->span.off <= b->span.off;
}

static Diag *merge(Diag *a, Diag *b) {
    Diag *first = NULL, **last = &first;
    while (a != NULL && b != NULL) {
        Diag **from = before(a, b) ? &a : &b;
        *last = *from;
        last = &(*from)->next;
        *from = *last;
    }
    *last = a != NULL ? a : b;
    return first;
}

static Diag *sort(Diag *list) {
    if (list == NULL || list->next == NULL) return list;
    Diag *slow = list;
    for (Diag *fast = list->next; fast != NULL && fast->next != NULL; fast = fast->next->next)
        slow = slow->next;
    Diag *half = slow->next;
    slow->next = NULL;
    return merge(sort(list), sort(half));
}

/* Turns the merged diagnostics into notes, in the order of the text. */
static void show_merged(DiagList *list) {
    enum { MOST_RELATED = 8 };
    for (Diag **link = &list->first; *link != NULL;) {
        const Diag *d = *link;
        if (d->into == NULL) {
            link = &(*link)->next;
            continue;
        }
        if (++d->into->nrelated <= MOST_RELATED)
            diag_note_at(list, d->into, d->span, "%s", d->related);
        *link = d->next;
    }
    for (Diag *d = list->first; d != NULL; d = d->next) {
        if (d->nrelated > MOST_RELATED)
            diag_note(list, d, "and at %u more places", d->nrelated - MOST_RELATED);
        d->nrelated = 0;
    }
}

static void find_last(DiagList *list) {
    list->last = &list->first;
    while (*list->last != NULL)
        list->last = &(*list->last)->next;
}

void diag_order(DiagList *list) {
    list->first = sort(list->first);
    find_last(list);
}

void diag_sort(DiagList *list) {
    list->first = sort(list->first);
    show_merged(list);
    find_last(list);
}

/* ---- text printer ---- */

typedef struct Printer {
    StrBuf *out;
    SourceIndex index;
    const DiagPrintOptions *opt;
} Printer;

static size_t columns(const char *s, size_t n) {
    size_t cols = 0;
    for (size_t i = 0; i < n; cols++)
        i += utf8_length(s + i, n - i);
    return cols;
}

/* Replaces control bytes and invalid UTF-8, which would disturb the terminal and the carets, by
 * `?`, and a tab by a blank. */
static void put_clean(StrBuf *out, const char *s, size_t n) {
    for (size_t i = 0; i < n;) {
        size_t len = utf8_length(s + i, n - i);
        unsigned char c = (unsigned char)s[i];
        if (c == '\t')
            sb_putc(out, ' ');
        else if (c < 0x20 || c == 0x7F || (len == 1 && c >= 0x80))
            sb_putc(out, '?');
        else
            sb_add(out, s + i, len);
        i += len;
    }
}

static bool line_ends_at(const Source *src, uint32_t off) {
    if (off < src->size && src->data[off] == '\r') off++;
    return off == src->size || src->data[off] == '\n';
}

/* Advances by at most `n` code points within a line. */
static uint32_t forward(const Source *src, uint32_t off, uint32_t n) {
    for (; n > 0 && !line_ends_at(src, off); n--)
        off += (uint32_t)utf8_length(src->data + off, src->size - off);
    return off;
}

/* Goes back by at most `n` code points, but not before `start`. */
static uint32_t backward(const Source *src, uint32_t off, uint32_t n, uint32_t start) {
    for (; n > 0 && off > start; n--) {
        uint32_t from = off > start + 4 ? off - 4 : start, i = off - 1;
        while (i > from && ((unsigned char)src->data[i] & 0xC0) == 0x80)
            i--;
        off = i + utf8_length(src->data + i, off - i) == off ? i : off - 1;
    }
    return off;
}

/* Reads only the part of the line that it shows. */
static void put_snippet(const Printer *p, Span span) {
    const Source *src = p->index.src;
    StrBuf *out = p->out;
    uint32_t at = span.off < src->size ? span.off : src->size;
    uint32_t start = source_find(&p->index, at).line_start, from = start;
    uint32_t to = forward(src, from, p->opt->width);
    if (!line_ends_at(src, to)) {
        from = backward(src, at, p->opt->width / 3, start);
        to = forward(src, from, p->opt->width);
    }
    size_t pad = columns(src->data + from, at - from), marks = 1;
    if (span.len > 0 && to > at) {
        uint32_t mark_end = span.len < to - at ? at + span.len : to;
        marks = columns(src->data + at, mark_end - at);
    }
    sb_puts(out, "    ");
    if (from > start) {
        sb_puts(out, "...");
        pad += 3;
    }
    put_clean(out, src->data + from, to - from);
    if (!line_ends_at(src, to)) sb_puts(out, "...");
    sb_puts(out, "\n    ");
    sb_pad(out, ' ', pad);
    sb_putc(out, '^');
    sb_pad(out, '~', marks - 1);
    sb_putc(out, '\n');
}

static void put_severity(const Printer *p, Severity severity) {
    static const char *const names[] = {"note", "warning", "error"};
    static const char *const colors[] = {"\033[1;36m", "\033[1;35m", "\033[1;31m"};
    if (p->opt->color)
        sb_printf(p->out, "%s%s:\033[0m ", colors[severity], names[severity]);
    else
        sb_printf(p->out, "%s: ", names[severity]);
}

static void put_head(const Printer *p, Span span, Severity severity) {
    SourcePos pos = source_find(&p->index, span.off);
    sb_printf(p->out, "%s:%u:%u: ", p->index.src->name, pos.line, pos.column);
    put_severity(p, severity);
}

/* ---- the author's lines ---- */

static unsigned author_lines(const Printer *p, Span span, AuthorLine lines[MOST_AUTHOR_LINES]) {
    if (p->opt->locations == NULL) return 0;
    return locations_find(p->opt->locations, span.off, lines);
}

static void put_author_head(const Printer *p, const AuthorLine *line, Severity severity) {
    if (p->opt->mlir) sb_puts(p->out, "loc(\"");
    sb_put_plain(p->out, line->file, strlen(line->file));
    if (p->opt->mlir)
        sb_printf(p->out, "\":%u:%u): ", line->line, line->column);
    else
        sb_printf(p->out, line->column != 0 ? ":%u:%u: " : ":%u: ", line->line, line->column);
    put_severity(p, severity);
}

static void put_author_notes(const Printer *p, const AuthorLine *lines, unsigned n) {
    for (unsigned i = 0; i < n; i++) {
        put_author_head(p, &lines[i], SEV_NOTE);
        const char *text = author_line_text(p->out->arena, &lines[i]);
        sb_put_plain(p->out, text, strlen(text));
        sb_putc(p->out, '\n');
    }
}

/* ---- diagnostics and notes ---- */

/* Prints a message about a part of the text: where it is, the line, and where that comes from.
 * `known`: the author's lines of the statement have been printed. */
static void put_message(const Printer *p, Span span, Severity severity, const char *message,
                        const char *id, bool known) {
    AuthorLine lines[MOST_AUTHOR_LINES];
    const unsigned n = known ? 0 : author_lines(p, span, lines);
    const bool author = n > 0 && p->opt->author_first;
    if (author)
        put_author_head(p, &lines[0], severity);
    else
        put_head(p, span, severity);
    sb_puts(p->out, message);
    if (id != NULL) sb_printf(p->out, " [%s]", id);
    sb_putc(p->out, '\n');
    if (author) {
        put_head(p, span, SEV_NOTE);
        sb_puts(p->out, "in this statement\n");
    }
    put_snippet(p, span);
    put_author_notes(p, lines + author, n - author);
}

static void put_diag(const Printer *p, const Diag *d) {
    if (d->id == DIAG_TOO_MANY_ERRORS) {
        put_head(p, d->span, d->severity);
        sb_printf(p->out, "%s [%s]\n", d->message, diag_infos[d->id].text);
        return;
    }
    put_message(p, d->span, d->severity, d->message, diag_infos[d->id].text, false);
    for (const DiagNote *n = d->notes; n != NULL; n = n->next) {
        if (n->has_span) {
            const Locations *l = p->opt->locations;
            put_message(p, n->span, SEV_NOTE, n->message, NULL,
                        l == NULL || locations_same(l, d->span.off, n->span.off));
            continue;
        }
        put_head(p, d->span, SEV_NOTE);
        sb_printf(p->out, "%s\n", n->message);
    }
}

void diag_print_all(StrBuf *out, const Source *src, const DiagList *list,
                    const DiagPrintOptions *opt) {
    if (list->first == NULL) return;
    const bool made = opt->lines != NULL && opt->lines->src == src;
    const Printer p = {
        .out = out, .index = made ? *opt->lines : source_index(list->arena, src), .opt = opt};
    for (const Diag *d = list->first; d != NULL; d = d->next)
        put_diag(&p, d);
}
