// SPDX-License-Identifier: Apache-2.0
// XlaComputation: a program that a builder made, or that came as a proto.
#ifndef XLA_HLO_BUILDER_XLA_COMPUTATION_H_
#define XLA_HLO_BUILDER_XLA_COMPUTATION_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "xla/shape.h"

namespace xla {

class HloModule;
class HloModuleProto;
class HloSnapshot;
class XlaBuilder;

// Holds an immutable HloModule, shared by copies. Safe to read from several threads, except while
// one uses mutable_proto() or its result.
class XlaComputation {
 public:
  // A null computation.
  XlaComputation();
  // A computation from its proto; errors in it are reported where it is used.
  explicit XlaComputation(HloModuleProto proto);
  XlaComputation(const XlaComputation&);
  XlaComputation(XlaComputation&&) noexcept;
  XlaComputation& operator=(const XlaComputation&);
  XlaComputation& operator=(XlaComputation&&) noexcept;
  ~XlaComputation();

  bool IsNull() const { return data_ == nullptr; }

  // Parameters and result of the entry computation. Error: the computation is null, or came as a
  // proto with no or bad shapes.
  absl::StatusOr<ProgramShape> GetProgramShape() const;

  // The name of the program; empty if null.
  const std::string& name() const;
  // A number of this program, different for every program of the process; -1 if null.
  int64_t UniqueId() const;

  // The program as HloModuleProto, made on the first call. Empty if the computation is null or the
  // program cannot be represented as a proto (a sharding that names axes that its mesh lacks).
  const HloModuleProto& proto() const;
  // The proto, for modification. Copies made before keep the old program. After a change through a
  // pointer taken earlier, call this again before using the computation.
  HloModuleProto* mutable_proto();

  // An HloSnapshot with the program and no arguments or results. Error: IsNull().
  absl::StatusOr<std::unique_ptr<HloSnapshot>> Snapshot() const;

  // The program itself, not verified. Error: IsNull(), or a bad proto.
  absl::StatusOr<std::shared_ptr<const HloModule>> module() const;

 private:
  friend class XlaBuilder;
  struct Data;
  explicit XlaComputation(std::shared_ptr<Data> data) : data_(std::move(data)) {}

  std::shared_ptr<Data> data_;
};

}  // namespace xla

#endif  // XLA_HLO_BUILDER_XLA_COMPUTATION_H_
