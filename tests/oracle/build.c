/* SPDX-License-Identifier: Apache-2.0 */
/* build.c - the cases of a line: which shape, valid region, layouts, places and data each has. */
#include "context.h"

/* Single elements, rows and columns, odd extents, multiples of vectors, wider than a staging block
 * of the runtime. */
static const int64_t shapes[][2] = {{16, 32}, {1, 1}, {13, 37},  {32, 64}, {1, 64},  {5, 300},
                                    {100, 3}, {1, 7}, {33, 130}, {64, 16}, {8, 128}, {1, 1000}};
enum {
    SHAPES = sizeof shapes / sizeof *shapes,
    VALIDS = 8,
    LAYOUT_CHOICES = LAYOUTS + 8,
    COMBINATIONS = LAYOUT_CHOICES * SHAPES * VALIDS,
    STRIDE = 1187 /* no common factor: any run of cases has all values of each digit */
};

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static void choose_valid(Case *c, int digit) {
    int64_t r = c->rows, n = c->cols, empty;
    c->vrow = r;
    c->vcol = n;
    switch (digit) {
    case 1:
        c->vrow = r > 1 ? r - 1 : 1;
        c->vcol = n > 1 ? n - 1 : 1;
        break;
    case 2:
        c->vrow = 1;
        break;
    case 3:
        c->vcol = 1;
        break;
    case 4:
        c->vrow = (r + 1) / 2;
        c->vcol = least(n, n * 2 / 3 + 1);
        break;
    case 5:
        c->vrow = 1 + random_below(&c->random, r);
        c->vcol = 1 + random_below(&c->random, n);
        break;
    case 6:
        c->vcol = n > 1 ? n - 1 : 1;
        break;
    case 7:
        empty = random_below(&c->random, 6);
        if (empty <= 1) c->vrow = 0;
        if (empty >= 1 && empty <= 2) c->vcol = 0;
        break;
    default:
        break;
    }
}

static void choose_digits(Case *c) {
    unsigned n = c->number * STRIDE % COMBINATIONS;
    Digits *d = &c->ctx->digits;
    d->layout = (int)(n % LAYOUT_CHOICES);
    d->shape = (int)(n / LAYOUT_CHOICES % SHAPES);
    d->valid = (int)(n / LAYOUT_CHOICES / SHAPES);
    d->mode = (int)(c->number % 4);
    d->place = (int)random_below(&c->random, 2) ? (int)random_below(&c->random, PLACES) : APART;
}

/* Shape and valid region by the driver's letter. */
static void default_extents(Case *c, Arg *a) {
    bool row = a->letter == 'r' || a->letter == 'R', col = a->letter == 'c' || a->letter == 'C';
    a->rows = row ? 1 : c->rows;
    a->cols = col ? 1 : c->cols;
    a->vrow = row ? 1 : c->vrow;
    a->vcol = col ? 1 : c->vcol;
    if (random_below(&c->random, 4) == 0) {
        a->rows += random_below(&c->random, 4);
        a->cols += random_below(&c->random, 10);
    }
}

static bool treats_elements(const Formula *f) {
    return f->map != NULL || f->code != NULL || f->real != NULL;
}

/* What elementwise kernels read does not depend on the sources' valid regions. */
static void vary_source_valid(Case *c, Arg *a) {
    if (a->out || random_below(&c->random, 4) != 0) return;
    a->vrow = random_below(&c->random, a->rows + 1);
    a->vcol = random_below(&c->random, a->cols + 1);
}

static bool finish(Case *c) {
    const Formula *f = c->line->formula;
    for (int k = 0; k < c->nargs; k++)
        if (c->arg[k].letter == 'e') fill_scalar(c, k);
    if (f->plan != NULL && !f->plan(c)) return false;
    for (int k = 0; k < c->nargs; k++)
        c->arg[k].size = elem_bytes(c->arg[k].elem);
    if (!place_operands(c)) return false;
    fill_operands(c, c->ctx->digits.mode);
    if (f->fill != NULL) f->fill(c);
    return true;
}

/* By the name, not the number: new lines leave the cases of the others as they are. */
static uint64_t seed_of(const Line *line) {
    uint64_t h = 0;
    for (const char *s = line->id; *s != '\0'; s++)
        h = h * 31 + (unsigned char)*s;
    return h;
}

void start_case(Case *c, uint64_t salt) {
    c->random.state = (uint64_t)c->number * 1000003 + seed_of(c->line) * 7919 +
                      (uint64_t)c->e1 * 97 + (uint64_t)(c->e2 + 1) * 31 + salt;
    c->want_code = c->want_checked = PTRT_OK;
    c->exact = c->line->formula->exact;
}

bool build_case(Case *c) {
    start_case(c, 0);
    choose_digits(c);
    c->rows = shapes[c->ctx->digits.shape][0];
    c->cols = shapes[c->ctx->digits.shape][1];
    choose_valid(c, c->ctx->digits.valid);
    if (!line_args(c)) return false;
    for (int k = 0; k < c->nargs; k++) {
        if (!is_tile(&c->arg[k])) continue;
        default_extents(c, &c->arg[k]);
        if (treats_elements(c->line->formula)) vary_source_valid(c, &c->arg[k]);
    }
    return finish(c);
}

/* ---- all codes ---- */

enum { CHUNK_ROWS = 64, CHUNK_COLS = 64, CHUNK = CHUNK_ROWS * CHUNK_COLS, REPEATS = 4 };

/* Source tiles of the line, and the code bits of one element of each. */
static int code_bits(const Case *c) {
    int bits = 0;
    for (int k = 0; k < c->nargs; k++) {
        const Arg *a = &c->arg[k];
        if (a->letter == 't' || a->letter == 'e') bits += 8 * (int)elem_bytes(a->elem);
        if (strchr("rcuvw", a->letter) != NULL) return 0;
    }
    return bits;
}

int exhaustive_cases(const Case *c) {
    int bits = treats_elements(c->line->formula) ? code_bits(c) : 0;
    if (bits == 0 || bits > 16) return 0;
    for (int k = 0; k < c->nargs; k++)
        if (c->arg[k].letter == 'e' && bits != 8 * (int)elem_bytes(c->arg[k].elem) * 2) return 0;
    return (bits == 8 ? 1 : 65536 / CHUNK) * REPEATS;
}

/* The first source has the low bits of the running number, a second one those above. */
static void fill_codes(Case *c, int chunk) {
    int shift = 0;
    for (int k = 0; k < c->nargs; k++) {
        Arg *a = &c->arg[k];
        if (a->letter != 't') continue;
        for (int i = 0; i < CHUNK; i++)
            set_bits(c, k, i / CHUNK_COLS, i % CHUNK_COLS, (uint64_t)(chunk * CHUNK + i) >> shift);
        shift += 8 * (int)elem_bytes(a->elem);
    }
}

/* All tiles 64 x 64 in one layout; attributes and integers vary. */
bool build_exhaustive(Case *c, int i) {
    start_case(c, 1 + (uint64_t)i);
    c->ctx->digits = (Digits){.layout = LAY_ND, .place = APART};
    c->rows = c->vrow = CHUNK_ROWS;
    c->cols = c->vcol = CHUNK_COLS;
    if (!line_args(c)) return false;
    for (int k = 0; k < c->nargs; k++) {
        Arg *a = &c->arg[k];
        if (!is_tile(a)) continue;
        a->rows = a->vrow = CHUNK_ROWS;
        a->cols = a->vcol = CHUNK_COLS;
        a->layouts = 1 << LAY_ND;
    }
    if (!finish(c)) return false;
    fill_codes(c, i / REPEATS);
    return true;
}
