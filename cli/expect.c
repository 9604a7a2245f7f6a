/* SPDX-License-Identifier: Apache-2.0 */
/* ptoasm run --expect compares the array of a parameter, or a tile at a line, with the one in a
 * file. */
#include "cli/dump.h"
#include "cli/numbers.h"
#include "cli/run_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- messages ---- */

static void put_index(const Array *a, size_t i) {
    size_t index[MAX_RANK];
    element_index(a, i, index);
    fputc('[', stderr);
    for (unsigned k = 0; k < a->rank; k++)
        fprintf(stderr, "%s%zu", k > 0 ? ", " : "", index[k]);
    fputc(']', stderr);
}

static void put_pair(const Array *got, const Array *want, size_t i) {
    char text[NUMBER_TEXT];
    double absolute;
    uint64_t steps;
    put_index(got, i);
    element_text(got, i, text);
    fprintf(stderr, ": got %s", text);
    element_text(want, i, text);
    fprintf(stderr, ", want %s", text);
    if (!element_distance(got, want, i, &absolute, &steps)) return;
    fprintf(stderr, ", distance %.6g", absolute);
    if (!elem_has_steps(got->elem)) fprintf(stderr, " (%" PRIu64 " ulp)", steps);
}

static void put_difference(const Target *target, const Compared *c) {
    char text[2 * PATH_MAX], where[64] = "";
    if (c->taken != NULL)
        snprintf(where, sizeof where, " (block %lld, %s, iteration %llu)",
                 (long long)c->taken->block, place_names[c->taken->place],
                 (unsigned long long)c->taken->iteration);
    snprintf(text, sizeof text, "%s differs from '%s' in %zu of %zu elements%s", c->name, c->file,
             c->outcome.wrong, c->outcome.elements, where);
    put_run_message(stderr, target, c->line, text);
    fputs("  first ", stderr);
    put_pair(c->got, c->want, c->outcome.first);
    if (c->outcome.worst != c->outcome.first) {
        fputs("\n  worst ", stderr);
        put_pair(c->got, c->want, c->outcome.worst);
    }
    fputc('\n', stderr);
}

/* Compares and reports. Returns FINE, REJECTED, or TROUBLE after a message. */
static int judge(const Target *target, Compared *c, const Tolerance *t) {
    if (!arrays_compare(c->got, c->want, t, &c->outcome)) return trouble("out of memory");
    if (run_report_on())
        run_report_comparison(target, c);
    else if (c->outcome.wrong > 0)
        put_difference(target, c);
    return c->outcome.wrong > 0 ? REJECTED : FINE;
}

static int worse(int a, int b) {
    return a > b ? a : b;
}

/* ---- arrays of parameters ---- */

static bool same_shape(const Array *a, const Array *b) {
    return a->rank == b->rank && memcmp(a->shape, b->shape, a->rank * sizeof a->shape[0]) == 0;
}

static void array_text(const Array *a, char out[SHAPE_TEXT]) {
    shape_text(a->shape, a->rank, out);
    if (a->rank == 0) snprintf(out, SHAPE_TEXT, "one number");
}

/* Says what else the file may hold. */
static const char *or_wide(Elem e) {
    return elem_is_narrow(e) ? " (the bits), or 'f4'" : e == ELEM_F16 ? ", or 'f4'" : "";
}

static int wrong_shape(const Target *target, uint32_t line, const char *file, const Array *gold,
                       const char *name, const Array *array) {
    char a[SHAPE_TEXT], b[SHAPE_TEXT];
    array_text(gold, a);
    array_text(array, b);
    return rejected_at(target->file, line, "--expect: '%s' holds %s, and %s %s", file, a, name, b);
}

static int read_gold(const Target *target, const Argument *args, Expectation *e) {
    ptoasm_param p;
    ptoasm_kernel_param(target->res, target->index, e->param, &p);
    const Array *array = &args[e->param].array;
    char type[NPY_TYPE], name[PATH_MAX];
    if (array->data == NULL)
        return rejected_at(target->file, p.line, "--expect: %%%s is not an array", p.name);
    int rc = npy_read_gold(e->file, array->elem, &e->gold, type);
    if (rc == REJECTED)
        return rejected_at(target->file, p.line,
                           "--expect: '%s' holds elements of type '%s', and %%%s those of '%s'%s",
                           e->file, type, p.name, npy_code(array->elem), or_wide(array->elem));
    if (rc != FINE || same_shape(array, &e->gold)) return rc;
    snprintf(name, sizeof name, "%%%s", p.name);
    return wrong_shape(target, p.line, e->file, &e->gold, name, array);
}

