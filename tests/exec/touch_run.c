/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a statement on memory with different contents, and compares what it does with what is
 * declared. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "touched.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_AREAS = 10, NUMBERS = 8, KINDS = NUMBERS + 9, BASES = 40, VALUES = 8, NEAR = 1 << 14 };

/* ---- memory ---- */

/* Memory that the statement can reach: an array of the core, or the buffer of the caller. */
typedef struct Area {
    unsigned char *at;
    size_t size;
    unsigned char *reads, *writes; /* the declared bits of each byte */
    unsigned char *before, *after;
} Area;

/* Bytes that belong to an operand. */
typedef struct Range {
    unsigned char *at;
    size_t n, offset; /* offset: of its copies */
} Range;

/* Contents of the ranges before and after a run. */
typedef struct Base {
    unsigned char *before, *after;
    bool made, ran;
} Base;

static struct {
    const Statement *s;
    Function f;
    ptrt_tile tiles[MOST_PARTS];
    unsigned first, calls; /* tiles seen before the statement; calls so far */
    Area areas[MOST_AREAS];
    unsigned nareas;
    /* Contents of what is read and of the rest, as seeds. */
    uint32_t inside, outside, kind;
    /* A run from a base, of which one element has other contents. */
    const Base *base;
    const Elements *flipped; /* all of them have the complement */
    Cell poked;
    unsigned char poke[8];
    Range ranges[MOST_PARTS];
    unsigned nranges;
    size_t bytes; /* of all ranges */
    Base bases[BASES];
    bool declared, moved, whole;
    bool narrow; /* a run with new contents of the ranges only */
} run;

static unsigned char buffer[BUFFER];

static uint32_t next(uint32_t *seed) {
    uint32_t x = *seed += 0x9e3779b9;
    x = (x ^ x >> 16) * 0x85ebca6b;
    x = (x ^ x >> 13) * 0xc2b2ae35;
    return x ^ x >> 16;
}

/* Contents of some kinds: most statements take any, some only small or different numbers. */
static unsigned char content(uint32_t kind, size_t i, uint32_t *seed) {
    static const uint16_t limits[] = {32, 256, 512, 1024};
    const uint32_t r = next(seed);
    if (kind >= NUMBERS && kind < KINDS - 1) { /* numbers of elements of 4 or 2 bytes */
        const size_t size = kind % 2 == 0 ? 4 : 2;
        return (unsigned char)(i / size % limits[(kind - NUMBERS) / 2] >> 8 * (i % size));
    }
    switch (kind) {
    case 0:
        return i % 4 == 3 ? (unsigned char)((0x3c + r % 6) | (r & 64) << 1) : (unsigned char)r;
    case 1:
    case 2:
        return i % (kind == 1 ? 4 : 2) == 0 ? r % 4 : 0;
    case 3:
        return i % 4 == 3 ? (unsigned char)(0x40 + r % 4) : i % 4 == 2 ? (unsigned char)r : 0;
    case 4: /* factors: odd integers, ones of f16, of bf16 and f32 */
        return 1;
    case 5:
        return i % 2 == 0 ? 0 : 0x3c;
    case 6:
        return i % 2 == 0 ? 0x80 : 0x3f;
    case 7: /* numbers of rows of 32 elements */
        return i % 4 == 0 ? i / 128 % 32 : 0;
    }
    return (unsigned char)r;
}

/* The first bases have all kinds, the others random contents, which any mask has in some. */
static uint32_t kind_of_base(unsigned b) {
    return b < KINDS ? b : b % 2 == 0 ? 0 : KINDS - 1;
}

/* Contents of an element to try: some like its surroundings, large and small ones of any type, and
 * the number 2, which scalars are. */
static void choose_poke(unsigned value, uint32_t kind, size_t n, uint32_t *seed) {
    static const unsigned char all[VALUES] = {0, 0, 0x77, 0xf7, 0xff, 0, 0, 0};
    for (size_t i = 0; i < n; i++)
        run.poke[i] = value < 2 ? content(kind, i, seed) : all[value];
    if (value == 6) run.poke[n - 1] = 0x40;
    if (value == 7) run.poke[0] = 2;
}

