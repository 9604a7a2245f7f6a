/* SPDX-License-Identifier: Apache-2.0 */
/* ptoasm time --set and --params: other parameters than those of the tables. */
#include "cli/timed.h"

#include <stdlib.h>
#include <string.h>

static bool read_number(const char *s, double *out) {
    char *end;
    *out = strtod(s, &end);
    return end != s && *end == '\0' && *out >= 0 && *out < 1e12;
}

static int set_one(TimeParams *p, const char *word) {
    char name[64];
    double value;
    const char *eq = strchr(word, '=');
    if (eq == NULL || (size_t)(eq - word) >= sizeof name || !read_number(eq + 1, &value))
        return trouble("--set: '%s' is not NAME=NUMBER", word);
    memcpy(name, word, (size_t)(eq - word));
    name[eq - word] = '\0';
    if (!params_set(p, name, value))
        return trouble(
            "--set: no parameter '%s'; those of timing/a2a3.def, flag and issue can be set", name);
    return FINE;
}

/* A row: `par NAME VALUE`, or `op NAME WIDTH SLOPE SOLO CHAIN` with the width of the elements in
 * bytes or `any`. Other columns are comments. */
static bool take_row(TimeParams *p, char *cell[], unsigned n) {
    double v[4];
    if (n >= 3 && strcmp(cell[0], "par") == 0)
        return read_number(cell[2], &v[0]) && params_set(p, cell[1], v[0]);
    if (n < 6 || strcmp(cell[0], "op") != 0) return false;
    const int width = strcmp(cell[2], "any") == 0 ? 0 : atoi(cell[2]);
    for (int i = 0; i < 3; i++)
        if (!read_number(cell[3 + i], &v[i])) return false;
    return params_set_cost(p, cell[1], width, v[0], v[1], v[2]);
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
        if (n > 0 && !take_row(p, cell, n))
            return trouble("'%s', line %u: expected 'par NAME VALUE' or 'op NAME WIDTH SLOPE SOLO "
                           "CHAIN' with names of timing/a2a3.def",
                           name, line);
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
