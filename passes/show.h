/* SPDX-License-Identifier: Apache-2.0 */
/* Statements that print values for `ptoasm run --print`, or hand out tiles for --dump, inserted
 * into a verified module before it is converted and planned. */
#ifndef PASSES_SHOW_H
#define PASSES_SHOW_H

#include "ir/ir.h"

typedef struct ShowWish {
    const char *name; /* name of a tile, register or number without %; `r#1` for one of several
                         results; NULL, of a dump: the tiles that the statement defines */
    uint32_t line;    /* print each time after the statement on this line; 0: at the end; of a dump
                         without a name after each statement */
    bool dump;        /* hand out a tile or register instead of printing it */
    int request;      /* of a dump: its number */
    const char *option; /* that asks for it, for messages */
} ShowWish;

/* Inserts the statements. Without a line, a value is printed where its block ends: that of a
 * function before the return, that of a loop in each iteration. False after an [undefined-value]
 * error in m->ctx->diags, when a value cannot be printed. */
bool passes_show(Module *m, const ShowWish *wishes, size_t n);
/* Returns the printed name of the value (`%x`); NULL for any other statement. */
const char *show_name(const Op *op);
/* Returns the number of the request of a statement that hands out a tile; -1 for any other. */
int show_dump(const Op *op);

#endif
