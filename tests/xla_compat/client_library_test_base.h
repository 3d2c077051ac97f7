// SPDX-License-Identifier: Apache-2.0
// Stand-in for XLA's ClientLibraryTestRunnerMixin: builds a program, runs it and compares its
// result.
#ifndef TESTS_XLA_COMPAT_CLIENT_LIBRARY_TEST_BASE_H_
#define TESTS_XLA_COMPAT_CLIENT_LIBRARY_TEST_BASE_H_

#include <algorithm>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/xla_compat/hlo_test_base.h"
#include "xla/array2d.h"
#include "xla/array3d.h"
#include "xla/array4d.h"
#include "xla/execution_options_util.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/literal_util.h"
#include "xla/tsl/lib/core/bitmap.h"

namespace xla {

XlaComputation CreateScalarReluF32();
XlaComputation CreateScalarMax(PrimitiveType type);
std::unique_ptr<Array2D<float>> CreatePatternedMatrix(int rows, int cols, float offset = 0.0f);
std::unique_ptr<Array2D<float>> CreatePatternedMatrixWithZeroPadding(int rows, int cols,
                                                                     int rows_padded,
                                                                     int cols_padded);

template <typename T>
class PseudorandomGenerator {
 public:
  PseudorandomGenerator(T min_value, T max_value, uint32_t seed)
      : min_(min_value), max_(max_value), engine_(seed) {}
  T get() {
    std::uniform_real_distribution<> distribution;
    return static_cast<T>(min_ + (max_ - min_) * distribution(engine_));
  }

 private:
  T min_, max_;
  std::mt19937 engine_;
};

template <typename T>
std::vector<T> CreatePseudorandomR1(int width, T min_value, T max_value, uint32_t seed) {
  std::vector<T> result(width);
  PseudorandomGenerator<T> generator(min_value, max_value, seed);
  for (int i = 0; i < width; ++i) result[i] = generator.get();
  return result;
}

template <typename T>
std::unique_ptr<Array2D<T>> CreatePseudorandomR2(int rows, int cols, T min_value, T max_value,
                                                 uint32_t seed) {
  auto result = std::make_unique<Array2D<T>>(rows, cols);
  PseudorandomGenerator<T> generator(min_value, max_value, seed);
  for (int y = 0; y < rows; ++y) {
    for (int x = 0; x < cols; ++x) (*result)(y, x) = generator.get();
  }
  return result;
}

template <typename TestCase>
std::vector<TestCase> ExpandTestType(absl::Span<const PrimitiveType> types,
                                     absl::Span<const TestCase> specs) {
  std::vector<TestCase> expanded;
  for (const PrimitiveType type : types) {
    for (const TestCase& spec : specs) {
      expanded.push_back(spec);
      expanded.back().test_type = type;
    }
  }
  return expanded;
}

template <typename T>
class ClientLibraryTestRunnerMixin : public T {
 protected:
  using Arguments = absl::Span<const Literal* const>;
  using Error = std::optional<ErrorSpec>;

  template <typename... Args>
  explicit ClientLibraryTestRunnerMixin(Args&&... args) : T(std::forward<Args>(args)...) {}

  PrimitiveType FloatType() const { return type_; }
  void set_float_type(PrimitiveType type) { type_ = type; }

  absl::StatusOr<Literal> ExecuteAndTransfer(const XlaComputation& computation, Arguments arguments,
                                             const Shape* output_layout = nullptr) {
    ExecutionOptions options = options_;
    if (output_layout != nullptr) {
      *options.mutable_shape_with_output_layout() = output_layout->ToProto();
    }
    return Run(computation, arguments, options);
  }
  absl::StatusOr<Literal> ExecuteAndTransfer(XlaBuilder* builder, Arguments arguments,
                                             const Shape* output_layout = nullptr) {
    absl::StatusOr<XlaComputation> computation = builder->Build();
    if (!computation.ok()) return computation.status();
    return ExecuteAndTransfer(*computation, arguments, output_layout);
  }
  std::string ExecuteToString(XlaBuilder* builder, Arguments arguments) {
    const absl::StatusOr<Literal> result = ExecuteAndTransfer(builder, arguments);
    return result.ok() ? result->ToString() : result.status().ToString();
  }

