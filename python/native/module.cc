// SPDX-License-Identifier: Apache-2.0
// Modules: read, printed, verified, changed by passes.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "python/native/api.h"
#include "python/native/convert.h"
#include "tools/convert.h"
#include "tools/pass_options.h"
#include "tools/program_files.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/mlir/ir.h"
#include "xla/passes/pipeline.h"
#include "xla/stablehlo/translate.h"

namespace xla::python {
namespace {

absl::StatusOr<std::string> AsStableHlo(const Module::Impl& module, const PrintOptions& options) {
  std::unique_ptr<mlir::Source> source;
  if (!module.source.empty()) {
    XLA_ASSIGN_OR_RETURN(source, stablehlo::LoadStableHlo(module.source, module.source_name));
  }
  return StableHloOf(
      std::move(source),
      [&]() -> absl::StatusOr<std::unique_ptr<HloModule>> { return module.module->Clone(); },
      {.bytecode = options.to == "mlirbc",
       .locations = options.metadata,
       .version = options.stablehlo_version});
}

absl::StatusOr<ModulePtr> Read(std::string_view bytes, const std::string& name,
                               const std::string& function, bool verify) {
  XLA_ASSIGN_OR_RETURN(auto module, LoadModuleFrom(name, bytes, verify, function));
  auto impl = std::make_unique<Module::Impl>();
  impl->module = std::move(module);
  if (IsStableHlo(bytes)) {
    impl->source = std::string(bytes);
    impl->source_name = name;
  }
  return std::make_shared<const Module>(std::move(impl));
}

const HloModule& HloOf(const Module& module) { return *module.impl().module; }

}  // namespace

ModulePtr MakeModule(std::unique_ptr<HloModule> module) {
  auto impl = std::make_unique<Module::Impl>();
  impl->module = std::move(module);
  return std::make_shared<const Module>(std::move(impl));
}

Module::Module(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Module::~Module() = default;

Result<ModulePtr> Module::FromBytes(std::string_view bytes, const std::string& name,
                                    const std::string& function, bool verify) {
  return Guarded([&] { return Read(bytes, name, function, verify); });
}

Result<ModulePtr> Module::FromFile(const std::string& path, const std::string& function,
                                   bool verify) {
  return Guarded([&]() -> absl::StatusOr<ModulePtr> {
    XLA_ASSIGN_OR_RETURN(const std::string bytes, ReadProgram(path));
    return Read(bytes, path, function, verify);
  });
}

const std::string& Module::name() const { return HloOf(*this).name(); }
int64_t Module::instruction_count() const { return HloOf(*this).instruction_count(); }
int64_t Module::replica_count() const { return HloOf(*this).config().replica_count(); }
int64_t Module::num_partitions() const { return HloOf(*this).config().num_partitions(); }

std::vector<ShapeInfo> Module::parameter_shapes() const {
  std::vector<ShapeInfo> shapes;
  const ProgramShape& program = HloOf(*this).result_and_parameters();
  for (const Shape& shape : program.parameters()) shapes.push_back(ShapeInfoOf(shape));
  return shapes;
}

ShapeInfo Module::result_shape() const {
  return ShapeInfoOf(HloOf(*this).result_and_parameters().result());
}

std::vector<Computation> Module::computations(const ModulePtr& self) const {
  std::vector<Computation> result;
  const auto order = HloOf(*this).ComputationPostOrder();
  if (!order.ok()) return result;  // not verified
  for (const HloComputation* computation : *order) result.emplace_back(self, computation);
  return result;
}

Computation Module::entry(const ModulePtr& self) const {
  return Computation(self, HloOf(*this).entry_computation());
}

Result<std::string> Module::Print(const PrintOptions& options) const {
  return Guarded([&]() -> absl::StatusOr<std::string> {
    if (options.to == "hlo") {
      return HloText(*impl_->module, {.set = options.options,
                                      .operand_shapes = options.operand_shapes,
                                      .large_constants = options.large_constants,
                                      .metadata = options.metadata});
    }
    if (options.to == "hlo-proto") return HloProtoBytes(*impl_->module);
    if (options.to == "stablehlo" || options.to == "mlirbc") return AsStableHlo(*impl_, options);
    return absl::InvalidArgumentError(absl::StrCat(
        "unknown format '", options.to, "': expected hlo, hlo-proto, stablehlo or mlirbc"));
  });
}

Result<Nothing> Module::Verify() const {
  return Guarded([&]() -> absl::StatusOr<Nothing> {
    XLA_RETURN_IF_ERROR(VerifyModule(*impl_->module));
    return Nothing();
  });
}

Result<std::pair<ModulePtr, std::string>> Module::RunPasses(const std::string& passes,
                                                            bool verify) const {
  return Guarded([&]() -> absl::StatusOr<std::pair<ModulePtr, std::string>> {
    XLA_ASSIGN_OR_RETURN(const Pipeline pipeline,
                         Pipeline::Parse(passes, PassesOfAllRooms(), NamedPipelines()));
    std::unique_ptr<HloModule> copy = impl_->module->Clone();
    PipelineOptions options;
    options.verify = verify;
    PipelineStatistics statistics;
    XLA_RETURN_IF_ERROR(pipeline.Run(copy.get(), options, &statistics).status());
    return std::make_pair(MakeModule(std::move(copy)), statistics.ToString());
  });
}

uint64_t Module::Hash() const { return HloOf(*this).Hash(); }
bool Module::Equal(const Module& other) const { return HloOf(*this).Equal(HloOf(other)); }

std::vector<PassInfo> Passes() {
  std::vector<PassInfo> passes;
  for (const Pass& pass : PassesOfAllRooms())
    passes.push_back({std::string(pass.name), std::string(pass.summary)});
  for (const Pipeline::Named& named : NamedPipelines())
    passes.push_back({std::string(named.name), std::string(named.summary)});
  return passes;
}

}  // namespace xla::python
