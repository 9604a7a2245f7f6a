/* SPDX-License-Identifier: Apache-2.0 */
/* Random programs in which tiles go through every kind of control flow: loops, branches, blocks,
 * selections, views, buffers. An SSA result is a value of its own each time that it is computed,
 * and conversion to buffers and planning keep it so. */
#include "interpreter.h"
#include "verifier/verify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

typedef enum Kind { WHOLE, CAST, HALF, SUM, KINDS } Kind;
static const char *const type_texts[KINDS] = {
    [WHOLE] = "!pto.tile_buf<vec, 64x256xi16>",
    [CAST] = "!pto.tile_buf<vec, 64x256xf16>",
    [HALF] = "!pto.tile_buf<vec, 32x256xi16>",
    [SUM] = "!pto.tile_buf<acc, 16x16xf32>",
};
#define LEFT "!pto.tile_buf<left, 16x16xf16>"
#define RIGHT "!pto.tile_buf<right, 16x16xf16>"

enum { MOST_NAMES = 128, MOST_TEXT = 65536, MOST_CARRIED = 3 };

typedef struct Maker {
    char text[MOST_TEXT];
    size_t len;
    uint32_t seed;
    int names[KINDS][MOST_NAMES]; /* visible tiles */
    int count[KINDS];
    int buffers[MOST_NAMES]; /* those of type WHOLE that may be written */
    int nbuffers;
    int next, labels;
    int budget;
} Maker;

/* What is visible, to come back to. */
typedef struct Visible {
    int count[KINDS];
} Visible;

static uint32_t pick(Maker *m, uint32_t n) {
    m->seed = m->seed * 1664525u + 1013904223u;
    return (m->seed >> 10) % n;
}

