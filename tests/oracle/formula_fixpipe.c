/* SPDX-License-Identifier: Apache-2.0 */
/* formula_fixpipe.c - what leaves an accumulator: words of quantisation, rounding, clamping, relu.
 */
#define ORACLE_FAMILY "fixpipe"
#include "matrix.h"

#include <math.h>

DRIVER(fix_store, "ttiwaa", ptrt_fix_store(HEAD, T(0), T(1), (int64_t)I(2), V(3), A(4), A(5)));
DRIVER(fix_move, "tiitidaa", ptrt_fix_move(HEAD, T(0), I(1), I(2), T(3), I(4), T(5), A(6), A(7)));
DRIVER(fix_insert, "tiitidaa",
       ptrt_fix_insert(HEAD, T(0), I(1), I(2), T(3), I(4), T(5), A(6), A(7)));

/* The places of the operands among the arguments. */
typedef struct Places {
    int words, word, dst, atomic, relu;
    bool view;
} Places;
static const Places store = {1, 2, 3, 4, 5, true}, move = {3, 4, 5, 0, 7, false};

static const Places *places(const Case *c) {
    return c->arg[3].letter == 'w' ? &store : &move;
}

/* ---- words ---- */

static float float_of(uint64_t bits) {
    const uint32_t low = (uint32_t)bits;
    float f;
    memcpy(&f, &low, sizeof f);
    return f;
}

/* Asked for every element: what a line answers is kept. */
static bool is_plain(const Case *c) {
    static const Line *line;
    static bool plain;
    if (line != c->line)
        plain = strstr(c->line->id, "_ACC") != NULL || strstr(c->line->id, "_A2V") != NULL;
    line = c->line;
    return plain;
}

static bool is_word_tile(const Case *c) {
    const int elem = c->arg[places(c)->words].elem;
    return elem == PTRT_I64 || elem == PTRT_U64;
}

/* What the word of a column says. */
typedef struct Word {
    float scale;
    int offset, shift;
    bool is_signed;
} Word;

/* Sign, 8 bits of exponent, 10 of mantissa; 0 has no exception but itself. */
static float short_scale(uint64_t word) {
    const int field = (int)(word >> 13 & 0x7FFFF);
    const int exponent = field >> 10 & 0xFF, mantissa = field & 0x3FF;
    if (exponent == 0 && mantissa == 0) return 0;
    const double v = ldexp(1 + mantissa / 1024.0, exponent - 127);
    return (float)(field >> 18 ? -v : v);
}

static Word word_of(const Case *c, int64_t col) {
    const Places *p = places(c);
    const bool tile = !c->arg[p->words].absent;
    const int dst = c->arg[p->dst].elem;
    if (tile && !is_word_tile(c))
        return (Word){(float)get(c, p->words, 0, col).f, 0, 0, dst == PTRT_I8};
    const uint64_t w = tile ? get_bits(c, p->words, 0, col) : (uint64_t)c->arg[p->word].i;
    return (Word){tile ? short_scale(w) : float_of(w), (int)(w >> 37 & 0x1FF),
                  (int)(w >> 32 & 15) + 1, (w >> 46 & 1) != 0};
}

/* ---- operands ---- */

static int64_t random_word(Case *c) {
    static const float scales[] = {1, 0.75f, -1.5f, 0.001f, 1e30f, -0.0f, 3.1415927f, 1e-40f};
    const uint64_t noise = random_bits(&c->random);
    uint32_t low;
    memcpy(&low, &scales[random_below(&c->random, 8)], sizeof low);
    if (random_below(&c->random, 4) == 0) low = (uint32_t)noise;
    uint64_t w = (noise >> 32 << 32) | low;
    if (random_below(&c->random, 2)) w &= ~(UINT64_C(0x1FF) << 37);
    return (int64_t)w;
}

static void plan_words(Case *c, const Places *p, int64_t cols) {
    static const uint8_t elems[] = {PTRT_U64, PTRT_I64, PTRT_F32, PTRT_F16, PTRT_BF16};
    Arg *w = &c->arg[p->words];
    if (!w->absent) {
        const bool words = c->arg[p->dst].elem == PTRT_I16;
        w->elem = elems[random_below(&c->random, words ? 2 : 5)];
        w->space = PTRT_SCALING;
        w->rows = 1 + random_below(&c->random, 3);
        w->cols = (cols > 0 ? cols : 1) + random_below(&c->random, 5);
        w->vrow = w->rows;
        w->vcol = w->cols;
    } else if (!is_plain(c)) {
        use_int(c, p->word, random_word(c));
    }
}

