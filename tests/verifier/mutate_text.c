/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of a program's text. It is printed in the generic form, where every statement is
 *     %r = "pto.x"(%a, %b) <{..}> {name = value} : (T, T) -> (T)
 * and cut into these pieces; each change is put together again, read and judged. */
#include "tests/verifier/mutate_text.h"
#include "ir/print.h"
#include "tests/verifier/run.h"
#include "verifier/rules/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PIECES = 32, MOST_TEXT = 1 << 16, MOST_PIECE = 512 };

typedef struct Pieces {
    unsigned n;
    char at[MOST_PIECES][MOST_PIECE];
} Pieces;

typedef struct Cut {
    char before[MOST_TEXT], after[MOST_TEXT]; /* the program around the statement */
    char results[MOST_PIECE], end[MOST_PIECE];
    char define[MOST_PIECE]; /* a statement in front of it, or empty */
    Pieces operands, attrs, types, counts;
} Cut;

/* ---- cutting ---- */

/* The position of the bracket that closes the one at `s`, or the end of the text. */
static const char *closing(const char *s) {
    int depth = 0;
    for (; *s != '\0'; s++) {
        if (s[0] == '-' && s[1] == '>') {
            s++;
            continue;
        }
        if (strchr("([{<", *s) != NULL) depth++;
        if (strchr(")]}>", *s) != NULL && --depth == 0) return s;
    }
    return s;
}

static void put_piece(char out[MOST_PIECE], const char *s, size_t n) {
    snprintf(out, MOST_PIECE, "%.*s", (int)(n < MOST_PIECE ? n : MOST_PIECE - 1), s);
}

/* Splits at the commas outside brackets. */
static void split(Pieces *p, const char *s, const char *end) {
    p->n = 0;
    while (s < end && p->n < MOST_PIECES) {
        const char *from = s;
        while (s < end && *s != ',')
            s = strchr("([{<", *s) != NULL ? closing(s) + 1 : s + 1;
        if (s > end) s = end;
        put_piece(p->at[p->n++], from, (size_t)(s - from));
        s += s < end;
        while (s < end && *s == ' ')
            s++;
    }
}

static bool cut(Cut *c, const char *text, const char *name) {
    char quoted[80];
    snprintf(quoted, sizeof quoted, "\"%s\"(", name);
    const char *at = strstr(text, quoted);
    if (at == NULL || strlen(text) >= MOST_TEXT) return false;
    const char *line = at;
    while (line > text && line[-1] != '\n')
        line--;
    snprintf(c->before, sizeof c->before, "%.*s", (int)(line - text), text);
    put_piece(c->results, line, (size_t)(at - line));
    const char *open = at + strlen(quoted) - 1, *s = closing(open);
    split(&c->operands, open + 1, s);
    s++;
    c->counts.n = c->attrs.n = c->types.n = 0;
    if (strncmp(s, " <{", 3) == 0) {
        const char *end = closing(s + 1), *list = strstr(s, "array<i32: ");
        if (list != NULL && list < end) split(&c->counts, list + 11, closing(list + 5));
        s = end + 1;
    }
    if (strncmp(s, " {", 2) == 0) {
        const char *end = closing(s + 1);
        split(&c->attrs, s + 2, end);
        s = end + 1;
    }
    if (strncmp(s, " : (", 4) != 0) return false;
    const char *end = closing(s + 3);
    split(&c->types, s + 4, end);
    const char *eol = strchr(end, '\n');
    if (eol == NULL || c->types.n != c->operands.n) return false;
    put_piece(c->end, end + 1, (size_t)(eol - end - 1));
    snprintf(c->after, sizeof c->after, "%s", eol);
    c->define[0] = '\0';
    return true;
}

/* ---- putting together and judging ---- */

typedef struct Text {
    char data[3 * MOST_TEXT];
    size_t n;
} Text;

static void put(Text *t, const char *s) {
    size_t n = strlen(s);
    if (t->n + n + 1 > sizeof t->data) return;
    memcpy(t->data + t->n, s, n + 1);
    t->n += n;
}

static void put_list(Text *t, const Pieces *p) {
    for (unsigned i = 0; i < p->n; i++) {
        if (i > 0) put(t, ", ");
        put(t, p->at[i]);
    }
}

