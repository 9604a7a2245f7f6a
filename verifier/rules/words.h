/* SPDX-License-Identifier: Apache-2.0 */
/* Writes sets and rows of the rule table in words, for diagnostics and `ptoasm explain`. */
#ifndef VERIFIER_RULES_WORDS_H
#define VERIFIER_RULES_WORDS_H

#include "verifier/rules/rows.h"

enum { LAYOUT_NAMES = 6, FRACTAL_NAMES = 3, COMPACT_NAMES = 3, PAD_NAMES = 4 };
extern const char *const layout_names[LAYOUT_NAMES];
extern const char *const fractal_names[FRACTAL_NAMES];
extern const char *const compact_names[COMPACT_NAMES];
extern const char *const pad_names[PAD_NAMES];
extern const char *const dim_names[4];
extern const char *const relation_names[3];

/* An extent: `16`, or `?`. */
typedef struct ExtentWord {
    char text[24];
} ExtentWord;
ExtentWord extent_word(int64_t n);
/* Writes `i16, i32 or f32`, without the signed twins of signless integers. */
void put_elem_set(StrBuf *out, ElemSet set);
/* The same, with all low-precision types as one phrase. */
void put_elem_set_short(StrBuf *out, ElemSet set);
ElemSet low_precision_elems(void);
/* Returns what precedes entry `i` of `n` in a list: nothing, a comma, or `or`. */
const char *list_separator(unsigned i, unsigned n);
/* Writes the names of the bits of a set. */
void put_names(StrBuf *out, uint64_t set, const char *const *names, unsigned count);
/* Writes `1 to 4095 and a multiple of 16`. */
void put_range(StrBuf *out, const RuleRow *row);
/* Writes layouts; `row_major` and `col_major` name all three layouts with that blayout. */
void put_layouts(StrBuf *out, uint64_t set);
/* Writes the values of an attribute whose bits are set: words of its enumeration, or numbers. */
void put_attr_values(StrBuf *out, const AttrInfo *info, uint64_t set);
/* Writes `src0, src1 and dst`, what a row is about. */
void put_about(StrBuf *out, const InstRow *r);
/* The same and a colon; nothing when it names none. */
void put_subject(StrBuf *out, const InstRow *r);
bool row_names_several(const RuleRow *row);
/* Returns the first name of what a row is about, or "", and the name of the other operand. */
const char *row_a_text(const InstRow *r);
const char *row_b_text(const InstRow *r);
/* Returns the attribute that a row is about first; NULL: the instruction does not have it. */
const AttrInfo *row_attr(const InstRow *r);
/* Writes `src and dst`, the two sides of a relation. */
void put_both_operands(StrBuf *out, const InstRow *r);
/* Writes `f32 to f16 or bf16; i32 to i32`: pairs with the same left side together. */
void put_pairs(StrBuf *out, const uint8_t *list, void (*put)(StrBuf *, uint64_t));

#endif
