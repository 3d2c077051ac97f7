# SPDX-License-Identifier: Apache-2.0
"""What libraries compute: products, convolutions, windows, sorts, Fourier transforms, linear algebra."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from draw import idiom


@idiom
def product(draw, scale):
  dtype = draw.pick(np.float32, np.float32, np.float32, jnp.bfloat16, np.float64, np.int8, np.int32, np.complex64)
  m, n, k = (draw.pick(draw.between(1, 40), draw.between(8, 300) * scale // 2, 24 * scale) for _ in range(3))
  batch = draw.pick(1, 1, draw.between(2, 64))
  m, n, k = max(1, m), max(1, n), max(1, k)
  while batch * m * n * k > 3e8:
    m, n, k, batch = (max(1, v // 2) for v in (m, n, k, batch))
  left, right = draw.pick("bmk", "bkm", "mbk", "kbm"), draw.pick("bkn", "bnk", "kn", "nk")
  after = draw.pick("none", "bias", "relu", "sum", "softmax")
  sizes = dict(b=batch, m=m, n=n, k=k)
  total = jnp.int32 if dtype is np.int8 else None

  def function(x, y, bias):
    z = jnp.einsum(f"{left},{right}->bmn", x, y, preferred_element_type=total)
    if after == "bias":
      z = z + bias.astype(z.dtype)
    elif after == "relu" and z.dtype.kind != "c":
      z = jnp.maximum(z, 0)
    elif after == "sum":
      z = jnp.sum(z, -1)
    elif after == "softmax" and z.dtype.kind == "f":
      z = jax.nn.softmax(z, -1)
    return z

  make = lambda spec: draw.normal(*(sizes[c] for c in spec))
  as_type = lambda x: (x * 5).astype(dtype) if np.dtype(dtype).kind == "i" else x.astype(dtype)
  return function, [as_type(make(left)), as_type(make(right)), make("n")]


LAYOUTS = {1: (("NWC", "WIO", "NWC"), ("NCW", "OIW", "NCW")),
           2: (("NHWC", "HWIO", "NHWC"), ("NCHW", "OIHW", "NCHW")),
           3: (("NDHWC", "DHWIO", "NDHWC"), ("NCDHW", "OIDHW", "NCDHW"))}


@idiom
def convolution(draw, scale):
  rank = draw.pick(1, 2, 2, 2, 3)
  layout = draw.pick(*LAYOUTS[rank])
  size = {1: 64 * scale, 2: int(14 * scale**0.5) + 2, 3: int(6 * scale ** (1 / 3)) + 3}[rank]
  inputs, outputs, batch = draw.between(1, 96), draw.between(1, 96), draw.pick(1, 2, 8)
  taps = {1: draw.between(1, 32), 2: draw.pick(1, 2, 3, 3, 5, 7), 3: draw.pick(1, 2, 3)}[rank]
  stride, dilation = draw.pick(1, 1, 2, 3, taps), draw.pick(1, 1, 1, 2)
  kind = draw.pick("plain", "plain", "transposed", "grouped", "depthwise")
  padding = draw.pick("SAME", "VALID")
  after = draw.pick("none", "bias_relu", "norm")
  if kind == "grouped":
    inputs, outputs = 4 * (inputs // 4 + 1), 4 * (outputs // 4 + 1)
  if kind == "depthwise":
    outputs = inputs
  groups = {"grouped": 4, "depthwise": inputs}.get(kind, 1)
  while batch > 1 and float(batch) * size**rank * taps**rank * inputs * outputs / groups > 1e8:
    batch //= 2
  while float(size)**rank * taps**rank * inputs * outputs / groups > 2e8:
    inputs, outputs = (inputs + 1) // 2, (outputs + 1) // 2
    if kind == "grouped":
      inputs, outputs = 4 * (inputs // 4 + 1), 4 * (outputs // 4 + 1)
    if kind == "depthwise":
      outputs = groups = inputs
  size = max(size, taps * dilation)
  sizes = lambda spec, n, c, s, i, o: [dict(N=n, C=c, I=i, O=o).get(letter, s) for letter in spec]

  def function(x, w, bias):
    if kind == "transposed":
      y = lax.conv_transpose(x, w, (stride,) * rank, padding, rhs_dilation=(dilation,) * rank, dimension_numbers=layout)
    else:
      y = lax.conv_general_dilated(x, w, (stride,) * rank, padding, rhs_dilation=(dilation,) * rank,
                                   dimension_numbers=layout, feature_group_count=groups)
    if after == "bias_relu":
      channel = layout[2].index("C")
      y = jax.nn.relu(y + bias.reshape([-1 if d == channel else 1 for d in range(rank + 2)]))
    elif after == "norm":
      axes = tuple(d for d in range(rank + 2) if d != layout[2].index("C"))
      y = (y - y.mean(axes, keepdims=True)) / jnp.sqrt(y.var(axes, keepdims=True) + 1e-5)
    return y

  x = draw.normal(*sizes(layout[0], batch, inputs, size, 0, 0))
  w = draw.normal(*sizes(layout[1], 0, 0, taps, inputs // groups, outputs))
  return function, [x, w, draw.normal(outputs)]


@idiom
def window(draw, scale):
  kind = draw.pick("max_pool", "avg_pool", "moving_sum", "cumsum", "cumprod", "cummax", "cumlogsumexp", "moving_max",
                   "integral", "blur", "total_variation", "laplace", "correlate", "patches")
  size, stride = draw.pick(2, 3, 5, draw.between(2, 200)), draw.pick(1, 1, 2)
  axis = draw.pick(0, 1)
  n = 6000 * scale
  m = draw.between(2, 200)

  def function(x):
    image = x[None, :, :, None]
    small = min(size, 7, *x.shape)
    if kind == "max_pool":
      return lax.reduce_window(image, -jnp.inf, lax.max, (1, small, small, 1), (1, stride, stride, 1), "SAME")
    if kind == "avg_pool":
      return lax.reduce_window(image, 0.0, lax.add, (1, small, small, 1), (1, stride, stride, 1), "VALID")
    if kind in ("moving_sum", "moving_max"):
      length = min(size, x.shape[axis])
      dims = (length, 1) if axis == 0 else (1, length)
      if kind == "moving_sum":
        return lax.reduce_window(x, 0.0, lax.add, dims, (1, 1), "VALID")
      return lax.reduce_window(x, -jnp.inf, lax.max, dims, (1, 1), "SAME")
    if kind in ("cumsum", "cumprod", "cummax", "cumlogsumexp"):
      return getattr(lax, kind)(x, axis=axis, reverse=stride == 2)
    if kind == "integral":
      return jnp.cumsum(jnp.cumsum(x, 0), 1)
    if kind == "blur":
      return sum(jnp.roll(x, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1)) / 9
    if kind == "total_variation":
      return jnp.sum(jnp.sqrt((x[1:, :-1] - x[:-1, :-1]) ** 2 + (x[:-1, 1:] - x[:-1, :-1]) ** 2 + 1e-4))
    if kind == "laplace":
      y = jnp.pad(x, 1)
      return y[2:, 1:-1] + y[:-2, 1:-1] + y[1:-1, 2:] + y[1:-1, :-2] - 4 * x
    if kind == "correlate":
      return jax.vmap(lambda r: jnp.convolve(r, jnp.ones(min(size, 30)), mode="same"))(x)
    return lax.conv_general_dilated_patches(image, (small, small), (stride, stride), "SAME",
                                            dimension_numbers=("NHWC", "HWIO", "NHWC"))

  return function, [draw.normal(max(8, n // m), m) if draw.chance(0.5) else draw.normal(m, max(8, n // m))]


@idiom
def sorting(draw, scale):
  kind = draw.pick("sort", "argsort", "lexsort", "top_k", "top_k_matrix", "approx_max", "approx_min", "sort_pairs",
                   "median", "percentile", "rank", "stable_two_keys", "partition", "columns", "sort_by_function")
  dtype = draw.pick(np.float32, np.float32, np.int32, jnp.bfloat16, np.float64, np.float16, np.uint8)
  n, k = 3000 * scale, draw.pick(1, 5, 50, 500)
  few = draw.chance(0.3)

  def function(x, y, z):
    if kind == "sort":
      return jnp.sort(x)
    if kind == "argsort":
      return jnp.argsort(x, descending=few)
    if kind == "lexsort":
      return jnp.lexsort((y, x))
    if kind == "top_k":
      return lax.top_k(x, k)
    if kind == "top_k_matrix":
      return lax.top_k(z, min(k, z.shape[-1]))
    if kind == "approx_max":
      return lax.approx_max_k(z.astype(np.float32), min(k, z.shape[-1]))
    if kind == "approx_min":
      return lax.approx_min_k(y, k)
    if kind == "sort_pairs":
      return lax.sort((x, y), num_keys=1)
    if kind == "stable_two_keys":
      return lax.sort((x, y, jnp.arange(n)), num_keys=2)
    if kind == "median":
      return jnp.median(z.astype(np.float32), axis=-1)
    if kind == "percentile":
      return jnp.percentile(y, jnp.array([5., 50., 95.]))
    if kind == "rank":
      return jnp.argsort(jnp.argsort(x))
    if kind == "partition":
      return jnp.partition(z.astype(np.float32), min(10, z.shape[-1] - 1))
    if kind == "columns":
      return jnp.sort(z, axis=0)
    return x[jnp.argsort(jnp.sin(y))]

  x = draw.normal(n) * (3 if few else 1000)
  m = draw.between(3, 1000)
  as_type = lambda a: np.abs(a).astype(dtype) if np.dtype(dtype).kind == "u" else a.astype(dtype)
  return function, [as_type(x), np.round(draw.normal(n)) if few else draw.normal(n),
                    as_type(draw.normal(max(1, n // m), m) * 100)]


@idiom
def fourier(draw, scale):
  n = draw.pick(64, 100, 97, 128, 360, 1000) * scale
  kind = draw.pick("fft", "ifft", "rfft", "irfft", "fft2", "convolve", "stft", "dct", "filter", "power")
  batch = draw.between(1, 40)

  def function(x):
    if kind == "fft2":
      return jnp.fft.fft2(x)
    if kind == "irfft":
      return jnp.fft.irfft(x + 1j * x)
    if kind == "convolve":
      return jax.scipy.signal.fftconvolve(x, x[:, :17], mode="same", axes=1)
    if kind == "stft":
      return jax.scipy.signal.stft(x.reshape(-1), nperseg=64)[2]
    if kind == "dct":
      return jax.scipy.fft.dct(x)
    if kind == "filter":
      return jnp.fft.irfft(jnp.fft.rfft(x) * jnp.exp(-jnp.arange(x.shape[-1] // 2 + 1) / 50.0), x.shape[-1])
    if kind == "power":
      return jnp.abs(jnp.fft.rfft(x)) ** 2
    return getattr(jnp.fft, kind)(x)

  return function, [draw.normal(batch, n)]


@idiom
def linear_algebra(draw, scale):
  batch = draw.pick((), (), (draw.between(2, 200),))
  n = (draw.pick(2, 3, 5, 8, 12) if batch else 8) * scale
  kind = draw.pick("cholesky", "solve", "inverse", "qr", "svd", "eigh", "determinant", "triangular", "expm", "lstsq",
                   "pinv", "slogdet", "gp", "lu", "tridiagonal", "mahalanobis", "matrix_power", "kron")
  while batch and batch[0] * n**3 > 2e7:
    batch = (max(1, batch[0] // 2),)

  def function(a, b):
    if kind == "cholesky":
      return jnp.linalg.cholesky(a)
    if kind == "solve":
      return jnp.linalg.solve(a, b)
    if kind == "inverse":
      return jnp.linalg.inv(a)
    if kind == "qr":
      return jnp.linalg.qr(a)
    if kind == "svd":
      return jnp.linalg.svd(a)
    if kind == "eigh":
      return jnp.linalg.eigh(a)
    if kind == "determinant":
      return jnp.linalg.det(a / 2)
    if kind == "triangular":
      return jax.scipy.linalg.solve_triangular(a, b, lower=True)
    if kind == "expm":
      return jax.scipy.linalg.expm(a / 4)
    if kind == "lstsq":
      return jnp.linalg.qr(a)[1] @ b if batch else jnp.linalg.lstsq(a, b)[0]
    if kind == "pinv":
      return jnp.linalg.pinv(a)
    if kind == "slogdet":
      return jnp.linalg.slogdet(a)
    if kind == "gp":
      factor = jnp.linalg.cholesky(a)
      return jax.scipy.linalg.cho_solve((factor, True), b), jnp.sum(jnp.log(jnp.diagonal(factor, axis1=-2, axis2=-1)))
    if kind == "lu":
      return jax.scipy.linalg.lu_factor(a)
    if kind == "tridiagonal":
      d = jnp.diagonal(a, axis1=-2, axis2=-1)
      return lax.linalg.tridiagonal_solve(0.1 * d, d, 0.1 * d, b)
    if kind == "mahalanobis":
      return jnp.sum(b * jnp.linalg.solve(a, b), -2)
    if kind == "matrix_power":
      return jnp.linalg.matrix_power(a / n, 5)
    return jnp.kron(a.reshape(-1, n, n)[0][:8, :8], jnp.eye(4))

  return function, [draw.definite(*batch, n, n), draw.normal(*batch, n, draw.pick(1, 3, n))]


@idiom
def network(draw, scale):
  """A few layers and their loss; with gradients, a step of training."""
  batch, width, layers = 8 * scale, draw.between(8, 200), draw.between(1, 5)
  activation = draw.pick(jax.nn.relu, jax.nn.gelu, jnp.tanh, jax.nn.silu, jax.nn.elu)
  loss = draw.pick("cross_entropy", "squares", "huber")
  norm, residual, dropout = draw.chance(0.3), draw.chance(0.4), draw.chance(0.3)

  def function(x, labels, *weights):
    for i, w in enumerate(weights):
      y = activation(x @ w)
      if norm:
        y = (y - y.mean(-1, keepdims=True)) / (y.std(-1, keepdims=True) + 1e-3)
      if dropout:
        y = jnp.where(jax.random.bernoulli(jax.random.key(i), 0.9, y.shape), y / 0.9, 0)
      x = x + y if residual else y
    if loss == "cross_entropy":
      return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(x), labels[:, None], 1))
    target = jax.nn.one_hot(labels, width)
    if loss == "squares":
      return jnp.mean((x - target) ** 2)
    error = jnp.abs(x - target)
    return jnp.mean(jnp.where(error < 1, error**2 / 2, error - 0.5))

  return function, [draw.normal(batch, width), draw.integers(width, batch)] + [
      draw.normal(width, width) / np.sqrt(width) for _ in range(layers)]
