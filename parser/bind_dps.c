/* SPDX-License-Identifier: Apache-2.0 */
/* The form ins(...) outs(...) of tile instructions. */
#include "parser/bind_internal.h"

#include <string.h>

/* ---- types ---- */

static bool is_element_of(const Type *written, const Type *t) {
    return written->kind == TY_SCALAR && t->kind == TY_TILE && type_same(written, t->elem_type);
}

/* Offers the types of the operands instead of a wrong number of types. */
static void write_types(Cursor *c, const Written *w, Diag *d) {
    Context *ctx = c->b->ctx;
    StrBuf text;
    if (w->n == 0 || w->nindices != 0 || w->nclauses != 0) return;
    sb_init(&text, &ctx->arena);
    for (unsigned i = 0; i < w->n; i++) {
        if (w->literal[i] != 0 || w->ops[i].value == NULL || is_error(w->ops[i].value)) return;
        sb_printf(&text, "%s" TYPE_FMT, i > 0 ? ", " : "",
                  TYPE_ARG(&ctx->names, w->ops[i].value->type));
    }
    Span last = w->ops[w->n - 1].span;
    if (w->ntypes > 0)
        diag_edit(&ctx->diags, d, span_join(w->spans[0], w->spans[w->ntypes - 1]), "%s",
                  sb_text(&text));
    else
        diag_edit(&ctx->diags, d, (Span){last.off + last.len, 0}, " : %s", sb_text(&text));
}

/* True when fewer types are written than operands, at most one, and all operands have one type,
 * which is that one. */
static bool is_left_out(const Written *w) {
    if (w->n == 0 || w->ntypes > 1 || w->ntypes == w->n || w->nindices != 0 || w->nclauses != 0)
        return false;
    for (unsigned i = 0; i < w->n; i++) {
        const Value *v = w->ops[i].value;
        if (w->literal[i] != 0 || v == NULL || is_error(v) || v->type->kind == TY_NONE ||
            !type_same(v->type, w->ntypes > 0 ? w->types[0] : w->ops[0].value->type))
            return false;
    }
    return true;
}

static void leave_out_types(Cursor *c, const Op *op, const Written *w) {
    const Span last = w->ops[w->n - 1].span;
    Diag *d = diag_add(&c->b->ctx->diags, DIAG_PTOAS_COMPAT, w->ntypes > 0 ? w->spans[0] : last,
                       "'%s': %u operand%s, %s; PTOAS 0.60 reads a type for each", op->inst->name,
                       w->n, w->n == 1 ? "" : "s", w->ntypes > 0 ? "1 type" : "no type");
    write_types(c, w, d);
    d->safe_fix = d->edits != NULL;
}

/* Checks the written types of ins or outs: one per operand, followed by those of its indices. */
static void check_group_types(Cursor *c, const Op *op, Written *w, SlotGroup g) {
    if (c->failed) return;
    if (is_left_out(w)) {
        leave_out_types(c, op, w);
        return;
    }
    if (w->ntypes == 1 && w->n > 1 && (op->inst->flags & IF_ONE_TYPE) != 0) {
        diag_add(&c->b->ctx->diags, DIAG_PTOAS_COMPAT, w->spans[0],
                 "'%s': one type for all operands; PTOAS 0.60 reads one for each", op->inst->name);
        for (unsigned i = 0; i < w->n && w->literal[i] == 0; i++)
            if (!is_element_of(w->types[0], w->ops[i].value->type))
                check_written_type(c, &w->ops[i], w->types[0], w->spans[0]);
        return;
    }
    if (w->ntypes != w->n + w->nindices && w->ntypes != w->n) {
        Diag *d =
            fail(c, DIAG_OPERAND_COUNT, w->ntypes > 0 ? w->spans[w->ntypes - 1] : cursor_span(c),
                 "'%s': %u operand%s, %u type%s", op->inst->name, w->n, w->n == 1 ? "" : "s",
                 w->ntypes, w->ntypes == 1 ? "" : "s");
        if (d == NULL) return;
        unsigned most, least = operand_range(op->inst, g, &most);
        if (w->n >= least) write_types(c, w, d);
        if (w->n < most) left_out_note(c, op, w, w->n < least, d);
        return;
    }
    for (unsigned i = 0, t = 0; i < w->n; i++, t++) {
        if (w->literal[i] == 0) check_written_type(c, &w->ops[i], w->types[t], w->spans[t]);
        if (i == w->indexed && w->ntypes != w->n) t += w->nindices;
    }
}

/* ---- operands after a word ---- */

