/* SPDX-License-Identifier: Apache-2.0 */
/* The drawings and tables of the pages for authors, from the tables of the language: drawings
 * FOLDER writes docs/drawings/NAME.svg and the tables that pages hold between marks as NAME.md. */
#include "ir/insts.h"
#include "ir/type.h"
#include "runtime/ptort.h"
#include "verifier/rules/words.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *folder;

static void fail(const char *what, const char *name) {
    fprintf(stderr, "drawings: %s: %s\n", what, name);
    exit(EXIT_FAILURE);
}

static FILE *begin(const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *to = fopen(path, "w");
    if (to == NULL) fail("cannot write", path);
    return to;
}

static void end(FILE *to) {
    if (fclose(to) != 0) fail("cannot write", folder);
}

static FILE *begin_svg(const char *name, const char *title, int width, int height) {
    FILE *to = begin(name);
    fprintf(to,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "viewBox=\"0 0 %d %d\">\n<title>%s</title>\n<style>\n"
            "text { font: 12px sans-serif; fill: #222; }\n"
            ".small { font-size: 11px; fill: #555; }\n"
            ".code { font: 11px monospace; white-space: pre; }\n"
            ".box { fill: #eef3fb; stroke: #446; }\n"
            ".other { fill: #fff6e5; stroke: #446; }\n"
            ".way { fill: none; stroke: #357; marker-end: url(#tip); }\n"
            ".some { stroke-dasharray: 5 3; }\n"
            ".order { fill: none; stroke: #36c; stroke-width: 0.8; }\n"
            ".grid { fill: none; stroke: #999; stroke-width: 0.6; }\n"
            "</style>\n<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" "
            "markerWidth=\"8\" markerHeight=\"8\" orient=\"auto\">"
            "<path d=\"M0 0L8 4L0 8z\" fill=\"#357\"/></marker></defs>\n"
            "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n",
            width, height, width, height, title, width, height);
    return to;
}

static void end_svg(FILE *to) {
    fputs("</svg>\n", to);
    end(to);
}

/* ---- from space to space ---- */

/* Which profiles let an instruction take a tile from one space to another. */
typedef struct Ways {
    const char *by[SPACE_COUNT][SPACE_COUNT];
    ProfileSet where[SPACE_COUNT][SPACE_COUNT];
} Ways;

static void add_way(Ways *w, int from, int to, const char *by, ProfileSet where) {
    w->by[from][to] = by;
    w->where[from][to] |= where;
}

/* Is the row an error for every program of its profiles? */
static bool always_counts(const RuleRow *row) {
    return (row->when == BOTH || row->when == PAGE) && row->guard == 0;
}

/* The spaces that an instruction leaves to an operand under a chip's profile. */
static uint64_t spaces_of(InstId inst, const char *operand, Profile p) {
    unsigned n;
    const RuleRow *rows = rule_rows(inst, &n);
    uint64_t set = UINT64_MAX;
    for (unsigned i = 0; i < n; i++)
        if (rows[i].cond == C_LOCATION && always_counts(&rows[i]) &&
            (rows[i].where & PROFILE_BIT(p)) != 0 &&
            row_is_about(&rows[i], inst_operand_named(&inst_table[inst], operand, strlen(operand))))
            set &= row_args(&rows[i])->set;
    if (set == UINT64_MAX) fail("no rule about its place", operand);
    return set;
}

static void add_between(Ways *w, InstId inst, const char *operand, const char *by, int gm_is_from) {
    for (int p = 0; p < PROFILE_COUNT; p++)
        for (int s = SPACE_MAT; s < SPACE_COUNT && profile_infos[p].chip; s++)
            if ((spaces_of(inst, operand, (Profile)p) >> s & 1) != 0)
                add_way(w, gm_is_from ? SPACE_GM : s, gm_is_from ? s : SPACE_GM, by,
                        PROFILE_BIT(p));
}

static void add_product(Ways *w, InstId inst, const char *operand, const char *dst) {
    for (int p = 0; p < PROFILE_COUNT; p++)
        for (int s = SPACE_MAT; s < SPACE_COUNT && profile_infos[p].chip; s++)
            if ((spaces_of(inst, operand, (Profile)p) >> s & 1) != 0 &&
                (spaces_of(inst, dst, (Profile)p) >> SPACE_ACC & 1) != 0)
                add_way(w, s, SPACE_ACC, inst == INST_TMATMUL ? "tmatmul" : "tmatmul.bias",
                        PROFILE_BIT(p));
}