static void together(const Cut *c, const char *name, Text *t) {
    t->n = 0;
    put(t, c->before);
    put(t, c->define);
    put(t, c->results);
    put(t, "\"");
    put(t, name);
    put(t, "\"(");
    put_list(t, &c->operands);
    put(t, ")");
    if (c->counts.n > 0) {
        put(t, " <{operandSegmentSizes = array<i32: ");
        put_list(t, &c->counts);
        put(t, ">}>");
    }
    if (c->attrs.n > 0) {
        put(t, " {");
        put_list(t, &c->attrs);
        put(t, "}");
    }
    put(t, " : (");
    put_list(t, &c->types);
    put(t, ")");
    put(t, c->end);
    put(t, c->after);
}

static Text whole;

/* True when it is enough. */
static bool judge_text(TextMutation *m, const Text *t) {
    CheckRun run;
    check_run(&run, "changed.pto", t->data, t->n, &m->opt);
    check_run_free(&run);
    m->tries++;
    return m->enough(m->user);
}

static bool judge(TextMutation *m, const Cut *c) {
    together(c, m->inst->name, &whole);
    return judge_text(m, &whole);
}

/* ---- attributes ---- */

static const char *const numbers[] = {"-1", "0",  "1",  "2",  "3",  "4",   "5",    "7",
                                      "8",  "12", "16", "31", "32", "100", "1000", "99999999"};
enum { NUMBERS = sizeof numbers / sizeof numbers[0] };

static bool try_value(TextMutation *m, Cut *c, unsigned k, const char *name, const char *value) {
    char old[MOST_PIECE];
    memcpy(old, c->attrs.at[k], sizeof old);
    snprintf(c->attrs.at[k], MOST_PIECE, "%s = %s", name, value);
    bool done = judge(m, c);
    memcpy(c->attrs.at[k], old, sizeof old);
    return done;
}

static const char *const lists[] = {"[]",           "[0]",      "[0, 0]",     "[1, 1]",
                                    "[16]",         "[-1, 16]", "[16, -1]",   "[8, 16]",
                                    "[16, 16, 16]", "[8, 8]",   "[1000, 16]", "[7, 7]"};
enum { LISTS = sizeof lists / sizeof lists[0] };

static bool try_words(TextMutation *m, Cut *c, unsigned k, const AttrInfo *info, uint8_t family) {
    char value[MOST_PIECE];
    const EnumInfo *f = &enum_infos[family];
    for (unsigned i = 0; i < f->nvalues; i++) {
        enum_print(value, sizeof value, f, f->values[i].text);
        if (try_value(m, c, k, info->name, value)) return true;
    }
    return false;
}

/* Values of the attribute at place k. */
static bool try_values(TextMutation *m, Cut *c, unsigned k, const AttrInfo *info) {
    char value[MOST_PIECE];
    for (unsigned i = 0; i < NUMBERS; i++) {
        if (info->type == AT_BOOL || (info->type == AT_ENUM && info->int_bits == 0)) break;
        bool i32 = info->type == AT_I32;
        snprintf(value, sizeof value, "%s%s", numbers[i], i32 ? " : i32" : "");
        if (try_value(m, c, k, info->name, value)) return true;
    }
    if (info->type == AT_ENUM && try_words(m, c, k, info, info->family)) return true;
    for (const uint8_t *f = info->also; f != NULL && *f != EF_NONE; f++)
        if (try_words(m, c, k, info, *f)) return true;
    for (unsigned i = 0; info->type == AT_INT_LIST && i < LISTS; i++)
        if (try_value(m, c, k, info->name, lists[i])) return true;
    return info->type == AT_BOOL &&
           (try_value(m, c, k, info->name, "true") || try_value(m, c, k, info->name, "false"));
}

static bool is_named(const char *attr, const char *name) {
    size_t n = strlen(name);
    return strncmp(attr, name, n) == 0 && (attr[n] == ' ' || attr[n] == '\0');
}

static bool without_attr(TextMutation *m, Cut *c, unsigned k) {
    Pieces old = c->attrs;
    c->attrs.n--;
    memmove(c->attrs.at[k], c->attrs.at[k + 1], (c->attrs.n - k) * sizeof c->attrs.at[0]);
    bool done = judge(m, c);
    c->attrs = old;
    return done;
}

static bool change_attrs(TextMutation *m, Cut *c) {
    const Inst *inst = m->inst;
    for (unsigned k = 0; k < c->attrs.n; k++)
        if (without_attr(m, c, k)) return true;
    for (unsigned a = 0; a < inst->nattrs; a++) {
        unsigned k = 0;
        while (k < c->attrs.n && !is_named(c->attrs.at[k], inst->attrs[a].name))
            k++;
        bool added = k == c->attrs.n && k < MOST_PIECES;
        if (k == MOST_PIECES) continue;
        c->attrs.n += added;
        bool done = try_values(m, c, k, &inst->attrs[a]);
        c->attrs.n -= added;
        if (done) return true;
    }
    return false;
}

