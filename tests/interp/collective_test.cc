// SPDX-License-Identifier: Apache-2.0
// Collectives on replicas and partitions, against a plain model: loops over vectors of each device.
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
#include "tests/interp/replicated_test_util.h"
#include "tests/test_util.h"
#include "xla/literal_util.h"

namespace xla {
namespace {

using testing::RunReplicated;
using testing::RunToStrings;
using Ints = std::vector<int64_t>;
using Strings = std::vector<std::string>;

// --- The model

enum class Mode { kReplica, kPartition, kBoth, kFlattened };

// Groups of ids as groups of devices, in order of rank.
std::vector<Ints> DeviceGroups(Mode mode, const std::vector<Ints>& groups, int64_t replicas,
                               int64_t partitions) {
  std::vector<Ints> result;
  for (const Ints& group : groups) {
    switch (mode) {
      case Mode::kReplica:
        for (int64_t p = 0; p < partitions; ++p) {
          result.emplace_back();
          for (const int64_t r : group) result.back().push_back(r * partitions + p);
        }
        break;
      case Mode::kPartition:
        for (int64_t r = 0; r < replicas; ++r) {
          result.emplace_back();
          for (const int64_t p : group) result.back().push_back(r * partitions + p);
        }
        break;
      case Mode::kBoth:
        result.emplace_back();
        for (const int64_t r : group) {
          for (int64_t p = 0; p < partitions; ++p) result.back().push_back(r * partitions + p);
        }
        break;
      case Mode::kFlattened:
        result.push_back(group);
        break;
    }
  }
  return result;
}

// A matrix of a device.
struct Matrix {
  int64_t rows = 0, columns = 0;
  Ints values;
  int64_t& at(int64_t r, int64_t c) { return values[static_cast<size_t>(r * columns + c)]; }
  int64_t at(int64_t r, int64_t c) const { return values[static_cast<size_t>(r * columns + c)]; }
  bool operator==(const Matrix&) const = default;
};

Matrix Zeros(int64_t rows, int64_t columns) {
  return {rows, columns, Ints(static_cast<size_t>(rows * columns), 0)};
}

// Not commutative, so that the order of devices shows: f(a, b) = 3a + b, in 32 bits.
int64_t Reduce(int64_t a, int64_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(3 * a + b));
}

Matrix Reduced(const std::vector<Matrix>& in, const Ints& group) {
  Matrix sum = in[static_cast<size_t>(group[0])];
  for (size_t k = 1; k < group.size(); ++k) {
    const Matrix& next = in[static_cast<size_t>(group[k])];
    for (size_t i = 0; i < sum.values.size(); ++i)
      sum.values[i] = Reduce(sum.values[i], next.values[i]);
  }
  return sum;
}

// The part `index` of `count` along a dimension.
Matrix Part(const Matrix& whole, int64_t dimension, int64_t index, int64_t count) {
  Matrix part = dimension == 0 ? Zeros(whole.rows / count, whole.columns)
                               : Zeros(whole.rows, whole.columns / count);
  for (int64_t r = 0; r < part.rows; ++r) {
    for (int64_t c = 0; c < part.columns; ++c) {
      part.at(r, c) = dimension == 0 ? whole.at(index * part.rows + r, c)
                                     : whole.at(r, index * part.columns + c);
    }
  }
  return part;
}

Matrix Joined(const std::vector<Matrix>& parts, int64_t dimension) {
  Matrix whole = dimension == 0
                     ? Zeros(parts[0].rows * static_cast<int64_t>(parts.size()), parts[0].columns)
                     : Zeros(parts[0].rows, parts[0].columns * static_cast<int64_t>(parts.size()));
  for (int64_t k = 0; k < static_cast<int64_t>(parts.size()); ++k) {
    const Matrix& part = parts[static_cast<size_t>(k)];
    for (int64_t r = 0; r < part.rows; ++r) {
      for (int64_t c = 0; c < part.columns; ++c) {
        if (dimension == 0) {
          whole.at(k * part.rows + r, c) = part.at(r, c);
        } else {
          whole.at(r, k * part.columns + c) = part.at(r, c);
        }
      }
    }
  }
  return whole;
}

// --- A random configuration

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

