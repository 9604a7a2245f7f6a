/* SPDX-License-Identifier: Apache-2.0 */
/* ptoasm run --list: lists the functions that can be run, and their parameters. */
#include "cli/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void shape_text(const int64_t *shape, unsigned rank, char out[SHAPE_TEXT]) {
    size_t n = 0;
    for (unsigned i = 0; i < rank && n < SHAPE_TEXT; i++) {
        const char *times = i > 0 ? "x" : "";
        n +=
            (size_t)(shape[i] == PTOASM_EXTENT_ANY
                         ? snprintf(out + n, SHAPE_TEXT - n, "%s?", times)
                         : snprintf(out + n, SHAPE_TEXT - n, "%s%lld", times, (long long)shape[i]));
    }
    if (rank == 0) snprintf(out, SHAPE_TEXT, "?");
}

void shape_print(FILE *to, const int64_t *shape, unsigned rank) {
    char text[SHAPE_TEXT];
    shape_text(shape, rank, text);
    fputs(text, to);
}

/* Writes the C type of a parameter, without its name. */
static void c_type(const ptoasm_param *p, char *out, size_t size) {
    const char *star = p->kind == PTOASM_PARAM_POINTER ? " *" : "";
    snprintf(out, size, "%s%s",
             p->kind == PTOASM_PARAM_TILE   ? "tile"
             : p->kind == PTOASM_PARAM_VIEW ? "view"
                                            : p->c_type,
             star);
}

enum { C_TYPE = 64 };

static int print_size(ptoasm_result *res, size_t kernel, size_t param, int64_t blocks,
                      size_t params) {
    bool *known = calloc(params + 1, sizeof *known);
    int64_t *values = calloc(params + 1, sizeof *values);
    ptoasm_buffer b;
    int status = PTOASM_NOMEM;
    if (known != NULL && values != NULL) {
        const ptoasm_launch launch = {sizeof launch, blocks, params, known, values};
        status = ptoasm_kernel_buffer(res, kernel, param, &launch, &b);
    }
    free(known);
    free(values);
    if (status != PTOASM_OK) return trouble("%s", ptoasm_status_text(status));
    shape_print(stdout, b.shape, b.rank);
    if (b.known) return FINE;
    printf("  (%s", b.reason);
    if (b.line != 0) printf(" in line %u", (unsigned)b.line);
    putchar(')');
    return FINE;
}

static int list_kernel(ptoasm_result *res, size_t kernel, const ptoasm_kernel *k, int64_t blocks) {
    int name = 0, type = 0, elem = 0, rc = FINE;
    char text[C_TYPE];
    ptoasm_param p;
    for (size_t i = 0; ptoasm_kernel_param(res, kernel, i, &p); i++) {
        c_type(&p, text, sizeof text);
        if ((int)strlen(p.name) > name) name = (int)strlen(p.name);
        if ((int)strlen(text) > type) type = (int)strlen(text);
        if ((int)strlen(p.elem) > elem) elem = (int)strlen(p.elem);
    }
    putchar('@');
    put_plain(stdout, k->name);
    printf(", line %u\n", (unsigned)k->line);
    for (size_t i = 0; ptoasm_kernel_param(res, kernel, i, &p) && rc == FINE; i++) {
        c_type(&p, text, sizeof text);
        printf("  %%%-*s  %-*s  ", name, p.name, type, text);
        if (p.kind == PTOASM_PARAM_POINTER) {
            printf("%-*s  ", elem, p.elem);
            rc = print_size(res, kernel, i, blocks, k->params);
        } else if (p.kind == PTOASM_PARAM_TILE || p.kind == PTOASM_PARAM_VIEW) {
            printf("%-*s  ", elem, p.elem);
            shape_print(stdout, p.shape, p.rank);
        } else {
            fputs(p.kind == PTOASM_PARAM_SCALAR ? p.elem : p.type, stdout);
        }
        putchar('\n');
    }
    return rc;
}

int kernels_list(ptoasm_result *res, const char *entry, int64_t blocks) {
    ptoasm_kernel k;
    int rc = FINE;
    for (size_t i = 0; ptoasm_kernel_at(res, i, &k) && rc == FINE; i++)
        if (entry == NULL || strcmp(entry, k.name) == 0) rc = list_kernel(res, i, &k, blocks);
    return rc;
}
