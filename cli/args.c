/* SPDX-License-Identifier: Apache-2.0 */
/* Reads an argument of `ptoasm run` and makes the array or number for its parameter.
 *
 *     [SOURCE][>FILE.npy]     SOURCE: FILE.npy, zeros, ones, iota, random:SEED; default zeros
 *     out=FILE.npy            the same as >FILE.npy
 *
 * `:TYPExSHAPE` may follow a source other than a file, or the file that is written. */
#include "cli/run_report.h"

#include "support/number.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int rejected_at(const char *file, uint32_t line, const char *fmt, ...) {
    enum { MOST = 4096 + 1024 };
    char text[MOST];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (run_report_on()) {
        run_report_error("argument", line, text);
        return REJECTED;
    }
    fprintf(stderr, "%s:%u: ", file, (unsigned)line);
    put_plain(stderr, text);
    fputc('\n', stderr);
    return REJECTED;
}

/* ---- parsing ---- */

/* FROM_NOTHING: only an output file is given. */
typedef enum Source {
    FROM_FILE,
    FROM_ZEROS,
    FROM_ONES,
    FROM_IOTA,
    FROM_RANDOM,
    FROM_NOTHING
} Source;

static const char *const source_names[] = {NULL, "zeros", "ones", "iota", "random"};

typedef struct Request {
    const char *text; /* the whole argument, for messages */
    Source source;
    char *file; /* file to read */
    char *out;  /* file to write; NULL = none */
    uint64_t seed;
    bool shaped; /* shape holds the given rank, extents and type (or ELEM_NONE) */
    Array shape;
} Request;

static void request_free(Request *r) {
    free(r->file);
    free(r->out);
    r->file = r->out = NULL;
}

static int copy_name(const char *s, size_t n, char **out) {
    *out = strndup(s, n);
    return *out != NULL ? FINE : trouble("out of memory");
}

/* Parses `f32x32x64` or `32x64`. The type may itself contain an `x` (f4E1M2x2). */
static int read_shape(Request *r, const char *spec) {
    size_t type_len = 0;
    bool typed = *spec < '0' || *spec > '9';
    for (size_t i = 1; typed && spec[i - 1] != '\0'; i++) {
        bool end = spec[i] == 'x' || spec[i] == '\0';
        if (end && elem_from_text(spec, i) != ELEM_NONE) type_len = i;
        if (spec[i] == '\0') break;
    }
    Elem elem = type_len > 0 ? elem_from_text(spec, type_len) : ELEM_NONE;
    if (typed && (elem == ELEM_NONE || elem == ELEM_INDEX || elem_infos[elem].bytes == 0))
        return trouble("argument '%s': '%s' does not start with an element type", r->text, spec);
    if (r->shaped) return trouble("argument '%s' has two sizes", r->text);
    r->shape = (Array){.elem = elem};
    r->shaped = true;
    if (typed && spec[type_len] == '\0')
        return trouble("argument '%s': there is no shape after the element type", r->text);
    for (const char *p = typed ? spec + type_len + 1 : spec;; p++) {
        size_t n = strcspn(p, "x");
        char digits[24];
        uint64_t v;
        if (n == 0 || n >= sizeof digits || r->shape.rank == MAX_RANK)
            return trouble("argument '%s': '%s' is not a shape such as f32x32x64", r->text, spec);
        memcpy(digits, p, n);
        digits[n] = '\0';
        if (!number_from_text(digits, INT64_MAX, &v))
            return trouble("argument '%s': '%s' is not an extent", r->text, digits);
        r->shape.shape[r->shape.rank++] = (int64_t)v;
        p += n;
        if (*p == '\0') return FINE;
    }
}

/* Parses FILE.npy[:TYPExSHAPE]. The name may contain colons: the last one starts the shape unless
 * a `.` or `/` follows it. */
static int read_out(Request *r, const char *name) {
    const char *colon = strrchr(name, ':');
    size_t n = strlen(name);
    if (colon != NULL && strpbrk(colon, "./") == NULL) {
        int rc = read_shape(r, colon + 1);
        if (rc != FINE) return rc;
        n = (size_t)(colon - name);
    }
    if (n == 0) return trouble("argument '%s' names no file to write", r->text);
    return copy_name(name, n, &r->out);
}

