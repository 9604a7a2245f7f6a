/* make.c - values from nothing: sequences. */
#include "ptort.h"

#include "kern/kern.h"
#include "kern/vec.h"

/* clang-format off */
#define SEQUENCE(E)                                                                                \
    static void sequence_count_##E(void *dp, uint64_t start, uint64_t step, size_t cols) {         \
        s_##E *d = dp;                                                                             \
        for (size_t c = 0; c < cols; c++)                                                          \
            d[c] = (s_##E)(start + step * c);                                                      \
    }
SEQUENCE(u16)
SEQUENCE(u32)

#define PTRT_SHAPE_sequence sequence
#define MAKE(id, name, when, driver, args, elems, types, body)                                     \
    PTRT_TYPES_##types(PTRT_ROW, id, PTRT_SHAPE_##driver, body)
static const ptrt_body_row rows[] = {
#include "ptort_kernels.def"
};
/* clang-format on */
PTRT_BODIES(make)
