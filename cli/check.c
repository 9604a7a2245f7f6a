/* ptoasm check: is the program legal? */
#include "cli/cli.h"

static int check_file(const char *path, const Options *opt) {
    Input in;
    ptoasm_source *src;
    int rc = input_open(path, &in, &src);
    if (rc != FINE) return rc;
    ptoasm_result *res;
    ptoasm_options judge = opt->judge;
    judge.verdicts = (judge.profiles & (judge.profiles - 1)) != 0; /* of several profiles */
    int status = ptoasm_check(src, &judge, &res);
    if (res == NULL) {
        rc = status_trouble(in.name, status);
    } else {
        print_diagnostics(res, opt);
        rc = status == PTOASM_OK ? FINE : REJECTED;
        if (judge.verdicts && print_portability(res, in.name, judge.profiles) != FINE) rc = TROUBLE;
    }
    ptoasm_result_free(res);
    ptoasm_source_close(src);
    input_free(&in);
    return rc;
}

static int run(Options *opt) {
    if (opt->nargs == 0) return usage_error(&check_command, "no file given");
    int worst = FINE;
    for (int i = 0; i < opt->nargs; i++) {
        int rc = check_file(opt->args[i], opt);
        worst = rc > worst ? rc : worst;
    }
    return worst;
}

static const OptionRow rows[] = {
    {"profile", 0, "P[,P...]",
     "judge for each of these profiles: cpu, a2a3, a5, or all\n(default: the module's, else a2a3); "
     "of several, a table\nsays which instructions each accepts",
     "a list of cpu, a2a3 and a5, or all", set_profiles},
    {"pto-arch", 0, "A", "the vendor's spelling of --profile: a2, a3 or a5", "a2, a3 or a5",
     set_profile},
    OPTION_LEVEL,
    OPTION_COMMON,
};

const Command check_command = {
    .name = "check",
    .usage = "[OPTION]... FILE...",
    .summary = "Checks programs; prints nothing when they are legal.",
    .details =
        "FILE may be - for standard input. Errors go to standard error, with an id in\n"
        "brackets that is stable. For several profiles a portability table goes to standard\n"
        "output: per function one line when all of them accept it, else who accepts which\n"
        "instruction, and whether the tiles fit the on-chip memory. The exit code is 1 when\n"
        "one of the profiles rejects a program.\n",
    .rows = rows,
    .examples = "  ptoasm check kernel.pto\n"
                "  ptoasm check --profile=a2a3,a5 --level=2 a.pto b.pto\n",
    .run = run,
};
