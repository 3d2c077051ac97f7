// SPDX-License-Identifier: Apache-2.0
// Comparison of literals with a report of the differences.
#include "xla/literal_comparison.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "xla/base/status_macros.h"
#include "xla/element_convert.h"
#include "xla/literal_access.h"
#include "xla/literal_print.h"
#include "xla/literal_util.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla {
namespace literal_comparison {
namespace {

using Piece = LiteralAccess::Piece;

std::string LeafName(const ShapeIndex& index) {
  return index.empty() ? "" : absl::StrCat(" in tuple element ", index.ToString());
}

std::string Text(PrimitiveType type, const char* element) {
  std::string text;
  AppendElement(&text, type, element);
  return text;
}

// The text of the index of the element with this number in row-major order.
std::string IndexText(absl::Span<const int64_t> sizes, int64_t linear) {
  DimensionVector index(sizes.size());
  for (size_t d = sizes.size(); d-- > 0;) {
    index[d] = linear % sizes[d];
    linear /= sizes[d];
  }
  return LiteralUtil::MultiIndexAsString(index);
}

// Two arrays of one type and equal existing sizes, elements in row-major order.
struct Leaf {
  Leaf(const Piece& expected_piece, const Piece& actual_piece)
      : type(expected_piece.subshape->element_type()),
        bytes(expected_piece.element_bytes()),
        sizes(LiteralAccess::ExistingSizes(expected_piece)),
        expected(LiteralAccess::RowMajorData(expected_piece, &expected_storage)),
        actual(LiteralAccess::RowMajorData(actual_piece, &actual_storage)) {
    for (int64_t size : sizes) count *= size;
  }
  Leaf(const Leaf&) = delete;

  const char* ExpectedAt(int64_t i) const { return expected + i * bytes; }
  const char* ActualAt(int64_t i) const { return actual + i * bytes; }

  PrimitiveType type;
  int64_t bytes;
  DimensionVector sizes;
  int64_t count = 1;
  std::vector<char> expected_storage;
  std::vector<char> actual_storage;
  const char* expected;
  const char* actual;
};

// A PRED array: whether the element differs.
Literal MismatchLiteral(const Leaf& leaf, const std::vector<char>& mismatch) {
  Literal literal(ShapeUtil::MakeShape(PRED, leaf.sizes));
  std::copy(mismatch.begin(), mismatch.end(), literal.data<bool>().begin());
  return literal;
}

absl::Status EqualLeaf(const Leaf& leaf, const ShapeIndex& shape_index,
                       std::vector<char>* mismatch) {
  int64_t mismatches = 0;
  int64_t first = 0;
  for (int64_t i = 0; i < leaf.count; ++i) {
    if (std::memcmp(leaf.ExpectedAt(i), leaf.ActualAt(i), leaf.bytes) == 0) continue;
    if (mismatches++ == 0) first = i;
    if (!mismatch->empty()) (*mismatch)[i] = true;
  }
  if (mismatches == 0) return absl::OkStatus();
  return InvalidArgument(
      "%d of %d elements differ%s; first mismatch at array index %s:\n  expected value: %s\n  "
      "actual value:   %s",
      mismatches, leaf.count, LeafName(shape_index), IndexText(leaf.sizes, first),
      Text(leaf.type, leaf.ExpectedAt(first)), Text(leaf.type, leaf.ActualAt(first)));
}

// The distance from a to b in representable values of a real floating-point type: the difference of
// their positions in the order of values.
int64_t UlpDistance(PrimitiveType type, const char* a, const char* b) {
  const int bits = primitive_util::BitWidth(type);
  const auto order = [&](const char* element) {
    uint64_t code = 0;
    std::memcpy(&code, element, primitive_util::ByteWidth(type));
    if (type == F8E8M0FNU) return static_cast<int64_t>(code);
    const uint64_t sign = uint64_t{1} << (bits - 1);
    const int64_t magnitude = static_cast<int64_t>(code & (sign - 1));
    return (code & sign) != 0 ? -magnitude : magnitude;
  };
  int64_t distance;
  if (__builtin_sub_overflow(order(a), order(b), &distance))
    return std::numeric_limits<int64_t>::max();
  return distance < 0 ? -distance : distance;
}

struct Error {
  double absolute = 0;
  double relative = 0;
  int64_t ulp = 0;
};

// Whether one part of an element matches regardless of the bounds: equal, or not finite in an
// allowed way.
bool IsNear(double expected, double actual, const ErrorSpec& spec) {
  if (std::isnan(expected)) return spec.relaxed_nans || std::isnan(actual);
  if (std::isnan(actual)) return false;
  if (expected == actual) return true;
  if (std::isinf(actual) && !std::isinf(expected) && spec.more_infs_ok) return true;
  if (std::isinf(expected) && !std::isinf(actual) && spec.fewer_infs_ok) return true;
  return false;
}

Error Measure(complex128 expected, complex128 actual) {
  Error error;
  error.absolute = expected == actual ? 0 : std::abs(actual - expected);
  if (std::isnan(error.absolute)) error.absolute = std::numeric_limits<double>::infinity();
  const double size = std::abs(expected);
  error.relative = error.absolute == 0 ? 0 : error.absolute / size;
  if (std::isnan(error.relative)) error.relative = std::numeric_limits<double>::infinity();
  return error;
}

// Counts of errors by size.
struct Histogram {
  static constexpr std::array<double, 7> kBounds = {1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0};
  std::array<int64_t, kBounds.size() + 1> counts = {};