  static Literal ToLiteral(const Matrix& matrix) {
    Literal literal(ShapeUtil::MakeShape(S32, {matrix.rows, matrix.columns}));
    for (size_t i = 0; i < matrix.values.size(); ++i)
      literal.data<int32_t>()[i] = static_cast<int32_t>(matrix.values[i]);
    return literal;
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

TEST(CollectiveTest, AThousandRandomConfigurationsAgreeWithThePlainModel) {
  for (uint32_t seed = 0; seed < 1000 && !::testing::Test::HasFailure(); ++seed)
    RandomCollective(seed).Check();
}

TEST(CollectiveTest, RandomRaggedAllToAllsAgreeWithThePlainModel) {
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
      for (const Matrix* matrix : {&input[d], &output[d]}) {
        Literal literal(ShapeUtil::MakeShape(S32, {rows, columns}));
        for (size_t i = 0; i < matrix->values.size(); ++i)
          literal.data<int32_t>()[i] = static_cast<int32_t>(matrix->values[i]);
        arguments.back().push_back(std::move(literal));
      }
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

// --- Rules, one by one

std::string Header(int64_t replicas, int64_t partitions) {
  return absl::StrCat("HloModule m, replica_count=", replicas, ", num_partitions=", partitions, R"(
add {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT s = s32[] add(a, b)
}
ENTRY e {
  r = u32[] replica-id()
  p = u32[] partition-id()
  ten = u32[] constant(10)
  r10 = u32[] multiply(r, ten)
  id = u32[] add(r10, p)
  x = s32[] convert(id)
  x1 = s32[1] reshape(x)
)");
}

TEST(CollectiveTest, IdsOfDevicesAreReplicaMajor) {
  EXPECT_EQ(RunToStrings(Header(2, 3) + "  ROOT t = (u32[], u32[]) tuple(r, p)\n}", 2, 3),
            (Strings{"( 0, 0 )", "( 0, 1 )", "( 0, 2 )", "( 1, 0 )", "( 1, 1 )", "( 1, 2 )"}));
}

TEST(CollectiveTest, GroupModes) {
  const auto gather = [](const std::string& size, const std::string& attributes) {
    return RunToStrings(absl::StrCat(Header(2, 2), "  ROOT g = s32[", size,
                                     "] all-gather(x1), dimensions={0}, ", attributes, "\n}"),
                        2, 2);
  };
  EXPECT_EQ(gather("2", "replica_groups={}"),
            (Strings{"{0, 10}", "{1, 11}", "{0, 10}", "{1, 11}"}));
  EXPECT_EQ(gather("2", "replica_groups={{1,0}}"),
            (Strings{"{10, 0}", "{11, 1}", "{10, 0}", "{11, 1}"}));
  EXPECT_EQ(gather("4", "replica_groups={}, channel_id=1"), Strings(4, "{0, 1, 10, 11}"));
  EXPECT_EQ(gather("4", "replica_groups={{1,0}}, channel_id=1"), Strings(4, "{10, 11, 0, 1}"));
  EXPECT_EQ(gather("2", "replica_groups={{0,3},{2,1}}, channel_id=1, use_global_device_ids=true"),
            (Strings{"{0, 11}", "{10, 1}", "{10, 1}", "{0, 11}"}));
  // A channel below 1 is none.
  EXPECT_EQ(gather("2", "replica_groups={}, channel_id=0"),
            (Strings{"{0, 10}", "{1, 11}", "{0, 10}", "{1, 11}"}));
}

TEST(CollectiveTest, ReductionsGoInOrderOfRank) {
  const std::string text = R"(
HloModule m, replica_count=4
sub {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] subtract(a, b)
}
ENTRY e {
  x = f32[2] parameter(0)
  ROOT r = f32[2] all-reduce(x), replica_groups={{2,0},{3,1}}, to_apply=sub
})";
  std::vector<std::vector<Literal>> arguments;
  for (const float value : {1.f, 10.f, 100.f, 1000.f}) {
    arguments.emplace_back();
    arguments.back().push_back(LiteralUtil::CreateR1<float>({value, 2 * value}));
  }
  EXPECT_EQ(RunToStrings(text, 4, 1, arguments),
            (Strings{"{99, 198}", "{990, 1980}", "{99, 198}", "{990, 1980}"}));
}

TEST(CollectiveTest, NarrowFloatsAreSummedWideAndRoundedOnce) {
  // In bf16 256 + 1 is 256 again and again; the sum of all is 264.
  const std::string text = R"(
HloModule m, replica_count=8
sum {
  a = bf16[] parameter(0)
  b = bf16[] parameter(1)
  ROOT s = bf16[] add(a, b)
}
ENTRY e {
  r = u32[] replica-id()
  zero = u32[] constant(0)
  is_first = pred[] compare(r, zero), direction=EQ
  large = bf16[] constant(256)
  one = bf16[] constant(1)
  x = bf16[] select(is_first, large, one)
  ROOT y = bf16[] all-reduce(x), replica_groups={}, to_apply=sum
})";
  EXPECT_EQ(RunToStrings(text, 8, 1), Strings(8, "264"));
}

TEST(CollectiveTest, VariadicAllReduceOfDifferentTypes) {
  const std::string text = R"(
HloModule m, num_partitions=2
sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
ENTRY e {
  p = u32[] partition-id()
  f = f32[] convert(p)
  c = c64[] complex(f, f)
  f2 = f32[2] broadcast(f), dimensions={}
  ROOT y = (f32[2], c64[], u32[]) all-reduce(f2, c, p), replica_groups={{0}}, channel_id=1, to_apply=sum
})";
  EXPECT_EQ(RunToStrings(text, 1, 2), Strings(2, "( {1, 1}, (1, 1), 1 )"));
}

