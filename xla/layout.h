// SPDX-License-Identifier: Apache-2.0
// The arrangement of an array's elements in memory: order of dimensions, padding, tiles, memory
// space.
//
// Source: the shapes and layout document (xla/docs/shapes.md), the tiled layout document
// (xla/docs/tiled_layout.md), and xla_data.proto.
//
// Text form, printed by Layout::ToString and read by the HLO text parser:
//
//   layout   := '{' [ int (',' int)* ] [ ':' property+ ] '}'
//   property := each of the following at most once, in this order, without separators, omitted
//               when it has its default value:
//     T(8,128)(2,1)    tiles, outermost first; '*' instead of a number means kCombineDimension
//     L(n)             tail padding alignment in elements, default 1
//     #(u32)           index type
//     *(u32)           pointer type
//     E(n)             bits per element, default 0: as the element type says
//     S(n)             memory space, default 0
//     SC(d:i,j)(d:i)   split configs
//     P(shape)         physical shape
//     M(n)             dynamic shape metadata prefix in bytes, default 0
//     W(3,5)           padded widths, one for each dimension in order of dimension number
//     V(zero)          padding value: one of zero, one, lowest, highest, unknown; only after W
//
// Input may also start with D(D,C+~), the dimension level types of sparse layouts, which are
// ignored.
//
// All properties but W and V are XLA's. W and V are the text form of `padded_dimensions` and
// `padding_value`; a layout without padding prints exactly as XLA prints it. Example:
// `f32[2,3]{0,1:W(3,5)V(zero)}`.
#ifndef XLA_LAYOUT_H_
#define XLA_LAYOUT_H_

#include <cstdint>
#include <iosfwd>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/base/dimension_vector.h"
#include "xla/base/status_fwd.h"
#include "xla/xla_data_enums.h"

namespace xla {

class Shape;

// One level of tiling. The dimensions of a tile match the most minor dimensions of the array.
class Tile {
 public:
  // Instead of a tile size: combines the dimension with the next more minor one before tiling.
  static constexpr int64_t kCombineDimension = std::numeric_limits<int64_t>::min();

  Tile() = default;
  explicit Tile(absl::Span<const int64_t> dimensions)
      : dimensions_(dimensions.begin(), dimensions.end()) {}
  Tile(std::initializer_list<int64_t> dimensions)  // NOLINT: converts implicitly, as in XLA
      : dimensions_(dimensions) {}

  static Tile CreateFromProto(const TileProto& proto);
  TileProto ToProto() const;

  // "(8,128)", "(*,128)".
  std::string ToString() const;

  int64_t dimension(int i) const { return dimensions_[i]; }
  absl::Span<const int64_t> dimensions() const { return dimensions_; }
  Tile& add_dimensions(int64_t value) {
    dimensions_.push_back(value);
    return *this;
  }
  Tile& clear_dimensions() {
    dimensions_.clear();
    return *this;
  }

  bool operator==(const Tile& other) const { return dimensions_ == other.dimensions_; }
  bool operator!=(const Tile& other) const { return !(*this == other); }

  template <typename H>
  friend H AbslHashValue(H h, const Tile& tile) {
    return H::combine(std::move(h), tile.dimensions_);
  }

 private:
  absl::InlinedVector<int64_t, 2> dimensions_;
};

using TileVector = absl::InlinedVector<Tile, 3>;

// Where one physical dimension (0 is the most major) is split between memories: "(0:512,1024)"
// splits dimension 0 into three parts, at 512 and at 1024.
class SplitConfig {
 public:
  SplitConfig(int64_t dimension, absl::Span<const int64_t> split_indices)
      : dimension_(dimension), split_indices_(split_indices.begin(), split_indices.end()) {}

  static SplitConfig CreateFromProto(const SplitConfigProto& proto);
  SplitConfigProto ToProto() const;

  std::string ToString() const;

