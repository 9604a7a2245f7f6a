/* SPDX-License-Identifier: Apache-2.0 */
/* The instruction facts against the tables: every block of the files that PTOASM_SPEC names with
 * the row and the rules of its instruction. usage: test_spec EXCEPTIONS_TSV [OPS_FILE...]
 *
 * Compared are the lines operands, attrs and pipe with the row, and dtypes and loc with what the
 * evaluator of the rules says: for every element type (space) a legal program in which the operand
 * has that type is searched for. How the lines are read:
 *
 *   - `|`, line ends and `;` separate clauses; a clause may begin with profiles and operands before
 *     a colon (`a2a3: ..`, `tmp a2a3: ..`, `mask: ..`). Profiles hold until the next `|`.
 *   - Operands named among the types begin a list of their own. A list without a name is about the
 *     first tile that is read and the first that is written; in loc lines about every tile that
 *     must be there.
 *   - iN is the signless type and siN; in the files on reductions and on data also uiN, as their
 *     heads say. uN is uiN. `(signed and unsigned)` adds the unsigned types, `(.. by width)` what
 *     it names, `(signless)` removes the others. `any integer` and the like are their sets; `any`,
 *     `unstated`, `dtype(x)` leave the operand open.
 *   - `(M only)` and `(L)` remove what stands before them up to a comma: neither the vendor's
 *     assembler nor the library admits the one, the assembler not the other. `V also ..` adds, `L
 *     also ..` does not. Other remarks in parentheses say nothing.
 *   - `the same`, `these and`: the list of a2a3. `as pto.x`: the line of that block.
 *   - `A -> B` and `D<-A,B` are pairs of the left source and the destination.
 *   - loc says something of cpu only where `cpu:` or `all:` stands. `cpu: any` leaves cpu open.
 *   - cpu admits what one of the others admits, or its own list (decision 10).
 *   - operands: name, kind, remarks (out), optional (also `(.. form)`, `(.. only)`), scratch;
 *     destinations may stand anywhere; those in memory need no (out).
 *   - attrs: `;`, `|` and line ends separate attributes; a word that is a value of an enumeration
 *     continues the one before. Values, `default X`, `X (default)`, `optional`, `required`.
 *   - pipe: one word is the pipe; `the named pipe` and the like stand for PIPE_BY_ATTR, several
 *     pipes with conditions for PIPE_BY_OPERAND.
 *
 * What cannot be read so, and what was decided otherwise, stands in exceptions.tsv: block, key,
 * profile (or `all`) and the reason. An exception without a difference is a fault. */
#include "spec/spec.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const key_names[KEY_COUNT] = {"dtypes", "loc", "pipe", "operands", "attrs"};
enum { MAX_EXCEPTIONS = 600, MAX_FILES = 16, SKIPPED = 77 };

Facts blocks[MAX_BLOCKS];
int nblocks;
static char *file_names[MAX_FILES];
static int nfiles;

typedef struct Exception {
    char *block, *key, *profile, *reason;
    bool used;
} Exception;
static Exception exceptions[MAX_EXCEPTIONS];
static int nexceptions;
static int faults, missing, compared, excused[KEY_COUNT];

/* ---- files ---- */

static char *slurp(const char *path) {
    FILE *f = fopen(path, "rb");
    if (f == NULL) return NULL;
    char *text = NULL;
    size_t n = 0, got;
    do {
        text = realloc(text, n + 65537);
        if (text == NULL) abort();
        got = fread(text + n, 1, 65536, f);
        n += got;
    } while (got != 0);
    text[n] = '\0';
    fclose(f);
    return text;
}

static Key key_of(const char *s, size_t *length) {
    for (int k = 0; k < KEY_COUNT; k++) {
        size_t n = strlen(key_names[k]);
        if (strncmp(s, key_names[k], n) == 0 && s[n] == ':') {
            *length = n + 1 + strspn(s + n + 1, " ");
            return (Key)k;
        }
    }
    return KEY_COUNT;
}

