// SPDX-License-Identifier: Apache-2.0
// Assigns values to buffers: first those that should share one (state of loops, updates in place),
// then places in the memory of results and in scratch memory such that buffers that are live at the
// same time do not overlap.
#include "xla/cpu/plan/buffer_assignment.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "xla/cpu/plan/live_range_index.h"
#include "xla/cpu/plan/lowering.h"
#include "xla/cpu/plan/ping_pong_state.h"
#include "xla/cpu/plan/schedule_builder.h"
#include "xla/primitive_util.h"

namespace xla::cpu {
namespace {

constexpr int64_t kAlignment = 64;

class Assigner {
 public:
  explicit Assigner(ScheduleBuilder& b) : b_(b), values_(b.schedule.values) {}

  void Run() {
    buffer_of_.resize(values_.size());
    std::iota(buffer_of_.begin(), buffer_of_.end(), 0);
    members_.resize(values_.size());
    ranges_.resize(values_.size());
    kept_.resize(values_.size());
    for (size_t v = 0; v < values_.size(); ++v) {
      members_[v] = {static_cast<ValueId>(v)};
      for (const LiveRange& range : RangesOf(b_.lives[v])) {
        ranges_[v].push_back({range, static_cast<ValueId>(v)});
        if (ranges_[v].size() == 1) values_[v].begin = range.begin;
        values_[v].end = std::max(values_[v].end, range.end);
        last_ = std::max(last_, range.end);
      }
    }
    for (const MoveHint& hint : b_.hints) moves_.insert({hint.position, hint.from, hint.to});
    // Copies back to the state of loops and to results of branches take precedence over copies of
    // initial states.
    for (const MoveHint& hint : b_.hints) {
      if (b_.lives[At(hint.to)].definition != hint.position) TryShare(hint.from, hint.to, &hint);
    }
    for (const MoveHint& hint : b_.hints) {
      if (b_.lives[At(hint.to)].definition == hint.position) TryShare(hint.from, hint.to, &hint);
    }
    for (const ScheduledItem* item : b_.by_position) {
      if (item != nullptr) ShareInPlace(*item);
    }
    ChooseResults();
    PlaceBuffersForPingPong();
    for (size_t v = 0; v < values_.size(); ++v) {
      values_[v].buffer = buffer_of_[v];
      if (b_.lives[v].is_temporary) values_[v].slice = places_[At(buffer_of_[v])];
    }
  }

 private:
  struct OwnedRange {
    LiveRange range;
    ValueId value;
  };

  static size_t At(ValueId value) { return static_cast<size_t>(value); }

  std::vector<LiveRange> RangesOf(const ValueLife& life) const {
    std::vector<int32_t> uses = life.uses;
    std::sort(uses.begin(), uses.end());
    std::vector<LiveRange> ranges;
    if (life.carried_by < 0) {
      // Results of a conditional are written and returned by only one of its branches.
      int32_t definition = life.definition;
      for (size_t i = 0; i < life.branch_writes.size(); ++i) {
        definition = life.branch_writes[i];
        if (i + 1 < life.branch_writes.size()) ranges.push_back({definition, definition});
      }
      AddRanges(definition, definition, uses, ranges);
      return ranges;
    }
    // State is live from the start to its last use in the loop, and from the loop's end on. The
    // condition, which runs last, leaves it as it is, though nothing in the loop may read it.
    const LoopInfo& loop = b_.loops[At(life.carried_by)];
    const auto after = std::upper_bound(uses.begin(), uses.end(), loop.end);
    std::vector<int32_t> within(uses.begin(), after);
    within.insert(std::upper_bound(within.begin(), within.end(), loop.condition_end),
                  loop.condition_end);
    AddRanges(life.definition, life.definition, within, ranges);
    AddRanges(loop.end, loop.end,
              absl::MakeConstSpan(uses).subspan(static_cast<size_t>(after - uses.begin())), ranges);
    return ranges;
  }

