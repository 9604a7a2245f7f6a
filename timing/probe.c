/* SPDX-License-Identifier: Apache-2.0 */
/* Slopes of integers, and bounds up to which comparisons have the same outcome. */
#include "timing/probe.h"

#include "ir/number.h"

#include <string.h>

/* Values and slopes are refused beyond these, so that sums cannot overflow. */
static const int64_t MOST_VALUE = (int64_t)1 << 60, MOST_SLOPE = (int64_t)1 << 28;
enum { MOST_BOUNDS = 1 << 16 };

static unsigned active(const TimeRun *r) {
    return (1u << r->nprobes) - 1;
}

/* The levels at which a value changes. */
static unsigned moving(const TimeRun *r, const Cell *c) {
    unsigned levels = c->moves ? c->bent : 0;
    for (unsigned l = 0; c->moves && l < r->nprobes; l++)
        if (c->slope[l] != 0) levels |= 1u << l;
    return levels & active(r);
}

static void fail(TimeRun *r, unsigned levels) {
    for (unsigned l = 0; l < r->nprobes; l++)
        if ((levels >> l & 1) != 0) r->probes->list[l].fails = true;
}

/* ---- bounds ---- */

/* Adds: e, with these slopes, stays 0 or more. */
static void add_bound(TimeRun *r, int64_t e, const int64_t slope[MOST_PROBES]) {
    bool falls = false;
    for (unsigned l = 0; l < r->nprobes; l++)
        falls |= slope[l] < 0;
    if (!falls) return;
    if (r->probes->nbounds == MOST_BOUNDS) {
        fail(r, active(r));
        return;
    }
    if (r->probes->nbounds == r->probes->capbounds)
        r->probes->bounds = ARENA_WIDEN(r->arena, ProbeBound, r->probes->bounds,
                                        &r->probes->capbounds, r->probes->nbounds, 64);
    ProbeBound *b = &r->probes->bounds[r->probes->nbounds++];
    *b = (ProbeBound){.e = e};
    for (unsigned l = 0; l < r->nprobes; l++)
        b->slope[l] = slope[l];
}

/* Adds: factor * c + e stays 0 or more, for a factor of 1 or -1. */
static void bound_value(TimeRun *r, const Cell *c, int factor, int64_t e) {
    int64_t slope[MOST_PROBES] = {0};
    for (unsigned l = 0; c->moves && l < r->nprobes; l++)
        slope[l] = factor * c->slope[l];
    add_bound(r, factor * c->n + e, slope);
}

/* Adds: a - b + e stays 0 or more. */
static void bound_difference(TimeRun *r, const Cell *a, const Cell *b, int64_t e) {
    int64_t slope[MOST_PROBES] = {0};
    for (unsigned l = 0; l < r->nprobes; l++)
        slope[l] = (a->moves ? a->slope[l] : 0) - (b->moves ? b->slope[l] : 0);
    add_bound(r, a->n - b->n + e, slope);
}

/* ---- results ---- */

static bool is_small(const Cell *c) {
    if (c->n >= MOST_VALUE || c->n <= -MOST_VALUE) return false;
    for (unsigned l = 0; c->moves && l < MOST_PROBES; l++)
        if (c->slope[l] > MOST_SLOPE || c->slope[l] < -MOST_SLOPE) return false;
    return true;
}

/* Keeps a result in the width of its type. */
static void keep_width(TimeRun *r, const TimeNode *n, Cell *to) {
    const unsigned width = number_width(n->stmt->results[0].type);
    if (!is_small(to)) {
        to->bent |= (uint8_t)active(r);
    } else if (width < 64 && width > 0) {
        const int64_t most = ((int64_t)1 << (width - 1)) - 1;
        bound_value(r, to, -1, most);
        bound_value(r, to, 1, most + 1);
    }
}

