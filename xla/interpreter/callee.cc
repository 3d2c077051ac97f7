// SPDX-License-Identifier: Apache-2.0
// Scalar computations flattened into a list of kernels that run over blocks of elements.
#include "xla/interpreter/callee.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/container/fixed_array.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/interpreter/elementwise.h"
#include "xla/literal.h"
#include "xla/primitive_util.h"

namespace xla::interpreter {
namespace {

constexpr int64_t kBlock = 256;
// Computations beyond these limits run element by element.
constexpr int kMaxInlineDepth = 32;
constexpr size_t kMaxOperations = 4096;

bool IsScalarArray(const Shape& shape) { return shape.IsArray() && shape.rank() == 0; }

}  // namespace

// Registers are blocks of elements. The first ones are the inputs, then constants, then results of
// operations.
struct ScalarFunction::Program {
  struct Register {
    int8_t bytes;              // of an element
    int32_t constant = -1;     // byte offset in `constants`
    int32_t input = -1;        // number of the parameter
    int32_t arena_offset = 0;  // of an operation's result: in bytes, for a block of one element
  };
  struct Operation {
    ElementwiseKernel kernel;
    const HloInstruction* instruction;
    int32_t operands[3];
    int32_t result;
  };
  std::vector<Register> registers;
  std::vector<Operation> operations;
  std::vector<char> constants;  // each repeated kBlock times
  std::vector<int32_t> outputs;
  int64_t arena_bytes = 0;  // for blocks of one element

  int32_t AddRegister(int bytes) {
    Register r;
    r.bytes = static_cast<int8_t>(bytes);
    registers.push_back(r);
    return static_cast<int32_t>(registers.size() - 1);
  }

  // What an instruction evaluates to: one register, or one for each element of a tuple.
  using Registers = std::vector<int32_t>;

  // Appends the computation's operations; false if something in it is not elementwise.
  bool Inline(const HloComputation& computation, const std::vector<Registers>& arguments, int depth,
              Registers* result) {
    if (depth > kMaxInlineDepth) return false;
    absl::StatusOr<std::vector<HloInstruction*>> order = computation.PostOrder();
    if (!order.ok()) return false;
    absl::flat_hash_map<const HloInstruction*, Registers> values;
    for (const HloInstruction* instruction : *order) {
      if (operations.size() > kMaxOperations) return false;
      if (!AddInstruction(*instruction, arguments, depth, values)) return false;
    }
    *result = values[computation.root_instruction()];
    return true;
  }

  bool AddInstruction(const HloInstruction& instruction, const std::vector<Registers>& arguments,
                      int depth, absl::flat_hash_map<const HloInstruction*, Registers>& values) {
    Registers& result = values[&instruction];
    const auto operand = [&](int64_t i) -> Registers { return values[instruction.operand(i)]; };
    switch (instruction.opcode()) {
      case HloOpcode::kParameter:
        result = arguments[static_cast<size_t>(instruction.parameter_number())];
        return true;
      case HloOpcode::kConstant: {
        if (!IsScalarArray(instruction.shape())) return false;
        const int bytes = primitive_util::ByteWidth(instruction.shape().element_type());
        const int32_t index = AddRegister(bytes);
        registers[static_cast<size_t>(index)].constant = static_cast<int32_t>(constants.size());
        const char* element = static_cast<const char*>(instruction.literal().untyped_data());
        for (int64_t i = 0; i < kBlock; ++i)
          constants.insert(constants.end(), element, element + bytes);
        while (constants.size() % 64 != 0) constants.push_back(0);
        result = {index};
        return true;
      }
      case HloOpcode::kTuple: {
        Registers elements;
        for (int64_t i = 0; i < instruction.operand_count(); ++i) {
          const Registers element = operand(i);
          if (element.size() != 1 || !IsScalarArray(instruction.operand(i)->shape())) return false;
          elements.push_back(element[0]);
        }
        values[&instruction] = std::move(elements);
        return true;
      }
      case HloOpcode::kGetTupleElement: {
        const Registers elements = operand(0);
        values[&instruction] = {elements[static_cast<size_t>(instruction.tuple_index())]};
        return true;
      }
      case HloOpcode::kCall:
      case HloOpcode::kFusion: {
        std::vector<Registers> inner;
        for (int64_t i = 0; i < instruction.operand_count(); ++i) inner.push_back(operand(i));
        Registers returned;
        if (!Inline(*instruction.to_apply(), inner, depth + 1, &returned)) return false;
        values[&instruction] = std::move(returned);
        return true;
      }
      case HloOpcode::kCopy:
      case HloOpcode::kReshape:
      case HloOpcode::kBroadcast:
      case HloOpcode::kOptimizationBarrier: {
        // Values with registers are scalars or tuples of them.
        if (!IsScalarArray(instruction.shape()) && !instruction.shape().IsTuple()) return false;
        const Registers forwarded = operand(0);
        values[&instruction] = forwarded;
        return true;
      }
      default:
        break;
    }
    if (!IsScalarArray(instruction.shape())) return false;
    std::optional<ElementwiseKernel> kernel = ElementwiseKernel::For(instruction);
    if (!kernel.has_value()) return false;
    Operation operation{*kernel, &instruction, {0, 0, 0}, 0};
    for (int64_t i = 0; i < instruction.operand_count(); ++i) {
      if (!IsScalarArray(instruction.operand(i)->shape())) return false;
      operation.operands[i] = operand(i)[0];
    }
    operation.result = AddRegister(kernel->result_bytes());
    operations.push_back(operation);
    values[&instruction] = {operation.result};
    return true;
  }

