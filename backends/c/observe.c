/* C for the sanitizer: after each statement, what it touched and on which pipe; before it, what
 * others learn from it. */
#include "backends/c/observe.h"

#include "analysis/effects.h"
#include "analysis/entries.h"
#include "analysis/hazards.h"
#include "backends/c/pipes.h"
#include "passes/show.h"

#include <string.h>

/* ---- which functions are judged ---- */

static bool see_flag(Op *op, void *arg) {
    const SyncUse use = (SyncUse)op->inst->sync;
    bool *found = arg;
    *found |= use == SYNC_SET || use == SYNC_WAIT || use == SYNC_GET || use == SYNC_RELEASE;
    return !*found;
}

typedef struct Spread {
    Emitter *e;
    Func *from;
    bool changed;
} Spread;

/* A function is judged together with those that it calls. */
static bool see_call(Op *op, void *arg) {
    Spread *s = arg;
    if (!op_is(op, INST_CALL)) return true;
    const LowerFunc *low = lower_callee(s->e->low, op);
    if (low == NULL) return true;
    Func *to = &c_of(s->e)->funcs[low - s->e->low->funcs];
    s->changed |= to->judged != s->from->judged;
    to->judged = s->from->judged = to->judged || s->from->judged;
    return true;
}

/* Statements of several pipes, of which the text does not say the order. */
static bool see_pipe(Op *op, void *arg) {
    unsigned *pipes = arg;
    if (op->inst->entry == ENTRY_NONE && op->inst->sync == SYNC_NONE && !op_transfers(op))
        *pipes |= 1u << op->inst->pipe[PROFILE_DEFAULT];
    return true;
}

static void note_unjudged(Emitter *e, const Func *f) {
    unsigned pipes = 0;
    op_walk((Op *)(uintptr_t)f->op, see_pipe, &pipes);
    pipes &= ~(1u << PIPE_NONE | 1u << PIPE_S);
    if (f->judged || !f->low->reached || (pipes & (pipes - 1)) == 0) return;
    diag_add(e->diags, DIAG_NO_SYNC, f->data->name_span,
             "synchronisation: none in the text, relies on insertion; its pipes are not judged");
}

