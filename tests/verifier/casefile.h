/* The files of accepted and rejected texts, cases*.txt and programs*.txt: their heads say how they
 * are written. */
#ifndef TESTS_VERIFIER_CASEFILE_H
#define TESTS_VERIFIER_CASEFILE_H

#include "verifier/verify.h"

typedef struct CaseText {
    const char *where; /* "cases.txt:12" */
    const char *text;  /* the whole program; a NUL after it */
    size_t size;
    VerifyOptions options; /* what the case is judged with; no callback */
    const char *want;      /* `ok`, an id, or `warn ID`; not ended by a NUL */
    size_t nwant;
} CaseText;

/* Calls fn for each text of a file, whose name says of which kind it is; returns their number, and
 * fails the test when the file cannot be read. */
unsigned each_case(const char *path, void (*fn)(const CaseText *c, void *arg), void *arg);

#endif
