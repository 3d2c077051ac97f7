// SPDX-License-Identifier: Apache-2.0
// Shardings by tiles, replica groups and domains. (Shardings by named axes: parser_mesh.cc.)
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "xla/base/string_view.h"
#include "xla/hlo/text/parser_impl.h"
#include "xla/util.h"

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

namespace {

// What the words and attributes between the braces of a sharding say, in any order.
struct ShardingWords {
  bool maximal = false, replicated = false, manual = false, unknown = false, unreduced = false;
  bool last_tile_dim_replicate = false;
  std::vector<int64_t> tile_dims, reshape_dims, devices;
  std::vector<int> transpose_perm;
  std::vector<OpSharding_Type> last_tile_dims;
  HloSharding::ShardGroup group;
  std::vector<InstructionMetadata> metadata;
};

absl::StatusOr<HloSharding> WithoutDevices(const ShardingWords& words, std::string_view what,
                                           HloSharding whole) {
  if (words.devices.empty()) return whole;
  return absl::InvalidArgumentError(
      absl::StrCat(View(what), " shardings should not have any devices assigned"));
}

absl::StatusOr<HloSharding> TiledSharding(const ShardingWords& words) {
  if (words.tile_dims.empty()) {
    return absl::InvalidArgumentError(
        "non-maximal shardings must have a tile assignment list including dimensions");
  }
  if (words.reshape_dims.empty() && words.devices.size() <= 1) {
    return absl::InvalidArgumentError(
        "non-maximal shardings must have more than one device assigned");
  }
  if (words.last_tile_dim_replicate && !words.last_tile_dims.empty()) {
    return absl::InvalidArgumentError("sharding: last_tile_dim_replicate and last_tile_dims");
  }
  absl::StatusOr<TileAssignment> tiles =
      words.reshape_dims.empty()
          ? TileAssignment::Create(words.tile_dims, words.devices)
          : TileAssignment::CreateIota(words.tile_dims, words.reshape_dims, words.transpose_perm);
  if (!tiles.ok()) return AddContext(tiles.status(), "sharding");
  std::vector<OpSharding_Type> types = words.last_tile_dims;
  if (words.last_tile_dim_replicate) types = {OpSharding_Type_REPLICATED};
  return HloSharding::FromSubgroups(*tiles, types);
}

absl::StatusOr<HloSharding> ToSharding(const ShardingWords& words) {
  if (words.replicated) return WithoutDevices(words, "replicated", HloSharding::Replicate());
  if (words.maximal) {
    if (words.devices.size() == 1) return HloSharding::SingleDevice(words.devices[0]);
    return absl::InvalidArgumentError("maximal shardings should have exactly one device assigned");
  }
  if (words.manual) return WithoutDevices(words, "manual", HloSharding::Manual());
  if (words.unknown) return WithoutDevices(words, "unknown", HloSharding::Unknown());
  if (words.unreduced) return WithoutDevices(words, "unreduced", HloSharding::Unreduced());
  return TiledSharding(words);
}

}  // namespace

// '{' type % ',' '}'
bool HloTextParser::ParseSubgroupTypes(std::vector<OpSharding_Type>* types) {
  return ParseList(TokKind::kLbrace, TokKind::kRbrace, TokKind::kComma, [&] {
    static constexpr std::pair<TokKind, OpSharding_Type> kTypes[] = {
        {TokKind::kwMaximal, OpSharding_Type_MAXIMAL},
        {TokKind::kwReplicated, OpSharding_Type_REPLICATED},
        {TokKind::kwManual, OpSharding_Type_MANUAL},
        {TokKind::kwUnreduced, OpSharding_Type_UNREDUCED}};
    for (const auto& [word, type] : kTypes) {
      if (!Eat(word)) continue;
      types->push_back(type);
      return true;
    }
    return false;
  });
}

bool HloTextParser::ParseOneSharding(bool brace_is_eaten, HloSharding* sharding) {
  if (!brace_is_eaten && !Expect(TokKind::kLbrace, "expected '{' to start sharding attribute"))
    return false;
  if (AtIdent("mesh") || AtIdent("maximal_mesh")) return ParseNamedSharding(sharding);

  const Loc start = loc();
  ShardingWords words;
  const auto parse_group = [&](HloSharding::ShardGroup::Type type) {
    words.group.type = type;
    return ParseValue(&words.group.id);
  };
  const auto parse_attribute = [&](std::string_view name) {
    if (name == "device") {
      if (kind() != TokKind::kInt) return TokenError("device= attribute must be an integer");
      words.devices = {lexer_.token().integer};
      lexer_.Next();
      return true;
    }
    if (name == "devices") {
      words.tile_dims.clear();
      words.devices.clear();
      words.reshape_dims.clear();
      words.transpose_perm.clear();
      return ParseTileAssignment(&words.tile_dims, &words.reshape_dims, &words.transpose_perm,
                                 &words.devices);
    }
    return name == "metadata" ? ParseMetadataOrList(&words.metadata)
                              : ParseSubgroupTypes(&words.last_tile_dims);
  };
  const std::pair<TokKind, bool*> flags[] = {
      {TokKind::kwMaximal, &words.maximal},
      {TokKind::kwReplicated, &words.replicated},
      {TokKind::kwManual, &words.manual},
      {TokKind::kwUnknown, &words.unknown},
      {TokKind::kwUnreduced, &words.unreduced},
      {TokKind::kwLastTileDimReplicate, &words.last_tile_dim_replicate}};
  const auto eat_flag = [&] {
    for (const auto& [word, flag] : flags) {
      if (Eat(word)) return *flag = true;
    }
    return false;
  };
  while (kind() != TokKind::kRbrace) {
    if (eat_flag()) continue;
    bool ok;
    if (Eat(TokKind::kwShardAs)) {
      ok = parse_group(HloSharding::ShardGroup::Type::kAs);
    } else if (Eat(TokKind::kwShardLike)) {
      ok = parse_group(HloSharding::ShardGroup::Type::kLike);
    } else if (kind() == TokKind::kAttributeName) {
      const std::string_view name = lexer_.token().text;
      if (name != "device" && name != "devices" && name != "metadata" && name != "last_tile_dims") {
        return TokenError(
            "unknown attribute in sharding: expected device=, devices= metadata= or "
            "last_tile_dims= ");
      }
      lexer_.Next();
      ok = parse_attribute(name);
    } else {
      return TokenError("unexpected token");
    }
    if (!ok) return false;
  }

  auto made = ToSharding(words);
  if (!made.ok()) return Error(start, std::string(made.status().message()));
  *sharding = *std::move(made);
  sharding->SetShardGroup(words.group);
  sharding->metadata() = std::move(words.metadata);
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
