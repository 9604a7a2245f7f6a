/* SPDX-License-Identifier: Apache-2.0 */
/* Unified differences by Myers' greedy algorithm, in steps of at most LIMIT changes so that texts
 * without a common line do not take quadratic time. */
#include "cli/diff.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIMIT = 300, CONTEXT = 3 };

typedef struct Line {
    const char *s;
    size_t n; /* including the line end */
} Line;

typedef struct Text {
    Line *lines;
    bool *changed; /* not in the other text */
    size_t n;
} Text;

typedef struct Search {
    Text a, b;
    long reach[2 * LIMIT + 3]; /* furthest line of a by diagonal + LIMIT + 1; -1 = not reached */
    long trace[(LIMIT + 1) * (LIMIT + 1)]; /* reach after d changes, at d * d */
} Search;

/* ---- lines ---- */

static bool split(Text *t, const char *s, size_t size) {
    size_t n = 0;
    for (size_t i = 0; i < size; i++)
        n += s[i] == '\n' || i + 1 == size;
    t->lines = malloc((n + 1) * sizeof *t->lines);
    t->changed = calloc(n + 1, sizeof *t->changed);
    if (t->lines == NULL || t->changed == NULL) return false;
    for (const char *end = s + size; s < end;) {
        const char *nl = memchr(s, '\n', (size_t)(end - s));
        size_t len = (size_t)((nl != NULL ? nl + 1 : end) - s);
        t->lines[t->n++] = (Line){s, len};
        s += len;
    }
    return true;
}

static bool same_line(const Search *s, size_t i, size_t j) {
    const Line *x = &s->a.lines[i], *y = &s->b.lines[j];
    return x->n == y->n && memcmp(x->s, y->s, x->n) == 0;
}

/* ---- search ---- */

/* Returns the furthest line of a on diagonal k after one more change; *right is set when that
 * change deletes a line of a. */
static long enter(long from_left, long from_right, bool *right) {
    long there = from_left >= 0 ? from_left + 1 : -1;
    *right = there > from_right;
    return *right ? there : from_right;
}

static long traced(const Search *s, long d, long k) {
    return k < -d || k > d ? -1 : s->trace[d * d + k + d];
}

/* Marks the changes on the path from (i, j) to the point reached on diagonal k with d changes. */
static void mark(Search *s, size_t i, size_t j, long d, long k) {
    for (; d > 0; d--) {
        bool right;
        long x = enter(traced(s, d - 1, k - 1), traced(s, d - 1, k + 1), &right);
        if (right)
            s->a.changed[i + (size_t)x - 1] = true;
        else
            s->b.changed[j + (size_t)(x - k) - 1] = true;
        k += right ? -1 : 1;
    }
}

/* Returns how far diagonal k can be followed after d changes; -1 when it starts outside. */
static long follow(const Search *s, size_t i, size_t j, long d, long k) {
    const long *at = &s->reach[LIMIT + 1 + k];
    bool right;
    long x = d == 0 ? 0 : enter(at[-1], at[1], &right);
    long n = (long)(s->a.n - i), m = (long)(s->b.n - j);
    if (x < 0 || x > n || x - k > m || x - k < 0) return -1;
    while (x < n && x - k < m && same_line(s, i + (size_t)x, j + (size_t)(x - k)))
        x++;
    return x;
}

/* Advances (*i, *j) as far as possible with at most LIMIT changes. */
static void advance(Search *s, size_t *i, size_t *j) {
    long n = (long)(s->a.n - *i), m = (long)(s->b.n - *j), d, best = 0, best_k = 0;
    bool found = false;
    for (size_t k = 0; k < sizeof s->reach / sizeof s->reach[0]; k++)
        s->reach[k] = -1;
    for (d = 0; d <= LIMIT && !found; d++) {
        best = -1;
        for (long k = -d; k <= d && !found; k += 2) {
            long x = follow(s, *i, *j, d, k);
            s->reach[LIMIT + 1 + k] = x;
            if (x < 0 || 2 * x - k <= best) continue;
            best = 2 * x - k; /* lines of both texts */
            best_k = k;
            found = best == n + m;
        }
        memcpy(&s->trace[d * d], &s->reach[LIMIT + 1 - d], (size_t)(2 * d + 1) * sizeof(long));
    }
    mark(s, *i, *j, d - 1, best_k);
    long x = (best + best_k) / 2;
    *i += (size_t)x;
    *j += (size_t)(x - best_k);
}

/* ---- output ---- */

static void put_lines(const Text *t, size_t from, size_t to, char sign) {
    for (size_t i = from; i < to; i++) {
        const Line *l = &t->lines[i];
        putchar(sign);
        fwrite(l->s, 1, l->n, stdout);
        if (l->s[l->n - 1] != '\n') fputs("\n\\ No newline at end of file\n", stdout);
    }
}

