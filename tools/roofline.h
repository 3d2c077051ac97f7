// SPDX-License-Identifier: Apache-2.0
// What this machine can do at most: bytes that it moves and operations that it does in a second.
#ifndef XYLEM_TOOLS_ROOFLINE_H_
#define XYLEM_TOOLS_ROOFLINE_H_

#include <cstdint>
#include <map>
#include <vector>

#include "absl/status/statusor.h"
#include "xla/cpu/program.h"
#include "xla/hlo/ir/hlo_opcode.h"
#include "xla/literal.h"
#include "xla/runtime/thread_pool.h"
#include "xla/xla_data_enums.h"

namespace xla {

// Leaves of literals, which outlive them.
std::vector<runtime::ArgumentView> ViewsOf(const std::vector<Literal>& literals);

// Measured when it is first asked for, with the threads of the pool.
class Roofline {
 public:
  explicit Roofline(runtime::ThreadPool& pool) : pool_(pool) {}

  // Bytes that a copy which leaves the caches reads and writes a second.
  absl::StatusOr<double> Bytes();
  // Operations a second of a product of matrices of this type.
  absl::StatusOr<double> Operations(PrimitiveType type = F32);
  // The least seconds that these steps of a program need with so many bytes of arguments and
  // results: to move the latter, or to compute.
  absl::StatusOr<double> LeastSeconds(double bytes,
                                      const std::vector<CpuProgram::ProfileEntry>& entries);

 private:
  absl::StatusOr<double> SecondsOf(PrimitiveType type, std::vector<int64_t> dimensions,
                                   HloOpcode opcode);

  runtime::ThreadPool& pool_;
  double bytes_ = 0;
  std::map<PrimitiveType, double> operations_;
};

}  // namespace xla

#endif  // XYLEM_TOOLS_ROOFLINE_H_
