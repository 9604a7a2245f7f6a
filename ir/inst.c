/* SPDX-License-Identifier: Apache-2.0 */
/* Looks instructions, slots and attributes up by name. pack_insts writes the table. */
#include "ir/insts.h"

#include <string.h>

const FamilyInfo family_infos[FAM_COUNT] = {
#define FAMILY(id, name, summary, level) {name, summary, LEVEL_##level},
#include "ir/families.def"
#undef FAMILY
};

static bool text_is(const char *text, const char *s, size_t n) {
    return text != NULL && strlen(text) == n && memcmp(text, s, n) == 0;
}

int inst_slot(const Inst *inst, OperandName name) {
    const uint16_t *names = slot_names + slot_starts[inst_id(inst)];
    for (int i = 0; i < inst->nslots; i++)
        if (names[i] == name) return i;
    return -1;
}

int inst_attr(const Inst *inst, AttrName name) {
    const uint16_t *names = attr_names + attr_starts[inst_id(inst)];
    for (int i = 0; i < inst->nattrs; i++)
        if (names[i] == name) return i;
    return -1;
}

int inst_slot_named(const Inst *inst, const char *s, size_t n) {
    for (int i = 0; i < inst->nslots; i++)
        if (text_is(inst->slots[i].name, s, n)) return i;
    return -1;
}

int inst_result_named(const Inst *inst, const char *s, size_t n) {
    for (int i = 0; i < inst->nresults; i++)
        if (text_is(inst->results[i].name, s, n)) return i;
    return -1;
}

int inst_operand_named(const Inst *inst, const char *s, size_t n) {
    const int slot = inst_slot_named(inst, s, n);
    const int result = slot < 0 ? inst_result_named(inst, s, n) : -1;
    return result >= 0 ? inst->nslots + result : slot;
}

const char *inst_operand_text(const Inst *inst, int operand) {
    return operand < inst->nslots ? inst->slots[operand].name
                                  : inst->results[operand - inst->nslots].name;
}

int inst_attr_named(const Inst *inst, const char *s, size_t n) {
    for (int i = 0; i < inst->nattrs; i++)
        if (text_is(inst->attrs[i].name, s, n) || text_is(inst->attrs[i].synonym, s, n)) return i;
    return -1;
}

AttrName attr_name_find(const Inst *inst, const char *s, size_t n) {
    const int known = inst_attr_named(inst, s, n);
    if (known >= 0) return inst_attr_name(inst, known);
    int name = ATTR_COUNT - 1;
    while (name > 0 && (attr_texts[name][0] != *s || !text_is(attr_texts[name], s, n)))
        name--;
    return (AttrName)name;
}

unsigned inst_generic_order(const Inst *inst, uint8_t order[INST_MOST_OPERANDS]) {
    uint32_t seen = 0;
    unsigned n = 0;
    for (SlotList at = inst->rare->generic; at != NULL && *at != 0; at++) {
        order[n++] = (uint8_t)(*at - 1);
        seen |= 1u << (*at - 1);
    }
    unsigned named = inst->rare->generic != NULL ? n : inst->nslots;
    for (uint8_t s = 0; s < inst->nslots; s++)
        if ((seen >> s & 1) == 0) order[n++] = s;
    return named;
}

/* Names that may lack their dialect: those of custom forms, and every PTO-AS name. */
static const struct {
    const char *text;
    InstId id;
} short_names[] = {{"module", INST_MODULE}, {"return", INST_RETURN}, {"call", INST_CALL}};

const Inst *inst_find(const char *s, size_t n) {
    for (size_t i = 0; i < sizeof short_names / sizeof short_names[0]; i++)
        if (text_is(short_names[i].text, s, n)) return &inst_table[short_names[i].id];
    for (int i = 1; i < INST_COUNT; i++) {
        const char *name = inst_table[i].name;
        if (text_is(name, s, n) || (strncmp(name, "pto.", 4) == 0 && text_is(name + 4, s, n)))
            return &inst_table[i];
    }
    return NULL;
}

const char *inst_nearest(const char *s, size_t n) {
    const char *best = NULL;
    bool dotted = memchr(s, '.', n) != NULL;
    size_t stem = n > 4 && memcmp(s, "pto.", 4) == 0 ? n - 4 : n;
    const unsigned limit = stem < 4 ? 1 : stem < 8 ? 2 : 3;
    unsigned least = limit * EDIT_COST + 1;
    for (int i = 1; i < INST_COUNT; i++) {
        const char *name = inst_table[i].name;
        const char *compare = !dotted && strncmp(name, "pto.", 4) == 0 ? name + 4 : name;
        unsigned d = edit_cost(s, n, compare, strlen(compare), limit);
        if (d < least) {
            best = compare;
            least = d;
        }
    }
    return best;
}
