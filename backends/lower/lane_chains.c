/* SPDX-License-Identifier: Apache-2.0 */
/* A pass over the statements of a function: finds chains of micro-instructions. A chain is a run of
 * loads, operations on lanes of 32 bits with one mask, and stores. A load has no step of its own if
 * the memory can be the operand of a later step; the value of each step stays in machine registers
 * for the next one, and is stored in a vector register only if another statement reads it. Inactive
 * lanes may hold anything until something can see them. */
#include "backends/lower/lane_chains.h"

#include "backends/lower/passes.h"
#include "runtime/ptort.h"
#include "runtime/ptort_types.def"

#include <string.h>

enum { MOST_CHAINS = 64, WORD_FIRST = 5 /* dist = 1PT_B32 */ };

/* ---- rows that may be steps ---- */

typedef enum Way {
    WAY_LOAD,
    WAY_STORE,
    WAY_STORE_FIRST,
    WAY_TWO,
    WAY_SCALAR,
    WAY_ONE,
    WAY_COMPARE,
    WAY_COMPARE_SCALAR,
    WAY_SELECT,
    WAY_SPREAD,
    WAY_SUM
} Way;

enum { PTRT_ANY = KERNEL_ANY_ELEM };
#define TYPE_BIT(unused, suffix, E1, E2) | UINT32_C(1) << PTRT_##E1

static const struct Chained {
    const char *id;
    uint32_t elems; /* bits 1 << enum ptrt_elem */
    uint8_t way;
} chained[] = {
#define CHAINED(id, way, types, op) {"PTRT_" #id, 0 PTRT_TYPES_##types(TYPE_BIT, ), WAY_##way},
#include "runtime/ptort_micro.def"
};

static const struct Chained *row_of(const LowerStmt *s) {
    if (s->form != STMT_KERNEL || s->call == NULL || s->call->row == NULL ||
        s->call->row->way != KERNEL_BODY)
        return NULL;
    const int elem = s->call->elems[0];
    const unsigned number = elem == ELEM_NONE ? KERNEL_ANY_ELEM : (unsigned)kernel_elem(elem);
    const char *id = kernel_id(s->call->row);
    for (size_t i = 0; i < sizeof chained / sizeof *chained; i++)
        if (strcmp(chained[i].id, id) == 0)
            return (chained[i].elems >> number & 1) != 0 ? &chained[i] : NULL;
    return NULL;
}

/* ---- members ---- */

typedef struct Member {
    const LowerStmt *stmt;
    const struct Chained *row;
    const Value *in[2]; /* registers that it reads */
    unsigned nin;
    const Value *out;      /* the register or mask that it makes; NULL: none */
    const Value *by;       /* the mask that governs it; NULL: none */
    const Value *selector; /* of a selection */
} Member;

typedef struct Finder {
    Arena *arena;
    PtrMap uses; /* of registers and masks: how often statements name them */
    Member list[LANE_CHAIN_MEMBERS];
    unsigned n, chains;
    const Value *mask; /* of the members so far; NULL: not known yet */
    bool stored;       /* one of them is a store */
} Finder;

static const Value *value_of(const LowerStmt *s, unsigned arg) {
    return s->call->args[arg].value;
}

/* Reads the arguments of a call, as the rows of ptort_micro.def have them. Returns false when the
 * form of the statement is another one. */
