/* Binding of tile instructions: ins(...) outs(...), and the SSA and PTO-AS forms. */
#include "ir/infer.h"
#include "parser/bind_internal.h"

#include <stdlib.h>
#include <string.h>

void written_init(Written *w) {
    w->ops = w->few_ops;
    w->literal = w->few_literals;
    w->types = w->few_types;
    w->spans = w->few_spans;
    w->n = w->ntypes = w->nindices = w->indexed = w->nclauses = 0;
    w->saw_unless_word = false;
    w->cap = WRITTEN_FEW;
}

static void written_grow(Cursor *c, Written *w) {
    Arena *a = &c->b->ctx->arena;
    unsigned cap = w->cap * 2;
    Operand *ops = ARENA_ARRAY(a, Operand, cap);
    uint32_t *literal = ARENA_ARRAY(a, uint32_t, cap);
    const Type **types = ARENA_ARRAY(a, const Type *, cap + 8);
    Span *spans = ARENA_ARRAY(a, Span, cap + 8);
    memcpy(ops, w->ops, w->n * sizeof *ops);
    memcpy(literal, w->literal, w->n * sizeof *literal);
    memcpy(types, w->types, w->ntypes * sizeof *types);
    memcpy(spans, w->spans, w->ntypes * sizeof *spans);
    w->ops = ops;
    w->literal = literal;
    w->types = types;
    w->spans = spans;
    w->cap = cap;
}

/* Reads `[%i, 3]` after an operand. */
static void read_indices(Cursor *c, Written *w) {
    c->pos++;
    w->indexed = w->n - 1;
    while (!c->failed && peek(c) != TOK_RBRACKET) {
        if (w->nindices == 8) {
            fail(c, DIAG_OPERAND_COUNT, cursor_span(c), "more than 8 indices");
            return;
        }
        Operand *o = &w->indices[w->nindices++];
        if (at_literal(c)) {
            Span span = cursor_span(c);
            *o = (Operand){literal_operand(c, type_scalar(c->b->ctx->types, ELEM_INDEX)), span};
        } else {
            read_operand(c, o);
        }
        if (!accept(c, TOK_COMMA)) break;
    }
    expect(c, TOK_RBRACKET);
}

/* Reads a list of values and literals. */
void read_written_operands(Cursor *c, Written *w) {
    while (!c->failed && (peek(c) == TOK_VALUE || at_literal(c))) {
        if (w->n == w->cap) written_grow(c, w);
        if (w->n == MOST_OPERANDS) {
            fail(c, DIAG_OPERAND_COUNT, cursor_span(c), "more than %d operands", MOST_OPERANDS);
            return;
        }
        Operand *o = &w->ops[w->n];
        w->literal[w->n] = 0;
        if (at_literal(c)) {
            w->literal[w->n] = c->pos + 1;
            *o = (Operand){NULL, cursor_span(c)};
            c->pos += peek(c) == TOK_MINUS ? 2 : 1;
        } else {
            read_operand(c, o);
        }
        w->n++;
        if (!c->failed && peek(c) == TOK_LBRACKET) read_indices(c, w);
        if (peek(c) == TOK_COMMA && peek_at(c, 1) == TOK_DICT_OPEN)
            return; /* `ins(%s, {..} : T)` */
        if (!accept(c, TOK_COMMA)) return;
        if (peek(c) != TOK_VALUE && !at_literal(c)) fail_expected(c, "a value");
    }
}

void read_written_types(Cursor *c, Written *w) {
    do {
        if (w->ntypes == w->cap + 8) written_grow(c, w);
        w->spans[w->ntypes] = cursor_span(c);
        const Type *t = read_type(c);
        if (t == NULL) return;
        w->types[w->ntypes++] = t;
    } while (peek(c) == TOK_COMMA && peek_at(c, 1) != TOK_VALUE && peek_at(c, 1) != TOK_STRING &&
             accept(c, TOK_COMMA));
}

/* ---- assigning operands to slots ---- */

bool slot_takes(const SlotInfo *s, const Operand *o) {
    /* A tile cannot be a literal. */
    return o->value == NULL ? s->kind != SLOT_TILE
                            : slot_accepts((SlotKind)s->kind, o->value->type);
}

