/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the rows of calls.def, and shows them to people. */
#include "backends/cpp/calls.h"

#include <stdlib.h>
#include <string.h>

static const char *const word_texts[] = {
#define WORD(name, text, doc) text,
#include "backends/cpp/words.def"
#undef WORD
};

const CallRow *call_first(const Inst *inst, unsigned *n) {
    unsigned lo = 0, hi = call_row_count;
    while (lo < hi) {
        unsigned mid = lo + (hi - lo) / 2;
        if (call_rows[mid].inst < (unsigned)inst_id(inst))
            lo = mid + 1;
        else
            hi = mid;
    }
    for (*n = 0; lo + *n < call_row_count && call_rows[lo + *n].inst == (unsigned)inst_id(inst);)
        ++*n;
    return *n > 0 ? &call_rows[lo] : NULL;
}

static const char *name_of(const Inst *inst, const CallToken *t) {
    return t->slot != 0     ? inst->slots[t->slot - 1].name
           : t->result != 0 ? inst->results[t->result - 1].name
                            : inst->attrs[t->attr - 1].name;
}

/* A type is shown as the name of its operand with a capital letter. */
static void show_type(StrBuf *out, const char *name) {
    const char c = name[0];
    sb_putc(out, (char)(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c));
    sb_puts(out, name + 1);
}

static void show(StrBuf *out, const Inst *inst, const CallToken *t) {
    for (; t->part != CALL_END; t++) {
        switch (t->part) {
        case CALL_OPEN:
            sb_putc(out, '[');
            break;
        case CALL_CLOSE:
            sb_putc(out, ']');
            break;
        case CALL_WORD:
            sb_puts(out, word_texts[t->at]);
            break;
        case CALL_TYPE:
            show_type(out, name_of(inst, t));
            break;
        case CALL_TEXT:
            sb_add(out, call_texts + t->at, t->n);
            break;
        default:
            sb_puts(out, name_of(inst, t));
        }
    }
}

const char *call_shown(const Inst *inst, Profile profile, Arena *arena) {
    unsigned n, shown = 0;
    const CallRow *rows = call_first(inst, &n);
    StrBuf out;
    sb_init(&out, arena);
    for (unsigned i = 0; i < n; i++) {
        if ((rows[i].profiles & PROFILE_BIT(profile)) == 0) continue;
        /* two conditions may have one call */
        if (i > 0 && rows[i - 1].text == rows[i].text) continue;
        sb_puts(&out, shown++ > 0 ? ", " : rows[i].none ? "none: " : "");
        if (rows[i].none)
            sb_puts(&out, call_texts + rows[i].text);
        else
            show(&out, inst, call_tokens + rows[i].text);
    }
    return shown > 0 ? sb_text(&out) : NULL;
}

static int compare_name(const void *key, const void *entry) {
    return strcmp(key, *(const char *const *)entry);
}

bool call_has_name(const char *name) {
    return bsearch(name, call_names, call_name_count, sizeof *call_names, compare_name) != NULL;
}