TEST(CollectiveTest, InLoopsBranchesAndCalls) {
  // Fibonacci-like: each turn x = sum of all; the number of turns is the same everywhere.
  const std::string text = R"(
HloModule m, replica_count=2
add { a = s32[] parameter(0)  b = s32[] parameter(1)  ROOT s = s32[] add(a, b) }
sum_all { x = s32[] parameter(0)  ROOT y = s32[] all-reduce(x), replica_groups={}, to_apply=add }
same { ROOT x = s32[] parameter(0) }
body {
  t = (s32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  x = s32[] get-tuple-element(t), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  two = s32[] constant(2)
  odd = s32[] remainder(i, two)
  y = s32[] conditional(odd, x, x), branch_computations={sum_all, same}
  z = s32[] call(y), to_apply=sum_all
  ROOT u = (s32[], s32[]) tuple(next, z)
}
condition {
  t = (s32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  n = s32[] constant(10)
  ROOT c = pred[] compare(i, n), direction=LT
}
ENTRY e {
  r = u32[] replica-id()
  x = s32[] convert(r)
  zero = s32[] constant(0)
  t = (s32[], s32[]) tuple(zero, x)
  w = (s32[], s32[]) while(t), condition=condition, body=body
  ROOT y = s32[] get-tuple-element(w), index=1
})";
  // The first sum makes 1 on both; then one doubling and five more of both kinds...: 2^14.
  EXPECT_EQ(RunToStrings(text, 2, 1), Strings(2, absl::StrCat(1 << 14)));
}

TEST(CollectiveTest, InPlacePermuteOfSlices) {
  // Each device sends its second row and writes what it gets over its first column pair.
  const std::string text = R"(
HloModule m, replica_count=3
ENTRY e {
  in = s32[2,2] parameter(0)
  out = s32[3,2] parameter(1)
  zero = s32[] constant(0)
  one = s32[] constant(1)
  two = s32[] constant(2)
  from = (s32[], s32[]) tuple(one, zero)
  to = (s32[], s32[]) tuple(two, zero)
  ROOT r = s32[3,2] collective-permute(in, out, from, to), source_target_pairs={{0,1},{1,0}}, slice_sizes={{1,2}}
})";
  std::vector<std::vector<Literal>> arguments;
  for (int32_t d = 0; d < 3; ++d) {
    arguments.emplace_back();
    arguments.back().push_back(LiteralUtil::CreateR2<int32_t>({{d, d + 1}, {10 * d, 10 * d + 1}}));
    arguments.back().push_back(LiteralUtil::CreateR2<int32_t>({{7, 7}, {8, 8}, {9, 9}}));
  }
  EXPECT_EQ(RunToStrings(text, 3, 1, arguments),
            (Strings{"{ { 7, 7 }, { 8, 8 }, { 10, 11 } }", "{ { 7, 7 }, { 8, 8 }, { 0, 1 } }",
                     "{ { 7, 7 }, { 8, 8 }, { 9, 9 } }"}));
}

