/* SPDX-License-Identifier: Apache-2.0 */
/* Pipes with a fixpipe: acc tiles are converted on their way to the vector side. The epilogue of
 * the set-up, the tiles of both sides and the quantisation state must fit each other. */
#include "verifier/pipes/pipes.h"
#include "verifier/rules/words.h"

static const EpilogueQuantInfo *quant_of(const PipeEnd *e) {
    return &epilogue_quants[e->epilogue.quant];
}

/* Adds a note that points to the set-up of the pipe. */
static bool refused(PipeProgram *p, Diag *d, const PipeEnd *e) {
    diag_note_at(p->diags, d, e->note->op->name_span, "the pipe and its epilogue (quant = %s)",
                 quant_of(e)->text);
    return false;
}

static bool check_pushed(PipeProgram *p, PipeEnd *e, const Op *op) {
    const Type *t = slot_type(op, 0);
    if (t == NULL || t->kind == TY_TILE_ANY) return true;
    Span at = slot_span(op, 0);
    if (t->kind != TY_TILE)
        return refused(p,
                       diag_add(p->diags, DIAG_OPERAND_KIND, at,
                                "%s: a pipe with an epilogue takes tiles", op->inst->name),
                       e);
    if (t->tile.space != SPACE_ACC)
        return refused(p,
                       diag_add(p->diags, DIAG_LOCATION, at,
                                "%s: the tile is in %s; a pipe with an epilogue takes tiles of acc",
                                op->inst->name, space_names[t->tile.space]),
                       e);
    if ((quant_of(e)->from & ELEM_BIT(t->elem)) == 0)
        return refused(p,
                       diag_add(p->diags, DIAG_ELEM_TYPE, at,
                                "%s: the quantisation %s does not accept %s", op->inst->name,
                                quant_of(e)->text, elem_infos[t->elem].text),
                       e);
    if (e->pushed == NULL) e->pushed = t;
    return true;
}

/* True when a set_quant of this pipe is in the block before note `at`. Drops those whose scope has
 * ended; of the rest the newest is in this block if any is. */
static bool has_quant(PipeProgram *p, PipeEnd *e, uint32_t at) {
    while (e->quant != 0 && p->notes[p->quants[e->quant - 1].at].closed <= at)
        e->quant = p->quants[e->quant - 1].older;
    return e->quant != 0 &&
           p->notes[p->quants[e->quant - 1].at].op->block == p->notes[at].op->block;
}

static bool check_state(PipeProgram *p, PipeEnd *e, uint32_t at) {
    const Op *op = p->notes[at].op;
    uint8_t state = quant_of(e)->state;
    if (state == QUANT_NONE || has_quant(p, e, at) || p->partial) return true;
    return refused(p,
                   diag_add(p->diags, DIAG_PAIRING, op->name_span,
                            "%s: no %s of pipe %lld is before it in this block", op->inst->name,
                            state == QUANT_SCALAR ? "pto.set_quant_scalar" : "pto.set_quant_vector",
                            (long long)e->id),
                   e);
}

static bool fits_layout(const Type *t, const EpilogueLayoutInfo *layout) {
    return t->tile.blayout == layout->blayout && t->tile.slayout == layout->slayout;
}

/* Checks the first popped tile against the epilogue. */
static bool check_popped(PipeProgram *p, PipeEnd *e, const Op *op, const Type *t) {
    const EpilogueQuantInfo *quant = quant_of(e);
    const EpilogueLayoutInfo *layout = &epilogue_layouts[e->epilogue.layout];
    ElemSet to = quant->to != 0 ? quant->to : quant->from;
    if ((to & ELEM_BIT(t->elem)) == 0) {
        StrBuf gives;
        sb_init(&gives, &p->ctx->arena);
        put_elem_set(&gives, to);
        return refused(p,
                       diag_add(p->diags, DIAG_ELEM_TYPE, op->name_span,
                                "%s: the quantisation %s gives %s, not %s", op->inst->name,
                                quant->text, sb_text(&gives), elem_infos[t->elem].text),
                       e);
    }
    if (!fits_layout(t, layout))
        return refused(p,
                       diag_add(p->diags, DIAG_LAYOUT, op->name_span,
                                "%s: the tile has another layout than %s gives", op->inst->name,
                                layout->text),
                       e);
    int64_t bytes = tile_bytes(t, PROFILE_DEFAULT);
    if (bytes > e->slot_size)
        return refused(p,
                       diag_add(p->diags, DIAG_ATTR_MISMATCH, op->name_span,
                                "%s: the tile has %lld bytes, a slot of the pipe %lld",
                                op->inst->name, (long long)bytes, (long long)e->slot_size),
                       e);
    return true;
}

