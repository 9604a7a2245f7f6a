/* SPDX-License-Identifier: Apache-2.0 */
/* Programs for the tests of passes. */
#include "program.h"
#include "parser/parse.h"
#include "verifier/verify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

const char *program_diagnostics(Program *p) {
    StrBuf out;
    DiagPrintOptions opt = {.width = 200};
    sb_init(&out, &p->ctx.arena);
    diag_print_all(&out, &p->source, &p->ctx.diags, &opt);
    return sb_text(&out);
}

/* The context cannot run out of memory here: where it would jump to is the test's failure. */
Program *program_new(const char *text, Profile profile) {
    Program *p = calloc(1, sizeof *p);
    assert_non_null(p);
    p->source = (Source){.name = "test.pto", .data = text, .size = (uint32_t)strlen(text)};
    if (setjmp(p->ctx.oom) != 0) fail_msg("out of memory");
    context_init(&p->ctx, &p->source, 0);
    p->module = parse_module(&p->ctx);
    VerifyOptions opt = {.profiles = PROFILE_BIT(profile)};
    if (!p->module->bound_ok || !verify_module(p->module, &opt))
        fail_msg("not a legal program:\n%s", program_diagnostics(p));
    return p;
}

void program_free(Program *p) {
    context_free(&p->ctx);
    free(p);
}

const char *program_dps(Program *p, Profile profile) {
    StrBuf out;
    if (!passes_to_dps(p->module, profile)) fail_msg("not converted:\n%s", program_diagnostics(p));
    assert_false(passes_has_ssa_tiles(p->module));
    sb_init(&out, &p->ctx.arena);
    module_print(&out, p->module, PRINT_DPS);
    return sb_text(&out);
}

typedef struct Search {
    const Program *program;
    const char *name;
    Value *value;
    Op *op;
} Search;

static bool is_named(const Search *s, const Value *v) {
    const Interner *names = &s->program->ctx.names;
    return v->name != 0 && atom_len(names, v->name) == strlen(s->name) &&
           memcmp(atom_text(names, v->name), s->name, strlen(s->name)) == 0;
}

static bool search_value(Op *op, void *arg) {
    Search *s = arg;
    for (unsigned i = 0; i < op->nresults && s->value == NULL; i++)
        if (is_named(s, &op->results[i])) s->value = &op->results[i];
    for (unsigned r = 0; r < op->nregions; r++)
        for (Block *b = op_regions(op)[r].first; b != NULL; b = b->next)
            for (uint32_t i = 0; i < b->nargs && s->value == NULL; i++)
                if (is_named(s, &b->args[i])) s->value = &b->args[i];
    return s->value == NULL;
}

Value *program_value(Program *p, const char *name) {
    Search s = {.program = p, .name = name};
    op_walk(p->module->root, search_value, &s);
    if (s.value == NULL) fail_msg("no value %%%s", name);
    return s.value;
}

static bool search_op(Op *op, void *arg) {
    Search *s = arg;
    if (strcmp(op->inst->name, s->name) == 0) s->op = op;
    return s->op == NULL;
}

Op *program_op(Program *p, const char *name) {
    Search s = {.program = p, .name = name};
    op_walk(p->module->root, search_op, &s);
    if (s.op == NULL) fail_msg("no instruction %s", name);
    return s.op;
}

Plan program_plan(Program *p, Profile profile) {
    Plan plan;
    PlanOptions opt = {.profile = profile};
    if (!passes_plan(p->module, &opt, &plan)) fail_msg("no plan:\n%s", program_diagnostics(p));
    return plan;
}

int64_t program_address(Program *p, const Plan *plan, const char *name) {
    const PlanSlot *slot = plan_value(plan, program_value(p, name));
    if (slot == NULL) fail_msg("%%%s has no planned address", name);
    return slot->addr;
}

void check_apart(const PlanSlot *a, const PlanSlot *b) {
    assert_non_null(a);
    assert_non_null(b);
    assert_true(a->space != b->space || a->addr + a->bytes <= b->addr ||
                b->addr + b->bytes <= a->addr);
}
