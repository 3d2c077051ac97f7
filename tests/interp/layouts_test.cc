// SPDX-License-Identifier: Apache-2.0
// Layouts, ranks and empty arrays: operations that move elements against index arithmetic, for
// every element type, ranks 0 to 9, sizes from 0, arguments and results in row-major, permuted,
// padded and tiled layouts; and all kinds of programs whose results must not depend on the layouts
// of anything in them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/test_util.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/text/printer.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/index_util.h"
#include "xla/interpreter/interpreter.h"
#include "xla/layout_util.h"
#include "xla/literal_util.h"
#include "xla/primitive_util.h"

namespace xla {
namespace {

constexpr PrimitiveType kTypes[] = {
    PRED,   S1,        S2,       S4,       S8,      S16,  S32,           S64,        U1,
    U2,     U4,        U8,       U16,      U32,     U64,  F16,           F32,        F64,
    BF16,   F8E5M2,    F8E4M3,   F8E4M3FN, C64,     C128, F8E4M3B11FNUZ, F8E5M2FNUZ, F8E4M3FNUZ,
    F8E3M4, F8E8M0FNU, F4E2M1FN, F6E2M3FN, F6E3M2FN};

class Random {
 public:
  explicit Random(uint32_t seed) : engine_(seed) {}
  int64_t In(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(engine_() % static_cast<uint64_t>(high - low + 1));
  }
  bool Chance(int64_t one_in) { return In(1, one_in) == 1; }
  std::vector<int64_t> Permutation(int64_t n) {
    std::vector<int64_t> order(static_cast<size_t>(n));
    for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>(i);
    for (size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[static_cast<size_t>(In(0, static_cast<int64_t>(i) - 1))]);
    return order;
  }

