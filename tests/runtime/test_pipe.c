/* SPDX-License-Identifier: Apache-2.0 */
/* test_pipe.c - tiles and views through pipes: every direction, split, place of the slots, element
 * size and layout against the table of the instruction page; what is wrong ends with its line. */
#include "codec.h"
#include "core/core.h"
#include "layout.h"
#include "on_core.h"

#include <stdio.h>

enum { MEMORY = 1 << 17, BUFFER = 4096, EDGE = 48 };

/* ---- traffic that is checked element by element ---- */

typedef struct Traffic {
    ptrt_pipe_desc desc;
    bool global;        /* slots in global memory, else on the chip */
    int64_t rows, cols; /* of a whole entry */
    uint8_t elem;
    int cube_layout, vector_layout; /* index into layouts[] */
    int entries;
    bool halfway; /* aiv_subblockid is given */
    unsigned char *slots;
    int64_t taken[3];
    int wrong;
    int ahead, most_ahead;
} Traffic;

static const struct {
    uint8_t blayout, slayout;
    uint16_t fractal;
} layouts[] = {{PTRT_ROW_MAJOR, PTRT_NONE_BOX, 512},
               {PTRT_COL_MAJOR, PTRT_NONE_BOX, 512},
               {PTRT_COL_MAJOR, PTRT_BOX_ROW_MAJOR, 512},
               {PTRT_ROW_MAJOR, PTRT_BOX_COL_MAJOR, 512},
               {PTRT_COL_MAJOR, PTRT_BOX_ROW_MAJOR, 1024}};
enum { PIPE_LAYOUTS = sizeof layouts / sizeof layouts[0] };

static ptrt_tile_type type_of(const Traffic *t, int space, int layout, int64_t rows, int64_t cols) {
    return (ptrt_tile_type){.elem = t->elem,
                            .space = (uint8_t)space,
                            .blayout = layouts[layout].blayout,
                            .slayout = layouts[layout].slayout,
                            .fractal = layouts[layout].fractal,
                            .rows = rows,
                            .cols = cols};
}

/* What the element (i, j) of entry e is. */
static uint64_t element(const Traffic *t, int e, int64_t i, int64_t j) {
    uint64_t x = (uint64_t)(e * 7919 + i * 131 + j) * 0x9E3779B97F4A7C15u;
    uint32_t bits = 8 * elem_bytes(t->elem);
    return x >> (64 - bits);
}

/* The part of vector core s by the table: extents and first element. */
typedef struct Part {
    int64_t row, col, rows, cols;
} Part;

static Part part(const Traffic *t, int split, int s) {
    switch (split) {
    case 1:
        return (Part){s * (t->rows / 2), 0, t->rows / 2, t->cols};
    case 2:
        return (Part){0, s * (t->cols / 2), t->rows, t->cols / 2};
    case 3:
        return (Part){s * ((t->rows + 1) / 2), 0, (t->rows + 1 - s) / 2, t->cols};
    case 4:
        return (Part){0, s * ((t->cols + 1) / 2), t->rows, (t->cols + 1 - s) / 2};
    default:
        return (Part){0, 0, t->rows, t->cols};
    }
}

static void count_wrong(Traffic *t, const unsigned char *at, int e, int64_t i, int64_t j) {
    if (bits_load(at, elem_bytes(t->elem)) != element(t, e, i, j)) t->wrong++;
}

/* Elements of the part in a tile, written or compared. */
static void walk(Traffic *t, const ptrt_tile_type *type, const ptrt_tile *tile, int e, Part p,
                 bool put) {
    for (int64_t i = 0; i < p.rows; i++)
        for (int64_t j = 0; j < p.cols; j++) {
            int64_t at = layout_at(type, i, j) * elem_bytes(t->elem);
            unsigned char *x = tile->base + tile->addr + at;
            if (put)
                bits_store(x, elem_bytes(t->elem), element(t, e, p.row + i, p.col + j));
            else
                count_wrong(t, x, e, p.row + i, p.col + j);
        }
}

