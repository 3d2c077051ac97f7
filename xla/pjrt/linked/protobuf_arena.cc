// SPDX-License-Identifier: Apache-2.0
// The functions of protobuf's arenas, which its headers declare and inline half of. In
// distributions' archives this one object is compiled for executables: its thread-local variable is
// addressed in a way that shared libraries cannot have. All other objects of the archive can be
// linked into one.
//
// An arena has a list of SerialArena, one for each thread that allocated from it, and a SerialArena
// a list of blocks, the newest first. Objects grow upwards from the start of a block; the nodes of
// what must be destroyed grow downwards from its end. A SerialArena lies in its own first block.
#include <google/protobuf/arena.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <google/protobuf/port_def.inc>
#include <limits>
#include <new>
#include <typeinfo>
#include <utility>

#if PROTOBUF_VERSION < 3021000 || PROTOBUF_VERSION >= 3022000
#error \
    "made for protobuf 3.21: configure with -DXYLEM_PLUGIN_PIC_ARCHIVES=ON if its archive is made with -fPIC"
#endif

namespace google::protobuf {
namespace internal {
namespace {

SerialArena::Memory AllocateBlock(const AllocationPolicy* policy, size_t last_size, size_t bytes) {
  const AllocationPolicy defaults;
  if (policy == nullptr) policy = &defaults;
  GOOGLE_CHECK_LE(bytes, std::numeric_limits<size_t>::max() - SerialArena::kBlockHeaderSize);
  size_t size = policy->start_block_size;
  if (last_size != 0) {
    size = last_size > policy->max_block_size / 2 ? policy->max_block_size : 2 * last_size;
  }
  size = std::max(size, SerialArena::kBlockHeaderSize + bytes);
  void* const memory =
      policy->block_alloc == nullptr ? ::operator new(size) : policy->block_alloc(size);
  return {memory, size};
}

void FreeBlock(const AllocationPolicy* policy, SerialArena::Memory memory) {
  if (policy == nullptr || policy->block_dealloc == nullptr) {
    ::operator delete(memory.ptr);
  } else {
    policy->block_dealloc(memory.ptr, memory.size);
  }
}

constexpr size_t kPolicySize = AlignUpTo8(sizeof(AllocationPolicy));

}  // namespace

// --- One thread's part of an arena ---------------------------------------------------------------

SerialArena::SerialArena(Block* block, void* owner, ThreadSafeArenaStats* stats)
    : owner_(owner),
      head_(block),
      next_(nullptr),
      space_allocated_(block->size),
      ptr_(block->Pointer(kBlockHeaderSize + ThreadSafeArena::kSerialArenaSize)),
      limit_(block->Pointer(block->size & ~size_t{7})),
      arena_stats_(stats) {}

SerialArena* SerialArena::New(Memory memory, void* owner, ThreadSafeArenaStats* stats) {
  GOOGLE_DCHECK_LE(kBlockHeaderSize + ThreadSafeArena::kSerialArenaSize, memory.size);
  Block* const block = new (memory.ptr) Block(nullptr, memory.size);
  return new (block->Pointer(kBlockHeaderSize)) SerialArena(block, owner, stats);
}

// Frees all blocks but the first, which contains this object.
template <typename Deallocator>
SerialArena::Memory SerialArena::Free(Deallocator deallocator) {
  Block* block = head_;
  while (block->next != nullptr) {
    Block* const next = block->next;
    deallocator(Memory{block, block->size});
    block = next;
  }
  return {block, block->size};
}

void SerialArena::AllocateNewBlock(size_t n, const AllocationPolicy* policy) {
  head_->start = reinterpret_cast<CleanupNode*>(limit_);
  space_used_ += static_cast<size_t>(ptr_ - head_->Pointer(kBlockHeaderSize));
  const Memory memory = AllocateBlock(policy, head_->size, n);
  // Only this thread writes; others may read.
  space_allocated_.store(space_allocated_.load(std::memory_order_relaxed) + memory.size,
                         std::memory_order_relaxed);
  ThreadSafeArenaStats::RecordAllocateStats(arena_stats_, n, memory.size,
                                            static_cast<size_t>(limit_ - ptr_));
  head_ = new (memory.ptr) Block(head_, memory.size);
  ptr_ = head_->Pointer(kBlockHeaderSize);
  limit_ = head_->Pointer(head_->size & ~size_t{7});
}

void* SerialArena::AllocateAlignedFallback(size_t n, const AllocationPolicy* policy) {
  AllocateNewBlock(n, policy);
  return AllocateFromExisting(n);
}

std::pair<void*, SerialArena::CleanupNode*> SerialArena::AllocateAlignedWithCleanupFallback(
    size_t n, const AllocationPolicy* policy) {
  AllocateNewBlock(n + kCleanupSize, policy);
  return AllocateFromExistingWithCleanupFallback(n);
}

uint64_t SerialArena::SpaceUsed() const {
  const uint64_t used =
      space_used_ + static_cast<uint64_t>(ptr_ - head_->Pointer(kBlockHeaderSize));
  return used - ThreadSafeArena::kSerialArenaSize;
}

// Destroys the newest objects first.
void SerialArena::CleanupList() {
  head_->start = reinterpret_cast<CleanupNode*>(limit_);
  for (Block* block = head_; block != nullptr; block = block->next) {
    auto* const end = reinterpret_cast<CleanupNode*>(block->Pointer(block->size & ~size_t{7}));
    for (CleanupNode* node = block->start; node < end; ++node) node->cleanup(node->elem);
  }
}

// --- Arenas
// ---------------------------------------------------------------------------------------

ThreadSafeArena::CacheAlignedLifecycleIdGenerator ThreadSafeArena::lifecycle_id_generator_;
#if defined(__aarch64__)
// The archive's objects find the variable in the static memory of threads, where the C library of
// AArch64 has room for a library that is loaded later only if it asks for 16 bytes of alignment at
// most. That the type asks for those of a cache line is for speed alone.
struct ThreadCacheFields {
  uint64_t next_lifecycle_id, last_lifecycle_id_seen;
  SerialArena* last_serial_arena;
};
extern __thread ThreadCacheFields thread_cache_fields asm(
    "_ZN6google8protobuf8internal15ThreadSafeArena13thread_cache_E");
__thread ThreadCacheFields thread_cache_fields = {0, std::numeric_limits<uint64_t>::max(), nullptr};
#else
PROTOBUF_THREAD_LOCAL ThreadSafeArena::ThreadCache ThreadSafeArena::thread_cache_ = {
    0, static_cast<LifecycleIdAtomic>(-1), nullptr};
#endif

void ThreadSafeArena::Init() {
  ThreadCache& cache = thread_cache();
  // Ids are even, as the lowest bit is a tag, and never 0.
  uint64_t id = cache.next_lifecycle_id;
  if ((id & (ThreadCache::kPerThreadIds - 1)) == 0) {
    id = (lifecycle_id_generator_.id.fetch_add(1, std::memory_order_relaxed) + 1) *
         ThreadCache::kPerThreadIds;
  }
  cache.next_lifecycle_id = id + 2;
  tag_and_id_ = id | (tag_and_id_ & kMessageOwnedArena);
  hint_.store(nullptr, std::memory_order_relaxed);
  threads_.store(nullptr, std::memory_order_relaxed);
  arena_stats_ = Sample();
}

void ThreadSafeArena::SetInitialBlock(void* memory, size_t size) {
  SerialArena* const serial =
      SerialArena::New({memory, size}, &thread_cache(), arena_stats_.MutableStats());
  threads_.store(serial, std::memory_order_relaxed);
  CacheSerialArena(serial);
}

void ThreadSafeArena::InitializeFrom(void* memory, size_t size) {
  GOOGLE_DCHECK_EQ(reinterpret_cast<uintptr_t>(memory) & 7, 0u);
  Init();
  if (memory == nullptr || size < kBlockHeaderSize + kSerialArenaSize) return;
  alloc_policy_.set_is_user_owned_initial_block(true);
  SetInitialBlock(memory, size);
}

// The policy is kept in the first block.
void ThreadSafeArena::InitializeWithPolicy(void* memory, size_t size, AllocationPolicy policy) {
  if (policy.IsDefault()) {
    InitializeFrom(memory, size);
    return;
  }
  GOOGLE_DCHECK_EQ(reinterpret_cast<uintptr_t>(memory) & 7, 0u);
  Init();
  if (memory != nullptr && size >= kBlockHeaderSize + kSerialArenaSize + kPolicySize) {
    alloc_policy_.set_is_user_owned_initial_block(true);
  } else {
    const SerialArena::Memory block = AllocateBlock(&policy, 0, kSerialArenaSize + kPolicySize);
    memory = block.ptr;
    size = block.size;
  }
  SetInitialBlock(memory, size);
  const bool records =
      policy.metrics_collector != nullptr && policy.metrics_collector->RecordAllocs();
  alloc_policy_.set_should_record_allocs(records);
  SerialArena* const serial = threads_.load(std::memory_order_relaxed);
  alloc_policy_.set_policy(new (serial->AllocateFromExisting(kPolicySize))
                               AllocationPolicy(policy));
}

SerialArena* ThreadSafeArena::GetSerialArenaFallback(void* me) {
  SerialArena* serial = threads_.load(std::memory_order_acquire);
  while (serial != nullptr && serial->owner() != me) serial = serial->next();
  if (serial == nullptr) {
    serial = SerialArena::New(AllocateBlock(AllocPolicy(), 0, kSerialArenaSize), me,
                              arena_stats_.MutableStats());
    SerialArena* first = threads_.load(std::memory_order_relaxed);
    do {
      serial->set_next(first);
    } while (!threads_.compare_exchange_weak(first, serial, std::memory_order_release,
                                             std::memory_order_relaxed));
  }
  CacheSerialArena(serial);
  return serial;
}

void* ThreadSafeArena::AllocateAlignedFallback(size_t n, const std::type_info* type) {
  if (alloc_policy_.should_record_allocs()) alloc_policy_.RecordAlloc(type, n);
  SerialArena* serial;
  if (!GetSerialArenaFast(&serial)) serial = GetSerialArenaFallback(&thread_cache());
  return serial->AllocateAligned(n, AllocPolicy());
}

std::pair<void*, SerialArena::CleanupNode*> ThreadSafeArena::AllocateAlignedWithCleanup(
    size_t n, const std::type_info* type) {
  SerialArena* serial;
  if (!alloc_policy_.should_record_allocs() && GetSerialArenaFast(&serial)) {
    return serial->AllocateAlignedWithCleanup(n, AllocPolicy());
  }
  return AllocateAlignedWithCleanupFallback(n, type);
}

std::pair<void*, SerialArena::CleanupNode*> ThreadSafeArena::AllocateAlignedWithCleanupFallback(
    size_t n, const std::type_info* type) {
  if (alloc_policy_.should_record_allocs()) alloc_policy_.RecordAlloc(type, n);
  SerialArena* serial;
  if (!GetSerialArenaFast(&serial)) serial = GetSerialArenaFallback(&thread_cache());
  return serial->AllocateAlignedWithCleanup(n, AllocPolicy());
}

void ThreadSafeArena::AddCleanup(void* element, void (*cleanup)(void*)) {
  SerialArena* serial;
  if (!GetSerialArenaFast(&serial)) serial = GetSerialArenaFallback(&thread_cache());
  serial->AddCleanup(element, cleanup, AllocPolicy());
}

void ThreadSafeArena::CleanupList() {
  PerSerialArena([](SerialArena* serial) { serial->CleanupList(); });
}

uint64_t ThreadSafeArena::SpaceAllocated() const {
  uint64_t space = 0;
  const SerialArena* serial = threads_.load(std::memory_order_acquire);
  for (; serial != nullptr; serial = serial->next()) space += serial->SpaceAllocated();
  return space;
}

uint64_t ThreadSafeArena::SpaceUsed() const {
  uint64_t space = 0;
  const SerialArena* serial = threads_.load(std::memory_order_acquire);
  for (; serial != nullptr; serial = serial->next()) space += serial->SpaceUsed();
  return space - (alloc_policy_.get() == nullptr ? 0 : kPolicySize);
}

// Frees the blocks and adds their sizes to *space. The last one of the list was the first to be
// allocated, so that its block may be the user's and holds the policy: it is not freed but
// returned.
SerialArena::Memory ThreadSafeArena::Free(size_t* space) {
  const AllocationPolicy* const policy = AllocPolicy();
  const auto free_block = [&](SerialArena::Memory memory) {
    *space += memory.size;
    FreeBlock(policy, memory);
  };
  SerialArena::Memory last = {nullptr, 0};
  for (SerialArena* serial = threads_.load(std::memory_order_relaxed); serial != nullptr;) {
    SerialArena* const next = serial->next();
    const SerialArena::Memory first_block = serial->Free(free_block);
    if (next == nullptr) {
      *space += first_block.size;
      last = first_block;
    } else {
      free_block(first_block);
    }
    serial = next;
  }
  return last;
}

ThreadSafeArena::~ThreadSafeArena() {
  CleanupList();
  size_t space = 0;
  const SerialArena::Memory block = Free(&space);
  AllocationPolicy policy;
  if (alloc_policy_.get() != nullptr) policy = *alloc_policy_;
  if (block.ptr != nullptr && !alloc_policy_.is_user_owned_initial_block()) {
    FreeBlock(&policy, block);
  }
  if (policy.metrics_collector != nullptr) policy.metrics_collector->OnDestroy(space);
}

uint64_t ThreadSafeArena::Reset() {
  CleanupList();
  size_t space = 0;
  const SerialArena::Memory block = Free(&space);
  const bool has_policy = alloc_policy_.get() != nullptr;
  AllocationPolicy policy;
  if (has_policy) policy = *alloc_policy_;
  Init();
  if (has_policy) {
    SetInitialBlock(block.ptr, block.size);
    SerialArena* const serial = threads_.load(std::memory_order_relaxed);
    alloc_policy_.set_policy(new (serial->AllocateFromExisting(kPolicySize))
                                 AllocationPolicy(policy));
  } else if (alloc_policy_.is_user_owned_initial_block()) {
    SetInitialBlock(block.ptr, block.size);
  } else if (block.ptr != nullptr) {
    FreeBlock(nullptr, block);
  }
  if (policy.metrics_collector != nullptr) policy.metrics_collector->OnReset(space);
  return space;
}

}  // namespace internal

void* Arena::AllocateAlignedNoHook(size_t n) { return impl_.AllocateAligned(n, nullptr); }

void* Arena::AllocateAlignedWithHook(size_t n, const std::type_info* type) {
  return impl_.AllocateAligned(n, type);
}

void* Arena::AllocateAlignedWithHookForArray(size_t n, const std::type_info* type) {
  return impl_.AllocateAligned<internal::AllocationClient::kArray>(n, type);
}

std::pair<void*, internal::SerialArena::CleanupNode*> Arena::AllocateAlignedWithCleanup(
    size_t n, const std::type_info* type) {
  return impl_.AllocateAlignedWithCleanup(n, type);
}

}  // namespace google::protobuf
