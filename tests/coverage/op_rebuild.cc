// SPDX-License-Identifier: Apache-2.0
#include "tests/coverage/op_rebuild.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "xla/base/status_macros.h"
#include "xla/base/string_view.h"
#include "xla/hlo/builder/builder_state.h"
#include "xla/hlo/ir/opcode_docs.h"
#include "xla/hlo/proto/attribute_protos.h"
#include "xla/hlo/proto/hlo_proto.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using Ops = std::vector<XlaOp>;
using proto::AddAll;
using proto::WriteConvDims;
using proto::WritePrecisions;

// A called computation as a program of its own.
absl::StatusOr<XlaComputation> ProgramOf(const HloInstruction& instruction, size_t callee) {
  const std::unique_ptr<HloModule> module = instruction.GetModule()->Clone();
  const std::string& name = instruction.called_computations()[callee]->name();
  for (HloComputation* computation : module->computations()) {
    if (computation->name() == name) module->set_entry_computation(computation);
  }
  module->config() = HloModuleConfig();
  module->SetDefaultEntryLayout();
  XLA_RETURN_IF_ERROR(module->RemoveUnusedComputations());
  XLA_ASSIGN_OR_RETURN(HloModuleProto proto, ModuleToProto(*module));
  return XlaComputation(std::move(proto));
}

// Strides, sizes and paddings of a window as the builder takes them.
struct WindowLists {
  std::vector<int64_t> sizes, strides, base_dilations, window_dilations;
  std::vector<std::pair<int64_t, int64_t>> padding;
  std::vector<bool> reversal;

  explicit WindowLists(const WindowDims& window) {
    for (const WindowDim& dim : window.dims) {
      sizes.push_back(dim.size);
      strides.push_back(dim.stride);
      base_dilations.push_back(dim.base_dilation);
      window_dilations.push_back(dim.window_dilation);
      padding.emplace_back(dim.padding_low, dim.padding_high);
      reversal.push_back(dim.window_reversal);
    }
  }
};

std::optional<ChannelHandle> Channel(const std::optional<int64_t>& id) {
  if (!id.has_value()) return std::nullopt;
  ChannelHandle handle;
  handle.set_handle(*id);
  handle.set_type(ChannelHandle::DEVICE_TO_DEVICE);
  return handle;
}

ChannelHandle TransferChannel(const SendRecvAttributes& a, ChannelHandle::ChannelType host_type) {
  ChannelHandle handle;
  handle.set_handle(a.channel_id.value_or(1));
  handle.set_type(a.is_host_transfer ? host_type : ChannelHandle::DEVICE_TO_DEVICE);
  return handle;
}

// Precisions of a contraction.
PrecisionConfig Precision(const Precisions& precisions, int64_t operands) {
  PrecisionConfig config;
  WritePrecisions(precisions, operands, &config);
  return config;
}

template <typename DotLike, typename Numbers>
void FillDotNumbers(const DotLike& a, Numbers* numbers) {
  AddAll(a.lhs_batch_dims, numbers->mutable_lhs_batch_dimensions());
  AddAll(a.lhs_contracting_dims, numbers->mutable_lhs_contracting_dimensions());
  AddAll(a.rhs_batch_dims, numbers->mutable_rhs_batch_dimensions());
  AddAll(a.rhs_contracting_dims, numbers->mutable_rhs_contracting_dimensions());
}

GatherDimensionNumbers GatherNumbers(const GatherAttributes& a) {
  GatherDimensionNumbers numbers;
  AddAll(a.offset_dims, numbers.mutable_offset_dims());
  AddAll(a.collapsed_slice_dims, numbers.mutable_collapsed_slice_dims());
  AddAll(a.start_index_map, numbers.mutable_start_index_map());
  AddAll(a.operand_batching_dims, numbers.mutable_operand_batching_dims());
  AddAll(a.start_indices_batching_dims, numbers.mutable_start_indices_batching_dims());
  numbers.set_index_vector_dim(a.index_vector_dim);
  return numbers;
}

