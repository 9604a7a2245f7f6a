/* SPDX-License-Identifier: Apache-2.0 */
/* C for the sanitizer: after each statement, what it touched and on which pipe; before it, what
 * others learn from it. */
#include "backends/c/observe.h"

#include "analysis/effects.h"
#include "analysis/hazards.h"

#include <string.h>

/* ---- which functions are judged ---- */

typedef struct Spread {
    Emitter *e;
    Func *from;
    bool changed;
} Spread;

/* A function is judged together with those that it calls. */
static void see_call(LowerFunc *callee, void *arg) {
    Spread *s = arg;
    Func *to = &c_of(s->e)->funcs[callee - s->e->low->funcs];
    s->changed |= to->judged != s->from->judged;
    to->judged = s->from->judged = to->judged || s->from->judged;
}

/* Notes a function with statements of several pipes, of which the text does not say the order. */
static void note_unjudged(Emitter *e, const Func *f) {
    const unsigned pipes = lower_unordered_pipes(f->low);
    if (f->judged || !f->low->reached || (pipes & (pipes - 1)) == 0) return;
    diag_add(e->diags, DIAG_NO_SYNC, f->data->name_span,
             "synchronisation: none in the text, relies on insertion; its pipes are not judged");
}

void observe_module(Emitter *e) {
    Spread s = {.e = e, .changed = true};
    c_of(e)->freed = (FreedEntries){.arena = e->keep, .ctx = e->ctx};
    if (!e->opt->sanitize) return;
    const bool chip = profile_infos[e->opt->profile].chip;
    for (unsigned i = 0; i < c_of(e)->nfuncs; i++) {
        Func *f = &c_of(e)->funcs[i];
        f->judged = chip && (e->opt->sanitize_all || lower_has_flags(f->low));
    }
    while (s.changed) {
        s.changed = false;
        for (unsigned i = 0; i < c_of(e)->nfuncs; i++) {
            s.from = &c_of(e)->funcs[i];
            lower_each_callee(e->low, s.from->low, see_call, &s);
        }
    }
    for (unsigned i = 0; chip && i < c_of(e)->nfuncs; i++)
        if (c_of(e)->funcs[i].data->has_body) note_unjudged(e, &c_of(e)->funcs[i]);
}

void observe_kernel(Emitter *e, StrBuf *out) {
    const Profile p = e->opt->profile;
    if (!e->opt->sanitize || !profile_infos[p].chip) return;
    const PipeOrder practice = pipe_order_practice(p), documented = pipe_order_documented(p);
    sb_printf(out, "    .pipe_order = {%u, %u},\n", practice.ordered | (practice.issue ? 1 : 0),
              documented.ordered | (documented.issue ? 1 : 0));
}

/* ---- sites ---- */

/* What a phase reads of a scratch tile is what an earlier one left there: no role. */
static unsigned role_of(const Access *a) {
    if (a->scratch) return a->write ? 4 : 0;
    return (a->read ? 1u : 0) | (a->write ? 2u : 0);
}

/* Declares a site and returns a reference to it. `operand` may be NULL. */
static const char *site(Emitter *e, const LowerStmt *s, const char *operand, unsigned role,
                        Pipe pipe, Pipe other, unsigned flags) {
    const char *name = fresh(e, "pto_site");
    if (!c_of(e)->fn->judged) pipe = other = PIPE_NONE;
    ln(e, "static const ptrt_site %s = {\"%s\", %s, %u, %u, %d, %d, %u};", name, s->inst->name,
       operand != NULL ? strf(e, "\"%s\"", operand) : "NULL", (unsigned)e->line, role, (int)pipe,
       (int)other, flags);
    c_of(e)->uses_core = true;
    return strf(e, "&%s", name);
}

/* ---- extents ---- */

/* Returns an extent of the value in a slot; NULL when it has none. */
static const char *extent_of_slot(Emitter *e, const LowerStmt *s, int slot, bool rows) {
    const Value *v = stmt_value(s, slot);
    if (v == NULL) return NULL;
    if (type_is_tile(v->type)) return strf(e, "%s.%s", val(e, v), rows ? "vrow" : "vcol");
    if (type_is_view(v->type))
        return strf(e, "ptrt_view_%s(&%s)", rows ? "rows" : "cols", val(e, v));
    return NULL;
}

