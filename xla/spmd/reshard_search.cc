// SPDX-License-Identifier: Apache-2.0
// Which chain of collectives to take from one layout of digits to another.
//
// Digits at which both layouts begin a dimension stay. Of the others, G divide only the source (and
// must be gathered), S only the target (and are sliced, or reduce-scattered), M both (and must be
// // moved). Six families of chains are tried:
//   direct   slice, all-to-all, all-gather: where no dimension has other digits to take away first
//   in sequence   the same with several all-to-alls, each into dimensions that have nothing else
//   (left) permuted slice, permute into what one all-to-all can finish, all-to-all, all-gather.
//   Some of G
//            may be exchanged for as many of S by the permute, rather than gathered
//   through a hub   slice, move what is in the way to one dimension, permute there, move it on
//   by counts   slice, move any digits until each dimension has as many of each size as in the end,
//            permute: where some dimension has both to lose and to get digits, of different sizes
//   gathered all-gather, slice: always possible
#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "xla/base/check.h"
#include "xla/spmd/reshard_chain.h"
#include "xla/util.h"

namespace xla::spmd {
namespace {

bool Has(const DigitList& digits, int digit) { return absl::c_linear_search(digits, digit); }

void Append(const DigitList& from, DigitList& to) { to.insert(to.end(), from.begin(), from.end()); }

// Whether `list` is `first` in order, then `second` in any order, then anything.
bool IsInOrder(const DigitList& list, const DigitList& first, const DigitList& second) {
  if (list.size() < first.size() + second.size() ||
      !std::equal(first.begin(), first.end(), list.begin())) {
    return false;
  }
  return std::all_of(list.begin() + static_cast<ptrdiff_t>(first.size()),
                     list.begin() + static_cast<ptrdiff_t>(first.size() + second.size()),
                     [&](int digit) { return Has(second, digit); });
}

class Search {
 public:
  explicit Search(const ReshardProblem& problem)
      : problem_(problem),
        rank_(problem.from.size()),
        prefix_(rank_),
        from_(problem.from),
        to_(problem.to) {
    for (size_t d = 0; d < rank_; ++d) {
      while (prefix_[d] < std::min(problem.from[d].size(), problem.to[d].size()) &&
             problem.from[d][prefix_[d]] == problem.to[d][prefix_[d]]) {
        ++prefix_[d];
      }
      const auto rest = static_cast<ptrdiff_t>(prefix_[d]);
      from_[d].erase(from_[d].begin(), from_[d].begin() + rest);
      to_[d].erase(to_[d].begin(), to_[d].begin() + rest);
      Append(from_[d], all_from_);
      Append(to_[d], all_to_);
    }
    for (const int digit : all_from_) {
      if (!Has(all_to_, digit)) gathered_.push_back(digit);
    }
    for (const int digit : all_to_) {
      if (!Has(all_from_, digit)) sliced_.push_back(digit);
    }
  }

  std::vector<ChainStep> Run() {
    TryDirect();
    TrySequence();
    for (const std::map<int64_t, size_t>& exchanged : Exchanges()) {
      TryPermuted(exchanged);
      for (size_t hub = 0; hub < rank_; ++hub) TryHub(hub, exchanged);
      TryCounts(exchanged);
    }
    TryGathered(/*keeps_prefix=*/true);
    TryGathered(/*keeps_prefix=*/false);
    XLA_CHECK(best_.has_value());
    return best_->TakeSteps();
  }

 private:
  using Counts = std::map<int64_t, size_t>;  // digits of each size

  int64_t SizeOf(int digit) const { return problem_.sizes[static_cast<size_t>(digit)]; }
  bool IsSliced(int digit) const { return Has(sliced_, digit); }
  bool IsGathered(int digit) const { return Has(gathered_, digit); }
  size_t DimensionOf(const Layout& layout, int digit) const {
    for (size_t d = 0; d < rank_; ++d) {
      if (Has(layout[d], digit)) return d;
    }
    XLA_CHECK(false) << "digit " << digit;
    return 0;
  }

  void Offer(Chain chain) {
    if (!chain.ReachesTarget()) return;
    const auto rank = [](const Chain& c) { return std::pair(c.cost(), c.steps().size()); };
    if (!best_.has_value() || rank(chain) < rank(*best_)) best_.emplace(std::move(chain));
  }