ScatterDimensionNumbers ScatterNumbers(const ScatterAttributes& a) {
  ScatterDimensionNumbers numbers;
  AddAll(a.update_window_dims, numbers.mutable_update_window_dims());
  AddAll(a.inserted_window_dims, numbers.mutable_inserted_window_dims());
  AddAll(a.scatter_dims_to_operand_dims, numbers.mutable_scatter_dims_to_operand_dims());
  AddAll(a.input_batching_dims, numbers.mutable_input_batching_dims());
  AddAll(a.scatter_indices_batching_dims, numbers.mutable_scatter_indices_batching_dims());
  numbers.set_index_vector_dim(a.index_vector_dim);
  return numbers;
}

// What one call needs.
struct Request {
  XlaBuilder* builder;
  const HloInstruction& instruction;
  const Ops& operands;
  absl::Span<const XlaComputation> callees;

  XlaOp operand(size_t i) const { return operands[i]; }
  const Shape& shape() const { return instruction.shape(); }
  Shape ShapeWithLayout(const Shape& shape) const {
    Shape result = shape;
    if (result.IsArray() && !result.has_layout()) LayoutUtil::SetToDefaultLayout(&result);
    return result;
  }
  absl::Span<const XlaOp> From(size_t i) const { return absl::MakeConstSpan(operands).subspan(i); }
  absl::Span<const XlaOp> First(size_t n) const {
    return absl::MakeConstSpan(operands).subspan(0, n);
  }
  template <typename T>
  const T& As() const {
    return instruction.attributes<T>();
  }
};

// Operations without a case below: their row in the operation table tells what the builder needs.
absl::Status BuildFromTable(const Request& call) {
  const HloInstruction& instruction = call.instruction;
  if (GetOpcodeDoc(instruction.opcode()).builders.empty()) {
    return absl::UnimplementedError(
        absl::StrCat("the builder has no function for ", View(instruction.info().name)));
  }
  const std::vector<XlaComputationRef> callees(call.callees.begin(), call.callees.end());
  return call.builder->state()
      .Add(instruction.opcode(), call.operands, instruction.attributes(), &call.shape(), callees)
      .status();
}

