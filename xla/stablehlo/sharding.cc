// SPDX-License-Identifier: Apache-2.0
#include "xla/stablehlo/sharding.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/base/string_view.h"
#include "xla/mlir/text_cursor.h"

namespace xla::stablehlo {
namespace {

using mlir::TextCursor;

constexpr int64_t kMaxDevices = int64_t{1} << 24;

// Reads the text of Shardy's attributes.
class ShardyReader {
 public:
  explicit ShardyReader(std::string_view text) : cursor_(text, &arena_) {}

  bool Mesh(ShardyMesh* mesh) {
    if (!cursor_.Expect('[')) return false;
    if (!cursor_.Consume(']')) {
      std::set<std::string_view> names;
      do {
        std::string_view name;
        int64_t size;
        if (!cursor_.String(&name) || !cursor_.Expect('=') || !Integer(&size)) return false;
        if (size < 1) return cursor_.Fail("the size of an axis must be positive");
        if (!names.insert(name).second) return cursor_.Fail("an axis of a mesh is duplicated");
        mesh->axes.emplace_back(std::string(name), size);
      } while (cursor_.Consume(','));
      if (!cursor_.Expect(']')) return false;
    }
    if (!cursor_.Consume(',')) return true;
    if (!cursor_.ExpectWord("device_ids") || !cursor_.Expect('=') || !cursor_.Expect('[')) {
      return false;
    }
    do {
      mesh->device_ids.push_back(0);
      if (!Integer(&mesh->device_ids.back())) return false;
    } while (cursor_.Consume(','));
    return cursor_.Expect(']');
  }

  bool Sharding(ShardySharding* sharding) {
    if (cursor_.ConsumeWord("mesh")) {
      sharding->inlined.emplace();
      if (!cursor_.Expect('<') || !Mesh(&*sharding->inlined) || !cursor_.Expect('>')) return false;
    } else {
      std::string_view name;
      if (!cursor_.SymbolName(&name)) return false;
      sharding->mesh = std::string(name);
    }
    if (!cursor_.Expect(',') || !cursor_.Expect('[')) return false;
    if (!cursor_.Consume(']')) {
      do {
        sharding->dimensions.emplace_back();
        if (!Dimension(&sharding->dimensions.back())) return false;
      } while (cursor_.Consume(','));
      if (!cursor_.Expect(']')) return false;
    }
    while (cursor_.Consume(',')) {
      const bool replicated = cursor_.ConsumeWord("replicated");
      if (!replicated && !cursor_.ExpectWord("unreduced")) return false;
      if (!cursor_.Expect('=') || (!replicated && !Reduction(&sharding->reduction)) ||
          !cursor_.Expect('{') ||
          !Axes(replicated ? &sharding->replicated : &sharding->unreduced) ||
          !cursor_.Expect('}')) {
        return false;
      }
    }
    return true;
  }

  bool Shardings(std::vector<ShardySharding>* shardings) {
    if (!cursor_.Expect('[')) return false;
    if (cursor_.Consume(']')) return true;
    do {
      shardings->emplace_back();
      if (!cursor_.Expect('<') || !Sharding(&shardings->back()) || !cursor_.Expect('>')) {
        return false;
      }
    } while (cursor_.Consume(','));
    return cursor_.Expect(']');
  }

  bool Names(std::vector<std::string>* names) {
    if (!cursor_.Expect('{')) return false;
    if (cursor_.Consume('}')) return true;
    do {
      std::string_view name;
      if (!cursor_.String(&name)) return false;
      names->emplace_back(name);
    } while (cursor_.Consume(','));
    return cursor_.Expect('}');
  }

  // The error, or that something follows.
  absl::Status Finish() {
    if (cursor_.ok() && !cursor_.AtEnd()) cursor_.FailExpected("the end of the sharding");
    return cursor_.ToStatus("sharding");
  }

 private:
  bool Integer(int64_t* value) {
    if (!cursor_.Digits(value)) return false;
    cursor_.SkipSpace();
    return true;
  }

