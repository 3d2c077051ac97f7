// SPDX-License-Identifier: Apache-2.0
// What the routines of LAPACK that are linked need from outside: the report of wrong arguments, and
// the functions of Fortran's library that their code calls (they concatenate two characters to ask
// for block sizes).
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

extern "C" {

// Arguments are checked when a call is prepared; LAPACK's own function writes to standard error and
// ends the process.
void xerbla_(const char*, const int32_t*, size_t) {}
void xerbla_array_(const char*, const int32_t*, const int32_t*, size_t) {}

// to = first // second, cut or padded with blanks.
void _gfortran_concat_string(size_t size, char* to, size_t first_size, const char* first,
                             size_t second_size, const char* second) {
  const size_t from_first = std::min(size, first_size);
  std::memcpy(to, first, from_first);
  const size_t from_second = std::min(size - from_first, second_size);
  std::memcpy(to + from_first, second, from_second);
  std::memset(to + from_first + from_second, ' ', size - from_first - from_second);
}

}  // extern "C"