/* The pairs of tmov, less those that the profile warns of. */
static void add_moves(Ways *w) {
    unsigned n;
    const RuleRow *rows = rule_rows(INST_TMOV, &n);
    for (unsigned i = 0; i < n; i++)
        for (const uint8_t *pair = row_list(&rows[i]);
             rows[i].cond == C_LOCATION_PAIR && always_counts(&rows[i]) && pair[0] != 0; pair += 2)
            add_way(w, pair[0], pair[1], "tmov", rows[i].where);
    for (unsigned i = 0; i < n; i++) {
        const RowGuard *guard = row_guard(&rows[i]);
        if (rows[i].cond != C_LOCATION || rows[i].when != WARN || guard->n != 1) continue;
        const Guard *g = guard_list(guard);
        for (int from = SPACE_MAT; from < SPACE_COUNT; from++)
            for (int to = SPACE_MAT; to < SPACE_COUNT && g->kind == G_SPACE &&
                                     g->index == inst_slot(&inst_table[INST_TMOV], OPERAND_src) &&
                                     g->set == (uint64_t)1 << from;
                 to++)
                if ((row_args(&rows[i])->set >> to & 1) == 0)
                    w->where[from][to] &= (ProfileSet)~rows[i].where;
    }
}

static void find_ways(Ways *w) {
    add_between(w, INST_TLOAD, "dst", "tload", 1);
    add_between(w, INST_TSTORE, "src", "tstore", 0);
    add_product(w, INST_TMATMUL, "lhs", "dst");
    add_product(w, INST_TMATMUL, "rhs", "dst");
    add_product(w, INST_TMATMUL_BIAS, "bias", "dst");
    add_moves(w);
}

/* Where the drawing has a space, and the line of a way with the place of its name. */
typedef struct Frame {
    int x, y, width, height;
} Frame;
static const Frame frames[SPACE_COUNT] = {
    [SPACE_GM] = {20, 20, 680, 40},       [SPACE_VEC] = {40, 150, 130, 56},
    [SPACE_MAT] = {330, 150, 150, 56},    [SPACE_LEFT] = {225, 290, 100, 56},
    [SPACE_RIGHT] = {350, 290, 100, 56},  [SPACE_BIAS] = {475, 290, 90, 56},
    [SPACE_SCALING] = {580, 290, 90, 56}, [SPACE_ACC] = {330, 420, 150, 56}};

typedef struct Line {
    int from, to;
    const char *path;
    int x, y;
} Line;
static const Line lines[] = {
    {SPACE_GM, SPACE_VEC, "M75 60V150", 80, 110},
    {SPACE_VEC, SPACE_GM, "M135 150V60", 140, 110},
    {SPACE_GM, SPACE_MAT, "M375 60V150", 380, 110},
    {SPACE_MAT, SPACE_GM, "M435 150V60", 440, 110},
    {SPACE_VEC, SPACE_MAT, "M170 170H330", 216, 164},
    {SPACE_MAT, SPACE_VEC, "M330 190H170", 216, 204},
    {SPACE_VEC, SPACE_VEC, "M60 206V230H110V206", 58, 244},
    {SPACE_MAT, SPACE_LEFT, "M360 206V240H275V290", 280, 234},
    {SPACE_MAT, SPACE_RIGHT, "M400 206V290", 405, 280},
    {SPACE_MAT, SPACE_BIAS, "M440 206V240H510V290", 515, 280},
    {SPACE_MAT, SPACE_SCALING, "M460 206V224H625V290", 630, 280},
    {SPACE_LEFT, SPACE_ACC, "M275 346V390H365V420", 250, 404},
    {SPACE_RIGHT, SPACE_ACC, "M400 346V420", 405, 374},
    {SPACE_BIAS, SPACE_ACC, "M520 346V390H445V420", 525, 374},
    {SPACE_ACC, SPACE_MAT, "M338 420V206", 306, 366},
    {SPACE_ACC, SPACE_VEC, "M330 448H140V206", 146, 442},
    {SPACE_ACC, SPACE_GM, "M480 448H690V60", 600, 442},
};

static const Line *line_of(int from, int to) {
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (lines[i].from == from && lines[i].to == to) return &lines[i];
    return NULL;
}

