// SPDX-License-Identifier: Apache-2.0
#include "xla/hlo/ir/hlo_original_value.h"

#include <utility>
#include <vector>

#include "xla/xla_data.pb.h"

namespace xla {
namespace {

using ArrayTree = OriginalValue::Tree;

ArrayTree::Node ToArrayNode(const OriginalValueNode& node) {
  if (node.is_tuple) {
    std::vector<ArrayTree::Node> children;
    for (const OriginalValueNode& element : node.elements) children.push_back(ToArrayNode(element));
    return ArrayTree::Node::Tuple(std::move(children));
  }
  if (!node.instruction_name.has_value()) return ArrayTree::Node::Leaf(std::nullopt);
  return ArrayTree::Node::Leaf(OriginalArray{
      *node.instruction_name, ShapeIndex(node.shape_index.begin(), node.shape_index.end())});
}

OriginalValueNode ToValueNode(const std::optional<OriginalArray>& array) {
  OriginalValueNode node;
  if (!array.has_value()) return node;
  node.instruction_name = array->instruction_name;
  node.shape_index.assign(array->shape_index.begin(), array->shape_index.end());
  return node;
}

OriginalValueNode ToValueNode(const ArrayTree::Node& array_node) {
  if (array_node.IsLeaf()) return ToValueNode(array_node.value());
  OriginalValueNode node;
  node.is_tuple = true;
  for (const ArrayTree::Node& child : array_node.children()) {
    node.elements.push_back(ToValueNode(child));
  }
  return node;
}

}  // namespace

std::string OriginalArray::ToString() const {
  const std::string text = OriginalValueTree{.root = ToValueNode(*this)}.ToString();
  return text.substr(1, text.size() - 2);  // without the braces of a leaf
}

OriginalArrayProto OriginalArray::ToProto() const {
  OriginalArrayProto proto;
  proto.set_instruction_name(instruction_name);
  proto.mutable_shape_index()->Add(shape_index.begin(), shape_index.end());
  return proto;
}

OriginalArray OriginalArray::FromProto(const OriginalArrayProto& proto) {
  return {proto.instruction_name(),
          ShapeIndex(proto.shape_index().begin(), proto.shape_index().end())};
}

OriginalValue::OriginalValue(const OriginalValueTree& value)
    : tree_(ToArrayNode(value.root)), is_synthetic_call_(value.is_synthetic_call) {}

OriginalValue OriginalValue::SyntheticCall() {
  return OriginalValue(OriginalValueTree{.is_synthetic_call = true});
}

std::shared_ptr<OriginalValue> OriginalValue::FromProto(const OriginalValueProto& proto) {
  if (proto.is_synthetic_call()) return std::make_shared<OriginalValue>(SyntheticCall());
  std::vector<ArrayTree::NodePair> leaves;
  for (const OriginalValueElementProto& element : proto.elements()) {
    std::optional<OriginalArray> array;
    if (element.has_original_array()) array = OriginalArray::FromProto(element.original_array());
    leaves.emplace_back(ShapeIndex(element.shape_index().begin(), element.shape_index().end()),
                        std::move(array));
  }
  return std::make_shared<OriginalValue>(ArrayTree(absl::MakeSpan(leaves)));
}

bool OriginalValue::IsEmpty() const {
  if (is_synthetic_call_) return true;
  for (const auto& [index, array] : original_arrays()) {
    if (array.has_value()) return false;
  }
  return true;
}

OriginalValueTree OriginalValue::ToTree() const {
  OriginalValueTree value;
  value.is_synthetic_call = is_synthetic_call_;
  if (!is_synthetic_call_) value.root = ToValueNode(*tree_.ToNode());
  return value;
}

OriginalValueProto OriginalValue::ToProto() const {
  OriginalValueProto proto;
  proto.set_is_synthetic_call(is_synthetic_call_);
  if (is_synthetic_call_) return proto;
  for (const auto& [index, array] : original_arrays()) {
    OriginalValueElementProto* element = proto.add_elements();
    element->mutable_shape_index()->Add(index.begin(), index.end());
    if (array.has_value()) *element->mutable_original_array() = array->ToProto();
  }
  return proto;
}

bool OriginalValue::operator==(const OriginalValue& other) const {
  return ToTree() == other.ToTree();
}

OriginalValuePtr::operator std::shared_ptr<OriginalValue>() const {
  return value_ == nullptr ? nullptr : std::make_shared<OriginalValue>(*value_);
}

}  // namespace xla