  // Adds the ranges of a value that is made at `begin` or, if `outside` is less, somewhere before,
  // and is read at these positions, ascending. If the last one is within a conditional that does
  // not contain `outside`, the value is not needed after the last read of each branch.
  void AddRanges(int32_t outside, int32_t begin, absl::Span<const int32_t> uses,
                 std::vector<LiveRange>& ranges) const {
    const int32_t last = uses.empty() ? begin : std::max(begin, uses.back());
    const ConditionalInfo* conditional = nullptr;
    const auto next = std::upper_bound(
        b_.conditionals.begin(), b_.conditionals.end(), last,
        [](int32_t position, const ConditionalInfo& c) { return position < c.begin; });
    for (auto i = static_cast<int32_t>(next - b_.conditionals.begin()) - 1; i >= 0;) {
      const ConditionalInfo& candidate = b_.conditionals[static_cast<size_t>(i)];
      if (candidate.begin <= outside) break;
      if (candidate.end >= last) conditional = &candidate;  // the outermost is the last found
      i = candidate.parent;
    }
    if (conditional == nullptr) {
      ranges.push_back({begin, last});
      return;
    }
    ranges.push_back({begin, conditional->begin});
    for (const LiveRange& branch : conditional->branches) {
      const auto from = std::lower_bound(uses.begin(), uses.end(), branch.begin);
      const auto to = std::upper_bound(uses.begin(), uses.end(), branch.end);
      if (from == to) continue;
      const auto count = static_cast<size_t>(to - from);
      AddRanges(branch.begin - 1, branch.begin,
                uses.subspan(static_cast<size_t>(from - uses.begin()), count), ranges);
    }
  }

  // Whether the item at this position, the last that reads `ends` and the one that makes `begins`,
  // may write `begins` to the memory of `ends`.
  bool MayOverwrite(ValueId ends, ValueId begins, int32_t position, const MoveHint* hint) const {
    if (hint != nullptr && position == hint->position) {
      return (hint->from == ends && hint->to == begins) ||
             (hint->to == ends && hint->from == begins);
    }
    if (moves_.contains({position, ends, begins})) return true;
    if (At(position) >= b_.by_position.size() || b_.by_position[At(position)] == nullptr)
      return false;
    const ScheduledItem& item = *b_.by_position[At(position)];
    const auto result = std::find(item.results.begin(), item.results.end(), begins);
    if (result == item.results.end() || item.contraction != nullptr) return false;
    const auto r = static_cast<int64_t>(result - item.results.begin());
    switch (item.instruction->opcode()) {
      case HloOpcode::kFusion: {
        bool may = true;
        for (size_t i = 0; i < item.operands.size(); ++i) {
          if (item.operands[i] == ends) {
            may &= LoweringOf(*item.instruction).MayShare(static_cast<int64_t>(i), r);
          }
        }
        return may;
      }
      default:
        return false;
    }
  }

  bool Conflict(const OwnedRange& a, const OwnedRange& b, const MoveHint* hint) const {
    const LiveRange &x = a.range, &y = b.range;
    if (x.begin < y.end && y.begin < x.end) return true;
    if (x.begin == y.begin) return true;  // one thunk writes both, though one may be unread
    if (x.end == y.begin && !MayOverwrite(a.value, b.value, x.end, hint)) return true;
    return y.end == x.begin && x.end != y.begin && !MayOverwrite(b.value, a.value, y.end, hint);
  }

  // Whether buffers conflict. The ranges of one buffer do not overlap, so that their ends ascend as
  // well.
  bool BuffersConflict(size_t a, size_t b, const MoveHint* hint) const {
    if (ranges_[a].size() < ranges_[b].size()) std::swap(a, b);
    for (const OwnedRange& y : ranges_[b]) {
      auto x = std::partition_point(ranges_[a].begin(), ranges_[a].end(), [&](const OwnedRange& r) {
        return r.range.end < y.range.begin;
      });
      for (; x != ranges_[a].end() && x->range.begin <= y.range.end; ++x) {
        if (Conflict(*x, y, hint)) return true;
      }
    }
    return false;
  }

  bool TryShare(ValueId a, ValueId b, const MoveHint* hint) {
    if (a == kNoValue || b == kNoValue) return false;
    const ValueId into = buffer_of_[At(a)], from = buffer_of_[At(b)];
    if (into == from) return true;
    if (!b_.lives[At(a)].is_temporary || !b_.lives[At(b)].is_temporary) return false;
    if (values_[At(a)].bytes != values_[At(b)].bytes) return false;
    if (BuffersConflict(At(into), At(from), hint)) return false;
    for (const ValueId y : members_[At(from)]) {
      buffer_of_[At(y)] = into;
      members_[At(into)].push_back(y);
    }
    members_[At(from)].clear();
    Merge(std::move(ranges_[At(from)]), ranges_[At(into)]);
    ranges_[At(from)].clear();
    return true;
  }

  // Merges ranges in order; most new ranges come after the existing ones.
  static void Merge(std::vector<OwnedRange> added, std::vector<OwnedRange>& ranges) {
    if (added.size() > ranges.size()) std::swap(added, ranges);
    for (const OwnedRange& range : added) {
      const auto after = std::upper_bound(
          ranges.begin(), ranges.end(), range,
          [](const OwnedRange& a, const OwnedRange& b) { return a.range.begin < b.range.begin; });
      ranges.insert(after, range);
    }
  }

