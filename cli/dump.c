/* SPDX-License-Identifier: Apache-2.0 */
/* ptoasm run --dump: writes the tiles that statements define as .npy files with an index. */
#include "cli/dump.h"
#include "cli/numbers.h"
#include "cli/report_values.h"
#include "runtime/ptort_observe.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const place_names[CORES] = {"cube", "vec0", "vec1"};

struct Dump {
    const Target *target;
    const Code *code;
    const char *folder; /* NULL: no --dump */
    size_t requests;    /* of --dump; those of the wishes follow */
    TileWish *wishes;
    json_t *tiles;      /* of the index */
    json_t *executions; /* of each request, value and core, by a key */
    uint64_t serial;
    bool failed;
    pthread_mutex_t lock; /* threads of a run hand out tiles at once */
};

/* ---- requests ---- */

size_t dump_requests(const Options *opt, const TileWish *wishes, unsigned n, ptoasm_dump *out) {
    size_t count = 0;
    if (opt->run.dump[0] != '\0' && opt->run.ndump_lines == 0)
        out[count++] = (ptoasm_dump){.name = NULL};
    for (unsigned i = 0; i < opt->run.ndump_lines; i++)
        out[count++] = (ptoasm_dump){.line = opt->run.dump_lines[i]};
    for (unsigned i = 0; i < n; i++)
        out[count++] = (ptoasm_dump){wishes[i].name, wishes[i].line, "--expect"};
    return count;
}

/* ---- one tile ---- */

static Elem elem_of(const char *type) {
    const size_t n = strlen(type);
    for (int e = 0; e < ELEM_COUNT; e++) {
        const char *text = elem_infos[e].text;
        if (strncmp(text, "!pto.", 5) == 0) text += 5;
        if (strlen(text) == n && memcmp(text, type, n) == 0) return (Elem)e;
    }
    return ELEM_NONE;
}

static bool copy_tile(const Dump *d, const ptrt_dump *t, Array *out) {
    *out = (Array){.elem = elem_of(t->type), .rank = 2, .shape = {t->shape[0], t->shape[1]}};
    if (out->elem == ELEM_NONE || !array_measure(out) || !array_allocate(out)) return false;
    d->code->dump_copy(t, out->data);
    return true;
}

/* Counts the executions of a statement on a core, per value; returns those before. */
static uint64_t count_execution(Dump *d, const ptrt_dump *t) {
    const size_t size = strlen(t->name) + 100; /* five numbers */
    char *key = must_alloc(size);
    snprintf(key, size, "%u %u %s %lld %d %d", t->request, t->line, t->name, (long long)t->block,
             t->place, t->rank);
    const json_int_t n = json_integer_value(json_object_get(d->executions, key));
    json_put(d->executions, key, json_integer(n + 1));
    free(key);
    return (uint64_t)n;
}

enum { FILE_NAME = 200, LONG_VALUE = 64 };

/* Names a file: LINE-VALUE-bBLOCK-CORE-ITERATION.npy. The start of a long value may not be enough,
 * so that the number of the tile follows it. */
static void file_name(const Dump *d, const ptrt_dump *t, uint64_t iteration, char out[FILE_NAME]) {
    char more[24] = "";
    int n = t->ranks > 1 ? snprintf(out, FILE_NAME, "r%d-", t->rank) : 0;
    if (strlen(t->name + 1) > LONG_VALUE)
        snprintf(more, sizeof more, "~%llu", (unsigned long long)d->serial);
    snprintf(out + n, FILE_NAME - (size_t)n, "%u-%.*s%s-b%lld-%s-%llu.npy", t->line, LONG_VALUE,
             t->name + 1, more, (long long)t->block, place_names[t->place],
             (unsigned long long)iteration);
    for (char *p = out; *p != '\0'; p++)
        if (*p == '#' || *p == '/') *p = '.';
}

static char *path_in(const char *folder, const char *name) {
    char *path = must_alloc(strlen(folder) + strlen(name) + 2);
    sprintf(path, "%s/%s", folder, name);
    return path;
}

