/* The correct form of a statement, for diagnostics in JSON. */
#include "cli/machine.h"
#include "cli/report.h"
#include "explain/facts.h"

#include <stdlib.h>
#include <string.h>

static OpForm form_of(const Inst *inst, const char *name) {
    OpForm forms[4];
    const unsigned n = inst_forms(inst, forms);
    for (unsigned i = 0; i < n; i++)
        if (strcmp(form_text(forms[i]), name) == 0) return forms[i];
    return forms[0];
}

static char *make_syntax(const Inst *inst, const char *form, bool all) {
    Arena arena;
    jmp_buf oom;
    InstFacts facts;
    if (setjmp(oom) != 0) out_of_memory();
    arena_init(&arena, &oom);
    inst_facts(&facts, inst, &arena);
    const OpForm as = form_of(facts.inst, form);
    const char *text = all && has_optional(facts.inst) ? syntax_text(&facts, as, true) : NULL;
    if (text == NULL) text = syntax_text(&facts, as, false);
    char *copy = must_alloc(text != NULL ? strlen(text) + 1 : 1);
    strcpy(copy, text != NULL ? text : "");
    arena_free(&arena);
    return copy;
}

const char *statement_syntax(const ptoasm_diagnostic *d) {
    /* Made once for each instruction and form, and kept until the program ends. */
    static char *known[INST_COUNT][4][2];
    if (d->instruction == NULL) return NULL;
    const Inst *inst = inst_find(d->instruction, strlen(d->instruction));
    if (inst == NULL) return NULL;
    const bool all = strcmp(d->id, "operand-count") == 0 || strcmp(d->id, "operand-kind") == 0;
    char **text = &known[inst_id(inst)][form_of(inst, d->form)][all];
    if (*text == NULL) *text = make_syntax(inst, d->form, all);
    return **text != '\0' ? *text : NULL;
}