TEST(CollectiveTest, InPlacePermuteOfSeveralSlices) {
  // The k-th pair of a device sends, or receives, its k-th slice.
  const std::string text = R"(
HloModule m, num_partitions=2
ENTRY e {
  in = s32[4] parameter(0)
  out = s32[4] parameter(1)
  zero = s32[] constant(0)
  one = s32[] constant(1)
  three = s32[] constant(3)
  from0 = (s32[]) tuple(zero)
  from1 = (s32[]) tuple(three)
  from = ((s32[]), (s32[])) tuple(from0, from1)
  to0 = (s32[]) tuple(one)
  to1 = (s32[]) tuple(zero)
  to = ((s32[]), (s32[])) tuple(to0, to1)
  start = (s32[4], s32[4], u32[]) collective-permute-start(in, out, from, to), channel_id=1, source_target_pairs={{0,1},{1,0},{0,0},{1,1}}, slice_sizes={{3},{1}}
  ROOT r = s32[4] collective-permute-done(start)
})";
  std::vector<std::vector<Literal>> arguments;
  for (int32_t d = 0; d < 2; ++d) {
    arguments.emplace_back();
    arguments.back().push_back(
        LiteralUtil::CreateR1<int32_t>({10 * d, 10 * d + 1, 10 * d + 2, 10 * d + 3}));
    arguments.back().push_back(LiteralUtil::CreateR1<int32_t>({-1, -1, -1, -1}));
  }
  EXPECT_EQ(RunToStrings(text, 1, 2, arguments), (Strings{"{3, 10, 11, 12}", "{13, 0, 1, 2}"}));
}

TEST(CollectiveTest, SlicesOutsideAndOddOffsetsAreErrors) {
  const auto run = [](const std::string& offset, const std::string& sizes) {
    return RunReplicated(absl::StrCat(R"(
HloModule m
ENTRY e {
  in = s32[4] iota(), iota_dimension=0
  o = )",
                                      offset, R"( constant(3)
  at = ()",
                                      offset, R"() tuple(o)
  ROOT r = s32[4] collective-permute(in, in, at, at), source_target_pairs={{0,0}}, slice_sizes={{)",
                                      sizes, "}}\n}"),
                         1, 1);
  };
  EXPECT_OK(run("s32[]", "1").status());
  EXPECT_ERROR(run("s32[]", "2"), "the slice of sizes {2} at {3} does not lie in s32[4]");
  EXPECT_ERROR(run("s32[]", "1,1"), "the slice of sizes {1,1}");
  EXPECT_ERROR(run("f32[]", "1"), "an offset is f32[], not an integer scalar");
}

std::string Ragged(const std::string& shape, const std::string& attributes = "replica_groups={}") {
  return absl::StrCat(R"(
HloModule m, replica_count=2
ENTRY e {
  input = s32[3] parameter(0)
  output = s32[4] parameter(1)
  input_offsets = )",
                      shape, " parameter(2)\n  send_sizes = ", shape,
                      " parameter(3)\n  output_offsets = ", shape,
                      " parameter(4)\n  recv_sizes = ", shape, R"( parameter(5)
  ROOT r = s32[4] ragged-all-to-all(input, output, input_offsets, send_sizes, output_offsets, recv_sizes), )",
                      attributes, "\n}");
}

std::vector<Literal> RaggedArguments(const std::vector<std::vector<int32_t>>& values) {
  std::vector<Literal> literals;
  for (const auto& value : values) literals.push_back(LiteralUtil::CreateR1<int32_t>(value));
  return literals;
}

