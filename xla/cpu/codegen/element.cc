// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/codegen/element.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "xla/cpu/codegen/narrow_floats.h"
#include "xla/element_convert.h"
#include "xla/primitive_util.h"
#include "xla/types.h"

namespace xla::cpu {
namespace {

bool IsSubByteInteger(PrimitiveType type) {
  return type != PRED && primitive_util::IsIntegralType(type) && primitive_util::BitWidth(type) < 8;
}

// Whether elements are kept as float in registers: F16, BF16 and narrower types.
bool IsNarrowFloat(PrimitiveType type) {
  return primitive_util::IsFloatingPointType(type) && type != F32 && type != F64;
}

PrimitiveType PartType(PrimitiveType type) { return type == C64 ? F32 : type == C128 ? F64 : type; }

// Converts f16, given as i16, to f32. Without instructions for it, LLVM would call a function for
// each lane, from libraries that a program may lack.
IrValue HalfToFloat(Ir& ir, IrValue half) {
  const IrType half_type = ir.TypeOf(half), floats = ir.WithElement(half_type, ir.F32());
  if (ir.target().machine.half)
    return ir.FPExt(ir.BitCast(half, ir.WithElement(half_type, ir.F16())), floats);
  const IrType words = ir.WithElement(half_type, ir.I32());
  const auto word = [&](int64_t bits) { return ir.Const(words, bits); };
  const IrValue wide = ir.ZExt(half, words);
  const IrValue magnitude = ir.Shl(ir.And(wide, word(0x7fff)), word(13));
  const IrValue normal = ir.Add(magnitude, word(int64_t{127 - 15} << 23));
  // A subnormal number follows a leading bit, which is subtracted: no operand is subnormal in f32,
  // where it could count as zero.
  constexpr int64_t kLeastNormal = int64_t{127 - 14} << 23;
  const IrValue leading = ir.BitCast(word(kLeastNormal), floats);
  const IrValue subnormal =
      ir.BitCast(ir.FSub(ir.BitCast(ir.Or(magnitude, word(kLeastNormal)), floats), leading), words);
  const IrValue finite =
      ir.Select(ir.ICmp(LLVMIntULT, magnitude, word(int64_t{0x400} << 13)), subnormal, normal);
  constexpr int64_t kInfinity = int64_t{0x7c00} << 13, kQuiet = 0x400000;
  const IrValue is_nan = ir.ICmp(LLVMIntUGT, magnitude, word(kInfinity));
  const IrValue special =
      ir.Or(ir.Or(magnitude, word(0x7f800000)), ir.Select(is_nan, word(kQuiet), word(0)));
  const IrValue bits = ir.Select(ir.ICmp(LLVMIntUGE, magnitude, word(kInfinity)), special, finite);
  const IrValue sign = ir.Shl(ir.And(wide, word(0x8000)), word(16));
  return ir.BitCast(ir.Or(bits, sign), floats);
}

// Rounds an f32 to f16, as i16.
IrValue FloatToHalf(Ir& ir, IrValue value) {
  const IrType floats = ir.TypeOf(value), halves = ir.WithElement(floats, ir.Int(16));
  if (ir.target().machine.half)
    return ir.BitCast(ir.FPTrunc(value, ir.WithElement(floats, ir.F16())), halves);
  const IrType words = ir.WithElement(floats, ir.I32());
  const auto word = [&](int64_t bits) { return ir.Const(words, bits); };
  const IrValue bits = ir.BitCast(value, words);
  const IrValue magnitude = ir.And(bits, word(0x7fffffff));
  // Rounds to nearest even: adds half of the last place, or less if that is even.
  constexpr int64_t kExponents = (int64_t{15} - 127) << 23;  // of f16 and f32
  const IrValue odd = ir.And(ir.LShr(magnitude, word(13)), word(1));
  const IrValue normal =
      ir.LShr(ir.Add(ir.Add(magnitude, word(kExponents + 0xfff)), odd), word(13));
  // The last places of 0.5 are those of the smallest numbers of f16, so that the sum is rounded
  // there.
  constexpr int64_t kHalf = 0x3f000000;
  const IrValue sum = ir.FAdd(ir.BitCast(magnitude, floats), ir.Const(floats, 0.5));
  const IrValue small = ir.Sub(ir.BitCast(sum, words), word(kHalf));
  constexpr int64_t kLeastNormal = int64_t{127 - 14} << 23, kBeyond = int64_t{127 + 16} << 23;
  IrValue result = ir.Select(ir.ICmp(LLVMIntULT, magnitude, word(kLeastNormal)), small, normal);
  result = ir.Select(ir.ICmp(LLVMIntUGE, magnitude, word(kBeyond)), word(0x7c00), result);
  // A NaN keeps its upper bits and is quiet.
  const IrValue nan = ir.Or(ir.And(ir.LShr(magnitude, word(13)), word(0x3ff)), word(0x7e00));
  result = ir.Select(ir.ICmp(LLVMIntUGT, magnitude, word(0x7f800000)), nan, result);
  const IrValue sign = ir.LShr(ir.And(bits, word(int64_t{0x80000000})), word(16));
  return ir.Trunc(ir.Or(result, sign), halves);
}

}  // namespace

IrType ElementOps::RegisterType(PrimitiveType type) const {
  const PrimitiveType part = PartType(type);
  if (part == PRED) return ir_.I1();
  if (part == F64) return ir_.F64();
  if (primitive_util::IsFloatingPointType(part)) return ir_.F32();
  return ir_.Int(primitive_util::ByteWidth(part) * 8);
}

IrType ElementOps::MemoryType(PrimitiveType type) const {
  const PrimitiveType part = PartType(type);
  if (part == F32) return ir_.F32();
  if (part == F64) return ir_.F64();
  return ir_.Int(primitive_util::ByteWidth(part) * 8);
}

IrValue ElementOps::FromBits(PrimitiveType type, IrValue bits) {
  const IrType bits_type = ir_.TypeOf(bits);
  if (type == PRED) return ir_.ICmp(LLVMIntNE, bits, ir_.Zero(bits_type));
  if (type == F16) return HalfToFloat(ir_, bits);
  if (type == BF16) {
    const IrType wide = ir_.WithElement(bits_type, ir_.I32());
    return ir_.BitCast(ir_.Shl(ir_.ZExt(bits, wide), ir_.Const(wide, int64_t{16})),
                       ir_.WithElement(bits_type, ir_.F32()));
  }
  if (IsByteFloat(type)) return WidenByte(ir_, type, bits);
  if (type == F32 || type == F64) {
    return ir_.BitCast(bits, ir_.WithElement(bits_type, RegisterType(type)));
  }
  return bits;
}

IrValue ElementOps::ToBits(PrimitiveType type, IrValue value) {
  const IrType value_type = ir_.TypeOf(value);
  if (type == PRED) return ir_.ZExt(value, ir_.WithElement(value_type, ir_.I8()));
  if (type == F16) return FloatToHalf(ir_, value);
  if (type == BF16) {
    const IrType wide = ir_.WithElement(value_type, ir_.I32());
    const int lanes = ir_.Lanes(value);
    if (lanes == 1) {
      return ir_.Trunc(ir_.LShr(ir_.BitCast(value, wide), ir_.Const(wide, int64_t{16})),
                       ir_.Int(16));
    }
    // Takes the upper halves by one shuffle.
    const IrValue halves = ir_.BitCast(value, ir_.Vector(ir_.Int(16), 2 * lanes));
    std::vector<int> upper;
    for (int i = 0; i < lanes; ++i) upper.push_back(2 * i + 1);
    return ir_.Shuffle(halves, halves, upper);
  }
  if (IsByteFloat(type)) return NarrowToByte(ir_, type, value);
  if (type == F32 || type == F64) return ir_.BitCast(value, ir_.IntsLike(value_type));
  return value;
}

// In memory, F32 and F64 are floats; other types are integers with their bits.
Element ElementOps::Load(PrimitiveType type, const ElementAddress& given, int lanes) {
  const int part_bytes = static_cast<int>(primitive_util::ByteWidth(PartType(type)));
  ElementAddress address = given;
  // Without instructions for masked loads, lanes would be loaded one by one.
  const Machine& machine = ir_.target().machine;
  const bool is_contiguous = address.lanes == nullptr && std::abs(address.step) == part_bytes;
  const bool has_masks = machine.avx512 || (machine.avx2 && part_bytes >= 4);
  if (address.is_mask_uniform && !(is_contiguous && has_masks)) address.mask = nullptr;
  const bool is_complex = primitive_util::IsComplexType(type);
  const bool is_plain_float = PartType(type) == F32 || PartType(type) == F64;
  const IrType memory = MemoryType(type);
  const auto finish = [&](IrValue raw) { return is_plain_float ? raw : FromBits(type, raw); };
  const bool is_uniform = address.step == 0 && address.lanes == nullptr;
  if (lanes == 1 || is_uniform) {
    const IrValue place = ir_.Offset(address.pointer, address.bytes);
    Element element = {finish(ir_.Load(memory, place, part_bytes, address.invariant))};
    if (is_complex) {
      element.im =
          ir_.Load(memory, ir_.Offset(place, ir_.Index(part_bytes)), part_bytes, address.invariant);
    }
    return element;
  }
  const IrType vector = ir_.Vector(memory, lanes);
  const IrValue place = ir_.Offset(address.pointer, address.bytes);
  if (!is_complex && address.lanes == nullptr && address.step == part_bytes) {
    if (address.mask == nullptr) {
      return {finish(ir_.Load(vector, place, part_bytes, address.invariant))};
    }
    return {finish(ir_.MaskedLoad(vector, place, part_bytes, address.mask))};
  }
  if (is_complex && address.lanes == nullptr && address.step == 2 * part_bytes &&
      address.mask == nullptr) {
    const IrValue pairs =
        ir_.Load(ir_.Vector(memory, 2 * lanes), place, part_bytes, address.invariant);
    std::vector<int> even, odd;
    for (int i = 0; i < lanes; ++i) {
      even.push_back(2 * i);
      odd.push_back(2 * i + 1);
    }
    return {ir_.Shuffle(pairs, pairs, even), ir_.Shuffle(pairs, pairs, odd)};
  }
  if (!is_complex && address.lanes == nullptr && address.step == -part_bytes) {
    const IrValue first = ir_.Offset(place, ir_.Index(-int64_t{part_bytes} * (lanes - 1)));
    const IrValue from_first =
        address.mask == nullptr
            ? ir_.Load(vector, first, part_bytes, address.invariant)
            : ir_.MaskedLoad(vector, first, part_bytes, ir_.Reverse(address.mask));
    return {finish(ir_.Reverse(from_first))};
  }
  return LoadApart(type, address, place, lanes);
}

// Loads vectors of elements that are not contiguous, by shuffles or by gathering.
Element ElementOps::LoadApart(PrimitiveType type, const ElementAddress& address, IrValue place,
                              int lanes) {
  const int part_bytes = static_cast<int>(primitive_util::ByteWidth(PartType(type)));
  const bool is_complex = primitive_util::IsComplexType(type);
  const bool is_plain_float = PartType(type) == F32 || PartType(type) == F64;
  const IrType memory = MemoryType(type);
  const auto finish = [&](IrValue raw) { return is_plain_float ? raw : FromBits(type, raw); };
  const IrType vector = ir_.Vector(memory, lanes);
  const int64_t stride = address.step / part_bytes;
  // Shuffles of more vectors take longer than gathering. AVX-512 picks from two vectors by one
  // instruction.
  const int64_t most_apart = part_bytes < 4                                   ? 4
                             : part_bytes == 4 && ir_.target().machine.avx512 ? 16
                                                                              : 8;
  const int64_t in_register = std::min(lanes, ir_.target().machine.vector_bytes / part_bytes);
  const bool takes_mask =
      address.mask == nullptr || (ir_.target().machine.avx512 && in_register * stride <= 64);
  const int64_t distance = std::abs(stride);
  const bool is_near = distance >= 2 && distance <= most_apart;
  const bool is_even =
      !is_complex && address.lanes == nullptr && lanes >= 4 && address.step % part_bytes == 0;
  const bool may_pick = is_near || part_bytes < 4;
  if (is_even && may_pick && (address.mask == nullptr || (is_near && stride > 0 && takes_mask))) {
    const bool is_reversed = stride < 0;
    const IrValue first =
        is_reversed ? ir_.Offset(place, ir_.Index(address.step * (lanes - 1))) : place;
    const IrValue raw =
        is_near ? LoadStrided(memory, first, part_bytes, static_cast<int>(distance), lanes,
                              address.mask, address.invariant)
                : LoadNarrowApart(memory, first, distance * part_bytes, lanes, address.invariant);
    return {finish(is_reversed ? ir_.Reverse(raw) : raw)};
  }
  const IrType offsets_type = ir_.Vector(ir_.I64(), lanes);
  const IrValue offsets =
      address.lanes != nullptr ? address.lanes : ir_.Steps(offsets_type, address.step);
  const IrValue mask =
      address.mask != nullptr ? address.mask : ir_.Const(ir_.Vector(ir_.I1(), lanes), int64_t{-1});
  const auto gather = [&](IrValue from) {
    return ir_.MaskedGather(vector, ir_.Offset(from, offsets), part_bytes, mask);
  };
  Element element = {finish(gather(place))};
  if (is_complex) element.im = gather(ir_.Offset(place, ir_.Index(part_bytes)));
  return element;
}

Element ElementOps::Interleave(absl::Span<const Element> elements) {
  const int lanes = ir_.Lanes(elements[0].re), count = static_cast<int>(elements.size());
  // Concatenates the parts in pairs, then pairs of pairs.
  std::vector<IrValue> parts;
  for (const Element& element : elements)
    parts.push_back(lanes == 1 ? ir_.Splat(element.re, 2) : element.re);
  const int stride = lanes == 1 ? 2 : lanes;
  while (parts.size() > 1) {
    std::vector<IrValue> joined;
    for (size_t i = 0; i < parts.size(); i += 2) {
      joined.push_back(ir_.Concat(parts[i], parts[std::min(i + 1, parts.size() - 1)]));
    }
    parts = std::move(joined);
  }
  std::vector<int> order;
  for (int lane = 0; lane < lanes; ++lane) {
    for (int i = 0; i < count; ++i) order.push_back(i * stride + lane);
  }
  return {ir_.Shuffle(parts[0], parts[0], order)};
}

// Loads whole vectors, the last of which ends with the last element, and picks the wanted elements
// of each. Under a mask, only those are read.
IrValue ElementOps::LoadStrided(IrType element, IrValue place, int element_bytes, int stride,
                                int lanes, IrValue mask, bool invariant) {
  const auto bits_from = [&](IrValue word, int first, int count) {
    const IrValue from = ir_.LShr(word, ir_.Const(ir_.TypeOf(word), int64_t{first}));
    return ir_.BitCast(count == ir_.Bits(ir_.TypeOf(word)) ? from : ir_.Trunc(from, ir_.Int(count)),
                       ir_.Vector(ir_.I1(), count));
  };
  const IrValue bits = mask == nullptr ? nullptr : ir_.BitCast(mask, ir_.Int(lanes));
  if (lanes > 4 && lanes * element_bytes > ir_.target().machine.vector_bytes) {
    // Register by register.
    std::vector<IrValue> halves;
    for (const int first : {0, lanes / 2}) {
      const IrValue half = ir_.Offset(place, ir_.Index(int64_t{first} * stride * element_bytes));
      const IrValue half_mask = mask == nullptr ? nullptr : bits_from(bits, first, lanes / 2);
      halves.push_back(
          LoadStrided(element, half, element_bytes, stride, lanes / 2, half_mask, invariant));
    }
    return ir_.Concat(halves[0], halves[1]);
  }
  const IrType vector = ir_.Vector(element, lanes);
  const int last = (lanes - 1) * stride;  // element
  IrValue spread = nullptr;               // a bit for each element from the first one on
  if (mask != nullptr) {
    const bool is_short = lanes * stride <= 32;
    const IrType word = ir_.Int(is_short ? 32 : 64);
    int64_t wanted = 0;
    for (int i = 0; i < lanes; ++i) wanted |= static_cast<int64_t>(uint64_t{1} << (i * stride));
    spread = ir_.Intrinsic(
        is_short ? "llvm.x86.bmi.pdep.32" : "llvm.x86.bmi.pdep.64", {},
        {lanes == ir_.Bits(word) ? bits : ir_.ZExt(bits, word), ir_.Const(word, wanted)});
  }
  IrValue result = nullptr;
  int taken = 0;  // lanes of the result so far
  for (int v = 0; v < stride; ++v) {
    const bool ends_with_last = mask == nullptr && v + 1 == stride;
    const int first = ends_with_last ? last - (lanes - 1) : v * lanes;
    const IrValue from = ir_.Offset(place, ir_.Index(int64_t{first} * element_bytes));
    const IrValue part = mask == nullptr ? ir_.Load(vector, from, element_bytes, invariant)
                                         : ir_.MaskedLoad(vector, from, element_bytes,
                                                          bits_from(spread, first, lanes));
    std::vector<int> order;
    for (int i = 0; i < lanes; ++i) {
      const int from = i * stride - first;
      if (i < taken) {
        order.push_back(i);
      } else {
        order.push_back(from < lanes ? lanes + from : 0);
      }
    }
    while (taken < lanes && taken * stride - first < lanes) ++taken;
    result = ir_.Shuffle(result == nullptr ? part : result, part, order);
  }
  return result;
}

namespace {

// Loads the columns of as many rows as there are lanes as they lie in memory, and transposes them.
class ColumnLoader {
 public:
  // At most as many columns as lanes, and vectors of one register.
  ColumnLoader(Ir& ir, IrType memory, const ElementAddress& address, int64_t bytes, int64_t stride,
               int columns, int64_t room, int lanes)
      : ir_(ir),
        memory_(memory),
        place_(ir.Offset(address.pointer, address.bytes)),
        is_invariant_(address.invariant),
        bytes_(bytes),
        stride_(stride),
        columns_(columns),
        end_((lanes - 1) * stride + room),
        lanes_(lanes) {
    while (width_ < columns) width_ *= 2;
  }

