// SPDX-License-Identifier: Apache-2.0
// Pieces of arrays between processes. Reductions are trees over ranks whose bits do not depend on
// who has which device: a process combines its own devices first where they are whole subtrees.
#include "xla/cpu/run/remote_collectives.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/cpu/run/collective_parts.h"
#include "xla/passes/dynamic_shapes.h"
#include "xla/primitive_util.h"
#include "xla/runtime/process_group.h"

namespace xla::cpu::collective {
namespace {

using Outgoing = runtime::ProcessGroup::Outgoing;
using Incoming = runtime::ProcessGroup::Incoming;

// Arrays up to this size go to all processes whole: one round less.
constexpr int64_t kSmallBytes = int64_t{64} << 10;
// Where there are two subtrees, no more is sent whole; but each process combines all, which counts
// from this size on.
constexpr int64_t kLargeBytes = int64_t{256} << 10;

// The processes of a group, and the ranks of the devices of each.
class Members {
 public:
  Members(const LibraryCall& call, const DeviceGroup& group)
      : processes_(*call.state->context().processes) {
    for (const int32_t process : processes_.ProcessesOf(group.devices)) {
      if (process == processes_.self()) self_ = numbers_.size();
      numbers_.push_back(process);
      std::vector<size_t>& ranks = ranks_.emplace_back();
      for (size_t rank = 0; rank < group.devices.size(); ++rank) {
        if (processes_.ProcessOf(group.devices[rank]) == process) ranks.push_back(rank);
      }
    }
  }
  size_t size() const { return numbers_.size(); }
  size_t self() const { return self_; }
  int32_t process(size_t m) const { return numbers_[m]; }
  const std::vector<size_t>& ranks(size_t m) const { return ranks_[m]; }
  const std::vector<size_t>& own_ranks() const { return ranks_[self_]; }

  // The subtrees that a process combines have 2^level ranks, each in one process; 0 if partial
  // results would be rounded.
  int Level(PrimitiveType type, size_t group_size) const {
    if (primitive_util::IsFloatingPointType(type) && primitive_util::BitWidth(type) < 32) return 0;
    std::vector<size_t> member_of(group_size);
    for (size_t m = 0; m < size(); ++m) {
      for (const size_t rank : ranks_[m]) member_of[rank] = m;
    }
    for (int level = 0;; ++level) {
      const size_t block = size_t{2} << level;
      if (group_size % block != 0) return level;
      for (size_t rank = 0; rank < group_size; ++rank) {
        if (member_of[rank] != member_of[rank / block * block]) return level;
      }
    }
  }
  // The subtrees of a member, in order.
  std::vector<size_t> Subtrees(size_t m, int level) const {
    std::vector<size_t> subtrees;
    for (const size_t rank : ranks_[m]) {
      if (subtrees.empty() || subtrees.back() != rank >> level) subtrees.push_back(rank >> level);
    }
    return subtrees;
  }

 private:
  const runtime::ProcessGroup& processes_;
  std::vector<int32_t> numbers_;
  std::vector<std::vector<size_t>> ranks_;
  size_t self_ = 0;
};

// Working memory, until the end of a collective.
class Scratch {
 public:
  explicit Scratch(RunState& state) : state_(state) {}
  absl::StatusOr<char*> Allocate(int64_t bytes) {
    XLA_ASSIGN_OR_RETURN(std::shared_ptr<void> memory,
                         state_.Allocate(std::max<int64_t>(bytes, 1)));
    memory_.push_back(std::move(memory));
    return static_cast<char*>(memory_.back().get());
  }

 private:
  RunState& state_;
  std::vector<std::shared_ptr<void>> memory_;
};

// A round of messages to and from each other member.
class Round {
 public:
  explicit Round(const Members& members) : members_(members) {
    for (size_t m = 0; m < members.size(); ++m) {
      outgoing_.push_back({members.process(m), {}});
      incoming_.push_back({members.process(m), {}});
    }
  }
  void Send(size_t m, const char* data, int64_t bytes) {
    outgoing_[m].parts.emplace_back(data, Position(bytes));
  }
  void Receive(size_t m, char* data, int64_t bytes) {
    incoming_[m].parts.emplace_back(data, Position(bytes));
  }
  absl::Status Run(const LibraryCall& call, const DeviceGroup& group) {
    const auto self = static_cast<std::ptrdiff_t>(members_.self());
    outgoing_.erase(outgoing_.begin() + self);
    incoming_.erase(incoming_.begin() + self);
    return ExchangeWithProcesses(call, group, outgoing_, incoming_);
  }