static bool read_member(Member *m, const LowerStmt *s) {
    const struct Chained *row = row_of(s);
    if (row == NULL) return false;
    *m = (Member){.stmt = s, .row = row};
    switch ((Way)row->way) {
    case WAY_LOAD: /* %core =result =next source offset */
        m->out = value_of(s, 1);
        return m->out != NULL && value_of(s, 2) == NULL;
    case WAY_STORE: /* %core value =next destination offset mask */
    case WAY_STORE_FIRST:
        m->in[m->nin++] = value_of(s, 1);
        if (row->way == WAY_STORE) m->by = value_of(s, 5);
        return value_of(s, 2) == NULL &&
               (row->way == WAY_STORE || s->call->args[6].n == WORD_FIRST);
    case WAY_TWO: /* =result x y mask */
    case WAY_SELECT:
    case WAY_COMPARE:
        m->out = value_of(s, 0);
        m->in[m->nin++] = value_of(s, 1);
        m->in[m->nin++] = value_of(s, 2);
        *(row->way == WAY_SELECT ? &m->selector : &m->by) = value_of(s, 3);
        return m->out != NULL && (row->way != WAY_SELECT || m->in[0] != m->in[1]);
    case WAY_SCALAR: /* =result x :scalar mask */
    case WAY_COMPARE_SCALAR:
        m->out = value_of(s, 0);
        m->in[m->nin++] = value_of(s, 1);
        m->by = value_of(s, 3);
        return m->out != NULL;
    case WAY_ONE: /* =result x mask */
    case WAY_SPREAD:
    case WAY_SUM:
        m->out = value_of(s, 0);
        m->in[m->nin++] = value_of(s, 1);
        m->by = value_of(s, 2);
        return m->out != NULL;
    }
    return false;
}

static const Member *maker(const Finder *f, const Value *v) {
    for (unsigned i = 0; i < f->n; i++)
        if (f->list[i].out == v) return &f->list[i];
    return NULL;
}

static bool is_loaded(const Finder *f, const Value *v) {
    const Member *m = maker(f, v);
    return m != NULL && m->row->way == WAY_LOAD;
}

/* After a store, memory that was loaded before may be another one: only stores of what is computed
 * follow. */
static bool fits_after_store(const Finder *f, const Member *m) {
    return (m->row->way == WAY_STORE || m->row->way == WAY_STORE_FIRST) && !is_loaded(f, m->in[0]);
}

/* Returns the value that the last operation has made; NULL: there is none. */
static const Value *last_made(const Finder *f) {
    for (unsigned i = f->n; i-- > 0;) {
        const Member *m = &f->list[i];
        if (m->row->way != WAY_LOAD && m->out != NULL && m->out->type->kind == TY_VREG)
            return m->out;
    }
    return NULL;
}

static bool join(Finder *f, const LowerStmt *s) {
    Member m;
    if (f->n == LANE_CHAIN_MEMBERS || !read_member(&m, s)) return false;
    if (f->stored && !fits_after_store(f, &m)) return false;
    if (m.row->way == WAY_STORE_FIRST && m.in[0] != last_made(f)) return false;
    if (m.by != NULL && f->mask != NULL && m.by != f->mask) return false;
    if (m.by != NULL && maker(f, m.by) != NULL) return false; /* known too late */
    if (m.by != NULL) f->mask = m.by;
    f->stored |= m.row->way == WAY_STORE || m.row->way == WAY_STORE_FIRST;
    f->list[f->n++] = m;
    return true;
}

/* ---- uses ---- */

static bool is_tracked(const Value *v) {
    return v != NULL && (v->type->kind == TY_VREG || v->type->kind == TY_MASK);
}

static void count_operands(Finder *f, const Operand *o, unsigned n) {
    for (unsigned i = 0; i < n; i++) {
        if (!is_tracked(o[i].value)) continue;
        void **at = ptrmap_at(&f->uses, o[i].value);
        *at = (void *)((uintptr_t)*at + 1);
    }
}

static void count_uses(const LowerStmt *s, void *arg) {
    count_operands(arg, s->args, s->nargs);
    for (unsigned i = 0; i < s->nways; i++)
        count_operands(arg, s->ways[i].args, s->ways[i].nargs);
}

/* Whether a statement outside the chain reads the value. */
static bool is_read_outside(const Finder *f, const Value *v) {
    uintptr_t inside = 0;
    for (unsigned i = 0; i < f->n; i++) {
        const Member *m = &f->list[i];
        for (unsigned k = 0; k < m->nin; k++)
            inside += m->in[k] == v;
        inside += (uintptr_t)(m->selector == v) + (uintptr_t)(m->by == v);
    }
    return (uintptr_t)ptrmap_get(&f->uses, v) > inside;
}

