/* SPDX-License-Identifier: Apache-2.0 */
/* lines.c - the kernel table as the oracle sees it, and the arguments that a line names. */
#include "context.h"

#include <stdlib.h>

#undef T
#undef V
#undef I
#undef A
#undef F

#define PTRT_ANY ELEM_ANY
#include "ptort_types.def"

#define TYPE_(unused, suffix, E1, E2) {PTRT_##E1, PTRT_##E2},
#define KERNEL(family, id, name, when, driver, args, elems, types, body)                           \
    static const struct LineTypes types_##id[] = {PTRT_TYPES_##types(TYPE_, )};
#include "ptort_kernels.def"

const Line lines[] = {
#define KERNEL(family, id, name, when, driver, args, elems, types, body)                           \
    {#id,                                                                                          \
     name,                                                                                         \
     args,                                                                                         \
     elems,                                                                                        \
     PTRT_##id,                                                                                    \
     &formula_##id,                                                                                \
     &driver_##driver,                                                                             \
     types_##id,                                                                                   \
     sizeof types_##id / sizeof *types_##id},
#include "ptort_kernels.def"
};
const int nlines = sizeof lines / sizeof *lines;

const Line *line_named(const char *id) {
    for (int i = 0; i < nlines; i++)
        if (strcmp(lines[i].id, id) == 0) return &lines[i];
    return NULL;
}

/* ---- arguments ---- */

static bool names(const char *list, int which, const char *word, size_t n) {
    for (; which > 0; which--) {
        list += strcspn(list, " ");
        list += *list == ' ';
    }
    return strcspn(list, " ") == n && n > 0 && memcmp(list, word, n) == 0;
}

/* The element type of an argument that the formula does not set. */
static int default_elem(const Case *c, const char *word, size_t n) {
    return c->e2 >= 0 && names(c->line->elems, 1, word, n) ? c->e2 : c->e1;
}

static void set_number(Arg *a, int64_t v) {
    a->i = v;
    a->f = (double)v;
    a->value = (Num){v, (double)v};
}

void use_int(Case *c, int k, int64_t v) {
    set_number(&c->arg[k], v);
}

/* One of the values that the formula lists; a bare attribute is 0, a presence flag 0 or 1. */
static void choose_number(Case *c, Arg *a, const Ints *list, char mark) {
    if (list->n > 0)
        set_number(a, list->v[random_below(&c->random, list->n)]);
    else
        set_number(a, mark == '?' ? random_below(&c->random, 2) : 0);
}

/* One word of args; false when the driver's letter does not fit. */
static bool add_arg(Case *c, const char *word, size_t n, char letter) {
    const Formula *f = c->line->formula;
    int k = c->nargs++;
    Arg *a = &c->arg[k];
    bool number = *word == '#' || *word == '&' || *word == '%' || *word == '?' ||
                  (*word >= '0' && *word <= '9') || (*word == '-' && n > 1);
    *a = (Arg){.letter = letter, .space = PTRT_VEC, .layouts = LAYS_ALL};
    a->align_rows = a->align_cols = 1;
    a->out = strchr("dRCuw", letter) != NULL;
    size_t mark = memchr("#?@$%&", *word, 6) != NULL;
    a->elem = f->elem[k] != 0 ? f->elem[k] - 1 : default_elem(c, word + mark, n - mark);
    if (number) {
        if (*word == '#' || *word == '?' || *word == '%')
            choose_number(c, a, &f->ints[k], *word);
        else
            set_number(a, strtoll(word, NULL, 10));
        return letter == 'a' || letter == 'i';
    }
    if (*word == '$') {
        if (letter == 'i') choose_number(c, a, &f->ints[k], *word);
        return letter == 'e' || letter == 'i';
    }
    if (*word == '@') {
        a->space = PTRT_GM;
        return is_view(a);
    }
    a->absent = *word == '-';
    return strchr("trcsdRCu", letter) != NULL;
}

bool line_args(Case *c) {
    const char *letters = c->line->driver->letters, *s = c->line->args;
    bool fits = true;
    c->nargs = 0;
    for (; *s != '\0'; s += *s == ' ') {
        size_t n = strcspn(s, " ");
        if (*s != '!') {
            fits = fits && c->nargs < MAX_ARGS && letters[c->nargs] != '\0' &&
                   add_arg(c, s, n, letters[c->nargs]);
        }
        s += n;
    }
    fits = fits && letters[c->nargs] == '\0';
    if (!fits)
        fprintf(stderr, "%s: the driver's letters \"%s\" do not fit args \"%s\"\n", c->line->id,
                letters, c->line->args);
    return fits;
}
