/* SPDX-License-Identifier: Apache-2.0 */
/* What a fixpipe does to an acc tile that is pushed into a pipe: layout, quantisation, relu. */
#ifndef IR_EPILOGUE_H
#define IR_EPILOGUE_H

#include "ir/attr.h"

typedef enum EpilogueLayout {
#define EPILOGUE_LAYOUT(id, text, bl, sl) EPI_LAYOUT_##id,
#include "ir/epilogue.def"
#undef EPILOGUE_LAYOUT
    EPI_LAYOUT_COUNT
} EpilogueLayout;

typedef enum EpilogueQuant {
#define EPILOGUE_QUANT(id, text, state, where, from, to) EPI_QUANT_##id,
#include "ir/epilogue.def"
#undef EPILOGUE_QUANT
    EPI_QUANT_COUNT
} EpilogueQuant;

/* The quantisation parameters of a push: none, one for all columns, or one per column. */
typedef enum QuantState { QUANT_NONE, QUANT_SCALAR, QUANT_VECTOR } QuantState;

typedef struct EpilogueLayoutInfo {
    const char *text;
    uint8_t blayout, slayout; /* of the tile that the consumer pops */
} EpilogueLayoutInfo;

typedef struct EpilogueQuantInfo {
    const char *text;
    uint8_t state;    /* QuantState */
    ProfileSet where; /* models that have it; empty: all */
    ElemSet from, to; /* element types; `to` empty: same as the source */
} EpilogueQuantInfo;

extern const EpilogueLayoutInfo epilogue_layouts[EPI_LAYOUT_COUNT];
extern const EpilogueQuantInfo epilogue_quants[EPI_QUANT_COUNT];

typedef struct Epilogue {
    uint8_t layout, quant, relu;
} Epilogue;

/* Returns the words of a key (`layout`, `quant`, `relu`), NULL-terminated; NULL for other keys. */
const char *const *epilogue_words(const char *key, size_t n);
/* Parses #pto.acc_push_epilogue<..>; false for other attributes and when a key is missing. */
bool epilogue_read(const Interner *names, const Attr *a, Epilogue *out);

#endif
