/* SPDX-License-Identifier: Apache-2.0 */
/* An emission lowers a module once and each function once, and keeps nothing of a function that is
 * printed. usage: test_lowered FILE... */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/internal.h"
#include "backends/lower/body.h"
#include "common/checkrun.h"

static char **files;
static int nfiles;

static ptoasm_result *emit(const ptoasm_source *src, bool cpp) {
    ptoasm_result *res;
    ptoasm_options opt = PTOASM_OPTIONS_INIT;
    const ptoasm_emit_options how = {.size = sizeof how, .cpp = cpp, .header = !cpp};
    opt.profiles = PTOASM_PROFILE_A5;
    assert_int_not_equal(ptoasm_emit(src, &opt, &how, &res), PTOASM_NOMEM);
    return res;
}

/* Returns the number of functions that the backend prints. */
static unsigned printed(ptoasm_result *res, bool cpp) {
    const Lower *l = lower_module(res->module, PROFILE_A5, &res->ctx->arena, &res->ctx->diags);
    unsigned n = 0;
    for (unsigned i = 0; i < l->nfuncs; i++)
        n += l->funcs[i].data->has_body && (cpp || l->funcs[i].reached);
    return n;
}

static void once(void **state) {
    (void)state;
    unsigned functions = 0;
    for (int i = 0; i < nfiles; i++)
        for (int cpp = 0; cpp < 2; cpp++) {
            ptoasm_source *src;
            size_t size;
            char *text = read_whole_file(files[i], &size);
            assert_non_null(text);
            const int opened = ptoasm_source_open(files[i], text, size, PTOASM_SOURCE_BORROW, &src);
            assert_int_equal(opened, PTOASM_OK);
            ptoasm_result *res = emit(src, cpp);
            if (res->has_text) {
                assert_int_equal(res->ctx->lowered_modules, 1);
                assert_int_equal(res->ctx->lowered_functions, printed(res, cpp));
                functions += res->ctx->lowered_functions;
            }
            ptoasm_result_free(res);
            ptoasm_source_close(src);
            free(text);
        }
    assert_true(functions > 20);
}

/* A text of `n` equal functions. */
static char *many(unsigned n) {
    static const char function[] =
        "func.func @f%05u(%%p: !pto.ptr<f32>) {\n"
        "  %%c0 = arith.constant 0 : index\n"
        "  %%c1 = arith.constant 1 : index\n"
        "  %%c8 = arith.constant 8 : index\n"
        "  %%v = pto.make_tensor_view %%p, shape = [%%c8, %%c8], strides = [%%c8, %%c1] : "
        "!pto.tensor_view<8x8xf32>\n"
        "  %%w = pto.partition_view %%v, offsets = [%%c0, %%c0], sizes = [%%c8, %%c8] : "
        "!pto.tensor_view<8x8xf32> -> !pto.partition_tensor_view<8x8xf32>\n"
        "  %%t = pto.alloc_tile : !pto.tile_buf<vec, 8x8xf32>\n"
        "  pto.tload ins(%%w : !pto.partition_tensor_view<8x8xf32>) outs(%%t : !pto.tile_buf<vec, "
        "8x8xf32>)\n"
        "  return\n"
        "}\n";
    char *text = malloc(n * sizeof function * 2), *at = text;
    assert_non_null(text);
    for (unsigned i = 0; i < n; i++)
        at += sprintf(at, function, i);
    return text;
}

static size_t step_bytes(unsigned n, bool cpp) {
    ptoasm_source *src;
    char *text = many(n);
    const int made = ptoasm_source_open("many", text, strlen(text), PTOASM_SOURCE_BORROW, &src);
    assert_int_equal(made, PTOASM_OK);
    ptoasm_result *res = emit(src, cpp);
    if (!res->has_text) fail_msg("%s", ptoasm_diagnostics_text(res, 0, NULL));
    assert_int_equal(res->ctx->lowered_functions, n);
    const size_t bytes = res->ctx->step.total;
    ptoasm_result_free(res);
    ptoasm_source_close(src);
    free(text);
    return bytes;
}

static void memory_of_one_function(void **state) {
    (void)state;
    for (int cpp = 0; cpp < 2; cpp++)
        assert_int_equal(step_bytes(4, cpp), step_bytes(400, cpp));
}

/* ---- statements ---- */

static ptoasm_result *emit_text(const char *text, ptoasm_source **src) {
    const int made = ptoasm_source_open("text", text, strlen(text), PTOASM_SOURCE_BORROW, src);
    assert_int_equal(made, PTOASM_OK);
    return emit(*src, true);
}

static const LowerStmt *find(const LowerRegion *r, StmtForm form) {
    for (const LowerBlock *b = r->first; b != NULL; b = b->next)
        for (const LowerStmt *s = b->first; s != NULL; s = s->next)
            if (s->form == form) return s;
    return NULL;
}

/* The statements that a region needs to give a tile its address back are in the list, once for each
 * tile, and say which tile it is; those of the text have their arguments. */
static void borrowed_tiles(void **state) {
    static const char text[] = "!t = !pto.tile_buf<vec, 8x8xi32>\n"
                               "func.func @f(%q: i1, %x: i32) attributes {pto.entry} {\n"
                               "  %a = arith.constant 0 : i64\n"
                               "  %t = pto.alloc_tile addr = %a : !t\n"
                               "  scf.if %q {\n"
                               "    pto.tassign %t, @tile(0x400)\n"
                               "    pto.tassign %t, @tile(0x500)\n"
                               "    pto.texpands ins(%x : i32) outs(%t : !t)\n"
                               "  }\n"
                               "  pto.tassign %t, @tile(0x600)\n"
                               "  return\n"
                               "}\n";
    static const StmtForm expected[] = {STMT_SAVE,   STMT_ASSIGN, STMT_ASSIGN,
                                        STMT_KERNEL, STMT_YIELD,  STMT_RESTORE};
    const LowerOptions how = {.plan = NULL};
    ptoasm_source *src;
    (void)state;
    ptoasm_result *res = emit_text(text, &src);
    if (!res->has_text) fail_msg("%s", ptoasm_diagnostics_text(res, 0, NULL));
    Arena *arena = &res->ctx->arena;
    const Lower *l = lower_module(res->module, PROFILE_A5, arena, &res->ctx->diags);
    const LowerBody *body = lower_function(l, &l->funcs[0], &how, arena);
    const LowerStmt *alloc = find(&body->region, STMT_ALLOC),
                    *branch = find(&body->region, STMT_IF);
    assert_non_null(alloc);
    assert_non_null(branch);
    assert_int_equal(branch->kind, DOES_BRANCH);
    assert_ptr_equal(lower_maker(body, &alloc->results[0]), alloc);
    const LowerStmt *s = branch->regions[0].first->first;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++, s = s->next) {
        assert_non_null(s);
        assert_int_equal(s->form, expected[i]);
        if (s->form == STMT_SAVE || s->form == STMT_RESTORE)
            assert_ptr_equal(s->rebinds, &alloc->results[0]);
    }
    assert_null(s);
    s = branch->regions[0].first->first->next;
    assert_ptr_equal(stmt_value(s, 0), &alloc->results[0]);
    assert_int_equal(stmt_attr_int(s, ATTR_tile_addr), 0x400);
    assert_null(find(&body->region, STMT_SAVE)); /* the function's own region gives nothing back */
    ptoasm_result_free(res);
    ptoasm_source_close(src);
}

int main(int argc, char **argv) {
    files = argv + 1;
    nfiles = argc - 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(once),
        cmocka_unit_test(memory_of_one_function),
        cmocka_unit_test(borrowed_tiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
