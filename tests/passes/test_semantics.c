/* Random programs run several times: in the SSA form, where a tile is a value, and in the DPS form,
 * planned, where a tile is an address and reading it gives what was written there last. Every
 * instruction must compute the same each time, whatever form the program started in. Arithmetic is
 * hashing; loops and branches go where a hash says. */
#include "passes/ptrmap.h"
#include "program.h"
#include "verifier/verify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define BIG "!pto.tile_buf<vec, 128x256xi16>"
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
    put(m, "%%v%d = scf.if %%yes -> (%s) {\n", result, t);
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
    put(m, "func.func @k(%%v0: " BIG ", %%v1: " SMALL
           ", %%k: i16, %%yes: i1, %%n: index, %%l: " LEFT ", %%r: " RIGHT ", %%v2: " ACC ") {\n"
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
            put(m, "scf.if %%yes {\n");
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
    put(m, "func.func @k(%%v0: " BIG ", %%v1: " SMALL
           ", %%k: i16, %%yes: i1, %%n: index, %%l: " LEFT ", %%r: " RIGHT ", %%v2: " ACC ") {\n"
           "%%c0 = arith.constant 0 : index\n%%c1 = arith.constant 1 : index\n"
           "%%c4 = arith.constant 4 : index\n");
    for (int i = 0; i < 9; i++)
        make_buffer(m, i % TYPES);
    for (int i = 0; i < 4; i++)
        make_writes(m, 3);
    put(m, "return\n}\n");
}

/* ---- running ---- */

enum { GRANULE = 256, MOST_GRANULES = 1 << 14, MOST_TRACE = 1 << 14, MOST_YIELDS = 64 };

typedef struct Granule {
    uint64_t hash;
    uint32_t index;
} Granule;

typedef struct Machine {
    PtrMap env; /* Value * -> uint64_t *: contents, or the address of a converted program */
    Arena *arena;
    const Plan *plan; /* NULL: tiles are values */
    Profile profile;
    Granule *memory;
    uint64_t *trace;
    uint32_t n, decisions;
    uint64_t yields[MOST_YIELDS];
} Machine;

static uint64_t mix(uint64_t a, uint64_t b) {
    uint64_t h = (a ^ (b + 0x9E3779B97F4A7C15u)) * 0xFF51AFD7ED558CCDu;
    return h ^ (h >> 29);
}

static uint64_t *cell(Machine *m, const Value *v) {
    void **at = ptrmap_at(&m->env, v);
    if (*at == NULL) *at = ARENA_NEW(m->arena, uint64_t);
    return *at;
}

/* Tiles of a caller lie outside of planned memory: their handles have the top bit set. */
#define OUTSIDE ((uint64_t)1 << 63)

static uint32_t granules(const Type *t) {
    return (uint32_t)((tile_bytes(t, PROFILE_CPU) + GRANULE - 1) / GRANULE);
}

static uint64_t read_tile(Machine *m, const Value *v) {
    uint64_t handle = *cell(m, v);
    if (m->plan == NULL || (handle & OUTSIDE) != 0) return handle;
    const Granule *g = m->memory + handle / GRANULE;
    uint64_t hash = g->hash;
    for (uint32_t i = 0; i < granules(v->type); i++)
        if (g[i].hash != hash || g[i].index != i) hash = mix(hash, 0xBAD + g[i].hash);
    return hash;
}

static void write_bytes(Machine *m, uint64_t addr, uint32_t n, uint64_t hash) {
    assert_true(addr % GRANULE == 0 && addr / GRANULE + n <= MOST_GRANULES);
    for (uint32_t i = 0; i < n; i++)
        m->memory[addr / GRANULE + i] = (Granule){hash, i};
}

static void check_forbidden(Machine *m, const Op *op) {
    for (const NoOverlap *p = op->inst->no_overlap; p != NULL && p->a != NULL; p++) {
        const Value *a = slot_value(op, inst_slot(op->inst, p->a));
        const Value *b = slot_value(op, inst_slot(op->inst, p->b));
        if ((p->profiles & PROFILE_BIT(m->profile)) == 0 || a == NULL || b == NULL) continue;
        uint64_t x = *cell(m, a), y = *cell(m, b);
        if (((x | y) & OUTSIDE) != 0) continue;
        assert_true(x + granules(a->type) * (uint64_t)GRANULE <= y ||
                    y + granules(b->type) * (uint64_t)GRANULE <= x);
    }
}

