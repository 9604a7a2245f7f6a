/* SPDX-License-Identifier: Apache-2.0 */
/* show.c - output of `ptoasm run --print`: a tile as a small table, or a number; each call writes
 * to stdout once. And the tiles that --dump hands out. */
#include "core/place.h"
#include "core/rank.h"
#include "mem/copy.h"
#include "mem/number.h"
#include "mem/tile.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { EDGE = 4, BEYOND = 2, MOST = 2 * EDGE + BEYOND + 2, CELL = 48 };

/* The rows or columns to show: the first and last valid ones, then a few beyond the valid
 * region. */
typedef struct Picked {
    int64_t at[MOST]; /* indices; GAP for left-out ones, END for the end of the valid region */
    int n;
} Picked;
enum { GAP = -1, END = -2 };

static Picked pick(int64_t valid, int64_t extent) {
    Picked p = {.n = 0};
    for (int64_t i = 0; i < valid; i++) {
        if (i == EDGE && valid > 2 * EDGE) {
            p.at[p.n++] = GAP;
            i = valid - EDGE;
        }
        p.at[p.n++] = i;
    }
    if (valid < extent) p.at[p.n++] = END;
    for (int64_t i = valid; i < extent && i < valid + BEYOND; i++)
        p.at[p.n++] = i;
    return p;
}

typedef struct Table {
    Picked rows, cols;
    char cell[MOST][MOST][CELL];
    char head[MOST][CELL];
    int width[MOST];
} Table;

static int element_text(char *out, int elem, const unsigned char *p) {
    if (elem == PTRT_U64)
        return snprintf(out, CELL, "%llu", (unsigned long long)ptrt_integer_at(elem, p));
    if (!ptrt_elem_is_real(elem))
        return snprintf(out, CELL, "%lld", (long long)ptrt_integer_at(elem, p));
    int n = ptrt_double_text(out, CELL, "%.6", 'g', ptrt_real_at(elem, p, 0));
    if (ptrt_elem_lanes(elem) == 1) return n;
    out[n++] = '/';
    return n + ptrt_double_text(out + n, (size_t)(CELL - n), "%.6", 'g', ptrt_real_at(elem, p, 1));
}

static void widen(Table *t, int col, int n) {
    if (t->width[col] < n) t->width[col] = n;
}

static void fill(Table *t, const ptrt_tile *tile) {
    for (int c = 0; c < t->cols.n; c++) {
        int64_t col = t->cols.at[c];
        if (col >= 0) widen(t, c, snprintf(t->head[c], CELL, "%lld", (long long)col));
        for (int r = 0; r < t->rows.n && col >= 0; r++) {
            int64_t row = t->rows.at[r];
            if (row < 0) continue;
            int64_t at = ptrt_axis_offset(&tile->row, row) + ptrt_axis_offset(&tile->col, col);
            widen(t, c,
                  element_text(t->cell[r][c], tile->elem,
                               ptrt_tile_at(tile) + at * ptrt_elem_size(tile->elem)));
        }
    }
}

static void put_row(FILE *to, const Table *t, const char *label, char cells[MOST][CELL]) {
    fprintf(to, "%8s", label);
    for (int c = 0; c < t->cols.n; c++) {
        if (t->cols.at[c] == GAP)
            fputs("  ...", to);
        else if (t->cols.at[c] == END)
            fputs("  |", to);
        else
            fprintf(to, "  %*s", t->width[c], cells[c]);
    }
    fputc('\n', to);
}

static void put_table(FILE *to, Table *t, const ptrt_tile *tile) {
    t->rows = pick(tile->vrow, tile->rows);
    t->cols = pick(tile->vcol, tile->cols);
    fill(t, tile);
    put_row(to, t, "", t->head);
    for (int r = 0; r < t->rows.n; r++) {
        char label[24];
        snprintf(label, sizeof label, "%lld", (long long)t->rows.at[r]);
        if (t->rows.at[r] == GAP)
            fputs("     ...\n", to);
        else if (t->rows.at[r] == END)
            fputs("      --\n", to);
        else
            put_row(to, t, label, t->cell[r]);
    }
}

