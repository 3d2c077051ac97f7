// SPDX-License-Identifier: Apache-2.0
// The public functions of the HLO text parser.
#include "xla/hlo/text/parser.h"

#include <utility>

#include "xla/hlo/text/parser_impl.h"
#include "xla/literal.h"

namespace xla {
namespace {

// A value of type T by the parser's member for it, and nothing after it.
template <typename T, typename Parse>
absl::StatusOr<T> ParseAlone(std::string_view text, std::string_view what, Parse parse) {
  text::HloTextParser parser(text, {});
  T value;
  const absl::Status status = parser.ParseAlone(what, [&] { return parse(parser, &value); });
  if (!status.ok()) return status;
  return value;
}

}  // namespace

absl::StatusOr<std::unique_ptr<HloModule>> ParseAndReturnUnverifiedModule(
    std::string_view text, const HloParserOptions& options) {
  return text::HloTextParser(text, options).ParseModuleText(std::make_unique<HloModule>("_"));
}

absl::Status ParseIntoModule(std::string_view text, const HloParserOptions& options,
                             HloModule* module) {
  // The parser owns its module while it works.
  text::HloTextParser parser(text, options);
  auto parsed = parser.ParseModuleText(std::unique_ptr<HloModule>(module));
  if (parsed.ok()) {
    (void)parsed->release();
  } else {
    parser.ReleaseModule();
  }
  return parsed.status();
}

absl::StatusOr<Shape> ParseShape(std::string_view text) {
  return ParseAlone<Shape>(text, "shape",
                           [](auto& parser, Shape* shape) { return parser.ParseShape(shape); });
}

absl::StatusOr<Layout> ParseLayout(std::string_view text) {
  return ParseAlone<Layout>(
      text, "layout", [](auto& parser, Layout* layout) { return parser.ParseLayout(layout); });
}

absl::StatusOr<HloSharding> ParseSharding(std::string_view text) {
  return ParseAlone<HloSharding>(text, "sharding", [](auto& parser, HloSharding* sharding) {
    return parser.ParseValue(sharding);
  });
}

absl::StatusOr<WindowDims> ParseWindowDims(std::string_view text) {
  return ParseAlone<WindowDims>(text, "window", [](auto& parser, WindowDims* window) {
    return parser.ParseWindow(window, /*in_braces=*/false);
  });
}

absl::StatusOr<ConvDims> ParseConvDims(std::string_view text) {
  return ParseAlone<ConvDims>(text, "convolution dnums",
                              [](auto& parser, ConvDims* dims) { return parser.ParseValue(dims); });
}

absl::StatusOr<std::vector<PadDim>> ParsePadDims(std::string_view text) {
  return ParseAlone<std::vector<PadDim>>(
      text, "PaddingConfig",
      [](auto& parser, std::vector<PadDim>* padding) { return parser.ParseValue(padding); });
}

absl::StatusOr<CollectiveDeviceList> ParseCollectiveDeviceList(std::string_view text) {
  return ParseAlone<CollectiveDeviceList>(
      text, "collective device list",
      [](auto& parser, CollectiveDeviceList* devices) { return parser.ParseValue(devices); });
}

absl::StatusOr<Literal> ParseLiteral(const Shape& shape, std::string_view text) {
  text::HloTextParser parser(text, {});
  Literal literal;
  const absl::Status status =
      parser.ParseAlone("literal", [&] { return parser.ParseWholeLiteral(shape, &literal); });
  if (!status.ok()) return status;
  return literal;
}

}  // namespace xla
