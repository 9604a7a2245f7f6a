/* scalar_bits.c - converts scalars and pad values to the bytes of an element. */
#include "drive/drive.h"

bool ptrt_int_bits(int elem, int64_t value, ptrt_bits *out) {
    switch (elem) {
    case PTRT_I8:
    case PTRT_U8:
        out->u8 = (uint8_t)value;
        return true;
    case PTRT_I16:
    case PTRT_U16:
        out->u16 = (uint16_t)value;
        return true;
    case PTRT_I32:
    case PTRT_U32:
        out->u32 = (uint32_t)value;
        return true;
    case PTRT_I64:
    case PTRT_U64:
        out->u64 = (uint64_t)value;
        return true;
    default:
        return ptrt_float_bits(elem, (double)value, out);
    }
}

bool ptrt_float_bits(int elem, double value, ptrt_bits *out) {
    switch (elem) {
    case PTRT_F16:
        out->u16 = ptrt_truncf_f64_f16(value, PTRT_NEAREST_EVEN);
        return true;
    case PTRT_BF16:
        out->u16 = ptrt_truncf_f64_bf16(value, PTRT_NEAREST_EVEN);
        return true;
    case PTRT_F32:
        out->u32 = ptrt_bits_of_f32((float)value);
        return true;
    case PTRT_F64:
        out->u64 = ptrt_bits_of_f64(value);
        return true;
    default:
        return false;
    }
}

static ptrt_bits bits_of_size(uint64_t v, uint32_t bytes) {
    ptrt_bits bits = {.u64 = 0};
    switch (bytes) {
    case 1:
        bits.u8 = (uint8_t)v;
        break;
    case 2:
        bits.u16 = (uint16_t)v;
        break;
    case 4:
        bits.u32 = (uint32_t)v;
        break;
    default:
        bits.u64 = v;
    }
    return bits;
}

ptrt_bits ptrt_pad_bits(int elem, int pad) {
    /* Largest and smallest value of each type; infinities where the type has them. */
    static const struct {
        uint64_t max, min;
    } limit[PTRT_ELEMS] = {
        [PTRT_I8] = {0x7F, 0x80},
        [PTRT_U8] = {0xFF, 0},
        [PTRT_I16] = {0x7FFF, 0x8000},
        [PTRT_U16] = {0xFFFF, 0},
        [PTRT_I32] = {0x7FFFFFFF, 0x80000000},
        [PTRT_U32] = {0xFFFFFFFF, 0},
        [PTRT_I64] = {UINT64_C(0x7FFFFFFFFFFFFFFF), UINT64_C(0x8000000000000000)},
        [PTRT_U64] = {UINT64_MAX, 0},
        [PTRT_F16] = {0x7C00, 0xFC00},
        [PTRT_BF16] = {0x7F80, 0xFF80},
        [PTRT_F32] = {0x7F800000, 0xFF800000},
        [PTRT_F64] = {UINT64_C(0x7FF0000000000000), UINT64_C(0xFFF0000000000000)},
        [PTRT_TF32] = {0x7F800000, 0xFF800000},
        [PTRT_F8E4M3] = {0x7E, 0xFE},
        [PTRT_F8E4M3FN] = {0x7E, 0xFE},
        [PTRT_F8E4M3FNUZ] = {0x7E, 0xFE},
        [PTRT_F8E4M3B11FNUZ] = {0x7E, 0xFE},
        [PTRT_F8E5M2] = {0x7C, 0xFC},
        [PTRT_F8E5M2FNUZ] = {0x7C, 0xFC},
        [PTRT_HIF8] = {0x6F, 0xEF},
        [PTRT_F8E8M0] = {0xFE, 0x00},
        [PTRT_F4E1M2X2] = {0x77, 0xFF},
        [PTRT_F4E2M1X2] = {0x77, 0xFF},
        [PTRT_HIF8X2] = {0x6F6F, 0xEFEF},
        [PTRT_BF16X2] = {0x7F807F80, 0xFF80FF80},
    };
    uint64_t v = pad == PTRT_PAD_MAX ? limit[elem].max : pad == PTRT_PAD_MIN ? limit[elem].min : 0;
    return bits_of_size(v, ptrt_elem_size(elem));
}