/* What a way is called: its instruction, and its profiles where they are not all chips. */
static void put_way(FILE *to, const Ways *w, const Line *line, ProfileSet chips) {
    ProfileSet where = w->where[line->from][line->to];
    fprintf(to, "<path class=\"way%s\" d=\"%s\"/>\n", where == chips ? "" : " some", line->path);
    fprintf(to, "<text class=\"small\" x=\"%d\" y=\"%d\">%s", line->x, line->y,
            w->by[line->from][line->to]);
    for (int p = 0; p < PROFILE_COUNT && where != chips; p++)
        if ((where & PROFILE_BIT(p)) != 0) fprintf(to, " (%s)", profile_names[p]);
    fputs("</text>\n", to);
}

static void put_kib(FILE *to, int64_t bytes) {
    fprintf(to, "%lld KiB", (long long)(bytes / 1024));
}

static void put_frame(FILE *to, int space) {
    const Frame *b = &frames[space];
    bool cube = space != SPACE_GM && space != SPACE_VEC;
    int64_t first = -1;
    fprintf(to,
            "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"4\"/>\n"
            "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" font-weight=\"bold\">%s</text>\n",
            cube ? "other" : "box", b->x, b->y, b->width, b->height, b->x + b->width / 2, b->y + 24,
            space == SPACE_GM ? "gm: global memory, shared by all cores" : space_names[space]);
    if (space == SPACE_GM) return;
    fprintf(to, "<text class=\"small\" x=\"%d\" y=\"%d\" text-anchor=\"middle\">",
            b->x + b->width / 2, b->y + 44);
    for (int p = 0; p < PROFILE_COUNT; p++) {
        int64_t bytes = profile_capacity((Profile)p, space);
        if (bytes < 0 || bytes == first) continue;
        if (first >= 0) fputs(" / ", to);
        put_kib(to, bytes);
        first = bytes;
    }
    fputs("</text>\n", to);
}

static void draw_path(void) {
    static Ways ways;
    ProfileSet chips = 0;
    for (int p = 0; p < PROFILE_COUNT; p++)
        if (profile_infos[p].chip) chips |= PROFILE_BIT(p);
    find_ways(&ways);
    FILE *to = begin_svg("path.svg", "The ways of a tile through the memories", 720, 500);
    for (int a = 0; a < SPACE_COUNT; a++)
        for (int b = 0; b < SPACE_COUNT; b++) {
            if (ways.where[a][b] == 0) continue;
            const Line *line = line_of(a, b);
            if (line == NULL) fail("a way without a line to", space_names[b]);
            put_way(to, &ways, line, chips);
        }
    for (int s = SPACE_GM; s < SPACE_COUNT; s++)
        put_frame(to, s);
    end_svg(to);
}

/* ---- layouts ---- */

typedef struct Layout {
    int blayout, slayout;
    const char *name; /* as the rules call it */
} Layout;
static const Layout layouts[LAYOUT_NAMES] = {
    {PTRT_ROW_MAJOR, PTRT_NONE_BOX, "ND"},      {PTRT_COL_MAJOR, PTRT_NONE_BOX, "DN"},
    {PTRT_COL_MAJOR, PTRT_BOX_ROW_MAJOR, "NZ"}, {PTRT_ROW_MAJOR, PTRT_BOX_COL_MAJOR, "ZN"},
    {PTRT_ROW_MAJOR, PTRT_BOX_ROW_MAJOR, "ZZ"}, {PTRT_COL_MAJOR, PTRT_BOX_COL_MAJOR, "NN"}};

static unsigned char memory[4096];

static ptrt_tile tile_of(const Layout *l, int rows, int cols) {
    ptrt_tile t;
    ptrt_tile_type type = {.elem = PTRT_F32,
                           .space = PTRT_VEC,
                           .blayout = (uint8_t)l->blayout,
                           .slayout = (uint8_t)l->slayout,
                           .fractal = 512,
                           .rows = rows,
                           .cols = cols};
    memset(&t, 0, sizeof t);
    if (ptrt_tile_init(&t, &type, memory, sizeof memory, rows, cols) != 0) fail("no tile", l->name);
    return t;
}

static int64_t along(const ptrt_axis *a, int64_t i) {
    return i / a->box * a->outer + i % a->box * a->inner;
}

static int64_t offset_of(const ptrt_tile *t, int64_t r, int64_t c) {
    return along(&t->row, r) + along(&t->col, c);
}

static void box_of(const Layout *l, int64_t *rows, int64_t *cols) {
    Type type;
    memset(&type, 0, sizeof type);
    type.elem = ELEM_F32;
    type.tile.slayout = (uint8_t)l->slayout;
    type.tile.fractal = 512;
    if (!tile_inner_box(&type, rows, cols)) fail("no box", l->name);
}

