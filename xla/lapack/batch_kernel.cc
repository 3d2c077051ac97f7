// SPDX-License-Identifier: Apache-2.0
#include "xla/lapack/batch_kernel.h"

#include "xla/blas/blas_threads.h"

namespace xla::lapack {

int64_t BatchKernel::ChunkOf(int64_t count, double cost) {
  constexpr double kNanosecondsOfTask = 50000;
  const double chunk = kNanosecondsOfTask / std::max(cost, 1.0);
  return std::max<int64_t>(
      1, chunk >= static_cast<double>(count) ? count : static_cast<int64_t>(chunk));
}

bool ShouldStop() {
  blas::BlasThreads* const threads = blas::BlasThreads::Current();
  if (threads == nullptr) return false;
  threads->Run(1, [](int64_t) {});
  return !threads->status().ok();
}

absl::Status BatchKernel::Run(const kernels::KernelCall& call) const {
  char* const scratch = static_cast<char*>(call.scratch);
  const kernels::KernelHost& host = *call.host;
  const int64_t tasks = count_ == 0 ? 0 : (count_ - 1) / chunk_ + 1;
  // Routines of less than this neither divide their work nor ask whether to stop.
  constexpr double kLongRoutine = 20000;
  if (cost_ < kLongRoutine && tasks <= 1) {
    if (count_ > 0) RunMatrices(call.buffers, 0, count_, scratch);
    return absl::OkStatus();
  }
  // Few large matrices: all threads work on one after the other. The bits are the same.
  constexpr double kLargeMatrix = 1e6;
  if (tasks <= 1 || (tasks < host.workers && cost_ >= kLargeMatrix)) {
    const blas::BlasThreads threads(host);
    for (int64_t i = 0; i < tasks && threads.status().ok(); ++i)
      RunMatrices(call.buffers, i * chunk_, std::min(count_, (i + 1) * chunk_), scratch);
    return threads.status();
  }
  kernels::KernelHost serial = host;
  serial.workers = 1;
  serial.parallel_for = nullptr;
  return kernels::RunTasks(
      host, tasks, scratch, scratch_bytes_, [&](int64_t i, kernels::Task& task) {
        const blas::BlasThreads poll(serial);
        RunMatrices(call.buffers, i * chunk_, std::min(count_, (i + 1) * chunk_), task.scratch());
        if (!poll.status().ok()) (void)task.ShouldStop();
      });
}

}  // namespace xla::lapack
