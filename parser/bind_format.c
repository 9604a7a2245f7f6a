/* SPDX-License-Identifier: Apache-2.0 */
/* Binds statements along a format string (Inst.format). */
#include "parser/bind_format.h"
#include "ir/format.h"
#include "ir/infer.h"

#include <stdio.h>
#include <string.h>

static void push_operand(FormatBinder *f, Operand o) {
    if (f->n == f->cap)
        f->ops = ARENA_WIDEN(&f->c->b->ctx->arena, Operand, f->ops, &f->cap, f->n, FEW);
    if (f->n == MOST) {
        fail(f->c, DIAG_OPERAND_COUNT, o.span, "more than %d operands", MOST);
        return;
    }
    f->ops[f->n++] = o;
}

/* Reads a value or a literal, which becomes a constant of the slot's type or of one that is read
 * later. */
static bool read_literal_operand(FormatBinder *f, SlotKind kind, Operand *o) {
    Cursor *c = f->c;
    const bool index = kind == SLOT_INDEX;
    if (at_literal(c) && (index || kind == SLOT_I64)) {
        o->span = cursor_span(c);
        o->value = literal_operand(c, type_scalar(c->b->ctx->types, index ? ELEM_INDEX : ELEM_I64));
        return true;
    }
    uint32_t literal = 0;
    if (!slot_takes_literal(kind)) return read_operand(c, o);
    if (!read_late_operand(c, o, &literal)) return false;
    if (literal == 0) return true;
    if (f->nlate == f->late_cap)
        f->late = ARENA_WIDEN(&c->b->ctx->arena, Late, f->late, &f->late_cap, f->nlate, 8);
    f->late[f->nlate++] = (Late){f->n, literal};
    return true;
}

/* Gives operand `i`, if it is a literal, its type. */
static void settle(FormatBinder *f, unsigned i, const Type *type) {
    unsigned lo = 0, hi = f->ops[i].value == NULL ? f->nlate : 0;
    while (lo < hi) {
        const unsigned mid = lo + (hi - lo) / 2;
        if (f->late[mid].operand < i)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo < f->nlate && f->late[lo].operand == i)
        settle_literal(f->c, &f->ops[i], f->late[lo].token, type);
}

void read_slot_operand(FormatBinder *f, int slot) {
    Cursor *c = f->c;
    SlotKind kind = (SlotKind)f->op->inst->slots[slot].kind;
    Operand o;
    if (c->pos + 1 < c->end && peek(c) == TOK_VALUE && peek_at(c, 1) != TOK_BANG) {
        const Token *t = token_at(c->b, c->pos++);
        o = (Operand){use_value(c->b, t), token_span(t)};
    } else if (!read_literal_operand(f, kind, &o)) {
        return;
    }
    /* Reports a wrong kind, or gives a type to a value that is defined later. */
    if (o.value != NULL && (!slot_accepts(kind, o.value->type) || is_error(o.value)))
        check_slot(c, f->op, slot, &o);
    push_operand(f, o);
    f->count[slot]++;
}

void read_slot(FormatBinder *f, int slot) {
    Cursor *c = f->c;
    f->first[slot] = (uint16_t)f->n;
    if (f->op->inst->slots[slot].arity != ARITY_VAR) {
        read_slot_operand(f, slot);
        return;
    }
    while (!c->failed && (peek(c) == TOK_VALUE || at_literal(c))) {
        read_slot_operand(f, slot);
        if (!accept(c, TOK_COMMA)) return;
        if (peek(c) != TOK_VALUE && !at_literal(c)) fail_expected(c, "a value");
    }
}

/* Reads the type of an operand or result, which a diagnostic about the type names. */
static const Type *read_type_of(Cursor *c, const char *name) {
    Diag *const *before = c->b->ctx->diags.last;
    const Type *t = read_type(c);
    if (t == NULL && *before != NULL) (*before)->operand = name;
    return t;
}

/* Reads the type of operand `i`, which is of this slot. */
void read_type_at(FormatBinder *f, int slot, unsigned i) {
    Cursor *c = f->c;
    Span span = cursor_span(c);
    const Type *t = read_type_of(c, f->op->inst->slots[slot].name);
    if (t == NULL) return;
    f->written = t;
    settle(f, i, t);
    check_written_type(c, &f->ops[i], t, span);
}

