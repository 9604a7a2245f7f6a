/* SPDX-License-Identifier: Apache-2.0 */
/* Random programs of loops and branches, in the SSA form and in the DPS form, run before and after
 * conversion (machine.h): every instruction must compute the same each time. */
#include "interpreter.h"
#include "verifier/verify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define BIG "!pto.tile_buf<vec, 64x256xi16>"
#define SMALL "!pto.tile_buf<vec, 16x16xi16>"
#define ACC "!pto.tile_buf<acc, 16x16xf32>"
#define LEFT "!pto.tile_buf<left, 16x16xf16>"
#define RIGHT "!pto.tile_buf<right, 16x16xf16>"

/* ---- programs ---- */

enum { MOST_NAMES = 64, MOST_TEXT = 16384 };

typedef struct Maker {
    char text[MOST_TEXT];
    size_t len;
    uint32_t seed;
    int names[3][MOST_NAMES]; /* visible values per type; 0 is the argument */
    int count[3];
    int next;
    int budget;
} Maker;

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

/* Accumulators: results of products, which take the tile of their operand where they may. */
enum { ACCUMULATOR = 2, TYPES = 3 };

static const char *type_text(int type) {
    return type == 0 ? BIG : type == 1 ? SMALL : ACC;
}

static int visible(Maker *m, int type) {
    /* Mostly a recent one, so that values die early. */
    int n = m->count[type], recent = n < 3 ? n : 3;
    return pick(m, 4) == 0 ? m->names[type][pick(m, (uint32_t)n)]
                           : m->names[type][n - 1 - (int)pick(m, (uint32_t)recent)];
}

static void declare(Maker *m, int type, int name) {
    if (m->count[type] < MOST_NAMES) m->names[type][m->count[type]++] = name;
}

static void make_body(Maker *m, int depth);

static void make_plain(Maker *m) {
    static const char *const with_scalar[] = {"tadds", "tands", "txors"};
    int type = (int)pick(m, TYPES), name = ++m->next;
    const char *t = type_text(type);
    if (type == ACCUMULATOR) {
        if (pick(m, 4) == 0)
            put(m, "%%v%d = pto.tmatmul %%l, %%r : (" LEFT ", " RIGHT ") -> %s\n", name, t);
        else
            put(m, "%%v%d = pto.tmatmul.acc %%v%d, %%l, %%r : (%s, " LEFT ", " RIGHT ") -> %s\n",
                name, visible(m, type), t, t);
        declare(m, type, name);
        return;
    }
    switch (pick(m, 6)) {
    case 0:
        put(m, "%%v%d = pto.texpands %%k : (i16) -> %s\n", name, t);
        break;
    case 1:
    case 2:
        put(m, "%%v%d = pto.tadd %%v%d, %%v%d : (%s, %s) -> %s\n", name, visible(m, type),
            visible(m, type), t, t, t);
        break;
    default:
        put(m, "%%v%d = pto.%s %%v%d, %%k : (%s, i16) -> %s\n", name, with_scalar[pick(m, 3)],
            visible(m, type), t, t);
    }
    declare(m, type, name);
}

static void make_loop(Maker *m, int depth) {
    int type = (int)pick(m, TYPES), n = 1 + (int)pick(m, 2), result[2], arg[2], saved[TYPES];
    const char *t = type_text(type);
    for (int i = 0; i < n; i++) {
        result[i] = ++m->next;
        arg[i] = ++m->next;
    }
    put(m, n == 1 ? "%%v%d = " : "%%v%d, %%v%d = ", result[0], n == 1 ? 0 : result[1]);
    put(m, "scf.for %%i%d = %%c0 to %s step %%c1 iter_args(", arg[0],
        pick(m, 2) == 0 ? "%c4" : "%n");
    for (int i = 0; i < n; i++)
        put(m, "%s%%v%d = %%v%d", i > 0 ? ", " : "", arg[i], visible(m, type));
    put(m, n == 1 ? ") -> (%s) {\n" : ") -> (%s, %s) {\n", t, t);
    memcpy(saved, m->count, sizeof saved);
    for (int i = 0; i < n; i++)
        declare(m, type, arg[i]);
    make_body(m, depth);
    put(m, "scf.yield");
    for (int i = 0; i < n; i++)
        put(m, "%s %%v%d", i > 0 ? "," : "", visible(m, type));
    put(m, n == 1 ? " : %s\n}\n" : " : %s, %s\n}\n", t, t);
    memcpy(m->count, saved, sizeof saved);
    for (int i = 0; i < n; i++)
        declare(m, type, result[i]);
}

