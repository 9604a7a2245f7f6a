/* SPDX-License-Identifier: Apache-2.0 */
/* Vector code on a5: the curve of an instruction, that of its class, or latencies and intervals. */
#include "timing/stream.h"

#include <string.h>

typedef enum CurveShape { JOINED, BY_ROWS } CurveShape;
typedef struct Curve {
    uint16_t inst;
    uint8_t from, to, shape;
    const char *variant;
    double a, b, c;
} Curve;

static const Curve curves[] = {
#define CURVE(id, from, to, shape, variant, a, b, c)                                               \
    {INST_##id, ELEM_##from, ELEM_##to, shape, variant, a, b, c},
#include "timing/a5.def"
#undef CURVE
};

static const struct {
    CurveClass cls;
    uint8_t elem, shape;
    Curve curve;
} classes[] = {
#define CLASS_CURVE(cls, elem, shape, a, b, c)                                                     \
    {CLASS_##cls, ELEM_##elem, shape, {0, ELEM_##elem, ELEM_NONE, shape, "", a, b, c}},
#include "timing/a5.def"
#undef CLASS_CURVE
};

static const struct {
    uint16_t inst;
    uint8_t from, to, units;
    double latency, interval;
} steps[] = {
#define STEP(id, from, to, units, latency, interval)                                               \
    {INST_##id, ELEM_##from, ELEM_##to, UNITS_##units, latency, interval},
#include "timing/a5.def"
#undef STEP
};

/* Lanes of a register, as the curves count them. */
static int64_t lanes(Elem e) {
    if (elem_is_fp4(e)) return 256;
    if (elem_infos[e].cls == 'L') return 64;
    return e == ELEM_NONE || elem_infos[e].bytes == 0 ? 64 : 256 / elem_infos[e].bytes;
}

static bool is_half(Elem e) {
    return e == ELEM_F16 || e == ELEM_BF16;
}

static bool is_narrow(Elem e) {
    return elem_infos[e].cls == 'L';
}

/* Elements of a repeat of a conversion. */
static int64_t converted(const Work *w, CurveShape shape) {
    if (is_half(w->from) && w->to == ELEM_F32) return 64;
    const bool narrows = (w->from == ELEM_F32 && (is_half(w->to) || is_narrow(w->to))) ||
                         (is_half(w->from) && (w->to == ELEM_F16 || is_narrow(w->to)));
    return shape == BY_ROWS && narrows ? 128 : lanes(w->from);
}

static const char *usual_variant(const Work *w, CurveShape shape, int64_t n) {
    if (inst_id(w->inst) == INST_TRECIP) return "default";
    if (inst_id(w->inst) == INST_TCVT) return "CAST_RINT_SAT_ON_normal";
    if (inst_id(w->inst) != INST_TSEL) return "";
    if (elem_infos[w->from].bytes < 4) return "TSel_b16_8";
    if (shape == BY_ROWS) return "TSel_b32";
    return n % 2 == 0 ? "TSel_b32_even" : "TSel_b32_odd";
}

/* Two published curves fall as the size grows: they are not used. */
static const Curve *find_curve(const Work *w, CurveShape shape, const char *variant) {
    const uint8_t to = inst_id(w->inst) == INST_TCVT ? (uint8_t)w->to : (uint8_t)ELEM_NONE;
    for (size_t i = 0; i < sizeof curves / sizeof *curves; i++) {
        const Curve *c = &curves[i];
        if (c->inst == inst_id(w->inst) && c->from == w->from && c->to == to && c->shape == shape &&
            c->a >= 0 && strcmp(c->variant, variant) == 0)
            return c;
    }
    return NULL;
}

static const Curve *class_curve(CurveClass cls, Elem from, CurveShape shape) {
    const Curve *any = NULL;
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        if (classes[i].cls != cls || classes[i].shape != shape) continue;
        if (classes[i].elem == from) return &classes[i].curve;
        if (classes[i].elem == ELEM_NONE || any == NULL) any = &classes[i].curve;
    }
    return any;
}

/* The entry for these elements, else that for f32, else a usual operation. */
StepCost step_cost(InstId op, Elem from, Elem to) {
    StepCost c = {UNITS_BOTH, 7, 1, false};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        const bool any = steps[i].to == ELEM_NONE;
        const bool same = steps[i].from == from && (any || steps[i].to == to);
        const bool close = steps[i].from == ELEM_F32 && any && !c.known;
        if (steps[i].inst != op || (!same && !close)) continue;
        c = (StepCost){(StepUnits)steps[i].units, steps[i].latency, steps[i].interval, true};
        if (same) break;
    }
    return c;
}

Price price_steps(const TimeParams *p, InstId op, Elem from, Elem to, int64_t n, int64_t rows,
                  int loads) {
    const StepCost c = step_cost(op, from, to);
    double step = c.units == UNITS_BOTH ? c.interval / 2 : c.interval;
    if (step < loads / p->number[TIME_LOAD_PORTS]) step = loads / p->number[TIME_LOAD_PORTS];
    if (step < 1) step = 1;
    const double first = p->number[TIME_VF_FIXED] + c.latency;
    Origin origin = origin_with(p, c.known ? CALL : RELATIVE, TIME_VF_FIXED);
    origin = origin_with(p, origin, TIME_LOAD_PORTS);
    origin = origin_with(p, origin, TIME_LOOP_GAP);
    if (rows == 1 || n == 1)
        return (Price){first + (double)(n * rows - 1) * step, origin, VECTOR_FRESH};
    double row = (double)n * step + 1;
    if (row < p->number[TIME_LOOP_GAP]) row = p->number[TIME_LOOP_GAP];
    return (Price){first + (double)n * step + (double)(rows - 1) * row, origin, VECTOR_FRESH};
}

static InstId reduction(MicroOp op) {
    return op == MICRO_VCADD ? INST_VCADD : op == MICRO_VCMAX ? INST_VCMAX : INST_VCMIN;
}

Price price_curve(const TimeParams *p, const Work *w) {
    const PriceRow *row = price_row(w->inst);
    const bool joins = w->vcols == w->cols || (w->rows == 1 && row->rule != RULE_SCALAR);
    const CurveShape shape = joins ? JOINED : BY_ROWS;
    const int64_t lane = row->rule == RULE_CONVERT ? converted(w, shape) : lanes(w->from);
    const int64_t n = ceil_div(joins ? w->vrows * w->vcols : w->vcols, lane);
    const char *variant = w->variant != NULL ? w->variant : usual_variant(w, shape, n);
    const Curve *c = find_curve(w, shape, variant);
    Origin origin = CALL;
    if (c == NULL && w->variant != NULL) {
        c = find_curve(w, shape, usual_variant(w, shape, n));
        origin = RELATIVE;
    }
    if (c == NULL && row->cls == CLASS_REDUCE && row->rule == RULE_ROW_REDUCE)
        return price_steps(p, reduction(row->second), w->from, w->from,
                           ceil_div(w->vcols, lanes(w->from)), w->vrows, 1);
    if (c == NULL) {
        c = class_curve(row->cls, w->from, shape);
        origin = row->rule == RULE_NONE ? DEFAULT : RELATIVE;
    }
    const double line = c->a * (double)n + c->b;
    return (Price){joins ? line : line * (double)w->vrows + c->c, origin, VECTOR_FRESH};
}