void observe_module(Emitter *e) {
    Spread s = {.e = e, .changed = true};
    if (!e->opt->sanitize) return;
    const bool chip = profile_infos[e->opt->profile].chip;
    for (unsigned i = 0; i < c_of(e)->nfuncs; i++) {
        Func *f = &c_of(e)->funcs[i];
        f->judged = chip && e->opt->sanitize_all;
        if (chip && f->data->has_body) op_walk((Op *)(uintptr_t)f->op, see_flag, &f->judged);
    }
    while (s.changed) {
        s.changed = false;
        for (unsigned i = 0; i < c_of(e)->nfuncs; i++) {
            s.from = &c_of(e)->funcs[i];
            if (s.from->data->has_body) op_walk((Op *)(uintptr_t)s.from->op, see_call, &s);
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
static const char *site(Emitter *e, const Op *op, const char *operand, unsigned role, Pipe pipe,
                        Pipe other, unsigned flags) {
    const char *name = fresh(e, "pto_site");
    if (!c_of(e)->fn->judged) pipe = other = PIPE_NONE;
    ln(e, "static const ptrt_site %s = {\"%s\", %s, %u, %u, %d, %d, %u};", name, op->inst->name,
       operand != NULL ? strf(e, "\"%s\"", operand) : "NULL", (unsigned)e->line, role, (int)pipe,
       (int)other, flags);
    c_of(e)->uses_core = true;
    return strf(e, "&%s", name);
}

/* The pipe that waits for an entry, fills or frees it, as the proof has it. */
static Pipe pipe_of_entry(Emitter *e, const Op *op) {
    const Effects effects = {.ctx = e->ctx, .profile = e->opt->profile};
    const Value *entry = entry_value(op);
    if (op->inst->entry == ENTRY_FREE) {
        FreedEntries *f = &c_of(e)->freed;
        f->arena = e->keep;
        f->ctx = e->ctx;
        const FreedPops freed = freed_pops(f, op);
        entry = freed.n > 0 ? entry_value(freed.pops[0]) : NULL;
    }
    return entry == NULL ? effects_pipe(&effects, op)
                         : entry_pipe(e->ctx, op, entry, e->opt->profile, e->stmt->core).pipe;
}

/* ---- extents ---- */

/* Returns an extent of the value in the slot that a word names; NULL when it has none. */
static const char *extent_of_slot(Emitter *e, const Op *op, const char *word, size_t n, bool rows) {
    for (int s = 0; s < op->inst->nslots; s++) {
        const char *name = op->inst->slots[s].name;
        if (strlen(name) != n || strncmp(name, word, n) != 0) continue;
        const Value *v = slot_value(op, s);
        if (v == NULL) return NULL;
        if (type_is_tile(v->type)) return strf(e, "%s.%s", val(e, v), rows ? "vrow" : "vcol");
        if (type_is_view(v->type))
            return strf(e, "ptrt_view_%s(&%s)", rows ? "rows" : "cols", val(e, v));
    }
    return NULL;
}

/* Returns the sum of the extents of the named slots, or the operand's own. `^x` is the other extent
 * of x. */
static const char *extent(Emitter *e, const Op *op, const Access *a, const char *words, bool rows) {
    const char *sum = NULL;
    for (const char *w = words; w != NULL && *w != '\0';) {
        const size_t n = strcspn(w, " "), other = *w == '^';
        const char *x = extent_of_slot(e, op, w + other, n - other, rows != (other != 0));
        if (x != NULL) sum = sum != NULL ? strf(e, "%s + %s", sum, x) : x;
        w += n + (w[n] == ' ');
    }
    if (sum != NULL) return sum;
    if (!type_is_tile(a->value->type)) return "PTRT_ABSENT";
    return strf(e, "%s.%s", val(e, a->value), rows ? "vrow" : "vcol");
}

/* Whether a load fills what is not valid. */
static bool pads(const Op *op, const Access *a) {
    return op_is(op, INST_TLOAD) && a->write && a->value->type->tile.pad != 0;
}

static const char *operand_named(Emitter *e, const Op *op, OperandName name) {
    const Value *v = named_value(op, name);
    return v != NULL ? val(e, v) : "0";
}

/* Returns "row, col, rows, cols" of the elements of a tile that a statement touches. */
static const char *part_of_tile(Emitter *e, const Op *op, const Access *a) {
    const Touched *t = a->touched;
    const char *name = val(e, a->value);
    const char *rows = extent(e, op, a, t->rows, true), *cols = extent(e, op, a, t->cols, false);
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
        return strf(e, "%s, %s, %s, %s", operand_named(e, op, OPERAND_indexRow),
                    operand_named(e, op, OPERAND_indexCol), rows, cols);
    case TOUCH_VALID:
        if (!pads(op, a)) return strf(e, "0, 0, %s, %s", rows, cols);
        break;
    default:
        break;
    }
    return strf(e, "0, 0, %s.rows, %s.cols", name, name);
}

/* ---- accesses ---- */

enum { SOME = 1, STATIC = 2, LOAD = 4, ATOMIC = 8, PHASE = 32 }; /* enum ptrt_site_flags */

static unsigned flags_of(const Emitter *e, const Op *op, const Access *a) {
    const Type *t = a->value->type;
    const NamedAttr *atomic = op_attr_named(e->ctx, op, "atomicType");
    unsigned flags = a->touched->partly || a->maybe || a->touched->bits == 1 ? SOME : 0;
    if (type_is_tile(t) && t->tile.vrow != DYNAMIC && t->tile.vcol != DYNAMIC) flags |= STATIC;
    if (op_is(op, INST_TLOAD)) flags |= LOAD;
    if ((atomic != NULL && a->read && a->write) || op_is(op, INST_MSCATTER)) flags |= ATOMIC;
    return flags;
}

static void see_view(Emitter *e, const Op *op, const Access *a, const char *at) {
    const bool window = c_of(e)->seen_view == a->value;
    const bool whole = a->touched->kind != TOUCH_VALID;
    ln(e, "ptrt_see_view(core, %s, &%s, %s, %s);", at,
       window ? c_of(e)->seen_window : val(e, a->value),
       whole ? "PTRT_ABSENT" : extent(e, op, a, a->touched->rows, true),
       whole ? "PTRT_ABSENT" : extent(e, op, a, a->touched->cols, false));
}

/* The bytes above select what pto.thistogram counts; above the highest byte there are none. */
static bool is_unread(const Emitter *e, const Op *op, const Access *a) {
    if (!op_is(op, INST_THISTOGRAM) || a->slot == NULL || strcmp(a->slot->name, "idx") != 0)
        return false;
    const Type *src = named_value(op, OPERAND_src)->type;
    const int64_t byte = op_attr_int(e->ctx, op, inst_attr(op->inst, "byte", 4));
    return byte + 1 == elem_infos[src->elem].bytes;
}

static void see_access(Emitter *e, const Op *op, const Access *a) {
    const Type *t = a->value->type;
    const bool element = a->touched->kind == TOUCH_ELEMENT;
    if (is_unread(e, op, a)) return;
    if (element ? c_of(e)->seen_element == NULL : !type_is_tile(t) && !type_is_view(t)) return;
    const char *at = site(e, op, a->slot != NULL ? a->slot->name : NULL, role_of(a), (Pipe)a->pipe,
                          (Pipe)a->other, flags_of(e, op, a));
    if (element)
        ln(e, "ptrt_see_bytes(core, %s, %s, %u);", at, c_of(e)->seen_element, c_of(e)->seen_bytes);
    else if (type_is_view(t))
        see_view(e, op, a, at);
    else
        ln(e, "ptrt_see_tile(core, %s, &%s, %s);", at, val(e, a->value), part_of_tile(e, op, a));
}

/* Whether the statement waits for or changes signals in memory. */
static bool is_signal(const Op *op) {
    return op_is(op, INST_TNOTIFY) || op_is(op, INST_TWAIT) || op_is(op, INST_TTEST);
}

static bool touches(const Op *op) {
    const Inst *i = op->inst;
    return (i->flags & (IF_VIEW | IF_PURE | IF_ALLOC | IF_TERMINATOR | IF_SYNC)) == 0 &&
           op->nregions == 0 && !op_is(op, INST_CALL) && (i->idle == NULL || i->nforms > 0) &&
           !is_signal(op) && (!i->fifo || i->entry == ENTRY_PUSH) && show_name(op) == NULL;
}

static void begin(Emitter *e, const Op *op, Pipe pipe, Pipe other) {
    ln(e, "ptrt_see(core, %s);", site(e, op, NULL, 0, pipe, other, 0));
}

/* ---- statements of several phases ---- */

static void see_barrier(Emitter *e, const Op *op, Pipe pipe) {
    ln(e, "ptrt_see_barrier(core, %s);", site(e, op, NULL, 0, pipe, PIPE_NONE, 0));
}

/* Returns a condition: a statement that moves views moves any element. NULL: it moves no views. */
static const char *moves_any(Emitter *e, const Op *op, const PhaseForm *form) {
    const int s =
        form->moves != NULL ? inst_slot_named(op->inst, form->moves, strlen(form->moves)) : -1;
    const char *any = NULL;
    for (unsigned i = 0; s >= 0 && i < slot_count(op, s); i++) {
        const char *view = val(e, slot_operands(op, s)[i].value);
        any = strf(e, "%s%s(ptrt_view_rows(&%s) > 0 && ptrt_view_cols(&%s) > 0)",
                   any != NULL ? any : "", any != NULL ? " || " : "", view, view);
    }
    return any;
}

static void see_accesses_of(Emitter *e, const Op *op, const Access *list, size_t n, bool writes) {
    for (size_t i = 0; i < n; i++)
        if (list[i].value != NULL && list[i].write == writes) see_access(e, op, &list[i]);
}

/* Emits one phase. `list` has its accesses. Flags and barriers count where pipes do. */
static void see_phase(Emitter *e, const Op *op, const Phase *p, const Access *list, size_t n) {
    const bool judged = c_of(e)->fn->judged;
    const Pipe pipe = (Pipe)p->pipe;
    if (p->kind == PHASE_ACCESS) {
        ln(e, "ptrt_see(core, %s);", site(e, op, NULL, 0, pipe, PIPE_NONE, PHASE));
        see_accesses_of(e, op, list, n, false);
        see_accesses_of(e, op, list, n, true);
    } else if (p->kind == PHASE_BARRIER) {
        if (judged) see_barrier(e, op, pipe);
    } else if (judged) {
        ln(e, "ptrt_see_inside(core, %s, %u, %u);", site(e, op, NULL, 0, pipe, (Pipe)p->to, 0),
           (unsigned)p->events, p->kind == PHASE_FLAGS ? 1u : 0);
    }
}

static void see_phases(Emitter *e, const Op *op, const PhaseForm *form, const Access *list,
                       size_t n) {
    const char *any = moves_any(e, op, form);
    begin(e, op, PIPE_NONE, PIPE_NONE);
    if (any != NULL) open_brace(e, "if (%s)", any);
    for (uint8_t i = 0; i < form->nphases; i++) {
        size_t first = 0, end;
        while (first < n && list[first].phase != i)
            first++;
        for (end = first; end < n && list[end].phase == i;)
            end++;
        if (phase_applies(op, &form->phases[i]))
            see_phase(e, op, &form->phases[i], &list[first], end - first);
    }
    if (any != NULL) close_brace(e);
}

static void see_accesses(Emitter *e, const Op *op) {
    const Effects effects = {.ctx = e->ctx, .profile = e->opt->profile};
    const size_t n = op_accesses(&effects, op, NULL, 0);
    Access *list = ARENA_ARRAY(e->arena, Access, n + 1);
    (void)op_accesses(&effects, op, list, n);
    const PhaseForm *form = effects_phases(&effects, op);
    if (form != NULL) {
        see_phases(e, op, form, list, n);
        return;
    }
    if (n == 0 || (list[0].pipe == PIPE_NONE && !op_transfers(op))) return;
    begin(e, op, (Pipe)list[0].pipe, (Pipe)list[0].other);
    see_accesses_of(e, op, list, n, false);
    see_accesses_of(e, op, list, n, true);
}

/* ---- synchronisation ---- */

static const char *sync_site(Emitter *e, const Op *op) {
    return site(e, op, NULL, 0, op_pipe(e->ctx, op, e->opt->profile), PIPE_NONE, 0);
}

bool observe_sync(Emitter *e, const Op *op, const char *args) {
    const SyncUse use = (SyncUse)op->inst->sync;
    if (!e->opt->sanitize ||
        (use != SYNC_SET && use != SYNC_WAIT && use != SYNC_GET && use != SYNC_RELEASE))
        return false;
    try_call(e, "ptrt_see_%s(core, %s%s)", e->stmt->call->name, sync_site(e, op), args);
    return true;
}

static void see_fence(Emitter *e, const Op *op) {
    if (e->stmt->core == CORE_VECTOR) {
        see_barrier(e, op, PIPE_NONE);
        return;
    }
    see_barrier(e, op, PIPE_MTE2);
    see_barrier(e, op, PIPE_MTE3);
    see_barrier(e, op, PIPE_FIX);
}

/* Returns the name of a call between cores: what it sends, or what it waits for. */
static bool is_call(const Emitter *e, const char *name) {
    const LowerCall *call = e->stmt->call;
    return call != NULL && strcmp(call->name, name) == 0;
}

static bool is_syncall(const Emitter *e) {
    return is_call(e, "syncall") || is_call(e, "syncall_soft");
}

static const Value *signal_of(const Op *op) {
    return named_value(op, OPERAND_signal);
}

void observe_before(Emitter *e, const Op *op) {
    if (!e->opt->sanitize) return;
    c_of(e)->seen_element = NULL;
    c_of(e)->seen_view = NULL;
    if (is_syncall(e))
        ln(e, "ptrt_see_arrive(core, %s, %lld);", sync_site(e, op),
           (long long)e->stmt->call->args[0].n);
    else if (is_call(e, "sync_set") || is_call(e, "set_intra_block"))
        ln(e, "ptrt_see_%s(core, %s%s);", e->stmt->call->name, sync_site(e, op),
           call_args(e, op, e->stmt->call));
    else if (op_is(op, INST_TNOTIFY))
        ln(e, "ptrt_see_notify(core, %s, &%s);", site(e, op, NULL, 0, PIPE_NONE, PIPE_NONE, 0),
           val(e, signal_of(op)));
    else if (op->inst->entry == ENTRY_POP || op->inst->entry == ENTRY_FREE)
        ln(e, "ptrt_see_before_entry(core, %s, &%s);",
           site(e, op, NULL, op->inst->entry == ENTRY_POP ? 1 : 2, pipe_of_entry(e, op), PIPE_NONE,
                0),
           entry_pipe_name(e, op));
}

/* ---- entries ---- */

static void see_entry(Emitter *e, const Op *op) {
    const Value *entry = entry_of(op);
    const char *pipe = entry_pipe_name(e, op);
    const EntryUse use = (EntryUse)op->inst->entry;
    const Effects effects = {.ctx = e->ctx, .profile = e->opt->profile};
    const bool tile = entry != NULL && type_is_tile(entry->type);
    const Pipe own =
        use == ENTRY_PUSH || use == ENTRY_ALLOC ? effects_pipe(&effects, op) : pipe_of_entry(e, op);
    if (pipe == NULL) return;
    if (use != ENTRY_PUSH) begin(e, op, own, PIPE_NONE);
    switch (use) {
    case ENTRY_ALLOC:
        ln(e, "ptrt_see_alloc(core, %s, &%s);", site(e, op, NULL, 0, own, PIPE_NONE, 0), pipe);
        break;
    case ENTRY_PUSH:
        ln(e, "ptrt_see_push(core, %s, &%s);", site(e, op, NULL, 2, own, PIPE_NONE, 0), pipe);
        break;
    case ENTRY_POP:
        ln(e, "ptrt_see_pop(core, %s, %s, &%s, %s%s);", site(e, op, NULL, 2, own, PIPE_NONE, 0),
           site(e, op, NULL, 1, own, PIPE_NONE, 0), pipe, tile ? "&" : "",
           tile ? val(e, entry) : "NULL");
        break;
    default:
        ln(e, "ptrt_see_free(core, %s, &%s);", site(e, op, NULL, 2, own, PIPE_NONE, 0), pipe);
        break;
    }
}

void observe_after(Emitter *e, const Op *op) {
    if (!e->opt->sanitize) return;
    const SyncUse use = (SyncUse)op->inst->sync;
    if (touches(op)) see_accesses(e, op);
    if (op->inst->entry != ENTRY_NONE)
        see_entry(e, op);
    else if (is_syncall(e))
        ln(e, "ptrt_see_meet(core, %s, %lld);", sync_site(e, op),
           (long long)e->stmt->call->args[0].n);
    else if (is_call(e, "sync_wait") || is_call(e, "wait_intra_block"))
        ln(e, "ptrt_see_%s(core, %s%s);", e->stmt->call->name, sync_site(e, op),
           call_args(e, op, e->stmt->call));
    else if (op_is(op, INST_TNOTIFY)) /* ends with a barrier of all pipes */
        see_barrier(e, op, PIPE_NONE);
    else if (op_is(op, INST_TWAIT))
        ln(e, "ptrt_see_noticed(core, %s, &%s);", site(e, op, NULL, 0, PIPE_NONE, PIPE_NONE, 0),
           val(e, signal_of(op)));
    else if (op_is(op, INST_TTEST))
        ln(e, "if (%s) ptrt_see_noticed(core, %s, &%s);", val(e, &op->results[0]),
           site(e, op, NULL, 0, PIPE_NONE, PIPE_NONE, 0), val(e, signal_of(op)));
    else if (use == SYNC_BARRIER)
        see_barrier(e, op, op_pipe(e->ctx, op, e->opt->profile));
    else if (use == SYNC_DRAIN)
        see_barrier(e, op, PIPE_NONE);
    else if (use == SYNC_FENCE)
        see_fence(e, op);
}

void observe_element(Emitter *e, const char *address, unsigned bytes) {
    c_of(e)->seen_element = address;
    c_of(e)->seen_bytes = bytes;
}

void observe_copy(Emitter *e, const Op *op, const char *tile) {
    if (!e->opt->sanitize) return;
    begin(e, op, PIPE_NONE, PIPE_NONE);
    ln(e, "ptrt_see_tile(core, %s, %s, 0, 0, %s->rows, %s->cols);",
       site(e, op, NULL, 2, PIPE_NONE, PIPE_NONE, 0), tile, tile, tile);
}

void observe_foreign(Emitter *e, const Op *op) {
    bool memory = false;
    for (unsigned i = 0; e->opt->sanitize && i < op->noperands; i++) {
        const Value *v = op->operands[i].value;
        if (type_is_tile(v->type)) observe_copy(e, op, strf(e, "(&%s)", val(e, v)));
        memory |= v->type->kind == TY_PTR || type_is_view(v->type);
    }
    for (unsigned i = 0; e->opt->sanitize && i < op->nresults; i++)
        if (type_is_tile(op->results[i].type))
            observe_copy(e, op, strf(e, "(&%s)", val(e, &op->results[i])));
    if (memory) ln(e, "ptrt_see_foreign(core);");
}

void observe_window(Emitter *e, const Value *view, const char *name) {
    c_of(e)->seen_view = view;
    c_of(e)->seen_window = name;
}