/* The row of a block; a variant of pto.x named `pto.x.y` has the row of that name. */
static void start_block(char *heading, int file, unsigned by_width) {
    if (nblocks == MAX_BLOCKS) abort();
    Facts *b = &blocks[nblocks++];
    size_t n = strcspn(heading, " ");
    memset(b, 0, sizeof *b);
    snprintf(b->name, sizeof b->name, "%.*s", (int)n, heading);
    if (heading[n] == ' ')
        snprintf(b->variant, sizeof b->variant, "%.*s", (int)strcspn(heading + n + 2, ")"),
                 heading + n + 2);
    b->file = file;
    b->by_width = by_width;
    b->inst = inst_find(b->name, n);
    while (b->inst != NULL && b->inst->alias_of != INST_INVALID) {
        b->alias = true;
        b->inst = inst_meant(b->inst);
    }
}

/* Cuts a file into lines; continued lines keep their line end. */
static void read_blocks(char *text, int file, unsigned by_width) {
    Facts *b = NULL;
    char *value_end = NULL;
    for (char *s = text; s != NULL && *s != '\0';) {
        char *next = strchr(s, '\n');
        size_t length = 0;
        bool continues = *s == ' ' && value_end != NULL;
        if (value_end != NULL && !continues) *value_end = '\0';
        if (!continues) value_end = NULL;
        if (next != NULL) next[0] = '\n';
        if (strncmp(s, "## ", 3) == 0) {
            char *heading = s + 3;
            heading[strcspn(heading, "\n")] = '\0';
            b = NULL;
            if (strncmp(heading, "pto.", 4) == 0) {
                start_block(heading, file, by_width);
                b = &blocks[nblocks - 1];
            }
        } else if (b != NULL && key_of(s, &length) != KEY_COUNT) {
            b->line[key_of(s, &length)] = s + length;
            value_end = next;
        } else if (continues) {
            value_end = next;
        }
        s = next == NULL ? NULL : next + 1;
    }
}

static bool read_folder(const char *folder) {
    DIR *dir = opendir(folder);
    if (dir == NULL) return false;
    for (struct dirent *d; (d = readdir(dir)) != NULL && nfiles < MAX_FILES;) {
        char path[4096];
        if (strncmp(d->d_name, "ops-", 4) != 0) continue;
        snprintf(path, sizeof path, "%s/%s", folder, d->d_name);
        char *text = slurp(path);
        if (text == NULL) continue;
        size_t n = strlen(d->d_name) + 1;
        file_names[nfiles] = malloc(n);
        if (file_names[nfiles] == NULL) abort();
        memcpy(file_names[nfiles], d->d_name, n);
        bool all = strstr(text, "(`i8`, `i16`, `i32`) admits") != NULL ||
                   strstr(text, "(`i8`) admits") != NULL;
        unsigned by_width = all ? 15 : strstr(text, "8 bits of any signedness") != NULL ? 1 : 0;
        read_blocks(text, nfiles++, by_width);
    }
    closedir(dir);
    return nfiles > 0;
}

const Facts *block_find(const char *name, size_t n) {
    for (int i = 0; i < nblocks; i++) {
        const char *s = blocks[i].name;
        if (blocks[i].variant[0] != '\0') continue;
        if (strlen(s) == n && memcmp(s, name, n) == 0) return &blocks[i];
        if (strlen(s) == n + 4 && memcmp(s + 4, name, n) == 0) return &blocks[i];
    }
    return NULL;
}

/* ---- exceptions ---- */

static bool read_exceptions(const char *path) {
    char *s = slurp(path);
    if (s == NULL) return false;
    while (*s != '\0') {
        char *end = s + strcspn(s, "\n");
        bool last = *end == '\0';
        *end = '\0';
        if (*s != '#' && *s != '\0' && nexceptions < MAX_EXCEPTIONS) {
            char *field[4] = {s, NULL, NULL, NULL};
            for (int i = 1; i < 4 && field[i - 1] != NULL; i++) {
                field[i] = strchr(field[i - 1], '\t');
                if (field[i] != NULL) *field[i]++ = '\0';
            }
            if (field[3] == NULL) return false;
            exceptions[nexceptions++] = (Exception){field[0], field[1], field[2], field[3], false};
        }
        s = last ? end : end + 1;
    }
    return true;
}

/* The name of a block with its variant, as in its heading. */
static const char *title(const Facts *b) {
    static char text[2 * MAX_NAME + 4];
    snprintf(text, sizeof text, b->variant[0] != '\0' ? "%s (%s)" : "%s", b->name, b->variant);
    return text;
}

