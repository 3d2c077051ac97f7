// SPDX-License-Identifier: Apache-2.0
// A whole HLO program: computations, one of them the entry, and the facts of the text header.
#ifndef XLA_HLO_IR_HLO_MODULE_H_
#define XLA_HLO_IR_HLO_MODULE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "xla/base/status_fwd.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module_config.h"  // IWYU pragma: export
#include "xla/hlo/ir/hlo_print_options.h"  // IWYU pragma: export
#include "xla/hlo/ir/hlo_schedule.h"       // IWYU pragma: export
#include "xla/hlo/ir/snapshot_list.h"
#include "xla/shape.h"

namespace xla {

class DebugOptions;
class ExecutionOptions;
class FrontendAttributes;
class HloBufferDonorConfig;
class HloInputOutputAliasConfig;
class HloModuleProto;
class HloModuleProtoWithConfig;

// The FileNames / FunctionNames / FileLocations / StackFrames block; ids are 1-based positions, 0 =
// none.
struct StackFrameTable {
  struct Location {
    int64_t file_name_id = 0, function_name_id = 0, line = 0, end_line = 0, column = 0,
            end_column = 0;
    bool operator==(const Location&) const = default;
  };
  struct Frame {
    int64_t file_location_id = 0, parent_frame_id = 0;
    bool operator==(const Frame&) const = default;
  };
  std::vector<std::string> file_names, function_names;
  std::vector<Location> locations;
  std::vector<Frame> frames;
  bool empty() const {
    return file_names.empty() && function_names.empty() && locations.empty() && frames.empty();
  }
  bool operator==(const StackFrameTable&) const = default;
};

class HloModule {
 public:
  explicit HloModule(std::string name);
  HloModule(std::string name, HloModuleConfig config);
  HloModule(const HloModule&) = delete;
  HloModule& operator=(const HloModule&) = delete;
  virtual ~HloModule();  // users derive from it

  const std::string& name() const { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }

  HloModuleConfig& config() { return config_; }
  HloModuleConfig& mutable_config() { return config_; }
  const HloModuleConfig& config() const { return config_; }
  StackFrameTable& stack_frames() { return stack_frames_; }
  const StackFrameTable& stack_frames() const { return stack_frames_; }

  // --- Computations
  HloComputation* AddComputation(std::string_view name);  // made unique by ".N"
  // Computations of HloComputation::Builder. The first form makes it the entry, with the layouts of
  // its parameters and root unless the config has some.
  HloComputation* AddEntryComputation(std::unique_ptr<HloComputation> computation);
  HloComputation* AddEmbeddedComputation(std::unique_ptr<HloComputation> computation);
  // Null if there is none.
  HloComputation* GetComputationWithName(std::string_view name) const;
  HloComputation* entry_computation() const { return entry_; }
  void set_entry_computation(HloComputation* entry) { entry_ = entry; }
  // In order of creation.
  SnapshotList<HloComputation*> computations() const;
  int64_t computation_count() const { return static_cast<int64_t>(computations_.size()); }
  // Callees before callers, in XLA's print order: for each computation without callers, in order
  // of creation, what it calls in order of instructions_by_id(). No recursion; a computation that
  // calls itself, however indirectly, is an error that names the cycle.
  absl::StatusOr<std::vector<HloComputation*>> ComputationPostOrder() const;
  std::vector<HloComputation*> MakeComputationPostOrder() const;  // for verified modules
  // Removes a computation that is not called. The object lives until Cleanup.
  absl::Status RemoveComputation(HloComputation* computation);
  // Removes what the entry does not reach by calls.
  absl::Status RemoveUnusedComputations();
  // Frees removed instructions and computations. Pointers to them dangle from now on.
  void Cleanup();
  int64_t instruction_count() const;

  // Sets config().entry_computation_layout from the entry's parameters and root if it is unset.
  void SetDefaultEntryLayout();
  const ComputationLayout& entry_computation_layout() const {
    return config_.entry_computation_layout();
  }
  ComputationLayout* mutable_entry_computation_layout() {
    return config_.mutable_entry_computation_layout();
  }
  // Parameters and result of the entry with the layouts of entry_computation_layout.
  const ProgramShape& result_and_parameters() const { return config_.entry_computation_layout(); }

