/* SPDX-License-Identifier: Apache-2.0 */
/* memory.c - the numbers beside elements of memory, by address. An element without one is
 * its own number, so that inputs take no memory. A number holds as long as the element has the bits
 * that it had when the number was noted: what is not followed changes them. */
#include "mem/number.h"
#include "shadow/shadow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE_BITS = 12, PAGE = 1 << PAGE_BITS, BUCKETS = 1 << 14 };

typedef struct Noted {
    double x;
    uint64_t bits;
    uint8_t elem, size; /* size 0: nothing is noted */
} Noted;

typedef struct Page {
    struct Page *next;
    uintptr_t number;
    Noted at[PAGE];
} Page;

static Page *buckets[BUCKETS];

static Page **bucket_of(uintptr_t number) {
    return &buckets[(number * UINT64_C(0x9E3779B97F4A7C15) >> 32) % BUCKETS];
}

static Page *page_of(const unsigned char *p) {
    const uintptr_t number = (uintptr_t)p >> PAGE_BITS;
    Page *page = *bucket_of(number);
    while (page != NULL && page->number != number)
        page = page->next;
    return page;
}

static Noted *noted_in(Page *page, const unsigned char *p) {
    return &page->at[(uintptr_t)p % PAGE];
}

static uint64_t bits_at(const unsigned char *p, uint32_t size) {
    uint64_t bits = 0;
    memcpy(&bits, p, size);
    return bits;
}

bool ptrt_shadow_has(int elem) {
    return ptrt_elem_is_real(elem) && ptrt_elem_lanes(elem) == 1;
}

static double stored_at(int elem, const unsigned char *p) {
    if (elem == PTRT_U64) return (double)(uint64_t)ptrt_integer_at(elem, p);
    return ptrt_elem_is_real(elem) ? ptrt_real_at(elem, p, 0) : (double)ptrt_integer_at(elem, p);
}

ptrt_num ptrt_shadow_get(int elem, const unsigned char *p) {
    Page *page = ptrt_shadow_has(elem) ? page_of(p) : NULL;
    const double stored = stored_at(elem, p);
    if (page == NULL) return (ptrt_num){stored, 0};
    const Noted *n = noted_in(page, p);
    if (n->size == 0 || n->elem != elem || n->bits != bits_at(p, n->size))
        return (ptrt_num){stored, 0};
    return (ptrt_num){n->x, ptrt_shadow_error(elem, stored, n->x)};
}

bool ptrt_shadow_put(int elem, const unsigned char *p, double x) {
    Page *page = page_of(p);
    const bool same = stored_at(elem, p) == x;
    if (page == NULL && same) return true;
    if (page == NULL) {
        Page **bucket = bucket_of((uintptr_t)p >> PAGE_BITS);
        page = calloc(1, sizeof *page);
        if (page == NULL) return false;
        page->number = (uintptr_t)p >> PAGE_BITS;
        page->next = *bucket;
        *bucket = page;
    }
    const uint8_t size = (uint8_t)ptrt_elem_size(elem);
    *noted_in(page, p) =
        (Noted){.x = x, .bits = bits_at(p, size), .elem = (uint8_t)elem, .size = same ? 0 : size};
    return true;
}

void ptrt_shadow_forget(const unsigned char *p, uint64_t bytes) {
    for (uint64_t i = 0, n; i < bytes; i += n) {
        const uint64_t first = (uintptr_t)(p + i) % PAGE;
        Page *page = page_of(p + i);
        n = PAGE - first < bytes - i ? PAGE - first : bytes - i;
        if (page != NULL) memset(&page->at[first], 0, n * sizeof page->at[0]);
    }
}

void ptrt_shadow_forget_all(void) {
    for (int i = 0; i < BUCKETS; i++)
        while (buckets[i] != NULL) {
            Page *page = buckets[i];
            buckets[i] = page->next;
            free(page);
        }
}

/* ---- errors ---- */

/* Bits of the mantissa that are stored, and the exponent of the smallest normal number. Floats of 8
 * bits and fewer have no row: two bits and 2^-6 stand for all of them. */
static const struct {
    int bits, least;
} formats[PTRT_ELEMS] = {
    [PTRT_F16] = {10, -14},  [PTRT_BF16] = {7, -126},  [PTRT_TF32] = {10, -126},
    [PTRT_F32] = {23, -126}, [PTRT_F64] = {52, -1022},
};

double ptrt_shadow_roundoff(int elem) {
    const int bits = formats[elem].bits;
    return ldexp(1, -(bits != 0 ? bits : 2) - 1);
}

double ptrt_shadow_error(int elem, double stored, double x) {
    if (stored == x || (stored != stored && x != x)) return 0;
    if (!isfinite(stored) || !isfinite(x)) return 1;
    const int least = formats[elem].least;
    const double least_normal = ldexp(1, least != 0 ? least : -6);
    return fabs(stored - x) / fmax(fmax(fabs(stored), fabs(x)), least_normal);
}
