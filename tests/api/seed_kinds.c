/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of single errors. Each picks a place of the parsed program and changes its text. */
#include "ir/foreign.h"
#include "ir/number.h"
#include "parser/type_places.h"
#include "seeds.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- scalars ---- */

static bool is_constant(const Program *p, const Op *op, unsigned i) {
    Span place;
    const Type *written;
    return i == 0 && op_is(op, INST_CONSTANT) && op->form != OPF_GENERIC && op->nresults == 1 &&
           op->results[0].name != 0 && value_type_place(&p->ctx, &op->results[0], &place, &written);
}

static bool type_of_constant(Program *p, Seed *seed) {
    Site site;
    Span place;
    const Type *written;
    if (!pick_site(p, is_constant, &site)) return false;
    value_type_place(&p->ctx, &site.op->results[0], &place, &written);
    static const char *const ints[] = {"index", "i32", "i64", "i16"};
    static const char *const floats[] = {"f32", "f16", "bf16"};
    const char *with = type_is_float(written) ? floats[seed_pick(3)] : ints[seed_pick(4)];
    if (strncmp(text_at(p, place), with, strlen(with)) == 0) return false;
    change(seed, place, "%s", with);
    seed->value = &site.op->results[0];
    return true;
}

/* Blanks out a statement; the lines stay. */
static void leave_out(Program *p, Seed *seed, const Op *op) {
    (void)p;
    change(seed, op->span, "%s", "");
}

static bool is_cast(const Program *p, const Op *op, unsigned i) {
    (void)p;
    return i == 0 && op_is(op, INST_INDEX_CAST) && has_operand(op, 0);
}

/* Gives the uses of a value another name. */
typedef struct Rename {
    Seed *seed;
    const Value *value;
    const char *text;
} Rename;

static bool rename_uses(Op *op, void *arg) {
    Rename *r = arg;
    for (unsigned i = 0; i < op->noperands; i++)
        if (op->operands[i].value == r->value && op->operands[i].span.len > 0)
            change(r->seed, op->operands[i].span, "%s", r->text);
    return true;
}

static bool cast_left_out(Program *p, Seed *seed) {
    Site site;
    char name[100];
    if (!pick_site(p, is_cast, &site)) return false;
    const Value *from = site.op->operands[0].value;
    snprintf(name, sizeof name, "%%%.*s", (int)atom_len(&p->ctx.names, from->name),
             atom_text(&p->ctx.names, from->name));
    Rename r = {seed, &site.op->results[0], name};
    leave_out(p, seed, site.op);
    op_walk(op_function(site.op), rename_uses, &r);
    seed->value = &site.op->results[0];
    return seed->nchanges > 1;
}

/* ---- tcvt ---- */

static bool is_conversion(const Program *p, const Op *op, unsigned i) {
    (void)p;
    return i == 0 && op_is(op, INST_TCVT) && op->form == OPF_DPS && has_operand(op, 0);
}

/* The next statement that reads a value; NULL when it is written first. */
static Op *next_reader(const Op *op, const Value *v, unsigned *at) {
    for (Op *next = op->next; next != NULL; next = next->next)
        for (unsigned i = 0; i < next->noperands; i++) {
            if (next->operands[i].value != v) continue;
            *at = i;
            const char *name = op_operand_name(next, i);
            int slot = name != NULL ? inst_slot_named(next->inst, name, strlen(name)) : -1;
            return slot >= 0 && next->inst->slots[slot].role == ROLE_READ ? next : NULL;
        }
    return NULL;
}

static bool conversion_left_out(Program *p, Seed *seed) {
    Site site;
    unsigned i;
    Span place;
    const Type *written;
    if (!pick_site(p, is_conversion, &site)) return false;
    const Operand *from = &site.op->operands[0];
    const Value *to = named_value(site.op, OPERAND_dst);
    Op *reader = to != NULL ? next_reader(site.op, to, &i) : NULL;
    if (reader == NULL ||
        !operand_type_place(&p->ctx, reader, &reader->operands[i], &place, &written))
        return false;
    leave_out(p, seed, site.op);
    change(seed, reader->operands[i].span, "%.*s", (int)from->span.len, text_at(p, from->span));
    change(seed, place, TYPE_FMT, TYPE_ARG(&p->ctx.names, from->value->type));
    seed->op = reader;
    seed->operand = op_operand_name(reader, i);
    return true;
}