static void fill(Case *c) {
    const Places *p = places(c);
    const Arg *w = &c->arg[p->words];
    for (int64_t col = 0; !w->absent && is_word_tile(c) && col < w->cols; col++) {
        uint64_t word = (uint64_t)random_word(c);
        set_bits(c, p->words, 0, col, word);
    }
}

/* The accumulator's own layouts, or any. */
static void plan_source(Case *c) {
    c->arg[0].space = c->number % 5 == 0 ? PTRT_VEC : PTRT_ACC;
    if (c->number % 3 != 0) c->arg[0].layouts = 1u << LAY_NZ | 1u << LAY_NZ_1024;
}

static bool plan_store(Case *c) {
    plan_source(c);
    plan_words(c, &store, c->arg[0].vcol);
    use_any_view(c, 3, c->vrow, c->vcol);
    const int elem = c->arg[3].elem;
    const bool adds = elem <= PTRT_U32 || elem == PTRT_F16 || elem == PTRT_BF16 || elem == PTRT_F32;
    use_int(c, 4, adds && c->number % 4 == 1);
    use_int(c, 5, c->number / 2 % 2);
    return true;
}

static bool plan_window(Case *c, int part, int whole_tile) {
    Arg *p = &c->arg[part], *w = &c->arg[whole_tile];
    const bool moves = c->line->args[4] == '0';
    int64_t row = moves ? 0 : random_below(&c->random, 20);
    int64_t col = moves ? 0 : random_below(&c->random, 40);
    plan_source(c);
    c->arg[5].space = c->number / 2 % 2 ? PTRT_MAT : PTRT_VEC;
    w->rows = p->rows + row;
    w->cols = p->cols + col;
    w->vrow = moves ? p->vrow : random_below(&c->random, w->rows + 1);
    w->vcol = moves ? p->vcol : random_below(&c->random, w->cols + 1);
    w->keep_shape = true;
    plan_words(c, &move, part == 0 ? p->vcol : col + p->vcol);
    if (!moves && c->number % 16 == 5) row = random_below(&c->random, 3) == 0 ? -1 : w->rows + 16;
    if (!moves && c->number % 16 == 13) col = INT64_MAX - 2;
    use_int(c, 1, row);
    use_int(c, 2, col);
    if (c->arg[6].i == 0) use_int(c, 6, random_below(&c->random, 2));
    use_int(c, 7, c->number / 2 % 2);
    return w->rows * w->cols <= 8192;
}

static bool plan_move(Case *c) {
    return plan_window(c, 5, 0);
}
static bool plan_insert(Case *c) {
    return plan_window(c, 0, 5);
}

/* ---- one element ---- */

static double between(double x, double low, double high) {
    return isnan(x) ? x : x < low ? low : x > high ? high : x;
}

static uint64_t byte_of(double x, const Word *w, bool relu) {
    if (isnan(x)) return 0;
    double r = real_to_integral(between(x, -256, 255), TO_EVEN) + w->offset;
    r = w->is_signed ? between(r, -128, 127) : between(r, 0, 255);
    if (relu && r < 0) r = 0;
    return (uint64_t)(int64_t)r & 0xFF;
}

static uint64_t shifted(int64_t v, const Word *w, bool relu) {
    v = v < 0 ? ~(~v >> w->shift) : v >> w->shift;
    v = v > INT16_MAX ? INT16_MAX : v < INT16_MIN ? INT16_MIN : v;
    return (uint64_t)(relu && v < 0 ? 0 : v) & 0xFFFF;
}

static double rectified(double x, bool relu) {
    return relu && !(x > 0) ? 0 : x;
}

/* A float result of a quantisation. */
static uint64_t float_code(const Case *c, int elem, double x, bool relu) {
    const bool one_word = c->arg[places(c)->words].absent && c->arg[0].elem == PTRT_F32;
    const double limit = real_limit(elem);
    if (one_word && elem == PTRT_BF16)
        return code_of_real(elem, rectified(x, relu), TO_EVEN, false);
    if (!(one_word && elem == PTRT_F16 && isinf(x))) x = between(x, -limit, limit);
    return code_of_real(elem, rectified(x, relu), TO_EVEN, !isinf(x));
}

