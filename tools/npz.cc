// SPDX-License-Identifier: Apache-2.0
#include "tools/npz.h"

#include <zlib.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "xla/base/status_macros.h"
#include "xla/layout_util.h"
#include "xla/overflow_util.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

constexpr std::string_view kNpyMagic = "\x93NUMPY";
constexpr uint32_t kLocalHeader = 0x04034b50, kCentralHeader = 0x02014b50, kCentralEnd = 0x06054b50;
constexpr uint32_t kCentral64End = 0x06064b50, kCentral64Locator = 0x07064b50;

struct Dtype {
  const char* text;  // without byte order
  PrimitiveType type;
};
constexpr Dtype kDtypes[] = {{"b1", PRED}, {"i1", S8},  {"i2", S16}, {"i4", S32},  {"i8", S64},
                             {"u1", U8},   {"u2", U16}, {"u4", U32}, {"u8", U64},  {"f2", F16},
                             {"f4", F32},  {"f8", F64}, {"c8", C64}, {"c16", C128}};

// Little-endian fields of a ZIP archive; reads past the end are errors.
class Reader {
 public:
  explicit Reader(std::string_view bytes, uint64_t at = 0) : bytes_(bytes), at_(at) {}
  template <class T>
  T Get() {
    T value = 0;
    if (at_ > bytes_.size() || bytes_.size() - at_ < sizeof(T)) {
      ok_ = false;
      return value;
    }
    std::memcpy(&value, bytes_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }
  std::string_view Bytes(uint64_t count) {
    if (at_ > bytes_.size() || bytes_.size() - at_ < count) {
      ok_ = false;
      return {};
    }
    std::string_view result = bytes_.substr(at_, count);
    at_ += count;
    return result;
  }
  bool ok() const { return ok_; }

 private:
  std::string_view bytes_;
  uint64_t at_;
  bool ok_ = true;
};

absl::StatusOr<std::string> Inflate(std::string_view compressed, uint64_t size) {
  // Deflate gains at most a factor of about 1032: a larger claim is a lie, and is not believed with
  // memory.
  if (size / 1040 > compressed.size() + 1)
    return absl::InvalidArgumentError("npz: a member claims an impossible size");
  std::string out(size, '\0');
  z_stream stream = {};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
    return absl::InternalError("npz: zlib did not start");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data()));
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  uint64_t in_left = compressed.size(), out_left = size;
  int code = Z_OK;
  while (code == Z_OK) {
    constexpr uint64_t kMost = std::numeric_limits<uInt>::max();
    stream.avail_in = static_cast<uInt>(std::min(in_left, kMost));
    stream.avail_out = static_cast<uInt>(std::min(out_left, kMost));
    const uInt in_before = stream.avail_in, out_before = stream.avail_out;
    code = inflate(&stream, Z_NO_FLUSH);
    in_left -= in_before - stream.avail_in;
    out_left -= out_before - stream.avail_out;
    if (code == Z_OK && in_before == stream.avail_in && out_before == stream.avail_out) break;
  }
  inflateEnd(&stream);
  if (code != Z_STREAM_END || out_left != 0)
    return absl::InvalidArgumentError("npz: a member's data is damaged");
  return out;
}

// The value of a key in the header's Python dictionary, up to the matching end.
std::optional<std::string_view> DictValue(std::string_view header, std::string_view key) {
  const size_t at = header.find(absl::StrCat("'", std::string(key), "':"));
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = header.substr(at + key.size() + 3);
  while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  if (rest.empty()) return std::nullopt;
  size_t end;
  if (rest.front() == '(') {
    end = rest.find(')');
    return end == std::string_view::npos ? std::nullopt
                                         : std::make_optional(rest.substr(1, end - 1));
  }
  if (rest.front() == '\'') {
    end = rest.find('\'', 1);
    return end == std::string_view::npos ? std::nullopt
                                         : std::make_optional(rest.substr(1, end - 1));
  }
  end = rest.find_first_of(",}");
  return rest.substr(0, end);
}

// How ToNpy writes a type NumPy lacks.
PrimitiveType StoredType(PrimitiveType type) {
  for (const Dtype& dtype : kDtypes) {
    if (dtype.type == type) return type;
  }
  if (primitive_util::IsFloatingPointType(type)) return F32;
  return primitive_util::IsSignedIntegralType(type) ? S8 : U8;
}

}  // namespace

