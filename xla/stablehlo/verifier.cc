// SPDX-License-Identifier: Apache-2.0
// The walk over a program, the table of operations, and what all operations must fulfill.
#include "xla/stablehlo/verifier.h"

#include <memory>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "xla/base/status_macros.h"
#include "xla/mlir/bytecode_reader.h"
#include "xla/stablehlo/verify_rules.h"
#include "xla/stablehlo/verify_sharding.h"

namespace xla::stablehlo {
namespace {

using mlir::AttributeRef;
using mlir::Operation;
using mlir::TypeRef;

const RuleTable& Rules() {
  static const RuleTable* const rules = [] {
    auto* all = new RuleTable();
    AddElementwiseRules(all);
    AddReshapeRules(all);
    AddGatherScatterRules(all);
    AddReduceRules(all);
    AddContractionRules(all);
    AddConvolutionRules(all);
    AddControlRules(all);
    AddCollectiveRules(all);
    AddEffectRules(all);
    AddChloRules(all);
    AddMhloRules(all);
    AddShapeRules(all);
    AddShardyRules(all);
    AddShardyCollectiveRules(all);
    return all;
  }();
  return *rules;
}

bool IsIntegerOf(AttributeRef value, uint32_t width) {
  const auto* integer = value->As<mlir::IntegerAttribute>();
  return integer != nullptr && integer->type->IsInteger(width);
}

bool IsListOf(AttributeRef value, uint32_t width) {
  const auto* dense = value->As<mlir::DenseArrayAttribute>();
  if (dense != nullptr) return dense->element->IsInteger(width);
  const auto* elements = value->As<mlir::DenseAttribute>();
  return elements != nullptr && elements->type->element->IsInteger(width);
}

// Whether an attribute is of a kind of OperationRule::attributes.
bool IsOfKind(AttributeRef value, std::string_view kind) {
  using mlir::AttributeKind;
  if (kind.empty()) return true;
  if (kind == "i64") return IsIntegerOf(value, 64);
  if (kind == "i32") return IsIntegerOf(value, 32);
  if (kind == "bool") return IsIntegerOf(value, 1) || value->kind == AttributeKind::kUnit;
  if (kind == "list") return IsListOf(value, 64);
  if (kind == "flags") return IsListOf(value, 1);
  if (kind == "str") return value->kind == AttributeKind::kString;
  if (kind == "sym") return value->kind == AttributeKind::kSymbolRef;
  if (kind == "dense") return value->kind == AttributeKind::kDense;
  if (kind == "array") return value->kind == AttributeKind::kArray;
  if (kind == "enum" || kind == "struct") return value->kind == AttributeKind::kDialect;
  return true;
}

bool CheckAttributes(Check& check, std::string_view specification) {
  const Operation& operation = check.operation();
  while (!specification.empty()) {
    const size_t space = specification.find(' ');
    std::string_view word = specification.substr(0, space);
    specification.remove_prefix(space == std::string_view::npos ? specification.size() : space + 1);
    const bool is_optional = word.back() == '?';
    if (is_optional) word.remove_suffix(1);
    const bool is_positive = word.back() == '+';
    const bool is_natural = word.back() == '*';
    if (is_positive || is_natural) word.remove_suffix(1);
    const size_t colon = word.find(':');
    const std::string_view name = word.substr(0, colon);
    const std::string_view kind =
        colon == std::string_view::npos ? std::string_view() : word.substr(colon + 1);
    const AttributeRef value = operation.Find(name);
    if (value == nullptr) {
      if (is_optional) continue;
      return check.Fail("requires attribute '", View(name), "'");
    }
    if (!IsOfKind(value, kind)) {
      return check.Fail("attribute '", View(name), "' must be of the kind ", View(kind),
                        ", but is ", mlir::ToString(value).substr(0, 100));
    }
    const auto* integer = value->As<mlir::IntegerAttribute>();
    if ((is_positive || is_natural) && integer != nullptr &&
        integer->value < (is_positive ? 1 : 0)) {
      return check.Fail("attribute '", View(name), "' must be ",
                        is_positive ? "positive" : "non-negative", ", but is ", integer->value);
    }
  }
  return true;
}

bool CheckCount(Check& check, const char* what, size_t count, int least, int most) {
  if (count < static_cast<size_t>(least) || (most >= 0 && count > static_cast<size_t>(most))) {
    if (least == most) return check.Fail("expected ", least, " ", what, ", but found ", count);
    return check.Fail("expected ", least, most < 0 ? " or more " : absl::StrCat(" to ", most, " "),
                      what, ", but found ", count);
  }
  return true;
}

bool CheckElements(Check& check, uint32_t classes) {
  if (classes == kAnyElements) return true;
  const auto accepts = [&](TypeRef type) {
    return !IsShaped(type) || (ClassOf(type->element) & classes) != 0;
  };
  for (size_t i = 0; i < check.num_operands(); ++i) {
    if (!accepts(check.operand(i))) {
      return check.Fail("operand #", i, " has an element type that the operation does not accept: ",
                        mlir::ToString(check.operand(i)));
    }
  }
  for (size_t i = 0; i < check.num_results(); ++i) {
    if (!accepts(check.result(i))) {
      return check.Fail("result #", i, " has an element type that the operation does not accept: ",
                        mlir::ToString(check.result(i)));
    }
  }
  return true;
}

bool CheckOperation(Check& check, const OperationRule& rule) {
  const size_t regions = check.operation().regions.size();
  return CheckCount(check, "operands", check.num_operands(), rule.least_operands,
                    rule.most_operands) &&
         CheckCount(check, "results", check.num_results(), rule.least_results, rule.most_results) &&
         check.Require(rule.regions < 0 || regions == static_cast<size_t>(rule.regions),
                       "requires ", rule.regions, " regions, but has ", regions) &&
         CheckAttributes(check, rule.attributes) && CheckElements(check, rule.operand_elements) &&
         (rule.rule == nullptr || rule.rule(check));
}

// The rules of types that appear in operations, checked once for each.
bool CheckType(Check& check, TypeRef type) {
  if (type->kind == mlir::TypeKind::kDialect && type->dialect == "stablehlo" &&
      type->name != "token" && type->name != "future") {
    return check.Fail("unknown stablehlo type: ", View(type->name));
  }
  if (type->IsDialect("stablehlo", "future")) {
    for (const TypeRef element : type->types) {
      if (!IsTensor(element)) {
        return check.Fail("the elements of a future must be ranked tensors, but one is ",
                          mlir::ToString(element));
      }
    }
  }
  const absl::Span<const int64_t> bounds = BoundsOf(type);
  if (bounds.empty()) return true;
  if (bounds.size() != type->sizes.size()) {
    return check.Fail("Bounds length is ", bounds.size(), ", expected to be equal to rank (",
                      type->sizes.size(), ") of the tensor");
  }
  for (size_t i = 0; i < bounds.size(); ++i) {
    if (!IsDynamicSize(bounds[i]) && !IsDynamicSize(type->sizes[i])) {
      return check.Fail("Static dimension ", i, " cannot have a bound");
    }
  }
  return true;
}

class Verifier {
 public:
  explicit Verifier(const mlir::Source& source) : source_(source) {
    for (const auto& [name, operation_name] : source.names) {
      const auto found = Rules().find(name);
      if (found != Rules().end()) rules_.emplace(operation_name.get(), found->second);
    }
  }

