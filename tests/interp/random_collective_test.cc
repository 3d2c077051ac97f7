// SPDX-License-Identifier: Apache-2.0
// Random collectives on replicas and partitions against the plain model.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/interp/collective_model.h"
#include "tests/interp/replicated_test_util.h"
#include "tests/test_util.h"

namespace xla {
namespace {

using testing::DeviceGroups;
using testing::Ints;
using testing::Joined;
using testing::Matrix;
using testing::Mode;
using testing::Part;
using testing::Reduced;
using testing::RunReplicated;
using testing::ToLiteral;
using testing::Zeros;
using Strings = std::vector<std::string>;

// A random collective in a random form on a random grid of devices.
class RandomCollective {
 public:
  explicit RandomCollective(uint32_t seed) : random_(seed) {
    replicas_ = Draw(1, 8);
    partitions_ = Draw(1, 8 / replicas_);
    devices_ = replicas_ * partitions_;
    operation_ = static_cast<Operation>(Draw(0, kOperations - 1));
    form_ = static_cast<Form>(Draw(0, kForms - 1));
    const bool has_mode = operation_ <= kReduceScatter;
    mode_ = static_cast<Mode>(Draw(0, has_mode ? 3 : 1));
    dimension_ = Draw(0, 1);
    DrawGroups();
    rows_ = Draw(1, 3);
    columns_ = Draw(1, 3);
    // What is split must be divisible.
    if (operation_ == kReduceScatter || operation_ == kAllToAll)
      (dimension_ == 0 ? rows_ : columns_) *= group_size_;
    operands_ = 1;
    if (operation_ == kAllToAllTuple) {
      operands_ = group_size_;
    } else if (operation_ != kAllToAll) {
      operands_ = Draw(1, 2);
    }
    for (int64_t d = 0; d < devices_; ++d) {
      in_.emplace_back();
      for (int64_t k = 0; k < operands_; ++k) {
        Matrix matrix = Zeros(rows_, columns_);
        for (int64_t& value : matrix.values) value = Draw(-1000, 1000);
        in_.back().push_back(std::move(matrix));
      }
    }
  }

  void Check() {
    const std::string text = Text();
    std::vector<std::vector<Literal>> arguments;
    for (const auto& matrices : in_) {
      arguments.emplace_back();
      for (const Matrix& matrix : matrices) arguments.back().push_back(ToLiteral(matrix));
    }
    const auto results = RunReplicated(text, replicas_, partitions_, arguments);
    ASSERT_OK(results.status()) << text;
    const auto expected = Model();
    for (int64_t d = 0; d < devices_; ++d) {
      const Literal& result = (*results)[static_cast<size_t>(d)];
      for (size_t k = 0; k < expected[static_cast<size_t>(d)].size(); ++k) {
        const LiteralSlice part = result.shape().IsTuple()
                                      ? LiteralSlice(result, {static_cast<int64_t>(k)})
                                      : LiteralSlice(result);
        EXPECT_EQ(part.Clone(), ToLiteral(expected[static_cast<size_t>(d)][k]))
            << "device " << d << " operand " << k << "\n"
            << text;
      }
    }
  }

 private:
  enum Operation {
    kAllReduce,
    kAllGather,
    kReduceScatter,
    kAllToAll,
    kAllToAllTuple,
    kBroadcast,
    kPermute,
    kOperations
  };
  enum Form { kSync, kStartDone, kAsync, kForms };

  int64_t Draw(int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random_);
  }

  int64_t Ids() const {
    if (operation_ == kPermute || operation_ == kBroadcast || operation_ >= kAllToAll)
      return mode_ == Mode::kReplica ? replicas_ : partitions_;
    return mode_ == Mode::kPartition   ? partitions_
           : mode_ == Mode::kFlattened ? devices_
                                       : replicas_;
  }

