/* SPDX-License-Identifier: Apache-2.0 */
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
    const ptrt_elem_info *info = &ptrt_elem_infos[elem];
    uint64_t v = pad == PTRT_PAD_MAX ? info->max : pad == PTRT_PAD_MIN ? info->min : 0;
    return bits_of_size(v, ptrt_elem_size(elem));
}
