// SPDX-License-Identifier: Apache-2.0
#include "xla/passes/approx_top_k_call.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "xla/shape.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

// Text or JSON: reduction_dim = 1 : i64, "reduction_dim": 1. -1 if it is not there.
int64_t ReductionDimension(absl::string_view config) {
  const size_t found = config.find("reduction_dim");
  if (found == absl::string_view::npos) return -1;
  const size_t begin = config.find_first_of("0123456789-", found);
  if (begin == absl::string_view::npos) return -1;
  const size_t end = std::min(config.find_first_not_of("0123456789", begin), config.size());
  int64_t dimension;
  return absl::SimpleAtoi(config.substr(begin, end - begin), &dimension) ? dimension : -1;
}

}  // namespace

absl::StatusOr<int64_t> ApproxTopKDimension(const HloInstruction& call) {
  const int64_t count = call.operand_count() / 2;
  const Shape& result = call.shape();
  if (count < 1 || call.operand_count() % 2 != 0 || call.called_computations().size() != 1 ||
      !result.IsTuple() || result.tuple_shapes_size() != count) {
    return absl::InvalidArgumentError(
        "ApproxTopK takes arrays, an initial value for each and a computation that compares, and "
        "makes a tuple of as many arrays");
  }
  const Shape& first = call.operand(0)->shape();
  const int64_t dimension = ReductionDimension(call.extras().backend_config);
  if (!first.IsArray() || dimension < 0 || dimension >= first.rank()) {
    return absl::InvalidArgumentError("ApproxTopK needs the attribute reduction_dim, a dimension");
  }
  const auto d = static_cast<int>(dimension);
  for (int i = 0; i < count; ++i) {
    const Shape &array = call.operand(i)->shape(), &part = result.tuple_shapes(i);
    Shape expected = array;
    const bool fits = part.IsArray() && ShapeUtil::SameDimensions(array, first) &&
                      part.rank() == first.rank() && part.dimensions(d) <= first.dimensions(d);
    if (fits) expected.set_dimensions(d, part.dimensions(d));
    if (!fits || !ShapeUtil::Compatible(expected, part)) {
      return absl::InvalidArgumentError(
          "the results of ApproxTopK are parts of the arrays along reduction_dim");
    }
  }
  return dimension;
}

}  // namespace xla
