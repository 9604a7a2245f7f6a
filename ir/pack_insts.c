/* pack_insts IDS NAMES: a build tool that numbers the instructions and the names of their operands
 * (inst_ids.h), and writes the names of each instruction as numbers (slot_names.c). It leaves a
 * file alone that would not change: most of the program needs the numbers only, and is then not
 * compiled again when a row changes. */
#include "ir/inst.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *id;
    Inst row;
} rows[] = {
#define INST(id, ...) {#id, {__VA_ARGS__}},
#include "ir/insts.def"
#undef INST
};

enum { COUNT = sizeof rows / sizeof *rows, TEXT_CAP = 1 << 16, NAME_CAP = 256 };

/* ---- output ---- */

static char text[TEXT_CAP], before[TEXT_CAP];
static size_t length;

static void give_up(const char *what, const char *which) {
    fprintf(stderr, "pack_insts: %s: %s\n", which, what);
    exit(1);
}

#ifdef __GNUC__
__attribute__((format(printf, 1, 2)))
#endif
static void
put(const char *format, ...) {
    va_list args;
    va_start(args, format);
    length += (size_t)vsnprintf(text + length, TEXT_CAP - length, format, args);
    va_end(args);
    if (length >= TEXT_CAP) give_up("the text is too long", "output");
}

static bool is_on_disk(const char *path) {
    FILE *in = fopen(path, "r");
    if (in == NULL) return false;
    const size_t n = fread(before, 1, TEXT_CAP, in);
    fclose(in);
    return n == length && memcmp(before, text, n) == 0;
}

static void write_text(const char *path) {
    if (!is_on_disk(path)) {
        FILE *out = fopen(path, "w");
        if (out == NULL) give_up("cannot be opened", path);
        const bool whole = fwrite(text, 1, length, out) == length;
        if (fclose(out) != 0 || !whole) give_up("cannot be written", path);
    }
    length = 0;
}

/* ---- names ---- */

static const char *names[NAME_CAP];
static unsigned nnames = 1; /* 0: no name */

static unsigned number_of(const char *name) {
    unsigned i = 1;
    while (i < nnames && strcmp(names[i], name) != 0)
        i++;
    if (i == NAME_CAP) give_up("too many names of operands", name);
    if (i == nnames) names[nnames++] = name;
    return i;
}

static void put_slot_names(void) {
    unsigned starts[COUNT], n = 0;
    put("/* Made by pack_insts from ir/insts/. */\n#include \"ir/insts.h\"\n\n"
        "const uint8_t slot_names[] = {");
    for (size_t i = 0; i < COUNT; i++) {
        starts[i] = n;
        for (unsigned s = 0; s < rows[i].row.nslots; s++, n++)
            put("%s%u,", n % 24 == 0 ? "\n    " : " ", number_of(rows[i].row.slots[s].name));
    }
    put("\n};\nconst uint16_t slot_starts[INST_COUNT] = {0,");
    for (size_t i = 0; i < COUNT; i++)
        put("%s%u,", i % 16 == 0 ? "\n    " : " ", starts[i]);
    put("\n};\n");
}

static void put_ids(void) {
    put("/* Made by pack_insts from ir/insts/. */\n#ifndef IR_INST_IDS_H\n#define IR_INST_IDS_H\n\n"
        "typedef enum InstId {\n    INST_INVALID,\n");
    for (size_t i = 0; i < COUNT; i++)
        put("    INST_%s,\n", rows[i].id);
    put("    INST_COUNT\n} InstId;\n\n/* The names that slots have in some row. */\n"
        "typedef enum OperandName {\n    OPERAND_NONE,\n");
    for (unsigned i = 1; i < nnames; i++)
        put("    OPERAND_%s,\n", names[i]);
    put("    OPERAND_COUNT\n} OperandName;\n\n#endif\n");
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    put_slot_names();
    write_text(argv[2]);
    put_ids();
    write_text(argv[1]);
    return 0;
}
