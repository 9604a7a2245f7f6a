/* SPDX-License-Identifier: Apache-2.0 */
/* Named functions of the rules of synchronisation. */
#include "ir/core.h"
#include "support/ascii.h"
#include "verifier/rules/checks/checks.h"

#include <string.h>

/* ---- pto.tsync.op ---- */

/* Returns the instruction that `#pto.op<TADD>` names, or NULL. */
static const Inst *named_inst(const Case *c) {
    const NamedAttr *a = op_attr_named(c->op, ATTR_op);
    if (a == NULL || (a->value->kind != ATTR_OPAQUE && a->value->kind != ATTR_STRING)) return NULL;
    const char *s = atom_text(&c->judge->ctx->names, a->value->text);
    size_t n = atom_len(&c->judge->ctx->names, a->value->text);
    char name[64] = "pto.";
    size_t k = strlen(name);
    const char *open = memchr(s, '<', n);
    if (open != NULL) {
        n -= (size_t)(open + 1 - s);
        s = open + 1;
    }
    for (size_t i = 0; i < n && s[i] != '>' && k + 1 < sizeof name; i++)
        if (!ascii_is_space(s[i])) name[k++] = ascii_lower(s[i]);
    return inst_find(name, k);
}

Answer check_sync_op_known(const Case *c, const Rule *r) {
    (void)r;
    return named_inst(c) != NULL ? HOLDS : fails(c, "op does not name an instruction");
}

Answer check_sync_op_pipe(const Case *c, const Rule *r) {
    (void)r;
    const Inst *inst = named_inst(c);
    if (inst == NULL) return HOLDS;
    return inst_may_use_pipe(inst, c->profile, PIPE_V)
               ? HOLDS
               : fails(c,
                       "%s does not run on pipe V; the manual has this barrier for that pipe only",
                       inst->name);
}

/* ---- pipes ---- */

Answer check_concrete_pipe(const Case *c, const Rule *r) {
    (void)r;
    const NamedAttr *a = op_attr_named(c->op, ATTR_op_type);
    if (a == NULL || a->value->kind != ATTR_ENUM || a->value->family != EF_PIPE) return HOLDS;
    const char *pipe = enum_infos[EF_PIPE].values[a->value->i].text;
    return (strcmp(pipe, "PIPE_ALL") != 0 && strcmp(pipe, "PIPE_UNASSIGNED") != 0)
               ? HOLDS
               : fails(c, "%s is not one pipe", pipe);
}

/* ---- signals between cores ---- */

static bool find_base(Op *op, void *arg) {
    bool *found = arg;
    *found |= op_is(op, INST_SET_FFTS);
    return !*found;
}

/* On a2a3 signals go through memory that pto.set_ffts names; a CPU needs none. */
Answer check_ffts_base(const Case *c, const Rule *r) {
    Judge *j = c->judge;
    Op *func = op_function(c->op);
    (void)r;
    if (!profile_infos[c->profile].chip || func == NULL) return HOLDS;
    if (j->signals_of != func) {
        j->has_base = false;
        op_walk(func, find_base, &j->has_base);
        j->signals_of = func;
    }
    return j->has_base ? HOLDS : fails(c, "the function has no pto.set_ffts");
}

static bool find_micro(Op *op, void *arg) {
    bool *found = arg;
    *found |= inst_is_micro(op->inst);
    return !*found;
}

static bool is_micro_code(const Case *c) {
    Judge *j = c->judge;
    Op *func = op_function(c->op);
    if (func != NULL && j->micro_of != func) {
        j->is_micro = false;
        op_walk(func, find_micro, &j->is_micro);
        j->micro_of = func;
    }
    return func != NULL && j->is_micro;
}

/* The cube core numbers the signals of both vector cores, a vector core only its own. */
static Answer is_own_signal(const Case *c, int64_t id) {
    enum { OWN_SIGNALS = 16 };
    return id < OWN_SIGNALS || op_core_around(c->op) != CORE_VECTOR || is_micro_code(c)
               ? HOLDS
               : fails(
                     c,
                     "signal %lld, but a vector core has 0 to %d; only a cube core has others, for "
                     "vector core 1",
                     (long long)id, OWN_SIGNALS - 1);
}

Answer check_vector_signal(const Case *c, const Rule *r) {
    const NamedAttr *a = op_attr_named(c->op, ATTR_event_id);
    (void)r;
    if (a == NULL || a->value->kind != ATTR_INT || is_own_signal(c, a->value->i) == HOLDS)
        return HOLDS;
    if (c->at != NULL && a->span.len != 0) *c->at = a->span;
    return FAILS;
}

Answer check_vector_signal_operand(const Case *c, const Rule *r) {
    int64_t id;
    return case_number(c, case_value(c, r->a), &id) ? is_own_signal(c, id) : HOLDS;
}

/* Older micro-instruction programs have the signals of vector core 1 in pto.sync.set and
 * pto.sync.wait. */
static bool is_old_signal(const Case *c, int64_t *id) {
    enum { OWN_SIGNALS = 16 };
    const NamedAttr *a = op_attr_named(c->op, ATTR_event_id);
    if (a == NULL || a->value->kind != ATTR_INT || a->value->i < OWN_SIGNALS) return false;
    *id = a->value->i;
    if (c->at != NULL && a->span.len != 0) *c->at = a->span;
    return true;
}

Answer check_signal_number(const Case *c, const Rule *r) {
    int64_t id;
    (void)r;
    if (!is_old_signal(c, &id) || (id < 32 && is_micro_code(c))) return HOLDS;
    return fails(c, "event_id is %lld, expected 0 to 15", (long long)id);
}

Answer check_vector_one_signal(const Case *c, const Rule *r) {
    int64_t id;
    (void)r;
    if (!is_old_signal(c, &id)) return HOLDS;
    return fails(c, "signal %lld of vector core 1: pto.%s_intra_block has it now", (long long)id,
                 op_is(c->op, INST_SYNC_SET) ? "set" : "wait");
}

/* ---- profiles ---- */

/* Rows for a2a3 also judge the cpu profile; this one is for what only hardware has. */
Answer check_hardware(const Case *c, const Rule *r) {
    (void)r;
    return profile_infos[c->profile].chip
               ? HOLDS
               : fails(c, "the %s profile does not have it", profile_names[c->profile]);
}

/* ---- pto.syncall ---- */

Answer check_workspace(const Case *c, const Rule *r) {
    const Type *t = case_type(c, r->a);
    enum { LEAST = 16 };
    int64_t n = 1;
    if (t == NULL || (t->kind != TY_TENSOR_VIEW && t->kind != TY_PART_VIEW)) return HOLDS;
    for (uint32_t i = 0; i < t->rank; i++)
        if (t->dims[i] == DYNAMIC || __builtin_mul_overflow(n, t->dims[i], &n)) return HOLDS;
    return n >= LEAST ? HOLDS
                      : fails(c, "the workspace has %lld elements, expected at least %d",
                              (long long)n, LEAST);
}
