/* SPDX-License-Identifier: Apache-2.0 */
/* print.c - pto.tprint and pto.print. Each statement is written to stdout with a single call. */
#include "core/core.h"
#include "mem/copy.h"
#include "mem/number.h"
#include "mem/tile.h"
#include "ptort_scalar.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- one number ---- */

/* A conversion of a printf format. */
typedef struct Conversion {
    const char *start, *end; /* in the format: the %, and the character after the letter */
    char spec[48];           /* the conversion without length modifier and letter */
    char letter;
} Conversion;

static bool is_one_of(char c, const char *set) {
    return c != '\0' && strchr(set, c) != NULL;
}

/* Finds the next conversion from `s` on. Returns false at the end of the format, or with *wrong set
 * for a conversion that does not print a number. */
static bool next_conversion(const char *s, Conversion *c, bool *wrong) {
    while (*s != '\0' && (s[0] != '%' || s[1] == '%'))
        s += *s == '%' ? 2 : 1;
    *wrong = false;
    if (*s == '\0') return false;
    c->start = s;
    size_t n = 1 + strspn(s + 1, "-+ #0123456789.'");
    *wrong = n >= sizeof c->spec - 4 || strspn(s + 1, "0123456789") > 6;
    s += n;
    while (is_one_of(*s, "hlLqjzt"))
        s++;
    *wrong |= !is_one_of(*s, "diouxXcfFeEgGaA");
    if (*wrong) return false;
    memcpy(c->spec, c->start, n);
    c->spec[n] = '\0';
    c->letter = *s;
    c->end = s + 1;
    return true;
}

/* Writes the text between conversions, where %% is one %. */
static void put_plain(FILE *to, const char *s, const char *end) {
    for (; s < end; s++) {
        fputc(*s, to);
        if (*s == '%') s++;
    }
}

static void put_double(FILE *to, const char *spec, char letter, double x) {
    char text[512];
    ptrt_double_text(text, sizeof text, spec, letter, x);
    fputs(text, to);
}

static void put_integer(FILE *to, const Conversion *c, int64_t value, int bits) {
    char format[64];
    uint64_t mask = bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    snprintf(format, sizeof format, c->letter == 'c' ? "%s%c" : "%sll%c", c->spec, c->letter);
    if (c->letter == 'c')
        fprintf(to, format, (int)(unsigned char)value);
    else if (is_one_of(c->letter, "di"))
        fprintf(to, format, (long long)value);
    else
        fprintf(to, format, (unsigned long long)((uint64_t)value & mask));
}

/* ---- pto.print ---- */

static int put_out(ptrt_core *core, uint32_t line, const char *op, FILE *to, char **text,
                   size_t *size) {
    bool whole = fclose(to) == 0;
    if (whole) fwrite(*text, 1, *size, stdout);
    free(*text);
    return whole ? PTRT_OK : ptrt_fail(core, PTRT_E_NOMEM, line, "%s: out of memory", op);
}

/* Finds the conversion of a format that has exactly one. */
static bool only_conversion(const char *format, Conversion *c) {
    Conversion second;
    bool wrong;
    return next_conversion(format, c, &wrong) && !next_conversion(c->end, &second, &wrong) &&
           !wrong;
}

static int print_one(ptrt_core *core, uint32_t line, const char *format, bool is_float, int64_t i,
                     double x, int bits) {
    Conversion c;
    char *text = NULL;
    size_t size = 0;
    if (*format == '\0') format = "%f";
    if (!only_conversion(format, &c))
        return ptrt_fail(core, PTRT_E_ARG, line, "pto.print: '%s' does not print one number",
                         format);
    FILE *to = open_memstream(&text, &size);
    if (!to) return ptrt_fail(core, PTRT_E_NOMEM, line, "pto.print: out of memory");
    put_plain(to, format, c.start);
    if (is_one_of(c.letter, "diouxXc"))
        put_integer(to, &c, is_float ? ptrt_fptosi_f64_i64(x) : i, bits);
    else
        put_double(to, c.spec, c.letter, is_float ? x : (double)i);
    put_plain(to, c.end, c.end + strlen(c.end));
    return put_out(core, line, "pto.print", to, &text, &size);
}

int ptrt_print_i(ptrt_core *core, uint32_t line, const char *format, int64_t value, int bits) {
    return print_one(core, line, format, false, value, 0, bits);
}

int ptrt_print_f(ptrt_core *core, uint32_t line, const char *format, double value) {
    return print_one(core, line, format, true, 0, value, 64);
}

/* ---- pto.tprint ---- */

/* Indexed by the format attribute of pto.tprint. */
static const struct {
    int width;
    const char *floats;
} formats[] = {{8, "%8.4"}, {8, "%8.2"}, {10, "%10.6"}};
enum { FORMATS = sizeof formats / sizeof *formats };

static void put_element(FILE *to, int elem, const unsigned char *p, int format) {
    for (int lane = 0; ptrt_elem_is_real(elem) && lane < ptrt_elem_lanes(elem); lane++) {
        if (lane > 0) fputc('/', to);
        put_double(to, formats[format].floats, 'f', ptrt_real_at(elem, p, lane));
    }
    if (ptrt_elem_is_real(elem)) return;
    int64_t i = ptrt_integer_at(elem, p);
    if (elem == PTRT_U64)
        fprintf(to, "%*llu", formats[format].width, (unsigned long long)i);
    else
        fprintf(to, "%*lld", formats[format].width, (long long)i);
}

