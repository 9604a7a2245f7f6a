/* SPDX-License-Identifier: Apache-2.0 */
/* ptoasm lsp: a language server on standard input and output. It handles messages one after the
 * other and publishes diagnostics when no message waits. */
#include "cli/lsp/lsp.h"
#include "cli/lsp/settings.h"
#include "cli/project.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- sending ---- */

static void send(Server *s, json_t *message) {
    if (!rpc_write(message)) s->broken = true;
}

static void send_result(Server *s, const json_t *id, json_t *result) {
    send(s, packed("{s:s, s:O, s:o}", "jsonrpc", "2.0", "id", id, "result", result));
}

static void send_error(Server *s, const json_t *id, int code, const char *message) {
    json_t *answer = packed("{s:s, s:{s:i, s:o}}", "jsonrpc", "2.0", "error", "code", code,
                            "message", json_text(message));
    json_put(answer, "id", id != NULL ? json_incref((json_t *)(uintptr_t)id) : json_null());
    send(s, answer);
}

void send_notification(Server *s, const char *method, json_t *params) {
    send(s, packed("{s:s, s:s, s:o}", "jsonrpc", "2.0", "method", method, "params", params));
}

void show_message(Server *s, int type, const char *text) {
    send_notification(s, "window/showMessage",
                      packed("{s:i, s:o}", "type", type, "message", json_text(text)));
}

/* ---- starting and ending ---- */

static const json_t *at_path(const json_t *object, const char *const *keys) {
    for (; *keys != NULL; keys++)
        object = json_object_get(object, *keys);
    return object;
}
#define AT(object, ...) at_path(object, (const char *const[]){__VA_ARGS__, NULL})

static bool has_word(const json_t *list, const char *word) {
    size_t i;
    const json_t *item;
    json_array_foreach(list, i, item) {
        const char *text = json_string_value(item);
        if (text != NULL && strcmp(text, word) == 0) return true;
    }
    return false;
}

static void take_capabilities(Server *s, const json_t *client) {
    const json_t *document = json_object_get(client, "textDocument");
    s->markdown = has_word(AT(document, "hover", "contentFormat"), "markdown");
    s->related = json_is_true(AT(document, "publishDiagnostics", "relatedInformation"));
    s->versioned = json_is_true(AT(client, "workspace", "workspaceEdit", "documentChanges"));
    s->hierarchical =
        json_is_true(AT(document, "documentSymbol", "hierarchicalDocumentSymbolSupport"));
    s->watches =
        json_is_true(AT(client, "workspace", "didChangeWatchedFiles", "dynamicRegistration"));
    s->refreshes = json_is_true(AT(client, "workspace", "inlayHint", "refreshSupport"));
    s->utf8 = has_word(AT(client, "general", "positionEncodings"), "utf-8") ||
              has_word(AT(client, "offsetEncoding"), "utf-8");
}

enum { SYNC_RANGES = 2 }; /* of TextDocumentSyncKind */