  // A layout of the digits that do not stay, with those that do.
  Layout WithPrefix(const Layout& layout) const {
    Layout result(rank_);
    for (size_t d = 0; d < rank_; ++d) {
      result[d].assign(problem_.to[d].begin(),
                       problem_.to[d].begin() + static_cast<ptrdiff_t>(prefix_[d]));
      Append(layout[d], result[d]);
    }
    return result;
  }

  // The sizes that divide the target.
  std::vector<size_t> TargetSizes() const {
    std::vector<size_t> sizes;
    for (const DigitList& digits : problem_.to) sizes.push_back(digits.size());
    return sizes;
  }

  // How many digits of each size to exchange by a permute.
  std::vector<Counts> Exchanges() const {
    Counts most, free;
    for (const int digit : sliced_) {
      if (!problem_.is_unreduced[static_cast<size_t>(digit)]) ++free[SizeOf(digit)];
    }
    for (const int digit : gathered_) ++most[SizeOf(digit)];
    std::vector<Counts> all = {{}};
    for (const auto& [size, count] : most) {
      const size_t limit = std::min(count, free[size]);
      std::vector<Counts> next;
      for (const Counts& counts : all) {
        for (size_t n = 0; n <= limit; ++n) {
          next.push_back(counts);
          next.back()[size] = n;
        }
      }
      all = std::move(next);
    }
    return all;
  }

  // The digits to slice: all but those to be exchanged, which are the last in the target.
  DigitList Slices(Counts exchanged) const {
    DigitList slices;
    for (auto digit = sliced_.rbegin(); digit != sliced_.rend(); ++digit) {
      size_t& left = exchanged[SizeOf(*digit)];
      if (left > 0 && !problem_.is_unreduced[static_cast<size_t>(*digit)]) {
        --left;
      } else {
        slices.insert(slices.begin(), *digit);
      }
    }
    return slices;
  }

  // The dimension that has the most space for another digit, if need be with padding.
  size_t LargestDimension(const Layout& layout, int64_t size,
                          const std::vector<size_t>& candidates) const {
    const auto rank = [&](size_t d) {
      const int64_t count = problem_.Count(problem_.to[d]) / problem_.Count(to_[d]) *
                            problem_.Count(layout[d]) * size;
      return std::pair(problem_.dimensions[d] % count == 0, problem_.dimensions[d] / count);
    };
    return *absl::c_max_element(candidates, [&](size_t a, size_t b) { return rank(a) < rank(b); });
  }

  void TryDirect() {
    Layout slices(rank_);
    std::vector<std::pair<int, int64_t>> moves;
    for (size_t d = 0; d < rank_; ++d) {
      if (!from_[d].empty() && !to_[d].empty()) return;
      bool has_moved = false;
      for (const int digit : from_[d]) {
        if (IsGathered(digit) && has_moved) return;
        has_moved |= !IsGathered(digit);
      }
    }
    for (size_t d = 0; d < rank_; ++d) {
      size_t i = 0;
      while (i < to_[d].size() && IsSliced(to_[d][i])) slices[d].push_back(to_[d][i++]);
      for (; i < to_[d].size(); ++i) {
        const int digit = to_[d][i];
        moves.emplace_back(digit, static_cast<int64_t>(d));
        if (!IsSliced(digit)) continue;
        // Sliced where the digits around it are, to be moved with them.
        std::vector<size_t> sources;
        for (const int other : to_[d]) {
          if (!IsSliced(other)) sources.push_back(DimensionOf(from_, other));
        }
        Layout now = from_;
        for (size_t e = 0; e < rank_; ++e) Append(slices[e], now[e]);
        slices[LargestDimension(now, SizeOf(digit), sources)].push_back(digit);
      }
    }
    Chain chain(problem_);
    chain.SliceAndReduce(slices);
    chain.Permute(chain.layout());
    chain.AllToAll(moves);
    chain.AllGather(TargetSizes());
    Offer(std::move(chain));
  }

