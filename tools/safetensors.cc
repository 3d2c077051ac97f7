// SPDX-License-Identifier: Apache-2.0
#include "tools/safetensors.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tools/file_kinds.h"
#include "tools/process.h"
#include "xla/base/status_macros.h"
#include "xla/base/string_view.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using TensorJson = nlohmann::json;

// Of the reference implementation.
constexpr uint64_t kMostHeaderBytes = 100'000'000;
constexpr uint64_t kLengthBytes = 8;

struct Dtype {
  const char* name;
  PrimitiveType type;
  int bits;
};
constexpr Dtype kDtypes[] = {
    {"BOOL", PRED, 8},
    {"I8", S8, 8},
    {"U8", U8, 8},
    {"I16", S16, 16},
    {"U16", U16, 16},
    {"I32", S32, 32},
    {"U32", U32, 32},
    {"I64", S64, 64},
    {"U64", U64, 64},
    {"F16", F16, 16},
    {"BF16", BF16, 16},
    {"F32", F32, 32},
    {"F64", F64, 64},
    {"C64", C64, 64},
    {"F8_E5M2", F8E5M2, 8},
    {"F8_E4M3", F8E4M3FN, 8},
    {"F8_E8M0", F8E8M0FNU, 8},
    {"F6_E2M3", F6E2M3FN, 6},
    {"F6_E3M2", F6E3M2FN, 6},
    {"F4", F4E2M1FN, 4},
};

absl::Status Malformed(const std::string& why) {
  return absl::InvalidArgumentError(absl::StrCat("safetensors: ", why));
}

std::string Quoted(std::string_view name) {
  constexpr size_t kMost = 100;
  return absl::StrCat("'", View(name.substr(0, kMost)), name.size() > kMost ? "..." : "", "'");
}

// Members that are missing read as null.
const TensorJson& MemberOf(const TensorJson& object, const char* key) {
  static const TensorJson null;
  const auto found = object.find(key);
  return found == object.end() ? null : *found;
}

bool IsSize(const TensorJson& json) { return json.is_number_unsigned(); }

uint64_t LengthOf(std::string_view bytes) {
  uint64_t length = 0;
  for (size_t i = kLengthBytes; i-- > 0;)
    length = length << 8 | static_cast<unsigned char>(bytes[i]);
  return length;
}

// Elements of fewer than eight bits lie without gaps, the first in the lowest bits; literals have a
// byte for each.
void Unpack(std::string_view packed, int bits, int64_t count, unsigned char* elements) {
  for (int64_t i = 0; i < count; ++i) {
    const int64_t at = i * bits;
    const auto byte = static_cast<size_t>(at / 8);
    unsigned word = static_cast<unsigned char>(packed[byte]);
    if (byte + 1 < packed.size())
      word |= unsigned{static_cast<unsigned char>(packed[byte + 1])} << 8;
    elements[i] = static_cast<unsigned char>(word >> (at % 8) & ((1u << bits) - 1));
  }
}

}  // namespace

bool IsSafetensors(std::string_view bytes) {
  if (bytes.size() <= kLengthBytes || bytes[kLengthBytes] != '{') return false;
  const uint64_t length = LengthOf(bytes);
  return length >= 2 && length <= kMostHeaderBytes;
}

// Bytes in memory, or a file that stays open.
struct SafetensorsFile::Source {
  std::string bytes;
  int fd = -1;
  uint64_t size = 0;

  Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  ~Source() {
    if (fd >= 0) close(fd);
  }

  absl::Status Read(uint64_t offset, char* to, uint64_t count) const {
    if (count > size || offset > size - count)
      return Malformed(absl::StrCat("the file is truncated: it has ", size, " bytes"));
    if (fd < 0) {
      if (count > 0) std::memcpy(to, bytes.data() + offset, count);
      return absl::OkStatus();
    }
    while (count > 0) {
      const ssize_t got = pread(fd, to, count, static_cast<off_t>(offset));
      if (Interrupted()) return absl::CancelledError("interrupted");
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return absl::UnavailableError(std::strerror(errno));
      if (got == 0) return Malformed("the file has become shorter");
      to += got;
      offset += static_cast<uint64_t>(got);
      count -= static_cast<uint64_t>(got);
    }
    return absl::OkStatus();
  }
};

