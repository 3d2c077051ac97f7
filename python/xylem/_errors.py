# SPDX-License-Identifier: Apache-2.0
"""The errors of the library as exceptions: a class for each code, with the text of the command."""

__all__ = [
    "XylemError", "Aborted", "AlreadyExists", "Cancelled", "DataLoss", "DeadlineExceeded",
    "FailedPrecondition", "Internal", "InvalidArgument", "NotFound", "OutOfRange",
    "PermissionDenied", "ResourceExhausted", "Unauthenticated", "Unavailable", "Unimplemented",
    "Unknown",
]


class XylemError(Exception):
  """Any error of the library. `code` is the name of its status: INVALID_ARGUMENT."""

  code = "UNKNOWN"


class Cancelled(XylemError):
  code = "CANCELLED"


class Unknown(XylemError):
  code = "UNKNOWN"


class InvalidArgument(XylemError, ValueError):
  code = "INVALID_ARGUMENT"


class DeadlineExceeded(XylemError, TimeoutError):
  code = "DEADLINE_EXCEEDED"


class NotFound(XylemError, LookupError):
  code = "NOT_FOUND"


class AlreadyExists(XylemError):
  code = "ALREADY_EXISTS"


class PermissionDenied(XylemError):
  code = "PERMISSION_DENIED"


class ResourceExhausted(XylemError, MemoryError):
  code = "RESOURCE_EXHAUSTED"


class FailedPrecondition(XylemError):
  code = "FAILED_PRECONDITION"


class Aborted(XylemError):
  code = "ABORTED"


class OutOfRange(XylemError, IndexError):
  code = "OUT_OF_RANGE"


class Unimplemented(XylemError, NotImplementedError):
  code = "UNIMPLEMENTED"


class Internal(XylemError, RuntimeError):
  code = "INTERNAL"


class Unavailable(XylemError):
  code = "UNAVAILABLE"


class DataLoss(XylemError):
  code = "DATA_LOSS"


class Unauthenticated(XylemError):
  code = "UNAUTHENTICATED"


# By the number of the status code, from 1 on.
_CLASSES = (Cancelled, Unknown, InvalidArgument, DeadlineExceeded, NotFound, AlreadyExists,
            PermissionDenied, ResourceExhausted, FailedPrecondition, Aborted, OutOfRange,
            Unimplemented, Internal, Unavailable, DataLoss, Unauthenticated)


def make(code, message):
  """The exception for a status."""
  return (_CLASSES[code - 1] if 0 < code <= len(_CLASSES) else Unknown)(message)
