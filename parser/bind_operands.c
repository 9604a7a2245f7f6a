/* SPDX-License-Identifier: Apache-2.0 */
/* Operands and results: values, literals, and the check of their types. */
#include "parser/bind_internal.h"
#include "parser/conversions.h"
#include "parser/parse.h"
#include "parser/type_places.h"

#include <string.h>

bool read_operand(Cursor *c, Operand *out) {
    if (c->failed || peek(c) != TOK_VALUE) {
        fail_expected(c, "a value");
        return false;
    }
    const Token *t = token_at(c->b, c->pos++);
    *out = (Operand){use_value(c->b, t), token_span(t)};
    if (peek(c) == TOK_BANG) { /* %t!loc=vec repeats a key of the type */
        c->pos++;
        if (!expect(c, TOK_WORD) || !expect(c, TOK_EQUAL)) return false;
        if (peek(c) != TOK_WORD && peek(c) != TOK_INT) fail_expected(c, "a property value");
        c->pos++;
    }
    return !c->failed;
}

unsigned read_values(Cursor *c, Operand *out, const char *what) {
    unsigned n = 0;
    while (!c->failed && peek(c) == TOK_VALUE) {
        if (n == MOST_ARGUMENTS) {
            fail(c, DIAG_OPERAND_COUNT, cursor_span(c), "more than %d %s", MOST_ARGUMENTS, what);
            break;
        }
        read_operand(c, &out[n++]);
        if (!accept(c, TOK_COMMA)) break;
    }
    return n;
}

bool at_literal(const Cursor *c) {
    TokenKind k = peek(c);
    return k == TOK_INT || k == TOK_FLOAT || (k == TOK_MINUS && peek_at(c, 1) != TOK_EOF);
}

static void note_literal(Binder *b, Value *v, const Attr *a) {
    if (b->nliterals == b->literals_cap)
        b->literals =
            ARENA_WIDEN(&b->ctx->keep, Literal, b->literals, &b->literals_cap, b->nliterals, 64);
    b->literals[b->nliterals++] = (Literal){v, a->kind == ATTR_INT && a->i >= 0 ? a->i : -1};
}

Value *literal_operand(Cursor *c, const Type *type) {
    Binder *b = c->b;
    Context *ctx = b->ctx;
    uint32_t first = c->pos;
    Span span = token_span(token_at(b, first));
    const Attr *a = read_plain_number(b, &c->pos, c->end, type);
    if (a == NULL) {
        c->failed = true;
        return error_value(b, 0);
    }
    bool want_float = type_is_float(type);
    if ((want_float && a->kind != ATTR_FLOAT) || (!want_float && a->kind != ATTR_INT)) {
        fail(c, DIAG_BAD_NUMBER, span, "expected %s literal for type '" TYPE_FMT "'",
             want_float ? "a float (with a '.')" : "an integer", TYPE_ARG(&ctx->names, type));
        return error_value(b, 0);
    }
    Attr *typed = ARENA_NEW(&ctx->arena, Attr);
    *typed = *a;
    typed->type = type;
    Op *op = op_new(ctx, &inst_table[INST_CONSTANT], span);
    op->attrs = ARENA_ARRAY(&ctx->arena, NamedAttr, 1);
    op->attrs[0] = attr_made(ctx, ATTR_value, typed);
    op->attrs[0].span = span;
    op->nattrs = 1;
    op->form = OPF_LITERAL;
    ctx->has_literals = true;
    op->nresults = 1;
    op->results = ARENA_ARRAY(&ctx->arena, Value, 1);
    op->results[0] = (Value){.type = type, .name_off = span.off, .def = op, .npack = 1};
    note_literal(b, &op->results[0], a);
    append_op(b, op);
    return &op->results[0];
}

bool read_late_operand(Cursor *c, Operand *o, uint32_t *literal) {
    const TokenKind number = peek_at(c, peek(c) == TOK_MINUS ? 1 : 0);
    *literal = 0;
    if (number != TOK_INT && number != TOK_FLOAT) return read_operand(c, o);
    *literal = c->pos + 1;
    *o = (Operand){NULL, cursor_span(c)};
    c->pos += peek(c) == TOK_MINUS ? 2 : 1;
    return true;
}

