// SPDX-License-Identifier: Apache-2.0
#include "tools/npz.h"

#include <zip.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "tools/file_kinds.h"
#include "tools/files.h"
#include "tools/npy_header.h"
#include "tools/process.h"
#include "xla/base/status_macros.h"
#include "xla/layout_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

struct ZipDeleter {
  void operator()(zip_t* zip) const { zip_discard(zip); }
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};
using ZipPtr = std::unique_ptr<zip_t, ZipDeleter>;
using ZipFilePtr = std::unique_ptr<zip_file_t, ZipDeleter>;

absl::Status ZipError(zip_error_t* error) {
  return absl::InvalidArgumentError(absl::StrCat("npz: ", zip_error_strerror(error)));
}

// What libzip writes goes to this file. It would write to a temporary file of its own, which would
// stay behind if the process is ended.
struct ZipSink {
  std::FILE* file;
  zip_error_t error;

  zip_int64_t Fail(int code) {
    zip_error_set(&error, code, errno);
    return -1;
  }
  zip_int64_t Handle(void* data, zip_uint64_t size, zip_source_cmd_t command) {
    switch (command) {
      case ZIP_SOURCE_SUPPORTS:
        return zip_source_make_command_bitmap(
            ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR,
            ZIP_SOURCE_FREE, ZIP_SOURCE_SEEK, ZIP_SOURCE_TELL, ZIP_SOURCE_BEGIN_WRITE,
            ZIP_SOURCE_COMMIT_WRITE, ZIP_SOURCE_ROLLBACK_WRITE, ZIP_SOURCE_WRITE,
            ZIP_SOURCE_SEEK_WRITE, ZIP_SOURCE_TELL_WRITE, ZIP_SOURCE_REMOVE, -1);
      case ZIP_SOURCE_STAT:  // there is nothing to read yet
        errno = ENOENT;
        return Fail(ZIP_ER_READ);
      case ZIP_SOURCE_ERROR:
        return zip_error_to_data(&error, data, size);
      case ZIP_SOURCE_WRITE:
        errno = 0;
        if (Interrupted() || std::fwrite(data, 1, size, file) != size) return Fail(ZIP_ER_WRITE);
        return static_cast<zip_int64_t>(size);
      case ZIP_SOURCE_SEEK_WRITE: {
        const auto* target = ZIP_SOURCE_GET_ARGS(zip_source_args_seek_t, data, size, &error);
        if (target == nullptr) return -1;
        return fseeko(file, target->offset, target->whence) == 0 ? 0 : Fail(ZIP_ER_SEEK);
      }
      case ZIP_SOURCE_TELL_WRITE: {
        const off_t at = ftello(file);
        return at >= 0 ? at : Fail(ZIP_ER_TELL);
      }
      case ZIP_SOURCE_COMMIT_WRITE:
        return std::fflush(file) == 0 ? 0 : Fail(ZIP_ER_WRITE);
      case ZIP_SOURCE_BEGIN_WRITE:
      case ZIP_SOURCE_ROLLBACK_WRITE:
      case ZIP_SOURCE_FREE:
        return 0;
      default:
        zip_error_set(&error, ZIP_ER_OPNOTSUPP, 0);
        return -1;
    }
  }
};

zip_int64_t HandleSink(void* sink, void* data, zip_uint64_t size, zip_source_cmd_t command) {
  return static_cast<ZipSink*>(sink)->Handle(data, size, command);
}

absl::Status WriteError(const std::string& path, absl::string_view why) {
  return absl::UnavailableError(absl::StrCat(path, ": ", why));
}

std::string MemberName(absl::string_view file_name) {
  return std::string(absl::StripSuffix(file_name, ".npy"));
}

bool DimensionFits(const Shape& shape, int i, int64_t size) {
  return shape.is_dynamic_dimension(i) ? size <= shape.dimensions(i) : size == shape.dimensions(i);
}

}  // namespace

absl::Status CheckFitsArgument(const Shape& given, const Shape& shape) {
  const auto refuse = [&](absl::string_view why) {
    return absl::InvalidArgumentError(absl::StrCat(why, ": the program expects ",
                                                   ShapeUtil::HumanString(shape), ", the input is ",
                                                   ShapeUtil::HumanString(given)));
  };
  if (!shape.IsArray()) return refuse("only arrays can be read from files");
  if (shape.is_unbounded_dynamic()) return refuse("a dimension has no bound");
  if (given.rank() != shape.rank()) return refuse("the rank differs");
  for (int i = 0; i < shape.rank(); ++i) {
    if (!DimensionFits(shape, i, given.dimensions(i)))
      return refuse(absl::StrCat("dimension ", i, " differs"));
  }
  const PrimitiveType expected = shape.element_type(), type = given.element_type();
  const bool is_foreign = NumpyType(expected) != expected;
  const bool fits =
      type == expected ||
      (is_foreign && (type == NumpyType(expected) || type == (expected == BF16 ? U16 : U8)));
  return fits ? absl::OkStatus() : refuse("the element type differs");
}

