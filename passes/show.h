/* Statements that print values for `ptoasm run --print`, inserted into a verified module before it
 * is converted and planned. */
#ifndef PASSES_SHOW_H
#define PASSES_SHOW_H

#include "ir/ir.h"

typedef struct ShowWish {
    const char *name; /* name of a tile or number without %; `r#1` for one of several results */
    uint32_t line;    /* print each time after the statement on this line; 0: at the end */
} ShowWish;

/* Inserts the statements. Without a line, a value is printed where its block ends: that of a
 * function before the return, that of a loop in each iteration. False after an [undefined-value]
 * error in m->ctx->diags, when a value cannot be printed. */
bool passes_show(Module *m, const ShowWish *wishes, size_t n);
/* Returns the printed name of the value (`%x`); NULL for any other statement. */
const char *show_name(const Op *op);

#endif
