/* SPDX-License-Identifier: Apache-2.0 */
/* matrix.h - the oracle: every kernel of the table against a formula, element by element.
 *
 * For every line of ptort_kernels.def and every pair of its element types the matrix makes a few
 * hundred cases: shapes, valid regions, layouts, subviews, places (apart, in place, overlapping),
 * data and attributes vary. A case presets all memory with noise, works out what the memory must
 * hold afterwards, and makes the call at every instruction-set level of the machine; each time
 every
 * byte is compared, and the levels must give the same bytes.
 *
 * ADDING A FAMILY. Write formula_<family>.c. It has:
 *
 * 1.  #define ORACLE_FAMILY "<family>", then #include "matrix.h".
 *
 * 2.  For every line of its table one FORMULA(ID, ...): a line without one does not link. The
 *     usual formula is a function of one element:
 *
 *         static Num add(const Case *c, const Num *x) {
 *             return is_real(c) ? real(x[0].f + x[1].f) : whole(x[0].i + x[1].i);
 *         }
 *         FORMULA(TADD, .map = add);
 *         FORMULA(TADDS, .map = add);
 *
 *     x[k] is argument k as `args` of the line lists them (counted from 0, without those marked !):
 *     an element of a tile, a scalar, an attribute. What each tile gives for element (r, c) of the
 *     destination, the driver's letters say. The result is rounded to the destination's type as the
 *     arithmetic of the language is: integers wrap, f16 and bf16 go through f32. An operation of
 *     several steps rounds in between with single().
 *
 *     Other forms instead of .map:
 *         .code    like .map, but gives the bits of the destination's element: conversions.
 *         .real    like .map in long double, for results that need not be exact: with .ulps = 1 the
 *                  kernel may be one unit in the last place away from it.
 *         .expect  everything else. Reads the operands with get() or get_bits() and writes every
 *                  element that the call must write with put() or put_bits(). Sources always have
 *                  the contents from before the call, also where the destination overlaps them.
 *
 *     More about a line:
 *         .ints = {[k] = INTS(0, 1, -1)}   values of attribute or integer k; else 0 (of `#x?` and
 *                  `#x` with one default) or 0 and 1 (of `?x`)
 *         .elem = {[k] = ELEM(U8)}   element type of argument k where it is not the one that
 `elems`
 *                  names: else argument k has the first type of the line, or the second one when it
 *                  is the second slot of `elems`
 *         .plan    changes the operands of a case before they get layouts and places: shapes,
 *                  valid regions, spaces, allowed layouts, element types, windows of views. False:
 *                  this variation makes no case. (See Arg.)
 *         .fill    changes the data of a case with set(): indices, sorted input, masks.
 *         .exact   NaN must keep its bits: moves.
 *         .apart   destinations never share memory with sources.
 *
 * 3.  For every driver that no other family has described one DRIVER(name, letters, call): the
 *     letters say what the arguments are, the call passes them on.
 *
 *         DRIVER(map2, "ttd", ptrt_map2(HEAD, T(0), T(1), T(2)));
 *         DRIVER(maps, "ted", is_real(c) ? ptrt_maps_f(HEAD, T(0), F(1), T(2))
                                       : ptrt_maps_i(HEAD, T(0), I(1), T(2)));
 *
 *         t  source tile: element (r, c)      d  destination tile, rows x cols
 *         r  source of one row: (0, c)        R  destination of one row
 *         c  source of one column: (r, 0)     C  destination of one column
 *         s  scratch tile, or NULL            u  destination that is read as well
 *         v  view that is read (see use_view) w  view that is written
 *         e  scalar of the element type       i  int64_t     a  attribute
 *
 *     T(k) is the tile or NULL, V(k) the view, I(k) an int64_t, F(k) a double, A(k) an int.
 *
 * A failing case prints its number; `test_oracle --case=ID,E1,E2,N` runs it alone. PTORT_ISA
 * names the only level that is wanted, ORACLE_CASES the number of cases per line and element types.
 */
#ifndef TESTS_ORACLE_MATRIX_H
#define TESTS_ORACLE_MATRIX_H

#include "codec.h"
#include "layout.h"
#include "random.h"

enum { MAX_ARGS = 12, ORACLE_LINE = 7 };

typedef struct Case Case;
typedef struct Line Line;

/* ---- operands ---- */

