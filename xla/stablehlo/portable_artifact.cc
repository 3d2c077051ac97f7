// SPDX-License-Identifier: Apache-2.0
#include "xla/stablehlo/portable_artifact.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/base/string_view.h"
#include "xla/mlir/bytecode_emitter.h"
#include "xla/stablehlo/artifact_tables.h"

namespace xla::stablehlo {
namespace {

using mlir::AttributeKind;
using mlir::AttributeRef;
using mlir::BytecodeEmitter;
using mlir::LocationAttribute;
using mlir::NamedAttribute;
using mlir::Operation;
using mlir::TypeKind;
using mlir::TypeRef;

constexpr uint64_t kContainerVersion = 6;

// Sections of the container, and what an operation has.
enum ArtifactSection : uint8_t {
  kStringSection = 0,
  kDialectSection = 1,
  kEntrySection = 2,
  kOffsetSection = 3,
  kProgramSection = 4,
  kResourceSection = 5,
  kResourceOffsetSection = 6,
  kPropertySection = 8,
};
enum ArtifactMask : uint8_t {
  kHasAttributes = 1,
  kHasResults = 2,
  kHasOperands = 4,
  kHasRegions = 16,
  kHasProperties = 64,
};

class ArtifactWriter {
 public:
  ArtifactWriter(mlir::Source* source, const Version& version)
      : source_(*source), version_(version) {}

  absl::StatusOr<std::string> Write() {
    BytecodeEmitter program;
    program.VarIntWithFlag(1, /*flag=*/false);
    XLA_RETURN_IF_ERROR(WriteOperation(*source_.module, &program));
    BytecodeEmitter dialects;
    WriteDialects(&dialects);
    BytecodeEmitter offsets, entries;
    offsets.VarInt(attributes_.size());
    offsets.VarInt(types_.size());
    attributes_.Write(&offsets, &entries);
    types_.Write(&offsets, &entries);
    BytecodeEmitter properties;
    properties.VarInt(properties_.texts().size());
    for (const std::string& entry : properties_.texts()) properties.Blob(entry);
    BytecodeEmitter resource_offsets;
    resource_offsets.VarInt(0);

    BytecodeEmitter out;
    out.Append("ML\xefR");
    out.VarInt(kContainerVersion);
    out.Append(absl::StrCat("StableHLO_v", version_.major, ".", version_.minor, ".", version_.patch,
                            std::string(1, '\0')));
    out.Section(kDialectSection, dialects.bytes());
    out.Section(kOffsetSection, offsets.bytes());
    out.Section(kEntrySection, entries.bytes());
    out.Section(kProgramSection, program.bytes());
    out.Section(kResourceOffsetSection, resource_offsets.bytes());
    out.Section(kResourceSection, "");
    out.Section(kStringSection, Strings());
    out.Section(kPropertySection, properties.bytes());
    return out.Release();
  }

 private:
  // --- Tables ---

  std::string Strings() {
    BytecodeEmitter out;
    const auto& texts = strings_.texts();
    out.VarInt(texts.size());
    for (size_t i = texts.size(); i-- > 0;) out.VarInt(texts[i].size() + 1);
    for (const std::string& text : texts) {
      out.Append(text);
      out.Byte(0);
    }
    return out.Release();
  }

  void WriteDialects(BytecodeEmitter* out) {
    out->VarInt(2);
    out->VarIntWithFlag(strings_.Add("builtin"), /*flag=*/false);
    out->VarIntWithFlag(strings_.Add("vhlo"), /*flag=*/false);
    const auto& names = names_.texts();
    out->VarInt(names.size());
    for (size_t i = 0; i < names.size();) {
      size_t end = i;
      while (end < names.size() && names[end][0] == names[i][0]) ++end;
      out->VarInt(static_cast<uint8_t>(names[i][0]));
      out->VarInt(end - i);
      for (; i < end; ++i) {
        out->VarIntWithFlag(strings_.Add(std::string_view(names[i]).substr(1)), /*flag=*/true);
      }
    }
  }

  // --- Types ---

