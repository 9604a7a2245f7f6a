/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the dtypes, loc and operands lines by the rules at the head of test_spec.c. */
#include "spec/spec.h"

#include "verifier/rules/vocabulary.h"
#include <ctype.h>
#include <string.h>

#define INTS (E_W8 | E_W16 | E_W32 | E_W64)
#define UNSIGNED (E(UI8) | E(UI16) | E(UI32) | E(UI64))
#define SIGNED (E(SI8) | E(SI16) | E(SI32) | E(SI64))
#define FLOATS (E(F16) | E(BF16) | E(F32))
#define FP8 (E(F8E4M3FN) | E(F8E5M2))
#define FP4 (E(F4E1M2X2) | E(F4E2M1X2))

typedef struct Word {
    const char *text;
    uint64_t set;
} Word;

/* Phrases, longer ones before their beginnings. */
static const Word elem_words[] = {
    {"any arithmetic type", INTS | FLOATS | E(F64)},
    {"any integer type of any signedness", INTS},
    {"any integer", INTS},
    {"integers", E_W8 | E_W16 | E_W32},
    {"any float type", FLOATS | E(F64) | FP8 | FP4 | E(HIF8) | E(F8E8M0)},
    {"any float", FLOATS | E(F64)},
    {"any 8-bit integer", E_W8},
    {"8-bit integers", E_W8},
    {"8-bit integer", E_W8},
    {"8-bit", E_W8},
    {"4-byte element", E_W32 | E(F32)},
    {"not low precision", INTS | FLOATS | E(F64)},
    {"any 32-bit integer", E_W32},
    {"32-bit integers", E_W32},
    {"64-bit integers", E_W64},
    {"any 1-, 2- or 4-byte integer or float", E_W8 | E_W16 | E_W32 | FLOATS},
    {"any 1-, 2- or 4-byte type", E_W8 | E_W16 | E_W32 | FLOATS},
    {"element size 1, 2 or 4 bytes",
     E_W8 | E_W16 | E_W32 | FLOATS | FP8 | FP4 | E(HIF8) | E(F8E8M0)},
    {"any 2- or 4-byte type", E_W16 | E_W32 | FLOATS},
    {"any not low precision", INTS | FLOATS | E(F64)},
    {"fp8 family", FP8},
    {"8-bit floats", FP8},
    {"fp8", FP8},
    {"f8E4M3FN", E(F8E4M3FN)},
    {"f8E4M3", E(F8E4M3FN)},
    {"f8e4m3", E(F8E4M3FN)},
    {"f8E5M2", E(F8E5M2)},
    {"f8e5m2", E(F8E5M2)},
    {"f8E8M0", E(F8E8M0)},
    {"f4E1M2x2", E(F4E1M2X2)},
    {"f4e1m2x2", E(F4E1M2X2)},
    {"!pto.f4E2M1x2", E(F4E2M1X2)},
    {"f4E2M1x2", E(F4E2M1X2)},
    {"f4e2m1x2", E(F4E2M1X2)},
    {"f4*x2", FP4},
    {"f4*", FP4},
    {"hif8", E(HIF8)},
    {"bf16", E(BF16)},
    {"f16", E(F16)},
    {"f32", E(F32)},
    {"f64", E(F64)},
    {"s4", 0}, /* not a type of the language */
    {"none", 0},
    {"not supported", 0},
    {"not available", 0},
};
static const Word space_words[] = {
    {"vec", 1u << SPACE_VEC},         {"mat", 1u << SPACE_MAT},     {"acc", 1u << SPACE_ACC},
    {"left", 1u << SPACE_LEFT},       {"right", 1u << SPACE_RIGHT}, {"bias", 1u << SPACE_BIAS},
    {"scaling", 1u << SPACE_SCALING},
};
/* Words that say nothing about the set; those of the second row leave it open. */
static const char *const filler[] = {"or",
                                     "and",
                                     "equal",
                                     "all of these",
                                     "the a2a3 list",
                                     "see the table",
                                     "only",
                                     "also",
                                     "all three",
                                     "x",
                                     "on",
                                     "list",
                                     "of",
                                     "both sides",
                                     "carrier",
                                     "2- and 4-byte types:",
                                     "to the scalar type",
                                     "whose size divides 8",
                                     "in the simulator",
                                     "not index",
                                     NULL};
