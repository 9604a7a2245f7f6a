/* SPDX-License-Identifier: Apache-2.0 */
/* Bump allocator: chunks that double up to 4 MiB. */
#ifdef __linux__
#define _DEFAULT_SOURCE /* madvise */
#endif
#include "support/arena.h"
#include "support/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

struct ArenaChunk {
    ArenaChunk *prev;
    size_t size; /* bytes after the header */
};

#define CHUNK_HEADER ((sizeof(ArenaChunk) + 15u) & ~(size_t)15u)
enum { FIRST_CHUNK = 16 * 1024, LARGEST_CHUNK = 4 * 1024 * 1024, HUGE_PAGE = 2 * 1024 * 1024 };

void arena_init(Arena *a, jmp_buf *oom) {
    memset(a, 0, sizeof *a);
    a->oom = oom;
}

static char *chunk_data(ArenaChunk *c) {
    return (char *)c + CHUNK_HEADER;
}

void arena_free(Arena *a) {
    for (ArenaChunk *c = a->head; c != NULL;) {
        ArenaChunk *prev = c->prev;
        free(c);
        c = prev;
    }
    a->head = NULL;
    a->cur = a->end = NULL;
    a->total = 0;
}

static _Noreturn void out_of_memory(Arena *a) {
    longjmp(*a->oom, 1);
}

/* Puts large chunks on huge pages if possible: touching fresh memory page by page takes a quarter
 * of the time of parsing a large file. */
static ArenaChunk *new_chunk(size_t bytes) {
#ifdef __linux__
    void *p;
    if (bytes >= HUGE_PAGE) {
        if (posix_memalign(&p, HUGE_PAGE, bytes) != 0) return NULL;
        (void)madvise(p, bytes, MADV_HUGEPAGE);
        return p;
    }
#endif
    return malloc(bytes);
}

void *arena_grow(Arena *a, size_t size, size_t align) {
    size_t want = a->head != NULL ? a->head->size * 2 : FIRST_CHUNK;
    if (want > LARGEST_CHUNK) want = LARGEST_CHUNK;
    if (size > SIZE_MAX - align - CHUNK_HEADER) out_of_memory(a);
    if (want == LARGEST_CHUNK) want -= CHUNK_HEADER; /* so that the block has whole pages */
    if (want < size + align) want = size + align;
    ArenaChunk *c = new_chunk(CHUNK_HEADER + want);
    if (c == NULL) out_of_memory(a);
    c->prev = a->head;
    c->size = want;
    a->head = c;
    a->total += CHUNK_HEADER + want;
    a->end = chunk_data(c) + want;
    uintptr_t p = ((uintptr_t)chunk_data(c) + (align - 1)) & ~(uintptr_t)(align - 1);
    a->cur = (char *)(p + size);
    return (void *)p;
}

void arena_reserve(Arena *a, size_t size) {
    if (a->cur != NULL && (size_t)(a->end - a->cur) >= size) return;
    (void)arena_grow(a, size, 1);
    a->cur -= size;
}

void arena_reserve_most(Arena *a) {
    arena_reserve(a, LARGEST_CHUNK - CHUNK_HEADER - 1);
}

ArenaMark arena_mark(const Arena *a) {
    return (ArenaMark){a->head, a->cur};
}

void arena_rewind(Arena *a, ArenaMark mark) {
    while (a->head != mark.head) {
        ArenaChunk *prev = a->head->prev;
        a->total -= CHUNK_HEADER + a->head->size;
        free(a->head);
        a->head = prev;
    }
    a->cur = mark.cur;
    a->end = a->head != NULL ? chunk_data(a->head) + a->head->size : NULL;
}

void *arena_zalloc(Arena *a, size_t n, size_t size, size_t align) {
    if (size != 0 && n > SIZE_MAX / size) out_of_memory(a);
    void *p = arena_alloc(a, n * size, align);
    memset(p, 0, n * size);
    return p;
}

void *arena_widen(Arena *a, const void *items, uint32_t *cap, uint32_t index, uint32_t least,
                  size_t size, size_t align) {
    uint32_t n = *cap == 0 ? least : *cap * 2;
    while (n <= index)
        n *= 2;
    void *wide = arena_zalloc(a, n, size, align);
    if (*cap != 0) memcpy(wide, items, *cap * size);
    *cap = n;
    return wide;
}

char *arena_strndup(Arena *a, const char *s, size_t n) {
    char *p = arena_alloc(a, n + 1, 1);
    if (n != 0) memcpy(p, s, n);
    p[n] = '\0';
    return p;
}

/* Most texts are short: they are formatted once. */
char *arena_vprintf(Arena *a, const char *fmt, va_list ap) {
    va_list again;
    char small[128];
    va_copy(again, ap);
    const int n = text_format(small, sizeof small, fmt, ap);
    const size_t size = (size_t)(n < 0 ? 0 : n) + 1;
    char *p = arena_alloc(a, size, 1);
    if (size <= sizeof small)
        memcpy(p, small, size - 1);
    else
        vsnprintf(p, size, fmt, again);
    p[size - 1] = '\0';
    va_end(again);
    return p;
}

char *arena_printf(Arena *a, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    char *p = arena_vprintf(a, fmt, ap);
    va_end(ap);
    return p;
}
