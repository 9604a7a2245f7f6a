/* SPDX-License-Identifier: Apache-2.0 */
/* The commands of the program, in the order of its help. */
#include "cli/cli.h"

const Command *const commands[] = {
    &check_command, &fmt_command,   &emit_command, &run_command,    &test_command,
    &equiv_command, &map_command,   &time_command, &reduce_command, &explain_command,
    &lsp_command,   &ptoas_command, NULL};
