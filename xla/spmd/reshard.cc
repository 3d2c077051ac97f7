// SPDX-License-Identifier: Apache-2.0
#include "xla/spmd/reshard.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla/base/check.h"
#include "xla/base/status_macros.h"
#include "xla/primitive_util.h"
#include "xla/spmd/reshard_chain.h"
#include "xla/util.h"

namespace xla::spmd {
namespace {

using Kind = ReshardStep::Kind;
using Dim = NamedSharding::DimensionSharding;

// Sub-axes of prime size, major to minor; small ones first or last.
void AppendPrimes(const AxisRef& axis, const Mesh& mesh, bool ascending,
                  std::vector<AxisRef>& digits) {
  std::vector<int64_t> primes;
  int64_t rest = axis.size(mesh);
  for (int64_t prime = 2; rest > 1; ++prime) {
    if (prime * prime > rest) prime = rest;
    for (; rest % prime == 0 && rest > 1; rest /= prime) primes.push_back(prime);
  }
  if (!ascending) absl::c_reverse(primes);
  int64_t begin = axis.pre_size();
  for (const int64_t prime : primes) {
    digits.push_back(AxisRef::Part(axis.mesh_axis_index(), begin, begin * prime, mesh));
    begin *= prime;
  }
}

// The digits of axes, by their positions in the list of all digits.
DigitList DigitsOf(absl::Span<const AxisRef> axes, absl::Span<const AxisRef> digits,
                   const Mesh& mesh) {
  DigitList result;
  for (const AxisRef& part : RefineAxes(axes, digits, mesh)) {
    for (size_t i = 0; i < digits.size(); ++i) {
      if (digits[i] == part) result.push_back(static_cast<int>(i));
    }
  }
  return result;
}

absl::Status Check(const NamedSharding& from, const NamedSharding& to, const Shape& shape) {
  const auto error = [&](std::string_view rule) {
    return InvalidArgument("a reshard of %s from [%s] to [%s]: %s", shape.ToString(),
                           from.ToString(), to.ToString(), std::string(rule));
  };
  if (!shape.IsArray()) return error("it is not an array");
  if (from.IsSingleDevice() || to.IsSingleDevice()) return error("a sharding is of one device");
  if (from.mesh().axis_names() != to.mesh().axis_names() ||
      from.mesh().axis_sizes() != to.mesh().axis_sizes()) {
    return error("the meshes have other axes");
  }
  if (from.num_dimensions() != shape.rank() || to.num_dimensions() != shape.rank()) {
    return error("a sharding is of another rank");
  }
  if (from.manual_axes() != to.manual_axes()) return error("the manual axes differ");
  if (!from.unreduced_axes().empty() && !to.unreduced_axes().empty() &&
      from.unreduced_kind() != to.unreduced_kind()) {
    return error("the unreduced axes are of two kinds of reduction");
  }
  return absl::OkStatus();
}

// Turns the steps on digits into steps on axes.
class Steps {
 public:
  Steps(const NamedSharding& from, const NamedSharding& to, const Shape& shape,
        std::vector<AxisRef> digits)
      : from_(from), to_(to), mesh_(from.mesh()), digits_(std::move(digits)) {
    unreduced_ = from.unreduced_axes();
    for (int64_t d = 0; d < shape.rank(); ++d) {
      padded_.push_back(RoundUpTo(shape.dimensions(static_cast<int>(d)), from.dimension(d)));
    }
  }

  void Add(const ChainStep& step) {
    if (step.kind == Kind::kCollectivePermute) mesh_ = to_.mesh();
    std::vector<AxisRef> reduced;
    ReshardStep result{step.kind, {}, from_, step.padded};
    for (const DigitMove& move : step.moves) {
      const AxisRef& digit = digits_[static_cast<size_t>(move.digit)];
      AddMove(digit, move.from_dim, move.to_dim, result.moves);
      if (step.kind == Kind::kReduceScatter || step.kind == Kind::kAllReduce) {
        reduced.push_back(digit);
      }
    }
    unreduced_ = AxesWithout(unreduced_, reduced, mesh_);
    std::vector<Dim> dims;
    for (const DigitList& list : step.result) {
      std::vector<AxisRef> axes;
      for (const int digit : list) {
        AppendAxis(digits_[static_cast<size_t>(digit)], mesh_, axes);
      }
      dims.emplace_back(std::move(axes));
    }
    result.result = NamedSharding(mesh_, std::move(dims), {}, unreduced_, from_.manual_axes(),
                                  from_.unreduced_kind());
    steps_.push_back(std::move(result));
  }

