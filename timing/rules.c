/* SPDX-License-Identifier: Apache-2.0 */
/* What an instruction on tiles in vec becomes on a2a3: the way that the library takes for a shape,
 * as operations of the pipe. `per` elements are a repeat of 256 bytes, an eighth of these is a
 * block. */
#include "timing/stream.h"

enum { MOST_REPEATS = 255 };

static void masked(Stream *s, MicroOp op, int64_t rows) {
    for (int64_t k = 0; k < rows; k += MOST_REPEATS)
        stream_do(s, op, min64(MOST_REPEATS, rows - k));
}

/* ---- element by element ---- */

/* The operations of one pass; a quotient is a fill, a barrier and a division. */
static void pass(Stream *s, const PriceRow *row, int64_t repeats) {
    stream_do(s, row->op, repeats);
    if (row->second == MICRO_OTHER) return;
    stream_barrier(s);
    stream_do(s, row->second, repeats);
}

static void pass_counted(Stream *s, const PriceRow *row, int64_t elements, int64_t per) {
    stream_count(s, row->op, elements, per);
    if (row->second == MICRO_OTHER) return;
    stream_barrier(s);
    stream_count(s, row->second, elements, per);
}

/* All rows as one. */
static void joined(Stream *s, const PriceRow *row, int64_t elements, int64_t per, bool counted) {
    if (counted) {
        stream_mask(s, true, 2, true);
        pass_counted(s, row, elements, per);
        stream_mask(s, false, 2, false);
        return;
    }
    pass(s, row, elements / per);
    if (elements % per == 0) return;
    stream_mask(s, true, 1, false);
    pass(s, row, 1);
    stream_mask(s, false, 1, false);
}

static void rows_counted(Stream *s, const PriceRow *row, const Work *w, int64_t per) {
    stream_mask(s, true, 2, true);
    for (Turns k = turns(w->vrows); next_turn(s, &k);)
        pass_counted(s, row, w->vcols, per);
    stream_mask(s, false, 2, false);
}

/* Column blocks of all rows, or rows one by one where a repeat does not reach from row to row. */
static void by_columns(Stream *s, const PriceRow *row, const Work *w, int64_t per) {
    const int64_t n = w->vcols / per, rest = w->vcols % per, block = per / 8;
    if (w->rows <= MOST_REPEATS && w->cols / block <= MOST_REPEATS) {
        for (Turns k = turns(n); next_turn(s, &k);)
            pass(s, row, w->vrows);
        if (rest == 0) return;
        stream_mask(s, true, 1, false);
        pass(s, row, w->vrows);
        stream_mask(s, false, 1, false);
        return;
    }
    int64_t left = row->rule == RULE_UNARY ? rest : w->vcols;
    if (w->rows > per) {
        for (Turns k = turns(n != 0 ? w->vrows : 0); next_turn(s, &k);)
            pass(s, row, n);
        left = rest;
    }
    if (left == 0) return;
    stream_mask(s, true, 1, false);
    for (int64_t k = 0; k < w->vrows; k += MOST_REPEATS)
        pass(s, row, min64(MOST_REPEATS, w->vrows - k));
    stream_mask(s, false, 1, false);
}

static void by_rows(Stream *s, const PriceRow *row, const Work *w, int64_t per) {
    const int64_t across = w->cols / per;
    if (across > 1 && w->rows * across < 4) {
        rows_counted(s, row, w, per);
    } else if (w->rows >= across + 1) {
        by_columns(s, row, w, per);
    } else if (w->vcols % per != 0) {
        rows_counted(s, row, w, per);
    } else {
        for (Turns k = turns(w->vrows); next_turn(s, &k);)
            pass(s, row, w->vcols / per);
    }
}

static void elementwise(Stream *s, const PriceRow *row, const Work *w, int64_t per) {
    const PriceRule rule = row->rule;
    const int64_t all = w->vrows * w->vcols;
    if (rule == RULE_BINARY && w->rows <= MOST_REPEATS && w->cols < per) {
        stream_mask(s, true, 1, false);
        pass(s, row, w->vrows);
        stream_mask(s, false, 1, false);
    } else if (w->cols == w->vcols || w->rows == 1) {
        const bool odd = rule != RULE_UNARY && w->cols % per != 0 && w->cols > per;
        joined(s, row, all, per, odd || ceil_div(w->rows * w->cols, per) > MOST_REPEATS);
    } else if ((rule == RULE_BINARY || rule == RULE_UNARY) && w->vrows == 1) {
        const bool odd = rule == RULE_BINARY && w->vcols > per && w->vcols % per != 0;
        joined(s, row, all, per, odd || ceil_div(all, per) > MOST_REPEATS);
    } else {
        by_rows(s, row, w, per);
    }
}