static void read_slot_types(FormatBinder *f, int slot) {
    Cursor *c = f->c;
    for (unsigned i = 0; i < f->count[slot] && !c->failed; i++) {
        if (i > 0 && !expect(c, TOK_COMMA)) return;
        read_type_at(f, slot, f->first[slot] + i);
    }
}

static TokenKind punctuation(char c) {
    static const uint8_t kinds[128] = {
        [','] = TOK_COMMA,       [':'] = TOK_COLON,        ['='] = TOK_EQUAL,  ['['] = TOK_LBRACKET,
        [']'] = TOK_RBRACKET,    ['('] = TOK_LPAREN,       [')'] = TOK_RPAREN, ['-'] = TOK_ARROW,
        ['<'] = TOK_LAUNCH_OPEN, ['>'] = TOK_LAUNCH_CLOSE,
    };
    return (TokenKind)kinds[(unsigned char)c & 127];
}

static bool literal_matches_at(const Cursor *c, const FmtElem *e, unsigned ahead) {
    if (c->pos + ahead >= c->end) return false;
    const Token *t = token_at(c->b, c->pos + ahead);
    if (e->word) return t->kind == TOK_WORD && t->atom == e->atom;
    return t->kind == punctuation(e->text[0]);
}

static bool literal_matches(const Cursor *c, const FmtElem *e) {
    return literal_matches_at(c, e, 0);
}

static void read_literal(FormatBinder *f, const FmtElem *e) {
    Cursor *c = f->c;
    if (literal_matches(c, e)) {
        c->pos++;
        return;
    }
    char quoted[32] = "'";
    memcpy(quoted + 1, e->text, e->len);
    memcpy(quoted + 1 + e->len, "'", 2);
    fail_expected(c, quoted);
}

static bool attr_is_number(const FormatBinder *f, const FmtElem *e) {
    AttrType type = (AttrType)f->op->inst->attrs[e->index].type;
    return type == AT_INT || type == AT_I32;
}

/* True when the token after the literal of an optional part fits it: a number for an attribute, a
 * value for an operand, the next word. */
static bool option_fits(const FormatBinder *f, const FmtElem *e) {
    TokenKind k = peek_at(f->c, 1);
    if (e->kind == FMT_SLOT)
        return k == TOK_VALUE || k == TOK_INT || k == TOK_MINUS || k == TOK_FLOAT;
    if (e->kind == FMT_LITERAL && e->word) return literal_matches_at(f->c, e, 1);
    if (e->kind == FMT_ATTR && attr_is_number(f, e)) return k == TOK_INT || k == TOK_MINUS;
    /* Types follow operands, so their presence is known. */
    return e->kind != FMT_TYPE || f->count[e->index] > 0;
}

/* True when the optional part that begins with element `e` is present. */
static bool option_present(const FormatBinder *f, const FmtElem *e) {
    const Cursor *c = f->c;
    switch ((FmtKind)e->kind) {
    case FMT_LITERAL:
        return literal_matches(c, e) && option_fits(f, e + 1);
    case FMT_SLOT:
        return peek(c) == TOK_VALUE && /* with a comma after it: an additional first operand */
               (e[1].kind != FMT_LITERAL || e[1].text[0] != ',' || peek_at(c, 1) == TOK_COMMA);
    case FMT_TYPE: /* an additional first type, followed by a comma */
        return peek_at(c, 1) == TOK_COMMA;
    case FMT_ATTR:
        return attr_is_number(f, e)
                   ? at_literal(c)
                   : peek(c) == TOK_WORD && f->op->inst->attrs[e->index].type == AT_WORD;
    default:
        return false;
    }
}

/* True when the operand after the comma is a value that the slot of element `e` accepts. */
static bool operand_fits(const FormatBinder *f, const FmtElem *e) {
    const Cursor *c = f->c;
    if (!literal_matches(c, e) || peek_at(c, 1) != TOK_VALUE) return false;
    const Value *v = lookup_name(c->b, token_at(c->b, c->pos + 1)->atom);
    return v != NULL && slot_accepts((SlotKind)f->op->inst->slots[e[1].index].kind, v->type);
}

/* Reads an optional comma, or an optional pair of brackets. */
static void read_soft(FormatBinder *f, const FmtElem *e) {
    bool close = e->text[0] == ']';
    if (close && !f->brackets) return;
    bool there = accept(f->c, punctuation(e->text[0]));
    if (e->text[0] == '[') f->brackets = there;
    if (close && !there) fail_expected(f->c, "']'");
}

