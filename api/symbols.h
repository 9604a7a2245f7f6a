/* What is at a place, for the files of the interface that ask. */
#ifndef API_SYMBOLS_H
#define API_SYMBOLS_H

#include "api/internal.h"

typedef struct Found {
    Op *op;       /* the statement around the place */
    Span at;      /* the name */
    Value *value; /* one of these is set */
    Op *func;
    bool mnemonic;
} Found;

/* False when there is no name. */
bool symbol_find(ptoasm_program *p, uint32_t off, Found *f);
/* The name where a value is defined, with its `%`; empty when it has none. */
Span symbol_value_span(const Context *ctx, const Value *v);
/* Texts that belong to the program. */
const char *symbol_function_text(ptoasm_program *p, const Op *func);
const char *symbol_type_text(ptoasm_program *p, const Type *t);
/* The function that a statement names; NULL when it names none. *at is where. */
Op *symbol_function_use(const Op *op, Span *at);

#endif
