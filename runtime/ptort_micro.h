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

/* The rows BODY, numbered after the kernels, and the steps of chains: PTRT_LEFT_VADD is row VADD
 * with the value in registers as its first operand. */
enum ptrt_micro_id {
    PTRT_BEFORE_MICRO = PTRT_KERNELS - 1,
#define BODY(family, id, ...) PTRT_##id,
#include "ptort_micro.def"
#define PTRT_IDS_LOAD(id) PTRT_LEFT_##id,
#define PTRT_IDS_STORE(id) PTRT_LEFT_##id,
#define PTRT_IDS_STORE_FIRST(id) PTRT_LEFT_##id,
#define PTRT_IDS_TWO(id) PTRT_LEFT_##id, PTRT_RIGHT_##id, PTRT_SELF_##id,
#define PTRT_IDS_SCALAR(id) PTRT_LEFT_##id,
#define PTRT_IDS_ONE(id) PTRT_LEFT_##id,
#define PTRT_IDS_COMPARE(id) PTRT_LEFT_##id, PTRT_SELF_##id,
#define PTRT_IDS_COMPARE_SCALAR(id) PTRT_LEFT_##id,
#define PTRT_IDS_SELECT(id) PTRT_LEFT_##id, PTRT_RIGHT_##id,
#define PTRT_IDS_SPREAD(id) PTRT_LEFT_##id, PTRT_RIGHT_##id,
#define PTRT_IDS_SUM(id) PTRT_LEFT_##id,
#define CHAINED(id, way, ...) PTRT_IDS_##way(id)
#include "ptort_micro.def"
    PTRT_CHAIN_START, /* calls the first step of a chain */
    PTRT_CHAIN_END,
    PTRT_CHAIN_KEEP,        /* a register becomes the value, */
    PTRT_CHAIN_KEEP_ACTIVE, /* or its active lanes and zeros */
    PTRT_CHAIN_CLEAR,       /* the value becomes its active lanes and zeros */
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
/* `rnd`, `sat` and `part` are the numbers of the language, PTRT_ABSENT where the pair of types has
 * none. */
PTRT_SHAPE(convert, void, ptrt_vreg *, const ptrt_vreg *, const ptrt_mask *, int, int, int)
PTRT_SHAPE(whole, void, ptrt_vreg *, const ptrt_vreg *, const ptrt_mask *, int)
PTRT_SHAPE(mulscvt, void, ptrt_vreg *, const ptrt_vreg *, uint64_t, const ptrt_mask *, int)
PTRT_SHAPE(zip, void, ptrt_vreg *, ptrt_vreg *, const ptrt_vreg *, const ptrt_vreg *)
PTRT_SHAPE(half_zip, void, ptrt_vreg *, const ptrt_vreg *, const ptrt_vreg *, int)
/* pto.vsqz also notes in the core how many bytes it has kept. */
PTRT_SHAPE(squeeze, int, ptrt_core *, uint32_t, ptrt_vreg *, const ptrt_vreg *, const ptrt_mask *)
PTRT_SHAPE(count_before, void, ptrt_vreg *, const ptrt_mask *)
PTRT_SHAPE(narrow_lanes, void, ptrt_vreg *, const ptrt_vreg *, int)
PTRT_SHAPE(widen_lanes, void, ptrt_vreg *, const ptrt_vreg *, int64_t)

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

/* ---- chains: statements on lanes of 32 bits that follow each other, with one mask, run in one
 * call, which keeps their values in machine registers ---- */

/* What the operand of a step is. */
enum ptrt_link_from {
    PTRT_FROM_NOTHING,
    PTRT_FROM_REGISTER, /* `reg` */
    PTRT_FROM_PLACE,    /* 256 bytes of the vector memory: its address is the next number */
    PTRT_FROM_WORD,     /* 4 bytes of it: the same */
    PTRT_FROM_BITS,     /* a scalar: the next number is its bits */
    PTRT_FROM_AGAIN     /* that of link `reg`, which is before */
};
typedef struct ptrt_link {
    uint32_t line;
    uint16_t body; /* enum ptrt_micro_id */
    uint16_t reg;
    uint8_t elem; /* enum ptrt_elem */
    uint8_t from; /* enum ptrt_link_from */
    uint8_t mask; /* that it makes or takes: 0: none; 1: the next number is its address; from 2 on:
                     of those of the chain itself, PTRT_CHAIN_MASKS */
    uint8_t how;  /* enum ptrt_cmp */
} ptrt_link;

enum { PTRT_LINKS = 12, PTRT_CHAIN_MASKS = 4, PTRT_CHAIN_REGISTERS = 3 };
typedef struct ptrt_lane_chain ptrt_lane_chain;
/* Makes a chain of n links, at most PTRT_LINKS, in PTRT_CHAIN_REGISTERS registers at `room`. Links
 * have registers of the function from `r` on. */
PTRT_API ptrt_lane_chain *ptrt_lane_chain_make(ptrt_core *core, const ptrt_link *links, int n,
                                               ptrt_vreg *r, ptrt_vreg *room);
/* Runs it. Checks all addresses first, and reports the first line that has a wrong one.
 * PTRT_E_BOUNDS, PTRT_E_ALIGN. */
PTRT_API int ptrt_lane_chain_run(ptrt_core *core, ptrt_lane_chain *chain, const ptrt_mask *m,
                                 const int64_t *numbers);

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

/* Make a tile of one row of a register or of a mask, with `lanes` as its memory: 0 or 1 for each
 * lane of `width` bytes; for `ptoasm run --print` and --dump. */
PTRT_API int ptrt_show_register(ptrt_core *core, uint32_t line, int elem, ptrt_vreg *reg,
                                ptrt_tile *out);
PTRT_API int ptrt_show_mask(ptrt_core *core, uint32_t line, int width, const ptrt_mask *mask,
                            unsigned char lanes[256], ptrt_tile *out);

/* ---- copies ---- */

/* pto.mte_gm_ub, pto.mte_ub_gm: copy `count` bursts of `len` bytes; strides count bytes. Around
 * them are `loops` loops, the innermost first, with their counts and their strides. If `pads`, a
 * burst in the vector memory has `left` elements before it and `right` after it, and is filled up
 * to a multiple of 32 bytes; their bits are `pad`, of `size` bytes. Stores combine as the control
 * register says. PTRT_E_BOUNDS, PTRT_E_ALIGN, PTRT_E_ARG. */
PTRT_API int ptrt_copy_gm_ub(ptrt_core *core, uint32_t line, const void *src, int64_t dst,
                             int64_t len, int64_t count, int64_t src_stride, int64_t dst_stride,
                             int loops, const int64_t *counts, const int64_t *src_strides,
                             const int64_t *dst_strides, int pads, uint64_t pad, int64_t left,
                             int64_t right, int size);
PTRT_API int ptrt_copy_ub_gm(ptrt_core *core, uint32_t line, int64_t src, void *dst, int64_t len,
                             int64_t count, int64_t src_stride, int64_t dst_stride, int loops,
                             const int64_t *counts, const int64_t *src_strides,
                             const int64_t *dst_strides);
/* pto.mte_ub_ub, pto.copy_ubuf_to_ubuf: `count` bursts; lengths, and gaps after a burst, count
 * blocks of 32 bytes. */
PTRT_API int ptrt_copy_ub_ub(ptrt_core *core, uint32_t line, int64_t src, int64_t dst, int64_t len,
                             int64_t count, int64_t src_gap, int64_t dst_gap);

/* ---- raw copies, registers of the core ---- */

/* The same with two loops, and the value of the padding, from registers of the core. */
PTRT_API int ptrt_copy_gm_to_ubuf(ptrt_core *core, uint32_t line, const void *src, int64_t dst,
                                  int64_t len, int64_t count, int64_t src_stride,
                                  int64_t dst_stride, int64_t pads, int64_t left, int64_t right,
                                  int size);
PTRT_API int ptrt_copy_ubuf_to_gm(ptrt_core *core, uint32_t line, int64_t src, void *dst,
                                  int64_t len, int64_t count, int64_t src_stride,
                                  int64_t dst_stride);
/* Set these registers, `out` is 1 for copies to global memory: the strides of the inner loop (0) or
 * the outer one (1), how often both run, and the bits of the padding. */
PTRT_API int ptrt_set_copy_strides(ptrt_core *core, uint32_t line, int out, int loop, int64_t src,
                                   int64_t dst);
PTRT_API int ptrt_set_copy_counts(ptrt_core *core, uint32_t line, int out, int64_t inner,
                                  int64_t outer);
PTRT_API int ptrt_set_copy_pad(ptrt_core *core, uint32_t line, uint64_t bits);

/* The control register of the core: all of it, or `bits` bits from number `first` on. */
PTRT_API int ptrt_get_ctrl(ptrt_core *core, uint32_t line, int64_t *out);
PTRT_API int ptrt_set_ctrl(ptrt_core *core, uint32_t line, int64_t ctrl);
PTRT_API int ptrt_set_ctrl_field(ptrt_core *core, uint32_t line, int first, int bits, int value);
/* A number of which one bit is 0 or 1. Of `bit` the low six bits count. */
PTRT_API void ptrt_set_bit(int64_t *out, int64_t value, int64_t bit, int on);

/* ---- vector instructions of a2a3 ---- */

/* pto.ub.*: `op` counts the instructions of a group in the order of ptort_micro.def, `elem` is enum
 * ptrt_elem. A repeat is 8 blocks of 32 bytes; addresses count bytes, the strides of blocks and
 * repeats 32 bytes. A scalar is the low bits. Elements that the mask leaves out keep their values,
 * and blocks of which it leaves out all are not touched. */
PTRT_API int ptrt_ub_binary(ptrt_core *core, uint32_t line, int op, int elem, int64_t dst,
                            int64_t src0, int64_t src1, int64_t repeat, int64_t dst_block,
                            int64_t src0_block, int64_t src1_block, int64_t dst_repeat,
                            int64_t src0_repeat, int64_t src1_repeat);
PTRT_API int ptrt_ub_unary(ptrt_core *core, uint32_t line, int op, int elem, int64_t dst,
                           int64_t src, int64_t repeat, int64_t dst_block, int64_t src_block,
                           int64_t dst_repeat, int64_t src_repeat);
PTRT_API int ptrt_ub_scalar(ptrt_core *core, uint32_t line, int op, int elem, int64_t dst,
                            int64_t src, int64_t scalar, int64_t repeat, int64_t dst_block,
                            int64_t src_block, int64_t dst_repeat, int64_t src_repeat);
PTRT_API int ptrt_ub_dup(ptrt_core *core, uint32_t line, int elem, int64_t dst, int64_t scalar,
                         int64_t repeat, int64_t dst_block, int64_t dst_repeat);
/* Bits of elements 0 to 63 and 64 to 127 of a repeat. In count mode, `mask0` is how many elements
 * there are in all, whatever `repeat` says. */
PTRT_API int ptrt_ub_set_mask(ptrt_core *core, uint32_t line, int64_t mask0, int64_t mask1);
PTRT_API int ptrt_ub_set_mask_mode(ptrt_core *core, uint32_t line, int counts);

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

/* pto.store_vfsimt_info: how many work items the next launches of this core have, 1 to 2048 in all.
 * PTRT_E_ARG. */
PTRT_API int ptrt_set_items(ptrt_core *core, uint32_t line, int64_t z, int64_t y, int64_t x);

/* What a work item runs. It finds who it is in the core. */
typedef int (*ptrt_item_fn)(ptrt_core *core, const void *args);

/* Which work items wait for each other in what they run. */
enum ptrt_together {
    PTRT_NONE_TOGETHER,  /* they run one after the other, x fastest */
    PTRT_WARPS_TOGETHER, /* those of a warp exchange values */
    PTRT_ALL_TOGETHER    /* all of them meet in pto.syncthreads */
};

/* Runs a launch. `stack` is a bound of the bytes that fn needs on its stack. The code of the first
 * work item that fails; PTRT_E_ARG without ptrt_set_items(), PTRT_E_NOMEM, PTRT_E_DEADLOCK. */
PTRT_API int ptrt_run_items(ptrt_core *core, uint32_t line, ptrt_item_fn fn, const void *args,
                            int together, int64_t stack);

/* Identities. Outside of a launch they are those of a launch of one work item. */
#define PTRT_IDENTITY(name) PTRT_API void ptrt_##name(const ptrt_core *core, int32_t *out);
PTRT_IDENTITY(get_tid_x)
PTRT_IDENTITY(get_tid_y)
PTRT_IDENTITY(get_tid_z)
PTRT_IDENTITY(get_block_dim_x)
PTRT_IDENTITY(get_block_dim_y)
PTRT_IDENTITY(get_block_dim_z)
PTRT_IDENTITY(get_laneid)
PTRT_IDENTITY(get_lanemask_eq)
PTRT_IDENTITY(get_lanemask_le)
PTRT_IDENTITY(get_lanemask_lt)
PTRT_IDENTITY(get_lanemask_ge)
PTRT_IDENTITY(get_lanemask_gt)
PTRT_IDENTITY(get_veccoreid)
#undef PTRT_IDENTITY
PTRT_API void ptrt_get_clock32(ptrt_core *core, int32_t *out);
PTRT_API void ptrt_get_clock64(ptrt_core *core, int64_t *out);
PTRT_API void ptrt_no_grid(int32_t *out); /* 0 */

/* In all functions below: a value is its bits, zero-extended. `elem, lanes` is its type, where
 * several lanes are a vector, the first one in the low bits; `out` gets as many bytes. `space, at`
 * is a pointer: a byte address. A signedness is 0 for signed, 1 for unsigned or PTRT_ABSENT. */

/* Votes and exchanges among the lanes of a warp that execute the same statement. */
PTRT_API int ptrt_vote_all(ptrt_core *core, uint32_t line, bool *out, uint64_t predicate);
PTRT_API int ptrt_vote_any(ptrt_core *core, uint32_t line, bool *out, uint64_t predicate);
PTRT_API int ptrt_vote_uni(ptrt_core *core, uint32_t line, bool *out, uint64_t predicate);
PTRT_API int ptrt_vote_ballot(ptrt_core *core, uint32_t line, int32_t *out, uint64_t predicate);
#define PTRT_SHUFFLE(name)                                                                         \
    PTRT_API int ptrt_##name(ptrt_core *core, uint32_t line, void *out, uint64_t value, int elem,  \
                             int lanes, int64_t with, int width);
