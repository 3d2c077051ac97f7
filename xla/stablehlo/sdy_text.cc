// SPDX-License-Identifier: Apache-2.0
#include "xla/stablehlo/sdy_text.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla/base/string_view.h"

namespace xla::stablehlo {
namespace {

using mlir::AttributeRef;
using mlir::TextCursor;

constexpr int64_t kFirstLetters = 'z' - 'i' + 1;

}  // namespace

// --- Parts ---

// Adds to an error where it is.
bool ShardyReader::Within(bool ok, const char* parameter, const char* attribute) {
  if (!ok) cursor_.AddContext(absl::StrCat(", in '", parameter, "' of sdy.", attribute));
  return ok;
}

bool ShardyReader::Integer(int64_t* value) {
  const bool is_negative = cursor_.Consume('-');
  if (!cursor_.Digits(value)) return false;
  cursor_.SkipSpace();
  if (is_negative) *value = -*value;
  return true;
}

template <typename T>
bool ShardyReader::Element(std::string_view kind, Read<T> read, T* value) {
  if (!IsReference()) return (this->*read)(value);
  const size_t begin = cursor_.offset();
  const AttributeRef attribute = attributes_->ParseAttribute();
  if (attribute == nullptr) return false;
  const auto* dialect = attribute->As<mlir::DialectAttribute>();
  if (dialect == nullptr || !dialect->Is("sdy", kind)) {
    return cursor_.FailAt(begin, absl::StrCat("expected #sdy.", View(kind)));
  }
  TextCursor cursor(dialect->text, &attributes_->arena());
  ShardyReader reader(&cursor, nullptr);
  return (reader.*read)(value) || cursor_.FailAt(begin, cursor.message());
}

// One or more, separated by commas.
template <typename T>
bool ShardyReader::List(std::string_view kind, Read<T> read, std::vector<T>* values) {
  do {
    T value;
    if (!Element(kind, read, &value)) return false;
    values->push_back(std::move(value));
  } while (cursor_.Consume(','));
  return true;
}

// --- Meshes and axes ---

bool ShardyReader::ManualAxes(std::vector<std::string>* names) {
  if (!cursor_.Expect('{')) return false;
  if (cursor_.Consume('}')) return true;
  do {
    std::string_view name;
    if (!cursor_.String(&name)) return false;
    names->emplace_back(name);
  } while (cursor_.Consume(','));
  return cursor_.Expect('}');
}

bool ShardyReader::MeshAxis(std::pair<std::string, int64_t>* axis) {
  std::string_view name;
  if (!cursor_.String(&name) || !cursor_.Expect('=')) return false;
  const size_t begin = cursor_.offset();
  if (!Integer(&axis->second)) return false;
  axis->first = std::string(name);
  return axis->second > 0 ||
         cursor_.FailAt(begin, absl::StrCat("axis size must be at least 1, got: ", axis->second));
}

bool ShardyReader::Mesh(ShardyMesh* mesh) {
  const size_t begin = cursor_.offset();
  if (!cursor_.Expect('[')) return false;
  if (!cursor_.Consume(']')) {
    if (!Within(List("mesh_axis", &ShardyReader::MeshAxis, &mesh->axes) && cursor_.Expect(']'),
                "axes", "mesh")) {
      return false;
    }
  }
  if (cursor_.Consume(',')) {
    if (!cursor_.ExpectWord("device_ids") || !cursor_.Expect('=') || !cursor_.Expect('[')) {
      return false;
    }
    do {
      mesh->device_ids.push_back(0);
      if (!Within(Integer(&mesh->device_ids.back()), "device_ids", "mesh")) return false;
    } while (cursor_.Consume(','));
    if (!cursor_.Expect(']')) return false;
  }
  if (!CheckMesh(*mesh, begin)) return false;
  // 0, 1, 2, .. is how devices are ordered without a list.
  if (!mesh->axes.empty() && std::is_sorted(mesh->device_ids.begin(), mesh->device_ids.end())) {
    mesh->device_ids.clear();
  }
  return true;
}

bool ShardyReader::CheckMesh(const ShardyMesh& mesh, size_t begin) {
  const std::vector<int64_t>& ids = mesh.device_ids;
  for (const int64_t id : ids) {
    if (id < 0) {
      return cursor_.FailAt(begin, absl::StrCat("device id must be non-negative, got: ", id));
    }
  }
  if (mesh.axes.empty()) {
    return ids.size() < 2 ||
           cursor_.FailAt(begin, "axes is empty and device_ids has more than one element");
  }
  absl::flat_hash_set<std::string_view> names;
  int64_t product = 1;
  bool is_product = true;
  for (const auto& [name, size] : mesh.axes) {
    if (!names.insert(name).second) {
      std::string quoted;
      mlir::AppendQuoted(&quoted, name);
      return cursor_.FailAt(begin, absl::StrCat("duplicate axis name: ", quoted));
    }
    is_product = is_product && !__builtin_mul_overflow(product, size, &product);
  }
  if (!is_product) return cursor_.FailAt(begin, "the number of devices exceeds 64 bits");
  if (ids.empty()) return true;
  if (product != static_cast<int64_t>(ids.size())) {
    return cursor_.FailAt(
        begin, absl::StrCat("total product of axis sizes must match total number of device ids, "
                            "got: ",
                            product, " != ", ids.size()));
  }
  std::vector<int64_t> sorted = ids;
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (sorted[i] == static_cast<int64_t>(i)) continue;
    constexpr size_t kShown = 32;
    sorted.resize(std::min(sorted.size(), kShown));
    return cursor_.FailAt(begin,
                          absl::StrCat("sorted device ids must be iota(product(axes)), got: ",
                                       absl::StrJoin(sorted, ", ")));
  }
  return true;
}

