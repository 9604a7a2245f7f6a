/* SPDX-License-Identifier: Apache-2.0 */
/* Corrects a program by the edits of its diagnostics. */
#include "cli/fix.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PASSES = 10 };

typedef struct Tally {
    size_t errors, warnings;
    uint32_t first; /* offset of the first error */
} Tally;

static Tally tally(const ptoasm_result *res) {
    Tally t = {.first = UINT32_MAX};
    ptoasm_diagnostic d;
    for (size_t i = 0; ptoasm_diagnostic_at(res, i, &d); i++) {
        if (d.severity == PTOASM_SEVERITY_ERROR && d.place.offset < t.first)
            t.first = d.place.offset;
        t.errors += d.severity == PTOASM_SEVERITY_ERROR;
        t.warnings += d.severity == PTOASM_SEVERITY_WARNING;
    }
    return t;
}

static bool is_better(Tally now, Tally before) {
    if (now.errors != before.errors) return now.errors < before.errors;
    return now.first != before.first ? now.first > before.first : now.warnings < before.warnings;
}

/* A fixed error may reveal others, so a later first error also counts as progress. */
static bool is_progress(Tally now, Tally before) {
    return is_better(now, before) || now.first > before.first;
}

void fixed_free(Fixed *fixed) {
    ptoasm_result_free(fixed->res);
    ptoasm_source_close(fixed->src);
    free(fixed->text);
    *fixed = (Fixed){0};
}

/* Does one pass; false when there is nothing to fix or no progress. */
static bool try_pass(const char *name, ptoasm_result *res, const Options *opt, FixJudge *judge,
                     Fixed *next) {
    const uint32_t flags = opt->check.fix_all ? PTOASM_FIX_ALL : 0;
    const char *text = ptoasm_fixed_text(res, flags, &next->size, &next->fixes);
    if (text == NULL || next->fixes == 0) return false;
    next->text = malloc(next->size + 1);
    if (next->text == NULL) return false;
    memcpy(next->text, text, next->size + 1);
    if (ptoasm_source_open(name, next->text, next->size, PTOASM_SOURCE_BORROW, &next->src) !=
        PTOASM_OK)
        return false;
    next->status = judge(next->src, opt, &next->res);
    return next->res != NULL && is_progress(tally(next->res), tally(res));
}

static void take(Fixed *to, Fixed *from) {
    fixed_free(to);
    *to = *from;
    *from = (Fixed){0};
}

void fix_program(const char *name, ptoasm_result *res, const Options *opt, FixJudge *judge,
                 Fixed *out) {
    Fixed last = {0};
    *out = (Fixed){0};
    for (int i = 0; i < MOST_PASSES; i++) {
        Fixed next = {0};
        ptoasm_result *before = last.res != NULL ? last.res : out->res != NULL ? out->res : res;
        size_t made = last.res != NULL ? last.fixes : out->fixes;
        bool goes_on = try_pass(name, before, opt, judge, &next);
        next.fixes += made;
        if (!goes_on) {
            fixed_free(&next);
            break;
        }
        if (is_better(tally(next.res), tally(out->res != NULL ? out->res : res))) {
            fixed_free(&last);
            take(out, &next);
        } else {
            take(&last, &next);
        }
    }
    fixed_free(&last);
}
