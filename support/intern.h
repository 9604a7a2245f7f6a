/* SPDX-License-Identifier: Apache-2.0 */
/* String interning: equal texts get equal small integers (atoms), so that names compare by value.
 * Texts are not copied unless requested: an interned slice of a source buffer points into it, so
 * the buffer must outlive the interner. */
#ifndef SUPPORT_INTERN_H
#define SUPPORT_INTERN_H

#include "support/arena.h"
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef uint32_t Atom; /* 0 = no name */

typedef struct AtomText {
    const char *text;
    uint32_t len;
    uint32_t hash;
} AtomText;

typedef struct Interner {
    Arena *arena;              /* the table and copied texts live here */
    AtomText *atoms;           /* by atom; [0] is the empty text */
    uint64_t *slots;           /* open addressing: hash << 32 | atom, 0 = free */
    uint32_t count;            /* atoms in use, including [0] */
    uint32_t mask;             /* number of slots - 1 */
    struct RecentText *recent; /* by the low bits of the hash */
} Interner;

/* Recently seen texts, with their last position. Names are used near their definitions, so this
 * table stays in the first-level cache when that of a large file does not. */
typedef struct RecentText {
    const char *text;
    uint32_t len;
    uint32_t hash;
    Atom atom; /* 0 = empty */
} RecentText;
enum { RECENT_TEXTS = 2048 };

void interner_init(Interner *in, Arena *arena);
/* Initialises an interner for few texts, to be used only with intern_copy() and intern_find(). */
void interner_init_small(Interner *in, Arena *arena);

static inline uint64_t text_load8(const char *s) {
    uint64_t w;
    memcpy(&w, s, 8);
    return w;
}
static inline uint64_t text_load4(const char *s) {
    uint32_t w;
    memcpy(&w, s, 4);
    return w;
}

/* Hashes a text. The tail is loaded so that it overlaps bytes that were already hashed: this
 * touches no byte outside of the text and needs no library call. */
static inline uint32_t text_hash(const char *s, size_t n) {
    uint64_t h = 0x9E3779B97F4A7C15u ^ (uint64_t)n, w = 0;
    if (n >= 8) {
        const char *last = s + n - 8;
        for (; s < last; s += 8) {
            h = (h ^ text_load8(s)) * 0xFF51AFD7ED558CCDu;
            h ^= h >> 32;
        }
        w = text_load8(last);
    } else if (n >= 4) {
        w = text_load4(s) | text_load4(s + n - 4) << 32;
    } else if (n != 0) {
        w = (uint64_t)(unsigned char)s[0] | (uint64_t)(unsigned char)s[n / 2] << 8 |
            (uint64_t)(unsigned char)s[n - 1] << 16;
    }
    h = (h ^ w) * 0xC4CEB9FE1A85EC53u;
    /* The last bytes are high in `w`: without a second product they would not reach the low bits,
     * by which tables are indexed, and `%t1` .. `%t9` would share a place. */
    return (uint32_t)(((h ^ h >> 32) * 0x9E3779B97F4A7C15u) >> 32);
}

static inline int text_equal(const char *a, const char *b, size_t n) {
    if (n >= 8) {
        size_t i = 0;
        for (; i + 8 < n; i += 8)
            if (text_load8(a + i) != text_load8(b + i)) return 0;
        return text_load8(a + n - 8) == text_load8(b + n - 8);
    }
    if (n >= 4)
        return text_load4(a) == text_load4(b) && text_load4(a + n - 4) == text_load4(b + n - 4);
    return n == 0 || (a[0] == b[0] && a[n / 2] == b[n / 2] && a[n - 1] == b[n - 1]);
}

/* Returns the atom of a text if it was seen recently; 0: not. */
static inline Atom intern_recent(Interner *in, const char *s, size_t n, uint32_t hash) {
    RecentText *r = &in->recent[hash & (RECENT_TEXTS - 1)];
    if (r->hash != hash || r->len != n || r->atom == 0 || !text_equal(r->text, s, n)) return 0;
    r->text = s;
    return r->atom;
}
/* Returns the atom of any other. */
Atom intern_other(Interner *in, const char *s, size_t n, uint32_t hash);
static inline Atom intern(Interner *in, const char *s, size_t n) {
    const uint32_t hash = text_hash(s, n);
    const Atom atom = intern_recent(in, s, n, hash);
    return atom != 0 ? atom : intern_other(in, s, n, hash);
}

/* A text that was not seen recently. */
typedef struct OtherText {
    const char *text;
    uint32_t len, hash;
} OtherText;
enum { MOST_OTHER_TEXTS = 16 };
/* Begins to load the place of a text in the table. */
static inline void intern_prepare(const Interner *in, uint32_t hash) {
    __builtin_prefetch(&in->slots[hash & in->mask]);
}
/* Interns several such texts. The table of a large file is in no near cache: to wait for all
 * together takes a fraction of the time. */
void intern_others(Interner *in, const OtherText *texts, unsigned n, Atom *atoms);
/* Interns a copy of a text that does not outlive the call. */
Atom intern_copy(Interner *in, const char *s, size_t n);
/* Returns the atom of a text; 0 when it was never interned. */
Atom intern_find_hashed(const Interner *in, const char *s, size_t n, uint32_t hash);
static inline Atom intern_find(const Interner *in, const char *s, size_t n) {
    uint32_t hash = text_hash(s, n);
    uint64_t slot = in->slots[hash & in->mask];
    const AtomText *t = &in->atoms[(uint32_t)slot];
    if (slot >> 32 == hash && t->len == n && (uint32_t)slot != 0 && text_equal(t->text, s, n))
        return (Atom)slot;
    return intern_find_hashed(in, s, n, hash);
}

static inline const char *atom_text(const Interner *in, Atom a) {
    return in->atoms[a].text;
}
static inline size_t atom_len(const Interner *in, Atom a) {
    return in->atoms[a].len;
}
static inline bool atom_is(const Interner *in, Atom a, const char *text) {
    const size_t n = strlen(text);
    return atom_len(in, a) == n && memcmp(atom_text(in, a), text, n) == 0;
}
/* True for a text that ends so; not for atom 0. */
static inline bool atom_ends_with(const Interner *in, Atom a, const char *end) {
    const size_t n = strlen(end);
    return a != 0 && atom_len(in, a) >= n &&
           memcmp(atom_text(in, a) + atom_len(in, a) - n, end, n) == 0;
}

#endif
