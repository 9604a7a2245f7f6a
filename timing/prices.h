/* SPDX-License-Identifier: Apache-2.0 */
/* How many cycles a statement keeps its pipe busy: parameters as data, and about a dozen rules that
 * make operations of the pipe of an instruction. */
#ifndef TIMING_PRICES_H
#define TIMING_PRICES_H

#include "ir/insts.h"
#include "ir/profile.h"

/* Which published figures are followed. LAW_DEVICE: measurements on devices where there are any;
 * LAW_VENDOR: the vendor's model of calls, to compare with its simulator. */
typedef enum Law { LAW_DEVICE, LAW_VENDOR } Law;

/* What a figure rests on, the weakest last. */
typedef enum Origin {
    ORIGIN_MEASURED, /* on a device */
    ORIGIN_CALL,     /* a model that the vendor published */
    ORIGIN_RELATIVE, /* the nearest instruction that has a price */
    ORIGIN_DEFAULT,  /* an instruction of usual speed */
    ORIGIN_BORROWED, /* another chip */
    ORIGIN_GIVEN,    /* the caller replaced a figure that it rests on */
    ORIGIN_COUNT
} Origin;
#define MEASURED ORIGIN_MEASURED
#define CALL ORIGIN_CALL
#define RELATIVE ORIGIN_RELATIVE
#define DEFAULT ORIGIN_DEFAULT
extern const char *const origin_names[ORIGIN_COUNT];

/* ---- parameters ---- */

typedef enum MicroOp {
#define MICRO(id, name) MICRO_##id,
#include "timing/a2a3.def"
#undef MICRO
    MICRO_COUNT
} MicroOp;

typedef enum TimeNumber {
#define NUMBER(id, ...) TIME_##id,
#include "timing/a2a3.def"
#undef NUMBER
#define VECTOR_NUMBER(id, ...) TIME_##id,
#include "timing/a5.def"
#undef VECTOR_NUMBER
    TIME_NUMBER_COUNT
} TimeNumber;

typedef struct MicroCost {
    MicroOp op;
    int width;                   /* bytes of an element; 0: any */
    double slope, solo, chained; /* cycles a repeat, of the start, of the start after a barrier */
    Origin origin;
} MicroCost;

enum { MOST_COSTS = 64 };
/* The parameters of a model, which a file may replace. */
typedef struct TimeParams {
    Profile profile; /* the model of the chip */
    Law law;
    MicroCost costs[MOST_COSTS];
    unsigned ncosts;
    double number[TIME_NUMBER_COUNT];
    Origin origin[TIME_NUMBER_COUNT];
    double flag, issue; /* cycles of a flag until it arrives, and between two issues */
    unsigned blocks;    /* that share the global memory; 1: no contention */
} TimeParams;

void params_init(TimeParams *p, Profile profile, Law law);
/* Returns the name of the number i that can be replaced; NULL after the last one. */
const char *params_name(unsigned i);
/* Replaces a number. What other numbers are divided by cannot be as small as the rest. */
typedef enum ParamsAnswer { PARAMS_SET, PARAMS_UNKNOWN, PARAMS_TOO_SMALL } ParamsAnswer;
ParamsAnswer params_set(TimeParams *p, const char *name, double value);
/* Replaces a cost; false when there is no operation of this name. */
bool params_set_cost(TimeParams *p, const char *name, int width, double slope, double solo,
                     double chained);
const MicroCost *params_cost(const TimeParams *p, MicroOp op, int width);
/* The origin of what rests on a number too, which the caller may have replaced. */
static inline Origin origin_with(const TimeParams *p, Origin o, TimeNumber n) {
    return p->origin[n] == ORIGIN_GIVEN ? ORIGIN_GIVEN : o;
}
/* Cycles a second. */
static inline double params_clock(const TimeParams *p) {
    return p->number[TIME_CLOCK_MHZ] * 1e6;
}

/* ---- prices ---- */

