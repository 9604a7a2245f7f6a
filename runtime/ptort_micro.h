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
/* The state of a stream of unaligned accesses: of loads, the block of 32 bytes that holds the next
 * one, as it was when the state was made; of stores, bytes that are not written yet. */
typedef struct ptrt_align {
    int64_t at; /* of `bytes` in the vector memory */
    uint32_t n; /* how many there are; of loads 0 if the block is not in memory */
    unsigned char bytes[32];
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

/* ---- loads and stores: the core, the line, registers, where the address after the access goes
 * (NULL: nowhere, and the access is there), a byte address in the vector memory, an offset in
 * bytes; how elements are arranged, by its number in the language ---- */
PTRT_SHAPE(vcopy, void, ptrt_vreg *, const ptrt_vreg *)
PTRT_SHAPE(vload, int, ptrt_core *, uint32_t, ptrt_vreg *, int64_t *, int64_t, int64_t)
PTRT_SHAPE(vload_as, int, ptrt_core *, uint32_t, ptrt_vreg *, int64_t *, int64_t, int64_t, int)
PTRT_SHAPE(vload2, int, ptrt_core *, uint32_t, ptrt_vreg *, ptrt_vreg *, int64_t *, int64_t,
           int64_t, int)
PTRT_SHAPE(vload_any, int, ptrt_core *, uint32_t, ptrt_vreg *, int64_t, int64_t, int64_t)
PTRT_SHAPE(vload_stream, int, ptrt_core *, uint32_t, ptrt_vreg *, ptrt_align *, int64_t *, int64_t,
           const ptrt_align *, int64_t, int64_t)
PTRT_SHAPE(vload_blocks, int, ptrt_core *, uint32_t, ptrt_vreg *, int64_t *, int64_t, int64_t,
           int64_t, const ptrt_mask *)
PTRT_SHAPE(vstore, int, ptrt_core *, uint32_t, const ptrt_vreg *, int64_t *, int64_t, int64_t,
           const ptrt_mask *)
PTRT_SHAPE(vstore_as, int, ptrt_core *, uint32_t, const ptrt_vreg *, int64_t *, int64_t, int64_t,
           const ptrt_mask *, int)
PTRT_SHAPE(vstore2, int, ptrt_core *, uint32_t, const ptrt_vreg *, const ptrt_vreg *, int64_t,
           int64_t, int)
PTRT_SHAPE(vstore_blocks, int, ptrt_core *, uint32_t, const ptrt_vreg *, int64_t *, int64_t,
           int64_t, int64_t, const ptrt_mask *)
/* Of a gather and a scatter: the base, the indices. */
PTRT_SHAPE(vgather, int, ptrt_core *, uint32_t, ptrt_vreg *, int64_t, const ptrt_vreg *,
           const ptrt_mask *)
PTRT_SHAPE(vscatter, int, ptrt_core *, uint32_t, const ptrt_vreg *, int64_t, const ptrt_vreg *,
           const ptrt_mask *)

/* A mask of the lanes of a pattern, by its number in the language, for elements of `width` bytes.
 */
PTRT_API void ptrt_pattern_mask(ptrt_mask *out, int pattern, int width);
/* A mask of the first `count` lanes, none if it is negative, and how many are left. */
PTRT_API void ptrt_first_lanes(ptrt_mask *out, int32_t *rest, int64_t count, int width);
/* A mask of the lanes i with i + loop * lanes < bound; loop counts from 0 to 65535. */
PTRT_API void ptrt_lanes_below(ptrt_mask *out, int64_t loop, int64_t bound, int width);

/* On the bits of masks: pto.pand and its kind. */
PTRT_API void ptrt_mask_copy(ptrt_mask *out, const ptrt_mask *m);
PTRT_API void ptrt_mask_and(ptrt_mask *out, const ptrt_mask *a, const ptrt_mask *b,
                            const ptrt_mask *m);
PTRT_API void ptrt_mask_or(ptrt_mask *out, const ptrt_mask *a, const ptrt_mask *b,
                           const ptrt_mask *m);
PTRT_API void ptrt_mask_xor(ptrt_mask *out, const ptrt_mask *a, const ptrt_mask *b,
                            const ptrt_mask *m);
PTRT_API void ptrt_mask_select(ptrt_mask *out, const ptrt_mask *a, const ptrt_mask *b,
                               const ptrt_mask *m);
PTRT_API void ptrt_mask_not(ptrt_mask *out, const ptrt_mask *a, const ptrt_mask *m);
/* The even bits of a mask in one of its halves, and a half on the even bits. */
PTRT_API void ptrt_mask_pack(ptrt_mask *out, const ptrt_mask *m, int upper);
PTRT_API void ptrt_mask_unpack(ptrt_mask *out, const ptrt_mask *m, int upper);
/* Lanes of `width` bits: in turn from a and b; the even and the odd ones of a followed by b. */
PTRT_API void ptrt_mask_zip(ptrt_mask *low, ptrt_mask *high, const ptrt_mask *a, const ptrt_mask *b,
                            int width);
PTRT_API void ptrt_mask_unzip(ptrt_mask *low, ptrt_mask *high, const ptrt_mask *a,
                              const ptrt_mask *b, int width);
/* Masks in the vector memory. The offset counts bytes, `dist` is its number in the language. */
PTRT_API int ptrt_load_mask(ptrt_core *core, uint32_t line, ptrt_mask *out, int64_t *next,
                            int64_t base, int64_t offset, int dist, int immediate);
PTRT_API int ptrt_store_mask(ptrt_core *core, uint32_t line, const ptrt_mask *m, int64_t *next,
                             int64_t base, int64_t offset, int dist, int immediate);

/* Streams of unaligned accesses; addresses are multiples of `align`, the bytes of an element.
 * stream_load begins one of loads, stream_store one of stores. Then come the first `bytes` bytes of
 * a register; what a squeeze kept, the active lanes of `kept` (NULL: of the last squeeze), at an
 * address that counts from the register AR on, which then grows by the bytes if `grows`; one bit
 * for each lane of a mask. stream_end writes what is pending. */
PTRT_API int ptrt_stream_load(ptrt_core *core, uint32_t line, ptrt_align *out, int64_t at,
                              int64_t align);
PTRT_API void ptrt_stream_store(ptrt_align *out);
PTRT_API int ptrt_stream_add(ptrt_core *core, uint32_t line, ptrt_align *out, int64_t *next,
                             const ptrt_align *a, int64_t bytes, const ptrt_vreg *v, int64_t base,
                             int64_t align);
PTRT_API int ptrt_stream_squeezed(ptrt_core *core, uint32_t line, ptrt_align *out,
                                  const ptrt_align *a, const ptrt_vreg *v, const ptrt_mask *kept,
                                  int64_t width, int64_t base, int64_t align, int grows);
PTRT_API int ptrt_stream_mask(ptrt_core *core, uint32_t line, ptrt_align *out, int64_t *next,
                              const ptrt_align *a, const ptrt_mask *m, int64_t base, int64_t width);
PTRT_API int ptrt_stream_end(ptrt_core *core, uint32_t line, int64_t *next, const ptrt_align *a,
                             int64_t base, int64_t offset, int by_ar);
/* The register AR, in bytes. */
PTRT_API int ptrt_clear_ar(ptrt_core *core, uint32_t line);
PTRT_API int ptrt_store_ar(ptrt_core *core, uint32_t line, int64_t *next, int64_t base,
                           int64_t offset, int in_bytes);

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
