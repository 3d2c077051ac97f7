// SPDX-License-Identifier: Apache-2.0
// OriginalValue with XLA's interface: where the arrays of a value came from. Instructions store it
// as an OriginalValueTree (instruction_extras.h), of which HloInstruction::original_value() gives
// copies.
//
//   OriginalValue value(shape);
//   value.mutable_tree()->begin()->second = OriginalArray{"x", {}};
#ifndef XLA_HLO_IR_HLO_ORIGINAL_VALUE_H_
#define XLA_HLO_IR_HLO_ORIGINAL_VALUE_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "xla/hlo/ir/instruction_extras.h"
#include "xla/shape.h"
#include "xla/shape_util.h"
#include "xla/tuple_tree.h"
#include "xla/xla_data_enums.h"  // declares the messages

namespace xla {

// The result of an instruction of the original program, or the array at `shape_index` of it.
struct OriginalArray {
  std::string instruction_name;
  ShapeIndex shape_index;
  std::string ToString() const;  // "name" {index}
  OriginalArrayProto ToProto() const;
  static OriginalArray FromProto(const OriginalArrayProto& proto);
  bool operator==(const OriginalArray&) const = default;
};

class OriginalValue {
 public:
  using Tree = TupleTree<std::optional<OriginalArray>>;

  explicit OriginalValue(Tree::Node&& root) : tree_(std::move(root)) {}
  explicit OriginalValue(Tree tree) : tree_(std::move(tree)) {}
  // A leaf for each array of the shape, each of unknown origin.
  explicit OriginalValue(const Shape& shape) : tree_(shape) {}
  explicit OriginalValue(const OriginalValueTree& value);
  static OriginalValue SyntheticCall();
  static std::shared_ptr<OriginalValue> FromProto(const OriginalValueProto& proto);

  bool is_synthetic_call() const { return is_synthetic_call_; }
  const Tree& tree() const { return tree_; }
  Tree* mutable_tree() { return &tree_; }
  bool IsTuple() const { return tree_.IsTuple(); }
  const std::optional<OriginalArray>& original_array(ShapeIndexView index) const {
    return tree_.element(index);
  }
  std::optional<OriginalArray>* mutable_original_array(ShapeIndexView index) {
    return tree_.mutable_element(index);
  }
  auto original_arrays() const { return tree_.leaves(); }
  auto mutable_original_arrays() { return tree_.leaves(); }
  bool IsEmpty() const;  // no leaf has a known origin
  bool IsCompatibleWith(const Shape& shape) const {
    return is_synthetic_call_ || tree_.IsStructurallyCompatible(shape);
  }

  OriginalValueTree ToTree() const;
  std::string ToString() const { return ToTree().ToString(); }
  OriginalValueProto ToProto() const;
  bool operator==(const OriginalValue& other) const;

 private:
  Tree tree_;
  bool is_synthetic_call_ = false;
};

}  // namespace xla

#endif  // XLA_HLO_IR_HLO_ORIGINAL_VALUE_H_
