/* make.c - drivers of kernels that make more than one value: sequence (tci). */
#include "drive/rows.h"

int ptrt_sequence_i(ptrt_core *core, uint32_t line, int kernel, int64_t start, const ptrt_tile *dst,
                    int descending) {
    static const uint8_t roles[] = {PTRT_WRITE};
    ptrt_rows d = {0};
    int code = ptrt_check_tiles(core, line, kernel, 1, &dst, roles);
    if (code != PTRT_OK) return code;
    const ptrt_body body = ptrt_body_one(core, kernel, dst);
    if (!body) return ptrt_no_body(core, line, kernel, 1, &dst);
    if (dst->vcol == 0) return PTRT_OK;
    code = ptrt_rows_write(core, line, dst, 1, dst->vcol, false, &d);
    if (code != PTRT_OK) return code;
    ((ptrt_count_fn)body)(d.p, (uint64_t)start, descending ? UINT64_MAX : 1, (size_t)dst->vcol);
    ptrt_rows_store(core, dst, 1, dst->vcol, &d);
    ptrt_rows_free(&d);
    return PTRT_OK;
}
