/* ptoasm run --expect compares the array of a parameter with the one in a file. An element is
 * accepted when it has the same value (any NaN matches a NaN), is within --atol and --rtol (|got -
 * want| <= atol + rtol * |want|), or is at most --ulp representable values away. */
#include "cli/run.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- elements as numbers ---- */

typedef struct Format {
    unsigned exponent, mantissa;
    bool infinite; /* the largest exponent means infinity and NaN */
} Format;

/* Describes a float type; false for types whose elements are compared as bits. */
static bool float_format(Elem e, Format *f) {
    switch (e) {
    case ELEM_F16:
        *f = (Format){5, 10, true};
        return true;
    case ELEM_BF16:
        *f = (Format){8, 7, true};
        return true;
    case ELEM_F32:
    case ELEM_TF32:
        *f = (Format){8, 23, true};
        return true;
    case ELEM_F64:
        *f = (Format){11, 52, true};
        return true;
    case ELEM_F8E5M2:
    case ELEM_F8E5M2FNUZ:
        *f = (Format){5, 2, true};
        return true;
    case ELEM_F8E4M3:
    case ELEM_F8E4M3FN:
    case ELEM_F8E4M3FNUZ:
    case ELEM_F8E4M3B11FNUZ:
        *f = (Format){4, 3, false};
        return true;
    default:
        return false;
    }
}

static double float_value(const Format *f, uint64_t bits) {
    uint64_t most = ((uint64_t)1 << f->exponent) - 1;
    uint64_t frac = bits & (((uint64_t)1 << f->mantissa) - 1);
    uint64_t exp = bits >> f->mantissa & most;
    int bias = (1 << (f->exponent - 1)) - 1;
    bool negative = (bits >> (f->exponent + f->mantissa) & 1) != 0;
    double v;
    if (exp == most && f->infinite)
        v = frac != 0 ? (double)NAN : (double)INFINITY;
    else if (exp == most && frac == ((uint64_t)1 << f->mantissa) - 1)
        v = (double)NAN;
    else if (exp == 0)
        v = ldexp((double)frac, 1 - bias - (int)f->mantissa);
    else
        v = ldexp((double)(frac | (uint64_t)1 << f->mantissa), (int)exp - bias - (int)f->mantissa);
    return negative ? -v : v;
}

/* Returns the position of a value in the order of its type. */
static int64_t float_order(const Format *f, uint64_t bits) {
    uint64_t sign = (uint64_t)1 << (f->exponent + f->mantissa);
    int64_t magnitude = (int64_t)(bits & (sign - 1));
    return (bits & sign) != 0 ? -magnitude : magnitude;
}

static bool is_unsigned(Elem e) {
    return elem_infos[e].cls == 'U' || !elem_is_int(e);
}

static int64_t signed_value(Elem e, uint64_t bits) {
    unsigned shift = 64 - 8 * (unsigned)elem_infos[e].bytes;
    return (int64_t)(bits << shift) >> shift;
}

/* ---- two elements ---- */

typedef struct Element {
    uint64_t bits;
    double value; /* of floats and integers; for other types the bits */
} Element;

typedef struct Distance {
    double absolute;
    uint64_t steps; /* representable values between the two; 0 for types without order */
} Distance;

static Element element_at(const Array *a, size_t i) {
    Element x = {0, 0};
    Format f;
    size_t size = elem_infos[a->elem].bytes;
    memcpy(&x.bits, a->data + i * size, size);
    if (float_format(a->elem, &f))
        x.value = float_value(&f, x.bits);
    else
        x.value = is_unsigned(a->elem) ? (double)x.bits : (double)signed_value(a->elem, x.bits);
    return x;
}

