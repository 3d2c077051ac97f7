// SPDX-License-Identifier: Apache-2.0
#include "tools/lsp/document.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "tools/ops_page.h"
#include "tools/program_files.h"
#include "xla/hlo/ir/hlo_opcode.h"
#include "xla/hlo/ir/opcode_docs.h"

namespace xla::lsp {
namespace {

// Units of UTF-16 of the character that begins with a byte.
int64_t Utf16Units(unsigned char first) { return first >= 0xF0 ? 2 : 1; }
bool IsContinuation(unsigned char byte) { return (byte & 0xC0) == 0x80; }

// The opcode that a StableHLO operation is named after.
std::optional<HloOpcode> OpcodeOfStableHlo(std::string_view name) {
  static constexpr std::pair<std::string_view, HloOpcode> kOthers[] = {
      {"dot_general", HloOpcode::kDot},
      {"broadcast_in_dim", HloOpcode::kBroadcast},
      {"real_dynamic_slice", HloOpcode::kDynamicSlice},
      {"case", HloOpcode::kConditional},
      {"if", HloOpcode::kConditional}};
  for (const auto& [other, opcode] : kOthers) {
    if (other == name) return opcode;
  }
  return FindHloOpcode(absl::StrReplaceAll(std::string(name), {{"_", "-"}}));
}

// The word around a place, and where it begins.
std::string WordAt(std::string_view text, size_t offset, size_t* begin, bool is_mlir) {
  const auto is_part = [is_mlir](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' ||
           (c == '-' && !is_mlir);
  };
  size_t first = std::min(offset, text.size());
  while (first > 0 && is_part(text[first - 1])) --first;
  size_t last = std::min(offset, text.size());
  while (last < text.size() && is_part(text[last])) ++last;
  *begin = first;
  return std::string(text.substr(first, last - first));
}

}  // namespace

LineMap::LineMap(std::string_view text, bool counts_bytes)
    : text_(text), counts_bytes_(counts_bytes), starts_({0}) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') starts_.push_back(i + 1);
  }
}

size_t LineMap::Offset(const Position& position) const {
  if (position.line < 0) return 0;
  if (position.line >= line_count()) return text_.size();
  const size_t begin = starts_[static_cast<size_t>(position.line)];
  const size_t end = position.line + 1 < line_count()
                         ? starts_[static_cast<size_t>(position.line) + 1] - 1
                         : text_.size();
  if (counts_bytes_)
    return std::min(end, begin + static_cast<size_t>(std::max<int64_t>(0, position.character)));
  size_t at = begin;
  int64_t units = 0;
  while (at < end && units < position.character) {
    units += Utf16Units(static_cast<unsigned char>(text_[at]));
    ++at;
    while (at < end && IsContinuation(static_cast<unsigned char>(text_[at]))) ++at;
  }
  return at;
}

Position LineMap::At(size_t offset) const {
  offset = std::min(offset, text_.size());
  const auto line = std::upper_bound(starts_.begin(), starts_.end(), offset) - starts_.begin() - 1;
  const size_t begin = starts_[static_cast<size_t>(line)];
  Position position{line, 0};
  if (counts_bytes_) {
    position.character = static_cast<int64_t>(offset - begin);
    return position;
  }
  for (size_t at = begin; at < offset; ++at) {
    const auto byte = static_cast<unsigned char>(text_[at]);
    if (!IsContinuation(byte)) position.character += Utf16Units(byte);
  }
  return position;
}

Document::Document(std::string name, std::string text)
    : name_(std::move(name)),
      text_(std::move(text)),
      is_mlir_(absl::EndsWith(name_, ".mlir") ||
               (!absl::EndsWith(name_, ".hlo") && IsStableHlo(text_))) {}

const SymbolIndex& Document::index() const {
  if (index_ == nullptr) index_ = std::make_unique<SymbolIndex>(IndexSymbols(text_, is_mlir_));
  return *index_;
}

