// SPDX-License-Identifier: Apache-2.0
// What a small tool around HLO does: load, verify, print, make arguments, run, compare.
#include <iostream>
#include <random>

#include "xla/client/client_library.h"
#include "xla/client/local_client.h"
#include "xla/hlo/evaluator/hlo_evaluator.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/literal_comparison.h"
#include "xla/literal_util.h"
#include "xla/service/hlo_verifier.h"
#include "xla/tests/test_utils.h"
#include "xla/tools/hlo_module_loader.h"

int main() {
  const auto module = xla::LoadModuleFromData(
                          "HloModule m\nENTRY e { x = f32[4] parameter(0)\n"
                          "  ROOT r = f32[4] multiply(x, x) }",
                          "hlo")
                          .value();
  const auto verified = xla::HloVerifier(/*layout_sensitive=*/false,
                                         /*allow_mixed_precision=*/false)
                            .Run(module.get());
  if (!verified.ok()) return 1;
  const xla::HloPrintOptions print = xla::HloPrintOptions::ShortParsable();
  std::cout << module->ToString(print) << "\n";
  std::minstd_rand0 engine;
  auto arguments = xla::MakeFakeArguments(module.get(), &engine).value();
  xla::HloEvaluator evaluator;
  const auto expected = evaluator.Evaluate(*module, {&arguments[0]}).value();
  xla::LocalClient* client = xla::ClientLibrary::LocalClientOrDie();
  const auto got = client
                       ->ExecuteAndTransfer(xla::XlaComputation(module->ToProto()),
                                            {client->TransferToServer(arguments[0]).value().get()})
                       .value();
  const auto same =
      xla::literal_comparison::Near(expected, got, xla::ErrorSpec{1e-5, 1e-5}, false, nullptr);
  std::cout << (same.ok() ? "evaluator and client agree" : "they differ") << "\n";
  return same.ok() ? 0 : 1;
}
