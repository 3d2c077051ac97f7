// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "xla/aot/runtime/library_steps.h"
#include "xla/kernels/random/random_numbers.h"

XYLEM_LIBRARY_STEP(xylem_call_rng) {
  xla::aot::ParameterReader reader(parameters);
  const bool normal = reader.Number() != 0;
  const auto type = reader.Get<xla::PrimitiveType>();
  const int64_t count = reader.Number();
  const uint64_t first = run->shared().TakeRandomCounters(static_cast<uint64_t>(count));
  *status = xla::kernels::FillRandomNumbers(*run, normal, first, type, buffers[0], buffers[1],
                                            count, buffers[2]);
}

XYLEM_LIBRARY_STEP(xylem_call_rng_state) {
  const uint64_t state[2] = {run->shared().TakeRandomCounters(static_cast<uint64_t>(parameters[0])),
                             0};
  std::memcpy(buffers[0], state, sizeof(state));
}