 private:
  std::mt19937 engine_;
};

// Row-major, any other order, padded, tiled, or elements packed to their bits.
void SetRandomLayout(Random& random, Shape* shape) {
  if (shape->IsTuple()) {
    for (int i = 0; i < shape->tuple_shapes_size(); ++i)
      SetRandomLayout(random, shape->mutable_tuple_shapes(i));
    return;
  }
  if (!shape->IsArray()) return;
  Layout layout = LayoutUtil::MakeLayout(random.Permutation(shape->rank()));
  const int64_t kind = random.In(0, 4);
  if (kind == 1 && shape->rank() > 0) {
    for (int i = 0; i < shape->rank(); ++i)
      layout.add_padded_dimensions(shape->dimensions(i) + random.In(0, 2));
    layout.set_padding_value(random.Chance(2) ? ZERO_PAD : INVALID_PAD);
  } else if (kind == 2 && shape->rank() > 0) {
    *layout.add_tiles() = shape->rank() > 1 && random.Chance(2) ? Tile({2, 3}) : Tile({2});
  } else if (kind == 3 && primitive_util::IsSubByteNonPredType(shape->element_type()) &&
             8 % primitive_util::BitWidth(shape->element_type()) == 0) {
    layout.set_element_size_in_bits(primitive_util::BitWidth(shape->element_type()));
  } else if (kind == 4) {
    layout = LayoutUtil::MakeDescendingLayout(shape->rank());
  }
  *shape->mutable_layout() = layout;
}

char* ElementAt(Literal& literal, absl::Span<const int64_t> index) {
  return static_cast<char*>(literal.untyped_data()) +
         IndexUtil::MultidimensionalIndexToLinearIndex(literal.shape(), index) *
             primitive_util::ByteWidth(literal.shape().element_type());
}

void ForEachIndex(const Shape& shape, const std::function<void(absl::Span<const int64_t>)>& f) {
  for (const int64_t size : shape.dimensions()) {
    if (size == 0) return;
  }
  DimensionVector index(static_cast<size_t>(shape.rank()), 0);
  do {
    f(index);
  } while (IndexUtil::BumpIndices(shape, absl::MakeSpan(index)));
}

// The elements counted in row-major order from `start`, in the shape's layout.
Literal Counted(const Shape& shape, int64_t start) {
  Literal numbers(ShapeUtil::MakeShape(S64, {ShapeUtil::ElementsIn(shape)}));
  for (size_t i = 0; i < numbers.data<int64_t>().size(); ++i)
    numbers.data<int64_t>()[i] = start + static_cast<int64_t>(i) * 3;
  Literal elements = numbers.Convert(shape.element_type()).value();
  Literal literal(shape);
  const int64_t bytes = primitive_util::ByteWidth(shape.element_type());
  int64_t next = 0;
  ForEachIndex(shape, [&](absl::Span<const int64_t> index) {
    std::memcpy(ElementAt(literal, index),
                static_cast<const char*>(elements.untyped_data()) + bytes * next++,
                static_cast<size_t>(bytes));
  });
  return literal;
}

// An operation, and where the element at an index of the result comes from.
struct Movement {
  std::string text;  // with operands a, b, c; $R: the result's shape
  std::vector<std::vector<int64_t>> operands;
  std::vector<int64_t> result;
  std::function<std::pair<int, std::vector<int64_t>>(absl::Span<const int64_t>)> source;
};

using Index = std::vector<int64_t>;

std::vector<int64_t> RandomDimensions(Random& random, int64_t rank) {
  std::vector<int64_t> dimensions;
  int64_t product = 1;
  for (int64_t d = 0; d < rank; ++d) {
    int64_t size = random.Chance(15) ? 0 : random.In(1, 4);
    if (product * size > 512) size = 1;
    dimensions.push_back(size);
    product *= size;
  }
  return dimensions;
}

Movement MakeMovement(Random& random, int64_t rank) {
  const std::vector<int64_t> dims = RandomDimensions(random, rank);
  switch (random.In(0, 8)) {
    case 0: {
      const std::vector<int64_t> permutation = random.Permutation(rank);
      Movement m = {
          absl::StrCat("transpose(a), dimensions={", absl::StrJoin(permutation, ","), "}"),
          {dims},
          {},
          nullptr};
      for (const int64_t d : permutation) m.result.push_back(dims[static_cast<size_t>(d)]);
      m.source = [permutation](absl::Span<const int64_t> out) {
        Index in(out.size());
        for (size_t i = 0; i < out.size(); ++i) in[static_cast<size_t>(permutation[i])] = out[i];
        return std::pair<int, Index>(0, in);
      };
      return m;
    }
    case 1: {
      std::vector<int64_t> reversed;
      for (int64_t d = 0; d < rank; ++d) {
        if (random.Chance(2)) reversed.push_back(d);
      }
      return {absl::StrCat("reverse(a), dimensions={", absl::StrJoin(reversed, ","), "}"),
              {dims},
              dims,
              [dims, reversed](absl::Span<const int64_t> out) {
                Index in(out.begin(), out.end());
                for (const int64_t d : reversed) {
                  const auto i = static_cast<size_t>(d);
                  in[i] = dims[i] - 1 - in[i];
                }
                return std::pair<int, Index>(0, in);
              }};
    }
    case 2: {
      Index starts, strides;
      std::vector<std::string> ranges;
      Movement m = {"", {dims}, {}, nullptr};
      for (const int64_t size : dims) {
        starts.push_back(random.In(0, size));
        strides.push_back(random.In(1, 3));
        const int64_t limit = random.In(starts.back(), size);
        m.result.push_back((limit - starts.back() + strides.back() - 1) / strides.back());
        ranges.push_back(absl::StrCat("[", starts.back(), ":", limit, ":", strides.back(), "]"));
      }
      m.text = absl::StrCat("slice(a), slice={", absl::StrJoin(ranges, ", "), "}");
      m.source = [starts, strides](absl::Span<const int64_t> out) {
        Index in(out.size());
        for (size_t i = 0; i < out.size(); ++i) in[i] = starts[i] + out[i] * strides[i];
        return std::pair<int, Index>(0, in);
      };
      return m;
    }
    case 3: {
      Index lows, steps;
      std::vector<std::string> padding;
      Movement m = {"", {dims, {}}, {}, nullptr};
      for (const int64_t size : dims) {
        lows.push_back(random.In(-1, 2));
        steps.push_back(random.In(1, 2));
        const int64_t spread = size == 0 ? 0 : (size - 1) * steps.back() + 1;
        const int64_t high = std::max(random.In(-1, 2), -spread - lows.back());
        m.result.push_back(spread + lows.back() + high);
        padding.push_back(absl::StrCat(lows.back(), "_", high, "_", steps.back() - 1));
      }
      if (rank == 0) return MakeMovement(random, rank + 1);
      m.text = absl::StrCat("pad(a, b), padding=", absl::StrJoin(padding, "x"));
      m.source = [dims, lows, steps](absl::Span<const int64_t> out) {
        Index in(out.size());
        for (size_t i = 0; i < out.size(); ++i) {
          const int64_t at = out[i] - lows[i];
          in[i] = at / steps[i];
          if (at < 0 || at % steps[i] != 0 || in[i] >= dims[i])
            return std::pair<int, Index>(1, Index());
        }
        return std::pair<int, Index>(0, in);
      };
      return m;
    }
    case 4: {
      // Some dimensions of the result are the operand's.
      std::vector<int64_t> mapped;
      Movement m = {"", {{}}, dims, nullptr};
      for (const int64_t d : random.Permutation(rank)) {
        if (random.Chance(2)) continue;
        mapped.push_back(d);
        m.operands[0].push_back(dims[static_cast<size_t>(d)]);
      }
      m.text = absl::StrCat("broadcast(a), dimensions={", absl::StrJoin(mapped, ","), "}");
      m.source = [mapped](absl::Span<const int64_t> out) {
        Index in;
        for (const int64_t d : mapped) in.push_back(out[static_cast<size_t>(d)]);
        return std::pair<int, Index>(0, in);
      };
      return m;
    }
    case 5: {
      if (rank == 0) return MakeMovement(random, rank + 1);
      const auto along = static_cast<size_t>(random.In(0, rank - 1));
      Movement m = {"", {dims, dims, dims}, dims, nullptr};
      Index ends;
      int64_t total = 0;
      for (auto& operand : m.operands) {
        operand[along] = random.In(0, 3);
        ends.push_back(total += operand[along]);
      }
      m.result[along] = total;
      m.text = absl::StrCat("concatenate(a, b, c), dimensions={", along, "}");
      m.source = [ends, along](absl::Span<const int64_t> out) {
        Index in(out.begin(), out.end());
        int operand = 0;
        while (out[along] >= ends[static_cast<size_t>(operand)]) ++operand;
        if (operand > 0) in[along] -= ends[static_cast<size_t>(operand) - 1];
        return std::pair<int, Index>(operand, in);
      };
      return m;
    }
    case 6: {
      // The same number of elements, in other dimensions: neighbors merged, ones put in.
      Movement m = {"reshape(a)", {dims}, {}, nullptr};
      for (const int64_t size : dims) {
        if (!m.result.empty() && random.Chance(2)) {
          m.result.back() *= size;
        } else {
          if (random.Chance(3)) m.result.push_back(1);
          m.result.push_back(size);
        }
      }
      m.source = [dims, result = m.result](absl::Span<const int64_t> out) {
        int64_t position = 0;
        for (size_t i = 0; i < result.size(); ++i) position = position * result[i] + out[i];
        Index in(dims.size());
        for (size_t i = dims.size(); i-- > 0;) {
          in[i] = position % dims[i];
          position /= dims[i];
        }
        return std::pair<int, Index>(0, in);
      };
      return m;
    }
    case 7: {
      Movement m = {"dynamic-slice(a", {dims}, {}, nullptr};
      Index starts;
      for (const int64_t size : dims) {
        m.result.push_back(random.In(0, size));
        const int64_t start = random.In(-2, 5);
        absl::StrAppend(&m.text, ", s32[] constant(", start, ")");
        starts.push_back(std::clamp<int64_t>(start, 0, size - m.result.back()));
      }
      absl::StrAppend(&m.text, "), dynamic_slice_sizes={", absl::StrJoin(m.result, ","), "}");
      m.source = [starts](absl::Span<const int64_t> out) {
        Index in(out.begin(), out.end());
        for (size_t i = 0; i < in.size(); ++i) in[i] += starts[i];
        return std::pair<int, Index>(0, in);
      };
      return m;
    }
    default: {
      Movement m = {"dynamic-update-slice(a, b", {dims, {}}, dims, nullptr};
      Index starts;
      for (const int64_t size : dims) {
        m.operands[1].push_back(random.In(0, size));
        const int64_t start = random.In(-2, 5);
        absl::StrAppend(&m.text, ", s32[] constant(", start, ")");
        starts.push_back(std::clamp<int64_t>(start, 0, size - m.operands[1].back()));
      }
      m.text += ")";
      m.source = [starts, update = m.operands[1]](absl::Span<const int64_t> out) {
        Index inside(out.begin(), out.end());
        for (size_t i = 0; i < inside.size(); ++i) {
          inside[i] -= starts[i];
          if (inside[i] < 0 || inside[i] >= update[i])
            return std::pair<int, Index>(0, Index(out.begin(), out.end()));
        }
        return std::pair<int, Index>(1, inside);
      };
      return m;
    }
  }
}

TEST(InterpreterLayouts, MovementsAreIndexArithmetic) {
  Random random(20);
  for (int trial = 0; trial < 1500; ++trial) {
    const PrimitiveType type = kTypes[static_cast<size_t>(trial) % std::size(kTypes)];
    const Movement m = MakeMovement(random, random.In(0, 9));
    Shape result_shape = ShapeUtil::MakeShape(type, m.result);
    SetRandomLayout(random, &result_shape);
    std::string text, layouts;
    std::vector<Literal> arguments;
    for (size_t i = 0; i < m.operands.size(); ++i) {
      Shape shape = ShapeUtil::MakeShape(type, m.operands[i]);
      SetRandomLayout(random, &shape);
      absl::StrAppend(&layouts, i == 0 ? "" : ", ", shape.ToString(true));
      absl::StrAppend(&text, " ", std::string(1, static_cast<char>('a' + i)), " = ",
                      shape.ToString(true), " parameter(", i, ")\n");
      // Arguments may come in any layout.
      if (random.Chance(2)) SetRandomLayout(random, &shape);
      arguments.push_back(Counted(shape, static_cast<int64_t>(i) * 50));
    }
    text = absl::StrCat("HloModule m, entry_computation_layout={(", layouts, ")->",
                        result_shape.ToString(true), "}\nENTRY e {\n", text,
                        " ROOT r = ", result_shape.ToString(true), " ", m.text, "\n}\n");
    ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(text));
    ASSERT_OK(VerifyModule(*module)) << text;
    std::vector<const Literal*> pointers;
    for (const Literal& argument : arguments) pointers.push_back(&argument);
    ASSERT_OK_AND_ASSIGN(Literal result, Interpret(*module, pointers));
    ASSERT_EQ(result.shape(), result_shape) << text;
    const auto bytes = static_cast<size_t>(primitive_util::ByteWidth(type));
    ForEachIndex(result.shape(), [&](absl::Span<const int64_t> index) {
      const auto [operand, in] = m.source(index);
      ASSERT_EQ(std::memcmp(ElementAt(result, index),
                            ElementAt(arguments[static_cast<size_t>(operand)], in), bytes),
                0)
          << text << "at " << absl::StrJoin(index, ",");
    });
    ASSERT_FALSE(::testing::Test::HasFailure());
  }
}

// Constants in any layout, through a copy into another one.
TEST(InterpreterLayouts, ConstantsAndCopies) {
  Random random(21);
  for (int trial = 0; trial < 300; ++trial) {
    const PrimitiveType type = kTypes[static_cast<size_t>(trial) % std::size(kTypes)];
    Shape shape = ShapeUtil::MakeShape(type, RandomDimensions(random, random.In(0, 5)));
    Shape result_shape = shape;
    SetRandomLayout(random, &shape);
    SetRandomLayout(random, &result_shape);
    Literal constant = Counted(shape, 1);
    // NaNs print without their bits: only numbers here.
    if (type == F8E8M0FNU) continue;
    const std::string text =
        absl::StrCat("HloModule m\nENTRY e {\n c = ", shape.ToString(true), " constant(",
                     constant.ToStringWithoutShapeOneline(),
                     ")\n ROOT r = ", result_shape.ToString(true), " copy(c)\n}\n");
    ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(text));
    ASSERT_OK_AND_ASSIGN(Literal result, Interpret(*module, {}));
    ASSERT_EQ(result.shape(), result_shape) << text;
    ForEachIndex(shape, [&](absl::Span<const int64_t> index) {
      ASSERT_EQ(std::memcmp(ElementAt(result, index), ElementAt(constant, index),
                            static_cast<size_t>(primitive_util::ByteWidth(type))),
                0)
          << text << "at " << absl::StrJoin(index, ",");
    });
    ASSERT_FALSE(::testing::Test::HasFailure());
  }
}

