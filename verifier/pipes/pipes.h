/* SPDX-License-Identifier: Apache-2.0 */
/* Rules about pipes between the cores that concern several statements. The walk notes the
 * statements about pipes; all are judged together after it. */
#ifndef VERIFIER_PIPES_PIPES_H
#define VERIFIER_PIPES_PIPES_H

#include "verifier/structure/structure.h"

void note_pipe_op(Verifier *v, const Op *op, bool good, bool reachable);
/* Ends a scope of the walk: notes since `mark` go out of scope. */
void close_pipe_notes(Verifier *v, uint32_t mark);
/* Judges all notes, after the walk. */
void verify_pipes(Verifier *v);

/* Returns the place of an attribute, or of the instruction's name where it is left out. */
Span pipe_attr_span(const Op *op, AttrName name);

/* ---- epilogue.c: pipes with a fixpipe in them ---- */

/* Checks a statement about entries of a fixpipe pipe; false after an error. */
bool verify_fixpipe_op(PipeProgram *p, PipeEnd *e, uint32_t at);
/* Checks set_quant_scalar or set_quant_vector; `e` is the only end with its id, or NULL. */
void verify_quant_op(PipeProgram *p, PipeEnd *e, uint32_t at);
/* Checks the two ends of a pipe against each other. */
void verify_fixpipe_pair(PipeProgram *p, const PipeEnd *producer, const PipeEnd *consumer);

/* ---- peers.c: ends in different functions ---- */

void verify_pipe_peers(PipeProgram *p);

#endif