void settle_literal(Cursor *c, Operand *o, uint32_t literal, const Type *type) {
    if (literal == 0 || o->value != NULL || c->failed || type->kind != TY_SCALAR) return;
    const uint32_t back = c->pos;
    c->pos = literal - 1;
    o->value = literal_operand(c, type);
    c->pos = back;
}

void name_literals(Binder *b) {
    Context *ctx = b->ctx;
    for (uint32_t i = 0; i < b->nliterals; i++) {
        const Literal *l = &b->literals[i];
        const char *stem =
            l->number < 0 ? "cst" : arena_printf(&ctx->arena, "c%lld", (long long)l->number);
        Atom name = fresh_name(ctx, stem);
        if (l->value != NULL) l->value->name = name;
    }
}

/* ---- the check against slots and written types ---- */

/* Was an error about this operand of the statement reported, or the same kind of one about another
 * of its type? */
static bool is_wrong(const Cursor *c, const Operand *o) {
    for (unsigned i = 0; i < c->nwrong; i++) {
        const Wrong *w = &c->wrong[i];
        if (w->operand.value == NULL) continue;
        if (w->operand.span.off == o->span.off ||
            (w->d->id == DIAG_OPERAND_KIND && w->operand.value->type == o->value->type))
            return true;
    }
    return false;
}

/* Reports a literal where constants are not allowed. */
static bool is_stray_literal(Cursor *c, const Operand *o) {
    if (c->failed || o->value != NULL) return false;
    fail(c, DIAG_SYNTAX, o->span, "expected a value, found a literal");
    return true;
}

/* The one type that a slot takes; NULL when it takes several. */
static const Type *slot_only_type(Context *ctx, SlotKind kind) {
    if (kind == SLOT_INDEX) return type_scalar(ctx->types, ELEM_INDEX);
    return kind == SLOT_I64 ? type_scalar(ctx->types, ELEM_I64) : NULL;
}

/* Where the statement writes the type of the value; of length 0 when it does not. */
static Span own_type_place(const Context *ctx, const Op *op, const Operand *o) {
    Span place;
    const Type *written;
    bool found =
        operand_type_place(ctx, op, o, &place, &written) && type_same(written, o->value->type);
    return found ? place : (Span){0, 0};
}

/* Have all operands of the statement, read or not, one type? Not with `overflow<..>` and such,
 * which are of one instruction. */
static bool operands_alike(const Cursor *c, uint32_t start, const Type *type) {
    for (uint32_t i = c->end; i > c->b->buf->base && token_at(c->b, i - 1)->off > start; i--) {
        const Token *t = token_at(c->b, i - 1);
        const Value *v = t->kind == TOK_VALUE ? lookup_name(c->b, t->atom) : NULL;
        bool other = t->kind == TOK_VALUE && (v == NULL || !type_same(v->type, type));
        if (other || t->kind == TOK_ANGLE) return false;
    }
    return true;
}

/* An instruction for integers that got floats. */
static void offer_for_floats(Cursor *c, const Op *op, const Operand *o, Diag *d) {
    InstList others = op->inst->rare->others;
    if (o->value->type->kind != TY_SCALAR || !type_is_float(o->value->type) ||
        op->form == OPF_GENERIC || !operands_alike(c, op->name_span.off, o->value->type))
        return;
    const Inst *other = next_inst(&others);
    if (other != NULL) offer_instruction(c->b->ctx, d, op, other);
}

/* Does the instruction take a number there, or after optional operands that come before? */
static bool takes_number(const Inst *inst, int slot, const Type *number) {
    for (int s = slot; s < inst->nslots && (s == slot || slot > 0); s++)
        if (slot_accepts((SlotKind)inst->slots[s].kind, number)) return true;
    return false;
}

