// SPDX-License-Identifier: Apache-2.0
// Patterns of arrays (xla/ffi/api/patterns.h). Compiles against XLA's header of the same interface,
// too, and gives the same texts there.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "xla/ffi/api/ffi.h"

namespace xla::ffi {
namespace {

// An array without data.
class Array {
 public:
  Array(XLA_FFI_DataType type, std::vector<int64_t> dims) : dims_(std::move(dims)) {
    buffer_.struct_size = XLA_FFI_Buffer_STRUCT_SIZE;
    buffer_.dtype = type;
    buffer_.rank = static_cast<int64_t>(dims_.size());
    buffer_.dims = dims_.data();
  }
  AnyBuffer any() const { return AnyBuffer(&buffer_); }
  template <typename T>
  T as() const {
    return T(&buffer_);
  }

 private:
  std::vector<int64_t> dims_;
  XLA_FFI_Buffer buffer_ = {};
};

template <typename Pattern>
std::string Told(const Array& array, const Pattern& pattern) {
  const Error error = Verify("x", array.any(), pattern);
  if (error.success()) return "fits";
  EXPECT_EQ(error.errc(), ErrorCode::kInvalidArgument);
  const std::string start = "Buffer 'x' failed to match a buffer";
  EXPECT_EQ(error.message().substr(0, start.size()), start);
  return error.message().substr(start.size());
}

TEST(PatternsTest, TypesAndRanksAreOneOfThoseListed) {
  const Array array(XLA_FFI_DataType_F32, {2, 3});
  EXPECT_EQ(Told(array, match::Buffer()), "fits");
  EXPECT_EQ(Told(array, match::Buffer<F32>()), "fits");
  EXPECT_EQ(Told(array, match::Buffer<F32, 2>()), "fits");
  EXPECT_EQ(Told(array, match::Buffer().WithDType<F64, F32>().WithRank<1, 2>()), "fits");
  EXPECT_EQ(Told(array, match::Buffer<F64>()), " with dtype F64: expected dtype F64 but got F32");
  EXPECT_EQ(Told(array, match::Buffer<F32, 3>()),
            " with dtype F32 with rank 3: expected rank 3 but got 2");
  EXPECT_EQ(Told(array, match::Buffer().WithDType<F64, S8>()),
            " with dtype in [F64, S8]: expected dtype to be one of [F64, S8] but got F32");
  EXPECT_EQ(Told(array, match::Buffer().WithRank<0, 1, 3>()),
            " with rank in [0, 1, 3]: expected rank to be one of [0, 1, 3] but got 2");
  // The last one counts.
  EXPECT_EQ(Told(array, match::Buffer<F64, 7>().WithDType<F32>().WithRank<2>()), "fits");
}

TEST(PatternsTest, SizesAreNumbersOrStored) {
  const Array array(XLA_FFI_DataType_F32, {2, 3, 2});
  int64_t rows = -1, columns = -1;
  const auto square = match::Buffer().WithDims(&rows, &columns, &rows);
  EXPECT_EQ(Told(array, square), "fits");
  EXPECT_EQ(rows, 2);
  EXPECT_EQ(columns, 3);
  EXPECT_EQ(Told(Array(XLA_FFI_DataType_F32, {4, 5, 6}), square),
            " with rank 3 with dimensions [any dimension (captured), any dimension (captured), any "
            "dimension (captured)]: expected dimension 2 to be 4 but got 6");
  EXPECT_EQ(rows, 2) << "is not stored unless all of it fits";
  EXPECT_EQ(Told(array, match::Buffer().WithDims(2, match::Dim(), size_t{2})), "fits");
  EXPECT_EQ(Told(array, match::Buffer().WithDims(2, match::Dim(4), 2)),
            " with rank 3 with dimensions [2, 4, 2]: expected dimension 1 to be 4 but got 3");
  EXPECT_EQ(Told(array, match::Buffer().WithDims(2, 3)),
            " with rank 2 with dimensions [2, 3]: expected rank 2 but got 3");
  EXPECT_EQ(Told(array, match::Buffer().WithDim(1, 3).WithDim<2>(match::Dim(&columns))), "fits");
  EXPECT_EQ(columns, 2);
  EXPECT_EQ(Told(array, match::Buffer().WithDim<3>(1)),
            " with dimensions [any dimension, any dimension, any dimension, 1]: expected dimension "
            "3 but buffer rank is 3");
}

TEST(PatternsTest, AnotherArrayIsAPattern) {
  const Array array(XLA_FFI_DataType_F32, {2, 3});
  const Array same(XLA_FFI_DataType_S8, {2, 3}), other(XLA_FFI_DataType_F32, {2, 4});
  EXPECT_EQ(Told(same, match::Buffer().WithShapeOf(array.any())), "fits");
  EXPECT_EQ(Told(other, match::Buffer<F32>().WithShapeOf(array.any())),
            " with dtype F32 with rank 2 with dimensions [2, 3]: expected dimension 1 to be 3 but "
            "got 4");
  EXPECT_EQ(Told(array, match::Buffer().Like(array.as<BufferR2<F32>>())), "fits");
  EXPECT_EQ(Told(same, match::Buffer().Like(array.any())),
            " with dtype F32 with rank 2 with dimensions [2, 3]: expected dtype F32 but got S8");
  EXPECT_EQ(Told(Array(XLA_FFI_DataType_F32, {2}), match::Buffer().WithShapeOf(array.any())),
            " with rank 2 with dimensions [2, 3]: expected rank 2 but got 1");
}

TEST(PatternsTest, WhatMatchesHasTheTypeOfThePattern) {
  const Array array(XLA_FFI_DataType_F32, {2, 3});
  int64_t columns = 0;
  auto matrix = Match("m", array.any(), match::Buffer<F32>().WithDims(2, &columns));
  static_assert(std::is_same_v<decltype(matrix), ErrorOr<Buffer<F32, 2>>>);
  ASSERT_TRUE(matrix.has_value());
  EXPECT_EQ(matrix->element_count(), 6u);
  EXPECT_EQ(columns, 3);
  const auto vector = Match("v", array.any(), match::Buffer<F32, 1>());
  ASSERT_TRUE(vector.has_error());
  EXPECT_EQ(vector.error().message(),
            "Buffer 'v' failed to match a buffer with dtype F32 with rank 1: expected rank 1 but "
            "got 2");
  // What is typed already may be asked for anything.
  auto typed = Match("t", array.as<Buffer<F32>>(), match::Buffer().WithRank<1, 2>().WithDim(0, 2));
  static_assert(std::is_same_v<decltype(typed), ErrorOr<Buffer<F32>>>);
  EXPECT_TRUE(typed.has_value());
  auto result = Match("r", Result<AnyBuffer>(array.any()), match::Buffer<F32, 2>());
  static_assert(std::is_same_v<decltype(result), ErrorOr<Result<Buffer<F32, 2>>>>);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ((*result)->dimensions().size(), 2u);
  EXPECT_TRUE(Match("r", Result<AnyBuffer>(array.any()), match::Buffer<S8, 2>()).has_error());
}

}  // namespace
}  // namespace xla::ffi
