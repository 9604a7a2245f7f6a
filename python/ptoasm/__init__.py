# SPDX-License-Identifier: Apache-2.0
"""PTO assembly from Python: libptoasm and libptort through ctypes.

    import ptoasm
    for problem in ptoasm.check(text):
        print(problem)
    k = ptoasm.compile("softmax.pto", profile="a5")["softmax"]
    k(x, out=y, grid=4)          # numpy arrays
"""
from ._kernel import Kernel, KernelError, Module, assert_kernel, compile
from ._inside import Finding, Tile, ulp
from ._library import (Diagnostic, Edit, Error, Note, Place, Slot, Source, check, emit_c, explain, fix, format, map,
                       version)

__all__ = ['Diagnostic', 'Edit', 'Error', 'Finding', 'Kernel', 'KernelError', 'Module', 'Note', 'Place', 'Slot', 'Source',
           'Tile', 'assert_kernel', 'check', 'compile', 'emit_c', 'explain', 'fix', 'format', 'map', 'ulp', 'version']
