// SPDX-License-Identifier: Apache-2.0
// Array2D<T>: an Array of rank 2, sizes (y, x).
#ifndef XLA_ARRAY2D_H_
#define XLA_ARRAY2D_H_

#include <cstdint>
#include <initializer_list>
#include <memory>

#include "xla/array.h"

namespace xla {

template <typename T>
class Array2D : public Array<T> {
 public:
  Array2D() : Array<T>({0, 0}) {}
  Array2D(int64_t n1, int64_t n2) : Array<T>({n1, n2}) {}
  Array2D(int64_t n1, int64_t n2, T value) : Array<T>({n1, n2}, value) {}
  template <typename D = T>
  Array2D(std::initializer_list<std::initializer_list<D>> values) : Array<T>(values) {}

  int64_t n1() const { return this->dim(0); }
  int64_t n2() const { return this->dim(1); }
  int64_t height() const { return n1(); }
  int64_t width() const { return n2(); }

  // 0, 1, 2, ... in row y, plus 1000 * y: every element tells its place.
  void FillUnique(T start_value = 0) {
    for (int64_t y = 0; y < n1(); ++y) {
      for (int64_t x = 0; x < n2(); ++x) (*this)(y, x) = static_cast<T>(start_value + y * 1000 + x);
    }
  }
};

// Values from `from` to `to` in equal steps, in row-major order.
template <typename T>
std::unique_ptr<Array2D<T>> MakeLinspaceArray2D(double from, double to, int64_t n1, int64_t n2) {
  auto array = std::make_unique<Array2D<T>>(n1, n2);
  const int64_t count = n1 * n2;
  const double step = count > 1 ? (to - from) / static_cast<double>(count - 1) : 0.0;
  for (int64_t i = 0; i < count; ++i)
    array->data()[i] = static_cast<T>(from + static_cast<double>(i) * step);
  return array;
}

}  // namespace xla

#endif  // XLA_ARRAY2D_H_