struct NumpyFile::Archive {
  std::string bytes;
  ZipPtr zip;  // null: `bytes` is one .npy file

  // Calls `use` with the header, the most bytes that may follow it, and a reader of them.
  using Use = absl::FunctionRef<absl::Status(const NpyHeader&, uint64_t max_bytes, ReadBytes read)>;
  absl::Status ReadMember(size_t i, Use use) const;
};

absl::Status NumpyFile::Archive::ReadMember(size_t i, Use use) const {
  if (zip == nullptr) {
    size_t at = 0;
    const auto read = [&](char* buffer, size_t count) -> absl::StatusOr<size_t> {
      count = std::min(count, bytes.size() - at);
      std::memcpy(buffer, bytes.data() + at, count);
      at += count;
      return count;
    };
    XLA_ASSIGN_OR_RETURN(const NpyHeader header, ReadNpyHeader(read));
    return use(header, bytes.size() - at, read);
  }
  const ZipFilePtr file(zip_fopen_index(zip.get(), i, 0));
  if (file == nullptr) return ZipError(zip_get_error(zip.get()));
  const auto read = [&](char* buffer, size_t count) -> absl::StatusOr<size_t> {
    size_t done = 0;
    while (done < count) {
      const zip_int64_t got = zip_fread(file.get(), buffer + done, count - done);
      if (got < 0) return ZipError(zip_file_get_error(file.get()));
      if (got == 0) break;
      done += static_cast<size_t>(got);
    }
    return done;
  };
  XLA_ASSIGN_OR_RETURN(const NpyHeader header, ReadNpyHeader(read));
  zip_stat_t info;
  zip_stat_init(&info);
  const bool known =
      zip_stat_index(zip.get(), i, 0, &info) == 0 && (info.valid & ZIP_STAT_SIZE) != 0;
  return use(header, known ? info.size : std::numeric_limits<uint64_t>::max(), read);
}

NumpyFile::NumpyFile() : archive_(std::make_unique<Archive>()) {}
NumpyFile::~NumpyFile() = default;
NumpyFile::NumpyFile(NumpyFile&&) noexcept = default;
NumpyFile& NumpyFile::operator=(NumpyFile&&) noexcept = default;

absl::StatusOr<NumpyFile> NumpyFile::FromBytes(std::string bytes) {
  NumpyFile file;
  Archive& archive = *file.archive_;
  archive.bytes = std::move(bytes);
  if (IsNpy(archive.bytes)) {
    file.names_.emplace_back();
    return file;
  }
  for (const std::string& why :
       {DescribeForeignFile(archive.bytes), DescribeProgramFile(archive.bytes)}) {
    if (!why.empty()) return absl::InvalidArgumentError(why);
  }
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source =
      zip_source_buffer_create(archive.bytes.data(), archive.bytes.size(), 0, &error);
  if (source == nullptr) return ZipError(&error);
  archive.zip.reset(zip_open_from_source(source, ZIP_RDONLY, &error));
  if (archive.zip == nullptr) {
    zip_source_free(source);
    return absl::InvalidArgumentError(
        absl::StrCat("neither a .npy nor a .npz file: ", zip_error_strerror(&error)));
  }
  const zip_int64_t count = zip_get_num_entries(archive.zip.get(), 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    const char* name = zip_get_name(archive.zip.get(), static_cast<zip_uint64_t>(i), 0);
    if (name == nullptr) return ZipError(zip_get_error(archive.zip.get()));
    file.names_.push_back(MemberName(name));
  }
  return file;
}

absl::StatusOr<NumpyFile> NumpyFile::Open(const std::string& path) {
  // Arrays begin with \x93NUMPY, archives with PK.
  const auto can_begin = [](std::string_view bytes) {
    return bytes.starts_with(std::string_view("\x93NUMPY").substr(0, bytes.size())) ||
           bytes.starts_with(std::string_view("PK").substr(0, bytes.size()));
  };
  XLA_ASSIGN_OR_RETURN(std::string bytes, ReadFile(path, UsableMemoryBytes(), can_begin));
  auto file = FromBytes(std::move(bytes));
  if (!file.ok())
    return absl::InvalidArgumentError(
        absl::StrCat(DisplayName(path), ": ", file.status().message()));
  return file;
}

