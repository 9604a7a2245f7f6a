/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the pages of `ptoasm explain`, docs/isa and docs/diagnostics.md: plain text or Markdown.
 */
#include "cli/topics.h"

#include "backends/c/emit.h"
#include "support/ascii.h"
#include "verifier/rules/keep_apart.h"
#include <string.h>

/* ---- the two styles ---- */

enum { WIDTH = 96 };

void put_wrapped(StrBuf *out, const char *text, size_t indent) {
    size_t col = 0;
    while (*text != '\0') {
        size_t n = strcspn(text, " ");
        if (col > 0 && col + 1 + n > WIDTH) {
            sb_putc(out, '\n');
            col = 0;
        }
        if (col == 0) {
            sb_pad(out, ' ', indent);
            col = indent;
        } else {
            sb_putc(out, ' ');
            col++;
        }
        sb_add(out, text, n);
        col += n;
        text += n + strspn(text + n, " ");
    }
    sb_putc(out, '\n');
}

/* Writes Markdown text with its special characters escaped. */
static void put_escaped(StrBuf *out, const char *s) {
    for (; *s != '\0'; s++) {
        if (strchr("|<>*_[]", *s) != NULL) sb_putc(out, '\\');
        sb_putc(out, *s);
    }
}

static void page_title(const Page *p, int level, const char *name, const char *summary) {
    if (p->markdown) {
        sb_pad(p->out, '#', (size_t)level);
        sb_printf(p->out, " %s\n\n", name);
        put_escaped(p->out, summary);
        sb_puts(p->out, "\n\n");
    } else {
        sb_printf(p->out, "%s: %s\n", name, summary);
    }
}

static void page_section(const Page *p, const char *name) {
    sb_printf(p->out, p->markdown ? "**%s**\n\n" : "\n%s\n", name);
}

static void page_para(const Page *p, const char *text) {
    if (p->markdown) {
        put_escaped(p->out, text);
        sb_puts(p->out, "\n\n");
    } else {
        put_wrapped(p->out, text, 2);
    }
}

/* Writes a paragraph that starts with a label. */
static void page_labelled(const Page *p, Arena *arena, const char *label, const char *text) {
    if (p->markdown) {
        sb_printf(p->out, "**%s**: ", label);
        page_para(p, text);
    } else {
        page_para(p, arena_printf(arena, "%s: %s", label, text));
    }
}

static void page_code(const Page *p, const char *text) {
    if (p->markdown) {
        sb_printf(p->out, "```\n%s", text);
        if (*text != '\0' && text[strlen(text) - 1] != '\n') sb_putc(p->out, '\n');
        sb_puts(p->out, "```\n\n");
        return;
    }
    while (*text != '\0') {
        size_t n = strcspn(text, "\n");
        sb_printf(p->out, "  %.*s\n", (int)n, text);
        text += n + (text[n] == '\n');
    }
}

/* ---- tables ---- */

typedef struct Table {
    Arena *arena;
    unsigned ncols, nrows, cap;
    const char *const *heads;
    unsigned code; /* bit set of columns that are code in Markdown */
    bool headed;   /* print the heads on the terminal too */
    const char **cells;
} Table;

static void table_add(Table *t, const char *const *cells) {
    if (t->nrows == t->cap) {
        unsigned cap = t->cap == 0 ? 16 : t->cap * 2;
        const char **bigger = ARENA_ARRAY(t->arena, const char *, cap * t->ncols);
        if (t->cells != NULL)
            memcpy(bigger, t->cells, (size_t)t->nrows * t->ncols * sizeof *bigger);
        t->cells = bigger;
        t->cap = cap;
    }
    for (unsigned i = 0; i < t->ncols; i++)
        t->cells[t->nrows * t->ncols + i] = cells[i] != NULL ? cells[i] : "";
    t->nrows++;
}

static bool column_is_empty(const Table *t, unsigned col) {
    for (unsigned r = 0; r < t->nrows; r++)
        if (t->cells[r * t->ncols + col][0] != '\0') return false;
    return true;
}