static json_t *answer_initialize(Server *s, const json_t *params, Failure *f) {
    const json_t *client = json_object_get(params, "capabilities");
    const char *encoding;
    if (s->state != SERVER_NEW) return request_fail(f, ERROR_REQUEST, "initialized already");
    take_capabilities(s, client);
    s->state = SERVER_RUNNING;
    encoding = s->utf8 ? "utf-8" : "utf-16";
    settings_take(s, json_object_get(params, "initializationOptions"));
    json_t *can = packed(
        "{s:s, s:{s:b, s:i, s:b}, s:b, s:b, s:b, s:b, s:b, s:b, s:{s:b}, s:{s:[s, s]},"
        " s:{s:[s, s, s, s, s, s], s:b}, s:b, s:{s:[s, s]}, s:b, s:{s:o, s:b}, s:{s:b}, s:{s:o}}",
        "positionEncoding", encoding, "textDocumentSync", "openClose", 1, "change", SYNC_RANGES,
        "save", 1, "hoverProvider", 1, "definitionProvider", 1, "referencesProvider", 1,
        "documentHighlightProvider", 1, "documentSymbolProvider", 1, "documentFormattingProvider",
        1, "renameProvider", "prepareProvider", 1, "codeActionProvider", "codeActionKinds",
        "quickfix", "source.fixAll.ptoasm", "completionProvider", "triggerCharacters", "%", "@",
        "!", "#", "<", ".", "resolveProvider", 1, "inlayHintProvider", 1, "signatureHelpProvider",
        "triggerCharacters", "(", ",", "foldingRangeProvider", 1, "semanticTokensProvider",
        "legend", tokens_legend(), "full", 1, "codeLensProvider", "resolveProvider", 0,
        "executeCommandProvider", "commands", lens_commands());
    json_t *result = packed("{s:o, s:{s:s, s:s}}", "capabilities", can, "serverInfo", "name",
                            "ptoasm", "version", ptoasm_version());
    /* older clients know it by the name of clangd's extension */
    if (json_object_get(client, "offsetEncoding") != NULL)
        json_put(result, "offsetEncoding", packed("s", encoding));
    return result;
}

static json_t *answer_shutdown(Server *s, const json_t *params, Failure *f) {
    (void)params;
    (void)f;
    s->state = SERVER_SHUT;
    return json_null();
}

static void on_exit_message(Server *s, const json_t *params) {
    (void)params;
    s->exits = true;
}

void hints_refresh(Server *s) {
    if (!s->refreshes) return;
    send(s, packed("{s:s, s:s, s:s}", "jsonrpc", "2.0", "id", "hints", "method",
                   "workspace/inlayHint/refresh"));
}

/* ---- documents ---- */

static void too_large(Server *s, Document *d) {
    show_message(s, MESSAGE_ERROR, "ptoasm: the text is 2 GiB or larger");
    document_close(s, d);
}

static void take_version(Document *d, const json_t *document) {
    const json_t *version = json_object_get(document, "version");
    d->has_version = json_is_integer(version);
    d->version = json_integer_value(version);
    d->unpublished = true;
}

/* Asks the client to watch project files. */
static void on_initialized(Server *s, const json_t *params) {
    (void)params;
    if (!s->watches) return;
    json_t *watch = packed("{s:[{s:s}]}", "watchers", "globPattern", "**/" PROJECT_FILE);
    json_t *list = packed("[{s:s, s:s, s:o}]", "id", "project-files", "method",
                          "workspace/didChangeWatchedFiles", "registerOptions", watch);
    send(s, packed("{s:s, s:s, s:s, s:{s:o}}", "jsonrpc", "2.0", "id", "watch", "method",
                   "client/registerCapability", "params", "registrations", list));
}

static void on_open(Server *s, const json_t *params) {
    const json_t *document = json_object_get(params, "textDocument");
    const json_t *text = json_object_get(document, "text");
    const char *uri = string_at(document, "uri");
    if (uri == NULL || !json_is_string(text)) return;
    Document *d = document_open(s, uri);
    document_drop(d);
    take_version(d, document);
    project_refresh(s, d);
    if (!text_set(&d->text, json_string_value(text), json_string_length(text))) too_large(s, d);
}

/* Applies one change to the result of the previous ones. */
static bool change_text(Server *s, Document *d, const json_t *change, bool *fits) {
    const json_t *text = json_object_get(change, "text");
    const json_t *range = json_object_get(change, "range");
    size_t from = 0, to = d->text.size;
    if (!json_is_string(text)) return false;
    if (range != NULL && !range_read(s, d, range, &from, &to)) return false;
    *fits = text_replace(&d->text, from, to, json_string_value(text), json_string_length(text));
    return *fits;
}

