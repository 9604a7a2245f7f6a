/* Messages on standard input and output: a header, then a JSON value. */
#ifndef CLI_LSP_RPC_H
#define CLI_LSP_RPC_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct Rpc {
    int fd; /* it reads from */
    char *data;
    size_t from, to, cap; /* what was read and not taken yet: data[from .. to) */
    size_t skip;          /* bytes of a message that is too long, still to come */
    bool lost;            /* what came last was no header, and that was said */
    bool ended;           /* there is no more input */
} Rpc;

typedef enum RpcStatus {
    RPC_MESSAGE,
    RPC_NOTHING,   /* none is there; only when it was not waited for */
    RPC_NO_JSON,   /* one that cannot be read as JSON */
    RPC_TOO_LONG,  /* one that is longer than RPC_LONGEST; its bytes are dropped */
    RPC_NO_HEADER, /* text that is not a header; it is dropped up to the next one */
    RPC_END,       /* of the input, between two messages */
    RPC_CUT        /* the input ends inside of a message or cannot be read */
} RpcStatus;

/* The library takes texts of 2 GiB, but no editor sends one. */
#define RPC_LONGEST ((size_t)64 << 20)

/* The next message. Without `wait` only one that can be had at once. The caller frees *message. */
RpcStatus rpc_read(Rpc *r, bool wait, json_t **message);
/* Sends a message and frees it; false when it cannot be written. */
bool rpc_write(json_t *message);
/* The same for the text of a message. */
bool rpc_write_text(const char *text, size_t n);
void rpc_free(Rpc *r);

#endif