  void ComputeAndCompare(XlaBuilder* builder, Arguments arguments, Error error = std::nullopt) {
    ASSERT_OK_AND_ASSIGN(const XlaComputation computation, builder->Build());
    ASSERT_OK_AND_ASSIGN(auto module, this->HloModuleFromXlaComputation(computation, options_));
    EXPECT_TRUE(this->RunAndCompare(std::move(module), arguments, error));
  }
  void ComputeAndCompareLiteral(XlaBuilder* builder, const Literal& expected, Arguments arguments,
                                const Shape* shape_with_layout) {
    ComputeAndCompareLiteral(builder, expected, arguments, std::nullopt, shape_with_layout);
  }
  void ComputeAndCompareLiteral(XlaBuilder* builder, const Literal& expected, Arguments arguments,
                                Error error = std::nullopt,
                                const Shape* shape_with_layout = nullptr) {
    const Literal converted = MaybeConvertLiteralToTestType(expected);
    Shape layout_shape;
    if (type_ != F32 && shape_with_layout != nullptr) {
      layout_shape = *shape_with_layout;
      ShapeUtil::ForEachMutableSubshape(&layout_shape, [&](Shape* part, const ShapeIndex&) {
        if (part->element_type() == F32) part->set_element_type(type_);
      });
      shape_with_layout = &layout_shape;
    }
    ASSERT_OK_AND_ASSIGN(const Literal actual,
                         ExecuteAndTransfer(builder, arguments, shape_with_layout));
    EXPECT_TRUE(LiteralTestUtil::NearOrEqual(converted, actual, error));
  }
  void ComputeAndCompareTuple(XlaBuilder* builder, const Literal& expected, Arguments arguments,
                              Error error = std::nullopt) {
    ComputeAndCompareLiteral(builder, expected, arguments, error);
  }
  template <typename E>
  void ComputeAndCompareR0(XlaBuilder* builder, E expected, Arguments arguments,
                           Error error = std::nullopt) {
    ComputeAndCompareLiteral(builder, LiteralUtil::CreateR0<E>(expected), arguments, error);
  }
  template <typename E>
  void ComputeAndCompareR1(XlaBuilder* builder, absl::Span<const E> expected, Arguments arguments,
                           Error error = std::nullopt) {
    ComputeAndCompareLiteral(builder, LiteralUtil::CreateR1<E>(expected), arguments, error);
  }
  void ComputeAndCompareR1(XlaBuilder* builder, const tsl::core::Bitmap& expected,
                           Arguments arguments, Error error = std::nullopt) {
    ComputeAndCompareLiteral(builder, LiteralUtil::CreateR1(expected), arguments, error);
  }
  template <typename E>
  void ComputeAndCompareR2(XlaBuilder* builder, const Array2D<E>& expected, Arguments arguments,
                           Error error = std::nullopt) {
    ComputeAndCompareLiteral(builder, LiteralUtil::CreateR2FromArray2D<E>(expected), arguments,
                             error);
  }
  template <typename E>
  void ComputeAndCompareR3(XlaBuilder* builder, const Array3D<E>& expected, Arguments arguments,
                           Error error = std::nullopt) {
    ComputeAndCompareLiteral(builder, LiteralUtil::CreateR3FromArray3D<E>(expected), arguments,
                             error);
  }
  template <typename E>
  void ComputeAndCompareR4(XlaBuilder* builder, const Array4D<E>& expected, Arguments arguments,
                           Error error = std::nullopt) {
    ComputeAndCompareLiteral(builder, LiteralUtil::CreateR4FromArray4D<E>(expected), arguments,
                             error);
  }
  void ComputeAndCompareR1U8(XlaBuilder* builder, absl::string_view expected, Arguments arguments) {
    ASSERT_OK_AND_ASSIGN(const Literal actual, ExecuteAndTransfer(builder, arguments));
    EXPECT_EQ(actual.GetR1U8AsString(), expected);
  }

