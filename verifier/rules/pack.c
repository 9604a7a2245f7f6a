/* SPDX-License-Identifier: Apache-2.0 */
/* pack_rules OUT: a build tool that writes the rows of the rule table as C. Names and
 * guards are resolved for each instruction; these, texts, pairs and numbers are stored once and
 * referred to by offsets, so that the table needs no pointers. */
#include "verifier/rules/guards.h"
#include "verifier/rules/written.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- tables that rows share ---- */

enum { TEXTS = UINT16_MAX, PAIRS = UINT16_MAX, NUMBERS = 4096, GUARDS = 4096, ROWS = UINT16_MAX };

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
static uint8_t names[PAIRS];
static size_t names_size = 1; /* offset 0 is the list of no name */
static RowGuard guards[GUARDS];
static size_t nguards = 1; /* index 0 means no guard */
static Guard guard_parts[GUARDS];
static size_t nguard_parts;
static RuleRow rows[ROWS];
static size_t nrows;

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

/* ---- names and guards of a row ---- */

static const Inst *inst; /* the instruction that the row is packed for; NULL: none */

static size_t place_names(const uint8_t *list, size_t size) {
    size_t at = 1;
    while (at < names_size &&
           (strlen((char *)names + at) + 1 != size || memcmp(names + at, list, size) != 0))
        at += strlen((char *)names + at) + 1;
    if (at < names_size) return at;
    if (PAIRS - at < size) give_up("too many names", 0);
    memcpy(names + at, list, size);
    names_size += size;
    return at;
}

/* Writes the number of a name, as row_next() reads it; returns how many bytes that takes. */
static size_t put_name(uint8_t *to, const WrittenRow *r, const char *s, size_t n) {
    const int index = cond_names_attributes(r->cond) ? inst_attr_named(inst, s, n)
                                                     : inst_operand_named(inst, s, n);
    const AttrName attr = index < 0 ? attr_name_find(inst, s, n) : ATTR_NONE;
    if (index >= 0) {
        to[0] = (uint8_t)(index + 1);
        return 1;
    }
    if (attr == ATTR_NONE || attr > UINT8_MAX) give_up(s, (int)inst_id(inst));
    to[0] = ROW_FOREIGN;
    to[1] = (uint8_t)attr;
    return 2;
}

static size_t place_about(const WrittenRow *r) {
    uint8_t list[2 * INST_MOST_OPERANDS + 2];
    size_t size = 0;
    if (*r->a == '\0') return 0;
    for (const char *s = r->a; *s != '\0';) {
        const size_t n = strcspn(s, " ");
        if (inst == NULL || size + 2 >= sizeof list) give_up(s, 0);
        size += put_name(list + size, r, s, n);
        s += n + strspn(s + n, " ");
    }
    list[size++] = 0;
    return place_names(list, size);
}

static unsigned other_operand(const WrittenRow *r) {
    const int index =
        r->b != NULL && inst != NULL ? inst_operand_named(inst, r->b, strlen(r->b)) : -1;
    if (r->b != NULL && index < 0) give_up(r->b, inst != NULL ? (int)inst_id(inst) : 0);
    return (unsigned)(index + 1);
}

static bool same_parts(const Guard *a, const Guard *b, unsigned n) {
    for (unsigned i = 0; i < n; i++)
        if (a[i].kind != b[i].kind || a[i].index != b[i].index || a[i].set != b[i].set)
            return false;
    return true;
}

static size_t place_parts(const Guard *list, unsigned n) {
    size_t at = 0;
    while (at + n <= nguard_parts && !same_parts(guard_parts + at, list, n))
        at++;
    if (at + n <= nguard_parts) return at;
    if (GUARDS - nguard_parts < n) give_up("too many guards", 0);
    memcpy(guard_parts + nguard_parts, list, n * sizeof *list);
    nguard_parts += n;
    return nguard_parts - n;
}

