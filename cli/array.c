/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays and numbers of element types, for the arguments of `ptoasm run`. */
/* for MAP_ANONYMOUS */
#define _DEFAULT_SOURCE
#include "cli/numbers.h"
#include "ir/number.h"
#include "support/number.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

bool array_measure(Array *a) {
    uint64_t n = elem_infos[a->elem].bytes;
    for (unsigned i = 0; i < a->rank; i++) {
        if (a->shape[i] < 0 || __builtin_mul_overflow(n, (uint64_t)a->shape[i], &n)) return false;
    }
    if (n > (uint64_t)PTRDIFF_MAX / 2) return false;
    a->bytes = (size_t)n;
    return true;
}

/* Places `size` bytes at the end of mapped pages, with `guard` inaccessible bytes on both sides. */
static bool map_between(Array *a, size_t size, size_t page, size_t guard) {
    size_t body = (size + page - 1) / page * page, whole;
    if (__builtin_add_overflow(body, 2 * guard, &whole)) return false;
    unsigned char *map = mmap(NULL, whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED) return false;
    if (body > 0 && mprotect(map + guard, body, PROT_READ | PROT_WRITE) != 0) {
        munmap(map, whole);
        return false;
    }
    a->map = map;
    a->mapped = whole;
    a->data = map + guard + body - size;
    return true;
}

/* Arrays are placed far apart, so that an index out of one does not land in another, and not a
 * power of two apart, as such indices are likely. With a small address space, a page between them
 * has to do. */
bool array_allocate(Array *a) {
    const size_t align = 64, page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t apart = ((size_t)1 << 32) + ((size_t)1 << 26) + 13 * page;
    size_t size = (a->bytes + align - 1) / align * align;
    return map_between(a, size, page, apart) || map_between(a, size, page, page);
}

void array_free(Array *a) {
    if (a->map != NULL) munmap(a->map, a->mapped);
    a->map = NULL;
    a->data = NULL;
}

/* Rounds a double to a float of fewer bits, to nearest even. */
static uint64_t narrow_float(double v, FloatFormat f) {
    const unsigned ebits = f.exponent, mbits = f.mantissa;
    uint64_t b;
    memcpy(&b, &v, sizeof b);
    uint64_t sign = (b >> 63) << (ebits + mbits), frac = b & (((uint64_t)1 << 52) - 1);
    int exp = (int)(b >> 52 & 0x7FF);
    uint64_t inf = (((uint64_t)1 << ebits) - 1) << mbits;
    if (exp == 0x7FF) return sign | inf | (frac != 0 ? (uint64_t)1 << (mbits - 1) : 0);
    if (exp == 0) return sign; /* a subnormal double is far below the smallest value of the type */
    int e = exp - 1023 + (1 << (ebits - 1)) - 1;
    unsigned shift = 52 - mbits;
    if (e <= 0) {
        shift += (unsigned)(1 - e);
        e = 1;
        if (shift > 54) return sign;
    }
    bool subnormal = shift > 52 - mbits;
    uint64_t sig = frac | (uint64_t)1 << 52;
    uint64_t q = sig >> shift, rest = sig & (((uint64_t)1 << shift) - 1);
    uint64_t half = (uint64_t)1 << (shift - 1);
    if (rest > half || (rest == half && (q & 1) != 0)) q++;
    /* the implicit bit in q adds one to the exponent field */
    uint64_t r = q + (subnormal ? 0 : (uint64_t)(e - 1) << mbits);
    return sign | (r > inf ? inf : r);
}

static bool float_bits(Elem e, double v, uint64_t *bits) {
    float f = (float)v;
    FloatFormat format;
    switch (e) {
    case ELEM_F16:
    case ELEM_BF16:
        (void)float_format(e, &format);
        *bits = narrow_float(v, format);
        return true;
    case ELEM_F32:
    case ELEM_TF32:
        *bits = 0;
        memcpy(bits, &f, sizeof f);
        return true;
    case ELEM_F64:
        memcpy(bits, &v, sizeof v);
        return true;
    default:
        return false;
    }
}

bool array_count(Array *a, int64_t first, int64_t step) {
    size_t size = elem_infos[a->elem].bytes;
    uint64_t bits = 0, v = (uint64_t)first;
    if (!elem_is_int(a->elem) && !float_bits(a->elem, 0, &bits)) return false;
    for (size_t at = 0; at + size <= a->bytes; at += size, v += (uint64_t)step) {
        if (!float_bits(a->elem, (double)(int64_t)v, &bits)) bits = a->elem == ELEM_I1 ? v & 1 : v;
        memcpy(a->data + at, &bits, size); /* little endian, as everywhere here */
    }
    return true;
}

/* splitmix64: returns the next number, the same on every machine. */
static uint64_t next_random(uint64_t *state) {
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

void array_randomize(Array *a, uint64_t seed) {
    uint64_t state = seed;
    size_t step = elem_infos[a->elem].bytes;
    for (size_t at = 0; at + step <= a->bytes; at += step) {
        uint64_t r = next_random(&state), bits;
        double v = (double)(r >> 11) * 0x1p-52 - 1.0;
        if (!float_bits(a->elem, v, &bits)) bits = a->elem == ELEM_I1 ? r >> 63 : r >> 8;
        if (a->elem != ELEM_I1 && step == 8 && !elem_is_float(a->elem)) bits = r;
        memcpy(a->data + at, &bits, step);
    }
}

bool scalar_from_text(Elem e, const char *text, uint64_t *bits) {
    if (elem_is_int(e)) return number_of_type(e, text, bits);
    double v;
    if (elem_infos[e].cls == 'L') { /* low-precision: a number is its bits */
        unsigned width = elem_infos[e].bytes * 8u;
        bool negative;
        return number_read_integer(text, strlen(text), &negative, bits) && !negative &&
               *bits >> width == 0;
    }
    return number_read(text, strlen(text), &v) && float_bits(e, v, bits);
}