std::vector<Diagnostic> Document::Diagnose() const {
  if (absl::StripAsciiWhitespace(text_).empty()) return {};
  std::vector<Diagnostic> diagnostics;
  std::vector<std::string_view> parts = {text_};
  if (is_mlir_) parts = StableHloPrograms(text_);
  for (const std::string_view part : parts) {
    const absl::Status status =
        LoadModuleFrom("program", parts.size() == 1 ? std::string(part) : AtItsLine(text_, part))
            .status();
    if (status.ok()) continue;
    Diagnostic diagnostic;
    std::string_view message(status.message().data(), status.message().size());
    // "program:LINE:COLUMN: message"; the text of the line and a mark may follow.
    int64_t line = 0, column = 0;
    const std::vector<std::string> fields =
        absl::StrSplit(std::string(message), absl::MaxSplits(':', 3));
    if (fields.size() == 4 && absl::SimpleAtoi(fields[1], &line) &&
        absl::SimpleAtoi(fields[2], &column)) {
      diagnostic.message = std::string(absl::StripAsciiWhitespace(fields[3]));
      diagnostic.message = diagnostic.message.substr(0, diagnostic.message.find('\n'));
      const LineMap lines(text_, /*counts_bytes=*/true);
      diagnostic.begin = lines.Offset({line - 1, column - 1});
    } else {
      diagnostic.message = std::string(message);
      if (absl::StartsWith(diagnostic.message, "program: ")) diagnostic.message.erase(0, 9);
      // The verifier names the instruction: "x.1 = f32[2] add(...): ...".
      for (const Symbol& symbol : index().symbols) {
        const size_t at = diagnostic.message.find(symbol.name);
        if (at == std::string::npos) continue;
        const bool is_word =
            (at == 0 || std::isspace(static_cast<unsigned char>(diagnostic.message[at - 1])) != 0 ||
             diagnostic.message[at - 1] == '%') &&
            absl::StartsWith(diagnostic.message.substr(at + symbol.name.size()), " = ");
        if (!is_word) continue;
        diagnostic.begin = index().occurrences[symbol.definition].begin;
        break;
      }
    }
    size_t begin;
    const std::string word = WordAt(text_, diagnostic.begin, &begin, is_mlir_);
    diagnostic.end = std::max(diagnostic.begin + 1, begin + word.size());
    diagnostic.end = std::min(diagnostic.end, text_.size());
    diagnostics.push_back(std::move(diagnostic));
  }
  return diagnostics;
}

std::string Document::LineOf(size_t offset) const {
  const size_t before = text_.rfind('\n', offset);
  const size_t begin = before == std::string::npos ? 0 : before + 1;
  const size_t end = text_.find('\n', offset);
  return std::string(absl::StripAsciiWhitespace(
      text_.substr(begin, (end == std::string::npos ? text_.size() : end) - begin)));
}

std::string Document::Hover(size_t offset) const {
  const Occurrence* const occurrence = index().At(offset);
  if (occurrence != nullptr && occurrence->symbol >= 0) {
    const Symbol& symbol = index().symbols[static_cast<size_t>(occurrence->symbol)];
    const Occurrence& definition = index().occurrences[symbol.definition];
    std::string text =
        absl::StrCat("```", is_mlir_ ? "mlir" : "hlo", "\n", LineOf(definition.begin), "\n```\n");
    const int64_t uses = static_cast<int64_t>(index().Of(occurrence->symbol).size()) - 1;
    absl::StrAppend(&text, uses == 1 ? "one use" : absl::StrCat(uses, " uses"));
    return text;
  }
  size_t begin;
  const std::string word = WordAt(text_, offset, &begin, is_mlir_);
  if (is_mlir_) {
    for (const std::string_view dialect : {"stablehlo.", "mhlo.", "chlo."}) {
      if (!absl::StartsWith(word, std::string(dialect))) continue;
      const auto opcode = OpcodeOfStableHlo(std::string_view(word).substr(dialect.size()));
      return opcode.has_value() ? OpSection(*opcode) : "";
    }
    return "";
  }
  // An operation is followed by its operands.
  const auto opcode = FindHloOpcode(word);
  const bool has_operands = begin + word.size() < text_.size() && text_[begin + word.size()] == '(';
  return opcode.has_value() && has_operands ? OpSection(*opcode) : "";
}

