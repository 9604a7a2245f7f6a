/* SPDX-License-Identifier: Apache-2.0 */
/* pipe.c - pushes and pops tiles and views through the FIFOs of a pipe. An entry is a row-major
 * matrix as the consumer sees it. Slots lie in global memory, from where a pop copies the entry
 * into the consumer's buffer, or they are the consumer's buffer, in which a pop rearranges the
 * entry. */
#include "core/fifo.h"
#include "mem/copy.h"
#include "mem/tile.h"
#include "mem/view.h"
#include "shadow/shadow.h"

static ptrt_fifo *fifo_of(const ptrt_core *core, const ptrt_pipe *pipe, bool pushes) {
    return pipe->fifo[core->cube == pushes ? 0 : 1];
}

static int no_direction(ptrt_core *core, uint32_t line, const ptrt_pipe *pipe, const char *op) {
    return ptrt_fail(core, PTRT_E_ARG, line, "%s: pipe %d does not go this way", op,
                     pipe->desc ? (int)pipe->desc->id : 0);
}

static int64_t max64(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/* ---- opening ---- */

/* Finds the address of the slots in each consumer's own memory. */
static int find_rings(ptrt_core *core, uint32_t line, const ptrt_pipe_desc *desc, bool to_vectors,
                      int64_t buffer, unsigned char **ring) {
    int space = to_vectors ? PTRT_VEC : PTRT_MAT;
    uint64_t bytes = (uint64_t)desc->slot_size * (uint64_t)desc->slot_num;
    for (size_t i = 0; i < core->block->count; i++) {
        const ptrt_core *c = &core->block->cores[i];
        if (c->cube == to_vectors) continue;
        if (buffer < 0 || bytes > c->space_size[space] ||
            (uint64_t)buffer > c->space_size[space] - bytes)
            return ptrt_fail(core, PTRT_E_BOUNDS, line,
                             "pipe %d: %llu bytes of slots at address %lld leave %s (%llu bytes)",
                             (int)desc->id, (unsigned long long)bytes, (long long)buffer,
                             to_vectors ? "vec" : "mat", (unsigned long long)c->space_size[space]);
        ring[c->place] = c->space[space] + buffer;
    }
    return PTRT_OK;
}

static int open_way(ptrt_core *core, uint32_t line, const ptrt_pipe *pipe, int dir,
                    unsigned char *slots, ptrt_fifo **out) {
    const ptrt_pipe_desc *desc = pipe->desc;
    unsigned char *ring[PTRT_PLACES] = {NULL};
    ptrt_fifo_desc fifo = {.id = desc->id,
                           .dir = dir,
                           .split = desc->split,
                           .slot_num = desc->slot_num,
                           .consumers = desc->consumers,
                           .auto_free = (desc->auto_free & dir) != 0,
                           .slot_size = desc->slot_size,
                           .ring = slots};
    int code = slots ? PTRT_OK
                     : find_rings(core, line, desc, dir == PTRT_C2V, pipe->buffer[dir - 1], ring);
    return code != PTRT_OK ? code : ptrt_fifo_open_at(core, line, &fifo, slots ? NULL : ring, out);
}

static int check_desc(ptrt_core *core, uint32_t line, const ptrt_pipe_desc *desc) {
    if (desc->dirs >= 1 && desc->dirs <= 3 && desc->slot_num > 0 && desc->slot_size > 0 &&
        desc->local_num >= 0 && desc->slot_size <= INT64_MAX / 4 / desc->slot_num)
        return PTRT_OK;
    return ptrt_fail(core, PTRT_E_ARG, line, "pipe %d: illegal direction or slots", (int)desc->id);
}

int ptrt_pipe_open(ptrt_core *core, uint32_t line, const ptrt_pipe_desc *desc, void *slots,
                   const ptrt_view *entry, int64_t c2v_buffer, int64_t v2c_buffer, ptrt_pipe *out) {
    *out = (ptrt_pipe){.desc = desc, .buffer = {c2v_buffer, v2c_buffer}};
    int code = check_desc(core, line, desc);
    if (code != PTRT_OK) return code;
    unsigned char *at = entry ? entry->base : slots;
    uint64_t ring = (uint64_t)desc->slot_size * (uint64_t)desc->slot_num;
    if (entry) out->entry = *entry;
    if (at && core->checked &&
        !ptrt_gm_allowed(core, (uintptr_t)at, ring * (desc->dirs == 3 ? 2 : 1)))
        return ptrt_fail(core, PTRT_E_BOUNDS, line, "pipe %d: its slots reach outside every buffer",
                         (int)desc->id);
    for (int dir = PTRT_C2V; dir <= PTRT_V2C; dir++) {
        if ((desc->dirs & dir) == 0) continue;
        code = open_way(core, line, out, dir, at, &out->fifo[dir - 1]);
        if (code != PTRT_OK) return code;
        if (at) at += ring;
    }
    return PTRT_OK;
}

/* ---- parts of an entry ---- */

/* A vector core's part of an entry, and the extents of the whole. */
typedef struct Part {
    int64_t row, col, rows, cols;
    int64_t all_rows, all_cols;
} Part;

/* Returns the part of vector core s from the extents of that part. */
static Part part_of(int split, int s, int64_t rows, int64_t cols) {
    Part p = {0, 0, rows, cols, rows, cols};
    bool odd = split >= 3;
    if (split == 1 || split == 3) {
        p.row = s * (rows + (odd ? 1 : 0));
        p.all_rows = 2 * rows + (odd ? 2 * s - 1 : 0);
    } else if (split == 2 || split == 4) {
        p.col = s * (cols + (odd ? 1 : 0));
        p.all_cols = 2 * cols + (odd ? 2 * s - 1 : 0);
    }
    return p;
}

/* Returns the part of vector core s from the extents of the whole. */
static Part cut(int split, int s, int64_t rows, int64_t cols) {
    if (split == 1 || split == 3) rows = (rows + (s == 0)) / 2;
    if (split == 2 || split == 4) cols = (cols + (s == 0)) / 2;
    return part_of(split, s, rows, cols);
}

/* Splits 1 and 2 need even extents, 3 and 4 odd ones. */
static int check_parity(ptrt_core *core, uint32_t line, int split, int64_t rows, int64_t cols) {
    if (split == 0) return PTRT_OK;
    bool by_rows = split == 1 || split == 3, odd = split >= 3;
    int64_t n = by_rows ? rows : cols;
    if ((n % 2 != 0) == odd) return PTRT_OK;
    return ptrt_fail(core, PTRT_E_VALID, line,
                     "pto.tpush: split = %d wants an %s number of %s, not %lld", split,
                     odd ? "odd" : "even", by_rows ? "rows" : "columns", (long long)n);
}

static int check_split(ptrt_core *core, uint32_t line, const ptrt_fifo *f, int split, int64_t sub,
                       const char *op) {
    if (split >= 0 && split <= 4 && (split != 0) == (f->desc.split != 0) && sub <= 1 &&
        (sub >= 0 || sub == PTRT_ABSENT))
        return PTRT_OK;
    if (sub == PTRT_ABSENT && split >= 0 && split <= 4)
        return ptrt_fail(core, PTRT_E_ARG, line,
                         "%s: split = %d, and the entries of pipe %d are %s", op, split,
                         (int)f->desc.id, f->desc.split != 0 ? "split" : "whole");
    return ptrt_fail(core, PTRT_E_ARG, line, "%s: split %d, sub-block %lld of pipe %d", op, split,
                     (long long)sub, (int)f->desc.id);
}

static int part_number(const ptrt_core *core, int split, int64_t sub) {
    if (split == 0 || core->cube) return 0;
    return sub == PTRT_ABSENT ? core->sub : (int)sub;
}

/* ---- push ---- */

static void copy_out(const ptrt_core *core, const ptrt_tile *src, ptrt_corner from, int64_t rows,
                     int64_t cols, unsigned char *to, int64_t ld, ptrt_corner at) {
    ptrt_grid g = ptrt_grid_of_tile(src), slot = ptrt_grid_rows(to, ld);
    ptrt_copy(core->bodies->movers, &slot, at, &g, from, rows, cols,
              ptrt_log_size(ptrt_elem_size(src->elem)));
    if (ptrt_shadow_on) ptrt_shadow_move(src->elem, &slot, at, &g, from, rows, cols);
}

/* Whether the entry is whole, the tile one row-major run of memory, and no hook is set. */
static inline bool is_run(const ptrt_core *core, const ptrt_fifo *f, int split,
                          const ptrt_tile *t) {
    return split == 0 && f->desc.split == 0 && t->n != 0 && ptrt_order(t) == 0 &&
           t->addr <= t->last && core->hook == NULL;
}

/* For --shadow: moves the numbers of a tile that is one run of memory. */
static void move_run(const ptrt_tile *t, unsigned char *to, const unsigned char *from) {
    unsigned char *source = (unsigned char *)(uintptr_t)from; /* only read */
    const ptrt_grid g = ptrt_grid_rows(to, 0), s = ptrt_grid_rows(source, 0);
    const ptrt_corner start = {0, 0};
    ptrt_shadow_move(t->elem, &g, start, &s, start, 1, t->n);
}

static inline void put_bytes(const ptrt_tile *t, unsigned char *to, size_t bytes) {
    memmove(to, ptrt_tile_at(t), bytes);
    if (ptrt_shadow_on) move_run(t, to, ptrt_tile_at(t));
}

static inline void put_run(const ptrt_core *core, const ptrt_fifo *f, const ptrt_tile *t,
                           size_t bytes) {
    const int32_t slot = f->push_slot[core->place];
    if (!core->cube || !f->on_chip) {
        put_bytes(t, ptrt_fifo_slot(f, core->cube ? 1 : 0, slot), bytes);
        return;
    }
    for (int v = 1; v <= 2; v++)
        if (f->consumes[v]) put_bytes(t, ptrt_fifo_slot(f, v, slot), bytes);
}

/* Copies the entry into every slot that holds a part of it. */
static void put_entry(const ptrt_core *core, const ptrt_fifo *f, const ptrt_tile *src, int split,
                      const Part *part) {
    int32_t slot = f->push_slot[core->place];
    if (!core->cube || !f->on_chip) {
        int place = core->cube ? 1 : 0;
        copy_out(core, src, (ptrt_corner){0, 0}, part->rows, part->cols,
                 ptrt_fifo_slot(f, place, slot), part->all_cols,
                 (ptrt_corner){part->row, part->col});
        return;
    }
    for (int s = 0; s < 2; s++) {
        if (!f->consumes[1 + s]) continue;
        Part p = cut(split, s, part->rows, part->cols);
        copy_out(core, src, (ptrt_corner){p.row, p.col}, p.rows, p.cols,
                 ptrt_fifo_slot(f, 1 + s, slot), p.cols, (ptrt_corner){0, 0});
    }
}

static int check_size(ptrt_core *core, uint32_t line, const ptrt_fifo *f, int elem, int64_t rows,
                      int64_t cols) {
    if ((uint64_t)rows * (uint64_t)cols * ptrt_elem_size(elem) <= (uint64_t)f->desc.slot_size)
        return PTRT_OK;
    return ptrt_fail(core, PTRT_E_BOUNDS, line,
                     "pto.tpush: an entry of %lldx%lld elements of %u bytes is larger than a slot "
                     "of pipe %d (%lld bytes)",
                     (long long)rows, (long long)cols, (unsigned)ptrt_elem_size(elem),
                     (int)f->desc.id, (long long)f->desc.slot_size);
}

static int check_source(ptrt_core *core, uint32_t line, const ptrt_tile *src) {
    if (!ptrt_operand_ok(src)) return ptrt_bad_operand(core, line, "pto.tpush", 5, "entry", src);
    if (core->hook) core->hook(core->hook_user, core, line, "pto.tpush", "entry", PTRT_READ, src);
    return PTRT_OK;
}

/* Waits for a slot. *slot becomes NULL in a core that has no part in the entry. */
static int get_slot(ptrt_core *core, uint32_t line, const ptrt_pipe *pipe, const char *op,
                    ptrt_fifo **f, void **slot) {
    *slot = NULL;
    *f = fifo_of(core, pipe, true);
    return *f ? ptrt_fifo_alloc(core, line, *f, slot) : no_direction(core, line, pipe, op);
}

static int make_ready(ptrt_core *core, uint32_t line, ptrt_fifo *f, int part, ptrt_fifo_note note) {
    *ptrt_fifo_note_at(f, f->push_slot[core->place], part) = note;
    return ptrt_fifo_push(core, line, f);
}

int ptrt_pipe_push(ptrt_core *core, uint32_t line, const ptrt_pipe *pipe, const ptrt_tile *src,
                   int split, int64_t sub) {
    ptrt_fifo *f;
    void *slot;
    int code = get_slot(core, line, pipe, "pto.tpush", &f, &slot);
    if (code == PTRT_OK && slot && sub == PTRT_ABSENT && is_run(core, f, split, src)) {
        const uint64_t bytes = (uint64_t)src->n * ptrt_elem_size(src->elem);
        if (bytes <= (uint64_t)f->desc.slot_size) {
            put_run(core, f, src, (size_t)bytes);
            return make_ready(core, line, f, 0,
                              (ptrt_fifo_note){src->vrow, src->vcol, line, src->elem});
        }
    }
    if (code == PTRT_OK) code = check_split(core, line, f, split, sub, "pto.tpush");
    if (code == PTRT_OK) code = check_source(core, line, src);
    if (code != PTRT_OK || !slot) return code;
    int s = part_number(core, split, sub);
    Part part = part_of(core->cube ? 0 : split, s, src->vrow, src->vcol);
    if (core->cube) code = check_parity(core, line, split, src->vrow, src->vcol);
    if (code == PTRT_OK) code = check_size(core, line, f, src->elem, part.all_rows, part.all_cols);
    if (code != PTRT_OK) return code;
    put_entry(core, f, src, split, &part);
    return make_ready(core, line, f, s,
                      (ptrt_fifo_note){part.all_rows, part.all_cols, line, src->elem});
}

int ptrt_pipe_slot(ptrt_core *core, uint32_t line, const ptrt_pipe *pipe, int elem, int64_t rows,
                   int64_t cols, ptrt_tile *out) {
    ptrt_fifo *f;
    void *slot;
    int code = get_slot(core, line, pipe, "pto.tpush", &f, &slot);
    if (code == PTRT_OK) code = check_split(core, line, f, 0, PTRT_ABSENT, "pto.tpush");
    if (code == PTRT_OK) code = check_size(core, line, f, elem, rows, cols);
    if (code == PTRT_OK && !slot) slot = ptrt_fifo_spill(f, f->desc.slot_size);
    if (code != PTRT_OK) return code;
    const ptrt_tile_type type = {.elem = (uint8_t)elem,
                                 .space = PTRT_GM,
                                 .fractal = 512,
                                 .rows = max64(rows, 1),
                                 .cols = max64(cols, 1)};
    code = slot ? ptrt_tile_init(out, &type, slot, (uint64_t)f->desc.slot_size, rows, cols)
                : PTRT_E_NOMEM;
    if (code == PTRT_OK) return PTRT_OK;
    return ptrt_fail(core, code, line, "pto.tpush: no slot of pipe %d for the entry",
                     (int)f->desc.id);
}

int ptrt_pipe_push_slot(ptrt_core *core, uint32_t line, const ptrt_pipe *pipe,
                        const ptrt_tile *entry) {
    ptrt_fifo *f = fifo_of(core, pipe, true);
    if (!f) return no_direction(core, line, pipe, "pto.tpush");
    if (!f->produces[core->place]) return ptrt_fifo_push(core, line, f);
    int32_t slot = f->push_slot[core->place];
    /* The entry was written to the ring of vector core 0; core 1 has a ring of its own. */
    if (f->on_chip && f->consumes[1] && f->consumes[2])
        memcpy(ptrt_fifo_slot(f, 2, slot), ptrt_fifo_slot(f, 1, slot), (size_t)entry->bytes);
    return make_ready(core, line, f, 0,
                      (ptrt_fifo_note){entry->vrow, entry->vcol, line, entry->elem});
}

/* ---- pop ---- */

/* An entry as it lies in a slot: rows of `ld` elements, of which the consumer reads rows x cols
 * elements from (row, col). */
typedef struct Ready {
    unsigned char *at;
    int64_t ld, row, col, rows, cols;
} Ready;

static int mismatch(ptrt_core *core, uint32_t line, const ptrt_fifo_note *note, const Part *want,
                    int elem) {
    return ptrt_fail(core, PTRT_E_VALID, line,
                     "pto.tpop: %lldx%lld elements of %u bytes are taken as an entry, but the push "
                     "at line %lu put %lldx%lld of %u bytes",
                     (long long)want->all_rows, (long long)want->all_cols,
                     (unsigned)ptrt_elem_size(elem), (unsigned long)note->line,
                     (long long)note->rows, (long long)note->cols,
                     (unsigned)ptrt_elem_size(note->elem));
}

static uint64_t bytes_of(int64_t rows, int64_t cols, int elem) {
    return (uint64_t)rows * (uint64_t)cols * ptrt_elem_size(elem);
}

/* Whether the two vector cores pushed halves of different shapes or types. */
static bool halves_differ(const ptrt_fifo *f, int32_t slot) {
    const ptrt_fifo_note *a = ptrt_fifo_note_at(f, slot, 0), *b = ptrt_fifo_note_at(f, slot, 1);
    return f->produces[1] && f->produces[2] &&
           (a->rows != b->rows || a->cols != b->cols || a->elem != b->elem);
}

/* Checks that the pushed entry has the extents that the consumer expects; an entry that is not
 * split may be larger. When the valid region is not stated, the consumer gets what was pushed. An
 * entry of equally many bytes may be read as another matrix. */
static int match(ptrt_core *core, uint32_t line, const ptrt_fifo *f, int32_t slot, int split,
                 const Part *want, const ptrt_tile *tile, bool stated, Ready *out) {
    const ptrt_fifo_note *note = ptrt_fifo_note_at(f, slot, 0);
    int64_t rows = note->rows, cols = note->cols;
    bool same_size = ptrt_elem_size(note->elem) == ptrt_elem_size(tile->elem);
    bool known = note->elem != PTRT_ELEMS, whole = split == 0;
    bool enough = same_size && (whole ? want->all_rows <= rows && want->all_cols <= cols
                                      : want->all_rows == rows && want->all_cols == cols);
    if (known && halves_differ(f, slot))
        return mismatch(core, line, ptrt_fifo_note_at(f, slot, 1), want, tile->elem);
    bool as_bytes = !enough && bytes_of(rows, cols, note->elem) ==
                                   bytes_of(want->all_rows, want->all_cols, tile->elem);
    if (!known || as_bytes) {
        rows = want->all_rows;
        cols = want->all_cols;
    } else if (!enough && (stated || !same_size) && want->rows > 0 && want->cols > 0) {
        return mismatch(core, line, note, want, tile->elem);
    }
    if (f->on_chip && !core->cube) {
        Part mine = cut(split, core->sub, rows, cols);
        *out = (Ready){out->at, mine.cols, 0, 0, mine.rows, mine.cols};
    } else {
        *out = (Ready){out->at, cols, want->row, want->col, rows - want->row, cols - want->col};
    }
    out->rows = ptrt_min64(out->rows, want->rows);
    out->cols = ptrt_min64(out->cols, want->cols);
    return PTRT_OK;
}

/* Whether the tile has its elements where the slot has them. */
static bool lies_ready(const ptrt_tile *t, const Ready *r) {
    return (t->row.outer | t->col.outer) == 0 && t->col.inner == 1 &&
           (t->row.inner == r->ld || r->rows == 1);
}

/* Copies the entry into the tile, which occupies the slot itself when slots are on chip. */
static int take_entry(ptrt_core *core, uint32_t line, ptrt_fifo *f, const ptrt_tile *tile,
                      const Ready *r) {
    if (r->rows <= 0 || r->cols <= 0 || (f->on_chip && lies_ready(tile, r))) {
        if (ptrt_shadow_on) ptrt_shadow_keep();
        return PTRT_OK;
    }
    unsigned char *from = r->at;
    if (f->on_chip) {
        size_t bytes = (size_t)bytes_of(r->row + r->rows, r->ld, tile->elem);
        from = ptrt_fifo_spill(f, (int64_t)bytes);
        if (!from)
            return ptrt_fail(core, PTRT_E_NOMEM, line, "pto.tpop: out of memory for an entry");
        memcpy(from, r->at, bytes);
    }
    ptrt_grid slot = ptrt_grid_rows(from, r->ld), to = ptrt_grid_of_tile(tile);
    ptrt_copy(core->bodies->movers, &to, (ptrt_corner){0, 0}, &slot, (ptrt_corner){r->row, r->col},
              r->rows, r->cols, ptrt_log_size(ptrt_elem_size(tile->elem)));
    if (ptrt_shadow_on && !f->on_chip) {
        ptrt_shadow_move(tile->elem, &to, (ptrt_corner){0, 0}, &slot, (ptrt_corner){r->row, r->col},
                         r->rows, r->cols);
        ptrt_shadow_keep();
    }
    return PTRT_OK;
}

/* Handles an entry with the shape and type of the tile that needs no copy or a single one. Returns
 * false for any other. */
static inline bool take_whole(const ptrt_core *core, const ptrt_fifo *f, const ptrt_tile *tile,
                              const void *at, const ptrt_fifo_note *note) {
    if (note->elem != tile->elem || note->rows != tile->vrow || note->cols != tile->vcol ||
        core->hook != NULL || tile->n == 0 || ptrt_order(tile) != 0)
        return false;
    if (!f->on_chip) memmove(ptrt_tile_at(tile), at, (size_t)tile->n * ptrt_elem_size(tile->elem));
    if (ptrt_shadow_on) {
        if (!f->on_chip) move_run(tile, ptrt_tile_at(tile), at);
        ptrt_shadow_keep();
    }
    return true;
}

static int32_t slot_before(const ptrt_fifo *f, int32_t slot) {
    return slot > 0 ? slot - 1 : f->desc.slot_num - 1;
}

/* Copies in unrolled pieces that compilers turn into moves. For the whole struct GCC emits a string
 * instruction, which takes as long as the rest of a pop. */
static inline void copy_tile(ptrt_tile *to, const ptrt_tile *from) {
    enum { PIECE = 16, REST = sizeof *to % PIECE, WHOLE = sizeof *to - REST };
    _Pragma("GCC unroll 32") for (size_t i = 0; i < WHOLE; i += PIECE)
        memcpy((unsigned char *)to + i, (const unsigned char *)from + i, PIECE);
    memcpy((unsigned char *)to + WHOLE, (const unsigned char *)from + WHOLE, REST);
}

_Static_assert(sizeof(ptrt_tile_type) == 24, "ptrt_tile_type has padding");
static inline bool same_type(const ptrt_tile_type *a, const ptrt_tile_type *b) {
    uint64_t x[sizeof *a / 8], y[sizeof *a / 8], differ = 0;
    memcpy(x, a, sizeof x);
    memcpy(y, b, sizeof y);
    for (size_t i = 0; i < sizeof x / sizeof x[0]; i++)
        differ |= x[i] ^ y[i];
    return differ == 0;
}

/* Binds `out` to its place in the consumer's buffer. Reuses the tile of the last pop when only the
 * address differs. */
static int bind_entry(ptrt_core *core, uint32_t line, const ptrt_pipe *pipe, ptrt_fifo *f,
                      int32_t slot, const ptrt_tile_type *type, int64_t vrow, int64_t vcol,
                      ptrt_tile *out) {
    int64_t buffer = pipe->buffer[f->desc.dir - 1], place = slot;
    int32_t local = pipe->desc->local_num > 0 ? pipe->desc->local_num : f->desc.slot_num;
    if (!f->on_chip) place = (int64_t)((f->popped[core->place] - 1) % (uint64_t)local);
    if (buffer < 0)
        return ptrt_fail(core, PTRT_E_ARG, line, "pto.tpop: pipe %d has no buffer for a tile",
                         (int)f->desc.id);
    const int64_t addr = buffer + place * f->desc.slot_size;
    ptrt_fifo_bound *b = &f->bound[core->place];
    if (addr % PTRT_TILE_ALIGN == 0 && (uint64_t)addr <= b->tile.last && b->vrow == vrow &&
        b->vcol == vcol && same_type(&b->type, type) && core->hook == NULL) {
        copy_tile(out, &b->tile);
        (void)ptrt_tile_place(out, (uint64_t)addr);
        return PTRT_OK;
    }
    int code = ptrt_tile_bind(core, type, addr, vrow, vcol, line, out);
    if (code != PTRT_OK) return code;
    if (out->bytes <= (uint64_t)f->desc.slot_size) {
        if (core->hook == NULL) *b = (ptrt_fifo_bound){*type, vrow, vcol, *out};
        return PTRT_OK;
    }
    return ptrt_fail(core, PTRT_E_BOUNDS, line,
                     "pto.tpop: a tile of %llu bytes is larger than a slot of pipe %d (%lld bytes)",
                     (unsigned long long)out->bytes, (int)f->desc.id, (long long)f->desc.slot_size);
}

/* Waits for an entry; *at becomes its address and *slot its slot number. */
static int get_entry(ptrt_core *core, uint32_t line, const ptrt_pipe *pipe, int split, int64_t sub,
                     ptrt_fifo **f, void **at, int32_t *slot) {
    *f = fifo_of(core, pipe, false);
    if (!*f) return no_direction(core, line, pipe, "pto.tpop");
    int code = check_split(core, line, *f, split, sub, "pto.tpop");
    if (code == PTRT_OK) code = ptrt_fifo_pop(core, line, *f, at);
    if (code == PTRT_OK) *slot = slot_before(*f, (*f)->pop_slot[core->place]);
    return code;
}

int ptrt_pipe_pop(ptrt_core *core, uint32_t line, const ptrt_pipe *pipe, const ptrt_tile_type *type,
                  int64_t vrow, int64_t vcol, int split, int64_t sub, ptrt_tile *out) {
    ptrt_fifo *f;
    void *at;
    int32_t slot = 0;
    bool stated = vrow != PTRT_ABSENT && vcol != PTRT_ABSENT;
    if (vrow == PTRT_ABSENT) vrow = type->rows;
    if (vcol == PTRT_ABSENT) vcol = type->cols;
    int code = get_entry(core, line, pipe, split, sub, &f, &at, &slot);
    if (code == PTRT_OK) code = bind_entry(core, line, pipe, f, slot, type, vrow, vcol, out);
    if (code != PTRT_OK) return code;
    if (split == 0 && take_whole(core, f, out, at, ptrt_fifo_note_at(f, slot, 0))) return PTRT_OK;
    Part want = part_of(core->cube ? 0 : split, part_number(core, split, sub), vrow, vcol);
    Ready ready = {.at = at};
    code = match(core, line, f, slot, core->cube ? 0 : split, &want, out, stated, &ready);
    if (code == PTRT_OK) code = take_entry(core, line, f, out, &ready);
    if (code == PTRT_OK && core->hook)
        core->hook(core->hook_user, core, line, "pto.tpop", "result", PTRT_WRITE, out);
    return code;
}

int ptrt_pipe_free(ptrt_core *core, uint32_t line, const ptrt_pipe *pipe) {
    ptrt_fifo *f = fifo_of(core, pipe, false);
    return f ? ptrt_fifo_free(core, line, f) : no_direction(core, line, pipe, "pto.tfree");
}

/* ---- entries as views ---- */

/* Makes the view of an entry in a slot, or of a vector core's part of it. */
static void view_of(const ptrt_core *core, const ptrt_pipe *pipe, int split, unsigned char *slot,
                    ptrt_view *out) {
    const ptrt_view *v = &pipe->entry;
    int64_t rows = v->shape[3], cols = v->shape[4];
    int s = part_number(core, split, PTRT_ABSENT);
    Part p = part_of(split, s, rows, cols);
    *out = *v;
    out->base =
        slot + (p.row * v->stride[3] + p.col * v->stride[4]) * (int64_t)ptrt_elem_size(v->elem);
}

static int check_view(ptrt_core *core, uint32_t line, const ptrt_pipe *pipe, const char *op) {
    if (pipe->entry.base) return PTRT_OK;
    return ptrt_fail(core, PTRT_E_ARG, line, "%s: pipe %d has no slots for views", op,
                     pipe->desc ? (int)pipe->desc->id : 0);
}

int ptrt_pipe_alloc_view(ptrt_core *core, uint32_t line, const ptrt_pipe *pipe, int split,
                         ptrt_view *out) {
    ptrt_fifo *f;
    void *slot;
    int code = get_slot(core, line, pipe, "pto.talloc", &f, &slot);
    if (code == PTRT_OK) code = check_split(core, line, f, split, PTRT_ABSENT, "pto.talloc");
    if (code == PTRT_OK) code = check_view(core, line, pipe, "pto.talloc");
    if (code != PTRT_OK) return code;
    /* A core that has no part in the entry writes to memory that is never read. */
    if (!slot) slot = ptrt_fifo_spill(f, f->desc.slot_size);
    if (!slot) return ptrt_fail(core, PTRT_E_NOMEM, line, "pto.talloc: out of memory");
    view_of(core, pipe, split, slot, out);
    return PTRT_OK;
}

int ptrt_pipe_push_view(ptrt_core *core, uint32_t line, const ptrt_pipe *pipe) {
    ptrt_fifo *f = fifo_of(core, pipe, true);
    if (!f) return no_direction(core, line, pipe, "pto.tpush");
    if (!f->produces[core->place]) return ptrt_fifo_push(core, line, f);
    int part = f->desc.split != 0 && !core->cube ? core->sub : 0;
    return make_ready(core, line, f, part, (ptrt_fifo_note){.line = line, .elem = PTRT_ELEMS});
}

int ptrt_pipe_pop_view(ptrt_core *core, uint32_t line, const ptrt_pipe *pipe, int split,
                       ptrt_view *out) {
    ptrt_fifo *f;
    void *at;
    int32_t slot = 0;
    int code = get_entry(core, line, pipe, split, PTRT_ABSENT, &f, &at, &slot);
    if (code == PTRT_OK) code = check_view(core, line, pipe, "pto.tpop");
    if (code == PTRT_OK) view_of(core, pipe, core->cube ? 0 : split, at, out);
    return code;
}

/* ---- tiles without memory ---- */

void ptrt_tile_declare(const ptrt_tile_type *type, int64_t vrow, int64_t vcol, ptrt_tile *out) {
    *out = (ptrt_tile){.addr = 1,
                       .rows = type->rows,
                       .cols = type->cols,
                       .srows = type->rows,
                       .scols = type->cols,
                       .vrow = vrow,
                       .vcol = vcol,
                       .elem = type->elem,
                       .space = type->space,
                       .blayout = type->blayout,
                       .slayout = type->slayout,
                       .fractal = type->fractal,
                       .pad = type->pad,
                       .compact = type->compact};
}
