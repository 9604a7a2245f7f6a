/* SPDX-License-Identifier: Apache-2.0 */
/* Determines the pipe and core of a statement from the instruction table. */
#include "ir/core.h"

const char *const pipe_names[PIPE_FIX + 1] = {
    [PIPE_NONE] = "PIPE_ALL",  [PIPE_S] = "PIPE_S",       [PIPE_V] = "PIPE_V",
    [PIPE_M] = "PIPE_M",       [PIPE_MTE1] = "PIPE_MTE1", [PIPE_MTE2] = "PIPE_MTE2",
    [PIPE_MTE3] = "PIPE_MTE3", [PIPE_FIX] = "PIPE_FIX"};

const char *const core_names[3] = {[CORE_ANY] = "", [CORE_CUBE] = "cube", [CORE_VECTOR] = "vector"};

/* ---- pipes ---- */

/* Returns the pipe with a number of #pto.pipe<..>. */
static Pipe pipe_of_number(int number) {
    static const uint8_t pipes[] = {PIPE_S,    PIPE_V,    PIPE_M,    PIPE_MTE1,
                                    PIPE_MTE2, PIPE_MTE3, PIPE_NONE, PIPE_NONE,
                                    PIPE_NONE, PIPE_V,    PIPE_FIX};
    return number >= 0 && number < (int)(sizeof pipes / sizeof pipes[0]) ? (Pipe)pipes[number]
                                                                         : PIPE_NONE;
}

/* Returns the pipe of a class of instructions. */
static Pipe pipe_of_class(int number) {
    static const uint8_t pipes[] = {PIPE_MTE2, PIPE_FIX, PIPE_MTE3, PIPE_MTE1, PIPE_FIX, PIPE_MTE1,
                                    PIPE_V,    PIPE_FIX, PIPE_M,    PIPE_V,    PIPE_V};
    return number >= 0 && number < (int)(sizeof pipes / sizeof pipes[0]) ? (Pipe)pipes[number]
                                                                         : PIPE_NONE;
}

Pipe attr_pipe(const Attr *a) {
    if (a->kind != ATTR_ENUM) return PIPE_NONE;
    return a->family == EF_PIPE ? pipe_of_number(enum_number(a)) : pipe_of_class(enum_number(a));
}

Pipe op_pipe(const Op *op, Profile profile) {
    if (op->inst->pipe_attr == 0) return inst_pipe(op->inst, profile);
    const NamedAttr *a = op_attr(op, op->inst->pipe_attr - 1);
    return a != NULL ? attr_pipe(a->value) : PIPE_NONE;
}

/* Returns 1 << Space of a tile, 0 for other types. */
static unsigned space_bit(const Type *t) {
    bool tile = t != NULL && (t->kind == TY_TILE || t->kind == TY_MULTI_TILE);
    return tile ? 1u << t->tile.space : 0;
}

/* Whether a slot has a tile in this space; SPACE_COUNT: whatever it has. */
static bool is_in(const Op *op, int slot, uint8_t space) {
    if (space == SPACE_COUNT) return true;
    const Value *v = slot >= 0 ? slot_value(op, slot) : NULL;
    return v != NULL && (space_bit(v->type) >> space & 1) != 0;
}

static bool holds(const PipeWay *w, const Op *op) {
    if (w->with != 0 && slot_value(op, w->with - 1) == NULL) return false;
    if (!is_in(op, 0, w->from) || !is_in(op, inst_slot(op->inst, OPERAND_dst), w->to)) return false;
    return w->elem == ELEM_NONE || slot_value(op, 0)->type->elem == w->elem;
}

Pipe op_pipe_by_tiles(const Op *op, Profile profile, Pipe *other) {
    Pipe pipe = op_pipe(op, profile);
    const PipeWay *w = op->inst->rare->pipe_ways;
    *other = PIPE_NONE;
    if (pipe != PIPE_BY_OPERAND) return pipe;
    while (!holds(w, op))
        w++;
    *other = (Pipe)w->other;
    return way_pipe(w, profile);
}

static bool is_last(const PipeWay *w) {
    return w->from == SPACE_COUNT && w->to == SPACE_COUNT && w->elem == ELEM_NONE && w->with == 0;
}

bool inst_may_use_pipe(const Inst *inst, Profile profile, Pipe pipe) {
    const PipeWay *w = inst->rare->pipe_ways;
    const Pipe own = inst_pipe(inst, profile);
    if (own != PIPE_BY_OPERAND) return own == pipe;
    while (way_pipe(w, profile) != pipe && !is_last(w))
        w++;
    return way_pipe(w, profile) == pipe;
}

