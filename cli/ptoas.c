/* SPDX-License-Identifier: Apache-2.0 */
/* ptoas: the command line of the vendor's assembler. */
#include "cli/mlir.h"
#include "cli/pool.h"
#include "cli/translate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- values ---- */

/* Reads what LLVM takes as a Boolean; no value is true. */
static bool is_on(const char *value, bool *on) {
    static const char *const words[] = {"true",  "TRUE",  "True",  "1",
                                        "false", "FALSE", "False", "0"};
    if (value == NULL) return *on = true;
    for (unsigned i = 0; i < 8; i++) {
        if (strcmp(value, words[i]) != 0) continue;
        *on = i < 4;
        return true;
    }
    return false;
}

/* Keeps a wrong value for the vendor's message, whose exit code is not that of wrong usage. */
static bool set_arch(Options *opt, const char *value) {
    if (strcmp(value, "cpu") == 0 || !set_profile(opt, value)) opt->ptoas.arch = value;
    return true;
}

static bool set_pto_text(Options *opt, const char *value) {
    return is_on(value, &opt->ptoas.pto_text);
}

static bool add_sync_mode(Options *opt, const char *value) {
    bool on;
    if (!is_on(value, &on)) return false;
    opt->ptoas.ways += on;
    return true;
}

static bool set_other_sync(Options *opt, const char *value) {
    const unsigned before = opt->ptoas.ways;
    const bool good = add_sync_mode(opt, value);
    opt->ptoas.other_sync |= opt->ptoas.ways > before;
    return good;
}

static bool set_backend(Options *opt, const char *value) {
    opt->ptoas.vpto = strcmp(value, "vpto") == 0;
    return opt->ptoas.vpto || strcmp(value, "emitc") == 0;
}

static bool set_silent(Options *opt, const char *value) {
    (void)value;
    return opt->ptoas.no_proof = true;
}

static bool set_version(Options *opt, const char *value) {
    (void)value;
    return opt->ptoas.version = true;
}

static bool set_followed(Options *opt, const char *value) {
    opt->ptoas.followed = value;
    return set_vendor(opt, value);
}

static bool set_threads(Options *opt, const char *value) {
    uint64_t n;
    if (!number_from_text(value, POOL_MOST, &n) || n == 0) return false;
    opt->threads = (unsigned)n;
    return true;
}

/* ---- options without effect ---- */

static bool set_ignored(Options *opt, const char *value) {
    (void)opt;
    (void)value;
    return true;
}

static bool set_ignored_flag(Options *opt, const char *value) {
    bool on;
    (void)opt;
    return is_on(value, &on);
}

/* Options that would change the C++: a note says why they do not. */
static const struct {
    const char *name, *why;
} unused[] = {
    {"disable-infer-layout", "a view without a layout has the inferred one"},
    {"emit-addptr-trace", "the C++ has no comments about pointers"},
    {"enable-op-fusion", "it marks last uses for the device compiler, which change no result"},
};
enum { UNUSED_LAYOUT, UNUSED_TRACE, UNUSED_FUSION, UNUSED };

static bool set_unused(Options *opt, const char *value, unsigned which) {
    bool on;
    if (!is_on(value, &on)) return false;
    if (on) opt->ptoas.unused |= 1u << which;
    return true;
}

static bool set_layout(Options *opt, const char *value) {
    return set_unused(opt, value, UNUSED_LAYOUT);
}

static bool set_trace(Options *opt, const char *value) {
    return set_unused(opt, value, UNUSED_TRACE);
}

static bool set_fusion(Options *opt, const char *value) {
    return set_unused(opt, value, UNUSED_FUSION);
}

/* ---- options of the other backend ---- */

static bool set_vpto_only(Options *opt, const char *value) {
    bool on;
    if (!is_on(value, &on)) return false;
    opt->ptoas.vpto_only |= on;
    return true;
}

static bool set_vf_sync(Options *opt, const char *value) {
    (void)opt;
    return strcmp(value, "off") == 0 || strcmp(value, "fused") == 0 || strcmp(value, "global") == 0;
}

static bool set_seam_file(Options *opt, const char *value) {
    opt->ptoas.vpto_only |= *value != '\0';
    return true;
}

/* For callers that cannot add an option. */
#define VERSION_VARIABLE "PTOASM_PTOAS_VERSION"

#define FLAG(name, help, set)                                                                      \
    { name, 0, "[=BOOL]", help, "true or false", set }
#define OF_VPTO(name) FLAG(name, "ignored: the backend vpto alone uses it", set_ignored_flag)
#define NEEDS_VPTO(name) FLAG(name, "an error: it needs --pto-backend=vpto", set_vpto_only)

