// SPDX-License-Identifier: Apache-2.0
// Device meshes and shardings by named axes: {mesh['x'=2,'y'=4], [{'x'}, {'y':(1)2, ?}],
// replicated={..}}.
#include <memory>
#include <utility>

#include "absl/strings/str_format.h"
#include "xla/hlo/text/parser_impl.h"

namespace xla::text {
namespace {

// Far above any real use; names are compared linearly.
constexpr size_t kMostAxes = 256;

// Names are printed between quotes as they are.
bool IsPlainName(std::string_view name) {
  for (char c : name) {
    const auto byte = static_cast<uint8_t>(c);
    if (byte < 0x20 || byte == 0x7f || c == '\'' || c == '"' || c == '\\') return false;
  }
  return true;
}

}  // namespace

// mesh['x'=2,'y'=4], then perhaps ', device_ids=(..)'; or maximal_mesh[device_id=N]. A comma after
// a mesh is consumed, too, with the optional name between a mesh and its axes.
bool HloTextParser::ParseMesh(Mesh* mesh) {
  const bool is_maximal = AtIdent("maximal_mesh");
  lexer_.Next();
  if (is_maximal) {
    if (!Expect(TokKind::kLsquare, "expected '[' after maximal_mesh")) return false;
    std::string_view name;
    if (!ParseAttributeName(&name))
      return TokenError("expected device_id= attribute in maximal_mesh");
    if (name != "device_id") return TokenError("expected device_id= attribute in maximal_mesh");
    return ParseValue(&mesh->maximal_device.emplace()) &&
           Expect(TokKind::kRsquare, "expected ']' to end maximal_mesh");
  }

  const Loc axes_loc = loc();
  if (!Expect(TokKind::kLsquare, "expected '[' after mesh")) return false;
  if (kind() != TokKind::kRsquare) {
    do {
      if (mesh->axes.size() == kMostAxes)
        return TokenError(Cat("a mesh has at most ", kMostAxes, " axes"));
      Mesh::Axis& axis = mesh->axes.emplace_back();
      const Loc name_loc = loc();
      if (!ParseValue(&axis.name)) return false;
      if (!IsPlainName(axis.name)) {
        return Error(name_loc,
                     "an axis name cannot hold quotes, backslashes or control characters");
      }
      if (!Expect(TokKind::kEqual, "expects '=' after axis name") || !ParseValue(&axis.size))
        return false;
    } while (Eat(TokKind::kComma));
  }
  if (!Expect(TokKind::kRsquare, "expected ']' to end mesh axes")) return false;
  for (size_t i = 0; i < mesh->axes.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (mesh->axes[i].name == mesh->axes[j].name) {
        return Error(axes_loc, Cat("the mesh has two axes '", mesh->axes[i].name, "'"));
      }
    }
  }
  const auto num_devices = mesh->NumDevices();
  if (!num_devices.ok()) return Error(axes_loc, std::string(num_devices.status().message()));

  if (!Eat(TokKind::kComma)) return true;
  std::string_view name;
  // The error is removed if valid axes follow; XLA reports it first.
  if (!ParseAttributeName(&name) || name != "device_ids") return true;
  const Loc ids_loc = loc();
  if (!Expect(TokKind::kLparen, "expected '(' for device_ids")) return false;
  if (kind() == TokKind::kLsquare) {
    if (!ParseIotaArray(&mesh->iota_reshape_dims, &mesh->iota_transpose_perm) ||
        !Expect(TokKind::kRparen, "expected ')' to end device_ids")) {
      return false;
    }
    auto ids = FlattenIota(mesh->iota_reshape_dims, mesh->iota_transpose_perm);
    if (!ids.ok()) return Error(ids_loc, std::string(ids.status().message()));
    mesh->device_ids = *std::move(ids);
    CanonicalizeIota(&mesh->iota_reshape_dims, &mesh->iota_transpose_perm);
  } else {
    if (kind() != TokKind::kRparen) {
      do {
        if (!ParseValue(&mesh->device_ids.emplace_back())) return false;
      } while (Eat(TokKind::kComma));
    }
    if (!Expect(TokKind::kRparen, "expected ')' to end device_ids")) return false;
  }
  if (static_cast<int64_t>(mesh->device_ids.size()) != *num_devices) {
    return Error(ids_loc, absl::StrFormat("Expected %d device_ids based on mesh axes, but got %d",
                                          *num_devices, mesh->device_ids.size()));
  }
  return true;
}

