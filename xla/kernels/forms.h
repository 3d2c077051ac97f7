// SPDX-License-Identifier: Apache-2.0
// Forms: the ways in which a kernel can compute what it is made for, and the choice among them.
//
// Each form has a cost, estimated from the sizes, strides and element types alone, so that the
// choice is the same for any number of threads. The cheapest form is taken.
#ifndef XLA_KERNELS_FORMS_H_
#define XLA_KERNELS_FORMS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/base/status_macros.h"
#include "xla/kernels/kernel.h"

namespace xla::kernels {

// Of a form that cannot compute the problem.
inline constexpr double kDoesNotFit = std::numeric_limits<double>::infinity();

struct FormCost {
  std::string form;
  double cost = kDoesNotFit;  // estimated cycles of one core, data in the cache
};

// The position of the cheapest form, of equal ones the first; -1 if there is none.
int64_t CheapestForm(absl::Span<const FormCost> forms);

// The form of this name, the cheapest if it is empty. INVALID_ARGUMENT if there is none.
absl::StatusOr<size_t> ChooseForm(absl::Span<const FormCost> forms, std::string_view name);

// A form of a table: Spec says what is to be computed.
template <typename Spec>
struct Form {
  const char* name;
  double (*cost)(const Spec& spec);
  std::unique_ptr<const Kernel> (*make)(const Spec& spec);
};

// The forms that fit, in the order of the table.
template <typename Spec>
std::vector<FormCost> CostsOf(absl::Span<const Form<Spec>> forms, const Spec& spec) {
  std::vector<FormCost> costs;
  for (const Form<Spec>& form : forms) {
    if (const double cost = form.cost(spec); cost != kDoesNotFit)
      costs.push_back({form.name, cost});
  }
  return costs;
}

// The kernel of the form that spec.form names, or of the cheapest; null if no form fits.
// INVALID_ARGUMENT if there is none of that name.
template <typename Spec>
absl::StatusOr<std::unique_ptr<const Kernel>> MakeChosen(absl::Span<const Form<Spec>> forms,
                                                         const Spec& spec) {
  const std::vector<FormCost> costs = CostsOf(forms, spec);
  if (costs.empty()) return nullptr;
  XLA_ASSIGN_OR_RETURN(const size_t chosen, ChooseForm(costs, spec.form));
  return std::find_if(forms.begin(), forms.end(),
                      [&](const Form<Spec>& form) { return form.name == costs[chosen].form; })
      ->make(spec);
}

// "form 1200 cycles; other form 1900", the cheapest first.
std::string ToString(absl::Span<const FormCost> forms);

}  // namespace xla::kernels

#endif  // XLA_KERNELS_FORMS_H_
