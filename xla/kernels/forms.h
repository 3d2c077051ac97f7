// SPDX-License-Identifier: Apache-2.0
// Forms: the ways in which a kernel can compute what it is made for, and the choice among them.
//
// Each form has a cost, estimated from the sizes, strides and element types alone, so that the
// choice is the same for any number of threads. The cheapest form is taken.
#ifndef XLA_KERNELS_FORMS_H_
#define XLA_KERNELS_FORMS_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

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

// "form 1200 cycles; other form 1900", the cheapest first.
std::string ToString(absl::Span<const FormCost> forms);

}  // namespace xla::kernels

#endif  // XLA_KERNELS_FORMS_H_
