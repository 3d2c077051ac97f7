// SPDX-License-Identifier: Apache-2.0
// XlaOp, the handle of an operation in an XlaBuilder, and the operators on it; handles of
// computations.
//
//   XlaOp y = x * x + ConstantR0<float>(&builder, 1);
#ifndef XLA_HLO_BUILDER_XLA_OP_H_
#define XLA_HLO_BUILDER_XLA_OP_H_

#include <cstdint>
#include <ostream>

#include "xla/base/check.h"

namespace xla {

class XlaBuilder;
class XlaComputation;

// A value type. Valid as long as its builder, up to the builder's Build(), which empties it.
class XlaOp {
 public:
  // An uninitialized handle. Using it as an operand is an error that Build() reports.
  XlaOp() = default;

  // The builder. Precondition: !IsUninitialized().
  XlaBuilder* builder() const {
    XLA_CHECK(builder_ != nullptr) << "an uninitialized XlaOp has no builder";
    return builder_;
  }
  // False for an uninitialized handle and for the result of a call that failed.
  bool valid() const { return handle_ >= 0; }
  // Made by XlaOp(), not by a builder.
  bool IsUninitialized() const { return builder_ == nullptr; }
  bool IsIdenticalTo(XlaOp other) const {
    return handle_ == other.handle_ && builder_ == other.builder_;
  }

  friend std::ostream& operator<<(std::ostream& out, XlaOp op) { return out << op.handle_; }

 private:
  friend class XlaBuilder;
  XlaOp(XlaBuilder* builder, int64_t handle) : builder_(builder), handle_(handle) {}

  XlaBuilder* builder_ = nullptr;
  int64_t handle_ = -1;
};

// The handle of a computation that builders of one tree (a builder and its sub-builders) share.
class XlaComputationId {
 public:
  XlaComputationId() = default;
  bool valid() const { return handle_ >= 0; }

  friend std::ostream& operator<<(std::ostream& out, XlaComputationId id) {
    return out << id.handle_;
  }

 private:
  friend class XlaBuilder;
  XlaComputationId(const void* tree, int64_t handle) : tree_(tree), handle_(handle) {}

  const void* tree_ = nullptr;  // tells trees apart; never dereferenced
  int64_t handle_ = -1;
};

// A computation to call: an XlaComputation or the id of one, whichever the caller has. The
// computation must live until the call returns.
class XlaComputationRef {
 public:
  XlaComputationRef(const XlaComputation& computation) : computation_(&computation) {}
  XlaComputationRef(XlaComputationId id) : id_(id) {}

 private:
  friend class XlaBuilder;
  const XlaComputation* computation_ = nullptr;
  XlaComputationId id_;
};

XlaOp operator-(XlaOp x);
XlaOp operator+(XlaOp x, XlaOp y);
XlaOp operator-(XlaOp x, XlaOp y);
XlaOp operator*(XlaOp x, XlaOp y);
XlaOp operator/(XlaOp x, XlaOp y);
XlaOp operator%(XlaOp x, XlaOp y);

XlaOp operator~(XlaOp x);
XlaOp operator&(XlaOp x, XlaOp y);
XlaOp operator|(XlaOp x, XlaOp y);
XlaOp operator^(XlaOp x, XlaOp y);
XlaOp operator<<(XlaOp x, XlaOp y);
// Arithmetic shift for signed integers, logical shift for unsigned ones.
XlaOp operator>>(XlaOp x, XlaOp y);

// Comparisons are functions (Eq, Lt, ...): their results are operations, not bool.

}  // namespace xla

#endif  // XLA_HLO_BUILDER_XLA_OP_H_
