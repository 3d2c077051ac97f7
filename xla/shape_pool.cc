// SPDX-License-Identifier: Apache-2.0
#include "xla/shape_pool.h"

#include <utility>

namespace xla {

ShapePool* ShapePool::Default() {
  static ShapePool* const pool = new ShapePool;  // never destroyed: users may outlive statics
  return pool;
}

std::shared_ptr<Shape> ShapePool::GetCanonicalShape(const Shape& shape) {
  absl::MutexLock lock(&mutex_);
  std::weak_ptr<Shape>& entry = shapes_[shape];
  std::shared_ptr<Shape> held = entry.lock();
  if (held == nullptr) entry = held = std::make_shared<Shape>(shape);
  return held;
}

std::shared_ptr<Shape> ShapePool::GetCanonicalShape(std::shared_ptr<Shape> shape) {
  absl::MutexLock lock(&mutex_);
  std::weak_ptr<Shape>& entry = shapes_[*shape];
  if (std::shared_ptr<Shape> held = entry.lock()) return held;
  entry = shape;
  return shape;
}

size_t ShapePool::GarbageCollect() {
  absl::MutexLock lock(&mutex_);
  return absl::erase_if(shapes_, [](const auto& item) { return item.second.expired(); });
}

}  // namespace xla
