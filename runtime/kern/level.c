/* level.c - collects the bodies of all families for one instruction-set level. */
#include "kern/kern.h"

#include <stdbool.h>

#define FAMILY_LIST(family, level)                                                                 \
    extern const ptrt_body_list PTRT_CAT(ptrt_bodies_##family, level);
PTRT_FAMILIES(FAMILY_LIST, PTRT_LEVEL)
#define FAMILY_AT(family, level) &PTRT_CAT(ptrt_bodies_##family, level),
static const ptrt_body_list *const families[] = {PTRT_FAMILIES(FAMILY_AT, PTRT_LEVEL)};

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

extern const ptrt_movers PTRT_CAT(ptrt_movers, PTRT_LEVEL);
extern const ptrt_level PTRT_CAT(ptrt_level, PTRT_LEVEL);
const ptrt_level PTRT_CAT(ptrt_level, PTRT_LEVEL) = {TEXT(PTRT_LEVEL), families,
                                                     sizeof families / sizeof *families,
                                                     &PTRT_CAT(ptrt_movers, PTRT_LEVEL)};
