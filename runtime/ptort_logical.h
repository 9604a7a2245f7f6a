/* SPDX-License-Identifier: Apache-2.0 */
/* ptort_logical.h - what emitted code calls for logical vectors, which have any number of lanes.
 *
 * A logical vector lies in consecutive registers of the file: lane i of elements of w bytes begins
 * at byte i * w of the first one. What is after the last lane has no meaning. A mask has a bit for
 * each lane, from the first bit of its first register on, and no bits after the last lane; NULL is
 * a mask of all lanes. In all functions `lanes` is the number of lanes of the result or, if there
 * is none, of what is stored, and `width` the bytes of one. Results come first; they may be
 * operands of the same call unless a function says otherwise. Inactive lanes of a result are 0.
 * Functions that take a core return a code, PTRT_E_BOUNDS or PTRT_E_ALIGN if an access is wrong. */
#ifndef PTORT_LOGICAL_H
#define PTORT_LOGICAL_H

#include "ptort_micro.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- bodies of registers, from register to register ---- */

PTRT_API void ptrt_over_lanes1(ptrt_lanes1_fn body, int64_t lanes, int width, ptrt_vreg *out,
                               const ptrt_vreg *x, const ptrt_vreg *mask);
PTRT_API void ptrt_over_lanes2(ptrt_lanes2_fn body, int64_t lanes, int width, ptrt_vreg *out,
                               const ptrt_vreg *a, const ptrt_vreg *b, const ptrt_vreg *mask);
PTRT_API void ptrt_over_lanes3(ptrt_lanes3_fn body, int64_t lanes, int width, ptrt_vreg *out,
                               const ptrt_vreg *a, const ptrt_vreg *b, const ptrt_vreg *c,
                               const ptrt_vreg *mask);
PTRT_API void ptrt_over_lanes1s(ptrt_lanes1s_fn body, int64_t lanes, int width, ptrt_vreg *out,
                                const ptrt_vreg *x, uint64_t scalar, const ptrt_vreg *mask);
PTRT_API void ptrt_over_lanes2s(ptrt_lanes2s_fn body, int64_t lanes, int width, ptrt_vreg *out,
                                const ptrt_vreg *a, const ptrt_vreg *b, uint64_t scalar,
                                const ptrt_vreg *mask);
PTRT_API void ptrt_over_halves2(ptrt_halves2_fn body, int64_t lanes, int width, ptrt_vreg *low,
                                ptrt_vreg *high, const ptrt_vreg *a, const ptrt_vreg *b,
                                const ptrt_vreg *mask);
PTRT_API void ptrt_over_carry2(ptrt_carry2_fn body, int64_t lanes, int width, ptrt_vreg *out,
                               ptrt_vreg *carry, const ptrt_vreg *a, const ptrt_vreg *b,
                               const ptrt_vreg *mask);
PTRT_API void ptrt_over_carry3(ptrt_carry3_fn body, int64_t lanes, int width, ptrt_vreg *out,
                               ptrt_vreg *carry, const ptrt_vreg *a, const ptrt_vreg *b,
                               const ptrt_vreg *carry_in, const ptrt_vreg *mask);
/* The result is a mask; `width` is that of the operands, cmp an enum ptrt_cmp. */
PTRT_API void ptrt_over_compare2(ptrt_compare2_fn body, int64_t lanes, int width, ptrt_vreg *out,
                                 const ptrt_vreg *a, const ptrt_vreg *b, const ptrt_vreg *seed,
                                 int cmp);
PTRT_API void ptrt_over_compare1s(ptrt_compare1s_fn body, int64_t lanes, int width, ptrt_vreg *out,
                                  const ptrt_vreg *a, uint64_t scalar, const ptrt_vreg *seed,
                                  int cmp);
/* Exponentials of differences of lanes of `width` bytes, as f32; the result is no operand. */
PTRT_API void ptrt_over_lanes2p(ptrt_lanes2p_fn body, int64_t lanes, int width, ptrt_vreg *out,
                                const ptrt_vreg *x, const ptrt_vreg *most, const ptrt_vreg *mask);
/* Conversions of lanes of `from` bytes to lanes of `to`; rounding and saturation are numbers of the
 * language or PTRT_ABSENT. The result is no operand. */
PTRT_API void ptrt_over_convert(ptrt_convert_fn body, int64_t lanes, int from, int to,
                                ptrt_vreg *out, const ptrt_vreg *x, int rounding, int saturation);

/* ---- masks ---- */

/* The first `count` lanes, and how many are left; those of each group of `size` lanes; those of a
 * pattern, by its number in the language. */
PTRT_API void ptrt_logical_first(ptrt_vreg *out, int64_t lanes, int64_t count);
PTRT_API void ptrt_logical_first_left(ptrt_vreg *out, int32_t *left, int64_t lanes, int64_t count);
PTRT_API void ptrt_logical_first_of_groups(ptrt_vreg *out, int64_t lanes, int64_t count,
                                           int64_t size);
