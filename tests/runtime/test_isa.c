/* test_isa.c - the same bytes on every instruction-set level that this machine has: the program
 * runs itself once per level and compares what the runs print. */
#include "reference.h"

#include <stdio.h>
#include <unistd.h>

static const ptrt_tile_type base = {.space = PTRT_VEC, .fractal = 512, .rows = 9, .cols = 64};

#define STEP(E, T)                                                                                 \
    if (code == 0) {                                                                               \
        ptrt_tile_type t = base;                                                                   \
        t.elem = (uint8_t)elem++;                                                                  \
        ptrt_tile a, b, d;                                                                         \
        code = ptrt_tile_bind(core, &t, 0, 9, 61, 1, &a);                                          \
        if (code == 0) code = ptrt_tile_bind(core, &t, 8192, 9, 61, 1, &b);                        \
        if (code == 0) code = ptrt_tile_bind(core, &t, 16384, 9, 61, 1, &d);                       \
        T k;                                                                                       \
        memcpy(&k, a.base + 20, sizeof k);                                                         \
        if (code == 0) code = ptrt_tadd_##E(core, 1, &a, &b, &d);                                  \
        hash(&d, digest);                                                                          \
        if (code == 0) code = ptrt_tmul_##E(core, 1, &a, &b, &d);                                  \
        hash(&d, digest);                                                                          \
        if (code == 0) code = ptrt_tadds_##E(core, 1, &a, k, &d);                                  \
        hash(&d, digest);                                                                          \
        if (code == 0) code = ptrt_texpands_##E(core, 1, k, &d);                                   \
        hash(&d, digest);                                                                          \
    }

#define STEP_INT(E, T)                                                                             \
    if (code == 0) {                                                                               \
        ptrt_tile_type t = base;                                                                   \
        t.elem = (uint8_t)elem++;                                                                  \
        ptrt_tile a, d;                                                                            \
        code = ptrt_tile_bind(core, &t, 0, 9, 61, 1, &a);                                          \
        if (code == 0) code = ptrt_tile_bind(core, &t, 16384, 9, 61, 1, &d);                       \
        if (code == 0) code = ptrt_tands_##E(core, 1, &a, 0x55, &d);                               \
        hash(&d, digest);                                                                          \
        if (code == 0) code = ptrt_txors_##E(core, 1, &a, 0x33, NULL, &d);                         \
        hash(&d, digest);                                                                          \
    }

/* NaN payloads are not part of the promise: every NaN counts as one. */
static void hash(const ptrt_tile *t, uint64_t *digest) {
    uint32_t size = ref_size(t->elem);
    for (int64_t r = 0; r < t->vrow; r++) {
        for (int64_t c = 0; c < t->vcol; c++) {
            uint64_t v = ref_get(t->base + t->addr + (uint64_t)(r * t->cols + c) * size, size);
            if (ref_is_nan(t->elem, v)) v = 1;
            *digest = (*digest ^ v) * UINT64_C(0x100000001B3);
        }
    }
}

static int all_kernels(ptrt_core *core, void *arg) {
    uint64_t *digest = arg;
    void *mem;
    int code = ptrt_space_at(core, 0, PTRT_VEC, 0, 0, 1, &mem);
    uint32_t seed = 11;
    for (int round = 0; round < 20 && code == 0; round++) {
        ref_noise(mem, SPACE_BYTES, &seed);
        int elem = 0;
        PTRT_FOR_ARITH(STEP)
        elem = 0;
        PTRT_FOR_INT(STEP_INT)
    }
    return code;
}

static int print_digest(void) {
    uint64_t digest = UINT64_C(0xCBF29CE484222325);
    int code = on_core(all_kernels, &digest);
    printf("%s %016llx\n", ptrt_isa(), (unsigned long long)digest);
    return code;
}

/* Runs this program at a level; text gets "<level> <digest>". */
static void run_level(const char *level, char *text, int size) {
    char self[4096], command[4200];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(n > 0);
    self[n] = '\0';
    snprintf(command, sizeof command, "PTORT_ISA=%s '%s' digest", level, self);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    assert_non_null(fgets(text, size, pipe));
    assert_int_equal(pclose(pipe), 0);
}

static void test_levels_agree(void **state) {
    (void)state;
    static const char *const levels[] = {"v2", "v3", "v4"};
    char first[64] = "", text[64];
    for (int i = 0; i < 3; i++) {
        run_level(levels[i], text, sizeof text);
        print_message("PTORT_ISA=%s: %s", levels[i], text);
        const char *digest = strchr(text, ' ');
        assert_non_null(digest);
        if (i == 0) strcpy(first, digest);
        assert_string_equal(digest, first);
#if defined(__x86_64__)
        if (i == 0) assert_memory_equal(text, "v2 ", 3);
#endif
    }
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "digest") == 0) return print_digest();
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_levels_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