static void on_change(Server *s, const json_t *params) {
    const json_t *document = json_object_get(params, "textDocument"), *change;
    const char *uri = string_at(document, "uri");
    Document *d = uri != NULL ? document_find(s, uri) : NULL;
    bool fits = true;
    size_t i;
    if (d == NULL) return;
    document_drop(d);
    take_version(d, document);
    project_refresh(s, d);
    json_array_foreach(json_object_get(params, "contentChanges"), i, change) {
        if (change_text(s, d, change, &fits)) continue;
        if (fits)
            show_message(s, MESSAGE_ERROR, "ptoasm: a change cannot be read; reopen the file");
        else
            too_large(s, d);
        return;
    }
}

static void on_close(Server *s, const json_t *params) {
    const char *uri = string_at(json_object_get(params, "textDocument"), "uri");
    Document *d = uri != NULL ? document_find(s, uri) : NULL;
    if (d == NULL) return;
    send_notification(s, "textDocument/publishDiagnostics",
                      packed("{s:s, s:[]}", "uri", d->uri, "diagnostics"));
    document_close(s, d);
}

/* Handles saved files and changed project files. */
static void on_files(Server *s, const json_t *params) {
    (void)params;
    projects_refresh(s);
}

static void on_configuration(Server *s, const json_t *params) {
    json_t *settings = json_object_get(params, "settings");
    if (json_is_object(settings)) settings_take(s, settings);
}

/* ---- messages ---- */

static const struct {
    const char *method;
    Responder *answer;
} requests[] = {
    {"initialize", answer_initialize},
    {"shutdown", answer_shutdown},
    {"textDocument/hover", answer_hover},
    {"textDocument/inlayHint", answer_hints},
    {"textDocument/signatureHelp", answer_signature},
    {"textDocument/foldingRange", answer_folding},
    {"textDocument/definition", answer_definition},
    {"textDocument/references", answer_references},
    {"textDocument/documentHighlight", answer_highlight},
    {"textDocument/completion", answer_completion},
    {"completionItem/resolve", answer_resolve},
    {"textDocument/formatting", answer_formatting},
    {"textDocument/prepareRename", answer_prepare_rename},
    {"textDocument/rename", answer_rename},
    {"textDocument/codeAction", answer_actions},
    {"textDocument/codeLens", answer_lenses},
    {"workspace/executeCommand", answer_command},
};

static const struct {
    const char *method;
    Writer *write;
} long_requests[] = {{"textDocument/documentSymbol", write_symbols},
                     {"textDocument/semanticTokens/full", write_tokens}};

static const struct {
    const char *method;
    void (*take)(Server *s, const json_t *params);
} notifications[] = {
    {"exit", on_exit_message},
    {"initialized", on_initialized},
    {"textDocument/didOpen", on_open},
    {"textDocument/didChange", on_change},
    {"textDocument/didClose", on_close},
    {"textDocument/didSave", on_files},
    {"workspace/didChangeWatchedFiles", on_files},
    {"workspace/didChangeConfiguration", on_configuration},
};
#define COUNT(list) (sizeof(list) / sizeof(list)[0])

static bool is_ready(const Server *s, const char *method, Failure *f) {
    if (s->state == SERVER_NEW && strcmp(method, "initialize") != 0)
        request_fail(f, ERROR_NOT_INITIALIZED, "not initialized yet");
    if (s->state == SERVER_SHUT) request_fail(f, ERROR_REQUEST, "shut down already");
    return f->code == 0;
}

/* Writes the whole message around a result that is JSON text. */
static void answer_long(Server *s, Writer *write, const json_t *id, const json_t *params,
                        Failure *f) {
    Arena arena;
    jmp_buf oom;
    StrBuf out;
    memset(&arena, 0, sizeof arena);
    if (setjmp(oom) != 0) out_of_memory();
    arena_init(&arena, &oom);
    sb_init(&out, &arena);
    char *number = json_dumps(id, JSON_ENCODE_ANY);
    if (number == NULL) out_of_memory();
    sb_printf(&out, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":", number);
    free(number);
    if (!write(s, params, f, &out))
        send_error(s, id, f->code, f->message);
    else {
        sb_putc(&out, '}');
        if (!rpc_write_text(sb_text(&out), out.len)) s->broken = true;
    }
    arena_free(&arena);
}

