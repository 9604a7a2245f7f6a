/* SPDX-License-Identifier: Apache-2.0 */
/* layout.c - addresses by formula: every layout of tiles and of views. */
#include "layout.h"

#include "codec.h"

static const struct {
    const char *text;
    uint8_t blayout, slayout;
    uint16_t fractal;
    uint8_t compact;
} layouts[LAYOUTS] = {
    [LAY_ND] = {"ND", PTRT_ROW_MAJOR, PTRT_NONE_BOX, 512, 0},
    [LAY_DN] = {"DN", PTRT_COL_MAJOR, PTRT_NONE_BOX, 512, 0},
    [LAY_NZ] = {"NZ", PTRT_COL_MAJOR, PTRT_BOX_ROW_MAJOR, 512, 0},
    [LAY_ZN] = {"ZN", PTRT_ROW_MAJOR, PTRT_BOX_COL_MAJOR, 512, 0},
    [LAY_ZZ] = {"ZZ", PTRT_ROW_MAJOR, PTRT_BOX_ROW_MAJOR, 512, 0},
    [LAY_NN] = {"NN", PTRT_COL_MAJOR, PTRT_BOX_COL_MAJOR, 512, 0},
    [LAY_NZ_1024] = {"NZ 1024", PTRT_COL_MAJOR, PTRT_BOX_ROW_MAJOR, 1024, 0},
    [LAY_ZZ_32] = {"ZZ 32", PTRT_ROW_MAJOR, PTRT_BOX_ROW_MAJOR, 32, 0},
    [LAY_NN_32] = {"NN 32", PTRT_COL_MAJOR, PTRT_BOX_COL_MAJOR, 32, 0},
    [LAY_ND_PLUS] = {"ND+1", PTRT_ROW_MAJOR, PTRT_NONE_BOX, 512, PTRT_ROW_PLUS_ONE},
    [LAY_DN_PLUS] = {"DN+1", PTRT_COL_MAJOR, PTRT_NONE_BOX, 512, PTRT_ROW_PLUS_ONE},
    [LAY_NZ_PLUS] = {"NZ+1", PTRT_COL_MAJOR, PTRT_BOX_ROW_MAJOR, 512, PTRT_ROW_PLUS_ONE},
};

const char *layout_text(Layout layout) {
    return layouts[layout].text;
}

void layout_box(const ptrt_tile_type *t, int64_t *rows, int64_t *cols) {
    int64_t width = 32 / (int64_t)elem_bytes(t->elem);
    if (t->fractal == 1024) width = 16;
    if (t->fractal == 32) width = 2;
    *rows = t->slayout == PTRT_NONE_BOX ? 1 : t->slayout == PTRT_BOX_ROW_MAJOR ? 16 : width;
    *cols = t->slayout == PTRT_NONE_BOX ? 1 : t->slayout == PTRT_BOX_ROW_MAJOR ? width : 16;
}

static int64_t round_up(int64_t n, int64_t step) {
    return (n + step - 1) / step * step;
}

void layout_set(ptrt_tile_type *t, Layout layout) {
    int64_t ir, ic;
    t->blayout = layouts[layout].blayout;
    t->slayout = layouts[layout].slayout;
    t->fractal = layouts[layout].fractal;
    t->compact = layouts[layout].compact;
    layout_box(t, &ir, &ic);
    t->cols = round_up(t->cols, ic);
    /* The last rows of boxes may be missing, but not where boxes below each other would overlap. */
    if (layout == LAY_NN || layout == LAY_NN_32) t->rows = round_up(t->rows, ir);
}

int64_t layout_at(const ptrt_tile_type *t, int64_t r, int64_t c) {
    int64_t R = t->rows, C = t->cols, IR, IC;
    bool row_major = t->blayout == PTRT_ROW_MAJOR;
    if (t->compact == PTRT_ROW_PLUS_ONE && row_major) C++;
    if (t->compact == PTRT_ROW_PLUS_ONE && !row_major) R++;
    if (t->slayout == PTRT_NONE_BOX) return row_major ? r * C + c : c * R + r;
    layout_box(t, &IR, &IC);
    int64_t box =
        row_major ? r / IR * C * IR + c / IC * IR * IC : c / IC * R * IC + r / IR * IR * IC;
    int64_t inside = t->slayout == PTRT_BOX_ROW_MAJOR ? r % IR * IC + c % IC : c % IC * IR + r % IR;
    return box + inside;
}

int64_t layout_bytes(const ptrt_tile_type *t) {
    return (layout_at(t, t->rows - 1, t->cols - 1) + 1) * (int64_t)elem_bytes(t->elem);
}

int64_t view_at(const ptrt_view *v, int64_t r, int64_t c) {
    const int64_t *s = v->shape;
    int64_t i[5] = {0}, at = 0;
    switch (v->layout) {
    case PTRT_VIEW_ND:
        i[4] = c;
        i[3] = r % s[3];
        i[2] = r / s[3] % s[2];
        i[1] = r / (s[3] * s[2]) % s[1];
        i[0] = r / (s[3] * s[2] * s[1]);
        break;
    case PTRT_VIEW_DN:
        i[4] = c % s[4];
        i[3] = r;
        i[2] = c / s[4] % s[2];
        i[1] = c / (s[4] * s[2]) % s[1];
        i[0] = c / (s[4] * s[2] * s[1]);
        break;
    case PTRT_VIEW_NZ:
        i[4] = c % s[4];
        i[3] = r % s[3];
        i[2] = r / s[3];
        i[1] = c / s[4] % s[1];
        i[0] = c / s[4] / s[1];
        break;
    case PTRT_VIEW_MX_A_ZZ:
        i[4] = c % 2;
        i[3] = r % 16;
        i[2] = c / 2;
        i[1] = r / 16;
        break;
    default:
        i[4] = r % 2;
        i[3] = c % 16;
        i[2] = r / 2;
        i[1] = c / 16;
    }
    for (int k = 0; k < 5; k++)
        at += i[k] * v->stride[k];
    return at;
}

void view_extents(const ptrt_view *v, int64_t *rows, int64_t *cols) {
    const int64_t *s = v->shape;
    switch (v->layout) {
    case PTRT_VIEW_ND:
        *rows = s[0] * s[1] * s[2] * s[3];
        *cols = s[4];
        break;
    case PTRT_VIEW_DN:
        *rows = s[3];
        *cols = s[0] * s[1] * s[2] * s[4];
        break;
    case PTRT_VIEW_NZ:
        *rows = s[2] * s[3];
        *cols = s[0] * s[1] * s[4];
        break;
    case PTRT_VIEW_MX_A_ZZ:
        *rows = s[1] * 16;
        *cols = s[2] * 2;
        break;
    default:
        *rows = s[2] * 2;
        *cols = s[1] * 16;
    }
}
