// SPDX-License-Identifier: Apache-2.0
// Computes running sums of four rows at a time: a block of 16 bytes of each row is a part of one
// vector.
#include "xla/kernels/scan/scan_blocks.h"

#include "xla/base/machine.h"

#if defined(__x86_64__)

#define XLA_SCAN_TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))

namespace xla::kernels {
namespace {

// The blocks of 16 bytes of a and b at these places; 0 to 3 are those of a.
#define XLA_BLOCKS(a, b, i, j, k, l)                                                           \
  __builtin_shufflevector(a, b, 4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3, 4 * j, 4 * j + 1,      \
                          4 * j + 2, 4 * j + 3, 4 * k, 4 * k + 1, 4 * k + 2, 4 * k + 3, 4 * l, \
                          4 * l + 1, 4 * l + 2, 4 * l + 3)

// v[i] becomes the blocks number i of all four.
#define XLA_TRANSPOSE_BLOCKS(v)                               \
  do {                                                        \
    const Vector low01 = XLA_BLOCKS(v[0], v[1], 0, 1, 4, 5);  \
    const Vector high01 = XLA_BLOCKS(v[0], v[1], 2, 3, 6, 7); \
    const Vector low23 = XLA_BLOCKS(v[2], v[3], 0, 1, 4, 5);  \
    const Vector high23 = XLA_BLOCKS(v[2], v[3], 2, 3, 6, 7); \
    v[0] = XLA_BLOCKS(low01, low23, 0, 2, 4, 6);              \
    v[1] = XLA_BLOCKS(low01, low23, 1, 3, 5, 7);              \
    v[2] = XLA_BLOCKS(high01, high23, 0, 2, 4, 6);            \
    v[3] = XLA_BLOCKS(high01, high23, 1, 3, 5, 7);            \
  } while (0)

template <typename T>
XLA_SCAN_TARGET int64_t ScanFourRows(int64_t count, const T* x, T* out, T* carry) {
  using Vector [[gnu::vector_size(64)]] = T;
  constexpr int64_t kLanes = 16, kRows = 4;
  const Vector zero = {};
  Vector total;
  for (int64_t i = 0; i < kLanes; ++i) total[i] = carry[i / 4];
  int64_t done = 0;
  for (; done + kLanes <= count; done += kLanes) {
    Vector v[kRows];
#pragma GCC unroll 4
    for (int64_t r = 0; r < kRows; ++r)
      __builtin_memcpy(&v[r], x + r * count + done, sizeof(Vector));
    XLA_TRANSPOSE_BLOCKS(v);
#pragma GCC unroll 4
    for (int64_t r = 0; r < kRows; ++r) {
      Vector sum = v[r];
      sum += __builtin_shufflevector(sum, zero, 16, 0, 1, 2, 16, 4, 5, 6, 16, 8, 9, 10, 16, 12, 13,
                                     14);
      sum += __builtin_shufflevector(sum, zero, 16, 16, 0, 1, 16, 16, 4, 5, 16, 16, 8, 9, 16, 16,
                                     12, 13);
      sum += total;
      total =
          __builtin_shufflevector(sum, sum, 3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11, 15, 15, 15, 15);
      v[r] = sum;
    }
    XLA_TRANSPOSE_BLOCKS(v);
#pragma GCC unroll 4
    for (int64_t r = 0; r < kRows; ++r)
      __builtin_memcpy(out + r * count + done, &v[r], sizeof(Vector));
  }
  for (int64_t r = 0; r < kRows; ++r) carry[r] = total[4 * r];
  return done;
}

template <typename T>
FourRowScan<T> Get() {
  return MachineOfThread().avx512 ? ScanFourRows<T> : nullptr;
}

}  // namespace

template <>
FourRowScan<float> GetFourRowScan() {
  return Get<float>();
}
template <>
FourRowScan<uint32_t> GetFourRowScan() {
  return Get<uint32_t>();
}

}  // namespace xla::kernels

#else

namespace xla::kernels {

template <>
FourRowScan<float> GetFourRowScan() {
  return nullptr;
}
template <>
FourRowScan<uint32_t> GetFourRowScan() {
  return nullptr;
}

}  // namespace xla::kernels

#endif