  // --- Header facts under XLA's names. Copies; their headers must be included.
  bool has_schedule() const { return config_.is_scheduled; }
  // The order of instructions, of all computations but those of fusions. Precondition:
  // has_schedule().
  HloSchedule schedule() const;
  // Orders the instructions of the computations that it lists, and marks the module as scheduled.
  absl::Status set_schedule(const HloSchedule& schedule);
  void clear_schedule() { config_.is_scheduled = false; }
  HloInputOutputAliasConfig input_output_alias_config() const;
  HloBufferDonorConfig buffer_donor_config() const;
  FrontendAttributes frontend_attributes() const;

  // A name that the module does not use, "prefix" or "prefix.N"; it counts as used from now on. As
  // in XLA, a number after the last '.' is taken as N ("add.007" becomes "add.7"), and what may not
  // be in a name is replaced (SanitizeHloName). AddInstruction and AddComputation take a name so
  // reserved as it is, once.
  std::string UniqueInstructionName(std::string_view prefix);
  // Claims a name as it is; false if it is taken.
  bool ClaimInstructionName(std::string_view name);
  std::string UniqueComputationName(std::string_view prefix);

  // From and to protos; defined in xla/hlo/proto.
  static absl::StatusOr<std::unique_ptr<HloModule>> CreateFromProto(const HloModuleProto& proto,
                                                                    const HloModuleConfig& config);
  static absl::StatusOr<HloModuleConfig> CreateModuleConfigFromProto(
      const HloModuleProto& proto, const DebugOptions& debug_options,
      const ExecutionOptions* execution_options = nullptr);
  HloModuleProto ToProto() const;
  HloModuleProtoWithConfig ToProtoWithConfig() const;
  static absl::StatusOr<std::unique_ptr<HloModule>> CreateFromProtoWithConfig(
      const HloModuleProtoWithConfig& proto);

  // A deep copy with the same names.
  std::unique_ptr<HloModule> Clone() const;
  // The same under the name "NAME-SUFFIX".
  std::unique_ptr<HloModule> Clone(std::string_view suffix) const;
  // Same header facts (not the module name), same computations up to names and instruction order.
  bool Equal(const HloModule& other, bool layout_sensitive = true) const;
  // As Equal, but a sentence that names the first difference instead of false. Computations that
  // the entry does not reach are compared in the order of ComputationPostOrder.
  absl::Status CheckEqual(const HloModule& other, bool layout_sensitive = true) const;
  size_t Hash() const;

  // Long-form HLO text; defined in xla/hlo/text/printer.
  std::string ToString() const;
  std::string ToString(const HloPrintOptions& options) const;
  // A hash of the text without names and metadata (HloPrintOptions::Fingerprint), as 32 hex digits.
  std::string GetFingerprint128() const;

 private:
  friend class HloComputation;
  class Uniquer;
  std::string NameForAdded(std::string_view name);
  int64_t NextInstructionId() { return next_instruction_id_++; }

  std::string name_;
  HloModuleConfig config_;
  StackFrameTable stack_frames_;
  std::vector<std::unique_ptr<HloComputation>> computations_;
  std::vector<std::unique_ptr<HloComputation>> removed_computations_;
  HloComputation* entry_ = nullptr;
  int64_t next_instruction_id_ = 0;
  int64_t next_computation_id_ = 0;
  std::unique_ptr<Uniquer> instruction_names_, computation_names_;
};

// `name` with characters that HLO text does not allow in names replaced by '_', "_" appended to
// names of element types, and a leading "__" (unless "__xla_") turned into "a_", as XLA does. Names
// for which this changes nothing are legal.
std::string SanitizeHloName(std::string_view name);

}  // namespace xla

#endif  // XLA_HLO_IR_HLO_MODULE_H_
