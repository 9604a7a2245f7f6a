/* One function for each condition of the rule vocabulary: what a row with this condition demands,
 * as a clause. The conditions themselves stand in conditions.c. */
#include "verifier/describe.h"
#include "verifier/words.h"

#include <string.h>

const char *const topic_names[TOPIC_COUNT] = {"element types", "locations", "layouts",
                                              "valid regions", "shapes",    "other rules"};

/* ---- names of operands ---- */

/* `src0, src1 and dst` of the blank-separated names. */
static void put_list(StrBuf *out, const char *names) {
    bool first = true;
    while (names != NULL && *names != '\0') {
        size_t n = strcspn(names, " ");
        const char *rest = names + n + strspn(names + n, " ");
        if (!first) sb_puts(out, *rest == '\0' ? " and " : ", ");
        sb_add(out, names, n);
        names = rest;
        first = false;
    }
}

static void put_subject(StrBuf *out, const RuleRow *row) {
    if (*row->a == '\0') return;
    put_list(out, row->a);
    sb_puts(out, ": ");
}

static bool several(const RuleRow *row) {
    return strchr(row->a, ' ') != NULL;
}

/* `src and dst`, the two sides of a relation. */
static void put_pair(StrBuf *out, const RuleRow *row) {
    put_list(out, row->a);
    sb_printf(out, " and %s", row->b);
}

/* ---- the conditions ---- */

static void describe_OPERAND_KIND(const Inst *inst, const RuleRow *row, StrBuf *out) {
    (void)inst;
    put_subject(out, row);
    put_names(out, row->set, kind_names, KIND_NAMES);
}

static void describe_LOW_PRECISION(const Inst *inst, const RuleRow *row, StrBuf *out) {
    (void)inst;
    put_subject(out, row);
    sb_puts(out, "no fp8, hif8, fp4 or packed elements");
}

static void describe_ELEM_TYPE(const Inst *inst, const RuleRow *row, StrBuf *out) {
    (void)inst;
    put_subject(out, row);
    put_elem_set_short(out, row->set);
}

static void describe_ELEM_SIZE(const Inst *inst, const RuleRow *row, StrBuf *out) {
    static const char *const sizes[] = {"0", "1", "2", "3", "4", "5", "6", "7", "8"};
    (void)inst;
    put_subject(out, row);
    put_names(out, row->set, sizes, 9);
    sb_puts(out, " bytes an element");
}

static void describe_ELEM_MISMATCH(const Inst *inst, const RuleRow *row, StrBuf *out) {
    (void)inst;
    put_pair(out, row);
    sb_puts(out, " have one element type");
}

static void describe_ELEM_SIZE_MISMATCH(const Inst *inst, const RuleRow *row, StrBuf *out) {
    (void)inst;
    put_pair(out, row);
    sb_puts(out, " have elements of one size");
}

/* Is pair `p` the first with its left side? Then the others follow it. */
static bool first_of(const uint8_t *list, const uint8_t *p) {
    for (; list < p; list += 2)
        if (list[0] == p[0]) return false;
    return true;
}

/* `f32 to f16 or bf16; i32 to i32`: pairs with one left side stand together. */
static void put_pairs(StrBuf *out, const uint8_t *list, void (*put)(StrBuf *, uint64_t)) {
    for (const uint8_t *p = list; p[0] != 0; p += 2) {
        if (!first_of(list, p)) continue;
        sb_puts(out, p == list ? "" : "; ");
        put(out, p[0]);
        sb_puts(out, " to ");
        unsigned n = 0, k = 0;
        for (const uint8_t *q = p; q[0] != 0; q += 2)
            n += q[0] == p[0];
        for (const uint8_t *q = p; q[0] != 0; q += 2) {
            if (q[0] != p[0]) continue;
            sb_puts(out, list_separator(k++, n));
            put(out, q[1]);
        }
    }
}

static void put_one_elem(StrBuf *out, uint64_t e) {
    sb_puts(out, elem_infos[e].text);
}

static void put_one_space(StrBuf *out, uint64_t space) {
    sb_puts(out, space_names[space]);
}

static void put_one_layout(StrBuf *out, uint64_t set) {
    put_layouts(out, set);
}

static void describe_ELEM_PAIR(const Inst *inst, const RuleRow *row, StrBuf *out) {
    (void)inst;
    sb_printf(out, "%s to %s: ", row->a, row->b);
    put_pairs(out, row->list, put_one_elem);
}

