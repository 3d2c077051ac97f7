# SPDX-License-Identifier: Apache-2.0
"""What JAX must know of a platform that it does not come with."""

from jax._src.interpreters import mlir


def register(c_api):
  del c_api
  if "xylem" not in mlir._platforms_with_donation:
    mlir._platforms_with_donation.append("xylem")