  XlaComputation CreateScalarMax() { return xla::CreateScalarMax(type_); }

  Literal CreateParameterAndTransferLiteral(int64_t number, const Literal& literal,
                                            const std::string& name, XlaBuilder* builder,
                                            XlaOp* handle) {
    Literal converted = MaybeConvertLiteralToTestType(literal);
    *handle = Parameter(builder, number, converted.shape(), name);
    return converted;
  }
  template <typename E>
  Literal CreateR0Parameter(E value, int64_t number, const std::string& name, XlaBuilder* builder,
                            XlaOp* handle) {
    return CreateParameterAndTransferLiteral(number, LiteralUtil::CreateR0(value), name, builder,
                                             handle);
  }
  template <typename E>
  Literal CreateR1Parameter(absl::Span<const E> values, int64_t number, const std::string& name,
                            XlaBuilder* builder, XlaOp* handle) {
    return CreateParameterAndTransferLiteral(number, LiteralUtil::CreateR1(values), name, builder,
                                             handle);
  }
  template <typename E>
  Literal CreateR2Parameter(const Array2D<E>& values, int64_t number, const std::string& name,
                            XlaBuilder* builder, XlaOp* handle) {
    return CreateParameterAndTransferLiteral(number, LiteralUtil::CreateR2FromArray2D(values), name,
                                             builder, handle);
  }
  template <typename E>
  Literal CreateR3Parameter(const Array3D<E>& values, int64_t number, const std::string& name,
                            XlaBuilder* builder, XlaOp* handle) {
    return CreateParameterAndTransferLiteral(number, LiteralUtil::CreateR3FromArray3D(values), name,
                                             builder, handle);
  }
  template <typename E>
  Literal CreateR4Parameter(const Array4D<E>& values, int64_t number, const std::string& name,
                            XlaBuilder* builder, XlaOp* handle) {
    return CreateParameterAndTransferLiteral(number, LiteralUtil::CreateR4FromArray4D(values), name,
                                             builder, handle);
  }

  Literal MaybeConvertLiteralToTestType(const Literal& literal) const {
    if (type_ == F32) return literal.Clone();
    return LiteralUtil::ConvertType(literal, F32, type_);
  }
  void SetFastMathDisabled(bool disabled) {
    DebugOptions* debug = options_.mutable_debug_options();
    debug->set_xla_cpu_enable_fast_math(!disabled);
    debug->set_xla_cpu_enable_fast_min_max(!disabled);
    debug->set_xla_gpu_enable_fast_min_max(!disabled);
  }
  void SetSeed(uint64_t seed) { options_.set_seed(seed); }
  void ClearSeed() { options_.clear_seed(); }
  DebugOptions* mutable_debug_options() { return options_.mutable_debug_options(); }
  const ExecutionOptions& execution_options() const { return options_; }
  ExecutionOptions* mutable_execution_options() { return &options_; }

 private:
  absl::StatusOr<Literal> Run(const XlaComputation& computation, Arguments arguments,
                              const ExecutionOptions& options) {
    LocalClient& client = this->test_runner().client();
    std::vector<std::unique_ptr<GlobalData>> data;
    std::vector<GlobalData*> handles;
    for (const Literal* argument : arguments) {
      auto moved = client.TransferToServer(*argument);
      if (!moved.ok()) return moved.status();
      data.push_back(*std::move(moved));
      handles.push_back(data.back().get());
    }
    return client.ExecuteAndTransfer(computation, handles, &options);
  }

  PrimitiveType type_ = F32;
  ExecutionOptions options_ = CreateDefaultExecutionOptions();
};

}  // namespace xla

#endif  // TESTS_XLA_COMPAT_CLIENT_LIBRARY_TEST_BASE_H_
