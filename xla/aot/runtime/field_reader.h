// SPDX-License-Identifier: Apache-2.0
// Reads the fields of a recipe (xla/kernels/recipe.h), one number each.
#ifndef XLA_AOT_RUNTIME_FIELD_READER_H_
#define XLA_AOT_RUNTIME_FIELD_READER_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "xla/aot/runtime/table.h"

namespace xla::aot {

class FieldReader {
 public:
  FieldReader(const TargetTable& target, int64_t first, const std::vector<const char*>& constants)
      : next_(target.numbers + first), functions_(target.functions), constants_(constants) {}

  template <typename T>
  void operator()(T& value) {
    if constexpr (std::is_floating_point_v<T>) {
      value = static_cast<T>(std::bit_cast<double>(*next_++));
    } else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
      value = static_cast<T>(*next_++);
    } else {
      Count(value);
      for (auto& element : value) (*this)(element);
    }
  }
  template <typename List>
  void Count(List& list) {
    list.resize(static_cast<size_t>(*next_++));
  }
  template <typename Signature>
  void Function(Signature*& function) {
    const int64_t number = *next_++;
    function =
        number < 0 ? nullptr : reinterpret_cast<Signature*>(const_cast<void*>(functions_[number]));
  }
  void Constant(const void*& data) {
    const int64_t number = *next_++;
    data = number < 0 ? nullptr : constants_[static_cast<size_t>(number)];
  }

 private:
  const int64_t* next_;
  const void* const* const functions_;
  const std::vector<const char*>& constants_;
};

}  // namespace xla::aot

#endif  // XLA_AOT_RUNTIME_FIELD_READER_H_