/* In global memory the whole entry lies in rows without gaps. */
static void look_at_slot(Traffic *t, int e, int way, Part p) {
    if (!t->global) return;
    bool second = way == PTRT_V2C && t->desc.dirs == 3;
    int64_t slot = e % t->desc.slot_num + (second ? t->desc.slot_num : 0);
    const unsigned char *at = t->slots + slot * t->desc.slot_size;
    for (int64_t i = 0; i < p.rows; i++)
        for (int64_t j = 0; j < p.cols; j++)
            count_wrong(t, at + ((p.row + i) * t->cols + p.col + j) * elem_bytes(t->elem), e,
                        p.row + i, p.col + j);
}

static int open_end(ptrt_core *core, Traffic *t, ptrt_pipe *pipe) {
    return ptrt_pipe_open(core, 5, &t->desc, t->global ? t->slots : NULL, NULL, BUFFER, 2 * BUFFER,
                          pipe);
}

static int send(ptrt_core *core, Traffic *t, const ptrt_pipe *pipe, int e) {
    bool cube = ptrt_core_is_cube(core);
    int s = (int)ptrt_subblock_idx(core), split = t->desc.split;
    Part p = cube ? part(t, 0, 0) : part(t, split, s);
    ptrt_tile_type type = cube ? type_of(t, PTRT_ACC, t->cube_layout, EDGE, EDGE)
                               : type_of(t, PTRT_VEC, t->vector_layout, EDGE, EDGE);
    ptrt_tile tile;
    int code = ptrt_tile_bind(core, &type, cube ? 0 : MEMORY / 2, p.rows, p.cols, 1, &tile);
    if (code != 0) return code;
    walk(t, &type, &tile, e, p, true);
    bool named = t->halfway && !cube && split != 0;
    code = ptrt_pipe_push(core, 6, pipe, &tile, split, named ? s : PTRT_ABSENT);
    if (code == 0 && s == 0 && ++t->ahead > t->most_ahead) t->most_ahead = t->ahead;
    return code;
}

static int receive(ptrt_core *core, Traffic *t, const ptrt_pipe *pipe, int e) {
    bool cube = ptrt_core_is_cube(core);
    int s = (int)ptrt_subblock_idx(core), split = t->desc.split, way = cube ? PTRT_V2C : PTRT_C2V;
    Part p = cube ? part(t, 0, 0) : part(t, split, s);
    int layout = cube ? t->cube_layout : t->vector_layout;
    int64_t rows = (p.rows + 15) / 16 * 16, cols = (p.cols + 31) / 32 * 32;
    ptrt_tile_type type =
        type_of(t, cube ? PTRT_MAT : PTRT_VEC, layout, rows > 0 ? rows : 16, cols > 0 ? cols : 32);
    ptrt_tile tile;
    bool named = t->halfway && !cube && split != 0;
    int code =
        ptrt_pipe_pop(core, 7, pipe, &type, p.rows, p.cols, split, named ? s : PTRT_ABSENT, &tile);
    if (code != 0) return code;
    if (s == 0) t->ahead--;
    int places = t->global && t->desc.local_num ? t->desc.local_num : t->desc.slot_num;
    int64_t buffer = way == PTRT_C2V ? BUFFER : 2 * BUFFER;
    if ((int64_t)tile.addr != buffer + e % places * t->desc.slot_size) t->wrong++;
    /* The others go on while the entry is in use. */
    code = ptrt_yield(core, 8);
    walk(t, &type, &tile, e, p, false);
    look_at_slot(t, e, way, p);
    t->taken[cube ? 0 : 1 + s]++;
    return code == 0 ? ptrt_pipe_free(core, 9, pipe) : code;
}

