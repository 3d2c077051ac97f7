# SPDX-License-Identifier: Apache-2.0
"""Programs of tests/reports by name, and what they check; scripts/make_reports.py writes them."""
import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

jax.config.update("jax_enable_x64", True)
REPORTS = {}
f32 = np.float32


def report(name, title, form="hlo"):
    """`form`: mlir for StableHLO, of functions that jaxlib's translation to HLO expands or dies of."""

    def add(function):
        REPORTS[name] = (title, function, form)
        return function

    return add


class Checks:
    """The inputs of a program and its checks, while it is traced."""

    def input(self, value):
        # A barrier keeps passes from computing with it.
        return lax.optimization_barrier(jnp.asarray(value))

    def check(self, target, got, want):
        got = jnp.asarray(got)
        want = np.asarray(want)
        assert got.shape == want.shape, (got.shape, want.shape)
        with np.errstate(all="ignore"):
            want = want.astype(got.dtype)
        jax.ffi.ffi_call(target, (), has_side_effect=True)(got, want)

    def eq(self, got, want):
        self.check("check.expect_eq", got, want)

    def close(self, got, want, ulp=3):
        self.check(f"check.expect_close|max_ulp_difference={ulp}", got, want)

    def almost(self, got, want, tolerance):
        self.check(f"check.expect_almost_eq|tolerance={tolerance}", got, want)
