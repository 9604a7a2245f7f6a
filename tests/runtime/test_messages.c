/* SPDX-License-Identifier: Apache-2.0 */
/* test_messages.c - a table of calls that the library refuses, with the code and words of each:
 * operands out of range, empty and misplaced memory, words and modes that do not exist, pipes and
 * signals used the wrong way. A refused call changes no on-chip memory, and ends the launch though
 * the other core of the block waits for a signal that never comes. */
#include "core/fifo.h"
#include "on_core.h"
#include "ptort_transport.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* Operands of the calls. */
typedef struct Operands {
    ptrt_tile f, g, i, u, h, s, x; /* 8x8 f32, f32, i32, u32; 8x16 f16, u16; 8x32 i8 */
    ptrt_tile boxed, one;          /* 32x32 f16 in boxes; 1x8 i32 */
    ptrt_view mem, index, signal;  /* of a region: 8x8 f32, 8x8 i32, one i32 */
    ptrt_view none, foreign;       /* without memory; of no region */
    ptrt_tile out;
    ptrt_view view;
    ptrt_pipe pipe;
    ptrt_fifo *fifo;
    void *at;
    int64_t number;
} Operands;

static _Alignas(64) unsigned char region[4096], elsewhere[4096];

static int tile(ptrt_core *core, int elem, int64_t addr, int64_t rows, int64_t cols,
                ptrt_tile *out) {
    const ptrt_tile_type type = {
        .elem = (uint8_t)elem, .space = PTRT_VEC, .fractal = 512, .rows = rows, .cols = cols};
    return ptrt_tile_bind(core, &type, addr, rows, cols, 1, out);
}

static ptrt_view view(void *p, int elem, int64_t rows, int64_t cols) {
    const int64_t shape[] = {rows, cols}, stride[] = {cols, 1};
    ptrt_view v;
    memset(&v, 0, sizeof v);
    ptrt_view_init(&v, p, elem, 2, shape, stride, PTRT_VIEW_ND);
    return v;
}

static int prepare(ptrt_core *core, Operands *o) {
    const ptrt_tile_type boxed = {.elem = PTRT_F16,
                                  .space = PTRT_MAT,
                                  .blayout = PTRT_COL_MAJOR,
                                  .slayout = PTRT_BOX_ROW_MAJOR,
                                  .fractal = 512,
                                  .rows = 32,
                                  .cols = 32};
    memset(o, 0, sizeof *o);
    int code = tile(core, PTRT_F32, 0, 8, 8, &o->f);
    if (code == 0) code = tile(core, PTRT_F32, 4096, 8, 8, &o->g);
    if (code == 0) code = tile(core, PTRT_I32, 8192, 8, 8, &o->i);
    if (code == 0) code = tile(core, PTRT_U32, 12288, 8, 8, &o->u);
    if (code == 0) code = tile(core, PTRT_F16, 16384, 8, 16, &o->h);
    if (code == 0) code = tile(core, PTRT_U16, 20480, 8, 16, &o->s);
    if (code == 0) code = tile(core, PTRT_I8, 24576, 8, 32, &o->x);
    if (code == 0) code = tile(core, PTRT_I32, 28672, 1, 8, &o->one);
    if (code == 0) code = ptrt_tile_bind(core, &boxed, 0, 32, 32, 1, &o->boxed);
    o->mem = view(region, PTRT_F32, 8, 8);
    o->index = view(region, PTRT_I32, 8, 8);
    o->signal = view(region, PTRT_I32, 1, 1);
    o->none = view(NULL, PTRT_F32, 8, 8);
    o->foreign = view(elsewhere, PTRT_F32, 8, 8);
    return code;
}

/* ---- the calls ---- */

static int valid_beyond_shape(ptrt_core *core, Operands *o) {
    o->g.vrow = 9;
    o->g.n = 0;
    o->g.key = 0;
    return ptrt_map2(core, 5, PTRT_TADD, &o->f, &o->f, &o->g);
}

static int no_such_kernel(ptrt_core *core, Operands *o) {
    return ptrt_map2(core, 5, 60000, &o->f, &o->g, &o->g);
}

static int bind_illegal_type(ptrt_core *core, Operands *o) {
    const ptrt_tile_type t = {.elem = 250, .rows = 1, .cols = 1};
    return ptrt_tile_bind(core, &t, 0, 1, 1, 5, &o->out);
}

static int recast_illegal_type(ptrt_core *core, Operands *o) {
    const ptrt_tile_type t = {.elem = 250, .rows = 1, .cols = 1};
    return ptrt_tile_recast(core, 5, &o->f, &t, 1, 1, &o->out);
}

static int recast_misaligned(ptrt_core *core, Operands *o) {
    const ptrt_tile_type t = {
        .elem = PTRT_F32, .space = PTRT_VEC, .fractal = 512, .rows = 1, .cols = 8};
    o->i.addr++;
    return ptrt_tile_recast(core, 5, &o->i, &t, 1, 1, &o->out);
}

static int argument_missing(ptrt_core *core, Operands *o) {
    (void)o;
    const ptrt_tile_type t = {
        .elem = PTRT_F32, .space = PTRT_VEC, .fractal = 512, .rows = 8, .cols = 8};
    return ptrt_tile_expect(core, 5, NULL, &t, 8, 8);
}

