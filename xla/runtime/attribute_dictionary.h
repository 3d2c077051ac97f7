// SPDX-License-Identifier: Apache-2.0
// The typed attributes of a custom call: a dictionary of named scalars, arrays, strings and
// dictionaries, read from the text of an MLIR dictionary attribute:
//
//   {axis = 1 : i32, scale = 2.5 : f32, name = "x", sizes = array<i64: 1, 2>, nested = {on = true}}
//
// Types as XLA's typed custom calls have them: bool, 8 to 64-bit integers signed or not, f32, f64.
// A number without a type is i64, or f64 if it has a point or exponent. `dense<..> : tensor<..>`
// becomes an array of its elements in row-major order.
#ifndef XLA_RUNTIME_ATTRIBUTE_DICTIONARY_H_
#define XLA_RUNTIME_ATTRIBUTE_DICTIONARY_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/primitive_util.h"
#include "xla/xla_data_enums.h"

namespace xla {

class AttributeDictionary;

struct AttributeValue {
  enum class Kind { kScalar, kArray, kString, kDictionary };

  Kind kind = Kind::kScalar;
  // Of scalars and arrays: PRED, S8 to S64, U8 to U64, F32, F64.
  PrimitiveType element_type = PRIMITIVE_TYPE_INVALID;
  int64_t count = 0;              // elements of scalars (1) and arrays
  std::vector<uint64_t> storage;  // their bytes, one element after the other
  std::string string;             // kString
  std::shared_ptr<const AttributeDictionary> dictionary;  // kDictionary

  const void* data() const { return storage.data(); }
  // "i32", "array of f64", "string", "dictionary"
  std::string TypeName() const;
};

class AttributeDictionary {
 public:
  using Map = std::map<std::string, AttributeValue, std::less<>>;

  AttributeDictionary() = default;
  explicit AttributeDictionary(Map values) : values_(std::move(values)) {}

  // InvalidArgument names the place in the text and what was expected there. Dictionaries nested
  // deeper than 64 and arrays of more than 2^24 elements are errors. The empty text is the empty
  // dictionary.
  static absl::StatusOr<AttributeDictionary> Parse(std::string_view text);

  const Map& values() const { return values_; }
  bool empty() const { return values_.empty(); }
  bool Contains(std::string_view name) const { return values_.find(name) != values_.end(); }

  // A scalar of exactly the type T: bool, a fixed-width integer, float, double. InvalidArgument
  // says that the attribute is missing or what else it is.
  template <typename T>
  absl::StatusOr<T> Get(std::string_view name) const {
    auto value =
        Find(name, AttributeValue::Kind::kScalar, primitive_util::NativeToPrimitiveType<T>());
    if (!value.ok()) return value.status();
    return *static_cast<const T*>((*value)->data());
  }
  // Valid as long as the dictionary.
  template <typename T>
  absl::StatusOr<absl::Span<const T>> GetArray(std::string_view name) const {
    auto value =
        Find(name, AttributeValue::Kind::kArray, primitive_util::NativeToPrimitiveType<T>());
    if (!value.ok()) return value.status();
    return absl::Span<const T>(static_cast<const T*>((*value)->data()),
                               static_cast<size_t>((*value)->count));
  }
  absl::StatusOr<std::string> GetString(std::string_view name) const;
  absl::StatusOr<const AttributeDictionary*> GetDictionary(std::string_view name) const;

 private:
  absl::StatusOr<const AttributeValue*> Find(std::string_view name, AttributeValue::Kind kind,
                                             PrimitiveType element_type) const;

  Map values_;
};

}  // namespace xla

#endif  // XLA_RUNTIME_ATTRIBUTE_DICTIONARY_H_
