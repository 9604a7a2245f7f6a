/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the files of one kind in folders. */
#ifdef __linux__
#define _DEFAULT_SOURCE /* d_type */
#endif
#include "cli/walk.h"
#include "cli/argfile.h"
#include "cli/exclude.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A folder on the path from the argument. */
typedef struct Folder {
    dev_t dev;
    ino_t ino;
    const struct Folder *outer; /* NULL for the argument */
} Folder;

typedef struct Walk {
    FileList *list;
    const char *suffix; /* of the files to find */
    char *globs[sizeof((Options *)NULL)->excludes / sizeof(char *)];
    unsigned nglobs;
    const char *top; /* the absolute path of the argument */
    size_t skip;     /* of paths in it: those of the argument's own name */
    bool left_out;   /* a glob has matched */
    Folder *seen;    /* every folder entered */
    size_t nseen, cap;
} Walk;

/* The entries of one folder. */
typedef struct Entry {
    char *name;
    bool plain;  /* known to be a regular file */
    bool folder; /* known to be a folder, not a link */
} Entry;
typedef struct Entries {
    Entry *v;
    size_t n, cap;
} Entries;

static bool walk(Walk *w, const char *path, const Folder *outer, bool link);

/* Makes room for one more element. */
static bool grow(void *array, size_t n, size_t *cap, size_t size) {
    if (n < *cap) return true;
    size_t more = *cap < 32 ? 32 : *cap * 2;
    void *p;
    memcpy(&p, array, sizeof p);
    p = realloc(p, more * size);
    if (p == NULL) return false;
    memcpy(array, &p, sizeof p);
    *cap = more;
    return true;
}

/* Adds an item and takes `own`, also when memory runs out. */
static bool add_item(FileList *list, FileItem item) {
    if (!grow(&list->items, list->n, &list->cap, sizeof *list->items)) {
        free(item.own);
        return false;
    }
    list->items[list->n++] = item;
    return true;
}

static bool add_found(Walk *w, const char *path, const char *reason) {
    char *own = strdup(path);
    return own != NULL && add_item(w->list, (FileItem){own, own, reason, true});
}

static bool has_suffix(const char *name, const char *suffix) {
    const size_t n = strlen(name), m = strlen(suffix);
    return n > m && strcmp(name + n - m, suffix) == 0;
}

/* Joins a path; names in `.` get no prefix. */
static char *join(const char *folder, const char *name) {
    if (strcmp(folder, ".") == 0) return strdup(name);
    size_t n = strlen(folder), m = strlen(name);
    while (n > 1 && folder[n - 1] == '/')
        n--;
    bool root = n == 1 && folder[0] == '/';
    char *path = malloc(n + m + 2);
    if (path == NULL) return NULL;
    memcpy(path, folder, n);
    if (!root) path[n++] = '/';
    memcpy(path + n, name, m + 1);
    return path;
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const Entry *)a)->name, ((const Entry *)b)->name);
}

static void entries_free(Entries *e) {
    for (size_t i = 0; i < e->n; i++)
        free(e->v[i].name);
    free(e->v);
}

/* Reads and closes a folder before any in it is entered, so that only one is open. Returns 0 or an
 * errno. */
static int entries_read(Entries *e, const char *path, const char *suffix) {
    DIR *dir = opendir(path);
    if (dir == NULL) return errno;
    int why = 0;
    for (;;) {
        errno = 0;
        const struct dirent *d = readdir(dir);
        if (d == NULL) {
            why = errno;
            break;
        }
        if (d->d_name[0] == '.') continue;
        Entry entry = {.plain = false};
#ifdef DT_REG
        entry.plain = d->d_type == DT_REG;
        entry.folder = d->d_type == DT_DIR;
        if (entry.plain && !has_suffix(d->d_name, suffix)) continue;
#endif
        if (!grow(&e->v, e->n, &e->cap, sizeof *e->v) || (entry.name = strdup(d->d_name)) == NULL) {
            why = ENOMEM;
            break;
        }
        e->v[e->n++] = entry;
    }
    closedir(dir);
    if (e->n > 0) qsort(e->v, e->n, sizeof *e->v, by_name);
    return why;
}

/* Reports a broken link only if its name is that of a source. */
static bool broken_link(Walk *w, const char *path, int why) {
    if (why == ELOOP) return add_found(w, path, "it is a link in a cycle of links");
    if (!has_suffix(path, w->suffix)) return true;
    return add_found(w, path, why == ENOENT ? "it is a broken link" : strerror(why));
}

/* Whether a glob matches; *good is false when memory runs out. */
static bool is_excluded(Walk *w, const char *path, bool *good) {
    if (w->nglobs == 0) return false;
    char *whole = path_joined(w->top, path + w->skip);
    *good = whole != NULL;
    bool found = false;
    for (unsigned i = 0; *good && !found && i < w->nglobs; i++)
        found = glob_matches(w->globs[i], whole);
    free(whole);
    w->left_out |= found;
    return found;
}

