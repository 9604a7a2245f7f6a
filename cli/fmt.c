/* SPDX-License-Identifier: Apache-2.0 */
/* ptoasm fmt: prints programs in the canonical layout, in the requested form. */
#include "cli/cli.h"
#include "cli/diff.h"
#include "cli/walk.h"

#include <stdio.h>
#include <string.h>

/* Writes the formatted text to a file or standard output, or only compares it. */
static int deliver(const Input *in, const char *path, const char *text, size_t size,
                   const Options *opt) {
    bool same = size == in->size && (size == 0 || memcmp(text, in->data, size) == 0);
    if (opt->fmt.check) {
        if (same) return FINE;
        fprintf(stderr, "%s: not formatted\n", in->name);
        if (!diff_print(in->name, in->data, in->size, text, size)) return trouble("out of memory");
        return REJECTED;
    }
    if (opt->fmt.in_place) return same ? FINE : output_file(path, text, size);
    return output_file(opt->out != NULL ? opt->out : "-", text, size);
}

static int format_text(const Input *in, const char *path, const ptoasm_source *src,
                       const Options *opt) {
    ptoasm_result *res;
    int status = ptoasm_format(src, &opt->judge, opt->fmt.form, &res), rc;
    if (res == NULL) {
        rc = status_trouble(in->name, status);
    } else {
        print_diagnostics(res, opt);
        size_t size = 0;
        const char *text = ptoasm_result_text(res, &size);
        rc = status == PTOASM_OK && text != NULL ? deliver(in, path, text, size, opt) : REJECTED;
    }
    ptoasm_result_free(res);
    return rc;
}

static int format_file(const FileItem *file, const Options *opt) {
    Input in;
    ptoasm_source *src;
    const char *reason = file->reason;
    if (reason == NULL) reason = input_try(file->name, file->found, &in);
    if (reason != NULL) return trouble("cannot read '%s': %s", file->name, reason);
    int status = ptoasm_source_open(in.name, in.data, in.size, PTOASM_SOURCE_BORROW, &src);
    int rc = status == PTOASM_OK ? format_text(&in, file->name, src, opt)
                                 : status_trouble(in.name, status);
    ptoasm_source_close(src);
    input_free(&in);
    return rc;
}

static int format_all(const FileList *files, const Options *opt) {
    if (opt->out != NULL && files->n > 1)
        return usage_error(&fmt_command, "-o takes one input file");
    int worst = FINE;
    for (size_t i = 0; i < files->n; i++) {
        int rc = format_file(&files->items[i], opt);
        worst = rc > worst ? rc : worst;
    }
    return worst;
}

static int run(Options *opt) {
    const Command *cmd = &fmt_command;
    if (opt->nargs == 0) return usage_error(cmd, "no file given");
    if (opt->fmt.in_place + opt->fmt.check + (opt->out != NULL) > 1)
        return usage_error(cmd, "-i, -o and --check exclude each other");
    for (int i = 0; i < opt->nargs; i++)
        if (opt->fmt.in_place && strcmp(opt->args[i], "-") == 0)
            return usage_error(cmd, "-i cannot rewrite standard input");
    if (opt->judge.rewrite != 0 &&
        (opt->fmt.form == PTOASM_FORM_SSA || opt->fmt.form == PTOASM_FORM_AS))
        return usage_error(cmd, "addresses need tiles, which --form=ssa and as do not have");
    if ((opt->judge.rewrite & PTOASM_REWRITE_SYNC) != 0 &&
        opt->judge.profiles == PTOASM_PROFILE_CPU)
        return usage_error(cmd, "--insert-sync is for devices: the profile cpu has no pipes");
    FileList files;
    int rc = files_list(&files, opt, ".pto") ? format_all(&files, opt) : trouble("out of memory");
    files_free(&files);
    return rc;
}

