/* SPDX-License-Identifier: Apache-2.0 */
/* Completion: names of instructions, attributes, words, types, and the values in scope. */
#include "cli/lsp/lsp.h"

#include "cli/explain.h"
#include "cli/lsp/cursor.h"
#include "cli/lsp/rank.h"
#include <string.h>

/* CompletionItemKind */
enum {
    ITEM_FUNCTION = 3,
    ITEM_VARIABLE = 6,
    ITEM_PROPERTY = 10,
    ITEM_KEYWORD = 14,
    ITEM_ENUM_MEMBER = 20,
    ITEM_STRUCT = 22,
    ITEM_TYPE = 25
};
enum { MOST_VALUES = 1000, TAG_DEPRECATED = 1 };

typedef struct Completion {
    Server *s;
    Document *d;
    Cursor at;
    size_t offset;
    Ranking *ranking; /* NULL: values have the order of the text */
    json_t *range;    /* the range that every item replaces */
    json_t *items;
    bool incomplete;
} Completion;

static json_t *add_item(Completion *c, const char *label, int kind, const char *detail) {
    json_t *item = packed("{s:o, s:i, s:{s:O, s:o}}", "label", json_text(label), "kind", kind,
                          "textEdit", "range", c->range, "newText", json_text(label));
    if (detail != NULL && *detail != '\0') json_put(item, "detail", json_text(detail));
    json_add(c->items, item);
    return item;
}

/* True when the word begins with what was typed. */
static bool typed_prefix(const Completion *c, const char *word) {
    size_t n = c->offset - c->at.from;
    return strncmp(word, c->d->text.data + c->at.from, n) == 0;
}

/* ---- names of the program ---- */

/* Sorts values that fit first, among those the last definition first. */
static void add_value(Completion *c, const ptoasm_definition *def, int order) {
    char sort[16];
    json_t *item;
    const unsigned rank = c->ranking != NULL ? rank_of(c->ranking, def) : 0;
    snprintf(sort, sizeof sort, "%u%08d", rank, 99999999 - order);
    if (def->results == 1) {
        item = add_item(c, def->name, ITEM_VARIABLE, def->type);
        json_put(item, "sortText", packed("s", sort));
        return;
    }
    for (uint32_t k = 0; k < def->results; k++) {
        char name[200];
        snprintf(name, sizeof name, "%.150s#%u", def->name, k);
        item = add_item(c, name, ITEM_VARIABLE, k == 0 ? def->type : NULL);
        json_put(item, "sortText", packed("s", sort));
    }
}

static void add_definitions(Completion *c) {
    ptoasm_program *program = document_program(c->d);
    ptoasm_definition def;
    const bool functions = c->at.kind == CURSOR_FUNCTION;
    if (!functions) c->ranking = ranking_new(c->d, &c->at, c->offset);
    for (size_t i = 0; ptoasm_program_definition(program, i, &def); i++) {
        if ((def.kind == PTOASM_SYMBOL_FUNCTION) != functions || !typed_prefix(c, def.name))
            continue;
        if (!functions && (c->offset < def.from || c->offset > def.to)) continue;
        if (json_array_size(c->items) >= MOST_VALUES) {
            c->incomplete = true;
            break;
        }
        if (functions)
            add_item(c, def.name, ITEM_FUNCTION, def.type);
        else
            add_value(c, &def, (int)i);
    }
    ranking_free(c->ranking);
    c->ranking = NULL;
}

/* ---- instructions ---- */

/* A text without functions is PTO-AS, whose instructions have no prefix. */
static bool has_functions(const Document *d) {
    return strstr(d->text.data, "func.func") != NULL;
}

static void add_instruction(Completion *c, const Inst *inst, bool prefixed) {
    char detail[200];
    ProfileSet profiles = inst_existing(inst);
    bool pto = strncmp(inst->name, "pto.", 4) == 0;
    const char *name = pto && !prefixed ? inst->name + 4 : inst->name;
    int n = snprintf(detail, sizeof detail, "%s", inst_doc(inst->summary));
    if (profiles != PROFILES_ALL && n > 0 && (size_t)n < sizeof detail) {
        const char *before = " (";
        for (unsigned p = 0; p < PROFILE_COUNT && (size_t)n < sizeof detail; p++)
            if ((profiles & PROFILE_BIT(p)) != 0) {
                n += snprintf(detail + n, sizeof detail - (size_t)n, "%s%s", before,
                              profile_names[p]);
                before = ", ";
            }
        if ((size_t)n < sizeof detail) snprintf(detail + n, sizeof detail - (size_t)n, ")");
    }
    json_t *item = add_item(c, name, ITEM_FUNCTION, detail);
    json_put(item, "data", packed("s", inst->name));
    if ((inst->flags & IF_DEPRECATED) != 0) json_put(item, "tags", packed("[i]", TAG_DEPRECATED));
    /* while no prefix is typed, clients filter by the name after `pto.` */
    size_t typed = c->offset - c->at.from;
    const char *word = c->d->text.data + c->at.from;
    if (pto && prefixed && memchr(word, '.', typed) == NULL &&
        strncmp("pto", word, typed < 3 ? typed : 3) != 0)
        json_put(item, "filterText", packed("s", inst->name + 4));
}

