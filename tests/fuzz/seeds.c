/* SPDX-License-Identifier: Apache-2.0 */
/* Seeds for the fuzzer from the tables, so that nothing has to be kept in step with them:
 *     seeds FOLDER DICTIONARY
 * writes a program per instruction and form, in the ins/outs form one per profile, and a dictionary
 * of the words of the tables. */
#include "api/ptoasm.h"
#include "explain/example.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *open_file(const char *path) {
    FILE *f = fopen(path, "wb");
    if (f == NULL) {
        perror(path);
        exit(1);
    }
    return f;
}

static void close_file(FILE *f) {
    bool failed = ferror(f) != 0;
    if (fclose(f) != 0 || failed) {
        perror("seeds");
        exit(1);
    }
}

/* The first byte chooses the options: see round_trip.c. */
static void write_seed(const char *folder, const Example *e, const char *text) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s-%d-%d", folder, e->inst->name, (int)e->profile,
             (int)e->form);
    FILE *f = open_file(path);
    fputc(PROFILE_BIT(e->profile), f);
    fputs(text, f);
    close_file(f);
}

static bool make_seed(const char *folder, const Inst *inst, Profile profile, OpForm form) {
    Arena arena;
    jmp_buf oom;
    Example e;
    memset(&arena, 0, sizeof arena);
    example_init(&e, inst, profile, form);
    if (!example_find(&e)) return false;
    arena_init(&arena, &oom);
    if (setjmp(oom) != 0) exit(1);
    StrBuf text;
    sb_init(&text, &arena);
    example_print(&e, &text);
    write_seed(folder, &e, sb_text(&text));
    arena_free(&arena);
    return true;
}

static void write_words(FILE *f) {
    for (int id = 1; id < INST_COUNT; id++) {
        const Inst *inst = &inst_table[id];
        fprintf(f, "\"%s\"\n", inst->name);
        for (int i = 0; i < inst->nattrs; i++)
            fprintf(f, "\"%s = \"\n", inst->attrs[i].name);
        for (int i = 0; i < inst->nslots; i++)
            if (inst->slots[i].rare->clause != NULL)
                fprintf(f, "\"%s %%\"\n", inst->slots[i].rare->clause);
    }
    for (int k = 0; k < EF_COUNT; k++) {
        const EnumInfo *e = &enum_infos[k];
        for (unsigned i = 0; i < e->nvalues; i++)
            fprintf(f, e->spelling == ENUM_ANGLE ? "\"#pto<%s %s>\"\n" : "\"#pto.%s<%s>\"\n",
                    e->name, e->values[i].text);
    }
}

/* The first profile that has the instruction is enough for the rarer forms. */
static unsigned make_seeds(const char *folder, const Inst *inst, OpForm form) {
    unsigned n = 0;
    for (int p = 0; p < PROFILE_COUNT && (form == OPF_DPS || n == 0); p++)
        n += make_seed(folder, inst, (Profile)p, form);
    return n;
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: seeds FOLDER DICTIONARY\n");
        return 2;
    }
    unsigned n = 0;
    for (int id = 1; id < INST_COUNT; id++)
        for (int f = OPF_DPS; f <= OPF_GENERIC; f++)
            if (example_has_form(&inst_table[id], (OpForm)f))
                n += make_seeds(argv[1], &inst_table[id], (OpForm)f);
    FILE *words = open_file(argv[2]);
    write_words(words);
    close_file(words);
    printf("%u examples\n", n);
    return 0;
}