  // Digits that can be moved at once: to dimensions that have nothing but a prefix of their target,
  // in order, from the minor ends of others.
  std::vector<std::pair<int, int64_t>> MovesFrom(const Layout& now) const {
    std::vector<size_t> count(rank_, 0);  // of digits that each dimension gets
    for (size_t t = 0; t < rank_; ++t) {
      const bool is_prefix = now[t].size() <= to_[t].size() &&
                             std::equal(now[t].begin(), now[t].end(), to_[t].begin());
      if (is_prefix) count[t] = to_[t].size() - now[t].size();
    }
    const auto is_chosen = [&](int digit) {
      for (size_t t = 0; t < rank_; ++t) {
        for (size_t i = 0; i < count[t]; ++i) {
          if (to_[t][now[t].size() + i] == digit) return true;
        }
      }
      return false;
    };
    const auto is_movable = [&](int digit) {
      for (const DigitList& digits : now) {
        const auto at = absl::c_find(digits, digit);
        if (at != digits.end()) return std::all_of(at, digits.end(), is_chosen);
      }
      return false;
    };
    for (bool changes = true; changes;) {
      changes = false;
      for (size_t t = 0; t < rank_; ++t) {
        for (size_t i = 0; i < count[t]; ++i) {
          if (is_movable(to_[t][now[t].size() + i])) continue;
          count[t] = i;
          changes = true;
        }
      }
    }
    std::vector<std::pair<int, int64_t>> moves;
    for (size_t t = 0; t < rank_; ++t) {
      for (size_t i = 0; i < count[t]; ++i) {
        moves.emplace_back(to_[t][now[t].size() + i], static_cast<int64_t>(t));
      }
    }
    return moves;
  }

  void TrySequence() {
    Layout slices(rank_), now = from_;
    for (size_t d = 0; d < rank_; ++d) {
      size_t i = 0;
      while (from_[d].empty() && i < to_[d].size() && IsSliced(to_[d][i])) {
        slices[d].push_back(to_[d][i++]);
      }
      for (; i < to_[d].size(); ++i) {
        if (!IsSliced(to_[d][i])) continue;
        std::vector<size_t> sources;
        for (const int other : to_[d]) {
          if (!IsSliced(other)) sources.push_back(DimensionOf(from_, other));
        }
        if (sources.empty()) return;
        slices[LargestDimension(now, SizeOf(to_[d][i]), sources)].push_back(to_[d][i]);
      }
    }
    for (size_t d = 0; d < rank_; ++d) Append(slices[d], now[d]);
    Chain chain(problem_);
    chain.SliceAndReduce(slices);
    chain.Permute(chain.layout());
    for (auto moves = MovesFrom(now); !moves.empty(); moves = MovesFrom(now)) {
      chain.AllToAll(moves);
      for (const auto& [digit, to] : moves) {
        DigitList& from = now[DimensionOf(now, digit)];
        from.erase(absl::c_find(from, digit));
      }
      for (const auto& [digit, to] : moves) now[static_cast<size_t>(to)].push_back(digit);
    }
    chain.AllGather(TargetSizes());
    Offer(std::move(chain));
  }

  // Distributes slices so that each dimension grows towards its count in the target.
  Layout PlaceSlices(DigitList slices) const {
    Layout placed(rank_);
    const auto count = [&](const DigitList& digits, int64_t size) {
      return absl::c_count_if(digits, [&](int digit) { return SizeOf(digit) == size; });
    };
    const auto grows = [&](size_t d, int digit) {
      const int64_t size = SizeOf(digit);
      return count(from_[d], size) + count(placed[d], size) < count(to_[d], size);
    };
    const auto place = [&](auto&& find) {
      DigitList rest;
      for (const int digit : slices) {
        const std::optional<size_t> d = find(digit);
        d.has_value() ? placed[*d].push_back(digit) : rest.push_back(digit);
      }
      slices = std::move(rest);
    };
    place([&](int digit) {
      const size_t d = DimensionOf(to_, digit);
      return grows(d, digit) ? std::optional<size_t>(d) : std::nullopt;
    });
    place([&](int digit) -> std::optional<size_t> {
      for (size_t d = 0; d < rank_; ++d) {
        if (grows(d, digit)) return d;
      }
      return std::nullopt;
    });
    place([&](int digit) -> std::optional<size_t> {
      std::vector<size_t> all;
      Layout now = from_;
      for (size_t d = 0; d < rank_; ++d) {
        all.push_back(d);
        Append(placed[d], now[d]);
      }
      return LargestDimension(now, SizeOf(digit), all);
    });
    return placed;
  }

