# SPDX-License-Identifier: Apache-2.0
"""Functions of JAX that this package extends or replaces."""

import sys


def everywhere(name, original, replacement):
  """In all modules that hold the function under its name: some were imported before the plugin."""
  for module in list(sys.modules.values()):
    if getattr(module, "__dict__", {}).get(name) is original:
      setattr(module, name, replacement)


class Module:
  """A module with some functions replaced, for one that imported it."""

  def __init__(self, module, **replacements):
    self._module = module
    self.__dict__.update(replacements)

  def __getattr__(self, name):
    return getattr(self._module, name)
