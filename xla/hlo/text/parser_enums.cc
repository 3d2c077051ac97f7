// SPDX-License-Identifier: Apache-2.0
// Enumeration values: directions, kinds, algorithms. Their names are those of the proto enums.
#include <optional>
#include <string>

#include "absl/strings/ascii.h"
#include "xla/hlo/text/parser_impl.h"
#include "xla/service/hlo.pb.h"

namespace xla::text {
namespace {

// The value of a wire enum whose name is `prefix` and the word in upper case.
template <typename E>
std::optional<E> FromWireName(bool (*parse)(const std::string&, E*), std::string_view prefix,
                              std::string_view word) {
  for (char c : word) {
    if (c >= 'A' && c <= 'Z') return std::nullopt;
  }
  E value;
  if (!parse(Cat(prefix, absl::AsciiStrToUpper(View(word))), &value)) return std::nullopt;
  return value;
}

template <typename E>
std::optional<E> FromWireNameAsIs(bool (*parse)(const std::string&, E*), std::string_view word) {
  E value;
  if (!parse(std::string(word), &value)) return std::nullopt;
  return value;
}

std::string Unknown(std::string_view what, std::string_view word, std::string_view why = {}) {
  return Cat("expects ", what, " but sees: ", word, why.empty() ? "" : ", error: ", why);
}

}  // namespace

bool HloTextParser::ParseValue(ComparisonDirection* value) {
  std::string_view word;
  if (!ParseIdent("comparison direction", &word)) return false;
  const auto direction = StringToComparisonDirection(View(word));
  if (!direction.ok()) return TokenError(Unknown("comparison direction", word));
  *value = *direction;
  lexer_.Next();
  return true;
}

bool HloTextParser::ParseValue(ComparisonType* value) {
  std::string_view word;
  if (!ParseIdent("comparison type", &word)) return false;
  const auto type = StringToComparisonType(View(word));
  if (!type.ok()) return TokenError(Unknown("comparison type", word));
  *value = *type;
  lexer_.Next();
  return true;
}

bool HloTextParser::ParseValue(Precisions* value) {
  return ParseList(TokKind::kLbrace, TokKind::kRbrace, TokKind::kComma, [&] {
    std::string_view word;
    if (!ParseIdent("random distribution", &word)) return false;  // XLA's message
    const auto precision = FromWireName<PrecisionConfig::Precision>(
        [](const std::string& name, PrecisionConfig::Precision* p) {
          return PrecisionConfig::Precision_Parse(name, p);
        },
        "", absl::AsciiStrToLower(View(word)));
    if (!precision) return TokenError(Unknown("precision", word, "Unknown precision"));
    value->values.push_back(*precision);
    lexer_.Next();
    return true;
  });
}

bool HloTextParser::ParseValue(PrecisionConfig::Algorithm* value) {
  std::string_view word;
  if (!ParseIdent("algorithm", &word)) return false;
  const auto algorithm = FromWireName<PrecisionConfig::Algorithm>(
      [](const std::string& name, PrecisionConfig::Algorithm* a) {
        return PrecisionConfig::Algorithm_Parse(name, a);
      },
      "ALG_", word);
  if (!algorithm) return TokenError(Unknown("algorithm", word, "Unknown algorithm"));
  *value = *algorithm;
  lexer_.Next();
  return true;
}

bool HloTextParser::ParseValue(ConvolutionKind* value) {
  std::string_view word;
  if (!ParseIdent("convolution kind", &word)) return false;
  const auto kind = ConvolutionKindFromName(word);
  if (!kind) return TokenError(Unknown("convolution kind", word));
  *value = *kind;
  lexer_.Next();
  return true;
}

bool HloTextParser::ParseValue(FftType* value) {
  std::string_view word;
  if (!ParseIdent("fft type", &word)) return false;
  const auto type = FromWireNameAsIs<FftType>(
      [](const std::string& n, FftType* t) { return FftType_Parse(n, t); }, word);
  if (!type) return TokenError(Unknown("fft type", word));
  *value = *type;
  lexer_.Next();
  return true;
}

bool HloTextParser::ParseValue(TriangularSolveOptions::Transpose* value) {
  using Transpose = TriangularSolveOptions::Transpose;
  std::string_view word;
  if (!ParseIdent("an enumeration value", &word)) return false;
  const auto transpose = FromWireNameAsIs<Transpose>(
      [](const std::string& n, Transpose* t) {
        return TriangularSolveOptions::Transpose_Parse(n, t);
      },
      word);
  if (!transpose) return TokenError(Unknown("NO_TRANSPOSE, TRANSPOSE or ADJOINT", word));
  *value = *transpose;
  lexer_.Next();
  return true;
}

bool HloTextParser::ParseValue(RandomDistribution* value) {
  std::string_view word;
  if (!ParseIdent("random distribution", &word)) return false;
  const auto distribution = FromWireName<RandomDistribution>(
      [](const std::string& n, RandomDistribution* d) { return RandomDistribution_Parse(n, d); },
      "", word);
  if (!distribution)
    return TokenError(Unknown("random distribution", word, "Unknown distribution"));
  *value = *distribution;
  lexer_.Next();
  return true;
}

bool HloTextParser::ParseValue(RandomAlgorithm* value) {
  std::string_view word;
  if (!ParseIdent("random algorithm", &word)) return false;
  const auto algorithm = FromWireName<RandomAlgorithm>(
      [](const std::string& n, RandomAlgorithm* a) { return RandomAlgorithm_Parse(n, a); }, "",
      word);
  if (!algorithm) return TokenError(Unknown("random algorithm", word, "Unknown algorithm"));
  *value = *algorithm;
  lexer_.Next();
  return true;
}

bool HloTextParser::ParseValue(FusionKind* value) {
  std::string_view word;
  if (!ParseIdent("fusion kind", &word)) return false;
  const auto kind = FusionKindFromName(word);
  if (!kind) return TokenError(Unknown("fusion kind", word, Cat("Unknown fusion kind: ", word)));
  *value = *kind;
  lexer_.Next();
  return true;
}

bool HloTextParser::ParseValue(PaddingType* value) {
  std::string_view word;
  if (!ParseIdent("padding type", &word)) return false;
  const auto type = FromWireNameAsIs<PaddingType>(
      [](const std::string& n, PaddingType* t) { return PaddingType_Parse(n, t); }, word);
  if (!type) return TokenError(Unknown("padding type", word));
  *value = *type;
  lexer_.Next();
  return true;
}

bool HloTextParser::ParseValue(CustomCallSchedule* value) {
  std::string_view word;
  if (!ParseIdent("custom-call schedule", &word)) return false;
  // Either case is accepted.
  const auto schedule = FromWireNameAsIs<CustomCallSchedule>(
      [](const std::string& n, CustomCallSchedule* s) { return CustomCallSchedule_Parse(n, s); },
      absl::AsciiStrToUpper(View(word)));
  if (!schedule) return TokenError(Unknown("custom-call schedule", word, "Unknown schedule"));
  *value = *schedule;
  lexer_.Next();
  return true;
}

bool HloTextParser::ParseValue(CustomCallApiVersion* value) {
  std::string_view word;
  if (!ParseIdent("custom-call API version", &word)) return false;
  const auto version = FromWireNameAsIs<CustomCallApiVersion>(
      [](const std::string& n, CustomCallApiVersion* v) {
        return CustomCallApiVersion_Parse(n, v);
      },
      absl::AsciiStrToUpper(View(word)));
  if (!version) return TokenError(Unknown("custom-call API version", word, "Unknown API version"));
  *value = *version;
  lexer_.Next();
  return true;
}

bool HloTextParser::ParseCollectiveMode() {
  std::string_view word;
  if (!ParseIdent("collective op group mode", &word)) return false;
  for (std::string_view mode :
       {"cross_replica", "cross_partition", "cross_replica_and_partition", "flattened_id"}) {
    if (word != mode) continue;
    lexer_.Next();
    return true;
  }
  return TokenError(
      Unknown("collective op group mode", word, Cat("Invalid collective op group mode: ", word)));
}

}  // namespace xla::text