// What a bitcast reads as bytes, another one reads back.
TEST(InterpreterLayouts, BitcastsToBytesAndBack) {
  Random random(22);
  for (int trial = 0; trial < 600; ++trial) {
    const PrimitiveType type = kTypes[static_cast<size_t>(trial) % std::size(kTypes)];
    Shape shape = ShapeUtil::MakeShape(type, RandomDimensions(random, random.In(0, 5)));
    SetRandomLayout(random, &shape);
    const std::string text =
        absl::StrCat("HloModule m\nENTRY e {\n a = ", shape.ToString(true),
                     " parameter(0)\n b = u8[", ShapeUtil::ArraySize(shape),
                     "]{0} bitcast(a)\n ROOT r = ", shape.ToString(true), " bitcast(b)\n}\n");
    ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(text));
    ASSERT_OK(VerifyModule(*module)) << text;
    Literal argument = Counted(shape, 1);
    ASSERT_OK_AND_ASSIGN(Literal result, Interpret(*module, {&argument}));
    ForEachIndex(shape, [&](absl::Span<const int64_t> index) {
      ASSERT_EQ(std::memcmp(ElementAt(result, index), ElementAt(argument, index),
                            static_cast<size_t>(primitive_util::ByteWidth(type))),
                0)
          << text << "at " << absl::StrJoin(index, ",");
    });
    ASSERT_FALSE(::testing::Test::HasFailure());
  }
}