enum { SIDE = 32, PITCH = 6, PANEL = 220 };

/* Are three elements in one line, a step apart? */
static bool is_straight(int a, int b, int c) {
    return b / SIDE - a / SIDE == c / SIDE - b / SIDE && b % SIDE - a % SIDE == c % SIDE - b % SIDE;
}

/* The elements of a tile joined in the order of memory. */
static void put_order(FILE *to, const Layout *l, int x, int y) {
    ptrt_tile t = tile_of(l, SIDE, SIDE);
    static int at[SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE; i++)
        at[offset_of(&t, i / SIDE, i % SIDE)] = i;
    fprintf(to, "<path class=\"order\" d=\"M");
    for (int i = 0; i < SIDE * SIDE; i++) {
        if (i > 0 && i + 1 < SIDE * SIDE && is_straight(at[i - 1], at[i], at[i + 1])) continue;
        fprintf(to, "%s%d %d", i > 0 ? "L" : "", x + at[i] % SIDE * PITCH + PITCH / 2,
                y + at[i] / SIDE * PITCH + PITCH / 2);
    }
    fputs("\"/>\n", to);
}

static void draw_orders(void) {
    FILE *to = begin_svg("orders.svg", "The order of the elements in the six layouts",
                         3 * PANEL + 20, 2 * PANEL + 40);
    for (int i = 0; i < LAYOUT_NAMES; i++) {
        int x = 20 + i % 3 * PANEL, y = 30 + i / 3 * (PANEL + 10);
        int64_t rows, cols;
        box_of(&layouts[i], &rows, &cols);
        fprintf(to, "<text x=\"%d\" y=\"%d\"><tspan font-weight=\"bold\">%s</tspan> %s</text>\n", x,
                y - 8, layouts[i].name, layout_names[i]);
        for (int64_t r = 0; r < SIDE && layouts[i].slayout != PTRT_NONE_BOX; r += rows)
            for (int64_t c = 0; c < SIDE; c += cols)
                fprintf(to,
                        "<rect class=\"other\" stroke-width=\"0.6\" x=\"%d\" y=\"%d\" width=\"%d\" "
                        "height=\"%d\"/>\n",
                        x + (int)c * PITCH, y + (int)r * PITCH, (int)cols * PITCH,
                        (int)rows * PITCH);
        put_order(to, &layouts[i], x, y);
        fprintf(to,
                "<rect class=\"grid\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n"
                "<circle cx=\"%d\" cy=\"%d\" r=\"3\" fill=\"#c30\"/>\n",
                x, y, SIDE * PITCH, SIDE * PITCH, x + PITCH / 2, y + PITCH / 2);
    }
    end_svg(to);
}

/* A boxed tile with the number of every element in memory. */
static void draw_boxed(void) {
    enum { ROWS = 32, COLS = 16, CELL = 28, LINE = 15, LEFT = 50, TOP = 60, LETTERS = 4 };
    const Layout *l = &layouts[2];
    ptrt_tile t = tile_of(l, ROWS, COLS);
    int64_t rows, cols;
    box_of(l, &rows, &cols);
    FILE *to = begin_svg("boxed.svg", "A boxed tile: where each element is in memory",
                         LEFT + COLS * CELL + 20, TOP + ROWS * LINE + 20);
    fprintf(to,
            "<text x=\"%d\" y=\"20\">%s, %dx%d elements of f32: boxes of %dx%d</text>\n"
            "<text class=\"small\" x=\"%d\" y=\"38\">a number is the element's place in memory, "
            "counted in elements</text>\n",
            LEFT, layout_names[2], ROWS, COLS, (int)rows, (int)cols, LEFT);
    for (int64_t r = 0; r < ROWS; r += rows)
        for (int64_t c = 0; c < COLS; c += cols)
            fprintf(to, "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n",
                    (r / rows + c / cols) % 2 == 0 ? "box" : "other", LEFT + (int)c * CELL,
                    TOP + (int)r * LINE, (int)cols * CELL, (int)rows * LINE);
    for (int c = 0; c < COLS; c += (int)cols)
        fprintf(to, "<text class=\"small\" x=\"%d\" y=\"%d\">column %d</text>\n",
                LEFT + c * CELL + 2, TOP - 5, c);
    for (int r = 0; r < ROWS; r++) {
        if (r % 4 == 0)
            fprintf(to, "<text class=\"small\" x=\"%d\" y=\"%d\" text-anchor=\"end\">%s%d</text>\n",
                    LEFT - 4, TOP + r * LINE + 11, r == 0 ? "row " : "", r);
        for (int c = 0; c < COLS; c++)
            fprintf(to, "<text class=\"code\" x=\"%d\" y=\"%d\" text-anchor=\"end\">%d</text>\n",
                    LEFT + (c + 1) * CELL - 3, TOP + r * LINE + 11, (int)offset_of(&t, r, c));
    }
    end_svg(to);
}