static bool is_read_inside(const Finder *f, const Value *v) {
    for (unsigned i = 0; i < f->n; i++)
        for (unsigned k = 0; k < f->list[i].nin; k++)
            if (f->list[i].in[k] == v) return true;
    return false;
}

/* ---- steps ---- */

typedef struct Maker {
    const Finder *f;
    LaneStep steps[LANE_CHAIN_STEPS];
    unsigned n;
    bool full;         /* there is no room for a step, */
    LaneStep spare;    /* which is this one */
    const Value *held; /* the value in machine registers; NULL: none */
    bool loose;        /* its inactive lanes, which are zero, may hold anything */
    const Value *kept[LANE_CHAIN_MEMBERS];
    unsigned nkept;
    const Value *masks[LANE_CHAIN_MASKS]; /* that only the chain reads */
    unsigned nmasks;
} Maker;

static LaneStep *add(Maker *k, const LowerStmt *s, const char *prefix, const char *id) {
    k->full |= k->n == LANE_CHAIN_STEPS;
    if (k->full) return &k->spare;
    LaneStep *step = &k->steps[k->n++];
    *step = (LaneStep){.stmt = s, .prefix = prefix, .id = id, .elem = ELEM_NONE, .how = 0};
    return step;
}

static LaneStep *add_row(Maker *k, const Member *m, const char *prefix) {
    LaneStep *step = add(k, m->stmt, prefix, m->row->id + strlen("PTRT_"));
    step->elem = m->stmt->call->elems[0];
    return step;
}

/* Makes the step read or write the memory of a load or store. */
static void set_place(Maker *k, LaneStep *step, const LowerStmt *s, LaneFrom from) {
    step->stmt = s;
    for (unsigned i = 0; i < k->n; i++) {
        if (&k->steps[i] == step || k->steps[i].stmt != s || k->steps[i].from != (int)from)
            continue;
        step->from = LANE_FROM_AGAIN;
        step->again = (uint8_t)i;
        return;
    }
    step->from = (uint8_t)from;
    step->base = &s->call->args[3];
    step->offset = &s->call->args[4];
}

static void set_operand(Maker *k, LaneStep *step, const Value *v) {
    if (is_loaded(k->f, v)) {
        set_place(k, step, maker(k->f, v)->stmt, LANE_FROM_PLACE);
        return;
    }
    step->from = LANE_FROM_REGISTER;
    step->reg = v;
}

/* Makes the machine registers hold a value. */
static void hold(Maker *k, const LowerStmt *s, const Value *v) {
    if (k->held == v) return;
    set_operand(k, add(k, s, "LEFT_", "VLDS"), v);
    k->held = v;
    k->loose = false;
}

static void keep(Maker *k, const LowerStmt *s, const Value *v) {
    LaneStep *step = add(k, s, "", k->loose ? "CHAIN_KEEP_ACTIVE" : "CHAIN_KEEP");
    step->from = LANE_FROM_REGISTER;
    step->reg = v;
    k->kept[k->nkept++] = v;
}

/* Makes inactive lanes what they are. */
static void clear(Maker *k, const LowerStmt *s) {
    add(k, s, "", "CHAIN_CLEAR");
    k->loose = false;
}

static void set_mask(Maker *k, LaneStep *step, const Value *mask) {
    step->mask = mask;
    for (unsigned i = 0; i < k->nmasks; i++)
        if (k->masks[i] == mask) step->own = (uint8_t)(i + 1);
}

static bool reads(const Member *m, const Value *v) {
    return (m->nin > 0 && m->in[0] == v) || (m->nin > 1 && m->in[1] == v);
}

/* Whether the registers hold something else after the member, if they hold v before. */
static bool replaces(const Member *m, const Value *v) {
    if (m->row->way == WAY_LOAD) return false;
    const bool makes = m->out != NULL && m->out->type->kind == TY_VREG;
    return makes || !reads(m, v);
}

/* Whether a value that member i makes must be in a vector register: something reads it when the
 * machine registers hold another one. */
