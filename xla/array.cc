// SPDX-License-Identifier: Apache-2.0
// Random values for arrays.
#include "xla/array.h"

#include <cstdint>
#include <random>
#include <vector>

namespace xla::array_internal {

std::vector<double> NormalDraws(int64_t count, double mean, double stddev, int seed) {
  std::mt19937 engine(static_cast<unsigned>(seed));
  std::normal_distribution<double> distribution(mean, stddev);
  std::vector<double> draws(count);
  for (double& draw : draws) draw = distribution(engine);
  return draws;
}

std::vector<double> UniformDraws(int64_t count, double low, double high, int seed) {
  std::mt19937 engine(static_cast<unsigned>(seed));
  std::uniform_real_distribution<double> distribution(low, high);
  std::vector<double> draws(count);
  for (double& draw : draws) draw = distribution(engine);
  return draws;
}

}  // namespace xla::array_internal
