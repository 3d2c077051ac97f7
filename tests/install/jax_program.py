# SPDX-License-Identifier: Apache-2.0
"""A program of JAX with what installations may lack: a compiler, LAPACK, random bits, callbacks."""
import jax
import jax.numpy as jnp
import numpy as np

x = jnp.linspace(-1, 1, 64, dtype=jnp.float32)
loss = jax.jit(lambda w: jnp.mean((jnp.tanh(w * x) - x) ** 2))
w = jnp.float32(0.5)
for _ in range(50):
  w = w - jax.grad(loss)(w)
assert loss(w) < loss(jnp.float32(0.5)) / 2, loss(w)

a = np.random.default_rng(0).standard_normal((20, 20)).astype(np.float32)
values = jnp.linalg.eigvalsh(a @ a.T)
np.testing.assert_allclose(values, np.linalg.eigvalsh(a @ a.T), rtol=1e-3, atol=1e-3)
np.testing.assert_array_equal(jax.random.bits(jax.random.key(1), (2,), "uint32"), [1883912375, 2292451390])
double = jax.pure_callback(lambda v: np.float32(2) * v, jax.ShapeDtypeStruct((), jnp.float32), jnp.float32(3))
assert double == 6, double
device = jax.devices()[0]
assert "ylem" in device.client.platform_version, device.client.platform_version
print("all as expected on", device.platform)