  void Add(double error) {
    ++counts[std::upper_bound(kBounds.begin(), kBounds.end(), error) - kBounds.begin()];
  }
  // Counts of the errors that are at least 1e-4, 1e-3, 1e-2, 1e-1 and 1.
  std::vector<int64_t> AtLeast() const {
    std::vector<int64_t> result;
    for (const double bound : {1e-4, 1e-3, 1e-2, 1e-1, 1.0}) {
      const auto first = std::lower_bound(kBounds.begin(), kBounds.end(), bound) - kBounds.begin();
      int64_t count = 0;
      for (size_t i = static_cast<size_t>(first) + 1; i < counts.size(); ++i) count += counts[i];
      result.push_back(count);
    }
    return result;
  }
  std::string ToString() const {
    std::string text = absl::StrFormat("    below %g: %d\n", kBounds[0], counts[0]);
    for (size_t i = 0; i < kBounds.size(); ++i) {
      absl::StrAppendFormat(&text, "    from  %g: %d\n", kBounds[i], counts[i + 1]);
    }
    return text;
  }
};

class NearComparator {
 public:
  // Marks mismatches in `mismatch`, if it is not empty.
  NearComparator(const Leaf& leaf, const ErrorSpec& spec, std::vector<char>* mismatch)
      : leaf_(leaf), spec_(spec), mismatch_(mismatch) {}

  ErrorBuckets Buckets() const { return ErrorBuckets(absolute_.AtLeast(), relative_.AtLeast()); }

  absl::Status Run(const Shape& shape, const ShapeIndex& shape_index, bool detailed) {
    constexpr int64_t kPiece = 512;
    std::array<complex128, kPiece> expected;
    std::array<complex128, kPiece> actual;
    for (int64_t begin = 0; begin < leaf_.count; begin += kPiece) {
      const int64_t n = std::min(kPiece, leaf_.count - begin);
      ConvertElements(leaf_.type, leaf_.ExpectedAt(begin), C128, expected.data(), n);
      ConvertElements(leaf_.type, leaf_.ActualAt(begin), C128, actual.data(), n);
      for (int64_t i = 0; i < n; ++i) Compare(begin + i, expected[i], actual[i]);
    }
    if (mismatches_ == 0) return absl::OkStatus();
    std::string text = absl::StrFormat(
        "%d of %d elements (%.4g%%) of shape %s are not near%s; bounds: absolute %g, relative %g",
        mismatches_, leaf_.count,
        100.0 * static_cast<double>(mismatches_) / static_cast<double>(leaf_.count),
        shape.ToString(), LeafName(shape_index), spec_.abs, spec_.rel);
    if (spec_.ulp > 0) absl::StrAppend(&text, ", ulp ", spec_.ulp);
    absl::StrAppend(&text, "\n  greatest absolute error: ", Describe(worst_absolute_),
                    "\n  greatest relative error: ", Describe(worst_relative_),
                    "\n  first mismatches:\n");
    for (int64_t i : first_) absl::StrAppend(&text, "    ", Describe(i), "\n");
    if (detailed) {
      absl::StrAppend(&text, "  absolute errors of all elements:\n", absolute_.ToString(),
                      "  relative errors of all elements:\n", relative_.ToString());
    }
    return absl::InvalidArgumentError(text);
  }

