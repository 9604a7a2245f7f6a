/* SPDX-License-Identifier: Apache-2.0 */
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
    const char
        *name; /* what it tests; for a statement, the name of its group; not ended by a NUL */
    size_t nname;
} CaseText;

typedef void CaseFn(const CaseText *c, void *arg);

enum { CASE_MISTAKE = 128 };
/* Calls fn for each case of the text of a file, whose name says of which kind it is, and counts
 * them in `ran`. False, with `mistake` filled, at the first case without a name, and at a second
 * one with the same name. */
bool read_cases(const char *path, const char *text, CaseFn *fn, void *arg, unsigned *ran,
                char mistake[CASE_MISTAKE]);

/* The same for a file; returns their number, and fails the test for a file that cannot be read or
 * has a mistake. */
unsigned each_case(const char *path, CaseFn *fn, void *arg);

#endif
