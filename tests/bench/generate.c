/* SPDX-License-Identifier: Apache-2.0 */
/* The program generator. The weights are the shares of the instructions in real exported kernels.
 * The programs are legal: tiles of a function have one valid region, and no constant decides where
 * a window is. */
#include "generate.h"
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 80, POOL = 24, MAX_STATEMENTS = 220, MAX_DEPTH = 3, POOLS = 8 };

typedef struct Pool {
    char name[POOL][NAME];
    int n;
} Pool;

typedef struct Gen {
    Program out;
    size_t cap;
    uint64_t random;
    unsigned serial; /* of the function: makes names distinct within it */
    int depth;
    char tile_type[160], rows[16], cols[16]; /* of the function */
    /* places: indices that no constant decides, as parameters are part of them. */
    Pool indices, places, addresses, views, parts, tiles, conditions, floats;
    int marks[MAX_DEPTH + 1][POOLS]; /* pool sizes when a region was opened */
} Gen;

static unsigned pick(Gen *g, unsigned n) {
    g->random = g->random * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(g->random >> 33) % n;
}

static void put(Gen *g, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void put(Gen *g, const char *fmt, ...) {
    char line[1024];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    if (g->out.text == NULL || n < 0) return;
    if (g->out.size + (size_t)n + 1 > g->cap) {
        g->cap *= 2;
        char *bigger = realloc(g->out.text, g->cap);
        if (bigger == NULL) free(g->out.text);
        g->out.text = bigger;
        if (bigger == NULL) return;
    }
    memcpy(g->out.text + g->out.size, line, (size_t)n + 1);
    g->out.size += (size_t)n;
}

static void statement(Gen *g) {
    g->out.statements++;
    put(g, "%*s", 4 + 2 * g->depth, "");
}

/* ---- names ---- */

static const char *const words[] = {
    "acc",   "hidden", "scores", "weight", "row",   "limit", "partial", "t",
    "query", "cache",  "norm",   "bias",   "route", "mix",   "chunk",   "oi",
};

/* A third of the names carry numbers of the compiler that made them, the others are short. */
static const char *new_name(Gen *g, char *out) {
    const char *w = words[pick(g, sizeof words / sizeof *words)];
    unsigned kind = pick(g, 10), n = g->serial++;
    if (kind < 4)
        snprintf(out, NAME, "%%%u", n);
    else if (kind < 7)
        snprintf(out, NAME, "%%%s__tmp_v%u", w, n);
    else
        snprintf(out, NAME, "%%%s_inline%u_inline%u__ssa_v%u", w, 1000 + pick(g, 600),
                 2000 + pick(g, 600), n);
    return out;
}

static Pool *pool_at(Gen *g, int i) {
    Pool *const pools[] = {&g->indices, &g->places, &g->addresses,  &g->views,
                           &g->parts,   &g->tiles,  &g->conditions, &g->floats};
    return pools[i];
}

/* A full pool forgets values of the innermost region. */
static void pool_add(Gen *g, Pool *p, const char *name) {
    int first = POOL / 2, at = p->n;
    for (int i = 0; g->depth > 0 && i < POOLS; i++)
        if (pool_at(g, i) == p) first = g->marks[g->depth - 1][i];
    if (at == POOL) {
        if (first == POOL) return;
        at = first + (int)pick(g, (unsigned)(POOL - first));
    } else {
        p->n++;
    }
    snprintf(p->name[at], NAME, "%s", name);
}

static const char *pool_get(Gen *g, const Pool *p) {
    return p->name[pick(g, (unsigned)p->n)];
}

/* ---- statements ---- */

static void index_constant(Gen *g) {
    char name[NAME];
    unsigned value = 1u << pick(g, 12);
    snprintf(name, NAME, "%%c%u_index_%u", value, g->serial++);
    statement(g);
    put(g, "%s = arith.constant %u : index\n", name, value);
    pool_add(g, &g->indices, name);
}

static void address_constant(Gen *g) {
    char name[NAME];
    unsigned value = pick(g, 5000) * 32;
    snprintf(name, NAME, "%%c%u_i64_%u", value, g->serial++);
    statement(g);
    put(g, "%s = arith.constant %u : i64\n", name, value);
    pool_add(g, &g->addresses, name);
}

static void float_constant(Gen *g) {
    char name[NAME];
    snprintf(name, NAME, "%%cst_%u", g->serial++);
    statement(g);
    put(g, "%s = arith.constant %u.50000000000000000e+00 : f32\n", name, pick(g, 9));
    pool_add(g, &g->floats, name);
}

static void constant(Gen *g) {
    unsigned k = pick(g, 10);
    if (k < 5)
        index_constant(g);
    else if (k < 8)
        address_constant(g);
    else
        float_constant(g);
}

static void arithmetic(Gen *g) {
    static const char *const ops[] = {"maxsi", "maxsi", "maxsi", "maxsi", "addi",  "addi", "addi",
                                      "muli",  "muli",  "subi",  "minsi", "divsi", "remsi"};
    char name[NAME];
    const char *op = ops[pick(g, sizeof ops / sizeof *ops)];
    const char *a = pool_get(g, &g->places), *b = pool_get(g, &g->indices);
    statement(g);
    put(g, "%s = arith.%s %s, %s : index\n", new_name(g, name), op, a, b);
    pool_add(g, &g->indices, name);
    pool_add(g, &g->places, name);
}

static void index_cast(Gen *g) {
    char wide[NAME], name[NAME];
    statement(g);
    put(g, "%s = arith.index_cast %s : index to i32\n", new_name(g, wide),
        pool_get(g, &g->indices));
    statement(g);
    put(g, "%s = arith.index_cast %s : i32 to index\n", new_name(g, name), wide);
    pool_add(g, &g->indices, name);
}

static void compare(Gen *g) {
    static const char *const preds[] = {"eq", "ne", "slt", "sle", "sgt", "sge"};
    char name[NAME];
    statement(g);
    put(g, "%s = arith.cmpi %s, %s, %s : index\n", new_name(g, name), preds[pick(g, 6)],
        pool_get(g, &g->indices), pool_get(g, &g->indices));
    pool_add(g, &g->conditions, name);
}

static void tensor_view(Gen *g) {
    char name[NAME];
    statement(g);
    put(g,
        "%s = pto.make_tensor_view %%arg%u, shape = [%s, %s], strides = [%s, %%c1] {layout = "
        "#pto.layout<nd>} : !pto.tensor_view<?x?xf32>\n",
        new_name(g, name), pick(g, 4), pool_get(g, &g->places), pool_get(g, &g->places),
        pool_get(g, &g->indices));
    pool_add(g, &g->views, name);
}

static void partition(Gen *g) {
    char name[NAME];
    statement(g);
    put(g,
        "%s = pto.partition_view %s, offsets = [%s, %s], sizes = [%s, %s] : "
        "!pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<?x?xf32>\n",
        new_name(g, name), pool_get(g, &g->views), pool_get(g, &g->places), pool_get(g, &g->places),
        g->rows, g->cols);
    pool_add(g, &g->parts, name);
}

static void alloc(Gen *g) {
    char name[NAME];
    statement(g);
    put(g, "%s = pto.alloc_tile addr = %s valid_row = %s valid_col = %s : %s\n", new_name(g, name),
        pool_get(g, &g->addresses), g->rows, g->cols, g->tile_type);
    pool_add(g, &g->tiles, name);
}

static void load(Gen *g) {
    statement(g);
    put(g, "pto.tload ins(%s : !pto.partition_tensor_view<?x?xf32>) outs(%s : %s)\n",
        pool_get(g, &g->parts), pool_get(g, &g->tiles), g->tile_type);
}

static void store(Gen *g) {
    statement(g);
    put(g, "pto.tstore ins(%s : %s) outs(%s : !pto.partition_tensor_view<?x?xf32>)\n",
        pool_get(g, &g->tiles), g->tile_type, pool_get(g, &g->parts));
}

static void two_tiles(Gen *g) {
    statement(g);
    put(g, "pto.%s ins(%s, %s : %s, %s) outs(%s : %s)\n", pick(g, 5) < 3 ? "tadd" : "tmul",
        pool_get(g, &g->tiles), pool_get(g, &g->tiles), g->tile_type, g->tile_type,
        pool_get(g, &g->tiles), g->tile_type);
}

static void tile_scalar(Gen *g) {
    statement(g);
    put(g, "pto.tadds ins(%s, %s : %s, f32) outs(%s : %s)\n", pool_get(g, &g->tiles),
        pool_get(g, &g->floats), g->tile_type, pool_get(g, &g->tiles), g->tile_type);
}

static void expand(Gen *g) {
    statement(g);
    put(g, "pto.texpands ins(%s : f32) outs(%s : %s)\n", pool_get(g, &g->floats),
        pool_get(g, &g->tiles), g->tile_type);
}

static void scalar_access(Gen *g) {
    char name[NAME];
    statement(g);
    if (pick(g, 3) < 2) {
        put(g, "%s = pto.load_scalar %%arg%u[%s] : !pto.ptr<f32> -> f32\n", new_name(g, name),
            pick(g, 4), pool_get(g, &g->indices));
        pool_add(g, &g->floats, name);
    } else {
        put(g, "pto.store_scalar %s, %%arg%u[%s] : !pto.ptr<f32>, f32\n", pool_get(g, &g->floats),
            pick(g, 4), pool_get(g, &g->indices));
    }
}

/* ---- regions ---- */

static void open_region(Gen *g) {
    char name[NAME];
    bool loop = pick(g, 2) == 0;
    statement(g);
    if (loop)
        put(g, "scf.for %s = %s to %s step %%c1 {\n", new_name(g, name), pool_get(g, &g->indices),
            pool_get(g, &g->indices));
    else
        put(g, "scf.if %s {\n", pool_get(g, &g->conditions));
    for (int i = 0; i < POOLS; i++)
        g->marks[g->depth][i] = pool_at(g, i)->n;
    g->depth++;
    if (loop) pool_add(g, &g->indices, name);
}

/* What was defined inside is not visible any more. */
static void close_region(Gen *g) {
    g->depth--;
    for (int i = 0; i < POOLS; i++)
        pool_at(g, i)->n = g->marks[g->depth][i];
    put(g, "%*s}\n", 4 + 2 * g->depth, "");
}

/* ---- a function ---- */

typedef struct Choice {
    void (*make)(Gen *);
    unsigned weight;
} Choice;

static const Choice choices[] = {
    {alloc, 599},       {constant, 260},  {arithmetic, 380},   {index_cast, 52},  {compare, 39},
    {tensor_view, 122}, {partition, 148}, {load, 96},          {store, 48},       {two_tiles, 240},
    {tile_scalar, 40},  {expand, 20},     {scalar_access, 63}, {open_region, 80},
};

static void one_statement(Gen *g) {
    unsigned total = 0;
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
        total += choices[i].weight;
    unsigned at = pick(g, total);
    const Choice *c = choices;
    while (at >= c->weight)
        at -= c++->weight;
    if (c->make == open_region && g->depth == MAX_DEPTH) {
        close_region(g);
        return;
    }
    c->make(g);
    if (g->depth > 0 && pick(g, 10) == 0) close_region(g);
}

static void function(Gen *g, unsigned number) {
    g->serial = 0;
    for (int i = 0; i < POOLS; i++)
        pool_at(g, i)->n = 0;
    unsigned rows = 1u << pick(g, 6), cols = 8u << pick(g, 5);
    snprintf(g->tile_type, sizeof g->tile_type,
             "!pto.tile_buf<loc=vec, dtype=f32, rows=%u, cols=%u, v_row=?, v_col=?, "
             "blayout=row_major, slayout=none_box, fractal=512, pad=0>",
             rows, cols);
    snprintf(g->rows, sizeof g->rows, "%%c%u", rows);
    snprintf(g->cols, sizeof g->cols, "%%c%u", cols);
    put(g,
        "  func.func @kernel_%u(%%arg0: !pto.ptr<f32>, %%arg1: !pto.ptr<f32>, %%arg2: "
        "!pto.ptr<f32>, "
        "%%arg3: !pto.ptr<f32>, %%n: index) {\n",
        number);
    for (unsigned c = 1; c <= 128; c *= 2) {
        statement(g);
        put(g, "%%c%u = arith.constant %u : index\n", c, c);
    }
    pool_add(g, &g->indices, "%n");
    pool_add(g, &g->places, "%n");
    pool_add(g, &g->indices, "%c1");
    pool_add(g, &g->indices, "%c16");
    /* A few of everything, so that nothing is picked from an empty pool. */
    for (int i = 0; i < 2; i++) {
        address_constant(g);
        float_constant(g);
        compare(g);
        tensor_view(g);
        partition(g);
        alloc(g);
    }
    unsigned n = 80 + pick(g, MAX_STATEMENTS - 80);
    for (unsigned i = 0; i < n; i++)
        one_statement(g);
    while (g->depth > 0)
        close_region(g);
    statement(g);
    put(g, "return\n  }\n");
}

Program generate_program(size_t size) {
    Gen *g = calloc(1, sizeof *g);
    if (g == NULL) return (Program){0};
    g->cap = size + (1 << 17);
    g->out.text = malloc(g->cap);
    g->random = 20260821;
    put(g, "module attributes {pto.target_arch = \"a5\"} {\n");
    for (unsigned f = 0; g->out.text != NULL && g->out.size < size; f++)
        function(g, f);
    put(g, "}\n");
    Program out = g->out;
    free(g);
    return out;
}
