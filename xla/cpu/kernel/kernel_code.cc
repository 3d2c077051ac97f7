// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/kernel/kernel_code.h"

#include "absl/types/span.h"
#include "xla/cpu/codegen/kernel_shapes.h"

namespace xla::cpu {

absl::Status EmitKernel(Ir& ir, const KernelPlan& plan, const char* name) {
  return KernelCode(ir, plan).EmitFunction(name);
}

absl::Status EmitInlineKernel(Ir& ir, const KernelPlan& plan, const InlineKernel& kernel) {
  return KernelCode(ir, plan).EmitInline(kernel);
}

absl::Status KernelCode::EmitFunction(const char* name) {
  if (plan_.epilogue_of >= 0) {
    // An epilogue: void name(void* const* buffers, int64_t first, int64_t count, const void*
    // values).
    const IrType parameters[] = {ir_.Pointer(), ir_.I64(), ir_.I64(), ir_.Pointer()};
    ir_.StartFunction(name, parameters);
    ir_.set_tests_at_end(plan_.tests_at_end);
    plan_.EmitUnits(*this);
    ir_.Return();
    return status_;
  }
  const IrType parameters[] = {ir_.Pointer(), ir_.I64(), ir_.I64()};
  ir_.StartFunction(name, parameters);
  ir_.set_tests_at_end(plan_.tests_at_end);  // StartFunction resets it
  const auto load = [&](IrType type, size_t i) {
    return ir_.Load(type, ir_.Offset(ir_.Parameter(0), ir_.Index(static_cast<int64_t>(8 * i))), 8,
                    true);
  };
  InlineKernel kernel;
  const size_t arrays =
      plan_.is_written.size() + static_cast<size_t>(ResultCount(*plan_.instruction));
  for (size_t i = 0; i < arrays; ++i) kernel.arrays.push_back(load(ir_.Pointer(), i));
  kernel.is_invariant.assign(plan_.is_written.size(), true);
  // The state of the run follows the arrays.
  ir_.set_run(load(ir_.I64(), arrays));
  begin_ = ir_.Parameter(1);
  end_ = ir_.Parameter(2);
  EmitUnits(kernel);
  ir_.Return();
  return status_;
}

absl::Status KernelCode::EmitInline(const InlineKernel& kernel) {
  begin_ = ir_.Index(0);
  end_ = ir_.Index(plan_.units);
  elements_ = &kernel.parameters;
  ir_.set_tests_at_end(plan_.tests_at_end);
  EmitUnits(kernel);
  ir_.set_tests_at_end(false);
  return status_;
}

void KernelCode::EmitUnits(const InlineKernel& kernel) {
  const auto operands = kernel.arrays.begin() + plan_.instruction->operand_count();
  operands_.assign(kernel.arrays.begin(), operands);
  results_.assign(operands, kernel.arrays.end());
  if (plan_.instruction->opcode() == HloOpcode::kFusion) {
    for (size_t i = 0; i < operands_.size(); ++i) {
      const bool is_invariant = kernel.is_invariant[i] && !plan_.is_written[i];
      buffers_[plan_.computation().parameter_instruction(static_cast<int64_t>(i))] = {
          {operands_[i], is_invariant}};
    }
  }
  plan_.EmitUnits(*this);
  if (plan_.streams) ir_.FinishStreaming();
}

ElementEmitter KernelCode::MakeEmitter(int lanes) {
  ElementEmitter emitter(ops_, buffers_, lanes);
  emitter.set_elements(elements_);
  return emitter;
}

void KernelCode::Check(const absl::Status& status) {
  if (status_.ok()) status_ = status;
}

ResultElements KernelCode::ComputeResults(ElementEmitter& emitter, const HloInstruction& source,
                                          const IndexVector& index, const IndexVector& place,
                                          std::vector<Element> elements) {
  for (size_t i = elements.size(); i < results_.size(); ++i) {
    const Element element = source.opcode() == HloOpcode::kTuple
                                ? emitter.Emit(source.operand(static_cast<int64_t>(i)), index)
                                : emitter.Emit(&source, index, static_cast<int>(i));
    elements.push_back(ops_.Splat(element, emitter.lanes()));
  }
  ResultElements computed;
  for (size_t i = 0; i < results_.size(); ++i) {
    if (!plan_.is_unused.empty() && plan_.is_unused[i]) continue;
    const Shape& shape = ResultShape(plan_.root(), static_cast<int64_t>(i));
    const ElementAddress address = emitter.AddressOf({results_[i], false}, shape, place);
    computed.push_back({shape.element_type(), elements[i], address.pointer, address.bytes});
  }
  return computed;
}

ResultElements KernelCode::ComputeIf(IrValue condition,
                                     absl::FunctionRef<ResultElements()> compute) {
  ResultElements computed;
  const auto fields = [&] {
    std::vector<IrValue*> all;
    for (ResultElement& result : computed) {
      for (IrValue* value :
           {&result.element.re, &result.element.im, &result.pointer, &result.bytes}) {
        if (*value != nullptr) all.push_back(value);
      }
    }
    return all;
  };
  Ir::Carried undefined;
  const Ir::Carried values = ir_.If(
      condition,
      [&] {
        computed = compute();
        Ir::Carried inside;
        for (const IrValue* value : fields()) {
          inside.push_back(*value);
          undefined.push_back(ir_.Undef(ir_.TypeOf(*value)));
        }
        return inside;
      },
      [&] { return undefined; });
  size_t next = 0;
  for (IrValue* value : fields()) *value = values[next++];
  return computed;
}

void KernelCode::Store(const ResultElements& computed, int lanes) {
  for (const ResultElement& result : computed) {
    ops_.Store(result.type, result.element, result.pointer, result.bytes,
               plan_.streams && lanes > 1);
  }
}

}  // namespace xla::cpu
