# SPDX-License-Identifier: Apache-2.0
"""jax.extend.xla: functions of the user that change programs as they are compiled."""

from jax._src import xla_bridge

from jax_xylem import names
from jax_xylem import replacing


def register(c_api):
  """Under the name "cpu", JAX registers them with its own backend; elsewhere with the plugin."""
  try:
    from jax._src import xla_transform
  except ImportError:  # an earlier JAX
    return
  if names.PLATFORM != names.CPU:
    return
  xla = xla_transform._xla

  def with_plugin(function):
    def call(*args):
      # JAX 0.10 finds the plugin by a client of it.
      plugin = c_api if hasattr(xla_transform, "_jax") else xla_bridge.get_backend(names.CPU)
      return function(plugin, *args)

    return call

  xla_transform._xla = replacing.Module(
      xla,
      register_xla_transform=with_plugin(xla.register_xla_transform_c_api),
      clear_xla_transform=with_plugin(xla.clear_xla_transform_c_api))