SafetensorsFile::SafetensorsFile() = default;
SafetensorsFile::~SafetensorsFile() = default;
SafetensorsFile::SafetensorsFile(SafetensorsFile&&) noexcept = default;
SafetensorsFile& SafetensorsFile::operator=(SafetensorsFile&&) noexcept = default;

absl::StatusOr<SafetensorsFile::Array> SafetensorsFile::ReadEntry(const std::string& name,
                                                                  const void* json) {
  const TensorJson& entry = *static_cast<const TensorJson*>(json);
  const std::string quoted = Quoted(name);
  if (!entry.is_object()) return Malformed(absl::StrCat(quoted, " is not an object"));
  const TensorJson& dtype = MemberOf(entry, "dtype");
  const TensorJson& sizes = MemberOf(entry, "shape");
  const TensorJson& offsets = MemberOf(entry, "data_offsets");
  if (!dtype.is_string() || !sizes.is_array() || !offsets.is_array() || offsets.size() != 2 ||
      !IsSize(offsets[0]) || !IsSize(offsets[1])) {
    return Malformed(
        absl::StrCat(quoted, " must have dtype (a string), shape and two data_offsets"));
  }
  const std::string& type = dtype.get_ref<const std::string&>();
  const auto* const known =
      std::find_if(std::begin(kDtypes), std::end(kDtypes),
                   [&](const Dtype& candidate) { return type == candidate.name; });
  if (known == std::end(kDtypes))
    return Malformed(absl::StrCat(quoted, " has the unknown dtype ", Quoted(type)));
  Array array;
  array.name = name;
  array.bits = known->bits;
  std::vector<int64_t> dimensions;
  for (const TensorJson& size : sizes) {
    if (!IsSize(size) || size.get<uint64_t>() > static_cast<uint64_t>(INT64_MAX))
      return Malformed(absl::StrCat(quoted, " has a dimension that is not a size"));
    dimensions.push_back(static_cast<int64_t>(size.get<uint64_t>()));
  }
  const auto shape = ShapeUtil::MakeValidatedShape(known->type, dimensions);
  if (!shape.ok()) return Malformed(absl::StrCat(quoted, ": ", shape.status().message()));
  array.shape = *shape;
  array.begin = offsets[0].get<uint64_t>();
  array.end = offsets[1].get<uint64_t>();
  uint64_t bits = 0;
  const bool overflows =
      __builtin_mul_overflow(static_cast<uint64_t>(ShapeUtil::ElementsIn(array.shape)),
                             static_cast<uint64_t>(array.bits), &bits);
  if (overflows || bits % 8 != 0 || array.begin > array.end ||
      array.end - array.begin != bits / 8) {
    return Malformed(absl::StrCat(quoted, ", which is ", array.shape.ToString(),
                                  ", does not have the ", array.end - array.begin,
                                  " bytes between its data_offsets"));
  }
  return array;
}

