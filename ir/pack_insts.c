/* SPDX-License-Identifier: Apache-2.0 */
/* pack_insts IDS ROWS: a build tool that numbers the instructions and the names of their operands
 * and attributes (inst_ids.h), and writes the rows with these names resolved to indices
 * (inst_rows.c). It leaves a file alone that would not change: most of the program needs the
 * numbers only, and is then not compiled again when a row changes. */
#define _POSIX_C_SOURCE 200809L /* strndup, open_memstream */
#define INST_WRITTEN
#include "ir/inst.h"
#include "support/pack.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rows name others by their numbers, which are here as they are written below. */
enum {
    INST_INVALID,
#define INST(id, ...) INST_##id,
#include "ir/insts.def"
#undef INST
};

static const struct {
    const char *id;
    Inst row;
} rows[] = {
#define INST(id, ...) {#id, {__VA_ARGS__}},
#include "ir/insts.def"
#undef INST
};

enum { COUNT = sizeof rows / sizeof *rows, TEXT_CAP = 1 << 21, NAME_CAP = 1024, SHARED_CAP = 4096 };

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

/* Names that rows have for slots or attributes, by number; 0: none. */
typedef struct Names {
    const char *list[NAME_CAP];
    unsigned n;
} Names;
static Names slot_names = {.n = 1};
static Names attr_names = {.n = 1};

static unsigned number_of(Names *names, const char *name) {
    unsigned i = 1;
    while (i < names->n && strcmp(names->list[i], name) != 0)
        i++;
    if (i == NAME_CAP) give_up("too many names", name);
    if (i == names->n) names->list[names->n++] = name;
    return i;
}

static unsigned slots_named(const Inst *row, unsigned s) {
    return s < row->nslots ? number_of(&slot_names, row->slots[s].name) : 0;
}

static unsigned attrs_named(const Inst *row, unsigned a) {
    return a < row->nattrs ? number_of(&attr_names, row->attrs[a].name) : 0;
}

/* `named` gives the number of a name of a row, 0 after the last. */
static void put_names(const char *what, unsigned (*named)(const Inst *row, unsigned i)) {
    unsigned starts[COUNT], n = 0;
    put("const uint16_t %s_names[] = {", what);
    for (size_t i = 0; i < COUNT; i++) {
        starts[i] = n;
        for (unsigned k = 0, name; (name = named(&rows[i].row, k)) != 0; k++, n++)
            put("%s%u,", n % 24 == 0 ? "\n    " : " ", name);
    }
    put("\n};\nconst uint16_t %s_starts[INST_COUNT] = {0,", what);
    for (size_t i = 0; i < COUNT; i++)
        put("%s%u,", i % 16 == 0 ? "\n    " : " ", starts[i]);
    put("\n};\n");
}

