/* SPDX-License-Identifier: Apache-2.0 */
/* Clauses, groups and choices of formats (ir/format.h). */
#include "parser/bind_format.h"
#include "support/near.h"

#include <stdio.h>
#include <string.h>

/* ---- clauses ---- */

/* True when the clause begins with the word `ahead` tokens from the cursor; with `whole` also a
 * bracket follows if the clause has one. */
static bool begins_clause(const FormatBinder *f, unsigned open, unsigned ahead, bool whole) {
    const Cursor *c = f->c;
    const FmtElem *e = &f->format->elems[open + 1];
    if (token_at(c->b, c->pos + ahead)->atom != e->atom) return false;
    const bool bracket = e[1].kind == FMT_LITERAL && e[1].text[0] == '(';
    return !whole || !bracket || peek_at(c, ahead + 1) == TOK_LPAREN;
}

/* Returns the opening element of the clause that the word `ahead` begins, from element `i` on; the
 * number of elements if there is none. */
static unsigned clause_at(const FormatBinder *f, unsigned i, unsigned ahead) {
    const FmtElem *elems = f->format->elems;
    unsigned same_word = f->format->n;
    for (; i < f->format->n && elems[i].kind == FMT_CLAUSE_OPEN; i = elems[i].index + 1u) {
        if (begins_clause(f, i, ahead, true)) return i;
        if (same_word == f->format->n && begins_clause(f, i, ahead, false)) same_word = i;
    }
    return same_word;
}

/* True when the clause was read. */
static bool clause_given(const FormatBinder *f, unsigned open) {
    for (unsigned i = open + 1; i < f->format->elems[open].index; i++) {
        const FmtElem *e = &f->format->elems[i];
        if (e->kind == FMT_VALUE) return format_has_value(f->op, e);
        if (e->kind == FMT_SLOT && f->count[e->index] > 0) return true;
        if (e->kind == FMT_ATTR && op_attr(f->op, e->index) != NULL) return true;
    }
    return false;
}

/* Returns the element of a clause that gives an attribute a value; NULL: none. */
static const FmtElem *clause_value(const FormatBinder *f, unsigned open) {
    const FmtElem *elems = f->format->elems;
    for (unsigned i = open + 1; i < elems[open].index; i++)
        if (elems[i].kind == FMT_VALUE) return &elems[i];
    return NULL;
}

static unsigned first_clause(const FormatBinder *f) {
    unsigned i = 0;
    while (f->format->elems[i].kind != FMT_CLAUSE_OPEN)
        i++;
    return i;
}

/* Returns a clause that was read and gives the same attribute another value; 0: none. */
static unsigned rival_of(const FormatBinder *f, unsigned open) {
    const FmtElem *elems = f->format->elems, *mine = clause_value(f, open);
    for (unsigned i = first_clause(f); mine != NULL && elems[i].kind == FMT_CLAUSE_OPEN;
         i = elems[i].index + 1u) {
        const FmtElem *value = clause_value(f, i);
        if (value != NULL && i != open && value->index == mine->index && clause_given(f, i))
            return i;
    }
    return 0;
}

/* Returns the first clause that was read and belongs after clause `open`; 0: none. */
static unsigned given_after(const FormatBinder *f, unsigned open) {
    const FmtElem *elems = f->format->elems;
    for (unsigned i = elems[open].index + 1u; elems[i].kind == FMT_CLAUSE_OPEN;
         i = elems[i].index + 1u)
        if (clause_given(f, i)) return i;
    return 0;
}

static void report_unknown_clause(FormatBinder *f, unsigned ahead) {
    enum { MOST_CLAUSES = 24 };
    Context *ctx = f->c->b->ctx;
    const FmtElem *elems = f->format->elems;
    const char *words[MOST_CLAUSES];
    unsigned n = 0;
    Atom last = 0;
    for (unsigned i = first_clause(f); elems[i].kind == FMT_CLAUSE_OPEN && n < MOST_CLAUSES;
         i = elems[i].index + 1u) {
        const FmtElem *e = &elems[i + 1];
        if (e->atom != last) words[n++] = arena_printf(&ctx->arena, "%.*s", e->len, e->text);
        last = e->atom;
    }
    const Token *t = token_at(f->c->b, f->c->pos + ahead);
    const char *name = atom_text(&ctx->names, t->atom);
    const size_t len = atom_len(&ctx->names, t->atom);
    Diag *d = fail_part(f->c, NULL, DIAG_SYNTAX, token_span(t),
                        "'%s' has no clause '%.*s'; its clauses are %s", f->op->inst->name,
                        shown_len(len), name, words_listed(&ctx->arena, words, n));
    diag_near_word(&ctx->diags, d, token_span(t), name, len, words, n);
    f->c->failed = true;
}

