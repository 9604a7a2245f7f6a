/* SPDX-License-Identifier: Apache-2.0 */
/* Single errors in kernels, made from the parsed program by code that knows the right answer. */
#ifndef TESTS_SEEDS_H
#define TESTS_SEEDS_H

#include "ir/ir.h"

enum { SEED_TEXT = 1 << 18, MOST_CHANGES = 256, MOST_KERNELS = 1024 };

/* A legal program that was read. */
typedef struct Program {
    Source source;
    Context ctx;
    Module *module;
    uint32_t counts[INST_COUNT]; /* statements of each instruction */
} Program;

typedef struct Change {
    Span span;
    char text[160];
} Change;

typedef struct Seed {
    const Program *program;
    Change changes[MOST_CHANGES]; /* of the text, which is `text` after them; sorted */
    unsigned nchanges;
    char text[SEED_TEXT];
    /* What is wrong: an operand or attribute of a statement, all operands that are a value or have
     * a type, or, if there is none, the changed texts. */
    const Op *op;
    const char *operand;
    const Value *value;
    const Type *type;
} Seed;

typedef struct SeedKind {
    const char *family, *name;
    bool (*make)(Program *p, Seed *seed); /* false when the program has no place for it */
} SeedKind;

extern const SeedKind seed_kinds[];
extern const unsigned seed_kind_count;

/* An error in a text, which has room for more; false when the text has no place for it. */
typedef struct TextKind {
    const char *name;
    bool (*make)(char *text);
} TextKind;

extern const TextKind text_kinds[];
extern const unsigned text_kind_count;
uint32_t text_pick(uint32_t n);

/* The verdict of a text; with `fixed` the text after its fixes too, to be freed. */
int seed_judge(const char *text, char **fixed);
/* Judges errors of all kinds in legal programs, and prints a row for each kind. */
bool judge_seeds(char *const *texts, unsigned n);

/* A number below n, the same in each run. */
uint32_t seed_pick(uint32_t n);
/* Reads a text, which outlives the program; false when it has an error. */
bool program_open(Program *p, const char *text);
void program_close(Program *p);
/* Do two programs have the same tile instructions? Allocations, casts and numbers may differ. */
bool program_alike(const Program *a, const Program *b);
/* ---- for the kinds ---- */

typedef struct Site {
    Op *op;
    unsigned i; /* operand */
} Site;

void change(Seed *seed, Span span, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
const char *text_at(const Program *p, Span span);
/* Picks one of the statements and operands that fit; false when there is none. A statement without
 * operands is asked for operand 0. */
bool pick_site(Program *p, bool (*fits)(const Program *p, const Op *op, unsigned i), Site *out);
/* Has the statement an operand `i` with a name in the text? */
bool has_operand(const Op *op, unsigned i);

/* seed_types.c */
typedef bool MakeSeed(Program *p, Seed *seed);
MakeSeed element_of_use, element_of_type, extent_of_use, extent_of_type, valid_of_type,
    space_of_use, space_of_type, layout_of_type, box_of_type, column_as_row, column_of_type;

/* Makes an error of a kind in a program; false when there is no place for it. */
bool seed_make(Program *p, const SeedKind *kind, Seed *seed);
/* Is this error about what is wrong? `at` and `operand` are those of a diagnostic or a note. */
bool seed_named(const Seed *seed, uint32_t off, uint32_t len, const char *operand);

#endif
