// SPDX-License-Identifier: Apache-2.0
// Reading and writing HloModuleProto; used by hlo_proto.cc. Internal to xla/hlo/proto.
#ifndef XLA_HLO_PROTO_MODULE_PROTO_H_
#define XLA_HLO_PROTO_MODULE_PROTO_H_

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/service/hlo.pb.h"

namespace xla::proto {

// `depth` counts modules within modules (recovery tables).
absl::StatusOr<std::unique_ptr<HloModule>> ReadModule(const HloModuleProto& proto, int depth);
// Which order instructions are written in, and the least of their local ids.
struct WriteOptions {
  bool creation_order = false;  // else post order
  int64_t first_local_id = 0;
};
absl::StatusOr<HloModuleProto> WriteModule(const HloModule& module, int depth,
                                           const WriteOptions& options = {});

// Everything in the module except its computations, which must be complete (header_proto.cc).
absl::Status ReadHeader(const HloModuleProto& proto, int depth, HloModule* module);
absl::Status WriteHeader(const HloModule& module, int depth, HloModuleProto* proto);

}  // namespace xla::proto

#endif  // XLA_HLO_PROTO_MODULE_PROTO_H_