// --- Programs whose results do not depend on layouts

constexpr char kComputations[] = R"(HloModule m
sum { sx = f32[] parameter(0)
  sy = f32[] parameter(1)
  ROOT sr = f32[] add(sx, sy) }
ge { gx = f32[] parameter(0)
  gy = f32[] parameter(1)
  ROOT gr = pred[] compare(gx, gy), direction=GE }
less2 { lx = f32[] parameter(0)
  ly = f32[] parameter(1)
  lz = s32[] parameter(2)
  lw = s32[] parameter(3)
  ROOT lr = pred[] compare(lx, ly), direction=LT }
running { rx = f32[] parameter(0)
  rc = f32[] parameter(1)
  rs = f32[] add(rx, rc)
  ROOT rr = (f32[], f32[]) tuple(rs, rs) }
body { wc = (s32[], f32[4,3]) parameter(0)
  wi = s32[] get-tuple-element(wc), index=0
  wone = s32[] constant(1)
  wn = s32[] add(wi, wone)
  wx = f32[4,3] get-tuple-element(wc), index=1
  wy = f32[4,3] add(wx, wx)
  ROOT wr = (s32[], f32[4,3]) tuple(wn, wy) }
condition { cc = (s32[], f32[4,3]) parameter(0)
  ci = s32[] get-tuple-element(cc), index=0
  cl = s32[] constant(3)
  ROOT cr = pred[] compare(ci, cl), direction=LT }
