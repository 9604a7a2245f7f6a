/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles whose contents nothing reads any more. */
#ifndef ANALYSIS_UNREAD_H
#define ANALYSIS_UNREAD_H

#include "analysis/effects.h"

typedef struct Unread Unread;

/* Looks at a function with a body. `alias` describes it without the addresses of a plan: what a
 * planned tile holds before it is written has no meaning. `called`: other functions may call it.
 * Everything is in the arena. */
Unread *unread_function(Arena *arena, const Effects *effects, const Alias *alias, Op *func,
                        bool called);
/* Whether nothing that may run after `op` reads what the valid region of the tile holds then,
 * before it is written again. False too where that would take long to say. */
bool unread_after(Unread *u, const Op *op, const Value *tile);

#endif