static size_t place_guard(const WrittenRow *r) {
    ReadGuard read;
    Arena arena;
    StrBuf words;
    if (r->guard == NULL) return 0;
    if (inst == NULL || !guard_read(inst, r->guard, &read))
        give_up(r->guard, inst != NULL ? (int)inst_id(inst) : 0);
    arena_init(&arena, NULL);
    sb_init(&words, &arena);
    guard_put(&words, inst, r->guard);
    const RowGuard g = {.text = (uint16_t)place_text(sb_text(&words)),
                        .first = (uint16_t)place_parts(read.list, read.n),
                        .n = (uint8_t)read.n,
                        .level = (int8_t)read.level};
    arena_free(&arena);
    size_t at = 1;
    while (at < nguards && (guards[at].text != g.text || guards[at].first != g.first ||
                            guards[at].n != g.n || guards[at].level != g.level))
        at++;
    if (at == GUARDS) give_up("too many guards", 0);
    guards[at] = g;
    if (at == nguards) nguards++;
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

static RuleRow pack_row(const WrittenRow *r, int list) {
    if ((r->fn != CHECK_NONE) + (r->list != NULL) + (r->hint != NULL) > 1)
        give_up("a row with two of function, pairs and hint", list);
    if ((r->fn != CHECK_NONE) != (r->cond == C_CHECK))
        give_up("a function without CHECK, or CHECK without one", list);
    if (r->a == NULL) give_up("a row without operands", list);
    const size_t more = r->fn != CHECK_NONE ? r->fn
                        : r->list != NULL   ? place_pairs(r->list)
                                            : place_text(r->hint);
    return (RuleRow){.cond = (uint8_t)r->cond,
                     .when = (uint8_t)r->when,
                     .where = profiles_like(r->where),
                     .dims = r->dims,
                     .rel = r->rel & 3u,
                     .dim_b = r->dim_b & 3u,
                     .types_only = r->types_only,
                     .late = r->late,
                     .newer = r->newer,
                     .id = (uint8_t)r->id,
                     .b = (uint8_t)other_operand(r),
                     .about = (uint16_t)place_about(r),
                     .guard = (uint16_t)place_guard(r),
                     .more = (uint16_t)more,
                     .args = (uint16_t)place_numbers(r)};
}

static bool same_row(const RuleRow *a, const RuleRow *b) {
    return a->about == b->about && a->b == b->b && a->guard == b->guard;
}

/* Packs the rows of a list; those of another instruction are used again if they say the same of
 * this one. */
static void pack_list(int i, size_t first[ROW_LISTS]) {
    const WrittenList *list = rows_of(i);
    const size_t other = first[list->inst];
    bool same = list->inst != i;
    inst = i < INST_COUNT ? &inst_table[i] : NULL;
    first[i] = nrows;
    for (unsigned k = 0; k < list->n; k++) {
        if (nrows == ROWS) give_up("too many rows", i);
        rows[nrows++] = pack_row(&list->rows[k], i);
        same = same && same_row(&rows[nrows - 1], &rows[other + k]);
    }
    if (!same) return;
    nrows = first[i];
    first[i] = other;
}

/* Packs lists with rows of their own, and then the others. */
static void pack_rows(size_t first[ROW_LISTS]) {
    for (int shared = 0; shared < 2; shared++)
        for (int i = 0; i < ROW_LISTS; i++)
            if (lists[i] != NULL && (lists[i]->same_as != INST_INVALID) == shared)
                pack_list(i, first);
}

static void put_rows(FILE *out) {
    fprintf(out, "const RuleRow rule_row_table[] = {\n");
    for (size_t i = 0; i < nrows; i++) {
        const RuleRow *r = &rows[i];
        fprintf(out, "    {%u, %u, %u, %u, %u, %u, %u, %u, %u, %u, %u, %u, %u, %u, %u},\n", r->cond,
                r->when, (unsigned)r->where, r->dims, (unsigned)r->rel, (unsigned)r->dim_b,
                r->types_only, r->late, r->newer, r->id, r->b, r->about, r->guard, r->more,
                r->args);
    }
    fprintf(out, "};\n");
}

static void put_guards(FILE *out) {
    fprintf(out, "const RowGuard row_guards[] = {\n");
    for (size_t i = 0; i < nguards; i++)
        fprintf(out, "    {%u, %u, %u, %d},\n", guards[i].text, guards[i].first, guards[i].n,
                guards[i].level);
    fprintf(out, "};\nconst Guard row_guard_list[] = {\n");
    for (size_t i = 0; i < nguard_parts; i++)
        fprintf(out, "    {%u, %d, UINT64_C(0x%llx)},\n", guard_parts[i].kind, guard_parts[i].index,
                (unsigned long long)guard_parts[i].set);
    fprintf(out, "};\n");
}

static void put_lists(FILE *out, const size_t first[ROW_LISTS]) {
    fprintf(out, "const RowList row_lists[ROW_LISTS] = {\n");
    for (int i = 0; i < ROW_LISTS; i++) {
        const WrittenList *list = rows_of(i);
        if (list == NULL) continue;
        ProfileSet profiles = list->where;
        for (unsigned k = 0; k < list->n; k++)
            profiles |= list->rows[k].where;
        fprintf(out, "    [%d] = {%zu, %u, %u},\n", i, first[i], list->n,
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
    pack_rows(first);
    put_rows(out);
    put_guards(out);
    put_lists(out, first);
    put_numbers(out);
    put_bytes(out, "const char row_texts", texts, texts_size);
    put_bytes(out, "const uint8_t row_names", names, names_size);
    put_bytes(out, "const uint8_t row_pairs", pairs, pairs_size);
    return fclose(out) == 0 ? 0 : 1;
}
