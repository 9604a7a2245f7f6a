/* SPDX-License-Identifier: Apache-2.0 */
/* rank.h - inside libptort: what the functions of ranks share. */
#ifndef PTORT_COMM_RANK_H
#define PTORT_COMM_RANK_H

#include "core/rank.h"

/* Makes the cores of the rank check their waits again, because a signal may have changed. */
void ptrt_rank_wake(ptrt_rank *rank);

/* Transport functions for memory that all ranks reach directly. */
int ptrt_direct_copy(void *self, void *dst, const void *src, uint64_t bytes);
int ptrt_direct_add(void *self, ptrt_core *core, int elem, void *dst, const void *src, uint64_t n);
void ptrt_direct_notify(int32_t *signal, int op, int32_t value);
int32_t ptrt_direct_read(const int32_t *signal);

/* transfer.c: checks that the view has memory, its extents are not negative and, in checked mode,
 * all of it lies in registered regions. `name` is the operand's name in the reference page. */
int ptrt_comm_check(ptrt_core *core, uint32_t line, const char *op, const char *name,
                    const ptrt_view *view);
/* Reports that a transport function returned `code`. */
int ptrt_comm_failed(ptrt_core *core, uint32_t line, const char *op, int code);

#endif
