// SPDX-License-Identifier: Apache-2.0
#include "tools/roofline.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "tools/process.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/shape_util.h"

namespace xla {

std::vector<runtime::ArgumentView> ViewsOf(const std::vector<Literal>& literals) {
  std::vector<runtime::ArgumentView> views;
  for (const Literal& literal : literals) {
    ShapeUtil::ForEachSubshape(literal.shape(), [&](const Shape& part, const ShapeIndex& index) {
      if (part.IsTuple()) return;
      runtime::ArgumentView view;
      view.shape = &ShapeUtil::GetSubshape(literal.shape(), index);
      if (part.IsArray()) {
        view.data = const_cast<void*>(literal.untyped_data(index));
        view.size_bytes = literal.size_bytes(index);
      }
      views.push_back(view);
    });
  }
  return views;
}

absl::StatusOr<double> Roofline::Bytes() {
  constexpr int64_t kCopied = int64_t{1} << 24;
  if (bytes_ == 0) {
    XLA_ASSIGN_OR_RETURN(const double seconds, SecondsOf(F32, {kCopied}, HloOpcode::kNegate));
    bytes_ = 8.0 * kCopied / seconds;
  }
  return bytes_;
}

absl::StatusOr<double> Roofline::Operations(PrimitiveType type) {
  constexpr int64_t kEdge = 768;
  double& operations = operations_[type];
  if (operations == 0) {
    XLA_ASSIGN_OR_RETURN(const double seconds, SecondsOf(type, {kEdge, kEdge}, HloOpcode::kDot));
    operations = 2.0 * kEdge * kEdge * kEdge / seconds;
  }
  return operations;
}

absl::StatusOr<double> Roofline::LeastSeconds(
    double bytes, const std::vector<CpuProgram::ProfileEntry>& entries) {
  XLA_ASSIGN_OR_RETURN(const double bytes_a_second, Bytes());
  double computing = 0;
  for (const CpuProgram::ProfileEntry& entry : entries) {
    XLA_ASSIGN_OR_RETURN(
        const double a_second,
        Operations(entry.multiplied == PRIMITIVE_TYPE_INVALID ? F32 : entry.multiplied));
    computing += entry.operations * static_cast<double>(entry.runs) / a_second;
  }
  return std::max(bytes / bytes_a_second, computing);
}

absl::StatusOr<double> Roofline::SecondsOf(PrimitiveType type, std::vector<int64_t> dimensions,
                                           HloOpcode opcode) {
  const Shape shape = ShapeUtil::MakeShape(type, dimensions);
  HloModule module("roofline");
  HloComputation* const entry = module.AddComputation("entry");
  module.set_entry_computation(entry);
  HloInstruction* const x = entry->AddInstruction(HloInstruction::CreateParameter(0, shape, "x"));
  if (opcode == HloOpcode::kDot) {
    DotAttributes attributes;
    attributes.lhs_contracting_dims = {1};
    attributes.rhs_contracting_dims = {0};
    entry->set_root_instruction(entry->AddInstruction(
        HloInstruction::Create(opcode, shape, {x, x}, std::move(attributes))));
  } else {
    entry->set_root_instruction(entry->AddInstruction(HloInstruction::Create(opcode, shape, {x})));
  }
  XLA_ASSIGN_OR_RETURN(const auto program, CpuProgram::Compile(module));
  std::vector<Literal> arguments;
  arguments.emplace_back(shape);
  // Pages that were never written to take no memory.
  std::memset(arguments[0].untyped_data(), 1, static_cast<size_t>(arguments[0].size_bytes()));
  const std::vector<runtime::ArgumentView> views = ViewsOf(arguments);
  runtime::ExecutionContext context;
  context.pool = &pool_;
  context.cancel = &Interrupted();
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 15; ++i) {
    XLA_ASSIGN_OR_RETURN(const auto entries, program->Profile(views, context));
    double seconds = 0;
    for (const CpuProgram::ProfileEntry& step : entries) seconds += step.self_seconds;
    least = std::min(least, seconds);
  }
  return std::max(least, 1e-9);
}

}  // namespace xla