// --- Arrays
absl::Status BuildArray(const Request& c) {
  const Shape& shape = c.shape();
  switch (c.instruction.opcode()) {
    case HloOpcode::kBitcastConvert:
      BitcastConvertType(c.operand(0), shape.element_type());
      return absl::OkStatus();
    case HloOpcode::kConvert:
      ConvertElementType(c.operand(0), shape.element_type());
      return absl::OkStatus();
    case HloOpcode::kStochasticConvert:
      StochasticConvertType(c.operand(0), c.operand(1), shape.element_type());
      return absl::OkStatus();
    case HloOpcode::kReducePrecision: {
      const auto& a = c.As<ReducePrecisionAttributes>();
      ReducePrecision(c.operand(0), static_cast<int>(a.exponent_bits),
                      static_cast<int>(a.mantissa_bits));
      return absl::OkStatus();
    }
    case HloOpcode::kClamp:
      Clamp(c.operand(0), c.operand(1), c.operand(2));
      return absl::OkStatus();
    case HloOpcode::kSelect:
      Select(c.operand(0), c.operand(1), c.operand(2));
      return absl::OkStatus();
    case HloOpcode::kCompare: {
      const auto& a = c.As<CompareAttributes>();
      if (a.type.has_value()) {
        Compare(c.operand(0), c.operand(1), {}, a.direction, *a.type);
      } else {
        Compare(c.operand(0), c.operand(1), {}, a.direction);
      }
      return absl::OkStatus();
    }
    case HloOpcode::kParameter:
      Parameter(c.builder, c.instruction.parameter_number(), shape, "p");
      return absl::OkStatus();
    case HloOpcode::kConstant:
      ConstantLiteral(c.builder, c.instruction.literal());
      return absl::OkStatus();
    case HloOpcode::kIota:
      Iota(c.builder, shape, c.As<IotaAttributes>().iota_dimension);
      return absl::OkStatus();
    case HloOpcode::kBroadcast:
      BroadcastInDim(c.operand(0), shape.dimensions(), c.instruction.dimensions());
      return absl::OkStatus();
    case HloOpcode::kConcatenate:
      ConcatInDim(c.builder, c.operands, c.instruction.dimensions()[0]);
      return absl::OkStatus();
    case HloOpcode::kDynamicReshape: {
      std::vector<bool> dynamic(shape.dynamic_dimensions().begin(),
                                shape.dynamic_dimensions().end());
      DynamicReshape(c.operand(0), c.From(1), shape.dimensions(), dynamic);
      return absl::OkStatus();
    }
    case HloOpcode::kPad: {
      PaddingConfig config;
      for (const PadDim& dim : c.As<PadAttributes>().padding) {
        PaddingConfig::PaddingConfigDimension* entry = config.add_dimensions();
        entry->set_edge_padding_low(dim.low);
        entry->set_edge_padding_high(dim.high);
        entry->set_interior_padding(dim.interior);
      }
      Pad(c.operand(0), c.operand(1), config);
      return absl::OkStatus();
    }
    case HloOpcode::kReshape:
      Reshape(c.operand(0), shape.dimensions());
      return absl::OkStatus();
    case HloOpcode::kReverse:
      Rev(c.operand(0), c.instruction.dimensions());
      return absl::OkStatus();
    case HloOpcode::kSlice: {
      std::vector<int64_t> starts, limits, strides;
      for (const SliceDim& dim : c.As<SliceAttributes>().slice) {
        starts.push_back(dim.start);
        limits.push_back(dim.limit);
        strides.push_back(dim.stride);
      }
      Slice(c.operand(0), starts, limits, strides);
      return absl::OkStatus();
    }
    case HloOpcode::kTranspose:
      Transpose(c.operand(0), c.instruction.dimensions());
      return absl::OkStatus();
    case HloOpcode::kGetDimensionSize:
      GetDimensionSize(c.operand(0), c.instruction.dimensions()[0]);
      return absl::OkStatus();
    case HloOpcode::kSetDimensionSize:
      SetDimensionSize(c.operand(0), c.operand(1), c.instruction.dimensions()[0]);
      return absl::OkStatus();
    case HloOpcode::kDynamicSlice:
      DynamicSlice(c.operand(0), c.From(1), c.As<DynamicSliceAttributes>().dynamic_slice_sizes);
      return absl::OkStatus();
    case HloOpcode::kDynamicUpdateSlice:
      DynamicUpdateSlice(c.operand(0), c.operand(1), c.From(2));
      return absl::OkStatus();
    case HloOpcode::kGather: {
      const auto& a = c.As<GatherAttributes>();
      Gather(c.operand(0), c.operand(1), GatherNumbers(a), a.slice_sizes, a.indices_are_sorted);
      return absl::OkStatus();
    }
    case HloOpcode::kScatter: {
      const auto& a = c.As<ScatterAttributes>();
      const size_t n = c.operands.size() / 2;
      Scatter(c.First(n), c.operand(n), c.From(n + 1), c.callees[0], ScatterNumbers(a),
              a.indices_are_sorted, a.unique_indices);
      return absl::OkStatus();
    }
    default:
      return BuildFromTable(c);
  }
}

