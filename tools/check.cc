// SPDX-License-Identifier: Apache-2.0
// xylem check: runs program folders (program.hlo, golden.json) and compares with recorded results.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/struct.pb.h"
#include "google/protobuf/util/json_util.h"
#include "tools/command.h"
#include "tools/draw.h"
#include "tools/process.h"
#include "xla/base/status_macros.h"
#include "xla/element_convert.h"
#include "xla/interpreter/interpreter.h"
#include "xla/layout_util.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using Json = google::protobuf::Value;

// Missing members read as null.
const Json& Member(const Json& object, const char* name) {
  static const Json null;
  if (!object.has_struct_value()) return null;
  auto found = object.struct_value().fields().find(name);
  return found == object.struct_value().fields().end() ? null : found->second;
}

absl::StatusOr<PrimitiveType> TypeFromDtype(const std::string& dtype) {
  static constexpr std::pair<const char*, PrimitiveType> kTypes[] = {
      {"float32", F32}, {"float64", F64},   {"float16", F16},    {"bfloat16", BF16},
      {"int8", S8},     {"int16", S16},     {"int32", S32},      {"int64", S64},
      {"uint8", U8},    {"uint16", U16},    {"uint32", U32},     {"uint64", U64},
      {"bool", PRED},   {"complex64", C64}, {"complex128", C128}};
  for (const auto& [name, type] : kTypes) {
    if (dtype == name) return type;
  }
  return absl::InvalidArgumentError(absl::StrCat("golden.json: unknown dtype '", dtype, "'"));
}

absl::StatusOr<Shape> ShapeFromJson(const Json& json) {
  XLA_ASSIGN_OR_RETURN(const PrimitiveType type,
                       TypeFromDtype(Member(json, "dtype").string_value()));
  std::vector<int64_t> dims;
  for (const Json& dim : Member(json, "shape").list_value().values()) {
    dims.push_back(static_cast<int64_t>(dim.number_value()));
  }
  return ShapeUtil::MakeValidatedShape(type, dims);
}

// Numbers as JSON has them; "NaN" and "Infinity" may stand as strings, complex numbers as pairs.
std::complex<double> NumberFromJson(const Json& json) {
  if (json.has_list_value() && json.list_value().values_size() == 2) {
    return {NumberFromJson(json.list_value().values(0)).real(),
            NumberFromJson(json.list_value().values(1)).real()};
  }
  if (json.kind_case() == Json::kStringValue) {
    const std::string& text = json.string_value();
    const double infinity = std::numeric_limits<double>::infinity();
    if (text == "Infinity") return infinity;
    if (text == "-Infinity") return -infinity;
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (json.kind_case() == Json::kBoolValue) return json.bool_value() ? 1.0 : 0.0;
  return json.number_value();
}

// Rounding unit of the type; 0 for integers.
double Epsilon(PrimitiveType type) {
  switch (primitive_util::IsComplexType(type) ? primitive_util::ComplexComponentType(type) : type) {
    case F64:
      return 0x1p-52;
    case F32:
      return 0x1p-23;
    case F16:
      return 0x1p-10;
    case BF16:
      return 0x1p-7;
    default:
      return primitive_util::IsFloatingPointType(type) ? 0x1p-2 : 0;
  }
}

// How far rounding may carry results: sums of n terms differ by about sqrt(n) roundings when their
// order differs, and errors of operations one after the other add up. Both are read off the
// program.
struct Depth {
  double longest_sum = 1;  // terms of the longest sum
  double sums = 0;         // operations that sum
  double trips =
      1;  // of the longest loop around a sum: each trip carries on the roundings before it
  double coarsest = 0;  // rounding unit of the narrowest float type computed with
};

bool IsSum(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kDot:
    case HloOpcode::kConvolution:
    case HloOpcode::kReduce:
    case HloOpcode::kReduceWindow:
    case HloOpcode::kScatter:
    case HloOpcode::kFft:
      return true;
    default:
      return false;
  }
}

