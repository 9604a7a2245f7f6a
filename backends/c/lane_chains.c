/* SPDX-License-Identifier: Apache-2.0 */
/* The call of the runtime for a chain of micro-instructions (backends/lower/lane_chains.h). The
 * function makes the chain when it begins, in registers after its own. */
#include "backends/c/emitter.h"

#include <string.h>

static const char *step_name(Emitter *e, const LaneStep *s) {
    return strf(e, "PTRT_%s%s", s->prefix, s->id);
}

static unsigned line_of(Emitter *e, const LowerStmt *s) {
    const LaneLine *l = c_of(e)->lane_lines;
    while (l->stmt != s)
        l++;
    return l->line;
}

/* Returns the number of a register of the function, by its enumerator. */
static const char *register_name(Emitter *e, const Value *v) {
    const char *place = val(e, v); /* r[v_x] */
    return strf(e, "%.*s", (int)strlen(place) - 3, place + 2);
}

/* Returns the variable of the chain, which is made at the beginning of the function. */
static const char *make_chain(Emitter *e, const LaneChain *c) {
    static const char *const from[] = {
        [LANE_FROM_NOTHING] = "NOTHING", [LANE_FROM_REGISTER] = "REGISTER",
        [LANE_FROM_PLACE] = "PLACE",     [LANE_FROM_WORD] = "WORD",
        [LANE_FROM_BITS] = "BITS",       [LANE_FROM_AGAIN] = "AGAIN"};
    StrBuf *out = &c_of(e)->top;
    const char *links = fresh(e, "pto_links"), *chain = fresh(e, "pto_lanes");
    sb_printf(out, "    static const ptrt_link %s[] = {\n", links);
    for (unsigned i = 0; i < c->nsteps; i++) {
        const LaneStep *s = &c->steps[i];
        sb_printf(out, "        {%u, %s, %s, %s, PTRT_FROM_%s, %d, %d},\n", line_of(e, s->stmt),
                  step_name(e, s),
                  s->reg != NULL ? register_name(e, s->reg) : strf(e, "%u", (unsigned)s->again),
                  s->elem == ELEM_NONE ? "PTRT_ANY_ELEM" : elem_const(s->elem), from[s->from],
                  s->own != 0 ? s->own + 1 : s->mask != NULL, s->how);
    }
    sb_printf(
        out,
        "    };\n    ptrt_lane_chain *const %s = ptrt_lane_chain_make(core, %s, %u, r, r + %u);\n",
        chain, links, c->nsteps, c_of(e)->nregisters);
    c_of(e)->nregisters += LANE_CHAIN_REGISTERS;
    return chain;
}

/* Returns the array of what only the call knows: addresses, scalars and masks. */
static const char *numbers(Emitter *e, const LaneChain *c) {
    StrBuf out;
    const char *between = "";
    sb_init(&out, e->arena);
    for (unsigned i = 0; i < c->nsteps; i++) {
        const LaneStep *s = &c->steps[i];
        if (s->base != NULL && s->from != LANE_FROM_AGAIN)
            sb_printf(&out, "%s(int64_t)((uint64_t)%s + (uint64_t)%s)", between,
                      arg_text(e, s->stmt, s->base), arg_text(e, s->stmt, s->offset));
        if (s->bits != NULL)
            sb_printf(&out, "%s(int64_t)%s", between, arg_text(e, s->stmt, s->bits));
        if (s->base != NULL || s->bits != NULL) between = ", ";
        if (s->mask == NULL || s->own != 0) continue;
        sb_printf(&out, "%s(int64_t)(intptr_t)%s", between, place_address(e, s->mask));
        between = ", ";
    }
    return *between == '\0' ? "NULL" : strf(e, "(const int64_t[]){%s}", sb_text(&out));
}

void emit_lane_chain(Emitter *e, const LowerStmt *s) {
    const LaneChain *c = s->lanes;
    c_of(e)->lane_lines[c_of(e)->nlane_lines++] = (LaneLine){s, e->line};
    if (s != c->last) return;
    c_of(e)->nlane_lines = 0;
    for (unsigned i = 0; i < c->nkept; i++)
        declare(e, c->kept[i]);
    const char *chain = make_chain(e, c);
    c_of(e)->micro = c_of(e)->uses_core = true;
    try_call(e, "ptrt_lane_chain_run(core, %s, %s, %s)", chain,
             c->mask != NULL ? place_address(e, c->mask) : "NULL", numbers(e, c));
    for (unsigned i = 0; i < c->nkept; i++)
        defined(e, c->kept[i]);
}