static int traffic_core(ptrt_core *core, void *args) {
    Traffic *t = args;
    ptrt_pipe pipe;
    bool cube = ptrt_core_is_cube(core);
    int code = open_end(core, t, &pipe);
    for (int e = 0; e < t->entries && code == 0; e++) {
        bool sends = (t->desc.dirs & (cube ? PTRT_C2V : PTRT_V2C)) != 0;
        bool receives = (t->desc.dirs & (cube ? PTRT_V2C : PTRT_C2V)) != 0;
        if (sends && cube) code = send(core, t, &pipe, e);
        if (receives && code == 0) code = receive(core, t, &pipe, e);
        if (sends && !cube && code == 0) code = send(core, t, &pipe, e);
    }
    return code;
}

static int run(int (*fn)(ptrt_core *, void *), int subblocks, void *args) {
    ptrt_kernel kernel = {.name = "p",
                          .file = "p.pto",
                          .cube = fn,
                          .vector = fn,
                          .subblocks = subblocks,
                          .flags = PTRT_K_WAITS};
    kernel.bytes[PTRT_VEC] = kernel.bytes[PTRT_MAT] = kernel.bytes[PTRT_ACC] = MEMORY;
    return ptrt_launch(&kernel, 1, args);
}

static void check_traffic(Traffic *t, int subblocks) {
    int code = run(traffic_core, subblocks, t);
    if (code != 0)
        fail_msg("dirs %d split %d, %dx%d: %s", (int)t->desc.dirs, (int)t->desc.split, (int)t->rows,
                 (int)t->cols, ptrt_error());
    if (t->wrong != 0)
        fail_msg("dirs %d split %d, %dx%d elem %d layouts %d %d %s: %d elements differ",
                 (int)t->desc.dirs, (int)t->desc.split, (int)t->rows, (int)t->cols, t->elem,
                 t->cube_layout, t->vector_layout, t->global ? "global" : "on chip", t->wrong);
    if ((t->desc.dirs & PTRT_V2C) != 0) assert_int_equal(t->taken[0], t->entries);
    for (int s = 0; s < subblocks && (t->desc.dirs & PTRT_C2V) != 0; s++)
        assert_int_equal(t->taken[1 + s], t->entries);
    if (t->desc.dirs != 3) assert_true(t->most_ahead <= t->desc.slot_num);
}

static Traffic traffic_of(int dirs, int split, bool global, int64_t rows, int64_t cols) {
    static unsigned char slots[1 << 18];
    return (Traffic){.desc = {.id = 4,
                              .dirs = dirs,
                              .split = split,
                              .slot_num = 3,
                              .local_num = global ? 2 : 0,
                              .slot_size = 48 * 64 * 8},
                     .global = global,
                     .rows = rows,
                     .cols = cols,
                     .elem = PTRT_F32,
                     .entries = 7,
                     .slots = slots};
}

/* Extents of each split's parity, whole boxes and parts of them. */
static const int64_t evens[] = {2, 16, 34, 48}, odds[] = {1, 15, 17, 33};

static void test_splits(void **state) {
    (void)state;
    for (int dirs = 1; dirs <= 3; dirs++)
        for (int split = 0; split <= 4; split++)
            for (int global = 0; global <= 1; global++)
                for (int i = 0; i < 4; i++)
                    for (int k = 0; k < 4; k++) {
                        bool by_rows = split == 1 || split == 3, odd = split >= 3;
                        /* The page has no odd splits from vector to cube. */
                        if (odd && dirs != PTRT_C2V) continue;
                        int64_t cut = (odd ? odds : evens)[i], other = (k % 2 ? odds : evens)[k];
                        Traffic t = traffic_of(dirs, split, global != 0, by_rows ? cut : other,
                                               by_rows ? other : cut);
                        t.halfway = k == 2;
                        check_traffic(&t, 2);
                    }
}

