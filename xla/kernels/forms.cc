// SPDX-License-Identifier: Apache-2.0
#include "xla/kernels/forms.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace xla::kernels {

int64_t CheapestForm(absl::Span<const FormCost> forms) {
  const auto cheapest = absl::c_min_element(
      forms, [](const FormCost& a, const FormCost& b) { return a.cost < b.cost; });
  return cheapest == forms.end() || cheapest->cost == kDoesNotFit ? -1 : cheapest - forms.begin();
}

absl::StatusOr<size_t> ChooseForm(absl::Span<const FormCost> forms, std::string_view name) {
  if (name.empty()) {
    const int64_t cheapest = CheapestForm(forms);
    if (cheapest < 0) return absl::InvalidArgumentError("no form can compute this");
    return static_cast<size_t>(cheapest);
  }
  for (size_t i = 0; i < forms.size(); ++i) {
    if (forms[i].form == name) return i;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("no form \"", std::string(name), "\"; there are: ", ToString(forms)));
}

std::string ToString(absl::Span<const FormCost> forms) {
  std::vector<FormCost> sorted(forms.begin(), forms.end());
  absl::c_stable_sort(sorted, [](const FormCost& a, const FormCost& b) { return a.cost < b.cost; });
  return absl::StrJoin(sorted, "; ", [](std::string* out, const FormCost& form) {
    absl::StrAppendFormat(out, "%s %.2g", form.form, form.cost);
  });
}

}  // namespace xla::kernels
