// SPDX-License-Identifier: Apache-2.0
// Device meshes and shardings by named axes: {mesh['x'=2,'y'=4], [{'x'}, {'y':(1)2, ?}],
// replicated={..}}.
#include <optional>
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
    int64_t device;
    if (!ParseValue(&device)) return false;
    *mesh = Mesh(device);
    return Expect(TokKind::kRsquare, "expected ']' to end maximal_mesh");
  }

  const Loc axes_loc = loc();
  std::vector<std::string> names;
  std::vector<int64_t> sizes;
  if (!Expect(TokKind::kLsquare, "expected '[' after mesh")) return false;
  if (kind() != TokKind::kRsquare) {
    do {
      if (names.size() == kMostAxes)
        return TokenError(Cat("a mesh has at most ", kMostAxes, " axes"));
      const Loc name_loc = loc();
      if (!ParseValue(&names.emplace_back())) return false;
      if (!IsPlainName(names.back())) {
        return Error(name_loc,
                     "an axis name cannot hold quotes, backslashes or control characters");
      }
      if (!Expect(TokKind::kEqual, "expects '=' after axis name") ||
          !ParseValue(&sizes.emplace_back()))
        return false;
    } while (Eat(TokKind::kComma));
  }
  if (!Expect(TokKind::kRsquare, "expected ']' to end mesh axes")) return false;
  auto made = Mesh::Create(sizes, names);
  if (!made.ok()) return Error(axes_loc, std::string(made.status().message()));
  *mesh = *std::move(made);

  if (!Eat(TokKind::kComma)) return true;
  std::string_view name;
  // The error is removed if valid axes follow; XLA reports it first.
  if (!ParseAttributeName(&name) || name != "device_ids") return true;
  return ParseMeshDevices(mesh);
}

// '(' (iota array | int % ',') ')'
bool HloTextParser::ParseMeshDevices(Mesh* mesh) {
  const Loc ids_loc = loc();
  const std::vector<int64_t> sizes(mesh->axis_sizes().begin(), mesh->axis_sizes().end());
  std::vector<int64_t> reshape_dims, device_ids;
  std::vector<int> transpose_perm;
  if (!Expect(TokKind::kLparen, "expected '(' for device_ids")) return false;
  const bool is_iota = kind() == TokKind::kLsquare;
  if (is_iota) {
    if (!ParseIotaArray(&reshape_dims, &transpose_perm)) return false;
  } else if (kind() != TokKind::kRparen) {
    do {
      if (!ParseValue(&device_ids.emplace_back())) return false;
    } while (Eat(TokKind::kComma));
  }
  if (!Expect(TokKind::kRparen, "expected ')' to end device_ids")) return false;
  if (!is_iota && static_cast<int64_t>(device_ids.size()) != mesh->num_devices()) {
    return Error(ids_loc, absl::StrFormat("Expected %d device_ids based on mesh axes, but got %d",
                                          mesh->num_devices(), device_ids.size()));
  }
  auto devices = is_iota ? TileAssignment::CreateIota(sizes, reshape_dims, transpose_perm)
                         : TileAssignment::Create(sizes, device_ids);
  if (!devices.ok()) return Error(ids_loc, std::string(devices.status().message()));
  auto made =
      Mesh::Create(*std::move(devices), {mesh->axis_names().begin(), mesh->axis_names().end()});
  if (!made.ok()) return Error(ids_loc, std::string(made.status().message()));
  *mesh = *std::move(made);
  return true;
}

// 'x', or 'x':(pre)size
bool HloTextParser::ParseAxisRef(const Mesh& mesh, std::vector<AxisRef>* axes) {
  const Loc name_loc = loc();
  std::string name;
  if (!ParseValue(&name)) return false;
  const std::optional<int64_t> index = mesh.FindAxis(name);
  if (!index.has_value()) {
    return Error(name_loc, Cat("axis '", name, "' is not an axis of the mesh ", mesh.ToString()));
  }
  AxisRef axis(*index);
  if (Eat(TokKind::kColon)) {
    AxisRef::SubAxis part;
    if (!Expect(TokKind::kLparen, "expected '(' before pre_size in sub axis") ||
        !ParseValue(&part.pre_size) ||
        !Expect(TokKind::kRparen, "expected ')' after pre_size in sub axis") ||
        !ParseValue(&part.size)) {
      return false;
    }
    axis = AxisRef(*index, part);
    if (const absl::Status valid = axis.Validate(mesh); !valid.ok()) {
      return Error(name_loc, std::string(valid.message()));
    }
  }
  axes->push_back(axis);
  return true;
}

