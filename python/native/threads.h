// SPDX-License-Identifier: Apache-2.0
// The threads of programs, which programs of the same number of threads share. Private to
// python/native.
#ifndef XYLEM_PYTHON_NATIVE_THREADS_H_
#define XYLEM_PYTHON_NATIVE_THREADS_H_

#include <memory>

#include "xla/runtime/reusable_threads.h"
#include "xla/runtime/thread_pool.h"

namespace xla::python {

struct Threads {
  explicit Threads(int count) : pool(count) {}
  runtime::ThreadPool pool;
  runtime::ReusableThreads devices;
};

// How often this process is a fork of the one that loaded the library. A fork lacks the threads of
// its parent.
int ForkGeneration();

// 0: as many as the process may use.
std::shared_ptr<Threads> SharedThreads(int count);

}  // namespace xla::python

#endif  // XYLEM_PYTHON_NATIVE_THREADS_H_
