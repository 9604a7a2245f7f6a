/* Single errors put into legal programs, and what the offered edits make of them. Errors in the
 * text: 17 of 20 are repaired at once, and a legal program stays legal. Errors of the kinds in
 * seed_kinds.c: three of four are repaired in two rounds, and 19 of 20 name the right operand.
 * usage: test_fixes FILE... --kernels FILE... (legal programs; the latter for those kinds) */
#include "api/ptoasm.h"
#include "seeds.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PER_KIND = 20, MIN_PER_CENT = 85, MOST_TEXT = 1 << 18, MOST_FILES = 1024 };
enum { SEEDS = 200, MIN_REPAIRED = 75, MIN_NAMED = 95 };

static uint64_t state = 20250101;

static uint32_t pick(uint32_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return n > 0 ? (uint32_t)(state >> 33) % n : 0;
}

/* ---- judging ---- */

/* The verdict of a text; with `fixed` the text after its fixes too, to be freed. */
static int judge(const char *text, char **fixed) {
    const ptoasm_options opt = PTOASM_OPTIONS_INIT;
    ptoasm_source *src;
    ptoasm_result *res = NULL;
    if (ptoasm_source_open("seeded.pto", text, strlen(text), 0, &src) != PTOASM_OK) exit(2);
    int status = ptoasm_check(src, &opt, &res);
    if (res == NULL) exit(2);
    if (fixed != NULL) {
        size_t size;
        const char *made = ptoasm_fixed_text(res, PTOASM_FIX_ALL, &size, NULL);
        if (made == NULL || (*fixed = malloc(size + 1)) == NULL) exit(2);
        memcpy(*fixed, made, size + 1);
    }
    ptoasm_result_free(res);
    ptoasm_source_close(src);
    return status;
}

/* ---- errors: each changes `text` in one place, or returns false ---- */

typedef struct Place {
    char *s;
    size_t n;
} Place;