absl::StatusOr<std::vector<SafetensorsFile::Array>> SafetensorsFile::ReadHeader(
    std::string_view json) {
  // The library takes the last of equal keys, readers differ: they are refused.
  std::set<std::string> keys;
  std::string duplicate;
  bool is_deep = false;
  const auto check = [&](int depth, TensorJson::parse_event_t event, TensorJson& parsed) {
    constexpr int kDeepest = 3;  // the sizes of a shape
    is_deep = is_deep || depth > kDeepest;
    if (event != TensorJson::parse_event_t::key || depth != 1) return !is_deep;
    const auto& key = parsed.get_ref<const std::string&>();
    if (!keys.insert(key).second) duplicate = key;
    return true;
  };
  const TensorJson header = TensorJson::parse(json.begin(), json.end(), check, false);
  if (is_deep) return Malformed("the header is nested too deep");
  if (!header.is_object()) return Malformed("the header is not a JSON object");
  if (!duplicate.empty()) return Malformed(absl::StrCat(Quoted(duplicate), " is duplicated"));
  std::vector<Array> arrays;
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") continue;
    XLA_ASSIGN_OR_RETURN(Array array, ReadEntry(name, &entry));
    arrays.push_back(std::move(array));
  }
  std::stable_sort(arrays.begin(), arrays.end(), [](const Array& a, const Array& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  return arrays;
}

absl::StatusOr<SafetensorsFile> SafetensorsFile::FromSource(std::unique_ptr<Source> source) {
  char length_bytes[kLengthBytes];
  XLA_RETURN_IF_ERROR(source->Read(0, length_bytes, kLengthBytes));
  const uint64_t length = LengthOf({length_bytes, kLengthBytes});
  if (length > kMostHeaderBytes || length > source->size - kLengthBytes) {
    return Malformed(absl::StrCat("the header of ", length, " bytes is larger than ",
                                  length > kMostHeaderBytes ? "100 MB" : "the file"));
  }
  std::string header(length, '\0');
  XLA_RETURN_IF_ERROR(source->Read(kLengthBytes, header.data(), length));
  if (header.empty() || header[0] != '{') return Malformed("the header is not a JSON object");
  SafetensorsFile file;
  XLA_ASSIGN_OR_RETURN(file.arrays_, ReadHeader(header));
  const uint64_t data_bytes = source->size - kLengthBytes - length;
  uint64_t end = 0;
  for (Array& array : file.arrays_) {
    if (array.begin != end) {
      return Malformed(absl::StrCat(Quoted(array.name), " begins at byte ", array.begin,
                                    ", but the arrays before it end at ", end));
    }
    end = array.end;
    array.begin += kLengthBytes + length;
    array.end += kLengthBytes + length;
  }
  if (end != data_bytes) {
    return Malformed(
        absl::StrCat("the arrays have ", end, " bytes, the file has ", data_bytes, " for them"));
  }
  file.source_ = std::move(source);
  return file;
}

absl::StatusOr<SafetensorsFile> SafetensorsFile::FromBytes(std::string bytes) {
  auto source = std::make_unique<Source>();
  source->bytes = std::move(bytes);
  source->size = source->bytes.size();
  return FromSource(std::move(source));
}

absl::StatusOr<SafetensorsFile> SafetensorsFile::Open(const std::string& path) {
  auto source = std::make_unique<Source>();
  source->fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat info;
  if (source->fd < 0 || fstat(source->fd, &info) != 0)
    return absl::NotFoundError(absl::StrCat(DisplayName(path), ": ", std::strerror(errno)));
  source->size = static_cast<uint64_t>(info.st_size);
  absl::StatusOr<SafetensorsFile> file = FromSource(std::move(source));
  if (file.ok()) return file;
  return absl::Status(file.status().code(),
                      absl::StrCat(DisplayName(path), ": ", file.status().message()));
}

absl::StatusOr<Literal> SafetensorsFile::Read(size_t i) const {
  const Array& array = arrays_[i];
  XLA_ASSIGN_OR_RETURN(Literal literal, Literal::Make(array.shape));
  const uint64_t bytes = array.end - array.begin;
  if (bytes == 0) return literal;
  if (array.bits < 8) {
    std::string packed(bytes, '\0');
    XLA_RETURN_IF_ERROR(source_->Read(array.begin, packed.data(), bytes));
    Unpack(packed, array.bits, ShapeUtil::ElementsIn(array.shape),
           static_cast<unsigned char*>(literal.untyped_data()));
    return literal;
  }
  auto* const data = static_cast<char*>(literal.untyped_data());
  XLA_RETURN_IF_ERROR(source_->Read(array.begin, data, bytes));
  // Any byte but zero is true.
  if (array.shape.element_type() == PRED)
    std::for_each(data, data + bytes, [](char& value) { value = value != 0 ? 1 : 0; });
  return literal;
}

}  // namespace xla
