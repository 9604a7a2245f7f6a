/* SPDX-License-Identifier: Apache-2.0 */
/* Formatted texts. The C library prepares a stream for each; nearly all texts of the printers need
 * only a few conversions, which are made here in a fifth of the time. */
#ifndef SUPPORT_FORMAT_H
#define SUPPORT_FORMAT_H

#include <stdarg.h>
#include <stddef.h>

/* The same as vsnprintf(). */
int text_format(char *to, size_t size, const char *fmt, va_list ap)
    __attribute__((format(printf, 3, 0)));

#endif
