/* Finding and reading the project file. */
#include "cli/project.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- finding ---- */

/* Cuts off what comes after the last slash; false at the root. */
static bool go_up(char *path) {
    char *slash = strrchr(path, '/');
    if (slash == NULL || slash[1] == '\0') return false;
    slash[slash == path] = '\0';
    return true;
}

static char *joined(const char *folder, const char *name) {
    size_t n = strlen(folder), slash = n > 0 && folder[n - 1] != '/', m = strlen(name);
    char *path = malloc(n + slash + m + 1);
    if (path == NULL) return NULL;
    memcpy(path, folder, n);
    if (slash) path[n] = '/';
    memcpy(path + n + slash, name, m + 1);
    return path;
}

static bool is_file(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && !S_ISDIR(st.st_mode);
}

/* The project file of an argument, to be freed; NULL when there is none. */
static char *project_of(const char *arg) {
    struct stat st;
    char *folder = realpath(strcmp(arg, "-") == 0 ? "." : arg, NULL), *found = NULL;
    if (folder == NULL) return NULL;
    bool more = (stat(folder, &st) == 0 && S_ISDIR(st.st_mode)) || go_up(folder);
    for (; more && found == NULL; more = go_up(folder)) {
        found = joined(folder, PROJECT_FILE);
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

static int two_projects(const char *first, const char *second, const char *a, const char *b) {
    return trouble("'%s' and '%s' belong to different projects (%s and %s): check them apart, or "
                   "with --no-project-file",
                   first, second, a != NULL ? a : "none", b != NULL ? b : "none");
}

/* That of all arguments; *path is NULL when they have none. */
static int find_project(const Options *opt, char **path) {
    *path = opt->nargs > 0 ? project_of(opt->args[0]) : NULL;
    for (int i = 1; i < opt->nargs; i++) {
        char *other = project_of(opt->args[i]);
        bool same = same_project(*path, other);
        int rc = same ? -1 : two_projects(opt->args[0], opt->args[i], *path, other);
        free(other);
        if (!same) return rc;
    }
    return -1;
}

/* ---- reading ---- */

/* Parses a copy: parsing moves words about. */
static int parse_copy(const Command *cmd, const ArgList *list, Options *opt, char ***words) {
    *words = malloc(((size_t)list->n + 1) * sizeof **words);
    if (*words == NULL) return trouble("out of memory");
    memcpy(*words, list->v, ((size_t)list->n + 1) * sizeof **words);
    return options_parse(cmd, list->n, *words, opt);
}

/* Does `--name=` take the name of a file? */
static bool names_file(const Command *cmd, const char *word) {
    size_t n = strcspn(word, "=");
    for (const OptionRow *row = cmd->rows; row->name != NULL; row++)
        if (n > 2 && word[n] == '=' && strlen(row->name) == n - 2 &&
            memcmp(row->name, word + 2, n - 2) == 0)
            return row->expected != NULL && strcmp(row->expected, "a file name") == 0;
    return false;
}

/* `--baseline=NAME` with the folder of the project file before a relative name. */
static int place_word(const Command *cmd, ArgList *list, const char *project, char **word) {
    if (strncmp(*word, "--", 2) != 0 || !names_file(cmd, *word)) return -1;
    char *name = strchr(*word, '=') + 1, *folder = strdup(project), *path = NULL, *text = NULL;
    if (*name == '/') {
        free(folder);
        return -1;
    }
    if (folder != NULL && go_up(folder)) path = joined(folder, name);
    size_t n = (size_t)(name - *word);
    if (path != NULL) text = malloc(n + strlen(path) + 1);
    if (text != NULL) {
        memcpy(text, *word, n);
        strcpy(text + n, path);
        *word = text;
    }
    free(folder);
    free(path);
    return text != NULL ? argfile_keep(list, text) : trouble("out of memory");
}

/* The words of the project file alone: options, and nothing else. */
static int check_words(const Command *cmd, const ArgList *list, const char *project) {
    Options opt;
    char **words = NULL;
    int rc = parse_copy(cmd, list, &opt, &words);
    if (rc >= 0)
        trouble("the words of the project file '%s' are at fault", project);
    else if (opt.nargs > 0)
        rc = trouble("project file '%s': '%s' is not an option", project, opt.args[0]);
    free(words);
    return rc;
}

static int add_project(const Command *cmd, ArgList *list, const char *project) {
    ArgList all = {.n = 0};
    int rc = argfile_word(&all, list->v[0]);
    if (rc < 0) rc = argfile_read(&all, project);
    if (rc < 0) rc = check_words(cmd, &all, project);
    for (int i = 1, n = all.n; i < n && rc < 0; i++)
        rc = place_word(cmd, &all, project, &all.v[i]);
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
