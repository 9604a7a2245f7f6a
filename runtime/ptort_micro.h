/* SPDX-License-Identifier: Apache-2.0 */
/* ptort_micro.h - what emitted code calls for micro-instructions, beyond ptort_emitted.h: vector
 * registers, masks, and the bodies that work on them.
 *
 * Bodies. An instruction on registers is a row BODY of ptort_micro.def. A function fetches the body
 * of each row that it uses once, for the element types of its operands and the machine's level of
 * instructions: `const ptrt_lanes2_fn vadd_f32 = ptrt_lanes2(core, PTRT_VADD, PTRT_F32,
 * PTRT_ANY_ELEM);`, and then calls it: `vadd_f32(&r[2], &r[0], &r[1], &mask);`. Results come first.
 * A body that takes the core may fail: it returns a code and records the error.
 *
 * Registers. A register has 256 bytes; lane i of elements of w bytes begins at byte i * w. The
 * registers of a core are one file, aligned to 64 bytes. A result may be an operand of the same
 * call.
 *
 * Masks. A mask has a bit for each byte of a register. Bit i * w governs lane i of elements of w
 * bytes, the others have no effect. What makes a mask sets the others to 0 unless it says so. */
#ifndef PTORT_MICRO_H
#define PTORT_MICRO_H

#include "ptort_emitted.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ptrt_vreg {
    uint64_t words[32];
} ptrt_vreg;
typedef struct ptrt_mask {
    uint64_t bits[4];
} ptrt_mask;
/* The state of a stream of unaligned accesses: where it goes on. */
typedef struct ptrt_align {
    int64_t at;
} ptrt_align;

enum { PTRT_ANY_ELEM = 31 }; /* a body that depends on fewer element types */

/* The rows BODY, numbered after the kernels. */
enum ptrt_micro_id {
    PTRT_BEFORE_MICRO = PTRT_KERNELS - 1,
#define BODY(family, id, ...) PTRT_##id,
#include "ptort_micro.def"
    PTRT_MICROS
};

/* Returns the register file of a core, as many registers as the kernel says. */
PTRT_API ptrt_vreg *ptrt_vregs(ptrt_core *core);

/* Returns the body of a row. The row must have one for these element types (enum ptrt_elem, or
 * PTRT_ANY_ELEM). */
typedef void (*ptrt_micro_body)(void);
PTRT_API ptrt_micro_body ptrt_body_for(ptrt_core *core, int id, int e1, int e2);

