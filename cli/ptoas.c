/* ptoas: the command line of the vendor's assembler. Its options become those of `emit --to=cpp`,
 * or of `fmt` where it prints PTO text. */
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- values ---- */

static bool is_on(const char *value, bool *on) {
    *on = value == NULL || strcmp(value, "true") == 0 || strcmp(value, "1") == 0;
    return *on || strcmp(value, "false") == 0 || strcmp(value, "0") == 0;
}

/* Keeps a wrong value for the vendor's message, whose exit code is not that of wrong usage. */
static bool set_arch(Options *opt, const char *value) {
    if (strcmp(value, "cpu") == 0 || !set_profile(opt, value)) opt->wrong_arch = value;
    return true;
}

static bool set_pto_text(Options *opt, const char *value) {
    return is_on(value, &opt->pto_text);
}

static bool add_sync_mode(Options *opt, const char *value) {
    bool on;
    if (!is_on(value, &on)) return false;
    opt->sync_modes += on;
    return true;
}

static bool set_other_sync(Options *opt, const char *value) {
    const unsigned before = opt->sync_modes;
    const bool good = add_sync_mode(opt, value);
    opt->other_sync |= opt->sync_modes > before;
    return good;
}

static bool set_backend(Options *opt, const char *value) {
    opt->vpto = strcmp(value, "vpto") == 0;
    return opt->vpto || strcmp(value, "emitc") == 0;
}

static bool set_ignored(Options *opt, const char *value) {
    (void)opt;
    (void)value;
    return true;
}

static bool set_noted(Options *opt, const char *value) {
    bool on;
    if (!is_on(value, &on)) return false;
    opt->noted |= on;
    return true;
}

static bool set_silent(Options *opt, const char *value) {
    (void)value;
    return opt->no_proof = true;
}

static bool set_version(Options *opt, const char *value) {
    (void)value;
    return opt->version = true;
}

static const OptionRow rows[] = {
    {"o", 'o', "OUT", "write to OUT (default -: standard output)", "a file name", set_out},
    {"pto-arch", 0, "A", "a2, a3 or a5 (default: the module's, else a3)", "a2, a3 or a5", set_arch},
    {"pto-level", 0, "levelN", "level1, level2 or level3 (default level2)",
     "level1, level2 or level3", set_level},
    {"emit-pto-ir", 0, "[=BOOL]", "print PTO text with addresses and flags, not C++",
     "true or false", set_pto_text},
    {"enable-insert-sync", 0, "[=BOOL]", "insert flags and barriers", "true or false",
     add_sync_mode},
    {"enable-graph-sync-solver", 0, "[=BOOL]", "the same insertion, with a note", "true or false",
     set_other_sync},
    {"enable-inject-barrier-all-sync", 0, "[=BOOL]", "the same insertion, with a note",
     "true or false", set_other_sync},
    {"enable-bufid_sync", 0, "[=BOOL]", "the same insertion, with a note", "true or false",
     set_other_sync},
    {"graph-sync-solver-event-id-max", 0, "N", "ignored", "a number", set_ignored},
    {"pto-insert-sync-debug", 0, "N", "ignored", "a number", set_ignored},
    {"enable-bufid-sync-debug", 0, "[=BOOL]", "ignored", "true or false", set_ignored},
    {"plan-memory-impl", 0, "NAME", "ignored: there is one planner", "legacy or modern",
     set_ignored},
    {"plan-memory-order-by-size", 0, "[=BOOL]", "ignored", "true or false", set_ignored},
    {"disable-infer-layout", 0, "[=BOOL]", "ignored with a note: layouts of views are inferred",
     "true or false", set_noted},
    {"emit-addptr-trace", 0, "[=BOOL]", "ignored with a note", "true or false", set_noted},
    {"cann-output-version", 0, "V", "ignored: only object files depend on it", "a version",
     set_ignored},
    {"no-sync-warnings", 0, NULL, "do not prove the flags of the program", NULL, set_silent},
    {"pto-backend", 0, "NAME", "emitc; vpto is an error", "emitc or vpto", set_backend},
    {"version", 0, NULL, "print the version of the assembler that is followed, and of ptoasm", NULL,
     set_version},
    OPTION_COMMON,
};

static int run(Options *opt);

const Command ptoas_command = {
    .name = "ptoas",
    .usage = "[OPTION]... [FILE]",
    .summary = "Translates a program to C++ with the command line of the vendor's assembler.",
    .details = "FILE is - by default: standard input. Options have one dash or two, and a value\n"
               "after = or as the next word; those that begin with mlir- are ignored with a note.\n"
               "Programs are judged as with --compat=ptoas. The exit code is 0 or 1; nothing is\n"
               "written in the second case. An installed link named ptoas does the same.\n",
    .rows = rows,
    .examples = "  ptoasm ptoas kernel.pto -o kernel.cpp --enable-insert-sync --pto-arch=a5\n"
                "  ptoas --pto-level=level3 --emit-pto-ir kernel.pto\n",
    .run = run,
};

