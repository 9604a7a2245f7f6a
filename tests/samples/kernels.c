/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the kernels of samples/ as a user does, by `ptoasm run` on .npy files, in both forms, and
 * compares with plain loops. usage: kernels PTOASM SAMPLES; writes TAP. */
#include "kernels.h"

#include "codec.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { HEADER = 128, MAX_ARGS = 4 + MAX_ARRAYS + MAX_SCALARS, PATH = 512 };

static const char *ptoasm, *samples;
static char folder[] = "/tmp/kernels-XXXXXX";
static int cases, failures;

static void judge(bool fine, const char *kernel, const char *what) {
    printf("%sok %d - %s: %s\n", fine ? "" : "not ", ++cases, kernel, what);
    failures += !fine;
}

static void *take(size_t n, size_t size) {
    void *p = calloc(n, size);
    if (!p) abort();
    return p;
}

static double next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

/* ---- arrays as numbers and as files ---- */

static size_t array_count(const Array *a) {
    return (size_t)(a->rows * a->cols);
}

static bool is_result(const Array *a) {
    return a->low >= a->high;
}

/* Numbers that the element type has. */
static void fill(const Array *a, uint64_t seed, double *x) {
    const bool real = elem_is_real(a->elem);
    for (size_t i = 0; i < array_count(a); i++) {
        const double v = a->low + (a->high - a->low) * next_random(&seed);
        x[i] = real ? real_in(a->elem, v) : floor(v);
    }
}

static const char *npy_type(int elem) {
    static const char *const of_size[2][9] = {{[1] = "|u1", [2] = "<u2", [4] = "<u4", [8] = "<u8"},
                                              {[1] = "|i1", [2] = "<i2", [4] = "<i4", [8] = "<i8"}};
    if (elem == PTRT_F16) return "<f2";
    if (elem == PTRT_F32) return "<f4";
    return of_size[!elem_is_real(elem) && elem_is_signed(elem)][elem_bytes(elem)];
}

static bool write_array(const char *path, const Array *a, const double *x) {
    char head[HEADER + 1];
    const int n = snprintf(
        head, sizeof head,
        "\x93NUMPY\x01%c\x76%c{'descr': '%s', 'fortran_order': False, 'shape': (%d, %d), }", 0, 0,
        npy_type(a->elem), (int)a->rows, (int)a->cols);
    memset(head + n, ' ', (size_t)(HEADER - 1 - n));
    head[HEADER - 1] = '\n';
    FILE *f = fopen(path, "wb");
    if (!f) return false;
    bool fine = fwrite(head, 1, HEADER, f) == HEADER;
    const bool real = elem_is_real(a->elem);
    for (size_t i = 0; i < array_count(a); i++) {
        unsigned char bytes[8];
        const Num v = {.i = real ? 0 : (int64_t)x[i], .f = x[i]};
        bits_store(bytes, elem_bytes(a->elem), code_of(a->elem, v));
        fine = fwrite(bytes, 1, elem_bytes(a->elem), f) == elem_bytes(a->elem) && fine;
    }
    return fclose(f) == 0 && fine;
}

static bool read_array(const char *path, const Array *a, double *x) {
    FILE *f = fopen(path, "rb");
    if (!f) return false;
    bool fine = fseek(f, HEADER, SEEK_SET) == 0;
    for (size_t i = 0; i < array_count(a); i++) {
        unsigned char bytes[8] = {0};
        fine = fread(bytes, 1, elem_bytes(a->elem), f) == elem_bytes(a->elem) && fine;
        const Num v = num_of(a->elem, bits_load(bytes, elem_bytes(a->elem)));
        x[i] = elem_is_real(a->elem) ? v.f : (double)v.i;
    }
    fine = fine && fgetc(f) == EOF;
    return fclose(f) == 0 && fine;
}

/* ---- running ---- */

