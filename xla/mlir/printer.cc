// SPDX-License-Identifier: Apache-2.0
// The generic form of operations, and their comparison.
#include <algorithm>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "xla/base/string_view.h"
#include "xla/mlir/ir.h"
#include "xla/mlir/location_names.h"

namespace xla::mlir {
namespace {

class Printer {
 public:
  explicit Printer(bool locations) : has_locations_(locations) {}

  std::string Print(const Operation& operation) {
    NumberOperation(operation);
    AppendOperation(operation, 0);
    if (has_locations_) locations_.AppendDefinitions(&out_);
    return std::move(out_);
  }

 private:
  // Names follow the order of definition, so that uses before it have one too.
  void NumberOperation(const Operation& operation) {
    for (const Value& result : operation.results) numbers_.emplace(&result, numbers_.size());
    for (const Region& region : operation.regions) {
      for (const Block* block = region.first; block != nullptr; block = block->next) {
        blocks_.emplace(block, blocks_.size());
        for (const Value& argument : block->arguments) {
          numbers_.emplace(&argument, numbers_.size());
        }
        for (const Operation& inner : *block) NumberOperation(inner);
      }
    }
  }

  void AppendValue(const Value& value) {
    const auto found = numbers_.find(&value);
    absl::StrAppend(&out_, "%",
                    found == numbers_.end() ? std::string("unknown") : absl::StrCat(found->second));
  }

  template <typename Range, typename Function>
  void AppendList(const Range& range, Function append) {
    const char* separator = "";
    for (const auto& entry : range) {
      out_.append(separator);
      append(entry);
      separator = ", ";
    }
  }

  void AppendOperation(const Operation& operation, int indent) {
    if (out_.size() > kMaxTextBytes) return;
    out_.append(static_cast<size_t>(indent), ' ');
    if (!operation.results.empty()) {
      AppendList(operation.results, [&](const Value& value) { AppendValue(value); });
      out_.append(" = ");
    }
    AppendQuoted(&out_, operation.name->text);
    out_.push_back('(');
    AppendList(operation.operands, [&](const Value* value) { AppendValue(*value); });
    out_.push_back(')');
    if (!operation.successors.empty()) {
      out_.push_back('[');
      AppendList(operation.successors, [&](const Block* block) { AppendBlockName(*block); });
      out_.push_back(']');
    }
    if (!operation.regions.empty()) {
      out_.append(" (");
      AppendList(operation.regions, [&](const Region& region) { AppendRegion(region, indent); });
      out_.push_back(')');
    }
    if (!operation.attributes.empty()) {
      out_.push_back(' ');
      AppendTo(&out_, operation.attributes);
    }
    out_.append(" : (");
    AppendList(operation.operands, [&](const Value* value) { AppendTo(&out_, value->type); });
    out_.append(") -> ");
    const bool bare =
        operation.results.size() == 1 && operation.results[0].type->kind != TypeKind::kFunction;
    if (!bare) out_.push_back('(');
    AppendList(operation.results, [&](const Value& value) { AppendTo(&out_, value.type); });
    if (!bare) out_.push_back(')');
    if (has_locations_) out_.append(locations_.OfOperation(operation.location));
    out_.push_back('\n');
  }

  void AppendBlockName(const Block& block) {
    const auto found = blocks_.find(&block);
    absl::StrAppend(&out_, "^bb", found == blocks_.end() ? size_t{0} : found->second);
  }

  void AppendRegion(const Region& region, int indent) {
    out_.append("{\n");
    for (const Block* block = region.first; block != nullptr; block = block->next) {
      if (block != region.first || !block->arguments.empty() || block->first == nullptr) {
        out_.append(static_cast<size_t>(indent), ' ');
        AppendBlockName(*block);
        if (!block->arguments.empty()) {
          out_.push_back('(');
          AppendList(block->arguments, [&](const Value& argument) {
            AppendValue(argument);
            out_.append(": ");
            AppendTo(&out_, argument.type);
            if (has_locations_ && !block->argument_locations.empty())
              out_.append(locations_.OfArgument(block->argument_locations[argument.index]));
          });
          out_.push_back(')');
        }
        out_.append(":\n");
      }
      for (const Operation& operation : *block) AppendOperation(operation, indent + 2);
    }
    out_.append(static_cast<size_t>(indent), ' ');
    out_.push_back('}');
  }

  const bool has_locations_;
  LocationNames locations_;
  std::string out_;
  absl::flat_hash_map<const Value*, size_t> numbers_;
  absl::flat_hash_map<const Block*, size_t> blocks_;
};

// Walks two programs side by side. Types belong to different contexts: their text is compared.
class Comparer {
 public:
  explicit Comparer(std::string* difference) : difference_(difference) {}