static bool is_name(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* A random occurrence of a text that is not the start of a longer name. */
static bool find_text(char *text, const char *what, Place *out) {
    unsigned n = 0;
    for (char *s = text; (s = strstr(s, what)) != NULL; s++)
        if (!is_name(s[strlen(what)]) && pick(++n) == 0) *out = (Place){s, strlen(what)};
    return n > 0;
}

/* A random word that begins with `prefix`, outside comments. */
static bool find_word(char *text, const char *prefix, size_t least, Place *out) {
    unsigned n = 0;
    for (char *s = text; (s = strstr(s, prefix)) != NULL;) {
        char *e = s + strlen(prefix);
        while (is_name(*e))
            e++;
        size_t len = (size_t)(e - s);
        if (len >= strlen(prefix) + least && pick(++n) == 0) *out = (Place){s, len};
        s = e;
    }
    return n > 0;
}

static void replace(Place at, const char *with) {
    size_t n = strlen(with);
    memmove(at.s + n, at.s + at.n, strlen(at.s + at.n) + 1);
    memcpy(at.s, with, n);
}

/* Leaves out, doubles or swaps characters of the word, never the first `keep`. */
static void misspell(Place at, size_t keep) {
    size_t i = keep + pick((uint32_t)(at.n - keep - 1));
    char c = at.s[i];
    switch (pick(3)) {
    case 0:
        memmove(at.s + i, at.s + i + 1, strlen(at.s + i));
        break;
    case 1:
        memmove(at.s + i + 1, at.s + i, strlen(at.s + i) + 1);
        break;
    default:
        at.s[i] = at.s[i + 1];
        at.s[i + 1] = c;
    }
}

static bool bad_instruction(char *text) {
    Place at;
    if (!find_word(text, " pto.t", 3, &at)) return false;
    misspell(at, 6);
    return true;
}

static bool bad_value(char *text) {
    Place at;
    if (!find_word(text, "(%", 3, &at) && !find_word(text, ", %", 3, &at)) return false;
    misspell(at, 3);
    return true;
}

static bool foreign_type(char *text) {
    static const char *const words[][2] = {{"xf32", "xfloat32"}, {"xf16", "xhalf"},
                                           {"xi32", "xint32"},   {"xi8", "xint8_t"},
                                           {": f32", ": float"}, {"xi16", "xint16"}};
    unsigned first = pick(6);
    for (unsigned i = 0; i < 6; i++) {
        Place at;
        const char *const *w = words[(first + i) % 6];
        if (!find_text(text, w[0], &at)) continue;
        replace(at, w[1]);
        return true;
    }
    return false;
}

static bool bad_enum(char *text) {
    static const char *const words[] = {"row_major", "col_major", "#pto.kernel_kind<vector",
                                        "<vec",      "<mat",      "PIPE_MTE2"};
    unsigned first = pick(6);
    for (unsigned i = 0; i < 6; i++) {
        Place at;
        const char *w = words[(first + i) % 6];
        if (!find_text(text, w, &at)) continue;
        size_t keep = strchr(w, '<') != NULL ? (size_t)(strchr(w, '<') - w) + 2 : 2;
        if (keep + 1 >= at.n) keep = at.n - 2;
        misspell(at, keep);
        return true;
    }
    return false;
}

/* The types of an ins(..) group: one is lost, or all are written twice. */
static bool type_count(char *text) {
    Place at;
    if (!find_text(text, "ins(", &at)) return false;
    char *colon = strstr(at.s, " : "), *end = strstr(at.s, ") outs");
    if (colon == NULL || end == NULL || colon > end) return false;
    char *comma = strstr(colon, ">, ");
    if (pick(2) == 0 && comma != NULL && comma < end) {
        replace((Place){comma + 1, (size_t)(end - comma - 1)}, "");
        return true;
    }
    char copy[300];
    size_t n = (size_t)(end - colon - 3);
    if (n + 3 > sizeof copy) return false;
    snprintf(copy, sizeof copy, ", %.*s", (int)n, colon + 3);
    replace((Place){end, 0}, copy);
    return true;
}

/* The type of one use differs from that of the value. */
static bool other_type(char *text) {
    Place at;
    if (!find_text(text, "outs(", &at) && !find_text(text, "ins(", &at)) return false;
    char *line = strchr(at.s, '\n'), *x = strstr(at.s, "x");
    char *less = strstr(at.s, "_buf<");
    if (less == NULL || line == NULL || less > line) return false;
    for (x = less; x < line && !(isdigit((unsigned char)x[0]) && x[1] == 'x'); x++) {
    }
    if (x == line) return false;
    x[0] = x[0] == '8' ? '6' : '8';
    return true;
}

static bool lost_mark(char *text) {
    Place at;
    if (!find_text(text, "!pto.tile_buf", &at)) return false;
    replace(at, pick(2) == 0 ? "pto.tile_buf" : "!pto.tilebuf");
    return true;
}

static bool bad_key(char *text) {
    static const char *const words[] = {"blayout", "slayout", "valid", "fractal"};
    unsigned first = pick(4);
    for (unsigned i = 0; i < 4; i++) {
        Place at;
        if (!find_text(text, words[(first + i) % 4], &at)) continue;
        misspell(at, 2);
        return true;
    }
    return false;
}

/* The elements of one type change everywhere: rules break, not the text. */
static bool other_elements(char *text) {
    Place at;
    static const char *const others[] = {"i64", "f64", "ui8", "si8", "i1", "bf16"};
    if (!find_text(text, "xf32", &at)) return false;
    const char *other = others[pick(6)];
    replace((Place){at.s + 1, 3}, other);
    return true;
}

static bool lost_operand(char *text) {
    Place at;
    if (!find_text(text, "ins(", &at)) return false;
    char *comma = strstr(at.s, ", %"), *colon = strstr(at.s, " : ");
    if (comma == NULL || colon == NULL || comma > colon) return false;
    char *e = comma + 3;
    while (is_name(*e))
        e++;
    replace((Place){comma, (size_t)(e - comma)}, "");
    return true;
}

/* A random occurrence of a text, wherever it is but in comments. */
static bool find_any(char *text, const char *what, Place *out) {
    unsigned n = 0;
    for (char *s = text; (s = strstr(s, what)) != NULL; s++) {
        char *line = s;
        while (line > text && line[-1] != '\n')
            line--;
        char *comment = strstr(line, "//");
        if ((comment == NULL || comment > s) && pick(++n) == 0) *out = (Place){s, strlen(what)};
    }
    return n > 0;
}

static bool lost_bracket(char *text) {
    static const char *const brackets[] = {")", "]", "}", "("};
    Place at;
    if (!find_any(text, brackets[pick(4)], &at)) return false;
    replace(at, "");
    return true;
}

static bool lost_comma(char *text) {
    Place at;
    if (!find_any(text, ", %", &at)) return false;
    replace(at, " %");
    return true;
}

static bool large_valid(char *text) {
    Place at;
    if (!find_any(text, "valid=", &at) || !isdigit((unsigned char)at.s[at.n])) return false;
    replace((Place){at.s + at.n, 0}, "9");
    return true;
}

static bool bad_number(char *text) {
    Place at;
    char *close;
    if (!find_any(text, "{", &at) || (close = strchr(at.s, '}')) == NULL) return false;
    char *equal = strstr(at.s, " = ");
    if (equal == NULL || equal > close || !isdigit((unsigned char)equal[3])) return false;
    replace((Place){equal + 3, 0}, "98");
    return true;
}

/* A random `arith.constant` and its parts; false when there is none. */
static bool find_constant(char *text, Place *number, Place *type) {
    static const char name[] = "arith.constant ";
    Place at;
    if (!find_any(text, name, &at)) return false;
    *number = (Place){at.s + at.n, 0};
    while (number->s[number->n] == '-' || is_name(number->s[number->n]))
        number->n++;
    type->s = number->s + number->n;
    if (strncmp(type->s, " : ", 3) != 0) return false;
    type->s += 3;
    for (type->n = 0; is_name(type->s[type->n]);)
        type->n++;
    return number->n > 0 && type->n > 0;
}

/* An index is an integer, or the other way round. */
static bool index_or_integer(char *text) {
    Place number, type;
    if (!find_constant(text, &number, &type)) return false;
    bool is_index = strncmp(type.s, "index", type.n) == 0;
    if (!is_index && type.s[0] != 'i') return false;
    replace(type, !is_index ? "index" : pick(2) == 0 ? "i32" : "i64");
    return true;
}

/* A number and its type are of different kinds. */
static bool bad_constant(char *text) {
    Place number, type;
    if (!find_constant(text, &number, &type) || number.s[0] > '9') return false;
    bool is_float = memchr(number.s, '.', number.n) != NULL;
    if (pick(2) == 0)
        replace(type, is_float ? "i32" : "f32");
    else if (!is_float)
        replace((Place){number.s + number.n, 0}, ".0");
    else
        replace((Place){strchr(number.s, '.'), 2}, "");
    return true;
}

/* The instruction for the other kind of numbers. */
static bool other_instruction(char *text) {
    static const char *const pairs[][2] = {
        {"arith.addi", "arith.addf"},      {"arith.subi", "arith.subf"},
        {"arith.muli", "arith.mulf"},      {"arith.divsi", "arith.divf"},
        {"arith.divui", "arith.divf"},     {"arith.remsi", "arith.remf"},
        {"arith.maxsi", "arith.maximumf"}, {"arith.extsi", "arith.index_cast"},
        {"arith.sitofp", "arith.extf"},    {"arith.truncf", "arith.trunci"}};
    enum { PAIRS = sizeof pairs / sizeof pairs[0] };
    unsigned first = pick(PAIRS);
    for (unsigned i = 0; i < 2 * PAIRS; i++) {
        const char *const *pair = pairs[(first + i) % PAIRS];
        unsigned from = pick(2);
        Place at;
        if (!find_text(text, pair[from], &at)) continue;
        replace(at, pair[1 - from]);
        return true;
    }
    return false;
}

static bool bad_alias(char *text) {
    Place at = {text, 0};
    unsigned n = 0;
    for (char *s = text; (s = strchr(s, '!')) != NULL; s++) {
        size_t length = 1;
        while (is_name(s[length]))
            length++;
        bool alias = length > 2 && strncmp(s, "!pto.", 5) != 0;
        if (alias && pick(++n) == 0) at = (Place){s, length};
    }
    if (n == 0) return false;
    misspell(at, 1);
    return true;
}

static const struct {
    const char *name;
    bool (*make)(char *text);
} kinds[] = {{"name of an instruction", bad_instruction},
             {"name of a value", bad_value},
             {"type of another language", foreign_type},
             {"word of an enumeration", bad_enum},
             {"number of types", type_count},
             {"type of a use", other_type},
             {"mark or name of a type", lost_mark},
             {"key of a type", bad_key},
             {"elements of a type", other_elements},
             {"operand left out", lost_operand},
             {"bracket left out", lost_bracket},
             {"comma left out", lost_comma},
             {"valid region above the tile", large_valid},
             {"number of an attribute", bad_number},
             {"index or integer", index_or_integer},
             {"kind of a constant", bad_constant},
             {"instruction for other numbers", other_instruction},
             {"name of an alias", bad_alias}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* ---- the test ---- */

static char *texts[MOST_FILES];
static unsigned ntexts, first_kernel;

static void read_text(const char *path) {
    FILE *f = fopen(path, "rb");
    char *text = malloc(MOST_TEXT);
    if (f == NULL || text == NULL) exit(2);
    size_t n = fread(text, 1, MOST_TEXT / 2, f);
    text[n] = '\0';
    fclose(f);
    if (ntexts < MOST_FILES && n < MOST_TEXT / 2 && judge(text, NULL) == PTOASM_OK)
        texts[ntexts++] = text;
    else
        free(text);
}

static bool legal_stays_legal(void) {
    bool good = true;
    for (unsigned i = 0; i < ntexts; i++) {
        char *fixed;
        judge(texts[i], &fixed);
        if (judge(fixed, NULL) != PTOASM_OK) {
            printf("FAIL a legal program became illegal:\n%s\n", fixed);
            good = false;
        }
        free(fixed);
    }
    return good;
}

/* False when the kind has no place in the text, or the text stays legal. */
static bool try_seed(unsigned kind, bool *repaired, bool verbose) {
    static char text[MOST_TEXT];
    char *fixed;
    strcpy(text, texts[pick(ntexts)]);
    if (!kinds[kind].make(text) || judge(text, NULL) != PTOASM_REJECTED) return false;
    judge(text, &fixed);
    *repaired = judge(fixed, NULL) == PTOASM_OK;
    if (!*repaired && verbose) printf("---- not repaired: %s\n%s\n", kinds[kind].name, text);
    free(fixed);
    return true;
}

/* ---- errors of the kinds in seed_kinds.c ---- */

typedef struct Score {
    unsigned n, once, twice, named, keyed;
} Score;

/* Does the first error of a text name what is wrong? *key: it has the name of an operand. */
static bool names_operand(const Seed *seed, bool *key) {
    const ptoasm_options opt = PTOASM_OPTIONS_INIT;
    ptoasm_source *src;
    ptoasm_result *res;
    ptoasm_diagnostic d = {.severity = PTOASM_SEVERITY_NOTE};
    if (ptoasm_source_open("seeded.pto", seed->text, strlen(seed->text), 0, &src) != PTOASM_OK ||
        ptoasm_check(src, &opt, &res) != PTOASM_REJECTED)
        exit(2);
    size_t i = 0;
    while (ptoasm_diagnostic_at(res, i, &d) && d.severity != PTOASM_SEVERITY_ERROR)
        i++;
    bool named = seed_named(seed, d.place.offset, d.place.length, d.operand);
    for (size_t n = 0; n < d.notes && !named; n++) {
        const char *message;
        ptoasm_place at;
        if (ptoasm_diagnostic_note(res, i, n, &message, &at) && at.line > 0)
            named = seed_named(seed, at.offset, at.length, NULL);
    }
    *key = d.operand != NULL;
    ptoasm_result_free(res);
    ptoasm_source_close(src);
    return named;
}

/* Is the text legal, with the tile instructions of the program? */
static bool is_repaired(const Seed *seed, const char *text) {
    static Program fixed;
    if (judge(text, NULL) != PTOASM_OK) return false;
    bool alike = program_open(&fixed, text) && program_alike(&fixed, seed->program);
    program_close(&fixed);
    return alike;
}

static void show_fault(const Seed *seed, const SeedKind *kind, const char *what) {
    const ptoasm_options opt = PTOASM_OPTIONS_INIT;
    ptoasm_source *src;
    ptoasm_result *res;
    if (getenv("PTOASM_VERBOSE") == NULL) return;
    printf("---- %s: %s\n", what, kind->name);
    for (unsigned i = 0; i < seed->nchanges; i++) {
        const Change *c = &seed->changes[i];
        printf("  %.*s -> %s\n", (int)c->span.len, seed->program->source.data + c->span.off,
               c->text);
    }
    if (ptoasm_source_open("seeded.pto", seed->text, strlen(seed->text), 0, &src) != PTOASM_OK ||
        ptoasm_check(src, &opt, &res) != PTOASM_REJECTED)
        exit(2);
    printf("%s", ptoasm_diagnostics_text(res, 0, NULL));
    ptoasm_result_free(res);
    ptoasm_source_close(src);
}

/* Judges one error; false when the text is legal with it. */
static bool try_kind(Program *p, const SeedKind *kind, Score *score) {
    static Seed seed;
    char *first, *second;
    bool key;
    if (!seed_make(p, kind, &seed) || judge(seed.text, NULL) != PTOASM_REJECTED) return false;
    judge(seed.text, &first);
    bool once = is_repaired(&seed, first), named = names_operand(&seed, &key);
    judge(first, &second);
    bool twice = once || is_repaired(&seed, second);
    *score = (Score){score->n + 1, score->once + once, score->twice + twice, score->named + named,
                     score->keyed + key};
    if (!twice) show_fault(&seed, kind, "not repaired");
    if (!named) show_fault(&seed, kind, "not named");
    free(first);
    free(second);
    return true;
}

static void put_score(const char *family, const char *name, Score s) {
    printf("%-10s %-32s %3u: %3u repaired at once, %3u in two rounds, %3u named, %3u with a key\n",
           family, name, s.n, s.once, s.twice, s.named, s.keyed);
}

static bool judge_kinds(Program *const *programs, unsigned nprograms, unsigned most) {
    Score all = {0};
    for (unsigned k = 0; k < seed_kind_count; k++) {
        Score score = {0};
        unsigned share = (most * (k + 1)) / seed_kind_count - (most * k) / seed_kind_count;
        for (unsigned tries = 0; score.n < share && tries < 4000; tries++)
            try_kind(programs[seed_pick(nprograms)], &seed_kinds[k], &score);
        put_score(seed_kinds[k].family, seed_kinds[k].name, score);
        all = (Score){all.n + score.n, all.once + score.once, all.twice + score.twice,
                      all.named + score.named, all.keyed + score.keyed};
    }
    put_score("all", "", all);
    if (all.n == most && 100 * all.twice >= MIN_REPAIRED * all.n &&
        100 * all.named >= MIN_NAMED * all.n)
        return true;
    printf("FAIL of %u errors %d %% must be repaired, and %d %% name what is wrong\n", most,
           MIN_REPAIRED, MIN_NAMED);
    return false;
}

static bool judge_seeds(void) {
    static Program *programs[MOST_FILES];
    unsigned n = 0;
    for (unsigned i = first_kernel; i < ntexts; i++) {
        Program *p = malloc(sizeof *p);
        if (p == NULL) exit(2);
        if (program_open(p, texts[i])) programs[n++] = p;
    }
    const char *most = getenv("PTOASM_SEEDS");
    bool fine = judge_kinds(programs, n, most != NULL ? (unsigned)atoi(most) : SEEDS);
    while (n > 0) {
        program_close(programs[--n]);
        free(programs[n]);
    }
    return fine;
}

int main(int argc, char **argv) {
    bool verbose = getenv("PTOASM_VERBOSE") != NULL;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--kernels") == 0)
            first_kernel = ntexts;
        else
            read_text(argv[i]);
    }
    unsigned all = 0, good = 0, used = ntexts;
    bool fine = legal_stays_legal();
    if (ntexts == 0) return 1;
    for (unsigned k = 0; k < KINDS; k++) {
        unsigned n = 0, ok = 0;
        for (unsigned tries = 0; n < PER_KIND && tries < 20000; tries++) {
            bool repaired;
            if (!try_seed(k, &repaired, verbose)) continue;
            n++;
            ok += repaired;
        }
        printf("%-28s %3u of %3u\n", kinds[k].name, ok, n);
        all += n;
        good += ok;
    }
    printf("repaired at once: %u of %u (%u %%), from %u programs\n", good, all,
           all > 0 ? 100 * good / all : 0, used);
    if (all < KINDS * PER_KIND || good * 100 < all * MIN_PER_CENT) {
        printf("FAIL fewer than %d %% of %d errors are repaired\n", MIN_PER_CENT, KINDS * PER_KIND);
        fine = false;
    }
    fine &= judge_seeds();
    while (ntexts > 0)
        free(texts[--ntexts]);
    return fine ? 0 : 1;
}
