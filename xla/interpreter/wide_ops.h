// SPDX-License-Identifier: Apache-2.0
// The associative operations of reductions, windows and scatters on runs of wide elements
// (xla/kernels/wide.h).
//
// The wide type of an element type: float for floats of at most 32 bits, double, int32_t, uint32_t
// (also for PRED, as 0 and 1), int64_t, uint64_t, complex64, complex128. Integers wrap in the wide
// type and again when they are stored; the result is the same.
#ifndef XLA_INTERPRETER_WIDE_OPS_H_
#define XLA_INTERPRETER_WIDE_OPS_H_

#include <cstdint>
#include <type_traits>

#include "xla/hlo/ir/hlo_opcode.h"
#include "xla/kernels/wide.h"
#include "xla/types.h"
#include "xla/xla_data_enums.h"

namespace xla::interpreter {

template <typename Wide>
struct WideOps {
  // acc[i] = op(acc[i], x[i]). No overlap.
  void (*combine)(Wide* acc, const Wide* x, int64_t count);
  // op(..op(op(x[0], x[1]), x[2])..) for count >= 1, in an order of its own that depends on `count`
  // alone: lanes of 16, added pairwise at the end. Meant for at most kFoldBlock elements; the error
  // grows with count / 16.
  Wide (*fold)(const Wide* x, int64_t count);
  Wide (*apply)(Wide a, Wide b);
};
inline constexpr int64_t kFoldBlock = 1024;

// add, multiply, maximum, minimum, and, or, xor; null for others, and where the type has no such
// operation (`and` of floats, maximum of complex numbers). For PRED, add is `or` and multiply is
// `and`.
template <typename Wide>
const WideOps<Wide>* GetWideOps(HloOpcode opcode);

// Load and store for the wide types of this file.
template <typename Wide>
using UnsignedIfInteger =
    typename std::conditional_t<std::is_integral_v<Wide>, std::make_unsigned<Wide>,
                                std::type_identity<Wide>>::type;

template <typename Wide>
struct WidePorts {
  explicit WidePorts(PrimitiveType type)
      : load_(kernels::GetWideLoad<UnsignedIfInteger<Wide>>(type)),
        store_(kernels::GetWideStore<UnsignedIfInteger<Wide>>(type)) {}

  void Load(const void* src, int64_t stride, int64_t count, Wide* dst) const {
    load_(src, stride, count, reinterpret_cast<UnsignedIfInteger<Wide>*>(dst));
  }
  void Store(const Wide* src, int64_t count, void* dst, int64_t stride) const {
    store_(reinterpret_cast<const UnsignedIfInteger<Wide>*>(src), count, dst, stride);
  }

 private:
  kernels::WideLoad<UnsignedIfInteger<Wide>> load_;
  kernels::WideStore<UnsignedIfInteger<Wide>> store_;
};

// Calls f(Wide()) for the wide type of an element type.
template <typename F>
auto WithWideOf(PrimitiveType type, F&& f) {
  switch (type) {
    case F64:
      return f(double());
    case S1:
    case S2:
    case S4:
    case S8:
    case S16:
    case S32:
      return f(int32_t());
    case PRED:
    case U1:
    case U2:
    case U4:
    case U8:
    case U16:
    case U32:
      return f(uint32_t());
    case S64:
      return f(int64_t());
    case U64:
      return f(uint64_t());
    case C64:
      return f(complex64());
    case C128:
      return f(complex128());
    default:
      return f(float());
  }
}

// Combines values pairwise, as a counter in base two: the error of a float sum grows with the
// logarithm of the count.
template <typename Wide>
class PairwiseAccumulator {
 public:
  explicit PairwiseAccumulator(Wide (*apply)(Wide, Wide)) : apply_(apply) {}

  void Add(Wide value) {
    int level = 0;
    for (uint64_t count = count_++; (count & 1) != 0; count >>= 1)
      value = apply_(levels_[level++], value);
    levels_[level] = value;
  }
  bool empty() const { return count_ == 0; }
  // Of at least one value.
  Wide Total() const {
    Wide total{};
    bool first = true;
    uint64_t count = count_;
    for (int level = 0; count != 0; ++level, count >>= 1) {
      if ((count & 1) == 0) continue;
      total = first ? levels_[level] : apply_(levels_[level], total);
      first = false;
    }
    return total;
  }

 private:
  Wide (*const apply_)(Wide, Wide);
  uint64_t count_ = 0;
  Wide levels_[64];
};

}  // namespace xla::interpreter

#endif  // XLA_INTERPRETER_WIDE_OPS_H_
