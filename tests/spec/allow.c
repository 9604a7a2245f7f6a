/* What the rule rows allow: a search for a legal program with some operands narrowed. */
#include "spec/spec.h"

#include "verifier/rules/vocabulary.h"
#include <string.h>

unsigned long searches;

uint64_t all_elems(void) {
    return E_W8 | E_W16 | E_W32 | E_W64 | E(F16) | E(BF16) | E(F32) | E(F64) | E(F8E4M3FN) |
           E(F8E5M2) | E(HIF8) | E(F8E8M0) | E(F4E1M2X2) | E(F4E2M1X2);
}

static OpForm form_of(const Inst *inst) {
    return example_has_form(inst, OPF_DPS) ? OPF_DPS : OPF_SSA;
}

bool searchable(const Inst *inst) {
    Example e;
    example_init(&e, inst, PROFILE_A2A3, form_of(inst));
    return e.text == NULL && inst->form != FORM_CUSTOM;
}

static void narrow_one(Example *e, const Narrow *n) {
    ExampleOperand *o = &e->operands[n->slot];
    if (o->count == 0) o->count = 1;
    o->fixed_count = true;
    if (n->elems != 0) {
        o->elems = n->elems;
        o->elem = (uint8_t)__builtin_ctzll(n->elems);
    }
    if (n->spaces != 0) {
        o->spaces = (uint16_t)n->spaces;
        o->space = (uint8_t)__builtin_ctzll(n->spaces);
    }
}

static bool is_kept(const Example *e, const Narrow *narrow, int n) {
    for (int i = 0; i < n; i++) {
        const ExampleOperand *o = &e->operands[narrow[i].slot];
        if (narrow[i].elems != 0 && (narrow[i].elems & ELEM_BIT(o->elem)) == 0) return false;
        if (narrow[i].spaces != 0 && (narrow[i].spaces & 1u << o->space) == 0) return false;
    }
    return true;
}

/* Nothing but another element type or space would mend what the search ended with. */
static bool is_final(const Example *e) {
    const RuleRow *r = e->broken;
    if (r == NULL || r->guard != NULL) return false;
    switch ((CondId)r->cond) {
    case C_ELEM_TYPE:
    case C_ELEM_SIZE:
    case C_ELEM_MISMATCH:
    case C_ELEM_SIZE_MISMATCH:
    case C_ELEM_PAIR:
    case C_LOW_PRECISION:
    case C_LOCATION:
    case C_LOCATION_PAIR:
    case C_NOT_IN_PROFILE:
        return true;
    default:
        return false;
    }
}

static bool search(const Inst *inst, Profile profile, const Narrow *narrow, int n, unsigned tries,
                   bool *final) {
    Example e;
    example_init(&e, inst, profile, form_of(inst));
    for (int i = 0; i < n; i++)
        narrow_one(&e, &narrow[i]);
    e.max_tries = tries;
    bool found = example_find(&e) && is_kept(&e, narrow, n);
    searches += e.tries;
    *final = is_final(&e);
    return found;
}

/* A first short search settles most. */
bool allowed(const Inst *inst, Profile profile, const Narrow *narrow, int n) {
    bool final;
    if (search(inst, profile, narrow, n, 40, &final)) return true;
    if (final) return false;
    return search(inst, profile, narrow, n, 600, &final);
}