static void test_layouts(void **state) {
    (void)state;
    static const uint8_t elems[] = {PTRT_I8, PTRT_BF16, PTRT_F32, PTRT_I64};
    for (int dirs = 1; dirs <= 2; dirs++)
        for (int e = 0; e < 4; e++)
            for (int a = 0; a < PIPE_LAYOUTS; a++)
                for (int b = 0; b < PIPE_LAYOUTS; b++)
                    for (int split = 0; split <= 2; split += 2) {
                        /* A boxed shape is whole boxes: 48 columns are none of 32 bytes. */
                        if (elems[e] == PTRT_I8 && (layouts[a].slayout || layouts[b].slayout))
                            continue;
                        Traffic t = traffic_of(dirs, split, (a + b) % 2 != 0, 30, 22);
                        t.elem = elems[e];
                        t.cube_layout = a;
                        t.vector_layout = b;
                        check_traffic(&t, 2);
                    }
}

static void test_slot_counts(void **state) {
    (void)state;
    for (int slots = 1; slots <= 9; slots += 2)
        for (int local = 1; local <= slots; local += 3) {
            Traffic t = traffic_of(PTRT_C2V, slots % 3, slots % 2 == 0 || local > 1, 16, 32);
            t.desc.slot_num = slots;
            t.desc.local_num = local;
            t.desc.slot_size = 16 * 32 * 4;
            t.entries = 40;
            check_traffic(&t, 2);
            assert_int_equal(t.most_ahead, slots);
        }
    Traffic one = traffic_of(3, 0, false, 8, 8);
    one.entries = 50;
    check_traffic(&one, 1);
}

/* ---- entries as views ---- */

typedef struct Views {
    int dirs, split;
    float slots[2][4][16][16];
    int taken, wrong;
} Views;

static void fill_view(const ptrt_view *v, float first) {
    for (int64_t i = 0; i < v->shape[3]; i++)
        for (int64_t j = 0; j < v->shape[4]; j++)
            ptrt_store_f32(v->base, i * v->stride[3] + j * v->stride[4],
                           first + (float)(i * 100 + j));
}

static void check_view(Views *x, const ptrt_view *v, float first, int64_t row, int64_t col) {
    for (int64_t i = 0; i < v->shape[3]; i++)
        for (int64_t j = 0; j < v->shape[4]; j++)
            if (ptrt_load_f32(v->base, i * v->stride[3] + j * v->stride[4]) !=
                first + (float)((row + i) * 100 + col + j))
                x->wrong++;
    x->taken++;
}

static int view_core(ptrt_core *core, void *args) {
    static ptrt_pipe_desc desc[2];
    Views *x = args;
    bool cube = ptrt_core_is_cube(core);
    int s = (int)ptrt_subblock_idx(core);
    ptrt_pipe_desc *d = &desc[cube];
    *d = (ptrt_pipe_desc){
        .id = 1, .dirs = x->dirs, .split = x->split, .slot_num = 4, .slot_size = 16 * 16 * 4};
    int64_t half = 8;
    int64_t shape[] = {!cube && x->split == 1 ? half : 16, !cube && x->split == 2 ? half : 16};
    const int64_t stride[] = {16, 1};
    ptrt_view entry, v;
    int code = ptrt_view_make(core, 1, x->slots, PTRT_F32, 2, shape, stride, PTRT_VIEW_ND, &entry);
    ptrt_pipe pipe;
    if (code == 0) code = ptrt_pipe_open(core, 2, d, NULL, &entry, PTRT_ABSENT, PTRT_ABSENT, &pipe);
    int64_t row = x->split == 1 ? s * half : 0, col = x->split == 2 ? s * half : 0;
    bool sends = cube == (x->dirs == PTRT_C2V);
    for (int e = 0; e < 9 && code == 0; e++) {
        float first = (float)(e * 10000);
        if (sends) {
            code = ptrt_pipe_alloc_view(core, 3, &pipe, x->split, &v);
            /* Of whole entries those of vector core 1 go nowhere. */
            bool lost = !cube && s == 1 && x->split == 0;
            if (code == 0) fill_view(&v, cube ? first : first + (float)(row * 100 + col));
            if (code == 0 && lost) fill_view(&v, -1);
            if (code == 0) code = ptrt_pipe_push_view(core, 4, &pipe);
        } else {
            code = ptrt_pipe_pop_view(core, 5, &pipe, x->split, &v);
            if (code == 0) check_view(x, &v, first, cube ? 0 : row, cube ? 0 : col);
            if (code == 0) code = ptrt_pipe_free(core, 6, &pipe);
        }
    }
    return code;
}