/* Reads a number in place, without a type: a `:` begins the types of the statement. */
static const Attr *number_in_place(Cursor *c, const AttrInfo *info) {
    const Type *type = info->type == AT_I32 ? type_scalar(c->b->ctx->types, ELEM_I32) : NULL;
    bool number = peek(c) == TOK_INT || (peek(c) == TOK_MINUS && peek_at(c, 1) == TOK_INT);
    if (!number) {
        fail_expected(c, "an integer");
        return NULL;
    }
    const Attr *a = read_plain_number(c->b, &c->pos, c->end, type);
    if (a == NULL || a->kind != ATTR_INT) {
        c->failed = true;
        return NULL;
    }
    Attr *typed = ARENA_NEW(&c->b->ctx->arena, Attr);
    *typed = *a;
    typed->type = type;
    return typed;
}

/* Reads `[0, 1]`, which is array<i64: 0, 1> in a dictionary. */
static const Attr *list_in_place(Cursor *c) {
    Span span = cursor_span(c);
    if (peek(c) != TOK_LBRACKET) {
        fail_expected(c, "'['");
        return NULL;
    }
    const Attr *a = read_attr(c->b, &c->pos, c->end);
    c->failed |= a == NULL; /* already reported */
    if (c->failed) return NULL;
    for (uint32_t i = 0; i < a->n; i++)
        if (a->items[i]->kind != ATTR_INT) {
            fail(c, DIAG_BAD_ATTRIBUTE, span, "expected a list of integers");
            return NULL;
        }
    Attr *list = ARENA_NEW(&c->b->ctx->arena, Attr);
    *list = *a;
    list->kind = ATTR_DENSE;
    list->type = type_scalar(c->b->ctx->types, ELEM_I64);
    return list;
}

/* Returns the operand in elements [first, last] that the word at the cursor names; NULL after a
 * message. */
static const FmtElem *find_named(FormatBinder *f, unsigned first, unsigned last) {
    Cursor *c = f->c;
    const Token *t = token_at(c->b, c->pos);
    const Interner *names = &c->b->ctx->names;
    for (unsigned i = first; i <= last; i++) {
        const FmtElem *e = &f->format->elems[i];
        if (t->atom != e->atom) continue;
        if (f->count[e->index] == 0) return e;
        fail(c, DIAG_OPERAND_COUNT, token_span(t), "'%s': %.*s is given twice", f->op->inst->name,
             (int)atom_len(names, t->atom), atom_text(names, t->atom));
        return NULL;
    }
    fail(c, DIAG_SYNTAX, token_span(t), "'%s' has no operand '%.*s'", f->op->inst->name,
         shown_len(t->len), atom_text(names, t->atom));
    return NULL;
}

/* Reads `x = %v : T, y = %w : T` in any order, each at most once. Returns the last of these
 * elements. */
static unsigned read_named(FormatBinder *f, unsigned first) {
    Cursor *c = f->c;
    unsigned last = first;
    while (last + 1 < f->format->n && f->format->elems[last + 1].kind == FMT_NAMED)
        last++;
    if (peek(c) == TOK_RPAREN) return last;
    do {
        if (peek(c) != TOK_WORD) {
            fail_expected(c, "the name of an operand");
            break;
        }
        const FmtElem *e = find_named(f, first, last);
        if (e == NULL) break;
        c->pos++;
        if (!expect(c, TOK_EQUAL)) break;
        read_slot(f, e->index);
        if (expect(c, TOK_COLON)) read_slot_types(f, e->index);
    } while (!c->failed && accept(c, TOK_COMMA));
    return last;
}

void read_attr_element(FormatBinder *f, int attr) {
    Cursor *c = f->c;
    const AttrInfo *info = &f->op->inst->attrs[attr];
    Span span = cursor_span(c);
    bool number = info->type == AT_INT || info->type == AT_I32;
    const Attr *a = number                      ? number_in_place(c, info)
                    : info->type == AT_INT_LIST ? list_in_place(c)
                                                : read_in_place(c, info);
    if (a != NULL)
        add_attr(c, f->op, intern(&c->b->ctx->names, info->name, strlen(info->name)), span, a);
}

/* Reads an attribute again that the format has twice; `first` may be NULL after an error
 * in it. */
