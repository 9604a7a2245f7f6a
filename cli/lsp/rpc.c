/* SPDX-License-Identifier: Apache-2.0 */
/* The transport of the language server: `Content-Length: N`, an empty line, N bytes. */
#include "cli/lsp/rpc.h"

#include "cli/report_values.h"
#include "support/ascii.h"
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST_HEADER = 4096, CHUNK = 65536 };

/* ---- input ---- */

static bool readable(int fd) {
    struct pollfd p = {.fd = fd, .events = POLLIN};
    int n;
    do
        n = poll(&p, 1, 0);
    while (n < 0 && errno == EINTR);
    return n > 0;
}

static void make_room(Rpc *r) {
    if (r->from > 0) {
        memmove(r->data, r->data + r->from, r->to - r->from);
        r->to -= r->from;
        r->from = 0;
    }
    if (r->cap - r->to >= CHUNK) return;
    size_t cap = r->cap < CHUNK ? 2 * CHUNK : 2 * r->cap;
    char *grown = realloc(r->data, cap);
    if (grown == NULL) out_of_memory();
    r->data = grown;
    r->cap = cap;
}

/* Reads available input; false when there is none. */
static bool fill(Rpc *r, bool wait) {
    if (r->ended || (!wait && !readable(r->fd))) return false;
    make_room(r);
    ssize_t n;
    do
        n = read(r->fd, r->data + r->to, r->cap - r->to);
    while (n < 0 && errno == EINTR);
    if (n <= 0) {
        r->ended = true;
        return false;
    }
    r->to += (size_t)n;
    size_t dropped = r->skip < r->to - r->from ? r->skip : r->to - r->from;
    r->from += dropped;
    r->skip -= dropped;
    return true;
}

/* ---- headers ---- */

typedef enum Header { HEADER_FINE, HEADER_PART, HEADER_BAD } Header;

/* Parses the number after `Content-Length:`; SIZE_MAX when it overflows. */
static bool read_length(const char *s, const char *end, size_t *length) {
    while (s < end && (*s == ' ' || *s == '\t'))
        s++;
    while (s < end && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    if (s == end) return false;
    for (*length = 0; s < end; s++) {
        if (*s < '0' || *s > '9') return false;
        size_t digit = (size_t)(*s - '0');
        *length = *length > (SIZE_MAX - digit) / 10 ? SIZE_MAX : *length * 10 + digit;
    }
    return true;
}

static const char length_name[] = "Content-Length";

static bool header_line(const char *s, const char *end, size_t *length, bool *found) {
    const char *name = s;
    while (s < end && (ascii_is_letter(*s) || *s == '-'))
        s++;
    if (s == name || s == end || *s != ':') return false;
    if (!ascii_same(name, (size_t)(s - name), length_name))
        return true; /* Content-Type has only one legal value */
    *found = true;
    return read_length(s + 1, end, length);
}

/* Reads the header at data[from]; *body is where the message begins. */
static Header read_header(const Rpc *r, size_t *body, size_t *length) {
    const char *s = r->data + r->from, *end = r->data + r->to;
    bool found = false;
    for (;;) {
        const char *nl = s < end ? memchr(s, '\n', (size_t)(end - s)) : NULL;
        if (nl == NULL)
            return end - (r->data + r->from) > LONGEST_HEADER ? HEADER_BAD : HEADER_PART;
        const char *stop = nl > s && nl[-1] == '\r' ? nl - 1 : nl;
        if (stop == s) {
            *body = (size_t)(nl + 1 - r->data);
            return found ? HEADER_FINE : HEADER_BAD;
        }
        if (!header_line(s, stop, length, &found)) return HEADER_BAD;
        s = nl + 1;
    }
}

/* ---- messages ---- */

static RpcStatus end_status(const Rpc *r) {
    return r->from == r->to && r->skip == 0 ? RPC_END : RPC_CUT;
}

static RpcStatus take(Rpc *r, size_t body, size_t length, json_t **message) {
    json_error_t error;
    *message = json_loadb(r->data + body, length, JSON_ALLOW_NUL | JSON_DECODE_ANY, &error);
    r->from = body + length;
    return *message != NULL ? RPC_MESSAGE : RPC_NO_JSON;
}

/* Skips to where the next header may begin. */
static void drop_garbage(Rpc *r) {
    for (r->from++; r->from < r->to; r->from++)
        if (r->data[r->from - 1] == '\n' ||
            ascii_begins(r->data + r->from, r->to - r->from, length_name))
            return;
}

static RpcStatus drop(Rpc *r, size_t body, size_t length) {
    size_t there = r->to - body;
    r->from = length < there ? body + length : r->to;
    r->skip = length < there ? 0 : length - there;
    return RPC_TOO_LONG;
}

RpcStatus rpc_read(Rpc *r, bool wait, json_t **message) {
    *message = NULL;
    for (;;) {
        size_t body = 0, length = 0;
        Header header =
            r->skip > 0 || r->from == r->to ? HEADER_PART : read_header(r, &body, &length);
        if (header == HEADER_BAD) {
            bool said = r->lost;
            r->lost = true;
            drop_garbage(r);
            if (said) continue;
            return RPC_NO_HEADER;
        }
        if (header == HEADER_FINE) r->lost = false;
        if (header == HEADER_FINE && length > RPC_LONGEST) return drop(r, body, length);
        if (header == HEADER_FINE && r->to - body >= length) return take(r, body, length, message);
        if (!fill(r, wait)) return r->ended ? end_status(r) : RPC_NOTHING;
    }
}

bool rpc_write_text(const char *text, size_t n) {
    printf("Content-Length: %zu\r\n\r\n", n);
    fwrite(text, 1, n, stdout);
    return fflush(stdout) == 0 && !ferror(stdout);
}

bool rpc_write(json_t *message) {
    char *text = json_dumps(message, JSON_COMPACT | JSON_ENCODE_ANY);
    if (text == NULL) out_of_memory();
    bool written = rpc_write_text(text, strlen(text));
    free(text);
    json_decref(message);
    return written;
}

void rpc_free(Rpc *r) {
    free(r->data);
    *r = (Rpc){.fd = -1};
}
