/* SPDX-License-Identifier: Apache-2.0 */
/* Orders the values that completion offers for an operand: first those whose type fits. A small
 * program with the statement so far and the type is checked, once for each type. */
#include "cli/lsp/rank.h"

#include "cli/explain.h"
#include "cli/run.h"
#include "support/ascii.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_TYPES = 16, MOST_OPERANDS = 8 };

/* What profiles say of a statement with a type. */
typedef enum Fit { FITS_ALL, FITS_SOME, FITS_NONE } Fit;

typedef struct Judged {
    const char *type;
    Fit fit;
} Judged;

struct Ranking {
    Document *d;
    uint32_t kinds; /* K_ bits of the slot; 0 = any */
    const Inst *inst;
    const char *before; /* text between the name and `outs` */
    size_t nbefore;
    bool judges; /* types of destinations are tried */
    size_t offset;
    ptoasm_definition operands[MOST_OPERANDS]; /* values in `before` */
    unsigned noperands;
    Judged judged[MOST_TYPES];
    unsigned njudged;
};

/* ---- kinds ---- */

/* Returns the kind of types that begin with `!pto.` and this word; TY_NONE for others. */
static TypeKind named_kind(const char *word, size_t n) {
    static const struct {
        const char *name;
        TypeKind kind;
    } names[] = {
#define TYPE_NAME(name, read, kind) {name, kind},
#include "parser/type_names.def"
#undef TYPE_NAME
    };
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strlen(names[i].name) == n && memcmp(names[i].name, word, n) == 0) return names[i].kind;
    return TY_NONE;
}

/* Returns the K_ bits of a type, 0 for one that no operand of a tile instruction has. */
static uint32_t kinds_of(const char *type) {
    static const TypeKind kinds[KIND_COUNT] = {
#define KIND(name, type, text) [KIND_##name] = type,
#include "ir/kinds.def"
#undef KIND
    };
    static const char dialect[] = "!pto.";
    const Elem e = elem_from_text(type, strlen(type));
    if (e != ELEM_NONE) return elem_kinds(e);
    if (strncmp(type, dialect, sizeof dialect - 1) != 0) return K_MEMREF; /* kept as text */
    type += sizeof dialect - 1;
    const TypeKind kind = named_kind(type, strcspn(type, "<"));
    for (unsigned i = 0; i < KIND_COUNT; i++)
        if (kind != TY_NONE && kinds[i] == kind) return 1u << i;
    return kind == TY_TILE_ANY ? K_TILE : 0;
}

/* Returns the slot of an operand; lists hold the inputs, or the destinations, in their order. */
static const SlotInfo *slot_at(const Inst *inst, Clause clause, unsigned operand) {
    for (int i = 0; i < inst->nslots; i++) {
        const bool written = slot_in_outs(&inst->slots[i]);
        if (written != (clause == CLAUSE_OUTS)) continue;
        if (operand-- == 0) return &inst->slots[i];
    }
    return NULL;
}

/* ---- the statement so far ---- */

/* Finds the definition in scope of the name at `s`, the last one with it. */
static bool find_value(const Ranking *r, const char *s, size_t n, ptoasm_definition *out) {
    ptoasm_program *program = document_program(r->d);
    ptoasm_definition def;
    bool found = false;
    for (size_t i = 0; ptoasm_program_definition(program, i, &def); i++) {
        if (def.kind != PTOASM_SYMBOL_VALUE || def.results != 1) continue;
        if (r->offset < def.from || r->offset > def.to) continue;
        if (strlen(def.name) != n || memcmp(def.name, s, n) != 0) continue;
        *out = def;
        found = true;
    }
    return found;
}

static bool is_known(const Ranking *r, const char *s, size_t n) {
    for (unsigned i = 0; i < r->noperands; i++)
        if (strlen(r->operands[i].name) == n && memcmp(r->operands[i].name, s, n) == 0) return true;
    return false;
}

static size_t name_length(const char *s) {
    size_t n = 1;
    while (ascii_is_letter(s[n]) || (s[n] >= '0' && s[n] <= '9') ||
           (s[n] != '\0' && strchr("_$.-", s[n]) != NULL))
        n++;
    return n;
}

/* Collects the values of the inputs; false when one is unknown. */
static bool find_operands(Ranking *r) {
    for (const char *s = r->before; s < r->before + r->nbefore; s++) {
        if (*s != '%') continue;
        const size_t n = name_length(s);
        if (is_known(r, s, n)) continue;
        if (r->noperands == MOST_OPERANDS || !find_value(r, s, n, &r->operands[r->noperands]))
            return false;
        r->noperands++;
    }
    return true;
}

