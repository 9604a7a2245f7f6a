/* SPDX-License-Identifier: Apache-2.0 */
/* pack_calls OUT: a build tool that checks the rows of calls.def against the instruction table and
 * writes them as C, with names resolved to indices, and the enumerators of enums.def. Texts are
 * stored once. */
#include "backends/cpp/call_format.h"
#include "support/ascii.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum Kind { WITH_CALL, WITHOUT, NEEDS_NONE } Kind;

typedef struct Written {
    int inst;
    ProfileSet profiles;
    Kind kind;
    const char *when, *text;
} Written;

static const Written written[] = {
#define CALL(id, w, t) {INST_##id, ALL_CHIPS, WITH_CALL, w, t},
#define CALL_A2A3(id, w, t) {INST_##id, CHIP_A2A3, WITH_CALL, w, t},
#define CALL_A5(id, w, t) {INST_##id, CHIP_A5, WITH_CALL, w, t},
#define NOT_ON_DEVICE(id, why) {INST_##id, ALL_CHIPS, WITHOUT, "", why},
#define NO_CALL(id) {INST_##id, ALL_CHIPS, NEEDS_NONE, "", ""},
#include "backends/cpp/calls.def"
};
typedef struct WrittenEnum {
    int family;
    bool optional;
    const char *prefix, *names;
} WrittenEnum;

static const WrittenEnum enums[] = {
#define CPP_ENUM(family, prefix, names) {EF_##family, false, prefix, names},
#define CPP_ENUM_OPT(family, prefix, names) {EF_##family, true, prefix, names},
#include "backends/cpp/enums.def"
};
enum { COUNT = sizeof written / sizeof *written, TEXTS = UINT16_MAX, TOKENS = 1 << 14, DEPTH = 8 };

static char texts[TEXTS];
static CallToken tokens[TOKENS];
static size_t size, ntokens;

static void give_up(const char *what, const Written *w) {
    fprintf(stderr, "pack_calls: %s: %s: %s\n", inst_table[w->inst].name, what, w->text);
    exit(1);
}

static size_t place(const Written *w, const char *s, size_t n) {
    size_t at = 0;
    while (at + n <= size && memcmp(texts + at, s, n) != 0)
        at++;
    if (at + n <= size) return at;
    if (TEXTS - size < n) give_up("too many texts", w);
    memcpy(texts + size, s, n);
    size += n;
    return size - n;
}

/* ---- tokens ---- */

static CallToken token_of(const Written *w, const CallPiece *p) {
    const Inst *inst = &inst_table[w->inst];
    CallToken t = {.part = (uint8_t)p->part};
    if (p->part == CALL_TEXT) {
        t.at = (uint16_t)place(w, p->s, p->n);
        t.n = (uint16_t)p->n;
    } else if (p->part == CALL_WORD) {
        t.at = (uint16_t)call_word(p->s, p->n);
    } else if (p->part == CALL_ARG || p->part == CALL_TYPE) {
        t.slot = (uint8_t)(inst_slot_named(inst, p->s, p->n) + 1);
        t.attr = (uint8_t)(inst_attr_named(inst, p->s, p->n) + 1);
        t.result = (uint8_t)(inst_result_named(inst, p->s, p->n) + 1);
    }
    return t;
}

/* Adds the tokens of a text or, with call_next_name, of a condition, unless they are there. */
static size_t place_tokens(const Written *w, CallPiece (*next)(const char **at), const char *s) {
    CallToken *first = tokens + ntokens, *open[DEPTH];
    size_t n = 0, depth = 0, at = 0;
    for (CallPiece p = {.part = CALL_TEXT}; p.part != CALL_END; n++) {
        p = next(&s);
        if (ntokens + n == TOKENS || depth == DEPTH) give_up("too many tokens", w);
        first[n] = token_of(w, &p);
        if (p.part == CALL_OPEN) open[depth++] = first + n;
        if (p.part == CALL_CLOSE) depth--, open[depth]->n = (uint16_t)(first + n - open[depth]);
    }
    while (memcmp(tokens + at, first, n * sizeof *first) != 0)
        at++;
    if (at == ntokens) ntokens += n;
    return at;
}

/* The last row that a device has is the one for statements without the options of the others. */
static void check_device(int inst, Profile p) {
    const Written *last = NULL;
    const Written missing = {.inst = inst, .text = profile_names[p]};
    for (int i = 0; i < COUNT; i++) {
        if (written[i].inst != inst || (profiles_like(written[i].profiles) & PROFILE_BIT(p)) == 0)
            continue;
        if (last != NULL && *last->when == '\0') give_up("no row may follow", last);
        last = &written[i];
    }
    if (last == NULL) give_up("no call on", &missing);
    if (*last->when != '\0') give_up("no row without a condition follows", last);
}

static bool has_rows(int inst) {
    for (int i = 0; i < COUNT; i++)
        if (written[i].inst == inst) return true;
    return false;
}

/* An instruction of the language without a row. */
static bool is_missing(int inst) {
    return inst_table[inst].alias_of == INST_INVALID && inst_table[inst].nregions == 0 &&
           strncmp(inst_table[inst].name, "pto.", 4) == 0 && !has_rows(inst);
}

static void check(void) {
    for (int i = 0; i < COUNT; i++) {
        const Written *w = &written[i];
        const char *fault =
            w->kind == WITH_CALL ? call_fault(&inst_table[w->inst], w->when, w->text) : NULL;
        if (fault != NULL) give_up(fault, w);
    }
    for (int inst = 1; inst < INST_COUNT; inst++) {
        const Written missing = {.inst = inst, .text = "the vendor's assembler has it"};
        const bool in_cpp =
            (inst_table[inst].flags & IF_NOT_PTOAS) == 0 && !inst_is_micro(&inst_table[inst]);
        if (is_missing(inst) && in_cpp) give_up("no row", &missing);
        for (int p = 0; has_rows(inst) && p < PROFILE_COUNT; p++)
            if (profile_infos[p].chip) check_device(inst, (Profile)p);
    }
}

