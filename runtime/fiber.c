/* fiber.c - fibers on ucontext. A switch costs a signal-mask call, far less than a hand-over
 * between threads. */
#include "fiber.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define PTRT_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PTRT_ASAN 1
#endif
#endif

#ifdef PTRT_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

#define STACK_SIZE ((size_t)1 << 20)

/* ASan must know which stack is current: start before the switch, finish on the other side. A fiber
 * that ends passes no place to save its fake stack, which frees it. */
static void start_switch(ptrt_context *from, const ptrt_context *to, bool ends) {
#ifdef PTRT_ASAN
    __sanitizer_start_switch_fiber(ends ? NULL : &from->fake_stack, to->stack, to->stack_size);
#else
    (void)from;
    (void)to;
    (void)ends;
#endif
}

static void finish_switch(ptrt_context *now, ptrt_context *from) {
#ifdef PTRT_ASAN
    __sanitizer_finish_switch_fiber(now->fake_stack, &from->stack, &from->stack_size);
#else
    (void)now;
    (void)from;
#endif
}

/* makecontext passes ints only: the pointer comes in two halves. */
static void trampoline(unsigned hi, unsigned lo) {
    ptrt_fiber *fiber = (ptrt_fiber *)(((uintptr_t)hi << 16 << 16) | (uintptr_t)lo);
    finish_switch(&fiber->ctx, fiber->home);
    fiber->fn(fiber->arg);
    start_switch(&fiber->ctx, fiber->home, true);
    setcontext(&fiber->home->uc);
}

static bool map_stack(ptrt_fiber *fiber) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t size = STACK_SIZE + page;
    void *map = mmap(NULL, size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (map == MAP_FAILED) return false;
    if (mprotect(map, page, PROT_NONE) != 0) {
        munmap(map, size);
        return false;
    }
    fiber->map = map;
    fiber->map_size = size;
    return true;
}

bool ptrt_fiber_init(ptrt_fiber *fiber, ptrt_context *home, void (*fn)(void *), void *arg) {
    if (!fiber->map && !map_stack(fiber)) return false;
    if (getcontext(&fiber->ctx.uc) != 0) return false;
    fiber->ctx.stack = (char *)fiber->map + (fiber->map_size - STACK_SIZE);
    fiber->ctx.stack_size = STACK_SIZE;
    fiber->ctx.fake_stack = NULL;
#ifdef PTRT_ASAN
    /* A fiber that was left behind by setcontext may have poisoned part of this stack. */
    __asan_unpoison_memory_region(fiber->ctx.stack, STACK_SIZE);
#endif
    fiber->ctx.uc.uc_stack.ss_sp = (void *)(uintptr_t)fiber->ctx.stack;
    fiber->ctx.uc.uc_stack.ss_size = STACK_SIZE;
    fiber->ctx.uc.uc_link = NULL;
    fiber->fn = fn;
    fiber->arg = arg;
    fiber->home = home;
    uintptr_t self = (uintptr_t)fiber;
    makecontext(&fiber->ctx.uc, (void (*)(void))trampoline, 2, (unsigned)(self >> 16 >> 16),
                (unsigned)(self & 0xFFFFFFFFu));
    return true;
}

void ptrt_fiber_enter(ptrt_fiber *fiber) {
    start_switch(fiber->home, &fiber->ctx, false);
    swapcontext(&fiber->home->uc, &fiber->ctx.uc);
    finish_switch(fiber->home, &fiber->ctx);
}

void ptrt_fiber_leave(ptrt_fiber *fiber) {
    start_switch(&fiber->ctx, fiber->home, false);
    swapcontext(&fiber->ctx.uc, &fiber->home->uc);
    finish_switch(&fiber->ctx, fiber->home);
}

void ptrt_fiber_free(ptrt_fiber *fiber) {
    if (fiber->map) munmap(fiber->map, fiber->map_size);
    fiber->map = NULL;
}