// --- Reductions, windows, orders, contractions, linear algebra, random numbers
absl::Status BuildCompute(const Request& c) {
  const Shape& shape = c.shape();
  const size_t half = c.operands.size() / 2;
  switch (c.instruction.opcode()) {
    case HloOpcode::kMap:
      Map(c.builder, c.operands, c.callees[0], c.instruction.dimensions());
      return absl::OkStatus();
    case HloOpcode::kReduce:
      Reduce(c.builder, c.First(half), c.From(half), c.callees[0], c.instruction.dimensions());
      return absl::OkStatus();
    case HloOpcode::kScan: {
      const auto& a = c.As<ScanAttributes>();
      const size_t inputs = c.operands.size() - static_cast<size_t>(a.num_carries);
      TriState is_associative = TRI_STATE_UNSPECIFIED;
      if (a.is_associative.has_value())
        is_associative = *a.is_associative ? TRI_STATE_TRUE : TRI_STATE_FALSE;
      Scan(c.First(inputs), c.From(inputs), c.callees[0], a.dimensions[0], std::nullopt,
           a.is_reverse, is_associative);
      return absl::OkStatus();
    }
    case HloOpcode::kReduceWindow: {
      const WindowLists w(c.As<WindowAttributes>().window);
      ReduceWindowWithGeneralPadding(c.First(half), c.From(half), c.callees[0], w.sizes, w.strides,
                                     w.base_dilations, w.window_dilations, w.padding);
      return absl::OkStatus();
    }
    case HloOpcode::kSelectAndScatter: {
      const WindowLists w(c.As<WindowAttributes>().window);
      SelectAndScatterWithGeneralPadding(c.operand(0), c.callees[0], w.sizes, w.strides, w.padding,
                                         c.operand(1), c.operand(2), c.callees[1]);
      return absl::OkStatus();
    }
    case HloOpcode::kBatchNormTraining: {
      const auto& a = c.As<BatchNormAttributes>();
      BatchNormTraining(c.operand(0), c.operand(1), c.operand(2), a.epsilon, a.feature_index);
      return absl::OkStatus();
    }
    case HloOpcode::kBatchNormInference: {
      const auto& a = c.As<BatchNormAttributes>();
      BatchNormInference(c.operand(0), c.operand(1), c.operand(2), c.operand(3), c.operand(4),
                         a.epsilon, a.feature_index);
      return absl::OkStatus();
    }
    case HloOpcode::kBatchNormGrad: {
      const auto& a = c.As<BatchNormAttributes>();
      BatchNormGrad(c.operand(0), c.operand(1), c.operand(2), c.operand(3), c.operand(4), a.epsilon,
                    a.feature_index);
      return absl::OkStatus();
    }
    case HloOpcode::kSort: {
      const auto& a = c.As<SortAttributes>();
      Sort(c.operands, c.callees[0], a.dimensions[0], a.is_stable);
      return absl::OkStatus();
    }
    case HloOpcode::kTopK: {
      const auto& a = c.As<TopKAttributes>();
      TopK(c.operand(0), a.k, a.largest);
      return absl::OkStatus();
    }
    case HloOpcode::kConvolution: {
      const auto& a = c.As<ConvolutionAttributes>();
      const WindowLists w(a.window);
      const PrecisionConfig precision = Precision(a.precision, 2);
      ConvGeneralDilated(c.operand(0), c.operand(1), w.strides, w.padding, w.base_dilations,
                         w.window_dilations, WriteConvDims(a.dim_labels), a.feature_group_count,
                         a.batch_group_count, &precision, shape.element_type(), w.reversal);
      return absl::OkStatus();
    }
    case HloOpcode::kDot: {
      const auto& a = c.As<DotAttributes>();
      DotDimensionNumbers numbers;
      FillDotNumbers(a, &numbers);
      const PrecisionConfig precision = Precision(a.precision, 2);
      DotGeneral(c.operand(0), c.operand(1), numbers, &precision, shape.element_type());
      return absl::OkStatus();
    }
    case HloOpcode::kScaledDot: {
      const auto& a = c.As<DotAttributes>();
      DotDimensionNumbers numbers;
      FillDotNumbers(a, &numbers);
      const PrecisionConfig precision = Precision(a.precision, 2);
      ScaledDot(c.operand(0), c.operand(1), c.operand(2), c.operand(3), numbers, &precision,
                shape.element_type());
      return absl::OkStatus();
    }
    case HloOpcode::kRaggedDot: {
      const auto& a = c.As<RaggedDotAttributes>();
      RaggedDotDimensionNumbers numbers;
      FillDotNumbers(a, numbers.mutable_dot_dimension_numbers());
      AddAll(a.lhs_ragged_dims, numbers.mutable_lhs_ragged_dimensions());
      AddAll(a.rhs_group_dims, numbers.mutable_rhs_group_dimensions());
      const PrecisionConfig precision = Precision(a.precision, 2);
      RaggedDot(c.operand(0), c.operand(1), c.operand(2), numbers, &precision,
                shape.element_type());
      return absl::OkStatus();
    }
    case HloOpcode::kCholesky:
      Cholesky(c.operand(0), c.As<CholeskyAttributes>().lower);
      return absl::OkStatus();
    case HloOpcode::kFft: {
      const auto& a = c.As<FftAttributes>();
      Fft(c.operand(0), a.fft_type, a.fft_length);
      return absl::OkStatus();
    }
    case HloOpcode::kTriangularSolve: {
      const auto& a = c.As<TriangularSolveAttributes>();
      TriangularSolve(c.operand(0), c.operand(1), a.left_side, a.lower, a.unit_diagonal,
                      a.transpose_a);
      return absl::OkStatus();
    }
    case HloOpcode::kRng:
      if (c.As<RngAttributes>().distribution == RandomDistribution::RNG_NORMAL) {
        RngNormal(c.operand(0), c.operand(1), shape);
      } else {
        RngUniform(c.operand(0), c.operand(1), shape);
      }
      return absl::OkStatus();
    case HloOpcode::kRngBitGenerator:
      RngBitGenerator(c.As<RngBitGeneratorAttributes>().algorithm, c.operand(0),
                      shape.tuple_shapes(1));
      return absl::OkStatus();
    default:
      return BuildFromTable(c);
  }
}

