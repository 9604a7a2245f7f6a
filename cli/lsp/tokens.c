/* SPDX-License-Identifier: Apache-2.0 */
/* Semantic tokens: what each word of a document is. Names of values are parameters, constants or
 * tiles where the program says so, which a grammar of single lines cannot know. */
#include "cli/lsp/lexed.h"
#include "ir/insts.h"

#include <stdlib.h>
#include <string.h>

/* The legend: types and modifiers by number. */
typedef enum Hue {
    HUE_INSTRUCTION,
    HUE_KEYWORD,
    HUE_PARAMETER,
    HUE_VARIABLE,
    HUE_FUNCTION,
    HUE_LABEL,
    HUE_TYPE,
    HUE_ATTRIBUTE,
    HUE_PROPERTY,
    HUE_NUMBER,
    HUE_STRING,
    HUE_COMMENT,
    HUE_COUNT,
    HUE_NONE = HUE_COUNT
} Hue;
static const char *const hue_names[HUE_COUNT] = {"function", "keyword", "parameter", "variable",
                                                 "method",   "label",   "type",      "enumMember",
                                                 "property", "number",  "string",    "comment"};
enum { IS_DECLARATION = 1, IS_CONSTANT = 2, IS_OLD = 4, IS_TILE = 8 };
static const char *const modifier_names[] = {"declaration", "readonly", "deprecated", "tile"};

json_t *tokens_legend(void) {
    json_t *types = json_array(), *modifiers = json_array();
    for (unsigned i = 0; i < HUE_COUNT; i++)
        json_add(types, json_string(hue_names[i]));
    for (unsigned i = 0; i < sizeof modifier_names / sizeof modifier_names[0]; i++)
        json_add(modifiers, json_string(modifier_names[i]));
    return packed("{s:o, s:o}", "tokenTypes", types, "tokenModifiers", modifiers);
}

/* ---- what names mean ---- */

/* A definition of a value, in a list of those with the same hash. */
typedef struct Named {
    ptoasm_definition def;
    size_t next; /* one more than the index of an earlier one; 0: none */
} Named;

/* The hash includes the function, as many of them use the same names. */
typedef struct Names {
    Named *list;
    size_t *last, mask;  /* by hash: one more than the index of the last one */
    uint32_t *functions; /* where each begins, in the order of the text */
    size_t nfunctions;
} Names;

