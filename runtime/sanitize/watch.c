/* SPDX-License-Identifier: Apache-2.0 */
/* watch.c - statements, flags, tokens and barriers of a core. */
#include "sanitize/sanitize.h"

#include <stdio.h>
#include <stdlib.h>

/* Returns the pipe with this number in the language; NONE for PIPE_ALL and those without work. */
static int pipe_of(int number) {
    static const uint8_t pipes[PTRT_PIPES] = {
        [0] = PTRT_PIPE_S,    [1] = PTRT_PIPE_V,    [2] = PTRT_PIPE_M,   [3] = PTRT_PIPE_MTE1,
        [4] = PTRT_PIPE_MTE2, [5] = PTRT_PIPE_MTE3, [10] = PTRT_PIPE_FIX};
    return pipes[number];
}

void ptrt_see(ptrt_core *core, const ptrt_site *site) {
    ptrt_watch *w = core->watch;
    if (!w) return;
    san_note_reads(w->block, w->session);
    if ((site->flags & PTRT_SITE_PHASE) == 0) memcpy(w->before, w->pipes[0].at, sizeof w->before);
    for (int m = 0; m < w->models; m++) {
        w->pipes[m].at[site->pipe]++;
        if (site->other != PTRT_PIPE_NONE) w->pipes[m].at[site->other]++;
    }
    w->number = w->pipes[0].at[site->pipe];
    w->number2 = w->pipes[0].at[site->other];
    w->reads = 0;
}

void ptrt_see_foreign(ptrt_core *core) {
    if (!core->watch) return;
    san_session *s = core->watch->session;
    pthread_mutex_lock(&s->lock);
    s->foreign = true;
    pthread_mutex_unlock(&s->lock);
}

void ptrt_see_barrier(ptrt_core *core, const ptrt_site *site) {
    ptrt_watch *w = core->watch;
    for (int m = 0; w && m < w->models; m++)
        san_pipes_barrier(&w->pipes[m], site->pipe);
}

/* ---- flags ---- */

static bool is_flag(int src, int dst, int64_t event) {
    return src >= 0 && src < PTRT_PIPES && dst >= 0 && dst < PTRT_PIPES && event >= 0 &&
           event < PTRT_EVENTS;
}

static void report_flag(const ptrt_watch *w, const char *id, const ptrt_site *site,
                        const ptrt_site *other, int from, int to, int event, const char *what) {
    char text[240], where[80];
    if (!san_wanted(w->session, id, site, other, &w->where, (uint64_t)event)) return;
    san_put_place(&w->where, where, sizeof where);
    snprintf(text, sizeof text, "%s: EVENT_ID%d from %s to %s %s (%s)", site->op, event,
             san_pipe_name(from), san_pipe_name(to), what, where);
    san_report(w->session, id, site, other, &w->where, (uint64_t)event, 0, text,
               other ? "it was set here" : NULL);
}

/* Stores what a set tells. Of a flag that is set already, either set may be the one that is waited
 * for. */
static void tell_flag(san_flag *f, san_clock now) {
    if (f->set) {
        san_clock_meet(&f->clock, &now);
        san_clock_drop(&now);
    } else {
        san_clock_drop(&f->clock);
        f->clock = now;
    }
}

int ptrt_see_set_flag(ptrt_core *core, const ptrt_site *site, int src_pipe, int dst_pipe,
                      int64_t event) {
    ptrt_watch *w = core->watch;
    if (!w || !is_flag(src_pipe, dst_pipe, event))
        return ptrt_set_flag(core, site->line, src_pipe, dst_pipe, event);
    const int from = pipe_of(src_pipe), to = pipe_of(dst_pipe);
    for (int m = 0; m < w->models; m++) {
        san_flag *f = san_pipes_flag(&w->pipes[m], from, to, (int)event);
        san_clock now = {.base = NULL};
        if (!f) {
            san_incomplete(w->session);
            return PTRT_OK;
        }
        san_pipes_release(&w->pipes[m], from, &now);
        if (f->set && m == 0)
            report_flag(w, "sync-reuse", site, f->set, from, to, (int)event,
                        "is set again before it is waited for");
        tell_flag(f, now);
        f->set = site;
    }
    return PTRT_OK;
}

