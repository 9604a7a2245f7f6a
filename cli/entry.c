/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the C that `ptoasm run` appends to the emitted program: a function of a fixed type that
 * unpacks the arguments, so that calls need no run-time code generation. Programs have no names
 * that start with ptrt_. */
#include "cli/run.h"

#include <stdio.h>

/* Makes a view of an array in row-major order. */
static const char helpers[] =
    "\nstruct ptrt_run_array {\n    void *data;\n    uint64_t bytes;\n    int64_t shape[5];\n};\n\n"
    "static int ptrt_run_view(ptrt_view *out, const struct ptrt_run_array *a, int elem, int rank) "
    "{\n    int64_t stride[5], step = 1;\n"
    "    for (int i = rank; i-- > 0; step *= a->shape[i])\n        stride[i] = step;\n"
    "    return ptrt_view_init(out, a->data, elem, rank, a->shape, stride, PTRT_VIEW_ND);\n}\n";

static bool is_handle(const ptoasm_param *p) {
    return p->kind == PTOASM_PARAM_TILE || p->kind == PTOASM_PARAM_VIEW;
}

static long long extent(const ptoasm_param *p, int i) {
    return (long long)(p->valid[i] == PTOASM_EXTENT_ANY ? p->shape[i] : p->valid[i]);
}

static void put_handle(FILE *to, const ptoasm_param *p, size_t i) {
    if (p->kind == PTOASM_PARAM_VIEW) {
        fprintf(to,
                "    ptrt_view a%zu;\n"
                "    if ((err = ptrt_run_view(&a%zu, args[%zu], %s, %u)) != 0) return err;\n",
                i, i, i, p->c_init, (unsigned)p->rank);
        return;
    }
    fprintf(
        to,
        "    static const ptrt_tile_type t%zu = %s;\n"
        "    const struct ptrt_run_array *h%zu = args[%zu];\n"
        "    ptrt_tile a%zu;\n"
        "    if ((err = ptrt_tile_init(&a%zu, &t%zu, h%zu->data, h%zu->bytes, %lld, %lld)) != 0) "
        "return err;\n",
        i, p->c_init, i, i, i, i, i, i, i, extent(p, 0), extent(p, 1));
}

static void put_kernel(FILE *to, const ptoasm_result *res, size_t kernel, const char *grid) {
    ptoasm_param p;
    fprintf(to,
            "\nstatic int ptrt_run_%zu(int64_t blocks, void **args) {\n"
            "    int err = 0;\n    (void)args;\n",
            kernel);
    for (size_t i = 0; ptoasm_kernel_param(res, kernel, i, &p); i++)
        if (is_handle(&p)) put_handle(to, &p, i);
    fprintf(to, "    if (err == 0) err = %s(blocks", grid);
    for (size_t i = 0; ptoasm_kernel_param(res, kernel, i, &p); i++) {
        if (is_handle(&p))
            fprintf(to, ", &a%zu", i);
        else if (p.kind == PTOASM_PARAM_POINTER)
            fprintf(to, ", args[%zu]", i);
        else
            fprintf(to, ", *(%s *)args[%zu]", p.c_type, i);
    }
    fputs(");\n    return err;\n}\n", to);
}

void entry_write(FILE *to, const ptoasm_result *res, size_t first, size_t end) {
    ptoasm_kernel k;
    ptoasm_param p;
    bool handles = false;
    for (size_t i = first; i < end; i++)
        for (size_t j = 0; ptoasm_kernel_param(res, i, j, &p); j++)
            handles |= is_handle(&p);
    if (handles) fputs(helpers, to);
    for (size_t i = first; i < end && ptoasm_kernel_at(res, i, &k); i++)
        put_kernel(to, res, i, k.grid);
    fputs("\nint ptrt_run_entry(int64_t kernel, int64_t blocks, void **args);\n\n"
          "int ptrt_run_entry(int64_t kernel, int64_t blocks, void **args) {\n"
          "    switch (kernel) {\n",
          to);
    for (size_t i = first; i < end; i++)
        fprintf(to, "    case %zu:\n        return ptrt_run_%zu(blocks, args);\n", i, i);
    fputs("    }\n    return -1;\n}\n", to);
}
