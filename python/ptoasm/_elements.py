# SPDX-License-Identifier: Apache-2.0
"""The element types of tiles; written by python/elements.c from the tables."""
from collections import namedtuple

# A float of 8 bits: its name, the bits of exponent and mantissa, the bias of the exponent, and what the largest
# exponent encodes.
Format = namedtuple('Format', 'name exponent mantissa bias special')
# Type of numpy for the bits, which are numbers if it is no unsigned integer; format of an 8-bit float.
ELEMENTS = {
    'i8': ('int8', None),
    'ui8': ('uint8', None),
    'i16': ('int16', None),
    'ui16': ('uint16', None),
    'i32': ('int32', None),
    'ui32': ('uint32', None),
    'i64': ('int64', None),
    'ui64': ('uint64', None),
    'f16': ('float16', None),
    'bf16': ('uint16', None),
    'f32': ('float32', None),
    'f64': ('float64', None),
    'tf32': ('float32', None),
    'f8E4M3': ('uint8', Format('f8e4m3fn', 4, 3, 7, 'ONE_NAN')),
    'f8E4M3FN': ('uint8', Format('f8e4m3fn', 4, 3, 7, 'ONE_NAN')),
    'f8E4M3FNUZ': ('uint8', Format('f8e4m3fn', 4, 3, 7, 'ONE_NAN')),
    'f8E4M3B11FNUZ': ('uint8', Format('f8e4m3fn', 4, 3, 7, 'ONE_NAN')),
    'f8E5M2': ('uint8', Format('f8e5m2', 5, 2, 15, 'INFINITE')),
    'f8E5M2FNUZ': ('uint8', Format('f8e5m2', 5, 2, 15, 'INFINITE')),
    'hif8': ('uint8', None),
    'f8E8M0': ('uint8', None),
    'f4E1M2x2': ('uint8', None),
    'f4E2M1x2': ('uint8', None),
    'hif8x2': ('uint16', None),
    'bf16x2': ('uint32', None),
}