  absl::StatusOr<uint64_t> Type(EntryDialect dialect, TypeRef type) {
    const auto key = std::make_pair(type, dialect);
    const auto known = type_numbers_.find(key);
    if (known != type_numbers_.end()) return known->second;
    BytecodeEmitter bytes;
    XLA_RETURN_IF_ERROR(dialect == EntryDialect::kVhlo ? VhloType(type, &bytes)
                                                       : BuiltinType(type, &bytes));
    const uint64_t number = types_.Add(dialect, bytes.bytes());
    type_numbers_.emplace(key, number);
    return number;
  }

  absl::Status TypeList(absl::Span<const TypeRef> types, BytecodeEmitter* out) {
    out->VarInt(types.size());
    for (const TypeRef type : types) {
      XLA_ASSIGN_OR_RETURN(const uint64_t number, Type(EntryDialect::kVhlo, type));
      out->VarInt(number);
    }
    return absl::OkStatus();
  }

  // Only those that attributes of the module have.
  absl::Status BuiltinType(TypeRef type, BytecodeEmitter* out) {
    if (type->kind == TypeKind::kInteger) {
      out->VarInt(0);
      out->VarInt(uint64_t{type->width} << 2 | static_cast<uint64_t>(type->signedness));
      return absl::OkStatus();
    }
    if (type->kind == TypeKind::kIndex) {
      out->VarInt(1);
      return absl::OkStatus();
    }
    if (type->kind == TypeKind::kFloat) {
      static constexpr std::pair<mlir::FloatKind, uint64_t> kCodes[] = {{mlir::FloatKind::kBF16, 3},
                                                                        {mlir::FloatKind::kF16, 4},
                                                                        {mlir::FloatKind::kF32, 5},
                                                                        {mlir::FloatKind::kF64, 6}};
      for (const auto& [kind, code] : kCodes) {
        if (kind != type->float_kind) continue;
        out->VarInt(code);
        return absl::OkStatus();
      }
    }
    return absl::UnimplementedError(
        absl::StrCat("the type ", mlir::ToString(type), " of an attribute of the module"));
  }

  absl::Status Quantized(const mlir::Type& type, BytecodeEmitter* out) {
    const mlir::QuantizedParameters& parameters = *type.quantized;
    const bool per_axis = !parameters.dimensions.empty();
    if (parameters.dimensions.size() > 1 || !parameters.block_sizes.empty()) {
      return absl::UnimplementedError("types that are quantized in blocks have no VHLO");
    }
    out->VarInt(per_axis ? 30 : 24);
    out->VarInt(type.signedness == mlir::Signedness::kUnsigned ? 0 : 1);
    XLA_ASSIGN_OR_RETURN(const uint64_t storage, Type(EntryDialect::kVhlo, type.storage));
    XLA_ASSIGN_OR_RETURN(const uint64_t element, Type(EntryDialect::kVhlo, type.element));
    out->VarInt(storage);
    out->VarInt(element);
    const auto scale = [&](double value) {
      const mlir::FloatBits bits = mlir::EncodeFloat(mlir::FloatKind::kF64, value);
      out->Bits(64, bits.data());
    };
    std::vector<int64_t> zeros(parameters.zero_points.begin(), parameters.zero_points.end());
    zeros.resize(parameters.scales.size(), 0);
    if (per_axis) {
      out->VarInt(static_cast<uint64_t>(parameters.dimensions[0]));
      out->SignedVarInt(parameters.storage_min);
      out->SignedVarInt(parameters.storage_max);
      out->VarInt(parameters.scales.size());
      for (const double value : parameters.scales) scale(value);
      out->SignedVarInts(zeros);
    } else {
      scale(parameters.scales[0]);
      out->SignedVarInt(zeros[0]);
      out->SignedVarInt(parameters.storage_min);
      out->SignedVarInt(parameters.storage_max);
    }
    return absl::OkStatus();
  }

