/* Control flow that only C has: tiles that a region rebinds, sections, and failures at run time. */
#include "backends/c/flow.h"

const char *c_save_tile(Emitter *e, const Op *op, const Value *tile) {
    (void)op;
    const char *name = val(e, tile), *saved = fresh(e, strf(e, "handle_of_%s", name));
    ln(e, "ptrt_tile %s = %s;", saved, name);
    return saved;
}

/* The tile keeps its valid region. */
void c_restore_tile(Emitter *e, const Restore *r) {
    const char *tile = val(e, r->tile);
    try_call(e, "ptrt_tile_set_valid(core, %u, &%s, %s.vrow, %s.vcol)", (unsigned)r->line, r->saved,
             tile, tile);
    ln(e, "%s = %s;", tile, r->saved);
}

void c_check_step(Emitter *e, const Op *loop) {
    c_of(e)->uses_core = true;
    ln(e,
       "if (%s <= 0) return ptrt_fail(core, PTRT_E_ARG, %u, \"scf.for: the step is not "
       "positive\");",
       val(e, loop->operands[2].value), (unsigned)e->line);
}

/* pto.section.cube, pto.section.vector: cores of the other kind skip it. */
void emit_section(Emitter *e, const Op *op) {
    c_of(e)->uses_core = true;
    const char *negation = op_is(op, INST_SECTION_CUBE) ? "" : "!";
    bool alone = lower_first_core_only(e->ctx, op, e->opt->profile);
    open_brace(e, "if (%sptrt_core_is_cube(core)%s)", negation,
               alone ? " && ptrt_subblock_idx(core) == 0" : "");
    emit_region(e, &e->stmt->regions[0]);
    close_brace(e);
}

void emit_assert(Emitter *e, const Op *op) {
    const NamedAttr *msg = op_attr_named(e->ctx, op, "msg");
    const Interner *in = &e->ctx->names;
    Atom said = msg != NULL ? msg->value->text : 0;
    StrBuf text;
    sb_init(&text, e->arena);
    put_c_string(&text, atom_text(in, said), atom_len(in, said));
    c_of(e)->uses_core = true;
    ln(e, "if (!%s) return ptrt_fail(core, PTRT_E_ASSERT, %u, \"cf.assert: %%s\", %s);",
       val(e, op->operands[0].value), (unsigned)e->line, sb_text(&text));
}
