/* SPDX-License-Identifier: Apache-2.0 */
/* operands.c - operand checks of the drivers' slow paths, and their error texts. */
#include "drive/drive.h"

#include <stdio.h>

const char *ptrt_op_name(int kernel) {
    return kernel > 0 && kernel < PTRT_KERNELS ? ptrt_kernel_infos[kernel].op : "pto";
}

/* Tiles are the words of the args column of ptort_kernels.def without a prefix. */
int ptrt_operand_name(int kernel, int i, const char **name) {
    const char *s = kernel > 0 && kernel < PTRT_KERNELS ? ptrt_kernel_infos[kernel].args : "";
    for (; *s != '\0'; s += *s == ' ') {
        size_t n = strcspn(s, " ");
        bool tile = (s[0] >= 'a' && s[0] <= 'z') || (n == 1 && s[0] == '-');
        if (tile && i-- == 0) {
            *name = s;
            return (int)n;
        }
        s += n;
    }
    *name = "an operand";
    return 10;
}

static void see(ptrt_core *core, uint32_t line, int kernel, int i, char letter,
                const ptrt_tile *tile) {
    const int role = letter == 'r' ? PTRT_READ : letter == 'w' ? PTRT_WRITE : PTRT_SCRATCH;
    char text[32];
    const char *name;
    int n = ptrt_operand_name(kernel, i, &name);
    if (n >= (int)sizeof text) n = (int)sizeof text - 1;
    memcpy(text, name, (size_t)n);
    text[n] = '\0';
    core->hook(core->hook_user, core, line, ptrt_op_name(kernel), text, role, tile);
}

static inline int check(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *const *tiles,
                        const char *roles) {
    if (kernel <= 0 || kernel >= PTRT_KERNELS)
        return ptrt_fail(core, PTRT_E_ARG, line, "the runtime has no kernel %d", kernel);
    for (int i = 0; roles[i] != '\0'; i++) {
        const ptrt_tile *t = tiles[i];
        if (!t) continue;
        if (!ptrt_operand_ok(t)) {
            const char *name;
            int len = ptrt_operand_name(kernel, i, &name);
            return ptrt_bad_operand(core, line, ptrt_op_name(kernel), len, name, t);
        }
        if (core->hook) see(core, line, kernel, i, roles[i], t);
    }
    return PTRT_OK;
}

int ptrt_check_tiles(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *const *tiles,
                     const char *roles) {
    return check(core, line, kernel, tiles, roles);
}

int ptrt_find_body(ptrt_core *core, uint32_t line, int kernel, int n, const ptrt_tile *const *tiles,
                   ptrt_body *body) {
    static const char roles[] = "rrrrrrw";
    const ptrt_tile *d = tiles[n - 1];
    int code = check(core, line, kernel, tiles, roles + sizeof roles - 1 - n);
    if (code != PTRT_OK) return code;
    *body = ptrt_body_one(core, kernel, d);
    for (int i = 0; i < n - 1; i++)
        if (tiles[i] && tiles[i]->elem != d->elem) *body = NULL;
    return *body ? PTRT_OK : ptrt_no_body(core, line, kernel, n, tiles);
}

int ptrt_no_body(ptrt_core *core, uint32_t line, int kernel, int n, const ptrt_tile *const *tiles) {
    char text[200] = "";
    size_t at = 0;
    for (int i = 0; i < n && at < sizeof text; i++) {
        if (!tiles[i]) continue;
        const char *name;
        int len = ptrt_operand_name(kernel, i, &name);
        int more = snprintf(text + at, sizeof text - at, "%s%.*s %s", at ? ", " : "", len, name,
                            ptrt_elem_name(tiles[i]->elem));
        at += more > 0 ? (size_t)more : 0;
    }
    return ptrt_fail(core, PTRT_E_TYPE, line, "%s: no code for these element types: %s",
                     ptrt_op_name(kernel), text);
}

int ptrt_too_small(ptrt_core *core, uint32_t line, int kernel, int i, const ptrt_tile *s,
                   int64_t rows, int64_t cols) {
    const char *name;
    int len = ptrt_operand_name(kernel, i, &name);
    return ptrt_fail(core, PTRT_E_VALID, line,
                     "%s: %.*s has %lldx%lld elements, %lldx%lld are needed", ptrt_op_name(kernel),
                     len, name, (long long)s->rows, (long long)s->cols, (long long)rows,
                     (long long)cols);
}
