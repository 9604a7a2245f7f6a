/* Writes the lines of a function body, and reports the diagnostics of the backend. */
#include "backends/c/emitter.h"

#include <stdarg.h>
#include <string.h>

enum { SHOWN = 100 }; /* longest source line in a comment, in bytes */

/* Starts a line of C. With debug information each line is preceded by a #line directive. */
static void begin_line(Emitter *e) {
    if (e->opt->debug && e->line != 0) {
        sb_printf(e->out, "#line %u ", (unsigned)e->line);
        put_c_string(e->out, e->file, strlen(e->file));
        sb_putc(e->out, '\n');
    }
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

void try_call(Emitter *e, const char *fmt, ...) {
    va_list ap;
    begin_line(e);
    sb_puts(e->out, "if ((err = ");
    va_start(ap, fmt);
    sb_vprintf(e->out, fmt, ap);
    va_end(ap);
    sb_puts(e->out, ") != 0)\n");
    e->indent++;
    begin_line(e);
    e->indent--;
    sb_puts(e->out, "return err;\n");
    e->uses_err = true;
    e->uses_core = true;
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
    StrBuf sb;
    va_list ap;
    sb_init(&sb, e->arena);
    va_start(ap, fmt);
    sb_vprintf(&sb, fmt, ap);
    va_end(ap);
    (void)sb_text(&sb);
    return sb.data;
}

/* Reports one diagnostic per place, even when several parts of a statement have no lowering. */
static void report_once(Emitter *e, DiagId id, Span at, const char *text) {
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

/* Returns the tile operands and their types, e.g. ` for src of f32, dst of f16`. */
static const char *operand_types(Emitter *e, const Op *op) {
    StrBuf out;
    unsigned n = 0;
    sb_init(&out, e->arena);
    for (int s = 0; s < op->inst->nslots; s++) {
        const Value *v = slot_value(op, s);
        const Type *t = v != NULL && type_is_tile(v->type) ? tile_value_type(v) : NULL;
        if (t == NULL || t->elem_type == NULL || t->elem_type->kind != TY_SCALAR) continue;
        sb_printf(&out, "%s%s of %s", n++ == 0 ? " for " : ", ", op->inst->slots[s].name,
                  elem_infos[t->elem_type->elem].text);
    }
    return sb_text(&out);
}

void no_kernel(Emitter *e, const Op *op) {
    report_once(
        e, DIAG_NO_KERNEL, op->name_span,
        op->inst->unwritable != NULL
            ? strf(e, "%s cannot be computed: %s", op->inst->name, op->inst->unwritable)
            : strf(e, "%s has no kernel in the runtime%s", op->inst->name, operand_types(e, op)));
}

int64_t attr_choice(Emitter *e, const Op *op, const char *name, int64_t limit) {
    const NamedAttr *a = op_attr_named(e->ctx, op, name);
    if (a == NULL) return 0;
    int64_t n = a->value->kind == ATTR_ENUM  ? enum_number(a->value)
                : a->value->kind == ATTR_INT ? a->value->i
                                             : -1;
    if (n >= 0 && n < limit) return n;
    cannot(e, a->span.len != 0 ? a->span : op->span, "%s has no form in C with this %s",
           op->inst->name, name);
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
    sb_printf(e->out, "/* %u: ", (unsigned)e->line);
    put_comment_text(e->out, src->data + off, n);
    sb_puts(e->out, n < end - off ? " ... */\n" : " */\n");
}

bool set_line(Emitter *e, const Op *op) {
    if (op->span.len == 0 || op->span.off >= e->ctx->source->size)
        return false; /* made by a pass: belongs to the previous statement */
    line_at(e, op->span.off);
    return true;
}

void start_statement(Emitter *e, const Op *op) {
    /* a statement that a pass inserted has the same offset as the next one: one comment for both */
    if (set_line(e, op) && e->opt->comments && !e->opt->debug && e->shown_off != op->span.off + 1) {
        e->shown_off = op->span.off + 1;
        put_source_line(e, op->span.off);
    }
}