doubled { dx = f32[4,3] parameter(0)
  ROOT dr = f32[4,3] add(dx, dx) }
kept { ROOT kx = f32[4,3] parameter(0) }
)";

const std::pair<const char*, const char*> kPrograms[] = {
    {"f32[4,3]", "i = f32[4,3] exponential(x)\n ROOT r = f32[4,3] multiply(i, y)"},
    {"pred[4,3]", "ROOT r = pred[4,3] compare(x, y), direction=LT"},
    {"f32[4,3]", "z = f32[] constant(0)\n ROOT r = f32[4,3] clamp(z, x, y)"},
    {"bf16[4,3]", "ROOT r = bf16[4,3] convert(x)"},
    {"f16[4,3,2]", "ROOT r = f16[4,3,2] bitcast-convert(x)"},
    {"f32[3]",
     "z = f32[] constant(1)\n ROOT r = f32[3] reduce(x, z), dimensions={0}, to_apply=sum"},
    {"f32[4]",
     "z = f32[] constant(1)\n ROOT r = f32[4] reduce(x, z), dimensions={1}, to_apply=sum"},
    {"f32[3,2]",
     "z = f32[] constant(0)\n ROOT r = f32[3,2] reduce-window(x, z), window={size=2x2}, "
     "to_apply=sum"},
    {"f32[4,3]",
     "s = f32[2,1] constant({{5}, {7}})\n z = f32[] constant(0)\n ROOT r = f32[4,3] "
     "select-and-scatter(x, s, z), window={size=2x3 stride=2x3}, select=ge, scatter=sum"},
    {"f32[4,4]", "ROOT r = f32[4,4] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={1}"},
    {"f32[1,4,2,1]",
     "a = f32[1,4,3,1] reshape(x)\n k = f32[1,2,1,1] constant({{{{2}}, {{3}}}})\n ROOT r = "
     "f32[1,4,2,1] convolution(a, k), window={size=1x2}, dim_labels=b01f_01io->b01f"},
    {"(f32[4,3], s32[4,3])",
     "i = s32[4,3] iota(), iota_dimension=1\n ROOT r = (f32[4,3], s32[4,3]) sort(x, i), "
     "dimensions={1}, to_apply=less2"},
    {"(f32[4,2], s32[4,2])", "ROOT r = (f32[4,2], s32[4,2]) topk(x), k=2, largest=true"},
    {"f32[2,3]",
     "i = s32[2,1] constant({{3}, {1}})\n ROOT r = f32[2,3] gather(x, i), offset_dims={1}, "
     "collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,3}"},
    {"f32[4,3]",
     "i = s32[2,1] constant({{3}, {1}})\n u = f32[2,3] constant({{1, 2, 3}, {4, 5, 6}})\n ROOT r = "
     "f32[4,3] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, "
     "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sum"},
    {"(f32[4,3], f32[3])",
     "z = f32[3] constant({1, 2, 3})\n ROOT r = (f32[4,3], f32[3]) scan(x, z), dimensions={0}, "
     "num_carries=1, to_apply=running"},
    {"f32[4,3]", "ROOT r = f32[4,3] map(x, y), dimensions={0,1}, to_apply=sum"},
    {"(f32[4,3], f32[3], f32[3])",
     "o = f32[3] constant({1, 2, 3})\n ROOT r = (f32[4,3], f32[3], f32[3]) batch-norm-training(x, "
     "o, o), epsilon=0.5, feature_index=1"},
    {"c64[4,2]", "ROOT r = c64[4,2] fft(x), fft_type=RFFT, fft_length={3}"},
    {"f32[3,3]",
     "d = f32[3,3] dot(x, x), lhs_contracting_dims={0}, rhs_contracting_dims={0}\n i = f32[3,3] "
     "constant({{9, 0, 0}, {0, 9, 0}, {0, 0, 9}})\n s = f32[3,3] add(d, i)\n ROOT r = f32[3,3] "
     "cholesky(s), lower=true"},
    {"f32[4,3]",
     "t = f32[3,3] constant({{2, 0, 0}, {1, 3, 0}, {4, 5, 1}})\n ROOT r = f32[4,3] "
     "triangular-solve(t, x), left_side=false, lower=true, unit_diagonal=false, "
     "transpose_a=TRANSPOSE"},
    {"(u64[2], u32[4,3])",
     "k = u64[2] constant({3, 4})\n ROOT r = (u64[2], u32[4,3]) rng-bit-generator(k), "
     "algorithm=rng_three_fry"},
    {"f32[4,3]",
     "z = s32[] constant(0)\n t = (s32[], f32[4,3]) tuple(z, x)\n w = (s32[], f32[4,3]) while(t), "
     "condition=condition, body=body\n ROOT r = f32[4,3] get-tuple-element(w), index=1"},
    {"f32[4,3]",
     "p = pred[] constant(false)\n ROOT r = f32[4,3] conditional(p, x, y), true_computation=kept, "
     "false_computation=doubled"},
    {"f32[4,3]",
     "c = f32[4,3] call(x), to_apply=doubled\n ROOT r = f32[4,3] fusion(c), kind=kLoop, "
     "calls=doubled"},
    {"f32[4,3]",
     "c = (f32[4,3], f32[4,3], u32[]) copy-start(x)\n d = f32[4,3] copy-done(c)\n ROOT r = "
     "f32[4,3] opt-barrier(d)"},
};