static uint64_t gap(int64_t a, int64_t b) {
    return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

static Distance distance_of(Elem e, const Element *got, const Element *want) {
    Format f;
    if (float_format(e, &f))
        return (Distance){fabs(got->value - want->value),
                          gap(float_order(&f, got->bits), float_order(&f, want->bits))};
    uint64_t n = is_unsigned(e)
                     ? (got->bits > want->bits ? got->bits - want->bits : want->bits - got->bits)
                     : gap(signed_value(e, got->bits), signed_value(e, want->bits));
    return (Distance){(double)n, n};
}

static bool near_enough(Elem e, const Element *got, const Element *want, const Tolerance *t) {
    Format f;
    if (got->bits == want->bits) return true;
    if (!elem_is_int(e) && !float_format(e, &f)) return false;
    if (isnan(got->value) || isnan(want->value)) return isnan(got->value) && isnan(want->value);
    Distance d = distance_of(e, got, want);
    if (d.steps == 0 || d.steps <= t->ulp) return true;
    return isfinite(d.absolute) && d.absolute <= t->atol + t->rtol * fabs(want->value);
}

/* ---- messages ---- */

static void put_element(Elem e, const Element *x) {
    Format f;
    if (!float_format(e, &f)) {
        if (elem_is_int(e) && !is_unsigned(e))
            fprintf(stderr, "%" PRId64, signed_value(e, x->bits));
        else
            fprintf(stderr, elem_is_int(e) ? "%" PRIu64 : "0x%" PRIx64, x->bits);
        return;
    }
    int digits = f.mantissa > 23 ? 17 : f.mantissa > 10 ? 9 : f.mantissa > 7 ? 5 : 4;
    fprintf(stderr, "%.*g", digits, x->value);
}

static void put_index(const Array *a, size_t i) {
    size_t rest[MAX_RANK];
    for (unsigned k = a->rank; k-- > 0;) {
        rest[k] = i % (size_t)a->shape[k];
        i /= (size_t)a->shape[k];
    }
    fputc('[', stderr);
    for (unsigned k = 0; k < a->rank; k++)
        fprintf(stderr, "%s%zu", k > 0 ? ", " : "", rest[k]);
    fputc(']', stderr);
}

static void put_pair(const Array *got, const Array *want, size_t i) {
    Element x = element_at(got, i), y = element_at(want, i);
    Format f;
    put_index(got, i);
    fputs(": got ", stderr);
    put_element(got->elem, &x);
    fputs(", want ", stderr);
    put_element(got->elem, &y);
    if (isnan(x.value) || isnan(y.value) ||
        (!elem_is_int(got->elem) && !float_format(got->elem, &f)))
        return;
    Distance d = distance_of(got->elem, &x, &y);
    fprintf(stderr, ", distance %.6g", d.absolute);
    if (!elem_is_int(got->elem)) fprintf(stderr, " (%" PRIu64 " ulp)", d.steps);
}

/* Returns the distance of an element; infinite when only one of the two is NaN. */
static double absolute_distance(const Array *got, const Array *want, size_t i) {
    Element x = element_at(got, i), y = element_at(want, i);
    double d = distance_of(got->elem, &x, &y).absolute;
    return isnan(d) ? (double)INFINITY : d;
}

static bool compare(const Target *target, const Argument *arg, const Expectation *e,
                    const Tolerance *t) {
    const Array *got = &arg->array, *want = &e->gold;
    size_t n = got->bytes / elem_infos[got->elem].bytes, wrong = 0, first = 0, worst = 0;
    double far = -1;
    for (size_t i = 0; i < n; i++) {
        Element x = element_at(got, i), y = element_at(want, i);
        if (near_enough(got->elem, &x, &y, t)) continue;
        double d = absolute_distance(got, want, i);
        if (wrong++ == 0) first = i;
        if (d > far) {
            far = d;
            worst = i;
        }
    }
    if (wrong == 0) return true;
    ptoasm_param p;
    ptoasm_kernel_param(target->res, target->index, e->param, &p);
    fprintf(stderr, "%s:%u: %%%s differs from '%s' in %zu of %zu elements\n", target->file,
            (unsigned)p.line, p.name, e->file, wrong, n);
    fputs("  first ", stderr);
    put_pair(got, want, first);
    if (worst != first) {
        fputs("\n  worst ", stderr);
        put_pair(got, want, worst);
    }
    fputc('\n', stderr);
    return false;
}

/* ---- entry points ---- */

static bool same_shape(const Array *a, const Array *b) {
    return a->rank == b->rank && memcmp(a->shape, b->shape, a->rank * sizeof a->shape[0]) == 0;
}

static int read_gold(const Target *target, const Argument *args, Expectation *e) {
    ptoasm_param p;
    ptoasm_kernel_param(target->res, target->index, e->param, &p);
    const Array *array = &args[e->param].array;
    char type[NPY_TYPE];
    if (array->data == NULL)
        return rejected_at(target->file, p.line, "--expect: %%%s is not an array", p.name);
    int rc = npy_read(e->file, array->elem, &e->gold, type);
    if (rc == REJECTED)
        return rejected_at(target->file, p.line,
                           "--expect: '%s' holds elements of type '%s', and %%%s those of '%s'",
                           e->file, type, p.name, npy_code(array->elem));
    if (rc != FINE || same_shape(array, &e->gold)) return rc;
    fprintf(stderr, "%s:%u: --expect: '%s' holds ", target->file, (unsigned)p.line, e->file);
    shape_print(stderr, e->gold.shape, e->gold.rank);
    fprintf(stderr, ", and %%%s ", p.name);
    shape_print(stderr, array->shape, array->rank);
    fputc('\n', stderr);
    return REJECTED;
}

int expectations_read(const Target *target, const char *const *texts, size_t n,
                      const Argument *args, Expectation *list) {
    for (size_t i = 0; i < n; i++) {
        int rc = param_named(target, texts[i], &list[i].param, &list[i].file);
        if (rc == FINE) rc = read_gold(target, args, &list[i]);
        if (rc != FINE) return rc;
    }
    return FINE;
}

int expectations_judge(const Target *target, const Argument *args, const Expectation *list,
                       size_t n, const Tolerance *t) {
    int rc = FINE;
    for (size_t i = 0; i < n; i++)
        if (!compare(target, &args[list[i].param], &list[i], t)) rc = REJECTED;
    return rc;
}

void expectations_free(Expectation *list, size_t n) {
    for (size_t i = 0; i < n; i++)
        array_free(&list[i].gold);
}
