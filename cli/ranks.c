/* SPDX-License-Identifier: Apache-2.0 */
/* ptoasm run --ranks: runs the function on several ranks at once, each with its own arguments. */
#include "cli/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- texts ---- */

/* Replaces each `@` by the number of the rank; NULL: out of memory. */
static char *text_of_rank(const char *text, unsigned rank) {
    MemoryText out;
    FILE *to = memory_open(&out);
    if (to == NULL) return NULL;
    for (; *text != '\0'; text++)
        if (*text == '@')
            fprintf(to, "%u", rank);
        else
            fputc(*text, to);
    return memory_close(to, &out) ? out.text : NULL;
}

void rank_texts_free(char **texts, size_t n) {
    for (size_t i = 0; texts != NULL && i < n; i++)
        free(texts[i]);
    free(texts);
}

char **rank_texts(const char *const *texts, size_t n, unsigned ranks) {
    char **list = calloc(n * ranks + 1, sizeof *list);
    for (size_t i = 0; list != NULL && i < n * ranks; i++) {
        list[i] = text_of_rank(texts[i % n], (unsigned)(i / n));
        if (list[i] != NULL) continue;
        rank_texts_free(list, n * ranks);
        return NULL;
    }
    return list;
}

/* ---- results ---- */

int rank_results_differ(const Argument *args, size_t params, unsigned ranks) {
    for (size_t i = params; i < params * ranks; i++)
        for (size_t j = 0; j < i - i % params; j++)
            if (args[i].out != NULL && args[j].out != NULL && strcmp(args[i].out, args[j].out) == 0)
                return trouble("results of ranks %zu and %zu go to '%s'; '@' in a name becomes the "
                               "rank's number",
                               j / params, i / params, args[i].out);
    return FINE;
}

/* ---- the call ---- */

typedef struct Call {
    const Target *target;
    const Code *code;
    Argument *args; /* of rank 0, then of rank 1 ... */
} Call;

/* Registers the memory that a context points to, in the layout of ptrt_window_make. */
static int register_window(const Code *code, const int64_t *context, unsigned ranks) {
    int err = code->region_add(context, (4 + (uint64_t)ranks) * sizeof *context);
    for (unsigned r = 0; r < ranks && err == 0; r++)
        err = code->region_add((const void *)(uintptr_t)context[4 + r], (uint64_t)context[3]);
    return err;
}

/* Runs on the rank's thread, which has its own regions. */
static int rank_main(int rank, void *arg) {
    const Call *c = arg;
    const size_t n = c->target->kernel.params;
    Argument *args = c->args + (size_t)rank * n;
    void **pointers = calloc(n + 1, sizeof *pointers);
    if (pointers == NULL) return NO_MEMORY;
    int err = c->code->region_add(NULL, 0);
    for (size_t i = 0; i < n && err == 0; i++) {
        if (args[i].window > 0) err = c->code->window_make(args[i].window, &args[i].context);
        if (err == 0 && args[i].window > 0)
            err = register_window(c->code, args[i].context, c->target->ranks);
        if (err == 0 && args[i].array.data != NULL)
            err = c->code->region_add(args[i].array.data, args[i].array.bytes);
        pointers[i] = argument_address(&args[i]);
    }
    if (err == 0) err = c->code->entry((int64_t)c->target->index, c->target->blocks, pointers);
    free(pointers);
    return err;
}

int ranks_call(const Target *target, const Code *code, Argument *args) {
    Call c = {target, code, args};
    return code->run_ranks((int)target->ranks, rank_main, &c);
}