bool HloTextParser::ParseAxisRefList(const Mesh& mesh, std::vector<AxisRef>* axes) {
  return ParseList(TokKind::kLbrace, TokKind::kRbrace, TokKind::kComma,
                   [&] { return ParseAxisRef(mesh, axes); });
}

bool HloTextParser::ParseNamedSharding(HloSharding* sharding) {
  const size_t known_errors = errors_.size();
  const Loc start = loc();
  Mesh mesh;
  if (!ParseMesh(&mesh)) return false;
  std::vector<InstructionMetadata> metadata;
  const auto finish = [&](NamedSharding named) {
    *sharding = HloSharding(std::move(named));
    sharding->metadata() = std::move(metadata);
    if (!Expect(TokKind::kRbrace, "expected '}' to end sharding attribute")) return false;
    errors_.Truncate(known_errors);
    return true;
  };
  const auto parse_metadata_if_there = [&] {
    if (!Eat(TokKind::kComma)) return true;
    std::string_view name;
    if (!ParseAttributeName(&name)) return false;
    return name == "metadata" ? ParseMetadataOrList(&metadata)
                              : TokenError("expected metadata= in a sharding");
  };
  if (mesh.IsMaximal()) return parse_metadata_if_there() && finish(NamedSharding(mesh));

  Eat(TokKind::kComma);
  if (const TokKind word = kind();
      word == TokKind::kwReplicated || word == TokKind::kwUnreduced || word == TokKind::kwManual) {
    lexer_.Next();
    return parse_metadata_if_there() &&
           finish(word == TokKind::kwReplicated  ? NamedSharding::Replicate(mesh)
                  : word == TokKind::kwUnreduced ? NamedSharding::Unreduced(mesh)
                                                 : NamedSharding::Manual(mesh));
  }

  // One entry for each dimension: the axes that it is divided by.
  std::vector<NamedSharding::DimensionSharding> dims;
  const auto parse_dimension = [&] {
    std::vector<AxisRef> axes;
    bool is_closed = true;
    const auto parse_axis = [&] {
      if (!is_closed) return TokenError("Saw axis ref after '?'");
      if (Eat(TokKind::kQuestionMark)) {
        is_closed = false;
        return true;
      }
      return ParseAxisRef(mesh, &axes);
    };
    if (!ParseList(TokKind::kLbrace, TokKind::kRbrace, TokKind::kComma, parse_axis)) return false;
    dims.emplace_back(std::move(axes), is_closed);
    return true;
  };
  if (!ParseList(TokKind::kLsquare, TokKind::kRsquare, TokKind::kComma, parse_dimension))
    return false;
  std::vector<AxisRef> replicated, unreduced, manual;
  while (kind() != TokKind::kRbrace) {
    std::string_view name;
    if (!Expect(TokKind::kComma, "expected ',' before next attribute") ||
        !ParseAttributeName(&name))
      return false;
    const bool ok =
        name == "replicated"  ? ParseAxisRefList(mesh, &replicated)
        : name == "unreduced" ? ParseAxisRefList(mesh, &unreduced)
        : name == "manual"    ? ParseAxisRefList(mesh, &manual)
        : name == "metadata"
            ? ParseMetadataOrList(&metadata)
            : TokenError(
                  "unknown attribute in named sharding: expected replicated, unreduced, "
                  "manual or metadata");
    if (!ok) return false;
  }
  auto named = NamedSharding::Create(mesh, std::move(dims), std::move(replicated),
                                     std::move(unreduced), std::move(manual));
  if (!named.ok()) return Error(start, std::string(named.status().message()));
  return finish(*std::move(named));
}

}  // namespace xla::text