static const char *const open_words[] = {"any type",
                                         "any pair C++ can convert",
                                         "any index type",
                                         "none",
                                         "read as unsigned 32-bit, type not checked",
                                         "any",
                                         "unstated",
                                         "dtype(",
                                         "same as dst",
                                         "has the type of dst",
                                         "as src",
                                         "not checked",
                                         "all",
                                         NULL};

typedef struct Reader {
    const Facts *b;
    Profile profile;
    Lists *out;
    bool spaces;        /* a loc line */
    int sel[MAX_LISTS]; /* lists that words are added to */
    int nsel;
    bool naming;    /* the last word was a name */
    bool ignoring;  /* only the library, or the vendor's list without a name, says so */
    bool removing;  /* behind `without` */
    uint64_t since; /* added since the last comma */
} Reader;

static bool is_word_char(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '*';
}

static size_t word_length(const char *s) {
    size_t n = 0;
    while (is_word_char(s[n]))
        n++;
    while (n > 0 && s[n - 1] == '.')
        n--;
    return n;
}

static bool starts(const char *s, const char *end, const char *word) {
    size_t n = strlen(word);
    if ((size_t)(end - s) < n || memcmp(s, word, n) != 0) return false;
    return !is_word_char(word[n - 1]) || s + n >= end || !is_word_char(s[n]);
}

/* The next of `stops` outside of brackets, or the end. */
static const char *find_stop(const char *s, const char *end, const char *stops) {
    int depth = 0;
    for (; s < end; s++) {
        if (depth == 0 && strchr(stops, *s) != NULL) return s;
        if (strchr("([{", *s) != NULL || (*s == '<' && s + 1 < end && s[1] != '-')) depth++;
        if (depth > 0 && (strchr(")]}", *s) != NULL || (*s == '>' && s[-1] != '-'))) depth--;
    }
    return end;
}

static uint64_t integer_set(const Facts *b, const char *s, size_t n) {
    static const struct {
        const char *digits;
        uint64_t plain, sign, unsign;
    } widths[] = {{"8", E(I8), E(SI8), E(UI8)},
                  {"16", E(I16), E(SI16), E(UI16)},
                  {"32", E(I32), E(SI32), E(UI32)},
                  {"64", E(I64), E(SI64), E(UI64)}};
    size_t letters = strcspn(s, "0123456789");
    for (unsigned i = 0; i < 4 && letters < n; i++) {
        if (strlen(widths[i].digits) != n - letters ||
            memcmp(widths[i].digits, s + letters, n - letters) != 0)
            continue;
        if (letters == 1 && *s == 'u') return widths[i].unsign;
        if (letters == 2 && memcmp(s, "ui", 2) == 0) return widths[i].unsign;
        if (letters == 2 && memcmp(s, "si", 2) == 0) return widths[i].sign;
        if (letters == 1 && *s == 'i')
            return widths[i].plain | widths[i].sign |
                   ((b->by_width >> i & 1) != 0 ? widths[i].unsign : 0);
    }
    return 0;
}

/* The set that stands at `s`; its length, 0 when there is none. */
static size_t value_at(const Reader *r, const char *s, const char *end, uint64_t *set) {
    const Word *words = r->spaces ? space_words : elem_words;
    size_t nwords = r->spaces ? sizeof space_words / sizeof space_words[0]
                              : sizeof elem_words / sizeof elem_words[0];
    for (size_t i = 0; i < nwords; i++)
        if (starts(s, end, words[i].text)) {
            *set = words[i].set;
            return strlen(words[i].text);
        }
    size_t n = word_length(s);
    if (r->spaces || s + n > end) return 0;
    *set = integer_set(r->b, s, n);
    return *set != 0 ? n : 0;
}

static const char *any_of(const char *const *words, const char *s, const char *end) {
    for (; *words != NULL; words++)
        if (starts(s, end, *words)) return *words;
    return NULL;
}

