// SPDX-License-Identifier: Apache-2.0
// Shape inference of data movement: by position (reshape family) and by index (gather, scatter,
// dynamic slices).
#include "tests/infer/infer_test_util.h"
#include "tests/test_util.h"
#include "xla/hlo/shape_inference/reshape_shape.h"

namespace xla {
namespace {

using testing::ExpectInferred;
using Op = HloOpcode;

TEST(ReshapeInference, Broadcast) {
  ExpectInferred(
      {{Op::kBroadcast,
        {"f32[3]"},
        DimensionListAttributes{{1}},
        "f32[2,3]{0,1}",
        {},
        "f32[2,3]{0,1}"},
       {Op::kBroadcast, {"f32[]"}, DimensionListAttributes{}, "f32[4]", {}, "f32[4]"},
       {Op::kBroadcast, {"f32[2,3]"}, DimensionListAttributes{{1, 0}}, "f32[3,2]", {}, "f32[3,2]"},
       {Op::kBroadcast,
        {"f32[3]"},
        DimensionListAttributes{{0}},
        "! differ in size",
        {},
        "f32[2,3]"},
       {Op::kBroadcast,
        {"f32[1]"},
        DimensionListAttributes{{0}},
        "! differ in size",
        {},
        "f32[2,3]"},
       {Op::kBroadcast, {"f32[3]"}, DimensionListAttributes{{2}}, "! out of bound", {}, "f32[2,3]"},
       {Op::kBroadcast,
        {"f32[3]"},
        DimensionListAttributes{},
        "! invalid number of dimensions",
        {},
        "f32[2,3]"},
       {Op::kBroadcast,
        {"f32[3,3]"},
        DimensionListAttributes{{0, 0}},
        "! must not repeat",
        {},
        "f32[3,3]"},
       {Op::kBroadcast,
        {"f32[3]"},
        DimensionListAttributes{{0}},
        "! Element types",
        {},
        "f64[3]"}});
}

TEST(ReshapeInference, Concatenate) {
  const auto along = [](int64_t d) { return DimensionListAttributes{{d}}; };
  ExpectInferred(
      {{Op::kConcatenate, {"f32[2,3]{0,1}", "f32[2,4]"}, along(1), "f32[2,7]"},
       {Op::kConcatenate, {"f32[2]"}, along(0), "f32[2]"},
       {Op::kConcatenate, {"bf16[2]", "f32[3]"}, along(0), "f32[5]"},
       {Op::kConcatenate, {"f32[2,3]", "f32[2,<=4]"}, along(1), "f32[2,<=7]"},
       {Op::kConcatenate, {"f32[2,<=4]", "f32[2,3]"}, along(1), "f32[2,<=7]"},
       {Op::kConcatenate, {"f32[2,1]", "f32[2,<=4]", "f32[2,3]"}, along(1), "f32[2,<=8]"},
       {Op::kConcatenate, {"f32[2,3]", "f32[2,<=4]", "f32[2,?]"}, along(1), "f32[2,?]"},
       {Op::kConcatenate, {"f32[<=2,3]", "f32[?,<=3]"}, along(1), "f32[<=2,<=6]"},
       {Op::kConcatenate,
        {"f32[<=2,3]", "f32[<=3,3]"},
        along(1),
        "! Dimension 0 in both shapes must be equal"},
       // Each fits the first.
       {Op::kConcatenate,
        {"f32[?,1]", "f32[<=3,1]", "f32[<=4,1]"},
        along(1),
        "! Mismatched bound sizes 3 and 4 in dimension 0"},
       {Op::kConcatenate,
        {"f32[?,1]", "f32[<=3,1]", "f32[4,1]"},
        along(1),
        "! Mismatched dimension sizes 3 and 4 in dimension 0"},
       {Op::kConcatenate,
        {"f32[?,1]", "f32[3,1]", "f32[<=4,1]"},
        along(1),
        "! Mismatched dimension sizes 3 and 4 in dimension 0"},
       {Op::kConcatenate,
        {"f32[2,3]", "f32[3,3]"},
        along(1),
        "! differ in dimensions other than the one"},
       {Op::kConcatenate, {"f32[2]", "s32[2]"}, along(0), "! different element types: F32 vs S32"},
       {Op::kConcatenate, {"f32[2]", "f32[2,2]"}, along(0), "! different ranks: 1 (f32[2]) vs 2"},
       {Op::kConcatenate, {"f32[2]"}, along(1), "! out of bounds: 1"},
       {Op::kConcatenate, {"f32[]"}, along(0), "! out of bounds: 0"},
       {Op::kConcatenate, {}, along(0), "! at least one argument"},
       {Op::kConcatenate,
        {"f32[2]"},
        DimensionListAttributes{{0, 0}},
        "! exactly one dimension; got 2"},
       {Op::kConcatenate,
        {"s8[6000000000000000000]", "s8[6000000000000000000]"},
        along(0),
        "! overflows"}});
}

TEST(ReshapeInference, Pad) {
  const auto pad = [](std::vector<PadDim> p) { return PadAttributes{std::move(p)}; };
  ExpectInferred(
      {{Op::kPad, {"f32[2,3]{0,1}", "f32[]"}, pad({{1, 1, 1}, {-2, 0, 0}}), "f32[5,1]"},
       {Op::kPad, {"f32[0]", "f32[]"}, pad({{1, 2, 5}}), "f32[3]"},
       {Op::kPad, {"f32[?,<=3]", "f32[]"}, pad({{1, 1}, {1, 1}}), "f32[?,<=5]"},
       {Op::kPad, {"f32[3]", "f32[]"}, pad({{-2, -2}}), "! negative size for dimension 0"},
       {Op::kPad, {"f32[3]", "f32[]"}, pad({{0, 0, -1}}), "! Interior padding cannot be negative"},
       {Op::kPad, {"f32[3]", "f32[1]"}, pad({{0, 0}}), "! non-scalar padding values"},
       {Op::kPad, {"f32[3]", "s32[]"}, pad({{0, 0}}), "! element types"},
       {Op::kPad, {"f32[3]", "f32[]"}, pad({}), "! do not match"},
       {Op::kPad, {"f32[3]", "f32[]"}, pad({{INT64_MAX, INT64_MAX, INT64_MAX}}), "! overflows"},
       {Op::kPad, {"f32[3]", "f32[]"}, pad({{INT64_MAX - 10, 0}}), "! In: pad(f32[3], f32[])"}});
}

TEST(ReshapeInference, Reshape) {
  ExpectInferred(
      {{Op::kReshape, {"f32[2,3]"}, {}, "f32[3,2]{0,1}", {}, "f32[3,2]{0,1}"},
       {Op::kReshape, {"f32[]"}, {}, "f32[1,1]", {}, "f32[1,1]"},
       {Op::kReshape, {"f32[2,3]"}, {}, "! from=6 (f32[2,3]) to=8 (f32[2,4])", {}, "f32[2,4]"},
       {Op::kReshape, {"f32[2]"}, {}, "! Element types", {}, "s32[2]"},
       {Op::kReshape, {"(f32[2])"}, {}, "! Expected array argument", {}, "f32[2]"},
       {Op::kReshape, {"f32[6]"}, ReshapeAttributes{2}, "! inferred_dimension=2", {}, "f32[2,3]"},
       {Op::kDynamicReshape, {"f32[2,3]", "s32[]"}, {}, "f32[<=6]", {}, "f32[<=6]"},
       {Op::kDynamicReshape, {"f32[2,3]"}, {}, "! one size for each dimension", {}, "f32[<=6]"},
       {Op::kDynamicReshape, {"f32[6]", "s64[]"}, {}, "! scalar S32", {}, "f32[<=6]"},
       {Op::kDynamicReshape, {}, {}, "! at least one operand", {}, "f32[]"}});
}

TEST(ReshapeInference, ReverseAndTranspose) {
  ExpectInferred(
      {{Op::kReverse, {"f32[2,3]{0,1}"}, DimensionListAttributes{{1, 0}}, "f32[2,3]{0,1}"},
       {Op::kReverse, {"f32[2]"}, DimensionListAttributes{{0, 0}}, "! duplicated in reverse"},
       {Op::kReverse,
        {"f32[2]"},
        DimensionListAttributes{{1}},
        "! (1) is out-of-bounds in shape f32[2]"},
       {Op::kTranspose,
        {"f32[2,3,4]{0,1,2}"},
        DimensionListAttributes{{1, 2, 0}},
        "f32[3,4,2]{2,0,1}"},
       {Op::kTranspose, {"f32[2,<=3]"}, DimensionListAttributes{{1, 0}}, "f32[<=3,2]{0,1}"},
       {Op::kTranspose, {"f32[2,3]"}, DimensionListAttributes{{0, 0}}, "! not a permutation"},
       {Op::kTranspose, {"f32[2,3]"}, DimensionListAttributes{{0}}, "! not a permutation"}});
}

TEST(ReshapeInference, Slice) {
  const auto slice = [](std::vector<SliceDim> s) { return SliceAttributes{std::move(s)}; };
  ExpectInferred(
      {{Op::kSlice, {"f32[5,6]{0,1}"}, slice({{0, 5, 2}, {1, 3}}), "f32[3,2]"},
       {Op::kSlice, {"f32[<=5,?]"}, slice({{0, 1}, {2, 9}}), "f32[1,7]"},
       {Op::kSlice, {"f32[<=5]"}, slice({{1, 4}}), "f32[<=3]"},
       {Op::kSlice, {"f32[5]"}, slice({{2, 2}}), "f32[0]"},
       {Op::kSlice, {"f32[5]"}, slice({{0, 6}}), "! limit index (6) must be less than or equal"},
       {Op::kSlice, {"f32[5]"}, slice({{-1, 2}}), "! Negative start index to slice: -1"},
       {Op::kSlice, {"f32[5]"}, slice({{3, 2}}), "! limit index (2) must be greater or equal"},
       {Op::kSlice, {"f32[5]"}, slice({{0, 2, 0}}), "! Stride (0) must be positive"},
       {Op::kSlice, {"f32[5]"}, slice({}), "! index count does not match argument rank: 0 vs 1"}});
}

TEST(ReshapeInference, DimensionSizes) {
  ExpectInferred(
      {{Op::kGetDimensionSize, {"f32[2,<=3]"}, OneDimensionAttributes{{1}}, "s32[]"},
       {Op::kGetDimensionSize, {"f32[2]"}, OneDimensionAttributes{{1}}, "! out of bounds: 1"},
       {Op::kGetDimensionSize, {"s8[3000000000]"}, OneDimensionAttributes{{0}}, "! INT_MAX"},
       {Op::kGetDimensionSize,
        {"f32[2]"},
        OneDimensionAttributes{},
        "! exactly one dimension; got 0"},
       {Op::kSetDimensionSize,
        {"f32[2,3]{0,1}", "s32[]"},
        OneDimensionAttributes{{0}},
        "f32[<=2,3]{0,1}"},
       {Op::kSetDimensionSize,
        {"f32[2]", "s64[]"},
        OneDimensionAttributes{{0}},
        "! has to be S32 scalar"}});
}

TEST(GatherScatterInference, DynamicSlices) {
  const auto sizes = [](Int64s s) { return DynamicSliceAttributes{std::move(s)}; };
  ExpectInferred(
      {{Op::kDynamicSlice, {"f32[5,6]", "s32[]", "s32[]"}, sizes({2, 6}), "f32[2,6]"},
       {Op::kDynamicSlice, {"f32[5,6]", "s32[2]"}, sizes({2, 6}), "f32[2,6]"},
       {Op::kDynamicSlice, {"f32[<=5,<=6]", "s32[]", "s32[]"}, sizes({2, 6}), "f32[2,<=6]"},
       {Op::kDynamicSlice, {"f32[]"}, sizes({}), "f32[]"},
       {Op::kDynamicSlice,
        {"f32[5]", "s32[]"},
        sizes({6}),
        "! greater than dynamic slice dimension: 5"},
       {Op::kDynamicSlice,
        {"f32[5]", "s32[]"},
        sizes({-1}),
        "! Negative size index to dynamic slice: -1"},
       {Op::kDynamicSlice, {"f32[5]", "f32[]"}, sizes({1}), "! must be of integral type"},
       {Op::kDynamicSlice,
        {"f32[5,6]", "s32[]"},
        sizes({1, 1}),
        "! start number of dimensions 1 must match rank 2"},
       {Op::kDynamicSlice,
        {"f32[5,6]", "s32[]", "u8[]"},
        sizes({1, 1}),
        "! must all have the same shape"},
       {Op::kDynamicUpdateSlice,
        {"f32[5,6]{0,1}", "f32[2,6]", "s32[]", "s32[]"},
        {},
        "f32[5,6]{0,1}"},
       {Op::kDynamicUpdateSlice, {"f32[5]", "f32[<=5]", "s32[]"}, {}, "f32[<=5]"},
       {Op::kDynamicUpdateSlice, {"f32[5]", "f32[6]", "s32[]"}, {}, "! Update dim size 6 greater"},
       {Op::kDynamicUpdateSlice,
        {"f32[5]", "s32[2]", "s32[]"},
        {},
        "! element type does not match"},
       {Op::kDynamicUpdateSlice,
        {"f32[5]", "f32[1,1]", "s32[]"},
        {},
        "! update rank does not match argument rank: 2 vs 1"},
       {Op::kDynamicUpdateSlice, {"f32[5]"}, {}, "! has 1 operands"}});
}

GatherAttributes Rows() {
  return {.offset_dims = {1},
          .collapsed_slice_dims = {0, 1},
          .start_index_map = {0, 1},
          .index_vector_dim = 1,
          .slice_sizes = {1, 1, 7}};
}
// The attributes with one field changed.
template <class Attributes, class Field>
Attributes With(Attributes attributes, Field Attributes::*field, Field value) {
  attributes.*field = std::move(value);
  return attributes;
}

TEST(GatherScatterInference, Gather) {
  using G = GatherAttributes;
  const std::vector<std::string> in = {"f32[5,6,7]", "s32[8,2]"};
  ExpectInferred(
      {{Op::kGather, in, Rows(), "f32[8,7]"},
       {Op::kGather, in, With(Rows(), &G::offset_dims, Int64s{0}), "f32[7,8]"},
       {Op::kGather, {"f32[5,6,<=7]", "s32[<=8,2]"}, Rows(), "f32[<=8,<=7]"},
       {Op::kGather, {"f32[5,6,?]", "s32[?,2]"}, Rows(), "f32[?,7]"},
       {Op::kGather, in, With(Rows(), &G::offset_dims, Int64s{2}),
        "! Offset dimension 0 in gather op is out of bounds; got 2"},
       {Op::kGather, in, With(Rows(), &G::offset_dims, Int64s{1, 1}),
        "! Output window dimensions in gather op must not repeat; got: 1, 1."},
       {Op::kGather, in, With(Rows(), &G::offset_dims, Int64s{1, 0}),
        "! Output window dimensions in gather op must be ascending; got: 1, 0."},
       {Op::kGather, in, With(Rows(), &G::collapsed_slice_dims, Int64s{1, 1}),
        "! Repeated dimensions not allowed in collapsed_slice_dims in gather op; got: 1, 1."},
       {Op::kGather, in, With(Rows(), &G::collapsed_slice_dims, Int64s{1, 0}), "! must be sorted"},
       {Op::kGather, in, With(Rows(), &G::collapsed_slice_dims, Int64s{0, 3}),
        "! Invalid collapsed_slice_dims"},
       {Op::kGather, in, With(Rows(), &G::start_index_map, Int64s{0}),
        "! These two numbers must be equal"},
       {Op::kGather, in, With(Rows(), &G::start_index_map, Int64s{0, 3}),
        "! Invalid start_index_map"},
       {Op::kGather, in, With(Rows(), &G::start_index_map, Int64s{0, 0}), "! Repeated dimensions"},
       {Op::kGather, in, With(Rows(), &G::index_vector_dim, int64_t{3}),
        "! index leaf dimension is 3"},
       {Op::kGather, in, With(Rows(), &G::slice_sizes, Int64s{1, 1}),
        "! one slice size for every input dimension"},
       {Op::kGather, in, With(Rows(), &G::slice_sizes, Int64s{1, 1, 8}),
        "! Slice size at index 2 in gather op is out of range, must be within [0, 8), got 8."},
       {Op::kGather, in, With(Rows(), &G::slice_sizes, Int64s{2, 1, 7}),
        "! only collapse slice dims with bound 1 or 0, but bound is 2 for index 0 at position 0."},
       {Op::kGather, {"f32[5,6,7]", "f32[8,2]"}, Rows(), "! must be an integral tensor"}});
}

TEST(GatherScatterInference, GatherWithBatchingDimensions) {
  using G = GatherAttributes;
  const std::vector<std::string> in = {"f32[8,6,7]", "s32[8,2]"};
  const G batched{.offset_dims = {},
                  .collapsed_slice_dims = {1, 2},
                  .start_index_map = {1, 2},
                  .operand_batching_dims = {0},
                  .start_indices_batching_dims = {0},
                  .index_vector_dim = 1,
                  .slice_sizes = {1, 1, 1}};
  ExpectInferred({{Op::kGather, in, batched, "f32[8]"},
                  {Op::kGather, {"f32[8,6,7]", "s32[7,2]"}, batched, "! must have equal sizes"},
                  {Op::kGather, in, With(batched, &G::operand_batching_dims, Int64s{1}),
                   "! must not share dimension 1"},
                  {Op::kGather, in, With(batched, &G::start_index_map, Int64s{0, 1}),
                   "! must not share dimension 0"},
                  {Op::kGather, in, With(batched, &G::start_indices_batching_dims, Int64s{1}),
                   "! must not contain index_vector_dim"},
                  {Op::kGather, in, With(batched, &G::start_indices_batching_dims, Int64s{}),
                   "! must be of the same size; got: 1 and 0."},
                  {Op::kGather, in, With(batched, &G::slice_sizes, Int64s{2, 1, 1}),
                   "! can only have operand_batching_dims with bound 1 or 0"}});
}

TEST(GatherScatterInference, Scatter) {
  using S = ScatterAttributes;
  const std::vector<std::string> add = {"f32[] f32[] -> f32[]"};
  const std::vector<std::string> in = {"f32[5,6,7]", "s32[8,2]", "f32[8,7]"};
  const S rows{.update_window_dims = {1},
               .inserted_window_dims = {0, 1},
               .scatter_dims_to_operand_dims = {0, 1},
               .index_vector_dim = 1};
  ExpectInferred(
      {{Op::kScatter, in, rows, "f32[5,6,7]", add},
       {Op::kScatter, {"f32[5,6,7]", "s32[8,2]", "f32[8,3]"}, rows, "f32[5,6,7]", add},
       {Op::kScatter,
        {"f32[5,6,7]", "f32[5,6,7]", "s32[8,2]", "f32[8,7]", "f32[8,7]"},
        rows,
        "(f32[5,6,7], f32[5,6,7])",
        {"f32[] f32[] f32[] f32[] -> (f32[], f32[])"}},
       {Op::kScatter,
        {"f32[5,6,7]", "s32[8,2]", "f32[8,8]"},
        rows,
        "! must not exceed the bounds",
        add},
       {Op::kScatter,
        {"f32[5,6,7]", "s32[8,2]", "f32[9,7]"},
        rows,
        "! must be same as the bounds",
        add},
       {Op::kScatter,
        {"f32[5,6,7]", "s32[8,2]", "f32[8,7,1]"},
        rows,
        "! must be of rank 2; got 3",
        add},
       {Op::kScatter, {"f32[5,6,7]", "s32[8,2]"}, rows, "! Expected 3, saw 2", add},
       {Op::kScatter, in, With(rows, &S::inserted_window_dims, Int64s{0}),
        "! doesn't match operand of rank 3", add},
       {Op::kScatter, in, With(rows, &S::update_window_dims, Int64s{2}),
        "! Invalid update_window_dims", add},
       {Op::kScatter, in, With(rows, &S::scatter_dims_to_operand_dims, Int64s{0, 0}),
        "! Repeated dimensions", add},
       {Op::kScatter, in, rows, "! Reduction function", {"s32[] s32[] -> s32[]"}},
       {Op::kScatter, in, rows, "! must take 2 parameters, but takes 1", {"f32[] -> f32[]"}}});
}

TEST(ReshapeShape, DynamicDimensionsPassOn) {
  struct Case {
    std::string operand;
    std::vector<int64_t> sizes;
    int64_t inferred_dimension;
    std::string expected;  // a shape, or "! " and part of the error
  };
  const std::vector<Case> cases = {
      {"f32[<=6,4]", {6, 4}, -1, "f32[<=6,4]"},
      {"f32[<=6,4]", {24}, -1, "f32[<=24]"},
      {"f32[<=6]", {2, 3}, 0, "f32[<=2,3]"},
      {"f32[<=6]", {2, 3}, 1, "f32[2,<=3]"},
      {"f32[<=6]", {2, 3}, -1, "f32[2,3]"},
      {"f32[<=6]", {1, 6}, -1, "f32[1,<=6]"},
      {"f32[<=1,4]", {4}, -1, "f32[<=4]"},
      {"f32[4,<=1]", {4, 1}, -1, "f32[4,<=1]"},
      {"f32[<=1]", {}, -1, "f32[]"},
      {"f32[?]", {2, 3}, -1, "f32[2,3]"},
      {"f32[<=4,6]", {6, 4}, -1, "! both splitted and combined"},
      {"f32[2,<=1,2]", {4}, -1, "! that's not most-minor nor most-major"},
      {"f32[<=6]", {2, 3}, 2, "! inferred_dimension=2 is out of bounds"},
      {"f32[6]", {Shape::kUnboundedSize}, -1, "! Reshaping with unbounded result shape"},
      {"f32[?,<=2]", {2}, -1, "! bounded and unbounded dynamism"},
      {"f32[6]", {5}, -1, "! mismatched element counts: from=6 (f32[6]) to=5 (f32[5])"},
      {"f32[6]", {-6}, -1, "! -6"},
  };
  for (const Case& c : cases) {
    const auto result =
        InferReshapeShape(testing::ShapeOf(c.operand), c.sizes, c.inferred_dimension);
    if (absl::StartsWith(c.expected, "! ")) {
      EXPECT_ERROR(result, c.expected.substr(2)) << c.operand;
    } else {
      ASSERT_OK(result) << c.operand;
      EXPECT_EQ(result->ToString(), c.expected) << c.operand;
    }
  }
}

}  // namespace
}  // namespace xla
