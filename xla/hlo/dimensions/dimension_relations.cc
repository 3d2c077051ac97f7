// SPDX-License-Identifier: Apache-2.0
// The text form of dimension relations: printer and parser.
#include "xla/hlo/dimensions/dimension_relations.h"

#include <cctype>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "xla/base/status_macros.h"

namespace xla {
namespace {

constexpr int64_t kNumLetters = 'z' - 'i';  // factor number of z; z_1 follows
// More factors than the dimensions of any instruction have; bounds what a text can ask for.
constexpr int64_t kMaxFactors = 1 << 16;
constexpr std::string_view kPrefix = "#sdy.op_sharding_rule<";

std::string ArraysText(const std::vector<ArrayFactors>& arrays) {
  return absl::StrCat("(",
                      absl::StrJoin(arrays, ", ",
                                    [](std::string* out, const auto& array) {
                                      absl::StrAppend(
                                          out, "[",
                                          absl::StrJoin(array, ", ",
                                                        [](std::string* text, const auto& dim) {
                                                          for (const int64_t factor : dim)
                                                            *text += FactorName(factor);
                                                        }),
                                          "]");
                                    }),
                      ")");
}

// A recursive descent parser without recursion: the grammar has no nesting beyond three lists.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  absl::StatusOr<DimensionRelations> Read() {
    const bool has_prefix = Accept(kPrefix);
    XLA_RETURN_IF_ERROR(Arrays(&relations_.operands));
    XLA_RETURN_IF_ERROR(Expect("->"));
    XLA_RETURN_IF_ERROR(Arrays(&relations_.results));
    XLA_RETURN_IF_ERROR(Sizes());
    for (const FactorKind kind :
         {FactorKind::kReduction, FactorKind::kNeedReplication, FactorKind::kPermutation}) {
      if (!Accept(FactorKindName(kind))) continue;
      XLA_RETURN_IF_ERROR(Factors([kind](DimensionFactor& factor) { factor.kind = kind; }));
    }
    if (Accept("blocked_propagation")) {
      XLA_RETURN_IF_ERROR(Factors([](DimensionFactor& factor) { factor.is_blocked = true; }));
    }
    if (Accept(",")) {
      XLA_RETURN_IF_ERROR(Expect("custom"));
      relations_.is_custom = true;
    }
    if (has_prefix) XLA_RETURN_IF_ERROR(Expect(">"));
    SkipSpace();
    if (at_ != text_.size()) return Error("expected the end");
    return std::move(relations_);
  }

 private:
  absl::Status Error(std::string_view what) const {
    return absl::InvalidArgumentError(absl::StrCat(
        absl::string_view(what.data(), what.size()), " at character ", at_,
        " of the sharding rule '", absl::string_view(text_.data(), text_.size()), "'"));
  }
  void SkipSpace() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool Accept(std::string_view token) {
    SkipSpace();
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }
  absl::Status Expect(std::string_view token) {
    if (Accept(token)) return absl::OkStatus();
    return Error(absl::StrCat("expected '", absl::string_view(token.data(), token.size()), "'"));
  }

  std::optional<int64_t> Number() {
    int64_t value = 0;
    const size_t begin = at_;
    for (; at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0; ++at_) {
      if (__builtin_mul_overflow(value, 10, &value) ||
          __builtin_add_overflow(value, text_[at_] - '0', &value)) {
        return std::nullopt;
      }
    }
    if (at_ == begin) return std::nullopt;
    return value;
  }

  absl::StatusOr<int64_t> Factor() {
    if (at_ >= text_.size() || text_[at_] < 'i' || text_[at_] > 'z') {
      return Error("expected a factor, a letter from 'i' to 'z' or 'z_1', 'z_2', ...");
    }
    const char letter = text_[at_++];
    if (letter != 'z' || at_ >= text_.size() || text_[at_] != '_') return letter - 'i';
    ++at_;
    const std::optional<int64_t> number = Number();
    if (!number.has_value() || *number < 1 || *number > kMaxFactors) {
      return Error("expected the number of a factor");
    }
    return kNumLetters + *number;
  }

  // ([ij, k], [])
  absl::Status Arrays(std::vector<ArrayFactors>* arrays) {
    XLA_RETURN_IF_ERROR(Expect("("));
    if (Accept(")")) return absl::OkStatus();
    do {
      XLA_RETURN_IF_ERROR(Expect("["));
      ArrayFactors array;
      if (!Accept("]")) {
        do {
          SkipSpace();
          DimensionFactors dimension;
          do {
            XLA_ASSIGN_OR_RETURN(const int64_t factor, Factor());
            dimension.push_back(factor);
          } while (at_ < text_.size() && text_[at_] >= 'i' && text_[at_] <= 'z');
          array.push_back(std::move(dimension));
        } while (Accept(","));
        XLA_RETURN_IF_ERROR(Expect("]"));
      }
      arrays->push_back(std::move(array));
    } while (Accept(","));
    return Expect(")");
  }

