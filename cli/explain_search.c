/* SPDX-License-Identifier: Apache-2.0 */
/* `ptoasm explain --search`: finds entries whose text contains all given words. */
#include "cli/topics.h"

#include "support/ascii.h"

#include <string.h>

/* Appends the text of an entry in lower case. */
static void add_lower(StrBuf *out, const char *s) {
    for (; s != NULL && *s != '\0'; s++)
        sb_putc(out, ascii_lower(*s));
    sb_putc(out, ' ');
}

static bool has_words(StrBuf *text, char *const *words, int n) {
    for (int i = 0; i < n; i++)
        if (strstr(sb_text(text), words[i]) == NULL) return false;
    return true;
}

typedef struct Search {
    StrBuf *out;
    Arena *arena;
    char *const *words;
    int nwords;
    unsigned found;
} Search;

static void add_found(Search *s, const char *name, const char *summary, StrBuf *text,
                      const char *group, bool *first) {
    if (!has_words(text, s->words, s->nwords)) return;
    if (*first) sb_printf(s->out, "%s%s\n", s->found > 0 ? "\n" : "", group);
    *first = false;
    s->found++;
    sb_printf(s->out, "  %-32s %s\n", name, summary != NULL ? summary : "");
}

static void search_topics(Search *s) {
    bool first = true;
    for (unsigned i = 0; i < topic_count; i++) {
        const Topic *t = &topics[i];
        StrBuf text;
        sb_init(&text, s->arena);
        add_lower(&text, arena_strndup(s->arena, topic_text() + t->names, t->names_length));
        add_lower(&text, topic_title(t, s->arena));
        add_lower(&text, topic_markdown(t, s->arena));
        add_found(s, topic_name(t, 0, s->arena), topic_title(t, s->arena), &text, "topics", &first);
    }
}

static void search_insts(Search *s) {
    bool first = true;
    for (int i = 1; i < INST_COUNT; i++) {
        const Inst *inst = &inst_table[i];
        StrBuf text;
        sb_init(&text, s->arena);
        add_lower(&text, inst->name);
        add_lower(&text, inst_doc(inst->summary));
        add_lower(&text, inst_doc(inst->formula));
        add_lower(&text, family_infos[inst->family].name);
        for (int k = 0; k < inst->nslots; k++)
            add_lower(&text, inst_doc(inst->slots[k].doc));
        for (int k = 0; k < inst->nattrs; k++) {
            add_lower(&text, inst->attrs[k].name);
            add_lower(&text, inst_doc(inst->attrs[k].doc));
        }
        add_found(s, inst->name, inst_doc(inst->summary), &text, "instructions", &first);
    }
}

static void search_diags(Search *s) {
    bool first = true;
    for (int i = 0; i < DIAG_COUNT; i++) {
        const DiagDoc d = diag_doc((DiagId)i);
        StrBuf text;
        sb_init(&text, s->arena);
        add_lower(&text, diag_infos[i].text);
        add_lower(&text, diag_summary((DiagId)i));
        add_lower(&text, d.meaning);
        add_lower(&text, d.why);
        add_lower(&text, d.fix);
        add_found(s, diag_infos[i].text, diag_summary((DiagId)i), &text, "diagnostics", &first);
    }
}

unsigned search_all(StrBuf *out, const char *const *words, int n, Arena *arena) {
    char **lower = ARENA_ARRAY(arena, char *, (size_t)n + 1);
    for (int i = 0; i < n; i++) {
        lower[i] = arena_strndup(arena, words[i], strlen(words[i]));
        for (char *c = lower[i]; *c != '\0'; c++)
            *c = ascii_lower(*c);
    }
    Search s = {.out = out, .arena = arena, .words = lower, .nwords = n};
    search_topics(&s);
    search_insts(&s);
    search_diags(&s);
    return s.found;
}
