/* SPDX-License-Identifier: Apache-2.0 */
/* masks.c - masks of logical vectors: made of counts and patterns, combined. */
#include "logical/logical.h"

void ptrt_logical_first(ptrt_vreg *out, int64_t lanes, int64_t count) {
    uint64_t *words = (uint64_t *)out;
    count = count < 0 ? 0 : lg_min(count, lanes); /* first: no difference overflows */
    for (int64_t at = 0; at < lanes; at += 64) {
        const int64_t left = count - at;
        words[at / 64] = left >= 64 ? ~UINT64_C(0) : left <= 0 ? 0 : (UINT64_C(1) << left) - 1;
    }
}

void ptrt_logical_first_left(ptrt_vreg *out, int32_t *left, int64_t lanes, int64_t count) {
    ptrt_logical_first(out, lanes, count);
    *left = count > lanes ? (int32_t)(count - lanes) : 0;
}

void ptrt_logical_first_of_groups(ptrt_vreg *out, int64_t lanes, int64_t count, int64_t size) {
    uint64_t *words = (uint64_t *)out;
    for (int64_t at = 0; at < lanes; at += 64)
        words[at / 64] = 0;
    for (int64_t g = 0; g < lanes; g += size)
        for (int64_t i = g; i < lg_min(g + lg_min(count, size), lanes); i++)
            words[i / 64] |= UINT64_C(1) << i % 64;
}

/* PAT_ALL, or PAT_VLn: the first n lanes. */
void ptrt_logical_pattern(ptrt_vreg *out, int64_t lanes, int pattern) {
    static const uint8_t firsts[] = {[1] = 1, 2, 3, 4, 8, 16, 32, 64, [13] = 128};
    ptrt_logical_first(out, lanes, pattern == 0 ? lanes : firsts[pattern]);
}

#define BITS(name, expr)                                                                           \
    void ptrt_logical_##name(ptrt_vreg *out, int64_t lanes, const ptrt_vreg *a,                    \
                             const ptrt_vreg *b) {                                                 \
        uint64_t *words = (uint64_t *)out;                                                         \
        for (int64_t at = 0; at < lanes; at += 64) {                                               \
            const uint64_t x = lg_word(a, at), y = lg_word(b, at);                                 \
            words[at / 64] = expr;                                                                 \
        }                                                                                          \
    }
BITS(and, x &y)
BITS(or, x | y)
BITS(xor, x ^ y)

void ptrt_logical_not(ptrt_vreg *out, int64_t lanes, const ptrt_vreg *a) {
    uint64_t *words = (uint64_t *)out;
    for (int64_t at = 0; at < lanes; at += 64)
        words[at / 64] = ~lg_word(a, at);
    lg_end(out, lanes);
}
