// SPDX-License-Identifier: Apache-2.0
// Large matrices, which threads share: the same bits for any number of them; and runs that are told
// to stop.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <random>
#include <string>
#include <vector>

#include "tests/lapack/lapack_test_util.h"

namespace xla::lapack {
namespace {

std::vector<Array> OperandsOf(const Case& test, const Type& type) {
  std::mt19937 random(4);
  std::vector<Array> operands;
  for (const std::string& text : test.operands) {
    const Shape shape = ShapeOf(text);
    int64_t count = 1;
    for (const int64_t size : shape.dimensions()) count *= size;
    std::vector<Matrix> m = {RandomMatrix(random, type, 1, count)};
    for (complex128& element : m[0].data) element *= 0.05;
    // Diagonally dominant.
    const int64_t columns = shape.dimensions().back();
    for (int64_t i = 0; shape.rank() == 2 && i * columns + i < count && i < columns; ++i)
      m[0].data[static_cast<size_t>(i * columns + i)] += 3;
    operands.push_back(ArrayOf(shape, m));
  }
  return operands;
}

class Threads : public ::testing::TestWithParam<Type> {};

TEST_P(Threads, SameBitsForAnyNumber) {
  const Type& type = GetParam();
  for (const Case& test : CasesOf(type, 220, 180)) {
    const std::vector<Array> operands = OperandsOf(test, type);
    const std::string attributes = absl::StrCat("{", test.attributes, "}");
    ASSERT_OK_AND_ASSIGN(const std::vector<Array> one,
                         RunCall(type.Target(test.routine), attributes, operands, test.result, 1));
    for (const int workers : {2, 5}) {
      ASSERT_OK_AND_ASSIGN(
          const std::vector<Array> more,
          RunCall(type.Target(test.routine), attributes, operands, test.result, workers));
      for (size_t i = 0; i < one.size(); ++i)
        EXPECT_EQ(one[i].bytes, more[i].bytes) << test.routine << " " << i << " " << workers;
    }
  }
}

std::atomic<int> polls_before_stop;

// A run that is told to stop ends long before it is done.
TEST(StopTest, EndsSoon) {
  const Type& type = kTypes[1];
  for (const Case& test : CasesOf(type, 500, 460)) {
    if (test.routine == "gtsv") continue;  // done before it would ask
    std::vector<Array> operands = OperandsOf(test, type), results;
    LapackCall call;
    const std::string target = type.Target(test.routine),
                      attributes = absl::StrCat("{", test.attributes, "}");
    call.target = target;
    call.instruction = "call";
    call.attributes = attributes;
    std::vector<void*> buffers;
    for (Array& operand : operands) {
      call.operands.push_back(operand.shape);
      buffers.push_back(operand.bytes.data());
    }
    call.result = ShapeOf(test.result);
    ASSERT_OK_AND_ASSIGN(const auto kernel, MakeLapackKernel(call));
    for (int i = 0; i < (call.result.IsTuple() ? call.result.tuple_shapes_size() : 1); ++i) {
      const Shape& shape = call.result.IsTuple() ? call.result.tuple_shapes(i) : call.result;
      int64_t bytes = primitive_util::ByteWidth(shape.element_type());
      for (const int64_t size : shape.dimensions()) bytes *= size;
      results.push_back({shape, std::vector<char>(static_cast<size_t>(bytes))});
    }
    for (Array& result : results) buffers.push_back(result.bytes.data());
    polls_before_stop = 1;
    const auto begin = std::chrono::steady_clock::now();
    const absl::Status status = kernels::RunPrepared(*kernel, buffers, 2, [](void*) {
      return static_cast<int32_t>(polls_before_stop-- > 0 ? absl::StatusCode::kOk
                                                          : absl::StatusCode::kCancelled);
    });
    EXPECT_EQ(status.code(), absl::StatusCode::kCancelled) << test.routine;
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    RecordProperty(test.routine, std::to_string(seconds.count()));
  }
}

INSTANTIATE_TEST_SUITE_P(Types, Threads, ::testing::ValuesIn(kTypes),
                         [](const auto& info) { return std::string(1, info.param.letter); });

}  // namespace
}  // namespace xla::lapack