typedef struct Arg {
    char letter;
    bool absent; /* a tile that is NULL */
    bool out;    /* the call may write it */
    int elem;
    uint32_t size; /* bytes of an element; follows elem after the plan */

    /* A tile. A plan may change all of these; shapes grow where the layout that is chosen needs
     * it. */
    int space;                      /* enum ptrt_space */
    unsigned layouts;               /* bits of Layout from which one is chosen */
    int64_t rows, cols;             /* shape */
    int64_t vrow, vcol;             /* valid region */
    uint8_t pad;                    /* enum ptrt_pad */
    bool no_window;                 /* never a subview */
    bool keep_shape;                /* the call looks outside of the valid region too */
    int64_t align_rows, align_cols; /* the shape is a multiple of these */

    /* Data of a source: values lo .. hi when `ranged`, else anything. */
    bool ranged;
    int64_t lo, hi;

    /* Worked out after the plan. */
    Layout layout;
    ptrt_tile_type type;            /* of the tile, or of the parent of a subview */
    int64_t row0, col0;             /* of the subview in its parent */
    int64_t addr;                   /* of element (0, 0) of the parent or of the view */
    int64_t start, bytes;           /* memory of the parent, or that a view can reach */
    const int32_t *row_at, *col_at; /* bytes from addr: of element (r, c), row_at[r] + col_at[c] */
    const unsigned char *old;       /* what lay at addr before the call */
    unsigned char *want;            /* what must lie there after it */
    ptrt_tile tile;
    ptrt_view view; /* set by use_view; base comes later */

    /* A scalar, integer or attribute: as passed, and as the formula sees it. */
    int64_t i;
    double f;
    Num value;
} Arg;

/* One call. */
struct Context;
struct Case {
    const Line *line;
    int kernel;
    int e1, e2; /* element types of the line; e2 is -1 where `elems` names one */
    int64_t rows, cols, vrow, vcol; /* shape and valid region that this case is about */
    int nargs;
    Arg arg[MAX_ARGS];
    int want_code; /* what the call must return, set by .plan or .expect; other than 0: destinations
                      are not looked at */
    int want_checked; /* other than 0: what it must return in checked mode, where it writes nothing;
                         set by .expect */
    bool exact;       /* as the formula says; .plan may change it */
    Random random;
    unsigned number; /* of the case: plans may take digits from it */
    struct Context *ctx;
};

/* In a plan: the value of integer or attribute k. */
void use_int(Case *c, int k, int64_t v);

/* Before the layouts are chosen (in a plan): makes argument k a view of a layout with up to five
 * dimensions over memory of its own. `stride` counts elements and may be negative. */
void use_view(Case *c, int k, int layout, int rank, const int64_t *shape, const int64_t *stride);
/* A view with room for at least rows x cols coordinates, of any layout, rank and strides. */
void use_any_view(Case *c, int k, int64_t rows, int64_t cols);

/* The element of argument k as it was before the call. */
Num get(const Case *c, int k, int64_t row, int64_t col);
static inline uint64_t get_bits(const Case *c, int k, int64_t row, int64_t col) {
    const Arg *a = &c->arg[k];
    return bits_load(a->old + a->row_at[row] + a->col_at[col], a->size);
}
/* What it must be after the call: rounded by code_of, or these bits. */
void put(Case *c, int k, int64_t row, int64_t col, Num value);
static inline void put_bits(Case *c, int k, int64_t row, int64_t col, uint64_t bits) {
    const Arg *a = &c->arg[k];
    bits_store(a->want + a->row_at[row] + a->col_at[col], a->size, bits);
}
/* In .fill: what it is before the call. */
void set(Case *c, int k, int64_t row, int64_t col, Num value);
void set_bits(Case *c, int k, int64_t row, int64_t col, uint64_t bits);

/* Applies the line's .map, .code or .real to rows x cols elements of the destination. */
void expect_map(Case *c, int64_t rows, int64_t cols);

/* ---- formulas ---- */

typedef struct Ints {
    const int64_t *v;
    int n;
} Ints;
#define INTS(...)                                                                                  \
    { (const int64_t[]){__VA_ARGS__}, (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)) }
#define ELEM(E) (1 + PTRT_##E)

