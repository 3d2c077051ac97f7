// SPDX-License-Identifier: Apache-2.0
#include "xla/lapack/signature.h"

#include <limits>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla/base/status_macros.h"
#include "xla/layout_util.h"
#include "xla/overflow_util.h"
#include "xla/primitive_util.h"

namespace xla::lapack {
namespace {

std::string_view View(absl::string_view text) { return {text.data(), text.size()}; }

std::string Text(const Shape& shape) { return shape.ToString(/*print_layout=*/true); }

// "the right number of things": "1 operand", "3 results".
std::string Count(int64_t count, absl::string_view thing) {
  return absl::StrCat(count, " ", thing, count == 1 ? "" : "s");
}

}  // namespace

// The steps of the layout's dimensions of more than one element, from minor to major: are they the
// last dimension, the one before it, ... in the order that is asked for?
static bool IsInOrder(const Shape& shape, bool is_column_major) {
  if (!shape.has_layout()) return !is_column_major;
  DimensionVector expected;
  const int rank = static_cast<int>(shape.rank());
  for (int d = rank - 1; d >= 0; --d) expected.push_back(d);
  if (is_column_major && rank >= 2) std::swap(expected[0], expected[1]);
  size_t next = 0;
  const auto skip = [&] {
    while (next < expected.size() && shape.dimensions(static_cast<int>(expected[next])) == 1)
      ++next;
  };
  for (int i = 0; i < rank; ++i) {
    const int64_t d = shape.layout().minor_to_major(i);
    if (shape.dimensions(static_cast<int>(d)) == 1) continue;
    skip();
    if (expected[next++] != d) return false;
  }
  return true;
}

bool HasMatrixLayout(const Shape& shape) {
  return IsInOrder(shape, /*is_column_major=*/false) ||
         (shape.rank() >= 2 && IsInOrder(shape, /*is_column_major=*/true));
}

Matrices MatricesOf(const Shape& shape) {
  Matrices m;
  const int rank = static_cast<int>(shape.rank());
  m.rows = shape.dimensions(rank - 2);
  m.columns = shape.dimensions(rank - 1);
  m.matrix_stride = m.rows * m.columns;
  // A handler takes memory for columns. Where the array is laid out so, its rows are those of the
  // program, in whose memory each lies as a whole.
  if (IsInOrder(shape, /*is_column_major=*/true) && m.columns > 1 && m.rows > 1) {
    m.row_stride = m.columns;
  } else {
    m.column_stride = m.rows;
  }
  return m;
}

absl::Status Signature::Error(absl::string_view message) const {
  return absl::InvalidArgumentError(
      absl::StrCat("custom-call ", call_->instruction, " of ", call_->target, ": ", message));
}

absl::Status Signature::CheckArray(const Shape& shape, absl::string_view what) const {
  if (!shape.IsArray() || shape.is_dynamic()) {
    return Error(absl::StrCat(what, " is ", Text(shape), ", not an array of fixed sizes"));
  }
  int64_t elements = 1;
  for (const int64_t size : shape.dimensions()) {
    if (size > std::numeric_limits<int32_t>::max()) {
      return absl::ResourceExhaustedError(absl::StrCat(
          "custom-call ", call_->instruction, " of ", call_->target, ": ", what, " is ",
          Text(shape), ", of which LAPACK's 32-bit integers cannot count a dimension"));
    }
    elements = MultiplyWithoutOverflow(elements, size);
    if (elements < 0) break;
  }
  constexpr int64_t kMostElements = int64_t{1} << 40;
  if (elements < 0 || elements > kMostElements) {
    return absl::ResourceExhaustedError(absl::StrCat("custom-call ", call_->instruction, " of ",
                                                     call_->target, ": ", what, " is ", Text(shape),
                                                     ", which has too many elements"));
  }
  if (!shape.has_layout()) return absl::OkStatus();
  if (shape.layout().has_padding()) {
    return Error(absl::StrCat(what, " has the layout ", Text(shape), ", with padding"));
  }
  if (const absl::Status layout = LayoutUtil::ValidateLayoutInShape(shape); !layout.ok()) {
    return Error(absl::StrCat(what, " is ", Text(shape), ": ", layout.message()));
  }
  return absl::OkStatus();
}

absl::StatusOr<Signature> Signature::Read(const LapackCall& call) {
  Signature signature(call);
  if (!call.is_typed) {
    return signature.Error("its api_version must be API_VERSION_TYPED_FFI");
  }
  if (call.result.IsTuple()) {
    for (const Shape& shape : call.result.tuple_shapes()) signature.results_.push_back(&shape);
  } else {
    signature.results_.push_back(&call.result);
  }
  for (size_t i = 0; i < call.operands.size(); ++i)
    XLA_RETURN_IF_ERROR(signature.CheckArray(call.operands[i], absl::StrCat("operand ", i)));
  for (size_t i = 0; i < signature.results_.size(); ++i)
    XLA_RETURN_IF_ERROR(signature.CheckArray(*signature.results_[i], absl::StrCat("result ", i)));
  absl::StatusOr<AttributeDictionary> attributes =
      AttributeDictionary::Parse(View(call.attributes));
  if (!attributes.ok()) {
    return signature.Error(
        absl::StrCat("its attributes cannot be read: ", attributes.status().message()));
  }
  signature.attributes_ = *std::move(attributes);
  return signature;
}

absl::Status Signature::SetBatch(int64_t i) {
  const Shape& shape = operand(i);
  if (shape.rank() < 2) {
    return Error(absl::StrCat("operand ", i, " is ", Text(shape),
                              ": matrices need at least two dimensions"));
  }
  const auto dimensions = shape.dimensions();
  batch_.assign(dimensions.begin(), dimensions.end() - 2);
  count_ = 1;
  for (const int64_t size : batch_) count_ *= size;
  rows_ = dimensions[dimensions.size() - 2];
  columns_ = dimensions.back();
  return absl::OkStatus();
}

absl::Status Signature::ExpectSquare() const {
  if (rows_ == columns_) return absl::OkStatus();
  return Error(absl::StrCat("its matrices are ", rows_, " x ", columns_, ": they must be square"));
}

absl::Status Signature::ExpectAtMost(int64_t rows, int64_t most) const {
  if (rows <= most) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat(
      Error("").message(), "LAPACK's 32-bit integers do not count the working memory of ", rows,
      " rows, but of ", most));
}

