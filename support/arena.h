/* Bump allocator: everything of one lifetime lives in one arena and is freed at once.
 *
 * An arena never returns NULL. When memory runs out it jumps to the handler that the API entry
 * point installed (`Arena.oom`), so no code between has to test for it; all memory hangs on
 * arenas, so the jump leaks nothing. An arena without a handler must not be used. */
#ifndef SUPPORT_ARENA_H
#define SUPPORT_ARENA_H

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct ArenaChunk ArenaChunk;

typedef struct Arena {
    char *cur;        /* next free byte of the current chunk */
    char *end;        /* end of the current chunk */
    ArenaChunk *head; /* current chunk, linked to the older ones */
    size_t total;     /* bytes taken from malloc */
    jmp_buf *oom;     /* where to go when malloc fails */
} Arena;

/* A position to which an arena can be rewound; what was allocated later is gone. */
typedef struct ArenaMark {
    ArenaChunk *head;
    char *cur;
} ArenaMark;

void arena_init(Arena *a, jmp_buf *oom);
void arena_free(Arena *a);
ArenaMark arena_mark(const Arena *a);
void arena_rewind(Arena *a, ArenaMark mark);

/* Makes sure that the current chunk has room for `size` bytes. */
void arena_reserve(Arena *a, size_t size);

/* Slow path of arena_alloc: takes a new chunk. */
void *arena_grow(Arena *a, size_t size, size_t align);
/* `size` bytes, uninitialised, aligned to `align` (a power of two). */
static inline void *arena_alloc(Arena *a, size_t size, size_t align) {
    uintptr_t p = ((uintptr_t)a->cur + (align - 1)) & ~(uintptr_t)(align - 1);
    if (a->cur == NULL || p > (uintptr_t)a->end || size > (uintptr_t)a->end - p)
        return arena_grow(a, size, align);
    a->cur = (char *)(p + size);
    return (void *)p;
}
/* `n` elements of `size` bytes, zeroed; an overflowing product counts as out of memory. */
void *arena_zalloc(Arena *a, size_t n, size_t size, size_t align);
/* A copy of `n` bytes with a NUL after it. */
char *arena_strndup(Arena *a, const char *s, size_t n);
/* A formatted, NUL-terminated string. */
char *arena_printf(Arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* memset with a constant size is a few stores. */
#define ARENA_NEW(a, T) ((T *)memset(arena_alloc((a), sizeof(T), _Alignof(T)), 0, sizeof(T)))
#define ARENA_ARRAY(a, T, n) ((T *)arena_zalloc((a), (n), sizeof(T), _Alignof(T)))

#endif