static void put(Maker *m, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void put(Maker *m, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(m->text + m->len, MOST_TEXT - m->len, fmt, ap);
    va_end(ap);
    assert_true(n >= 0 && (size_t)n < MOST_TEXT - m->len);
    m->len += (size_t)n;
}

static Visible visible(const Maker *m) {
    Visible v;
    memcpy(v.count, m->count, sizeof v.count);
    return v;
}

static void hide(Maker *m, const Visible *v) {
    memcpy(m->count, v->count, sizeof v->count);
}

static void declare(Maker *m, Kind k, int name) {
    if (m->count[k] < MOST_NAMES) m->names[k][m->count[k]++] = name;
}

/* Mostly a recent one, so that values die early. */
static int tile(Maker *m, Kind k) {
    int n = m->count[k], recent = n < 4 ? n : 4;
    return pick(m, 4) == 0 ? m->names[k][pick(m, (uint32_t)n)]
                           : m->names[k][n - 1 - (int)pick(m, (uint32_t)recent)];
}

/* A kind of which tiles are visible. */
static Kind some_kind(Maker *m) {
    static const Kind often[] = {WHOLE, WHOLE, HALF, SUM, CAST};
    Kind k = often[pick(m, 5)];
    return m->count[k] > 0 ? k : WHOLE;
}

static int new_bit(Maker *m) {
    int bit = ++m->next;
    put(m, "%%b%d = arith.constant true\n", bit);
    return bit;
}

/* ---- instructions ---- */

static void make_sum(Maker *m, int name) {
    const char *t = type_texts[SUM];
    if (pick(m, 4) == 0)
        put(m, "%%v%d = pto.tmatmul %%l, %%r : (" LEFT ", " RIGHT ") -> %s\n", name, t);
    else
        put(m, "%%v%d = pto.tmatmul.acc %%v%d, %%l, %%r : (%s, " LEFT ", " RIGHT ") -> %s\n", name,
            tile(m, SUM), t, t);
}

static void make_result(Maker *m) {
    static const char *const with_scalar[] = {"tadds", "tands", "txors"};
    Kind k = some_kind(m);
    const char *t = type_texts[k];
    int name = ++m->next;
    if (k == SUM)
        make_sum(m, name);
    else if (k == CAST)
        put(m, "%%v%d = pto.tadds %%v%d, %%kf : (%s, f16) -> %s\n", name, tile(m, k), t, t);
    else if (pick(m, 6) == 0)
        put(m, "%%v%d = pto.texpands %%k : (i16) -> %s\n", name, t);
    else if (pick(m, 2) == 0)
        put(m, "%%v%d = pto.tadd %%v%d, %%v%d : (%s, %s) -> %s\n", name, tile(m, k), tile(m, k), t,
            t, t);
    else
        put(m, "%%v%d = pto.%s %%v%d, %%k : (%s, i16) -> %s\n", name, with_scalar[pick(m, 3)],
            tile(m, k), t, t);
    declare(m, k, name);
}

static void make_view(Maker *m) {
    static const char *const rows[] = {"%c0", "%c16", "%c32"};
    int name = ++m->next;
    if (pick(m, 3) > 0) {
        put(m, "%%v%d = pto.subview %%v%d[%s, %%c0] sizes [32, 256] : %s -> %s\n", name,
            tile(m, WHOLE), rows[pick(m, 3)], type_texts[WHOLE], type_texts[HALF]);
        declare(m, HALF, name);
    } else if (pick(m, 2) == 0 && m->count[CAST] > 0) {
        put(m, "%%v%d = pto.bitcast %%v%d : %s -> %s\n", name, tile(m, CAST), type_texts[CAST],
            type_texts[WHOLE]);
        declare(m, WHOLE, name);
    } else {
        put(m, "%%v%d = pto.bitcast %%v%d : %s -> %s\n", name, tile(m, WHOLE), type_texts[WHOLE],
            type_texts[CAST]);
        declare(m, CAST, name);
    }
}

static void make_select(Maker *m) {
    Kind k = some_kind(m);
    int bit = new_bit(m), name = ++m->next;
    put(m, "%%v%d = arith.select %%b%d, %%v%d, %%v%d : %s\n", name, bit, tile(m, k), tile(m, k),
        type_texts[k]);
    declare(m, k, name);
}

/* A write to a buffer, whose views see it. */
static void make_write(Maker *m) {
    const char *t = type_texts[WHOLE];
    put(m, "pto.tadd ins(%%v%d, %%v%d : %s, %s) outs(%%v%d : %s)\n", tile(m, WHOLE), tile(m, WHOLE),
        t, t, m->buffers[pick(m, (uint32_t)m->nbuffers)], t);
}

/* ---- control flow ---- */

typedef struct Carried {
    int n;
    Kind kind[MOST_CARRIED];
    int name[MOST_CARRIED];
} Carried;

static Carried carry(Maker *m) {
    Carried c = {.n = 1 + (int)pick(m, MOST_CARRIED)};
    for (int i = 0; i < c.n; i++)
        c.kind[i] = some_kind(m);
    return c;
}

static void name_all(Maker *m, Carried *c) {
    for (int i = 0; i < c->n; i++)
        c->name[i] = ++m->next;
}

static void declare_all(Maker *m, const Carried *c) {
    for (int i = 0; i < c->n; i++)
        declare(m, c->kind[i], c->name[i]);
}

static void put_types(Maker *m, const Carried *c) {
    for (int i = 0; i < c->n; i++)
        put(m, "%s%s", i > 0 ? ", " : "", type_texts[c->kind[i]]);
}

/* `%v1, %v2`: visible tiles of these types, or the names. */
static void put_tiles(Maker *m, const Carried *c, bool names) {
    for (int i = 0; i < c->n; i++)
        put(m, "%s%%v%d", i > 0 ? ", " : "", names ? c->name[i] : tile(m, c->kind[i]));
}

static void put_arguments(Maker *m, const Carried *c) {
    for (int i = 0; i < c->n; i++)
        put(m, "%s%%v%d = %%v%d", i > 0 ? ", " : "", c->name[i], tile(m, c->kind[i]));
}

static void put_parameters(Maker *m, const Carried *c) {
    for (int i = 0; i < c->n; i++)
        put(m, "%s%%v%d: %s", i > 0 ? ", " : "", c->name[i], type_texts[c->kind[i]]);
}

/* `WORD %v1, %v2 : T, U` */
static void put_end(Maker *m, const char *word, const Carried *c) {
    put(m, "%s ", word);
    put_tiles(m, c, false);
    put(m, " : ");
    put_types(m, c);
    put(m, "\n");
}

static void make_body(Maker *m, int depth, bool blocks);

static void make_for(Maker *m, int depth) {
    Carried c = carry(m), results = c;
    name_all(m, &results);
    name_all(m, &c);
    put_tiles(m, &results, true);
    put(m, " = scf.for %%i%d = %%c0 to %s step %%c1 iter_args(", ++m->next,
        pick(m, 2) == 0 ? "%c16" : "%n");
    put_arguments(m, &c);
    put(m, ") -> (");
    put_types(m, &c);
    put(m, ") {\n");
    Visible before = visible(m);
    declare_all(m, &c);
    make_body(m, depth, false);
    put_end(m, "scf.yield", &c);
    put(m, "}\n");
    hide(m, &before);
    declare_all(m, &results);
}

static void make_while(Maker *m, int depth) {
    Carried first = carry(m), second = carry(m), results = second;
    name_all(m, &first);
    name_all(m, &second);
    name_all(m, &results);
    put_tiles(m, &results, true);
    put(m, " = scf.while (");
    put_arguments(m, &first);
    put(m, ") : (");
    put_types(m, &first);
    put(m, ") -> (");
    put_types(m, &second);
    put(m, ") {\n");
    Visible before = visible(m);
    declare_all(m, &first);
    make_body(m, depth, false);
    put(m, "scf.condition(%%b%d) ", new_bit(m));
    put_tiles(m, &second, false);
    put(m, " : ");
    put_types(m, &second);
    hide(m, &before);
    put(m, "\n} do {\n^bb%d(", ++m->labels);
    put_parameters(m, &second);
    put(m, "):\n");
    declare_all(m, &second);
    make_body(m, depth, false);
    put_end(m, "scf.yield", &first);
    put(m, "}\n");
    hide(m, &before);
    declare_all(m, &results);
}

static void make_if(Maker *m, int depth) {
    Carried c = carry(m);
    int bit = new_bit(m);
    name_all(m, &c);
    put_tiles(m, &c, true);
    put(m, " = scf.if %%b%d -> (", bit);
    put_types(m, &c);
    put(m, ") {\n");
    Visible before = visible(m);
    make_body(m, depth, false);
    put_end(m, "scf.yield", &c);
    hide(m, &before);
    put(m, "} else {\n");
    make_body(m, depth, false);
    put_end(m, "scf.yield", &c);
    hide(m, &before);
    put(m, "}\n");
    declare_all(m, &c);
}

static void make_region(Maker *m, int depth) {
    Carried c = carry(m);
    name_all(m, &c);
    put_tiles(m, &c, true);
    put(m, " = scf.execute_region -> (");
    put_types(m, &c);
    put(m, ") {\n");
    Visible before = visible(m);
    make_body(m, depth, true);
    put_end(m, "scf.yield", &c);
    put(m, "}\n");
    hide(m, &before);
    declare_all(m, &c);
}

static void put_target(Maker *m, int label, const Carried *c) {
    put(m, "^bb%d(", label);
    put_tiles(m, c, false);
    put(m, " : ");
    put_types(m, c);
    put(m, ")");
}

static void put_label(Maker *m, int label, Carried *c) {
    name_all(m, c);
    put(m, "^bb%d(", label);
    put_parameters(m, c);
    put(m, "):\n");
}

/* A loop of blocks; what it defines stays visible after it. */
static void make_block_loop(Maker *m, int depth) {
    Carried head = carry(m), end = carry(m);
    int first = ++m->labels, after = ++m->labels;
    put(m, "cf.br ");
    put_target(m, first, &head);
    put(m, "\n");
    put_label(m, first, &head);
    declare_all(m, &head);
    make_body(m, depth, true);
    int bit = new_bit(m);
    put(m, "cf.cond_br %%b%d, ", bit);
    put_target(m, first, &head);
    put(m, ", ");
    put_target(m, after, &end);
    put(m, "\n");
    put_label(m, after, &end);
    declare_all(m, &end);
}

static void make_block_branch(Maker *m, int depth) {
    Carried c = carry(m);
    int yes = ++m->labels, no = ++m->labels, after = ++m->labels, bit = new_bit(m);
    put(m, "cf.cond_br %%b%d, ^bb%d, ^bb%d\n", bit, yes, no);
    Visible before = visible(m);
    for (int way = 0; way < 2; way++) {
        put(m, "^bb%d:\n", way == 0 ? yes : no);
        make_body(m, depth, true);
        put(m, "cf.br ");
        put_target(m, after, &c);
        put(m, "\n");
        hide(m, &before);
    }
    put_label(m, after, &c);
    declare_all(m, &c);
}

static void make_nested(Maker *m, int depth, bool blocks) {
    switch (pick(m, blocks ? 6 : 4)) {
    case 0:
        make_for(m, depth);
        break;
    case 1:
        make_while(m, depth);
        break;
    case 2:
        make_if(m, depth);
        break;
    case 3:
        make_region(m, depth);
        break;
    case 4:
        make_block_loop(m, depth);
        break;
    default:
        make_block_branch(m, depth);
    }
}

/* `blocks`: the region may have several. */
static void make_body(Maker *m, int depth, bool blocks) {
    for (uint32_t n = 1 + pick(m, 4); n > 0 && m->budget > 0; n--, m->budget--) {
        uint32_t what = pick(m, 12);
        if (what < 3 && depth > 0)
            make_nested(m, depth - 1, blocks);
        else if (what < 5)
            make_view(m);
        else if (what == 5)
            make_select(m);
        else if (what == 6 && m->nbuffers > 0)
            make_write(m);
        else
            make_result(m);
    }
}

static void make_buffer(Maker *m) {
    int name = ++m->next;
    const char *t = type_texts[WHOLE];
    put(m, "%%v%d = pto.alloc_tile : %s\n", name, t);
    put(m, "pto.texpands ins(%%k : i16) outs(%%v%d : %s)\n", name, t);
    declare(m, WHOLE, name);
    m->buffers[m->nbuffers++] = name;
}

static void make_program(Maker *m, uint32_t seed) {
    *m = (Maker){.seed = seed * 2654435761u + 1u, .budget = 40, .next = 3};
    put(m,
        "func.func @k(%%v1: %s, %%v2: %s, %%v3: %s, %%k: i16, %%kf: f16, %%n: index, %%l: " LEFT
        ", %%r: " RIGHT ") {\n",
        type_texts[WHOLE], type_texts[HALF], type_texts[SUM]);
    put(m, "%%c0 = arith.constant 0 : index\n%%c1 = arith.constant 1 : index\n"
           "%%c16 = arith.constant 16 : index\n%%c32 = arith.constant 32 : index\n");
    declare(m, WHOLE, 1);
    declare(m, HALF, 2);
    declare(m, SUM, 3);
    for (uint32_t n = pick(m, 3); n > 0; n--)
        make_buffer(m);
    for (int i = 0; i < 3; i++)
        make_body(m, 3, true);
    put(m, "return\n}\n");
}

/* ---- the test ---- */

/* True when some result needed buffers that take turns. */
static bool try_program(const char *text, Profile profile) {
    Program *p = program_new(text, profile);
    VerifyOptions verify = {.profiles = PROFILE_BIT(profile)};
    MachineRun before = machine_run(p, NULL, profile, 0);
    const char *converted = program_dps(p, profile);
    if (!verify_module(p->module, &verify))
        fail_msg("not legal once converted:\n%s\n%s\n%s", program_diagnostics(p), text, converted);
    Plan plan = program_plan(p, profile);
    if (!machine_same(before, machine_run(p, &plan, profile, 1)))
        fail_msg("computes something else once converted:\n%s\n%s", text, converted);
    bool turns = strstr(converted, "_taken = arith.cmpi") != NULL;
    program_free(p);
    return turns;
}

static void values_stay_values(void **state) {
    (void)state;
    enum { PROGRAMS = 2000 };
    static Maker m;
    unsigned turns = 0;
    for (uint32_t seed = 1; seed <= PROGRAMS; seed++) {
        make_program(&m, seed);
        turns += try_program(m.text, PROFILE_CPU);
    }
    print_message("%u of %d programs with buffers that take turns\n", turns, (int)PROGRAMS);
    assert_true(turns > PROGRAMS / 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(values_stay_values)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
