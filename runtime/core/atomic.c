/* SPDX-License-Identifier: Apache-2.0 */
/* atomic.c - atomic updates of global memory, with one lock per page: a run of elements takes the
 * lock once and is then updated by the kernel's ordinary body. */
#include "core/atomic.h"

#include <sched.h>

enum { LOCKS = 256, PAGE_BITS = 12, SPINS = 100 };

/* One cache line each, so that locks do not share one. */
static struct { _Alignas(64) atomic_flag held; } locks[LOCKS];

static size_t lock_of(uintptr_t at) {
    return (at >> PAGE_BITS) % LOCKS;
}

static void take(size_t i) {
    for (int n = 0; atomic_flag_test_and_set_explicit(&locks[i].held, memory_order_acquire); n++)
        if (n >= SPINS) sched_yield();
}

static void give(size_t i) {
    atomic_flag_clear_explicit(&locks[i].held, memory_order_release);
}

/* Returns how many elements begin before the end of the page; the last may cross it. */
static size_t up_to_page_end(uintptr_t at, size_t n, size_t size) {
    size_t left = ((size_t)1 << PAGE_BITS) - (at & (((uintptr_t)1 << PAGE_BITS) - 1));
    size_t k = (left + size - 1) / size;
    return k < n ? k : n;
}

/* Takes the locks in the order of their numbers. */
void ptrt_gm_take(const void *at, size_t bytes) {
    size_t first = lock_of((uintptr_t)at), last = lock_of((uintptr_t)at + bytes - 1);
    size_t low = first < last ? first : last, high = first < last ? last : first;
    take(low);
    if (high != low) take(high);
}

void ptrt_gm_give(const void *at, size_t bytes) {
    size_t first = lock_of((uintptr_t)at), last = lock_of((uintptr_t)at + bytes - 1);
    if (first != last) give(last);
    give(first);
}

static void update(ptrt_map2_fn body, unsigned char *dst, const unsigned char *src, size_t k,
                   size_t size) {
    ptrt_gm_take(dst, k * size);
    (void)body(dst, dst, src, 1, k, ptrt_one_row);
    ptrt_gm_give(dst, k * size);
}

bool ptrt_gm_update(const ptrt_core *core, int kernel, int elem, void *dst, const void *src,
                    size_t n) {
    ptrt_map2_fn body = (ptrt_map2_fn)core->bodies->one[kernel][elem];
    size_t size = ptrt_elem_size(elem);
    unsigned char *d = dst;
    const unsigned char *s = src;
    if (!body) return false;
    while (n > 0) {
        size_t k = up_to_page_end((uintptr_t)d, n, size);
        update(body, d, s, k, size);
        d += k * size;
        s += k * size;
        n -= k;
    }
    return true;
}
