/* SPDX-License-Identifier: Apache-2.0 */
/* Pointers of gathers, scatters and blocks, which have no offset. */
#ifndef PASSES_LOWER_VMI_ROWS_H
#define PASSES_LOWER_VMI_ROWS_H

#include "passes/lower_vmi/lower.h"

/* True for a pointer, as gathers and scatters need it; else that is reported. */
bool rows_is_pointer(Lowering *l, const Value *pointer);
/* Addresses of registers are multiples of as many bytes. */
enum { VMI_ALIGNMENT = 32 };
typedef enum Alignment { UNKNOWN_ALIGNMENT, ALIGNED, UNALIGNED } Alignment;
/* What the constants of the text say of the address of pointer[offset], of lanes of `bits`. */
Alignment rows_alignment(const Value *pointer, const Value *offset, unsigned bits);
/* Loads or stores a register: also at addresses that are known to be unaligned. */
Value *rows_load(Lowering *l, Elem e, Value *pointer, Value *offset);
bool rows_store(Lowering *l, Value *value, Value *pointer, Value *offset, Value *mask);
/* Returns the pointer moved by an offset; NULL: it is no pointer, which was reported. */
Value *rows_pointer(Lowering *l, Value *pointer, Value *offset);

#endif
