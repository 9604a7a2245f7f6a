/* SPDX-License-Identifier: Apache-2.0 */
/* Pointer map: linear probing, at most half full. */
#include "support/ptrmap.h"

#include <stddef.h>

static uint32_t slot_of(const PtrMap *m, const void *key) {
    uint64_t h = (uint64_t)(uintptr_t)key * 0x9E3779B97F4A7C15u;
    uint32_t i = (uint32_t)(h >> 32) & m->mask;
    while (m->keys[i] != NULL && m->keys[i] != key)
        i = (i + 1) & m->mask;
    return i;
}

static void grow(PtrMap *m) {
    const void **keys = m->keys;
    void **values = m->values;
    uint32_t size = m->mask == 0 ? 0 : m->mask + 1;
    uint32_t wanted = size == 0 ? 64 : size * 2;
    m->keys = ARENA_ARRAY(m->arena, const void *, wanted);
    m->values = ARENA_ARRAY(m->arena, void *, wanted);
    m->mask = wanted - 1;
    for (uint32_t i = 0; i < size; i++) {
        if (keys[i] == NULL) continue;
        uint32_t at = slot_of(m, keys[i]);
        m->keys[at] = keys[i];
        m->values[at] = values[i];
    }
}

void **ptrmap_at(PtrMap *m, const void *key) {
    if (m->count >= m->mask / 2) grow(m);
    uint32_t i = slot_of(m, key);
    if (m->keys[i] == NULL) {
        m->keys[i] = key;
        m->count++;
    }
    return &m->values[i];
}

void *ptrmap_get(const PtrMap *m, const void *key) {
    if (m->mask == 0) return NULL;
    uint32_t i = slot_of(m, key);
    return m->keys[i] == NULL ? NULL : m->values[i];
}
