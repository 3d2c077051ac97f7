// SPDX-License-Identifier: Apache-2.0
// ShapePool: one shared copy of equal shapes. Thread-safe.
#ifndef XLA_SHAPE_POOL_H_
#define XLA_SHAPE_POOL_H_

#include <cstddef>
#include <memory>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"
#include "xla/shape.h"

namespace xla {

// The pool does not own the shapes: one that nobody holds any more is made anew when it is asked
// for again.
class ShapePool {
 public:
  // The pool of the process.
  static ShapePool* Default();

  // The pooled shape that equals this one; the argument (or a copy) if there is none.
  std::shared_ptr<Shape> GetCanonicalShape(const Shape& shape);
  std::shared_ptr<Shape> GetCanonicalShape(std::shared_ptr<Shape> shape);

  // Forgets shapes that nobody holds. Returns their number.
  size_t GarbageCollect();

 private:
  absl::Mutex mutex_;
  absl::flat_hash_map<Shape, std::weak_ptr<Shape>> shapes_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace xla

#endif  // XLA_SHAPE_POOL_H_
