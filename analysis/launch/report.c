/* SPDX-License-Identifier: Apache-2.0 */
/* Words what attempts found. */
#include "analysis/launch/attempts.h"
#include "analysis/launch/flight.h"

/* ---- findings of a launch ---- */

static LaunchFinding *add(const Attempt *a, CoreLaunch *out, DiagId id, const Op *op,
                          const char *text) {
    LaunchFinding **last = &out->findings;
    for (; *last != NULL; last = &(*last)->next)
        if ((*last)->id == id && (*last)->op == op && strcmp((*last)->text, text) == 0) {
            (*last)->profiles |= PROFILE_BIT(a->block->profile);
            return NULL;
        }
    LaunchFinding *f = *last = ARENA_NEW(&a->block->ctx->arena, LaunchFinding);
    *f = (LaunchFinding){.id = id, .op = op, .text = text};
    f->profiles = PROFILE_BIT(a->block->profile);
    return f;
}

static const char *core_name(unsigned core) {
    return core == ON_CUBE ? "the cube core" : "a vector core";
}

static const char *name_of(const Statement *s) {
    return s->step->op->inst->name;
}

/* ---- waits ---- */

/* Returns the iteration of the innermost loop around a statement that was written out; -1: none. */
static int64_t iteration_of(const Statement *s) {
    for (const Env *e = s->env; e != NULL; e = e->up)
        if (e->entry == NULL && e->item == NULL) return e->k;
    return -1;
}

static const char *when_text(const Attempt *a, const Statement *s) {
    const int64_t k = iteration_of(s);
    if (k <= 0) return "";
    return arena_printf(&a->block->ctx->arena, " in iteration %lld of its loop", (long long)k + 1);
}

static const char *reason_text(const Attempt *a, const Found *f) {
    Arena *arena = &a->block->ctx->arena;
    const Channel *c = f->channel;
    switch ((ChannelKind)c->kind) {
    case CHANNEL_ENTRY:
        return f->core == ON_CUBE ? "no vector core pushes an entry"
                                  : "the cube core pushes no entry";
    case CHANNEL_SLOT:
        if (a->batch)
            return arena_printf(arena,
                                "the vendor's library returns the %u slots in groups of %u, and "
                                "waits for a whole group",
                                c->queue->slots, c->queue->period);
        return arena_printf(arena, "the pipe has %u slots, and %s frees one", c->queue->slots,
                            f->core == ON_CUBE ? "no vector core" : "the cube core never");
    case CHANNEL_EVENT:
        return arena_printf(arena, "%s does not signal event %u", core_name(c->from), f->of->event);
    case CHANNEL_FLAG:
        return "nothing sets its flag";
    case CHANNEL_MEETING:
        return arena_printf(arena, "%s does not arrive", core_name(c->from));
    case CHANNEL_KNOWN:
        break;
    }
    return "an earlier statement of its core waits";
}

static void report_wait(const Attempt *a, const Found *f, CoreLaunch *out) {
    Arena *arena = &a->block->ctx->arena;
    if (f->follows) return;
    LaunchFinding *x =
        add(a, out, DIAG_SYNC_DEADLOCK, f->of->step->op,
            arena_printf(arena, "%s of %s waits for ever%s: %s", name_of(f->of), core_name(f->core),
                         when_text(a, f->of), reason_text(a, f)));
    if (x == NULL) return;
    if (f->channel->kind == CHANNEL_SLOT) {
        const Statement *pop = statement_of_channel(a, a->first, f->channel);
        x->kept = pop != NULL ? pop->step->op : NULL;
    }
    for (const Found *g = a->found; g != NULL; g = g->next)
        if (g->kind == FOUND_DEADLOCK && g->core != f->core && g->of->step->op != f->of->step->op) {
            x->other = g->of->step->op;
            x->note = arena_printf(arena, "%s waits here", core_name(g->core));
            return;
        }
}

/* ---- the others ---- */

static const char *other_name(const Found *f) {
    if (f->core == f->other_core) return "the same core";
    return f->core != ON_CUBE && f->other_core != ON_CUBE ? "the other vector core"
                                                          : core_name(f->other_core);
}

static void report_race(const Attempt *a, const Found *f, CoreLaunch *out) {
    Arena *arena = &a->block->ctx->arena;
    LaunchFinding *x = add(
        a, out, f->maybe ? DIAG_SYNC_MAYBE : DIAG_SYNC_RACE, f->of->step->op,
        arena_printf(arena, "%s of %s may use %s before %s of %s has ended", name_of(f->of),
                     core_name(f->core),
                     f->queue != NULL ? "a slot of the pipe" : "the same bytes of global memory",
                     name_of(f->other), other_name(f)));
    if (x == NULL || f->other->step->op == x->op) return;
    x->other = f->other->step->op;
    x->note = arena_printf(arena, "%s is here", name_of(f->other));
}

