// SPDX-License-Identifier: Apache-2.0
// Rules of functions, calls, loops, branches and tuples.
#include <algorithm>

#include "xla/stablehlo/verify_rules.h"

namespace xla::stablehlo {
namespace {

using mlir::AttributeRef;
using mlir::Operation;
using mlir::TypeKind;
using mlir::TypeRef;

TypeRef FunctionType(const Operation& function) {
  const AttributeRef attribute = function.Find("function_type");
  const auto* type = attribute == nullptr ? nullptr : attribute->As<mlir::TypeAttribute>();
  return type != nullptr && type->type->kind == TypeKind::kFunction ? type->type : nullptr;
}

bool FunctionRule(Check& check) {
  const TypeRef type = FunctionType(check.operation());
  if (type == nullptr) return check.Fail("requires a function type");
  if (check.operation().regions.empty() || check.operation().regions[0].empty()) return true;
  const mlir::Block& block = *check.operation().regions[0].first;
  if (block.arguments.size() != type->types.size()) {
    return check.Fail("the entry block must have ", type->types.size(), " arguments, but has ",
                      block.arguments.size());
  }
  for (size_t i = 0; i < type->types.size(); ++i) {
    if (block.arguments[i].type != type->types[i]) {
      return check.Fail("argument #", i, " of the entry block must be of type ",
                        mlir::ToString(type->types[i]));
    }
  }
  const Operation* last = check.operation().regions[0].last->last;
  if (last == nullptr || !last->Is("func.return")) return true;
  if (last->operands.size() != type->results.size()) {
    return check.Fail("returns ", last->operands.size(), " values, but has ", type->results.size(),
                      " results");
  }
  for (size_t i = 0; i < type->results.size(); ++i) {
    if (last->operands[i]->type != type->results[i]) {
      return check.Fail("value #", i, " that is returned is ",
                        mlir::ToString(last->operands[i]->type), ", but the result is ",
                        mlir::ToString(type->results[i]));
    }
  }
  return true;
}

// The operands and results of a call are those of a function.
bool MatchesFunction(Check& check, std::string_view name, const char* role) {
  const Operation* function = check.FindSymbol(name);
  const TypeRef type = function == nullptr ? nullptr : FunctionType(*function);
  if (type == nullptr) {
    return check.Fail("'", View(name), "' does not reference a valid function");
  }
  if (type->types.size() != check.num_operands()) {
    return check.Fail("has ", check.num_operands(), " operand(s), but ", role, " has ",
                      type->types.size());
  }
  for (size_t i = 0; i < check.num_operands(); ++i) {
    if (type->types[i] != check.operand(i)) {
      return check.Fail("operand at index ", i, " has type ", mlir::ToString(check.operand(i)),
                        ", but ", role, " has type ", mlir::ToString(type->types[i]));
    }
  }
  if (type->results.size() != check.num_results()) {
    return check.Fail("has ", check.num_results(), " result(s), but ", role, " has ",
                      type->results.size());
  }
  for (size_t i = 0; i < check.num_results(); ++i) {
    if (type->results[i] != check.result(i)) {
      return check.Fail("result at index ", i, " has type ", mlir::ToString(check.result(i)),
                        ", but ", role, " has type ", mlir::ToString(type->results[i]));
    }
  }
  return true;
}

bool CallRule(Check& check) {
  const auto* callee = check.operation().Find("callee")->As<mlir::SymbolRefAttribute>();
  return MatchesFunction(check, callee->root, "the function");
}

bool CompositeRule(Check& check) {
  const auto* name = check.operation().Find("name")->As<mlir::StringAttribute>();
  // A namespace and a name, each of letters, digits, '_' and '$'; the name may have further points.
  const auto is_name = [](std::string_view text) {
    const auto is_letter = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    };
    return !text.empty() && is_letter(text[0]) &&
           std::all_of(text.begin(), text.end(), [&](char c) {
             return is_letter(c) || (c >= '0' && c <= '9') || c == '.' || c == '$';
           });
  };
  const size_t point = name->value.find('.');
  if (point == std::string_view::npos || point + 1 == name->value.size() || !is_name(name->value)) {
    return check.Fail("name must be a valid namespaced op name, but is \"", View(name->value),
                      "\"");
  }
  const auto* callee = check.operation().Find("decomposition")->As<mlir::SymbolRefAttribute>();
  return MatchesFunction(check, callee->root, "decomposition");
}

bool WhileRule(Check& check) {
  const auto& regions = check.operation().regions;
  const size_t count = check.num_operands();
  if (check.num_results() != count) return check.Fail("requires as many results as operands");
  for (size_t i = 0; i < count; ++i) {
    if (!check.ResultIs(i, check.operand(i))) return false;
  }
  for (size_t r = 0; r < 2; ++r) {
    const char* name = r == 0 ? "condition" : "body";
    const Operation* last = check.Terminator(r);
    if (last == nullptr) return false;
    const auto& arguments = regions[r].first->arguments;
    if (arguments.size() != count) {
      return check.Fail("the ", name, " must take ", count, " arguments, but takes ",
                        arguments.size());
    }
    for (size_t i = 0; i < count; ++i) {
      if (!TypesAgree(arguments[i].type, check.operand(i))) {
        return check.Fail("expect operands to be compatible with ", name,
                          " block arguments, but argument #", i, " is ",
                          mlir::ToString(arguments[i].type), " and the operand ",
                          mlir::ToString(check.operand(i)));
      }
    }
    if (r == 0) {
      if (last->operands.size() != 1) {
        return check.Fail("expect condition body returns a single value, but returns ",
                          last->operands.size());
      }
      const TypeRef type = last->operands[0]->type;
      if (!IsTensor(type) || Rank(type) != 0 || !type->element->IsInteger(1)) {
        return check.Fail(
            "expect condition block to return a zero-ranked tensor of i1, but it "
            "returns ",
            mlir::ToString(type));
      }
      continue;
    }
    if (last->operands.size() != count) {
      return check.Fail("the body must return ", count, " values, but returns ",
                        last->operands.size());
    }
    for (size_t i = 0; i < count; ++i) {
      if (!TypesAgree(last->operands[i]->type, check.operand(i))) {
        return check.Fail(
            "expect operands to be compatible with body block return types, but "
            "value #",
            i, " is ", mlir::ToString(last->operands[i]->type), " and the operand ",
            mlir::ToString(check.operand(i)));
      }
    }
  }
  return true;
}

bool BranchRule(Check& check) {
  const bool is_if = check.Is("stablehlo.if");
  const TypeRef operand = check.operand(0);
  if (!IsTensor(operand) || Rank(operand) != 0) {
    return check.Fail("operand should be rank 0 tensor but is ", mlir::ToString(operand));
  }
  if (!operand->element->IsInteger(is_if ? 1 : 32)) {
    return check.Fail("operand should be ", is_if ? "tensor<i1>" : "tensor<i32>", " but is ",
                      mlir::ToString(operand));
  }
  const auto& regions = check.operation().regions;
  if (regions.empty()) return check.Fail("expect at least one branch");
  const Operation* first = nullptr;
  for (size_t r = 0; r < regions.size(); ++r) {
    const Operation* last = check.Terminator(r);
    if (last == nullptr) return false;
    if (!regions[r].first->arguments.empty()) {
      return check.Fail("branch ", r, " must have 0 arguments, but found ",
                        regions[r].first->arguments.size());
    }
    if (first == nullptr) first = last;
    bool agrees = last->operands.size() == first->operands.size();
    for (size_t i = 0; agrees && i < first->operands.size(); ++i) {
      agrees = TypesAgree(first->operands[i]->type, last->operands[i]->type);
    }
    if (!agrees) return check.Fail("branch 0 and branch ", r, " have mismatched return types");
  }
  if (first->operands.size() != check.num_results()) {
    return check.Fail("the branches return ", first->operands.size(), " values, but there are ",
                      check.num_results(), " results");
  }
  for (size_t i = 0; i < check.num_results(); ++i) {
    if (!check.ResultIs(i, first->operands[i]->type)) return false;
  }
  return true;
}

bool TupleRule(Check& check) {
  const TypeRef type = check.result(0);
  if (type->kind != TypeKind::kTuple || type->types.size() != check.num_operands()) {
    return check.Fail("the result must be a tuple of ", check.num_operands(), " elements, but is ",
                      mlir::ToString(type));
  }
  for (size_t i = 0; i < check.num_operands(); ++i) {
    if (!TypesAgree(type->types[i], check.operand(i))) {
      return check.Fail("element ", i, " of the result must be ", mlir::ToString(check.operand(i)),
                        ", but is ", mlir::ToString(type->types[i]));
    }
  }
  return true;
}

bool GetTupleElementRule(Check& check) {
  const TypeRef type = check.operand(0);
  const int64_t index = check.Integer("index");
  if (type->kind != TypeKind::kTuple) {
    return check.Fail("operand #0 must be a tuple, but is ", mlir::ToString(type));
  }
  if (index >= static_cast<int64_t>(type->types.size())) {
    return check.Fail("index ", index, " is out of bounds of operand with size ",
                      type->types.size());
  }
  return check.ResultIs(0, type->types[static_cast<size_t>(index)]);
}

bool BarrierRule(Check& check) {
  if (check.num_results() != check.num_operands()) {
    return check.Fail("requires as many results as operands");
  }
  for (size_t i = 0; i < check.num_operands(); ++i) {
    if (!check.ResultIs(i, check.operand(i))) return false;
  }
  return true;
}

constexpr OperationRule kControlRules[] = {
    {"func.func", 0, 0, 0, 0, 1, kAnyElements, "sym_name:str function_type", FunctionRule},
    {"func.call", 0, -1, 0, -1, 0, kAnyElements, "callee:sym", CallRule},
    {"stablehlo.composite", 0, -1, 0, -1, -1, kAnyElements,
     "name:str decomposition:sym version:i32*?", CompositeRule},
    {"stablehlo.while", 0, -1, 0, -1, 2, kAnyElements, "", WhileRule},
    {"stablehlo.if", 1, 1, 0, -1, 2, kAnyElements, "", BranchRule},
    {"stablehlo.case", 1, 1, 0, -1, -1, kAnyElements, "", BranchRule},
    {"stablehlo.tuple", 0, -1, 1, 1, 0, kAnyElements, "", TupleRule},
    {"stablehlo.get_tuple_element", 1, 1, 1, 1, 0, kAnyElements, "index:i32*", GetTupleElementRule},
    {"stablehlo.optimization_barrier", 0, -1, 0, -1, 0, kAnyElements, "", BarrierRule},
};

}  // namespace

void AddControlRules(RuleTable* table) {
  for (const OperationRule& rule : kControlRules) table->emplace(rule.name, &rule);
}

}  // namespace xla::stablehlo