static json_t *answer(Server *s, const char *method, const json_t *params, Failure *f) {
    if (!is_ready(s, method, f)) return NULL;
    for (size_t i = 0; i < COUNT(requests); i++)
        if (strcmp(requests[i].method, method) == 0) return requests[i].answer(s, params, f);
    return request_fail(f, ERROR_METHOD, "no method '%.100s'", method);
}

static void handle_request(Server *s, const json_t *id, const char *method, const json_t *params) {
    Failure f = {0, ""};
    for (size_t i = 0; i < COUNT(long_requests); i++)
        if (strcmp(long_requests[i].method, method) == 0 && s->state == SERVER_RUNNING) {
            answer_long(s, long_requests[i].write, id, params, &f);
            return;
        }
    json_t *result = answer(s, method, params, &f);
    if (result != NULL)
        send_result(s, id, result);
    else
        send_error(s, id, f.code, f.message);
}

static void handle_notification(Server *s, const char *method, const json_t *params) {
    bool counts = s->state == SERVER_RUNNING || strcmp(method, "exit") == 0;
    for (size_t i = 0; i < COUNT(notifications) && counts; i++)
        if (strcmp(notifications[i].method, method) == 0) notifications[i].take(s, params);
}

static void handle(Server *s, const json_t *message) {
    const json_t *id = json_object_get(message, "id");
    const char *method = string_at(message, "method");
    const json_t *params = json_object_get(message, "params");
    bool is_answer =
        json_object_get(message, "result") != NULL || json_object_get(message, "error") != NULL;
    if (method == NULL && is_answer) return; /* the server sent no request that could be answered */
    if (method == NULL)
        send_error(s, id, ERROR_REQUEST, "a message without a method");
    else if (id != NULL)
        handle_request(s, id, method, params);
    else
        handle_notification(s, method, params);
}

/* ---- the queue ---- */

/* Messages that are read ahead to see which are cancelled. */
enum { QUEUE_MOST = 256 };

/* Answers a waiting request with an error; cancelling a handled one has no effect. */
static void cancel(Server *s, const json_t *id) {
    for (size_t i = 0; i < s->nqueue && id != NULL; i++) {
        json_t *message = s->queue[i];
        if (string_at(message, "method") == NULL || !json_equal(json_object_get(message, "id"), id))
            continue;
        send_error(s, id, ERROR_CANCELLED, "cancelled");
        memmove(&s->queue[i], &s->queue[i + 1], (s->nqueue - i - 1) * sizeof *s->queue);
        s->nqueue--;
        json_decref(message);
        return;
    }
}

static void enqueue(Server *s, json_t *message) {
    const char *method = string_at(message, "method");
    if (method != NULL && strcmp(method, "$/cancelRequest") == 0) {
        cancel(s, json_object_get(json_object_get(message, "params"), "id"));
        json_decref(message);
        return;
    }
    s->queue[s->nqueue++] = message;
}

static Document *next_unpublished(const Server *s) {
    for (size_t i = 0; i < s->ndocs; i++)
        if (s->docs[i]->unpublished) return s->docs[i];
    return NULL;
}

/* Reads the available messages, and waits only when there is nothing else to do. False at the end
 * of the input. */
static bool read_messages(Server *s, RpcStatus *status) {
    json_t *message;
    while (s->nqueue < QUEUE_MOST) {
        bool wait = s->nqueue == 0 && next_unpublished(s) == NULL;
        *status = rpc_read(&s->rpc, wait, &message);
        if (*status == RPC_MESSAGE)
            enqueue(s, message);
        else if (*status == RPC_NO_JSON)
            send_error(s, NULL, ERROR_PARSE, "the message is not JSON");
        else if (*status == RPC_TOO_LONG)
            send_error(s, NULL, ERROR_REQUEST, "the message is too long");
        else if (*status == RPC_NO_HEADER)
            send_error(s, NULL, ERROR_PARSE, "a header with Content-Length is expected");
        else
            return *status == RPC_NOTHING;
    }
    return true;
}