absl::StatusOr<Shape> NumpyFile::ReadShape(size_t i, bool* is_raw) const {
  Shape shape;
  XLA_RETURN_IF_ERROR(archive_->ReadMember(i, [&](const NpyHeader& header, uint64_t, ReadBytes) {
    shape = header.shape;
    if (is_raw != nullptr) *is_raw = header.is_raw;
    return absl::OkStatus();
  }));
  return shape;
}

namespace {

absl::StatusOr<Literal> ReadData(const NpyHeader& header, uint64_t max_bytes, ReadBytes read) {
  if (max_bytes < static_cast<uint64_t>(header.data_bytes)) {
    return absl::InvalidArgumentError(
        absl::StrCat("npy: the file is truncated: the array has ", header.data_bytes, " bytes"));
  }
  Shape shape = header.shape;
  if (header.fortran_order) {
    std::vector<int64_t> minor_to_major(static_cast<size_t>(shape.rank()));
    for (size_t d = 0; d < minor_to_major.size(); ++d) minor_to_major[d] = static_cast<int64_t>(d);
    *shape.mutable_layout() = LayoutUtil::MakeLayout(minor_to_major);
  }
  XLA_ASSIGN_OR_RETURN(Literal literal, Literal::Make(shape));
  if (header.data_bytes > 0) {
    XLA_RETURN_IF_ERROR(ReadExactly(read, static_cast<char*>(literal.untyped_data()),
                                    static_cast<size_t>(header.data_bytes)));
  }
  // libzip verifies the checksum at the end of the member.
  char more;
  XLA_ASSIGN_OR_RETURN(const size_t rest, read(&more, 1));
  if (rest > 0) return absl::InvalidArgumentError("npy: unexpected bytes after the array");
  return header.fortran_order ? literal.Relayout(header.shape) : std::move(literal);
}

}  // namespace

absl::StatusOr<Literal> ToArgument(Literal array, const Shape& shape) {
  const PrimitiveType wanted = shape.element_type(), type = array.shape().element_type();
  if (type != wanted && type == NumpyType(wanted)) {
    XLA_ASSIGN_OR_RETURN(array, array.Convert(wanted));
  } else if (type != wanted) {
    // Raw bytes of a type that NumPy cannot name.
    XLA_ASSIGN_OR_RETURN(Literal value,
                         Literal::Make(ShapeUtil::MakeShape(wanted, array.shape().dimensions())));
    if (value.size_bytes() != array.size_bytes())
      return absl::InvalidArgumentError("the element size differs");
    if (value.size_bytes() > 0)
      std::memcpy(value.untyped_data(), array.untyped_data(), value.size_bytes());
    array = std::move(value);
  }
  if (shape.is_static()) return array;
  return array.ToBoundedDynamic(shape);
}

absl::StatusOr<Literal> NumpyFile::Read(size_t i) const {
  Literal literal;
  XLA_RETURN_IF_ERROR(archive_->ReadMember(
      i, [&](const NpyHeader& header, uint64_t max_bytes, ReadBytes read) -> absl::Status {
        XLA_ASSIGN_OR_RETURN(literal, ReadData(header, max_bytes, read));
        return absl::OkStatus();
      }));
  return literal;
}

absl::StatusOr<Literal> NumpyFile::ReadAs(size_t i, const Shape& shape) const {
  Literal literal;
  XLA_RETURN_IF_ERROR(archive_->ReadMember(
      i, [&](const NpyHeader& header, uint64_t max_bytes, ReadBytes read) -> absl::Status {
        XLA_RETURN_IF_ERROR(CheckFitsArgument(header.shape, shape));
        XLA_ASSIGN_OR_RETURN(literal, ReadData(header, max_bytes, read));
        XLA_ASSIGN_OR_RETURN(literal, ToArgument(std::move(literal), shape));
        return absl::OkStatus();
      }));
  return literal;
}

