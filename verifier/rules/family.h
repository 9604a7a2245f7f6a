/* SPDX-License-Identifier: Apache-2.0 */
/* The body of a translation unit that holds the rule rows of one family: ROW_TABLE is the name of
 * the table, ROW_FILE the file of its rows. Macros of a family end with its unit.
 *
 * In that file RULES(instruction, rows...) gives the rows in the order in which they are tried, and
 * RULES_AS(instruction, other) says that the rows of another instruction count for this one.
 * An instruction exists under the profiles that its rows name; RULES_AND(instruction, profiles,
 * rows...) names more, which make no demands, and NO_RULES(instruction, profiles) has no rows. */
#include "verifier/rules/conversions.h"
#include "verifier/rules/vocabulary.h"
#include "verifier/rules/written.h"

#define RULES(id, ...)                                                                             \
    {.inst = INST_##id,                                                                            \
     .n = sizeof((const WrittenRow[]){__VA_ARGS__}) / sizeof(WrittenRow),                          \
     .rows = (const WrittenRow[]){__VA_ARGS__}},
#define RULES_AS(id, other) {.inst = INST_##id, .same_as = INST_##other},
#define RULES_AND(id, profiles, ...)                                                               \
    {.inst = INST_##id,                                                                            \
     .where = (profiles),                                                                          \
     .n = sizeof((const WrittenRow[]){__VA_ARGS__}) / sizeof(WrittenRow),                          \
     .rows = (const WrittenRow[]){__VA_ARGS__}},
#define NO_RULES(id, profiles) {.inst = INST_##id, .where = (profiles)},

const WrittenList ROW_TABLE[] = {
#include ROW_FILE
    {.inst = INST_INVALID}};
