// SPDX-License-Identifier: Apache-2.0
#include "fuzz/hostile/stablehlo_checks.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "tests/interp/bounded_run.h"
#include "xla/base/check.h"
#include "xla/cpu/program.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/mlir/ir.h"
#include "xla/runtime/thread_pool.h"
#include "xla/service/cpu_compile_options.h"
#include "xla/shape_util.h"
#include "xla/stablehlo/portable_artifact.h"
#include "xla/stablehlo/translate.h"
#include "xla/stablehlo/vhlo_downgrade.h"

namespace xla::fuzz {
namespace {

// Sets a flag after a while, unless it is destroyed before.
class Timer {
 public:
  Timer(std::atomic<bool>& flag, std::chrono::milliseconds delay)
      : thread_([this, &flag, delay] {
          std::unique_lock<std::mutex> lock(mutex_);
          if (!wake_.wait_for(lock, delay, [this] { return is_stopped_; })) flag = true;
        }) {}
  ~Timer() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      is_stopped_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  bool is_stopped_ = false;
  std::thread thread_;
};

// Parameters and constants of more than a megabyte, and temporaries of as much: not compiled.
bool IsSmall(const HloModule& module) {
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      bool is_small = true;
      ShapeUtil::ForEachSubshape(instruction->shape(), [&](const Shape& part, const ShapeIndex&) {
        if (part.IsArray() && part.is_unbounded_dynamic()) is_small = false;
        if (part.IsArray() && ShapeUtil::ByteSizeOf(part) > 1 << 20) is_small = false;
      });
      if (!is_small) return false;
    }
  }
  return true;
}

}  // namespace

bool CheckStableHlo(const std::string& bytes, bool run) {
  const auto source = stablehlo::LoadStableHlo(bytes, "input");
  if (!source.ok()) return false;
  const std::string printed = mlir::ToString(*(*source)->module);
  // Entries of bytecode are shared: a print may exceed the file by far.
  if (printed.size() < size_t{1} << 20) {
    const auto again = stablehlo::LoadStableHlo(printed, "print", false);
    XLA_CHECK(again.ok()) << again.status() << "\nin the print\n" << printed;
    XLA_CHECK(mlir::ToString(*(*again)->module) == printed) << "the prints differ:\n"
                                                            << printed << "\nand\n"
                                                            << mlir::ToString(*(*again)->module);
  }
  const auto module = stablehlo::TranslateToHlo(source->get());
  if (!module.ok()) return true;
  const absl::Status verified = VerifyModule(**module);
  // Rules that only HLO has are left to its verifier; it must not fail for reasons of our own.
  if (!verified.ok()) {
    XLA_CHECK(verified.code() != absl::StatusCode::kInternal) << verified;
    return true;
  }
  if (run) {
    const absl::Status status = testing::CheckRun(**module);
    XLA_CHECK(status.ok()) << status;
  }
  return true;
}

std::string ToBytecode(const std::string& text) {
  auto source = stablehlo::LoadStableHlo(text, "corpus");
  if (!source.ok()) return "";
  auto bytes = stablehlo::WritePortableArtifact(source->get(), stablehlo::Version{1, 0, 0});
  return bytes.ok() ? *std::move(bytes) : "";
}

void CheckCompiled(const HloModule& module) {
  if (!IsSmall(module)) return;
  const auto program = CpuProgram::Compile(module, DefaultCpuCompileOptions());
  if (!program.ok()) {
    XLA_CHECK(program.status().code() != absl::StatusCode::kInternal) << program.status();
    return;
  }
  const ProgramShape signature = module.entry_computation()->ComputeProgramShape();
  std::vector<Literal> arguments;
  for (const Shape& parameter : signature.parameters()) {
    absl::StatusOr<Literal> argument = testing::RandomProgramArgument(parameter);
    if (!argument.ok()) return;
    arguments.push_back(*std::move(argument));
  }
  std::vector<const Literal*> pointers;
  for (const Literal& argument : arguments) pointers.push_back(&argument);
  std::atomic<bool> cancel = false;
  runtime::ThreadPool pool(1);
  runtime::ExecutionContext context;
  context.pool = &pool;
  context.cancel = &cancel;
  context.wait_timeout = absl::Milliseconds(100);
  const Timer timer(cancel, std::chrono::milliseconds(200));
  const auto result = (*program)->Run(pointers, context);
  if (!result.ok()) return;
  XLA_CHECK(ShapeUtil::Compatible(result->shape(), signature.result()))
      << result->shape().ToString() << " is not " << signature.result().ToString();
}

}  // namespace xla::fuzz
