/* What the instruction table says a statement reads and writes is tested against memory: each
 * statement runs on memory with different contents. Bytes that change belong to operands that it
 * writes, the contents of everything but the operands that it reads are without effect, and some
 * contents of each of those have one. EVERY: of so many choices of an element type one is taken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/effects.h"
#include "api/ptoasm.h"
#include "backends/c/emit.h"
#include "batch.h"
#include "harness.h"

#include <fcntl.h>
#include <ptort.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TRIES = 60, MOST_AREAS = 10, MOST_TILES = 24, AREA = 1 << 15, KINDS = 5, CHANGES = 32 };

/* ---- one run ---- */

/* Memory that the statement can reach: an array of the core, or the buffer of the caller. */
typedef struct Area {
    unsigned char *at;
    size_t size;
    unsigned char *declared; /* READ and WRITE, for each byte */
    unsigned char *before, *after;
} Area;

enum { READ = 1, WRITE = 2 };

/* Contents: those of what is read, of one operand that differs, and of the rest. */
typedef struct Fill {
    uint32_t inside, outside, kind;
    int other; /* the operand with other contents, or -1 */
    uint32_t seed;
} Fill;

static struct {
    unsigned does[MOST_TILES]; /* by hook: READ, WRITE */
    unsigned hooks, calls;
    ptrt_tile tiles[MOST_TILES];
    unsigned memory; /* what the statement does with the window */
    size_t window;   /* bytes of the window */
    Fill fill;
    Area areas[MOST_AREAS];
    unsigned nareas;
} run;

static unsigned char buffer[AREA];

static uint32_t next(uint32_t *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 16;
}

/* Contents of some kinds: most statements take any, some only small numbers as indices. */
static unsigned char content(uint32_t kind, size_t i, uint32_t *seed) {
    const uint32_t r = next(seed);
    switch (kind) {
    case 0:
        return i % 4 == 3 ? (unsigned char)((0x3c + r % 6) | (r & 64) << 1) : (unsigned char)r;
    case 1:
        return i % 4 == 0 ? r % 4 : 0;
    case 2:
        return i % 2 == 0 ? r % 4 : 0;
    case 3:
        return i % 4 == 3 ? (unsigned char)(0x40 + r % 4) : i % 4 == 2 ? (unsigned char)r : 0;
    default:
        return 0;
    }
}

static Area *area_of(unsigned char *at, size_t size) {
    for (unsigned i = 0; i < run.nareas; i++)
        if (run.areas[i].at == at) return &run.areas[i];
    assert_true(run.nareas < MOST_AREAS);
    Area *a = &run.areas[run.nareas++];
    *a = (Area){.at = at, .size = size};
    a->declared = calloc(size, 1);
    a->before = malloc(size);
    a->after = malloc(size);
    assert_true(a->declared != NULL && a->before != NULL && a->after != NULL);
    return a;
}

static void forget_areas(void) {
    for (unsigned i = 0; i < run.nareas; i++) {
        free(run.areas[i].declared);
        free(run.areas[i].before);
        free(run.areas[i].after);
    }
    run.nareas = 0;
}

static void declare_bytes(Area *a, size_t from, size_t n, unsigned does) {
    for (size_t i = from; i < from + n && i < a->size; i++)
        a->declared[i] |= (unsigned char)does;
}

static void fill_areas(void) {
    for (unsigned k = 0; k < run.nareas; k++) {
        Area *a = &run.areas[k];
        uint32_t in = run.fill.inside + k, out = run.fill.outside + k;
        for (size_t i = 0; i < a->size; i++) {
            unsigned char read = content(run.fill.kind, i, &in);
            unsigned char rest = (unsigned char)next(&out);
            a->at[i] = (a->declared[i] & READ) != 0 ? read : rest;
        }
    }
    if (run.fill.other >= 0) {
        const bool memory = (unsigned)run.fill.other == run.hooks;
        const ptrt_tile *t = &run.tiles[run.fill.other];
        unsigned char *at = memory ? buffer : t->at;
        const size_t n = memory ? run.window : t->bytes;
        uint32_t seed = run.fill.seed;
        for (size_t i = 0; i < n; i++)
            at[i] = content(run.fill.kind, i, &seed);
    }
    for (unsigned k = 0; k < run.nareas; k++)
        memcpy(run.areas[k].before, run.areas[k].at, run.areas[k].size);
}