  bool Compare(const Operation& a, const Operation& b) {
    if (a.name->text != b.name->text) return Differ(a, b, "name");
    if (a.operands.size() != b.operands.size()) return Differ(a, b, "number of operands");
    for (size_t i = 0; i < a.operands.size(); ++i) {
      const auto found = values_.find(a.operands[i]);
      // Values that are defined later are compared where they are defined.
      if (found != values_.end() ? found->second != b.operands[i]
                                 : !Pair(a.operands[i], b.operands[i])) {
        return Differ(a, b, "operand");
      }
    }
    if (!CompareValues(a.results, b.results)) return Differ(a, b, "results");
    if (!CompareAttributes(a, b)) return Differ(a, b, "attributes");
    if (a.regions.size() != b.regions.size()) return Differ(a, b, "number of regions");
    for (size_t i = 0; i < a.regions.size(); ++i) {
      const Block* x = a.regions[i].first;
      const Block* y = b.regions[i].first;
      for (; x != nullptr && y != nullptr; x = x->next, y = y->next) {
        if (!CompareBlocks(*x, *y)) {
          return difference_->empty() ? Differ(a, b, "block") : false;
        }
      }
      if (x != y) return Differ(a, b, "number of blocks");
    }
    return true;
  }

 private:
  bool Differ(const Operation& a, const Operation& b, std::string_view what) {
    if (difference_ != nullptr && difference_->empty()) {
      const std::string x = ToString(a);
      const std::string y = ToString(b);
      *difference_ = absl::StrCat(View(what), ":\n", x.substr(0, 600), "\nand\n", y.substr(0, 600));
    }
    return false;
  }

  bool Pair(const Value* a, const Value* b) { return values_.emplace(a, b).first->second == b; }

  bool CompareValues(absl::Span<Value> a, absl::Span<Value> b) {
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i) {
      if (!SameType(a[i].type, b[i].type) || !Pair(&a[i], &b[i])) return false;
    }
    return true;
  }

  bool SameType(TypeRef a, TypeRef b) {
    if (a == b) return true;
    const auto [at, is_new] = types_.try_emplace(a, b);
    if (!is_new && at->second == b) return true;
    return ToString(a) == ToString(b);
  }

  bool CompareAttributes(const Operation& a, const Operation& b) {
    std::vector<std::pair<std::string_view, AttributeRef>> x, y;
    for (const NamedAttribute& entry : a.attributes) x.emplace_back(entry.name, entry.value);
    for (const NamedAttribute& entry : b.attributes) y.emplace_back(entry.name, entry.value);
    const auto by_name = [](const auto& l, const auto& r) { return l.first < r.first; };
    std::sort(x.begin(), x.end(), by_name);
    std::sort(y.begin(), y.end(), by_name);
    if (x.size() != y.size()) return false;
    for (size_t i = 0; i < x.size(); ++i) {
      if (x[i].first != y[i].first) return false;
      if (ToString(x[i].second) != ToString(y[i].second)) return false;
    }
    return true;
  }

  bool CompareBlocks(const Block& a, const Block& b) {
    if (!CompareValues(a.arguments, b.arguments)) return false;
    const Operation* x = a.first;
    const Operation* y = b.first;
    for (; x != nullptr && y != nullptr; x = x->next, y = y->next) {
      if (!Compare(*x, *y)) return false;
    }
    return x == y;
  }

  std::string* difference_;
  absl::flat_hash_map<const Value*, const Value*> values_;
  absl::flat_hash_map<TypeRef, TypeRef> types_;
};

}  // namespace

std::string ToString(const Operation& operation, bool locations) {
  return Printer(locations).Print(operation);
}

bool HasLocations(const Operation& operation) {
  const auto is_known = [](AttributeRef attribute) {
    const auto* location = attribute == nullptr ? nullptr : attribute->As<LocationAttribute>();
    return location != nullptr && location->form != LocationAttribute::Form::kUnknown;
  };
  if (is_known(operation.location)) return true;
  for (const Region& region : operation.regions) {
    for (const Block* block = region.first; block != nullptr; block = block->next) {
      for (const AttributeRef location : block->argument_locations) {
        if (is_known(location)) return true;
      }
      for (const Operation& inner : *block) {
        if (HasLocations(inner)) return true;
      }
    }
  }
  return false;
}

bool Equivalent(const Operation& a, const Operation& b, std::string* difference) {
  std::string unused;
  return Comparer(difference != nullptr ? difference : &unused).Compare(a, b);
}

}  // namespace xla::mlir