static void describe_SCALAR_MISMATCH(const Inst *inst, const RuleRow *row, StrBuf *out) {
    (void)inst;
    put_list(out, row->a);
    sb_printf(out, " %s the element type of %s; a signless integer fits its si and ui twins",
              several(row) ? "have" : "has", row->b);
}

static void describe_SCALAR_EXACT(const Inst *inst, const RuleRow *row, StrBuf *out) {
    (void)inst;
    put_list(out, row->a);
    sb_printf(out, " %s exactly the element type of %s", several(row) ? "have" : "has", row->b);
}

static void describe_TYPE_MISMATCH(const Inst *inst, const RuleRow *row, StrBuf *out) {
    (void)inst;
    put_pair(out, row);
    sb_puts(out, " have one type");
}

static void describe_LOCATION(const Inst *inst, const RuleRow *row, StrBuf *out) {
    (void)inst;
    put_subject(out, row);
    put_names(out, row->set, space_names, SPACE_COUNT);
}

static void describe_LOCATION_PAIR(const Inst *inst, const RuleRow *row, StrBuf *out) {
    (void)inst;
    sb_printf(out, "%s to %s: ", row->a, row->b);
    put_pairs(out, row->list, put_one_space);
}

static void describe_LAYOUT(const Inst *inst, const RuleRow *row, StrBuf *out) {
    (void)inst;
    put_subject(out, row);
    put_layouts(out, row->set);
}

static void describe_LAYOUT_PAIR(const Inst *inst, const RuleRow *row, StrBuf *out) {
    (void)inst;
    sb_printf(out, "%s to %s: ", row->a, row->b);
    put_pairs(out, row->list, put_one_layout);
}

static void describe_FRACTAL(const Inst *inst, const RuleRow *row, StrBuf *out) {
    (void)inst;
    put_subject(out, row);
    sb_puts(out, "fractal ");
    put_names(out, row->set, fractal_names, FRACTAL_NAMES);
}

static void describe_COMPACT_MODE(const Inst *inst, const RuleRow *row, StrBuf *out) {
    (void)inst;
    put_subject(out, row);
    sb_puts(out, "compact ");
    put_names(out, row->set, compact_names, COMPACT_NAMES);
}

static void describe_PAD_VALUE(const Inst *inst, const RuleRow *row, StrBuf *out) {
    (void)inst;
    put_subject(out, row);
    sb_puts(out, "pad ");
    put_names(out, row->set, pad_names, PAD_NAMES);
}

static const char *sides(const RuleRow *row) {
    return row->dims == VALID_ROWS ? "rows" : row->dims == VALID_COLS ? "columns" : "extents";
}

static void describe_VALID_MISMATCH(const Inst *inst, const RuleRow *row, StrBuf *out) {
    (void)inst;
    put_pair(out, row);
    sb_printf(out, " have equal valid %s", sides(row));
}

static void describe_VALID_RANGE(const Inst *inst, const RuleRow *row, StrBuf *out) {
    (void)inst;
    put_subject(out, row);
    sb_printf(out, "%s ", dim_names[row->dims]);
    put_range(out, row);
}

static void describe_SHAPE_RANGE(const Inst *inst, const RuleRow *row, StrBuf *out) {
    describe_VALID_RANGE(inst, row, out);
}

static void describe_SHAPE_RELATION(const Inst *inst, const RuleRow *row, StrBuf *out) {
    (void)inst;
    sb_printf(out, "%s of ", dim_names[row->dims]);
    put_list(out, row->a);
    sb_printf(out, " %s ", relation_names[row->rel]);
    if (row->div > 1) sb_puts(out, "(rounded up) ");
    if (row->multiple > 1) sb_printf(out, "%lld times ", (long long)row->multiple);
    sb_printf(out, "%s of %s", dim_names[row->dim_b], row->b);
    if (row->div > 1) sb_printf(out, " / %lld", (long long)row->div);
    if (row->add != 0) sb_printf(out, " + %lld", (long long)row->add);
}

static void describe_VALID_RELATION(const Inst *inst, const RuleRow *row, StrBuf *out) {
    describe_SHAPE_RELATION(inst, row, out);
}

static void describe_STATIC_EXTENTS(const Inst *inst, const RuleRow *row, StrBuf *out) {
    (void)inst;
    put_subject(out, row);
    sb_printf(out, "valid %s not `?`", sides(row));
}