static void differ(const Facts *b, Key key, const char *profile, const char *what) {
    for (int i = 0; i < nexceptions; i++) {
        Exception *e = &exceptions[i];
        if (strcmp(e->block, title(b)) == 0 && strcmp(e->key, key_names[key]) == 0 &&
            (strcmp(e->profile, profile) == 0 || strcmp(e->profile, "all") == 0)) {
            excused[key] += !e->used;
            e->used = true;
            return;
        }
    }
    printf("FAIL %s\t%s\t%s\t%s\n", title(b), key_names[key], profile, what);
    faults++;
}

/* ---- sets as text ---- */

typedef struct Text {
    char s[2048];
    size_t n;
} Text;

static void put(Text *t, const char *s) {
    t->n += (size_t)snprintf(t->s + t->n, sizeof t->s - t->n, "%s", s);
    if (t->n >= sizeof t->s) t->n = sizeof t->s - 1;
}

static void put_set(Text *t, uint64_t set, bool spaces) {
    for (unsigned i = 0; i < 64; i++) {
        if ((set >> i & 1) == 0) continue;
        put(t, " ");
        put(t, spaces ? space_names[i] : elem_infos[i].text);
    }
}

/* ---- dtypes and loc ---- */

static bool is_named(const Lists *lists, const char *name) {
    for (int i = 0; lists != NULL && i < lists->n; i++)
        if (strcmp(lists->list[i].name, name) == 0) return true;
    return false;
}

/* The first one that has no list of its own. */
static int first_tile(const Inst *inst, bool written, const Lists *lists) {
    for (int i = 0; i < inst->nslots; i++) {
        const SlotInfo *s = &inst->slots[i];
        bool tile = s->kind == SLOT_TILE || s->kind == SLOT_TILE_OR_SCALAR;
        if (tile && (s->role == ROLE_WRITE || s->role == ROLE_READWRITE) == written &&
            s->role != ROLE_SCRATCH && s->arity == ARITY_ONE && !is_named(lists, s->name))
            return i;
    }
    return -1;
}

/* A block on a variant has its source in the space that the heading names. */
static int variant_of(const Facts *b, Narrow *narrow) {
    if (strstr(b->variant, "in acc") == NULL) return 0;
    *narrow = (Narrow){.slot = inst_operand_named(b->inst, "src", 3), .spaces = 1u << SPACE_ACC};
    return 1;
}

static uint64_t allowed_set(const Facts *b, int slot, Profile p, uint64_t candidates, bool spaces) {
    uint64_t set = 0;
    Narrow narrow[2];
    int n = variant_of(b, &narrow[1]);
    if (n != 0 && spaces && narrow[1].slot == slot) return narrow[1].spaces;
    for (unsigned i = 0; i < 64; i++) {
        if ((candidates >> i & 1) == 0) continue;
        narrow[0] = (Narrow){.slot = slot};
        *(spaces ? &narrow[0].spaces : &narrow[0].elems) = (uint64_t)1 << i;
        if (n != 0 && narrow[1].slot == slot) {
            narrow[0].spaces = narrow[1].spaces;
            if (allowed(b->inst, p, narrow, 1)) set |= (uint64_t)1 << i;
        } else if (allowed(b->inst, p, narrow, 1 + n)) {
            set |= (uint64_t)1 << i;
        }
    }
    return set;
}

typedef struct Comparison {
    const Facts *b;
    Key key;
    Profile profile;
    bool spaces;
    Text what; /* what differs */
} Comparison;

static void compare_set(Comparison *c, int slot, const char *name, uint64_t want) {
    uint64_t all = c->spaces ? ALL_SPACES : all_elems();
    uint64_t have = allowed_set(c->b, slot, c->profile, all, c->spaces);
    want &= all;
    if (want == have) return;
    put(&c->what, name);
    put(&c->what, ":");
    if ((want & ~have) != 0) {
        put(&c->what, " refused");
        put_set(&c->what, want & ~have, c->spaces);
    }
    if ((have & ~want) != 0) {
        put(&c->what, " not in the list");
        put_set(&c->what, have & ~want, c->spaces);
    }
    put(&c->what, "; ");
}

