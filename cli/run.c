/* SPDX-License-Identifier: Apache-2.0 */
/* ptoasm run: emits C, compiles it, calls it with the arguments of the command line, and writes
 * the results. Wrong usage and I/O errors are TROUBLE; arguments that do not fit the program are
 * REJECTED, with the line of the parameter. */
#include "cli/dump.h"
#include "cli/run_report.h"
#include "ir/profile.h"

#include "support/number.h"
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Says which chip a program is judged for that --profile does not name. Returns FINE, or TROUBLE
 * after a message. */
static int say_profile(const ptoasm_result *res) {
    const uint32_t profiles = ptoasm_result_profiles(res);
    char unknown[80];
    if (ptoasm_result_unknown_chip(res, unknown, sizeof unknown))
        return trouble("the module is for the unknown chip '%s': --profile says what to run it as",
                       unknown);
    const int p = __builtin_ctz(profiles);
    fprintf(stderr, "ptoasm: sanitizing for profile %s%s\n", profile_names[p],
            profile_infos[p].chip ? "" : ", which has no pipes");
    return FINE;
}

/* True when an error is about an option: a line without a statement, an unknown value. */
static bool option_is_wrong(const ptoasm_result *res) {
    ptoasm_diagnostic d;
    for (size_t i = 0; ptoasm_diagnostic_at(res, i, &d); i++)
        if (strncmp(d.message, "--dump", 6) == 0 || strncmp(d.message, "--expect", 8) == 0)
            return true;
    return false;
}

/* Emits with the statements that print and hand out values, and runs. */
static int run_source(const ptoasm_source *src, const char *file, const Options *opt,
                      TileWish *wishes, unsigned nwishes, ptoasm_result **res) {
    ptoasm_print prints[MOST_PRINTS];
    ptoasm_dump dumps[MOST_REQUESTS];
    for (size_t i = 0; i < opt->run.nprints; i++)
        prints[i] = (ptoasm_print){opt->run.prints[i].name, opt->run.prints[i].line};
    const ptoasm_emit_options emit = {.size = sizeof emit,
                                      .checked = !opt->run.unchecked,
                                      .sanitize = opt->sanitize,
                                      .no_fuse = opt->no_fuse,
                                      .trap = opt->run.trap,
                                      .shadow = opt->run.shadow,
                                      .cover = opt->run.coverage != NULL,
                                      .prints = prints,
                                      .nprints = opt->run.nprints,
                                      .dumps = dumps,
                                      .ndumps = dump_requests(opt, wishes, nwishes, dumps)};
    /* With one thread, output is in the order of the blocks. */
    if (emit.shadow) setenv("PTORT_THREADS", "1", 1);
    if (emit.nprints + emit.ndumps > 0 || emit.trap) setenv("PTORT_THREADS", "1", 0);
    const int status = ptoasm_emit(src, &opt->judge, &emit, res);
    if (*res == NULL) return status_trouble(file, status);
    if (!run_report_on()) print_diagnostics(*res, opt);
    int rc = exit_of_emission(status);
    if (rc == REJECTED && option_is_wrong(*res)) return TROUBLE;
    if (rc == FINE && opt->sanitize && opt->judge.profiles == 0) rc = say_profile(*res);
    return rc == FINE ? run_emitted(file, *res, opt, wishes, nwishes) : rc;
}

static int run_file(Options *opt) {
    Input in = {.name = opt->args[0]};
    ptoasm_source *src = NULL;
    ptoasm_result *res = NULL;
    TileWish wishes[MOST_EXPECTS];
    unsigned nwishes = 0;
    int rc = input_open(opt->args[0], &in, &src);
    const bool opened = rc == FINE;
    if (rc == FINE) rc = tile_wishes_read(opt, wishes, &nwishes);
    if (rc == FINE) rc = run_source(src, in.name, opt, wishes, nwishes, &res);
    if (run_report_on()) rc = run_report_end(in.name, res, rc);
    tile_wishes_free(wishes, nwishes);
    ptoasm_result_free(res);
    if (opened) {
        ptoasm_source_close(src);
        input_free(&in);
    }
    return rc;
}

