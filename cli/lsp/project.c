/* SPDX-License-Identifier: Apache-2.0 */
/* The options of open files: those of the project file, the command line and the client. They are
 * read again when one of these files changes. */
#include "cli/lsp/settings.h"

#include "cli/project.h"
#include "support/hash.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- the state of files ---- */

static uint64_t mix_file(uint64_t hash, const char *path) {
    struct stat st;
    if (path == NULL || stat(path, &st) != 0) return hash_with(hash, 1);
    hash = hash_with(hash_with(hash, (uint64_t)st.st_dev), (uint64_t)st.st_ino);
    hash = hash_with(hash_with(hash, (uint64_t)st.st_size), (uint64_t)st.st_mtim.tv_sec);
    return hash_with(hash, (uint64_t)st.st_mtim.tv_nsec);
}

/* Returns a value that changes with the files of a project: its own, those it includes by @FILE,
 * and the baseline. */
static uint64_t stamp_of(const Project *p) {
    uint64_t hash = mix_file(0, p->file);
    for (int i = 0; i < p->words.nfiles; i++)
        if (p->words.files[i].name != NULL) hash = mix_file(hash, p->words.files[i].name);
    return mix_file(hash, p->opt.check.baseline);
}

/* ---- reading ---- */

static bool read_file(Project *p) {
    static char name[] = "check";
    int rc = argfile_word(&p->words, name);
    if (rc < 0) rc = project_read(&check_command, &p->words, p->file);
    if (rc < 0) rc = options_parse(&check_command, p->words.n, p->words.v, &p->opt);
    return rc < 0;
}

/* Reads the project file with the options of `ptoasm check`, then those of the server. */
static void read_options(const Server *s, Project *p) {
    char why[256];
    int argc = 0;
    if (p->file == NULL || !read_file(p)) p->opt = (Options){.judge = PTOASM_OPTIONS_INIT};
    if (p->opt.wrong_warning != NULL) {
        wrong_warning_text(p->opt.wrong_warning, why, sizeof why);
        trouble("project file '%s': option '-W': %s", p->file, why);
    }
    p->warnings = p->opt.warnings != NULL ? *p->opt.warnings : (Warnings){.error = false};
    p->opt.warnings = &p->warnings;
    while (s->words[argc] != NULL)
        argc++;
    (void)options_more(&lsp_command, argc, s->words, &p->opt);
    settings_apply(s, &p->opt);
}

static void load(Server *s, Project *p) {
    char why[1000];
    argfiles_free(&p->words);
    baseline_free(&p->known);
    p->words = (ArgList){.n = 0};
    messages_keep(why, sizeof why);
    read_options(s, p);
    if (p->opt.check.baseline != NULL && baseline_read(&p->known, p->opt.check.baseline) != FINE)
        baseline_free(&p->known);
    messages_keep(NULL, 0);
    p->stamp = stamp_of(p);
    if (*why == '\0') return;
    char text[sizeof why + 16];
    snprintf(text, sizeof text, "ptoasm: %s", why);
    show_message(s, MESSAGE_ERROR, text);
}

/* ---- finding ---- */

/* Finds the project file for a document; when that does not exist yet, for its folder. */
static char *find_file(const Server *s, const Document *d) {
    if (s->opt.no_project || d->path == NULL) return NULL;
    char *found = project_find(d->path), *folder = strdup(d->path);
    if (folder == NULL) out_of_memory();
    strrchr(folder, '/')[1] = '\0';
    if (found == NULL) found = project_find(folder);
    free(folder);
    return found;
}

static bool is_of(const Project *p, const char *file) {
    return p->file == NULL || file == NULL ? p->file == file : strcmp(p->file, file) == 0;
}

static Project *add_project(Server *s, char *file) {
    Project **grown = realloc(s->projects, (s->nprojects + 1) * sizeof *grown);
    if (grown == NULL) out_of_memory();
    s->projects = grown;
    Project *p = must_alloc(sizeof *p);
    *p = (Project){.file = file};
    load(s, p);
    return s->projects[s->nprojects++] = p;
}

/* Returns the project of `file`; takes `file`. */
static Project *project_with(Server *s, char *file) {
    for (size_t i = 0; i < s->nprojects; i++)
        if (is_of(s->projects[i], file)) {
            free(file);
            return s->projects[i];
        }
    return add_project(s, file);
}

static void judge_again(Document *d) {
    document_drop(d);
    d->unpublished = true;
}

void project_refresh(Server *s, Document *d) {
    Project *p = project_with(s, find_file(s, d));
    if (p->stamp != stamp_of(p)) {
        load(s, p);
        for (size_t i = 0; i < s->ndocs; i++)
            if (s->docs[i]->project == p) judge_again(s->docs[i]);
    }
    if (d->project != p) judge_again(d);
    d->project = p;
}

void projects_refresh(Server *s) {
    for (size_t i = 0; i < s->ndocs; i++)
        project_refresh(s, s->docs[i]);
}

void projects_forget(Server *s) {
    for (size_t i = 0; i < s->ndocs; i++) {
        judge_again(s->docs[i]);
        s->docs[i]->project = NULL;
    }
    for (size_t i = 0; i < s->nprojects; i++) {
        argfiles_free(&s->projects[i]->words);
        baseline_free(&s->projects[i]->known);
        free(s->projects[i]->file);
        free(s->projects[i]);
    }
    free(s->projects);
    s->projects = NULL;
    s->nprojects = 0;
}
