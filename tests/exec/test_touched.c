/* SPDX-License-Identifier: Apache-2.0 */
/* What the instruction table says a statement reads and writes is tested against memory: each
 * statement runs on memory with different contents. Bytes that change belong to elements that it
 * writes, and each of those is written; the contents of everything but the elements that it reads
 * are without effect, and some contents of each of those have one. EVERY: of so many choices of an
 * element type one is taken; ELEMENTS: of an operand at most so many elements are tried. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/effects.h"
#include "api/ptoasm.h"
#include "backends/c/emit.h"
#include "harness.h"
#include "open.h"
#include "touched.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TRIES = 60, WINDOW = 1 << 14, WHOLE = 8 }; /* of so many programs one sees all memory */

/* ---- programs ---- */

typedef struct Program {
    Statement s;
    OpForm form;
    bool prints; /* nothing in memory shows what it reads */
} Program;

typedef struct Programs {
    Arena arena;
    StrBuf text, stubs;
    Profile profile;
    Program *at;
    unsigned n, cap;
} Programs;

static Program *new_program(Programs *all) {
    if (all->n == all->cap) {
        all->cap = all->cap == 0 ? 256 : 2 * all->cap;
        all->at = realloc(all->at, all->cap * sizeof *all->at);
        assert_non_null(all->at);
    }
    all->at[all->n] = (Program){.form = OPF_DPS};
    return &all->at[all->n];
}

/* Describes a window of the buffer. Its elements are those of the tile one by one only where its
 * rows are those of the tile. */
static bool take_window(const Opened *o, int slot, Part *p) {
    const ExampleOperand *x = &o->e.operands[slot];
    p->size = elem_infos[x->elem].bytes;
    p->at = (size_t)o->window[slot] * p->size;
    p->rows = p->cols = 1;
    for (unsigned d = 0; d < x->rank; d++) {
        int64_t *n = d + 1 == x->rank ? &p->cols : &p->rows;
        *n *= x->dims[d];
    }
    return p->rows * p->cols * (int64_t)p->size <= WINDOW;
}

/* Whether the window's elements follow another order than the tile's. */
static bool is_folded(const ExampleOperand *x) {
    return x->layout != 0 || x->rank > 4;
}

/* Gives each tile and window a part; false when one cannot be observed. */
static bool take_parts(const Opened *o, const Given *g, Statement *s) {
    s->inst = o->e.inst;
    unsigned seen = 0;
    for (int i = 0; i < s->inst->nslots; i++) {
        const ExampleOperand *x = &o->e.operands[i];
        s->numbers[i] = g->value[i];
        if (x->count == 0 || (x->kind & (K_TILE | K_PART)) == 0) continue;
        for (unsigned k = 0; k < x->count; k++) {
            if (x->same_as != 0 || s->n == MOST_PARTS) return false;
            Part *p = &s->parts[s->n++];
            *p = (Part){.slot = i, .nth = k, .tile = x->kind == K_TILE};
            p->result = example_is_result(&o->e, i);
            seen += p->tile && !p->result;
            if (!p->tile && (k > 0 || !take_window(o, i, p))) return false;
        }
    }
    return seen > 0;
}

/* The value of a part in the statement. */
static const Value *value_of(const Op *op, const Part *p) {
    return slot_count(op, p->slot) > 0 ? slot_operands(op, p->slot)[p->nth].value
                                       : slot_value(op, p->slot);
}

static Part *part_of(const Op *op, Statement *s, int slot, const Value *v) {
    for (unsigned i = 0; i < s->n; i++)
        if (s->parts[i].slot == slot && value_of(op, &s->parts[i]) == v) return &s->parts[i];
    return NULL;
}