/* Returns the sum of extents, or the operand's own. */
static const char *extent(Emitter *e, const LowerStmt *s, const Access *a, const SlotSum *of,
                          bool rows) {
    const char *sum = NULL;
    for (int i = 0; i < 2 && of->slot[i] != 0; i++) {
        const char *x = extent_of_slot(e, s, of->slot[i] - 1, rows != of->across[i]);
        if (x != NULL) sum = sum != NULL ? strf(e, "%s + %s", sum, x) : x;
    }
    if (sum != NULL) return sum;
    if (!type_is_tile(a->value->type)) return "PTRT_ABSENT";
    return strf(e, "%s.%s", val(e, a->value), rows ? "vrow" : "vcol");
}

static const char *operand_named(Emitter *e, const LowerStmt *s, OperandName name) {
    const Value *v = stmt_named(s, name);
    return v != NULL ? val(e, v) : "0";
}

/* Returns "row, col, rows, cols" of the elements of a tile that a statement touches. */
static const char *part_of_tile(Emitter *e, const LowerStmt *s, const Access *a) {
    const Touched *t = a->touched;
    const char *name = val(e, a->value);
    const char *rows = extent(e, s, a, &t->rows, true), *cols = extent(e, s, a, &t->cols, false);
    if (t->bits != 0)
        cols =
            strf(e, "(((%s) * %u + 7) / 8 + ptrt_elem_size(%s.elem) - 1) / ptrt_elem_size(%s.elem)",
                 cols, (unsigned)t->bits, name, name);
    switch ((TouchedKind)t->kind) {
    case TOUCH_ROW:
        return strf(e, "0, 0, 1, %s", cols);
    case TOUCH_COLUMN:
        return strf(e, "0, 0, %s, 1", rows);
    case TOUCH_WINDOW:
        return strf(e, "%s, %s, %s, %s", operand_named(e, s, OPERAND_indexRow),
                    operand_named(e, s, OPERAND_indexCol), rows, cols);
    case TOUCH_VALID:
        if (!access_pads(s->inst, a)) return strf(e, "0, 0, %s, %s", rows, cols);
        break;
    default:
        break;
    }
    return strf(e, "0, 0, %s.rows, %s.cols", name, name);
}

/* ---- accesses ---- */

enum { SOME = 1, STATIC = 2, LOAD = 4, ATOMIC = 8, PHASE = 32 }; /* enum ptrt_site_flags */

/* True for an instruction that combines elements with those in memory, each by itself. */
static bool scatters(const Inst *inst) {
    for (int i = 0; i < inst->nslots; i++)
        if (inst->slots[i].rare->combines != 0 && inst->slots[i].touched.partly) return true;
    return false;
}

static unsigned flags_of(const LowerStmt *s, const Access *a) {
    const Type *t = a->value->type;
    unsigned flags = a->touched->partly || a->maybe || a->touched->bits == 1 ? SOME : 0;
    if (type_is_tile(t) && t->tile.vrow != DYNAMIC && t->tile.vcol != DYNAMIC) flags |= STATIC;
    if ((s->inst->flags & IF_LOADS) != 0) flags |= LOAD;
    if ((a->read && a->write && a->slot != NULL && a->slot->rare->combines != 0) ||
        scatters(s->inst))
        flags |= ATOMIC;
    return flags;
}

/* Whether the call has made a window of the view. */
static bool is_windowed(const LowerStmt *s, const Value *view) {
    for (unsigned i = 0; s->call != NULL && i < s->call->nargs; i++)
        if (s->call->args[i].kind == LARG_WINDOW && s->call->args[i].value == view) return true;
    return false;
}

static void see_view(Emitter *e, const LowerStmt *s, const Access *a, const char *at) {
    const bool whole = a->touched->kind != TOUCH_VALID;
    ln(e, "ptrt_see_view(core, %s, &%s, %s, %s);", at,
       is_windowed(s, a->value) ? local_entry(e, s)->name : val(e, a->value),
       whole ? "PTRT_ABSENT" : extent(e, s, a, &a->touched->rows, true),
       whole ? "PTRT_ABSENT" : extent(e, s, a, &a->touched->cols, false));
}

/* The bytes above select what pto.thistogram counts; above the highest byte there are none. */
static bool is_unread(const LowerStmt *s, const Access *a) {
    if (a->slot == NULL || !a->slot->rare->may_skip) return false;
    const Type *src = stmt_named(s, OPERAND_src)->type;
    const int64_t byte = stmt_attr_int(s, ATTR_byte);
    return byte + 1 == elem_infos[src->elem].bytes;
}

