/* SPDX-License-Identifier: Apache-2.0 */
/* Coverage: tiles whose valid region is known only when the program runs, and blocks that store
 * nothing. */
#include "backends/c/cover.h"

static bool is_open(const Type *t) {
    return t->tile.vrow == DYNAMIC || t->tile.vcol == DYNAMIC;
}

static void cover_tail(Emitter *e, const LowerStmt *s, const Value *v) {
    const char *name = val(e, v);
    const int point = cover_point(e, s->span, "tile", "full,partial", 2);
    open_brace(e, "if (%s.vrow > 0 && %s.vcol > 0)", name, name);
    cover_expr(e, point,
               strf(e, "%s.vrow < %lld || %s.vcol < %lld", name, (long long)v->type->tile.rows,
                    name, (long long)v->type->tile.cols));
    close_brace(e);
}

static void cover_store(Emitter *e, const LowerStmt *s) {
    for (unsigned i = 0; i < s->nargs; i++) {
        const Value *v = s->args[i].value;
        if (!type_is_tile(v->type)) continue;
        c_of(e)->stores = true;
        c_of(e)->guarded |= is_open(v->type) || s->block->region != &e->body->region;
        ln(e, "pto_worked |= %s.vrow > 0 && %s.vcol > 0;", val(e, v), val(e, v));
        return;
    }
}

void cover_tiles(Emitter *e, const LowerStmt *s) {
    if (stmt_is(s, INST_SECTION_CUBE) || stmt_is(s, INST_SECTION_VECTOR)) c_of(e)->sections = true;
    if (stmt_is(s, INST_TSTORE)) cover_store(e, s);
    if ((s->inst->flags & IF_ALLOC) == 0) return;
    for (unsigned i = 0; i < s->nresults; i++)
        if (type_is_tile(s->results[i].type) && is_open(s->results[i].type))
            cover_tail(e, s, &s->results[i]);
}

/* ---- blocks ---- */

void cover_function(Emitter *e) {
    c_of(e)->blocks = (int)e->nways;
    e->nways += 2;
    c_of(e)->stores = c_of(e)->guarded = c_of(e)->sections = false;
    sb_puts(&c_of(e)->top, "    int pto_worked = 0;\n");
}

void cover_return(Emitter *e) {
    ln(e, "ptrt_cover[%d + pto_worked] = 1;", c_of(e)->blocks);
}

/* A function whose stores run on every core has no point, nor has one with sections, where cores of
 * the other kind store nothing. */
void cover_function_end(Emitter *e, const Func *f) {
    const CEmitter *c = c_of(e);
    if (f->launch == NULL || !c->stores || !c->guarded || c->sections) return;
    sb_printf(&e->points, "    \"%d %u block:without work,with work\\n\"\n", c->blocks,
              (unsigned)source_line_from(e->ctx->source, 0, 1, f->data->name_span.off));
}

void cover_put(Emitter *e, StrBuf *out) {
    sb_printf(out,
              "\nunsigned char ptrt_cover[%u];\nconst char ptrt_cover_points[] =\n    \"\"\n%s;\n",
              e->nways + 1, sb_text(&e->points));
}
