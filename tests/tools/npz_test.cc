// SPDX-License-Identifier: Apache-2.0
// Arrays in NumPy's files: what is written is read, and what is damaged or hostile is an error that
// costs neither time nor memory.
#include "tools/npz.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/test_util.h"
#include "tests/tools/tools_test_util.h"
#include "tools/files.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using testing::WriteNpz;

// A .npy file of version 1 with this header, and data.
std::string Npy(const std::string& header, const std::string& data) {
  std::string bytes = "\x93NUMPY\x01";
  bytes.push_back('\0');
  bytes.push_back(static_cast<char>(header.size() & 0xff));
  bytes.push_back(static_cast<char>(header.size() >> 8));
  return bytes + header + data;
}

std::string Header(const std::string& descr, const std::string& order, const std::string& shape) {
  return absl::StrCat("{'descr': '", descr, "', 'fortran_order': ", order, ", 'shape': ", shape,
                      ", }\n");
}

// An archive made field by field, for what no library writes.
class ZipBuilder {
 public:
  // The raw bytes of a member; returns where its local header begins.
  uint64_t AddData(std::string_view name, std::string_view packed) {
    const uint64_t offset = bytes_.size();
    Put<uint32_t>(&bytes_, 0x04034b50);
    for (const int field : {20, 0, 0, 0, 33}) Put<uint16_t>(&bytes_, field);
    for (int i = 0; i < 3; ++i) Put<uint32_t>(&bytes_, 0);  // checksum and sizes
    Put<uint16_t>(&bytes_, name.size());
    Put<uint16_t>(&bytes_, 0);
    bytes_.append(name).append(packed);
    return offset;
  }
  // An entry of the directory. With `zip64`, sizes and offset are in the extra field.
  void AddEntry(std::string_view name, uint64_t offset, std::string_view data, uint64_t packed_size,
                bool deflated = false, bool zip64 = false) {
    std::string extra;
    if (zip64) {
      Put<uint16_t>(&extra, 1);
      Put<uint16_t>(&extra, 24);
      for (const uint64_t field : {uint64_t{data.size()}, packed_size, offset})
        Put<uint64_t>(&extra, field);
    }
    const auto low = [&](uint64_t value) {
      return zip64 ? 0xffffffffu : static_cast<uint32_t>(value);
    };
    Put<uint32_t>(&directory_, 0x02014b50);
    for (const int field : {45, 45, 0, deflated ? 8 : 0, 0, 33}) Put<uint16_t>(&directory_, field);
    if (data.data() != summed_) {
      summed_ = data.data();
      checksum_ = crc32_z(0, reinterpret_cast<const Bytef*>(data.data()), data.size());
    }
    Put<uint32_t>(&directory_, checksum_);
    Put<uint32_t>(&directory_, low(packed_size));
    Put<uint32_t>(&directory_, low(data.size()));
    Put<uint16_t>(&directory_, name.size());
    Put<uint16_t>(&directory_, extra.size());
    for (int i = 0; i < 5; ++i) Put<uint16_t>(&directory_, 0);  // comment, disk, attributes
    Put<uint32_t>(&directory_, low(offset));
    directory_.append(name).append(extra);
    ++entries_;
  }
  std::string Finish(bool zip64 = false) const {
    std::string out = bytes_ + directory_;
    if (zip64) {
      const uint64_t end = out.size();
      Put<uint32_t>(&out, 0x06064b50);
      Put<uint64_t>(&out, 44);
      Put<uint16_t>(&out, 45);
      Put<uint16_t>(&out, 45);
      Put<uint64_t>(&out, 0);  // disks
      for (const uint64_t field :
           {entries_, entries_, uint64_t{directory_.size()}, uint64_t{bytes_.size()}})
        Put<uint64_t>(&out, field);
      Put<uint32_t>(&out, 0x07064b50);
      Put<uint32_t>(&out, 0);
      Put<uint64_t>(&out, end);
      Put<uint32_t>(&out, 1);
    }
    Put<uint32_t>(&out, 0x06054b50);
    Put<uint32_t>(&out, 0);  // disks
    for (int i = 0; i < 2; ++i) Put<uint16_t>(&out, zip64 ? 0xffff : entries_);
    Put<uint32_t>(&out, zip64 ? 0xffffffff : directory_.size());
    Put<uint32_t>(&out, zip64 ? 0xffffffff : bytes_.size());
    Put<uint16_t>(&out, 0);
    return out;
  }

 private:
  template <typename T>
  static void Put(std::string* to, uint64_t value) {
    for (size_t i = 0; i < sizeof(T); ++i) to->push_back(static_cast<char>(value >> (8 * i)));
  }
  std::string bytes_, directory_;
  uint64_t entries_ = 0;
  const char* summed_ = nullptr;  // the data of the last entry, and its checksum
  uint64_t checksum_ = 0;
};