static const char *const layouts[] = {"row_major", "col_major"};
static const char *const boxes[] = {"none_box", "row_major", "col_major"};

/* Appends ", block 2, vector core 1" where a launch has several. */
static void put_core(FILE *to, ptrt_core *core) {
    if (core->run->blocks > 1) fprintf(to, ", block %lld", (long long)core->block->index);
    if (!core->cube && core->run->subblocks > 1 && ptrt_peer(core, false, 1) != NULL)
        fprintf(to, ", vector core %d", (int)core->sub);
}

/* ---- which core shows ---- */

static atomic_llong only_block = -1;
static atomic_int only_place = -1;

void ptrt_show_only(int64_t block, int place) {
    atomic_store(&only_block, block);
    atomic_store(&only_place, place);
}

static bool is_left_out(const ptrt_core *core) {
    const long long block = atomic_load(&only_block);
    const int place = atomic_load(&only_place);
    return (block >= 0 && block != core->block->index) || (place >= 0 && place != core->place);
}

/* Whether the tile's space belongs to the other kind of core and the block has one, which then
 * shows the tile; or the core is left out. */
static bool is_elsewhere(ptrt_core *core, const ptrt_tile *tile) {
    const bool elsewhere = tile->space != PTRT_GM && (tile->space == PTRT_VEC) == core->cube &&
                           ptrt_peer(core, !core->cube, 0) != NULL;
    return elsewhere || is_left_out(core);
}

/* ---- --print ---- */

static int put_out(ptrt_core *core, uint32_t line, FILE *to, char **text, size_t *size) {
    bool whole = fclose(to) == 0;
    if (whole) fwrite(*text, 1, *size, stdout);
    free(*text);
    return whole ? PTRT_OK : ptrt_fail(core, PTRT_E_NOMEM, line, "--print: out of memory");
}

int ptrt_show_tile(ptrt_core *core, uint32_t line, const char *name, const ptrt_tile *tile) {
    char *text = NULL;
    size_t size = 0;
    if (is_elsewhere(core, tile)) return PTRT_OK;
    const bool fits =
        ptrt_operand_ok(tile); /* else pto.set_validshape follows, or it has no memory */
    if (tile->addr > tile->last) return ptrt_bad_operand(core, line, "--print", 7, name, tile);
    Table *t = calloc(1, sizeof *t);
    FILE *to = t != NULL ? open_memstream(&text, &size) : NULL;
    if (to == NULL) {
        free(t);
        return ptrt_fail(core, PTRT_E_NOMEM, line, "--print: out of memory");
    }
    fprintf(to, "%s, line %u: %lldx%lldx%s in %s, %s/%s", name, (unsigned)line,
            (long long)tile->rows, (long long)tile->cols, ptrt_elem_name(tile->elem),
            ptrt_space_name(tile->space), layouts[tile->blayout], boxes[tile->slayout]);
    if (tile->vrow != tile->rows || tile->vcol != tile->cols)
        fprintf(to, ", valid %lldx%lld%s", (long long)tile->vrow, (long long)tile->vcol,
                fits ? "" : ", which it cannot have");
    put_core(to, core);
    fputc('\n', to);
    if (fits) put_table(to, t, tile);
    free(t);
    return put_out(core, line, to, &text, &size);
}

static int show_number(ptrt_core *core, uint32_t line, const char *name, const char *number) {
    char *text = NULL;
    size_t size = 0;
    if (is_left_out(core)) return PTRT_OK;
    FILE *to = open_memstream(&text, &size);
    if (to == NULL) return ptrt_fail(core, PTRT_E_NOMEM, line, "--print: out of memory");
    fprintf(to, "%s, line %u: %s", name, (unsigned)line, number);
    put_core(to, core);
    fputc('\n', to);
    return put_out(core, line, to, &text, &size);
}

int ptrt_show_i(ptrt_core *core, uint32_t line, const char *name, int64_t value) {
    char number[CELL];
    snprintf(number, sizeof number, "%lld", (long long)value);
    return show_number(core, line, name, number);
}

