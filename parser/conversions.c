/* SPDX-License-Identifier: Apache-2.0 */
/* Edits for scalar operands of the wrong type. */
#include "parser/conversions.h"
#include "parser/piece.h"
#include "parser/type_places.h"

#include <string.h>

static bool is_integer(const Type *t) {
    return t->kind == TY_SCALAR && t->elem != ELEM_ODD_INT && elem_infos[t->elem].cls == 'I' &&
           !type_is_index(t);
}

static bool is_constant(const Value *v, const Attr **number) {
    if (v->def == NULL || !op_is(v->def, INST_CONSTANT) || v->def->nattrs != 1) return false;
    *number = v->def->attrs[0].value;
    return (*number)->kind == ATTR_INT && !(*number)->hex && (*number)->alias == 0;
}

static bool holds(const Type *type, int64_t v) {
    unsigned width = is_integer(type) ? elem_int_width((Elem)type->elem) : 64;
    if (!is_integer(type) && !type_is_index(type)) return false;
    return width >= 64 || (v >= -((int64_t)1 << (width - 1)) && v < (int64_t)1 << (width - 1));
}

bool constant_takes(const Context *ctx, const Value *v, const Type *type, Span *place) {
    const Attr *number;
    const Type *written;
    return is_constant(v, &number) && holds(type, number->i) &&
           value_type_place(ctx, v, place, &written) && type_same(written, v->type);
}

static uint32_t end_of(const Context *ctx, const Op *func) {
    uint32_t close = func->nregions > 0 ? op_regions(func)[0].close.off : 0;
    return close != 0 ? close : ctx->source->size;
}

bool is_named_once(const Context *ctx, const Value *v, const Op *func) {
    const char *name = atom_text(&ctx->names, v->name), *s = ctx->source->data + v->name_off + 1;
    const char *end = ctx->source->data + end_of(ctx, func);
    size_t n = atom_len(&ctx->names, v->name);
    unsigned found = 0;
    while (found < 2 && (s = memchr(s, '%', (size_t)(end - s))) != NULL) {
        s++;
        found += (size_t)(end - s) >= n && memcmp(s, name, n) == 0 && !is_word_char(s[n]);
    }
    return found == 1;
}

/* The cast from one scalar type to another; NULL when there is none, or one that may lose a part.
 */
static const char *cast_name(const Type *from, const Type *to) {
    bool ints = is_integer(from) && is_integer(to);
    if ((type_is_index(from) && is_integer(to)) || (is_integer(from) && type_is_index(to)))
        return inst_table[INST_INDEX_CAST].name;
    bool wider = ints && elem_int_width((Elem)from->elem) < elem_int_width((Elem)to->elem);
    return wider && from->elem != ELEM_I1 ? inst_table[INST_EXTSI].name : NULL;
}

bool is_castable(const Type *from, const Type *to) {
    return cast_name(from, to) != NULL;
}

#define PLAIN(names, type) (int)atom_len(names, (type)->text), atom_text(names, (type)->text)

/* The blanks at the start of the line that `at` is in. */
static Span indentation(const Context *ctx, uint32_t at) {
    const char *s = ctx->source->data;
    uint32_t from = at, to;
    while (from > 0 && s[from - 1] != '\n')
        from--;
    for (to = from; to < at && (s[to] == ' ' || s[to] == '\t');)
        to++;
    return (Span){from, to - from};
}

/* The statement that makes the value of the new type, without its result. */
static const char *conversion(Context *ctx, const Value *v, const Type *type) {
    const Attr *number;
    const Interner *names = &ctx->names;
    if (is_constant(v, &number) && holds(type, number->i))
        return arena_printf(&ctx->arena, "arith.constant %lld : %.*s", (long long)number->i,
                            PLAIN(names, type));
    const char *cast = cast_name(v->type, type);
    if (cast == NULL) return NULL;
    return arena_printf(&ctx->arena, "%s %%%.*s : %.*s to %.*s", cast,
                        (int)atom_len(names, v->name), atom_text(names, v->name),
                        PLAIN(names, v->type), PLAIN(names, type));
}

static Atom converted_name(Context *ctx, const Value *v, const Type *type) {
    const char *suffix = arena_printf(&ctx->arena, "%.*s", PLAIN(&ctx->names, type));
    return fresh_name(ctx, name_stem(ctx, v->name, suffix));
}

/* Returns the start of the line after the definition of a value, or of the first line of its
 * block; 0 when it is not known. */
static uint32_t line_after(const Context *ctx, const Value *v) {
    uint32_t at;
    if (v->def != NULL) {
        if (v->def->nregions > 0) return 0;
        at = v->def->span.off + v->def->span.len;
    } else {
        const Block *block = value_block(v);
        if (block == NULL || block->region->first != block) return 0;
        at = block->region->open.off;
    }
    const char *s = ctx->source->data + at, *end = strchr(s, '\n');
    return at > 0 && end != NULL ? (uint32_t)(end + 1 - ctx->source->data) : 0;
}