static void put_markdown_row(const Page *p, const Table *t, const char *const *cells, bool head) {
    for (unsigned c = 0; c < t->ncols; c++) {
        if (column_is_empty(t, c)) continue;
        bool code = !head && (t->code >> c & 1) != 0 && cells[c][0] != '\0';
        sb_puts(p->out, code ? "| `" : "| ");
        if (code)
            sb_puts(p->out, cells[c]);
        else
            put_escaped(p->out, cells[c]);
        sb_puts(p->out, code ? "` " : " ");
    }
    sb_puts(p->out, "|\n");
}

static void put_markdown_table(const Page *p, const Table *t) {
    put_markdown_row(p, t, t->heads, true);
    for (unsigned c = 0; c < t->ncols; c++)
        if (!column_is_empty(t, c)) sb_puts(p->out, "|---");
    sb_puts(p->out, "|\n");
    for (unsigned r = 0; r < t->nrows; r++)
        put_markdown_row(p, t, &t->cells[r * t->ncols], false);
    sb_putc(p->out, '\n');
}

/* Aligns columns; cells wider than 72 do not count for the width. */
static void put_plain_table(const Page *p, const Table *t) {
    size_t *width = ARENA_ARRAY(t->arena, size_t, t->ncols);
    for (unsigned r = 0; r < t->nrows; r++)
        for (unsigned c = 0; c < t->ncols; c++) {
            size_t n = strlen(t->cells[r * t->ncols + c]);
            if (n > width[c] && n <= 72) width[c] = n;
        }
    for (unsigned c = 0; c < t->ncols && t->headed; c++)
        if (strlen(t->heads[c]) > width[c]) width[c] = strlen(t->heads[c]);
    for (unsigned r = t->headed ? 0 : 1; r <= t->nrows; r++) {
        size_t pad = 2;
        for (unsigned c = 0; c < t->ncols; c++) {
            const char *cell = r == 0 ? t->heads[c] : t->cells[(r - 1) * t->ncols + c];
            size_t n = strlen(cell);
            if (*cell != '\0') {
                sb_pad(p->out, ' ', pad);
                sb_puts(p->out, cell);
                pad = 0;
            }
            size_t room = width[c] == 0 ? 0 : width[c] + 2;
            pad += *cell == '\0' ? room : room > n ? room - n : 2;
        }
        sb_putc(p->out, '\n');
    }
}

static void page_table(const Page *p, const Table *t) {
    if (t->nrows == 0) return;
    if (p->markdown)
        put_markdown_table(p, t);
    else
        put_plain_table(p, t);
}

/* ---- an instruction ---- */

static void put_notes(const Page *p, const InstFacts *f) {
    const Inst *inst = f->inst;
    Arena *a = f->arena;
    const char *name = inst->name;
    if (strcmp(f->name, name) != 0)
        page_para(p,
                  arena_printf(a, "%s is another spelling of %s, which follows.", f->name, name));
    if ((inst->flags & IF_DEPRECATED) != 0)
        page_para(p, inst->rare->replacement != NULL
                         ? arena_printf(a, "An older spelling; the newer one is %s.",
                                        inst->rare->replacement)
                         : "An older spelling.");
    if ((inst->flags & IF_NOT_PTOAS) != 0)
        page_para(p, "The vendor's assembler 0.60 does not know it.");
    if (f->profiles != PROFILES_ALL)
        page_para(p, arena_printf(a, "Exists on %s only.", profiles_text(a, f->profiles)));
}

static void put_syntax(const Page *p, const InstFacts *f) {
    OpForm forms[4];
    unsigned n = inst_forms(f->inst, forms);
    const bool optional = has_optional(f->inst);
    const char *all = NULL;
    StrBuf out;
    sb_init(&out, f->arena);
    for (unsigned i = 0; i < n; i++) {
        const char *text = syntax_text(f, forms[i], false);
        if (text == NULL) continue;
        const char *name = f->inst->form == FORM_TILE || forms[i] == OPF_GENERIC
                               ? form_text(forms[i])
                               : "statement";
        sb_printf(&out, "%-9s %s\n", name, text);
        if (i == 0 && optional) all = syntax_text(f, forms[i], true);
        if (i == 0 && all != NULL) sb_printf(&out, "%-9s %s\n", "all", all);
    }
    if (out.len == 0) return;
    page_section(p, "Syntax");
    page_code(p, sb_text(&out));
    if (all != NULL)
        page_para(p, inst_has_clauses(f->inst)
                         ? "`all`: with every clause; what is in brackets may be left out."
                         : "`all`: with every optional operand, which need not go together.");
    else if (optional)
        page_para(p, "The statement has every optional operand.");
}

