// SPDX-License-Identifier: Apache-2.0
// Uses the strategy for kernels that docs/cpu.md adds (scripts/check_additions.py): a program must
// be compiled with it, and compute what the interpreter computes, by one thread and by three.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "xla/base/status_macros.h"
#include "xla/cpu/program.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/text/printer.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/interpreter/interpreter.h"
#include "xla/literal_util.h"
#include "xla/runtime/execution_context.h"
#include "xla/runtime/thread_pool.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

absl::Status Run(const char* path, const std::string& strategy) {
  std::ifstream file(path);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  XLA_ASSIGN_OR_RETURN(const std::unique_ptr<HloModule> module,
                       ParseAndReturnUnverifiedModule(text));
  XLA_RETURN_IF_ERROR(VerifyModule(*module));
  std::vector<Literal> arguments;
  std::vector<const Literal*> pointers;
  for (const HloInstruction* parameter : module->entry_computation()->parameter_instructions()) {
    Literal argument = Literal::CreateFromShape(parameter->shape());
    for (float& number : argument.data<float>())
      number = 0.75f + static_cast<float>(parameter->parameter_number());
    arguments.push_back(std::move(argument));
  }
  for (const Literal& argument : arguments) pointers.push_back(&argument);

  XLA_ASSIGN_OR_RETURN(const auto program, CpuProgram::Compile(*module));
  const std::string compiled = ModuleToString(program->optimized_module());
  if (!absl::StrContains(compiled, "\"strategy\":\"" + strategy + "\""))
    return absl::InternalError("no kernel has the strategy " + strategy + ": " + compiled);
  XLA_ASSIGN_OR_RETURN(const Literal expected, Interpret(*module, pointers));
  for (const int threads : {1, 3}) {
    runtime::ThreadPool pool(threads);
    runtime::ExecutionContext context;
    context.pool = &pool;
    XLA_ASSIGN_OR_RETURN(const Literal result, program->Run(pointers, context, nullptr, {}));
    if (!(result == expected))
      return absl::InternalError(result.ToString() + " is not " + expected.ToString());
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace xla

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: run_strategy PROGRAM STRATEGY\n");
    return 2;
  }
  const absl::Status status = xla::Run(argv[1], argv[2]);
  std::printf("%s\n", status.ok() ? "the new strategy works" : status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
