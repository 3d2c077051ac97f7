// SPDX-License-Identifier: Apache-2.0
// The flag behind ConsumeFuel and its relatives (debug_options_flags.h).
#ifndef XLA_PASS_FUEL_H_
#define XLA_PASS_FUEL_H_

#include "absl/strings/string_view.h"

namespace xla {

// "pass=3,other=1": how often each pass may still change something. False, with a sentence on
// stderr, for other texts; nothing changes then.
bool SetPassFuel(absl::string_view text);

}  // namespace xla

#endif  // XLA_PASS_FUEL_H_