static void make_branch(Maker *m, int depth) {
    int type = (int)pick(m, TYPES), result = ++m->next, saved[TYPES];
    const char *t = type_text(type);
    put(m, "%%yes%d = arith.constant true\n", result);
    put(m, "%%v%d = scf.if %%yes%d -> (%s) {\n", result, result, t);
    memcpy(saved, m->count, sizeof saved);
    make_body(m, depth);
    put(m, "scf.yield %%v%d : %s\n} else {\n", visible(m, type), t);
    memcpy(m->count, saved, sizeof saved);
    make_body(m, depth);
    put(m, "scf.yield %%v%d : %s\n}\n", visible(m, type), t);
    memcpy(m->count, saved, sizeof saved);
    declare(m, type, result);
}

static void make_body(Maker *m, int depth) {
    for (uint32_t n = 1 + pick(m, 5); n > 0 && m->budget > 0; n--, m->budget--) {
        uint32_t what = pick(m, 10);
        if (what == 0 && depth > 0)
            make_loop(m, depth - 1);
        else if (what == 1 && depth > 0)
            make_branch(m, depth - 1);
        else
            make_plain(m);
    }
}

static void make_program(Maker *m, uint32_t seed) {
    *m = (Maker){.seed = seed * 2654435761u + 1u, .budget = 60, .next = 2};
    put(m, "func.func @k(%%v0: " BIG ", %%v1: " SMALL ", %%k: i16, %%n: index, %%l: " LEFT
           ", %%r: " RIGHT ", %%v2: " ACC ") {\n"
           "%%c0 = arith.constant 0 : index\n%%c1 = arith.constant 1 : index\n"
           "%%c4 = arith.constant 4 : index\n");
    declare(m, 0, 0);
    declare(m, 1, 1);
    declare(m, ACCUMULATOR, 2);
    for (int i = 0; i < 4; i++)
        make_body(m, 3);
    put(m, "return\n}\n");
}

/* ---- programs in the DPS form ---- */

static int buffer(Maker *m, int type) {
    return m->names[type][pick(m, (uint32_t)m->count[type])];
}

static void make_buffer(Maker *m, int type) {
    int name = ++m->next;
    put(m, "%%v%d = pto.alloc_tile : %s\n", name, type_text(type));
    if (type == ACCUMULATOR)
        put(m, "pto.tmatmul ins(%%l, %%r : " LEFT ", " RIGHT ") outs(%%v%d : " ACC ")\n", name);
    else
        put(m, "pto.texpands ins(%%k : i16) outs(%%v%d : %s)\n", name, type_text(type));
    declare(m, type, name);
}

static void make_write(Maker *m) {
    int type = (int)pick(m, TYPES), dst = buffer(m, type), src = buffer(m, type);
    const char *t = type_text(type);
    if (type == ACCUMULATOR) {
        if (pick(m, 4) == 0)
            put(m, "pto.tmatmul ins(%%l, %%r : " LEFT ", " RIGHT ") outs(%%v%d : %s)\n", dst, t);
        else
            put(m,
                "pto.tmatmul.acc ins(%%v%d, %%l, %%r : %s, " LEFT ", " RIGHT ") outs(%%v%d : %s)\n",
                pick(m, 4) == 0 ? src : dst, t, dst, t);
        return;
    }
    switch (pick(m, 5)) {
    case 0:
        put(m, "pto.texpands ins(%%k : i16) outs(%%v%d : %s)\n", dst, t);
        break;
    case 1:
        /* txors and tands may not write what they read. */
        put(m, "pto.%s ins(%%v%d, %%k : %s, i16) outs(%%v%d : %s)\n",
            src == dst       ? "tadds"
            : pick(m, 2) > 0 ? "txors"
                             : "tands",
            src, t, dst, t);
        break;
    case 2:
        put(m, "pto.tadds ins(%%v%d, %%k : %s, i16) outs(%%v%d : %s)\n", src, t, dst, t);
        break;
    default:
        put(m, "pto.tadd ins(%%v%d, %%v%d : %s, %s) outs(%%v%d : %s)\n", src, buffer(m, type), t, t,
            dst, t);
    }
}