/* What a row says must not be there. */
static bool add_foreign_attrs(TextMutation *m, Cut *c) {
    unsigned n;
    const RuleRow *rows = rule_rows(inst_id(m->inst), &n);
    for (unsigned i = 0; i < n && c->attrs.n < MOST_PIECES; i++) {
        if (rows[i].cond != C_ATTR_CONFLICT || row_a(&rows[i]) >= 0) continue;
        const char *name = row_a_text(&(InstRow){m->inst, &rows[i]});
        c->attrs.n++;
        bool done = try_value(m, c, c->attrs.n - 1, name, "0");
        c->attrs.n--;
        if (done) return true;
    }
    return false;
}

/* ---- operands ---- */

static const struct {
    const char *define, *type;
} others[] = {
    {"arith.constant 1 : i32", "i32"},
    {"arith.constant 1 : i64", "i64"},
    {"arith.constant 1 : index", "index"},
    {"arith.constant 1000 : index", "index"},
    {"arith.constant 1000 : i64", "i64"},
    {"arith.constant 1.0 : f32", "f32"},
    {"pto.declare_tile -> !pto.tile_buf<vec, 16x16xf32>", "!pto.tile_buf<vec, 16x16xf32>"},
    {"pto.declare_tile -> !pto.tile_buf<vec, 8x8xf32>", "!pto.tile_buf<vec, 8x8xf32>"},
    {"pto.declare_tile -> !pto.tile_buf<mat, 16x16xf16, blayout=col_major, slayout=row_major>",
     "!pto.tile_buf<mat, 16x16xf16, blayout=col_major, slayout=row_major>"},
    {"pto.declare_tile -> !pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, "
     "fractal=1024>",
     "!pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>"},
    {"pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32>", "!pto.tile_buf<vec, 16x16xf32>"},
    {"pto.alloc_tile : !pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, "
     "fractal=1024>",
     "!pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>"},
    {"pto.alloc_multi_tile : !pto.multi_tile_buf<vec, 16x16xf32, count=2>",
     "!pto.multi_tile_buf<vec, 16x16xf32, count=2>"},
    {"pto.declare_global -> !pto.tensor_view<16x16xf32>", "!pto.tensor_view<16x16xf32>"},
    {"pto.declare_global -> !pto.tensor_view<8x8xf32>", "!pto.tensor_view<8x8xf32>"},
    {"pto.declare_global -> !pto.tensor_view<8x8xf16>", "!pto.tensor_view<8x8xf16>"},
};
enum { OTHERS = sizeof others / sizeof others[0] };

static void define_other(Cut *c, unsigned which, unsigned k) {
    snprintf(c->define, sizeof c->define, "  %%another = %s\n", others[which].define);
    snprintf(c->operands.at[k], MOST_PIECE, "%%another");
    snprintf(c->types.at[k], MOST_PIECE, "%s", others[which].type);
}

static bool replace_operands(TextMutation *m, Cut *c) {
    static Cut one;
    for (unsigned k = 0; k < c->operands.n; k++)
        for (unsigned i = 0; i < OTHERS; i++) {
            one = *c;
            define_other(&one, i, k);
            if (judge(m, &one)) return true;
        }
    return false;
}

static void open_place(Pieces *p, unsigned k) {
    memmove(p->at[k + 1], p->at[k], (p->n - k) * sizeof p->at[0]);
    p->n++;
}

static void close_place(Pieces *p, unsigned k) {
    p->n--;
    memmove(p->at[k], p->at[k + 1], (p->n - k) * sizeof p->at[0]);
}

/* Operands that may be absent: one more, one less. */
static bool count_operands(TextMutation *m, Cut *c) {
    static Cut one;
    unsigned at = 0;
    for (unsigned s = 0; s < c->counts.n; s++) {
        unsigned count = (unsigned)atoi(c->counts.at[s]);
        if (at + count > c->operands.n || c->operands.n + 1 >= MOST_PIECES) return false;
        if (count > 0) {
            one = *c;
            close_place(&one.operands, at);
            close_place(&one.types, at);
            snprintf(one.counts.at[s], MOST_PIECE, "%u", count - 1);
            if (judge(m, &one)) return true;
        }
        for (unsigned i = 0; i < OTHERS; i++) {
            one = *c;
            open_place(&one.operands, at);
            open_place(&one.types, at);
            define_other(&one, i, at);
            snprintf(one.counts.at[s], MOST_PIECE, "%u", count + 1);
            if (judge(m, &one)) return true;
        }
        at += count;
    }
    return false;
}