static void handle_next(Server *s) {
    json_t *message = s->queue[0];
    memmove(&s->queue[0], &s->queue[1], --s->nqueue * sizeof *s->queue);
    handle(s, message);
    json_decref(message);
}

static void publish_next(Server *s) {
    Document *d = next_unpublished(s);
    if (d == NULL) return;
    diagnostics_publish(s, d);
    d->unpublished = false;
}

/* Runs until the input ends; what came before is still handled. */
static int serve(Server *s) {
    RpcStatus status = RPC_NOTHING;
    bool more = true;
    while (!s->exits && !s->broken && (more || s->nqueue > 0)) {
        if (more) more = read_messages(s, &status);
        if (s->nqueue > 0)
            handle_next(s);
        else
            publish_next(s);
    }
    if (s->broken) return TROUBLE; /* main() reports the write error */
    if (!s->exits && status == RPC_CUT) trouble("the input ends inside of a message");
    return s->state == SERVER_SHUT ? FINE : REJECTED;
}

/* ---- the command ---- */

static int run(Options *opt) {
    if (opt->wrong_warning != NULL) return wrong_warning(&lsp_command, opt->wrong_warning);
    if (opt->nargs > 0) return usage_error(&lsp_command, "'%s' is not expected", opt->args[0]);
    static json_t *queue[QUEUE_MOST];
    /* options_parse leaves the words in order when there are no arguments */
    char **words = (char **)(uintptr_t)opt->args;
    Server s = {.rpc = {.fd = STDIN_FILENO}, .words = words, .queue = queue};
    signal(SIGPIPE, SIG_IGN);
    int rc = serve(&s);
    while (s.ndocs > 0)
        document_close(&s, s.docs[0]);
    for (size_t i = 0; i < s.nqueue; i++)
        json_decref(s.queue[i]);
    free(s.docs);
    projects_forget(&s);
    json_decref(s.settings);
    rpc_free(&s.rpc);
    return rc;
}

static bool set_stdio(Options *opt, const char *value) {
    (void)opt;
    (void)value;
    return true;
}

static bool set_hints(Options *opt, const char *value) {
    opt->time.hints = value;
    return true;
}

static const OptionRow rows[] = {
    {"profile", 0, "P[,P...]",
     "judge for each of these profiles: " PROFILES_LIST
     ", or all\n(default: the module's, else a2a3)",
     "a list of " PROFILES_AND ", or all", set_profiles},
    OPTION_LEVEL,
    OPTION_WARNINGS,
    OPTION_LINT,
    OPTION_BASELINE,
    OPTION_NO_PROJECT("a file"),
    {"time", 0, "ARGS",
     "show as hints what each statement costs on the chip, for these\narguments of the function, "
     "such as 'm=128 n=64' or ''",
     "arguments with blanks between", set_hints},
    {"stdio", 0, NULL, "talk over standard input and output, which it does in any case", NULL,
     set_stdio},
    {"help", 'h', NULL, "print this help", NULL, NULL},
    {NULL, 0, NULL, NULL, NULL, NULL},
};

const Command lsp_command = {
    .name = "lsp",
    .usage = "[OPTION]...",
    .summary = "Serves editors over the language server protocol.",
    .details = "An editor starts it, and gets messages as you type, what is under the cursor,\n"
               "definitions and uses. Options may come as settings of the editor, too, by their\n"
               "long names: {\"profile\": [\"a2a3\", \"a5\"], \"lint\": true}.\n"
               "The options in the next file named .ptoasm, in the folder of a file or one above\n"
               "it, come before those, as with 'ptoasm check'.\n"
               "\n"
               "The exit code is 0 after the editor has ended it as the protocol says, else 1.\n",
    .rows = rows,
    .examples = "  ptoasm lsp\n"
                "  ptoasm lsp --profile=a2a3,a5 --lint\n",
    .run = run,
};