  int64_t dimension() const { return dimension_; }
  SplitConfig& set_dimension(int64_t dimension) {
    dimension_ = dimension;
    return *this;
  }
  absl::Span<const int64_t> split_indices() const { return split_indices_; }
  int64_t split_indices(int64_t i) const { return split_indices_[i]; }
  int64_t split_indices_size() const { return split_indices_.size(); }
  SplitConfig& add_split_indices(int64_t index) {
    split_indices_.push_back(index);
    return *this;
  }
  SplitConfig& clear_split_indices() {
    split_indices_.clear();
    return *this;
  }

  bool operator==(const SplitConfig& other) const {
    return dimension_ == other.dimension_ && split_indices_ == other.split_indices_;
  }
  bool operator!=(const SplitConfig& other) const { return !(*this == other); }

  template <typename H>
  friend H AbslHashValue(H h, const SplitConfig& config) {
    return H::combine(std::move(h), config.dimension_, config.split_indices_);
  }

 private:
  int64_t dimension_;
  absl::InlinedVector<int64_t, 1> split_indices_;
};

// The layout of one array. Cheap to copy and move in the common case that only minor_to_major is
// set; all other properties are stored behind one pointer.
class Layout {
 public:
  Layout();
  // A dense layout in this order.
  explicit Layout(absl::Span<const int64_t> minor_to_major);
  Layout(absl::Span<const int64_t> minor_to_major, absl::Span<const Tile> tiles,
         int64_t element_size_in_bits = 0);
  // In XLA's order of parameters.
  Layout(absl::Span<const int64_t> minor_to_major, absl::Span<const Tile> tiles,
         PrimitiveType index_primitive_type, PrimitiveType element_primitive_type,
         int64_t tail_padding_alignment_in_elements = 1, int64_t element_size_in_bits = 0,
         int64_t memory_space = 0, absl::Span<const SplitConfig> split_configs = {},
         std::unique_ptr<Shape> physical_shape = nullptr,
         int64_t dynamic_shape_metadata_prefix_bytes = 0);
  Layout(const Layout& other);
  Layout(Layout&& other) noexcept;
  Layout& operator=(const Layout& other);
  Layout& operator=(Layout&& other) noexcept;
  ~Layout();

  // Reads a proto as written by XLA. Returns an error if it is not a layout of any shape (for
  // example a negative alignment); LayoutUtil::ValidateLayoutForShape checks it against a shape.
  static absl::StatusOr<Layout> FromProto(const LayoutProto& proto);
  // As FromProto, but returns an empty layout for an invalid proto.
  static Layout CreateFromProto(const LayoutProto& proto);
  LayoutProto ToProto() const;
  void ToProto(LayoutProto& proto) const;

  // The text form described at the top of this file.
  std::string ToString() const;
  void AppendTo(std::string* out) const;

  // Equality that ignores some fields: Equal().IgnoreTiles()(a, b).
  class Equal {
   public:
    Equal() = default;
    bool operator()(const Layout& lhs, const Layout& rhs) const;

    Equal& IgnoreTiles() { return Set(&Equal::ignore_tiles_); }
    Equal& IgnoreTailPaddingAlignmentInElements() {
      return Set(&Equal::ignore_tail_padding_alignment_);
    }
    Equal& IgnoreIndexPrimitiveType() { return Set(&Equal::ignore_index_primitive_type_); }
    Equal& IgnorePointerPrimitiveType() { return Set(&Equal::ignore_pointer_primitive_type_); }
    Equal& IgnoreMemorySpace() { return Set(&Equal::ignore_memory_space_); }
    Equal& IgnoreSplitConfigs() { return Set(&Equal::ignore_split_configs_); }
    Equal& IgnorePhysicalShape() { return Set(&Equal::ignore_physical_shape_); }
    Equal& IgnoreElementSize() { return Set(&Equal::ignore_element_size_); }
    // Padded widths and padding value.
    Equal& IgnorePadding() { return Set(&Equal::ignore_padding_); }
    Equal& MinorToMajorOnly();

