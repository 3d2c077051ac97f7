// SPDX-License-Identifier: Apache-2.0
// Shardings by tiles, replica groups and domains. (Shardings by named axes: parser_mesh.cc.)
#include <utility>

#include "absl/strings/str_format.h"
#include "xla/hlo/text/parser_impl.h"

namespace xla::text {

// '{' sharding '}', or '{' ('{' sharding '}') % ',' '}' for a tuple, or '{}' for the empty tuple.
bool HloTextParser::ParseValue(HloSharding* value) {
  if (!Expect(TokKind::kLbrace, "expected '{' to start sharding attribute")) return false;
  if (kind() != TokKind::kLbrace && kind() != TokKind::kRbrace)
    return ParseOneSharding(/*brace_is_eaten=*/true, value);
  std::vector<HloSharding> elements;
  if (kind() != TokKind::kRbrace) {
    do {
      if (!ParseOneSharding(/*brace_is_eaten=*/false, &elements.emplace_back())) return false;
    } while (Eat(TokKind::kComma));
  }
  *value = HloSharding::Tuple(std::move(elements));
  return Expect(TokKind::kRbrace, "expected '}' to end sharding attribute");
}

// '[' int % ',' ']' ('T(' int % ',' ')')?: the permutation is there if there is more than one
// dimension.
bool HloTextParser::ParseIotaArray(std::vector<int64_t>* reshape_dims,
                                   std::vector<int>* transpose_perm) {
  if (!Expect(TokKind::kLsquare, "expected '[' to start sharding iota_reshape_dims")) return false;
  do {
    if (!ParseValue(&reshape_dims->emplace_back())) return false;
  } while (Eat(TokKind::kComma));
  if (!Expect(TokKind::kRsquare, "expected ']' to end sharding iota_reshape_dims")) return false;
  const size_t rank = reshape_dims->size();
  if (rank == 1) {
    transpose_perm->push_back(0);
    return true;
  }
  constexpr std::string_view kStart = "expected 'T(' to start sharding devices iota_transpose_perm";
  if (!AtIdent("T")) return TokenError(std::string(kStart));
  const Loc perm_loc = loc();
  lexer_.Next();
  if (!Expect(TokKind::kLparen, kStart)) return false;
  std::vector<bool> seen(rank, false);
  bool is_permutation = true;
  do {
    int64_t dim;
    if (!ParseValue(&dim)) return false;
    if (dim < 0 || dim >= static_cast<int64_t>(rank)) {
      return TokenError(absl::StrFormat(
          "Out of range iota minor_to_major value %d, expecting value in range [0, %d)", dim,
          rank));
    }
    is_permutation &= !seen[dim];
    seen[dim] = true;
    transpose_perm->push_back(static_cast<int>(dim));
  } while (Eat(TokKind::kComma));
  if (!Expect(TokKind::kRparen, "expected ')' to end sharding devices iota_transpose_perm"))
    return false;
  if (transpose_perm->size() != rank) {
    return Error(
        perm_loc,
        absl::StrFormat("iota_transpose_perm should have the same rank as iota_reshape_dims : "
                        "expected %d, saw %d.",
                        rank, transpose_perm->size()));
  }
  return is_permutation || Error(perm_loc, "iota_transpose_perm names a dimension twice");
}

// '[' int % ',' ']' ('<=' iota array | int % ',')
bool HloTextParser::ParseTileAssignment(std::vector<int64_t>* tile_dims,
                                        std::vector<int64_t>* reshape_dims,
                                        std::vector<int>* transpose_perm,
                                        std::vector<int64_t>* devices) {
  if (!Expect(TokKind::kLsquare, "expected '[' to start sharding devices shape")) return false;
  do {
    if (!ParseValue(&tile_dims->emplace_back())) return false;
  } while (Eat(TokKind::kComma));
  if (!Expect(TokKind::kRsquare, "expected ']' to end sharding devices shape")) return false;
  if (Eat(TokKind::kLeq)) return ParseIotaArray(reshape_dims, transpose_perm);
  if (devices == nullptr) {
    return TokenError(
        "Caller expected iota tile assignment when parsing, which should not have any manual "
        "device entries.");
  }
  do {
    if (!ParseValue(&devices->emplace_back())) return false;
  } while (Eat(TokKind::kComma));
  return true;
}

bool HloTextParser::ParseOneSharding(bool brace_is_eaten, HloSharding* sharding) {
  if (!brace_is_eaten && !Expect(TokKind::kLbrace, "expected '{' to start sharding attribute"))
    return false;
  if (AtIdent("mesh") || AtIdent("maximal_mesh")) return ParseNamedSharding(sharding);

  const Loc start = loc();
  bool maximal = false, replicated = false, manual = false, unknown = false, unreduced = false;
  HloSharding tiled;
  tiled.kind = HloSharding::Kind::kTiled;
  std::vector<int64_t>& devices = tiled.devices;
  const auto parse_group = [&](HloSharding::Group group) {
    lexer_.Next();
    tiled.group = group;
    return ParseValue(&tiled.group_id);
  };
  const auto parse_last_tile_dims = [&] {
    if (!Expect(TokKind::kLbrace, "expected '{' to start sharding type list")) return false;
    if (kind() != TokKind::kRbrace) {
      do {
        switch (kind()) {
          case TokKind::kwMaximal:
            tiled.last_tile_dims.push_back(OpSharding_Type_MAXIMAL);
            break;
          case TokKind::kwReplicated:
            tiled.last_tile_dims.push_back(OpSharding_Type_REPLICATED);
            break;
          case TokKind::kwManual:
            tiled.last_tile_dims.push_back(OpSharding_Type_MANUAL);
            break;
          case TokKind::kwUnreduced:
            tiled.last_tile_dims.push_back(OpSharding_Type_UNREDUCED);
            break;
          default:
            return false;
        }
        lexer_.Next();
      } while (Eat(TokKind::kComma));
    }
    return Expect(TokKind::kRbrace, "expected '}' to end sharding type list");
  };

  while (kind() != TokKind::kRbrace) {
    switch (kind()) {
      case TokKind::kwMaximal:
        maximal = true;
        lexer_.Next();
        break;
      case TokKind::kwReplicated:
        replicated = true;
        lexer_.Next();
        break;
      case TokKind::kwManual:
        manual = true;
        lexer_.Next();
        break;
      case TokKind::kwUnknown:
        unknown = true;
        lexer_.Next();
        break;
      case TokKind::kwUnreduced:
        unreduced = true;
        lexer_.Next();
        break;
      case TokKind::kwLastTileDimReplicate:
        tiled.last_tile_dim_replicate = true;
        lexer_.Next();
        break;
      case TokKind::kwShardAs:
        if (!parse_group(HloSharding::Group::kAs)) return false;
        break;
      case TokKind::kwShardLike:
        if (!parse_group(HloSharding::Group::kLike)) return false;
        break;
      case TokKind::kAttributeName: {
        const std::string_view name = lexer_.token().text;
        if (name == "device") {
          lexer_.Next();
          if (kind() != TokKind::kInt) return TokenError("device= attribute must be an integer");
          devices = {lexer_.token().integer};
          lexer_.Next();
        } else if (name == "devices") {
          lexer_.Next();
          tiled.tile_dims.clear();
          devices.clear();
          tiled.reshape_dims.clear();
          tiled.transpose_perm.clear();
          if (!ParseTileAssignment(&tiled.tile_dims, &tiled.reshape_dims, &tiled.transpose_perm,
                                   &devices))
            return false;
        } else if (name == "metadata") {
          lexer_.Next();
          if (!ParseMetadataOrList(&tiled.metadata)) return false;
        } else if (name == "last_tile_dims") {
          lexer_.Next();
          if (!parse_last_tile_dims()) return false;
        } else {
          return TokenError(
              "unknown attribute in sharding: expected device=, devices= metadata= or "
              "last_tile_dims= ");
        }
        break;
      }
      default:
        return TokenError("unexpected token");
    }
  }

  const auto without_devices = [&](std::string_view what, HloSharding whole) {
    if (!devices.empty())
      return Error(start, Cat(what, " shardings should not have any devices assigned"));
    *sharding = std::move(whole);
    return true;
  };
  bool ok = true;
  if (replicated) {
    ok = without_devices("replicated", HloSharding::Replicate());
  } else if (maximal) {
    if (devices.size() != 1)
      return Error(start, "maximal shardings should have exactly one device assigned");
    *sharding = HloSharding::AssignDevice(devices[0]);
  } else if (manual) {
    ok = without_devices("manual", HloSharding::Manual());
  } else if (unknown) {
    ok = without_devices("unknown", HloSharding::Unknown());
  } else if (unreduced) {
    ok = without_devices("unreduced", HloSharding::Unreduced());
  } else {
    if (tiled.tile_dims.empty()) {
      return Error(start,
                   "non-maximal shardings must have a tile assignment list including dimensions");
    }
    if (tiled.reshape_dims.empty() && devices.size() <= 1) {
      return Error(start, "non-maximal shardings must have more than one device assigned");
    }
    *sharding = tiled;
    auto canonical = sharding->Canonical();
    if (canonical.ok()) {
      *sharding = *std::move(canonical);
    } else if (tiled.reshape_dims.empty() ||
               (tiled.last_tile_dim_replicate && !tiled.last_tile_dims.empty())) {
      return Error(start, std::string(canonical.status().message()));
    }
    // An iota of another size than the tiles is the verifier's to reject.
  }
  if (!ok) return false;
  sharding->group = tiled.group;
  sharding->group_id = tiled.group_id;
  sharding->metadata = std::move(tiled.metadata);
  lexer_.Next();
  return true;
}

// '{' ('{' int % ',' '}') % ',' '}', or '[' groups ',' size ']' '<=' iota array, or mesh[..] {axes}
bool HloTextParser::ParseValue(CollectiveDeviceList* value) {
  if (kind() == TokKind::kLbrace) {
    value->form = CollectiveDeviceList::Form::kExplicit;
    return ParseValue(&value->groups);
  }
  if (AtIdent("mesh")) {
    value->form = CollectiveDeviceList::Form::kMesh;
    const size_t known_errors = errors_.size();
    if (!ParseMesh(&value->mesh.emplace()) || !ParseAxisRefList(*value->mesh, &value->mesh_axes))
      return false;
    errors_.Truncate(known_errors);
    return true;
  }
  std::vector<int64_t> tile_dims, reshape_dims;
  std::vector<int> transpose_perm;
  if (!ParseTileAssignment(&tile_dims, &reshape_dims, &transpose_perm, nullptr)) return false;
  if (tile_dims.size() != 2) return false;
  *value = CollectiveDeviceList::Iota(tile_dims[0], tile_dims[1], std::move(reshape_dims),
                                      std::move(transpose_perm));
  return true;
}

// '{' 'kind=' string, 'entry=' sharding, 'exit=' sharding '}'
bool HloTextParser::ParseValue(DomainAttributes::Value* value) {
  static constexpr NamedValue<DomainAttributes::Value> kMembers[] = {
      {"kind", true,
       [](HloTextParser& p, DomainAttributes::Value& v) { return p.ParseValue(&v.kind); }},
      {"entry", true,
       [](HloTextParser& p, DomainAttributes::Value& v) { return p.ParseValue(&v.entry); }},
      {"exit", true,
       [](HloTextParser& p, DomainAttributes::Value& v) { return p.ParseValue(&v.exit); }},
  };
  if (!ParseRecord(kMembers, /*in_braces=*/true, value)) return false;
  if (value->kind != "sharding") return TokenError(Cat("unsupported domain kind: ", value->kind));
  return true;
}

}  // namespace xla::text
