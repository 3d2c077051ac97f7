// SPDX-License-Identifier: Apache-2.0
// The text of whole literals.
#include "xla/literal_print.h"

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "xla/index_util.h"
#include "xla/literal.h"
#include "xla/literal_access.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

using Piece = LiteralAccess::Piece;

// Prints one array. In the multi-line form each row of the last dimension is a line indented by two
// blanks, and each outer brace is a line of its own; in the one-line form blanks replace line ends.
class ArrayPrinter {
 public:
  ArrayPrinter(const Piece& piece, bool oneline, std::string* out)
      : out_(*out),
        newline_(oneline ? " " : "\n"),
        row_indent_(oneline ? "" : "  "),
        type_(piece.subshape->element_type()),
        element_bytes_(piece.element_bytes()),
        sizes_(LiteralAccess::ExistingSizes(piece)),
        strides_(IndexUtil::DimensionStrides(*piece.subshape)),
        buffer_(piece.buffer) {}

  void Print() {
    if (IsHugeNothing()) {
      out_.append("{...}");
    } else if (sizes_.empty()) {
      AppendElement(&out_, type_, buffer_);
    } else {
      PrintDimension(0, 0, 0);
    }
  }

 private:
  // An array without elements may have any number of rows, each of which would print as {}.
  bool IsHugeNothing() const {
    constexpr int64_t kMaxRows = 1 << 16;
    int64_t rows = 1;
    for (int64_t size : sizes_) {
      if (size == 0) return rows > kMaxRows;
      if (rows <= kMaxRows && __builtin_mul_overflow(rows, size, &rows)) rows = kMaxRows + 1;
    }
    return false;
  }

  // Rank is at most ShapeUtil::kMaxRank, which bounds the recursion.
  void PrintDimension(size_t d, int64_t index_before, int64_t linear) {
    const size_t rank = sizes_.size();
    const bool last = d + 1 == rank;
    if (last) {
      if (rank > 1) out_.append(row_indent_);
      out_.append(rank > 1 && sizes_[d] > 1 ? "{ " : "{");
      PrintRow(linear);
      out_.append(rank > 1 && sizes_[d] > 1 ? " }" : "}");
      return;
    }
    out_.push_back('{');
    const bool numbered = rank > 3 && d > 0;
    if (numbered) absl::StrAppend(&out_, " /*i", d - 1, "=", index_before, "*/");
    // XLA writes an empty dimension as "{ /*i0=0*/ }" with a number, and as "{  }" without.
    if (!numbered || sizes_[d] > 0) out_.append(newline_);
    for (int64_t i = 0; i < sizes_[d]; ++i) {
      if (i > 0) out_.append(",").append(newline_);
      PrintDimension(d + 1, i, linear + i * strides_[d]);
    }
    out_.append(newline_).push_back('}');
  }

  void PrintRow(int64_t linear) {
    const int64_t count = sizes_.back();
    const int64_t step = strides_.back() * element_bytes_;
    const char* element = buffer_ + linear * element_bytes_;
    for (int64_t i = 0; i < count; ++i, element += step) {
      if (i > 0) out_.append(", ");
      if (type_ == PRED) {
        out_.push_back(*element ? '1' : '0');
      } else {
        AppendElement(&out_, type_, element);
      }
    }
  }

  std::string& out_;
  const char* const newline_;
  const char* const row_indent_;
  const PrimitiveType type_;
  const int64_t element_bytes_;
  const DimensionVector sizes_;
  const DimensionVector strides_;
  const char* const buffer_;
};

// The depth of tuples is bounded by Shape::kMaxTupleDepth.
void AppendPiece(std::string* out, const Piece& piece, const LiteralPrintOptions& options) {
  const Shape& shape = *piece.subshape;
  if (shape.IsTuple()) {
    const char* newline = options.oneline ? " " : "\n";
    out->append("(").append(newline);
    for (size_t i = 0; i < piece.children.size(); ++i) {
      if (i > 0) out->append(",").append(newline);
      AppendPiece(out, piece.children[i], options);
    }
    out->append(newline).append(")");
    return;
  }
  if (!shape.IsArray()) {
    out->append(primitive_util::LowercasePrimitiveTypeName(shape.element_type()));
    return;
  }
  if (options.print_shape || options.print_layout) {
    shape.AppendTo(out, options.print_layout);
    if (shape.is_dynamic()) {
      out->push_back('(');
      for (int64_t d = 0; d < shape.rank(); ++d)
        absl::StrAppend(out, d > 0 ? "," : "", piece.existing_size(d));
      out->push_back(')');
    }
    out->push_back(' ');
  }
  ArrayPrinter(piece, options.oneline, out).Print();
}

std::string Print(const LiteralBase& literal, const LiteralPrintOptions& options) {
  std::string text;
  AppendLiteral(&text, literal, options);
  return text;
}

}  // namespace

void AppendLiteral(std::string* out, const LiteralBase& literal,
                   const LiteralPrintOptions& options) {
  AppendPiece(out, LiteralAccess::Root(literal), options);
}

std::string LiteralBase::ToString() const {
  return Print(*this, {.print_shape = true, .oneline = false});
}
std::string LiteralBase::ToStringOneline() const { return Print(*this, {.print_shape = true}); }
std::string LiteralBase::ToStringWithoutShape() const { return Print(*this, {.oneline = false}); }
std::string LiteralBase::ToStringWithoutShapeOneline() const { return Print(*this, {}); }
std::string LiteralBase::ToStringWithLayout() const {
  return Print(*this, {.print_layout = true, .oneline = false});
}
std::string LiteralBase::ToStringWithLayoutOneline() const {
  return Print(*this, {.print_layout = true});
}

std::ostream& operator<<(std::ostream& out, const LiteralBase& literal) {
  return out << literal.ToString();
}

}  // namespace xla
