/* SPDX-License-Identifier: Apache-2.0 */
/* The option parser: `--name=value`, `--name value`, `-o value`, `-ovalue`, `--`. The tables of
 * the commands define the options and their help. */
#include "cli/cli.h"
#include "support/ascii.h"
#include "support/number.h"

#include "ir/insts.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- values ---- */

bool number_from_text(const char *s, uint64_t max, uint64_t *out) {
    return number_read_digits(s, strlen(s), max, out);
}

bool set_profile(Options *opt, const char *value) {
    Profile p;
    if (!profile_from_text(value, strlen(value), &p)) return false;
    opt->judge.profiles = PROFILE_BIT(p);
    return true;
}

bool set_profiles(Options *opt, const char *value) {
    const uint32_t set = ptoasm_profiles_from_text(value);
    if (set != 0) opt->judge.profiles = set;
    return set != 0;
}

bool set_level(Options *opt, const char *value) {
    if (ascii_begins(value, strlen(value), "level")) value += 5;
    if (value[0] < '1' || value[0] > '3' || value[1] != '\0') return false;
    opt->judge.level = value[0] - '0';
    return true;
}

bool set_vendor(Options *opt, const char *value) {
    const char *number = value + (*value == 'v');
    opt->judge.vendor = strcmp(number, "0.57") == 0 ? 57 : strcmp(number, "0.60") == 0 ? 60 : 0;
    return opt->judge.vendor != 0;
}

bool set_compat(Options *opt, const char *value) {
    if (strncmp(value, "ptoas", 5) != 0) return false;
    if (value[5] != '\0' && (value[5] != '-' || !set_vendor(opt, value + 6))) return false;
    return opt->judge.compat = true;
}

bool set_sanitize(Options *opt, const char *value) {
    (void)value;
    return opt->sanitize = true;
}

bool set_no_fuse(Options *opt, const char *value) {
    (void)value;
    return opt->no_fuse = true;
}

bool set_sync(Options *opt, const char *value) {
    static const struct {
        const char *name;
        uint32_t bit;
    } values[] = {
        {"all", PTOASM_SYNC_ALL}, {"strict", PTOASM_SYNC_STRICT}, {"report", PTOASM_SYNC_REPORT}};
    enum { VALUES = sizeof values / sizeof *values };
    for (;;) {
        size_t n = strcspn(value, ","), i = 0;
        while (i < VALUES && (strlen(values[i].name) != n || memcmp(value, values[i].name, n) != 0))
            i++;
        if (i == VALUES) return false;
        opt->judge.sync |= values[i].bit;
        if (value[n] == '\0') return true;
        value += n + 1;
    }
}

bool set_max_errors(Options *opt, const char *value) {
    uint64_t n;
    if (!number_from_text(value, UINT32_MAX, &n)) return false;
    opt->judge.max_errors = (uint32_t)n;
    return true;
}

bool set_color(Options *opt, const char *value) {
    static const char *const names[] = {"auto", "always", "never"};
    for (unsigned i = 0; i < 3; i++) {
        if (strcmp(value, names[i]) == 0) {
            opt->color = (ColorWhen)i;
            return true;
        }
    }
    return false;
}

bool set_locations(Options *opt, const char *value) {
    opt->author_first = strcmp(value, "source") == 0;
    return opt->author_first || strcmp(value, "pto") == 0;
}

bool set_out(Options *opt, const char *value) {
    opt->out = value;
    return *value != '\0';
}

bool set_json(Options *opt, const char *value) {
    opt->json = strcmp(value, "json") == 0;
    return opt->json || strcmp(value, "text") == 0;
}

bool set_entry(Options *opt, const char *value) {
    opt->run.entry = *value == '@' ? value + 1 : value;
    return *opt->run.entry != '\0';
}

bool set_grid(Options *opt, const char *value) {
    uint64_t n;
    if (!number_from_text(value, INT32_MAX, &n)) return false;
    opt->run.grid = (int64_t)n;
    return true;
}

bool set_block(Options *opt, const char *value) {
    uint64_t n;
    if (!number_from_text(value, INT32_MAX, &n)) return false;
    opt->run.only_block = (int64_t)n;
    return true;
}

bool set_embed(Options *opt, const char *value) {
    (void)value;
    return opt->emit.embed = true;
}

