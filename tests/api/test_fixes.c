/* SPDX-License-Identifier: Apache-2.0 */
/* Single errors put into legal programs, and what the offered edits make of them. Errors in the
 * text: 17 of 20 are repaired at once, and a legal program stays legal. Errors of the kinds in
 * seed_kinds.c: nine of ten are repaired in two rounds, and 19 of 20 name the right operand.
 * usage: test_fixes FILE... --kernels FILE... (legal programs; the latter for those kinds, with
 * programs of PTOASM_CORPUS if it is set) */
#define _XOPEN_SOURCE 700
#include "api/ptoasm.h"
#include "seeds.h"

#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PER_KIND = 20, MIN_PER_CENT = 85, MOST_TEXT = 1 << 18, MOST_FILES = 1024 };

/* ---- judging ---- */

/* The verdict of a text; with `fixed` the text after its fixes too, to be freed. */
int seed_judge(const char *text, char **fixed) {
    const ptoasm_options opt = PTOASM_OPTIONS_INIT;
    ptoasm_source *src;
    ptoasm_result *res = NULL;
    if (ptoasm_source_open("seeded.pto", text, strlen(text), 0, &src) != PTOASM_OK) exit(2);
    int status = ptoasm_check(src, &opt, &res);
    if (res == NULL) exit(2);
    if (fixed != NULL) {
        size_t size;
        const char *made = ptoasm_fixed_text(res, PTOASM_FIX_ALL | PTOASM_FIX_GUESSES, &size, NULL);
        if (made == NULL || (*fixed = malloc(size + 1)) == NULL) exit(2);
        memcpy(*fixed, made, size + 1);
    }
    ptoasm_result_free(res);
    ptoasm_source_close(src);
    return status;
}

/* ---- the test ---- */

static char *texts[MOST_FILES];
static unsigned ntexts, first_kernel;

static void read_text(const char *path) {
    FILE *f = fopen(path, "rb");
    char *text = malloc(MOST_TEXT);
    if (f == NULL || text == NULL) exit(2);
    size_t n = fread(text, 1, MOST_TEXT / 2, f);
    text[n] = '\0';
    fclose(f);
    if (ntexts < MOST_FILES && n < MOST_TEXT / 2 && seed_judge(text, NULL) == PTOASM_OK)
        texts[ntexts++] = text;
    else
        free(text);
}

/* ---- programs of the corpus ---- */

enum { MOST_PATHS = 4096, CORPUS_KERNELS = 100 };
static char *paths[MOST_PATHS];
static unsigned npaths;

static int note_path(const char *path, const struct stat *st, int kind, struct FTW *at) {
    (void)st;
    (void)at;
    const size_t n = strlen(path);
    if (kind == FTW_F && n > 4 && strcmp(path + n - 4, ".pto") == 0 && npaths < MOST_PATHS)
        paths[npaths++] = strdup(path);
    return 0;
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Reads some programs that the vendor's tools accept, evenly from all folders. */
static void read_corpus(void) {
    const char *corpus = getenv("PTOASM_CORPUS");
    char folder[4096];
    if (corpus == NULL) {
        puts("without programs of the corpus: PTOASM_CORPUS is not set");
        return;
    }
    snprintf(folder, sizeof folder, "%s/accept", corpus);
    if (nftw(folder, note_path, 16, FTW_PHYS) != 0) exit(2);
    qsort(paths, npaths, sizeof *paths, by_name);
    const unsigned step = npaths / CORPUS_KERNELS + 1;
    for (unsigned i = 0; i < npaths; i++) {
        if (i % step == 0) read_text(paths[i]);
        free(paths[i]);
    }
}

static bool legal_stays_legal(void) {
    bool good = true;
    for (unsigned i = 0; i < ntexts; i++) {
        char *fixed;
        seed_judge(texts[i], &fixed);
        if (seed_judge(fixed, NULL) != PTOASM_OK) {
            printf("FAIL a legal program became illegal:\n%s\n", fixed);
            good = false;
        }
        free(fixed);
    }
    return good;
}

/* False when the kind has no place in the text, or the text stays legal. */
static bool try_seed(unsigned kind, bool *repaired, bool verbose) {
    static char text[MOST_TEXT];
    char *fixed;
    strcpy(text, texts[text_pick(ntexts)]);
    if (!text_kinds[kind].make(text) || seed_judge(text, NULL) != PTOASM_REJECTED) return false;
    seed_judge(text, &fixed);
    *repaired = seed_judge(fixed, NULL) == PTOASM_OK;
    if (!*repaired && verbose) printf("---- not repaired: %s\n%s\n", text_kinds[kind].name, text);
    free(fixed);
    return true;
}

int main(int argc, char **argv) {
    bool verbose = getenv("PTOASM_VERBOSE") != NULL;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--kernels") == 0)
            first_kernel = ntexts;
        else
            read_text(argv[i]);
    }
    read_corpus();
    unsigned all = 0, good = 0, used = ntexts;
    bool fine = legal_stays_legal();
    if (ntexts == 0) return 1;
    for (unsigned k = 0; k < text_kind_count; k++) {
        unsigned n = 0, ok = 0;
        for (unsigned tries = 0; n < PER_KIND && tries < 20000; tries++) {
            bool repaired;
            if (!try_seed(k, &repaired, verbose)) continue;
            n++;
            ok += repaired;
        }
        printf("%-28s %3u of %3u\n", text_kinds[k].name, ok, n);
        all += n;
        good += ok;
    }
    printf("repaired at once: %u of %u (%u %%), from %u programs\n", good, all,
           all > 0 ? 100 * good / all : 0, used);
    if (all < text_kind_count * PER_KIND || good * 100 < all * MIN_PER_CENT) {
        printf("FAIL fewer than %d %% of %d errors are repaired\n", MIN_PER_CENT,
               text_kind_count * PER_KIND);
        fine = false;
    }
    fine &= judge_seeds(texts + first_kernel, ntexts - first_kernel);
    while (ntexts > 0)
        free(texts[--ntexts]);
    return fine ? 0 : 1;
}
