/* SPDX-License-Identifier: Apache-2.0 */
/* Operands and attributes of an instruction in words, and where it runs. */
#include "explain/facts.h"
#include "ir/core.h"
#include "ir/epilogue.h"

#include <string.h>

const char *role_text(const SlotInfo *s) {
    static const char *const texts[] = {[ROLE_READ] = "input",
                                        [ROLE_WRITE] = "output",
                                        [ROLE_READWRITE] = "input and output",
                                        [ROLE_SCRATCH] = "scratch"};
    return texts[s->role];
}

const char *arity_text(const SlotInfo *s) {
    return s->arity == ARITY_OPT ? "optional" : s->arity == ARITY_VAR ? "list" : NULL;
}

static void put_values(StrBuf *out, unsigned family) {
    const EnumInfo *e = &enum_infos[family];
    for (unsigned i = 0; i < e->nvalues; i++)
        sb_printf(out, "%s%s", i > 0 ? ", " : "", e->values[i].text);
}

static const char *epilogue_text(Arena *arena) {
    static const char *const keys[] = {"layout", "quant", "relu"};
    StrBuf out;
    sb_init(&out, arena);
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
        const char *const *words = epilogue_words(keys[k], strlen(keys[k]));
        sb_printf(&out, "%s%s = ", k > 0 ? "; " : "", keys[k]);
        for (unsigned i = 0; words[i] != NULL; i++)
            sb_printf(&out, "%s%s", i > 0 ? ", " : "", words[i]);
    }
    return sb_text(&out);
}

const char *attr_type_text(Arena *arena, const AttrInfo *a) {
    static const char *const texts[] = {[AT_ANY] = "any value",        [AT_UNIT] = "no value",
                                        [AT_BOOL] = "true or false",   [AT_INT] = "integer",
                                        [AT_I32] = "integer (i32)",    [AT_STRING] = "string",
                                        [AT_SYMBOL] = "symbol",        [AT_ENUM] = NULL,
                                        [AT_INT_LIST] = "integers",    [AT_TYPE] = "type",
                                        [AT_ANGLE] = "words in <...>", [AT_WORD] = NULL};
    if (a->type == AT_EPILOGUE) return epilogue_text(arena);
    if (texts[a->type] != NULL) return texts[a->type];
    StrBuf out;
    sb_init(&out, arena);
    put_values(&out, a->family);
    if (a->one_family) return sb_text(&out); /* other families have the same words */
    for (const uint8_t *also = a->also; also != NULL && *also != EF_NONE; also++) {
        sb_puts(&out, "; or ");
        put_values(&out, *also);
    }
    return sb_text(&out);
}

const char *enum_written_text(Arena *arena, EnumFamily family) {
    StrBuf out;
    sb_init(&out, arena);
    enum_put(&out, &enum_infos[family], "VALUE");
    return sb_text(&out);
}

/* True when the format of an instruction has the attribute, as `#name`. */
static bool is_in_format(const Inst *inst, const char *name) {
    const size_t n = strlen(name);
    for (const char *s = inst->format; s != NULL && (s = strchr(s, '#')) != NULL; s++)
        if (strncmp(s + 1, name, n) == 0 && (s[n + 1] == ' ' || s[n + 1] == '\0')) return true;
    return false;
}

const char *attr_written_text(Arena *arena, const Inst *inst, const AttrInfo *a) {
    const char *values = attr_type_text(arena, a);
    if (a->type != AT_ENUM) return values;
    const bool in_place = is_in_format(inst, a->name) && !a->full;
    const bool quoted = enum_infos[a->family].spelling >= ENUM_QUOTED;
    return arena_printf(arena, "%s: %s",
                        in_place ? (quoted ? "\"VALUE\"" : "<VALUE>")
                                 : enum_written_text(arena, (EnumFamily)a->family),
                        values);
}

const char *attr_default_text(Arena *arena, const AttrInfo *a) {
    if (a->required) return NULL;
    const char *absent = inst_doc(a->absent);
    if (absent != NULL) return *absent != '\0' ? absent : NULL;
    switch ((AttrType)a->type) {
    case AT_ENUM:
    case AT_WORD:
        return a->dflt >= 0 && (unsigned)a->dflt < enum_infos[a->family].nvalues
                   ? enum_infos[a->family].values[a->dflt].text
                   : NULL;
    case AT_BOOL:
        return a->dflt != 0 ? "true" : "false";
    case AT_INT:
    case AT_I32:
        return arena_printf(arena, "%lld", (long long)a->dflt);
    default:
        return NULL;
    }
}

const char *pipe_text(const Inst *inst, Profile p) {
    const Pipe pipe = inst_pipe(inst, p);
    if (pipe == PIPE_BY_OPERAND) return inst->rare->pipe_of;
    if (pipe == PIPE_BY_ATTR) return "as an attribute says";
    return pipe_short_name(pipe, NULL);
}

const char *tmp_text(const Inst *inst, Profile p) {
    static const char *const texts[] = {
        [TMP_NONE] = NULL,
#define TMP_KIND(id, text) [TMP_##id] = text,
#include "ir/tmp_kinds.def"
#undef TMP_KIND
    };
    return texts[inst_tmp(inst, p)];
}

const char *core_text(const Inst *inst) {
    static const char *const texts[] = {
        [CORE_ANY] = NULL, [CORE_CUBE] = "cube", [CORE_VECTOR] = "vector"};
    return (inst->flags & IF_CORE_BY_PIPE) != 0 ? "that of the pipe" : texts[inst->core];
}
