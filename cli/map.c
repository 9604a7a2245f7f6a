/* SPDX-License-Identifier: Apache-2.0 */
/* ptoasm map: shows the addresses and lifetimes of tiles. */
#include "cli/map.h"
#include "ir/profile.h"

#include <stdlib.h>
#include <string.h>

typedef struct Map {
    FILE *to;
    bool html;
    struct json_t *json; /* --format=json; NULL: text or HTML */
    size_t spaces;
} Map;

static void put(const MapSpace *s, void *arg) {
    Map *m = arg;
    if (m->json != NULL) {
        map_put_json(s, map_spaces_json(m->json));
    } else if (m->html) {
        map_put_html(s, m->to);
    } else {
        if (m->spaces > 0) fputc('\n', m->to);
        map_put_text(s, m->to);
    }
    m->spaces++;
}

/* Draws the map even of a program that is rejected only because its tiles do not fit, to show why.
 */
static int map_profile(ptoasm_program *program, const char *file, uint32_t profile,
                       const Options *opt, Map *m) {
    ptoasm_options judge = opt->judge;
    ptoasm_result *res;
    judge.profiles = profile;
    int status = ptoasm_program_plan(program, &judge, &res);
    if (res == NULL) return status_trouble(file, status);
    if (m->json != NULL)
        map_put_diagnostics(m->json, file, res);
    else
        print_diagnostics(res, opt);
    const char *name = profile_names[__builtin_ctz(ptoasm_result_profiles(res))];
    bool fine = map_spaces(res, name, put, m);
    ptoasm_result_free(res);
    if (!fine) return trouble("out of memory");
    return status == PTOASM_OK ? FINE : REJECTED;
}

static int map_program(ptoasm_program *program, const char *file, const Options *opt, Map *m) {
    int rc = FINE;
    if (opt->json) m->json = map_begin_json(file);
    if (m->html) map_begin_html(m->to, file);
    if (opt->judge.profiles == 0) rc = map_profile(program, file, 0, opt, m);
    for (unsigned p = 0; p < PROFILE_COUNT && rc != TROUBLE; p++) {
        if ((opt->judge.profiles & PROFILE_BIT(p)) == 0) continue;
        int one = map_profile(program, file, PROFILE_BIT(p), opt, m);
        if (one > rc) rc = one;
    }
    if (m->html) map_end_html(m->to);
    if (m->json != NULL) map_end_json(m->json, m->to);
    return rc;
}

/* Makes the whole text before it writes a file. */
static int map_source(const ptoasm_source *src, const char *file, const Options *opt) {
    MemoryText text;
    ptoasm_program *program;
    int status = ptoasm_program_open(src, &opt->judge, &program);
    if (program == NULL) return status_trouble(file, status);
    Map m = {.html = opt->out != NULL && !opt->text && !opt->json, .to = memory_open(&text)};
    int rc = m.to == NULL ? trouble("out of memory") : map_program(program, file, opt, &m);
    ptoasm_program_close(program);
    if (m.to != NULL && !memory_close(m.to, &text)) rc = trouble("out of memory");
    if (m.spaces == 0 && rc == FINE && !opt->json)
        fprintf(stderr, "ptoasm: '%s' has no tiles on the chip\n", file);
    if (rc != TROUBLE && (m.spaces > 0 || rc == FINE || opt->json)) {
        int written = output_file(opt->out != NULL ? opt->out : "-", text.text, text.size);
        if (written != FINE) rc = written;
    }
    memory_free(&text);
    return rc;
}

/* ---- spaces that are too small, for `ptoasm check` ---- */

static void put_full(const MapSpace *s, void *arg) {
    if (s->capacity >= 0 && s->used > s->capacity) map_put_text(s, arg);
}

static uint32_t full_profiles(const ptoasm_result *res) {
    ptoasm_diagnostic d;
    uint32_t set = 0;
    for (size_t i = 0; ptoasm_diagnostic_at(res, i, &d); i++)
        if (strcmp(d.id, "capacity") == 0) set |= d.profiles;
    return set;
}

void print_full_spaces(const ptoasm_result *res, const char *file, const Options *opt) {
    uint32_t set = full_profiles(res);
    ptoasm_source *src;
    ptoasm_program *program = NULL;
    size_t size;
    const char *text = ptoasm_result_source(res, &size);
    if (set == 0 || ptoasm_source_open(file, text, size, PTOASM_SOURCE_BORROW, &src) != PTOASM_OK)
        return;
    ptoasm_program_open(src, &opt->judge, &program);
    for (unsigned p = 0; p < PROFILE_COUNT && program != NULL; p++) {
        ptoasm_options judge = opt->judge;
        ptoasm_result *plan;
        judge.profiles = PROFILE_BIT(p);
        judge.verdicts = false;
        if ((set & PROFILE_BIT(p)) == 0) continue;
        ptoasm_program_plan(program, &judge, &plan);
        if (plan != NULL) map_spaces(plan, profile_names[p], put_full, stderr);
        ptoasm_result_free(plan);
    }
    ptoasm_program_close(program);
    ptoasm_source_close(src);
}

static int run(Options *opt) {
    if (opt->nargs != 1)
        return usage_error(&map_command,
                           opt->nargs == 0 ? "no file given" : "more than one file given");
    Input in;
    ptoasm_source *src;
    if (opt->out != NULL && same_file(opt->args[0], opt->out))
        return trouble("'%s' would be overwritten by its own output", opt->args[0]);
    int rc = input_open(opt->args[0], &in, &src);
    if (rc != FINE) return rc;
    rc = map_source(src, in.name, opt);
    ptoasm_source_close(src);
    input_free(&in);
    return rc;
}

static bool set_text(Options *opt, const char *value) {
    (void)value;
    return opt->text = true;
}

static const OptionRow rows[] = {
    {"o", 'o', "OUT", "write a drawing to OUT, one HTML file (without it, text)", "a file name",
     set_out},
    {"text", 0, NULL, "with -o, write text instead of a drawing", NULL, set_text},
    {"format", 0, "F", "json: one object instead of text or a drawing", "json or text", set_json},
    {"profile", 0, "P[,P...]",
     "for each of these profiles: " PROFILES_LIST ", or all (default: the\nmodule's, else a2a3)",
     "a list of " PROFILES_AND ", or all", set_profiles},
    OPTION_LEVEL,
    OPTION_COMMON,
};

const Command map_command = {
    .name = "map",
    .usage = "[OPTION]... FILE",
    .summary = "Shows the addresses and lifetimes of the tiles of a program.",
    .details = "For each function and memory space: the address and size of each tile, from which\n"
               "line to which its bytes are needed, whose bytes it takes over, where most bytes\n"
               "are needed and what is free there. FILE may be - for standard input. A program\n"
               "whose tiles do not fit is shown too; the exit code is then 1.\n",
    .rows = rows,
    .examples = "  ptoasm map kernel.pto\n"
                "  ptoasm map --profile=a2a3,a5 kernel.pto -o map.html\n",
    .run = run,
};
