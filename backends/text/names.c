/* SPDX-License-Identifier: Apache-2.0 */
/* C names and quoted text: all text of a .pto file that enters the C text passes through
 * these functions. */
#include "backends/text/names.h"
#include "support/ascii.h"
#include "support/packed.h"

#include <string.h>

void nameset_init(NameSet *set, Arena *arena, const NameSet *outer) {
    interner_init_small(&set->names, arena);
    set->outer = outer;
}

bool nameset_has(const NameSet *set, const char *name) {
    for (; set != NULL; set = set->outer)
        if (intern_find(&set->names, name, strlen(name)) != 0) return true;
    return false;
}

void nameset_add(NameSet *set, const char *name) {
    intern_copy(&set->names, name, strlen(name));
}

static bool is_identifier(const char *text, size_t n) {
    if (n == 0 || ascii_is_digit(text[0])) return false;
    for (size_t i = 0; i < n; i++)
        if (!ascii_is_word(text[i])) return false;
    return true;
}

const char *name_mangle(Arena *arena, const char *text, size_t n) {
    if (is_identifier(text, n)) return arena_strndup(arena, text, n);
    StrBuf sb;
    sb_init(&sb, arena);
    if (n == 0 || ascii_is_digit(text[0])) sb_putc(&sb, '_');
    for (size_t i = 0; i < n; i++) {
        if (ascii_is_word(text[i]))
            sb_putc(&sb, text[i]);
        else
            sb_printf(&sb, "_x%02x", (unsigned)(unsigned char)text[i]);
    }
    return sb_text(&sb);
}

enum {
    RESERVED_NAMES = 0
#define K(name) +1
#define E(name) +1
#define R(name) +1
#include "backends/text/reserved.def"
#undef K
#undef E
#undef R
};
static const char *const own_names[] = {
#define K(name)
#define E(name) #name,
#define R(name)
#include "backends/text/reserved.def"
#undef K
#undef E
#undef R
};

/* Prefixes that the C library, POSIX and the runtime reserve. */
static const char *const reserved_prefixes[] = {
    "ptrt_",   "PTRT_",   "PTORT_", "pthread_", "sem_",  "thrd_",  "mtx_",  "cnd_",
    "tss_",    "atomic_", "ATOMIC", "INT8",     "INT16", "INT32",  "INT64", "INT_",
    "INTMAX_", "INTPTR_", "UINT",   "PTRDIFF_", "SIZE_", "WCHAR_", "WINT_", "SIG_",
    "posix_",  "sched_",  "mq_",    "xdr_",     "__"};

static bool is_listed(const char *name, bool local) {
    unsigned from = 0, to = RESERVED_NAMES;
    while (from < to) {
        const unsigned middle = from + (to - from) / 2;
        const char *entry = packed_text(&reserved_texts, middle);
        const int order = strcmp(name, entry + 1);
        if (order == 0) return !(local && entry[0] == 'R'); /* functions alone may not have it */
        if (order < 0)
            to = middle;
        else
            from = middle + 1;
    }
    return false;
}

bool name_is_known(const char *name, bool local) {
    for (size_t i = 0; i < sizeof own_names / sizeof *own_names; i++)
        if (strcmp(name, own_names[i]) == 0) return false;
    return is_listed(name, local);
}

bool name_is_reserved(const char *name, bool local) {
    for (size_t i = 0; i < sizeof reserved_prefixes / sizeof *reserved_prefixes; i++)
        if (name[0] == reserved_prefixes[i][0] &&
            strncmp(name, reserved_prefixes[i], strlen(reserved_prefixes[i])) == 0)
            return true;
    if (name[0] == '_' && name[1] >= 'A' && name[1] <= 'Z') return true;
    return is_listed(name, local);
}

static const char *numbered(Arena *arena, const char *name, unsigned n) {
    return n < 2 ? arena_printf(arena, "%s_", name) : arena_printf(arena, "%s_%u", name, n);
}

static bool is_taken(const NameSet *set, Arena *arena, const char *name, const char *also) {
    return nameset_has(set, name) ||
           (also[0] != '\0' && nameset_has(set, arena_printf(arena, "%s%s", name, also)));
}

const char *name_free(const NameSet *set, Arena *arena, const char *name, const char *also) {
    unsigned taken = 0, open = 1;
    if (!is_taken(set, arena, name, also)) return name;
    const char *found = numbered(arena, name, open);
    while (is_taken(set, arena, found, also)) {
        taken = open;
        open *= 2;
        found = numbered(arena, name, open);
    }
    while (open - taken > 1) {
        unsigned mid = taken + (open - taken) / 2;
        const char *middle = numbered(arena, name, mid);
        if (is_taken(set, arena, middle, also)) {
            taken = mid;
        } else {
            open = mid;
            found = middle;
        }
    }
    return found;
}

const char *name_take(NameSet *set, Arena *arena, const char *text, size_t n) {
    const char *name = name_mangle(arena, text, n);
    if (name_is_reserved(name, set->outer != NULL)) name = arena_printf(arena, "%s_", name);
    name = name_free(set, arena, name, "");
    nameset_add(set, name);
    return name;
}

/* Separates comment marks and trigraphs, and replaces backslashes and bytes that are not printable
 * ASCII (control characters, text direction marks). */
void put_comment_text(StrBuf *out, const char *s, size_t n) {
    char before = 0;
    sb_reserve(out, 2 * n);
    char *to = out->data + out->len;
    for (size_t i = 0; i < n; i++) {
        char c = s[i];
        if (c < ' ' || c > '~') c = c == '\t' ? ' ' : '.';
        if ((before == '*' && c == '/') || (before == '/' && c == '*') ||
            (before == '?' && c == '?'))
            *to++ = ' ';
        *to++ = c != '\\' ? c : '.';
        before = c != '\\' ? c : '.';
    }
    *to = '\0';
    out->len = (size_t)(to - out->data);
}

void put_line_comment(StrBuf *out, const char *s, size_t n) {
    while (n > 0 && strchr(" {}", s[n - 1]) != NULL)
        n--;
    sb_reserve(out, 2 * n);
    char *to = out->data + out->len;
    for (size_t i = 0; i < n; i++) {
        if (s[i] == '{' || s[i] == '}') continue;
        if (i > 0 && s[i] == '?' && s[i - 1] == '?') *to++ = ' ';
        *to++ = s[i] < ' ' || s[i] > '~' || s[i] == '\\' ? '.' : s[i];
    }
    *to = '\0';
    out->len = (size_t)(to - out->data);
}

void put_c_string(StrBuf *out, const char *s, size_t n) {
    sb_putc(out, '"');
    for (size_t i = 0; i < n; i++) {
        char c = s[i];
        if (c == '"' || c == '\\')
            sb_printf(out, "\\%c", c);
        else if (c < ' ' || c > '~' || c == '?')
            sb_printf(out, "\\%03o", (unsigned)(unsigned char)c);
        else
            sb_putc(out, c);
    }
    sb_putc(out, '"');
}