/* A wait for a flag that is not set never ends. It is reported, and the core goes on as if all that
 * the flag could tell of had ended. */
static void wait_in_vain(ptrt_watch *w, const ptrt_site *site, int from, int to, int event) {
    report_flag(w, "sync-deadlock", site, NULL, from, to, event,
                "waits for ever: no set is left to wait for");
    for (int m = 0; m < w->models; m++) {
        san_clock now = {.base = NULL};
        san_pipes_release(&w->pipes[m], from, &now);
        if (!san_pipes_acquire(&w->pipes[m], to, &now)) san_incomplete(w->session);
        san_clock_drop(&now);
    }
}

int ptrt_see_wait_flag(ptrt_core *core, const ptrt_site *site, int src_pipe, int dst_pipe,
                       int64_t event) {
    ptrt_watch *w = core->watch;
    if (!w || !is_flag(src_pipe, dst_pipe, event))
        return ptrt_wait_flag(core, site->line, src_pipe, dst_pipe, event);
    const int from = pipe_of(src_pipe), to = pipe_of(dst_pipe);
    for (int m = 0; m < w->models; m++) {
        san_flag *f = san_pipes_flag(&w->pipes[m], from, to, (int)event);
        if (f && !f->set) {
            wait_in_vain(w, site, from, to, (int)event);
            break;
        }
        if (!f || !san_pipes_wait(&w->pipes[m], to, f)) san_incomplete(w->session);
    }
    return PTRT_OK;
}

static bool set_inside(ptrt_watch *w, int m, const ptrt_site *site, int event, bool certain) {
    const int from = site->pipe, to = site->other;
    san_pipes *p = &w->pipes[m];
    san_flag *f = san_pipes_flag(p, from, to, event);
    san_clock now = {.base = NULL};
    if (!f) return false;
    if (f->set && m == 0)
        report_flag(w, "sync-reuse", site, f->set, from, to, event,
                    "is still set where the statement uses it inside");
    if (!certain) return true;
    san_pipes_release(p, from, &now);
    tell_flag(f, now);
    return san_pipes_wait(p, to, f);
}

void ptrt_see_inside(ptrt_core *core, const ptrt_site *site, uint32_t events, bool certain) {
    ptrt_watch *w = core->watch;
    for (int m = 0; w && m < w->models; m++)
        for (int e = 0; e < PTRT_EVENTS; e++)
            if ((events >> e & 1) != 0 && !set_inside(w, m, site, e, certain))
                san_incomplete(w->session);
}

/* ---- tokens ---- */

/* Whether the arguments are in range; if not, the call of the runtime says so. Unlike checked mode,
 * the sanitizer does not demand that a pipe has the token that it releases. */
static bool is_token(int pipe, int64_t token) {
    return pipe >= 0 && pipe < PTRT_PIPES && token >= 0 && token < PTRT_TOKENS;
}

/* Returns the clock of a token; NULL: out of memory. */
static san_clock *token_of(san_pipes *p, int64_t token) {
    if (!p->tokens) p->tokens = calloc(PTRT_TOKENS, sizeof *p->tokens);
    return p->tokens ? &p->tokens[token] : NULL;
}

int ptrt_see_get_buf(ptrt_core *core, const ptrt_site *site, int pipe, int64_t token) {
    ptrt_watch *w = core->watch;
    if (!w || !is_token(pipe, token)) return ptrt_get_buf(core, site->line, pipe, token);
    for (int m = 0; m < w->models; m++) {
        const san_clock *t = token_of(&w->pipes[m], token);
        if (!t || !san_pipes_acquire(&w->pipes[m], pipe_of(pipe), t)) san_incomplete(w->session);
    }
    return PTRT_OK;
}

int ptrt_see_rls_buf(ptrt_core *core, const ptrt_site *site, int pipe, int64_t token) {
    ptrt_watch *w = core->watch;
    if (!w || !is_token(pipe, token)) return ptrt_rls_buf(core, site->line, pipe, token);
    for (int m = 0; m < w->models; m++) {
        san_clock *t = token_of(&w->pipes[m], token);
        if (t)
            san_pipes_release(&w->pipes[m], pipe_of(pipe), t);
        else
            san_incomplete(w->session);
    }
    return PTRT_OK;
}
