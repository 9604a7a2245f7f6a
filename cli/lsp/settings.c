/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of the client: options of the command by their long names, such as {"profile": ["a2a3",
 * "a5"], "lint": true}. They add to those of the command line. */
#include "cli/lsp/settings.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Setting {
    Server *s; /* NULL: errors were shown before */
    Options *opt;
    const char *key;
    const OptionRow *row;
} Setting;

static void complain(const Setting *at, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void complain(const Setting *at, const char *fmt, ...) {
    char why[400], text[600];
    va_list ap;
    if (at->s == NULL) return;
    va_start(ap, fmt);
    vsnprintf(why, sizeof why, fmt, ap);
    va_end(ap);
    snprintf(text, sizeof text, "ptoasm: setting '%.100s': %s", at->key, why);
    show_message(at->s, MESSAGE_WARNING, text);
}

static void set_text(const Setting *at, const char *text) {
    Options *opt = at->opt;
    opt->wrong_warning = opt->fault = NULL;
    if (at->row->value == NULL) {
        complain(at, "true or false is expected");
    } else if (!at->row->set(opt, text)) {
        complain(at, opt->fault != NULL ? "'%.100s' %s" : "'%.100s' is not %s", text,
                 opt->fault != NULL ? opt->fault : option_text(at->row->expected));
    } else if (opt->wrong_warning != NULL) {
        char why[256];
        wrong_warning_text(opt->wrong_warning, why, sizeof why);
        complain(at, "%s", why);
    }
}

/* Passes a list as `a,b` to an option that takes a list, else one value at a time. */
static void set_list(const Setting *at, const json_t *list) {
    bool joined = at->row->expected != NULL && strncmp(at->row->expected, "a list of ", 10) == 0;
    char text[256] = "";
    size_t n = 0, i;
    const json_t *item;
    json_array_foreach(list, i, item) {
        const char *word = json_string_value(item);
        if (word == NULL) {
            complain(at, "a list of strings is expected");
            return;
        }
        if (joined && n < sizeof text)
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", n > 0 ? "," : "", word);
        if (!joined) set_text(at, word);
    }
    if (joined && n > 0) set_text(at, text);
}

static void set_value(const Setting *at, const json_t *value) {
    char number[32];
    if (json_is_string(value)) {
        set_text(at, json_string_value(value));
    } else if (json_is_array(value)) {
        set_list(at, value);
    } else if (json_is_integer(value)) {
        snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        set_text(at, number);
    } else if (json_is_boolean(value) && at->row->value == NULL) {
        if (json_is_true(value)) at->row->set(at->opt, NULL);
    } else if (!json_is_null(value)) {
        complain(at, "it has a value that is not %s",
                 at->row->expected != NULL ? option_text(at->row->expected) : "true or false");
    }
}

static const OptionRow *find_row(const char *name) {
    for (const OptionRow *row = lsp_command.rows; row->name != NULL; row++)
        if (strcmp(row->name, name) == 0 && row->set != NULL) return row;
    return NULL;
}

static void apply(Server *s, const json_t *settings, Options *opt) {
    void *object = (json_t *)(uintptr_t)settings;
    for (void *at = json_object_iter(object); at != NULL; at = json_object_iter_next(object, at)) {
        Setting set = {s, opt, json_object_iter_key(at), NULL};
        set.row = find_row(set.key);
        const json_t *value = json_object_iter_value(at);
        if (set.row != NULL)
            set_value(&set, value);
        else if (!json_is_object(value)) /* of other programs, or of the editor */
            complain(&set, "there is no such option");
    }
    opt->wrong_warning = NULL;
}

void settings_apply(const Server *s, Options *opt) {
    apply(NULL, s->settings, opt);
}

/* Reads the options of the command line, which were valid when the server started. */
static void take_words(Server *s) {
    int argc = 0;
    while (s->words[argc] != NULL)
        argc++;
    s->warnings = (Warnings){.error = false};
    s->opt = (Options){.judge = PTOASM_OPTIONS_INIT, .warnings = &s->warnings};
    (void)options_more(&lsp_command, argc, s->words, &s->opt);
}

void settings_take(Server *s, json_t *settings) {
    json_t *own = json_object_get(settings, "ptoasm");
    projects_forget(s);
    json_decref(s->settings);
    s->settings = json_incref(own != NULL ? own : settings);
    take_words(s);
    apply(s, s->settings, &s->opt);
    projects_refresh(s);
}
