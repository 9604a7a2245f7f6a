/* SPDX-License-Identifier: Apache-2.0 */
/* cube_store.c - stores of the accumulator: elements are scaled, rectified, converted, clipped and
 * stored by rows or by columns. */
#include "core/atomic.h"
#include "kern/kern.h"
#include "mem/elem.h"
#include "micro/combine.h"
#include "micro/cube.h"

enum { FRACTAL_COLS = 16, BLOCK_ROWS = 64, BLOCK_COLS = 64, SPARE = 16 };

/* Modes, numbered as in the language. Of those that scale, the odd ones have one factor. */
enum { NO_CONVERT = 0, FIRST_SCALING = 4 };
enum { NO_RELU, NORMAL_RELU, SCALAR_RELU, VECTOR_RELU };
enum { BY_ROWS, BY_COLUMNS };
enum { SATURATES, OPEN, KEEPS_NAN };
enum { SPLIT_NONE, SPLIT_ROWS, SPLIT_COLS };

/* What each column needs. Bodies read up to SPARE entries beyond the columns. */
typedef struct columns {
    float scale[BLOCK_COLS + SPARE], alpha[BLOCK_COLS + SPARE];
    float one[BLOCK_COLS + SPARE], offset[BLOCK_COLS + SPARE];
    float low[BLOCK_COLS + SPARE], high[BLOCK_COLS + SPARE];
} columns;

typedef struct store {
    ptrt_core *core;
    uint32_t line;
    const char *op;
    int from, to; /* element types */
    int64_t size; /* bytes of an element of the destination */
    int64_t src;
    int64_t src_stride, dst_stride;
    ptrt_args_fn body; /* converts; NULL: elements keep their bits */
    bool scales, has_words, clips, by_columns;
    int relu, sat;
    float factor, slope, most, clip;
    const unsigned char *words, *slopes; /* of all columns, in the table of factors */
    int combines, combined;              /* kernel and element type; -1: elements are replaced */

    /* The destination: global memory, or a space of a core. */
    unsigned char *gm;
    const ptrt_core *owner;
    int space;
    int64_t dst;
} store;

/* A part of the matrix, which begins at (row, col), and at (0, 0) of its destination. */
typedef struct part {
    int64_t row, col, rows, cols;
} part;

/* ---- factors ---- */

