/* SPDX-License-Identifier: Apache-2.0 */
/* Settings and messages of the language server. */
#ifndef CLI_LSP_SETTINGS_H
#define CLI_LSP_SETTINGS_H

#include "cli/lsp/lsp.h"

enum { MESSAGE_ERROR = 1, MESSAGE_WARNING = 2, MESSAGE_INFORMATION = 3 };
void send_notification(Server *s, const char *method, json_t *params);
void show_message(Server *s, int type, const char *text);
/* Replaces the settings of the client, NULL or an object, and shows what is wrong with them. */
void settings_take(Server *s, json_t *settings);
/* Applies the settings to options. */
void settings_apply(const Server *s, Options *opt);

#endif