// --- Tuples, control, tokens
absl::Status BuildControl(const Request& c) {
  const Shape& shape = c.shape();
  switch (c.instruction.opcode()) {
    case HloOpcode::kOptimizationBarrier:
      OptimizationBarrier(c.operand(0));
      return absl::OkStatus();
    case HloOpcode::kTuple:
      Tuple(c.builder, c.operands);
      return absl::OkStatus();
    case HloOpcode::kGetTupleElement:
      GetTupleElement(c.operand(0), c.instruction.tuple_index());
      return absl::OkStatus();
    case HloOpcode::kCall:
      Call(c.builder, c.callees[0], c.operands);
      return absl::OkStatus();
    case HloOpcode::kWhile:
      While(c.callees[1], c.callees[0], c.operand(0));
      return absl::OkStatus();
    case HloOpcode::kConditional: {
      if (c.instruction.operand(0)->shape().element_type() == PRED) {
        Conditional(c.operand(0), c.operand(1), c.callees[0], c.operand(2), c.callees[1]);
        return absl::OkStatus();
      }
      std::vector<const XlaComputation*> branches;
      for (const XlaComputation& branch : c.callees) branches.push_back(&branch);
      Conditional(c.operand(0), branches, c.From(1));
      return absl::OkStatus();
    }
    case HloOpcode::kCustomCall: {
      const auto& a = c.As<CustomCallAttributes>();
      CustomCall(c.builder, a.custom_call_target, c.operands, shape, /*opaque=*/"",
                 a.has_side_effect, {}, a.literal.literal.get(), a.schedule, a.api_version);
      return absl::OkStatus();
    }
    case HloOpcode::kAfterAll:
      AfterAll(c.builder, c.operands);
      return absl::OkStatus();
    case HloOpcode::kInfeed:
      InfeedWithToken(c.operand(0), c.ShapeWithLayout(shape.tuple_shapes(0)),
                      c.As<InfeedAttributes>().infeed_config);
      return absl::OkStatus();
    case HloOpcode::kOutfeed:
      OutfeedWithToken(c.operand(0), c.operand(1),
                       c.ShapeWithLayout(c.instruction.operand(0)->shape()),
                       c.As<OutfeedAttributes>().outfeed_config);
      return absl::OkStatus();
    case HloOpcode::kSend: {
      const auto& a = c.As<SendRecvAttributes>();
      const ChannelHandle handle = TransferChannel(a, ChannelHandle::DEVICE_TO_HOST);
      if (a.is_host_transfer) {
        SendToHost(c.operand(0), c.operand(1), c.ShapeWithLayout(c.instruction.operand(0)->shape()),
                   handle);
      } else {
        SendWithToken(c.operand(0), c.operand(1), handle);
      }
      return absl::OkStatus();
    }
    case HloOpcode::kRecv: {
      const auto& a = c.As<SendRecvAttributes>();
      const ChannelHandle handle = TransferChannel(a, ChannelHandle::HOST_TO_DEVICE);
      const Shape data = c.ShapeWithLayout(shape.tuple_shapes(0));
      if (a.is_host_transfer) {
        RecvFromHost(c.operand(0), data, handle);
      } else {
        RecvWithToken(c.operand(0), data, handle);
      }
      return absl::OkStatus();
    }
    default:
      return BuildFromTable(c);
  }
}