TEST(CollectiveTest, RaggedAllToAllErrorsNameTheDevices) {
  const std::vector<int32_t> input = {1, 2, 3}, output = {0, 0, 0, 0};
  const auto run = [&](const std::vector<std::vector<int32_t>>& zero) {
    std::vector<std::vector<Literal>> arguments;
    arguments.push_back(RaggedArguments({input, output, zero[0], zero[1], zero[2], zero[3]}));
    arguments.push_back(RaggedArguments({input, output, {0, 0}, {1, 1}, {0, 0}, {1, 1}}));
    return RunToStrings(Ragged("s32[2]"), 2, 1, arguments)[0];
  };
  const auto has = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text << "\nwithout: " << part;
  };
  has(run({{0, 3}, {1, 1}, {0, 0}, {1, 1}}),
      "device 0 sends device 1 1 rows, from its input's row 3, but there are 3 rows");
  has(run({{0, 0}, {1, 1}, {0, -1}, {1, 1}}),
      "device 0 sends device 1 1 rows, to the output's row -1, but there are 4 rows");
  has(run({{0, 0}, {1, 2}, {0, 0}, {1, 1}}), "sends device 1 2 rows, but that expects 1");
}

TEST(CollectiveTest, RaggedAllToAllOfSeveralUpdates) {
  // Two updates for each device, in both shapes that say so.
  for (const char* shape : {"s32[2,2]", "s32[4]"}) {
    const auto entries = [&](std::vector<int32_t> values) {
      if (std::string(shape) == "s32[4]") return LiteralUtil::CreateR1<int32_t>(values);
      return LiteralUtil::CreateR2<int32_t>({{values[0], values[1]}, {values[2], values[3]}});
    };
    std::vector<std::vector<Literal>> arguments(2);
    for (int32_t d = 0; d < 2; ++d) {
      auto& mine = arguments[static_cast<size_t>(d)];
      mine.push_back(LiteralUtil::CreateR1<int32_t>({10 * d + 1, 10 * d + 2, 10 * d + 3}));
      mine.push_back(LiteralUtil::CreateR1<int32_t>({-1, -1, -1, -1}));
      mine.push_back(entries({0, 1, 2, 0}));
      mine.push_back(entries({1, 1, 1, 0}));
      mine.push_back(entries({2 * d, 2 * d + 1, 2 * d, 0}));
      mine.push_back(d == 0 ? entries({1, 1, 1, 1}) : entries({1, 0, 1, 0}));
    }
    EXPECT_EQ(RunToStrings(Ragged(shape), 2, 1, arguments),
              (Strings{"{1, 2, 11, 12}", "{3, -1, 13, -1}"}));
  }
}

TEST(CollectiveTest, DynamicSizesPass) {
  const std::string text = R"(
HloModule m, replica_count=2
ENTRY e {
  r = s32[] parameter(0)
  x = s32[3] iota(), iota_dimension=0
  one = s32[] constant(1)
  size = s32[] add(r, one)
  ten = s32[] constant(10)
  r10 = s32[] multiply(r, ten)
  b = s32[3] broadcast(r10), dimensions={}
  y = s32[3] add(x, b)
  d = s32[<=3] set-dimension-size(y, size), dimensions={0}
  moved = s32[<=3] collective-permute(d), source_target_pairs={{0,1},{1,0}}
  all = s32[<=6] all-gather(d), dimensions={0}, replica_groups={}
  ROOT t = (s32[<=3], s32[<=6]) tuple(moved, all)
})";
  std::vector<std::vector<Literal>> arguments(2);
  arguments[0].push_back(LiteralUtil::CreateR0<int32_t>(0));
  arguments[1].push_back(LiteralUtil::CreateR0<int32_t>(1));
  ASSERT_OK_AND_ASSIGN(const auto results, RunReplicated(text, 2, 1, arguments));
  EXPECT_EQ(results[0].ToStatic().ToStringWithoutShapeOneline(), "( {10, 11}, {0, 10, 11} )");
  EXPECT_EQ(results[1].ToStatic().ToStringWithoutShapeOneline(), "( {0}, {0, 10, 11} )");
}

TEST(CollectiveTest, SumsOfDifferentRunTimeSizesAreErrors) {
  const std::string text = R"(
HloModule m, replica_count=2
add { a = s32[] parameter(0)  b = s32[] parameter(1)  ROOT s = s32[] add(a, b) }
ENTRY e {
  r = u32[] replica-id()
  size = s32[] convert(r)
  x = s32[3] iota(), iota_dimension=0
  d = s32[<=3] set-dimension-size(x, size), dimensions={0}
  ROOT s = s32[<=3] all-reduce(d), replica_groups={}, to_apply=add
})";
  EXPECT_ERROR(RunReplicated(text, 2, 1),
               "operand 0 has run-time sizes [1] on device 1, but [0] on device 0");
}

// --- The document's examples

