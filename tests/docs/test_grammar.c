/* SPDX-License-Identifier: Apache-2.0 */
/* Sentences made from the rules of docs/grammar.md, each read by the parser.
 * usage: test_grammar PAGE [SENTENCES [FIRST]] */
#include "parser/parse.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

typedef enum Kind { SEQ, ALT, OPTIONAL, STAR, PLUS, TEXT, RANGE, RULE, EXCEPT } Kind;

typedef struct Node {
    Kind kind;
    const char *text; /* TEXT: unescaped; RULE: name */
    size_t len;
    unsigned char first, last; /* RANGE */
    struct Node *part[64];
    unsigned n;
    struct Rule *rule;
} Node;

typedef struct Rule {
    const char *name;
    size_t len;
    bool token; /* no blank is between its parts */
    Node *body;
    unsigned height; /* of its least sentence */
    bool used;
} Rule;

enum { MOST_RULES = 200, HIGH = 1000, ROOM = 1 << 16, DEEPEST = 9 };

static Arena memory;
static jmp_buf no_memory;
static Rule rules[MOST_RULES];
static unsigned nrules;
static const char *at; /* of the rules */
static uint64_t random_state;

static _Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));
static _Noreturn void die(const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    fputs("Bail out! ", stdout);
    vprintf(format, ap);
    va_end(ap);
    putchar('\n');
    exit(1);
}

static unsigned pick(unsigned n) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(random_state >> 33) % n;
}

/* ---- reading the rules ---- */

static Rule *rule_of(const char *s, size_t n) {
    for (unsigned i = 0; i < nrules; i++)
        if (rules[i].len == n && memcmp(rules[i].name, s, n) == 0) return &rules[i];
    return NULL;
}

static size_t name_length(const char *s) {
    size_t n = 0;
    while (isalnum((unsigned char)s[n]) || (s[n] == '-' && isalnum((unsigned char)s[n + 1])))
        n++;
    return n;
}

static void blanks(void) {
    while (*at == ' ' || *at == '\n')
        at++;
}

static bool accept_text(const char *text) {
    blanks();
    if (strncmp(at, text, strlen(text)) != 0) return false;
    at += strlen(text);
    return true;
}

static Node *node_new(Kind kind) {
    Node *n = ARENA_NEW(&memory, Node);
    n->kind = kind;
    return n;
}

static void add_part(Node *n, Node *part) {
    if (n->n == sizeof n->part / sizeof n->part[0]) die("a rule has too many parts: %.40s", at);
    n->part[n->n++] = part;
}

static Node *read_text(void) {
    Node *n = node_new(TEXT);
    char *text = arena_alloc(&memory, strcspn(at, "\n") + 1, 1);
    n->text = text;
    while (*at != '"' && *at != '\n') {
        if (*at == '\\') at++;
        text[n->len++] = *at++;
    }
    if (*at++ != '"') die("a text is not closed: %.40s", at);
    return n;
}

static Node *read_choice(void);

/* The end of a rule: the end of the block, or the next one. */
static bool rule_ends(void) {
    blanks();
    size_t n = name_length(at), b = n;
    while (at[b] == ' ')
        b++;
    return strncmp(at, "```", 3) == 0 || (n != 0 && strncmp(at + b, "::=", 3) == 0);
}

static Node *read_part(void) {
    Node *n;
    if (accept_text("\"")) {
        n = read_text();
        if (strncmp(at, "..\"", 3) == 0) {
            at += 3;
            Node *last = read_text();
            n->kind = RANGE;
            n->first = (unsigned char)n->text[0];
            n->last = (unsigned char)last->text[0];
        }
    } else if (accept_text("[")) {
        n = node_new(OPTIONAL);
        add_part(n, read_choice());
        if (!accept_text("]")) die("']' is missing: %.40s", at);
    } else if (accept_text("(")) {
        n = read_choice();
        if (!accept_text(")")) die("')' is missing: %.40s", at);
    } else {
        n = node_new(RULE);
        n->text = at;
        n->len = name_length(at);
        if (n->len == 0) die("expected a part of a rule: %.40s", at);
        at += n->len;
    }
    while (*at == '*' || *at == '+') {
        Node *many = node_new(*at++ == '*' ? STAR : PLUS);
        add_part(many, n);
        n = many;
    }
    return n;
}

