/* Layouts of views of global memory. */
#include "backends/lower/lower.h"

int64_t lower_view_layout(const Op *op) {
    const Type *t = op->results[0].type;
    int64_t s[5] = {1, 1, 1, 1, 1}, d[5] = {0};
    const Operand *shape = slot_operands(op, 1), *strides = slot_operands(op, 2);
    if (t->rank > 5 || t->elem_type->kind != TY_SCALAR) return 0;
    for (uint32_t i = 0; i < t->rank; i++) {
        int64_t *extent = &s[5 - t->rank + i];
        *extent = t->dims[i];
        if ((*extent == DYNAMIC && !value_constant(shape[i].value, extent)) ||
            !value_constant(strides[i].value, &d[5 - t->rank + i]))
            return 0;
    }
    int64_t bytes = elem_infos[t->elem].bytes;
    if (s[2] == 16 && s[3] > 0 && s[3] <= 512 && s[2] * s[3] * bytes == 512 && d[4] == 1 &&
        d[3] == s[4])
        return 2;
    bool nd = (s[4] == 1 || d[4] == 1) && (s[3] == 1 || d[3] == (s[4] == 1 ? 1 : s[4]));
    bool dn = (s[3] == 1 || d[3] == 1) && (s[4] == 1 || d[4] == (s[3] == 1 ? 1 : s[3]));
    return !nd && dn ? 1 : 0;
}