  // The vector of each column, as it is in memory.
  std::vector<IrValue> Load() {
    std::vector<Pieces> groups = LoadRows();
    // Each step doubles the rows of a group and halves its columns.
    for (int half = width_ / 2; half >= 1; half /= 2) groups = Merge(groups, half);
    std::vector<IrValue> columns;
    for (const Piece& column : groups[0]) columns.push_back(column.value);
    return columns;
  }

 private:
  // A vector of elements of several rows and columns: which one each lane has, row * width +
  // column, -1 where that does not matter.
  struct Piece {
    IrValue value;
    std::vector<int> places;
  };
  using Pieces = std::vector<Piece>;

  // Groups of rows; each has the parts of their columns.
  std::vector<Pieces> LoadRows() {
    const int rows = lanes_ / width_;
    std::vector<Pieces> groups;
    for (int row = 0; row < lanes_; row += rows) {
      Pieces pieces;
      if ((rows - 1) * stride_ + columns_ <= lanes_) {
        pieces.push_back(LoadPiece(row, lanes_, rows > 1));
      } else {
        for (int r = row; r < row + rows; ++r) pieces.push_back(LoadPiece(r, width_, false));
      }
      for (; pieces.size() > 1; pieces.resize(pieces.size() / 2)) {
        for (size_t i = 0; i < pieces.size() / 2; ++i)
          pieces[i] = Join(pieces[2 * i], pieces[2 * i + 1]);
      }
      groups.push_back(std::move(pieces));
    }
    return groups;
  }

