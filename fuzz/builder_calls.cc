// SPDX-License-Identifier: Apache-2.0
// Sequences of calls of the client API and its library, valid and not: no crash; what builds
// verifies, prints, parses, runs, and is the same after the way through its proto and its text.
#include <cstddef>
#include <cstdint>

#include "tests/builder/random_program.h"
#include "xla/base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::Status status = xla::testing::CheckRandomProgram(data, size, /*run=*/true);
  XLA_CHECK(status.ok()) << status;
  return 0;
}
