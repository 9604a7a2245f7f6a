/* SPDX-License-Identifier: Apache-2.0 */
/* judge.c - what a case must leave in memory, the call, and the comparison of every byte. */
#include "context.h"

/* ---- elements ---- */

Num get(const Case *c, int k, int64_t r, int64_t col) {
    int elem = c->arg[k].elem;
    uint64_t bits = get_bits(c, k, r, col);
    return num_of(elem, elem_lanes(elem) > 1 ? lane_bits(elem, bits, 0) : bits);
}

void put(Case *c, int k, int64_t r, int64_t col, Num value) {
    put_bits(c, k, r, col, code_of(c->arg[k].elem, value));
}

/* Before the call, `want` is what all memories will get. */
void set_bits(Case *c, int k, int64_t r, int64_t col, uint64_t bits) {
    put_bits(c, k, r, col, bits);
}

void set(Case *c, int k, int64_t r, int64_t col, Num value) {
    put(c, k, r, col, value);
}

/* ---- the formula of elements ---- */

/* Argument k of the formula for element (r, col) of the destination. */
static Num input(const Case *c, int k, int64_t r, int64_t col) {
    const Arg *a = &c->arg[k];
    switch (a->letter) {
    case 't':
    case 'u':
        return a->absent ? (Num){0, 0} : get(c, k, r, col);
    case 'r':
        return get(c, k, 0, col);
    case 'c':
        return get(c, k, r, 0);
    case 'e':
    case 'i':
    case 'a':
        return a->value;
    default:
        return (Num){0, 0};
    }
}

static int destination(const Case *c) {
    for (int k = 0; k < c->nargs; k++)
        if (c->arg[k].out) return k;
    return 0;
}

/* f16 and bf16 are computed in f32 and rounded once. */
static uint64_t arithmetic_code(int elem, Num v) {
    if (elem == PTRT_F16 || elem == PTRT_BF16) v.f = single(v.f);
    return code_of(elem, v);
}

void expect_map(Case *c, int64_t rows, int64_t cols) {
    const Formula *f = c->line->formula;
    int d = destination(c), elem = c->arg[d].elem;
    Num x[MAX_ARGS];
    for (int64_t r = 0; r < rows; r++) {
        for (int64_t col = 0; col < cols; col++) {
            for (int k = 0; k < c->nargs; k++)
                x[k] = input(c, k, r, col);
            uint64_t code = f->code != NULL ? f->code(c, x)
                            : f->map != NULL
                                ? arithmetic_code(elem, f->map(c, x))
                                : code_of_real(elem, (double)f->real(c, x), TO_EVEN, false);
            put_bits(c, d, r, col, code);
        }
    }
}

static void expect(Case *c) {
    const Formula *f = c->line->formula;
    const Arg *d = &c->arg[destination(c)];
    if (f->expect != NULL)
        f->expect(c);
    else
        expect_map(c, d->vrow, d->vcol);
}

/* ---- messages ---- */

static void print_arg(const Arg *a, int k) {
    if (a->absent) return;
    if (is_tile(a))
        fprintf(stderr,
                "  %d: %s %s %lldx%lld of %lldx%lld at (%lld,%lld), valid %lldx%lld, space %d"
                " address %lld\n",
                k, elem_text(a->elem), layout_text(a->layout), (long long)a->rows,
                (long long)a->cols, (long long)a->type.rows, (long long)a->type.cols,
                (long long)a->row0, (long long)a->col0, (long long)a->vrow, (long long)a->vcol,
                a->space, (long long)a->addr);
    else if (is_view(a))
        fprintf(stderr,
                "  %d: view %s layout %d [%lld %lld %lld %lld %lld] [%lld %lld %lld %lld %lld]\n",
                k, elem_text(a->elem), a->view.layout, (long long)a->view.shape[0],
                (long long)a->view.shape[1], (long long)a->view.shape[2],
                (long long)a->view.shape[3], (long long)a->view.shape[4],
                (long long)a->view.stride[0], (long long)a->view.stride[1],
                (long long)a->view.stride[2], (long long)a->view.stride[3],
                (long long)a->view.stride[4]);
    else
        fprintf(stderr, "  %d: %lld, %.17g\n", k, (long long)a->i, a->f);
}

