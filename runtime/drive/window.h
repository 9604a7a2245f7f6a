/* SPDX-License-Identifier: Apache-2.0 */
/* window.h - inside libptort: what stores to global memory share. */
#ifndef PTORT_DRIVE_WINDOW_H
#define PTORT_DRIVE_WINDOW_H

#include "mem/window.h"

/* Checks that the valid region of the tile lies in the window of the view and, in checked mode,
 * that this part of the window lies in registered regions. */
int ptrt_check_window(ptrt_core *core, uint32_t line, int kernel, const ptrt_view *v,
                      const ptrt_window *w, const ptrt_tile *t);

#endif
