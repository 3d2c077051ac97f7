// SPDX-License-Identifier: Apache-2.0
// What of shapes, shardings and attribute values goes into a hash.
#include "xla/hlo/ir/hasher.h"

#include "xla/literal.h"

namespace xla::ir_internal {

void Hasher::Add(const std::string& text) {
  Add(text.size());
  for (size_t i = 0; i < text.size(); i += sizeof(uint64_t)) {
    uint64_t word = 0;
    for (size_t j = i; j < text.size() && j < i + sizeof(uint64_t); ++j) {
      word = word << 8 | static_cast<unsigned char>(text[j]);
    }
    Add(word);
  }
}

// Recursion is as deep as tuples nest: at most Shape::kMaxTupleDepth.
void Hasher::Add(const Shape& shape) {
  Add(static_cast<int>(shape.element_type()));
  for (int64_t size : shape.dimensions()) Add(size);
  if (shape.IsTuple()) {
    Add(shape.tuple_shapes().size());
    for (const Shape& element : shape.tuple_shapes()) Add(element);
  }
}

// Devices in iota order and the same listed are equal, so that their form must not be hashed.
void Hasher::Add(const HloSharding& sharding) {
  Add(sharding.kind());
  for (const int64_t dim : sharding.tile_assignment().dimensions()) Add(dim);
  for (const OpSharding_Type type : sharding.subgroup_types()) Add(type);
  Add(sharding.tuple_elements());
  if (!sharding.UseNamedShardingLeaf()) return;
  Add(sharding.named_sharding().mesh());
  for (const AxisRef& axis : sharding.named_sharding().UsedAxes()) Add(axis);
}

void Hasher::Add(const CollectiveDeviceList& list) {
  Add(list.form);
  Add(list.groups);
  Add(list.num_groups);
  Add(list.group_size);
  Add(list.reshape_dims);
  Add(list.transpose_perm);
  Add(list.mesh);
  Add(list.mesh_axes);
}

void Hasher::Add(const Mesh& mesh) {
  for (const std::string& name : mesh.axis_names()) Add(name);
  for (const int64_t size : mesh.axis_sizes()) Add(size);
}

void Hasher::Add(const AxisRef& axis) {
  Add(axis.mesh_axis_index());
  Add(axis.pre_size());
  Add(axis.IsSubAxis() ? axis.sub_axis_info()->size : 0);
}

void Hasher::Add(const WindowDim& dim) {
  for (int64_t value :
       {dim.size, dim.stride, dim.padding_low, dim.padding_high, dim.window_dilation,
        dim.base_dilation, static_cast<int64_t>(dim.window_reversal)}) {
    Add(value);
  }
}

void Hasher::Add(const PadDim& dim) {
  for (int64_t value : {dim.low, dim.high, dim.interior}) Add(value);
}

void Hasher::Add(const SliceDim& dim) {
  for (int64_t value : {dim.start, dim.limit, dim.stride}) Add(value);
}

void Hasher::Add(const ConvDims& dims) {
  for (int64_t value : {dims.input_batch, dims.input_feature, dims.kernel_input_feature,
                        dims.kernel_output_feature, dims.output_batch, dims.output_feature}) {
    Add(value);
  }
  for (const std::vector<int64_t>* list :
       {&dims.input_spatial, &dims.kernel_spatial, &dims.output_spatial, &dims.input_unknown,
        &dims.kernel_unknown, &dims.output_unknown}) {
    Add(*list);
  }
}

void Hasher::Add(const Sparsity& sparsity) {
  for (const std::optional<Sparsity::Operand>& operand : {sparsity.lhs, sparsity.rhs}) {
    Add(operand.has_value());
    if (!operand.has_value()) continue;
    for (int64_t value :
         {operand->num_non_zero, operand->block_size, operand->dimension, operand->stride}) {
      Add(value);
    }
  }
}

void Hasher::Add(const OutputOperandAlias& alias) {
  Add(alias.output_index);
  Add(alias.operand);
  Add(alias.operand_index);
}

void Hasher::Add(const Precisions& precisions) {
  // No precisions and only default ones are equal.
  const bool is_default = precisions.IsDefault();
  Add(is_default);
  if (!is_default) Add(precisions.values);
}

void Hasher::Add(const LiteralRef& ref) {
  Add(ref.literal != nullptr);
  if (ref.literal != nullptr) Add(ref.literal->HashValue());
}

void Hasher::Add(const DomainAttributes::Value& domain) {
  Add(domain.kind);
  Add(domain.entry);
  Add(domain.exit);
}

}  // namespace xla::ir_internal