  void TryPermuted(const Counts& exchanged) {
    const Layout slices = PlaceSlices(Slices(exchanged));
    Layout sliced = from_;
    std::vector<Counts> space(rank_);  // what the permute has to fill
    for (size_t d = 0; d < rank_; ++d) {
      Append(slices[d], sliced[d]);
      for (const int digit : sliced[d]) ++space[d][SizeOf(digit)];
    }
    const auto fill = [&](size_t d, int digit, DigitList& digits) {
      size_t& left = space[d][SizeOf(digit)];
      if (left == 0) return false;
      --left;
      digits.push_back(digit);
      return true;
    };
    // Each dimension begins with as much of its target as fits.
    Layout begin(rank_), gathered(rank_), moved(rank_);
    for (size_t d = 0; d < rank_; ++d) {
      while (begin[d].size() < to_[d].size() && fill(d, to_[d][begin[d].size()], begin[d])) {
      }
      const bool is_full = absl::c_all_of(space[d], [](const auto& s) { return s.second == 0; });
      if (begin[d].size() < to_[d].size() && !is_full) return;  // grows and shrinks
    }
    // What is gathered goes where it is now, if it can, and else anywhere, as what is moved.
    Counts dropped = exchanged;
    DigitList homeless;
    for (const int digit : gathered_) {
      const size_t d = DimensionOf(from_, digit);
      if (!fill(d, digit, gathered[d])) homeless.push_back(digit);
    }
    DropExchanged(dropped, homeless, gathered, space);
    std::vector<std::pair<int, int64_t>> moves;
    for (size_t d = 0; d < rank_; ++d) {
      for (size_t i = begin[d].size(); i < to_[d].size(); ++i) {
        moves.emplace_back(to_[d][i], static_cast<int64_t>(d));
      }
    }
    for (const int digit : homeless) {
      if (!FillAnywhere(digit, fill, gathered)) return;
    }
    for (const auto& [digit, to] : moves) {
      bool is_placed = false;
      for (size_t d = 0; d < rank_ && !is_placed; ++d) {
        is_placed = Has(sliced[d], digit) && fill(d, digit, moved[d]);
      }
      if (!is_placed && !FillAnywhere(digit, fill, moved)) return;
    }
    Chain chain(problem_);
    chain.SliceAndReduce(slices);
    chain.Permute(WithPrefix(Permuted(sliced, begin, gathered, moved)));
    chain.AllToAll(moves);
    chain.AllGather(TargetSizes());
    Offer(std::move(chain));
  }

  // Each dimension with these digits in this order; as it is where that serves as well.
  Layout Permuted(const Layout& sliced, const Layout& begin, const Layout& gathered,
                  const Layout& moved) const {
    Layout permuted = sliced;
    for (size_t d = 0; d < rank_; ++d) {
      DigitList wanted = begin[d];
      Append(gathered[d], wanted);
      Append(moved[d], wanted);
      const bool same_digits = absl::c_is_permutation(sliced[d], wanted);
      if (!same_digits || !IsInOrder(sliced[d], begin[d], gathered[d])) permuted[d] = wanted;
    }
    return permuted;
  }

  // Takes as many digits as are exchanged away from those to be gathered: first those without a
  // place, then those that have one.
  void DropExchanged(Counts& dropped, DigitList& homeless, Layout& gathered,
                     std::vector<Counts>& space) const {
    const auto drop = [&](DigitList& digits, Counts* freed) {
      DigitList kept;
      for (const int digit : digits) {
        size_t& left = dropped[SizeOf(digit)];
        if (left == 0) {
          kept.push_back(digit);
          continue;
        }
        --left;
        if (freed != nullptr) ++(*freed)[SizeOf(digit)];
      }
      digits = std::move(kept);
    };
    drop(homeless, nullptr);
    for (size_t d = 0; d < rank_; ++d) drop(gathered[d], &space[d]);
  }

  template <typename Fill>
  bool FillAnywhere(int digit, const Fill& fill, Layout& digits) const {
    for (size_t d = 0; d < rank_; ++d) {
      if (fill(d, digit, digits[d])) return true;
    }
    return false;
  }

  // Digits as they go to one dimension, the hub, and on from there.
  struct HubMoves {
    Layout added;  // what is sliced first
    std::vector<std::pair<int, int64_t>> to_hub, from_hub;
  };

