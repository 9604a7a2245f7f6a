/* What a fixpipe does to a tile of acc that is pushed into a pipe: layout, quantisation, relu. */
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
#define EPILOGUE_QUANT(id, text, state, a5, from, to) EPI_QUANT_##id,
#include "ir/epilogue.def"
#undef EPILOGUE_QUANT
    EPI_QUANT_COUNT
} EpilogueQuant;

/* The quantisation words that a push takes: none, one for all columns, one per column. */
typedef enum QuantState { QUANT_NONE, QUANT_SCALAR, QUANT_VECTOR } QuantState;

typedef struct EpilogueLayoutInfo {
    const char *text;
    uint8_t blayout, slayout; /* of the tile that the consumer pops */
} EpilogueLayoutInfo;

typedef struct EpilogueQuantInfo {
    const char *text;
    uint8_t state; /* QuantState */
    bool a5_only;
    ElemSet from, to; /* `to` empty: as the source */
} EpilogueQuantInfo;

extern const EpilogueLayoutInfo epilogue_layouts[EPI_LAYOUT_COUNT];
extern const EpilogueQuantInfo epilogue_quants[EPI_QUANT_COUNT];

typedef struct Epilogue {
    uint8_t layout, quant, relu;
} Epilogue;

/* The words of one key (`layout`, `quant`, `relu`), ended by NULL; NULL for another key. */
const char *const *epilogue_words(const char *key, size_t n);
/* Reads #pto.acc_push_epilogue<..>; false for anything else and where a key is missing. */
bool epilogue_read(const Interner *names, const Attr *a, Epilogue *out);

#endif
