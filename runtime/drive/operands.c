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

static void see(ptrt_core *core, uint32_t line, int kernel, int i, int role,
                const ptrt_tile *tile) {
    char text[32];
    const char *name;
    int n = ptrt_operand_name(kernel, i, &name);
    if (n >= (int)sizeof text) n = (int)sizeof text - 1;
    memcpy(text, name, (size_t)n);
    text[n] = '\0';
    core->hook(core->hook_user, core, line, ptrt_op_name(kernel), text, role, tile);
}

int ptrt_check_tiles(ptrt_core *core, uint32_t line, int kernel, int n,
                     const ptrt_tile *const *tiles, const uint8_t *roles) {
    if (kernel <= 0 || kernel >= PTRT_KERNELS)
        return ptrt_fail(core, PTRT_E_ARG, line, "the runtime has no kernel %d", kernel);
    for (int i = 0; i < n; i++) {
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

int ptrt_check_reach(ptrt_core *core, uint32_t line, int kernel, int i, const ptrt_tile *s,
                     int64_t rows, int64_t cols) {
    if (s->rows >= rows && s->cols >= cols) return PTRT_OK;
    const char *name;
    int len = ptrt_operand_name(kernel, i, &name);
    return ptrt_fail(core, PTRT_E_VALID, line,
                     "%s: %.*s has %lldx%lld elements, %lldx%lld are needed", ptrt_op_name(kernel),
                     len, name, (long long)s->rows, (long long)s->cols, (long long)rows,
                     (long long)cols);
}