static void describe_SHAPE_MISMATCH(const Inst *inst, const RuleRow *row, StrBuf *out) {
    (void)inst;
    put_pair(out, row);
    sb_printf(out, " have equal physical %s", sides(row));
}

static void describe_ELEMENT_COUNT(const Inst *inst, const RuleRow *row, StrBuf *out) {
    (void)inst;
    sb_printf(out, "the valid region of %s has as many elements as %s", row->a, row->b);
}

static void describe_VIEW_EXTENT(const Inst *inst, const RuleRow *row, StrBuf *out) {
    (void)inst;
    put_subject(out, row);
    sb_printf(out, "every static extent is at least %lld", (long long)row->lo);
}

static void describe_VIEW_RANK_RANGE(const Inst *inst, const RuleRow *row, StrBuf *out) {
    (void)inst;
    put_subject(out, row);
    sb_puts(out, "rank ");
    put_range(out, row);
}

static void describe_POINTER_SPACE(const Inst *inst, const RuleRow *row, StrBuf *out) {
    (void)inst;
    put_subject(out, row);
    sb_puts(out, "points into ");
    put_names(out, row->set, space_names, SPACE_COUNT);
}

static void describe_TMP_CAPACITY(const Inst *inst, const RuleRow *row, StrBuf *out) {
    (void)inst;
    sb_printf(out, "%s has at least ", row->a);
    if (row->multiple > 1) sb_printf(out, "%lld times ", (long long)row->multiple);
    if (row->b == NULL)
        sb_printf(out, "%lld bytes", (long long)row->lo);
    else if (row->dims == VALID_BOTH)
        sb_printf(out, "the bytes of %s", row->b);
    else
        sb_printf(out, "the bytes of one element for each of the %s of %s", dim_names[row->dim_b],
                  row->b);
}

static void describe_OPERAND_REQUIRED(const Inst *inst, const RuleRow *row, StrBuf *out) {
    (void)inst;
    put_list(out, row->a);
    sb_printf(out, " %s given", several(row) ? "are" : "is");
}

static void describe_OPERAND_CONFLICT(const Inst *inst, const RuleRow *row, StrBuf *out) {
    (void)inst;
    put_list(out, row->a);
    sb_printf(out, " %s not given", several(row) ? "are" : "is");
}

static void describe_COUNT_RANGE(const Inst *inst, const RuleRow *row, StrBuf *out) {
    (void)inst;
    put_subject(out, row);
    sb_puts(out, "number of operands ");
    put_range(out, row);
}

static void describe_ATTR_REQUIRED(const Inst *inst, const RuleRow *row, StrBuf *out) {
    sb_puts(out, "attribute ");
    describe_OPERAND_REQUIRED(inst, row, out);
}

static void describe_ATTR_CONFLICT(const Inst *inst, const RuleRow *row, StrBuf *out) {
    sb_puts(out, "attribute ");
    describe_OPERAND_CONFLICT(inst, row, out);
}

static void describe_ATTR_SET(const Inst *inst, const RuleRow *row, StrBuf *out) {
    sb_puts(out, "attribute ");
    put_subject(out, row);
    put_attr_values(out, named_attr(inst, row->a, strcspn(row->a, " ")), row->set);
}

static void describe_ATTR_VALUE(const Inst *inst, const RuleRow *row, StrBuf *out) {
    const AttrInfo *info = named_attr(inst, row->a, strcspn(row->a, " "));
    sb_puts(out, "attribute ");
    put_subject(out, row);
    if (info != NULL && info->type == AT_ENUM && row->lo >= 0 && row->hi < 63)
        put_attr_values(out, info, ((uint64_t)2 << row->hi) - ((uint64_t)1 << row->lo));
    else
        put_range(out, row);
}

static void describe_ATTR_KIND(const Inst *inst, const RuleRow *row, StrBuf *out) {
    (void)inst;
    sb_puts(out, "attribute ");
    put_subject(out, row);
    sb_puts(out, row->dims == AT_I32 ? "an i32" : "an integer");
}

static void describe_DISTINCT_OPERANDS(const Inst *inst, const RuleRow *row, StrBuf *out) {
    (void)inst;
    put_pair(out, row);
    sb_puts(out, " are different tiles");
}

static void describe_OPERAND_OVERLAP(const Inst *inst, const RuleRow *row, StrBuf *out) {
    (void)inst;
    put_pair(out, row);
    sb_puts(out, " do not overlap at the addresses that the program gives");
}