bool SameElements(const Literal& a, const Literal& b) {
  if (!a.shape().IsTuple()) return a.Equal(b, /*layout_sensitive=*/false);
  const std::vector<Literal> as = a.Clone().DecomposeTuple(), bs = b.Clone().DecomposeTuple();
  for (size_t i = 0; i < as.size(); ++i) {
    if (!SameElements(as[i], bs[i])) return false;
  }
  return as.size() == bs.size();
}

TEST(InterpreterLayouts, ResultsDoNotDependOnLayouts) {
  Random random(23);
  for (const auto& [result, body] : kPrograms) {
    const std::string text = absl::StrCat(
        kComputations, "ENTRY e {\n x = f32[4,3] parameter(0)\n y = f32[4,3] parameter(1)\n ", body,
        "\n}\n");
    ASSERT_OK_AND_ASSIGN(const auto plain, ParseAndReturnUnverifiedModule(text));
    const Shape shape = ShapeUtil::MakeShape(F32, {4, 3});
    const Literal x =
        LiteralUtil::CreateR2<float>({{0.5, -2, 3}, {4.25, 0, -6}, {7, 8.5, -9}, {-1, 1.5, 2}});
    const Literal y =
        LiteralUtil::CreateR2<float>({{3, 1, 4}, {1, 5, 9}, {-2, 6, 0.5}, {3, -5, 8}});
    ASSERT_OK_AND_ASSIGN(const Literal expected, Interpret(*plain, {&x, &y}));
    for (int trial = 0; trial < 12; ++trial) {
      ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(text));
      for (HloComputation* computation : module->computations()) {
        for (HloInstruction* instruction : computation->instructions()) {
          // A constant's literal has the layout of its instruction.
          if (instruction->opcode() != HloOpcode::kConstant)
            SetRandomLayout(random, instruction->mutable_shape());
        }
      }
      ProgramShape& entry = *module->config().mutable_entry_computation_layout();
      SetRandomLayout(random, entry.mutable_result());
      for (int i = 0; i < entry.parameters_size(); ++i)
        SetRandomLayout(random, entry.mutable_parameters(i));
      // As text, too: what prints is what runs.
      const std::string printed = ModuleToString(*module);
      ASSERT_OK_AND_ASSIGN(const auto read, ParseAndReturnUnverifiedModule(printed));
      Shape x_shape = shape, y_shape = shape;
      SetRandomLayout(random, &x_shape);
      SetRandomLayout(random, &y_shape);
      const Literal x_laid = x.Relayout(x_shape), y_laid = y.Relayout(y_shape);
      ASSERT_OK_AND_ASSIGN(const Literal actual, Interpret(*read, {&x_laid, &y_laid}));
      EXPECT_TRUE(SameElements(actual, expected))
          << printed << "\n"
          << actual.ToString() << "\nexpected " << expected.ToString();
      EXPECT_EQ(actual.shape().ToString(true), entry.result().ToString(true));
      EXPECT_TRUE(ShapeUtil::Compatible(actual.shape(), expected.shape())) << result;
    }
  }
}

}  // namespace
}  // namespace xla