static bool is_needed(const Finder *f, unsigned i) {
    const Value *v = f->list[i].out;
    bool held = true;
    if (is_read_outside(f, v)) return true;
    for (unsigned k = i + 1; k < f->n; k++) {
        const Member *m = &f->list[k];
        if (!held && reads(m, v)) return true;
        /* A load that others read takes the registers at once. */
        if (m->row->way == WAY_LOAD ? is_read_outside(f, m->out) || !is_read_inside(f, m->out)
                                    : replaces(m, v))
            held = false;
    }
    return false;
}

static const char *const mirrored = "\0\1\4\5\2\3"; /* of enum ptrt_cmp */

static void compare(Maker *k, const Member *m) {
    const Value *a = m->in[0], *b = m->in[1];
    int how = (int)m->stmt->call->args[4].n;
    if (b != NULL && a != b && k->held == b) {
        how = mirrored[how];
        a = m->in[1];
        b = m->in[0];
    }
    hold(k, m->stmt, a);
    LaneStep *step = add_row(k, m, m->nin > 1 && a == b ? "SELF_" : "LEFT_");
    if (m->nin == 1) {
        step->from = LANE_FROM_BITS;
        step->bits = &m->stmt->call->args[2];
    } else if (a != b) {
        set_operand(k, step, b);
    }
    step->how = (int8_t)how;
    if (k->nmasks < LANE_CHAIN_MASKS && !is_read_outside(k->f, m->out))
        k->masks[k->nmasks++] = m->out;
    else
        k->kept[k->nkept++] = m->out;
    set_mask(k, step, m->out);
}

static void two(Maker *k, const Member *m) {
    const Value *a = m->in[0], *b = m->in[1];
    const bool right = a != b && k->held == b;
    if (!right) hold(k, m->stmt, a);
    LaneStep *step = add_row(k, m, a == b ? "SELF_" : right ? "RIGHT_" : "LEFT_");
    if (a != b) set_operand(k, step, right ? a : b);
    if (m->selector != NULL) set_mask(k, step, m->selector);
    k->loose = true;
}

/* A selection has the lanes of its second operand where the selector has none, also where the mask
 * of the chain has none, if it made the selector. */
static void select(Maker *k, const Member *m) {
    const Member *by = maker(k->f, m->selector);
    if (k->held != m->in[1]) hold(k, m->stmt, m->in[0]);
    if (k->loose && by == NULL && m->selector != k->f->mask) clear(k, m->stmt);
    const bool loose = k->loose && k->held == m->in[1];
    two(k, m);
    k->loose = loose;
}

/* The first lane of memory: a register that has just got it takes longer to read whole. */
static void spread(Maker *k, const Member *m) {
    const bool held = k->held == m->in[0];
    if (held && k->loose) clear(k, m->stmt);
    LaneStep *step = add_row(k, m, held ? "LEFT_" : "RIGHT_");
    if (!held) set_operand(k, step, m->in[0]);
    k->loose = true;
}

static void compute(Maker *k, const Member *m) {
    LaneStep *step;
    switch ((Way)m->row->way) {
    case WAY_TWO:
        two(k, m);
        break;
    case WAY_SELECT:
        select(k, m);
        break;
    case WAY_SCALAR:
        hold(k, m->stmt, m->in[0]);
        step = add_row(k, m, "LEFT_");
        step->from = LANE_FROM_BITS;
        step->bits = &m->stmt->call->args[2];
        k->loose = true;
        break;
    case WAY_SUM:
        hold(k, m->stmt, m->in[0]);
        clear(k, m->stmt);
        add_row(k, m, "LEFT_");
        break;
    case WAY_SPREAD:
        spread(k, m);
        break;
    default:
        hold(k, m->stmt, m->in[0]);
        add_row(k, m, "LEFT_");
        k->loose = true;
    }
    k->held = m->out;
}