static int run(char *const argv[]) {
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        execv(argv[0], argv);
        _exit(127);
    }
    int status = 0;
    while (child < 0 || waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void array_path(char *path, const char *form, const Array *a) {
    snprintf(path, PATH, "%s/%s.%s.npy", folder, a->name, is_result(a) ? form : "in");
}

static bool run_form(const Kernel *k, const char *form) {
    char text[MAX_ARGS][PATH + 64];
    char *argv[MAX_ARGS + 1];
    int n = 0;
    snprintf(text[n++], sizeof text[0], "%s", ptoasm);
    snprintf(text[n++], sizeof text[0], "run");
    snprintf(text[n++], sizeof text[0], "--grid=%d", k->blocks);
    if (k->profile) snprintf(text[n++], sizeof text[0], "--profile=%s", k->profile);
    snprintf(text[n++], sizeof text[0], "%s/%s/%s_%s.pto", samples, k->name, k->name, form);
    for (const Array *a = k->arrays; a < k->arrays + MAX_ARRAYS && a->name; a++) {
        char path[PATH];
        array_path(path, form, a);
        snprintf(text[n++], sizeof text[0], "%s=%s%s", a->name, is_result(a) ? "out=" : "", path);
    }
    for (int i = 0; i < MAX_SCALARS && k->scalars[i]; i++)
        snprintf(text[n++], sizeof text[0], "%s", k->scalars[i]);
    for (int i = 0; i < n; i++)
        argv[i] = text[i];
    argv[n] = NULL;
    return run(argv) == 0;
}

/* ---- comparing ---- */

static bool all_close(const Array *a, const double *got, const double *want, double tolerance) {
    for (size_t i = 0; i < array_count(a); i++) {
        const double allowed = tolerance * fmax(1, fabs(want[i]));
        if (fabs(got[i] - want[i]) <= allowed) continue;
        printf("# %s[%d, %d] is %.9g, %.9g expected\n", a->name, (int)((int64_t)i / a->cols),
               (int)((int64_t)i % a->cols), got[i], want[i]);
        return false;
    }
    return true;
}

static bool form_is_right(const Kernel *k, const char *form, double *const want[]) {
    bool fine = run_form(k, form);
    for (int i = 0; i < MAX_ARRAYS && k->arrays[i].name; i++) {
        const Array *a = &k->arrays[i];
        if (!is_result(a)) continue;
        char path[PATH];
        array_path(path, form, a);
        double *got = take(array_count(a), sizeof *got);
        fine = fine && read_array(path, a, got) && all_close(a, got, want[i], k->tolerance);
        free(got);
        unlink(path);
    }
    return fine;
}

static void check_kernel(const Kernel *k) {
    double *x[MAX_ARRAYS] = {0};
    char path[PATH];
    bool fine = true;
    for (int i = 0; i < MAX_ARRAYS && k->arrays[i].name; i++) {
        const Array *a = &k->arrays[i];
        x[i] = take(array_count(a), sizeof *x[i]);
        if (is_result(a)) continue;
        fill(a, (uint64_t)i + 1, x[i]);
        array_path(path, "in", a);
        fine = write_array(path, a, x[i]) && fine;
    }
    k->reference(x);
    judge(fine && form_is_right(k, "dps", x), k->name, "DPS form");
    if (!k->dps_only) judge(fine && form_is_right(k, "ssa", x), k->name, "SSA form");
    for (int i = 0; i < MAX_ARRAYS && k->arrays[i].name; i++) {
        if (!is_result(&k->arrays[i])) {
            array_path(path, "in", &k->arrays[i]);
            unlink(path);
        }
        free(x[i]);
    }
}

int main(int argc, char **argv) {
    if (argc != 3 || !mkdtemp(folder)) return 2;
    ptoasm = argv[1];
    samples = argv[2];
    for (int i = 0; i < kernel_count; i++)
        check_kernel(&kernels[i]);
    printf("1..%d\n", cases);
    rmdir(folder);
    return failures > 0;
}
