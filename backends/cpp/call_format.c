/* SPDX-License-Identifier: Apache-2.0 */
/* The format of calls.def: its pieces, and what a row must satisfy. */
#include "backends/cpp/call_format.h"
#include "support/ascii.h"

#include <string.h>

static bool is_mark(const char *s) {
    return (*s == '$' || *s == '%' || *s == '@') && ascii_is_word(s[1]);
}

static bool is_open(const char *s) {
    return strncmp(s, "(? ", 3) == 0;
}

static bool is_close(const char *s) {
    return strncmp(s, " )?", 3) == 0;
}

CallPiece call_next(const char **at) {
    const char *s = *at;
    CallPiece t = {CALL_TEXT, s, 0};
    if (*s == '\0') {
        t.part = CALL_END;
    } else if (is_open(s) || is_close(s)) {
        t.part = is_open(s) ? CALL_OPEN : CALL_CLOSE;
        t.n = 3;
    } else if (is_mark(s)) {
        t.part = *s == '$' ? CALL_ARG : *s == '%' ? CALL_TYPE : CALL_WORD;
        t.s = ++s;
        while (ascii_is_word(s[t.n]))
            t.n++;
    } else {
        do
            t.n++;
        while (s[t.n] != '\0' && !is_open(s + t.n) && !is_close(s + t.n) && !is_mark(s + t.n));
    }
    *at = s + t.n;
    return t;
}

CallPiece call_next_name(const char **at) {
    const char *s = *at;
    const bool word = *s == '@';
    const size_t n = strcspn(s, " ");
    *at = s + n + (s[n] == ' ');
    return (CallPiece){n == 0 ? CALL_END : word ? CALL_WORD : CALL_ARG, s + word, n - word};
}

int call_word(const char *s, size_t n) {
    static const char *const names[] = {
#define WORD(name, text, doc) #name,
#include "backends/cpp/words.def"
#undef WORD
    };
    for (int i = 0; i < CALL_WORD_COUNT; i++)
        if (strlen(names[i]) == n && memcmp(names[i], s, n) == 0) return i;
    return -1;
}

static bool is_known(const Inst *inst, const CallPiece *t) {
    if (t->part == CALL_WORD) return call_word(t->s, t->n) >= 0;
    return inst_operand_named(inst, t->s, t->n) >= 0 ||
           (t->part == CALL_ARG && inst_attr_named(inst, t->s, t->n) >= 0);
}

/* True for a name that a statement may omit. */
static bool is_optional(const Inst *inst, const CallPiece *t) {
    int slot = inst_slot_named(inst, t->s, t->n), attr = inst_attr_named(inst, t->s, t->n);
    return (slot >= 0 && inst->slots[slot].arity != ARITY_ONE) ||
           (attr >= 0 && !inst->attrs[attr].required);
}

/* Whether the brackets of the whole text match, angle brackets aside. */
static bool is_balanced(const char *s) {
    char open[16];
    unsigned depth = 0;
    for (; *s != '\0'; s++) {
        if (strchr("([{", *s) != NULL) {
            if (depth == sizeof open) return false;
            open[depth++] = *s == '(' ? ')' : *s == '[' ? ']' : '}';
        } else if (strchr(")]}", *s) != NULL) {
            if (depth == 0 || open[--depth] != *s) return false;
        }
    }
    return depth == 0;
}

static const char *text_fault(const Inst *inst, const char *text) {
    int depth = 0, named = 0;
    CallPiece t;
    if (*text == '\0') return "no text";
    if (!is_balanced(text)) return "brackets that do not match";
    for (const char *at = text; (t = call_next(&at)).part != CALL_END;) {
        if (t.part == CALL_OPEN) {
            depth++;
            named = 0;
        } else if (t.part == CALL_CLOSE) {
            if (--depth < 0) return "an optional part ends that did not begin";
            if (named == 0) return "an optional part without a name";
        } else if (t.part != CALL_TEXT) {
            if (!is_known(inst, &t)) return "an unknown name";
            if (depth > 0) named += t.part == CALL_WORD || is_optional(inst, &t);
        }
    }
    return depth == 0 ? NULL : "an optional part that does not end";
}

static const char *when_fault(const Inst *inst, const char *when) {
    for (CallPiece t; (t = call_next_name(&when)).part != CALL_END;) {
        if (!is_known(inst, &t)) return "an unknown name in the condition";
        if (t.part == CALL_ARG && !is_optional(inst, &t)) return "a condition that always holds";
    }
    return NULL;
}

const char *call_fault(const Inst *inst, const char *when, const char *text) {
    const char *fault = when_fault(inst, when);
    return fault != NULL ? fault : text_fault(inst, text);
}
