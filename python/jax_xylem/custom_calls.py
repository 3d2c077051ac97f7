# SPDX-License-Identifier: Apache-2.0
"""Custom calls: jax.ffi.register_ffi_target(..., platform="xylem")."""

import ctypes

from jax_xylem import abi
from jax_xylem import names
from jax_xylem.names import PLATFORM

# Pointers that the plugin keeps.
_kept = []

_STAGES = ("instantiate", "prepare", "initialize", "execute")
# Stages of devices with command buffers, which the platform's are not.
_UNUSED_STAGES = ("record",)


def _registrar(c_api):
  """A function (name, capsule or dictionary of stages, platform, api_version, traits)."""
  api = abi.Api(c_api)
  (function,) = api.extension(abi.CUSTOM_CALL_EXTENSION)

  def register(name, fn, platform=PLATFORM, api_version=1, traits=0):
    del platform, traits
    stages = fn if isinstance(fn, dict) else {"execute": fn}
    unknown = set(stages) - {*_STAGES, *_UNUSED_STAGES}
    if unknown:
      raise ValueError(f"custom call {name}: unknown stages {sorted(unknown)}")
    raw = name if isinstance(name, bytes) else name.encode()
    pointers = {stage: abi.pointer_of(stages[stage]) for stage in _STAGES if stage in stages}
    args = abi.RegisterCustomCall(
        ctypes.sizeof(abi.RegisterCustomCall), raw, len(raw), int(api_version),
        *(pointers.get(stage) for stage in _STAGES))
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


def _platforms():
  """The names under which handlers for this platform are registered."""
  return (PLATFORM,) if PLATFORM == names.XYLEM else (PLATFORM, names.XYLEM)


def _install(kind, platform, handler, registrar):
  """Has xla_client hand what is registered for a platform to `handler`.

  It hands over at once what was registered before, under a lock and up to the first error. Where
  somebody made a client of JAX's own CPUs, their handler gets everything, too.
  """
  from jaxlib import xla_client

  installed = getattr(xla_client, f"_custom_{kind}_handler", {})
  others = installed.pop(platform, None)
  both = registrar if others is None else lambda *args, **kwargs: (
      others(*args, **kwargs), registrar(*args, **kwargs))[0]
  getattr(xla_client, handler)(platform, both)


def _lapack():
  """jaxlib's handlers of LAPACK, with their versions, by name."""
  from jaxlib import lapack

  found = lapack.registrations()
  found = found["cpu"] if isinstance(found, dict) else found
  return {name: (capsule, api_version) for name, capsule, api_version in found}


def register(c_api, report):
  registrar = _registrar(c_api)
  try:
    of_jaxlib = {(name, abi.pointer_of(capsule)) for name, (capsule, _) in _lapack().items()
                 if not isinstance(capsule, dict)}
  except Exception:  # a jaxlib without them  # pylint: disable=broad-except
    of_jaxlib = set()
  is_backlog = True

  def register_one(name, fn, *args, **kwargs):
    if not isinstance(fn, dict) and (name, abi.pointer_of(fn)) in of_jaxlib:
      return  # JAX registers LAPACK for "cpu" itself; the plugin has its own
    try:
      registrar(name, fn, *args, **kwargs)
    except RuntimeError as error:
      if not is_backlog:
        raise
      report.leave_out("custom calls (jax.ffi)", f"{name}: {error}")

  for platform in _platforms():
    _install("callback", platform, "register_custom_call_handler", register_one)
  is_backlog = False


def register_types(c_api):
  from jaxlib import xla_client

  # Before JAX 0.8 it had the second name.
  handler = next(name for name in ("register_custom_type_handler",
                                   "register_custom_type_id_handler") if hasattr(xla_client, name))
  for platform in _platforms():
    _install("type_id", platform, handler, _type_registrar(c_api))
