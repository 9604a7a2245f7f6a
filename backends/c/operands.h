/* SPDX-License-Identifier: Apache-2.0 */
/* Operands of a statement, for C that looks at the numbers in them (trap.c, shadow.c). */
#ifndef BACKENDS_C_OPERANDS_H
#define BACKENDS_C_OPERANDS_H

#include "backends/c/emitter.h"

static inline bool is_float_tile(const Value *v) {
    return v != NULL && type_is_tile(v->type) && v->type->kind != TY_TILE_ANY &&
           elem_is_float((Elem)v->type->elem);
}

/* Returns value `i` of a slot. */
static inline const Value *item_value(const LowerStmt *s, int slot, unsigned i) {
    if (i == 0) return stmt_value(s, slot);
    return stmt_items(s, slot) != NULL ? stmt_items(s, slot)[i].value : NULL;
}

static inline bool writes_slot(const SlotInfo *slot) {
    return slot->role == ROLE_WRITE || slot->role == ROLE_READWRITE;
}

/* Returns the name of a value as a string of C, such as "%x" with its quotes. */
static inline const char *quoted_name(Emitter *e, const Value *v) {
    const Interner *in = &e->ctx->names;
    StrBuf name;
    sb_init(&name, e->arena);
    put_c_string(&name, strf(e, "%%%.*s", (int)atom_len(in, v->name), atom_text(in, v->name)),
                 atom_len(in, v->name) + 1);
    return sb_text(&name);
}

#endif