static void put_attr_texts(void) {
    static const char *const others[] = {
#define ATTR(name) name,
#include "ir/attr_names.def"
#undef ATTR
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        number_of(&attr_names, others[i]);
    put("const char *const attr_texts[ATTR_COUNT] = {\"\"");
    for (unsigned i = 1; i < attr_names.n; i++)
        put(",\n    \"%s\"", attr_names.list[i]);
    put("};\n");
}

/* Characters that an enumerator cannot have become `_`. */
static void put_enum(const char *type, const char *prefix, const Names *names) {
    put("typedef enum %s {\n    %s_NONE,\n", type, prefix);
    for (unsigned i = 1; i < names->n; i++) {
        put("    %s_", prefix);
        for (const char *s = names->list[i]; *s != '\0'; s++)
            put("%c", strchr(".-", *s) != NULL ? '_' : *s);
        put(",\n");
    }
    put("    %s_COUNT\n} %s;\n\n", prefix, type);
}

/* ---- references ---- */

static const Inst *inst; /* the row that is written, for references and messages */

static bool is_word(const char *word, const char *s, size_t n) {
    return word != NULL && strlen(word) == n && memcmp(word, s, n) == 0;
}

/* Return one more than the index. */
static unsigned slot_ref(const char *s, size_t n) {
    for (unsigned i = 0; i < inst->nslots; i++)
        if (is_word(inst->slots[i].name, s, n)) return i + 1;
    give_up("the row refers to a slot that it does not have", inst->name);
    return 0;
}

static unsigned attr_ref(const char *s, size_t n) {
    for (unsigned i = 0; i < inst->nattrs; i++)
        if (is_word(inst->attrs[i].name, s, n)) return i + 1;
    give_up("the row refers to an attribute that it does not have", inst->name);
    return 0;
}

static const char *next_word(const char *s, size_t n) {
    return s + n + (s[n] == ' ');
}

static unsigned inst_ref(const char *s, size_t n) {
    for (unsigned i = 0; i < COUNT; i++)
        if (is_word(rows[i].row.name, s, n)) return i + 1;
    give_up("the row refers to an instruction that there is not", inst->name);
    return 0;
}

/* ---- lists ---- */

/* A list that rows have, written once however many have it. */
typedef struct Shared {
    const char *type, *body;
    unsigned n;
} Shared;
static Shared shared[SHARED_CAP];
static size_t nshared;

/* Replaces the body that was written since `start` by the name of the list. */
static void share(const char *type, size_t start) {
    size_t i = 0;
    unsigned n = 1;
    for (; i < nshared; i++) {
        if (strcmp(shared[i].type, type) != 0) continue;
        if (strcmp(shared[i].body, text + start) == 0) break;
        n++;
    }
    if (i == SHARED_CAP) give_up("too many lists", type);
    if (i == nshared) shared[nshared++] = (Shared){type, strdup(text + start), n};
    length = start;
    put("%s_%u", type, shared[i].n);
}

static void put_shared(void) {
    for (size_t i = 0; i < nshared; i++)
        put("static const %s %s_%u[] = {%s};\n", shared[i].type, shared[i].type, shared[i].n,
            shared[i].body);
}

/* ---- columns ---- */

typedef struct Column Column;
typedef struct Struct {
    const char *type;
    size_t size, ncolumns;
    const Column *columns;
} Struct;
struct Column {
    const char *name;
    size_t at, size;
    void (*put)(const Column *c, const void *field, const void *row);
    const Struct *of;                  /* an array or a struct inside: its type */
    size_t (*length)(const void *row); /* of the array */
};

static const char *text_of(const void *field) {
    return *(const char *const *)field;
}

static void put_text(const Column *c, const void *field, const void *row) {
    (void)c, (void)row;
    put("\"");
    for (const unsigned char *s = (const unsigned char *)text_of(field); *s != '\0'; s++)
        put(*s == '"' || *s == '\\' ? "\\%c" : *s < ' ' || *s > '~' ? "\\%03o" : "%c", *s);
    put("\"");
}

/* Documentation: each text once, with its NUL. */
static char docs[TEXT_MOST];
static size_t docs_length;

static void put_doc(const Column *c, const void *field, const void *row) {
    const char *s = text_of(field);
    const size_t n = strlen(s) + 1;
    size_t at = 0;
    (void)c, (void)row;
    while (at < docs_length && strcmp(docs + at, s) != 0)
        at += strlen(docs + at) + 1;
    if (at + n > sizeof docs) give_up("too much documentation", inst->name);
    if (at == docs_length) {
        memcpy(docs + at, s, n);
        docs_length += n;
    }
    put("%zu", at + 1);
}

static void put_docs(void) {
    char *bytes;
    size_t n;
    FILE *to = open_memstream(&bytes, &n);
    if (to == NULL) give_up("no memory", "documentation");
    put_packed(to, docs, docs_length);
    if (fclose(to) != 0) give_up("no memory", "documentation");
    put("static const unsigned char packed[] = {\n%s};\nstatic char unpacked[%zu];\n"
        "static PackedTexts docs = {.packed = packed, .to = unpacked, .size = %zu};\n"
        "const char *inst_doc(DocRef ref) {\n"
        "    return ref != 0 ? texts_unpacked(&docs) + ref - 1 : NULL;\n}\n",
        bytes, docs_length, docs_length);
    free(bytes);
}

static void put_number(const Column *c, const void *field, const void *row) {
    (void)row;
    if (c->size == 8)
        put("%lld", (long long)*(const int64_t *)field);
    else if (c->size == 4)
        put("%lu", (unsigned long)*(const uint32_t *)field);
    else
        put("%u", c->size == 2 ? *(const uint16_t *)field : *(const uint8_t *)field);
}

static void put_bytes(const Column *c, const void *field, const void *row) {
    (void)row;
    for (size_t i = 0; i < c->size; i++)
        put(i == 0 ? "{%u" : ", %u", ((const uint8_t *)field)[i]);
    put("}");
}

/* AttrInfo.also. */
static void put_families(const Column *c, const void *field, const void *row) {
    const uint8_t *list = *(const uint8_t *const *)field;
    const size_t start = length;
    (void)c, (void)row;
    for (; *list != EF_NONE; list++)
        put("%u, ", *list);
    put("EF_NONE");
    share("uint8_t", start);
}

static void put_slot(const Column *c, const void *field, const void *row) {
    (void)c, (void)row;
    put("%u", slot_ref(text_of(field), strlen(text_of(field))));
}

static void put_attr(const Column *c, const void *field, const void *row) {
    (void)c, (void)row;
    put("%u", attr_ref(text_of(field), strlen(text_of(field))));
}

static void put_inst(const Column *c, const void *field, const void *row) {
    (void)c, (void)row;
    put("%u", inst_ref(text_of(field), strlen(text_of(field))));
}

static void put_list(const char *type, const char *s, unsigned (*ref)(const char *s, size_t n)) {
    const size_t start = length;
    for (size_t n; *s != '\0'; s = next_word(s, n)) {
        n = strcspn(s, " ");
        put("%u, ", ref(s, n));
    }
    put("0");
    share(type, start);
}

static void put_slots(const Column *c, const void *field, const void *row) {
    (void)c, (void)row;
    put_list("uint8_t", text_of(field), slot_ref);
}

static void put_attrs(const Column *c, const void *field, const void *row) {
    (void)c, (void)row;
    put_list("uint8_t", text_of(field), attr_ref);
}

static void put_insts(const Column *c, const void *field, const void *row) {
    (void)c, (void)row;
    put_list("uint16_t", text_of(field), inst_ref);
}

static void put_sum(const Column *c, const void *field, const void *row) {
    unsigned slots[2] = {0}, across[2] = {0}, k = 0;
    (void)c, (void)row;
    for (const char *s = text_of(field); *s != '\0'; k++) {
        const size_t n = strcspn(s, " "), other = *s == '^';
        if (k == 2) give_up("a sum of more than two slots", inst->name);
        slots[k] = slot_ref(s + other, n - other);
        across[k] = (unsigned)other;
        s = next_word(s, n);
    }
    put("{{%u, %u}, {%u, %u}}", slots[0], slots[1], across[0], across[1]);
}

/* ---- structs ---- */

enum { STRUCT_CAP = 512 };

static bool is_zero(const unsigned char *bytes, size_t n) {
    while (n > 0 && bytes[n - 1] == 0)
        n--;
    return n == 0;
}

static void put_rare(const Column *c, const void *field, const void *row);

/* Writes the columns that have another value than zero, and those for what is rare. A column that
 * is not listed below gives an error where a row uses it. */
static void put_struct(const Struct *s, const void *row) {
    unsigned char rest[STRUCT_CAP];
    unsigned n = 0;
    if (s->size > sizeof rest) give_up("the struct is too large", s->type);
    memcpy(rest, row, s->size);
    for (const Column *c = s->columns; c < s->columns + s->ncolumns; c++) {
        if (c->put != put_rare && is_zero(rest + c->at, c->size)) continue;
        put("%s.%s = ", n++ == 0 ? "{" : ", ", c->name);
        c->put(c, (const char *)row + c->at, row);
        memset(rest + c->at, 0, c->size);
    }
    if (!is_zero(rest, s->size)) give_up("pack_insts.c does not list all columns", s->type);
    put(n == 0 ? "{0}" : "}");
}

static void put_inside(const Column *c, const void *field, const void *row) {
    (void)row;
    put_struct(c->of, field);
}

static void put_rare(const Column *c, const void *field, const void *row) {
    const size_t start = length;
    (void)row;
    put_struct(c->of, field);
    share(c->of->type, start);
}

static void put_array(const Column *c, const void *field, const void *row) {
    const char *at = *(const char *const *)field;
    const size_t n = c->length(row), start = length;
    for (size_t i = 0; i < n; i++) {
        put(i > 0 ? ",\n    " : "");
        put_struct(c->of, at + i * c->of->size);
    }
    share(c->of->type, start);
}

#define COLUMN(T, x, how)                                                                          \
    { #x, offsetof(T, x), sizeof((T *)0)->x, how, NULL, NULL }
#define INSIDE(T, x, s)                                                                            \
    { #x, offsetof(T, x), sizeof((T *)0)->x, put_inside, &s, NULL }
#define ARRAY(T, x, s, n)                                                                          \
    { #x, offsetof(T, x), sizeof((T *)0)->x, put_array, &s, n }
#define RARELY(T, s)                                                                               \
    { "rare", offsetof(T, rare), sizeof((T *)0)->rare, put_rare, &s, NULL }
#define STRUCT(T, list)                                                                            \
    { #T, sizeof(T), sizeof(list) / sizeof *list, list }

static const Column touched_columns[] = {
    COLUMN(Touched, rows, put_sum),      COLUMN(Touched, cols, put_sum),
    COLUMN(Touched, kind, put_number),   COLUMN(Touched, bits, put_number),
    COLUMN(Touched, partly, put_number), COLUMN(Touched, gaps, put_number),
    COLUMN(Touched, unit, put_number),   COLUMN(Touched, span, put_number)};
static const Struct touched = STRUCT(Touched, touched_columns);

static const Column way_columns[] = {
    COLUMN(TouchedWay, given, put_slot), COLUMN(TouchedWay, space, put_number),
    COLUMN(TouchedWay, padded, put_number), INSIDE(TouchedWay, touched, touched)};
static const Struct way = STRUCT(TouchedWay, way_columns);

static size_t ways_of(const void *row) {
    const TouchedWay *ways = ((const SlotRare *)row)->touched_ways;
    size_t n = 0;
    while (ways[n].given != NULL)
        n++;
    return n + 1;
}

static const Column slot_rare_columns[] = {
    COLUMN(SlotRare, clause, put_text),     COLUMN(SlotRare, unless, put_text),
    COLUMN(SlotRare, sample, put_text),     ARRAY(SlotRare, touched_ways, way, ways_of),
    COLUMN(SlotRare, combines, put_attr),   COLUMN(SlotRare, scratch_in_vec, put_number),
    COLUMN(SlotRare, may_skip, put_number), COLUMN(SlotRare, trailing, put_number)};
static const Struct slot_rare = STRUCT(SlotRare, slot_rare_columns);

static const Column slot_columns[] = {
    COLUMN(SlotInfo, name, put_text),    COLUMN(SlotInfo, doc, put_doc),
    RARELY(SlotInfo, slot_rare),         INSIDE(SlotInfo, touched, touched),
    COLUMN(SlotInfo, kind, put_number),  COLUMN(SlotInfo, role, put_number),
    COLUMN(SlotInfo, arity, put_number), COLUMN(SlotInfo, in_outs, put_number)};
static const Struct slot = STRUCT(SlotInfo, slot_columns);

static const Column result_columns[] = {
    COLUMN(ResultInfo, name, put_text), COLUMN(ResultInfo, kind, put_number),
    COLUMN(ResultInfo, rule, put_number), COLUMN(ResultInfo, optional, put_number)};
static const Struct result = STRUCT(ResultInfo, result_columns);

static const Column attr_columns[] = {
    COLUMN(AttrInfo, name, put_text),         COLUMN(AttrInfo, synonym, put_text),
    COLUMN(AttrInfo, doc, put_doc),           COLUMN(AttrInfo, sample, put_doc),
    COLUMN(AttrInfo, absent, put_doc),        COLUMN(AttrInfo, also, put_families),
    COLUMN(AttrInfo, dflt, put_number),       COLUMN(AttrInfo, type, put_number),
    COLUMN(AttrInfo, family, put_number),     COLUMN(AttrInfo, place, put_number),
    COLUMN(AttrInfo, int_bits, put_number),   COLUMN(AttrInfo, required, put_number),
    COLUMN(AttrInfo, one_family, put_number), COLUMN(AttrInfo, full, put_number)};
static const Struct attr = STRUCT(AttrInfo, attr_columns);

static const Column pipe_columns[] = {
    COLUMN(PipeWay, from, put_number),   COLUMN(PipeWay, to, put_number),
    COLUMN(PipeWay, elem, put_number),   COLUMN(PipeWay, pipe, put_number),
    COLUMN(PipeWay, pipe_on, put_bytes), COLUMN(PipeWay, other, put_number),
    COLUMN(PipeWay, with, put_slot)};
static const Struct pipe_way = STRUCT(PipeWay, pipe_columns);

/* The last way holds always. */
static size_t pipe_ways_of(const void *row) {
    const PipeWay *w = ((const InstRare *)row)->pipe_ways;
    size_t n = 0;
    while (w[n].from != SPACE_COUNT || w[n].to != SPACE_COUNT || w[n].elem != ELEM_NONE ||
           w[n].with != NULL)
        n++;
    return n + 1;
}

static const Column phase_columns[] = {
    COLUMN(Phase, kind, put_number), COLUMN(Phase, pipe, put_number),
    COLUMN(Phase, to, put_number),   COLUMN(Phase, events, put_number),
    COLUMN(Phase, reads, put_slots), COLUMN(Phase, writes, put_slots),
    COLUMN(Phase, with, put_slot)};
static const Struct phase = STRUCT(Phase, phase_columns);

static size_t phases_of(const void *row) {
    return ((const PhaseForm *)row)->nphases;
}

static const Column form_columns[] = {
    COLUMN(PhaseForm, profiles, put_number), COLUMN(PhaseForm, when, put_number),
    COLUMN(PhaseForm, to, put_number),       COLUMN(PhaseForm, nphases, put_number),
    COLUMN(PhaseForm, moves, put_slot),      ARRAY(PhaseForm, phases, phase, phases_of)};
static const Struct phase_form = STRUCT(PhaseForm, form_columns);

static void put_ends(const Column *c, const void *field, const void *row) {
    const RegionEnd *e = field;
    (void)c, (void)row;
    put("{{%u, %u, %u}, {%u, %u, %u}}", e[0].by, e[0].to, e[0].before, e[1].by, e[1].to,
        e[1].before);
}

static const Column regions_columns[] = {
    COLUMN(RegionsInfo, runs, put_number),    COLUMN(RegionsInfo, times, put_number),
    COLUMN(RegionsInfo, init, put_number),    COLUMN(RegionsInfo, blocks, put_number),
    COLUMN(RegionsInfo, implied, put_number), COLUMN(RegionsInfo, attrs_first, put_number),
    COLUMN(RegionsInfo, ends, put_ends)};
static const Struct regions_info = STRUCT(RegionsInfo, regions_columns);

static size_t one(const void *row) {
    (void)row;
    return 1;
}
static size_t slots_of(const void *row) {
    return ((const Inst *)row)->nslots;
}
static size_t results_of(const void *row) {
    return ((const Inst *)row)->nresults;
}
static size_t attrs_of(const void *row) {
    return ((const Inst *)row)->nattrs;
}
static size_t forms_of(const void *row) {
    return ((const InstRare *)row)->nforms;
}

static const Column inst_rare_columns[] = {COLUMN(InstRare, generic, put_slots),
                                           COLUMN(InstRare, pipe_of, put_text),
                                           ARRAY(InstRare, pipe_ways, pipe_way, pipe_ways_of),
                                           ARRAY(InstRare, phases, phase_form, forms_of),
                                           COLUMN(InstRare, suffixes, put_attrs),
                                           COLUMN(InstRare, idle, put_text),
                                           COLUMN(InstRare, unwritable, put_text),
                                           COLUMN(InstRare, replacement, put_text),
                                           COLUMN(InstRare, others, put_insts),
                                           COLUMN(InstRare, nforms, put_number)};
static const Struct inst_rare = STRUCT(InstRare, inst_rare_columns);

static const Column inst_columns[] = {COLUMN(Inst, name, put_text),
                                      COLUMN(Inst, summary, put_doc),
                                      COLUMN(Inst, formula, put_doc),
                                      ARRAY(Inst, slots, slot, slots_of),
                                      ARRAY(Inst, results, result, results_of),
                                      ARRAY(Inst, attrs, attr, attrs_of),
                                      ARRAY(Inst, regions, regions_info, one),
                                      COLUMN(Inst, format, put_text),
                                      RARELY(Inst, inst_rare),
                                      COLUMN(Inst, pipe_attr, put_attr),
                                      COLUMN(Inst, in_place, put_slot),
                                      COLUMN(Inst, alias_of, put_inst),
                                      COLUMN(Inst, flags, put_number),
                                      COLUMN(Inst, elementwise, put_number),
                                      COLUMN(Inst, fifo, put_number),
                                      COLUMN(Inst, scratch_on, put_number),
                                      COLUMN(Inst, idle_on, put_number),
                                      COLUMN(Inst, library_scratch, put_number),
                                      COLUMN(Inst, transfer, put_number),
                                      COLUMN(Inst, family, put_number),
                                      COLUMN(Inst, form, put_number),
                                      COLUMN(Inst, nregions, put_number),
                                      COLUMN(Inst, nslots, put_number),
                                      COLUMN(Inst, nresults, put_number),
                                      COLUMN(Inst, nattrs, put_number),
                                      COLUMN(Inst, pipe, put_number),
                                      COLUMN(Inst, pipe_on, put_bytes),
                                      COLUMN(Inst, core, put_number),
                                      COLUMN(Inst, entry, put_number),
                                      COLUMN(Inst, sync, put_number),
                                      COLUMN(Inst, scope, put_number),
                                      COLUMN(Inst, tmp, put_bytes)};
static const Struct inst_struct = STRUCT(Inst, inst_columns);

/* ---- words of formats ---- */

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"

/* Notes the literal words of a format; `$x`, `%x` and `#x` are operands, types, attributes. */
static void note_words(Names *words, const char *format) {
    for (const char *f = format; *f != '\0';) {
        const size_t mark = strspn(f, "$%#"), n = strspn(f + mark, LETTERS "0123456789.-");
        if (mark == 0 && n != 0 && strchr(LETTERS, *f) != NULL) number_of(words, strndup(f, n));
        f += mark + n != 0 ? mark + n : 1;
    }
}

static void put_format_words(void) {
    static Names words = {.n = 1};
    static bool families[EF_COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        const Inst *row = &rows[i].row;
        if (row->format == NULL) continue;
        note_words(&words, row->format);
        for (unsigned a = 0; a < row->nattrs; a++)
            if (row->attrs[a].type == AT_WORD) families[row->attrs[a].family] = true;
    }
    put("const char *const format_words[] = {");
    for (unsigned i = 1; i < words.n; i++)
        put("\"%s\", ", words.list[i]);
    put("NULL};\nconst uint8_t format_families[] = {");
    for (unsigned f = 0; f < EF_COUNT; f++)
        if (families[f]) put("%u, ", f);
    put("EF_COUNT};\n");
}

/* ---- files ---- */

static void put_rows(void) {
    static const Inst none; /* has what is rare, too: nothing */
    put("    [INST_INVALID] = ");
    put_struct(&inst_struct, &none);
    put(",\n");
    for (size_t i = 0; i < COUNT; i++) {
        inst = &rows[i].row;
        put("    [INST_%s] = ", rows[i].id);
        put_struct(&inst_struct, inst);
        put(",\n");
    }
    const char *table = strdup(text);
    length = 0;
    put("/* Made by pack_insts from ir/insts/. */\n#include \"ir/insts.h\"\n"
        "#include \"support/unpack.h\"\n\n");
    put_shared();
    put("\nconst Inst inst_table[INST_COUNT] = {\n%s};\n", table);
    put_names("slot", slots_named);
    put_names("attr", attrs_named);
    put_attr_texts();
    put_format_words();
    put_docs();
}

/* Sets of operands are bits of 32. */
static unsigned most_operands(void) {
    unsigned most = 0;
    for (size_t i = 0; i < COUNT; i++) {
        const unsigned n = rows[i].row.nslots + rows[i].row.nresults;
        if (n > 32) give_up("more than 32 slots and results", rows[i].id);
        if (n > most) most = n;
    }
    return most;
}

static void put_ids(void) {
    put("/* Made by pack_insts from ir/insts/. */\n#ifndef IR_INST_IDS_H\n#define IR_INST_IDS_H\n\n"
        "typedef enum InstId {\n    INST_INVALID,\n");
    for (size_t i = 0; i < COUNT; i++)
        put("    INST_%s,\n", rows[i].id);
    put("    INST_COUNT\n} InstId;\n\n/* The names that slots have in some row. */\n");
    put_enum("OperandName", "OPERAND", &slot_names);
    put("/* Those of attributes, and what attr_names.def has. */\n");
    put_enum("AttrName", "ATTR", &attr_names);
    put("/* The most slots and results of a row. */\nenum { INST_MOST_OPERANDS = %u };\n\n#endif\n",
        most_operands());
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    put_rows();
    write_text(argv[2]);
    put_ids();
    write_text(argv[1]);
    return 0;
}
