// SPDX-License-Identifier: Apache-2.0
// Rules of the operations of MHLO that StableHLO lacks.
#include "xla/stablehlo/verify_rules.h"

namespace xla::stablehlo {
namespace {

using mlir::AttributeRef;
using mlir::TypeKind;
using mlir::TypeRef;

bool SameTypesRule(Check& check) {
  for (size_t i = 1; i < check.num_operands(); ++i) {
    if (!TypesAgree(check.operand(0), check.operand(i))) {
      return check.Fail("operands must have compatible types, but are ",
                        mlir::ToString(check.operand(0)), " and ",
                        mlir::ToString(check.operand(i)));
    }
  }
  return check.ResultIs(0, check.operand(0));
}

bool AddDependencyRule(Check& check) {
  return check.Require(IsToken(check.operand(1)), "operand #1 must be a token, but is ",
                       check.operand(1)) &&
         check.ResultIs(0, check.operand(0));
}

bool BitcastRule(Check& check) { return check.AllTensors(); }

bool DomainRule(Check& check) {
  return check.Require(check.Keyword("kind") == "sharding", "kind must be sharding, but is ",
                       View(check.Keyword("kind"))) &&
         check.ResultIs(0, check.operand(0));
}

bool IsBundle(TypeRef type) { return type->IsDialect("mhlo", "async_bundle"); }

TypeRef FunctionTypeOf(const mlir::Operation* function) {
  const AttributeRef attribute = function == nullptr ? nullptr : function->Find("function_type");
  const auto* type = attribute == nullptr ? nullptr : attribute->As<mlir::TypeAttribute>();
  return type == nullptr || type->type->kind != TypeKind::kFunction ? nullptr : type->type;
}

bool BundleStartRule(Check& check) {
  const auto* callee = check.operation().Find("called_computation")->As<mlir::SymbolRefAttribute>();
  const TypeRef type = FunctionTypeOf(check.FindSymbol(callee->root));
  if (type == nullptr) {
    return check.Fail("'", View(callee->root), "' does not reference a valid function");
  }
  if (type->types.size() != check.num_operands()) {
    return check.Fail("has ", check.num_operands(), " operands, but @", View(callee->root), " has ",
                      type->types.size());
  }
  for (size_t i = 0; i < check.num_operands(); ++i) {
    if (!TypesAgree(type->types[i], check.operand(i))) {
      return check.Fail("operand #", i, " must be ", mlir::ToString(type->types[i]), ", but is ",
                        mlir::ToString(check.operand(i)));
    }
  }
  return check.Require(IsBundle(check.result(0)) && check.result(0)->types.size() >= 2,
                       "the result must be a bundle of the operands and the results, but is ",
                       check.result(0));
}

bool BundleRule(Check& check) {
  if (!check.Require(IsBundle(check.operand(0)), "the operand must be a bundle, but is ",
                     check.operand(0))) {
    return false;
  }
  return !check.Is("mhlo.async_update") || check.ResultIs(0, check.operand(0));
}

// The region takes the operands, or sees them, and returns the results.
bool FusionRule(Check& check) {
  const mlir::Operation* last = check.Terminator(0);
  if (last == nullptr) return false;
  const auto& arguments = check.operation().regions[0].first->arguments;
  if (!arguments.empty() && arguments.size() != check.num_operands()) {
    return check.Fail("the region must take ", check.num_operands(), " parameters, but takes ",
                      arguments.size());
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!TypesAgree(arguments[i].type, check.operand(i))) {
      return check.Fail("parameter #", i, " of the region is ", mlir::ToString(arguments[i].type),
                        ", but the operand is ", mlir::ToString(check.operand(i)));
    }
  }
  if (last->operands.size() != check.num_results()) {
    return check.Fail("the region must return ", check.num_results(), " values, but returns ",
                      last->operands.size());
  }
  for (size_t i = 0; i < check.num_results(); ++i) {
    if (!check.ResultIs(i, last->operands[i]->type)) return false;
  }
  return true;
}

bool BroadcastShapesRule(Check& check) {
  for (size_t i = 0; i < check.num_operands(); ++i) {
    if (!IsTensor(check.operand(i)) || check.rank(i) != 1) {
      return check.Fail("operand #", i, " must be a shape, but is ",
                        mlir::ToString(check.operand(i)));
    }
  }
  return check.Require(check.num_results() == check.num_operands(), "number of operands (",
                       check.num_operands(), ") does not match number of results (",
                       check.num_results(), ")");
}

uint32_t BitsOf(TypeRef element) {
  if (element->kind == TypeKind::kInteger) return element->width;
  return static_cast<uint32_t>(mlir::GetFloatFormat(element->float_kind).width);
}

bool StochasticConvertRule(Check& check) {
  if (!check.AllTensors()) return false;
  const TypeRef operand = check.operand(0)->element, random = check.operand(1)->element;
  if (ClassOf(operand) != kReals) {
    return check.Fail("operand #0 must be of floating-point numbers, but is ",
                      mlir::ToString(check.operand(0)));
  }
  if (ClassOf(random) != kUnsignedIntegers) {
    return check.Fail("the random numbers must be unsigned, but are ",
                      mlir::ToString(check.operand(1)));
  }
  if (BitsOf(operand) != BitsOf(random)) {
    return check.Fail("the random numbers must be as wide as the operand's, which are ",
                      BitsOf(operand), " bits, but are ", BitsOf(random));
  }
  for (const TypeRef other : {check.operand(1), check.result(0)}) {
    if (!ShapesAgree(check.operand(0), other)) {
      return check.Fail("must have one shape, but has ", mlir::ToString(check.operand(0)), " and ",
                        mlir::ToString(other));
    }
  }
  return true;
}

bool MhloTopKRule(Check& check) {
  if (!check.AllTensors()) return false;
  const int64_t k = check.Integer("k");
  if (check.rank(0) < 1) return check.Fail("operand's rank must be at least 1");
  const int64_t last = check.sizes(0).back();
  if (k < 0 || (!IsDynamicSize(last) && last < k)) {
    return check.Fail("operand's last dimension must be at least ", k);
  }
  std::vector<int64_t> sizes(check.sizes(0).begin(), check.sizes(0).end());
  sizes.back() = k;
  return check.ResultIs(0, sizes, check.operand(0)->element) &&
         check.Require(
             SizesAgree(sizes, check.result(1)->sizes) && check.result(1)->element->IsInteger(32),
             "result #1 must be i32 of the shape ", ListText(sizes));
}

bool RngStateRule(Check& check) {
  const TypeRef type = check.result(0);
  return check.Require(IsTensor(type) && type->sizes.size() == 1 && type->sizes[0] == 2 &&
                           ClassOf(type->element) == kUnsignedIntegers &&
                           type->element->width == 64,
                       "the result must be tensor<2xui64>, but is ", type);
}

constexpr OperationRule kMhloRules[] = {
    {"mhlo.add_dependency", 2, 2, 1, 1, 0, kAnyElements, "", AddDependencyRule},
    {"mhlo.async_done", 1, 1, 0, -1, 0, kAnyElements, "", BundleRule},
    {"mhlo.async_start", 0, -1, 1, 1, 0, kAnyElements,
     "called_computation:sym execution_thread:str", BundleStartRule},
    {"mhlo.async_update", 1, 1, 1, 1, 0, kAnyElements, "", BundleRule},
    {"mhlo.bitcast", 1, 1, 1, 1, 0, kAnyElements, "", BitcastRule},
    {"mhlo.copy", 1, 1, 1, 1, 0, kAnyElements, "cross_program_prefetch_index:i32?", SameTypesRule},
    {"mhlo.cosh", 1, 1, 1, 1, 0, kReals | kComplexes, "", SameTypesRule},
    {"mhlo.domain", 1, 1, 1, 1, 0, kAnyElements, "kind:enum entry_metadata:str exit_metadata:str",
     DomainRule},
    {"mhlo.fusion", 0, -1, 0, -1, 1, kAnyElements,
     "fusion_kind:enum? output_operand_aliases:array?", FusionRule},
    {"mhlo.minimum_broadcast_shapes", 2, -1, 2, -1, 0, kAnyElements, "", BroadcastShapesRule},
    {"mhlo.sinh", 1, 1, 1, 1, 0, kReals | kComplexes, "", SameTypesRule},
    {"mhlo.stochastic_convert", 2, 2, 1, 1, 0, kAnyElements, "", StochasticConvertRule},
    {"mhlo.topk", 1, 1, 2, 2, 0, kAnyElements, "k:i64 largest:bool?", MhloTopKRule},
    {"mhlo.trace", 1, 1, 0, 0, 0, kAnyElements, "tag:str", nullptr},
    {"mhlo.xla.rng_get_and_update_state", 0, 0, 1, 1, 0, kAnyElements, "delta:i64", RngStateRule},
};

}  // namespace

void AddMhloRules(RuleTable* table) {
  for (const OperationRule& rule : kMhloRules) table->emplace(rule.name, &rule);
}

}  // namespace xla::stablehlo
