// SPDX-License-Identifier: Apache-2.0
// Einstein summation of matrix.h.
#include <algorithm>
#include <map>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "xla/hlo/builder/lib/arithmetic.h"
#include "xla/hlo/builder/lib/constants.h"
#include "xla/hlo/builder/lib/lib_util.h"
#include "xla/hlo/builder/lib/matrix.h"

namespace xla {
namespace {

using Labels = std::vector<int64_t>;

bool Has(const Labels& labels, int64_t label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}
int64_t Position(const Labels& labels, int64_t label) {
  return std::find(labels.begin(), labels.end(), label) - labels.begin();
}

// An operand and the labels of its dimensions.
struct Operand {
  XlaOp op;
  Labels labels;
};

absl::Status CheckLabels(XlaBuilder* b, const Operand& operand) {
  XLA_ASSIGN_OR_RETURN(const Shape shape, lib_internal::ArrayShape(b, operand.op));
  if (shape.rank() == static_cast<int64_t>(operand.labels.size())) return absl::OkStatus();
  return InvalidArgumentStrCat("There are ", operand.labels.size(),
                               " labels for the dimensions of ", ShapeUtil::HumanString(shape),
                               ".");
}

// Of dimensions with equal labels only the diagonal stays.
absl::Status TakeDiagonals(XlaBuilder* b, Operand* operand) {
  for (size_t i = 0; i < operand->labels.size(); ++i) {
    for (size_t j = operand->labels.size(); j-- > i + 1;) {
      if (operand->labels[i] != operand->labels[j]) continue;
      XLA_ASSIGN_OR_RETURN(const Shape shape, lib_internal::ArrayShape(b, operand->op));
      if (shape.dimensions(static_cast<int>(i)) != shape.dimensions(static_cast<int>(j))) {
        return InvalidArgumentStrCat("Dimensions ", i, " and ", j, " of ",
                                     ShapeUtil::HumanString(shape),
                                     " have one label but different sizes.");
      }
      XLA_ASSIGN_OR_RETURN(const Shape places,
                           ShapeUtil::MakeValidatedShape(S64, shape.dimensions()));
      const XlaOp on_diagonal =
          Eq(Iota(b, places, static_cast<int64_t>(i)), Iota(b, places, static_cast<int64_t>(j)));
      const PrimitiveType type = shape.element_type();
      operand->op =
          Reduce(Select(on_diagonal, operand->op, ZerosLike(operand->op)), Zero(b, type),
                 CreateScalarIdentityWithZeroComputation(type, b), {static_cast<int64_t>(j)});
      operand->labels.erase(operand->labels.begin() + static_cast<int64_t>(j));
    }
  }
  return absl::OkStatus();
}

// Sums over the labels that no other operand has.
absl::Status SumOver(XlaBuilder* b, const Labels& other, const Labels& output, Operand* operand) {
  std::vector<int64_t> dimensions;
  Labels kept;
  for (size_t i = 0; i < operand->labels.size(); ++i) {
    const int64_t label = operand->labels[i];
    if (Has(other, label) || Has(output, label)) {
      kept.push_back(label);
    } else {
      dimensions.push_back(static_cast<int64_t>(i));
    }
  }
  if (dimensions.empty()) return absl::OkStatus();
  XLA_ASSIGN_OR_RETURN(const Shape shape, lib_internal::ArrayShape(b, operand->op));
  const PrimitiveType type = shape.element_type();
  operand->op = Reduce(operand->op, Zero(b, type), CreateScalarAddComputation(type, b), dimensions);
  operand->labels = std::move(kept);
  return absl::OkStatus();
}

// Drops dimensions of size 1 whose label the other operand has with another size: they broadcast.
absl::Status DropBroadcastDimensions(XlaBuilder* b, const Operand& other, Operand* operand) {
  XLA_ASSIGN_OR_RETURN(const Shape shape, lib_internal::ArrayShape(b, operand->op));
  XLA_ASSIGN_OR_RETURN(const Shape other_shape, lib_internal::ArrayShape(b, other.op));
  Labels kept;
  std::vector<int64_t> sizes;
  for (size_t i = 0; i < operand->labels.size(); ++i) {
    const int64_t label = operand->labels[i], size = shape.dimensions(static_cast<int>(i));
    if (size == 1 && !shape.is_dynamic_dimension(static_cast<int>(i)) && Has(other.labels, label) &&
        other_shape.dimensions(static_cast<int>(Position(other.labels, label))) != 1) {
      continue;
    }
    kept.push_back(label);
    sizes.push_back(size);
  }
  if (kept.size() == operand->labels.size()) return absl::OkStatus();
  operand->op = Reshape(operand->op, sizes);
  operand->labels = std::move(kept);
  return absl::OkStatus();
}

XlaOp InOrder(const Operand& operand, const Labels& output) {
  std::vector<int64_t> permutation;
  for (const int64_t label : output) permutation.push_back(Position(operand.labels, label));
  return std::is_sorted(permutation.begin(), permutation.end())
             ? operand.op
             : Transpose(operand.op, permutation);
}

absl::Status CheckOutput(const Labels& x, const Labels& y, const Labels& output) {
  for (size_t i = 0; i < output.size(); ++i) {
    if (!Has(x, output[i]) && !Has(y, output[i])) {
      return InvalidArgumentStrCat("No operand has label ", i, " of the result.");
    }
    if (Position(output, output[i]) != static_cast<int64_t>(i)) {
      return InvalidArgumentStrCat("Label ", i, " of the result stands twice.");
    }
  }
  return absl::OkStatus();
}

// The labels of one operand: letters, "..." for `rank` minus the number of letters, the last of
// which is -1.
absl::StatusOr<Labels> ParseLabels(absl::string_view text, int64_t rank) {
  const size_t dots = text.find("...");
  const absl::string_view before = text.substr(0, dots);
  const absl::string_view after =
      dots == absl::string_view::npos ? absl::string_view() : text.substr(dots + 3);
  Labels labels;
  const auto add = [&](absl::string_view letters) -> absl::Status {
    for (const char c : letters) {
      if (c == ' ') continue;
      if (!absl::ascii_isalpha(static_cast<unsigned char>(c))) {
        return InvalidArgumentStrCat("Labels are letters; got '", std::string(1, c), "' in \"",
                                     text, "\".");
      }
      labels.push_back(c);
    }
    return absl::OkStatus();
  };
  XLA_RETURN_IF_ERROR(add(before));
  const int64_t ellipsis_at = static_cast<int64_t>(labels.size());
  XLA_RETURN_IF_ERROR(add(after));
  if (dots == absl::string_view::npos) return labels;
  const int64_t more = rank - static_cast<int64_t>(labels.size());
  if (more < 0) {
    return InvalidArgumentStrCat("\"", text, "\" has more labels than there are dimensions, ", rank,
                                 ".");
  }
  for (int64_t i = 1; i <= more; ++i) labels.insert(labels.begin() + ellipsis_at, -i);
  return labels;
}

}  // namespace

absl::StatusOr<std::array<std::vector<int64_t>, 3>> ParseEinsumString(
    absl::string_view einsum_config, int64_t x_rank, int64_t y_rank) {
  const std::vector<absl::string_view> sides = absl::StrSplit(einsum_config, "->");
  if (sides.size() != 2) {
    return InvalidArgumentStrCat("Einsum config \"", einsum_config, "\" needs one \"->\".");
  }
  const std::vector<absl::string_view> inputs = absl::StrSplit(sides[0], ',');
  if (inputs.size() != 2) {
    return InvalidArgumentStrCat("Einsum config \"", einsum_config, "\" needs two operands.");
  }
  std::array<Labels, 3> config;
  XLA_ASSIGN_OR_RETURN(config[0], ParseLabels(inputs[0], x_rank));
  XLA_ASSIGN_OR_RETURN(config[1], ParseLabels(inputs[1], y_rank));
  // The dots of the result stand for those of the operand that has more.
  const auto dots = [](const Labels& labels) {
    return std::count_if(labels.begin(), labels.end(), [](int64_t label) { return label < 0; });
  };
  int64_t letters = 0;
  for (const char c : sides[1]) letters += absl::ascii_isalpha(static_cast<unsigned char>(c));
  XLA_ASSIGN_OR_RETURN(config[2],
                       ParseLabels(sides[1], letters + std::max(dots(config[0]), dots(config[1]))));
  return config;
}

std::string NormalizeEinsumString(absl::string_view einsum_config) {
  if (absl::StrContains(einsum_config, "->")) return "";
  std::map<char, int> counts;
  for (const char c : einsum_config) {
    if (absl::ascii_isalpha(static_cast<unsigned char>(c))) ++counts[c];
  }
  std::string normal = absl::StrCat(einsum_config, "->");
  if (absl::StrContains(einsum_config, "...")) normal += "...";
  for (const auto& [label, count] : counts) {
    if (count == 1) normal += label;
  }
  return normal;
}

XlaOp Einsum(XlaOp x, absl::Span<const int64_t> x_config, XlaOp y,
             absl::Span<const int64_t> y_config, absl::Span<const int64_t> output_config,
             PrecisionConfig::Precision precision,
             std::optional<PrimitiveType> preferred_element_type, bool grad_x, bool grad_y) {
  return lib_internal::Make("Einsum", {x, y}, [&](XlaBuilder* b) -> absl::StatusOr<XlaOp> {
    Operand lhs{x, Labels(x_config.begin(), x_config.end())};
    Operand rhs{y, Labels(y_config.begin(), y_config.end())};
    const Labels output(output_config.begin(), output_config.end());
    XLA_RETURN_IF_ERROR(CheckLabels(b, lhs));
    XLA_RETURN_IF_ERROR(CheckLabels(b, rhs));
    XLA_RETURN_IF_ERROR(CheckOutput(lhs.labels, rhs.labels, output));
    for (Operand* operand : {&lhs, &rhs}) XLA_RETURN_IF_ERROR(TakeDiagonals(b, operand));
    XLA_RETURN_IF_ERROR(DropBroadcastDimensions(b, rhs, &lhs));
    XLA_RETURN_IF_ERROR(DropBroadcastDimensions(b, lhs, &rhs));
    for (Operand* operand : {&lhs, &rhs}) {
      XLA_RETURN_IF_ERROR(SumOver(b, (operand == &lhs ? rhs : lhs).labels, output, operand));
    }
    // What both have is a batch dimension if the result has it, else contracted.
    DotDimensionNumbers numbers;
    Operand result;
    for (size_t i = 0; i < lhs.labels.size(); ++i) {
      const int64_t label = lhs.labels[i];
      if (!Has(rhs.labels, label)) continue;
      const int64_t j = Position(rhs.labels, label);
      if (Has(output, label)) {
        numbers.add_lhs_batch_dimensions(static_cast<int64_t>(i));
        numbers.add_rhs_batch_dimensions(j);
        result.labels.push_back(label);
      } else {
        numbers.add_lhs_contracting_dimensions(static_cast<int64_t>(i));
        numbers.add_rhs_contracting_dimensions(j);
      }
    }
    for (const int64_t label : lhs.labels) {
      if (!Has(rhs.labels, label)) result.labels.push_back(label);
    }
    for (const int64_t label : rhs.labels) {
      if (!Has(lhs.labels, label)) result.labels.push_back(label);
    }
    PrecisionConfig config;
    config.add_operand_precision(precision);
    config.add_operand_precision(precision);
    XLA_ASSIGN_OR_RETURN(
        result.op, lib_internal::MarkGradients(
                       b, DotGeneral(lhs.op, rhs.op, numbers, &config, preferred_element_type),
                       grad_x, grad_y));
    return InOrder(result, output);
  });
}

XlaOp Einsum(XlaOp x, XlaOp y, absl::string_view einsum_config,
             PrecisionConfig::Precision precision,
             std::optional<PrimitiveType> preferred_element_type, bool grad_x, bool grad_y) {
  return lib_internal::Make("Einsum", {x, y}, [&](XlaBuilder* b) -> absl::StatusOr<XlaOp> {
    XLA_ASSIGN_OR_RETURN(const Shape x_shape, lib_internal::ArrayShape(b, x));
    XLA_ASSIGN_OR_RETURN(const Shape y_shape, lib_internal::ArrayShape(b, y));
    const std::string normal = NormalizeEinsumString(einsum_config);
    if (!normal.empty()) einsum_config = normal;
    XLA_ASSIGN_OR_RETURN(const auto config,
                         ParseEinsumString(einsum_config, x_shape.rank(), y_shape.rank()));
    return Einsum(x, config[0], y, config[1], config[2], precision, preferred_element_type, grad_x,
                  grad_y);
  });
}

XlaOp Einsum(XlaOp x, absl::string_view einsum_config, PrecisionConfig::Precision) {
  return lib_internal::Make("Einsum", {x}, [&](XlaBuilder* b) -> absl::StatusOr<XlaOp> {
    XLA_ASSIGN_OR_RETURN(const Shape shape, lib_internal::ArrayShape(b, x));
    const std::string normal = NormalizeEinsumString(einsum_config);
    if (!normal.empty()) einsum_config = normal;
    const std::vector<absl::string_view> sides = absl::StrSplit(einsum_config, "->");
    if (sides.size() != 2 || absl::StrContains(sides[0], ',')) {
      return InvalidArgumentStrCat("Einsum config \"", einsum_config,
                                   "\" needs one operand and one \"->\".");
    }
    // As the product with a scalar 1.
    XLA_ASSIGN_OR_RETURN(
        const auto config,
        ParseEinsumString(absl::StrCat(sides[0], ",->", sides[1]), shape.rank(), 0));
    Operand operand{x, config[0]};
    XLA_RETURN_IF_ERROR(CheckLabels(b, operand));
    XLA_RETURN_IF_ERROR(CheckOutput(operand.labels, {}, config[2]));
    XLA_RETURN_IF_ERROR(TakeDiagonals(b, &operand));
    XLA_RETURN_IF_ERROR(SumOver(b, {}, config[2], &operand));
    return InOrder(operand, config[2]);
  });
}

}  // namespace xla