Atom offer_cast_of_value(Context *ctx, Diag *d, const Value *v, const Type *type, uint32_t before) {
    const uint32_t at = line_after(ctx, v);
    const char *text = v->npack == 1 && v->name != 0 ? conversion(ctx, v, type) : NULL;
    if (text == NULL || at == 0 || at > before) return 0;
    const char *line = ctx->source->data + at;
    const Atom name = converted_name(ctx, v, type);
    diag_edit(&ctx->diags, d, (Span){at, 0}, "%.*s%%%.*s = %s\n", (int)strspn(line, " \t"), line,
              (int)atom_len(&ctx->names, name), atom_text(&ctx->names, name), text);
    return name;
}

bool offer_cast(Context *ctx, Diag *d, uint32_t start, const Value *v, Span use, const Type *type) {
    if (start == UINT32_MAX || v->npack != 1 || v->name == 0) return false;
    const char *text = conversion(ctx, v, type);
    if (text == NULL) return false;
    Span indent = indentation(ctx, start);
    Atom name = converted_name(ctx, v, type);
    int length = (int)atom_len(&ctx->names, name);
    const char *spelt = atom_text(&ctx->names, name);
    diag_edit(&ctx->diags, d, use, "%%%.*s", length, spelt);
    diag_edit(&ctx->diags, d, (Span){start, 0}, "%%%.*s = %s\n%.*s", length, spelt, text,
              (int)indent.len, ctx->source->data + indent.off);
    return true;
}

/* ---- an operand ---- */

static bool is_edited(const Context *ctx, Span place) {
    for (const Diag *d = ctx->diags.first; d != NULL; d = d->next)
        for (const DiagEdit *e = d->edits; e != NULL; e = e->next)
            if (e->span.off == place.off) return true;
    return false;
}

static bool retype_constant(Context *ctx, Diag *d, const Op *op, const Value *v, const Type *type) {
    const Op *func = op_function(op);
    Span place;
    if (func == NULL || !constant_takes(ctx, v, type, &place) || !is_named_once(ctx, v, func))
        return false;
    diag_edit(&ctx->diags, d, place, "%.*s", PLAIN(&ctx->names, type));
    return d->safe_fix = true;
}

bool offer_operand_type(Context *ctx, Diag *d, const Op *op, const Operand *o, const Type *type) {
    const Value *v = o->value;
    const Type *written;
    Span place;
    if (d->edits != NULL || op->form == OPF_GENERIC) return false;
    /* Another error may have changed the type of the constant already. */
    if (constant_takes(ctx, v, type, &place) && is_edited(ctx, place)) return false;
    if (!retype_constant(ctx, d, op, v, type) &&
        !offer_cast(ctx, d, op->span.off, v, o->span, type))
        return false;
    if (operand_type_place(ctx, op, o, &place, &written) && type_same(written, v->type))
        diag_edit(&ctx->diags, d, place, "%.*s", PLAIN(&ctx->names, type));
    return true;
}

/* ---- another instruction ---- */

/* The predicate of the other kind of numbers: `slt` for `olt`, `oeq` for `eq`; -1: there is none.
 */
static int other_predicate(const Attr *a, EnumFamily to) {
    const char *text = enum_infos[a->family].values[a->i].text;
    size_t n = strlen(text);
    if (n != 2 && n != 3) return -1;
    /* The relation is in the last two letters; only eq and ne of integers have no sign. */
    char word[] = {'o', text[n - 2], text[n - 1]};
    bool equality = word[1] == 'e' && word[2] == 'q', inequality = word[1] == 'n';
    if (to == EF_CMPI && (equality || inequality)) return enum_value_find(to, word + 1, 2);
    if (to == EF_CMPI)
        word[0] = 's';
    else if (inequality)
        word[0] = 'u';
    return enum_value_find(to, word, 3);
}

/* The word in the place of an attribute; NULL when it stays. False when the other has none such. */
static bool other_word(const NamedAttr *a, const Inst *other, const char **word) {
    int i = inst_attr(other, (AttrName)a->id);
    *word = NULL;
    if (i < 0) return false;
    const AttrInfo *info = &other->attrs[i];
    if (a->value->kind != ATTR_ENUM || a->value->family == info->family) return true;
    if (info->type != AT_WORD) return false;
    int value = other_predicate(a->value, (EnumFamily)info->family);
    if (value >= 0) *word = enum_infos[info->family].values[value].text;
    return value >= 0;
}

bool offer_instruction(Context *ctx, Diag *d, const Op *op, const Inst *other) {
    const char *word, *text = ctx->source->data + op->name_span.off;
    if (op->name_span.len != strlen(op->inst->name) ||
        memcmp(text, op->inst->name, op->name_span.len) != 0)
        return false;
    for (unsigned i = 0; i < op->nattrs; i++)
        if (!other_word(&op->attrs[i], other, &word)) return false;
    for (unsigned i = 0; i < op->nattrs; i++)
        if (other_word(&op->attrs[i], other, &word) && word != NULL)
            diag_edit(&ctx->diags, d, op->attrs[i].value->span, "%s", word);
    diag_edit(&ctx->diags, d, op->name_span, "%s", other->name);
    return true;
}
