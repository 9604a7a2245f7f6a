/* A hash map from pointers to pointers, in an arena; entries are only added. */
#ifndef SUPPORT_PTRMAP_H
#define SUPPORT_PTRMAP_H

#include "support/arena.h"
#include <stdint.h>

typedef struct PtrMap {
    Arena *arena;
    const void **keys; /* open addressing, NULL = free */
    void **values;
    uint32_t count, mask; /* mask 0: nothing allocated yet */
} PtrMap;

/* The place of a key's value; a new key's value is NULL. The place is good until the next call. */
void **ptrmap_at(PtrMap *m, const void *key);
void *ptrmap_get(const PtrMap *m, const void *key);

#endif
