// SPDX-License-Identifier: Apache-2.0
// Calls of the caller's functions, with shapes and shardings as serialized protos.
#include "xla/pjrt/custom_partitioner.h"

#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/hlo/ir/call_rewriting.h"
#include "xla/hlo/ir/sharding_attributes.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/pjrt/entry.h"
#include "xla/pjrt/python.h"
#include "xla/spmd/instructions.h"
#include "xla/spmd/sharding_rule.h"
#include "xla/spmd/sharding_strategy.h"
#include "xla/stablehlo/translate.h"
#include "xla/xla_data.pb.h"

namespace xla::pjrt {
namespace {

using spmd::OperandSharding;
using spmd::PartitionedCall;
using spmd::ShardLayout;
using Text = JAX_CustomCallPartitioner_string;

struct Registry {
  std::mutex mutex;
  std::map<std::string, JAX_CustomCallPartitioner_Callbacks*, std::less<>> partitioners;
};

Registry& GlobalRegistry() {
  static auto* const registry = new Registry;  // used by threads until the process ends
  return *registry;
}

JAX_CustomCallPartitioner_Callbacks* FindPartitioner(const HloInstruction& instruction) {
  if (instruction.opcode() != HloOpcode::kCustomCall) return nullptr;
  Registry& registry = GlobalRegistry();
  const std::lock_guard<std::mutex> lock(registry.mutex);
  const auto found =
      registry.partitioners.find(instruction.attributes<CustomCallAttributes>().custom_call_target);
  return found == registry.partitioners.end() ? nullptr : found->second;
}

Text TextOf(const std::string& text) { return {text.data(), text.size()}; }

absl::string_view ViewOf(const Text& text) {
  return text.data == nullptr ? absl::string_view() : absl::string_view(text.data, text.size);
}

absl::StatusOr<HloSharding> ParseSharding(absl::string_view bytes) {
  OpSharding proto;
  if (!proto.ParseFromString(std::string(bytes))) {
    return absl::InvalidArgumentError("a partitioner's sharding is not an OpSharding");
  }
  return HloSharding::FromProto(proto);
}

// Where the texts of operands live while a function is called.
struct Operands {
  std::vector<std::string> texts;
  std::vector<JAX_CustomCallPartitioner_aval> values;

  Operands(const HloInstruction& call, absl::Span<const OperandSharding> shardings) {
    texts.reserve(2 * shardings.size());  // they must not move
    for (size_t i = 0; i < shardings.size(); ++i) {
      const HloInstruction& operand = *call.operand(static_cast<int64_t>(i));
      texts.push_back(operand.shape().ToProto().SerializeAsString());
      const Text shape = TextOf(texts.back());
      texts.push_back(shardings[i].sharding.ToProto().SerializeAsString());
      values.push_back({shape, true, TextOf(texts.back())});
    }
  }
};

// A call of a function of the caller, whose results are freed with it.
template <typename Args>
struct FunctionCall {
  FunctionCall() = default;
  FunctionCall(const FunctionCall&) = delete;
  FunctionCall& operator=(const FunctionCall&) = delete;
  ~FunctionCall() {
    if (args.header.cleanup_fn != nullptr) args.header.cleanup_fn(args.header.data);
  }

  absl::Status Run(void (*function)(JAX_CustomCallPartitioner_Callbacks*, Args*),
                   JAX_CustomCallPartitioner_Callbacks* callbacks) {
    function(callbacks, &args);
    if (!args.header.has_error) return absl::OkStatus();
    return StatusOf(args.header.code, args.header.error_msg.data, args.header.error_msg.size);
  }