static void test_views(void **state) {
    (void)state;
    for (int dirs = 1; dirs <= 2; dirs++)
        for (int split = 0; split <= 2; split++) {
            static Views x;
            memset(&x, 0, sizeof x);
            x.dirs = dirs;
            x.split = split;
            assert_int_equal(run(view_core, 2, &x), 0);
            assert_int_equal(x.wrong, 0);
            assert_int_equal(x.taken, dirs == PTRT_C2V ? 18 : 9);
        }
}

/* ---- a push that converts ---- */

static int convert(ptrt_core *core, void *args) {
    static const ptrt_pipe_desc desc = {
        .id = 2, .dirs = PTRT_C2V, .slot_num = 2, .slot_size = 8 * 16 * 2};
    static const ptrt_tile_type type = {
        .elem = PTRT_F16, .space = PTRT_VEC, .fractal = 512, .rows = 8, .cols = 16};
    int *wrong = args;
    ptrt_pipe pipe;
    ptrt_tile tile;
    int code = ptrt_pipe_open(core, 1, &desc, NULL, NULL, BUFFER, PTRT_ABSENT, &pipe);
    for (int e = 0; e < 5 && code == 0; e++) {
        if (ptrt_core_is_cube(core)) {
            code = ptrt_pipe_slot(core, 2, &pipe, PTRT_F16, 8, 16, &tile);
            for (int i = 0; i < 8 * 16 && code == 0; i++)
                ptrt_store_u16(tile.base + tile.addr, i, (uint16_t)(e * 1000 + i));
            if (code == 0) code = ptrt_pipe_push_slot(core, 3, &pipe, &tile);
        } else {
            code = ptrt_pipe_pop(core, 4, &pipe, &type, 8, 16, 0, PTRT_ABSENT, &tile);
            for (int i = 0; i < 8 * 16 && code == 0; i++)
                *wrong += ptrt_load_u16(tile.base + tile.addr, i) != (uint16_t)(e * 1000 + i);
            if (code == 0) code = ptrt_pipe_free(core, 5, &pipe);
        }
    }
    return code;
}

static void test_converting_push(void **state) {
    (void)state;
    int wrong = 0;
    assert_int_equal(run(convert, 2, &wrong), 0);
    assert_int_equal(wrong, 0);
}

/* ---- what does not fit ---- */

/* Extents and types of one push and one pop. */
typedef struct Odd {
    int64_t rows, cols; /* pushed */
    int64_t vrow, vcol; /* popped */
    uint8_t elem, popped;
    int64_t trow, tcol;     /* shape of the popped tile */
    int split, other_split; /* of the push, of the pop */
    int dirs, other_dirs;
    int64_t slot_size, buffer;
    bool global, no_pop, no_push, ends_disagree;
    int64_t sub;
    float got;
} Odd;

