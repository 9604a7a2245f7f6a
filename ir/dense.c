/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the elements of `dense<..>`. */
#include "ir/dense.h"
#include "support/ascii.h"
#include "support/number.h"

#include <string.h>

static bool is_space(char c) {
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static void trim(const char **at, const char **end) {
    while (*at < *end && is_space(**at))
        ++*at;
    while (*at < *end && is_space((*end)[-1]))
        --*end;
}

bool dense_open(Dense *d, const Interner *names, const Attr *a) {
    static const char head[] = "dense<";
    const size_t n = sizeof head - 1;
    if (a->kind != ATTR_OPAQUE) return false;
    const char *s = atom_text(names, a->text);
    *d = (Dense){.at = s + n, .end = s + atom_len(names, a->text) - 1};
    if (d->end < d->at || memcmp(s, head, n) != 0 || *d->end != '>') return false;
    trim(&d->at, &d->end);
    if (d->at == d->end) return false;
    d->raw = *d->at == '"';
    d->list = *d->at == '[';
    if (!d->list) return true;
    if (d->end - d->at < 2 || d->end[-1] != ']') return false;
    d->at++;
    d->end--;
    trim(&d->at, &d->end);
    d->n = d->at < d->end;
    for (const char *p = d->at; p < d->end; p++)
        d->n += *p == ',';
    return true;
}

/* ---- elements ---- */

static int digit_of(char c, unsigned base) {
    const int v = ascii_is_digit(c)      ? c - '0'
                  : c >= 'a' && c <= 'f' ? c - 'a' + 10
                  : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                         : 16;
    return (unsigned)v < base ? v : -1;
}

static bool is_hex(const char *s, const char *end) {
    return end - s > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
}

/* Reads digits, after 0x hexadecimal ones. False beyond 64 bits, and at other characters. */
static bool read_digits(const char *s, const char *end, uint64_t *out) {
    const unsigned base = is_hex(s, end) ? 16 : 10;
    if (base == 16) s += 2;
    *out = 0;
    for (const char *p = s; p < end; p++) {
        const int digit = digit_of(*p, base);
        if (digit < 0 || __builtin_mul_overflow(*out, (uint64_t)base, out) ||
            __builtin_add_overflow(*out, (uint64_t)digit, out))
            return false;
    }
    return s < end;
}

static bool is_word(const char *s, const char *end, const char *word) {
    return (size_t)(end - s) == strlen(word) && memcmp(s, word, strlen(word)) == 0;
}

/* A number without a sign has all bits of a signless type, and half of them of a signed one. */
static bool read_int(const char *s, const char *end, Elem e, Attr *out) {
    const unsigned width = elem_int_width(e);
    const bool minus = *s == '-';
    uint64_t size;
    out->kind = ATTR_INT;
    out->i = 1;
    if (e == ELEM_I1 && is_word(s, end, "true")) return true;
    out->i = 0;
    if (e == ELEM_I1 && is_word(s, end, "false")) return true;
    if (width == 0 || width > 64 || !read_digits(s + minus, end, &size)) return false;
    const uint64_t half = UINT64_C(1) << (width - 1), last = half - 1 + half;
    out->i = (int64_t)(minus ? 0 - size : size);
    if (minus) return elem_infos[e].cls != 'U' && size <= half;
    return size <= (elem_infos[e].cls == 'S' ? half - 1 : last);
}

/* True for digits, a point, more digits and an exponent. */
static bool is_float(const char *s, const char *end) {
    const char *p = s;
    while (p < end && ascii_is_digit(*p))
        p++;
    if (p == s || p == end || *p != '.') return false;
    for (p++; p < end && ascii_is_digit(*p);)
        p++;
    if (p == end) return true;
    if (*p != 'e' && *p != 'E') return false;
    p++;
    if (p < end && (*p == '+' || *p == '-')) p++;
    const char *digits = p;
    while (p < end && ascii_is_digit(*p))
        p++;
    return p == end && p > digits;
}

static bool read_float(const char *s, const char *end, Elem e, Attr *out) {
    const unsigned width = elem_infos[e].bytes * 8u;
    uint64_t bits;
    out->kind = ATTR_FLOAT;
    out->hex = is_hex(s, end);
    if (!out->hex)
        return is_float(s + (*s == '-'), end) && number_read(s, (size_t)(end - s), &out->d);
    if (!read_digits(s, end, &bits) || (width < 64 && bits >> width != 0)) return false;
    out->i = (int64_t)bits;
    return true;
}

bool dense_next(Dense *d, Elem e, Attr *out) {
    const char *s = d->at, *end = d->end;
    if (d->list) {
        const char *comma = memchr(s, ',', (size_t)(end - s));
        if (comma != NULL) end = comma;
        d->at = comma != NULL ? comma + 1 : end;
    }
    trim(&s, &end);
    *out = (Attr){.kind = ATTR_INT};
    if (s == end || d->raw) return false;
    return elem_is_float(e) ? read_float(s, end, e, out) : read_int(s, end, e, out);
}
