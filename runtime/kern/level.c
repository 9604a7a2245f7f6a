/* SPDX-License-Identifier: Apache-2.0 */
/* level.c - collects the bodies of all families for one instruction-set level. */
#include "kern/kern.h"

#include <stdbool.h>

/* PTRT_FAMILIES is FAMILY(name) for every family; the build defines it. */
#define FAMILY(family) extern const ptrt_body_list PTRT_LIST(family, PTRT_LEVEL);
PTRT_FAMILIES
#undef FAMILY
#define FAMILY(family) &PTRT_LIST(family, PTRT_LEVEL),
static const ptrt_body_list *const families[] = {PTRT_FAMILIES};
#undef FAMILY

/* A row of a family that is not in the build has no enumerator here. */
#define FAMILY(family) BUILT_##family,
enum built { PTRT_FAMILIES };
#define BUILT(family, id, ...) ROW_##id = BUILT_##family,
#define KERNEL BUILT
#define BODY BUILT
enum rows {
#include "ptort_kernels.def"
#include "ptort_micro.def"
};

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

extern const ptrt_movers PTRT_CAT(ptrt_movers, PTRT_LEVEL);
extern const struct ptrt_lanes PTRT_CAT(ptrt_lanes, PTRT_LEVEL);
extern const ptrt_level PTRT_CAT(ptrt_level, PTRT_LEVEL);
const ptrt_level PTRT_CAT(ptrt_level, PTRT_LEVEL) = {
    TEXT(PTRT_LEVEL), families, sizeof families / sizeof *families,
    &PTRT_CAT(ptrt_movers, PTRT_LEVEL), &PTRT_CAT(ptrt_lanes, PTRT_LEVEL)};
