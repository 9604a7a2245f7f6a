/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of arrays as numbers. An element is accepted when it has the same value (any NaN matches
 * a NaN), is within the tolerance (|got - want| <= atol + rtol * |want|), or is at most `ulp`
 * numbers of its type away. */
#include "cli/numbers.h"

#include "runtime/kern/hif8.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- float types ---- */

bool float_format(Elem e, FloatFormat *f) {
    *f = elem_infos[e].format;
    return f->exponent != 0;
}

static bool is_real(Elem e) {
    return elem_infos[e].format.real;
}

bool elem_is_narrow(Elem e) {
    return is_real(e) && e != ELEM_F16 && e != ELEM_F32 && e != ELEM_F64;
}

static double float_value(const FloatFormat *f, uint64_t bits) {
    uint64_t most = ((uint64_t)1 << f->exponent) - 1;
    uint64_t frac = bits & (((uint64_t)1 << f->mantissa) - 1);
    uint64_t exp = bits >> f->mantissa & most;
    const int bias = f->bias;
    bool negative = (bits >> (f->exponent + f->mantissa) & 1) != 0;
    double v;
    if (exp == most && f->special == SPECIAL_INFINITE)
        v = frac != 0 ? (double)NAN : (double)INFINITY;
    else if (exp == most && f->special == SPECIAL_ONE_NAN &&
             frac == ((uint64_t)1 << f->mantissa) - 1)
        v = (double)NAN;
    else if (exp == 0)
        v = ldexp((double)frac, 1 - bias - (int)f->mantissa);
    else
        v = ldexp((double)(frac | (uint64_t)1 << f->mantissa), (int)exp - bias - (int)f->mantissa);
    return negative ? -v : v;
}

static double real_value(Elem e, uint64_t bits) {
    FloatFormat f;
    if (float_format(e, &f)) return float_value(&f, bits);
    if (e == ELEM_F8E8M0) return bits == 255 ? (double)NAN : ldexp(1, (int)bits - 127);
    if (bits == 0x80) return (double)NAN;
    const double v = (double)ptrt_hif8_values[bits & 0x7F];
    return (bits & 0x80) != 0 ? -v : v;
}

/* Returns the position of a value in the order of its type. */
static int64_t float_order(const FloatFormat *f, uint64_t bits) {
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

static uint64_t bits_at(const Array *a, size_t i) {
    uint64_t bits = 0;
    const size_t size = elem_infos[a->elem].bytes;
    memcpy(&bits, a->data + i * size, size);
    return bits;
}

/* Returns the number of an element; for types without numbers its bits. */
static double value_at(const Array *a, size_t i) {
    const uint64_t bits = bits_at(a, i);
    if (is_real(a->elem)) return real_value(a->elem, bits);
    return is_unsigned(a->elem) ? (double)bits : (double)signed_value(a->elem, bits);
}

bool array_widen(const Array *a, Array *out) {
    *out = *a;
    out->elem = ELEM_F32;
    out->data = NULL;
    out->map = NULL;
    if (!array_measure(out) || !array_allocate(out)) return false;
    const size_t n = out->bytes / sizeof(float);
    for (size_t i = 0; i < n; i++) {
        const float v = (float)value_at(a, i);
        memcpy(out->data + i * sizeof v, &v, sizeof v);
    }
    return true;
}

/* ---- the numbers of a narrow type in order ---- */

enum { MOST_CODES = 1 << 16 };
typedef struct SortedValues {
    Elem elem;
    size_t n;
    double values[MOST_CODES];
} SortedValues;

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static SortedValues *sorted_new(Elem e) {
    SortedValues *l = malloc(sizeof *l);
    if (l == NULL) return NULL;
    const uint64_t codes = (uint64_t)1 << 8 * elem_infos[e].bytes;
    l->elem = e;
    l->n = 0;
    for (uint64_t i = 0; i < codes; i++) {
        const double v = real_value(e, i);
        if (!isnan(v)) l->values[l->n++] = v == 0 ? 0 : v;
    }
    qsort(l->values, l->n, sizeof l->values[0], by_value);
    size_t n = 0;
    for (size_t i = 0; i < l->n; i++)
        if (n == 0 || l->values[i] > l->values[n - 1]) l->values[n++] = l->values[i];
    l->n = n;
    return l;
}

/* Returns the position of the number nearest to a value. */
static size_t sorted_at(const SortedValues *l, double v) {
    size_t low = 0, high = l->n - 1;
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        if (l->values[mid] < v)
            low = mid + 1;
        else
            high = mid;
    }
    return low > 0 && v - l->values[low - 1] <= l->values[low] - v ? low - 1 : low;
}

/* The last type that was compared with f32; the program compares on one thread. */
static SortedValues *sorted_of(Elem e) {
    static SortedValues *last;
    if (last != NULL && last->elem == e) return last;
    free(last);
    return last = sorted_new(e);
}

