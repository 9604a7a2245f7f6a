/* SPDX-License-Identifier: Apache-2.0 */
/* For tests: a locale in which code that follows the locale goes wrong. */
#ifndef TESTS_COMMA_H
#define TESTS_COMMA_H

#include <locale.h>

/* A locale that writes 1.5 as 1,50 and 1000 as 1.000, and in which `I` and `i` are different
 * letters, as in Turkish. Made with localedef in a scratch folder that is gone afterwards, so no
 * package with locales is needed. (locale_t)0 when it cannot be had: the test says so and is
 * skipped. */
locale_t comma_locale(void);

#endif