 private:
  const Members& members_;
  std::vector<Outgoing> outgoing_;
  std::vector<Incoming> incoming_;
};

// The arrays of the subtrees of this process: operand i of its devices, combined.
absl::StatusOr<std::vector<char*>> CombineOwn(const LibraryCall& call, const Members& members,
                                              Parts here, size_t i, int level, Scratch& scratch) {
  std::vector<char*> arrays;
  const std::vector<size_t>& ranks = members.own_ranks();
  const size_t block = size_t{1} << level;
  for (size_t r = 0; r < ranks.size(); r += block) {
    const LeafArray& first = here[ranks[r]]->operands[i];
    if (level == 0) {
      arrays.push_back(first.data);
      continue;
    }
    std::vector<char*> leaves;
    for (size_t k = 0; k < block; ++k) leaves.push_back(here[ranks[r + k]]->operands[i].data);
    XLA_ASSIGN_OR_RETURN(char* const combined, scratch.Allocate(BytesOf(first)));
    XLA_RETURN_IF_ERROR(FoldArrays(call, i, leaves, first.shape->element_type(),
                                   BytesOf(first) / ElementBytes(first), combined));
    arrays.push_back(combined);
  }
  return arrays;
}

// An array divided along a dimension into blocks of equal sizes, dense each.
class Blocks {
 public:
  Blocks(const Shape& shape, int64_t dimension, int64_t count)
      : shape_(shape), block_(shape), dimension_(dimension) {
    const auto d = static_cast<int>(dimension);
    size_ = shape.dimensions(d) / count;
    block_.set_dimensions(d, size_);
    for (int before = 0; before < d; ++before)
      is_contiguous_ = is_contiguous_ && shape.dimensions(before) == 1;
  }
  bool is_contiguous() const { return is_contiguous_; }
  int64_t bytes() const { return DenseArrayBytes(block_); }
  char* At(char* array, size_t index) const {
    return array + static_cast<int64_t>(index) * bytes();
  }
  void Pack(char* array, size_t index, char* block) const {
    CopyAlong({&shape_, array, {}}, dimension_, static_cast<int64_t>(index) * size_, size_,
              {&block_, block, {}}, 0);
  }
  void Unpack(char* block, char* array, size_t index) const {
    CopyAlong({&block_, block, {}}, dimension_, 0, size_, {&shape_, array, {}},
              static_cast<int64_t>(index) * size_);
  }
  // A block of an array, where it lies or packed.
  absl::StatusOr<char*> Dense(char* array, size_t index, Scratch& scratch) const {
    if (is_contiguous_) return At(array, index);
    XLA_ASSIGN_OR_RETURN(char* const block, scratch.Allocate(bytes()));
    Pack(array, index, block);
    return block;
  }

 private:
  const Shape& shape_;
  Shape block_;
  const int64_t dimension_;
  int64_t size_ = 0;
  bool is_contiguous_ = true;
};

bool Overlap(const char* a, int64_t a_bytes, const char* b, int64_t b_bytes) {
  return a < b + b_bytes && b < a + a_bytes;
}

// Copies the results of the first device here to the others.
void CopyToOthers(const Members& members, Parts here, const Contribution& first) {
  for (const size_t rank : members.own_ranks()) {
    for (size_t i = 0; here[rank] != &first && i < first.results.size(); ++i)
      CopyWhole(first.results[i], here[rank]->results[i]);
  }
}

// The elements of an array that each process combines: a part, or all of them where that is no more
// to send.
class Ranges {
 public:
  Ranges(const Members& members, const Contribution& first, size_t group_size)
      : size_(static_cast<int64_t>(members.size())) {
    int64_t total = 0;
    size_t most_subtrees = 0;
    for (const LeafArray& operand : first.operands) {
      total += BytesOf(operand);
      const int level = members.Level(operand.shape->element_type(), group_size);
      most_subtrees = std::max(most_subtrees, group_size >> level);
    }
    are_divided_ = total > (most_subtrees > 2 ? kSmallBytes : kLargeBytes);
  }
  bool are_divided() const { return are_divided_; }
  std::pair<int64_t, int64_t> Of(const LeafArray& operand, size_t m) const {
    const int64_t count = BytesOf(operand) / ElementBytes(operand);
    if (!are_divided_) return {0, count};
    const auto at = static_cast<int64_t>(m);
    return {count / size_ * at + std::min(count % size_, at),
            count / size_ * (at + 1) + std::min(count % size_, at + 1)};
  }