// (1)2
bool ShardyReader::SubAxis(ShardyAxis* axis) {
  return cursor_.Expect('(') && Integer(&axis->pre_size) && cursor_.Expect(')') &&
         Integer(&axis->size);
}

bool ShardyReader::Axis(ShardyAxis* axis) {
  std::string_view name;
  if (!cursor_.Peek('"')) cursor_.FailExpected("string");
  if (!Within(cursor_.ok() && cursor_.String(&name), "name", "axis_ref")) return false;
  axis->name = std::string(name);
  if (!cursor_.Consume(':')) return true;
  const size_t begin = cursor_.offset();
  if (!SubAxis(axis)) return false;
  // A size of 0 would stand for the whole axis. What follows divides by both.
  const char* message = axis->pre_size < 1 ? "sub-axis pre-size must be at least 1: "
                        : axis->size < 1   ? "sub-axis sizes must be greater than 1: "
                                           : nullptr;
  if (message == nullptr) return true;
  std::string text(message);
  mlir::AppendQuoted(&text, name);
  absl::StrAppend(&text, ":(", axis->pre_size, ")", axis->size);
  return cursor_.FailAt(begin, std::move(text));
}

bool ShardyReader::AxisList(std::vector<ShardyAxis>* axes) {
  if (!cursor_.Expect('{')) return false;
  if (cursor_.Consume('}')) return true;
  return List("axis_ref", &ShardyReader::Axis, axes) && cursor_.Expect('}');
}

bool ShardyReader::AxisLists(std::vector<std::vector<ShardyAxis>>* lists) {
  if (!cursor_.Expect('[')) return false;
  if (cursor_.Consume(']')) return true;
  return List("axis_ref_list", &ShardyReader::AxisList, lists) && cursor_.Expect(']');
}

// --- Shardings ---

// {"x", ?}p1
bool ShardyReader::Dimension(ShardyDimension* dimension) {
  if (!cursor_.Expect('{')) return false;
  while (!cursor_.Consume('}')) {
    if (!dimension->axes.empty() && !cursor_.Expect(',')) return false;
    if (cursor_.Consume('?')) {
      dimension->is_closed = false;
      if (!cursor_.Expect('}')) return false;
      break;
    }
    ShardyAxis axis;
    if (!Element("axis_ref", &ShardyReader::Axis, &axis)) return false;
    dimension->axes.push_back(std::move(axis));
  }
  return ReadPriority(dimension);
}

