/* SPDX-License-Identifier: Apache-2.0 */
/* Writes functions around one instruction. */
#include "frame.h"
#include <stdio.h>
#include <string.h>

static void add_view(Text *t, const char *name, const ElemType *e) {
    text_add(
        t,
        "  %%%s_view = pto.make_tensor_view %%%s, shape = [%%rows, %%cols], strides = [%%cols, "
        "%%c1] : !pto.tensor_view<%dx%dx%s>\n",
        name, name, FRAME_ROWS, FRAME_COLS, e->text);
    text_add(t,
             "  %%%s_part = pto.partition_view %%%s_view, offsets = [%%c0, %%c0], sizes = [%%rows, "
             "%%cols] : !pto.tensor_view<%dx%dx%s> -> !pto.partition_tensor_view<%dx%dx%s>\n",
             name, name, FRAME_ROWS, FRAME_COLS, e->text, FRAME_ROWS, FRAME_COLS, e->text);
}

/* The whole tile and the tile with a valid region, at one address. */
static void add_tile(Text *t, const char *name, const char *view, const ElemType *e,
                     const char *type) {
    text_add(t, "  %%%s_all = pto.alloc_tile addr = %%%s_addr : !pto.tile_buf<vec, %dx%dx%s>\n",
             name, name, FRAME_ROWS, FRAME_COLS, e->text);
    text_add(t, "  %%%s = pto.alloc_tile addr = %%%s_addr : %s\n", name, name, type);
    text_add(t,
             "  pto.tload ins(%%%s_part : !pto.partition_tensor_view<%dx%dx%s>) outs(%%%s_all : "
             "!pto.tile_buf<vec, %dx%dx%s>)\n",
             view, FRAME_ROWS, FRAME_COLS, e->text, name, FRAME_ROWS, FRAME_COLS, e->text);
}

static void add_statement(Text *t, const char *s, const char *src, const char *dst) {
    text_add(t, "  ");
    for (; *s != '\0'; s++) {
        if (s[0] == '$' && (s[1] == 's' || s[1] == 'd'))
            text_add(t, "%s", *++s == 's' ? src : dst);
        else
            text_add(t, "%c", *s);
    }
    text_add(t, "\n");
}

void frame_add(Text *t, const Frame *f) {
    char src[128] = "", dst[128], pad[16] = "";
    const ElemType *in = f->src != NULL ? f->src : f->dst;
    if (f->src != NULL)
        snprintf(src, sizeof src, "!pto.tile_buf<vec, %dx%dx%s, valid=%dx%d>", FRAME_ROWS,
                 FRAME_COLS, f->src->text, f->src_vrow, f->src_vcol);
    if (f->pad != 0) snprintf(pad, sizeof pad, ", pad=%d", f->pad);
    snprintf(dst, sizeof dst, "!pto.tile_buf<vec, %dx%dx%s, valid=%dx%d%s>", FRAME_ROWS, FRAME_COLS,
             f->dst->text, f->dst_vrow, f->dst_vcol, pad);
    text_add(t, "func.func @%s(%%in: !pto.ptr<%s>, %%out: !pto.ptr<%s>%s) {\n", f->name, in->text,
             f->dst->text, f->params);
    text_add(t,
             "  %%c0 = arith.constant 0 : index\n  %%c1 = arith.constant 1 : index\n"
             "  %%rows = arith.constant %d : index\n  %%cols = arith.constant %d : index\n"
             "  %%src_addr = arith.constant 0 : i64\n  %%dst_addr = arith.constant 0x1000 : i64\n",
             FRAME_ROWS, FRAME_COLS);
    add_view(t, "in", in);
    add_view(t, "out", f->dst);
    if (f->src != NULL) add_tile(t, "src", "in", f->src, src);
    add_tile(t, "dst", "out", f->dst, dst);
    add_statement(t, f->statement, src, dst);
    text_add(t,
             "  pto.tstore ins(%%dst_all : !pto.tile_buf<vec, %dx%dx%s>) outs(%%out_part : "
             "!pto.partition_tensor_view<%dx%dx%s>)\n  return\n}\n",
             FRAME_ROWS, FRAME_COLS, f->dst->text, FRAME_ROWS, FRAME_COLS, f->dst->text);
}
