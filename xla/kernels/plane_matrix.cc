// SPDX-License-Identifier: Apache-2.0
// Conversions between elements and planes.
#include "xla/kernels/plane_matrix.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "xla/kernels/wide.h"
#include "xla/primitive_util.h"
#include "xla/types.h"

namespace xla::kernels {

Planes<double> TakePlanes(double** memory, int64_t count, bool is_complex) {
  Planes<double> planes;
  planes.re = std::exchange(*memory, *memory + count);
  if (is_complex) planes.im = std::exchange(*memory, *memory + count);
  return planes;
}

void LoadPlanes(PrimitiveType type, const void* from, int64_t count, const Planes<double>& to) {
  if (to.im == nullptr) {
    GetWideLoad<double>(type)(from, 1, count, to.re);
    return;
  }
  constexpr int64_t kPart = 64;
  complex128 part[kPart];
  const auto load = GetWideLoad<complex128>(type);
  const int64_t bytes = primitive_util::ByteWidth(type);
  for (int64_t first = 0; first < count; first += kPart) {
    const int64_t size = std::min(kPart, count - first);
    load(static_cast<const char*>(from) + first * bytes, 1, size, part);
    for (int64_t i = 0; i < size; ++i) {
      to.re[first + i] = part[i].real();
      to.im[first + i] = part[i].imag();
    }
  }
}

void StorePlanes(PrimitiveType type, const Planes<const double>& from, int64_t count, void* to) {
  if (!primitive_util::IsComplexType(type)) {
    GetWideStore<double>(type)(from.re, count, to, 1);
    return;
  }
  constexpr int64_t kPart = 64;
  complex128 part[kPart];
  const auto store = GetWideStore<complex128>(type);
  const int64_t bytes = primitive_util::ByteWidth(type);
  for (int64_t first = 0; first < count; first += kPart) {
    const int64_t size = std::min(kPart, count - first);
    for (int64_t i = 0; i < size; ++i) part[i] = {from.re[first + i], from.im[first + i]};
    store(part, size, static_cast<char*>(to) + first * bytes, 1);
  }
}

}  // namespace xla::kernels