static void *allocate(size_t n) {
    void *p = calloc(n, 1);
    assert_non_null(p);
    return p;
}

/* Returns how much of the memory of a space is looked at: what the tiles lie in, and more. */
static size_t near_bytes(const unsigned char *base, size_t size) {
    size_t end = 0;
    for (unsigned i = 0; i < run.s->n; i++) {
        const ptrt_tile *t = &run.tiles[i];
        if (run.s->parts[i].tile && t->base == base && t->addr + t->bytes > end)
            end = t->addr + t->bytes;
    }
    return run.whole || end + NEAR > size ? size : end + NEAR;
}

static Area *area_of(unsigned char *at, size_t size) {
    for (unsigned i = 0; i < run.nareas; i++)
        if (run.areas[i].at == at) return &run.areas[i];
    assert_true(run.nareas < MOST_AREAS);
    Area *a = &run.areas[run.nareas++];
    *a = (Area){at, size, allocate(size), allocate(size), allocate(size), allocate(size)};
    return a;
}

static Area *area_around(const unsigned char *at) {
    for (unsigned i = 0; i < run.nareas; i++)
        if (at >= run.areas[i].at && at < run.areas[i].at + run.areas[i].size) return &run.areas[i];
    return NULL;
}

static void forget(void) {
    for (unsigned i = 0; i < run.nareas; i++) {
        free(run.areas[i].reads);
        free(run.areas[i].writes);
        free(run.areas[i].before);
        free(run.areas[i].after);
    }
    for (unsigned i = 0; i < BASES; i++) {
        free(run.bases[i].before);
        free(run.bases[i].after);
    }
    memset(run.bases, 0, sizeof run.bases);
    run.nareas = run.nranges = 0;
    run.bytes = 0;
    run.declared = run.moved = false;
}

/* ---- what is declared ---- */

static void declare_cell(Cell c, bool read, bool write) {
    Area *a = area_around(c.at);
    for (size_t i = 0; a != NULL && i < c.n; i++) {
        const size_t at = (size_t)(c.at - a->at) + i;
        if (at >= a->size) return;
        if (read) a->reads[at] |= c.mask;
        if (write) a->writes[at] = 0xFF;
    }
}

static void add_range(unsigned char *at, size_t n) {
    run.ranges[run.nranges++] = (Range){at, n, run.bytes};
    run.bytes += n;
}

/* Declares from the tiles that a first run saw. */
static void declare(void) {
    const Statement *s = run.s;
    area_of(buffer, sizeof buffer);
    for (unsigned i = 0; i < s->n; i++) {
        const Part *p = &s->parts[i];
        if (p->tile) area_of(run.tiles[i].base, near_bytes(run.tiles[i].base, run.tiles[i].size));
        if (p->tile)
            add_range(run.tiles[i].at, run.tiles[i].bytes);
        else
            add_range(buffer + p->at, (size_t)(p->rows * p->cols) * p->size);
    }
    for (unsigned i = 0; i < s->n; i++) {
        const Part *p = &s->parts[i];
        if (p->touched == NULL) continue;
        const Elements e = touched_elements(s, i, run.tiles, buffer);
        for (int64_t k = 0; k < e.rows * e.cols; k++)
            declare_cell(touched_cell(&e, k), p->read, p->write);
    }
    run.declared = true;
}

/* ---- runs ---- */

static void fill(Area *a, size_t from, size_t n, uint32_t number) {
    uint32_t in = run.inside + number, out = run.outside + number;
    for (size_t i = from; i < from + n && i < a->size; i++) {
        const unsigned char read = content(run.kind, i, &in), rest = (unsigned char)next(&out);
        a->at[i] = (unsigned char)((read & a->reads[i]) | (rest & ~a->reads[i]));
    }
    memcpy(a->before + from, a->at + from, n);
}