/* ---- views and addresses ---- */

static bool is_view(const Program *p, const Op *op, unsigned i) {
    (void)p;
    return i == 0 && op_is(op, INST_MAKE_TENSOR_VIEW) && op->form != OPF_GENERIC;
}

/* One stride too few, or one too many. */
static bool rank_of_strides(Program *p, Seed *seed) {
    Site site;
    if (!pick_site(p, is_view, &site)) return false;
    const int slot = inst_slot(site.op->inst, OPERAND_strides);
    const Operand *o = slot >= 0 ? slot_operands(site.op, slot) : NULL;
    const unsigned n = slot >= 0 ? slot_count(site.op, slot) : 0;
    if (n < 2) return false;
    if (seed_pick(2) == 0) {
        const uint32_t end = o[n - 2].span.off + o[n - 2].span.len;
        change(seed, (Span){end, o[n - 1].span.off + o[n - 1].span.len - end}, "%s", "");
    } else {
        change(seed, (Span){o[0].span.off, 0}, "%.*s, ", (int)o[0].span.len, text_at(p, o[0].span));
    }
    seed->op = site.op;
    seed->operand = "strides";
    return true;
}

static bool has_address(const Program *p, const Op *op, unsigned i) {
    const Value *v = i < op->noperands ? op->operands[i].value : NULL;
    const char *name = v != NULL ? op_operand_name(op, i) : NULL;
    return op_is(op, INST_ALLOC_TILE) && name != NULL && strcmp(name, "addr") == 0 &&
           v->def != NULL && is_constant(p, v->def, 0);
}

static bool unaligned_address(Program *p, Seed *seed) {
    Site site;
    int64_t n;
    if (!pick_site(p, has_address, &site)) return false;
    const Op *def = site.op->operands[site.i].value->def;
    const Attr *number = def->attrs[0].value;
    if (!number_written(&def->results[0], &n)) return false;
    const char *s = text_at(p, number->span);
    change(seed, (Span){number->span.off, (uint32_t)strspn(s, "0123456789")}, "%lld",
           (long long)(n + 1 + seed_pick(30)));
    seed->value = &def->results[0];
    return isdigit((unsigned char)*s) && s[1] != 'x';
}

/* ---- names ---- */

static bool is_tile_instruction(const Program *p, const Op *op, unsigned i) {
    (void)p;
    return i == 0 && strncmp(op->inst->name, "pto.t", 5) == 0 && op->form != OPF_GENERIC &&
           op->name_span.len == strlen(op->inst->name);
}

/* Leaves out, doubles or swaps characters, never the first `keep`. */
static void misspell(const char *s, size_t n, size_t keep, char out[100]) {
    const size_t i = keep + seed_pick((uint32_t)(n - keep - 1));
    switch (seed_pick(3)) {
    case 0:
        snprintf(out, 100, "%.*s%.*s", (int)i, s, (int)(n - i - 1), s + i + 1);
        break;
    case 1:
        snprintf(out, 100, "%.*s%.*s", (int)i + 1, s, (int)(n - i), s + i);
        break;
    default:
        snprintf(out, 100, "%.*s%c%c%.*s", (int)i, s, s[i + 1], s[i], (int)(n - i - 2), s + i + 2);
    }
}

static bool misspelt_instruction(Program *p, Seed *seed) {
    Site site;
    char name[100];
    if (!pick_site(p, is_tile_instruction, &site) || site.op->name_span.len < 8) return false;
    misspell(site.op->inst->name, strlen(site.op->inst->name), 6, name);
    change(seed, site.op->name_span, "%s", name);
    return true;
}

/* Is `pto.` and the name a micro-instruction? */
static bool is_micro(const char *name) {
    char text[100];
    const int n = snprintf(text, sizeof text, "pto.%s", name);
    const Inst *inst = inst_find(text, (size_t)n);
    return inst != NULL && inst_is_micro(inst);
}

