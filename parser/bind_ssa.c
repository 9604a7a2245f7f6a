/* SPDX-License-Identifier: Apache-2.0 */
/* The SSA and PTO-AS forms of tile instructions: `%d = op %a, %b : T`. */
#include "parser/bind_internal.h"

/* Infers a result type: the single written type for all tiles, else that of the first tile. */
static const Type *first_tile_type(const Written *w, unsigned ntypes) {
    if (ntypes == 1 && w->n != 1 && type_is_tile(w->types[0]) && !type_is_template(w->types[0]))
        return w->types[0];
    for (unsigned i = 0; i < w->n; i++)
        if (w->ops[i].value != NULL && type_is_tile(w->ops[i].value->type))
            return w->ops[i].value->type;
    return NULL;
}

/* Interprets types without an arrow: one per operand (with or without indices), one more for the
 * result, or a single one for all tiles. Returns how many belong to operands. */
static unsigned split_types(Cursor *c, const Op *op, Written *w, Signature *sig, unsigned nres) {
    unsigned all = w->n + w->nindices;
    bool scalar = w->n == 1 && w->ntypes == 1 && type_is_tile(w->types[0]) &&
                  (w->ops[0].value == NULL || w->ops[0].value->type->kind == TY_SCALAR);
    if (scalar && !sig->arrow && nres == 1) { /* `%d = tci %s : T` */
        sig->results[0] = w->types[--w->ntypes];
        sig->result_spans[0] = w->spans[w->ntypes];
        sig->nresults = 1;
        return 0;
    }
    if (w->ntypes == 0 || w->ntypes == all || (w->ntypes == w->n && w->nindices != 0))
        return w->ntypes;
    if (!sig->arrow && nres == 1 && op->inst->nresults == 0 &&
        (w->ntypes == all + 1 || w->ntypes == w->n + 1)) {
        sig->results[0] = w->types[--w->ntypes];
        sig->result_spans[0] = w->spans[w->ntypes];
        sig->nresults = 1;
        return w->ntypes;
    }
    if (w->ntypes == 1) return 1;
    if (w->n == 0) /* `pto.ttri {isUpperOrLower = 0} : i32 -> T` */
        return 0;
    fail(c, DIAG_OPERAND_COUNT, w->spans[w->ntypes - 1], "'%s': %u operand%s, %u type%s",
         op->inst->name, w->n, w->n == 1 ? "" : "s", w->ntypes, w->ntypes == 1 ? "" : "s");
    return 0;
}

static bool is_type_of_some(const Written *w, const Type *t) {
    for (unsigned i = 0; i < w->n; i++)
        if (w->ops[i].value != NULL && type_same(w->ops[i].value->type, t)) return true;
    return false;
}

static void check_signature(Cursor *c, const Written *w, unsigned ntypes, bool arrow) {
    if (ntypes == 1 && w->n != 1) { /* one type for all tiles: before an arrow the first tile's,
                                       else that of some tile, as a mask and a tmp differ */
        if (!arrow && is_type_of_some(w, w->types[0])) return;
        for (unsigned i = 0; i < (arrow && w->n > 1 ? 1 : w->n); i++)
            if (w->ops[i].value != NULL && type_is_tile(w->ops[i].value->type) &&
                type_is_tile(w->types[0]))
                check_written_type(c, &w->ops[i], w->types[0], w->spans[0]);
        return;
    }
    bool with_indices = ntypes == w->n + w->nindices;
    for (unsigned i = 0, t = 0; i < w->n && t < ntypes; i++, t++) {
        if (w->literal[i] == 0 && w->types[t]->kind != TY_OPAQUE && w->types[t]->kind != TY_VECTOR)
            check_written_type(c, &w->ops[i], w->types[t], w->spans[t]);
        if (with_indices && i == w->indexed) t += w->nindices;
    }
}

/* True for `trandom %dst, %key, %counter : T`, with the type of the destination or of all
 * operands. */
static bool has_dst_first(const Cursor *c, const Op *op, const Written *w,
                          const ResultNames *names) {
    return !c->failed && (op->inst->flags & IF_DST_FIRST) != 0 && names->count == 0 && w->n > 0 &&
           (op->inst->rare->suffixes == NULL || op->form == OPF_AS) && w->ops[0].value != NULL &&
           type_is_tile(w->ops[0].value->type);
}

static void bind_dst_first(Cursor *c, Op *op, Written *w) {
    Written outs;
    written_init(&outs);
    if (w->ntypes != 1 && w->ntypes != w->n)
        fail(c, DIAG_OPERAND_COUNT, op->name_span, "'%s': %u operand%s, %u type%s", op->inst->name,
             w->n, w->n == 1 ? "" : "s", w->ntypes, w->ntypes == 1 ? "" : "s");
    for (unsigned i = 0; i < w->ntypes && !c->failed; i++)
        if (w->literal[i] == 0) check_written_type(c, &w->ops[i], w->types[i], w->spans[i]);
    outs.ops[outs.n] = w->ops[0];
    outs.literal[outs.n++] = 0;
    w->ops++;
    w->literal++;
    w->n--;
    w->ntypes = 0;
    op->form = OPF_DPS;
    place_operands(c, op, w, &outs);
}

