// SPDX-License-Identifier: Apache-2.0
// Programs with faults, and compilers with faults, for tests of what finds them.
#ifndef TESTS_DEBUGGING_PLANTED_FAULTS_H_
#define TESTS_DEBUGGING_PLANTED_FAULTS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::testing {

// A program of some `instructions` instructions on f32[8,8] with loops, branches, calls, sorts,
// products and data movement, all of whose values are moderate. `planted` is HLO text that is
// inserted in the middle: it defines %planted, f32[8,8], from %x, and everything after it depends
// on it. Empty: nothing is inserted.
std::string LargeProgram(int instructions, const std::string& planted);

// Ten ways in which a program may come by its first NaN: text for LargeProgram.
struct PlantedNan {
  const char* name;
  const char* text;
  const char* origin;  // the instruction that makes it
};
const std::vector<PlantedNan>& PlantedNans();

// Ten passes each of which does one thing wrong, wherever it finds its pattern.
struct FaultyPass {
  const char* name;
  std::function<absl::StatusOr<bool>(HloModule*)> run;
};
const std::vector<FaultyPass>& FaultyPasses();

}  // namespace xla::testing

#endif  // TESTS_DEBUGGING_PLANTED_FAULTS_H_