/* Called with each tile before the statement, and again after it. */
static int see_tile(int number, const ptrt_tile *t) {
    const unsigned call = run.calls++;
    if (call < run.hooks) run.tiles[number] = *t;
    if (call + 1 == run.hooks) {
        for (unsigned i = 0; i < run.hooks; i++)
            declare_bytes(area_of(run.tiles[i].base, run.tiles[i].size), run.tiles[i].addr,
                          run.tiles[i].bytes, run.does[i]);
        declare_bytes(area_of(buffer, sizeof buffer), 0, run.window, run.memory);
        fill_areas();
    }
    if (call == run.hooks)
        for (unsigned k = 0; k < run.nareas; k++)
            memcpy(run.areas[k].after, run.areas[k].at, run.areas[k].size);
    return 0;
}

typedef int (*Function)(void *, int64_t);

/* Runs without what print statements write. The areas of the last run are forgotten. */
static int call_with(Function f, Fill fill) {
    forget_areas();
    run.calls = 0;
    run.fill = fill;
    fflush(stdout);
    const int kept = dup(STDOUT_FILENO), null = open("/dev/null", O_WRONLY);
    assert_true(kept >= 0 && null >= 0 && dup2(null, STDOUT_FILENO) >= 0);
    close(null);
    const int code = f(buffer, 0);
    fflush(stdout);
    assert_true(dup2(kept, STDOUT_FILENO) >= 0);
    close(kept);
    return code;
}

/* ---- what runs must have in common ---- */

/* Keeps what a run left, to compare it with another. */
typedef struct Kept {
    Area areas[MOST_AREAS];
    unsigned n;
} Kept;

static void keep(Kept *k) {
    memcpy(k->areas, run.areas, sizeof run.areas);
    k->n = run.nareas;
    run.nareas = 0;
}

static void kept_free(Kept *k) {
    Kept now;
    keep(&now);
    memcpy(run.areas, k->areas, sizeof run.areas);
    run.nareas = k->n;
    forget_areas();
    memcpy(run.areas, now.areas, sizeof run.areas);
    run.nareas = now.n;
}

/* Whether all bytes that changed in the last run may be written. */
static bool writes_declared(void) {
    for (unsigned k = 0; k < run.nareas; k++)
        for (size_t i = 0; i < run.areas[k].size; i++)
            if (run.areas[k].before[i] != run.areas[k].after[i] &&
                (run.areas[k].declared[i] & WRITE) == 0)
                return false;
    return true;
}

/* Whether what one of two runs wrote is the same in both. */
static bool same_results(const Kept *a) {
    for (unsigned k = 0; k < run.nareas; k++) {
        const Area *x = &a->areas[k], *y = &run.areas[k];
        for (size_t i = 0; i < y->size; i++) {
            const bool wrote = x->before[i] != x->after[i] || y->before[i] != y->after[i];
            if (wrote && x->after[i] != y->after[i]) return false;
        }
    }
    return true;
}

/* ---- programs ---- */

typedef struct Program {
    const Inst *inst;
    unsigned number, hooks, memory;
    size_t window;
    unsigned does[MOST_TILES];
    bool must[MOST_TILES + 1]; /* some contents have an effect; the last: of the window */
} Program;

typedef struct Programs {
    Arena arena;
    StrBuf text, stubs;
    Profile profile;
    Program *at;
    unsigned n, cap;
} Programs;

/* False for statements such as prints, whose reads nothing in memory shows. */
static bool writes_some(const Access *list, size_t n) {
    bool any = false;
    for (size_t i = 0; i < n; i++)
        any |= list[i].write && !list[i].scratch;
    return any;
}

