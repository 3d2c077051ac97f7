// SPDX-License-Identifier: Apache-2.0
// The functions of InstructionAccessors and HloModule that take or return protos.
#include <utility>
#include <vector>

#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_instructions.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/ir/instruction_accessors.h"
#include "xla/hlo/proto/attribute_protos.h"
#include "xla/hlo/proto/extras_proto.h"
#include "xla/service/hlo.pb.h"
#include "xla/xla_data.pb.h"

namespace xla {

// The operation's own fields of HloInstructionProto. Attributes that no proto can hold are left
// out, for the verifier to find.
static HloInstructionProto OwnFields(const HloInstruction& instruction) {
  HloInstructionProto proto;
  proto::WriteAttributes(instruction, &proto).IgnoreError();
  return proto;
}
static HloInstructionProto Extras(const HloInstruction& instruction) {
  HloInstructionProto proto;
  proto::WriteExtras(instruction, &proto).IgnoreError();
  return proto;
}

DotDimensionNumbers InstructionAccessors::dot_dimension_numbers() const {
  return OwnFields(Self()).dot_dimension_numbers();
}
RaggedDotDimensionNumbers InstructionAccessors::ragged_dot_dimension_numbers() const {
  return OwnFields(Self()).ragged_dot_dimension_numbers();
}
PrecisionConfig InstructionAccessors::precision_config() const {
  return OwnFields(Self()).precision_config();
}
ConvolutionDimensionNumbers InstructionAccessors::convolution_dimension_numbers() const {
  return OwnFields(Self()).convolution_dimension_numbers();
}
SparsityConfig InstructionAccessors::sparsity_config() const {
  return OwnFields(Self()).sparsity_config();
}
GatherDimensionNumbers InstructionAccessors::gather_dimension_numbers() const {
  return OwnFields(Self()).gather_dimension_numbers();
}
ScatterDimensionNumbers InstructionAccessors::scatter_dimension_numbers() const {
  return OwnFields(Self()).scatter_dimension_numbers();
}
Window InstructionAccessors::window() const { return OwnFields(Self()).window(); }
PaddingConfig InstructionAccessors::padding_config() const {
  return OwnFields(Self()).padding_config();
}
TriangularSolveOptions InstructionAccessors::triangular_solve_options() const {
  return OwnFields(Self()).triangular_solve_options();
}
CholeskyOptions InstructionAccessors::cholesky_options() const {
  return OwnFields(Self()).cholesky_options();
}

void InstructionAccessors::set_window(const Window& window) {
  Attributes attributes = Self().attributes();
  attributes.visit([&](auto& value) {
    if constexpr (requires { value.window; }) value.window = proto::ReadWindow(window);
  });
  Self().set_attributes(std::move(attributes));
}

FrontendAttributes InstructionAccessors::frontend_attributes() const {
  return Extras(Self()).frontend_attributes();
}
void InstructionAccessors::set_frontend_attributes(const FrontendAttributes& attributes) {
  Self().mutable_extras().frontend_attributes = {attributes.map().begin(), attributes.map().end()};
}
StatisticsViz InstructionAccessors::statistics_viz() const {
  return Extras(Self()).statistics_viz();
}
ResultAccuracy InstructionAccessors::result_accuracy() const {
  ResultAccuracy accuracy = Extras(Self()).result_accuracy();
  if (accuracy.specs_case() == ResultAccuracy::SPECS_NOT_SET) {
    accuracy.set_mode(ResultAccuracy::DEFAULT);
  }
  return accuracy;
}

HloInstructionProto InstructionAccessors::ToProto() const {
  HloInstructionProto proto = OwnFields(Self());
  proto.MergeFrom(Extras(Self()));
  proto.set_name(Self().name());
  proto.set_opcode(std::string(HloOpcodeString(Self().opcode())));
  *proto.mutable_shape() = Self().shape().ToProto();
  proto.set_id(Self().unique_id());
  for (const HloInstruction* operand : Self().operands()) {
    proto.add_operand_ids(operand->unique_id());
  }
  for (const HloInstruction* predecessor : Self().control_predecessors()) {
    proto.add_control_predecessor_ids(predecessor->unique_id());
  }
  for (const HloComputation* callee : Self().called_computations()) {
    proto.add_called_computation_ids(callee->unique_id());
  }
  return proto;
}

std::vector<ReplicaGroup> InstructionAccessors::replica_groups() const {
  std::vector<ReplicaGroup> result;
  for (const std::vector<int64_t>& ids :
       device_list().Flatten().value_or(std::vector<std::vector<int64_t>>())) {
    result.emplace_back().mutable_replica_ids()->Add(ids.begin(), ids.end());
  }
  return result;
}

FrontendAttributes HloModule::frontend_attributes() const {
  FrontendAttributes proto;
  for (const auto& [key, value] : config_.frontend_attributes) {
    (*proto.mutable_map())[key] = value;
  }
  return proto;
}

}  // namespace xla