/* ---- running ---- */

static int failed(const char *why) {
    fprintf(stderr, "Error: %s\n", why);
    return REJECTED;
}

static void note(const char *text) {
    fprintf(stderr, "ptoasm: note: %s\n", text);
}

static int translate(Options *opt) {
    static const char *const standard_input = "-";
    if (opt->nargs == 0) {
        opt->args = (const char **)(uintptr_t)&standard_input;
        opt->nargs = 1;
    }
    if (opt->out == NULL) opt->out = "-";
    if (opt->judge.level == 0) opt->judge.level = 2;
    opt->judge.compat = true;
    opt->judge.sync = opt->no_proof ? PTOASM_SYNC_SILENT : PTOASM_SYNC_WARN;
    if (opt->sync_modes > 0) opt->judge.rewrite = PTOASM_REWRITE_ADDRESSES | PTOASM_REWRITE_SYNC;
    if (opt->pto_text) {
        opt->judge.rewrite |= PTOASM_REWRITE_ADDRESSES;
        opt->form = PTOASM_FORM_DPS;
        return fmt_command.run(opt);
    }
    opt->cpp = opt->no_comments = true;
    return emit_command.run(opt);
}

static int run(Options *opt) {
    if (opt->version) {
        printf("ptoas 0.60 (ptoasm %s)\n", ptoasm_version());
        return FINE;
    }
    if (opt->wrong_arch != NULL) {
        fprintf(stderr, "Error: invalid --pto-arch='%s'. Expected 'a2', 'a3', or 'a5'.\n",
                opt->wrong_arch);
        return REJECTED;
    }
    if (opt->nargs > 1) return failed("more than one input file");
    if (opt->vpto) return failed("the backend vpto is not supported: use --pto-backend=emitc");
    if (opt->sync_modes > 1)
        return failed("--enable-insert-sync, --enable-graph-sync-solver, "
                      "--enable-inject-barrier-all-sync and --enable-bufid_sync are mutually "
                      "exclusive");
    if (opt->other_sync) note("flags are inserted as with --enable-insert-sync");
    if (opt->noted) note("an option has no effect: layouts are inferred, and nothing is traced");
    return translate(opt) == FINE ? FINE : failed("the program was not translated");
}

/* ---- the vendor's spelling ---- */

/* Returns the number of words that an option of MLIR takes; 0 for other words. */
static int words_of_mlir(const char *word) {
    static const char *const with_value[] = {"print-ir-after", "print-ir-before",
                                             "print-ir-tree-dir"};
    const char *name = word + strspn(word, "-");
    if (name == word || strncmp(name, "mlir-", 5) != 0) return 0;
    for (size_t i = 0; i < sizeof with_value / sizeof *with_value; i++)
        if (strcmp(name + 5, with_value[i]) == 0) return 2;
    return 1;
}

/* Returns the word, an option with two dashes; NULL: out of memory. */
static char *with_dashes(const char *word) {
    const bool single = word[0] == '-' && word[1] != '-' && word[1] != '\0';
    char *text = malloc(strlen(word) + 2);
    const bool help = strcmp(word, "-h") == 0; /* an option with a letter only */
    if (text != NULL) {
        *text = '-';
        strcpy(text + (single && !help), word);
    }
    return text;
}

int ptoas_main(int argc, char **argv) {
    char **words = calloc((size_t)argc + 1, sizeof *words);
    int n = 0, rc = -1;
    bool dumps = false;
    Options opt;
    for (int i = 0; words != NULL && i < argc; i++) {
        const int skipped = words_of_mlir(argv[i]);
        dumps |= skipped > 0;
        i += skipped > 1;
        if (skipped > 0) continue;
        if ((words[n] = with_dashes(argv[i])) == NULL) rc = TROUBLE;
        n += words[n] != NULL;
    }
    char **list = words != NULL ? malloc(((size_t)n + 1) * sizeof *list) : NULL;
    if (list == NULL) rc = TROUBLE;
    if (rc < 0) {
        memcpy(list, words, ((size_t)n + 1) * sizeof *list); /* parsing reorders the words */
        if (dumps) note("nothing is dumped after passes");
        rc = options_parse(&ptoas_command, n, list, &opt);
        if (rc == TROUBLE) failed("the command line is wrong");
        if (rc < 0) rc = ptoas_command.run(&opt);
    } else {
        trouble("out of memory");
    }
    for (int i = 0; i < n; i++)
        free(words[i]);
    free(words);
    free(list);
    return rc == FINE ? FINE : REJECTED;
}
