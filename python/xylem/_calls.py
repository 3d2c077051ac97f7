# SPDX-License-Identifier: Apache-2.0
"""How the functions of the builder are called: arguments of Python as the extension takes them."""

from __future__ import annotations

import contextlib
import re
from typing import Any, Callable, Iterator, Sequence, Union

from xylem import _errors
from xylem import _xylem
from xylem._programs import HloModule
from xylem._xylem import Shape
from xylem._xylem import XlaOp as Op

ArrayLike = Any  # an array of NumPy or of DLPack, or a number
Operand = Union[Op, ArrayLike]
ShapeLike = Union[Shape, str]
TypeLike = Any  # "f32", or a dtype
Called = Union[HloModule, Callable[..., Any]]


class Builder(_xylem._Builder):
  """Builds a computation.

      b = Builder("axpy")
      x, y = b.parameter("f32[4]"), b.parameter("f32[4]")
      axpy = b.build(3 * x + y)
  """

  def __init__(self, name: str = "computation") -> None:
    super().__init__(name)
    self._parameters = 0

  def parameter(self, shape: Any, name: str | None = None) -> Op:
    """The next parameter. shape: "f32[2,3]", a Shape, or a tuple (dtype, dimensions)."""
    number = self._parameters
    self._parameters += 1
    return call("parameter", (self, number, shape, name or f"arg{number}"), {})

  def constant(self, value: ArrayLike, dtype: TypeLike | None = None) -> Op:
    """A constant from an array or numbers; Python's numbers are f32, s32, pred or c64."""
    import numpy as np

    if dtype is not None:
      value = np.asarray(value, _dtype(dtype))
    elif isinstance(value, (list, tuple)):
      value = np.asarray(value)
      narrow = {"float64": "float32", "int64": "int32", "complex128": "complex64"}
      value = value.astype(narrow.get(value.dtype.name, value.dtype))
    return call("constant_literal", (self, value), {})

  def build(self, root: Operand | Sequence[Operand] | None = None) -> HloModule:
    """The module; root: its result, a tuple for several, by default the operation added last."""
    if isinstance(root, (list, tuple)):
      root = call("tuple", (list(root),), {"builder": self})
    elif root is not None and not isinstance(root, Op):
      root = self.constant(root)
    self._parameters = 0
    return self._build(root)

  @contextlib.contextmanager
  def sharding(self, text: str) -> Iterator[None]:
    """Annotates what is added inside, as HLO text has it: "{devices=[2,1]<=[2]}"."""
    self._set_sharding(text)
    try:
      yield
    finally:
      self._set_sharding("")

  @contextlib.contextmanager
  def op_name(self, name: str) -> Iterator[None]:
    """Names what is added inside, for profiles and graphs."""
    self._set_op_name(name)
    try:
      yield
    finally:
      self._set_op_name("")


def _dtype(kind):
  from xylem import _arrays

  return _arrays.dtype_of(kind) if isinstance(kind, str) and kind in _arrays._TYPES.values() else kind


def shape_of(value: Any) -> Shape:
  """A Shape from one, its text, or (dtype, dimensions)."""
  if isinstance(value, (Shape, str)):
    return value if isinstance(value, Shape) else Shape(value)
  if hasattr(value, "shape") and hasattr(value, "dtype"):  # an array, or what describes one
    value = (value.dtype, value.shape)
  kind, dimensions = value
  return Shape(f"{_type_text(kind)}[{','.join(map(str, dimensions))}]")


def _type_text(kind):
  from xylem import _arrays

  if isinstance(kind, str) and kind in _arrays._TYPES.values():
    return kind
  name = _arrays.type_name(kind)
  if not name:
    raise _errors.InvalidArgument(f"{kind} is no element type of programs")
  return name


def computation(function: Callable[..., Any], *shapes: Any, name: str | None = None) -> HloModule:
  """The computation of a Python function on operations: a module that others may call."""
  builder = Builder(name or re.sub(r"\W", "", getattr(function, "__name__", "")) or "computation")
  return builder.build(function(*[builder.parameter(shape) for shape in shapes]))


def _list(value):
  return list(value) if isinstance(value, (list, tuple)) else [value]


def _scalars(operands):
  return [Shape(f"{operand.shape.element_type}[]") for operand in _list(operands)]


def _pairs(operands):
  return [shape for scalar in _scalars(operands) for shape in (scalar, scalar)]


def _twice(operands):
  return 2 * _scalars(operands)


# The parameters of the functions that operations call, from the first argument; the others follow.
_OF_FIRST = {
    "map": _scalars, "sort": _pairs,
    **{name: _twice for name in (
        "reduce", "reduce_all", "reduce_window", "reduce_window_with_general_padding", "scatter",
        "select_and_scatter", "select_and_scatter_with_general_padding", "all_reduce",
        "all_reduce_tuple", "all_reduce_with_device_list", "all_reduce_tuple_with_device_list",
        "reduce_scatter", "reduce_scatter_with_device_list")},
}


def _callee_shapes(name, arguments, position):
  """The shapes of the parameters of the function that is argument number `position`."""
  if name in _OF_FIRST:
    return _OF_FIRST[name](arguments[0])
  if name == "while_":
    return [arguments[2].shape]
  if name == "conditional" and position > 0:
    return [arguments[position - 1].shape]
  if name in ("call", "composite_call"):
    return [operand.shape for operand in arguments[1]]
  raise _errors.InvalidArgument(
      f"{name} takes a computation: xylem.builder.computation(function, *shapes) makes one")


def _with_computations(name, arguments, keywords):
  """The arguments, functions of Python made computations."""
  if name == "conditional" and len(arguments) == 3 and isinstance(arguments[1], (list, tuple)):
    branches = [computation(branch, operand.shape) if callable(branch) else branch
                for branch, operand in zip(arguments[1], arguments[2])]
    return [arguments[0], branches, arguments[2]], keywords
  given = list(arguments)
  for i, argument in enumerate(arguments):
    if _is_function(argument):
      given[i] = computation(argument, *_callee_shapes(name, arguments, i))
  for key, argument in keywords.items():
    if _is_function(argument):
      keywords = {**keywords, key: computation(argument, *_callee_shapes(name, arguments, 0))}
  return given, keywords


def _is_function(value):
  return callable(value) and not isinstance(value, (HloModule, Op, type)) and not hasattr(value, "dtype")


def _plain(value):
  """The name of an element type for a dtype or a type; other values as they are."""
  return _type_text(value) if isinstance(value, type) or hasattr(value, "isnative") else value


def call(name: str, arguments: Sequence[Any], keywords: dict[str, Any]) -> Op:
  """Calls an operation: the first argument may be the builder, which else is that of the operands."""
  keywords = {key: value for key, value in keywords.items() if value is not None}
  builder = keywords.pop("builder", None)
  if arguments and isinstance(arguments[0], Builder):
    builder, arguments = arguments[0], arguments[1:]
  if name == "parameter" and len(arguments) > 1:
    arguments = [arguments[0], shape_of(arguments[1]), *arguments[2:]]
  arguments, keywords = _with_computations(name, arguments, keywords)
  # Defaults at the end are not given.
  arguments = [_plain(argument) for argument in arguments]
  while arguments and arguments[-1] is None:
    arguments.pop()
  return _xylem._call_operation(name, builder, tuple(arguments),
                                {key: _plain(value) for key, value in keywords.items()})
