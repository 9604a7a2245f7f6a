/* SPDX-License-Identifier: Apache-2.0 */
/* header_use.c - the public headers together, and ptort_emitted.h as emitted code uses it; compiled
 * as C by small compilers, and as C++. */
#include "ptort_emitted.h"
#include "ptort_observe.h"
#include "ptort_transport.h"

static const ptrt_tile_type type = {PTRT_F32,          PTRT_VEC, PTRT_ROW_MAJOR,
                                    PTRT_NONE_BOX,     512,      PTRT_PAD_NULL,
                                    PTRT_COMPACT_NULL, 32,       64};

static int body(ptrt_core *core, float *a, int64_t n) {
    int64_t shape[2] = {32, 64}, stride[2] = {64, 1};
    ptrt_tile t;
    ptrt_view v;
    int code = ptrt_tile_bind(core, &type, 0, 32, n, 3, &t);
    if (code) return code;
    code = ptrt_view_make(core, 4, a, PTRT_F32, 2, shape, stride, PTRT_VIEW_ND, &v);
    if (code) return code;
    code = ptrt_load(core, 5, PTRT_TLOAD, &v, &t);
    if (code) return code;
    ptrt_store_f32(a, 0, ptrt_addf_f32(ptrt_load_f32(a, 0), 1.0f));
    code = ptrt_maps_f(core, 6, PTRT_TADDS, &t, (double)ptrt_divsi_i32(7, 2), &t);
    return code ? code : ptrt_store(core, 7, PTRT_TSTORE, &t, &v);
}

static int entry(ptrt_core *core, void *args) {
    return body(core, (float *)args, ptrt_block_num(core));
}

static const ptrt_kernel kernel = {
    "k", "k.pto", NULL, entry, 0, 0, PTRT_TABLE, {0, 0, 0, 0, 0, 0, 8192, 0, 0}, 0, {0, 0}, 0};

int main(void) {
    float a[2048] = {0};
    return ptrt_launch(&kernel, 1, a);
}
