/* fiber.h - a flow of control with its own stack (ucontext, guard page, ASan's fiber hooks). */
#ifndef PTORT_FIBER_H
#define PTORT_FIBER_H

#include <stdbool.h>
#include <stddef.h>
#include <ucontext.h>

/* A place that control can return to: the scheduler's, or a fiber's. */
typedef struct ptrt_context {
    ucontext_t uc;
    const void *stack; /* bounds of the stack it lives on, for ASan; of the thread: learnt */
    size_t stack_size;
    void *fake_stack;
} ptrt_context;

typedef struct ptrt_fiber {
    ptrt_context ctx;
    void *map; /* guard page and stack; kept for the next use */
    size_t map_size;
    void (*fn)(void *);
    void *arg;
    ptrt_context *home;
} ptrt_fiber;

/* Prepares `fiber` to run fn(arg) at the first switch; false without memory for a stack. */
bool ptrt_fiber_init(ptrt_fiber *fiber, ptrt_context *home, void (*fn)(void *), void *arg);
void ptrt_fiber_enter(ptrt_fiber *fiber); /* from home */
void ptrt_fiber_leave(ptrt_fiber *fiber); /* back to home; returns at the next enter */
void ptrt_fiber_free(ptrt_fiber *fiber);  /* the stack */

#endif
