/* SPDX-License-Identifier: Apache-2.0 */
/* Writes man pages in mdoc. */
#include "cli/manual/manual.h"

#include <ctype.h>
#include <string.h>

/* The date of the last change to the texts in this file. */
static const char page_date[] = "November 22, 2026";

static const char exit_codes[] =
    ".Bl -tag -width Ds\n"
    ".It 0\nDone; programs that were checked are legal.\n"
    ".It 1\nA program is rejected, or it ended with an error.\n"
    ".It 2\nWrong usage, or a file cannot be read or written.\n"
    ".It 3\nThe program is legal, but something in it cannot be emitted or run yet.\n"
    ".El\n";

/* Writes `n` bytes, escaped so that mdoc does not take them for macros. */
static void put(FILE *to, const char *s, size_t n) {
    if (n > 0 && (*s == '.' || *s == '\'')) fputs("\\&", to);
    for (size_t i = 0; i < n; i++) {
        static const char from[] = "\\-~^`'";
        static const char *const names[] = {"\\e", "\\-", "\\(ti", "\\(ha", "\\(ga", "\\(aq"};
        const char *special = strchr(from, s[i]);
        if (s[i] == '(' && i + 1 < n && s[i + 1] == ')')
            fputs("\\&", to); /* keeps mdoc from seeing a function's name */
        if (special != NULL)
            fputs(names[special - from], to);
        else
            fputc(s[i], to);
    }
}

/* Writes up to `n` bytes of running text, one sentence per line, breaking long lines. */
static void put_running(FILE *to, const char *s, size_t n) {
    enum { WIDTH = 64 };
    const char *end = s + n;
    size_t column = 0;
    while (s < end) {
        size_t word = strcspn(s, " \n");
        if (word > (size_t)(end - s)) word = (size_t)(end - s);
        if (word > 0) {
            if (column > 0 && column + word >= WIDTH) {
                fputc('\n', to);
                column = 0;
            }
            if (column > 0) fputc(' ', to);
            put(to, s, word);
            column += word + 1;
            if (s[word - 1] == '.' || s[word - 1] == '?') {
                fputc('\n', to);
                column = 0;
            }
        }
        s += word + (s + word < end);
    }
    if (column > 0) fputc('\n', to);
}

static void put_text(FILE *to, const char *s) {
    put_running(to, s, strlen(s));
}

/* Writes a word as the argument of a macro, escaped when it is the name of one. */
static void put_argument(FILE *to, const char *s, size_t n) {
    bool macro = n == 2 && isupper((unsigned char)s[0]) && islower((unsigned char)s[1]);
    if (macro || (n == 1 && strchr(".,:;()[]?!|", *s) != NULL)) fputs("\\&", to);
    put(to, s, n);
}

static bool is_literal(const char *line) {
    return line[0] == ' ' && line[1] == ' ';
}

/* Writes paragraphs of running text; lines that begin with blanks stay as they are. */
static void put_lines(FILE *to, const char *text) {
    bool first = true;
    while (*text != '\0') {
        const char *start = text;
        bool literal = is_literal(text);
        while (*text != '\0' && *text != '\n' && is_literal(text) == literal) {
            text += strcspn(text, "\n");
            text += *text == '\n';
        }
        if (literal) {
            fputs(".Bd -literal\n", to);
            put(to, start, (size_t)(text - start));
            fputs(".Ed\n", to);
        } else if (text > start) {
            if (!first) fputs(".Pp\n", to);
            put_running(to, start, (size_t)(text - start));
        }
        first = false;
        while (*text == '\n')
            text++;
    }
}

/* ---- the synopsis ---- */

static void put_usage_word(FILE *to, const char *s, size_t n) {
    bool more = n > 3 && memcmp(s + n - 3, "...", 3) == 0;
    if (more) n -= 3;
    bool optional = s[0] == '[' && s[n - 1] == ']';
    if (optional) s++, n -= 2;
    fputs(optional ? ".Op " : ".", to);
    if (*s == '-') {
        fputs("Fl ", to);
        put_argument(to, s + 1, n - 1);
    } else {
        fputs("Ar ", to);
        put_argument(to, s, n);
    }
    fputs(more ? " ...\n" : "\n", to);
}

static void put_synopsis(FILE *to, const Command *cmd) {
    fprintf(to, ".Sh SYNOPSIS\n.Nm ptoasm\n.Cm %s\n", cmd->name);
    for (const char *p = cmd->usage; *p != '\0';) {
        size_t n = strcspn(p, " ");
        put_usage_word(to, p, n);
        p += n + strspn(p + n, " ");
    }
}

/* ---- the options ---- */

