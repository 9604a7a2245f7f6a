/* SPDX-License-Identifier: Apache-2.0 */
/* Describes what is under the cursor: an instruction and who accepts it here, a value with its
 * type and address, a function, an alias of a type; words.c describes other words. */
#include "cli/lsp/lsp.h"

#include "cli/explain.h"
#include <inttypes.h>
#include <string.h>

typedef struct Hover {
    Server *s;
    Document *d;
    uint32_t offset;
    ptoasm_symbol symbol;
    StrBuf *out;
} Hover;

/* ---- instructions ---- */

/* Finds the statement in the portability table; false when it is not there. */
static bool find_verdict(const Hover *h, ptoasm_verdict *v, size_t *row) {
    const ptoasm_result *res = document_verdicts(h->d);
    for (*row = 0; ptoasm_verdict_at(res, *row, v); ++*row)
        if (v->kind == PTOASM_VERDICT_STATEMENT && v->offset == h->symbol.statement.offset)
            return true;
    return false;
}

/* Writes `Accepted by a5; refused by cpu [elem-type] and a2a3 [elem-type].` */
static void put_verdict(const Hover *h) {
    const ptoasm_result *res = document_verdicts(h->d);
    ptoasm_verdict v;
    size_t row;
    const char *before = "";
    if (!find_verdict(h, &v, &row)) return;
    if (v.accepted != 0) {
        sb_puts(h->out, "Accepted here by ");
        put_profiles(h->out, (ProfileSet)v.accepted);
        before = "; refused by ";
    } else {
        before = "Refused here by ";
    }
    for (unsigned p = 0; p < PROFILE_COUNT; p++) {
        const char *id = ptoasm_verdict_id(res, row, PROFILE_BIT(p));
        if (id == NULL) continue;
        sb_printf(h->out, "%s%s [%s]", before, profile_names[p], id);
        before = ", ";
    }
    sb_puts(h->out, ".\n\n");
}

/* Writes what the last run with --shadow found of the statement. */
static void put_error(const Hover *h) {
    const uint32_t line =
        (uint32_t)text_position(&h->d->text, h->symbol.statement.offset, true).line + 1;
    const json_t *found = shadow_of_line(h->d, line);
    if (found == NULL && shadow_is_gap(h->d, line))
        sb_puts(h->out,
                "Not followed in f64: what reads its results starts from the stored values.\n\n");
    if (found == NULL) return;
    sb_printf(
        h->out,
        "Relative error against f64: at most %.2g; grown %.3g times, from %.2g to %.2g, at %s "
        "[%" JSON_INTEGER_FORMAT ", %" JSON_INTEGER_FORMAT "].\n\n",
        json_number_value(json_object_get(found, "worst")),
        json_number_value(json_object_get(found, "growth")),
        json_number_value(json_object_get(found, "before")),
        json_number_value(json_object_get(found, "after")), string_at(found, "name"),
        json_integer_value(json_array_get(json_object_get(found, "index"), 0)),
        json_integer_value(json_array_get(json_object_get(found, "index"), 1)));
}

static void put_instruction(const Hover *h, Arena *arena) {
    const Page page = {.out = h->out, .markdown = h->s->markdown};
    const Inst *inst = inst_find(h->symbol.name, strlen(h->symbol.name));
    put_verdict(h);
    put_error(h);
    if (inst != NULL) page_inst_use(&page, inst, arena);
}

/* ---- values ---- */

static void put_code(const Hover *h, const char *name, const char *type) {
    sb_printf(h->out, h->s->markdown ? "```pto\n%s: %s\n```\n\n" : "%s: %s\n\n", name, type);
}