  // `count` elements of row `row` and those behind it, from an element that all of them follow.
  Piece LoadPiece(int row, int count, bool has_more_rows) {
    const int64_t first = std::min(row * stride_, end_ - count);
    Piece piece;
    piece.value =
        ir_.Load(ir_.Vector(memory_, count), ir_.Offset(place_, ir_.Index(first * bytes_)),
                 static_cast<int>(bytes_), is_invariant_);
    for (int64_t at = first; at < first + count; ++at) {
      const int64_t of_row = has_more_rows ? at / stride_ : row, column = at - of_row * stride_;
      const bool counts = of_row >= row && column >= 0 && column < columns_;
      piece.places.push_back(counts ? static_cast<int>(of_row * width_ + column) : -1);
    }
    return piece;
  }

  Piece Join(const Piece& a, const Piece& b) {
    Piece joined = {nullptr, a.places};
    joined.places.insert(joined.places.end(), b.places.begin(), b.places.end());
    joined.value = ir_.Concat(a.value, b.value);
    return joined;
  }

  // Merges neighboring groups into one, of pieces with `half` columns.
  std::vector<Pieces> Merge(const std::vector<Pieces>& groups, int half) {
    std::vector<Pieces> merged(groups.size() / 2);
    for (size_t g = 0; g < merged.size(); ++g) {
      for (int column = 0; column < columns_; column += half) {
        const auto part = static_cast<size_t>(column / (2 * half));
        merged[g].push_back(MergePieces(groups[2 * g][part], groups[2 * g + 1][part],
                                        static_cast<int>(g), column, half));
      }
    }
    return merged;
  }

