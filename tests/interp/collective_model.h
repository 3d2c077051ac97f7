// SPDX-License-Identifier: Apache-2.0
// The plain model of collectives: loops over matrices of each device.
#ifndef TESTS_INTERP_COLLECTIVE_MODEL_H_
#define TESTS_INTERP_COLLECTIVE_MODEL_H_

#include <cstdint>
#include <vector>

#include "xla/literal.h"
#include "xla/shape_util.h"

namespace xla::testing {

using Ints = std::vector<int64_t>;

enum class Mode { kReplica, kPartition, kBoth, kFlattened };

// Groups of ids as groups of devices, in order of rank.
inline std::vector<Ints> DeviceGroups(Mode mode, const std::vector<Ints>& groups, int64_t replicas,
                                      int64_t partitions) {
  std::vector<Ints> result;
  for (const Ints& group : groups) {
    switch (mode) {
      case Mode::kReplica:
        for (int64_t p = 0; p < partitions; ++p) {
          result.emplace_back();
          for (const int64_t r : group) result.back().push_back(r * partitions + p);
        }
        break;
      case Mode::kPartition:
        for (int64_t r = 0; r < replicas; ++r) {
          result.emplace_back();
          for (const int64_t p : group) result.back().push_back(r * partitions + p);
        }
        break;
      case Mode::kBoth:
        result.emplace_back();
        for (const int64_t r : group) {
          for (int64_t p = 0; p < partitions; ++p) result.back().push_back(r * partitions + p);
        }
        break;
      case Mode::kFlattened:
        result.push_back(group);
        break;
    }
  }
  return result;
}

// A matrix of a device.
struct Matrix {
  int64_t rows = 0, columns = 0;
  Ints values;
  int64_t& at(int64_t r, int64_t c) { return values[static_cast<size_t>(r * columns + c)]; }
  int64_t at(int64_t r, int64_t c) const { return values[static_cast<size_t>(r * columns + c)]; }
  bool operator==(const Matrix&) const = default;
};

inline Matrix Zeros(int64_t rows, int64_t columns) {
  return {rows, columns, Ints(static_cast<size_t>(rows * columns), 0)};
}

// Not commutative, so that the order of devices shows: f(a, b) = 3a + b, in 32 bits.
inline int64_t Reduce(int64_t a, int64_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(3 * a + b));
}

// As a tree: the largest power of two of devices that is less than all of them, and the others.
inline Matrix Reduced(const std::vector<Matrix>& in, const Ints& group) {
  if (group.size() == 1) return in[static_cast<size_t>(group[0])];
  std::ptrdiff_t half = 1;
  while (2 * half < static_cast<std::ptrdiff_t>(group.size())) half *= 2;
  Matrix sum = Reduced(in, Ints(group.begin(), group.begin() + half));
  const Matrix rest = Reduced(in, Ints(group.begin() + half, group.end()));
  for (size_t i = 0; i < sum.values.size(); ++i)
    sum.values[i] = Reduce(sum.values[i], rest.values[i]);
  return sum;
}

// The part `index` of `count` along a dimension.
inline Matrix Part(const Matrix& whole, int64_t dimension, int64_t index, int64_t count) {
  Matrix part = dimension == 0 ? Zeros(whole.rows / count, whole.columns)
                               : Zeros(whole.rows, whole.columns / count);
  for (int64_t r = 0; r < part.rows; ++r) {
    for (int64_t c = 0; c < part.columns; ++c) {
      part.at(r, c) = dimension == 0 ? whole.at(index * part.rows + r, c)
                                     : whole.at(r, index * part.columns + c);
    }
  }
  return part;
}

inline Matrix Joined(const std::vector<Matrix>& parts, int64_t dimension) {
  Matrix whole = dimension == 0
                     ? Zeros(parts[0].rows * static_cast<int64_t>(parts.size()), parts[0].columns)
                     : Zeros(parts[0].rows, parts[0].columns * static_cast<int64_t>(parts.size()));
  for (int64_t k = 0; k < static_cast<int64_t>(parts.size()); ++k) {
    const Matrix& part = parts[static_cast<size_t>(k)];
    for (int64_t r = 0; r < part.rows; ++r) {
      for (int64_t c = 0; c < part.columns; ++c) {
        if (dimension == 0) {
          whole.at(k * part.rows + r, c) = part.at(r, c);
        } else {
          whole.at(r, k * part.columns + c) = part.at(r, c);
        }
      }
    }
  }
  return whole;
}

inline Literal ToLiteral(const Matrix& matrix) {
  Literal literal(ShapeUtil::MakeShape(S32, {matrix.rows, matrix.columns}));
  for (size_t i = 0; i < matrix.values.size(); ++i)
    literal.data<int32_t>()[i] = static_cast<int32_t>(matrix.values[i]);
  return literal;
}

}  // namespace xla::testing

#endif  // TESTS_INTERP_COLLECTIVE_MODEL_H_
