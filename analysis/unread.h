/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles whose contents nothing reads any more. */
#ifndef ANALYSIS_UNREAD_H
#define ANALYSIS_UNREAD_H

#include "analysis/effects.h"

typedef struct Unread Unread;

/* Looks at a function with a body. What a planned tile holds before it is written has no meaning,
 * so only addresses of the text count. `called`: other functions may call it. Everything is in the
 * arena. */
Unread *unread_function(Arena *arena, const Effects *effects, Op *func, bool called);
/* Whether two tiles may share a byte where `op` uses them. */
bool unread_shares(Unread *u, const Op *op, const Value *tile, const Value *other);
/* Whether the tile is new storage that nothing else names: it shares no byte. */
bool unread_alone(Unread *u, const Value *tile);
/* Returns the last statement in the text that names such a tile; NULL for another tile. If it is in
 * the block of the allocation, nothing reads the tile after it. */
const Op *unread_last(Unread *u, const Value *tile);
/* Whether nothing that may run after `op` reads what the valid region of the tile holds then,
 * before it is written again. False too where that would take long to say. */
bool unread_after(Unread *u, const Op *op, const Value *tile);

#endif
