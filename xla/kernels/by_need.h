// SPDX-License-Identifier: Apache-2.0
// Tables of functions that programs compiled ahead of time are linked with only if they need them.
//
//   constexpr Form kF64Forms[] = {...};
//   XLA_BY_NEED(F64, dot_f64, kF64Forms);     // in a namespace: kF64Forms is of the group F64
//   absl::Span<const Form> forms = XLA_LINKED(F64, dot_f64, kF64Forms);
//
// The compiler links everything, and the span is that of the table. In libxylem_runtime.a nothing
// refers to the table but a pointer that is in an object of the group (cmake/by_need.cmake), which
// a program names if it has elements of these types (xla/aot/links.h). Without it, the span is
// empty, and the linker drops the table with all that only the table refers to.
//
// Groups of types: F64 (with complex128), COMPLEX, INTEGERS (with pred), HALVES (f16 and bf16),
// SMALLS (floats of at most 8 bits), MIXED (products and convolutions that have an operand of
// another type than f32).
#ifndef XLA_KERNELS_BY_NEED_H_
#define XLA_KERNELS_BY_NEED_H_

#include <cstddef>
#include <iterator>
#include <type_traits>

#include "absl/types/span.h"

#if defined(XYLEM_LINKED_BY_NEED)

#define XLA_BY_NEED(group, name, table)                                                        \
  extern "C" {                                                                                 \
  extern const void* const xylem_code_##group##_##name;                                        \
  const void* const xylem_code_##group##_##name = (table);                                     \
  [[gnu::weak,                                                                                 \
    gnu::visibility("hidden")]] extern const void* const* const xylem_linked_##group##_##name; \
  }                                                                                            \
  static_assert(true)
#define XLA_LINKED(group, name, table)                                        \
  ::xla::kernels::LinkedTable<std::remove_reference_t<decltype((table)[0])>>( \
      &xylem_linked_##group##_##name, std::size(table))

namespace xla::kernels {
template <typename T>
absl::Span<T> LinkedTable(const void* const* const* linked, size_t size) {
  if (linked == nullptr) return {};
  return absl::Span<T>(static_cast<T*>(**linked), size);
}
}  // namespace xla::kernels

#else
#define XLA_BY_NEED(group, name, table) static_assert(std::size(table) > 0)
#define XLA_LINKED(group, name, table) absl::MakeConstSpan(table)
#endif

#endif  // XLA_KERNELS_BY_NEED_H_
