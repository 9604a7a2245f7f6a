/* SPDX-License-Identifier: Apache-2.0 */
/* Searches for legal operands. A broken row of the rule table tells which change satisfies it; for
 * named functions every single change is tried, and the one that satisfies most rules in order is
 * kept. */
#include "explain/example_impl.h"
#include "support/packed.h"

#include <string.h>

/* ---- the first guess ---- */

/* True for one of the first slots of a choice, `$m*4|6`. */
static bool is_first_choice(const Inst *inst, int slot) {
    const char *star = inst->format != NULL ? strchr(inst->format, '|') : NULL;
    if (star == NULL || star - inst->format < 3) return false;
    const char *name = star - 2; /* at `*`; the name is between `$` and it */
    while (name > inst->format && name[-1] != '$')
        name--;
    const int first = inst_slot_named(inst, name, (size_t)(star - 2 - name));
    return first >= 0 && slot >= first && slot < first + (star[-1] - '0');
}

/* Starts with two indices, as most views have two dimensions; tile forms start without. */
static uint8_t first_count(const Inst *inst, int slot) {
    const SlotInfo *s = &inst->slots[slot];
    if (s->arity == ARITY_ONE || (s->arity == ARITY_OPT && is_first_choice(inst, slot))) return 1;
    return s->arity == ARITY_VAR && s->kind == SLOT_INDEX && inst->form != FORM_TILE ? 2 : 0;
}

