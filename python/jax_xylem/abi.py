# SPDX-License-Identifier: Apache-2.0
"""The parts of the C interfaces (PJRT, XLA FFI) that this package uses, in ctypes."""

import ctypes

FFI_EXTENSION = 5
CUSTOM_CALL_EXTENSION = 0x78796C  # Xylem's own
PYTHON_EXTENSION = 0x58796c65  # xla/pjrt/abi_python.h

P = ctypes.c_void_p
SIZE = ctypes.c_size_t


class ExtensionBase(ctypes.Structure):
  _fields_ = [("struct_size", SIZE), ("type", ctypes.c_uint32), ("next", P)]


class Error(ctypes.Structure):
  _fields_ = [("struct_size", SIZE), ("extension_start", P), ("error", P), ("message", P),
              ("message_size", SIZE)]


class RegisterCustomCall(ctypes.Structure):
  _fields_ = [("struct_size", SIZE), ("name", ctypes.c_char_p), ("name_size", SIZE),
              ("api_version", ctypes.c_int), ("instantiate", P), ("prepare", P),
              ("initialize", P), ("execute", P)]


class RegisterType(ctypes.Structure):
  _fields_ = [("struct_size", SIZE), ("extension_start", P), ("name", ctypes.c_char_p),
              ("name_size", SIZE), ("type_id", ctypes.c_int64), ("type_info", P)]


_PyCapsule_GetPointer = ctypes.pythonapi.PyCapsule_GetPointer
_PyCapsule_GetPointer.restype = P
_PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
_PyCapsule_GetName = ctypes.pythonapi.PyCapsule_GetName
_PyCapsule_GetName.restype = ctypes.c_char_p
_PyCapsule_GetName.argtypes = [ctypes.py_object]


def pointer_of(capsule):
  """The address in a PyCapsule of any name; None for None."""
  if capsule is None:
    return None
  return _PyCapsule_GetPointer(capsule, _PyCapsule_GetName(capsule))


class Api:
  """The table of functions of the plugin."""

  _ERROR_DESTROY, _ERROR_MESSAGE, _FIRST_SLOT = 40, 48, 40

  def __init__(self, c_api):
    self._address = pointer_of(c_api)

  def _pointer_at(self, offset):
    return P.from_address(self._address + offset).value

  def extension(self, kind):
    """The addresses of the functions of an extension, by position."""
    address = self._pointer_at(8)
    while address:
      base = ExtensionBase.from_address(address)
      if base.type == kind:
        count = (base.struct_size - ctypes.sizeof(ExtensionBase)) // 8
        start = address + ctypes.sizeof(ExtensionBase)
        return [P.from_address(start + 8 * i).value for i in range(count)]
      address = base.next
    raise RuntimeError(f"the plugin has no extension {kind}")

  def call(self, function, args, holds_lock=False):
    """Calls a function of the plugin on its argument struct; RuntimeError for an error.

    It may use Python objects if it holds the interpreter's lock.
    """
    kind = ctypes.PYFUNCTYPE if holds_lock else ctypes.CFUNCTYPE
    error = kind(P, P)(function)(ctypes.addressof(args))
    if not error:
      return
    request = Error(ctypes.sizeof(Error), None, error, None, 0)
    ctypes.CFUNCTYPE(None, P)(self._pointer_at(self._ERROR_MESSAGE))(ctypes.addressof(request))
    message = ctypes.string_at(request.message, request.message_size).decode()
    ctypes.CFUNCTYPE(None, P)(self._pointer_at(self._ERROR_DESTROY))(ctypes.addressof(request))
    raise RuntimeError(message)
