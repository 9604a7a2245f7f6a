/* SPDX-License-Identifier: Apache-2.0 */
/* Pipes between the cores of a block: their types, hardware flags, set-up and entries. */
#include "analysis/pipe_links.h"
#include "backends/cpp/emitter.h"

#include <stdlib.h>

enum { FLAGS = 16 };

static const PipeEnd *end_of(Emitter *e, const LowerPipe *pipe) {
    return &e->low->pipes.program->ends[pipe->index];
}

/* ---- hardware flags ---- */

static int32_t width_of(const LowerPipe *pipe) {
    return pipe->dirs == (FROM_CUBE | FROM_VECTOR) ? 4 : 2;
}

/* Whether the ends of two pipes are in one function and their flags overlap. */
static bool collides(Emitter *e, uint32_t root, int32_t base) {
    const LowerPipes *p = &e->low->pipes;
    const int32_t *flags = cpp_of(e)->flags;
    for (uint32_t i = 0; i < p->n; i++) {
        if (p->root[i] != root) continue;
        for (uint32_t k = 0; k < p->n; k++) {
            if (p->root[k] == root || flags[p->root[k]] < 0) continue;
            if (p->list[k].func != p->list[i].func) continue;
            int32_t other = flags[p->root[k]];
            if (base < other + width_of(&p->list[k]) && other < base + width_of(&p->list[i]))
                return true;
        }
    }
    return false;
}

static int compare_roots(const LowerPipes *p, uint32_t a, uint32_t b) {
    const LowerPipe *x = &p->list[a], *y = &p->list[b];
    if (x->lowered != y->lowered) return x->lowered ? 1 : -1;
    if (!x->lowered && x->number != y->number) return x->number < y->number ? -1 : 1;
    if (x->dirs != y->dirs) return x->dirs < y->dirs ? -1 : 1;
    return a < b ? -1 : 1;
}

/* Gives each pipe the lowest even flags that are free in all its functions: pipes with numbers
 * first, by number. A flag_base in the text stays. */
void cpp_number_pipes(Emitter *e) {
    const LowerPipes *p = &e->low->pipes;
    int32_t *flags = ARENA_ARRAY(e->arena, int32_t, p->n + 1);
    cpp_of(e)->flags = flags;
    for (uint32_t i = 0; i < p->n; i++)
        flags[i] = -1;
    for (uint32_t i = 0; i < p->n; i++)
        if (end_of(e, &p->list[i])->flag_base >= 0)
            flags[p->root[i]] = (int32_t)end_of(e, &p->list[i])->flag_base;
    for (;;) {
        uint32_t next = p->n;
        for (uint32_t i = 0; i < p->n; i++)
            if (p->root[i] == i && flags[i] < 0 && (next == p->n || compare_roots(p, i, next) < 0))
                next = i;
        if (next == p->n) return;
        int32_t base = 0;
        while (base < FLAGS && collides(e, next, base))
            base += 2;
        flags[next] = base;
        if (base + width_of(&p->list[next]) > FLAGS)
            cannot(e, p->list[next].at,
                   "the device has %d flags for the pipes of a function, and more are needed",
                   FLAGS);
    }
}

/* ---- types and names ---- */

const LowerPipe *cpp_pipe_of(Emitter *e, const LowerStmt *s) {
    const LowerPipe *pipe = s->pipe;
    if (pipe == NULL) cannot(e, s->name_span, "%s: the pipe is not known", s->inst->name);
    return pipe;
}

static const char *direction(Emitter *e, const LowerPipe *pipe) {
    if (pipe->dirs == (FROM_CUBE | FROM_VECTOR)) return "DIR_BOTH";
    bool gm = profile_infos[e->opt->profile].entries_on_chip && pipe->slots != NULL;
    return strf(e, "DIR_%s%s", pipe->dirs == FROM_CUBE ? "C2V" : "V2C", gm ? "_GM" : "");
}

