# SPDX-License-Identifier: Apache-2.0
"""Loading, compiling and running: what the extension's classes have besides what C++ gives them."""

import os

import xylem
from xylem import _errors
from xylem._xylem import HloComputation
from xylem._xylem import HloInstruction
from xylem._xylem import HloModule
from xylem._xylem import Program
from xylem._xylem import Shape
from xylem._xylem import XlaOp
from xylem._xylem import _compile
from xylem._xylem import _load
from xylem._xylem import _loads
from xylem._xylem import from_dlpack
from xylem._xylem import passes


def loads(data, *, name="<program>", function="", verify=True):
  """A module from text or bytes in any format: HLO text or proto, StableHLO text or bytecode."""
  return _loads(data.encode() if isinstance(data, str) else bytes(data), name, function, verify)


def load(source, *, function="", verify=True):
  """A module from a file, or from bytes or a text of several lines, in any format.

  `function` is the entry where StableHLO has several; `verify=False` leaves out the verification.
  """
  if isinstance(source, (bytes, bytearray, memoryview)) or (isinstance(source, str) and "\n" in source):
    return loads(source, function=function, verify=verify)
  if hasattr(source, "read"):
    return loads(source.read(), name=getattr(source, "name", "<program>"), function=function,
                 verify=verify)
  return _load(os.fspath(source), function, verify)


def restored(data):
  """A module that was pickled."""
  return _loads(data, "<pickle>", "", False)


def _text_list(value):
  return [value] if isinstance(value, (str, os.PathLike)) else list(value)


def compile(module, *, backend=None, threads=0, replicas=0, partitions=0, flush_subnormals=False,
            cache=None, disabled_passes=(), custom_calls=(), timeout=60.0, memory_limit=0):
  """Compiles a module, or what load() takes.

  backend: "cpu" (machine code), "interpreter", or None for the first that this machine can run.
  threads: 0 for all; results do not depend on it. replicas, partitions: 0 for what the module says.
  cache: a folder that keeps machine code. custom_calls: shared libraries with handlers.
  timeout: seconds that a device waits for others. memory_limit: bytes of a run, 0 for what there is.
  """
  if not isinstance(module, HloModule):
    module = load(module)
  return _compile(module, backend or "", threads, replicas, partitions, flush_subnormals,
                  os.fspath(cache or ""), _text_list(disabled_passes),
                  [os.fspath(path) for path in _text_list(custom_calls)], float(timeout),
                  memory_limit)


def _default_program(module):
  program = module.__dict__.get("_default")
  if program is None:
    # Two threads may both compile; either program serves.
    program = module.__dict__["_default"] = compile(module)
  return program


def _call(self, *arguments):
  """Compiles the module with the defaults, once, and runs it."""
  return _default_program(self)(*arguments)


def _print(self, to="hlo", *, options="long", large_constants=False, operand_shapes=False,
           metadata=True, stablehlo_version="current"):
  """The module in a format: "hlo" and "stablehlo" are str, "hlo-proto" and "mlirbc" are bytes.

  options: of HLO text, "long", "short", "canonical" or "fingerprint".
  """
  return self._print(to, options, large_constants, operand_shapes, metadata, stablehlo_version)


def _run_passes(self, passes, *, verify=False):
  """A new module, after passes: names in a list or separated by commas, fixpoint(a,b), or "cpu"."""
  text = passes if isinstance(passes, str) else ",".join(passes)
  return self._run_passes(text, verify)[0]


def diff(module, *arguments):
  """Compares compiled and interpreted results, as `xylem diff` does: {"agree": True, ...}, or the
  first instruction that differs, and where."""
  import json
  import subprocess
  import tempfile

  import numpy as np

  command = xylem.command_path()
  if not os.path.exists(command):
    raise _errors.Unavailable(f"the command is not installed: {command}")
  with tempfile.TemporaryDirectory(prefix="xylem_diff_") as folder:
    program, inputs = os.path.join(folder, "program.hlo"), os.path.join(folder, "inputs.npz")
    with open(program, "w") as file:
      file.write(_print(module, large_constants=True))
    leaves = []

    def flatten(value):
      if isinstance(value, (list, tuple)):
        for element in value:
          flatten(element)
      else:
        leaves.append(np.asarray(value))

    flatten(arguments)
    np.savez(inputs, **{f"arg{i:02}": leaf for i, leaf in enumerate(leaves)})
    run = subprocess.run([command, "diff", "--json", "--input", inputs, program],
                         capture_output=True, text=True)
  if run.returncode not in (0, 1) or not run.stdout.strip():
    raise _errors.InvalidArgument(run.stderr.strip().removeprefix("xylem: "))
  return json.loads(run.stdout.strip().splitlines()[-1])


def _profile(self, *arguments):
  """Program.profile, of the program with the default options."""
  return _default_program(self).profile(*arguments)


for _name, _function in (("__call__", _call), ("run", _call), ("compile", compile), ("print", _print),
                         ("run_passes", _run_passes), ("profile", _profile), ("diff", diff)):
  setattr(HloModule, _name, _function)
