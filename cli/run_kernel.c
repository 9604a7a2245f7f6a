/* SPDX-License-Identifier: Apache-2.0 */
/* Runs an emitted program: selects the function, and calls it with the arguments of all ranks. */
#include "cli/run_report.h"

#include <stdlib.h>
#include <string.h>

static int find_kernel(const ptoasm_result *res, const char *file, const Options *opt,
                       size_t *index) {
    size_t n = ptoasm_kernel_count(res);
    const char *want = opt->run.entry;
    if (want != NULL && *want == '@') want++;
    ptoasm_kernel k;
    for (*index = 0; want != NULL && ptoasm_kernel_at(res, *index, &k); ++*index)
        if (strcmp(k.name, want) == 0) return FINE;
    *index = 0;
    if (n == 0) {
        trouble("'%s' has no function that can be run", file);
        return NO_CODE;
    }
    if (want == NULL && n == 1) return FINE;
    int rc = want != NULL ? trouble("'%s' has no function '%s' that can be run; it has", file, want)
                          : trouble("'%s' has several functions; --entry picks one of", file);
    print_kernels(res);
    return rc;
}

/* Calls the function while the sanitizer watches. */
static int call_watched(const Target *target, const Code *code, Argument *args,
                        const Options *opt) {
    const bool strict = (opt->judge.sync & PTOASM_SYNC_STRICT) != 0;
    int rc = sanitize_start(target, code, args, strict);
    if (rc != FINE) return rc;
    rc = kernel_call(target, code, args);
    if (rc == TROUBLE) {
        sanitize_drop(code);
        return rc;
    }
    progress_end();
    const int found = sanitize_report(target, code, opt);
    return found != FINE ? found : rc;
}

/* Calls the function while the runtime computes in f64, too. An error at run time ends the report
 * at the line before. */
static int call_shadowed(const Target *target, const Code *code, Argument *args,
                         const Options *opt) {
    Shadow s;
    int rc = shadow_find(&code->runtime, &s);
    if (rc != FINE) return rc;
    s.start();
    rc = opt->sanitize ? call_watched(target, code, args, opt) : kernel_call(target, code, args);
    progress_end();
    if (rc != TROUBLE) shadow_report(target, &s);
    s.end();
    return rc;
}

static int call(const Target *target, const Code *code, Argument *args, const Options *opt,
                double build) {
    progress_begin("ptoasm: running");
    const int rc = opt->run.shadow      ? call_shadowed(target, code, args, opt)
                   : opt->sanitize      ? call_watched(target, code, args, opt)
                   : opt->run.times > 0 ? kernel_time(target, code, args, opt->run.times, build)
                                        : kernel_call(target, code, args);
    progress_end();
    if (rc == REJECTED) print_short_arguments(target, args);
    return rc;
}

/* The arguments and expectations of all ranks: those of rank 0, then of rank 1 ... */
typedef struct Ranks {
    TileWish *wishes; /* --expect of tiles */
    unsigned nwishes;
    unsigned n;
    size_t params, texts, expects; /* of one rank */
    char **text, **expect;
    Argument *args;
    Expectation *expected;
} Ranks;

static int for_each_rank(const Ranks *all, int (*fn)(const Target *, const Ranks *, unsigned),
                         const Target *target) {
    int rc = FINE;
    for (unsigned r = 0; r < all->n && rc == FINE; r++)
        rc = fn(target, all, r);
    return rc;
}

static int read_arguments(const Target *target, const Ranks *all, unsigned r) {
    return arguments_read(target, (const char *const *)all->text + r * all->texts, all->texts,
                          all->args + r * all->params);
}

static int read_expectations(const Target *target, const Ranks *all, unsigned r) {
    return expectations_read(target, (const char *const *)all->expect + r * all->expects,
                             all->expects, all->args + r * all->params,
                             all->expected + r * all->expects);
}

/* Reads what is expected, after the command that computes it. */
static int expect_all(const Target *target, const Ranks *all, const Options *opt,
                      Reference *reference) {
    int rc = FINE;
    if (opt->run.reference != NULL) {
        rc = reference_run(target, all->args, opt->run.reference, reference);
        if (rc == FINE) rc = reference_fill(reference, all->expect, all->expects);
        if (rc == FINE) rc = tile_wishes_fill(reference, all->wishes, all->nwishes);
    }
    if (rc == FINE) rc = for_each_rank(all, read_expectations, target);
    /* The name of a folder that is gone means nothing: messages have {}. */
    for (size_t i = 0; rc == FINE && opt->run.reference != NULL && i < all->expects; i++)
        all->expected[i].file = strchr(opt->run.expects[i], '=') + 1;
    return rc;
}