PTRT_API void ptrt_logical_pattern(ptrt_vreg *out, int64_t lanes, int pattern);
PTRT_API void ptrt_logical_and(ptrt_vreg *out, int64_t lanes, const ptrt_vreg *a,
                               const ptrt_vreg *b);
PTRT_API void ptrt_logical_or(ptrt_vreg *out, int64_t lanes, const ptrt_vreg *a,
                              const ptrt_vreg *b);
PTRT_API void ptrt_logical_xor(ptrt_vreg *out, int64_t lanes, const ptrt_vreg *a,
                               const ptrt_vreg *b);
PTRT_API void ptrt_logical_not(ptrt_vreg *out, int64_t lanes, const ptrt_vreg *a);

/* ---- vectors that are made or rearranged ---- */

PTRT_API void ptrt_logical_set(ptrt_vreg *out, const void *bytes, int64_t n);
PTRT_API void ptrt_logical_fill(ptrt_vreg *out, int64_t lanes, int width, uint64_t bits);
/* Lane i is lane i / (lanes / groups) of x; 0 groups: lane 0. */
PTRT_API void ptrt_logical_spread(ptrt_vreg *out, int64_t lanes, int width, const ptrt_vreg *x,
                                  int64_t groups);
/* Counts up or down from a number, given as its bits, in each group; 0 groups: one. */
PTRT_API void ptrt_logical_count(ptrt_vreg *out, int64_t lanes, int elem, uint64_t base,
                                 int64_t groups, int down);
PTRT_API void ptrt_logical_copy(ptrt_vreg *out, int64_t lanes, int width, const ptrt_vreg *x);
PTRT_API void ptrt_logical_pick(ptrt_vreg *out, int64_t lanes, int width, const ptrt_vreg *x,
                                int64_t source_lanes, const ptrt_vreg *index, int index_width);
PTRT_API void ptrt_logical_shuffle(ptrt_vreg *out, int64_t lanes, int width, const ptrt_vreg *x,
                                   int64_t source_lanes, const int64_t *index);
PTRT_API void ptrt_logical_zip(ptrt_vreg *low, ptrt_vreg *high, int64_t lanes, int width,
                               const ptrt_vreg *a, const ptrt_vreg *b, const ptrt_vreg *mask);
PTRT_API void ptrt_logical_unzip(ptrt_vreg *low, ptrt_vreg *high, int64_t lanes, int width,
                                 const ptrt_vreg *a, const ptrt_vreg *b, const ptrt_vreg *mask);
/* Up to four channels; NULL after the last. `lanes` are those of a channel. */
PTRT_API void ptrt_logical_split(ptrt_vreg *c0, ptrt_vreg *c1, ptrt_vreg *c2, ptrt_vreg *c3,
                                 int64_t lanes, int width, const ptrt_vreg *x);
PTRT_API void ptrt_logical_merge(ptrt_vreg *out, int64_t lanes, int width, const ptrt_vreg *c0,
                                 const ptrt_vreg *c1, const ptrt_vreg *c2, const ptrt_vreg *c3);
PTRT_API void ptrt_logical_pack(ptrt_vreg *out, int64_t lanes, int width, const ptrt_vreg *x,
                                const ptrt_vreg *mask);
/* How many active lanes are before each. */
PTRT_API void ptrt_logical_rank(ptrt_vreg *out, int64_t lanes, int width, const ptrt_vreg *mask);
/* Integers of type `from` as type `to` (enum ptrt_elem). */
PTRT_API void ptrt_logical_integers(ptrt_vreg *out, int64_t lanes, int from, int to,
                                    const ptrt_vreg *x, int saturation);

/* ---- reductions of lanes of type `elem` (enum ptrt_elem) to one lane or one of each group ---- */

/* Sums of a register are halving trees, those of more registers are added in order; f16 and bf16
 * are added in f32 and rounded once for each register. */
PTRT_API void ptrt_logical_sum(ptrt_vreg *out, int64_t lanes, int elem, const ptrt_vreg *x,
                               const ptrt_vreg *mask, int64_t groups);
PTRT_API void ptrt_logical_most(ptrt_vreg *out, int64_t lanes, int elem, const ptrt_vreg *x,
                                const ptrt_vreg *mask, int64_t groups);
PTRT_API void ptrt_logical_least(ptrt_vreg *out, int64_t lanes, int elem, const ptrt_vreg *x,
                                 const ptrt_vreg *mask, int64_t groups);