static Node *read_sequence(void) {
    Node *n = node_new(SEQ);
    while (!rule_ends() && *at != '|' && *at != ')' && *at != ']' && *at != '-')
        add_part(n, read_part());
    if (n->n == 0) die("an empty alternative: %.40s", at);
    if (!accept_text("-")) return n;
    Node *except = node_new(EXCEPT);
    add_part(except, n);
    add_part(except, read_part());
    return except;
}

static Node *read_choice(void) {
    Node *n = node_new(ALT);
    do
        add_part(n, read_sequence());
    while (accept_text("|"));
    return n->n == 1 ? n->part[0] : n;
}

static void read_rules(const char *page) {
    for (at = page; (at = strstr(at, "\n```")) != NULL;) {
        at += strlen("\n```");
        bool token = accept_text("tokens\n");
        if (!token && !accept_text("ebnf\n")) continue;
        for (blanks(); strncmp(at, "```", 3) != 0; blanks()) {
            size_t n = name_length(at);
            Rule rule = {at, n, token, NULL, HIGH, false};
            if (n == 0 || rule_of(at, n) != NULL) die("no new rule: %.40s", at);
            at += n;
            if (!accept_text("::=")) die("'::=' is missing: %.40s", at);
            rule.body = read_choice();
            if (nrules == MOST_RULES) die("too many rules");
            rules[nrules++] = rule;
        }
    }
}

/* ---- heights ---- */

static bool is_newline(const Node *n) {
    return n->kind == RULE && n->len == 7 && memcmp(n->text, "newline", 7) == 0;
}

static void link_rules(Node *n) {
    if (n->kind == RULE && !is_newline(n)) {
        n->rule = rule_of(n->text, n->len);
        if (n->rule == NULL) die("no rule is named %.*s", (int)n->len, n->text);
        n->rule->used = true;
    }
    for (unsigned i = 0; i < n->n; i++)
        link_rules(n->part[i]);
}

static unsigned height_of(const Node *n) {
    unsigned h = n->kind == ALT ? HIGH : 0;
    if (n->kind == RULE) return n->rule != NULL ? n->rule->height : 0;
    if (n->kind == OPTIONAL || n->kind == STAR) return 0;
    for (unsigned i = 0; i < n->n; i++) {
        unsigned part = height_of(n->part[i]);
        if (n->kind == ALT ? part < h : part > h) h = part;
    }
    return h;
}

static void measure_heights(void) {
    for (bool changed = true; changed;) {
        changed = false;
        for (unsigned i = 0; i < nrules; i++) {
            unsigned h = height_of(rules[i].body) + 1;
            if (h >= rules[i].height) continue;
            rules[i].height = h;
            changed = true;
        }
    }
    for (unsigned i = 0; i < nrules; i++)
        if (rules[i].height >= HIGH) die("%.*s has no end", (int)rules[i].len, rules[i].name);
}

/* ---- sentences ---- */

typedef struct Sentence {
    char text[ROOM];
    size_t len;
} Sentence;

static void put(Sentence *s, const char *text, size_t n, bool token) {
    if (s->len + n + 2 > ROOM) die("a sentence is too long");
    if (!token && s->len != 0 && s->text[s->len - 1] != '\n') s->text[s->len++] = ' ';
    memcpy(s->text + s->len, text, n);
    s->len += n;
    s->text[s->len] = '\0';
}

static void make(Sentence *s, const Node *n, unsigned depth, bool token);

static const Node *choose(const Node *n, unsigned depth) {
    const Node *least = n->part[0];
    if (depth < DEEPEST) return n->part[pick(n->n)];
    for (unsigned i = 1; i < n->n; i++)
        if (height_of(n->part[i]) < height_of(least)) least = n->part[i];
    return least;
}

static bool is_made_by(const Node *choice, const char *text) {
    for (unsigned i = 0; i < choice->n; i++) {
        const Node *word = choice->part[i]->part[0];
        if (word->len == strlen(text) && memcmp(word->text, text, word->len) == 0) return true;
    }
    return false;
}

static void make_rule(Sentence *s, const Rule *r, unsigned depth, bool token) {
    if (r->token && !token) put(s, "", 0, false);
    make(s, r->body, depth + 1, r->token);
}

