/* SPDX-License-Identifier: Apache-2.0 */
/* The commands of the page: those that only read text and write text. */
#include "cli/cli.h"

const Command *const commands[] = {&check_command, &fmt_command,     &emit_command,  &map_command,
                                   &time_command,  &explain_command, &ptoas_command, NULL};
