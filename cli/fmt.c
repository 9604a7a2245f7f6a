/* ptoasm fmt: prints programs in one layout, in the form asked for. */
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

/* What becomes of the formatted text: a file, standard output, or only a comparison. */
static int deliver(const Input *in, const char *path, const char *text, size_t size,
                   const Options *opt) {
    bool same = size == in->size && (size == 0 || memcmp(text, in->data, size) == 0);
    if (opt->check) {
        if (!same) fprintf(stderr, "%s: not formatted\n", in->name);
        return same ? FINE : REJECTED;
    }
    if (opt->in_place) return same ? FINE : output_file(path, text, size);
    return output_file(opt->out != NULL ? opt->out : "-", text, size);
}

static int format_file(const char *path, const Options *opt) {
    Input in;
    ptoasm_source *src;
    int rc = input_open(path, &in, &src);
    if (rc != FINE) return rc;
    ptoasm_result *res;
    int status = ptoasm_format(src, &opt->judge, opt->form, &res);
    if (res == NULL) {
        rc = status_trouble(in.name, status);
    } else {
        print_diagnostics(res, opt);
        size_t size = 0;
        const char *text = ptoasm_result_text(res, &size);
        rc = status == PTOASM_OK && text != NULL ? deliver(&in, path, text, size, opt) : REJECTED;
    }
    ptoasm_result_free(res);
    ptoasm_source_close(src);
    input_free(&in);
    return rc;
}

static int run(Options *opt) {
    const Command *cmd = &fmt_command;
    if (opt->nargs == 0) return usage_error(cmd, "no file given");
    if (opt->in_place + opt->check + (opt->out != NULL) > 1)
        return usage_error(cmd, "-i, -o and --check exclude each other");
    if (opt->out != NULL && opt->nargs > 1) return usage_error(cmd, "-o takes one input file");
    for (int i = 0; i < opt->nargs; i++)
        if (opt->in_place && strcmp(opt->args[i], "-") == 0)
            return usage_error(cmd, "-i cannot rewrite standard input");
    int worst = FINE;
    for (int i = 0; i < opt->nargs; i++) {
        int rc = format_file(opt->args[i], opt);
        worst = rc > worst ? rc : worst;
    }
    return worst;
}

static bool set_form(Options *opt, const char *value) {
    static const char *const names[] = {
        [PTOASM_KEEP] = "keep", [PTOASM_DPS] = "dps",         [PTOASM_SSA] = "ssa",
        [PTOASM_AS] = "as",     [PTOASM_GENERIC] = "generic",
    };
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(value, names[i]) == 0) {
            opt->form = (enum ptoasm_form)i;
            return true;
        }
    }
    return false;
}

static bool set_in_place(Options *opt, const char *value) {
    (void)value;
    return opt->in_place = true;
}

static bool set_check(Options *opt, const char *value) {
    (void)value;
    return opt->check = true;
}

static const OptionRow rows[] = {
    {"form", 0, "FORM",
     "keep: each statement as it is written (default); dps: with\n"
     "ins() and outs(); ssa, as: tiles as results; generic",
     "keep, dps, ssa, as or generic", set_form},
    {"in-place", 'i', NULL, "rewrite the files", NULL, set_in_place},
    {"o", 'o', "OUT", "write to OUT (default: standard output)", "a file name", set_out},
    {"check", 0, NULL, "write nothing; exit 1 when a file is not formatted", NULL, set_check},
    {"max-errors", 0, "N", "stop after N errors, 0 = never (default 100)",
     "a number from 0 to 4294967295", set_max_errors},
    OPTION_COMMON,
};

const Command fmt_command = {
    .name = "fmt",
    .usage = "[OPTION]... FILE...",
    .summary = "Prints programs in one layout; comments and names stay.",
    .details = "FILE may be - for standard input. A file that cannot be read as a program is\n"
               "left alone.\n",
    .rows = rows,
    .examples = "  ptoasm fmt -i kernel.pto\n"
                "  ptoasm fmt --form=dps kernel.pto -o kernel_dps.pto\n",
    .run = run,
};
