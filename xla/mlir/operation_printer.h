// SPDX-License-Identifier: Apache-2.0
// Prints programs as MLIR does: the pretty forms of registered operations, the generic form of
// others. Values have the names that MLIR gives them: %arg0, %0, %0#1, %cst_2.
#ifndef XLA_MLIR_OPERATION_PRINTER_H_
#define XLA_MLIR_OPERATION_PRINTER_H_

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "xla/mlir/ir.h"
#include "xla/mlir/location_names.h"
#include "xla/mlir/source.h"

namespace xla::mlir {

// The names that dialects choose for values; an empty one stands for a number.
struct ValueNames {
  std::string_view (*result)(const Operation& operation, size_t index) = nullptr;
  std::string_view (*argument)(const Operation& operation, size_t index) = nullptr;
};

class OperationPrinter {
 public:
  explicit OperationPrinter(const ValueNames& names, bool locations = false)
      : has_locations_(locations), names_(names) {}

  std::string Print(const Operation& module);

  // --- For print functions
  void Text(std::string_view text) { out_.append(text); }
  void Integer(int64_t value);
  void Operand(const Value* value);
  void Operands(absl::Span<Value* const> values);
  void Type(TypeRef type) { AppendTo(&out_, type); }
  template <typename Range>
  void TypesOf(const Range& values);
  void Attribute(AttributeRef attribute) { AppendTo(&out_, Canonical(attribute)); }
  void Symbol(std::string_view name);
  // (operand types) -> result types
  void FunctionalType(const Operation& operation);
  // " {..}" of the attributes that are not among `elided`, in alphabetical order; nothing if there
  // are none. `keyword` stands before it.
  void Dictionary(absl::Span<const NamedAttribute> attributes,
                  absl::Span<const std::string_view> elided, std::string_view keyword = {});
  // {..}, with the arguments of the first block or without.
  void PrintRegion(const Region& region, bool has_arguments);
  void Newline();
  // " loc(..)" of an argument, if locations are printed and it has one.
  void LocationOf(const Value& argument);
  // By a format (operation_format.h); false if the operation does not have that form.
  bool ByFormat(const Operation& operation, std::string_view format);

  // Operations of this dialect print without it.
  std::string_view default_dialect;

 private:
  struct Scope {
    size_t next_value = 0, next_argument = 0, next_conflict = 0;
    std::vector<std::string> used;  // names of this region
  };

  void NameRegion(const Region& region, const Operation& parent, Scope scope,
                  absl::flat_hash_set<std::string>& used);
  void NameValue(const Value* value, std::string_view name, Scope& scope,
                 absl::flat_hash_set<std::string>& used);
  void PrintOperation(const Operation& operation);
  void PrintResults(const Operation& operation);
  bool PrintPretty(const Operation& operation);
  void PrintGeneric(const Operation& operation);
  void PrintBlockName(const Block& block);
  // One element of constants whose elements are all the same, as MLIR keeps them.
  AttributeRef Canonical(AttributeRef attribute);

  const bool has_locations_;
  LocationNames locations_;
  ValueNames names_;
  std::string out_;
  std::deque<DenseAttribute> splats_;  // of constants that list them all
  int indent_ = 0;
  absl::flat_hash_map<const Value*, std::string> value_names_;
  absl::flat_hash_map<const Block*, size_t> blocks_;
};

template <typename Range>
void OperationPrinter::TypesOf(const Range& values) {
  const char* separator = "";
  for (const auto& value : values) {
    Text(separator);
    separator = ", ";
    if constexpr (std::is_pointer_v<std::decay_t<decltype(value)>>) {
      Type(value->type);
    } else {
      Type(value.type);
    }
  }
}

}  // namespace xla::mlir

#endif  // XLA_MLIR_OPERATION_PRINTER_H_
