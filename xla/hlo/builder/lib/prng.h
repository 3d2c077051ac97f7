// SPDX-License-Identifier: Apache-2.0
// Counter-based random numbers as programs: the same bits on every machine.
//
// Sources: J. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (SC 2011) for Threefry
// 2x32 with 20 rounds and Philox 4x32 with 10 rounds.
#ifndef XLA_HLO_BUILDER_LIB_PRNG_H_
#define XLA_HLO_BUILDER_LIB_PRNG_H_

#include <functional>
#include <utility>

#include "absl/types/span.h"
#include "xla/hlo/builder/xla_builder.h"

namespace xla {

// Values, and the state for the next call.
struct RngOutput {
  XlaOp value;
  XlaOp state;
};

// Random bits as unsigned integers as wide as the element type of the shape (8 to 64 bits), from a
// u64 scalar key and a counter.
using BitGeneratorTy = std::function<RngOutput(XlaOp key, XlaOp initial_state, const Shape& shape)>;

// The counter is a u64 scalar or vector of one element.
RngOutput ThreeFryBitGenerator(XlaOp key, XlaOp initial_state, const Shape& shape);
// The counter is u64[2], the low half first.
RngOutput PhiloxBitGenerator(XlaOp key, XlaOp initial_state, const Shape& shape);
// A counter and a key for Philox from a key with entropy in any of its bits.
std::pair<XlaOp, XlaOp> ScramblePhiloxKey(XlaOp key);
// counter + delta, a u64 scalar.
XlaOp PhiloxIncreaseCounter(XlaOp counter, XlaOp delta);

// Uniform in [minval, maxval): floating-point numbers; integers (S32, U32, S64, U64).
RngOutput UniformFloatingPointDistribution(XlaOp key, XlaOp initial_state,
                                           BitGeneratorTy bit_generator, XlaOp minval, XlaOp maxval,
                                           const Shape& shape);
RngOutput UniformIntDistribution(XlaOp key, XlaOp initial_state, BitGeneratorTy bit_generator,
                                 XlaOp minval, XlaOp maxval, const Shape& shape);
// Normal with mean 0 and variance 1, by the Box-Muller transform; F16, F32, F64.
RngOutput NormalFloatingPointDistribution(XlaOp key, XlaOp initial_state,
                                          BitGeneratorTy bit_generator, const Shape& shape);

// A vector of scalars.
XlaOp ConcatScalars(XlaBuilder* builder, absl::Span<const XlaOp> scalars);

}  // namespace xla

#endif  // XLA_HLO_BUILDER_LIB_PRNG_H_
