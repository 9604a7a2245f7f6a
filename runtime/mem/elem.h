/* SPDX-License-Identifier: Apache-2.0 */
/* elem.h - inside libptort: what is known of each element type, the rows of ptort_elems.def. */
#ifndef PTORT_MEM_ELEM_H
#define PTORT_MEM_ELEM_H

#include "ptort.h"

typedef struct ptrt_elem_info {
    const char *name;
    uint8_t bytes;
    uint8_t lanes;     /* numbers in an element: 2 for a pair */
    bool real;         /* a float */
    uint64_t max, min; /* bits of the values of PTRT_PAD_MAX and PTRT_PAD_MIN */
} ptrt_elem_info;

extern const ptrt_elem_info ptrt_elem_infos[PTRT_ELEMS];

/* The name in messages; "unknown" for a number that is no element type. */
static inline const char *ptrt_elem_name(int elem) {
    return elem >= 0 && elem < PTRT_ELEMS ? ptrt_elem_infos[elem].name : "unknown";
}

/* ptrt_elem_size() without a call. */
static inline uint32_t ptrt_elem_bytes(int elem) {
    return elem >= 0 && elem < PTRT_ELEMS ? ptrt_elem_infos[elem].bytes : 0;
}

/* How many numbers an element holds. */
static inline int ptrt_elem_lanes(int elem) {
    return ptrt_elem_infos[elem].lanes;
}
static inline bool ptrt_elem_is_real(int elem) {
    return ptrt_elem_infos[elem].real;
}

#endif
