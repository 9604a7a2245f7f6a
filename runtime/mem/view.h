/* view.h - inside libptort: what checked mode asks about global memory. */
#ifndef PTORT_VIEW_H
#define PTORT_VIEW_H

#include "core/core.h"

/* Always true without checked mode, and when no region is registered. */
bool ptrt_gm_allowed(const ptrt_core *core, uintptr_t first, uint64_t bytes);

#endif
