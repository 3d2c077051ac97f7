// SPDX-License-Identifier: Apache-2.0
#include "tests/xla_compat/local_client_test_base.h"

#include <utility>
#include <vector>

#include "xla/tsl/platform/errors.h"

namespace xla {

TestAllocator* LocalClientTestBase::allocator_ = nullptr;

absl::StatusOr<se::OwningDeviceMemory> TestAllocator::Allocate(int device_ordinal, uint64_t size,
                                                               bool retry, int64_t memory_space) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++allocations_[device_ordinal];
  }
  auto memory = StreamExecutorMemoryAllocator::Allocate(device_ordinal, size, retry, memory_space);
  if (!memory.ok()) return memory.status();
  return se::OwningDeviceMemory(memory->Release(), device_ordinal, this);
}

absl::Status TestAllocator::Deallocate(int device_ordinal, se::DeviceMemoryBase memory) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++deallocations_[device_ordinal];
  }
  return StreamExecutorMemoryAllocator::Deallocate(device_ordinal, memory);
}

int64_t TestAllocator::Sum(const Counts& counts) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  int64_t sum = 0;
  for (const auto& [device, count] : counts) sum += count;
  return sum;
}

int64_t TestAllocator::Of(const Counts& counts, int device_ordinal) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto it = counts.find(device_ordinal);
  return it == counts.end() ? 0 : it->second;
}

TestAllocator* LocalClientTestBase::GetOrCreateAllocator(se::Platform* platform) {
  if (allocator_ == nullptr) {
    allocator_ = new TestAllocator(platform == nullptr ? PlatformUtil::GetDefaultPlatform().value()
                                                       : platform);
  }
  return allocator_;
}

LocalClientTestBase::LocalClientTestBase(se::Platform* platform)
    : stream_executor_(PlatformUtil::GetStreamExecutors(platform).value()[0]),
      transfer_manager_(TransferManager::GetForPlatform(platform).value()),
      local_client_(ClientLibrary::GetOrCreateLocalClient(platform).value()) {}

ExecutableRunOptions LocalClientTestBase::DefaultExecutableRunOptions() const {
  ExecutableRunOptions options;
  options.set_allocator(GetOrCreateAllocator(local_client_->platform()));
  return options;
}

ScopedShapedBuffer LocalClientTestBase::LiteralToShapedBuffer(const Literal& literal) {
  return local_client_->LiteralToShapedBuffer(literal, local_client_->default_device_ordinal())
      .value();
}

Literal LocalClientTestBase::ShapedBufferToLiteral(const ShapedBuffer& buffer) {
  return local_client_->ShapedBufferToLiteral(buffer).value();
}

absl::StatusOr<ScopedShapedBuffer> LocalClientTestBase::ExecuteLocally(
    const XlaComputation& computation, absl::Span<const ShapedBuffer* const> arguments) {
  return ExecuteLocally(computation, arguments, DefaultExecutableBuildOptions(),
                        DefaultExecutableRunOptions());
}

absl::StatusOr<ScopedShapedBuffer> LocalClientTestBase::ExecuteLocally(
    const XlaComputation& computation, absl::Span<const ShapedBuffer* const> arguments,
    const ExecutableBuildOptions& build_options, const ExecutableRunOptions& run_options) {
  std::vector<const Shape*> layouts;
  for (const ShapedBuffer* argument : arguments) layouts.push_back(&argument->on_device_shape());
  ASSIGN_OR_RETURN(auto executables, local_client_->Compile(computation, layouts, build_options));
  return executables[0]->Run(arguments, run_options);
}

ScopedShapedBuffer LocalClientTestBase::ExecuteLocallyOrDie(
    const XlaComputation& computation, absl::Span<const ShapedBuffer* const> arguments) {
  return ExecuteLocally(computation, arguments).value();
}

ScopedShapedBuffer LocalClientTestBase::ExecuteLocallyOrDie(
    const XlaComputation& computation, absl::Span<const ShapedBuffer* const> arguments,
    const ExecutableBuildOptions& build_options, const ExecutableRunOptions& run_options) {
  return ExecuteLocally(computation, arguments, build_options, run_options).value();
}

absl::StatusOr<std::unique_ptr<HloModule>> LocalClientTestBase::ParseAndReturnVerifiedModule(
    absl::string_view text) {
  return ParseAndReturnVerifiedModule(text, HloModuleConfig());
}

absl::StatusOr<std::unique_ptr<HloModule>> LocalClientTestBase::ParseAndReturnVerifiedModule(
    absl::string_view text, const HloModuleConfig& config) {
  ASSIGN_OR_RETURN(auto module, ParseAndReturnUnverifiedModule(text, config));
  RETURN_IF_ERROR(HloVerifier(false, true).Run(module.get()).status());
  return module;
}

}  // namespace xla
