/* SPDX-License-Identifier: Apache-2.0 */
/* elements FILE: writes the element types as a module of the Python package, ptoasm/_elements.py.
 * tests/python compares it with the tables, tests/docs/update writes it. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/ptort_floats.def"

typedef struct Element {
    const char *name;
    int bytes, real;
    const char *format; /* of an 8-bit float: its columns; or NULL */
} Element;

#define COLUMNS(name, e, m, bias, special, ...)                                                    \
    static const char format_##name[] =                                                            \
        "Format('" #name "', " #e ", " #m ", " #bias ", '" #special "')";
PTRT_FORMATS_8(COLUMNS, )

#define PTRT_ELEM_8(id, name, format, cpp, ...) {name, 1, 1, format_##format},
static const Element elements[] = {
#define ELEM(id, name, bytes, lanes, real, max, min) {name, bytes, real, NULL},
#include "runtime/ptort_elems.def"
};

/* Returns the type of numpy that has the numbers, or unsigned integers for their bits. */
static const char *kind_of(const Element *e) {
    static const char *const floats[] = {"f16", "f32", "f64", "tf32"};
    if (e->real == 0) return e->name[0] == 'u' ? "uint" : "int";
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++)
        if (strcmp(e->name, floats[i]) == 0) return "float";
    return "uint";
}

int main(int argc, char **argv) {
    FILE *to = argc == 2 ? fopen(argv[1], "w") : NULL;
    if (to == NULL) return EXIT_FAILURE;
    fputs("# SPDX-License-Identifier: Apache-2.0\n"
          "\"\"\"The element types of tiles; written by python/elements.c from the tables.\"\"\"\n"
          "from collections import namedtuple\n\n"
          "# A float of 8 bits: its name, the bits of exponent and mantissa, the bias of the "
          "exponent, and "
          "what the largest\n# exponent encodes.\n"
          "Format = namedtuple('Format', 'name exponent mantissa bias special')\n"
          "# Type of numpy for the bits, which are numbers if it is no unsigned integer; format of "
          "an "
          "8-bit float.\n"
          "ELEMENTS = {\n",
          to);
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
        const Element *e = &elements[i];
        fprintf(to, "    '%s': ('%s%d', %s),\n", e->name, kind_of(e), 8 * e->bytes,
                e->format != NULL ? e->format : "None");
    }
    fputs("}\n", to);
    return fclose(to) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
