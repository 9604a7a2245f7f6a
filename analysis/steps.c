/* Translates statements into steps: what they read and write, on which pipe, and what they order.
 */
#include "analysis/steps.h"
#include "analysis/effects.h"

typedef struct Maker {
    Arena *arena;
    const Context *ctx;
    Profile profile;
    Core core;  /* whose statements count */
    Core inner; /* of the function or section around */
    Step *loop;
    Step **last;
    Steps *out;
    uint32_t calls, n;   /* calls around; steps so far */
    uint32_t statements; /* taken so far */
    const Op *call;      /* the outermost of these calls */
} Maker;

enum { DEEPEST_CALL = 16, MOST_STEPS = 1 << 17 };

static void not_understood(Maker *m, const Op *op, const char *why) {
    if (m->out->unknown != NULL) return;
    m->out->unknown = op;
    m->out->why = why;
}

static Step *add_step(Maker *m, StepKind kind, const Op *op, Pipe pipe) {
    Step *s = ARENA_NEW(m->arena, Step);
    if (++m->n == MOST_STEPS) not_understood(m, op, "a function of so many statements");
    s->op = op;
    s->at = m->calls > 0 ? m->call : op;
    s->kind = (uint8_t)kind;
    s->pipe = (uint8_t)pipe;
    s->statement = m->statements;
    s->loop = m->loop;
    s->depth = m->loop != NULL ? m->loop->depth : 0;
    *m->last = s;
    m->last = &s->next;
    return s;
}

/* ---- numbers that a loop determines ---- */

static Step *step_of_loop(const Maker *m, const Value *variable) {
    for (Step *l = m->loop; l != NULL; l = l->loop)
        if (op_is(l->op, INST_SCF_FOR) && &op_regions(l->op)[0].first->args[0] == variable)
            return l;
    return NULL;
}

