/* SPDX-License-Identifier: Apache-2.0 */
/* item_memory.c - loads, stores and atomic updates of single values. */
#include "core/atomic.h"
#include "core/place.h"
#include "micro/value.h"

/* Returns the memory of a value, checked; NULL after an error, whose code is in *code. No source
 * says that addresses in a memory of the core must be aligned, so they need not be. */
static unsigned char *locate(ptrt_core *core, uint32_t line, const char *op, int space, int64_t at,
                             unsigned bytes, bool writes, int *code) {
    *code = PTRT_OK;
    if (space == PTRT_GM) {
        unsigned char *p = (unsigned char *)(uintptr_t)at;
        *code = place_global(core, line, op, p, bytes, writes);
        return *code == PTRT_OK ? p : NULL;
    }
    unsigned char *p = writes ? place_write(core, space, at, bytes, 1)
                              : (unsigned char *)(uintptr_t)place_read(core, space, at, bytes, 1);
    if (p == NULL) *code = place_fail(core, line, op, space, at, bytes, 1);
    return p;
}

/* Returns the address of a value at an offset in values. */
static int64_t moved(int64_t at, int64_t offset, unsigned bytes) {
    return (int64_t)((uint64_t)at + (uint64_t)offset * bytes);
}

int ptrt_read_value(ptrt_core *core, uint32_t line, void *out, int space, int64_t at,
                    int64_t offset, int elem, int lanes) {
    const unsigned bytes = value_bytes(elem, lanes);
    int code;
    const unsigned char *p =
        locate(core, line, "pto.load", space, moved(at, offset, bytes), bytes, false, &code);
    if (p != NULL) memcpy(out, p, bytes);
    return code;
}

int ptrt_write_value(ptrt_core *core, uint32_t line, uint64_t value, int space, int64_t at,
                     int64_t offset, int elem, int lanes) {
    const unsigned bytes = value_bytes(elem, lanes);
    int code;
    unsigned char *p =
        locate(core, line, "pto.store", space, moved(at, offset, bytes), bytes, true, &code);
    if (p != NULL) value_store(p, value, bytes);
    return code;
}

/* ---- atomic updates ---- */

/* What an update makes of the old value. */
typedef struct update {
    value_op op;
    bool compares; /* it only replaces the bits `compare` */
    uint64_t compare, value;
    int elem, lanes;
    bool is_unsigned;
} update;

static uint64_t updated(const update *u, uint64_t old) {
    if (u->compares) return old == u->compare ? u->value : old;
    return value_compute_all(u->op, u->elem, u->lanes, old, u->value, u->is_unsigned);
}

/* Other cores may update global memory at the same time; those of a block run on one thread. */
static int run_update(ptrt_core *core, uint32_t line, const char *op, void *out, int space,
                      int64_t at, const update *u) {
    const unsigned bytes = value_bytes(u->elem, u->lanes);
    int code;
    const unsigned char *from = locate(core, line, op, space, at, bytes, false, &code);
    unsigned char *p = from != NULL ? locate(core, line, op, space, at, bytes, true, &code) : NULL;
    if (p == NULL) return code;
    if (space == PTRT_GM) ptrt_gm_take(p, bytes);
    const uint64_t old = value_load(p, bytes);
    value_store(p, updated(u, old), bytes);
    if (space == PTRT_GM) ptrt_gm_give(p, bytes);
    value_store(out, old, bytes);
    return PTRT_OK;
}

#define ATOMIC(name, what)                                                                         \
    int ptrt_##name(ptrt_core *core, uint32_t line, void *out, int space, int64_t at,              \
                    uint64_t value, int elem, int lanes, int64_t signedness) {                     \
        const update u = {.op = what,                                                              \
                          .value = value,                                                          \
                          .elem = elem,                                                            \
                          .lanes = lanes,                                                          \
                          .is_unsigned = signedness == 1};                                         \
        return run_update(core, line, "pto." #name, out, space, at, &u);                           \
    }
ATOMIC(atomic_add, VALUE_ADD)
ATOMIC(atomic_sub, VALUE_SUB)
ATOMIC(atomic_min, VALUE_MIN)
ATOMIC(atomic_max, VALUE_MAX)
ATOMIC(atomic_exch, VALUE_SECOND)
ATOMIC(atomic_and, VALUE_AND)
ATOMIC(atomic_or, VALUE_OR)
ATOMIC(atomic_xor, VALUE_XOR)

/* Floats are equal if their bits are. */
int ptrt_atomic_cas(ptrt_core *core, uint32_t line, void *out, int space, int64_t at,
                    uint64_t compare, uint64_t value, int elem, int lanes, int64_t signedness) {
    const update u = {
        .compares = true, .compare = compare, .value = value, .elem = elem, .lanes = lanes};
    (void)signedness;
    return run_update(core, line, "pto.atomic_cas", out, space, at, &u);
}
