// SPDX-License-Identifier: Apache-2.0
// The tables of a portable artifact: texts, attributes and types, each stored once. Internal.
#ifndef XLA_STABLEHLO_ARTIFACT_TABLES_H_
#define XLA_STABLEHLO_ARTIFACT_TABLES_H_

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "xla/base/string_view.h"
#include "xla/mlir/bytecode_emitter.h"

namespace xla::stablehlo {

// Which dialect encodes an attribute or type.
enum class EntryDialect : uint8_t { kBuiltin = 0, kVhlo = 1 };

// Texts or encoded entries, numbered in the order of their first use.
class Numbering {
 public:
  uint64_t Add(std::string_view bytes) {
    const auto found = numbers_.find(bytes);
    if (found != numbers_.end()) return found->second;
    texts_.emplace_back(bytes);
    const uint64_t number = texts_.size() - 1;
    numbers_.emplace(texts_.back(), number);
    return number;
  }
  const std::deque<std::string>& texts() const { return texts_; }

 private:
  std::deque<std::string> texts_;
  absl::flat_hash_map<std::string_view, uint64_t> numbers_;
};

// Attributes or types. The first byte of an entry is its dialect.
class Entries {
 public:
  uint64_t Add(EntryDialect dialect, std::string_view bytes) {
    return numbering_.Add(absl::StrCat(std::string(1, static_cast<char>(dialect)), View(bytes)));
  }
  size_t size() const { return numbering_.texts().size(); }

  // Groups of a dialect each: the sizes of the entries go to `offsets`, their bytes to `data`.
  void Write(mlir::BytecodeEmitter* offsets, mlir::BytecodeEmitter* data) const {
    const auto& texts = numbering_.texts();
    for (size_t i = 0; i < texts.size();) {
      size_t end = i;
      while (end < texts.size() && texts[end][0] == texts[i][0]) ++end;
      offsets->VarInt(static_cast<uint8_t>(texts[i][0]));
      offsets->VarInt(end - i);
      for (; i < end; ++i) {
        offsets->VarIntWithFlag(texts[i].size() - 1, /*flag=*/true);
        data->Append(std::string_view(texts[i]).substr(1));
      }
    }
  }

 private:
  Numbering numbering_;
};

}  // namespace xla::stablehlo

#endif  // XLA_STABLEHLO_ARTIFACT_TABLES_H_
