/* The diagnostic list and its text printer. */
#include "support/diag.h"

#include <stdarg.h>
#include <string.h>

const DiagInfo diag_infos[DIAG_COUNT] = {
#define DIAG(name, text, severity, summary) {text, severity, summary},
#include "support/diag_ids.def"
#undef DIAG
};

DiagId diag_find(const char *text) {
    for (int i = 0; i < DIAG_COUNT; i++)
        if (strcmp(diag_infos[i].text, text) == 0)
            return (DiagId)i;
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
    d->message = format(list->arena, fmt, ap);
    append(list, d);
    if (severity == SEV_WARNING)
        list->warnings++;
    if (severity == SEV_ERROR && ++list->errors == list->max_errors) {
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
    n->message = format(list->arena, fmt, ap);
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

/* Merge sort on the list; `too many errors` stays last because its text says so. */
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
    if (list == NULL || list->next == NULL)
        return list;
    Diag *slow = list;
    for (Diag *fast = list->next; fast != NULL && fast->next != NULL; fast = fast->next->next)
        slow = slow->next;
    Diag *half = slow->next;
    slow->next = NULL;
    return merge(sort(list), sort(half));
}

void diag_sort(DiagList *list) {
    list->first = sort(list->first);
    list->last = &list->first;
    while (*list->last != NULL)
        list->last = &(*list->last)->next;
}

/* ---- text printer ---- */

static size_t columns(const char *s, size_t n) {
    size_t cols = 0;
    for (size_t i = 0; i < n; cols++)
        i += utf8_length(s + i, n - i);
    return cols;
}

/* The byte offset of column `col` (from 0) in a line of n bytes. */
static size_t column_offset(const char *s, size_t n, size_t col) {
    size_t i = 0;
    while (i < n && col > 0) {
        i += utf8_length(s + i, n - i);
        col--;
    }
    return i;
}

/* Control bytes and invalid UTF-8 would disturb the terminal and the carets: they become `?`, a
 * tab one blank. */
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

static void put_snippet(StrBuf *out, const Source *src, Span span, uint32_t width) {
    SourcePos pos = source_position(src, span.off);
    const char *line = src->data + pos.line_start;
    size_t len = pos.line_end - pos.line_start;
    if (len > 0 && line[len - 1] == '\r')
        len--;
    size_t col = pos.column - 1;
    size_t mark_end = span.off + (size_t)span.len;
    if (mark_end > pos.line_start + len)
        mark_end = pos.line_start + len;
    size_t marks = mark_end > span.off ? columns(src->data + span.off, mark_end - span.off) : 1;
    size_t total = columns(line, len);
    size_t from = 0, to = total;
    if (total > width) {
        from = col > width / 3 ? col - width / 3 : 0;
        to = from + width < total ? from + width : total;
    }
    size_t a = column_offset(line, len, from);
    size_t b = a + column_offset(line + a, len - a, to - from);
    sb_puts(out, "    ");
    if (from > 0)
        sb_puts(out, "...");
    put_clean(out, line + a, b - a);
    if (to < total)
        sb_puts(out, "...");
    sb_puts(out, "\n    ");
    sb_pad(out, ' ', (from > 0 ? 3 : 0) + (col - from));
    if (col + marks > to)
        marks = to > col ? to - col : 1;
    sb_putc(out, '^');
    sb_pad(out, '~', marks - 1);
    sb_putc(out, '\n');
}

static void put_head(StrBuf *out, const Source *src, Span span, Severity severity,
                     const DiagPrintOptions *opt) {
    static const char *const names[] = {"note", "warning", "error"};
    static const char *const colors[] = {"\033[1;36m", "\033[1;35m", "\033[1;31m"};
    SourcePos pos = source_position(src, span.off);
    sb_printf(out, "%s:%u:%u: ", src->name, pos.line, pos.column);
    if (opt->color)
        sb_printf(out, "%s%s:\033[0m ", colors[severity], names[severity]);
    else
        sb_printf(out, "%s: ", names[severity]);
}

void diag_print(StrBuf *out, const Source *src, const Diag *d, const DiagPrintOptions *opt) {
    put_head(out, src, d->span, d->severity, opt);
    sb_printf(out, "%s [%s]\n", d->message, diag_infos[d->id].text);
    if (d->id != DIAG_TOO_MANY_ERRORS)
        put_snippet(out, src, d->span, opt->width);
    for (const DiagNote *n = d->notes; n != NULL; n = n->next) {
        put_head(out, src, n->has_span ? n->span : d->span, SEV_NOTE, opt);
        sb_printf(out, "%s\n", n->message);
        if (n->has_span)
            put_snippet(out, src, n->span, opt->width);
    }
}

void diag_print_all(StrBuf *out, const Source *src, const DiagList *list,
                    const DiagPrintOptions *opt) {
    for (const Diag *d = list->first; d != NULL; d = d->next)
        diag_print(out, src, d, opt);
}
