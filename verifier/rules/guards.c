/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the guards of written rows, for the program of the build that packs them. */
#include "verifier/rules/guards.h"

#include "verifier/rules/words.h"

#include <string.h>

static bool name_is(const char *name, const char *s, size_t n) {
    return strlen(name) == n && memcmp(name, s, n) == 0;
}

/* ---- guards ---- */

static uint64_t space_bit(const char *s, size_t n) {
    for (int i = 0; i < SPACE_COUNT; i++)
        if (name_is(space_names[i], s, n)) return (uint64_t)1 << i;
    return 0;
}

static uint64_t elem_bits(const char *s, size_t n) {
    uint64_t set = 0;
    char cls = name_is("float", s, n) ? 'F' : name_is("low", s, n) ? 'L' : '\0';
    bool integer = name_is("int", s, n);
    for (int e = 0; e < ELEM_COUNT; e++) {
        const char *text = elem_infos[e].text;
        if (strncmp(text, "!pto.", 5) == 0) text += 5;
        if (name_is(text, s, n) || elem_infos[e].cls == cls || (integer && elem_is_int((Elem)e)))
            set |= ELEM_BIT(e);
    }
    return set;
}

static uint64_t layout_bits(const char *s, size_t n) {
    static const struct {
        const char *name;
        uint64_t set;
    } words[] = {{"row", LAY_ROW_MAJOR}, {"col", LAY_COL_MAJOR}, {"nd", LAY_ND}, {"dn", LAY_DN},
                 {"nz", LAY_NZ},         {"zn", LAY_ZN},         {"zz", LAY_ZZ}, {"nn", LAY_NN}};
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++)
        if (name_is(words[i].name, s, n)) return words[i].set;
    return 0;
}

/* Returns the bit of a value: a number, true, false, or a word of the attribute's enum. */
static uint64_t value_bit(const AttrInfo *info, const char *s, size_t n) {
    if (n == 0 || name_is("false", s, n)) return 1;
    if (name_is("true", s, n)) return 2;
    int v = 0;
    size_t digits = 0;
    while (digits < n && s[digits] >= '0' && s[digits] <= '9')
        digits++;
    if (digits == n)
        for (size_t i = 0; i < n; i++)
            v = v * 10 + (s[i] - '0');
    else if (info->type == AT_ENUM || info->type == AT_WORD)
        v = enum_value_find((EnumFamily)info->family, s, n);
    return v >= 0 && v < 64 ? (uint64_t)1 << v : 0;
}

/* Unites the bits of the words between commas; `mark` says what they are. */
static uint64_t word_set(const AttrInfo *info, char mark, const char *s, size_t n) {
    uint64_t set = 0;
    for (;;) {
        const char *comma = memchr(s, ',', n);
        size_t len = comma != NULL ? (size_t)(comma - s) : n;
        set |= mark == '@'   ? space_bit(s, len)
               : mark == '#' ? elem_bits(s, len)
               : mark == '~' ? layout_bits(s, len)
               : mark == '.' ? (uint64_t)name_is("empty", s, len)
                             : value_bit(info, s, len);
        if (comma == NULL) return set;
        s += len + 1;
        n -= len + 1;
    }
}

/* Whether the word is `level3` or `level!3`. */
static bool is_level(const char *s, size_t n) {
    return n >= 6 && memcmp(s, "level", 5) == 0;
}

/* A word of a guard in parts: `!`, a name, a mark, `!` and a value. */
typedef struct Parts {
    bool no, outside;
    const char *name, *value;
    size_t name_len, value_len;
    char mark; /* 0: neither mark nor value */
} Parts;

static Parts parts_of(const char *s, size_t n) {
    Parts p = {.no = s[0] == '!'};
    s += p.no;
    n -= p.no;
    p.name = s;
    while (p.name_len < n && strchr("@#~.=", s[p.name_len]) == NULL)
        p.name_len++;
    if (p.name_len == n) return p;
    p.mark = s[p.name_len];
    p.value = s + p.name_len + 1;
    p.value_len = n - p.name_len - 1;
    p.outside = p.value_len > 0 && p.value[0] == '!';
    p.value += p.outside;
    p.value_len -= p.outside;
    return p;
}

