/* SPDX-License-Identifier: Apache-2.0 */
/* Coverage: emitted code notes which ways through a program its runs take. */
#ifndef BACKENDS_TEXT_COVER_H
#define BACKENDS_TEXT_COVER_H

#include "backends/text/emitter.h"

/* The index of the first way of a point, or NO_POINT: nothing is noted. */
enum { NO_POINT = -1 };

/* Adds a point at a statement. `ways` are names with commas, of `n` ways. NO_POINT unless coverage
 * is asked for. */
int cover_point(Emitter *e, Span at, const char *kind, const char *ways, unsigned n);
/* Emits that a way has been taken. */
void cover_way(Emitter *e, int point, unsigned way);
/* The same for one whose number is an expression. */
void cover_expr(Emitter *e, int point, const char *way);
/* Declares the counter of a loop; returns its name, which is not needed without a point. */
const char *cover_trips(Emitter *e, int point);
/* Counts a trip. */
void cover_trip(Emitter *e, int point, const char *trips);
/* Emits, after the loop, how often it ran. */
void cover_loop(Emitter *e, int point, const char *trips);
#define LOOP_WAYS "no trip,one trip,more trips"

#endif
