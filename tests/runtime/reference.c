/* reference.c - the independent side of the runtime tests. */
#include "reference.h"

#include <math.h>

typedef struct job {
    int (*fn)(ptrt_core *, void *);
    void *arg;
} job;

static int run_job(ptrt_core *core, void *args) {
    job *j = args;
    return j->fn(core, j->arg);
}

static int launch(int (*fn)(ptrt_core *, void *), void *arg, uint32_t flags) {
    job j = {fn, arg};
    ptrt_kernel kernel = {.name = "test", .file = "test.pto", .vector = run_job, .subblocks = 1};
    kernel.flags = flags;
    kernel.bytes[PTRT_VEC] = kernel.bytes[PTRT_MAT] = kernel.bytes[PTRT_ACC] = SPACE_BYTES;
    return ptrt_launch(&kernel, 1, &j);
}

int on_core(int (*fn)(ptrt_core *, void *), void *arg) {
    return launch(fn, arg, 0);
}

int on_checked_core(int (*fn)(ptrt_core *, void *), void *arg) {
    return launch(fn, arg, PTRT_K_CHECKED);
}

uint32_t ref_size(int elem) {
    switch (elem) {
    case PTRT_I8:
    case PTRT_U8:
    case PTRT_F8E4M3FN:
    case PTRT_F8E5M2:
        return 1;
    case PTRT_I16:
    case PTRT_U16:
    case PTRT_F16:
    case PTRT_BF16:
        return 2;
    case PTRT_I32:
    case PTRT_U32:
    case PTRT_F32:
        return 4;
    default:
        return 8;
    }
}

int64_t ref_offset(const ptrt_tile_type *t, int64_t r, int64_t c) {
    int64_t s = ref_size(t->elem), R = t->rows, C = t->cols, IR, IC;
    if (t->compact == PTRT_ROW_PLUS_ONE) {
        if (t->blayout == PTRT_ROW_MAJOR)
            C++;
        else
            R++;
    }
    if (t->slayout == PTRT_NONE_BOX) return t->blayout == PTRT_ROW_MAJOR ? r * C + c : c * R + r;
    bool box_rows = t->slayout == PTRT_BOX_ROW_MAJOR;
    IR = t->fractal == 1024 ? 16 : t->fractal == 32 ? (box_rows ? 16 : 2) : box_rows ? 16 : 32 / s;
    IC = t->fractal == 1024 ? 16 : t->fractal == 32 ? (box_rows ? 2 : 16) : box_rows ? 32 / s : 16;
    if (t->blayout == PTRT_COL_MAJOR && box_rows)
        return (c / IC) * R * IC + (r / IR) * IR * IC + (r % IR) * IC + c % IC;
    if (t->blayout == PTRT_ROW_MAJOR && !box_rows)
        return (r / IR) * C * IR + (c / IC) * IR * IC + (c % IC) * IR + r % IR;
    if (t->blayout == PTRT_ROW_MAJOR)
        return (r / IR) * C * IR + (c / IC) * IR * IC + (r % IR) * IC + c % IC;
    return (c / IC) * R * IC + (r / IR) * IR * IC + (c % IC) * IR + r % IR;
}

uint64_t ref_get(const unsigned char *p, uint32_t size) {
    uint64_t v = 0;
    for (uint32_t i = 0; i < size; i++)
        v |= (uint64_t)p[i] << (8 * i);
    return v;
}

void ref_put(unsigned char *p, uint32_t size, uint64_t bits) {
    for (uint32_t i = 0; i < size; i++)
        p[i] = (unsigned char)(bits >> (8 * i));
}

double ref_half_value(int elem, uint64_t bits) {
    int m = elem == PTRT_F16 ? 10 : 7, e = elem == PTRT_F16 ? 5 : 8;
    int bias = (1 << (e - 1)) - 1, top = (1 << e) - 1;
    int exp = (int)(bits >> m) & top;
    double man = (double)(bits & ((1u << m) - 1));
    double v = exp == top ? (man > 0 ? (double)NAN : (double)INFINITY)
               : exp == 0 ? ldexp(man, 1 - bias - m)
                          : ldexp(man + ldexp(1, m), exp - bias - m);
    return bits >> (m + e) & 1 ? -v : v;
}

uint64_t ref_half_round(int elem, double x) {
    int m = elem == PTRT_F16 ? 10 : 7, e = elem == PTRT_F16 ? 5 : 8;
    int bias = (1 << (e - 1)) - 1, least = 1 - bias;
    uint64_t sign = (uint64_t)(signbit(x) != 0) << (m + e), inf = (uint64_t)((1 << e) - 1) << m;
    if (isnan(x)) return sign | inf | (uint64_t)1 << (m - 1);
    if (x == 0) return sign;
    if (isinf(x)) return sign | inf;
    int exp = ilogb(x) < least ? least : ilogb(x);
    uint64_t q = (uint64_t)nearbyint(ldexp(fabs(x), m - exp));
    uint64_t bits = q < (uint64_t)1 << m ? q : ((uint64_t)(exp + bias - 1) << m) + q;
    return sign | (exp > bias || bits > inf ? inf : bits);
}