static uint64_t code_at(const Case *c, int64_t r, int64_t col) {
    const Places *p = places(c);
    const int from = c->arg[0].elem, to = c->arg[p->dst].elem;
    const bool relu = c->arg[p->relu].i != 0;
    Num x = get(c, 0, r, col);
    if (from == PTRT_U32 && !is_plain(c)) x.i = (int32_t)x.i;
    if (is_plain(c)) {
        if (from == PTRT_F32) return code_of(to, real(rectified(x.f, relu)));
        return code_of(to, whole(relu && from == PTRT_I32 && x.i < 0 ? 0 : x.i));
    }
    const Word w = word_of(c, col);
    if (to == PTRT_I16) return shifted(x.i, &w, relu);
    const float s = from == PTRT_F32 ? (float)x.f : (float)x.i, y = s * w.scale;
    if (to == PTRT_I8 || to == PTRT_U8) return byte_of((double)y, &w, relu);
    return float_code(c, to, (double)y, relu);
}

/* ---- regions ---- */

static void expect_store(Case *c) {
    const int elem = c->arg[3].elem;
    for (int64_t r = 0; r < c->arg[0].vrow; r++)
        for (int64_t col = 0; col < c->arg[0].vcol; col++) {
            uint64_t code = code_at(c, r, col);
            if (c->arg[4].i != 0) {
                const Num a = get(c, 3, r, col), b = num_of(elem, code);
                code = code_of(elem,
                               elem_is_real(elem) ? real(single(a.f + b.f)) : wrap_add(a.i, b.i));
            }
            put_bits(c, 3, r, col, code);
        }
}

static bool fits(Case *c, const Arg *part, const Arg *whole_tile) {
    const int64_t row = c->arg[1].i, col = c->arg[2].i;
    if (part->vrow == 0 || part->vcol == 0) return false; /* nothing is accessed */
    const bool inside = row >= 0 && col >= 0 && row <= whole_tile->rows - part->vrow &&
                        col <= whole_tile->cols - part->vcol;
    if (!inside) c->want_code = PTRT_E_BOUNDS;
    return inside;
}

static void expect_move(Case *c) {
    const Arg *d = &c->arg[5];
    if (!fits(c, d, &c->arg[0])) return;
    for (int64_t r = 0; r < d->vrow; r++)
        for (int64_t col = 0; col < d->vcol; col++)
            put_bits(c, 5, r, col, code_at(c, c->arg[1].i + r, c->arg[2].i + col));
}

static void expect_insert(Case *c) {
    const Arg *s = &c->arg[0];
    if (!fits(c, s, &c->arg[5])) return;
    for (int64_t r = 0; r < s->vrow; r++)
        for (int64_t col = 0; col < s->vcol; col++)
            put_bits(c, 5, c->arg[1].i + r, c->arg[2].i + col, code_at(c, r, col));
}

#define STORE(ID) FORMULA(ID, .plan = plan_store, .fill = fill, .expect = expect_store)
#define MOVE(ID) FORMULA(ID, .plan = plan_move, .fill = fill, .expect = expect_move)
#define INSERT(ID) FORMULA(ID, .plan = plan_insert, .fill = fill, .expect = expect_insert)
STORE(TSTORE_ACC);
STORE(TSTORE_SCALAR);
STORE(TSTORE_VECTOR);
STORE(TSTORE_FP);
MOVE(TMOV_ACC);
MOVE(TMOV_SCALAR);
MOVE(TMOV_VECTOR);
MOVE(TMOV_FP);
MOVE(TPUSH_ACC);
MOVE(TPUSH_SCALAR);
MOVE(TPUSH_VECTOR);
MOVE(TMOV_A2V);
MOVE(TMOV_S2D_ACC);
MOVE(TEXTRACT_ACC);
MOVE(TEXTRACT_SCALAR);
MOVE(TEXTRACT_VECTOR);
MOVE(TEXTRACT_FP);
INSERT(TINSERT_ACC);
INSERT(TINSERT_SCALAR);
INSERT(TINSERT_VECTOR);
INSERT(TINSERT_FP);