static const OptionRow rows[] = {
    {"o", 'o', "OUT", "write to OUT (default -: standard output); for several files a\nfolder",
     "a file name", set_out},
    {"pto-arch", 0, "A", "a2, a3 or a5 (default: the module's, else a3)", "a2, a3 or a5", set_arch},
    {"pto-level", 0, "levelN", "level1, level2 or level3 (default level2)",
     "level1, level2 or level3", set_level},
    FLAG("emit-pto-ir", "print PTO text with addresses and flags, not C++", set_pto_text),
    FLAG("enable-insert-sync", "insert flags and barriers", add_sync_mode),
    FLAG("enable-graph-sync-solver", "the same insertion, with a note", set_other_sync),
    FLAG("enable-inject-barrier-all-sync", "the same insertion, with a note", set_other_sync),
    FLAG("enable-bufid_sync", "the same insertion, with a note", set_other_sync),
    OPTION_CPP,
    {"no-sync-warnings", 0, NULL, "say nothing about the order of the pipes", NULL, set_silent},
    {"j", 'j', "N", "translate several files on N threads (default: one for each\nprocessor)",
     "a number from 1 to 256", set_threads},
    {"pto-version", 0, "V",
     "the version to follow: 0.60 (default) or 0.57, which plans the\n"
     "scratch tiles that a program of level 3 leaves out; also from\n"
     "the environment variable " VERSION_VARIABLE,
     "0.57 or 0.60", set_followed},
    {"version", 0, NULL, "print the version of the assembler that is followed, and of ptoasm", NULL,
     set_version},
    {"graph-sync-solver-event-id-max", 0, "N", "ignored: there is one insertion", "a number",
     set_ignored},
    {"pto-insert-sync-debug", 0, "N", "ignored: nothing is traced", "a number", set_ignored},
    FLAG("enable-bufid-sync-debug", "ignored: nothing is traced", set_ignored_flag),
    {"plan-memory-impl", 0, "NAME", "ignored: there is one planner", "legacy or modern",
     set_ignored},
    FLAG("plan-memory-order-by-size", "ignored: there is one planner", set_ignored_flag),
    FLAG("disable-infer-layout", "ignored with a note: layouts of views are inferred", set_layout),
    FLAG("emit-addptr-trace", "ignored with a note: pointers are not traced", set_trace),
    FLAG("enable-op-fusion", "ignored with a note: its marks change no result", set_fusion),
    {"cann-output-version", 0, "V", "ignored: only object files depend on it", "a version",
     set_ignored},
    {"pto-backend", 0, "NAME", "emitc; vpto is an error", "emitc or vpto", set_backend},
    OF_VPTO("enable-tile-op-expand"),
    OF_VPTO("enable-shape-inference"),
    OF_VPTO("enable-vexpdif-fusion"),
    OF_VPTO("enable-unroll-after-loop-fusion"),
    OF_VPTO("enable-vfsim-costmodel-optimization"),
    OF_VPTO("dump-vfsim-unroll-test"),
    OF_VPTO("enable-vpto-soft-postupdate"),
    OF_VPTO("simt-fastmath"),
    OF_VPTO("enable-bisheng-vec-misched"),
    {"bisheng-vf-auto-sync", 0, "MODE", "ignored: the backend vpto alone uses it",
     "off, fused or global", set_vf_sync},
    OF_VPTO("vpto-print-ir"),
    OF_VPTO("dump-vpto-ir"),
    {"vpto-lowering-strategy", 0, "NAME", "ignored: the backend vpto alone uses it", "a name",
     set_ignored},
    NEEDS_VPTO("emit-vpto"),
    NEEDS_VPTO("emit-vpto-llvm-ir"),
    NEEDS_VPTO("pto-print-seam-ir"),
    {"pto-seam-ir-file", 0, "FILE", "an error: it needs --pto-backend=vpto", "a file name",
     set_seam_file},
    OPTION_COMMON,
};

static int run(Options *opt);

const Command ptoas_command = {
    .name = "ptoas",
    .usage = "[OPTION]... [FILE]...",
    .summary = "Translates programs to C++ with the command line of the vendor's assembler.",
    .details =
        "FILE is - by default: standard input. The output of several files is a file of\n"
        "each one's name in the folder OUT. Options have one dash or two, and a value after\n"
        "= or as the next word; none may be given twice. Programs are judged as with\n"
        "--compat=ptoas. The exit code is 0 or 1; of a program with errors nothing is\n"
        "written. An installed link named ptoas does the same.\n\n"
        "--mlir-print-ir-after=PASS prints the program after pto-plan-memory or\n"
        "pto-insert-sync, --mlir-print-ir-after-all after both: on standard error, or below\n"
        "the folder of --mlir-print-ir-tree-dir=DIR.\n",
    .rows = rows,
    .examples = "  ptoasm ptoas kernel.pto -o kernel.cpp --enable-insert-sync --pto-arch=a5\n"
                "  ptoas --pto-level=level3 --emit-pto-ir kernel.pto\n"
                "  ptoas --enable-insert-sync a.pto b.pto -o generated\n",
    .once = true,
    .run = run,
};

/* ---- running ---- */

static int failed(const char *why) {
    fprintf(stderr, "Error: %s\n", why);
    return REJECTED;
}