static int run(Options *opt) {
    if (opt->nargs == 0) return usage_error(&run_command, "no file given");
    if (opt->run.ranks > 0 && opt->run.times > 0)
        return usage_error(&run_command, "--time and --ranks exclude each other");
    if (opt->run.ranks > 0 && opt->run.reference != NULL)
        return usage_error(&run_command, "--reference and --ranks exclude each other");
    if (opt->sanitize && opt->run.unchecked)
        return usage_error(&run_command, "--sanitize and --unchecked exclude each other");
    if (opt->sanitize && opt->run.times > 0)
        return usage_error(&run_command, "--sanitize and --time exclude each other");
    if (opt->run.shadow && opt->run.times > 0)
        return usage_error(&run_command, "--shadow and --time exclude each other");
    if (opt->run.shadow && opt->run.ranks > 0)
        return usage_error(&run_command, "--shadow and --ranks exclude each other");
    if (opt->judge.sync != 0 && !opt->sanitize)
        return usage_error(&run_command, "--sync is for --sanitize");
    if ((opt->judge.sync & PTOASM_SYNC_REPORT) != 0)
        return usage_error(&run_command, "--sync=report is for check");
    if (opt->list && opt->nargs > 1)
        return usage_error(&run_command, "--list takes a file and nothing else");
    if (opt->run.dump[0] != '\0' && opt->run.times > 0)
        return usage_error(&run_command, "--time and --dump exclude each other");
    if (opt->json && (opt->list || opt->run.times > 0))
        return usage_error(&run_command, "--format=json excludes --list and --time");
    if (opt->judge.profiles == 0 && !opt->sanitize) opt->judge.profiles = PTOASM_PROFILE_CPU;
    if (opt->json) run_report_begin();
    return run_file(opt);
}

static bool set_ranks(Options *opt, const char *value) {
    uint64_t n;
    if (!number_from_text(value, 4096, &n) || n == 0) return false;
    opt->run.ranks = (uint32_t)n;
    return true;
}

/* A static program cannot load libraries. */
#ifndef PTOASM_STANDALONE
static bool set_cc(Options *opt, const char *value) {
    opt->run.cc = value;
    return value[strspn(value, " \t")] != '\0';
}

static bool set_link(Options *opt, const char *value) {
    if (opt->run.nlinks == MAX_LINKS || *value == '\0') return false;
    opt->run.links[opt->run.nlinks++] = value;
    return true;
}
#endif

static bool set_expect(Options *opt, const char *value) {
    enum { MOST = sizeof opt->run.expects / sizeof opt->run.expects[0] };
    if (opt->run.nexpects == MOST || strchr(value, '=') == NULL) return false;
    opt->run.expects[opt->run.nexpects++] = value;
    return true;
}

static bool set_trap(Options *opt, const char *value) {
    return opt->run.trap = strcmp(value, "nan") == 0;
}

static bool set_shadow(Options *opt, const char *value) {
    return opt->run.shadow = strcmp(value, "f64") == 0;
}

static bool set_coverage(Options *opt, const char *value) {
    opt->run.coverage = value;
    return *value != '\0';
}

static bool set_reference(Options *opt, const char *value) {
    opt->run.reference = value;
    return *value != '\0';
}

/* Parses `%v` or `%v@LINE`; the % is optional. */
static bool set_print(Options *opt, const char *value) {
    if (*value == '%') value++;
    size_t n = strcspn(value, "@");
    uint64_t line = 0;
    if (opt->run.nprints == MOST_PRINTS || n == 0 || n >= sizeof opt->run.prints->name)
        return false;
    if (value[n] == '@' && (!number_from_text(value + n + 1, UINT32_MAX, &line) || line == 0))
        return false;
    Wish *wish = &opt->run.prints[opt->run.nprints++];
    memcpy(wish->name, value, n);
    wish->name[n] = '\0';
    wish->line = (uint32_t)line;
    return true;
}

/* Parses `DIR` or `DIR:LINE[,LINE...]`. */
static bool set_dump(Options *opt, const char *value) {
    const char *colon = strrchr(value, ':');
    size_t n = strlen(value);
    opt->run.ndump_lines = 0;
    if (colon != NULL && colon[1] == '\0') return false;
    if (colon != NULL && colon[1 + strspn(colon + 1, "0123456789,")] == '\0') {
        n = (size_t)(colon - value);
        for (const char *p = colon + 1;; p++) {
            char digits[16];
            uint64_t line;
            const size_t length = strcspn(p, ",");
            if (length >= sizeof digits || opt->run.ndump_lines == MOST_DUMP_LINES) return false;
            memcpy(digits, p, length);
            digits[length] = '\0';
            if (!number_from_text(digits, UINT32_MAX, &line) || line == 0) return false;
            unsigned i = 0;
            while (i < opt->run.ndump_lines && opt->run.dump_lines[i] != line)
                i++;
            opt->run.dump_lines[i] = (uint32_t)line;
            if (i == opt->run.ndump_lines) opt->run.ndump_lines++;
            p += length;
            if (*p == '\0') break;
        }
    }
    if (n == 0 || n >= sizeof opt->run.dump) return false;
    memcpy(opt->run.dump, value, n);
    opt->run.dump[n] = '\0';
    return true;
}

