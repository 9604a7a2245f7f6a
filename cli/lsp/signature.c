/* SPDX-License-Identifier: Apache-2.0 */
/* Signature help: the syntax of the statement at the cursor, and which operand is written. */
#include "cli/lsp/cursor.h"
#include "cli/lsp/lsp.h"
#include "explain/facts.h"
#include "support/ascii.h"

#include <stdlib.h>
#include <string.h>

/* A part of the syntax that is one operand. */
typedef struct Part {
    size_t from, to;
    const SlotInfo *slot; /* NULL: not known */
} Part;

enum { MOST_PARTS = 64 };
typedef struct Signature {
    const char *label;
    Part parts[MOST_PARTS];
    unsigned n;
} Signature;

/* ---- the syntax ---- */

/* Returns the statement with all its operands, in the form that the cursor is in. */
static const char *label_of(const InstFacts *facts, bool clauses) {
    OpForm forms[4];
    const unsigned n = inst_forms(facts->inst, forms);
    const char *found = NULL;
    for (unsigned i = 0; i < n && found == NULL; i++) {
        const char *all = syntax_text(facts, forms[i], true);
        const char *text = all != NULL ? all : syntax_text(facts, forms[i], false);
        if (text != NULL &&
            (strstr(text, " ins(") != NULL || strstr(text, " outs(") != NULL) == clauses)
            found = text;
    }
    return found;
}

/* Finds the slot of an operand; numbers follow the name in lists. */
static const SlotInfo *slot_of(const Inst *inst, const char *name, size_t n) {
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < inst->nslots; i++)
            if (strlen(inst->slots[i].name) == n && memcmp(inst->slots[i].name, name, n) == 0)
                return &inst->slots[i];
        while (n > 0 && name[n - 1] >= '0' && name[n - 1] <= '9')
            n--;
    }
    return NULL;
}

/* Collects the operands between two places of the label. */
static void find_parts(Signature *g, const Inst *inst, size_t from, size_t to) {
    for (size_t at = from; at < to && g->n < MOST_PARTS; at++) {
        if (g->label[at] != '%') continue;
        size_t end = at + 1;
        while (ascii_is_word(g->label[end]))
            end++;
        g->parts[g->n++] = (Part){at, end, slot_of(inst, g->label + at + 1, end - at - 1)};
        at = end - 1;
    }
}

/* Finds the end of a list of operands: its types or bracket. */
static size_t operands_end(const char *label, size_t from) {
    return from + strcspn(label + from, ":)");
}

/* Finds the operands, and returns which of them the cursor is at; -1: none of them. */
static int read_label(Signature *g, const Inst *inst, const Cursor *c) {
    const char *word = c->clause == CLAUSE_INS ? " ins(" : " outs(";
    if (c->clause == CLAUSE_NONE) {
        const char *name = strstr(g->label, inst->name);
        const size_t from = name != NULL ? (size_t)(name - g->label) + strlen(inst->name) : 0;
        find_parts(g, inst, from, operands_end(g->label, from));
        return c->operand < g->n ? (int)c->operand : -1;
    }
    int active = -1;
    for (int i = 0; i < 2; i++) {
        const char *list = strstr(g->label, i == 0 ? " ins(" : " outs(");
        if (list == NULL) continue;
        const unsigned before = g->n;
        const size_t from = (size_t)(list - g->label);
        find_parts(g, inst, from, operands_end(g->label, from));
        if (strncmp(list, word, strlen(word)) == 0 && before + c->operand < g->n)
            active = (int)(before + c->operand);
    }
    return active;
}

/* ---- the answer ---- */

static json_t *part_json(const Server *s, const Part *p) {
    json_t *o = packed("{s:[I, I]}", "label", (json_int_t)p->from, (json_int_t)p->to);
    char text[400];
    if (p->slot == NULL) return o;
    snprintf(text, sizeof text, "%s%s%s", role_text(p->slot), p->slot->doc != 0 ? ": " : "",
             p->slot->doc != 0 ? inst_doc(p->slot->doc) : "");
    json_put(o, "documentation", markup(s, text));
    return o;
}

static json_t *signature_json(const Server *s, const Inst *inst, const Cursor *c, Arena *arena) {
    InstFacts facts;
    inst_facts(&facts, inst, arena);
    Signature g = {.label = label_of(&facts, c->clause != CLAUSE_NONE)};
    if (g.label == NULL) return json_null();
    const int active = read_label(&g, facts.inst, c);
    json_t *parts = json_array();
    for (unsigned i = 0; i < g.n; i++)
        json_add(parts, part_json(s, &g.parts[i]));
    json_t *one = packed("{s:s, s:o, s:o}", "label", g.label, "documentation",
                         markup(s, inst_doc(facts.inst->summary)), "parameters", parts);
    json_t *o = packed("{s:[o], s:i}", "signatures", one, "activeSignature", 0);
    json_put(o, "activeParameter", active >= 0 ? json_integer(active) : json_null());
    return o;
}

json_t *answer_signature(Server *s, const json_t *params, Failure *f) {
    Document *d;
    size_t offset;
    Arena arena;
    jmp_buf oom;
    if (!request_place(s, params, f, &d, &offset)) return NULL;
    const Cursor c = cursor_operand(d->text.data, offset);
    if (c.inst == NULL) return json_null();
    memset(&arena, 0, sizeof arena);
    if (setjmp(oom) != 0) out_of_memory();
    arena_init(&arena, &oom);
    json_t *result = signature_json(s, c.inst, &c, &arena);
    arena_free(&arena);
    return result;
}
