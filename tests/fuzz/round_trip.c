/* SPDX-License-Identifier: Apache-2.0 */
/* What both fuzz targets do with a text. */
#include "tests/fuzz/round_trip.h"
#include "api/ptoasm.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void stop(const char *what, const char *text, size_t size, ptoasm_result *res) {
    fprintf(stderr, "%s:\n", what);
    fwrite(text, 1, size, stderr);
    if (res != NULL) fprintf(stderr, "\n%s", ptoasm_diagnostics_text(res, 0, NULL));
    abort();
}

/* The first byte of the input chooses the options, so that all of them are tried. */
static ptoasm_options choose(uint8_t bits) {
    return (ptoasm_options){.size = sizeof(ptoasm_options),
                            .profiles = bits & 7u,
                            .level = bits >> 3 & 3,
                            .max_errors = 100,
                            .compat = (bits & 32) != 0,
                            .lint = (bits & 64) != 0};
}

static bool check(const char *text, size_t size, const ptoasm_options *opt, bool must_hold) {
    ptoasm_source *src;
    ptoasm_result *res = NULL;
    if (ptoasm_source_open("fuzz.pto", text, size, PTOASM_SOURCE_BORROW, &src) != PTOASM_OK)
        return false;
    bool accepted = ptoasm_check(src, opt, &res) == PTOASM_OK;
    if (res != NULL) ptoasm_diagnostics_text(res, 0, NULL);
    if (must_hold && !accepted) stop("not accepted as printed", text, size, res);
    ptoasm_result_free(res);
    ptoasm_source_close(src);
    return accepted;
}

/* A conversion may find no room for a tile, and says what it cannot convert. */
static bool refused_rightly(const ptoasm_result *res) {
    ptoasm_diagnostic d;
    for (size_t i = 0; ptoasm_diagnostic_at(res, i, &d); i++)
        if (d.severity == PTOASM_SEVERITY_ERROR && strcmp(d.id, "conversion") != 0 &&
            strcmp(d.id, "capacity") != 0)
            return false;
    return true;
}

static char *format(const char *text, size_t size, const ptoasm_options *opt, enum ptoasm_form form,
                    size_t *out_size) {
    ptoasm_source *src;
    ptoasm_result *res = NULL;
    if (ptoasm_source_open("fuzz.pto", text, size, PTOASM_SOURCE_BORROW, &src) != PTOASM_OK)
        return NULL;
    if (ptoasm_format(src, opt, form, &res) != PTOASM_OK) {
        if (form == PTOASM_FORM_KEEP || form == PTOASM_FORM_AS || !refused_rightly(res))
            stop("not printed", text, size, res);
        ptoasm_result_free(res);
        ptoasm_source_close(src);
        return NULL;
    }
    const char *printed = ptoasm_result_text(res, out_size);
    char *copy = malloc(*out_size + 1);
    if (copy != NULL) memcpy(copy, printed, *out_size + 1);
    ptoasm_result_free(res);
    ptoasm_source_close(src);
    return copy;
}

/* The text was printed in some form: printed in `form` it is the same. */
static void same_again(const char *text, size_t size, const ptoasm_options *opt,
                       enum ptoasm_form form) {
    size_t n = 0;
    char *again = format(text, size, opt, form, &n);
    if (again != NULL && (n != size || memcmp(again, text, n) != 0)) {
        fprintf(stderr, "printed first:\n%s\nprinted then:\n%s\n", text, again);
        stop("printed in two ways", text, size, NULL);
    }
    free(again);
}

static void round_trip(const char *text, size_t size, const ptoasm_options *opt,
                       enum ptoasm_form form) {
    size_t n = 0;
    /* A value has no address, but the buffer that it becomes needs one at level 3. */
    if (form == PTOASM_FORM_DPS && opt->level == 3) return;
    char *first = format(text, size, opt, form, &n);
    if (first == NULL) return;
    check(first, n, opt, true);
    same_again(first, n, opt, form);
    same_again(first, n, opt, PTOASM_FORM_KEEP);
    if (form == PTOASM_FORM_SSA) round_trip(first, n, opt, PTOASM_FORM_DPS);
    free(first);
}

/* True when the order of each core by itself is proved. What cores do to each other does not become
 * right by flags of one core. */