static void word_unknown(Cursor *c, const Op *op, const char *what) {
    const Token *t = token_at(c->b, c->pos);
    fail(c, DIAG_OPERAND_COUNT, token_span(t), "'%s' has no %s '%.*s'", op->inst->name, what,
         (int)atom_len(&c->b->ctx->names, t->atom), atom_text(&c->b->ctx->names, t->atom));
}

int slot_of_word(const Cursor *c, const Op *op, bool trailing) {
    if (peek(c) != TOK_WORD) return -1;
    for (int s = 0; s < op->inst->nslots; s++) {
        const SlotInfo *info = &op->inst->slots[s];
        if (info->rare->clause != NULL && info->rare->trailing == trailing &&
            peek_word(c, info->rare->clause))
            return s;
    }
    return -1;
}

/* Reads the operand in `fp %f`, after the word; its type follows. */
static void read_worded_operand(Cursor *c, Op *op, Written *w, int slot) {
    for (unsigned k = 0; k < w->nclauses; k++)
        if (w->clauses[k].slot == slot) {
            fail(c, DIAG_OPERAND_COUNT, cursor_span(c), "'%s': '%s' is here twice", op->inst->name,
                 op->inst->slots[slot].rare->clause);
            return;
        }
    if (w->nclauses == sizeof w->clauses / sizeof w->clauses[0]) {
        fail(c, DIAG_OPERAND_COUNT, cursor_span(c), "too many clauses");
        return;
    }
    if (w->n == w->cap) written_grow(c, w);
    w->literal[w->n] = 0;
    if (!read_operand(c, &w->ops[w->n])) return;
    w->clauses[w->nclauses].operand = (uint16_t)w->n++;
    w->clauses[w->nclauses++].slot = (uint8_t)slot;
}

void read_operand_clause(Cursor *c, Op *op, Written *w, int slot) {
    c->pos++;
    if (!expect(c, TOK_EQUAL)) return;
    read_worded_operand(c, op, w, slot);
    if (c->failed || !accept(c, TOK_COLON)) return;
    Span span = cursor_span(c);
    const Type *t = read_type(c);
    if (t != NULL) check_written_type(c, &w->ops[w->n - 1], t, span);
}

/* ---- ins(...) and outs(...) ---- */

/* Reads unit attributes as bare words: `ins(%a, %b no_tmp : T, T)`. */
static void read_bare_words(Cursor *c, Op *op) {
    while (!c->failed && peek(c) == TOK_WORD) {
        const Token *t = token_at(c->b, c->pos);
        int attr = attr_named(c->b->ctx, op, t->atom);
        if (attr < 0 || op->inst->attrs[attr].place != PLACE_WORD) return;
        Attr *unit = ARENA_NEW(&c->b->ctx->arena, Attr);
        *unit = (Attr){.kind = ATTR_UNIT, .span = token_span(t)};
        c->pos++;
        add_attr(c, op, t->atom, unit->span, unit);
    }
}

/* Reads a string after the types: `ins(%s, {..} : T, "row")`. */
static void read_type_strings(Cursor *c, Op *op) {
    if (c->failed || peek(c) != TOK_COMMA || peek_at(c, 1) != TOK_STRING) return;
    for (int a = 0; a < op->inst->nattrs; a++) {
        const AttrInfo *info = &op->inst->attrs[a];
        if (info->place != PLACE_TYPES) continue;
        c->pos++;
        Span span = cursor_span(c);
        const Attr *value = read_in_place(c, info);
        if (value != NULL)
            add_attr(c, op, intern(&c->b->ctx->names, info->name, strlen(info->name)), span, value);
        return;
    }
}

static int slot_with_unless(const Inst *inst) {
    for (int s = 0; s < inst->nslots; s++)
        if (inst->slots[s].rare->unless != NULL) return s;
    return -1;
}

/* Gives the last of several operands to the slot that is present unless a word says otherwise. */
static void take_last(const Op *op, Written *w) {
    int slot = slot_with_unless(op->inst);
    if (slot < 0 || w->saw_unless_word || w->n < 2 || w->ops[w->n - 1].value == NULL ||
        !slot_takes(&op->inst->slots[slot], &w->ops[w->n - 1]) || clause_slot(w, w->n - 1) >= 0)
        return;
    w->clauses[w->nclauses].operand = (uint16_t)(w->n - 1);
    w->clauses[w->nclauses++].slot = (uint8_t)slot;
}

