/* isa.c - chooses the instruction-set level once, at the first launch. */
#include "isa.h"
#include "ptort.h"

#include <pthread.h>
#include <stdlib.h>

#if defined(__x86_64__)
extern const ptrt_ops ptrt_ops_v2, ptrt_ops_v3, ptrt_ops_v4;

static bool has_v3(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi2");
}

static bool has_v4(void) {
    return has_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}

static const ptrt_ops *choose(const char *wish) {
    __builtin_cpu_init();
    if (wish && strcmp(wish, "v2") == 0) return &ptrt_ops_v2;
    if (wish && strcmp(wish, "v3") == 0 && has_v3()) return &ptrt_ops_v3;
    return has_v4() ? &ptrt_ops_v4 : has_v3() ? &ptrt_ops_v3 : &ptrt_ops_v2;
}
#else
extern const ptrt_ops ptrt_ops_base;

static const ptrt_ops *choose(const char *wish) {
    (void)wish;
    return &ptrt_ops_base;
}
#endif

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const ptrt_ops *chosen;

static void init(void) {
    chosen = choose(getenv("PTORT_ISA"));
}

const ptrt_ops *ptrt_isa_ops(void) {
    pthread_once(&once, init);
    return chosen;
}

const char *ptrt_isa(void) {
    return ptrt_isa_ops()->name;
}
