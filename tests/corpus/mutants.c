/* SPDX-License-Identifier: Apache-2.0 */
/* Reading mutants.tsv.gz. */
#include "corpus/mutants.h"
#include "common/checkrun.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Replaces `\n` and `\\` in place. */
static size_t unescape(char *s) {
    char *to = s;
    for (const char *from = s; *from != '\0'; from++) {
        if (from[0] == '\\' && from[1] != '\0') {
            from++;
            *to++ = *from == 'n' ? '\n' : *from;
        } else {
            *to++ = *from;
        }
    }
    *to = '\0';
    return (size_t)(to - s);
}

static bool read_fields(char *line, Mutant *m) {
    char **const fields[] = {&m->instruction, &m->profile, &m->level, &m->change,
                             &m->verdict,     &m->vendor,  &m->text};
    for (unsigned i = 0; i < sizeof fields / sizeof fields[0]; i++)
        *fields[i] = cut_field(&line, '\t');
    return m->text != NULL;
}

/* All lines of the packed file, to be freed. */
static char *unpacked(const char *folder) {
    size_t cap = 1 << 22, n = 0;
    char command[200];
    snprintf(command, sizeof command, "exec gzip -dc \"$PTOASM_CORPUS/%smutants.tsv.gz\"", folder);
    FILE *f = popen(command, "r");
    char *data = f != NULL ? malloc(cap + 1) : NULL;
    while (data != NULL) {
        n += fread(data + n, 1, cap - n, f);
        if (n < cap) break;
        char *bigger = realloc(data, 2 * cap + 1);
        if (bigger == NULL) free(data);
        data = bigger;
        cap *= 2;
    }
    if (f == NULL || pclose(f) != 0 || data == NULL) {
        free(data);
        return NULL;
    }
    data[n] = '\0';
    return data;
}

ptoasm_options mutant_options(const Mutant *m, bool compat) {
    ptoasm_options opt = PTOASM_OPTIONS_INIT;
    opt.profiles = strcmp(m->profile, "a5") == 0 ? PTOASM_PROFILE_A5 : PTOASM_PROFILE_A2A3;
    opt.level = atoi(m->level);
    opt.compat = compat;
    return opt;
}

bool mutants_each(const char *folder, void (*fn)(Mutant *m, void *arg), void *arg) {
    char *data = unpacked(folder), *rest = data;
    if (data == NULL) return false;
    cut_field(&rest, '\n'); /* the names of the fields */
    for (char *line; (line = cut_field(&rest, '\n')) != NULL;) {
        Mutant m;
        if (!read_fields(line, &m)) continue;
        m.size = unescape(m.text);
        fn(&m, arg);
    }
    free(data);
    return true;
}
