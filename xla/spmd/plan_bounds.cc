// SPDX-License-Identifier: Apache-2.0
#include "xla/spmd/plan_bounds.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

namespace xla::spmd {

ProductBound BoundOfProduct(double m, double n, double k, double devices, double memory) {
  ProductBound bound;
  if (devices <= 1) return bound;
  std::array<double, 3> sizes = {m, n, k};
  std::sort(sizes.begin(), sizes.end(), std::greater<>());
  const auto [a, b, c] = sizes;  // a >= b >= c
  // What is needed, less the share of all three matrices that is held.
  double needed = 0;
  if (devices <= a / b) {
    bound.regime = "1d";
    needed = (a * b + a * c) / devices + b * c;
  } else if (devices <= a * b / (c * c)) {
    bound.regime = "2d";
    needed = 2 * std::sqrt(a * b * c * c / devices) + a * b / devices;
  } else {
    bound.regime = "3d";
    needed = 3 * std::pow(a * b * c / devices, 2.0 / 3);
  }
  bound.numbers = std::max(needed - (a * b + a * c + b * c) / devices, 0.0);
  if (memory > 0) {
    const double limited = 2 * a * b * c / (devices * std::sqrt(memory)) - memory;
    if (limited > bound.numbers) bound = {limited, "memory"};
  }
  return bound;
}

}  // namespace xla::spmd