/* Parses `:SEED[:TYPExSHAPE]` and leaves *rest at the second part. */
static int read_seed(Request *r, const char **rest) {
    char seed[24];
    size_t n = **rest == ':' ? strcspn(*rest + 1, ":") : 0;
    if (n == 0 || n >= sizeof seed)
        return trouble("argument '%s' is not of the form random:SEED or random:SEED:TYPExSHAPE",
                       r->text);
    memcpy(seed, *rest + 1, n);
    seed[n] = '\0';
    *rest += n + 1;
    if (number_from_text(seed, UINT64_MAX, &r->seed)) return FINE;
    return trouble("argument '%s': '%s' is not a seed, as in random:1 or random:1:f32x32x64",
                   r->text, seed);
}

static int read_source(Request *r, const char *head) {
    for (Source s = FROM_ZEROS; s <= FROM_RANDOM; s++) {
        size_t n = strlen(source_names[s]);
        if (strncmp(head, source_names[s], n) != 0 || (head[n] != ':' && head[n] != '\0')) continue;
        const char *rest = head + n;
        r->source = s;
        int rc = s == FROM_RANDOM ? read_seed(r, &rest) : FINE;
        return rc == FINE && *rest == ':' ? read_shape(r, rest + 1) : rc;
    }
    if (*head == '\0') {
        r->source = FROM_NOTHING;
        return FINE;
    }
    r->source = FROM_FILE;
    return copy_name(head, strlen(head), &r->file);
}

static int request_read(const char *text, Request *r) {
    *r = (Request){.text = text};
    static const char prefix[] = "out=";
    const char *out = strncmp(text, prefix, sizeof prefix - 1) == 0 ? text : strchr(text, '>');
    char *head;
    int rc = copy_name(text, out != NULL ? (size_t)(out - text) : strlen(text), &head);
    if (rc != FINE) return rc;
    rc = read_source(r, head);
    free(head);
    if (rc == FINE && out != NULL) rc = read_out(r, out + (*out == '>' ? 1 : sizeof prefix - 1));
    if (rc == FINE && r->shaped && r->source == FROM_FILE)
        rc = trouble("argument '%s': the size is that of the file", text);
    return rc;
}

bool argument_is_source(const char *text) {
    for (Source s = FROM_ZEROS; s <= FROM_RANDOM; s++) {
        size_t n = strlen(source_names[s]);
        if (strncmp(text, source_names[s], n) == 0 && (text[n] == ':' || text[n] == '\0'))
            return true;
    }
    return strchr(text, '>') != NULL;
}

/* ---- arrays ---- */

/* True for the same type, and for integers of the same width. */
static bool fits(Elem a, Elem b) {
    return a == b || (elem_is_int(a) && elem_is_int(b) && a != ELEM_I1 && b != ELEM_I1 &&
                      elem_int_width(a) == elem_int_width(b));
}

/* Finds the parameter of which the array is also that of this pointer: it gets the same file, which
 * has elements of its type. A kernel may use one array under several types. */
static bool find_owner(const Slot *slot, const Request *r, size_t *owner) {
    const size_t n = slot->texts != NULL ? slot->target->kernel.params : 0, len = strlen(r->file);
    for (size_t i = 0; i < n; i++) {
        ptoasm_param p;
        char type[NPY_TYPE];
        Array array = {0};
        if (i == slot->index || strncmp(slot->texts[i], r->file, len) != 0 ||
            (slot->texts[i][len] != '\0' && slot->texts[i][len] != '>') ||
            !ptoasm_kernel_param(slot->target->res, slot->target->index, i, &p) ||
            p.kind != PTOASM_PARAM_POINTER)
            continue;
        const int rc = npy_read(r->file, elem_from_text(p.elem, strlen(p.elem)), &array, type);
        array_free(&array);
        *owner = i;
        if (rc == FINE) return true;
    }
    return false;
}

static int read_file(const Slot *slot, const Request *r, Elem elem, Argument *arg) {
    Array *array = &arg->array;
    const ptoasm_param *p = &slot->param;
    const char *file = slot->target->file;
    char type[NPY_TYPE];
    double number;
    if (access(r->file, F_OK) != 0 && number_read(r->file, strlen(r->file), &number))
        return rejected_at(file, p->line, "%%%s is %s, and '%s' is a number; " ARGUMENT_FORMS,
                           p->name, p->type, r->text);
    int rc = npy_read(r->file, elem, array, type);
    if (rc != REJECTED) return rc;
    if (p->kind == PTOASM_PARAM_POINTER && find_owner(slot, r, &arg->owner)) {
        arg->shares = true;
        return FINE;
    }
    bool own = elem == ELEM_F16 || elem_is_int(elem) || elem == ELEM_F32 || elem == ELEM_F64;
    return rejected_at(file, p->line,
                       "%%%s is %s, but '%s' holds elements of type '%s', not '%s%s'%s", p->name,
                       p->type, r->file, type, elem_infos[elem].bytes == 1 ? "|" : "<",
                       npy_code(elem), own ? "" : " (the bits, as .npy has no such type)");
}