std::vector<std::vector<Literal>> Columns(const std::vector<std::vector<float>>& values) {
  std::vector<std::vector<Literal>> arguments;
  for (const auto& value : values) {
    arguments.emplace_back();
    arguments.back().push_back(LiteralUtil::CreateR1<float>(value));
  }
  return arguments;
}

constexpr char kSum[] = R"(
HloModule m, replica_count=2
sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
ENTRY e {
  x = f32[2] parameter(0)
)";

TEST(CollectiveDocumentTest, AllGather) {
  EXPECT_EQ(RunToStrings(std::string(kSum) +
                             "ROOT r = f32[4] all-gather(x), dimensions={0}, replica_groups={}\n}",
                         2, 1, Columns({{1, 2.5}, {3, 5.25}})),
            Strings(2, "{1, 2.5, 3, 5.25}"));
}

TEST(CollectiveDocumentTest, AllReduce) {
  EXPECT_EQ(RunToStrings(std::string(kSum) +
                             "ROOT r = f32[2] all-reduce(x), replica_groups={}, to_apply=sum\n}",
                         2, 1, Columns({{1, 2.5}, {3, 5.25}})),
            Strings(2, "{4, 7.75}"));
}

TEST(CollectiveDocumentTest, ReduceScatter) {
  EXPECT_EQ(RunToStrings(std::string(kSum) + "ROOT r = f32[1] reduce-scatter(x), dimensions={0}, "
                                             "replica_groups={}, to_apply=sum\n}",
                         2, 1, Columns({{1, 2.25}, {3, 5.25}})),
            (Strings{"{4}", "{7.5}"}));
}

TEST(CollectiveDocumentTest, GroupsOfFlattenedIds) {
  // 2 replicas x 4 partitions: {0,1,4,5} are (0,0), (0,1), (1,0), (1,1).
  const std::string text = Header(2, 4) + R"(
  ROOT g = s32[4] all-gather(x1), dimensions={0}, replica_groups={{0,1,4,5},{2,3,6,7}}, channel_id=1, use_global_device_ids=true
})";
  const std::string low = "{0, 1, 10, 11}", high = "{2, 3, 12, 13}";
  EXPECT_EQ(RunToStrings(text, 2, 4), (Strings{low, low, high, high, low, low, high, high}));
}

TEST(CollectiveDocumentTest, GroupsOfAllGather) {
  const std::string text = Header(4, 1) + R"(
  ROOT g = s32[2] all-gather(x1), dimensions={0}, replica_groups={{0,2},{1,3}}
})";
  EXPECT_EQ(RunToStrings(text, 4, 1), (Strings{"{0, 20}", "{10, 30}", "{0, 20}", "{10, 30}"}));
}

TEST(CollectiveDocumentTest, AllToAllJoinsInTheOrderOfTheGroup) {
  // replica_groups={{1,2,3},{4,5,0}}
  const std::string text = R"(
HloModule m, replica_count=6
ENTRY e {
  x = f32[3] parameter(0)
  ROOT r = f32[3] all-to-all(x), dimensions={0}, replica_groups={{1,2,3},{4,5,0}}
})";
  std::vector<std::vector<float>> values;
  for (float d = 0; d < 6; ++d) values.push_back({10 * d, 10 * d + 1, 10 * d + 2});
  EXPECT_EQ(RunToStrings(text, 6, 1, Columns(values)),
            (Strings{"{42, 52, 2}", "{10, 20, 30}", "{11, 21, 31}", "{12, 22, 32}", "{40, 50, 0}",
                     "{41, 51, 1}"}));
}