Ranking *ranking_new(Document *d, const Cursor *at, size_t offset) {
    if (at->inst == NULL || at->clause == CLAUSE_NONE || at->inst->form != FORM_TILE) return NULL;
    const SlotInfo *slot = slot_at(at->inst, at->clause, at->operand);
    if (slot == NULL) return NULL;
    Ranking *r = must_alloc(sizeof *r);
    *r = (Ranking){.d = d,
                   .kinds = slot_types[slot->kind].kinds,
                   .inst = at->inst,
                   .before = d->text.data + at->name_end,
                   .nbefore = at->word > at->name_end ? at->word - at->name_end : 0,
                   .offset = offset};
    r->judges = at->clause == CLAUSE_OUTS && at->operand == 0 && r->nbefore > 0 && find_operands(r);
    return r;
}

void ranking_free(Ranking *r) {
    free(r);
}

/* ---- trying a type ---- */

/* Writes the definitions of the aliases in the text of the inputs. */
static void put_aliases(const Ranking *r, StrBuf *out) {
    const char *text = r->d->text.data, *seen[MOST_OPERANDS];
    unsigned nseen = 0;
    for (const char *s = r->before; s < r->before + r->nbefore && nseen < MOST_OPERANDS; s++) {
        ptoasm_symbol alias;
        bool again = false;
        if (*s != '!' ||
            !ptoasm_program_symbol(document_program(r->d), (uint32_t)(s - text), &alias) ||
            alias.kind != PTOASM_SYMBOL_TYPE)
            continue;
        for (unsigned i = 0; i < nseen; i++)
            again |= strcmp(seen[i], alias.name) == 0;
        if (again) continue;
        sb_printf(out, "%s = %s\n", alias.name, alias.meaning);
        seen[nseen++] = alias.name;
    }
}

static void put_program(const Ranking *r, const char *type, StrBuf *out) {
    put_aliases(r, out);
    sb_puts(out, "func.func @f(");
    for (unsigned i = 0; i < r->noperands; i++)
        sb_printf(out, "%s: %s, ", r->operands[i].name, r->operands[i].meaning);
    sb_printf(out, "%%0: %s) {\n  %s", type, r->inst->name);
    sb_add(out, r->before, r->nbefore);
    sb_printf(out, "outs(%%0 : %s)\n  return\n}\n", type);
}

static Fit judge(const Ranking *r, const char *text, size_t size) {
    ptoasm_options options = r->d->project->opt.judge;
    ptoasm_source *src;
    ptoasm_result *res = NULL;
    ptoasm_verdict v;
    uint32_t accepted = 0;
    if (options.profiles == 0) options.profiles = PTOASM_PROFILE_ALL;
    options.profiles &= inst_existing(r->inst);
    options.verdicts = true;
    options.sync = 0;
    if (options.profiles == 0 ||
        ptoasm_source_open("", text, size, PTOASM_SOURCE_BORROW, &src) != PTOASM_OK)
        return FITS_NONE;
    (void)ptoasm_check(src, &options, &res);
    for (size_t i = 0; res != NULL && ptoasm_verdict_at(res, i, &v); i++)
        if (v.kind == PTOASM_VERDICT_FUNCTION && *v.function != '\0') accepted = v.accepted;
    ptoasm_result_free(res);
    ptoasm_source_close(src);
    return accepted == options.profiles ? FITS_ALL : accepted != 0 ? FITS_SOME : FITS_NONE;
}

static Fit try_type(const Ranking *r, const char *type) {
    Arena arena;
    jmp_buf oom;
    StrBuf out;
    memset(&arena, 0, sizeof arena);
    if (setjmp(oom) != 0) out_of_memory();
    arena_init(&arena, &oom);
    sb_init(&out, &arena);
    put_program(r, type, &out);
    const Fit fit = judge(r, sb_text(&out), out.len);
    arena_free(&arena);
    return fit;
}

static Fit fit_of(Ranking *r, const char *type) {
    for (unsigned i = 0; i < r->njudged; i++)
        if (strcmp(r->judged[i].type, type) == 0) return r->judged[i].fit;
    if (r->njudged == MOST_TYPES) return FITS_NONE;
    r->judged[r->njudged] = (Judged){type, try_type(r, type)};
    return r->judged[r->njudged++].fit;
}

unsigned rank_of(Ranking *r, const ptoasm_definition *def) {
    if (r->kinds != 0 && (kinds_of(def->meaning) & r->kinds) == 0) return FITS_NONE + 1;
    return r->judges ? fit_of(r, def->meaning) : FITS_NONE;
}