/* Takes the shape that the program's views of the parameter imply. */
static int shape_of_views(const Slot *slot, const Request *r, const ptoasm_buffer *views,
                          Array *array) {
    const ptoasm_param *p = &slot->param;
    if (!views->known) {
        char where[32] = "";
        if (views->line != 0) snprintf(where, sizeof where, " in line %u", (unsigned)views->line);
        return rejected_at(slot->target->file, p->line,
                           "the size of %%%s is not known: %s%s; write it, as in '%s:%sx16x16'",
                           p->name, views->reason, where, r->text, p->elem);
    }
    array->rank = views->rank;
    memcpy(array->shape, views->shape, views->rank * sizeof views->shape[0]);
    return FINE;
}

static int make_array(const Slot *slot, const Request *r, const ptoasm_buffer *views, Elem elem,
                      Array *array) {
    const ptoasm_param *p = &slot->param;
    int rc = FINE;
    if (r->shaped)
        *array = r->shape;
    else
        rc = shape_of_views(slot, r, views, array);
    if (rc != FINE) return rc;
    if (array->elem == ELEM_NONE) array->elem = elem;
    if (!fits(array->elem, elem))
        return rejected_at(slot->target->file, p->line,
                           "%%%s is %s, but '%s' has elements of type %s", p->name, p->type,
                           r->text, elem_infos[array->elem].text);
    if (!array_measure(array)) return trouble("argument '%s': the size overflows", r->text);
    if (!array_allocate(array))
        return trouble("argument '%s': out of memory for %zu bytes", r->text, array->bytes);
    if (r->source == FROM_RANDOM) array_randomize(array, r->seed);
    if ((r->source == FROM_ONES || r->source == FROM_IOTA) &&
        !array_count(array, r->source == FROM_ONES, r->source == FROM_IOTA))
        return rejected_at(slot->target->file, p->line,
                           "%%%s is %s: '%s' makes no elements of that type", p->name, p->type,
                           r->text);
    return FINE;
}

/* Derives the array's shape from the type of a tile or view. */
static void views_of_handle(const ptoasm_param *p, ptoasm_buffer *views) {
    *views = (ptoasm_buffer){.known = true, .line = p->line, .reason = "its type leaves it open"};
    views->rank = p->rank;
    for (uint32_t i = 0; i < p->rank; i++) {
        views->shape[i] = p->shape[i];
        views->known &= p->shape[i] != PTOASM_EXTENT_ANY;
    }
    size_t size = elem_infos[elem_from_text(p->elem, strlen(p->elem))].bytes;
    if (p->kind != PTOASM_PARAM_TILE || size == 0 ||
        p->bytes == (uint64_t)(p->shape[0] * p->shape[1]) * size)
        return;
    views->rank = 1; /* the tile has gaps between its lines */
    views->shape[0] = (int64_t)(p->bytes / size);
}

static bool fits_view(const ptoasm_param *p, const Array *a) {
    if (a->rank != p->rank) return false;
    for (unsigned i = 0; i < a->rank; i++)
        if (p->shape[i] != PTOASM_EXTENT_ANY && p->shape[i] != a->shape[i]) return false;
    return true;
}

/* Fills the handle with the array, whose size must fit. */
static int take_handle(const Slot *slot, const char *text, Argument *arg) {
    const ptoasm_param *p = &slot->param;
    Array *a = &arg->array;
    bool tile = p->kind == PTOASM_PARAM_TILE;
    if (tile ? a->bytes != p->bytes : !fits_view(p, a)) {
        ptoasm_buffer views;
        char takes[SHAPE_TEXT];
        views_of_handle(p, &views);
        shape_text(views.shape, views.rank, takes);
        return rejected_at(slot->target->file, p->line,
                           "%%%s is %s: the array of '%s' does not fit %s", p->name, p->type, text,
                           takes);
    }
    arg->handle = true;
    arg->memory = (Handle){.data = a->data, .bytes = a->bytes};
    for (unsigned i = 0; i < a->rank && !tile; i++)
        arg->memory.shape[i] = a->shape[i];
    return FINE;
}