static void put_slot(const Hover *h, Profile p, const ptoasm_slot *slot) {
    sb_printf(h->out, "%s%s: %s 0x%" PRIx64 " to 0x%" PRIx64 ", %s", h->s->markdown ? "- " : "  ",
              profile_names[p], slot->space, (uint64_t)slot->address,
              (uint64_t)(slot->address + slot->bytes), slot->bound ? "as written" : "planned");
    if (slot->first <= slot->last)
        sb_printf(h->out, ", needed in lines %u to %u", slot->first_line, slot->last_line);
    sb_putc(h->out, '\n');
}

/* Finds the value in the memory plan of a profile. */
static bool find_slot(const Hover *h, Profile p, ptoasm_slot *slot) {
    const ptoasm_result *plan = document_plan(h->d, p);
    const char *name = h->symbol.name + 1; /* without % */
    for (size_t i = 0; ptoasm_slot_at(plan, i, slot); i++)
        if (slot->offset == h->symbol.definition.offset && strcmp(slot->name, name) == 0)
            return true;
    return false;
}

static void put_tile(const Hover *h) {
    ptoasm_slot slot;
    uint32_t judged = ptoasm_result_profiles(document_check(h->d));
    uint32_t lowest = judged & ~(judged - 1);
    int64_t bytes = ptoasm_program_bytes(document_program(h->d), h->offset, lowest);
    if (bytes < 0) return;
    sb_printf(h->out, "%" PRId64 " bytes\n\n", bytes);
    for (unsigned p = 0; p < PROFILE_COUNT; p++)
        if ((judged & PROFILE_BIT(p)) != 0 && find_slot(h, (Profile)p, &slot))
            put_slot(h, (Profile)p, &slot);
}

static void put_value(const Hover *h) {
    const ptoasm_symbol *v = &h->symbol;
    put_code(h, v->name, v->type);
    if (strcmp(v->type, v->meaning) != 0) put_code(h, v->type, v->meaning);
    put_tile(h);
}

static void put_alias(const Hover *h) {
    const ptoasm_symbol *a = &h->symbol;
    sb_printf(h->out, h->s->markdown ? "```pto\n%s = %s\n```\n\n" : "%s = %s\n\n", a->name,
              a->meaning);
    put_tile(h);
}

/* ---- entry point ---- */

static void put_symbol(const Hover *h, Arena *arena) {
    switch (h->symbol.kind) {
    case PTOASM_SYMBOL_INSTRUCTION:
        put_instruction(h, arena);
        return;
    case PTOASM_SYMBOL_VALUE:
        put_value(h);
        return;
    case PTOASM_SYMBOL_TYPE:
        put_alias(h);
        return;
    default:
        put_code(h, h->symbol.name, h->symbol.type);
    }
}

/* Describes a name of the program or, where there is none, the word. */
static bool describe(Hover *h, WordPlace *at, Arena *arena) {
    at->from = h->offset;
    if (!ptoasm_program_symbol(document_program(h->d), h->offset, &h->symbol))
        return word_describe(h->s, h->d, at, h->out, arena);
    put_symbol(h, arena);
    *at = (WordPlace){h->symbol.place.offset,
                      (size_t)h->symbol.place.offset + h->symbol.place.length};
    return true;
}

json_t *answer_hover(Server *s, const json_t *params, Failure *f) {
    Hover h = {.s = s};
    size_t offset;
    WordPlace at;
    Arena arena;
    jmp_buf oom;
    StrBuf out;
    if (!request_place(s, params, f, &h.d, &offset)) return NULL;
    h.offset = (uint32_t)offset;
    memset(&arena, 0, sizeof arena);
    if (setjmp(oom) != 0) out_of_memory();
    arena_init(&arena, &oom);
    sb_init(&out, &arena);
    h.out = &out;
    json_t *result = NULL;
    if (describe(&h, &at, &arena)) {
        while (out.len > 0 && out.data[out.len - 1] == '\n')
            out.data[--out.len] = '\0';
        result = packed("{s:o, s:o}", "contents", markup(s, sb_text(&out)), "range",
                        json_place(s, h.d, at.from, at.to));
    }
    arena_free(&arena);
    return result != NULL ? result : json_null();
}
