/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the portability table: who accepts what, by statement and function. The rows come from the
 * verifier's verdicts, from errors under all profiles, and from the planner's errors. */
#include "api/internal.h"
#include "verifier/rules/warnings.h"

#include <stdlib.h>
#include <string.h>

/* A public row with the ids of its errors. */
typedef struct VerdictRow {
    ptoasm_verdict row;
    uint16_t ids[PROFILE_COUNT];
} VerdictRow;

/* ---- collecting errors ---- */

static int by_position(const void *a, const void *b) {
    const OpVerdict *x = *(OpVerdict *const *)a, *y = *(OpVerdict *const *)b;
    if (x->span.off != y->span.off) return x->span.off < y->span.off ? -1 : 1;
    return (y->inst == &inst_table[INST_FUNC]) - (x->inst == &inst_table[INST_FUNC]);
}

static bool is_function(const OpVerdict *v) {
    return v->inst == &inst_table[INST_FUNC];
}

/* Returns the index of the last of `n` that begins at or before `off`; n when there is none. */
static size_t last_before(OpVerdict **list, size_t n, uint32_t off) {
    size_t low = 0, high = n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (list[mid]->span.off <= off)
            low = mid + 1;
        else
            high = mid;
    }
    return low > 0 ? low - 1 : n;
}

/* Returns the index of the function around a position; nfuncs when there is none. */
static size_t function_at(const Verdicts *v, uint32_t off) {
    size_t i = last_before(v->funcs, v->nfuncs, off);
    return i < v->nfuncs && off <= function_end(v->funcs[i]->func) ? i : v->nfuncs;
}

static void refuse(OpVerdict *v, ProfileSet profiles, DiagId id) {
    for (int p = 0; p < PROFILE_COUNT; p++)
        if ((profiles & ~v->refused & PROFILE_BIT(p)) != 0) v->ids[p] = (uint16_t)id;
    v->refused |= profiles;
}

/* Whether an error is not among the verifier's verdicts: it holds for all profiles, or constants
 * decide it. */
static bool is_missing(const Diag *d) {
    return d->severity == SEV_ERROR && (d->profiles == 0 || d->id == DIAG_CONST_FAILS) &&
           d->id != DIAG_TOO_MANY_ERRORS;
}

/* Adds an error to the statement around it, or a new row. */
static void take_error(ptoasm_result *res, Verdicts *v, size_t nstatements, const Diag *d) {
    size_t i = last_before(v->list, nstatements, d->span.off);
    const ProfileSet profiles = d->profiles != 0 ? d->profiles : v->profiles;
    if (i < nstatements && d->span.off <= v->list[i]->span.off + v->list[i]->span.len) {
        refuse(v->list[i], profiles, d->id);
        return;
    }
    OpVerdict *extra = ARENA_NEW(&res->ctx->arena, OpVerdict);
    size_t func = function_at(v, d->span.off);
    extra->func = func < v->nfuncs ? v->funcs[func]->func : NULL;
    extra->span = d->span;
    refuse(extra, profiles, d->id);
    v->list[v->n++] = extra;
}

void verdicts_take_errors(ptoasm_result *res, Verdicts *v) {
    Arena *arena = &res->ctx->arena;
    size_t nstatements = v->rules.n;
    v->list = ARENA_ARRAY(arena, OpVerdict *, nstatements + res->ctx->diags.errors + 1);
    for (OpVerdict *at = v->rules.first; at != NULL; at = at->next) {
        v->list[v->n++] = at;
        v->nfuncs += is_function(at);
    }
    qsort(v->list, v->n, sizeof *v->list, by_position);
    v->funcs = ARENA_ARRAY(arena, OpVerdict *, v->nfuncs + 1);
    v->memory = ARENA_ARRAY(arena, OpVerdict, v->nfuncs + 1);
    size_t k = 0;
    for (size_t i = 0; i < nstatements; i++)
        if (is_function(v->list[i])) v->funcs[k++] = v->list[i];
    for (const Diag *d = res->ctx->diags.first; d != NULL; d = d->next)
        if (is_missing(d)) take_error(res, v, nstatements, d);
    qsort(v->list, v->n, sizeof *v->list, by_position);
}

void verdicts_take_sync(ptoasm_result *res, Verdicts *v) {
    for (const Diag *d = res->ctx->diags.first; d != NULL; d = d->next) {
        if (d->severity != SEV_ERROR || !error_may_be_allowed(d->id)) continue;
        size_t i = last_before(v->list, v->n, d->span.off);
        if (i < v->n) refuse(v->list[i], d->profiles != 0 ? d->profiles : v->profiles, d->id);
    }
}