static const char *operand_doc(const InstFacts *f, const SlotInfo *s) {
    if (s->rare->clause == NULL || strcmp(s->rare->clause, ",") == 0) return inst_doc(s->doc);
    return arena_printf(f->arena, "after the word %s%s%s", s->rare->clause, s->doc != 0 ? "; " : "",
                        s->doc != 0 ? inst_doc(s->doc) : "");
}

static void put_operands(const Page *p, const InstFacts *f) {
    static const char *const heads[] = {"operand", "role", "number", "kind", "elements", "note"};
    Table t = {.arena = f->arena, .ncols = 6, .heads = heads, .code = 1};
    const Inst *inst = f->inst;
    for (int i = 0; i < inst->nslots; i++) {
        const SlotInfo *s = &inst->slots[i];
        table_add(&t, (const char *const[]){s->name, role_text(s), arity_text(s),
                                            slot_types[s->kind].text, touched_text(f, s),
                                            operand_doc(f, s)});
    }
    for (int i = 0; i < inst->nresults; i++)
        table_add(&t, (const char *const[]){inst->results[i].name, "result",
                                            (inst->flags & IF_OPT_RESULT) != 0 ||
                                                    inst->results[i].optional
                                                ? "optional"
                                                : NULL,
                                            slot_types[inst->results[i].kind].text, NULL, NULL});
    if (t.nrows == 0) return;
    page_section(p, "Operands");
    page_table(p, &t);
}

static void put_attributes(const Page *p, const InstFacts *f) {
    static const char *const heads[] = {"attribute", "values", "default", "also written", "note"};
    Table t = {.arena = f->arena, .ncols = 5, .heads = heads, .code = 1};
    const Inst *inst = f->inst;
    for (int i = 0; i < inst->nattrs; i++) {
        const AttrInfo *a = &inst->attrs[i];
        const char *dflt = attr_default_text(f->arena, a);
        table_add(&t, (const char *const[]){
                          a->name, attr_written_text(f->arena, inst, a),
                          a->required    ? "required"
                          : dflt != NULL ? arena_printf(f->arena, "default %s", dflt)
                                         : NULL,
                          a->synonym != NULL ? arena_printf(f->arena, "also %s", a->synonym) : NULL,
                          inst_doc(a->doc)});
    }
    if (t.nrows == 0) return;
    page_section(p, "Attributes");
    page_table(p, &t);
}

/* Returns one text for all profiles, else a text per profile. */
static const char *by_profile(const InstFacts *f, const char *(*text)(const Inst *, Profile)) {
    StrBuf out;
    const char *first = text(f->inst, PROFILE_CPU);
    bool same = true, some = false;
    sb_init(&out, f->arena);
    for (int q = 0; q < PROFILE_COUNT; q++) {
        const char *s = text(f->inst, (Profile)q);
        same &= s == first;
        some |= s != NULL;
        sb_printf(&out, "%s%s: %s", q > 0 ? "; " : "", profile_names[q], s != NULL ? s : "none");
    }
    return !some ? NULL : same ? first : sb_text(&out);
}

/* The calls on a device are shown once if they are the same on every one that has the instruction.
 */
static void put_calls(Table *t, const InstFacts *f) {
    const char *first = NULL;
    bool same = true;
    for (int p = 0; p < PROFILE_COUNT; p++) {
        const char *call = device_call(f, (Profile)p);
        if (first == NULL) first = call;
        same &= !profile_infos[p].chip || (call != NULL && strcmp(call, first) == 0);
    }
    if (first != NULL && same) table_add(t, (const char *const[]){"vendor call", first});
    for (int p = 0; p < PROFILE_COUNT && !same; p++)
        if (device_call(f, (Profile)p) != NULL)
            table_add(t, (const char *const[]){
                             arena_printf(f->arena, "vendor call (%s)", profile_names[p]),
                             device_call(f, (Profile)p)});
}

