/* Settings and messages of the language server. */
#ifndef CLI_LSP_SETTINGS_H
#define CLI_LSP_SETTINGS_H

#include "cli/lsp/lsp.h"

enum { MESSAGE_ERROR = 1, MESSAGE_WARNING = 2 };
void send_notification(Server *s, const char *method, json_t *params);
void show_message(Server *s, int type, const char *text);
/* Takes what `settings` (NULL or an object) says beside the command line; what is wrong in it is
 * shown. */
void settings_take(Server *s, json_t *settings);
/* Adds what they say to options. */
void settings_apply(const Server *s, Options *opt);

#endif