absl::Status BuildCollective(const Request& c) {
  switch (c.instruction.opcode()) {
    case HloOpcode::kAllGather: {
      const auto& a = c.As<AllGatherAttributes>();
      const auto d = static_cast<int>(a.dimensions[0]);
      const Shape& result = c.shape().IsTuple() ? c.shape().tuple_shapes(0) : c.shape();
      const int64_t shards = result.dimensions(d) / c.instruction.operand(0)->shape().dimensions(d);
      if (c.operands.size() == 1) {
        AllGatherWithDeviceList(c.operand(0), d, shards, a.replica_groups, Channel(a.channel_id),
                                std::nullopt, a.use_global_device_ids);
      } else {
        AllGatherTupleWithDeviceList(c.operands, d, shards, a.replica_groups, Channel(a.channel_id),
                                     std::nullopt, a.use_global_device_ids);
      }
      return absl::OkStatus();
    }
    case HloOpcode::kAllReduce: {
      const auto& a = c.As<AllReduceAttributes>();
      if (c.operands.size() == 1) {
        AllReduceWithDeviceList(c.operand(0), c.callees[0], a.replica_groups, Channel(a.channel_id),
                                std::nullopt, a.use_global_device_ids);
      } else {
        AllReduceTupleWithDeviceList(c.operands, c.callees[0], a.replica_groups,
                                     Channel(a.channel_id), std::nullopt, a.use_global_device_ids);
      }
      return absl::OkStatus();
    }
    case HloOpcode::kReduceScatter: {
      const auto& a = c.As<ReduceScatterAttributes>();
      const auto d = static_cast<int>(a.dimensions[0]);
      const int64_t shards =
          c.instruction.operand(0)->shape().dimensions(d) / c.shape().dimensions(d);
      ReduceScatterWithDeviceList(c.operand(0), c.callees[0], d, shards, a.replica_groups,
                                  Channel(a.channel_id), std::nullopt, a.use_global_device_ids);
      return absl::OkStatus();
    }
    case HloOpcode::kAllToAll: {
      const auto& a = c.As<AllToAllAttributes>();
      if (!a.dimensions.has_value()) {
        AllToAllTupleWithDeviceList(c.operands, a.replica_groups, std::nullopt,
                                    Channel(a.channel_id));
        return absl::OkStatus();
      }
      const int64_t d = (*a.dimensions)[0];
      XLA_ASSIGN_OR_RETURN(const auto groups, a.replica_groups.Flatten());
      const int64_t devices = groups.empty() ? c.instruction.GetModule()->config().replica_count()
                                             : static_cast<int64_t>(groups[0].size());
      AllToAllWithDeviceList(c.operand(0), d, d, devices, a.replica_groups, std::nullopt,
                             Channel(a.channel_id));
      return absl::OkStatus();
    }
    case HloOpcode::kRaggedAllToAll: {
      const auto& a = c.As<CollectiveAttributes>();
      // The builder takes the output in fourth place, the instruction in second.
      RaggedAllToAllWithDeviceList(c.operand(0), c.operand(2), c.operand(3), c.operand(1),
                                   c.operand(4), c.operand(5), a.replica_groups,
                                   Channel(a.channel_id));
      return absl::OkStatus();
    }
    case HloOpcode::kCollectiveBroadcast: {
      const auto& a = c.As<CollectiveAttributes>();
      CollectiveBroadcastWithDeviceList(c.operand(0), a.replica_groups, Channel(a.channel_id));
      return absl::OkStatus();
    }
    case HloOpcode::kCollectivePermute: {
      const auto& a = c.As<CollectivePermuteAttributes>();
      CollectivePermute(c.operand(0), a.source_target_pairs, Channel(a.channel_id));
      return absl::OkStatus();
    }
    case HloOpcode::kPartitionId:
      PartitionId(c.builder);
      return absl::OkStatus();
    case HloOpcode::kReplicaId:
      ReplicaId(c.builder);
      return absl::OkStatus();
    default:
      return BuildFromTable(c);
  }
}