static void fill_all(void) {
    for (unsigned k = 0; k < run.nareas && !run.narrow; k++)
        fill(&run.areas[k], 0, run.areas[k].size, k);
    for (unsigned k = 0; k < run.nranges && run.narrow; k++) {
        Area *a = area_around(run.ranges[k].at);
        fill(a, (size_t)(run.ranges[k].at - a->at), run.ranges[k].n, k);
    }
}

static void keep_all(void) {
    for (unsigned k = 0; k < run.nareas && !run.narrow; k++)
        memcpy(run.areas[k].after, run.areas[k].at, run.areas[k].size);
    for (unsigned k = 0; k < run.nranges && run.narrow; k++) {
        Area *a = area_around(run.ranges[k].at);
        memcpy(a->after + (run.ranges[k].at - a->at), run.ranges[k].at, run.ranges[k].n);
    }
}

/* Restores what a base began with, and changes one element or many. */
static void poke(void) {
    for (unsigned i = 0; i < run.nranges; i++)
        memcpy(run.ranges[i].at, run.base->before + run.ranges[i].offset, run.ranges[i].n);
    for (int64_t k = 0; run.flipped != NULL && k < run.flipped->rows * run.flipped->cols; k++) {
        const Cell c = touched_cell(run.flipped, k);
        for (size_t i = 0; i < c.n; i++)
            c.at[i] ^= c.mask;
    }
    if (run.flipped != NULL) return;
    for (size_t i = 0; i < run.poked.n; i++) {
        unsigned char *p = run.poked.at + i;
        *p = (unsigned char)((*p & ~run.poked.mask) | (run.poke[i] & run.poked.mask));
    }
}

int touched_see(int part, const ptrt_tile *t) {
    const unsigned call = run.calls++;
    if (call < run.first || run.s->parts[part].result) {
        run.moved |= run.declared && run.tiles[part].at != t->at;
        run.tiles[part] = *t;
    }
    if (call + 1 == run.first && run.base != NULL) poke();
    if (call + 1 == run.first && run.base == NULL && run.declared) fill_all();
    if (call == run.first && run.base == NULL) keep_all();
    return 0;
}

static int call(void) {
    run.calls = 0;
    return run.f(buffer, 0);
}

/* Runs with all contents new. */
static int call_with(uint32_t kind, uint32_t inside, uint32_t outside) {
    run.base = NULL;
    run.kind = kind;
    run.inside = inside;
    run.outside = outside;
    return call();
}

/* ---- judging whole runs ---- */

static bool is_strayed(const unsigned char *before, const unsigned char *after,
                       const unsigned char *declared, size_t n, size_t *at) {
    for (*at = 0; *at < n; ++*at)
        if (((before[*at] ^ after[*at]) & ~declared[*at]) != 0) return true;
    return false;
}

/* Says where in which operand a byte is. */
static void name_place(const unsigned char *at, Finding *v) {
    for (unsigned i = 0; i < run.nranges; i++) {
        const ptrdiff_t off = at - run.ranges[i].at;
        if (off < 0 || (size_t)off >= run.ranges[i].n) continue;
        snprintf(v->element, sizeof v->element, "byte %lld of %s", (long long)off,
                 run.s->inst->slots[run.s->parts[i].slot].name);
        return;
    }
    snprintf(v->element, sizeof v->element, "a byte of no operand");
}

static bool writes_declared(Finding *v) {
    size_t at;
    for (unsigned k = 0; k < run.nareas; k++) {
        const Area *a = &run.areas[k];
        if (!is_strayed(a->before, a->after, a->writes, a->size, &at)) continue;
        name_place(a->at + at, v);
        v->wrong = "writes more than the table says";
        return false;
    }
    return true;
}

/* What a run left, to compare it with another. */
typedef struct Kept {
    unsigned char *before[MOST_AREAS], *after[MOST_AREAS];
} Kept;

