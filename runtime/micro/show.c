/* SPDX-License-Identifier: Apache-2.0 */
/* show.c - registers, masks and logical vectors as tiles of one row, to be shown. */
#include "core/core.h"
#include "ptort_logical.h"

enum { BYTES = sizeof(ptrt_vreg), REGISTER = 0 /* in the place of a space */ };

static int row_of(ptrt_core *core, uint32_t line, int elem, void *memory, int64_t lanes,
                  ptrt_tile *out) {
    const ptrt_tile_type type = {(uint8_t)elem,     PTRT_GM, PTRT_ROW_MAJOR,
                                 PTRT_NONE_BOX,     512,     PTRT_PAD_NULL,
                                 PTRT_COMPACT_NULL, 1,       lanes};
    const uint64_t bytes = (uint64_t)lanes * ptrt_elem_size(elem);
    const int err = ptrt_tile_init(out, &type, memory, bytes, 1, lanes);
    if (err != 0) return ptrt_fail(core, err, line, "a register that cannot be shown");
    out->space = REGISTER;
    return PTRT_OK;
}

int ptrt_show_register(ptrt_core *core, uint32_t line, int elem, ptrt_vreg *reg, ptrt_tile *out) {
    return row_of(core, line, elem, reg, BYTES / (int64_t)ptrt_elem_size(elem), out);
}

int ptrt_show_mask(ptrt_core *core, uint32_t line, int width, const ptrt_mask *mask,
                   unsigned char lanes[256], ptrt_tile *out) {
    for (int i = 0; i * width < BYTES; i++)
        lanes[i] = mask->bits[i * width / 64] >> (i * width % 64) & 1;
    return row_of(core, line, PTRT_U8, lanes, BYTES / width, out);
}

int ptrt_show_lanes(ptrt_core *core, uint32_t line, int elem, int64_t lanes, ptrt_vreg *vector,
                    ptrt_tile *out) {
    return row_of(core, line, elem, vector, lanes, out);
}

int ptrt_show_lane_mask(ptrt_core *core, uint32_t line, int64_t lanes, const ptrt_vreg *mask,
                        unsigned char *bytes, ptrt_tile *out) {
    for (int64_t i = 0; i < lanes; i++)
        bytes[i] = ((const uint64_t *)mask)[i / 64] >> (i % 64) & 1;
    return row_of(core, line, PTRT_U8, bytes, lanes, out);
}
