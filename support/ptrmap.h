/* SPDX-License-Identifier: Apache-2.0 */
/* A hash map from pointers to pointers, in an arena; entries are only added. */
#ifndef SUPPORT_PTRMAP_H
#define SUPPORT_PTRMAP_H

#include "support/arena.h"
#include <stdint.h>

typedef struct PtrMap {
    Arena *arena;
    const void **keys; /* open addressing, NULL = free */
    void **values;
    uint32_t count, mask; /* mask 0: not allocated */
} PtrMap;

/* Returns the address of a key's value, NULL for a new key. Valid until the next call. */
void **ptrmap_at(PtrMap *m, const void *key);
void *ptrmap_get(const PtrMap *m, const void *key);

#endif