 private:
  const int64_t size_;
  bool are_divided_ = false;
};

// Combines the blocks of operand i for each device here: trees[r] are those of the r-th.
absl::Status FoldBlocks(const LibraryCall& call, const Members& members, Parts here, size_t i,
                        absl::Span<const std::vector<char*>> trees, Scratch& scratch) {
  std::vector<char*> folded;
  const std::vector<size_t>& own = members.own_ranks();
  for (size_t r = 0; r < own.size(); ++r) {
    const LeafArray& result = here[own[r]]->results[i];
    char* to = result.data;
    // Other results may still be made of what lies here.
    for (const size_t rank : own) {
      const LeafArray& operand = here[rank]->operands[i];
      if (Overlap(to, BytesOf(result), operand.data, BytesOf(operand))) {
        XLA_ASSIGN_OR_RETURN(to, scratch.Allocate(BytesOf(result)));
      }
    }
    XLA_RETURN_IF_ERROR(FoldArrays(call, i, trees[r], result.shape->element_type(),
                                   BytesOf(result) / ElementBytes(result), to));
    folded.push_back(to);
  }
  for (size_t r = 0; r < folded.size(); ++r) {
    const LeafArray& result = here[own[r]]->results[i];
    if (folded[r] != result.data) std::memcpy(result.data, folded[r], Position(BytesOf(result)));
  }
  return absl::OkStatus();
}

}  // namespace

bool IsDividedStatically(const LibraryCall& call, const DeviceGroup& group) {
  if (ProcessesOf(call, group) == nullptr) return false;
  for (int64_t i = 0; i < call.instruction->operand_count(); ++i) {
    const Shape shape = OriginalOperandShape(*call.instruction, i);
    if (!shape.IsArray() || !shape.is_static()) return false;
  }
  return true;
}

absl::Status FoldArrays(const LibraryCall& call, size_t i, absl::Span<char* const> arrays,
                        PrimitiveType type, int64_t count, char* result) {
  const int64_t bytes = count * primitive_util::ByteWidth(type);
  if (bytes == 0) return absl::OkStatus();
  if (arrays.size() == 1) {
    if (result != arrays[0]) std::memcpy(result, arrays[0], Position(bytes));
    return absl::OkStatus();
  }
  if (call.combiners.size() <= i || call.combiners[i] == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("its computation is not a function of two scalars to a scalar of the type of "
                     "operand ",
                     i));
  }
  std::vector<char*> all(arrays.begin(), arrays.end());
  all.push_back(result);
  all.push_back(reinterpret_cast<char*>(call.state));
  return call.state->ParallelFor(count, 65536, [&](int64_t begin, int64_t end) {
    call.combiners[i](all.data(), static_cast<int64_t>(arrays.size()), begin, end);
    return absl::OkStatus();
  });
}

