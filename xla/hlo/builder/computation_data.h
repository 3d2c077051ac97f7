// SPDX-License-Identifier: Apache-2.0
// The contents of an XlaComputation. Internal to xla/hlo/builder.
#ifndef XLA_HLO_BUILDER_COMPUTATION_DATA_H_
#define XLA_HLO_BUILDER_COMPUTATION_DATA_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"
#include "xla/hlo/builder/xla_computation.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/service/hlo.pb.h"

namespace xla {

// Identifies computations of different modules that are copies of each other: they share the token.
using ComputationToken = std::shared_ptr<const char>;
using ComputationTokens = absl::flat_hash_map<const HloComputation*, ComputationToken>;

struct XlaComputation::Data {
  std::string name;
  int64_t unique_id = 0;
  // Null for a program given as a proto until it is first needed.
  mutable std::shared_ptr<const HloModule> module ABSL_GUARDED_BY(mutex);
  mutable std::unique_ptr<HloModuleProto> proto ABSL_GUARDED_BY(mutex);
  // For computations of `module`; those without a token have no copies elsewhere.
  mutable ComputationTokens tokens ABSL_GUARDED_BY(mutex);
  mutable absl::Mutex mutex;

  static int64_t NextId();
  // The module, created from the proto if needed.
  absl::StatusOr<std::shared_ptr<const HloModule>> GetModule() const;
  // The token of a computation of the module, created on first use.
  ComputationToken TokenOf(const HloComputation* computation) const;
};

}  // namespace xla

#endif  // XLA_HLO_BUILDER_COMPUTATION_DATA_H_
