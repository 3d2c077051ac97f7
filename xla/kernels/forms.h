// SPDX-License-Identifier: Apache-2.0
// Forms: the ways in which a kernel can compute a problem, and the choice among them.
//
// Each form has a cost, estimated only from the sizes, strides and element types, so that the
// choice is the same for any number of threads. The cheapest form is used.
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

// The cost of a form that cannot compute the problem.
inline constexpr double kDoesNotFit = std::numeric_limits<double>::infinity();

struct FormCost {
  std::string form;
  double cost = kDoesNotFit;  // estimated cycles of one core, data in the cache
};

// Returns the position of the cheapest form, the first among equal ones; -1 if there is none.
int64_t CheapestForm(absl::Span<const FormCost> forms);

// Returns the form with the name, or the cheapest if the name is empty. INVALID_ARGUMENT if there
// is none.
absl::StatusOr<size_t> ChooseForm(absl::Span<const FormCost> forms, std::string_view name);

// An entry of a table of forms. Spec is the type of the problem.
template <typename Spec>
struct Form {
  const char* name;
  double (*cost)(const Spec& spec);
  std::unique_ptr<const Kernel> (*make)(const Spec& spec);
};

// Returns the forms that fit, in the order of the table.
template <typename Spec>
std::vector<FormCost> CostsOf(absl::Span<const Form<Spec>> forms, const Spec& spec) {
  std::vector<FormCost> costs;
  for (const Form<Spec>& form : forms) {
    if (const double cost = form.cost(spec); cost != kDoesNotFit)
      costs.push_back({form.name, cost});
  }
  return costs;
}

// Makes the kernel of the form that spec.form names, or of the cheapest; null if no form fits.
// INVALID_ARGUMENT if there is no form of that name.
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

// Returns text such as "form 1200 cycles; other form 1900", the cheapest first.
std::string ToString(absl::Span<const FormCost> forms);

}  // namespace xla::kernels

#endif  // XLA_KERNELS_FORMS_H_