/* The declared accesses of an opened statement. */
static bool take_accesses(const Opened *o, Program *p) {
    static const Touched all = {.kind = TOUCH_SHAPE};
    const Effects effects = {.ctx = o->ctx, .profile = o->e.profile};
    Access list[32];
    bool writes = false;
    const size_t n = op_accesses(&effects, o->op, list, 32);
    assert_true(n <= 32);
    for (size_t i = 0; i < n; i++)
        writes |= list[i].write && !list[i].scratch;
    /* the kernels have no code for an idle statement */
    p->prints = !writes || o->e.inst->rare->idle != NULL;
    for (size_t i = 0; i < n; i++) {
        const Access *a = &list[i];
        if (a->slot == NULL) return false;
        const int slot = (int)(a->slot - o->e.inst->slots);
        Part *part = part_of(o->op, &p->s, slot, a->value);
        if (part == NULL) return false;
        const bool folded = !part->tile && is_folded(&o->e.operands[slot]);
        part->touched = folded ? &all : a->touched;
        part->read |= a->read;
        part->write |= a->write;
        part->must |= a->read && !a->maybe && !a->touched->partly && !folded && !p->prints;
        part->exact =
            !a->touched->partly && !folded && !a->scratch && o->e.inst->rare->idle == NULL;
    }
    return true;
}

static const char *part_name(const Opened *o, const Part *p, StrBuf *out) {
    const SlotInfo *slot = &o->e.inst->slots[p->slot];
    return slot->arity == ARITY_VAR ? arena_printf(out->arena, "%s%u", slot->name, p->nth)
                                    : slot->name;
}

static void put_calls(const Opened *o, const Statement *s, unsigned number, bool after,
                      StrBuf *out) {
    for (unsigned i = 0; i < s->n; i++) {
        if (!s->parts[i].tile || (s->parts[i].result && !after)) continue;
        sb_printf(out, "  func.call @see%u_%u(%%%s) : (", number, i,
                  part_name(o, &s->parts[i], out));
        example_print_type(&o->e, s->parts[i].slot, out);
        sb_puts(out, ") -> ()\n");
    }
}

static void put_program(const Opened *o, const Given *g, const Statement *s, unsigned number,
                        StrBuf *out) {
    StrBuf text;
    char name[32];
    sb_init(&text, out->arena);
    snprintf(name, sizeof name, "run%u", number);
    unsigned before = put_function(o, g, name, &text);
    for (unsigned i = 0; i < s->n; i++) {
        if (!s->parts[i].tile) continue;
        sb_printf(out, "func.func private @see%u_%u(", number, i);
        example_print_type(&o->e, s->parts[i].slot, out);
        sb_puts(out, ")\n");
    }
    const char *line = sb_text(&text), *statement = line;
    while (before-- > 0)
        statement = strchr(statement, '\n') + 1;
    const char *end = strstr(statement, "\n  return") + 1;
    sb_printf(out, "%.*s", (int)(statement - line), line);
    put_calls(o, s, number, false, out);
    sb_printf(out, "%.*s", (int)(end - statement), statement);
    put_calls(o, s, number, true, out);
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
    Program *p = new_program(all);
    StrBuf text;
    p->form = o->e.form;
    if (!take_parts(o, g, &p->s) || !take_accesses(o, p)) return;
    sb_init(&text, &all->arena);
    put_program(o, g, &p->s, all->n, &text);
    char *c = emit_text(sb_text(&text), all->profile);
    if (c == NULL) return;
    free(c);
    sb_puts(&all->text, sb_text(&text));
    for (unsigned i = 0; i < p->s.n; i++)
        sb_printf(&all->stubs,
                  "int see%u_%u(ptrt_core *core, const ptrt_tile *t) { (void)core; return "
                  "see_tile(%u, t); }\n",
                  all->n, i, i);
    all->n++;
}

/* ---- choices of operands ---- */

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

/* Leaves the last row and column of a tile out; false when it has no others. */
static bool shrink(const Opened *o, Given *g, int slot) {
    const ExampleOperand *x = &o->e.operands[slot];
    if (x->count == 0 || x->kind != K_TILE || x->vrow != DYNAMIC) return false;
    const bool smaller = g->vrow[slot] > 1 || g->vcol[slot] > 1;
    g->vrow[slot] -= g->vrow[slot] > 1;
    g->vcol[slot] -= g->vcol[slot] > 1;
    return smaller;
}

/* Adds the example with the valid regions that it has, with a row and a column less in each, and
 * with a row and a column less in one. */
static void add_valid_regions(Programs *all, const Opened *o, const Given *whole) {
    Given g = *whole;
    unsigned smaller = 0;
    add_program(all, o, whole);
    for (int s = 0; s < o->e.inst->nslots; s++)
        smaller += shrink(o, &g, s);
    if (smaller > 0 && all_hold(o, &g)) add_program(all, o, &g);
    for (int s = 0; s < o->e.inst->nslots && smaller > 1; s++) {
        g = *whole;
        if (shrink(o, &g, s) && all_hold(o, &g)) add_program(all, o, &g);
    }
}