static uint64_t op_f32(char op, uint64_t x, uint64_t y) {
    float a = ptrt_f32_of_bits((uint32_t)x), b = ptrt_f32_of_bits((uint32_t)y);
    return ptrt_bits_of_f32(op == '+' ? a + b : a * b);
}

static uint64_t op_f64(char op, uint64_t x, uint64_t y) {
    double a = ptrt_f64_of_bits(x), b = ptrt_f64_of_bits(y);
    return ptrt_bits_of_f64(op == '+' ? a + b : a * b);
}

uint64_t ref_op(int elem, char op, uint64_t x, uint64_t y) {
    if (op == '&') return x & y;
    if (op == '^') return x ^ y;
    if (elem == PTRT_F32) return op_f32(op, x, y);
    if (elem == PTRT_F64) return op_f64(op, x, y);
    if (elem == PTRT_F16 || elem == PTRT_BF16) {
        double a = ref_half_value(elem, x), b = ref_half_value(elem, y);
        return ref_half_round(elem, op == '+' ? a + b : a * b);
    }
    uint64_t r = op == '+' ? x + y : x * y;
    uint32_t size = ref_size(elem);
    return size == 8 ? r : r & (((uint64_t)1 << (8 * size)) - 1);
}

bool ref_is_nan(int elem, uint64_t bits) {
    if (elem == PTRT_F32) return isnan(ptrt_f32_of_bits((uint32_t)bits));
    if (elem == PTRT_F64) return isnan(ptrt_f64_of_bits(bits));
    if (elem == PTRT_F16 || elem == PTRT_BF16) return isnan(ref_half_value(elem, bits));
    return false;
}

bool ref_same(int elem, uint64_t x, uint64_t y) {
    return x == y || (ref_is_nan(elem, x) && ref_is_nan(elem, y));
}

uint64_t ref_number(int elem, int value) {
    switch (elem) {
    case PTRT_F16:
    case PTRT_BF16:
        return ref_half_round(elem, value);
    case PTRT_F32:
        return ptrt_bits_of_f32((float)value);
    case PTRT_F64:
        return ptrt_bits_of_f64(value);
    default:
        return (uint64_t)value;
    }
}

uint64_t ref_pad(int elem, int pad) {
    if (pad != PTRT_PAD_MAX && pad != PTRT_PAD_MIN) return 0;
    bool max = pad == PTRT_PAD_MAX;
    unsigned bits = 8 * ref_size(elem);
    switch (elem) {
    case PTRT_F16:
    case PTRT_BF16:
        return ref_half_round(elem, max ? (double)INFINITY : -(double)INFINITY);
    case PTRT_F32:
        return max ? 0x7F800000u : 0xFF800000u;
    case PTRT_F64:
        return ptrt_bits_of_f64(max ? (double)INFINITY : -(double)INFINITY);
    case PTRT_F8E4M3FN:
        return max ? 0x7E : 0xFE;
    case PTRT_F8E5M2:
        return max ? 0x7C : 0xFC;
    case PTRT_U8:
    case PTRT_U16:
    case PTRT_U32:
    case PTRT_U64:
        return max ? UINT64_MAX >> (64 - bits) : 0;
    default:
        return max ? UINT64_MAX >> (65 - bits) : (uint64_t)1 << (bits - 1);
    }
}

uint32_t ref_random(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

void ref_noise(unsigned char *p, size_t n, uint32_t *state) {
    for (size_t i = 0; i < n; i += 4) {
        uint32_t word = ref_random(state) ^ ref_random(state) << 16;
        memcpy(p + i, &word, n - i < 4 ? n - i : 4);
    }
}

int ref_types(int elem, int space, ptrt_tile_type *out) {
    int n = 0;
    const ptrt_tile_type base = {
        .elem = (uint8_t)elem, .space = (uint8_t)space, .fractal = 512, .rows = 32, .cols = 64};
    for (int b = 0; b < 2; b++) {
        for (int s = 0; s < 3; s++) {
            out[n] = base;
            out[n].blayout = (uint8_t)b;
            out[n++].slayout = (uint8_t)s;
        }
    }
    for (int b = 0; b < 2; b++) {
        out[n] = base;
        out[n].blayout = (uint8_t)b;
        out[n].rows = 13;
        out[n++].cols = 37;
        out[n] = base;
        out[n].compact = PTRT_ROW_PLUS_ONE;
        out[n++].blayout = (uint8_t)b;
    }
    out[n] = base; /* NZ with an extra row a column block */
    out[n].compact = PTRT_ROW_PLUS_ONE;
    out[n].blayout = PTRT_COL_MAJOR;
    out[n++].slayout = PTRT_BOX_ROW_MAJOR;
    out[n] = base;
    out[n].fractal = 1024;
    out[n].blayout = PTRT_COL_MAJOR;
    out[n++].slayout = PTRT_BOX_ROW_MAJOR;
    out[n] = base;
    out[n].fractal = 32;
    out[n++].slayout = PTRT_BOX_ROW_MAJOR;
    out[n] = base;
    out[n].fractal = 32;
    out[n].blayout = PTRT_COL_MAJOR;
    out[n++].slayout = PTRT_BOX_COL_MAJOR;
    return n;
}