/* ---- types ---- */

/* Every `from` becomes `to`. */
static void replace_all(const char *text, const char *from, const char *to, Text *out) {
    size_t n = strlen(from);
    out->n = 0;
    for (const char *s = text; *s != '\0';) {
        if (strncmp(s, from, n) == 0) {
            put(out, to);
            s += n;
        } else {
            const char one[2] = {*s++, '\0'};
            put(out, one);
        }
    }
}

static const char *const words[] = {"vec",     "mat",  "acc",  "left",  "right", "bias",
                                    "scaling", "f32",  "f16",  "i32",   "i16",   "i8",
                                    "i64",     "bf16", "ui32", "index", "f64",   "f8E4M3FN"};
static const char *const shapes[] = {"16x16x", "8x8x",   "17x16x",    "15x16x",       "16x15x",
                                     "1x16x",  "32x32x", "16x16x16x", "1x1x1x1x1x16x"};
enum { WORDS = sizeof words / sizeof words[0], SHAPES = sizeof shapes / sizeof shapes[0] };

static bool try_type(TextMutation *m, const char *text, const char *from, const char *to) {
    static Text changed;
    replace_all(text, from, to, &changed);
    return judge_text(m, &changed);
}

/* One word, the shape, the layout of a type, all over the program. */
static bool change_type(TextMutation *m, const char *text, const char *type) {
    char to[2 * MOST_PIECE];
    for (unsigned w = 0; w < WORDS; w++) {
        const char *at = strstr(type, words[w]);
        size_t n = strlen(words[w]);
        if (at == NULL) continue;
        for (unsigned v = 0; v < WORDS; v++) {
            snprintf(to, sizeof to, "%.*s%s%s", (int)(at - type), type, words[v], at + n);
            if (v != w && try_type(m, text, type, to)) return true;
        }
    }
    const char *dims = type;
    while (*dims != '\0' && !((*dims >= '0' && *dims <= '9') && strchr("< ", dims[-(dims > type)])))
        dims++;
    const char *end = dims;
    while (*end != '\0' && strchr("0123456789x?", *end) != NULL)
        end++;
    for (unsigned i = 0; *dims != '\0' && i < SHAPES; i++) {
        snprintf(to, sizeof to, "%.*s%s%s", (int)(dims - type), type, shapes[i], end);
        if (try_type(m, text, type, to)) return true;
    }
    size_t n = strlen(type);
    static const char *const ends[] = {", blayout=col_major>", ", slayout=row_major>",
                                       ", valid=8x8>", ", valid=?x?>", ", fractal=1024>"};
    for (unsigned i = 0; type[n - 1] == '>' && i < sizeof ends / sizeof ends[0]; i++) {
        snprintf(to, sizeof to, "%.*s%s", (int)n - 1, type, ends[i]);
        if (try_type(m, text, type, to)) return true;
    }
    return false;
}

static bool change_types(TextMutation *m, const Cut *c) {
    static Text plain;
    Pieces results;
    const char *open = strstr(c->end, "-> ");
    together(c, m->inst->name, &plain);
    for (unsigned i = 0; i < c->types.n; i++)
        if (change_type(m, plain.data, c->types.at[i])) return true;
    if (open == NULL) return false;
    open += 3;
    bool list = *open == '(';
    split(&results, open + list, list ? closing(open) : open + strlen(open));
    for (unsigned i = 0; i < results.n; i++)
        if (change_type(m, plain.data, results.at[i])) return true;
    return false;
}

void mutate_text(TextMutation *m, const char *text, size_t size) {
    static Cut c;
    CheckRun run;
    check_run(&run, "base.pto", text, size, NULL);
    bool fine = check_run_accepted(&run) && setjmp(run.ctx.oom) == 0;
    if (fine) {
        StrBuf out;
        sb_init(&out, &run.ctx.arena);
        module_print(&out, run.module, PRINT_GENERIC);
        fine = cut(&c, sb_text(&out), m->inst->name);
    }
    check_run_free(&run);
    if (!fine) return;
    (void)(change_attrs(m, &c) || add_foreign_attrs(m, &c) || count_operands(m, &c) ||
           replace_operands(m, &c) || change_types(m, &c));
}
