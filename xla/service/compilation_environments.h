// SPDX-License-Identifier: Apache-2.0
// Protos that a program's compilation carries along for others: options of compilers that are not
// part of this library. Nothing here reads them.
#ifndef XLA_SERVICE_COMPILATION_ENVIRONMENTS_H_
#define XLA_SERVICE_COMPILATION_ENVIRONMENTS_H_

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "google/protobuf/message.h"
#include "xla/base/check.h"
#include "xla/xla.pb.h"

namespace xla {

// At most one proto of each type. Not thread-safe.
class CompilationEnvironments {
 public:
  // Completes an environment that is added. Gets null where the default is asked for, and returns a
  // proto of the type that it is registered for, never null.
  using ProcessNewEnvFn = std::function<absl::StatusOr<std::unique_ptr<google::protobuf::Message>>(
      std::unique_ptr<google::protobuf::Message>)>;

  CompilationEnvironments() = default;
  CompilationEnvironments(const CompilationEnvironments& other) { *this = other; }
  CompilationEnvironments& operator=(const CompilationEnvironments& other);
  CompilationEnvironments(CompilationEnvironments&&) = default;
  CompilationEnvironments& operator=(CompilationEnvironments&&) = default;

  // DataLoss for types that the program does not know and for bytes that are not of the type; the
  // errors of AddEnv otherwise.
  static absl::StatusOr<std::unique_ptr<CompilationEnvironments>> CreateFromProto(
      const CompilationEnvironmentsProto& proto);

  // For all environments of the process; thread-safe. Precondition: the type has no function yet.
  static void RegisterProcessNewEnvFn(const google::protobuf::Descriptor* descriptor,
                                      ProcessNewEnvFn process_new_env);
  static void DeregisterProcessNewEnvFn(const google::protobuf::Descriptor* descriptor);

  // InvalidArgument for null and for types without a registered function, AlreadyExists for a
  // second proto of a type.
  absl::Status AddEnv(std::unique_ptr<google::protobuf::Message> env);
  // Adds the default of each type that is registered and not there.
  absl::Status InitializeAllKnownEnvs();

  // Add the default if there is none. Precondition: the type has a registered function that
  // succeeds.
  template <typename T>
  T& GetMutableEnv() {
    return static_cast<T&>(EnvOrDefault(*T::descriptor()));
  }
  template <typename T>
  const T& GetEnv() {
    return GetMutableEnv<T>();
  }
  template <typename T>
  bool HasEnv() const {
    return environments_.count(std::string(T::descriptor()->full_name())) != 0;
  }
  template <typename T>
  void DeleteEnv() {
    environments_.erase(std::string(T::descriptor()->full_name()));
  }
  void Clear() { environments_.clear(); }

  CompilationEnvironmentsProto ToProto() const;

 private:
  absl::Status Add(const google::protobuf::Descriptor& descriptor,
                   std::unique_ptr<google::protobuf::Message> env);
  google::protobuf::Message& EnvOrDefault(const google::protobuf::Descriptor& descriptor);

  // By the full name of the type.
  std::map<std::string, std::unique_ptr<google::protobuf::Message>> environments_;
};

}  // namespace xla

#endif  // XLA_SERVICE_COMPILATION_ENVIRONMENTS_H_