int pipe_number(const Attr *a) {
    static const int8_t numbers[] = {
        [PIPE_NONE] = -1, [PIPE_S] = 0,    [PIPE_V] = 1,    [PIPE_M] = 2,
        [PIPE_MTE1] = 3,  [PIPE_MTE2] = 4, [PIPE_MTE3] = 5, [PIPE_FIX] = 10};
    if (a->kind != ATTR_ENUM) return -1;
    return a->family == EF_PIPE ? enum_number(a) : numbers[pipe_of_class(enum_number(a))];
}

/* ---- cores ---- */

Core op_given_core(const Op *op) {
    if (op_is_section(op)) return (Core)op->inst->core;
    const NamedAttr *a = op_attr_named(op, ATTR_pto_kernel_kind);
    if (a == NULL || a->value->kind != ATTR_ENUM || a->value->family != EF_KERNEL_KIND)
        return CORE_ANY;
    return enum_number(a->value) == 0 ? CORE_CUBE : CORE_VECTOR;
}

Core op_core_around(const Op *op) {
    Core core = op_given_core(op);
    while (core == CORE_ANY && op->block != NULL) {
        op = region_owner(op->block);
        core = op_given_core(op);
    }
    return core;
}

const Op *op_simt_around(const Op *op) {
    while (op->block != NULL) {
        op = region_owner(op->block);
        if (op_is(op, INST_SECTION_SIMT)) return op;
        if (op_is(op, INST_FUNC)) return op_attr_named(op, ATTR_pto_simt_entry) != NULL ? op : NULL;
    }
    return NULL;
}

static Core core_of_pipe(Pipe p) {
    switch (p) {
    case PIPE_M:
    case PIPE_MTE1:
    case PIPE_FIX:
        return CORE_CUBE;
    case PIPE_V:
    case PIPE_MTE3:
        return CORE_VECTOR;
    default: /* both kinds have S and MTE2 */
        return CORE_ANY;
    }
}

/* Tiles in vec belong to the vector core, all others to the cube core, and so do moves between
 * both. */
static Core core_of_tiles(const Op *op) {
    const unsigned vec = 1u << SPACE_VEC, mat = 1u << SPACE_MAT;
    const unsigned none = 1u << SPACE_ZERO | 1u << SPACE_GM;
    unsigned seen = 0;
    for (unsigned i = 0; i < op->noperands; i++)
        if (op->operands[i].value != NULL) seen |= space_bit(op->operands[i].value->type);
    for (unsigned i = 0; i < op->nresults; i++)
        seen |= space_bit(op->results[i].type);
    if ((seen & ~(vec | mat | none)) != 0) return CORE_CUBE;
    if ((seen & vec) != 0) return CORE_VECTOR;
    return (seen & mat) != 0 ? CORE_CUBE : CORE_ANY;
}

/* Returns the core of a lowered pipe statement, by the direction of the pipe and its role. */
static Core core_of_pipe_end(const Op *op) {
    const EntryUse use = (EntryUse)op->inst->entry;
    const bool pushes = use == ENTRY_ALLOC || use == ENTRY_PUSH;
    if (use == ENTRY_NONE || op->inst->core != CORE_ANY) return CORE_ANY;
    const Value *pipe = named_value(op, OPERAND_pipe_handle);
    if (pipe == NULL || pipe->def == NULL) return CORE_ANY;
    const NamedAttr *dir = op_attr_named(pipe->def, ATTR_dir_mask);
    if (dir == NULL || dir->value->kind != ATTR_INT) return CORE_ANY;
    if (dir->value->i == 1) return pushes ? CORE_CUBE : CORE_VECTOR;
    if (dir->value->i == 2) return pushes ? CORE_VECTOR : CORE_CUBE;
    return core_of_tiles(op);
}

Core op_core(const Op *op) {
    const Inst *inst = op->inst;
    if (inst->core != CORE_ANY) return (Core)inst->core;
    if (inst->fifo) return core_of_pipe_end(op);
    if ((inst->flags & IF_CORE_BY_PIPE) != 0) return core_of_pipe(op_pipe(op, PROFILE_DEFAULT));
    const Pipe pipe = inst_pipe(inst, PROFILE_DEFAULT);
    if ((inst->flags & IF_SYNC) != 0 || pipe == PIPE_NONE) return CORE_ANY;
    Core core = core_of_tiles(op);
    return core != CORE_ANY ? core : core_of_pipe(pipe);
}
