/* SPDX-License-Identifier: Apache-2.0 */
/* The reports of `ptoasm test`: text, TAP, JUnit XML, JSON. */
#include "cli/test.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

size_t tests_failed(const TestList *list) {
    size_t n = 0;
    for (size_t i = 0; i < list->n; i++)
        n += !list->cases[i].passed;
    return n;
}

/* Says in one line why a case has failed. */
static void put_reason(FILE *to, const TestCase *c) {
    if (c->signal == SIGALRM)
        fprintf(to, "not done after %u s", c->seconds);
    else if (c->signal != 0)
        fprintf(to, "ended by signal %d", c->signal);
    else if (c->code != c->exit)
        fprintf(to, "exit code %d, expected %d", c->code, c->exit);
    else
        fprintf(to, "the output does not contain '%s'", c->message);
}

static void put_lines(const char *text, const char *before) {
    while (*text != '\0') {
        const size_t n = strcspn(text, "\n");
        fputs(before, stdout);
        char *line = utf8_text(text, n, NULL);
        puts(line);
        free(line);
        text += n + (text[n] == '\n');
    }
}

/* ---- text ---- */

static void text_put(const TestCase *c, size_t i, const Options *opt) {
    (void)i;
    if (c->passed && !opt->test.verbose) return;
    printf("%s: %s: %s", c->file, c->name, c->passed ? "passed" : "FAILED, ");
    if (!c->passed) put_reason(stdout, c);
    putchar('\n');
    if (!c->passed) put_lines(c->output, "  ");
}

static void text_end(const TestList *list, const json_t *coverage) {
    const size_t failed = tests_failed(list);
    printf("%zu case%s, %zu failed\n", list->n, list->n == 1 ? "" : "s", failed);
    if (coverage != NULL) coverage_print(coverage, "");
}

/* ---- TAP ---- */

static void tap_begin(size_t n) {
    printf("TAP version 13\n1..%zu\n", n);
}

static void tap_put(const TestCase *c, size_t i, const Options *opt) {
    (void)opt;
    printf("%s %zu - %s: %s\n", c->passed ? "ok" : "not ok", i, c->file, c->name);
    if (c->passed) return;
    fputs("# ", stdout);
    put_reason(stdout, c);
    putchar('\n');
    put_lines(c->output, "# ");
}

static void tap_end(const TestList *list, const json_t *coverage) {
    (void)list;
    if (coverage != NULL) coverage_print(coverage, "# ");
}

/* ---- JUnit ---- */

/* Control characters are not allowed in XML. */
static void put_xml(const char *text) {
    char *valid = utf8_text(text, strlen(text), NULL);
    for (const char *p = valid; *p != '\0'; p++)
        switch (*p) {
        case '<':
            fputs("&lt;", stdout);
            break;
        case '>':
            fputs("&gt;", stdout);
            break;
        case '&':
            fputs("&amp;", stdout);
            break;
        case '"':
            fputs("&quot;", stdout);
            break;
        default:
            putchar((unsigned char)*p < ' ' && *p != '\n' && *p != '\t' ? '?' : *p);
        }
    free(valid);
}

static void junit_case(const TestCase *c) {
    fputs("  <testcase classname=\"", stdout);
    put_xml(c->file);
    fputs("\" name=\"", stdout);
    put_xml(c->name);
    printf("\" time=\"%.3f\"", c->took);
    if (c->passed) {
        puts("/>");
        return;
    }
    MemoryText reason;
    FILE *to = memory_open(&reason);
    if (to == NULL) out_of_memory();
    put_reason(to, c);
    if (!memory_close(to, &reason)) out_of_memory();
    fputs(">\n    <failure message=\"", stdout);
    put_xml(reason.text);
    fputs("\">", stdout);
    put_xml(c->output);
    puts("</failure>\n  </testcase>");
    memory_free(&reason);
}

static void junit_end(const TestList *list, const json_t *coverage) {
    printf("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
           "<testsuite name=\"ptoasm\" tests=\"%zu\" failures=\"%zu\" errors=\"0\">\n",
           list->n, tests_failed(list));
    if (coverage != NULL)
        printf("  <properties><property name=\"coverage\" value=\"%.1f\"/></properties>\n",
               coverage_percent(coverage));
    for (size_t i = 0; i < list->n; i++)
        junit_case(&list->cases[i]);
    puts("</testsuite>");
}

/* ---- JSON ---- */

static json_t *case_json(const TestCase *c) {
    json_t *o = json_object(), *words = json_array();
    for (size_t i = 0; i < c->nwords; i++)
        json_add(words, json_text(c->words[i]));
    json_put(o, "file", json_text(c->file));
    json_put(o, "name", json_text(c->name));
    json_put(o, "passed", json_boolean(c->passed));
    json_put(o, "exit_code", c->code >= 0 ? json_integer(c->code) : json_null());
    json_put(o, "signal", c->signal != 0 ? json_integer(c->signal) : json_null());
    json_put(o, "seconds", json_real(c->took));
    json_put(o, "command", words);
    json_put(o, "output", json_text(c->output));
    return o;
}

static void json_end(const TestList *list, const json_t *coverage) {
    json_t *o = json_object(), *cases = json_array();
    for (size_t i = 0; i < list->n; i++)
        json_add(cases, case_json(&list->cases[i]));
    json_put(o, "failed", json_integer((json_int_t)tests_failed(list)));
    json_put(o, "cases", cases);
    json_put(o, "coverage", coverage != NULL ? json_deep_copy(coverage) : json_null());
    char *text = json_dumps(o, JSON_INDENT(1));
    if (text == NULL) out_of_memory();
    puts(text);
    free(text);
    json_decref(o);
}

const TestFormat test_formats[] = {
    {"text", NULL, text_put, text_end}, {"tap", tap_begin, tap_put, tap_end},
    {"junit", NULL, NULL, junit_end},   {"json", NULL, NULL, json_end},
    {NULL, NULL, NULL, NULL},
};
