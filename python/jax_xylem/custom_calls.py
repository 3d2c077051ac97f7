# SPDX-License-Identifier: Apache-2.0
"""Custom calls: jax.ffi.register_ffi_target(..., platform="xylem"), and LAPACK's of jaxlib."""

import ctypes

from jax_xylem import abi

PLATFORM = "xylem"

# Pointers that the plugin keeps.
_kept = []


def _registrar(c_api):
  """A function (name, capsule or dictionary of stages, platform, api_version, traits)."""
  api = abi.Api(c_api)
  (function,) = api.extension(abi.CUSTOM_CALL_EXTENSION)

  def register(name, fn, platform=PLATFORM, api_version=1, traits=0):
    del platform, traits
    stages = fn if isinstance(fn, dict) else {"execute": fn}
    unknown = set(stages) - {"instantiate", "prepare", "initialize", "execute"}
    if unknown:
      raise ValueError(f"custom call {name}: unknown stages {sorted(unknown)}")
    raw = name if isinstance(name, bytes) else name.encode()
    pointers = {stage: abi.pointer_of(capsule) for stage, capsule in stages.items()}
    args = abi.RegisterCustomCall(
        ctypes.sizeof(abi.RegisterCustomCall), raw, len(raw), int(api_version),
        pointers.get("instantiate"), pointers.get("prepare"), pointers.get("initialize"),
        pointers.get("execute"))
    _kept.append(fn)
    api.call(function, args)

  return register


def _type_registrar(c_api):
  api = abi.Api(c_api)
  function = api.extension(abi.FFI_EXTENSION)[0]

  def register(name, registration, platform=PLATFORM):
    del platform
    if not isinstance(registration, dict):
      registration = {"type_id": registration}
    address = abi.pointer_of(registration["type_id"])
    number = ctypes.c_int64.from_address(address)
    raw = name if isinstance(name, bytes) else name.encode()
    args = abi.RegisterType(
        ctypes.sizeof(abi.RegisterType), None, raw, len(raw), number.value,
        abi.pointer_of(registration.get("type_info")))
    _kept.append(registration)
    api.call(function, args)
    number.value = args.type_id

  return register


def register(c_api):
  from jaxlib import xla_client

  registrar = _registrar(c_api)
  xla_client.register_custom_call_handler(PLATFORM, registrar)
  if hasattr(xla_client, "register_custom_type_handler"):
    xla_client.register_custom_type_handler(PLATFORM, _type_registrar(c_api))
  from jaxlib import lapack

  found = lapack.registrations()
  for name, capsule, api_version in found["cpu"] if isinstance(found, dict) else found:
    registrar(name, capsule, PLATFORM, api_version)
