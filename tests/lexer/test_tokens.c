/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens: how words, names, braces and brackets are classified, what is trivia, and inputs that
 * must not take more than linear time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lexer/lexer.h"

typedef struct Lexed {
    Context ctx;
    Arena work;
    Source src;
    Lexer lexer;
    TokenBuf buf;
} Lexed;

/* All tokens of a text are kept: nothing is dropped between the batches. */
static void lex(Lexed *l, const char *text, size_t n) {
    l->src = (Source){"test", text, (uint32_t)n};
    if (setjmp(l->ctx.oom) != 0) fail_msg("out of memory");
    context_init(&l->ctx, &l->src, 0);
    arena_init(&l->work, &l->ctx.oom);
    lexer_init(&l->lexer, &l->ctx, &l->work, &l->buf);
    while (!l->lexer.done)
        lexer_fill(&l->lexer);
}

static void drop(Lexed *l) {
    arena_free(&l->work);
    context_free(&l->ctx);
}

/* The kinds as letters. */
static char letter(const Token *t) {
    switch (t->kind) {
    case TOK_EOF:
        return '.';
    case TOK_ERROR:
        return '!';
    case TOK_OP:
        return 'O';
    case TOK_QUOTED_OP:
        return 'Q';
    case TOK_RESULT:
        return (t->flags & TF_BINDING) != 0 ? 'b' : 'R';
    case TOK_VALUE:
        return 'v';
    case TOK_LABEL:
        return 'L';
    case TOK_SUCCESSOR:
        return 's';
    case TOK_LAUNCH_OPEN:
        return 'l';
    case TOK_LAUNCH_CLOSE:
        return 'm';
    case TOK_SYMBOL:
        return '@';
    case TOK_WORD:
        return 'w';
    case TOK_TYPE:
        return 'T';
    case TOK_ATTR:
        return 'A';
    case TOK_ANGLE:
        return 'a';
    case TOK_PROPS_OPEN:
        return 'p';
    case TOK_PROPS_CLOSE:
        return 'q';
    case TOK_TYPE_ALIAS:
        return 'Y';
    case TOK_ATTR_ALIAS:
        return 'Z';
    case TOK_ARG:
        return 'G';
    case TOK_CONST:
        return 'C';
    case TOK_INT:
        return 'i';
    case TOK_FLOAT:
        return 'f';
    case TOK_STRING:
        return 't';
    case TOK_DICT_OPEN:
        return 'D';
    case TOK_REGION_OPEN:
        return '{';
    default: {
        static const char marks[] = "()[]????},:=>-+*?B";
        return marks[t->kind - TOK_LPAREN];
    }
    }
}

static const struct {
    const char *text, *kinds;
} cases[] = {
    /* results and uses */
    {"%a = pto.tadd %b", "R=Ov."},
    {"%a, %b = pto.x %c, %d", "R,R=Ov,v."},
    {"%r:2, %s = scf.if %c", "R,R=Ov."},
    {"%a = tadds %b, %c", "R=Ov,v."},
    {"scf.for %i = %lb to %ub step %s iter_args(%a = %x, %b = %y) {", "Ob=vwvwvw(b=v,b=v){."},
    {"pto.x %a\n%b, %c = pto.y", "OvR,R=O."},
    {"%a =\n%b = pto.x", "R=R=O."},
    {"%x#1 = pto.x", "v=O."},
    /* words */
    {"return %a : f32", "Ov:w."},
    {"module @m attributes {pto.a = 1, pto.b} {", "O@wDw=i,w}{."},
    {"pto.alloc_tile addr = %a valid_row = %b : !pto.tile<...>", "Ow=vw=v:T."},
    {"pto.x\ntadds %a, %b", "OOv,v."},
    {"pto.tmov ins(%a : f32)\nouts(%b : f32)", "Ow(v:w)w(v:w)."},
    {"{\n pto.a = 1,\n pto.b\n}", "Dw=i,w}."},
    {"pto.x ins(%a : f32\npto.y %b", "Ow(v:wOv."},
    {"pto.x ins(%a : f32\n%b = pto.y", "Ow(v:wR=O."},
    {"here: tsync", "O."},
    /* labels and successors */
    {"^bb0: return", "L:O."},
    {"^bb1(%a: i32, %b: f32):\ncf.br ^bb1(%a : i32)", "L(v:w,v:w):Os(v:w)."},
    {"cf.cond_br %c, ^a, ^b(%x : i32)\n^a:", "Ov,s,s(v:w)L:."},
    /* braces */
    {"func.func @f() {}", "O@(){}."},
    {"pto.x {}", "OD}."},
    {"module attributes {} {}", "OwD}{}."},
    {"scf.if %c { return } else { }", "Ov{O}w{}."},
    {"pto.x {\"a b\" = 1}", "ODt=i}."},
    {"\"a.b\"(%x) <{k = 1}> ({ ^bb0: }, {}) : () -> ()", "Q(v)pw=iq({L:},{}):()>()."},
    /* brackets as one token */
    {": !pto.tile_buf<vec, 16x16xf32, valid=8x?>, tensor<4x!pto.ptr<f32>>", ":T,T."},
    {"#pto.layout<nd> #pto<cmp eq> array<i32: 1> dense<[[1], [2]]> affine_map<(d0) -> (d0)>",
     "AAAAA."},
    {"pto.barrier <PIPE_V>", "Oa."},
    {"pto.tile<16x16xf32>", "T."},
    {"!t = f32\n#m = #pto.layout<nd>\n!t", "Y=wZ=AT."},
    {"!foo<\"a>\">", "T."},
    {"%t!loc=vec", "vBw=w."},
    {"#atomic=add", "Z=w."},
    /* numbers and strings */
    {"1 -2 1.5 1. 1.5e-3 0x1F 007", "i-ifffii."},
    {"1e5 16x16", "!!."},
    {"%0 %0a @0a @a.b$c @\"a b\" @a::@b", "v!!@@@."},
    {"\"a\\n\\22\" \"\\q\"", "t!."},
    {"\"open", "!."},
    {"\f \x01", "!!."},
    /* trivia, separators, locations, directives */
    {"# Auto mode\n%a = tadd %b // c\n; d\n", "R=Ov."},
    {"pto.x ; %a = pto.y ; pto.z ;", "OR=OO."},
    {"pto.x ; %", "O!."},
    {"%a = pto.x : i32 loc(\"f\":1:2)\npto.y", "R=O:wO."},
    {"#l = loc(callsite(\"a\" at \"b\"))", "Z=A."},
    {".arg %a : f32\n.const %b = 1.0 : f32", "Gv:wCb=f:w."},
    {"loc=vec", "w=w."},
};

