// SPDX-License-Identifier: Apache-2.0
// Prepared convolutions against plain loops, with random attributes, layouts and element types.
#include "xla/kernels/convolution/convolution_kernel.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "hwy/targets.h"
#include "tests/kernels/prepared_kernel_test_util.h"
#include "tests/test_util.h"
#include "xla/primitive_util.h"
#include "xla/types.h"

namespace xla::kernels {
namespace {

// Dimensions of input and result: batch, feature, spatial..; of the kernel: input feature, output
// feature, spatial..
struct ConvolutionSizes {
  int64_t batch, features, output_features, feature_groups, batch_groups;
};

ConvolutionSpec RandomSpec(TestRandom& random, PrimitiveType type, PrimitiveType result_type,
                           const ConvolutionSizes& sizes, int64_t rank, int layout) {
  ConvolutionSpec spec;
  DimensionVector input = {sizes.batch, sizes.features},
                  kernel = {sizes.features / sizes.feature_groups, sizes.output_features},
                  result = {sizes.batch / sizes.batch_groups, sizes.output_features};
  for (int64_t i = 0; i < rank; ++i) {
    ConvolutionSpec::Spatial dim;
    dim.input_dimension = dim.kernel_dimension = dim.result_dimension = i + 2;
    dim.stride = random.In(1, 2);
    dim.padding_low = random.In(-1, 2);
    dim.window_dilation = random.In(1, 2);
    dim.base_dilation = random.In(0, 3) == 0 ? 2 : 1;
    dim.reversal = random.In(0, 1) == 1;
    const bool pointwise = random.In(0, 2) == 0;
    if (pointwise) {
      dim.stride = dim.base_dilation = 1;
      dim.padding_low = 0;
    }
    input.push_back(random.In(1, 9));
    kernel.push_back(pointwise ? 1 : random.In(1, 3));
    result.push_back(pointwise ? input.back() : random.In(1, 9));
    spec.spatial.push_back(dim);
  }
  const auto channels_last = [](ArraySpec array) {
    int64_t stride = array.dimensions[1];
    array.strides[1] = 1;
    for (size_t d = array.dimensions.size(); d > 2; --d) {
      array.strides[d - 1] = stride;
      stride *= array.dimensions[d - 1];
    }
    array.strides[0] = stride;
    return array;
  };
  spec.input = RandomArray(random, type, input, layout != 2);
  spec.kernel = RandomArray(random, type, kernel, layout != 2);
  spec.result = RandomArray(random, result_type, result, layout != 2);
  if (layout == 3) {
    // The batch is the minor dimension of the input.
    int64_t stride = 1;
    for (size_t i = 0; i < spec.input.dimensions.size(); ++i) {
      spec.input.strides[i] = stride;
      stride *= spec.input.dimensions[i];
    }
  }
  if (layout == 1) {
    spec.input = channels_last(spec.input);
    spec.result = channels_last(spec.result);
    spec.kernel = channels_last(spec.kernel);
  }
  spec.input_batch = spec.result_batch = spec.kernel_input_feature = 0;
  spec.input_feature = spec.result_feature = spec.kernel_output_feature = 1;
  spec.feature_group_count = sizes.feature_groups;
  spec.batch_group_count = sizes.batch_groups;
  return spec;
}

template <typename T, typename Sum>
Sum ExpectedAt(const ConvolutionSpec& spec, const std::vector<T>& input,
               const std::vector<T>& kernel, const DimensionVector& index) {
  const int64_t features = spec.kernel.dimensions[0];
  const int64_t per_group =
      spec.kernel.dimensions[1] / (spec.feature_group_count * spec.batch_group_count);
  const int64_t group = index[1] / per_group;
  DimensionVector taps(spec.kernel.dimensions.begin() + 2, spec.kernel.dimensions.end());
  Sum sum = 0;
  ForEachIndex(taps, [&](const DimensionVector& tap) {
    DimensionVector at = {index[0], 0}, k = {0, index[1]};
    if (spec.batch_group_count > 1)
      at[0] += group * (spec.input.dimensions[0] / spec.batch_group_count);
    for (size_t d = 0; d < taps.size(); ++d) {
      const ConvolutionSpec::Spatial& dim = spec.spatial[d];
      const int64_t place =
          index[d + 2] * dim.stride - dim.padding_low + tap[d] * dim.window_dilation;
      if (place < 0 || place % dim.base_dilation != 0) return;
      if (place / dim.base_dilation >= spec.input.dimensions[d + 2]) return;
      at.push_back(place / dim.base_dilation);
      k.push_back(dim.reversal ? taps[d] - 1 - tap[d] : tap[d]);
    }
    for (int64_t f = 0; f < features; ++f) {
      k[0] = f;
      at[1] = spec.batch_group_count > 1 ? f : group * features + f;
      sum += static_cast<Sum>(input[OffsetOf(spec.input, at)]) *
             static_cast<Sum>(kernel[OffsetOf(spec.kernel, k)]);
    }
  });
  return sum;
}

// Compares every form that can compute the convolution with plain sums, to which `offset` is added.
template <typename T, typename Out, typename Sum>
void CheckForms(ConvolutionSpec spec, std::vector<T> input, std::vector<T> kernel, int workers,
                Sum offset, const std::string& what) {
  std::vector<Out> expected(spec.result.element_count());
  ForEachIndex(spec.result.dimensions, [&](const DimensionVector& index) {
    const Sum sum = ExpectedAt<T, Sum>(spec, input, kernel, index) + offset;
    expected[OffsetOf(spec.result, index)] = static_cast<Out>(sum);
  });
  std::vector<FormCost> forms = ConvolutionForms(spec);
  forms.insert(forms.begin(), FormCost{"", 0});
  for (const FormCost& form : forms) {
    spec.form = form.form;
    std::vector<Out> out(spec.result.element_count(), Out(-1));
    ASSERT_OK_AND_ASSIGN(std::unique_ptr<const Kernel> prepared, MakeConvolutionKernel(spec));
    ASSERT_OK(RunPrepared(*prepared, {input.data(), kernel.data(), out.data()}, workers));
    EXPECT_TRUE(out == expected) << what << " by " << form.form;
  }
}

template <typename T, typename Out, typename Sum = double>
void CheckRandomConvolutions(int count) {
  TestRandom random(11);
  const PrimitiveType type = primitive_util::NativeToPrimitiveType<T>(),
                      result_type = primitive_util::NativeToPrimitiveType<Out>();
  for (int i = 0; i < count; ++i) {
    const int64_t scale = i % 3 == 0 ? 16 : 1;
    const std::vector<ConvolutionSizes> choices = {{3, 5 * scale, 7 * scale, 1, 1},
                                                   {20, 3, 40, 1, 1},
                                                   {2, 4, 3, 1, 1},
                                                   {2, 24 * scale, 24 * scale, 24 * scale, 1},
                                                   {1, 12, 24, 12, 1},
                                                   {2, 8, 12, 4, 1},
                                                   {6, 5, 9, 1, 3},
                                                   {0, 5, 7, 1, 1}};
    const ConvolutionSpec spec = RandomSpec(random, type, result_type, choices[i % choices.size()],
                                            random.In(0, 3), i % 5 % 4);
    std::vector<T> input(spec.input.element_count()), kernel(spec.kernel.element_count());
    for (T& x : input) x = static_cast<T>(static_cast<float>(random.In(-3, 3)));
    for (T& x : kernel) x = static_cast<T>(static_cast<float>(random.In(-3, 3)));
    CheckForms<T, Out, Sum>(spec, input, kernel, 1 + i % 3, Sum(0),
                            "convolution " + std::to_string(i));
  }
}

// Features that are a power of two of bytes apart, as before positions: patches as rows would
// gather and scatter elements that share few sets of a cache.
TEST(ConvolutionKernel, FeaturesBeforePositionsAreNotGathered) {
  const auto chosen = [](int64_t features, int64_t size, int64_t outputs, int64_t taps,
                         int64_t result_step) {
    const int64_t result_size = size - taps + 1;
    ConvolutionSpec spec;
    spec.input = ArraySpec::FromShape(Shape(F32, {4, features, size, size}));
    spec.kernel = ArraySpec::FromShape(Shape(F32, {features, outputs, taps, taps}));
    spec.result = ArraySpec::FromShape(Shape(F32, {4, outputs, result_size, result_size}));
    // As phases of a transposed convolution store their results.
    for (size_t d = 0; d < 4; ++d)
      spec.result.strides[d] *= d < 3 ? result_step * result_step : result_step;
    spec.input_batch = spec.result_batch = 0;
    spec.input_feature = spec.result_feature = 1;
    spec.kernel_input_feature = 0;
    spec.kernel_output_feature = 1;
    for (const int64_t d : {2, 3})
      spec.spatial.push_back({.input_dimension = d, .kernel_dimension = d, .result_dimension = d});
    const std::vector<FormCost> forms = ConvolutionForms(spec);
    return std::string(forms[static_cast<size_t>(CheapestForm(forms))].form);
  };
  EXPECT_EQ(chosen(64, 17, 32, 2, 2), "patch columns");
  EXPECT_EQ(chosen(128, 33, 64, 2, 2), "patch columns");
}

TEST(ConvolutionKernel, F32) { CheckRandomConvolutions<float, float>(140); }
TEST(ConvolutionKernel, F64) { CheckRandomConvolutions<double, double>(28); }
TEST(ConvolutionKernel, Bf16) { CheckRandomConvolutions<bfloat16, float>(56); }
TEST(ConvolutionKernel, F16) { CheckRandomConvolutions<half, float>(28); }
TEST(ConvolutionKernel, Int8) { CheckRandomConvolutions<int8_t, int32_t>(56); }
TEST(ConvolutionKernel, Uint8) { CheckRandomConvolutions<uint8_t, int32_t, int64_t>(56); }
TEST(ConvolutionKernel, Int32) { CheckRandomConvolutions<int32_t, int32_t>(28); }
TEST(ConvolutionKernel, Complex64) {
  CheckRandomConvolutions<complex64, complex64, std::complex<double>>(28);
}

void StoreNext(void* const* buffers, int64_t first, int64_t count, const void* values) {
  for (int64_t i = 0; i < count; ++i)
    static_cast<float*>(buffers[2])[first + i] = static_cast<const float*>(values)[i] + 1;
}

// Inputs with many zeros between their elements, few output features or many, with and without an
// epilogue that is applied to the elements of each phase.
TEST(ConvolutionKernel, DilatedInputs) {
  TestRandom random(17);
  for (int i = 0; i < 200; ++i) {
    const ConvolutionSizes choices[] = {
        {2, 40, 1, 1, 1}, {1, 16, 3, 1, 1}, {2, 5, 37, 1, 1}, {1, 8, 6, 2, 1}, {4, 6, 4, 1, 2}};
    ConvolutionSpec spec = RandomSpec(random, F32, F32, choices[i % 5], 1 + i % 3, i % 4);
    for (ConvolutionSpec::Spatial& dim : spec.spatial) {
      const int64_t dilation = random.In(1, i % 2 == 0 ? 9 : 3);
      dim.base_dilation = dilation;
      dim.stride = random.In(0, 2) == 0 ? random.In(2, 4) : 1;
      dim.padding_low = random.In(-3, 8);
      spec.kernel.dimensions[dim.kernel_dimension] = random.In(1, 12);
      spec.result.dimensions[dim.result_dimension] = random.In(1, spec.spatial.size() > 2 ? 9 : 25);
    }
    const bool is_last = random.In(0, 1) == 1;
    for (ArraySpec* array : {&spec.kernel, &spec.result}) {
      int64_t stride = is_last ? array->dimensions[1] : 1;
      for (size_t d = array->dimensions.size(); d > 2; --d) {
        array->strides[d - 1] = stride;
        stride *= array->dimensions[d - 1];
      }
      array->strides[1] = is_last ? 1 : stride;
      array->strides[0] = is_last ? stride : stride * array->dimensions[1];
    }
    const bool has_epilogue = random.In(0, 1) == 1;
    if (has_epilogue) spec.epilogue = {&StoreNext, random.In(0, 1) == 1};
    std::vector<float> input(spec.input.element_count()), kernel(spec.kernel.element_count());
    for (float& x : input) x = static_cast<float>(random.In(-3, 3));
    for (float& x : kernel) x = static_cast<float>(random.In(-3, 3));
    CheckForms<float, float, double>(spec, input, kernel, 1 + i % 3, has_epilogue ? 1 : 0,
                                     "convolution " + std::to_string(i));
  }
}

// Features before positions, both dense.
ConvolutionSpec PlanesSpec(const DimensionVector& input, const DimensionVector& kernel,
                           const DimensionVector& result) {
  ConvolutionSpec spec;
  spec.input = ArraySpec::FromShape(Shape(F32, input));
  spec.kernel = ArraySpec::FromShape(Shape(F32, kernel));
  spec.result = ArraySpec::FromShape(Shape(F32, result));
  spec.input_batch = spec.result_batch = spec.kernel_input_feature = 0;
  spec.input_feature = spec.result_feature = spec.kernel_output_feature = 1;
  for (int64_t d = 2; d < static_cast<int64_t>(input.size()); ++d)
    spec.spatial.push_back({.input_dimension = d, .kernel_dimension = d, .result_dimension = d});
  return spec;
}

void CheckPlanes(const ConvolutionSpec& spec, const std::string& what) {
  TestRandom random(23);
  std::vector<float> input(spec.input.element_count()), kernel(spec.kernel.element_count());
  for (float& x : input) x = static_cast<float>(random.In(-3, 3));
  for (float& x : kernel) x = static_cast<float>(random.In(-3, 3));
  CheckForms<float, float, double>(spec, input, kernel, 2, spec.epilogue.store != nullptr, what);
}

// Transposed convolutions, whose inputs have zeros between their elements.
TEST(ConvolutionKernel, ProductsOfTransposedConvolutionsAreAdded) {
  ConvolutionSpec spec = PlanesSpec({4, 64, 16, 16}, {64, 32, 3, 3}, {4, 32, 33, 33});
  for (auto& dim : spec.spatial) dim.base_dilation = dim.padding_low = 2;
  const std::vector<FormCost> forms = ConvolutionForms(spec);
  EXPECT_EQ(forms[static_cast<size_t>(CheapestForm(forms))].form, "overlap-add");

  spec = PlanesSpec({2, 5, 6, 7}, {5, 12, 3, 4}, {2, 12, 13, 19});
  for (auto& dim : spec.spatial) dim.base_dilation = dim.padding_low = 2;
  CheckPlanes(spec, "plain");
  spec.epilogue = {&StoreNext, true};
  CheckPlanes(spec, "with an epilogue");
  for (auto& dim : spec.spatial) dim.window_dilation = 2, dim.reversal = true;
  CheckPlanes(spec, "reversed, with holes");
  spec.spatial[1].base_dilation = 30;
  spec.spatial[0].padding_low = -3;
  CheckPlanes(spec, "more zeros than results");
  // The products of several features do not fit into a task.
  spec = PlanesSpec({1, 3, 40, 41}, {3, 6, 5, 3}, {1, 6, 83, 121});
  spec.spatial[0].base_dilation = 2;
  spec.spatial[1].base_dilation = 3;
  CheckPlanes(spec, "of many positions");
  spec = PlanesSpec({2, 4, 3, 4, 5}, {4, 3, 2, 3, 3}, {2, 3, 7, 5, 11});
  for (auto& dim : spec.spatial) dim.base_dilation = 2;
  CheckPlanes(spec, "of volumes");
}

// Gradients of kernels whose stride is 2: windows are long rows of every other element.
TEST(ConvolutionKernel, GradientsOfKernelsWithStrides) {
  ConvolutionSpec spec = PlanesSpec({6, 3, 17, 21}, {3, 5, 8, 10}, {6, 5, 3, 3});
  for (auto& dim : spec.spatial) dim.window_dilation = 2;
  spec.spatial[1].padding_low = 1;
  CheckPlanes(spec, "stride 2");
  for (auto& dim : spec.spatial) dim.window_dilation = 3, dim.padding_low = 4;
  CheckPlanes(spec, "stride 3");
}

// The rows of the product that a phase is are not at one distance in the result.
TEST(ConvolutionKernel, PhasesOfOneTap) {
  TestRandom random(19);
  for (const int64_t features : {8, 128}) {
    ConvolutionSpec spec = RandomSpec(random, F32, F32, {8, 24, features, 1, 1}, 1, 1);
    ConvolutionSpec::Spatial& dim = spec.spatial[0];
    dim = {.input_dimension = 2, .kernel_dimension = 2, .result_dimension = 2};
    dim.base_dilation = 2;
    spec.input.dimensions = {8, 24, 3};
    spec.input.strides = {72, 1, 24};
    spec.kernel.dimensions = {24, features, 1};
    spec.kernel.strides = {features, 1, 24 * features};
    spec.result.dimensions = {8, features, 5};
    spec.result.strides = {5 * features, 1, features};
    std::vector<float> input(spec.input.element_count()), kernel(spec.kernel.element_count());
    for (float& x : input) x = static_cast<float>(random.In(-3, 3));
    for (float& x : kernel) x = static_cast<float>(random.In(-3, 3));
    CheckForms<float, float, double>(spec, input, kernel, 1, 0, "phases");
  }
}

TEST(ConvolutionKernel, ResultsWithoutElements) {
  TestRandom random(9);
  for (int i = 0; i < 60; ++i) {
    const ConvolutionSizes sizes =
        i % 2 == 0 ? ConvolutionSizes{2, 3, 2, 1, 1} : ConvolutionSizes{2, 20, 20, 20, 1};
    ConvolutionSpec spec = RandomSpec(random, F32, F32, sizes, 1 + i % 3, i % 4);
    const int64_t empty = random.In(0, static_cast<int64_t>(spec.result.dimensions.size()) - 1);
    if (empty == 1) continue;  // a feature
    spec.result.dimensions[empty] = 0;
    if (empty == 0) spec.input.dimensions[0] = 0;
    std::vector<float> input(spec.input.element_count() + 1),
        kernel(spec.kernel.element_count() + 1), out(1, 5);
    ASSERT_OK_AND_ASSIGN(std::unique_ptr<const Kernel> prepared, MakeConvolutionKernel(spec));
    ASSERT_OK(RunPrepared(*prepared, {input.data(), kernel.data(), out.data()}, 1 + i % 3));
    EXPECT_EQ(out[0], 5);
  }
}

// Rows of positions that are contiguous, or so with a few channels, each with its own kernel.
struct RowCase {
  int64_t batch, features, output_features, groups;
  DimensionVector input, taps, padding, dilation;
  bool channels_last = false;
};
ConvolutionSpec RowSpec(const RowCase& c) {
  const auto array = [&](int64_t outer, int64_t depth, const DimensionVector& sizes) {
    ArraySpec spec;
    spec.type = F32;
    spec.dimensions = {outer, depth};
    spec.dimensions.insert(spec.dimensions.end(), sizes.begin(), sizes.end());
    spec.strides.assign(spec.dimensions.size(), 1);
    int64_t stride = c.channels_last ? depth : 1;
    for (size_t d = spec.dimensions.size(); d > 2; --d) {
      spec.strides[d - 1] = stride;
      stride *= spec.dimensions[d - 1];
    }
    spec.strides[1] = c.channels_last ? 1 : stride;
    spec.strides[0] = c.channels_last ? stride : stride * depth;
    return spec;
  };
  ConvolutionSpec spec;
  DimensionVector output;
  for (size_t d = 0; d < c.input.size(); ++d) {
    const auto dimension = static_cast<int64_t>(d) + 2;
    spec.spatial.push_back({.input_dimension = dimension,
                            .kernel_dimension = dimension,
                            .result_dimension = dimension,
                            .padding_low = c.padding[d],
                            .window_dilation = c.dilation[d],
                            .reversal = d == 1});
    output.push_back(c.input[d] + 2 * c.padding[d] - (c.taps[d] - 1) * c.dilation[d]);
  }
  spec.input = array(c.batch, c.features, c.input);
  spec.kernel = array(c.features / c.groups, c.output_features, c.taps);
  spec.result = array(c.batch, c.output_features, output);
  spec.input_batch = spec.result_batch = spec.kernel_input_feature = 0;
  spec.input_feature = spec.result_feature = spec.kernel_output_feature = 1;
  spec.feature_group_count = c.groups;
  return spec;
}
const RowCase kRowCases[] = {
    {1, 1, 1, 1, {40, 70}, {7, 7}, {3, 3}, {1, 1}},
    {2, 1, 1, 1, {5, 129}, {3, 5}, {-1, 4}, {1, 2}},
    {3, 5, 5, 5, {400}, {31}, {15}, {1}},
    {2, 4, 13, 1, {9, 56}, {3, 3}, {1, 1}, {1, 1}},
    {1, 12, 22, 2, {4, 61}, {3, 2}, {0, 2}, {2, 3}},
    {2, 3, 9, 3, {3, 4, 33}, {2, 3, 3}, {1, 0, 1}, {1, 1, 1}},
    {1, 7, 3, 1, {200}, {3}, {-2}, {1}},
    {1, 1, 20, 1, {50}, {4}, {40}, {1}},
    {1, 3, 3, 3, {40, 90}, {7, 7}, {0, 0}, {1, 1}, true},
    {2, 2, 2, 2, {4, 100}, {3, 3}, {1, 1}, {1, 2}, true},
    {1, 4, 4, 4, {3, 47}, {1, 5}, {0, 2}, {1, 1}, true},
    {1, 5, 5, 5, {90}, {9}, {4}, {1}, true},
    {1, 6, 6, 6, {64}, {3}, {5}, {1}, true},
    {1, 7, 7, 7, {6, 33}, {2, 3}, {1, 1}, {1, 1}, true},
    // Rows that every second or third output row shares.
    {2, 2, 5, 1, {30, 40}, {3, 3}, {2, 1}, {2, 1}},
    {1, 3, 3, 3, {50, 40}, {5, 3}, {6, 1}, {3, 1}, true},
    {3, 20, 24, 1, {28, 28}, {3, 3}, {2, 2}, {2, 2}, true},
    {1, 20, 24, 1, {40, 12}, {4, 3}, {3, 1}, {3, 1}, true},
};

void CheckRowCase(const RowCase& row_case, std::vector<int> workers) {
  const ConvolutionSpec spec = RowSpec(row_case);
  TestRandom random(7);
  std::vector<float> input(spec.input.element_count()), kernel(spec.kernel.element_count());
  for (float& x : input) x = static_cast<float>(random.In(-3, 3));
  for (float& x : kernel) x = static_cast<float>(random.In(-3, 3));
  std::vector<float> out(spec.result.element_count(), -1);
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<const Kernel> prepared, MakeConvolutionKernel(spec));
  for (const int count : workers) {
    ASSERT_OK(RunPrepared(*prepared, {input.data(), kernel.data(), out.data()}, count));
    int errors = 0;
    ForEachIndex(spec.result.dimensions, [&](const DimensionVector& index) {
      if (out[OffsetOf(spec.result, index)] !=
          ExpectedAt<float, double>(spec, input, kernel, index))
        ++errors;
    });
    EXPECT_EQ(errors, 0) << row_case.features << " features, " << count << " workers";
  }
}

TEST(ConvolutionKernel, RowsOfPositions) {
  for (const RowCase& row_case : kRowCases) CheckRowCase(row_case, {1, 3});
}

TEST(ConvolutionKernel, RowsOfPositionsForEveryInstructionSet) {
  constexpr int64_t kCompiled = HWY_SCALAR | HWY_SSE4 | HWY_AVX2 | HWY_AVX3 | HWY_NEON;
  for (int64_t targets = (hwy::SupportedTargets() & kCompiled) | HWY_SCALAR; targets != 0;
       targets &= targets - 1) {
    hwy::GetChosenTarget().Update(targets & ~(targets - 1));
    for (const RowCase& row_case : kRowCases) CheckRowCase(row_case, {2});
  }
  hwy::GetChosenTarget().DeInit();
}

// A tap that meets padding adds nothing, not even where its weight is infinite.
TEST(ConvolutionKernel, RowsOfPaddingAreNotMultiplied) {
  const ConvolutionSpec spec = RowSpec({1, 1, 1, 1, {2, 40}, {3, 1}, {1, 0}, {1, 1}});
  std::vector<float> input(80, 1), kernel = {std::numeric_limits<float>::infinity(), 1, 1}, out(80);
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<const Kernel> prepared, MakeConvolutionKernel(spec));
  ASSERT_OK(RunPrepared(*prepared, {input.data(), kernel.data(), out.data()}));
  EXPECT_EQ(out[0], 2);
  EXPECT_EQ(out[40], std::numeric_limits<float>::infinity());
}

