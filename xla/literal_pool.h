// SPDX-License-Identifier: Apache-2.0
// LiteralPool: one shared copy of equal literals. Thread-safe.
#ifndef XLA_LITERAL_POOL_H_
#define XLA_LITERAL_POOL_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"
#include "xla/literal.h"
#include "xla/shape.h"

namespace xla {

// The pool does not own the literals: one that nobody holds any more is made anew when it is asked
// for again.
class LiteralPool {
 public:
  // The pool of the process.
  static LiteralPool* Default();

  // The pooled literal with this shape, layout and value; the argument (or a copy) if there is
  // none.
  std::shared_ptr<Literal> GetCanonicalLiteral(const Literal& literal);
  std::shared_ptr<Literal> GetCanonicalLiteral(std::shared_ptr<Literal> literal);

  // Forgets literals that nobody holds, of all shapes or of one. Returns their number.
  size_t GarbageCollect();
  size_t GarbageCollect(const Shape& shape);

 private:
  using Entries = std::vector<std::weak_ptr<Literal>>;
  static std::shared_ptr<Literal> Find(const Entries& entries, const Literal& literal);

  absl::Mutex mutex_;
  absl::flat_hash_map<Shape, Entries> literals_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace xla

#endif  // XLA_LITERAL_POOL_H_