static bool unread(Reader *r, const char *s) {
    if (r->out->unread == NULL) r->out->unread = s;
    return false;
}

/* ---- names of operands ---- */

/* The slot or result that a word names. */
static const char *slot_named(const Inst *inst, const char *s, size_t n) {
    const int i = inst_operand_named(inst, s, n);
    if (i >= 0)
        return i < inst->nslots ? inst->slots[i].name : inst->results[i - inst->nslots].name;
    if (n == 4 && memcmp(s, "data", 4) == 0)
        return inst_slot(inst, OPERAND_src0) >= 0 ? "src0" : "src";
    if (n == 3 && memcmp(s, "src", 3) == 0 && inst_slot(inst, OPERAND_src0) >= 0) return "src0";
    if (n == 6 && memcmp(s, "scales", 6) == 0) return "a_scale";
    if (n == 5 && memcmp(s, "index", 5) == 0 && inst_slot(inst, OPERAND_src0Idx) >= 0)
        return "src0Idx";
    return NULL;
}

static void select_list(Reader *r, const char *name) {
    Lists *l = r->out;
    if (!r->naming) r->nsel = 0;
    r->naming = true;
    r->since = 0;
    for (int i = 0; i < l->n; i++)
        if (strcmp(l->list[i].name, name) == 0) {
            r->sel[r->nsel++] = i;
            return;
        }
    if (l->n == MAX_LISTS) return;
    memset(&l->list[l->n], 0, sizeof l->list[0]);
    strncpy(l->list[l->n].name, name, MAX_NAME - 1);
    r->sel[r->nsel++] = l->n++;
}

static void add(Reader *r, uint64_t set) {
    if (r->ignoring) return;
    if (r->nsel == 0) select_list(r, "");
    r->naming = false;
    r->out->stated = true;
    for (int i = 0; i < r->nsel; i++) {
        uint64_t *all = &r->out->list[r->sel[i]].set;
        r->out->list[r->sel[i]].given = true;
        if (r->removing) {
            *all &= ~set;
        } else {
            r->since |= set & ~*all;
            *all |= set;
        }
    }
}

/* ---- remarks in parentheses ---- */

static bool is_library_only(const char *s, const char *end) {
    return starts(s, end, "M only") || (end - s == 1 && *s == 'L');
}

static void read_remark(Reader *r, const char *s, const char *end) {
    if (r->spaces) return;
    for (int i = 0; i < r->nsel; i++) {
        uint64_t *set = &r->out->list[r->sel[i]].set;
        if (starts(s, end, "signed and unsigned"))
            *set |= (*set & (E_W8 | E_W16 | E_W32 | E_W64)) << (ELEM_UI8 - ELEM_I8) & UNSIGNED;
        if (starts(s, end, "unchecked") || starts(s, end, "not checked"))
            r->out->list[r->sel[i]].given = false;
        if (starts(s, end, "any 8-bit integer")) *set |= E_W8;
        if (starts(s, end, "signless")) *set &= ~(UNSIGNED | SIGNED);
        if (is_library_only(s, end)) *set &= ~r->since;
    }
    if ((size_t)(end - s) > 8 && memcmp(end - 8, "by width", 8) == 0) {
        uint64_t set;
        for (size_t n; s < end; s += n) {
            n = value_at(r, s, end, &set);
            if (n != 0) add(r, set);
            if (n == 0) n = 1;
        }
    }
}

/* ---- pairs ---- */

static uint64_t values_in(Reader *r, const char *s, const char *end) {
    uint64_t all = 0, set;
    while (s < end) {
        size_t n = value_at(r, s, end, &set);
        if (n != 0) {
            all |= set;
        } else if (*s == '(') {
            const char *close = find_stop(s + 1, end, ")");
            n = (size_t)(close - s) + 1;
        } else if (strchr(" ,/{}x\n", *s) != NULL) {
            n = 1;
        } else if (any_of(filler, s, end) != NULL) {
            n = strlen(any_of(filler, s, end));
        } else {
            unread(r, s);
            return all;
        }
        s += n;
    }
    return all;
}

