// SPDX-License-Identifier: Apache-2.0
// Vectors of matrix-vector operations, made contiguous.
#ifndef XLA_BLAS_CONTIGUOUS_VECTOR_H_
#define XLA_BLAS_CONTIGUOUS_VECTOR_H_

#include <cstdint>
#include <type_traits>

#include "xla/blas/fortran.h"
#include "xla/blas/workspace.h"

namespace xla::blas {

// The elements of a Fortran vector: in place if they are contiguous, else a copy, which is written
// back on destruction unless T is const.
template <typename T>
class ContiguousVector {
 public:
  ContiguousVector(T* data, Int count, Int increment)
      : first_(FirstElement(data, count, increment)),
        count_(count),
        increment_(increment),
        copy_(increment == 1 ? 0 : count) {
    if (increment == 1) return;
    for (int64_t i = 0; i < count_; ++i) copy_.data()[i] = first_[i * increment_];
  }
  ~ContiguousVector() {
    if constexpr (!std::is_const_v<T>) {
      if (increment_ == 1) return;
      for (int64_t i = 0; i < count_; ++i) first_[i * increment_] = copy_.data()[i];
    }
  }
  ContiguousVector(const ContiguousVector&) = delete;
  ContiguousVector& operator=(const ContiguousVector&) = delete;

  T* data() { return increment_ == 1 ? first_ : copy_.data(); }

 private:
  T* const first_;
  const int64_t count_, increment_;
  TemporaryArray<std::remove_const_t<T>> copy_;
};

}  // namespace xla::blas

#endif  // XLA_BLAS_CONTIGUOUS_VECTOR_H_