/* A number where a tile is due: the instruction that takes a number there. */
static void offer_for_number(Cursor *c, const Op *op, int slot, const Operand *o, Diag *d) {
    InstList others = op->inst->rare->others;
    if (o->value->type->kind != TY_SCALAR || op->form == OPF_GENERIC) return;
    for (const Inst *other; (other = next_inst(&others)) != NULL;)
        if (takes_number(other, slot, o->value->type)) {
            if (offer_instruction(c->b->ctx, d, op, other))
                diag_note(&c->b->ctx->diags, d, "did you mean '%s'?", other->name);
            return;
        }
}

static void write_at(Cursor *c, Diag *d, Span at, Span text) {
    const Context *ctx = c->b->ctx;
    diag_edit(&c->b->ctx->diags, d, at, "%.*s", (int)text.len, ctx->source->data + text.off);
}

/* Two operands of which each has the kind that the other needs: one error, whose fix exchanges
 * them. */
static void exchange(Cursor *c, const Op *op, const Operand *o, int slot, Diag *d) {
    Context *ctx = c->b->ctx;
    for (unsigned i = 0; i + 1 < c->nwrong; i++) {
        const Wrong *w = &c->wrong[i];
        if (w->d->id != DIAG_OPERAND_KIND || w->operand.value == NULL ||
            !slot_accepts((SlotKind)w->kind, o->value->type) ||
            !slot_accepts((SlotKind)op->inst->slots[slot].kind, w->operand.value->type))
            continue;
        const Span mine = own_type_place(ctx, op, o), its = own_type_place(ctx, op, &w->operand);
        w->d->edits = NULL;
        write_at(c, w->d, o->span, w->operand.span);
        write_at(c, w->d, w->operand.span, o->span);
        if (mine.len > 0 && its.len > 0) {
            write_at(c, w->d, mine, its);
            write_at(c, w->d, its, mine);
        }
        diag_merge(&ctx->diags, w->d, d, "exchanged with this operand?");
        return;
    }
}

void check_slot(Cursor *c, const Op *op, int slot, const Operand *o) {
    const SlotInfo *info = &op->inst->slots[slot];
    if (is_stray_literal(c, o)) return;
    forward_slot(c->b, o, (SlotKind)info->kind);
    const Type *only = slot_only_type(c->b->ctx, (SlotKind)info->kind);
    if (c->failed) return; /* the operand may have no value */
    if (is_error(o->value) && only != NULL) odd_constant_use(c->b, o->value, only);
    if (slot_accepts((SlotKind)info->kind, o->value->type) || is_wrong(c, o)) return;
    Diag *d = fail_part(c, o, DIAG_OPERAND_KIND, o->span,
                        "'%s': %s must be %s, found '" TYPE_FMT "'", op->inst->name, info->name,
                        slot_types[info->kind].text, TYPE_ARG(&c->b->ctx->names, o->value->type));
    d->operand = info->name;
    if (info->kind == SLOT_INT || info->kind == SLOT_INTEGER) offer_for_floats(c, op, o, d);
    if (info->kind == SLOT_TILE) offer_for_number(c, op, slot, o, d);
    if (only != NULL) mismatch_needed(c, o, only, own_type_place(c->b->ctx, op, o), d);
    if (c->nwrong == 0 || c->wrong[c->nwrong - 1].d != d) return;
    c->wrong[c->nwrong - 1].kind = info->kind;
    exchange(c, op, o, slot, d);
}

/* Does the value lack a cast to the written type, rather than the text the type of the value? */
static bool lacks_cast(const Cursor *c, const Value *v, const Type *written) {
    if (c->inst == NULL || c->start == UINT32_MAX || !is_castable(v->type, written)) return false;
    const bool arith = c->inst->family == FAM_ARITH;
    if (!type_is_index(v->type) && !type_is_index(written)) return arith && c->inst->nslots > 1;
    if (arith && c->inst->nslots == 1) return c->inst != &inst_table[INST_INDEX_CAST];
    return !arith || !operands_alike(c, c->start, v->type);
}

