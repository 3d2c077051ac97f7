// SPDX-License-Identifier: Apache-2.0
// Counter-based random bits: Threefry-2x32 with 20 rounds and Philox-4x32 with 10. Source: Salmon
// et al., Parallel random numbers: as easy as 1, 2, 3 (SC 2011).
#ifndef XLA_KERNELS_RANDOM_RANDOM_BITS_H_
#define XLA_KERNELS_RANDOM_RANDOM_BITS_H_

#include <array>
#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/kernels/context.h"
#include "xla/xla_data_enums.h"

namespace xla::kernels {

// --- One counter. The low word of each 64-bit number comes first.

inline std::array<uint32_t, 2> Threefry2x32(uint64_t key, uint64_t counter) {
  constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const uint32_t k0 = static_cast<uint32_t>(key), k1 = static_cast<uint32_t>(key >> 32);
  const uint32_t keys[3] = {k0, k1, k0 ^ k1 ^ 0x1BD11BDAu};
  uint32_t x0 = static_cast<uint32_t>(counter) + k0, x1 = static_cast<uint32_t>(counter >> 32) + k1;
  for (uint32_t group = 0; group < 5; ++group) {
    for (const int rotation : kRotations[group % 2]) {
      x0 += x1;
      x1 = (x1 << rotation | x1 >> (32 - rotation)) ^ x0;
    }
    x0 += keys[(group + 1) % 3];
    x1 += keys[(group + 2) % 3] + group + 1;
  }
  return {x0, x1};
}

inline std::array<uint32_t, 4> Philox4x32(uint64_t key, uint64_t counter_low,
                                          uint64_t counter_high) {
  uint32_t k0 = static_cast<uint32_t>(key), k1 = static_cast<uint32_t>(key >> 32);
  std::array<uint32_t, 4> c = {
      static_cast<uint32_t>(counter_low), static_cast<uint32_t>(counter_low >> 32),
      static_cast<uint32_t>(counter_high), static_cast<uint32_t>(counter_high >> 32)};
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = uint64_t{0xD2511F53u} * c[0], p1 = uint64_t{0xCD9E8D57u} * c[2];
    c = {static_cast<uint32_t>(p1 >> 32) ^ c[1] ^ k0, static_cast<uint32_t>(p1),
         static_cast<uint32_t>(p0 >> 32) ^ c[3] ^ k1, static_cast<uint32_t>(p0)};
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return c;
}

// --- Consecutive counters, vectorized. The counters wrap.

struct Counter128 {
  uint64_t low, high;
  Counter128 Plus(uint64_t n) const { return {low + n, high + (low + n < low ? 1 : 0)}; }
};

// words[2 * i], words[2 * i + 1] = Threefry2x32(key, counter + i) for i in [0, count).
void ThreefryBlocks(uint64_t key, uint64_t counter, int64_t count, uint32_t* words);
// Writes the first words to one array and the second words to another.
void ThreefryBlocks(uint64_t key, uint64_t counter, int64_t count, uint32_t* first,
                    uint32_t* second);
// words[4 * i .. 4 * i + 3] = Philox4x32(key, counter + i) for i in [0, count).
void PhiloxBlocks(uint64_t key, Counter128 counter, int64_t count, uint32_t* words);

// --- Arrays as XLA's rng-bit-generator fills them. `result` is dense and row-major, of an integer
// type or a floating-point type of at most 64 bits (HasRandomBits); elements take the low bits of
// their word. Returns the number of counters used.

bool HasRandomBits(PrimitiveType type);

// Threefry gives two words a counter. A 64-bit element takes both. Of narrower types, they go to
// neighbors along one dimension (the first of even size, else the first of the greatest size): an
// element is word i % 2 of the block at i / 2 there, and blocks are numbered in row-major order.
absl::StatusOr<int64_t> FillThreefry(Context& context, uint64_t key, uint64_t counter,
                                     PrimitiveType type, absl::Span<const int64_t> dimensions,
                                     void* result);
// Philox gives four words a counter, in order; a 64-bit element takes two.
absl::StatusOr<int64_t> FillPhilox(Context& context, uint64_t key, Counter128 counter,
                                   PrimitiveType type, int64_t elements, void* result);

}  // namespace xla::kernels

#endif  // XLA_KERNELS_RANDOM_RANDOM_BITS_H_
