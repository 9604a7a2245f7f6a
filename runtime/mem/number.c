/* SPDX-License-Identifier: Apache-2.0 */
/* number.c - reads single elements of any type as numbers, and formats numbers. */
#include "mem/number.h"
#include "half.h"
#include "kern/hif8.h"
#include "ptort_scalar.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>

/* ---- narrow floats ---- */

/* What the largest exponent encodes: infinity and NaN, one NaN, or numbers. */
typedef enum Top { TOP_INFINITE, TOP_ONE_NAN, TOP_FINITE } Top;
typedef struct Narrow {
    int8_t exponent, mantissa, bias; /* widths in bits; exponent bias */
    uint8_t top;
} Narrow;

enum {
#define COLUMNS(format, e, m, bias, special, ...)                                                  \
    E_##format = e, M_##format = m, BIAS_##format = bias, TOP_##format = TOP_##special,
    PTRT_FORMATS_8(COLUMNS, )
};
static const Narrow narrow[PTRT_ELEMS] = {
#define NARROW(id, text, format, cpp, ...)                                                         \
    [PTRT_##id] = {E_##format, M_##format, BIAS_##format, TOP_##format},
    PTRT_FLOATS_8(NARROW, )[PTRT_F4E1M2X2] = {1, 2, 1, TOP_FINITE}, [PTRT_F4E2M1X2] = {2, 1, 1,
                                                                                       TOP_FINITE}};

static double narrow_value(const Narrow *n, unsigned code) {
    int sign = n->exponent + n->mantissa, top = (1 << n->exponent) - 1;
    int m = (int)code & ((1 << n->mantissa) - 1), e = (int)code >> n->mantissa & top;
    bool negative = (code >> sign & 1) != 0;
    double v = e == 0 ? ldexp(m, 1 - n->bias - n->mantissa)
                      : ldexp(m + (1 << n->mantissa), e - n->bias - n->mantissa);
    if (n->top == TOP_INFINITE && e == top) v = m != 0 ? (double)NAN : (double)INFINITY;
    if (n->top == TOP_ONE_NAN && e == top && m == (1 << n->mantissa) - 1) v = (double)NAN;
    return negative ? -v : v;
}

static double hif8_value(unsigned code) {
    if (code == 0x80) return (double)NAN;
    double v = (double)ptrt_hif8_values[code & 0x7F];
    return (code & 0x80) != 0 ? -v : v;
}

double ptrt_real_at(int elem, const unsigned char *p, int lane) {
    switch (elem) {
    case PTRT_F16:
        return (double)ptrt_f16_to_f32(ptrt_load_u16(p, 0));
    case PTRT_BF16:
    case PTRT_BF16X2:
        return (double)ptrt_bf16_to_f32(ptrt_load_u16(p, lane));
    case PTRT_F32:
    case PTRT_TF32:
        return (double)ptrt_load_f32(p, 0);
    case PTRT_F64:
        return ptrt_load_f64(p, 0);
    case PTRT_HIF8:
    case PTRT_HIF8X2:
        return hif8_value(p[lane]);
    case PTRT_F8E8M0:
        return p[0] == 255 ? (double)NAN : ldexp(1, p[0] - 127);
    case PTRT_F4E1M2X2:
    case PTRT_F4E2M1X2:
        return narrow_value(&narrow[elem], p[0] >> 4 * lane & 15U);
    default:
        return narrow_value(&narrow[elem], p[0]);
    }
}

int64_t ptrt_integer_at(int elem, const unsigned char *p) {
    switch (elem) {
    case PTRT_I8:
        return ptrt_load_i8(p, 0);
    case PTRT_U8:
        return ptrt_load_u8(p, 0);
    case PTRT_I16:
        return ptrt_load_i16(p, 0);
    case PTRT_U16:
        return ptrt_load_u16(p, 0);
    case PTRT_I32:
        return ptrt_load_i32(p, 0);
    case PTRT_U32:
        return ptrt_load_u32(p, 0);
    default:
        return ptrt_load_i64(p, 0);
    }
}

/* ---- text ---- */

int ptrt_double_text(char *out, size_t size, const char *spec, char letter, double x) {
    char format[64];
    const char *point = localeconv()->decimal_point;
    if (isnan(x)) x = fabs(x);
    snprintf(format, sizeof format, "%s%c", spec, letter);
    int n = snprintf(out, size, format, x);
    if (n < 0 || (size_t)n >= size) n = (int)size - 1;
    size_t len = strlen(point);
    char *at = len > 0 && strcmp(point, ".") != 0 ? strstr(out, point) : NULL;
    if (at == NULL) return n;
    *at = '.';
    memmove(at + 1, at + len, strlen(at + len) + 1);
    return n - (int)len + 1;
}