static int argument_misfit(ptrt_core *core, Operands *o) {
    const ptrt_tile_type t = {
        .elem = PTRT_F32, .space = PTRT_VEC, .fractal = 512, .rows = 8, .cols = 16};
    return ptrt_tile_expect(core, 5, &o->f, &t, 8, 8);
}

static int subview_inside_box(ptrt_core *core, Operands *o) {
    return ptrt_tile_subview(core, 5, &o->boxed, 0, 1, 16, 16, 1, 1, &o->out);
}

static int window_leaves_source(ptrt_core *core, Operands *o) {
    return ptrt_tile_window(core, 5, &o->f, 1, 0, &o->g);
}

static int subview_leaves_source(ptrt_core *core, Operands *o) {
    return ptrt_tile_subview(core, 5, &o->f, 0, 4, 8, 8, 8, 5, &o->out);
}

static int copy_of_other_size(ptrt_core *core, Operands *o) {
    return ptrt_tile_copy(core, 5, &o->one, &o->f);
}

static int slot_beyond(ptrt_core *core, Operands *o) {
    return ptrt_tile_slot(core, 5, &o->f, 4, 4, 256, &o->out);
}

static int slot_negative(ptrt_core *core, Operands *o) {
    return ptrt_tile_slot(core, 5, &o->f, -1, 4, 256, &o->out);
}

static int array_index(ptrt_core *core, Operands *o) {
    const int64_t extent[] = {2, 3}, index[] = {1, 3};
    return ptrt_array_index(core, 5, "pto.array_get", 2, extent, index, &o->number);
}

static int array_index_negative(ptrt_core *core, Operands *o) {
    const int64_t extent[] = {2, 3}, index[] = {-1, 0};
    return ptrt_array_index(core, 5, "pto.array_get", 2, extent, index, &o->number);
}

static int element_beyond(ptrt_core *core, Operands *o) {
    return ptrt_tile_elem(core, 5, "pto.tgetval", &o->f, 64, &o->at);
}

static int element_negative(ptrt_core *core, Operands *o) {
    return ptrt_tile_elem(core, 5, "pto.tgetval", &o->f, -1, &o->at);
}

static int address_of_foreign_tile(ptrt_core *core, Operands *o) {
    o->f.base = elsewhere;
    return ptrt_tile_addr(core, 5, &o->f, &o->number);
}

static int space_beyond(ptrt_core *core, Operands *o) {
    return ptrt_space_at(core, 5, PTRT_VEC, SPACE_BYTES, 0, 4, &o->at);
}

static int space_negative(ptrt_core *core, Operands *o) {
    return ptrt_space_at(core, 5, PTRT_VEC, 0, -1, 4, &o->at);
}

static int no_such_space(ptrt_core *core, Operands *o) {
    return ptrt_space_at(core, 5, 99, 0, 0, 4, &o->at);
}

static int view_rank(ptrt_core *core, Operands *o) {
    const int64_t n[6] = {0};
    return ptrt_view_make(core, 5, region, PTRT_F32, 6, n, n, PTRT_VIEW_ND, &o->view);
}

static int view_elem(ptrt_core *core, Operands *o) {
    const int64_t n[2] = {1, 1};
    return ptrt_view_make(core, 5, region, 250, 2, n, n, PTRT_VIEW_ND, &o->view);
}

static int part_leaves(ptrt_core *core, Operands *o) {
    const int64_t off[] = {1, 0}, size[] = {8, 8};
    return ptrt_view_part(core, 5, &o->mem, off, size, 2, &o->view);
}

/* The rows of the view are packed, those of this window of half its columns are not. */
static int part_over_gap(ptrt_core *core, Operands *o) {
    const int64_t half_off[] = {0, 0}, half[] = {8, 4}, off[] = {0, 3}, size[] = {2, 2};
    const int code = ptrt_view_part(core, 5, &o->mem, half_off, half, 2, &o->view);
    return code ? code : ptrt_view_part(core, 5, &o->view, off, size, 2, &o->view);
}

/* Two elements, the second in the next row, which there is not. */
static int part_beyond_rows(ptrt_core *core, Operands *o) {
    const int64_t off[] = {7, 7}, size[] = {1, 2};
    return ptrt_view_part(core, 5, &o->mem, off, size, 2, &o->view);
}

static int part_negative(ptrt_core *core, Operands *o) {
    const int64_t off[] = {0, 0}, size[] = {8, -1};
    return ptrt_view_part(core, 5, &o->mem, off, size, 2, &o->view);
}

static int part_of_nothing(ptrt_core *core, Operands *o) {
    const int64_t off[] = {0, 0}, size[] = {8, 8};
    return ptrt_view_part(core, 5, &o->none, off, size, 2, &o->view);
}

static int load_of_nothing(ptrt_core *core, Operands *o) {
    return ptrt_load(core, 5, PTRT_TLOAD, &o->none, &o->f);
}

static int load_other_size(ptrt_core *core, Operands *o) {
    return ptrt_load(core, 5, PTRT_TLOAD, &o->mem, &o->h);
}

static int no_comparison(ptrt_core *core, Operands *o) {
    return ptrt_cmp(core, 5, PTRT_TCMP, &o->f, &o->g, &o->x, 99);
}

