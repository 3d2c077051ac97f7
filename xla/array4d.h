// SPDX-License-Identifier: Apache-2.0
// Array4D<T>: an Array of rank 4, sizes (p, z, y, x): plane, depth, height, width.
#ifndef XLA_ARRAY4D_H_
#define XLA_ARRAY4D_H_

#include <cstdint>
#include <initializer_list>

#include "xla/array.h"
#include "xla/array2d.h"

namespace xla {

template <typename T>
class Array4D : public Array<T> {
 public:
  Array4D() : Array<T>({0, 0, 0, 0}) {}
  Array4D(int64_t n1, int64_t n2, int64_t n3, int64_t n4) : Array<T>({n1, n2, n3, n4}) {}
  Array4D(int64_t n1, int64_t n2, int64_t n3, int64_t n4, T value)
      : Array<T>({n1, n2, n3, n4}, value) {}
  // The values in row-major order.
  template <typename Container = std::initializer_list<T>>
  Array4D(int64_t n1, int64_t n2, int64_t n3, int64_t n4, const Container& values)
      : Array4D(n1, n2, n3, n4) {
    this->SetValues(values);
  }
  Array4D(array_internal::List4<T> values) : Array<T>(values) {}
  template <typename T2, array_internal::IfFloatList<T, T2> = true>
  Array4D(
      std::initializer_list<std::initializer_list<std::initializer_list<std::initializer_list<T2>>>>
          values)
      : Array<T>(values) {}

  int64_t n1() const { return this->dim(0); }
  int64_t n2() const { return this->dim(1); }
  int64_t n3() const { return this->dim(2); }
  int64_t n4() const { return this->dim(3); }
  int64_t planes() const { return n1(); }
  int64_t depth() const { return n2(); }
  int64_t height() const { return n3(); }
  int64_t width() const { return n4(); }

  // Writes `value` into every (p, z) plane.
  void FillWithYX(const Array2D<T>& value) {
    XLA_CHECK(value.height() == height() && value.width() == width());
    this->Each([&](absl::Span<const int64_t> i, T* out) { *out = value(i[2], i[3]); });
  }
  // (., z, y, .) = value(z, y).
  void FillWithZY(const Array2D<T>& value) {
    XLA_CHECK(value.height() == depth() && value.width() == height());
    this->Each([&](absl::Span<const int64_t> i, T* out) { *out = value(i[1], i[2]); });
  }
  // The number of the (p, z) plane.
  void FillWithMinorDimNum() {
    this->Each([&](absl::Span<const int64_t> i, T* out) {
      *out = static_cast<T>(static_cast<float>(i[0] * depth() + i[1]));
    });
  }
  // Row p of `value` gives the depth values of plane p: (p, z, ., .) = value(p, z).
  void FillWithPZ(const Array2D<T>& value) {
    XLA_CHECK(value.height() == planes() && value.width() == depth());
    this->Each([&](absl::Span<const int64_t> i, T* out) { *out = value(i[0], i[1]); });
  }
};

}  // namespace xla

#endif  // XLA_ARRAY4D_H_
