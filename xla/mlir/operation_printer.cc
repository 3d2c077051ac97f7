// SPDX-License-Identifier: Apache-2.0
// Names of values, the generic form, regions. Naming follows MLIR's AsmPrinter: the values of a
// region are named before those of the regions within it, siblings use the same numbers.
#include "xla/mlir/operation_printer.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "xla/base/string_view.h"

namespace xla::mlir {
namespace {

bool ByName(const NamedAttribute& a, const NamedAttribute& b) { return a.name < b.name; }

// Attributes of a dialect other than the operation's: "mhlo.sharding".
bool IsDiscardable(std::string_view name) { return name.find('.') != std::string_view::npos; }

}  // namespace

std::string OperationPrinter::Print(const Operation& module) {
  absl::flat_hash_set<std::string> used;
  for (const Region& region : module.regions) NameRegion(region, module, {}, used);
  PrintOperation(module);
  out_.push_back('\n');
  if (has_locations_) locations_.AppendDefinitions(&out_);
  return std::move(out_);
}

// --- Names ---

void OperationPrinter::NameValue(const Value* value, std::string_view name, Scope& scope,
                                 absl::flat_hash_set<std::string>& used) {
  std::string unique(name);
  while (used.contains(unique)) unique = absl::StrCat(View(name), "_", scope.next_conflict++);
  used.insert(unique);
  scope.used.push_back(unique);
  value_names_.emplace(value, absl::StrCat("%", unique));
}

void OperationPrinter::NameRegion(const Region& region, const Operation& parent, Scope scope,
                                  absl::flat_hash_set<std::string>& used) {
  size_t blocks = 0;
  for (const Block* block = region.first; block != nullptr; block = block->next) {
    blocks_.emplace(block, blocks++);
    for (const Value& argument : block->arguments) {
      const std::string_view chosen =
          names_.argument == nullptr ? std::string_view() : names_.argument(parent, argument.index);
      if (!chosen.empty()) {
        NameValue(&argument, chosen, scope, used);
      } else if (block == region.first) {
        NameValue(&argument, absl::StrCat("arg", scope.next_argument++), scope, used);
      } else {
        value_names_.emplace(&argument, absl::StrCat("%", scope.next_value++));
      }
    }
    for (const Operation& operation : *block) {
      if (operation.results.empty()) continue;
      const std::string_view chosen =
          names_.result == nullptr ? std::string_view() : names_.result(operation, 0);
      if (chosen.empty()) {
        const std::string group = absl::StrCat("%", scope.next_value++);
        for (const Value& result : operation.results) {
          value_names_.emplace(&result, operation.results.size() == 1
                                            ? group
                                            : absl::StrCat(group, "#", result.index));
        }
        continue;
      }
      for (const Value& result : operation.results) {
        NameValue(&result, names_.result(operation, result.index), scope, used);
      }
    }
  }
  const std::vector<std::string> own = std::exchange(scope.used, {});
  for (const Block* block = region.first; block != nullptr; block = block->next) {
    for (const Operation& operation : *block) {
      for (const Region& inner : operation.regions) NameRegion(inner, operation, scope, used);
    }
  }
  for (const std::string& name : own) used.erase(name);
}

// --- Parts ---

AttributeRef OperationPrinter::Canonical(AttributeRef attribute) {
  const auto* dense = attribute->As<DenseAttribute>();
  if (dense == nullptr || dense->is_splat) return attribute;
  const auto bytes = static_cast<size_t>(ElementBytes(*dense->type->element));
  const absl::Span<const char> data = dense->data;
  if (bytes == 0 || data.size() <= bytes ||
      !std::equal(data.begin() + static_cast<ptrdiff_t>(bytes), data.end(), data.begin())) {
    return attribute;
  }
  splats_.push_back(*dense);
  splats_.back().is_splat = true;
  splats_.back().data = data.first(bytes);
  return &splats_.back();
}

void OperationPrinter::Integer(int64_t value) { absl::StrAppend(&out_, value); }

void OperationPrinter::Operand(const Value* value) {
  const auto found = value_names_.find(value);
  out_.append(found == value_names_.end() ? std::string("<<UNKNOWN SSA VALUE>>") : found->second);
}

void OperationPrinter::Operands(absl::Span<Value* const> values) {
  const char* separator = "";
  for (const Value* value : values) {
    Text(separator);
    Operand(value);
    separator = ", ";
  }
}

void OperationPrinter::Symbol(std::string_view name) {
  SymbolRefAttribute symbol = {{AttributeKind::kSymbolRef}, name, {}};
  Attribute(&symbol);
}

void OperationPrinter::FunctionalType(const Operation& operation) {
  Text("(");
  TypesOf(operation.operands);
  Text(") -> ");
  const bool bare =
      operation.results.size() == 1 && operation.results[0].type->kind != TypeKind::kFunction;
  if (!bare) Text("(");
  TypesOf(operation.results);
  if (!bare) Text(")");
}

void OperationPrinter::Dictionary(absl::Span<const NamedAttribute> attributes,
                                  absl::Span<const std::string_view> elided,
                                  std::string_view keyword) {
  std::vector<NamedAttribute> shown;
  for (const NamedAttribute& attribute : attributes) {
    if (std::find(elided.begin(), elided.end(), attribute.name) == elided.end()) {
      shown.push_back({attribute.name, Canonical(attribute.value)});
    }
  }
  if (shown.empty()) return;
  std::sort(shown.begin(), shown.end(), ByName);
  Text(" ");
  Text(keyword);
  AppendTo(&out_, shown);
}

void OperationPrinter::LocationOf(const Value& argument) {
  const absl::Span<const AttributeRef> locations = argument.block->argument_locations;
  if (has_locations_ && !locations.empty()) Text(locations_.OfArgument(locations[argument.index]));
}

void OperationPrinter::Newline() {
  out_.push_back('\n');
  out_.append(2 * static_cast<size_t>(indent_), ' ');
}

void OperationPrinter::PrintBlockName(const Block& block) {
  const auto found = blocks_.find(&block);
  absl::StrAppend(&out_, "^bb", found == blocks_.end() ? size_t{0} : found->second);
}

void OperationPrinter::PrintRegion(const Region& region, bool has_arguments) {
  Text("{");
  for (const Block* block = region.first; block != nullptr; block = block->next) {
    const bool is_named = block != region.first || (has_arguments && !block->arguments.empty()) ||
                          (has_arguments && block->first == nullptr && block->next == nullptr);
    if (is_named) {
      Newline();
      PrintBlockName(*block);
      if (!block->arguments.empty()) {
        Text("(");
        const char* separator = "";
        for (const Value& argument : block->arguments) {
          Text(separator);
          separator = ", ";
          Operand(&argument);
          Text(": ");
          Type(argument.type);
          LocationOf(argument);
        }
        Text(")");
      }
      Text(":");
    }
    ++indent_;
    for (const Operation& operation : *block) {
      Newline();
      PrintOperation(operation);
    }
    --indent_;
  }
  Newline();
  Text("}");
}

// --- Operations ---

void OperationPrinter::PrintResults(const Operation& operation) {
  if (operation.results.empty()) return;
  const Value& first = operation.results[0];
  const std::string& name = value_names_[&first];
  const size_t group = name.find('#');
  if (group != std::string::npos) {
    absl::StrAppend(&out_, name.substr(0, group), ":", operation.results.size());
  } else {
    const char* separator = "";
    for (const Value& result : operation.results) {
      Text(separator);
      separator = ", ";
      Operand(&result);
    }
  }
  Text(" = ");
}

void OperationPrinter::PrintOperation(const Operation& operation) {
  if (out_.size() > kMaxTextBytes) return;
  PrintResults(operation);
  if (!PrintPretty(operation)) PrintGeneric(operation);
  if (has_locations_) Text(locations_.OfOperation(operation.location));
}

bool OperationPrinter::PrintPretty(const Operation& operation) {
  const OperationSyntax* syntax = operation.name->syntax;
  if (syntax == nullptr || (syntax->print == nullptr && syntax->format.empty())) return false;
  const size_t begin = out_.size();
  std::string_view name = operation.name->text;
  const size_t point = name.find('.');
  const bool is_default = (!default_dialect.empty() && name.substr(0, point) == default_dialect) ||
                          name == "builtin.module";
  Text(is_default ? name.substr(point + 1) : name);
  const std::string_view outer = default_dialect;
  if (!operation.regions.empty()) default_dialect = syntax->default_dialect;
  const bool done = syntax->print != nullptr ? syntax->print(*this, operation)
                                             : ByFormat(operation, syntax->format);
  default_dialect = outer;
  if (!done) out_.resize(begin);
  return done;
}

void OperationPrinter::PrintGeneric(const Operation& operation) {
  AppendQuoted(&out_, operation.name->text);
  Text("(");
  Operands(operation.operands);
  Text(")");
  if (!operation.successors.empty()) {
    Text("[");
    const char* separator = "";
    for (const Block* successor : operation.successors) {
      Text(separator);
      separator = ", ";
      PrintBlockName(*successor);
    }
    Text("]");
  }
  std::vector<NamedAttribute> properties, others;
  const bool is_registered = operation.name->syntax != nullptr;
  for (const NamedAttribute& attribute : operation.attributes) {
    (is_registered && !IsDiscardable(attribute.name) ? properties : others)
        .push_back({attribute.name, Canonical(attribute.value)});
  }
  std::sort(properties.begin(), properties.end(), ByName);
  if (!properties.empty()) {
    Text(" <");
    AppendTo(&out_, properties);
    Text(">");
  }
  if (!operation.regions.empty()) {
    const std::string_view outer = std::exchange(default_dialect, {});
    Text(" (");
    const char* separator = "";
    for (const Region& region : operation.regions) {
      Text(separator);
      separator = ", ";
      PrintRegion(region, /*has_arguments=*/true);
    }
    Text(")");
    default_dialect = outer;
  }
  Dictionary(others, {});
  Text(" : ");
  FunctionalType(operation);
}

}  // namespace xla::mlir
