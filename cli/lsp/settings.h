/* Settings and messages of the language server. */
#ifndef CLI_LSP_SETTINGS_H
#define CLI_LSP_SETTINGS_H

#include "cli/lsp/lsp.h"

enum { MESSAGE_ERROR = 1, MESSAGE_WARNING = 2 };
void send_notification(Server *s, const char *method, json_t *params);
void show_message(Server *s, int type, const char *text);
/* Takes what `settings` (NULL or an object) says beside the command line. */
void settings_take(Server *s, const json_t *settings);

#endif