static void add_example(Programs *all, const Example *e) {
    Opened o;
    Given g;
    if (open_example(&o, e) && find_numbers(&o, NULL, NULL, &g)) {
        size_t at = 0;
        for (int s = 0; s < e->inst->nslots; s++) {
            if (o.e.operands[s].count == 0 || o.e.operands[s].kind != K_PART) continue;
            o.window[s] = (int64_t)(at++ * WINDOW) / elem_infos[o.e.operands[s].elem].bytes;
        }
        give_scalars(&o, &g);
        if (at * WINDOW <= BUFFER) add_valid_regions(all, &o, &g);
    }
    close_example(&o);
}

static unsigned choices;

static void try_example(Programs *all, Example e) {
    if (choices++ % EVERY != 0) return;
    e.max_tries = TRIES;
    if (example_find(&e)) add_example(all, &e);
}

/* Adds examples with each element type of each tile. */
static void add_elems(Programs *all, const Example *first, const Example *plain) {
    for (int i = 0; i < first->inst->nslots; i++) {
        if (plain->operands[i].count == 0 || plain->operands[i].kind != K_TILE) continue;
        for (int k = 0; k < ELEM_COUNT; k++) {
            Example e = *first;
            if ((e.operands[i].elems & ELEM_BIT(k)) == 0) continue;
            e.operands[i].elems = ELEM_BIT(k);
            try_example(all, e);
        }
    }
}

/* Adds those with each operand that may be left out, with attributes that combine, and with pads.
 */
static void add_options(Programs *all, const Example *first, const Example *plain) {
    for (int i = 0; i < first->inst->nslots; i++) {
        const SlotInfo *slot = &first->inst->slots[i];
        const int attr = slot->rare->combines - 1;
        Example e = *first;
        if (attr >= 0) {
            e.attrs[attr] = (ExampleAttr){.present = true, .fixed = true, .value = 1};
            try_example(all, e);
        }
        if (plain->operands[i].kind == K_TILE && plain->operands[i].count > 0) {
            e = *plain;
            e.operands[i].pad = 1;
            if (example_accepted(&e) && choices++ % EVERY == 0) add_example(all, &e);
        }
        if (slot->arity == ARITY_ONE || (slot_types[slot->kind].kinds & K_TILE) == 0) continue;
        e = *first;
        e.operands[i].count = slot->arity == ARITY_VAR ? 2 : plain->operands[i].count == 0;
        e.operands[i].fixed_count = true;
        try_example(all, e);
    }
}

/* Adds those with another number as an attribute, such as the lowest byte. */
static void add_numbers(Programs *all, const Example *first) {
    for (int i = 0; i < first->inst->nattrs && i < EXAMPLE_MAX_ATTRS; i++) {
        Example e = *first;
        if (first->inst->attrs[i].type != AT_I32 || first->inst->attrs[i].dflt == 0) continue;
        e.attrs[i] = (ExampleAttr){.present = true, .fixed = true};
        try_example(all, e);
    }
}

/* Adds one with a long row, in which there is room for several blocks. */
static void add_long_rows(Programs *all, const Example *plain) {
    Example e = *plain;
    for (int i = 0; i < e.inst->nslots; i++) {
        ExampleOperand *x = &e.operands[i];
        if (x->count == 0 || x->kind != K_TILE) continue;
        if (x->rows != 1) return;
        x->cols = x->vcol = 512;
    }
    if (example_accepted(&e) && choices++ % EVERY == 0) add_example(all, &e);
}

static void add_form(Programs *all, const Inst *inst, OpForm form) {
    Example first, plain;
    ExampleBench *bench = example_bench_new();
    example_init(&first, inst, all->profile, form);
    first.bench = bench;
    plain = first;
    if (example_has_form(inst, form) && example_find(&plain) && plain.text == NULL) {
        add_elems(all, &first, &plain);
        add_options(all, &first, &plain);
        add_numbers(all, &first);
        add_long_rows(all, &plain);
    }
    example_bench_free(bench);
}

/* ---- the test ---- */

