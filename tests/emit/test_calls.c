/* SPDX-License-Identifier: Apache-2.0 */
/* The calls on the device: their format, and that the rows agree with each other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "backends/cpp/call_format.h"
#include "ir/ir.h"

static const Inst *row(const char *name) {
    const Inst *inst = inst_find(name, strlen(name));
    assert_non_null(inst);
    return inst;
}

/* ---- the format ---- */

static void tokens(void **state) {
    (void)state;
    static const CallPart parts[] = {CALL_TEXT,  CALL_TYPE, CALL_OPEN, CALL_TEXT, CALL_WORD,
                                     CALL_CLOSE, CALL_TEXT, CALL_ARG,  CALL_TEXT, CALL_END};
    const char *at = "TCI<%dst(? , @elem )?>($dst) % 2";
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        assert_int_equal(call_next(&at).part, parts[i]);
    assert_int_equal(call_next(&at).part, CALL_END);
    assert_int_equal(call_word("elem", 4), CALL_WORD_elem);
    assert_int_equal(call_word("ele", 3), -1);
}

static void faults(void **state) {
    (void)state;
    const Inst *tcvt = row("pto.tcvt");
    assert_null(call_fault(tcvt, "tmp", "TCVT($dst, $src, $tmp, $rmode)"));
    assert_null(call_fault(tcvt, "", "TCVT($dst, $src(? , $tmp )?)"));
    static const struct {
        const char *when, *text, *fault;
    } wrong[] = {
        {"", "", "no text"},
        {"", "TCVT($dst, $source)", "an unknown name"},
        {"", "TCVT<%rmode>($dst)", "an unknown name"},
        {"", "TCVT(@nothing)", "an unknown name"},
        {"", "TCVT($dst", "brackets that do not match"},
        {"", "TCVT($dst])", "brackets that do not match"},
        {"", "TCVT($dst(? , $tmp)", "brackets that do not match"},
        {"", "TCVT($dst(? , $src )?)", "an optional part without a name"},
        {"src", "TCVT($dst)", "a condition that always holds"},
        {"scalar", "TCVT($dst)", "an unknown name in the condition"},
        {"tmp @nothing", "TCVT($dst)", "an unknown name in the condition"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const char *fault = call_fault(tcvt, wrong[i].when, wrong[i].text);
        assert_non_null(fault);
        assert_string_equal(fault, wrong[i].fault);
    }
}

/* ---- what explain shows ---- */

static void shown_calls(void **state) {
    Arena *arena = *state;
    static const struct {
        const char *inst;
        Profile profile;
        const char *text;
    } calls[] = {
        {"pto.tadds", PROFILE_A5, "TADDS(dst, src, scalar)"},
        {"pto.tdiv", PROFILE_A2A3, "TDIV[<precisionType>](dst, src0, src1)"},
        {"pto.tci", PROFILE_A2A3,
         "TCI<Dst, Tmp, T, 0>(dst, (T)(0u - S), tmp); pipe_barrier(PIPE_V); TMULS(dst, dst, -1), "
         "TCI<Dst, Tmp, T, descending>(dst, S, tmp), TCI<Dst, T, descending>(dst, S)"},
        {"pto.set_intra_block", PROFILE_A5, "__builtin_cce_set_intra_block(pipe, event_id)"},
        {"pto.set_intra_block", PROFILE_A2A3,
         "__builtin_cce_ffts_cross_core_sync(pipe, getFFTSMsg(FFTS_MODE_VAL, event_id))"},
        {"pto.textract_fp", PROFILE_A5,
         "TEXTRACT_FP<Dst, Src, Fp, reluPreMode>(dst, src, fp, indexRow, indexCol), "
         "TEXTRACT_FP(dst, src, fp, indexRow, indexCol)"},
        {"pto.tstore.fp", PROFILE_A2A3,
         "TSTORE_FP<Src, Mem, Fp, AtomicType, ReluPreMode>(mem, src, fp), TSTORE_FP(mem, src, fp)"},
        {"pto.tpack", PROFILE_A5, "none: the library has no call for it"},
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        const char *text = call_shown(row(calls[i].inst), calls[i].profile, arena);
        assert_non_null(text);
        assert_string_equal(text, calls[i].text);
    }
    assert_null(call_shown(row("pto.section.cube"), PROFILE_A5, arena));
    assert_null(call_shown(row("arith.addi"), PROFILE_A5, arena));
    assert_null(call_shown(row("pto.tadds"), PROFILE_CPU, arena));
}

/* ---- calls of several rows ---- */

/* A call NAME(..) or NAME<..>(..) of a row; `args` counts the arguments, with those in brackets
 * and without them. */
typedef struct Call {
    const char *name;
    size_t len;
    unsigned most, least;
} Call;

/* Returns the end of the parenthesis at `s`, and counts what is between commas. */
static const char *count_args(const char *s, Call *c) {
    int depth = 0;
    bool optional = false, empty = s[1] == ')';
    c->most = c->least = empty ? 0 : 1;
    for (; *s != '\0'; s++) {
        if (strchr("({<", *s) != NULL) depth++;
        if (strchr(")}>", *s) != NULL && --depth == 0) return s + 1;
        if (*s == '[') optional = true;
        if (*s == ']') optional = false;
        if (*s == ',' && depth == 1) c->most++, c->least += !optional;
    }
    return NULL;
}

/* Stores the next call of a text of calls, and returns what follows it; NULL: there is none. */
static const char *next_call(const char *s, Call *c) {
    const char *text = s;
    for (; *s != '\0'; s++) {
        size_t n = strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789"), skip = n;
        if (n < 2) continue;
        if (s[n] == ':' || (s > text && s[-1] == ':')) { /* of another namespace */
            s += n - 1;
            continue;
        }
        int depth = 0;
        if (s[n] == '<') do
                depth += s[skip] == '<' ? 1 : s[skip] == '>' ? -1 : 0;
            while (s[skip++] != '\0' && depth > 0);
        *c = (Call){.name = s, .len = n};
        if (s[skip] == '(') return count_args(s + skip, c);
        s += n - 1;
    }
    return NULL;
}

/* Whether the row of that call has one with as many arguments; also when the table has no such
 * row, or the call is an overload for the variant of it that the row `caller` is. */
static bool is_call_of_a_row(const char *caller, const Call *c, Profile profile, Arena *arena) {
    char name[64];
    int n = snprintf(name, sizeof name, "pto.%.*s", (int)c->len, c->name);
    for (char *p = name + 4; *p != '\0'; p++)
        *p = (char)(*p >= 'A' && *p <= 'Z' ? *p + 'a' - 'A' : *p);
    const Inst *inst = inst_find(name, (size_t)n);
    if (inst == NULL || strncmp(caller, name, (size_t)n) == 0) return true;
    Call own;
    bool found = false, match = false;
    for (const char *s = call_shown(inst, profile, arena); s != NULL && (s = next_call(s, &own));)
        if (own.len == c->len && memcmp(own.name, c->name, c->len) == 0) {
            found = true;
            match |= c->least <= own.most && own.least <= c->most;
        }
    return match || !found;
}

/* A row made of several calls has each in the form of its own row. */
static void calls_have_the_arguments_of_their_rows(void **state) {
    Arena *arena = *state;
    unsigned calls = 0;
    Call c;
    for (int i = 1; i < INST_COUNT; i++)
        for (Profile p = PROFILE_A2A3; p <= PROFILE_A5; p++)
            for (const char *s = call_shown(&inst_table[i], p, arena);
                 s != NULL && (s = next_call(s, &c)) != NULL;) {
                calls++;
                if (!is_call_of_a_row(inst_table[i].name, &c, p, arena))
                    fail_msg("%s: %.*s with %u arguments", inst_table[i].name, (int)c.len, c.name,
                             c.most);
            }
    assert_true(calls > 300);
}

static int set_up(void **state) {
    static Arena arena;
    arena_init(&arena, NULL);
    *state = &arena;
    return 0;
}

static int tear_down(void **state) {
    arena_free(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens),
        cmocka_unit_test(faults),
        cmocka_unit_test(shown_calls),
        cmocka_unit_test(calls_have_the_arguments_of_their_rows),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