  bool Axis(ShardyAxis* axis) {
    std::string_view name;
    if (!cursor_.String(&name)) return false;
    axis->name = std::string(name);
    if (!cursor_.Consume(':')) return true;
    if (!cursor_.Expect('(') || !Integer(&axis->pre_size) || !cursor_.Expect(')') ||
        !Integer(&axis->size)) {
      return false;
    }
    return (axis->pre_size > 0 && axis->size > 0) ||
           cursor_.Fail("the sizes of a part of an axis must be positive");
  }

  // unreduced=max{..}; nothing, or sum, for a sum
  bool Reduction(UnreducedKind* reduction) {
    if (cursor_.Peek('{')) return true;
    const std::string_view word = cursor_.PeekWord();
    if (word == "max") {
      *reduction = UnreducedKind::kMax;
    } else if (word == "min") {
      *reduction = UnreducedKind::kMin;
    } else if (word != "sum") {
      return cursor_.FailExpected("sum, max, min or axes");
    }
    cursor_.Word();
    return true;
  }

  bool Axes(std::vector<ShardyAxis>* axes) {
    if (!cursor_.Peek('"')) return true;
    do {
      axes->emplace_back();
      if (!Axis(&axes->back())) return false;
    } while (cursor_.Consume(',') && cursor_.Peek('"'));
    return true;
  }

  bool Dimension(ShardyDimension* dimension) {
    if (!cursor_.Expect('{') || !Axes(&dimension->axes)) return false;
    if (cursor_.Consume('?')) dimension->is_closed = false;
    if (!cursor_.Expect('}')) return false;
    const std::string_view word = cursor_.PeekWord();
    if (word.empty() || word[0] != 'p') return true;
    int64_t priority = 0;
    for (const char c : word.substr(1)) {
      if (!TextCursor::IsDigit(c) || priority > kMaxDevices) {
        return cursor_.FailExpected("a priority");
      }
      priority = priority * 10 + (c - '0');
    }
    cursor_.Word();
    dimension->priority = priority;
    return true;
  }

  mlir::Arena arena_;
  TextCursor cursor_;
};

// The axis, or the part of one, of which the size must fit.
absl::StatusOr<AxisRef> ToAxisRef(const ShardyAxis& axis, const Mesh& mesh) {
  const std::optional<int64_t> index = mesh.FindAxis(axis.name);
  if (!index.has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the mesh of a sharding has no axis \"", axis.name, "\""));
  }
  if (axis.size == 0) return AxisRef(*index);
  const int64_t size = mesh.axis_size(*index);
  // Without their product, which may overflow.
  if (size % axis.pre_size != 0 || size / axis.pre_size % axis.size != 0) {
    return absl::InvalidArgumentError(absl::StrCat("the axis \"", axis.name, "\" of size ", size,
                                                   " has no part :(", axis.pre_size, ")",
                                                   axis.size));
  }
  return AxisRef::Part(*index, axis.pre_size, axis.pre_size * axis.size, mesh);
}

absl::StatusOr<std::vector<AxisRef>> ToAxisRefs(absl::Span<const ShardyAxis> axes,
                                                const Mesh& mesh) {
  std::vector<AxisRef> refs;
  for (const ShardyAxis& axis : axes) {
    XLA_ASSIGN_OR_RETURN(const AxisRef ref, ToAxisRef(axis, mesh));
    AppendAxis(ref, mesh, refs);
  }
  return refs;
}

}  // namespace

absl::StatusOr<ShardyMesh> ParseShardyMesh(std::string_view text) {
  ShardyReader reader(text);
  ShardyMesh mesh;
  reader.Mesh(&mesh);
  XLA_RETURN_IF_ERROR(reader.Finish());
  return mesh;
}

absl::StatusOr<ShardySharding> ParseShardySharding(std::string_view text) {
  ShardyReader reader(text);
  ShardySharding sharding;
  reader.Sharding(&sharding);
  XLA_RETURN_IF_ERROR(reader.Finish());
  return sharding;
}

