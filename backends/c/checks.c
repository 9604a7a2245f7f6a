/* SPDX-License-Identifier: Apache-2.0 */
/* Run-time checks: emits the rules that only run time can decide (verifier/rules/residual.h) as C
 * conditions before the call of a statement. The error text names the rule and the operands'
 * values. */
#include "backends/c/emitter.h"
#include "backends/lower/kernel_table.h"
#include "verifier/rules/describe.h"
#include "verifier/rules/residual.h"

#include <string.h>

/* ---- terms ---- */

static void put_term(Emitter *e, const Term *t, StrBuf *out);

static void put_two(Emitter *e, const Term *t, const char *sign, StrBuf *out) {
    sb_putc(out, '(');
    put_term(e, t->a, out);
    sb_puts(out, sign);
    put_term(e, t->b, out);
    sb_putc(out, ')');
}

static void put_call(Emitter *e, const Term *t, const char *function, StrBuf *out) {
    sb_printf(out, "%s(", function);
    put_term(e, t->a, out);
    sb_puts(out, ", ");
    put_term(e, t->b, out);
    sb_putc(out, ')');
}

/* Returns a scalar as int64_t. */
static const char *scalar_text(Emitter *e, const Value *v) {
    const char *x = convert_scalar(e->arena, v->type->elem, ELEM_INDEX, val(e, v));
    return x != NULL ? x : "0";
}

static const char *extent_of_view(Emitter *e, const Term *t) {
    return strf(e, "%s.shape[%lld]", val(e, t->value),
                (long long)(5 - (int64_t)t->value->type->rank + t->n));
}

static void put_term(Emitter *e, const Term *t, StrBuf *out) {
    switch ((TermKind)t->kind) {
    case TERM_NUMBER:
        sb_printf(out, "%lld", (long long)t->n);
        break;
    case TERM_VROW:
    case TERM_VCOL:
        sb_printf(out, "%s.%s", val(e, t->value), t->kind == TERM_VROW ? "vrow" : "vcol");
        break;
    case TERM_SCALAR:
        sb_puts(out, scalar_text(e, t->value));
        break;
    case TERM_EXTENT:
        sb_puts(out, extent_of_view(e, t));
        break;
    case TERM_ADD:
        put_call(e, t, "ptrt_addi_i64", out);
        break;
    case TERM_MUL:
        put_call(e, t, "ptrt_muli_i64", out);
        break;
    case TERM_DIV:
    case TERM_REM:
        put_term(e, t->a, out);
        sb_printf(out, " %s %lld", t->kind == TERM_DIV ? "/" : "%", (long long)t->n);
        break;
    case TERM_EQ:
        put_two(e, t, " == ", out);
        break;
    case TERM_LE:
        put_two(e, t, " <= ", out);
        break;
    case TERM_AND:
        put_two(e, t, " && ", out);
        break;
    case TERM_OR:
        put_two(e, t, " || ", out);
        break;
    case TERM_NOT:
        sb_putc(out, '!');
        put_term(e, t->a, out);
        break;
    case TERM_OVERLAP:
        sb_printf(out, "ptrt_overlap(&%s, &%s)", val(e, t->value), val(e, t->other));
        break;
    case TERM_KINDS:
        break;
    }
}

/* ---- messages ---- */

/* The part of an error text about the operands: a format and its arguments. */
typedef struct Message {
    Emitter *e;
    StrBuf format, args;
    const Term *of[INST_MOST_OPERANDS]; /* per operand, a term of the condition about it */
} Message;

static void find_operands(Message *m, const Term *t) {
    if (t == NULL) return;
    if (t->kind == TERM_VROW || t->kind == TERM_VCOL || t->kind == TERM_SCALAR ||
        t->kind == TERM_EXTENT)
        m->of[t->slot] = t;
    find_operands(m, t->a);
    find_operands(m, t->b);
}

static void put_operand(Message *m, const Term *t) {
    Emitter *e = m->e;
    const char *name = val(e, t->value);
    switch ((TermKind)t->kind) {
    case TERM_VROW:
    case TERM_VCOL:
        sb_puts(&m->format, "%lldx%lld");
        sb_printf(&m->args, ", (long long)%s.vrow, (long long)%s.vcol", name, name);
        break;
    case TERM_SCALAR:
        sb_puts(&m->format, "%lld");
        sb_printf(&m->args, ", (long long)%s", scalar_text(e, t->value));
        break;
    default:
        for (unsigned i = 0; i < t->value->type->rank; i++) {
            Term dim = *t;
            dim.n = i;
            sb_puts(&m->format, i == 0 ? "%lld" : "x%lld");
            sb_printf(&m->args, ", (long long)%s", extent_of_view(e, &dim));
        }
    }
}

/* Appends the operands of a condition, e.g. ` (src 4x16, dst 5x16)`. */
static void put_operands(Message *m, const Inst *inst, const Term *test) {
    bool any = false;
    find_operands(m, test);
    for (int i = 0; i < INST_MOST_OPERANDS; i++) {
        if (m->of[i] == NULL) continue;
        sb_printf(&m->format, "%s%s ", any ? ", " : " (", inst_operand_text(inst, i));
        put_operand(m, m->of[i]);
        any = true;
    }
    if (any) sb_putc(&m->format, ')');
}

static const char *code_of(const RuleRow *row) {
    switch (row->cond) {
    case C_OPERAND_OVERLAP:
    case C_DISTINCT_OPERANDS:
        return "PTRT_E_OVERLAP";
    case C_CONST_RANGE:
        return "PTRT_E_ARG";
    default:
        return "PTRT_E_VALID";
    }
}

/* Appends a clause to a format, with % escaped. */
static void put_clause(StrBuf *out, const char *s) {
    for (; *s != '\0'; s++)
        sb_puts(out, *s == '%' ? "%%" : (char[]){*s, '\0'});
}

static void put_check(Emitter *e, const LowerStmt *s, const Residue *r) {
    StrBuf test, clause;
    Message m = {.e = e};
    sb_init(&test, e->arena);
    sb_init(&clause, e->arena);
    sb_init(&m.format, e->arena);
    sb_init(&m.args, e->arena);
    /* `if (!(!x))` would be hard to read, so a TERM_NOT is removed instead. */
    bool denied = r->test->kind == TERM_NOT;
    put_term(e, denied ? r->test->a : r->test, &test);
    rule_describe(r->inst, r->row, &clause);
    sb_printf(&m.format, "%s: must hold: ", s->inst->name);
    put_clause(&m.format, sb_text(&clause));
    put_operands(&m, s->inst, r->test);
    StrBuf text;
    sb_init(&text, e->arena);
    put_c_string(&text, sb_text(&m.format), m.format.len);
    bool enclosed = sb_text(&test)[0] == '(';
    ln(e, !denied ? "if (!%s)" : enclosed ? "if %s" : "if (%s)", sb_text(&test));
    e->indent++;
    ln(e, "return ptrt_fail(core, %s, %u, %s%s);", code_of(r->row), (unsigned)e->line,
       sb_text(&text), sb_text(&m.args));
    e->indent--;
    c_of(e)->uses_core = true;
}

/* ---- the statement ---- */

void emit_checks(Emitter *e, const LowerStmt *s) {
    for (const Residue *r = s->checks; r != NULL; r = r->next)
        put_check(e, s, r);
}