/* How the vector pipe is when an instruction begins. */
typedef enum VectorState {
    VECTOR_FRESH,   /* nothing ran */
    VECTOR_DRAINED, /* after a barrier */
    VECTOR_RUNNING  /* another operation precedes */
} VectorState;

/* What decides the price of a statement. */
typedef struct Work {
    const Inst *inst;
    Elem from, to;        /* elements of the tile that decides, and of the result */
    int64_t rows, cols;   /* of its shape */
    int64_t vrows, vcols; /* of its valid region */
    bool tree;            /* a sum of columns with scratch */
    int64_t block;        /* elements of a run that is merged; 0: not known */
    const char *variant;  /* of a curve; NULL: the usual one */
} Work;

typedef struct Price {
    double cycles;
    Origin origin;
    VectorState state; /* in which the statement leaves the vector pipe */
} Price;

/* Says that the price is that of another chip. */
static inline void price_borrow(Price *p) {
    if (p->origin != ORIGIN_GIVEN) p->origin = ORIGIN_BORROWED;
}

/* Prices an instruction on tiles in vec. */
Price price_vector(const TimeParams *p, const Work *w, VectorState state);
/* The same by the curves of a5. */
Price price_curve(const TimeParams *p, const Work *w);
/* Prices `n` turns of one operation of a vector function on a5, on elements `from` with results of
 * elements `to`, with so many loads a turn. */
Price price_steps(const TimeParams *p, InstId op, Elem from, Elem to, int64_t n, int64_t rows,
                  int loads);
/* The units of a vector core that an operation of a function takes, and how long. */
typedef enum StepUnits { UNITS_BOTH, UNITS_ONE, UNITS_PORT } StepUnits;
typedef struct StepCost {
    StepUnits units; /* UNITS_BOTH: one of two equal units */
    double latency, interval;
    bool known;
} StepCost;
StepCost step_cost(InstId op, Elem from, Elem to);
/* Prices a matrix product, m x k by k x n. */
Price price_product(const TimeParams *p, Elem elem, int64_t m, int64_t k, int64_t n);

typedef enum Route {
    ROUTE_GM_UB,
    ROUTE_GM_L1,
    ROUTE_UB_GM,
    ROUTE_L1_GM,
    ROUTE_L0C_GM,
    ROUTE_L0C_L1,
    ROUTE_L1_L0A,
    ROUTE_L1_L0B,
    ROUTE_L1_BT,
    ROUTE_L1_FB,
    ROUTE_UB_UB,
    ROUTE_COUNT
} Route;
/* Prices a transfer of so many elements of `size` bytes. */
Price price_transfer(const TimeParams *p, Route route, int64_t elements, int size);

/* ---- which rule prices an instruction ---- */

typedef enum PriceRule {
    RULE_NONE, /* no rule: the default */
    RULE_BINARY,
    RULE_SCALAR,
    RULE_UNARY,
    RULE_QUOTIENT,
    RULE_ROW_REDUCE,
    RULE_COL_REDUCE,
    RULE_ROW_EXPAND,
    RULE_BROADCAST,
    RULE_SELECT,
    RULE_COMPARE,
    RULE_CONVERT,
    RULE_COPY,
    RULE_MERGE,
    RULE_SORT,
    RULE_TRANSPOSE,
    RULE_ROWS
} PriceRule;
/* Of curves and of laws of a5. */
typedef enum CurveClass { CLASS_SCALAR, CLASS_BINARY, CLASS_SFU, CLASS_REDUCE } CurveClass;

typedef struct PriceRow {
    uint8_t rule;              /* PriceRule */
    uint8_t op, second, third; /* MicroOp */
    uint8_t cls;               /* CurveClass */
    uint8_t origin;            /* Origin; RELATIVE: the operation is that of a relative */
} PriceRow;
/* Returns the row of an instruction; that of RULE_NONE when there is none. */
const PriceRow *price_row(const Inst *inst);

#endif