  absl::Status VhloType(TypeRef type, BytecodeEmitter* out) {
    const auto with_element = [&](uint64_t code, TypeRef element) -> absl::Status {
      XLA_ASSIGN_OR_RETURN(const uint64_t number, Type(EntryDialect::kVhlo, element));
      out->VarInt(code);
      out->VarInt(number);
      return absl::OkStatus();
    };
    if (const auto code = VhloCodeOf(*type)) {
      out->VarInt(*code);
      return absl::OkStatus();
    }
    switch (type->kind) {
      case TypeKind::kComplex:
        return with_element(1, type->element);
      case TypeKind::kFunction:
        out->VarInt(8);
        XLA_RETURN_IF_ERROR(TypeList(type->types, out));
        return TypeList(type->results, out);
      case TypeKind::kIndex:
        out->VarInt(9);
        return absl::OkStatus();
      case TypeKind::kRankedTensor: {
        XLA_ASSIGN_OR_RETURN(const uint64_t element, Type(EntryDialect::kVhlo, type->element));
        if (type->encoding != nullptr) {
          XLA_ASSIGN_OR_RETURN(const uint64_t encoding,
                               Attribute(EntryDialect::kVhlo, type->encoding));
          out->VarInt(21);
          out->VarInt(encoding);
        } else {
          out->VarInt(20);
        }
        out->SignedVarInts(type->sizes);
        out->VarInt(element);
        return absl::OkStatus();
      }
      case TypeKind::kTuple:
        out->VarInt(23);
        return TypeList(type->types, out);
      case TypeKind::kQuantized:
        return Quantized(*type, out);
      case TypeKind::kUnrankedTensor:
        return with_element(25, type->element);
      case TypeKind::kNone:
        out->VarInt(33);
        return absl::OkStatus();
      case TypeKind::kMemRef: {
        XLA_ASSIGN_OR_RETURN(const uint64_t element, Type(EntryDialect::kVhlo, type->element));
        out->VarInt(41);
        out->SignedVarInts(type->sizes);
        out->VarInt(element);
        return absl::OkStatus();
      }
      case TypeKind::kDialect:
        if (type->IsDialect("stablehlo", "token")) {
          out->VarInt(22);
          return absl::OkStatus();
        }
        if (type->IsDialect("stablehlo", "future")) {
          out->VarInt(42);
          return TypeList(type->types, out);
        }
        break;
      default:
        break;
    }
    return absl::InvalidArgumentError(
        absl::StrCat("the type ", mlir::ToString(type), " has no VHLO"));
  }

  // --- Attributes ---

  absl::StatusOr<uint64_t> Attribute(EntryDialect dialect, AttributeRef attribute) {
    const auto key = std::make_pair(attribute, dialect);
    const auto known = attribute_numbers_.find(key);
    if (known != attribute_numbers_.end()) return known->second;
    if (++depth_ > mlir::kMaxNesting) {
      return absl::InvalidArgumentError("an attribute is nested too deep");
    }
    BytecodeEmitter bytes;
    const absl::Status status = dialect == EntryDialect::kVhlo
                                    ? VhloAttribute(attribute, &bytes)
                                    : BuiltinAttribute(attribute, &bytes);
    --depth_;
    XLA_RETURN_IF_ERROR(status);
    const uint64_t number = attributes_.Add(dialect, bytes.bytes());
    attribute_numbers_.emplace(key, number);
    return number;
  }

  absl::Status Reference(EntryDialect dialect, AttributeRef attribute, BytecodeEmitter* out) {
    XLA_ASSIGN_OR_RETURN(const uint64_t number, Attribute(dialect, attribute));
    out->VarInt(number);
    return absl::OkStatus();
  }

  absl::Status References(EntryDialect dialect, absl::Span<const AttributeRef> attributes,
                          BytecodeEmitter* out) {
    out->VarInt(attributes.size());
    for (const AttributeRef attribute : attributes) {
      XLA_RETURN_IF_ERROR(Reference(dialect, attribute, out));
    }
    return absl::OkStatus();
  }