/* The address of the one element that a statement touches. */
static const char *element_address(Emitter *e, const LowerStmt *s, unsigned bytes) {
    const char *at = local_entry(e, s)->name; /* of one that is not in global memory */
    if (s->form == STMT_GET_ELEMENT || s->form == STMT_SET_ELEMENT) return at;
    if (at != NULL) return strf(e, "ptrt_addptr(%s, 0, %u)", at, bytes);
    return strf(e, "ptrt_addptr(%s, %s, %u)", val(e, stmt_named(s, OPERAND_ptr)),
                val(e, stmt_named(s, OPERAND_offset)), bytes);
}

static void see_access(Emitter *e, const LowerStmt *s, const Access *a) {
    const Type *t = a->value->type;
    const bool element = a->touched->kind == TOUCH_ELEMENT;
    if (is_unread(s, a)) return;
    if (!element && !type_is_tile(t) && !type_is_view(t)) return;
    const unsigned bytes =
        type_is_tile(t) ? elem_infos[t->elem].bytes : pointee_bytes(t->elem_type);
    const char *at = site(e, s, a->slot != NULL ? a->slot->name : NULL, role_of(a), (Pipe)a->pipe,
                          (Pipe)a->other, flags_of(s, a));
    if (element)
        ln(e, "ptrt_see_bytes(core, %s, %s, %u);", at, element_address(e, s, bytes), bytes);
    else if (type_is_view(t))
        see_view(e, s, a, at);
    else
        ln(e, "ptrt_see_tile(core, %s, &%s, %s);", at, val(e, a->value), part_of_tile(e, s, a));
}

static void begin(Emitter *e, const LowerStmt *s, Pipe pipe, Pipe other) {
    ln(e, "ptrt_see(core, %s);", site(e, s, NULL, 0, pipe, other, 0));
}

/* ---- statements of several phases ---- */

static void see_barrier(Emitter *e, const LowerStmt *s, Pipe pipe) {
    ln(e, "ptrt_see_barrier(core, %s);", site(e, s, NULL, 0, pipe, PIPE_NONE, 0));
}

/* Returns a condition: a statement that moves views moves any element. NULL: it moves no views. */
static const char *moves_any(Emitter *e, const LowerStmt *s, const PhaseForm *form) {
    const int slot = form->moves - 1;
    const char *any = NULL;
    for (unsigned i = 0; slot >= 0 && i < stmt_count(s, slot); i++) {
        const char *view = val(e, stmt_items(s, slot)[i].value);
        any = strf(e, "%s%s(ptrt_view_rows(&%s) > 0 && ptrt_view_cols(&%s) > 0)",
                   any != NULL ? any : "", any != NULL ? " || " : "", view, view);
    }
    return any;
}

static void see_accesses_of(Emitter *e, const LowerStmt *s, const Access *list, size_t n,
                            bool writes) {
    for (size_t i = 0; i < n; i++)
        if (list[i].value != NULL && list[i].write == writes) see_access(e, s, &list[i]);
}

/* Emits one phase. `list` has its accesses. Flags and barriers count where pipes do. */
static void see_phase(Emitter *e, const LowerStmt *s, const Phase *p, const Access *list,
                      size_t n) {
    const bool judged = c_of(e)->fn->judged;
    const Pipe pipe = (Pipe)p->pipe;
    if (p->kind == PHASE_ACCESS) {
        ln(e, "ptrt_see(core, %s);", site(e, s, NULL, 0, pipe, PIPE_NONE, PHASE));
        see_accesses_of(e, s, list, n, false);
        see_accesses_of(e, s, list, n, true);
    } else if (p->kind == PHASE_BARRIER) {
        if (judged) see_barrier(e, s, pipe);
    } else if (judged) {
        ln(e, "ptrt_see_inside(core, %s, %u, %u);", site(e, s, NULL, 0, pipe, (Pipe)p->to, 0),
           (unsigned)p->events, p->kind == PHASE_FLAGS ? 1u : 0);
    }
}

static void see_phases(Emitter *e, const LowerStmt *s) {
    const PhaseForm *form = s->sees->phases;
    const Access *list = s->sees->accesses;
    const size_t n = s->sees->n;
    const char *any = moves_any(e, s, form);
    begin(e, s, PIPE_NONE, PIPE_NONE);
    if (any != NULL) open_brace(e, "if (%s)", any);
    for (uint8_t i = 0; i < form->nphases; i++) {
        size_t first = 0, end;
        while (first < n && list[first].phase != i)
            first++;
        for (end = first; end < n && list[end].phase == i;)
            end++;
        if (s->sees->applies[i]) see_phase(e, s, &form->phases[i], &list[first], end - first);
    }
    if (any != NULL) close_brace(e);
}

