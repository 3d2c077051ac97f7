// SPDX-License-Identifier: Apache-2.0
// Threefry and Philox as programs, and distributions made of their bits.
#include "xla/hlo/builder/lib/prng.h"

#include <array>
#include <cmath>
#include <vector>

#include "xla/hlo/builder/lib/constants.h"
#include "xla/hlo/builder/lib/lib_util.h"

namespace xla {
namespace {

using Int64List = std::vector<int64_t>;
using Pair32 = std::array<XlaOp, 2>;
using Quad32 = std::array<XlaOp, 4>;
using U128 = std::array<XlaOp, 2>;  // two u64, the low half first

Int64List ListOf(absl::Span<const int64_t> values) { return {values.begin(), values.end()}; }

XlaOp U32Constant(XlaOp like, uint32_t value) {
  return ConstantR0<uint32_t>(like.builder(), value);
}
XlaOp U64Constant(XlaOp like, uint64_t value) {
  return ConstantR0<uint64_t>(like.builder(), value);
}

// A u64 as two u32, the low half first, and back.
Pair32 Halves(XlaOp u64) {
  return {ConvertElementType(u64, U32),
          ConvertElementType(ShiftRightLogical(u64, U64Constant(u64, 32)), U32)};
}
XlaOp Joined(XlaOp low, XlaOp high) {
  return ConvertElementType(low, U64) | (ConvertElementType(high, U64) << U64Constant(low, 32));
}

// --- Threefry

Pair32 ThreeFry2x32(Pair32 counter, Pair32 key) {
  constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  constexpr uint32_t kParity = 0x1BD11BDA;
  const std::array<XlaOp, 3> schedule = {key[0], key[1],
                                         U32Constant(key[0], kParity) ^ key[0] ^ key[1]};
  XlaOp x = counter[0] + schedule[0];
  XlaOp y = counter[1] + schedule[1];
  for (uint32_t group = 0; group < 5; ++group) {
    for (const int distance : kRotations[group % 2]) {
      x = x + y;
      y = x ^
          ((y << U32Constant(y, distance)) | ShiftRightLogical(y, U32Constant(y, 32 - distance)));
    }
    x = x + schedule[(group + 1) % 3];
    y = y + schedule[(group + 2) % 3] + U32Constant(y, group + 1);
  }
  return {x, y};
}

// The counters of the elements in row-major order, and the counter after them.
std::pair<Pair32, XlaOp> ThreeFryCounters(XlaOp state, const Shape& shape) {
  XlaBuilder* b = state.builder();
  const Shape u64_shape = ShapeUtil::ChangeElementType(shape, U64);
  XlaOp counters = Broadcast(Reshape(state, {}), shape.dimensions());
  uint64_t stride = 1;
  for (int64_t i = shape.rank() - 1; i >= 0; --i) {
    const int64_t size = shape.dimensions(static_cast<int>(i));
    if (size < 2) continue;
    counters = counters + Iota(b, u64_shape, i) * U64Constant(state, stride);
    stride *= static_cast<uint64_t>(size);
  }
  const uint64_t count = static_cast<uint64_t>(ShapeUtil::ElementsIn(shape));
  return {Halves(counters), state + U64Constant(state, count)};
}

// A shape cut into two halves along one dimension, even if there is an even one.
struct Split {
  Shape half;       // with a new dimension of size 1 behind the cut one
  Shape both;       // the same with size 2
  int64_t dim = 0;  // the cut dimension
  int64_t new_dim = 0;
};

absl::StatusOr<Split> SplitIntoHalves(const Shape& shape) {
  Split split;
  const PrimitiveType type = shape.element_type();
  if (shape.rank() == 0) {
    XLA_ASSIGN_OR_RETURN(split.half, ShapeUtil::MakeValidatedShape(type, {1}));
    XLA_ASSIGN_OR_RETURN(split.both, ShapeUtil::MakeValidatedShape(type, {2}));
    return split;
  }
  split.dim = -1;
  for (int i = 0; i < shape.rank() && split.dim < 0; ++i) {
    if (shape.dimensions(i) % 2 == 0) split.dim = i;
  }
  if (split.dim < 0) {
    split.dim = 0;
    for (int i = 1; i < shape.rank(); ++i) {
      if (shape.dimensions(i) > shape.dimensions(static_cast<int>(split.dim))) split.dim = i;
    }
  }
  split.new_dim = split.dim + 1;
  Int64List half = ListOf(shape.dimensions());
  half[split.dim] = CeilOfRatio<int64_t>(half[split.dim], 2);
  half.insert(half.begin() + split.new_dim, 1);
  Int64List both = half;
  both[split.new_dim] = 2;
  XLA_ASSIGN_OR_RETURN(split.half, ShapeUtil::MakeValidatedShape(type, half));
  XLA_ASSIGN_OR_RETURN(split.both, ShapeUtil::MakeValidatedShape(type, both));
  return split;
}

XlaOp JoinHalves(XlaOp first, XlaOp second, const Split& split, const Shape& shape) {
  if (shape.rank() == 0) return Reshape(first, {});
  const XlaOp both = ConcatInDim(first.builder(), {first, second}, split.new_dim);
  Int64List sizes = ListOf(shape.dimensions());
  sizes[split.dim] = RoundUpTo<int64_t>(sizes[split.dim], 2);
  const XlaOp flat = Reshape(both, sizes);
  if (sizes[split.dim] == shape.dimensions(static_cast<int>(split.dim))) return flat;
  return SliceInDim(flat, 0, shape.dimensions(static_cast<int>(split.dim)), 1, split.dim);
}

// --- Philox

Quad32 Philox4x32(Quad32 x, Pair32 key) {
  constexpr uint32_t kMultipliers[2] = {0xD2511F53, 0xCD9E8D57};
  constexpr uint32_t kWeyl[2] = {0x9E3779B9, 0xBB67AE85};
  for (int round = 0; round < 10; ++round) {
    const Pair32 first = Halves(ConvertElementType(x[0], U64) * U64Constant(x[0], kMultipliers[0]));
    const Pair32 second =
        Halves(ConvertElementType(x[2], U64) * U64Constant(x[2], kMultipliers[1]));
    x = {second[1] ^ x[1] ^ key[0], second[0], first[1] ^ x[3] ^ key[1], first[0]};
    key = {key[0] + U32Constant(key[0], kWeyl[0]), key[1] + U32Constant(key[1], kWeyl[1])};
  }
  return x;
}

U128 ToU128(XlaOp counter) {
  const auto element = [&](int64_t i) { return Reshape(SliceInDim(counter, i, i + 1, 1, 0), {}); };
  return {element(0), element(1)};
}
XlaOp FromU128(const U128& value) {
  return ConcatScalars(value[0].builder(), {value[0], value[1]});
}

// value + delta, of scalars, or of a vector of deltas of this size.
U128 Plus(const U128& value, XlaOp delta, absl::Span<const int64_t> sizes = {}) {
  const XlaOp low = value[0] + delta;
  const XlaOp carried = value[1] + U64Constant(value[1], 1);
  return {low, Select(Lt(low, value[0]), Broadcast(carried, sizes), Broadcast(value[1], sizes))};
}

// `blocks` times four u32, and the counter after them.
std::pair<Quad32, XlaOp> PhiloxBlocks(XlaOp key, XlaOp state, int64_t blocks) {
  const U128 counter = ToU128(state);
  const U128 counters = Plus(counter, Iota(state.builder(), U64, blocks), {blocks});
  const Pair32 low = Halves(counters[0]);
  const Pair32 high = Halves(counters[1]);
  const XlaOp next = FromU128(Plus(counter, U64Constant(state, static_cast<uint64_t>(blocks))));
  return {Philox4x32({low[0], low[1], high[0], high[1]}, Halves(key)), next};
}

// The vectors interleaved, as an array of the shape.
XlaOp Interleaved(absl::Span<const XlaOp> vectors, int64_t length, const Shape& shape) {
  std::vector<XlaOp> columns;
  for (const XlaOp v : vectors) columns.push_back(Reshape(v, {length, 1}));
  const int64_t total = length * static_cast<int64_t>(vectors.size());
  const XlaOp flat = Reshape(ConcatInDim(vectors[0].builder(), columns, 1), {total});
  return Reshape(SliceInDim(flat, 0, ShapeUtil::ElementsIn(shape), 1, 0), shape.dimensions());
}

// --- What generators and distributions share

// Runs `make` as the call; the output is invalid if it fails.
RngOutput MakeOutput(const char* call, XlaOp key, XlaOp state,
                     absl::FunctionRef<absl::StatusOr<RngOutput>(XlaBuilder*)> make) {
  RngOutput output;
  output.value =
      lib_internal::Make(call, {key, state}, [&](XlaBuilder* b) -> absl::StatusOr<XlaOp> {
        XLA_ASSIGN_OR_RETURN(output, make(b));
        return output.value;
      });
  if (!output.value.valid()) output.state = output.value;
  return output;
}

// The width of the bits to make for a shape.
absl::StatusOr<int> BitWidthFor(const Shape& shape) {
  XLA_RETURN_IF_ERROR(ShapeUtil::ValidateShapeWithOptionalLayout(shape));
  const PrimitiveType type = shape.element_type();
  const bool has_bits =
      shape.IsArray() && shape.is_static() && type != PRED && !primitive_util::IsComplexType(type);
  if (!has_bits) {
    return UnimplementedStrCat("There are no random bits of shape ", ShapeUtil::HumanString(shape),
                               ".");
  }
  return primitive_util::BitWidth(type);
}

// u32 values cut to narrower ones.
XlaOp Narrowed(XlaOp value, int width) {
  return width >= 32
             ? value
             : ConvertElementType(value, primitive_util::UnsignedIntegralTypeForBitWidth(width));
}

}  // namespace

XlaOp ConcatScalars(XlaBuilder* builder, absl::Span<const XlaOp> scalars) {
  std::vector<XlaOp> vectors;
  for (const XlaOp scalar : scalars) vectors.push_back(Reshape(scalar, {1}));
  return ConcatInDim(builder, vectors, 0);
}

RngOutput ThreeFryBitGenerator(XlaOp key, XlaOp initial_state, const Shape& shape) {
  return MakeOutput(
      "ThreeFryBitGenerator", key, initial_state, [&](XlaBuilder*) -> absl::StatusOr<RngOutput> {
        XLA_ASSIGN_OR_RETURN(const int width, BitWidthFor(shape));
        if (width == 64) {
          const auto [counters, next] = ThreeFryCounters(initial_state, shape);
          const Pair32 bits = ThreeFry2x32(counters, Halves(key));
          return RngOutput{Joined(bits[0], bits[1]), next};
        }
        // Each counter gives two words, one for each half of the array.
        XLA_ASSIGN_OR_RETURN(const Split split,
                             SplitIntoHalves(ShapeUtil::ChangeElementType(shape, U32)));
        const auto [counters, next] = ThreeFryCounters(initial_state, split.half);
        const Pair32 bits = ThreeFry2x32(counters, Halves(key));
        return RngOutput{Narrowed(JoinHalves(bits[0], bits[1], split, shape), width), next};
      });
}

RngOutput PhiloxBitGenerator(XlaOp key, XlaOp initial_state, const Shape& shape) {
  return MakeOutput("PhiloxBitGenerator", key, initial_state,
                    [&](XlaBuilder*) -> absl::StatusOr<RngOutput> {
                      XLA_ASSIGN_OR_RETURN(const int width, BitWidthFor(shape));
                      const int64_t count = ShapeUtil::ElementsIn(shape);
                      const int64_t blocks = CeilOfRatio<int64_t>(count, width == 64 ? 2 : 4);
                      const auto [bits, next] = PhiloxBlocks(key, initial_state, blocks);
                      if (width == 64) {
                        const XlaOp words[] = {Joined(bits[0], bits[1]), Joined(bits[2], bits[3])};
                        return RngOutput{Interleaved(words, blocks, shape), next};
                      }
                      return RngOutput{Narrowed(Interleaved(bits, blocks, shape), width), next};
                    });
}

std::pair<XlaOp, XlaOp> ScramblePhiloxKey(XlaOp key) {
  XlaOp scrambled;
  const XlaOp counter =
      lib_internal::Make("ScramblePhiloxKey", {key}, [&](XlaBuilder*) -> absl::StatusOr<XlaOp> {
        // The two halves of the key, each extended with zeros, as a counter under a fixed key.
        const Pair32 halves = Halves(key);
        const XlaOp zero = U32Constant(key, 0);
        const Quad32 mixed =
            Philox4x32({halves[0], zero, halves[1], zero},
                       {U32Constant(key, 0x3ec8f720), U32Constant(key, 0x02461e29)});
        scrambled = Joined(mixed[0], mixed[1]);
        return FromU128({Joined(zero, zero), Joined(mixed[2], mixed[3])});
      });
  return {counter, scrambled};
}

XlaOp PhiloxIncreaseCounter(XlaOp counter, XlaOp delta) {
  return lib_internal::Make(
      "PhiloxIncreaseCounter", {counter, delta},
      [&](XlaBuilder*) -> absl::StatusOr<XlaOp> { return FromU128(Plus(ToU128(counter), delta)); });
}

// --- Distributions

namespace {

// In [minval, maxval). The upper bits become the significand of a number in [0, 1).
absl::StatusOr<XlaOp> BitsToUniform(XlaBuilder* b, XlaOp bits, XlaOp minval, XlaOp maxval) {
  XLA_ASSIGN_OR_RETURN(const Shape bounds, lib_internal::RealShape(b, minval));
  XLA_ASSIGN_OR_RETURN(const Shape bits_shape, lib_internal::ArrayShape(b, bits));
  const PrimitiveType type = bounds.element_type();
  const PrimitiveType bit_type = bits_shape.element_type();
  if (type == F16 && bit_type == U16) {
    // As TensorFlow's kernels do: ten bits after the exponent of 1, and 1 taken away.
    const XlaOp one_to_two = (bits & ScalarLike(bits, 0x3ffu)) | ScalarLike(bits, 15u << 10);
    const XlaOp value = BitcastConvertType(one_to_two, F16);
    return value - ScalarLike(value, 1.0);
  }
  const int width = primitive_util::BitWidth(bit_type);
  const int mantissa = primitive_util::SignificandWidth(type) - 1;
  if (mantissa > width) {
    return InvalidArgumentStrCat(PrimitiveType_Name(bit_type),
                                 " has too few bits for the mantissa of ", PrimitiveType_Name(type),
                                 ".");
  }
  const XlaOp integer =
      ConvertElementType(ShiftRightLogical(bits, ScalarLike(bits, width - mantissa)), type);
  const XlaOp unit = integer * ScalarLike(integer, std::ldexp(1.0, -mantissa));
  return unit * (maxval - minval) + minval;
}

}  // namespace

RngOutput UniformFloatingPointDistribution(XlaOp key, XlaOp initial_state,
                                           BitGeneratorTy bit_generator, XlaOp minval, XlaOp maxval,
                                           const Shape& shape) {
  return MakeOutput("UniformFloatingPointDistribution", key, initial_state,
                    [&](XlaBuilder* b) -> absl::StatusOr<RngOutput> {
                      const RngOutput bits = bit_generator(key, initial_state, shape);
                      XLA_ASSIGN_OR_RETURN(const XlaOp value,
                                           BitsToUniform(b, bits.value, minval, maxval));
                      return RngOutput{value, bits.state};
                    });
}

RngOutput UniformIntDistribution(XlaOp key, XlaOp initial_state, BitGeneratorTy bit_generator,
                                 XlaOp minval, XlaOp maxval, const Shape& shape) {
  return MakeOutput(
      "UniformIntDistribution", key, initial_state, [&](XlaBuilder*) -> absl::StatusOr<RngOutput> {
        const PrimitiveType type = shape.element_type();
        if (type != S32 && type != U32 && type != S64 && type != U64) {
          return UnimplementedStrCat(
              "Types other than U32, S32, U64 and S64 are not implemented by "
              "UniformIntDistribution; "
              "got ",
              PrimitiveType_Name(type));
        }
        const PrimitiveType bit_type = type == S32 || type == U32 ? U32 : U64;
        const RngOutput bits = bit_generator(key, initial_state, shape);
        const XlaOp range =
            BitcastConvertType(maxval, bit_type) - BitcastConvertType(minval, bit_type);
        // The offset in two parts, for it may not fit the signed type.
        const XlaOp offset = Rem(bits.value, range);
        const XlaOp half = ShiftRightLogical(offset, ScalarLike(offset, 1));
        const XlaOp value =
            minval + BitcastConvertType(half, type) + BitcastConvertType(offset - half, type);
        return RngOutput{value, bits.state};
      });
}

RngOutput NormalFloatingPointDistribution(XlaOp key, XlaOp initial_state,
                                          BitGeneratorTy bit_generator, const Shape& shape) {
  return MakeOutput(
      "NormalFloatingPointDistribution", key, initial_state,
      [&](XlaBuilder* b) -> absl::StatusOr<RngOutput> {
        const PrimitiveType type = shape.element_type();
        if (type != F16 && type != F32 && type != F64) {
          return UnimplementedStrCat(
              "Types other than F16, F32 and F64 are not implemented by "
              "NormalFloatingPointDistribution; got ",
              PrimitiveType_Name(type));
        }
        XLA_RETURN_IF_ERROR(BitWidthFor(shape).status());
        XLA_ASSIGN_OR_RETURN(const Split split, SplitIntoHalves(shape));
        const RngOutput uniform = UniformFloatingPointDistribution(
            key, initial_state, bit_generator, Zero(b, type), One(b, type), split.both);
        const XlaOp first = SliceInDim(uniform.value, 0, 1, 1, split.new_dim);
        const XlaOp second = SliceInDim(uniform.value, 1, 2, 1, split.new_dim);
        // Away from 0, whose logarithm is infinite.
        const XlaOp u = Max(first, ScalarLike(first, 1.0e-7));
        const XlaOp angle = ScalarLike(second, 2 * 3.14159265358979323846) * second;
        const XlaOp radius = Sqrt(ScalarLike(u, -2) * Log(u));
        return RngOutput{JoinHalves(Sin(angle) * radius, Cos(angle) * radius, split, shape),
                         uniform.state};
      });
}

}  // namespace xla
