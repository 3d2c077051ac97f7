// SPDX-License-Identifier: Apache-2.0
// What LAPACK, as compiled by gfortran, needs beside BLAS, so that nobody needs libgfortran: the
// handler of invalid arguments, and the concatenation of strings. (LAPACK's own xerbla_ prints and
// ends the process.)
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "xla/blas/fortran.h"

// Does nothing: routines of LAPACK return the position in INFO, those of BLAS return at once, and
// callers check what they pass.
void xerbla_(const char*, const int32_t*, size_t) {}

// to = a // b, cut off or padded with spaces.
XLA_BLAS_ROUTINE void _gfortran_concat_string(size_t to_length, char* to, size_t a_length,
                                              const char* a, size_t b_length, const char* b) {
  const size_t from_a = std::min(a_length, to_length);
  const size_t from_b = std::min(b_length, to_length - from_a);
  if (from_a > 0) std::memcpy(to, a, from_a);
  if (from_b > 0) std::memcpy(to + from_a, b, from_b);
  std::fill(to + from_a + from_b, to + to_length, ' ');
}
