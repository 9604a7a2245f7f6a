/* SPDX-License-Identifier: Apache-2.0 */
/* elem.c - the table of element types. */
#include "mem/elem.h"

enum {
#define PAD(format, e, m, bias, special, most, beyond, nan, pad, ...) PTRT_PAD_##format = pad,
    PTRT_FORMATS_8(PAD, )
};

const ptrt_elem_info ptrt_elem_infos[PTRT_ELEMS] = {
#define ELEM(id, name, bytes, lanes, real, max, min)                                               \
    [PTRT_##id] = {name, bytes, lanes, real, (uint64_t)(max), (uint64_t)(min)},
#include "ptort_elems.def"
};

uint32_t ptrt_elem_size(int elem) {
    return ptrt_elem_bytes(elem);
}