  // Assigns each result its own place in the arena: programs are short.
  void Place() {
    for (const Operation& operation : operations) {
      Register& r = registers[static_cast<size_t>(operation.result)];
      r.arena_offset = static_cast<int32_t>(arena_bytes);
      arena_bytes += 16;
    }
  }
};

ScalarFunction::ScalarFunction() = default;
ScalarFunction::~ScalarFunction() = default;

std::unique_ptr<ScalarFunction> ScalarFunction::Make(const HloComputation& computation) {
  std::unique_ptr<ScalarFunction> function(new ScalarFunction);
  function->computation_ = &computation;
  auto program = std::make_unique<Program>();
  std::vector<Program::Registers> arguments;
  for (const HloInstruction* parameter : computation.parameter_instructions()) {
    if (parameter == nullptr || !IsScalarArray(parameter->shape())) return nullptr;
    function->input_types_.push_back(parameter->shape().element_type());
    const int32_t index =
        program->AddRegister(primitive_util::ByteWidth(parameter->shape().element_type()));
    program->registers.back().input = static_cast<int32_t>(arguments.size());
    arguments.push_back({index});
  }
  const Shape& result = computation.root_instruction()->shape();
  if (result.IsTuple()) {
    for (const Shape& element : result.tuple_shapes()) {
      if (!IsScalarArray(element)) return nullptr;
      function->output_types_.push_back(element.element_type());
    }
  } else {
    if (!IsScalarArray(result)) return nullptr;
    function->output_types_.push_back(result.element_type());
  }

  if (!program->Inline(computation, arguments, 0, &program->outputs)) return function;
  program->Place();
  const auto inputs = static_cast<int32_t>(function->input_types_.size());
  if (program->outputs.size() == 1) {
    const int32_t output = program->outputs[0];
    if (output < inputs) function->forwarded_parameter_ = output;
    if (program->operations.size() == 1 && program->operations[0].result == output &&
        program->operations[0].kernel.arity() == 2 && program->operations[0].operands[0] < inputs &&
        program->operations[0].operands[1] < inputs) {
      const Program::Operation& operation = program->operations[0];
      const HloInstruction& instruction = *operation.instruction;
      if (const auto* compare = instruction.attributes_if<CompareAttributes>()) {
        const PrimitiveType type = instruction.operand(0)->shape().element_type();
        const ComparisonType order =
            compare->type.value_or(Comparison::DefaultComparisonType(type));
        function->compare_ = {operation.operands[0], operation.operands[1], compare->direction,
                              order == ComparisonType::kFloatTotalOrder};
      } else if (inputs == 2 && operation.operands[0] != operation.operands[1] &&
                 function->input_types_[0] == function->input_types_[1] &&
                 function->output_types_[0] == function->input_types_[0]) {
        function->binary_ = {instruction.opcode(), operation.operands[0] == 1};
      }
    }
  }
  function->program_ = std::move(program);
  return function;
}

absl::Status ScalarFunction::Apply(EvalContext& ctx, int64_t n, absl::Span<const void* const> in,
                                   absl::Span<void* const> out) const {
  if (program_ == nullptr) {
    for (int64_t i = 0; i < n; ++i) {
      absl::FixedArray<Value, 8> arguments(input_types_.size());
      for (size_t k = 0; k < input_types_.size(); ++k) {
        const auto bytes = static_cast<size_t>(primitive_util::ByteWidth(input_types_[k]));
        XLA_ASSIGN_OR_RETURN(
            arguments[k],
            ctx.Allocate(computation_->parameter_instruction(static_cast<int64_t>(k))->shape()));
        std::memcpy(arguments[k].mutable_untyped_data(),
                    static_cast<const char*>(in[k]) + static_cast<size_t>(i) * bytes, bytes);
      }
      XLA_ASSIGN_OR_RETURN(const Value result, ctx.Call(*computation_, absl::MakeSpan(arguments)));
      for (size_t k = 0; k < output_types_.size(); ++k) {
        const Value& element = result.IsTuple() ? result.element(static_cast<int64_t>(k)) : result;
        const auto bytes = static_cast<size_t>(primitive_util::ByteWidth(output_types_[k]));
        std::memcpy(static_cast<char*>(out[k]) + static_cast<size_t>(i) * bytes,
                    element.untyped_data(), bytes);
      }
    }
    return absl::OkStatus();
  }

  const Program& program = *program_;
  const int64_t block = std::min(n, kBlock);
  absl::FixedArray<char, 4096> arena(static_cast<size_t>(program.arena_bytes * block + 64));
  char* const base = arena.data() + (64 - reinterpret_cast<uintptr_t>(arena.data()) % 64) % 64;
  absl::FixedArray<char*, 32> pointers(program.registers.size());
  // The last operation may write to the result directly: everything that reads its memory has run.
  const bool last_is_output = program.outputs.size() == 1 && !program.operations.empty() &&
                              program.operations.back().result == program.outputs[0];
  for (int64_t begin = 0; begin < n; begin += block) {
    const int64_t count = std::min(block, n - begin);
    for (size_t r = 0; r < pointers.size(); ++r) {
      const Program::Register& reg = program.registers[r];
      if (reg.input >= 0) {
        pointers[r] =
            const_cast<char*>(static_cast<const char*>(in[static_cast<size_t>(reg.input)])) +
            begin * reg.bytes;
      } else if (reg.constant >= 0) {
        pointers[r] = const_cast<char*>(program.constants.data()) + reg.constant;
      } else {
        pointers[r] = base + reg.arena_offset * block;
      }
    }
    if (last_is_output) {
      const auto r = static_cast<size_t>(program.outputs[0]);
      pointers[r] = static_cast<char*>(out[0]) + begin * program.registers[r].bytes;
    }
    for (const Program::Operation& operation : program.operations) {
      const void* operands[3] = {pointers[static_cast<size_t>(operation.operands[0])],
                                 pointers[static_cast<size_t>(operation.operands[1])],
                                 pointers[static_cast<size_t>(operation.operands[2])]};
      operation.kernel.Run(count, operands, pointers[static_cast<size_t>(operation.result)]);
    }
    if (last_is_output) continue;
    // Outputs that are inputs may be swapped: all are read before any is written.
    const size_t outputs = program.outputs.size();
    absl::FixedArray<char, 1024> staged(outputs > 1 ? outputs * 16 * static_cast<size_t>(block)
                                                    : 0);
    for (size_t k = 0; k < outputs; ++k) {
      const auto r = static_cast<size_t>(program.outputs[k]);
      const size_t bytes =
          static_cast<size_t>(count) * static_cast<size_t>(program.registers[r].bytes);
      if (outputs == 1) {
        std::memmove(static_cast<char*>(out[k]) + begin * program.registers[r].bytes, pointers[r],
                     bytes);
      } else {
        std::memcpy(staged.data() + k * 16 * static_cast<size_t>(block), pointers[r], bytes);
      }
    }
    for (size_t k = 0; outputs > 1 && k < outputs; ++k) {
      const auto r = static_cast<size_t>(program.outputs[k]);
      const size_t bytes =
          static_cast<size_t>(count) * static_cast<size_t>(program.registers[r].bytes);
      std::memcpy(static_cast<char*>(out[k]) + begin * program.registers[r].bytes,
                  staged.data() + k * 16 * static_cast<size_t>(block), bytes);
    }
  }
  return absl::OkStatus();
}

}  // namespace xla::interpreter
