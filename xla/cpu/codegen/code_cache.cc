// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/codegen/code_cache.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace xla::cpu {
namespace {

// Must be incremented whenever generated code relies on something new in this library: names and
// signatures of the functions that it calls, what they do, or what it is called with.
constexpr int kCodeVersion = 1;
constexpr char kMagic[8] = {'x', 'y', 'l', 'e', 'm', 'c', 'c', '1'};

struct CacheFileHeader {
  char magic[8];
  uint64_t key_bytes, object_bytes, checksum;
};

// FNV-1a.
uint64_t HashBytes(std::string_view bytes, uint64_t hash) {
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}
constexpr uint64_t kHashBasis = 0xcbf29ce484222325u, kOtherBasis = 0x84222325cbf29ce4u;

struct CacheFileCloser {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using CacheFile = std::unique_ptr<std::FILE, CacheFileCloser>;

bool ReadBytes(std::FILE* file, uint64_t count, std::vector<char>& bytes) {
  bytes.resize(count);
  return std::fread(bytes.data(), 1, count, file) == count;
}

}  // namespace

CodeCache::CodeCache(std::string directory, const Target& target, std::string_view llvm_version)
    : directory_(std::move(directory)),
      prefix_(absl::StrCat("code ", kCodeVersion, "\nLLVM ", std::string(llvm_version), "\n",
                           target.triple, "\n", target.cpu, "\n", target.features, "\n")) {
  if (is_enabled()) ::mkdir(directory_.c_str(), 0700);
}

std::string CodeCache::KeyOf(std::string_view llvm_ir) const {
  std::string key = prefix_;
  key.append(llvm_ir);
  return key;
}

std::string CodeCache::PathOf(std::string_view key) const {
  return absl::StrFormat("%s/%016x%016x.kernels", directory_, HashBytes(key, kHashBasis),
                         HashBytes(key, kOtherBasis));
}

std::vector<char> CodeCache::Find(std::string_view llvm_ir) const {
  const std::string key = KeyOf(llvm_ir);
  const CacheFile file(std::fopen(PathOf(key).c_str(), "rbe"));
  CacheFileHeader header;
  struct stat status;
  if (file == nullptr || fstat(fileno(file.get()), &status) != 0 ||
      std::fread(&header, sizeof(header), 1, file.get()) != 1 ||
      std::memcmp(header.magic, kMagic, sizeof(kMagic)) != 0 || header.key_bytes != key.size()) {
    return {};
  }
  const auto file_bytes = static_cast<uint64_t>(status.st_size);
  if (header.object_bytes > file_bytes ||
      sizeof(header) + header.key_bytes + header.object_bytes != file_bytes) {
    return {};
  }
  std::vector<char> stored_key, object;
  if (!ReadBytes(file.get(), header.key_bytes, stored_key) ||
      std::memcmp(stored_key.data(), key.data(), key.size()) != 0 ||
      !ReadBytes(file.get(), header.object_bytes, object) ||
      HashBytes({object.data(), object.size()}, kHashBasis) != header.checksum) {
    return {};
  }
  return object;
}

void CodeCache::Store(std::string_view llvm_ir, absl::Span<const char> object) const {
  const std::string key = KeyOf(llvm_ir);
  std::string name = absl::StrCat(directory_, "/.new-XXXXXX");
  const int descriptor = ::mkstemp(name.data());
  if (descriptor < 0) return;
  CacheFileHeader header;
  std::memcpy(header.magic, kMagic, sizeof(kMagic));
  header.key_bytes = key.size();
  header.object_bytes = object.size();
  header.checksum = HashBytes({object.data(), object.size()}, kHashBasis);
  std::FILE* const file = ::fdopen(descriptor, "wb");
  bool is_written = file != nullptr;
  if (file == nullptr) {
    ::close(descriptor);
  } else {
    is_written = std::fwrite(&header, sizeof(header), 1, file) == 1 &&
                 std::fwrite(key.data(), 1, key.size(), file) == key.size() &&
                 std::fwrite(object.data(), 1, object.size(), file) == object.size();
    is_written = std::fclose(file) == 0 && is_written;
  }
  if (!is_written || std::rename(name.c_str(), PathOf(key).c_str()) != 0) ::unlink(name.c_str());
}

}  // namespace xla::cpu