  uint64_t BuiltinText(std::string_view text) {
    BytecodeEmitter bytes;
    bytes.VarInt(2);
    bytes.VarInt(strings_.Add(text));
    return attributes_.Add(EntryDialect::kBuiltin, bytes.bytes());
  }
  uint64_t VhloText(std::string_view text) {
    BytecodeEmitter bytes;
    bytes.VarInt(14);
    bytes.VarInt(strings_.Add(text));
    return attributes_.Add(EntryDialect::kVhlo, bytes.bytes());
  }

  // The dictionary of an operation: builtin, its values of the operation's dialect.
  absl::StatusOr<uint64_t> AttributesOf(EntryDialect dialect,
                                        absl::Span<const NamedAttribute> entries) {
    std::vector<NamedAttribute> sorted(entries.begin(), entries.end());
    std::sort(sorted.begin(), sorted.end(),
              [](const NamedAttribute& a, const NamedAttribute& b) { return a.name < b.name; });
    BytecodeEmitter bytes;
    bytes.VarInt(1);
    bytes.VarInt(sorted.size());
    for (const NamedAttribute& entry : sorted) {
      bytes.VarInt(BuiltinText(entry.name));
      XLA_RETURN_IF_ERROR(Reference(dialect, entry.value, &bytes));
    }
    return attributes_.Add(EntryDialect::kBuiltin, bytes.bytes());
  }

  absl::Status NumberBits(TypeRef type, EntryDialect dialect, uint64_t code, const uint64_t* words,
                          int width, BytecodeEmitter* out) {
    XLA_ASSIGN_OR_RETURN(const uint64_t number, Type(dialect, type));
    out->VarInt(code);
    out->VarInt(number);
    // Integers are written without the extension of their sign.
    uint64_t word = words[0];
    if (width < 64) word &= (uint64_t{1} << width) - 1;
    if (width > 8 && width < 64) {
      const auto shift = static_cast<unsigned>(64 - width);
      word = static_cast<uint64_t>(static_cast<int64_t>(word << shift) >> shift);
    }
    if (width <= 64) {
      out->Bits(width, &word);
    } else {
      out->Bits(width, words);
    }
    return absl::OkStatus();
  }

  absl::Status Integer(const mlir::IntegerAttribute& integer, EntryDialect dialect, uint64_t code,
                       BytecodeEmitter* out) {
    const int width =
        integer.type->kind == TypeKind::kIndex ? 64 : static_cast<int>(integer.type->width);
    const uint64_t word = static_cast<uint64_t>(integer.value);
    return NumberBits(integer.type, dialect, code,
                      integer.words.empty() ? &word : integer.words.data(), width, out);
  }
  absl::Status Float(const mlir::FloatAttribute& number, EntryDialect dialect, uint64_t code,
                     BytecodeEmitter* out) {
    return NumberBits(number.type, dialect, code, number.bits.data(),
                      mlir::GetFloatFormat(number.type->float_kind).width, out);
  }

  absl::Status BuiltinAttribute(AttributeRef attribute, BytecodeEmitter* out) {
    switch (attribute->kind) {
      case AttributeKind::kArray:
        out->VarInt(0);
        return References(EntryDialect::kBuiltin, attribute->As<mlir::ArrayAttribute>()->elements,
                          out);
      case AttributeKind::kDictionary: {
        const auto& entries = attribute->As<mlir::DictionaryAttribute>()->entries;
        out->VarInt(1);
        out->VarInt(entries.size());
        for (const NamedAttribute& entry : entries) {
          out->VarInt(BuiltinText(entry.name));
          XLA_RETURN_IF_ERROR(Reference(EntryDialect::kBuiltin, entry.value, out));
        }
        return absl::OkStatus();
      }
      case AttributeKind::kString:
        out->VarInt(2);
        out->VarInt(strings_.Add(attribute->As<mlir::StringAttribute>()->value));
        return absl::OkStatus();
      case AttributeKind::kUnit:
        out->VarInt(7);
        return absl::OkStatus();
      case AttributeKind::kInteger:
        return Integer(*attribute->As<mlir::IntegerAttribute>(), EntryDialect::kBuiltin, 8, out);
      case AttributeKind::kFloat:
        return Float(*attribute->As<mlir::FloatAttribute>(), EntryDialect::kBuiltin, 9, out);
      case AttributeKind::kLocation:
        return Location(*attribute->As<LocationAttribute>(), out);
      default:
        return absl::UnimplementedError(absl::StrCat(
            "the attribute ", mlir::ToString(attribute).substr(0, 100), " of the module"));
    }
  }

