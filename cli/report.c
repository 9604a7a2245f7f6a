/* SPDX-License-Identifier: Apache-2.0 */
/* The table of output formats of `ptoasm check`. */
#include "cli/report.h"

#include <string.h>

static const struct {
    const char *name;
    Report *(*make)(void);
} formats[] = {
    {"text", report_text},
    {"json", report_json},
    {"sarif", report_sarif},
    {"github", report_github},
};

bool report_set_format(Options *opt, const char *name) {
    for (unsigned i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (strcmp(name, formats[i].name) == 0) {
            opt->check.format = i;
            return true;
        }
    }
    return false;
}

Report *report_new(const Options *opt) {
    Report *r = formats[opt->check.format].make();
    r->opt = opt;
    return r;
}