   private:
    Equal& Set(bool Equal::*flag) {
      this->*flag = true;
      return *this;
    }

    bool ignore_tiles_ = false;
    bool ignore_tail_padding_alignment_ = false;
    bool ignore_element_size_ = false;
    bool ignore_index_primitive_type_ = false;
    bool ignore_pointer_primitive_type_ = false;
    bool ignore_memory_space_ = false;
    bool ignore_split_configs_ = false;
    bool ignore_physical_shape_ = false;
    bool ignore_padding_ = false;
  };

  // Compares all fields except the dynamic shape metadata prefix, as in XLA.
  bool operator==(const Layout& other) const { return Equal()(*this, other); }
  bool operator!=(const Layout& other) const { return !(*this == other); }

  // The dimension numbers from the most minor (fastest varying in memory) to the most major.
  int minor_to_major_size() const { return static_cast<int>(minor_to_major_.size()); }
  int64_t minor_to_major(int i) const { return minor_to_major_[i]; }
  absl::Span<const int64_t> minor_to_major() const { return minor_to_major_; }
  DimensionVector* mutable_minor_to_major() { return &minor_to_major_; }
  Layout& set_minor_to_major(int i, int64_t value) {
    minor_to_major_[i] = value;
    return *this;
  }
  Layout& add_minor_to_major(int64_t value) {
    minor_to_major_.push_back(value);
    return *this;
  }
  Layout& clear_minor_to_major() {
    minor_to_major_.clear();
    return *this;
  }

  // Removes a dimension and its padded width, and renumbers the other dimensions.
  // Precondition: 0 <= dimension < minor_to_major_size().
  Layout& DeleteDimension(int64_t dimension);

  // Whether only minor_to_major is set: no tiles, padding, memory space or other property.
  bool IsPlain() const { return rare_ == nullptr || RareIsDefault(); }

  // Padding: padded_dimensions()[i] is the width of dimension i in memory, at least its size; empty
  // for no padding. Elements added by padding hold padding_value(); INVALID_PAD (the default) and
  // UNKNOWN_PAD leave their content unspecified.
  bool has_padding() const { return rare_ != nullptr && !rare_->padded_dimensions.empty(); }
  int padded_dimensions_size() const { return static_cast<int>(rare().padded_dimensions.size()); }
  int64_t padded_dimensions(int i) const { return rare().padded_dimensions[i]; }
  absl::Span<const int64_t> padded_dimensions() const { return rare().padded_dimensions; }
  DimensionVector* mutable_padded_dimensions() { return &mutable_rare().padded_dimensions; }
  Layout& add_padded_dimensions(int64_t width);
  Layout& set_padded_dimensions(absl::Span<const int64_t> widths);
  Layout& clear_padded_dimensions();
  PaddingValue padding_value() const { return rare().padding_value; }
  Layout& set_padding_value(PaddingValue value);

  // Tiles, outermost first.
  bool has_tiles() const { return rare_ != nullptr && !rare_->tiles.empty(); }
  int64_t tiles_size() const { return rare().tiles.size(); }
  const Tile& tiles(int i) const { return rare().tiles[i]; }
  absl::Span<const Tile> tiles() const { return rare().tiles; }
  Tile* mutable_tiles(int i) { return &mutable_rare().tiles[i]; }
  TileVector* mutable_tiles() { return &mutable_rare().tiles; }
  Tile* add_tiles();
  Layout& clear_tiles();

  // The number of bits of one element in memory; 0 means the element type's size in whole bytes.
  int64_t element_size_in_bits() const { return rare().element_size_in_bits; }
  Layout& set_element_size_in_bits(int64_t value);

  // The element count of the whole array, after tiling, is rounded up to a multiple of this (>= 1).
  int64_t tail_padding_alignment_in_elements() const { return rare().tail_padding_alignment; }
  Layout& set_tail_padding_alignment_in_elements(int64_t value);

