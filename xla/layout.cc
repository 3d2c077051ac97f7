// SPDX-License-Identifier: Apache-2.0
// Layout: storage of the rare fields, equality, text and proto form.
#include "xla/layout.h"

#include <algorithm>
#include <memory>
#include <ostream>
#include <string>
#include <utility>

#include "absl/hash/hash.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/primitive_util.h"
#include "xla/shape.h"
#include "xla/util.h"
#include "xla/xla_data.pb.h"

namespace xla {
namespace {

void AppendNumbers(absl::Span<const int64_t> numbers, std::string* out) {
  for (size_t i = 0; i < numbers.size(); ++i) {
    absl::StrAppend(out, i == 0 ? "" : ",", numbers[i]);
  }
}

void AppendTile(const Tile& tile, std::string* out) {
  out->push_back('(');
  bool first = true;
  for (const int64_t size : tile.dimensions()) {
    if (!first) out->push_back(',');
    first = false;
    if (size == Tile::kCombineDimension) {
      out->push_back('*');
    } else {
      absl::StrAppend(out, size);
    }
  }
  out->push_back(')');
}

void AppendSplitConfig(const SplitConfig& config, std::string* out) {
  absl::StrAppend(out, "(", config.dimension(), ":");
  AppendNumbers(config.split_indices(), out);
  out->push_back(')');
}

// The type in #(..) and *(..).
absl::Status CheckKnownType(PrimitiveType type, absl::string_view field) {
  if (PrimitiveType_IsValid(type)) return absl::OkStatus();
  return InvalidArgumentStrCat("layout proto has unknown ", field, " ", static_cast<int>(type));
}

}  // namespace

Tile Tile::CreateFromProto(const TileProto& proto) { return Tile(proto.dimensions()); }

TileProto Tile::ToProto() const {
  TileProto proto;
  proto.mutable_dimensions()->Add(dimensions_.begin(), dimensions_.end());
  return proto;
}

std::string Tile::ToString() const {
  std::string out;
  AppendTile(*this, &out);
  return out;
}

SplitConfig SplitConfig::CreateFromProto(const SplitConfigProto& proto) {
  return SplitConfig(proto.dimension(), proto.split_indices());
}

SplitConfigProto SplitConfig::ToProto() const {
  SplitConfigProto proto;
  proto.set_dimension(dimension_);
  proto.mutable_split_indices()->Add(split_indices_.begin(), split_indices_.end());
  return proto;
}

std::string SplitConfig::ToString() const {
  std::string out;
  AppendSplitConfig(*this, &out);
  return out;
}

// ---- Storage ----

Layout::Rare::Rare() = default;
Layout::Rare::~Rare() = default;
Layout::Rare::Rare(const Rare& other)
    : tiles(other.tiles),
      padded_dimensions(other.padded_dimensions),
      split_configs(other.split_configs),
      physical_shape(other.physical_shape ? std::make_unique<Shape>(*other.physical_shape)
                                          : nullptr),
      element_size_in_bits(other.element_size_in_bits),
      memory_space(other.memory_space),
      tail_padding_alignment(other.tail_padding_alignment),
      metadata_prefix_bytes(other.metadata_prefix_bytes),
      index_primitive_type(other.index_primitive_type),
      pointer_primitive_type(other.pointer_primitive_type),
      padding_value(other.padding_value) {}

Layout::Layout() = default;
Layout::Layout(absl::Span<const int64_t> minor_to_major)
    : minor_to_major_(minor_to_major.begin(), minor_to_major.end()) {}
Layout::Layout(absl::Span<const int64_t> minor_to_major, absl::Span<const Tile> tiles,
               int64_t element_size_in_bits)
    : Layout(minor_to_major) {
  if (!tiles.empty()) mutable_rare().tiles.assign(tiles.begin(), tiles.end());
  set_element_size_in_bits(element_size_in_bits);
}
Layout::Layout(absl::Span<const int64_t> minor_to_major, absl::Span<const Tile> tiles,
               PrimitiveType index_primitive_type, PrimitiveType element_primitive_type,
               int64_t tail_padding_alignment_in_elements, int64_t element_size_in_bits,
               int64_t memory_space, absl::Span<const SplitConfig> split_configs,
               std::unique_ptr<Shape> physical_shape, int64_t dynamic_shape_metadata_prefix_bytes)
    : Layout(minor_to_major, tiles, element_size_in_bits) {
  set_index_primitive_type(index_primitive_type);
  set_pointer_primitive_type(element_primitive_type);
  set_tail_padding_alignment_in_elements(tail_padding_alignment_in_elements);
  set_memory_space(memory_space);
  for (const SplitConfig& config : split_configs) add_split_configs(config);
  if (physical_shape != nullptr) mutable_rare().physical_shape = std::move(physical_shape);
  set_dynamic_shape_metadata_prefix_bytes(dynamic_shape_metadata_prefix_bytes);
}
Layout::Layout(const Layout& other)
    : minor_to_major_(other.minor_to_major_),
      rare_(other.IsPlain() ? nullptr : std::make_unique<Rare>(*other.rare_)) {}
Layout::Layout(Layout&& other) noexcept = default;
Layout& Layout::operator=(const Layout& other) {
  if (this != &other) {
    minor_to_major_ = other.minor_to_major_;
    rare_ = other.IsPlain() ? nullptr : std::make_unique<Rare>(*other.rare_);
  }
  return *this;
}
Layout& Layout::operator=(Layout&& other) noexcept = default;
Layout::~Layout() = default;

const Layout::Rare& Layout::DefaultRare() {
  static const Rare* const kDefault = new Rare();
  return *kDefault;
}

Layout::Rare& Layout::mutable_rare() {
  if (rare_ == nullptr) rare_ = std::make_unique<Rare>();
  return *rare_;
}

template <typename T>
Layout& Layout::SetRare(T Rare::*field, T value) {
  if (rare_ != nullptr || !(DefaultRare().*field == value)) mutable_rare().*field = value;
  return *this;
}

bool Layout::RareIsDefault() const {
  const Rare& r = *rare_;
  const Rare& d = DefaultRare();
  return r.tiles.empty() && r.padded_dimensions.empty() && r.split_configs.empty() &&
         r.physical_shape == nullptr && r.element_size_in_bits == d.element_size_in_bits &&
         r.memory_space == d.memory_space && r.tail_padding_alignment == d.tail_padding_alignment &&
         r.metadata_prefix_bytes == d.metadata_prefix_bytes &&
         r.index_primitive_type == d.index_primitive_type &&
         r.pointer_primitive_type == d.pointer_primitive_type && r.padding_value == d.padding_value;
}

size_t Layout::HashOfRare() const {
  if (IsPlain()) return 0;
  // Hashes only fields that equality compares; a Rare of defaults, whatever its metadata prefix,
  // must hash to 0.
  const Rare& r = *rare_;
  const Rare& d = DefaultRare();
  const auto digest = [](const Rare& f) {
    return absl::HashOf(
        f.tiles, f.padded_dimensions, f.split_configs, f.element_size_in_bits, f.memory_space,
        f.tail_padding_alignment, static_cast<int>(f.index_primitive_type),
        static_cast<int>(f.pointer_primitive_type), static_cast<int>(f.padding_value));
  };
  return digest(r) - digest(d);
}

// ---- Fields ----

Layout& Layout::DeleteDimension(int64_t dimension) {
  XLA_CHECK(dimension >= 0 && dimension < minor_to_major_size());
  // Splits name dimensions by their place in memory.
  const int64_t place = std::find(minor_to_major_.begin(), minor_to_major_.end(), dimension) -
                        minor_to_major_.begin();
  size_t kept = 0;
  for (const int64_t d : minor_to_major_) {
    if (d != dimension) minor_to_major_[kept++] = d > dimension ? d - 1 : d;
  }
  minor_to_major_.resize(kept);
  if (has_padding() && dimension < padded_dimensions_size()) {
    rare_->padded_dimensions.erase(rare_->padded_dimensions.begin() + dimension);
  }
  if (!split_configs().empty()) {
    std::vector<SplitConfig> remaining;
    for (const SplitConfig& config : split_configs()) {
      if (config.dimension() == place) continue;
      remaining.emplace_back(config.dimension() - (config.dimension() > place ? 1 : 0),
                             config.split_indices());
    }
    mutable_rare().split_configs = std::move(remaining);
  }
  return *this;
}

Layout& Layout::add_padded_dimensions(int64_t width) {
  mutable_rare().padded_dimensions.push_back(width);
  return *this;
}
Layout& Layout::set_padded_dimensions(absl::Span<const int64_t> widths) {
  if (rare_ != nullptr || !widths.empty()) {
    mutable_rare().padded_dimensions.assign(widths.begin(), widths.end());
  }
  return *this;
}
Layout& Layout::clear_padded_dimensions() { return set_padded_dimensions({}); }
Layout& Layout::set_padding_value(PaddingValue value) {
  return SetRare(&Rare::padding_value, value);
}
Tile* Layout::add_tiles() {
  mutable_rare().tiles.emplace_back();
  return &rare_->tiles.back();
}
Layout& Layout::clear_tiles() {
  if (rare_ != nullptr) rare_->tiles.clear();
  return *this;
}
Layout& Layout::set_element_size_in_bits(int64_t value) {
  return SetRare(&Rare::element_size_in_bits, value);
}
Layout& Layout::set_tail_padding_alignment_in_elements(int64_t value) {
  return SetRare(&Rare::tail_padding_alignment, value);
}
Layout& Layout::set_index_primitive_type(PrimitiveType value) {
  return SetRare(&Rare::index_primitive_type, value);
}
Layout& Layout::set_pointer_primitive_type(PrimitiveType value) {
  return SetRare(&Rare::pointer_primitive_type, value);
}
Layout& Layout::set_memory_space(int64_t value) { return SetRare(&Rare::memory_space, value); }
Layout& Layout::add_split_configs(const SplitConfig& config) {
  mutable_rare().split_configs.push_back(config);
  return *this;
}
void Layout::clear_split_configs() {
  if (rare_ != nullptr) rare_->split_configs.clear();
}
const Shape& Layout::physical_shape() const {
  XLA_CHECK(has_physical_shape());
  return *rare_->physical_shape;
}
Shape* Layout::mutable_physical_shape() {
  Rare& r = mutable_rare();
  if (r.physical_shape == nullptr) r.physical_shape = std::make_unique<Shape>();
  return r.physical_shape.get();
}
void Layout::clear_physical_shape() {
  if (rare_ != nullptr) rare_->physical_shape = nullptr;
}
Layout& Layout::set_dynamic_shape_metadata_prefix_bytes(int64_t bytes) {
  return SetRare(&Rare::metadata_prefix_bytes, bytes);
}

// ---- Equality ----

Layout::Equal& Layout::Equal::MinorToMajorOnly() {
  return IgnoreTiles()
      .IgnoreTailPaddingAlignmentInElements()
      .IgnoreIndexPrimitiveType()
      .IgnorePointerPrimitiveType()
      .IgnoreMemorySpace()
      .IgnoreSplitConfigs()
      .IgnorePhysicalShape()
      .IgnoreElementSize()
      .IgnorePadding();
}

bool Layout::Equal::operator()(const Layout& lhs, const Layout& rhs) const {
  if (lhs.minor_to_major_ != rhs.minor_to_major_) return false;
  if (lhs.rare_ == nullptr && rhs.rare_ == nullptr) return true;
  const Rare& l = lhs.rare();
  const Rare& r = rhs.rare();
  const auto physical_shapes_equal = [&] {
    if (l.physical_shape == nullptr || r.physical_shape == nullptr) {
      return l.physical_shape == r.physical_shape;
    }
    return *l.physical_shape == *r.physical_shape;
  };
  return (ignore_tiles_ || l.tiles == r.tiles) &&
         (ignore_tail_padding_alignment_ || l.tail_padding_alignment == r.tail_padding_alignment) &&
         (ignore_element_size_ || l.element_size_in_bits == r.element_size_in_bits) &&
         (ignore_index_primitive_type_ || l.index_primitive_type == r.index_primitive_type) &&
         (ignore_pointer_primitive_type_ || l.pointer_primitive_type == r.pointer_primitive_type) &&
         (ignore_memory_space_ || l.memory_space == r.memory_space) &&
         (ignore_split_configs_ || l.split_configs == r.split_configs) &&
         (ignore_padding_ ||
          (l.padded_dimensions == r.padded_dimensions && l.padding_value == r.padding_value)) &&
         (ignore_physical_shape_ || physical_shapes_equal());
}

// ---- Text ----

void Layout::AppendTo(std::string* out) const {
  out->push_back('{');
  AppendNumbers(minor_to_major_, out);
  if (IsPlain()) {
    out->push_back('}');
    return;
  }
  const Rare& r = *rare_;
  const size_t colon = out->size();
  out->push_back(':');
  if (!r.tiles.empty()) {
    out->push_back('T');
    for (const Tile& tile : r.tiles) AppendTile(tile, out);
  }
  if (r.tail_padding_alignment != 1) absl::StrAppend(out, "L(", r.tail_padding_alignment, ")");
  if (r.index_primitive_type != PRIMITIVE_TYPE_INVALID) {
    absl::StrAppend(out, "#(", primitive_util::LowercasePrimitiveTypeName(r.index_primitive_type),
                    ")");
  }
  if (r.pointer_primitive_type != PRIMITIVE_TYPE_INVALID) {
    absl::StrAppend(out, "*(", primitive_util::LowercasePrimitiveTypeName(r.pointer_primitive_type),
                    ")");
  }
  if (r.element_size_in_bits != 0) absl::StrAppend(out, "E(", r.element_size_in_bits, ")");
  if (r.memory_space != 0) absl::StrAppend(out, "S(", r.memory_space, ")");
  if (!r.split_configs.empty()) {
    out->append("SC");
    for (const SplitConfig& config : r.split_configs) AppendSplitConfig(config, out);
  }
  if (r.physical_shape != nullptr) {
    out->append("P(");
    r.physical_shape->AppendTo(out, /*print_layout=*/true);
    out->push_back(')');
  }
  if (r.metadata_prefix_bytes != 0) absl::StrAppend(out, "M(", r.metadata_prefix_bytes, ")");
  if (!r.padded_dimensions.empty()) {
    out->append("W(");
    AppendNumbers(r.padded_dimensions, out);
    out->push_back(')');
    if (r.padding_value != INVALID_PAD) {
      absl::StrAppend(out, "V(", PaddingValueName(r.padding_value), ")");
    }
  }
  // A padding value without padding is not printed.
  if (out->size() == colon + 1) out->pop_back();
  out->push_back('}');
}

std::string Layout::ToString() const {
  std::string out;
  AppendTo(&out);
  return out;
}

absl::string_view PaddingValueName(PaddingValue value) {
  switch (value) {
    case ZERO_PAD:
      return "zero";
    case ONE_PAD:
      return "one";
    case LOWEST_PAD:
      return "lowest";
    case HIGHEST_PAD:
      return "highest";
    case UNKNOWN_PAD:
      return "unknown";
    default:
      return "";
  }
}

absl::StatusOr<PaddingValue> StringToPaddingValue(absl::string_view name) {
  for (const PaddingValue value : {ZERO_PAD, ONE_PAD, LOWEST_PAD, HIGHEST_PAD, UNKNOWN_PAD}) {
    if (name == PaddingValueName(value)) return value;
  }
  return InvalidArgumentStrCat("unknown padding value '", name,
                               "'; expected zero, one, lowest, highest or unknown");
}

std::ostream& operator<<(std::ostream& out, const Tile& tile) { return out << tile.ToString(); }
std::ostream& operator<<(std::ostream& out, const Layout& layout) {
  return out << layout.ToString();
}

// ---- Proto ----

absl::StatusOr<Layout> Layout::FromProto(const LayoutProto& proto) {
  return FromProtoAtDepth(proto, 0);
}

absl::StatusOr<Layout> Layout::FromProtoAtDepth(const LayoutProto& proto, int depth) {
  if (depth > Shape::kMaxTupleDepth) {
    return InvalidArgumentStrCat("layout proto nests physical shapes deeper than ",
                                 Shape::kMaxTupleDepth);
  }
  XLA_RETURN_IF_ERROR(CheckKnownType(proto.index_primitive_type(), "index_primitive_type"));
  XLA_RETURN_IF_ERROR(CheckKnownType(proto.pointer_primitive_type(), "pointer_primitive_type"));
  if (!PaddingValue_IsValid(proto.padding_value())) {
    return InvalidArgumentStrCat("layout proto has unknown padding_value ",
                                 static_cast<int>(proto.padding_value()));
  }
  if (proto.tail_padding_alignment_in_elements() < 0) {
    return InvalidArgumentStrCat("layout proto has negative tail_padding_alignment_in_elements ",
                                 proto.tail_padding_alignment_in_elements());
  }
  Layout layout(proto.minor_to_major());
  layout.set_padded_dimensions(proto.padded_dimensions());
  layout.set_padding_value(proto.padding_value());
  for (const TileProto& tile : proto.tiles()) *layout.add_tiles() = Tile::CreateFromProto(tile);
  // 0 in protos written before the field existed.
  if (proto.tail_padding_alignment_in_elements() != 0) {
    layout.set_tail_padding_alignment_in_elements(proto.tail_padding_alignment_in_elements());
  }
  layout.set_element_size_in_bits(proto.element_size_in_bits());
  layout.set_memory_space(proto.memory_space());
  layout.set_index_primitive_type(proto.index_primitive_type());
  layout.set_pointer_primitive_type(proto.pointer_primitive_type());
  for (const SplitConfigProto& config : proto.split_configs()) {
    layout.add_split_configs(SplitConfig::CreateFromProto(config));
  }
  if (proto.has_physical_shape()) {
    XLA_ASSIGN_OR_RETURN(*layout.mutable_physical_shape(),
                         Shape::FromProtoAtDepth(proto.physical_shape(), depth + 1));
  }
  layout.set_dynamic_shape_metadata_prefix_bytes(proto.dynamic_shape_metadata_prefix_bytes());
  return layout;
}

Layout Layout::CreateFromProto(const LayoutProto& proto) {
  return FromProto(proto).value_or(Layout());
}

void Layout::ToProto(LayoutProto& proto) const { proto = ToProto(); }

LayoutProto Layout::ToProto() const {
  LayoutProto proto;
  proto.mutable_minor_to_major()->Add(minor_to_major_.begin(), minor_to_major_.end());
  // XLA writes the alignment even when it is the default.
  proto.set_tail_padding_alignment_in_elements(tail_padding_alignment_in_elements());
  if (rare_ == nullptr) return proto;
  const Rare& r = *rare_;
  proto.mutable_padded_dimensions()->Add(r.padded_dimensions.begin(), r.padded_dimensions.end());
  proto.set_padding_value(r.padding_value);
  for (const Tile& tile : r.tiles) *proto.add_tiles() = tile.ToProto();
  proto.set_element_size_in_bits(r.element_size_in_bits);
  proto.set_memory_space(r.memory_space);
  proto.set_index_primitive_type(r.index_primitive_type);
  proto.set_pointer_primitive_type(r.pointer_primitive_type);
  for (const SplitConfig& config : r.split_configs) *proto.add_split_configs() = config.ToProto();
  if (r.physical_shape != nullptr) r.physical_shape->SetProto(*proto.mutable_physical_shape());
  proto.set_dynamic_shape_metadata_prefix_bytes(r.metadata_prefix_bytes);
  return proto;
}

}  // namespace xla