  // Axes that nothing but the target leaves unreduced.
  void AddToUnreduced() {
    const std::vector<AxisRef> added = AxesWithout(to_.unreduced_axes(), unreduced_, mesh_);
    if (added.empty()) return;
    std::vector<int64_t> padded = steps_.empty() ? padded_ : steps_.back().padded;
    steps_.push_back({Kind::kToUnreduced, {{added}}, to_.Closed(), std::move(padded)});
  }

  std::vector<ReshardStep> Take() { return std::move(steps_); }

 private:
  void AddMove(const AxisRef& digit, int64_t from, int64_t to,
               std::vector<ReshardStep::Move>& moves) const {
    for (ReshardStep::Move& move : moves) {
      if (move.from_dim == from && move.to_dim == to) {
        AppendAxis(digit, mesh_, move.axes);
        return;
      }
    }
    moves.push_back({{digit}, from, to});
  }

  const NamedSharding& from_;
  const NamedSharding& to_;
  Mesh mesh_;
  std::vector<AxisRef> digits_, unreduced_;
  std::vector<int64_t> padded_;  // of the source
  std::vector<ReshardStep> steps_;
};

const char* Name(Kind kind) {
  switch (kind) {
    case Kind::kAllSlice:
      return "all-slice";
    case Kind::kReduceScatter:
      return "reduce-scatter";
    case Kind::kAllReduce:
      return "all-reduce";
    case Kind::kCollectivePermute:
      return "collective-permute";
    case Kind::kAllToAll:
      return "all-to-all";
    case Kind::kAllGather:
      return "all-gather";
    case Kind::kToUnreduced:
      return "to-unreduced";
  }
  return "";
}

int64_t GroupSize(const ReshardStep& step) {
  int64_t size = 1;
  for (const ReshardStep::Move& move : step.moves) size *= AxesSize(move.axes, step.result.mesh());
  return size;
}

// The sharding up to axes that cannot coexist with those of another one.
NamedSharding WithoutConflicts(const NamedSharding& sharding, const NamedSharding& other) {
  const std::vector<AxisRef> others = other.UsedAxes();
  const auto conflicts = [&](const AxisRef& axis) {
    return absl::c_any_of(others, [&](const AxisRef& o) { return !axis.CanCoexist(o); });
  };
  std::vector<Dim> dims;
  bool has_conflict = false;
  for (const Dim& dim : sharding.dim_shardings()) {
    const auto end = absl::c_find_if(dim.axes(), conflicts);
    has_conflict |= end != dim.axes().end();
    dims.emplace_back(std::vector<AxisRef>(dim.axes().begin(), end));
  }
  std::vector<AxisRef> unreduced = sharding.unreduced_axes();
  std::erase_if(unreduced, conflicts);
  if (!has_conflict && unreduced == sharding.unreduced_axes()) return sharding;
  return NamedSharding(sharding.mesh(), std::move(dims), {}, std::move(unreduced),
                       sharding.manual_axes(), sharding.unreduced_kind());
}

std::vector<ReshardStep> PlanWithDigits(const NamedSharding& from, const NamedSharding& to,
                                        const Shape& shape, bool ascending) {
  const Mesh& mesh = from.mesh();
  std::vector<AxisRef> used = from.UsedAxes(), digits;
  const std::vector<AxisRef> target_axes = to.UsedAxes();
  used.insert(used.end(), target_axes.begin(), target_axes.end());
  for (const AxisRef& part : RefineAxes(mesh.AllAxes(), used, mesh)) {
    AppendPrimes(part, mesh, ascending, digits);
  }
  ReshardProblem problem;
  for (const AxisRef& digit : digits) problem.sizes.push_back(digit.size(mesh));
  const std::vector<AxisRef> reduced =
      AxesWithout(from.unreduced_axes(), to.unreduced_axes(), mesh);
  problem.is_unreduced.resize(digits.size());
  for (const int digit : DigitsOf(reduced, digits, mesh)) {
    problem.is_unreduced[static_cast<size_t>(digit)] = true;
  }
  problem.dimensions.assign(shape.dimensions().begin(), shape.dimensions().end());
  problem.element_bits = primitive_util::StorageBitWidth(shape.element_type());
  for (int64_t d = 0; d < shape.rank(); ++d) {
    problem.from.push_back(DigitsOf(from.dim_sharding(d).axes(), digits, mesh));
    problem.to.push_back(DigitsOf(to.dim_sharding(d).axes(), digits, mesh));
  }
  problem.reorders_devices =
      !from.mesh().DeviceAssignmentEquals(to.mesh()) && !(from.IsReplicated() && to.IsReplicated());
  Steps steps(from, to, shape, digits);
  for (const ChainStep& step : CheapestChain(problem)) steps.Add(step);
  steps.AddToUnreduced();
  return steps.Take();
}

}  // namespace

absl::StatusOr<std::vector<ReshardStep>> PlanReshard(const NamedSharding& from,
                                                     const NamedSharding& to, const Shape& shape) {
  // An array that all devices have is sharded over any mesh.
  if (from.mesh() != to.mesh() && from.num_dimensions() == shape.rank()) {
    if (to.IsReplicated() && !from.IsSingleDevice()) {
      return PlanReshard(from, NamedSharding::FullyClosed(from.mesh(), shape.rank()), shape);
    }
    if (from.IsReplicated() && !to.IsSingleDevice()) {
      return PlanReshard(NamedSharding::FullyClosed(to.mesh(), shape.rank()), to, shape);
    }
  }
  XLA_RETURN_IF_ERROR(Check(from, to, shape));
  const NamedSharding coexisting = WithoutConflicts(from, to);
  if (coexisting != from) {
    XLA_ASSIGN_OR_RETURN(std::vector<ReshardStep> steps, PlanReshard(from, coexisting, shape));
    XLA_ASSIGN_OR_RETURN(std::vector<ReshardStep> rest, PlanReshard(coexisting, to, shape));
    steps.insert(steps.end(), rest.begin(), rest.end());
    return steps;
  }
  std::vector<ReshardStep> cheapest = PlanWithDigits(from, to, shape, /*ascending=*/true);
  std::vector<ReshardStep> other = PlanWithDigits(from, to, shape, /*ascending=*/false);
  return BytesReceived(from, other, shape) < BytesReceived(from, cheapest, shape) ? other
                                                                                  : cheapest;
}

int64_t ShardBytes(const NamedSharding& sharding, const Shape& shape) {
  int64_t elements = 1;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    elements *= CeilOfRatio(shape.dimensions(static_cast<int>(d)), sharding.dimension(d));
  }
  return CeilOfRatio<int64_t>(elements * primitive_util::StorageBitWidth(shape.element_type()), 8);
}

