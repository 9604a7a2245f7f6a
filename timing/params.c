/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters of the model: the tables as they are built in, and replacements. */
#include "timing/prices.h"

#include <string.h>

const char *const origin_names[ORIGIN_COUNT] = {"measured", "call model", "relative",
                                                "default",  "borrowed",   "given"};

static const char *const micro_names[] = {
#define MICRO(id, name) name,
#include "timing/a2a3.def"
#undef MICRO
};

static const MicroCost device_costs[] = {
#define COST(id, width, slope, solo, chained, origin)                                              \
    {MICRO_##id, width, slope, solo, chained, origin},
#include "timing/a2a3.def"
#undef COST
};

static const MicroCost call_costs[] = {
#define CALL_COST(id, slope, solo) {MICRO_##id, 0, slope, solo, solo, CALL},
#include "timing/a2a3.def"
#undef CALL_COST
};

/* The least replacement of a number, by what it is for: below DIVISOR times are no longer exact. */
static const double ANY = 0, DIVISOR = 1e-3;

static const struct {
    const char *name;
    double device, vendor;
    Origin origin;
    const double *least;
} numbers[TIME_NUMBER_COUNT] = {
#define NUMBER(id, name, device, vendor, origin, least) {name, device, vendor, origin, &least},
#include "timing/a2a3.def"
#undef NUMBER
#define VECTOR_NUMBER(id, name, value, least) {name, value, value, CALL, &least},
#include "timing/a5.def"
#undef VECTOR_NUMBER
};

static_assert(sizeof device_costs / sizeof *device_costs <= MOST_COSTS, "MOST_COSTS");
static_assert(sizeof call_costs / sizeof *call_costs <= MOST_COSTS, "MOST_COSTS");

void params_init(TimeParams *p, Profile profile, Law law) {
    *p = (TimeParams){.profile = profile_model(profile), .law = law, .blocks = 1};
    const bool vendor = law == LAW_VENDOR;
    p->ncosts = vendor ? sizeof call_costs / sizeof *call_costs
                       : sizeof device_costs / sizeof *device_costs;
    memcpy(p->costs, vendor ? call_costs : device_costs, p->ncosts * sizeof *p->costs);
    for (int i = 0; i < TIME_NUMBER_COUNT; i++) {
        p->number[i] = vendor ? numbers[i].vendor : numbers[i].device;
        p->origin[i] = vendor ? CALL : numbers[i].origin;
    }
}

const char *params_name(unsigned i) {
    return i < TIME_NUMBER_COUNT        ? numbers[i].name
           : i == TIME_NUMBER_COUNT     ? "flag"
           : i == TIME_NUMBER_COUNT + 1 ? "issue"
                                        : NULL;
}

ParamsAnswer params_set(TimeParams *p, const char *name, double value) {
    unsigned i = 0;
    while (params_name(i) != NULL && strcmp(name, params_name(i)) != 0)
        i++;
    if (params_name(i) == NULL) return PARAMS_UNKNOWN;
    if (value < (i < TIME_NUMBER_COUNT ? *numbers[i].least : ANY)) return PARAMS_TOO_SMALL;
    *(i < TIME_NUMBER_COUNT    ? &p->number[i]
      : i == TIME_NUMBER_COUNT ? &p->flag
                               : &p->issue) = value;
    if (i < TIME_NUMBER_COUNT) p->origin[i] = ORIGIN_GIVEN;
    return PARAMS_SET;
}

bool params_set_cost(TimeParams *p, const char *name, int width, double slope, double solo,
                     double chained) {
    int op = 0;
    while (op < MICRO_COUNT && strcmp(name, micro_names[op]) != 0)
        op++;
    if (op == MICRO_COUNT) return false;
    unsigned i = 0;
    while (i < p->ncosts && (p->costs[i].op != (MicroOp)op || p->costs[i].width != width))
        i++;
    if (i == MOST_COSTS) return false;
    p->costs[i] = (MicroCost){(MicroOp)op, width, slope, solo, chained, ORIGIN_GIVEN};
    if (i == p->ncosts) p->ncosts++;
    return true;
}

/* The entry for elements of this width, else that of any; elements of a byte work as those of two.
 */
const MicroCost *params_cost(const TimeParams *p, MicroOp op, int width) {
    const MicroCost *any = NULL, *other = NULL;
    if (width == 1) width = 2;
    for (unsigned i = 0; i < p->ncosts; i++) {
        const MicroCost *c = &p->costs[i];
        if (c->op == op && c->width == width) return c;
        if (c->op == op && c->width == 0) any = c;
        if (c->op == MICRO_OTHER) other = c;
    }
    return any != NULL ? any : other;
}
