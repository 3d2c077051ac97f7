// SPDX-License-Identifier: Apache-2.0
#include "xla/lapack/batch_kernel.h"

namespace xla::lapack {

int64_t BatchKernel::ChunkOf(int64_t count, double cost) {
  constexpr double kNanosecondsOfTask = 50000;
  const double chunk = kNanosecondsOfTask / std::max(cost, 1.0);
  return std::max<int64_t>(
      1, chunk >= static_cast<double>(count) ? count : static_cast<int64_t>(chunk));
}

absl::Status BatchKernel::Run(const kernels::KernelCall& call) const {
  char* const scratch = static_cast<char*>(call.scratch);
  if (count_ <= chunk_) {
    if (count_ > 0) RunMatrices(call.buffers, 0, count_, scratch);
    return absl::OkStatus();
  }
  const int64_t tasks = (count_ - 1) / chunk_ + 1;
  return kernels::RunTasks(
      *call.host, tasks, scratch, scratch_bytes_, [&](int64_t i, kernels::Task& task) {
        RunMatrices(call.buffers, i * chunk_, std::min(count_, (i + 1) * chunk_), task.scratch());
      });
}

}  // namespace xla::lapack