static int no_round_mode(ptrt_core *core, Operands *o) {
    return ptrt_cvt(core, 5, PTRT_TCVT, &o->f, &o->i, 99, 0, 0);
}

static int no_saturation(ptrt_core *core, Operands *o) {
    return ptrt_cvt(core, 5, PTRT_TCVT, &o->f, &o->i, 0, 99, 0);
}

static int no_profile(ptrt_core *core, Operands *o) {
    return ptrt_cvt(core, 5, PTRT_TCVT, &o->f, &o->i, 0, 0, 99);
}

static int expanded_columns(ptrt_core *core, Operands *o) {
    o->g.vcol = 3;
    return ptrt_rowexpand(core, 5, PTRT_TROWEXPANDMUL, &o->f, &o->g, &o->f);
}

static int pad_value(ptrt_core *core, Operands *o) {
    return ptrt_fillpad(core, 5, PTRT_TFILLPAD, &o->f, &o->g, 99);
}

static int gather_pattern(ptrt_core *core, Operands *o) {
    return ptrt_gathermask(core, 5, PTRT_TGATHER_ROWS, &o->f, &o->g, 99, 0);
}

static int scatter_pattern(ptrt_core *core, Operands *o) {
    return ptrt_scattermask(core, 5, PTRT_TSCATTER_ROWS, &o->f, &o->g, 99, 0);
}

static int gather_index(ptrt_core *core, Operands *o) {
    return ptrt_gather(core, 5, PTRT_TGATHER, &o->f, &o->i, &o->g);
}

static int gather_offset(ptrt_core *core, Operands *o) {
    return ptrt_gatherb(core, 5, PTRT_TGATHERB, &o->f, &o->u, &o->g);
}

static int scatter_index(ptrt_core *core, Operands *o) {
    return ptrt_scatter(core, 5, PTRT_TSCATTER, &o->f, &o->i, &o->g);
}

static int gather_comparison(ptrt_core *core, Operands *o) {
    return ptrt_gathercmp_f(core, 5, PTRT_TGATHER_CMP, &o->f, 0, &o->i, &o->one, 99, 0, 0);
}

static int gather_counts(ptrt_core *core, Operands *o) {
    int code = tile(core, PTRT_F32, 32768, 9, 8, &o->out);
    return code != 0 ? code
                     : ptrt_gathercmp_f(core, 5, PTRT_TGATHER_CMP, &o->out, 0, &o->i, &o->one,
                                        PTRT_CMP_GT, 0, 0);
}

static int random_rounds(ptrt_core *core, Operands *o) {
    return ptrt_random(core, 5, PTRT_TRANDOM, 1, 2, 3, 4, 5, 6, &o->u, 5);
}

static int histogram_byte(ptrt_core *core, Operands *o) {
    int code = tile(core, PTRT_U8, 32768, 8, 32, &o->out);
    return code != 0 ? code : ptrt_histogram(core, 5, PTRT_THISTOGRAM, &o->s, &o->out, &o->u, 9, 0);
}

static int hf32_mode(ptrt_core *core, Operands *o) {
    (void)o;
    return ptrt_set_hf32(core, 5, 9);
}

static int table_type(ptrt_core *core, Operands *o) {
    return ptrt_mgather(core, 5, PTRT_MGATHER, &o->mem, &o->i, &o->h, 0, 0, 0);
}

static int table_of_nothing(ptrt_core *core, Operands *o) {
    return ptrt_mgather(core, 5, PTRT_MGATHER, &o->none, &o->i, &o->f, 0, 0, 0);
}

static int table_foreign(ptrt_core *core, Operands *o) {
    return ptrt_mgather(core, 5, PTRT_MGATHER, &o->foreign, &o->i, &o->f, 0, 0, 0);
}

static int table_narrow(ptrt_core *core, Operands *o) {
    o->mem = view(region, PTRT_F32, 8, 4);
    return ptrt_mgather(core, 5, PTRT_MGATHER, &o->mem, &o->i, &o->f, 0, 0, 0);
}

static int table_index(ptrt_core *core, Operands *o) {
    return ptrt_mgather(core, 5, PTRT_MGATHER, &o->mem, &o->i, &o->f, 0, 0, 0);
}

static int gather_mode(ptrt_core *core, Operands *o) {
    return ptrt_mgather(core, 5, PTRT_MGATHER, &o->mem, &o->i, &o->f, 0, 9, 0);
}

static int gather_view_mode(ptrt_core *core, Operands *o) {
    return ptrt_mgather_view(core, 5, PTRT_MGATHER_MAT, &o->mem, &o->index, &o->f, 0, 9, 0);
}

static int gather_view_type(ptrt_core *core, Operands *o) {
    o->index = view(region, PTRT_I16, 8, 8);
    return ptrt_mgather_view(core, 5, PTRT_MGATHER_MAT, &o->mem, &o->index, &o->f, 0, 0, 0);
}

static int gather_view_small(ptrt_core *core, Operands *o) {
    o->index = view(region, PTRT_I32, 7, 8);
    return ptrt_mgather_view(core, 5, PTRT_MGATHER_MAT, &o->mem, &o->index, &o->f, 1, 0, 0);
}

