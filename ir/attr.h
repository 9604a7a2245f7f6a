/* SPDX-License-Identifier: Apache-2.0 */
/* Attribute values: trees in an arena, immutable once built. */
#ifndef IR_ATTR_H
#define IR_ATTR_H

#include "ir/type.h"
#include "support/source.h"

typedef enum AttrKind {
    ATTR_UNIT,   /* a key without a value, or `unit` */
    ATTR_BOOL,   /* i */
    ATTR_INT,    /* i; type is NULL if not written (then i64) */
    ATTR_FLOAT,  /* a double in d or, if hex, the bits in i; type NULL = f64 */
    ATTR_STRING, /* text (unescaped) */
    ATTR_SYMBOL, /* text: name without @; nested references as written */
    ATTR_ARRAY,  /* items */
    ATTR_DICT,   /* entries */
    ATTR_TYPE,   /* type */
    ATTR_ENUM,   /* family, i = value index into the family */
    ATTR_DENSE,  /* array<i32: 1, 2>: type = element type, items */
    ATTR_OPAQUE  /* anything else (dense<..>, affine_map<..>, loc): text as written */
} AttrKind;

typedef struct Attr Attr;

typedef struct NamedAttr {
    Atom name;
    Span span;   /* of the key */
    uint16_t id; /* of an operation's attribute: AttrName of the row's attribute that the key
                    means, else of this name; 0: the program does not look for it */
    const Attr *value;
} NamedAttr;

struct Attr {
    uint8_t kind;   /* AttrKind */
    uint8_t family; /* EnumFamily of an ATTR_ENUM */
    bool hex;       /* a number written in hexadecimal */
    uint32_t n;     /* items or entries */
    Span span;
    Atom text;  /* string, symbol, opaque; a float or hexadecimal number as written, or 0 */
    Atom alias; /* the alias it was written as (`#map`), or 0 */
    const Type *type;
    union {        /* by kind */
        int64_t i; /* wider integers are an error; also the bits of a hexadecimal float */
        double d;
        const Attr *const *items;
        const NamedAttr *entries;
    };
};

/* Enumerations of the language: `#pto.NAME<value>` or `#pto<NAME value>`. */
typedef enum EnumFamily {
#define ENUM_FAMILY(id, name, spelling, values) EF_##id,
#include "ir/enums.def"
#undef ENUM_FAMILY
    EF_COUNT,
    EF_NONE = EF_COUNT
} EnumFamily;

typedef struct EnumValue {
    const char *text;
    int value;
} EnumValue;

/* How a value is printed. */
typedef enum EnumSpelling {
    ENUM_DOT,    /* #pto.name<value> */
    ENUM_ANGLE,  /* #pto<name value> */
    ENUM_QUOTED, /* "value": a string, case counts */
    ENUM_TOKEN   /* #pto.name<value>; in place "value", or value if the attribute is AT_WORD; case
                    counts */
} EnumSpelling;

typedef struct EnumInfo {
    const char *name;
    uint8_t spelling; /* EnumSpelling */
    const EnumValue *values;
    unsigned nvalues;
} EnumInfo;

extern const EnumInfo enum_infos[EF_COUNT];
/* Returns a family by its exact name; EF_NONE when unknown. */
EnumFamily enum_family_find(const char *s, size_t n);
/* Returns the index of a value in its family, ignoring case but in strings; -1 when unknown. */
int enum_value_find(EnumFamily f, const char *s, size_t n);
/* Returns the integer of an enumeration value. */
static inline int enum_number(const Attr *a) {
    return enum_infos[a->family].values[a->i].value;
}

/* Print the value `word` of an enumeration. */
void enum_print(char *out, size_t size, const EnumInfo *e, const char *word);
void enum_put(StrBuf *out, const EnumInfo *e, const char *word);
/* Prints an attribute like the vendor's assembler. */
void attr_print(StrBuf *out, const Interner *names, const Attr *a);
void attr_dict_print(StrBuf *out, const Interner *names, const NamedAttr *entries, unsigned n);
/* Compares deeply, ignoring spelling and spans. */
bool attr_equal(const Attr *a, const Attr *b);

#endif
