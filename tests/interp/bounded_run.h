// SPDX-License-Identifier: Apache-2.0
// A run of any program within bounds of time and memory: it may fail, but does no harm. For fuzzers
// and tests.
#ifndef TESTS_INTERP_BOUNDED_RUN_H_
#define TESTS_INTERP_BOUNDED_RUN_H_

#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/interpreter/interpreter.h"
#include "xla/literal.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::testing {

// Small numbers 0, 1, 2, .. of the shape, zeros where sizes are dynamic.
inline absl::StatusOr<Literal> RandomProgramArgument(const Shape& shape) {
  if (!shape.IsArray() || !shape.is_static() || ShapeUtil::ElementsIn(shape) > 1000) {
    return Literal::CreateFromShape(shape);
  }
  std::vector<int32_t> numbers(static_cast<size_t>(ShapeUtil::ElementsIn(shape)));
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int32_t>(i % 7);
  absl::StatusOr<Literal> converted =
      LiteralUtil::CreateR1<int32_t>(numbers).Convert(shape.element_type());
  if (!converted.ok()) return converted.status();
  return converted->Reshape(shape.dimensions());
}

// Options of a run on one thread, in 64 MB, that is stopped when it has reported its progress so
// often: about ten times a second.
class BoundedOptions {
 public:
  explicit BoundedOptions(int most_reports) {
    options.num_threads = 1;
    options.memory_limit_bytes = 64 << 20;
    options.cancel = &cancel_;
    options.progress = [this, most_reports](int64_t, const HloInstruction&) {
      if (++reports_ > most_reports) cancel_ = true;
    };
  }
  BoundedOptions(const BoundedOptions&) = delete;
  BoundedOptions& operator=(const BoundedOptions&) = delete;

  InterpreterOptions options;

 private:
  std::atomic<bool> cancel_ = false;
  int reports_ = 0;
};

// A run may fail, but not crash, and what it returns has the shape of the program's result.
inline absl::Status CheckRun(const HloModule& module) {
  const ProgramShape signature = module.entry_computation()->ComputeProgramShape();
  std::vector<Literal> arguments;
  for (const Shape& parameter : signature.parameters()) {
    bool runs = true;
    ShapeUtil::ForEachSubshape(parameter, [&](const Shape& part, const ShapeIndex&) {
      if (part.IsArray() && part.is_unbounded_dynamic()) runs = false;
      if (part.IsArray() && ShapeUtil::ByteSizeOf(part) > 1 << 20) runs = false;
    });
    if (!runs) return absl::OkStatus();
    absl::StatusOr<Literal> argument = RandomProgramArgument(parameter);
    if (!argument.ok()) return argument.status();
    arguments.push_back(*std::move(argument));
  }
  std::vector<const Literal*> pointers;
  for (const Literal& argument : arguments) pointers.push_back(&argument);
  // Loops need not end: stopped after a few tenths of a second.
  BoundedOptions bounded(/*most_reports=*/2);
  InterpreterOptions& options = bounded.options;
  options.wait_timeout = absl::Milliseconds(100);
  // Checks of programs that check themselves may fail; what comes after them runs too.
  for (const auto& [target, check] : CheckCustomCalls()) {
    options.custom_calls.emplace_back(
        target, [check = check](const HloInstruction& call, absl::Span<const LiteralSlice> operands,
                                Literal* result) {
          (void)check(call, operands, result);
          return absl::OkStatus();
        });
  }
  int64_t replicas = module.config().replica_count(), partitions = module.config().num_partitions();
  if (replicas > 4 || partitions > 4) replicas = partitions = 1;
  const std::vector<std::vector<const Literal*>> inputs(static_cast<size_t>(replicas * partitions),
                                                        pointers);
  const auto results = InterpretReplicated(module, replicas, partitions, inputs, options);
  if (!results.ok()) return absl::OkStatus();
  for (const Literal& result : *results) {
    if (ShapeUtil::Compatible(result.shape(), signature.result())) continue;
    return InternalStrCat("The run gave ", ShapeUtil::HumanString(result.shape()), ", not ",
                          ShapeUtil::HumanString(signature.result()), ".");
  }
  return absl::OkStatus();
}

}  // namespace xla::testing

#endif  // TESTS_INTERP_BOUNDED_RUN_H_
