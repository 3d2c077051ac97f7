// SPDX-License-Identifier: Apache-2.0
// Programs: read, compiled, described.
#include "xla/pjrt/program.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "xla/base/fnv_hash.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/proto/hlo_proto.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/lapack/lapack.h"
#include "xla/passes/expand.h"
#include "xla/pjrt/compiler_options.h"
#include "xla/pjrt/cost.h"
#include "xla/pjrt/custom_calls.h"
#include "xla/pjrt/custom_partitioner.h"
#include "xla/pjrt/entry_attributes.h"
#include "xla/pjrt/profiler.h"
#include "xla/pjrt/python.h"
#include "xla/pjrt/transforms.h"
#include "xla/pjrt/types.h"
#include "xla/runtime/packed_elements.h"
#include "xla/service/cpu_compile_options.h"
#include "xla/service/custom_call_check.h"
#include "xla/service/dump.h"
#include "xla/service/saved_program.h"
#include "xla/shape_util.h"
#include "xla/spmd/module_shardings.h"
#include "xla/spmd/partition.h"
#include "xla/stablehlo/translate.h"
#include "xla/xla.pb.h"

namespace xla::pjrt {
namespace {

// The format of programs that functions of the caller partitioned: these may be gone when the
// program is read again.
constexpr char kPartitioned[] = "partitioned";

absl::StatusOr<std::unique_ptr<HloModule>> ReadModuleWithConfig(const std::string& code) {
  // The configuration repeats the options.
  HloModuleProtoWithConfig proto;
  if (!proto.ParseFromString(code) || !proto.has_hlo_module()) {
    return absl::InvalidArgumentError("the program is not an HloModuleProtoWithConfig");
  }
  return CreateModuleFromProto(proto.hlo_module());
}

// A program that was partitioned before, and how.
absl::StatusOr<std::unique_ptr<HloModule>> ReadPartitioned(const std::string& code,
                                                           spmd::ProgramShardings& shardings) {
  HloModuleProto proto;
  if (!proto.ParseFromString(code)) {
    return absl::InvalidArgumentError("the partitioned program is not an HloModuleProto");
  }
  for (const OpSharding& parameter : proto.spmd_parameters_shardings()) {
    XLA_ASSIGN_OR_RETURN(HloSharding sharding, HloSharding::FromProto(parameter));
    shardings.parameters.push_back(std::move(sharding));
  }
  XLA_ASSIGN_OR_RETURN(HloSharding output, HloSharding::FromProto(proto.spmd_output_sharding()));
  if (output.IsTuple()) {
    shardings.outputs = std::move(output.tuple_elements());
  } else {
    shardings.outputs.push_back(std::move(output));
  }
  return CreateModuleFromProto(proto);
}

absl::StatusOr<std::unique_ptr<HloModule>> ReadModule(const ProgramSource& source,
                                                      EntryAttributes& attributes,
                                                      spmd::ProgramShardings& shardings) {
  if (source.format == "mlir") {
    XLA_ASSIGN_OR_RETURN(const std::unique_ptr<mlir::Source> program,
                         stablehlo::LoadStableHlo(source.code, "program"));
    XLA_ASSIGN_OR_RETURN(attributes, ReadEntryAttributes(*program));
    return stablehlo::TranslateToHlo(program.get(), {.shardy = stablehlo::ShardyForm::kAxes},
                                     /*releases=*/true);
  }
  if (source.format == "hlo") return ParseModuleFromProtoBytes(source.code);
  if (source.format == kPartitioned) return ReadPartitioned(source.code, shardings);
  if (source.format == "hlo_with_config") return ReadModuleWithConfig(source.code);
  return absl::InvalidArgumentError(absl::StrCat("a program of format \"", source.format,
                                                 "\"; known are mlir, hlo and hlo_with_config"));
}

// Returns the number of a parameter's leaf among the arguments; nullopt if there is no such leaf.
std::optional<size_t> ArgumentLeaf(const Executable& executable, int64_t parameter,
                                   const std::vector<int64_t>& index) {
  const ProgramShape& layout = executable.module().entry_computation_layout();
  if (parameter < 0 || parameter >= layout.parameters_size()) return std::nullopt;
  const Shape* leaf =
      &ShapeUtil::GetSubshape(layout.parameters(static_cast<int>(parameter)), index);
  const auto& leaves = executable.argument_leaves();
  const auto found = std::find(leaves.begin(), leaves.end(), leaf);
  if (found == leaves.end()) return std::nullopt;
  return static_cast<size_t>(found - leaves.begin());
}

// Marks as donated the arguments that the program states to share memory with a result and, of
// those that it may reuse, as many as there are other results of their size.
void DescribeDonations(Program& program) {
  const Executable& executable = *program.executable;
  const HloModuleConfig& config = executable.module().config();
  const auto& results = executable.result_leaves();
  const Shape& result = executable.module().entry_computation_layout().result();
  std::vector<bool> is_taken(results.size(), false);
  program.may_donate.assign(executable.argument_leaves().size(), false);
  for (const InputOutputAlias& alias : config.input_output_alias) {
    const auto leaf = ArgumentLeaf(executable, alias.parameter_number, alias.parameter_index);
    if (!leaf.has_value()) continue;
    program.may_donate[*leaf] = true;
    const Shape* output = &ShapeUtil::GetSubshape(result, alias.output_index);
    for (size_t i = 0; i < results.size(); ++i) is_taken[i] = is_taken[i] || results[i] == output;
  }
  const auto bytes = [](const Shape& leaf) {
    return leaf.IsArray() ? runtime::PackedArrayBytes(leaf).value_or(0) : 0;
  };
  for (const BufferDonor& donor : config.buffer_donor) {
    const auto leaf = ArgumentLeaf(executable, donor.parameter_number, donor.parameter_index);
    if (!leaf.has_value() || program.may_donate[*leaf]) continue;
    const int64_t size = bytes(*executable.argument_leaves()[*leaf]);
    for (size_t i = 0; i < results.size(); ++i) {
      if (is_taken[i] || bytes(*results[i]) != size) continue;
      is_taken[i] = program.may_donate[*leaf] = true;
      break;
    }
  }
}

void DescribeMemories(EntryAttributes attributes, Program& program) {
  attributes.parameters.resize(program.executable->argument_leaves().size());
  attributes.results.resize(program.executable->result_leaves().size());
  for (const EntryAttributes::Value& value : attributes.parameters) {
    program.parameter_memory_kinds.Add(std::string(kMemoryKinds[value.memory]));
  }
  for (const EntryAttributes::Value& value : attributes.results) {
    program.output_memory_kinds.Add(std::string(kMemoryKinds[value.memory]));
    program.output_memories.push_back(value.memory);
  }
  program.output_memory_kinds.Finish();
  program.parameter_memory_kinds.Finish();
}

void DescribeOutputs(Program& program) {
  for (const Shape* leaf : program.executable->result_leaves()) {
    program.output_types.push_back(ToBufferType(leaf->element_type()));
    const absl::Span<const int64_t> dims = leaf->dimensions();
    program.output_dims.insert(program.output_dims.end(), dims.begin(), dims.end());
    program.output_dim_sizes.push_back(dims.size());
  }
}

void DescribeShardings(const spmd::ProgramShardings& shardings, Program& program) {
  for (const HloSharding& sharding : shardings.parameters) {
    program.parameter_shardings.Add(sharding.ToProto().SerializeAsString());
  }
  for (const HloSharding& sharding : shardings.outputs) {
    program.output_shardings.Add(sharding.ToProto().SerializeAsString());
  }
  program.parameter_shardings.Finish();
  program.output_shardings.Finish();
}

// Returns which parameters or results the partitioner may divide as it chooses: those that the
// options allow, and in programs for Shardy all that state no sharding.
std::vector<bool> MayChoose(const google::protobuf::RepeatedField<bool>& allowed, size_t count,
                            const std::vector<EntryAttributes::Value>& values, bool is_for_shardy) {
  std::vector<bool> may_choose(allowed.begin(), allowed.end());
  if (!is_for_shardy) return may_choose;
  std::vector<bool> all(count);
  for (size_t i = 0; i < count; ++i) {
    all[i] = spmd::MayChoose(may_choose, i) || i >= values.size() || !values[i].states_sharding;
  }
  return all;
}

absl::StatusOr<spmd::ProgramShardings> Partition(const ProgramSource& source,
                                                 const ExecutableBuildOptionsProto& options,
                                                 const EntryAttributes& attributes,
                                                 HloModule* module) {
  const bool is_for_shardy = options.use_shardy_partitioner() && source.format == "mlir";
  const HloComputation& entry = *module->entry_computation();
  const Shape& result = entry.root_instruction()->shape();
  const RegisteredPartitioners partitioners;
  return spmd::PartitionModule(
      module,
      {.may_choose_output =
           MayChoose(options.allow_spmd_sharding_propagation_to_output(),
                     static_cast<size_t>(result.IsTuple() ? result.tuple_shapes_size() : 1),
                     attributes.results, is_for_shardy),
       .may_choose_parameter = MayChoose(options.allow_spmd_sharding_propagation_to_parameters(),
                                         static_cast<size_t>(entry.num_parameters()),
                                         attributes.parameters, is_for_shardy),
       .call_partitioner = &partitioners});
}

void DescribeRuns(const HloModule& module, Program& program) {
  constexpr double kShortCost = 100'000;
  bool may_be_long = program.executable->num_devices() > 1, calls = false;
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      const HloOpcode opcode = instruction->opcode();
      if (opcode == HloOpcode::kCustomCall) {
        const auto& attributes = instruction->attributes<CustomCallAttributes>();
        const std::string& target = attributes.custom_call_target;
        program.runs_here = program.runs_here || IsPythonCallback(target);
      }
      program.has_effects = program.has_effects || instruction->HasSideEffectNoRecurse();
      const bool is_call = opcode == HloOpcode::kCustomCall;
      calls = calls || is_call;
      may_be_long = may_be_long || opcode == HloOpcode::kWhile ||
                    (!is_call && instruction->HasSideEffectNoRecurse());
    }
  }
  double cost = 0;
  for (const PJRT_NamedValue& property : CostProperties(module)) cost += property.float_value;
  const bool is_short = !may_be_long && cost < kShortCost;
  program.is_short = is_short && !calls;
  // Handlers are called on the thread of the caller, which may hold locks that they need, unless
  // they have turned out to take long.
  program.length = std::make_shared<RunLength>(is_short);
}

}  // namespace

