// SPDX-License-Identifier: Apache-2.0
// Optional data of instructions: sharding, metadata, backend config and the like. Part of
// hlo_instruction.h; include that.
#ifndef XLA_HLO_IR_INSTRUCTION_EXTRAS_H_
#define XLA_HLO_IR_INSTRUCTION_EXTRAS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "xla/base/boxed_optional.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/hlo/ir/hlo_sharding.h"
#include "xla/hlo/ir/instruction_metadata.h"

namespace xla {

class HloInstruction;
class OriginalValue;

// result_accuracy={mode=highest} or {tolerance={atol=..,rtol=..,ulps=..}}
struct AccuracySpec {
  enum class Mode : uint8_t { kDefault, kHighest, kTolerance };
  Mode mode = Mode::kDefault;
  double atol = 0, rtol = 0;
  int64_t ulps = 0;
  bool operator==(const AccuracySpec& o) const {
    return mode == o.mode && SameNumber(atol, o.atol) && SameNumber(rtol, o.rtol) && ulps == o.ulps;
  }
};

// origin={..}: where the values of a result came from, a tree like the result shape. A node is a
// tuple, or a leaf: empty `{}`, or `{"name" {index}}`.
struct OriginalValueNode {
  bool is_tuple = false;
  std::vector<OriginalValueNode> elements;  // is_tuple
  std::optional<std::string> instruction_name;
  std::vector<int64_t> shape_index;
  bool operator==(const OriginalValueNode&) const = default;
};
struct OriginalValueTree {
  bool is_synthetic_call = false;  // {[synthetic_call]}
  OriginalValueNode root;
  bool operator==(const OriginalValueTree&) const = default;
  // As HLO text prints it: {{"name" {index}}}. Defined in xla/hlo/text.
  std::string ToString() const;
};

// A pointer to an original value, or null. Equal values are equal pointers, as in XLA, which keeps
// each value once.
class OriginalValuePtr {
 public:
  explicit OriginalValuePtr(const BoxedOptional<OriginalValueTree>& value)
      : value_(value.has_value() ? &*value : nullptr) {}
  explicit operator bool() const { return value_ != nullptr; }
  const OriginalValueTree* operator->() const { return value_; }
  const OriginalValueTree& operator*() const { return *value_; }
  const OriginalValueTree* get() const { return value_; }
  // A copy with XLA's interface (xla/hlo/ir/hlo_original_value.h), or null.
  operator std::shared_ptr<OriginalValue>() const;  // NOLINT(google-explicit-constructor)
  bool operator==(std::nullptr_t) const { return value_ == nullptr; }
  bool operator==(const OriginalValuePtr& other) const {
    return value_ == other.value_ ||
           (value_ != nullptr && other.value_ != nullptr && *value_ == *other.value_);
  }

 private:
  const OriginalValueTree* value_;
};

// statistics={visualizing_index=0,name=1.5,..}
struct Statistics {
  int64_t visualizing_index = 0;
  std::vector<std::pair<std::string, double>> values;
  bool operator==(const Statistics&) const = default;
};

// What a backend decided about an instruction. It is printed as the instruction's backend
// configuration, is shared by clones, and says nothing about whether instructions are equal.
class BackendDecision {
 public:
  virtual ~BackendDecision() = default;
  // A JSON dictionary; empty: nothing worth printing.
  virtual std::string ToString() const = 0;
};

// Optional data of an instruction; allocated on first use.
struct InstructionExtras {
  std::vector<HloInstruction*> control_predecessors, control_successors;
  BoxedOptional<HloSharding> sharding;
  std::map<std::string, std::string>
      frontend_attributes;  // values verbatim; "{..}" dictionaries unquoted
  BoxedOptional<Statistics> statistics;
  AccuracySpec result_accuracy;
  BoxedOptional<InstructionMetadata> metadata;
  BoxedOptional<OriginalValueTree> original_value;
  std::string backend_config;  // verbatim: JSON dictionary or raw text
  std::shared_ptr<const BackendDecision> backend_decision;
  BoxedOptional<std::vector<bool>> parameter_replication;  // one a leaf
};

}  // namespace xla

#endif  // XLA_HLO_IR_INSTRUCTION_EXTRAS_H_
