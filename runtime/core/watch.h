/* SPDX-License-Identifier: Apache-2.0 */
/* watch.h - inside libptort: what tells the sanitizer where a launch, a block and a group of ranks
 * begin and end. It is in sanitize/, and each of these does nothing when it is off. */
#ifndef PTORT_CORE_WATCH_H
#define PTORT_CORE_WATCH_H

#include "core/core.h"

void ptrt_watch_launch(ptrt_run *run);
void ptrt_watch_landed(ptrt_run *run);
void ptrt_watch_begin(ptrt_block *block);
void ptrt_watch_end(ptrt_block *block);
void ptrt_watch_ranks(ptrt_thread *caller, bool begin);
/* Names memory of the calling rank that others reach. */
void ptrt_watch_window(int rank, void *base, uint64_t bytes);

#endif
