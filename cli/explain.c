/* SPDX-License-Identifier: Apache-2.0 */
/* ptoasm explain: explains an instruction, a diagnostic id or a word of the language, from the
 * tables and the pages. */
#include "cli/cli.h"
#include "cli/report_values.h"
#include "cli/topics.h"
#include "ir/foreign.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* ---- names ---- */

typedef enum NameKind { NAME_UNKNOWN, NAME_INST, NAME_DIAG, NAME_FAMILY, NAME_ATTRIBUTE } NameKind;
/* What a name means: a topic, one of the kinds, or both. */
typedef struct Name {
    NameKind kind;
    const Topic *topic;
    const Inst *inst;
    DiagId id;
    Family family;
    const char *attribute;
} Name;

static Name find_name(const char *s, Arena *arena) {
    Name name = {.kind = NAME_UNKNOWN, .topic = topic_find(s, arena)};
    name.inst = inst_find(s, strlen(s));
    if (name.inst != NULL) {
        name.kind = NAME_INST;
        return name;
    }
    name.id = diag_find(s);
    if (name.id != DIAG_COUNT) {
        name.kind = NAME_DIAG;
        return name;
    }
    for (int f = 0; f < FAM_COUNT; f++)
        if (strcmp(family_infos[f].name, s) == 0 && !family_is_empty((Family)f)) {
            name.kind = NAME_FAMILY;
            name.family = (Family)f;
        }
    if (name.kind == NAME_UNKNOWN && name.topic == NULL && attribute_known(s, arena)) {
        name.kind = NAME_ATTRIBUTE;
        name.attribute = s;
    }
    return name;
}

/* All names of instructions, ids, families and topics. */
typedef struct Names {
    const char **at;
    size_t n;
} Names;

static const char *any_name(const void *table, size_t i) {
    return ((const Names *)table)->at[i];
}

static Names all_names(Arena *arena) {
    size_t most = INST_COUNT + DIAG_COUNT + FAM_COUNT;
    for (unsigned i = 0; i < topic_count; i++)
        for (unsigned k = 0; topic_name(&topics[i], k, arena) != NULL; k++)
            most++;
    Names names = {.at = ARENA_ARRAY(arena, const char *, most)};
    for (int i = 1; i < INST_COUNT; i++)
        names.at[names.n++] = inst_table[i].name;
    for (int i = 0; i < DIAG_COUNT; i++)
        names.at[names.n++] = diag_infos[i].text;
    for (int i = 0; i < FAM_COUNT; i++)
        names.at[names.n++] = family_infos[i].name;
    for (unsigned i = 0; i < topic_count; i++) {
        const char *name;
        for (unsigned k = 0; (name = topic_name(&topics[i], k, arena)) != NULL; k++)
            names.at[names.n++] = name;
    }
    return names;
}

/* Returns the shortest name that extends `s` by at most two letters; NULL when there is none. */
static const char *longer_name(const Names *names, const char *s, size_t n) {
    const char *best = NULL;
    for (size_t i = 0; n >= 4 && i < names->n; i++) {
        const char *name = names->at[i];
        size_t len = strlen(name);
        if (strncmp(name, s, n) == 0 && len <= n + 2 && (best == NULL || len < strlen(best)))
            best = name;
    }
    return best;
}

static int composed_name(const char *s, const Composed *composed) {
    if (composed->sample == NULL)
        return trouble("no instruction computes '%s': compose %s with %s", s, composed->formula,
                       composed->insts);
    return trouble("no instruction computes '%s': compose %s with %s; samples/%s is an example", s,
                   composed->formula, composed->insts, composed->sample);
}

static int unknown_name(const char *s, Arena *arena) {
    size_t n = strlen(s);
    const Composed composed = composed_find(s, n);
    if (composed.name != NULL) return composed_name(s, &composed);
    const Names names = all_names(arena);
    const char *near = longer_name(&names, s, n);
    if (near == NULL) near = foreign_find(s, n).inst;
    if (near == NULL) near = nearest_name(s, n, names.n, any_name, &names);
    if (near == NULL) near = inst_nearest(s, n);
    if (near != NULL) return trouble("'%s' is not known; did you mean '%s'?", s, near);
    return trouble("'%s' is not an instruction, diagnostic id or topic; see --list and --search",
                   s);
}

/* ---- output ---- */

static int write_text(StrBuf *out) {
    fwrite(sb_text(out), 1, out->len, stdout);
    return fflush(stdout) == 0 ? FINE : trouble("cannot write '<stdout>': %s", strerror(errno));
}

/* Explains a name. JSON is a single object, so an instruction, id or family hides a topic of the
 * same name. */
static void explain_name(StrBuf *out, const Name *name, bool json, Arena *arena) {
    const Page page = {.out = out};
    if (name->topic != NULL && (!json || name->kind == NAME_UNKNOWN)) {
        if (json)
            json_topic(out, name->topic, arena);
        else
            topic_print(out, name->topic, arena);
        if (name->kind == NAME_UNKNOWN) return;
        sb_putc(out, '\n');
    }
    switch (name->kind) {
    case NAME_INST:
        if (json)
            json_inst(out, name->inst, arena);
        else
            page_inst(&page, name->inst, arena);
        break;
    case NAME_DIAG:
        if (json)
            json_diag(out, name->id, arena);
        else
            page_diag(&page, name->id, arena);
        break;
    case NAME_ATTRIBUTE:
        if (json)
            json_attribute(out, name->attribute, arena);
        else
            attribute_print(out, name->attribute, arena);
        break;
    default:
        if (json)
            json_family(out, name->family);
        else
            page_family(&page, name->family, arena);
    }
}

