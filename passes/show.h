/* Values that a run prints (`ptoasm run --print`): statements that are put into a verified module
 * before it is converted and planned. */
#ifndef PASSES_SHOW_H
#define PASSES_SHOW_H

#include "ir/ir.h"

typedef struct ShowWish {
    const char *name; /* of a tile or a number, without %; `r#1` for one of several results */
    uint32_t line;    /* after each time that the statement in it has run; 0: at the end */
} ShowWish;

/* Inserts the statements. Without a line a value is printed where its block ends: that of a
 * function when the function returns, that of a loop in each iteration. False when a wish cannot be
 * granted: an [undefined-value] error was reported to m->ctx->diags. */
bool passes_show(Module *m, const ShowWish *wishes, size_t n);
/* What the statement calls the value that it prints (`%x`); NULL for any other statement. */
const char *show_name(const Op *op);

#endif
