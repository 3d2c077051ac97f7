// SPDX-License-Identifier: Apache-2.0
// Array3D<T>: an Array of rank 3, sizes (z, y, x).
#ifndef XLA_ARRAY3D_H_
#define XLA_ARRAY3D_H_

#include <cstdint>
#include <initializer_list>

#include "xla/array.h"
#include "xla/util.h"

namespace xla {

template <typename T>
class Array3D : public Array<T> {
 public:
  Array3D() : Array<T>({0, 0, 0}) {}
  Array3D(int64_t n1, int64_t n2, int64_t n3) : Array<T>({n1, n2, n3}) {}
  Array3D(int64_t n1, int64_t n2, int64_t n3, T value) : Array<T>({n1, n2, n3}, value) {}
  Array3D(array_internal::List3<T> values) : Array<T>(values) {}
  template <typename T2, array_internal::IfFloatList<T, T2> = true>
  Array3D(std::initializer_list<std::initializer_list<std::initializer_list<T2>>> values)
      : Array<T>(values) {}

  int64_t n1() const { return this->dim(0); }
  int64_t n2() const { return this->dim(1); }
  int64_t n3() const { return this->dim(2); }

  // Every element tells its place: x in the low bits, then y, then z, plus start_value.
  void FillUnique(T start_value = T(0)) {
    const int shift2 = Log2Ceiling<uint64_t>(n2()), shift3 = Log2Ceiling<uint64_t>(n3());
    this->Each([&](absl::Span<const int64_t> i, T* value) {
      *value = static_cast<T>(
          static_cast<T>((i[0] << (shift3 + shift2)) | (i[1] << shift2) | i[2]) + start_value);
    });
  }
};

}  // namespace xla

#endif  // XLA_ARRAY3D_H_