std::string Deflate(std::string_view data) {
  z_stream stream = {};
  EXPECT_EQ(deflateInit2(&stream, 1, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, data.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
  stream.avail_in = static_cast<uInt>(data.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(out.size() - stream.avail_out);
  deflateEnd(&stream);
  return out;
}

const Shape& Three() {
  static const Shape* shape = new Shape(ShapeUtil::MakeShape(F32, {3}));
  return *shape;
}

// f32[3] of zeros, as .npy.
std::string ThreeZeros() { return Npy(Header("<f4", "False", "(3,)"), std::string(12, '\0')); }

absl::StatusOr<Literal> ReadAs(const std::string& bytes, const Shape& shape) {
  XLA_ASSIGN_OR_RETURN(const NumpyFile file, NumpyFile::FromBytes(bytes));
  return file.ReadAs(0, shape);
}

// Each rule of headers with a header that breaks only this one.
TEST(NpyTest, HeadersThatAreRefused) {
  const std::string data(12, 'x'), good = Header("<f4", "False", "(3,)");
  const auto read = [](const std::string& bytes) -> absl::Status {
    auto file = NumpyFile::FromBytes(bytes);
    return file.ok() ? file->Read(0).status() : file.status();
  };
  EXPECT_OK(read(Npy(good, data)));
  const struct {
    std::string header, error;
  } kCases[] = {
      {"3", "expected a dictionary"},
      {"{3: 4}", "expected a key"},
      {"{'descr' '<f4'}", "expected a key"},
      {"{'descr': }", "expected a string, a word or a tuple"},
      {"{'descr': '<f4' 'shape': (3,)}", "expected ',' or '}'"},
      {"{'descr': '<f4', 'descr': '<f4', 'shape': (3,)}", "expected distinct keys"},
      {good + "more", "expected the end"},
      {"{'descr': '<f4', 'shape': (3,)}", "must hold descr (a string), fortran_order and shape"},
      {"{'descr': ('<f4',), 'fortran_order': False, 'shape': (3,)}", "npy: "},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': 3}", "must hold descr (a string)"},
      {"{'descr': '<f4', 'fortran_order': (), 'shape': (3,)}", "must hold descr (a string)"},
      {Header("<f4", "1", "(3,)"), "fortran_order must be True or False, not 1"},
      {Header(">f4", "False", "(3,)"), "unsupported type '>f4'"},
      {Header("", "False", "(3,)"), "unsupported type ''"},
      {Header("<f4", "False", "(-3,)"), "invalid dimension '-3'"},
      {Header("<f4", "False", "(x,)"), "invalid dimension 'x'"},
      {Header("<f4", "False",
              "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
              "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)"),
       "too many dimensions"},
      {Header("<f4", "False", "(4,)"), "truncated"},
      {Header("<f4", "False", "(2,)"), "unexpected bytes after the array"},
  };
  for (const auto& c : kCases) EXPECT_ERROR(read(Npy(c.header, data)), c.error) << c.header;
  std::string bytes = Npy(good, data);
  bytes[6] = 4;
  EXPECT_ERROR(read(bytes), "unsupported version 4");
  bytes[6] = 0;
  EXPECT_ERROR(read(bytes), "unsupported version 0");
  bytes = Npy(good, data);
  bytes[6] = 2;  // four bytes of length
  bytes.insert(10, std::string("\0\0", 2));
  EXPECT_OK(read(bytes));
  bytes[10] = 2;
  EXPECT_ERROR(read(bytes), "is longer than 65536");
}

TEST(NpzTest, DynamicSizesAreStored) {
  Literal bounded(ShapeUtil::MakeShape(F32, {3, 2}, {true, false}));
  bounded.SetDynamicSize(0, 2);
  for (int64_t row = 0; row < 2; ++row) {
    for (int64_t column = 0; column < 2; ++column)
      bounded.Set<float>({row, column}, static_cast<float>(10 * row + column));
  }
  std::vector<std::pair<std::string, Literal>> arrays;
  arrays.emplace_back("x", std::move(bounded));
  ASSERT_OK_AND_ASSIGN(const NumpyFile file, NumpyFile::Open(WriteNpz("dynamic", arrays)));
  ASSERT_EQ(file.size(), 1u);
  EXPECT_EQ(file.name(0), "x");
  ASSERT_OK_AND_ASSIGN(const Literal read, file.Read(0));
  EXPECT_EQ(read, LiteralUtil::CreateR2<float>({{0, 1}, {10, 11}}));
}

TEST(NpzTest, TypesAndLayoutsAreStored) {
  std::vector<std::pair<std::string, Literal>> arrays;
  arrays.emplace_back("s64", LiteralUtil::CreateR1<int64_t>({1, -2}));
  arrays.emplace_back("pred", LiteralUtil::CreateR1<bool>({true, false}));
  arrays.emplace_back("c64", LiteralUtil::CreateR0<complex64>({1, 2}));
  arrays.emplace_back("bf16", LiteralUtil::CreateR1<bfloat16>({bfloat16(1.5f)}));
  arrays.emplace_back("columns",
                      LiteralUtil::CreateR2<float>({{1, 2, 3}, {4, 5, 6}})
                          .Relayout(ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 3}, {0, 1})));
  arrays.emplace_back("empty", Literal(ShapeUtil::MakeShape(F32, {0, 3})));
  const std::string path = WriteNpz("types", arrays);
  ASSERT_OK_AND_ASSIGN(const NumpyFile file, NumpyFile::Open(path));
  ASSERT_EQ(file.size(), arrays.size());
  for (size_t i = 0; i < arrays.size(); ++i) {
    EXPECT_EQ(file.name(i), arrays[i].first);
    ASSERT_OK_AND_ASSIGN(const Literal read, file.ReadAs(i, arrays[i].second.shape()));
    EXPECT_EQ(read, arrays[i].second) << arrays[i].first;
  }
  ASSERT_OK_AND_ASSIGN(const Shape stored, file.ReadShape(3));
  EXPECT_EQ(stored.element_type(), F32);
  ASSERT_OK_AND_ASSIGN(const std::string once, ReadFile(path));
  ASSERT_OK_AND_ASSIGN(const std::string again, ReadFile(WriteNpz("types_again", arrays)));
  EXPECT_EQ(once, again);
}

TEST(NpzTest, AnArchiveWithoutArrays) {
  ASSERT_OK_AND_ASSIGN(const NumpyFile file, NumpyFile::Open(WriteNpz("none", {})));
  EXPECT_EQ(file.size(), 0u);
}

TEST(NpyTest, FortranOrder) {
  const std::string data("\1\0\0\0\2\0\0\0\3\0\0\0\4\0\0\0", 16);
  const Shape shape = ShapeUtil::MakeShape(S32, {2, 2});
  ASSERT_OK_AND_ASSIGN(const Literal rows,
                       ReadAs(Npy(Header("<i4", "False", "(2, 2)"), data), shape));
  EXPECT_EQ(rows, LiteralUtil::CreateR2<int32_t>({{1, 2}, {3, 4}}));
  ASSERT_OK_AND_ASSIGN(const Literal columns,
                       ReadAs(Npy(Header("<i4", "True", "(2, 2)"), data), shape));
  EXPECT_EQ(columns, LiteralUtil::CreateR2<int32_t>({{1, 3}, {2, 4}}));
  EXPECT_ERROR(ReadAs(Npy(Header("<i4", "1", "(2, 2)"), data), shape),
               "fortran_order must be True or False, not 1");
}

TEST(NpyTest, RawBytesOfTypesThatNumpyLacks) {
  const std::string data("\xc0\x3f\x00\x40", 4);
  ASSERT_OK_AND_ASSIGN(const Literal read, ReadAs(Npy(Header("|V2", "False", "(2,)"), data),
                                                  ShapeUtil::MakeShape(BF16, {2})));
  EXPECT_EQ(read, LiteralUtil::CreateR1<bfloat16>({bfloat16(1.5f), bfloat16(2.0f)}));
}

TEST(NpyTest, InvalidHeadersAreErrors) {
  const std::string data(12, '\0');
  for (const auto& [header, message] : std::vector<std::pair<std::string, std::string>>{
           {"", "expected a dictionary"},
           {"{'descr': '<f4'}", "must hold descr"},
           {"{'descr': '<f4', 'fortran_order': False, 'shape': 3}", "must hold descr"},
           {"{'descr': '<f4', 'descr': '<f4', 'shape': (3,)}", "distinct keys"},
           {"{'descr': '<f4', 'fortran_order': False, 'shape': (3,), 'x': 1}", "must hold descr"},
           {Header("<f4", "False", "(3,)") + "x", "expected the end"},
           {Header(">f4", "False", "(3,)"), "unsupported type '>f4'"},
           {Header("<U4", "False", "(3,)"), "unsupported type '<U4'"},
           {Header("", "False", "(3,)"), "unsupported type ''"},
           {Header("<f4", "False", "(-3,)"), "invalid dimension '-3'"},
           {Header("<f4", "False", "(3x,)"), "invalid dimension '3x'"},
           {Header("<f4", "False", "(3,"), "expected a string, a word or a tuple"},
           {Header("<f4", "False", "(0, 9223372036854775807, 9223372036854775807)"), ""},
           {Header("<f4", "False", "(9223372036854775807,)"), ""},
           {Header("<f4", "False", "(4,)"), "dimension 0 differs"},
           {Header("<f4", "False", "(1, 3)"), "the rank differs"},
           {Header("<f8", "False", "(3,)"), "the element type differs"}}) {
    EXPECT_ERROR(ReadAs(Npy(header, data), Three()), message) << header;
  }
  EXPECT_ERROR(ReadAs(Npy(Header("<f4", "False", "(3,)"), "short"), Three()), "truncated");
  EXPECT_ERROR(ReadAs(ThreeZeros().substr(0, 20), Three()), "truncated");
  EXPECT_ERROR(ReadAs("\x93NUMPY\x04" + std::string(20, '\0'), Three()), "unsupported version 4");
  EXPECT_ERROR(ReadAs("\x93NUMPY\x02" + std::string(1, '\0') + "\xff\xff\xff\x7f", Three()),
               "longer than 65536");
  EXPECT_ERROR(NumpyFile::FromBytes("something else"), "neither a .npy nor a .npz file");
  EXPECT_ERROR(NumpyFile::FromBytes(""), "the file is empty");
}

TEST(ZipTest, DeflatedAndZip64MembersAreRead) {
  const std::string data = ThreeZeros(), packed = Deflate(data);
  for (const bool zip64 : {false, true}) {
    for (const bool deflated : {false, true}) {
      ZipBuilder builder;
      const std::string& stored = deflated ? packed : data;
      const uint64_t offset = builder.AddData("arg00.npy", stored);
      builder.AddEntry("arg00.npy", offset, data, stored.size(), deflated, zip64);
      ASSERT_OK_AND_ASSIGN(const NumpyFile file, NumpyFile::FromBytes(builder.Finish(zip64)));
      ASSERT_EQ(file.size(), 1u);
      EXPECT_EQ(file.name(0), "arg00");
      ASSERT_OK_AND_ASSIGN(const Literal read, file.ReadAs(0, Three()));
      EXPECT_EQ(read, LiteralUtil::CreateR1<float>({0, 0, 0}));
    }
  }
}

TEST(ZipTest, DamagedMembersAreErrors) {
  const std::string data = ThreeZeros();
  std::string other = data;
  other.back() = 1;
  ZipBuilder checksum;
  checksum.AddEntry("a.npy", checksum.AddData("a.npy", other), data, data.size());
  EXPECT_ERROR(ReadAs(checksum.Finish(), Three()), "CRC");

  ZipBuilder cut_off;
  const std::string packed = Deflate(data);
  cut_off.AddEntry("a.npy", cut_off.AddData("a.npy", packed.substr(0, 10)), data, 10, true);
  EXPECT_ERROR(ReadAs(cut_off.Finish(), Three()), "npz: ");

  ZipBuilder longer;
  const std::string more = data + "more";
  longer.AddEntry("a.npy", longer.AddData("a.npy", more), more, more.size());
  EXPECT_ERROR(ReadAs(longer.Finish(), Three()), "unexpected bytes after the array");
}

// 2,000 entries that share one member of 64 MiB: reading them all would take 125 GiB.
TEST(ZipTest, OnlyWhatTheProgramTakesIsInflated) {
  constexpr int64_t kElements = 1 << 24;
  const std::string data = Npy(Header("<f4", "False", absl::StrCat("(", kElements, ",)")),
                               std::string(4 * kElements, '\0'));
  const std::string packed = Deflate(data);
  ZipBuilder builder;
  const uint64_t offset = builder.AddData("a.npy", packed);
  for (int i = 0; i < 2000; ++i)
    builder.AddEntry(absl::StrCat("arg", i, ".npy"), offset, data, packed.size(), true);
  ASSERT_OK_AND_ASSIGN(const NumpyFile file, NumpyFile::FromBytes(builder.Finish()));
  ASSERT_EQ(file.size(), 2000u);
  for (size_t i = 0; i < file.size(); ++i)
    EXPECT_ERROR(file.ReadAs(i, Three()), "dimension 0 differs: the program expects f32[3]");
}

// A member that claims more than it holds costs no memory.
TEST(ZipTest, ClaimsCostNothing) {
  const std::string data = Npy(Header("<f4", "False", "(1000000000, 1000)"), "");
  ZipBuilder builder;
  builder.AddEntry("a.npy", builder.AddData("a.npy", data), data, data.size());
  EXPECT_ERROR(ReadAs(builder.Finish(), ShapeUtil::MakeShape(F32, {1000000000, 1000})),
               "truncated: the array has 4000000000000 bytes");
}

}  // namespace
}  // namespace xla
