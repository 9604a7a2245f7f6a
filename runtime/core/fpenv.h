/* SPDX-License-Identifier: Apache-2.0 */
/* fpenv.h - reads and sets the floating-point control word. Kernels run with the default one (round
 * to nearest even, subnormals kept, no traps), whatever the caller has set. */
#ifndef PTORT_FPENV_H
#define PTORT_FPENV_H

#include <stdint.h>

#if defined(__x86_64__)

typedef uint32_t ptrt_fpenv;
#define PTRT_FPENV_DEFAULT 0x1F80u

static inline ptrt_fpenv ptrt_fpenv_get(void) {
    return __builtin_ia32_stmxcsr();
}

static inline void ptrt_fpenv_set(ptrt_fpenv env) {
    __builtin_ia32_ldmxcsr(env);
}

#elif defined(__aarch64__)

typedef uint64_t ptrt_fpenv;
#define PTRT_FPENV_DEFAULT 0u

static inline ptrt_fpenv ptrt_fpenv_get(void) {
    ptrt_fpenv env;
    __asm__ volatile("mrs %0, fpcr" : "=r"(env));
    return env;
}

static inline void ptrt_fpenv_set(ptrt_fpenv env) {
    __asm__ volatile("msr fpcr, %0" : : "r"(env));
}

#else
#include <fenv.h>

typedef int ptrt_fpenv;
#define PTRT_FPENV_DEFAULT FE_TONEAREST

static inline ptrt_fpenv ptrt_fpenv_get(void) {
    return fegetround();
}

static inline void ptrt_fpenv_set(ptrt_fpenv env) {
    fesetround(env);
}

#endif

#endif