/* The declared accesses of an opened statement, for the hooks and the window. */
static bool take_accesses(const Opened *o, Program *p, int hook_of[RULE_MAX_SLOTS]) {
    const Effects effects = {o->ctx, o->e.profile};
    Access list[32];
    const size_t n = op_accesses(&effects, o->op, list, 32);
    if (n > 32) return false;
    for (size_t i = 0; i < n; i++) {
        const int s = list[i].slot != NULL ? (int)(list[i].slot - o->e.inst->slots) : -1;
        const unsigned does = (list[i].read ? READ : 0u) | (list[i].write ? WRITE : 0u);
        if (s < 0) return false;
        const ExampleOperand *x = &o->e.operands[s];
        /* the kernels have no code for an idle statement */
        const bool must =
            list[i].read && !list[i].maybe && writes_some(list, n) && o->e.inst->idle == NULL;
        if (x->kind == K_TILE) {
            p->does[hook_of[s]] |= does;
            p->must[hook_of[s]] |= must;
        } else if (x->kind == K_PART) {
            size_t bytes = (size_t)elem_infos[x->elem].bytes;
            for (unsigned d = 0; d < x->rank; d++)
                bytes *= (size_t)x->dims[d];
            if (bytes > p->window) p->window = bytes;
            p->memory |= does;
            p->must[p->hooks] |= must;
        }
    }
    return p->window <= AREA;
}

/* Gives each tile of the example a hook; false when one cannot be observed. */
static bool take_hooks(const Opened *o, Program *p, int hook_of[RULE_MAX_SLOTS]) {
    for (int s = 0; s < o->e.inst->nslots; s++) {
        const ExampleOperand *x = &o->e.operands[s];
        hook_of[s] = -1;
        if (x->count == 0 || x->kind != K_TILE) continue;
        if (x->same_as != 0 || x->count > 1 || o->e.inst->slots[s].arity == ARITY_VAR) return false;
        hook_of[s] = (int)p->hooks++;
    }
    return p->hooks > 0 && p->hooks < MOST_TILES;
}

static void put_calls(const Opened *o, const Program *p, const int hook_of[RULE_MAX_SLOTS],
                      StrBuf *out) {
    for (int s = 0; s < o->e.inst->nslots; s++) {
        if (hook_of[s] < 0) continue;
        sb_printf(out, "  func.call @see%u_%d(%%%s) : (", p->number, hook_of[s],
                  o->e.inst->slots[s].name);
        example_print_type(&o->e, s, out);
        sb_puts(out, ") -> ()\n");
    }
}

static void put_program(const Opened *o, const Given *g, const Program *p,
                        const int hook_of[RULE_MAX_SLOTS], StrBuf *out) {
    StrBuf text;
    char name[32];
    sb_init(&text, out->arena);
    snprintf(name, sizeof name, "run%u", p->number);
    unsigned before = put_function(o, g, name, &text);
    for (int s = 0; s < o->e.inst->nslots; s++) {
        if (hook_of[s] < 0) continue;
        sb_printf(out, "func.func private @see%u_%d(", p->number, hook_of[s]);
        example_print_type(&o->e, s, out);
        sb_puts(out, ")\n");
    }
    const char *line = sb_text(&text), *statement = line;
    while (before-- > 0)
        statement = strchr(statement, '\n') + 1;
    const char *end = strstr(statement, "\n  return") + 1;
    sb_printf(out, "%.*s", (int)(statement - line), line);
    put_calls(o, p, hook_of, out);
    sb_printf(out, "%.*s", (int)(end - statement), statement);
    put_calls(o, p, hook_of, out);
    sb_puts(out, end);
}

static char *emit_text(const char *text, Profile profile) {
    ptoasm_options opt = PTOASM_OPTIONS_INIT;
    ptoasm_emit_options emit = {.size = sizeof emit};
    ptoasm_source *src;
    ptoasm_result *res = NULL;
    char *c = NULL;
    opt.profiles = PROFILE_BIT(profile);
    assert_int_equal(
        ptoasm_source_open("touched.pto", text, strlen(text), PTOASM_SOURCE_BORROW, &src),
        PTOASM_OK);
    if (ptoasm_emit(src, &opt, &emit, &res) == PTOASM_OK) c = strdup(ptoasm_result_text(res, NULL));
    ptoasm_result_free(res);
    ptoasm_source_close(src);
    return c;
}