static int odd_core(ptrt_core *core, void *args) {
    static ptrt_pipe_desc desc[2];
    static unsigned char slots[65536];
    Odd *o = args;
    bool cube = ptrt_core_is_cube(core);
    ptrt_pipe_desc *d = &desc[cube];
    *d = (ptrt_pipe_desc){.id = 3,
                          .dirs = cube ? o->dirs : o->other_dirs,
                          .split = o->split,
                          .slot_num = o->ends_disagree && cube ? 3 : 2,
                          .slot_size = o->slot_size};
    ptrt_pipe pipe;
    ptrt_tile tile;
    int code =
        ptrt_pipe_open(core, 10, d, o->global ? slots : NULL, NULL, o->buffer, PTRT_ABSENT, &pipe);
    if (code != 0) return code;
    if (cube && !o->no_push) {
        ptrt_tile_type type = {
            .elem = o->elem, .space = PTRT_ACC, .fractal = 512, .rows = 32, .cols = 32};
        code = ptrt_tile_bind(core, &type, 0, o->rows, o->cols, 11, &tile);
        for (int i = 0; i < 32 * 32 && code == 0; i++)
            ptrt_store_f32(tile.base, i, (float)i);
        if (code == 0) code = ptrt_pipe_push(core, 12, &pipe, &tile, o->split, PTRT_ABSENT);
    } else if (!cube && !o->no_pop) {
        ptrt_tile_type type = {.elem = o->popped, .space = PTRT_VEC, .fractal = 512};
        type.rows = o->trow;
        type.cols = o->tcol;
        code =
            ptrt_pipe_pop(core, 13, &pipe, &type, o->vrow, o->vcol, o->other_split, o->sub, &tile);
        if (code == 0 && ptrt_subblock_idx(core) == 0)
            o->got = ptrt_load_f32(tile.base + tile.addr, tile.cols);
        if (code == 0) code = ptrt_pipe_free(core, 14, &pipe);
    }
    return code;
}

static Odd odd_of(void) {
    return (Odd){.rows = 16,
                 .cols = 16,
                 .vrow = 16,
                 .vcol = 16,
                 .elem = PTRT_F32,
                 .popped = PTRT_F32,
                 .trow = 16,
                 .tcol = 16,
                 .dirs = 1,
                 .other_dirs = 1,
                 .slot_size = 4096,
                 .buffer = 0,
                 .sub = PTRT_ABSENT};
}

static void expect(Odd *o, int subblocks, int code, const char *text) {
    for (int global = 0; global <= 1; global++) {
        o->global = global != 0;
        assert_int_equal(run(odd_core, subblocks, o), code);
        if (text) assert_string_equal(ptrt_error(), text);
    }
}

static void test_mismatches(void **state) {
    (void)state;
    Odd o = odd_of();
    expect(&o, 1, 0, NULL);
    assert_true(o.got == 32.0f);
    o.vrow = 8; /* the first rows of an entry */
    expect(&o, 1, 0, NULL);
    o.vrow = o.vcol = 0; /* only to take part in the handshake */
    expect(&o, 1, 0, NULL);
    o = odd_of();
    o.rows = 7; /* the valid region is open: the shape */
    o.cols = 10;
    o.vrow = o.vcol = PTRT_ABSENT;
    expect(&o, 1, 0, NULL);
    assert_true(o.got == 32.0f);
    o = odd_of();
    o.rows = 7;
    expect(&o, 1, PTRT_E_VALID,
           "p.pto:13: pto.tpop: 16x16 elements of 4 bytes are taken as an entry, but the push at "
           "line 12 put 7x16 of 4 bytes");
    o = odd_of();
    o.popped = PTRT_F16;
    expect(&o, 1, PTRT_E_VALID,
           "p.pto:13: pto.tpop: 16x16 elements of 2 bytes are taken as an entry, but the push at "
           "line 12 put 16x16 of 4 bytes");
    o.trow = o.vrow = 32; /* the same bytes */
    expect(&o, 1, 0, NULL);
    o = odd_of();
    o.split = o.other_split = 1;
    expect(&o, 2, PTRT_E_VALID,
           "p.pto:13: pto.tpop: 32x16 elements of 4 bytes are taken as an entry, but the push at "
           "line 12 put 16x16 of 4 bytes");
    o.trow = o.vrow = 8;
    expect(&o, 2, 0, NULL);
    o.rows = 15;
    expect(&o, 2, PTRT_E_VALID,
           "p.pto:12: pto.tpush: split = 1 wants an even number of rows, not 15");
    o = odd_of();
    o.split = 4;
    expect(&o, 2, PTRT_E_VALID,
           "p.pto:12: pto.tpush: split = 4 wants an odd number of columns, not 16");
}

