/* formula_make.c - values from nothing: sequences. */
#define ORACLE_FAMILY "make"
#include "matrix.h"

DRIVER(sequence, "eda", ptrt_sequence_i(HEAD, I(0), T(1), A(2)));

static void expect_sequence(Case *c) {
    const Arg *d = &c->arg[1];
    for (int64_t k = 0; k < d->vcol; k++)
        put(c, 1, 0, k, c->arg[2].i ? wrap_sub(c->arg[0].i, k) : wrap_add(c->arg[0].i, k));
}
FORMULA(TCI, .expect = expect_sequence, .ints = {[2] = INTS(0, 1)});
