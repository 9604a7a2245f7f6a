/* SPDX-License-Identifier: Apache-2.0 */
/* The price of a statement: of vector instructions by their rule, of products and transfers. */
#include "timing/stream.h"

static const PriceRow price_rows[INST_COUNT] = {
#define PRICED(id, rule, op, second, third, cls, origin)                                           \
    [INST_##id] = {RULE_##rule, MICRO_##op, MICRO_##second, MICRO_##third, CLASS_##cls, origin},
#include "timing/prices.def"
#undef PRICED
};

const PriceRow *price_row(const Inst *inst) {
    return &price_rows[inst_id(inst_meant(inst))];
}

static int elem_width(Elem e) {
    return e != ELEM_NONE && elem_infos[e].bytes != 0 ? elem_infos[e].bytes : 4;
}

Price price_vector(const TimeParams *p, const Work *w, VectorState state) {
    const PriceRow *row = price_row(w->inst);
    int width = elem_width(w->from), wide = width;
    if (row->rule == RULE_CONVERT && elem_width(w->to) > wide) wide = elem_width(w->to);
    Stream s = {.p = p, .width = width, .state = state};
    rule_apply(&s, row, w, 256 / wide);
    return (Price){s.t, s.origin, s.state};
}

Price price_product(const TimeParams *p, Elem elem, int64_t m, int64_t k, int64_t n) {
    const int64_t tiles = ceil_div(m, 16) * ceil_div(k, 32 / elem_width(elem)) * ceil_div(n, 16);
    const TimeNumber each = elem == ELEM_F32 ? TIME_MAD_F32 : TIME_MAD;
    return (Price){(double)tiles * p->number[each] + p->number[TIME_MAD_HEAD],
                   origin_with(p, p->origin[each], TIME_MAD_HEAD), VECTOR_FRESH};
}

/* The numbers of each route; 0 for a start: none. */
static const struct {
    TimeNumber rate, start, total;
    bool started, moves_gm;
    bool pairs; /* the vendor's model counts elements of two bytes, whatever they are */
    bool extra; /* and a cycle for a register */
} routes[ROUTE_COUNT] = {
    [ROUTE_GM_UB] = {TIME_GM_UB, TIME_GM_UB_START, TIME_READ_TOTAL, true, true, false, false},
    [ROUTE_GM_L1] = {TIME_GM_L1, 0, TIME_READ_TOTAL, false, true, false, false},
    [ROUTE_UB_GM] = {TIME_UB_GM, TIME_UB_GM_START, TIME_WRITE_TOTAL, true, true, false, false},
    [ROUTE_L1_GM] = {TIME_L1_GM, 0, TIME_WRITE_TOTAL, false, true, false, false},
    [ROUTE_L0C_GM] = {TIME_L0C_GM, 0, TIME_WRITE_TOTAL, false, true, true, true},
    [ROUTE_L0C_L1] = {TIME_L0C_L1, 0, 0, false, false, true, false},
    [ROUTE_L1_L0A] = {TIME_L1_L0A, TIME_L1_L0A_START, 0, true, false, true, true},
    [ROUTE_L1_L0B] = {TIME_L1_L0B, TIME_L1_L0B_START, 0, true, false, true, true},
    [ROUTE_L1_BT] = {TIME_L1_BT, 0, 0, false, false, false, false},
    [ROUTE_L1_FB] = {TIME_L1_FB, 0, 0, false, false, false, false},
    [ROUTE_UB_UB] = {TIME_UB_UB, 0, 0, false, false, false, false},
};

Price price_transfer(const TimeParams *p, Route route, int64_t elements, int size) {
    const double gib = 1024.0 * 1024.0 * 1024.0, clock = params_clock(p);
    double rate = p->number[routes[route].rate] * gib / clock; /* bytes a cycle */
    Origin origin = p->origin[routes[route].rate];
    if (p->law == LAW_VENDOR && route == ROUTE_L1_L0B && size == 1)
        return (Price){(double)(elements / 256), origin, VECTOR_FRESH}; /* it transposes blocks */
    if (p->law == LAW_VENDOR) {
        const int64_t bytes = elements * (routes[route].pairs ? 2 : size);
        return (Price){(double)(int64_t)((double)bytes / rate) + routes[route].extra, origin,
                       VECTOR_FRESH};
    }
    if (routes[route].moves_gm && p->blocks > 1) {
        const double share = p->number[routes[route].total] * gib / clock / p->blocks;
        if (share < rate) {
            rate = share;
            origin = origin_with(p, origin, routes[route].total);
        }
    }
    if (routes[route].started) origin = origin_with(p, origin, routes[route].start);
    const double start = routes[route].started ? p->number[routes[route].start] : 0;
    return (Price){start + (double)(elements * size) / rate, origin, VECTOR_FRESH};
}
