// SPDX-License-Identifier: Apache-2.0
// Chooses among the forms of dot.
#include "xla/kernels/dot/dot_kernel.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "xla/base/status_macros.h"
#include "xla/kernels/by_need.h"
#include "xla/kernels/dot/dot_forms.h"
#include "xla/kernels/forms.h"
#include "xla/kernels/product/packing.h"
#include "xla/kernels/product/skinny_product.h"
#include "xla/primitive_util.h"

namespace xla::kernels {
namespace {

struct DotForm {
  const char* name;
  double (*cost)(const DotProblem& problem);
  std::unique_ptr<const Kernel> (*make)(DotProblem problem);
};

template <typename Packing>
constexpr DotForm kBlocked = {"blocked", &BlockedDotCost<Packing>, &MakeBlockedDot<Packing>};

// The matrix is of one type, so that at most one of these fits.
template <typename T, typename W>
constexpr DotForm kSkinny = {"skinny", &SkinnyDotCost<T, W>, &MakeSkinnyDot<T, W>};

constexpr DotForm kSmallF32 = {"small", &SmallDotCost<float>, &MakeSmallDot<float>};
constexpr DotForm kDirectF32 = {"direct", &DirectDotCost, &MakeDirectDot};

constexpr DotForm kF32[] = {kSmallF32, kSkinny<float, float>, kDirectF32,
                            kBlocked<WidePacking<float>>};
constexpr DotForm kMixed[] = {
    kSmallF32,  kSkinny<float, float>,       kSkinny<float, Bf16Bits>, kSkinny<float, int8_t>,
    kDirectF32, kBlocked<WidePacking<float>>};
constexpr DotForm kF64[] = {
    {"small", &SmallDotCost<double>, &MakeSmallDot<double>},
    kSkinny<double, double>,
    kBlocked<WidePacking<double>>,
};
constexpr DotForm kU32[] = {kBlocked<WidePacking<uint32_t>>};
constexpr DotForm kU64[] = {kBlocked<WidePacking<uint64_t>>};
constexpr DotForm kC64[] = {kBlocked<ComplexPacking<float>>};
constexpr DotForm kC128[] = {kBlocked<ComplexPacking<double>>};
constexpr DotForm kPairs[] = {kSkinny<float, Bf16Bits>, kBlocked<PairPacking>};
constexpr DotForm kQuads[] = {kSkinny<uint32_t, int8_t>, kBlocked<QuadPacking>};
constexpr DotForm kWords[] = {kSkinny<uint32_t, int8_t>, kSkinny<uint32_t, uint8_t>,
                              kBlocked<WordPacking>};
XLA_BY_NEED(MIXED, dot_mixed, kMixed);
XLA_BY_NEED(F64, dot_f64, kF64);
XLA_BY_NEED(INTEGERS, dot_u32, kU32);
XLA_BY_NEED(INTEGERS, dot_u64, kU64);
XLA_BY_NEED(COMPLEX, dot_c64, kC64);
XLA_BY_NEED(COMPLEX, dot_c128, kC128);
XLA_BY_NEED(HALVES, dot_pairs, kPairs);
XLA_BY_NEED(INTEGERS, dot_quads, kQuads);
XLA_BY_NEED(INTEGERS, dot_words, kWords);

// Returns the forms for operands and a result of these types. Forms of one list give the same
// results except for the order of summation.
absl::Span<const DotForm> FormsFor(PrimitiveType lhs, PrimitiveType rhs, PrimitiveType result) {
  const FormsByPacking<DotForm> forms = {.f32 = lhs == F32 && rhs == F32
                                                    ? absl::Span<const DotForm>(kF32)
                                                    : XLA_LINKED(MIXED, dot_mixed, kMixed),
                                         .f64 = XLA_LINKED(F64, dot_f64, kF64),
                                         .u32 = XLA_LINKED(INTEGERS, dot_u32, kU32),
                                         .u64 = XLA_LINKED(INTEGERS, dot_u64, kU64),
                                         .c64 = XLA_LINKED(COMPLEX, dot_c64, kC64),
                                         .c128 = XLA_LINKED(COMPLEX, dot_c128, kC128),
                                         .pairs = XLA_LINKED(HALVES, dot_pairs, kPairs),
                                         .quads = XLA_LINKED(INTEGERS, dot_quads, kQuads),
                                         .words = XLA_LINKED(INTEGERS, dot_words, kWords)};
  return forms.Of(PackedType(lhs, rhs, result));
}

// A form for one order of the operands.
struct Candidate {
  const DotForm* form;
  bool is_swapped;
};

struct Candidates {
  std::vector<Candidate> candidates;
  std::vector<FormCost> costs;
};

Candidates CandidatesOf(const DotSpec& spec, DotProblem problem) {
  Candidates all;
  for (const bool is_swapped : {false, true}) {
    if (is_swapped) problem.Swap();
    for (const DotForm& form : FormsFor(spec.lhs.type, spec.rhs.type, spec.result.type)) {
      const double cost = form.cost(problem);
      if (cost == kDoesNotFit) continue;
      all.candidates.push_back({&form, is_swapped});
      all.costs.push_back({absl::StrCat(form.name, is_swapped ? ", swapped" : ""), cost});
    }
  }
  return all;
}

}  // namespace

std::vector<FormCost> DotForms(const DotSpec& spec) {
  if (spec.result.element_count() == 0) return {};
  return CandidatesOf(spec, MakeDotProblem(spec)).costs;
}

absl::StatusOr<std::unique_ptr<const Kernel>> MakeDotKernel(const DotSpec& spec) {
  if (spec.result.element_count() == 0) return std::make_unique<EmptyKernel>();
  if (ContractionWideType(spec.lhs.type, spec.rhs.type, spec.result.type) ==
      PRIMITIVE_TYPE_INVALID) {
    return absl::UnimplementedError(
        absl::StrCat("products of complex numbers cannot be converted to ",
                     primitive_util::LowercasePrimitiveTypeName(spec.result.type)));
  }
  DotProblem problem = MakeDotProblem(spec);
  const Candidates all = CandidatesOf(spec, problem);
  XLA_ASSIGN_OR_RETURN(const size_t chosen, ChooseForm(all.costs, spec.form));
  const auto [form, is_swapped] = all.candidates[chosen];
  if (is_swapped) problem.Swap();
  return form->make(std::move(problem));
}

}  // namespace xla::kernels
