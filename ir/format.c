/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles format strings. They are part of the table, so a mistake is a bug, which the unit test
 * over all rows finds; even then nothing outside of the text is read. */
#include "ir/format.h"
#include "support/ascii.h"

#include <string.h>

/* Reads `slot*3:word` (groups) or `slot*4|6` (a choice) after the first character. */
static FmtElem compile_several(const Inst *inst, const char *s, size_t n, size_t star, bool types) {
    FmtElem e = {.index = (uint8_t)inst_slot_named(inst, s, star),
                 .n = (uint8_t)(s[star + 1] - '0')};
    if (s[star + 2] == '|') {
        e.kind = types ? FMT_CHOICE_TYPES : FMT_CHOICE;
        e.more = (uint8_t)(s[star + 3] - '0');
        return e;
    }
    e.kind = types ? FMT_GROUP_TYPES : FMT_GROUPS;
    e.text = s + star + 3;
    e.len = (uint8_t)(n - star - 3);
    return e;
}

/* Reads `attribute=word`, of a FMT_VALUE, after the first character; `equal`: the place of the `=`.
 */
static FmtElem compile_value(const Inst *inst, const char *s, size_t n, size_t equal) {
    return (FmtElem){.kind = FMT_VALUE,
                     .index = (uint8_t)inst_attr_named(inst, s, equal),
                     .text = s + equal + 1,
                     .len = (uint8_t)(n - equal - 1)};
}

static FmtElem compile_word(const Inst *inst, const char *s, size_t n) {
    FmtElem e = {.kind = FMT_LITERAL, .len = (uint8_t)n, .text = s};
    const char *star = n > 1 && (s[0] == '$' || s[0] == '%') ? memchr(s, '*', n) : NULL;
    if (star != NULL)
        return compile_several(inst, s + 1, n - 1, (size_t)(star - s - 1), s[0] == '%');
    const char *equal = n > 1 && s[0] == '#' ? memchr(s, '=', n) : NULL;
    if (equal != NULL) return compile_value(inst, s + 1, n - 1, (size_t)(equal - s - 1));
    if (n == 2 && memcmp(s, "{}", 2) == 0)
        e.kind = FMT_DICT;
    else if (n == 3 && memcmp(s, "{!}", 3) == 0)
        e = (FmtElem){.kind = FMT_DICT, .strict = true};
    else if (n > 1 && s[0] == '&')
        e = (FmtElem){.kind = FMT_NAMED, .index = (uint8_t)inst_slot_named(inst, s + 1, n - 1)};
    else if (n == 2 && (memcmp(s, "(?", 2) == 0 || memcmp(s, "(~", 2) == 0))
        e = (FmtElem){.kind = FMT_OPT_OPEN, .fits = s[1] == '~'};
    else if (n == 2 && (memcmp(s, "(,", 2) == 0 || memcmp(s, "(+", 2) == 0))
        e = (FmtElem){.kind = FMT_CLAUSE_OPEN, .comma = s[1] == ','};
    else if (n == 1 && s[0] == ';')
        e.kind = FMT_CLAUSE_END;
    else if (n == 2 && memcmp(s, "(:", 2) == 0)
        e.kind = FMT_ELSE_OPEN;
    else if (n == 2 && (memcmp(s, ")?", 2) == 0 || memcmp(s, "):", 2) == 0))
        e.kind = FMT_OPT_CLOSE;
    else if (n == 2 && s[1] == '~')
        e = (FmtElem){.kind = FMT_SOFT, .len = 1, .text = s};
    else if (n > 1 && s[0] == '$')
        e = (FmtElem){.kind = FMT_SLOT, .index = (uint8_t)inst_slot_named(inst, s + 1, n - 1)};
    else if (n > 1 && s[0] == '#')
        e = (FmtElem){.kind = FMT_ATTR, .index = (uint8_t)inst_attr_named(inst, s + 1, n - 1)};
    else if (n > 1 && s[0] == '%') {
        int r = inst_result_named(inst, s + 1, n - 1);
        if (r >= 0)
            e = (FmtElem){.kind = FMT_RESULT, .index = (uint8_t)r};
        else
            e = (FmtElem){.kind = FMT_TYPE, .index = (uint8_t)inst_slot_named(inst, s + 1, n - 1)};
    }
    return e;
}

static const Format *compile(Context *ctx, const Inst *inst) {
    size_t len = strlen(inst->format);
    Format *f = arena_zalloc(&ctx->keep, 1, sizeof(Format) + (len / 2 + 1) * sizeof(FmtElem),
                             _Alignof(Format));
    unsigned open[8], depth = 0;
    for (const char *s = inst->format; *s != '\0';) {
        size_t n = strcspn(s, " ");
        if (n > 0) {
            FmtElem e = compile_word(inst, s, n);
            if (e.kind == FMT_LITERAL && (ascii_is_letter(s[0]) || s[0] == '_')) {
                e.word = true;
                e.atom = intern(&ctx->names, s, n);
            }
            if (e.kind == FMT_GROUPS || e.kind == FMT_GROUP_TYPES)
                e.atom = intern(&ctx->names, e.text, e.len);
            if (e.kind == FMT_NAMED) e.atom = intern(&ctx->names, s + 1, n - 1);
            if (e.kind == FMT_VALUE) e.atom = intern(&ctx->names, e.text, e.len);
            if ((e.kind == FMT_OPT_OPEN || e.kind == FMT_ELSE_OPEN || e.kind == FMT_CLAUSE_OPEN) &&
                depth < 8)
                open[depth++] = f->n;
            if (e.kind == FMT_OPT_CLOSE && depth > 0) f->elems[open[--depth]].index = (uint8_t)f->n;
            f->elems[f->n++] = e;
        }
        s += n;
        s += strspn(s, " ");
    }
    return f;
}

const Format *inst_format(Context *ctx, const Inst *inst) {
    InstId id = inst_id(inst);
    if (ctx->formats[id] == NULL) ctx->formats[id] = compile(ctx, inst);
    return ctx->formats[id];
}

bool inst_attr_in_place(Context *ctx, const Inst *inst, int attr) {
    if (inst->form != FORM_FORMAT) return false;
    const Format *f = inst_format(ctx, inst);
    for (unsigned i = 0; i < f->n; i++)
        if ((f->elems[i].kind == FMT_ATTR || f->elems[i].kind == FMT_VALUE) &&
            f->elems[i].index == attr)
            return true;
    return false;
}

bool format_has_value(const Op *op, const FmtElem *e) {
    const NamedAttr *a = op_attr(op, e->index);
    if (a == NULL || a->value->kind != ATTR_ENUM) return a != NULL && a->value->kind == ATTR_UNIT;
    const char *text = enum_infos[a->value->family].values[a->value->i].text;
    return strlen(text) == e->len && memcmp(text, e->text, e->len) == 0;
}
