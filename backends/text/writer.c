/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the lines of a function body, and reports the diagnostics of the backend. */
#include "backends/text/emitter.h"

#include <stdarg.h>
#include <string.h>

void emitter_init(Emitter *e, const TextLanguage *lang, const Module *m, const EmitOptions *opt,
                  Arena *arena, DiagList *diags) {
    e->lang = lang;
    e->m = m;
    e->ctx = m->ctx;
    e->opt = opt;
    e->file = opt->file_name != NULL ? opt->file_name : m->ctx->source->name;
    e->arena = e->keep = arena;
    e->diags = diags;
    nameset_init(&e->globals, arena, NULL);
    sb_init(&e->points, arena);
    nameset_init(&e->reported, arena, NULL);
    e->low = opt->lowered != NULL ? opt->lowered : lower_module(m, opt->profile, arena, diags);
    e->ok = e->low->ok;
}

enum { TIMES = 3 }; /* bytes of text for each byte of the program, at most as a rule */

void emitter_reserve(Emitter *e, StrBuf *out) {
    sb_reserve(out, (size_t)TIMES * e->ctx->source->size);
}

void emitter_finish(Emitter *e, StrBuf *out, const StrBuf *top) {
    if (e->ok)
        sb_insert(out, 0, top->data, top->len);
    else
        out->len = 0;
}

enum { SHOWN = 100 }; /* longest source line in a comment, in bytes */

/* Sets the line that the author wrote for the current statement. */
static void find_author(Emitter *e) {
    AuthorLine lines[MOST_AUTHOR_LINES];
    if (e->author_off == e->line_off + 1) return;
    e->author_off = e->line_off + 1;
    e->author.line = 0;
    if (e->opt->locations != NULL && locations_find(e->opt->locations, e->line_off, lines) > 0)
        e->author = lines[0];
}

/* Directs a debugger to the author's line, else to the line of the .pto file. */
static void put_line_directive(Emitter *e) {
    find_author(e);
    const bool author = e->author.line != 0;
    const char *file = author ? e->author.file : e->file;
    sb_printf(e->out, "#line %u ", (unsigned)(author ? e->author.line : e->line));
    put_c_string(e->out, file, strlen(file));
    sb_putc(e->out, '\n');
}

void begin_line(Emitter *e) {
    if (e->opt->debug && e->line != 0) put_line_directive(e);
    sb_pad(e->out, ' ', (size_t)e->indent * 4);
}

void ln(Emitter *e, const char *fmt, ...) {
    va_list ap;
    begin_line(e);
    va_start(ap, fmt);
    sb_vprintf(e->out, fmt, ap);
    va_end(ap);
    sb_putc(e->out, '\n');
}

void open_brace(Emitter *e, const char *fmt, ...) {
    va_list ap;
    begin_line(e);
    va_start(ap, fmt);
    sb_vprintf(e->out, fmt, ap);
    va_end(ap);
    sb_puts(e->out, " {\n");
    e->indent++;
}

void open_block(Emitter *e) {
    ln(e, "{");
    e->indent++;
}

void close_brace(Emitter *e) {
    e->indent--;
    ln(e, "}");
}

char *strf(Emitter *e, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    char *text = arena_vprintf(e->arena, fmt, ap);
    va_end(ap);
    return text;
}

void report_once(Emitter *e, DiagId id, Span at, const char *text) {
    e->ok = false;
    const char *key = strf(e, "%u", (unsigned)at.off);
    if (nameset_has(&e->reported, key)) return;
    nameset_add(&e->reported, key);
    diag_add(e->diags, id, at, "%s", text);
}

void cannot(Emitter *e, Span at, const char *fmt, ...) {
    StrBuf sb;
    va_list ap;
    sb_init(&sb, e->arena);
    va_start(ap, fmt);
    sb_vprintf(&sb, fmt, ap);
    va_end(ap);
    report_once(e, DIAG_NOT_LOWERABLE, at, sb_text(&sb));
}

int64_t attr_choice(Emitter *e, const LowerStmt *s, AttrName name, int64_t limit) {
    const NamedAttr *a = stmt_attr_named(s, name);
    if (a == NULL) return 0;
    int64_t n = a->value->kind == ATTR_ENUM  ? enum_number(a->value)
                : a->value->kind == ATTR_INT ? a->value->i
                                             : -1;
    if (n >= 0 && n < limit) return n;
    cannot(e, a->span.len != 0 ? a->span : s->span, "%s has no form in %s with this %s",
           s->inst->name, e->lang->name, attr_texts[name]);
    return -1;
}

/* Moves the current line to that of an offset. Statements are nearly in order, so the distance is
 * short. */
static void line_at(Emitter *e, uint32_t off) {
    const Source *src = e->ctx->source;
    if (e->line == 0) e->line = 1;
    if (off < e->line_off)
        e->line -= source_line_from(src, off, 0, e->line_off);
    else
        e->line = source_line_from(src, e->line_off, e->line, off);
    e->line_off = off;
}

static void put_source_line(Emitter *e, uint32_t off) {
    const Source *src = e->ctx->source;
    uint32_t end = off;
    while (end < src->size && src->data[end] != '\n' && src->data[end] != '\r')
        end++;
    uint32_t n = end - off > SHOWN ? SHOWN : end - off;
    sb_pad(e->out, ' ', (size_t)e->indent * 4);
    const bool line = e->lang->line_comments;
    sb_printf(e->out, line ? "// %u: " : "/* %u: ", (unsigned)e->line);
    (line ? put_line_comment : put_comment_text)(e->out, src->data + off, n);
    if (n < end - off) sb_puts(e->out, " ...");
    sb_puts(e->out, line ? "\n" : " */\n");
}

bool set_line(Emitter *e, Span at) {
    if (at.len == 0 || at.off >= e->ctx->source->size)
        return false; /* made by a pass: belongs to the previous statement */
    line_at(e, at.off);
    return true;
}

void start_statement(Emitter *e, Span at) {
    /* a statement that a pass inserted has the same offset as the next one: one comment for both */
    if (set_line(e, at) && e->opt->comments && !e->opt->debug && !e->quiet &&
        e->shown_off != at.off + 1) {
        e->shown_off = at.off + 1;
        put_source_line(e, at.off);
    }
}