// Trips of a counted loop whose body sums: the bound its condition compares with; 1 for other
// loops.
double SummingTrips(const HloInstruction& loop) {
  bool sums = false;
  for (const HloInstruction* instruction : loop.while_body()->instructions()) {
    sums = sums || IsSum(instruction->opcode());
    for (const HloComputation* callee : instruction->called_computations()) {
      for (const HloInstruction* inner : callee->instructions())
        sums = sums || IsSum(inner->opcode());
    }
  }
  if (!sums) return 1;
  int64_t bound = 1;
  for (const HloInstruction* instruction : loop.while_condition()->instructions()) {
    if (instruction->opcode() != HloOpcode::kConstant || !instruction->shape().IsArray()) continue;
    const std::optional<int64_t> value = ShapeUtil::ElementsIn(instruction->shape()) == 1
                                             ? instruction->literal().GetFirstInteger()
                                             : std::nullopt;
    if (value.has_value()) bound = std::max(bound, *value);
  }
  return static_cast<double>(bound);
}

Depth MeasureDepth(const HloModule& module) {
  Depth depth;
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      const Shape& shape = instruction->shape();
      if (shape.IsArray()) depth.coarsest = std::max(depth.coarsest, Epsilon(shape.element_type()));
      if (instruction->opcode() == HloOpcode::kWhile) {
        depth.trips = std::max(depth.trips, SummingTrips(*instruction));
      }
      if (!IsSum(instruction->opcode())) continue;
      // An upper bound that fits all of them: what goes in for each element that comes out.
      const Shape& in = instruction->operand(0)->shape();
      const Shape& out = shape.IsTuple() ? shape.tuple_shapes(0) : shape;
      double terms = static_cast<double>(ShapeUtil::ElementsIn(in)) /
                     std::max<double>(1, static_cast<double>(ShapeUtil::ElementsIn(out)));
      if (instruction->opcode() == HloOpcode::kDot) {
        for (int64_t d : instruction->attributes<DotAttributes>().lhs_contracting_dims) {
          terms = std::max(terms, static_cast<double>(in.dimensions(d)));
        }
      } else if (instruction->opcode() == HloOpcode::kConvolution) {
        const Shape& kernel = instruction->operand(1)->shape();
        const int64_t features =
            instruction->attributes<ConvolutionAttributes>().dim_labels.kernel_output_feature;
        terms = static_cast<double>(ShapeUtil::ElementsIn(kernel)) /
                std::max<double>(1, static_cast<double>(kernel.dimensions(features)));
      }
      depth.longest_sum = std::max(depth.longest_sum, terms);
      depth.sums += 1;
    }
  }
  return depth;
}

struct SampleComparison {
  double worst = 0;  // largest difference of a sample, relative to the array's largest element
  int64_t worst_index = -1;
  double l1 = 0;      // relative difference of the sums of absolute values
  int64_t wrong = 0;  // integer samples that differ
  int64_t samples = 0;
};

absl::StatusOr<SampleComparison> Compare(const LiteralSlice& actual, const Json& golden) {
  Literal relayouted;  // elements are counted in row-major order
  if (!LayoutUtil::IsMonotonicWithDim0Major(actual.shape().layout())) {
    relayouted = actual.Relayout(LayoutUtil::GetDefaultLayoutForShape(actual.shape()));
  }
  const char* elements = static_cast<const char*>(
      relayouted.shape().IsArray() ? relayouted.untyped_data() : actual.untyped_data());
  const PrimitiveType type = actual.shape().element_type();
  const int64_t count = ShapeUtil::ElementsIn(actual.shape());
  const int64_t width = ShapeUtil::ByteSizeOfPrimitiveType(type);
  // Widened a block at a time: arrays may be large.
  constexpr int64_t kBlock = 4096;
  std::vector<complex128> wide(std::min(count, kBlock));
  SampleComparison result;
  double l1 = 0, linf = 0;
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int64_t n = std::min(kBlock, count - begin);
    ConvertElements(type, elements + begin * width, C128, wide.data(), n);
    for (const complex128& value : absl::MakeConstSpan(wide.data(), n)) {
      const double magnitude = value.imag() == 0 ? std::fabs(value.real()) : std::abs(value);
      l1 += magnitude;
      linf = std::max(linf, magnitude);
    }
  }
  const double golden_linf = Member(golden, "linf").number_value(),
               golden_l1 = Member(golden, "l1").number_value();
  const double scale = std::max(golden_linf, std::numeric_limits<double>::min());
  result.worst = std::fabs(linf - golden_linf) / scale;
  result.l1 = std::fabs(l1 - golden_l1) / std::max(golden_l1, std::numeric_limits<double>::min());
  for (const Json& sample : Member(golden, "samples").list_value().values()) {
    if (sample.list_value().values_size() != 2)
      return absl::InvalidArgumentError("golden.json: a sample is no pair");
    const auto index = static_cast<int64_t>(sample.list_value().values(0).number_value());
    if (index < 0 || index >= count) {
      return absl::InvalidArgumentError(
          absl::StrCat("golden.json: sample index ", index, " is outside the array"));
    }
    const complex128 expected = NumberFromJson(sample.list_value().values(1));
    complex128 got;
    ConvertElements(type, elements + index * width, C128, &got, 1);
    ++result.samples;
    if (std::isnan(expected.real()) && std::isnan(got.real())) continue;
    double error = got == expected ? 0 : std::abs(got - expected) / scale;
    if (std::isnan(error)) error = std::numeric_limits<double>::infinity();
    if (error > 0) ++result.wrong;
    if (error > result.worst) {
      result.worst = error;
      result.worst_index = index;
    }
  }
  if (!std::isfinite(result.l1))
    result.l1 = l1 == golden_l1 ? 0 : std::numeric_limits<double>::infinity();
  return result;
}