// Gradients of kernels: images side by side in memory are positions, pixels of the gradient taps,
// and sums long enough to be divided.
TEST(ConvolutionKernel, ImagesSideBySide) {
  struct Case {
    int64_t images, size, taps, channels, output_channels, padding, dilation, stride;
  };
  for (const auto& [images, size, taps, channels, output_channels, padding, dilation, stride] :
       {Case{3, 9, 3, 40, 20, 1, 1, 1}, Case{2, 8, 2, 33, 12, 1, 2, 1},
        Case{4, 33, 3, 16, 16, 1, 1, 1}, Case{2, 11, 3, 70, 9, 0, 1, 2},
        Case{1, 6, 1, 18, 24, -1, 1, 1}, Case{5, 7, 3, 20, 40, 4, 3, 1},
        // One image: no element of a patch lies beside another. Few channels: positions of a row
        // of taps are one run. One channel: rows of several images.
        Case{1, 20, 3, 32, 24, 1, 1, 1}, Case{1, 30, 7, 3, 24, 3, 2, 1},
        Case{3, 12, 3, 1, 32, 1, 1, 1}, Case{2, 16, 5, 3, 9, 2, 1, 1}}) {
    // As XLA writes it: the images are features, the channels a batch, and the window is the
    // gradient.
    const int64_t window = size, outputs = taps;
    ConvolutionSpec spec;
    spec.input.type = spec.kernel.type = spec.result.type = F32;
    spec.input.dimensions = {channels, images, size, size};
    spec.input.strides = {1, size * size * channels, size * channels, channels};
    spec.kernel.dimensions = {images, output_channels, window, window};
    spec.kernel.strides = {window * window * output_channels, 1, window * output_channels,
                           output_channels};
    spec.result.dimensions = {channels, output_channels, outputs, outputs};
    spec.result.strides = {output_channels, 1, outputs * channels * output_channels,
                           channels * output_channels};
    for (int64_t d : {2, 3}) {
      ConvolutionSpec::Spatial dim;
      dim.input_dimension = dim.kernel_dimension = dim.result_dimension = d;
      dim.stride = stride;
      dim.padding_low = padding;
      dim.window_dilation = dilation;
      dim.base_dilation = 1;
      dim.reversal = false;
      spec.spatial.push_back(dim);
    }
    spec.input_batch = spec.result_batch = spec.kernel_input_feature = 0;
    spec.input_feature = spec.result_feature = spec.kernel_output_feature = 1;
    spec.feature_group_count = spec.batch_group_count = 1;
    TestRandom random(5);
    std::vector<float> input(spec.input.element_count()), kernel(spec.kernel.element_count());
    for (float& x : input) x = static_cast<float>(random.In(-3, 3));
    for (float& x : kernel) x = static_cast<float>(random.In(-3, 3));
    std::vector<float> out(spec.result.element_count());
    ASSERT_OK_AND_ASSIGN(std::unique_ptr<const Kernel> prepared, MakeConvolutionKernel(spec));
    for (const int workers : {1, 3}) {
      ASSERT_OK(RunPrepared(*prepared, {input.data(), kernel.data(), out.data()}, workers));
      ForEachIndex(spec.result.dimensions, [&](const DimensionVector& index) {
        ASSERT_EQ(out[OffsetOf(spec.result, index)],
                  (ExpectedAt<float, double>(spec, input, kernel, index)));
      });
    }
  }
}