/* Reports a word that begins no clause that may follow. */
static void report_clause(FormatBinder *f, unsigned ahead) {
    Cursor *c = f->c;
    const FmtElem *elems = f->format->elems;
    const char *name = f->op->inst->name;
    const unsigned found = clause_at(f, first_clause(f), ahead);
    if (found == f->format->n) {
        report_unknown_clause(f, ahead);
        return;
    }
    const Span at = token_span(token_at(c->b, c->pos + ahead));
    const FmtElem *e = &elems[found + 1];
    const unsigned rival = rival_of(f, found), after = given_after(f, found);
    if (clause_given(f, found) || (rival != 0 && elems[rival + 1].atom == e->atom))
        fail(c, DIAG_SYNTAX, at, "'%s': clause '%.*s' is given twice", name, e->len, e->text);
    else if (rival != 0)
        fail(c, DIAG_SYNTAX, at, "'%s': clauses '%.*s' and '%.*s' exclude each other", name,
             elems[rival + 1].len, elems[rival + 1].text, e->len, e->text);
    else
        fail(c, DIAG_SYNTAX, at, "'%s': clause '%.*s' must be before '%.*s'", name, e->len, e->text,
             elems[after + 1].len, elems[after + 1].text);
}

bool clause_present(FormatBinder *f, unsigned open) {
    const unsigned ahead = f->format->elems[open].comma;
    const Cursor *c = f->c;
    if ((ahead > 0 && peek(c) != TOK_COMMA) || peek_at(c, ahead) != TOK_WORD) return false;
    if (clause_at(f, open, ahead) != open) return false;
    if (rival_of(f, open) == 0) return true;
    report_clause(f, ahead);
    return false;
}

void read_clauses_end(FormatBinder *f) {
    Cursor *c = f->c;
    const unsigned ahead = f->format->elems[first_clause(f)].comma;
    if (ahead > 0 && peek(c) != TOK_COMMA) return;
    if (peek_at(c, ahead) == TOK_WORD) {
        report_clause(f, ahead);
    } else if (ahead > 0) {
        c->pos++;
        fail_expected(c, "a clause");
    }
}

void read_value(FormatBinder *f, const FmtElem *e) {
    static const Attr unit = {.kind = ATTR_UNIT};
    Cursor *c = f->c;
    const AttrInfo *info = &f->op->inst->attrs[e->index];
    if (peek(c) != TOK_WORD || token_at(c->b, c->pos)->atom != e->atom) {
        char quoted[32];
        snprintf(quoted, sizeof quoted, "'%.*s'", e->len, e->text);
        fail_expected(c, quoted);
    } else if (info->type != AT_UNIT) {
        read_attr_element(f, e->index);
    } else {
        add_attr(c, f->op, e->atom, cursor_span(c), &unit);
        c->pos++;
    }
}

/* ---- groups and choices ---- */

/* Puts operands that were read one per slot, again and again, into the order of slots. */
static void sort_group(FormatBinder *f, const FmtElem *e, unsigned from) {
    const unsigned times = (f->n - from) / e->n;
    Operand *sorted = ARENA_ARRAY(&f->c->b->ctx->arena, Operand, f->n - from + 1);
    for (unsigned i = 0; i < f->n - from; i++)
        sorted[i % e->n * times + i / e->n] = f->ops[from + i];
    memcpy(f->ops + from, sorted, (f->n - from) * sizeof *sorted);
    for (unsigned s = 0; s < e->n; s++) {
        f->first[e->index + s] = (uint16_t)(from + s * times);
        f->count[e->index + s] = (uint16_t)times;
    }
}

/* True at `loop`, and at `loop1` and so on, which are older spellings of it. */
static bool at_group(const Cursor *c, const FmtElem *e) {
    if (peek(c) != TOK_WORD) return false;
    const Interner *names = &c->b->ctx->names;
    const Atom atom = token_at(c->b, c->pos)->atom;
    const char *s = atom_text(names, atom);
    const size_t n = atom_len(names, atom);
    return n >= e->len && n <= e->len + 1u && memcmp(s, e->text, e->len) == 0 &&
           (n == e->len || (s[e->len] >= '0' && s[e->len] <= '9'));
}

/* Reads `loop(%a, %b, %c) loop(%d, %e, %f)`. */
void read_groups(FormatBinder *f, const FmtElem *e) {
    Cursor *c = f->c;
    const unsigned from = f->n;
    while (!c->failed && at_group(c, e)) {
        c->pos++;
        expect(c, TOK_LPAREN);
        for (unsigned s = 0; s < e->n && !c->failed; s++) {
            if (s > 0 && !expect(c, TOK_COMMA)) return;
            read_slot_operand(f, e->index + (int)s);
        }
        expect(c, TOK_RPAREN);
    }
    if (!c->failed) sort_group(f, e, from);
}

