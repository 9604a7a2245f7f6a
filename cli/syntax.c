/* SPDX-License-Identifier: Apache-2.0 */
/* The correct form of a statement, for diagnostics in JSON. */
#include "cli/report.h"
#include "cli/report_values.h"
#include "explain/facts.h"

#include <stdlib.h>
#include <string.h>

/* Returns the form of this name, else the main one; false for alternative spellings, which have
 * none. */
static bool find_form(const Inst *inst, const char *name, OpForm *form) {
    OpForm forms[4];
    const unsigned n = inst_forms(inst, forms);
    if (n == 0) return false;
    *form = forms[0];
    for (unsigned i = 0; i < n; i++)
        if (strcmp(form_text(forms[i]), name) == 0) *form = forms[i];
    return true;
}

static char *make_syntax(const Inst *inst, OpForm form, bool all) {
    Arena arena;
    jmp_buf oom;
    InstFacts facts;
    if (setjmp(oom) != 0) out_of_memory();
    arena_init(&arena, &oom);
    inst_facts(&facts, inst, &arena);
    const char *text = all && has_optional(facts.inst) ? syntax_text(&facts, form, true) : NULL;
    if (text == NULL) text = syntax_text(&facts, form, false);
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
    if (inst != NULL) inst = inst_meant(inst);
    OpForm form;
    if (inst == NULL || !find_form(inst, d->form, &form)) return NULL;
    const bool all = strcmp(d->id, "operand-count") == 0 || strcmp(d->id, "operand-kind") == 0;
    char **text = &known[inst_id(inst)][form][all];
    if (*text == NULL) *text = make_syntax(inst, form, all);
    return **text != '\0' ? *text : NULL;
}