static bool is_index_list(const SlotInfo *s) {
    return s->arity == ARITY_VAR && s->kind == SLOT_INDEX;
}

/* The slots that a group of written operands may fill. */
typedef enum SlotGroup { GROUP_INS, GROUP_OUTS, GROUP_SSA } SlotGroup;

static bool in_group(const SlotInfo *s, SlotGroup g) {
    if (is_index_list(s)) return false;
    if (g == GROUP_SSA) return !slot_is_result(s);
    return slot_in_outs(s) == (g == GROUP_OUTS);
}

static unsigned needed_from(const Inst *inst, int slot, SlotGroup g) {
    unsigned n = 0;
    for (int s = slot; s < inst->nslots; s++)
        n += in_group(&inst->slots[s], g) && inst->slots[s].arity == ARITY_ONE;
    return n;
}

/* Returns the slot of an operand after a clause word; -1 when operand `i` has no word. */
static int clause_slot(const Written *w, unsigned i) {
    for (unsigned k = 0; k < w->nclauses; k++)
        if (w->clauses[k].operand == i) return w->clauses[k].slot;
    return -1;
}

/* Counts the operands from `at` on that have no clause word. */
static unsigned plain_left(const Written *w, unsigned at) {
    unsigned left = w->n - at;
    for (unsigned k = 0; k < w->nclauses; k++)
        left -= w->clauses[k].operand >= at;
    return left;
}

/* True when an operand in ins/outs is identified only by its word. */
static bool needs_word(const SlotInfo *s, SlotGroup g) {
    return s->clause != NULL && s->clause[0] != ',' && (g != GROUP_SSA || s->trailing);
}

/* Returns the least, and in *most the largest, number of operands without a word in a group. */
static unsigned operand_range(const Inst *inst, SlotGroup g, unsigned *most) {
    *most = 0;
    for (int s = 0; s < inst->nslots; s++)
        *most += in_group(&inst->slots[s], g) && !needs_word(&inst->slots[s], g);
    return needed_from(inst, 0, g);
}

static void wrong_count(Cursor *c, const Op *op, SlotGroup g, const Written *w) {
    unsigned most, least = operand_range(op->inst, g, &most), found = w->n - w->nclauses;
    const char *where = g == GROUP_INS ? "ins" : g == GROUP_OUTS ? "outs" : "operands";
    const char *front = "";
    for (int s = 0; s < op->inst->nslots; s++) {
        const SlotInfo *info = &op->inst->slots[s];
        if (in_group(info, g) && needs_word(info, g))
            front = " in front of the types"; /* this group's operands follow */
    }
    if (least == most)
        fail(c, DIAG_OPERAND_COUNT, op->name_span, "'%s' takes %u in %s%s, found %u",
             op->inst->name, least, where, front, found);
    else
        fail(c, DIAG_OPERAND_COUNT, op->name_span, "'%s' takes %u to %u in %s%s, found %u",
             op->inst->name, least, most, where, front, found);
}

/* Assigns written operands to slots: first[s] and segs[s] are the first operand and the number for
 * slot s. */
static void assign_slots(Cursor *c, const Op *op, const Written *w, SlotGroup g, uint16_t *first,
                         uint16_t *segs) {
    unsigned at = 0;
    for (unsigned k = 0; k < w->nclauses; k++) {
        first[w->clauses[k].slot] = w->clauses[k].operand;
        segs[w->clauses[k].slot] = 1;
    }
    for (int s = 0; s < op->inst->nslots && !c->failed; s++) {
        const SlotInfo *info = &op->inst->slots[s];
        if (!in_group(info, g) || needs_word(info, g) || segs[s] != 0) continue;
        while (at < w->n && clause_slot(w, at) >= 0)
            at++;
        unsigned later = needed_from(op->inst, s + 1, g), take = 0;
        unsigned left = plain_left(w, at);
        if (info->arity == ARITY_ONE)
            take = 1;
        else if (info->arity == ARITY_OPT)
            take = left > later && slot_takes(info, &w->ops[at]);
        else
            while (take + later < left && clause_slot(w, at + take) < 0 &&
                   slot_takes(info, &w->ops[at + take]))
                take++;
        if (take > left) {
            wrong_count(c, op, g, w);
            return;
        }
        first[s] = (uint16_t)at;
        segs[s] = (uint16_t)take;
        at += take;
    }
    while (at < w->n && clause_slot(w, at) >= 0)
        at++;
    if (c->failed || at == w->n) return;
    /* The wrong kind of an optional operand explains more than a wrong count. */
    for (int s = 0; s < op->inst->nslots; s++) {
        const SlotInfo *info = &op->inst->slots[s];
        if (in_group(info, g) && !needs_word(info, g) && info->arity == ARITY_OPT && segs[s] == 0 &&
            w->ops[at].value != NULL) {
            check_slot(c, op, s, &w->ops[at]);
            if (c->failed || c->nwrong > 0) return;
        }
    }
    wrong_count(c, op, g, w);
}