// 'x', or 'x':(pre)size
bool HloTextParser::ParseAxisRef(const Mesh& mesh, AxisRef* axis) {
  const Loc name_loc = loc();
  if (!ParseValue(&axis->name)) return false;
  bool is_known = false;
  for (const Mesh::Axis& mesh_axis : mesh.axes) is_known |= mesh_axis.name == axis->name;
  if (!is_known) {
    return Error(name_loc,
                 Cat("axis '", axis->name, "' is not an axis of the mesh ", mesh.ToString()));
  }
  if (!Eat(TokKind::kColon)) return true;
  return Expect(TokKind::kLparen, "expected '(' before pre_size in sub axis") &&
         ParseValue(&axis->pre_size.emplace()) &&
         Expect(TokKind::kRparen, "expected ')' after pre_size in sub axis") &&
         ParseValue(&axis->size.emplace());
}

bool HloTextParser::ParseAxisRefList(const Mesh& mesh, std::vector<AxisRef>* axes) {
  return ParseList(TokKind::kLbrace, TokKind::kRbrace, TokKind::kComma,
                   [&] { return ParseAxisRef(mesh, &axes->emplace_back()); });
}

bool HloTextParser::ParseNamedSharding(HloSharding* sharding) {
  HloSharding result;
  result.kind = HloSharding::Kind::kNamed;
  auto named = std::make_shared<HloSharding::Named>();
  const size_t known_errors = errors_.size();
  if (!ParseMesh(&named->mesh)) return false;
  const auto finish = [&] {
    result.named = std::move(named);
    *sharding = std::move(result);
    if (!Expect(TokKind::kRbrace, "expected '}' to end sharding attribute")) return false;
    errors_.Truncate(known_errors);
    return true;
  };
  const auto parse_metadata_if_there = [&] {
    if (!Eat(TokKind::kComma)) return true;
    std::string_view name;
    if (!ParseAttributeName(&name)) return false;
    return name == "metadata" ? ParseMetadataOrList(&result.metadata)
                              : TokenError("expected metadata= in a sharding");
  };
  if (named->mesh.maximal_device) return parse_metadata_if_there() && finish();

  Eat(TokKind::kComma);
  if (kind() == TokKind::kwReplicated || kind() == TokKind::kwUnreduced ||
      kind() == TokKind::kwManual) {
    named->fully_replicated = kind() == TokKind::kwReplicated;
    std::vector<AxisRef>& axes = kind() == TokKind::kwUnreduced ? named->unreduced : named->manual;
    if (!named->fully_replicated) {
      for (const Mesh::Axis& axis : named->mesh.axes) axes.push_back({.name = axis.name});
    }
    lexer_.Next();
    return parse_metadata_if_there() && finish();
  }

  // One entry a dimension: the axes it is cut by.
  const auto parse_dimension = [&] {
    HloSharding::Named::Dim& dim = named->dims.emplace_back();
    return ParseList(TokKind::kLbrace, TokKind::kRbrace, TokKind::kComma, [&] {
      if (!dim.is_closed) return TokenError("Saw axis ref after '?'");
      if (Eat(TokKind::kQuestionMark)) {
        dim.is_closed = false;
        return true;
      }
      return ParseAxisRef(named->mesh, &dim.axes.emplace_back());
    });
  };
  if (!ParseList(TokKind::kLsquare, TokKind::kRsquare, TokKind::kComma, parse_dimension))
    return false;
  while (kind() != TokKind::kRbrace) {
    std::string_view name;
    if (!Expect(TokKind::kComma, "expected ',' before next attribute") ||
        !ParseAttributeName(&name))
      return false;
    const bool ok =
        name == "replicated"  ? ParseAxisRefList(named->mesh, &named->replicated)
        : name == "unreduced" ? ParseAxisRefList(named->mesh, &named->unreduced)
        : name == "manual"    ? ParseAxisRefList(named->mesh, &named->manual)
        : name == "metadata"
            ? ParseMetadataOrList(&result.metadata)
            : TokenError(
                  "unknown attribute in named sharding: expected replicated, unreduced, "
                  "manual or metadata");
    if (!ok) return false;
  }
  return finish();
}

}  // namespace xla::text