/* Refuses wrong options as the vendor does; FINE: none. */
static int refuse(const Options *opt) {
    const PtoasOptions *p = &opt->ptoas;
    if (p->arch != NULL) {
        fprintf(stderr, "Error: invalid --pto-arch='%s'. Expected 'a2', 'a3', or 'a5'.\n", p->arch);
        return REJECTED;
    }
    if (p->pto_text && (opt->emit.embed || opt->emit.describe != NULL))
        return failed("--embed and --describe are for C++, not for --emit-pto-ir");
    if (opt->emit.describe != NULL &&
        strcmp(opt->emit.describe, opt->out != NULL ? opt->out : "-") == 0)
        return failed("the C++ and its description cannot both go to one file");
    if (p->vpto) return failed("the backend vpto is not supported: use --pto-backend=emitc");
    if (p->vpto_only)
        return failed("VPTO-specific flags require --pto-backend=vpto, which is not supported");
    if (p->ways > 1)
        return failed("--enable-insert-sync, --enable-graph-sync-solver, "
                      "--enable-inject-barrier-all-sync and --enable-bufid_sync are mutually "
                      "exclusive");
    return FINE;
}

static void note_unused(const PtoasOptions *p) {
    if (p->other_sync)
        fputs("ptoasm: note: flags are inserted as with --enable-insert-sync\n", stderr);
    for (unsigned i = 0; i < UNUSED; i++)
        if ((p->unused >> i & 1) != 0)
            fprintf(stderr, "ptoasm: note: --%s has no effect: %s\n", unused[i].name,
                    unused[i].why);
}

static void complete(Options *opt) {
    static const char *const standard_input = "-";
    if (opt->nargs == 0) {
        opt->args = (const char **)(uintptr_t)&standard_input;
        opt->nargs = 1;
    }
    if (opt->out == NULL) opt->out = "-";
    if (opt->judge.level == 0) opt->judge.level = 2;
    opt->judge.compat = true;
    opt->judge.sync = opt->ptoas.no_proof ? PTOASM_SYNC_SILENT : PTOASM_SYNC_WARN;
    if (opt->ptoas.pto_text) opt->judge.rewrite = PTOASM_REWRITE_ADDRESSES;
    if (opt->ptoas.ways > 0) opt->judge.rewrite = PTOASM_REWRITE_ADDRESSES | PTOASM_REWRITE_SYNC;
    opt->mlir_author = true;
}

/* Follows the version of the environment where no option names one. */
static int follow(Options *opt) {
    const char *version = getenv(VERSION_VARIABLE);
    if (opt->ptoas.followed != NULL || version == NULL || *version == '\0' ||
        set_vendor(opt, version))
        return FINE;
    trouble("the environment variable " VERSION_VARIABLE " is '%s', not 0.57 or 0.60", version);
    return failed("the command line is wrong");
}

static int run(Options *opt) {
    if (follow(opt) != FINE) return REJECTED;
    if (opt->ptoas.version) {
        printf("ptoas 0.%u\nptoasm %s\n", opt->judge.vendor == 57 ? 57 : 60, ptoasm_version());
        return FINE;
    }
    const int rc = refuse(opt);
    if (rc != FINE) return rc;
    note_unused(&opt->ptoas);
    complete(opt);
    return translate_all(opt);
}

/* ---- the vendor's spelling ---- */

/* Returns the word, an option with two dashes; NULL: out of memory. */
static char *with_dashes(const char *word) {
    const bool single = word[0] == '-' && word[1] != '-' && word[1] != '\0';
    char *text = malloc(strlen(word) + 2);
    const bool letter = strcmp(word, "-h") == 0 || /* an option with a letter only */
                        (strncmp(word, "-j", 2) == 0 && word[2] >= '0' && word[2] <= '9');
    if (text != NULL) {
        *text = '-';
        strcpy(text + (single && !letter), word);
    }
    return text;
}

/* Takes the options of MLIR, which no row has, out of the words. */
static int take_words(int argc, char **argv, char **words, PtoasOptions *mlir) {
    int n = 0;
    for (int i = 0; i < argc; i++) {
        const int taken = i > 0 ? mlir_option(argc, argv, i, mlir) : 0;
        if (taken > 0) {
            i += taken - 1;
            continue;
        }
        if ((words[n] = with_dashes(argv[i])) == NULL) return -1;
        n++;
    }
    return n;
}

static int run_words(int n, char **words, const PtoasOptions *mlir) {
    Options opt = OPTIONS_INIT;
    opt.ptoas = *mlir;
    int rc = options_more(&ptoas_command, n, words, &opt);
    if (rc == TROUBLE) failed("the command line is wrong");
    return rc < 0 ? ptoas_command.run(&opt) : rc;
}

int ptoas_main(int argc, char **argv) {
    char **words = calloc((size_t)argc + 1, sizeof *words);
    char **list = calloc((size_t)argc + 1, sizeof *list);
    PtoasOptions mlir = {.dumps = 0};
    int rc = TROUBLE;
    const int n = words != NULL && list != NULL ? take_words(argc, argv, words, &mlir) : -1;
    if (n >= 0) {
        memcpy(list, words, (size_t)n * sizeof *list); /* parsing reorders the words */
        rc = run_words(n, list, &mlir);
    } else {
        trouble("out of memory");
    }
    for (int i = 0; words != NULL && words[i] != NULL; i++)
        free(words[i]);
    free(words);
    free(list);
    return rc == FINE ? FINE : REJECTED;
}
