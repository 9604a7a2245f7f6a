/* SPDX-License-Identifier: Apache-2.0 */
/* Launchers: the public functions of a launch, the arguments they pass to the cores, and the
 * description with which the runtime starts it. */
#include "backends/c/emitter.h"
#include "backends/c/observe.h"

#include "runtime/ptort.h"

#include <string.h>

enum { STACK_LEAST = 128 << 10 }; /* bytes that PTRT_K_STACK says of other kernels */

/* ---- parameters ---- */

static bool left_out(const Launch *k, unsigned i, bool grid) {
    return grid && k->params[i].query != NULL;
}

/* Returns the names of the parameters for C callers. */
static const char **public_names(Emitter *e, const Launch *k) {
    const char **names = ARENA_ARRAY(e->arena, const char *, k->nparams + 1);
    const Interner *in = &e->ctx->names;
    NameSet set;
    nameset_init(&set, e->arena, &e->globals);
    for (unsigned i = 0; i < k->nparams; i++) {
        Atom a = k->params[i].value->name;
        names[i] = name_take(&set, e->arena, atom_text(in, a), atom_len(in, a));
    }
    return names;
}

static const char *type_of_param(Emitter *e, const Launch *k, unsigned i) {
    return param_text(e, k->params[i].type, (Span){k->params[i].value->name_off, 1});
}

/* Only a function that runs alone has tile results. */
static unsigned tile_results(const Func *f) {
    return f->data->type->ntypes - f->data->type->ninputs;
}

static void put_public(Emitter *e, StrBuf *out, const Func *f, bool grid) {
    const Launch *k = f->launch;
    const char **names = public_names(e, k);
    const char *sep = "";
    sb_printf(out, "int %s(", grid ? f->grid : f->name);
    if (grid) {
        sb_puts(out, "int64_t blocks");
        sep = ", ";
    }
    for (unsigned i = 0; i < k->nparams; i++) {
        if (left_out(k, i, grid)) continue;
        sb_printf(out, "%s%s%s", sep, type_of_param(e, k, i), names[i]);
        sep = ", ";
    }
    for (unsigned i = 0; i < tile_results(f); i++) {
        sb_printf(out, "%sptrt_tile *pto_r%u", sep, i);
        sep = ", ";
    }
    sb_puts(out, sep[0] == '\0' ? "void)" : ")");
}

void emit_prototypes(Emitter *e, StrBuf *out, const Func *f) {
    put_public(e, out, f, false);
    sb_puts(out, ";\n");
    put_public(e, out, f, true);
    sb_puts(out, ";\n");
}

/* ---- what a core runs ---- */

/* Emits the check that an argument has the type of its parameter. */
static void put_expectation(Emitter *e, const Type *t, const char *what, Span at) {
    StrBuf *out = &c_of(e)->head;
    if (type_is_view(t)) {
        const char *elem = elem_const(t->elem);
        sb_printf(
            out,
            "    if (%s->elem != %s || %s->rank != %u)\n"
            "        return ptrt_fail(core, PTRT_E_TYPE, %u, \"a view that was passed has not "
            "the element type or rank of its parameter\");\n",
            what, elem != NULL ? elem : "0", what, (unsigned)t->rank, (unsigned)e->line);
        return;
    }
    const char *type = tile_type_ref(e, t, at);
    if (type == NULL) return;
    const char *r = extent_text(e, t->tile.vrow, "PTRT_ABSENT");
    const char *c = extent_text(e, t->tile.vcol, "PTRT_ABSENT");
    sb_printf(out,
              "    if ((err = ptrt_tile_expect(core, %u, %s, %s, %s, %s)) != 0)\n"
              "        return err;\n",
              (unsigned)e->line, what, type, r, c);
}

static bool has_tiles(const Func *f) {
    for (unsigned i = 0; i < f->data->type->ntypes; i++)
        if (type_is_tile(f->data->type->types[i])) return true;
    return false;
}

static unsigned visible_params(const Func *f, bool grid) {
    unsigned n = tile_results(f);
    for (unsigned i = 0; i < f->launch->nparams; i++)
        n += !left_out(f->launch, i, grid);
    return n;
}

static void put_args_struct(Emitter *e, const Func *f, const char *tag, bool grid) {
    StrBuf *out = &c_of(e)->head;
    const Launch *k = f->launch;
    const char **names = public_names(e, k);
    sb_printf(out, "\nstruct %s {\n", tag);
    for (unsigned i = 0; i < k->nparams; i++)
        if (!left_out(k, i, grid)) sb_printf(out, "    %s%s;\n", type_of_param(e, k, i), names[i]);
    for (unsigned i = 0; i < tile_results(f); i++)
        sb_printf(out, "    ptrt_tile *pto_r%u;\n", i);
    sb_puts(out, "};\n");
}

