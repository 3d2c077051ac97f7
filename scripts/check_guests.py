#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that JAX on Xylem works in one process with other libraries, and prints a table.

    scripts/check_guests.py --python build-jax/bin/python [--guests tensorflow torch ...]

Each library is imported and used before JAX's first use of a device, after it, and before it with
JAX_PLATFORMS=cpu, where the package is merely installed. The process must give the right numbers and
end with 0. A library that --python lacks is left out with a word. R loads the plugin through a small
library in C (build/guest/libguest_shim.so).
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys

# Import, and a use that makes the library run its own compiler, linear algebra or protos.
GUESTS = {
    "tensorflow": """
import tensorflow as tf
def use():
  x = tf.constant([[4.0, 1.0], [1.0, 3.0]])
  y = tf.function(lambda v: tf.sin(v) @ v, jit_compile=True)(x)
  s, u, v = tf.linalg.svd(x)
  data = tf.data.Dataset.range(10).map(lambda i: i * 2, num_parallel_calls=2).batch(5)
  assert tf.compat.v1.get_default_graph().as_graph_def() is not None
  assert y.shape == (2, 2) and s.shape == (2,) and sum(int(b.numpy().sum()) for b in data) == 90
""",
    "torch": """
import torch
def use():
  x = torch.tensor([[4.0, 1.0], [1.0, 3.0]], requires_grad=True)
  torch.linalg.svd(torch.sin(x) @ x)[1].sum().backward()
  f = torch.jit.script(torch.nn.Linear(2, 2))
  assert x.grad.shape == (2, 2) and f(x).shape == (2, 2)
""",
    "torch_xla": """
import os
os.environ.setdefault("PJRT_DEVICE", "CPU")
import torch, torch_xla
def use():
  x = torch.ones(4, 4, device=torch_xla.device())
  y = (torch.sin(x) @ x).cpu()
  assert abs(float(y[0, 0]) - 4 * 0.841471) < 1e-4
""",
    "numba": """
import numba, numpy
def use():
  @numba.njit
  def f(x):
    total = 0.0
    for i in range(x.size): total += numpy.sin(x[i])
    return total
  assert abs(f(numpy.ones(100)) - 84.1471) < 1e-3
""",
    "llvmlite": """
import llvmlite, llvmlite.binding as llvm
def use():
  llvm.initialize_native_target()
  llvm.initialize_native_asmprinter()
  module = llvm.parse_assembly("define i32 @f(i32 %x) { %y = mul i32 %x, %x  ret i32 %y }")
  machine = llvm.Target.from_default_triple().create_target_machine()
  assert "f:" in machine.emit_assembly(module)
""",
    "scipy": """
import scipy, numpy, scipy.linalg
def use():
  a = numpy.random.default_rng(0).normal(size=(200, 200))
  q, r = scipy.linalg.qr(a)
  assert numpy.allclose(q @ r, a) and scipy.linalg.cholesky(a @ a.T).shape == (200, 200)
""",
    "onnx": """
import onnx, onnx.helper
def use():
  value = lambda name: onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [1])
  node = onnx.helper.make_node("Relu", ["x"], ["y"])
  model = onnx.helper.make_model(onnx.helper.make_graph([node], "g", [value("x")], [value("y")]))
  onnx.checker.check_model(onnx.load_from_string(model.SerializeToString()))
""",
    "onnxruntime": """
import onnxruntime
def use():
  assert "CPUExecutionProvider" in onnxruntime.get_available_providers()
""",
    "grpc": """
import grpc
def use():
  server = grpc.server(__import__("concurrent.futures").futures.ThreadPoolExecutor(1))
  server.add_insecure_port("localhost:0")
  server.start()
  server.stop(None).wait()
""",
    "google.protobuf": """
import google.protobuf
from google.protobuf import struct_pb2
def use():
  s = struct_pb2.Struct()
  s["x"] = 1.5
  assert struct_pb2.Struct.FromString(s.SerializeToString())["x"] == 1.5
""",
    "pyarrow": """
import pyarrow, pyarrow.compute
def use():
  assert pyarrow.compute.sum(pyarrow.array([1, 2, 3])).as_py() == 6
""",
    "sklearn": """
import sklearn, numpy
from sklearn.linear_model import LogisticRegression
def use():
  x = numpy.arange(20.0).reshape(-1, 1)
  assert LogisticRegression().fit(x, x[:, 0] > 9).predict([[19.0]])[0]
""",
}

