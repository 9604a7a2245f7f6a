/* What statements read and write: each case is one statement and its accesses in a profile. */
#include "analysis/effects.h"
#include "parser/parse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define F32 "!pto.tile_buf<vec, 32x32xf32>"
#define HALF "!pto.tile_buf<vec, 16x32xf32>"
#define I32 "!pto.tile_buf<vec, 32x32xi32>"
#define MAT "!pto.tile_buf<mat, 32x32xf32>"
#define VIEW "!pto.partition_tensor_view<32x32xf32>"

/* An access is the name of the value, r or w, ? if it is only maybe, s for scratch, the pipe and,
 * after a stroke, the pipe that it may be instead. */
typedef struct Case {
    const char *op;
    Profile profile;
    const char *accesses;
} Case;

static const Case cases[] = {
    {"pto.tadd ins(%a, %b : " F32 ", " F32 ") outs(%c : " F32 ")", PROFILE_A2A3,
     "a:r:V b:r:V c:w:V"},
    {"pto.tload ins(%v : " VIEW ") outs(%a : " F32 ")", PROFILE_A2A3, "v:r:MTE2 a:w:MTE2"},
    {"pto.tstore ins(%a : " F32 ") outs(%v : " VIEW ")", PROFILE_A2A3, "a:r:MTE3 v:w:MTE3"},
    {"pto.trowsum ins(%a, %b : " F32 ", " F32 ") outs(%c : " F32 ")", PROFILE_A2A3,
     "a:r:V b:w?s:V c:w:V"},
    {"pto.trowsum ins(%a, %b : " F32 ", " F32 ") outs(%c : " F32 ")", PROFILE_A5, "a:r:V c:w:V"},
    {"pto.ttrans ins(%a, %b : " F32 ", " F32 ") outs(%c : " F32 ")", PROFILE_A5,
     "a:r:V b:w?s:V c:w:V"},
    {"pto.tci ins(%n, %a : i32, " F32 ") outs(%x : " I32 ")", PROFILE_A2A3, "a:w?s:V x:w:V"},
    {"pto.tci ins(%n, %a : i32, " F32 ") outs(%x : " I32 ")", PROFILE_A5, "x:w:S"},
    {"pto.ttri ins(%a, %b : " F32 ", " F32 ") outs(%c : " F32 ")", PROFILE_A2A3, "c:w:V"},
    {"pto.tfillpad ins(%m : " MAT ") outs(%m : " MAT ")", PROFILE_A2A3,
     "m:r:MTE1/MTE2 m:w:MTE1/MTE2"},
    {"pto.tmov ins(%a, %b : " F32 ", " F32 ") outs(%c : " F32 ")", PROFILE_A5,
     "a:r:V b:w?s:V c:w:V"},
    {"pto.taxpy ins(%a, %s : " F32 ", f32) outs(%c : " F32 ")", PROFILE_A5, "a:r:V c:rw:V"},
    {"pto.tsetval ins(%i, %s : index, f32) outs(%c : " F32 ")", PROFILE_A5, "c:w:S"},
    {"pto.tstore ins(%a : " F32 ") outs(%v : " VIEW ") {atomicType = #pto<atomic_type atomic_add>}",
     PROFILE_A5, "a:r:MTE3 v:rw:MTE3"},
    {"pto.set_validshape %a, %i, %i : " F32, PROFILE_A5, ""},
    {"pto.store_scalar %s, %p[%i] : !pto.ptr<f32>, f32", PROFILE_A5, "p:w:S"},
    {"func.call @add(%a, %b, %v) : (" F32 ", " F32 ", " VIEW ") -> ()", PROFILE_A5,
     "a:r:- b:r?:- b:w:- v:w:-"},
    {"func.call @twice(%a, %b, %v) : (" F32 ", " F32 ", " VIEW ") -> ()", PROFILE_A5,
     "a:r?:- a:w:- b:r:- v:w:-"},
    {"func.call @maybe(%a, %b, %o) : (" F32 ", " F32 ", i1) -> ()", PROFILE_A5, "b:r?:- b:w?:-"},
    {"func.call @other(%a, %p) : (" F32 ", !pto.ptr<f32>) -> ()", PROFILE_A5,
     "a:r?:- a:w?:- p:r?:- p:w?:-"},
    {"pto.mgather ins(%v, %x : " VIEW ", " I32 ") outs(%a : " F32 ")", PROFILE_A5,
     "v:r:V x:r:V a:w:V"},
};