static void add_member(Maker *k, unsigned i) {
    const Member *m = &k->f->list[i];
    switch ((Way)m->row->way) {
    case WAY_LOAD:
        if (!is_read_outside(k->f, m->out) && is_read_inside(k->f, m->out)) return;
        hold(k, m->stmt, m->out);
        if (is_read_outside(k->f, m->out)) keep(k, m->stmt, m->out);
        return;
    case WAY_STORE:
    case WAY_STORE_FIRST:
        hold(k, m->stmt, m->in[0]);
        if (m->row->way == WAY_STORE_FIRST && k->loose) clear(k, m->stmt);
        set_place(k, add_row(k, m, "LEFT_"), m->stmt,
                  m->row->way == WAY_STORE ? LANE_FROM_PLACE : LANE_FROM_WORD);
        return;
    case WAY_COMPARE:
    case WAY_COMPARE_SCALAR:
        compare(k, m);
        return;
    default:
        compute(k, m);
        if (is_needed(k->f, i)) keep(k, m->stmt, m->out);
    }
}

/* ---- the pass ---- */

/* Whether there is more to run than loads, which take longer in a chain. */
static bool computes(const Finder *f) {
    for (unsigned i = 0; i < f->n; i++)
        if (f->list[i].row->way != WAY_LOAD) return true;
    return false;
}

static void end_chain(Finder *f) {
    Maker k = {.f = f};
    for (unsigned i = 0; i < f->n && !k.full; i++)
        add_member(&k, i);
    /* A step takes less than half the time of a call. */
    if (!k.full && f->n > 1 && computes(f) && 2 * k.n <= 5 * f->n && f->chains < MOST_CHAINS) {
        LaneChain *c = ARENA_NEW(f->arena, LaneChain);
        LaneStep *steps = ARENA_ARRAY(f->arena, LaneStep, k.n);
        const Value **kept = ARENA_ARRAY(f->arena, const Value *, k.nkept + 1u);
        memcpy(steps, k.steps, k.n * sizeof *steps);
        memcpy(kept, k.kept, k.nkept * sizeof *kept);
        *c = (LaneChain){.last = f->list[f->n - 1].stmt,
                         .mask = f->mask,
                         .steps = steps,
                         .nsteps = k.n,
                         .kept = kept,
                         .nkept = k.nkept};
        for (unsigned i = 0; i < f->n; i++)
            ((LowerStmt *)(uintptr_t)f->list[i].stmt)->lanes = c;
        f->chains++;
    }
    f->n = 0;
    f->mask = NULL;
    f->stored = false;
}

/* Whether the statement may run before the members so far, all of which it leaves alone: it makes
 * scalars or masks of scalars. What is in a register may take that of an operand of theirs. */
static bool is_apart(const LowerStmt *s) {
    const bool idle = lower_is_idle_scalar(s);
    if (s->nregions > 0 || s->nresults == 0) return false;
    if (!idle && (s->form != STMT_KERNEL || s->call == NULL || s->call->row == NULL ||
                  s->call->row->way != KERNEL_CALL || s->call->fails))
        return false;
    for (unsigned i = 0; i < s->nargs; i++) {
        const Value *v = s->args[i].value;
        if (v == NULL || v->type->kind == TY_SCALAR) continue;
        if (!idle || is_tracked(v) || lower_register_span(v->type) > 0) return false;
    }
    for (unsigned i = 0; i < s->nresults; i++)
        if (lower_register_span(s->results[i].type) > 0) return false;
    return true;
}

static void find_chains(Finder *f, const LowerRegion *r) {
    for (const LowerBlock *b = r->first; b != NULL; b = b->next) {
        for (const LowerStmt *s = b->first; s != NULL; s = s->next) {
            if (f->n > 0 && is_apart(s)) continue;
            if (!join(f, s)) {
                end_chain(f);
                (void)join(f, s);
            }
            for (unsigned i = 0; i < s->nregions; i++)
                find_chains(f, &s->regions[i]);
        }
        end_chain(f);
    }
}

void lower_lane_chains(const LowerRegion *r, Arena *arena) {
    Finder f = {.arena = arena, .uses = {.arena = arena}};
    lower_walk(r, count_uses, &f);
    if (f.uses.count > 0) find_chains(&f, r);
}
