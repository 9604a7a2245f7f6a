/* SPDX-License-Identifier: Apache-2.0 */
/* Bump allocator: data with one lifetime is in one arena and is freed at once.
 *
 * An arena never returns NULL. When memory runs out it jumps to the handler that the API entry
 * point installed (`Arena.oom`), so that callers need no checks; as arenas own all memory, the
 * jump leaks nothing. An arena must have a handler before it is used. */
#ifndef SUPPORT_ARENA_H
#define SUPPORT_ARENA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct ArenaChunk ArenaChunk;

typedef struct Arena {
    char *cur;        /* next free byte of the current chunk */
    char *end;        /* end of the current chunk */
    ArenaChunk *head; /* current chunk, linked to older ones */
    size_t total;     /* bytes from malloc */
    jmp_buf *oom;     /* handler when malloc fails */
} Arena;

/* A position to rewind to, which frees what was allocated later. */
typedef struct ArenaMark {
    ArenaChunk *head;
    char *cur;
} ArenaMark;

void arena_init(Arena *a, jmp_buf *oom);
void arena_free(Arena *a);
ArenaMark arena_mark(const Arena *a);
void arena_rewind(Arena *a, ArenaMark mark);

/* Makes room for `size` bytes in the current chunk. */
void arena_reserve(Arena *a, size_t size);
/* Makes the first chunk as large as the others will be. */
void arena_reserve_most(Arena *a);

/* Slow path of arena_alloc: allocates a chunk. */
void *arena_grow(Arena *a, size_t size, size_t align);
/* Allocates `size` uninitialised bytes, aligned to `align` (a power of two). */
static inline void *arena_alloc(Arena *a, size_t size, size_t align) {
    uintptr_t p = ((uintptr_t)a->cur + (align - 1)) & ~(uintptr_t)(align - 1);
    if (a->cur == NULL || p > (uintptr_t)a->end || size > (uintptr_t)a->end - p)
        return arena_grow(a, size, align);
    a->cur = (char *)(p + size);
    return (void *)p;
}
/* Allocates `n` zeroed elements of `size` bytes; an overflow counts as out of memory. */
void *arena_zalloc(Arena *a, size_t n, size_t size, size_t align);
/* Copies an array of *cap elements to one with room for element `index`, zeroed after the copies,
 * and sets *cap to its size: `least` at first, then at least twice as many. */
void *arena_widen(Arena *a, const void *items, uint32_t *cap, uint32_t index, uint32_t least,
                  size_t size, size_t align);
/* Copies `n` bytes and adds a NUL. */
char *arena_strndup(Arena *a, const char *s, size_t n);
/* Format a NUL-terminated string. */
char *arena_printf(Arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(Arena *a, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));

/* memset with a constant size is a few stores. */
#define ARENA_NEW(a, T) ((T *)memset(arena_alloc((a), sizeof(T), _Alignof(T)), 0, sizeof(T)))
#define ARENA_ARRAY(a, T, n) ((T *)arena_zalloc((a), (n), sizeof(T), _Alignof(T)))
#define ARENA_WIDEN(a, T, items, cap, index, least)                                                \
    ((T *)arena_widen((a), (items), (cap), (index), (least), sizeof(T), _Alignof(T)))

#endif
