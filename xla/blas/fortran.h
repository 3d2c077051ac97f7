// SPDX-License-Identifier: Apache-2.0
// The calling convention of Fortran routines, as gfortran has it: arguments by reference, lengths
// of strings at the end (which callees of one-letter strings ignore), names in lower case with an
// underscore behind them.
#ifndef XLA_BLAS_FORTRAN_H_
#define XLA_BLAS_FORTRAN_H_

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "xla/blas/matrix.h"

// Not visible outside of the shared library, so that no other BLAS of the process is mixed up with
// this one.
#define XLA_BLAS_ROUTINE extern "C" __attribute__((visibility("hidden")))

// Called with the name of a routine and the position of its argument that has an invalid value.
XLA_BLAS_ROUTINE void xerbla_(const char* name, const int32_t* position, size_t name_length);

namespace xla::blas {

using Int = int32_t;

// Options are letters of either case.
inline char Upper(const char* option) { return static_cast<char>(*option & ~0x20); }
inline bool Is(const char* option, char letter) { return Upper(option) == letter; }
inline bool IsTransposition(const char* option) {
  return Is(option, 'N') || Is(option, 'T') || Is(option, 'C');
}
inline bool IsTriangle(const char* option) { return Is(option, 'U') || Is(option, 'L'); }
inline bool IsDiagonal(const char* option) { return Is(option, 'U') || Is(option, 'N'); }

// Finds the first invalid argument. Positions count from 1, and are given in ascending order.
class Arguments {
 public:
  Arguments& Require(Int position, bool valid) {
    if (!valid && position_ == 0) position_ = position;
    return *this;
  }
  // That of the first invalid one, or 0.
  Int position() const { return position_; }
  // Whether there was an invalid one, which is reported. `name` is that of the routine without the
  // letter of the type.
  template <typename T>
  bool Invalid(const char* name) const {
    if (position_ == 0) return false;
    char full[12] = {kIsComplex<T> ? (sizeof(T) == 8 ? 'C' : 'Z') : (sizeof(T) == 4 ? 'S' : 'D')};
    const size_t length = std::min<size_t>(std::strlen(name), 10);
    std::memcpy(full + 1, name, length);
    // Reference BLAS pads names to six letters.
    for (size_t i = length + 1; i < 6; ++i) full[i] = ' ';
    xerbla_(full, &position_, std::max<size_t>(length + 1, 6));
    return true;
  }

 private:
  Int position_ = 0;
};

// A matrix by columns as Fortran passes it.
template <typename T>
Matrix<T> ByColumns(T* data, Int leading_dimension) {
  return {data, 1, leading_dimension};
}
// op(A) of a matrix by columns: N, T or C.
template <typename T>
Matrix<const T> Operand(const T* data, Int leading_dimension, const char* transposition) {
  if (Is(transposition, 'N')) return {data, 1, leading_dimension};
  return {data, leading_dimension, 1, kIsComplex<T> && Is(transposition, 'C')};
}

// The first element of a vector: with a negative increment, vectors are stored backwards.
template <typename T>
T* FirstElement(T* data, Int count, Int increment) {
  return increment < 0 ? data - int64_t{count - 1} * increment : data;
}

}  // namespace xla::blas

#endif  // XLA_BLAS_FORTRAN_H_