int ptrt_show_f(ptrt_core *core, uint32_t line, const char *name, double value) {
    char number[CELL];
    ptrt_double_text(number, sizeof number, "%.9", 'g', value);
    return show_number(core, line, name, number);
}

/* ---- --trap ---- */

enum { FINITE, INFINITE, NOT_A_NUMBER };

static int kind_of(int elem, const unsigned char *p) {
    int kind = FINITE;
    for (int lane = 0; lane < ptrt_elem_lanes(elem); lane++) {
        const double x = ptrt_real_at(elem, p, lane);
        const int own = x != x ? NOT_A_NUMBER : x - x != 0 ? INFINITE : FINITE;
        if (own > kind) kind = own;
    }
    return kind;
}

/* Returns the kind of the first element that is not finite, and sets its indices. */
static int find_nonfinite(const ptrt_tile *t, int64_t *row, int64_t *col) {
    const uint32_t size = ptrt_elem_size(t->elem);
    if (!ptrt_elem_is_real(t->elem) || !ptrt_operand_ok(t)) return FINITE;
    for (*row = 0; *row < t->vrow; ++*row) {
        for (*col = 0; *col < t->vcol; ++*col) {
            const int64_t at = ptrt_axis_offset(&t->row, *row) + ptrt_axis_offset(&t->col, *col);
            const int kind = kind_of(t->elem, ptrt_tile_at(t) + at * size);
            if (kind != FINITE) return kind;
        }
    }
    return FINITE;
}

int ptrt_nonfinite(const ptrt_tile *tile) {
    int64_t row, col;
    return find_nonfinite(tile, &row, &col) != FINITE;
}

int ptrt_trap_nonfinite(ptrt_core *core, uint32_t line, const char *op, const char *name,
                        const ptrt_tile *tile) {
    int64_t row, col;
    const int kind = find_nonfinite(tile, &row, &col);
    if (kind == FINITE) return PTRT_OK;
    return ptrt_fail(core, PTRT_E_TRAP, line, "%s makes %s of finite inputs: %s [%lld, %lld]", op,
                     kind == NOT_A_NUMBER ? "NaN" : "infinity", name, (long long)row,
                     (long long)col);
}

/* ---- --dump ---- */

/* Set between launches only. */
static ptrt_dump_fn dump_fn;
static void *dump_user;

void ptrt_dump_to(ptrt_dump_fn fn, void *user) {
    dump_fn = fn;
    dump_user = user;
}

void ptrt_dump_copy(const ptrt_dump *dump, void *out) {
    const ptrt_tile *t = dump->tile;
    const uint32_t size = ptrt_elem_size(t->elem);
    unsigned char *to = out;
    for (int64_t r = 0; r < t->rows; r++) {
        for (int64_t c = 0; c < t->cols; c++, to += size) {
            const int64_t at = ptrt_axis_offset(&t->row, r) + ptrt_axis_offset(&t->col, c);
            memcpy(to, ptrt_tile_at(t) + at * size, size);
        }
    }
}

int ptrt_dump_tile(ptrt_core *core, uint32_t line, uint32_t request, const char *name,
                   const ptrt_tile *tile) {
    char layout[CELL];
    if (dump_fn == NULL || is_elsewhere(core, tile) || !ptrt_operand_ok(tile)) return PTRT_OK;
    snprintf(layout, sizeof layout, "%s/%s", layouts[tile->blayout], boxes[tile->slayout]);
    const ptrt_dump dump = {.name = name,
                            .line = line,
                            .request = request,
                            .elem = tile->elem,
                            .type = ptrt_elem_name(tile->elem),
                            .space = ptrt_space_name(tile->space),
                            .layout = layout,
                            .shape = {tile->rows, tile->cols},
                            .valid = {tile->vrow, tile->vcol},
                            .block = core->block->index,
                            .blocks = core->run->blocks,
                            .place = core->place,
                            .rank = core->run->rank->number,
                            .ranks = core->run->rank->count,
                            .tile = tile};
    if (dump_fn(dump_user, &dump) == 0) return PTRT_OK;
    ptrt_fail_silent(core, PTRT_E_STOPPED);
    return PTRT_E_STOPPED;
}