absl::Status AllReduceAcross(const LibraryCall& call, const DeviceGroup& group) {
  return MeetHere(call, group, [&](Parts here) -> absl::Status {
    const Members members(call, group);
    const Contribution& first = FirstHere(here);
    Scratch scratch(*call.state);
    const Ranges ranges(members, first, group.devices.size());
    Round round(members);
    std::vector<std::vector<char*>> trees(first.operands.size());  // the subtrees of each operand
    for (size_t i = 0; i < first.operands.size(); ++i) {
      const LeafArray& operand = first.operands[i];
      const int64_t bytes = ElementBytes(operand);
      const int level = members.Level(operand.shape->element_type(), group.devices.size());
      XLA_ASSIGN_OR_RETURN(const std::vector<char*> own,
                           CombineOwn(call, members, here, i, level, scratch));
      const auto [own_begin, own_end] = ranges.Of(operand, members.self());
      trees[i].resize(group.devices.size() >> level);
      for (size_t m = 0; m < members.size(); ++m) {
        const std::vector<size_t> subtrees = members.Subtrees(m, level);
        if (m == members.self()) {
          for (size_t s = 0; s < subtrees.size(); ++s)
            trees[i][subtrees[s]] = own[s] + own_begin * bytes;
          continue;
        }
        const auto [begin, end] = ranges.Of(operand, m);
        for (char* const array : own) round.Send(m, array + begin * bytes, (end - begin) * bytes);
        for (const size_t subtree : subtrees) {
          XLA_ASSIGN_OR_RETURN(trees[i][subtree], scratch.Allocate((own_end - own_begin) * bytes));
          round.Receive(m, trees[i][subtree], (own_end - own_begin) * bytes);
        }
      }
    }
    XLA_RETURN_IF_ERROR(round.Run(call, group));

    Round results(members);
    for (size_t i = 0; i < first.operands.size(); ++i) {
      const LeafArray& operand = first.operands[i];
      const int64_t bytes = ElementBytes(operand);
      char* const result = first.results[i].data;
      const auto [begin, end] = ranges.Of(operand, members.self());
      XLA_RETURN_IF_ERROR(FoldArrays(call, i, trees[i], operand.shape->element_type(), end - begin,
                                     result + begin * bytes));
      for (size_t m = 0; m < members.size(); ++m) {
        const auto [their_begin, their_end] = ranges.Of(operand, m);
        results.Send(m, result + begin * bytes, (end - begin) * bytes);
        results.Receive(m, result + their_begin * bytes, (their_end - their_begin) * bytes);
      }
    }
    if (ranges.are_divided()) XLA_RETURN_IF_ERROR(results.Run(call, group));
    CopyToOthers(members, here, first);
    return absl::OkStatus();
  });
}

absl::Status ReduceScatterAcross(const LibraryCall& call, const DeviceGroup& group,
                                 int64_t dimension) {
  return MeetHere(call, group, [&](Parts here) -> absl::Status {
    const Members members(call, group);
    const Contribution& first = FirstHere(here);
    Scratch scratch(*call.state);
    Round round(members);
    // Of each operand and device here, its block of each subtree.
    std::vector<std::vector<std::vector<char*>>> trees(first.operands.size());
    for (size_t i = 0; i < first.operands.size(); ++i) {
      const LeafArray& operand = first.operands[i];
      const Blocks blocks(*operand.shape, dimension, group.size());
      const int level = members.Level(operand.shape->element_type(), group.devices.size());
      XLA_ASSIGN_OR_RETURN(const std::vector<char*> own,
                           CombineOwn(call, members, here, i, level, scratch));
      trees[i].assign(members.own_ranks().size(),
                      std::vector<char*>(group.devices.size() >> level));
      for (size_t m = 0; m < members.size(); ++m) {
        const std::vector<size_t> subtrees = members.Subtrees(m, level);
        for (size_t s = 0; s < subtrees.size(); ++s) {
          for (size_t r = 0; r < members.own_ranks().size(); ++r) {
            char*& block = trees[i][r][subtrees[s]];
            if (m == members.self()) {
              XLA_ASSIGN_OR_RETURN(block, blocks.Dense(own[s], members.own_ranks()[r], scratch));
            } else {
              XLA_ASSIGN_OR_RETURN(block, scratch.Allocate(blocks.bytes()));
              round.Receive(m, block, blocks.bytes());
            }
          }
        }
        if (m == members.self()) continue;
        for (char* const array : own) {
          for (const size_t rank : members.ranks(m)) {
            XLA_ASSIGN_OR_RETURN(char* const block, blocks.Dense(array, rank, scratch));
            round.Send(m, block, blocks.bytes());
          }
        }
      }
    }
    XLA_RETURN_IF_ERROR(round.Run(call, group));
    for (size_t i = 0; i < first.operands.size(); ++i)
      XLA_RETURN_IF_ERROR(FoldBlocks(call, members, here, i, trees[i], scratch));
    return absl::OkStatus();
  });
}