/* Returns the number of the function that an offset is in, or after. */
static size_t function_at(const Names *names, uint32_t offset) {
    size_t low = 0, high = names->nfunctions;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (names->functions[middle] <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static size_t hash_of(const Names *names, const char *name, size_t n, uint32_t offset) {
    size_t h = 5381 + function_at(names, offset) * 0x9E3779B1u;
    for (size_t i = 0; i < n; i++)
        h = h * 33 + (unsigned char)name[i];
    return (h ^ h >> 15) & names->mask;
}

static void add_name(Names *names, size_t i) {
    Named *one = &names->list[i];
    const char *name = one->def.name;
    size_t *last = &names->last[hash_of(names, name, strlen(name), one->def.place.offset)];
    one->next = *last;
    *last = i + 1;
}

static Names *names_make(Document *d) {
    ptoasm_program *program = document_program(d);
    const size_t n = ptoasm_program_definition_count(program);
    Names *names = must_alloc(sizeof *names);
    *names = (Names){.list = must_alloc((n + 1) * sizeof *names->list),
                     .functions = must_alloc((n + 1) * sizeof *names->functions),
                     .mask = 255};
    while (names->mask < n)
        names->mask = 2 * names->mask + 1;
    names->last = must_alloc((names->mask + 1) * sizeof *names->last);
    memset(names->last, 0, (names->mask + 1) * sizeof *names->last);
    for (size_t i = 0; i < n; i++) {
        Named *one = &names->list[i];
        if (!ptoasm_program_definition(program, i, &one->def)) break;
        if (one->def.kind == PTOASM_SYMBOL_FUNCTION)
            names->functions[names->nfunctions++] = one->def.from;
        else
            add_name(names, i);
    }
    return names;
}

static void names_free(Names *names) {
    free(names->list);
    free(names->last);
    free(names->functions);
    free(names);
}

/* Returns the definition that a name at an offset means; NULL: none is known. */
static const ptoasm_definition *meant_at(const Names *names, const char *name, size_t n,
                                         uint32_t offset) {
    size_t at = names->last[hash_of(names, name, n, offset)];
    for (; at != 0; at = names->list[at - 1].next) {
        const ptoasm_definition *d = &names->list[at - 1].def;
        const bool inside = d->place.offset == offset || (d->from <= offset && offset < d->to);
        if (inside && strlen(d->name) == n && memcmp(d->name, name, n) == 0) return d;
    }
    return NULL;
}

/* ---- tokens ---- */

typedef struct Coloring {
    const Server *s;
    Document *d;
    const Lexed *l;
    const Names *names;
    StrBuf *out;
    Position last;
    bool any;
} Coloring;

/* Writes one token that is on one line. */
static void put_piece(Coloring *c, size_t from, size_t to, Hue kind, unsigned modifiers) {
    const Position at = text_position(&c->d->text, from, c->s->utf8),
                   end = text_position(&c->d->text, to, c->s->utf8);
    const size_t lines = at.line - c->last.line;
    if (to <= from) return;
    sb_printf(c->out, "%s%zu,%zu,%zu,%d,%u", c->any ? "," : "", lines,
              lines == 0 ? at.character - c->last.character : at.character,
              end.character - at.character, (int)kind, modifiers);
    c->last = at;
    c->any = true;
}

/* Clients expect no token over several lines. */
static void put(Coloring *c, size_t from, size_t to, Hue kind, unsigned modifiers) {
    const char *text = c->d->text.data;
    while (from < to) {
        const char *end = memchr(text + from, '\n', to - from);
        size_t stop = end != NULL ? (size_t)(end - text) : to;
        const size_t next = stop + 1;
        if (stop > from && text[stop - 1] == '\r' && end != NULL) stop--;
        put_piece(c, from, stop, kind, modifiers);
        from = next;
    }
}

static void put_instruction(Coloring *c, const Token *t) {
    const Interner *in = &c->l->ctx.names;
    const char *name = atom_text(in, t->atom);
    const Inst *inst = inst_find(name, atom_len(in, t->atom));
    const bool own = inst == NULL || memcmp(inst->name, "pto.", 4) == 0;
    const bool old = inst != NULL && (inst->flags & IF_DEPRECATED) != 0;
    put(c, t->off, t->off + t->len, own ? HUE_INSTRUCTION : HUE_KEYWORD, old ? IS_OLD : 0);
}

static void put_value(Coloring *c, const Token *t) {
    const char *name = c->d->text.data + t->off;
    size_t n = 1;
    while (n < t->len && name[n] != '#' && name[n] != ':')
        n++;
    const ptoasm_definition *d = meant_at(c->names, name, n, t->off);
    unsigned modifiers = t->kind == TOK_RESULT ? IS_DECLARATION : 0;
    Hue kind = HUE_VARIABLE;
    if (d != NULL) {
        if (d->place.offset == t->off) modifiers |= IS_DECLARATION;
        if (d->tile) modifiers |= IS_TILE;
        if (strcmp(d->instruction, "arith.constant") == 0) modifiers |= IS_CONSTANT;
        if (d->instruction[0] == '\0') kind = HUE_PARAMETER;
    }
    put(c, t->off, t->off + t->len, kind, modifiers);
}

static Hue kind_of(const Token *t, const Token *next) {
    switch (t->kind) {
    case TOK_LABEL:
    case TOK_SUCCESSOR:
        return HUE_LABEL;
    case TOK_SYMBOL:
        return HUE_FUNCTION;
    case TOK_WORD:
        return next != NULL && next->kind == TOK_EQUAL ? HUE_PROPERTY : HUE_KEYWORD;
    case TOK_TYPE:
    case TOK_TYPE_ALIAS:
        return HUE_TYPE;
    case TOK_ATTR:
    case TOK_ATTR_ALIAS:
        return HUE_ATTRIBUTE;
    case TOK_ARG:
    case TOK_CONST:
        return HUE_KEYWORD;
    case TOK_INT:
    case TOK_FLOAT:
        return HUE_NUMBER;
    case TOK_STRING:
        return HUE_STRING;
    default:
        return HUE_NONE;
    }
}

static void put_token(Coloring *c, uint32_t i) {
    const Token *t = &c->l->buf.tokens[i];
    const Token *next = i + 1 < c->l->buf.count ? t + 1 : NULL;
    if (t->kind == TOK_OP || t->kind == TOK_QUOTED_OP) {
        put_instruction(c, t);
    } else if (t->kind == TOK_VALUE || t->kind == TOK_RESULT) {
        put_value(c, t);
    } else {
        const Hue kind = kind_of(t, next);
        if (kind != HUE_NONE) put(c, t->off, t->off + t->len, kind, 0);
    }
}

/* Writes tokens and comments in the order of the text. */
static void put_all(Coloring *c) {
    const TokenBuf *b = &c->l->buf;
    uint32_t k = 0;
    for (uint32_t i = 0; i < b->count; i++) {
        for (; k < b->ntrivia && b->trivia[k].text.off < b->tokens[i].off; k++)
            if (b->trivia[k].kind == TRIVIA_COMMENT || b->trivia[k].kind == TRIVIA_TRAILING)
                put(c, b->trivia[k].text.off, b->trivia[k].text.off + b->trivia[k].text.len,
                    HUE_COMMENT, 0);
        put_token(c, i);
    }
}

bool write_tokens(Server *s, const json_t *params, Failure *f, StrBuf *out) {
    Document *d = request_document(s, params, f);
    if (d == NULL) return false;
    Lexed *l = lexed_make(d);
    Names *names = names_make(d);
    Coloring c = {.s = s, .d = d, .l = l, .names = names, .out = out};
    sb_puts(out, "{\"data\":[");
    put_all(&c);
    sb_puts(out, "]}");
    names_free(names);
    lexed_free(l);
    return true;
}
