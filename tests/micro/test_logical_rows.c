/* SPDX-License-Identifier: Apache-2.0 */
/* Every instruction on logical vectors is lowered to micro-instructions
 * (passes/lower_vmi/rows.def), and runs (runtime/ptort_micro.def): it has a row in both tables, or
 * is named below with what takes its place. */
#include "backends/lower/kernel_table.h"
#include "ir/ir.h"

#include <stdio.h>
#include <string.h>

static const bool lowered[INST_COUNT] = {
#define ROW(id, ...) [INST_##id] = true,
#include "passes/lower_vmi/rows.def"
#undef ROW
};

static const struct {
    InstId id;
    const char *why;
} without_kernel[] = {
    {INST_VMI_CONSTANT, "its lanes are a table in the emitted code"},
    {INST_VMI_CONSTANT_MASK, "its lanes are a table in the emitted code"},
    {INST_VMI_SHUFFLE, "its indices are a table in the emitted code"},
};

/* Returns why there is no row; NULL: there must be one. */
static const char *excuse(InstId id) {
    for (size_t i = 0; i < sizeof without_kernel / sizeof *without_kernel; i++)
        if (without_kernel[i].id == id) return without_kernel[i].why;
    return NULL;
}

static int number, failures;

static void ok(bool fine, const char *name, const char *what) {
    printf("%s %d - %s %s\n", fine ? "ok" : "not ok", ++number, name, what);
    failures += !fine;
}

int main(void) {
    for (int id = 0; id < INST_COUNT; id++) {
        const Inst *inst = &inst_table[id];
        if (inst->name == NULL || !inst_is_logical(inst)) continue;
        const char *why = excuse((InstId)id);
        ok(lowered[id], inst->name, "has a row that lowers it");
        ok((kernel_first(inst) != NULL) == (why == NULL), inst->name,
           why != NULL ? why : "has a row of the runtime");
    }
    ok(number > 0, "instructions on logical vectors", "exist");
    printf("1..%d\n", number);
    return failures > 0;
}