// A done is made together with its start.
const HloInstruction& StartOf(const HloInstruction& instruction) {
  return instruction.opcode() == HloOpcode::kSendDone ||
                 instruction.opcode() == HloOpcode::kRecvDone
             ? *instruction.operand(0)
             : instruction;
}

absl::Status BuildCall(const Request& call) {
  const OpInfo& info = call.instruction.info();
  const bool has_attributes = info.attributes_index != GetOpInfo(HloOpcode::kAdd).attributes_index;
  const bool is_inferred = info.Has(op_traits::kElementwiseTrait | op_traits::kInferable);
  if (is_inferred && !has_attributes && info.arity == 1) {
    XlaBuilder::UnaryOp("rebuild", info.opcode, call.operand(0));
    return absl::OkStatus();
  }
  if (is_inferred && !has_attributes && info.arity == 2) {
    XlaBuilder::BinaryOp("rebuild", info.opcode, call.operand(0), call.operand(1), {});
    return absl::OkStatus();
  }
  switch (info.family) {
    case OpFamily::kElementwise:
    case OpFamily::kLeaf:
    case OpFamily::kReshape:
    case OpFamily::kGatherScatter:
      return BuildArray(call);
    case OpFamily::kReduce:
    case OpFamily::kNormalization:
    case OpFamily::kWindow:
    case OpFamily::kSort:
    case OpFamily::kContraction:
    case OpFamily::kLinearAlgebra:
    case OpFamily::kRandom:
      return BuildCompute(call);
    case OpFamily::kControl:
    case OpFamily::kAsync:
    case OpFamily::kEffect:
      return BuildControl(call);
    case OpFamily::kCollective:
      return BuildCollective(call);
  }
  return BuildFromTable(call);
}

}  // namespace

absl::StatusOr<std::unique_ptr<HloModule>> RebuildWithBuilder(const HloInstruction& instruction) {
  const HloInstruction& start = StartOf(instruction);
  XlaBuilder builder("rebuilt");
  Ops operands;
  int64_t parameters = 0;
  for (const HloInstruction* operand : start.operands()) {
    if (operand->shape().IsToken()) {
      operands.push_back(CreateToken(&builder));
    } else {
      operands.push_back(
          Parameter(&builder, parameters, operand->shape(), absl::StrCat("p", parameters)));
      ++parameters;
    }
  }
  std::vector<XlaComputation> callees;
  for (size_t i = 0; i < start.called_computations().size(); ++i) {
    XLA_ASSIGN_OR_RETURN(XlaComputation callee, ProgramOf(start, i));
    callees.push_back(std::move(callee));
  }
  XLA_RETURN_IF_ERROR(BuildCall(Request{&builder, start, operands, callees}));
  XLA_ASSIGN_OR_RETURN(const XlaComputation program, builder.Build());
  XLA_ASSIGN_OR_RETURN(const std::shared_ptr<const HloModule> module, program.module());
  return module->Clone();
}

}  // namespace xla