struct Outcome {
  bool passed = false;
  double worst = 0, limit = 0, milliseconds = 0;
  int64_t peak_bytes = 0;
  std::string detail;
};

absl::StatusOr<Outcome> CheckOne(const std::string& folder, int threads, ProgressLine* line) {
  XLA_ASSIGN_OR_RETURN(const std::string text, ReadFile(folder + "/golden.json"));
  Json golden;
  const auto parsed = google::protobuf::util::JsonStringToMessage(text, &golden);
  if (!parsed.ok())
    return absl::InvalidArgumentError(absl::StrCat(folder, "/golden.json: not JSON"));
  XLA_ASSIGN_OR_RETURN(const auto module, LoadModule(folder + "/program.hlo"));

  std::vector<Literal> arguments;
  for (const Json& argument : Member(golden, "args").list_value().values()) {
    XLA_ASSIGN_OR_RETURN(const Shape shape, ShapeFromJson(argument));
    const bool integer = Member(argument, "kind").string_value() == "integer";
    XLA_ASSIGN_OR_RETURN(
        Literal literal,
        DrawLiteral(shape, static_cast<uint64_t>(Member(argument, "seed").number_value()),
                    integer ? DrawKind::kInteger : DrawKind::kUniform,
                    static_cast<uint64_t>(Member(argument, "hi").number_value())));
    arguments.push_back(std::move(literal));
  }
  std::vector<const Literal*> pointers;
  for (const Literal& argument : arguments) pointers.push_back(&argument);
  InterpreterOptions options;
  options.num_threads = threads;
  options.memory_limit_bytes = UsableMemoryBytes();
  options.cancel = &Interrupted();
  options.progress = [&](int64_t executed, const HloInstruction& current) {
    line->Show(absl::StrCat(folder, ": ", executed, " instructions done, now ", current.name()));
  };
  RunStatistics statistics;
  const double start = Seconds();
  auto result = Interpret(*module, pointers, options, &statistics);
  Outcome outcome;
  outcome.milliseconds = (Seconds() - start) * 1e3;
  outcome.peak_bytes = statistics.peak_bytes;
  line->Clear();
  if (!result.ok()) return result.status();

  const Depth depth = MeasureDepth(*module);
  const auto& outputs = Member(golden, "outputs").list_value().values();
  std::vector<ShapeUtil::IndexedShape> leaves;
  for (const ShapeUtil::IndexedShape& leaf : ShapeUtil::GetLeafShapes(result->shape()))
    leaves.push_back(leaf);
  if (static_cast<int>(leaves.size()) != outputs.size()) {
    return absl::InvalidArgumentError(absl::StrCat("the program gives ", leaves.size(),
                                                   " arrays, recorded are ", outputs.size()));
  }
  outcome.passed = true;
  for (size_t i = 0; i < leaves.size(); ++i) {
    XLA_ASSIGN_OR_RETURN(const Shape shape, ShapeFromJson(outputs[static_cast<int>(i)]));
    if (!ShapeUtil::Compatible(shape, leaves[i].shape)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "output ", i, " is ", leaves[i].shape.ToString(), ", recorded is ", shape.ToString()));
    }
    XLA_ASSIGN_OR_RETURN(
        const SampleComparison comparison,
        Compare(LiteralSlice(*result, leaves[i].index), outputs[static_cast<int>(i)]));
    // Values round to the element type a few times; sums are carried in f32 at least.
    const double rounding = 8 * std::max(Epsilon(shape.element_type()), depth.coarsest);
    const double sums = Epsilon(primitive_util::IsFloatingPointType(shape.element_type()) &&
                                        primitive_util::BitWidth(shape.element_type()) == 64
                                    ? F64
                                    : F32) *
                        2 * std::sqrt(depth.longest_sum) * std::sqrt(1 + depth.sums);
    const double limit = (rounding + sums) * depth.trips;
    bool good;
    if (Epsilon(shape.element_type()) > 0) {
      good = comparison.worst <= limit && comparison.l1 <= limit;
    } else if (depth.coarsest > 0) {
      // Integers decided by comparing floats (a nearest centre, an escape time): a rounding may tip
      // one in fifty.
      good = comparison.wrong * 50 <= comparison.samples && comparison.l1 <= 1e-3;
    } else {
      good = comparison.wrong == 0 && comparison.l1 == 0;
    }
    if (comparison.worst >= outcome.worst) {
      outcome.worst = comparison.worst;
      outcome.limit = limit;
    }
    if (!good && outcome.passed) {
      outcome.passed = false;
      outcome.detail = absl::StrFormat(
          "output %d: worst sample off by %.3g of the largest element (index %d), sum off by %.3g, "
          "limit %.3g, "
          "%d of %d samples differ",
          i, comparison.worst, comparison.worst_index, comparison.l1, limit, comparison.wrong,
          comparison.samples);
    }
  }
  return outcome;
}

