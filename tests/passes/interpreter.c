/* SPDX-License-Identifier: Apache-2.0 */
/* The interpreter of the tests of conversion and planning. */
#include "interpreter.h"
#include "ir/number.h"
#include "support/ptrmap.h"
#include "verifier/rules/keep_apart.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* Memory by rows. A planned program has its tiles below PLANNED, one space after the other; those
 * of the caller come after them, and then those of results. */
enum {
    SPACE_ROWS = 1 << 13,
    CALLER = SPACE_COUNT * SPACE_ROWS,
    FRESH = CALLER + (1 << 11),
    MOST_ROWS = 1 << 19,
    MOST_TRACE = 1 << 14,
    MOST_VALUES = 64,
    FUEL = 400 /* decisions; then every loop ends */
};

typedef struct Machine {
    PtrMap env; /* const Value * -> int64_t *: number, or first row of a tile */
    Arena *arena;
    const Plan *plan;
    Profile profile;
    uint64_t *trace;
    uint32_t n, decisions, fresh;
    const Block *next; /* where a branch went */
    bool left;         /* scf.condition said no */
    unsigned handed;
    int64_t values[MOST_VALUES]; /* what the last terminator handed on */
} Machine;

/* Used again by each run: new pages would cost more than running. */
static uint64_t memory[MOST_ROWS];
static uint64_t traces[3][MOST_TRACE];

static uint64_t mix(uint64_t a, uint64_t b) {
    uint64_t h = (a ^ (b + 0x9E3779B97F4A7C15u)) * 0xFF51AFD7ED558CCDu;
    return h ^ (h >> 29);
}

static int64_t *cell(Machine *m, const Value *v) {
    void **at = ptrmap_at(&m->env, v);
    if (*at == NULL) *at = ARENA_NEW(m->arena, int64_t);
    return *at;
}

static uint32_t rows_of(const Type *t) {
    return (uint32_t)((tile_bytes(t, PROFILE_CPU) + MACHINE_ROW - 1) / MACHINE_ROW);
}

/* ---- tiles ---- */

static uint64_t read_tile(Machine *m, const Value *v) {
    const uint64_t *row = memory + *cell(m, v);
    uint64_t hash = 0;
    for (uint32_t i = 0; i < rows_of(v->type); i++)
        hash = hash * 0x9E3779B97F4A7C15u + row[i];
    return mix(hash, 3);
}

static void write_rows(int64_t at, uint32_t n, uint64_t hash) {
    assert_true(at >= 0 && at + n <= MOST_ROWS);
    for (uint32_t i = 0; i < n; i++)
        memory[at + i] = hash + i;
}

static int64_t new_storage(Machine *m, const Type *t) {
    uint32_t at = m->fresh;
    m->fresh += rows_of(t);
    assert_true(m->fresh <= MOST_ROWS);
    return at;
}

static int64_t row_at(int64_t addr, int space) {
    assert_true(addr % MACHINE_ROW == 0 && addr / MACHINE_ROW < SPACE_ROWS);
    return space * SPACE_ROWS + addr / MACHINE_ROW;
}

static bool overlap(Machine *m, const Value *a, const Value *b) {
    int64_t x = *cell(m, a), y = *cell(m, b);
    return x < y + rows_of(b->type) && y < x + rows_of(a->type);
}

static void check_forbidden(Machine *m, const Op *op) {
    Apart pairs[MOST_APART];
    unsigned n = inst_apart(op->inst, pairs);
    for (unsigned i = 0; i < n; i++) {
        const Value *a = slot_value(op, pairs[i].a), *b = slot_value(op, pairs[i].b);
        if ((pairs[i].profiles & PROFILE_BIT(m->profile)) != 0 && a != NULL && b != NULL &&
            overlap(m, a, b))
            fail_msg("%s: %s and %s overlap", op->inst->name, op->inst->slots[pairs[i].a].name,
                     op->inst->slots[pairs[i].b].name);
    }
}

/* The scratch tile is overwritten while the sources are still needed. */
static void clobber_tmp(Machine *m, const Op *op, uint64_t before) {
    const PlanTmp *tmp = plan_tmp(m->plan, op);
    if (tmp == NULL) return;
    write_rows(row_at(tmp->slot.addr, tmp->slot.space), rows_of(tmp->type), ~before);
    uint64_t after = 0;
    for (int i = 0; i < op->inst->nslots; i++) {
        const Value *v = slot_value(op, i);
        if (op->inst->slots[i].role == ROLE_READ && v->type->kind == TY_TILE)
            after = mix(after, read_tile(m, v));
    }
    assert_true(after == before);
}