static int gather_view_foreign(ptrt_core *core, Operands *o) {
    o->index = view(elsewhere, PTRT_I32, 8, 8);
    return ptrt_mgather_view(core, 5, PTRT_MGATHER_MAT, &o->mem, &o->index, &o->f, 0, 0, 0);
}

static int scatter_mode(ptrt_core *core, Operands *o) {
    return ptrt_mscatter(core, 5, PTRT_MSCATTER, &o->f, &o->i, &o->mem, 0, 9, 0, 0);
}

static int print_text(ptrt_core *core, Operands *o) {
    (void)o;
    return ptrt_print_i(core, 5, "%d%d", 1, 32);
}

static int print_format(ptrt_core *core, Operands *o) {
    return ptrt_print_tile(core, 5, &o->f, 9);
}

static int print_nothing(ptrt_core *core, Operands *o) {
    return ptrt_print_view(core, 5, &o->none, 0);
}

static int print_much(ptrt_core *core, Operands *o) {
    o->mem = view(region, PTRT_F32, 1 << 13, 1 << 13);
    return ptrt_print_view(core, 5, &o->mem, 0);
}

static int flag_pipe(ptrt_core *core, Operands *o) {
    (void)o;
    return ptrt_set_flag(core, 5, -1, 0, 0);
}

static int flag_event(ptrt_core *core, Operands *o) {
    (void)o;
    return ptrt_wait_flag(core, 5, 0, 1, 99);
}

static int token_range(ptrt_core *core, Operands *o) {
    (void)o;
    return ptrt_get_buf(core, 5, 0, 99);
}

static int token_not_held(ptrt_core *core, Operands *o) {
    (void)o;
    return ptrt_rls_buf(core, 5, 0, 1);
}

static int signal_range(ptrt_core *core, Operands *o) {
    (void)o;
    return ptrt_set_intra_block(core, 5, 99);
}

static int sync_mode(ptrt_core *core, Operands *o) {
    (void)o;
    return ptrt_sync_set(core, 5, 0, 9);
}

static int syncall_type(ptrt_core *core, Operands *o) {
    (void)o;
    return ptrt_syncall(core, 5, 9);
}

static int syncall_not_live(ptrt_core *core, Operands *o) {
    (void)o;
    return ptrt_syncall(core, 5, 0);
}

static int syncall_nobody(ptrt_core *core, Operands *o) {
    (void)o;
    return ptrt_syncall_soft(core, 5, 0, region, -1);
}

static int sync_ahead(ptrt_core *core, Operands *o) {
    (void)o;
    int code = 0;
    for (int n = 0; n < 4096 && code == 0; n++)
        code = ptrt_sync_set(core, 5, 0, 0);
    return code;
}

static int wait_not_live(ptrt_core *core, Operands *o) {
    return ptrt_comm_wait(core, 5, &o->signal, 1, 0);
}

static int signal_type(ptrt_core *core, Operands *o) {
    o->signal = view(region, PTRT_I16, 1, 1);
    return ptrt_comm_notify(core, 5, &o->signal, 1, 0);
}

static int signal_empty(ptrt_core *core, Operands *o) {
    o->signal = view(region, PTRT_I32, 1, 0);
    return ptrt_comm_notify(core, 5, &o->signal, 1, 0);
}

static int signal_misaligned(ptrt_core *core, Operands *o) {
    o->signal = view(region + 2, PTRT_I32, 1, 1);
    return ptrt_comm_notify(core, 5, &o->signal, 1, 0);
}

static int put_nowhere(ptrt_core *core, Operands *o) {
    return ptrt_comm_put(core, 5, &o->none, &o->mem, 0);
}

static int put_other_size(ptrt_core *core, Operands *o) {
    o->view = view(region, PTRT_F16, 8, 8);
    return ptrt_comm_put(core, 5, &o->mem, &o->view, 0);
}

static int reduce_root(ptrt_core *core, Operands *o) {
    const ptrt_view *group[] = {&o->mem};
    return ptrt_comm_reduce(core, 5, &o->mem, 1, group, 5, 0);
}

static int reduce_type(ptrt_core *core, Operands *o) {
    o->view = view(region, PTRT_F8E4M3, 8, 8);
    const ptrt_view *group[] = {&o->view};
    return ptrt_comm_reduce(core, 5, &o->view, 1, group, 0, 0);
}

static int fifo_direction(ptrt_core *core, Operands *o) {
    const ptrt_fifo_desc d = {.id = 3, .slot_num = 1, .slot_size = 32};
    return ptrt_fifo_open(core, 5, &d, &o->fifo);
}

static int fifo_wrong_end(ptrt_core *core, Operands *o) {
    const ptrt_fifo_desc d = {.id = 3, .dir = PTRT_V2C, .slot_num = 1, .slot_size = 32};
    int code = ptrt_fifo_open(core, 5, &d, &o->fifo);
    return code != 0 ? code : ptrt_fifo_pop(core, 5, o->fifo, &o->at);
}

static int push_without_slot(ptrt_core *core, Operands *o) {
    const ptrt_fifo_desc d = {.id = 3, .dir = PTRT_V2C, .slot_num = 2, .slot_size = 32};
    int code = ptrt_fifo_open(core, 5, &d, &o->fifo);
    for (int n = 0; n < 3 && code == 0; n++)
        code = ptrt_fifo_push(core, 5, o->fifo);
    return code;
}

