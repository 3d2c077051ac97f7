// SPDX-License-Identifier: Apache-2.0
// Definitions of the utilities.
#include "xla/util.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "google/protobuf/text_format.h"
#include "xla/base/check.h"

namespace xla {

std::string DimensionsToString(absl::Span<const int64_t> dimensions) {
  return absl::StrCat("[", absl::StrJoin(dimensions, ","), "]");
}

std::string PrintAllFields(const google::protobuf::Message& message) {
  // Text format omits fields at their default: give each such field a presence by listing it.
  std::string text;
  const google::protobuf::Descriptor* descriptor = message.GetDescriptor();
  const google::protobuf::Reflection* reflection = message.GetReflection();
  for (int i = 0; i < descriptor->field_count(); ++i) {
    const google::protobuf::FieldDescriptor* field = descriptor->field(i);
    const int count = field->is_repeated() ? reflection->FieldSize(message, field) : 1;
    for (int k = 0; k < count; ++k) {
      const int index = field->is_repeated() ? k : -1;
      if (field->cpp_type() == google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE) {
        const google::protobuf::Message& part =
            field->is_repeated() ? reflection->GetRepeatedMessage(message, field, k)
                                 : reflection->GetMessage(message, field);
        absl::StrAppend(&text, field->name(), " {\n", PrintAllFields(part), "}\n");
        continue;
      }
      std::string value;
      google::protobuf::TextFormat::PrintFieldValueToString(message, field, index, &value);
      absl::StrAppend(&text, field->name(), ": ", value, "\n");
    }
  }
  return text;
}

void PackIntN(int bits_per_element, absl::Span<const char> input, absl::Span<char> output) {
  XLA_CHECK(bits_per_element == 1 || bits_per_element == 2 || bits_per_element == 4);
  const auto per_byte = static_cast<size_t>(8 / bits_per_element);
  XLA_CHECK(output.size() >= CeilOfRatio(input.size(), per_byte)) << "too few bytes for the output";
  const uint8_t mask = LsbMask<uint8_t>(bits_per_element);
  for (size_t begin = 0; begin < input.size(); begin += per_byte) {
    uint8_t byte = 0;
    for (size_t i = 0; i < per_byte && begin + i < input.size(); ++i) {
      const auto value = static_cast<uint8_t>(input[begin + i]) & mask;
      byte |= static_cast<uint8_t>(value << (i * static_cast<size_t>(bits_per_element)));
    }
    output[begin / per_byte] = static_cast<char>(byte);
  }
}

void UnpackIntN(int bits_per_element, absl::Span<const char> input, absl::Span<char> output) {
  XLA_CHECK(bits_per_element == 1 || bits_per_element == 2 || bits_per_element == 4);
  const auto per_byte = static_cast<size_t>(8 / bits_per_element);
  XLA_CHECK(input.size() >= CeilOfRatio(output.size(), per_byte)) << "too few bytes to unpack";
  const uint8_t mask = LsbMask<uint8_t>(bits_per_element);
  for (size_t i = 0; i < output.size(); ++i) {
    const auto byte = static_cast<uint8_t>(input[i / per_byte]);
    const auto shift = (i % per_byte) * static_cast<size_t>(bits_per_element);
    output[i] = static_cast<char>((byte >> shift) & mask);
  }
}

absl::Status AddContext(const absl::Status& status, absl::string_view context) {
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat(context, ": ", status.message()));
}

