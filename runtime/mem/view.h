/* SPDX-License-Identifier: Apache-2.0 */
/* view.h - inside libptort: what the files about global memory share. */
#ifndef PTORT_VIEW_H
#define PTORT_VIEW_H

#include "core/core.h"

/* Computes `plain` from the other fields. */
void ptrt_view_settle(ptrt_view *v);
/* Whether `bytes` bytes at address `first` lie in a registered region. Always true without checked
 * mode, or when no region is registered. */
bool ptrt_gm_allowed(const ptrt_core *core, uintptr_t first, uint64_t bytes);

#endif