/* The source of pairs. */
static int left_slot(const Inst *inst) {
    static const OperandName names[] = {OPERAND_lhs, OPERAND_a, OPERAND_src, OPERAND_src0};
    for (int i = 0; i < 4; i++)
        if (inst_slot(inst, names[i]) >= 0) return inst_slot(inst, names[i]);
    return first_tile(inst, false, NULL);
}

static void compare_pairs(Comparison *c, const Lists *want) {
    int a = left_slot(c->b->inst), d = inst_slot(c->b->inst, OPERAND_dst);
    uint64_t all = c->spaces ? ALL_SPACES : all_elems();
    if (d < 0) d = inst_slot(c->b->inst, OPERAND_mem);
    if (a < 0 || d < 0) {
        put(&c->what, "no operands for pairs; ");
        return;
    }
    uint64_t dst_can = allowed_set(c->b, d, c->profile, all, c->spaces);
    for (unsigned i = 0; i < 64; i++) {
        if ((all >> i & 1) == 0) continue;
        uint64_t have = 0, left = (uint64_t)1 << i;
        Narrow one = {.slot = a};
        *(c->spaces ? &one.spaces : &one.elems) = left;
        bool some = allowed(c->b->inst, c->profile, &one, 1);
        for (unsigned k = 0; k < 64 && some; k++) {
            Narrow two[2] = {one, {.slot = d}};
            if ((dst_can >> k & 1) == 0) continue;
            *(c->spaces ? &two[1].spaces : &two[1].elems) = (uint64_t)1 << k;
            if (allowed(c->b->inst, c->profile, two, 2)) have |= (uint64_t)1 << k;
        }
        uint64_t expected = want->pairs[i] & all;
        if (have == expected) continue;
        put_set(&c->what, left, c->spaces);
        put(&c->what, " ->");
        if ((expected & ~have) != 0) put(&c->what, " refused");
        put_set(&c->what, expected & ~have, c->spaces);
        if ((have & ~expected) != 0) put(&c->what, " not in the list");
        put_set(&c->what, have & ~expected, c->spaces);
        put(&c->what, "; ");
    }
}

static void compare_unnamed(Comparison *c, const Lists *lists, uint64_t set) {
    const Inst *inst = c->b->inst;
    int read = first_tile(inst, false, lists), written = first_tile(inst, true, lists);
    if (c->spaces) {
        for (int i = 0; i < inst->nslots; i++)
            if (inst->slots[i].kind == SLOT_TILE && inst->slots[i].arity == ARITY_ONE)
                compare_set(c, i, inst->slots[i].name, set);
        return;
    }
    if (read >= 0) compare_set(c, read, inst->slots[read].name, set);
    if (written >= 0) compare_set(c, written, inst->slots[written].name, set);
    if (read < 0 && written < 0 && inst->nslots + inst->nresults > 0)
        compare_set(c, 0, inst->nslots > 0 ? inst->slots[0].name : inst->results[0].name, set);
}

static void read_key(const Facts *b, Key key, Profile p, Lists *out) {
    if (key == KEY_LOC)
        read_loc(b, p, out);
    else
        read_dtypes(b, p, out);
}

/* The lists of all profiles together. */
static void merge(Lists *into, const Lists *from) {
    into->stated |= from->stated;
    into->open |= from->open;
    into->paired |= from->paired;
    if (into->unread == NULL) into->unread = from->unread;
    for (unsigned i = 0; i < 64; i++)
        into->pairs[i] |= from->pairs[i];
    for (int i = 0; i < from->n; i++) {
        int k = 0;
        while (k < into->n && strcmp(into->list[k].name, from->list[i].name) != 0)
            k++;
        if (k == MAX_LISTS) continue;
        if (k == into->n) into->list[into->n++] = from->list[i];
        into->list[k].set |= from->list[i].set;
        into->list[k].given |= from->list[i].given;
    }
}

/* The list of types is empty: the instruction does not exist under the profile. */
static bool is_none(const Lists *l) {
    bool none = l->unread == NULL && l->n > 0;
    for (int i = 0; i < l->n; i++)
        if (l->list[i].name[0] == '\0' && l->list[i].given)
            return none && l->list[i].set == 0 && !l->paired;
    return false;
}

