/* SPDX-License-Identifier: Apache-2.0 */
/* A pass over the lowered statements: tiles of which a region changes the address have the former
 * one again at its end, with the valid region that they have there. */
#include "backends/lower/passes.h"

/* A statement that saved a tile; the last one first. */
typedef struct Saved {
    const struct Saved *next;
    const LowerStmt *stmt;
} Saved;

static bool is_saved(const Saved *list, const Value *tile) {
    while (list != NULL && list->stmt->rebinds != tile)
        list = list->next;
    return list != NULL;
}

/* Makes a statement about the tile of another one; messages about it name the place of that one. */
static LowerStmt *about(const LowerStmt *s, StmtForm form, Arena *arena) {
    LowerStmt *made = ARENA_NEW(arena, LowerStmt);
    *made = (LowerStmt){.block = s->block,
                        .inst = s->inst,
                        .kind = DOES_BIND,
                        .form = (uint8_t)form,
                        .core = s->core,
                        .cores = s->cores,
                        .span = s->span,
                        .name_span = s->name_span,
                        .rebinds = s->rebinds};
    return made;
}

/* Whether what follows the block is another one, or the end of the function. */
static bool is_left(const LowerStmt *last) {
    return last != NULL && (last->nways > 0 || last->form == STMT_RETURN);
}

/* Only a region of one block changes addresses for itself alone. */
static void return_borrowed(LowerBlock *b, Arena *arena) {
    const Saved *saved = NULL;
    const LowerStmt *end = NULL;
    LowerStmt **at = &b->first;
    for (LowerStmt *s; (s = *at) != NULL; at = &s->next) {
        end = s;
        if (!s->borrows || is_saved(saved, s->rebinds)) continue;
        LowerStmt *save = about(s, STMT_SAVE, arena);
        Saved *entry = ARENA_NEW(arena, Saved);
        *entry = (Saved){saved, save};
        saved = entry;
        save->next = s;
        *at = save;
    }
    for (; saved != NULL && !is_left(end); saved = saved->next) {
        LowerStmt *restore = about(saved->stmt, STMT_RESTORE, arena);
        restore->saved = saved->stmt;
        *at = restore;
        at = &restore->next;
    }
}

void lower_borrowed(LowerRegion *r, Arena *arena) {
    for (LowerBlock *b = r->first; b != NULL; b = b->next) {
        return_borrowed(b, arena);
        for (LowerStmt *s = b->first; s != NULL; s = s->next)
            for (unsigned i = 0; i < s->nregions; i++)
                lower_borrowed(&s->regions[i], arena);
    }
}