static int write_array(const char *path, const Array *a) {
    Output out;
    int rc = output_open(&out, path);
    if (rc == FINE && !npy_write(&out, a)) rc = TROUBLE;
    if (rc == FINE) rc = output_commit(&out);
    output_drop(&out);
    return rc;
}

static json_t *pair(const int64_t *values) {
    json_t *list = json_array();
    json_add(list, json_integer(values[0]));
    json_add(list, json_integer(values[1]));
    return list;
}

static json_t *author_json(const Dump *d, uint32_t line) {
    ptoasm_location l;
    ptoasm_result *res = d->target->res;
    if (!ptoasm_location_at(res, statement_on_line(res, line), 0, &l)) return json_null();
    json_t *o = json_object();
    json_put(o, "file", json_text(l.file));
    json_put(o, "line", json_integer(l.line));
    json_put(o, "column", l.column != 0 ? json_integer(l.column) : json_null());
    return o;
}

static json_t *tile_json(const Dump *d, const ptrt_dump *t, const char *name, uint64_t iteration,
                         const Array *a) {
    char code[8];
    json_t *o = json_object();
    snprintf(code, sizeof code, "%c%s", elem_infos[a->elem].bytes == 1 ? '|' : '<',
             npy_code(a->elem));
    json_put(o, "file", json_text(name));
    json_put(o, "value", json_text(t->name));
    json_put(o, "line", json_integer(t->line));
    if (t->ranks > 1) json_put(o, "rank", json_integer(t->rank));
    json_put(o, "block", json_integer(t->block));
    json_put(o, "core", json_string(place_names[t->place]));
    json_put(o, "iteration", json_integer((json_int_t)iteration));
    json_put(o, "serial", json_integer((json_int_t)d->serial));
    json_put(o, "type", json_string(t->type));
    json_put(o, "npy", json_string(code));
    json_put(o, "shape", pair(t->shape));
    json_put(o, "valid", pair(t->valid));
    json_put(o, "space", json_string(t->space));
    json_put(o, "layout", json_string(t->layout));
    json_put(o, "source", author_json(d, t->line));
    return o;
}

/* Writes a tile; bf16 and the floats of 8 bits as f32, which holds their numbers exactly. */
static bool write_tile(Dump *d, const ptrt_dump *t, uint64_t iteration, Array *tile) {
    char name[FILE_NAME];
    Array wide = {0};
    const bool narrow = elem_is_narrow(tile->elem);
    if (narrow && !array_widen(tile, &wide)) return trouble("out of memory") == FINE;
    const Array *a = narrow ? &wide : tile;
    file_name(d, t, iteration, name);
    char *path = path_in(d->folder, name);
    const bool fine = write_array(path, a) == FINE;
    if (fine) json_add(d->tiles, tile_json(d, t, name, iteration, a));
    d->serial += fine;
    free(path);
    array_free(&wide);
    return fine;
}

/* ---- tiles that are compared ---- */

/* Returns the place for an execution: that of the last one on the core, or a new one. */
static Taken *taken_place(TileWish *w, const ptrt_dump *t) {
    for (size_t i = 0; i < w->n && !w->all; i++)
        if (w->taken[i].block == t->block && w->taken[i].place == t->place &&
            w->taken[i].rank == t->rank) {
            free(w->taken[i].array.data);
            return &w->taken[i];
        }
    if (w->n == w->cap) {
        w->cap = w->cap != 0 ? w->cap * 2 : 16;
        Taken *grown = realloc(w->taken, w->cap * sizeof *grown);
        if (grown == NULL) out_of_memory();
        w->taken = grown;
    }
    return &w->taken[w->n++];
}

/* Of all executions keeps those that the file has, and one more, which is an error. */
static void keep_tile(TileWish *w, const ptrt_dump *t, uint64_t iteration, const Array *tile) {
    if (w->all && (int64_t)iteration > w->count) return;
    Array kept = *tile;
    kept.map = NULL;
    kept.data = must_alloc(tile->bytes);
    memcpy(kept.data, tile->data, tile->bytes);
    *taken_place(w, t) = (Taken){.block = t->block,
                                 .place = t->place,
                                 .rank = t->rank,
                                 .iteration = iteration,
                                 .valid = {t->valid[0], t->valid[1]},
                                 .array = kept};
}