bool ShardyReader::ReadPriority(ShardyDimension* dimension) {
  const std::string_view word = cursor_.PeekWord();
  if (word.empty()) return true;
  const std::string_view digits = word.substr(1);
  if (word[0] != 'p' || digits.empty() ||
      !std::all_of(digits.begin(), digits.end(), TextCursor::IsDigit)) {
    return cursor_.Fail(
        absl::StrCat("expecting priority in format 'p<number>', got: ", View(word)));
  }
  if (digits.size() > 1 && digits[0] == '0') {
    return cursor_.Fail(
        absl::StrCat("priorities with leading zeros are not allowed, got: ", View(word)));
  }
  int64_t priority = 0;
  for (const char c : digits) {
    if (__builtin_mul_overflow(priority, int64_t{10}, &priority) ||
        __builtin_add_overflow(priority, int64_t{c - '0'}, &priority)) {
      return cursor_.Fail(absl::StrCat("expecting integer priority, got: ", View(word)));
    }
  }
  cursor_.Word();
  dimension->priority = priority;
  return true;
}

// @mesh, mesh<["x"=2]>
bool ShardyReader::MeshOrName(ShardySharding* sharding) {
  if (!cursor_.ConsumeWord("mesh")) {
    std::string_view name;
    if (!cursor_.SymbolName(&name)) return false;
    sharding->mesh = std::string(name);
    return true;
  }
  sharding->inlined.emplace();
  if (IsReference()) return Element("mesh", &ShardyReader::Mesh, &*sharding->inlined);
  return cursor_.Expect('<') && Mesh(&*sharding->inlined) && cursor_.Expect('>');
}

// ={"x", "y"}; ={} too, which MLIR does not write
bool ShardyReader::NamedAxes(std::vector<ShardyAxis>* axes) {
  return cursor_.Expect('=') && AxisList(axes);
}

bool ShardyReader::Sharding(ShardySharding* sharding) {
  if (!Within(MeshOrName(sharding), "mesh_or_ref", "sharding")) return false;
  if (!cursor_.Expect(',') || !cursor_.Expect('[')) return false;
  if (!cursor_.Consume(']') &&
      !Within(List("dimension_sharding", &ShardyReader::Dimension, &sharding->dimensions) &&
                  cursor_.Expect(']'),
              "dim_shardings", "sharding")) {
    return false;
  }
  while (cursor_.Consume(',')) {
    if (sharding->replicated.empty() && cursor_.ConsumeWord("replicated")) {
      if (!Within(NamedAxes(&sharding->replicated), "replicated_axes", "sharding")) return false;
    } else if (sharding->unreduced.empty() && cursor_.ConsumeWord("unreduced")) {
      if (!Within(UnreducedAxes(sharding), "unreduced_axes", "sharding")) return false;
    } else {
      return cursor_.FailExpected("valid named axis list after comma");
    }
  }
  return true;
}

// ={..}; ={kind}{..} of later versions: sum, max or min
bool ShardyReader::UnreducedAxes(ShardySharding* sharding) {
  if (!cursor_.Expect('=')) return false;
  using Reduction = UnreducedKind;
  constexpr std::pair<std::string_view, Reduction> kKinds[] = {
      {"sum", Reduction::kSum}, {"max", Reduction::kMax}, {"min", Reduction::kMin}};
  for (const auto& [word, kind] : kKinds) {
    if (cursor_.ConsumeWord(word)) sharding->reduction = kind;
  }
  return AxisList(&sharding->unreduced);
}

bool ShardyReader::BracketedSharding(ShardySharding* sharding) {
  if (IsReference()) return Element("sharding", &ShardyReader::Sharding, sharding);
  return cursor_.Expect('<') && Sharding(sharding) && cursor_.Expect('>');
}

bool ShardyReader::Shardings(std::vector<ShardySharding>* shardings) {
  if (!cursor_.Expect('[')) return false;
  if (cursor_.Consume(']')) return true;
  do {
    shardings->emplace_back();
    if (!Within(BracketedSharding(&shardings->back()), "shardings", "sharding_per_value")) {
      return false;
    }
  } while (cursor_.Consume(','));
  return cursor_.Expect(']');
}

// --- Exchanges ---

