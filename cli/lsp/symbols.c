/* SPDX-License-Identifier: Apache-2.0 */
/* The outline of a document: its functions, and the tiles in them. */
#include "cli/lsp/lsp.h"

enum { KIND_FUNCTION = 12, KIND_VARIABLE = 13 };

typedef struct Outline {
    const Server *s;
    Document *d;
    StrBuf *out;
    uint32_t end;     /* end of the last function */
    const char *name; /* its name; NULL outside of functions */
    bool nested;      /* its children are being written */
    bool first;       /* nothing is in its list yet */
} Outline;

static void write_name_place(const Outline *o, const ptoasm_definition *def) {
    write_place(o->s, o->d, def->place.offset, (size_t)def->place.offset + def->place.length,
                o->out);
}

/* Writes a symbol and leaves its object open for children. */
static void write_nested(const Outline *o, const ptoasm_definition *def, int kind) {
    sb_puts(o->out, "{\"name\":");
    write_string(def->name, o->out);
    sb_puts(o->out, ",\"detail\":");
    write_string(def->type, o->out);
    sb_printf(o->out, ",\"kind\":%d,\"range\":", kind);
    if (kind == KIND_FUNCTION)
        write_place(o->s, o->d, def->from, def->to, o->out);
    else
        write_name_place(o, def);
    sb_puts(o->out, ",\"selectionRange\":");
    write_name_place(o, def);
}

static void write_flat(const Outline *o, const ptoasm_definition *def, int kind) {
    sb_puts(o->out, "{\"name\":");
    write_string(def->name, o->out);
    sb_printf(o->out, ",\"kind\":%d,\"location\":{\"uri\":", kind);
    write_string(o->d->uri, o->out);
    sb_puts(o->out, ",\"range\":");
    write_name_place(o, def);
    sb_putc(o->out, '}');
    if (kind == KIND_VARIABLE && o->name != NULL) {
        sb_puts(o->out, ",\"containerName\":");
        write_string(o->name, o->out);
    }
}

static void leave_function(Outline *o) {
    if (o->nested) sb_puts(o->out, "]}");
    o->nested = o->first = false;
    o->name = NULL;
}

static void separate(Outline *o) {
    if (!o->first) sb_putc(o->out, ',');
    o->first = false;
}

static void add_function(Outline *o, const ptoasm_definition *def) {
    bool empty = o->first && !o->nested;
    leave_function(o);
    o->first = empty;
    separate(o);
    o->end = def->to;
    o->name = def->name;
    if (o->s->hierarchical) {
        write_nested(o, def, KIND_FUNCTION);
        sb_puts(o->out, ",\"children\":[");
        o->nested = o->first = true;
    } else {
        write_flat(o, def, KIND_FUNCTION);
        sb_putc(o->out, '}');
    }
}

static void add_tile(Outline *o, const ptoasm_definition *def) {
    if (o->name != NULL && def->place.offset >= o->end) leave_function(o);
    separate(o);
    if (o->s->hierarchical)
        write_nested(o, def, KIND_VARIABLE);
    else
        write_flat(o, def, KIND_VARIABLE);
    sb_putc(o->out, '}');
}

bool write_symbols(Server *s, const json_t *params, Failure *f, StrBuf *out) {
    Document *d = request_document(s, params, f);
    if (d == NULL) return false;
    Outline o = {.s = s, .d = d, .out = out, .first = true};
    ptoasm_program *program = document_program(d);
    ptoasm_definition def;
    sb_putc(out, '[');
    for (size_t i = 0; ptoasm_program_definition(program, i, &def); i++) {
        if (def.kind == PTOASM_SYMBOL_FUNCTION)
            add_function(&o, &def);
        else if (def.tile)
            add_tile(&o, &def);
    }
    leave_function(&o);
    sb_putc(out, ']');
    return true;
}
