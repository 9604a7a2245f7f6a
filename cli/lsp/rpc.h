/* SPDX-License-Identifier: Apache-2.0 */
/* Messages on standard input and output: a header, then JSON. */
#ifndef CLI_LSP_RPC_H
#define CLI_LSP_RPC_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct Rpc {
    int fd; /* input */
    char *data;
    size_t from, to, cap; /* data[from .. to) was read and not yet taken */
    size_t skip;          /* remaining bytes of a message that is too long */
    bool lost;            /* garbage instead of a header was reported */
    bool ended;           /* there is no more input */
} Rpc;

typedef enum RpcStatus {
    RPC_MESSAGE,
    RPC_NOTHING,   /* none is available; only without `wait` */
    RPC_NO_JSON,   /* the message is not JSON */
    RPC_TOO_LONG,  /* the message is longer than RPC_LONGEST and is dropped */
    RPC_NO_HEADER, /* garbage up to the next header, which is dropped */
    RPC_END,       /* the input ended between two messages */
    RPC_CUT        /* the input ended within a message or cannot be read */
} RpcStatus;

/* The library accepts texts of 2 GiB, but no editor sends one. */
#define RPC_LONGEST ((size_t)64 << 20)

/* Reads the next message; without `wait` only if it is already available. The caller frees
 * *message. */
RpcStatus rpc_read(Rpc *r, bool wait, json_t **message);
/* Sends a message and frees it; false when it cannot be written. */
bool rpc_write(json_t *message);
/* Sends the text of a message. */
bool rpc_write_text(const char *text, size_t n);
void rpc_free(Rpc *r);

#endif
