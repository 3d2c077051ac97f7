// SPDX-License-Identifier: Apache-2.0
// Files of MLIR text: aliases, operations of the top level, resources.
#include "xla/mlir/source.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "xla/base/string_view.h"
#include "xla/mlir/operation_format.h"
#include "xla/mlir/operation_printer.h"
#include "xla/mlir/operation_reader.h"

namespace xla::mlir {
namespace {

// module @name attributes {..} {..}
bool ParseModule(OperationReader& reader, OperationState& state) {
  TextCursor& cursor = reader.cursor();
  if (cursor.Peek('@')) {
    std::string_view name;
    if (!cursor.SymbolName(&name)) return false;
    state.AddAttribute("sym_name", reader.context().String(name));
  }
  if (cursor.ConsumeWord("attributes") &&
      !reader.ParseOptionalDictionary(state, OperationReader::Repeated::kReplaced)) {
    return false;
  }
  return reader.ParseRegion(state, {});
}

bool PrintModule(OperationPrinter& printer, const Operation& operation) {
  const AttributeRef name = operation.Find("sym_name");
  const auto* symbol = name == nullptr ? nullptr : name->As<StringAttribute>();
  if (operation.regions.size() != 1) return false;
  if (symbol != nullptr) {
    printer.Text(" ");
    printer.Symbol(symbol->value);
  }
  printer.Dictionary(operation.attributes, {"sym_name"}, "attributes ");
  printer.Text(" ");
  printer.PrintRegion(operation.regions[0], /*has_arguments=*/false);
  return true;
}

constexpr OperationSyntax kBuiltin[] = {
    {"builtin.module", "", ParseModule, /*is_isolated=*/true, "builtin", PrintModule},
    {"builtin.unrealized_conversion_cast", "[ $inputs* : operands ] to results dict"},
};

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

Dialects::Dialects() { Add(kBuiltin); }

void Dialects::Add(absl::Span<const OperationSyntax> operations) {
  for (const OperationSyntax& operation : operations) operations_[operation.name] = &operation;
}

std::vector<std::string_view> Dialects::OperationNames() const {
  std::vector<std::string_view> names;
  for (const auto& [name, syntax] : operations_) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

void Dialects::AddDialectAlias(std::string_view alias, std::string_view dialect) {
  const std::string prefix = absl::StrCat(View(dialect), ".");
  std::vector<const OperationSyntax*> known;
  for (const auto& [name, syntax] : operations_) {
    if (absl::StartsWith(View(name), prefix)) known.push_back(syntax);
  }
  for (const OperationSyntax* syntax : known) {
    const std::string_view name = syntax->name.substr(prefix.size());
    aliases_.push_back(
        std::make_unique<const std::string>(absl::StrCat(View(alias), ".", View(name))));
    operations_[*aliases_.back()] = syntax;
  }
}

const OperationName* Source::Name(std::string_view text, const Dialects& dialects) {
  const auto found = names.find(text);
  if (found != names.end()) return found->second.get();
  const OperationSyntax* syntax = dialects.Find(text);
  if (syntax != nullptr && !syntax->stands_for.empty()) return Name(syntax->stands_for, dialects);
  if (syntax != nullptr && syntax->name != text) return Name(syntax->name, dialects);
  auto entry = std::make_unique<OperationName>();
  entry->text = context.InternText(text);
  entry->syntax = syntax;
  const OperationName* result = entry.get();
  names.emplace(result->text, std::move(entry));
  return result;
}

bool OperationReader::ReadFile() {
  scopes_.push_back(std::make_unique<NameScope>());
  scopes_.back()->regions = 1;
  block_scopes_.emplace_back();
  Block* body = arena().New<Block>();
  if (!ParseTopLevel(body) || !attributes_.ResolveLocations()) return false;
  NameScope& scope = *scopes_.back();
  if (!FinishForwardUses(scope, 0, nullptr)) return false;
  if (!scope.forward.empty()) {
    const OperandName& operand = scope.forward[0].operand;
    return cursor().FailAt(operand.offset,
                           absl::StrCat("'%", View(operand.name), "' is not defined"));
  }
  if (body->first != nullptr && body->first == body->last && body->first->Is("builtin.module")) {
    source_.module = body->first;
    source_.module->block = nullptr;
    return true;
  }
  Operation* module = CreateSimple("builtin.module", {}, {}, 0);
  module->regions = arena().NewArray<Region>(1);
  module->regions[0].parent = module;
  module->regions[0].Append(body);
  source_.module = module;
  return true;
}

bool OperationReader::ParseTopLevel(Block* body) {
  TextCursor& c = cursor();
  while (!c.AtEnd()) {
    if (c.Peek('#') || c.Peek('!')) {
      if (!ParseAliasDefinition()) return false;
    } else if (c.PeekText("{-#")) {
      if (!ParseResources()) return false;
    } else {
      Operation* operation = ParseOperation();
      if (operation == nullptr) return false;
      body->Append(operation);
    }
  }
  return true;
}

// #name = attribute, !name = type
bool OperationReader::ParseAliasDefinition() {
  TextCursor& c = cursor();
  const bool is_type = c.Peek('!');
  const size_t begin = c.offset();
  c.Seek(begin + 1);
  const std::string_view name = c.SuffixName();
  if (name.empty()) return c.FailExpected("the name of an alias");
  if (name.find('.') != std::string_view::npos) {
    return c.FailAt(begin, "the names of aliases have no '.'");
  }
  if (!c.Expect('=')) return false;
  attributes_.StartAlias();
  if (is_type) {
    const TypeRef type = attributes_.ParseType();
    return type != nullptr && attributes_.DefineTypeAlias(name, type);
  }
  const AttributeRef value = attributes_.ParseAttribute();
  return value != nullptr && attributes_.DefineAttributeAlias(name, value);
}

// {-# dialect_resources: { builtin: { key: "0x.." } }, external_resources: {..} #-}
bool OperationReader::ParseResources() {
  TextCursor& c = cursor();
  c.ConsumeText("{-#");
  if (c.ConsumeText("#-}")) return true;
  do {
    const bool has_blobs = c.PeekWord("dialect_resources");
    if (c.Word().empty()) return c.FailExpected("the name of a section");
    if (!c.Expect(':') || !c.Expect('{')) return false;
    if (c.Consume('}')) continue;
    do {
      if (c.Word().empty()) return c.FailExpected("the name of a dialect");
      if (!c.Expect(':') || !ParseResourceGroup(has_blobs)) return false;
    } while (c.Consume(','));
    if (!c.Expect('}')) return false;
  } while (c.Consume(','));
  return c.ExpectText("#-}");
}

bool OperationReader::ParseResourceGroup(bool has_blobs) {
  TextCursor& c = cursor();
  if (!c.Expect('{')) return false;
  if (c.Consume('}')) return true;
  do {
    std::string_view key;
    if (c.Peek('"')) {
      if (!c.String(&key)) return false;
    } else {
      key = c.Word();
      if (key.empty()) return c.FailExpected("the key of a resource");
    }
    if (!c.Expect(':')) return false;
    if (!c.Peek('"')) {  // a boolean
      if (c.Word().empty()) return c.FailExpected("the value of a resource");
      continue;
    }
    const size_t begin = c.offset();
    std::string_view hex;
    if (!c.String(&hex)) return false;
    if (!has_blobs) continue;
    // Four bytes tell the alignment.
    if (hex.substr(0, 2) != "0x" || hex.size() < 10 || hex.size() % 2 != 0) {
      return c.FailAt(begin, "expected a resource: \"0x\", 4 bytes of alignment and the data");
    }
    const absl::Span<char> data = arena().NewArray<char>(hex.size() / 2 - 5);
    for (size_t i = 2; i < hex.size(); i += 2) {
      const int high = HexValue(hex[i]);
      const int low = HexValue(hex[i + 1]);
      if (high < 0 || low < 0) return c.FailAt(begin, "expected hexadecimal digits");
      if (i >= 10) data[i / 2 - 5] = static_cast<char>(high * 16 + low);
    }
    source_.resources.try_emplace(key, data);
  } while (c.Consume(','));
  return c.Expect('}');
}

absl::StatusOr<std::unique_ptr<Source>> ReadText(std::string text, std::string name,
                                                 const Dialects& dialects) {
  auto source = std::make_unique<Source>();
  source->name = std::move(name);
  source->text = std::move(text);
  OperationReader reader(source.get(), dialects);
  if (!reader.ReadFile()) return reader.cursor().ToStatus(source->name);
  return source;
}

std::vector<std::string_view> SplitInput(std::string_view text) {
  constexpr std::string_view kMark = "// -----";
  std::vector<std::string_view> parts;
  size_t begin = 0;
  for (size_t at = 0; (at = text.find(kMark, at)) != std::string_view::npos;) {
    const bool at_line_start = at == 0 || text[at - 1] == '\n';
    if (!at_line_start) {
      at += kMark.size();
      continue;
    }
    parts.push_back(text.substr(begin, at - begin));
    const size_t newline = text.find('\n', at);
    begin = newline == std::string_view::npos ? text.size() : newline + 1;
    at = begin;
  }
  parts.push_back(text.substr(begin));
  return parts;
}

}  // namespace xla::mlir