static int explain_names(const Options *opt, Arena *arena) {
    StrBuf out;
    sb_init(&out, arena);
    for (int i = 0; i < opt->nargs; i++) {
        const char *s = opt->args[i];
        size_t n = strlen(s);
        /* An id may be in brackets, as diagnostics print it. */
        if (n > 2 && s[0] == '[' && s[n - 1] == ']') s = arena_strndup(arena, s + 1, n - 2);
        Name name = find_name(s, arena);
        if (name.kind == NAME_UNKNOWN && name.topic == NULL) return unknown_name(s, arena);
        if (i > 0) sb_putc(&out, '\n');
        explain_name(&out, &name, opt->json, arena);
    }
    return write_text(&out);
}

static int list_names(const Options *opt, Arena *arena) {
    StrBuf out;
    sb_init(&out, arena);
    if (opt->json)
        json_list(&out, arena);
    else
        page_list(&out, arena);
    return write_text(&out);
}

static int search_words(const Options *opt, Arena *arena) {
    StrBuf out;
    const char **words = ARENA_ARRAY(arena, const char *, (size_t)opt->nargs + 1);
    words[0] = opt->explain.search;
    for (int i = 0; i < opt->nargs; i++)
        words[i + 1] = opt->args[i];
    sb_init(&out, arena);
    if (search_all(&out, words, opt->nargs + 1, arena) == 0)
        return trouble("nothing mentions '%s'%s", opt->explain.search,
                       opt->nargs > 0 ? " and all of the others" : "");
    return write_text(&out);
}

/* ---- the pages ---- */

static int make_folder(const char *path) {
    if (mkdir(path, 0777) == 0 || errno == EEXIST) return FINE;
    return trouble("cannot make '%s': %s", path, strerror(errno));
}

static int write_page(const char *path, StrBuf *out) {
    while (out->len > 1 && out->data[out->len - 1] == '\n' && out->data[out->len - 2] == '\n')
        out->data[--out->len] = '\0';
    return output_file(path, sb_text(out), out->len);
}

/* Writes isa/README.md, a page per family, and diagnostics.md. */
static int write_pages(const char *folder, Arena *arena) {
    const char *isa = arena_printf(arena, "%s/isa", folder);
    int rc = make_folder(folder);
    if (rc == FINE) rc = make_folder(isa);
    for (int f = -2; f < FAM_COUNT && rc == FINE; f++) {
        StrBuf out;
        sb_init(&out, arena);
        const Page page = {.out = &out, .markdown = true};
        if (f == -2) {
            page_index(&page, arena);
            rc = write_page(arena_printf(arena, "%s/README.md", isa), &out);
        } else if (f == -1) {
            page_diags(&page, arena);
            rc = write_page(arena_printf(arena, "%s/diagnostics.md", folder), &out);
        } else if (!family_is_empty((Family)f)) {
            page_family(&page, (Family)f, arena);
            rc = write_page(arena_printf(arena, "%s/%s.md", isa, family_infos[f].name), &out);
        }
    }
    return rc;
}

/* ---- the command ---- */

static int run_with(const Options *opt, Arena *arena) {
    if (opt->explain.pages != NULL) return write_pages(opt->explain.pages, arena);
    if (opt->list) return list_names(opt, arena);
    if (opt->explain.search != NULL) return search_words(opt, arena);
    if (opt->nargs == 0) return usage_error(&explain_command, "no name given");
    if (opt->json && opt->nargs > 1)
        return usage_error(&explain_command, "--format=json takes one name");
    return explain_names(opt, arena);
}

static int run(Options *opt) {
    Arena arena;
    jmp_buf oom;
    memset(&arena, 0, sizeof arena);
    arena_init(&arena, &oom);
    if (opt->json) json_prepare();
    int rc = setjmp(oom) == 0 ? run_with(opt, &arena) : trouble("out of memory");
    arena_free(&arena);
    return rc;
}

static bool set_list(Options *opt, const char *value) {
    (void)value;
    return opt->list = true;
}

static bool set_search(Options *opt, const char *value) {
    opt->explain.search = value;
    return *value != '\0';
}

static bool set_pages(Options *opt, const char *value) {
    opt->explain.pages = value;
    return *value != '\0';
}

static const OptionRow rows[] = {
    {"list", 0, NULL, "list every topic, instruction and diagnostic id", NULL, set_list},
    {"search", 0, "WORD", "list what mentions WORD, and all further words", "a word", set_search},
    {"format", 0, "F", "text or json (default text)", "text or json", set_json},
    {"pages", 0, "FOLDER", "write the reference as Markdown files into FOLDER", "a folder name",
     set_pages},
    OPTION_COMMON,
};

const Command explain_command = {
    .name = "explain",
    .usage = "[OPTION]... NAME...",
    .summary = "Explains instructions, words of the language, and diagnostic ids.",
    .details = "NAME is an instruction (pto.tadds, or tadds), a family of them, a topic (layout,\n"
               "tile_buf, vec, level), an attribute or an enumeration of its values (rmode,\n"
               "round_mode), or the id in brackets at the end of a message.\n",
    .rows = rows,
    .examples = "  ptoasm explain tadds\n"
                "  ptoasm explain layout\n"
                "  ptoasm explain --search row maximum\n"
                "  ptoasm explain valid-mismatch\n"
                "  ptoasm explain --list --format=json\n",
    .run = run,
};