/* The scratch tile is overwritten while the sources are still needed. */
static void clobber_tmp(Machine *m, const Op *op, uint64_t garbage) {
    const PlanTmp *tmp = plan_tmp(m->plan, op);
    if (tmp == NULL) return;
    write_bytes(m, (uint64_t)tmp->slot.addr, granules(tmp->type), garbage);
    for (int i = 0; i < op->inst->nslots; i++) {
        const Value *v = slot_value(op, i);
        if (op->inst->slots[i].role == ROLE_READ && v->type->kind == TY_TILE)
            assert_true(read_tile(m, v) != garbage);
    }
}

static void run_tile_op(Machine *m, const Op *op) {
    uint64_t hash = mix(op->span.off, m->n);
    const Value *dst = slot_value(op, inst_slot(op->inst, "dst"));
    for (int i = 0; i < op->inst->nslots; i++) {
        const Value *v = slot_value(op, i);
        if (op->inst->slots[i].role == ROLE_READ && v != NULL && v->type->kind == TY_TILE)
            hash = mix(hash, read_tile(m, v));
    }
    assert_true(m->n < MOST_TRACE);
    m->trace[m->n++] = hash;
    if (m->plan == NULL) {
        *cell(m, dst) = hash;
        return;
    }
    check_forbidden(m, op);
    clobber_tmp(m, op, ~hash);
    write_bytes(m, *cell(m, dst), granules(dst->type), hash);
}

static void run_region(Machine *m, const Region *r);

static uint32_t decide(Machine *m, const Op *op, uint32_t n) {
    return (uint32_t)(mix(op->span.off * 31 + m->decisions++, 7) >> 20) % n;
}

static void move(Machine *m, const Value *values, uint32_t first, unsigned n,
                 const uint64_t *from) {
    for (unsigned i = 0; i < n; i++)
        *cell(m, &values[first + i]) = from[i];
}

static void run_for(Machine *m, const Op *op) {
    const Block *body = op->regions[0].first;
    unsigned n = op->nresults;
    uint64_t carried[MOST_YIELDS];
    const Operand *init = slot_operands(op, inst_slot(op->inst, "init"));
    assert_true(n <= MOST_YIELDS);
    for (unsigned i = 0; i < n; i++)
        carried[i] = *cell(m, init[i].value);
    int64_t bound;
    uint32_t least = value_constant(op->operands[1].value, &bound) ? 1 : 0;
    for (uint32_t rounds = least + decide(m, op, 4 - least); rounds > 0; rounds--) {
        move(m, body->args, 1, n, carried);
        run_region(m, &op->regions[0]);
        memcpy(carried, m->yields, n * sizeof *carried);
    }
    move(m, op->results, 0, n, carried);
}

/* One memory stands for all spaces: accumulators lie in its upper half. */
static uint64_t planned_at(const Machine *m, const Value *v) {
    uint64_t base = v->type->tile.space == SPACE_ACC ? MOST_GRANULES / 2 * GRANULE : 0;
    return base + (uint64_t)plan_value(m->plan, v)->addr;
}

static void run_op(Machine *m, const Op *op) {
    if (op_is(op, INST_SCF_FOR)) {
        run_for(m, op);
    } else if (op_is(op, INST_SCF_IF)) {
        run_region(m, &op->regions[decide(m, op, 2)]);
        move(m, op->results, 0, op->nresults, m->yields);
    } else if (op_is(op, INST_SCF_YIELD)) {
        for (unsigned i = 0; i < op->noperands; i++)
            m->yields[i] = *cell(m, op->operands[i].value);
    } else if (op_is(op, INST_ALLOC_TILE)) {
        *cell(m, &op->results[0]) =
            m->plan == NULL ? mix(op->span.off, 1) : planned_at(m, &op->results[0]);
    } else if (op->inst->form == FORM_TILE) {
        run_tile_op(m, op);
    }
}

static void run_region(Machine *m, const Region *r) {
    for (const Op *op = r->first != NULL ? r->first->first : NULL; op != NULL; op = op->next)
        run_op(m, op);
}

/* Used again by each program: new pages for each would cost more than running it. */
static Granule memory[MOST_GRANULES];
static uint64_t traces[3][MOST_TRACE];