void check_other_type(Cursor *c, const Operand *o, const Type *written, Span span) {
    if (is_stray_literal(c, o)) return;
    forward_type(o, written);
    if (c->failed) return; /* the operand may have no value */
    if (is_error(o->value)) odd_constant_use(c->b, o->value, written);
    if (is_error(o->value) || type_compatible(o->value->type, written) || is_wrong(c, o)) return;
    const Interner *names = &c->b->ctx->names;
    const Value *v = o->value;
    bool literal = v->name == 0;              /* it has no name yet */
    bool unwritten = span.off == o->span.off; /* the text has no type there */
    Diag *d = fail_part(
        c, o, DIAG_TYPE_MISMATCH, span, "%s%.*s has type '" TYPE_FMT "', %s '" TYPE_FMT "'",
        literal ? "the literal" : "%", (int)atom_len(names, v->name), atom_text(names, v->name),
        TYPE_ARG(names, v->type), unwritten ? "expected" : "written as", TYPE_ARG(names, written));
    if (unwritten) {
        d->expected = arena_printf(&c->b->ctx->arena, TYPE_FMT, TYPE_ARG(names, written));
        d->found = arena_printf(&c->b->ctx->arena, TYPE_FMT, TYPE_ARG(names, v->type));
    }
    diag_note_at(&c->b->ctx->diags, d, literal ? o->span : name_span(c->b, v->name, v->name_off),
                 literal ? "the literal" : "defined here");
    if (unwritten || lacks_cast(c, v, written)) {
        mismatch_needed(c, o, written, (Span){0, 0}, d);
        return;
    }
    StrBuf text;
    sb_init(&text, &c->b->ctx->arena);
    sb_printf(&text, TYPE_FMT, TYPE_ARG(names, o->value->type));
    diag_edit(&c->b->ctx->diags, d, span, "%s", sb_text(&text));
    mismatch_note(c->b, o->value, written, d);
}

/* ---- parts of the operation ---- */

void set_operands(Binder *b, Op *op, const Operand *flat, unsigned n, const uint16_t *segs) {
    op->noperands = (uint16_t)n;
    if (n != 0) {
        op->operands = arena_alloc(&b->ctx->arena, n * sizeof(Operand), 8);
        memcpy(op->operands, flat, n * sizeof(Operand));
    }
    bool plain = true;
    for (int s = 0; s < op->inst->nslots; s++)
        plain &= op->inst->slots[s].arity == ARITY_ONE;
    if (op->inst->form == FORM_TILE && (op->inst->flags & IF_OPT_RESULT) != 0)
        plain = false; /* the number of results does not determine the form */
    if (segs == NULL || plain) return;
    op->segs = ARENA_ARRAY(&b->ctx->arena, uint16_t, op->inst->nslots);
    memcpy(op->segs, segs, op->inst->nslots * sizeof *segs);
}

void set_results(Cursor *c, Op *op, const ResultNames *names, const Type *const *types,
                 unsigned n) {
    Binder *b = c->b;
    if (c->failed || c->nwrong > 0) return;
    if (names->count != n && names->count != 0) {
        fail(c, DIAG_OPERAND_COUNT, token_span(token_at(b, names->first)),
             "'%s' has %u result%s, the statement names %u", op->inst->name, n, n == 1 ? "" : "s",
             names->count);
        return;
    }
    if (n == 0) return;
    if (n > MOST_RESULTS) {
        fail(c, DIAG_OPERAND_COUNT, op->name_span, "more than %d results", MOST_RESULTS);
        return;
    }
    op->results = ARENA_ARRAY(&b->ctx->arena, Value, n);
    op->nresults = (uint8_t)n;
    for (unsigned i = 0; i < n; i++)
        op->results[i] = (Value){.type = types[i], .def = op, .index = (uint16_t)i, .npack = 1};
    unsigned r = 0;
    for (uint32_t i = names->first; i <= names->last && names->count != 0; i += 2) {
        const Token *t = token_at(b, i);
        for (unsigned k = 0; k < t->number; k++, r++) {
            op->results[r].name = t->atom;
            op->results[r].name_off = t->off;
            op->results[r].pack = (uint8_t)k;
            op->results[r].npack = t->number;
        }
        define_value(b, &op->results[r - t->number], token_span(t));
    }
}