/* One operation a row, counted. */
static void row_by_row(Stream *s, const PriceRow *row, const Work *w, int64_t per) {
    stream_mask(s, true, 2, true);
    for (Turns k = turns(w->vrows); next_turn(s, &k);)
        stream_count(s, row->op, w->vcols, per);
    stream_mask(s, false, 2, false);
}

/* ---- reductions ---- */

/* Whether the distance of two rows fits in no repeat. */
static bool rows_far_apart(const Work *w, int64_t per) {
    return w->cols / (per / 8) > MOST_REPEATS;
}

/* An operation on a repeat of each row. */
static void each_row(Stream *s, MicroOp op, bool pairwise, const Work *w, int64_t per) {
    if (pairwise && rows_far_apart(w, per)) {
        for (Turns k = turns(w->vrows); next_turn(s, &k);)
            stream_do(s, op, 1);
    } else {
        stream_mask(s, true, 2, true);
        stream_count(s, op, w->vrows * per, per);
        stream_mask(s, false, 2, false);
    }
    stream_barrier(s);
}

/* Shapes of f32 for which the library has code with reductions of blocks: cols / 64 repeats a row,
 * then as listed, per row: -8 is one for eight rows, -4 for four. */
static bool reduce_blocks(Stream *s, const PriceRow *row, const Work *w, int64_t per) {
    static const struct {
        int64_t rows, cols;
        int second; /* repeats a row, negative: rows a repeat; of pairs unless `group` */
        bool group, third_pairs;
    } shapes[] = {{64, 128, 0, false, false},
                  {32, 256, -4, false, false},
                  {16, 512, 1, true, false},
                  {8, 1024, 2, true, true}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes && per == 64; i++) {
        if (w->rows != shapes[i].rows || w->cols != shapes[i].cols || w->vrows != w->rows ||
            w->vcols != w->cols)
            continue;
        const int64_t n = w->vrows;
        stream_do(s, row->third, w->cols / 64 * n);
        stream_barrier(s);
        if (shapes[i].second != 0) {
            stream_do(s, shapes[i].group ? row->third : row->op,
                      shapes[i].second < 0 ? n / -shapes[i].second : n * shapes[i].second);
            stream_barrier(s);
        }
        if (!shapes[i].group || shapes[i].third_pairs) {
            stream_do(s, row->op, n / 8);
            stream_barrier(s);
        }
        stream_do(s, row->third, n / 8);
        stream_barrier(s);
        return true;
    }
    return false;
}

/* The last columns, which do not fill a repeat. */
static void fold_rest(Stream *s, const PriceRow *row, const Work *w, int64_t per) {
    stream_mask(s, true, 1, false);
    if (rows_far_apart(w, per)) {
        for (Turns k = turns(w->vrows); next_turn(s, &k);)
            stream_do(s, row->op, 1);
    } else {
        masked(s, row->op, w->vrows);
    }
    stream_mask(s, false, 1, false);
    stream_barrier(s);
}

/* Rows of at least two repeats: sums by halves, others one repeat after the other. */
static void fold_wide(Stream *s, const PriceRow *row, const Work *w, int64_t per) {
    const int64_t n = w->vcols / per;
    const bool halves = row->op == MICRO_VADD;
    if (w->vcols < 2 * per) {
        s->t += stream_copy(s, w->vrows * 256);
        stream_barrier(s);
    } else if (halves) {
        for (Turns k = turns(n / 2); next_turn(s, &k);)
            each_row(s, row->op, true, w, per);
        if (n % 2 != 0) each_row(s, row->op, true, w, per);
    } else {
        each_row(s, row->op, true, w, per);
    }
    if (w->vcols % per != 0) fold_rest(s, row, w, per);
    for (int64_t left = n / 2; halves && left > 1; left /= 2)
        for (Turns k = turns(left / 2 + left % 2); next_turn(s, &k);)
            each_row(s, row->op, true, w, per);
    for (Turns k = turns(halves ? 0 : n - 2); next_turn(s, &k);)
        each_row(s, row->op, true, w, per);
}

static void reduce_rows(Stream *s, const PriceRow *row, const Work *w, int64_t per) {
    if (reduce_blocks(s, row, w, per)) return;
    if (w->vcols < per) {
        stream_mask(s, true, 1, false);
        for (int64_t k = 0; k < w->vrows; k += MOST_REPEATS) {
            stream_do(s, row->second, min64(MOST_REPEATS, w->vrows - k));
            stream_barrier(s);
        }
        stream_mask(s, false, 1, false);
        return;
    }
    if (w->vcols > per) fold_wide(s, row, w, per);
    each_row(s, row->second, false, w, per);
}