/* Whether the call of a micro-instruction itself tells what it accesses. */
static bool tells(const LowerStmt *s) {
    const LowerCall *call = s->call;
    return call != NULL && call->row != NULL && call->row->way != KERNEL_BY_ID && call->fails;
}

static void see_accesses(Emitter *e, const LowerStmt *s) {
    const Access *list = s->sees->accesses;
    const size_t n = s->sees->n;
    if (tells(s)) return;
    if (s->sees->phases != NULL) {
        see_phases(e, s);
        return;
    }
    if (n == 0 || (list[0].pipe == PIPE_NONE && !s->sees->transfers)) return;
    begin(e, s, (Pipe)list[0].pipe, (Pipe)list[0].other);
    see_accesses_of(e, s, list, n, false);
    see_accesses_of(e, s, list, n, true);
}

/* ---- synchronisation ---- */

static const char *sync_site(Emitter *e, const LowerStmt *s) {
    return site(e, s, NULL, 0, s->sees->pipe, PIPE_NONE, 0);
}

bool observe_sync(Emitter *e, const LowerStmt *s, const char *args) {
    const SyncUse use = (SyncUse)s->inst->sync;
    if (s->sees == NULL ||
        (use != SYNC_SET && use != SYNC_WAIT && use != SYNC_GET && use != SYNC_RELEASE))
        return false;
    try_call(e, "ptrt_see_%s(core, %s%s)", s->call->name, sync_site(e, s), args);
    return true;
}

static void see_fence(Emitter *e, const LowerStmt *s) {
    if (s->core == CORE_VECTOR) {
        see_barrier(e, s, PIPE_NONE);
        return;
    }
    see_barrier(e, s, PIPE_MTE2);
    see_barrier(e, s, PIPE_MTE3);
    see_barrier(e, s, PIPE_FIX);
}

/* Returns the name of a call between cores: what it sends, or what it waits for. */
static bool is_call(const LowerStmt *s, const char *name) {
    const LowerCall *call = s->call;
    return call != NULL && strcmp(call->name, name) == 0;
}

static bool is_syncall(const LowerStmt *s) {
    return is_call(s, "syncall") || is_call(s, "syncall_soft");
}

static const Value *signal_of(const LowerStmt *s) {
    return stmt_named(s, OPERAND_signal);
}

static bool is_scope(const LowerStmt *s) {
    return stmt_is(s, INST_VECSCOPE) || stmt_is(s, INST_STRICT_VECSCOPE);
}

/* Says which statement the accesses that follow are of. Work items run on the vector pipe. */
static void see_micro(Emitter *e, const LowerStmt *s) {
    const Pipe pipe = in_items(e) ? PIPE_V : s->sees->pipe;
    const char *at = site(e, s, NULL, 0, pipe, PIPE_NONE, 0),
               *reads = site(e, s, NULL, 1, pipe, PIPE_NONE, 0),
               *writes = site(e, s, NULL, 2, pipe, PIPE_NONE, 0);
    ln(e, "ptrt_see_micro(core, %s, %s, %s);", at, reads, writes);
}

void observe_before(Emitter *e, const LowerStmt *s) {
    if (s->sees == NULL) return;
    if (tells(s)) see_micro(e, s);
    if (is_scope(s)) {
        c_of(e)->uses_core = true;
        ln(e, "ptrt_see_scope(core, 1);");
    } else if (stmt_is(s, INST_MEM_BAR)) {
        c_of(e)->uses_core = true;
        ln(e, "ptrt_see_mem_bar(core, %d);",
           (int)enum_number(stmt_attr_named(s, ATTR_kind)->value));
    }
    if (is_syncall(s))
        ln(e, "ptrt_see_arrive(core, %s, %lld);", sync_site(e, s), (long long)s->call->args[0].n);
    else if (is_call(s, "sync_set") || is_call(s, "set_intra_block"))
        ln(e, "ptrt_see_%s(core, %s%s);", s->call->name, sync_site(e, s), call_args(e, s, s->call));
    else if (stmt_is(s, INST_TNOTIFY))
        ln(e, "ptrt_see_notify(core, %s, &%s);", site(e, s, NULL, 0, PIPE_NONE, PIPE_NONE, 0),
           val(e, signal_of(s)));
    else if (s->inst->entry == ENTRY_POP || s->inst->entry == ENTRY_FREE)
        ln(e, "ptrt_see_before_entry(core, %s, &%s);",
           site(e, s, NULL, s->inst->entry == ENTRY_POP ? 1 : 2, s->sees->entry_pipe, PIPE_NONE, 0),
           entry_pipe_name(e, s));
}

