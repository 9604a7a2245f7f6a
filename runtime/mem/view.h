/* view.h - inside libptort: what is worked out about a view, and what checked mode asks about global
 * memory. */
#ifndef PTORT_VIEW_H
#define PTORT_VIEW_H

#include "core/core.h"

/* Sets `plain` from the other fields. */
void ptrt_view_settle(ptrt_view *v);
/* Always true without checked mode, and when no region is registered. */
bool ptrt_gm_allowed(const ptrt_core *core, uintptr_t first, uint64_t bytes);

#endif
