# SPDX-License-Identifier: Apache-2.0
"""A JAX that lacks what the package holds on to costs one feature each, and one warning in all."""

import subprocess
import sys

import jax

START = """
import jax, jax.numpy as jnp
from jax._src import xla_bridge
{damage}
print(jnp.sum(jnp.ones(3)), jax.devices()[0].client.platform_version)
{rest}
"""


def run(damage, rest=""):
  """What a program prints whose JAX is damaged before it looks for devices."""
  result = subprocess.run([sys.executable, "-c", START.format(damage=damage, rest=rest)],
                          capture_output=True, text=True, check=False)
  assert result.returncode == 0, result.stderr
  # Some versions of JAX say first that this is a plugin.
  assert result.stdout.startswith("3.0 ") and "Xylem" in result.stdout, result.stdout
  assert "Traceback" not in result.stderr, result.stderr
  return result.stdout, [line for line in result.stderr.splitlines() if "jax-xylem" in line]


def test_a_missing_name_costs_one_feature():
  _, warnings = run("from jax._src import dlpack; del dlpack._to_dlpack",
                    "jax.debug.callback(print, 1.0); jax.effects_barrier()\n"
                    "jnp.linalg.cholesky(jnp.eye(3)).block_until_ready()")
  assert len(warnings) == 1
  assert "DLPack" in warnings[0] and "_to_dlpack" in warnings[0]
  assert f"jax {jax.__version__}," in warnings[0] and "jaxlib " in warnings[0]
  assert "callbacks" not in warnings[0]


def test_several_are_one_warning():
  _, warnings = run("""
import sys
from jax._src import custom_partitioning, dlpack
del dlpack._to_dlpack, custom_partitioning.mlir
sys.modules["jaxlib.lapack"] = None
import jaxlib
del jaxlib.lapack
""", "jax.debug.callback(print, 1.0); jax.effects_barrier()")
  assert len(warnings) == 1
  for feature in ("DLPack", "custom_partitioning"):
    assert feature in warnings[0]


def test_a_refused_handler_is_left_out():
  """One of LAPACK's whose version the plugin does not take; the others stay."""
  _, warnings = run("""
import ctypes
from jaxlib import lapack

@ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
def of_the_future(frame):
  at = lambda address: ctypes.c_void_p.from_address(address).value
  metadata = at(at(frame + 8) + 24)  # of the frame's extension
  ctypes.c_int.from_address(metadata + 24).value = 9  # the major version

new = ctypes.pythonapi.PyCapsule_New
new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
capsule = new(ctypes.cast(of_the_future, ctypes.c_void_p).value, b"xla._CUSTOM_CALL_TARGET", None)
from jax_xylem.names import PLATFORM
jax.ffi.register_ffi_target("of_the_future", capsule, platform=PLATFORM)
""", "jnp.linalg.cholesky(jnp.eye(3)).block_until_ready()")
  assert len(warnings) == 1
  assert "of_the_future" in warnings[0] and "version 9." in warnings[0]


def test_a_backend_that_cannot_be_registered_is_no_traceback():
  program = """
import os
import jax
from jax._src import xla_bridge
del xla_bridge.register_plugin
os.environ["JAX_PLATFORMS"] = jax.config.jax_platforms or ""
jax.config.update("jax_platforms", "cpu")
print(jax.devices()[0].platform)
"""
  result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                          check=False)
  assert result.stdout == "cpu\n" and "Traceback" not in result.stderr, result.stderr
  warnings = [line for line in result.stderr.splitlines() if "jax-xylem" in line]
  assert len(warnings) == 1 and "cannot be registered" in warnings[0]


def test_names_are_checked():
  program = """
import jax, jax_xylem
for name in ("gpu", ""):
  try:
    jax_xylem.set_platform_name(name)
    print("taken")
  except ValueError as error:
    print(error)
jax_xylem.set_platform_name("cpu")
jax.config.update("jax_platforms", "cpu")
print(jax.devices()[0].client.platform_version)
try:
  jax_xylem.set_platform_name("xylem")
except RuntimeError as error:
  print(error)
"""
  lines = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                         check=True).stdout.splitlines()
  assert lines[0] == 'the platform cannot be called "gpu"; it is xylem or cpu'
  # Some versions of JAX say first that this is a plugin.
  assert "taken" not in lines[1] and any(line.startswith("Xylem") for line in lines[2:4])
  assert "before JAX looks for its devices" in lines[-1]
