// SPDX-License-Identifier: Apache-2.0
// Rules of contractions, linear algebra, Fourier transforms and random numbers.
#include <algorithm>

#include "xla/stablehlo/verify_rules.h"

namespace xla::stablehlo {
namespace {

using mlir::AttributeRef;
using mlir::TypeKind;
using mlir::TypeRef;

bool PrecisionRule(Check& check) {
  const AttributeRef config = check.operation().Find("precision_config");
  const auto* list = config == nullptr ? nullptr : config->As<mlir::ArrayAttribute>();
  if (config != nullptr && list == nullptr) {
    return check.Fail("precision_config must be a list of precisions");
  }
  if (list == nullptr) return true;
  if (list->elements.size() > 2) {
    return check.Fail("expects precision config to be empty or have <= 2 elements");
  }
  for (const AttributeRef element : list->elements) {
    const auto* precision = element->As<mlir::DialectAttribute>();
    if (precision == nullptr || (precision->text != "DEFAULT" && precision->text != "HIGH" &&
                                 precision->text != "HIGHEST")) {
      return check.Fail("precision_config has the invalid precision ", mlir::ToString(element));
    }
  }
  return true;
}

// Combinations that some hardware supports.
bool IsKnownAlgorithm(std::string_view operands, std::string_view accumulator, int64_t operations) {
  struct Known {
    std::string_view operands, accumulator;
    int64_t operations;
  };
  static constexpr Known kKnown[] = {
      {"f16", "f16", 1},  {"f16", "f32", 1},  {"bf16", "bf16", 1}, {"bf16", "f32", 1},
      {"bf16", "f32", 3}, {"bf16", "f32", 6}, {"bf16", "f32", 9},  {"tf32", "f32", 1},
      {"tf32", "f32", 3}, {"f32", "f32", 1},  {"f64", "f64", 1},
  };
  for (const Known& known : kKnown) {
    if (known.operands == operands && known.accumulator == accumulator &&
        known.operations == operations) {
      return true;
    }
  }
  return operands.substr(0, 2) == "f8" && operations == 1 && accumulator == "f32";
}

bool AlgorithmRule(Check& check) {
  const AttributeRef attribute = check.operation().Find("algorithm");
  const auto* algorithm = attribute == nullptr ? nullptr : attribute->As<mlir::DialectAttribute>();
  if (algorithm == nullptr) return true;
  const AttributeRef config = check.operation().Find("precision_config");
  const auto* list = config == nullptr ? nullptr : config->As<mlir::ArrayAttribute>();
  if (list != nullptr) {
    for (const AttributeRef element : list->elements) {
      const auto* precision = element->As<mlir::DialectAttribute>();
      if (precision != nullptr && precision->text != "DEFAULT") {
        return check.Fail("must specify DEFAULT precision config when algorithm is set");
      }
    }
  }
  for (const char* name :
       {"lhs_component_count", "rhs_component_count", "num_primitive_operations"}) {
    if (check.IntegerParameter("algorithm", name, 0) < 1) {
      return check.Fail("the ", name, " of the algorithm must be positive");
    }
  }
  const auto type = [&](std::string_view name) {
    const AttributeRef value = mlir::FindAttribute(algorithm->parameters, name);
    const auto* of = value == nullptr ? nullptr : value->As<mlir::TypeAttribute>();
    return of == nullptr ? std::string() : mlir::ToString(of->type);
  };
  const std::string lhs = type("lhs_precision_type"), rhs = type("rhs_precision_type");
  const bool same = lhs == rhs || (lhs.rfind("f8", 0) == 0 && rhs.rfind("f8", 0) == 0);
  return check.Require(
      same && IsKnownAlgorithm(lhs, type("accumulation_type"),
                               check.IntegerParameter("algorithm", "num_primitive_operations", 0)),
      "dot algorithm not known to be supported on any hardware");
}

bool DotGeneralRule(Check& check) {
  if (!check.AllTensors() || !PrecisionRule(check) || !AlgorithmRule(check)) return false;
  constexpr std::string_view kNumbers = "dot_dimension_numbers";
  const auto lhs_batch = check.Parameter(kNumbers, "lhs_batching_dimensions");
  const auto rhs_batch = check.Parameter(kNumbers, "rhs_batching_dimensions");
  const auto lhs_contract = check.Parameter(kNumbers, "lhs_contracting_dimensions");
  const auto rhs_contract = check.Parameter(kNumbers, "rhs_contracting_dimensions");
  if (lhs_batch.size() != rhs_batch.size()) {
    return check.Fail("lhs and rhs should have the same number of batching dimensions");
  }
  if (lhs_contract.size() != rhs_contract.size()) {
    return check.Fail("lhs and rhs should have the same number of contracting dimensions");
  }
  if (!check.DistinctIn("lhs_batching_dimensions", lhs_batch, "lhs_contracting_dimensions",
                        lhs_contract) ||
      !check.DistinctIn("rhs_batching_dimensions", rhs_batch, "rhs_contracting_dimensions",
                        rhs_contract) ||
      !check.AllInRange("lhs_batching_dimensions", lhs_batch, check.rank(0)) ||
      !check.AllInRange("lhs_contracting_dimensions", lhs_contract, check.rank(0)) ||
      !check.AllInRange("rhs_batching_dimensions", rhs_batch, check.rank(1)) ||
      !check.AllInRange("rhs_contracting_dimensions", rhs_contract, check.rank(1))) {
    return false;
  }
  const auto lhs = [&](int64_t i) { return check.sizes(0)[static_cast<size_t>(i)]; };
  const auto rhs = [&](int64_t i) { return check.sizes(1)[static_cast<size_t>(i)]; };
  for (size_t i = 0; i < lhs_batch.size(); ++i) {
    if (!SizesAgree(lhs(lhs_batch[i]), rhs(rhs_batch[i]))) {
      return check.Fail("batching dimension sizes must match for lhs/rhs");
    }
  }
  for (size_t i = 0; i < lhs_contract.size(); ++i) {
    if (!SizesAgree(lhs(lhs_contract[i]), rhs(rhs_contract[i]))) {
      return check.Fail("contracting dimension sizes must match for lhs/rhs, but they are ",
                        lhs(lhs_contract[i]), " and ", rhs(rhs_contract[i]));
    }
  }
  std::vector<int64_t> sizes;
  for (const shape_inference::OperandDimension& d : shape_inference::DotDimensions(
           {lhs_batch, lhs_contract, rhs_batch, rhs_contract}, check.rank(0), check.rank(1))) {
    sizes.push_back(d.operand == 0 ? lhs(d.dimension) : rhs(d.dimension));
  }
  return check.ResultIs(0, sizes, check.result(0)->element);
}

bool DotRule(Check& check) {
  if (!PrecisionRule(check)) return false;
  if (!IsTensor(check.operand(0)) || !IsTensor(check.operand(1))) return check.AllTensors();
  const int64_t lhs = check.rank(0), rhs = check.rank(1);
  if (lhs < 1 || lhs > 2 || rhs < 1 || rhs > 2) {
    return check.Fail("expected both lhs/rhs ranks to be either 1 or 2, but they are ", lhs,
                      " and ", rhs);
  }
  if (!SizesAgree(check.sizes(0).back(), check.sizes(1)[0])) {
    return check.Fail("contracting dimension sizes must match, but they are ",
                      check.sizes(0).back(), " and ", check.sizes(1)[0]);
  }
  std::vector<int64_t> sizes;
  if (lhs == 2) sizes.push_back(check.sizes(0)[0]);
  if (rhs == 2) sizes.push_back(check.sizes(1)[1]);
  return check.ResultIs(0, sizes, check.result(0)->element);
}

bool CholeskyRule(Check& check) {
  if (!check.AllTensors()) return false;
  const int64_t rank = check.rank(0);
  if (rank < 2) {
    return check.Fail("argument 'a' must have rank >= 2, got shape ", ListText(check.sizes(0)));
  }
  const auto sizes = check.sizes(0);
  if (!SizesAgree(sizes[static_cast<size_t>(rank) - 1], sizes[static_cast<size_t>(rank) - 2])) {
    return check.Fail("minor dimensions of 'a' must have equal size, got shape ", ListText(sizes));
  }
  return check.ResultIs(0, check.operand(0));
}

bool TriangularSolveRule(Check& check) {
  if (!check.AllTensors()) return false;
  const auto rank = static_cast<size_t>(check.rank(0));
  const auto a = check.sizes(0), b = check.sizes(1);
  if (rank < 2) {
    return check.Fail("operand 'a' must have rank >= 2, but got ",
                      mlir::ToString(check.operand(0)));
  }
  if (!ElementsAgree(check.operand(0)->element, check.operand(1)->element)) {
    return check.Fail("operands must have the same element type");
  }
  if (!SizesAgree(a[rank - 1], a[rank - 2])) {
    return check.Fail("two minor dimensions of operand 'a' must be compatible, but got ",
                      mlir::ToString(check.operand(0)));
  }
  if (b.size() != rank) {
    return check.Fail("operands must have equal rank, but got ", mlir::ToString(check.operand(0)),
                      " and ", mlir::ToString(check.operand(1)));
  }
  if (!SizesAgree(a[rank - 1], b[check.Flag("left_side") ? rank - 2 : rank - 1])) {
    return check.Fail("shared dimension of operands 'a' and 'b' must be compatible, but got ",
                      mlir::ToString(check.operand(0)), " and ", mlir::ToString(check.operand(1)));
  }
  if (!SizesAgree(a.subspan(0, rank - 2), b.subspan(0, rank - 2))) {
    return check.Fail("batch dimensions of the operands must be compatible, but got ",
                      mlir::ToString(check.operand(0)), " and ", mlir::ToString(check.operand(1)));
  }
  if (check.Keyword("transpose_a") == "TRANSPOSE_INVALID") {
    return check.Fail("Invalid transpose option value for triangular solve");
  }
  return check.ResultIs(0, check.operand(1));
}

bool FftRule(Check& check) {
  if (!check.AllTensors()) return false;
  const auto lengths = check.List("fft_length").value_or(std::vector<int64_t>());
  const auto count = static_cast<int64_t>(lengths.size());
  const std::string_view type = check.Keyword("fft_type");
  const TypeRef element = check.operand(0)->element;
  if (count < 1 || count > 3) {
    return check.Fail("rank must be between 1 and 3, but got ", count);
  }
  if (type == "RFFT") {
    if (element->kind != TypeKind::kFloat || (element->float_kind != mlir::FloatKind::kF32 &&
                                              element->float_kind != mlir::FloatKind::kF64)) {
      return check.Fail("RFFT requires f32 or f64 input type, but is given ",
                        mlir::ToString(element));
    }
  } else if (element->kind != TypeKind::kComplex) {
    return check.Fail("FFT/IFFT/IRFFT take a complex tensor as input, but are given ",
                      mlir::ToString(check.operand(0)));
  }
  const int64_t rank = check.rank(0);
  if (rank < count) {
    return check.Fail("operand rank must not be less than fft rank of ", count,
                      " for operand of type ", mlir::ToString(check.operand(0)));
  }
  std::vector<int64_t> sizes(check.sizes(0).begin(), check.sizes(0).end());
  const auto first = static_cast<size_t>(rank - count);
  for (size_t i = 0; i < lengths.size(); ++i) {
    const bool is_last = i + 1 == lengths.size();
    const int64_t expected =
        type == "IRFFT" && is_last ? shape_inference::HalfSpectrumSize(lengths[i]) : lengths[i];
    const bool checks = type == "RFFT" || type == "IRFFT";
    if (checks && !SizesAgree(sizes[first + i], expected)) {
      return check.Fail(View(type),
                        " requires the innermost dimensions to be compatible with "
                        "fft_length: dimension ",
                        first + i, " is ", sizes[first + i], ", expected ", expected);
    }
  }
  if (type == "RFFT" && !IsDynamicSize(sizes.back())) {
    sizes.back() = shape_inference::HalfSpectrumSize(lengths.back());
  }
  if (type == "IRFFT") sizes.back() = lengths.back();
  const TypeRef result = check.result(0)->element;
  if (type == "RFFT") {
    if (result->kind != TypeKind::kComplex || result->element != element) {
      return check.Fail("the result must be complex numbers of ", mlir::ToString(element));
    }
  } else if (result != (type == "IRFFT" ? element->element : element)) {
    return check.Fail("the result has an element type that does not fit the operand: ",
                      mlir::ToString(check.result(0)));
  }
  return check.ResultIs(0, sizes, result);
}

bool RngRule(Check& check) {
  if (!check.AllTensors()) return false;
  const bool is_normal = check.Keyword("rng_distribution") == "NORMAL";
  const uint32_t classes = is_normal ? uint32_t{kReals} : kReals | kIntegers | kBooleans;
  for (size_t i = 0; i < 2; ++i) {
    if (check.rank(i) != 0 || (ClassOf(check.operand(i)->element) & classes) == 0) {
      return check.Fail("operand #", i, " must be a 0D tensor of numbers, but is ",
                        mlir::ToString(check.operand(i)));
    }
  }
  if (check.operand(0)->element != check.operand(1)->element) {
    return check.Fail("requires the same element type for both limits");
  }
  const TypeRef shape = check.operand(2);
  if (Rank(shape) != 1 || IsDynamicSize(shape->sizes[0]) ||
      (shape->element->kind != TypeKind::kInteger && shape->element->kind != TypeKind::kIndex)) {
    return check.Fail("operand #2 must be a statically shaped vector of integers, but is ",
                      mlir::ToString(shape));
  }
  const auto sizes = check.ConstantOperand(2);
  return check.ResultIs(
      0, sizes.value_or(std::vector<int64_t>(static_cast<size_t>(shape->sizes[0]), mlir::kDynamic)),
      check.operand(0)->element);
}

bool RngBitGeneratorRule(Check& check) {
  if (!check.AllTensors()) return false;
  if (!TypesAgree(check.operand(0), check.result(0))) {
    return check.Fail("output state shape must be compatible with initial state shape. Got: ",
                      mlir::ToString(check.operand(0)), " and ", mlir::ToString(check.result(0)));
  }
  return true;
}

constexpr OperationRule kContractionRules[] = {
    {"stablehlo.cholesky", 1, 1, 1, 1, 0, kReals | kComplexes, "lower:bool?", CholeskyRule},
    {"stablehlo.dot", 2, 2, 1, 1, 0, kAnyElements, "precision_config?", DotRule},
    {"stablehlo.dot_general", 2, 2, 1, 1, 0, kAnyElements,
     "dot_dimension_numbers:struct precision_config? algorithm:struct?", DotGeneralRule},
    {"stablehlo.einsum", 2, 2, 1, 1, 0, kAnyElements, "einsum_config:str", nullptr},
    {"stablehlo.fft", 1, 1, 1, 1, 0, kAnyElements, "fft_type:enum fft_length:list", FftRule},
    {"stablehlo.rng", 3, 3, 1, 1, 0, kAnyElements, "rng_distribution:enum", RngRule},
    {"stablehlo.rng_bit_generator", 1, 1, 2, 2, 0, kAnyElements, "rng_algorithm:enum",
     RngBitGeneratorRule},
    {"stablehlo.triangular_solve", 2, 2, 1, 1, 0, kReals | kComplexes,
     "left_side:bool lower:bool unit_diagonal:bool transpose_a:enum", TriangularSolveRule},
    {"stablehlo.unary_einsum", 1, 1, 1, 1, 0, kAnyElements, "einsum_config:str", nullptr},
};

}  // namespace

void AddContractionRules(RuleTable* table) {
  for (const OperationRule& rule : kContractionRules) table->emplace(rule.name, &rule);
}

}  // namespace xla::stablehlo
