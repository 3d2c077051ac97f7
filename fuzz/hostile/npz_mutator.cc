// SPDX-License-Identifier: Apache-2.0
#include "fuzz/hostile/npz_mutator.h"

#include <zlib.h>

#include <cstdint>
#include <cstring>
#include <iterator>
#include <vector>

#include "absl/strings/str_cat.h"

namespace xla::fuzz {
namespace {

void Append(std::string& out, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<char>(value >> (8 * i)));
}

std::string Deflated(const std::string& bytes) {
  z_stream stream = {};
  deflateInit2(&stream, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

// A number as it should be, or now and then another one.
uint64_t Lie(uint64_t value, Random& random) {
  if (random() % 24 != 0) return value;
  switch (random() % 5) {
    case 0:
      return 0;
    case 1:
      return value + 1;
    case 2:
      return value - 1;
    case 3:
      return ~uint64_t{0};
    default:
      return random() >> random() % 64;
  }
}

struct Member {
  std::string name, data;
  uint64_t size, crc, offset;
  uint16_t method;
};

// The fields that local header and directory share.
void AppendCommon(std::string& out, const Member& member, Random& random) {
  Append(out, Lie(20, random), 2);
  Append(out, Lie(0, random), 2);  // flags
  Append(out, Lie(member.method, random), 2);
  Append(out, 0x00210000, 4);
  Append(out, Lie(member.crc, random), 4);
  Append(out, Lie(member.data.size(), random), 4);
  Append(out, Lie(member.size, random), 4);
  Append(out, Lie(member.name.size(), random), 2);
}

}  // namespace

std::string MakeNpy(Random& random) {
  constexpr const char* kDescr[] = {"<f4", "|b1", "<i8", "<c16", "|V2",
                                    ">f4", "<U3", "f4",  "|O",   ""};
  constexpr const char* kShapes[] = {"(3,)",
                                     "()",
                                     "(2, 3)",
                                     "(0, 9223372036854775807)",
                                     "(9223372036854775807, 2)",
                                     "(-1,)",
                                     "(3)",
                                     "(1000000000000,)",
                                     "(3L,)",
                                     "(2, 3",
                                     "(True,)",
                                     "(1,) * 9"};
  constexpr const char* kOrders[] = {"False", "True", "0", "1", "'False'"};
  std::string header = absl::StrCat(
      "{'descr': '", kDescr[random() % 3 == 0 ? random() % std::size(kDescr) : 0],
      "', 'fortran_order': ", kOrders[random() % 3 == 0 ? random() % std::size(kOrders) : 0],
      ", 'shape': ", kShapes[random() % 2 == 0 ? random() % std::size(kShapes) : 0], ", }");
  if (random() % 4 == 0) header = MutateText(header, header, random);
  header.resize((header.size() + 10 + 64) / 64 * 64 - 10, ' ');
  header.back() = '\n';
  std::string npy = "\x93NUMPY";
  const uint64_t version = Lie(1, random);
  Append(npy, version, 1);
  Append(npy, 0, 1);
  Append(npy, Lie(header.size(), random), version == 1 ? 2 : 4);
  npy += header;
  npy.append(random() % 4 == 0 ? random() % 200 : 12, static_cast<char>(random()));
  return random() % 8 == 0 ? MutateBytes(npy, random) : npy;
}

std::string MakeNpz(Random& random) {
  constexpr const char* kNames[] = {"arg00.npy", "arg01.npy", "device3/arg00.npy",
                                    "a.0.npy",   "../x.npy",  "arg99999999999999999999.npy",
                                    "",          "arg00.npy"};
  std::string out;
  std::vector<Member> members;
  for (uint64_t count = 1 + random() % 4; count > 0; --count) {
    const std::string npy = MakeNpy(random);
    Member member;
    member.name = kNames[random() % std::size(kNames)];
    member.method = random() % 2 == 0 ? 0 : 8;
    member.data = member.method == 0 ? npy : Deflated(npy);
    if (random() % 16 == 0) member.data = MutateBytes(member.data, random);
    member.size = npy.size();
    member.crc =
        crc32(0, reinterpret_cast<const Bytef*>(npy.data()), static_cast<uInt>(npy.size()));
    member.offset = out.size();
    out += "PK\x03\x04";
    AppendCommon(out, member, random);
    Append(out, Lie(0, random), 2);
    out += member.name + member.data;
    members.push_back(std::move(member));
  }
  // Entries of the directory may share a member.
  if (random() % 8 == 0) members.push_back(members[random() % members.size()]);
  const size_t directory = out.size();
  for (const Member& member : members) {
    out += "PK\x01\x02";
    Append(out, 20, 2);
    AppendCommon(out, member, random);
    std::string extra;
    if (random() % 8 == 0) {  // ZIP64: size, compressed size, offset
      Append(extra, 1, 2);
      Append(extra, 24, 2);
      for (const uint64_t field : {member.size, uint64_t{member.data.size()}, member.offset})
        Append(extra, Lie(field, random), 8);
      std::memset(out.data() + out.size() - 10, 0xff, 8);
    }
    Append(out, extra.size(), 2);
    Append(out, 0, 2);
    Append(out, Lie(0, random), 2);
    Append(out, 0, 2);
    Append(out, Lie(0, random), 4);
    Append(out, Lie(extra.empty() ? member.offset : 0xffffffff, random), 4);
    out += member.name + extra;
  }
  const size_t size = out.size() - directory;
  out += "PK\x05\x06";
  Append(out, 0, 4);
  Append(out, Lie(members.size(), random), 2);
  Append(out, Lie(members.size(), random), 2);
  Append(out, Lie(size, random), 4);
  Append(out, Lie(directory, random), 4);
  Append(out, Lie(0, random), 2);
  return random() % 16 == 0 ? MutateBytes(out, random) : out;
}

}  // namespace xla::fuzz