/* Returns the launch query that supplies an argument, or NULL when it is in the struct. */
static const Inst *query_of(const Launch *k, const LaunchArg *arg, bool grid) {
    return arg->query != NULL ? arg->query : grid ? k->params[arg->param].query : NULL;
}

static bool reads_struct(const Func *f, const Launch *k, const LaunchArg *args, bool grid) {
    bool reads = tile_results(f) > 0;
    for (unsigned i = 0; i < f->data->type->ninputs; i++)
        reads |= query_of(k, &args[i], grid) == NULL;
    return reads;
}

/* Emits the entry function of a core, which reads the arguments of the function from the struct. */
static void put_entry(Emitter *e, const Launch *k, const Func *f, const LaunchArg *args,
                      const char *name, const char *tag, bool grid) {
    StrBuf *out = &c_of(e)->head;
    const char **names = public_names(e, k);
    set_line(e, f->low->span);
    sb_printf(out, "\nstatic int %s(ptrt_core *core, void *args) {\n", name);
    if (reads_struct(f, k, args, grid))
        sb_printf(out, "    const struct %s *a = (const struct %s *)args;\n", tag, tag);
    else
        sb_puts(out, "    (void)args;\n");
    if (has_tiles(f)) sb_puts(out, "    int err;\n");
    for (unsigned i = 0; i < f->data->type->ninputs; i++) {
        const Type *t = f->data->type->types[i];
        if (type_is_tile(t) || type_is_view(t))
            put_expectation(e, t, strf(e, "a->%s", names[args[i].param]),
                            (Span){lower_params(f->low)[i].name_off, 1});
    }
    for (unsigned i = 0; i < tile_results(f); i++)
        put_expectation(e, f->data->type->types[f->data->type->ninputs + i],
                        strf(e, "a->pto_r%u", i), f->data->name_span);
    sb_printf(out, "    return %s(core", f->body);
    for (unsigned i = 0; i < f->data->type->ninputs; i++) {
        const Inst *query = query_of(k, &args[i], grid);
        if (query != NULL)
            sb_printf(out, ", (%s)%s", c_scalar(f->data->type->types[i]), query_text(e, query));
        else
            sb_printf(out, ", a->%s", names[args[i].param]);
    }
    for (unsigned i = 0; i < tile_results(f); i++)
        sb_printf(out, ", a->pto_r%u", i);
    sb_puts(out, ");\n}\n");
}

/* ---- the launcher ---- */

static int64_t planned_bytes(const Emitter *e, const LowerFunc *f, int space) {
    const PlanFunction *plan =
        f != NULL && e->opt->plan != NULL ? lower_plan(f, e->opt->plan) : NULL;
    return plan != NULL ? plan->bytes[space] : 0;
}

/* Returns the bytes of a space that pointers may reach. Scales of mx products follow the
 * matrices, and the table of factors has a second segment. */
static int64_t reach_of(Profile p, int space) {
    const int64_t all = profile_dynamic_reach(p, space);
    if (space == SPACE_LEFT || space == SPACE_RIGHT) return all + all / PTRT_BYTES_PER_SCALE;
    if (space == SPACE_SCALING && all < 2 * PTRT_SCALING_SEGMENT) return 2 * PTRT_SCALING_SEGMENT;
    return all;
}

/* Returns the bytes of a space that a core needs. */
static int64_t space_bytes(Emitter *e, const Launch *k, int space) {
    int64_t cube = planned_bytes(e, k->cube, space), vector = planned_bytes(e, k->vector, space);
    int64_t planned = cube > vector ? cube : vector;
    if (c_of(e)->ring[space] > planned) planned = c_of(e)->ring[space];
    if ((c_of(e)->pointed >> space & 1) == 0) return planned;
    int64_t all = reach_of(e->opt->profile, space);
    return planned > all ? planned : all;
}

/* Whether the launch gives the cores larger stacks than others have. */
static bool wants_stack(const Launch *k) {
    return k->stack > STACK_LEAST;
}

static void put_flags(Emitter *e, const Launch *k) {
    const char *sep = "    .flags = ";
    const struct {
        bool set;
        const char *name;
    } flags[] = {
        {(k->needs & NEED_WAITS) != 0, "PTRT_K_WAITS"},
        {e->opt->checked, "PTRT_K_CHECKED"},
        {(k->needs & NEED_GRID) != 0, "PTRT_K_GRID_SYNC"},
        {e->opt->sanitize, "PTRT_K_SANITIZED"},
        {e->opt->sanitize && profile_infos[e->opt->profile].block_semaphores, "PTRT_K_PIPE_WAITS"},
        {wants_stack(k), "PTRT_K_STACK"},
        {c_of(e)->vregs > 0, "PTRT_K_VREGS"}};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        if (!flags[i].set) continue;
        sb_printf(&c_of(e)->head, "%s%s", sep, flags[i].name);
        sep = " | ";
    }
    if (sep[0] == ' ' && sep[1] == '|') sb_puts(&c_of(e)->head, ",\n");
}