static void make_writes(Maker *m, int depth) {
    int saved[TYPES];
    memcpy(saved, m->count, sizeof saved);
    for (uint32_t n = 1 + pick(m, 5); n > 0 && m->budget > 0; n--, m->budget--) {
        uint32_t what = depth > 0 ? pick(m, 8) : 3 + pick(m, 5);
        if (what == 0) {
            put(m, "scf.for %%i%d = %%c0 to %s step %%c1 {\n", ++m->next,
                pick(m, 2) == 0 ? "%c4" : "%n");
            make_writes(m, depth - 1);
            put(m, "}\n");
        } else if (what == 1) {
            int yes = ++m->next;
            put(m, "%%yes%d = arith.constant true\nscf.if %%yes%d {\n", yes, yes);
            make_writes(m, depth - 1);
            put(m, pick(m, 2) == 0 ? "}\n" : "} else {\n");
            if (m->text[m->len - 2] == '{') {
                make_writes(m, depth - 1);
                put(m, "}\n");
            }
        } else if (what == 2 && m->next < MOST_NAMES) {
            make_buffer(m, (int)pick(m, TYPES));
        } else {
            make_write(m);
        }
    }
    memcpy(m->count, saved, sizeof saved);
}

static void make_dps_program(Maker *m, uint32_t seed) {
    *m = (Maker){.seed = seed * 2654435761u + 1u, .budget = 60, .next = 2};
    put(m, "func.func @k(%%v0: " BIG ", %%v1: " SMALL ", %%k: i16, %%n: index, %%l: " LEFT
           ", %%r: " RIGHT ", %%v2: " ACC ") {\n"
           "%%c0 = arith.constant 0 : index\n%%c1 = arith.constant 1 : index\n"
           "%%c4 = arith.constant 4 : index\n");
    for (int i = 0; i < 9; i++)
        make_buffer(m, i % TYPES);
    for (int i = 0; i < 4; i++)
        make_writes(m, 3);
    put(m, "return\n}\n");
}

/* ---- running ---- */

static void check_same(MachineRun a, MachineRun b, const char *text) {
    if (!machine_same(a, b)) fail_msg("computes something else once converted:\n%s", text);
}

static void try_program(const char *text, Profile profile) {
    Program *p = program_new(text, profile);
    MachineRun before = machine_run(p, NULL, profile, 0);
    program_dps(p, profile);
    Plan plan = program_plan(p, profile);
    check_same(before, machine_run(p, &plan, profile, 1), text);
    program_free(p);
}

static void converted_programs_compute_the_same(void **state) {
    (void)state;
    enum { PROGRAMS = 1000 };
    static Maker m;
    for (uint32_t seed = 1; seed <= PROGRAMS; seed++) {
        make_program(&m, seed);
        try_program(m.text, PROFILE_CPU);
    }
}

/* Counts the instructions with a destination. */
static bool has_destination(Op *op, void *arg) {
    unsigned *kept = arg;
    *kept += op->inst->form == FORM_TILE && op->nresults == 0;
    return true;
}

/* DPS -> SSA -> DPS; returns how many instructions kept a destination in the SSA form. */
static unsigned try_dps_program(const char *text, Profile profile) {
    unsigned kept = 0;
    Program *p = program_new(text, profile);
    VerifyOptions verify = {.profiles = PROFILE_BIT(profile)};
    Plan plan = program_plan(p, profile);
    MachineRun first = machine_run(p, &plan, profile, 0);
    passes_to_ssa(p->module, profile);
    op_walk(p->module->root, has_destination, &kept);
    if (!verify_module(p->module, &verify)) fail_msg("%s\n%s", program_diagnostics(p), text);
    check_same(first, machine_run(p, NULL, profile, 1), text);
    program_dps(p, profile);
    plan = program_plan(p, profile);
    check_same(first, machine_run(p, &plan, profile, 2), text);
    program_free(p);
    return kept;
}

static void dps_programs_compute_the_same_as_values(void **state) {
    (void)state;
    enum { PROGRAMS = 1000 };
    static Maker m;
    unsigned kept = 0;
    for (uint32_t seed = 1; seed <= PROGRAMS; seed++) {
        make_dps_program(&m, seed);
        kept += try_dps_program(m.text, PROFILE_CPU);
    }
    print_message("%d programs: %u instructions kept a destination\n", (int)PROGRAMS, kept);
    assert_true(kept < PROGRAMS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dps_programs_compute_the_same_as_values),
        cmocka_unit_test(converted_programs_compute_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