static void add_pairs(Lists *l, uint64_t left, uint64_t right) {
    l->paired = l->stated = true;
    for (unsigned i = 0; i < 64; i++)
        if ((left >> i & 1) != 0) l->pairs[i] |= right;
}

static const char *find_arrow(const char *s, const char *end, const char *arrow) {
    for (; s + 1 < end; s++) {
        if (*s == '(') s = find_stop(s + 1, end, ")");
        if (s + 1 < end && s[0] == arrow[0] && s[1] == arrow[1]) return s;
    }
    return NULL;
}

/* `A -> B, C` (a part without an arrow belongs to the arrow before it). */
static void read_forward(Reader *r, const char *s, const char *end) {
    uint64_t left = 0;
    while (s < end) {
        const char *stop = find_stop(s, end, ",");
        const char *arrow = find_arrow(s, stop, "->");
        if (arrow != NULL) left = values_in(r, s, arrow);
        add_pairs(r->out, left, values_in(r, arrow != NULL ? arrow + 2 : s, stop));
        s = stop + (stop < end);
    }
}

/* `D<-A,B` blank `D<-A,B`, or `D <- A x B`: the pair of A and D. */
static void read_backward(Reader *r, const char *s, const char *end) {
    const char *arrow = find_arrow(s, end, "<-");
    if (arrow[2] == ' ') {
        add_pairs(r->out, values_in(r, arrow + 2, end), values_in(r, s, arrow));
        return;
    }
    while (arrow != NULL) {
        const char *from = arrow;
        while (from > s && from[-1] != ' ')
            from--;
        const char *stop = find_stop(arrow + 2, end, ", ");
        add_pairs(r->out, values_in(r, arrow + 2, stop), values_in(r, from, arrow));
        s = stop;
        arrow = find_arrow(s, end, "<-");
    }
}

/* `D/A, D/A`. */
static void read_slashes(Reader *r, const char *s, const char *end) {
    while (s < end) {
        const char *stop = find_stop(s, end, ",");
        const char *slash = find_stop(s, stop, "/");
        if (slash < stop) {
            while (s < slash && !starts(s, slash, "bf16") && !starts(s, slash, "f16") &&
                   !starts(s, slash, "f32"))
                s++;
            add_pairs(r->out, values_in(r, slash + 1, stop), values_in(r, s, slash));
        }
        s = stop + (stop < end);
    }
}

/* ---- clauses ---- */

static void read_line(const Facts *b, Profile profile, bool spaces, Lists *out, bool first);
static size_t read_reference(Reader *r, const char *s, const char *end);

/* `the same`, `these and`, `as pto.x`: another list. */
static size_t read_reference(Reader *r, const char *s, const char *end) {
    static const char *const same[] = {"the same", "same", "these", "those", NULL};
    const char *w = any_of(same, s, end);
    if (w != NULL && r->profile != PROFILE_A2A3) {
        read_line(r->b, PROFILE_A2A3, r->spaces, r->out, true);
        return strlen(w);
    }
    if (!starts(s, end, "as")) return 0;
    size_t n = word_length(s + 3);
    const Facts *other = block_find(s + 3, n);
    if (other == NULL) return 0;
    read_line(other, r->profile, r->spaces, r->out, false);
    return 3 + n;
}