static void add_program(Programs *all, const Opened *o, const Given *g) {
    int hook_of[RULE_MAX_SLOTS];
    Program p = {.inst = o->e.inst, .number = all->n};
    StrBuf text;
    if (!take_hooks(o, &p, hook_of) || !take_accesses(o, &p, hook_of)) return;
    sb_init(&text, &all->arena);
    put_program(o, g, &p, hook_of, &text);
    char *c = emit_text(sb_text(&text), all->profile);
    if (c == NULL) return;
    free(c);
    sb_puts(&all->text, sb_text(&text));
    for (unsigned i = 0; i < p.hooks; i++)
        sb_printf(&all->stubs,
                  "int see%u_%u(ptrt_core *core, const ptrt_tile *t) { (void)core; return "
                  "see_tile(%u, t); }\n",
                  p.number, i, i);
    if (all->n == all->cap) {
        all->cap = all->cap == 0 ? 256 : 2 * all->cap;
        all->at = realloc(all->at, all->cap * sizeof *all->at);
        assert_non_null(all->at);
    }
    all->at[all->n++] = p;
}

static bool all_hold(const Opened *o, const Given *g) {
    for (const Residue *r = o->rest; r != NULL; r = r->next)
        if (!term_holds(o, g, r->test)) return false;
    return true;
}

/* Gives scalars 2 instead of 0, with which products would not show what they read. */
static void give_scalars(const Opened *o, Given *g) {
    for (int s = 0; s < o->e.inst->nslots; s++) {
        const ExampleOperand *x = &o->e.operands[s];
        const int64_t value = g->value[s];
        if (x->count == 0 || x->kind != K_SCALAR || value != 0) continue;
        g->value[s] = 2;
        if (!all_hold(o, g)) g->value[s] = value;
    }
}

/* Adds the example with whole tiles, and with one row and column less valid in each. */
static void add_example(Programs *all, const Example *e) {
    Opened o;
    Given g;
    if (open_example(&o, e) && find_numbers(&o, NULL, NULL, &g)) {
        give_scalars(&o, &g);
        add_program(all, &o, &g);
        bool smaller = false;
        for (int s = 0; s < e->inst->nslots; s++) {
            const ExampleOperand *x = &o.e.operands[s];
            if (x->count == 0 || x->kind != K_TILE || x->vrow != DYNAMIC) continue;
            smaller |= g.vrow[s] > 1 || g.vcol[s] > 1;
            g.vrow[s] -= g.vrow[s] > 1;
            g.vcol[s] -= g.vcol[s] > 1;
        }
        if (smaller && all_hold(&o, &g)) add_program(all, &o, &g);
    }
    close_example(&o);
}

static unsigned choices;

static void add_instruction(Programs *all, const Inst *inst) {
    Example first, plain;
    ExampleBench *bench = example_bench_new();
    example_init(&first, inst, all->profile, OPF_DPS);
    first.bench = bench;
    plain = first;
    const bool found =
        example_has_form(inst, OPF_DPS) && example_find(&plain) && plain.text == NULL;
    for (int i = 0; found && i < inst->nslots; i++) {
        if (plain.operands[i].count == 0 || plain.operands[i].kind != K_TILE) continue;
        for (int k = 0; k < ELEM_COUNT; k++) {
            if ((first.operands[i].elems & ELEM_BIT(k)) == 0 || choices++ % EVERY != 0) continue;
            Example e = first;
            e.operands[i].elems = ELEM_BIT(k);
            e.max_tries = TRIES;
            if (example_find(&e)) add_example(all, &e);
        }
    }
    example_bench_free(bench);
}

/* ---- the test ---- */

