/* SPDX-License-Identifier: Apache-2.0 */
/* Computes the kinds of a type; the tables of kinds and slots. */
#include "ir/slot.h"

const char *const kind_names[KIND_COUNT] = {
#define KIND(name, type, text) text,
#include "ir/kinds.def"
#undef KIND
};

const SlotTypes slot_types[SLOT_COUNT] = {
#define SLOT(name, kinds, as_kinds, text) {kinds, as_kinds, text},
#include "ir/slots.def"
#undef SLOT
};

uint32_t elem_kinds(Elem e) {
    if (e == ELEM_INDEX) return K_INDEX;
    if (e == ELEM_I64) return K_INT | K_I64;
    if (e == ELEM_I1) return K_INT | K_I1;
    if (!elem_is_int(e)) return K_FLOAT;
    return elem_infos[e].cls == 'I' ? K_INT : K_SIGNED_INT;
}

uint32_t type_kinds(const Type *t) {
    static const uint8_t type_of[KIND_COUNT] = {
#define KIND(name, type, text) type,
#include "ir/kinds.def"
#undef KIND
    };
    if (t->kind == TY_SCALAR && t->elem == ELEM_ODD_INT)
        return t->sign == 'I' ? K_INT : K_SIGNED_INT;
    if (t->kind == TY_SCALAR) return elem_kinds((Elem)t->elem);
    if (t->kind == TY_TILE_ANY) return K_TILE;
    if (t->kind == TY_DTYPE) return K_ANY_INT | K_FLOAT;
    for (unsigned k = 0; k < KIND_COUNT; k++)
        if (type_of[k] == t->kind) return (uint32_t)1 << k;
    return 0;
}