/* Levels of pairs of rows, in scratch. */
static void reduce_columns_by_pairs(Stream *s, const PriceRow *row, const Work *w, int64_t per) {
    int64_t left = w->vrows;
    for (bool first = true; first || left > 1; first = false, left /= 2) {
        stream_mask(s, true, 2, true);
        for (Turns k = turns(left / 2); next_turn(s, &k);)
            stream_count(s, row->op, w->vcols, per);
        stream_barrier(s);
        if (left % 2 != 0) {
            stream_count(s, row->op, w->vcols, per);
            stream_barrier(s);
        }
        stream_mask(s, false, 2, false);
        if (!first) stream_barrier(s);
    }
}

/* Row after row, with a barrier each. */
static void reduce_columns_in_turn(Stream *s, const PriceRow *row, const Work *w, int64_t per) {
    const bool sum = row->op == MICRO_VADD;
    const int64_t whole = sum ? w->vcols : w->vcols / per * per;
    if (whole != 0) {
        stream_mask(s, true, 2, true);
        for (Turns k = turns(w->vrows - 1); next_turn(s, &k);) {
            stream_count(s, row->op, whole, per);
            stream_barrier(s);
        }
        stream_mask(s, false, 2, false);
    }
    if (whole != w->vcols) {
        stream_mask(s, true, 1, false);
        for (Turns k = turns(w->vrows - 1); next_turn(s, &k);) {
            stream_do(s, row->op, 1);
            stream_barrier(s);
        }
        stream_mask(s, false, 1, false);
    }
    if (!sum) stream_barrier(s);
}

static void reduce_columns(Stream *s, const PriceRow *row, const Work *w, int64_t per) {
    const int64_t line = ceil_div(w->vcols * s->width, 32) * 32;
    const bool sum = row->op == MICRO_VADD;
    if (sum && w->tree && w->vrows > 1) {
        reduce_columns_by_pairs(s, row, w, per);
        s->t += stream_copy(s, line);
        stream_barrier(s);
        return;
    }
    s->t += stream_copy(s, line);
    if (w->vrows == 1 && sum && !w->tree) return;
    stream_barrier(s);
    if (w->vrows > 1) reduce_columns_in_turn(s, row, w, per);
}

/* ---- broadcasts ---- */

static void expand_columns(Stream *s, const PriceRow *row, const Work *w, int64_t per,
                           int64_t rows) {
    const int64_t n = w->cols < per ? 0 : w->vcols / per;
    for (Turns k = turns(n); next_turn(s, &k);)
        stream_do(s, row->op, rows);
    if (w->cols >= per && w->vcols % per == 0) return;
    stream_mask(s, true, 1, false);
    stream_do(s, row->op, rows);
    stream_mask(s, false, 1, false);
}

static void expand_rows(Stream *s, const PriceRow *row, const Work *w, int64_t per) {
    enum { ROWS = 240 };
    for (int64_t k = 0; k < w->vrows && w->vrows > MOST_REPEATS; k += ROWS) {
        const int64_t rows = min64(ROWS, w->vrows - k);
        stream_do(s, MICRO_VBRCB, ceil_div(rows, 8));
        stream_barrier(s);
        expand_columns(s, row, w, per, rows);
        if (rows == ROWS) stream_barrier(s);
    }
    if (w->vrows > MOST_REPEATS) return;
    stream_do(s, MICRO_VBRCB, ceil_div(w->vrows, 8));
    stream_barrier(s);
    if (rows_far_apart(w, per) || w->vcols / per > w->vrows)
        row_by_row(s, row, w, per);
    else
        expand_columns(s, row, w, per, w->vrows);
}

/* Each row goes through the scalar unit. */
static void broadcast(Stream *s, const PriceRow *row, const Work *w, int64_t per) {
    if (s->p->law == LAW_VENDOR) {
        s->t += 4 + (double)w->vrows * 4;
        for (Turns k = turns(w->vrows); next_turn(s, &k);) {
            stream_count(s, row->op, w->vcols, per);
            s->state = VECTOR_DRAINED;
        }
        return;
    }
    const double each = stream_number(s, TIME_ROWEXPAND_ROW) + (double)ceil_div(w->vcols, per);
    s->t += stream_number(s, TIME_ROWEXPAND_FIXED) + (double)w->vrows * each;
}

/* ---- others ---- */

