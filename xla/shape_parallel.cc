// SPDX-License-Identifier: Apache-2.0
// ShapeUtil: visits indices on several threads.
#include <algorithm>
#include <system_error>
#include <thread>
#include <vector>

#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

// Fewer indices are not worth a thread.
constexpr int64_t kIndicesPerThread = 1024;

}  // namespace

int ShapeUtil::GetForEachIndexParallelThreadCount() {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

absl::Status ShapeUtil::ForEachIndexParallelWithStatus(const Shape& shape,
                                                       absl::Span<const int64_t> base,
                                                       absl::Span<const int64_t> count,
                                                       absl::Span<const int64_t> incr,
                                                       ForEachParallelVisitorFunction visitor) {
  // The dimension with the most steps is cut.
  size_t cut = 0;
  int64_t most = 1, indices = 1;
  for (size_t d = 0; d < count.size(); ++d) {
    const int64_t steps = incr[d] > 0 ? CeilOfRatio(count[d], incr[d]) : 1;
    indices = steps > 0 && indices > kIndicesPerThread * 1024 ? indices : indices * steps;
    if (steps > most) {
      most = steps;
      cut = d;
    }
  }
  const auto threads = std::min<int64_t>(
      {most, indices / kIndicesPerThread, int64_t{GetForEachIndexParallelThreadCount()}});
  const auto visit = [&](absl::Span<const int64_t> from, absl::Span<const int64_t> size,
                         int thread) {
    return ForEachIndexWithStatus(shape, from, size, incr, [&](absl::Span<const int64_t> index) {
      return visitor(index, thread);
    });
  };
  if (threads <= 1) return visit(base, count, -1);

  std::vector<absl::Status> statuses(static_cast<size_t>(threads));
  std::vector<std::thread> workers;
  for (int64_t t = 0; t < threads; ++t) {
    const auto part = [&, t] {
      const int64_t begin = most * t / threads * incr[cut];
      const int64_t end = std::min(most * (t + 1) / threads * incr[cut], count[cut]);
      DimensionVector from(base.begin(), base.end()), size(count.begin(), count.end());
      from[cut] += begin;
      size[cut] = end - begin;
      statuses[static_cast<size_t>(t)] = visit(from, size, static_cast<int>(t));
    };
    try {
      workers.emplace_back(part);
    } catch (const std::system_error&) {
      part();  // The system gives no more threads.
    }
  }
  for (std::thread& worker : workers) worker.join();
  for (const absl::Status& status : statuses) {
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status ShapeUtil::ForEachIndexParallelWithStatus(const Shape& shape,
                                                       ForEachParallelVisitorFunction visitor) {
  const DimensionVector base(shape.rank(), 0), incr(shape.rank(), 1);
  return ForEachIndexParallelWithStatus(shape, base, shape.dimensions(), incr, visitor);
}

}  // namespace xla
