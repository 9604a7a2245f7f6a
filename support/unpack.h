/* SPDX-License-Identifier: Apache-2.0 */
/* Long texts in the program, such as headers and pages, are packed when it is built
 * (cli/embed/pack.h has the other side and describes the format). */
#ifndef SUPPORT_UNPACK_H
#define SUPPORT_UNPACK_H

#include <stddef.h>

/* Writes the first `size` bytes of a text, which must have as many. */
void text_unpack(const unsigned char *packed, char *to, size_t size);

#endif