PTRT_SHUFFLE(shuffle_idx)
PTRT_SHUFFLE(shuffle_up)
PTRT_SHUFFLE(shuffle_down)
PTRT_SHUFFLE(shuffle_bfly)
#undef PTRT_SHUFFLE
#define PTRT_REDUX(name)                                                                           \
    PTRT_API int ptrt_##name(ptrt_core *core, uint32_t line, void *out, uint64_t value, int elem,  \
                             int lanes, int64_t signedness);
PTRT_REDUX(redux_add)
PTRT_REDUX(redux_max)
PTRT_REDUX(redux_min)
#undef PTRT_REDUX
PTRT_API int ptrt_syncthreads(ptrt_core *core, uint32_t line);

/* Slots of 32 bits that a work item keeps from launch to launch, 0 before the first pto.keep. */
PTRT_API int ptrt_keep(ptrt_core *core, uint32_t line, int slot, uint64_t value, int elem,
                       int lanes);
PTRT_API int ptrt_resume(ptrt_core *core, uint32_t line, void *out, int slot, int elem, int lanes);

/* Loads and stores of one value, at an offset in values. PTRT_E_BOUNDS. */
PTRT_API int ptrt_read_value(ptrt_core *core, uint32_t line, void *out, int space, int64_t at,
                             int64_t offset, int elem, int lanes);