std::string FingerprintOf(const ProgramSource& source, const CompileOptionsProto& options) {
  CompileOptionsProto canonical = options;
  canonical.clear_profile_version();
  canonical.clear_allow_in_place_mlir_modification();
  if (canonical.has_executable_build_options()) {
    ExecutableBuildOptionsProto& build = *canonical.mutable_executable_build_options();
    build.clear_process_index();
    build.clear_process_count();
    // Of the options for debugging those that are read here.
    const DebugOptions read = DebugOptionsOf(options);
    *build.mutable_debug_options() = CompilerOptionsOf(read);
    build.mutable_debug_options()->set_xla_cpu_ftz(read.xla_cpu_ftz());
  }
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);  // maps by their keys
    (void)canonical.SerializeToCodedStream(&coded);
  }
  return absl::StrFormat(
      "%016x",
      FnvHash(source.code, FnvHash(bytes, FnvHash(source.format, FnvHash(PlatformVersion())))));
}

std::string KeyOf(const ProgramSource& source, CompileOptionsProto options) {
  options.mutable_executable_build_options()->clear_device_assignment();
  options.mutable_executable_build_options()->clear_device_ordinal();
  return FingerprintOf(source, options);
}

void TextList::Finish() {
  for (const std::string& text : texts) {
    pointers.push_back(text.data());
    sizes.push_back(text.size());
  }
}

