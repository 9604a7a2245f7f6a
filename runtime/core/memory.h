/* SPDX-License-Identifier: Apache-2.0 */
/* memory.h - memory that outlives a launch: stacks for fibers, and areas that hold the on-chip
 * memory of cores. Mappings are not reserved: the system adds zeroed pages when they are first
 * touched. The process has one pool, with its own lock. */
#ifndef PTORT_MEMORY_H
#define PTORT_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A stack with a guard below it that faults on access. */
typedef struct ptrt_stack {
    struct ptrt_stack *next;
    struct ptrt_slab *slab;
    unsigned char *low;
    size_t size;
} ptrt_stack;

#define PTRT_STACK_SIZE ((size_t)512 << 10)

/* Takes a list of n stacks, n > 0, of PTRT_STACK_SIZE bytes or of a larger multiple of the page
 * size. Only the former are kept for later launches. NULL when memory is exhausted. */
ptrt_stack *ptrt_stacks_take(size_t n, size_t size);
void ptrt_stacks_give(ptrt_stack *list);

typedef struct ptrt_area {
    struct ptrt_area *next;
    unsigned char *base; /* page-aligned */
    uint64_t size;
    bool used; /* an earlier launch used it: its bytes may not be zero */
} ptrt_area;

/* Takes at least `bytes` bytes. NULL when memory is exhausted. */
ptrt_area *ptrt_area_take(uint64_t bytes);
/* Returns an area to the pool. With `empty` its pages go back to the system and only the addresses
 * are kept. */
void ptrt_area_give(ptrt_area *area, bool empty);

/* Zeroes whole pages of an area. */
void ptrt_area_clear(unsigned char *from, uint64_t bytes);

/* Unmaps the areas in the pool and, when no stack is in use, the stacks. */
void ptrt_memory_drop(void);

/* Held across fork, so that the child finds the pool consistent. */
void ptrt_memory_lock(void);
void ptrt_memory_unlock(void);

#endif
