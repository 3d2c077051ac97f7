// SPDX-License-Identifier: Apache-2.0
// Random bits and the state after them.
#include "xla/kernels/random/random_bits_kernel.h"

#include <cstdint>
#include <cstring>
#include <memory>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/kernels/call_context.h"
#include "xla/kernels/random/random_bits.h"
#include "xla/primitive_util.h"

namespace xla::kernels {
namespace {

class RandomBitsKernel final : public Kernel {
 public:
  explicit RandomBitsKernel(const RandomBitsSpec& spec) : spec_(spec) {
    for (const int64_t size : spec.dimensions) elements_ *= size;
  }
  int64_t ScratchBytes(int32_t) const override { return 0; }

  absl::Status Run(const KernelCall& call) const override {
    CallContext context(call, {});
    uint64_t state[3] = {};
    const size_t bytes = static_cast<size_t>(spec_.state_words) * sizeof(uint64_t);
    std::memcpy(state, call.buffers[0], bytes);
    if (spec_.threefry) {
      XLA_ASSIGN_OR_RETURN(const int64_t used, FillThreefry(context, state[0], state[1], spec_.type,
                                                            spec_.dimensions, call.buffers[2]));
      state[1] += static_cast<uint64_t>(used);
    } else {
      // A state of two words has the key as the upper half of its counter.
      const bool has_high_word = spec_.state_words == 3;
      const Counter128 counter = {state[1], has_high_word ? state[2] : state[0]};
      XLA_ASSIGN_OR_RETURN(const int64_t used, FillPhilox(context, state[0], counter, spec_.type,
                                                          elements_, call.buffers[2]));
      const Counter128 next = counter.Plus(static_cast<uint64_t>(used));
      state[1] = next.low;
      if (has_high_word) state[2] = next.high;
    }
    std::memcpy(call.buffers[1], state, bytes);
    return absl::OkStatus();
  }

 private:
  const RandomBitsSpec spec_;
  int64_t elements_ = 1;
};

}  // namespace

absl::StatusOr<std::unique_ptr<const Kernel>> MakeRandomBitsKernel(const RandomBitsSpec& spec) {
  if (!HasRandomBits(spec.type)) {
    return absl::UnimplementedError(absl::StrCat(
        "random bits of type ", primitive_util::LowercasePrimitiveTypeName(spec.type)));
  }
  return std::make_unique<RandomBitsKernel>(spec);
}

}  // namespace xla::kernels