  void DrawGroups() {
    // all-reduce, all-gather and reduce-scatter know no mode "partitions alone".
    if (operation_ <= kReduceScatter && mode_ == Mode::kPartition) mode_ = Mode::kBoth;
    const int64_t ids = Ids();
    Ints order(static_cast<size_t>(ids));
    std::iota(order.begin(), order.end(), 0);
    if (operation_ == kPermute) {
      DrawPairs(order);
      return;
    }
    Ints sizes;
    for (int64_t size = 1; size <= ids; ++size) {
      if (ids % size == 0) sizes.push_back(size);
    }
    const int64_t size =
        sizes[static_cast<size_t>(Draw(0, static_cast<int64_t>(sizes.size()) - 1))];
    switch (Draw(0, 3)) {
      case 0:  // all
        if (mode_ == Mode::kFlattened) break;
        groups_ = {order};
        groups_text_ = "{}";
        break;
      case 1: {  // iota, transposed
        const int64_t a = size, b = ids / size;
        const bool transposed = Draw(0, 1) == 1;
        Ints flat;
        if (transposed) {
          // The transpose of [b,a] row by row.
          for (int64_t i = 0; i < a; ++i) {
            for (int64_t j = 0; j < b; ++j) flat.push_back(j * a + i);
          }
        } else {
          flat = order;
        }
        groups_text_ = transposed ? absl::StrCat("[", b, ",", a, "]<=[", b, ",", a, "]T(1,0)")
                                  : absl::StrCat("[", b, ",", a, "]<=[", ids, "]");
        for (int64_t g = 0; g < b; ++g)
          groups_.emplace_back(flat.begin() + g * a, flat.begin() + (g + 1) * a);
        break;
      }
      case 2: {  // a mesh of two axes
        const int64_t x = ids / size, y = size;
        const bool by_x = Draw(0, 1) == 1;
        groups_text_ = absl::StrCat("mesh['x'=", x, ",'y'=", y, "] {'", by_x ? "x" : "y", "'}");
        if (by_x) {
          for (int64_t j = 0; j < y; ++j) {
            groups_.emplace_back();
            for (int64_t i = 0; i < x; ++i) groups_.back().push_back(i * y + j);
          }
        } else {
          for (int64_t i = 0; i < x; ++i) {
            groups_.emplace_back();
            for (int64_t j = 0; j < y; ++j) groups_.back().push_back(i * y + j);
          }
        }
        break;
      }
      default:
        break;
    }
    if (groups_.empty()) {  // explicit
      std::shuffle(order.begin(), order.end(), random_);
      // Groups of any sizes where that is allowed; a broadcast may leave devices out.
      const bool any_sizes = operation_ == kAllReduce || operation_ == kBroadcast;
      int64_t left_out = operation_ == kBroadcast ? Draw(0, ids - 1) : 0;
      for (size_t i = 0; i < order.size() - static_cast<size_t>(left_out);) {
        const size_t rest = order.size() - static_cast<size_t>(left_out) - i;
        const size_t count = any_sizes ? static_cast<size_t>(Draw(1, static_cast<int64_t>(rest)))
                                       : static_cast<size_t>(size);
        groups_.emplace_back(order.begin() + static_cast<std::ptrdiff_t>(i),
                             order.begin() + static_cast<std::ptrdiff_t>(i + count));
        i += count;
      }
      Strings texts;
      for (const Ints& group : groups_)
        texts.push_back(absl::StrCat("{", absl::StrJoin(group, ","), "}"));
      groups_text_ = absl::StrCat("{", absl::StrJoin(texts, ","), "}");
    }
    devices_of_ = DeviceGroups(mode_, groups_, replicas_, partitions_);
    group_size_ = static_cast<int64_t>(devices_of_[0].size());
  }

