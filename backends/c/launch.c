/* Launchers: the public functions of a kernel, the arguments that they hand to the cores, and what
 * the runtime must know to start it. */
#include "backends/c/emitter.h"
#include "backends/c/tiles.h"

#include <string.h>

/* ---- parameters ---- */

/* Parameters that front ends add and a grid launch supplies. */
static const struct {
    const char *name, *value;
} supplied[] = {{"__pypto_spmd_block_idx", "ptrt_block_idx(core)"},
                {"__pypto_spmd_block_num", "ptrt_block_num(core)"},
                {"__pypto_spmd_subblock_idx", "ptrt_subblock_idx(core)"}};

bool param_supplied(const Context *ctx, const Func *f, unsigned i, const char **from_core) {
    Atom name = f->op->regions[0].first->args[i].name;
    const char *text = atom_text(&ctx->names, name);
    for (size_t k = 0; k < sizeof supplied / sizeof *supplied; k++)
        if (atom_len(&ctx->names, name) == strlen(supplied[k].name) &&
            memcmp(text, supplied[k].name, strlen(supplied[k].name)) == 0 &&
            type_is_int(f->data->type->types[i])) {
            *from_core = supplied[k].value;
            return true;
        }
    return false;
}

static bool left_out(Emitter *e, const Func *f, unsigned i, bool grid) {
    const char *value;
    return grid && param_supplied(e->ctx, f, i, &value);
}

/* Names of the parameters as C callers see them. */
static const char **public_names(Emitter *e, const Func *f) {
    const Block *entry = f->op->regions[0].first;
    const char **names = ARENA_ARRAY(e->arena, const char *, entry->nargs + 1);
    NameSet set;
    nameset_init(&set, e->arena, &e->globals);
    for (uint32_t i = 0; i < entry->nargs; i++) {
        const Interner *in = &e->ctx->names;
        Atom a = entry->args[i].name;
        names[i] = name_take(&set, e->arena, atom_text(in, a), atom_len(in, a));
    }
    return names;
}

static unsigned tile_results(const Func *f) {
    return f->data->type->ntypes - f->data->type->ninputs;
}