static void put_facts(const Page *p, const InstFacts *f) {
    static const char *const heads[] = {"property", "value"};
    Table t = {.arena = f->arena, .ncols = 2, .heads = heads};
    const Inst *inst = f->inst;
    const char *pipe = by_profile(f, pipe_text), *tmp = by_profile(f, tmp_text);
    if (!p->markdown) /* in Markdown the page is the family's */
        table_add(&t, (const char *const[]){"family", family_infos[inst->family].name});
    if (pipe != NULL) table_add(&t, (const char *const[]){"pipe", pipe});
    for (unsigned i = 0; i < inst->rare->nforms; i++)
        table_add(&t, (const char *const[]){
                          arena_printf(f->arena, "phases (%s)",
                                       phases_case_text(f->arena, &inst->rare->phases[i])),
                          phases_text(f, &inst->rare->phases[i])});
    if (core_text(inst) != NULL) table_add(&t, (const char *const[]){"core", core_text(inst)});
    if (tmp != NULL) table_add(&t, (const char *const[]){"planned tmp", tmp});
    Apart pairs[MOST_APART];
    unsigned npairs = inst_apart(inst, pairs);
    for (unsigned i = 0; i < npairs; i++) {
        const char *a = inst->slots[pairs[i].a].name, *b = inst->slots[pairs[i].b].name;
        table_add(&t, (const char *const[]){
                          "no overlap", arena_printf(f->arena, "%s and %s (%s)", a, b,
                                                     profiles_text(f->arena, pairs[i].profiles))});
    }
    if (inst->in_place != 0)
        table_add(&t, (const char *const[]){"one tile",
                                            arena_printf(f->arena, "%s and dst",
                                                         inst->slots[inst->in_place - 1].name)});
    put_calls(&t, f);
    if (inst->library_scratch > 0)
        table_add(&t, (const char *const[]){"the call uses",
                                            arena_printf(f->arena, "vec 0 to %u, for itself",
                                                         inst->library_scratch - 1u)});
    table_add(&t, (const char *const[]){"emitted as C", code_text(f)});
    if (inst->rare->idle != NULL)
        table_add(&t, (const char *const[]){"no effect", inst->rare->idle});
    if (f->spellings != NULL) table_add(&t, (const char *const[]){"also written", f->spellings});
    page_section(p, "Properties");
    page_table(p, &t);
}

/* Explains what cpu accepts, where the profiles differ. */
static void put_cpu_note(const Page *p, const InstFacts *f, const RuleFact *rules, unsigned n) {
    bool differ = false;
    for (unsigned i = 0; i < n; i++)
        differ |= strcmp(where_text(f, rules[i].where), "all") != 0;
    if (!differ || (f->profiles & PROFILE_BIT(PROFILE_CPU)) == 0) return;
    StrBuf out;
    sb_init(&out, f->arena);
    sb_puts(&out, "cpu accepts what satisfies ");
    if (f->has_cpu_rules) sb_puts(&out, "all its own rules");
    const ProfileSet others = profile_judges(PROFILE_CPU) & (ProfileSet)~PROFILE_BIT(PROFILE_CPU);
    for (ProfileSet left = others; left != 0; left &= (ProfileSet)(left - 1)) {
        const bool first = left == others, last = (left & (left - 1)) == 0;
        if (f->has_cpu_rules)
            sb_printf(&out, "%sall of ", last ? ", or " : ", ");
        else
            sb_printf(&out, "%sall rules of ", first ? "" : last ? " or " : ", ");
        sb_puts(&out, profile_names[__builtin_ctz(left)]);
    }
    sb_puts(&out, "; what only the vendor's library demands does not count there.");
    page_para(p, sb_text(&out));
}

static void put_types(const Page *p, const InstFacts *f) {
    static const char *const heads[] = {"operand", "profiles", "element types", "locations",
                                        "layouts"};
    unsigned n;
    const TypeFact *types = type_facts(f, &n);
    Table t = {.arena = f->arena, .ncols = 5, .heads = heads, .code = 1, .headed = true};
    bool guarded = false;
    for (unsigned i = 0; i < n; i++) {
        guarded |= types[i].guarded;
        table_add(&t, (const char *const[]){types[i].operand, where_text(f, types[i].where),
                                            arena_printf(f->arena, "%s%s",
                                                         elems_text(f->arena, types[i].elems),
                                                         types[i].guarded ? " (1)" : ""),
                                            spaces_text(f->arena, types[i].spaces),
                                            layouts_text(f->arena, types[i].layouts)});
    }
    if (t.nrows == 0) return;
    page_section(p, "Tiles by profile");
    page_table(p, &t);
    if (guarded) page_para(p, "(1) further rules count under conditions, see below");
}