static void put_kernel(Emitter *e, const Func *f, const char *name, const char *const entries[2]) {
    StrBuf *out = &c_of(e)->head;
    const Interner *in = &e->ctx->names;
    sb_printf(out, "\nstatic const ptrt_kernel %s = {\n    .name = ", name);
    if (f->data->implicit)
        put_c_string(out, f->name, strlen(f->name));
    else
        put_c_string(out, atom_text(in, f->data->name), atom_len(in, f->data->name));
    sb_puts(out, ",\n    .file = ");
    put_c_string(out, e->file, strlen(e->file));
    sb_puts(out, ",\n");
    if (entries[0] != NULL) sb_printf(out, "    .cube = %s,\n", entries[0]);
    if (entries[1] != NULL) sb_printf(out, "    .vector = %s,\n", entries[1]);
    sb_puts(out, "    .table = PTRT_TABLE,\n");
    put_flags(e, f->launch);
    observe_kernel(e, out);
    bool any = false;
    for (int s = SPACE_MAT; s < SPACE_COUNT; s++) {
        int64_t bytes = space_bytes(e, f->launch, s);
        if (bytes <= 0) continue;
        sb_printf(out, "%s[%s] = %lld", any ? ", " : "    .bytes = {", space_const(s),
                  (long long)bytes);
        any = true;
    }
    if (any) sb_puts(out, "},\n");
    if (wants_stack(f->launch))
        sb_printf(out, "    .stack = UINT64_C(%lld),\n", (long long)f->launch->stack);
    if (c_of(e)->vregs > 0) sb_printf(out, "    .vregs = %u,\n", c_of(e)->vregs);
    sb_puts(out, "};\n");
}

static void put_public_body(Emitter *e, const Func *f, const char *kernel, const char *tag,
                            bool grid) {
    StrBuf *out = &c_of(e)->head;
    const Launch *k = f->launch;
    const char **names = public_names(e, k);
    bool any = visible_params(f, grid) > 0;
    const char *sep = "";
    sb_putc(out, '\n');
    put_public(e, out, f, grid);
    sb_puts(out, " {\n");
    if (any) {
        sb_printf(out, "    struct %s args = {", tag);
        for (unsigned i = 0; i < k->nparams; i++) {
            if (left_out(k, i, grid)) continue;
            sb_printf(out, "%s%s", sep, names[i]);
            sep = ", ";
        }
        for (unsigned i = 0; i < tile_results(f); i++) {
            sb_printf(out, "%spto_r%u", sep, i);
            sep = ", ";
        }
        sb_puts(out, "};\n");
    }
    sb_printf(out, "    return ptrt_launch(&%s, %s, %s);\n}\n", kernel, grid ? "blocks" : "1",
              any ? "&args" : "NULL");
}

static const char *global_name(Emitter *e, const char *prefix, const char *stem,
                               const char *suffix) {
    const char *name = strf(e, "pto_%s_%s%s", prefix, stem, suffix);
    return name_take(&e->globals, e->arena, name, strlen(name));
}

/* Emits one entry for both kinds of cores if they run the same function. */
static void put_entries(Emitter *e, const Func *f, const char *stem, const char *tag, bool grid,
                        const char *entries[2]) {
    const Launch *k = f->launch;
    bool two = k->cube != NULL && k->vector != NULL && k->cube != k->vector;
    entries[0] = entries[1] = NULL;
    if (k->cube != NULL) {
        entries[0] = global_name(e, "run", stem, two ? "_cube" : "");
        put_entry(e, k, func_of(e, k->cube), k->cube_args, entries[0], tag, grid);
    }
    if (k->vector == k->cube) entries[1] = entries[0];
    if (k->vector == NULL || k->vector == k->cube) return;
    entries[1] = global_name(e, "run", stem, two ? "_vector" : "");
    put_entry(e, k, func_of(e, k->vector), k->vector_args, entries[1], tag, grid);
}

void emit_launcher(Emitter *e, const Func *f) {
    bool differs = visible_params(f, true) != visible_params(f, false);
    const char *kernel = NULL, *tag = NULL, *entries[2];
    for (int grid = 0; grid < 2; grid++) {
        if (grid == 0 || differs) {
            const char *stem = grid != 0 ? f->grid : f->name;
            tag = strf(e, "pto_args_%s", stem);
            if (visible_params(f, grid != 0) > 0) put_args_struct(e, f, tag, grid != 0);
            put_entries(e, f, stem, tag, grid != 0, entries);
            kernel = global_name(e, "kernel", stem, "");
            put_kernel(e, f, kernel, entries);
        }
        put_public_body(e, f, kernel, tag, grid != 0);
    }
}
