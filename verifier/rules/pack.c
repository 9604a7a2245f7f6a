/* SPDX-License-Identifier: Apache-2.0 */
/* pack_rules OUT: a build tool that writes the rows of the rule table as C. Texts, pairs and
 * numbers are stored once and referred to by offsets, so that the table needs no pointers. */
#include "verifier/rules/written.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- tables that rows share ---- */

enum { TEXTS = UINT16_MAX, PAIRS = UINT16_MAX, NUMBERS = 4096 };

typedef struct Numbers {
    uint64_t set;
    int32_t lo, hi, multiple;
    int16_t div, add;
} Numbers;

static char texts[TEXTS];
static size_t texts_size = 1; /* offset 0 means no text */
static uint8_t pairs[PAIRS];
static size_t pairs_size = 1; /* offset 0 means no pairs */
static Numbers numbers[NUMBERS];
static size_t nnumbers;

static void give_up(const char *what, int list) {
    fprintf(stderr, "pack_rules: %s, list %d\n", what, list);
    exit(1);
}

static size_t place_text(const char *s) {
    if (s == NULL) return 0;
    size_t at = 1, size = strlen(s) + 1;
    while (at < texts_size && strcmp(texts + at, s) != 0)
        at += strlen(texts + at) + 1;
    if (at < texts_size) return at;
    if (TEXTS - at < size) give_up("too many texts", 0);
    memcpy(texts + at, s, size);
    texts_size += size;
    return at;
}

/* Returns the size of a list of pairs with its two final zeros. */
static size_t pairs_bytes(const uint8_t *list) {
    size_t n = 0;
    while (list[n] != 0)
        n += 2;
    return n + 2;
}

static size_t place_pairs(const uint8_t *list) {
    size_t at = 1, size = pairs_bytes(list);
    while (at < pairs_size &&
           (pairs_bytes(pairs + at) != size || memcmp(pairs + at, list, size) != 0))
        at += pairs_bytes(pairs + at);
    if (at < pairs_size) return at;
    if (PAIRS - at < size) give_up("too many pairs", 0);
    memcpy(pairs + at, list, size);
    pairs_size += size;
    return at;
}

static size_t place_numbers(const WrittenRow *r) {
    Numbers *n = &numbers[nnumbers];
    size_t at = 0;
    memset(n, 0, sizeof *n); /* padding is compared too */
    n->set = r->set;
    n->lo = r->lo;
    n->hi = r->hi;
    n->multiple = r->multiple;
    n->div = r->div;
    n->add = r->add;
    while (memcmp(&numbers[at], n, sizeof *n) != 0)
        at++;
    if (at == nnumbers && ++nnumbers == NUMBERS) give_up("too many numbers", 0);
    return at;
}

/* ---- lists ---- */

static const WrittenList *const families[] = {
#define RULE_FAMILY(name) rules_##name,
#include "verifier/rule_families.def"
#undef RULE_FAMILY
};
static const WrittenList *lists[ROW_LISTS];

/* Finds the list of each instruction; RULES_AS refers to the list of another. */
static void find_lists(void) {
    for (size_t f = 0; f < sizeof families / sizeof *families; f++)
        for (const WrittenList *list = families[f]; list->inst != INST_INVALID; list++) {
            if (lists[list->inst] != NULL) give_up("two lists of one instruction", list->inst);
            lists[list->inst] = list;
        }
    for (int i = 0; i < ROW_LISTS; i++) {
        int other = lists[i] != NULL ? lists[i]->same_as : INST_INVALID;
        if (other != INST_INVALID && (lists[other] == NULL || lists[other]->n == 0))
            give_up("the rows of an instruction without rows", i);
    }
}

static const WrittenList *rows_of(int i) {
    return lists[i] != NULL && lists[i]->same_as != INST_INVALID ? lists[lists[i]->same_as]
                                                                 : lists[i];
}

/* ---- output ---- */

