/* SPDX-License-Identifier: Apache-2.0 */
/* family.h - the list of a family's bodies, for the end of kern/<family>.c: the rows that name the
 * family, of ptort_micro.def where kern/micro.h is included, else of ptort_kernels.def. The build
 * defines PTRT_FAMILY as its name and PTRT_IN_<name> as a comma. */
#include "kern/kern.h"

/* Expands to `mine` if `probe` is a comma, else to `other`. */
#define PTRT_IF_MINE(probe, mine, other) PTRT_SECOND(probe mine, other, )
#define PTRT_SECOND(...) PTRT_SECOND_(__VA_ARGS__)
#define PTRT_SECOND_(first, second, ...) second

#define PTRT_NO_ROWS(...)
#define PTRT_ROW(id, body, suffix, E1, E2)                                                         \
    {PTRT_##id, PTRT_##E1, PTRT_##E2, (ptrt_body)body##_##suffix},
#define PTRT_MY_ROWS(family, id, name, when, driver, args, elems, types, body)                     \
    PTRT_IF_MINE(PTRT_IN_##family, PTRT_TYPES_##types, PTRT_NO_ROWS)(PTRT_ROW, id, body)
#define KERNEL PTRT_MY_ROWS
#define BODY PTRT_MY_ROWS
static const ptrt_body_row rows[] = {
#ifdef PTORT_KERN_MICRO_H
#include "ptort_micro.def"
#else
#include "ptort_kernels.def"
#endif
};

extern const ptrt_body_list PTRT_LIST(PTRT_FAMILY, PTRT_LEVEL);
const ptrt_body_list PTRT_LIST(PTRT_FAMILY, PTRT_LEVEL) = {rows, sizeof rows / sizeof *rows};
