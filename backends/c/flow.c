/* SPDX-License-Identifier: Apache-2.0 */
/* Control flow that only C has: tiles that a region rebinds, sections, and failures at run time. */
#include "backends/c/emitter.h"

/* Keeps the handle of a tile; the name of the variable is that of the statement. */
void emit_save(Emitter *e, const LowerStmt *s) {
    const char *name = val(e, s->rebinds);
    Local *saved = local_entry(e, s);
    saved->name = fresh(e, strf(e, "handle_of_%s", name));
    saved->count = e->line;
    ln(e, "ptrt_tile %s = %s;", saved->name, name);
}

/* The tile keeps its valid region. */
void emit_restore(Emitter *e, const LowerStmt *s) {
    const Local *saved = local_entry(e, s->saved);
    const char *tile = val(e, s->rebinds);
    try_call(e, "ptrt_tile_set_valid(core, %u, &%s, %s.vrow, %s.vcol)", (unsigned)saved->count,
             saved->name, tile, tile);
    ln(e, "%s = %s;", tile, saved->name);
}

void c_check_step(Emitter *e, const Value *step) {
    c_of(e)->uses_core = true;
    ln(e,
       "if (%s <= 0) return ptrt_fail(core, PTRT_E_ARG, %u, \"scf.for: the step is not "
       "positive\");",
       val(e, step), (unsigned)e->line);
}

/* pto.section.cube, pto.section.vector: cores of the other kind skip it. */
void emit_section(Emitter *e, const LowerStmt *s) {
    c_of(e)->uses_core = true;
    const char *negation = stmt_is(s, INST_SECTION_CUBE) ? "" : "!";
    open_brace(e, "if (%sptrt_core_is_cube(core)%s)", negation,
               s->alone ? " && ptrt_subblock_idx(core) == 0" : "");
    emit_region(e, &s->regions[0]);
    close_brace(e);
}

void emit_assert(Emitter *e, const LowerStmt *s) {
    const NamedAttr *msg = stmt_attr_named(s, ATTR_msg);
    const Interner *in = &e->ctx->names;
    Atom said = msg != NULL ? msg->value->text : 0;
    StrBuf text;
    sb_init(&text, e->arena);
    put_c_string(&text, atom_text(in, said), atom_len(in, said));
    c_of(e)->uses_core = true;
    ln(e, "if (!%s) return ptrt_fail(core, PTRT_E_ASSERT, %u, \"cf.assert: %%s\", %s);",
       val(e, s->args[0].value), (unsigned)e->line, sb_text(&text));
}
