/* SPDX-License-Identifier: Apache-2.0 */
/* ptoasm time: the report as JSON, and the trace for Perfetto. docs/machine-output.md describes
 * both.
 */
#include "cli/report.h"
#include "cli/report_values.h"
#include "cli/timed.h"
#include "ir/profile.h"

#include <stdlib.h>

static json_t *pipes_json(const TimedCore *c) {
    json_t *list = json_array();
    for (int p = PIPE_V; p < TIMING_PIPES; p++) {
        if (c->busy[p] <= 0) continue;
        json_t *o = json_object(), *waits = json_object();
        for (int by = PIPE_NONE; by < TIMING_PIPES; by++)
            if (c->stall[p][by] > 0)
                json_put(waits, timing_pipe_name((Pipe)by), json_real(c->stall[p][by]));
        json_put(o, "pipe", json_text(timing_pipe_name((Pipe)p)));
        json_put(o, "busy", json_real(c->busy[p]));
        json_put(o, "waits", waits);
        json_add(list, o);
    }
    return list;
}

static json_t *source_json(const TimedStatement *s) {
    if (s->source_line == 0) return json_null();
    json_t *o = json_object();
    json_put(o, "file", json_text(s->source_file));
    json_put(o, "line", json_integer(s->source_line));
    return o;
}

static json_t *statement_json(const TimedStatement *s) {
    json_t *o = json_object();
    json_put(o, "line", s->line != 0 ? json_integer(s->line) : json_null());
    json_put(o, "instruction", json_text(s->name));
    json_put(o, "text", json_text(s->text));
    json_put(o, "pipe", json_text(timed_pipe(s)));
    json_put(o, "count", json_integer((json_int_t)s->count));
    json_put(o, "cycles", json_real(s->cycles));
    json_put(o, "stalled", json_real(s->stalled));
    json_put(o, "critical", json_real(s->critical));
    json_put(o, "origin", s->cycles > 0 ? json_text(origin_names[s->origin]) : json_null());
    json_put(o, "waits_for",
             s->from != PIPE_NONE ? json_text(timing_pipe_name(s->from)) : json_null());
    json_put(o, "source", source_json(s));
    json_put(o, "set_line", s->set_line != 0 ? json_integer(s->set_line) : json_null());
    return o;
}

static json_t *core_json(const TimedCore *c) {
    json_t *o = json_object(), *list = json_array(), *by = json_object();
    for (size_t i = 0; i < c->n; i++)
        json_add(list, statement_json(&c->list[i]));
    for (int i = 0; i < ORIGIN_COUNT; i++)
        json_put(by, origin_names[i], json_real(c->by_origin[i]));
    json_put(o, "core", *c->kind != '\0' ? json_text(c->kind) : json_null());
    json_put(o, "cycles", json_real(c->cycles));
    json_put(o, "events", json_integer((json_int_t)c->events));
    json_put(o, "bytes", json_integer(c->bytes));
    json_put(o, "operations", json_integer(c->flops));
    json_put(o, "pipes", pipes_json(c));
    json_put(o, "statements", list);
    json_put(o, "origins", by);
    return o;
}

static json_t *what_ifs_json(const Timing *t) {
    json_t *list = json_array();
    for (unsigned i = 0; i < t->nwhat_if; i++) {
        json_t *o = json_object();
        json_put(o, "what", json_text(t->what_if[i].what));
        json_put(o, "cycles", json_real(t->what_if[i].cycles));
        json_add(list, o);
    }
    return list;
}

static json_t *grid_json(const TimedGrid *g) {
    if (!g->known) return json_null();
    json_t *o = json_object(), *list = json_array();
    for (uint32_t i = 0; i < g->nkinds; i++) {
        const TimedKind *k = &g->kinds[i];
        json_t *kind = json_object();
        json_put(kind, "first", json_integer(k->first));
        json_put(kind, "step", json_integer(k->step));
        json_put(kind, "count", json_integer(k->count));
        json_put(kind, "cycles", json_real(k->cycles));
        json_add(list, kind);
    }
    json_put(o, "blocks", json_integer(g->blocks));
    json_put(o, "at_once", json_integer(g->at_once));
    json_put(o, "cycles", json_real(g->cycles));
    json_put(o, "kinds", list);
    return o;
}

static json_t *assumed_json(const Timing *t) {
    json_t *list = json_array();
    for (unsigned i = 0; i < t->nassumed && i < MOST_ASSUMED; i++)
        json_add(list, json_integer(t->assumed[i]));
    return list;
}