 private:
  void Compare(int64_t i, complex128 expected, complex128 actual) {
    const Error error = Measure(expected, actual);
    absolute_.Add(error.absolute);
    relative_.Add(error.relative);
    if (IsNear(expected.real(), actual.real(), spec_) &&
        IsNear(expected.imag(), actual.imag(), spec_))
      return;
    const bool finite = std::isfinite(error.absolute);
    if (finite && (error.absolute <= spec_.abs || error.relative <= spec_.rel)) return;
    if (finite && spec_.ulp > 0 && Ulps(i) <= spec_.ulp) return;
    if (IsWithinLowPrecision(i, expected, actual)) return;
    if (!mismatch_->empty()) (*mismatch_)[i] = true;
    if (mismatches_++ == 0) {
      worst_absolute_ = worst_relative_ = i;
      worst_ = error;
    }
    if (error.absolute > worst_.absolute) {
      worst_.absolute = error.absolute;
      worst_absolute_ = i;
    }
    if (error.relative > worst_.relative) {
      worst_.relative = error.relative;
      worst_relative_ = i;
    }
    if (first_.size() < 5) first_.push_back(i);
  }

  int64_t Ulps(int64_t i) const {
    if (!primitive_util::IsComplexType(leaf_.type)) {
      return UlpDistance(leaf_.type, leaf_.ExpectedAt(i), leaf_.ActualAt(i));
    }
    const PrimitiveType part = primitive_util::ComplexComponentType(leaf_.type);
    const int64_t half = leaf_.bytes / 2;
    return std::max(UlpDistance(part, leaf_.ExpectedAt(i), leaf_.ActualAt(i)),
                    UlpDistance(part, leaf_.ExpectedAt(i) + half, leaf_.ActualAt(i) + half));
  }

  // Rounded to the narrow type of the bounds, the values are few steps apart.
  bool IsWithinLowPrecision(int64_t i, complex128 expected, complex128 actual) const {
    const auto& narrow = spec_.low_precision_fp_error_spec;
    if (narrow.within_n_values < 0 || !primitive_util::IsFloatingPointType(narrow.type) ||
        primitive_util::IsComplexType(leaf_.type)) {
      return false;
    }
    std::array<char, 8> a, b;
    ConvertElements(leaf_.type, leaf_.ExpectedAt(i), narrow.type, a.data(), 1);
    ConvertElements(leaf_.type, leaf_.ActualAt(i), narrow.type, b.data(), 1);
    if (std::isnan(expected.real()) || std::isnan(actual.real())) return false;
    return UlpDistance(narrow.type, a.data(), b.data()) <= narrow.within_n_values;
  }

  std::string Describe(int64_t i) const {
    complex128 expected;
    complex128 actual;
    ConvertElements(leaf_.type, leaf_.ExpectedAt(i), C128, &expected, 1);
    ConvertElements(leaf_.type, leaf_.ActualAt(i), C128, &actual, 1);
    const Error error = Measure(expected, actual);
    std::string text = absl::StrFormat(
        "at index %s: expected %s, actual %s, absolute error %.4g, relative error %.4g",
        IndexText(leaf_.sizes, i), Text(leaf_.type, leaf_.ExpectedAt(i)),
        Text(leaf_.type, leaf_.ActualAt(i)), error.absolute, error.relative);
    if (std::isfinite(error.absolute)) absl::StrAppend(&text, ", ", Ulps(i), " ulp");
    return text;
  }

