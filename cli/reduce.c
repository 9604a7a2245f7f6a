/* SPDX-License-Identifier: Apache-2.0 */
/* ptoasm reduce: makes a program that shows a failure as small as possible. */
#include "cli/reduce.h"
#include "support/diag.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_SECONDS = 10 };

/* ---- the commands ---- */

static bool has_braces(char *const *words) {
    for (; *words != NULL; words++)
        if (strstr(*words, "{}") != NULL) return true;
    return false;
}

/* Splits the text of --differs at blanks. The words are in `text`. */
static char **split(char *text) {
    size_t n = 0;
    char **words = malloc((strlen(text) / 2 + 2) * sizeof *words);
    char *save = NULL;
    if (words == NULL) return NULL;
    for (char *w = strtok_r(text, " \t", &save); w != NULL; w = strtok_r(NULL, " \t", &save))
        words[n++] = w;
    words[n] = NULL;
    return words;
}

static int take_command(Tested *t, char **words) {
    if (words == NULL) return trouble("out of memory");
    t->words = words;
    t->named = has_braces(words);
    return FINE;
}

/* Takes the words after FILE, and those of --differs. */
static int take_commands(Search *s, const Options *opt, char *other) {
    int rc = FINE;
    if (opt->nargs > 1) {
        char **words = calloc((size_t)opt->nargs, sizeof *words);
        for (int i = 1; words != NULL && i < opt->nargs; i++)
            words[i - 1] = (char *)(uintptr_t)opt->args[i]; /* execvp() does not write them */
        rc = take_command(&s->command, words);
    }
    if (rc != FINE || other == NULL) return rc;
    rc = take_command(&s->other, split(other));
    if (rc == FINE && s->other.words[0] == NULL)
        rc = trouble("option '--differs' names no command");
    return rc;
}

/* ---- reducing ---- */

static size_t lines_of(const char *text, size_t size) {
    size_t n = 0;
    for (size_t i = 0; i < size; i++)
        n += text[i] == '\n';
    return n;
}

static int not_interesting(const Search *s, const char *name) {
    if (s->trouble != FINE) return s->trouble;
    if (s->id != NULL && s->command.words == NULL)
        fprintf(stderr, "ptoasm: '%s' does not have a diagnostic [%s]\n", name, s->id);
    else if (s->other.words != NULL)
        fprintf(stderr, "ptoasm: the commands do not differ for '%s'\n", name);
    else
        fprintf(stderr, "ptoasm: '%s' does not exit with 0 for '%s'\n", s->command.words[0], name);
    return REJECTED;
}

static int reduce(ptoasm_source *src, const Input *in, Search *s, const Options *opt) {
    char *text;
    size_t size, tried;
    const int status = ptoasm_reduce(src, &opt->judge, search_judge, s, &text, &size, &tried);
    if (status == PTOASM_REJECTED) return not_interesting(s, in->name);
    if (status != PTOASM_OK) return trouble("%s", ptoasm_status_text(status));
    int rc = s->trouble != FINE ? s->trouble
                                : output_file(opt->out != NULL ? opt->out : "-", text, size);
    if (rc == FINE && !opt->quiet)
        fprintf(stderr, "ptoasm: %zu lines, now %zu; %zu programs tried\n",
                lines_of(in->data, in->size), lines_of(text, size), tried);
    free(text);
    return rc;
}

static int run_search(const Options *opt, char *other) {
    Search s = {.id = opt->reduce.id,
                .seconds = opt->reduce.seconds != 0 ? opt->reduce.seconds : DEFAULT_SECONDS};
    Input in;
    ptoasm_source *src;
    int rc = take_commands(&s, opt, other);
    if (rc == FINE) rc = input_open(opt->args[0], &in, &src);
    if (rc == FINE) {
        rc = s.command.words != NULL ? search_open(&s, in.name) : FINE;
        if (rc == FINE) rc = reduce(src, &in, &s, opt);
        search_close(&s);
        ptoasm_source_close(src);
        input_free(&in);
    }
    free(s.command.words);
    free(s.other.words);
    return rc;
}

static int run(Options *opt) {
    if (opt->nargs == 0) return usage_error(&reduce_command, "no file given");
    if (opt->nargs == 1 && opt->reduce.id == NULL)
        return usage_error(&reduce_command, "neither --id nor a command says what to look for");
    if (opt->reduce.differs != NULL && opt->nargs == 1)
        return usage_error(&reduce_command, "--differs compares with a command: none is given");
    if (opt->out != NULL && same_file(opt->args[0], opt->out))
        return trouble("'%s' would be overwritten by its own output", opt->args[0]);
    char *other = opt->reduce.differs != NULL ? strdup(opt->reduce.differs) : NULL;
    if (opt->reduce.differs != NULL && other == NULL) return trouble("out of memory");
    const int rc = run_search(opt, other);
    free(other);
    return rc;
}

/* ---- options ---- */

static bool set_id(Options *opt, const char *value) {
    opt->reduce.id = value;
    return diag_find(value) != DIAG_COUNT;
}

static bool set_differs(Options *opt, const char *value) {
    opt->reduce.differs = value;
    return *value != '\0';
}

static bool set_timeout(Options *opt, const char *value) {
    uint64_t n;
    if (!number_from_text(value, 86400, &n) || n == 0) return false;
    opt->reduce.seconds = (unsigned)n;
    return true;
}

static bool set_quiet(Options *opt, const char *value) {
    (void)value;
    return opt->quiet = true;
}

static const OptionRow rows[] = {
    {"o", 'o', "OUT", "write the small program to OUT, not standard output", "a file name",
     set_out},
    {"id", 0, "ID", "keep a diagnostic with this id", "the id of a diagnostic", set_id},
    {"differs", 0, "OTHER",
     "keep a difference between COMMAND and OTHER, a command in one\nword: of the exit code or "
     "the standard output",
     "a command", set_differs},
    {"timeout", 0, "S", "end a command after S seconds (default 10): it has failed",
     "a number from 1 to 86400", set_timeout},
    {"quiet", 'q', NULL, "no summary", NULL, set_quiet},
    OPTION_JUDGE,
    OPTION_LINT,
    {"sync", 0, "W[,W...]", "prove the order of pipes as ptoasm check --sync does",
     "a list of all, strict and report", set_sync},
    OPTION_COMMON,
};

const Command reduce_command = {
    .name = "reduce",
    .usage = "[OPTION]... FILE [-- COMMAND [ARG]...]",
    .summary = "Makes a program that shows a failure as small as possible.",
    .details =
        "Removes functions, statements, regions, parameters and attributes, and makes numbers\n"
        "smaller, as long as COMMAND exits with 0 for the smaller program, or the diagnostic\n"
        "of --id stays. {} in COMMAND is the file to test; without it, the file comes last.\n"
        "The program gets no kind of error that FILE did not have: what is made of a legal\n"
        "program is legal. FILE is not changed; it may be - for standard input.\n"
        "\n"
        "The exit code is 1 when FILE itself does not show the failure.\n",
    .rows = rows,
    .examples = "  ptoasm reduce --id=sync-race --sync=all kernel.pto -o small.pto\n"
                "  ptoasm reduce kernel.pto -- sh -c '! ptoasm run {} random:1 zeros'\n"
                "  ptoasm reduce kernel.pto --differs='old/ptoasm emit {}' -- ptoasm emit {}\n",
    .run = run,
};