static int pipe_foreign(ptrt_core *core, Operands *o) {
    static const ptrt_pipe_desc d = {.id = 3, .dirs = PTRT_V2C, .slot_num = 2, .slot_size = 32};
    return ptrt_pipe_open(core, 5, &d, elsewhere, NULL, 0, 0, &o->pipe);
}

static int pipe_negative_entry(ptrt_core *core, Operands *o) {
    static const ptrt_pipe_desc d = {.id = 3, .dirs = PTRT_V2C, .slot_num = 2, .slot_size = 32};
    int code = ptrt_pipe_open(core, 5, &d, NULL, NULL, 0, 0, &o->pipe);
    return code != 0 ? code : ptrt_pipe_slot(core, 5, &o->pipe, PTRT_F32, -1, 8, &o->out);
}

static int pipe_without_views(ptrt_core *core, Operands *o) {
    static const ptrt_pipe_desc d = {.id = 3, .dirs = PTRT_V2C, .slot_num = 2, .slot_size = 32};
    int code = ptrt_pipe_open(core, 5, &d, NULL, NULL, 0, 0, &o->pipe);
    return code != 0 ? code : ptrt_pipe_alloc_view(core, 5, &o->pipe, 0, &o->view);
}

static int zz_odd(ptrt_core *core, Operands *o) {
    int code = tile(core, PTRT_F8E8M0, 32768, 16, 32, &o->f);
    if (code == 0) code = tile(core, PTRT_F8E8M0, 36864, 16, 32, &o->out);
    o->out.vcol = 31;
    o->out.key = 0;
    o->out.n = 0;
    return code != 0 ? code : ptrt_move_zz(core, 5, PTRT_TMOV_ZZ, &o->f, NULL, &o->out, 1);
}

static int zz_counts(ptrt_core *core, Operands *o) {
    int code = tile(core, PTRT_F8E8M0, 32768, 16, 32, &o->f);
    if (code == 0) code = tile(core, PTRT_F8E8M0, 36864, 8, 32, &o->out);
    return code != 0 ? code : ptrt_move_zz(core, 5, PTRT_TMOV_ZZ, &o->f, NULL, &o->out, 1);
}

static int zz_room(ptrt_core *core, Operands *o) {
    int code = tile(core, PTRT_F8E8M0, 32768, 8, 32, &o->f);
    if (code == 0) code = tile(core, PTRT_F8E8M0, 36864, 8, 32, &o->out);
    return code != 0 ? code : ptrt_move_zz(core, 5, PTRT_TMOV_ZZ, &o->f, NULL, &o->out, 1);
}

static int mx_groups(ptrt_core *core, Operands *o) {
    int code = tile(core, PTRT_I8, 32768, 8, 32, &o->out);
    if (code == 0) code = tile(core, PTRT_U8, 36864, 8, 32, &o->x);
    return code != 0 ? code
                     : ptrt_quant_mx(core, 5, PTRT_TQUANT_MX, &o->f, &o->out, &o->x, &o->g, &o->g,
                                     NULL, 0, 1, 0, -1);
}

static int mx_form(ptrt_core *core, Operands *o) {
    int code = tile(core, PTRT_I8, 32768, 8, 32, &o->out);
    if (code == 0) code = tile(core, PTRT_U8, 36864, 8, 32, &o->x);
    return code != 0 ? code
                     : ptrt_quant_mx(core, 5, PTRT_TQUANT_MX, &o->f, &o->out, &o->x, &o->g, &o->g,
                                     NULL, 9, 0, 0, -1);
}

enum { CHECKED = 1, TWO_BLOCKS = 2, LIVE = 4 };