/* ---- entries ---- */

static void see_entry(Emitter *e, const LowerStmt *s) {
    const Value *entry = entry_of(s);
    const char *pipe = entry_pipe_name(e, s);
    const EntryUse use = (EntryUse)s->inst->entry;
    const bool tile = entry != NULL && type_is_tile(entry->type);
    const Pipe own = s->sees->entry_pipe;
    if (pipe == NULL) return;
    if (use != ENTRY_PUSH) begin(e, s, own, PIPE_NONE);
    switch (use) {
    case ENTRY_ALLOC:
        ln(e, "ptrt_see_alloc(core, %s, &%s);", site(e, s, NULL, 0, own, PIPE_NONE, 0), pipe);
        break;
    case ENTRY_PUSH:
        ln(e, "ptrt_see_push(core, %s, &%s);", site(e, s, NULL, 2, own, PIPE_NONE, 0), pipe);
        break;
    case ENTRY_POP:
        ln(e, "ptrt_see_pop(core, %s, %s, &%s, %s%s);", site(e, s, NULL, 2, own, PIPE_NONE, 0),
           site(e, s, NULL, 1, own, PIPE_NONE, 0), pipe, tile ? "&" : "",
           tile ? val(e, entry) : "NULL");
        break;
    default:
        ln(e, "ptrt_see_free(core, %s, &%s);", site(e, s, NULL, 2, own, PIPE_NONE, 0), pipe);
        break;
    }
}

void observe_after(Emitter *e, const LowerStmt *s) {
    if (s->sees == NULL) return;
    const SyncUse use = (SyncUse)s->inst->sync;
    see_accesses(e, s);
    if (is_scope(s)) ln(e, "ptrt_see_scope(core, 0);");
    if (s->inst->entry != ENTRY_NONE)
        see_entry(e, s);
    else if (is_syncall(s))
        ln(e, "ptrt_see_meet(core, %s, %lld);", sync_site(e, s), (long long)s->call->args[0].n);
    else if (is_call(s, "sync_wait") || is_call(s, "wait_intra_block"))
        ln(e, "ptrt_see_%s(core, %s%s);", s->call->name, sync_site(e, s), call_args(e, s, s->call));
    else if (stmt_is(s, INST_TNOTIFY)) /* ends with a barrier of all pipes */
        see_barrier(e, s, PIPE_NONE);
    else if (stmt_is(s, INST_TWAIT))
        ln(e, "ptrt_see_noticed(core, %s, &%s);", site(e, s, NULL, 0, PIPE_NONE, PIPE_NONE, 0),
           val(e, signal_of(s)));
    else if (stmt_is(s, INST_TTEST))
        ln(e, "if (%s) ptrt_see_noticed(core, %s, &%s);", val(e, &s->results[0]),
           site(e, s, NULL, 0, PIPE_NONE, PIPE_NONE, 0), val(e, signal_of(s)));
    else if (use == SYNC_BARRIER)
        see_barrier(e, s, s->sees->pipe);
    else if (use == SYNC_DRAIN)
        see_barrier(e, s, PIPE_NONE);
    else if (use == SYNC_FENCE)
        see_fence(e, s);
}

void observe_copy(Emitter *e, const LowerStmt *s, const char *tile) {
    if (s->sees == NULL) return;
    begin(e, s, PIPE_NONE, PIPE_NONE);
    ln(e, "ptrt_see_tile(core, %s, %s, 0, 0, %s->rows, %s->cols);",
       site(e, s, NULL, 2, PIPE_NONE, PIPE_NONE, 0), tile, tile, tile);
}

void observe_foreign(Emitter *e, const LowerStmt *s) {
    bool memory = false;
    for (unsigned i = 0; s->sees != NULL && i < s->nargs; i++) {
        const Value *v = s->args[i].value;
        if (type_is_tile(v->type)) observe_copy(e, s, strf(e, "(&%s)", val(e, v)));
        memory |= v->type->kind == TY_PTR || type_is_view(v->type);
    }
    for (unsigned i = 0; s->sees != NULL && i < s->nresults; i++)
        if (type_is_tile(s->results[i].type))
            observe_copy(e, s, strf(e, "(&%s)", val(e, &s->results[i])));
    if (memory) ln(e, "ptrt_see_foreign(core);");
}