static void run_tile_op(Machine *m, const Op *op) {
    uint64_t hash = 0;
    Value *dst = named_value(op, OPERAND_dst);
    for (int i = 0; i < op->inst->nslots; i++) {
        const Value *v = slot_value(op, i);
        if (op->inst->slots[i].role == ROLE_READ && v != NULL && v->type->kind == TY_TILE)
            hash = mix(hash, read_tile(m, v));
    }
    assert_true(m->n < MOST_TRACE);
    m->trace[m->n++] = mix(hash, op->span.off);
    if (m->plan != NULL) {
        check_forbidden(m, op);
        clobber_tmp(m, op, hash);
    }
    if (op_tile_results(op) > 0) *cell(m, dst) = new_storage(m, dst->type);
    write_rows(*cell(m, dst), rows_of(dst->type), mix(mix(hash, op->span.off), m->n));
}

/* One storage, however often it is executed. */
static void run_alloc(Machine *m, const Op *op) {
    const Value *v = &op->results[0];
    if (m->plan != NULL)
        *cell(m, v) = row_at(plan_value(m->plan, v)->addr, v->type->tile.space);
    else if (*cell(m, v) == 0)
        *cell(m, v) = new_storage(m, v->type);
}

/* ---- decisions ---- */

static uint32_t decide(Machine *m, const Op *op, uint32_t n) {
    if (++m->decisions > FUEL) return 0;
    return (uint32_t)(mix(op->span.off * 31 + m->decisions, 7) >> 20) % n;
}

static void run_constant(Machine *m, const Op *op) {
    const Value *v = &op->results[0];
    int64_t n = 0;
    number_written(v, &n);
    bool bit = v->type->kind == TY_SCALAR && v->type->elem == ELEM_I1;
    *cell(m, v) = bit ? (int64_t)decide(m, op, 2) : n;
}

/* ---- control flow ---- */

static void run_region(Machine *m, const Region *r, const int64_t *values, unsigned n,
                       unsigned skip);

static void take_operands(Machine *m, const Operand *list, unsigned n) {
    assert_true(n <= MOST_VALUES);
    for (unsigned i = 0; i < n; i++)
        m->values[i] = *cell(m, list[i].value);
    m->handed = n;
}

static void give(Machine *m, const Value *to, unsigned n, const int64_t *values) {
    for (unsigned i = 0; i < n; i++)
        *cell(m, &to[i]) = values[i];
}

static void run_for(Machine *m, const Op *op) {
    int64_t bound, carried[MOST_VALUES];
    take_operands(m, op->operands + 3, op->nresults);
    uint32_t least = number_written(op->operands[1].value, &bound) ? 1 : 0;
    for (uint32_t rounds = least + decide(m, op, 4 - least); rounds > 0; rounds--) {
        memcpy(carried, m->values, sizeof carried);
        run_region(m, &op_regions(op)[0], carried, op->nresults, 1);
    }
    give(m, op->results, op->nresults, m->values);
}

static void run_while(Machine *m, const Op *op) {
    int64_t carried[MOST_VALUES];
    take_operands(m, op->operands, op->noperands);
    for (;;) {
        memcpy(carried, m->values, sizeof carried);
        run_region(m, &op_regions(op)[0], carried, m->handed, 0);
        if (m->left) break;
        memcpy(carried, m->values, sizeof carried);
        run_region(m, &op_regions(op)[1], carried, m->handed, 0);
    }
    give(m, op->results, op->nresults, m->values);
}

/* Returns the number of the region that runs; scf.if may lack its second one. */
static unsigned way_of(Machine *m, const Op *op) {
    const int64_t x = op->noperands > 0 ? *cell(m, op->operands[0].value) : 1;
    if (!op_runs(op, RUNS_CASES)) return x == 0;
    const Attr *cases = op->attrs[0].value;
    unsigned way = 0;
    while (way < cases->n && cases->items[way]->i != x)
        way++;
    return way;
}

static void run_branch_region(Machine *m, const Op *op) {
    const unsigned way = way_of(m, op);
    if (way < op->nregions) run_region(m, &op_regions(op)[way], NULL, 0, 0);
    give(m, op->results, op->nresults, m->values);
}