static void read_again(FormatBinder *f, const NamedAttr *first) {
    Cursor *c = f->c;
    if (first == NULL || c->nwrong > 0) {
        c->pos++;
        return;
    }
    const int attr = attr_named(c->b->ctx, f->op, first->name);
    const Span span = cursor_span(c);
    const Attr *a = read_in_place(c, &f->op->inst->attrs[attr]);
    if (a != NULL && !attr_equal(a, first->value))
        fail(c, DIAG_BAD_ATTRIBUTE, span, "'%s': %s differs from the one before", f->op->inst->name,
             f->op->inst->attrs[attr].name);
}

static void read_dict_if(FormatBinder *f) {
    if (!f->c->failed && peek(f->c) == TOK_DICT_OPEN) read_dict(f->c, f->op);
}

/* Reads a dictionary that allows only the row's attributes. */
static void read_strict_dict(FormatBinder *f) {
    Cursor *c = f->c;
    const Interner *names = &c->b->ctx->names;
    if (peek(c) != TOK_DICT_OPEN) {
        fail_expected(c, "'{' and the attributes");
        return;
    }
    unsigned before = f->op->nattrs;
    read_dict(c, f->op);
    for (unsigned i = before; i < f->op->nattrs && !c->failed; i++) {
        const NamedAttr *a = &f->op->attrs[i];
        if (inst_attr(f->op->inst, (AttrName)a->id) < 0)
            fail(c, DIAG_UNKNOWN_ATTRIBUTE, a->span, "'%s' has no attribute '%.*s'",
                 f->op->inst->name, (int)atom_len(names, a->name), atom_text(names, a->name));
    }
}

/* True when the attribute of element `at` has another element before it. */
static bool is_again(const FormatBinder *f, unsigned at) {
    const FmtElem *elems = f->format->elems;
    for (unsigned i = 0; i < at; i++)
        if (elems[i].kind == FMT_ATTR && elems[i].index == elems[at].index) return true;
    return false;
}

static void walk(FormatBinder *f) {
    Cursor *c = f->c;
    for (unsigned i = 0; i < f->format->n && !c->failed; i++) {
        const FmtElem *e = &f->format->elems[i];
        switch ((FmtKind)e->kind) {
        case FMT_SLOT:
            read_slot(f, e->index);
            break;
        case FMT_TYPE:
            read_slot_types(f, e->index);
            break;
        case FMT_RESULT:
            f->results[e->index] = read_type_of(c, f->op->inst->results[e->index].name);
            break;
        case FMT_ATTR:
            /* not where the one before is in an optional part that is absent */
            if ((op_attr(f->op, e->index) != NULL || c->nwrong > 0) && is_again(f, i))
                read_again(f, op_attr(f->op, e->index));
            else
                read_attr_element(f, e->index);
            break;
        case FMT_DICT:
            if (e->strict)
                read_strict_dict(f);
            else
                read_dict_if(f);
            break;
        case FMT_NAMED:
            i = read_named(f, i);
            break;
        case FMT_GROUPS:
            read_groups(f, e);
            break;
        case FMT_GROUP_TYPES:
            read_group_types(f, e);
            break;
        case FMT_CHOICE:
            read_choice(f, e);
            break;
        case FMT_CHOICE_TYPES:
            read_choice_types(f, e);
            break;
        case FMT_CLAUSE_OPEN:
            if (clause_present(f, i))
                c->pos += e->comma;
            else
                i = e->index;
            break;
        case FMT_CLAUSE_END:
            read_clauses_end(f);
            break;
        case FMT_VALUE:
            read_value(f, e);
            break;
        case FMT_LITERAL:
            read_literal(f, e);
            break;
        case FMT_SOFT:
            read_soft(f, e);
            break;
        case FMT_OPT_OPEN:
            f->taken = e->fits ? operand_fits(f, e + 1) : option_present(f, e + 1);
            if (!f->taken) i = e->index;
            break;
        case FMT_ELSE_OPEN:
            if (f->taken) i = e->index;
            break;
        case FMT_OPT_CLOSE:
            f->taken = true;
            break;
        }
    }
    /* The dictionary at the end may be split in two. */
    const Format *format = f->format;
    if (format->n > 0 && format->elems[format->n - 1].kind == FMT_DICT) read_dict_if(f);
}

