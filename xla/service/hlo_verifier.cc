// SPDX-License-Identifier: Apache-2.0
#include "xla/service/hlo_verifier.h"

#include "xla/base/status_macros.h"
#include "xla/tsl/platform/logging.h"

namespace xla {

absl::StatusOr<bool> HloVerifier::Run(HloModule* module,
                                      const absl::flat_hash_set<absl::string_view>&) const {
  XLA_RETURN_IF_ERROR(VerifyModule(*module, options_));
  return false;
}

absl::Status MetadataTracker::DefaultAction(HloInstruction* instruction) {
  const InstructionMetadata& metadata = instruction->metadata();
  ++instructions_;
  op_types_ += !metadata.op_type().empty();
  op_names_ += !metadata.op_name().empty();
  source_files_ += !metadata.source_file().empty();
  source_lines_ += metadata.source_line() != 0;
  return absl::OkStatus();
}

MetadataTracker::~MetadataTracker() {
  if (instructions_ == 0) return;
  const auto share = [&](int64_t count) {
    return static_cast<double>(count) / static_cast<double>(instructions_);
  };
  LOG(INFO) << prefix_ << " instruction_count=" << instructions_
            << ",op_name_coverage=" << share(op_names_) << ",op_type_coverage=" << share(op_types_)
            << ",source_file_coverage=" << share(source_files_)
            << ",source_line_coverage=" << share(source_lines_);
}

}  // namespace xla