bool set_describe(Options *opt, const char *value) {
    opt->emit.describe = value;
    return *value != '\0';
}

/* ---- texts ---- */

const char *option_text(const char *text) {
    static const char *const lasts[] = {PROFILES_OR,   " or ", PROFILES_AND, " and ",
                                        PROFILES_LIST, ", ",   NULL};
    static char out[512];
    char names[PROFILES_TEXT];
    for (const char *const *l = lasts; text != NULL && *l != NULL; l += 2) {
        const char *at = strstr(text, l[0]);
        if (at == NULL) continue;
        profiles_join(names, PROFILES_ALL, l[1]);
        snprintf(out, sizeof out, "%.*s%s%s", (int)(at - text), text, names, at + strlen(l[0]));
        return out;
    }
    return text;
}

/* ---- names ---- */

const char *nearest_name(const char *word, size_t len, size_t n,
                         const char *(*name_at)(const void *table, size_t i), const void *table) {
    const char *best = NULL;
    unsigned limit = len < 4 ? 1 : 2, best_distance = limit + 1;
    for (size_t i = 0; i < n; i++) {
        const char *name = name_at(table, i);
        unsigned d = edit_distance(word, len, name, strlen(name), limit);
        if (d < best_distance) {
            best_distance = d;
            best = name;
        }
    }
    return best;
}

static const char *row_name(const void *table, size_t i) {
    return ((const OptionRow *)table)[i].name;
}

static size_t row_count(const OptionRow *rows) {
    size_t n = 0;
    while (rows[n].name != NULL)
        n++;
    return n;
}

static const OptionRow *find_long(const OptionRow *rows, const char *name, size_t len) {
    for (; rows->name != NULL; rows++)
        if (strlen(rows->name) == len && memcmp(rows->name, name, len) == 0) return rows;
    return NULL;
}

static const OptionRow *find_letter(const OptionRow *rows, char letter) {
    for (; rows->name != NULL; rows++)
        if (rows->letter == letter) return rows;
    return NULL;
}

/* ---- parsing ---- */

static int unknown_option(const Command *cmd, const char *word, size_t len) {
    const char *near = nearest_name(word, len, row_count(cmd->rows), row_name, cmd->rows);
    if (near != NULL)
        return usage_error(cmd, "unknown option '--%.*s'; did you mean '--%s'?", (int)len, word,
                           near);
    return usage_error(cmd, "unknown option '--%.*s'", (int)len, word);
}

/* True for an option without a long name, such as `-o`. */
static bool only_letter(const OptionRow *row) {
    return row->letter != 0 && row->name[1] == '\0';
}

static const char *dashes(const OptionRow *row) {
    return only_letter(row) ? "-" : "--";
}

/* Applies an option; `text` is its value after `=` or the letter, or NULL. */
static int apply(const Command *cmd, const OptionRow *row, const char *text, int argc, char **argv,
                 int *i, Options *opt) {
    if (row->set == NULL) return help_print(cmd);
    if (row->value == NULL && text != NULL)
        return usage_error(cmd, "option '%s%s' takes no value", dashes(row), row->name);
    bool may_lack = row->value != NULL && strncmp(row->value, "[=", 2) == 0;
    if (row->value != NULL && text == NULL && !may_lack) {
        if (*i + 1 >= argc)
            return usage_error(cmd, "option '%s%s' needs a value", dashes(row), row->name);
        text = argv[++*i];
    }
    const uint64_t bit = UINT64_C(1) << (row - cmd->rows) % 64;
    if (cmd->once && (opt->given & bit) != 0)
        return usage_error(cmd, "option '%s%s' is given twice", dashes(row), row->name);
    opt->given |= bit;
    opt->fault = NULL;
    if (row->set(opt, text)) return -1;
    if (opt->fault != NULL)
        return usage_error(cmd, "option '%s%s': '%s' %s", dashes(row), row->name, text, opt->fault);
    return usage_error(cmd, "option '%s%s': '%s' is not %s", dashes(row), row->name, text,
                       option_text(row->expected));
}

