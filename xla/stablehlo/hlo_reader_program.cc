// SPDX-License-Identifier: Apache-2.0
// Tuples, control flow, calls, effects, random numbers and collectives of HLO as StableHLO.
#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/literal.h"
#include "xla/shape_util.h"
#include "xla/stablehlo/hlo_reader.h"

namespace xla::stablehlo {
namespace {

using mlir::AttributeRef;
using mlir::NamedAttribute;
using mlir::TypeRef;

size_t LeafCount(const Shape& shape) {
  if (!shape.IsTuple()) return 1;
  size_t count = 0;
  for (const Shape& element : shape.tuple_shapes()) count += LeafCount(element);
  return count;
}

absl::Status ReadTuple(HloReader& reader, const HloInstruction& instruction) {
  reader.Set(instruction, reader.Operands(instruction));
  return absl::OkStatus();
}

absl::Status ReadGetTupleElement(HloReader& reader, const HloInstruction& instruction) {
  const Shape& tuple = instruction.operand(0)->shape();
  size_t first = 0;
  for (int64_t i = 0; i < instruction.tuple_index(); ++i) {
    first += LeafCount(tuple.tuple_shapes(static_cast<int>(i)));
  }
  const Leaves& leaves = reader.Get(instruction.operand(0));
  const auto begin = leaves.begin() + static_cast<ptrdiff_t>(first);
  reader.Set(instruction,
             Leaves(begin, begin + static_cast<ptrdiff_t>(LeafCount(instruction.shape()))));
  return absl::OkStatus();
}

absl::Status ReadBarrier(HloReader& reader, const HloInstruction& instruction) {
  return reader.EmitFor(instruction, "stablehlo.optimization_barrier",
                        reader.Operands(instruction));
}

absl::Status ReadCall(HloReader& reader, const HloInstruction& instruction) {
  XLA_ASSIGN_OR_RETURN(const std::string_view callee, reader.Function(*instruction.to_apply()));
  const AttributeRef symbol = reader.context().Symbol(callee);
  const auto& facts = instruction.extras().frontend_attributes;
  const auto name = facts.find("composite.name");
  if (!instruction.attributes<CallAttributes>().is_composite || name == facts.end()) {
    const NamedAttribute attributes[] = {{"callee", symbol}};
    return reader.EmitFor(instruction, "func.call", reader.Operands(instruction), attributes);
  }
  std::vector<NamedAttribute> attributes = {{"name", reader.Text(name->second)},
                                            {"decomposition", symbol}};
  const auto dictionary = facts.find("composite.attributes");
  if (dictionary != facts.end() && dictionary->second != "{}") {
    const auto parsed = mlir::ReadAttribute(
        reader.context().arena().Copy(std::string_view(dictionary->second)), &reader.context());
    if (!parsed.ok()) return parsed.status();
    attributes.push_back({"composite_attributes", *parsed});
  }
  return reader.EmitFor(instruction, "stablehlo.composite", reader.Operands(instruction),
                        attributes);
}

absl::Status ReadFusion(HloReader& reader, const HloInstruction& instruction) {
  std::vector<Leaves> parameters;
  for (const HloInstruction* operand : instruction.operands()) {
    parameters.push_back(reader.Get(operand));
  }
  XLA_ASSIGN_OR_RETURN(Leaves results, reader.Inline(*instruction.to_apply(), parameters));
  reader.Set(instruction, std::move(results));
  return absl::OkStatus();
}

absl::Status ReadWhile(HloReader& reader, const HloInstruction& instruction) {
  HloComputation* const regions[] = {instruction.while_condition(), instruction.while_body()};
  return reader.EmitWithRegions(instruction, "stablehlo.while", reader.Operands(instruction), {},
                                regions);
}

// Branches see the values of outside, so that they take no arguments.
absl::Status ReadConditional(HloReader& reader, const HloInstruction& instruction) {
  XLA_ASSIGN_OR_RETURN(const std::vector<TypeRef> types, reader.TypesOf(instruction.shape()));
  const bool is_if = instruction.operand(0)->shape().element_type() == PRED;
  mlir::Operation* operation =
      reader.Emit(is_if ? "stablehlo.if" : "stablehlo.case", {reader.One(instruction.operand(0))},
                  types, {}, instruction.called_computations().size());
  for (size_t i = 0; i < operation->regions.size(); ++i) {
    const Leaves parameters[] = {reader.Get(instruction.operand(static_cast<int64_t>(i) + 1))};
    XLA_RETURN_IF_ERROR(reader.FillRegionWith(&operation->regions[i],
                                              *instruction.called_computations()[i], parameters));
  }
  Leaves results;
  for (mlir::Value& result : operation->results) results.push_back(&result);
  reader.Set(instruction, std::move(results));
  return absl::OkStatus();
}

// --- Effects ---

absl::Status ReadAfterAll(HloReader& reader, const HloInstruction& instruction) {
  return reader.EmitFor(instruction, "stablehlo.after_all", reader.Operands(instruction));
}

absl::Status ReadInfeed(HloReader& reader, const HloInstruction& instruction) {
  const NamedAttribute attributes[] = {
      {"infeed_config", reader.Text(instruction.attributes<InfeedAttributes>().infeed_config)}};
  return reader.EmitFor(instruction, "stablehlo.infeed", reader.Operands(instruction), attributes);
}

absl::Status ReadOutfeed(HloReader& reader, const HloInstruction& instruction) {
  const NamedAttribute attributes[] = {
      {"outfeed_config", reader.Text(instruction.attributes<OutfeedAttributes>().outfeed_config)}};
  return reader.EmitFor(instruction, "stablehlo.outfeed", reader.Operands(instruction), attributes);
}

AttributeRef ChannelHandle(HloReader& reader, int64_t id, int64_t type) {
  const NamedAttribute parameters[] = {{"handle", reader.I64(id)}, {"type", reader.I64(type)}};
  return reader.context().DialectOf("stablehlo", "channel_handle", {}, parameters);
}

// A send and its end are one operation: the start stands for its operands.
absl::Status ReadStart(HloReader& reader, const HloInstruction& instruction) {
  reader.Set(instruction, reader.Operands(instruction));
  return absl::OkStatus();
}

absl::Status ReadDone(HloReader& reader, const HloInstruction& instruction) {
  const auto& transfer = instruction.operand(0)->attributes<SendRecvAttributes>();
  const bool is_send = instruction.opcode() == HloOpcode::kSendDone;
  const int64_t type = !transfer.is_host_transfer ? 1 : is_send ? 2 : 3;
  const NamedAttribute attributes[] = {
      {"channel_handle", ChannelHandle(reader, transfer.channel_id.value_or(0), type)},
      {"is_host_transfer", reader.Flag(transfer.is_host_transfer)}};
  return reader.EmitFor(instruction, is_send ? "stablehlo.send" : "stablehlo.recv",
                        reader.Get(instruction.operand(0)), attributes);
}

absl::Status ReadCustomCall(HloReader& reader, const HloInstruction& instruction) {
  const auto& call = instruction.attributes<CustomCallAttributes>();
  if (absl::StartsWith(call.custom_call_target, "sdy.")) reader.SetShardy();
  for (const HloInstruction* operand : instruction.operands()) {
    if (operand->shape().IsTuple()) {
      return reader.Unimplemented(instruction, "a custom call of tuples");
    }
  }
  const TypeRef i32 = reader.context().Integer(32);
  std::vector<NamedAttribute> attributes = {
      {"call_target_name", reader.Text(call.custom_call_target)}};
  if (call.has_side_effect) attributes.push_back({"has_side_effect", reader.Flag(true)});
  const auto version = static_cast<int64_t>(call.api_version);
  if (call.api_version != CustomCallApiVersion::API_VERSION_ORIGINAL) {
    attributes.push_back({"api_version", reader.context().IntegerOf(i32, version)});
  }
  const std::string& config = instruction.extras().backend_config;
  if (!config.empty()) {
    AttributeRef value = reader.Text(config);
    if (call.api_version == CustomCallApiVersion::API_VERSION_TYPED_FFI) {
      const auto parsed = mlir::ReadAttribute(
          reader.context().arena().Copy(std::string_view(config)), &reader.context());
      if (!parsed.ok()) return parsed.status();
      value = *parsed;
    }
    attributes.push_back({"backend_config", value});
  }
  std::vector<AttributeRef> aliases;
  for (const OutputOperandAlias& alias : call.output_to_operand_aliasing) {
    const NamedAttribute parameters[] = {
        {"output_tuple_indices", reader.List(alias.output_index)},
        {"operand_index", reader.I64(alias.operand)},
        {"operand_tuple_indices", reader.List(alias.operand_index)}};
    aliases.push_back(
        reader.context().DialectOf("stablehlo", "output_operand_alias", {}, parameters));
  }
  if (!aliases.empty()) {
    attributes.push_back({"output_operand_aliases", reader.context().Array(aliases)});
  }
  std::vector<AttributeRef> called;
  for (const HloComputation* computation : instruction.called_computations()) {
    XLA_ASSIGN_OR_RETURN(const std::string_view name, reader.Function(*computation));
    called.push_back(reader.context().Symbol(name));
  }
  if (!called.empty()) {
    attributes.push_back({"called_computations", reader.context().Array(called)});
  }
  return reader.EmitFor(instruction, "stablehlo.custom_call", reader.Operands(instruction),
                        attributes);
}

// --- Random numbers ---

absl::Status ReadRng(HloReader& reader, const HloInstruction& instruction) {
  const bool is_normal =
      instruction.attributes<RngAttributes>().distribution == RandomDistribution::RNG_NORMAL;
  const Shape& shape = instruction.shape();
  const std::vector<int64_t> sizes(shape.dimensions().begin(), shape.dimensions().end());
  const int64_t count[] = {static_cast<int64_t>(sizes.size())};
  const TypeRef type = reader.context().RankedTensor(count, reader.context().Integer(64));
  const NamedAttribute value[] = {
      {"value", reader.context().arena().New<mlir::DenseAttribute>(
                    mlir::Attribute{mlir::AttributeKind::kDense}, sizes.size() == 1, type,
                    reader.context().I64Array(sizes)->data)}};
  mlir::Operation* constant = reader.Emit("stablehlo.constant", {}, {type}, value);
  Leaves operands = reader.Operands(instruction);
  operands.push_back(&constant->results[0]);
  const NamedAttribute attributes[] = {
      {"rng_distribution", reader.Keyword("rng_distribution", is_normal ? "NORMAL" : "UNIFORM")}};
  return reader.EmitFor(instruction, "stablehlo.rng", operands, attributes);
}

absl::Status ReadRngBitGenerator(HloReader& reader, const HloInstruction& instruction) {
  const RandomAlgorithm algorithm = instruction.attributes<RngBitGeneratorAttributes>().algorithm;
  const std::string_view keyword = algorithm == RandomAlgorithm::RNG_PHILOX      ? "PHILOX"
                                   : algorithm == RandomAlgorithm::RNG_THREE_FRY ? "THREE_FRY"
                                                                                 : "DEFAULT";
  const NamedAttribute attributes[] = {{"rng_algorithm", reader.Keyword("rng_algorithm", keyword)}};
  return reader.EmitFor(instruction, "stablehlo.rng_bit_generator", reader.Operands(instruction),
                        attributes);
}

// --- Collectives ---

// The groups written out: none means one of all.
absl::StatusOr<std::vector<std::vector<int64_t>>> GroupsOf(const HloReader& reader,
                                                           const CollectiveBase& base,
                                                           bool global) {
  XLA_ASSIGN_OR_RETURN(std::vector<std::vector<int64_t>> groups, base.replica_groups.Flatten());
  if (!groups.empty()) return groups;
  const HloModuleConfig& config = reader.config();
  const int64_t count = config.replica_count() * (global ? config.num_partitions() : 1);
  groups.emplace_back();
  for (int64_t i = 0; i < count; ++i) groups.back().push_back(i);
  return groups;
}

absl::Status AddBase(HloReader& reader, const CollectiveBase& base, bool global,
                     std::vector<NamedAttribute>* attributes) {
  XLA_ASSIGN_OR_RETURN(const auto groups, GroupsOf(reader, base, global));
  size_t width = 0;
  for (const auto& group : groups) width = std::max(width, group.size());
  attributes->push_back({"replica_groups", reader.Rows(groups, static_cast<int64_t>(width))});
  if (base.channel_id.has_value()) {
    attributes->push_back({"channel_handle", ChannelHandle(reader, *base.channel_id, 1)});
  }
  return absl::OkStatus();
}

absl::Status ReadCollective(HloReader& reader, const HloInstruction& instruction) {
  std::vector<NamedAttribute> attributes;
  std::string_view name;
  bool global = false;
  const Leaves operands = reader.Operands(instruction);
  if (const auto* all_gather = instruction.attributes_if<AllGatherAttributes>()) {
    name = "stablehlo.all_gather";
    XLA_RETURN_IF_ERROR(
        AddBase(reader, *all_gather, all_gather->use_global_device_ids, &attributes));
    attributes.push_back({"all_gather_dim", reader.I64(all_gather->dimensions[0])});
    global = all_gather->use_global_device_ids;
  } else if (const auto* all_reduce = instruction.attributes_if<AllReduceAttributes>()) {
    name = "stablehlo.all_reduce";
    XLA_RETURN_IF_ERROR(
        AddBase(reader, *all_reduce, all_reduce->use_global_device_ids, &attributes));
    global = all_reduce->use_global_device_ids;
  } else if (const auto* scatter = instruction.attributes_if<ReduceScatterAttributes>()) {
    name = "stablehlo.reduce_scatter";
    if (operands.size() != 1) {
      return reader.Unimplemented(instruction, "a reduce-scatter of several operands");
    }
    XLA_RETURN_IF_ERROR(AddBase(reader, *scatter, scatter->use_global_device_ids, &attributes));
    attributes.push_back({"scatter_dimension", reader.I64(scatter->dimensions[0])});
    global = scatter->use_global_device_ids;
  } else {
    name = "stablehlo.collective_broadcast";
    XLA_RETURN_IF_ERROR(
        AddBase(reader, instruction.attributes<CollectiveAttributes>(), false, &attributes));
  }
  if (global) attributes.push_back({"use_global_device_ids", reader.context().Unit()});
  return reader.EmitWithRegions(instruction, name, operands, attributes,
                                instruction.called_computations());
}

absl::Status ReadAllToAll(HloReader& reader, const HloInstruction& instruction) {
  const auto& exchange = instruction.attributes<AllToAllAttributes>();
  if (!exchange.dimensions.has_value()) {
    return reader.Unimplemented(instruction, "an all-to-all of tuples");
  }
  std::vector<NamedAttribute> attributes;
  XLA_RETURN_IF_ERROR(AddBase(reader, exchange, false, &attributes));
  XLA_ASSIGN_OR_RETURN(const auto groups, GroupsOf(reader, exchange, false));
  const AttributeRef dimension = reader.I64((*exchange.dimensions)[0]);
  attributes.push_back({"split_dimension", dimension});
  attributes.push_back({"concat_dimension", dimension});
  attributes.push_back({"split_count", reader.I64(static_cast<int64_t>(groups[0].size()))});
  return reader.EmitFor(instruction, "stablehlo.all_to_all", reader.Operands(instruction),
                        attributes);
}

absl::Status ReadCollectivePermute(HloReader& reader, const HloInstruction& instruction) {
  const auto& permute = instruction.attributes<CollectivePermuteAttributes>();
  if (!permute.slice_sizes.empty()) {
    return reader.Unimplemented(instruction, "a collective-permute of slices");
  }
  std::vector<std::vector<int64_t>> pairs;
  for (const auto& [source, target] : permute.source_target_pairs) {
    pairs.push_back({source, target});
  }
  std::vector<NamedAttribute> attributes = {{"source_target_pairs", reader.Rows(pairs, 2)}};
  if (permute.channel_id.has_value()) {
    attributes.push_back({"channel_handle", ChannelHandle(reader, *permute.channel_id, 1)});
  }
  return reader.EmitFor(instruction, "stablehlo.collective_permute", reader.Operands(instruction),
                        attributes);
}

absl::Status ReadId(HloReader& reader, const HloInstruction& instruction) {
  return reader.EmitFor(instruction,
                        instruction.opcode() == HloOpcode::kReplicaId ? "stablehlo.replica_id"
                                                                      : "stablehlo.partition_id",
                        {});
}

}  // namespace

HloHandler FindProgramReader(HloOpcode opcode) {
  static constexpr std::pair<HloOpcode, HloHandler> kReaders[] = {
      {HloOpcode::kAfterAll, ReadAfterAll},
      {HloOpcode::kAllGather, ReadCollective},
      {HloOpcode::kAllReduce, ReadCollective},
      {HloOpcode::kAllToAll, ReadAllToAll},
      {HloOpcode::kCall, ReadCall},
      {HloOpcode::kCollectiveBroadcast, ReadCollective},
      {HloOpcode::kCollectivePermute, ReadCollectivePermute},
      {HloOpcode::kConditional, ReadConditional},
      {HloOpcode::kCustomCall, ReadCustomCall},
      {HloOpcode::kFusion, ReadFusion},
      {HloOpcode::kGetTupleElement, ReadGetTupleElement},
      {HloOpcode::kInfeed, ReadInfeed},
      {HloOpcode::kOptimizationBarrier, ReadBarrier},
      {HloOpcode::kOutfeed, ReadOutfeed},
      {HloOpcode::kPartitionId, ReadId},
      {HloOpcode::kRecv, ReadStart},
      {HloOpcode::kRecvDone, ReadDone},
      {HloOpcode::kReduceScatter, ReadCollective},
      {HloOpcode::kReplicaId, ReadId},
      {HloOpcode::kRng, ReadRng},
      {HloOpcode::kRngBitGenerator, ReadRngBitGenerator},
      {HloOpcode::kSend, ReadStart},
      {HloOpcode::kSendDone, ReadDone},
      {HloOpcode::kTuple, ReadTuple},
      {HloOpcode::kWhile, ReadWhile},
  };
  for (const auto& [known, reader] : kReaders) {
    if (known == opcode) return reader;
  }
  return nullptr;
}

}  // namespace xla::stablehlo
