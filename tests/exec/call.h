/* SPDX-License-Identifier: Apache-2.0 */
/* Calls emitted functions: pointers as void *, one scalar of an element type between or after them.
 */
#ifndef TESTS_EXEC_CALL_H
#define TESTS_EXEC_CALL_H

#include "elem.h"
#include "harness.h"
#include <string.h>

/* int name(void *, void *) */
static inline int call_pp(const Built *b, const char *name, void *p, void *q) {
    int (*f)(void *, void *);
    void *symbol = built_function(b, name);
    memcpy(&f, &symbol, sizeof f);
    return f(p, q);
}

/* int name(void *, void *, SCALAR): the scalar's C type follows its bits. */
static inline int call_pps(const Built *b, const char *name, void *p, void *q, const ElemType *t,
                           uint32_t bits) {
    void *symbol = built_function(b, name);
    if (t->kind == K_F32) {
        int (*f)(void *, void *, float);
        float v;
        memcpy(&v, &bits, 4);
        memcpy(&f, &symbol, sizeof f);
        return f(p, q, v);
    }
    if (t->bytes == 1) {
        int (*f)(void *, void *, int8_t);
        memcpy(&f, &symbol, sizeof f);
        return f(p, q, (int8_t)bits);
    }
    if (t->bytes == 2 && t->kind < K_F16) {
        int (*f)(void *, void *, int16_t);
        memcpy(&f, &symbol, sizeof f);
        return f(p, q, (int16_t)bits);
    }
    if (t->bytes == 2) {
        int (*f)(void *, void *, uint16_t);
        memcpy(&f, &symbol, sizeof f);
        return f(p, q, (uint16_t)bits);
    }
    int (*f)(void *, void *, int32_t);
    memcpy(&f, &symbol, sizeof f);
    return f(p, q, (int32_t)bits);
}

#endif