int expectations_read(const Target *target, const char *const *texts, size_t n,
                      const Argument *args, Expectation *list) {
    for (size_t i = 0; i < n; i++) {
        int rc = param_named(target, texts[i], &list[i].param, &list[i].file);
        if (rc == FINE) rc = read_gold(target, args, &list[i]);
        if (rc != FINE) return rc;
    }
    return FINE;
}

static int judge_param(const Target *target, const Argument *args, const Expectation *e,
                       const Tolerance *t) {
    ptoasm_param p;
    char name[PATH_MAX];
    const Array *got = &args[e->param].array;
    ptoasm_kernel_param(target->res, target->index, e->param, &p);
    snprintf(name, sizeof name, "%%%s", p.name);
    Compared c = {.name = name, .line = p.line, .file = e->file, .got = got, .want = &e->gold};
    return judge(target, &c, t);
}

int expectations_judge(const Target *target, const Argument *args, const Expectation *list,
                       size_t n, const Tolerance *t) {
    int rc = FINE;
    for (size_t i = 0; i < n; i++)
        rc = worse(rc, judge_param(target, args, &list[i], t));
    return rc;
}

void expectations_free(Expectation *list, size_t n) {
    for (size_t i = 0; i < n; i++)
        array_free(&list[i].gold);
}

/* ---- tiles at a line ---- */

/* Reads `%t@LINE=FILE`; false when it is not one. */
static bool tile_wish(const char *text, TileWish *w) {
    if (*text == '%') text++;
    const size_t n = strcspn(text, "@="), digits = n + 1;
    uint64_t line;
    char number[16];
    if (text[n] != '@' || n == 0 || n >= sizeof w->name) return false;
    const size_t length = strcspn(text + digits, "=");
    if (text[digits + length] != '=' || length >= sizeof number) return false;
    memcpy(number, text + digits, length);
    number[length] = '\0';
    if (!number_from_text(number, UINT32_MAX, &line) || line == 0) return false;
    *w = (TileWish){.line = (uint32_t)line, .file = text + digits + length + 1};
    memcpy(w->name, text, n);
    w->name[n] = '\0';
    return true;
}

/* Reads how many executions the file has. */
static int read_count(TileWish *w) {
    Array file = {.rank = 0};
    if (npy_shape(w->path, &file) != FINE) return TROUBLE;
    if (file.rank != 2 && file.rank != 3)
        return trouble("--expect: '%s' has %u dimensions, a tile has 2, and all executions of "
                       "its line have 3",
                       w->file, file.rank);
    w->all = file.rank == 3;
    w->count = file.shape[0];
    return FINE;
}

/* True for a file that --reference will write. */
static bool is_later(const Options *opt, const TileWish *w) {
    return opt->run.reference != NULL && strstr(w->file, "{}") != NULL;
}

int tile_wishes_read(Options *opt, TileWish wishes[MOST_EXPECTS], unsigned *n) {
    unsigned left = 0;
    *n = 0;
    for (unsigned i = 0; i < opt->run.nexpects; i++) {
        TileWish *w = &wishes[*n];
        if (!tile_wish(opt->run.expects[i], w)) {
            opt->run.expects[left++] = opt->run.expects[i];
            continue;
        }
        ++*n;
        if (opt->run.ranks > 0)
            return trouble("--expect=%s: a tile is not compared with --ranks", opt->run.expects[i]);
        if (opt->run.times > 0)
            return trouble("--expect=%s: a tile is not compared with --time", opt->run.expects[i]);
        if ((w->path = strdup(w->file)) == NULL) return trouble("out of memory");
        if (!is_later(opt, w) && read_count(w) != FINE) return TROUBLE;
    }
    opt->run.nexpects = left;
    return FINE;
}

int tile_wishes_fill(const Reference *r, TileWish *wishes, unsigned n) {
    for (unsigned i = 0; i < n; i++) {
        TileWish *w = &wishes[i];
        if (strstr(w->file, "{}") == NULL) continue;
        free(w->path);
        w->path = braces_filled(w->file, r->folder);
        if (w->path == NULL) return trouble("out of memory");
        if (read_count(w) != FINE) return TROUBLE;
    }
    return FINE;
}