static int find_views(const Slot *slot, ptoasm_buffer *views) {
    if (slot->param.kind != PTOASM_PARAM_POINTER) {
        views_of_handle(&slot->param, views);
        return FINE;
    }
    int status = ptoasm_kernel_buffer(slot->target->res, slot->target->index, slot->index,
                                      slot->launch, views);
    return status == PTOASM_OK ? FINE : trouble("%s", ptoasm_status_text(status));
}

static int read_buffer(const Slot *slot, const char *text, Elem elem, Argument *arg) {
    Request r;
    int rc = request_read(text, &r);
    if (rc == FINE) rc = find_views(slot, &arg->views);
    if (rc == FINE)
        rc = r.source == FROM_FILE ? read_file(slot, &r, elem, arg)
                                   : make_array(slot, &r, &arg->views, elem, &arg->array);
    if (rc == FINE && slot->param.kind != PTOASM_PARAM_POINTER) rc = take_handle(slot, text, arg);
    if (rc == FINE) {
        arg->out = r.out;
        arg->unwritten = r.out != NULL && r.source == FROM_NOTHING;
        r.out = NULL;
    }
    request_free(&r);
    return rc;
}

/* ---- the argument ---- */

/* Parses four lanes of 16 bits: `1,2,3,4`, or `7` for all. */
static bool lanes_from_text(const char *text, uint64_t *bits) {
    uint64_t lane = 0;
    char word[24];
    unsigned n = 0;
    *bits = 0;
    for (const char *p = text; n < 4; p++) {
        size_t length = strcspn(p, ",");
        if (length >= sizeof word) return false;
        memcpy(word, p, length);
        word[length] = '\0';
        if (!scalar_from_text(ELEM_I16, word, &lane)) return false;
        *bits |= (lane & 0xFFFF) << (16 * n++);
        p += length;
        if (*p == '\0') break;
        if (n == 4) return false;
    }
    if (n == 1) *bits *= UINT64_C(0x0001000100010001);
    return n == 1 || n == 4;
}

/* `window:BYTES` is memory that all ranks can access; the parameter gets the addresses. */
static const char window_word[] = "window:";

static bool is_window(const char *text) {
    return strncmp(text, window_word, sizeof window_word - 1) == 0;
}

static int read_window(const Slot *slot, const char *text, Argument *arg) {
    const ptoasm_param *p = &slot->param;
    const char *bytes = text + sizeof window_word - 1;
    if (slot->target->ranks == 0) return trouble("argument '%s' needs --ranks", text);
    if (strcmp(p->elem, "i64") != 0 && strcmp(p->elem, "ui64") != 0)
        return rejected_at(slot->target->file, p->line,
                           "%%%s is %s, but a window has addresses, of 64 bits", p->name, p->type);
    if (number_from_text(bytes, UINT64_MAX, &arg->window) && arg->window > 0) return FINE;
    return trouble("argument '%s': '%s' is not a number of bytes, as in window:4096", text, bytes);
}

void *argument_address(Argument *arg) {
    if (arg->window > 0) return arg->context;
    if (arg->handle) return &arg->memory;
    return arg->array.data != NULL ? (void *)arg->array.data : &arg->bits;
}

int argument_read(const Slot *slot, const char *text, Argument *arg) {
    const ptoasm_param *p = &slot->param;
    Elem elem = elem_from_text(p->elem, strlen(p->elem));
    switch (p->kind) {
    case PTOASM_PARAM_POINTER:
    case PTOASM_PARAM_TILE:
    case PTOASM_PARAM_VIEW:
        if (elem == ELEM_NONE || elem == ELEM_INDEX) break;
        if (p->kind == PTOASM_PARAM_POINTER && is_window(text)) return read_window(slot, text, arg);
        return read_buffer(slot, text, elem, arg);
    case PTOASM_PARAM_SCALAR:
        if (elem == ELEM_NONE ? lanes_from_text(text, &arg->bits)
                              : scalar_from_text(elem, text, &arg->bits))
            return FINE;
        return rejected_at(slot->target->file, p->line,
                           "'%s' is not a number that %%%s, of type %s, can take", text, p->name,
                           p->type);
    default:
        break;
    }
    rejected_at(slot->target->file, p->line, "'run' cannot pass anything to %%%s, of type %s",
                p->name, p->type);
    return NO_CODE;
}

void argument_free(Argument *arg) {
    if (!arg->shares) array_free(&arg->array);
    free(arg->out);
    *arg = (Argument){0};
}
