// SPDX-License-Identifier: Apache-2.0
// Radices, roots, and convolutions for large primes.
#include "xla/kernels/fft/fft_plan.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

namespace xla::kernels {
namespace {

std::vector<int64_t> PrimeFactors(int64_t n) {
  std::vector<int64_t> factors;
  for (int64_t factor = 2; factor * factor <= n; ++factor) {
    for (; n % factor == 0; n /= factor) factors.push_back(factor);
  }
  if (n > 1) factors.push_back(n);
  return factors;
}

// Estimates the time of a transform of n rows, in an arbitrary unit; infinite if a prime factor is
// above `largest`.
double CostOf(int64_t n, int64_t largest) {
  double per_row = 0;
  for (const int64_t factor : PrimeFactors(n)) {
    if (factor > largest) return std::numeric_limits<double>::infinity();
    per_row += factor == 2 ? 1.2 : factor == 3 ? 2.2 : 0.8 * static_cast<double>(factor);
  }
  return (per_row + 2) * static_cast<double>(n);
}

int64_t PowerModulo(int64_t base, int64_t exponent, int64_t modulus) {
  int64_t power = 1;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 != 0) power = power * base % modulus;
    base = base * base % modulus;
  }
  return power;
}

// Returns a number whose powers modulo the prime are all numbers except zero.
int64_t GeneratorOf(int64_t prime) {
  const std::vector<int64_t> factors = PrimeFactors(prime - 1);
  int64_t generator = 2;
  while (std::any_of(factors.begin(), factors.end(), [&](int64_t factor) {
    return PowerModulo(generator, (prime - 1) / factor, prime) == 1;
  })) {
    ++generator;
  }
  return generator;
}

// y[j] = sum over k < n of x[k * stride] * root k * j; roots[i * root_stride] are those of n.
void TransformRecursively(int64_t n, const std::complex<double>* x, int64_t stride,
                          const std::complex<double>* roots, int64_t root_stride,
                          std::complex<double>* y) {
  if (n == 1) {
    *y = *x;
    return;
  }
  int64_t radix = n % 4 == 0 ? 4 : 2;
  while (n % radix != 0) ++radix;
  const int64_t m = n / radix;
  for (int64_t k = 0; k < radix; ++k) {
    TransformRecursively(m, x + k * stride, stride * radix, roots, root_stride * radix, y + k * m);
  }
  std::vector<std::complex<double>> terms(static_cast<size_t>(radix));
  for (int64_t j = 0; j < m; ++j) {
    for (int64_t k = 0; k < radix; ++k) terms[k] = y[k * m + j] * roots[k * j * root_stride];
    for (int64_t l = 0; l < radix; ++l) {
      std::complex<double> sum = terms[0];
      for (int64_t k = 1; k < radix; ++k) sum += terms[k] * roots[k * l * m % n * root_stride];
      y[j + m * l] = sum;
    }
  }
}

}  // namespace

std::complex<double> RootOf(int64_t n, int64_t k) {
  const int64_t eighth = 8 * k / n, rest = 8 * k % n;
  const bool mirrored = (eighth & 1) != 0;
  const double angle = static_cast<double>(mirrored ? n - rest : rest) / static_cast<double>(n) *
                       (std::acos(-1.0) / 4);
  double c = std::cos(angle), s = std::sin(angle);
  if (mirrored) std::swap(c, s);
  const double re[] = {c, -s, -c, s}, im[] = {-s, -c, s, c};
  return {re[eighth / 2], im[eighth / 2]};
}

template <typename T>
std::vector<T> RootsOf(int64_t n, int64_t count) {
  std::vector<T> roots(2 * count);
  for (int64_t k = 0; k < count; ++k) {
    const std::complex<double> root = RootOf(n, k);
    roots[2 * k] = static_cast<T>(root.real());
    roots[2 * k + 1] = static_cast<T>(root.imag());
  }
  return roots;
}
template std::vector<float> RootsOf<float>(int64_t n, int64_t count);
template std::vector<double> RootsOf<double>(int64_t n, int64_t count);

std::vector<std::complex<double>> TransformOf(const std::vector<std::complex<double>>& x) {
  const auto n = static_cast<int64_t>(x.size());
  std::vector<std::complex<double>> roots(x.size()), y(x.size());
  for (int64_t k = 0; k < n; ++k) roots[k] = RootOf(n, k);
  TransformRecursively(n, x.data(), 1, roots.data(), 1, y.data());
  return y;
}

