# SPDX-License-Identifier: Apache-2.0
"""Arrays in and out: what is copied, what is refused, who owns the memory."""

import gc

import numpy as np
import pytest
import xylem


def program(text):
  return xylem.compile(xylem.loads("HloModule m\n" + text))


def identity(shape):
  return program(f"ENTRY e {{ ROOT x = {shape} parameter(0) }}")


@pytest.mark.parametrize("kind", ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
                                  "uint64", "float16", "float32", "float64", "complex64", "complex128"])
def test_types(kind):
  name = {"bool": "pred", "complex64": "c64", "complex128": "c128"}.get(
      kind, kind.replace("uint", "u").replace("int", "s").replace("float", "f"))
  x = np.array([[0, 1, 1], [1, 0, 1]], kind)
  y = identity(f"{name}[2,3]")(x)
  assert y.dtype == x.dtype and np.array_equal(x, y)


@pytest.mark.parametrize("name,kind", [("bf16", "bfloat16"), ("f8e4m3fn", "float8_e4m3fn"),
                                       ("f8e5m2", "float8_e5m2"), ("s4", "int4"), ("u4", "uint4")])
def test_types_of_ml_dtypes(name, kind):
  ml_dtypes = pytest.importorskip("ml_dtypes")
  x = np.array([0, 1, 2, 3], np.float32).astype(getattr(ml_dtypes, kind))
  y = identity(f"{name}[4]")(x)
  assert y.dtype == x.dtype and y.tobytes() == x.tobytes()


def test_results_own_their_memory():
  x = np.arange(1000, dtype=np.float32)
  y = program("ENTRY e { x = f32[1000] parameter(0) ROOT y = f32[1000] negate(x) }")(x)
  expected = (-x).copy()
  del x
  gc.collect()
  assert y.flags.writeable and y.flags.c_contiguous and y.flags.aligned and not y.flags.owndata
  y += 0
  assert np.array_equal(y, expected)
  assert y.ctypes.data % 64 == 0


def test_arguments_are_read_in_place():
  run = program("ENTRY e { x = f32[64,64] parameter(0) ROOT y = f32[64,64] add(x, x) }")
  x = np.ones((64, 64), np.float32)
  result, counts = run.run_counted(x)
  assert counts["copies"] == 0 and counts["copied_bytes"] == 0 and result[0, 0] == 2
  # Large arrays of NumPy begin 16 bytes behind a page.
  offset = np.empty(64 * 64 + 1, np.float32)[1:].reshape(64, 64)
  offset[:] = 1
  assert run.run_counted(offset)[1]["copies"] == 0


def test_strided_arrays_are_copied_first():
  run = program("ENTRY e { x = f32[2,3] parameter(0) ROOT y = f32[2,3] negate(x) }")
  x = np.arange(6, dtype=np.float32).reshape(3, 2)
  assert np.array_equal(run(x.T), -x.T)
  assert np.array_equal(run(np.arange(12, dtype=np.float32).reshape(2, 6)[:, ::2]), [[0, -2, -4], [-6, -8, -10]])
  unaligned = np.frombuffer(b"\0" + np.arange(6, dtype=np.float32).tobytes(), np.float32, offset=1).reshape(2, 3)
  assert np.array_equal(run(unaligned), -unaligned)


def test_results_in_other_layouts_have_strides():
  run = program("ENTRY e { x = f32[2,3] parameter(0) ROOT y = f32[2,3]{0,1} negate(x) }")
  x = np.arange(6, dtype=np.float32).reshape(2, 3)
  y = run(x)
  assert np.array_equal(y, -x) and y.strides == (4, 8)


def test_numbers_and_lists():
  run = program("ENTRY e { x = f32[2] parameter(0) s = f32[] parameter(1) b = f32[2] broadcast(s), dimensions={} "
                "ROOT y = f32[2] multiply(x, b) }")
  assert run([1, 2.5], 2).tolist() == [2, 5]
  assert run(np.ones(2, np.float32), np.float32(3)).tolist() == [3, 3]
  whole = identity("s32[]")
  assert whole(7) == 7
  with pytest.raises(xylem.InvalidArgument, match=r"argument 0 is f64\[\], not s32\[\]"):
    whole(7.5)


@pytest.mark.parametrize("value,message", [
    (np.ones(3, np.float64), r"argument 0 is f64\[3\], not f32\[3\]"),
    (np.ones(4, np.float32), r"argument 0 is f32\[4\], not f32\[3\]"),
    (np.ones((3, 1), np.float32), r"argument 0 is f32\[3,1\], not f32\[3\]"),
    (np.ones(3, ">f4"), r"argument 0 is >f4\[3\], not f32\[3\]"),
    ("abc", r"argument 0 is <U3\[\], not f32\[3\]")])
def test_other_arrays_are_refused(value, message):
  with pytest.raises(xylem.InvalidArgument, match=message):
    identity("f32[3]")(value)


def test_the_number_of_arguments_is_checked(add):
  with pytest.raises(xylem.InvalidArgument, match="takes 2 arguments, not 1"):
    add(np.ones(3, np.float32))


def test_tuples():
  run = program("""ENTRY e {
    p = (f32[2], (s32[], pred[])) parameter(0)
    a = f32[2] get-tuple-element(p), index=0
    b = (s32[], pred[]) get-tuple-element(p), index=1
    i = s32[] get-tuple-element(b), index=0
    ROOT t = (s32[], f32[2], (s32[], pred[]), ()) tuple(i, a, b, empty)
    }""".replace("ROOT", "empty = () tuple()\n    ROOT"))
  i, a, b, empty = run((np.ones(2, np.float32), (np.int32(5), True)))
  assert i == 5 and a.tolist() == [1, 1] and b[0] == 5 and b[1] and empty == ()
  with pytest.raises(xylem.InvalidArgument, match="is a tuple of 2, not of 1"):
    run((np.ones(2, np.float32),))
  with pytest.raises(xylem.InvalidArgument, match="is a tuple"):
    run(np.ones(2, np.float32))


def test_dynamic_sizes():
  run = program("ENTRY e { x = f32[<=4] parameter(0) ROOT y = f32[<=4] negate(x) }")
  assert run(np.arange(3, dtype=np.float32)).tolist() == [0, -1, -2]
  assert run(np.arange(4, dtype=np.float32)).shape == (4,)
  with pytest.raises(xylem.InvalidArgument):
    run(np.arange(5, dtype=np.float32))


def test_empty_and_scalar_arrays():
  assert identity("f32[0,3]")(np.ones((0, 3), np.float32)).shape == (0, 3)
  assert identity("f32[]")(np.float32(2)).shape == ()


class Dlpack:
  """An array of another library."""

  def __init__(self, array):
    self.array = array

  def __dlpack__(self, **kwargs):
    return self.array.__dlpack__()

  def __dlpack_device__(self):
    return self.array.__dlpack_device__()


def test_arrays_of_other_libraries_are_read_in_place():
  x = np.arange(4, dtype=np.float32)
  assert identity("f32[4]")(Dlpack(x)).tolist() == [0, 1, 2, 3]
  assert xylem.from_dlpack(Dlpack(x)).ctypes.data == x.ctypes.data
  assert np.from_dlpack(identity("f32[4]")(x)).tolist() == [0, 1, 2, 3]