static void put_range(char sign, size_t from, size_t to) {
    printf("%c%zu", sign, to > from ? from + 1 : from);
    if (to != from + 1) printf(",%zu", to - from);
}

/* Counts the unchanged lines from (i, j) on, at most `most`. */
static size_t common(const Search *s, size_t i, size_t j, size_t most) {
    size_t n = 0;
    while (n < most && i + n < s->a.n && j + n < s->b.n && !s->a.changed[i + n] &&
           !s->b.changed[j + n])
        n++;
    return n;
}

static void skip_changes(const Search *s, size_t *i, size_t *j) {
    while (*i < s->a.n && s->a.changed[*i])
        ++*i;
    while (*j < s->b.n && s->b.changed[*j])
        ++*j;
}

/* Moves (*i, *j) from a hunk's first change to the end of its last, without context lines. */
static void hunk_end(const Search *s, size_t *i, size_t *j) {
    for (;;) {
        skip_changes(s, i, j);
        size_t gap = common(s, *i, *j, 2 * CONTEXT + 1);
        if (gap > 2 * CONTEXT || (*i + gap == s->a.n && *j + gap == s->b.n)) return;
        *i += gap;
        *j += gap;
    }
}

/* Prints the hunk at (*i, *j) and moves past its changes. */
static void put_hunk(const Search *s, size_t *i, size_t *j) {
    size_t before = *i < *j ? *i : *j, i_end = *i, j_end = *j;
    if (before > CONTEXT) before = CONTEXT;
    hunk_end(s, &i_end, &j_end);
    size_t after = common(s, i_end, j_end, CONTEXT);
    fputs("@@ ", stdout);
    put_range('-', *i - before, i_end + after);
    putchar(' ');
    put_range('+', *j - before, j_end + after);
    puts(" @@");
    put_lines(&s->a, *i - before, *i, ' ');
    while (*i < i_end || *j < j_end) {
        size_t x = *i, y = *j;
        skip_changes(s, i, j);
        put_lines(&s->a, x, *i, '-');
        put_lines(&s->b, y, *j, '+');
        size_t n = *i < i_end ? common(s, *i, *j, i_end - *i) : 0;
        put_lines(&s->a, *i, *i + n, ' ');
        *i += n;
        *j += n;
    }
    put_lines(&s->a, i_end, i_end + after, ' ');
}

static void put_hunks(const Search *s, const char *name) {
    bool head = false;
    for (size_t i = 0, j = 0;;) {
        size_t n = common(s, i, j, s->a.n);
        i += n;
        j += n;
        if (i == s->a.n && j == s->b.n) return;
        if (!head) printf("--- %s\n+++ %s\n", name, name);
        head = true;
        put_hunk(s, &i, &j);
    }
}

static void search_free(Search *s) {
    free(s->a.lines);
    free(s->a.changed);
    free(s->b.lines);
    free(s->b.changed);
    free(s);
}

/* Compares two texts; NULL when memory runs out. */
static Search *search(const char *a, size_t a_size, const char *b, size_t b_size) {
    Search *s = calloc(1, sizeof *s);
    if (s == NULL) return NULL;
    if (!split(&s->a, a, a_size) || !split(&s->b, b, b_size)) {
        search_free(s);
        return NULL;
    }
    for (size_t i = 0, j = 0; i < s->a.n || j < s->b.n;)
        advance(s, &i, &j);
    return s;
}

bool diff_print(const char *name, const char *a, size_t a_size, const char *b, size_t b_size) {
    Search *s = search(a, a_size, b, b_size);
    if (s == NULL) return false;
    put_hunks(s, name);
    search_free(s);
    return true;
}

/* Returns where line `i` begins; after the last line, the end of the text. */
static size_t line_offset(const Text *t, size_t i, const char *text, size_t size) {
    return i < t->n ? (size_t)(t->lines[i].s - text) : size;
}

bool diff_changes(const char *a, size_t a_size, const char *b, size_t b_size,
                  void (*put)(void *arg, size_t from, size_t to, const char *text, size_t size),
                  void *arg) {
    Search *s = search(a, a_size, b, b_size);
    if (s == NULL) return false;
    for (size_t i = 0, j = 0; i < s->a.n || j < s->b.n;) {
        size_t n = common(s, i, j, s->a.n), x = i += n, y = j += n;
        skip_changes(s, &i, &j);
        if (i == x && j == y) break;
        size_t from = line_offset(&s->b, y, b, b_size), to = line_offset(&s->b, j, b, b_size);
        put(arg, line_offset(&s->a, x, a, a_size), line_offset(&s->a, i, a, a_size), b + from,
            to - from);
    }
    search_free(s);
    return true;
}
