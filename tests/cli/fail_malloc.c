/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded into a program: the allocation with the number FAIL_MALLOC fails, and all after it with
 * FAIL_ALL. With FAIL_COUNT=FILE the number of allocations is written there at the end. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);

static long number, fails = -1;
static bool all, started;

static bool must_fail(void) {
    if (!started) return false;
    long n = __atomic_add_fetch(&number, 1, __ATOMIC_RELAXED);
    return fails >= 0 && (all ? n >= fails : n == fails);
}

static void *no_memory(void) {
    errno = ENOMEM;
    return NULL;
}

void *malloc(size_t size) {
    return must_fail() ? no_memory() : __libc_malloc(size);
}

void *calloc(size_t n, size_t size) {
    return must_fail() ? no_memory() : __libc_calloc(n, size);
}

void *realloc(void *p, size_t size) {
    return must_fail() ? no_memory() : __libc_realloc(p, size);
}

__attribute__((constructor)) static void start(void) {
    const char *n = getenv("FAIL_MALLOC");
    if (n != NULL) fails = atol(n);
    all = getenv("FAIL_ALL") != NULL;
    unsetenv("LD_PRELOAD");
    started = true;
}

__attribute__((destructor)) static void stop(void) {
    const char *path = getenv("FAIL_COUNT");
    started = false;
    FILE *f = path != NULL ? fopen(path, "w") : NULL;
    if (f == NULL) return;
    fprintf(f, "%ld\n", number);
    fclose(f);
}
