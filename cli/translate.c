/* SPDX-License-Identifier: Apache-2.0 */
/* Translates the programs of the vendor's command line: threads read and translate whole files, and
 * the main thread reports and writes in the order of the files. */
#include "cli/translate.h"
#include "cli/describe.h"
#include "cli/mlir.h"
#include "cli/pool.h"

#include <string.h>

/* One translated file. */
typedef struct Translated {
    Input in;
    const char *reason; /* why it could not be read, or NULL */
    ptoasm_source *src;
    ptoasm_result *res; /* the C++ or PTO text; NULL when memory ran out */
    int status;
    ptoasm_result *dumps[MLIR_PASSES]; /* after a pass; NULL: not wanted, or rejected */
} Translated;

typedef struct Work {
    const Options *opt;
    FileList files;
    OutputNames names;
    Description description;
    size_t rejected, failed;
} Work;

/* ---- on any thread ---- */

static void open_source(Translated *t, const FileItem *file) {
    *t = (Translated){.in.name = file->name, .reason = file->reason};
    if (t->reason == NULL) t->reason = input_try(file->name, file->found, &t->in);
    if (t->reason == NULL && input_is_bytecode(&t->in)) t->reason = "it is bytecode";
    if (t->reason != NULL) return;
    t->status =
        ptoasm_source_open(t->in.name, t->in.data, t->in.size, PTOASM_SOURCE_BORROW, &t->src);
    if (t->status != PTOASM_OK) t->reason = ptoasm_status_text(t->status);
}

/* Makes the texts after passes. */
static void make_dumps(Translated *t, const Options *opt) {
    for (unsigned p = 0; p < MLIR_PASSES; p++) {
        ptoasm_options judge = opt->judge;
        const bool inserts = (mlir_passes[p].rewrite & PTOASM_REWRITE_SYNC) != 0;
        if ((opt->ptoas.dumps >> p & 1) == 0 || (inserts && opt->ptoas.ways == 0)) continue;
        judge.rewrite = mlir_passes[p].rewrite;
        if (ptoasm_format(t->src, &judge, PTOASM_FORM_DPS, &t->dumps[p]) == PTOASM_OK) continue;
        ptoasm_result_free(t->dumps[p]);
        t->dumps[p] = NULL;
    }
}

static void translate_file(void *arg, size_t i, void *item) {
    const Work *w = arg;
    const Options *opt = w->opt;
    Translated *t = item;
    const ptoasm_emit_options emit = {.size = sizeof emit,
                                      .cpp = true,
                                      .no_comments = true,
                                      .embed = opt->emit.embed,
                                      .describe = opt->emit.describe != NULL};
    open_source(t, &w->files.items[i]);
    if (t->reason != NULL) return;
    t->status = opt->ptoas.pto_text ? ptoasm_format(t->src, &opt->judge, PTOASM_FORM_DPS, &t->res)
                                    : ptoasm_emit(t->src, &opt->judge, &emit, &t->res);
    if (t->status == PTOASM_OK) make_dumps(t, opt);
}

/* ---- in order ---- */

static int write_dumps(const Work *w, const Translated *t, const char *name) {
    int rc = FINE;
    for (unsigned p = 0; p < MLIR_PASSES && rc == FINE; p++) {
        size_t size;
        if (t->dumps[p] == NULL) continue;
        const char *text = ptoasm_result_text(t->dumps[p], &size);
        rc = mlir_dump(&w->opt->ptoas, p, name, w->files.n > 1, text, size);
    }
    return rc;
}

static int write_output(const Work *w, const Translated *t, const char *name) {
    char path[PATH_MAX];
    size_t size;
    const char *text = ptoasm_result_text(t->res, &size);
    if (!output_name(&w->names, name, path, sizeof path))
        return trouble("the name of the output of '%s' is too long", name);
    if (same_file(name, path)) return trouble("'%s' would be overwritten by its own output", name);
    return output_file(path, text, size);
}

static int deliver(Work *w, const Translated *t, const char *name) {
    if (t->reason != NULL) return trouble("cannot read '%s': %s", t->in.name, t->reason);
    if (t->res == NULL) return status_trouble(t->in.name, t->status);
    print_diagnostics(t->res, w->opt);
    if (t->status != PTOASM_OK) return REJECTED;
    int rc = write_dumps(w, t, name);
    if (rc == FINE) rc = write_output(w, t, name);
    return rc == FINE ? description_add(&w->description, t->in.name, t->res) : rc;
}

static void take_file(void *arg, size_t i, void *item) {
    Work *w = arg;
    Translated *t = item;
    const int rc = deliver(w, t, w->files.items[i].name);
    w->rejected += rc == REJECTED;
    w->failed += rc == TROUBLE;
    for (unsigned p = 0; p < MLIR_PASSES; p++)
        ptoasm_result_free(t->dumps[p]);
    ptoasm_result_free(t->res);
    ptoasm_source_close(t->src);
    input_free(&t->in);
}

/* The line that ends the messages of the vendor's assembler when it fails. */
static void close_messages(const Work *w) {
    const size_t bad = w->rejected + w->failed;
    if (w->files.n > 1 && bad > 0)
        fprintf(stderr, "Error: %zu of %zu programs %s not translated\n", bad, w->files.n,
                bad == 1 ? "was" : "were");
    else
        fprintf(stderr, "Error: the program was not translated\n");
}

static int run_work(Work *w) {
    const PoolWork work = {w->files.n, sizeof(Translated), translate_file, take_file, w};
    int rc = output_names(&w->names, &w->files, w->opt);
    if (rc == FINE) rc = description_open(&w->description, w->opt->emit.describe);
    if (rc != FINE) return rc;
    if (!pool_run(&work, w->opt->threads != 0 ? w->opt->threads : pool_cores()))
        rc = trouble("out of memory");
    /* Of several programs it has those without errors. */
    const bool some = w->rejected + w->failed < w->files.n;
    const int closed = description_close(&w->description, rc == FINE && some);
    if (rc != FINE || closed != FINE) return TROUBLE;
    return w->failed > 0 ? TROUBLE : w->rejected > 0 ? REJECTED : FINE;
}

int translate_all(const Options *opt) {
    Work w = {.opt = opt};
    const int rc = files_list(&w.files, opt, ".pto") ? run_work(&w) : trouble("out of memory");
    if (rc != FINE) close_messages(&w);
    files_free(&w.files);
    return rc;
}