static bool visit(Walk *w, const char *path, const Entry *entry, const Folder *folder) {
    if (entry->plain) return add_found(w, path, NULL);
    if (entry->folder) return walk(w, path, folder, false);
    struct stat st, self;
    if (lstat(path, &self) != 0)
        return !has_suffix(path, w->suffix) || add_found(w, path, strerror(errno));
    if (stat(path, &st) != 0) return broken_link(w, path, errno);
    if (S_ISDIR(st.st_mode)) return walk(w, path, folder, S_ISLNK(self.st_mode));
    return !has_suffix(path, w->suffix) || add_found(w, path, NULL);
}

static bool visit_all(Walk *w, const char *path, const Entries *e, const Folder *folder) {
    for (size_t i = 0; i < e->n; i++) {
        char *inner = join(path, e->v[i].name);
        bool good = inner != NULL;
        if (good && !is_excluded(w, inner, &good)) good = good && visit(w, inner, &e->v[i], folder);
        free(inner);
        if (!good) return false;
    }
    return true;
}

static bool same_folder(const Folder *a, const Folder *b) {
    return a->dev == b->dev && a->ino == b->ino;
}

static bool was_seen(const Walk *w, const Folder *f) {
    for (size_t i = 0; i < w->nseen; i++)
        if (same_folder(&w->seen[i], f)) return true;
    return false;
}

/* Enters a folder. Only links can lead to a folder twice. */
static bool walk(Walk *w, const char *path, const Folder *outer, bool link) {
    struct stat st;
    if (stat(path, &st) != 0) return add_found(w, path, strerror(errno));
    const Folder here = {st.st_dev, st.st_ino, outer};
    for (const Folder *f = link ? outer : NULL; f != NULL; f = f->outer)
        if (same_folder(f, &here))
            return add_found(w, path, "it is a link to a folder that contains it");
    if (link && was_seen(w, &here)) return true;
    if (!grow(&w->seen, w->nseen, &w->cap, sizeof *w->seen)) return false;
    w->seen[w->nseen++] = here;
    Entries e = {.n = 0};
    int why = entries_read(&e, path, w->suffix);
    bool good = why != ENOMEM && (why == 0 || add_found(w, path, strerror(why))) &&
                visit_all(w, path, &e, &here);
    entries_free(&e);
    return good;
}

/* Returns how many characters of the paths in a folder are its own name. */
static size_t own_length(const char *folder) {
    char *path = join(folder, "");
    const size_t n = path != NULL ? strlen(path) : 0;
    free(path);
    return n;
}

static const char *nothing_found(const Walk *w) {
    if (strcmp(w->suffix, ".pto") != 0) return "there is no *.test.json file in it";
    return w->left_out ? "--exclude leaves no *.pto file in it" : "there is no *.pto file in it";
}

static bool add_folder(Walk *w, const char *arg) {
    const size_t before = w->list->n;
    char *top = realpath(arg, NULL);
    w->top = top != NULL ? top : arg; /* if it cannot be resolved, walk() says so */
    w->skip = own_length(arg);
    w->left_out = false;
    bool good = walk(w, arg, NULL, false);
    free(w->seen);
    free(top);
    w->seen = NULL;
    w->nseen = w->cap = 0;
    if (good && w->list->n == before)
        good = add_item(w->list, (FileItem){.name = arg, .reason = nothing_found(w)});
    return good;
}

static bool add_argument(Walk *w, const char *arg) {
    struct stat st;
    if (strcmp(arg, "-") == 0 || stat(arg, &st) != 0 || !S_ISDIR(st.st_mode))
        return add_item(w->list, (FileItem){.name = arg});
    return add_folder(w, arg);
}

/* Globs of the command line are relative to the working directory. */
static bool take_globs(Walk *w, const Options *opt) {
    char *here = opt->nexcludes > 0 ? realpath(".", NULL) : NULL;
    for (unsigned i = 0; i < opt->nexcludes; i++) {
        char *glob = glob_absolute(here != NULL ? here : ".", opt->excludes[i]);
        if (glob == NULL) break;
        w->globs[w->nglobs++] = glob;
    }
    free(here);
    return w->nglobs == opt->nexcludes;
}

bool files_list(FileList *list, const Options *opt, const char *suffix) {
    *list = (FileList){.n = 0};
    Walk w = {.list = list, .suffix = suffix};
    bool good = take_globs(&w, opt);
    for (int i = 0; i < opt->nargs && good; i++)
        good = add_argument(&w, opt->args[i]);
    while (w.nglobs > 0)
        free(w.globs[--w.nglobs]);
    return good;
}

void files_free(FileList *list) {
    for (size_t i = 0; i < list->n; i++)
        free(list->items[i].own);
    free(list->items);
    *list = (FileList){.n = 0};
}
