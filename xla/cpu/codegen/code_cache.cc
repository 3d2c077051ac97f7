// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/codegen/code_cache.h"

#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla/base/fnv_hash.h"
#include "xla/runtime/cache_file.h"

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

}  // namespace

CodeCache::CodeCache(std::string directory, const Target& target, std::string_view llvm_version)
    : directory_(std::move(directory)),
      prefix_(absl::StrCat("code ", kCodeVersion, "\nLLVM ", std::string(llvm_version), "\n",
                           target.triple, "\n", target.cpu, "\n", target.features, "\n")) {
  if (is_enabled()) runtime::MakeCacheFolder(directory_);
}

std::string CodeCache::KeyOf(std::string_view llvm_ir) const {
  std::string key = prefix_;
  key.append(llvm_ir);
  return key;
}

std::string CodeCache::PathOf(std::string_view key) const {
  return absl::StrCat(directory_, "/", runtime::CacheFileName(key), ".kernels");
}

std::vector<char> CodeCache::Find(std::string_view llvm_ir) const {
  const std::string key = KeyOf(llvm_ir);
  const std::optional<std::string> file = runtime::ReadCacheFile(PathOf(key));
  CacheFileHeader header;
  if (!file.has_value() || file->size() < sizeof(header)) return {};
  std::memcpy(&header, file->data(), sizeof(header));
  const std::string_view rest = std::string_view(*file).substr(sizeof(header));
  if (std::memcmp(header.magic, kMagic, sizeof(kMagic)) != 0 || header.key_bytes != key.size() ||
      rest.substr(0, key.size()) != key) {
    return {};
  }
  const std::string_view object = rest.substr(key.size());
  if (object.size() != header.object_bytes || FnvHash(object) != header.checksum) return {};
  return {object.begin(), object.end()};
}

void CodeCache::Store(std::string_view llvm_ir, absl::Span<const char> object) const {
  const std::string key = KeyOf(llvm_ir);
  CacheFileHeader header;
  std::memcpy(header.magic, kMagic, sizeof(kMagic));
  header.key_bytes = key.size();
  header.object_bytes = object.size();
  header.checksum = FnvHash({object.data(), object.size()});
  std::string file(reinterpret_cast<const char*>(&header), sizeof(header));
  file.append(key).append(object.data(), object.size());
  runtime::WriteCacheFile(PathOf(key), file);
}

}  // namespace xla::cpu
