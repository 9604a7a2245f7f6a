/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the runtime that compiled programs call: libptort.so and its headers, relative to this
 * program or where PTOASM_RUNTIME says. A standalone program contains it. */
#include "cli/run.h"

#include <dlfcn.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef PTOASM_STANDALONE

static int by_name(const void *name, const void *row) {
    return strcmp(name, ((const RuntimeFunction *)row)->name);
}

int runtime_open(Runtime *rt) {
    *rt = (Runtime){.library = NULL};
    return FINE;
}

void *runtime_symbol(const Runtime *rt, const char *name) {
    (void)rt;
    const RuntimeFunction *row = bsearch(name, runtime_functions, runtime_function_count,
                                         sizeof runtime_functions[0], by_name);
    void *p = NULL;
    if (row != NULL) memcpy(&p, &row->function, sizeof p);
    return p;
}

void runtime_close(Runtime *rt) {
    (void)rt;
}

/* A static program cannot load libraries, so it has no --link. */
int links_open(const char *const *files, unsigned n, Links *links) {
    (void)files, (void)n;
    *links = (Links){.n = 0};
    return FINE;
}

void *links_symbol(const Links *links, const char *name) {
    (void)links, (void)name;
    return NULL;
}

void links_close(Links *links) {
    (void)links;
}

#else

typedef struct Place {
    char include[PATH_MAX]; /* folder of ptort_emitted.h */
    char library[PATH_MAX]; /* folder of libptort.so */
} Place;

static bool has(const char *folder, const char *file) {
    char path[PATH_MAX];
    int n = snprintf(path, sizeof path, "%s/%s", folder, file);
    return n > 0 && (size_t)n < sizeof path && access(path, R_OK) == 0;
}

static bool join(char *out, const char *base, const char *rest) {
    int n = snprintf(out, PATH_MAX, "%s%s", base, rest);
    return n > 0 && n < PATH_MAX;
}

static bool try_place(Place *at, const char *base, const char *include, const char *library) {
    return join(at->include, base, include) && join(at->library, base, library) &&
           has(at->include, "ptort_emitted.h") && has(at->library, "libptort.so");
}

/* Tries a prefix of an installation; distributions have different folders for its libraries, and
 * this program need not be the installed one. */
static bool try_prefix(Place *at, const char *prefix) {
    static const char *const folders[] = {PTOASM_LIBDIR, "/lib", "/lib64"};
    char pattern[PATH_MAX];
    glob_t found;
    for (unsigned i = 0; i < sizeof folders / sizeof folders[0]; i++)
        if (try_place(at, prefix, "/include", folders[i])) return true;
    if (!join(at->include, prefix, "/include") || !has(at->include, "ptort_emitted.h") ||
        !join(pattern, prefix, "/lib/*-linux-*/libptort.so") || glob(pattern, 0, NULL, &found) != 0)
        return false;
    bool fits = join(at->library, found.gl_pathv[0], "");
    if (fits) *strrchr(at->library, '/') = '\0';
    globfree(&found);
    return fits;
}

/* PTOASM_RUNTIME names the prefix of an installation, a single folder, or a build tree, whose cli/
 * has a copy of the headers. Without it the runtime is searched for relative to the program, in a
 * build tree or an installation. */
static int find_place(Place *at) {
    const char *given = getenv("PTOASM_RUNTIME");
    if (given != NULL && *given != '\0') {
        if (try_prefix(at, given) || try_place(at, given, "", "") ||
            try_place(at, given, "/cli", "/runtime"))
            return FINE;
        return trouble(
            "PTOASM_RUNTIME is '%s', which is no installation (include/ptort_emitted.h and "
            "libptort.so in lib), no folder with both and no build folder (with "
            "cli/ptort_emitted.h and runtime/libptort.so)",
            given);
    }
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n > 0) {
        self[n] = '\0';
        *strrchr(self, '/') = '\0';
        if (try_place(at, self, "", "/../runtime") ||
            try_place(at, self, "/../include", "/.." PTOASM_LIBDIR))
            return FINE;
    }
    return trouble("the runtime (ptort_emitted.h, libptort.so) was not found beside this program; "
                   "set PTOASM_RUNTIME to an installation or a build folder");
}

int runtime_open(Runtime *rt) {
    Place at;
    char path[PATH_MAX];
    int rc = find_place(&at);
    if (rc != FINE) return rc;
    if (!join(path, at.library, "/libptort.so")) return trouble("'%s' is too long", at.library);
    /* RTLD_GLOBAL: compiled programs link against it. */
    rt->library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (rt->library == NULL) return trouble("cannot load the runtime: %s", dlerror());
    memcpy(rt->include, at.include, sizeof rt->include);
    return FINE;
}

void *runtime_symbol(const Runtime *rt, const char *name) {
    return dlsym(rt->library, name);
}

void runtime_close(Runtime *rt) {
    if (rt->library != NULL) dlclose(rt->library);
    rt->library = NULL;
}

/* ---- libraries of the user ---- */

/* RTLD_GLOBAL: compiled code finds its functions there. */
int links_open(const char *const *files, unsigned n, Links *links) {
    *links = (Links){.n = 0};
    for (unsigned i = 0; i < n; i++) {
        void *library = dlopen(files[i], RTLD_NOW | RTLD_GLOBAL);
        if (library == NULL) return trouble("cannot load '%s': %s", files[i], dlerror());
        links->library[links->n++] = library;
    }
    return FINE;
}

void *links_symbol(const Links *links, const char *name) {
    for (unsigned i = 0; i < links->n; i++) {
        void *p = dlsym(links->library[i], name);
        if (p != NULL) return p;
    }
    return NULL;
}

void links_close(Links *links) {
    while (links->n > 0)
        dlclose(links->library[--links->n]);
}

#endif