static float float_of(uint32_t bits) {
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static float number_of(int elem, uint64_t bits) {
    if (elem == PTRT_F16) return ptrt_extf_f16_f32((uint16_t)bits);
    return float_of(elem == PTRT_BF16 ? (uint32_t)bits << 16 : (uint32_t)bits);
}

/* Decodes the factor of a word: sign, exponent, 10 bits of mantissa, without subnormal numbers,
 * infinities and NaN. */
static float word_factor(uint64_t word) {
    const uint32_t bits = (uint32_t)(word >> 13 & 0x7FFFF) << 13, magnitude = bits & 0x7FFFFFFF;
    if (magnitude == 0) return 0;
    if (magnitude >= 0x7F800000) return float_of((bits & 0x80000000) | 0x7F800000);
    return magnitude < 0x00800000 ? float_of(bits | 0x00800000) * 0.5f : float_of(bits);
}

static void set_column(const store *s, columns *c, int64_t i, int64_t col) {
    bool is_signed = s->to == PTRT_I8;
    c->one[i] = 1;
    c->scale[i] = s->factor;
    c->alpha[i] = s->slope;
    c->offset[i] = 0;
    if (s->has_words) {
        uint64_t word;
        memcpy(&word, s->words + 8 * col, sizeof word);
        c->scale[i] = word_factor(word);
        c->offset[i] = (float)(word >> 37 & 0x1FF);
        is_signed = (word >> 46 & 1) != 0;
    }
    if (s->slopes != NULL) memcpy(&c->alpha[i], s->slopes + 4 * col, sizeof(float));
    c->low[i] = is_signed && s->relu != NORMAL_RELU ? -128 : 0;
    c->high[i] = is_signed ? 127 : 255;
    if (s->clips && s->clip < c->high[i]) c->high[i] = s->clip;
    if (c->low[i] > c->high[i]) c->low[i] = c->high[i];
}

/* ---- elements ---- */

/* Loads a block of the accumulator, with rows of BLOCK_COLS elements. */
static int load_block(const store *s, const part *b, uint32_t *in) {
    for (int64_t c = 0; c < b->cols; c += FRACTAL_COLS) {
        const int64_t left = b->cols - c, n = left < FRACTAL_COLS ? left : FRACTAL_COLS;
        const int64_t col = b->col + c;
        const int64_t at = s->src + (col / FRACTAL_COLS * s->src_stride + b->row) * ACC_ROW +
                           col % FRACTAL_COLS * 4;
        const columns_of_rows shape = {b->rows, 1, ACC_ROW, n * 4, 0};
        const uint64_t bytes = (uint64_t)cube_extent(&shape);
        const unsigned char *p = place_at(s->core, PTRT_ACC, at, bytes, ACC_ROW);
        if (p == NULL) return place_fail(s->core, s->line, s->op, PTRT_ACC, at, bytes, ACC_ROW);
        if (s->core->watch) cube_touch(s->core, p, &shape, false);
        for (int64_t r = 0; r < b->rows; r++)
            memcpy(in + r * BLOCK_COLS + c, p + r * ACC_ROW, (size_t)n * 4);
    }
    return PTRT_OK;
}

/* What happens to all elements of a row of a block, also to those beyond its columns: compilers
 * make vectors of loops that always have the same length. */
#define EACH(i) for (int i = 0; i < BLOCK_COLS; i++)

static void scale_row(const store *s, const columns *c, float *x) {
    if (s->from != PTRT_F32) EACH(i) {
            int32_t k;
            memcpy(&k, x + i, sizeof k);
            x[i] = (float)k;
        }
    EACH(i) x[i] *= c->scale[i];
}

/* NaN stays NaN with a slope, and becomes 0 without one. */
static void rectify_row(const store *s, const columns *c, float *x) {
    if (s->relu == NORMAL_RELU)
        EACH(i) x[i] = x[i] > 0 ? x[i] : 0;
    else
        EACH(i) {
            const float y = c->alpha[i] * x[i];
            x[i] = x[i] < 0 ? y : x[i];
        }
}

static void saturate_row(const store *s, float *x) {
    const float most = s->most;
    EACH(i) x[i] = x[i] > most ? most : x[i];
    EACH(i) x[i] = x[i] < -most ? -most : x[i];
    if (s->sat == SATURATES) EACH(i) x[i] = x[i] == x[i] ? x[i] : 0;
}

static void clip_row(const store *s, float *x) {
    const float most = s->clip;
    EACH(i) x[i] = x[i] > most ? most : x[i];
}

static void rectify_integers(const store *s, uint32_t *x, int64_t n) {
    for (int64_t i = 0; i < n && s->relu == NORMAL_RELU; i++)
        x[i] = (int32_t)x[i] > 0 ? x[i] : 0;
}

/* Does to a row what precedes the conversion. Normal relu of results with an offset comes after
 * it, in the bounds of the columns. */
static void prepare_row(const store *s, const columns *c, uint32_t *row, int64_t n) {
    float *x = (float *)(void *)row;
    if (s->from != PTRT_F32 && !s->scales) {
        rectify_integers(s, row, n);
        return;
    }
    const bool is_byte = s->to == PTRT_I8 || s->to == PTRT_U8;
    if (s->scales) scale_row(s, c, x);
    if (s->relu != NO_RELU && !(is_byte && s->relu == NORMAL_RELU)) rectify_row(s, c, x);
    if (is_byte || s->body == NULL) return;
    if (s->sat != OPEN) saturate_row(s, x);
    if (s->clips) clip_row(s, x);
}

/* Without saturation, what exceeds the range of an 8-bit float is the type's infinity or NaN. */
static void open_bytes(const store *s, const float *x, unsigned char *codes, int64_t n) {
    const bool e5m2 = s->to == PTRT_F8E5M2;
    for (int64_t i = 0; i < n; i++) {
        const float size = x[i] < 0 ? -x[i] : x[i];
        if (e5m2 ? size >= 61440 : size > 464)
            codes[i] = (unsigned char)((x[i] < 0 ? 0x80 : 0) | (e5m2 ? 0x7C : 0x7F));
    }
}

static void convert_block(const store *s, const columns *c, const part *b, const uint32_t *in,
                          unsigned char *out) {
    ptrt_fix how = {.scale = c->one,
                    .offset = c->offset,
                    .low = c->low,
                    .high = c->high,
                    .has_infinity = s->sat == OPEN};
    ptrt_args x;
    x.rows = (size_t)b->rows;
    x.cols = (size_t)b->cols;
    x.k = NULL;
    x.how = &how;
    x.p[0] = (unsigned char *)(uintptr_t)in;
    x.p[1] = out;
    x.ld[0] = x.ld[1] = BLOCK_COLS;
    s->body(&x);
    if (s->sat != OPEN || s->size != 1 || s->to <= PTRT_U8) return;
    for (int64_t r = 0; r < b->rows; r++)
        open_bytes(s, (const float *)(const void *)in + r * BLOCK_COLS, out + r * BLOCK_COLS,
                   b->cols);
}

/* ---- the destination ---- */

/* Stores n elements that are neighbours, from number `at` of the destination on. */
static int put_run(const store *s, int64_t at, const unsigned char *from, int64_t n) {
    const uint64_t bytes = (uint64_t)(n * s->size);
    if (s->gm == NULL) {
        const int64_t to = s->dst + at * s->size;
        unsigned char *p =
            place_write_of(s->core, s->owner, s->space, to, bytes, (uint64_t)s->size);
        if (p == NULL)
            return place_fail(s->core, s->line, s->op, s->space, to, bytes, (uint64_t)s->size);
        memcpy(p, from, bytes);
        return PTRT_OK;
    }
    unsigned char *p = s->gm + at * s->size;
    const int err = place_global(s->core, s->line, s->op, p, bytes, true);
    if (err != 0) return err;
    if (s->combines < 0)
        memcpy(p, from, bytes);
    else
        (void)ptrt_gm_update(s->core, s->combines, s->combined, p, from, (size_t)n);
    return PTRT_OK;
}

/* Gathers a column of a block. */
#define GATHER(SIZE)                                                                               \
    static void gather_##SIZE(unsigned char *d, const unsigned char *from, int64_t n) {            \
        for (int64_t r = 0; r < n; r++)                                                            \
            memcpy(d + r * SIZE, from + r * BLOCK_COLS * SIZE, SIZE);                              \
    }
