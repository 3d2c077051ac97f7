// SPDX-License-Identifier: Apache-2.0
// The HLO text parser under XLA's include path and with its signatures. xla/hlo/text/parser.h
// declares the parser itself.
#ifndef XLA_HLO_PARSER_HLO_PARSER_H_
#define XLA_HLO_PARSER_HLO_PARSER_H_

#include <memory>
#include <string_view>
#include <type_traits>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/ir/hlo_sharding.h"
#include "xla/hlo/ir/replica_group.h"
#include "xla/hlo/text/parser.h"  // IWYU pragma: export
#include "xla/service/hlo.pb.h"
#include "xla/shape.h"
#include "xla/xla_data.pb.h"

namespace xla {

// The header of the text overrides the config, whose debug options the module keeps.
absl::StatusOr<std::unique_ptr<HloModule>> ParseAndReturnUnverifiedModule(
    absl::string_view text, const HloModuleConfig& config,
    const HloParserOptions& options = HloParserOptions());

// Abseil's string_view where it is a type of its own, for functions that take the standard one.
namespace parser_internal {
template <typename View>
concept AbslView =
    std::is_same_v<View, absl::string_view> && !std::is_same_v<View, std::string_view>;
template <AbslView View>
std::string_view AsStd(View text) {
  return {text.data(), text.size()};
}
}  // namespace parser_internal

// The same without a config.
template <parser_internal::AbslView View>
absl::StatusOr<std::unique_ptr<HloModule>> ParseAndReturnUnverifiedModule(
    View text, const HloParserOptions& options = HloParserOptions()) {
  return ParseAndReturnUnverifiedModule(parser_internal::AsStd(text), options);
}

template <parser_internal::AbslView View>
absl::StatusOr<Shape> ParseShape(View text) {
  return ParseShape(parser_internal::AsStd(text));
}
template <parser_internal::AbslView View>
absl::StatusOr<Layout> ParseLayout(View text) {
  return ParseLayout(parser_internal::AsStd(text));
}
template <parser_internal::AbslView View>
absl::StatusOr<HloSharding> ParseSharding(View text) {
  return ParseSharding(parser_internal::AsStd(text));
}

absl::StatusOr<Window> ParseWindow(absl::string_view text);  // "size=3x3 pad=1_1x1_1"
absl::StatusOr<ConvolutionDimensionNumbers> ParseConvolutionDimensionNumbers(
    absl::string_view text);                                               // "b01f_01io->b01f"
absl::StatusOr<PaddingConfig> ParsePaddingConfig(absl::string_view text);  // "0_1_0x1_1_2"
// "{a=1,b=\"x\"}"
absl::StatusOr<FrontendAttributes> ParseFrontendAttributes(absl::string_view text);
// "{visualizing_index=0,name=1.5}"
absl::StatusOr<StatisticsViz> ParseStatisticsViz(absl::string_view text);
// "{true,false}"
absl::StatusOr<std::vector<bool>> ParseParameterReplication(absl::string_view text);
// "{{0,1},{2,3}}"
absl::StatusOr<std::vector<ReplicaGroup>> ParseReplicaGroupsOnly(absl::string_view text);
absl::StatusOr<std::unique_ptr<CollectiveDeviceListBase>> ParseCollectiveDeviceListBase(
    absl::string_view text);
// "(f32[2], s32[])" without the parentheses: a list separated by commas.
absl::StatusOr<std::vector<Shape>> ParseShapeList(absl::string_view text);

}  // namespace xla

#endif  // XLA_HLO_PARSER_HLO_PARSER_H_
