// SPDX-License-Identifier: Apache-2.0
// Computations and instructions of modules, to be looked at.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "python/native/api.h"
#include "python/native/convert.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_opcode.h"
#include "xla/hlo/text/printer.h"
#include "xla/layout_util.h"
#include "xla/literal.h"

namespace xla::python {
namespace {

const HloComputation& HloOf(const Computation& computation) {
  return *static_cast<const HloComputation*>(computation.id());
}
const HloInstruction& HloOf(const Instruction& instruction) {
  return *static_cast<const HloInstruction*>(instruction.id());
}

template <typename Part, typename List>
std::vector<Part> PartsOf(const ModulePtr& module, const List& list) {
  std::vector<Part> parts;
  for (const auto* part : list) parts.emplace_back(module, part);
  return parts;
}

}  // namespace

Computation::Computation(ModulePtr module, const void* computation)
    : module_(std::move(module)), computation_(computation) {}

const std::string& Computation::name() const { return HloOf(*this).name(); }
bool Computation::is_entry() const { return HloOf(*this).IsEntryComputation(); }

std::vector<Instruction> Computation::instructions() const {
  const HloComputation& computation = HloOf(*this);
  const auto order = computation.PostOrder();
  return order.ok() ? PartsOf<Instruction>(module_, *order)
                    : PartsOf<Instruction>(module_, computation.instructions());
}

std::vector<Instruction> Computation::parameters() const {
  return PartsOf<Instruction>(module_, HloOf(*this).parameter_instructions());
}

Instruction Computation::root() const {
  return Instruction(module_, HloOf(*this).root_instruction());
}

std::string Computation::ToString() const { return HloOf(*this).ToString(); }

Instruction::Instruction(ModulePtr module, const void* instruction)
    : module_(std::move(module)), instruction_(instruction) {}

const std::string& Instruction::name() const { return HloOf(*this).name(); }

std::string Instruction::opcode() const {
  return std::string(HloOpcodeString(HloOf(*this).opcode()));
}

ShapeInfo Instruction::shape() const { return ShapeInfoOf(HloOf(*this).shape()); }
Computation Instruction::computation() const { return Computation(module_, HloOf(*this).parent()); }

std::vector<Instruction> Instruction::operands() const {
  return PartsOf<Instruction>(module_, HloOf(*this).operands());
}

std::vector<Instruction> Instruction::users() const {
  return PartsOf<Instruction>(module_, HloOf(*this).users());
}

std::vector<Computation> Instruction::called_computations() const {
  return PartsOf<Computation>(module_, HloOf(*this).called_computations());
}

bool Instruction::is_root() const { return HloOf(*this).IsRoot(); }

int64_t Instruction::parameter_number() const {
  const HloInstruction& instruction = HloOf(*this);
  return instruction.opcode() == HloOpcode::kParameter ? instruction.parameter_number() : -1;
}

std::map<std::string, std::string> Instruction::metadata() const {
  const InstructionMetadata& metadata = HloOf(*this).metadata();
  std::map<std::string, std::string> result;
  const auto text = [&](const char* key, const std::string& value) {
    if (!value.empty()) result[key] = value;
  };
  const auto number = [&](const char* key, int32_t value) {
    if (value != 0) result[key] = absl::StrCat(value);
  };
  text("op_type", metadata.op_type());
  text("op_name", metadata.op_name());
  text("source_file", metadata.source_file());
  number("source_line", metadata.source_line());
  number("source_end_line", metadata.source_end_line());
  number("source_column", metadata.source_column());
  number("source_end_column", metadata.source_end_column());
  number("stack_frame_id", metadata.stack_frame_id());
  return result;
}

std::string Instruction::attributes() const {
  std::string out;
  PrintAttributes(HloOf(*this), {}, &out);
  return std::string(absl::StripPrefix(out, ", "));
}

std::string Instruction::sharding() const {
  const HloInstruction& instruction = HloOf(*this);
  return instruction.has_sharding() ? instruction.sharding().ToString() : "";
}

const void* Instruction::constant() const {
  const HloInstruction& instruction = HloOf(*this);
  if (!instruction.IsConstant() || !instruction.shape().IsArray()) return nullptr;
  const Literal& literal = instruction.literal();
  if (!LayoutUtil::IsMonotonicWithDim0Major(literal.shape().layout())) return nullptr;
  return literal.untyped_data();
}

std::string Instruction::ToString() const { return HloOf(*this).ToString(); }

}  // namespace xla::python