const char *cpp_pipe_type(Emitter *e, const LowerPipe *pipe) {
    const PipeEnd *end = end_of(e, pipe);
    int64_t local = pipe->states_local ? pipe->local_num : pipe->slots != NULL ? pipe->slot_num : 2;
    bool nosplit =
        end->nosplit >= 0 ? end->nosplit > 0 : !pipe->split && (pipe->used || !pipe->lowered);
    return strf(e, "TPipe<%d, Direction::%s, %lld, %lld, %lld, %s>",
                (int)cpp_of(e)->flags[e->low->pipes.root[pipe->index]], direction(e, pipe),
                (long long)pipe->slot_size, (long long)pipe->slot_num, (long long)local,
                nosplit ? "true" : "false");
}

const char *cpp_pipe_name(Emitter *e, const LowerPipe *pipe) {
    if (pipe->handle != NULL) return val(e, pipe->handle);
    Local *l = local_entry(e, pipe);
    if (l->name == NULL) l->name = cpp_fresh(e, strf(e, "pipe%lld", (long long)pipe->number));
    return l->name;
}

const char *cpp_pipe_config(Emitter *e, const LowerPipe *pipe) {
    return pipe->handle != NULL && !cpp_as_vendor(e)
               ? strf(e, "%sFixpipeConfig", cpp_pipe_name(e, pipe))
               : strf(e, "Pipe%lldFixpipeConfig", (long long)pipe->number);
}

bool cpp_converts(Emitter *e, const LowerPipe *pipe) {
    const PipeEnd *end = end_of(e, pipe);
    return end->fixpipe && end->cube;
}

/* ---- set-up ---- */

static const char *quant_mode(const Epilogue *p) {
    static const char *const names[EPI_QUANT_COUNT] = {
        [EPI_QUANT_NO_CONVERT] = "NoQuant",
        [EPI_QUANT_F32_F16] = "F322F16",
        [EPI_QUANT_F32_BF16] = "F322BF16",
        [EPI_QUANT_REQ8_SCALAR] = "REQ8",
        [EPI_QUANT_REQ8_VEC] = "VREQ8",
        [EPI_QUANT_DEQF16_SCALAR] = "DEQF16",
        [EPI_QUANT_DEQF16_VEC] = "VDEQF16",
        [EPI_QUANT_QF322B8_SCALAR] = "QF322B8_PRE",
        [EPI_QUANT_QF322B8_VEC] = "VQF322B8_PRE",
        [EPI_QUANT_QF322F16_SCALAR] = "QF322F16_PRE",
        [EPI_QUANT_QF322BF16_SCALAR] = "QF322BF16_PRE",
        [EPI_QUANT_QS322BF16_SCALAR] = "QS322BF16_PRE",
        [EPI_QUANT_QS322BF16_VEC] = "VQS322BF16_PRE",
        [EPI_QUANT_QF322HIF8_SCALAR] = "QF322HIF8_PRE",
        [EPI_QUANT_QF322FP8_SCALAR] = "QF322FP8_PRE"};
    return names[p->quant];
}

static void put_epilogue(Emitter *e, const LowerPipe *pipe) {
    static const char *const modes[EPI_LAYOUT_COUNT] = {
        [EPI_LAYOUT_NZ2ND] = "NZ2ND", [EPI_LAYOUT_NZ2DN] = "NZ2DN", [EPI_LAYOUT_NZ2NZ] = "NZ2NZ"};
    const Epilogue *p = &end_of(e, pipe)->epilogue;
    ln(e,
       "using %s = FixpipeParams<LayoutMode_t::%s, QuantMode_t::%s, "
       "ReluPreMode::%s>;",
       cpp_pipe_config(e, pipe), modes[p->layout], quant_mode(p),
       p->relu != 0 ? "NormalRelu" : "NoRelu");
}

void cpp_put_config(Emitter *e, const LowerStmt *s) {
    const LowerPipe *pipe = s->form == STMT_OPEN_PIPE ? cpp_pipe_of(e, s) : NULL;
    if (pipe != NULL && cpp_converts(e, pipe)) put_epilogue(e, pipe);
}

static const char *buffer(Emitter *e, const Value *v) {
    return v != NULL ? strf(e, "(int32_t)%s", val(e, v)) : "(int32_t)0";
}