void tile_wishes_free(TileWish *wishes, unsigned n) {
    for (unsigned i = 0; i < n; i++) {
        for (size_t k = 0; k < wishes[i].n; k++)
            free(wishes[i].taken[k].array.data);
        free(wishes[i].taken);
        free(wishes[i].path);
    }
}

bool matrix_corner(const Array *from, int64_t at, int64_t rows, int64_t cols, Array *out) {
    const size_t size = elem_infos[from->elem].bytes;
    const int64_t height = from->shape[from->rank - 2], width = from->shape[from->rank - 1];
    *out = (Array){.elem = from->elem, .rank = 2, .shape = {rows, cols}};
    if (!array_measure(out) || !array_allocate(out)) return false;
    for (int64_t r = 0; r < rows; r++)
        memcpy(out->data + (size_t)(r * cols) * size,
               from->data + (size_t)((at * height + r) * width) * size, (size_t)cols * size);
    return true;
}

/* Compares the valid region of a tile with matrix `at` of the file, which has the size of the
 * valid region or of the whole tile. */
static int judge_tile(const Target *target, const TileWish *w, const Taken *k, const Array *gold,
                      int64_t at, const Tolerance *t) {
    char name[80];
    Array got = {0}, want = {0};
    Array valid = {.rank = 2, .shape = {k->valid[0], k->valid[1]}};
    snprintf(name, sizeof name, "%%%s", w->name);
    const int64_t *shape = gold->shape + (gold->rank - 2);
    const bool fits = (shape[0] == k->valid[0] && shape[1] == k->valid[1]) ||
                      (shape[0] == k->array.shape[0] && shape[1] == k->array.shape[1]);
    if (!fits) return wrong_shape(target, w->line, w->file, gold, name, &valid);
    int rc = FINE;
    if (!matrix_corner(&k->array, 0, k->valid[0], k->valid[1], &got) ||
        !matrix_corner(gold, at, k->valid[0], k->valid[1], &want))
        rc = trouble("out of memory");
    Compared c = {
        .name = name, .line = w->line, .file = w->file, .got = &got, .want = &want, .taken = k};
    if (rc == FINE) rc = judge(target, &c, t);
    array_free(&got);
    array_free(&want);
    return rc;
}

/* True when every core has executed the line as often as the file has tiles. */
static bool runs_as_often(const TileWish *w) {
    size_t cores = 0, complete = 0;
    for (size_t i = 0; i < w->n; i++) {
        const int64_t iteration = (int64_t)w->taken[i].iteration;
        if (iteration >= w->count) return false;
        cores += iteration == 0;
        complete += iteration == w->count - 1;
    }
    return cores == complete;
}

/* Finds the matrix of an execution in a file that has all: they follow each other for each core. */
static int judge_executions(const Target *target, const TileWish *w, const Array *gold,
                            const Tolerance *t) {
    int rc = FINE;
    if (w->all && !runs_as_often(w))
        return rejected_at(target->file, w->line,
                           "--expect: '%s' holds %lld tiles, and this line does not run as often",
                           w->file, (long long)w->count);
    for (size_t i = 0; i < w->n && rc != TROUBLE; i++) {
        const Taken *k = &w->taken[i];
        rc = worse(rc, judge_tile(target, w, k, gold, w->all ? (int64_t)k->iteration : 0, t));
    }
    return rc;
}

static int judge_wish(const Target *target, const TileWish *w, const Tolerance *t) {
    Array gold = {0};
    char type[NPY_TYPE];
    if (w->n == 0)
        return rejected_at(target->file, w->line,
                           "--expect: this line has not run where %%%s would be compared", w->name);
    const Elem elem = w->taken[0].array.elem;
    int rc = npy_read_gold(w->path, elem, &gold, type);
    if (rc == REJECTED)
        return rejected_at(target->file, w->line,
                           "--expect: '%s' holds elements of type '%s', and %%%s those of '%s'%s",
                           w->file, type, w->name, npy_code(elem), or_wide(elem));
    if (rc == FINE) rc = judge_executions(target, w, &gold, t);
    array_free(&gold);
    return rc;
}

int tile_wishes_judge(const Target *target, TileWish *wishes, unsigned n, const Tolerance *t) {
    int rc = FINE;
    for (unsigned i = 0; i < n && rc != TROUBLE; i++)
        rc = worse(rc, judge_wish(target, &wishes[i], t));
    return rc;
}