  Args args = {};
};

// One sharding for each array of the result.
absl::StatusOr<std::vector<HloSharding>> ShardingsOfResult(const HloInstruction& call,
                                                           HloSharding sharding) {
  if (!call.shape().IsTuple()) return std::vector<HloSharding>{std::move(sharding)};
  const auto count = static_cast<size_t>(call.shape().tuple_shapes_size());
  if (!sharding.IsTuple()) return std::vector<HloSharding>(count, sharding);
  if (sharding.tuple_elements().size() != count) {
    return absl::InvalidArgumentError(absl::StrCat(call.ToShortString(), ": a sharding of ",
                                                   sharding.tuple_elements().size(),
                                                   " results, not of ", count));
  }
  return std::move(sharding.tuple_elements());
}

absl::StatusOr<HloSharding> ResultByRule(const HloInstruction& call, absl::string_view text,
                                         absl::Span<const OperandSharding> operands,
                                         int64_t partitions) {
  XLA_ASSIGN_OR_RETURN(const spmd::ShardingRule rule,
                       spmd::ParseShardingRule(std::string_view(text.data(), text.size())));
  std::vector<const ShardLayout*> layouts;
  for (const OperandSharding& operand : operands) layouts.push_back(operand.layout);
  XLA_ASSIGN_OR_RETURN(const std::vector<ShardLayout> results,
                       spmd::ResultsByRule(rule, layouts, partitions));
  const bool is_tuple = call.shape().IsTuple();
  const size_t count = is_tuple ? static_cast<size_t>(call.shape().tuple_shapes_size()) : 1;
  if (results.size() != count) {
    return absl::InvalidArgumentError(
        absl::StrCat(call.ToShortString(), ": the sharding rule is for another number of results"));
  }
  std::vector<HloSharding> shardings;
  for (size_t i = 0; i < count; ++i) {
    const Shape& shape = is_tuple ? call.shape().tuple_shapes(static_cast<int>(i)) : call.shape();
    // A division that does not come out even is not suggested.
    const bool is_even = shape.rank() == static_cast<int64_t>(results[i].counts.size()) &&
                         spmd::IsEven(shape, results[i]);
    XLA_ASSIGN_OR_RETURN(HloSharding sharding, spmd::ToHloSharding(results[i]));
    shardings.push_back(is_even ? std::move(sharding) : HloSharding::Replicate());
  }
  return is_tuple ? HloSharding::Tuple(std::move(shardings)) : std::move(shardings[0]);
}

absl::StatusOr<HloSharding> InferResult(const HloInstruction& call, Operands& operands,
                                        JAX_CustomCallPartitioner_Callbacks* callbacks) {
  const std::string shape = call.shape().ToProto().SerializeAsString();
  FunctionCall<JAX_CustomCallPartitioner_InferShardingFromOperands_Args> function;
  auto& args = function.args;
  args.num_args = operands.values.size();
  args.op_args = operands.values.data();
  args.result_shape = TextOf(shape);
  args.backend_config = TextOf(call.raw_backend_config_string());
  XLA_RETURN_IF_ERROR(function.Run(callbacks->infer_sharding, callbacks));
  if (!args.has_result_sharding) return HloSharding::Replicate();
  return ParseSharding(ViewOf(args.result_sharding));
}

absl::StatusOr<HloSharding> SuggestResult(const HloInstruction& call, Operands& texts,
                                          absl::Span<const OperandSharding> operands,
                                          JAX_CustomCallPartitioner_Callbacks* callbacks) {
  const HloModuleConfig& config = call.parent()->parent()->config();
  const auto& attributes = call.extras().frontend_attributes;
  const auto rule = attributes.find(kShardingRuleAttribute);
  HloSharding result = HloSharding::Replicate();
  if (rule != attributes.end()) {
    XLA_ASSIGN_OR_RETURN(result,
                         ResultByRule(call, rule->second, operands, config.num_partitions()));
  } else if (!config.use_shardy_partitioner()) {
    XLA_ASSIGN_OR_RETURN(result, InferResult(call, texts, callbacks));
  }
  if (!call.shape().IsTuple() || result.IsTuple()) return result;
  return HloSharding::Tuple(
      std::vector<HloSharding>(static_cast<size_t>(call.shape().tuple_shapes_size()), result));
}

// The program as one computation.
absl::StatusOr<std::unique_ptr<HloModule>> ReadProgram(absl::string_view code) {
  XLA_ASSIGN_OR_RETURN(std::unique_ptr<HloModule> module,
                       stablehlo::ReadStableHlo(std::string(code), "partition"));
  XLA_RETURN_IF_ERROR(InlineAllCalls(module.get()).status());
  XLA_RETURN_IF_ERROR(VerifyModule(*module));
  return module;
}

}  // namespace

absl::Status RegisterPartitioner(std::string_view target,
                                 JAX_CustomCallPartitioner_Callbacks* callbacks) {
  if (callbacks->version != 0) {
    return absl::InvalidArgumentError(absl::StrCat("the partitioner's callbacks are of version ",
                                                   callbacks->version, "; this library knows 0"));
  }
  if (callbacks->partition == nullptr || callbacks->infer_sharding == nullptr) {
    return absl::InvalidArgumentError("the partitioner has no functions");
  }
  Registry& registry = GlobalRegistry();
  const std::lock_guard<std::mutex> lock(registry.mutex);
  registry.partitioners.insert_or_assign(std::string(target), callbacks);
  return absl::OkStatus();
}

bool RegisteredPartitioners::Partitions(const HloInstruction& call) const {
  return FindPartitioner(call) != nullptr;
}

bool RegisteredPartitioners::TakesShards(const HloInstruction& call) const {
  return spmd::IsCall(call, kPartitionedPythonCallback);
}

absl::StatusOr<PartitionedCall> RegisteredPartitioners::Partition(
    const HloInstruction& call, absl::Span<const OperandSharding> operands) const {
  JAX_CustomCallPartitioner_Callbacks* callbacks = FindPartitioner(call);
  Operands texts(call, operands);
  XLA_ASSIGN_OR_RETURN(const HloSharding suggested,
                       SuggestResult(call, texts, operands, callbacks));
  const std::string shape = call.shape().ToProto().SerializeAsString();
  const std::string sharding = suggested.ToProto().SerializeAsString();
  FunctionCall<JAX_CustomCallPartitioner_Partition_Args> function;
  auto& args = function.args;
  args.num_args = texts.values.size();
  args.op_args = texts.values.data();
  args.op_result = {TextOf(shape), true, TextOf(sharding)};
  args.backend_config = TextOf(call.raw_backend_config_string());
  XLA_RETURN_IF_ERROR(function.Run(callbacks->partition, callbacks));
  PartitionedCall partition;
  for (size_t i = 0; i < args.num_args; ++i) {
    XLA_ASSIGN_OR_RETURN(HloSharding operand, ParseSharding(ViewOf(args.args_sharding[i])));
    partition.operands.push_back(std::move(operand));
  }
  XLA_ASSIGN_OR_RETURN(HloSharding result, ParseSharding(ViewOf(args.result_sharding)));
  XLA_ASSIGN_OR_RETURN(partition.results, ShardingsOfResult(call, std::move(result)));
  XLA_ASSIGN_OR_RETURN(partition.program, ReadProgram(ViewOf(args.mlir_module)));
  const int64_t parameters = partition.program->entry_computation()->num_parameters();
  if (parameters != call.operand_count()) {
    return absl::InvalidArgumentError(
        absl::StrCat(call.ToShortString(), ": the partitioner's program has ", parameters,
                     " parameters for ", call.operand_count(), " operands"));
  }
  return partition;
}

absl::Status RegisteredPartitioners::ReportSharding(const HloInstruction& call,
                                                    const HloSharding& sharding) const {
  const std::string& config = call.raw_backend_config_string();
  JAX_InspectSharding_Callback callback;
  if (config.size() != sizeof(callback)) {
    return absl::InvalidArgumentError(
        absl::StrCat(call.ToShortString(), ": backend_config must be a callback of ",
                     sizeof(callback), " bytes, not ", config.size()));
  }
  std::memcpy(&callback, config.data(), sizeof(callback));
  const std::string text = sharding.ToProto().SerializeAsString();
  JAX_InspectSharding_Callback_Args args = {};
  args.sharding_spec = text.data();
  args.sharding_spec_size = text.size();
  callback.call(callback.data, &args);
  if (args.error_txt == nullptr) return absl::OkStatus();
  absl::Status status =
      absl::InternalError(absl::StrCat("Error calling inspect_sharding: ", args.error_txt));
  if (args.free_error != nullptr) args.free_error(&args);
  return status;
}

}  // namespace xla::pjrt
