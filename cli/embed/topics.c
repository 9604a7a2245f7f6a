/* SPDX-License-Identifier: Apache-2.0 */
/* topics OUT PAGE...: a build tool that writes sections of Markdown pages as C tables for `ptoasm
 * explain`. A comment <!-- topic: NAME, NAME --> before a heading makes its section a topic with
 * these names; it ends at the next heading of the same or a higher level. */
#include "read.h"
#include "support/pack.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOPICS = 256 };

typedef struct Topic {
    size_t names, names_length, title, title_length, body, body_end;
    int page, level;
    bool open;
} Topic;
static Topic topics[TOPICS];
static int count;
static char *text; /* all pages, concatenated */
static size_t size;

/* Returns the level of a heading; 0 for other lines. */
static int heading_level(const char *line) {
    int n = (int)strspn(line, "#");
    return line[n] == ' ' ? n : 0;
}

static void close_sections(size_t at, int level) {
    for (int i = 0; i < count; i++)
        if (topics[i].open && topics[i].level >= level) {
            topics[i].body_end = at;
            topics[i].open = false;
        }
}

static bool find_topics(size_t from, int page) {
    static const char mark[] = "<!-- topic: ";
    bool fenced = false;
    Topic next = {.names_length = 0};
    for (size_t at = from; at < size;) {
        const char *line = text + at;
        size_t n = strcspn(line, "\n");
        int level = fenced ? 0 : heading_level(line);
        if (strncmp(line, "```", 3) == 0) fenced = !fenced;
        if (strncmp(line, mark, sizeof mark - 1) == 0 && n > sizeof mark + 3) {
            next.names = at + sizeof mark - 1;
            next.names_length = n - (sizeof mark - 1) - 4;
        } else if (level > 0) {
            close_sections(at, level);
            if (next.names_length > 0) {
                if (count == TOPICS) return false;
                next.page = page;
                next.level = level;
                next.title = at + (size_t)level + 1;
                next.title_length = n - (size_t)level - 1;
                next.body = at + n;
                next.open = true;
                topics[count++] = next;
            }
            next.names_length = 0;
        }
        at += n + (line[n] == '\n');
    }
    close_sections(size, 0);
    return true;
}

static bool write_all(const char *path, char **pages, int n) {
    FILE *to = fopen(path, "w");
    if (to == NULL) return false;
    fputs("#include \"cli/topics.h\"\n#include \"support/unpack.h\"\n"
          "static const unsigned char packed[] = {\n",
          to);
    put_packed(to, text, size);
    fprintf(to,
            "};\nconst char *topic_text(void) {\n    static char text[%zu];\n"
            "    if (text[0] == 0) text_unpack(packed, text, sizeof text);\n    return text;\n}\n",
            size);
    fputs("const char *const topic_pages[] = {", to);
    for (int i = 0; i < n; i++) {
        const char *slash = strrchr(pages[i], '/');
        fprintf(to, "\"%s\", ", slash != NULL ? slash + 1 : pages[i]);
    }
    fputs("};\nconst Topic topics[] = {\n", to);
    for (int i = 0; i < count; i++) {
        const Topic *t = &topics[i];
        fprintf(to, "{%d, %zu, %zu, %zu, %zu, %zu, %zu},\n", t->page, t->names, t->names_length,
                t->title, t->title_length, t->body, t->body_end - t->body);
    }
    fprintf(to, "};\nconst unsigned topic_count = %d;\n", count);
    return fclose(to) == 0;
}

int main(int argc, char **argv) {
    for (int i = 2; i < argc; i++) {
        size_t from = size;
        if (!append_file(argv[i], &text, &size)) {
            perror(argv[i]);
            return EXIT_FAILURE;
        }
        if (!find_topics(from, i - 2)) {
            fprintf(stderr, "topics: more than %d topics\n", TOPICS);
            return EXIT_FAILURE;
        }
    }
    if (count == 0 || size > TEXT_MOST || !write_all(argv[1], argv + 2, argc - 2)) {
        fprintf(stderr, "topics: no topic, or no output\n");
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
