/* SPDX-License-Identifier: Apache-2.0 */
/* Inlay hints: what the statements of a line cost on the chip, for the arguments of the setting
 * `time`; and what the last run with --shadow found of them. */
#include "cli/lsp/lsp.h"
#include "cli/timed.h"

#include <stdlib.h>
#include <string.h>

/* ---- arguments ---- */

/* Splits a copy of the setting at blanks; the caller frees both. */
static const char **split(char *text, size_t *n) {
    const char **words = must_alloc((strlen(text) / 2 + 2) * sizeof *words);
    *n = 0;
    for (char *at = strtok(text, " \t"); at != NULL; at = strtok(NULL, " \t"))
        words[(*n)++] = at;
    return words;
}

static bool take_params(TimingRequest *q, Profile profile, void *arg) {
    (void)arg;
    params_init(&q->params, profile, LAW_DEVICE);
    return true;
}

/* ---- hints ---- */

typedef struct Hints {
    Listing in;
    const Timing *timing; /* NULL: without cycles */
} Hints;

static void add_hint(const Hints *h, size_t end, const char *label) {
    const Position at = text_position(&h->in.d->text, end, h->in.s->utf8);
    json_add(h->in.list,
             packed("{s:{s:I, s:I}, s:s, s:b}", "position", "line", (json_int_t)at.line,
                    "character", (json_int_t)at.character, "label", label, "paddingLeft", 1));
}

/* Adds the cycles of a line, which ends at an offset. */
static void add_cycles(const Hints *h, uint32_t line, size_t end) {
    char label[400];
    const TimedLine *cost = line < h->timing->nlines ? &h->timing->lines[line] : NULL;
    if (cost == NULL || cost->cycles <= 0) return;
    snprintf(label, sizeof label, "%.0f cycles, %llux", cost->cycles,
             (unsigned long long)cost->count);
    add_hint(h, end, label);
}

/* Adds how the error of a line has grown. */
static void add_error(const Hints *h, uint32_t line, size_t end) {
    const json_t *found = shadow_of_line(h->in.d, line);
    char label[96];
    if (found == NULL && shadow_is_gap(h->in.d, line)) add_hint(h, end, "not followed in f64");
    if (found == NULL || json_number_value(json_object_get(found, "worst")) == 0) return;
    snprintf(label, sizeof label, "error %.2g, grown %.3g times",
             json_number_value(json_object_get(found, "worst")),
             json_number_value(json_object_get(found, "growth")));
    add_hint(h, end, label);
}

static void add_line(const Hints *h, uint32_t line, size_t end) {
    if (h->timing != NULL) add_cycles(h, line, end);
    add_error(h, line, end);
}

static void add_lines(const Hints *h, size_t from, size_t to) {
    const char *text = h->in.d->text.data;
    uint32_t line = 1;
    for (size_t at = 0; at < h->in.d->text.size; line++) {
        const char *stop = memchr(text + at, '\n', h->in.d->text.size - at);
        size_t end = stop != NULL ? (size_t)(stop - text) : h->in.d->text.size;
        const size_t next = end + 1;
        if (end > at && text[end - 1] == '\r') end--;
        if (end >= from && at <= to) add_line(h, line, end);
        at = next;
    }
}

/* Adds the hints of a range, with the cycles for the arguments in `text`. */
static void add_timed(Hints *h, char *text, size_t from, size_t to) {
    size_t n;
    const char **words = split(text, &n);
    TimingCall call = {.request = {.args = words, .nargs = n, .lenient = true, .grid = 1},
                       .prepare = take_params};
    ptoasm_result *res;
    ptoasm_options judge = h->in.d->project->opt.judge;
    if (program_time(document_program(h->in.d), &judge, &call, &res) == PTOASM_OK)
        h->timing = &call.timing;
    add_lines(h, from, to);
    ptoasm_result_free(res);
    free(words);
}

json_t *answer_hints(Server *s, const json_t *params, Failure *f) {
    Hints h = {.timing = NULL};
    size_t from = 0, to = SIZE_MAX;
    if (!listing_begin(&h.in, s, params, f)) return NULL;
    if (!range_read(s, h.in.d, json_object_get(params, "range"), &from, &to))
        from = 0, to = SIZE_MAX;
    if (s->opt.time.hints != NULL) {
        char *text = must_alloc(strlen(s->opt.time.hints) + 1);
        strcpy(text, s->opt.time.hints);
        add_timed(&h, text, from, to);
        free(text);
    } else if (h.in.d->shadow != NULL) {
        add_lines(&h, from, to);
    }
    return h.in.list;
}