  // {i=2, j=4}, which must name the factors that the arrays use.
  absl::Status Sizes() {
    int64_t used = 0;
    for (size_t i = 0; i < relations_.num_arrays(); ++i) {
      for (const DimensionFactors& dimension : relations_.array(i)) {
        for (const int64_t factor : dimension) used = std::max(used, factor + 1);
      }
    }
    std::vector<bool> has_size;
    if (Accept("{") && !Accept("}")) {
      do {
        SkipSpace();
        XLA_ASSIGN_OR_RETURN(const int64_t factor, Factor());
        if (factor >= kMaxFactors) return Error("too many factors");
        XLA_RETURN_IF_ERROR(Expect("="));
        SkipSpace();
        const std::optional<int64_t> size = Number();
        if (!size.has_value()) return Error("expected the size of a factor");
        if (factor >= static_cast<int64_t>(has_size.size())) {
          has_size.resize(factor + 1);
          relations_.factors.resize(factor + 1);
        }
        if (has_size[factor]) {
          return Error(absl::StrCat("two sizes of factor ", FactorName(factor)));
        }
        has_size[factor] = true;
        relations_.factors[factor].size = *size;
      } while (Accept(","));
      XLA_RETURN_IF_ERROR(Expect("}"));
    }
    if (used > static_cast<int64_t>(has_size.size())) {
      return Error(absl::StrCat("no size of factor ", FactorName(used - 1)));
    }
    for (size_t factor = 0; factor < has_size.size(); ++factor) {
      if (!has_size[factor]) {
        return Error(absl::StrCat("no size of factor ", FactorName(static_cast<int64_t>(factor))));
      }
    }
    return absl::OkStatus();
  }

  // ={j, k}
  template <class Mark>
  absl::Status Factors(Mark mark) {
    XLA_RETURN_IF_ERROR(Expect("="));
    XLA_RETURN_IF_ERROR(Expect("{"));
    do {
      SkipSpace();
      XLA_ASSIGN_OR_RETURN(const int64_t factor, Factor());
      if (factor >= relations_.num_factors()) {
        return Error(absl::StrCat("no size of factor ", FactorName(factor)));
      }
      mark(relations_.factors[factor]);
    } while (Accept(","));
    return Expect("}");
  }

  std::string_view text_;
  size_t at_ = 0;
  DimensionRelations relations_;
};

}  // namespace

std::string_view FactorKindName(FactorKind kind) {
  switch (kind) {
    case FactorKind::kPassThrough:
      return "pass_through";
    case FactorKind::kReduction:
      return "reduction";
    case FactorKind::kNeedReplication:
      return "need_replication";
    case FactorKind::kPermutation:
      return "permutation";
  }
  return "";
}

std::string FactorName(int64_t factor) {
  if (factor <= kNumLetters) return std::string(1, static_cast<char>('i' + factor));
  return absl::StrCat("z_", factor - kNumLetters);
}

std::string DimensionRelations::ToString() const {
  std::string text = absl::StrCat(ArraysText(operands), "->", ArraysText(results));
  const auto list = [&](std::string_view name, auto&& holds) {
    std::vector<std::string> names;
    for (int64_t i = 0; i < num_factors(); ++i) {
      if (holds(factors[i])) names.push_back(FactorName(i));
    }
    if (names.empty()) return;
    absl::StrAppend(&text, " ", absl::string_view(name.data(), name.size()), "={",
                    absl::StrJoin(names, ", "), "}");
  };
  if (!factors.empty()) {
    text += " {";
    for (int64_t i = 0; i < num_factors(); ++i) {
      absl::StrAppend(&text, i > 0 ? ", " : "", FactorName(i), "=", factors[i].size);
    }
    text += "}";
  }
  for (const FactorKind kind :
       {FactorKind::kReduction, FactorKind::kNeedReplication, FactorKind::kPermutation}) {
    list(FactorKindName(kind), [kind](const DimensionFactor& f) { return f.kind == kind; });
  }
  list("blocked_propagation", [](const DimensionFactor& f) { return f.is_blocked; });
  if (is_custom) text += ", custom";
  return text;
}

absl::StatusOr<DimensionRelations> ParseDimensionRelations(std::string_view text) {
  return Reader(text).Read();
}

DimensionRelations IdentityRelations(absl::Span<const int64_t> sizes, size_t operands,
                                     size_t results) {
  DimensionRelations relations;
  ArrayFactors array;
  for (size_t i = 0; i < sizes.size(); ++i) {
    relations.factors.push_back({.size = sizes[i]});
    array.push_back({static_cast<int64_t>(i)});
  }
  relations.operands.assign(operands, array);
  relations.results.assign(results, array);
  return relations;
}

}  // namespace xla