GATHER(1)
GATHER(2)
GATHER(4)

static int put_column(const store *s, int64_t at, const unsigned char *from, int64_t n) {
    unsigned char column[BLOCK_ROWS * 4];
    (s->size == 4 ? gather_4 : s->size == 2 ? gather_2 : gather_1)(column, from, n);
    return put_run(s, at, column, n);
}

static int put_block(const store *s, int64_t row, int64_t col, int64_t rows, int64_t cols,
                     const unsigned char *out) {
    int code = PTRT_OK;
    if (s->by_columns)
        for (int64_t c = 0; c < cols && code == 0; c++)
            code = put_column(s, (col + c) * s->dst_stride + row, out + c * s->size, rows);
    else
        for (int64_t r = 0; r < rows && code == 0; r++)
            code =
                put_run(s, (row + r) * s->dst_stride + col, out + r * BLOCK_COLS * s->size, cols);
    return code;
}

/* ---- regions ---- */

static int store_block(const store *s, const columns *c, const part *b, const part *whole) {
    _Alignas(64) uint32_t in[BLOCK_ROWS * BLOCK_COLS];
    _Alignas(64) unsigned char out[BLOCK_ROWS * BLOCK_COLS * 4];
    const int code = load_block(s, b, in);
    if (code != 0) return code;
    for (int64_t r = 0; r < b->rows; r++) {
        uint32_t *row = in + r * BLOCK_COLS;
        memset(row + b->cols, 0, (size_t)(BLOCK_COLS - b->cols) * sizeof *row);
        prepare_row(s, c, row, b->cols);
    }
    if (s->body != NULL) convert_block(s, c, b, in, out);
    return put_block(s, b->row - whole->row, b->col - whole->col, b->rows, b->cols,
                     s->body != NULL ? out : (const unsigned char *)in);
}