/* Returns the type of a literal operand: the written one, else that of the slot or of the first
 * tile. */
static const Type *literal_type(Cursor *c, const Written *w, unsigned i, SlotKind kind) {
    Context *ctx = c->b->ctx;
    if (kind == SLOT_INDEX) return type_scalar(ctx->types, ELEM_INDEX);
    if (kind == SLOT_I64) return type_scalar(ctx->types, ELEM_I64);
    if ((w->ntypes > 1 || w->n == 1) && i < w->ntypes && w->types[i]->kind == TY_SCALAR)
        return w->types[i];
    for (unsigned k = 0; k < w->n; k++)
        if (w->ops[k].value != NULL && w->ops[k].value->type->kind == TY_TILE && kind != SLOT_INT)
            return w->ops[k].value->type->elem_type;
    return type_scalar(ctx->types, kind == SLOT_INT ? ELEM_I32 : ELEM_F32);
}

static void resolve_literals(Cursor *c, const Op *op, Written *w, const uint16_t *first,
                             const uint16_t *segs, SlotGroup g) {
    for (int s = 0; s < op->inst->nslots && !c->failed; s++) {
        if (!in_group(&op->inst->slots[s], g)) continue;
        for (unsigned i = first[s]; i < (unsigned)first[s] + segs[s]; i++) {
            if (w->literal[i] == 0) continue;
            uint32_t back = c->pos;
            c->pos = w->literal[i] - 1;
            w->ops[i].value =
                literal_operand(c, literal_type(c, w, i, (SlotKind)op->inst->slots[s].kind));
            c->pos = back;
        }
    }
}

static void check_group(Cursor *c, const Op *op, const Written *w, const uint16_t *first,
                        const uint16_t *segs, SlotGroup g) {
    for (int s = 0; s < op->inst->nslots; s++)
        if (in_group(&op->inst->slots[s], g))
            for (unsigned i = first[s]; i < (unsigned)first[s] + segs[s]; i++)
                check_slot(c, op, s, &w->ops[i]);
}

/* Collects ins and outs (NULL in the SSA forms) in the order of slots. */
static void finish_operands(Cursor *c, Op *op, const Written *ins, const Written *outs,
                            const uint16_t *first, uint16_t *segs) {
    Operand few[WRITTEN_FEW * 2];
    unsigned total = ins->n + (outs != NULL ? outs->n + outs->nindices : 0) + ins->nindices;
    Operand *flat = total <= WRITTEN_FEW * 2 ? few : ARENA_ARRAY(&c->b->ctx->arena, Operand, total);
    unsigned n = 0;
    for (int s = 0; s < op->inst->nslots; s++) {
        const SlotInfo *info = &op->inst->slots[s];
        if (is_index_list(info)) {
            /* Indices follow their operand; in DPS its role tells whether they are in ins or outs.
             */
            const Written *w =
                outs != NULL && op->inst->slots[s - 1].role == ROLE_WRITE ? outs : ins;
            for (unsigned i = 0; i < w->nindices; i++)
                flat[n++] = w->indices[i];
            segs[s] = (uint16_t)w->nindices;
            continue;
        }
        const Written *w = outs != NULL && slot_in_outs(info) ? outs : ins;
        for (unsigned i = 0; i < segs[s]; i++)
            flat[n++] = w->ops[first[s] + i];
    }
    set_operands(c->b, op, flat, n, segs);
}

