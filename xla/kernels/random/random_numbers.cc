// SPDX-License-Identifier: Apache-2.0
#include "xla/kernels/random/random_numbers.h"

#include <array>
#include <cmath>

#include "xla/kernels/random/random_bits.h"
#include "xla/kernels/wide.h"
#include "xla/primitive_util.h"

namespace xla::kernels {
namespace {

// In nanoseconds.
constexpr double kCostPerBlock = 30;

// The stateful generator: one Philox counter for the run.
constexpr uint64_t kRunKey = 0x9E3779B97F4A7C15u;

// Returns random numbers for element `index` of the rng instruction that took counters from `first`
// on.
std::array<uint32_t, 4> ElementBits(uint64_t first, int64_t index) {
  return Philox4x32(kRunKey, first + static_cast<uint64_t>(index), 0);
}

// Returns a number in [0, 1) of 53 bits.
double UnitUniform(uint32_t low, uint32_t high) {
  return static_cast<double>((low | uint64_t{high} << 32) >> 11) * 0x1p-53;
}

// Box and Muller's transform of two uniform numbers.
double UnitNormal(const std::array<uint32_t, 4>& words) {
  constexpr double kTwoPi = 6.28318530717958647692;
  const double radius = std::sqrt(-2 * std::log(1 - UnitUniform(words[0], words[1])));
  return radius * std::cos(kTwoPi * UnitUniform(words[2], words[3]));
}

// Fills with uniform numbers in [low, high), or normal ones with mean and deviation.
absl::Status FillFloats(Context& context, bool normal, uint64_t first, PrimitiveType type,
                        const void* a, const void* b, int64_t count, void* result) {
  double p, q;
  GetWideLoad<double>(type)(a, 1, 1, &p);
  GetWideLoad<double>(type)(b, 1, 1, &q);
  const int64_t bytes = primitive_util::ByteWidth(type);
  char* out = static_cast<char*>(result);
  const WideStore<double> store = GetWideStore<double>(type);
  const WideLoad<double> load = GetWideLoad<double>(type);
  return context.ParallelFor(count, ChunkFor(count, 3 * kCostPerBlock),
                             [&](int64_t begin, int64_t end) {
                               for (int64_t i = begin; i < end; ++i) {
                                 const std::array<uint32_t, 4> words = ElementBits(first, i);
                                 double value;
                                 if (normal) {
                                   value = p + q * UnitNormal(words);
                                   store(&value, 1, out + i * bytes, 1);
                                   continue;
                                 }
                                 value = p + (q - p) * UnitUniform(words[0], words[1]);
                                 store(&value, 1, out + i * bytes, 1);
                                 // Rounding to the type may reach the excluded end.
                                 double stored;
                                 load(out + i * bytes, 1, 1, &stored);
                                 if (stored >= q && p < q) store(&p, 1, out + i * bytes, 1);
                               }
                               return absl::OkStatus();
                             });
}

// Fills with uniform numbers in [low, high); an empty interval gives low.
absl::Status FillIntegers(Context& context, uint64_t first, PrimitiveType type, const void* a,
                          const void* b, int64_t count, void* result) {
  uint64_t low, high;
  GetWideLoad<uint64_t>(type)(a, 1, 1, &low);
  GetWideLoad<uint64_t>(type)(b, 1, 1, &high);
  const bool is_empty = primitive_util::IsSignedIntegralType(type)
                            ? static_cast<int64_t>(high) <= static_cast<int64_t>(low)
                            : high <= low;
  // PRED means a fair coin, whatever its bounds.
  const uint64_t range = type == PRED ? 2 : is_empty ? 0 : high - low;
  if (type == PRED) low = 0;
  const int64_t bytes = primitive_util::ByteWidth(type);
  char* out = static_cast<char*>(result);
  const WideStore<uint64_t> store = GetWideStore<uint64_t>(type);
  return context.ParallelFor(
      count, ChunkFor(count, kCostPerBlock), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const std::array<uint32_t, 4> words = ElementBits(first, i);
          const uint64_t bits = words[0] | uint64_t{words[1]} << 32;
          const uint64_t value =
              low + static_cast<uint64_t>((static_cast<unsigned __int128>(bits) * range) >> 64);
          store(&value, 1, out + i * bytes, 1);
        }
        return absl::OkStatus();
      });
}

}  // namespace

bool HasRandomNumbers(PrimitiveType type, bool normal) {
  if (primitive_util::IsFloatingPointType(type)) return true;
  return !normal && (primitive_util::IsIntegralType(type) || type == PRED);
}

absl::Status FillRandomNumbers(Context& context, bool normal, uint64_t first, PrimitiveType type,
                               const void* a, const void* b, int64_t count, void* result) {
  if (primitive_util::IsFloatingPointType(type)) {
    return FillFloats(context, normal, first, type, a, b, count, result);
  }
  return FillIntegers(context, first, type, a, b, count, result);
}

}  // namespace xla::kernels
