# SPDX-License-Identifier: Apache-2.0
"""Modules: read in any format, looked at, changed, printed, pickled."""

import copy
import pickle

import numpy as np
import pytest
import xylem

STABLEHLO = """module @double {
  func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.add %x, %x : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
"""
X = np.array([1, 2], np.float32)


def test_all_formats_are_read(tmp_path):
  text = xylem.loads(STABLEHLO)
  formats = {to: text.print(to=to) for to in ("hlo", "hlo-proto", "stablehlo", "mlirbc")}
  assert [type(value) for value in formats.values()] == [str, bytes, str, bytes]
  for to, data in formats.items():
    assert np.array_equal(xylem.load(data)(X), [2, 4]), to
    path = tmp_path / "program"
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    assert np.array_equal(xylem.load(path)(X), [2, 4]), to
    with open(path, "rb") as file:
      assert np.array_equal(xylem.load(file)(X), [2, 4]), to


def test_stablehlo_stays_as_it_is():
  text = STABLEHLO.replace("stablehlo.add %x, %x", "func.call @twice(%x)").replace(
      "%0 = func.call @twice(%x) : tensor<2xf32>", "%0 = func.call @twice(%x) : (tensor<2xf32>) -> tensor<2xf32>")
  text = text.rstrip().removesuffix("}") + """  func.func private @twice(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.add %x, %x : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
"""
  module = xylem.loads(text)
  assert "func.func private @twice" in module.print(to="stablehlo")
  assert np.array_equal(module(X), [2, 4])


def test_a_function_is_chosen():
  module = xylem.loads(STABLEHLO.replace("@main", "@other") , function="other")
  assert np.array_equal(module(X), [2, 4])


def test_parts(add):
  assert add.name == "add" and add.instruction_count == 3
  assert [str(shape).split("{")[0] for shape in add.parameter_shapes] == ["f32[3]", "f32[3]"]
  (computation,) = add.computations
  assert computation == add.entry and computation.is_entry and computation.name == "main"
  root = computation.root
  assert (root.name, root.opcode, root.is_root) == ("sum", "add", True)
  assert [operand.name for operand in root.operands] == ["x", "y"]
  assert root.operands[0].users == [root] and root.operands[1].parameter_number == 1
  assert root.parameter_number is None and root.computation == computation
  assert root.metadata == {"op_name": "layer/add", "source_file": "model.py", "source_line": "7"}
  assert root.shape.dimensions == (3,) and root.shape.dtype == np.float32
  assert len(computation) == 3 and [i.name for i in computation] == ["x", "y", "sum"]
  assert {root: 1}[computation.instructions[2]] == 1


def test_parts_keep_the_module_alive():
  root = xylem.loads(STABLEHLO).entry.root
  assert root.opcode == "add" and root.module.name == "double"


def test_constants_are_arrays():
  module = xylem.loads("HloModule m\nENTRY e { ROOT c = s32[2,2] constant({{1,2},{3,4}}) }")
  literal = module.entry.root.literal
  assert literal.dtype == np.int32 and literal.tolist() == [[1, 2], [3, 4]]
  assert not literal.flags.writeable
  del module
  assert literal.sum() == 10


def test_shapes():
  shape = xylem.Shape("(f32[2,<=3]{0,1}, pred[], token[])")
  assert shape.is_tuple and [element.is_array for element in shape.elements] == [True, True, False]
  array = shape.elements[0]
  assert array.dimensions == (2, 3) and array.dynamic_dimensions == (False, True)
  assert array.minor_to_major == (0, 1) and array.element_type == "f32"
  assert pickle.loads(pickle.dumps(shape)) == shape and len({shape, xylem.Shape(str(shape))}) == 1
  with pytest.raises(xylem.InvalidArgument):
    xylem.Shape("f33[2]")


def test_passes(add):
  module = xylem.loads("""HloModule m
    ENTRY e { x = f32[2] parameter(0) one = f32[] constant(1) ones = f32[2] broadcast(one), dimensions={}
    unused = f32[2] exponential(x) ROOT y = f32[2] multiply(x, ones) }""", verify=True)
  simpler = module.run_passes(["algebraic-simplifier", "dce"])
  assert simpler.instruction_count == 1 and module.instruction_count == 5
  assert module.run_passes("cpu").entry.root.opcode == "parameter"
  assert {"dce", "algebraic-simplifier", "cpu"} <= set(xylem.passes())
  with pytest.raises(xylem.XylemError, match="dec"):
    module.run_passes("dec")


def test_errors_are_those_of_the_command(tmp_path):
  path = tmp_path / "bad.hlo"
  path.write_text("HloModule m\nENTRY e {\n  ROOT x = f32[2] ad(f32[2] p)\n}\n")
  with pytest.raises(xylem.InvalidArgument, match=r"bad\.hlo:3:\d+: ") as error:
    xylem.load(path)
  assert isinstance(error.value, (xylem.XylemError, ValueError)) and error.value.code == "INVALID_ARGUMENT"
  with pytest.raises(xylem.XylemError, match="nowhere"):
    xylem.load(tmp_path / "nowhere.hlo")
  with pytest.raises(xylem.InvalidArgument, match="unknown format"):
    xylem.loads(STABLEHLO).print(to="onnx")


def test_modules_are_pickled_and_copied(add):
  again = pickle.loads(pickle.dumps(add))
  assert again == add and hash(again) == hash(add) and again.entry.root.metadata == add.entry.root.metadata
  assert copy.copy(add) is add and copy.deepcopy(add) is add
  devices = xylem.loads("HloModule m, replica_count=2\nENTRY e { ROOT r = u32[] replica-id() }")
  assert pickle.loads(pickle.dumps(devices)).replica_count == 2


def test_notebooks_show_a_table_and_a_graph(add):
  page = add._repr_html_()
  assert "<table" in page and "<svg" in page and "layer/add" in page
  assert add.entry._repr_html_() in page


def test_the_stub_names_what_there_is():
  import ast
  import pathlib
  stub = ast.parse((pathlib.Path(xylem.__file__).parent / "__init__.pyi").read_text())
  named = {}
  for node in stub.body:
    if isinstance(node, ast.ClassDef):
      kind = getattr(xylem, node.name)
      parts = {getattr(part, "name", None) or getattr(getattr(part, "target", None), "id", None)
               for part in node.body} - {None}
      assert not [name for name in parts if not hasattr(kind, name)], node.name
      public = {name for name in vars(kind) if not name.startswith("_")} - {"code"}  # of the base class
      assert public <= parts, f"the stub of {node.name} lacks {public - parts}"
    elif isinstance(node, ast.FunctionDef):
      assert callable(getattr(xylem, node.name))
    named[getattr(node, "name", None)] = node
  assert set(xylem.__all__) <= set(named)
