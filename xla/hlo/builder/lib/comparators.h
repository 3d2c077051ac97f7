// SPDX-License-Identifier: Apache-2.0
// Comparators for Sort: computations on pairs of scalars.
#ifndef XLA_HLO_BUILDER_LIB_COMPARATORS_H_
#define XLA_HLO_BUILDER_LIB_COMPARATORS_H_

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "xla/hlo/builder/xla_builder.h"
#include "xla/xla_data.pb.h"

namespace xla {

// A comparison such as Lt or GtTotalOrder, or a function of the user's of two operands and
// broadcast dimensions.
class XlaCompareOp {
 public:
  XlaCompareOp(XlaOp (*compare)(XlaOp, XlaOp, absl::Span<const int64_t>))
      : compare_([compare](XlaOp x, XlaOp y) { return compare(x, y, {}); }) {}

  XlaOp operator()(XlaOp x, XlaOp y) const { return compare_(x, y); }

 private:
  std::function<XlaOp(XlaOp, XlaOp)> compare_;
};

// Parameters 2 i and 2 i + 1 are the elements of sort operand i, of type operand_types[i]. The
// first operand decides, by the total order of floating-point numbers. An error is noted in the
// builder; the computation is then null.
XlaComputation CreateScalarLtComputation(const std::vector<PrimitiveType>& operand_types,
                                         XlaBuilder* builder);
XlaComputation CreateScalarGtComputation(const std::vector<PrimitiveType>& operand_types,
                                         XlaBuilder* builder);
// Operands with a comparison decide in turn: the next one where those before are equal in the total
// order. There must be an entry for each type, and one comparison at least.
XlaComputation CreateScalarComparisonComputation(
    const std::string& name, const std::vector<PrimitiveType>& operand_types,
    const std::vector<std::optional<XlaCompareOp>>& generators, XlaBuilder* builder);

}  // namespace xla

#endif  // XLA_HLO_BUILDER_LIB_COMPARATORS_H_