static bool check_pop(PipeProgram *p, PipeEnd *e, const Op *op) {
    const Type *t = op->nresults > 0 ? op->results[0].type : NULL;
    if (t == NULL || t->kind == TY_TILE_ANY) return true;
    if (t->kind != TY_TILE)
        return refused(p,
                       diag_add(p->diags, DIAG_OPERAND_KIND, op->name_span,
                                "%s: a pipe with an epilogue gives tiles", op->inst->name),
                       e);
    if (e->pop == NULL) {
        e->pop = op;
        e->popped = t;
        return check_popped(p, e, op, t);
    }
    if (type_same(e->popped, t)) return true;
    Diag *d = diag_add(p->diags, DIAG_TYPE_MISMATCH, op->name_span,
                       "%s: it pops %.*s, an earlier one of pipe %lld pops %.*s", op->inst->name,
                       TYPE_TEXT(p, t), (long long)e->id, TYPE_TEXT(p, e->popped));
    diag_note_at(p->diags, d, e->pop->name_span, "the earlier one");
    return false;
}

bool verify_fixpipe_op(PipeProgram *p, PipeEnd *e, uint32_t at) {
    const Op *op = p->notes[at].op;
    const NamedAttr *split = op_attr_named(op, ATTR_split);
    if (split != NULL && split->value->i != 0)
        return refused(
            p,
            diag_add(p->diags, DIAG_ATTR_VALUE, split->span,
                     "%s: split is %lld; entries of a pipe with an epilogue cannot be split",
                     op->inst->name, (long long)split->value->i),
            e);
    if (op_is(op, INST_TPUSH_TO_AIV)) return check_pushed(p, e, op) && check_state(p, e, at);
    if (op_is(op, INST_TPOP_FROM_AIC)) return check_pop(p, e, op);
    return true;
}

/* ---- quantisation state ---- */

/* Says what is wrong with setting the state of this pipe; NULL when nothing is. */
static const char *quant_fault(const PipeEnd *e, const Op *op) {
    bool scalar = op_is(op, INST_SET_QUANT_SCALAR);
    if (e == NULL) return "is not set up in this function";
    if (!e->cube) return "is set up for the side that pops";
    if (!e->fixpipe) return "has no acc_push_epilogue";
    if (quant_of(e)->state == (scalar ? QUANT_SCALAR : QUANT_VECTOR)) return NULL;
    return scalar ? "has a quantisation without a scalar word"
                  : "has a quantisation without a word for each column";
}

void verify_quant_op(PipeProgram *p, PipeEnd *e, uint32_t at) {
    const Op *op = p->notes[at].op;
    if (e != NULL) {
        p->quants[p->nquants++] = (QuantNote){at, e->quant};
        e->quant = p->nquants;
    }
    const char *fault = quant_fault(e, op);
    if (fault == NULL || !p->notes[at].good || (e == NULL ? p->partial : !e->note->good)) return;
    Diag *d = diag_add(p->diags, DIAG_PAIRING, op->name_span, "%s: pipe %lld %s", op->inst->name,
                       (long long)pipe_attr(op, ATTR_id, 0), fault);
    if (e != NULL) diag_note_at(p->diags, d, e->note->op->name_span, "the pipe is set up here");
}

/* ---- both ends ---- */

void verify_fixpipe_pair(PipeProgram *p, const PipeEnd *producer, const PipeEnd *consumer) {
    if (!producer->fixpipe && !consumer->fixpipe) return;
    const Op *op = consumer->note->op;
    const Epilogue *a = &producer->epilogue, *b = &consumer->epilogue;
    if (producer->fixpipe != consumer->fixpipe || a->layout != b->layout || a->quant != b->quant ||
        a->relu != b->relu) {
        Diag *d = diag_add(p->diags, DIAG_PEER_MISMATCH, op->name_span,
                           "%s: the two ends of the pipe %s", op->inst->name,
                           producer->fixpipe != consumer->fixpipe
                               ? "do not both have an acc_push_epilogue"
                               : "have different epilogues");
        diag_note_at(p->diags, d, producer->note->op->name_span, "the other end");
        return;
    }
    if (consumer->pop == NULL) {
        if (!p->partial && !consumer->uses)
            diag_add(p->diags, DIAG_PAIRING, op->name_span,
                     "%s: nothing pops from pipe %lld, so its epilogue has no type to convert to",
                     op->inst->name, (long long)consumer->id);
        return;
    }
    if (quant_of(consumer)->to != 0 || producer->pushed == NULL ||
        producer->pushed->elem == consumer->popped->elem)
        return;
    Diag *d =
        diag_add(p->diags, DIAG_ELEM_MISMATCH, consumer->pop->name_span,
                 "%s: it pops %s, but without conversion %s is pushed", consumer->pop->inst->name,
                 elem_infos[consumer->popped->elem].text, elem_infos[producer->pushed->elem].text);
    diag_note_at(p->diags, d, producer->note->op->name_span, "the other end");
}
