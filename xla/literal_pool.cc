// SPDX-License-Identifier: Apache-2.0
#include "xla/literal_pool.h"

#include <utility>

namespace xla {

LiteralPool* LiteralPool::Default() {
  static LiteralPool* const pool = new LiteralPool;  // never destroyed: users may outlive statics
  return pool;
}

std::shared_ptr<Literal> LiteralPool::Find(const Entries& entries, const Literal& literal) {
  for (const std::weak_ptr<Literal>& entry : entries) {
    std::shared_ptr<Literal> held = entry.lock();
    if (held != nullptr && held->Equal(literal, /*layout_sensitive=*/true)) return held;
  }
  return nullptr;
}

std::shared_ptr<Literal> LiteralPool::GetCanonicalLiteral(const Literal& literal) {
  absl::MutexLock lock(&mutex_);
  Entries& entries = literals_[literal.shape()];
  if (std::shared_ptr<Literal> found = Find(entries, literal)) return found;
  auto copy = std::make_shared<Literal>(literal.Clone());
  entries.push_back(copy);
  return copy;
}

std::shared_ptr<Literal> LiteralPool::GetCanonicalLiteral(std::shared_ptr<Literal> literal) {
  absl::MutexLock lock(&mutex_);
  Entries& entries = literals_[literal->shape()];
  if (std::shared_ptr<Literal> found = Find(entries, *literal)) return found;
  entries.push_back(literal);
  return literal;
}

size_t LiteralPool::GarbageCollect() {
  absl::MutexLock lock(&mutex_);
  size_t erased = 0;
  for (auto& [shape, entries] : literals_) {
    erased += std::erase_if(entries, [](const auto& entry) { return entry.expired(); });
  }
  absl::erase_if(literals_, [](const auto& item) { return item.second.empty(); });
  return erased;
}

size_t LiteralPool::GarbageCollect(const Shape& shape) {
  absl::MutexLock lock(&mutex_);
  const auto it = literals_.find(shape);
  if (it == literals_.end()) return 0;
  return std::erase_if(it->second, [](const auto& entry) { return entry.expired(); });
}

}  // namespace xla