absl::StatusOr<std::vector<ShardySharding>> ParseShardyShardings(std::string_view text) {
  ShardyReader reader(text);
  std::vector<ShardySharding> shardings;
  reader.Shardings(&shardings);
  XLA_RETURN_IF_ERROR(reader.Finish());
  return shardings;
}

absl::StatusOr<std::vector<std::string>> ParseShardyAxes(std::string_view text) {
  ShardyReader reader(text);
  std::vector<std::string> names;
  reader.Names(&names);
  XLA_RETURN_IF_ERROR(reader.Finish());
  return names;
}

absl::StatusOr<Mesh> ToMesh(const ShardyMesh& mesh) {
  if (mesh.axes.empty() && mesh.device_ids.size() == 1) return Mesh(mesh.device_ids[0]);
  std::vector<std::string> names;
  std::vector<int64_t> sizes;
  for (const auto& [name, size] : mesh.axes) {
    names.push_back(name);
    sizes.push_back(size);
  }
  return Mesh::Create(sizes, std::move(names), mesh.device_ids);
}

absl::StatusOr<NamedSharding> ToNamedSharding(const ShardySharding& sharding,
                                              const ShardyMeshes& meshes,
                                              absl::Span<const std::string> manual) {
  const auto found = meshes.find(sharding.mesh);
  if (!sharding.inlined.has_value() && found == meshes.end()) {
    return absl::InvalidArgumentError(
        absl::StrCat("there is no mesh @", sharding.mesh, " for a sharding"));
  }
  XLA_ASSIGN_OR_RETURN(Mesh mesh,
                       ToMesh(sharding.inlined.has_value() ? *sharding.inlined : found->second));
  if (mesh.IsMaximal()) return NamedSharding(std::move(mesh));
  std::vector<NamedSharding::DimensionSharding> dims;
  for (const ShardyDimension& dimension : sharding.dimensions) {
    XLA_ASSIGN_OR_RETURN(std::vector<AxisRef> axes, ToAxisRefs(dimension.axes, mesh));
    dims.emplace_back(std::move(axes), dimension.is_closed, dimension.priority);
  }
  XLA_ASSIGN_OR_RETURN(std::vector<AxisRef> replicated, ToAxisRefs(sharding.replicated, mesh));
  XLA_ASSIGN_OR_RETURN(std::vector<AxisRef> unreduced, ToAxisRefs(sharding.unreduced, mesh));
  std::vector<AxisRef> manual_axes;
  if (mesh.num_axes() == 0) manual = {};
  for (const std::string& name : manual) {
    XLA_ASSIGN_OR_RETURN(const AxisRef axis, ToAxisRef({name, 1, 0}, mesh));
    manual_axes.push_back(axis);
  }
  for (std::vector<AxisRef>* axes : {&replicated, &unreduced, &manual_axes}) {
    SortAndMergeAxes(*axes, mesh);
  }
  return NamedSharding::Create(std::move(mesh), std::move(dims), std::move(replicated),
                               std::move(unreduced), std::move(manual_axes), sharding.reduction);
}

absl::StatusOr<HloSharding> ToHloSharding(const ShardySharding& sharding,
                                          const ShardyMeshes& meshes,
                                          absl::Span<const std::string> manual) {
  XLA_ASSIGN_OR_RETURN(const NamedSharding named, ToNamedSharding(sharding, meshes, manual));
  return HloSharding::V3ToV2Sharding(named);
}

ShardySharding WithoutAxes(ShardySharding sharding, absl::Span<const std::string> axes) {
  const auto drop = [&](std::vector<ShardyAxis>& list) {
    list.erase(std::remove_if(list.begin(), list.end(),
                              [&](const ShardyAxis& axis) {
                                return std::find(axes.begin(), axes.end(), axis.name) != axes.end();
                              }),
               list.end());
  };
  for (ShardyDimension& dimension : sharding.dimensions) drop(dimension.axes);
  drop(sharding.replicated);
  drop(sharding.unreduced);
  return sharding;
}

}  // namespace xla::stablehlo
