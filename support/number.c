/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as text. For reading, the digits are copied without the point, and the exponent is
 * adjusted: `1.5e3` is read as `15e2`. For writing, the decimal point of the locale is replaced. */
#include "support/number.h"

#include "support/ascii.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* 767 decimal digits decide between two doubles; beyond them it only matters whether one is not
 * zero. */
enum { MOST_DIGITS = 800, MOST_EXPONENT = 100000 };

/* A number without sign and point: digits * base^exponent. */
typedef struct Digits {
    char text[MOST_DIGITS + 32]; /* with room for a prefix and an exponent */
    size_t n;
    int64_t exponent;
    bool any;  /* has a digit */
    bool some; /* has a digit other than zero */
    bool rest; /* a dropped digit is not zero */
} Digits;

static bool is_digit(char c, bool hex) {
    char low = ascii_lower(c);
    return (c >= '0' && c <= '9') || (hex && low >= 'a' && low <= 'f');
}

static void add_digit(Digits *d, char c, bool fraction) {
    d->any = true;
    d->some |= c != '0';
    if (d->some && d->n < MOST_DIGITS) {
        d->text[d->n++] = c;
        d->exponent -= fraction;
    } else {
        d->rest |= c != '0';
        d->exponent += !fraction && d->some;
        d->exponent -= fraction && !d->some;
    }
}

/* Reads the digits before the exponent; returns their end. */
static size_t read_digits(const char *s, size_t n, bool hex, Digits *d) {
    size_t i = 0;
    for (; i < n && is_digit(s[i], hex); i++)
        add_digit(d, s[i], false);
    if (i < n && s[i] == '.')
        for (i++; i < n && is_digit(s[i], hex); i++)
            add_digit(d, s[i], true);
    return i;
}

/* Reads `[+-] digits`, a whole text; large values become MOST_EXPONENT squared. */
static bool read_exponent(const char *s, size_t n, int64_t *out) {
    const int64_t far = (int64_t)MOST_EXPONENT * MOST_EXPONENT;
    bool negative = n > 0 && s[0] == '-';
    size_t i = n > 0 && (s[0] == '-' || s[0] == '+') ? 1 : 0;
    if (i == n) return false;
    int64_t v = 0;
    for (; i < n; i++) {
        if (!is_digit(s[i], false)) return false;
        v = v * 10 + (s[i] - '0');
        if (v > far) v = far;
    }
    *out = negative ? -v : v;
    return true;
}

/* Reads an unsigned decimal number or, after 0x, a hexadecimal one. */
static bool read_magnitude(const char *s, size_t n, double *out) {
    bool hex = n > 1 && s[0] == '0' && ascii_lower(s[1]) == 'x';
    const size_t prefix = hex ? 2 : 0, bits = hex ? 4 : 1;
    Digits d;
    d.n = 0;
    d.exponent = 0;
    d.any = d.some = d.rest = false;
    size_t i = prefix + read_digits(s + prefix, n - prefix, hex, &d);
    int64_t written = 0;
    if (!d.any) return false;
    if (i < n &&
        (ascii_lower(s[i]) != (hex ? 'p' : 'e') || !read_exponent(s + i + 1, n - i - 1, &written)))
        return false;
    if (d.rest) { /* one more digit represents the dropped ones */
        d.text[d.n++] = '1';
        d.exponent--;
    }
    int64_t exponent = d.exponent * (int64_t)bits + written;
    if (exponent > MOST_EXPONENT) exponent = MOST_EXPONENT;
    if (exponent < -MOST_EXPONENT) exponent = -MOST_EXPONENT;
    char text[sizeof d.text];
    snprintf(text, sizeof text, "%s%.*s%s%d", hex ? "0x0" : "0", (int)d.n, d.text, hex ? "p" : "e",
             (int)exponent);
    *out = strtod(text, NULL);
    return true;
}

/* Returns the value of a digit, or 16. */
static unsigned digit_value(char c) {
    const char low = ascii_lower(c);
    if (low >= '0' && low <= '9') return (unsigned)(low - '0');
    return low >= 'a' && low <= 'f' ? (unsigned)(low - 'a') + 10 : 16;
}

static bool read_base(const char *s, size_t n, unsigned base, uint64_t max, uint64_t *out) {
    uint64_t v = 0;
    for (size_t i = 0; i < n; i++) {
        const unsigned digit = digit_value(s[i]);
        if (digit >= base || digit > max || v > (max - digit) / base) return false;
        v = v * base + digit;
    }
    if (n > 0) *out = v;
    return n > 0;
}

bool number_read_digits(const char *s, size_t n, uint64_t max, uint64_t *out) {
    return read_base(s, n, 10, max, out);
}

bool number_read_integer(const char *s, size_t n, bool *negative, uint64_t *magnitude) {
    const size_t sign = n > 0 && (s[0] == '-' || s[0] == '+');
    *negative = n > 0 && s[0] == '-';
    s += sign;
    n -= sign;
    if (n > 2 && s[0] == '0' && ascii_lower(s[1]) == 'x')
        return read_base(s + 2, n - 2, 16, UINT64_MAX, magnitude);
    return number_read_digits(s, n, UINT64_MAX, magnitude);
}

bool number_read(const char *s, size_t n, double *out) {
    bool negative = n > 0 && s[0] == '-';
    if (n > 0 && (s[0] == '-' || s[0] == '+')) {
        s++;
        n--;
    }
    if (ascii_same(s, n, "inf") || ascii_same(s, n, "infinity"))
        *out = (double)INFINITY;
    else if (ascii_same(s, n, "nan"))
        *out = (double)NAN;
    else if (!read_magnitude(s, n, out))
        return false;
    if (negative) *out = -*out;
    return true;
}

/* Writes a number from snprintf, with `.` as decimal point. */
static void put_with_point(StrBuf *out, const char *text) {
    bool point = false;
    for (; *text != '\0'; text++) {
        char low = ascii_lower(*text);
        bool own = (low >= '0' && low <= '9') || (low >= 'a' && low <= 'z') || *text == '+' ||
                   *text == '-';
        if (own || !point) sb_putc(out, own ? *text : '.');
        point = !own;
    }
}

void number_put(StrBuf *out, double d) {
    char text[64];
    for (int digits = 7; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*e", digits - 1, d);
        if (strtod(text, NULL) == d) break; /* both use the locale */
    }
    put_with_point(out, text);
}

void number_put_hex(StrBuf *out, double d) {
    char text[64];
    snprintf(text, sizeof text, "%a", d);
    put_with_point(out, text);
}
