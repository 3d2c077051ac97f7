// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/codegen/comparator.h"

#include <utility>
#include <vector>

#include "xla/cpu/codegen/element_emitter.h"
#include "xla/cpu/codegen/nested_computation.h"

namespace xla::cpu {

absl::Status EmitComparator(Ir& ir, const HloComputation& comparator, const char* name) {
  const IrType parameters[] = {ir.Pointer(), ir.Pointer()};
  ir.StartFunction(name, parameters, ir.I8());
  if (KindOfNested(comparator) != NestedKind::kVectors) {
    // The state of the run follows the operands and results, of which there are as many as
    // parameters.
    const int64_t buffers_of_sort = comparator.num_parameters();
    ir.set_run(
        ir.Load(ir.I64(), ir.Offset(ir.Parameter(0), ir.Index(8 * buffers_of_sort)), 8, true));
  }
  ElementOps ops(ir);
  const ElementEmitter::Buffers buffers;
  ElementEmitter emitter(ops, buffers, 1);
  std::vector<Element> arguments;
  for (const HloInstruction* parameter : comparator.parameter_instructions()) {
    ElementAddress address;
    address.pointer = ir.Load(
        ir.Pointer(), ir.Offset(ir.Parameter(1), ir.Index(8 * parameter->parameter_number())), 8);
    address.bytes = ir.Index(0);
    arguments.push_back(ops.Load(parameter->shape().element_type(), address, 1));
  }
  const std::vector<Element> results = emitter.Apply(comparator, std::move(arguments));
  ir.Return(ir.ZExt(results[0].re, ir.I8()));
  return emitter.status();
}

}  // namespace xla::cpu