static void run_program(Machine *m, Program *p, const Plan *plan, Profile profile, int trace) {
    const Op *func = program_op(p, "func.func");
    Arena *a = &p->ctx.arena;
    *m = (Machine){.env = {.arena = a}, .arena = a, .plan = plan, .profile = profile};
    memset(memory, 0, sizeof memory);
    m->memory = memory;
    m->trace = traces[trace];
    const Block *body = func->regions[0].first;
    for (uint32_t i = 0; i < body->nargs; i++)
        if (body->args[i].type->kind == TY_TILE) *cell(m, &body->args[i]) = OUTSIDE | (i + 1);
    run_region(m, &func->regions[0]);
}

static void check_same(const Machine *a, const Machine *b, const char *text) {
    if (a->n != b->n || memcmp(a->trace, b->trace, a->n * sizeof *a->trace) != 0)
        fail_msg("computes something else once converted:\n%s", text);
}

/* True when the program could be converted. */
static bool try_program(const char *text, Profile profile) {
    Program *p = program_new(text, profile);
    Machine before, after;
    run_program(&before, p, NULL, profile, 0);
    bool converted = passes_to_dps(p->module, profile);
    if (converted) {
        Plan plan;
        PlanOptions opt = {.profile = profile};
        if (!passes_plan(p->module, &opt, &plan)) fail_msg("%s", program_diagnostics(p));
        run_program(&after, p, &plan, profile, 1);
        check_same(&before, &after, text);
    } else {
        assert_non_null(strstr(program_diagnostics(p), "[conversion]"));
    }
    program_free(p);
    return converted;
}

static void converted_programs_compute_the_same(void **state) {
    (void)state;
    enum { PROGRAMS = 1000 };
    static Maker m;
    unsigned converted = 0;
    for (uint32_t seed = 1; seed <= PROGRAMS; seed++) {
        make_program(&m, seed);
        converted += try_program(m.text, PROFILE_CPU);
    }
    /* The others carry tiles in a way that two buffers cannot serve. */
    assert_true(converted > PROGRAMS / 2);
    print_message("%u of %d programs converted\n", converted, (int)PROGRAMS);
}

typedef struct Tally {
    unsigned kept; /* instructions with a destination in the SSA form */
    unsigned back; /* programs that could be converted back */
} Tally;

static bool has_destination(Op *op, void *arg) {
    Tally *tally = arg;
    if (op->inst->form != FORM_TILE || op->nresults > 0) return true;
    tally->kept++;
    return true;
}

/* DPS -> SSA -> DPS. */
static void try_dps_program(const char *text, Profile profile, Tally *tally) {
    Program *p = program_new(text, profile);
    PlanOptions opt = {.profile = profile};
    VerifyOptions verify = {.profiles = PROFILE_BIT(profile)};
    Machine first, values, last;
    Plan plan = program_plan(p, profile);
    run_program(&first, p, &plan, profile, 0);
    passes_to_ssa(p->module, profile);
    op_walk(p->module->root, has_destination, tally);
    if (!verify_module(p->module, &verify)) fail_msg("%s\n%s", program_diagnostics(p), text);
    run_program(&values, p, NULL, profile, 1);
    check_same(&first, &values, text);
    if (passes_to_dps(p->module, profile)) {
        if (!passes_plan(p->module, &opt, &plan)) fail_msg("%s\n%s", program_diagnostics(p), text);
        run_program(&last, p, &plan, profile, 2);
        check_same(&first, &last, text);
        tally->back++;
    } else {
        assert_non_null(strstr(program_diagnostics(p), "[conversion]"));
    }
    program_free(p);
}

static void dps_programs_compute_the_same_as_values(void **state) {
    (void)state;
    enum { PROGRAMS = 1000 };
    static Maker m;
    Tally tally = {0, 0};
    for (uint32_t seed = 1; seed <= PROGRAMS; seed++) {
        make_dps_program(&m, seed);
        try_dps_program(m.text, PROFILE_CPU, &tally);
    }
    print_message("%d programs: %u instructions kept a destination, %u programs came back\n",
                  (int)PROGRAMS, tally.kept, tally.back);
    assert_true(tally.kept < PROGRAMS && tally.back > PROGRAMS * 3 / 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dps_programs_compute_the_same_as_values),
        cmocka_unit_test(converted_programs_compute_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
