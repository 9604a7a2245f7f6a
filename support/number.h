/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as text: digits, and floating-point numbers independent of the locale, whose decimal
 * point the C library reads and writes. */
#ifndef SUPPORT_NUMBER_H
#define SUPPORT_NUMBER_H

#include "support/strbuf.h"
#include <stdbool.h>

/* Reads a whole text of decimal digits; false when it is not one or above `max`. */
bool number_read_digits(const char *s, size_t n, uint64_t max, uint64_t *out);
/* The same with a sign, decimal or after 0x hexadecimal. */
bool number_read_integer(const char *s, size_t n, bool *negative, uint64_t *magnitude);
/* Reads a whole text: decimal (1, -.5, 2.5e-3), hexadecimal (0x1.8p3), inf, infinity or nan in any
 * case, with or without a sign. Rounds to the nearest double; false when the text is not a number.
 */
bool number_read(const char *s, size_t n, double *out);
/* Appends the shortest decimal text of at least 7 digits that reads back as the same double; it
 * always has a point and an exponent. */
void number_put(StrBuf *out, double d);
/* Appends a finite number as a hexadecimal constant of C: 0x1.8p+1. */
void number_put_hex(StrBuf *out, double d);

#endif
