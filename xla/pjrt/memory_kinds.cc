// SPDX-License-Identifier: Apache-2.0
// Memory kinds of programs.
#include "xla/pjrt/memory_kinds.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla/base/status_macros.h"
#include "xla/layout.h"
#include "xla/mlir/ir.h"

namespace xla::pjrt {
namespace {

absl::Status ReadKinds(mlir::AttributeRef attributes, std::vector<size_t>& kinds) {
  const auto* array = attributes == nullptr ? nullptr : attributes->As<mlir::ArrayAttribute>();
  if (array == nullptr) return absl::OkStatus();
  for (const mlir::AttributeRef element : array->elements) {
    kinds.push_back(0);
    const auto* entries = element->As<mlir::DictionaryAttribute>();
    if (entries == nullptr) continue;
    const mlir::AttributeRef found = mlir::FindAttribute(entries->entries, "mhlo.memory_kind");
    const auto* text = found == nullptr ? nullptr : found->As<mlir::StringAttribute>();
    if (text == nullptr) continue;
    const auto kind = std::find(std::begin(kMemoryKinds), std::end(kMemoryKinds), text->value);
    if (kind == std::end(kMemoryKinds)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "memory kind \"", std::string(text->value), "\"; known are ",
          absl::StrJoin(kMemoryKinds, ", ",
                        [](std::string* out, std::string_view k) { out->append(k); })));
    }
    kinds.back() = static_cast<size_t>(kind - std::begin(kMemoryKinds));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<MemoryKinds> ReadMemoryKinds(const mlir::Source& source) {
  MemoryKinds kinds;
  if (source.module->regions.empty() || source.module->regions[0].empty()) return kinds;
  for (const mlir::Operation& operation : *source.module->regions[0].first) {
    if (!operation.Is("func.func")) continue;
    const mlir::AttributeRef name = operation.Find("sym_name");
    const auto* text = name == nullptr ? nullptr : name->As<mlir::StringAttribute>();
    if (text == nullptr || text->value != "main") continue;
    XLA_RETURN_IF_ERROR(ReadKinds(operation.Find("arg_attrs"), kinds.parameters));
    XLA_RETURN_IF_ERROR(ReadKinds(operation.Find("res_attrs"), kinds.results));
  }
  return kinds;
}

size_t MemoryKindOf(const Shape& array) {
  const bool is_host = array.IsArray() && array.has_layout() &&
                       array.layout().memory_space() == Layout::kHostMemorySpace;
  return is_host ? 1 : 0;
}

}  // namespace xla::pjrt