static bool foreign_instruction(Program *p, Seed *seed) {
    static const char *const modules[] = {"tl.", "torch.", "np.", "pto.", "pto.t", ""};
    Site site;
    Foreign row;
    const char *found = NULL;
    unsigned n = 0;
    if (!pick_site(p, is_tile_instruction, &site)) return false;
    for (unsigned i = 0; (row = foreign_at(i)).name != NULL; i++)
        if (strcmp(row.inst, site.op->inst->name) == 0 && !is_micro(row.name) &&
            seed_pick(++n) == 0)
            found = row.name;
    if (found == NULL) return false;
    change(seed, site.op->name_span, "%s%s", modules[seed_pick(6)], found);
    return true;
}

static bool named_use(const Program *p, const Op *op, unsigned i) {
    return strncmp(op->inst->name, "pto.", 4) == 0 && has_operand(op, i) &&
           atom_len(&p->ctx.names, op->operands[i].value->name) > 2;
}

static bool misspelt_value(Program *p, Seed *seed) {
    Site site;
    char name[100];
    if (!pick_site(p, named_use, &site)) return false;
    const Operand *o = &site.op->operands[site.i];
    const size_t n = atom_len(&p->ctx.names, o->value->name);
    if (n > 60) return false;
    misspell(atom_text(&p->ctx.names, o->value->name), n, 1, name);
    change(seed, o->span, "%%%s", name);
    seed->op = site.op;
    seed->operand = op_operand_name(site.op, site.i);
    return true;
}

static bool has_words(const Program *p, const Op *op, unsigned i) {
    (void)p;
    for (unsigned k = 0; i == 0 && k < op->nattrs; k++)
        if (op->attrs[k].value->kind == ATTR_ENUM && op->form != OPF_GENERIC &&
            op->attrs[k].value->span.len > 4 && op->attrs[k].value->alias == 0)
            return true;
    return false;
}

/* A word of an enumeration, without its prefix or misspelt. */
static bool word_of_attribute(Program *p, Seed *seed) {
    Site site;
    char text[100];
    if (!pick_site(p, has_words, &site)) return false;
    const NamedAttr *a = &site.op->attrs[seed_pick(site.op->nattrs)];
    if (a->value->kind != ATTR_ENUM || a->value->alias != 0) return false;
    const char *word = enum_infos[a->value->family].values[a->value->i].text;
    const char *s = text_at(p, a->value->span), *at = NULL;
    const char *end = s + a->value->span.len, *bar = strrchr(word, '_');
    for (const char *t = s; t + strlen(word) <= end; t++)
        if (memcmp(t, word, strlen(word)) == 0) at = t;
    if (at == NULL || strlen(word) < 4) return false;
    const Span place = {(uint32_t)(at - p->source.data), (uint32_t)strlen(word)};
    if (bar != NULL && seed_pick(2) == 0)
        snprintf(text, sizeof text, "%s", bar + 1);
    else
        misspell(word, strlen(word), 1, text);
    change(seed, place, "%s", text);
    seed->op = site.op;
    int i = inst_attr_named(site.op->inst, atom_text(&p->ctx.names, a->name),
                            atom_len(&p->ctx.names, a->name));
    seed->operand = i >= 0 ? site.op->inst->attrs[i].name : NULL;
    return i >= 0;
}

const SeedKind seed_kinds[] = {
    {"types", "element of a use", element_of_use},
    {"types", "element of a type", element_of_type},
    {"types", "type of a constant", type_of_constant},
    {"shapes", "extent of a use", extent_of_use},
    {"shapes", "extent of a type", extent_of_type},
    {"shapes", "valid region of a type", valid_of_type},
    {"shapes", "rank of strides", rank_of_strides},
    {"casts", "index_cast left out", cast_left_out},
    {"casts", "tcvt left out", conversion_left_out},
    {"locations", "location of a use", space_of_use},
    {"locations", "location of a type", space_of_type},
    {"locations", "unaligned address", unaligned_address},
    {"layouts", "layout of a type", layout_of_type},
    {"layouts", "boxes of a type", box_of_type},
    {"layouts", "column as a row in a use", column_as_row},
    {"layouts", "column as a row in a type", column_of_type},
    {"names", "misspelt instruction", misspelt_instruction},
    {"names", "instruction of another language", foreign_instruction},
    {"names", "misspelt value", misspelt_value},
    {"names", "word of an attribute", word_of_attribute},
};
const unsigned seed_kind_count = sizeof seed_kinds / sizeof seed_kinds[0];