/* Whether the pipe has slots in global memory or may do without. */
static bool has_slots(Emitter *e, const LowerStmt *s, const LowerPipe *pipe) {
    if (pipe->slots != NULL || profile_infos[e->opt->profile].entries_on_chip) return true;
    if (stmt_is(s, INST_INITIALIZE_L2L_PIPE))
        cannot(e, s->name_span,
               "%s: pipes of %s go through global memory, as those of pto.initialize_l2g2l_pipe",
               s->inst->name, profile_names[e->opt->profile]);
    else
        report_once(e, DIAG_OPERAND_REQUIRED, s->name_span,
                    strf(e,
                         "%s: requires 'gm_slot_buffer' when lowering to a2/a3, whose pipes go "
                         "through global memory",
                         s->inst->name));
    return false;
}

void cpp_open_pipe(Emitter *e, const LowerStmt *s) {
    const LowerPipe *pipe = cpp_pipe_of(e, s);
    if (pipe == NULL || !has_slots(e, s, pipe)) return;
    if (!cpp_as_vendor(e)) cpp_put_config(e, s);
    const char *slots = pipe->slots != NULL ? cpp_pointer(e, pipe->slots) : "(__gm__ void*)nullptr";
    if (slots == NULL) {
        cannot(e, s->name_span, "slots of type '" TYPE_FMT "' have no form in C++",
               TYPE_ARG(&e->ctx->names, pipe->slots->type));
        return;
    }
    ln(e, "auto %s = %s(%s, %s, %s);", cpp_pipe_name(e, pipe), cpp_pipe_type(e, pipe), slots,
       buffer(e, pipe->buffer[0]), buffer(e, pipe->buffer[1]));
}

/* pto.reserve_buffer, pto.import_reserved_buffer: the address is a constant after planning. */
void cpp_reserve(Emitter *e, const LowerStmt *s) {
    const int64_t at = s->reserved[0];
    if (at < 0)
        cannot(e, s->name_span, "the address of the reserved buffer is not known");
    else
        define(e, &s->results[0], "%lld", (long long)at);
}

/* ---- entries ---- */

static const char *operand_of(Emitter *e, const LowerStmt *s, OperandName name) {
    const Value *v = stmt_named(s, name);
    return v != NULL ? val(e, v) : NULL;
}

static void declare_entry(Emitter *e, const LowerStmt *s, const Value *v) {
    const char *rows = operand_of(e, s, OPERAND_valid_row),
               *cols = operand_of(e, s, OPERAND_valid_col);
    cpp_declare_tile_as(e, v, rows, cols);
    if (rows != NULL && cols != NULL && cpp_as_vendor(e))
        ln(e, "%s.SetValidShape(%s, %s);", name_of(e, v), rows, cols);
}

void cpp_pop(Emitter *e, const LowerStmt *s) {
    const Value *v = s->nresults > 0 ? &s->results[0] : NULL;
    if (v != NULL && type_is_tile(v->type))
        declare_entry(e, s, v);
    else if (v != NULL)
        cpp_declare_global(e, s);
    cpp_row(e, s);
}

void cpp_alloc_entry(Emitter *e, const LowerStmt *s) {
    if (s->nresults > 0) cpp_declare_global(e, s);
    cpp_row(e, s);
}

/* ---- quantisation of pushed entries ---- */

/* pto.set_quant_scalar, pto.set_quant_vector: printed before each push, because a push to another
 * pipe may change the setting of the core. */
void cpp_set_quant(Emitter *e, const LowerStmt *s) {
    const LowerPipe *pipe = cpp_pipe_of(e, s);
    if (pipe != NULL) *ptrmap_at(&cpp_of(e)->quants, pipe) = (void *)(uintptr_t)s;
}

static bool encloses(const LowerStmt *outer, const LowerStmt *inner) {
    const LowerBlock *b = inner->block;
    while (b != NULL && b != outer->block)
        b = b->region->owner != NULL ? b->region->owner->block : NULL;
    return b != NULL;
}

void cpp_push(Emitter *e, const LowerStmt *s) {
    const LowerPipe *pipe = cpp_pipe_of(e, s);
    const LowerStmt *set = pipe != NULL ? ptrmap_get(&cpp_of(e)->quants, pipe) : NULL;
    if (set != NULL && !encloses(set, s))
        cannot(e, s->name_span, "%s: its quantisation is set in a region that has ended",
               s->inst->name);
    else if (set != NULL)
        cpp_row(e, set);
    cpp_row(e, s);
}