static json_t *advice_json(const Timing *t) {
    json_t *list = json_array();
    for (unsigned i = 0; i < t->nadvice; i++) {
        json_t *o = json_object();
        json_put(o, "line", json_integer(t->advice[i].line));
        json_put(o, "text", json_text(t->advice[i].text));
        json_put(o, "gain", json_real(t->advice[i].gain));
        json_add(list, o);
    }
    return list;
}

static void json_write(json_t *o, FILE *to) {
    char *text = json_dumps(o, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
    if (text == NULL) out_of_memory();
    fprintf(to, "%s\n", text);
    free(text);
    json_decref(o);
}

json_t *time_json(const Timing *t, const char *file) {
    json_prepare();
    json_t *o = json_object(), *cores = json_array();
    for (unsigned i = 0; i < t->ncores; i++)
        json_add(cores, core_json(&t->cores[i]));
    json_put(o, "version", json_integer(TIME_VERSION));
    json_put(o, "file", json_text(file));
    json_put(o, "function", json_text(t->function));
    json_put(o, "line", json_integer(t->line));
    json_put(o, "profile", json_text(profile_names[t->profile]));
    json_put(o, "law", json_text(time_law(t)));
    json_put(o, "clock_mhz", json_real(t->clock / 1e6));
    json_put(o, "cycles", json_real(timing_total(t)));
    json_put(o, "launch", json_real(t->launch));
    json_put(o, "inserted_flags", json_boolean(t->inserted));
    json_put(o, "grid", grid_json(&t->whole));
    json_put(o, "cores", cores);
    json_put(o, "uncertain", json_boolean(t->crosses || t->nassumed > 0));
    json_put(o, "assumed", assumed_json(t));
    json_put(o, "what_if", what_ifs_json(t));
    json_put(o, "advice", advice_json(t));
    return o;
}

void time_put_json(const Timing *t, const char *file, FILE *to) {
    json_write(time_json(t, file), to);
}

/* ---- the trace ---- */

static json_t *slice_json(const Timing *t, const TimedCore *c, unsigned core, size_t i) {
    const TimedSlice *s = &c->slices[i];
    const TimedStatement *of = &c->list[s->statement];
    json_t *o = json_object(), *args = json_object();
    json_put(o, "name", json_text(of->name));
    json_put(o, "ph", json_text("X"));
    json_put(o, "pid", json_integer(core));
    json_put(o, "tid", json_integer(of->pipe));
    json_put(o, "ts", json_real(s->start / t->clock * 1e6));
    json_put(o, "dur", json_real((s->end - s->start) / t->clock * 1e6));
    json_put(args, "line", json_integer(of->line));
    json_put(args, "cycles", json_real(s->end - s->start));
    json_put(args, "text", json_text(of->text));
    json_put(o, "args", args);
    return o;
}

static json_t *name_json(const char *what, unsigned core, int pipe, const char *name) {
    json_t *o = json_object(), *args = json_object();
    json_put(o, "name", json_text(what));
    json_put(o, "ph", json_text("M"));
    json_put(o, "pid", json_integer(core));
    json_put(o, "tid", json_integer(pipe));
    json_put(args, "name", json_text(name));
    json_put(o, "args", args);
    return o;
}

/* Writes an event, one a line: there may be many. */
static void put_event(json_t *o, bool *first, FILE *to) {
    char *text = json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(12));
    if (text == NULL) out_of_memory();
    fprintf(to, "%s\n%s", *first ? "" : ",", text);
    *first = false;
    free(text);
    json_decref(o);
}

void time_put_trace(const Timing *t, FILE *to) {
    bool first = true, whole = true;
    json_prepare();
    fputs("{\"displayTimeUnit\": \"ns\", \"traceEvents\": [", to);
    for (unsigned k = 0; k < t->ncores; k++) {
        const TimedCore *c = &t->cores[k];
        whole &= !c->slices_left_out;
        put_event(name_json("process_name", k, 0, *c->kind != '\0' ? c->kind : "core"), &first, to);
        for (int p = PIPE_V; p < TIMING_PIPES; p++)
            if (c->busy[p] > 0)
                put_event(name_json("thread_name", k, p, timing_pipe_name((Pipe)p)), &first, to);
        for (size_t i = 0; i < c->nslices; i++)
            put_event(slice_json(t, c, k, i), &first, to);
    }
    fprintf(to, "\n], \"whole\": %s}\n", whole ? "true" : "false");
}
