/* Single errors in kernels, made from the parsed program by code that knows the right answer. */
#ifndef TESTS_SEEDS_H
#define TESTS_SEEDS_H

#include "ir/ir.h"

enum { SEED_TEXT = 1 << 18, MOST_CHANGES = 256 };

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

/* A number below n, the same in each run. */
uint32_t seed_pick(uint32_t n);
/* Reads a text, which outlives the program; false when it has an error. */
bool program_open(Program *p, const char *text);
void program_close(Program *p);
/* Do two programs have the same tile instructions? Allocations, casts and numbers may differ. */
bool program_alike(const Program *a, const Program *b);
/* Makes an error of a kind in a program; false when there is no place for it. */
bool seed_make(Program *p, const SeedKind *kind, Seed *seed);
/* Is this error about what is wrong? `at` and `operand` are those of a diagnostic or a note. */
bool seed_named(const Seed *seed, uint32_t off, uint32_t len, const char *operand);

#endif
