// SPDX-License-Identifier: Apache-2.0
// The functions of ShapeInference on all combinations of a few shapes and attributes: the shape or
// the error of each, as a fingerprint for a function and its first operand.
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "tests/variants/expected.h"
#include "xla/hlo/text/parser.h"
#include "xla/service/shape_inference.h"
#include "xla/shape_util.h"

namespace xla::testing {
namespace {

using Ints = std::vector<int64_t>;

class Outcomes {
 public:
  // Of one call: the name of the function and of its first operand.
  void Add(const std::string& name, const std::string& outcome) {
    lines_.push_back(absl::StrCat(name, ": ", OneLine(outcome)));
  }
  void Add(const std::string& name, const absl::StatusOr<Shape>& shape) {
    Add(name, shape.ok() ? shape->ToString(/*print_layout=*/true)
                         : std::string(shape.status().message()));
  }
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  std::vector<std::string> lines_;
};

std::vector<Shape> ShapesOf(const std::vector<std::string>& texts) {
  std::vector<Shape> shapes;
  for (const std::string& text : texts) shapes.push_back(ParseShape(text).value());
  return shapes;
}

const std::vector<Shape>& Pool() {
  static const auto* const pool = new std::vector<Shape>(ShapesOf(
      {"f32[2,3]", "f32[3]", "f32[]", "f64[2,3]", "s32[2,3]", "s32[]", "s32[2]", "pred[2,3]",
       "pred[]", "c64[2,2]", "f32[<=2,3]", "f32[?,3]", "f32[2,4,3]", "f32[1,8,6,4]",
       "(f32[2,3], s32[])", "token[]", "u32[2,3]", "f32[0,3]", "bf16[2,3]"}));
  return *pool;
}

// Lists of dimensions, sizes or starts.
const std::vector<Ints>& Lists() {
  static const auto* const lists = new std::vector<Ints>{
      {}, {0}, {1}, {0, 1}, {1, 0}, {2}, {-1}, {0, 0}, {2, 3}, {1, 2, 3}, {3, 2}, {0, 1, 2}};
  return *lists;
}

ProgramShape Program(const std::vector<std::string>& parameters, const std::string& result) {
  ProgramShape program;
  for (const Shape& shape : ShapesOf(parameters)) *program.add_parameters() = shape;
  *program.mutable_result() = ParseShape(result).value();
  return program;
}

const std::vector<ProgramShape>& Programs() {
  static const auto* const programs =
      new std::vector<ProgramShape>{Program({"f32[]", "f32[]"}, "f32[]"),
                                    Program({"f32[]"}, "f32[]"),
                                    Program({"s32[]", "s32[]"}, "s32[]"),
                                    Program({"f32[]", "f32[]"}, "pred[]"),
                                    Program({"f32[2,3]"}, "f32[2,3]"),
                                    Program({"f32[2,3]"}, "pred[]"),
                                    Program({"f32[]", "f32[]", "f32[]", "f32[]"}, "(f32[], f32[])"),
                                    Program({"f32[3]", "f32[3]"}, "f32[3]"),
                                    Program({}, "f32[]")};
  return *programs;
}

std::string NameOf(const std::string& function, const Shape& shape) {
  return absl::StrCat(function, " ", shape.ToString());
}

TEST(InferenceRules, OfOneOperand) {
  Outcomes outcomes;
  for (const Shape& x : Pool()) {
    for (int i = 0; i < kNumHloOpcodes; ++i) {
      const auto opcode = static_cast<HloOpcode>(i);
      if (GetOpInfo(opcode).arity != 1 || !GetOpInfo(opcode).Has(op_traits::kElementwiseTrait))
        continue;
      outcomes.Add(NameOf("unary", x), ShapeInference::InferUnaryOpShape(opcode, x));
    }
    for (const Ints& list : Lists()) {
      outcomes.Add(NameOf("reverse", x), ShapeInference::InferReverseShape(x, list));
    }
    for (const Ints& list : Lists()) {
      outcomes.Add(NameOf("transpose", x), ShapeInference::InferTransposeShape(x, list));
    }
    for (const Ints& list : Lists()) {
      outcomes.Add(NameOf("broadcast", x), ShapeInference::InferBroadcastShape(x, list));
    }
    for (const Ints& list : Lists()) {
      for (const int64_t inferred : {-1, 0, 1}) {
        outcomes.Add(NameOf("reshape", x), ShapeInference::InferReshapeShape(x, list, inferred));
      }
    }
    for (const auto& [starts, limits, strides] :
         std::vector<std::tuple<Ints, Ints, Ints>>{{{0, 0}, {2, 3}, {1, 1}},
                                                   {{0, 1}, {2, 3}, {1, 2}},
                                                   {{0}, {2, 3}, {1, 1}},
                                                   {{0, 0}, {2}, {1, 1}},
                                                   {{0, 0}, {2, 3}, {1}},
                                                   {{0, 0}, {2, 4}, {1, 1}},
                                                   {{-1, 0}, {2, 3}, {1, 1}},
                                                   {{2, 0}, {1, 3}, {1, 1}},
                                                   {{0, 0}, {2, 3}, {0, 1}},
                                                   {{0}, {3}, {1}},
                                                   {{}, {}, {}}}) {
      outcomes.Add(NameOf("slice", x), ShapeInference::InferSliceShape(x, starts, limits, strides));
    }
    for (const PrimitiveType type : {F32, S8, PRED, C64, TUPLE, TOKEN, F64, S4}) {
      outcomes.Add(NameOf("convert", x), ShapeInference::InferConvertShape(x, type));
    }
    for (const PrimitiveType type : {F32, S8, PRED, C64, TUPLE, TOKEN, F64, S4}) {
      outcomes.Add(NameOf("bitcast-convert", x), ShapeInference::InferBitcastConvertShape(x, type));
    }
    for (const auto& [exponent, mantissa] :
         std::vector<std::pair<int, int>>{{5, 3}, {0, 3}, {5, -1}}) {
      outcomes.Add(NameOf("reduce-precision", x),
                   ShapeInference::InferReducePrecisionShape(x, exponent, mantissa));
    }
    for (const int64_t i : {-1, 0, 1, 2}) {
      outcomes.Add(NameOf("get-tuple-element", x), ShapeInference::InferGetTupleElementShape(x, i));
    }
    for (const int64_t i : {-1, 0, 1, 2}) {
      outcomes.Add(NameOf("get-dimension-size", x),
                   ShapeInference::InferGetDimensionSizeShape(x, i));
    }
    for (const int64_t k : {-1, 0, 2, 3, 4}) {
      outcomes.Add(NameOf("top-k", x), ShapeInference::InferTopKShape(x, k));
    }
    for (const FftType type : {FFT, IFFT, RFFT, IRFFT}) {
      for (const Ints& length :
           std::vector<Ints>{{2}, {3}, {2, 3}, {2, 2}, {1, 1, 1, 1}, {}, {0}}) {
        outcomes.Add(NameOf("fft", x), ShapeInference::InferFftShape(x, type, length));
      }
    }
    outcomes.Add(NameOf("cholesky", x), ShapeInference::InferCholeskyShape(x));
    for (const auto& [split, concat, count] :
         std::vector<std::tuple<int64_t, int64_t, int64_t>>{{0, 1, 2},
                                                            {1, 0, 3},
                                                            {1, 0, 2},
                                                            {0, 0, 2},
                                                            {2, 0, 2},
                                                            {0, 2, 2},
                                                            {0, 1, 0},
                                                            {-1, 0, 2},
                                                            {0, 1, int64_t{1} << 62}}) {
      outcomes.Add(NameOf("all-to-all", x),
                   ShapeInference::InferAllToAllShape(x, split, concat, count));
    }
    outcomes.Add(NameOf("all-gather-done", x), ShapeInference::InferAllGatherDoneShape(x));
    outcomes.Add(NameOf("all-reduce-done", x), ShapeInference::InferAllReduceDoneShape(x));
    outcomes.Add(NameOf("collective-permute-done", x),
                 ShapeInference::InferCollectivePermuteDoneShape(x));
  }
  ExpectKinds("inference_one", outcomes.lines());
}

TEST(InferenceRules, OfTwoOperandsAndMore) {
  Outcomes outcomes;
  for (const Shape& x : Pool()) {
    for (const Shape& y : Pool()) {
      for (int i = 0; i < kNumHloOpcodes; ++i) {
        const auto opcode = static_cast<HloOpcode>(i);
        if (GetOpInfo(opcode).arity != 2 || !GetOpInfo(opcode).Has(op_traits::kElementwiseTrait))
          continue;
        for (const Ints& dimensions : std::vector<Ints>{{}, {0}, {1}, {0, 1}, {1, 0}, {3}}) {
          outcomes.Add(NameOf("binary", x),
                       ShapeInference::InferBinaryOpShape(opcode, x, y, dimensions));
        }
      }
    }
    for (const Shape& y : Pool()) {
      for (const Shape& z : Pool()) {
        outcomes.Add(NameOf("select", x),
                     ShapeInference::InferTernaryOpShape(HloOpcode::kSelect, x, y, z));
      }
    }
    for (const Shape& y : Pool()) {
      for (const Shape& z : Pool()) {
        outcomes.Add(NameOf("clamp", x),
                     ShapeInference::InferTernaryOpShape(HloOpcode::kClamp, x, y, z));
      }
    }
    for (const Shape& y : Pool()) {
      const auto common = ShapeInference::InferScalarBroadcastShape({x, y});
      outcomes.Add(NameOf("scalar broadcast", x), !common.ok()
                                                      ? std::string(common.status().message())
                                                  : common->has_value() ? (*common)->ToString()
                                                                        : "none");
    }
    for (const Shape& y : Pool()) {
      for (const Ints& dimensions : std::vector<Ints>{{}, {0}, {1}, {0, 1}, {1, 0}, {0, 2}}) {
        outcomes.Add(NameOf("broadcast to", x),
                     ShapeInference::InferBroadcastShape(x, y, dimensions));
      }
    }
    const auto both = [&](const std::string& name, auto infer) {
      for (const Shape& y : Pool()) {
        const std::vector<const Shape*> shapes = {&x, &y};
        outcomes.Add(NameOf(name, x), infer(absl::MakeConstSpan(shapes)));
      }
    };
    for (const int64_t d : {-1, 0, 1, 2}) {
      both(absl::StrCat("concatenate ", d),
           [&](auto s) { return ShapeInference::InferConcatOpShape(s, d); });
      both(absl::StrCat("all-gather ", d),
           [&](auto s) { return ShapeInference::InferAllGatherShape(s, d, 2); });
      both(absl::StrCat("all-gather-start ", d),
           [&](auto s) { return ShapeInference::InferAllGatherStartShape(s, d, 3); });
      both(absl::StrCat("reduce-scatter ", d),
           [&](auto s) { return ShapeInference::InferReduceScatterShape(s, d, d + 1); });
    }
    both("all-reduce", [](auto s) { return ShapeInference::InferAllReduceShape(s); });
    both("all-reduce-start", [](auto s) { return ShapeInference::InferAllReduceStartShape(s); });
    both("all-to-all of a tuple",
         [](auto s) { return ShapeInference::InferAllToAllTupleShape(s); });
    both("ragged-all-to-all", [](auto s) { return ShapeInference::InferRaggedAllToAllShape(s); });
    both("collective-broadcast",
         [](auto s) { return ShapeInference::InferCollectiveBroadcastShape(s); });
    for (const bool inplace : {false, true}) {
      both(absl::StrCat("collective-permute ", inplace),
           [&](auto s) { return ShapeInference::InferCollectivePermuteShape(s, inplace); });
      both(absl::StrCat("collective-permute-start ", inplace), [&](auto s) {
        return ShapeInference::InferCollectivePermuteStartShape(
            s, {ShapeUtil::MakeShape(U32, {}), ShapeUtil::MakeShape(U32, {})}, inplace);
      });
    }
    both("tuple",
         [](auto s) { return ShapeInference::InferVariadicOpShape(HloOpcode::kTuple, s); });
    both("sort", [](auto s) { return ShapeInference::InferVariadicOpShape(HloOpcode::kSort, s); });
    for (size_t i = 0; i < Programs().size(); ++i) {
      const ProgramShape& program = Programs()[i];
      both(absl::StrCat("call ", i),
           [&](auto s) { return ShapeInference::InferCallShape(s, program); });
      both(absl::StrCat("map ", i), [&](auto s) {
        return ShapeInference::InferMapShape(s, program, {0, 1});
      });
      for (const Ints& dimensions : std::vector<Ints>{{}, {0}, {1}, {0, 1}, {2}, {0, 0}, {-1}}) {
        both(absl::StrCat("reduce ", i, " {", absl::StrJoin(dimensions, ","), "}"),
             [&](auto s) { return ShapeInference::InferReduceShape(s, dimensions, program); });
      }
    }
    for (const Shape& y : Pool()) {
      TriangularSolveOptions options;
      for (const bool left : {false, true}) {
        options.set_left_side(left);
        for (const auto transpose :
             {TriangularSolveOptions::NO_TRANSPOSE, TriangularSolveOptions::TRANSPOSE_INVALID}) {
          options.set_transpose_a(transpose);
          outcomes.Add(NameOf("triangular-solve", x),
                       ShapeInference::InferTriangularSolveShape(x, y, options));
        }
      }
    }
    for (const Shape& y : Pool()) {
      outcomes.Add(NameOf("stochastic-convert", x),
                   ShapeInference::InferStochasticConvertShape(x, y, S8));
    }
    for (const Shape& y : Pool()) {
      for (const int64_t d : {-1, 0, 1, 2}) {
        outcomes.Add(NameOf("set-dimension-size", x),
                     ShapeInference::InferSetDimensionSizeShape(x, y, d));
      }
    }
    for (const Shape& y : Pool()) {
      for (const bool scalars : {false, true}) {
        for (const Ints& sizes : std::vector<Ints>{{1, 2}, {2, 3}, {3, 3}, {1}, {-1, 2}, {}}) {
          outcomes.Add(NameOf("dynamic-slice", x),
                       ShapeInference::InferDynamicSliceShape(x, {y, y}, sizes, scalars));
          outcomes.Add(NameOf("dynamic-slice", x),
                       ShapeInference::InferDynamicSliceShape(x, {y}, sizes, scalars));
        }
        outcomes.Add(
            NameOf("dynamic-slice", x),
            ShapeInference::InferDynamicUpdateSliceShape(
                x, y, {ShapeUtil::MakeShape(S32, {}), ShapeUtil::MakeShape(S32, {})}, scalars));
        outcomes.Add(NameOf("dynamic-slice", x),
                     ShapeInference::InferDynamicUpdateSliceShape(x, x, {y, y}, scalars));
      }
    }
    for (const Shape& y : Pool()) {
      PaddingConfig padding;
      for (int d = 0; d < 2; ++d) {
        auto* dimension = padding.add_dimensions();
        dimension->set_edge_padding_low(1 - 3 * d);
        dimension->set_edge_padding_high(2);
        dimension->set_interior_padding(d);
      }
      outcomes.Add(NameOf("pad", x), ShapeInference::InferPadShape(x, y, padding));
      padding.mutable_dimensions(1)->set_edge_padding_low(-9);
      outcomes.Add(NameOf("pad", x), ShapeInference::InferPadShape(x, y, padding));
      padding.mutable_dimensions(0)->set_interior_padding(-1);
      outcomes.Add(NameOf("pad", x), ShapeInference::InferPadShape(x, y, padding));
    }
    for (const Shape& y : Pool()) {
      for (const auto& [lhs, rhs, batch] :
           std::vector<std::tuple<Ints, Ints, Ints>>{{{1}, {0}, {}},
                                                     {{0}, {0}, {}},
                                                     {{1}, {1}, {0}},
                                                     {{0, 1}, {0, 1}, {}},
                                                     {{2}, {0}, {}},
                                                     {{1}, {}, {}},
                                                     {{}, {}, {0}},
                                                     {{}, {}, {}},
                                                     {{0}, {0}, {0}}}) {
        DotDimensionNumbers numbers;
        for (const int64_t d : lhs) numbers.add_lhs_contracting_dimensions(d);
        for (const int64_t d : rhs) numbers.add_rhs_contracting_dimensions(d);
        for (const int64_t d : batch) {
          numbers.add_lhs_batch_dimensions(d);
          numbers.add_rhs_batch_dimensions(d);
        }
        for (const std::optional<PrimitiveType> type :
             {std::optional<PrimitiveType>(), std::optional(F64), std::optional(S8)}) {
          outcomes.Add(NameOf("dot", x), ShapeInference::InferDotOpShape(x, y, numbers, type));
        }
        RaggedDotDimensionNumbers ragged;
        *ragged.mutable_dot_dimension_numbers() = numbers;
        ragged.add_lhs_ragged_dimensions(0);
        outcomes.Add(NameOf("dot", x), ShapeInference::InferRaggedDotOpShape(
                                           x, y, ShapeUtil::MakeShape(S32, {2}), ragged, F32));
      }
    }
    for (const Shape& y : Pool()) {
      for (const int64_t features : {1, 2, 0}) {
        for (const int64_t batches : {1, 2}) {
          ConvolutionDimensionNumbers numbers;
          numbers.set_input_feature_dimension(3);
          numbers.set_kernel_input_feature_dimension(2);
          numbers.set_kernel_output_feature_dimension(3);
          numbers.set_output_feature_dimension(3);
          for (const int d : {1, 2}) {
            numbers.add_input_spatial_dimensions(d);
            numbers.add_kernel_spatial_dimensions(d - 1);
            numbers.add_output_spatial_dimensions(d);
          }
          const auto window = ShapeInference::InferWindowFromDimensions(
              {1, 8}, {2, 1}, {{0, 1}, {1, 0}}, {1, 2}, {1, 1});
          outcomes.Add(NameOf("convolution", x),
                       ShapeInference::InferConvolveShape(x, y, features, batches, *window, numbers,
                                                          SparsityConfig(), std::nullopt));
        }
      }
    }
    for (const Shape& y : Pool()) {
      const auto window =
          ShapeInference::InferWindowFromDimensions({1, 2}, {1, 2}, {{0, 0}, {1, 1}}, {}, {});
      for (const ProgramShape& program : Programs()) {
        outcomes.Add(NameOf("reduce-window", x),
                     ShapeInference::InferReduceWindowShape(x, y, *window, program));
        outcomes.Add(NameOf("reduce-window", x), ShapeInference::InferSelectAndScatterShape(
                                                     x, Programs()[3], *window, x, y, program));
        outcomes.Add(NameOf("reduce-window", x),
                     ShapeInference::InferSelectAndScatterShape(
                         x, program, *window, y, ShapeUtil::MakeShape(F32, {}), Programs()[0]));
      }
      outcomes.Add(NameOf("reduce-window", x),
                   ShapeInference::InferReduceWindowShape(x, y, *window));
    }
    for (const Shape& y : Pool()) {
      for (const int64_t feature : {-1, 0, 1, 4}) {
        outcomes.Add(NameOf("batch-norm", x),
                     ShapeInference::InferBatchNormTrainingShape(x, y, y, feature));
        outcomes.Add(NameOf("batch-norm", x),
                     ShapeInference::InferBatchNormInferenceShape(x, y, y, y, y, feature));
        outcomes.Add(NameOf("batch-norm", x),
                     ShapeInference::InferBatchNormGradShape(x, y, y, y, x, feature));
      }
    }
    for (const ProgramShape& program : Programs()) {
      for (const ProgramShape& other : Programs()) {
        outcomes.Add(NameOf("control", x), ShapeInference::InferWhileShape(program, other, x));
        for (const Shape& y : Pool()) {
          outcomes.Add(NameOf("control", x),
                       ShapeInference::InferConditionalShape(x, {program, other}, {y, y}));
        }
      }
    }
    for (const Shape& y : Pool()) {
      GatherDimensionNumbers gather;
      gather.add_offset_dims(1);
      gather.add_collapsed_slice_dims(0);
      gather.add_start_index_map(0);
      ScatterDimensionNumbers scatter;
      scatter.add_update_window_dims(1);
      scatter.add_inserted_window_dims(0);
      scatter.add_scatter_dims_to_operand_dims(0);
      for (const int64_t vector : {-1, 0, 1, 2}) {
        gather.set_index_vector_dim(vector);
        scatter.set_index_vector_dim(vector);
        for (const Ints& sizes : std::vector<Ints>{{1, 3}, {1, 4}, {2, 3}, {1}}) {
          outcomes.Add(NameOf("gather", x), ShapeInference::InferGatherShape(x, y, gather, sizes));
        }
        const std::vector<const Shape*> shapes = {&x, &y, &x};
        for (const ProgramShape& program : Programs()) {
          outcomes.Add(NameOf("gather", x),
                       ShapeInference::InferScatterShape(shapes, program, scatter));
        }
      }
    }
  }
  ExpectKinds("inference_more", outcomes.lines());
}

TEST(InferenceRules, OfWindows) {
  std::vector<std::string> lines;
  for (const Ints& sizes : std::vector<Ints>{{}, {2}, {2, 3}, {0, 1}, {-1, 1}}) {
    for (const Ints& strides : std::vector<Ints>{{}, {1}, {1, 2}, {0, 1}}) {
      for (const std::vector<std::pair<int64_t, int64_t>>& padding :
           std::vector<std::vector<std::pair<int64_t, int64_t>>>{{}, {{1, 0}}, {{0, 1}, {2, -1}}}) {
        for (const Ints& dilation : std::vector<Ints>{{}, {2}, {1, 3}, {0, 1}}) {
          for (const auto& reversal : std::vector<std::optional<std::vector<bool>>>{
                   std::nullopt, std::vector<bool>{true}, std::vector<bool>{false, true}}) {
            const auto window = ShapeInference::InferWindowFromDimensions(sizes, strides, padding,
                                                                          {}, dilation, reversal);
            const auto other = ShapeInference::InferWindowFromDimensions(sizes, strides, padding,
                                                                         dilation, {}, reversal);
            for (const auto& one : {window, other}) {
              lines.push_back(one.ok() ? one->ShortDebugString() : OneLine(one.status().message()));
            }
          }
        }
      }
    }
  }
  ExpectKinds("inference_windows", lines);
}

}  // namespace
}  // namespace xla::testing