static bool set_form(Options *opt, const char *value) {
    static const char *const names[] = {
        [PTOASM_FORM_KEEP] = "keep", [PTOASM_FORM_DPS] = "dps",         [PTOASM_FORM_SSA] = "ssa",
        [PTOASM_FORM_AS] = "as",     [PTOASM_FORM_GENERIC] = "generic",
    };
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(value, names[i]) == 0) {
            opt->fmt.form = (enum ptoasm_form)i;
            return true;
        }
    }
    return false;
}

static bool set_addresses(Options *opt, const char *value) {
    (void)value;
    opt->judge.rewrite |= PTOASM_REWRITE_ADDRESSES;
    return true;
}

static bool set_insert_sync(Options *opt, const char *value) {
    (void)value;
    opt->judge.rewrite |= PTOASM_REWRITE_ADDRESSES | PTOASM_REWRITE_SYNC;
    return true;
}

static bool set_scopes(Options *opt, const char *value) {
    (void)value;
    opt->judge.rewrite |= PTOASM_REWRITE_SCOPES;
    return true;
}

static bool set_lower(Options *opt, const char *value) {
    opt->judge.rewrite |= PTOASM_REWRITE_MICRO;
    return strcmp(value, "micro") == 0;
}

static bool set_in_place(Options *opt, const char *value) {
    (void)value;
    return opt->fmt.in_place = true;
}

static bool set_check(Options *opt, const char *value) {
    (void)value;
    return opt->fmt.check = true;
}

static const OptionRow rows[] = {
    {"form", 0, "FORM",
     "keep: each statement as it is written (default); dps: with\n"
     "ins() and outs(); ssa, as: tiles as results; generic",
     "keep, dps, ssa, as or generic", set_form},
    {"addresses", 0, NULL,
     "give every tile its planned address: a program of level 3;\nnot with --form=ssa or as", NULL,
     set_addresses},
    {"insert-sync", 0, NULL,
     "insert the flags and barriers that the pipes need, with\n--addresses; the result is proved",
     NULL, set_insert_sync},
    {"scopes", 0, NULL, "put vector scopes around vector code that is in none", NULL, set_scopes},
    {"lower", 0, "LEVEL", "micro: replace logical vectors by registers", "micro", set_lower},
    {"in-place", 'i', NULL, "rewrite the files", NULL, set_in_place},
    {"o", 'o', "OUT", "write to OUT (default: standard output)", "a file name", set_out},
    {"check", 0, NULL,
     "write nothing; show what would change, and exit with 1 when\nsomething would", NULL,
     set_check},
    OPTION_EXCLUDE,
    OPTION_JUDGE,
    OPTION_COMMON,
};

const Command fmt_command = {
    .name = "fmt",
    .usage = "[OPTION]... FILE...",
    .summary = "Prints programs in one layout; comments and names stay.",
    .details = "FILE is a file, a folder (all files *.pto in it and below it, sorted by name;\n"
               "names that begin with a dot are left out), or - for standard input. @FILE is\n"
               "replaced by the words in FILE. A file that cannot be read as a program\n"
               "is left alone; -i replaces a file as a whole or not at all, and keeps its mode.\n"
               "\n"
               "--check prints a unified difference on standard output for each file that is not\n"
               "in the layout. The exit code is 0 when all is well, 1 when --check found such a\n"
               "file or one that is not a program, and 2 for wrong usage and when a file could\n"
               "not be read or written.\n"
               "\n"
               "--form=dps, --form=ssa, --addresses, --insert-sync, --scopes and --lower need a\n"
               "legal program and exit with 1 otherwise. --insert-sync does not change a function\n"
               "that has flags, events or buffers; it refuses a program whose pipes it cannot\n"
               "prove ordered. --lower=micro names each statement that it cannot lower, and then\n"
               "writes nothing.\n",
    .rows = rows,
    .examples = "  ptoasm fmt -i kernel.pto\n"
                "  ptoasm fmt --check kernels/\n"
                "  ptoasm fmt --form=dps kernel.pto -o kernel_dps.pto\n",
    .argfiles = true,
    .run = run,
};
