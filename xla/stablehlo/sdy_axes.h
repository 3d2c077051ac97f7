// SPDX-License-Identifier: Apache-2.0
// Arithmetic of axes and parts of axes ("x", "x":(2)4), as Shardy defines it. Total for any
// numbers, whatever a program states.
#ifndef XLA_STABLEHLO_SDY_AXES_H_
#define XLA_STABLEHLO_SDY_AXES_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "xla/stablehlo/sharding.h"

namespace xla::stablehlo {

inline bool IsPart(const ShardyAxis& axis) { return axis.size != 0; }
// Where the next part begins: the product of both sizes, at most the greatest number.
int64_t NextPreSize(const ShardyAxis& part);
// 0 if the mesh does not have the axis.
int64_t AxisSize(const ShardyMesh& mesh, std::string_view name);
// Of a part or a whole axis.
int64_t SizeOf(const ShardyAxis& axis, const ShardyMesh& mesh);
// The product of the sizes, at most the greatest number.
int64_t ShardedSize(const std::vector<ShardyAxis>& axes, const ShardyMesh& mesh);

bool Overlap(const ShardyAxis& a, const ShardyAxis& b);
// The first of the axes that overlaps with another one; null if none does.
const ShardyAxis* FindOverlap(const std::vector<ShardyAxis>& axes, const ShardyAxis& axis);
bool ContainsAxis(const ShardyAxis& a, const ShardyAxis& b);
// `a` is the minor part of `b`, or all of it.
bool IsSuffix(const ShardyAxis& a, const ShardyAxis& b, const ShardyMesh& mesh);
// What is left of `axis` in front of `other`; nothing if `other` begins it.
std::optional<ShardyAxis> PrefixWithout(const ShardyAxis& axis, const ShardyAxis& other);
// Both are parts of one axis, and `b` begins where `a` ends.
bool CanMerge(const ShardyAxis& a, const ShardyAxis& b);
ShardyAxis Merge(const ShardyAxis& a, const ShardyAxis& b, const ShardyMesh& mesh);
// Appends an axis, or makes the last one longer.
void AppendOrMerge(std::vector<ShardyAxis>* axes, const ShardyAxis& axis, const ShardyMesh& mesh);

// The order of the mesh, and within an axis of its parts; axes that the mesh lacks come last.
bool IsBefore(const ShardyAxis& a, const ShardyAxis& b, const ShardyMesh& mesh);
void SortAndMerge(std::vector<ShardyAxis>* axes, const ShardyMesh& mesh);

}  // namespace xla::stablehlo

#endif  // XLA_STABLEHLO_SDY_AXES_H_
