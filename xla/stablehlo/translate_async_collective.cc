// SPDX-License-Identifier: Apache-2.0
// The custom calls have the attributes of the collective as JSON, in a frontend attribute.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/base/string_view.h"
#include "xla/mlir/text_cursor.h"
#include "xla/stablehlo/async_collective.h"

namespace xla::stablehlo {
namespace {

using mlir::Operation;

constexpr std::string_view kConfigAttribute = "async_collective_config";

// What JAX states of a collective; the members that one has depend on its kind.
struct Config {
  std::vector<std::vector<int64_t>> groups, permutation;
  std::optional<int64_t> channel, all_gather_dimension, scatter_dimension, split_dimension,
      concat_dimension, split_count;
  bool use_global_device_ids = false;
};

class ConfigReader {
 public:
  explicit ConfigReader(std::string_view text) : cursor_(text, &arena_) {}

  absl::StatusOr<Config> Read() {
    Config config;
    if (Members(&config) && !cursor_.AtEnd()) cursor_.FailExpected("the end of the config");
    XLA_RETURN_IF_ERROR(cursor_.ToStatus(kConfigAttribute));
    return config;
  }

 private:
  bool Members(Config* config) {
    if (!cursor_.Expect('{')) return false;
    if (cursor_.Consume('}')) return true;
    do {
      std::string_view name;
      if (!cursor_.String(&name) || !cursor_.Expect(':') || !Member(name, config)) return false;
    } while (cursor_.Consume(','));
    return cursor_.Expect('}');
  }

  bool Member(std::string_view name, Config* config) {
    if (name == "replica_groups") return Lists(&config->groups);
    if (name == "permutation") return Lists(&config->permutation);
    if (name == "use_global_device_ids") return Flag(&config->use_global_device_ids);
    bool is_tiled;  // The shape of the result tells.
    if (name == "tiled") return Flag(&is_tiled);
    if (name == "channel_id") return Integer(&config->channel.emplace());
    if (name == "all_gather_dimension") return Integer(&config->all_gather_dimension.emplace());
    if (name == "scatter_dimension") return Integer(&config->scatter_dimension.emplace());
    if (name == "split_dimension") return Integer(&config->split_dimension.emplace());
    if (name == "concat_dimension") return Integer(&config->concat_dimension.emplace());
    if (name == "split_count") return Integer(&config->split_count.emplace());
    return cursor_.Fail(absl::StrCat("'", View(name), "' of a collective is not known"));
  }

  bool Flag(bool* value) {
    *value = cursor_.ConsumeWord("true");
    return *value || cursor_.ExpectWord("false");
  }

  bool Integer(int64_t* value) {
    const bool is_negative = cursor_.Consume('-');
    if (!cursor_.Digits(value)) return false;
    if (is_negative) *value = static_cast<int64_t>(-static_cast<uint64_t>(*value));
    cursor_.SkipSpace();
    return true;
  }

  bool Lists(std::vector<std::vector<int64_t>>* lists) {
    if (!cursor_.Expect('[')) return false;
    if (cursor_.Consume(']')) return true;
    do {
      std::vector<int64_t>& list = lists->emplace_back();
      if (!cursor_.Expect('[')) return false;
      if (cursor_.Consume(']')) continue;
      do {
        int64_t value;
        if (!Integer(&value)) return false;
        if (value >= 0) list.push_back(value);  // -1 pads shorter groups
      } while (cursor_.Consume(','));
      if (!cursor_.Expect(']')) return false;
    } while (cursor_.Consume(','));
    return cursor_.Expect(']');
  }