static void put_rules(const Page *p, const InstFacts *f) {
    static const char *const heads[] = {"about", "profiles", "id", "demand"};
    unsigned n;
    const RuleFact *rules = rule_facts(f, &n);
    Table t = {.arena = f->arena, .ncols = 4, .heads = heads};
    for (unsigned i = 0; i < n; i++) {
        bool first = i == 0 || rules[i].topic != rules[i - 1].topic;
        const char *mode = rule_mode_text((RuleWhen)rules[i].row->when);
        const char *demand = rules[i].text;
        if (mode != NULL) demand = arena_printf(f->arena, "%s (%s)", demand, mode);
        table_add(&t, (const char *const[]){first ? topic_names[rules[i].topic] : NULL,
                                            where_text(f, rules[i].where),
                                            diag_infos[rules[i].row->id].text, demand});
    }
    if (t.nrows == 0) return;
    page_section(p, "Rules by profile");
    page_table(p, &t);
    put_cpu_note(p, f, rules, n);
}

static void put_example(const Page *p, const InstFacts *f) {
    if (!f->has_example) return;
    page_section(p, arena_printf(f->arena, "Example (%s)", profile_names[f->example.profile]));
    page_code(p, example_text(f));
}

static void put_formula(const Page *p, const InstFacts *f) {
    if (f->inst->formula == 0) return;
    if (!p->markdown) sb_putc(p->out, '\n');
    page_code(p, inst_doc(f->inst->formula));
}

void page_inst(const Page *p, const Inst *inst, Arena *arena) {
    InstFacts f;
    inst_facts(&f, inst, arena);
    page_title(p, 2, inst->name, inst_doc(f.inst->summary));
    put_notes(p, &f);
    if (p->markdown && f.inst != inst) return; /* Markdown has it under its own name */
    put_formula(p, &f);
    put_example(p, &f);
    put_syntax(p, &f);
    put_operands(p, &f);
    put_attributes(p, &f);
    put_facts(p, &f);
    put_types(p, &f);
    put_rules(p, &f);
}

void page_inst_use(const Page *p, const Inst *inst, Arena *arena) {
    InstFacts f;
    inst_facts(&f, inst, arena);
    page_title(p, 3, inst->name, inst_doc(f.inst->summary));
    put_notes(p, &f);
    put_formula(p, &f);
    put_syntax(p, &f);
    put_operands(p, &f);
    put_attributes(p, &f);
    put_types(p, &f);
}

/* ---- a diagnostic ---- */

static const char *inst_list(Arena *arena, const Inst **list, unsigned n) {
    StrBuf out;
    sb_init(&out, arena);
    for (unsigned i = 0; i < n; i++) {
        sb_puts(&out, i > 0 ? ", " : "");
        sb_puts(&out, list[i]->name);
    }
    return sb_text(&out);
}

enum { NAMED_ON_PAGE = 40 };

static void put_reporting(const Page *p, DiagId id, Arena *arena) {
    unsigned n;
    const Inst **list = inst_reporting(id, arena, &n);
    const char *text =
        n == 0 ? "no rule of an instruction; it is about the text, its types or the program"
        : p->markdown && n > NAMED_ON_PAGE
            ? arena_printf(arena, "%u instructions; their rules are on the pages of isa/", n)
            : inst_list(arena, list, n);
    page_labelled(p, arena, "Reported by", text);
}

void page_diag_help(const Page *p, DiagId id, Arena *arena) {
    const DiagDoc d = diag_doc(id);
    page_para(p, d.meaning);
    page_labelled(p, arena, "Why", d.why);
    page_labelled(p, arena, "How to fix it", d.fix);
    page_labelled(p, arena, "From", arena_printf(arena, "%s (%s)", d.page, severity_text(id)));
}

void page_diag(const Page *p, DiagId id, Arena *arena) {
    page_title(p, 2, diag_infos[id].text, diag_summary(id));
    if (!p->markdown) sb_putc(p->out, '\n');
    page_diag_help(p, id, arena);
    put_reporting(p, id, arena);
}