static int64_t common_divisor(int64_t a, int64_t b) {
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Lets the ring of a loop determine numbers modulo `modulus`. */
static bool widen_ring(Step *loop, int64_t modulus) {
    enum { LONGEST_RING = 16 };
    int64_t n = loop->ring / common_divisor(loop->ring, modulus) * modulus;
    if (n > LONGEST_RING) return false;
    loop->ring = (uint32_t)n;
    return true;
}

/* Reads a constant, or a remainder of an expression in one loop variable. */
static bool read_cycle(Maker *m, const Value *v, Cycle *out) {
    const Op *op = v->def;
    int64_t modulus;
    *out = (Cycle){.modulus = 1};
    if (value_constant(v, &out->offset)) return true;
    while (op != NULL && (op_is(op, INST_INDEX_CAST) || op_is(op, INST_EXTSI) ||
                          op_is(op, INST_EXTUI) || op_is(op, INST_TRUNCI)))
        op = op->operands[0].value->def;
    if (op == NULL || (!op_is(op, INST_REMUI) && !op_is(op, INST_REMSI)) ||
        !value_constant(op->operands[1].value, &modulus) || modulus <= 0)
        return false;
    const Affine *a = affine_of(&m->out->places, op->operands[0].value);
    if (a->n != 1) return false;
    Step *loop = step_of_loop(m, a->terms[0].v);
    if (loop == NULL || !widen_ring(loop, modulus)) return false;
    m->out->places.assumed_rem |= op_is(op, INST_REMSI);
    *out = (Cycle){loop, a->terms[0].by % modulus, a->c % modulus, modulus};
    return true;
}

/* ---- what is read and written ---- */

static Use *add_use(Maker *m, Step *s, const Access *a) {
    Use *more = ARENA_ARRAY(m->arena, Use, s->nuses + 1);
    if (s->nuses > 0) memcpy(more, s->uses, s->nuses * sizeof *more);
    s->uses = more;
    Use *u = &more[s->nuses++];
    u->write = a->write;
    u->scratch = a->scratch;
    u->slot.modulus = 1;
    return u;
}

static void use_place(Maker *m, Step *s, const Access *a, const Where *w, bool maybe) {
    Use *u = add_use(m, s, a);
    u->places = ARENA_ARRAY(m->arena, const Where *, 1);
    u->places[0] = w;
    u->maybe = maybe;
}

/* Uses the slot of a multi tile that a loop determines; false when it does not. */
static bool use_slot(Maker *m, Step *s, const Access *a, const Alias *alias, const Value *v) {
    const Op *get = v->def;
    Cycle c;
    if (get == NULL || !op_is(get, INST_MULTI_TILE_GET)) return false;
    AliasSet whole = alias_places(alias, get, get->operands[0].value);
    if (whole.n != 1 || whole.places[0].base != BASE_ADDRESS ||
        !read_cycle(m, get->operands[1].value, &c) || c.loop == NULL)
        return false;
    Use *u = add_use(m, s, a);
    u->slot = c;
    u->places = ARENA_ARRAY(m->arena, const Where *, (size_t)c.modulus);
    for (int64_t i = 0; i < c.modulus; i++)
        u->places[i] =
            where_tile(&m->out->places, place_slot(&whole.places[0], v->type, i), v->type, 0);
    return true;
}

/* Returns the bytes from the first to the last of a window that the vendor's assembler wrote as a
 * tile with the extents of the tile around it; 0 for other tiles. */
static int64_t window_bytes(const Maker *m, const Value *v) {
    const NamedAttr *a =
        v->def != NULL ? op_attr_named(m->ctx, v->def, "pto.view_semantics") : NULL;
    const TileInfo *t = &v->type->tile;
    if (a == NULL || v->type->kind != TY_TILE || t->vrow <= 0 || t->vcol <= 0) return 0;
    int64_t n = t->blayout == BL_COL_MAJOR ? (t->vcol - 1) * t->rows + t->vrow
                                           : (t->vrow - 1) * t->cols + t->vcol;
    return t->slayout == SL_NONE_BOX ? n * elem_infos[v->type->elem].bytes : 0;
}

static void use_tile(Maker *m, Step *s, const Access *a, const Value *v) {
    if (m->calls > 0) {
        not_understood(m, s->op, "a tile of a called function");
        return;
    }
    const Alias *alias = m->out->places.alias;
    if (use_slot(m, s, a, alias, v)) return;
    AliasSet set = alias_places(alias, s->op, v);
    for (unsigned i = 0; i < set.n; i++) {
        BaseKind base = (BaseKind)set.places[i].base;
        if (base == BASE_BUFFER || base == BASE_VALUE)
            not_understood(m, s->op, "a tile without an address");
        use_place(m, s, a, where_tile(&m->out->places, set.places[i], v->type, window_bytes(m, v)),
                  set.n > 1);
    }
}

static bool is_memory(const Type *t) {
    return t->kind == TY_PTR || t->kind == TY_TENSOR_VIEW || t->kind == TY_PART_VIEW;
}

/* Uses a value; numbers have no bytes. */
static void use_value(Maker *m, Step *s, const Access *a, const Value *v) {
    const Op *op = s->op;
    if (type_is_tile(v->type) || v->type->kind == TY_MULTI_TILE)
        use_tile(m, s, a, v);
    else if (v->type->kind == TY_PTR && inst_slot(op->inst, "offset") >= 0)
        use_place(m, s, a,
                  where_element(&m->out->places, v, slot_value(op, inst_slot(op->inst, "offset"))),
                  false);
    else if (is_memory(v->type))
        use_place(m, s, a, where_global(&m->out->places, v), false);
}

/* Uses what the slots have; popped entries, which are results, come with their own pipe. */
static void use_slots(Maker *m, Step *s, const Access *list, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (list[i].slot != NULL) use_value(m, s, &list[i], list[i].value);
}

/* Returns the popped tile or view, or NULL. */
static const Value *entry_of(const Op *op) {
    const Value *v =
        inst_slot(op->inst, "entry") >= 0 ? slot_value(op, inst_slot(op->inst, "entry")) : NULL;
    return v == NULL && op->nresults > 0 ? &op->results[0] : v;
}

/* Returns the pop before a free in its block that takes from the same pipe, or NULL. */
static const Op *popped_before(const Op *op) {
    int slot = inst_slot(op->inst, "pipe_handle");
    for (const Op *pop = op->prev; slot >= 0 && pop != NULL; pop = pop->prev) {
        int other = inst_slot(pop->inst, "pipe_handle");
        if (pop->inst->entry == ENTRY_POP && other >= 0 &&
            slot_value(pop, other) == slot_value(op, slot))
            return pop;
    }
    return NULL;
}

/* On a5 the pipe that reads an entry waits for it and frees it. */
static Pipe pipe_of_entry(const Value *entry) {
    if (!type_is_tile(entry->type)) return PIPE_MTE2;
    return entry->type->tile.space == SPACE_VEC ? PIPE_V : PIPE_MTE1;
}

/* Takes a pop, or on a5 a free: a2a3 frees an entry when it pops it. */
static void take_entry(Maker *m, const Op *op, Pipe pipe) {
    static const Access entry = {.write = true};
    bool frees = op->inst->entry == ENTRY_FREE;
    if (frees && m->profile != PROFILE_A5) return;
    const Op *pop = frees ? popped_before(op) : op;
    const Value *v = pop != NULL ? entry_of(pop) : NULL;
    if (v == NULL) {
        not_understood(m, op, "an entry of a pipe between cores");
        return;
    }
    Step *s = add_step(m, STEP_ACCESS, op, m->profile == PROFILE_A5 ? pipe_of_entry(v) : pipe);
    if (v->def != pop && type_is_tile(v->type) && m->calls == 0) {
        /* the pop binds the tile anew; alias_places() knows the place that it had before */
        Place bound = place_of(v->type, BASE_BOUND, pop, 0);
        bound.home = pop->block;
        use_place(m, s, &entry, where_tile(&m->out->places, bound, v->type, 0), false);
        return;
    }
    use_value(m, s, &entry, v);
}

static bool takes_entry(const Op *op) {
    return op->inst->entry == ENTRY_POP || op->inst->entry == ENTRY_FREE;
}

/* Takes a statement once for each pipe that it may run on. */
static void take_slots(Maker *m, const Op *op, Pipe pipe) {
    const Effects effects = {.ctx = m->ctx, .profile = m->profile};
    size_t n = op_accesses(&effects, op, NULL, 0);
    Access *list = ARENA_ARRAY(m->arena, Access, n + 1);
    op_accesses(&effects, op, list, n);
    use_slots(m, add_step(m, STEP_ACCESS, op, pipe), list, n);
    if (n > 0 && list[0].other != PIPE_NONE)
        use_slots(m, add_step(m, STEP_ACCESS, op, (Pipe)list[0].other), list, n);
}

/* ---- statements of several phases ---- */

static void add_hidden(Maker *m, StepKind kind, const Op *op, const Phase *phase) {
    for (int e = 0; e < 8; e++) {
        if ((phase->events >> e & 1) == 0) continue;
        Step *s = add_step(m, kind, op, (Pipe)phase->pipe);
        s->to = phase->to;
        s->id = (Cycle){.modulus = 1, .offset = e};
        s->hidden = true;
    }
}

static void take_phase(Maker *m, const Op *op, const PhaseForm *form, uint8_t phase,
                       const Access *list, size_t n) {
    const Phase *p = &form->phases[phase];
    if (p->kind == PHASE_BARRIER) {
        add_step(m, p->pipe == PIPE_NONE ? STEP_BARRIER_ALL : STEP_BARRIER, op, (Pipe)p->pipe)
            ->hidden = true;
    } else if (p->kind == PHASE_FLAGS) {
        add_hidden(m, STEP_SET, op, p);
        add_hidden(m, STEP_WAIT, op, p);
    } else if (p->kind == PHASE_PERHAPS) {
        add_hidden(m, STEP_BUSY, op, p);
    } else {
        Step *s = add_step(m, STEP_ACCESS, op, (Pipe)p->pipe);
        s->phase = phase;
        for (size_t i = 0; i < n; i++)
            if (list[i].phase == phase) use_value(m, s, &list[i], list[i].value);
    }
}

static bool may_be_empty(const Type *t) {
    for (uint32_t i = 0; is_memory(t) && i < t->rank; i++)
        if (t->dims[i] == DYNAMIC) return true;
    return false;
}

/* True when only run time decides whether a statement does anything. */
static bool may_do_nothing(const Op *op, const PhaseForm *form) {
    int s = form->moves != NULL ? inst_slot(op->inst, form->moves) : -1;
    for (unsigned i = 0; s >= 0 && i < slot_count(op, s); i++)
        if (may_be_empty(slot_operands(op, s)[i].value->type)) return true;
    return false;
}

/* Takes the phases of a statement, with its flags between them. Those of a statement that may do
 * nothing are a branch, since its flags order nothing then. */
static void take_phases(Maker *m, const Op *op, const PhaseForm *form) {
    const Effects effects = {.ctx = m->ctx, .profile = m->profile};
    size_t n = op_accesses(&effects, op, NULL, 0);
    Access *list = ARENA_ARRAY(m->arena, Access, n + 1);
    Step **last = NULL;
    op_accesses(&effects, op, list, n);
    if (may_do_nothing(op, form)) {
        Step *branch = add_step(m, STEP_IF, op, PIPE_NONE);
        last = m->last;
        m->last = &branch->body;
    }
    for (uint8_t i = 0; i < form->nphases; i++)
        if (phase_applies(op, &form->phases[i])) take_phase(m, op, form, i, list, n);
    if (last != NULL) m->last = last;
}

static void take_access(Maker *m, Op *op) {
    const Effects effects = {.ctx = m->ctx, .profile = m->profile};
    const PhaseForm *form = effects_phases(&effects, op);
    Pipe pipe = effects_pipe(&effects, op);
    if (form != NULL) {
        take_phases(m, op, form);
        return;
    }
    if (pipe < PIPE_S || pipe > PIPE_FIX) {
        if (op->inst->transfer) not_understood(m, op, "an asynchronous transfer");
        return;
    }
    if ((op->inst->flags & (IF_VIEW | IF_PURE | IF_ALLOC)) != 0) return;
    if (takes_entry(op))
        take_entry(m, op, pipe);
    else
        take_slots(m, op, pipe);
}

/* ---- synchronisation ---- */

static void take_event(Maker *m, const Op *op, Step *s) {
    const NamedAttr *named = op_attr_named(m->ctx, op, "event_id");
    const NamedAttr *from = op_attr(m->ctx, op, 0), *to = op_attr(m->ctx, op, 1);
    if (from == NULL || to == NULL) return;
    s->pipe = (uint8_t)attr_pipe(from->value);
    s->to = (uint8_t)attr_pipe(to->value);
    s->id = (Cycle){.modulus = 1};
    if (named != NULL && named->value->kind == ATTR_ENUM)
        s->id.offset = enum_number(named->value);
    else if (op->noperands == 0 || !read_cycle(m, op->operands[0].value, &s->id))
        not_understood(m, op, "the number of an event");
    if (s->id.offset < 0 || s->id.offset > 7 || s->id.modulus > 8)
        not_understood(m, op, "the number of an event");
    if (s->pipe == PIPE_NONE || s->to == PIPE_NONE) not_understood(m, op, "a pipe");
}

static void take_buffer(Maker *m, const Op *op, Step *s) {
    const NamedAttr *id = op_attr_named(m->ctx, op, "buf_id");
    const NamedAttr *mode = op_attr_named(m->ctx, op, "mode");
    int64_t number = 0;
    s->id = (Cycle){.modulus = 1};
    if (id != NULL && id->value->kind == ATTR_INT)
        s->id.offset = id->value->i;
    else if (op->noperands == 0 || !read_cycle(m, op->operands[0].value, &s->id))
        not_understood(m, op, "the number of a buffer");
    if (s->id.offset < 0 || s->id.offset > 31 || s->id.modulus > 32)
        not_understood(m, op, "the number of a buffer");
    if ((mode != NULL && (mode->value->kind != ATTR_INT || mode->value->i != 0)) ||
        (op->noperands > 1 && (!value_constant(op->operands[1].value, &number) || number != 0)))
        not_understood(m, op, "buffers of mode 1");
    if (s->pipe == PIPE_NONE) not_understood(m, op, "a pipe");
}

static void take_fence(Maker *m, const Op *op) {
    if (m->inner == CORE_VECTOR) {
        add_step(m, STEP_BARRIER_ALL, op, PIPE_NONE);
        return;
    }
    add_step(m, STEP_BARRIER, op, PIPE_MTE2);
    add_step(m, STEP_BARRIER, op, PIPE_MTE3);
    add_step(m, STEP_BARRIER, op, PIPE_FIX);
}

static void take_sync(Maker *m, const Op *op) {
    Pipe pipe = op_pipe(m->ctx, op, m->profile);
    switch ((SyncUse)op->inst->sync) {
    case SYNC_SET:
        take_event(m, op, add_step(m, STEP_SET, op, pipe));
        break;
    case SYNC_WAIT:
        take_event(m, op, add_step(m, STEP_WAIT, op, pipe));
        break;
    case SYNC_GET:
        take_buffer(m, op, add_step(m, STEP_GET, op, pipe));
        break;
    case SYNC_RELEASE:
        take_buffer(m, op, add_step(m, STEP_RELEASE, op, pipe));
        break;
    case SYNC_BARRIER:
        add_step(m, pipe == PIPE_NONE ? STEP_BARRIER_ALL : STEP_BARRIER, op, pipe);
        break;
    case SYNC_DRAIN:
        add_step(m, STEP_BARRIER_ALL, op, PIPE_NONE);
        break;
    case SYNC_FENCE:
        take_fence(m, op);
        break;
    case SYNC_CORES:
        break;
    case SYNC_NONE:
        not_understood(m, op, "the order that it makes");
        break;
    }
}

/* ---- control flow ---- */

static void take_region(Maker *m, const Region *r);

static void take_part(Maker *m, const Region *r, Step **part) {
    Step **last = m->last;
    m->last = part;
    take_region(m, r);
    m->last = last;
}

static void take_loop(Maker *m, const Op *op) {
    Step *s = add_step(m, STEP_LOOP, op, PIPE_NONE), *around = m->loop;
    s->depth++;
    s->ring = 1;
    s->trips = op_is(op, INST_SCF_FOR) ? loop_trips(&m->out->places, op) : -1;
    m->loop = s;
    if (op_is(op, INST_SCF_WHILE)) {
        take_part(m, &op_regions(op)[0], &s->other);
        take_part(m, &op_regions(op)[1], &s->body);
    } else {
        take_part(m, &op_regions(op)[0], &s->body);
    }
    m->loop = around;
}

static void take_section(Maker *m, const Op *op) {
    Core inner = m->inner;
    if (m->core != CORE_ANY && op->inst->core != m->core) return;
    m->inner = (Core)op->inst->core;
    take_region(m, &op_regions(op)[0]);
    m->inner = inner;
}

static void take_nested(Maker *m, Op *op) {
    if (op_is(op, INST_SCF_IF)) {
        Step *s = add_step(m, STEP_IF, op, PIPE_NONE);
        take_part(m, &op_regions(op)[0], &s->body);
        if (op->nregions > 1) take_part(m, &op_regions(op)[1], &s->other);
    } else if (op_is(op, INST_SCF_FOR) || op_is(op, INST_SCF_WHILE)) {
        take_loop(m, op);
    } else if (op_is(op, INST_SECTION_CUBE) || op_is(op, INST_SECTION_VECTOR)) {
        take_section(m, op);
    } else {
        not_understood(m, op, "a statement with a region");
    }
}

/* Returns the function that a statement calls; NULL when its body is not known. */
static Op *callee_of(const Maker *m, const Op *op) {
    const NamedAttr *a = op_attr_named(m->ctx, op, "callee");
    const Op *func = op_function(op);
    if (a == NULL || a->value->kind != ATTR_SYMBOL || func == NULL || func->block == NULL)
        return NULL;
    Op *callee = module_find_function(region_owner(func->block), a->value->text);
    bool known = callee != NULL && func_data(callee)->has_body && callee->nregions > 0 &&
                 op_regions(callee)[0].first != NULL;
    return known && op_regions(callee)[0].first->nargs == op->noperands ? callee : NULL;
}

/* Takes the steps of a called function in place of the call. What its pointers address is known
 * only by the argument. */
static void take_call(Maker *m, const Op *op) {
    Op *callee = callee_of(m, op);
    WhereTable *t = &m->out->places;
    if (callee == NULL || m->calls == DEEPEST_CALL || m->out->unknown != NULL) {
        not_understood(m, op, "a call");
        return;
    }
    PtrMap inside = {.arena = m->arena};
    const Block *entry = op_regions(callee)[0].first;
    for (uint32_t i = 0; i < entry->nargs; i++) {
        if (!is_memory(entry->args[i].type)) continue;
        const Where *argument = where_global(t, op->operands[i].value);
        const PtrMap callers = t->global;
        t->global = inside;
        where_bind(t, &entry->args[i], argument);
        inside = t->global;
        t->global = callers;
    }
    const PtrMap after = t->global;
    t->global = inside;
    if (m->calls++ == 0) m->call = op;
    take_region(m, &op_regions(callee)[0]);
    m->calls--;
    t->global = after;
}

static void take_op(Maker *m, Op *op) {
    m->statements++;
    if (op->nregions > 0)
        take_nested(m, op);
    else if ((op->inst->flags & IF_SYNC) != 0)
        take_sync(m, op);
    else if (op_is(op, INST_CALL))
        take_call(m, op);
    else
        take_access(m, op);
}

static void take_region(Maker *m, const Region *r) {
    if (r->first == NULL) return;
    if (r->first != r->last) not_understood(m, r->first->last, "branches between blocks");
    for (Op *op = r->first->first; op != NULL; op = op->next)
        take_op(m, op);
}

static Core kind_of(const Context *ctx, const Op *func) {
    const NamedAttr *a = op_attr_named(ctx, func, "pto.kernel_kind");
    if (a == NULL || a->value->kind != ATTR_ENUM) return CORE_ANY;
    return enum_number(a->value) == 0 ? CORE_CUBE : CORE_VECTOR;
}

void steps_of(Arena *arena, const Context *ctx, Op *func, Profile profile, Core core, Steps *out) {
    *out = (Steps){.places = {.arena = arena, .ctx = ctx}};
    out->places.affine.arena = out->places.global.arena = arena;
    out->places.alias = alias_function(arena, ctx, func);
    Maker m = {.arena = arena,
               .ctx = ctx,
               .profile = profile,
               .core = core,
               .inner = kind_of(ctx, func),
               .last = &out->first,
               .out = out};
    take_region(&m, &op_regions(func)[0]);
}
