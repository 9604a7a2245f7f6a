/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of modules: a copy prints what the module prints, and is changed alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ir/clone.h"
#include "ir/target.h"
#include "parser/parse.h"
#include "passes/passes.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static unsigned copied, converted;

static StrBuf printed(const Module *m, PrintForm form) {
    StrBuf out;
    sb_init(&out, &m->ctx->arena);
    module_print(&out, m, form);
    return out;
}

static void same_text(const char *path, const StrBuf *a, const StrBuf *b) {
    if (a->len != b->len || memcmp(a->data, b->data, a->len) != 0) fail_msg("%s differs", path);
}

/* No value, block or statement of the module is in the copy. */
static bool refers_to_copy(Op *op, void *arg) {
    for (unsigned i = 0; i < op->noperands; i++) {
        const Value *v = op->operands[i].value;
        const Block *home = v->def != NULL ? v->def->block : value_block(v);
        while (home != NULL && region_owner(home)->block != NULL)
            home = region_owner(home)->block;
        if (home != NULL && region_owner(home) != arg)
            fail_msg("%s: operand %u", op->inst->name, i);
    }
    return true;
}

static void check_copy(const char *path, Module *m) {
    const StrBuf before = printed(m, PRINT_KEEP), other = printed(m, PRINT_SSA);
    Module *copy = module_clone(m);
    const StrBuf same = printed(copy, PRINT_KEEP), same_other = printed(copy, PRINT_SSA);
    same_text(path, &before, &same);
    same_text(path, &other, &same_other);
    op_walk(copy->root, refers_to_copy, copy->root);
    const bool has = passes_has_ssa_tiles(copy);
    copied++;
    if (!passes_to_dps(copy, module_profile(m))) return;
    converted += has && !passes_has_ssa_tiles(copy);
    const StrBuf after = printed(m, PRINT_KEEP), after_other = printed(m, PRINT_SSA);
    same_text(path, &before, &after);
    same_text(path, &other, &after_other);
}

static void check_text(const char *path, char *text, size_t size) {
    Context *ctx = calloc(1, sizeof *ctx);
    const Source src = {.name = path, .data = text, .size = (uint32_t)size};
    if (ctx == NULL || setjmp(ctx->oom) != 0) fail_msg("out of memory");
    context_init(ctx, &src, 100);
    Module *m = parse_module(ctx);
    if (m->bound_ok) check_copy(path, m);
    context_free(ctx);
    free(ctx);
}

/* The name of a tile type keeps its spelling in the module when the copy is converted. */
static void test_alias(void **state) {
    (void)state;
    char text[] = "!t = !pto.tile<16x16xf32>\n"
                  "func.func @k(%a: !t, %s: f32) -> !t {\n"
                  "  %b = pto.tadds %a, %s : (!t, f32) -> !t\n"
                  "  return %b : !t\n"
                  "}\n";
    check_text("alias", text, strlen(text));
    assert_int_equal(copied, 1);
}

static void check_file(const char *path, size_t size) {
    FILE *f = fopen(path, "rb");
    char *text = malloc(size + 1);
    assert_true(f != NULL && text != NULL && fread(text, 1, size, f) == size);
    fclose(f);
    text[size] = '\0';
    check_text(path, text, size);
    free(text);
}

/* Copies all programs of a folder and its folders. */
static void check_folder(const char *folder) {
    DIR *d = opendir(folder);
    const struct dirent *e;
    assert_non_null(d);
    while ((e = readdir(d)) != NULL) {
        char path[1024];
        struct stat st;
        const size_t n = strlen(e->d_name);
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (e->d_name[0] == '.' || stat(path, &st) != 0) continue;
        if (S_ISDIR(st.st_mode))
            check_folder(path);
        else if (n > 4 && strcmp(e->d_name + n - 4, ".pto") == 0)
            check_file(path, (size_t)st.st_size);
    }
    closedir(d);
}

static void test_copies(void **state) {
    (void)state;
    check_folder(SAMPLES);
    check_folder(SAMPLES "/../tests/golden");
    if (copied < 150 || converted < 10) fail_msg("%u copied, %u converted", copied, converted);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_alias), cmocka_unit_test(test_copies)};
    return cmocka_run_group_tests_name("clone", tests, NULL, NULL);
}
