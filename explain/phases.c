/* SPDX-License-Identifier: Apache-2.0 */
/* Words for the phases of a statement that runs in several. */
#include "explain/facts.h"

#include "ir/core.h"

#include <string.h>

static const char *pipe_word(int pipe) {
    return pipe_short_name(pipe, "all pipes");
}

const char *phases_case_text(Arena *arena, const PhaseForm *f) {
    static const char *const cases[] = {[PHASES_ALWAYS] = NULL,
                                        [PHASES_ROWS] = "indices of rows",
                                        [PHASES_ONE] = "one element",
                                        [PHASES_OF_VALUE] = "compare form",
                                        [PHASES_OF_INDEX] = "index form",
                                        [PHASES_OF_MASK] = "mask form, by row",
                                        [PHASES_OF_LINES] = "mask form, by col",
                                        [PHASES_ALONE] = "a group of one"};
    StrBuf out;
    sb_init(&out, arena);
    sb_puts(&out, profiles_text(arena, profiles_like(f->profiles)));
    if (f->to != SPACE_COUNT) sb_printf(&out, ", into %s", space_names[f->to]);
    if (cases[f->when] != NULL) sb_printf(&out, ", %s", cases[f->when]);
    return sb_text(&out);
}

/* Writes a list of slots, `a, b`. */
static void put_slots(StrBuf *out, const Inst *inst, const char *verb, SlotList slots) {
    if (slots == NULL) return;
    sb_printf(out, " %s", verb);
    for (SlotList at = slots; *at != 0; at++)
        sb_printf(out, " %s%s", inst->slots[*at - 1].name, at[1] != 0 ? "," : "");
}

static void put_flags(StrBuf *out, const Inst *inst, const Phase *p) {
    sb_printf(out, "flag %s to %s,", pipe_word(p->pipe), pipe_word(p->to));
    for (int e = 0; e < 8; e++)
        if ((p->events >> e & 1) != 0) sb_printf(out, " EVENT_ID%d", e);
    if (p->with != 0)
        sb_printf(out, " (with %s)", inst->slots[p->with - 1].name);
    else if (p->kind == PHASE_PERHAPS)
        sb_puts(out, " (in some cases)");
}

const char *phases_text(const InstFacts *f, const PhaseForm *form) {
    StrBuf out;
    sb_init(&out, f->arena);
    for (unsigned i = 0; i < form->nphases; i++) {
        const Phase *p = &form->phases[i];
        if (i > 0) sb_puts(&out, "; ");
        if (p->kind == PHASE_BARRIER) {
            sb_printf(&out, "barrier of %s", pipe_word(p->pipe));
        } else if (p->kind == PHASE_ACCESS) {
            sb_puts(&out, pipe_word(p->pipe));
            put_slots(&out, f->inst, "writes", p->writes);
            put_slots(&out, f->inst, p->writes != NULL ? "from" : "reads", p->reads);
        } else {
            put_flags(&out, f->inst, p);
        }
    }
    return sb_text(&out);
}
