/* SPDX-License-Identifier: Apache-2.0 */
/* The printer's own names (%c64 of a literal operand, %x_buf and %x_1 of a conversion) differ from
 * every name of the program, wherever the program defines it: random programs with such names stay
 * legal in every form. usage: test_names [NUMBER-OF-PROGRAMS] */
#include "common/checkrun.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TEXT = 1 << 19, MOST_TILES = 64 };

static uint64_t seed = 20260801;

static unsigned pick(unsigned n) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(seed >> 33) % n;
}

/* ---- a program ---- */

static const char *const shapes[] = {
    "c0",     "c1",      "c64",    "c64_0",    "c64_1",   "c1024",     "cst",     "cst_0",
    "cst_1",  "0",       "1",      "2",        "7",       "64",        "arg0",    "arg1",
    "x",      "x_0",     "x_1",    "x_2",      "x_buf",   "x_buf1",    "x_addr",  "x_addr1",
    "x_init", "entry",   "slot0",  "slot1",    "tmp",     "v7",        "v7_0",    "v7_1",
    "v7_buf", "v7_addr", "v0_1",   "v0",       "v0_buf",  "v0_buf1",   "y",       "y_buf",
    "y_1",    "y_buf_1", "y_addr", "cst_addr", "c64_buf", "c64_0_buf", "c64_0_1", "entry_0",
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

typedef struct Program {
    char text[MOST_TEXT];
    size_t n;
    bool used[SHAPES]; /* in this function */
    unsigned plain;    /* number of names of no special shape */
    const char *tiles[MOST_TILES], *buffers[MOST_TILES];
    unsigned ntiles, nbuffers;
    unsigned indent;
    char names[1 << 16]; /* text of the plain names */
    size_t nnames;
} Program;

__attribute__((format(printf, 2, 3))) static void put(Program *p, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    p->n += (size_t)vsnprintf(p->text + p->n, MOST_TEXT - p->n, fmt, args);
    va_end(args);
    if (p->n >= MOST_TEXT) exit(2);
}

/* A name that the function does not define yet, mostly one that the printer could choose. */
static const char *new_name(Program *p) {
    unsigned i = pick(SHAPES);
    if (!p->used[i]) {
        p->used[i] = true;
        return shapes[i];
    }
    char *name = p->names + p->nnames;
    p->nnames += (size_t)snprintf(name, sizeof p->names - p->nnames, "p%u", p->plain++) + 1;
    if (p->nnames > sizeof p->names - 32) exit(2);
    return name;
}

#define BUF "!pto.tile_buf<vec, 16x16xf32>"
#define TILE "!pto.tile<16x16xf32>"

static const char *const literals[] = {"64", "1024", "0", "2048", "7168"};

/* Statements that need nothing, so that the text between two others is long. */
static void put_distance(Program *p) {
    unsigned n = pick(4) == 0 ? 60 + pick(120) : 0;
    while (n-- > 0)
        put(p, "  %%p%u = arith.constant %u : i64\n", p->plain++, pick(100));
}

static void put_constant(Program *p) {
    static const char *const values[] = {"64 : i64", "64 : index", "2.5 : f32", "-1 : i32"};
    put(p, "  %%%s = arith.constant %s\n", new_name(p), values[pick(4)]);
}

static void put_alloc(Program *p) {
    if (p->nbuffers == MOST_TILES) return;
    const char *name = p->buffers[p->nbuffers++] = new_name(p);
    put(p, "  %%%s = pto.alloc_tile addr = %s : " BUF "\n", name, literals[pick(5)]);
}

static void put_buffer_op(Program *p) {
    if (p->nbuffers == 0) return;
    const char *from = p->buffers[pick(p->nbuffers)], *to = p->buffers[pick(p->nbuffers)];
    if (pick(2) == 0)
        put(p, "  pto.tadds ins(%%%s, 2.5 : " BUF ", f32) outs(%%%s : " BUF ")\n", from, to);
    else
        put(p, "  pto.texp ins(%%%s : " BUF ") outs(%%%s : " BUF ")\n", from, to);
}

static void put_tile_op(Program *p) {
    const char *from = p->tiles[pick(p->ntiles)];
    if (p->ntiles == MOST_TILES) return;
    const char *name = new_name(p);
    if (pick(2) == 0)
        put(p, "  %%%s = pto.tadds %%%s, 2.5 : (" TILE ", f32) -> " TILE "\n", name, from);
    else
        put(p, "  %%%s = pto.texp %%%s : " TILE " -> " TILE "\n", name, from);
    p->tiles[p->ntiles++] = name;
}

static void put_loop(Program *p) {
    const char *low = new_name(p), *step = new_name(p), *i = new_name(p);
    put(p, "  %%%s = arith.constant 0 : index\n  %%%s = arith.constant 1 : index\n", low, step);
    put(p, "  scf.for %%%s = %%%s to %%%s step %%%s {\n", i, low, step, step);
    unsigned nbuffers = p->nbuffers, ntiles = p->ntiles;
    for (unsigned n = pick(4); n > 0; n--) {
        put_constant(p);
        (p->ntiles > 0 ? put_tile_op : put_buffer_op)(p);
    }
    put(p, "  }\n");
    p->nbuffers = nbuffers;
    p->ntiles = ntiles;
}

static void begin_function(Program *p) {
    memset(p->used, 0, sizeof p->used);
    p->ntiles = p->nbuffers = 0;
}

/* Functions with buffers or with tiles as results; the tile of the latter comes from a parameter.
 */
static void put_function(Program *p, unsigned number, bool tiles) {
    begin_function(p);
    if (tiles) p->tiles[p->ntiles++] = new_name(p);
    put(p, tiles ? "func.func @f%u(%%%s: " TILE ") {\n" : "func.func @f%u() {\n", number,
        p->tiles[0]);
    for (unsigned n = 4 + pick(12); n > 0; n--) {
        put_distance(p);
        switch (pick(4)) {
        case 0:
            put_constant(p);
            break;
        case 1:
            put_loop(p);
            break;
        default:
            (tiles ? put_tile_op : pick(2) == 0 ? put_alloc : put_buffer_op)(p);
            break;
        }
    }
    put(p, "  return\n}\n");
}

/* Statements outside of functions, as PTO-AS has them. */
static void put_lines(Program *p) {
    begin_function(p);
    const char *name = p->tiles[p->ntiles++] = new_name(p);
    put(p, ".arg %%%s : " TILE "\n", name);
    for (unsigned n = 4 + pick(12); n > 0; n--) {
        put_distance(p);
        name = new_name(p);
        if (pick(3) == 0 || p->ntiles == MOST_TILES) {
            put(p, ".const %%%s = 3.5 : f32\n", name);
            continue;
        }
        put(p, "  %%%s = tadds %%%s, 2.5 : " TILE ", f32\n", name, p->tiles[pick(p->ntiles)]);
        p->tiles[p->ntiles++] = name;
    }
}

static void make(Program *p) {
    p->n = p->nnames = 0;
    p->plain = 0;
    unsigned kind = pick(3);
    if (kind == 2) {
        put_lines(p);
        return;
    }
    for (unsigned i = 0, n = 1 + pick(3); i < n; i++)
        put_function(p, i, kind == 1);
}

/* ---- all forms ---- */

static bool keeps(const char *text, size_t size, const char *path) {
    static const char *const forms[] = {"keep", "dps", "ssa", "as", "generic"};
    for (int f = PTOASM_FORM_KEEP; f <= PTOASM_FORM_GENERIC; f++) {
        size_t made_size;
        char *made = text_formatted(path, text, size, NULL, (enum ptoasm_form)f, &made_size);
        bool good = made != NULL && text_accepted(path, made, made_size, NULL, true);
        if (!good)
            printf("# --form=%s breaks this program:\n%s\n# printed:\n%s\n", forms[f], text,
                   made != NULL ? made : "nothing");
        free(made);
        if (!good) return false;
    }
    return true;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 60, legal = 0;
    static Program program;
    for (int i = 0; i < n; i++) {
        make(&program);
        if (!text_accepted("names.pto", program.text, program.n, NULL, true)) {
            printf("# not legal:\n%s\n", program.text);
            break;
        }
        if (!keeps(program.text, program.n, "names.pto")) break;
        legal++;
    }
    printf("%sok 1 - %d of %d programs are legal in every form\n1..1\n", legal == n ? "" : "not ",
           legal, n);
    return legal != n;
}
