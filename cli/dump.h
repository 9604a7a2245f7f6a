/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles that a run hands out: those of --dump go to files, those of --expect=%t@LINE are kept. */
#ifndef CLI_DUMP_H
#define CLI_DUMP_H

#include "cli/run.h"

struct ptrt_dump;

/* The cores of a block, by their place in it: cube, vec0, vec1. */
enum { CORES = 3 };
extern const char *const place_names[CORES];

/* A tile at one execution of a statement. */
typedef struct Taken {
    int64_t block;
    int place; /* of the core in its block */
    int rank;
    uint64_t iteration; /* executions of the statement on this core before */
    int64_t valid[2];
    Array array; /* the whole shape; the data is allocated by malloc(), as there may be many */
} Taken;

/* `%t@LINE=FILE.npy` */
typedef struct TileWish {
    char name[64];
    uint32_t line;
    const char *file; /* as given */
    char *path;       /* with {} replaced */
    bool all;         /* the file has all executions, not only the last */
    int64_t count;    /* their number */
    Taken *taken;     /* the last of each core, or all */
    size_t n, cap;
} TileWish;

/* Reads the --expect options about tiles, which are removed from the list. Returns FINE, or
 * TROUBLE after a message. */
int tile_wishes_read(Options *opt, TileWish wishes[MOST_EXPECTS], unsigned *n);
/* After --reference has run: replaces {} in the names of files by its folder, and reads the shapes
 * that these files have. The same codes. */
int tile_wishes_fill(const Reference *r, TileWish *wishes, unsigned n);
void tile_wishes_free(TileWish *wishes, unsigned n);
/* Returns FINE, or REJECTED after reporting the differences. */
int tile_wishes_judge(const Target *target, TileWish *wishes, unsigned n, const Tolerance *t);

/* Writes the requests for emission; returns their number. */
size_t dump_requests(const Options *opt, const TileWish *wishes, unsigned n, ptoasm_dump *out);
enum { MOST_REQUESTS = MOST_DUMP_LINES + MOST_EXPECTS };

typedef struct Dump Dump;
/* Prepares the folder and receives the tiles of a run; *out is NULL when there are none to
 * receive. Returns FINE, or TROUBLE after a message. */
int dump_begin(const Target *target, const Options *opt, TileWish *wishes, unsigned n,
               const Code *code, Dump **out);
/* Ends it and writes the index, also of a run that failed. When something cannot be written,
 * removes what was. Returns FINE, or TROUBLE after a message. */
int dump_end(Dump *d);

#endif
