// SPDX-License-Identifier: Apache-2.0
#include "xla/service/compilation_environments.h"

#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "google/protobuf/any.pb.h"
#include "google/protobuf/descriptor.h"
#include "xla/base/status_macros.h"

namespace xla {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::Message;

// The registered functions, for the whole process as XLA's contract has it.
struct Functions {
  std::mutex mutex;
  std::map<const Descriptor*, CompilationEnvironments::ProcessNewEnvFn> of;
};

Functions& TheFunctions() {
  static auto* const functions = new Functions;  // never destroyed: static objects may still use it
  return *functions;
}

absl::StatusOr<std::unique_ptr<Message>> Unpack(const google::protobuf::Any& any) {
  std::string name;
  if (!google::protobuf::Any::ParseAnyTypeUrl(any.type_url(), &name)) {
    return absl::DataLossError(
        absl::StrCat("Invalid CompilationEnvironment message type url: ", any.type_url()));
  }
  const Descriptor* type =
      google::protobuf::DescriptorPool::generated_pool()->FindMessageTypeByName(name);
  if (type == nullptr) {
    return absl::DataLossError(absl::StrCat("Unknown CompilationEnvironment message type: ", name));
  }
  std::unique_ptr<Message> env(
      google::protobuf::MessageFactory::generated_factory()->GetPrototype(type)->New());
  if (!any.UnpackTo(env.get())) {
    return absl::DataLossError(
        absl::StrCat("Unable to unpack CompilationEnvironment message of type '", name, "'"));
  }
  return env;
}

}  // namespace

CompilationEnvironments& CompilationEnvironments::operator=(const CompilationEnvironments& other) {
  if (this == &other) return *this;
  environments_.clear();
  for (const auto& [name, env] : other.environments_) {
    std::unique_ptr<Message> copy(env->New());
    copy->CopyFrom(*env);
    environments_.emplace(name, std::move(copy));
  }
  return *this;
}

absl::StatusOr<std::unique_ptr<CompilationEnvironments>> CompilationEnvironments::CreateFromProto(
    const CompilationEnvironmentsProto& proto) {
  auto result = std::make_unique<CompilationEnvironments>();
  for (const google::protobuf::Any& any : proto.environments()) {
    XLA_ASSIGN_OR_RETURN(std::unique_ptr<Message> env, Unpack(any));
    XLA_RETURN_IF_ERROR(result->AddEnv(std::move(env)));
  }
  return result;
}

void CompilationEnvironments::RegisterProcessNewEnvFn(const Descriptor* descriptor,
                                                      ProcessNewEnvFn process_new_env) {
  Functions& functions = TheFunctions();
  const std::lock_guard<std::mutex> lock(functions.mutex);
  const bool added = functions.of.emplace(descriptor, std::move(process_new_env)).second;
  XLA_CHECK(added) << descriptor->full_name() << " has a function already";
}

void CompilationEnvironments::DeregisterProcessNewEnvFn(const Descriptor* descriptor) {
  Functions& functions = TheFunctions();
  const std::lock_guard<std::mutex> lock(functions.mutex);
  functions.of.erase(descriptor);
}

absl::Status CompilationEnvironments::AddEnv(std::unique_ptr<Message> env) {
  if (env == nullptr) {
    return absl::InvalidArgumentError("Can not add a null compilation environment.");
  }
  const Descriptor& descriptor = *env->GetDescriptor();
  return Add(descriptor, std::move(env));
}

absl::Status CompilationEnvironments::InitializeAllKnownEnvs() {
  std::map<std::string, const Descriptor*> missing;
  {
    Functions& functions = TheFunctions();
    const std::lock_guard<std::mutex> lock(functions.mutex);
    for (const auto& [descriptor, function] : functions.of) {
      const std::string name(descriptor->full_name());
      if (environments_.count(name) == 0) missing.emplace(name, descriptor);
    }
  }
  for (const auto& [name, descriptor] : missing) {
    XLA_RETURN_IF_ERROR(Add(*descriptor, nullptr));
  }
  return absl::OkStatus();
}

CompilationEnvironmentsProto CompilationEnvironments::ToProto() const {
  CompilationEnvironmentsProto proto;
  for (const auto& [name, env] : environments_) proto.add_environments()->PackFrom(*env);
  return proto;
}

absl::Status CompilationEnvironments::Add(const Descriptor& descriptor,
                                          std::unique_ptr<Message> env) {
  const std::string name(descriptor.full_name());
  if (environments_.count(name) != 0) {
    return absl::AlreadyExistsError(
        absl::StrCat("Replacing CompilationEnvironment of type ", name));
  }
  ProcessNewEnvFn process;
  {
    Functions& functions = TheFunctions();
    const std::lock_guard<std::mutex> lock(functions.mutex);
    const auto found = functions.of.find(&descriptor);
    if (found == functions.of.end()) {
      return absl::InvalidArgumentError(absl::StrCat("Unknown CompilationEnvironment type ", name));
    }
    process = found->second;
  }
  XLA_ASSIGN_OR_RETURN(std::unique_ptr<Message> processed, process(std::move(env)));
  if (processed == nullptr || processed->GetDescriptor()->full_name() != name) {
    return absl::InternalError(absl::StrCat("the function registered for ", name, " returned ",
                                            processed == nullptr ? "null" : "another type"));
  }
  environments_.emplace(name, std::move(processed));
  return absl::OkStatus();
}

Message& CompilationEnvironments::EnvOrDefault(const Descriptor& descriptor) {
  const std::string name(descriptor.full_name());
  if (environments_.count(name) == 0) XLA_CHECK_OK(Add(descriptor, nullptr));
  return *environments_.at(name);
}

}  // namespace xla
