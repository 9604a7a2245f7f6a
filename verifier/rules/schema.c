/* SPDX-License-Identifier: Apache-2.0 */
/* Rules that follow from the schema of an instruction: the kinds of its operands, its required
 * attributes, and that the vendor's assembler does not have it. */
#include "verifier/rules/vocabulary.h"
#include "verifier/rules/written.h"

static const WrittenRow kinds[] = {
#define SLOT(name, kinds, as_kinds, text) OPERAND_KIND(BOTH, ALL, "", kinds),
#include "ir/slots.def"
#undef SLOT
};

#define ROWS(list, ...)                                                                            \
    {                                                                                              \
        .inst = list, .n = sizeof((const WrittenRow[]){__VA_ARGS__}) / sizeof(WrittenRow),         \
        .rows = (const WrittenRow[]) {                                                             \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

const WrittenList rules_schema[] = {
    ROWS(ROWS_OF_RESULTS, CHECK(BOTH, ANY, TILE_ELEMENT, "", check_result_element),
         CHECK(BOTH, ANY, TILE_ALIGN, "", check_result_align),
         CHECK(BOTH, ANY, TILE_BOX, "", check_result_box),
         CHECK(LIBRARY, ALL, TILE_BOX, "", check_result_fractal)),
    {.inst = ROWS_OF_KINDS, .n = sizeof kinds / sizeof *kinds, .rows = kinds},
    ROWS(ROWS_NOT_IN_PTOAS, NOT_IN_PTOAS(COMPAT, ALL, "")),
    ROWS(ROWS_VENDOR_FORM, CHECK(COMPAT, ALL, NOT_IN_PTOAS, "", check_vendor_form)),
    ROWS(ROWS_REQUIRED_ATTR, {.cond = C_ATTR_REQUIRED,
                              .id = DIAG_MISSING_ATTRIBUTE,
                              .when = BOTH,
                              .where = ALL,
                              .a = ""}),
    ROWS(ROWS_DEPRECATED, NOT_IN_PTOAS(DEPRECATED, ALL, "")),
    ROWS(ROWS_ABSENT, NOT_IN_PROFILE(BOTH, PROFILES_ALL)),
    {.inst = INST_INVALID},
};