JAX = """
import jax, jax.numpy as jnp, numpy
def use_jax():
  x = numpy.random.default_rng(1).normal(size=(40, 40)).astype("f")
  y = jax.jit(lambda v: jnp.sort(jnp.sin(v @ v), axis=1))(x)
  assert numpy.allclose(y, numpy.sort(numpy.sin(x @ x), axis=1), atol=1e-4)
  assert numpy.allclose(jnp.linalg.svd(x)[1], numpy.linalg.svd(x)[1], rtol=1e-3, atol=1e-3)
  assert numpy.allclose(jnp.linalg.solve(x, x), numpy.eye(40), atol=1e-2)
  g = jax.grad(lambda v: jnp.tanh(v).sum())(x)
  assert numpy.allclose(g, 1 - numpy.tanh(x) ** 2, atol=1e-5)
"""

ORDERS = {
    "before": ("{guest}\nuse()\n{jax}\nuse_jax()\nuse()\nuse_jax()\n", "xylem,cpu"),
    "after": ("{jax}\nuse_jax()\n{guest}\nuse()\nuse_jax()\nuse()\n", "xylem,cpu"),
    "before, `cpu`": ("{guest}\nuse()\n{jax}\nuse_jax()\nuse()\nuse_jax()\n", "cpu"),
}

R = """
dyn.load("%s")
for (i in 1:2) stopifnot(.C("guest_run", "%s", passed = 0L)$passed == 1L)
stopifnot(isTRUE(all.equal(sum(svd(diag(3))$d), 3)))
"""


def run(command, **variables):
  environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", **variables}
  try:
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=300, check=False)
  except subprocess.TimeoutExpired:
    return "time-out", ""
  return ("works" if done.returncode == 0 else f"exit {done.returncode}"), done.stdout


def main():
  parser = argparse.ArgumentParser(description=__doc__,
                                   formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("--python", default=sys.executable, help="with JAX and jax-xylem")
  parser.add_argument("--guests", nargs="*", default=[*GUESTS, "R"], choices=[*GUESTS, "R"])
  parser.add_argument("--build", type=pathlib.Path, default="build", help="for R: the build folder")
  args = parser.parse_args()
  state, text = run([args.python, "-W", "ignore", "-c", JAX + "use_jax()\nprint(jax.__version__)"],
                    JAX_PLATFORMS="xylem,cpu")
  if state != "works":
    sys.exit(f"{args.python} cannot use JAX on Xylem ({state}):\n{text}")
  print(f"JAX {text.split()[-1]}\n")
  print("| imported | version | " + " | ".join(ORDERS) + " |\n|" + "---|" * (len(ORDERS) + 2))
  failures, skipped = [], []
  for name in args.guests:
    if name == "R":
      shim = args.build / "guest" / "libguest_shim.so"
      if not shutil.which("Rscript") or not shim.exists():
        skipped.append("R (no Rscript, or no build/guest/libguest_shim.so)")
        continue
      version = run(["Rscript", "-e", 'cat(as.character(getRversion()))'])[1]
      state, text = run(["Rscript", "--vanilla", "-e", R % (shim, args.build / "libxylem_pjrt.so")])
      print(f"| R (loads the plugin) | {version} | {state} | | |", flush=True)
      if state != "works":
        failures.append(f"R:\n{text}")
      continue
    state, text = run([args.python, "-W", "ignore", "-c",
                       f"{GUESTS[name]}\nuse()\nimport {name} as g\nprint(getattr(g, '__version__', ''))"])
    if state != "works":
      reason = text.strip().splitlines()[-1] if text.strip() else state
      skipped.append(f"{name} ({reason})")
      continue
    version = text.strip().splitlines()[-1]
    states = []
    for order, (program, platforms) in ORDERS.items():
      program = program.format(guest=GUESTS[name], jax=JAX)
      state, text = run([args.python, "-W", "ignore", "-c", program], JAX_PLATFORMS=platforms)
      states.append(state)
      if state != "works":
        failures.append(f"{name}, {order}:\n{text[-2000:]}")
    print(f"| {name} | {version} | " + " | ".join(states) + " |", flush=True)
  for text in skipped:
    print(f"skipped: {text}")
  if failures:
    sys.exit("\n".join(failures))


if __name__ == "__main__":
  main()
