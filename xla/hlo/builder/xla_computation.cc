// SPDX-License-Identifier: Apache-2.0
// Programs as modules and as protos.
#include "xla/hlo/builder/xla_computation.h"

#include <atomic>
#include <utility>

#include "xla/base/status_macros.h"
#include "xla/hlo/builder/computation_data.h"
#include "xla/hlo/proto/hlo_proto.h"
#include "xla/util.h"

namespace xla {

int64_t XlaComputation::Data::NextId() {
  static std::atomic<int64_t> next{0};
  return next.fetch_add(1, std::memory_order_relaxed);
}

absl::StatusOr<std::shared_ptr<const HloModule>> XlaComputation::Data::GetModule() const {
  absl::MutexLock lock(&mutex);
  if (module == nullptr) {
    XLA_ASSIGN_OR_RETURN(std::unique_ptr<HloModule> read, CreateModuleFromProto(*proto));
    if (read->entry_computation() == nullptr) {
      return InvalidArgumentStrCat("The module ", name, " has no entry computation.");
    }
    module = std::move(read);
  }
  return module;
}

ComputationToken XlaComputation::Data::TokenOf(const HloComputation* computation) const {
  absl::MutexLock lock(&mutex);
  ComputationToken& token = tokens[computation];
  if (token == nullptr) token = std::make_shared<const char>('\0');
  return token;
}

XlaComputation::XlaComputation() = default;
XlaComputation::XlaComputation(const XlaComputation&) = default;
XlaComputation::XlaComputation(XlaComputation&&) noexcept = default;
XlaComputation& XlaComputation::operator=(const XlaComputation&) = default;
XlaComputation& XlaComputation::operator=(XlaComputation&&) noexcept = default;
XlaComputation::~XlaComputation() = default;

XlaComputation::XlaComputation(HloModuleProto proto) : data_(std::make_shared<Data>()) {
  absl::MutexLock lock(&data_->mutex);
  data_->name = proto.name();
  data_->unique_id = Data::NextId();
  data_->proto = std::make_unique<HloModuleProto>(std::move(proto));
}

absl::StatusOr<ProgramShape> XlaComputation::GetProgramShape() const {
  if (IsNull()) return InvalidArgument("GetProgramShape of a null XlaComputation.");
  {
    absl::MutexLock lock(&data_->mutex);
    if (data_->module == nullptr) {
      if (!data_->proto->has_host_program_shape()) {
        return InvalidArgumentStrCat("The proto of ", data_->name, " has no host_program_shape.");
      }
      return ProgramShape::FromProto(data_->proto->host_program_shape());
    }
  }
  XLA_ASSIGN_OR_RETURN(std::shared_ptr<const HloModule> program, data_->GetModule());
  return program->entry_computation_layout();
}

const std::string& XlaComputation::name() const {
  static const std::string* const kEmpty = new std::string();
  return IsNull() ? *kEmpty : data_->name;
}

int64_t XlaComputation::UniqueId() const { return IsNull() ? -1 : data_->unique_id; }

const HloModuleProto& XlaComputation::proto() const {
  if (IsNull()) return HloModuleProto::default_instance();
  absl::MutexLock lock(&data_->mutex);
  if (data_->proto == nullptr) {
    absl::StatusOr<HloModuleProto> written = BuiltModuleToProto(*data_->module);
    data_->proto =
        std::make_unique<HloModuleProto>(written.ok() ? *std::move(written) : HloModuleProto());
  }
  return *data_->proto;
}

HloModuleProto* XlaComputation::mutable_proto() {
  auto changed = std::make_shared<Data>();
  absl::MutexLock lock(&changed->mutex);
  changed->unique_id = Data::NextId();
  changed->name = name();
  changed->proto = std::make_unique<HloModuleProto>(proto());
  data_ = changed;
  return changed->proto.get();
}

absl::StatusOr<std::unique_ptr<HloSnapshot>> XlaComputation::Snapshot() const {
  if (IsNull()) return InvalidArgument("Computation is invalid.");
  auto snapshot = std::make_unique<HloSnapshot>();
  *snapshot->mutable_hlo()->mutable_hlo_module() = proto();
  return snapshot;
}

absl::StatusOr<std::shared_ptr<const HloModule>> XlaComputation::module() const {
  if (IsNull()) return InvalidArgument("The XlaComputation is null.");
  return data_->GetModule();
}

}  // namespace xla