static void classification(void **state) {
    (void)state;
    unsigned wrong = 0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Lexed *l = calloc(1, sizeof *l);
        char got[128];
        uint32_t n = 0;
        lex(l, cases[i].text, strlen(cases[i].text));
        for (; n < l->buf.count && n < sizeof got - 1; n++)
            got[n] = letter(&l->buf.tokens[n]);
        got[n] = '\0';
        if (strcmp(got, cases[i].kinds) != 0) {
            print_error("%s\n  gives %s, expected %s\n", cases[i].text, got, cases[i].kinds);
            wrong++;
        }
        drop(l);
        free(l);
    }
    assert_int_equal(wrong, 0);
}

static void texts_and_numbers(void **state) {
    (void)state;
    static Lexed l;
    const char *text = "%r:3 = pto.x %ab#2, @\"a b\", \"x\\22\\n\", < PIPE_V >";
    lex(&l, text, strlen(text));
    const Token *t = l.buf.tokens;
    assert_int_equal(t[0].number, 3);
    assert_int_equal(atom_len(&l.ctx.names, t[0].atom), 1);
    assert_int_equal(t[3].number, 2);
    assert_memory_equal(atom_text(&l.ctx.names, t[3].atom), "ab", 2);
    assert_int_equal(atom_len(&l.ctx.names, t[3].atom), 2);
    assert_memory_equal(atom_text(&l.ctx.names, t[5].atom), "a b", 3);
    assert_memory_equal(atom_text(&l.ctx.names, t[7].atom), "x\"\n", 3);
    assert_int_equal(atom_len(&l.ctx.names, t[9].atom), 6);
    assert_memory_equal(atom_text(&l.ctx.names, t[9].atom), "PIPE_V", 6);
    assert_int_equal(t[9].off, strlen(text) - 10);
    assert_int_equal(t[9].len, 10);
    drop(&l);
}

static void trivia(void **state) {
    (void)state;
    static Lexed l;
    const char *text = "\n// first\r\npto.x // behind\n\n  \n# own line\npto.y ; rest\n\n";
    static const struct {
        uint32_t before;
        uint8_t kind;
        const char *text;
    } expected[] = {{0, TRIVIA_COMMENT, "// first"},
                    {1, TRIVIA_TRAILING, "// behind"},
                    {1, TRIVIA_BLANK, ""},
                    {1, TRIVIA_COMMENT, "# own line"},
                    {2, TRIVIA_TRAILING, "; rest"}};
    lex(&l, text, strlen(text));
    assert_int_equal(l.buf.ntrivia, 5);
    for (uint32_t i = 0; i < 5; i++) {
        const RawTrivia *t = &l.buf.trivia[i];
        assert_int_equal(t->before, expected[i].before);
        assert_int_equal(t->kind, expected[i].kind);
        assert_int_equal(t->text.len, strlen(expected[i].text));
        assert_memory_equal(text + t->text.off, expected[i].text, t->text.len);
    }
    drop(&l);
}