  absl::Status Verify(const Operation& operation) {
    // Regions of these see nothing of what is around them.
    const bool is_module = operation.Is("builtin.module");
    const bool is_isolated = is_module || operation.Is("func.func") ||
                             operation.Is("sdy.manual_computation") ||
                             operation.Is("sdy.named_computation");
    const size_t visible = std::exchange(visible_, is_isolated ? blocks_.size() : visible_);
    std::optional<ShardyScope> scope;
    if (is_module) scope.emplace(operation);
    const ShardyScope* outer = std::exchange(shardy_, is_module ? &*scope : shardy_);
    for (const mlir::Region& region : operation.regions) {
      for (const mlir::Block* block = region.first; block != nullptr; block = block->next) {
        blocks_.push_back(block);
        for (const Operation& inner : *block) XLA_RETURN_IF_ERROR(Verify(inner));
        blocks_.pop_back();
      }
    }
    visible_ = visible;
    if (is_module) XLA_RETURN_IF_ERROR(VerifySymbols(operation));
    Check check(operation, source_, shardy_);
    if (VerifyOperands(check) && VerifyTypes(check)) {
      const auto rule = rules_.find(operation.name);
      if (CheckShardyAttributes(check, *shardy_) && rule != rules_.end()) {
        CheckOperation(check, *rule->second);
      }
    }
    shardy_ = outer;
    return StatusOf(check);
  }

