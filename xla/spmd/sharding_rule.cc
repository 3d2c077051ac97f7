// SPDX-License-Identifier: Apache-2.0
// A reader of rules, and how they carry divisions from operands to results.
#include "xla/spmd/sharding_rule.h"

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "xla/base/status_macros.h"
#include "xla/spmd/dimension_sharding.h"

namespace xla::spmd {
namespace {

class RuleReader {
 public:
  explicit RuleReader(std::string_view text) : all_(text.data(), text.size()), rest_(all_) {}

  absl::StatusOr<ShardingRule> Read() {
    const bool is_wrapped = absl::ConsumePrefix(&rest_, "#sdy.op_sharding_rule<");
    XLA_RETURN_IF_ERROR(ReadMappings(&rule_.operands));
    if (!Take("->")) return Unexpected();
    XLA_RETURN_IF_ERROR(ReadMappings(&rule_.results));
    rule_.factor_sizes.resize(numbers_.size());
    rule_.needs_replication.resize(numbers_.size());
    if (Take("{")) XLA_RETURN_IF_ERROR(ReadSizes());
    for (const int64_t size : rule_.factor_sizes) {
      if (size <= 0)
        return absl::InvalidArgumentError(absl::StrCat(all_, ": a factor has no size"));
    }
    for (;;) {
      const bool is_replicated = Take("need_replication={");
      if (!is_replicated && !Take("reduction={") && !Take("permutation={") &&
          !Take("blocked_propagation={")) {
        break;
      }
      XLA_RETURN_IF_ERROR(ReadFactors(is_replicated));
    }
    if (Take(",") && !Take("custom")) return Unexpected();
    if (is_wrapped && !Take(">")) return Unexpected();
    absl::ConsumePrefix(&rest_, " ");
    if (!rest_.empty()) return Unexpected();
    return std::move(rule_);
  }

 private:
  bool Take(absl::string_view token) {
    rest_ = absl::StripLeadingAsciiWhitespace(rest_);
    return absl::ConsumePrefix(&rest_, token);
  }

  absl::Status Unexpected() const {
    return absl::InvalidArgumentError(
        absl::StrCat("the sharding rule ", all_, " is malformed at \"", rest_.substr(0, 16), "\""));
  }

  // A letter, and "_12" where letters do not suffice.
  std::optional<size_t> TakeFactor() {
    rest_ = absl::StripLeadingAsciiWhitespace(rest_);
    if (rest_.empty() || !absl::ascii_islower(static_cast<unsigned char>(rest_[0]))) {
      return std::nullopt;
    }
    size_t length = 1;
    if (length < rest_.size() && rest_[length] == '_') {
      ++length;
      while (length < rest_.size() &&
             absl::ascii_isdigit(static_cast<unsigned char>(rest_[length]))) {
        ++length;
      }
    }
    const std::string name(rest_.substr(0, length));
    rest_.remove_prefix(length);
    return numbers_.emplace(name, numbers_.size()).first->second;
  }

  // ([ij, k], [])
  absl::Status ReadMappings(std::vector<ShardingRule::Mapping>* mappings) {
    if (!Take("(")) return Unexpected();
    if (Take(")")) return absl::OkStatus();
    do {
      ShardingRule::Mapping& mapping = mappings->emplace_back();
      if (!Take("[")) return Unexpected();
      if (Take("]")) continue;
      do {
        ShardingRule::Dimension& dimension = mapping.emplace_back();
        while (const std::optional<size_t> factor = TakeFactor()) dimension.push_back(*factor);
        if (dimension.empty()) return Unexpected();
      } while (Take(","));
      if (!Take("]")) return Unexpected();
    } while (Take(","));
    return Take(")") ? absl::OkStatus() : Unexpected();
  }

  // i=2, j=4}
  absl::Status ReadSizes() {
    do {
      const std::optional<size_t> factor = TakeFactor();
      if (!factor.has_value() || *factor >= rule_.factor_sizes.size() || !Take("=")) {
        return Unexpected();
      }
      size_t length = 0;
      while (length < rest_.size() &&
             absl::ascii_isdigit(static_cast<unsigned char>(rest_[length]))) {
        ++length;
      }
      if (!absl::SimpleAtoi(rest_.substr(0, length), &rule_.factor_sizes[*factor])) {
        return Unexpected();
      }
      rest_.remove_prefix(length);
    } while (Take(","));
    return Take("}") ? absl::OkStatus() : Unexpected();
  }

  // i, j}
  absl::Status ReadFactors(bool is_replicated) {
    do {
      const std::optional<size_t> factor = TakeFactor();
      if (!factor.has_value() || *factor >= rule_.needs_replication.size()) return Unexpected();
      if (is_replicated) rule_.needs_replication[*factor] = true;
    } while (Take(","));
    return Take("}") ? absl::OkStatus() : Unexpected();
  }

  absl::string_view all_, rest_;
  std::map<std::string, size_t, std::less<>> numbers_;
  ShardingRule rule_;
};

// The division of each factor that operands divide.
absl::StatusOr<std::vector<DimensionSharding>> DimensionShardingsOfFactors(
    const ShardingRule& rule, absl::Span<const ShardLayout* const> operands) {
  std::vector<DimensionSharding> factors(rule.factor_sizes.size());
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands[i] == nullptr) continue;
    const DimensionShardings dimensions = DimensionShardingsOf(*operands[i]);
    if (dimensions.size() != rule.operands[i].size()) {
      return absl::InvalidArgumentError("a sharding rule is for operands of other ranks");
    }
    for (size_t d = 0; d < dimensions.size(); ++d) {
      if (dimensions[d].count == 1) continue;
      const size_t factor = rule.operands[i][d][0];
      if (!rule.needs_replication[factor] && factors[factor].count == 1 &&
          rule.factor_sizes[factor] % dimensions[d].count == 0) {
        factors[factor] = dimensions[d];
      }
    }
  }
  return factors;
}

}  // namespace

absl::StatusOr<ShardingRule> ParseShardingRule(std::string_view text) {
  return RuleReader(text).Read();
}

absl::StatusOr<std::vector<ShardLayout>> ResultsByRule(
    const ShardingRule& rule, absl::Span<const ShardLayout* const> operands, int64_t partitions) {
  if (operands.size() != rule.operands.size()) {
    return absl::InvalidArgumentError("a sharding rule is for another number of operands");
  }
  XLA_ASSIGN_OR_RETURN(const std::vector<DimensionSharding> factors,
                       DimensionShardingsOfFactors(rule, operands));
  std::vector<ShardLayout> results;
  for (const ShardingRule::Mapping& mapping : rule.results) {
    DimensionShardings dimensions(mapping.size());
    std::optional<ShardLayout> layout = ShardLayoutFrom(dimensions, partitions);
    for (size_t d = 0; d < mapping.size(); ++d) {
      if (factors[mapping[d][0]].count == 1) continue;
      dimensions[d] = factors[mapping[d][0]];
      std::optional<ShardLayout> more = ShardLayoutFrom(dimensions, partitions);
      if (more.has_value()) {
        layout = std::move(more);
      } else {
        dimensions[d] = {};
      }
    }
    results.push_back(*std::move(layout));
  }
  return results;
}

}  // namespace xla::spmd