static void make(Sentence *s, const Node *n, unsigned depth, bool token) {
    const unsigned most = depth < DEEPEST ? 3 : 1;
    const size_t before = s->len;
    const unsigned char byte =
        n->kind == RANGE ? (unsigned char)(n->first + pick(n->last - n->first + 1u)) : 0;
    switch (n->kind) {
    case SEQ:
        for (unsigned i = 0; i < n->n; i++)
            make(s, n->part[i], depth, token);
        break;
    case ALT:
        make(s, choose(n, depth), depth, token);
        break;
    case OPTIONAL:
    case STAR:
    case PLUS:
        for (unsigned i = n->kind == PLUS ? most : pick(n->kind == STAR ? most : 2); i > 0; i--)
            make(s, n->part[0], depth, token);
        break;
    case TEXT:
        put(s, n->text, n->len, token);
        break;
    case RANGE:
        put(s, (const char *)&byte, 1, token);
        break;
    case RULE:
        if (n->rule != NULL)
            make_rule(s, n->rule, depth, token);
        else
            put(s, "\n", 1, true);
        break;
    case EXCEPT:
        do {
            s->len = before;
            make(s, n->part[0], depth, token);
        } while (is_made_by(n->part[1]->rule->body, s->text + before));
        break;
    }
}

/* ---- reading them ---- */

/* The types and attributes of the grammar are right, whatever is wrong with the statement. */
static bool is_syntax(const Diag *d) {
    return d->id == DIAG_BAD_TYPE || d->id == DIAG_BAD_ATTRIBUTE || d->id == DIAG_BAD_NUMBER ||
           d->id == DIAG_BAD_STRING || d->id == DIAG_BAD_CHARACTER;
}

/* False after printing what the parser cannot read. */
static bool read_sentence(const Sentence *s, unsigned number) {
    static Context ctx;
    const Source src = {"sentence", s->text, (uint32_t)s->len};
    memset(&ctx, 0, sizeof ctx);
    if (setjmp(ctx.oom) != 0) die("out of memory");
    context_init(&ctx, &src, 0);
    const Module *m = parse_module(&ctx);
    bool good = m->unread == 0;
    for (const Diag *d = ctx.diags.first; d != NULL; d = d->next)
        good &= !is_syntax(d);
    if (!good) {
        StrBuf out;
        sb_init(&out, &ctx.arena);
        diag_print_all(&out, &src, &ctx.diags, &(DiagPrintOptions){.width = 120});
        printf("# sentence %u:\n%s\n%s", number, s->text, sb_text(&out));
    }
    context_free(&ctx);
    return good;
}

static char *read_page(const char *path) {
    FILE *f = fopen(path, "rb");
    if (f == NULL || fseek(f, 0, SEEK_END) != 0) die("cannot read %s", path);
    size_t size = (size_t)ftell(f);
    char *page = arena_zalloc(&memory, size + 1, 1, 1);
    rewind(f);
    if (fread(page, 1, size, f) != size) die("cannot read %s", path);
    fclose(f);
    return page;
}

static unsigned count_unused(void) {
    unsigned n = 0;
    for (unsigned i = 1; i < nrules; i++) {
        if (rules[i].used) continue;
        printf("# no rule uses %.*s\n", (int)rules[i].len, rules[i].name);
        n++;
    }
    return n;
}

static unsigned count_unread(unsigned n, unsigned first) {
    static Sentence s;
    unsigned unread = 0;
    for (unsigned i = first; i < first + n && unread < 10; i++) {
        random_state = i * 2654435761u + 1;
        for (s.len = 0; s.len == 0;)
            make(&s, rules[0].body, 0, false);
        unread += !read_sentence(&s, i);
    }
    return unread;
}

static int check_page(const char *path, unsigned n, unsigned first) {
    read_rules(read_page(path));
    for (unsigned i = 0; i < nrules; i++)
        link_rules(rules[i].body);
    measure_heights();
    puts("1..2");
    const unsigned unused = count_unused();
    printf("%sok 1 - %u rules\n", unused == 0 ? "" : "not ", nrules);
    const unsigned unread = count_unread(n, first);
    printf("%sok 2 - %u sentences\n", unread == 0 ? "" : "not ", n);
    return unread + unused == 0 ? 0 : 1;
}

int main(int argc, char **argv) {
    if (argc < 2) die("usage: test_grammar PAGE [SENTENCES [FIRST]]");
    if (setjmp(no_memory) != 0) die("out of memory");
    arena_init(&memory, &no_memory);
    const int code = check_page(argv[1], argc > 2 ? (unsigned)atoi(argv[2]) : 10000,
                                argc > 3 ? (unsigned)atoi(argv[3]) : 0);
    arena_free(&memory);
    return code;
}
