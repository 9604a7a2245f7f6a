/* SPDX-License-Identifier: Apache-2.0 */
/* Topics: sections of the pages in docs that `ptoasm explain` prints. embed/topics.c makes the
 * table. */
#ifndef CLI_TOPICS_H
#define CLI_TOPICS_H

#include "cli/explain.h"

#include <stdint.h>

/* Offsets and lengths in topic_text(). */
typedef struct Topic {
    uint32_t page;
    uint32_t names, names_length; /* `layout, blayout`; lists show the first */
    uint32_t title, title_length;
    uint32_t body, body_length;
} Topic;
/* All pages. For one thread: the first call unpacks them. */
const char *topic_text(void);
extern const char *const topic_pages[];
extern const Topic topics[];
extern const unsigned topic_count;

/* Returns name `n` of a topic; NULL when it has fewer. */
const char *topic_name(const Topic *t, unsigned n, Arena *arena);
const char *topic_title(const Topic *t, Arena *arena);
/* Finds a topic by name in any case; a type such as `!pto.tile_buf<...>` by its word. NULL when
 * there is none. */
const Topic *topic_find(const char *s, Arena *arena);
/* Return a section: formatted for the terminal, or as Markdown without comments. */
void topic_print(StrBuf *out, const Topic *t, Arena *arena);
const char *topic_markdown(const Topic *t, Arena *arena);

#endif