PTRT_API int ptrt_write_value(ptrt_core *core, uint32_t line, uint64_t value, int space, int64_t at,
                              int64_t offset, int elem, int lanes);

/* Atomic updates. `out` gets the old value. */
#define PTRT_ATOMIC(name)                                                                          \
    PTRT_API int ptrt_##name(ptrt_core *core, uint32_t line, void *out, int space, int64_t at,     \
                             uint64_t value, int elem, int lanes, int64_t signedness);
PTRT_ATOMIC(atomic_add)
PTRT_ATOMIC(atomic_sub)
PTRT_ATOMIC(atomic_min)
PTRT_ATOMIC(atomic_max)
PTRT_ATOMIC(atomic_exch)
PTRT_ATOMIC(atomic_and)
PTRT_ATOMIC(atomic_or)
PTRT_ATOMIC(atomic_xor)
#undef PTRT_ATOMIC
PTRT_API int ptrt_atomic_cas(ptrt_core *core, uint32_t line, void *out, int space, int64_t at,
                             uint64_t compare, uint64_t value, int elem, int lanes,
                             int64_t signedness);

/* Arithmetic. A NaN that comes of numbers is positive and quiet. */
PTRT_API void ptrt_prmt(int32_t *out, uint64_t high, uint64_t low, uint64_t select);
PTRT_API void ptrt_mulhi(void *out, uint64_t x, uint64_t y, int elem, int lanes, int signedness);
PTRT_API void ptrt_mul_i32toi64(int64_t *out, uint64_t x, uint64_t y, int signedness);
#define PTRT_MATH_1(name)                                                                          \
    PTRT_API int ptrt_num_##name(ptrt_core *core, uint32_t line, void *out, uint64_t x, int elem,  \
                                 int lanes);