static bool set_core(Options *opt, const char *value) {
    for (opt->run.only_core = CORES; opt->run.only_core-- > 0;)
        if (strcmp(value, place_names[opt->run.only_core]) == 0) return true;
    return false;
}

static bool set_tolerance(double *to, const char *value) {
    return number_read(value, strlen(value), to) && *to >= 0 && *to <= DBL_MAX;
}

bool set_rtol(Options *opt, const char *value) {
    return set_tolerance(&opt->run.rtol, value);
}

bool set_atol(Options *opt, const char *value) {
    return set_tolerance(&opt->run.atol, value);
}

bool set_ulp(Options *opt, const char *value) {
    return number_from_text(value, UINT64_MAX, &opt->run.ulp);
}

static bool set_time(Options *opt, const char *value) {
    uint64_t n = 1;
    if (value != NULL && (!number_from_text(value, 1000000, &n) || n == 0)) return false;
    opt->run.times = (uint32_t)n;
    return true;
}

/* The runtime reads the variable when it starts its threads. */
static bool set_threads(Options *opt, const char *value) {
    uint64_t n;
    (void)opt;
    return number_from_text(value, 256, &n) && n > 0 && setenv("PTORT_THREADS", value, 1) == 0;
}

static bool set_list(Options *opt, const char *value) {
    (void)value;
    return opt->list = true;
}

static bool set_unchecked(Options *opt, const char *value) {
    (void)value;
    return opt->run.unchecked = true;
}

static const OptionRow rows[] = {
    {"entry", 0, "NAME", "the function to run (default: the only one)", "a name", set_entry},
    {"grid", 0, "N", "run N blocks (default 1)", "a number from 0 to 2147483647", set_grid},
    {"ranks", 0, "N",
     "run on N ranks at once, which pto.comm.* joins; in arguments and\n"
     "--expect, '@' becomes the number of the rank",
     "a number from 1 to 4096", set_ranks},
#ifndef PTOASM_STANDALONE
    {"cc", 0, "COMMAND",
     "compile with COMMAND, such as gcc (default: $CC, else the compiler\n"
     "that is linked in, else tcc or cc)",
     "a command", set_cc},
    {"link", 0, "FILE.so",
     "take functions that the program declares and does not define from\n"
     "FILE.so, a path with a slash or a name that the loader finds. May be\n"
     "given several times",
     "a file, or too many", set_link},
#endif
    {"expect", 0, "NAME[@LINE]=FILE.npy",
     "compare the array of %NAME with the one in the file after the run, or\n"
     "the tile %NAME after LINE has run last (an array of 3 dimensions: each\n"
     "time); exit code 1 when they differ. May be given several times",
     "of the form NAME=FILE.npy, or too many", set_expect},
    {"reference", 0, "COMMAND",
     "run COMMAND with sh before the function; {} in it and in --expect is\n"
     "a folder: in/NAME.npy and args.json have the arguments, and what\n"
     "COMMAND writes to it can be expected, as in --expect='y={}/out/y.npy'",
     "a command", set_reference},
    {"rtol", 0, "X", "an element may differ by X times the expected one (default 0)",
     "a number from 0", set_rtol},
    {"atol", 0, "X", "... and by X more (default 0)", "a number from 0", set_atol},
    {"ulp", 0, "N", "... or be N numbers of its type away (default 0)", "a number from 0", set_ulp},
    {"print", 0, "%V[@LINE]",
     "print the tile, register, mask or number %V as a small table: where\n"
     "its block ends, or each time LINE has run. On one thread, without\n"
     "--threads. May be given several times",
     "of the form %VALUE or %VALUE@LINE, or too many", set_print},
    {"dump", 0, "DIR[:LINE,..]",
     "write every tile or register that a statement (or those in these\n"
     "lines) defines to a .npy file in DIR, with a list in DIR/index.json",
     "a folder, with at most 64 lines", set_dump},
    {"trap", 0, "nan",
     "stop at the first statement that makes NaN or infinity from finite\n"
     "inputs",
     "nan", set_trap},
    {"shadow", 0, "f64",
     "compute every tile of floats in f64, too, and print at which lines\n"
     "the relative error grows most. On one thread",
     "f64", set_shadow},
    {"coverage", 0, "FILE",
     "write to FILE as JSON which ways through the program were taken:\n"
     "branches, trips of loops, partial tiles, blocks without work",
     "a file name", set_coverage},
    {"block", 0, "N", "print, dump and compare tiles of this block only", "a number from 0",
     set_block},
    {"core", 0, "CORE", "... of this core of a block only: vec0, vec1 or cube",
     "vec0, vec1 or cube", set_core},
    {"format", 0, "F", "json: one object on standard output says what happened", "json or text",
     set_json},
    {"time", 0, "[=N]", "run N times (default 1) on the same data and print the times",
     "a number from 1 to 1000000", set_time},
    {"threads", 0, "N", "run on N threads (default: one for each core)", "a number from 1 to 256",
     set_threads},
    {"list", 0, NULL,
     "list the functions: line, parameters with their C types, elements\nand sizes", NULL,
     set_list},
    {"unchecked", 0, NULL,
     "do not stop at accesses outside the arguments; faster, and anything\n"
     "may happen",
     NULL, set_unchecked},
    OPTION_FUSE,
    {"sanitize", 0, NULL,
     "find reads of what nothing has written, accesses that nothing\norders, and wrong use of "
     "flags and entries",
     NULL, set_sanitize},
    {"sync", 0, "HOW",
     "with --sanitize, all: judge the pipes of all functions, also of\nthose without flags; "
     "strict: by the documented order of the pipes",
     "a list of all and strict", set_sync},
    {"profile", 0, "P",
     "run the program as profile P: " PROFILES_OR " (default: cpu; with\n--sanitize the module's, "
     "else a2a3)",
     PROFILES_OR, set_profile},
    OPTION_LEVEL,
    OPTION_LOCATIONS,
    OPTION_COMMON,
};

