// SPDX-License-Identifier: Apache-2.0
// The optimized program as callers read it.
#include <memory>
#include <string>

#include "xla/base/status_macros.h"
#include "xla/hlo/ir/call_rewriting.h"
#include "xla/hlo/proto/hlo_proto.h"
#include "xla/pjrt/entry_attributes.h"
#include "xla/pjrt/program.h"
#include "xla/xla.pb.h"

namespace xla::pjrt {
namespace {

// The only kind of memory with a number in HLO.
constexpr std::string_view kNumberedMemory = "pinned_host";

// Whether JAX's program marks the call for inlining by the code generator; XLA shows such calls.
bool IsInlinedLate(const HloInstruction& call) {
  return call.get_frontend_attribute("inlineable") == "xla_late";
}

// Sets the memories of the leaves of a shape, which are counted from `number` on.
void StateMemories(const TextList& kinds, size_t& number, ShapeProto* shape) {
  for (ShapeProto& element : *shape->mutable_tuple_shapes()) {
    StateMemories(kinds, number, &element);
  }
  if (shape->element_type() == TUPLE) return;
  const size_t i = number++;
  if (i < kinds.texts.size() && kinds.texts[i] == kNumberedMemory && shape->has_layout()) {
    shape->mutable_layout()->set_memory_space(Layout::kHostMemorySpace);
  }
}

void StateMemories(const Program& program, ProgramShapeProto* layout) {
  size_t parameter = 0, result = 0;
  for (ShapeProto& shape : *layout->mutable_parameters()) {
    StateMemories(program.parameter_memory_kinds, parameter, &shape);
  }
  StateMemories(program.output_memory_kinds, result, layout->mutable_result());
}

}  // namespace

absl::StatusOr<std::string> DescribeOptimized(const Program& program) {
  const std::unique_ptr<HloModule> module = program.executable->module().Clone();
  // Calls are kept if inlining them would make the program too large.
  const absl::Status inlined =
      InlineAllCalls(module.get(), int64_t{1} << 16, IsInlinedLate).status();
  const HloModule& shown = inlined.ok() ? *module : program.executable->module();
  HloModuleProtoWithConfig proto;
  XLA_ASSIGN_OR_RETURN(*proto.mutable_hlo_module(), ModuleToProto(shown));
  XLA_RETURN_IF_ERROR(StateShardings(program, *proto.mutable_hlo_module()));
  *proto.mutable_config() = shown.config().ToProto();
  StateMemories(program, proto.mutable_hlo_module()->mutable_host_program_shape());
  StateMemories(program, proto.mutable_config()->mutable_entry_computation_layout());
  return proto.SerializeAsString();
}

}  // namespace xla::pjrt