TEST(CollectiveDocumentTest, AllToAllOfFourCores) {
  // f32[4,16] split along dimension 1 into four f32[4,4], joined along dimension 0 to f32[16,4]:
  // the builder's AllToAll, as it is written in HLO.
  const std::string text = R"(
HloModule m, replica_count=4
ENTRY e {
  r = u32[] replica-id()
  rf = f32[] convert(r)
  k = f32[] constant(100)
  base = f32[] multiply(rf, k)
  b = f32[4,16] broadcast(base), dimensions={}
  i = f32[4,16] iota(), iota_dimension=1
  x = f32[4,16] add(b, i)
  blocks = f32[4,4,4] reshape(x)
  split = f32[4,4,4] transpose(blocks), dimensions={1,0,2}
  sent = f32[4,4,4] all-to-all(split), dimensions={0}, replica_groups={}
  ROOT y = f32[16,4] reshape(sent)
})";
  ASSERT_OK_AND_ASSIGN(const auto results, RunReplicated(text, 4, 1));
  for (int64_t device = 0; device < 4; ++device) {
    const Literal& y = results[static_cast<size_t>(device)];
    for (int64_t row = 0; row < 16; ++row) {
      for (int64_t column = 0; column < 4; ++column) {
        EXPECT_EQ(y.Get<float>({row, column}),
                  static_cast<float>(100 * (row / 4) + 4 * device + column));
      }
    }
  }
}

// Two replicas with f32[2,4]: 1 to 8, and 9 to 16.
std::vector<std::vector<Literal>> OneToSixteen() {
  std::vector<std::vector<Literal>> arguments(2);
  arguments[0].push_back(LiteralUtil::CreateR2<float>({{1, 2, 3, 4}, {5, 6, 7, 8}}));
  arguments[1].push_back(LiteralUtil::CreateR2<float>({{9, 10, 11, 12}, {13, 14, 15, 16}}));
  return arguments;
}

TEST(CollectiveDocumentTest, AllToAllOfTwoReplicas) {
  const std::string text = R"(
HloModule m, replica_count=2
ENTRY e {
  x = f32[2,4] parameter(0)
  blocks = f32[2,2,2] reshape(x)
  split = f32[2,2,2] transpose(blocks), dimensions={1,0,2}
  sent = f32[2,2,2] all-to-all(split), dimensions={0}, replica_groups={{0,1}}
  ROOT y = f32[4,2] reshape(sent)
})";
  ASSERT_OK_AND_ASSIGN(const auto results, RunReplicated(text, 2, 1, OneToSixteen()));
  EXPECT_EQ(results[0], LiteralUtil::CreateR2<float>({{1, 2}, {5, 6}, {9, 10}, {13, 14}}));
  EXPECT_EQ(results[1], LiteralUtil::CreateR2<float>({{3, 4}, {7, 8}, {11, 12}, {15, 16}}));
}

TEST(CollectiveDocumentTest, ReduceScatterOfTwoReplicas) {
  const std::string text = R"(
HloModule m, replica_count=2
sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
ENTRY e {
  x = f32[2,4] parameter(0)
  ROOT y = f32[2,2] reduce-scatter(x), dimensions={1}, replica_groups={{0,1}}, to_apply=sum
})";
  ASSERT_OK_AND_ASSIGN(const auto results, RunReplicated(text, 2, 1, OneToSixteen()));
  EXPECT_EQ(results[0], LiteralUtil::CreateR2<float>({{10, 12}, {18, 20}}));
  EXPECT_EQ(results[1], LiteralUtil::CreateR2<float>({{14, 16}, {22, 24}}));
}

TEST(CollectiveDocumentTest, RaggedAllToAll) {
  std::vector<std::vector<Literal>> arguments;
  arguments.push_back(RaggedArguments({{1, 2, 2}, {0, 0, 0, 0}, {0, 1}, {1, 2}, {0, 0}, {1, 1}}));
  arguments.push_back(RaggedArguments({{3, 4, 0}, {0, 0, 0, 0}, {0, 1}, {1, 1}, {1, 2}, {2, 1}}));
  EXPECT_EQ(RunToStrings(Ragged("s32[2]"), 2, 1, arguments),
            (Strings{"{1, 3, 0, 0}", "{2, 2, 4, 0}"}));
}

TEST(CollectiveDocumentTest, DevicesOutsideABroadcastOrPermuteGetZeros) {
  EXPECT_EQ(RunToStrings(Header(4, 1) + R"(
  one = s32[] constant(1)
  y = s32[] add(x, one)
  b = s32[] collective-broadcast(y), replica_groups={{2,1}}
  c = s32[] collective-permute(y), source_target_pairs={{0,1},{2,3}}
  ROOT t = (s32[], s32[]) tuple(b, c)
})",
                         4, 1),
            (Strings{"( 0, 0 )", "( 21, 1 )", "( 21, 0 )", "( 0, 21 )"}));
}

}  // namespace
}  // namespace xla
