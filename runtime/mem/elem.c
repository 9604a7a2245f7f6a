/* elem.c - the table of element types. */
#include "mem/elem.h"

const ptrt_elem_info ptrt_elem_infos[PTRT_ELEMS] = {
#define ELEM(id, name, bytes, lanes, real, max, min)                                               \
    [PTRT_##id] = {name, bytes, lanes, real, UINT64_C(max), UINT64_C(min)},
#include "ptort_elems.def"
};

uint32_t ptrt_elem_size(int elem) {
    return elem >= 0 && elem < PTRT_ELEMS ? ptrt_elem_infos[elem].bytes : 0;
}