static void keep(Kept *k) {
    for (unsigned i = 0; i < run.nareas; i++) {
        Area *a = &run.areas[i];
        k->before[i] = a->before;
        k->after[i] = a->after;
        a->before = allocate(a->size);
        a->after = allocate(a->size);
    }
}

static void drop(Kept *k) {
    for (unsigned i = 0; i < run.nareas; i++) {
        free(k->before[i]);
        free(k->after[i]);
    }
}

/* What one of two runs wrote must be the same in both: only what is declared as read is. */
static void compare_runs(const Kept *x, Finding *v) {
    for (unsigned k = 0; k < run.nareas && v->wrong == NULL; k++) {
        const Area *y = &run.areas[k];
        for (size_t i = 0; i < y->size; i++) {
            const unsigned wrote =
                (x->before[k][i] ^ x->after[k][i]) | (y->before[i] ^ y->after[i]);
            if ((wrote & (x->after[k][i] ^ y->after[i])) == 0) continue;
            name_place(y->at + i, v);
            v->wrong = "reads more than the table says, with an effect on";
            return;
        }
    }
}

static void name_element(const Elements *e, int64_t k, Finding *v) {
    snprintf(v->element, sizeof v->element, "element (%lld, %lld) of %s",
             (long long)(e->row + k / e->cols), (long long)(e->col + k % e->cols),
             run.s->inst->slots[e->part->slot].name);
}

/* ---- judging elements ---- */

static unsigned char *copy_ranges(bool after) {
    unsigned char *out = allocate(run.bytes + 1);
    for (unsigned i = 0; i < run.nranges; i++) {
        const Area *a = area_around(run.ranges[i].at);
        const size_t at = (size_t)(run.ranges[i].at - a->at);
        memcpy(out + run.ranges[i].offset, (after ? a->after : a->before) + at, run.ranges[i].n);
    }
    return out;
}

static Base *base_at(unsigned b) {
    Base *base = &run.bases[b];
    if (base->made) return base;
    base->made = true;
    run.narrow = true;
    base->ran = call_with(kind_of_base(b), 11 + 64 * b, 7) == 0;
    run.narrow = false;
    base->before = copy_ranges(false);
    base->after = copy_ranges(true);
    return base;
}

/* Whether what is in memory differs from what a base left there, besides the element that was
 * changed, where it is not written. */
static bool differs(const Base *base) {
    for (unsigned i = 0; i < run.nranges; i++) {
        const Range *r = &run.ranges[i];
        const unsigned char *left = base->after + r->offset;
        if (memcmp(r->at, left, r->n) == 0) continue;
        const Area *a = area_around(r->at);
        for (size_t k = 0; k < r->n; k++) {
            unsigned char mask = 0xFF;
            if (r->at + k >= run.poked.at && r->at + k < run.poked.at + run.poked.n)
                mask = (unsigned char)(~run.poked.mask | a->writes[r->at + k - a->at]);
            if (((r->at[k] ^ left[k]) & mask) != 0) return true;
        }
    }
    return false;
}

static bool has_effect(Cell c) {
    uint32_t seed = 99;
    assert_true(c.n <= sizeof run.poke);
    for (unsigned b = 0; b < BASES; b++) {
        Base *base = base_at(b);
        for (unsigned v = 0; base->ran && v < VALUES; v++) {
            choose_poke(v, kind_of_base(b), c.n, &seed);
            run.base = base;
            run.poked = c;
            if (call() == 0 && differs(base)) return true;
        }
    }
    return false;
}

/* Whether an element has what it had after a base, although it was the complement before. */
static bool was_written(const Base *base, Cell c) {
    for (unsigned i = 0; i < run.nranges; i++) {
        const Range *r = &run.ranges[i];
        if (c.at < r->at || c.at >= r->at + r->n) continue;
        const unsigned char *left = base->after + r->offset + (c.at - r->at);
        for (size_t k = 0; k < c.n; k++)
            if (((c.at[k] ^ left[k]) & c.mask) != 0) return false;
    }
    return true;
}