/* Reads `, loop T, U, V` for each of them. */
void read_group_types(FormatBinder *f, const FmtElem *e) {
    Cursor *c = f->c;
    for (unsigned i = 0; i < f->count[e->index] && !c->failed; i++) {
        if (!expect(c, TOK_COMMA)) return;
        if (!at_group(c, e)) {
            char word[40];
            snprintf(word, sizeof word, "'%.*s'", e->len, e->text);
            fail_expected(c, word);
            return;
        }
        c->pos++;
        for (unsigned s = 0; s < e->n && !c->failed; s++) {
            if (s > 0 && !expect(c, TOK_COMMA)) return;
            read_type_at(f, e->index + (int)s, f->first[e->index + s] + i);
        }
    }
}

/* Returns the slot of a choice that the word at the cursor names; -1 after a message. */
static int named_choice(FormatBinder *f, const FmtElem *e) {
    Cursor *c = f->c;
    const Token *t = token_at(c->b, c->pos);
    const char *name = atom_text(&c->b->ctx->names, t->atom);
    const size_t n = atom_len(&c->b->ctx->names, t->atom);
    const int slot = inst_slot_named(f->op->inst, name, n);
    if (slot < e->index || slot >= e->index + e->n + e->more) {
        fail(c, DIAG_SYNTAX, token_span(t), "'%s' has no operand '%.*s'", f->op->inst->name,
             shown_len(n), name);
        return -1;
    }
    if (f->count[slot] == 0) return slot;
    fail(c, DIAG_OPERAND_COUNT, token_span(t), "'%s': %.*s is given twice", f->op->inst->name,
         shown_len(n), name);
    return -1;
}

/* Reads `m(%a), k(%b)` in any order. */
static void read_named_choice(FormatBinder *f, const FmtElem *e) {
    Cursor *c = f->c;
    do {
        if (peek(c) != TOK_WORD) {
            fail_expected(c, "the name of an operand");
            return;
        }
        const int slot = named_choice(f, e);
        if (slot < 0) return;
        c->pos++;
        if (!expect(c, TOK_LPAREN)) return;
        read_slot(f, slot);
        expect(c, TOK_RPAREN);
    } while (!c->failed && accept(c, TOK_COMMA));
}

/* Counts the values and literals of a list from the cursor on. */
static unsigned values_ahead(const Cursor *c) {
    uint32_t at = 0;
    for (unsigned n = 0;; n++) {
        at += peek_at(c, at) == TOK_MINUS;
        if (peek_at(c, at) != TOK_VALUE && peek_at(c, at) != TOK_INT) return n;
        at++;
        if (peek_at(c, at) != TOK_COMMA) return n + 1;
        at++;
    }
}

/* An older spelling leaves out the last two operands of the first choice. */
static void note_short_choice(FormatBinder *f, const FmtElem *e) {
    const SlotInfo *slots = f->op->inst->slots + e->index;
    for (int s = 0; s < e->n + e->more; s++)
        if (f->count[e->index + s] != (s < e->n - 2)) return;
    diag_add(&f->c->b->ctx->diags, DIAG_DEPRECATED_SPELLING, cursor_span(f->c),
             "'%s': %s and %s are left out; they are operands now, here 0", f->op->inst->name,
             slots[e->n - 2].name, slots[e->n - 1].name);
}

/* The number of operands decides which slots they are of. */
static void read_placed_choice(FormatBinder *f, const FmtElem *e) {
    Cursor *c = f->c;
    const unsigned n = values_ahead(c);
    if (n != e->n && n != e->more && n + 2 != e->n) {
        fail(c, DIAG_OPERAND_COUNT, cursor_span(c), "'%s': expected %u or %u operands, found %u",
             f->op->inst->name, e->n, e->more, n);
        return;
    }
    const int slot = n == e->more ? e->index + e->n : e->index;
    for (unsigned i = 0; i < n && !c->failed; i++) {
        if (i > 0 && !expect(c, TOK_COMMA)) return;
        read_slot(f, slot + (int)i);
    }
}

void read_choice(FormatBinder *f, const FmtElem *e) {
    if (peek(f->c) == TOK_WORD)
        read_named_choice(f, e);
    else
        read_placed_choice(f, e);
    if (!f->c->failed) note_short_choice(f, e);
}

/* The types are in the order in which the operands are written. */
void read_choice_types(FormatBinder *f, const FmtElem *e) {
    Cursor *c = f->c;
    const unsigned slots = e->n + e->more;
    unsigned total = 0, from = f->n;
    for (unsigned s = 0; s < slots; s++) {
        total += f->count[e->index + s];
        if (f->count[e->index + s] > 0 && f->first[e->index + s] < from)
            from = f->first[e->index + s];
    }
    for (unsigned i = 0; i < total && !c->failed; i++) {
        if (i > 0 && !expect(c, TOK_COMMA)) return;
        for (unsigned s = 0; s < slots; s++)
            if (f->count[e->index + s] > 0 && f->first[e->index + s] == from + i)
                read_type_at(f, e->index + (int)s, from + i);
    }
}