static int store_part(const store *s, const part *whole) {
    columns c = {.one = {0}};
    for (int64_t col = 0; col < whole->cols; col += BLOCK_COLS) {
        part b = {.col = whole->col + col};
        b.cols = ptrt_min64(whole->cols - col, BLOCK_COLS);
        for (int64_t i = 0; i < b.cols; i++)
            set_column(s, &c, i, b.col + i);
        for (int64_t row = 0; row < whole->rows; row += BLOCK_ROWS) {
            b.row = whole->row + row;
            b.rows = ptrt_min64(whole->rows - row, BLOCK_ROWS);
            const int code = store_block(s, &c, &b, whole);
            if (code != 0) return code;
        }
    }
    return PTRT_OK;
}

/* ---- how to store ---- */

/* The operands and attributes that all three stores have. */
typedef struct how {
    int64_t m, n;
    int quant, quant_elem, relu, relu_elem, clip_elem, layout, sat, loop3;
    uint64_t quant_bits, relu_bits, clip_bits;
    int64_t step, count, src_step, dst_step;
} how;

static float largest_of(int elem) {
    return elem == PTRT_F16 ? 65504.0f : elem == PTRT_BF16 ? 0x1.fep127f : 0x1.fffffep127f;
}

/* The bound has the type of the result, but is a pattern of bits in a type that may be wider. */
static float bound_of(int elem, int to, uint64_t bits) {
    if (elem == PTRT_F16) return ptrt_extf_f16_f32((uint16_t)bits);
    if (to == PTRT_U8 || elem == PTRT_U16 || elem == PTRT_U8) return (float)(bits & 0xFFFF);
    return elem == PTRT_I8 ? (float)(int8_t)bits : (float)(int16_t)bits;
}

static int no_conversion(const store *s) {
    return ptrt_fail(s->core, PTRT_E_TYPE, s->line, "%s: no conversion of %s to %s", s->op,
                     ptrt_elem_name(s->from), ptrt_elem_name(s->to));
}

/* Finds the conversion: after scaling, from f32. */
static int set_body(store *s, const how *h) {
    const int from = s->scales ? PTRT_F32 : s->from;
    s->from = s->from == PTRT_U32 ? PTRT_I32 : s->from;
    if (h->quant <= NO_CONVERT) {
        if (s->size != 4 || (s->to == PTRT_F32) != (s->from == PTRT_F32)) return no_conversion(s);
        return PTRT_OK;
    }
    const bool is_half = s->to == PTRT_F16 || s->to == PTRT_BF16;
    const int kernel = is_half ? PTRT_TSTORE_ACC : PTRT_TSTORE_SCALAR;
    s->body = (ptrt_args_fn)ptrt_body_of_pair(s->core->bodies, kernel, from, s->to);
    if (s->body == NULL) return no_conversion(s);
    if (s->to == PTRT_HIF8 && s->sat == OPEN)
        return ptrt_fail(s->core, PTRT_E_ARG, s->line,
                         "%s: no meaning is known of hif8 without saturation", s->op);
    return PTRT_OK;
}

