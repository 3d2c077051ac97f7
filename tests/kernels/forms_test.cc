// SPDX-License-Identifier: Apache-2.0
#include "xla/kernels/forms.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/test_util.h"

namespace xla::kernels {
namespace {

TEST(FormsTest, TheCheapestIsChosen) {
  const std::vector<FormCost> forms = {
      {"large", 300}, {"small", 20}, {"equal", 20}, {"impossible", kDoesNotFit}};
  EXPECT_EQ(CheapestForm(forms), 1);
  ASSERT_OK_AND_ASSIGN(const size_t cheapest, ChooseForm(forms, ""));
  EXPECT_EQ(cheapest, 1u);
  ASSERT_OK_AND_ASSIGN(const size_t named, ChooseForm(forms, "large"));
  EXPECT_EQ(named, 0u);
  EXPECT_STATUS(ChooseForm(forms, "other").status(), absl::StatusCode::kInvalidArgument,
                "no form \"other\"");
  EXPECT_EQ(ToString(std::vector<FormCost>(forms.begin(), forms.begin() + 2)),
            "small 20; large 3e+02");
}

TEST(FormsTest, NoFormFits) {
  EXPECT_EQ(CheapestForm({}), -1);
  EXPECT_EQ(CheapestForm(std::vector<FormCost>{{"impossible", kDoesNotFit}}), -1);
  EXPECT_STATUS(ChooseForm({}, "").status(), absl::StatusCode::kInvalidArgument,
                "no form can compute this");
}

}  // namespace
}  // namespace xla::kernels