static void put_row(FILE *out, const WrittenRow *r, int list) {
    if ((r->fn != CHECK_NONE) + (r->list != NULL) + (r->hint != NULL) > 1)
        give_up("a row with two of function, pairs and hint", list);
    if ((r->fn != CHECK_NONE) != (r->cond == C_CHECK))
        give_up("a function without CHECK, or CHECK without one", list);
    if (r->a == NULL) give_up("a row without operands", list);
    size_t more = r->fn != CHECK_NONE ? r->fn
                  : r->list != NULL   ? place_pairs(r->list)
                                      : place_text(r->hint);
    fprintf(out, "    {%u, %u, %u, %u, %u, %u, %u, %u, %u, %u, ", (unsigned)r->cond,
            (unsigned)r->when, (unsigned)profiles_like(r->where), (unsigned)r->dims,
            (unsigned)r->rel, (unsigned)r->dim_b, (unsigned)r->types_only, (unsigned)r->late,
            (unsigned)r->newer, (unsigned)r->id);
    fprintf(out, "%zu, %zu, %zu, %zu, %zu},\n", place_text(r->a), place_text(r->b),
            place_text(r->guard), more, place_numbers(r));
}

/* Writes the rows of each list that is not shared, one list after the other. */
static void put_rows(FILE *out, size_t first[ROW_LISTS]) {
    size_t n = 0;
    fprintf(out, "const RuleRow rule_row_table[] = {\n");
    for (int i = 0; i < ROW_LISTS; i++) {
        first[i] = n;
        for (unsigned k = 0; lists[i] != NULL && k < lists[i]->n; k++, n++)
            put_row(out, &lists[i]->rows[k], i);
    }
    fprintf(out, "};\n");
    if (n > UINT16_MAX) give_up("too many rows", 0);
}

static void put_lists(FILE *out, const size_t first[ROW_LISTS]) {
    fprintf(out, "const RowList row_lists[ROW_LISTS] = {\n");
    for (int i = 0; i < ROW_LISTS; i++) {
        const WrittenList *list = rows_of(i);
        if (list == NULL) continue;
        ProfileSet profiles = list->where;
        for (unsigned k = 0; k < list->n; k++)
            profiles |= list->rows[k].where;
        fprintf(out, "    [%d] = {%zu, %u, %u},\n", i, first[list->inst], list->n,
                (unsigned)profiles_like(profiles));
    }
    fprintf(out, "};\n");
}

static void put_numbers(FILE *out) {
    fprintf(out, "const RowArgs row_args_table[] = {\n");
    for (size_t i = 0; i < nnumbers; i++)
        fprintf(out, "    {UINT64_C(0x%llx), %d, %d, %d, %d, %d},\n",
                (unsigned long long)numbers[i].set, (int)numbers[i].lo, (int)numbers[i].hi,
                (int)numbers[i].multiple, numbers[i].div, numbers[i].add);
    fprintf(out, "};\n");
}

static void put_bytes(FILE *out, const char *name, const void *bytes, size_t n) {
    const unsigned char *s = bytes;
    fprintf(out, "%s[] = {", name);
    for (size_t i = 0; i < n; i++)
        fprintf(out, "%s%u,", i % 24 == 0 ? "\n    " : " ", s[i]);
    fprintf(out, "\n};\n");
}

int main(int argc, char **argv) {
    static size_t first[ROW_LISTS];
    FILE *out = argc == 2 ? fopen(argv[1], "w") : NULL;
    if (out == NULL) {
        fputs("usage: pack_rules OUT\n", stderr);
        return 1;
    }
    find_lists();
    fputs("/* Made by pack_rules from verifier/rules/. */\n#include \"verifier/rules/rows.h\"\n",
          out);
    put_rows(out, first);
    put_lists(out, first);
    put_numbers(out);
    put_bytes(out, "const char row_texts", texts, texts_size);
    put_bytes(out, "const uint8_t row_pairs", pairs, pairs_size);
    return fclose(out) == 0 ? 0 : 1;
}
