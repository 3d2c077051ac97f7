// SPDX-License-Identifier: Apache-2.0
#include "tests/cpu/random_chain_check.h"

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/cpu/random_chain.h"
#include "xla/base/status_macros.h"
#include "xla/cpu/program.h"
#include "xla/element_convert.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/interpreter/interpreter.h"
#include "xla/layout_util.h"
#include "xla/literal.h"
#include "xla/primitive_util.h"
#include "xla/runtime/thread_pool.h"
#include "xla/shape_util.h"

namespace xla::testing {
namespace {

constexpr int64_t kMemoryLimit = int64_t{1} << 30;

// Whole numbers from -9 to 9; of unsigned types from 0 on.
Literal Argument(Shape shape, uint64_t seed) {
  LayoutUtil::SetToDefaultLayout(&shape);
  const PrimitiveType type = shape.element_type();
  const bool is_unsigned = primitive_util::IsUnsignedIntegralType(type);
  std::vector<int64_t> numbers(static_cast<size_t>(ShapeUtil::ElementsIn(shape)));
  uint64_t state = seed;
  for (int64_t& number : numbers) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const auto draw = static_cast<int64_t>(state >> 40);
    number = is_unsigned ? draw % 10 : draw % 19 - 9;
  }
  Literal literal(std::move(shape));
  ConvertElements(S64, numbers.data(), type, literal.untyped_data(),
                  static_cast<int64_t>(numbers.size()));
  return literal;
}

absl::StatusOr<Literal> RunCompiled(const HloModule& module,
                                    const std::vector<const Literal*>& arguments, int threads) {
  CpuCompileOptions compile_options;
  if (threads > 1) compile_options.least_shared_bytes = 0;  // merges what can be merged
  compile_options.check_work = true;
  XLA_ASSIGN_OR_RETURN(const auto program, CpuProgram::Compile(module, compile_options));
  runtime::ThreadPool pool(threads);
  runtime::ExecutionContext context;
  context.pool = &pool;
  CpuRunOptions options;
  options.memory_limit_bytes = kMemoryLimit;
  return program->Run(arguments, context, nullptr, options);
}

std::vector<double> AsDoubles(const Literal& literal, const ShapeUtil::IndexedShape& leaf) {
  std::vector<double> values(static_cast<size_t>(ShapeUtil::ElementsIn(leaf.shape)));
  ConvertElements(leaf.shape.element_type(), literal.untyped_data(leaf.index), F64, values.data(),
                  static_cast<int64_t>(values.size()));
  return values;
}

// "" if the results agree.
std::string Difference(const Literal& expected, const Literal& actual, bool by_bits) {
  for (const auto& leaf : ShapeUtil::GetLeafShapes(expected.shape())) {
    const auto bytes = static_cast<size_t>(expected.size_bytes(leaf.index));
    if (bytes == 0 || std::memcmp(expected.untyped_data(leaf.index),
                                  actual.untyped_data(leaf.index), bytes) == 0) {
      continue;
    }
    if (!by_bits && primitive_util::IsFloatingPointType(leaf.shape.element_type()) &&
        AsDoubles(expected, leaf) == AsDoubles(actual, leaf)) {
      continue;
    }
    return absl::StrCat("result ", leaf.index.ToString(), " of ", leaf.shape.ToString());
  }
  return "";
}

}  // namespace

absl::Status CheckRandomChain(uint64_t seed) {
  XLA_ASSIGN_OR_RETURN(const auto module,
                       ParseAndReturnUnverifiedModule(RandomChain(seed).Write()));
  XLA_RETURN_IF_ERROR(VerifyModule(*module));
  std::vector<Literal> literals;
  for (const Shape& shape : module->entry_computation_layout().parameters()) {
    literals.push_back(Argument(shape, seed + literals.size()));
  }
  std::vector<const Literal*> arguments;
  for (const Literal& literal : literals) arguments.push_back(&literal);
  InterpreterOptions options;
  options.num_threads = 1;
  options.memory_limit_bytes = kMemoryLimit;
  XLA_ASSIGN_OR_RETURN(const Literal expected, Interpret(*module, arguments, options));
  XLA_ASSIGN_OR_RETURN(const Literal one, RunCompiled(*module, arguments, 1));
  if (const std::string text = Difference(expected, one, /*by_bits=*/false); !text.empty()) {
    return absl::InternalError(absl::StrCat(text, " differs between the backends"));
  }
  XLA_ASSIGN_OR_RETURN(const Literal several, RunCompiled(*module, arguments, 3));
  if (const std::string text = Difference(one, several, /*by_bits=*/true); !text.empty()) {
    return absl::InternalError(absl::StrCat(text, " depends on the number of threads"));
  }
  return absl::OkStatus();
}

}  // namespace xla::testing