  HubMoves MovesOverHub(size_t hub, const DigitList& slices) const {
    HubMoves moves;
    moves.added.resize(rank_);
    Layout begin(rank_);
    for (size_t d = 0; d < rank_; ++d) {
      if (from_[d].empty()) {
        while (begin[d].size() < to_[d].size() && Has(slices, to_[d][begin[d].size()])) {
          begin[d].push_back(to_[d][begin[d].size()]);
        }
        moves.added[d] = begin[d];
      }
      if (d == hub) continue;
      // Digits that are gathered may stay in front of a dimension that gets no others.
      size_t i = 0;
      while (to_[d].empty() && i < from_[d].size() && IsGathered(from_[d][i])) ++i;
      for (; i < from_[d].size(); ++i) {
        moves.to_hub.emplace_back(from_[d][i], static_cast<int64_t>(hub));
      }
      for (size_t t = begin[d].size(); t < to_[d].size(); ++t) {
        moves.from_hub.emplace_back(to_[d][t], static_cast<int64_t>(d));
      }
    }
    for (const int digit : slices) {
      if (absl::c_none_of(begin, [&](const DigitList& list) { return Has(list, digit); })) {
        moves.added[hub].push_back(digit);
      }
    }
    return moves;
  }

  // What arrives may be put into any order, and in front of what is put there later: the order of
  // all, if it may end with `kept` and `onward`, each in any order, behind the target. None if a
  // permute has to put it so. `fixed`: what is there first.
  std::optional<DigitList> OrderOfArrivals(size_t hub, const DigitList& fixed, const DigitList& now,
                                           const DigitList& kept, const DigitList& onward) const {
    DigitList wanted = to_[hub];
    Append(kept, wanted);
    Append(onward, wanted);
    if (!absl::c_is_permutation(now, wanted)) return std::nullopt;
    for (size_t i = 0; i < fixed.size(); ++i) {
      const bool is_in_place = i < to_[hub].size()                 ? fixed[i] == to_[hub][i]
                               : i < to_[hub].size() + kept.size() ? Has(kept, fixed[i])
                                                                   : Has(onward, fixed[i]);
      if (!is_in_place) return std::nullopt;
    }
    DigitList order = fixed;
    for (const int digit : wanted) {
      if (!Has(order, digit)) order.push_back(digit);
    }
    return order;
  }

  void TryHub(size_t hub, const Counts& exchanged) {
    HubMoves moves = MovesOverHub(hub, Slices(exchanged));
    DigitList fixed = from_[hub];
    Append(moves.added[hub], fixed);
    DigitList now = fixed;
    for (const auto& [digit, to] : moves.to_hub) now.push_back(digit);
    // The hub keeps its target, what is gathered of it and what goes on; the latter two in any
    // order.
    DigitList kept, onward;
    Counts dropped = exchanged;
    for (const int digit : now) {
      if (!IsGathered(digit)) continue;
      size_t& left = dropped[SizeOf(digit)];
      left > 0 ? static_cast<void>(--left) : kept.push_back(digit);
    }
    if (absl::c_any_of(dropped, [](const auto& s) { return s.second > 0; })) return;
    for (const auto& [digit, to] : moves.from_hub) onward.push_back(digit);
    DigitList wanted = to_[hub];
    Append(kept, wanted);
    Append(onward, wanted);
    if (auto order = OrderOfArrivals(hub, fixed, now, kept, onward)) {
      wanted = *std::move(order);
      moves.to_hub.clear();
      for (size_t i = fixed.size(); i < wanted.size(); ++i) {
        moves.to_hub.emplace_back(wanted[i], static_cast<int64_t>(hub));
      }
    }
    Chain chain(problem_);
    chain.SliceAndReduce(moves.added);
    chain.AllToAll(moves.to_hub);
    Layout target = chain.layout();
    target[hub] = WithPrefixOf(hub, wanted);
    chain.Permute(target);
    chain.AllToAll(moves.from_hub);
    chain.AllGather(TargetSizes());
    Offer(std::move(chain));
  }

  int64_t CountOf(const DigitList& digits, int64_t size) const {
    return absl::c_count_if(digits, [&](int digit) { return SizeOf(digit) == size; });
  }

  // The sizes of digits, in all orders of one size after the other, and all together.
  std::vector<std::vector<DigitList>> Phases(const Layout& layout) const {
    DigitList sizes;
    for (const DigitList& digits : layout) {
      for (const int digit : digits) sizes.push_back(static_cast<int>(SizeOf(digit)));
    }
    absl::c_sort(sizes);
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    std::vector<std::vector<DigitList>> phases = {{sizes}};
    if (sizes.size() == 1) return phases;
    phases.resize(3);
    for (const int size : sizes) {
      phases[1].push_back({size});
      phases[2].insert(phases[2].begin(), {size});
    }
    return phases;
  }

