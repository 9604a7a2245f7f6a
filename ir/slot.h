/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds of operands, and the kinds that a slot accepts, for the binder, the rules and explain. */
#ifndef IR_SLOT_H
#define IR_SLOT_H

#include "ir/type.h"

enum {
#define KIND(name, type, text) KIND_##name,
#include "ir/kinds.def"
#undef KIND
    KIND_COUNT
};
/* Sets of kinds. */
enum {
#define KIND(name, type, text) K_##name = 1 << KIND_##name,
#include "ir/kinds.def"
#undef KIND
    K_ANY_INT = K_INT | K_SIGNED_INT,
    K_SCALAR = K_ANY_INT | K_INDEX | K_FLOAT
};
extern const char *const kind_names[KIND_COUNT];

/* Returns the kinds of a type, 0 for none; a template has those of all types it may become. */
uint32_t type_kinds(const Type *t);
/* Returns the kinds of a scalar with this element type. */
uint32_t elem_kinds(Elem e);

typedef enum SlotKind {
#define SLOT(name, kinds, as_kinds, text) SLOT_##name,
#include "ir/slots.def"
#undef SLOT
    SLOT_COUNT
} SlotKind;
typedef struct SlotTypes {
    uint32_t kinds;    /* 0: anything */
    uint32_t as_kinds; /* in the PTO-AS form */
    const char *text;  /* in messages: `a tile` */
} SlotTypes;
extern const SlotTypes slot_types[SLOT_COUNT];

/* True when a literal may be the operand, a constant of the type that is written after it. */
static inline bool slot_takes_literal(SlotKind kind) {
    return kind == SLOT_INT || kind == SLOT_SCALAR || kind == SLOT_INTEGER || kind == SLOT_NUMBER;
}

/* True when the slot accepts the type in some form; the rule about kinds (verifier/rules/resolve.c)
 * considers the form. A value of type `none`, after an earlier error, always fits. */
static inline bool slot_accepts(SlotKind kind, const Type *t) {
    const uint32_t kinds = slot_types[kind].as_kinds;
    return kinds == 0 || (t->kinds & kinds) != 0;
}

#endif