absl::StatusOr<Literal> ParseNpy(std::string_view bytes, bool* is_raw) {
  if (is_raw != nullptr) *is_raw = false;
  if (bytes.substr(0, kNpyMagic.size()) != kNpyMagic || bytes.size() < 10) {
    return absl::InvalidArgumentError("npy: not a .npy file");
  }
  const int major = static_cast<unsigned char>(bytes[6]);
  Reader reader(bytes, 8);
  const uint64_t header_size = major == 1 ? reader.Get<uint16_t>() : reader.Get<uint32_t>();
  const std::string_view header = reader.Bytes(header_size);
  if (!reader.ok() || major < 1 || major > 3)
    return absl::InvalidArgumentError("npy: the header is cut off or unknown");
  const auto descr = DictValue(header, "descr");
  const auto fortran = DictValue(header, "fortran_order");
  const auto shape_text = DictValue(header, "shape");
  if (!descr || !fortran || !shape_text || descr->size() < 2) {
    return absl::InvalidArgumentError("npy: the header lacks descr, fortran_order or shape");
  }
  const char order = (*descr)[0];
  const std::string_view kind = descr->substr(1);
  PrimitiveType type = PRIMITIVE_TYPE_INVALID;
  for (const Dtype& dtype : kDtypes) {
    if (kind == dtype.text) type = dtype.type;
  }
  if (kind == "V1" || kind == "V2") {
    type = kind == "V1" ? U8 : U16;
    if (is_raw != nullptr) *is_raw = true;
  }
  if (type == PRIMITIVE_TYPE_INVALID || (order != '<' && order != '|' && order != '=')) {
    return absl::InvalidArgumentError(
        absl::StrCat("npy: arrays of type '", absl::string_view(descr->data(), descr->size()),
                     "' are not supported (little-endian numbers and bool are)"));
  }
  std::vector<int64_t> dims;
  int64_t elements = 1;
  for (size_t at = 0; at < shape_text->size();) {
    size_t comma = shape_text->find(',', at);
    if (comma == std::string_view::npos) comma = shape_text->size();
    absl::string_view item(shape_text->data() + at, comma - at);
    at = comma + 1;
    item = absl::StripAsciiWhitespace(item);
    if (item.empty()) continue;
    int64_t size;
    if (!absl::SimpleAtoi(item, &size) || size < 0 || dims.size() >= 64) {
      return absl::InvalidArgumentError(absl::StrCat("npy: bad dimension '", item, "'"));
    }
    dims.push_back(size);
    if (__builtin_mul_overflow(elements, size, &elements))
      return absl::InvalidArgumentError("npy: the shape overflows");
  }
  const int64_t width = primitive_util::ByteWidth(type);
  int64_t size;
  if (__builtin_mul_overflow(elements, width, &size))
    return absl::InvalidArgumentError("npy: the shape overflows");
  const std::string_view data = reader.Bytes(size);
  if (!reader.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("npy: the data is cut off: ", size, " bytes expected"));
  }
  Shape shape = ShapeUtil::MakeShape(type, dims);
  if (fortran->substr(0, 4) == "True") {
    std::vector<int64_t> minor_to_major(dims.size());
    for (size_t i = 0; i < dims.size(); ++i) minor_to_major[i] = i;
    *shape.mutable_layout() = LayoutUtil::MakeLayout(minor_to_major);
  }
  XLA_ASSIGN_OR_RETURN(Literal literal, Literal::Make(shape));
  if (size > 0) std::memcpy(literal.untyped_data(), data.data(), size);
  if (fortran->substr(0, 4) == "True") {
    return literal.Relayout(ShapeUtil::MakeShapeWithDescendingLayout(type, dims));
  }
  return literal;
}

