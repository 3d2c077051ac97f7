// SPDX-License-Identifier: Apache-2.0
// The instruction that each of XLA's functions makes, as text: no two operands are the same.
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/test_util.h"
#include "tests/variants/expected.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/text/parser.h"
#include "xla/shape_util.h"
#include "xla/window_util.h"
#include "xla/xla_data.pb.h"

namespace xla::testing {
namespace {

using Instructions = std::vector<HloInstruction*>;

class Factories : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK_AND_ASSIGN(module_, ParseAndReturnUnverifiedModule(R"(HloModule m
add { add_x = f32[] parameter(0) add_y = f32[] parameter(1) ROOT add_r = f32[] add(add_x, add_y) }
ge { ge_x = f32[] parameter(0) ge_y = f32[] parameter(1) ROOT ge_r = pred[] compare(ge_x, ge_y), direction=GE }
step { step_p = f32[4,6] parameter(0) ROOT step_r = f32[4,6] negate(step_p) }
again { again_p = f32[4,6] parameter(0) ROOT again_r = pred[] constant(false) }
ENTRY main {
  a = f32[4,6] parameter(0)
  b = f32[4,6] parameter(1)
  c = f32[4,6] parameter(2)
  d = f32[6] parameter(3)
  e = f32[6] parameter(4)
  f = f32[6] parameter(5)
  g = f32[6] parameter(6)
  i = s32[] parameter(7)
  j = s32[] parameter(8)
  s = f32[] parameter(9)
  t = token[] parameter(10)
  u = (f32[4,6], s32[]) parameter(11)
  z = f32[] constant(0)
})"));
    for (HloInstruction* instruction : module_->entry_computation()->instructions())
      by_name_[std::string(instruction->name())] = instruction;
  }
  HloInstruction* operator[](const char* name) { return by_name_.at(name); }
  HloComputation* Called(const char* name) { return module_->GetComputationWithName(name); }

  // One line for the instruction, which joins the entry computation.
  void Add(std::unique_ptr<HloInstruction> made) {
    lines_.push_back(module_->entry_computation()->AddInstruction(std::move(made))->ToString());
  }

