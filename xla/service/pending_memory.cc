// SPDX-License-Identifier: Apache-2.0
// Memory that asynchronous runs use.
#include "xla/service/pending_memory.h"

#include <algorithm>
#include <utility>

#include "xla/base/status_macros.h"
#include "xla/runtime/host_memory.h"

namespace xla {

PendingMemory::Entry& PendingMemory::State::EntryOf(const void* address) {
  Entry& entry = entries[address];
  if (entry.id == 0) entry.id = next_id++;
  size.store(entries.size(), std::memory_order_release);
  return entry;
}

void PendingMemory::State::Prune(const void* address, int64_t id) {
  const std::lock_guard<std::mutex> lock(mutex);
  const auto found = entries.find(address);
  if (found == entries.end() || found->second.id != id) return;
  Entry& entry = found->second;
  if (entry.has_writer && entry.written.IsReady() && entry.written.status().ok()) {
    entry.has_writer = false;
    entry.written = runtime::Event();
  }
  entry.reads.erase(std::remove_if(entry.reads.begin(), entry.reads.end(),
                                   [](const runtime::Event& event) { return event.IsReady(); }),
                    entry.reads.end());
  if (entry.has_writer || !entry.reads.empty()) return;
  entries.erase(found);
  size.store(entries.size(), std::memory_order_release);
}

void PendingMemory::Add(const ShapedBuffer& buffer, const runtime::Event& done, bool is_write) {
  for (const auto& [index, memory] : buffer.buffers()) {
    if (memory.is_null()) continue;
    const void* const address = memory.opaque();
    int64_t id;
    {
      const std::lock_guard<std::mutex> lock(state_->mutex);
      Entry& entry = state_->EntryOf(address);
      id = entry.id;
      if (is_write) {
        entry.written = done;
        entry.has_writer = true;
      } else {
        entry.reads.push_back(done);
      }
    }
    done.OnReady([state = state_, address, id](const absl::Status&) { state->Prune(address, id); });
  }
}

void PendingMemory::Writes(const ShapedBuffer& buffer, const runtime::Event& done) {
  Add(buffer, done, /*is_write=*/true);
}

void PendingMemory::Reads(const ShapedBuffer& buffer, const runtime::Event& done) {
  Add(buffer, done, /*is_write=*/false);
}

std::vector<runtime::Event> PendingMemory::WritersOf(const ShapedBuffer& buffer) const {
  std::vector<runtime::Event> events;
  if (empty()) return events;
  const std::lock_guard<std::mutex> lock(state_->mutex);
  for (const auto& [index, memory] : buffer.buffers()) {
    const auto found = state_->entries.find(memory.opaque());
    if (found != state_->entries.end() && found->second.has_writer) {
      events.push_back(found->second.written);
    }
  }
  return events;
}

absl::Status PendingMemory::AwaitContents(const ShapedBuffer& buffer) const {
  for (const runtime::Event& event : WritersOf(buffer)) XLA_RETURN_IF_ERROR(event.Await());
  return absl::OkStatus();
}

runtime::Event PendingMemory::Forget(const void* address) {
  if (empty()) return runtime::Event();
  std::vector<runtime::Event> events;
  {
    const std::lock_guard<std::mutex> lock(state_->mutex);
    const auto found = state_->entries.find(address);
    if (found == state_->entries.end()) return runtime::Event();
    events = std::move(found->second.reads);
    events.push_back(found->second.written);
    state_->entries.erase(found);
    state_->size.store(state_->entries.size(), std::memory_order_release);
  }
  return runtime::Event::All(events);
}

absl::Status LaunchOrderedAllocator::Deallocate(int, se::DeviceMemoryBase memory) {
  if (memory.is_null()) return absl::OkStatus();
  const runtime::Event unused = pending_->Forget(memory.opaque());
  unused.OnReady(
      [address = memory.opaque()](const absl::Status&) { runtime::FreeHostMemory(address); });
  return absl::OkStatus();
}

}  // namespace xla