std::vector<Completion> Document::Complete(size_t offset) const {
  std::vector<Completion> found;
  size_t begin;
  WordAt(text_, offset, &begin, is_mlir_);
  const std::string typed = text_.substr(begin, offset - begin);
  const size_t line = text_.rfind('\n', begin == 0 ? 0 : begin - 1);
  const size_t first = line == std::string::npos ? 0 : line + 1;
  const std::string before = text_.substr(first, begin - first);
  const auto add = [&](CompletionKind kind, std::string_view label, std::string detail) {
    if (absl::StartsWith(std::string(label), typed))
      found.push_back({kind, std::string(label), std::move(detail)});
  };
  const size_t equals = before.find(" = ");
  const size_t open = before.find('(', equals == std::string::npos ? 0 : equals);
  const auto open_count = std::count(before.begin(), before.end(), '(');
  const auto closed_count = std::count(before.begin(), before.end(), ')');
  const auto add_symbols = [&](SymbolKind kind) {
    for (const Symbol* symbol : index().VisibleAt(begin)) {
      if (symbol->kind != kind) continue;
      add(kind == SymbolKind::kComputation ? CompletionKind::kComputation
                                           : CompletionKind::kInstruction,
          symbol->name, LineOf(index().occurrences[symbol->definition].begin));
    }
  };
  if (is_mlir_) {
    add_symbols(!before.empty() && before.back() == '@' ? SymbolKind::kComputation
                                                        : SymbolKind::kInstruction);
    return found;
  }
  if (equals == std::string::npos) return found;
  if (open_count > closed_count) {  // among operands
    add_symbols(SymbolKind::kInstruction);
    return found;
  }
  if (open == std::string::npos) {  // after the shape
    for (int i = 0; i < kNumHloOpcodes; ++i) {
      const auto opcode = static_cast<HloOpcode>(i);
      add(CompletionKind::kOpcode, HloOpcodeString(opcode), OpSynopsis(opcode));
    }
    return found;
  }
  if (!before.empty() && before.back() == '=') {  // the value of an attribute
    add_symbols(SymbolKind::kComputation);
    return found;
  }
  size_t unused;
  const auto opcode = FindHloOpcode(WordAt(before, open, &unused, false));
  if (!opcode.has_value()) return found;
  for (const OpAttribute& attribute : OpAttributes(*opcode)) {
    if (absl::StrContains(before, attribute.name + "=")) continue;
    add(CompletionKind::kAttribute, attribute.name, attribute.form);
  }
  return found;
}

std::string Document::Formatted() const {
  std::string out;
  int depth = 0;
  bool in_comment = false;
  const std::vector<std::string> lines = absl::StrSplit(text_, '\n');
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string line(absl::StripAsciiWhitespace(lines[i]));
    const bool was_in_comment = in_comment;
    // Braces outside of strings and comments.
    int opened = 0, closed_first = 0;
    bool in_string = false;
    for (size_t c = 0; c < line.size(); ++c) {
      const std::string_view rest = std::string_view(line).substr(c, 2);
      if (in_comment) {
        if (rest == "*/") in_comment = false;
        continue;
      }
      if (in_string) {
        if (line[c] == '\\') {
          ++c;
        } else if (line[c] == '"') {
          in_string = false;
        }
        continue;
      }
      if (rest == "//") break;
      if (rest == "/*") in_comment = true;
      if (line[c] == '"') in_string = true;
      if (line[c] == '{' || line[c] == '(') ++opened;
      if (line[c] == '}' || line[c] == ')') {
        if (opened > 0) {
          --opened;
        } else {
          ++closed_first;
        }
      }
    }
    const bool begins_with_close = !line.empty() && (line[0] == '}' || line[0] == ')');
    const int indent = std::max(0, begins_with_close ? depth - closed_first : depth);
    if (was_in_comment) {
      absl::StrAppend(&out, lines[i]);  // as it is
    } else if (!line.empty()) {
      absl::StrAppend(&out, std::string(static_cast<size_t>(2 * indent), ' '), line);
    }
    depth = std::max(0, depth - closed_first) + opened;
    if (i + 1 < lines.size()) out.push_back('\n');
  }
  return out;
}

absl::StatusOr<std::vector<TextChange>> Document::Rename(size_t offset,
                                                         const std::string& name) const {
  const Occurrence* const occurrence = index().At(offset);
  if (occurrence == nullptr || occurrence->symbol < 0)
    return absl::InvalidArgumentError("there is no name of an instruction or computation here");
  std::string bare = name;
  if (!bare.empty() && (bare[0] == '%' || bare[0] == '@')) bare.erase(0, 1);
  const bool is_number =
      is_mlir_ && !bare.empty() && std::all_of(bare.begin(), bare.end(), [](char c) {
        return std::isdigit(static_cast<unsigned char>(c)) != 0;
      });
  if (!IsName(bare) && !is_number)
    return absl::InvalidArgumentError(absl::StrCat("'", name, "' cannot be a name"));
  const Symbol& symbol = index().symbols[static_cast<size_t>(occurrence->symbol)];
  for (const Symbol& other : index().symbols) {
    if (&other != &symbol && other.scope == symbol.scope && other.name == bare)
      return absl::InvalidArgumentError(absl::StrCat("'", bare, "' is the name of another one"));
  }
  std::vector<TextChange> changes;
  for (const Occurrence& place : index().Of(occurrence->symbol))
    changes.push_back({place.begin, place.end, bare});
  return changes;
}

}  // namespace xla::lsp