  void TryCounts(const Counts& exchanged) {
    const Layout slices = PlaceSlices(Slices(exchanged));
    Layout first = from_;
    for (size_t d = 0; d < rank_; ++d) Append(slices[d], first[d]);
    // In the end: the target, and what is gathered where there are more digits than it has.
    Layout last = to_;
    Counts dropped = exchanged;
    for (auto digit = gathered_.rbegin(); digit != gathered_.rend(); ++digit) {
      size_t& left = dropped[SizeOf(*digit)];
      if (left > 0) {
        --left;
        continue;
      }
      const auto has_more = [&](size_t d) {
        return CountOf(first[d], SizeOf(*digit)) > CountOf(last[d], SizeOf(*digit));
      };
      size_t d = DimensionOf(from_, *digit);
      for (size_t other = 0; other < rank_ && !has_more(d); ++other) {
        if (has_more(other)) d = other;
      }
      last[d].push_back(*digit);
    }
    for (const std::vector<DigitList>& phases : Phases(first)) {
      Chain chain(problem_);
      chain.SliceAndReduce(slices);
      Layout now = first;
      for (const DigitList& sizes : phases) Balance(sizes, last, now, chain);
      chain.Permute(WithPrefix(last));
      chain.AllGather(TargetSizes());
      Offer(std::move(chain));
    }
  }

  // Moves digits of these sizes to where `last` has more of them.
  void Balance(const DigitList& sizes, const Layout& last, Layout& now, Chain& chain) const {
    // Those to go must be the last of their dimensions.
    std::vector<std::pair<int, int64_t>> moves;
    DigitList leaving;
    for (size_t d = 0; d < rank_; ++d) {
      DigitList kept, gone;
      for (auto digit = now[d].rbegin(); digit != now[d].rend(); ++digit) {
        const int64_t size = SizeOf(*digit);
        const bool goes = Has(sizes, static_cast<int>(size)) &&
                          CountOf(now[d], size) - CountOf(gone, size) > CountOf(last[d], size);
        (goes ? gone : kept).push_back(*digit);
      }
      now[d].assign(kept.rbegin(), kept.rend());
      now[d].insert(now[d].end(), gone.rbegin(), gone.rend());
      leaving.insert(leaving.end(), gone.rbegin(), gone.rend());
    }
    if (leaving.empty()) return;
    chain.Permute(WithPrefix(now));
    for (const int digit : leaving) {
      DigitList& from = now[DimensionOf(now, digit)];
      from.erase(absl::c_find(from, digit));
    }
    for (const int digit : leaving) {
      for (size_t d = 0; d < rank_; ++d) {
        if (CountOf(now[d], SizeOf(digit)) >= CountOf(last[d], SizeOf(digit))) continue;
        moves.emplace_back(digit, static_cast<int64_t>(d));
        now[d].push_back(digit);
        break;
      }
    }
    if (moves.size() == leaving.size()) chain.AllToAll(moves);
  }

  DigitList WithPrefixOf(size_t d, const DigitList& digits) const {
    DigitList result(problem_.to[d].begin(),
                     problem_.to[d].begin() + static_cast<ptrdiff_t>(prefix_[d]));
    Append(digits, result);
    return result;
  }

  void TryGathered(bool keeps_prefix) {
    std::vector<size_t> kept(rank_, 0);
    Layout added(rank_);
    for (size_t d = 0; d < rank_; ++d) {
      const bool is_same = problem_.from[d] == problem_.to[d];
      kept[d] = is_same ? problem_.to[d].size() : keeps_prefix ? prefix_[d] : 0;
    }
    Chain chain(problem_);
    // Unreduced digits are added up as they divide the target, but slices come last.
    chain.Permute(chain.layout());
    chain.AllGather(kept);
    for (size_t d = 0; d < rank_; ++d) {
      added[d].assign(problem_.to[d].begin() + static_cast<ptrdiff_t>(kept[d]),
                      problem_.to[d].end());
    }
    chain.SliceAndReduce(added);
    Offer(std::move(chain));
  }

  const ReshardProblem& problem_;
  const size_t rank_;
  std::vector<size_t> prefix_;  // how many digits of each dimension stay
  Layout from_, to_;            // without those
  DigitList all_from_, all_to_, gathered_, sliced_;
  std::optional<Chain> best_;
};

}  // namespace

std::vector<ChainStep> CheapestChain(const ReshardProblem& problem) {
  return Search(problem).Run();
}

}  // namespace xla::spmd