/* Gives the literals whose type is not written that of the other operands. */
static void settle_others(FormatBinder *f) {
    const Inst *inst = f->op->inst;
    const Type *i64 = type_scalar(f->c->b->ctx->types, ELEM_I64);
    for (int s = 0; s < inst->nslots && f->nlate > 0; s++) {
        const SlotKind kind = (SlotKind)inst->slots[s].kind;
        const bool fits =
            f->written != NULL && f->written->kind == TY_SCALAR && slot_accepts(kind, f->written);
        for (unsigned i = f->first[s]; i < (unsigned)f->first[s] + f->count[s]; i++) {
            if (fits || kind == SLOT_INT || kind == SLOT_INTEGER)
                settle(f, i, fits ? f->written : i64);
            check_slot(f->c, f->op, s, &f->ops[i]);
        }
    }
}

/* Puts operands into the order of slots, from which a format differs only where types repeat. */
static void order_operands(FormatBinder *f) {
    const Inst *inst = f->op->inst;
    for (unsigned i = 0; i < f->n && f->written != NULL; i++)
        forward_type(&f->ops[i], f->written); /* one type for all: `%a, %b : T` */
    bool ordered = true;
    unsigned at = 0;
    for (int s = 0; s < inst->nslots; s++) {
        ordered &= f->count[s] == 0 || f->first[s] == at;
        at += f->count[s];
    }
    if (!ordered) {
        Operand *flat = ARENA_ARRAY(&f->c->b->ctx->arena, Operand, f->n);
        at = 0;
        for (int s = 0; s < inst->nslots; s++)
            for (unsigned i = 0; i < f->count[s]; i++)
                flat[at++] = f->ops[f->first[s] + i];
        f->ops = flat;
    }
    set_operands(f->c->b, f->op, f->ops, f->n, f->count);
}

static void add_results(FormatBinder *f, const ResultNames *names) {
    Cursor *c = f->c;
    const Inst *inst = f->op->inst;
    unsigned n = inst->nresults;
    while (n > 0 && inst->results[n - 1].optional && f->results[n - 1] == NULL)
        n--;
    for (unsigned r = 0; r < n && !c->failed; r++) {
        if (f->results[r] == NULL) f->results[r] = infer_result_type(c->b->ctx, f->op, (int)r);
        if (f->results[r] == NULL) {
            bool lost = f->n > 0 && is_error(&f->ops[0].value[0]);
            if (lost)
                f->results[r] = c->b->error_type;
            else
                fail(c, DIAG_SYNTAX, f->op->name_span, "'%s': the type of the result is missing",
                     inst->name);
        } else if (!slot_accepts((SlotKind)inst->results[r].kind, f->results[r])) {
            fail(c, DIAG_OPERAND_KIND, f->op->name_span,
                 "'%s': the result must be %s, found '" TYPE_FMT "'", inst->name,
                 slot_types[inst->results[r].kind].text,
                 TYPE_ARG(&c->b->ctx->names, f->results[r]));
        }
    }
    set_results(c, f->op, names, f->results, n);
}

/* Adds the attributes that the text leaves out, with their defaults. */
static void fill_attrs(Cursor *c, Op *op) {
    Context *ctx = c->b->ctx;
    for (int i = 0; i < op->inst->nattrs; i++) {
        const AttrInfo *info = &op->inst->attrs[i];
        if (op_attr(op, i) != NULL) continue;
        Attr *a = ARENA_NEW(&ctx->arena, Attr);
        *a = (Attr){.kind = ATTR_ENUM, .family = info->family, .i = info->dflt};
        add_attr(c, op, intern(&ctx->names, info->name, strlen(info->name)), op->name_span, a);
    }
}

void bind_format(Cursor *c, Op *op, const ResultNames *names) {
    FormatBinder f;
    f.c = c;
    f.op = op;
    f.format = inst_format(c->b->ctx, op->inst);
    f.ops = f.few;
    f.n = 0;
    f.cap = FEW;
    f.late = NULL;
    f.nlate = f.late_cap = 0;
    f.taken = f.brackets = false;
    f.written = NULL;
    memset(f.first, 0, sizeof f.first);
    memset(f.count, 0, sizeof f.count);
    memset(f.results, 0, sizeof f.results);
    walk(&f);
    if (!c->failed) settle_others(&f);
    if (c->failed) return;
    if ((op->inst->flags & IF_FILLS) != 0) fill_attrs(c, op);
    order_operands(&f);
    if (c->nwrong == 0) add_results(&f, names);
}
