// SPDX-License-Identifier: Apache-2.0
// Array2D<T>: an Array of rank 2, sizes (y, x).
#ifndef XLA_ARRAY2D_H_
#define XLA_ARRAY2D_H_

#include <cstdint>
#include <initializer_list>
#include <memory>

#include "xla/array.h"
#include "xla/util.h"

namespace xla {

template <typename T>
class Array2D : public Array<T> {
 public:
  Array2D() : Array<T>({0, 0}) {}
  Array2D(int64_t n1, int64_t n2) : Array<T>({n1, n2}) {}
  Array2D(int64_t n1, int64_t n2, T value) : Array<T>({n1, n2}, value) {}
  Array2D(array_internal::List2<T> values) : Array<T>(values) {}
  template <typename T2, array_internal::IfFloatList<T, T2> = true>
  Array2D(std::initializer_list<std::initializer_list<T2>> values) : Array<T>(values) {}

  int64_t n1() const { return this->dim(0); }
  int64_t n2() const { return this->dim(1); }
  int64_t height() const { return n1(); }
  int64_t width() const { return n2(); }

  // Every element tells its place: x in the low bits, then y, plus start_value.
  void FillUnique(T start_value = T(0)) {
    const int shift = Log2Ceiling<uint64_t>(n2());
    this->Each([&](int64_t y, int64_t x, T* value) {
      *value = static_cast<T>(static_cast<T>((y << shift) | x) + start_value);
    });
  }
  using Array<T>::Each;
  // Calls f(y, x, &value).
  void Each(absl::FunctionRef<void(int64_t, int64_t, T*)> f) {
    for (int64_t y = 0; y < n1(); ++y) {
      for (int64_t x = 0; x < n2(); ++x) {
        T value = (*this)(y, x);
        f(y, x, &value);
        (*this)(y, x) = value;
      }
    }
  }
};

// Values from `from` to `to` in equal steps, in row-major order.
template <typename T = float>
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