static void add_instructions(Completion *c) {
    bool prefixed = has_functions(c->d);
    size_t typed = c->offset - c->at.from;
    c->incomplete = memchr(c->d->text.data + c->at.from, '.', typed) == NULL;
    for (unsigned i = 1; i < INST_COUNT; i++)
        if (inst_table[i].alias_of == INST_INVALID) add_instruction(c, &inst_table[i], prefixed);
            /* the line may continue the statement above */
#define WORD(text) add_item(c, text, ITEM_KEYWORD, NULL);
#include "lexer/words.def"
#undef WORD
}

/* ---- attributes ---- */

static void add_keys(Completion *c) {
    Arena arena;
    jmp_buf oom;
    memset(&arena, 0, sizeof arena);
    if (setjmp(oom) != 0) out_of_memory();
    arena_init(&arena, &oom);
    for (unsigned i = 0; i < c->at.inst->nattrs; i++) {
        const AttrInfo *a = &c->at.inst->attrs[i];
        add_item(c, a->name, ITEM_PROPERTY,
                 a->doc != 0 ? inst_doc(a->doc) : attr_type_text(&arena, a));
    }
    arena_free(&arena);
}

/* Adds the first spelling of each value; the whole attribute `#pto.layout<nd>` if `whole`. */
static void add_words(Completion *c, EnumFamily family, bool whole) {
    const EnumInfo *info = &enum_infos[family];
    for (unsigned i = 0; i < info->nvalues; i++) {
        char text[120];
        bool first = true;
        for (unsigned k = 0; k < i; k++)
            first &= info->values[k].value != info->values[i].value;
        if (!first) continue;
        enum_print(text, sizeof text, info, info->values[i].text);
        add_item(c, whole ? text : info->values[i].text, ITEM_ENUM_MEMBER, info->name);
    }
}

static void add_families(Completion *c, const AttrInfo *a, bool whole) {
    if (a->family != EF_NONE) add_words(c, (EnumFamily)a->family, whole);
    for (const uint8_t *also = a->also; also != NULL && *also != EF_NONE; also++)
        add_words(c, (EnumFamily)*also, whole);
}

static void add_key_values(Completion *c) {
    const AttrInfo *a = c->at.attr;
    if (a->type == AT_ENUM) add_families(c, a, true);
    if (a->type == AT_WORD) add_families(c, a, false);
    if (a->type == AT_BOOL) {
        add_item(c, "true", ITEM_KEYWORD, NULL);
        add_item(c, "false", ITEM_KEYWORD, NULL);
    }
}

static void add_enums(Completion *c) {
    for (unsigned i = 0; i < c->at.inst->nattrs; i++)
        if (c->at.inst->attrs[i].type == AT_ENUM) add_families(c, &c->at.inst->attrs[i], false);
}

static void add_family_names(Completion *c, bool angle) {
    for (unsigned i = 0; i < EF_COUNT; i++) {
        char text[80];
        const EnumSpelling spelling = (EnumSpelling)enum_infos[i].spelling;
        if (spelling == ENUM_QUOTED || (angle && spelling != ENUM_ANGLE)) continue;
        snprintf(text, sizeof text,
                 angle                    ? "%s "
                 : spelling == ENUM_ANGLE ? "#pto<%s "
                                          : "#pto.%s<",
                 enum_infos[i].name);
        add_item(c, text, ITEM_ENUM_MEMBER, NULL);
    }
}

/* ---- types ---- */

static void add_elements(Completion *c) {
    for (int e = 1; e < ELEM_COUNT; e++)
        if (*elem_infos[e].text != '\0') add_item(c, elem_infos[e].text, ITEM_TYPE, NULL);
}

static void add_spaces(Completion *c) {
    for (int i = SPACE_GM; i < SPACE_COUNT; i++)
        add_item(c, space_names[i], ITEM_ENUM_MEMBER, NULL);
}

static void add_tile_entries(Completion *c) {
#define TILE_KEY(id, text, family) add_item(c, text "=", ITEM_PROPERTY, NULL);
#include "parser/tile_keys.def"
#undef TILE_KEY
    for (int i = SPACE_GM + 1; i < SPACE_COUNT; i++)
        add_item(c, space_names[i], ITEM_ENUM_MEMBER, NULL);
}

/* Adds aliases, lines that begin with `!name =`. */
static void add_aliases(Completion *c) {
    const char *text = c->d->text.data;
    for (const char *line = text; line != NULL && line < text + c->at.from;
         line = strchr(line, '\n'), line = line != NULL ? line + 1 : NULL) {
        char name[100];
        size_t n = *line == '!' ? 1 + strspn(line + 1, "abcdefghijklmnopqrstuvwxyz"
                                                       "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$-")
                                : 0;
        if (n < 2 || n >= sizeof name || line[n + strspn(line + n, " \t")] != '=') continue;
        memcpy(name, line, n);
        name[n] = '\0';
        add_item(c, name, ITEM_STRUCT, NULL);
    }
}