absl::StatusOr<int> Check(const Arguments& arguments) {
  XLA_ASSIGN_OR_RETURN(const int64_t threads, arguments.GetInt("--threads", 0, 0, 4096));
  const bool json = arguments.Has("--json");
  int64_t passed = 0, failed = 0;
  double total = 0;
  for (std::string folder : arguments.positional()) {
    while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
    const std::string name = folder.substr(folder.rfind('/') + 1);
    ProgressLine line(!json);
    auto outcome = CheckOne(folder, static_cast<int>(threads), &line);
    if (Interrupted()) return absl::CancelledError("interrupted");
    if (!outcome.ok()) {
      outcome = Outcome{.detail = std::string(outcome.status().message())};
    }
    ++(outcome->passed ? passed : failed);
    total += outcome->milliseconds;
    if (json) {
      std::printf(
          "{\"name\": \"%s\", \"passed\": %s, \"worst\": %.6g, \"run_ms\": %.3f, \"peak_bytes\": "
          "%lld}\n",
          name.c_str(), outcome->passed ? "true" : "false", outcome->worst, outcome->milliseconds,
          static_cast<long long>(outcome->peak_bytes));
    } else {
      std::printf("%s %-22s worst error %.2e (limit %.2e) %10.1f ms %9.1f MB%s%s\n",
                  outcome->passed ? "passed" : "FAILED", name.c_str(), outcome->worst,
                  outcome->limit, outcome->milliseconds,
                  static_cast<double>(outcome->peak_bytes) / 1e6,
                  outcome->detail.empty() ? "" : ": ", outcome->detail.c_str());
    }
    std::fflush(stdout);
  }
  if (!json) {
    std::printf("%lld passed, %lld failed in %.1f s\n", static_cast<long long>(passed),
                static_cast<long long>(failed), total / 1e3);
  }
  return failed == 0 ? kExitOk : kExitFailed;
}

}  // namespace

Command CheckCommand() {
  return {"check",
          "DIR...",
          "run program folders and compare with recorded results",
          "A folder holds program.hlo and golden.json: how arguments are drawn, and of each result "
          "the shape, l1, linf\n"
          "and some elements. The error is relative to the array's largest element; the limit "
          "follows from the\n"
          "element type, the longest sum and the number of sums in the program.",
          {{"--threads", "N", "threads to use; 0, the default: all"},
           {"--json", "", "a JSON line for each folder"}},
          1,
          INT64_MAX,
          Check};
}

}  // namespace xla
