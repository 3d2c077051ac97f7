# SPDX-License-Identifier: Apache-2.0
"""The name by which JAX knows the platform. initialize() sets it before it imports the modules that
take it from here; it stays for the process.
"""

XYLEM = "xylem"
CPU = "cpu"

PLATFORM = XYLEM


def checked(name):
  if name not in (XYLEM, CPU):
    raise ValueError(f'the platform cannot be called "{name}"; it is {XYLEM} or {CPU}')
  return name