/* Called by the cases. */
static const char callees[] =
    "func.func @add(%a: " F32 ", %b: " F32 ", %v: " VIEW ") {\n"
    "pto.tadd ins(%a, %a : " F32 ", " F32 ") outs(%b : " F32 ")\n"
    "pto.tstore ins(%b : " F32 ") outs(%v : " VIEW ")\nreturn\n}\n"
    "func.func @maybe(%a: " F32 ", %b: " F32 ", %n: i1) {\n"
    "%w = pto.subview %b[0, 0] sizes [16, 32] : " F32 " -> " HALF "\nscf.if %n {\n"
    "pto.tabs ins(%w : " HALF ") outs(%w : " HALF ")\n}\n"
    "%v = pto.alloc_tile : " F32 "\n"
    "pto.tabs ins(%v : " F32 ") outs(%v : " F32 ")\nreturn\n}\n"
    "func.func @twice(%a: " F32 ", %b: " F32 ", %v: " VIEW ") {\n"
    "func.call @add(%b, %a, %v) : (" F32 ", " F32 ", " VIEW ") -> ()\nreturn\n}\n"
    "func.func private @other(" F32 ", !pto.ptr<f32>)\n";

static const char *pipe_text(unsigned pipe) {
    static const char *const texts[] = {"-", "S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX"};
    return pipe < sizeof texts / sizeof *texts ? texts[pipe] : "unresolved";
}

static bool find_last(Op *op, void *arg) {
    Op **last = arg;
    if (op->nregions == 0 && (op->inst->flags & IF_TERMINATOR) == 0) *last = op;
    return true;
}

static void print(const Context *ctx, const Access *list, size_t n, char *out, size_t size) {
    size_t at = 0;
    out[0] = '\0';
    for (size_t i = 0; i < n; i++) {
        const Access *a = &list[i];
        const char *name = atom_text(&ctx->names, a->value->name);
        at += (size_t)snprintf(out + at, size - at, "%s%.*s:%s%s%s%s:%s%s%s", i > 0 ? " " : "", 1,
                               name, a->read ? "r" : "", a->write ? "w" : "", a->maybe ? "?" : "",
                               a->scratch ? "s" : "", pipe_text(a->pipe),
                               a->other != PIPE_NONE ? "/" : "",
                               a->other != PIPE_NONE ? pipe_text(a->other) : "");
    }
}

static void check_case(const Case *c) {
    static Context ctx;
    char text[4096], got[256];
    Access list[16];
    Op *op = NULL;
    snprintf(text, sizeof text,
             "%sfunc.func @f(%%a: %s, %%b: %s, %%c: %s, %%x: %s, %%m: %s, %%v: %s, %%n: i32, "
             "%%s: f32, %%i: index, %%p: !pto.ptr<f32>, %%o: i1) {\n"
             "%s\nreturn\n}\n",
             callees, F32, F32, F32, I32, MAT, VIEW, c->op);
    memset(&ctx, 0, sizeof ctx);
    Source source = {.name = "test.pto", .data = text, .size = (uint32_t)strlen(text)};
    if (setjmp(ctx.oom) != 0) fail_msg("out of memory");
    context_init(&ctx, &source, 0);
    Module *m = parse_module(&ctx);
    if (!m->bound_ok) fail_msg("cannot be read:\n%s", text);
    op_walk(m->root, find_last, &op);
    const Effects effects = {
        .ctx = &ctx, .profile = c->profile, .calls = calls_new(&ctx, c->profile)};
    size_t n = op_accesses(&effects, op, list, 16);
    assert_true(n <= 16);
    print(&ctx, list, n, got, sizeof got);
    if (strcmp(got, c->accesses) != 0)
        fail_msg("%s: %s, not %s, of:\n%s", profile_names[c->profile], got, c->accesses, c->op);
    /* a list that is too short is filled, and the number needed returned */
    list[0] = (Access){.value = NULL};
    assert_int_equal(op_accesses(&effects, op, list, 1), n);
    assert_true(n == 0 || list[0].value != NULL);
    context_free(&ctx);
}

static void statements_have_accesses(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_case(&cases[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(statements_have_accesses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