/* ---- lists ---- */

bool family_is_empty(Family family) {
    for (int i = 1; i < INST_COUNT; i++)
        if (inst_table[i].family == family) return false;
    return true;
}

static const char *short_summary(const Inst *inst) {
    return inst->summary != 0 ? inst_doc(inst->summary) : "";
}

/* Returns the anchor that Markdown viewers make of a heading: lower case, without dots. */
static const char *anchor(Arena *arena, const char *name) {
    char *s = arena_strndup(arena, name, strlen(name)), *to = s;
    for (const char *from = s; *from != '\0'; from++)
        if (*from != '.') *to++ = ascii_lower(*from);
    *to = '\0';
    return s;
}

void page_family(const Page *p, Family family, Arena *arena) {
    page_title(p, 1, family_infos[family].name, family_infos[family].summary);
    if (p->markdown)
        sb_puts(p->out, "This page is made from the tables by `tests/docs/update`. "
                        "The ids are explained in [diagnostics](../diagnostics.md).\n\n");
    for (int i = 1; i < INST_COUNT; i++) {
        const Inst *inst = &inst_table[i];
        if (inst->family != family) continue;
        if (p->markdown) {
            sb_printf(p->out, "- [%s](#%s): ", inst->name, anchor(arena, inst->name));
            put_escaped(p->out, short_summary(inst));
            sb_putc(p->out, '\n');
        } else {
            sb_printf(p->out, "  %-28s %s\n", inst->name, short_summary(inst));
        }
    }
    if (!p->markdown) return;
    sb_putc(p->out, '\n');
    for (int i = 1; i < INST_COUNT; i++)
        if (inst_table[i].family == family) page_inst(p, &inst_table[i], arena);
}

void page_index(const Page *p, Arena *arena) {
    page_title(p, 1, "The instructions",
               "One page for each family; `ptoasm explain NAME` prints the same.");
    for (int f = 0; f < FAM_COUNT; f++) {
        unsigned n = 0;
        if (family_is_empty((Family)f)) continue;
        sb_printf(p->out, "**[%s](%s.md)**: %s ", family_infos[f].name, family_infos[f].name,
                  family_infos[f].summary);
        for (int i = 1; i < INST_COUNT; i++) {
            if (inst_table[i].family != f) continue;
            sb_puts(p->out, n++ > 0 ? ", " : "");
            sb_printf(p->out, "[%s](%s.md#%s)", inst_table[i].name, family_infos[f].name,
                      anchor(arena, inst_table[i].name));
        }
        sb_puts(p->out, "\n\n");
    }
}

void page_diags(const Page *p, Arena *arena) {
    page_title(p, 1, "The diagnostics",
               "Every message ends with an id in brackets, which names a condition and is stable.");
    sb_puts(p->out, "This page is made from the tables by `tests/docs/update`; "
                    "`ptoasm explain ID` prints the same.\n\n");
    for (int i = 0; i < DIAG_COUNT; i++)
        sb_printf(p->out, "%s[%s](#%s)", i > 0 ? ", " : "", diag_infos[i].text, diag_infos[i].text);
    sb_puts(p->out, "\n\n");
    for (int i = 0; i < DIAG_COUNT; i++)
        page_diag(p, (DiagId)i, arena);
}

void page_list(StrBuf *out, Arena *arena) {
    sb_puts(out, "topics\n");
    for (unsigned i = 0; i < topic_count; i++)
        sb_printf(out, "  %-32s %s\n", topic_name(&topics[i], 0, arena),
                  topic_title(&topics[i], arena));
    for (int f = 0; f < FAM_COUNT; f++) {
        if (family_is_empty((Family)f)) continue;
        sb_printf(out, "%s%s: %s\n", out->len > 0 ? "\n" : "", family_infos[f].name,
                  family_infos[f].summary);
        for (int i = 1; i < INST_COUNT; i++)
            if (inst_table[i].family == f)
                sb_printf(out, "  %-32s %s\n", inst_table[i].name, short_summary(&inst_table[i]));
    }
    sb_puts(out, "\ndiagnostics\n");
    for (int i = 0; i < DIAG_COUNT; i++)
        sb_printf(out, "  %-32s %s\n", diag_infos[i].text, diag_summary((DiagId)i));
}
