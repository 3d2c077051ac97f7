# SPDX-License-Identifier: Apache-2.0
"""The builder: every function of XlaBuilder's xla_ops.h, under its name in Python's style.

    import xylem.builder as xb

    b = xb.Builder("axpy")
    x, y = b.parameter("f32[4]"), b.parameter("f32[4]")
    axpy = b.build(3 * x + y)              # a HloModule: axpy(x, y) runs it
    total = xb.reduce(x, 0.0, lambda a, b: a + b, [0])

Names that Python has itself end in an underscore: and_, not_, or_, while_. Python functions may stand
for computations that operations call, where shapes of their parameters follow from the operands.
"""

from xylem._calls import Builder
from xylem._calls import computation
from xylem._calls import shape_of
from xylem._operations import *
from xylem._operations import __all__ as _operations
from xylem._xylem import Shape
from xylem._xylem import XlaOp

__all__ = ["Builder", "Shape", "XlaOp", "computation", "shape_of", *_operations]