static bool is_ordered(const char *text, size_t size, const ptoasm_options *opt) {
    ptoasm_options report = *opt;
    ptoasm_source *src;
    ptoasm_result *res = NULL;
    ptoasm_diagnostic d;
    ptoasm_sync_row row;
    bool understood = true;
    size_t findings = 0, buffers = 0; /* what is wrong; with buffers that the text itself takes */
    report.sync |= PTOASM_SYNC_REPORT;
    report.max_errors = 0;
    if (ptoasm_source_open("fuzz.pto", text, size, PTOASM_SOURCE_BORROW, &src) != PTOASM_OK)
        return false;
    ptoasm_check(src, &report, &res);
    for (size_t i = 0; res != NULL && ptoasm_diagnostic_at(res, i, &d); i++) {
        if (d.severity == PTOASM_SEVERITY_ERROR && strncmp(d.id, "sync-", 5) != 0)
            stop("not accepted as printed", text, size, res);
        buffers += strcmp(d.id, "buffer-release") == 0;
    }
    for (size_t i = 0; res != NULL && ptoasm_sync_at(res, i, &row); i++) {
        findings += row.findings;
        understood &= row.state != PTOASM_SYNC_UNKNOWN;
    }
    ptoasm_result_free(res);
    ptoasm_source_close(src);
    return understood && findings == buffers;
}

/* Prints the text as opt->rewrite says; NULL when that is refused. */
static char *rewritten(const char *text, size_t size, const ptoasm_options *opt, size_t *n) {
    ptoasm_source *src;
    ptoasm_result *res = NULL;
    char *copy = NULL;
    if (ptoasm_source_open("fuzz.pto", text, size, PTOASM_SOURCE_BORROW, &src) != PTOASM_OK)
        return NULL;
    if (ptoasm_format(src, opt, PTOASM_FORM_KEEP, &res) == PTOASM_OK) {
        const char *printed = ptoasm_result_text(res, n);
        copy = malloc(*n + 1);
        if (copy != NULL) memcpy(copy, printed, *n + 1);
    }
    ptoasm_result_free(res);
    ptoasm_source_close(src);
    return copy;
}

/* What gets flags and barriers is proved, and gets no others when printed so again. */
static void synchronise(const char *text, size_t size, ptoasm_options opt) {
    size_t n = 0, again = 0;
    opt.level = 0;
    opt.lint = false; /* [sync-redundant] */
    opt.profiles = opt.profiles & PTOASM_PROFILE_A5 ? PTOASM_PROFILE_A5 : PTOASM_PROFILE_A2A3;
    opt.rewrite = PTOASM_REWRITE_ADDRESSES | PTOASM_REWRITE_SYNC;
    opt.sync = PTOASM_SYNC_ALL;
    char *first = rewritten(text, size, &opt, &n);
    if (first == NULL) return;
    if (!is_ordered(first, n, &opt) && strstr(text, "allow") == NULL)
        stop("not ordered as printed", first, n, NULL);
    char *second = rewritten(first, n, &opt, &again);
    if (second == NULL || again != n || memcmp(second, first, n) != 0)
        stop("flags are inserted twice", first, n, NULL);
    free(second);
    free(first);
}

/* A program with its scopes, or with registers in the place of logical vectors, is accepted and has
 * them: written once more it is the same. */
static void rewrite(const char *text, size_t size, ptoasm_options opt, uint32_t how) {
    size_t n = 0, again = 0;
    opt.rewrite = how;
    if (opt.level == 0) opt.level = 2;
    opt.profiles = PTOASM_PROFILE_A5;
    char *first = rewritten(text, size, &opt, &n);
    if (first == NULL) return;
    /* nothing is proved of what is rewritten */
    check(first, n, &opt, check(text, size, &opt, false));
    char *second = rewritten(first, n, &opt, &again);
    if (second == NULL || again != n || memcmp(second, first, n) != 0) {
        fprintf(stderr, "written first:\n%s\n", first);
        stop("written in two ways", second != NULL ? second : "", again, NULL);
    }
    free(second);
    free(first);
}

/* What the emitter knows no C for, it refuses. */
static void emit(const char *text, size_t size, const ptoasm_options *opt) {
    ptoasm_source *src;
    ptoasm_result *res = NULL;
    ptoasm_emit_options how = {
        .size = sizeof how, .lines = true, .checked = opt->profiles != 1, .header = true};
    if (ptoasm_source_open("fuzz.pto", text, size, PTOASM_SOURCE_BORROW, &src) != PTOASM_OK) return;
    ptoasm_emit(src, opt, &how, &res);
    ptoasm_result_free(res);
    ptoasm_source_close(src);
}

void fuzz_text(uint8_t bits, const char *text, size_t size) {
    ptoasm_options opt = choose(bits);
    if (!check(text, size, &opt, false)) return;
    emit(text, size, &opt);
    synchronise(text, size, opt);
    rewrite(text, size, opt, PTOASM_REWRITE_SCOPES);
    rewrite(text, size, opt, PTOASM_REWRITE_MICRO);
    round_trip(text, size, &opt, PTOASM_FORM_KEEP);
    round_trip(text, size, &opt, PTOASM_FORM_DPS);
    round_trip(text, size, &opt, PTOASM_FORM_GENERIC);
    if (opt.compat) return; /* the vendor's assembler has no other form */
    round_trip(text, size, &opt, PTOASM_FORM_SSA);
    round_trip(text, size, &opt, PTOASM_FORM_AS);
}
