// SPDX-License-Identifier: Apache-2.0
// The parts that kernels share: contexts, strided dimensions, widening and narrowing.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/base/casts.h"
#include "absl/strings/str_cat.h"
#include "tests/kernels/kernel_test_util.h"
#include "tests/kernels/prepared_kernel_test_util.h"
#include "tests/test_util.h"
#include "xla/base/machine.h"
#include "xla/kernels/call_context.h"
#include "xla/kernels/context.h"
#include "xla/kernels/strided_dims.h"
#include "xla/kernels/wide.h"
#include "xla/types.h"

namespace xla::kernels {
namespace {

TEST(ContextTest, SerialLoopsCoverTheRangeAndStopAtAnError) {
  TestContext context;
  SerialContext serial(context);
  for (const int64_t chunk : {1, 3, 10, 11, 100}) {
    int64_t next = 0;
    ASSERT_OK(serial.ParallelFor(10, chunk, [&](int64_t begin, int64_t end) {
      EXPECT_EQ(begin, next);
      EXPECT_EQ(end, std::min<int64_t>(10, begin + chunk));
      next = end;
      return absl::OkStatus();
    }));
    EXPECT_EQ(next, 10);
  }
  int64_t calls = 0;
  const absl::Status status = serial.ParallelFor(10, 2, [&](int64_t begin, int64_t) {
    ++calls;
    return begin == 4 ? absl::InternalError("stop") : absl::OkStatus();
  });
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_EQ(calls, 3);
  context.cancel_after = 0;
  EXPECT_EQ(serial.ParallelFor(10, 2, [](int64_t, int64_t) { return absl::OkStatus(); }).code(),
            absl::StatusCode::kCancelled);
}

// The loops of a prepared kernel: whatever the workers, the error of the first part counts.
TEST(CallContextTest, LoopsGiveTheFirstError) {
  for (int workers : {1, 3}) {
    KernelHost host = {&workers, workers, &ParallelForOnThreads, nullptr};
    const CallMemory memory = {.shared = CallMemory::Of(64), .worker = CallMemory::Of(64)};
    std::vector<char> scratch(static_cast<size_t>(memory.ScratchBytes(workers)) + 64);
    char* const begin = scratch.data() + (64 - reinterpret_cast<uintptr_t>(scratch.data()) % 64);
    const KernelCall call = {&host, nullptr, begin};
    CallContext context(call, memory);
    std::atomic<int64_t> covered{0};
    EXPECT_OK(context.ParallelFor(10, 3, [&](int64_t from, int64_t to) {
      covered += to - from;
      return absl::OkStatus();
    }));
    EXPECT_EQ(covered, 10);
    EXPECT_ERROR(context.ParallelFor(10, 2,
                                     [](int64_t from, int64_t) -> absl::Status {
                                       if (from < 4) return absl::OkStatus();
                                       return absl::InternalError(absl::StrCat("part ", from));
                                     }),
                 "part 4");
#if !defined(__SANITIZE_ADDRESS__) && !defined(XYLEM_THREAD_SANITIZER)  // which end the process
    EXPECT_ERROR(context.Allocate(int64_t{1} << 61), "bytes of working memory");
#endif
  }
}

TEST(ContextTest, ScratchIsAlignedCountedAndChecked) {
  TestContext context;
  {
    const absl::StatusOr<ScratchArray<double>> array = AllocateArray<double>(context, 100);
    ASSERT_OK(array);
    EXPECT_EQ(array->size(), 100);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(array->data()) % 64, 0);
    EXPECT_EQ(context.live, 800);
  }
  EXPECT_EQ(context.live, 0);
  EXPECT_EQ(AllocateArray<double>(context, int64_t{1} << 61).status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(ContextTest, MetersPollAfterEnoughWork) {
  TestContext context;
  WorkMeter meter(context);
  // Ten times as rarely as loops of generated code.
  for (int i = 0; i < 100; ++i)
    ASSERT_OK(meter.Add(static_cast<double>(kUsualMachine.nanoseconds_between_polls)));
  EXPECT_EQ(context.polls, 10);
  EXPECT_EQ(ChunkFor(1000, 1e9), 1);
  EXPECT_EQ(ChunkFor(1000, 0), 1000);
  EXPECT_EQ(ChunkFor(0, 1), 1);
  EXPECT_EQ(ChunkFor(1000, 1000), 100);
}

TEST(StridedDimsTest, RunsCoverPositionsInOrder) {
  // [3, 2, 4] with the last two merged, moved backwards in the first.
  const StridedDims dims({3, 2, 4}, {-100, 8, 2});
  EXPECT_EQ(dims.count(), 24);
  EXPECT_EQ(dims.run_length(), 8);
  EXPECT_EQ(dims.run_stride(), 2);
  for (int64_t begin = 0; begin < 24; ++begin) {
    for (int64_t count = 0; begin + count <= 24; ++count) {
      int64_t covered = 0;
      dims.ForEachRun(begin, count, [&](int64_t first, int64_t offset, int64_t length) {
        EXPECT_EQ(first, covered);
        for (int64_t i = 0; i < length; ++i) {
          const int64_t position = begin + first + i;
          EXPECT_EQ(offset + i * 2, position / 8 * -100 + position % 8 * 2);
          EXPECT_EQ(dims.Offset(position), offset + i * 2);
        }
        covered += length;
      });
      EXPECT_EQ(covered, count);
    }
  }
}

TEST(StridedDimsTest, NoDimensionsAreOnePositionAndEmptyOnesNone) {
  EXPECT_EQ(StridedDims().count(), 1);
  EXPECT_EQ(StridedDims().Offset(0), 0);
  EXPECT_EQ(StridedDims({1, 1}, {7, 9}).count(), 1);
  EXPECT_EQ(StridedDims({3, 0}, {0, 1}).count(), 0);
}

TEST(WideTest, NarrowingRoundsWrapsAndSaturates) {
  const float floats[4] = {1.00390625f, 300, -1e10f, std::numeric_limits<float>::quiet_NaN()};
  bfloat16 halves[8];
  GetWideStore<float>(BF16)(floats, 4, halves, 2);
  EXPECT_EQ(static_cast<float>(halves[0]), 1.0f);
  EXPECT_EQ(static_cast<float>(halves[2]), 300.0f);
  const float numbers[4] = {0, -0.0f, 1, 0.25f};
  bool flags[4];
  GetWideStore<float>(PRED)(numbers, 4, flags, 1);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(flags[i], i >= 2) << i;
  int8_t bytes[4];
  GetWideStore<float>(S8)(floats, 4, bytes, 1);
  EXPECT_EQ(bytes[0], 1);
  EXPECT_EQ(bytes[1], 127);
  EXPECT_EQ(bytes[2], -128);
  EXPECT_EQ(bytes[3], 0);
  const uint32_t words[2] = {0x1ff, 0x180};
  GetWideStore<uint32_t>(S8)(words, 2, bytes, 1);
  EXPECT_EQ(bytes[0], -1);
  EXPECT_EQ(bytes[1], -128);
  uint64_t wide[2];
  GetWideLoad<uint64_t>(S8)(bytes, 1, 2, wide);
  EXPECT_EQ(static_cast<int64_t>(wide[0]), -1);
  EXPECT_EQ(GetWideLoad<float>(C64), nullptr);
  EXPECT_EQ(GetWideLoad<uint32_t>(F32), nullptr);
}

TEST(WideTest, BytesAreConvertedByVectorsAsOneByOne) {
  std::vector<uint8_t> bytes(261);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i);
  const auto count = static_cast<int64_t>(bytes.size());
  std::vector<float> wide(bytes.size());
  GetWideLoad<float>(U8)(bytes.data(), 1, count, wide.data());
  for (size_t i = 0; i < bytes.size(); ++i) EXPECT_EQ(wide[i], bytes[i]);
  GetWideLoad<float>(S8)(bytes.data(), 1, count, wide.data());
  for (size_t i = 0; i < bytes.size(); ++i) EXPECT_EQ(wide[i], static_cast<int8_t>(bytes[i]));
}

// By vectors as one by one: all signs, exponents and bits that are kept, and those that decide how
// a number is rounded.
TEST(WideTest, HalvesAreConvertedAsTheirTypesAre) {
  constexpr uint32_t kLower[] = {0, 1, 0x7fff, 0x8000, 0x8001, 0xffff};
  std::vector<float> floats;
  for (uint32_t upper = 0; upper < 0x10000; ++upper) {
    for (const uint32_t lower : kLower)
      floats.push_back(absl::bit_cast<float>(upper << 16 | lower));
  }
  const auto count = static_cast<int64_t>(floats.size());
  std::vector<bfloat16> narrow(floats.size());
  GetWideStore<float>(BF16)(floats.data(), count, narrow.data(), 1);
  std::vector<float> wide(floats.size());
  GetWideLoad<float>(BF16)(narrow.data(), 1, count, wide.data());
  for (size_t i = 0; i < floats.size(); ++i) {
    const auto expected = static_cast<bfloat16>(floats[i]);
    ASSERT_EQ(absl::bit_cast<uint16_t>(narrow[i]), absl::bit_cast<uint16_t>(expected)) << floats[i];
    ASSERT_EQ(absl::bit_cast<uint32_t>(wide[i]),
              absl::bit_cast<uint32_t>(static_cast<float>(expected)))
        << floats[i];
  }
}

}  // namespace
}  // namespace xla::kernels