absl::Status StateShardings(const Program& program, HloModuleProto& module) {
  const auto parse = [](const std::string& text, OpSharding* sharding) {
    return sharding->ParseFromString(text)
               ? absl::OkStatus()
               : absl::InternalError("a sharding cannot be parsed again");
  };
  for (const std::string& text : program.parameter_shardings.texts) {
    XLA_RETURN_IF_ERROR(parse(text, module.add_spmd_parameters_shardings()));
  }
  const std::vector<std::string>& outputs = program.output_shardings.texts;
  if (outputs.empty()) return absl::OkStatus();
  OpSharding* sharding = module.mutable_spmd_output_sharding();
  if (!program.executable->module().entry_computation_layout().result().IsTuple()) {
    return parse(outputs[0], sharding);
  }
  sharding->set_type(OpSharding::TUPLE);
  for (const std::string& text : outputs) {
    XLA_RETURN_IF_ERROR(parse(text, sharding->add_tuple_shardings()));
  }
  return absl::OkStatus();
}

absl::StatusOr<ProgramPointer> CompileProgram(const Backend& backend, int64_t num_devices,
                                              ProgramSource source,
                                              const std::atomic<bool>& cancel) {
  const int64_t begin = TraceClock();
  auto program = std::make_shared<Program>();
  if (!program->options.ParseFromString(source.options)) {
    return absl::InvalidArgumentError("the compile options are not a CompileOptionsProto");
  }
  XLA_RETURN_IF_ERROR(CheckCompilerOptions(program->options));
  const ExecutableBuildOptionsProto& build = program->options.executable_build_options();
  const int64_t replicas = std::max<int64_t>(build.num_replicas(), 1);
  const int64_t partitions = std::max<int64_t>(build.num_partitions(), 1);
  if (replicas > num_devices || partitions > num_devices || replicas * partitions > num_devices) {
    return absl::InvalidArgumentError(absl::StrCat(
        "a program of ", replicas, " replicas and ", partitions, " partitions for ", num_devices,
        " devices; the option num_devices or XYLEM_NUM_DEVICES sets their ", "number"));
  }
  EntryAttributes attributes;
  spmd::ProgramShardings shardings;
  XLA_ASSIGN_OR_RETURN(std::unique_ptr<HloModule> module,
                       ReadModule(source, attributes, shardings));
  const DebugOptions debug_options = DebugOptionsOf(program->options);
  HloDumper dumper(debug_options, *module);
  dumper.Dump(*module, "before_optimizations");
  if (source.format != "mlir") {
    attributes = AttributesOfLayout(module->entry_computation_layout());
  }
  XLA_RETURN_IF_ERROR(TakeLayoutConstraints(module.get(), attributes));
  HloModuleConfig& config = module->config();
  config.set_replica_count(replicas);
  config.set_num_partitions(partitions);
  config.mutable_debug_options().MergeFrom(CompilerOptionsOf(debug_options));
  config.set_use_spmd_partitioning(build.use_spmd_partitioning());
  config.set_use_shardy_partitioner(build.use_shardy_partitioner());
  if (build.alias_passthrough_params()) config.set_alias_passthrough_params(true);
  const std::string key = source.compiled.empty() ? "" : KeyOf(source, program->options);
  // It was verified before it was saved.
  const bool is_saved = !key.empty() && IsSavedProgram(source.compiled, key);
  if (!is_saved) XLA_RETURN_IF_ERROR(VerifyModule(*module));
  if (source.format == kPartitioned) {
    DescribeShardings(shardings, *program);
  } else if (partitions > 1 && config.use_spmd_partitioning()) {
    XLA_ASSIGN_OR_RETURN(shardings, Partition(source, build, attributes, module.get()));
    if (!is_saved) XLA_RETURN_IF_ERROR(VerifyModule(*module));
    DescribeShardings(shardings, *program);
  } else {
    XLA_RETURN_IF_ERROR(spmd::RemoveAnnotations(module.get()));
  }
  // Operations do not overlap here, as the optimized program that callers read shows.
  XLA_RETURN_IF_ERROR(ExpandAsync(module.get()).status());
  ChooseLayouts(*module, attributes);
  module->SetDefaultEntryLayout();
  ProgramShape& layout = *config.mutable_entry_computation_layout();
  for (int i = 0; i < layout.parameters_size(); ++i) {
    XLA_RETURN_IF_ERROR(
        SetLayouts(attributes.parameters, static_cast<size_t>(i), layout.mutable_parameters(i)));
  }
  XLA_RETURN_IF_ERROR(SetLayouts(attributes.results, 0, layout.mutable_result()));
  XLA_ASSIGN_OR_RETURN(module, ApplyTransforms(std::move(module)));
  const std::shared_ptr<const HloModule> shared = std::move(module);
  const std::shared_ptr<const CustomCallRegistry> custom_calls = CustomCallsOf(nullptr);
  XLA_ASSIGN_OR_RETURN(
      program->executable,
      backend.Compile(shared, {.custom_calls = custom_calls.get(),
                               .cancel = &cancel,
                               .between_passes = dumper.between_passes(),
                               .flush_subnormals = FlushSubnormalsOf(program->options),
                               .may_be_saved = true,
                               .saved = source.compiled,
                               .key = key}));
  dumper.Dump(program->executable->optimized_module(), "cpu_after_optimizations");
  XLA_RETURN_IF_ERROR(CheckCustomCalls(program->executable->optimized_module(), *custom_calls));
  DescribeRuns(*shared, *program);
  if (replicas * partitions > 1) program->identity = distributed::IdentifyProgram(*shared);
  program->fingerprint = FingerprintOf(source, program->options);
  if (shardings.from_callbacks) {
    XLA_ASSIGN_OR_RETURN(HloModuleProto partitioned, ModuleToProto(*shared));
    XLA_RETURN_IF_ERROR(StateShardings(*program, partitioned));
    source.format = kPartitioned;
    source.code = partitioned.SerializeAsString();
  }
  source.compiled.clear();
  program->source = std::move(source);
  DescribeDonations(*program);
  DescribeOutputs(*program);
  DescribeMemories(std::move(attributes), *program);
  if (IsTracing()) TraceSince(begin, kCompilerLine, shared->name());
  return program;
}

}  // namespace xla::pjrt