/* Returns which of `n` operands or types is memory; -1 when not exactly one is. */
static int single_memory(const Written *w, bool types, unsigned n) {
    int found = -1;
    for (unsigned i = 0; i < n; i++) {
        const Type *t = types                     ? w->types[i]
                        : w->ops[i].value != NULL ? w->ops[i].value->type
                                                  : NULL;
        if (t == NULL || t->kind == TY_NONE || !slot_accepts(SLOT_SOURCE, t)) continue;
        if (found >= 0) return -1;
        found = (int)i;
    }
    return found;
}

/* Reorders `mscatter %src, %mem, %idx : memref, T, T`, whose operands and types have different
 * orders. */
static void move_memory_last(const Op *op, Written *w) {
    if ((op->inst->flags & IF_MEMORY_ANYWHERE) == 0 || op->form != OPF_AS || w->nindices != 0)
        return;
    int at = single_memory(w, false, w->n);
    for (; at >= 0 && at + 1 < (int)w->n; at++) {
        const Operand o = w->ops[at];
        const uint32_t literal = w->literal[at];
        w->ops[at] = w->ops[at + 1];
        w->literal[at] = w->literal[at + 1];
        w->ops[at + 1] = o;
        w->literal[at + 1] = literal;
    }
    int type = single_memory(w, true, w->ntypes);
    for (; type >= 0 && w->ntypes == w->n && type + 1 < (int)w->ntypes; type++) {
        const Type *t = w->types[type];
        const Span span = w->spans[type];
        w->types[type] = w->types[type + 1];
        w->spans[type] = w->spans[type + 1];
        w->types[type + 1] = t;
        w->spans[type + 1] = span;
    }
}

/* Gives `nres` results the type that the operands imply. */
static void imply_results(Cursor *c, const Op *op, const Written *w, unsigned ntypes,
                          Signature *sig, unsigned nres) {
    const Type *t = first_tile_type(w, ntypes);
    if (t == NULL && ntypes == 1 && w->n != 1 && type_is_tile(w->types[0])) t = w->types[0];
    if (t == NULL) {
        fail(c, DIAG_OPERAND_COUNT, op->name_span, "the result type of '%s' is not written",
             op->inst->name);
        return;
    }
    sig->nresults = nres < MOST_SIGNATURE_RESULTS ? nres : MOST_SIGNATURE_RESULTS;
    for (unsigned i = 0; i < sig->nresults; i++) {
        sig->results[i] = t;
        sig->result_spans[i] = op->name_span;
    }
}

void bind_ssa(Cursor *c, Op *op, const ResultNames *names) {
    Written w;
    Signature sig = {.arrow = false};
    unsigned least, nres = result_slots(op->inst, &least);
    if (names->count < nres) nres = names->count < least ? least : names->count;
    written_init(&w);
    read_written_operands(c, &w);
    if (!c->failed && peek(c) == TOK_DICT_OPEN) read_dict(c, op);
    if (!c->failed) read_signature(c, &w, &sig);
    if (!c->failed && peek(c) == TOK_DICT_OPEN) read_dict(c, op);
    if (has_dst_first(c, op, &w, names)) {
        bind_dst_first(c, op, &w);
        return;
    }
    if (!c->failed) move_memory_last(op, &w);
    unsigned ntypes = c->failed ? 0 : split_types(c, op, &w, &sig, nres);
    if (!c->failed) check_signature(c, &w, ntypes, sig.arrow);
    spread_indices(c, op, &w);
    for (int slot; !c->failed && (slot = slot_of_word(c, op, true)) >= 0;)
        read_operand_clause(c, op, &w, slot);
    read_modifiers(c, op);
    if (c->failed) return;
    if (nres > 0 && names->count == 0) {
        fail(c, DIAG_OPERAND_COUNT, op->name_span,
             "'%s' without ins/outs needs a result name, such as '%%dst = %s ...'", op->inst->name,
             op->inst->name);
        return;
    }
    place_operands(c, op, &w, NULL);
    if (c->failed || c->nwrong > 0) return;
    if (sig.nresults == 0 && nres > 0 && !sig.arrow) imply_results(c, op, &w, ntypes, &sig, nres);
    if (c->failed) return;
    if (sig.nresults < nres) {
        fail(c, DIAG_OPERAND_COUNT, op->name_span, "'%s' has %u result%s, the signature has %u",
             op->inst->name, nres, nres == 1 ? "" : "s", sig.nresults);
        return;
    }
    finish_results(c, op, names, &sig, nres);
}