static bool takes_dict_inside(const Inst *inst) {
    bool inside = (inst->flags & (IF_DICT_IN_INS | IF_DICT_BOTH)) != 0;
    for (int a = 0; a < inst->nattrs; a++)
        inside |= inst->attrs[a].place == PLACE_INS || inst->attrs[a].place == PLACE_INS_TMP;
    return inside;
}

/* Checks the attributes read after `before`, inside of ins(...) or after outs(...): those of a
 * scratch tile are with that tile, or else after outs(...). */
static void check_scratch_attrs(Cursor *c, const Op *op, const Written *ins, unsigned before,
                                bool inside) {
    const Interner *names = &c->b->ctx->names;
    const bool scratch = ins->n > needed_from(op->inst, 0, GROUP_INS);
    for (unsigned i = before; i < op->nattrs && scratch != inside; i++) {
        Atom name = op->attrs[i].name;
        int attr = attr_named(c->b->ctx, op, name);
        if (attr < 0 || op->inst->attrs[attr].place != PLACE_INS_TMP) continue;
        fail(c, DIAG_SYNTAX, op->attrs[i].span, "'%s': %s a scratch tile '%.*s' belongs %s",
             op->inst->name, scratch ? "with" : "without", (int)atom_len(names, name),
             atom_text(names, name), scratch ? "after it in ins(...)" : "after outs(...)");
        return;
    }
}

/* Reads a dictionary inside ins(...). */
static void read_inner_dict(Cursor *c, Op *op, const Written *w) {
    bool comma = peek(c) == TOK_COMMA && peek_at(c, 1) == TOK_DICT_OPEN;
    if (c->failed || (!comma && peek(c) != TOK_DICT_OPEN) || !takes_dict_inside(op->inst)) return;
    c->pos += comma;
    unsigned before = op->nattrs;
    if ((op->inst->flags & IF_DICT_BOTH) != 0)
        diag_add(&c->b->ctx->diags, DIAG_PTOAS_COMPAT, cursor_span(c),
                 "PTOAS 0.60 refuses this: the attributes of %s belong after outs(...)",
                 op->inst->name);
    read_dict(c, op);
    if (!c->failed) check_scratch_attrs(c, op, w, before, true);
}

/* Expects the colon in front of types; the message offers them. */
static void expect_types(Cursor *c, const Written *w) {
    Diag *const *before = c->b->ctx->diags.last;
    if (!expect(c, TOK_COLON) && *before != NULL && w->ntypes == 0) write_types(c, w, *before);
}

/* Reads operands and types, either all types at the end or some after their operands. */
static void read_group(Cursor *c, Op *op, Written *w, bool ins) {
    expect(c, TOK_LPAREN);
    while (!c->failed) {
        read_written_operands(c, w);
        int left_out = slot_with_unless(op->inst);
        if (left_out >= 0 && !c->failed && accept_word(c, op->inst->slots[left_out].rare->unless))
            w->saw_unless_word = true;
        read_bare_words(c, op);
        if (ins) read_inner_dict(c, op, w);
        if (!c->failed && (w->n > 0 || peek(c) == TOK_COLON)) {
            if (peek(c) == TOK_RPAREN && is_left_out(w)) break;
            expect_types(c, w);
            bool parens = accept(c, TOK_LPAREN); /* the manual's tgemv.mx has parentheses */
            if (!c->failed) read_written_types(c, w);
            if (parens) expect(c, TOK_RPAREN);
        }
        read_type_strings(c, op);
        int slot;
        while (!c->failed && (slot = slot_of_word(c, op, false)) >= 0) {
            c->pos++;
            read_worded_operand(c, op, w, slot);
            expect(c, TOK_COLON);
            if (!c->failed) read_written_types(c, w);
        }
        if (peek(c) == TOK_WORD && peek_at(c, 1) == TOK_VALUE) word_unknown(c, op, "operand");
        if (!accept(c, TOK_COMMA)) /* `%t : T, %q : i64` */
            break;
    }
    expect(c, TOK_RPAREN);
    check_group_types(c, op, w, ins ? GROUP_INS : GROUP_OUTS);
    spread_indices(c, op, w);
}

/* ---- after outs(...) ---- */

/* Reads `key = value` after outs(...), attributes that a vendor spelling writes as clauses. */
static void read_clause(Cursor *c, Op *op) {
    const Token *key = token_at(c->b, c->pos);
    int attr = attr_named(c->b->ctx, op, key->atom);
    if (attr < 0) {
        word_unknown(c, op, "clause");
        return;
    }
    c->pos++;
    if (expect(c, TOK_EQUAL))
        add_attr(c, op, key->atom, token_span(key), read_in_place(c, &op->inst->attrs[attr]));
}