static void put_option(FILE *to, const OptionRow *row) {
    fputs(".It ", to);
    if (row->letter != 0) fprintf(to, "Fl %c", row->letter);
    if (!option_is_letter(row)) fprintf(to, "%sFl \\-%s", row->letter != 0 ? " , " : "", row->name);
    if (row->value != NULL) {
        fputs(*row->value == '[' ? " Ns Ar " : option_is_letter(row) ? " Ar " : " Ns = Ns Ar ", to);
        put_argument(to, row->value, strlen(row->value));
    }
    fputc('\n', to);
    put_text(to, option_text(row->help));
}

static void put_options(FILE *to, const Command *cmd) {
    fputs(".Sh OPTIONS\n.Bl -tag -width Ds\n", to);
    for (const OptionRow *row = cmd->rows; row->name != NULL; row++)
        put_option(to, row);
    fputs(".El\n", to);
}

/* ---- the pages ---- */

static void put_title(FILE *to, const char *command, const char *summary) {
    size_t n = strlen(summary);
    fprintf(to, ".\\\" Made from the option tables.\n.Dd %s\n.Dt PTOASM", page_date);
    if (*command != '\0') fputc('-', to);
    for (const char *p = command; *p != '\0'; p++)
        fputc(toupper((unsigned char)*p), to);
    fprintf(to, " 1\n.Os\n.Sh NAME\n.Nm ptoasm%s%s\n.Nd ", *command != '\0' ? "-" : "", command);
    if (n > 0 && summary[n - 1] == '.') n--;
    fputc(tolower((unsigned char)summary[0]), to);
    put(to, summary + 1, n - 1);
    fputc('\n', to);
}

static void put_examples(FILE *to, const char *examples) {
    fputs(".Sh EXAMPLES\n", to);
    put_lines(to, examples);
}

static void put_see_also(FILE *to, const Command *cmd) {
    const char *separator = "";
    fputs(".Sh SEE ALSO\n", to);
    if (cmd != NULL) {
        fputs(".Xr ptoasm 1\n", to);
        return;
    }
    /* sorted by name, as readers of the list expect */
    const char *last = "";
    for (;;) {
        const char *next = NULL;
        for (size_t i = 0; commands[i] != NULL; i++)
            if (strcmp(commands[i]->name, last) > 0 &&
                (next == NULL || strcmp(commands[i]->name, next) < 0))
                next = commands[i]->name;
        if (next == NULL) break;
        fprintf(to, "%s.Xr ptoasm-%s 1", separator, next);
        separator = " ,\n";
        last = next;
    }
    fputc('\n', to);
}

static void write_overview(FILE *to) {
    put_title(to, "", "assembler, verifier and C emitter for PTO assembly");
    fputs(".Sh SYNOPSIS\n.Nm\n.Ar COMMAND\n.Op Ar OPTION ...\n.Ar FILE ...\n.Sh DESCRIPTION\n", to);
    put_text(to, "PTO assembly is the tile instruction set of Huawei Ascend NPUs.");
    fputs("The commands:\n.Bl -tag -width Ds\n", to);
    for (size_t i = 0; commands[i] != NULL; i++) {
        fprintf(to, ".It Cm %s\n", commands[i]->name);
        put_text(to, commands[i]->summary);
    }
    fputs(".El\n.Pp\nThe options, instead of a command:\n.Bl -tag -width Ds\n"
          ".It Fl h , Fl \\-help\nPrints the commands.\n"
          ".It Fl \\-version\nPrints the version.\n.El\n",
          to);
    fputs(".Sh ENVIRONMENT\n.Bl -tag -width Ds\n"
          ".It Ev NO_COLOR\nIf it is not empty, messages have no colours.\n"
#ifndef PTOASM_STANDALONE
          ".It Ev CC\nThe C compiler of\n.Cm run .\n"
          ".It Ev PTOASM_RUNTIME\nThe runtime for\n.Cm run :\n"
          "the prefix of an installation, a build folder, or a folder with\n"
          "ptort_emitted.h and libptort.so.\n"
          "Without it the runtime is searched for beside the program.\n"
#endif
          ".El\n",
          to);
    fprintf(to, ".Sh EXIT STATUS\n%s", exit_codes);
    put_examples(to, "  ptoasm check kernel.pto\n"
                     "  ptoasm emit kernel.pto -o kernel.c\n"
                     "  ptoasm explain tadds\n");
    put_see_also(to, NULL);
}

void write_man_page(FILE *to, const Command *cmd) {
    if (cmd == NULL) {
        write_overview(to);
        return;
    }
    put_title(to, cmd->name, cmd->summary);
    put_synopsis(to, cmd);
    fputs(".Sh DESCRIPTION\n", to);
    put_text(to, cmd->summary);
    if (*cmd->details != '\0') {
        fputs(".Pp\n", to);
        put_lines(to, cmd->details);
    }
    put_options(to, cmd);
    fprintf(to, ".Sh EXIT STATUS\n%s", exit_codes);
    put_examples(to, cmd->examples);
    put_see_also(to, cmd);
}
