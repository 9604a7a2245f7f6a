/* String interning: equal texts get equal small integers (atoms), so names compare by value.
 * Texts are not copied unless asked for: an interned slice of a source buffer stays in it, and
 * the buffer must outlive the interner. */
#ifndef SUPPORT_INTERN_H
#define SUPPORT_INTERN_H

#include "support/arena.h"
#include <stdint.h>
#include <string.h>

typedef uint32_t Atom; /* 0 = no name */

typedef struct AtomText {
    const char *text;
    uint32_t len;
    uint32_t hash;
} AtomText;

typedef struct Interner {
    Arena *arena;     /* the table and copied texts live here */
    AtomText *atoms;  /* by atom; [0] is the empty text */
    uint32_t *slots;  /* open addressing, 0 = free */
    uint32_t count;   /* atoms in use, [0] included */
    uint32_t mask;    /* number of slots - 1 */
} Interner;

void interner_init(Interner *in, Arena *arena);

/* Hash of a text; the lexer may compute it while it scans and call intern_hashed. */
static inline uint32_t text_hash(const char *s, size_t n) {
    uint64_t h = 0x9E3779B97F4A7C15u ^ (uint64_t)n;
    while (n >= 8) {
        uint64_t w;
        memcpy(&w, s, 8);
        h = (h ^ w) * 0xFF51AFD7ED558CCDu;
        h ^= h >> 32;
        s += 8;
        n -= 8;
    }
    uint64_t w = 0;
    memcpy(&w, s, n);
    h = (h ^ w) * 0xC4CEB9FE1A85EC53u;
    return (uint32_t)(h ^ (h >> 32));
}

Atom intern_hashed(Interner *in, const char *s, size_t n, uint32_t hash);
static inline Atom intern(Interner *in, const char *s, size_t n) {
    return intern_hashed(in, s, n, text_hash(s, n));
}
/* Interns a copy: for texts that do not outlive the call. */
Atom intern_copy(Interner *in, const char *s, size_t n);
/* The atom of a text, or 0 when it was never interned. */
Atom intern_find(const Interner *in, const char *s, size_t n);

static inline const char *atom_text(const Interner *in, Atom a) {
    return in->atoms[a].text;
}
static inline size_t atom_len(const Interner *in, Atom a) {
    return in->atoms[a].len;
}

#endif