static Function function_of(const Built *b, unsigned number) {
    char name[32];
    Function f;
    snprintf(name, sizeof name, "run%u", number);
    void *symbol = built_function(b, name);
    memcpy(&f, &symbol, sizeof f);
    return f;
}

/* Runs without what print statements write. */
static void judge(const Program *p, Function f, bool whole, Finding *v) {
    if (!p->prints) {
        touched_judge(&p->s, f, ELEMENTS, whole, v);
        return;
    }
    fflush(stdout);
    const int kept = dup(STDOUT_FILENO), null = open("/dev/null", O_WRONLY);
    assert_true(kept >= 0 && null >= 0 && dup2(null, STDOUT_FILENO) >= 0);
    close(null);
    touched_judge(&p->s, f, 0, whole, v);
    fflush(stdout);
    assert_true(dup2(kept, STDOUT_FILENO) >= 0);
    close(kept);
}

/* The slots of each instruction that are read, and those whose contents had an effect. */
static uint32_t named[INST_COUNT], seen[INST_COUNT];

static void note_effects(const Program *p, const Finding *v) {
    const InstId id = inst_id(p->s.inst);
    for (unsigned i = 0; i < p->s.n && v->ran && !p->prints; i++) {
        if (!p->s.parts[i].read) continue;
        named[id] |= UINT32_C(1) << p->s.parts[i].slot;
        if (v->effect[i]) seen[id] |= UINT32_C(1) << p->s.parts[i].slot;
    }
}

/* With all programs, each operand that some read has an effect in some. */
static unsigned find_unread(void) {
    unsigned failures = 0;
    for (int id = 1; id < INST_COUNT && EVERY == 1; id++)
        for (int s = 0; s < inst_table[id].nslots; s++) {
            if ((named[id] & ~seen[id] & UINT32_C(1) << s) == 0) continue;
            printf("# %s: no contents of %s have an effect\n", inst_table[id].name,
                   inst_table[id].slots[s].name);
            failures++;
        }
    return failures;
}

static unsigned run_programs(Programs *all) {
    static const char head[] =
        "#include <ptort_emitted.h>\nint (*touch_hook)(int, const ptrt_tile *);\n"
        "static int see_tile(int n, const ptrt_tile *t) { return "
        "touch_hook(n, t); }\n";
    Built b;
    unsigned failures = 0, ran = 0, ssa = 0;
    StrBuf text;
    char *c = emit_text(sb_text(&all->text), all->profile);
    assert_non_null(c);
    sb_init(&text, &all->arena);
    sb_printf(&text, "%s%s", c, head);
    sb_puts(&text, sb_text(&all->stubs));
    free(c);
    build_c(&b, sb_text(&text));
    int (*hook)(int, const ptrt_tile *) = touched_see;
    memcpy(built_function(&b, "touch_hook"), &hook, sizeof hook);
    for (unsigned i = 0; i < all->n; i++) {
        const Program *p = &all->at[i];
        Finding v;
        judge(p, function_of(&b, i), i % WHOLE == 0, &v);
        ran += v.ran;
        note_effects(p, &v);
        ssa += v.ran && p->form == OPF_SSA;
        if (v.wrong == NULL) continue;
        printf("# %s, run%u%s: %s: %s\n", p->s.inst->name, i, p->form == OPF_SSA ? ", SSA" : "",
               v.wrong, v.element);
        failures++;
    }
    built_free(&b);
    failures += find_unread();
    printf("# %s: %u programs, %u ran and were judged, %u of them in the SSA form, %u failures\n",
           profile_names[all->profile], all->n, ran, ssa, failures);
    assert_true(ran > ssa && ssa > 0);
    return failures;
}

static void test_profile(Profile p) {
    Programs all = {.profile = p};
    arena_init(&all.arena, NULL);
    sb_init(&all.text, &all.arena);
    sb_init(&all.stubs, &all.arena);
    for (int id = 1; id < INST_COUNT; id++) {
        if (inst_table[id].alias_of != INST_INVALID || inst_is_micro(&inst_table[id]) ||
            !emit_lowers(&inst_table[id]))
            continue;
        add_form(&all, &inst_table[id], OPF_DPS);
        add_form(&all, &inst_table[id], OPF_SSA);
    }
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
