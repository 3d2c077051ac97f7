// SPDX-License-Identifier: Apache-2.0
// Functions of CHLO that HLO has no operation for: what the client library makes of them.
#include <memory>
#include <string>
#include <vector>

#include "xla/base/status_macros.h"
#include "xla/hlo/builder/lib/math.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/hlo/builder/xla_computation.h"
#include "xla/stablehlo/translator.h"

namespace xla::stablehlo {
namespace {

using mlir::Operation;

// Builds `function` of parameters as the operands are and puts it in the place of the operation.
template <typename Function>
absl::Status TranslateByBuilder(Translator& translator, const Operation& operation, size_t arity,
                                Function function) {
  const std::vector<HloInstruction*> operands = translator.Operands(operation);
  if (operands.size() != arity || operation.results.size() != 1) {
    return translator.Error(operation, "has a wrong number of operands or results");
  }
  XlaBuilder builder("function");
  std::vector<XlaOp> parameters;
  for (size_t i = 0; i < arity; ++i) {
    parameters.push_back(Parameter(&builder, static_cast<int64_t>(i), operands[i]->shape(), "x"));
  }
  const auto computation = builder.Build(function(parameters));
  if (!computation.ok())
    return translator.Error(operation, std::string(computation.status().message()));
  XLA_ASSIGN_OR_RETURN(const std::shared_ptr<const HloModule> module, computation->module());
  translator.SetResults(operation, translator.Inline(*module->entry_computation(), operands));
  return absl::OkStatus();
}

template <XlaOp (*kFunction)(XlaOp)>
absl::Status TranslateUnary(Translator& translator, const Operation& operation) {
  return TranslateByBuilder(translator, operation, 1,
                            [](const std::vector<XlaOp>& x) { return kFunction(x[0]); });
}

absl::Status TranslateNextAfter(Translator& translator, const Operation& operation) {
  return TranslateByBuilder(translator, operation, 2,
                            [](const std::vector<XlaOp>& x) { return NextAfter(x[0], x[1]); });
}

}  // namespace

void AddFunctionHandlers(HandlerTable* table) {
  table->emplace("chlo.digamma", TranslateUnary<Digamma>);
  table->emplace("chlo.erf_inv", TranslateUnary<ErfInv>);
  table->emplace("chlo.erfc", TranslateUnary<Erfc>);
  table->emplace("chlo.lgamma", TranslateUnary<Lgamma>);
  table->emplace("chlo.next_after", TranslateNextAfter);
}

}  // namespace xla::stablehlo