  void DrawPairs(Ints ids) {
    Ints targets = ids;
    std::shuffle(ids.begin(), ids.end(), random_);
    std::shuffle(targets.begin(), targets.end(), random_);
    const int64_t count = Draw(0, static_cast<int64_t>(ids.size()));
    Strings texts;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t source = ids[static_cast<size_t>(i)], target = targets[static_cast<size_t>(i)];
      groups_.push_back({source, target});
      texts.push_back(absl::StrCat("{", source, ",", target, "}"));
    }
    groups_text_ = absl::StrCat("{", absl::StrJoin(texts, ","), "}");
    devices_of_ = DeviceGroups(mode_, groups_, replicas_, partitions_);
  }

  std::vector<std::vector<Matrix>> Model() const {
    std::vector<std::vector<Matrix>> out(static_cast<size_t>(devices_));
    if (operation_ == kAllToAllTuple) {
      for (const Ints& group : devices_of_) {
        for (size_t to = 0; to < group.size(); ++to) {
          for (const int64_t from : group)
            out[static_cast<size_t>(group[to])].push_back(in_[static_cast<size_t>(from)][to]);
        }
      }
      return out;
    }
    for (size_t k = 0; k < static_cast<size_t>(operands_); ++k) {
      std::vector<Matrix> in;
      for (const auto& matrices : in_) in.push_back(matrices[k]);
      if (operation_ == kBroadcast || operation_ == kPermute) {
        for (auto& matrices : out) matrices.push_back(Zeros(rows_, columns_));
      }
      for (const Ints& group : devices_of_) {
        const auto count = static_cast<int64_t>(group.size());
        if (operation_ == kPermute) {
          out[static_cast<size_t>(group[1])][k] = in[static_cast<size_t>(group[0])];
          continue;
        }
        for (int64_t rank = 0; rank < count; ++rank) {
          auto& mine = out[static_cast<size_t>(group[static_cast<size_t>(rank)])];
          switch (operation_) {
            case kAllReduce:
              mine.push_back(Reduced(in, group));
              break;
            case kReduceScatter:
              mine.push_back(Part(Reduced(in, group), dimension_, rank, count));
              break;
            case kAllGather: {
              std::vector<Matrix> parts;
              for (const int64_t from : group) parts.push_back(in[static_cast<size_t>(from)]);
              mine.push_back(Joined(parts, dimension_));
              break;
            }
            case kAllToAll: {
              std::vector<Matrix> parts;
              for (const int64_t from : group)
                parts.push_back(Part(in[static_cast<size_t>(from)], dimension_, rank, count));
              mine.push_back(Joined(parts, dimension_));
              break;
            }
            default:
              mine[k] = in[static_cast<size_t>(group[0])];
          }
        }
      }
    }
    return out;
  }

