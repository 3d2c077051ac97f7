// SPDX-License-Identifier: Apache-2.0
// The programs of models/ give the answers that XLA's CPU compiler gave.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "tests/test_util.h"
#include "tools/npz.h"
#include "tools/process.h"
#include "tools/program_files.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/interpreter/interpreter.h"
#include "xla/literal.h"

namespace xla {
namespace {

absl::StatusOr<NumpyFile> OpenArrays(const std::string& file) {
  return NumpyFile::Open(testing::SourcePath(absl::StrCat("models/", file)));
}

absl::StatusOr<std::vector<Literal>> ReadArrays(const std::string& file) {
  XLA_ASSIGN_OR_RETURN(const NumpyFile arrays, OpenArrays(file));
  std::vector<Literal> literals;
  for (size_t i = 0; i < arrays.size(); ++i) {
    XLA_ASSIGN_OR_RETURN(Literal literal, arrays.Read(i));
    literals.push_back(std::move(literal));
  }
  return literals;
}

// The results of the program on the arrays of the inputs file, one literal a tuple element.
absl::StatusOr<std::vector<Literal>> RunModel(const std::string& program,
                                              const std::string& inputs) {
  const std::string text =
      testing::ReadTestFile(testing::SourcePath(absl::StrCat("models/", program)));
  XLA_ASSIGN_OR_RETURN(const auto module, LoadModuleFromBytes(text));
  const auto& parameters = module->entry_computation()->parameter_instructions();
  XLA_ASSIGN_OR_RETURN(const NumpyFile arrays, OpenArrays(inputs));
  if (arrays.size() != parameters.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(arrays.size(), " arrays for ", parameters.size(), " parameters"));
  }
  std::vector<Literal> arguments;
  for (size_t i = 0; i < arrays.size(); ++i) {
    XLA_ASSIGN_OR_RETURN(Literal argument, arrays.ReadAs(i, parameters[i]->shape()));
    arguments.push_back(std::move(argument));
  }
  std::vector<const Literal*> pointers;
  for (const Literal& argument : arguments) pointers.push_back(&argument);
  XLA_ASSIGN_OR_RETURN(Literal result, Interpret(*module, pointers));
  if (result.shape().IsTuple()) return result.DecomposeTuple();
  std::vector<Literal> results;
  results.push_back(std::move(result));
  return results;
}

template <typename T>
std::vector<T> Values(const Literal& literal) {
  return std::vector<T>(literal.data<T>().begin(), literal.data<T>().end());
}

// HLO text, StableHLO text and StableHLO bytecode.
class ModelFormTest : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Forms, ModelFormTest, ::testing::Values("hlo", "mlir", "mlirbc"),
                         [](const auto& form) { return form.param; });

TEST_P(ModelFormTest, DigitsPredictsTheLabelsAndProbabilitiesOfXla) {
  ASSERT_OK_AND_ASSIGN(const auto expected, ReadArrays("digits/predict_expected.npz"));
  ASSERT_OK_AND_ASSIGN(const auto results,
                       RunModel("digits/predict." + GetParam(), "digits/test_images.npy"));
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(Values<int32_t>(results[0]), Values<int32_t>(expected[0]));
  const auto ours = Values<float>(results[1]), theirs = Values<float>(expected[1]);
  ASSERT_EQ(ours.size(), theirs.size());
  for (size_t i = 0; i < ours.size(); ++i) ASSERT_NEAR(ours[i], theirs[i], 1e-5) << i;
}

// Training amplifies rounding: the first 50 losses agree closely, the last 50 in their mean.
TEST_P(ModelFormTest, DigitsTrainsWithTheLossesOfXla) {
  ASSERT_OK_AND_ASSIGN(const auto expected, ReadArrays("digits/train_expected.npz"));
  ASSERT_OK_AND_ASSIGN(const auto results,
                       RunModel("digits/train." + GetParam(), "digits/train_inputs.npz"));
  ASSERT_EQ(results.size(), expected.size());
  const auto ours = Values<float>(results[0]), theirs = Values<float>(expected[0]);
  ASSERT_EQ(ours.size(), 300u);
  ASSERT_EQ(theirs.size(), 300u);
  for (size_t i = 0; i < 50; ++i) ASSERT_NEAR(ours[i], theirs[i], 1e-4 * theirs[i]) << i;
  double our_mean = 0, their_mean = 0;
  for (size_t i = 250; i < 300; ++i) {
    our_mean += ours[i] / 50;
    their_mean += theirs[i] / 50;
  }
  EXPECT_NEAR(our_mean, their_mean, 0.1 * their_mean);
}

void ExpectSameTokens(const std::string& name) {
  ASSERT_OK_AND_ASSIGN(const auto expected,
                       ReadArrays(absl::StrCat("textgen/", name, "_expected.npz")));
  ASSERT_OK_AND_ASSIGN(const auto results,
                       RunModel(absl::StrCat("textgen/", name, ".hlo"), "textgen/inputs.npz"));
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(Values<int32_t>(results[0]), Values<int32_t>(expected[0]));
}

TEST(ModelsTest, TextgenWritesTheGreedyTokensOfXla) { ExpectSameTokens("generate_greedy"); }

TEST(ModelsTest, TextgenWritesTheSampledTokensOfXla) { ExpectSameTokens("generate_sampled"); }

}  // namespace
}  // namespace xla
