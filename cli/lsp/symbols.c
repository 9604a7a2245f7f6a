/* The outline of a document: its functions, and the tiles in them. */
#include "cli/lsp/lsp.h"

enum { KIND_FUNCTION = 12, KIND_VARIABLE = 13 };

typedef struct Outline {
    const Server *s;
    Document *d;
    json_t *list;     /* the answer */
    json_t *tiles;    /* of the last function; NULL before the first */
    uint32_t end;     /* of that function */
    const char *name; /* of it; NULL outside of functions */
} Outline;

static json_t *name_place(const Outline *o, const ptoasm_definition *def) {
    return json_place(o->s, o->d, def->place.offset, (size_t)def->place.offset + def->place.length);
}

static json_t *nested(const Outline *o, const ptoasm_definition *def, int kind) {
    json_t *range =
        kind == KIND_FUNCTION ? json_place(o->s, o->d, def->from, def->to) : name_place(o, def);
    return packed("{s:o, s:o, s:i, s:o, s:o}", "name", json_text(def->name), "detail",
                  json_text(def->type), "kind", kind, "range", range, "selectionRange",
                  name_place(o, def));
}

static json_t *flat(const Outline *o, const ptoasm_definition *def, int kind) {
    json_t *symbol = packed("{s:o, s:i, s:{s:s, s:o}}", "name", json_text(def->name), "kind", kind,
                            "location", "uri", o->d->uri, "range", name_place(o, def));
    if (kind == KIND_VARIABLE && o->name != NULL)
        json_put(symbol, "containerName", json_text(o->name));
    return symbol;
}

static void add_function(Outline *o, const ptoasm_definition *def) {
    o->end = def->to;
    o->name = def->name;
    if (!o->s->hierarchical) {
        json_add(o->list, flat(o, def, KIND_FUNCTION));
        return;
    }
    json_t *symbol = nested(o, def, KIND_FUNCTION);
    o->tiles = json_array();
    json_put(symbol, "children", o->tiles);
    json_add(o->list, symbol);
}

static void add_tile(Outline *o, const ptoasm_definition *def) {
    if (def->place.offset >= o->end) {
        o->tiles = NULL;
        o->name = NULL;
    }
    if (!o->s->hierarchical)
        json_add(o->list, flat(o, def, KIND_VARIABLE));
    else
        json_add(o->tiles != NULL ? o->tiles : o->list, nested(o, def, KIND_VARIABLE));
}

json_t *answer_symbols(Server *s, const json_t *params, Failure *f) {
    Document *d = request_document(s, params, f);
    if (d == NULL) return NULL;
    Outline o = {.s = s, .d = d, .list = json_array()};
    ptoasm_program *program = document_program(d);
    ptoasm_definition def;
    for (size_t i = 0; ptoasm_program_definition(program, i, &def); i++) {
        if (def.kind == PTOASM_SYMBOL_FUNCTION)
            add_function(&o, &def);
        else if (def.tile)
            add_tile(&o, &def);
    }
    return o.list;
}