/* Defines the type of the bodies of a shape, and the function that fetches one. */
#define PTRT_SHAPE(shape, result, ...)                                                             \
    typedef result (*ptrt_##shape##_fn)(__VA_ARGS__);                                              \
    static inline ptrt_##shape##_fn ptrt_##shape(ptrt_core *core, int id, int e1, int e2) {        \
        return (ptrt_##shape##_fn)ptrt_body_for(core, id, e1, e2);                                 \
    }

/* ---- on lanes: results, registers, scalars as their bits, masks ---- */
PTRT_SHAPE(lanes1, void, ptrt_vreg *, const ptrt_vreg *, const ptrt_mask *)
PTRT_SHAPE(lanes2, void, ptrt_vreg *, const ptrt_vreg *, const ptrt_vreg *, const ptrt_mask *)
PTRT_SHAPE(lanes3, void, ptrt_vreg *, const ptrt_vreg *, const ptrt_vreg *, const ptrt_vreg *,
           const ptrt_mask *)
PTRT_SHAPE(lanes1s, void, ptrt_vreg *, const ptrt_vreg *, uint64_t, const ptrt_mask *)
PTRT_SHAPE(splat, void, ptrt_vreg *, uint64_t, const ptrt_mask *)

/* ---- conversions and rearrangement ---- */

/* ---- masks: shapes ---- */

/* ---- loads and stores: the core, the line, a register or mask, a byte address in the vector
 * memory, an offset in elements ---- */
PTRT_SHAPE(vload, int, ptrt_core *, uint32_t, ptrt_vreg *, int64_t *, int64_t, int64_t)
PTRT_SHAPE(vstore, int, ptrt_core *, uint32_t, const ptrt_vreg *, int64_t *, int64_t, int64_t,
           const ptrt_mask *)

/* A mask of the lanes of a pattern, by its number in the language, for elements of `width` bytes.
 */
PTRT_API void ptrt_pattern_mask(ptrt_mask *out, int pattern, int width);
/* A mask of the first `count` lanes, none if it is negative, and how many are left. */
PTRT_API void ptrt_first_lanes(ptrt_mask *out, int32_t *rest, int64_t count, int width);

/* ---- copies ---- */

/* pto.mte_gm_ub, pto.mte_ub_gm: copy `count` bursts of `len` bytes; strides count bytes. Around
 * them are `loops` loops, the innermost first, with their counts and their strides. A burst in the
 * vector memory is filled up to a multiple of 32 bytes if `pads`: with `left` elements before it
 * and `right` after it, whose bits are `pad`, of `size` bytes. PTRT_E_BOUNDS, PTRT_E_ARG. */
PTRT_API int ptrt_copy_gm_ub(ptrt_core *core, uint32_t line, const void *src, int64_t dst,
                             int64_t len, int64_t count, int64_t src_stride, int64_t dst_stride,
                             int loops, const int64_t *counts, const int64_t *src_strides,
                             const int64_t *dst_strides);
PTRT_API int ptrt_copy_ub_gm(ptrt_core *core, uint32_t line, int64_t src, void *dst, int64_t len,
                             int64_t count, int64_t src_stride, int64_t dst_stride, int loops,
                             const int64_t *counts, const int64_t *src_strides,
                             const int64_t *dst_strides);

/* ---- raw copies, registers of the core ---- */

/* ---- cube: copies to and from L1 ---- */

/* Addresses count bytes in their space. PTRT_E_BOUNDS, PTRT_E_ALIGN, PTRT_E_ARG. */

/* pto.mte_gm_l1; the raw form has two loops from registers of the core. As ptrt_copy_gm_ub. */
PTRT_API int ptrt_copy_gm_l1(ptrt_core *core, uint32_t line, const void *src, int64_t dst,
                             int64_t len, int64_t count, int64_t src_stride, int64_t dst_stride,
                             int loops, const int64_t *counts, const int64_t *src_strides,
                             const int64_t *dst_strides);
PTRT_API int ptrt_copy_gm_to_cbuf(ptrt_core *core, uint32_t line, const void *src, int64_t dst,
                                  int64_t len, int64_t count, int64_t src_stride,
                                  int64_t dst_stride);
/* pto.mte_gm_l1_frac: loads `groups` matrices of n x d elements as columns of blocks of 32 bytes,
 * filled up with zeros. Element (i, j) is at i * inner + j elements, or `by_columns` at j * inner +
 * i elements; inner and outer, the distance of matrices, count bytes, steps of the destination
 * blocks. */
PTRT_API int ptrt_load_fractals(ptrt_core *core, uint32_t line, int elem, const void *src,
                                int64_t dst, int by_columns, int64_t n, int64_t d, int64_t inner,
                                int64_t outer, int64_t groups, int64_t row_step,
                                int64_t column_step, int64_t group_step, int64_t small);
PTRT_API int ptrt_copy_gm_to_cbuf_multi(ptrt_core *core, uint32_t line, int elem, const void *src,
                                        int64_t dst, int by_columns, int64_t inner, int64_t n,
                                        int64_t d, int64_t outer, int64_t small);
/* pto.mte_l1_ub to the memory of vector core `sub`, pto.mte_ub_l1 to that of the cube core.
 * Lengths, and gaps after a burst, count blocks of 32 bytes; strides of loops count bytes. */
PTRT_API int ptrt_copy_l1_ub(ptrt_core *core, uint32_t line, int64_t src, int64_t dst, int64_t sub,
                             int64_t len, int64_t count, int64_t src_gap, int64_t dst_gap,
                             int loops, const int64_t *counts, const int64_t *src_strides,
                             const int64_t *dst_strides);
PTRT_API int ptrt_copy_ub_l1(ptrt_core *core, uint32_t line, int64_t src, int64_t dst, int64_t len,
                             int64_t count, int64_t src_gap, int64_t dst_gap);
/* pto.mte_l1_bt widens elements of type `elem` to 32 bits, in blocks of 32 bytes of the source;
 * pto.mte_l1_fb copies rows of 64 bytes. */
PTRT_API int ptrt_load_bias(ptrt_core *core, uint32_t line, int elem, int64_t src, int64_t dst,
                            int64_t len, int64_t count, int64_t src_gap, int64_t dst_gap);
PTRT_API int ptrt_load_factors(ptrt_core *core, uint32_t line, int64_t src, int64_t dst,
                               int64_t len, int64_t count, int64_t src_gap, int64_t dst_gap);
/* pto.raw_fill_l1: fills `count` times `blocks` blocks of 32 bytes, with gaps between them, with a
 * pattern of `bits` bits. */
PTRT_API int ptrt_fill_l1(ptrt_core *core, uint32_t line, int64_t dst, int64_t offset,
                          int64_t value, int64_t count, int64_t blocks, int64_t gap, int bits);

/* Set registers of the raw forms. Loops: 0 is the inner one. */
PTRT_API int ptrt_set_l1_strides(ptrt_core *core, uint32_t line, int loop, int64_t word);
PTRT_API int ptrt_set_l1_counts(ptrt_core *core, uint32_t line, int64_t word);
enum ptrt_cube_register {
    PTRT_NZ_PARA,
    PTRT_PAD_L1,
    PTRT_LOOP3,
    PTRT_CHANNEL,
    PTRT_QUANT,
    PTRT_ALPHA,
    PTRT_CLIP,
    PTRT_FPC
};
PTRT_API int ptrt_set_cube_register(ptrt_core *core, uint32_t line, int which, int64_t word);
PTRT_API int ptrt_set_cube_words(ptrt_core *core, uint32_t line, int which, int64_t low,
                                 int64_t high);

/* ---- cube: factors ---- */

/* pto.mte_l1_l0a, pto.mte_l1_l0b: load `lines` x `depth` elements to PTRT_LEFT or PTRT_RIGHT, from
 * a matrix in L1 of which they are columns if `transpose`; or blocks of 512 bytes. */
PTRT_API int ptrt_load_l0(ptrt_core *core, uint32_t line, int space, int elem, int64_t src,
                          int64_t dst, int64_t lines, int64_t depth, int64_t row, int64_t col,
                          int transpose);
PTRT_API int ptrt_load_l0_blocks(ptrt_core *core, uint32_t line, int space, int elem, int64_t src,
                                 int64_t dst, int64_t m_start, int64_t k_start, int64_t m_step,
                                 int64_t k_step, int64_t src_stride, int64_t dst_stride,
                                 int64_t transpose);
/* pto.mte_l1_l0a_mx, pto.mte_l1_l0b_mx: load the scales of the matrix at `dst`; or blocks of 32
 * bytes to dst / divisor of the memory of scales. */
PTRT_API int ptrt_load_scales(ptrt_core *core, uint32_t line, int space, int64_t src, int64_t dst,
                              int64_t lines, int64_t depth, int64_t row, int64_t col);
PTRT_API int ptrt_load_scale_blocks(ptrt_core *core, uint32_t line, int space, int64_t src,
                                    int64_t dst, int64_t x_start, int64_t y_start, int64_t x_step,
                                    int64_t y_step, int64_t src_stride, int64_t dst_stride,
                                    int divisor);

/* ---- cube: products ---- */

/* pto.mad (mode 0), pto.mad_acc (1), pto.mad_bias (2), and of scaled factors (3 .. 5). With m = 1
 * the left factor is one row, unless `keeps_matrix`. sat: 0 infinities and NaN become numbers, 1
 * or PTRT_ABSENT they stay. tf32: f32 factors are rounded to even (0) or
 * away from zero (1). PTRT_E_TYPE, PTRT_E_BOUNDS, PTRT_E_ALIGN, PTRT_E_ARG, PTRT_E_NOMEM. */
PTRT_API int ptrt_mad(ptrt_core *core, uint32_t line, int mode, int a_elem, int b_elem, int c_elem,
                      int64_t a, int64_t b, int64_t c, int64_t bias, int64_t m, int64_t n,
                      int64_t k, int keeps_matrix, int sat, int tf32);
PTRT_API int ptrt_mad_raw(ptrt_core *core, uint32_t line, int mx, int a_elem, int b_elem,
                          int c_elem, int64_t a, int64_t b, int64_t c, int has_bias, int64_t bias,
                          int64_t config);

/* ---- cube: stores of the accumulator ---- */

/* Operands and attributes of pto.mte_l0c_gm, pto.mte_l0c_l1 and pto.mte_l0c_ub: m x n elements, the
 * factor of the conversion and that of relu (bits of a number, or an address in the table of
 * factors), a bound, the layout, the outer loop. Numbers of modes are those of the language. */
#define PTRT_STORE_L0C                                                                             \
    int64_t m, int64_t n, int64_t src_stride, int64_t dst_stride, int quant, int quant_elem,       \
        uint64_t quant_bits, int relu, int relu_elem, uint64_t relu_bits, int clip_elem,           \
        uint64_t clip_bits, int layout, int64_t step, int loop3, int64_t count, int64_t src_step,  \
        int64_t dst_step, int sat
PTRT_API int ptrt_store_l0c_gm(ptrt_core *core, uint32_t line, int from, int to, int64_t src,
                               void *dst, PTRT_STORE_L0C, int type, int op);
PTRT_API int ptrt_store_l0c(ptrt_core *core, uint32_t line, int space, int64_t sub, int split,
                            int from, int to, int64_t src, int64_t dst, PTRT_STORE_L0C);
PTRT_API int ptrt_store_l0c_gm_raw(ptrt_core *core, uint32_t line, int from, int to, int64_t src,
                                   void *dst, int64_t word0, int64_t word1);
PTRT_API int ptrt_store_l0c_raw(ptrt_core *core, uint32_t line, int space, int from, int to,
                                int64_t src, int64_t dst, int64_t word0, int64_t word1);

/* ---- work items ---- */

#ifdef __cplusplus
}
#endif

#endif