/* Adds to 16-bit counts the active bytes of each value, or also the smaller ones. */
PTRT_API void ptrt_logical_histogram(ptrt_vreg *out, int64_t bins, const ptrt_vreg *acc,
                                     const ptrt_vreg *source, int64_t lanes, const ptrt_vreg *mask,
                                     int cumulative);

/* ---- loads and stores: byte addresses in the vector memory, offsets and strides in bytes;
 * `size` is that of an element in memory: wider lanes are filled up with zeros, or cut off ---- */

PTRT_API int ptrt_logical_load(ptrt_core *core, uint32_t line, ptrt_vreg *out, int64_t lanes,
                               int width, int64_t base, int64_t offset, int size);
/* Of each group as many lanes as it has, from a stride to the next; a group of one lane; one
 * element for all lanes of a group (of all without groups). */
PTRT_API int ptrt_logical_load_rows(ptrt_core *core, uint32_t line, ptrt_vreg *out, int64_t lanes,
                                    int width, int64_t base, int64_t offset, int size,
                                    int64_t stride, int64_t groups, int one);
PTRT_API int ptrt_logical_load_two(ptrt_core *core, uint32_t line, ptrt_vreg *low, ptrt_vreg *high,
                                   int64_t lanes, int width, int64_t base, int64_t offset);
/* Blocks of 32 bytes, from `first` on, which and `stride` count blocks. */
PTRT_API int ptrt_logical_load_blocks(ptrt_core *core, uint32_t line, ptrt_vreg *out, int64_t lanes,
                                      int width, int64_t base, int64_t offset, int64_t stride,
                                      int64_t first, const ptrt_vreg *mask);
/* Active lanes, of elements in their place or, if `packed`, one after the other; the others are
 * those of `rest`. */
PTRT_API int ptrt_logical_load_active(ptrt_core *core, uint32_t line, ptrt_vreg *out, int64_t lanes,
                                      int width, int64_t base, int64_t offset,
                                      const ptrt_vreg *mask, const ptrt_vreg *rest, int packed);
/* Elements that unsigned indices of `index_width` bytes name; inactive lanes are those of `rest`,
 * or 0 if it is NULL. Blocks of 32 bytes, which are at byte offsets. */
PTRT_API int ptrt_logical_gather(ptrt_core *core, uint32_t line, ptrt_vreg *out, int64_t lanes,
                                 int width, int64_t base, int size, const ptrt_vreg *index,
                                 int index_width, const ptrt_vreg *mask, const ptrt_vreg *rest);
PTRT_API int ptrt_logical_gather_blocks(ptrt_core *core, uint32_t line, ptrt_vreg *out,
                                        int64_t lanes, int width, int64_t base,
                                        const ptrt_vreg *index, int index_width,
                                        const ptrt_vreg *mask);
PTRT_API int ptrt_logical_store(ptrt_core *core, uint32_t line, const ptrt_vreg *value,
                                int64_t lanes, int width, int64_t base, int64_t offset, int size,
                                const ptrt_vreg *mask);
PTRT_API int ptrt_logical_store_rows(ptrt_core *core, uint32_t line, const ptrt_vreg *value,
                                     int64_t lanes, int width, int64_t base, int64_t offset,
                                     int size, int64_t stride, int64_t groups);
PTRT_API int ptrt_logical_store_two(ptrt_core *core, uint32_t line, const ptrt_vreg *low,
                                    const ptrt_vreg *high, int64_t lanes, int width, int64_t base,
                                    int64_t offset);
PTRT_API int ptrt_logical_store_blocks(ptrt_core *core, uint32_t line, const ptrt_vreg *value,
                                       int64_t lanes, int width, int64_t base, int64_t offset,
                                       int64_t stride, int64_t first, const ptrt_vreg *mask);
PTRT_API int ptrt_logical_store_packed(ptrt_core *core, uint32_t line, const ptrt_vreg *value,
                                       int64_t lanes, int width, int64_t base, int64_t offset,
                                       const ptrt_vreg *mask);
/* Of equal indices in a register the lowest lane is stored, of several registers the last. */
PTRT_API int ptrt_logical_scatter(ptrt_core *core, uint32_t line, const ptrt_vreg *value,
                                  int64_t lanes, int width, int64_t base, int size,
                                  const ptrt_vreg *index, int index_width, const ptrt_vreg *mask);

/* Make a tile of one row of a vector or of a mask, whose lanes become 0 or 1 at `bytes`; for
 * `ptoasm run --print` and --dump. */
PTRT_API int ptrt_show_lanes(ptrt_core *core, uint32_t line, int elem, int64_t lanes,
                             ptrt_vreg *vector, ptrt_tile *out);
PTRT_API int ptrt_show_lane_mask(ptrt_core *core, uint32_t line, int64_t lanes,
                                 const ptrt_vreg *mask, unsigned char *bytes, ptrt_tile *out);

#ifdef __cplusplus
}
#endif

#endif