static void put_public(Emitter *e, StrBuf *out, const Func *f, bool grid) {
    const char **names = public_names(e, f);
    const char *sep = "";
    sb_printf(out, "int %s(", grid ? f->grid : f->name);
    if (grid) {
        sb_puts(out, "int64_t blocks");
        sep = ", ";
    }
    for (unsigned i = 0; i < f->data->type->ninputs; i++) {
        if (left_out(e, f, i, grid)) continue;
        sb_printf(out, "%s%s%s", sep, param_text(e, f, i), names[i]);
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

/* What a caller passes must have the types of the parameters. */
static void put_expectation(Emitter *e, const Type *t, const char *what, Span at) {
    StrBuf *out = &e->head;
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

static unsigned visible_params(Emitter *e, const Func *f, bool grid) {
    unsigned n = tile_results(f);
    for (unsigned i = 0; i < f->data->type->ninputs; i++)
        n += !left_out(e, f, i, grid);
    return n;
}

static void put_args_struct(Emitter *e, const Func *f, const char *tag, bool grid) {
    StrBuf *out = &e->head;
    const char **names = public_names(e, f);
    sb_printf(out, "\nstruct %s {\n", tag);
    for (unsigned i = 0; i < f->data->type->ninputs; i++)
        if (!left_out(e, f, i, grid)) sb_printf(out, "    %s%s;\n", param_text(e, f, i), names[i]);
    for (unsigned i = 0; i < tile_results(f); i++)
        sb_printf(out, "    ptrt_tile *pto_r%u;\n", i);
    sb_puts(out, "};\n");
}

/* The entry of a core: takes the arguments out of the struct. */
static void put_entry(Emitter *e, const Func *f, const char *name, const char *tag, bool grid) {
    StrBuf *out = &e->head;
    const char **names = public_names(e, f);
    const Block *entry = f->op->regions[0].first;
    sb_printf(out, "\nstatic int %s(ptrt_core *core, void *args) {\n", name);
    if (visible_params(e, f, grid) > 0)
        sb_printf(out, "    const struct %s *a = (const struct %s *)args;\n", tag, tag);
    else
        sb_puts(out, "    (void)args;\n");
    if (has_tiles(f)) sb_puts(out, "    int err;\n");
    for (unsigned i = 0; i < f->data->type->ninputs; i++) {
        const Type *t = f->data->type->types[i];
        if (type_is_tile(t) || type_is_view(t))
            put_expectation(e, t, strf(e, "a->%s", names[i]), (Span){entry->args[i].name_off, 1});
    }
    for (unsigned i = 0; i < tile_results(f); i++)
        put_expectation(e, f->data->type->types[f->data->type->ninputs + i],
                        strf(e, "a->pto_r%u", i), f->data->name_span);
    sb_printf(out, "    return %s(core", f->body);
    for (unsigned i = 0; i < f->data->type->ninputs; i++) {
        const char *value;
        if (grid && param_supplied(e->ctx, f, i, &value))
            sb_printf(out, ", (%s)%s", c_scalar(f->data->type->types[i]), value);
        else
            sb_printf(out, ", a->%s", names[i]);
    }
    for (unsigned i = 0; i < tile_results(f); i++)
        sb_printf(out, ", a->pto_r%u", i);
    sb_puts(out, ");\n}\n");
}

/* ---- the launcher ---- */

static bool runs_on_cube(const Context *ctx, const Func *f) {
    const Op *op = f->op;
    while (op != NULL) {
        const NamedAttr *a = op_attr_named(ctx, op, "pto.kernel_kind");
        if (a != NULL && a->value->kind == ATTR_ENUM) return enum_number(a->value) == 0;
        op = op->block != NULL ? region_owner(op->block) : NULL;
    }
    return false;
}

/* Bytes of a space that a core needs; a pointer may reach all of it. */
static int64_t space_bytes(Emitter *e, const PlanFunction *plan, int space) {
    int64_t planned = plan != NULL ? plan->bytes[space] : 0;
    if ((e->pointed >> space & 1) == 0) return planned;
    int64_t all = profile_capacity(e->opt->profile, space);
    if (all < 0) all = PLAN_CPU_DYNAMIC;
    return planned > all ? planned : all;
}

static void put_kernel(Emitter *e, const Func *f, const char *name, const char *entry) {
    StrBuf *out = &e->head;
    const Interner *in = &e->ctx->names;
    const PlanFunction *plan = e->opt->plan != NULL ? plan_function(e->opt->plan, f->op) : NULL;
    sb_printf(out, "\nstatic const ptrt_kernel %s = {\n    .name = ", name);
    if (f->data->implicit)
        put_c_string(out, f->name, strlen(f->name));
    else
        put_c_string(out, atom_text(in, f->data->name), atom_len(in, f->data->name));
    sb_puts(out, ",\n    .file = ");
    put_c_string(out, e->file, strlen(e->file));
    sb_printf(out, ",\n    .%s = %s,\n", runs_on_cube(e->ctx, f) ? "cube" : "vector", entry);
    if (e->opt->checked) sb_puts(out, "    .flags = PTRT_K_CHECKED,\n");
    bool any = false;
    for (int s = SPACE_MAT; s < SPACE_COUNT; s++) {
        int64_t bytes = space_bytes(e, plan, s);
        if (bytes <= 0) continue;
        sb_printf(out, "%s[%s] = %lld", any ? ", " : "    .bytes = {", space_const(s),
                  (long long)bytes);
        any = true;
    }
    sb_puts(out, any ? "},\n};\n" : "};\n");
}

static void put_public_body(Emitter *e, const Func *f, const char *kernel, const char *tag,
                            bool grid) {
    StrBuf *out = &e->head;
    const char **names = public_names(e, f);
    bool any = visible_params(e, f, grid) > 0;
    const char *sep = "";
    sb_putc(out, '\n');
    put_public(e, out, f, grid);
    sb_puts(out, " {\n");
    if (any) {
        sb_printf(out, "    struct %s args = {", tag);
        for (unsigned i = 0; i < f->data->type->ninputs; i++) {
            if (left_out(e, f, i, grid)) continue;
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

static bool grid_differs(Emitter *e, const Func *f) {
    return visible_params(e, f, true) != visible_params(e, f, false);
}

void emit_launcher(Emitter *e, const Func *f) {
    bool differs = grid_differs(e, f);
    const char *kernel = NULL, *tag = NULL;
    set_line(e, f->op);
    for (int grid = 0; grid < 2; grid++) {
        if (grid == 0 || differs) {
            const char *stem = grid != 0 ? f->grid : f->name;
            const char *entry = strf(e, "pto_run_%s", stem);
            entry = name_take(&e->globals, e->arena, entry, strlen(entry));
            kernel = strf(e, "pto_kernel_%s", stem);
            kernel = name_take(&e->globals, e->arena, kernel, strlen(kernel));
            tag = strf(e, "pto_args_%s", stem);
            if (visible_params(e, f, grid != 0) > 0) put_args_struct(e, f, tag, grid != 0);
            put_entry(e, f, entry, tag, grid != 0);
            put_kernel(e, f, kernel, entry);
        }
        put_public_body(e, f, kernel, tag, grid != 0);
    }
}
