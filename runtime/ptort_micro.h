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
PTRT_SHAPE(lanes2s, void, ptrt_vreg *, const ptrt_vreg *, const ptrt_vreg *, uint64_t,
           const ptrt_mask *)
PTRT_SHAPE(lanes2p, void, ptrt_vreg *, const ptrt_vreg *, const ptrt_vreg *, const ptrt_mask *,
           int) /* which lanes of pairs */
PTRT_SHAPE(splat, void, ptrt_vreg *, uint64_t, const ptrt_mask *)
PTRT_SHAPE(lanes0, void, ptrt_vreg *, uint64_t)
PTRT_SHAPE(halves2, void, ptrt_vreg *, ptrt_vreg *, const ptrt_vreg *, const ptrt_vreg *,
           const ptrt_mask *)
PTRT_SHAPE(carry2, void, ptrt_vreg *, ptrt_mask *, const ptrt_vreg *, const ptrt_vreg *,
           const ptrt_mask *)
PTRT_SHAPE(carry3, void, ptrt_vreg *, ptrt_mask *, const ptrt_vreg *, const ptrt_vreg *,
           const ptrt_mask *, const ptrt_mask *) /* the carries, then the mask */
PTRT_SHAPE(compare2, void, ptrt_mask *, const ptrt_vreg *, const ptrt_vreg *, const ptrt_mask *,
           int) /* enum ptrt_cmp */
PTRT_SHAPE(compare1s, void, ptrt_mask *, const ptrt_vreg *, uint64_t, const ptrt_mask *, int)
PTRT_SHAPE(numbered, void, ptrt_vreg *, const ptrt_vreg *, const ptrt_vreg *)
PTRT_SHAPE(find1, void, ptrt_vreg *, ptrt_mask *, const ptrt_vreg *, const ptrt_mask *)
PTRT_SHAPE(histogram1, void, ptrt_vreg *, const ptrt_vreg *, const ptrt_vreg *, const ptrt_mask *,
           int64_t, int) /* the bin; whether smaller values count too */

/* ---- conversions and rearrangement ---- */

/* ---- sorts in the vector memory, of records of 8 bytes: a score of `size` bytes, f16 or f32, and
 * an index in the upper 4. PTRT_E_BOUNDS, PTRT_E_ARG. ---- */

/* pto.vbitsort: sorts `repeat` blocks of 32. */
PTRT_API int ptrt_sort_scores(ptrt_core *core, uint32_t line, int64_t dst, int64_t src, int64_t idx,
                              int64_t repeat, int size);
/* pto.vmrgsort4. */
PTRT_API int ptrt_merge_scores(ptrt_core *core, uint32_t line, int64_t dst, int64_t src0,
                               int64_t src1, int64_t src2, int64_t src3, int64_t count,
                               int64_t config, int size);
/* pto.get_vms4_sr: how many records of each list the last merge took; 0 before the first. */
PTRT_API int ptrt_merged_counts(ptrt_core *core, uint32_t line, int16_t *n0, int16_t *n1,
                                int16_t *n2, int16_t *n3);

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

/* ---- cube ---- */

/* ---- work items ---- */

#ifdef __cplusplus
}
#endif

#endif