/* Each element of a region that is written as a whole is written, with some contents. */
static void find_kept(unsigned part, Finding *v) {
    const Elements e = touched_elements(run.s, part, run.tiles, buffer);
    const int64_t n = e.rows * e.cols;
    bool *written = allocate((size_t)n + 1);
    int64_t left = n;
    for (unsigned b = 0; b < BASES && left > 0; b++) {
        run.base = base_at(b);
        run.flipped = &e;
        if (!run.base->ran || call() != 0) continue;
        for (int64_t k = 0; k < n; k++) {
            if (written[k] || !was_written(run.base, touched_cell(&e, k))) continue;
            written[k] = true;
            left--;
        }
    }
    run.flipped = NULL;
    for (int64_t k = 0; k < n && v->wrong == NULL; k++) {
        if (written[k]) continue;
        v->wrong = "does not write what the table names";
        name_element(&e, k, v);
    }
    free(written);
}

/* Tries an element; false when it has no effect. */
static bool try_element(unsigned i, const Elements *e, int64_t k, Finding *v) {
    const bool has = has_effect(touched_cell(e, k));
    v->effect[i] |= has;
    if (has || !run.s->parts[i].must || v->wrong != NULL) return has;
    v->wrong = "does not read what the table names";
    name_element(e, k, v);
    return false;
}

/* Tries the corners and others, in all columns; all elements if there are no more than `most`. Of
 * an operand that is read in parts, only whether any of the first ones has an effect. */
static void try_elements(unsigned i, unsigned most, Finding *v) {
    const Elements e = touched_elements(run.s, i, run.tiles, buffer);
    const int64_t n = e.rows * e.cols, step = n > (int64_t)most ? n / (int64_t)most | 1 : 1;
    const int64_t corners[] = {0, e.cols - 1, n - e.cols, n - 1};
    const bool must = run.s->parts[i].must;
    for (unsigned k = 0; k < 4 && n > 0 && v->wrong == NULL && !(v->effect[i] && !must); k++)
        (void)try_element(i, &e, corners[k], v);
    for (int64_t k = 0; k < n && (must || !v->effect[i]) && v->wrong == NULL; k += step)
        (void)try_element(i, &e, k, v);
}

void touched_judge(const Statement *s, Function f, unsigned most, bool whole, Finding *v) {
    uint32_t kind = 0;
    Kept first;
    *v = (Finding){.wrong = NULL};
    forget();
    run.s = s;
    run.f = f;
    run.whole = whole;
    unsigned tiles = 0;
    run.first = 0;
    for (unsigned i = 0; i < s->n; i++) {
        run.first += s->parts[i].tile && !s->parts[i].result;
        tiles += s->parts[i].tile;
    }
    /* the first run finds the tiles */
    if (call_with(0, 1, 2) != 0 && run.calls < run.first) return;
    if (run.calls == run.first && tiles > run.first) return;
    declare();
    while (kind < KINDS && call_with(kind, 1, 2) != 0)
        kind++;
    /* a statement for both kinds of cores is seen twice */
    v->ran = kind < KINDS && run.calls == run.first + tiles;
    if (!v->ran || !writes_declared(v)) return;
    keep(&first);
    if (call_with(kind, 1, 3) != 0) v->wrong = "fails with other contents of what is not read";
    if (v->wrong == NULL && writes_declared(v)) compare_runs(&first, v);
    drop(&first);
    for (unsigned i = 0; i < s->n && v->wrong == NULL; i++) {
        const Part *p = &s->parts[i];
        if (p->touched != NULL && p->write && !p->read && p->exact) find_kept(i, v);
    }
    for (unsigned i = 0; i < s->n && v->wrong == NULL; i++)
        if (s->parts[i].touched != NULL && s->parts[i].read && most > 1) try_elements(i, most, v);
    assert_false(run.moved);
}