void verdicts_take_memory(Verdicts *v, const Diag *since) {
    for (const Diag *d = since; d != NULL; d = d->next) {
        if (d->severity != SEV_ERROR || d->id == DIAG_TOO_MANY_ERRORS) continue;
        size_t func = function_at(v, d->span.off);
        if (func < v->nfuncs) refuse(&v->memory[func], d->profiles & v->planned, d->id);
    }
}

/* ---- the public rows ---- */

typedef struct Rows {
    ptoasm_result *res;
    const Verdicts *from;
    VerdictRow *head; /* row of the function whose rows are being added */
    const Op *func;
    const char *name;
    size_t nstatements; /* of that function */
} Rows;

static const char *function_name(ptoasm_result *res, const Op *func) {
    if (func == NULL) return "";
    const Interner *names = &res->ctx->names;
    Atom a = func_data(func)->name;
    return arena_strndup(&res->ctx->arena, atom_text(names, a), atom_len(names, a));
}

static VerdictRow *add_row(Rows *r, int kind, const char *instruction, uint32_t off,
                           ProfileSet judged, const OpVerdict *v) {
    VerdictRow *row = &r->res->verdicts[r->res->nverdicts++];
    row->row = (ptoasm_verdict){.kind = kind,
                                .function = r->name,
                                .instruction = instruction,
                                .line = source_find(&r->res->index, off).line,
                                .offset = off,
                                .judged = judged,
                                .accepted = judged & ~(v != NULL ? v->refused : 0u)};
    if (v != NULL) memcpy(row->ids, v->ids, sizeof row->ids);
    if (kind != PTOASM_VERDICT_FUNCTION)
        r->head->row.accepted &= ~(row->row.judged & ~row->row.accepted);
    return row;
}

/* Adds the row about the memory of the function whose rows were added. */
static void end_function(Rows *r) {
    if (r->head == NULL || r->func == NULL || r->nstatements == 0) return;
    size_t i = last_before(r->from->funcs, r->from->nfuncs, r->func->span.off);
    add_row(r, PTOASM_VERDICT_MEMORY, "", r->head->row.offset, r->from->planned,
            &r->from->memory[i]);
}

static void begin_function(Rows *r, const OpVerdict *first) {
    end_function(r);
    r->func = first->func;
    r->name = function_name(r->res, r->func);
    r->nstatements = 0;
    uint32_t off = r->func != NULL ? r->func->span.off : first->span.off;
    r->head = add_row(r, PTOASM_VERDICT_FUNCTION, "", off, r->from->profiles, NULL);
}

/* Statements of other dialects are shown only when refused. */
static bool is_shown(const OpVerdict *v) {
    return v->refused != 0 || v->inst == NULL || strncmp(v->inst->name, "pto.", 4) == 0;
}

static void add_statement(Rows *r, const OpVerdict *v) {
    if (is_function(v) && v->refused == 0 && !func_data(v->func)->has_body) return;
    if (!is_function(v) && !is_shown(v)) return;
    if (r->head == NULL || v->func != r->func) begin_function(r, v);
    if (!is_shown(v)) return;
    bool instruction = v->inst != NULL && strncmp(v->inst->name, "pto.", 4) == 0;
    add_row(r, PTOASM_VERDICT_STATEMENT, v->inst != NULL ? v->inst->name : "", v->span.off,
            r->from->profiles, v);
    r->nstatements += instruction;
}

void verdicts_collect(ptoasm_result *res, const Verdicts *v) {
    Arena *arena = &res->ctx->arena;
    /* one statement may begin and end the rows of a function */
    res->verdicts = ARENA_ARRAY(arena, VerdictRow, 3 * v->n + 1);
    res->index = source_index(arena, res->ctx->source);
    Rows rows = {.res = res, .from = v, .name = ""};
    for (size_t i = 0; i < v->n; i++)
        add_statement(&rows, v->list[i]);
    end_function(&rows);
}

size_t ptoasm_verdict_count(const ptoasm_result *res) {
    return res->nverdicts;
}

bool ptoasm_verdict_get(const ptoasm_result *res, size_t i, ptoasm_verdict *out, size_t size) {
    if (i >= res->nverdicts) return false;
    struct_give(out, size, &res->verdicts[i].row, sizeof *out);
    return true;
}

const char *ptoasm_verdict_id(const ptoasm_result *res, size_t i, uint32_t profile) {
    if (i >= res->nverdicts || res->verdicts[i].row.kind == PTOASM_VERDICT_FUNCTION) return NULL;
    const VerdictRow *row = &res->verdicts[i];
    for (int p = 0; p < PROFILE_COUNT; p++)
        if (PROFILE_BIT(p) == profile && (row->row.judged & ~row->row.accepted & profile) != 0)
            return diag_infos[row->ids[p]].text;
    return NULL;
}
