/* SPDX-License-Identifier: Apache-2.0 */
/* ptoasm time --points: the cycles of single instructions, beside those of a file. */
#include "cli/run.h"
#include "cli/timed.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { SOURCE, PROFILE_CELL, INSTR, DTYPE, ROWS, COLS, VROWS, VCOLS, EXTRA, CELLS };

typedef struct Point {
    const char *cell[CELLS + 1];
    int64_t rows, cols, vrows, vcols;
    Elem from, to;
} Point;

/* Reads the name of an element type; those of floats of 8 and 4 bits are in small letters here. */
static Elem point_elem(const char *s, size_t n) {
    static const struct {
        const char *name;
        Elem elem;
    } small[] = {{"f8e4m3", ELEM_F8E4M3},
                 {"f8e5m2", ELEM_F8E5M2},
                 {"hif8", ELEM_HIF8},
                 {"f4e1m2", ELEM_F4E1M2X2},
                 {"f4e2m1", ELEM_F4E2M1X2}};
    for (size_t i = 0; i < sizeof small / sizeof *small; i++)
        if (strlen(small[i].name) == n && strncasecmp(s, small[i].name, n) == 0)
            return small[i].elem;
    return elem_from_text(s, n);
}

static bool read_types(Point *pt) {
    const char *s = pt->cell[DTYPE], *arrow = strstr(s, "->");
    const size_t n = arrow != NULL ? (size_t)(arrow - s) : strlen(s);
    pt->from = pt->to = point_elem(s, n);
    if (arrow != NULL) pt->to = point_elem(arrow + 2, strlen(arrow + 2));
    return pt->from != ELEM_NONE && pt->to != ELEM_NONE;
}

static bool read_extent(const char *s, int64_t *out) {
    uint64_t v;
    if (!number_from_text(s, 1 << 24, &v)) return false;
    *out = (int64_t)v;
    return true;
}

static int elem_bytes(Elem e) {
    return elem_infos[e].bytes;
}

/* An operation of a vector function. The published tables write the kind of comparison or the types
 * of a conversion after its name: vcmp_eq, vcvt_f16_to_f32. */
static const Inst *find_step(const char *name) {
    char text[64];
    const int n = snprintf(text, sizeof text, "pto.%s", name);
    if (n < 0 || n >= (int)sizeof text) return NULL;
    const Inst *inst = inst_find(text, (size_t)n);
    return inst != NULL ? inst : inst_find(text, strcspn(text, "_"));
}

/* Reads the column extra of an operation of a vector function: the loads a turn, `1 load`. */
static bool read_loads(const char *s, int *out) {
    char digits[8];
    uint64_t v;
    const size_t n = strcspn(s, " ");
    if (n == 0 || n >= sizeof digits) return false;
    memcpy(digits, s, n);
    digits[n] = '\0';
    if (s[n] != '\0' && strcmp(s + n, " load") != 0 && strcmp(s + n, " loads") != 0) return false;
    if (!number_from_text(digits, 64, &v)) return false;
    *out = (int)v;
    return true;
}

/* A transfer, as the instruction and the spaces in the extra column say; false: it is none. */
static bool price_move(const TimeParams *p, const Point *pt, Price *out) {
    const char *name = pt->cell[INSTR], *extra = pt->cell[EXTRA];
    const bool vec = strstr(extra, "vec") != NULL, mat = strstr(extra, "mat") != NULL;
    Route route = ROUTE_COUNT;
    if (strcmp(name, "tload") == 0)
        route = vec ? ROUTE_GM_UB : ROUTE_GM_L1;
    else if (strcmp(name, "tstore") == 0)
        route = vec ? ROUTE_UB_GM : mat ? ROUTE_L1_GM : ROUTE_L0C_GM;
    else if (mat)
        route = strstr(extra, "left") != NULL ? ROUTE_L1_L0A : ROUTE_L1_L0B;
    if (route == ROUTE_COUNT) return false;
    *out = price_transfer(p, route, pt->vrows * pt->vcols, elem_bytes(pt->to));
    return true;
}

/* Returns why there is no price, or NULL. */
static const char *price_point(const TimeParams *p, const Point *pt, Price *out) {
    static const char unknown[] = "there is no instruction of this name";
    char name[64];
    const char *extra = pt->cell[EXTRA];
    const bool a5 = p->profile == PROFILE_A5;
    int loads;
    uint64_t block = 0;
    if (a5 && pt->cell[INSTR][0] == 'v') { /* an operation of a vector function */
        const Inst *step = find_step(pt->cell[INSTR]);
        if (step == NULL) return unknown;
        if (!read_loads(extra, &loads)) return "the column extra is not 'N loads'";
        *out = price_steps(p, inst_id(inst_meant(step)), pt->from, pt->to, pt->cols, 1, loads);
        return NULL;
    }
    if (!a5 && price_move(p, pt, out)) return NULL;
    const int n = snprintf(name, sizeof name, "pto.%s", pt->cell[INSTR]);
    const Inst *inst = n < (int)sizeof name ? inst_find(name, (size_t)n) : NULL;
    if (inst == NULL) return unknown;
    if (strncmp(pt->cell[INSTR], "tmatmul", 7) == 0) {
        *out = price_product(p, pt->from, pt->rows, pt->cols, pt->vcols);
        return NULL;
    }
    if (inst_id(inst_meant(inst)) == INST_TMRGSORT && *extra != '\0' &&
        !number_from_text(extra, 1 << 24, &block))
        return "the column extra is not the length of a block";
    const Work w = {.inst = inst_meant(inst),
                    .from = pt->from,
                    .to = pt->to,
                    .rows = pt->rows,
                    .cols = pt->cols,
                    .vrows = pt->vrows,
                    .vcols = pt->vcols,
                    .tree = strcmp(extra, "binary") == 0,
                    .block = (int64_t)block,
                    .variant = a5 && *extra != '\0' ? extra : NULL};
    *out = a5 ? price_curve(p, &w) : price_vector(p, &w, VECTOR_FRESH);
    return NULL;
}