static const struct Row {
    const char *name;
    int (*call)(ptrt_core *, Operands *);
    int code, how;
    const char *says;
} rows[] = {
    {"valid_beyond_shape", valid_beyond_shape, PTRT_E_VALID, 0,
     "valid region 9x8 of dst exceeds its shape 8x8"},
    {"no_such_kernel", no_such_kernel, PTRT_E_ARG, 0, "the runtime has no kernel 60000"},
    {"bind_illegal_type", bind_illegal_type, PTRT_E_TYPE, 0, "illegal tile type"},
    {"recast_illegal_type", recast_illegal_type, PTRT_E_TYPE, 0, "illegal tile type"},
    {"recast_misaligned", recast_misaligned, PTRT_E_ALIGN, 0,
     "tile address 8193 does not fit the element type"},
    {"argument_missing", argument_missing, PTRT_E_TYPE, 0, "a tile argument is missing"},
    {"argument_misfit", argument_misfit, PTRT_E_TYPE, 0,
     ") does not fit its parameter (8x16, element type"},
    {"subview_inside_box", subview_inside_box, PTRT_E_ARG, 0,
     "pto.subview: (0, 1) is not at the start of an inner box"},
    {"window_leaves_source", window_leaves_source, PTRT_E_BOUNDS, 0,
     "pto.tsubview: 8x8 valid elements at (1, 0) leave the 8x8 source"},
    {"subview_leaves_source", subview_leaves_source, PTRT_E_BOUNDS, 0,
     "pto.subview: 8x5 valid elements at (0, 4) leave the 8x8 source"},
    {"copy_of_other_size", copy_of_other_size, PTRT_E_BOUNDS, 0,
     "a tile of 256 bytes is no copy of 32 bytes"},
    {"slot_beyond", slot_beyond, PTRT_E_BOUNDS, CHECKED, "pto.multi_tile_get: slot 4 of 4"},
    {"slot_negative", slot_negative, PTRT_E_BOUNDS, CHECKED, "pto.multi_tile_get: slot -1 of 4"},
    {"array_index", array_index, PTRT_E_BOUNDS, 0, "array_get: index 3 of 3"},
    {"array_index_negative", array_index_negative, PTRT_E_BOUNDS, 0, "array_get: index -1 of 2"},
    {"element_beyond", element_beyond, PTRT_E_BOUNDS, 0, "pto.tgetval: element 64 of a tile of 64"},
    {"element_negative", element_negative, PTRT_E_BOUNDS, 0,
     "pto.tgetval: element -1 of a tile of 64"},
    {"address_of_foreign_tile", address_of_foreign_tile, PTRT_E_ARG, 0,
     "pto.tile_buf_addr: the tile was passed by the caller, and has no address in on-chip memory"},
    {"space_beyond", space_beyond, PTRT_E_BOUNDS, 0,
     "on-chip address 65536, element 0: out of range"},
    {"space_negative", space_negative, PTRT_E_BOUNDS, 0,
     "on-chip address 0, element -1: out of range"},
    {"no_such_space", no_such_space, PTRT_E_BOUNDS, 0,
     "on-chip address 0, element 0: out of range"},
    {"view_rank", view_rank, PTRT_E_ARG, 0,
     "pto.make_tensor_view: illegal rank, element or layout"},
    {"view_elem", view_elem, PTRT_E_ARG, 0,
     "pto.make_tensor_view: illegal rank, element or layout"},
    {"part_leaves", part_leaves, PTRT_E_BOUNDS, CHECKED,
     "pto.partition_view: offset 1 + size 8 leaves dimension 0 (8)"},
    {"part_over_gap", part_over_gap, PTRT_E_BOUNDS, CHECKED,
     "pto.partition_view: offset 3 + size 2 leaves dimension 1 (4)"},
    {"part_beyond_rows", part_beyond_rows, PTRT_E_BOUNDS, CHECKED,
     "pto.partition_view: offset 7 + size 2 leaves dimension 1 (8)"},
    {"part_negative", part_negative, PTRT_E_BOUNDS, CHECKED,
     "pto.partition_view: offset 0 + size -1 leaves dimension 1 (8)"},
    {"part_of_nothing", part_of_nothing, PTRT_E_BOUNDS, 0,
     "pto.partition_view: the view has no memory"},
    {"load_of_nothing", load_of_nothing, PTRT_E_BOUNDS, 0, "pto.tload: the view has no memory"},
    {"load_other_size", load_other_size, PTRT_E_TYPE, 0,
     "pto.tload: element sizes of view and tile differ"},
    {"no_comparison", no_comparison, PTRT_E_ARG, 0, "pto.tcmp: no comparison 99"},
    {"no_round_mode", no_round_mode, PTRT_E_ARG, 0, "pto.tcvt: no round mode 99"},
    {"no_saturation", no_saturation, PTRT_E_ARG, 0, "pto.tcvt: no saturation mode 99"},
    {"no_profile", no_profile, PTRT_E_ARG, 0, "pto.tcvt: no profile 99"},
    {"expanded_columns", expanded_columns, PTRT_E_VALID, 0,
     "the expanded operand has 3 valid columns, not 1 or 8"},
    {"pad_value", pad_value, PTRT_E_ARG, 0, "illegal pad value 99"},
    {"gather_pattern", gather_pattern, PTRT_E_ARG, 0, "pto.tgather: no such pattern"},
    {"scatter_pattern", scatter_pattern, PTRT_E_ARG, 0, "pto.tscatter: no such pattern"},
    {"gather_index", gather_index, PTRT_E_BOUNDS, CHECKED,
     "pto.tgather: index 2779096485, but src has 64 elements"},
    {"gather_offset", gather_offset, PTRT_E_BOUNDS, CHECKED,
     "pto.tgatherb: 32 bytes at offset 2779096485, but src has 256 bytes"},
    {"scatter_index", scatter_index, PTRT_E_BOUNDS, CHECKED,
     "pto.tscatter: index 2779096485, but dst has 64 elements"},
    {"gather_comparison", gather_comparison, PTRT_E_ARG, 0, "pto.tgather: no comparison 99"},
    {"gather_counts", gather_counts, PTRT_E_VALID, 0,
     "pto.tgather: cdst has 8 elements for 9 rows of src"},
    {"random_rounds", random_rounds, PTRT_E_ARG, 0, "5 rounds, not 7 or 10"},
    {"histogram_byte", histogram_byte, PTRT_E_ARG, 0,
     "pto.thistogram: elements of src have no byte 9"},
    {"hf32_mode", hf32_mode, PTRT_E_ARG, 0, "pto.tsethf32mode: there is no mode 9"},
    {"table_type", table_type, PTRT_E_TYPE, 0,
     "pto.mgather: element types of table and tile differ"},
    {"table_of_nothing", table_of_nothing, PTRT_E_BOUNDS, 0,
     "pto.mgather: the table has no memory"},
    {"table_foreign", table_foreign, PTRT_E_BOUNDS, CHECKED,
     "pto.mgather: the table reaches outside every buffer"},
    {"table_narrow", table_narrow, PTRT_E_BOUNDS, 0,
     "pto.mgather: rows of 8 valid elements, but those of the table have 4"},
    {"table_index", table_index, PTRT_E_BOUNDS, 0,
     "pto.mgather: index 2779096485, but the table has 8 rows"},
    {"gather_mode", gather_mode, PTRT_E_ARG, 0, "pto.mgather: no mode 9"},
    {"gather_view_mode", gather_view_mode, PTRT_E_ARG, 0, "pto.mgather: no mode 9"},
    {"gather_view_type", gather_view_type, PTRT_E_TYPE, 0,
     "pto.mgather: indices of 32 bits are needed"},
    {"gather_view_small", gather_view_small, PTRT_E_BOUNDS, 0,
     "pto.mgather: 8x8 indices are needed"},
    {"gather_view_foreign", gather_view_foreign, PTRT_E_BOUNDS, CHECKED,
     "pto.mgather: the indices reach outside every buffer"},
    {"scatter_mode", scatter_mode, PTRT_E_ARG, 0, "pto.mscatter: no mode 9 or 0"},
    {"print_text", print_text, PTRT_E_ARG, 0, "pto.print: '%d%d' does not print one number"},
    {"print_format", print_format, PTRT_E_ARG, 0, "pto.tprint: there is no format 9"},
    {"print_nothing", print_nothing, PTRT_E_BOUNDS, 0, "pto.tprint: the view has no memory"},
    {"print_much", print_much, PTRT_E_ARG, 0, "pto.tprint: more than 16777216 elements"},
    {"flag_pipe", flag_pipe, PTRT_E_ARG, CHECKED,
     "pto.set_flag: pipe -1, pipe 0, event 0 is out of range"},
    {"flag_event", flag_event, PTRT_E_ARG, CHECKED,
     "pto.wait_flag: pipe 0, pipe 1, event 99 is out of range"},
    {"token_range", token_range, PTRT_E_ARG, CHECKED,
     "pto.get_buf: pipe 0, token 99 is out of range"},
    {"token_not_held", token_not_held, PTRT_E_SYNC, CHECKED,
     "pto.rls_buf: PIPE_S does not have token 1"},
    {"signal_range", signal_range, PTRT_E_ARG, 0, "signal 99 is out of range 0.."},
    {"sync_mode", sync_mode, PTRT_E_ARG, 0, "pto.sync.set: there is no mode 9"},
    {"syncall_type", syncall_type, PTRT_E_ARG, 0,
     "pto.syncall: core type 9 does not fit this core"},
    {"syncall_not_live", syncall_not_live, PTRT_E_ARG, TWO_BLOCKS,
     "pto.syncall: the kernel was not launched with all blocks live"},
    {"syncall_nobody", syncall_nobody, PTRT_E_ARG, 0, "pto.syncall: -1 cores cannot meet at"},
    {"sync_ahead", sync_ahead, PTRT_E_SYNC, LIVE,
     "signals of event 0 that other blocks have not sent yet"},
    {"wait_not_live", wait_not_live, PTRT_E_ARG, TWO_BLOCKS,
     "pto.comm.twait: the kernel was not launched with all blocks live"},
    {"signal_type", signal_type, PTRT_E_TYPE, 0,
     "pto.comm.tnotify: the elements of signal are not 32-bit"},
    {"signal_empty", signal_empty, PTRT_E_BOUNDS, 0, "pto.comm.tnotify: signal is empty"},
    {"signal_misaligned", signal_misaligned, PTRT_E_ALIGN, 0,
     "pto.comm.tnotify: signal is not aligned"},
    {"put_nowhere", put_nowhere, PTRT_E_BOUNDS, 0, "pto.comm.tput: dst has no memory"},
    {"put_other_size", put_other_size, PTRT_E_TYPE, 0, "pto.comm.tput: the element sizes of"},
    {"reduce_root", reduce_root, PTRT_E_ARG, 0,
     "pto.comm.treduce: root 5 of 1 members, operation 0"},
    {"reduce_type", reduce_type, PTRT_E_TYPE, 0,
     "pto.comm.treduce: elements of this type cannot be reduced"},
    {"fifo_direction", fifo_direction, PTRT_E_ARG, 0, "pipe 3: illegal direction, split or slots"},
    {"fifo_wrong_end", fifo_wrong_end, PTRT_E_ARG, 0,
     "pto.tpop: pipe 3 has its other end in this core"},
    {"push_without_slot", push_without_slot, PTRT_E_BOUNDS, 0,
     "pto.tpush: pipe 3 has no free slot"},
    {"pipe_foreign", pipe_foreign, PTRT_E_BOUNDS, CHECKED,
     "pipe 3: its slots reach outside every buffer"},
    {"pipe_negative_entry", pipe_negative_entry, PTRT_E_BOUNDS, 0,
     "pto.tpush: an entry of -1x8 elements of 4 bytes is larger than a slot of pipe 3 (32 bytes)"},
    {"pipe_without_views", pipe_without_views, PTRT_E_ARG, 0,
     "pto.talloc: pipe 3 has no slots for views"},
    {"zz_odd", zz_odd, PTRT_E_VALID, 0, "pto.tmov: an odd number of columns: 31"},
    {"zz_counts", zz_counts, PTRT_E_VALID, 0, "pto.tmov: src has 16x32 valid elements, dst 8x32"},
    {"zz_room", zz_room, PTRT_E_BOUNDS, 0, "pto.tmov: dst has no room for 512 elements"},
    {"mx_groups", mx_groups, PTRT_E_VALID, 0,
     "pto.tquant.mx: the valid region 8x8 of src does not fit the groups"},
    {"mx_form", mx_form, PTRT_E_ARG, 0,
     "pto.tquant.mx: no such form: quantScaleAlg 9, grpAxis 0, interleave 0, storeMode -1"},
};
enum { ROWS = sizeof rows / sizeof *rows };

