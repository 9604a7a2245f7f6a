/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of `ptoasm time`. */
#ifndef CLI_TIMED_H
#define CLI_TIMED_H

#include "api/timing.h"
#include "cli/cli.h"

struct json_t;

/* Makes the parameters of a profile with those of --params and --set. Returns FINE, or TROUBLE
 * after a message. */
int time_params(TimeParams *p, Profile profile, const Options *opt);
/* Prints the rows of --points with the cycles of each under the law. */
int time_points(const Options *opt);

/* Of the object of --format=json. */
enum { TIME_VERSION = 1 };
static inline const char *time_law(const Timing *t) {
    return t->law == LAW_VENDOR ? "vendor" : "device";
}
/* Returns the name of the pipe of a statement. */
const char *timed_pipe(const TimedStatement *s);
/* Returns the cycles of the slowest core. */
double timing_total(const Timing *t);
/* Writes the report; false: out of memory. */
bool time_put_text(const Timing *t, const char *file, const Options *opt, FILE *to);
/* Writes the text of the program with what each line costs before it. */
void time_put_annotated(const Timing *t, const char *source, FILE *to);
void time_put_json(const Timing *t, const char *file, FILE *to);
struct json_t *time_json(const Timing *t, const char *file);
/* Writes the report, a drawing of when each pipe is busy and the annotated text as an HTML file;
 * false: out of memory. */
bool time_put_html(const Timing *t, const char *file, const char *source, const Options *opt,
                   FILE *to);
/* Writes how this report differs from one of before, which is called `name`. */
void time_put_compared(const Timing *t, struct json_t *before, const char *name, const Options *opt,
                       FILE *to);
/* Reads the report of --baseline; NULL after a message. */
struct json_t *time_read_baseline(const Options *opt);
/* Returns TROUBLE after a message if it is about another chip or law, else FINE. */
int time_check_baseline(const Timing *t, const struct json_t *before, const Options *opt);
/* Compares with it. Returns FINE, or REJECTED if the program is slower now. */
int time_judge_baseline(const Timing *t, struct json_t *before, const Options *opt);
/* Writes each run of a statement as an event that Perfetto and chrome://tracing show. */
void time_put_trace(const Timing *t, FILE *to);

#endif
