/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the command line of `ptoasm run` for a case of `ptoasm test`. */
#include "cli/test.h"
#include "ir/profile.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

char *test_text(const json_t *value) {
    char *text = json_is_string(value) ? strdup(json_string_value(value))
                                       : json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    if (text == NULL) out_of_memory();
    return text;
}

void add_word(TestCase *c, const char *fmt, ...) {
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    const int n = vsnprintf(NULL, 0, fmt, ap);
    char *word = must_alloc((size_t)n + 1);
    vsnprintf(word, (size_t)n + 1, fmt, again);
    va_end(again);
    va_end(ap);
    char **grown = realloc(c->words, (c->nwords + 2) * sizeof *grown);
    if (grown == NULL) out_of_memory();
    c->words = grown;
    c->words[c->nwords++] = word;
    c->words[c->nwords] = NULL;
}

/* Adds `--name=VALUE` if the case has the key. */
static void add_option(TestCase *c, const json_t *o, const char *key, const char *option) {
    const json_t *value = json_object_get(o, key);
    if (value == NULL) return;
    char *text = test_text(value);
    add_word(c, "--%s=%s", option, text);
    free(text);
}

/* ---- expectations ---- */

/* Quotes a word for sh. */
static void put_quoted(FILE *to, const char *word) {
    fputc('\'', to);
    for (; *word != '\0'; word++)
        if (*word == '\'')
            fputs("'\\''", to);
        else
            fputc(*word, to);
    fputc('\'', to);
}

/* Calls a function of a Python file with the arguments of the run by name. Arrays that it returns
 * become what the parameter has, but numbers of narrow floats stay f32. */
static const char driver[] =
    "import importlib.util, json, os, sys\n"
    "import numpy as np\n"
    "path, name, d, wanted = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]\n"
    "spec = importlib.util.spec_from_file_location('reference', path)\n"
    "module = importlib.util.module_from_spec(spec)\n"
    "sys.dont_write_bytecode = True\n"
    "sys.path.insert(0, os.path.dirname(os.path.abspath(path)))\n"
    "spec.loader.exec_module(module)\n"
    "args = json.load(open(d + '/args.json'))\n"
    "args = {k: np.load(d + '/in/' + k + '.npy') if v is None else v for k, v in args.items()}\n"
    "shapes = {k: (v.shape, v.dtype) for k, v in args.items() if isinstance(v, np.ndarray)}\n"
    "out = getattr(module, name)(**args)\n"
    "if not isinstance(out, dict):\n"
    "    out = dict(zip(wanted, out if isinstance(out, tuple) else (out,)))\n"
    "for k, v in out.items():\n"
    "    v = np.asarray(v)\n"
    "    if '@' in k:\n"
    "        kind = {'f': np.float32, 'i': np.int32, 'u': np.uint32}.get(v.dtype.kind, v.dtype)\n"
    "        np.save(d + '/out/' + k + '.npy', v.astype(kind))\n"
    "        continue\n"
    "    shape, dtype = shapes[k]\n"
    "    if dtype == np.float16: dtype = np.float32\n"
    "    v = v.reshape(shape) if v.size == np.prod(shape) else v\n"
    "    np.save(d + '/out/' + k + '.npy', v.astype(dtype))\n";

static void put_python(FILE *to, const char *what, json_t *names) {
    const char *colon = strrchr(what, ':');
    size_t i;
    json_t *name;
    char *file = strndup(what, (size_t)(colon - what));
    if (file == NULL) out_of_memory();
    fputs("exec \"${PYTHON:-python3}\" -c ", to);
    put_quoted(to, driver);
    fputc(' ', to);
    put_quoted(to, file);
    fputc(' ', to);
    put_quoted(to, colon + 1);
    fputs(" \"{}\"", to);
    json_array_foreach(names, i, name) {
        fputc(' ', to);
        put_quoted(to, json_string_value(name));
    }
    free(file);
}

static bool contains(json_t *names, const char *name) {
    size_t i;
    json_t *one;
    json_array_foreach(names, i, one) if (strcmp(json_string_value(one), name) == 0) return true;
    return false;
}

/* The path of an array in the scratch folder of the run. */
static void put_array(FILE *to, const char *folder, const char *name) {
    fprintf(to, "\"{}\"/%s/", folder);
    put_quoted(to, name);
    fputs(".npy", to);
}

/* Runs another program with the same arguments; what is expected comes from what it writes. */
static const char *put_program(FILE *to, const json_t *reference, const json_t *o, json_t *names) {
    const char *name;
    json_t *value, *args = json_object_get(o, "args"), *grid = json_object_get(o, "grid");
    if (!json_is_object(args)) return "has a program as reference, and no names of arguments";
    fputs("exec \"$PTOASM_PROGRAM\" run", to);
    if (json_object_get(reference, "function") != NULL) {
        fputs(" --entry=", to);
        put_quoted(to, json_string_value(json_object_get(reference, "function")));
    }
    if (grid != NULL) {
        char *text = test_text(grid);
        fputs(" --grid=", to);
        put_quoted(to, text);
        free(text);
    }
    fputc(' ', to);
    put_quoted(to, json_string_value(json_object_get(reference, "program")));
    json_object_foreach(args, name, value) {
        char *text = test_text(value);
        char *end;
        (void)strtod(text, &end);
        fputc(' ', to);
        put_quoted(to, name);
        fputc('=', to);
        if (*end == '\0')
            put_quoted(to, text);
        else
            put_array(to, "bits", name);
        if (*end != '\0' && contains(names, name)) {
            fputs("'>'", to);
            put_array(to, "out", name);
        }
        free(text);
    }
    return NULL;
}