/* One word or phrase; its length, 0 when it cannot be read. */
static size_t read_word(Reader *r, const char *s, const char *end) {
    uint64_t set;
    size_t n = starts(s, end, "same as dst") ? 0 : read_reference(r, s, end);
    if (n != 0) return n;
    size_t length = word_length(s);
    const char *name = length == 0 ? NULL : slot_named(r->b->inst, s, length);
    n = value_at(r, s, end, &set);
    if (name != NULL && (n == 0 || !r->naming)) {
        select_list(r, name);
        return length;
    }
    if (n != 0) {
        add(r, set);
        return n;
    }
    if (starts(s, end, "V and L")) {
        r->ignoring = false;
        return 7;
    }
    Profile p;
    if (length > 0 && profile_from_text(s, length, &p)) {
        r->ignoring = p != r->profile;
        return length;
    }
    if (length == 1 && strchr("LMVSG", *s) != NULL) {
        r->ignoring = *s == 'L' || *s == 'G';
        return 1;
    }
    if (starts(s, end, "without 8-bit")) {
        r->removing = true;
        add(r, E_W8);
        r->removing = false;
        return 13;
    }
    const char *w = any_of(filler, s, end);
    if (w != NULL) return strlen(w);
    w = any_of(open_words, s, end);
    if (w == NULL) return 0;
    n = strlen(w);
    if (r->nsel == 0 || !r->naming) r->out->open = true;
    r->naming = false;
    return w[n - 1] == '(' ? (size_t)(find_stop(s + n, end, ")") - s) + 1 : n;
}

static void read_words(Reader *r, const char *s, const char *end) {
    while (s < end) {
        size_t n = 1;
        if (*s == '(') {
            const char *close = find_stop(s + 1, end, ")");
            read_remark(r, s + 1, close);
            n = (size_t)(close - s) + 1;
        } else if (*s == ',') {
            r->since = 0;
            if (r->ignoring) r->ignoring = false;
        } else if (starts(s, end, "that") && find_stop(s, end, ":") != end) {
            n = (size_t)(find_stop(s, end, ":") - s) + 1;
        } else if (strchr(" /.\n", *s) == NULL) {
            n = read_word(r, s, end);
        }
        if (n == 0 && r->ignoring) n = 1;
        if (n == 0) {
            unread(r, s);
            return;
        }
        s += n;
    }
}

/* Profiles and operands in front of a colon; false when there is something else. */
static bool read_label(Reader *r, const char *s, const char *end, ProfileSet *profiles) {
    ProfileSet set = 0;
    r->naming = false;
    while (s < end) {
        size_t n = word_length(s);
        Profile p;
        const char *name = n == 0 ? NULL : slot_named(r->b->inst, s, n);
        if (n == 0) {
            if (*s != ' ' && *s != ',') return false;
            n = 1;
        } else if (starts(s, end, "all")) {
            set = PROFILES_ALL;
        } else if (profile_from_text(s, n, &p)) {
            set |= PROFILE_BIT(p);
        } else if (n == 1 && strchr("LMV", *s) != NULL) {
            r->ignoring = *s == 'L' || *s == 'M';
        } else if (starts(s, end, "library")) {
            r->ignoring = !r->spaces;
        } else if (name != NULL) {
            select_list(r, name);
        } else if (!starts(s, end, "default") && !starts(s, end, "high_precision") &&
                   !starts(s, end, "none")) {
            return false;
        }
        s += n;
    }
    if (set != 0) *profiles = set;
    return true;
}

static void read_clause(Reader *r, const char *s, const char *end, ProfileSet *profiles) {
    while (s < end && *s == ' ')
        s++;
    const char *colon = find_stop(s, end, ":");
    bool named = false;
    if (colon != end) {
        Reader before = *r;
        int n = r->out->n;
        if (read_label(r, s, colon, profiles)) {
            named = r->naming;
            s = colon + 1;
            if ((*profiles & PROFILE_BIT(r->profile)) == 0) r->out->n = n;
        } else {
            *r = before;
            unread(r, s);
            return;
        }
    }
    if ((*profiles & PROFILE_BIT(r->profile)) == 0) return;
    if (!named) r->naming = false;
    const char *header =
        strstr(r->b->line[KEY_DTYPES] != NULL ? r->b->line[KEY_DTYPES] : "", "dst/src ");
    bool arrows = find_arrow(s, end, "->") != NULL || find_arrow(s, end, "<-") != NULL;
    while (s < end && *s == ' ')
        s++;
    if (arrows || header != NULL) {
        size_t n = read_reference(r, s, end);
        s += n;
        if (n != 0 && starts(s + 1, end, "and")) s += 5;
    }
    if (!r->spaces && header != NULL) {
        read_slashes(r, s == header ? s + 8 : s, end);
    } else if (find_arrow(s, end, "->") != NULL)
        read_forward(r, s, end);
    else if (find_arrow(s, end, "<-") != NULL)
        read_backward(r, s, end);
    else
        read_words(r, s, end);
}