static void describe_CONST_RANGE(const Inst *inst, const RuleRow *row, StrBuf *out) {
    (void)inst;
    put_subject(out, row);
    sb_puts(out, "a constant is ");
    put_range(out, row);
}

static void describe_NOT_IN_PROFILE(const Inst *inst, const RuleRow *row, StrBuf *out) {
    (void)inst;
    sb_puts(out, row->guard != NULL ? "this form does not exist here" : "does not exist here");
}

static void describe_NOT_IN_PTOAS(const Inst *inst, const RuleRow *row, StrBuf *out) {
    (void)inst;
    sb_puts(out, row->guard != NULL ? "the vendor's assembler does not read this form"
                                    : "the vendor's assembler does not know it");
}

static void describe_CHECK(const Inst *inst, const RuleRow *row, StrBuf *out) {
    static const struct {
        bool (*fn)(const Case *, const Rule *);
        const char *demand;
    } checks[] = {
#define CHECK_FN(name, demand) {name, demand},
#include "verifier/rules/checks.def"
#undef CHECK_FN
    };
    (void)inst;
    put_subject(out, row);
    for (unsigned i = 0; i < sizeof checks / sizeof checks[0]; i++)
        if (checks[i].fn == row->fn) sb_puts(out, checks[i].demand);
}

static void (*const describers[C_COUNT])(const Inst *, const RuleRow *, StrBuf *) = {
#define COND(name) describe_##name,
#include "verifier/rules/conditions.def"
#undef COND
};

/* ---- rows ---- */

void rule_describe(const Inst *inst, const RuleRow *row, StrBuf *out) {
    describers[row->cond](inst, row, out);
    if (row->guard == NULL) return;
    sb_putc(out, ';');
    put_guards(out, inst, row->guard);
}

RuleTopic rule_topic(const RuleRow *row) {
    switch ((DiagId)row->id) {
    case DIAG_LOW_PRECISION:
    case DIAG_ELEM_TYPE:
    case DIAG_ELEM_SIZE:
    case DIAG_ELEM_MISMATCH:
    case DIAG_ELEM_SIZE_MISMATCH:
    case DIAG_ELEM_PAIR:
    case DIAG_SCALAR_MISMATCH:
    case DIAG_TILE_ELEMENT:
        return TOPIC_ELEMENTS;
    case DIAG_LOCATION:
    case DIAG_LOCATION_PAIR:
    case DIAG_POINTER_SPACE:
        return TOPIC_LOCATIONS;
    case DIAG_LAYOUT:
    case DIAG_LAYOUT_PAIR:
    case DIAG_FRACTAL:
    case DIAG_COMPACT_MODE:
    case DIAG_VIEW_LAYOUT:
    case DIAG_LEFT_LAYOUT:
        return TOPIC_LAYOUTS;
    case DIAG_VALID_MISMATCH:
    case DIAG_VALID_RANGE:
    case DIAG_VALID_RELATION:
    case DIAG_STATIC_EXTENTS:
    case DIAG_VALID_OPERAND:
        return TOPIC_VALID;
    case DIAG_SHAPE_MISMATCH:
    case DIAG_SHAPE_RANGE:
    case DIAG_SHAPE_RELATION:
    case DIAG_ELEMENT_COUNT:
    case DIAG_VIEW_EXTENT:
    case DIAG_VIEW_RANK:
    case DIAG_VIEW_BOUNDS:
    case DIAG_TILE_ALIGN:
    case DIAG_TILE_BOX:
    case DIAG_TILE_BYTES:
    case DIAG_TMP_CAPACITY:
        return TOPIC_SHAPES;
    default:
        return TOPIC_OTHER;
    }
}

const char *rule_mode_text(RuleWhen when) {
    static const char *const texts[] = {[BOTH] = NULL,
                                        [PAGE] = "page only",
                                        [VENDOR] = "vendor warning",
                                        [COMPAT] = "--compat=ptoas only",
                                        [DEPRECATED] = "older spelling",
                                        [WARN] = "warning"};
    return texts[when];
}

void slot_describe_kinds(SlotKind kind, StrBuf *out) {
    uint64_t kinds = slot_kinds(kind);
    if (kinds == 0)
        sb_puts(out, "anything");
    else if (kinds == K_SCALAR)
        sb_puts(out, "a scalar");
    else
        put_names(out, kinds, kind_names, KIND_NAMES);
}
