/* SPDX-License-Identifier: Apache-2.0 */
/* The instruction that the name of a statement means: other spellings, suffixes, unknown names. */
#include "parser/bind_internal.h"

#include <string.h>

/* Instructions that the vendor's assembler puts in when it assigns registers to vectors. */
static bool is_after_layout(const char *text, size_t len) {
    return (len == 14 && memcmp(text, "pto.vmi.unpack", 14) == 0) ||
           (len == 12 && memcmp(text, "pto.vmi.pack", 12) == 0);
}

static void report_unknown(Cursor *c, const Token *name) {
    const Interner *names = &c->b->ctx->names;
    const char *text = atom_text(names, name->atom);
    size_t len = atom_len(names, name->atom);
    c->failed = true;
    if (is_after_layout(text, len)) {
        if (c->b->layout_epoch == c->b->epoch + 1) return;
        c->b->layout_epoch = c->b->epoch + 1;
        diag_add(&c->b->ctx->diags, DIAG_ASSIGNED_LAYOUT, token_span(name),
                 "'%.*s' is internal to the vendor's assembler: the text is after the assignment "
                 "of registers",
                 (int)len, text);
        return;
    }
    Diag *d = diag_add(&c->b->ctx->diags, DIAG_UNKNOWN_OP, token_span(name),
                       "unknown instruction '%.*s'", (int)len, text);
    suggest_instruction(c->b->ctx, d, name);
}

/* Finds the instruction of a name with suffixes, such as `mgather.row.clamp`. */
static const Inst *find_suffixed(const Context *ctx, const Token *name) {
    const char *text = atom_text(&ctx->names, name->atom);
    for (size_t n = atom_len(&ctx->names, name->atom); n-- > 1;) {
        if (text[n] != '.') continue;
        const Inst *inst = inst_find(text, n);
        if (inst != NULL && inst->rare->suffixes != NULL) return inst;
    }
    return NULL;
}

static const Inst *find_inst(Cursor *c, const Token *name) {
    const Context *ctx = c->b->ctx;
    const Inst *inst = name->atom < ctx->ninst_atoms ? ctx->inst_by_atom[name->atom] : NULL;
    if (inst == NULL) inst = find_suffixed(ctx, name);
    if (inst == NULL) report_unknown(c, name);
    return inst;
}

/* Returns the attribute of InstRare.suffixes that has this word among its values and is not set
 * yet; -1: none. *value is the index of the word. */
static int suffix_attr(const Op *op, const char *word, size_t n, int *value) {
    static const char atomic[] = "atomic_";
    for (AttrList s = op->inst->rare->suffixes; *s != 0; s++) {
        const int attr = *s - 1;
        EnumFamily family = (EnumFamily)op->inst->attrs[attr].family;
        *value = enum_value_find(family, word, n);
        if (*value < 0 && family == EF_SCATTER_ATOMIC_OP && n > strlen(atomic) &&
            memcmp(word, atomic, strlen(atomic)) == 0)
            *value = enum_value_find(family, word + strlen(atomic), n - strlen(atomic));
        if (*value >= 0 && op_attr(op, attr) == NULL) return attr;
    }
    return -1;
}

static DIAG_COLD void read_suffixes(Cursor *c, Op *op, const Token *name, const char *s) {
    Context *ctx = c->b->ctx;
    const char *text = atom_text(&ctx->names, name->atom);
    const char *end = text + atom_len(&ctx->names, name->atom);
    while (s < end && !c->failed) {
        const char *dot = ++s < end ? memchr(s, '.', (size_t)(end - s)) : NULL;
        size_t n = (size_t)((dot != NULL ? dot : end) - s);
        const Span span = {name->off + (uint32_t)(s - text), (uint32_t)n};
        int value, attr = suffix_attr(op, s, n, &value);
        if (attr < 0) {
            fail(c, DIAG_UNKNOWN_OP, span, "'%s' has no suffix '%.*s'", op->inst->name,
                 shown_len(n), s);
            return;
        }
        const AttrInfo *info = &op->inst->attrs[attr];
        Attr *a = ARENA_NEW(&ctx->arena, Attr);
        *a = (Attr){.kind = ATTR_ENUM, .family = info->family, .i = value, .span = span};
        add_attr(c, op, intern(&ctx->names, info->name, strlen(info->name)), span, a);
        s += n;
    }
}

/* Returns the suffixes of an instruction's name; NULL when it has none. */
static const char *suffix_of(const Context *ctx, const Inst *inst, const Token *name) {
    if (inst->rare->suffixes == NULL) return NULL;
    const char *text = atom_text(&ctx->names, name->atom);
    size_t n = atom_len(&ctx->names, name->atom), dialect = strlen("pto.");
    size_t base = strlen(inst->name);
    if (n < base || memcmp(text, inst->name, base) != 0) base -= dialect;
    return n > base ? text + base : NULL;
}

/* Returns the row of a spelling. The vendor's assembler accepts neither alternative spellings nor
 * names without the dialect. */
static const Inst *resolve_spelling(Cursor *c, const Inst *inst, const Token *name, bool dialect) {
    Context *ctx = c->b->ctx;
    if (inst->alias_of == INST_INVALID) return inst;
    const Inst *meant = inst_meant(inst);
    if ((inst->flags & IF_DEPRECATED) != 0)
        diag_add(&ctx->diags, DIAG_DEPRECATED_SPELLING, token_span(name), "'%s' is now '%s'",
                 inst->name, meant->name);
    else if (dialect && (meant->flags & IF_NOT_PTOAS) == 0)
        diag_add(&ctx->diags, DIAG_PTOAS_COMPAT, token_span(name),
                 "'%s' is another spelling of '%s'; PTOAS 0.60 accepts only the latter", inst->name,
                 meant->name);
    return meant;
}

Op *named_op(Cursor *c) {
    Context *ctx = c->b->ctx;
    const Token *name = token_at(c->b, c->pos++), *last = token_at(c->b, c->end - 1);
    const Inst *inst = find_inst(c, name);
    if (inst == NULL) return NULL;
    /* A PTO-AS name is shorter than the row's, as it lacks the dialect. */
    const char *suffix = suffix_of(ctx, inst, name);
    size_t len = suffix != NULL ? (size_t)(suffix - atom_text(&ctx->names, name->atom))
                                : atom_len(&ctx->names, name->atom);
    bool dialect = inst->name[len] == '\0';
    inst = resolve_spelling(c, inst, name, dialect);
    Op *op = op_new(ctx, inst, (Span){c->start, last->off + last->len - c->start});
    op->name_span = token_span(name);
    op->form = name->kind == TOK_QUOTED_OP ? OPF_GENERIC : dialect ? OPF_SSA : OPF_AS;
    if (suffix != NULL) read_suffixes(c, op, name, suffix);
    return op;
}
