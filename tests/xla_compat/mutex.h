// SPDX-License-Identifier: Apache-2.0
// Stand-in for newer Abseil: MutexLock also takes a reference.
#ifndef TESTS_XLA_COMPAT_MUTEX_H_
#define TESTS_XLA_COMPAT_MUTEX_H_

#include <gmock/gmock.h>  // has a MutexLock of its own, which the macro below must not rename
#include <gtest/gtest.h>

#include "absl/synchronization/mutex.h"

namespace absl {
class CompatMutexLock : public MutexLock {
 public:
  explicit CompatMutexLock(Mutex* mutex) : MutexLock(mutex) {}
  explicit CompatMutexLock(Mutex& mutex) : MutexLock(&mutex) {}
};
}  // namespace absl
#define MutexLock CompatMutexLock

#endif  // TESTS_XLA_COMPAT_MUTEX_H_