static bool read_word(const Inst *inst, const char *s, size_t n, Guard *g) {
    const Parts p = parts_of(s, n);
    const int slot = inst_operand_named(inst, p.name, p.name_len);
    g->index = (int8_t)(slot >= 0 ? slot : inst_attr_named(inst, p.name, p.name_len));
    if (g->index < 0) return false;
    if (p.mark == '\0') {
        g->kind = slot >= 0 ? (p.no ? G_ABSENT : G_PRESENT) : (p.no ? G_NO_ATTR : G_ATTR);
        return true;
    }
    g->set = word_set(slot < 0 ? &inst->attrs[g->index] : NULL, p.mark, p.value, p.value_len);
    if (p.outside) g->set = ~g->set;
    g->kind = p.mark == '@'   ? G_SPACE
              : p.mark == '#' ? G_ELEM
              : p.mark == '~' ? G_LAYOUT
              : p.mark == '.' ? G_EMPTY
                              : G_ATTR_IS;
    return g->set != 0;
}

bool guard_read(const Inst *inst, const char *text, ReadGuard *out) {
    *out = (ReadGuard){.level = 0};
    while (text != NULL && *text != '\0') {
        const size_t n = strcspn(text, " ");
        if (is_level(text, n))
            out->level = text[5] == '!' ? -(text[n - 1] - '0') : text[n - 1] - '0';
        else if (out->n == MOST_GUARDS || !read_word(inst, text, n, &out->list[out->n++]))
            return false;
        text += n + strspn(text + n, " ");
    }
    return true;
}

/* ---- in words ---- */

typedef struct Word {
    const char *s;
    size_t n;
} Word;

/* Writes a word of a guard, in its longer form if it has one. */
static void put_spelled_out(StrBuf *out, Word w) {
    static const char *const words[][2] = {
        {"int", "integer"}, {"low", "low-precision"}, {"row", "row_major"}, {"col", "col_major"}};
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strlen(words[i][0]) == w.n && memcmp(words[i][0], w.s, w.n) == 0) {
            sb_puts(out, words[i][1]);
            return;
        }
    sb_add(out, w.s, w.n);
}

/* Writes `mat or vec` for `mat,vec`. */
static void put_alternatives(StrBuf *out, Word w) {
    unsigned n = 1, k = 0;
    for (size_t i = 0; i < w.n; i++)
        n += w.s[i] == ',';
    for (unsigned i = 0; i < n; i++) {
        const char *comma = memchr(w.s, ',', w.n);
        size_t len = comma != NULL ? (size_t)(comma - w.s) : w.n;
        sb_puts(out, list_separator(k++, n));
        put_spelled_out(out, (Word){w.s, len});
        w.s += len + (comma != NULL);
        w.n -= len + (comma != NULL);
    }
}

/* Writes `mode=2` with the word of the enumeration. */
static void put_attr_guard(StrBuf *out, const Inst *inst, const Parts *p) {
    const int attr = inst_attr_named(inst, p->name, p->name_len);
    const AttrInfo *info = attr >= 0 ? &inst->attrs[attr] : NULL;
    sb_printf(out, "%.*s is ", (int)p->name_len, p->name);
    if (info == NULL || info->type != AT_ENUM)
        put_alternatives(out, (Word){p->value, p->value_len});
    else
        put_attr_values(out, info, word_set(info, '=', p->value, p->value_len));
}

static void put_guard(StrBuf *out, const Inst *inst, const Parts *p) {
    const bool element = p->mark == '#';
    if (p->mark == '\0') {
        sb_printf(out, "%.*s is %s", (int)p->name_len, p->name, p->no ? "absent" : "given");
        return;
    }
    if (p->mark == '=') {
        put_attr_guard(out, inst, p);
        return;
    }
    sb_printf(out, "%.*s %s%s%s", (int)p->name_len, p->name, element ? "has " : "is ",
              p->outside ? element ? "other elements than " : "not " : "",
              p->mark == '@' ? "in " : "");
    put_alternatives(out, (Word){p->value, p->value_len});
    if (element && !p->outside) sb_puts(out, " elements");
}

void guard_put(StrBuf *out, const Inst *inst, const char *guard) {
    const char *before = " when ";
    while (guard != NULL && *guard != '\0') {
        const size_t n = strcspn(guard, " ");
        if (is_level(guard, n)) {
            sb_printf(out, guard[5] == '!' ? " not at level %c" : " at level %c", guard[n - 1]);
        } else {
            const Parts p = parts_of(guard, n);
            sb_puts(out, before);
            put_guard(out, inst, &p);
            before = " and ";
        }
        guard += n + strspn(guard + n, " ");
    }
}
