/* SPDX-License-Identifier: Apache-2.0 */
/* Matches paths against the globs of --exclude. */
#include "cli/exclude.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/* ---- parts of paths ---- */

/* Returns the length of the first part and moves *path over the slashes before it; 0: none is left.
 */
static size_t first_part(const char **path) {
    *path += strspn(*path, "/");
    return strcspn(*path, "/");
}

static bool is_part(const char *s, size_t n, const char *text) {
    return strlen(text) == n && memcmp(s, text, n) == 0;
}

enum { PART_CAP = 256 }; /* NAME_MAX is 255; a glob of a part may be longer, and matches nothing */

static bool part_matches(const char *glob, size_t n, const char *part, size_t m) {
    char g[2 * PART_CAP], p[PART_CAP];
    if (n >= sizeof g || m >= sizeof p) return false;
    memcpy(g, glob, n);
    memcpy(p, part, m);
    g[n] = p[m] = '\0';
    return fnmatch(g, p, 0) == 0;
}

static const char *last_part(const char *path, size_t *n) {
    const char *last = path;
    *n = 0;
    for (size_t m = first_part(&path); m > 0; m = first_part(&path)) {
        last = path;
        *n = m;
        path += m;
    }
    return last;
}

/* ---- globs ---- */

static bool has_slash(const char *glob) {
    size_t n = strlen(glob);
    while (n > 0 && glob[n - 1] == '/')
        n--;
    return memchr(glob, '/', n) != NULL;
}

/* Skips `[...]` of a glob from its bracket on; NULL when it is not closed in its part. */
static const char *skip_bracket(const char *s) {
    s += 1 + (s[1] == '!' || s[1] == '^');
    if (*s == ']') s++;
    while (*s != '\0' && *s != '/' && *s != ']')
        s += 1 + (*s == '\\' && s[1] != '\0');
    return *s == ']' ? s + 1 : NULL;
}

/* Returns what is wrong with a glob, as a verb phrase for a message; NULL: nothing. */
static const char *glob_fault(const char *glob) {
    const char *s = glob, *rest = glob;
    if (*glob == '\0') return "is empty";
    for (size_t n = first_part(&rest); n > 0; n = first_part(&rest)) {
        if (is_part(rest, n, "..")) return "has a part '..', which no path that is compared has";
        rest += n;
    }
    if (glob[strspn(glob, "/.")] == '\0') return "names no file and no folder";
    while (*s != '\0') {
        if (*s == '\\' && *++s == '\0') return "ends with a backslash, which escapes nothing";
        s = *s == '[' && (s == glob || s[-1] != '\\') ? skip_bracket(s) : s + 1;
        if (s == NULL) return "has a '[' without ']' in the same part; '\\[' is the character";
    }
    return NULL;
}

/* Copies a path so that each character of it matches itself only. */
static char *put_literal(char *to, const char *path) {
    for (; *path != '\0'; path++) {
        if (strchr("*?[\\", *path) != NULL) *to++ = '\\';
        *to++ = *path;
    }
    return to;
}

char *glob_absolute(const char *folder, const char *glob) {
    if (*glob == '/' || !has_slash(glob)) return strdup(glob);
    char *text = malloc(2 * strlen(folder) + strlen(glob) + 2);
    if (text == NULL) return NULL;
    char *end = put_literal(text, folder);
    *end++ = '/';
    strcpy(end, glob);
    return text;
}

/* After a `**`, the shortest path that it can match is tried first, then one part more. Only the
 * last `**` has to be tried again: what an earlier one matches may as well be longer. */
static bool path_matches(const char *glob, const char *path) {
    const char *again = NULL, *from = NULL;
    for (;;) {
        size_t n = first_part(&glob), m = first_part(&path);
        if (n > 0 && is_part(glob, n, ".")) {
            glob += n;
        } else if (n > 0 && is_part(glob, n, "**")) {
            again = glob += n;
            from = path;
        } else if (n > 0 && m > 0 && part_matches(glob, n, path, m)) {
            glob += n;
            path += m;
        } else if (n == 0 && m == 0) {
            return true;
        } else {
            if (again == NULL || (m = first_part(&from)) == 0) return false;
            path = from += m;
            glob = again;
        }
    }
}

bool glob_matches(const char *glob, const char *path) {
    if (has_slash(glob) || *glob == '/') return path_matches(glob, path);
    size_t n, m;
    const char *name = last_part(path, &m), *part = last_part(glob, &n);
    return part_matches(part, n, name, m);
}

/* ---- the option ---- */

bool set_exclude(Options *opt, const char *value) {
    enum { MOST = sizeof opt->excludes / sizeof opt->excludes[0] };
    opt->fault =
        opt->nexcludes == MOST ? "is one glob too many, 64 are possible" : glob_fault(value);
    if (opt->fault != NULL) return false;
    opt->excludes[opt->nexcludes++] = value;
    return true;
}
