/* SPDX-License-Identifier: Apache-2.0 */
/* A build tool, not installed, that makes man pages and shell completions from the option tables.
 */
#ifndef CLI_MANUAL_MANUAL_H
#define CLI_MANUAL_MANUAL_H

#include "cli/cli.h"
#include <stdio.h>

/* ---- mdoc.c ---- */

/* Writes ptoasm(1) if `cmd` is NULL, else ptoasm-COMMAND(1). */
void write_man_page(FILE *to, const Command *cmd);

/* ---- completion.c ---- */

void write_bash(FILE *to);
void write_zsh(FILE *to);
void write_fish(FILE *to);

/* ---- values.c ---- */

enum { VALUE_WORDS = 16, VALUE_WORD = 32 };

typedef enum ValueKind { VALUE_OTHER, VALUE_FILE, VALUE_FOLDER, VALUE_ONE_OF } ValueKind;

/* The values of an option, if they can be listed. */
typedef struct Values {
    ValueKind kind;
    unsigned n;
    char words[VALUE_WORDS][VALUE_WORD];
} Values;

/* Extracts the values from OptionRow.expected, such as `auto, always or never`. */
Values option_values(const OptionRow *row);
/* True for an option without a long name, such as -o. */
bool option_is_letter(const OptionRow *row);

#endif
