/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a type: errors, words, numbers and extents. */
#include "parser/type_text.h"
#include "parser/parse.h"

#include <stdarg.h>
#include <stdio.h>

static Span type_span(const TypeText *r, Piece at) {
    Span span = r->at;
    if (r->exact) {
        span.off += (uint32_t)(at.s - r->begin);
        span.len = at.e > at.s ? (uint32_t)(at.e - at.s) : 1;
    }
    return span;
}

Diag *type_error(TypeText *r, Piece at, const char *fmt, ...) {
    if (r->failed) return NULL;
    r->failed = true;
    char text[400];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return diag_add(&r->ctx->diags, DIAG_BAD_TYPE, type_span(r, at), "%s", text);
}

void type_suggest(TypeText *r, Diag *d, Piece wrong, const char *const *names) {
    unsigned n = 0;
    while (names[n] != NULL)
        n++;
    if (d == NULL) return;
    const size_t length = (size_t)(wrong.e - wrong.s);
    const char *near = near_word(wrong.s, length, names, n);
    if (near != NULL)
        type_mean(r, d, wrong, near, same_spelling(wrong.s, length, near, strlen(near)));
}

void type_mean(TypeText *r, Diag *d, Piece wrong, const char *meant, bool same) {
    if (d == NULL || meant == NULL) return;
    if (r->exact)
        diag_did_you_mean(&r->ctx->diags, d, type_span(r, wrong), meant, same);
    else
        diag_note(&r->ctx->diags, d, "did you mean '%s'?", meant);
}

/* ---- pieces of the text ---- */

void type_blanks(TypeText *r) {
    while (r->p < r->end && (*r->p == ' ' || *r->p == '\t' || *r->p == '\r' || *r->p == '\n'))
        r->p++;
}

bool type_accept(TypeText *r, char c) {
    type_blanks(r);
    if (r->failed || r->p >= r->end || *r->p != c) return false;
    r->p++;
    return true;
}

bool type_expect(TypeText *r, char c) {
    if (type_accept(r, c)) return true;
    if (r->p < r->end)
        type_error(r, type_here(r), "expected '%c' in a type, found '%c'", c, *r->p);
    else
        type_error(r, type_here(r), "expected '%c' at the end of a type", c);
    return false;
}

Piece type_word(TypeText *r) {
    type_blanks(r);
    Piece w = {r->p, r->p};
    while (w.e < r->end && is_word_char(*w.e))
        w.e++;
    r->p = w.e;
    return w;
}

bool type_number(TypeText *r, int64_t *out) {
    type_blanks(r);
    const char *s = r->p;
    uint64_t v = 0;
    bool fits = true;
    while (r->p < r->end && is_digit(*r->p)) {
        unsigned digit = (unsigned)(*r->p++ - '0');
        fits = fits && v <= ((uint64_t)INT64_MAX - digit) / 10;
        if (fits) v = v * 10 + digit;
    }
    if (r->p == s) {
        type_error(r, type_here(r), "expected a number in a type");
        return false;
    }
    if (!fits) {
        type_error(r, (Piece){s, r->p}, "number in a type does not fit 64 bits");
        return false;
    }
    *out = (int64_t)v;
    return true;
}

bool type_dims(TypeText *r, int64_t *dims, uint32_t cap, uint32_t *rank) {
    *rank = 0;
    for (;;) {
        type_blanks(r);
        if (r->p >= r->end || (*r->p != '?' && *r->p != '-' && !is_digit(*r->p))) return true;
        const char *s = r->p;
        int64_t v = DYNAMIC;
        if (*r->p == '-') {
            type_error(r, type_here(r), "an extent cannot be negative");
            return false;
        }
        if (*r->p == '?')
            r->p++;
        else if (!type_number(r, &v))
            return false;
        if (*rank == cap) {
            type_error(r, (Piece){s, r->p}, "more than %u extents", cap);
            return false;
        }
        dims[(*rank)++] = v;
        type_blanks(r);
        if (r->p >= r->end || *r->p != 'x') {
            type_error(r, type_here(r), "expected 'x' after an extent");
            return false;
        }
        r->p++;
    }
}

bool type_fits(TypeText *r, Piece at, const int64_t *dims, uint32_t rank, unsigned bytes) {
    int64_t product = bytes != 0 ? bytes : 1;
    for (uint32_t i = 0; i < rank; i++) {
        if (dims[i] == DYNAMIC || dims[i] == 0) continue;
        if (product > INT64_MAX / dims[i]) {
            type_error(r, at, "the extents multiply to more than 64 bits");
            return false;
        }
        product *= dims[i];
    }
    return true;
}