/* ---- the run ---- */

static int receive(void *user, const ptrt_dump *t) {
    Dump *d = user;
    Array tile = {0};
    pthread_mutex_lock(&d->lock);
    bool fine = !d->failed;
    if (fine && !copy_tile(d, t, &tile)) fine = trouble("out of memory") == FINE;
    if (fine) {
        const uint64_t iteration = count_execution(d, t);
        if (t->request < d->requests)
            fine = write_tile(d, t, iteration, &tile);
        else
            keep_tile(&d->wishes[t->request - d->requests], t, iteration, &tile);
    }
    array_free(&tile);
    d->failed = !fine;
    pthread_mutex_unlock(&d->lock);
    return fine ? 0 : 1;
}

static int make_folder(const char *folder) {
    struct stat st;
    if (mkdir(folder, 0777) == 0) return FINE;
    const int error = errno;
    if (error == EEXIST && stat(folder, &st) == 0 && S_ISDIR(st.st_mode)) {
        if (access(folder, W_OK | X_OK) == 0) return FINE;
        return trouble("--dump: cannot write to the folder '%s': %s", folder, strerror(errno));
    }
    return trouble("--dump: cannot make the folder '%s': %s", folder, strerror(error));
}

int dump_begin(const Target *target, const Options *opt, TileWish *wishes, unsigned n,
               const Code *code, Dump **out) {
    *out = NULL;
    code->show_only(opt->run.only_block, opt->run.only_core);
    const char *folder = opt->run.dump[0] != '\0' ? opt->run.dump : NULL;
    if (folder == NULL && n == 0) return FINE;
    if (folder != NULL && make_folder(folder) != FINE) return TROUBLE;
    json_prepare();
    Dump *d = must_alloc(sizeof *d);
    *d = (Dump){.target = target,
                .code = code,
                .folder = folder,
                .requests = folder == NULL             ? 0
                            : opt->run.ndump_lines > 0 ? opt->run.ndump_lines
                                                       : 1,
                .wishes = wishes,
                .tiles = json_array(),
                .executions = json_object()};
    pthread_mutex_init(&d->lock, NULL);
    code->dump_to(receive, d);
    *out = d;
    return FINE;
}

/* The tiles of a core are in the order of the program, whatever the threads do. */
static json_t *index_json(const Dump *d) {
    json_t *o = json_object();
    json_put(o, "program", json_text(d->target->file));
    json_put(o, "function", json_text(d->target->kernel.name));
    json_put(o, "blocks", json_integer(d->target->blocks));
    json_put(o, "tiles", json_incref(d->tiles));
    return o;
}

static int write_index(const Dump *d) {
    json_t *o = index_json(d);
    char *text = json_dumps(o, JSON_INDENT(1)), *path = path_in(d->folder, "index.json");
    if (text == NULL) out_of_memory();
    const size_t n = strlen(text);
    text[n] = '\n'; /* in place of the NUL */
    const int rc = output_file(path, text, n + 1);
    free(path);
    free(text);
    json_decref(o);
    return rc;
}

static void remove_files(const Dump *d) {
    size_t i;
    json_t *tile;
    json_array_foreach(d->tiles, i, tile) {
        char *path = path_in(d->folder, json_string_value(json_object_get(tile, "file")));
        unlink(path);
        free(path);
    }
}

int dump_end(Dump *d) {
    if (d == NULL) return FINE;
    d->code->dump_to(NULL, NULL);
    int rc = d->failed ? TROUBLE : FINE;
    if (rc == FINE && d->folder != NULL) rc = write_index(d);
    if (rc == FINE && d->folder != NULL && json_array_size(d->tiles) == 0)
        caution("--dump: no statement that defines a tile has run on the chosen block and core");
    if (rc != FINE && d->folder != NULL) remove_files(d);
    json_decref(d->tiles);
    json_decref(d->executions);
    pthread_mutex_destroy(&d->lock);
    free(d);
    return rc;
}