static int parse_long(const Command *cmd, int argc, char **argv, int *i, Options *opt) {
    const char *word = argv[*i] + 2;
    size_t len = strcspn(word, "=");
    const OptionRow *row = find_long(cmd->rows, word, len);
    if (row == NULL) return unknown_option(cmd, word, len);
    return apply(cmd, row, word[len] == '=' ? word + len + 1 : NULL, argc, argv, i, opt);
}

static int parse_short(const Command *cmd, int argc, char **argv, int *i, Options *opt) {
    const char *word = argv[*i];
    const OptionRow *row = find_letter(cmd->rows, word[1]);
    if (row == NULL || (row->value == NULL && word[2] != '\0'))
        return usage_error(cmd, "unknown option '%s'", word);
    return apply(cmd, row, word[2] != '\0' ? word + 2 : NULL, argc, argv, i, opt);
}

static bool looks_numeric(const char *s) {
    return s[0] == '-' && ((s[1] >= '0' && s[1] <= '9') || s[1] == '.' ||
                           strncmp(s, "-inf", 4) == 0 || strncmp(s, "-nan", 4) == 0);
}

int options_parse(const Command *cmd, int argc, char **argv, Options *opt) {
    *opt = (Options)OPTIONS_INIT;
    return options_more(cmd, argc, argv, opt);
}

int options_more(const Command *cmd, int argc, char **argv, Options *opt) {
    opt->args = (const char **)argv; /* arguments move to the front as options are consumed */
    bool options = true;
    for (int i = 1; i < argc; i++) {
        char *word = argv[i];
        bool argument =
            !options || word[0] != '-' || word[1] == '\0' || (cmd->numbers && looks_numeric(word));
        if (argument) {
            argv[opt->nargs++] = word;
            continue;
        }
        if (strcmp(word, "--") == 0) {
            options = false;
            continue;
        }
        int rc = word[1] == '-' ? parse_long(cmd, argc, argv, &i, opt)
                                : parse_short(cmd, argc, argv, &i, opt);
        if (rc >= 0) return rc;
    }
    return -1;
}

/* ---- help ---- */

static void print_row(const OptionRow *row) {
    char head[64];
    int n = row->letter != 0 ? snprintf(head, sizeof head, "  -%c", row->letter)
                             : snprintf(head, sizeof head, "    ");
    if (!only_letter(row))
        n += snprintf(head + n, sizeof head - (size_t)n, "%s --%s", row->letter != 0 ? "," : " ",
                      row->name);
    if (row->value != NULL)
        snprintf(head + n, sizeof head - (size_t)n, "%s%s",
                 *row->value == '[' ? ""
                 : only_letter(row) ? " "
                                    : "=",
                 row->value);
    if (strlen(head) > 24)
        printf("%s\n%25s", head, "");
    else
        printf("%-24s ", head);
    for (const char *p = option_text(row->help); *p != '\0'; p++) {
        putchar(*p);
        if (*p == '\n') printf("%25s", "");
    }
    putchar('\n');
}

static void print_general_help(void) {
    puts("Usage: ptoasm COMMAND [OPTION]... FILE...\n"
         "Assembler, verifier and C emitter for PTO assembly.\n\n"
         "Commands:");
    for (size_t i = 0; commands[i] != NULL; i++)
        printf("  %-8s %s\n", commands[i]->name, commands[i]->summary);
    puts("\n'ptoasm COMMAND --help' explains a command; --version prints the version.\n"
         "The exit code is 0 when all is well, 1 when a program is rejected, 2 for wrong\n"
         "usage and for files that cannot be read or written, and 3 for a program that is\n"
         "legal but cannot be emitted or run yet ([no-kernel]).\n\n"
         "Examples:\n"
         "  ptoasm check kernel.pto\n"
         "  ptoasm emit kernel.pto -o kernel.c\n"
         "  ptoasm explain tadds");
}

int help_print(const Command *cmd) {
    if (cmd == NULL) {
        print_general_help();
    } else {
        printf("Usage: ptoasm %s %s\n%s\n\n", cmd->name, cmd->usage, cmd->summary);
        if (*cmd->details != '\0') printf("%s\n", cmd->details);
        puts("Options:");
        for (const OptionRow *row = cmd->rows; row->name != NULL; row++)
            print_row(row);
        printf("\nExamples:\n%s", cmd->examples);
    }
    return FINE;
}