static bool is_absent(const Facts *b, Profile p) {
    Lists types;
    if (p == PROFILE_CPU) return is_absent(b, PROFILE_A2A3) && is_absent(b, PROFILE_A5);
    read_key(b, KEY_DTYPES, p, &types);
    return is_none(&types) || (!types.stated && b->line[KEY_DTYPES] != NULL && !exists(b->inst, p));
}

/* On cpu an operand that one of the others leaves open is open. */
static void drop_open(Lists *l, const Lists *other) {
    if (is_none(other)) return;
    for (int i = 0; i < l->n; i++) {
        bool given = l->list[i].name[0] == '\0';
        for (int k = 0; k < other->n; k++)
            given |= other->list[k].given && strcmp(l->list[i].name, other->list[k].name) == 0;
        if (!given) l->list[i].given = false;
    }
}

static void compare_lists(const Facts *b, Key key, Profile p) {
    Comparison c = {.b = b, .key = key, .profile = p, .spaces = key == KEY_LOC};
    Lists lists, more;
    if (b->line[key] == NULL) return;
    read_key(b, key, p, &lists);
    if (p == PROFILE_CPU) {
        const char *own = lists.unread;
        bool own_stated = lists.stated, own_open = lists.open;
        Lists both[2];
        for (int other = PROFILE_A2A3; other <= PROFILE_A5; other++) {
            read_key(b, key, (Profile)other, &more);
            both[other - PROFILE_A2A3] = more;
            if (!is_none(&more)) merge(&lists, &more);
        }
        if (key == KEY_LOC && !own_stated) return;
        if (own_open) return;
        drop_open(&lists, &both[0]);
        drop_open(&lists, &both[1]);
        /* what the others do not say is their difference */
        if (own == NULL && lists.unread != NULL) return;
    }
    if (lists.unread != NULL) {
        snprintf(c.what.s, sizeof c.what.s, "unread: %.40s", lists.unread);
        c.what.s[strcspn(c.what.s, "\n")] = '\0';
        differ(b, key, profile_names[p], c.what.s);
        return;
    }
    if (!lists.stated) return;
    if (key == KEY_LOC && is_absent(b, p)) return;
    if (!searchable(b->inst)) {
        differ(b, key, profile_names[p], "no search");
        return;
    }
    if (key == KEY_DTYPES && lists.paired) begin_pairs(b->inst);
    if (is_none(&lists)) lists.n = 1;
    if (lists.paired) compare_pairs(&c, &lists);
    for (int i = 0; i < lists.n; i++) {
        int slot = inst_operand_named(b->inst, lists.list[i].name, strlen(lists.list[i].name));
        if (!lists.list[i].given) continue;
        if (lists.list[i].name[0] == '\0')
            compare_unnamed(&c, &lists, lists.list[i].set);
        else if (slot >= 0)
            compare_set(&c, slot, lists.list[i].name, lists.list[i].set);
    }
    if (c.what.n != 0) differ(b, key, profile_names[p], c.what.s);
}

/* ---- pipe ---- */

static Pipe pipe_named(const char *s, size_t n) {
    static const struct {
        const char *text;
        Pipe pipe;
    } names[] = {{"none", PIPE_NONE}, {"S", PIPE_S},       {"V", PIPE_V},       {"M", PIPE_M},
                 {"MTE1", PIPE_MTE1}, {"MTE2", PIPE_MTE2}, {"MTE3", PIPE_MTE3}, {"FIX", PIPE_FIX}};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strlen(names[i].text) == n && memcmp(names[i].text, s, n) == 0) return names[i].pipe;
    return PIPE_BY_OPERAND;
}