  std::string Text() const {
    static constexpr const char* kNames[] = {
        "all-reduce", "all-gather",           "reduce-scatter",    "all-to-all",
        "all-to-all", "collective-broadcast", "collective-permute"};
    const std::string name = kNames[operation_];
    const std::string array = absl::StrCat("s32[", rows_, ",", columns_, "]");
    int64_t rows = rows_, columns = columns_;
    int64_t& along = dimension_ == 0 ? rows : columns;
    if (operation_ == kAllGather) along *= group_size_;
    if (operation_ == kReduceScatter) along /= group_size_;
    const std::string part = absl::StrCat("s32[", rows, ",", columns, "]");
    const auto tuple_of = [&](const std::string& shape) {
      if (operands_ == 1 && operation_ != kAllToAllTuple) return shape;
      return absl::StrCat("(", absl::StrJoin(Strings(static_cast<size_t>(operands_), shape), ", "),
                          ")");
    };
    std::string parameters, names;
    for (int64_t k = 0; k < operands_; ++k) {
      absl::StrAppend(&parameters, "  p", k, " = ", array, " parameter(", k, ")\n");
      absl::StrAppend(&names, k == 0 ? "" : ", ", "p", k);
    }
    std::string attributes = operation_ == kPermute
                                 ? absl::StrCat("source_target_pairs=", groups_text_)
                                 : absl::StrCat("replica_groups=", groups_text_);
    if (mode_ != Mode::kReplica) absl::StrAppend(&attributes, ", channel_id=3");
    if (mode_ == Mode::kFlattened) absl::StrAppend(&attributes, ", use_global_device_ids=true");
    if (operation_ == kAllGather || operation_ == kReduceScatter || operation_ == kAllToAll)
      absl::StrAppend(&attributes, ", dimensions={", dimension_, "}");
    if (operation_ == kAllReduce || operation_ == kReduceScatter)
      absl::StrAppend(&attributes, ", to_apply=f");

    std::string text =
        absl::StrCat("HloModule m, replica_count=", replicas_, ", num_partitions=", partitions_, R"(
f {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  three = s32[] constant(3)
  a3 = s32[] multiply(a, three)
  ROOT s = s32[] add(a3, b)
}
)");
    const std::string result = tuple_of(part), operands = tuple_of(array);
    const bool has_start =
        operation_ == kAllReduce || operation_ == kAllGather || operation_ == kPermute;
    if (form_ == kStartDone && has_start) {
      const std::string started =
          operation_ == kAllReduce ? result : absl::StrCat("(", operands, ", ", result, ")");
      return absl::StrCat(text, "ENTRY e {\n", parameters, "  start = ", started, " ", name,
                          "-start(", names, "), ", attributes, "\n  ROOT done = ", result, " ",
                          name, "-done(start)\n}\n");
    }
    if (form_ == kAsync) {
      const std::string wrapped =
          absl::StrCat("((", absl::StrJoin(Strings(static_cast<size_t>(operands_), array), ", "),
                       "), ", result, ", u32[])");
      return absl::StrCat(
          text, "wrapped {\n", parameters, "  ROOT r = ", result, " ", name, "(", names, "), ",
          attributes, "\n}\nENTRY e {\n", parameters, "  start = ", wrapped, " async-start(", names,
          "), calls=wrapped\n  update = ", wrapped, " async-update(start)\n  ROOT done = ", result,
          " async-done(update)\n}\n");
    }
    return absl::StrCat(text, "ENTRY e {\n", parameters, "  ROOT r = ", result, " ", name, "(",
                        names, "), ", attributes, "\n}\n");
  }

  std::mt19937 random_;
  int64_t replicas_, partitions_, devices_, rows_, columns_, operands_, dimension_;
  int64_t group_size_ = 1;
  Operation operation_;
  Form form_;
  Mode mode_;
  std::vector<Ints> groups_, devices_of_;
  std::string groups_text_;
  std::vector<std::vector<Matrix>> in_;  // by device and operand
};

TEST(RandomCollectiveTest, AThousandRandomConfigurationsAgreeWithThePlainModel) {
  for (uint32_t seed = 0; seed < 1000 && !::testing::Test::HasFailure(); ++seed)
    RandomCollective(seed).Check();
}