/* `first`: only the first part that says something. */
static void read_line(const Facts *b, Profile profile, bool spaces, Lists *out, bool first) {
    const char *s = b->line[spaces ? KEY_LOC : KEY_DTYPES];
    if (s == NULL || b->inst == NULL) return;
    const char *end = s + strlen(s);
    while (s < end && !(first && out->stated)) {
        const char *stop = find_stop(s, end, "|\n");
        Reader r = {.b = b, .profile = profile, .out = out, .spaces = spaces};
        ProfileSet profiles = PROFILES_ALL;
        if (strncmp(s + strspn(s, " "), "M's", 3) == 0) s = stop;
        while (s < stop) {
            const char *semi = find_stop(s, stop, ";");
            r.ignoring = false;
            read_clause(&r, s, semi, &profiles);
            s = semi + (semi < stop);
        }
        s = stop + (stop < end);
    }
}

void read_dtypes(const Facts *b, Profile profile, Lists *out) {
    memset(out, 0, sizeof *out);
    read_line(b, profile, false, out, false);
}

void read_loc(const Facts *b, Profile profile, Lists *out) {
    memset(out, 0, sizeof *out);
    read_line(b, profile, true, out, false);
}

/* ---- operands ---- */

const char *line_text(const Facts *b, Key key) {
    const char *s = b->line[key];
    if (s == NULL || strncmp(s, "as ", 3) != 0) return s;
    const Facts *other = block_find(s + 3, word_length(s + 3));
    return other != NULL ? line_text(other, key) : s;
}

static bool contains(const char *s, const char *end, const char *word) {
    for (size_t n = strlen(word); s + n <= end; s++)
        if (memcmp(s, word, n) == 0) return true;
    return false;
}

/* `a, b index (remark)`: two operands of one kind. */
static void read_operand(OperandFacts *f, const char *s, const char *end) {
    OperandFact fact = {0};
    int first = f->n;
    const char *remark = find_stop(s, end, "(");
    while (s < end && *s == ' ')
        s++;
    while (end > s && (end[-1] == ' ' || end[-1] == '.'))
        end--;
    if (s == end || starts(s, end, "none")) return;
    if (starts(s, end, "result")) return;
    remark = remark > end ? end : remark;
    fact.out =
        contains(s, end, "(out") || contains(s, end, ", out") || contains(s, end, "in and out");
    fact.scratch = contains(s, end, "scratch)");
    fact.optional = contains(s, end, "optional") || contains(s, end, "only)") ||
                    (contains(s, end, " form)") && !contains(s, end, "manual form")) ||
                    contains(s, end, "both or none") || contains(s, end, "exactly when");
    for (;;) {
        size_t n = word_length(s);
        if (n == 0 || n >= MAX_NAME || f->n == MAX_OPERANDS) {
            f->unread = s;
            return;
        }
        memset(fact.name, 0, MAX_NAME);
        memcpy(fact.name, s, n);
        f->op[f->n++] = fact;
        s += n;
        if (*s == ':') s++;
        if (*s != ',') break;
        s++;
        while (*s == ' ')
            s++;
    }
    while (s < end && *s == ' ')
        s++;
    size_t n = remark > s ? word_length(s) : 0;
    for (int i = 0; i < f->n && contains(s, end, "all optional"); i++)
        f->op[i].optional = true;
    for (int i = first; i < f->n && n < MAX_NAME; i++)
        memcpy(f->op[i].kind, s, n);
}

void read_operands(const Facts *b, OperandFacts *out) {
    memset(out, 0, sizeof *out);
    const char *s = line_text(b, KEY_OPERANDS);
    if (s == NULL) return;
    const char *end = s + strlen(s);
    while (s < end && out->unread == NULL) {
        const char *stop = find_stop(s, end, "|\n");
        read_operand(out, s, stop);
        s = stop + (stop < end);
    }
}
