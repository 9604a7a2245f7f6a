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

/* Opens `"0x.."` of whole bytes. */
static bool open_string(Dense *d) {
    const char *s = d->at + 1, *end = d->end - 1;
    if (s >= end || *end != '"' || !is_hex(s, end) || (end - s) % 2 != 0) return false;
    d->at = s + 2;
    d->end = end;
    d->n = (uint32_t)((d->end - d->at) / 2);
    for (const char *p = d->at; p < end; p++)
        if (digit_of(*p, 16) < 0) return false;
    return true;
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
    if (d->raw) return open_string(d);
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

/* ---- strings of bytes ---- */

static unsigned byte_at(const Dense *d, uint32_t i) {
    return (unsigned)(digit_of(d->at[2 * i], 16) << 4 | digit_of(d->at[2 * i + 1], 16));
}

/* True for the bytes of one element, and for a byte of equal bits. */
static bool is_single(const Dense *d, Elem e) {
    return e != ELEM_I1 ? d->n == elem_infos[e].bytes
                        : d->n == 1 && (byte_at(d, 0) == 0 || byte_at(d, 0) == 0xff);
}

bool dense_has(const Dense *d, Elem e, uint32_t n) {
    if (!d->raw) return !d->list || d->n == n;
    if (is_single(d, e)) return true;
    return d->n == (e == ELEM_I1 ? ((uint64_t)n + 7) / 8 : (uint64_t)n * elem_infos[e].bytes);
}

/* Reads the next element of a string; those of type i1 have one bit each. */
static bool next_of_string(Dense *d, Elem e, Attr *out) {
    const uint32_t width = e == ELEM_I1 ? 1 : elem_infos[e].bytes * 8u, at = d->bits;
    if ((!elem_is_float(e) && elem_int_width(e) == 0) || width == 0 ||
        at + width > (uint64_t)d->n * 8)
        return false;
    uint64_t bits = 0;
    for (uint32_t k = 0; k < width; k += 8)
        bits |= (uint64_t)byte_at(d, (at + k) / 8) << k;
    if (!is_single(d, e)) d->bits += width;
    if (e == ELEM_I1) bits = bits >> at % 8 & 1;
    out->i = (int64_t)bits;
    if (elem_is_float(e)) {
        out->kind = ATTR_FLOAT;
        out->hex = true;
    } else if (elem_infos[e].cls == 'S') {
        out->i = (int64_t)(bits << (64 - width)) >> (64 - width);
    }
    return true;
}

/* ---- numbers ---- */

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
    *out = (Attr){.kind = ATTR_INT};
    if (d->raw) return next_of_string(d, e, out);
    if (d->list) {
        const char *comma = memchr(s, ',', (size_t)(end - s));
        if (comma != NULL) end = comma;
        d->at = comma != NULL ? comma + 1 : end;
    }
    trim(&s, &end);
    if (s == end) return false;
    return elem_is_float(e) ? read_float(s, end, e, out) : read_int(s, end, e, out);
}