#define PTRT_MATH_2(name)                                                                          \
    PTRT_API int ptrt_num_##name(ptrt_core *core, uint32_t line, void *out, uint64_t x,            \
                                 uint64_t y, int elem, int lanes);
PTRT_MATH_1(absf)
PTRT_MATH_1(sqrt)
PTRT_MATH_1(exp)
PTRT_MATH_1(log)
PTRT_MATH_1(sin)
PTRT_MATH_1(cos)
PTRT_MATH_1(ceil)
PTRT_MATH_1(floor)
PTRT_MATH_1(rint)
PTRT_MATH_1(round)
PTRT_MATH_2(pow)
PTRT_MATH_2(fmin)
PTRT_MATH_2(fmax)
#undef PTRT_MATH_1
#undef PTRT_MATH_2
PTRT_API int ptrt_num_fma(ptrt_core *core, uint32_t line, void *out, uint64_t x, uint64_t y,
                          uint64_t z, int elem, int lanes);
/* pto.convert. `rounding` and `saturation` are numbers of the language. */
PTRT_API int ptrt_num_convert(ptrt_core *core, uint32_t line, void *out, uint64_t x, int from_elem,
                              int from_lanes, int elem, int lanes, int rounding, int saturation,
                              int64_t signedness);

#ifdef __cplusplus
}
#endif

#endif
