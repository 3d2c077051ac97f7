// SPDX-License-Identifier: Apache-2.0
// Affinity masks and control groups. Source: sched_getaffinity(2), cgroups(7), and the kernel's
// admin-guide/cgroup-v2.rst ("cpu.max") and scheduler/sched-bwc.rst.
#include "xla/runtime/cpu_count.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace xla::runtime {
namespace {

int CpusOfAffinityMask() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(1, CPU_COUNT(&set));
  // The mask does not fit: more than 1024 CPUs.
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

std::string ReadLine(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// quota / period, where both are positive numbers.
std::optional<double> Ratio(absl::string_view quota, absl::string_view period) {
  double numerator, denominator;
  if (!absl::SimpleAtod(quota, &numerator) || !absl::SimpleAtod(period, &denominator) ||
      !(numerator > 0) || !(denominator > 0)) {
    return std::nullopt;
  }
  return numerator / denominator;
}

// "50000 100000", or "max 100000" without a quota.
std::optional<double> QuotaOfVersion2(const std::string& folder) {
  const std::vector<std::string> parts = absl::StrSplit(ReadLine(folder + "/cpu.max"), ' ');
  return parts.size() == 2 ? Ratio(parts[0], parts[1]) : std::nullopt;
}

std::optional<double> QuotaOfVersion1(const std::string& folder) {
  return Ratio(ReadLine(folder + "/cpu.cfs_quota_us"), ReadLine(folder + "/cpu.cfs_period_us"));
}

void TakeLower(std::optional<double>& lowest, std::optional<double> quota) {
  if (quota.has_value() && (!lowest.has_value() || *quota < *lowest)) lowest = quota;
}

}  // namespace

namespace internal {

std::optional<double> CgroupCpuQuota(const std::string& root, const std::string& self) {
  std::optional<double> lowest;
  std::ifstream file(self);
  std::string line;
  while (std::getline(file, line)) {
    // hierarchy-ID:controller-list:cgroup-path
    const std::vector<std::string> fields = absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (fields.size() != 3) continue;
    const bool is_version_2 = fields[0] == "0" && fields[1].empty();
    const std::vector<std::string> controllers = absl::StrSplit(fields[1], ',');
    if (!is_version_2 &&
        std::find(controllers.begin(), controllers.end(), "cpu") == controllers.end()) {
      continue;
    }
    // From the group up to the root. In a container the path may be that of the host, which does
    // not exist under `root`: then only the root itself has the files.
    std::string path = fields[2] == "/" ? "" : fields[2];
    while (true) {
      if (is_version_2) {
        TakeLower(lowest, QuotaOfVersion2(root + path));
      } else {
        TakeLower(lowest, QuotaOfVersion1(root + "/cpu" + path));
      }
      if (path.empty()) break;
      const size_t slash = path.rfind('/');
      path.resize(slash == std::string::npos ? 0 : slash);
    }
  }
  return lowest;
}

}  // namespace internal

int UsableCpus() {
  const int cpus = CpusOfAffinityMask();
  const std::optional<double> quota =
      internal::CgroupCpuQuota("/sys/fs/cgroup", "/proc/self/cgroup");
  if (!quota.has_value()) return cpus;
  return std::clamp(static_cast<int>(std::ceil(std::min(*quota, 1e6))), 1, cpus);
}

int UsableCpusOfOne(int64_t processes) {
  const int64_t cpus = std::max<int64_t>(sysconf(_SC_NPROCESSORS_ONLN), 1);
  const int64_t part = std::max<int64_t>(cpus / std::max<int64_t>(processes, 1), 1);
  return static_cast<int>(std::min<int64_t>(part, UsableCpus()));
}

}  // namespace xla::runtime