/* Sets `rows` to those of all columns in the table of factors. */
static int table(const store *s, int64_t at, int64_t size, int64_t cols, uint64_t align,
                 const unsigned char **rows) {
    const uint64_t bytes = (uint64_t)(size * cols);
    *rows = place_read(s->core, PTRT_SCALING, at, bytes, align);
    if (*rows != NULL) return PTRT_OK;
    return place_fail(s->core, s->line, s->op, PTRT_SCALING, at, bytes, align);
}

static int set_factors(store *s, const how *h) {
    s->scales = h->quant >= FIRST_SCALING;
    s->has_words = s->scales && h->quant % 2 == 0;
    s->relu = h->relu > NO_RELU ? h->relu : NO_RELU;
    if (s->has_words) {
        const int code = table(s, (int64_t)h->quant_bits, 8, h->n, 128, &s->words);
        if (code != PTRT_OK) return code;
    } else if (s->scales) {
        s->factor = number_of(h->quant_elem, h->quant_bits);
    }
    if (s->relu == VECTOR_RELU) {
        const int code = table(s, (int64_t)h->relu_bits, 4, h->n, 64, &s->slopes);
        if (code != PTRT_OK) return code;
    } else if (s->relu == SCALAR_RELU) {
        s->slope = number_of(h->relu_elem, h->relu_bits);
    }
    if (s->relu > NORMAL_RELU && s->from != PTRT_F32 && !s->scales)
        return ptrt_fail(s->core, PTRT_E_ARG, s->line, "%s: a slope for integers", s->op);
    return PTRT_OK;
}

static void set_range(store *s, const how *h) {
    const bool open = ctrl_bits(s->core, CTRL_OPEN, 1) != 0;
    const bool keeps = ctrl_bits(s->core, CTRL_KEEP_NAN, 1) != 0;
    s->sat = h->sat != PTRT_ABSENT ? h->sat : open ? OPEN : keeps ? KEEPS_NAN : SATURATES;
    s->most = largest_of(s->to);
    s->clips = h->clip_elem != PTRT_ABSENT;
    if (s->clips) s->clip = bound_of(h->clip_elem, s->to, h->clip_bits);
}

static int set_up(store *s, const how *h) {
    const int err = CHECK_SIZES(s->core, s->line, s->op, h->m, h->n, s->src_stride, s->dst_stride);
    if (err != 0) return err;
    s->size = (int64_t)ptrt_elem_size(s->to);
    s->by_columns = h->layout == BY_COLUMNS;
    s->combines = -1;
    /* Programs have 1 here; another step of the rows of the source has no known unit. */
    if (s->by_columns && h->step != 1)
        return ptrt_fail(s->core, PTRT_E_ARG, s->line, "%s: no meaning is known of nz2dn(%lld)",
                         s->op, (long long)h->step);
    set_range(s, h);
    const int code = set_factors(s, h);
    return code != 0 ? code : set_body(s, h);
}

/* Stores part p of each matrix of the outer loop, whose steps count rows of the source and elements
 * of the destination. */
static int store_loop(const store *s, const how *h, const part *p) {
    const int64_t count = h->loop3 ? h->count : 1;
    store at = *s;
    for (int64_t i = 0; i < count; i++) {
        const int code = store_part(&at, p);
        if (code != 0) return code;
        at.src += h->src_step * ACC_ROW;
        if (at.gm != NULL) at.gm += h->dst_step * s->size;
        at.dst += h->dst_step * s->size;
    }
    return PTRT_OK;
}

/* ---- global memory ---- */

