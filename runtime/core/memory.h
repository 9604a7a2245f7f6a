/* memory.h - memory that outlives a launch: stacks for fibers, and areas that hold the on-chip
 * memory of cores. All of it is mapped without being reserved: pages come, zeroed, when they are
 * touched first. One pool for the process, guarded by its own lock. */
#ifndef PTORT_MEMORY_H
#define PTORT_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A stack with pages below it that nothing may touch. */
typedef struct ptrt_stack {
    struct ptrt_stack *next;
    struct ptrt_slab *slab;
    unsigned char *low; /* PTRT_STACK_SIZE bytes */
} ptrt_stack;

#define PTRT_STACK_SIZE ((size_t)512 << 10)

/* A list of n stacks, n > 0; NULL when the machine has no more. */
ptrt_stack *ptrt_stacks_take(size_t n);
void ptrt_stacks_give(ptrt_stack *list);

typedef struct ptrt_area {
    struct ptrt_area *next;
    unsigned char *base; /* page-aligned */
    uint64_t size;
    bool used; /* an earlier launch had it: its bytes are not zero */
} ptrt_area;

/* At least `bytes` bytes; NULL when the machine has no more. */
ptrt_area *ptrt_area_take(uint64_t bytes);
/* With `empty` its pages go back to the system, and only the addresses are kept. */
void ptrt_area_give(ptrt_area *area, bool empty);

/* Makes whole pages of an area zero again. */
void ptrt_area_clear(unsigned char *from, uint64_t bytes);

/* Unmaps what is not in use. */
void ptrt_memory_drop(void);

/* Around fork, so that the child finds the pool whole. */
void ptrt_memory_lock(void);
void ptrt_memory_unlock(void);

#endif