namespace {

// An array as it is stored: the header, and the data, which are a copy unless they are stored as
// they are.
struct Stored {
  std::string header;
  Literal copy;
  std::string_view data;
};

absl::Status Store(const LiteralSlice& array, Stored& stored) {
  const Shape& shape = array.shape();
  if (!shape.IsArray()) {
    return absl::InvalidArgumentError(
        absl::StrCat("cannot store ", shape.ToString(), " in a .npy file"));
  }
  const PrimitiveType type = NumpyType(shape.element_type());
  const void* data = array.untyped_data();
  int64_t size = array.size_bytes();
  Shape dense = ShapeUtil::MakeShapeWithDescendingLayout(type, shape.dimensions());
  if (type != shape.element_type() || shape.is_dynamic() ||
      !LayoutUtil::IsMonotonicWithDim0Major(shape.layout())) {
    // Dynamic dimensions are stored at their sizes, not their bounds.
    stored.copy = shape.is_dynamic() ? array.ToStatic() : array.Clone();
    XLA_ASSIGN_OR_RETURN(stored.copy, stored.copy.Convert(type));
    dense = ShapeUtil::MakeShapeWithDescendingLayout(type, stored.copy.shape().dimensions());
    stored.copy = stored.copy.Relayout(dense);
    data = stored.copy.untyped_data();
    size = stored.copy.size_bytes();
  }
  stored.header = MakeNpyHeader(dense);
  stored.data = {static_cast<const char*>(data), static_cast<size_t>(size)};
  return absl::OkStatus();
}

}  // namespace

absl::Status WriteNpy(const std::string& path, const LiteralSlice& array) {
  Stored stored;
  XLA_RETURN_IF_ERROR(Store(array, stored));
  return WriteFileParts(path, {stored.header, stored.data});
}

absl::Status WriteNpz(const std::string& path,
                      const std::vector<std::pair<std::string, LiteralSlice>>& arrays) {
  if (arrays.empty()) {
    // libzip writes no empty archives: the end of a directory without entries.
    return WriteFile(path, std::string_view("PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 22));
  }
  // libzip reads the data when the archive is closed.
  struct Member {
    Stored stored;
    zip_buffer_fragment_t fragments[2];
  };
  std::vector<std::unique_ptr<Member>> members;
  for (const auto& [name, array] : arrays) {
    Member& member = *members.emplace_back(std::make_unique<Member>());
    XLA_RETURN_IF_ERROR(Store(array, member.stored));
    const auto fragment = [](std::string_view bytes) {
      return zip_buffer_fragment_t{reinterpret_cast<zip_uint8_t*>(const_cast<char*>(bytes.data())),
                                   bytes.size()};
    };
    member.fragments[0] = fragment(member.stored.header);
    member.fragments[1] = fragment(member.stored.data);
  }
  return WriteFileWith(path, [&](const std::string& temporary) -> absl::Status {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(temporary.c_str(), "we"),
                                                               std::fclose);
    if (file == nullptr) return WriteError(path, std::strerror(errno));
    ZipSink sink = {file.get(), {}};
    zip_error_init(&sink.error);
    zip_error_t error;
    zip_error_init(&error);
    zip_source_t* const target = zip_source_function_create(HandleSink, &sink, &error);
    if (target == nullptr) return WriteError(path, zip_error_strerror(&error));
    ZipPtr zip(zip_open_from_source(target, ZIP_CREATE | ZIP_TRUNCATE, &error));
    if (zip == nullptr) {
      zip_source_free(target);
      return WriteError(path, zip_error_strerror(&error));
    }
    for (size_t i = 0; i < arrays.size(); ++i) {
      const Member& member = *members[i];
      zip_source_t* source = zip_source_buffer_fragment(zip.get(), member.fragments,
                                                        member.fragments[1].length > 0 ? 2 : 1, 0);
      const zip_int64_t index =
          source == nullptr ? -1
                            : zip_file_add(zip.get(), absl::StrCat(arrays[i].first, ".npy").c_str(),
                                           source, ZIP_FL_ENC_UTF_8);
      if (index < 0) {
        zip_source_free(source);
        return ZipError(zip_get_error(zip.get()));
      }
      constexpr zip_uint16_t kFirstDay = 0x21;  // 1980-01-01: the same arrays, the same bytes
      const auto entry = static_cast<zip_uint64_t>(index);
      if (zip_set_file_compression(zip.get(), entry, ZIP_CM_STORE, 0) != 0 ||
          zip_file_set_dostime(zip.get(), entry, 0, kFirstDay, 0) != 0) {
        return ZipError(zip_get_error(zip.get()));
      }
    }
    if (zip_close(zip.get()) != 0)
      return WriteError(path, zip_error_strerror(zip_get_error(zip.get())));
    (void)zip.release();  // closed
    return absl::OkStatus();
  });
}

}  // namespace xla
