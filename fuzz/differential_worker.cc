// SPDX-License-Identifier: Apache-2.0
// The Xylem side of the differential test: parses, verifies and runs programs that come as frames
// on standard input; answers as frames on standard output. All numbers are little-endian u32.
//   request:  'r' (run) or 'v' (verify; what is accepted is run too, only to see that the process
//             survives), program text, number of inputs, inputs
//   answer:   0, number of results, and for each its shape and its bytes; or the stage that failed
//             (1 parse, 2 verify, 3 run) and the message
// Text, inputs and results are a length and that many bytes. Inputs and results are the arrays of
// the parameters and of the leaves of the result, dense, row-major, sub-byte types a byte each.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "tests/interp/bounded_run.h"
#include "xla/cpu/program.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/interpreter/interpreter.h"
#include "xla/layout_util.h"
#include "xla/literal.h"
#include "xla/runtime/thread_pool.h"
#include "xla/service/cpu_compile_options.h"
#include "xla/shape_util.h"

namespace {

enum Stage : uint32_t { kOk = 0, kParse = 1, kVerify = 2, kRun = 3 };

constexpr int64_t kMemoryLimit = int64_t{1} << 30;

// The driver closes the pipe when it is done.
std::string ReadBytes(size_t size) {
  std::string bytes(size, '\0');
  if (std::fread(bytes.data(), 1, size, stdin) != size) std::exit(0);
  return bytes;
}

uint32_t ReadNumber() {
  const std::string bytes = ReadBytes(4);
  uint32_t number = 0;
  for (int i = 4; i-- > 0;) number = number << 8 | static_cast<uint8_t>(bytes[i]);
  return number;
}

void AppendNumber(uint32_t number, std::string* out) {
  for (int i = 0; i < 4; ++i) out->push_back(static_cast<char>(number >> (8 * i)));
}

void AppendBytes(std::string_view bytes, std::string* out) {
  AppendNumber(static_cast<uint32_t>(bytes.size()), out);
  out->append(bytes);
}

std::string Failure(Stage stage, const absl::Status& status) {
  std::string out;
  AppendNumber(stage, &out);
  AppendBytes(status.ToString(), &out);
  return out;
}

xla::Shape RowMajor(xla::Shape shape) {
  xla::LayoutUtil::SetToDefaultLayout(&shape);
  return shape;
}

absl::StatusOr<std::vector<xla::Literal>> MakeInputs(const xla::HloModule& module,
                                                     const std::vector<std::string>& inputs) {
  const xla::ProgramShape& program = module.entry_computation_layout();
  if (static_cast<size_t>(program.parameters_size()) != inputs.size()) {
    return absl::InvalidArgumentError(absl::StrCat("the program takes ", program.parameters_size(),
                                                   " inputs, got ", inputs.size()));
  }
  std::vector<xla::Literal> result;
  for (size_t i = 0; i < inputs.size(); ++i) {
    auto literal = xla::Literal::MakeBounded(RowMajor(program.parameters(i)), kMemoryLimit);
    if (!literal.ok()) return literal.status();
    if (static_cast<size_t>(literal->size_bytes()) != inputs[i].size()) {
      return absl::InvalidArgumentError(absl::StrCat("input ", i, " takes ", literal->size_bytes(),
                                                     " bytes, got ", inputs[i].size()));
    }
    if (!inputs[i].empty()) {
      std::memcpy(literal->untyped_data(), inputs[i].data(), inputs[i].size());
    }
    result.push_back(*std::move(literal));
  }
  return result;
}

// Compiled; the same bits at 1, 2 and 5 threads.
absl::StatusOr<xla::Literal> RunCompiled(const xla::HloModule& module,
                                         const std::vector<const xla::Literal*>& arguments) {
  auto program = xla::CpuProgram::Compile(module, xla::DefaultCpuCompileOptions());
  if (!program.ok()) return program.status();
  static xla::runtime::ThreadPool pools[] = {
      xla::runtime::ThreadPool(1), xla::runtime::ThreadPool(2), xla::runtime::ThreadPool(5)};
  xla::CpuRunOptions options;
  options.memory_limit_bytes = kMemoryLimit;
  std::vector<xla::Literal> results;
  for (xla::runtime::ThreadPool& pool : pools) {
    xla::runtime::ExecutionContext context;
    context.pool = &pool;
    auto result = (*program)->Run(arguments, context, nullptr, options);
    if (!result.ok()) return result.status();
    results.push_back(*std::move(result));
  }
  for (const auto& leaf : xla::ShapeUtil::GetLeafShapes(results[0].shape())) {
    if (!leaf.shape.IsArray()) continue;
    const size_t bytes = static_cast<size_t>(results[0].size_bytes(leaf.index));
    for (size_t i = 1; i < results.size() && bytes > 0; ++i) {
      if (std::memcmp(results[0].untyped_data(leaf.index), results[i].untyped_data(leaf.index),
                      bytes) == 0) {
        continue;
      }
      return absl::InternalError("the results depend on the number of threads");
    }
  }
  return std::move(results[0]);
}

std::string Answer(bool run, bool compiled, const std::string& text,
                   const std::vector<std::string>& inputs) {
  xla::HloParserOptions options;
  options.max_elided_bytes = kMemoryLimit;
  const auto module = xla::ParseAndReturnUnverifiedModule(text, options);
  if (!module.ok()) return Failure(kParse, module.status());
  const absl::Status verified = xla::VerifyModule(**module);
  if (!verified.ok()) return Failure(kVerify, verified);
  std::string out;
  AppendNumber(kOk, &out);
  if (!run) {
    const absl::Status survived = xla::testing::CheckRun(**module);
    if (!survived.ok()) return Failure(kRun, survived);
    // One result says that the program mixes floats of several widths in an instruction.
    xla::HloVerifierOptions strict;
    strict.allow_mixed_precision = false;
    const bool is_mixed = !xla::VerifyModule(**module, strict).ok();
    AppendNumber(is_mixed ? 1 : 0, &out);
    if (is_mixed) {
      AppendBytes("mixed precision", &out);
      AppendBytes("", &out);
    }
    return out;
  }

  const auto literals = MakeInputs(**module, inputs);
  if (!literals.ok()) return Failure(kRun, literals.status());
  std::vector<const xla::Literal*> pointers;
  for (const xla::Literal& literal : *literals) pointers.push_back(&literal);
  xla::InterpreterOptions interpreter;
  interpreter.num_threads = 1;
  interpreter.memory_limit_bytes = kMemoryLimit;
  const auto result =
      compiled ? RunCompiled(**module, pointers) : xla::Interpret(**module, pointers, interpreter);
  if (!result.ok()) return Failure(kRun, result.status());

  std::vector<xla::ShapeUtil::IndexedShape> leaves;
  for (const auto& leaf : xla::ShapeUtil::GetLeafShapes(result->shape())) {
    if (leaf.shape.IsArray()) leaves.push_back(leaf);
  }
  AppendNumber(static_cast<uint32_t>(leaves.size()), &out);
  for (const xla::ShapeUtil::IndexedShape& leaf : leaves) {
    const xla::Literal dense =
        xla::LiteralSlice(*result, leaf.index).Clone().Relayout(RowMajor(leaf.shape));
    AppendBytes(leaf.shape.ToString(), &out);
    AppendBytes(std::string_view(static_cast<const char*>(dense.untyped_data()),
                                 static_cast<size_t>(dense.size_bytes())),
                &out);
  }
  return out;
}

}  // namespace

// usage: differential_worker [--backend=cpu|interpreter]
int main(int argc, char** argv) {
  const bool compiled = argc > 1 && std::string_view(argv[1]) == "--backend=cpu";
  while (true) {
    const bool run = ReadBytes(1) == "r";
    const std::string text = ReadBytes(ReadNumber());
    std::vector<std::string> inputs(ReadNumber());
    for (std::string& input : inputs) input = ReadBytes(ReadNumber());
    const std::string answer = Answer(run, compiled, text, inputs);
    std::fwrite(answer.data(), 1, answer.size(), stdout);
    std::fflush(stdout);
  }
}
