// SPDX-License-Identifier: Apache-2.0
// Chooses among the forms of convolution.
#include "xla/kernels/convolution/convolution_kernel.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "xla/base/status_macros.h"
#include "xla/kernels/by_need.h"
#include "xla/kernels/convolution/convolution_forms.h"
#include "xla/kernels/convolution/convolution_problem.h"
#include "xla/kernels/convolution/row_convolution.h"
#include "xla/kernels/forms.h"
#include "xla/kernels/product/direct_product.h"
#include "xla/kernels/product/packing.h"
#include "xla/primitive_util.h"

namespace xla::kernels {
namespace {

using KernelOr = absl::StatusOr<std::unique_ptr<const Kernel>>;

// A form that computes the convolution as it is given.
struct SpecForm {
  const char* name;
  double (*cost)(const ConvolutionSpec& spec);
  KernelOr (*make)(const ConvolutionSpec& spec);
};

constexpr SpecForm kSpecForms[] = {
    {"pointwise", &PointwiseCost, &MakePointwise},
    {"phases", [](const ConvolutionSpec& spec) { return PhasesCost(spec, /*joins=*/false); },
     [](const ConvolutionSpec& spec) { return MakePhases(spec, /*joins=*/false); }},
    {"phases as features",
     [](const ConvolutionSpec& spec) { return PhasesCost(spec, /*joins=*/true); },
     [](const ConvolutionSpec& spec) { return MakePhases(spec, /*joins=*/true); }},
    {"overlap-add", &OverlapAddCost, &MakeOverlapAdd},
};

// A form that computes the product of patches and features.
struct ProblemForm {
  const char* name;
  double (*cost)(const ConvolutionProblem& problem);
  std::unique_ptr<const Kernel> (*make)(ConvolutionProblem problem);
};

DirectProductSpec DirectSpec(const ConvolutionProblem& problem) {
  return {.convolution = problem.conv,
          .kernel_origin = problem.kernel_origin,
          .result_origin = problem.result_origin,
          .kernel_scale = problem.kernel_scale,
          .epilogue = problem.epilogue};
}

// Whether sums may be accumulated in the memory of the result.
bool SumsInPlace(const ConvolutionProblem& problem) {
  return problem.epilogue.store == nullptr || problem.epilogue.in_place;
}

constexpr ProblemForm kDepthwise = {"depthwise", &DepthwiseCost, &MakeDepthwise};
constexpr ProblemForm kDirect = {
    "direct",
    [](const ConvolutionProblem& problem) {
      return SumsInPlace(problem) ? DirectProductCost(DirectSpec(problem)) : kDoesNotFit;
    },
    [](ConvolutionProblem problem) { return MakeDirectProduct(DirectSpec(problem)); }};
template <typename T>
constexpr ProblemForm kRows = {
    "rows",
    [](const ConvolutionProblem& problem) {
      return SumsInPlace(problem) ? RowConvolutionCost<T>(DirectSpec(problem)) : kDoesNotFit;
    },
    [](ConvolutionProblem problem) { return MakeRowConvolution<T>(DirectSpec(problem)); }};
template <typename Packing>
constexpr ProblemForm kPatchRows = {"patch rows", &PatchRowsCost<Packing>, &MakePatchRows<Packing>};
template <typename Packing>
constexpr ProblemForm kPatchColumns = {"patch columns", &PatchColumnsCost<Packing>,
                                       &MakePatchColumns<Packing>};

constexpr ProblemForm kF32[] = {kDepthwise, kDirect, kRows<float>, kPatchRows<WidePacking<float>>,
                                kPatchColumns<WidePacking<float>>};
constexpr ProblemForm kF64[] = {kRows<double>, kPatchRows<WidePacking<double>>,
                                kPatchColumns<WidePacking<double>>};
constexpr ProblemForm kU32[] = {kPatchRows<WidePacking<uint32_t>>,
                                kPatchColumns<WidePacking<uint32_t>>};
constexpr ProblemForm kU64[] = {kPatchRows<WidePacking<uint64_t>>,
                                kPatchColumns<WidePacking<uint64_t>>};
constexpr ProblemForm kC64[] = {kPatchRows<ComplexPacking<float>>};
constexpr ProblemForm kC128[] = {kPatchRows<ComplexPacking<double>>};
constexpr ProblemForm kPairs[] = {kDepthwise, kPatchRows<PairPacking>,
                                  kPatchColumns<WidePacking<float>>};
constexpr ProblemForm kQuads[] = {kPatchRows<QuadPacking>, kPatchColumns<WidePacking<uint32_t>>};
constexpr ProblemForm kWords[] = {kPatchRows<WordPacking>, kPatchColumns<WidePacking<uint32_t>>};
XLA_BY_NEED(F64, convolution_f64, kF64);
XLA_BY_NEED(INTEGERS, convolution_u32, kU32);
XLA_BY_NEED(INTEGERS, convolution_u64, kU64);
XLA_BY_NEED(COMPLEX, convolution_c64, kC64);
XLA_BY_NEED(COMPLEX, convolution_c128, kC128);
XLA_BY_NEED(HALVES, convolution_pairs, kPairs);
XLA_BY_NEED(INTEGERS, convolution_quads, kQuads);
XLA_BY_NEED(INTEGERS, convolution_words, kWords);

absl::Span<const ProblemForm> FormsFor(PrimitiveType input, PrimitiveType kernel,
                                       PrimitiveType result) {
  const PrimitiveType packed = PackedType(input, kernel, result);
  // Patches of other types are not converted to complex numbers.
  if (primitive_util::IsComplexType(packed) && (input != packed || kernel != packed)) return {};
  const FormsByPacking<ProblemForm> forms = {
      .f32 = kF32,
      .f64 = XLA_LINKED(F64, convolution_f64, kF64),
      .u32 = XLA_LINKED(INTEGERS, convolution_u32, kU32),
      .u64 = XLA_LINKED(INTEGERS, convolution_u64, kU64),
      .c64 = XLA_LINKED(COMPLEX, convolution_c64, kC64),
      .c128 = XLA_LINKED(COMPLEX, convolution_c128, kC128),
      .pairs = XLA_LINKED(HALVES, convolution_pairs, kPairs),
      .quads = XLA_LINKED(INTEGERS, convolution_quads, kQuads),
      .words = XLA_LINKED(INTEGERS, convolution_words, kWords)};
  return forms.Of(packed);
}

struct Candidates {
  std::vector<FormCost> costs;
  std::vector<const SpecForm*> of_spec;        // first
  std::vector<const ProblemForm*> of_problem;  // and then these
};

Candidates CandidatesOf(const ConvolutionSpec& spec, const ConvolutionProblem& problem) {
  Candidates all;
  const auto fits = [&](const char* name, double cost) {
    if (cost != kDoesNotFit) all.costs.push_back({name, cost});
    return cost != kDoesNotFit;
  };
  for (const SpecForm& form : kSpecForms) {
    if (fits(form.name, form.cost(spec))) all.of_spec.push_back(&form);
  }
  for (const ProblemForm& form : FormsFor(spec.input.type, spec.kernel.type, spec.result.type)) {
    if (fits(form.name, form.cost(problem))) all.of_problem.push_back(&form);
  }
  return all;
}

}  // namespace

std::vector<FormCost> ConvolutionForms(const ConvolutionSpec& spec) {
  if (spec.result.element_count() == 0) return {};
  return CandidatesOf(spec, MakeConvolutionProblem(spec)).costs;
}

KernelOr MakeConvolutionKernel(const ConvolutionSpec& spec) {
  if (spec.result.element_count() == 0) return std::make_unique<EmptyKernel>();
  ConvolutionProblem problem = MakeConvolutionProblem(spec);
  const Candidates all = CandidatesOf(spec, problem);
  if (all.costs.empty()) {
    return absl::UnimplementedError(absl::StrCat(
        "convolution of ", primitive_util::LowercasePrimitiveTypeName(spec.input.type), " and ",
        primitive_util::LowercasePrimitiveTypeName(spec.kernel.type), " with a result of ",
        primitive_util::LowercasePrimitiveTypeName(spec.result.type)));
  }
  XLA_ASSIGN_OR_RETURN(const size_t chosen, ChooseForm(all.costs, spec.form));
  if (chosen < all.of_spec.size()) return all.of_spec[chosen]->make(spec);
  return all.of_problem[chosen - all.of_spec.size()]->make(std::move(problem));
}

}  // namespace xla::kernels
