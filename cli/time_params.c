/* SPDX-License-Identifier: Apache-2.0 */
/* ptoasm time --set and --params: other parameters than those of the tables. */
#include "cli/timed.h"
#include "support/number.h"

#include <stdlib.h>
#include <string.h>

static bool read_number(const char *s, double *out) {
    return number_read(s, strlen(s), out) && *out >= 0 && *out < 1e12;
}

/* Appends the names of the numbers that can be set. */
static void put_names(FILE *to) {
    for (unsigned i = 0; params_name(i) != NULL; i++)
        fprintf(to, "%s%s", i > 0 ? ", " : "", params_name(i));
}

static const char *name_at(const void *table, size_t i) {
    (void)table;
    return params_name((unsigned)i);
}

/* Says that there is no number of this name: which one may be meant, and which there are. */
static int unknown_name(const char *name) {
    size_t n = 0;
    MemoryText names;
    while (params_name((unsigned)n) != NULL)
        n++;
    const char *near = nearest_name(name, strlen(name), n, name_at, NULL);
    FILE *to = memory_open(&names);
    if (to == NULL) return trouble("out of memory");
    put_names(to);
    if (!memory_close(to, &names)) return trouble("out of memory");
    const int rc = near != NULL
                       ? trouble("--set: no parameter '%s'; did you mean '%s'? There are: %s", name,
                                 near, names.text)
                       : trouble("--set: no parameter '%s'; there are: %s", name, names.text);
    memory_free(&names);
    return rc;
}

static int set_one(TimeParams *p, const char *word) {
    char name[64];
    double value;
    const char *eq = strchr(word, '=');
    if (eq == NULL || (size_t)(eq - word) >= sizeof name || !read_number(eq + 1, &value))
        return trouble("--set: '%s' is not NAME=NUMBER, with a number from 0", word);
    memcpy(name, word, (size_t)(eq - word));
    name[eq - word] = '\0';
    const ParamsAnswer answer = params_set(p, name, value);
    if (answer == PARAMS_TOO_SMALL)
        return trouble("--set: '%s' is too small: times are divided by it", word);
    return answer == PARAMS_SET ? FINE : unknown_name(name);
}

static bool read_width(const char *s, int *out) {
    uint64_t v = 0;
    if (strcmp(s, "any") != 0 && (!number_from_text(s, 8, &v) || (v != 2 && v != 4 && v != 8)))
        return false;
    *out = (int)v;
    return true;
}

/* A row: `par NAME VALUE`, or `op NAME WIDTH SLOPE SOLO CHAIN` with the width of the elements in
 * bytes or `any`. Returns why it is none, or NULL. */
static const char *take_row(TimeParams *p, char *cell[], unsigned n) {
    static const char expected[] =
        "expected 'par NAME VALUE' or 'op NAME WIDTH SLOPE SOLO CHAIN' with numbers from 0";
    double v[4];
    int width;
    if (n == 3 && strcmp(cell[0], "par") == 0) {
        if (!read_number(cell[2], &v[0])) return expected;
        const ParamsAnswer answer = params_set(p, cell[1], v[0]);
        return answer == PARAMS_UNKNOWN     ? "there is no parameter of this name"
               : answer == PARAMS_TOO_SMALL ? "the value is too small: times are divided by it"
                                            : NULL;
    }
    if (n != 6 || strcmp(cell[0], "op") != 0) return expected;
    if (!read_width(cell[2], &width)) return "expected 2, 4, 8 or any as the width of elements";
    for (int i = 0; i < 3; i++)
        if (!read_number(cell[3 + i], &v[i])) return expected;
    return params_set_cost(p, cell[1], width, v[0], v[1], v[2])
               ? NULL
               : "there is no operation of this name, or no room for one more";
}

static int read_params(TimeParams *p, char *text, const char *name) {
    unsigned line = 0;
    for (char *row = text; row != NULL && *row != '\0';) {
        char *end = strchr(row, '\n'), *cell[8];
        unsigned n = 0;
        if (end != NULL) *end++ = '\0';
        line++;
        row[strcspn(row, "\r#")] = '\0';
        for (char *at = strtok(row, "\t "); at != NULL && n < 8; at = strtok(NULL, "\t "))
            cell[n++] = at;
        const char *why = n > 0 ? take_row(p, cell, n) : NULL;
        if (why != NULL) return trouble("'%s', line %u: %s", name, line, why);
        row = end;
    }
    return FINE;
}

int time_params(TimeParams *p, Profile profile, const Options *opt) {
    params_init(p, profile, opt->time.vendor ? LAW_VENDOR : LAW_DEVICE);
    int rc = FINE;
    if (opt->time.params != NULL) {
        Input in;
        rc = input_read(opt->time.params, &in);
        if (rc != FINE) return rc;
        rc = read_params(p, in.data, in.name);
        input_free(&in);
    }
    for (unsigned i = 0; i < opt->time.nsets && rc == FINE; i++)
        rc = set_one(p, opt->time.sets[i]);
    if (opt->time.blocks > 0) p->blocks = (unsigned)opt->time.blocks;
    return rc;
}
