/* SPDX-License-Identifier: Apache-2.0 */
/* The TextMate grammar, which Visual Studio Code and others read. */
#include "editors/words.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* ---- expressions ---- */

/* `(?:a|b|c)`, the longest of words with one beginning first; a dot is itself. */
static char *any_of(WordList list) {
    Words w = words_of(list);
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (to == NULL) abort();
    fputs("(?:", to);
    for (size_t i = w.n; i-- > 0;) {
        for (const char *s = w.list[i]; *s != '\0'; s++)
            fprintf(to, *s == '.' ? "\\%c" : "%c", *s);
        fputs(i > 0 ? "|" : ")", to);
    }
    if (fclose(to) != 0) abort();
    words_free(&w);
    return text;
}

static json_t *must(json_t *value) {
    if (value == NULL) abort();
    return value;
}

/* `before`, one of the words, `after`, as an expression. */
static json_t *expression(const char *before, WordList list, const char *after) {
    char *words = any_of(list);
    json_t *value = must(json_sprintf("%s%s%s", before, words, after));
    free(words);
    return value;
}

/* ---- patterns ---- */

static json_t *match(const char *scope, json_t *expr) {
    return must(json_pack("{s:s, s:o}", "name", scope, "match", expr));
}

static json_t *plain(const char *scope, const char *expr) {
    return match(scope, must(json_string(expr)));
}

static json_t *include(const char *name) {
    return must(json_pack("{s:s}", "include", name));
}

#define NAME "[A-Za-z0-9_$.-]+"
/* Words are whole: neither a letter nor a dot goes on. */
#define BEFORE "(?<![\\w$.!#%@^-])"
#define AFTER "(?![\\w$.-])"
#define RESULTS "(?:%" NAME "(?::\\d+)?(?:\\s*,\\s*%" NAME "(?::\\d+)?)*\\s*=\\s*)?"

static json_t *comments(void) {
    return must(json_pack("{s:[o, o, o]}", "patterns",
                          plain("comment.line.double-slash.pto", "//.*$"),
                          plain("comment.line.number-sign.pto", "#(?=\\s|$).*$"),
                          plain("comment.line.semicolon.pto", ";.*$")));
}

static json_t *strings(void) {
    return must(json_pack("{s:[{s:s, s:s, s:s, s:[o]}]}", "patterns", "name",
                          "string.quoted.double.pto", "begin", "\"", "end", "\"|$", "patterns",
                          plain("constant.character.escape.pto", "\\\\.")));
}

/* `pto.tadds` anywhere, also in quotes; `tadds` where a statement begins. */
static json_t *instructions(void) {
    json_t *quoted = expression("(\")(", WORDS_INSTRUCTIONS, ")(\")");
    json_t *shortened = expression("^\\s*" RESULTS "(", WORDS_SHORT, ")(?=\\s|$)");
    return must(json_pack(
        "{s:[{s:o, s:{s:{s:s}}}, o, {s:o, s:{s:{s:s}}}]}", "patterns", "match", quoted, "captures",
        "2", "name", "keyword.operator.instruction.pto",
        match("keyword.operator.instruction.pto", expression(BEFORE, WORDS_INSTRUCTIONS, AFTER)),
        "match", shortened, "captures", "1", "name", "keyword.operator.instruction.pto"));
}

static json_t *names(void) {
    return must(json_pack("{s:[o, o, o]}", "patterns",
                          plain("variable.other.value.pto", "%" NAME "(?:#\\d+)?"),
                          plain("entity.name.function.pto", "@(?:" NAME "|\"[^\"]*\")"),
                          plain("entity.name.label.pto", "\\^" NAME)));
}

static json_t *attributes(void) {
    json_t *begin = expression("#pto(?:\\.", WORDS_FAMILIES, ")?(?=<)<");
    json_t *words = must(
        json_pack("[o, o]", match("constant.language.pto", expression(BEFORE, WORDS_VALUES, AFTER)),
                  match("storage.type.attribute.pto", expression(BEFORE, WORDS_FAMILIES, AFTER))));
    return must(json_pack("{s:[{s:o, s:s, s:{s:{s:s}}, s:o}, o, o]}", "patterns", "begin", begin,
                          "end", ">|$", "beginCaptures", "0", "name", "storage.type.attribute.pto",
                          "patterns", words,
                          match("variable.parameter.attribute.pto",
                                expression("(?<=[{,])\\s*", WORDS_KEYS, "(?=\\s*[=,}])")),
                          plain("storage.type.attribute.pto", "#" NAME)));
}

/* `!pto.tile_buf<..>`: keys and memory spaces are words in it alone. */
static json_t *types(void) {
    json_t *inner = must(json_pack(
        "[o, o, o, o]",
        match("variable.parameter.key.pto", expression(BEFORE, WORDS_TILE_KEYS, "(?=\\s*=)")),
        match("constant.language.space.pto", expression(BEFORE, WORDS_SPACES, AFTER)),
        match("constant.language.pto", expression("(?<==)\\s*", WORDS_VALUES, AFTER)),
        include("#types")));
    return must(json_pack(
        "{s:[{s:o, s:s, s:{s:{s:s}}, s:o}, o, o, o, o]}", "patterns", "begin",
        expression("!?\\bpto\\.", WORDS_TYPES, "(?=<)<"), "end", ">|$", "beginCaptures", "0",
        "name", "support.type.pto", "patterns", inner,
        match("support.type.pto", expression("!pto\\.", WORDS_TYPES, AFTER)),
        match("support.type.element.pto",
              expression("(?<![A-Za-z_$.!#%@^-])", WORDS_ELEMENTS, AFTER)),
        match("support.type.element.pto", expression("(?<=[0-9?]x)", WORDS_ELEMENTS, AFTER)),
        plain("entity.name.type.alias.pto", "!" NAME)));
}

static json_t *numbers(void) {
    return must(json_pack("{s:[o, o]}", "patterns",
                          plain("constant.language.boolean.pto", "\\b(?:true|false|unit)\\b"),
                          plain("constant.numeric.pto",
                                "(?<![\\w$.%#@])-?(?:0x[0-9A-Fa-f]+|\\d+(?:\\.\\d*)?"
                                "(?:[eE][+-]?\\d+)?)")));
}

static json_t *clauses(void) {
    return must(
        json_pack("{s:[o]}", "patterns",
                  match("keyword.control.clause.pto", expression(BEFORE, WORDS_CLAUSES, AFTER))));
}

void write_textmate(FILE *to) {
    json_t *grammar = must(
        json_pack("{s:s, s:s, s:[s], s:[o, o, o, o, o, o, o, o],"
                  " s:{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}}",
                  "name", "PTO", "scopeName", "source.pto", "fileTypes", "pto", "patterns",
                  include("#comments"), include("#instructions"), include("#strings"),
                  include("#attributes"), include("#types"), include("#names"), include("#numbers"),
                  include("#clauses"), "repository", "comments", comments(), "instructions",
                  instructions(), "strings", strings(), "attributes", attributes(), "types",
                  types(), "names", names(), "numbers", numbers(), "clauses", clauses()));
    if (json_dumpf(grammar, to, JSON_INDENT(2)) != 0) abort();
    fputc('\n', to);
    json_decref(grammar);
}
