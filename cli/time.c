/* SPDX-License-Identifier: Apache-2.0 */
/* ptoasm time: how long a program takes on the chip, from its text. */
#include "cli/timed.h"

#include <string.h>

static int run(Options *opt) {
    if (opt->time.points != NULL && opt->nargs == 0) return time_points(opt);
    return usage_error(&time_command, "no file given");
}

static bool set_law(Options *opt, const char *value) {
    opt->time.vendor = strcmp(value, "vendor") == 0;
    return opt->time.vendor || strcmp(value, "device") == 0;
}

static bool set_points(Options *opt, const char *value) {
    opt->time.points = value;
    return true;
}

static bool set_params(Options *opt, const char *value) {
    opt->time.params = value;
    return true;
}

static bool set_set(Options *opt, const char *value) {
    if (opt->time.nsets == MOST_SETS || strchr(value, '=') == NULL) return false;
    opt->time.sets[opt->time.nsets++] = value;
    return true;
}

static const OptionRow rows[] = {
    {"law", 0, "LAW",
     "device (default): as measured on devices; vendor: as the vendor's\nmodel of calls, to "
     "compare "
     "with its simulator",
     "device or vendor", set_law},
    {"points", 0, "FILE", "print the rows of FILE, each about one instruction, with the cycles",
     "a file name", set_points},
    {"params", 0, "FILE", "replace parameters by those in FILE", "a file name", set_params},
    {"set", 0, "NAME=N", "replace one parameter, such as gm-ub-start=264", "NAME=NUMBER", set_set},
    {"o", 'o', "OUT", "write to OUT instead of standard output", "a file name", set_out},
    OPTION_COMMON,
};

const Command time_command = {
    .name = "time",
    .usage = "[OPTION]... --points=FILE",
    .summary = "Estimates how long instructions take on the chip.",
    .details =
        "Prices instructions by published measurements and models; nothing is run. The rows\n"
        "of FILE have the columns source, profile, instr, dtype, rows, cols, vrows, vcols\n"
        "and extra, separated by tabs; the output has one more, the cycles.\n",
    .rows = rows,
    .examples = "  ptoasm time --points=points.tsv\n"
                "  ptoasm time --law=vendor --points=points.tsv -o priced.tsv\n",
    .run = run,
};