 private:
  absl::Status StatusOf(const Check& check) const {
    if (check.message().empty()) return absl::OkStatus();
    const Operation& operation = check.operation();
    const std::string text = absl::StrCat(View(operation.name->text), ": ", check.message());
    if (mlir::IsBytecode(source_.text)) {
      return absl::InvalidArgumentError(
          absl::StrCat(source_.name, ", offset ", operation.offset, ": ", text));
    }
    return mlir::ErrorAt(source_.name, source_.text, operation.offset, text);
  }

  // Functions and meshes of a module have different names.
  absl::Status VerifySymbols(const Operation& module) const {
    absl::flat_hash_set<std::string_view> names;
    for (const mlir::Region& region : module.regions) {
      for (const mlir::Block* block = region.first; block != nullptr; block = block->next) {
        for (const Operation& operation : *block) {
          const AttributeRef symbol = operation.Find("sym_name");
          const auto* name = symbol == nullptr ? nullptr : symbol->As<mlir::StringAttribute>();
          if (name == nullptr || names.insert(name->value).second) continue;
          Check check(operation, source_);
          check.Fail("redefinition of symbol named '", View(name->value), "'");
          return StatusOf(check);
        }
      }
    }
    return absl::OkStatus();
  }

  // Operands are arguments of the blocks around an operation, or results of operations before it in
  // one of them. Readers let regions use what is defined later.
  bool VerifyOperands(Check& check) {
    for (size_t i = 0; i < check.num_operands(); ++i) {
      const mlir::Value& value = *check.operation().operands[i];
      const Operation* definition = value.operation;
      const mlir::Block* block = definition == nullptr ? value.block : definition->block;
      const auto first = blocks_.begin() + static_cast<std::ptrdiff_t>(visible_);
      // Blocks of one region see those before them: programs of several are not translated, so that
      // it is enough that the text has an order.
      const auto sees = [block](const mlir::Block* around) {
        return around == block || (block != nullptr && around->region == block->region &&
                                   !around->region->HasOneBlock());
      };
      if (std::none_of(first, blocks_.end(), sees)) {
        return check.Fail("using value defined outside the region: operand #", i,
                          " is not defined in a region around the operation");
      }
      if (definition != nullptr && done_.count(definition) == 0) {
        return check.Fail("operand #", i, " is used before its definition by ",
                          View(definition->name->text));
      }
    }
    if (!check.operation().results.empty()) done_.insert(&check.operation());
    return true;
  }

  bool VerifyTypes(Check& check) {
    for (const mlir::Value& result : check.operation().results) {
      if (seen_.emplace(result.type, true).second && !CheckType(check, result.type)) return false;
    }
    const AttributeRef function = check.operation().Find("function_type");
    if (const auto* type = function == nullptr ? nullptr : function->As<mlir::TypeAttribute>()) {
      for (const auto& list : {type->type->types, type->type->results}) {
        for (const TypeRef part : list) {
          if (seen_.emplace(part, true).second && !CheckType(check, part)) return false;
        }
      }
    }
    for (const mlir::Region& region : check.operation().regions) {
      for (const mlir::Block* block = region.first; block != nullptr; block = block->next) {
        for (const mlir::Value& argument : block->arguments) {
          if (seen_.emplace(argument.type, true).second && !CheckType(check, argument.type)) {
            return false;
          }
        }
      }
    }
    return true;
  }

  const mlir::Source& source_;
  const ShardyScope* shardy_ = nullptr;         // of the present module
  std::vector<const mlir::Block*> blocks_;      // around the present operation
  size_t visible_ = 0;                          // the first of them whose values may be used
  absl::flat_hash_set<const Operation*> done_;  // verified, with results
  absl::flat_hash_map<const mlir::OperationName*, const OperationRule*> rules_;
  absl::flat_hash_map<TypeRef, bool> seen_;
};

}  // namespace

absl::Status VerifyStableHlo(const mlir::Source& source) {
  return Verifier(source).Verify(*source.module);
}

}  // namespace xla::stablehlo