/* A tile with a partial valid region. */
static void draw_valid(void) {
    enum { ROWS = 8, COLS = 16, VROW = 5, VCOL = 11, CELL = 24, LEFT = 110, TOP = 50 };
    FILE *to = begin_svg("valid.svg", "Shape and valid region", LEFT + COLS * CELL + 20,
                         TOP + ROWS * CELL + 40);
    for (int i = 0; i < ROWS * COLS; i++) {
        int r = i / COLS, c = i % COLS;
        fprintf(to,
                "<rect class=\"%s\" stroke-width=\"0.5\" x=\"%d\" y=\"%d\" width=\"%d\" "
                "height=\"%d\"/>\n",
                r < VROW && c < VCOL ? "box" : "grid", LEFT + c * CELL, TOP + r * CELL, CELL, CELL);
    }
    fprintf(
        to,
        "<text x=\"%d\" y=\"20\">!pto.tile_buf&lt;vec, %dx%dxf32, valid=%dx%d&gt;</text>\n"
        "<text class=\"small\" x=\"%d\" y=\"%d\">%d valid columns</text>\n"
        "<text class=\"small\" x=\"10\" y=\"%d\">%d valid rows</text>\n"
        "<text class=\"small\" x=\"%d\" y=\"%d\">%d rows of %d columns have their place in memory; "
        "what is shaded counts</text>\n",
        LEFT, ROWS, COLS, VROW, VCOL, LEFT, TOP - 8, VCOL, TOP + VROW * CELL / 2, VROW, LEFT,
        TOP + ROWS * CELL + 20, ROWS, COLS);
    end_svg(to);
}

/* ---- tables ---- */

static void put_bytes(FILE *to, int64_t plan, int64_t hardware) {
    if (plan == hardware)
        fprintf(to, " %lld |", (long long)plan);
    else
        fprintf(to, " %lld, %lld of them planned |", (long long)hardware, (long long)plan);
}

static void table_spaces(void) {
    static const char *const names[] = {"ub", "l1", "l0a", "l0b", "l0c", "bt", "fb"};
    FILE *to = begin("spaces.md");
    fputs("| space | in pointers also |", to);
    for (int p = 0; p < PROFILE_COUNT; p++)
        if (profile_infos[p].chip) fprintf(to, " bytes, %s |", profile_names[p]);
    fputs(" written addresses are multiples of |\n|---|---|", to);
    for (int p = 0; p < PROFILE_COUNT; p++)
        if (profile_infos[p].chip) fputs("---|", to);
    fputs("---|\n", to);
    for (int s = SPACE_MAT; s < SPACE_COUNT; s++) {
        fprintf(to, "| `%s` | ", space_names[s]);
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (space_from_text(names[i], strlen(names[i]), false) == (Space)s)
                fprintf(to, "`%s`", names[i]);
        fputs(" |", to);
        for (int p = 0; p < PROFILE_COUNT; p++) {
            int64_t plan = profile_plan_capacity((Profile)p, s),
                    hardware = profile_capacity((Profile)p, s);
            if (profile_infos[p].chip) put_bytes(to, plan < hardware ? plan : hardware, hardware);
        }
        fprintf(to, " %lld |\n", (long long)space_alignment(s));
    }
    end(to);
}

/* The element types of one size and of some classes. */
static void put_elements(FILE *to, int bytes, const char *classes) {
    int n = 0;
    for (int e = ELEM_NONE + 1; e < ELEM_ODD_INT; e++)
        if (elem_infos[e].bytes == bytes && strchr(classes, elem_infos[e].cls) != NULL)
            fprintf(to, "%s`%s`", n++ > 0 ? ", " : " ", elem_infos[e].text);
    fputs(" |", to);
}

