/* The arguments of `ptoasm run`: in.npy, out=FILE.npy:TYPExSHAPE, zeros:TYPExSHAPE,
 * random:SEED:TYPExSHAPE and numbers, each read for the parameter it is given to. */
#include "cli/run.h"

#include <stdlib.h>
#include <string.h>

static bool starts_with(const char *s, const char *prefix) {
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

/* `f32x32x64`: a type and its extents. The type may itself hold an `x` (f4E1M2x2). */
static int read_shape(const char *text, const char *spec, Array *a) {
    size_t type_len = 0;
    for (size_t i = 1; spec[i - 1] != '\0'; i++) {
        bool end = spec[i] == 'x' || spec[i] == '\0';
        if (end && elem_from_text(spec, i) != ELEM_NONE) type_len = i;
        if (spec[i] == '\0') break;
    }
    *a = (Array){.elem = type_len > 0 ? elem_from_text(spec, type_len) : ELEM_NONE};
    if (a->elem == ELEM_NONE || a->elem == ELEM_INDEX || elem_infos[a->elem].bytes == 0)
        return trouble("argument '%s': '%s' does not start with an element type", text, spec);
    for (const char *p = spec + type_len; *p != '\0';) {
        size_t n = strcspn(++p, "x");
        char digits[24];
        uint64_t v;
        if (n == 0 || n >= sizeof digits || a->rank == MAX_RANK)
            return trouble("argument '%s': '%s' is no shape such as f32x32x64", text, spec);
        memcpy(digits, p, n);
        digits[n] = '\0';
        if (!number_from_text(digits, INT64_MAX, &v))
            return trouble("argument '%s': '%s' is no extent", text, digits);
        a->shape[a->rank++] = (int64_t)v;
        p += n;
    }
    if (a->rank == 0)
        return trouble("argument '%s': there is no shape behind the element type", text);
    if (!array_measure(a)) return trouble("argument '%s': the size overflows", text);
    if (!array_allocate(a)) return trouble("argument '%s': out of memory", text);
    return FINE;
}

/* out=FILE.npy:TYPExSHAPE; the file's name may hold colons. */
static int read_out(const char *text, Argument *arg) {
    const char *name = text + strlen("out="), *colon = strrchr(name, ':');
    if (colon == NULL || colon == name)
        return trouble("argument '%s' is not of the form out=FILE.npy:TYPExSHAPE", text);
    int rc = read_shape(text, colon + 1, &arg->array);
    if (rc != FINE) return rc;
    char *copy = malloc((size_t)(colon - name) + 1);
    if (copy == NULL) return trouble("argument '%s': out of memory", text);
    memcpy(copy, name, (size_t)(colon - name));
    copy[colon - name] = '\0';
    arg->out = copy;
    return FINE;
}

static int read_random(const char *text, Argument *arg) {
    const char *p = text + strlen("random:"), *colon = strchr(p, ':');
    char seed_text[24];
    uint64_t seed;
    size_t n = colon != NULL ? (size_t)(colon - p) : 0;
    if (n == 0 || n >= sizeof seed_text)
        return trouble("argument '%s' is not of the form random:SEED:TYPExSHAPE", text);
    memcpy(seed_text, p, n);
    seed_text[n] = '\0';
    if (!number_from_text(seed_text, UINT64_MAX, &seed))
        return trouble("argument '%s': '%s' is no seed", text, seed_text);
    int rc = read_shape(text, colon + 1, &arg->array);
    if (rc == FINE) array_randomize(&arg->array, seed);
    return rc;
}

/* The same type, or integers of the same width. */
static bool fits(Elem a, Elem b) {
    return a == b || (elem_is_int(a) && elem_is_int(b) && a != ELEM_I1 && b != ELEM_I1 &&
                      elem_int_width(a) == elem_int_width(b));
}

static int read_buffer(const char *text, const ptoasm_param *param, Elem elem, Argument *arg) {
    int rc;
    if (elem == ELEM_NONE || elem == ELEM_INDEX)
        return trouble("parameter %%%s: no argument can be given to a pointer of type %s",
                       param->name, param->type);
    if (starts_with(text, "out="))
        rc = read_out(text, arg);
    else if (starts_with(text, "zeros:"))
        rc = read_shape(text, text + strlen("zeros:"), &arg->array);
    else if (starts_with(text, "random:"))
        rc = read_random(text, arg);
    else
        return npy_read(text, elem, &arg->array);
    if (rc == FINE && !fits(arg->array.elem, elem))
        rc = trouble("argument '%s' has elements of type %s, but parameter %%%s is %s", text,
                     elem_infos[arg->array.elem].text, param->name, param->type);
    return rc;
}

int argument_read(const char *text, const ptoasm_param *param, Argument *arg) {
    *arg = (Argument){0};
    Elem elem = elem_from_text(param->elem, strlen(param->elem));
    switch (param->kind) {
    case PTOASM_POINTER:
        return read_buffer(text, param, elem, arg);
    case PTOASM_SCALAR:
        if (!scalar_from_text(elem, text, &arg->bits))
            return trouble("argument '%s' is no number that parameter %%%s of type %s can take",
                           text, param->name, param->type);
        return FINE;
    default:
        return trouble("parameter %%%s of type %s: run passes pointers and numbers only",
                       param->name, param->type);
    }
}

void argument_free(Argument *arg) {
    free(arg->array.data);
    free((char *)arg->out);
    *arg = (Argument){0};
}