/* Dropping tokens between batches changes nothing but the memory needed. */
static void batches(void **state) {
    (void)state;
    enum { LINES = 5000 };
    static const char line[] = "%abc, %d = pto.x ins(%e, %f : !pto.tile<16x16xf32>, f32) {a = 1}\n";
    size_t n = LINES * (sizeof line - 1);
    char *text = malloc(n + 1);
    for (size_t i = 0; i < LINES; i++)
        memcpy(text + i * (sizeof line - 1), line, sizeof line - 1);
    text[n] = '\0';
    static Lexed l;
    uint32_t results = 0, seen = 0, most = 0;
    l.src = (Source){"test", text, (uint32_t)n};
    if (setjmp(l.ctx.oom) != 0) fail_msg("out of memory");
    context_init(&l.ctx, &l.src, 0);
    arena_init(&l.work, &l.ctx.oom);
    lexer_init(&l.lexer, &l.ctx, &l.work, &l.buf);
    while (!l.lexer.done) {
        lexer_drop(&l.lexer, seen);
        lexer_fill(&l.lexer);
        for (; seen < l.buf.count; seen++)
            results += l.buf.tokens[seen - l.buf.base].kind == TOK_RESULT;
        if (l.buf.count - l.buf.base > most) most = l.buf.count - l.buf.base;
    }
    assert_int_equal(results, 2 * LINES);
    assert_int_equal(seen, 20 * LINES + 1);
    assert_true(most < 2000);
    drop(&l);
    free(text);
}

/* Each of these took quadratic time in some naive lexer. 200,000 repetitions end well within the
 * test's time limit when the time is linear, and not when it is not. */
static void linear_time(void **state) {
    (void)state;
    static const char *const pieces[] = {
        "!pto.a<", "!pto.a<\n", "^b(",  "^b(\n", "%a, ", "%a = ", "{",  "}",   "(",
        "\"",      "#a<",       "loc(", "@a::",  "<{",   "a = {", "; ", "-> ", "// c\n"};
    enum { TIMES = 200000 };
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        size_t len = strlen(pieces[i]), n = len * TIMES;
        char *text = malloc(n + 1);
        for (size_t k = 0; k < TIMES; k++)
            memcpy(text + k * len, pieces[i], len);
        text[n] = '\0';
        Lexed *l = calloc(1, sizeof *l);
        lex(l, text, n);
        assert_true(l->buf.count >= 1);
        assert_int_equal(l->buf.tokens[l->buf.count - 1].kind, TOK_EOF);
        drop(l);
        free(l);
        free(text);
    }
}

/* Any byte string ends in EOF, with tokens in order and inside the text. */
static void any_bytes(void **state) {
    (void)state;
    enum { SIZE = 4000, ROUNDS = 50 };
    uint32_t seed = 1;
    for (int round = 0; round < ROUNDS; round++) {
        char text[SIZE + 1];
        for (int i = 0; i < SIZE; i++) {
            static const char bytes[] = "%^!#@<>(){}[]=,:;\"\\-.ax01 \n\0\xff";
            seed = seed * 1664525u + 1013904223u;
            text[i] = bytes[(seed >> 16) % (sizeof bytes - 1)];
        }
        text[SIZE] = '\0';
        Lexed *l = calloc(1, sizeof *l);
        lex(l, text, SIZE);
        uint32_t end = 0;
        for (uint32_t i = 0; i < l->buf.count; i++) {
            const Token *t = &l->buf.tokens[i];
            assert_true(t->off >= end && t->off + t->len <= SIZE);
            end = t->off + t->len;
        }
        assert_int_equal(l->buf.tokens[l->buf.count - 1].kind, TOK_EOF);
        drop(l);
        free(l);
    }
}

/* A text of more names than near caches hold: each token has the atom of its own text. Types that
 * begin or end like the last one are other types. */
static void many_names(void **state) {
    (void)state;
    enum { NAMES = 20000, LINE = 160 };
    char *text = malloc(NAMES * LINE + 1);
    size_t n = 0;
    for (int i = 0; i < NAMES; i++)
        n += (size_t)snprintf(text + n, LINE,
                              "%%n%d = pto.a %%n%d, %%long_name_of_a_value_%d "
                              ": !pto.t<%d>, !pto.t<%d%d>, !pto.tu<%d>, !pto.t<%d>\n",
                              i, i / 2, i % 9000, i, i, i % 3, i, i / 2);
    Lexed *l = calloc(1, sizeof *l);
    lex(l, text, n);
    unsigned names = 0, types = 0;
    for (uint32_t i = 0; i < l->buf.count; i++) {
        const Token *t = &l->buf.tokens[i];
        const uint32_t marker = t->kind != TOK_TYPE;
        if (t->kind != TOK_RESULT && t->kind != TOK_VALUE && t->kind != TOK_TYPE) continue;
        names += t->kind != TOK_TYPE;
        types += t->kind == TOK_TYPE;
        assert_int_equal(t->atom,
                         intern_find(&l->ctx.names, text + t->off + marker, t->len - marker));
        assert_int_not_equal(t->atom, 0);
        assert_int_equal(text[t->off + t->len - 1] == '>', t->kind == TOK_TYPE);
    }
    assert_int_equal(names, 3 * NAMES);
    assert_int_equal(types, 4 * NAMES);
    drop(l);
    free(l);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classification), cmocka_unit_test(texts_and_numbers),
        cmocka_unit_test(trivia),         cmocka_unit_test(batches),
        cmocka_unit_test(linear_time),    cmocka_unit_test(any_bytes),
        cmocka_unit_test(many_names),
    };
    return cmocka_run_group_tests_name("tokens", tests, NULL, NULL);
}