  std::unique_ptr<HloModule> module_;
  std::map<std::string, HloInstruction*> by_name_;
  std::vector<std::string> lines_;
};

Window TwoDimensions() {
  Window window;
  for (const int64_t size : {2, 3}) {
    WindowDimension* dim = window.add_dimensions();
    dim->set_size(size);
    dim->set_stride(size + 1);
    dim->set_padding_low(size - 1);
    dim->set_padding_high(size + 2);
    dim->set_window_dilation(size + 3);
    dim->set_base_dilation(size + 4);
    dim->set_window_reversal(size == 3);
  }
  return window;
}

TEST_F(Factories, Text) {
  using I = HloInstruction;
  auto& m = *this;
  const Shape array = ShapeUtil::MakeShape(F32, {4, 6}), row = ShapeUtil::MakeShape(F32, {6});
  const Shape mask = ShapeUtil::MakeShape(PRED, {4, 6}), number = ShapeUtil::MakeShape(S32, {});
  const Shape two = ShapeUtil::MakeTupleShape({row, row});
  Add(I::CreateIota(array, 1));
  Add(I::CreateNary(array, HloOpcode::kClamp, {m["a"], m["b"], m["c"]}));
  Add(I::CreateUnary(array, HloOpcode::kTanh, m["b"]));
  Add(I::CreateBinary(array, HloOpcode::kSubtract, m["b"], m["a"]));
  Add(I::CreateTernary(array, HloOpcode::kClamp, m["c"], m["b"], m["a"]));
  Add(I::CreateVariadic(two, HloOpcode::kTuple, {m["e"], m["d"]}));
  Add(I::CreateMap(array, {m["b"], m["a"]}, Called("add")));
  Add(I::CreateCompare(mask, m["b"], m["a"], ComparisonDirection::kGt));
  Add(I::CreateCompare(mask, m["a"], m["b"], ComparisonDirection::kNe,
                       Comparison::Type::kFloatTotalOrder));
  Add(I::CreateConvert(ShapeUtil::MakeShape(S8, {4, 6}), m["c"]));
  Add(I::CreateBitcast(ShapeUtil::MakeShape(F32, {24}), m["c"]));
  Add(I::CreateBitcastConvert(ShapeUtil::MakeShape(U32, {4, 6}), m["c"]));
  Add(I::CreateStochasticConvert(ShapeUtil::MakeShape(S8, {4, 6}), m["b"], m["a"]));
  Add(I::CreateReducePrecision(array, m["b"], 5, 10));
  Add(I::CreateBroadcast(array, m["e"], {1}));
  Add(I::CreateReshape(ShapeUtil::MakeShape(F32, {6, 4}), m["b"]));
  Add(I::CreateReshape(ShapeUtil::MakeShape(F32, {3, 8}), m["b"], 1));
  Add(I::CreateDynamicReshape(ShapeUtil::MakeShape(F32, {4, 6}, {true, true}), m["b"],
                              {m["j"], m["i"]}));
  Add(I::CreateTranspose(ShapeUtil::MakeShape(F32, {6, 4}), m["b"], {1, 0}));
  Add(I::CreateReverse(array, m["b"], {1}));
  Add(I::CreateConcatenate(ShapeUtil::MakeShape(F32, {4, 18}), {m["c"], m["a"], m["b"]}, 1));
  Add(I::CreateSlice(ShapeUtil::MakeShape(F32, {2, 2}), m["b"], {1, 0}, {3, 6}, {1, 3}));
  Add(I::CreateDynamicSlice(ShapeUtil::MakeShape(F32, {2, 3}), m["b"], {m["j"], m["i"]}, {2, 3}));
  Add(I::CreateDynamicUpdateSlice(array, m["b"], m["a"], {m["j"], m["i"]}));
  PaddingConfig padding;
  for (const int64_t d : {0, 1}) {
    auto* dim = padding.add_dimensions();
    dim->set_edge_padding_low(d + 1);
    dim->set_edge_padding_high(d + 3);
    dim->set_interior_padding(d);
  }
  Add(I::CreatePad(ShapeUtil::MakeShape(F32, {8, 17}), m["b"], m["z"], padding));
  Add(I::CreateGetDimensionSize(number, m["b"], 1));
  Add(I::CreateSetDimensionSize(ShapeUtil::MakeShape(F32, {4, 6}, {false, true}), m["b"], m["j"],
                                1));
  GatherDimensionNumbers gather;
  gather.add_offset_dims(0);
  gather.add_collapsed_slice_dims(1);
  gather.add_start_index_map(1);
  Add(I::CreateGather(ShapeUtil::MakeShape(F32, {4}), m["b"], m["j"], gather, {4, 1}, true));
  Add(I::CreateGather(ShapeUtil::MakeShape(F32, {4}), m["b"], m["j"], gather, {4, 1}, false));
  GatherDimensionNumbers batched;
  batched.add_start_index_map(2);
  batched.add_collapsed_slice_dims(2);
  batched.add_operand_batching_dims(1);
  batched.add_start_indices_batching_dims(0);
  batched.set_index_vector_dim(1);
  batched.add_offset_dims(1);
  {
    const auto cube = I::CreateParameter(0, ShapeUtil::MakeShape(F32, {2, 3, 4}), "cube");
    const auto starts = I::CreateParameter(1, ShapeUtil::MakeShape(S32, {3, 1}), "starts");
    Add(I::CreateGather(ShapeUtil::MakeShape(F32, {3, 2}), cube.get(), starts.get(), batched,
                        {2, 1, 1}, false));
  }
  ScatterDimensionNumbers scatter;
  scatter.add_update_window_dims(0);
  scatter.add_inserted_window_dims(0);
  scatter.add_scatter_dims_to_operand_dims(0);
  Add(I::CreateScatter(array, m["b"], m["j"], m["e"], Called("add"), scatter, true, false));
  const std::vector<HloInstruction*> scattered = {m["c"]}, updates = {m["d"]};
  Add(I::CreateScatter(array, scattered, m["i"], updates, Called("add"), scatter, false, true));
  Add(I::CreateReduce(row, m["b"], m["z"], {0}, Called("add")));
  Add(I::CreateReduce(two, {m["c"], m["a"]}, {m["z"], m["s"]}, {0}, Called("add")));
  Add(I::CreateReduceWindow(array, m["b"], m["z"], TwoDimensions(), Called("add")));
  Add(I::CreateReduceWindow(two, {m["b"], m["c"]}, {m["z"], m["s"]}, TwoDimensions(),
                            Called("add")));
  Add(I::CreateSelectAndScatter(array, m["b"], Called("ge"), TwoDimensions(), m["a"], m["z"],
                                Called("add")));
  Add(I::CreateSort(two, 0, {m["e"], m["d"]}, Called("ge"), true));
  Add(I::CreateSort(row, 0, {m["d"]}, Called("ge"), false));
  Add(I::CreateTopK(two, m["b"], 3, true));
  Add(I::CreateTopK(two, m["b"], 3, false));
  Add(I::CreateBatchNormTraining(two, m["b"], m["e"], m["d"], 0.5f, 1));
  Add(I::CreateBatchNormInference(array, m["b"], m["g"], m["f"], m["e"], m["d"], 0.25f, 1));
  Add(I::CreateBatchNormGrad(two, m["b"], m["f"], m["e"], m["d"], m["a"], 0.125f, 1));
  DotDimensionNumbers dot;
  dot.add_lhs_contracting_dimensions(1);
  dot.add_rhs_contracting_dimensions(0);
  PrecisionConfig precision;
  precision.add_operand_precision(PrecisionConfig::HIGH);
  precision.add_operand_precision(PrecisionConfig::DEFAULT);
  Add(I::CreateDot(array, m["b"], m["a"], dot, precision));
  RaggedDotDimensionNumbers ragged;
  *ragged.mutable_dot_dimension_numbers() = dot;
  ragged.add_lhs_ragged_dimensions(0);
  ragged.add_rhs_group_dimensions(0);
  Add(I::CreateRaggedDot(array, m["b"], m["a"], m["e"], ragged, precision));
  Add(I::CreateScaledDot(array, m["b"], m["a"], m["d"], m["c"], dot, precision));
  ConvolutionDimensionNumbers labels;
  labels.set_input_batch_dimension(1);
  labels.set_input_feature_dimension(0);
  labels.set_kernel_input_feature_dimension(1);
  labels.set_kernel_output_feature_dimension(0);
  labels.set_output_batch_dimension(0);
  labels.set_output_feature_dimension(1);
  Add(I::CreateConvolve(array, m["b"], m["a"], 2, 3, Window(), labels, precision));
  Add(I::CreateConvolve(array, m["b"], m["a"], 3, 2, Window(), labels, precision,
                        SparsityConfig()));
  Add(I::CreateFft(ShapeUtil::MakeShape(C64, {4, 4}), m["b"], FftType::RFFT, {6}));
  TriangularSolveOptions solve;
  solve.set_left_side(true);
  solve.set_unit_diagonal(true);
  solve.set_transpose_a(TriangularSolveOptions::TRANSPOSE);
  Add(I::CreateTriangularSolve(array, m["b"], m["a"], solve));
  CholeskyOptions cholesky;
  cholesky.set_lower(true);
  Add(I::CreateCholesky(array, m["b"], cholesky));
  Add(I::CreateRng(array, RandomDistribution::RNG_UNIFORM, {m["z"], m["s"]}));
  Add(I::CreateRngBitGenerator(two, m["e"], RandomAlgorithm::RNG_PHILOX));
  Add(I::CreateRngGetAndUpdateState(ShapeUtil::MakeShape(U64, {2}), 77));
  Add(I::CreateTuple({m["b"], m["a"]}));
  Add(I::CreateGetTupleElement(array, m["u"], 0));
  Add(I::CreateGetTupleElement(m["u"], 1));
  Add(I::CreateCall(row, {m["z"], m["s"]}, Called("add")));
  Add(I::CreateWhile(array, Called("again"), Called("step"), m["b"]));
  Add(I::CreateConditional(array, m["s"], m["b"], Called("step"), m["a"], Called("again")));
  Add(I::CreateConditional(array, m["j"], {Called("again"), Called("step")}, {m["b"], m["a"]}));
  Add(I::CreateCustomCall(array, {m["b"], m["a"]}, "target", "opaque", API_VERSION_TYPED_FFI));
  Add(I::CreateCustomCall(array, {m["b"], m["a"]}, "target"));
  Add(I::CreateCustomCall(array, {m["z"], m["s"]}, Called("add"), "target", "text"));
  Add(I::CreateCustomCall(array, {m["b"], m["d"]}, "target", {array, row}, "more"));
  Add(I::CreateAddDependency(m["b"], m["t"]));
  Add(I::CreateToken());
  Add(I::CreateAfterAll({m["t"], m["t"]}));
  Add(I::CreateInfeed(array, m["t"], "config"));
  Add(I::CreateOutfeed(array, m["b"], m["t"], "config"));
  for (const bool host : {false, true}) {
    Add(I::CreateSend(m["b"], m["t"], 5, host));
    Add(I::CreateSendDone(
        lines_.empty() ? nullptr : module_->entry_computation()->instructions().back(), 5, host));
    Add(I::CreateRecv(array, m["t"], 6, host));
    Add(I::CreateRecvDone(module_->entry_computation()->instructions().back(), 6, host));
  }
  Add(I::CreateReplicaId());
  Add(I::CreateReplicaId(ShapeUtil::MakeShape(U32, {})));
  Add(I::CreatePartitionId());
  Add(I::CreatePartitionId(ShapeUtil::MakeShape(U32, {})));
  ReplicaGroup group;
  group.add_replica_ids(1);
  group.add_replica_ids(0);
  Add(I::CreateAllReduce(array, {m["b"]}, Called("add"), {group}, false, 7, true));
  Add(I::CreateAllReduce(array, {m["c"]}, Called("add"), {}, true, std::nullopt, false));
  Add(I::CreateCollectivePermute(array, m["b"], {{0, 1}, {2, 3}}, 8));
  ExpectLines("factories", lines_);
}

}  // namespace
}  // namespace xla::testing
