// SPDX-License-Identifier: Apache-2.0
// Sequences of calls of the plugin's C interface: no crash, no hang, no leak; errors have messages.
#include <cstddef>
#include <cstdint>

#include "tests/pjrt/random_calls.h"
#include "xla/base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string finding = xla::pjrt::testing::RandomCalls(data, size).Run();
  XLA_CHECK(finding.empty()) << finding;
  return 0;
}