static void test_bounds(void **state) {
    (void)state;
    Odd o = odd_of();
    o.slot_size = 1023;
    expect(&o, 1, PTRT_E_BOUNDS,
           "p.pto:12: pto.tpush: an entry of 16x16 elements of 4 bytes is larger than a slot of "
           "pipe 3 (1023 bytes)");
    o = odd_of();
    o.slot_size = 1024;
    o.trow = 32;
    o.vrow = 16;
    expect(&o, 1, PTRT_E_BOUNDS,
           "p.pto:13: pto.tpop: a tile of 2048 bytes is larger than a slot of pipe 3 (1024 bytes)");
    o = odd_of();
    o.buffer = MEMORY - 64;
    assert_int_equal(run(odd_core, 1, &o), PTRT_E_BOUNDS);
    assert_string_equal(ptrt_error(), "p.pto:10: pipe 3: 8192 bytes of slots at address 131008 "
                                      "leave vec (131072 bytes)");
    o.global = true;
    assert_int_equal(run(odd_core, 1, &o), PTRT_E_BOUNDS);
    o.buffer = PTRT_ABSENT;
    assert_int_equal(run(odd_core, 1, &o), PTRT_E_ARG);
    assert_string_equal(ptrt_error(), "p.pto:13: pto.tpop: pipe 3 has no buffer for a tile");
}

static void test_wrong_use(void **state) {
    (void)state;
    Odd o = odd_of();
    o.split = o.other_split = 1;
    expect(&o, 1, PTRT_E_ARG,
           "p.pto:10: pipe 3: entries are split between two vector cores, and the blocks of this "
           "launch have one");
    o = odd_of();
    o.other_split = 2;
    expect(&o, 2, PTRT_E_ARG, "p.pto:13: pto.tpop: split = 2, and the entries of pipe 3 are whole");
    o.other_split = 0;
    o.sub = 2;
    expect(&o, 2, PTRT_E_ARG, "p.pto:13: pto.tpop: split 0, sub-block 2 of pipe 3");
    o = odd_of();
    o.other_dirs = 2;
    assert_int_equal(run(odd_core, 1, &o), PTRT_E_BOUNDS); /* no buffer for that way */
    o.global = true;
    assert_int_equal(run(odd_core, 1, &o), PTRT_E_ARG);
    assert_string_equal(ptrt_error(), "p.pto:13: pto.tpop: pipe 3 does not go this way");
    o = odd_of();
    o.ends_disagree = true;
    expect(&o, 1, PTRT_E_ARG, "p.pto:10: pipe 3: its two ends disagree");
    o = odd_of();
    o.slot_size = 0;
    expect(&o, 1, PTRT_E_ARG, "p.pto:10: pipe 3: illegal direction or slots");
}

static void test_lost_peers(void **state) {
    (void)state;
    Odd o = odd_of();
    o.no_push = true;
    expect(&o, 1, PTRT_E_DEADLOCK,
           "p.pto:13: deadlock: every core that is left waits: block 0 vector core 0 at line 13 "
           "(pto.tpop: no entry); ended: block 0 cube core 0");
    o = odd_of();
    o.no_pop = true; /* two slots, one entry: it goes nowhere */
    expect(&o, 1, 0, NULL);
}

/* ---- peers that stop taking part ---- */

typedef struct Ends {
    int pushes, pops[2];
    int split;
    bool auto_free;
} Ends;

static int ends_early(ptrt_core *core, void *args) {
    static ptrt_pipe_desc desc;
    static const ptrt_tile_type type = {
        .elem = PTRT_F32, .space = PTRT_VEC, .fractal = 512, .rows = 8, .cols = 8};
    const Ends *e = args;
    desc = (ptrt_pipe_desc){.id = 6,
                            .dirs = PTRT_C2V,
                            .split = e->split,
                            .slot_num = 2,
                            .auto_free = e->auto_free ? PTRT_C2V : 0,
                            .slot_size = 256};
    ptrt_pipe pipe;
    ptrt_tile tile;
    int code = ptrt_pipe_open(core, 20, &desc, NULL, NULL, 0, PTRT_ABSENT, &pipe);
    if (ptrt_core_is_cube(core)) {
        ptrt_tile_type acc = type;
        acc.space = PTRT_ACC;
        if (code == 0) code = ptrt_tile_bind(core, &acc, 0, 8, 8, 21, &tile);
        for (int i = 0; i < e->pushes && code == 0; i++)
            code = ptrt_pipe_push(core, 22, &pipe, &tile, e->split, PTRT_ABSENT);
        return code;
    }
    for (int i = 0; i < e->pops[ptrt_subblock_idx(core)] && code == 0; i++) {
        code = ptrt_pipe_pop(core, 23, &pipe, &type, e->split ? 4 : 8, 8, e->split, PTRT_ABSENT,
                             &tile);
        if (code == 0 && !e->auto_free) code = ptrt_pipe_free(core, 24, &pipe);
    }
    return code;
}