static const char *left_text(const Attempt *a, const Found *f) {
    Arena *arena = &a->block->ctx->arena;
    const char *name = name_of(f->of);
    const long long n = f->n < 0 ? -f->n : f->n;
    if (f->kind == FOUND_KEPT)
        return arena_printf(arena, "%s: %lld slot%s never freed", name, n,
                            n == 1 ? " of the pipe is" : "s of the pipe are");
    switch ((ChannelKind)f->channel->kind) {
    case CHANNEL_ENTRY:
        return arena_printf(arena, "%s: %lld entr%s never popped", name, n,
                            n == 1 ? "y of the pipe is" : "ies of the pipe are");
    case CHANNEL_SLOT:
        return arena_printf(arena, "%s: %lld slot%s freed than used", name, n,
                            n == 1 ? " more is" : "s more are");
    default:
        return arena_printf(arena, "%s: event %u is never awaited, or %lld time%s too few", name,
                            f->of->event, n, n == 1 ? "" : "s");
    }
}

/* True when entries are left, too, whose slots cannot be freed. */
static bool follows_left(const Attempt *a, const Found *f) {
    for (const Found *g = a->found; f->kind == FOUND_KEPT && g != NULL; g = g->next)
        if (g->kind == FOUND_LEFT && g->channel->queue == f->channel->queue) return true;
    return false;
}

static const char *credit_text(const Attempt *a, const Found *f) {
    Arena *arena = &a->block->ctx->arena;
    if (f->of->kind == DO_FREE)
        return arena_printf(arena,
                            "%s: a newer entry is open, so the vendor's library may give this slot "
                            "back too early",
                            name_of(f->of));
    return arena_printf(arena,
                        "%s: with %u slots, an odd number, the vendor's library does not wait for "
                        "some of them",
                        name_of(f->of), f->of->queue->slots);
}

/* A core may signal what the other one has no use for. */
static void report_left(const Attempt *a, const Found *f, CoreLaunch *out) {
    if (follows_left(a, f)) return;
    LaunchFinding *x = add(a, out, DIAG_SYNC_LEAK, f->of->step->op, left_text(a, f));
    if (x == NULL) return;
    x->mild = f->channel->kind == CHANNEL_EVENT && !f->channel->awaited;
    x->kept = f->kind == FOUND_KEPT ? f->of->step->op : NULL;
}

static void report(const Attempt *a, const Found *f, CoreLaunch *out) {
    Arena *arena = &a->block->ctx->arena;
    const Op *op = f->of->step->op;
    switch ((FoundKind)f->kind) {
    case FOUND_DEADLOCK:
        report_wait(a, f, out);
        break;
    case FOUND_RACE:
        report_race(a, f, out);
        break;
    case FOUND_LEFT:
    case FOUND_KEPT:
        report_left(a, f, out);
        break;
    case FOUND_OVERFLOW:
        add(a, out, DIAG_SYNC_OVERFLOW, op,
            arena_printf(arena, "event %u may be signalled %d times before the other core waits",
                         f->of->event, MOST_SIGNALS + 1));
        break;
    case FOUND_CREDIT:
        add(a, out, DIAG_SYNC_CREDIT, op, credit_text(a, f));
        break;
    case FOUND_FREED:
        add(a, out, DIAG_SYNC_FREED, op,
            arena_printf(arena,
                         f->of->kind == DO_FREE
                             ? "%s frees an entry that is not there: all popped ones are freed"
                             : "%s uses an entry that is freed, or that nothing has popped",
                         name_of(f->of)));
        break;
    }
}

static bool has(const Attempt *a, FoundKind kind) {
    for (const Found *f = a->found; f != NULL; f = f->next)
        if (f->kind == kind && !f->maybe) return true;
    return false;
}

/* What depends on conditions that may not be possible together is no finding, but a reason why
 * nothing is proved; a race may still be one where an address is not known. */
static bool is_doubt(const Found *f) {
    return f->maybe && f->kind != FOUND_RACE;
}

const Found *attempt_doubt(const Attempt *a) {
    for (const Found *f = a->found; f != NULL; f = f->next)
        if (is_doubt(f)) return f;
    return NULL;
}

/* After a wrong free, and after a wait that never ends, the rest means nothing. */
void launch_report(const Attempt *a, bool only_waits, CoreLaunch *out) {
    const bool freed = has(a, FOUND_FREED), stops = has(a, FOUND_DEADLOCK);
    for (const Found *f = a->found; f != NULL; f = f->next) {
        if ((only_waits && f->kind != FOUND_DEADLOCK) || is_doubt(f)) continue;
        if (freed && f->kind != FOUND_FREED) continue;
        if (stops && !freed && (f->kind == FOUND_LEFT || f->kind == FOUND_KEPT)) continue;
        report(a, f, out);
    }
}