static const char *given_text(InstId id, Profile profile) {
    enum {
#define EXAMPLE(name, text) AT_##name,
#define EXAMPLE_BY(name, field, with, without) WITH_##name, WITHOUT_##name,
#include "explain/examples.def"
#undef EXAMPLE
#undef EXAMPLE_BY
    };
    switch (id) {
#define EXAMPLE(name, text)                                                                        \
    case INST_##name:                                                                              \
        return packed_text(&example_texts, AT_##name);
#define EXAMPLE_BY(name, field, with, without)                                                     \
    case INST_##name:                                                                              \
        return packed_text(&example_texts,                                                         \
                           profile_infos[profile].field ? WITH_##name : WITHOUT_##name);
#include "explain/examples.def"
#undef EXAMPLE
#undef EXAMPLE_BY
    default:
        return NULL;
    }
}

bool example_has_form(const Inst *inst, OpForm form) {
    bool result = false;
    if (inst->alias_of != INST_INVALID) return false;
    for (int i = 0; i < inst->nslots; i++)
        result |= slot_is_result(&inst->slots[i]);
    if (inst->form == FORM_CUSTOM || given_text(inst_id(inst), PROFILE_CPU) != NULL)
        return form == OPF_SSA;
    if (inst_is_generic(inst)) return form == OPF_GENERIC;
    if (inst->form == FORM_FORMAT) return form == OPF_SSA || form == OPF_GENERIC;
    return form != OPF_SSA || result;
}

void example_init(Example *e, const Inst *inst, Profile profile, OpForm form) {
    memset(e, 0, sizeof *e);
    e->inst = inst;
    e->profile = profile;
    e->form = form;
    e->text = given_text(inst_id(inst), profile);
    e->id = DIAG_COUNT;
    for (int i = 0; i < inst->nslots; i++) {
        operand_init(&e->operands[i], (SlotKind)inst->slots[i].kind);
        e->operands[i].text = inst->slots[i].rare->sample;
        e->operands[i].count = first_count(inst, i);
    }
    for (int i = 0; i < inst->nresults; i++) {
        operand_init(&e->operands[inst->nslots + i], (SlotKind)inst->results[i].kind);
        if (inst->form == FORM_TILE && (inst->flags & IF_OPT_RESULT) != 0)
            e->operands[inst->nslots + i].count = 0;
        if (inst->results[i].optional) e->operands[inst->nslots + i].count = 0;
    }
    for (int i = 0; i < inst->nattrs && i < EXAMPLE_MAX_ATTRS; i++)
        e->attrs[i].present = inst->attrs[i].required;
}

static int operand_total(const Example *e) {
    return e->inst->nslots + e->inst->nresults;
}

void example_settle(Example *e) {
    for (int i = 0; i < operand_total(e); i++)
        if (e->operands[i].kind == K_TILE || e->operands[i].kind == K_MULTI)
            operand_settle(&e->operands[i]);
}

/* ---- the search ---- */

/* A candidate and its score. */
typedef struct Try {
    Example e;
    Verdict v;
    int progress;
} Try;

enum {
    PROGRESS_WARNED = 1 << 20,
    PROGRESS_FINE = 1 << 21,
    MOST_REPAIRS = 24,
    DEFAULT_TRIES = 4000
};

/* True when the instruction does not exist under the profile, whatever its operands. */
static bool is_absent(const Verdict *v) {
    return v->row != NULL && v->row->cond == C_NOT_IN_PROFILE && v->row->guard == 0;
}

/* Returns a score: how far down the list of rules the statement gets. */
static int progress_of(const Verdict *v) {
    unsigned n;
    const RuleRow *rows = rule_rows(v->inst, &n);
    /* older spellings cause a warning with any operands */
    bool former = (inst_table[v->inst].flags & IF_DEPRECATED) != 0;
    if (v->accepted) return v->warned && !former ? PROGRESS_WARNED : PROGRESS_FINE;
    if (!v->read) return 0;
    if (v->around) return 1;
    if (v->row == NULL) return 2;
    if (v->row >= rows && v->row < rows + n) return 4 + (int)(v->row - rows);
    return 3;
}

static unsigned tries_left(const Try *t) {
    unsigned most = t->e.max_tries == 0 ? DEFAULT_TRIES : t->e.max_tries;
    return t->e.tries < most ? most - t->e.tries : 0;
}

/* Judges and changes a candidate repeatedly, while rows tell how; keeps the best state. */
static void settle_try(Try *t) {
    Try best;
    best.progress = -1;
    for (int i = 0; i < MOST_REPAIRS; i++) {
        example_judge(&t->e, &t->v);
        t->progress = progress_of(&t->v);
        if (t->progress > best.progress) best = *t;
        if (t->progress == PROGRESS_FINE || t->v.row == NULL || tries_left(t) == 0 ||
            !example_repair(&t->e, t->v.row))
            break;
    }
    unsigned tries = t->e.tries;
    *t = best;
    t->e.tries = tries;
}

/* Keeps the better candidate; true when the search can stop. */
static bool keep_better(Try *best, const Try *t) {
    unsigned tries = t->e.tries;
    if (t->progress > best->progress) *best = *t;
    best->e.tries = tries;
    return best->progress == PROGRESS_FINE || tries_left(best) == 0;
}

static bool try_this(Try *t, Try *best) {
    t->e.tries = best->e.tries;
    example_settle(&t->e);
    settle_try(t);
    return keep_better(best, t);
}

/* Tries change `k` of each operand, of those that the broken rule names, and of all. */
static bool try_change(const Try *from, Try *best, int k) {
    Try all = *from, named = *from;
    unsigned nall = 0, nnamed = 0;
    const Inst *inst = from->e.inst;
    for (int i = 0; i < operand_total(&from->e); i++) {
        const SlotInfo *s = i < inst->nslots ? &inst->slots[i] : NULL;
        Try one = *from;
        if (!example_change(s, &one.e.operands[i], k)) continue;
        if (try_this(&one, best)) return true;
        nall += example_change(s, &all.e.operands[i], k);
        if ((from->v.row != NULL && row_is_about(from->v.row, i)))
            nnamed += example_change(s, &named.e.operands[i], k);
    }
    return (nnamed > 1 && nnamed < nall && try_this(&named, best)) ||
           (nall > 1 && k >= EXAMPLE_AT_ELEM && try_this(&all, best));
}

static bool try_operands(const Try *from, Try *best) {
    for (int k = 0; k < EXAMPLE_CHANGES; k++)
        if (try_change(from, best, k)) return true;
    return false;
}

/* Tries two element types at once, which casts need. */
static bool try_pairs(const Try *from, Try *best) {
    int n = operand_total(&from->e);
    for (int pair = 0; pair < n * n; pair++) {
        int i = pair / n, j = pair % n;
        for (int k = 0; i < j && k < EXAMPLE_ELEMS * EXAMPLE_ELEMS; k++) {
            Try two = *from;
            two.e.tries = best->e.tries;
            if (!example_change(NULL, &two.e.operands[i], EXAMPLE_AT_ELEM + k / EXAMPLE_ELEMS) ||
                !example_change(NULL, &two.e.operands[j], EXAMPLE_AT_ELEM + k % EXAMPLE_ELEMS))
                continue;
            example_settle(&two.e);
            settle_try(&two);
            if (keep_better(best, &two)) return true;
        }
    }
    return false;
}

int example_attr_values(const AttrInfo *a) {
    switch ((AttrType)a->type) {
    case AT_ENUM:
    case AT_WORD:
        return (int)enum_infos[a->family].nvalues;
    case AT_BOOL:
        return 2;
    case AT_INT:
    case AT_I32:
        return 4;
    default:
        return 1;
    }
}

static bool try_attrs(const Try *from, Try *best) {
    const Inst *inst = from->e.inst;
    for (int i = 0; i < inst->nattrs && i < EXAMPLE_MAX_ATTRS; i++) {
        if (from->e.attrs[i].fixed || inst->attrs[i].type == AT_ANY ||
            inst->attrs[i].type == AT_ANGLE)
            continue;
        for (int v = inst->attrs[i].required ? 0 : -1; v < example_attr_values(&inst->attrs[i]);
             v++) {
            Try one = *from;
            one.e.tries = best->e.tries;
            one.e.attrs[i] = (ExampleAttr){.present = v >= 0, .value = v < 0 ? 0 : v};
            settle_try(&one);
            if (keep_better(best, &one)) return true;
        }
    }
    return false;
}

/* Searches for operands; sets *whole when the statement is legal but not the program around it. */
static bool search_from(Example *e, bool *whole) {
    Try best = {.e = *e};
    for (int i = 0; i < operand_total(e); i++) /* from the sets that the caller has narrowed */
        operand_pick(&best.e.operands[i]);
    example_settle(&best.e);
    settle_try(&best);
    for (bool done = best.progress == PROGRESS_FINE || is_absent(&best.v); !done;) {
        const Try from = best;
        done = try_operands(&from, &best) || try_attrs(&from, &best) ||
               (best.progress == from.progress && try_pairs(&from, &best)) ||
               best.progress == from.progress;
    }
    *e = best.e;
    e->broken = best.v.row;
    e->id = best.v.id;
    if (!best.v.accepted) return false;
    *whole = !example_accepted(e);
    return !*whole;
}

/* Searches on a bench, and without it when the bench accepts an illegal program. */
static bool search(Example *e) {
    const Example first = *e;
    bool unseen = false;
    ExampleBench *own = e->bench == NULL ? example_bench_new() : NULL;
    if (own != NULL) e->bench = own;
    bool found = search_from(e, &unseen);
    e->bench = first.bench;
    example_bench_free(own);
    if (!unseen) return found;
    *e = first;
    e->bench = NULL;
    found = search_from(e, &unseen);
    e->bench = first.bench;
    return found;
}

bool example_find(Example *e) {
    const ProfileInfo *info = &profile_infos[e->profile];
    if (e->text != NULL) return example_accepted(e);
    if (info->njudged_by == 1) return search(e);
    /* cpu accepts what the rules of one of the others accept; operands that the vendor's library
     * accepts too are preferred */
    for (unsigned i = 0; i < 2 * info->njudged_by; i++) {
        Example other = *e;
        other.profile = (Profile)info->judged_by[i % info->njudged_by];
        other.no_library |= i >= info->njudged_by;
        bool found = search(&other);
        other.profile = e->profile;
        found = found && example_accepted(&other);
        if (found || i + 1 == 2 * info->njudged_by) *e = other;
        if (found) return true;
    }
    return false;
}
