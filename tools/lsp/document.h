// SPDX-License-Identifier: Apache-2.0
// The text of a program in an editor, and what the server can say about it.
#ifndef XYLEM_TOOLS_LSP_DOCUMENT_H_
#define XYLEM_TOOLS_LSP_DOCUMENT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/lsp/symbols.h"

namespace xla::lsp {

// A place as editors count: lines and units of UTF-16 (or bytes) in the line, both from 0.
struct Position {
  int64_t line = 0, character = 0;
  bool operator==(const Position&) const = default;
};

// Places of a text as offsets in bytes and the other way.
class LineMap {
 public:
  LineMap(std::string_view text, bool counts_bytes);
  // The nearest place for positions outside of the text.
  size_t Offset(const Position& position) const;
  Position At(size_t offset) const;
  int64_t line_count() const { return static_cast<int64_t>(starts_.size()); }

 private:
  const std::string_view text_;
  const bool counts_bytes_;
  std::vector<size_t> starts_;
};

struct Diagnostic {
  size_t begin = 0, end = 0;
  std::string message;
};

enum class CompletionKind : uint8_t { kOpcode, kAttribute, kInstruction, kComputation };
struct Completion {
  CompletionKind kind;
  std::string label, detail;
};

struct TextChange {
  size_t begin, end;
  std::string text;
};

class Document {
 public:
  Document(std::string name, std::string text);

  const std::string& text() const { return text_; }
  bool is_mlir() const { return is_mlir_; }
  const SymbolIndex& index() const;  // made when it is first asked for

  // What the readers and the verifier say. May take long: for another thread.
  std::vector<Diagnostic> Diagnose() const;
  // Markdown; empty: nothing is known of what is there.
  std::string Hover(size_t offset) const;
  std::vector<Completion> Complete(size_t offset) const;
  // The whole text with two spaces of indentation for each level and no blanks at line ends.
  std::string Formatted() const;
  // The changes that give the name at a place another one. An error that a person can read where
  // there is no name, or the other one cannot be.
  absl::StatusOr<std::vector<TextChange>> Rename(size_t offset, const std::string& name) const;

 private:
  std::string LineOf(size_t offset) const;

  const std::string name_, text_;
  const bool is_mlir_;
  mutable std::unique_ptr<SymbolIndex> index_;
};

}  // namespace xla::lsp

#endif  // XYLEM_TOOLS_LSP_DOCUMENT_H_