/* Splits a copy of the row at tabs. */
static unsigned split(char *row, const char *cell[], unsigned most) {
    unsigned n = 0;
    for (char *at = row; at != NULL && n < most;) {
        cell[n++] = at;
        at = strchr(at, '\t');
        if (at != NULL) *at++ = '\0';
    }
    return n;
}

/* The parameters of each profile, which are read when its first row comes. */
typedef struct PointParams {
    TimeParams of[PROFILE_COUNT];
    bool read[PROFILE_COUNT];
} PointParams;

static int find_params(PointParams *all, Profile profile, const Options *opt) {
    const int rc = all->read[profile] ? FINE : time_params(&all->of[profile], profile, opt);
    all->read[profile] = true;
    return rc;
}

static int put_point(const Options *opt, PointParams *params, const char *row, size_t n,
                     unsigned line, FILE *to) {
    char copy[512];
    Point pt;
    Profile profile;
    Price price;
    const char *file = opt->time.points;
    if (n >= sizeof copy) return trouble("'%s', line %u: the row is too long", file, line);
    memcpy(copy, row, n);
    copy[n] = '\0';
    if (split(copy, pt.cell, CELLS + 1) < CELLS)
        return trouble("'%s', line %u: expected the columns source, profile, instr, dtype, rows, "
                       "cols, vrows, vcols, extra",
                       file, line);
    if (!profile_from_text(pt.cell[PROFILE_CELL], strlen(pt.cell[PROFILE_CELL]), &profile) ||
        !profile_infos[profile].chip)
        return trouble("'%s', line %u: '%s' is no chip", file, line, pt.cell[PROFILE_CELL]);
    if (!read_types(&pt))
        return trouble("'%s', line %u: '%s' is no element type", file, line, pt.cell[DTYPE]);
    if (!read_extent(pt.cell[ROWS], &pt.rows) || !read_extent(pt.cell[COLS], &pt.cols) ||
        !read_extent(pt.cell[VROWS], &pt.vrows) || !read_extent(pt.cell[VCOLS], &pt.vcols))
        return trouble("'%s', line %u: an extent is no number from 0 to 16777216", file, line);
    const int rc = find_params(params, profile, opt);
    if (rc != FINE) return rc;
    const char *why = price_point(&params->of[profile], &pt, &price);
    if (why != NULL) return trouble("'%s', line %u, '%s': %s", file, line, pt.cell[INSTR], why);
    fprintf(to, "%.*s\t%.8g\n", (int)n, row, price.cycles);
    return FINE;
}

/* The first row names the columns; more may follow. */
static bool is_heading(const char *row, size_t n) {
    static const char columns[] = "source\tprofile\tinstr\tdtype\trows\tcols\tvrows\tvcols\textra";
    const size_t len = sizeof columns - 1;
    return n >= len && memcmp(row, columns, len) == 0 && (n == len || row[len] == '\t');
}

static int no_heading(const char *file, unsigned line) {
    return trouble("'%s', line %u: expected a row that names the columns source, profile, instr, "
                   "dtype, rows, cols, vrows, vcols, extra, with tabs between them",
                   file, line);
}

static int put_points(const Options *opt, const Input *in, FILE *to) {
    PointParams params = {.read = {false}};
    unsigned line = 0;
    bool head = false;
    int rc = FINE;
    for (const char *row = in->data; rc == FINE && *row != '\0';) {
        const size_t n = strcspn(row, "\n");
        const size_t shown = n > 0 && row[n - 1] == '\r' ? n - 1 : n;
        line++;
        if (*row == '#' || shown == 0)
            fprintf(to, "%.*s\n", (int)shown, row);
        else if (!head && !is_heading(row, shown))
            rc = no_heading(opt->time.points, line);
        else if (!head)
            fprintf(to, "%.*s\tmodel\n", (int)shown, row), head = true;
        else
            rc = put_point(opt, &params, row, shown, line, to);
        row += n + (row[n] != '\0');
    }
    if (rc == FINE && !head) rc = no_heading(opt->time.points, line + 1);
    return rc;
}

int time_points(const Options *opt) {
    Input in;
    MemoryText text;
    int rc = input_read(opt->time.points, &in);
    if (rc != FINE) return rc;
    FILE *to = memory_open(&text);
    rc = to == NULL ? trouble("out of memory") : put_points(opt, &in, to);
    if (to != NULL && !memory_close(to, &text)) rc = trouble("out of memory");
    if (rc == FINE) rc = output_file(opt->out != NULL ? opt->out : "-", text.text, text.size);
    if (to != NULL) memory_free(&text);
    input_free(&in);
    return rc;
}