/* ---- running ---- */

enum { FILLED = 0xA5, NEVER = 3 };
static atomic_uint changed;

/* The first core of the first block makes the call, every other one waits for what never comes. */
static int entry(ptrt_core *core, void *args) {
    const struct Row *row = args;
    Operands o;
    void *memory = NULL;
    if (ptrt_subblock_idx(core) > 0 || (ptrt_block_idx(core) > 0 && (row->how & LIVE) != 0))
        return ptrt_wait_intra_block(core, 9, NEVER);
    int code = prepare(core, &o);
    if (code == 0) code = ptrt_space_at(core, 1, PTRT_VEC, 0, 0, 1, &memory);
    if (code != 0) return code;
    memset(memory, FILLED, SPACE_BYTES);
    code = row->call(core, &o);
    for (int i = 0; i < SPACE_BYTES; i++)
        changed += ((const unsigned char *)memory)[i] != FILLED;
    return code;
}

/* ---- what a transport answers ---- */

static int answer;

static int answer_notify(void *self, int32_t *signal, int op, int32_t value) {
    (void)self, (void)signal, (void)op, (void)value;
    return answer;
}

static int answer_rest(void *self) {
    (void)self;
    return answer;
}

static int notifies(ptrt_core *core, void *args) {
    const ptrt_view signal = view(region, PTRT_I32, 1, 1);
    (void)args;
    return ptrt_comm_notify(core, 5, &signal, 1, 0);
}