static int64_t common(int64_t a, int64_t b) {
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

/* A value at a level is the same only every so many periods. */
static void ask_period(TimeRun *r, unsigned level, int64_t turns) {
    Probe *p = &r->probes->list[level];
    if (turns <= 0 || turns > MOST_PERIOD) return;
    const int64_t all = (int64_t)p->asked / common((int64_t)p->asked, turns) * turns;
    if (all * (int64_t)p->period <= MOST_PERIOD) p->asked = (uint64_t)all;
}

/* The slopes of a / c or, with `rest`, of a % c, for a >= 0 and a number c > 0. */
static void divide(TimeRun *r, const Cell *a, int64_t c, bool rest, Cell *to) {
    if (a->n < 0 || c <= 0) {
        to->bent |= (uint8_t)moving(r, a);
        return;
    }
    for (unsigned l = 0; l < r->nprobes; l++) {
        if (a->slope[l] % c != 0) {
            to->bent |= (uint8_t)(1u << l);
            ask_period(r, l, c / common(a->slope[l], c));
        } else {
            to->slope[l] = rest ? 0 : a->slope[l] / c;
        }
    }
    bound_value(r, a, 1, 0);
}

/* The slopes of a & c, a | c or a ^ c for a number c >= 0: the bits of c do not change where a
 * slope is a multiple of a power of two above c. */
static void mask(TimeRun *r, const Cell *a, int64_t c, bool keeps, Cell *to) {
    int64_t above = 1;
    while (above <= c && above < MOST_VALUE)
        above *= 2;
    if (c < 0 || above == MOST_VALUE) {
        to->bent |= (uint8_t)moving(r, a);
        return;
    }
    for (unsigned l = 0; l < r->nprobes; l++) {
        if (a->slope[l] % above != 0) {
            to->bent |= (uint8_t)(1u << l);
            ask_period(r, l, above / common(a->slope[l], above));
        } else if (keeps) {
            to->slope[l] = a->slope[l];
        }
    }
}

static void scale(TimeRun *r, const Cell *a, int64_t by, Cell *to) {
    for (unsigned l = 0; l < r->nprobes; l++)
        if (__builtin_mul_overflow(a->slope[l], by, &to->slope[l])) to->bent |= (uint8_t)(1u << l);
}

static void add(TimeRun *r, const Cell *a, const Cell *b, int sign, Cell *to) {
    for (unsigned l = 0; l < r->nprobes; l++)
        to->slope[l] = (a->moves ? a->slope[l] : 0) + sign * (b->moves ? b->slope[l] : 0);
}

static void copy_slopes(TimeRun *r, const Cell *from, Cell *to) {
    for (unsigned l = 0; from->moves && l < r->nprobes; l++)
        to->slope[l] = from->slope[l];
}

/* Which of two values is the smaller one, or the larger one, stays so. */
static void choose(TimeRun *r, const Cell *a, const Cell *b, bool larger, Cell *to) {
    const Cell *low = a->n <= b->n ? a : b, *high = low == a ? b : a;
    bound_difference(r, high, low, 0);
    copy_slopes(r, larger ? high : low, to);
}

static void compare(TimeRun *r, const TimeNode *n, const Cell *a, const Cell *b, Cell *to) {
    if (n->stmt->work->number.predicate >= FIRST_UNSIGNED_PREDICATE) {
        if (a->n < 0 || b->n < 0) to->bent |= (uint8_t)(moving(r, a) | moving(r, b));
        bound_value(r, a, 1, 0);
        bound_value(r, b, 1, 0);
    }
    /* whichever it asks, the order of the two stays */
    if (a->n < b->n)
        bound_difference(r, b, a, -1);
    else if (a->n > b->n)
        bound_difference(r, a, b, -1);
    else
        bound_difference(r, a, b, 0), bound_difference(r, b, a, 0);
}

/* ---- arithmetic ---- */

static void arithmetic(TimeRun *r, const TimeNode *n, const int64_t *x, Cell *to) {
    const Cell *a = &r->cells[n->in[0]], *b = n->stmt->nargs > 1 ? &r->cells[n->in[1]] : NULL;
    const unsigned both = moving(r, a) | (b != NULL ? moving(r, b) : 0);
    const bool flat = b == NULL || moving(r, b) == 0; /* the second operand is a number */
    const InstId id = inst_id(n->stmt->inst);
    const bool shifts = flat && b != NULL && x[1] >= 0 && x[1] < 60;
    if (b == NULL && to->n == x[0])
        copy_slopes(r, a, to);
    else if (id == INST_ADDI || id == INST_SUBI)
        add(r, a, b, id == INST_ADDI ? 1 : -1, to);
    else if (id == INST_MULI && flat)
        scale(r, a, x[1], to);
    else if (id == INST_MULI && moving(r, a) == 0)
        scale(r, b, x[0], to);
    else if (id == INST_SHLI && shifts)
        scale(r, a, (int64_t)1 << x[1], to);
    else if ((id == INST_SHRUI || id == INST_SHRSI) && shifts)
        divide(r, a, (int64_t)1 << x[1], false, to);
    else if ((id == INST_DIVSI || id == INST_DIVUI || id == INST_FLOORDIVSI ||
              id == INST_CEILDIVSI || id == INST_CEILDIVUI) &&
             flat)
        divide(r, a, x[1], false, to);
    else if ((id == INST_REMSI || id == INST_REMUI) && flat)
        divide(r, a, x[1], true, to);
    else if (id == INST_ANDI && flat)
        mask(r, a, x[1], false, to);
    else if ((id == INST_ORI || id == INST_XORI) && flat)
        mask(r, a, x[1], true, to);
    else if (id == INST_MINSI || id == INST_MAXSI)
        choose(r, a, b, id == INST_MAXSI, to);
    else if ((id == INST_MINUI || id == INST_MAXUI) && a->n >= 0 && b->n >= 0)
        bound_value(r, a, 1, 0), bound_value(r, b, 1, 0), choose(r, a, b, id == INST_MAXUI, to);
    else if (id == INST_CMPI)
        compare(r, n, a, b, to);
    else
        to->bent |= (uint8_t)both;
}

void probe_compute(TimeRun *r, const TimeNode *n, const int64_t *x, Cell *to) {
    unsigned bent = 0, levels = 0;
    for (unsigned i = 0; i < n->stmt->nargs; i++) {
        const Cell *c = &r->cells[n->in[i]];
        levels |= moving(r, c);
        if (c->moves) bent |= c->bent & active(r);
    }
    if (levels == 0) return;
    for (unsigned i = 0; i < n->stmt->nargs; i++)
        if (!is_small(&r->cells[n->in[i]])) bent |= active(r);
    *to = (Cell){.known = true, .n = to->n, .moves = true, .bent = (uint8_t)bent};
    if (bent == active(r)) return;
    arithmetic(r, n, x, to);
    keep_width(r, n, to);
}

void probe_choice(TimeRun *r, const Cell *condition, Cell *chosen) {
    const unsigned bent = condition->moves ? condition->bent & active(r) : 0;
    if (bent == 0 || !chosen->known) {
        if (bent != 0) fail(r, bent); /* it may be unknown, or not */
        return;
    }
    if (!chosen->moves) memset(chosen->slope, 0, sizeof chosen->slope), chosen->bent = 0;
    chosen->moves = true;
    chosen->bent |= (uint8_t)bent;
}

/* ---- decisions ---- */

void probe_fixed(TimeRun *r, const Cell *c) {
    fail(r, moving(r, c));
}

void probe_distance(TimeRun *r, const Cell *a, const Cell *b) {
    unsigned levels = (a->moves ? a->bent : 0) | (b->moves ? b->bent : 0);
    for (unsigned l = 0; l < r->nprobes; l++)
        if ((a->moves ? a->slope[l] : 0) != (b->moves ? b->slope[l] : 0)) levels |= 1u << l;
    fail(r, levels & active(r));
}

Cell probe_flat(TimeRun *r, const Cell *c) {
    Cell flat = *c;
    probe_fixed(r, c);
    flat.moves = false;
    return flat;
}

/* ---- what changes in place ---- */

static void add_change(TimeRun *r, ProbeChange c) {
    if (r->nprobes == 0) return;
    if (r->probes->nchanges == r->probes->capchanges)
        r->probes->changes = ARENA_WIDEN(r->arena, ProbeChange, r->probes->changes,
                                         &r->probes->capchanges, r->probes->nchanges, 16);
    r->probes->changes[r->probes->nchanges++] = c;
}

void probe_tile(TimeRun *r, TileNow *t) {
    add_change(r, (ProbeChange){.tile = t, .rows = t->vrows, .cols = t->vcols});
}

void probe_element(TimeRun *r, Cell *c) {
    add_change(r, (ProbeChange){.cell = c, .known = c->known, .rows = c->n});
}

static bool is_back(const ProbeChange *c) {
    return c->tile != NULL ? c->tile->vrows == c->rows && c->tile->vcols == c->cols
                           : c->cell->known == c->known && c->cell->n == c->rows;
}

/* Whether what changed in place since is as it was. */
static bool changes_back(const TimeRun *r, uint32_t first) {
    enum { MOST_CHANGES = 256 };
    if (r->probes->nchanges - first > MOST_CHANGES) return false;
    for (uint32_t i = first; i < r->probes->nchanges; i++) {
        bool again = false; /* an earlier entry has what it was at the beginning */
        for (uint32_t k = first; k < i && !again; k++)
            again = r->probes->changes[k].tile == r->probes->changes[i].tile &&
                    r->probes->changes[k].cell == r->probes->changes[i].cell;
        if (!again && !is_back(&r->probes->changes[i])) return false;
    }
    return true;
}

/* ---- loops ---- */

void probes_reset(TimeRun *r) {
    if (r->probes == NULL) r->probes = ARENA_NEW(r->arena, Probes);
    r->nprobes = 0;
    r->probes->nbounds = r->probes->nchanges = 0;
}

void probe_block(const TimeRun *r, Cell *c) {
    c->moves = r->block_step != 0;
    c->slope[0] = r->block_step;
}

void probe_counter(TimeRun *r, Cell *i, int64_t step, uint64_t period) {
    const unsigned level = r->nprobes - 1;
    if (step > MOST_SLOPE / (int64_t)period)
        i->bent |= (uint8_t)(1u << level);
    else
        i->slope[level] = step * (int64_t)period;
}

void loop_init(TimeRun *r, ProbedLoop *l, LoopRoom *room, const uint32_t *carried, unsigned n) {
    *l = (ProbedLoop){.carried = carried, .ncarried = n, .period = 1};
    if (r->scope != NULL) l->entered = r->scope->chain;
    if (r->uncut) return;
    if (room->guess == NULL) {
        room->guess = ARENA_ARRAY(r->arena, int64_t, n + 1u);
        room->start = ARENA_ARRAY(r->arena, Cell, n + 1u);
    }
    memset(room->guess, 0, n * sizeof *room->guess);
    l->guess = room->guess;
    l->start = room->start;
    l->room = room;
}

/* ---- the history of carried values ---- */

/* Makes room for more turns, as long as there may be longer periods. */
static void widen_history(const TimeRun *r, ProbedLoop *l) {
    LoopRoom *room = l->room;
    const uint32_t was = room->caphistory, cap = was == 0 ? 48 : 2 * was;
    const size_t width = l->ncarried;
    if (l->nhistory < was || was >= MOST_HISTORY) return;
    int64_t *wider = ARENA_ARRAY(r->arena, int64_t, cap * width);
    for (uint32_t i = 0; i < was; i++)
        memcpy(wider + i * width, room->history + (l->next_history + i) % was * width,
               width * sizeof *wider);
    room->history = wider;
    room->caphistory = cap;
    l->next_history = was;
}

void loop_turned(const TimeRun *r, ProbedLoop *l) {
    if (l->failed == 0 || l->ncarried == 0) return;
    widen_history(r, l);
    int64_t *row = l->room->history + (size_t)l->next_history * l->ncarried;
    for (unsigned i = 0; i < l->ncarried; i++) {
        const Cell *c = &r->cells[l->carried[i]];
        row[i] = c->known ? c->n : 0;
    }
    l->next_history = (l->next_history + 1) % l->room->caphistory;
    if (l->nhistory < l->room->caphistory) l->nhistory++;
}

/* The values after the turn that was `ago` turns ago. */
static const int64_t *values_ago(const ProbedLoop *l, unsigned ago) {
    const uint32_t cap = l->room->caphistory;
    return l->room->history + (size_t)((l->next_history + cap - 1 - ago) % cap) * l->ncarried;
}

/* Whether every carried value grew by the same amount in the last period of so many turns as in the
 * one before it, at each of its turns. */
static bool repeats_after(const ProbedLoop *l, unsigned lag) {
    for (unsigned k = 0; k < lag; k++) {
        const int64_t *c = values_ago(l, k), *b = values_ago(l, k + lag),
                      *a = values_ago(l, k + 2 * lag);
        for (unsigned i = 0; i < l->ncarried; i++)
            if ((uint64_t)c[i] - (uint64_t)b[i] != (uint64_t)b[i] - (uint64_t)a[i]) return false;
    }
    return true;
}

/* The shortest period that the carried values seem to have; 0: none is seen. */
static unsigned period_seen(const ProbedLoop *l) {
    for (unsigned lag = 1; lag <= MOST_PERIOD && 3 * lag <= l->nhistory; lag++)
        if (repeats_after(l, lag)) return lag;
    return 0;
}

/* ---- probes of loops ---- */

bool loop_begin(TimeRun *r, ProbedLoop *l, uint64_t turns) {
    if (r->uncut || r->nprobes == MOST_PROBES || turns < 3 * l->period) return false;
    if (l->wait > 0) {
        l->wait--;
        return false;
    }
    const unsigned level = r->nprobes++;
    r->probes->list[level] = (Probe){.period = l->period,
                                     .asked = 1,
                                     .first_bound = r->probes->nbounds,
                                     .first_change = r->probes->nchanges};
    for (unsigned i = 0; i < l->ncarried; i++) {
        Cell *c = &r->cells[l->carried[i]];
        if (!c->moves) memset(c->slope, 0, sizeof c->slope), c->bent = 0;
        c->bent &= (uint8_t) ~(1u << level);
        c->slope[level] = c->known ? l->guess[i] : 0;
        c->moves = c->known && (c->moves || l->guess[i] != 0);
        l->start[i] = *c;
    }
    if (r->scope != NULL) l->scope = *r->scope;
    return true;
}

/* Whether a carried value grew as it was guessed; corrects the guess. */
static bool grew(ProbedLoop *l, unsigned i, const Cell *c, unsigned level) {
    const Cell *was = &l->start[i];
    if (c->known != was->known || c->tile != was->tile || c->view != was->view ||
        c->array != was->array)
        return false;
    if (!c->known) return true;
    const int64_t slope = c->moves ? c->slope[level] : 0, guess = l->guess[i];
    const bool bent = c->moves && (c->bent >> level & 1) != 0;
    if (__builtin_sub_overflow(c->n, was->n, &l->guess[i])) return false;
    if (l->guess[i] > MOST_SLOPE || l->guess[i] < -MOST_SLOPE) l->guess[i] = 0;
    return !bent && slope == guess && l->guess[i] == guess;
}

/* How many further periods keep all bounds. */
static uint64_t horizon(const TimeRun *r, unsigned level, uint64_t most, bool *bounded) {
    *bounded = false;
    for (uint32_t i = r->probes->list[level].first_bound; i < r->probes->nbounds; i++) {
        const ProbeBound *b = &r->probes->bounds[i];
        if (b->slope[level] >= 0) continue;
        *bounded = true;
        const uint64_t n = b->e < 0 ? 0 : (uint64_t)(b->e / -b->slope[level]);
        if (n < most) most = n;
    }
    return most;
}

/* Leaves the bounds that concern the loops around, at the worst of so many periods. */
static void pass_bounds(TimeRun *r, unsigned level, uint64_t periods) {
    uint32_t kept = r->probes->list[level].first_bound;
    for (uint32_t i = kept; i < r->probes->nbounds; i++) {
        ProbeBound b = r->probes->bounds[i];
        if (b.slope[level] < 0) b.e += (int64_t)(periods - 1) * b.slope[level];
        bool falls = false;
        for (unsigned l = 0; l < level; l++)
            falls |= b.slope[l] < 0;
        if (falls) r->probes->bounds[kept++] = b;
    }
    r->probes->nbounds = kept;
}

/* The next period to try. */
static void choose_period(ProbedLoop *l, const Probe *p) {
    enum { SOME = 32, MOST_WAIT = 4096 };
    l->failed++;
    const unsigned seen = period_seen(l);
    if (seen > 1 && l->period % seen != 0)
        l->period = seen;
    else if (p->asked > 1)
        l->period *= p->asked;
    else if (l->failed % 4 == 0)
        l->period = l->period < 8 ? l->period + 1 : 1;
    if (l->period > MOST_PERIOD) l->period = 1;
    if (l->failed > SOME) l->wait = l->failed < MOST_WAIT ? l->failed : MOST_WAIT;
}

void probe_drop(const TimeRun *r, Cell *c) {
    for (unsigned l = r->nprobes; l < MOST_PROBES; l++)
        c->slope[l] = 0;
    c->bent &= (uint8_t)active(r);
}

/* Ends the innermost probe. */
static void drop_probe(TimeRun *r, ProbedLoop *l) {
    r->nprobes--;
    if (r->nprobes == 0) r->probes->nchanges = 0;
    for (unsigned i = 0; i < l->ncarried; i++)
        probe_drop(r, &r->cells[l->carried[i]]);
}

uint64_t loop_end(TimeRun *r, ProbedLoop *l, uint64_t most) {
    const uint64_t far = (uint64_t)1 << 31;
    const unsigned level = r->nprobes - 1;
    Probe *p = &r->probes->list[level];
    bool fine = !p->fails && changes_back(r, p->first_change);
    for (unsigned i = 0; i < l->ncarried; i++)
        fine &= grew(l, i, &r->cells[l->carried[i]], level);
    if (most > far) most = far;
    bool bounded = true;
    const uint64_t periods = fine ? 1 + horizon(r, level, most - 1, &bounded) : 1;
    l->endless = !bounded;
    pass_bounds(r, level, periods);
    if (!fine) choose_period(l, p);
    if (periods > 1) l->failed = l->nhistory = 0;
    drop_probe(r, l);
    return periods;
}

void loop_abandon(TimeRun *r, ProbedLoop *l) {
    pass_bounds(r, r->nprobes - 1, 1);
    drop_probe(r, l);
}

void loop_skip(TimeRun *r, ProbedLoop *l, uint64_t periods) {
    for (unsigned i = 0; i < l->ncarried; i++) {
        Cell *c = &r->cells[l->carried[i]];
        if (!c->known) continue;
        /* the loops around see the same growth only if it does not depend on them */
        for (unsigned k = 0; k < r->nprobes; k++) {
            const int64_t was = l->start[i].moves ? l->start[i].slope[k] : 0;
            if ((c->moves ? c->slope[k] : 0) != was) {
                if (!c->moves) memset(c->slope, 0, sizeof c->slope), c->bent = 0;
                c->moves = true;
                c->bent |= (uint8_t)(1u << k);
            }
        }
        c->n += (int64_t)periods * l->guess[i];
    }
}

/* ---- scopes ---- */

/* How the results of a scope grow with a period: in groups that grow alike, of which the faster
 * ones are later. Then none of them waits for one of another group, now or in later periods. */
typedef struct Growth {
    double by, least, most;
} Growth;

static bool add_growth(Growth *list, unsigned *n, double start, double end) {
    unsigned i = 0;
    enum { MOST_GROWTHS = 8 };
    while (i < *n && list[i].by != end - start)
        i++;
    if (i == MOST_GROWTHS) return false;
    if (i == *n) list[(*n)++] = (Growth){end - start, start, end};
    if (start < list[i].least) list[i].least = start;
    if (end > list[i].most) list[i].most = end;
    return end >= start;
}

bool loop_scope_repeats(TimeRun *r, ProbedLoop *l) {
    Growth list[8];
    unsigned n = 0;
    const ScopeSum *s = r->scope;
    bool fine = add_growth(list, &n, l->scope.chain, s->chain) &&
                add_growth(list, &n, l->scope.floor, s->floor) &&
                add_growth(list, &n, l->entered, l->entered);
    for (unsigned i = 0; i < l->ncarried && fine; i++)
        fine = add_growth(list, &n, l->start[i].ready, r->cells[l->carried[i]].ready);
    for (unsigned i = 0; i < n && fine; i++)
        for (unsigned k = 0; k < n; k++)
            fine &= list[k].by <= list[i].by || list[k].least > list[i].most;
    return fine;
}

void loop_scope_begin(TimeRun *r, ProbedLoop *l) {
    l->scope = *r->scope;
    for (unsigned i = 0; i < l->ncarried; i++)
        l->start[i].ready = r->cells[l->carried[i]].ready;
}

void loop_scope_skip(TimeRun *r, ProbedLoop *l, uint64_t periods) {
    ScopeSum *s = r->scope;
    const double n = (double)periods;
    s->chain += n * (s->chain - l->scope.chain);
    s->floor += n * (s->floor - l->scope.floor);
    for (unsigned i = 0; i < l->ncarried; i++)
        r->cells[l->carried[i]].ready += n * (r->cells[l->carried[i]].ready - l->start[i].ready);
}