/* The pipe that the line gives under a profile. */
static Pipe read_pipe(const char *s, Profile p) {
    const char *label = strstr(s, profile_names[p]);
    char mark[16];
    snprintf(mark, sizeof mark, "(%s)", profile_names[p]);
    const char *marked = strstr(s, mark); /* `X (a2a3), Y (a5)` */
    if (marked != NULL) {
        while (marked > s && marked[-1] == ' ')
            marked--;
        const char *from = marked;
        while (from > s && from[-1] != ' ')
            from--;
        return pipe_named(from, (size_t)(marked - from));
    }
    if (strncmp(s, "a2a3", 4) == 0 && label != NULL) s = label + strlen(profile_names[p]);
    s += strspn(s, ": ");
    size_t n = strcspn(s, " ,;|(\n");
    Pipe pipe = pipe_named(s, n);
    if (strstr(s, "unstated") != NULL) return pipe;
    if (pipe == PIPE_BY_OPERAND && (strstr(s, "named pipe") != NULL || strstr(s, "pipe(") != NULL ||
                                    strstr(s, "the pipe of") != NULL || strstr(s, "_pipe") != NULL))
        return PIPE_BY_ATTR;
    const char *rest = s + n + strspn(s + n, " ");
    if (strncmp(rest, "when", 4) == 0 || strncmp(rest, "(acc)", 5) == 0) return PIPE_BY_OPERAND;
    const char *end = s + strcspn(s, "|\n");
    for (const char *q = s + n; q < end; q++) {
        size_t k = strcspn(q, " ,;|()\n");
        if (*q == '(') {
            q += strcspn(q, ")");
            continue;
        }
        if (q[-1] != '(' && pipe_named(q, k) != PIPE_BY_OPERAND && pipe_named(q, k) != PIPE_NONE &&
            pipe_named(q, k) != pipe)
            return PIPE_BY_OPERAND;
        if (k > 1) q += k - 1;
    }
    return pipe;
}

static void compare_pipe(const Facts *b) {
    static const char *const names[] = {"none", "S",    "V",   "M",           "MTE1",
                                        "MTE2", "MTE3", "FIX", "by operands", "by attribute"};
    const char *s = line_text(b, KEY_PIPE);
    if (s == NULL) return;
    for (int p = PROFILE_A2A3; p <= PROFILE_A5; p++) {
        Pipe want = read_pipe(s, (Profile)p);
        char what[80];
        const Pipe own = inst_pipe(b->inst, (Profile)p);
        if (want == own) continue;
        snprintf(what, sizeof what, "%s, in the row %s", names[want], names[own]);
        differ(b, KEY_PIPE, profile_names[p], what);
    }
}

/* ---- operands ---- */

static bool kind_fits(const char *kind, SlotKind k) {
    static const struct {
        const char *word;
        uint32_t kinds;
    } words[] = {{"tile", 1u << SLOT_TILE | 1u << SLOT_MULTI | 1u << SLOT_TILE_OR_SCALAR |
                              1u << SLOT_ENTRY | 1u << SLOT_SOURCE},
                 {"mask", 1u << SLOT_TILE},
                 {"scaling", 1u << SLOT_TILE},
                 {"vec", 1u << SLOT_TILE | 1u << SLOT_ENTRY},
                 {"scalar", 1u << SLOT_SCALAR | 1u << SLOT_INT | 1u << SLOT_I64 | 1u << SLOT_INDEX |
                                1u << SLOT_TILE_OR_SCALAR | 1u << SLOT_BOOL},
                 {"index", 1u << SLOT_INDEX | 1u << SLOT_INT},
                 {"i64", 1u << SLOT_I64 | 1u << SLOT_INT},
                 {"i32", 1u << SLOT_INT | 1u << SLOT_SCALAR},
                 {"i16", 1u << SLOT_INT},
                 {"integer", 1u << SLOT_INT},
                 {"P", 1u << SLOT_PTR},
                 {"pointer", 1u << SLOT_PTR | 1u << SLOT_GM},
                 {"T", 1u << SLOT_TILE},
                 {"MT", 1u << SLOT_MULTI},
                 {"VT", 1u << SLOT_VIEW | 1u << SLOT_ANY_VIEW | 1u << SLOT_PART},
                 {"view", 1u << SLOT_VIEW | 1u << SLOT_PART | 1u << SLOT_ANY_VIEW |
                              1u << SLOT_SOURCE | 1u << SLOT_GM | 1u << SLOT_ENTRY},
                 {"partition", 1u << SLOT_PART | 1u << SLOT_SOURCE | 1u << SLOT_GM},
                 {"struct", 1u << SLOT_STRUCT}};
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(words[i].word, kind) == 0)
            return (words[i].kinds >> k & 1) != 0 || k == SLOT_ANY;
    return true;
}