absl::StatusOr<std::vector<NamedLiteral>> ParseNumpyFile(std::string_view bytes) {
  std::vector<NamedLiteral> result;
  if (bytes.substr(0, kNpyMagic.size()) == kNpyMagic) {
    XLA_ASSIGN_OR_RETURN(Literal literal, ParseNpy(bytes));
    result.push_back({"", std::move(literal)});
    return result;
  }
  // The central directory's end record lies at the end, behind it only a comment of at most 64 KiB.
  constexpr size_t kEndSize = 22;
  if (bytes.size() < kEndSize) return absl::InvalidArgumentError("neither a .npy nor a .npz file");
  size_t end = std::string_view::npos;
  const size_t lowest = bytes.size() > kEndSize + 0xffff ? bytes.size() - kEndSize - 0xffff : 0;
  for (size_t at = bytes.size() - kEndSize + 1; at-- > lowest;) {
    if (Reader(bytes, at).Get<uint32_t>() == kCentralEnd) {
      end = at;
      break;
    }
  }
  if (end == std::string_view::npos)
    return absl::InvalidArgumentError("neither a .npy nor a .npz file");
  uint64_t count = Reader(bytes, end + 10).Get<uint16_t>();
  uint64_t directory = Reader(bytes, end + 16).Get<uint32_t>();
  if (end >= 20 && Reader(bytes, end - 20).Get<uint32_t>() == kCentral64Locator) {
    const uint64_t end64 = Reader(bytes, end - 12).Get<uint64_t>();
    if (Reader(bytes, end64).Get<uint32_t>() != kCentral64End)
      return absl::InvalidArgumentError("npz: damaged directory");
    count = Reader(bytes, end64 + 32).Get<uint64_t>();
    directory = Reader(bytes, end64 + 48).Get<uint64_t>();
  }
  Reader central(bytes, directory);
  for (uint64_t i = 0; i < count; ++i) {
    if (central.Get<uint32_t>() != kCentralHeader || !central.ok()) {
      return absl::InvalidArgumentError("npz: damaged directory");
    }
    central.Bytes(6);  // versions, flags
    const uint16_t method = central.Get<uint16_t>();
    central.Bytes(4);  // time, date
    const uint32_t crc = central.Get<uint32_t>();
    uint64_t packed = central.Get<uint32_t>(), size = central.Get<uint32_t>();
    const uint16_t name_size = central.Get<uint16_t>(), extra_size = central.Get<uint16_t>();
    const uint16_t comment_size = central.Get<uint16_t>();
    central.Bytes(8);  // disk, attributes
    uint64_t offset = central.Get<uint32_t>();
    std::string_view name = central.Bytes(name_size);
    Reader extra(central.Bytes(extra_size));
    central.Bytes(comment_size);
    if (!central.ok()) return absl::InvalidArgumentError("npz: damaged directory");
    constexpr uint64_t kIn64 = 0xffffffff;
    for (uint16_t tag = extra.Get<uint16_t>(); extra.ok(); tag = extra.Get<uint16_t>()) {
      Reader field(extra.Bytes(extra.Get<uint16_t>()));
      if (tag != 1) continue;
      if (size == kIn64) size = field.Get<uint64_t>();
      if (packed == kIn64) packed = field.Get<uint64_t>();
      if (offset == kIn64) offset = field.Get<uint64_t>();
    }
    Reader local(bytes, offset);
    if (local.Get<uint32_t>() != kLocalHeader)
      return absl::InvalidArgumentError("npz: damaged member header");
    local.Bytes(22);
    const uint16_t local_name = local.Get<uint16_t>(), local_extra = local.Get<uint16_t>();
    local.Bytes(uint64_t{local_name} + local_extra);
    std::string_view data = local.Bytes(packed);
    if (!local.ok()) return absl::InvalidArgumentError("npz: a member is cut off");
    std::string inflated;
    if (method == 8) {
      XLA_ASSIGN_OR_RETURN(inflated, Inflate(data, size));
      data = inflated;
    } else if (method != 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("npz: compression method ", method, " is not supported"));
    }
    if (crc32_z(0, reinterpret_cast<const Bytef*>(data.data()), data.size()) != crc) {
      return absl::InvalidArgumentError("npz: a member's checksum does not match");
    }
    NamedLiteral& member = result.emplace_back();
    member.name =
        std::string(absl::StripSuffix(absl::string_view(name.data(), name.size()), ".npy"));
    absl::StatusOr<Literal> array = ParseNpy(data);
    if (!array.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("member '", member.name, "': ", array.status().message()));
    }
    member.value = *std::move(array);
  }
  return result;
}

absl::StatusOr<std::string> ToNpy(const LiteralSlice& array) {
  if (!array.shape().IsArray()) {
    return absl::InvalidArgumentError(absl::StrCat("no .npy form for ", array.shape().ToString()));
  }
  // Sizes at run time, not bounds.
  if (array.shape().is_dynamic()) return ToNpy(array.ToStatic());
  const PrimitiveType stored = StoredType(array.shape().element_type());
  Literal dense = array.Relayout(ShapeUtil::MakeShapeWithDescendingLayout(
      array.shape().element_type(), array.shape().dimensions()));
  if (stored != array.shape().element_type()) {
    XLA_ASSIGN_OR_RETURN(dense, dense.Convert(stored));
  }
  std::string descr;
  for (const Dtype& dtype : kDtypes) {
    if (dtype.type == stored)
      descr = absl::StrCat(primitive_util::ByteWidth(stored) == 1 ? "|" : "<", dtype.text);
  }
  std::string header = absl::StrCat("{'descr': '", descr, "', 'fortran_order': False, 'shape': (",
                                    absl::StrJoin(array.shape().dimensions(), ", "),
                                    array.shape().rank() == 1 ? ",), }" : "), }");
  // Data begin at a multiple of 64 bytes.
  header.append(63 - (10 + header.size()) % 64, ' ');
  header.push_back('\n');
  std::string out(kNpyMagic);
  out.push_back('\x01');
  out.push_back('\x00');
  const uint16_t size = static_cast<uint16_t>(header.size());
  out.append(reinterpret_cast<const char*>(&size), 2);
  out.append(header);
  out.append(static_cast<const char*>(dense.untyped_data()), dense.size_bytes());
  return out;
}