static void check_indices(Cursor *c, const Op *op, const Written *w) {
    if (w->nindices == 0 || c->failed) return;
    for (int s = 0; s < op->inst->nslots; s++)
        if (is_index_list(&op->inst->slots[s])) {
            for (unsigned i = 0; i < w->nindices; i++)
                check_slot(c, op, s, &w->indices[i]);
            return;
        }
    fail(c, DIAG_SYNTAX, w->ops[w->indexed].span, "'%s' takes no indexed operand", op->inst->name);
}

/* ---- ins(...) outs(...) ---- */

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

/* Checks the written types of ins or outs: one per operand, followed by those of its indices. */
static void check_group_types(Cursor *c, const Op *op, const Written *w, SlotGroup g) {
    if (c->failed) return;
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

static void word_unknown(Cursor *c, const Op *op, const char *what) {
    const Token *t = token_at(c->b, c->pos);
    fail(c, DIAG_OPERAND_COUNT, token_span(t), "'%s' has no %s '%.*s'", op->inst->name, what,
         (int)atom_len(&c->b->ctx->names, t->atom), atom_text(&c->b->ctx->names, t->atom));
}

/* Returns the slot whose clause begins with the word at the cursor, or -1. */
static int slot_of_word(const Cursor *c, const Op *op, bool trailing) {
    if (peek(c) != TOK_WORD) return -1;
    for (int s = 0; s < op->inst->nslots; s++) {
        const SlotInfo *info = &op->inst->slots[s];
        if (info->clause != NULL && info->trailing == trailing && peek_word(c, info->clause))
            return s;
    }
    return -1;
}

/* Reads the operand in `fp %f`, after the word; its type follows. */
static void read_worded_operand(Cursor *c, Op *op, Written *w, int slot) {
    for (unsigned k = 0; k < w->nclauses; k++)
        if (w->clauses[k].slot == slot) {
            fail(c, DIAG_OPERAND_COUNT, cursor_span(c), "'%s': '%s' is here twice", op->inst->name,
                 op->inst->slots[slot].clause);
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

/* Turns the indices of `%t[%r, %c]` into operands if the row has no list of indices. */
static void spread_indices(Cursor *c, const Op *op, Written *w) {
    if (w->nindices == 0 || c->failed || w->nclauses != 0) return;
    for (int s = 0; s < op->inst->nslots; s++)
        if (is_index_list(&op->inst->slots[s])) return;
    unsigned n = w->nindices, at = w->indexed + 1;
    while (w->n + n > w->cap)
        written_grow(c, w);
    memmove(w->ops + at + n, w->ops + at, (w->n - at) * sizeof *w->ops);
    memmove(w->literal + at + n, w->literal + at, (w->n - at) * sizeof *w->literal);
    for (unsigned i = 0; i < n; i++) {
        w->ops[at + i] = w->indices[i];
        w->literal[at + i] = 0;
    }
    w->n += n;
    w->nindices = 0;
}

/* Reads unit attributes as bare words: `ins(%a, %b no_tmp : T, T)`. */
static void read_bare_words(Cursor *c, Op *op) {
    while (!c->failed && peek(c) == TOK_WORD) {
        const Token *t = token_at(c->b, c->pos);
        const Interner *names = &c->b->ctx->names;
        int attr = inst_attr(op->inst, atom_text(names, t->atom), atom_len(names, t->atom));
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
        if (inst->slots[s].unless != NULL) return s;
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

/* The attribute of a scratch tile, read after `before`, is allowed in ins(...) only with that
 * tile. */
static void check_scratch_attrs(Cursor *c, const Op *op, const Written *w, unsigned before) {
    const Interner *names = &c->b->ctx->names;
    for (unsigned i = before; i < op->nattrs && w->n <= needed_from(op->inst, 0, GROUP_INS); i++) {
        Atom name = op->attrs[i].name;
        int attr = inst_attr(op->inst, atom_text(names, name), atom_len(names, name));
        if (attr < 0 || op->inst->attrs[attr].place != PLACE_INS_TMP) continue;
        fail(c, DIAG_SYNTAX, op->attrs[i].span,
             "'%s': without a scratch tile '%.*s' belongs after outs(...)", op->inst->name,
             (int)atom_len(names, name), atom_text(names, name));
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
    if (!c->failed) check_scratch_attrs(c, op, w, before);
}

/* Reads operands and types, either all types at the end or some after their operands. */
static void read_group(Cursor *c, Op *op, Written *w, bool ins) {
    expect(c, TOK_LPAREN);
    while (!c->failed) {
        read_written_operands(c, w);
        int left_out = slot_with_unless(op->inst);
        if (left_out >= 0 && !c->failed && accept_word(c, op->inst->slots[left_out].unless))
            w->saw_unless_word = true;
        read_bare_words(c, op);
        if (ins) read_inner_dict(c, op, w);
        if (!c->failed && (w->n > 0 || peek(c) == TOK_COLON)) {
            expect(c, TOK_COLON);
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

/* Reads `word = %x : T`, an operand after ins/outs. */
static void read_operand_clause(Cursor *c, Op *op, Written *w, int slot) {
    c->pos++;
    if (!expect(c, TOK_EQUAL)) return;
    read_worded_operand(c, op, w, slot);
    if (c->failed || !accept(c, TOK_COLON)) return;
    Span span = cursor_span(c);
    const Type *t = read_type(c);
    if (t != NULL) check_written_type(c, &w->ops[w->n - 1], t, span);
}

/* Reads `key = value` after outs(...), attributes that a vendor spelling writes as clauses. */
static void read_clause(Cursor *c, Op *op) {
    Context *ctx = c->b->ctx;
    const Token *key = token_at(c->b, c->pos);
    int attr =
        inst_attr(op->inst, atom_text(&ctx->names, key->atom), atom_len(&ctx->names, key->atom));
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
    if (c->failed || ins->n <= needed_from(op->inst, 0, GROUP_INS)) return;
    for (unsigned i = before; i < op->nattrs; i++) {
        const Interner *names = &c->b->ctx->names;
        Atom name = op->attrs[i].name;
        int attr = inst_attr(op->inst, atom_text(names, name), atom_len(names, name));
        if (attr < 0 || op->inst->attrs[attr].place != PLACE_INS_TMP) continue;
        fail(c, DIAG_SYNTAX, op->attrs[i].span,
             "'%s': with a scratch tile '%.*s' belongs after it in ins(...)", op->inst->name,
             (int)atom_len(names, name), atom_text(names, name));
        return;
    }
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

/* Adds the results of Inst.results, whose types are in sig from `first` on; missing types are
 * inferred. Destination tiles precede them. */
static void finish_results(Cursor *c, Op *op, const ResultNames *names, Signature *sig,
                           unsigned first) {
    const Inst *inst = op->inst;
    bool optional = (inst->flags & IF_OPT_RESULT) != 0;
    if (c->failed || c->nwrong > 0) return;
    for (unsigned i = sig->nresults - first;
         !optional && i < inst->nresults && first + i < MOST_SIGNATURE_RESULTS; i++) {
        const Type *t = infer_result_type(c->b->ctx, op, (int)i);
        if (t == NULL) break;
        sig->results[first + i] = t;
        sig->result_spans[first + i] = op->name_span;
        sig->nresults++;
    }
    unsigned want = first + inst->nresults;
    if (sig->nresults != want && !(optional && sig->nresults == first)) {
        fail(c, DIAG_OPERAND_COUNT, op->name_span, "'%s' has %u result%s, the signature has %u",
             inst->name, want, want == 1 ? "" : "s", sig->nresults);
        return;
    }
    for (unsigned i = 0, slot = 0; i < sig->nresults; i++) {
        while (i < first && !slot_is_result(&inst->slots[slot]))
            slot++;
        SlotKind kind =
            (SlotKind)(i < first ? inst->slots[slot++].kind : inst->results[i - first].kind);
        if (slot_accepts(kind, sig->results[i])) continue;
        fail(c, DIAG_OPERAND_KIND, sig->result_spans[i],
             "'%s': the result must be %s, found '" TYPE_FMT "'", inst->name, slot_types[kind].text,
             TYPE_ARG(&c->b->ctx->names, sig->results[i]));
        return;
    }
    set_results(c, op, names, sig->results, sig->nresults);
}

/* Assigns the operands of ins(...) and outs(...) to slots. */
static void place_operands(Cursor *c, Op *op, Written *ins, Written *outs) {
    uint16_t first[INST_MAX_SLOTS] = {0}, segs[INST_MAX_SLOTS] = {0};
    if (!c->failed) assign_slots(c, op, ins, GROUP_INS, first, segs);
    if (!c->failed) assign_slots(c, op, outs, GROUP_OUTS, first, segs);
    resolve_literals(c, op, ins, first, segs, GROUP_INS);
    check_group(c, op, ins, first, segs, GROUP_INS);
    check_group(c, op, outs, first, segs, GROUP_OUTS);
    check_indices(c, op, ins);
    check_indices(c, op, outs);
    if (!c->failed) finish_operands(c, op, ins, outs, first, segs);
}

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

static void bind_dps(Cursor *c, Op *op, const ResultNames *given) {
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

/* ---- SSA and PTO-AS ---- */

void read_signature(Cursor *c, Written *w, Signature *sig) {
    if (!accept(c, TOK_COLON)) return;
    if (peek(c) == TOK_LPAREN) {
        c->pos++;
        if (!accept(c, TOK_RPAREN)) {
            read_written_types(c, w);
            expect(c, TOK_RPAREN);
        }
    } else if (peek(c) != TOK_ARROW) { /* `: -> T` */
        read_written_types(c, w);
    }
    if (!c->failed && accept(c, TOK_ARROW)) {
        sig->arrow = true;
        sig->nresults =
            read_type_list(c, sig->results, sig->result_spans, MOST_SIGNATURE_RESULTS, false);
    }
}

unsigned result_slots(const Inst *inst, unsigned *least) {
    unsigned n = 0, needed = 0;
    for (int s = 0; s < inst->nslots; s++)
        if (slot_is_result(&inst->slots[s])) {
            n++;
            needed += inst->slots[s].arity == ARITY_ONE;
        }
    if (least != NULL) *least = needed;
    return n;
}

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
        if (w->literal[i] == 0 && w->types[t]->kind != TY_OPAQUE)
            check_written_type(c, &w->ops[i], w->types[t], w->spans[t]);
        if (with_indices && i == w->indexed) t += w->nindices;
    }
}

/* True for `trandom %dst, %key, %counter : T`, with the type of the destination or of all
 * operands. */
static bool has_dst_first(const Cursor *c, const Op *op, const Written *w,
                          const ResultNames *names) {
    return !c->failed && (op->inst->flags & IF_DST_FIRST) != 0 && names->count == 0 && w->n > 0 &&
           (op->inst->suffixes == NULL || op->form == OPF_AS) && w->ops[0].value != NULL &&
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

static void bind_ssa(Cursor *c, Op *op, const ResultNames *names) {
    Written w;
    Signature sig = {.arrow = false};
    uint16_t first[32] = {0}, segs[32] = {0};
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
    assign_slots(c, op, &w, GROUP_SSA, first, segs);
    resolve_literals(c, op, &w, first, segs, GROUP_SSA);
    check_group(c, op, &w, first, segs, GROUP_SSA);
    check_indices(c, op, &w);
    if (c->failed) return;
    finish_operands(c, op, &w, NULL, first, segs);
    if (c->nwrong > 0) return;
    if (sig.nresults == 0 && nres > 0 && !sig.arrow) {
        const Type *t = first_tile_type(&w, ntypes);
        if (t == NULL && ntypes == 1 && w.n != 1 && type_is_tile(w.types[0])) t = w.types[0];
        if (t == NULL) {
            fail(c, DIAG_OPERAND_COUNT, op->name_span, "the result type of '%s' is not written",
                 op->inst->name);
            return;
        }
        for (unsigned i = 0; i < nres && i < MOST_SIGNATURE_RESULTS; i++) {
            sig.results[i] = t;
            sig.result_spans[i] = op->name_span;
        }
        sig.nresults = nres < MOST_SIGNATURE_RESULTS ? nres : MOST_SIGNATURE_RESULTS;
    }
    if (sig.nresults < nres) {
        fail(c, DIAG_OPERAND_COUNT, op->name_span, "'%s' has %u result%s, the signature has %u",
             op->inst->name, nres, nres == 1 ? "" : "s", sig.nresults);
        return;
    }
    finish_results(c, op, names, &sig, nres);
}

void bind_tile(Cursor *c, Op *op, const ResultNames *names) {
    if (peek_word(c, "ins") || peek_word(c, "outs"))
        bind_dps(c, op, names);
    else
        bind_ssa(c, op, names);
}