TEST(ConvolutionKernel, EpilogueAndScale) {
  TestRandom random(3);
  for (int i = 0; i < 40; ++i) {
    const ConvolutionSizes sizes =
        i % 2 == 0 ? ConvolutionSizes{2, 20, 24, 1, 1} : ConvolutionSizes{2, 20, 20, 20, 1};
    ConvolutionSpec spec = RandomSpec(random, F32, F32, sizes, 2, i % 3);
    std::vector<float> input(spec.input.element_count()), kernel(spec.kernel.element_count());
    for (float& x : input) x = static_cast<float>(random.Unit());
    for (float& x : kernel) x = static_cast<float>(random.Unit());
    std::vector<float> plain(spec.result.element_count()), fused(plain.size(), -1);
    ASSERT_OK_AND_ASSIGN(std::unique_ptr<const Kernel> prepared, MakeConvolutionKernel(spec));
    ASSERT_OK(RunPrepared(*prepared, {input.data(), kernel.data(), plain.data()}));
    spec.kernel_scale = 2;
    spec.epilogue.in_place = i % 4 < 2;
    spec.epilogue.store = [](void* const* buffers, int64_t first, int64_t count,
                             const void* values) {
      float* to = static_cast<float*>(buffers[2]) + first;
      for (int64_t j = 0; j < count; ++j) to[j] = 1 - static_cast<const float*>(values)[j];
    };
    ASSERT_OK_AND_ASSIGN(prepared, MakeConvolutionKernel(spec));
    ASSERT_OK(RunPrepared(*prepared, {input.data(), kernel.data(), fused.data()}, 3));
    for (size_t j = 0; j < plain.size(); ++j) ASSERT_EQ(fused[j], 1 - 2 * plain[j]);
  }
}

}  // namespace
}  // namespace xla::kernels
