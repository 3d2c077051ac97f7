// SPDX-License-Identifier: Apache-2.0
#include "xla/pass_fuel.h"

#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "xla/debug_options_flags.h"

namespace xla {
namespace {

using FuelOfPasses = std::map<std::string, int64_t, std::less<>>;

// What the flag said and what is left, for the whole process as XLA's contract has it.
struct ProcessFuel {
  std::mutex mutex;
  FuelOfPasses initial;
  FuelOfPasses left;
};

ProcessFuel& TheFuel() {
  static auto* const fuel = new ProcessFuel;  // never destroyed: other threads may still ask
  return *fuel;
}

// What this thread has left if it has fuel of its own.
std::unique_ptr<FuelOfPasses>& FuelOfThread() {
  static thread_local std::unique_ptr<FuelOfPasses> fuel;
  return fuel;
}

// Calls `use` with the fuel that counts for this thread.
template <typename Use>
bool WithFuel(const Use& use) {
  (void)GetDebugOptionsFromFlags();  // so that XLA_FLAGS has been read
  if (FuelOfThread() != nullptr) return use(*FuelOfThread());
  ProcessFuel& fuel = TheFuel();
  const std::lock_guard<std::mutex> lock(fuel.mutex);
  return use(fuel.left);
}

}  // namespace

bool SetPassFuel(absl::string_view text) {
  FuelOfPasses parsed;
  for (const absl::string_view part : absl::StrSplit(text, ',')) {
    const std::pair<std::string, std::string> entry = absl::StrSplit(part, absl::MaxSplits('=', 1));
    int64_t amount;
    if (!absl::SimpleAtoi(entry.second, &amount)) {
      std::fputs(absl::StrCat("Illegal value for --xla_fuel: ", text, ": ", part,
                              " is not of the form PASS=INTEGER\n")
                     .c_str(),
                 stderr);
      return false;
    }
    parsed[entry.first] = amount;
  }
  ProcessFuel& fuel = TheFuel();
  const std::lock_guard<std::mutex> lock(fuel.mutex);
  fuel.initial = parsed;
  fuel.left = std::move(parsed);
  return true;
}

bool ConsumeFuel(absl::string_view pass, bool* just_ran_out) {
  if (just_ran_out != nullptr) *just_ran_out = false;
  return WithFuel([&](FuelOfPasses& left) {
    const auto found = left.find(pass);
    if (found == left.end()) return true;
    if (just_ran_out != nullptr) *just_ran_out = found->second == 0;
    return found->second-- > 0;
  });
}

bool PassFuelIsSet(absl::string_view pass) {
  return WithFuel([&](const FuelOfPasses& left) { return left.find(pass) != left.end(); });
}

void ResetThreadLocalFuel() {
  (void)GetDebugOptionsFromFlags();
  ProcessFuel& fuel = TheFuel();
  const std::lock_guard<std::mutex> lock(fuel.mutex);
  FuelOfThread() = std::make_unique<FuelOfPasses>(fuel.initial);
}

}  // namespace xla
