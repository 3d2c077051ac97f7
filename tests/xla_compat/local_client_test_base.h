// SPDX-License-Identifier: Apache-2.0
// Stand-in for the fixture of XLA's tests of LocalClient.
#ifndef TESTS_XLA_COMPAT_LOCAL_CLIENT_TEST_BASE_H_
#define TESTS_XLA_COMPAT_LOCAL_CLIENT_TEST_BASE_H_

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "tests/xla_compat/hlo_test_base.h"
#include "xla/client/client_library.h"
#include "xla/client/local_client.h"
#include "xla/service/platform_util.h"
#include "xla/service/transfer_manager.h"
#include "xla/stream_executor/stream_executor_memory_allocator.h"

namespace xla {

// Counts allocations.
class TestAllocator : public se::StreamExecutorMemoryAllocator {
 public:
  explicit TestAllocator(se::Platform* platform)
      : StreamExecutorMemoryAllocator(platform,
                                      PlatformUtil::GetStreamExecutors(platform).value()) {}
  using StreamExecutorMemoryAllocator::Allocate;
  absl::StatusOr<se::OwningDeviceMemory> Allocate(int device_ordinal, uint64_t size, bool retry,
                                                  int64_t memory_space) override;
  absl::Status Deallocate(int device_ordinal, se::DeviceMemoryBase memory) override;

  int64_t allocation_count() const { return Sum(allocations_); }
  int64_t allocation_count(int device_ordinal) const { return Of(allocations_, device_ordinal); }
  int64_t deallocation_count() const { return Sum(deallocations_); }
  int64_t deallocation_count(int device_ordinal) const {
    return Of(deallocations_, device_ordinal);
  }

 private:
  using Counts = std::map<int, int64_t>;
  int64_t Sum(const Counts& counts) const;
  int64_t Of(const Counts& counts, int device_ordinal) const;

  mutable std::mutex mutex_;
  Counts allocations_, deallocations_;
};

class LocalClientTestBase : public ::testing::Test {
 protected:
  explicit LocalClientTestBase(se::Platform* platform = nullptr);

  static TestAllocator* GetOrCreateAllocator(se::Platform* platform);
  ScopedShapedBuffer LiteralToShapedBuffer(const Literal& literal);
  Literal ShapedBufferToLiteral(const ShapedBuffer& buffer);
  absl::StatusOr<ScopedShapedBuffer> ExecuteLocally(
      const XlaComputation& computation, absl::Span<const ShapedBuffer* const> arguments);
  absl::StatusOr<ScopedShapedBuffer> ExecuteLocally(const XlaComputation& computation,
                                                    absl::Span<const ShapedBuffer* const> arguments,
                                                    const ExecutableBuildOptions& build_options,
                                                    const ExecutableRunOptions& run_options);
  ScopedShapedBuffer ExecuteLocallyOrDie(const XlaComputation& computation,
                                         absl::Span<const ShapedBuffer* const> arguments);
  ScopedShapedBuffer ExecuteLocallyOrDie(const XlaComputation& computation,
                                         absl::Span<const ShapedBuffer* const> arguments,
                                         const ExecutableBuildOptions& build_options,
                                         const ExecutableRunOptions& run_options);
  absl::StatusOr<std::unique_ptr<HloModule>> ParseAndReturnVerifiedModule(absl::string_view text);
  absl::StatusOr<std::unique_ptr<HloModule>> ParseAndReturnVerifiedModule(
      absl::string_view text, const HloModuleConfig& config);
  ExecutableBuildOptions DefaultExecutableBuildOptions() const { return {}; }
  ExecutableRunOptions DefaultExecutableRunOptions() const;
  std::string TestName() const {
    return ::testing::UnitTest::GetInstance()->current_test_info()->name();
  }

  static TestAllocator* allocator_;
  se::StreamExecutor* stream_executor_;
  TransferManager* transfer_manager_;
  LocalClient* local_client_;
};

}  // namespace xla

#endif  // TESTS_XLA_COMPAT_LOCAL_CLIENT_TEST_BASE_H_