  const Leaf& leaf_;
  const ErrorSpec& spec_;
  std::vector<char>* const mismatch_;
  int64_t mismatches_ = 0;
  int64_t worst_absolute_ = 0;
  int64_t worst_relative_ = 0;
  Error worst_;
  std::vector<int64_t> first_;
  Histogram absolute_;
  Histogram relative_;
};

bool IsInexact(PrimitiveType type) {
  return primitive_util::IsFloatingPointType(type) || primitive_util::IsComplexType(type);
}

// Runs `compare` on each pair of array leaves and joins the messages of all differences.
absl::Status CompareLeaves(
    const LiteralSlice& expected, const LiteralSlice& actual,
    absl::FunctionRef<absl::Status(const Piece&, const Piece&, const ShapeIndex&)> compare) {
  std::string messages;
  LiteralAccess::ForEachPiece(expected, [&](const ShapeIndex& index, const Piece& piece) {
    if (!piece.subshape->IsArray()) return;
    const absl::Status status = compare(piece, LiteralAccess::At(actual, index), index);
    if (!status.ok()) absl::StrAppend(&messages, messages.empty() ? "" : "\n", status.message());
  });
  return messages.empty() ? absl::OkStatus() : absl::InvalidArgumentError(messages);
}

}  // namespace

absl::Status EqualShapes(const Shape& expected, const Shape& actual) {
  if (Shape::Equal().IgnoreLayout().IgnoreDynamicDimension()(expected, actual))
    return absl::OkStatus();
  return InvalidArgument("shapes differ: expected %s, actual %s", expected.ToString(),
                         actual.ToString());
}

absl::Status EqualDynamicShapesAndDimensions(const LiteralSlice& expected,
                                             const LiteralSlice& actual) {
  if (!ShapeUtil::EqualStructure(expected.shape(), actual.shape())) {
    return EqualShapes(expected.shape(), actual.shape());
  }
  return CompareLeaves(expected, actual,
                       [](const Piece& e, const Piece& a, const ShapeIndex& index) -> absl::Status {
                         if (e.subshape->element_type() != a.subshape->element_type() ||
                             e.subshape->rank() != a.subshape->rank()) {
                           return EqualShapes(*e.subshape, *a.subshape);
                         }
                         const DimensionVector expected_sizes = LiteralAccess::ExistingSizes(e);
                         const DimensionVector actual_sizes = LiteralAccess::ExistingSizes(a);
                         if (expected_sizes == actual_sizes) return absl::OkStatus();
                         return InvalidArgument(
                             "sizes differ%s: expected %s, actual %s, of shapes %s and %s",
                             LeafName(index), DimensionsToString(expected_sizes),
                             DimensionsToString(actual_sizes), e.subshape->ToString(),
                             a.subshape->ToString());
                       });
}

absl::Status Equal(const LiteralSlice& expected, const LiteralSlice& actual,
                   const MiscompareCallback& miscompare_callback) {
  XLA_RETURN_IF_ERROR(EqualDynamicShapesAndDimensions(expected, actual));
  return CompareLeaves(
      expected, actual, [&](const Piece& e, const Piece& a, const ShapeIndex& index) {
        const Leaf leaf(e, a);
        std::vector<char> mismatch(miscompare_callback ? leaf.count : 0);
        const absl::Status status = EqualLeaf(leaf, index, &mismatch);
        if (!status.ok() && miscompare_callback) {
          miscompare_callback(LiteralSlice(expected, index), LiteralSlice(actual, index),
                              MismatchLiteral(leaf, mismatch), index, ErrorBuckets());
        }
        return status;
      });
}

absl::Status Near(const LiteralSlice& expected, const LiteralSlice& actual, const ErrorSpec& error,
                  std::optional<bool> detailed_message,
                  const MiscompareCallback& miscompare_callback) {
  XLA_RETURN_IF_ERROR(EqualDynamicShapesAndDimensions(expected, actual));
  return CompareLeaves(
      expected, actual, [&](const Piece& e, const Piece& a, const ShapeIndex& index) {
        const Leaf leaf(e, a);
        std::vector<char> mismatch(miscompare_callback ? leaf.count : 0);
        NearComparator comparator(leaf, error, &mismatch);
        const absl::Status status =
            IsInexact(leaf.type)
                ? comparator.Run(*e.subshape, index, detailed_message.value_or(false))
                : EqualLeaf(leaf, index, &mismatch);
        if (!status.ok() && miscompare_callback) {
          miscompare_callback(LiteralSlice(expected, index), LiteralSlice(actual, index),
                              MismatchLiteral(leaf, mismatch), index, comparator.Buckets());
        }
        return status;
      });
}

std::string ToStringTruncated(const LiteralSlice& literal) {
  return ShapeUtil::ElementsInRecursive(literal.shape()) < 1000
             ? literal.ToString()
             : "[TRUNCATED, Literal with more than 1000 values]";
}

}  // namespace literal_comparison
}  // namespace xla
