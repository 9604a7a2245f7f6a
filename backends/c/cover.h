/* SPDX-License-Identifier: Apache-2.0 */
/* Coverage of what C alone knows: tails of tiles, and blocks without work. */
#ifndef BACKENDS_C_COVER_H
#define BACKENDS_C_COVER_H

#include "backends/c/emitter.h"
#include "backends/text/cover.h"

/* After a statement: notes whether the tiles that it allocates are full, and that it has stored. */
void cover_tiles(Emitter *e, const LowerStmt *s);
/* Before and after the statements of a function, and where it returns. */
void cover_function(Emitter *e);
void cover_function_end(Emitter *e, const Func *f);
void cover_return(Emitter *e);
/* Writes the bytes of all ways, and the list of points. */
void cover_put(Emitter *e, StrBuf *out);

#endif