absl::Status AllGatherAcross(const LibraryCall& call, const DeviceGroup& group, int64_t dimension) {
  return MeetHere(call, group, [&](Parts here) -> absl::Status {
    const Members members(call, group);
    const Contribution& first = FirstHere(here);
    Scratch scratch(*call.state);
    std::vector<Blocks> blocks;
    for (const LeafArray& result : first.results)
      blocks.emplace_back(*result.shape, dimension, group.size());
    struct Unpacked {
      char* block = nullptr;
      size_t operand = 0, rank = 0;
    };
    std::vector<Unpacked> unpacked;
    Round round(members);
    for (size_t i = 0; i < first.operands.size(); ++i) {
      char* const result = first.results[i].data;
      for (size_t m = 0; m < members.size(); ++m) {
        for (const size_t rank : members.own_ranks()) {
          char* const block = here[rank]->operands[i].data;
          if (m == members.self()) {
            blocks[i].Unpack(block, result, rank);
          } else {
            round.Send(m, block, blocks[i].bytes());
          }
        }
        if (m == members.self()) continue;
        for (const size_t rank : members.ranks(m)) {
          char* block = blocks[i].At(result, rank);
          if (!blocks[i].is_contiguous()) {
            XLA_ASSIGN_OR_RETURN(block, scratch.Allocate(blocks[i].bytes()));
            unpacked.push_back({block, i, rank});
          }
          round.Receive(m, block, blocks[i].bytes());
        }
      }
    }
    XLA_RETURN_IF_ERROR(round.Run(call, group));
    for (const Unpacked& one : unpacked)
      blocks[one.operand].Unpack(one.block, first.results[one.operand].data, one.rank);
    CopyToOthers(members, here, first);
    return absl::OkStatus();
  });
}

absl::Status AllToAllAcross(const LibraryCall& call, const DeviceGroup& group, int64_t dimension) {
  return MeetHere(call, group, [&](Parts here) -> absl::Status {
    const Members members(call, group);
    Scratch scratch(*call.state);
    const Blocks blocks(*FirstHere(here).operands[0].shape, dimension, group.size());
    struct Unpacked {
      char* block = nullptr;
      size_t from = 0, to = 0;
    };
    std::vector<Unpacked> unpacked;
    Round round(members);
    const std::vector<size_t>& own = members.own_ranks();
    for (size_t m = 0; m < members.size(); ++m) {
      if (m == members.self()) continue;
      for (const size_t from : own) {
        for (const size_t to : members.ranks(m)) {
          XLA_ASSIGN_OR_RETURN(char* const block,
                               blocks.Dense(here[from]->operands[0].data, to, scratch));
          round.Send(m, block, blocks.bytes());
        }
      }
      for (const size_t from : members.ranks(m)) {
        for (const size_t to : own) {
          char* block = blocks.At(here[to]->results[0].data, from);
          if (!blocks.is_contiguous()) {
            XLA_ASSIGN_OR_RETURN(block, scratch.Allocate(blocks.bytes()));
            unpacked.push_back({block, from, to});
          }
          round.Receive(m, block, blocks.bytes());
        }
      }
    }
    for (const size_t from : own) {
      for (const size_t to : own) {
        XLA_ASSIGN_OR_RETURN(char* const block,
                             blocks.Dense(here[from]->operands[0].data, to, scratch));
        blocks.Unpack(block, here[to]->results[0].data, from);
      }
    }
    XLA_RETURN_IF_ERROR(round.Run(call, group));
    for (const Unpacked& one : unpacked)
      blocks.Unpack(one.block, here[one.to]->results[0].data, one.from);
    return absl::OkStatus();
  });
}

}  // namespace xla::cpu::collective