/* Runs the program; results are written before they are compared, so that they can be inspected. */
static int run_with(const Target *target, const Ranks *all, const Options *opt) {
    const Tolerance t = {opt->run.rtol, opt->run.atol, opt->run.ulp};
    Code code = {0};
    Reference reference = {.folder = ""}; /* tiles are compared with its files in the end */
    int rc = rank_results_differ(all->args, all->params, all->n);
    if (rc == FINE) rc = expect_all(target, all, opt, &reference);
    double start = seconds_now();
    if (rc == FINE) rc = kernel_build(target, &code);
    Dump *dump = NULL;
    if (rc == FINE) rc = dump_begin(target, opt, all->wishes, all->nwishes, &code, &dump);
    if (rc == FINE) rc = call(target, &code, all->args, opt, seconds_now() - start);
    const bool dumps = dump != NULL && opt->run.dump[0] != '\0';
    const int dumped = dump_end(dump);
    if (dumped != FINE) rc = dumped;
    if (dumps && dumped == FINE) run_report_dump(opt->run.dump);
    if (opt->run.coverage != NULL && code.cover != NULL && rc != TROUBLE &&
        coverage_write(target, &code, opt->run.coverage) != FINE)
        rc = TROUBLE;
    if (rc == FINE) rc = results_write(all->args, all->params * all->n);
    const bool ran = rc == FINE;
    if (ran) run_report_results(target, all->args, all->n);
    for (unsigned r = 0; rc == FINE && r < all->n; r++)
        rc = expectations_judge(target, all->args + r * all->params,
                                all->expected + r * all->expects, all->expects, &t);
    if (ran && rc != TROUBLE) {
        const int tiles = tile_wishes_judge(target, all->wishes, all->nwishes, &t);
        if (tiles > rc) rc = tiles;
    }
    reference_close(&reference);
    code_close(&code);
    return rc;
}

/* Expands `@` in the texts if there are ranks. */
static char **texts_of(const char *const *texts, size_t n, const Target *target) {
    if (target->ranks > 0) return rank_texts(texts, n, target->ranks);
    char **list = calloc(n + 1, sizeof *list);
    for (size_t i = 0; list != NULL && i < n; i++)
        if ((list[i] = strdup(texts[i])) == NULL) {
            rank_texts_free(list, n);
            return NULL;
        }
    return list;
}

static int run_target(const Target *target, const Options *opt, TileWish *wishes,
                      unsigned nwishes) {
    Ranks all = {.wishes = wishes,
                 .nwishes = nwishes,
                 .n = target->ranks > 0 ? target->ranks : 1,
                 .params = target->kernel.params,
                 .texts = (size_t)opt->nargs - 1,
                 .expects = opt->run.nexpects};
    const size_t nargs = all.params * all.n, nexpects = all.expects * all.n;
    all.text = texts_of(opt->args + 1, all.texts, target);
    all.expect = texts_of(opt->run.expects, all.expects, target);
    all.args = calloc(nargs + 1, sizeof *all.args);
    all.expected = calloc(nexpects + 1, sizeof *all.expected);
    int rc = all.text == NULL || all.expect == NULL || all.args == NULL || all.expected == NULL
                 ? trouble("out of memory")
                 : for_each_rank(&all, read_arguments, target);
    if (rc == FINE) rc = run_with(target, &all, opt);
    for (size_t i = 0; i < nargs && all.args != NULL; i++)
        argument_free(&all.args[i]);
    if (all.expected != NULL) expectations_free(all.expected, nexpects);
    free(all.expected);
    free(all.args);
    rank_texts_free(all.expect, nexpects);
    rank_texts_free(all.text, all.texts * all.n);
    return rc;
}

int run_emitted(const char *file, ptoasm_result *res, const Options *opt, TileWish *wishes,
                unsigned nwishes) {
    Target target = {.file = file,
                     .res = res,
                     .blocks = opt->run.grid,
                     .ranks = opt->run.ranks,
                     .cc = opt->run.cc,
                     .author_first = opt->author_first};
    if (opt->list && ptoasm_kernel_count(res) > 0 && opt->run.entry == NULL)
        return kernels_list(res, NULL, opt->run.grid);
    int rc = find_kernel(res, file, opt, &target.index);
    if (rc != FINE) return rc;
    ptoasm_kernel_at(res, target.index, &target.kernel);
    if (opt->list) return kernels_list(res, target.kernel.name, opt->run.grid);
    if (opt->run.only_block >= 0 && opt->run.only_block >= target.blocks)
        return trouble("--block=%lld: the run has %lld block%s, counted from 0",
                       (long long)opt->run.only_block, (long long)target.blocks,
                       target.blocks == 1 ? "" : "s");
    run_report_function(&target);
    Runtime rt = {.library = NULL}; /* opened before libraries that are linked with it */
    rc = opt->run.nlinks > 0 ? runtime_open(&rt) : FINE;
    if (rc == FINE) rc = links_open(opt->run.links, opt->run.nlinks, &target.links);
    if (rc == FINE) rc = run_target(&target, opt, wishes, nwishes);
    links_close(&target.links);
    runtime_close(&rt);
    return rc;
}
