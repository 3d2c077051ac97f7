// SPDX-License-Identifier: Apache-2.0
// Runs a random chain with the interpreter and compiled.
#ifndef XYLEM_TESTS_CPU_RANDOM_CHAIN_CHECK_H_
#define XYLEM_TESTS_CPU_RANDOM_CHAIN_CHECK_H_

#include <cstdint>

#include "absl/status/status.h"

namespace xla::testing {

// An error if the chain of this seed is not accepted, or if its results differ: between the
// backends (zeros of both signs are equal), or by a bit between numbers of threads.
absl::Status CheckRandomChain(uint64_t seed);

}  // namespace xla::testing

#endif  // XYLEM_TESTS_CPU_RANDOM_CHAIN_CHECK_H_
