/* Topics: sections of the pages in docs that `ptoasm explain` prints. embed/topics.c makes the
 * table from the pages. */
#ifndef CLI_TOPICS_H
#define CLI_TOPICS_H

#include "cli/explain.h"

#include <stdint.h>

/* Places and lengths in topic_text. */
typedef struct Topic {
    uint32_t page;
    uint32_t names, names_length; /* `layout, blayout`: the first is the name in lists */
    uint32_t title, title_length;
    uint32_t body, body_length;
} Topic;
extern const char topic_text[];
extern const char *const topic_pages[];
extern const Topic topics[];
extern const unsigned topic_count;

/* A name of a topic: number `n` of it; NULL when it has fewer. */
const char *topic_name(const Topic *t, unsigned n, Arena *arena);
const char *topic_title(const Topic *t, Arena *arena);
/* The topic of that name in any case; of a type (`!pto.tile_buf<...>`), that of its word. NULL when
 * there is none. */
const Topic *topic_find(const char *s, Arena *arena);
/* Its section for the terminal, and as it is in the page without comments. */
void topic_print(StrBuf *out, const Topic *t, Arena *arena);
const char *topic_markdown(const Topic *t, Arena *arena);

#endif
