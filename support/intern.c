/* SPDX-License-Identifier: Apache-2.0 */
/* The atom table: open addressing with linear probing, doubled when half full. */
#include "support/intern.h"

enum { FIRST_SLOTS = 4096, FEW_SLOTS = 32 };

static void rehash(Interner *in, uint32_t nslots) {
    uint64_t *slots = ARENA_ARRAY(in->arena, uint64_t, nslots);
    AtomText *atoms = arena_alloc(in->arena, (nslots / 2 + 2) * sizeof(AtomText), 8);
    if (in->count != 0) memcpy(atoms, in->atoms, in->count * sizeof(AtomText));
    for (uint32_t a = 1; a < in->count; a++) {
        uint32_t i = atoms[a].hash & (nslots - 1);
        while (slots[i] != 0)
            i = (i + 1) & (nslots - 1);
        slots[i] = (uint64_t)atoms[a].hash << 32 | a;
    }
    in->slots = slots;
    in->atoms = atoms;
    in->mask = nslots - 1;
}

static void init(Interner *in, Arena *arena, uint32_t nslots) {
    memset(in, 0, sizeof *in);
    in->arena = arena;
    rehash(in, nslots);
    in->atoms[0] = (AtomText){"", 0, 0};
    in->count = 1;
}

void interner_init(Interner *in, Arena *arena) {
    init(in, arena, FIRST_SLOTS);
    in->recent = ARENA_ARRAY(arena, RecentText, RECENT_TEXTS);
}

void interner_init_small(Interner *in, Arena *arena) {
    init(in, arena, FEW_SLOTS);
}

static Atom intern_hashed(Interner *in, const char *s, size_t n, uint32_t hash) {
    uint32_t i = hash & in->mask;
    for (uint64_t slot; (slot = in->slots[i]) != 0; i = (i + 1) & in->mask) {
        if (slot >> 32 != hash) continue;
        AtomText *t = &in->atoms[(uint32_t)slot];
        if (t->len == n && text_equal(t->text, s, n)) {
            t->text = s; /* keeps the text close to its last use in memory */
            return (Atom)slot;
        }
    }
    if (in->count > in->mask / 2) {
        rehash(in, (in->mask + 1) * 2);
        i = hash & in->mask;
        while (in->slots[i] != 0)
            i = (i + 1) & in->mask;
    }
    Atom a = in->count++;
    in->slots[i] = (uint64_t)hash << 32 | a;
    in->atoms[a] = (AtomText){s, (uint32_t)n, hash};
    return a;
}

Atom intern_other(Interner *in, const char *s, size_t n, uint32_t hash) {
    const Atom atom = intern_hashed(in, s, n, hash);
    in->recent[hash & (RECENT_TEXTS - 1)] = (RecentText){s, (uint32_t)n, hash, atom};
    return atom;
}

void intern_others(Interner *in, const OtherText *texts, unsigned n, Atom *atoms) {
    for (unsigned i = 0; i < n; i++)
        __builtin_prefetch(&in->atoms[(uint32_t)in->slots[texts[i].hash & in->mask]]);
    for (unsigned i = 0; i < n; i++)
        __builtin_prefetch(in->atoms[(uint32_t)in->slots[texts[i].hash & in->mask]].text);
    for (unsigned i = 0; i < n; i++)
        atoms[i] = intern_other(in, texts[i].text, texts[i].len, texts[i].hash);
}

Atom intern_find_hashed(const Interner *in, const char *s, size_t n, uint32_t hash) {
    uint32_t i = hash & in->mask;
    for (uint64_t slot; (slot = in->slots[i]) != 0; i = (i + 1) & in->mask) {
        if (slot >> 32 != hash) continue;
        const AtomText *t = &in->atoms[(uint32_t)slot];
        if (t->len == n && text_equal(t->text, s, n)) return (Atom)slot;
    }
    return 0;
}

Atom intern_copy(Interner *in, const char *s, size_t n) {
    Atom a = intern_find(in, s, n);
    return a != 0 ? a : intern_hashed(in, arena_strndup(in->arena, s, n), n, text_hash(s, n));
}
