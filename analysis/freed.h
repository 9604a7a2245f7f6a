/* SPDX-License-Identifier: Apache-2.0 */
/* Entries of pipes between cores: which statements are about one pipe, and entries that are used
 * after they were freed. */
#ifndef ANALYSIS_FREED_H
#define ANALYSIS_FREED_H

#include "ir/ir.h"

/* True when two statements about entries are on the same side of the same pipe. */
bool same_pipe_side(const Op *a, const Op *b);

/* Reports, as [sync-freed], entries that are used after their slot was freed, and slots that are
 * freed twice. Follows each block in order: what a branch or loop frees of an entry popped around
 * it is not judged, nor a tile where the pop itself frees the slot. */
void check_freed(Context *ctx, const Op *func, ProfileSet profiles);

#endif