typedef struct Formula {
    const char *family;
    Num (*map)(const Case *c, const Num *x);
    uint64_t (*code)(const Case *c, const Num *x);
    long double (*real)(const Case *c, const Num *x);
    void (*expect)(Case *c);
    bool (*plan)(Case *c);
    void (*fill)(Case *c);
    Ints ints[MAX_ARGS];
    uint8_t elem[MAX_ARGS];
    double ulps;
    bool exact, apart;
} Formula;

#define FORMULA(ID, ...) const Formula formula_##ID = {.family = ORACLE_FAMILY, __VA_ARGS__}

static inline Num whole(int64_t i) {
    return (Num){i, 0};
}
static inline Num real(double f) {
    return (Num){0, f};
}
/* Rounded to f32: a step of f32, f16 or bf16 arithmetic. */
static inline double single(double f) {
    return (double)(float)f;
}
/* The line's first element type has reals. */
static inline bool is_real(const Case *c) {
    return elem_is_real(c->e1);
}
/* Wrapping integer arithmetic. */
static inline Num wrap_add(int64_t a, int64_t b) {
    return whole((int64_t)((uint64_t)a + (uint64_t)b));
}
static inline Num wrap_sub(int64_t a, int64_t b) {
    return whole((int64_t)((uint64_t)a - (uint64_t)b));
}
static inline Num wrap_mul(int64_t a, int64_t b) {
    return whole((int64_t)((uint64_t)a * (uint64_t)b));
}

/* ---- drivers ---- */

typedef struct Driver {
    const char *letters;
    int (*call)(ptrt_core *core, const Case *c);
} Driver;

#define DRIVER(NAME, LETTERS, CALL)                                                                \
    static int call_##NAME(ptrt_core *core, const Case *c) {                                       \
        return CALL;                                                                               \
    }                                                                                              \
    const Driver driver_##NAME = {LETTERS, call_##NAME}

#define HEAD core, ORACLE_LINE, c->kernel
#define T(k) (c->arg[k].absent ? NULL : &c->arg[k].tile)
#define V(k) (&c->arg[k].view)
#define I(k) (c->arg[k].i)
#define A(k) ((int)c->arg[k].i)
#define F(k) (c->arg[k].f)

/* ---- the lines ---- */

struct Line {
    const char *id, *name, *args, *elems;
    int kernel;
    const Formula *formula;
    const Driver *driver;
    const struct LineTypes { uint8_t e1, e2; /* ELEM_ANY: the line has one type */ } * types;
    int ntypes;
};
enum { ELEM_ANY = 31 };
extern const Line lines[];
extern const int nlines;

#define KERNEL(family, id, name, when, driver, args, elems, types, body)                           \
    extern const Formula formula_##id;                                                             \
    extern const Driver driver_##driver;
#include "ptort_kernels.def"

/* ---- runs ---- */

/* One way to make the call of a case. */
struct ptrt_bodies;
typedef struct Pass {
    const char *level;
    const struct ptrt_bodies *bodies;
    bool checked; /* in checked mode */
} Pass;
enum { MOST_PASSES = 4 };
typedef struct Passes {
    Pass pass[MOST_PASSES];
    int n;
} Passes;

typedef struct Run {
    const char *family;           /* NULL: all */
    int cases;                    /* per line and element types */
    bool exhaustive;              /* also every code of 8- and 16-bit types */
    const Line *line;             /* one line only; NULL: all */
    int e1, e2, number;           /* -1: all */
    void (*before_call)(Case *c); /* NULL; test_shadow.c */
    void (*after_call)(Case *c);  /* NULL; tests of the oracle itself spoil results here */
    Passes passes;                /* that every case has */
    uint64_t digest;              /* of all results */
    long done;                    /* cases run */
    bool quiet;                   /* no messages */
    bool complete;                /* the run got to its end */
    int bad;                      /* cases that failed, and lines without a case */
} Run;

/* The line of that id; NULL when there is none. */
const Line *line_named(const char *id);

/* Runs the cases; failures go to stderr. False when the launch fails. */
bool run_matrix(Run *run);

/* Runs a family with the number of cases that ORACLE_CASES or the build says, and prints the
 * levels, the digest and the counts. False when a case fails. */
bool run_family(const char *family);
/* What a program with these arguments does if it is one run, --run=FAMILY or --case=ID,E1,E2,N.
 * Returns the exit code, or -1 for other arguments. */
int run_once(int argc, char **argv);

#endif