static void test_ends_early(void **state) {
    (void)state;
    /* Whole entries: a vector core that has ended has no say any more. */
    Ends e = {.pushes = 20, .pops = {20, 3}};
    assert_int_equal(run(ends_early, 2, &e), 0);
    /* Nobody drains the pipe. */
    e = (Ends){.pushes = 20, .pops = {4, 3}};
    assert_int_equal(run(ends_early, 2, &e), PTRT_E_DEADLOCK);
    assert_string_equal(ptrt_error(),
                        "p.pto:22: deadlock: every core that is left waits: block 0 cube core 0 at "
                        "line 22 (pto.tpush: no free slot); ended: block 0 vector core 0 and 1 "
                        "more");
    /* Halves: both are needed. */
    e = (Ends){.pushes = 20, .pops = {20, 3}, .split = 1};
    assert_int_equal(run(ends_early, 2, &e), PTRT_E_DEADLOCK);
    assert_string_equal(ptrt_error(),
                        "p.pto:22: deadlock: every core that is left waits: block 0 cube core 0 at "
                        "line 22 (pto.tpush: no free slot), block 0 vector core 0 at line 23 "
                        "(pto.tpop: no entry); ended: block 0 vector core 1");
    e = (Ends){.pushes = 20, .pops = {20, 20}, .split = 1, .auto_free = true};
    assert_int_equal(run(ends_early, 2, &e), 0);
    /* More is popped than pushed. */
    e = (Ends){.pushes = 4, .pops = {5, 4}};
    assert_int_equal(run(ends_early, 2, &e), PTRT_E_DEADLOCK);
}

/* ---- tiles without memory ---- */

static int use_declared(ptrt_core *core, void *args) {
    static const ptrt_tile_type type = {
        .elem = PTRT_F32, .space = PTRT_ACC, .fractal = 512, .rows = 8, .cols = 8};
    ptrt_pipe pipe;
    ptrt_tile tile;
    ptrt_tile_declare(&type, 8, 8, &tile);
    (void)args;
    if (!ptrt_core_is_cube(core)) return 0;
    static const ptrt_pipe_desc desc = {.dirs = PTRT_C2V, .slot_num = 1, .slot_size = 256};
    int code = ptrt_pipe_open(core, 1, &desc, NULL, NULL, 0, PTRT_ABSENT, &pipe);
    return code == 0 ? ptrt_pipe_push(core, 2, &pipe, &tile, 0, PTRT_ABSENT) : code;
}

static void test_declared_tile(void **state) {
    (void)state;
    assert_int_equal(run(use_declared, 1, NULL), PTRT_E_BOUNDS);
    assert_string_equal(ptrt_error(),
                        "p.pto:2: pto.tpush: entry has no memory: pto.tpop has not bound it");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_splits),          cmocka_unit_test(test_layouts),
        cmocka_unit_test(test_slot_counts),     cmocka_unit_test(test_views),
        cmocka_unit_test(test_converting_push), cmocka_unit_test(test_mismatches),
        cmocka_unit_test(test_bounds),          cmocka_unit_test(test_wrong_use),
        cmocka_unit_test(test_lost_peers),      cmocka_unit_test(test_ends_early),
        cmocka_unit_test(test_declared_tile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
