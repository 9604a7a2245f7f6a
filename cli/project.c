/* SPDX-License-Identifier: Apache-2.0 */
/* Finds and reads the project file. */
#include "cli/project.h"
#include "cli/exclude.h"
#include "cli/warnings.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- finding ---- */

/* Removes the last part of a path; false at the root. */
static bool go_up(char *path) {
    char *slash = strrchr(path, '/');
    if (slash == NULL || slash[1] == '\0') return false;
    slash[slash == path] = '\0';
    return true;
}

static bool is_file(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && !S_ISDIR(st.st_mode);
}

char *project_find(const char *arg) {
    struct stat st;
    char *folder = realpath(strcmp(arg, "-") == 0 ? "." : arg, NULL), *found = NULL;
    if (folder == NULL) return NULL;
    bool more = (stat(folder, &st) == 0 && S_ISDIR(st.st_mode)) || go_up(folder);
    for (; more && found == NULL; more = go_up(folder)) {
        found = path_joined(folder, PROJECT_FILE);
        if (found != NULL && is_file(found)) break;
        free(found);
        found = NULL;
    }
    free(folder);
    return found;
}

static bool same_project(const char *a, const char *b) {
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static int report_two_projects(const char *first, const char *second, const char *a,
                               const char *b) {
    return trouble(
        "'%s' and '%s' belong to different projects (%s and %s): check them separately, or "
        "with --no-project-file",
        first, second, a != NULL ? a : "none", b != NULL ? b : "none");
}

/* Finds the common project file of all arguments; *path is NULL when there is none. */
static int find_project(const Options *opt, char **path) {
    *path = opt->nargs > 0 ? project_find(opt->args[0]) : NULL;
    for (int i = 1; i < opt->nargs; i++) {
        char *other = project_find(opt->args[i]);
        bool same = same_project(*path, other);
        int rc = same ? -1 : report_two_projects(opt->args[0], opt->args[i], *path, other);
        free(other);
        if (!same) return rc;
    }
    return -1;
}

/* ---- reading ---- */

/* Parses a copy, as parsing reorders the words. */
static int parse_copy(const Command *cmd, const ArgList *list, Options *opt, char ***words) {
    *words = malloc(((size_t)list->n + 1) * sizeof **words);
    if (*words == NULL) return trouble("out of memory");
    memcpy(*words, list->v, ((size_t)list->n + 1) * sizeof **words);
    return options_parse(cmd, list->n, *words, opt);
}

/* Returns the row of the option in `--name=value` or `--name`, or NULL. */
static const OptionRow *option_of(const Command *cmd, const char *word) {
    size_t n = strcspn(word, "=");
    if (strncmp(word, "--", 2) != 0 || n <= 2) return NULL;
    for (const OptionRow *row = cmd->rows; row->name != NULL; row++)
        if (strlen(row->name) == n - 2 && memcmp(row->name, word + 2, n - 2) == 0) return row;
    return NULL;
}

/* Makes the file name or glob from `at` on, if it is relative, relative to the project file. */
static int place_value(ArgList *list, const OptionRow *row, char **word, size_t at) {
    const bool glob = row->set == set_exclude;
    char *name = *word + at, *text = NULL;
    if (row->expected == NULL || *name == '/') return -1;
    if (!glob && strcmp(row->expected, "a file name") != 0) return -1;
    char *path = glob ? glob_absolute(list->folder, name) : path_joined(list->folder, name);
    if (path != NULL) text = malloc(at + strlen(path) + 1);
    if (text != NULL) {
        memcpy(text, *word, at);
        strcpy(text + at, path);
        *word = text;
    }
    free(path);
    return text != NULL ? argfile_keep(list, text) : trouble("out of memory");
}

/* Does so for the values of all options in words `from` to `to`. */
static int place_values(const Command *cmd, ArgList *list, int from, int to) {
    int rc = -1;
    for (int i = from; i < to && rc < 0; i++) {
        const OptionRow *row = option_of(cmd, list->v[i]);
        const char *equals = strchr(list->v[i], '=');
        if (row == NULL || row->value == NULL) continue;
        if (equals != NULL)
            rc = place_value(list, row, &list->v[i], (size_t)(equals + 1 - list->v[i]));
        else if (*row->value != '[' && ++i < to)
            rc = place_value(list, row, &list->v[i], 0);
    }
    return rc;
}

/* True for the option that prints the help. */
static bool asks_help(const Command *cmd, const char *word) {
    for (const OptionRow *row = cmd->rows; row->name != NULL; row++)
        if (row->set == NULL && word[0] == '-' &&
            ((word[1] == row->letter && word[2] == '\0') ||
             (word[1] == '-' && strcmp(word + 2, row->name) == 0)))
            return true;
    return false;
}

/* Checks that the project file has valid options and nothing else. */
static int check_words(const Command *cmd, const ArgList *list, const char *project) {
    Options opt;
    char **words = NULL;
    for (int i = 1; i < list->n; i++)
        if (asks_help(cmd, list->v[i]))
            return trouble("project file '%s': '%s' is not expected", project, list->v[i]);
    int rc = parse_copy(cmd, list, &opt, &words);
    if (rc >= 0)
        trouble("the options of the project file '%s' are not valid", project);
    else if (opt.nargs > 0)
        rc = trouble("project file '%s': '%s' is not an option", project, opt.args[0]);
    free(words);
    return rc;
}

int project_read(const Command *cmd, ArgList *list, const char *project) {
    char *folder = strdup(project);
    if (folder == NULL) return trouble("out of memory");
    (void)go_up(folder);
    list->folder = folder;
    int rc = argfile_read(list, project);
    if (rc < 0) rc = check_words(cmd, list, project);
    if (rc < 0) rc = place_values(cmd, list, 1, list->n);
    list->folder = NULL;
    free(folder);
    return rc;
}

/* `-W` with the id of no warning: the message names the file. */
static int check_warnings(const Command *cmd, const ArgList *list, const char *project) {
    Options opt;
    char **words = NULL, why[256];
    int rc = parse_copy(cmd, list, &opt, &words);
    if (rc < 0 && opt.wrong_warning != NULL) {
        wrong_warning_text(opt.wrong_warning, why, sizeof why);
        rc = trouble("project file '%s': option '-W': %s", project, why);
    }
    free(words);
    return rc;
}

static int add_project(const Command *cmd, ArgList *list, const char *project) {
    ArgList all = {.n = 0};
    int rc = argfile_word(&all, list->v[0]);
    if (rc < 0) rc = project_read(cmd, &all, project);
    if (rc < 0) rc = check_warnings(cmd, &all, project);
    for (int i = 1; i < list->n && rc < 0; i++)
        rc = argfile_word(&all, list->v[i]);
    if (rc < 0) rc = argfile_take(&all, list);
    ArgList old = rc < 0 ? *list : all;
    if (rc < 0) *list = all;
    argfiles_free(&old);
    return rc;
}

int project_add(const Command *cmd, ArgList *list) {
    Options opt;
    char **words = NULL, *project = NULL;
    int rc = parse_copy(cmd, list, &opt, &words);
    if (rc < 0 && !opt.no_project) rc = find_project(&opt, &project);
    free(words);
    if (rc < 0 && project != NULL) rc = add_project(cmd, list, project);
    free(project);
    return rc;
}

bool set_no_project(Options *opt, const char *value) {
    (void)value;
    return opt->no_project = true;
}
