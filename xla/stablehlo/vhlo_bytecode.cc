// SPDX-License-Identifier: Apache-2.0
// The encoding of VHLO and CHLO in bytecode. Codes: StableHLO's VhloBytecode and ChloBytecode.
#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "xla/base/string_view.h"
#include "xla/mlir/dense_data.h"
#include "xla/stablehlo/vhlo.h"

namespace xla::stablehlo {
namespace {

using mlir::AttributeRef;
using mlir::BytecodeEntry;
using mlir::FloatKind;
using mlir::NamedAttribute;
using mlir::Signedness;
using mlir::TypeRef;

// --- Types ---

struct SimpleType {
  uint64_t code;
  bool is_float;
  FloatKind kind;
  uint32_t width;
  Signedness signedness;
};

constexpr SimpleType Float(uint64_t code, FloatKind kind) {
  return {code, true, kind, 0, Signedness::kSignless};
}
constexpr SimpleType Integer(uint64_t code, uint32_t width, Signedness signedness) {
  return {code, false, FloatKind::kF32, width, signedness};
}

constexpr SimpleType kSimpleTypes[] = {
    Integer(0, 1, Signedness::kSignless),
    Float(2, FloatKind::kBF16),
    Float(3, FloatKind::kF16),
    Float(4, FloatKind::kF32),
    Float(5, FloatKind::kF64),
    Float(6, FloatKind::kF8E4M3FN),
    Float(7, FloatKind::kF8E5M2),
    Integer(10, 4, Signedness::kSignless),
    Integer(11, 8, Signedness::kSignless),
    Integer(12, 16, Signedness::kSignless),
    Integer(13, 32, Signedness::kSignless),
    Integer(14, 64, Signedness::kSignless),
    Integer(15, 4, Signedness::kUnsigned),
    Integer(16, 8, Signedness::kUnsigned),
    Integer(17, 16, Signedness::kUnsigned),
    Integer(18, 32, Signedness::kUnsigned),
    Integer(19, 64, Signedness::kUnsigned),
    Float(27, FloatKind::kF8E4M3FNUZ),
    Float(28, FloatKind::kF8E5M2FNUZ),
    Float(29, FloatKind::kF8E4M3B11FNUZ),
    Integer(31, 2, Signedness::kSignless),
    Integer(32, 2, Signedness::kUnsigned),
    Float(34, FloatKind::kTF32),
    Float(35, FloatKind::kF8E4M3),
    Float(36, FloatKind::kF8E3M4),
    Float(37, FloatKind::kF4E2M1FN),
    Float(38, FloatKind::kF6E2M3FN),
    Float(39, FloatKind::kF6E3M2FN),
    Float(40, FloatKind::kF8E8M0FNU),
};

enum TypeCode : uint64_t {
  kComplexType = 1,
  kFunctionType = 8,
  kIndexType = 9,
  kRankedTensorType = 20,
  kRankedTensorTypeWithEncoding = 21,
  kTokenType = 22,
  kTupleType = 23,
  kQuantizedType = 24,
  kUnrankedTensorType = 25,
  kWitnessType = 26,
  kQuantizedPerAxisType = 30,
  kNoneType = 33,
  kBufferType = 41,
  kFutureType = 42,
};

bool ReadScale(BytecodeEntry& entry, std::vector<double>* scales) {
  AttributeRef value;
  if (!entry.FloatOf(entry.context().Float(FloatKind::kF64), &value)) return false;
  scales->push_back(value->As<mlir::FloatAttribute>()->value());
  return true;
}

TypeRef ReadQuantized(BytecodeEntry& entry, bool per_axis) {
  mlir::Type type;
  type.kind = mlir::TypeKind::kQuantized;
  mlir::QuantizedParameters parameters;
  std::vector<double> scales;
  std::vector<int64_t> zero_points;
  std::vector<int64_t> dimensions;
  uint64_t flags;
  if (!entry.VarInt(&flags) || !entry.Type(&type.storage) || !entry.Type(&type.element)) {
    return nullptr;
  }
  if (per_axis) {
    uint64_t dimension;
    uint64_t count;
    if (!entry.VarInt(&dimension) || !entry.SignedVarInt(&parameters.storage_min) ||
        !entry.SignedVarInt(&parameters.storage_max) || !entry.cursor().Count(&count)) {
      return nullptr;
    }
    dimensions.push_back(static_cast<int64_t>(dimension));
    for (uint64_t i = 0; i < count; ++i) {
      if (!ReadScale(entry, &scales)) return nullptr;
    }
    if (!entry.SignedVarInts(&zero_points)) return nullptr;
  } else {
    zero_points.push_back(0);
    if (!ReadScale(entry, &scales) || !entry.SignedVarInt(&zero_points[0]) ||
        !entry.SignedVarInt(&parameters.storage_min) ||
        !entry.SignedVarInt(&parameters.storage_max)) {
      return nullptr;
    }
  }
  if (flags % 2 == 0) type.signedness = Signedness::kUnsigned;
  parameters.scales = scales;
  parameters.zero_points = zero_points;
  parameters.dimensions = dimensions;
  if (const std::string error = mlir::CheckQuantized(type, parameters); !error.empty()) {
    entry.Fail(error);
    return nullptr;
  }
  type.storage = entry.context().Integer(type.storage->width);
  type.quantized = &parameters;
  return entry.context().Intern(type);
}

TypeRef ReadVhloType(BytecodeEntry& entry) {
  uint64_t code;
  if (!entry.VarInt(&code)) return nullptr;
  mlir::Context& context = entry.context();
  for (const SimpleType& simple : kSimpleTypes) {
    if (simple.code != code) continue;
    return simple.is_float ? context.Float(simple.kind)
                           : context.Integer(simple.width, simple.signedness);
  }
  std::vector<TypeRef> types;
  std::vector<int64_t> sizes;
  TypeRef element;
  switch (code) {
    case kComplexType:
      return entry.Type(&element) ? context.Complex(element) : nullptr;
    case kFunctionType: {
      std::vector<TypeRef> results;
      if (!entry.Types(&types) || !entry.Types(&results)) return nullptr;
      return context.Function(types, results);
    }
    case kIndexType:
      return context.Index();
    case kRankedTensorType:
    case kRankedTensorTypeWithEncoding: {
      AttributeRef encoding = nullptr;
      if (code == kRankedTensorTypeWithEncoding && !entry.Attribute(&encoding)) return nullptr;
      if (!entry.Sizes(&sizes) || !entry.Type(&element)) return nullptr;
      return context.RankedTensor(sizes, element, encoding);
    }
    case kTokenType:
      return context.Dialect("stablehlo", "token");
    case kTupleType:
      return entry.Types(&types) ? context.Tuple(types) : nullptr;
    case kQuantizedType:
      return ReadQuantized(entry, /*per_axis=*/false);
    case kQuantizedPerAxisType:
      return ReadQuantized(entry, /*per_axis=*/true);
    case kUnrankedTensorType:
      return entry.Type(&element) ? context.UnrankedTensor(element) : nullptr;
    case kWitnessType:
      return context.Dialect("shape", "witness");
    case kNoneType:
      return context.None();
    case kBufferType: {
      mlir::Type type;
      type.kind = mlir::TypeKind::kMemRef;
      if (!entry.Sizes(&sizes) || !entry.Type(&type.element)) return nullptr;
      type.sizes = sizes;
      return context.Intern(type);
    }
    case kFutureType:
      return entry.Types(&types) ? context.Dialect("stablehlo", "future", types) : nullptr;
    default:
      entry.Fail(absl::StrCat("VHLO type code ", code, " is not known"));
      return nullptr;
  }
}

// --- Attributes ---

struct EnumCode {
  uint64_t code;
  std::string_view name;
  absl::Span<const std::string_view> keywords;  // by value; empty where there is none
};

constexpr std::string_view kDirections[] = {"EQ", "NE", "GE", "GT", "LE", "LT"};
constexpr std::string_view kComparisons[] = {"NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"};
constexpr std::string_view kApiVersions[] = {
    "API_VERSION_UNSPECIFIED", "API_VERSION_ORIGINAL", "API_VERSION_STATUS_RETURNING",
    "API_VERSION_STATUS_RETURNING_UNIFIED", "API_VERSION_TYPED_FFI"};
constexpr std::string_view kFftTypes[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
constexpr std::string_view kPrecisions[] = {"DEFAULT", "HIGH", "HIGHEST"};
constexpr std::string_view kRngAlgorithms[] = {"DEFAULT", "THREE_FRY", "PHILOX"};
constexpr std::string_view kRngDistributions[] = {"", "UNIFORM", "NORMAL"};
constexpr std::string_view kTransposes[] = {"TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE",
                                            "ADJOINT"};
constexpr std::string_view kAccuracyModes[] = {"DEFAULT", "HIGHEST", "TOLERANCE"};

constexpr EnumCode kEnums[] = {
    {3, "comparison_direction", kDirections},
    {4, "comparison_type", kComparisons},
    {5, "custom_call_api_version", kApiVersions},
    {7, "fft_type", kFftTypes},
    {11, "precision", kPrecisions},
    {12, "rng_algorithm", kRngAlgorithms},
    {13, "rng_distribution", kRngDistributions},
    {16, "transpose", kTransposes},
    {19, "result_accuracy_mode", kAccuracyModes},
};

enum AttributeCode : uint64_t {
  kArray = 1,
  kBoolean = 2,
  kDictionary = 6,
  kFloat = 8,
  kInteger = 9,
  kOutputOperandAlias = 10,
  kString = 14,
  kTensor = 15,
  kTypeAttribute = 17,
  kTypeExtensions = 18,
  kResultAccuracy = 20,
  kSubAxisInfo = 21,
  kAxisRef = 22,
  kReplicaGroupMeshAxes = 23,
  kMeshAxis = 24,
  kMesh = 25,
};

AttributeRef ReadEnum(BytecodeEntry& entry, const EnumCode& description) {
  uint64_t value;
  if (!entry.VarInt(&value)) return nullptr;
  if (value >= description.keywords.size() || description.keywords[value].empty()) {
    entry.Fail(absl::StrCat(value, " is not a valid ", View(description.name)));
    return nullptr;
  }
  return entry.context().DialectOf("stablehlo", description.name,
                                   description.keywords[static_cast<size_t>(value)]);
}

AttributeRef ReadDictionary(BytecodeEntry& entry) {
  uint64_t count;
  if (!entry.cursor().Count(&count)) return nullptr;
  std::vector<NamedAttribute> entries(static_cast<size_t>(count));
  for (NamedAttribute& named : entries) {
    AttributeRef name;
    if (!entry.Attribute(&name) || !entry.Attribute(&named.value)) return nullptr;
    const auto* text = name->As<mlir::StringAttribute>();
    if (text == nullptr) {
      entry.Fail("expected a string");
      return nullptr;
    }
    named.name = text->value;
  }
  return entry.context().Dictionary(entries);
}

// A structured attribute with the given integers and attributes in turn.
class StructReader {
 public:
  explicit StructReader(BytecodeEntry& entry) : entry_(entry), context_(entry.context()) {}

  StructReader& Integer(std::string_view name) {
    int64_t value = 0;
    ok_ = ok_ && entry_.SignedVarInt(&value);
    return Add(name, context_.IntegerOf(context_.Integer(64), value));
  }
  StructReader& Integers(std::string_view name) {
    std::vector<int64_t> values;
    ok_ = ok_ && entry_.SignedVarInts(&values);
    return Add(name, context_.I64Array(values));
  }
  StructReader& Double(std::string_view name) {
    AttributeRef value = nullptr;
    ok_ = ok_ && entry_.FloatOf(context_.Float(FloatKind::kF64), &value);
    return Add(name, value);
  }
  StructReader& Attribute(std::string_view name) {
    AttributeRef value = nullptr;
    ok_ = ok_ && entry_.Attribute(&value);
    return Add(name, value);
  }
  StructReader& Optional(std::string_view name) {
    AttributeRef value = nullptr;
    ok_ = ok_ && entry_.OptionalAttribute(&value);
    return value == nullptr ? *this : Add(name, value);
  }
  // An attribute behind a number that tells whether it is there.
  StructReader& Counted(std::string_view name) {
    uint64_t is_present = 0;
    ok_ = ok_ && entry_.VarInt(&is_present);
    return is_present == 0 ? *this : Attribute(name);
  }
  // A list of attributes of StableHLO with the given name.
  StructReader& List(std::string_view name, std::string_view element_name) {
    Attribute(name);
    if (!ok_) return *this;
    const auto* list = parameters_.back().value->As<mlir::ArrayAttribute>();
    ok_ = list != nullptr && absl::c_all_of(list->elements, [&](const AttributeRef element) {
            const auto* structure = element->As<mlir::DialectAttribute>();
            return structure != nullptr && structure->name == element_name;
          });
    if (!ok_) entry_.Fail(absl::StrCat("expected a list of ", View(element_name)));
    return *this;
  }
  AttributeRef Finish(std::string_view name) {
    return ok_ ? context_.DialectOf("stablehlo", name, {}, parameters_) : nullptr;
  }

 private:
  StructReader& Add(std::string_view name, AttributeRef value) {
    parameters_.push_back({name, value});
    return *this;
  }

  BytecodeEntry& entry_;
  mlir::Context& context_;
  std::vector<NamedAttribute> parameters_;
  bool ok_ = true;
};

AttributeRef ReadVhloAttribute(BytecodeEntry& entry) {
  uint64_t code;
  if (!entry.VarInt(&code)) return nullptr;
  mlir::Context& context = entry.context();
  for (const EnumCode& description : kEnums) {
    if (description.code == code) return ReadEnum(entry, description);
  }
  TypeRef type;
  AttributeRef value;
  switch (code) {
    case kArray: {
      std::vector<AttributeRef> elements;
      return entry.Attributes(&elements) ? context.Array(elements) : nullptr;
    }
    case kBoolean: {
      uint64_t flag;
      if (!entry.VarInt(&flag)) return nullptr;
      if (flag > 1) {
        entry.Fail(absl::StrCat(flag, " is not a valid boolean"));
        return nullptr;
      }
      return context.Bool(flag == 1);
    }
    case kDictionary:
      return ReadDictionary(entry);
    case kFloat:
      return entry.Type(&type) && entry.FloatOf(type, &value) ? value : nullptr;
    case kInteger:
      return entry.Type(&type) && entry.IntegerOf(type, &value) ? value : nullptr;
    case kString: {
      std::string_view text;
      return entry.Text(&text) ? context.String(text) : nullptr;
    }
    case kTensor: {
      absl::Span<const char> bytes;
      std::string error;
      if (!entry.Type(&type) || !entry.Blob(&bytes)) return nullptr;
      const mlir::DenseAttribute* dense = mlir::MakeDense(type, bytes, &context, &error);
      if (dense == nullptr) entry.Fail(error);
      return dense;
    }
    case kTypeAttribute:
      return entry.Type(&type) ? context.TypeOf(type) : nullptr;
    case kOutputOperandAlias:
      return StructReader(entry)
          .Integers("output_tuple_indices")
          .Integer("operand_index")
          .Integers("operand_tuple_indices")
          .Finish("output_operand_alias");
    case kTypeExtensions:
      return StructReader(entry).Integers("bounds").Finish("type_extensions");
    case kResultAccuracy:
      return StructReader(entry)
          .Double("atol")
          .Double("rtol")
          .Integer("ulps")
          .Attribute("mode")
          .Finish("result_accuracy");
    case kSubAxisInfo:
      return StructReader(entry).Integer("pre_size").Integer("size").Finish("sub_axis_info");
    case kAxisRef:
      return StructReader(entry).Attribute("name").Counted("sub_axis_info").Finish("axis_ref");
    case kReplicaGroupMeshAxes:
      return StructReader(entry).Attribute("mesh").Attribute("axes").Finish(
          "replica_group_mesh_axes");
    case kMeshAxis:
      return StructReader(entry).Attribute("name").Integer("size").Finish("mesh_axis");
    case kMesh:
      return StructReader(entry).List("axes", "mesh_axis").Optional("device_ids").Finish("mesh");
    default:
      entry.Fail(absl::StrCat("VHLO attribute code ", code, " is not known"));
      return nullptr;
  }
}

// --- Operations ---

constexpr VhloOperation kOperations[] = {
#define VHLO_OP(name, first, last, attributes) {name, first, last, attributes},
#include "xla/stablehlo/vhlo_ops.def"
#undef VHLO_OP
};

bool ReadVhloProperties(std::string_view name, BytecodeEntry& entry,
                        std::vector<NamedAttribute>* attributes) {
  const VhloOperation* operation = FindVhloOperation(name);
  if (operation == nullptr) {
    return entry.Fail(absl::StrCat("vhlo.", View(name), " is not an operation of VHLO 1.20.0"));
  }
  return ReadListedProperties(operation->attributes, entry, attributes);
}

bool ReadVhloVersion(BytecodeEntry& entry) {
  uint64_t version[3];
  for (uint64_t& part : version) {
    if (!entry.VarInt(&part)) return false;
  }
  if (version[0] > 1 || (version[0] == 1 && version[1] > 20)) {
    return entry.Fail(absl::StrCat("VHLO ", version[0], ".", version[1], ".", version[2],
                                   " is newer than 1.20, the latest that is known"));
  }
  return true;
}

// --- CHLO ---

constexpr std::pair<std::string_view, std::string_view> kChloProperties[] = {
    {"broadcast_compare", "broadcast_dimensions? compare_type? comparison_direction"},
    {"constant", "value"},
    {"constant_like", "value"},
    {"ragged_dot", "precision_config? ragged_dot_dimension_numbers"},
    {"top_k", "k"},
};

bool ReadChloProperties(std::string_view name, BytecodeEntry& entry,
                        std::vector<NamedAttribute>* attributes) {
  if (name == "top_k") {
    // Since StableHLO 1.20 the optional is_stable comes first.
    mlir::BytecodeCursor probe = entry.cursor();
    uint64_t unused;
    if (!probe.VarInt(&unused)) return false;
    if (!probe.AtEnd()) return ReadListedProperties("is_stable? k", entry, attributes);
  }
  for (const auto& [known, names] : kChloProperties) {
    if (name == known) return ReadListedProperties(names, entry, attributes);
  }
  if (name.substr(0, 10) == "broadcast_") {
    return ReadListedProperties("broadcast_dimensions?", entry, attributes);
  }
  return true;
}

AttributeRef ReadChloAttribute(BytecodeEntry& entry) {
  uint64_t code;
  if (!entry.VarInt(&code)) return nullptr;
  if (code < 2) return ReadEnum(entry, kEnums[code]);
  entry.Fail(absl::StrCat("CHLO attribute code ", code, " is not known"));
  return nullptr;
}

// Operations of Shardy keep the tokens of StableHLO itself.
TypeRef ReadStableHloType(BytecodeEntry& entry) {
  uint64_t code;
  if (!entry.VarInt(&code)) return nullptr;
  if (code == 0) return entry.context().Dialect("stablehlo", "token");
  entry.Fail(absl::StrCat("stablehlo type code ", code, " is not known"));
  return nullptr;
}

}  // namespace

bool ReadListedProperties(std::string_view names, BytecodeEntry& entry,
                          std::vector<NamedAttribute>* attributes) {
  for (absl::string_view part : absl::StrSplit(View(names), ' ', absl::SkipEmpty())) {
    std::string_view name(part.data(), part.size());
    const bool is_optional = name.back() == '?';
    if (is_optional) name.remove_suffix(1);
    AttributeRef value;
    if (!(is_optional ? entry.OptionalAttribute(&value) : entry.Attribute(&value))) return false;
    if (value != nullptr) attributes->push_back({name, value});
  }
  return true;
}

std::optional<uint64_t> VhloCodeOf(const mlir::Type& type) {
  for (const SimpleType& simple : kSimpleTypes) {
    const bool matches =
        simple.is_float ? type.kind == mlir::TypeKind::kFloat && type.float_kind == simple.kind
                        : type.kind == mlir::TypeKind::kInteger && type.width == simple.width &&
                              type.signedness == simple.signedness;
    if (matches) return simple.code;
  }
  return std::nullopt;
}

std::optional<std::pair<uint64_t, uint64_t>> VhloEnumCode(const mlir::DialectAttribute& attribute) {
  for (const EnumCode& description : kEnums) {
    if (description.name != attribute.name) continue;
    for (size_t i = 0; i < description.keywords.size(); ++i) {
      if (!attribute.text.empty() && description.keywords[i] == attribute.text) {
        return std::make_pair(description.code, static_cast<uint64_t>(i));
      }
    }
  }
  return std::nullopt;
}

const VhloOperation* FindVhloOperation(std::string_view name) {
  static const auto* const table = [] {
    auto* all = new absl::flat_hash_map<std::string_view, const VhloOperation*>();
    for (const VhloOperation& operation : kOperations) all->emplace(operation.name, &operation);
    return all;
  }();
  const auto found = table->find(name);
  return found == table->end() ? nullptr : found->second;
}

absl::Span<const mlir::DialectBytecode> BytecodeEncodings() {
  static const mlir::DialectBytecode encodings[] = {
      {"vhlo", ReadVhloAttribute, ReadVhloType, ReadVhloProperties, ReadVhloVersion},
      {"stablehlo", nullptr, ReadStableHloType, nullptr, nullptr},
      {"chlo", ReadChloAttribute, nullptr, ReadChloProperties, nullptr},
      ShardyBytecode()};
  return encodings;
}

}  // namespace xla::stablehlo
