/* What the build makes of the option tables: man pages and completions for shells. A program of the
 * build, not installed. */
#ifndef CLI_MANUAL_MANUAL_H
#define CLI_MANUAL_MANUAL_H

#include "cli/cli.h"
#include <stdio.h>

/* ---- mdoc.c ---- */

/* ptoasm(1), when `cmd` is NULL, or ptoasm-COMMAND(1). */
void write_man_page(FILE *to, const Command *cmd);

/* ---- completion.c ---- */

void write_bash(FILE *to);
void write_zsh(FILE *to);
void write_fish(FILE *to);

/* ---- values.c ---- */

enum { VALUE_WORDS = 16, VALUE_WORD = 32 };

typedef enum ValueKind { VALUE_OTHER, VALUE_FILE, VALUE_FOLDER, VALUE_ONE_OF } ValueKind;

/* The values of an option, as far as they can be listed. */
typedef struct Values {
    ValueKind kind;
    unsigned n;
    char words[VALUE_WORDS][VALUE_WORD];
} Values;

/* OptionRow.expected says them: `auto, always or never`. */
Values option_values(const OptionRow *row);
/* An option such as -o, without a long name. */
bool option_is_letter(const OptionRow *row);

#endif
