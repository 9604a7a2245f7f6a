/* SPDX-License-Identifier: Apache-2.0 */
/* The call of the runtime for a chain of statements (backends/lower/chains.h). */
#include "backends/c/emitter.h"

bool emits_chains(const Emitter *e) {
    const EmitOptions *o = e->opt;
    return o->fuse && !o->debug && !o->sanitize && !o->cover && !o->trap && !o->shadow;
}

/* Writes e.g. `{32, PTRT_TADD, PTRT_STEP_MAP2, 0, {0, 1, 2}, 0, {0}},`. */
static void put_step(Emitter *e, const LowerStep *s, uint32_t line) {
    StrBuf how;
    sb_init(&how, e->arena);
    sb_puts(&how, s->is_float ? "1" : s->nhow == 0 ? "0" : "");
    for (unsigned i = 0; i < s->nhow; i++)
        sb_printf(&how, "%s%s", i > 0 ? ", " : "", arg_text(e, s->stmt, s->how[i]));
    ln(e, "    {%u, %s, PTRT_STEP_%s, %d, {%u, %u, %u}, %u, {%s}},", (unsigned)line,
       kernel_id(s->stmt->call->row), s->kind, s->column, (unsigned)s->at[0], (unsigned)s->at[1],
       (unsigned)s->at[2], (unsigned)s->number, sb_text(&how));
}

/* Returns an array of addresses, or NULL. */
static const char *addresses(Emitter *e, const char *type, const Value *const *list, unsigned n) {
    StrBuf out;
    if (n == 0) return "NULL";
    sb_init(&out, e->arena);
    sb_printf(&out, "(const ptrt_%s *const[]){", type);
    for (unsigned i = 0; i < n; i++)
        sb_printf(&out, "%s&%s", i > 0 ? ", " : "", val(e, list[i]));
    sb_puts(&out, "}");
    return sb_text(&out);
}

static const char *numbers(Emitter *e, const LowerChain *c) {
    StrBuf out;
    if (c->nnumbers == 0) return "NULL";
    sb_init(&out, e->arena);
    sb_puts(&out, "(const ptrt_number[]){");
    for (unsigned i = 0; i < c->nnumbers; i++)
        sb_printf(&out, "%s{.%s = %s}", i > 0 ? ", " : "",
                  c->numbers[i]->kind == LARG_FLOAT ? "f" : "i",
                  arg_text(e, c->last, c->numbers[i]));
    sb_puts(&out, "}");
    return sb_text(&out);
}

void emit_chain(Emitter *e, const LowerStmt *s) {
    const LowerChain *c = s->chain;
    uint32_t *lines = c_of(e)->chain_lines;
    lines[c_of(e)->chain_steps++] = e->line;
    if (s != c->last) return;
    c_of(e)->chain_steps = 0;
    const char *steps = fresh(e, "pto_steps"), *chain = fresh(e, "pto_chain");
    ln(e, "static const ptrt_step %s[] = {", steps);
    for (unsigned i = 0; i < c->nsteps; i++)
        put_step(e, &c->steps[i], lines[i]);
    ln(e, "};");
    ln(e, "static const ptrt_chain %s = {%s, %u, %u, %u, 0x%x};", chain, steps, (unsigned)c->nsteps,
       (unsigned)c->ntiles, (unsigned)c->nviews, (unsigned)c->dead);
    c_of(e)->uses_core = true;
    try_call(e, "ptrt_chain_run(core, &%s, %s, %s, %s)", chain,
             addresses(e, "tile", c->tiles, c->ntiles), addresses(e, "view", c->views, c->nviews),
             numbers(e, c));
}