bool ShardyReader::Exchange(ShardyExchange* exchange) {
  return cursor_.Expect('{') && List("axis_ref", &ShardyReader::Axis, &exchange->axes) &&
         cursor_.Expect('}') && cursor_.Expect(':') && Integer(&exchange->source) &&
         cursor_.ExpectText("->") && Integer(&exchange->target);
}

bool ShardyReader::Exchanges(std::vector<ShardyExchange>* exchanges) {
  if (!cursor_.Expect('[')) return false;
  if (cursor_.Consume(']')) return true;
  return List("all_to_all_param", &ShardyReader::Exchange, exchanges) && cursor_.Expect(']');
}

// --- Rules ---

// Takes the first factor off "ij" or "z_1z_2".
bool ShardyReader::TakeFactor(std::string_view* text, int64_t* factor) {
  if (text->substr(0, 2) != "z_") {
    const char symbol = text->front();
    if (symbol < 'i' || symbol > 'z') {
      return cursor_.Fail(absl::StrCat("expecting symbol from 'i' to 'z'. Received: '",
                                       std::string(1, symbol), "'"));
    }
    text->remove_prefix(1);
    *factor = symbol - 'i';
    return true;
  }
  size_t end = 2;
  while (end < text->size() && TextCursor::IsDigit((*text)[end])) ++end;
  const std::string_view digits = text->substr(2, end - 2);
  if (digits.empty()) {
    return cursor_.Fail(
        absl::StrCat("expecting integer after 'z_'. Received: '", View(*text), "'"));
  }
  if (digits[0] == '0') {
    return cursor_.Fail(absl::StrCat(
        "expecting positive integer without leading zeros. Received: '", View(digits), "'"));
  }
  int64_t number = 0;
  for (const char c : digits) {
    if (__builtin_mul_overflow(number, int64_t{10}, &number) ||
        __builtin_add_overflow(number, int64_t{c - '0'}, &number)) {
      return cursor_.Fail(
          absl::StrCat("expecting symbol index <=2^63-1. Received: '", View(digits), "'"));
    }
  }
  text->remove_prefix(end);
  // No rule has so many factors: beyond the range of numbers, any other one will do.
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  *factor = number > kMax - kFirstLetters ? kMax : number + kFirstLetters - 1;
  return true;
}

bool ShardyReader::DimensionMapping(ShardyRule::Dimension* dimension) {
  std::string_view factors = cursor_.PeekWord();
  while (!factors.empty()) {
    dimension->push_back(0);
    if (!TakeFactor(&factors, &dimension->back())) return false;
  }
  cursor_.Word();
  return true;
}

bool ShardyReader::TensorMapping(ShardyRule::Mapping* mapping) {
  if (!cursor_.Expect('[')) return false;
  if (cursor_.Consume(']')) return true;
  return Within(List("dim_mapping", &ShardyReader::DimensionMapping, mapping), "dim_mappings",
                "tensor_mapping") &&
         cursor_.Expect(']');
}

bool ShardyReader::Mappings(std::vector<ShardyRule::Mapping>* mappings, const char* parameter) {
  return cursor_.Expect('(') &&
         Within(List("tensor_mapping", &ShardyReader::TensorMapping, mappings), parameter,
                "op_sharding_rule") &&
         cursor_.Expect(')');
}

// {i=2, j=4}: all factors, in their order
bool ShardyReader::FactorSizes(std::vector<int64_t>* sizes) {
  if (!cursor_.Consume('{')) return true;
  if (cursor_.Consume('}')) return true;
  do {
    const size_t begin = cursor_.offset();
    std::string_view name = cursor_.PeekWord();
    if (name.empty()) return cursor_.FailExpected("a factor");
    int64_t factor;
    if (!TakeFactor(&name, &factor)) return false;
    const auto expected = static_cast<int64_t>(sizes->size());
    if (factor != expected) {
      return cursor_.FailAt(
          begin, absl::StrCat("expecting factor indices to be ordered like an iota ([0,1,2,...], "
                              "e.g. {i=#, j=#, ...}). Expecting factor index symbol '",
                              FactorName(expected), "', received: '", FactorName(factor), "'"));
    }
    if (!name.empty()) {
      return cursor_.Fail(absl::StrCat("expecting single factor symbol: ", View(name)));
    }
    cursor_.Word();
    sizes->push_back(0);
    if (!cursor_.Expect('=') || !Integer(&sizes->back())) return false;
  } while (cursor_.Consume(','));
  return cursor_.Expect('}');
}

