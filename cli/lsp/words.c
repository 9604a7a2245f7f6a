/* SPDX-License-Identifier: Apache-2.0 */
/* Describes words that name no value, function or instruction: attributes and their values, clauses
 * such as valid_row, and what the topics of `ptoasm explain` know: spaces, layouts, pto.entry. */
#include "cli/lsp/lsp.h"

#include "cli/lsp/cursor.h"
#include "cli/topics.h"
#include "explain/facts.h"
#include "support/ascii.h"
#include <string.h>

enum { MOST_TOPIC = 1200, WORD = 80 };

typedef struct Word {
    const Server *s;
    Cursor at; /* at its end */
    char text[WORD];
    bool is_key; /* `=` follows */
    Arena *arena;
    StrBuf *out;
} Word;

/* ---- of the instruction ---- */

static void put_name(const Word *w, const char *name) {
    sb_printf(w->out, w->s->markdown ? "**%s**" : "%s", name);
}

static void put_attribute(const Word *w, const AttrInfo *a) {
    const char *dflt = attr_default_text(w->arena, a);
    put_name(w, a->name);
    sb_printf(w->out, ": attribute of %s: %s", w->at.inst->name, attr_type_text(w->arena, a));
    if (a->required) sb_puts(w->out, "; required");
    if (dflt != NULL) sb_printf(w->out, "; default %s", dflt);
    if (a->doc != 0) sb_printf(w->out, "\n\n%s", inst_doc(a->doc));
    sb_puts(w->out, "\n\n");
}

static bool family_has(EnumFamily family, const char *word) {
    for (unsigned i = 0; family != EF_NONE && i < enum_infos[family].nvalues; i++)
        if (strcmp(enum_infos[family].values[i].text, word) == 0) return true;
    return false;
}

static bool attr_has(const AttrInfo *a, const char *word) {
    if (a->type != AT_ENUM && a->type != AT_WORD) return false;
    if (family_has((EnumFamily)a->family, word)) return true;
    for (const uint8_t *also = a->also; also != NULL && *also != EF_NONE; also++)
        if (family_has((EnumFamily)*also, word)) return true;
    return false;
}

static void put_value(const Word *w, const AttrInfo *a) {
    put_name(w, w->text);
    sb_printf(w->out, ": value of %s of %s", a->name, w->at.inst->name);
    if (a->doc != 0) sb_printf(w->out, ": %s", inst_doc(a->doc));
    sb_printf(w->out, "\n\nAll values: %s\n\n", attr_type_text(w->arena, a));
}

/* Finds the attribute whose value the word is. */
static const AttrInfo *attribute_with(const Word *w) {
    const Inst *inst = w->at.inst;
    if (w->at.attr != NULL) return attr_has(w->at.attr, w->text) ? w->at.attr : NULL;
    for (unsigned i = 0; i < inst->nattrs; i++)
        if (attr_has(&inst->attrs[i], w->text)) return &inst->attrs[i];
    return NULL;
}

static bool put_clause(const Word *w) {
    const Inst *inst = w->at.inst;
    for (unsigned i = 0; i < inst->nslots; i++) {
        const SlotInfo *s = &inst->slots[i];
        const bool named = w->is_key && strcmp(s->name, w->text) == 0;
        if (!named && (s->rare->clause == NULL || strcmp(s->rare->clause, w->text) != 0)) continue;
        put_name(w, w->text);
        sb_printf(w->out, ": operand of %s: %s%s%s\n\n", inst->name, slot_types[s->kind].text,
                  s->doc != 0 ? "; " : "", s->doc != 0 ? inst_doc(s->doc) : "");
        return true;
    }
    return false;
}

static bool put_of_instruction(const Word *w) {
    if (w->at.inst == NULL) return false;
    const int attr = inst_attr_named(w->at.inst, w->text, strlen(w->text));
    if (attr >= 0 && (w->is_key || w->at.kind == CURSOR_KEY)) {
        put_attribute(w, &w->at.inst->attrs[attr]);
        return true;
    }
    if (put_clause(w)) return true;
    const bool value = w->at.kind == CURSOR_ENUM || w->at.kind == CURSOR_ENUMS ||
                       w->at.kind == CURSOR_KEY_VALUE || w->at.kind == CURSOR_CLAUSE;
    const AttrInfo *a = value ? attribute_with(w) : NULL;
    if (a != NULL) put_value(w, a);
    return a != NULL;
}

/* ---- topics ---- */

static bool begins(const char *line, const char *with) {
    return strncmp(line, with, strlen(with)) == 0;
}

/* Returns how much of a section is shown: whole paragraphs, lists and tables before its first
 * drawing, example or further heading. */
static size_t shown_length(const char *text) {
    size_t n = 0;
    bool blank = true; /* the line before is */
    for (const char *line = text; *line != '\0'; line += strcspn(line, "\n") + 1) {
        const size_t at = (size_t)(line - text);
        if (begins(line, "```") || begins(line, "#") || begins(line, "![")) break;
        if (blank && at >= MOST_TOPIC) break;
        blank = *line == '\n';
        if (!blank) n = at + strcspn(line, "\n") + 1;
        if (line[strcspn(line, "\n")] == '\0') break;
    }
    return n;
}

static bool put_topic(const Word *w) {
    const char *name = strncmp(w->text, "pto.", 4) == 0 ? w->text + 4 : w->text;
    const Topic *t = topic_find(name, w->arena);
    if (t == NULL) return false;
    const char *text = topic_markdown(t, w->arena);
    text += strspn(text, "\n");
    put_name(w, topic_title(t, w->arena));
    sb_puts(w->out, "\n\n");
    sb_add(w->out, text, shown_length(text));
    sb_printf(w->out,
              w->s->markdown ? "\n`ptoasm explain %s` says more."
                             : "\nptoasm explain %s says more.",
              name);
    return true;
}

/* ---- entry point ---- */

static bool is_word_char(char c) {
    return ascii_is_letter(c) || (c >= '0' && c <= '9') || (c != '\0' && strchr("_.-", c) != NULL);
}

bool word_describe(const Server *s, const Document *d, WordPlace *at, StrBuf *out, Arena *arena) {
    const char *text = d->text.data;
    size_t from = at->from, to = at->from;
    while (from > 0 && is_word_char(text[from - 1]))
        from--;
    while (is_word_char(text[to]))
        to++;
    if (from == to || to - from >= WORD || !ascii_is_letter(text[from])) return false;
    if (from > 0 && strchr("%@", text[from - 1]) != NULL) return false;
    if (!cursor_in_code(text, from)) return false;
    Word w = {.s = s, .at = cursor_find(text, to), .arena = arena, .out = out};
    memcpy(w.text, text + from, to - from);
    const char *next = text + to + strspn(text + to, " \t");
    w.is_key = *next == '=';
    *at = (WordPlace){from, to};
    const bool of_instruction = put_of_instruction(&w);
    return put_topic(&w) || of_instruction;
}