  absl::Status Location(const LocationAttribute& location, BytecodeEmitter* out) {
    using Form = LocationAttribute::Form;
    const auto child = [&](size_t i) {
      return i < location.children.size() ? location.children[i] : &unknown_location_;
    };
    switch (location.form) {
      case Form::kUnknown:
        out->VarInt(15);
        return absl::OkStatus();
      case Form::kFile: {
        const uint64_t name = BuiltinText(location.text);
        const auto number = [out](int64_t value) {
          out->VarInt(static_cast<uint64_t>(std::max<int64_t>(value, 0)));
        };
        // Readers of earlier versions have no ranges: they get where one begins.
        const bool is_range = location.is_range() && version_ >= Version{1, 9, 0};
        const bool is_line = location.end_line == location.line;
        out->VarInt(is_range ? 22 : 11);
        out->VarInt(name);
        if (is_range) out->VarInt(is_line ? 3 : 4);
        number(location.line);
        number(location.column);
        if (is_range && !is_line) number(location.end_line);
        if (is_range) number(location.end_column);
        return absl::OkStatus();
      }
      case Form::kName: {
        const uint64_t name = BuiltinText(location.text);
        XLA_ASSIGN_OR_RETURN(const uint64_t number, Attribute(EntryDialect::kBuiltin, child(0)));
        out->VarInt(14);
        out->VarInt(name);
        out->VarInt(number);
        return absl::OkStatus();
      }
      case Form::kCallSite: {
        XLA_ASSIGN_OR_RETURN(const uint64_t callee, Attribute(EntryDialect::kBuiltin, child(0)));
        XLA_ASSIGN_OR_RETURN(const uint64_t caller, Attribute(EntryDialect::kBuiltin, child(1)));
        out->VarInt(10);
        out->VarInt(callee);
        out->VarInt(caller);
        return absl::OkStatus();
      }
      case Form::kFused:
        // Metadata is of any dialect: it is left away.
        out->VarInt(12);
        return References(EntryDialect::kBuiltin, location.children, out);
      case Form::kAlias:
        return Location(*child(0)->As<LocationAttribute>(), out);
    }
    return absl::OkStatus();
  }

  absl::Status VhloAttribute(AttributeRef attribute, BytecodeEmitter* out) {
    switch (attribute->kind) {
      case AttributeKind::kUnit:
        return VhloAttribute(source_.context.Bool(true), out);
      case AttributeKind::kArray:
        out->VarInt(1);
        return References(EntryDialect::kVhlo, attribute->As<mlir::ArrayAttribute>()->elements,
                          out);
      case AttributeKind::kDictionary: {
        const auto& entries = attribute->As<mlir::DictionaryAttribute>()->entries;
        out->VarInt(6);
        out->VarInt(entries.size());
        for (const NamedAttribute& entry : entries) {
          out->VarInt(VhloText(entry.name));
          XLA_RETURN_IF_ERROR(Reference(EntryDialect::kVhlo, entry.value, out));
        }
        return absl::OkStatus();
      }
      case AttributeKind::kString:
        out->VarInt(14);
        out->VarInt(strings_.Add(attribute->As<mlir::StringAttribute>()->value));
        return absl::OkStatus();
      case AttributeKind::kSymbolRef:
        out->VarInt(14);
        out->VarInt(strings_.Add(attribute->As<mlir::SymbolRefAttribute>()->root));
        return absl::OkStatus();
      case AttributeKind::kInteger: {
        const auto& integer = *attribute->As<mlir::IntegerAttribute>();
        if (!integer.IsBool()) return Integer(integer, EntryDialect::kVhlo, 9, out);
        out->VarInt(2);
        out->VarInt(integer.value != 0 ? 1 : 0);
        return absl::OkStatus();
      }
      case AttributeKind::kFloat:
        return Float(*attribute->As<mlir::FloatAttribute>(), EntryDialect::kVhlo, 8, out);
      case AttributeKind::kType: {
        XLA_ASSIGN_OR_RETURN(const uint64_t type,
                             Type(EntryDialect::kVhlo, attribute->As<mlir::TypeAttribute>()->type));
        out->VarInt(17);
        out->VarInt(type);
        return absl::OkStatus();
      }
      case AttributeKind::kDense:
        return Dense(*attribute->As<mlir::DenseAttribute>(), out);
      case AttributeKind::kDenseArray: {
        const auto& list = *attribute->As<mlir::DenseArrayAttribute>();
        const int64_t sizes[] = {list.count};
        return Dense(*source_.context.arena().New<mlir::DenseAttribute>(
                         mlir::Attribute{AttributeKind::kDense}, list.count == 1,
                         source_.context.RankedTensor(sizes, list.element), list.data),
                     out);
      }
      case AttributeKind::kDialect:
        return Structure(*attribute->As<mlir::DialectAttribute>(), out);
      default:
        return absl::InvalidArgumentError(absl::StrCat(
            "the attribute ", mlir::ToString(attribute).substr(0, 100), " has no VHLO"));
    }
  }