/* Reads `-> tensor<...>` after outs(...), which repeats the type of the destination and is
 * ignored. */
static void read_tensor_result(Cursor *c, const Op *op) {
    c->pos++;
    Span span = cursor_span(c);
    const Type *t = read_type(c);
    if (t == NULL) return;
    if (t->kind != TY_OPAQUE)
        fail(c, DIAG_SYNTAX, span, "'%s': the ins/outs form has no result", op->inst->name);
    else
        diag_add(&c->b->ctx->diags, DIAG_IGNORED_TYPE, span,
                 "'%s': the ins/outs form has no result; the type after it is ignored",
                 op->inst->name);
}

/* Reads the dictionary after outs(...). */
static void read_outer_dict(Cursor *c, Op *op, const Written *ins) {
    unsigned before = op->nattrs;
    read_dict(c, op);
    if (!c->failed) check_scratch_attrs(c, op, ins, before, false);
}

/* Reads what follows ins(...) and outs(...): dictionaries, clauses, `-> types`. */
static void read_tail(Cursor *c, Op *op, Written *ins, Signature *sig) {
    while (!c->failed && c->pos < c->end && !peek_word(c, "loc")) {
        int slot = slot_of_word(c, op, true);
        if (slot >= 0)
            read_operand_clause(c, op, ins, slot);
        else if (peek(c) == TOK_DICT_OPEN)
            read_outer_dict(c, op, ins);
        else if (peek(c) == TOK_WORD && peek_at(c, 1) == TOK_EQUAL)
            read_clause(c, op);
        else if (op->inst->nresults == 0 && peek(c) == TOK_ARROW)
            read_tensor_result(c, op);
        else if (op->inst->nresults > 0 && sig->nresults == 0 && accept(c, TOK_ARROW))
            sig->nresults =
                read_type_list(c, sig->results, sig->result_spans, MOST_SIGNATURE_RESULTS, false);
        else
            break;
    }
}

/* ---- the whole form ---- */

/* Reads `outs(%val : f32)`, the manual's spelling of a result, for an instruction without a
 * destination. */
static bool read_result_in_outs(Cursor *c, const Op *op, Signature *sig, ResultNames *names) {
    for (int s = 0; s < op->inst->nslots; s++)
        if (slot_in_outs(&op->inst->slots[s])) return false;
    if (op->inst->nresults == 0 || names->count != 0 || peek(c) != TOK_LPAREN ||
        peek_at(c, 1) != TOK_VALUE || peek_at(c, 2) != TOK_COLON)
        return false;
    Token *name = &c->b->buf->tokens[c->pos + 1 - c->b->buf->base];
    name->number = 1; /* as in the name of a result */
    *names = (ResultNames){c->pos + 1, c->pos + 1, 1};
    diag_add(&c->b->ctx->diags, DIAG_PTOAS_COMPAT, token_span(name),
             "'%s': the result is in outs(...); PTOAS 0.60 reads '%%x = %s ... outs : T'",
             op->inst->name, op->inst->name);
    c->pos += 3;
    sig->result_spans[0] = cursor_span(c);
    sig->results[0] = read_type(c);
    sig->nresults = sig->results[0] != NULL;
    expect(c, TOK_RPAREN);
    return true;
}

void bind_dps(Cursor *c, Op *op, const ResultNames *given) {
    Written ins, outs;
    ResultNames own = *given;
    const ResultNames *names = &own;
    Signature sig = {.arrow = false};
    written_init(&ins);
    written_init(&outs);
    op->form = OPF_DPS;
    if (names->count != 0 && op->inst->nresults == 0)
        fail(c, DIAG_OPERAND_COUNT, token_span(token_at(c->b, names->first)),
             "the ins/outs form has no result; the destination belongs in outs(...)");
    if (accept_word(c, "ins")) read_group(c, op, &ins, true);
    if (accept_word(c, "outs") && !read_result_in_outs(c, op, &sig, &own)) {
        if (op->inst->nresults > 0 && accept(c, TOK_COLON)) /* `outs : f32` */
            sig.nresults =
                read_type_list(c, sig.results, sig.result_spans, MOST_SIGNATURE_RESULTS, false);
        else
            read_group(c, op, &outs, false);
    }
    read_tail(c, op, &ins, &sig);
    if (!c->failed) take_last(op, &ins);
    place_operands(c, op, &ins, &outs);
    finish_results(c, op, names, &sig, 0);
}