absl::StatusOr<std::string> ToNpz(const std::vector<std::pair<std::string, LiteralSlice>>& arrays) {
  std::string out, directory;
  auto put = [](std::string* to, auto value) {
    to->append(reinterpret_cast<const char*>(&value), sizeof(value));
  };
  for (const auto& [name, array] : arrays) {
    XLA_ASSIGN_OR_RETURN(const std::string data, ToNpy(array));
    const std::string member = absl::StrCat(name, ".npy");
    if (data.size() >= 0xffffffff || out.size() >= 0xffffffff) {
      return absl::ResourceExhaustedError("npz: arrays of 4 GiB and more are not supported");
    }
    const uint32_t offset = static_cast<uint32_t>(out.size()),
                   size = static_cast<uint32_t>(data.size());
    const uint32_t crc =
        static_cast<uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(data.data()), data.size()));
    // Version 2.0, no flags, stored, 1980-01-01 00:00: the fields both headers share.
    std::string shared;
    for (uint16_t field : {20, 0, 0, 0, 33}) put(&shared, field);
    for (uint32_t field : {crc, size, size}) put(&shared, field);
    put(&shared, static_cast<uint16_t>(member.size()));
    put(&shared, uint16_t{0});  // extra

    put(&out, kLocalHeader);
    out.append(shared).append(member).append(data);
    put(&directory, kCentralHeader);
    put(&directory, uint16_t{20});
    directory.append(shared);
    for (int i = 0; i < 5; ++i) put(&directory, uint16_t{0});  // comment, disk, attributes
    put(&directory, offset);
    directory.append(member);
  }
  if (out.size() >= 0xffffffff || arrays.size() >= 0xffff) {
    return absl::ResourceExhaustedError("npz: archives of 4 GiB and more are not supported");
  }
  const uint32_t at = static_cast<uint32_t>(out.size()),
                 size = static_cast<uint32_t>(directory.size());
  const uint16_t count = static_cast<uint16_t>(arrays.size());
  out.append(directory);
  put(&out, kCentralEnd);
  for (uint16_t field : {uint16_t{0}, uint16_t{0}, count, count}) put(&out, field);
  put(&out, size);
  put(&out, at);
  put(&out, uint16_t{0});
  return out;
}

absl::StatusOr<Literal> ArgumentFromNumpy(NamedLiteral array, const Shape& shape) {
  const Shape& given = array.value.shape();
  auto refuse = [&](absl::string_view why) {
    return absl::InvalidArgumentError(absl::StrCat(why, ": the program wants ",
                                                   ShapeUtil::HumanString(shape), ", the input is ",
                                                   ShapeUtil::HumanString(given)));
  };
  if (!shape.IsArray()) return refuse("only arrays can be read from files");
  if (given.rank() != shape.rank()) return refuse("the rank differs");
  std::vector<int64_t> sizes;
  for (int i = 0; i < shape.rank(); ++i) {
    const int64_t size = given.dimensions(i);
    const bool fits = shape.is_unbounded_dynamic_dimension(i) ? true
                      : shape.is_dynamic_dimension(i)         ? size <= shape.dimensions(i)
                                                              : size == shape.dimensions(i);
    if (!fits) return refuse(absl::StrCat("dimension ", i, " differs"));
  }
  const PrimitiveType wanted = shape.element_type();
  Literal value;
  if (given.element_type() == wanted) {
    value = std::move(array.value);
  } else if (StoredType(wanted) != wanted && given.element_type() == StoredType(wanted)) {
    XLA_ASSIGN_OR_RETURN(value, array.value.Convert(wanted));
  } else if (StoredType(wanted) != wanted && ((wanted == BF16 && given.element_type() == U16) ||
                                              (wanted != BF16 && given.element_type() == U8))) {
    // Raw bytes of a type NumPy has no name for.
    XLA_ASSIGN_OR_RETURN(value, Literal::Make(ShapeUtil::MakeShape(wanted, given.dimensions())));
    if (value.size_bytes() != array.value.size_bytes()) return refuse("the element type differs");
    if (value.size_bytes() > 0)
      std::memcpy(value.untyped_data(), array.value.untyped_data(), value.size_bytes());
  } else {
    return refuse("the element type differs");
  }
  if (shape.is_static()) return value;
  return value.ToBoundedDynamic(shape);
}

}  // namespace xla