static void put_texts(FILE *out) {
    fprintf(out, "const char call_texts[] = {");
    for (size_t i = 0; i < size; i++)
        fprintf(out, "%s%d,", i % 24 == 0 ? "\n    " : "", texts[i]);
    fprintf(out, "\n};\nconst CallToken call_tokens[] = {\n");
    for (const CallToken *t = tokens; t < tokens + ntokens; t++)
        fprintf(out, "    {%d, %d, %d, %d, %d, %d},\n", t->part, t->slot, t->attr, t->result, t->at,
                t->n);
    fprintf(out, "};\n");
}

/* Returns how many rows were written. */
static unsigned put_row(FILE *out, const Written *w) {
    if (w->kind == NEEDS_NONE) return 0;
    const size_t text = w->kind == WITHOUT ? place(w, w->text, strlen(w->text) + 1)
                                           : place_tokens(w, call_next, w->text);
    fprintf(out, "    {%d, %d, %d, %zu, %zu},\n", w->inst, profiles_like(w->profiles),
            w->kind == WITHOUT, place_tokens(w, call_next_name, w->when), text);
    return 1;
}

static unsigned put_rows(FILE *out) {
    unsigned n = 0;
    fprintf(out, "const CallRow call_rows[] = {\n");
    for (int inst = 1; inst < INST_COUNT; inst++) {
        const Written none = {inst, ALL_CHIPS, WITHOUT, "", "the library has no call for it"};
        if (is_missing(inst)) n += put_row(out, &none);
        for (int i = 0; i < COUNT; i++)
            if (written[i].inst == inst) n += put_row(out, &written[i]);
    }
    fprintf(out, "};\n");
    return n;
}

/* ---- enumerations ---- */

/* Returns how many names there are. */
static unsigned put_enumerators(FILE *out, const char *s) {
    const Written none = {.text = s};
    unsigned count = 0;
    for (size_t n; *s != '\0'; s += n + (s[n] != '\0'), count++) {
        char name[64] = "";
        n = strcspn(s, " ");
        if (n >= sizeof name) give_up("too long an enumerator", &none);
        memcpy(name, s, n);
        fprintf(out, " %zu,", place(&none, name, n + 1));
    }
    return count;
}

static void put_enums(FILE *out) {
    CallEnum list[EF_COUNT] = {0};
    unsigned first = 0;
    fprintf(out, "const uint16_t call_enumerators[] = {\n   ");
    for (size_t i = 0; i < sizeof enums / sizeof *enums; i++) {
        const WrittenEnum *w = &enums[i];
        const Written none = {.text = w->prefix};
        const unsigned n = put_enumerators(out, w->names);
        list[w->family] = (CallEnum){(uint16_t)place(&none, w->prefix, strlen(w->prefix) + 1),
                                     (uint16_t)first, (uint8_t)n, w->optional};
        first += n;
    }
    fprintf(out, "\n};\nconst CallEnum call_enums[EF_COUNT] = {\n");
    for (int i = 0; i < EF_COUNT; i++)
        fprintf(out, "    {%d, %d, %d, %d},\n", list[i].prefix, list[i].first, list[i].n,
                list[i].optional);
    fprintf(out, "};\n");
}

/* ---- names ---- */

enum { NAMES = 2048 };
static const char *names[NAMES];
static unsigned name_count;

static void add_name(const Written *w, const char *s, size_t n) {
    char *copy = malloc(n + 1);
    if (copy == NULL || name_count == NAMES) give_up("too many names", w);
    memcpy(copy, s, n);
    copy[n] = '\0';
    names[name_count++] = copy;
}

static void add_names(const Written *w, const CallPiece *t) {
    for (size_t at = 0, n; at < t->n; at += n + 1) {
        const bool part = at > 0 && strchr(".:>", t->s[at - 1]) != NULL;
        for (n = 0; at + n < t->n && ascii_is_word(t->s[at + n]);)
            n++;
        if (n > 0 && !part) add_name(w, t->s + at, n);
    }
}

static int compare_names(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Writes each word of the C++ that is no member and not qualified, once. */
static void put_names(FILE *out) {
    unsigned n = 0;
    for (int i = 0; i < COUNT; i++) {
        const char *text = written[i].text;
        if (written[i].kind != WITH_CALL) continue;
        for (CallPiece t; (t = call_next(&text)).part != CALL_END;)
            if (t.part == CALL_TEXT) add_names(&written[i], &t);
    }
    qsort(names, name_count, sizeof *names, compare_names);
    fprintf(out, "const char *const call_names[] = {\n");
    for (unsigned i = 0; i < name_count; i++)
        if (i == 0 || strcmp(names[i], names[i - 1]) != 0) {
            fprintf(out, "    \"%s\",\n", names[i]);
            n++;
        }
    fprintf(out, "};\nconst unsigned call_name_count = %u;\n", n);
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    check();
    FILE *out = fopen(argv[1], "w");
    if (out == NULL) return 1;
    fprintf(out, "/* Made by pack_calls from calls.def. */\n#include \"backends/cpp/calls.h\"\n\n");
    fprintf(out, "const unsigned call_row_count = %u;\n", put_rows(out));
    put_enums(out);
    put_texts(out);
    put_names(out);
    return fclose(out) == 0 ? 0 : 1;
}