  // Lets results take the memory of an operand.
  void ShareInPlace(const ScheduledItem& item) {
    constexpr size_t kManyMembers = 64;  // keeps this linear for long chains
    const auto share = [&](size_t operand, size_t result) {
      const ValueId a = item.operands[operand], r = item.results[result];
      if (a == kNoValue || r == kNoValue) return;
      if (members_[At(buffer_of_[At(a)])].size() > kManyMembers) return;
      TryShare(a, r, nullptr);
    };
    if (item.instruction->opcode() == HloOpcode::kFusion && item.contraction == nullptr) {
      const Lowering& lowering = LoweringOf(*item.instruction);
      const std::vector<int64_t>& updated = lowering.updated;
      for (size_t r = 0; r < item.results.size(); ++r) {
        if (!updated.empty()) {
          share(static_cast<size_t>(updated[r]), r);
          continue;
        }
        for (size_t i = 0; i < item.operands.size(); ++i) {
          if (item.operands[i] == kNoValue) continue;
          if (lowering.MayShare(static_cast<int64_t>(i), static_cast<int64_t>(r))) share(i, r);
        }
      }
    }
  }

  // Assigns the memory of results to the buffers that end there.
  void ChooseResults() {
    places_.resize(values_.size());
    is_placed_.resize(values_.size(), false);
    std::vector<bool> is_taken(b_.schedule.results.size(), false);
    for (const auto& [value, leaf] : b_.in_results) {
      const size_t buffer = At(buffer_of_[At(value)]);
      is_placed_[buffer] = true;
      places_[buffer] = {BufferSlice::Memory::kResult, leaf, 0};
      is_taken[static_cast<size_t>(leaf)] = true;
    }
    for (size_t k = 0; k < b_.schedule.results.size(); ++k) {
      const ValueId value = b_.schedule.results[k];
      if (value == kNoValue || !b_.lives[At(value)].is_temporary || is_taken[k]) continue;
      const size_t buffer = At(buffer_of_[At(value)]);
      if (is_placed_[buffer]) continue;
      is_placed_[buffer] = true;
      places_[buffer] = {BufferSlice::Memory::kResult, static_cast<int32_t>(k), 0};
    }
  }

  // Keeps the next value of an array of a loop's state in its memory for the whole loop, if that
  // takes hardly more memory, so that iterations may swap the two (ping_pong_state.h).
  void PlaceBuffersForPingPong() {
    std::vector<std::pair<size_t, LiveRange>> whole_loops;
    for (const MoveHint& hint : b_.hints) {
      const int32_t loop = b_.lives[At(hint.to)].carried_by;
      const size_t from = At(buffer_of_[At(hint.from)]);
      if (loop < 0 || b_.lives[At(hint.to)].definition == hint.position ||
          from == At(buffer_of_[At(hint.to)]) || values_[from].bytes < kLeastPingPongBytes) {
        continue;
      }
      whole_loops.push_back({from, {b_.loops[At(loop)].begin, b_.loops[At(loop)].end}});
    }
    PlaceBuffers();
    if (whole_loops.empty()) return;
    const int64_t least = b_.schedule.scratch_bytes;
    std::vector<BufferSlice> places = places_;
    for (const auto& [buffer, range] : whole_loops) kept_[buffer].push_back(range);
    PlaceBuffers();
    constexpr int64_t kLittleMore = 1024;
    if (b_.schedule.scratch_bytes <= least + kLittleMore) return;
    b_.schedule.scratch_bytes = least;
    places_ = std::move(places);
  }

  struct Block {
    int64_t offset, bytes;
  };
  // Memory that buffers are placed in.
  struct Region {
    BufferSlice slice;
    int64_t bytes;
    std::vector<Block> blocks;
    LiveRangeIndex index;
  };

  Region MakeRegion(const BufferSlice& slice, int64_t bytes) const {
    return {slice, bytes, {}, LiveRangeIndex(last_, values_.size())};
  }
  void AddBlock(size_t buffer, int64_t offset, Region& region) const {
    for (const LiveRange& range : RangesOfBuffer(buffer))
      region.index.Add(range, region.blocks.size());
    region.blocks.push_back({offset, values_[buffer].bytes});
  }

  std::vector<LiveRange> RangesOfBuffer(size_t buffer) const {
    std::vector<LiveRange> ranges = kept_[buffer];
    for (const OwnedRange& owned : ranges_[buffer]) ranges.push_back(owned.range);
    return ranges;
  }