int64_t SmoothLength(int64_t least, int64_t unit) {
  constexpr int64_t kLargest = 7;
  int64_t best = 0;
  double best_cost = std::numeric_limits<double>::infinity();
  const int64_t first = (least + unit - 1) / unit;
  // The range includes a power of two.
  for (int64_t i = first; i <= 2 * first; ++i) {
    // Longer lengths could only be better by their factors.
    if (3 * i > 4 * first + 3 && best > 0) break;
    int64_t rest = i;
    for (const int64_t factor : {2, 3, 5, 7}) {
      while (rest % factor == 0) rest /= factor;
    }
    if (rest != 1) continue;
    const double cost = CostOf(i * unit, kLargest);
    if (cost < best_cost) {
      best_cost = cost;
      best = i * unit;
    }
  }
  return best;
}

namespace {

// Returns the length of the convolution that computes a transform of prime length.
int64_t ConvolutionLength(int64_t prime) {
  const int64_t count = prime - 1, padded = SmoothLength(2 * count - 1, 1);
  return CostOf(count, kMaxLaneRadix) <= CostOf(padded, kMaxLaneRadix) ? count : padded;
}

}  // namespace

double LaneTransformCost(int64_t n) {
  // Two transforms of the convolution, and the copies and products between them.
  constexpr double kRow = 6;
  double cost = 0;
  int64_t smooth = n;
  for (const int64_t factor : PrimeFactors(n)) {
    if (factor <= kMaxLaneRadix) continue;
    smooth /= factor;
    const int64_t length = ConvolutionLength(factor);
    cost += static_cast<double>(n / factor) *
            (2 * CostOf(length, kMaxLaneRadix) + static_cast<double>(length) * kRow);
  }
  return cost + CostOf(smooth, kMaxLaneRadix) * static_cast<double>(n / smooth);
}

template <typename T>
LanePlan<T>::LanePlan(int64_t n) : n_(n), roots_(RootsOf<T>(n, n)) {
  for (const int64_t factor : PrimeFactors(n)) {
    if (factor > kMaxLaneRadix) {
      radices_.push_back(static_cast<int>(factor));
      n /= factor;
      if (primes_.empty() || primes_.back().prime != factor) AddPrime(factor);
    }
  }
  for (int radix = 3; radix <= kMaxLaneRadix; radix += 2) {
    for (; n % radix == 0; n /= radix) radices_.push_back(radix);
  }
  // Takes factors of eight, unless a factor of two would be left, which makes two fours with one of
  // them.
  while (n % 8 == 0 && n != 16) {
    radices_.push_back(8);
    n /= 8;
  }
  for (const int radix : {4, 2}) {
    for (; n % radix == 0; n /= radix) radices_.push_back(radix);
  }
}

template <typename T>
void LanePlan<T>::AddPrime(int64_t prime) {
  const int64_t count = prime - 1, length = ConvolutionLength(prime);
  Convolution convolution = {std::make_unique<const LanePlan>(length), {}, {}};
  const int64_t generator = GeneratorOf(prime);
  for (int64_t r = 0, power = 1; r < count; ++r, power = power * generator % prime)
    convolution.order.push_back(static_cast<int32_t>(power));
  // Root g^-q at q. If the terms are padded with zeros, those of q < 0 are at the end.
  std::vector<std::complex<double>> factors(length);
  const double scale = 1 / static_cast<double>(length);
  for (int64_t q = 0; q < count; ++q) {
    const std::complex<double> root = RootOf(prime, convolution.order[(count - q) % count]) * scale;
    factors[q] = root;
    if (q > 0) factors[length - count + q] = root;
  }
  for (const std::complex<double> value : TransformOf(factors)) {
    convolution.spectrum.push_back(static_cast<T>(value.real()));
    convolution.spectrum.push_back(static_cast<T>(value.imag()));
  }
  prime_rows_ = std::max(prime_rows_, 2 * length);
  primes_.push_back({prime, convolution.plan->Lanes(false, T(1)), convolution.order.data(),
                     convolution.spectrum.data()});
  convolutions_.push_back(std::move(convolution));
}

template class LanePlan<float>;
template class LanePlan<double>;

}  // namespace xla::kernels