static void compare_operand(const Facts *b, const OperandFact *f, int *next_in, Text *what) {
    const Inst *inst = b->inst;
    int i = inst_slot_named(inst, f->name, strlen(f->name));
    if (i < 0) {
        put(what, "no operand ");
        put(what, f->name);
        put(what, "; ");
        return;
    }
    const SlotInfo *s = &inst->slots[i];
    bool written = s->role == ROLE_WRITE || s->role == ROLE_READWRITE;
    const char *wrong = !kind_fits(f->kind, (SlotKind)s->kind)                  ? "kind"
                        : f->out != written && (f->out || s->kind == SLOT_TILE) ? "out"
                        : f->scratch && s->role != ROLE_SCRATCH                 ? "scratch"
                        : f->optional && s->arity == ARITY_ONE                  ? "optional"
                        : !f->optional && s->arity == ARITY_OPT && !f->scratch && !b->alias
                            ? "not optional"
                        : !written && i < *next_in ? "order"
                                                   : NULL;
    if (!written) *next_in = i;
    if (wrong == NULL) return;
    put(what, f->name);
    put(what, " ");
    put(what, wrong);
    put(what, "; ");
}

static void compare_operands(const Facts *b) {
    OperandFacts facts;
    Text what = {.n = 0};
    int next_in = 0;
    read_operands(b, &facts);
    if (b->line[KEY_OPERANDS] == NULL) return;
    if (facts.unread != NULL) put(&what, "unread; ");
    for (int i = 0; i < facts.n; i++)
        compare_operand(b, &facts.op[i], &next_in, &what);
    for (int i = 0; i < b->inst->nslots; i++) {
        bool found = false;
        for (int k = 0; k < facts.n; k++)
            found |= strcmp(facts.op[k].name, b->inst->slots[i].name) == 0;
        if (found || (b->alias && b->inst->slots[i].arity != ARITY_ONE)) continue;
        put(&what, "only in the row: ");
        put(&what, b->inst->slots[i].name);
        put(&what, "; ");
    }
    if (what.n != 0) differ(b, KEY_OPERANDS, "all", what.s);
}

/* ---- blocks ---- */

static void compare_block(const Facts *b) {
    if (b->inst == NULL || inst_find(b->name + 4, strlen(b->name) - 4) == NULL) {
        printf("MISSING %s\n", title(b));
        missing++;
        return;
    }
    compared++;
    compare_operands(b);
    const char *what = compare_attrs(b);
    if (what != NULL) differ(b, KEY_ATTRS, "all", what);
    compare_pipe(b);
    for (int p = PROFILE_CPU; p < PROFILE_COUNT; p++) {
        compare_lists(b, KEY_DTYPES, (Profile)p);
        compare_lists(b, KEY_LOC, (Profile)p);
    }
}

static bool is_wanted(const Facts *b, int argc, char **argv) {
    for (int i = 2; i < argc; i++)
        if (strcmp(argv[i], file_names[b->file]) == 0 || strcmp(argv[i], b->name) == 0) return true;
    return argc <= 2;
}

/* Whether the block of an exception was compared; also true when there is none. */
static bool is_looked_at(const Exception *e, int argc, char **argv) {
    for (int i = 0; i < nblocks; i++)
        if (strcmp(title(&blocks[i]), e->block) == 0) return is_wanted(&blocks[i], argc, argv);
    return true;
}

int main(int argc, char **argv) {
    const char *spec = getenv("PTOASM_SPEC");
    if (argc < 2) return 2;
    if (spec == NULL) {
        puts("PTOASM_SPEC is not set: the instruction facts are not compared");
        return SKIPPED;
    }
    if (!read_folder(spec) || !read_exceptions(argv[1])) {
        printf("%s or %s cannot be read\n", spec, argv[1]);
        return 1;
    }
    for (int i = 0; i < nblocks; i++)
        if (is_wanted(&blocks[i], argc, argv)) compare_block(&blocks[i]);
    for (int i = 0; i < nexceptions; i++)
        if (!exceptions[i].used && is_looked_at(&exceptions[i], argc, argv)) {
            printf("FAIL %s\t%s\t%s\tthe exception is not needed\n", exceptions[i].block,
                   exceptions[i].key, exceptions[i].profile);
            faults++;
        }
    printf("%d blocks compared, %d without a row, %d differences; exceptions:", compared, missing,
           faults);
    for (int k = 0; k < KEY_COUNT; k++)
        printf(" %s %d", key_names[k], excused[k]);
    printf("; %lu programs judged\n", searches);
    return faults != 0 || missing != 0;
}
