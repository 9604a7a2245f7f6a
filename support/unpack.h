/* SPDX-License-Identifier: Apache-2.0 */
/* Long texts in the program, such as headers and pages, are packed when it is built
 * (support/pack.h has the other side and describes the format). */
#ifndef SUPPORT_UNPACK_H
#define SUPPORT_UNPACK_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* Writes the first `size` bytes of a text, which must have as many. */
void text_unpack(const unsigned char *packed, char *to, size_t size);

/* Texts that are read seldom: one packed text, which is unpacked when it is first asked for. */
typedef struct PackedTexts {
    const unsigned char *packed;
    char *to; /* of `size` bytes */
    uint32_t size;
    atomic_int state;
    const uint16_t *places; /* where the texts begin, or NULL */
} PackedTexts;
/* Returns the whole, in any thread. */
const char *texts_unpacked(PackedTexts *p);
/* Returns one text; NULL: there is none. */
const char *packed_text(PackedTexts *p, unsigned i);

enum { NO_TEXT = UINT16_MAX }; /* a place */

#endif
