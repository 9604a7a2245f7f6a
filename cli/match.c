/* SPDX-License-Identifier: Apache-2.0 */
/* Assigns arguments of `ptoasm run` to parameters: those with a name first, the others to the
 * remaining parameters in order. */
#include "cli/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void print_kernels(const ptoasm_result *res) {
    ptoasm_kernel k;
    for (size_t i = 0; ptoasm_kernel_at(res, i, &k); i++) {
        fputs("  @", stderr);
        put_plain(stderr, k.name);
        fputc('(', stderr);
        ptoasm_param p;
        for (size_t j = 0; ptoasm_kernel_param(res, i, j, &p); j++)
            fprintf(stderr, "%s%%%s: %s", j > 0 ? ", " : "", p.name, p.type);
        fputs(")\n", stderr);
    }
}

/* ---- names ---- */

static Slot slot_at(const Target *target, size_t i) {
    Slot slot = {.target = target, .index = i};
    ptoasm_kernel_param(target->res, target->index, i, &slot.param);
    return slot;
}

/* Finds NAME in `NAME=` or `%NAME=` and returns its length; 0 when the text has none. */
static size_t name_of(const char *text, const char **name) {
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$.-";
    *name = text + (*text == '%');
    size_t n = strspn(*name, letters);
    return (*name)[n] == '=' ? n : 0;
}

static bool find_param(const Target *target, const char *name, size_t n, size_t *index) {
    for (*index = 0; *index < target->kernel.params; ++*index) {
        Slot slot = slot_at(target, *index);
        if (strlen(slot.param.name) == n && memcmp(slot.param.name, name, n) == 0) return true;
    }
    return false;
}

static const char *param_name(const void *target, size_t i) {
    return slot_at(target, i).param.name;
}

static int unknown_name(const Target *target, const char *text, const char *name, size_t n) {
    const char *near = nearest_name(name, n, target->kernel.params, param_name, target);
    return rejected_at(target->file, target->kernel.line, "'%s': @%s has no parameter %%%.*s%s%s%s",
                       text, target->kernel.name, (int)n, name,
                       near != NULL ? "; did you mean %" : "", near != NULL ? near : "",
                       near != NULL ? "?" : "");
}

int param_named(const Target *target, const char *text, size_t *index, const char **rest) {
    const char *name;
    size_t n = name_of(text, &name);
    if (n == 0)
        return rejected_at(target->file, target->kernel.line, "'%s' is not of the form NAME=FILE",
                           text);
    if (!find_param(target, name, n, index)) return unknown_name(target, text, name, n);
    *rest = name + n + 1;
    return FINE;
}

/* ---- matching ---- */

typedef struct Match {
    const Target *target;
    const char **values; /* by parameter; NULL = none yet */
    const char **unnamed;
    size_t nunnamed;
} Match;

static bool takes_array(const ptoasm_param *p) {
    return p->kind == PTOASM_PARAM_POINTER || p->kind == PTOASM_PARAM_TILE ||
           p->kind == PTOASM_PARAM_VIEW;
}

/* Assigns a named argument. `out=FILE` is a positional result unless a parameter is called `out`.
 */
static int take(Match *m, const char *text) {
    const char *name;
    size_t n = name_of(text, &name), index;
    bool out = n == 3 && memcmp(name, "out", 3) == 0;
    if (n == 0 || (!find_param(m->target, name, n, &index) && (out || access(text, F_OK) == 0))) {
        m->unnamed[m->nunnamed++] = text;
        return FINE;
    }
    if (index == m->target->kernel.params) return unknown_name(m->target, text, name, n);
    Slot slot = slot_at(m->target, index);
    if (m->values[index] != NULL)
        return rejected_at(m->target->file, slot.param.line, "%%%s is given twice: '%s' and '%s'",
                           slot.param.name, m->values[index], text);
    const char *value = name + n + 1;
    bool result = out && takes_array(&slot.param) && !argument_is_source(value);
    m->values[index] = result ? text : value;
    return FINE;
}

static int wrong_count(const Match *m, size_t given) {
    const ptoasm_kernel *k = &m->target->kernel;
    int rc = rejected_at(m->target->file, k->line, "@%s takes %zu argument%s, not %zu:", k->name,
                         k->params, k->params == 1 ? "" : "s", given);
    print_kernels(m->target->res);
    return rc;
}

static int match(Match *m, const char *const *texts, size_t n) {
    for (size_t i = 0; i < n; i++) {
        int rc = take(m, texts[i]);
        if (rc != FINE) return rc;
    }
    size_t params = m->target->kernel.params, next = 0;
    if (n != params) return wrong_count(m, n);
    for (size_t i = 0; i < params; i++)
        if (m->values[i] == NULL) m->values[i] = m->unnamed[next++];
    return FINE;
}

/* ---- reading ---- */

/* Reads numbers first, as the sizes of arrays may depend on them. */
static int read_all(const Match *m, ptoasm_launch *launch, bool *known, int64_t *values,
                    Argument *args) {
    int rc = FINE;
    for (int pointers = 0; pointers < 2; pointers++)
        for (size_t i = 0; i < m->target->kernel.params && rc == FINE; i++) {
            Slot slot = slot_at(m->target, i);
            slot.launch = launch;
            slot.texts = m->values;
            if ((slot.param.kind == PTOASM_PARAM_POINTER) != (pointers == 1)) continue;
            rc = argument_read(&slot, m->values[i], &args[i]);
            known[i] = pointers == 0;
            values[i] = (int64_t)args[i].bits;
        }
    return rc;
}

/* Gives parameters that share an array that of its owner. */
static void share_arrays(Argument *args, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (args[i].shares) args[i].array = args[args[i].owner].array;
}

static int results_differ(const Argument *args, size_t n) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            if (args[i].out != NULL && args[j].out != NULL && strcmp(args[i].out, args[j].out) == 0)
                return trouble("two results go to '%s'", args[i].out);
    return FINE;
}

void print_short_arguments(const Target *target, const Argument *args) {
    for (size_t i = 0; i < target->kernel.params; i++) {
        const ptoasm_buffer *views = &args[i].views;
        const Array *array = &args[i].array;
        int64_t held = 1;
        for (uint32_t k = 0; k < array->rank; k++)
            held *= (int64_t)array->shape[k];
        if (array->data == NULL || !views->known || views->needed <= held) continue;
        fprintf(stderr, "%s:%u: note: %%%s holds ", target->file, (unsigned)views->line,
                slot_at(target, i).param.name);
        shape_print(stderr, array->shape, array->rank);
        fputs(", this view takes ", stderr);
        shape_print(stderr, views->shape, views->rank);
        fputc('\n', stderr);
    }
}

int arguments_read(const Target *target, const char *const *texts, size_t n, Argument *args) {
    size_t params = target->kernel.params;
    const char **list = calloc(params + n + 1, sizeof *list);
    bool *known = calloc(params + 1, sizeof *known);
    int64_t *values = calloc(params + 1, sizeof *values);
    int rc = FINE;
    if (list == NULL || known == NULL || values == NULL) rc = trouble("out of memory");
    if (rc == FINE) {
        Match m = {.target = target, .values = list, .unnamed = list + params};
        ptoasm_launch launch = {sizeof launch, target->blocks, params, known, values};
        rc = match(&m, texts, n);
        if (rc == FINE) rc = read_all(&m, &launch, known, values, args);
        if (rc == FINE) share_arrays(args, params);
        if (rc == FINE) rc = results_differ(args, params);
    }
    free(list);
    free(known);
    free(values);
    return rc;
}
