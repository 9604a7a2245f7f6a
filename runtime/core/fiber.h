/* SPDX-License-Identifier: Apache-2.0 */
/* fiber.h - fibers: functions with a stack of their own that switch to each other without a system
 * call. switch_*.S has the switch for x86-64 and AArch64; other machines use ucontext. The
 * sanitizers are told of every switch. */
#ifndef PTORT_FIBER_H
#define PTORT_FIBER_H

#include "core/sanitize.h"

#include <stdbool.h>
#include <stddef.h>

#if !defined(PTRT_UCONTEXT) && !(defined(__LP64__) && (defined(__x86_64__) || defined(__aarch64__)))
#define PTRT_UCONTEXT 1
#endif
#ifdef PTRT_UCONTEXT
#include <ucontext.h>
#endif

typedef struct ptrt_fiber {
    void *sp; /* stack pointer at the last switch away */
    void (*fn)(void *);
    void *arg;
#ifdef PTRT_UCONTEXT
    ucontext_t context;
#endif
#ifdef PTRT_ASAN
    const void *stack; /* of a thread's own stack, known after the first switch away */
    size_t stack_size;
    void *fake_stack;
    struct ptrt_fiber *from; /* the fiber that switched to it last */
#endif
#ifdef PTRT_TSAN
    void *tsan;
#endif
} ptrt_fiber;

/* Makes `fiber` represent the calling thread's own stack, so that fibers can switch back to it. */
void ptrt_fiber_here(ptrt_fiber *fiber);

/* Prepares `fiber` to run fn(arg) on the given stack at the first switch to it. `fiber` is zero or
 * has ended. fn never returns: it ends with ptrt_fiber_exit. */
void ptrt_fiber_make(ptrt_fiber *fiber, void *stack, size_t size, void (*fn)(void *), void *arg);

/* Switches from the running fiber `from` to `to`. Returns when some fiber switches back. */
static inline void ptrt_fiber_switch(ptrt_fiber *from, ptrt_fiber *to);

/* Switches for the last time: `from` does not run again until ptrt_fiber_make prepares it. */
_Noreturn void ptrt_fiber_exit(ptrt_fiber *from, ptrt_fiber *to);
/* Releases what belongs to a fiber that has ended. The stack belongs to the caller. */
void ptrt_fiber_drop(ptrt_fiber *fiber);

/* ---- implementation ---- */

#ifdef PTRT_UCONTEXT
static inline void ptrt_fiber_jump(ptrt_fiber *from, ptrt_fiber *to) {
    swapcontext(&from->context, &to->context);
}
#else
void ptrt_switch(void **from, void *to);

static inline void ptrt_fiber_jump(ptrt_fiber *from, ptrt_fiber *to) {
    ptrt_switch(&from->sp, to->sp);
}
#endif

/* Called before a switch. A fiber that ends passes ASan no place to save its fake stack, so ASan
 * frees it. */
static inline void ptrt_fiber_leaves(ptrt_fiber *from, ptrt_fiber *to, bool ends) {
#ifdef PTRT_ASAN
    to->from = from;
    __sanitizer_start_switch_fiber(ends ? NULL : &from->fake_stack, to->stack, to->stack_size);
#endif
#ifdef PTRT_TSAN
    __tsan_switch_to_fiber(to->tsan, 0);
#endif
    (void)from;
    (void)to;
    (void)ends;
}

/* Called after a switch, by the fiber that now runs. */
static inline void ptrt_fiber_arrives(ptrt_fiber *now) {
#ifdef PTRT_ASAN
    __sanitizer_finish_switch_fiber(now->fake_stack, &now->from->stack, &now->from->stack_size);
#endif
    (void)now;
}

static inline void ptrt_fiber_switch(ptrt_fiber *from, ptrt_fiber *to) {
    ptrt_fiber_leaves(from, to, false);
    ptrt_fiber_jump(from, to);
    ptrt_fiber_arrives(from);
}

#endif