static void select_rows(Stream *s, const PriceRow *row, const Work *w, int64_t per) {
    stream_mask(s, true, 1, true);
    for (Turns k = turns(s->p->law == LAW_VENDOR ? w->vrows : 0); next_turn(s, &k);) {
        s->t += 1;
        stream_do(s, row->op, 1);
        stream_barrier(s);
        s->t += 1;
        stream_barrier(s);
        s->t += 1;
        stream_do(s, row->second, 1);
    }
    if (s->p->law != LAW_VENDOR) {
        const double each = stream_number(s, TIME_SEL_ROW) + 2 * (double)ceil_div(w->vcols, per);
        s->t += stream_number(s, TIME_SEL_FIXED) + (double)w->vrows * each;
    }
    stream_mask(s, false, 2, false);
}

static void compare(Stream *s, const PriceRow *row, const Work *w, int64_t per) {
    const MicroOp op = s->p->law == LAW_VENDOR ? MICRO_VCMPV : row->op;
    stream_mask(s, false, 2, false);
    for (Turns k = turns(w->vrows); next_turn(s, &k);)
        stream_do(s, op, ceil_div(w->vcols, per));
}

static void convert(Stream *s, const PriceRow *row, const Work *w, int64_t per) {
    const int64_t n = w->vcols / per;
    for (int64_t k = 0; k < n; k += MOST_REPEATS)
        for (Turns r = turns(w->vrows); next_turn(s, &r);)
            stream_do(s, row->op, min64(MOST_REPEATS, n - k));
    if (w->vcols % per == 0) return;
    stream_mask(s, true, 1, false);
    masked(s, row->op, w->vrows);
    stream_mask(s, false, 1, false);
}

static void copy(Stream *s, const Work *w) {
    const int64_t line = ceil_div(w->vcols * s->width, 32) * 32;
    const bool one = w->cols == w->vcols || w->vrows == 1 || s->p->law != LAW_VENDOR;
    (void)stream_number(s, TIME_UB_UB); /* nothing else decides */
    s->t += one ? stream_copy(s, w->vrows * line) : (double)w->vrows * stream_copy(s, line);
}

static void transpose(Stream *s, const PriceRow *row, const Work *w) {
    const int64_t calls = w->vcols / 16 * (s->width == 4 ? 2 : 1);
    s->t += 4 * (double)calls;
    for (Turns k = turns(calls); next_turn(s, &k);)
        stream_do(s, row->op, w->vrows / 16);
    stream_barrier(s);
    s->t += stream_copy(s, w->vrows * w->vcols * s->width);
}

static void sort(Stream *s, const PriceRow *row, const Work *w) {
    for (Turns k = turns(w->vrows); next_turn(s, &k);) {
        stream_do(s, row->op, w->vcols / 32);
        stream_barrier(s);
    }
}

/* An instruction without a price: one operation of usual speed on all rows. */
static void by_default(Stream *s, const Work *w) {
    s->origin = ORIGIN_DEFAULT;
    if (s->p->law == LAW_VENDOR)
        s->t += 2 + (double)(w->vrows * w->vcols / 32);
    else
        stream_do(s, MICRO_OTHER, w->vrows * ceil_div(w->vcols * s->width, 256));
}

void rule_apply(Stream *s, const PriceRow *row, const Work *w, int64_t per) {
    const bool unknown = s->p->law == LAW_VENDOR && row->origin == RELATIVE;
    if (row->origin > s->origin) s->origin = row->origin == RELATIVE ? RELATIVE : s->origin;
    if (unknown) {
        by_default(s, w);
        return;
    }
    switch (row->rule) {
    case RULE_BINARY:
    case RULE_SCALAR:
    case RULE_UNARY:
    case RULE_QUOTIENT:
        elementwise(s, row, w, per);
        break;
    case RULE_ROW_REDUCE:
        reduce_rows(s, row, w, per);
        break;
    case RULE_COL_REDUCE:
        reduce_columns(s, row, w, per);
        break;
    case RULE_ROW_EXPAND:
        expand_rows(s, row, w, per);
        break;
    case RULE_BROADCAST:
        broadcast(s, row, w, per);
        break;
    case RULE_SELECT:
        select_rows(s, row, w, per);
        break;
    case RULE_COMPARE:
        compare(s, row, w, per);
        break;
    case RULE_CONVERT:
        convert(s, row, w, per);
        break;
    case RULE_COPY:
        copy(s, w);
        break;
    case RULE_MERGE:
        stream_do(s, row->op, w->block != 0 ? w->vcols / (4 * w->block) : 1);
        break;
    case RULE_SORT:
        sort(s, row, w);
        break;
    case RULE_TRANSPOSE:
        transpose(s, row, w);
        break;
    case RULE_ROWS:
        row_by_row(s, row, w, per);
        break;
    case RULE_NONE:
        by_default(s, w);
        break;
    }
}