static void table_elements(void) {
    FILE *to = begin("elements.md");
    fputs("| bytes | integers | floats | low precision, packed |\n|---|---|---|---|\n", to);
    for (int bytes = 1; bytes <= 8; bytes *= 2) {
        fprintf(to, "| %d |", bytes);
        put_elements(to, bytes, "ISU");
        put_elements(to, bytes, "F");
        put_elements(to, bytes, "L");
        fputc('\n', to);
    }
    end(to);
}

static void table_layouts(void) {
    static const int at[][2] = {{0, 1}, {1, 0}, {0, 8}, {0, 16}, {16, 0}};
    FILE *to = begin("layouts.md");
    fputs("| layout | blayout | slayout | box |", to);
    for (size_t k = 0; k < sizeof at / sizeof *at; k++)
        fprintf(to, " (%d,%d) |", at[k][0], at[k][1]);
    fputs("\n|---|---|---|---|", to);
    for (size_t k = 0; k < sizeof at / sizeof *at; k++)
        fputs("---|", to);
    fputc('\n', to);
    for (int i = 0; i < LAYOUT_NAMES; i++) {
        const Layout *l = &layouts[i];
        ptrt_tile t = tile_of(l, SIDE, SIDE);
        int64_t rows, cols;
        box_of(l, &rows, &cols);
        int slash = (int)strcspn(layout_names[i], "/");
        fprintf(to, "| %s | `%.*s` | `%s` |", l->name, slash, layout_names[i],
                layout_names[i] + slash + 1);
        if (l->slayout == PTRT_NONE_BOX)
            fputs(" - |", to);
        else
            fprintf(to, " %dx%d |", (int)rows, (int)cols);
        for (size_t k = 0; k < sizeof at / sizeof *at; k++)
            fprintf(to, " %d |", (int)offset_of(&t, at[k][0], at[k][1]));
        fputc('\n', to);
    }
    end(to);
}

static void table_boxes(void) {
    static const int fractals[] = {512, 1024, 32};
    static const Elem elems[] = {ELEM_I8, ELEM_F16, ELEM_F32};
    FILE *to = begin("boxes.md");
    fputs("| fractal | slayout | 1 byte an element | 2 bytes | 4 bytes |\n|---|---|---|---|---|\n",
          to);
    for (size_t f = 0; f < 3; f++)
        for (int s = SL_ROW_MAJOR; s <= SL_COL_MAJOR; s++) {
            fprintf(to, "| %d | `%s` |", fractals[f],
                    s == SL_ROW_MAJOR ? "row_major" : "col_major");
            for (size_t e = 0; e < 3; e++) {
                Type type;
                int64_t rows, cols;
                memset(&type, 0, sizeof type);
                type.elem = (uint8_t)elems[e];
                type.tile.slayout = (uint8_t)s;
                type.tile.fractal = (uint16_t)fractals[f];
                if (!tile_inner_box(&type, &rows, &cols)) fail("no box", "fractal");
                fprintf(to, " %dx%d |", (int)rows, (int)cols);
            }
            fputc('\n', to);
        }
    end(to);
}

static void put_words(FILE *to, const char *words) {
    for (int n = 0; words != NULL && *words != '\0'; n++) {
        size_t len = strcspn(words, " ");
        fprintf(to, "%s`%.*s`", n > 0 ? ", " : "", (int)len, words);
        words += len + strspn(words + len, " ");
    }
}

static void table_profiles(void) {
    FILE *to = begin("profiles.md");
    fputs("| profile | other names | devices that start with | memory | `left` tiles are |\n"
          "|---|---|---|---|---|\n",
          to);
    for (int p = 0; p < PROFILE_COUNT; p++) {
        const ProfileInfo *i = &profile_infos[p];
        fprintf(to, "| `%s` | ", profile_names[p]);
        put_words(to, i->aliases);
        fputs(" | ", to);
        put_words(to, i->devices);
        if (i->chip && p == PROFILE_DEFAULT)
            fputs(i->devices != NULL ? ", all others" : "all others", to);
        fprintf(to, " | %s | %s |\n", i->chip ? "as the chip has" : "as the tiles need",
                i->left == BL_AS_WRITTEN  ? "as written"
                : i->left == BL_ROW_MAJOR ? "`row_major`"
                                          : "`col_major`");
    }
    end(to);
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    folder = argv[1];
    draw_path();
    draw_orders();
    draw_boxed();
    draw_valid();
    table_spaces();
    table_elements();
    table_layouts();
    table_boxes();
    table_profiles();
    return 0;
}