  mlir::Arena arena_;
  mlir::TextCursor cursor_;
};

absl::StatusOr<Config> ConfigOf(const Translator& translator, const Operation& operation) {
  const mlir::AttributeRef attributes = operation.Find("mhlo.frontend_attributes");
  const auto* entries =
      attributes == nullptr ? nullptr : attributes->As<mlir::DictionaryAttribute>();
  const mlir::AttributeRef value =
      entries == nullptr ? nullptr : mlir::FindAttribute(entries->entries, kConfigAttribute);
  const auto* text = value == nullptr ? nullptr : value->As<mlir::StringAttribute>();
  if (text == nullptr) {
    return translator.Error(operation,
                            absl::StrCat("needs the frontend attribute ", View(kConfigAttribute)));
  }
  auto config = ConfigReader(text->value).Read();
  if (!config.ok()) return translator.Error(operation, std::string(config.status().message()));
  return config;
}

void SetBase(Translator& translator, std::string_view kind, Config& config, CollectiveBase* base) {
  if (config.channel.value_or(0) > 0) {
    base->channel_id = translator.Channel(*config.channel, kind);
  }
  base->replica_groups.groups = std::move(config.groups);
}

absl::StatusOr<HloComputation*> Combiner(Translator& translator, const Operation& operation) {
  const mlir::AttributeRef called = operation.Find("called_computations");
  const auto* list = called == nullptr ? nullptr : called->As<mlir::ArrayAttribute>();
  const auto* symbol = list == nullptr || list->elements.size() != 1
                           ? nullptr
                           : list->elements[0]->As<mlir::SymbolRefAttribute>();
  if (symbol == nullptr) return translator.Error(operation, "needs a function that combines");
  return translator.Function(operation, symbol->root);
}

absl::StatusOr<int64_t> Needed(const Translator& translator, const Operation& operation,
                               const std::optional<int64_t>& value, std::string_view name) {
  if (value.has_value()) return *value;
  return translator.Error(operation, absl::StrCat("needs '", View(name), "' in its config"));
}

absl::Status Start(Translator& translator, const Operation& operation, std::string_view kind) {
  XLA_ASSIGN_OR_RETURN(Config config, ConfigOf(translator, operation));
  const std::vector<HloInstruction*> operands = translator.Operands(operation);
  if (kind == "all-reduce") {
    AllReduceAttributes attributes;
    SetBase(translator, kind, config, &attributes);
    attributes.use_global_device_ids = config.use_global_device_ids;
    XLA_ASSIGN_OR_RETURN(HloComputation * combiner, Combiner(translator, operation));
    return translator.EmitResults(operation, HloOpcode::kAllReduce, operands, attributes,
                                  {combiner});
  }
  if (kind == "reduce-scatter") {
    ReduceScatterAttributes attributes;
    SetBase(translator, kind, config, &attributes);
    attributes.use_global_device_ids = config.use_global_device_ids;
    attributes.dimensions.resize(1);
    XLA_ASSIGN_OR_RETURN(
        attributes.dimensions[0],
        Needed(translator, operation, config.scatter_dimension, "scatter_dimension"));
    XLA_ASSIGN_OR_RETURN(HloComputation * combiner, Combiner(translator, operation));
    return translator.EmitResults(operation, HloOpcode::kReduceScatter, operands, attributes,
                                  {combiner});
  }
  if (kind == "all-gather") {
    AllGatherAttributes attributes;
    SetBase(translator, kind, config, &attributes);
    attributes.use_global_device_ids = config.use_global_device_ids;
    attributes.dimensions.resize(1);
    XLA_ASSIGN_OR_RETURN(
        attributes.dimensions[0],
        Needed(translator, operation, config.all_gather_dimension, "all_gather_dimension"));
    return translator.EmitResults(operation, HloOpcode::kAllGather, operands, attributes);
  }
  if (kind == "collective-permute") {
    CollectivePermuteAttributes attributes;
    if (config.channel.value_or(0) > 0) {
      attributes.channel_id = translator.Channel(*config.channel, kind);
    }
    for (const std::vector<int64_t>& pair : config.permutation) {
      if (pair.size() != 2) return translator.Error(operation, "a permutation is of pairs");
      attributes.source_target_pairs.emplace_back(pair[0], pair[1]);
    }
    return translator.EmitResults(operation, HloOpcode::kCollectivePermute, operands, attributes);
  }
  AllToAllAttributes attributes;
  SetBase(translator, kind, config, &attributes);
  XLA_ASSIGN_OR_RETURN(const int64_t split,
                       Needed(translator, operation, config.split_dimension, "split_dimension"));
  XLA_ASSIGN_OR_RETURN(const int64_t concat,
                       Needed(translator, operation, config.concat_dimension, "concat_dimension"));
  XLA_ASSIGN_OR_RETURN(const int64_t count,
                       Needed(translator, operation, config.split_count, "split_count"));
  attributes.dimensions = std::vector<int64_t>{split};
  const int64_t rank = operands.size() == 1 ? operands[0]->shape().rank() : 0;
  if (split < 0 || split >= rank || concat < 0 || concat >= rank || count < 1 ||
      operands[0]->shape().dimensions(static_cast<int>(split)) % count != 0) {
    return translator.Error(operation, "cannot split the operand in that many pieces");
  }
  XLA_ASSIGN_OR_RETURN(HloInstruction * result,
                       EmitAllToAll(translator, operands[0], attributes, split, concat, count));
  translator.SetResults(operation, result);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<bool> TranslateAsyncCollective(Translator& translator, const Operation& operation,
                                              std::string_view target) {
  for (const std::string_view kind :
       {"all-reduce", "reduce-scatter", "all-gather", "collective-permute", "all-to-all"}) {
    if (target.substr(0, kind.size()) != kind) continue;
    const std::string_view part = target.substr(kind.size());
    if (part == "-start") {
      XLA_RETURN_IF_ERROR(Start(translator, operation, kind));
      return true;
    }
    if (part != "-done") continue;
    if (operation.operands.size() != 1 || operation.results.size() != 1) {
      return translator.Error(operation, "needs what started it");
    }
    translator.Set(operation.results[0], translator.Operand(operation, 0));
    return true;
  }
  return false;
}

}  // namespace xla::stablehlo
