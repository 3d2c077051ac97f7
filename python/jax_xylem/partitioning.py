# SPDX-License-Identifier: Apache-2.0
"""jax.experimental.custom_partitioning: its programs of one partition, as text of MLIR.

JAX hands them over as bytecode of the MLIR that jaxlib was built with, which is not stable. XLA's own
partitioner reads text as well, so that programs for other platforms are not affected.
"""

from jax._src import custom_partitioning

from jax_xylem import replacing


def register():
  mlir = custom_partitioning.mlir
  custom_partitioning.mlir = replacing.Module(
      mlir, module_to_bytecode=lambda module: str(module).encode())