absl::Status Signature::ExpectCounts(int64_t operands, int64_t results) const {
  if (operand_count() != operands) {
    return Error(
        absl::StrCat("it has ", Count(operand_count(), "operand"), ": it takes ", operands));
  }
  if (result_count() != results || (results > 1 && !call_->result.IsTuple())) {
    return Error(absl::StrCat("its result is ", Text(call_->result), ": it makes ",
                              Count(results, "array")));
  }
  return absl::OkStatus();
}

absl::Status Signature::ExpectArray(const Shape& shape, absl::string_view kind, int64_t i,
                                    absl::string_view name, PrimitiveType type,
                                    absl::Span<const int64_t> dimensions) const {
  DimensionVector expected = batch_;
  expected.insert(expected.end(), dimensions.begin(), dimensions.end());
  const std::string what = absl::StrCat(kind, " ", i, " (", name, ")");
  if (shape.element_type() != type || shape.dimensions() != absl::MakeConstSpan(expected)) {
    return Error(absl::StrCat(what, " is ", shape.ToString(), ": it must be ",
                              primitive_util::LowercasePrimitiveTypeName(type), "[",
                              absl::StrJoin(expected, ","), "]"));
  }
  const bool is_fine =
      dimensions.size() == 2 ? HasMatrixLayout(shape) : IsInOrder(shape, /*is_column_major=*/false);
  if (!is_fine) {
    return Error(absl::StrCat(what, " has the layout ", Text(shape),
                              dimensions.size() == 2
                                  ? ": its matrices must be laid out column by column or, as the "
                                    "array as a whole, row by row"
                                  : ": it must be laid out row by row"));
  }
  return absl::OkStatus();
}

absl::Status Signature::ExpectOperand(int64_t i, absl::string_view name, PrimitiveType type,
                                      absl::Span<const int64_t> dimensions) const {
  return ExpectArray(operand(i), "operand", i, name, type, dimensions);
}

absl::Status Signature::ExpectResult(int64_t i, absl::string_view name, PrimitiveType type,
                                     absl::Span<const int64_t> dimensions) const {
  return ExpectArray(result(i), "result", i, name, type, dimensions);
}

absl::StatusOr<char> Signature::Choice(absl::string_view name, absl::string_view characters) {
  asked_.insert(std::string(name));
  absl::StatusOr<uint8_t> value = attributes_.Get<uint8_t>(View(name));
  if (!value.ok()) {
    // Some producers write characters as signed numbers.
    const absl::StatusOr<int8_t> other = attributes_.Get<int8_t>(View(name));
    if (!other.ok()) return Error(value.status().message());
    value = static_cast<uint8_t>(*other);
  }
  const char character = static_cast<char>(*value);
  if (characters.find(character) == absl::string_view::npos) {
    std::vector<std::string> known;
    for (const char c : characters)
      known.push_back(absl::StrCat(static_cast<int>(c), " ('", absl::string_view(&c, 1), "')"));
    return Error(absl::StrCat("attribute '", name, "' is ", *value, ": it must be one of ",
                              absl::StrJoin(known, ", ")));
  }
  return character;
}

absl::StatusOr<bool> Signature::Bool(absl::string_view name) {
  asked_.insert(std::string(name));
  const absl::StatusOr<bool> value = attributes_.Get<bool>(View(name));
  if (!value.ok()) return Error(value.status().message());
  return *value;
}

absl::StatusOr<int32_t> Signature::Int32(absl::string_view name) {
  asked_.insert(std::string(name));
  const absl::StatusOr<int32_t> value = attributes_.Get<int32_t>(View(name));
  if (!value.ok()) return Error(value.status().message());
  return *value;
}

absl::Status Signature::ExpectNoOtherAttributes() const {
  for (const auto& [name, value] : attributes_.values()) {
    if (asked_.find(name) != asked_.end()) continue;
    return Error(absl::StrCat("there is no attribute '", name,
                              "' of this call; its attributes are ",
                              asked_.empty() ? "none" : absl::StrJoin(asked_, ", ")));
  }
  return absl::OkStatus();
}

}  // namespace xla::lapack