  Piece MergePieces(const Piece& a, const Piece& b, int group, int first_column, int columns) {
    const int rows = lanes_ / columns, first_row = group * rows;
    Piece merged;
    std::vector<int> order;
    for (int row = first_row; row < first_row + rows; ++row) {
      for (int c = first_column; c < first_column + columns; ++c) {
        const int wanted = c < columns_ ? row * width_ + c : -1;
        const auto in_a = std::find(a.places.begin(), a.places.end(), wanted);
        const auto in_b = std::find(b.places.begin(), b.places.end(), wanted);
        const bool is_in_a = in_a != a.places.end();
        const auto lane = is_in_a
                              ? in_a - a.places.begin()
                              : static_cast<int64_t>(a.places.size()) + (in_b - b.places.begin());
        order.push_back(wanted < 0 ? 0 : static_cast<int>(lane));
        merged.places.push_back(wanted);
      }
    }
    merged.value = ir_.Shuffle(a.value, b.value, order);
    return merged;
  }

  Ir& ir_;
  const IrType memory_;
  const IrValue place_;
  const bool is_invariant_;
  const int64_t bytes_, stride_;
  const int columns_;
  const int64_t end_;  // elements that may be read
  const int lanes_;
  int width_ = 2;  // columns of a vector, a power of two
};

}  // namespace

std::vector<Element> ElementOps::LoadColumns(PrimitiveType type, const ElementAddress& address,
                                             int64_t stride, int columns, int64_t room, int lanes) {
  const int64_t bytes = primitive_util::ByteWidth(type);
  if (lanes * bytes > ir_.target().machine.vector_bytes) {
    // Register by register.
    const int half = lanes / 2;
    ElementAddress second = address;
    second.bytes = ir_.Add(address.bytes, ir_.Index(half * stride * bytes));
    std::vector<Element> elements = LoadColumns(type, address, stride, columns, stride, half);
    const std::vector<Element> others = LoadColumns(type, second, stride, columns, room, half);
    for (size_t c = 0; c < elements.size(); ++c)
      elements[c].re = ir_.Concat(elements[c].re, others[c].re);
    return elements;
  }
  if (columns > lanes) {
    std::vector<Element> elements = LoadColumns(type, address, stride, lanes, room, lanes);
    ElementAddress rest = address;
    rest.bytes = ir_.Add(address.bytes, ir_.Index(lanes * bytes));
    for (const Element& element :
         LoadColumns(type, rest, stride, columns - lanes, room - lanes, lanes)) {
      elements.push_back(element);
    }
    return elements;
  }
  std::vector<Element> elements;
  for (const IrValue column :
       ColumnLoader(ir_, MemoryType(type), address, bytes, stride, columns, room, lanes).Load()) {
    const bool is_plain_float = type == F32 || type == F64;
    elements.push_back({is_plain_float ? column : FromBits(type, column)});
  }
  return elements;
}

void ElementOps::Store(PrimitiveType type, const Element& element, IrValue pointer, IrValue bytes,
                       bool streams) {
  const int part_bytes = static_cast<int>(primitive_util::ByteWidth(PartType(type)));
  const bool is_plain_float = PartType(type) == F32 || PartType(type) == F64;
  const IrValue place = ir_.Offset(pointer, bytes);
  if (!primitive_util::IsComplexType(type)) {
    ir_.Store(is_plain_float ? element.re : ToBits(type, element.re), place, part_bytes, streams);
    return;
  }
  const int lanes = Lanes(element);
  if (lanes == 1) {
    ir_.Store(element.re, place, part_bytes);
    ir_.Store(element.im, ir_.Offset(place, ir_.Index(part_bytes)), part_bytes);
    return;
  }
  std::vector<int> order;
  for (int i = 0; i < lanes; ++i) {
    order.push_back(i);
    order.push_back(lanes + i);
  }
  ir_.Store(ir_.Shuffle(element.re, element.im, order), place, part_bytes, streams);
}

IrValue ElementOps::RoundBf16(IrValue value, bool may_have_any_nan) {
  const IrType bits_type = ir_.IntsLike(ir_.TypeOf(value));
  const IrValue bits = ir_.BitCast(value, bits_type);
  const auto word = [&](int64_t constant) { return ir_.Const(bits_type, constant); };
  const IrValue odd = ir_.And(ir_.LShr(bits, word(16)), word(1));
  IrValue rounded = ir_.Add(bits, ir_.Add(odd, word(0x7fff)));
  if (may_have_any_nan) {
    // A NaN keeps its upper bits and is quiet.
    const IrValue is_nan = ir_.FCmp(LLVMRealUNO, value, value);
    rounded = ir_.Select(is_nan, ir_.Or(bits, word(0x400000)), rounded);
  }
  return ir_.BitCast(ir_.And(rounded, word(int64_t{0xffff0000})), ir_.TypeOf(value));
}

Element ElementOps::RoundResult(PrimitiveType type, Element element) {
  // NaN payloads come from an operand or are zero, so rounding leaves NaN unchanged.
  if (type == BF16) return {RoundBf16(element.re, false)};
  return Round(type, element);
}

Element ElementOps::Round(PrimitiveType type, Element element) {
  if (type == F16) {
    const IrType wide = ir_.TypeOf(element.re);
    if (!ir_.target().machine.half) return {HalfToFloat(ir_, FloatToHalf(ir_, element.re))};
    return {ir_.FPExt(ir_.FPTrunc(element.re, ir_.WithElement(wide, ir_.F16())), wide)};
  }
  if (type == BF16) return {RoundBf16(element.re, true)};
  if (IsNarrowFloat(type)) return {FromBits(type, ToBits(type, element.re))};
  if (IsSubByteInteger(type)) {
    const IrType integer = ir_.TypeOf(element.re);
    const int bits = primitive_util::BitWidth(type);
    if (!primitive_util::IsSignedIntegralType(type)) {
      return {ir_.And(element.re, ir_.Const(integer, (int64_t{1} << bits) - 1))};
    }
    const IrValue unused = ir_.Const(integer, int64_t{8 - bits});
    return {ir_.AShr(ir_.Shl(element.re, unused), unused)};
  }
  return element;
}

// Rounds towards zero and saturates; NaN becomes 0. LLVM's own saturating conversions take the
// elements of vectors one by one.
IrValue ElementOps::FloatToInteger(IrValue value, PrimitiveType to) {
  const IrType float_type = ir_.TypeOf(value);
  const bool is_signed = primitive_util::IsSignedIntegralType(to);
  const int bits = primitive_util::BitWidth(to);
  const IrType type = ir_.WithElement(float_type, RegisterType(to));
  const IrType wide = bits < 32 ? ir_.WithElement(float_type, ir_.I32()) : type;
  // Both bounds are powers of two, or zero; the upper one is not included.
  const IrValue low = ir_.Const(float_type, is_signed ? -std::ldexp(1.0, bits - 1) : 0.0);
  const IrValue high = ir_.Const(float_type, std::ldexp(1.0, is_signed ? bits - 1 : bits));
  const IrValue below = ir_.FCmp(LLVMRealOLT, value, low);
  const IrValue above = ir_.FCmp(LLVMRealOGE, value, high);
  const IrValue fits =
      ir_.And(ir_.FCmp(LLVMRealOGE, value, low), ir_.FCmp(LLVMRealOLT, value, high));
  const IrValue safe = ir_.Select(fits, value, ir_.Zero(float_type));
  const uint64_t all = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  const uint64_t greatest = is_signed ? all >> 1 : all;
  const int64_t least = is_signed ? -static_cast<int64_t>(greatest) - 1 : 0;
  IrValue integer = is_signed || bits < 32 ? ir_.FPToSI(safe, wide) : ir_.FPToUI(safe, wide);
  integer = ir_.Select(above, ir_.Const(wide, static_cast<int64_t>(greatest)), integer);
  integer = ir_.Select(below, ir_.Const(wide, least), integer);
  return bits < 32 ? ir_.Trunc(integer, type) : integer;
}

// Converts integers to f64. Inexact results are rounded to the neighbor with an odd last bit, from
// which a second rounding gives the same result as a single one would.
IrValue ElementOps::IntegerToOddF64(PrimitiveType from, IrValue value) {
  const IrType type = ir_.TypeOf(value), floats = ir_.WithElement(type, ir_.F64());
  const bool is_signed = primitive_util::IsSignedIntegralType(from);
  const auto convert = [&](IrValue integer) {
    return is_signed ? ir_.SIToFP(integer, floats) : ir_.UIToFP(integer, floats);
  };
  if (primitive_util::BitWidth(from) < 64) return convert(value);
  // Beyond 53 bits: keeps the upper bits, and sets the last one if any dropped bit is set.
  constexpr int64_t kDropped = 11, kExact = int64_t{1} << 53;
  const auto word = [&](int64_t number) { return ir_.Const(type, number); };
  const IrValue magnitude =
      is_signed ? ir_.Intrinsic("llvm.abs", {type}, {value, ir_.Const(ir_.I1(), int64_t{0})})
                : value;
  const IrValue is_large = ir_.ICmp(LLVMIntUGE, magnitude, word(kExact));
  const IrValue lost =
      ir_.ICmp(LLVMIntNE, ir_.And(value, word((int64_t{1} << kDropped) - 1)), word(0));
  const IrValue upper =
      is_signed ? ir_.AShr(value, word(kDropped)) : ir_.LShr(value, word(kDropped));
  const IrValue shortened = ir_.Or(upper, ir_.ZExt(lost, type));
  const IrValue scale = ir_.Const(floats, std::ldexp(1.0, kDropped));
  return ir_.Select(is_large, ir_.FMul(convert(shortened), scale), convert(value));
}

// Rounds f64 to f32 likewise, for a second rounding to a narrower type.
IrValue ElementOps::NarrowToOdd(IrValue value) {
  const IrType wide = ir_.TypeOf(value), narrow = ir_.WithElement(wide, ir_.F32());
  const IrType bits_type = ir_.IntsLike(narrow);
  const IrValue nearest = ir_.FPTrunc(value, narrow);
  const IrValue back = ir_.FPExt(nearest, wide);
  const IrValue is_away =
      ir_.FCmp(LLVMRealOGT, ir_.Unary("llvm.fabs", back), ir_.Unary("llvm.fabs", value));
  const IrValue is_inexact = ir_.FCmp(LLVMRealONE, back, value);
  IrValue bits = ir_.BitCast(nearest, bits_type);
  bits = ir_.Sub(bits, ir_.ZExt(is_away, bits_type));
  return ir_.BitCast(ir_.Or(bits, ir_.ZExt(is_inexact, bits_type)), narrow);
}

Element ElementOps::Convert(PrimitiveType from, PrimitiveType to, const Element& element) {
  if (from == to) return element;
  const IrType type = ir_.TypeOf(element.re);
  const PrimitiveType from_part = PartType(from), to_part = PartType(to);
  const auto with = [&](PrimitiveType t) { return ir_.WithElement(type, RegisterType(t)); };
  if (to == PRED) {
    const auto not_zero = [&](IrValue part) {
      return ir_.IsFloat(type) ? ir_.FCmp(LLVMRealUNE, part, ir_.Zero(type))
                               : ir_.ICmp(LLVMIntNE, part, ir_.Zero(type));
    };
    IrValue result = not_zero(element.re);
    if (element.im != nullptr) result = ir_.Or(result, not_zero(element.im));
    return {result};
  }
  if (primitive_util::IsComplexType(to)) {
    Element result = Convert(from_part, to_part, {element.re});
    result.im =
        element.im == nullptr ? ir_.Zero(with(to)) : Convert(from_part, to_part, {element.im}).re;
    return result;
  }
  const IrValue value = element.re;
  if (primitive_util::IsFloatingPointType(to)) {
    if (primitive_util::IsFloatingPointType(from_part)) {
      if (to == F64) return {ir_.FPExt(value, with(F64))};
      if (from_part != F64) return Round(to, element);
      if (to == F32) return {ir_.FPTrunc(value, with(F32))};
      return Round(to, {NarrowToOdd(value)});
    }
    const bool is_signed = primitive_util::IsSignedIntegralType(from);
    const bool is_exact = from == PRED || primitive_util::BitWidth(from) <= 16;
    if (IsNarrowFloat(to) && !is_exact) {
      return Round(to, {NarrowToOdd(IntegerToOddF64(from, value))});
    }
    const IrValue converted = is_signed ? ir_.SIToFP(value, with(to)) : ir_.UIToFP(value, with(to));
    return Round(to, {converted});
  }
  // To an integer.
  if (primitive_util::IsFloatingPointType(from_part)) return {FloatToInteger(value, to)};
  const int from_bits = ir_.Bits(type), to_bits = ir_.Bits(RegisterType(to));
  IrValue result = value;
  if (to_bits < from_bits) result = ir_.Trunc(value, with(to));
  if (to_bits > from_bits) {
    result = primitive_util::IsSignedIntegralType(from) ? ir_.SExt(value, with(to))
                                                        : ir_.ZExt(value, with(to));
  }
  return Round(to, {result});
}

Element ElementOps::Constant(PrimitiveType type, const void* native) {
  const auto part = [&](const char* data) -> IrValue {
    switch (PartType(type)) {
      case F32: {
        uint32_t bits;
        std::memcpy(&bits, data, sizeof(bits));
        return ir_.ConstBits(ir_.F32(), bits);
      }
      case F64: {
        uint64_t bits;
        std::memcpy(&bits, data, sizeof(bits));
        return ir_.ConstBits(ir_.F64(), bits);
      }
      case PRED:
        return ir_.Const(ir_.I1(), int64_t{*data != 0});
      default:
        break;
    }
    if (primitive_util::IsFloatingPointType(type)) {
      uint32_t bits;
      ConvertElements(type, data, F32, &bits, 1);
      return ir_.ConstBits(ir_.F32(), bits);
    }
    const int64_t bytes = primitive_util::ByteWidth(type);
    uint64_t bits = 0;
    std::memcpy(&bits, data, static_cast<size_t>(bytes));
    return ir_.Const(RegisterType(type), static_cast<int64_t>(bits));
  };
  const char* data = static_cast<const char*>(native);
  Element element = {part(data)};
  if (primitive_util::IsComplexType(type)) {
    element.im = part(data + primitive_util::ByteWidth(PartType(type)));
  }
  return element;
}

Element ElementOps::Zero(PrimitiveType type) {
  Element element = {ir_.Zero(RegisterType(type))};
  if (primitive_util::IsComplexType(type)) element.im = element.re;
  return element;
}

Element ElementOps::Splat(Element element, int lanes) {
  if (lanes == Lanes(element)) return element;
  element.re = ir_.Splat(element.re, lanes);
  if (element.im != nullptr) element.im = ir_.Splat(element.im, lanes);
  return element;
}

Element ElementOps::Select(IrValue condition, Element a, Element b) {
  const int lanes = std::max({ir_.Lanes(condition), Lanes(a), Lanes(b)});
  a = Splat(a, lanes);
  b = Splat(b, lanes);
  Element result = {ir_.Select(condition, a.re, b.re)};
  if (a.im != nullptr) result.im = ir_.Select(condition, a.im, b.im);
  return result;
}

}  // namespace xla::cpu