TEST(RandomCollectiveTest, RandomRaggedAllToAllsAgreeWithThePlainModel) {
  for (uint32_t seed = 0; seed < 200 && !::testing::Test::HasFailure(); ++seed) {
    std::mt19937 random(seed);
    const auto draw = [&](int64_t least, int64_t most) {
      return std::uniform_int_distribution<int64_t>(least, most)(random);
    };
    const bool by_partition = draw(0, 1) == 1;
    const int64_t size = draw(1, 4), count = draw(1, 8 / size),
                  others = draw(1, 8 / (size * count));
    const int64_t updates = draw(1, 3), rows = 6, columns = draw(1, 2);
    const int64_t replicas = by_partition ? others : size * count;
    const int64_t partitions = by_partition ? size * count : others;
    Ints order(static_cast<size_t>(size * count));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    std::vector<Ints> groups;
    Strings texts;
    for (int64_t g = 0; g < count; ++g) {
      groups.emplace_back(order.begin() + g * size, order.begin() + (g + 1) * size);
      texts.push_back(absl::StrCat("{", absl::StrJoin(groups.back(), ","), "}"));
    }
    const int64_t devices = replicas * partitions;
    // By device: entries of (rank, update).
    std::vector<Ints> from(static_cast<size_t>(devices)), sent = from, to = from, expected = from;
    std::vector<Matrix> input, output;
    for (int64_t d = 0; d < devices; ++d) {
      input.push_back(Zeros(rows, columns));
      output.push_back(Zeros(rows, columns));
      for (int64_t& value : input.back().values) value = draw(-99, 99);
      for (int64_t& value : output.back().values) value = draw(-99, 99);
      for (int64_t k = 0; k < size * updates; ++k) {
        sent[static_cast<size_t>(d)].push_back(draw(0, 2));
        from[static_cast<size_t>(d)].push_back(draw(0, 4));
        to[static_cast<size_t>(d)].push_back(draw(0, 4));
      }
      expected[static_cast<size_t>(d)].resize(static_cast<size_t>(size * updates));
    }
    const auto device_groups = DeviceGroups(by_partition ? Mode::kPartition : Mode::kReplica,
                                            groups, replicas, partitions);
    std::vector<Matrix> result = output;
    for (const Ints& group : device_groups) {
      for (size_t a = 0; a < group.size(); ++a) {
        for (size_t b = 0; b < group.size(); ++b) {
          const auto sender = static_cast<size_t>(group[a]),
                     receiver = static_cast<size_t>(group[b]);
          for (size_t u = 0; u < static_cast<size_t>(updates); ++u) {
            const size_t k = b * static_cast<size_t>(updates) + u;
            expected[receiver][a * static_cast<size_t>(updates) + u] = sent[sender][k];
            for (int64_t row = 0; row < sent[sender][k]; ++row) {
              for (int64_t c = 0; c < columns; ++c)
                result[receiver].at(to[sender][k] + row, c) =
                    input[sender].at(from[sender][k] + row, c);
            }
          }
        }
      }
    }
    Strings shapes = {absl::StrCat("s64[", size, ",", updates, "]"),
                      absl::StrCat("s64[", size * updates, "]")};
    const std::string data = absl::StrCat("s32[", rows, ",", columns, "]");
    const std::string entries = shapes[static_cast<size_t>(draw(0, 1))];
    const std::string text =
        absl::StrCat("HloModule m, replica_count=", replicas, ", num_partitions=", partitions,
                     "\nENTRY e {\n  a = ", data, " parameter(0)\n  b = ", data,
                     " parameter(1)\n  c = ", entries, " parameter(2)\n  d = ", entries,
                     " parameter(3)\n  f = ", entries, " parameter(4)\n  g = ", entries,
                     " parameter(5)\n  ROOT r = ", data,
                     " ragged-all-to-all(a, b, c, d, f, g), replica_groups={",
                     absl::StrJoin(texts, ","), "}", by_partition ? ", channel_id=1" : "", "\n}");
    std::vector<std::vector<Literal>> arguments;
    for (size_t d = 0; d < static_cast<size_t>(devices); ++d) {
      arguments.emplace_back();
      arguments.back().push_back(ToLiteral(input[d]));
      arguments.back().push_back(ToLiteral(output[d]));
      for (const Ints* values : {&from[d], &sent[d], &to[d], &expected[d]}) {
        Literal literal(entries == shapes[0] ? ShapeUtil::MakeShape(S64, {size, updates})
                                             : ShapeUtil::MakeShape(S64, {size * updates}));
        std::copy(values->begin(), values->end(), literal.data<int64_t>().begin());
        arguments.back().push_back(std::move(literal));
      }
    }
    const auto results = RunReplicated(text, replicas, partitions, arguments);
    ASSERT_OK(results.status()) << text;
    for (size_t d = 0; d < static_cast<size_t>(devices); ++d) {
      const auto values = (*results)[d].data<int32_t>();
      EXPECT_EQ(Ints(values.begin(), values.end()), result[d].values) << "device " << d << "\n"
                                                                      << text;
    }
  }
}

}  // namespace
}  // namespace xla