/* ---- two elements ---- */

static uint64_t gap(int64_t a, int64_t b) {
    return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

/* True when distances in numbers of the type need a sorted list of them: the types differ, or the
 * bits of the type are not in the order of its numbers. */
static bool needs_sorted(const Array *got, const Array *want) {
    FloatFormat f;
    return is_real(got->elem) && elem_infos[got->elem].bytes <= 2 &&
           (got->elem != want->elem || !float_format(got->elem, &f));
}

static uint64_t steps_between(const Array *got, const Array *want, size_t i) {
    const uint64_t a = bits_at(got, i), b = bits_at(want, i);
    FloatFormat f;
    if (needs_sorted(got, want)) {
        const SortedValues *l = sorted_of(got->elem);
        if (l == NULL) return UINT64_MAX;
        return gap((int64_t)sorted_at(l, value_at(got, i)),
                   (int64_t)sorted_at(l, value_at(want, i)));
    }
    if (float_format(got->elem, &f)) return gap(float_order(&f, a), float_order(&f, b));
    if (is_unsigned(got->elem)) return a > b ? a - b : b - a;
    return gap(signed_value(got->elem, a), signed_value(got->elem, b));
}

bool elem_has_steps(Elem e) {
    return elem_is_int(e);
}

bool element_distance(const Array *got, const Array *want, size_t i, double *absolute,
                      uint64_t *steps) {
    const double x = value_at(got, i), y = value_at(want, i);
    if (!elem_is_int(got->elem) && !is_real(got->elem)) return false;
    if (isnan(x) || isnan(y)) return false;
    *steps = steps_between(got, want, i);
    *absolute = elem_is_int(got->elem) ? (double)*steps : fabs(x - y);
    return true;
}

static bool near_enough(const Array *got, const Array *want, size_t i, const Tolerance *t) {
    double absolute;
    uint64_t steps;
    if (got->elem == want->elem && bits_at(got, i) == bits_at(want, i)) return true;
    const double x = value_at(got, i), y = value_at(want, i);
    if (is_real(got->elem) && (isnan(x) || isnan(y))) return isnan(x) && isnan(y);
    if (!element_distance(got, want, i, &absolute, &steps)) return false;
    /* Without --ulp a number of another type must be met exactly. */
    const bool same = got->elem == want->elem ? steps == 0 : x == y;
    if (same || (t->ulp > 0 && steps <= t->ulp)) return true;
    return isfinite(absolute) && absolute <= t->atol + t->rtol * fabs(y);
}

/* ---- two arrays ---- */

/* Returns the distance of an element; infinite when only one of the two is NaN. */
static double absolute_distance(const Array *got, const Array *want, size_t i) {
    double absolute;
    uint64_t steps;
    const bool known = element_distance(got, want, i, &absolute, &steps);
    return known && !isnan(absolute) ? absolute : (double)INFINITY;
}

bool arrays_compare(const Array *got, const Array *want, const Tolerance *t, Outcome *out) {
    double far = -1;
    *out = (Outcome){.elements = got->bytes / elem_infos[got->elem].bytes};
    if (needs_sorted(got, want) && sorted_of(got->elem) == NULL) return false;
    for (size_t i = 0; i < out->elements; i++) {
        if (near_enough(got, want, i, t)) continue;
        const double d = absolute_distance(got, want, i);
        if (out->wrong++ == 0) out->first = i;
        if (d > far) {
            far = d;
            out->worst = i;
        }
    }
    return true;
}

/* ---- text ---- */

void element_text(const Array *a, size_t i, char out[NUMBER_TEXT]) {
    FloatFormat f;
    const uint64_t bits = bits_at(a, i);
    if (is_real(a->elem)) {
        if (!float_format(a->elem, &f)) f.mantissa = 7; /* more digits than hif8 and f8E8M0 have */
        const int digits = f.mantissa > 23 ? 17 : f.mantissa > 10 ? 9 : f.mantissa > 7 ? 5 : 4;
        snprintf(out, NUMBER_TEXT, "%.*g", digits, value_at(a, i));
    } else if (elem_is_int(a->elem) && !is_unsigned(a->elem)) {
        snprintf(out, NUMBER_TEXT, "%" PRId64, signed_value(a->elem, bits));
    } else {
        snprintf(out, NUMBER_TEXT, elem_is_int(a->elem) ? "%" PRIu64 : "0x%" PRIx64, bits);
    }
}

void element_index(const Array *a, size_t i, size_t index[MAX_RANK]) {
    for (unsigned k = a->rank; k-- > 0;) {
        index[k] = i % (size_t)a->shape[k];
        i /= (size_t)a->shape[k];
    }
}