const Command run_command = {
    .name = "run",
    .usage = "[OPTION]... FILE [NAME=]ARG...",
    .summary = "Runs a function of a program on this machine.",
    .details =
        "There is one ARG for each parameter: those with a NAME go to the parameter %NAME, the\n"
        "others to those that are left, in order. For a pointer ARG is\n"
        "  FILE.npy       the array in the file\n"
        "  zeros, ones    an array of zeros, of ones\n"
        "  iota           0, 1, 2 ...\n"
        "  random:SEED    floats in [-1, 1), integers over their whole range\n"
        "  >FILE.npy      zeros; written to the file after a successful run. It may follow each\n"
        "                 of the above: in.npy>out.npy. With --sanitize, memory that nothing\n"
        "                 has written, if it is the whole ARG\n"
        "  out=FILE.npy   the same as >FILE.npy\n"
        "An array that is not a file has the type of the pointer, and the size that the views of\n"
        "the program imply. :SHAPE or :TYPExSHAPE gives both, as in zeros:32x64 or\n"
        "'>y.npy:f32x32x64'; it is required where no view determines the size. A .npy file has no\n"
        "bf16 and no floats of 8 bits or less: their bits are read and written as unsigned\n"
        "integers.\n"
        "A tile takes the same: an array of its rows and columns, its memory in the layout of the\n"
        "type, all of it valid where the type leaves that open. A view takes an array of its\n"
        "shape in row-major order; extents that its type leaves open come from the file or from\n"
        ":SHAPE.\n"
        "With --ranks, window:BYTES for a pointer to i64 is memory of that size on every rank:\n"
        "word 2 holds the rank in its low half and the number of ranks in its high half, word 3\n"
        "the bytes, word 4 + r the address of the memory of rank r.\n"
        "For any other parameter ARG is a number: of a float of 8 bits or less its bits, of a\n"
        "vector<4xi16> four with commas or one for all.\n"
        "Integers named %__pypto_spmd_block_idx, %__pypto_spmd_block_num and\n"
        "%__pypto_spmd_subblock_idx take no ARG: every core gets the index of its block, the\n"
        "number of blocks (--grid) and the index of its sub-block.\n\n"
        "The function may touch its arguments and nothing else. The exit code is 1 when it, or an\n"
        "argument, goes beyond what the other allows, or a result is not as expected; the\n"
        "message has the line of the program.\n"
        "PTOASM_RUNTIME names the prefix of an installation, a build folder or a folder with\n"
        "ptort_emitted.h and libptort.so; without it the runtime is searched for beside this\n"
        "program.\n",
    .rows = rows,
    .examples = "  ptoasm run --list add.pto\n"
                "  ptoasm run --expect=y=gold.npy --rtol=1e-5 add.pto x.npy zeros 1.5\n"
                "  ptoasm run add.pto x.npy '>y.npy' 1.5\n"
                "  ptoasm run --print=%tile add.pto iota zeros 1.5\n"
                "  ptoasm run --sanitize --grid=2 add.pto x.npy '>y.npy' 1.5\n"
                "  ptoasm run --ranks=4 sum.pto ctx=window:65536 x@.npy '>y@.npy'\n"
                "  ptoasm run --entry=scale --grid=4 k.pto random:1 n=64 out=y.npy:f16x64\n",
    .numbers = true,
    .run = run,
};