absl::InlinedVector<std::pair<int64_t, int64_t>, 8> CommonFactors(absl::Span<const int64_t> a,
                                                                  absl::Span<const int64_t> b) {
  absl::InlinedVector<std::pair<int64_t, int64_t>, 8> bounds;
  const auto end = std::make_pair<int64_t, int64_t>(a.size(), b.size());
  bounds.emplace_back(0, 0);
  const bool any_zero =
      std::find(a.begin(), a.end(), 0) != a.end() || std::find(b.begin(), b.end(), 0) != b.end();
  if (any_zero) {
    // As XLA: equal dimensions at the start are groups; the rest is one, unless it has no zeros.
    size_t equal = 0;
    while (equal < a.size() && equal < b.size() && a[equal] == b[equal]) ++equal;
    const auto rest_a = a.subspan(equal), rest_b = b.subspan(equal);
    const int64_t product = Product(rest_a);
    if (product == Product(rest_b)) {
      for (size_t d = 1; d <= equal; ++d) bounds.emplace_back(d, d);
      if (product != 0) {
        const auto rest = CommonFactors(rest_a, rest_b);
        for (size_t r = 1; r < rest.size(); ++r) {
          bounds.emplace_back(rest[r].first + equal, rest[r].second + equal);
        }
      }
    }
    if (bounds.back() != end) bounds.push_back(end);
    return bounds;
  }
  // Walk both lists, always extending the side whose product since the last bound is the smaller.
  // A dimension of size 1 at a group boundary forms a group of its own, paired with one on the
  // other side if there is one. Inside a group it belongs to that group.
  int64_t i = 0, j = 0;
  int64_t a_product = 1, b_product = 1;
  while (i < end.first || j < end.second) {
    const bool a_left = i < end.first, b_left = j < end.second;
    const bool between_groups = a_product == 1 && b_product == 1;
    const bool a_is_one = a_left && a[i] == 1, b_is_one = b_left && b[j] == 1;
    if (between_groups && (a_is_one || b_is_one)) {
      i += a_is_one;
      j += b_is_one;
    } else if (!b_left || (a_left && a_product <= b_product)) {
      a_product *= a[i++];
    } else {
      b_product *= b[j++];
    }
    if (a_product == b_product) {
      bounds.emplace_back(i, j);
      a_product = b_product = 1;
    }
  }
  XLA_CHECK(bounds.back() == end) << "the products of " << DimensionsToString(a) << " and "
                                  << DimensionsToString(b) << " differ";
  return bounds;
}

int64_t Product(absl::Span<const int64_t> xs) {
  int64_t product = 1;
  for (const int64_t x : xs) product *= x;
  return product;
}

std::vector<int64_t> ElemwiseProduct(absl::Span<const int64_t> a, absl::Span<const int64_t> b) {
  std::vector<int64_t> result(a.begin(), a.end());
  for (size_t i = 0; i < result.size(); ++i) result[i] *= b[i];
  return result;
}

bool DistinctNumbersAreConsecutiveIfSorted(absl::Span<const int64_t> numbers) {
  if (numbers.empty()) return true;
  const auto [least, greatest] = std::minmax_element(numbers.begin(), numbers.end());
  return *greatest - *least + 1 == static_cast<int64_t>(numbers.size());
}

DimensionVector GetNonContractingDims(int64_t rank, absl::Span<const int64_t> contracting_dims,
                                      absl::Span<const int64_t> batch_dims) {
  DimensionVector result;
  const auto contains = [](absl::Span<const int64_t> list, int64_t d) {
    return std::find(list.begin(), list.end(), d) != list.end();
  };
  for (int64_t d = 0; d < rank; ++d) {
    if (!contains(contracting_dims, d) && !contains(batch_dims, d)) result.push_back(d);
  }
  return result;
}

std::string Reindent(absl::string_view original, absl::string_view indentation) {
  std::vector<std::string> lines;
  for (absl::string_view line : absl::StrSplit(original, '\n')) {
    lines.push_back(absl::StrCat(indentation, absl::StripAsciiWhitespace(line)));
  }
  return absl::StrJoin(lines, "\n");
}

namespace {

std::string HumanReadableRate(double count, double nanoseconds, absl::string_view unit) {
  if (nanoseconds == 0) return absl::StrCat("NaN ", unit, "/s");
  const double rate = count / (nanoseconds / 1e9);
  double scaled = rate;
  absl::string_view prefix;
  for (const absl::string_view next : {"k", "M", "G", "T", "P", "E"}) {
    if (std::abs(scaled) < 1000) break;
    scaled /= 1000;
    prefix = next;
  }
  return absl::StrFormat("%.2f%s%s/s", scaled, prefix, unit);
}

}  // namespace

std::string HumanReadableNumFlops(double flops, double nanoseconds) {
  return HumanReadableRate(flops, nanoseconds, "FLOP");
}

std::string HumanReadableNumTranscendentalOps(double ops, double nanoseconds) {
  return HumanReadableRate(ops, nanoseconds, "TROP");
}

std::string SanitizeFileName(std::string file_name) {
  for (char& c : file_name) {
    if (c == '/' || c == '\\' || c == '[' || c == ']' || c == ' ') c = '_';
  }
  return file_name;
}

}  // namespace xla
