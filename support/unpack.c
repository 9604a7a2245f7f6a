/* SPDX-License-Identifier: Apache-2.0 */
/* Unpacks the texts in the program. */
#include "support/unpack.h"

enum { REPEATED = 4 };

/* Returns a length of which a step has four bits. */
static size_t length_of(size_t n, const unsigned char **in) {
    if (n < 15) return n;
    unsigned char more;
    do {
        more = *(*in)++;
        n += more;
    } while (more == 255);
    return n;
}

void text_unpack(const unsigned char *in, char *to, size_t size) {
    char *const end = to + size;
    while (to < end) {
        const unsigned step = *in++;
        size_t n = length_of(step >> 4, &in);
        for (; n > 0 && to < end; n--)
            *to++ = (char)*in++;
        if (to == end) return;
        const size_t back = in[0] + 256U * in[1];
        in += 2;
        for (n = length_of(step & 15, &in) + REPEATED; n > 0 && to < end; n--, to++)
            *to = to[-(ptrdiff_t)back];
    }
}

const char *texts_unpacked(PackedTexts *p) {
    enum { PACKED, UNPACKING, UNPACKED };
    int was = PACKED;
    if (atomic_load_explicit(&p->state, memory_order_acquire) == UNPACKED) return p->to;
    if (atomic_compare_exchange_strong(&p->state, &was, UNPACKING)) {
        text_unpack(p->packed, p->to, p->size);
        atomic_store_explicit(&p->state, UNPACKED, memory_order_release);
    }
    while (atomic_load_explicit(&p->state, memory_order_acquire) != UNPACKED)
        continue; /* another thread is about to end */
    return p->to;
}

const char *packed_text(PackedTexts *p, unsigned i) {
    return p->places[i] != NO_TEXT ? texts_unpacked(p) + p->places[i] : NULL;
}