  // Elements of less than a byte are bytes without extension; booleans are packed, a splat of them
  // is a byte of ones or zeros.
  absl::Status Dense(const mlir::DenseAttribute& dense, BytecodeEmitter* out) {
    XLA_ASSIGN_OR_RETURN(const uint64_t type, Type(EntryDialect::kVhlo, dense.type));
    const mlir::Type& element = *dense.type->element;
    std::string data(dense.data.data(), dense.data.size());
    if (element.IsInteger(1)) {
      std::string packed((data.size() + 7) / 8, '\0');
      for (size_t i = 0; i < data.size(); ++i) {
        if (data[i] != 0) packed[i / 8] = static_cast<char>(packed[i / 8] | 1 << (i % 8));
      }
      if (dense.is_splat && !data.empty()) packed.assign(1, data[0] != 0 ? '\xff' : '\0');
      data = std::move(packed);
    } else if (element.kind == TypeKind::kInteger && element.width < 8) {
      for (char& c : data) c = static_cast<char>(c & ((1 << element.width) - 1));
    }
    out->VarInt(15);
    out->VarInt(type);
    out->Blob(data);
    return absl::OkStatus();
  }

  absl::Status Structure(const mlir::DialectAttribute& attribute, BytecodeEmitter* out) {
    if (const auto code = VhloEnumCode(attribute)) {
      out->VarInt(code->first);
      out->VarInt(code->second);
      return absl::OkStatus();
    }
    const auto find = [&](std::string_view name) {
      return mlir::FindAttribute(attribute.parameters, name);
    };
    const auto integer = [&](std::string_view name) {
      const AttributeRef value = find(name);
      const auto* number = value == nullptr ? nullptr : value->As<mlir::IntegerAttribute>();
      out->SignedVarInt(number == nullptr ? 0 : number->value);
    };
    const auto integers = [&](std::string_view name) {
      const AttributeRef value = find(name);
      const auto* list = value == nullptr ? nullptr : value->As<mlir::DenseArrayAttribute>();
      std::vector<int64_t> values;
      for (int64_t i = 0; list != nullptr && i < list->count; ++i) {
        values.push_back(mlir::DenseInteger(*list->element, list->data, i));
      }
      out->SignedVarInts(values);
    };
    if (attribute.name == "type_extensions" || attribute.name == "bounds") {
      out->VarInt(18);
      integers("bounds");
      return absl::OkStatus();
    }
    if (attribute.name == "output_operand_alias") {
      out->VarInt(10);
      integers("output_tuple_indices");
      integer("operand_index");
      integers("operand_tuple_indices");
      return absl::OkStatus();
    }
    if (attribute.name == "result_accuracy") {
      AttributeRef mode = find("mode");
      if (mode == nullptr) {
        mode = source_.context.DialectOf("stablehlo", "result_accuracy_mode", "DEFAULT");
      }
      XLA_ASSIGN_OR_RETURN(const uint64_t number, Attribute(EntryDialect::kVhlo, mode));
      out->VarInt(20);
      for (const char* name : {"atol", "rtol"}) {
        const AttributeRef value = find(name);
        const auto* real = value == nullptr ? nullptr : value->As<mlir::FloatAttribute>();
        const mlir::FloatBits bits =
            mlir::EncodeFloat(mlir::FloatKind::kF64, real == nullptr ? 0 : real->value());
        out->Bits(64, bits.data());
      }
      integer("ulps");
      out->VarInt(number);
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(
        absl::StrCat("the attribute ", mlir::ToString(&attribute).substr(0, 100), " has no VHLO"));
  }

  // --- Operations ---

  absl::Status WriteOperation(const Operation& operation, BytecodeEmitter* out) {
    if (depth_ > mlir::kMaxNesting) {
      return absl::InvalidArgumentError("regions are nested too deep");
    }
    const bool is_module = operation.Is("builtin.module");
    const EntryDialect dialect = is_module ? EntryDialect::kBuiltin : EntryDialect::kVhlo;
    BytecodeEmitter properties;
    std::vector<NamedAttribute> discardable;
    std::string name(1, static_cast<char>(dialect));
    if (is_module) {
      absl::StrAppend(&name, "module");
      XLA_RETURN_IF_ERROR(ModuleAttributes(operation, &properties, &discardable));
    } else {
      XLA_ASSIGN_OR_RETURN(VhloForm form, DowngradeToVhlo(operation, version_, &source_.context));
      absl::StrAppend(&name, View(form.operation->name));
      for (const AttributeRef property : form.properties) {
        XLA_RETURN_IF_ERROR(Reference(EntryDialect::kVhlo, property, &properties));
      }
      discardable = std::move(form.discardable);
    }
    out->VarInt(names_.Add(name));
    const size_t mask_at = out->size();
    uint8_t mask = 0;
    out->Byte(0);
    XLA_RETURN_IF_ERROR(
        Reference(EntryDialect::kBuiltin,
                  operation.location == nullptr ? &unknown_location_ : operation.location, out));
    if (!discardable.empty()) {
      mask |= kHasAttributes;
      XLA_ASSIGN_OR_RETURN(const uint64_t number, AttributesOf(dialect, discardable));
      out->VarInt(number);
    }
    if (properties.size() > 0) {
      mask |= kHasProperties;
      out->VarInt(properties_.Add(properties.bytes()));
    }
    if (!operation.results.empty()) {
      mask |= kHasResults;
      out->VarInt(operation.results.size());
      for (const mlir::Value& result : operation.results) {
        XLA_ASSIGN_OR_RETURN(const uint64_t type, Type(EntryDialect::kVhlo, result.type));
        out->VarInt(type);
      }
    }
    if (!operation.operands.empty()) {
      mask |= kHasOperands;
      out->VarInt(operation.operands.size());
      for (const mlir::Value* operand : operation.operands) {
        const auto number = values_.find(operand);
        if (number == values_.end()) {
          return absl::InvalidArgumentError(absl::StrCat(
              View(operation.name->text), ": an operand is used before its definition"));
        }
        out->VarInt(number->second);
      }
    }
    for (const mlir::Value& result : operation.results) values_[&result] = next_value_++;
    if (!operation.regions.empty()) mask |= kHasRegions;
    out->SetByte(mask_at, mask);
    return operation.regions.empty() ? absl::OkStatus() : WriteRegions(operation, out);
  }

  absl::Status ModuleAttributes(const Operation& module, BytecodeEmitter* properties,
                                std::vector<NamedAttribute>* discardable) {
    for (const char* name : {"sym_name", "sym_visibility"}) {
      const AttributeRef value = module.Find(name);
      if (value == nullptr) {
        properties->VarInt(0);
        continue;
      }
      XLA_ASSIGN_OR_RETURN(const uint64_t number, Attribute(EntryDialect::kBuiltin, value));
      properties->VarIntWithFlag(number, /*flag=*/true);
    }
    for (const NamedAttribute& attribute : module.attributes) {
      if (attribute.name == "sym_name" || attribute.name == "sym_visibility") continue;
      discardable->push_back(attribute);
    }
    return absl::OkStatus();
  }

  absl::Status WriteRegions(const Operation& operation, BytecodeEmitter* out) {
    const bool is_isolated = operation.Is("builtin.module") || operation.Is("func.func");
    out->VarIntWithFlag(operation.regions.size(), is_isolated);
    ++depth_;
    absl::Status status;
    if (is_isolated) {
      const uint64_t outer_next = std::exchange(next_value_, 0);
      const uint64_t outer_end = std::exchange(scope_end_, 0);
      BytecodeEmitter section;
      for (const mlir::Region& region : operation.regions) {
        if (status.ok()) status = WriteRegion(region, &section);
      }
      out->Section(kProgramSection, section.bytes());
      next_value_ = outer_next;
      scope_end_ = outer_end;
    } else {
      for (const mlir::Region& region : operation.regions) {
        if (status.ok()) status = WriteRegion(region, out);
      }
    }
    --depth_;
    return status;
  }

  // Values of a region are numbered behind those of all regions around it.
  absl::Status WriteRegion(const mlir::Region& region, BytecodeEmitter* out) {
    uint64_t blocks = 0, values = 0;
    for (const mlir::Block* block = region.first; block != nullptr; block = block->next) {
      ++blocks;
      values += block->arguments.size();
      for (const Operation& operation : *block) values += operation.results.size();
    }
    out->VarInt(blocks);
    if (blocks == 0) return absl::OkStatus();
    out->VarInt(values);
    const uint64_t outer_next = std::exchange(next_value_, scope_end_);
    scope_end_ += values;
    for (const mlir::Block* block = region.first; block != nullptr; block = block->next) {
      uint64_t count = 0;
      for ([[maybe_unused]] const Operation& operation : *block) ++count;
      out->VarIntWithFlag(count, !block->arguments.empty());
      if (!block->arguments.empty()) {
        out->VarInt(block->arguments.size());
        for (const mlir::Value& argument : block->arguments) {
          XLA_ASSIGN_OR_RETURN(const uint64_t type, Type(EntryDialect::kVhlo, argument.type));
          const AttributeRef location = block->argument_locations.empty()
                                            ? nullptr
                                            : block->argument_locations[argument.index];
          out->VarIntWithFlag(type, /*flag=*/location != nullptr);
          if (location != nullptr) {
            XLA_RETURN_IF_ERROR(Reference(EntryDialect::kBuiltin, location, out));
          }
          values_[&argument] = next_value_++;
        }
        out->Byte(0);  // no orders of uses
      }
      for (const Operation& operation : *block) {
        if (!operation.successors.empty()) {
          return absl::InvalidArgumentError("VHLO has no branches between blocks");
        }
        XLA_RETURN_IF_ERROR(WriteOperation(operation, out));
      }
    }
    scope_end_ -= values;
    next_value_ = outer_next;
    return absl::OkStatus();
  }

  mlir::Source& source_;
  const Version version_;
  Numbering strings_;
  Numbering names_;  // with the dialect as the first byte
  Numbering properties_;
  Entries attributes_;
  Entries types_;
  absl::flat_hash_map<std::pair<AttributeRef, EntryDialect>, uint64_t> attribute_numbers_;
  absl::flat_hash_map<std::pair<TypeRef, EntryDialect>, uint64_t> type_numbers_;
  absl::flat_hash_map<const mlir::Value*, uint64_t> values_;
  uint64_t next_value_ = 0;
  uint64_t scope_end_ = 0;  // of the values of the regions that are open
  int depth_ = 0;
  LocationAttribute unknown_location_ = {
      {AttributeKind::kLocation}, LocationAttribute::Form::kUnknown, 0, 0, {}, nullptr, {}};
};

}  // namespace

absl::StatusOr<std::string> WritePortableArtifact(mlir::Source* source, const Version& version) {
  return ArtifactWriter(source, version).Write();
}

}  // namespace xla::stablehlo