/* Larger tiles and views are printed without their middle rows and columns. */
enum { MOST_WHOLE = 1024, EDGE = 8 };

/* Whether row or column i of n is left out. */
static bool left_out(bool whole, int64_t i, int64_t n) {
    return !whole && i >= EDGE && i < n - EDGE;
}

enum { MOST_PRINTED = 1 << 24 };

static int check_args(ptrt_core *core, uint32_t line, int64_t rows, int64_t cols, int format) {
    if (format < 0 || format >= FORMATS)
        return ptrt_fail(core, PTRT_E_ARG, line, "pto.tprint: there is no format %d", format);
    if (rows <= 0 || cols <= 0 || (rows <= MOST_PRINTED && cols <= MOST_PRINTED / rows))
        return PTRT_OK;
    return ptrt_fail(core, PTRT_E_ARG, line, "pto.tprint: more than %d elements", MOST_PRINTED);
}

int ptrt_print_tile(ptrt_core *core, uint32_t line, const ptrt_tile *tile, int format) {
    char *text = NULL;
    size_t size = 0;
    int code = check_args(core, line, tile->vrow, tile->vcol, format);
    if (code != PTRT_OK) return code;
    if (!ptrt_operand_ok(tile)) return ptrt_bad_operand(core, line, "pto.tprint", 3, "src", tile);
    FILE *to = open_memstream(&text, &size);
    if (!to) return ptrt_fail(core, PTRT_E_NOMEM, line, "pto.tprint: out of memory");
    fprintf(to, "TPRINT %lldx%lld\n", (long long)tile->vrow, (long long)tile->vcol);
    bool whole_tile = tile->vrow * tile->vcol <= MOST_WHOLE;
    for (int64_t r = 0; r < tile->vrow; r++) {
        if (left_out(whole_tile, r, tile->vrow)) {
            fputs("...\n", to);
            r = tile->vrow - EDGE;
        }
        for (int64_t c = 0; c < tile->vcol; c++) {
            if (left_out(whole_tile, c, tile->vcol)) {
                fputs(" ...", to);
                c = tile->vcol - EDGE;
            }
            int64_t at = ptrt_axis_offset(&tile->row, r) + ptrt_axis_offset(&tile->col, c);
            if (c > 0) fputc(' ', to);
            put_element(to, tile->elem, ptrt_tile_at(tile) + at * ptrt_elem_size(tile->elem),
                        format);
        }
        fputc('\n', to);
    }
    return put_out(core, line, "pto.tprint", to, &text, &size);
}

/* Moves `at` to the next row of a view, the innermost dimension first. Returns false after the
 * last. */
static bool next_row(const ptrt_view *view, int64_t at[4]) {
    for (int d = 3; d >= 0; d--) {
        if (++at[d] < view->shape[d]) return true;
        at[d] = 0;
    }
    return false;
}

static int print_rows(ptrt_core *core, uint32_t line, FILE *to, const ptrt_view *view, int64_t rows,
                      int format) {
    int64_t at[4] = {0}, cols = view->shape[4], r = -1;
    uint32_t size = ptrt_elem_size(view->elem);
    bool whole = rows * cols <= MOST_WHOLE;
    do {
        uint64_t row = 0;
        if (left_out(whole, ++r, rows)) {
            if (r == EDGE) fputs("...\n", to);
            continue;
        }
        for (int d = 0; d < 4; d++)
            row += (uint64_t)at[d] * (uint64_t)view->stride[d];
        for (int64_t c = 0; c < cols; c++) {
            if (left_out(whole, c, cols)) {
                fputs(" ...", to);
                c = cols - EDGE;
            }
            int64_t i = (int64_t)(row + (uint64_t)c * (uint64_t)view->stride[4]);
            int code = core->checked ? ptrt_check_gm(core, line, "pto.tprint", view->base, i, size)
                                     : PTRT_OK;
            if (code != PTRT_OK) return code;
            if (c > 0) fputc(' ', to);
            put_element(to, view->elem, view->base + i * (int64_t)size, format);
        }
        fputc('\n', to);
    } while (next_row(view, at));
    return PTRT_OK;
}

int ptrt_print_view(ptrt_core *core, uint32_t line, const ptrt_view *view, int format) {
    char *text = NULL;
    size_t size = 0;
    int64_t rows = 1;
    bool empty = view->shape[4] <= 0;
    for (int d = 0; d < 4; d++) {
        empty |= view->shape[d] <= 0;
        if (__builtin_mul_overflow(rows, view->shape[d], &rows)) rows = INT64_MAX;
    }
    int code = check_args(core, line, rows, empty ? 0 : view->shape[4], format);
    if (code != PTRT_OK) return code;
    if (!view->base && !empty)
        return ptrt_fail(core, PTRT_E_BOUNDS, line, "pto.tprint: the view has no memory");
    FILE *to = open_memstream(&text, &size);
    if (!to) return ptrt_fail(core, PTRT_E_NOMEM, line, "pto.tprint: out of memory");
    fprintf(to, "TPRINT %lldx%lld\n", (long long)rows, (long long)view->shape[4]);
    if (!empty) code = print_rows(core, line, to, view, rows, format);
    int written = put_out(core, line, "pto.tprint", to, &text, &size);
    return code != PTRT_OK ? code : written;
}