static void run_arith(Machine *m, const Op *op) {
    const Value *v = &op->results[0];
    int64_t x[3] = {0};
    for (unsigned i = 0; i < op->noperands; i++)
        x[i] = *cell(m, op->operands[i].value);
    if (op_is(op, INST_SELECT))
        *cell(m, v) = x[0] != 0 ? x[1] : x[2];
    else if (op_is(op, INST_CMPI))
        *cell(m, v) = x[0] == x[1]; /* the conversion asks for equality alone */
    else
        *cell(m, v) = x[0] | x[1];
}

static void run_view(Machine *m, const Op *op) {
    int64_t offset = 0;
    int slot = inst_slot(op->inst, OPERAND_offsets);
    if (slot >= 0) offset = *cell(m, slot_operands(op, slot)[0].value);
    *cell(m, &op->results[0]) = *cell(m, op->operands[0].value) + offset;
}

static void run_branch(Machine *m, const Op *op) {
    unsigned way = op->nsuccs > 1 && *cell(m, op->operands[0].value) == 0 ? 1 : 0;
    m->next = op_succs(op)[way].block;
    take_operands(m, op_succs(op)[way].args, op_succs(op)[way].nargs);
}

static void run_regions(Machine *m, const Op *op) {
    if (op_counts(op))
        run_for(m, op);
    else if (op_runs(op, RUNS_WHILE))
        run_while(m, op);
    else
        run_branch_region(m, op);
}

static void run_op(Machine *m, const Op *op) {
    if (op->inst->regions != NULL) {
        run_regions(m, op);
        return;
    }
    switch (inst_id(op->inst)) {
    case INST_SCF_YIELD:
        take_operands(m, op->operands, op->noperands);
        break;
    case INST_SCF_CONDITION:
        m->left = *cell(m, op->operands[0].value) == 0;
        take_operands(m, op->operands + 1, op->noperands - 1u);
        break;
    case INST_CF_BR:
    case INST_CF_COND_BR:
        run_branch(m, op);
        break;
    case INST_CONSTANT:
        run_constant(m, op);
        break;
    case INST_SELECT:
    case INST_CMPI:
    case INST_ORI:
        run_arith(m, op);
        break;
    case INST_SUBVIEW:
    case INST_BITCAST:
    case INST_TRESHAPE:
        run_view(m, op);
        break;
    case INST_ALLOC_TILE:
        run_alloc(m, op);
        break;
    default:
        if (op->inst->form == FORM_TILE) run_tile_op(m, op);
    }
}

/* Runs block after block; the values go to the arguments of the first one but for `skip`. */
static void run_region(Machine *m, const Region *r, const int64_t *values, unsigned n,
                       unsigned skip) {
    const Block *b = r->first;
    if (b != NULL && n > 0) give(m, b->args + skip, n, values);
    while (b != NULL) {
        m->next = NULL;
        for (const Op *op = b->first; op != NULL; op = op->next)
            run_op(m, op);
        const Op *last = b->last;
        b = last != NULL && last->nsuccs > 0 ? m->next : NULL;
        if (b == NULL) break;
        int64_t handed[MOST_VALUES];
        memcpy(handed, m->values, sizeof handed);
        give(m, b->args, b->nargs, handed);
    }
}

/* ---- entry ---- */

MachineRun machine_run(Program *p, const Plan *plan, Profile profile, int which) {
    const Op *func = program_op(p, "func.func");
    Arena *a = &p->ctx.arena;
    Machine m = {.env = {.arena = a}, .arena = a, .plan = plan, .profile = profile, .fresh = FRESH};
    m.trace = traces[which];
    memset(memory, 0, FRESH * sizeof *memory);
    const Block *body = op_regions(func)[0].first;
    uint32_t at = CALLER;
    for (uint32_t i = 0; i < body->nargs; i++) {
        const Value *v = &body->args[i];
        if (v->type->kind != TY_TILE) continue;
        *cell(&m, v) = at;
        write_rows(at, rows_of(v->type), mix(i, 5));
        at += rows_of(v->type);
        assert_true(at <= FRESH);
    }
    run_region(&m, &op_regions(func)[0], NULL, 0, 0);
    return (MachineRun){m.trace, m.n};
}

bool machine_same(MachineRun a, MachineRun b) {
    return a.n == b.n && memcmp(a.trace, b.trace, a.n * sizeof *a.trace) == 0;
}
