// SPDX-License-Identifier: Apache-2.0
// Shape inference of reductions, windows, orderings and batch normalization.
#include "tests/infer/infer_test_util.h"

namespace xla {
namespace {

using testing::ExpectInferred;
using Op = HloOpcode;
using Signatures = std::vector<std::string>;

const Signatures kSum = {"f32[] f32[] -> f32[]"};
const Signatures kAddPair = {"f32[] s32[] f32[] s32[] -> (f32[], s32[])"};
const Signatures kLess = {"f32[] f32[] -> pred[]"};

TEST(ReduceInference, Reduce) {
  const auto dims = [](Int64s d) { return DimensionListAttributes{std::move(d)}; };
  ExpectInferred(
      {{Op::kReduce, {"f32[2,3,4]{0,1,2}", "f32[]"}, dims({1}), "f32[2,4]", kSum},
       {Op::kReduce, {"f32[2,3]", "f32[]"}, dims({}), "f32[2,3]", kSum},
       {Op::kReduce, {"f32[2,<=3]", "f32[]"}, dims({0}), "f32[<=3]", kSum},
       {Op::kReduce, {"f32[2,3]", "f32[]"}, dims({1}), "bf16[2]", {"bf16[] bf16[] -> bf16[]"}},
       {Op::kReduce,
        {"f32[2,3]", "s32[2,3]", "f32[]", "s32[]"},
        dims({0}),
        "(f32[3], s32[3])",
        kAddPair},
       {Op::kReduce,
        {"f32[2,3]", "f32[]"},
        dims({2}),
        "! out-of-bounds dimension 2 in shape f32[2,3]",
        kSum},
       {Op::kReduce, {"f32[2,3]", "f32[]"}, dims({1, 1}), "! Duplicate reduction dimension", kSum},
       {Op::kReduce, {"f32[2,3]", "f32[2]"}, dims({1}), "! must be scalars", kSum},
       {Op::kReduce,
        {"f32[2,3]", "f32[]"},
        dims({1}),
        "! must take 2 parameters, but takes 1",
        {"f32[] -> f32[]"}},
       {Op::kReduce, {"f32[2]", "f32[]"}, dims({0}), "! differs from the result shape", kLess},
       {Op::kReduce,
        {"f32[2]", "f32[]"},
        dims({0}),
        "! scalar or tuple of scalars",
        {"f32[2] f32[2] -> f32[2]"}},
       {Op::kReduce, {"f32[2]", "s32[]"}, dims({0}), "! differs from the init_value shape", kSum},
       {Op::kReduce,
        {"s32[2]", "f32[]"},
        dims({0}),
        "! differs from the input type element type",
        kSum},
       {Op::kReduce,
        {"f32[2]", "f32[3]", "f32[]", "f32[]"},
        dims({0}),
        "! compatible dimension",
        kAddPair},
       {Op::kReduce, {"f32[2]"}, dims({0}), "! at least 2 arguments", kSum},
       {Op::kReduce, {}, dims({0}), "! at least 2 arguments", kSum},
       {Op::kReduce,
        {"f32[2]", "f32[]"},
        dims({0}),
        "! Expected 1 called computations for reduce, but saw 0"}});
}

TEST(ReduceInference, Map) {
  const auto dims = [](Int64s d) { return MapAttributes{std::move(d)}; };
  ExpectInferred(
      {{Op::kMap, {"f32[2,<=3]{0,1}", "f32[2,3]"}, dims({0, 1}), "pred[2,<=3]", kLess},
       {Op::kMap, {"f32[2]"}, dims({}), "! subset of dimensions", {"f32[] -> f32[]"}},
       {Op::kMap, {"f32[2,3]"}, dims({1, 0}), "! monotonically increasing", {"f32[] -> f32[]"}},
       {Op::kMap, {"f32[2]", "f32[3]"}, dims({0}), "! same shape", kLess},
       {Op::kMap, {"f32[2]"}, dims({0}), "! arity: 2, arguments: 1", kLess},
       {Op::kMap, {"f32[2]"}, dims({0}), "! result has to be a scalar", {"f32[] -> f32[2]"}},
       {Op::kMap,
        {"f32[2]"},
        dims({0}),
        "! type has to match argument element type",
        {"s32[] -> f32[]"}},
       {Op::kMap, {}, dims({}), "! at least one argument", kSum}});
}

TEST(ReduceInference, ScanStacksOutputsThenGivesCarries) {
  const auto scan = [](int64_t dim, int64_t carries) {
    return ScanAttributes{.dimensions = {dim}, .num_carries = carries};
  };
  const Signatures step = {"f32[3] f32[7] -> (s8[3], f32[7])"};
  ExpectInferred(
      {{Op::kScan, {"f32[5,3]", "f32[7]"}, scan(0, 1), "(s8[5,3], f32[7])", step},
       {Op::kScan, {"f32[3,5]", "f32[7]"}, scan(1, 1), "(s8[3,5], f32[7])", step},
       {Op::kScan,
        {"f32[5,3]", "f32[7]"},
        scan(1, 1),
        "! not an element of the input f32[5,3]",
        step},
       {Op::kScan,
        {"f32[5,3]", "f32[6]"},
        scan(0, 1),
        "! Carry 0 of scan must have one shape",
        step},
       {Op::kScan, {"f32[5,3]", "f32[7]"}, scan(2, 1), "! out of bounds", step},
       {Op::kScan, {"f32[5,3]", "f32[7]"}, scan(0, 3), "! 3 carries but only 2 operands", step},
       {Op::kScan, {"f32[5,3]", "f32[7]"}, scan(0, -1), "! -1 carries", step},
       {Op::kScan, {"f32[5,3]"}, scan(0, 0), "! must take 1 parameters, but takes 2", step}});
}

TEST(WindowInference, ReduceWindow) {
  const auto window = [](std::vector<WindowDim> dims) {
    return WindowAttributes{{std::move(dims)}};
  };
  const std::vector<std::string> in = {"f32[9,8]{0,1}", "f32[]"};
  ExpectInferred(
      {{Op::kReduceWindow, in, window({{.size = 3}, {.size = 2, .stride = 2}}), "f32[7,4]", kSum},
       {Op::kReduceWindow, in, window({{.size = 2, .padding_low = 1, .padding_high = 1}, {}}),
        "f32[10,8]", kSum},
       {Op::kReduceWindow, in,
        window({{.size = 3, .window_dilation = 2}, {.size = 1, .base_dilation = 2}}), "f32[5,15]",
        kSum},
       {Op::kReduceWindow, in, window({{.size = 10}, {}}), "f32[0,8]", kSum},
       {Op::kReduceWindow,
        {"f32[<=8,?]", "f32[]"},
        window({{.size = 3}, {.size = 3}}),
        "f32[<=6,?]",
        kSum},
       {Op::kReduceWindow,
        {"f32[9]", "s32[9]", "f32[]", "s32[]"},
        window({{.size = 3}}),
        "(f32[7], s32[7])",
        kAddPair},
       {Op::kReduceWindow, in, window({{}}),
        "! Window has dimension 1 but base shape has dimension 2", kSum},
       {Op::kReduceWindow, in, window({{.size = 0}, {}}), "! non-positive dimension", kSum},
       {Op::kReduceWindow, in, window({{.stride = 0}, {}}), "! non-positive stride", kSum},
       {Op::kReduceWindow, in, window({{.base_dilation = 0}, {}}),
        "! non-positive base area dilation", kSum},
       {Op::kReduceWindow, in, window({{.window_dilation = 0}, {}}),
        "! non-positive window dilation", kSum},
       {Op::kReduceWindow, in, window({{.padding_low = -10}, {}}), "! negative", kSum},
       {Op::kReduceWindow, in, window({{.base_dilation = INT64_MAX}, {}}), "! overflows", kSum},
       {Op::kReduceWindow, in, window({{.padding_high = INT64_MAX}, {}}), "! overflows", kSum}});
}

TEST(WindowInference, SelectAndScatter) {
  const WindowAttributes pool{{{{.size = 2, .stride = 2}}}};
  const Signatures callees = {kLess[0], kSum[0]};
  ExpectInferred({{Op::kSelectAndScatter, {"f32[8]", "f32[4]", "f32[]"}, pool, "f32[8]", callees},
                  {Op::kSelectAndScatter,
                   {"f32[8]", "f32[5]", "f32[]"},
                   pool,
                   "! source(f32[5]), window-reduced operand(f32[4])",
                   callees},
                  {Op::kSelectAndScatter,
                   {"f32[8]", "f32[4]", "f32[]"},
                   pool,
                   "! rank-0 PRED result",
                   {kSum[0], kSum[0]}},
                  {Op::kSelectAndScatter,
                   {"s32[8]", "s32[4]", "s32[]"},
                   pool,
                   "! first parameter shape",
                   callees},
                  {Op::kSelectAndScatter,
                   {"f32[8]", "f32[4]", "f32[1]"},
                   pool,
                   "! must be a scalar",
                   callees}});
}

TEST(SortInference, Sort) {
  const auto along = [](int64_t d) { return SortAttributes{.dimensions = {d}}; };
  ExpectInferred(
      {{Op::kSort, {"f32[2,3]{0,1}"}, along(1), "f32[2,3]{0,1}", kLess},
       {Op::kSort,
        {"f32[2]", "s32[2]"},
        along(0),
        "(f32[2], s32[2])",
        {"f32[] f32[] s32[] s32[] -> pred[]"}},
       {Op::kSort,
        {"f32[2]"},
        along(1),
        "! sort_dimension 1 of sort to be smaller than the rank 1",
        kLess},
       {Op::kSort, {"f32[2]"}, along(0), "! does not lead to a scalar predicate", kSum},
       {Op::kSort, {"f32[2]", "f32[3]"}, along(0), "! dimensions must match", kLess},
       {Op::kSort, {"f32[2]", "f32[2]"}, along(0), "! to have 4 parameters, has 2", kLess},
       {Op::kSort, {"s32[2]"}, along(0), "! to have shape s32[], but got f32[]", kLess},
       {Op::kSort, {}, along(0), "! at least 1 operand", kLess}});
}

TEST(SortInference, TopK) {
  ExpectInferred({{Op::kTopK, {"f32[2,<=3]"}, TopKAttributes{2}, "(f32[2,2], s32[2,2])"},
                  {Op::kTopK,
                   {"f32[3]"},
                   TopKAttributes{4},
                   "! k=4 is larger than the last dimension of size=3"},
                  {Op::kTopK, {"f32[3]"}, TopKAttributes{-1}, "! k >= 0"},
                  {Op::kTopK, {"f32[]"}, TopKAttributes{1}, "! scalar"}});
}

TEST(NormalizationInference, BatchNorm) {
  const auto feature = [](int64_t f) {
    return BatchNormAttributes{.epsilon = 0.1f, .feature_index = f};
  };
  ExpectInferred({{Op::kBatchNormTraining,
                   {"f32[2,3,4]", "f32[3]", "f32[3]"},
                   feature(1),
                   "(f32[2,3,4], f32[3], f32[3])"},
                  {Op::kBatchNormInference,
                   {"f32[2,3]", "f32[3]", "f32[3]", "f32[3]", "f32[3]"},
                   feature(1),
                   "f32[2,3]"},
                  {Op::kBatchNormGrad,
                   {"f32[2,3]", "f32[3]", "f32[3]", "f32[3]", "f32[2,3]"},
                   feature(1),
                   "(f32[2,3], f32[3], f32[3])"},
                  {Op::kBatchNormTraining,
                   {"f32[2,3]", "f32[2]", "f32[3]"},
                   feature(1),
                   "! size of scale factor is 2 and the feature count is 3"},
                  {Op::kBatchNormTraining,
                   {"f32[2,3]", "f32[3]", "f32[3]"},
                   feature(2),
                   "! smaller than the rank"},
                  {Op::kBatchNormTraining,
                   {"f32[2,3]", "f32[3]", "f32[3]"},
                   feature(-1),
                   "! non-negative number, got -1"},
                  {Op::kBatchNormTraining,
                   {"s32[2]", "s32[2]", "s32[2]"},
                   feature(0),
                   "! floating point element type"},
                  {Op::kBatchNormTraining,
                   {"f32[2]", "f32[]", "f32[2]"},
                   feature(0),
                   "! must have rank 1, but has rank 0"},
                  {Op::kBatchNormGrad,
                   {"f32[2]", "f32[2]", "f32[2]", "f32[2]", "f32[3]"},
                   feature(0),
                   "! output_grad"}});
}

}  // namespace
}  // namespace xla
