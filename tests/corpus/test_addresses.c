/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the accepted programs of PTOASM_CORPUS with the planner's addresses: the printed program
 * is accepted for the same profile, its tiles have the same places, and printing it again changes
 * nothing. */
#include "common/checkrun.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 2048, MOST_SLOTS = 4096 };

/* Programs that level 3 refuses: it demands scratch tiles that other levels leave out. */
static const char *const without[] = {"implicit_tmp_optional_ops_materialization.pto",
                                      "scalar_gm_tstore_sync.pto", "tci_ui32_emitc.pto"};

static unsigned failures, programs, refused;

static void fault(const char *path, const char *what) {
    printf("FAIL %s: %s\n", path, what);
    failures++;
}

typedef struct Plan {
    ptoasm_slot slots[MOST_SLOTS];
    size_t n;
} Plan;

static int compare_slots(const void *a, const void *b) {
    const ptoasm_slot *x = a, *y = b;
    int spaces = strcmp(x->space, y->space);
    if (spaces != 0) return spaces;
    if (x->address != y->address) return x->address < y->address ? -1 : 1;
    return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

/* Plans a text; reserved buffers with an address are no slots, so those without are left out. */
static ptoasm_result *plan_text(ptoasm_program *program, const ptoasm_options *opt, Plan *plan) {
    ptoasm_result *res = NULL;
    ptoasm_slot slot;
    plan->n = 0;
    ptoasm_program_plan(program, opt, &res);
    for (size_t i = 0; res != NULL && ptoasm_slot_at(res, i, &slot); i++) {
        if (strcmp(slot.instruction, "pto.reserve_buffer") == 0) continue;
        if (plan->n == MOST_SLOTS) exit(2);
        plan->slots[plan->n++] = slot;
    }
    qsort(plan->slots, plan->n, sizeof plan->slots[0], compare_slots);
    return res;
}

static bool same_plans(const Plan *a, const Plan *b) {
    bool same = a->n == b->n;
    for (size_t i = 0; same && i < a->n; i++)
        same = compare_slots(&a->slots[i], &b->slots[i]) == 0;
    return same;
}

static void compare_plans(const char *path, const char *text, size_t size, const char *printed,
                          size_t printed_size, const ptoasm_options *opt) {
    static Plan a, b;
    ptoasm_source *src[2];
    ptoasm_program *program[2];
    ptoasm_result *res[2];
    if (ptoasm_source_open(path, text, size, 0, &src[0]) != PTOASM_OK ||
        ptoasm_source_open(path, printed, printed_size, 0, &src[1]) != PTOASM_OK)
        exit(2);
    for (int i = 0; i < 2; i++) {
        if (ptoasm_program_open(src[i], opt, &program[i]) != PTOASM_OK) exit(2);
        res[i] = plan_text(program[i], opt, i == 0 ? &a : &b);
    }
    if (!same_plans(&a, &b)) fault(path, "the tiles of the printed program have other places");
    for (int i = 0; i < 2; i++) {
        ptoasm_result_free(res[i]);
        ptoasm_program_close(program[i]);
        ptoasm_source_close(src[i]);
    }
}

static bool is_without(const char *path) {
    for (size_t i = 0; i < sizeof without / sizeof without[0]; i++)
        if (strstr(path, without[i]) != NULL) return true;
    return false;
}

static void try_program(const char *path, const char *text, size_t size, uint32_t profile) {
    ptoasm_options plain = PTOASM_OPTIONS_INIT, opt = PTOASM_OPTIONS_INIT;
    size_t n, again;
    plain.profiles = opt.profiles = profile;
    opt.rewrite = PTOASM_REWRITE_ADDRESSES;
    if (!text_accepted(path, text, size, &plain, false)) return;
    char *printed = text_formatted(path, text, size, &opt, PTOASM_FORM_KEEP, &n);
    if (printed == NULL) {
        refused += is_without(path);
        if (!is_without(path)) fault(path, "it is not printed");
        return;
    }
    programs++;
    if (!text_accepted(path, printed, n, &plain, true)) fault(path, "the printed text is refused");
    compare_plans(path, text, size, printed, n, &plain);
    char *second = text_formatted(path, printed, n, &opt, PTOASM_FORM_KEEP, &again);
    if (second == NULL || again != n || memcmp(second, printed, n) != 0)
        fault(path, "it is printed otherwise the second time");
    free(second);
    free(printed);
}

static void try_row(const char *folder, char *line) {
    char *path = cut_field(&line, '\t'), *source = cut_field(&line, '\t');
    char *profiles = cut_field(&line, '\t'), *level = cut_field(&line, '\t');
    char *verdict = cut_field(&line, '\t'), file[PATH_SIZE];
    size_t size;
    if (source == NULL || verdict == NULL || strcmp(verdict, "accept") != 0) return;
    if (strcmp(level, "level3") == 0) return;
    if (snprintf(file, sizeof file, "%s/%s", folder, path) >= (int)sizeof file) exit(2);
    char *text = read_whole_file(file, &size);
    if (text == NULL) exit(2);
    if (strstr(profiles, "a2a3") != NULL) try_program(path, text, size, PTOASM_PROFILE_A2A3);
    if (strstr(profiles, "a5") != NULL) try_program(path, text, size, PTOASM_PROFILE_A5);
    free(text);
}

int main(void) {
    const char *corpus = getenv("PTOASM_CORPUS");
    char index[PATH_SIZE];
    size_t size;
    if (corpus == NULL) {
        puts("PTOASM_CORPUS is not set: skipped");
        return 77;
    }
    if (snprintf(index, sizeof index, "%s/INDEX.tsv", corpus) >= (int)sizeof index) return 2;
    char *text = read_whole_file(index, &size), *rest = text;
    if (text == NULL) return 2;
    for (char *line; (line = cut_field(&rest, '\n')) != NULL;)
        try_row(corpus, line);
    free(text);
    printf("%u programs, %u without a form of level 3, %u failures\n", programs, refused, failures);
    return failures == 0 && programs > 0 ? 0 : 1;
}
