/* SPDX-License-Identifier: Apache-2.0 */
/* The instruction table, and lookup by name. */
#ifndef IR_INSTS_H
#define IR_INSTS_H

#include "ir/inst.h"
#include "ir/inst_ids.h"
#include "support/near.h"

extern const Inst inst_table[INST_COUNT];
/* Returns a text for readers, which is packed in the program; NULL: none. */
const char *inst_doc(DocRef ref);

/* Lists the slots in the order of the generic form; returns how many InstRare.generic names. */
unsigned inst_generic_order(const Inst *inst, uint8_t order[INST_MOST_OPERANDS]);
/* Finds the index of a slot; -1: the instruction has none of this name. */
int inst_slot(const Inst *inst, OperandName name);
/* The same for an attribute. */
int inst_attr(const Inst *inst, AttrName name);
/* The names of the slots and attributes of each instruction: those of row i begin at
 * slot_names[slot_starts[i]]. */
extern const uint16_t slot_names[], slot_starts[INST_COUNT]; /* OperandName */
extern const uint16_t attr_names[], attr_starts[INST_COUNT]; /* AttrName */
extern const char *const attr_texts[ATTR_COUNT];
/* The literal words of all formats, up to NULL, and the families of words that stand alone in them
 * (AT_WORD), up to EF_COUNT. */
extern const char *const format_words[];
extern const uint8_t format_families[];
/* Returns the name of the attribute that an instruction means by a key; ATTR_NONE: no row has it,
 * nor does attr_names.def. */
AttrName attr_name_find(const Inst *inst, const char *s, size_t n);
/* Find the index of a slot, result or attribute by the text of its name; -1: none. */
int inst_slot_named(const Inst *inst, const char *s, size_t n);
int inst_result_named(const Inst *inst, const char *s, size_t n);
/* The same for a slot or a result; results are counted on from the slots. */
int inst_operand_named(const Inst *inst, const char *s, size_t n);
/* Returns the name of a slot or result. */
const char *inst_operand_text(const Inst *inst, int operand);
int inst_attr_named(const Inst *inst, const char *s, size_t n); /* also by synonym */
/* True when statements may read or write elements. */
static inline bool inst_accesses(const Inst *inst) {
    return (inst->flags & (IF_NO_ACCESS | IF_TERMINATOR | IF_VIEW | IF_ALLOC)) == 0;
}
static inline InstId inst_id(const Inst *inst) {
    return (InstId)(inst - inst_table);
}

static inline AttrName inst_attr_name(const Inst *inst, int attr) {
    return (AttrName)attr_names[attr_starts[inst_id(inst)] + attr];
}
/* Returns the row that a spelling stands for; `inst` itself if it is no other spelling. */
static inline const Inst *inst_meant(const Inst *inst) {
    return inst->alias_of != INST_INVALID ? &inst_table[inst->alias_of] : inst;
}
/* Returns the next of a list, which moves on; NULL at the end. */
static inline const Inst *next_inst(InstList *list) {
    return *list != NULL && **list != INST_INVALID ? &inst_table[*(*list)++] : NULL;
}
/* Finds a row by name (`pto.tadds`, or a PTO-AS name without `pto.`); NULL: none. */
const Inst *inst_find(const char *s, size_t n);
/* Returns the most similar name to a misspelt one, or NULL. */
const char *inst_nearest(const char *s, size_t n);

#endif