// reduction={i, j}
bool ShardyReader::Factors(const char* keyword, std::vector<int64_t>* factors) {
  if (!cursor_.ConsumeWord(keyword)) return true;
  if (!cursor_.Expect('=')) return false;
  if (!cursor_.Consume('{') || cursor_.Consume('}')) return true;
  do {
    std::string_view name = cursor_.PeekWord();
    if (name.empty()) return cursor_.FailExpected("a factor");
    factors->push_back(0);
    if (!TakeFactor(&name, &factors->back())) return false;
    cursor_.Word();
  } while (cursor_.Consume(','));
  return cursor_.Expect('}');
}

bool ShardyReader::Rule(ShardyRule* rule) {
  if (!Mappings(&rule->operands, "operand_mappings") || !cursor_.ExpectText("->") ||
      !Mappings(&rule->results, "result_mappings") || !FactorSizes(&rule->sizes) ||
      !Factors("reduction", &rule->reduction) ||
      !Factors("need_replication", &rule->need_replication) ||
      !Factors("permutation", &rule->permutation) ||
      !Factors("blocked_propagation", &rule->blocked_propagation)) {
    return false;
  }
  rule->is_custom = cursor_.Consume(',');
  return !rule->is_custom || cursor_.ExpectWord("custom");
}

// --- Edges ---

bool ShardyReader::EdgeValue(ShardyEdgeValue* value) {
  value->is_result = cursor_.ConsumeWord("result");
  if (!value->is_result && !cursor_.ConsumeWord("operand")) {
    return cursor_.FailExpected("operand or result");
  }
  return cursor_.Expect('-') && Integer(&value->index);
}

bool ShardyReader::Edge(ShardyEdge* edge) {
  return cursor_.Expect('{') && Axis(&edge->axis) && cursor_.Expect('=') &&
         EdgeValue(&edge->source) && cursor_.ExpectText("->") && cursor_.Expect('[') &&
         List("edge_value_ref", &ShardyReader::EdgeValue, &edge->targets) && cursor_.Expect(']') &&
         cursor_.Expect('}');
}

bool ShardyReader::Step(ShardyStep* step) {
  return cursor_.Expect('{') && cursor_.ExpectWord("step") && cursor_.Expect('-') &&
         Integer(&step->index) && cursor_.Expect('=') && cursor_.Expect('[') &&
         List("axis_to_propagation_details", &ShardyReader::Edge, &step->edges) &&
         cursor_.Expect(']') && cursor_.Expect('}');
}

bool ShardyReader::Steps(std::vector<ShardyStep>* steps) {
  const size_t begin = cursor_.offset();
  return cursor_.Expect('[') && List("propagation_one_step", &ShardyReader::Step, steps) &&
         cursor_.Expect(']') && CheckSteps(*steps, begin);
}

bool ShardyReader::CheckSteps(const std::vector<ShardyStep>& steps, size_t begin) {
  const auto fail = [&](const auto&... parts) {
    return cursor_.FailAt(begin, absl::StrCat("propagation edges have ", parts...));
  };
  absl::flat_hash_set<int64_t> seen;
  for (const ShardyStep& step : steps) {
    if (step.index < 0) return fail("negative step index: ", step.index);
    if (!seen.insert(step.index).second) return fail("duplicate step index: ", step.index);
    for (const ShardyEdge& edge : step.edges) {
      absl::flat_hash_set<std::pair<bool, int64_t>> targets;
      for (const ShardyEdgeValue& target : edge.targets) {
        if (target == edge.source) return fail("a source that is the same as a target");
        if (!targets.emplace(target.is_result, target.index).second) {
          return fail("duplicate targets for step index: ", step.index,
                      " and axis: ", edge.axis.name);
        }
      }
    }
  }
  return true;
}

}  // namespace xla::stablehlo
