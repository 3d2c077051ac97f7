// SPDX-License-Identifier: Apache-2.0
// Array3D<T>: an Array of rank 3, sizes (z, y, x).
#ifndef XLA_ARRAY3D_H_
#define XLA_ARRAY3D_H_

#include <cstdint>
#include <initializer_list>

#include "xla/array.h"

namespace xla {

template <typename T>
class Array3D : public Array<T> {
 public:
  Array3D() : Array<T>({0, 0, 0}) {}
  Array3D(int64_t n1, int64_t n2, int64_t n3) : Array<T>({n1, n2, n3}) {}
  Array3D(int64_t n1, int64_t n2, int64_t n3, T value) : Array<T>({n1, n2, n3}, value) {}
  template <typename D = T>
  Array3D(std::initializer_list<std::initializer_list<std::initializer_list<D>>> values)
      : Array<T>(values) {}

  int64_t n1() const { return this->dim(0); }
  int64_t n2() const { return this->dim(1); }
  int64_t n3() const { return this->dim(2); }
};

}  // namespace xla

#endif  // XLA_ARRAY3D_H_
