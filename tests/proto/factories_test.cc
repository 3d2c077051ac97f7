// SPDX-License-Identifier: Apache-2.0
// Instructions made by XLA's functions from what XLA's accessors say of them are the same.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/test_util.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/text/parser.h"
#include "xla/service/hlo.pb.h"
#include "xla/xla_data.pb.h"

namespace xla {
namespace {

using H = HloInstruction;

// The instruction again; null if no function makes it.
std::unique_ptr<HloInstruction> MadeAgain(const HloInstruction& i) {
  const Shape& shape = i.shape();
  const auto at = [&](int64_t k) { return i.mutable_operand(k); };
  const auto rest = [&](int64_t first) {
    std::vector<HloInstruction*> operands;
    for (int64_t k = first; k < i.operand_count(); ++k) operands.push_back(at(k));
    return operands;
  };
  const auto called = [&](size_t k) { return i.called_computations()[k]; };
  const std::vector<HloInstruction*> all = rest(0);
  switch (i.opcode()) {
    case HloOpcode::kIota:
      return H::CreateIota(shape, i.dimension());
    case HloOpcode::kCompare:
      return H::CreateCompare(shape, at(0), at(1), i.comparison_direction(),
                              Comparison::Type::kFloatTotalOrder);
    case HloOpcode::kReducePrecision:
      return H::CreateReducePrecision(shape, at(0), i.exponent_bits(), i.mantissa_bits());
    case HloOpcode::kBroadcast:
      return H::CreateBroadcast(shape, at(0), i.dimensions());
    case HloOpcode::kReshape:
      return H::CreateReshape(shape, at(0));
    case HloOpcode::kTranspose:
      return H::CreateTranspose(shape, at(0), i.dimensions());
    case HloOpcode::kReverse:
      return H::CreateReverse(shape, at(0), i.dimensions());
    case HloOpcode::kConcatenate:
      return H::CreateConcatenate(shape, all, i.concatenate_dimension());
    case HloOpcode::kSlice: {
      std::vector<int64_t> starts, limits, strides;
      for (int64_t d = 0; d < shape.rank(); ++d) {
        starts.push_back(i.slice_starts(d));
        limits.push_back(i.slice_limits(d));
        strides.push_back(i.slice_strides(d));
      }
      return H::CreateSlice(shape, at(0), starts, limits, strides);
    }
    case HloOpcode::kDynamicSlice:
      return H::CreateDynamicSlice(shape, at(0), rest(1), i.dynamic_slice_sizes());
    case HloOpcode::kDynamicUpdateSlice:
      return H::CreateDynamicUpdateSlice(shape, at(0), at(1), rest(2));
    case HloOpcode::kPad:
      return H::CreatePad(shape, at(0), at(1), i.padding_config());
    case HloOpcode::kGetDimensionSize:
      return H::CreateGetDimensionSize(shape, at(0), i.dimension());
    case HloOpcode::kSetDimensionSize:
      return H::CreateSetDimensionSize(shape, at(0), at(1), i.dimension());
    case HloOpcode::kGather:
      return H::CreateGather(shape, at(0), at(1), i.gather_dimension_numbers(),
                             i.gather_slice_sizes(),
                             i.attributes<GatherAttributes>().indices_are_sorted);
    case HloOpcode::kScatter: {
      const auto& attributes = i.attributes<ScatterAttributes>();
      return H::CreateScatter(shape, at(0), at(1), at(2), called(0), i.scatter_dimension_numbers(),
                              attributes.indices_are_sorted, attributes.unique_indices);
    }
    case HloOpcode::kReduce:
      return H::CreateReduce(shape, at(0), at(1), i.dimensions(), called(0));
    case HloOpcode::kReduceWindow:
      return H::CreateReduceWindow(shape, at(0), at(1), i.window(), called(0));
    case HloOpcode::kSelectAndScatter:
      return H::CreateSelectAndScatter(shape, at(0), called(0), i.window(), at(1), at(2),
                                       called(1));
    case HloOpcode::kSort:
      return H::CreateSort(shape, i.dimension(), all, called(0), i.is_stable());
    case HloOpcode::kTopK: {
      const auto& attributes = i.attributes<TopKAttributes>();
      return H::CreateTopK(shape, at(0), attributes.k, attributes.largest);
    }
    case HloOpcode::kBatchNormTraining:
      return H::CreateBatchNormTraining(shape, at(0), at(1), at(2), i.epsilon(), i.feature_index());
    case HloOpcode::kBatchNormInference:
      return H::CreateBatchNormInference(shape, at(0), at(1), at(2), at(3), at(4), i.epsilon(),
                                         i.feature_index());
    case HloOpcode::kBatchNormGrad:
      return H::CreateBatchNormGrad(shape, at(0), at(1), at(2), at(3), at(4), i.epsilon(),
                                    i.feature_index());
    case HloOpcode::kDot: {
      auto dot = H::CreateDot(shape, at(0), at(1), i.dot_dimension_numbers(), i.precision_config());
      return dot;
    }
    case HloOpcode::kRaggedDot:
      return H::CreateRaggedDot(shape, at(0), at(1), at(2), i.ragged_dot_dimension_numbers(),
                                i.precision_config());
    case HloOpcode::kConvolution:
      return H::CreateConvolve(shape, at(0), at(1), i.feature_group_count(), i.batch_group_count(),
                               i.window(), i.convolution_dimension_numbers(), i.precision_config(),
                               i.sparsity_config(), i.convolution_kind());
    case HloOpcode::kFft:
      return H::CreateFft(shape, at(0), i.fft_type(), i.fft_length());
    case HloOpcode::kTriangularSolve:
      return H::CreateTriangularSolve(shape, at(0), at(1), i.triangular_solve_options());
    case HloOpcode::kCholesky:
      return H::CreateCholesky(shape, at(0), i.cholesky_options());
    case HloOpcode::kRng:
      return H::CreateRng(shape, i.random_distribution(), all);
    case HloOpcode::kRngGetAndUpdateState:
      return H::CreateRngGetAndUpdateState(shape, i.attributes<RngDeltaAttributes>().delta);
    case HloOpcode::kTuple:
      return H::CreateTuple(all);
    case HloOpcode::kGetTupleElement:
      return H::CreateGetTupleElement(at(0), i.tuple_index());
    case HloOpcode::kCall:
      return H::CreateCall(shape, all, called(0));
    case HloOpcode::kConditional:
      if (at(0)->shape().element_type() == PRED)
        return H::CreateConditional(shape, at(0), at(1), called(0), at(2), called(1));
      return H::CreateConditional(shape, at(0), i.called_computations(), rest(1));
    case HloOpcode::kAddDependency:
      return H::CreateAddDependency(at(0), at(1));
    case HloOpcode::kAfterAll:
      return H::CreateAfterAll(all);
    case HloOpcode::kInfeed:
      return H::CreateInfeed(shape.tuple_shapes(0), at(0), i.infeed_config());
    case HloOpcode::kSend:
      return H::CreateSend(at(0), at(1), i.channel_id(), i.is_host_transfer());
    case HloOpcode::kSendDone:
      return H::CreateSendDone(at(0), i.channel_id(), i.is_host_transfer());
    case HloOpcode::kReplicaId:
      return H::CreateReplicaId(shape);
    case HloOpcode::kCollectivePermute:
      return H::CreateCollectivePermute(shape, at(0), i.source_target_pairs(), i.channel_id());
    case HloOpcode::kAllReduce: {
      std::vector<ReplicaGroup> groups;
      for (const std::vector<int64_t>& ids : i.device_list().groups) {
        groups.emplace_back();
        for (const int64_t id : ids) groups.back().add_replica_ids(id);
      }
      return H::CreateAllReduce(shape, all, called(0), groups, i.constrain_layout(), i.channel_id(),
                                i.use_global_device_ids());
    }
    case HloOpcode::kAdd:
    case HloOpcode::kSubtract:
      return H::CreateBinary(shape, i.opcode(), at(0), at(1));
    case HloOpcode::kOptimizationBarrier:
    case HloOpcode::kNegate:
      return H::CreateUnary(shape, i.opcode(), at(0));
    default:
      return nullptr;
  }
}

TEST(Factories, MakeWhatTheAccessorsSay) {
  std::string text;
  {
    std::FILE* file = std::fopen(XYLEM_SOURCE_DIR "/tests/variants/programs/attributes.hlo", "r");
    ASSERT_NE(file, nullptr);
    char buffer[4096];
    for (size_t count; (count = std::fread(buffer, 1, sizeof(buffer), file)) > 0;)
      text.append(buffer, count);
    std::fclose(file);
  }
  HloParserOptions options;
  options.max_elided_bytes = 1 << 16;
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(text, options));
  int made = 0;
  for (const HloComputation* computation : module->computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      const std::unique_ptr<HloInstruction> again = MadeAgain(*instruction);
      if (again == nullptr) continue;
      ++made;
      // What has no argument of the function.
      if (instruction->opcode() == HloOpcode::kDot)
        again->mutable_attributes<DotAttributes>()->algorithm =
            instruction->attributes<DotAttributes>().algorithm;
      if (instruction->opcode() == HloOpcode::kAllReduce)
        again->mutable_attributes<AllReduceAttributes>()->replica_groups =
            instruction->attributes<AllReduceAttributes>().replica_groups;
      if (instruction->opcode() == HloOpcode::kCompare &&
          instruction->attributes<CompareAttributes>().type != Comparison::Type::kFloatTotalOrder) {
        again->mutable_attributes<CompareAttributes>()->type =
            instruction->attributes<CompareAttributes>().type;
      }
      EXPECT_TRUE(again->Identical(*instruction)) << instruction->ToString() << "\n"
                                                  << again->ToString();
    }
  }
  EXPECT_GT(made, 60);
}

}  // namespace
}  // namespace xla