static const char *put_reference(FILE *to, const json_t *reference, const json_t *o,
                                 json_t *names) {
    const char *python = json_string_value(json_object_get(reference, "python")),
               *command = json_string_value(json_object_get(reference, "command")),
               *program = json_string_value(json_object_get(reference, "program"));
    if ((python != NULL) + (command != NULL) + (program != NULL) != 1)
        return "has a reference that is not one of python, program and command";
    if (program != NULL) return put_program(to, reference, o, names);
    if (command != NULL) {
        fputs(command, to);
        return NULL;
    }
    const char *colon = strrchr(python, ':');
    if (colon == NULL || colon == python || colon[1] == '\0')
        return "has a Python reference that is not FILE.py:FUNCTION";
    put_python(to, python, names);
    return NULL;
}

static const char *add_reference(const json_t *o, json_t *names, TestCase *c) {
    const json_t *reference = json_object_get(o, "reference");
    MemoryText text;
    FILE *to = memory_open(&text);
    if (to == NULL) out_of_memory();
    const char *why = put_reference(to, reference, o, names);
    if (!memory_close(to, &text)) out_of_memory();
    if (why == NULL) add_word(c, "--reference=%s", text.text);
    memory_free(&text);
    return why;
}

/* Adds what is expected: names that the reference computes, or files by name. */
static const char *add_expectations(const json_t *o, TestList *list, TestCase *c) {
    json_t *expect = json_object_get(o, "expect"), *value;
    const char *name;
    size_t i;
    const bool reference = json_object_get(o, "reference") != NULL;
    if (reference != json_is_array(expect))
        return "needs `expect` as a list of names with `reference`, and as files by name without";
    json_array_foreach(expect, i, value) {
        if (!json_is_string(value)) return "expects a name that is not a string";
        add_word(c, "--expect=%s={}/out/%s.npy", json_string_value(value),
                 json_string_value(value));
    }
    if (reference) return add_reference(o, expect, c);
    json_object_foreach(expect, name, value) {
        if (!json_is_string(value)) return "expects a file whose name is not a string";
        c->goldens = true;
        if (!list->update) add_word(c, "--expect=%s=%s", name, json_string_value(value));
    }
    return NULL;
}

/* ---- arguments ---- */

static const char *golden_of(const json_t *o, const char *name) {
    const json_t *expect = json_object_get(o, "expect");
    return json_is_object(expect) ? json_string_value(json_object_get(expect, name)) : NULL;
}

static const char *add_arguments(const json_t *o, const TestList *list, TestCase *c) {
    json_t *args = json_object_get(o, "args"), *value;
    const char *name;
    size_t i;
    if (list->update && c->goldens && !json_is_object(args))
        return "has no names of arguments, which --update needs";
    bool unknown = false;
    json_array_foreach(args, i, value) {
        char *text = test_text(value);
        unknown |= strstr(text, "${") != NULL;
        add_word(c, "%s", text);
        free(text);
    }
    json_object_foreach(args, name, value) {
        const char *golden = list->update ? golden_of(o, name) : NULL;
        char *text = test_text(value);
        unknown |= strstr(text, "${") != NULL;
        if (golden != NULL && strchr(text, '>') == NULL)
            add_word(c, "%s=%s>%s", name, text, golden);
        else
            add_word(c, "%s=%s", name, text);
        free(text);
    }
    return unknown ? "has an argument with a ${NAME} that `values` does not have" : NULL;
}

/* Makes the command line of `ptoasm time`, with the same arguments on the same chip. */
static const char *add_timing(const json_t *o, const char *profile, TestList *list, TestCase *c) {
    const json_int_t most = json_integer_value(json_object_get(o, "time"));
    Profile chip;
    if (most < 1 || most > (json_int_t)1 << 52) return "has a time that is not 1 to 2^52 cycles";
    if (c->exit != FINE) return "has a time, and an exit code of a run that fails";
    TestCase timed = {.nwords = 0};
    add_word(&timed, "time");
    add_word(&timed, "--color=never");
    add_word(&timed, "-o/dev/null");
    add_word(&timed, "--fail-above=%lld", (long long)most);
    add_option(&timed, o, "function", "entry");
    add_option(&timed, o, "grid", "grid");
    if (profile != NULL && profile_from_text(profile, strlen(profile), &chip) &&
        profile_infos[chip].chip)
        add_word(&timed, "--profile=%s", profile);
    add_word(&timed, "--");
    add_word(&timed, "%s", json_string_value(json_object_get(o, "program")));
    const char *why = add_arguments(o, list, &timed);
    c->timed = timed.words;
    c->ntimed = timed.nwords;
    return why;
}

const char *test_words(const json_t *o, const char *profile, TestList *list, TestCase *c) {
    add_word(c, "run");
    add_word(c, "--color=never");
    add_option(c, o, "function", "entry");
    add_option(c, o, "grid", "grid");
    add_option(c, o, "ranks", "ranks");
    add_option(c, o, "rtol", "rtol");
    add_option(c, o, "atol", "atol");
    add_option(c, o, "ulp", "ulp");
    if (profile != NULL) add_word(c, "--profile=%s", profile);
    if (json_is_true(json_object_get(o, "sanitize"))) add_word(c, "--sanitize");
    const char *why = NULL;
    if (json_object_get(o, "expect") != NULL)
        why = add_expectations(o, list, c);
    else if (json_object_get(o, "reference") != NULL)
        why = "has a reference, and expects nothing of it";
    if (why != NULL) return why;
    add_word(c, "--");
    add_word(c, "%s", json_string_value(json_object_get(o, "program")));
    why = add_arguments(o, list, c);
    if (why == NULL && json_object_get(o, "time") != NULL && !list->update)
        why = add_timing(o, profile, list, c);
    return why;
}