static int waits(ptrt_core *core, void *args) {
    (void)args;
    return ptrt_wait_intra_block(core, 5, NEVER);
}

static int as_rank(int rank, void *arg) {
    ptrt_kernel kernel = {
        .name = "test", .file = "test.pto", .subblocks = 1, .flags = PTRT_K_WAITS};
    (void)rank;
    kernel.vector = *(ptrt_entry *)arg;
    return ptrt_launch(&kernel, 1, NULL);
}

static void expect_answer(ptrt_entry does, int code, const char *says) {
    ptrt_transport transport = *ptrt_memory_transport();
    transport.notify = answer_notify;
    transport.rest = answer_rest;
    answer = code;
    assert_int_equal(ptrt_run_rank(&transport, NULL, 0, 2, as_rank, &does), code);
    if (strstr(ptrt_error(), says) == NULL) fail_msg("%s, expected %s", ptrt_error(), says);
}

static void transports_fail(void **state) {
    (void)state;
    expect_answer(notifies, PTRT_E_STOPPED, "pto.comm.tnotify: another rank has failed");
    expect_answer(notifies, PTRT_E_ARG, "pto.comm.tnotify: the transport failed");
    expect_answer(waits, PTRT_E_STOPPED, "another rank has failed; waiting were:");
}

static void all_are_refused(void **state) {
    unsigned wrong = 0;
    (void)state;
    assert_int_equal(ptrt_region_add(region, sizeof region), 0);
    for (int i = 0; i < ROWS; i++) {
        const struct Row *row = &rows[i];
        ptrt_kernel kernel = {.name = "test",
                              .file = "test.pto",
                              .vector = entry,
                              .subblocks = 2,
                              .flags = PTRT_K_WAITS};
        if ((row->how & CHECKED) != 0) kernel.flags |= PTRT_K_CHECKED;
        if ((row->how & LIVE) != 0) kernel.flags |= PTRT_K_GRID_SYNC;
        kernel.bytes[PTRT_VEC] = kernel.bytes[PTRT_MAT] = SPACE_BYTES;
        changed = 0;
        const int code = ptrt_launch(&kernel, (row->how & (TWO_BLOCKS | LIVE)) != 0 ? 2 : 1,
                                     (void *)(uintptr_t)row);
        if (code == row->code && strstr(ptrt_error(), row->says) != NULL &&
            strstr(ptrt_error(), "test.pto:5: ") != NULL && changed == 0)
            continue;
        printf("# %s: code %d, expected %d; %u bytes changed; %s\n", row->name, code, row->code,
               (unsigned)changed, code != 0 ? ptrt_error() : "success");
        wrong++;
    }
    ptrt_region_clear();
    assert_int_equal(wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_are_refused),
                                       cmocka_unit_test(transports_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