static Function function_of(const Built *b, const Program *p) {
    char name[32];
    Function f;
    snprintf(name, sizeof name, "run%u", p->number);
    void *symbol = built_function(b, name);
    memcpy(&f, &symbol, sizeof f);
    return f;
}

/* Whether other contents of an operand change what the statement writes, in some of the tries. */
static bool has_effect(Function f, unsigned operand) {
    for (uint32_t k = 0; k < CHANGES; k++) {
        Fill fill = {
            .inside = 11 + k, .outside = 7, .kind = k % KINDS, .other = -1, .seed = 99 + k};
        Kept first;
        if (call_with(f, fill) != 0) continue;
        keep(&first);
        fill.other = (int)operand;
        const bool same = call_with(f, fill) == 0 && same_results(&first);
        kept_free(&first);
        if (!same) return true;
    }
    return false;
}

static const char *judge(Function f, const Program *p, bool *ran) {
    Fill fill = {.inside = 1, .outside = 2, .other = -1};
    const char *wrong = NULL;
    run.hooks = p->hooks;
    run.memory = p->memory;
    run.window = p->window;
    memcpy(run.does, p->does, sizeof run.does);
    while (fill.kind < KINDS && call_with(f, fill) != 0)
        fill.kind++;
    /* a statement for both kinds of cores is seen twice */
    *ran = fill.kind < KINDS && run.calls == 2 * run.hooks;
    if (!*ran) return NULL;
    if (!writes_declared()) return "writes more than the table says";
    Kept first;
    keep(&first);
    fill.outside = 3;
    if (call_with(f, fill) != 0 || !writes_declared() || !same_results(&first))
        wrong = "reads more than the table says";
    kept_free(&first);
    for (unsigned i = 0; i <= p->hooks && wrong == NULL; i++)
        if (p->must[i] && !has_effect(f, i))
            wrong = "does not read an operand that the table names";
    return wrong;
}

static unsigned run_programs(Programs *all) {
    static const char head[] = "#include <ptort.h>\nint (*touch_hook)(int, const ptrt_tile *);\n"
                               "static int see_tile(int n, const ptrt_tile *t) { return "
                               "touch_hook(n, t); }\n";
    Built b;
    unsigned failures = 0, ran = 0;
    StrBuf text;
    char *c = emit_text(sb_text(&all->text), all->profile);
    assert_non_null(c);
    sb_init(&text, &all->arena);
    sb_printf(&text, "%s%s", c, head);
    sb_puts(&text, sb_text(&all->stubs));
    free(c);
    build_c(&b, sb_text(&text));
    int (*hook)(int, const ptrt_tile *) = see_tile;
    memcpy(built_function(&b, "touch_hook"), &hook, sizeof hook);
    for (unsigned i = 0; i < all->n; i++) {
        bool did = false;
        const char *wrong = judge(function_of(&b, &all->at[i]), &all->at[i], &did);
        ran += did;
        if (wrong == NULL) continue;
        printf("# %s, run%u: %s\n", all->at[i].inst->name, i, wrong);
        failures++;
    }
    forget_areas();
    built_free(&b);
    printf("# %s: %u programs, %u ran and were judged, %u failures\n", profile_names[all->profile],
           all->n, ran, failures);
    assert_true(ran > 0);
    return failures;
}

static void test_profile(Profile p) {
    Programs all = {.profile = p};
    arena_init(&all.arena, NULL);
    sb_init(&all.text, &all.arena);
    sb_init(&all.stubs, &all.arena);
    for (int id = 1; id < INST_COUNT; id++)
        if (inst_table[id].alias_of == NULL && emit_lowers(&inst_table[id]))
            add_instruction(&all, &inst_table[id]);
    const unsigned failures = run_programs(&all);
    free(all.at);
    arena_free(&all.arena);
    assert_int_equal(failures, 0);
}

static void test_a2a3(void **state) {
    (void)state;
    test_profile(PROFILE_A2A3);
}

static void test_a5(void **state) {
    (void)state;
    test_profile(PROFILE_A5);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_a2a3), cmocka_unit_test(test_a5)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
