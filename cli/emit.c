/* SPDX-License-Identifier: Apache-2.0 */
/* ptoasm emit: lowers a program to C. */
#include "cli/cli.h"
#include "cli/describe.h"

#include <string.h>

/* Writes both files or none: both are complete under temporary names before the first rename. */
static int write_both(const ptoasm_result *res, const Options *opt) {
    size_t size, header_size = 0;
    const char *text = ptoasm_result_text(res, &size);
    const char *header = ptoasm_result_header(res, &header_size);
    if (opt->emit.header == NULL) return output_file(opt->out, text, size);
    Output c, h;
    int rc = output_open(&c, opt->out);
    if (rc != FINE) return rc;
    rc = output_open(&h, opt->emit.header);
    if (rc != FINE) {
        output_drop(&c);
        return rc;
    }
    if (output_write(&c, text, size) && output_write(&h, header, header_size)) {
        rc = output_commit(&c);
        if (rc == FINE) return output_commit(&h);
    } else {
        rc = TROUBLE;
    }
    output_drop(&c);
    output_drop(&h);
    return rc;
}

/* Writes the outputs and the description. */
static int write_all(const char *file, const ptoasm_result *res, const Options *opt) {
    Description d;
    int rc = description_open(&d, opt->emit.describe);
    if (rc == FINE) rc = description_add(&d, file, res);
    if (rc == FINE) rc = write_both(res, opt);
    const int closed = description_close(&d, rc == FINE);
    return rc == FINE ? closed : rc;
}

static int run(Options *opt) {
    const Command *cmd = &emit_command;
    if (opt->nargs != 1)
        return usage_error(cmd, opt->nargs == 0 ? "no file given" : "more than one file given");
    if (opt->out == NULL)
        return usage_error(cmd, "no output given: -o OUT, or -o - for standard output");
    if (opt->emit.cpp && (opt->judge.profiles & PTOASM_PROFILE_CPU) != 0)
        return usage_error(cmd, "--to=cpp is for the devices, not for --profile=cpu");
    if (opt->emit.cpp && (opt->emit.header != NULL || opt->emit.checked || opt->sanitize))
        return usage_error(cmd, "--header, --checked and --sanitize are for --to=c");
    if (!opt->emit.cpp && (opt->emit.embed || opt->emit.describe != NULL))
        return usage_error(cmd, "--embed and --describe are for --to=cpp");
    if (!opt->emit.cpp && opt->judge.rewrite != 0)
        return usage_error(cmd, "--insert-sync is for --to=cpp: the CPU orders statements itself");
    const char *path = opt->args[0];
    if (same_file(path, opt->out) ||
        (opt->emit.header != NULL && same_file(path, opt->emit.header)))
        return trouble("'%s' would be overwritten by its own output", path);
    if (opt->emit.header != NULL && strcmp(opt->out, opt->emit.header) == 0)
        return trouble("the code and the header cannot both go to '%s'", opt->out);
    if (opt->emit.describe != NULL && strcmp(opt->out, opt->emit.describe) == 0)
        return trouble("the code and its description cannot both go to '%s'", opt->out);
    Input in;
    ptoasm_source *src;
    int rc = input_open(path, &in, &src);
    if (rc != FINE) return rc;
    const ptoasm_emit_options emit = {.size = sizeof emit,
                                      .lines = opt->emit.lines,
                                      .checked = opt->emit.checked,
                                      .sanitize = opt->sanitize,
                                      .no_fuse = opt->no_fuse,
                                      .header = opt->emit.header != NULL,
                                      .header_name = opt->emit.header,
                                      .cpp = opt->emit.cpp,
                                      .no_comments = opt->emit.no_comments,
                                      .embed = opt->emit.embed,
                                      .describe = opt->emit.describe != NULL};
    ptoasm_result *res;
    int status = ptoasm_emit(src, &opt->judge, &emit, &res);
    if (res == NULL) {
        rc = status_trouble(in.name, status);
    } else {
        print_diagnostics(res, opt);
        rc = exit_of_emission(status);
        if (rc == FINE) rc = write_all(in.name, res, opt);
    }
    ptoasm_result_free(res);
    ptoasm_source_close(src);
    input_free(&in);
    return rc;
}

static bool set_to(Options *opt, const char *value) {
    opt->emit.cpp = strcmp(value, "cpp") == 0;
    return opt->emit.cpp || strcmp(value, "c") == 0;
}

static bool set_lines(Options *opt, const char *value) {
    (void)value;
    return opt->emit.lines = true;
}

static bool set_checked(Options *opt, const char *value) {
    (void)value;
    return opt->emit.checked = true;
}

static bool set_no_comments(Options *opt, const char *value) {
    (void)value;
    return opt->emit.no_comments = true;
}

static bool set_insert_sync(Options *opt, const char *value) {
    (void)value;
    opt->judge.rewrite |= PTOASM_REWRITE_ADDRESSES | PTOASM_REWRITE_SYNC;
    return true;
}

static bool set_header(Options *opt, const char *value) {
    opt->emit.header = value;
    return *value != '\0';
}

static const OptionRow rows[] = {
    {"o", 'o', "OUT", "write the code to OUT; - is standard output", "a file name", set_out},
    {"to", 0, "LANG", "the language: c (default), or cpp for the device", "c or cpp", set_to},
    {"header", 0, "FILE", "write the prototypes to FILE", "a file name", set_header},
    {"debug", 'g', NULL,
     "#line directives: a debugger steps through FILE, or through\nthe file that loc(...) of a "
     "statement names",
     NULL, set_lines},
    {"insert-sync", 0, NULL, "with --to=cpp: insert the flags and barriers that the pipes need",
     NULL, set_insert_sync},
    OPTION_CPP,
    {"no-comments", 0, NULL, "no comments with the lines of FILE", NULL, set_no_comments},
    {"checked", 0, NULL, "the code stops at global accesses out of range", NULL, set_checked},
    {"sanitize", 0, NULL, "the code tells the sanitizer of libptort what it does", NULL,
     set_sanitize},
    OPTION_FUSE,
    OPTION_JUDGE,
    OPTION_LOCATIONS,
    OPTION_COMMON,
};

const Command emit_command = {
    .name = "emit",
    .usage = "[OPTION]... FILE -o OUT",
    .summary = "Translates a program to C that links with libptort, or to C++ for a device.",
    .details = "FILE may be - for standard input. Nothing is written when the program is\n"
               "rejected (exit code 1), or legal with an instruction that has no kernel yet\n"
               "(exit code 3).\n\n"
               "--to=cpp prints C++ on the vendor's tile library, for a device; it has no call\n"
               "for some instructions (exit code 3).\n",
    .rows = rows,
    .examples = "  ptoasm emit kernel.pto -o kernel.c --header=kernel.h\n"
                "  ptoasm emit --profile=cpu -g kernel.pto -o - | less\n"
                "  ptoasm emit --to=cpp --profile=a5 kernel.pto -o kernel.cpp\n",
    .run = run,
};
