/* pack_insts OUT: a build tool that writes inst_ids.h, the numbers of the instructions in the order
 * of their rows. It leaves the file alone when nothing changed: most of the program needs the
 * numbers only, and is then not compiled again when a row changes. */
#include "ir/inst.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *id;
    Inst row;
} rows[] = {
#define INST(id, ...) {#id, {__VA_ARGS__}},
#include "ir/insts.def"
#undef INST
};

enum { COUNT = sizeof rows / sizeof *rows, TEXT_CAP = 1 << 16 };

static char text[TEXT_CAP], before[TEXT_CAP];

static size_t put_ids(void) {
    size_t n = (size_t)snprintf(text, TEXT_CAP,
                                "/* Made by pack_insts from ir/insts/. */\n#ifndef IR_INST_IDS_H\n"
                                "#define IR_INST_IDS_H\n\ntypedef enum InstId {\n"
                                "    INST_INVALID,\n");
    for (size_t i = 0; i < COUNT && n < TEXT_CAP; i++)
        n += (size_t)snprintf(text + n, TEXT_CAP - n, "    INST_%s,\n", rows[i].id);
    if (n < TEXT_CAP)
        n += (size_t)snprintf(text + n, TEXT_CAP - n, "    INST_COUNT\n} InstId;\n\n#endif\n");
    return n;
}

static size_t read_before(const char *path) {
    FILE *in = fopen(path, "r");
    if (in == NULL) return 0;
    const size_t n = fread(before, 1, TEXT_CAP, in);
    fclose(in);
    return n;
}

int main(int argc, char **argv) {
    const size_t n = put_ids();
    if (argc != 2 || n >= TEXT_CAP) return 2;
    if (read_before(argv[1]) == n && memcmp(before, text, n) == 0) return 0;
    FILE *out = fopen(argv[1], "w");
    if (out == NULL) return 1;
    fwrite(text, 1, n, out);
    return fclose(out) == 0 ? 0 : 1;
}