  // Preserved in text and proto; dense layouts do not use them.
  PrimitiveType index_primitive_type() const { return rare().index_primitive_type; }
  Layout& set_index_primitive_type(PrimitiveType value);
  PrimitiveType pointer_primitive_type() const { return rare().pointer_primitive_type; }
  Layout& set_pointer_primitive_type(PrimitiveType value);

  static constexpr int64_t kDefaultMemorySpace = 0;
  static constexpr int64_t kGenericFastMemorySpace = 1;
  static constexpr int64_t kHostMemorySpace = 5;
  int64_t memory_space() const { return rare().memory_space; }
  Layout& set_memory_space(int64_t value);

  int split_configs_size() const { return static_cast<int>(rare().split_configs.size()); }
  const SplitConfig& split_configs(int i) const { return rare().split_configs[i]; }
  absl::Span<const SplitConfig> split_configs() const { return rare().split_configs; }
  SplitConfig* mutable_split_configs(int i) { return &mutable_rare().split_configs[i]; }
  Layout& add_split_configs(const SplitConfig& config);
  void clear_split_configs();

  bool has_physical_shape() const { return rare_ != nullptr && rare_->physical_shape != nullptr; }
  // Precondition: has_physical_shape().
  const Shape& physical_shape() const;
  Shape* mutable_physical_shape();
  void clear_physical_shape();

  int64_t dynamic_shape_metadata_prefix_bytes() const { return rare().metadata_prefix_bytes; }
  Layout& set_dynamic_shape_metadata_prefix_bytes(int64_t bytes);

  void Swap(Layout* other) { std::swap(*this, *other); }
  void Clear() { *this = Layout(); }

  template <typename H>
  friend H AbslHashValue(H h, const Layout& layout) {
    return H::combine(std::move(h), layout.minor_to_major_, layout.HashOfRare());
  }

 private:
  // Optional properties. A null pointer is equivalent to a Rare with default values.
  struct Rare {
    Rare();
    Rare(const Rare& other);
    ~Rare();

    TileVector tiles;
    DimensionVector padded_dimensions;
    std::vector<SplitConfig> split_configs;
    std::unique_ptr<Shape> physical_shape;
    int64_t element_size_in_bits = 0;
    int64_t memory_space = 0;
    int64_t tail_padding_alignment = 1;
    int64_t metadata_prefix_bytes = 0;
    PrimitiveType index_primitive_type = PRIMITIVE_TYPE_INVALID;
    PrimitiveType pointer_primitive_type = PRIMITIVE_TYPE_INVALID;
    PaddingValue padding_value = INVALID_PAD;
  };

  friend class Shape;
  // `depth` is the number of enclosing shapes, which bounds the recursion.
  static absl::StatusOr<Layout> FromProtoAtDepth(const LayoutProto& proto, int depth);

  static const Rare& DefaultRare();
  const Rare& rare() const { return rare_ != nullptr ? *rare_ : DefaultRare(); }
  Rare& mutable_rare();
  // Sets a field, without allocating a Rare for a default value.
  template <typename T>
  Layout& SetRare(T Rare::*field, T value);
  bool RareIsDefault() const;
  // 0 for a plain layout; equal for equal layouts.
  size_t HashOfRare() const;

  DimensionVector minor_to_major_;
  std::unique_ptr<Rare> rare_;
};

// The name in V(...): "zero", "one", "lowest", "highest", "unknown"; "" for INVALID_PAD.
absl::string_view PaddingValueName(PaddingValue value);
// The inverse; the error for any other text lists the names.
absl::StatusOr<PaddingValue> StringToPaddingValue(absl::string_view name);

std::ostream& operator<<(std::ostream& out, const Tile& tile);
std::ostream& operator<<(std::ostream& out, const Layout& layout);

}  // namespace xla

#endif  // XLA_LAYOUT_H_