  // Returns the memory of the largest results, which other buffers may use before the results are
  // made.
  std::vector<Region> RegionsOfResults() const {
    constexpr size_t kMostRegions = 32;
    std::vector<size_t> buffers;
    for (size_t v = 0; v < values_.size(); ++v) {
      if (!members_[v].empty() && is_placed_[v] && places_[v].offset == 0) buffers.push_back(v);
    }
    std::stable_sort(buffers.begin(), buffers.end(),
                     [&](size_t a, size_t b) { return values_[a].bytes > values_[b].bytes; });
    if (buffers.size() > kMostRegions) buffers.resize(kMostRegions);
    std::vector<Region> regions;
    for (const size_t v : buffers) {
      regions.push_back(MakeRegion(places_[v], values_[v].bytes));
      AddBlock(v, 0, regions.back());
    }
    return regions;
  }

  // Finds the first gap between the blocks that are live at the same time.
  static int64_t FindGap(const Region& region, int64_t bytes, absl::Span<const LiveRange> ranges) {
    std::vector<std::pair<int64_t, int64_t>> taken;
    for (const LiveRange& range : ranges) {
      region.index.ForEachOverlap(range, [&](size_t i) {
        const Block& block = region.blocks[i];
        taken.emplace_back(block.offset, block.offset + block.bytes);
      });
    }
    std::sort(taken.begin(), taken.end());
    int64_t offset = 0;
    for (const auto& [begin, end] : taken) {
      if (begin - offset >= bytes) break;
      offset = std::max(offset, (end + kAlignment - 1) / kAlignment * kAlignment);
    }
    return offset;
  }

  // Places the largest buffers first: of equal ones the earlier first, or the later, whichever
  // takes less memory. Which of a chain of equal buffers finds room in the memory of results
  // depends on that.
  void PlaceBuffers() {
    constexpr size_t kMostValues = 1 << 14;
    std::vector<size_t> order;
    for (size_t v = 0; v < values_.size(); ++v) {
      if (!members_[v].empty() && b_.lives[v].is_temporary && !is_placed_[v]) order.push_back(v);
    }
    PlaceInOrder(order);
    if (values_.size() > kMostValues || b_.schedule.scratch_bytes == 0) return;
    const int64_t bytes = b_.schedule.scratch_bytes;
    std::vector<BufferSlice> places = places_;
    std::reverse(order.begin(), order.end());
    PlaceInOrder(order);
    if (b_.schedule.scratch_bytes < bytes) return;
    b_.schedule.scratch_bytes = bytes;
    places_ = std::move(places);
  }

  void PlaceInOrder(std::vector<size_t> order) {
    const auto bytes_of = [&](size_t v) {
      return (values_[v].bytes + kAlignment - 1) / kAlignment * kAlignment;
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return bytes_of(a) > bytes_of(b); });
    std::vector<Region> results = RegionsOfResults();
    Region scratch = MakeRegion({BufferSlice::Memory::kScratch, 0, 0}, 0);
    const auto place_in = [&](Region& region, size_t v, int64_t offset) {
      places_[v] = region.slice;
      places_[v].offset = offset;
      AddBlock(v, offset, region);
    };
    for (const size_t v : order) {
      const std::vector<LiveRange> ranges = RangesOfBuffer(v);
      bool is_in_result = false;
      for (Region& region : results) {
        if (region.bytes < values_[v].bytes) break;
        const int64_t offset = FindGap(region, values_[v].bytes, ranges);
        is_in_result = offset + values_[v].bytes <= region.bytes;
        if (!is_in_result) continue;
        place_in(region, v, offset);
        break;
      }
      if (is_in_result) continue;
      const int64_t offset = FindGap(scratch, bytes_of(v), ranges);
      place_in(scratch, v, offset);
      scratch.bytes = std::max(scratch.bytes, offset + bytes_of(v));
    }
    b_.schedule.scratch_bytes = scratch.bytes;
  }

  ScheduleBuilder& b_;
  std::vector<ScheduledValue>& values_;
  int32_t last_ = 0;                                                  // position
  absl::flat_hash_set<std::tuple<int32_t, ValueId, ValueId>> moves_;  // position, from, to
  std::vector<ValueId> buffer_of_;               // the first value of the buffer
  std::vector<std::vector<ValueId>> members_;    // by first value
  std::vector<std::vector<OwnedRange>> ranges_;  // by first value, ascending
  std::vector<std::vector<LiveRange>> kept_;     // by first value: extra live ranges
  std::vector<BufferSlice> places_;              // by first value
  std::vector<bool> is_placed_;
};

}  // namespace

void AssignBuffers(ScheduleBuilder& builder) { Assigner(builder).Run(); }

}  // namespace xla::cpu
