/* SPDX-License-Identifier: Apache-2.0 */
/* fiber.c - creates and ends fibers: the first stack frame, and what the sanitizers need. */
#include "core/fiber.h"

#include <stdint.h>

void ptrt_fiber_here(ptrt_fiber *fiber) {
    *fiber = (ptrt_fiber){0};
#ifdef PTRT_TSAN
    fiber->tsan = __tsan_get_current_fiber();
#endif
}

static void run(void *arg) {
    ptrt_fiber *fiber = arg;
    ptrt_fiber_arrives(fiber);
    fiber->fn(fiber->arg);
    __builtin_unreachable();
}

#ifdef PTRT_UCONTEXT

/* makecontext passes ints only, so the pointer is passed in two halves. */
static void begin(unsigned hi, unsigned lo) {
    run((void *)(((uintptr_t)hi << 16 << 16) | (uintptr_t)lo));
}

static void put_frame(ptrt_fiber *fiber, char *stack, size_t size) {
    uintptr_t self = (uintptr_t)fiber;
    getcontext(&fiber->context);
    fiber->context.uc_stack.ss_sp = stack;
    fiber->context.uc_stack.ss_size = size;
    fiber->context.uc_link = NULL;
    makecontext(&fiber->context, (void (*)(void))begin, 2, (unsigned)(self >> 16 >> 16),
                (unsigned)(self & 0xFFFFFFFFu));
}

#else

void ptrt_switch_boot(void);

/* The frame that ptrt_switch pops, lowest address first. The control words are those of a new
 * process: round to nearest, all exceptions masked. */
typedef struct Frame {
#if defined(__x86_64__)
    uint32_t mxcsr;
    uint32_t x87;
    void *r15, *r14, *r13, *arg /* r12 */;
    void (*fn)(void *); /* rbx */
    void *rbp;
    void (*boot)(void);
    void *above[2]; /* zeros that end the chain of frames and align the call in boot */
#else
    void *fp;
    void (*boot)(void); /* lr */
    void (*fn)(void *); /* x19 */
    void *arg;          /* x20 */
    void *x[8];
    uint64_t d[8];
    uint64_t fpcr;
    uint64_t above;
#endif
} Frame;

static void put_frame(ptrt_fiber *fiber, char *stack, size_t size) {
    Frame *frame = (Frame *)(void *)(stack + size - sizeof(Frame));
    *frame = (Frame){.boot = ptrt_switch_boot, .fn = run, .arg = fiber};
#if defined(__x86_64__)
    frame->mxcsr = 0x1F80;
    frame->x87 = 0x037F;
#endif
    fiber->sp = frame;
}

#endif

void ptrt_fiber_drop(ptrt_fiber *fiber) {
#ifdef PTRT_TSAN
    if (fiber->tsan) __tsan_destroy_fiber(fiber->tsan);
    fiber->tsan = NULL;
#endif
    (void)fiber;
}

/* Stack sizes are multiples of 16, so the frame is aligned. */
void ptrt_fiber_make(ptrt_fiber *fiber, void *stack, size_t size, void (*fn)(void *), void *arg) {
    ptrt_fiber_drop(fiber);
    *fiber = (ptrt_fiber){.fn = fn, .arg = arg};
#ifdef PTRT_ASAN
    /* The last frames of the previous fiber on this stack are still poisoned. */
    __asan_unpoison_memory_region(stack, size);
    fiber->stack = stack;
    fiber->stack_size = size;
#endif
#ifdef PTRT_TSAN
    fiber->tsan = __tsan_create_fiber(0);
#endif
    put_frame(fiber, stack, size);
}

void ptrt_fiber_exit(ptrt_fiber *from, ptrt_fiber *to) {
    ptrt_fiber_leaves(from, to, true);
    ptrt_fiber_jump(from, to);
    __builtin_unreachable(); /* nothing switches to a fiber that has ended */
}
