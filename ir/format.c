/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles format strings. They are part of the table, so a mistake is a bug, which the unit test
 * over all rows finds; even then nothing outside of the text is read. */
#include "ir/format.h"
#include "support/ascii.h"

#include <string.h>

static FmtElem compile_word(const Inst *inst, const char *s, size_t n) {
    FmtElem e = {.kind = FMT_LITERAL, .len = (uint8_t)n, .text = s};
    if (n == 2 && memcmp(s, "{}", 2) == 0)
        e.kind = FMT_DICT;
    else if (n == 3 && memcmp(s, "{!}", 3) == 0)
        e = (FmtElem){.kind = FMT_DICT, .strict = true};
    else if (n > 1 && s[0] == '&')
        e = (FmtElem){.kind = FMT_NAMED, .index = (uint8_t)inst_slot_named(inst, s + 1, n - 1)};
    else if (n == 2 && memcmp(s, "(?", 2) == 0)
        e.kind = FMT_OPT_OPEN;
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
            if (e.kind == FMT_NAMED) e.atom = intern(&ctx->names, s + 1, n - 1);
            if ((e.kind == FMT_OPT_OPEN || e.kind == FMT_ELSE_OPEN) && depth < 8)
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
        if (f->elems[i].kind == FMT_ATTR && f->elems[i].index == attr) return true;
    return false;
}