/* One line a case; the operands of the first few. */
static bool fail(Case *c, const char *what) {
    Run *run = c->ctx->run;
    const Pass *pass = c->ctx->pass;
    if (run->bad++ >= 10 || run->quiet) return false;
    fprintf(stderr, "%s at %s%s: %s (--case=%s,%d,%d,%u)\n", c->line->name, pass->level,
            pass->checked ? " in checked mode" : "", what, c->line->id, c->e1, c->e2, c->number);
    for (int k = 0; k < c->nargs; k++)
        print_arg(&c->arg[k], k);
    return false;
}

/* ---- comparison ---- */

static uint64_t mix(uint64_t h, uint64_t word) {
    h = (h ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    return h ^ h >> 29;
}

/* Four chains, which do not wait for each other. */
static uint64_t hash(uint64_t h, const unsigned char *p, int64_t n) {
    uint64_t chain[4] = {h, 1, 2, 3}, words[4];
    int64_t i = 0;
    for (; n - i >= (int64_t)sizeof words; i += (int64_t)sizeof words) {
        memcpy(words, p + i, sizeof words);
        for (int k = 0; k < 4; k++)
            chain[k] = mix(chain[k], words[k]);
    }
    memset(words, 0, sizeof words);
    memcpy(words, p + i, (size_t)(n - i));
    for (int k = 0; k < 4; k++)
        h = mix(h, mix(chain[k], words[k]));
    return h;
}

static bool close_enough(const Case *c, int k, int64_t r, int64_t col, uint64_t got) {
    const Formula *f = c->line->formula;
    Num x[MAX_ARGS];
    if (f->ulps == 0 || f->real == NULL) return false;
    for (int i = 0; i < c->nargs; i++)
        x[i] = input(c, i, r, col);
    return ulps_between(c->arg[k].elem, got, f->real(c, x)) <= f->ulps;
}

/* Where a destination may differ: NaNs become what was expected, results of the first pass that are
 * near enough become what is expected of the other ones too. */
static void accept_differences(Case *c, int k, bool first) {
    const Arg *a = &c->arg[k];
    Memory *m = arg_memory(c, a);
    int64_t rows = a->rows, cols = a->cols;
    uint32_t size = a->size;
    if (is_view(a)) view_extents(&a->view, &rows, &cols);
    if (c->exact || memcmp(m->mem + a->start, m->want + a->start, (size_t)a->bytes) == 0) return;
    for (int64_t r = 0; r < rows; r++) {
        for (int64_t col = 0; col < cols; col++) {
            int64_t at = arg_at(a, r, col);
            uint64_t got = bits_load(m->mem + at, size), want = bits_load(m->want + at, size);
            if (got == want) continue;
            if (bits_same(a->elem, got, want))
                bits_store(m->mem + at, size, want);
            else if (first && r < a->vrow && col < a->vcol && close_enough(c, k, r, col, got))
                bits_store(m->want + at, size, got);
        }
    }
}

/* The element of a destination that lies at a byte, for the message. */
static bool find_element(const Case *c, int space, int64_t byte, char *text, size_t size) {
    for (int k = 0; k < c->nargs; k++) {
        const Arg *a = &c->arg[k];
        int64_t rows = a->rows, cols = a->cols;
        if (!a->out || a->space != space) continue;
        if (is_view(a)) view_extents(&a->view, &rows, &cols);
        for (int64_t i = 0; i < rows * cols; i++) {
            int64_t at = arg_at(a, i / cols, i % cols);
            uint32_t n = elem_bytes(a->elem);
            if (byte < at || byte >= at + n) continue;
            uint64_t got = bits_load(arg_memory(c, a)->mem + at, n);
            uint64_t want = bits_load(arg_memory(c, a)->want + at, n);
            Num g = num_of(a->elem, lane_bits(a->elem, got, 0));
            Num w = num_of(a->elem, lane_bits(a->elem, want, 0));
            snprintf(text, size, "argument %d (%lld,%lld) is 0x%llx (%.9g), not 0x%llx (%.9g)", k,
                     (long long)(i / cols), (long long)(i % cols), (unsigned long long)got,
                     elem_is_real(a->elem) ? g.f : (double)g.i, (unsigned long long)want,
                     elem_is_real(a->elem) ? w.f : (double)w.i);
            return true;
        }
    }
    return false;
}

static bool compare_memory(Case *c, int space, int64_t n) {
    Memory *m = &c->ctx->memory[space];
    char text[200];
    if (n > m->size) n = m->size;
    if (memcmp(m->mem, m->want, (size_t)n) == 0) return true;
    int64_t at = 0;
    while (m->mem[at] == m->want[at])
        at++;
    if (!find_element(c, space, at, text, sizeof text))
        snprintf(text, sizeof text, "byte %lld of space %d, outside of all destinations, changed",
                 (long long)at, space);
    return fail(c, text);
}

/* After a refused call the destinations are unspecified. */
static void forget_destinations(Case *c) {
    for (int k = 0; k < c->nargs; k++) {
        const Arg *a = &c->arg[k];
        Memory *m = arg_memory(c, a);
        if ((is_tile(a) || is_view(a)) && (a->out || a->letter == 's'))
            memcpy(m->mem + a->start, m->want + a->start, (size_t)a->bytes);
    }
}

void open_case(Case *c) {
    for (int k = 0; k < c->nargs; k++) {
        const Arg *a = &c->arg[k];
        Memory *m = arg_memory(c, a);
        if (!is_tile(a) && !is_view(a)) continue;
        memcpy(m->mem + a->start, m->want + a->start, (size_t)a->bytes);
        memcpy(m->old + a->start, m->want + a->start, (size_t)a->bytes);
    }
}

/* Operands are again what they were before the first pass. */
static void reopen_case(Case *c) {
    for (int k = 0; k < c->nargs; k++) {
        const Arg *a = &c->arg[k];
        const Memory *m = arg_memory(c, a);
        if (is_tile(a) || is_view(a))
            memcpy(m->mem + a->start, m->old + a->start, (size_t)a->bytes);
    }
}

/* All memories; after a difference the copies are made equal again. */
static bool compare_all(Case *c, bool good, bool whole_memory) {
    for (int s = PTRT_GM; s < PTRT_SPACES && good; s++) {
        const Memory *m = &c->ctx->memory[s];
        if (whole_memory || m->used > 0)
            good = compare_memory(c, s, whole_memory ? m->size : m->used + 1024);
    }
    for (int s = PTRT_GM; s < PTRT_SPACES && !good; s++)
        memcpy(c->ctx->memory[s].want, c->ctx->memory[s].mem, (size_t)c->ctx->memory[s].size);
    return good;
}

static bool judge_code(Case *c, int code, int want) {
    char text[64];
    if (code == want) return true;
    snprintf(text, sizeof text, "returned %d, not %d", code, want);
    return fail(c, text);
}

/* A call that only checked mode refuses, before it writes. */
static bool judge_checked(Case *c, int code) {
    bool good = judge_code(c, code, c->want_checked);
    for (int k = 0; k < c->nargs && good; k++) {
        const Arg *a = &c->arg[k];
        const Memory *m = arg_memory(c, a);
        if ((is_tile(a) || is_view(a)) &&
            memcmp(m->mem + a->start, m->old + a->start, (size_t)a->bytes) != 0)
            good = fail(c, "is refused after it has written");
    }
    return good;
}

static bool judge_call(Case *c, bool first, bool whole_memory) {
    const Run *run = c->ctx->run;
    if (run->before_call != NULL) run->before_call(c);
    int code = c->line->driver->call(c->ctx->core, c);
    if (run->after_call != NULL) run->after_call(c);
    if (c->ctx->pass->checked && c->want_checked != PTRT_OK) return judge_checked(c, code);
    bool good = judge_code(c, code, c->want_code);
    if (c->want_code != PTRT_OK) forget_destinations(c);
    for (int k = 0; k < c->nargs; k++)
        if (c->arg[k].out && !c->arg[k].absent) accept_differences(c, k, first);
    return compare_all(c, good, whole_memory);
}

static void add_to_digest(Case *c) {
    Run *run = c->ctx->run;
    for (int k = 0; k < c->nargs; k++) {
        const Arg *a = &c->arg[k];
        if (a->out && !a->absent)
            run->digest = hash(run->digest, arg_memory(c, a)->want + a->start, a->bytes);
    }
}

/* Memory that no operand uses is looked at now and then: what a call wrote there stays. */
bool judge_case(Case *c) {
    Run *run = c->ctx->run;
    const int n = run->passes.n;
    bool good = true, whole_memory = ++run->done % 64 == 0;
    open_case(c);
    expect(c);
    for (int i = 0; i < n && good; i++) {
        if (i > 0) reopen_case(c);
        use_pass(c->ctx, &run->passes.pass[i]);
        good = judge_call(c, i == 0, whole_memory && i == n - 1);
    }
    add_to_digest(c);
    return good;
}

bool judge_refusal(Case *c, const char *what, bool accepted, bool whole) {
    char text[80];
    snprintf(text, sizeof text, "an operand with %s is accepted", what);
    bool good = !accepted || fail(c, text);
    forget_destinations(c);
    return compare_all(c, good, whole);
}