/* Takes how results combine from the clause, or from the control register. */
static int set_combination(store *s, int type, int op) {
    if (type == PTRT_ABSENT) {
        type = (int)ctrl_bits(s->core, CTRL_STORE_TYPE, 3);
        op = (int)ctrl_bits(s->core, CTRL_STORE_OP, 2);
    }
    if (!combination((unsigned)type, (unsigned)op, &s->combines, &s->combined))
        return ptrt_fail(s->core, PTRT_E_ARG, s->line, "%s: type %d and operation %d of a store",
                         s->op, type, op);
    if (s->combines < 0) return PTRT_OK;
    if ((int64_t)ptrt_elem_size(s->combined) == s->size &&
        s->core->bodies->one[s->combines][s->combined] != NULL)
        return PTRT_OK;
    return ptrt_fail(s->core, PTRT_E_TYPE, s->line, "%s: stores of %s do not combine %s", s->op,
                     ptrt_elem_name(s->to), ptrt_elem_name(s->combined));
}

static int store_gm(store *s, const how *h, int type, int op) {
    const part whole = {0, 0, h->m, h->n};
    int code = set_up(s, h);
    if (code == 0) code = set_combination(s, type, op);
    return code != 0 ? code : store_loop(s, h, &whole);
}

/* ---- memories on the chip ---- */

/* Returns the cores whose vector memory results go to, and how many they are. A block with one
 * vector core has all of them there, one without has them in the cube core itself. */
static int destinations(ptrt_core *core, int64_t sub, int split, const ptrt_core **to) {
    const ptrt_core *v0 = ptrt_peer(core, false, 0), *v1 = ptrt_peer(core, false, 1);
    to[0] = !core->cube || v0 == NULL ? core : sub == 1 && v1 != NULL ? v1 : v0;
    to[1] = v1;
    return split != SPLIT_NONE && core->cube && v0 != NULL && v1 != NULL ? 2 : 1;
}

static int store_chip(store *s, const how *h, int64_t sub, int split) {
    const ptrt_core *to[2] = {s->core, NULL};
    const int n = s->space == PTRT_VEC ? destinations(s->core, split > SPLIT_NONE ? 0 : sub,
                                                      split > 0 ? split : 0, to)
                                       : 1;
    const int64_t rows = n == 2 && split == SPLIT_ROWS ? (h->m + 1) / 2 : h->m;
    const int64_t cols = n == 2 && split == SPLIT_COLS ? (h->n + 1) / 2 : h->n;
    part p = {0, 0, rows, cols};
    int code = set_up(s, h);
    if (code == 0 && place_at(s->core, s->space, s->dst, 0, BLOCK) == NULL)
        return place_fail(s->core, s->line, s->op, s->space, s->dst, 0, BLOCK);
    for (int i = 0; i < n && code == 0; i++) {
        s->owner = to[i];
        code = store_loop(s, h, &p);
        if (split == SPLIT_ROWS)
            p = (part){rows, 0, h->m - rows, cols};
        else
            p = (part){0, cols, rows, h->n - cols};
    }
    return code;
}

/* ---- calls ---- */

#define HOW                                                                                        \
    {                                                                                              \
        .m = m, .n = n, .quant = quant, .quant_elem = quant_elem, .quant_bits = quant_bits,        \
        .relu = relu, .relu_elem = relu_elem, .relu_bits = relu_bits, .clip_elem = clip_elem,      \
        .clip_bits = clip_bits, .layout = layout, .step = step, .loop3 = loop3, .count = count,    \
        .src_step = src_step, .dst_step = dst_step, .sat = sat                                     \
    }

int ptrt_store_l0c_gm(ptrt_core *core, uint32_t line, int from, int to, int64_t src, void *dst,
                      PTRT_STORE_L0C, int type, int op) {
    const how h = HOW;
    store s = {.core = core,
               .line = line,
               .op = "pto.mte_l0c_gm",
               .from = from,
               .to = to,
               .src = src,
               .src_stride = src_stride,
               .dst_stride = dst_stride,
               .gm = dst};
    return store_gm(&s, &h, type, op);
}

int ptrt_store_l0c(ptrt_core *core, uint32_t line, int space, int64_t sub, int split, int from,
                   int to, int64_t src, int64_t dst, PTRT_STORE_L0C) {
    const how h = HOW;
    store s = {.core = core,
               .line = line,
               .op = space == PTRT_VEC ? "pto.mte_l0c_ub" : "pto.mte_l0c_l1",
               .from = from,
               .to = to,
               .src = src,
               .src_stride = src_stride,
               .dst_stride = dst_stride,
               .space = space,
               .dst = dst};
    return store_chip(&s, &h, sub, split);
}