static void add_types(Completion *c) {
    add_aliases(c);
#define TYPE_NAME(name, read, kind) add_item(c, "!pto." name, ITEM_STRUCT, NULL);
#include "parser/type_names.def"
#undef TYPE_NAME
    for (int e = 1; e < ELEM_COUNT; e++)
        if (elem_infos[e].text[0] == '!') add_item(c, elem_infos[e].text, ITEM_TYPE, NULL);
}

/* ---- words ---- */

/* Adds the literal words of a format, leaving out slots, types and attributes. */
static void add_format_words(Completion *c, const char *format) {
    while (format != NULL && *format != '\0') {
        const char *colon = format + strcspn(format, " :"); /* $count*3:loop */
        if (*format == '$' && *colon == ':') format = colon + 1;
        size_t n = strcspn(format, " "), letters = strspn(format, "abcdefghijklmnopqrstuvwxyz_");
        char word[64];
        if (n > 0 && letters == n && n < sizeof word) {
            memcpy(word, format, n);
            word[n] = '\0';
            add_item(c, word, ITEM_KEYWORD, NULL);
        }
        format += n + strspn(format + n, " ");
    }
}

static void add_clauses(Completion *c) {
    const Inst *inst = c->at.inst;
    if (inst != NULL && inst->form == FORM_TILE) {
        add_item(c, "ins", ITEM_KEYWORD, NULL);
        add_item(c, "outs", ITEM_KEYWORD, NULL);
    }
    if (inst != NULL) add_format_words(c, inst->format);
    for (unsigned i = 0; inst != NULL && i < inst->nattrs; i++)
        if (inst->attrs[i].type == AT_WORD) add_families(c, &inst->attrs[i], false);
    for (unsigned i = 0; inst != NULL && i < inst->nslots; i++)
        if (inst->slots[i].rare->clause != NULL && inst->slots[i].rare->clause[0] != ',')
            add_item(c, inst->slots[i].rare->clause, ITEM_KEYWORD, inst_doc(inst->slots[i].doc));
    add_elements(c);
}

/* ---- entry points ---- */

static void add_items(Completion *c) {
    switch (c->at.kind) {
    case CURSOR_NOTHING:
        return;
    case CURSOR_VALUE:
    case CURSOR_FUNCTION:
        add_definitions(c);
        return;
    case CURSOR_TYPE:
        add_types(c);
        return;
    case CURSOR_ATTRIBUTE:
        add_family_names(c, false);
        return;
    case CURSOR_NAME:
        add_instructions(c);
        return;
    case CURSOR_KEY:
        add_keys(c);
        return;
    case CURSOR_KEY_VALUE:
        add_key_values(c);
        return;
    case CURSOR_FAMILY:
        add_family_names(c, true);
        return;
    case CURSOR_ENUM:
        add_words(c, c->at.family, false);
        return;
    case CURSOR_ENUMS:
        add_enums(c);
        return;
    case CURSOR_TILE_ENTRY:
        add_tile_entries(c);
        return;
    case CURSOR_SPACE:
        add_spaces(c);
        return;
    case CURSOR_ELEMENT:
        add_elements(c);
        return;
    case CURSOR_CLAUSE:
        add_clauses(c);
        return;
    }
}

json_t *answer_completion(Server *s, const json_t *params, Failure *f) {
    Completion c = {.s = s};
    if (!request_place(s, params, f, &c.d, &c.offset)) return NULL;
    c.at = cursor_find(c.d->text.data, c.offset);
    c.range = json_place(s, c.d, c.at.from, c.offset);
    c.items = json_array();
    add_items(&c);
    json_decref(c.range);
    return packed("{s:b, s:o}", "isIncomplete", (int)c.incomplete, "items", c.items);
}

/* Adds the page of an instruction from `ptoasm explain`. */
json_t *answer_resolve(Server *s, const json_t *params, Failure *f) {
    Arena arena;
    jmp_buf oom;
    StrBuf out;
    if (!json_is_object(params)) return request_fail(f, ERROR_PARAMS, "an item is expected");
    const char *name = string_at(params, "data");
    const Inst *inst = name != NULL ? inst_find(name, strlen(name)) : NULL;
    json_t *item = json_copy((json_t *)(uintptr_t)params);
    if (item == NULL) out_of_memory();
    if (inst == NULL) return item;
    memset(&arena, 0, sizeof arena);
    if (setjmp(oom) != 0) out_of_memory();
    arena_init(&arena, &oom);
    sb_init(&out, &arena);
    page_inst_use(&(Page){.out = &out, .markdown = s->markdown}, inst, &arena);
    json_put(item, "documentation", markup(s, sb_text(&out)));
    arena_free(&arena);
    return item;
}
