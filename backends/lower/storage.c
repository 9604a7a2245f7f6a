/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of the arrays and records on a core's stack. */
#include "backends/lower/lower.h"

enum { CELL = 8 }; /* bytes of a scalar in a record */

static int64_t element_bytes(const Type *t) {
    int64_t bytes = t->kind == TY_SCALAR ? elem_infos[t->elem].bytes : 0;
    return t->elem == ELEM_I1 ? 1 : bytes > 0 ? bytes : CELL;
}

static int64_t scalars(const Type *record) {
    int64_t n = 0;
    for (uint32_t i = 0; i < record->ntypes; i++)
        n += record->types[i]->kind == TY_STRUCT ? scalars(record->types[i]) : 1;
    return n;
}

int64_t lower_storage_bytes(const Type *t) {
    int64_t n = 1;
    switch (t->kind) {
    case TY_EVENT_ARRAY:
        return (int64_t)t->count * CELL;
    case TY_STRUCT:
        return scalars(t) * CELL;
    case TY_LOCAL_ARRAY:
        for (uint32_t i = 0; i < t->rank; i++)
            if (__builtin_mul_overflow(n, t->dims[i], &n)) return INT64_MAX;
        return n > INT64_MAX / CELL ? INT64_MAX : n * element_bytes(t->elem_type);
    default:
        return -1;
    }
}

int64_t lower_record_cell(const Type *record, const Attr *path) {
    int64_t cell = 0;
    for (uint32_t k = 0; k < path->n; k++) {
        int64_t field = path->items[k]->i;
        for (int64_t i = 0; i < field; i++)
            cell += record->types[i]->kind == TY_STRUCT ? scalars(record->types[i]) : 1;
        record = record->types[field];
    }
    return cell;
}