/* ---- raw forms ---- */

static unsigned bits_of(int64_t word, int first, int n) {
    return (unsigned)((uint64_t)word >> first & ((UINT64_C(1) << n) - 1));
}

/* The words: n, m and the destination's stride from bit 4, 16 and 32 of the first one; the source's
 * stride from bit 0 of the second one, the conversion in bits 29 and 38:34, the bound in 31:30,
 * relu in 41:39, the layout in bits 43 and 62. No source says which conversions the numbers name,
 * other than 0, and which bounds. Slopes are in the second segment of their table, as programs load
 * them. */
static int unpack(store *s, how *h, int64_t word0, int64_t word1) {
    const ptrt_registers *r = &s->core->registers;
    const unsigned quant = bits_of(word1, 29, 1) << 5 | bits_of(word1, 34, 5);
    *h = (how){.m = bits_of(word0, 16, 16),
               .n = bits_of(word0, 4, 12),
               .relu = (int)bits_of(word1, 39, 3),
               .relu_elem = PTRT_F32,
               .relu_bits = (uint32_t)r->alpha,
               .clip_elem = PTRT_ABSENT,
               .layout = bits_of(word1, 62, 1) != 0 ? BY_COLUMNS : BY_ROWS,
               .step = (int64_t)(r->channel >> 48),
               .loop3 = bits_of(word1, 43, 1) != 0 || bits_of(word1, 62, 1) != 0,
               .count = r->loop3 & 0xFFFF,
               .src_step = r->loop3 >> 16 & 0xFFFF,
               .dst_step = r->loop3 >> 32 & 0xFFFF,
               .sat = PTRT_ABSENT};
    s->src_stride = bits_of(word1, 0, 16);
    s->dst_stride = (int64_t)((uint64_t)word0 >> 32);
    if (h->relu == VECTOR_RELU) h->relu_bits = PTRT_SCALING_SEGMENT + (r->fpc & 0xFF) * FACTOR_ROW;
    if (quant == 0 && h->relu <= VECTOR_RELU && bits_of(word1, 30, 2) == 0 &&
        bits_of(word1, 42, 1) == 0)
        return PTRT_OK;
    return ptrt_fail(s->core, PTRT_E_ARG, s->line,
                     "%s: no meaning is known of the words %#llx and %#llx", s->op,
                     (unsigned long long)word0, (unsigned long long)word1);
}

int ptrt_store_l0c_gm_raw(ptrt_core *core, uint32_t line, int from, int to, int64_t src, void *dst,
                          int64_t word0, int64_t word1) {
    how h;
    store s = {.core = core,
               .line = line,
               .op = "pto.copy_matrix_cc_to_gm",
               .from = from,
               .to = to,
               .src = src,
               .gm = dst};
    const int code = unpack(&s, &h, word0, word1);
    return code != 0 ? code : store_gm(&s, &h, PTRT_ABSENT, 0);
}

int ptrt_store_l0c_raw(ptrt_core *core, uint32_t line, int space, int from, int to, int64_t src,
                       int64_t dst, int64_t word0, int64_t word1) {
    how h;
    store s = {.core = core,
               .line = line,
               .op = space == PTRT_VEC ? "pto.copy_matrix_cc_to_ub" : "pto.copy_matrix_cc_to_cbuf",
               .from = from,
               .to = to,
               .src = src,
               .space = space,
               .dst = dst};
    const int code = unpack(&s, &h, word0, word1);
    if (code != 0) return code;
    return store_chip(&s, &h, bits_of(word1, 18, 1),
                      space == PTRT_VEC ? (int)bits_of(word1, 16, 2) : SPLIT_NONE);
}