int64_t ShardBytes(const ReshardStep& step, const Shape& shape) {
  int64_t elements = 1;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    elements *= step.padded[static_cast<size_t>(d)] / step.result.dimension(d);
  }
  return CeilOfRatio<int64_t>(elements * primitive_util::StorageBitWidth(shape.element_type()), 8);
}

int64_t BytesReceived(const NamedSharding& from, absl::Span<const ReshardStep> steps,
                      const Shape& shape) {
  int64_t received = 0, before = ShardBytes(from, shape);
  for (const ReshardStep& step : steps) {
    const int64_t after = ShardBytes(step, shape);
    received += StepBytes(step.kind, before, after, GroupSize(step));
    before = after;
  }
  return received;
}

std::string ReshardToString(absl::Span<const ReshardStep> steps) {
  std::string text;
  for (const ReshardStep& step : steps) {
    absl::StrAppend(&text, Name(step.kind));
    for (const ReshardStep::Move& move : step.moves) {
      absl::StrAppend(&text, " {",
                      absl::StrJoin(move.axes, ",",
                                    [&](std::string* out, const AxisRef& axis) {
                                      absl::StrAppend(out, axis.ToString(&step.result.mesh()));
                                    }),
                      "}");
      const bool has_from = move.from_dim >= 0, has_to = move.to_dim >= 0;
      if (has_from || has_to) {
        absl::StrAppend(&text, ":", has_from ? absl::StrCat(move.from_dim) : "",
                        has_from && has_to ? "->" : "", has_to ? absl::StrCat(move.to_dim) : "");
      }
    }
    text += "\n";
  }
  return text;
}

}  // namespace xla::spmd
