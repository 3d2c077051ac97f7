// SPDX-License-Identifier: Apache-2.0
#include "xla/stablehlo/sdy_axes.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

namespace xla::stablehlo {
namespace {

int64_t Product(int64_t a, int64_t b) {
  int64_t product;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<int64_t>::max() : product;
}

int64_t PreSize(const ShardyAxis& axis) { return IsPart(axis) ? axis.pre_size : 1; }

bool IsMultiple(int64_t a, int64_t b) { return b > 0 && a % b == 0; }

// Whether an axis can have both parts.
bool CanCoexist(const ShardyAxis& a, const ShardyAxis& b) {
  if (a.name != b.name || !IsPart(a) || !IsPart(b)) return true;
  const auto [min_pre, max_pre] = std::minmax({a.pre_size, b.pre_size});
  const auto [min_next, max_next] = std::minmax({NextPreSize(a), NextPreSize(b)});
  if (min_next <= max_pre) return IsMultiple(max_pre, min_next);
  return IsMultiple(min_next, max_pre) && IsMultiple(max_pre, min_pre) &&
         IsMultiple(max_next, min_next);
}

size_t Position(const ShardyMesh& mesh, std::string_view name) {
  size_t i = 0;
  while (i < mesh.axes.size() && mesh.axes[i].first != name) ++i;
  return i;
}

}  // namespace

int64_t NextPreSize(const ShardyAxis& part) { return Product(part.pre_size, part.size); }

int64_t AxisSize(const ShardyMesh& mesh, std::string_view name) {
  const size_t i = Position(mesh, name);
  return i < mesh.axes.size() ? mesh.axes[i].second : 0;
}

int64_t SizeOf(const ShardyAxis& axis, const ShardyMesh& mesh) {
  return IsPart(axis) ? axis.size : AxisSize(mesh, axis.name);
}

int64_t ShardedSize(const std::vector<ShardyAxis>& axes, const ShardyMesh& mesh) {
  int64_t product = 1;
  for (const ShardyAxis& axis : axes) product = Product(product, SizeOf(axis, mesh));
  return product;
}

bool Overlap(const ShardyAxis& a, const ShardyAxis& b) {
  if (a.name != b.name) return false;
  if (!IsPart(a) || !IsPart(b)) return true;
  return a.pre_size < NextPreSize(b) && b.pre_size < NextPreSize(a);
}

bool ContainsAxis(const ShardyAxis& a, const ShardyAxis& b) {
  if (a.name != b.name) return false;
  if (!IsPart(a)) return true;
  return IsPart(b) && a.pre_size <= b.pre_size && NextPreSize(a) >= NextPreSize(b);
}

bool IsSuffix(const ShardyAxis& a, const ShardyAxis& b, const ShardyMesh& mesh) {
  const auto end = [&](const ShardyAxis& axis) {
    return IsPart(axis) ? NextPreSize(axis) : SizeOf(axis, mesh);
  };
  return ContainsAxis(b, a) && end(a) == end(b);
}

std::optional<ShardyAxis> PrefixWithout(const ShardyAxis& axis, const ShardyAxis& other) {
  if (!CanCoexist(axis, other)) return std::nullopt;
  if (!Overlap(axis, other)) return axis;
  const int64_t begin = PreSize(axis);
  const int64_t end = PreSize(other);
  if (begin >= end || begin < 1) return std::nullopt;
  return ShardyAxis{axis.name, begin, end / begin};
}

bool CanMerge(const ShardyAxis& a, const ShardyAxis& b) {
  return a.name == b.name && IsPart(a) && IsPart(b) && NextPreSize(a) == b.pre_size;
}

ShardyAxis Merge(const ShardyAxis& a, const ShardyAxis& b, const ShardyMesh& mesh) {
  const int64_t size = Product(a.size, b.size);
  if (size == AxisSize(mesh, a.name)) return ShardyAxis{a.name, 1, 0};
  return ShardyAxis{a.name, a.pre_size, size};
}

void AppendOrMerge(std::vector<ShardyAxis>* axes, const ShardyAxis& axis, const ShardyMesh& mesh) {
  if (!axes->empty() && CanMerge(axes->back(), axis)) {
    axes->back() = Merge(axes->back(), axis, mesh);
  } else {
    axes->push_back(axis);
  }
}

bool IsBefore(const ShardyAxis& a, const ShardyAxis& b, const ShardyMesh& mesh) {
  if (a.name != b.name) {
    const size_t i = Position(mesh, a.name), j = Position(mesh, b.name);
    return i != j ? i < j : a.name < b.name;
  }
  // A whole axis comes before the parts that do not begin it.
  if (!IsPart(a)) return PreSize(b) > 1;
  if (!IsPart(b)) return a.pre_size == 1;
  return std::tie(a.pre_size, a.size) < std::tie(b.pre_size, b.size);
}

void SortAndMerge(std::vector<ShardyAxis>* axes, const ShardyMesh& mesh) {
  // A whole axis beside its first part has no order; such lists are rejected later.
  const auto key = [&](const ShardyAxis& axis) {
    return std::make_tuple(Position(mesh, axis.name), axis.name, PreSize(axis), axis.size);
  };
  std::sort(axes->begin(), axes->end(),
            [&](const ShardyAxis& a, const ShardyAxis& b) { return key(a) < key(b); });
  std::vector<ShardyAxis> merged;
  for (const ShardyAxis& axis : *axes) AppendOrMerge(&merged, axis, mesh);
  *axes = std::move(merged);
}

const ShardyAxis* FindOverlap(const std::vector<ShardyAxis>& axes, const ShardyAxis& axis) {
  for (const ShardyAxis& other : axes) {
    if (Overlap(other, axis)) return &other;
  }
  return nullptr;
}

}  // namespace xla::stablehlo
